//! Settings of the client, files of the workspace, and lines of the script that decide what is shown.

use super::*;

#[tokio::test]
async fn off_and_the_settings_silence_hints() {
    let mut session = Session::start_full().await;
    let quiet = LOSS.replace("loss =", "#@ off\nloss =");
    session.open(URI, &quiet).await;
    assert_eq!(settled_hints(&mut session).await, Vec::<Value>::new());
    session.end().await;

    let options = json!({
        "capabilities": {},
        "initializationOptions": {"sumac": {"inlayHints": {"enabled": false}}},
    });
    let (mut session, _) = Session::start(options).await;
    session.open(URI, LOSS).await;
    let hints = session
        .request("textDocument/inlayHint", hints_params())
        .await;
    assert_eq!(hints["result"], Value::Null);
    let on = json!({"settings": {"sumac": {"inlayHints": {"enabled": true}}}});
    session.notify("workspace/didChangeConfiguration", on).await;
    let hints = session
        .request("textDocument/inlayHint", hints_params())
        .await;
    assert_eq!(hints["result"].as_array().map(Vec::len), Some(1), "{hints}");
    session.end().await;
}

#[tokio::test]
async fn the_nearest_file_decides_and_what_is_wrong_with_it_is_shown_there() {
    let dir = tempfile::tempdir().unwrap();
    let (script, file) = (dir.path().join("a.dml"), dir.path().join("sumac.toml"));
    let (uri, file_uri) = (
        format!("file://{}", script.display()),
        format!("file://{}", file.display()),
    );
    let write = |text: &str| std::fs::write(&file, text).unwrap();
    write("[diagnostics]\nunused-value = \"error\"\n");
    let mut session = Session::start_full().await;
    session.open(&uri, "x = 1\nx = 2\nprint(x)\n").await;
    assert_eq!(session.diagnostics(1).await[0]["severity"], 1);

    // A client's settings count more; what they take back is the file's again.
    let configure =
        |level: Value| json!({"settings": {"sumac": {"diagnostics": {"severity": level}}}});
    let method = "workspace/didChangeConfiguration";
    session
        .notify(method, configure(json!({"unused-value": "off"})))
        .await;
    assert_eq!(session.diagnostics(1).await, json!([]));
    session.notify(method, configure(Value::Null)).await;
    assert_eq!(session.diagnostics(1).await[0]["severity"], 1);

    write("[diagnostics]\nunused-value = \"warning\"\nunused-valeu = \"off\"\n");
    let changed = json!({"changes": [{"uri": file_uri, "type": 2}]});
    let watched = "workspace/didChangeWatchedFiles";
    session.notify(watched, changed.clone()).await;
    let wrong = session.message("textDocument/publishDiagnostics").await;
    assert_eq!(wrong["uri"], file_uri);
    assert_eq!(
        wrong["diagnostics"][0]["range"],
        range([2, 0, 2, 12]),
        "{wrong}"
    );
    assert_eq!(session.diagnostics(1).await[0]["severity"], 2);

    // A file that goes away takes its problems with it.
    std::fs::remove_file(&file).unwrap();
    session.notify(watched, changed).await;
    loop {
        let shown = session.message("textDocument/publishDiagnostics").await;
        if shown["uri"] == file_uri {
            assert_eq!(shown["diagnostics"], json!([]));
            break;
        }
    }
    let hover = session
        .request(
            "textDocument/hover",
            json!({"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}),
        )
        .await;
    assert_eq!(hover["error"], Value::Null);
    session.end().await;
}
