//! Workspaces that mean harm, and clients that speak nonsense.

use serde_json::{Value, json};

use super::client::Session;

/// A session in a folder that the person does not trust.
async fn untrusted(root: &std::path::Path) -> Session {
    let uri = format!("file://{}", root.display());
    let params = json!({
        "capabilities": {},
        "workspaceFolders": [{"uri": uri, "name": "theirs"}],
        "initializationOptions": {"trusted": false},
    });
    Session::start(params).await.0
}

fn uri(root: &std::path::Path, name: &str) -> String {
    format!("file://{}", root.join(name).display())
}

#[cfg(unix)]
#[tokio::test]
async fn files_without_an_end_keep_nobody_waiting() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::write(
        root.join("a.dml"),
        "f = function(Double x) return (Double y) { y = x }\n",
    )
    .unwrap();
    for name in [
        "z.sketch",
        ".gitignore",
        ".ignore",
        "b.dml",
        "data.mtx",
        "data.mtx.mtd",
    ] {
        symlink("/dev/zero", root.join(name)).unwrap();
    }
    let made = std::process::Command::new("mkfifo")
        .args(["p.sketch", "c.dml", "q.mtx"].map(|name| root.join(name)))
        .status();
    assert!(made.is_ok_and(|status| status.success()));
    for machine in ["/dev/zero", "p.sketch", "../machine.json"] {
        std::fs::write(
            root.join("sumac.toml"),
            format!("[search]\nmachine = \"{machine}\"\n"),
        )
        .unwrap();
        let mut session = untrusted(root).await;
        let own = uri(root, "own.dml");
        let text = "X = read(\"data.mtx\")\nY = read(\"q.mtx\")\nsource(\"c.dml\") as c\nprint(sum(X + Y))\n";
        session.open(&own, text).await;
        let place = json!({"textDocument": {"uri": own}, "position": {"line": 0, "character": 0}});
        let answer = session.request("textDocument/hover", place).await;
        assert!(answer.get("result").is_some(), "{answer}");
        let document = json!({"textDocument": {"uri": own}});
        let answer = session.request("textDocument/codeLens", document).await;
        assert!(answer.get("result").is_some(), "{answer}");
        // A renaming waits until all scripts are known.
        let rename = json!({
            "textDocument": {"uri": own}, "position": {"line": 0, "character": 0}, "newName": "Z",
        });
        let answer = session.request("textDocument/rename", rename).await;
        assert!(answer["result"].is_object(), "{answer}");
        let found = session
            .request("workspace/symbol", json!({"query": "f"}))
            .await;
        assert_eq!(found["result"][0]["name"], "f", "{found}");
        session.end().await;
    }
}

/// More scripts than a session looks at.
const MANY: usize = 20_001;

/// In a folder that holds what the session cannot look at: the name of a function, which other scripts may have, is refused, and
/// that of a variable, which they cannot, is not.
async fn only_what_no_other_script_has_is_renamed(root: &std::path::Path, why: &str) {
    let lib = "f = function(Double x) return (Double y) { y = x }\n";
    std::fs::write(root.join("lib.dml"), lib).unwrap();
    let mut session = untrusted(root).await;
    let own = uri(root, "lib.dml");
    session.open(&own, &format!("{lib}z = 3\nprint(z)\n")).await;
    let rename = |line: u32| {
        json!({
            "textDocument": {"uri": own}, "position": {"line": line, "character": 0}, "newName": "g",
        })
    };
    let refused = session.request("textDocument/rename", rename(0)).await;
    let message = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(
        message.contains("nothing was renamed") && message.contains(why),
        "{refused}"
    );
    let edit = session.request("textDocument/rename", rename(1)).await;
    assert!(edit["result"].is_object(), "{edit}");
    session.end().await;
}

#[tokio::test]
async fn a_function_is_renamed_in_all_scripts_or_in_none() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..MANY {
        let name = format!("{number}.dml");
        std::fs::write(folder.path().join(name), "x = 1\n").unwrap();
    }
    only_what_no_other_script_has_is_renamed(folder.path(), "more than 20000 scripts").await;
}

#[tokio::test]
async fn a_function_is_not_renamed_beside_a_script_that_is_too_large() {
    let folder = tempfile::tempdir().unwrap();
    let large = "# f\n".repeat((8 << 20) / 4 + 1);
    std::fs::write(folder.path().join("large.dml"), large).unwrap();
    only_what_no_other_script_has_is_renamed(folder.path(), "larger than 8 MB").await;
}

#[tokio::test]
async fn nonsense_of_any_kind_leaves_the_session_as_it_was() {
    let mut session = Session::start_full().await;
    session.open("file:///a.dml", "x = 1\nprint(x)\n").await;
    let odd = [
        json!(null),
        json!(-1),
        json!(1e300),
        json!([]),
        json!({"textDocument": {"uri": "file:///a.dml"}, "position": {"line": 4_294_967_295_u32, "character": 4_294_967_295_u32}}),
        json!({"textDocument": {"uri": "file:///a.dml"}, "position": {"line": -1, "character": 0}}),
        json!({"textDocument": {"uri": "no uri at all"}, "position": {"line": 0, "character": 0}}),
        json!({"textDocument": {"uri": "file:///%00%ff"}, "position": {"line": 0, "character": 0}}),
        json!({"textDocument": {"uri": "file:///a.dml"}, "options": {"tabSize": 4_294_967_295_u32, "insertSpaces": true}}),
        json!({"command": "sumac.time", "arguments": [{}, [], null]}),
        json!({"query": "x".repeat(1 << 20)}),
    ];
    let methods = [
        "textDocument/hover",
        "textDocument/completion",
        "textDocument/formatting",
        "textDocument/rename",
        "workspace/symbol",
        "workspace/executeCommand",
        "sumac/none",
        "$/none",
    ];
    for method in methods {
        for params in &odd {
            let answer = session.request(method, params.clone()).await;
            assert!(
                answer.get("result").is_some() || answer.get("error").is_some(),
                "{answer}"
            );
        }
    }
    for method in [
        "textDocument/didChange",
        "workspace/didChangeWatchedFiles",
        "$/setTrace",
        "none",
    ] {
        for params in &odd {
            session.notify(method, params.clone()).await;
        }
    }
    let place =
        json!({"textDocument": {"uri": "file:///a.dml"}, "position": {"line": 1, "character": 6}});
    let answer = session.request("textDocument/definition", place).await;
    assert_ne!(answer["result"], Value::Null, "{answer}");
    session.end().await;
}
