//! Sketch files in an editor.

use super::client::{Session, range};
use super::*;

const SKETCH: &str = "file:///scripts/mine.sketch";
const BASE: &str = "file:///scripts/base.sketch";
const BASE_TEXT: &str = "# A matrix and its transpose.\ndef gram(X) = t(X) %*% X\n";
const TEXT: &str = "\
import \"base.sketch\"
# Two sums become one.
sketch together(X) {
  guide sums: sum(? + ?) using factor minimize size
  goal sum(X * gram(?)) using factor
}
";

fn place(uri: &str, line: u32, character: u32) -> Value {
    json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}})
}

/// The diagnostics of a document, waiting for those of a version.
async fn diagnostics_of(session: &Session, uri: &str, version: i32) -> Vec<String> {
    loop {
        let told = session.message("textDocument/publishDiagnostics").await;
        if told["uri"] == uri && told["version"] == version {
            let all = told["diagnostics"].as_array().unwrap().iter();
            return all
                .map(|d| d["message"].as_str().unwrap().to_owned())
                .collect();
        }
    }
}

#[tokio::test]
async fn a_sketch_file_is_read_like_a_script() {
    let mut session = Session::start_full().await;
    session.open(SKETCH, TEXT).await;
    let found = diagnostics_of(&session, SKETCH, 1).await;
    assert!(
        found[0].contains("no sketch file `base.sketch`"),
        "{found:?}"
    );
    session.open(BASE, BASE_TEXT).await;
    // What the imported file says counts as soon as it is open.
    assert_eq!(
        diagnostics_of(&session, SKETCH, 1).await,
        Vec::<String>::new()
    );

    let hover = session
        .request("textDocument/hover", place(SKETCH, 2, 9))
        .await;
    let text = hover["result"]["contents"]["value"]
        .as_str()
        .unwrap()
        .to_owned();
    for part in [
        "Two sums become one.",
        "guide sums",
        "the cellwise product of",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    let items = session
        .request("textDocument/completion", place(SKETCH, 4, 35))
        .await;
    let labels: Vec<_> = items["result"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| i["label"].clone())
        .collect();
    assert!(labels.contains(&json!("distribute")), "{labels:?}");

    let at_gram = place(SKETCH, 4, 17);
    let found = session
        .request("textDocument/definition", at_gram.clone())
        .await;
    assert_eq!(found["result"]["uri"], BASE, "{found}");
    assert_eq!(found["result"]["range"], range([1, 4, 1, 8]));
    let mut params = at_gram.clone();
    params["context"] = json!({"includeDeclaration": true});
    let found = session.request("textDocument/references", params).await;
    assert_eq!(found["result"].as_array().unwrap().len(), 2, "{found}");
    let found = session
        .request("textDocument/documentHighlight", at_gram.clone())
        .await;
    assert_eq!(found["result"].as_array().unwrap().len(), 1, "{found}");

    let found = session
        .request("textDocument/prepareRename", at_gram.clone())
        .await;
    assert_eq!(found["result"]["placeholder"], "gram", "{found}");
    let mut params = at_gram;
    params["newName"] = json!("squared");
    let found = session.request("textDocument/rename", params).await;
    let files = found["result"]["documentChanges"].as_array().unwrap();
    let files: Vec<_> = files
        .iter()
        .map(|f| (&f["textDocument"]["uri"], &f["textDocument"]["version"]))
        .collect();
    assert_eq!(
        files,
        [(&json!(BASE), &json!(1)), (&json!(SKETCH), &json!(1))]
    );
    let mut params = place(SKETCH, 4, 7);
    params["newName"] = json!("total");
    let refused = session.request("textDocument/rename", params).await;
    let why = refused["error"]["message"].as_str().unwrap();
    assert!(why.contains("`sum` is an operator"), "{why}");

    let of = json!({"textDocument": {"uri": SKETCH}});
    let found = session
        .request("textDocument/documentSymbol", of.clone())
        .await;
    let names: Vec<_> = found["result"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["name"].clone())
        .collect();
    assert!(names.contains(&json!("together")), "{names:?}");
    let found = session
        .request("textDocument/semanticTokens/full", of.clone())
        .await;
    assert!(
        found["result"]["data"].as_array().unwrap().len() > 100,
        "{found}"
    );
    let found = session
        .request("textDocument/foldingRange", of.clone())
        .await;
    assert_eq!(found["result"][0]["startLine"], 2, "{found}");
    // What is for scripts has nothing to say, and does no harm.
    for method in [
        "textDocument/codeLens",
        "textDocument/formatting",
        "textDocument/inlayHint",
    ] {
        let mut params = of.clone();
        params["options"] = json!({"tabSize": 2, "insertSpaces": true});
        params["range"] = range([0, 0, 9, 0]);
        let answer = session.request(method, params).await;
        assert_eq!(answer["error"], Value::Null, "{method}: {answer}");
    }
    session.end().await;
}

#[tokio::test]
async fn diagnostics_follow_the_edits_of_a_sketch() {
    let session = Session::start_full().await;
    session.open(SKETCH, "sketch s { goal sum(?) }\n").await;
    assert_eq!(
        diagnostics_of(&session, SKETCH, 1).await,
        Vec::<String>::new()
    );
    session.change(SKETCH, 2, &[([0, 16, 0, 19], "summ")]).await;
    let found = diagnostics_of(&session, SKETCH, 2).await;
    assert_eq!(found, ["there is no operator `summ`; did you mean `sum`?"]);
    session.change(SKETCH, 3, &[([0, 19, 0, 20], "")]).await;
    assert_eq!(
        diagnostics_of(&session, SKETCH, 3).await,
        Vec::<String>::new()
    );
    session.end().await;
}

#[tokio::test]
async fn a_client_that_pulls_gets_the_diagnostics_of_sketches() {
    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    let (mut session, _) = Session::start(json!({"capabilities": capabilities})).await;
    session.open(SKETCH, "sketch s { goal summ(?) }\n").await;
    let of = json!({"textDocument": {"uri": SKETCH}});
    let found = session.request("textDocument/diagnostic", of).await;
    let items = found["result"]["items"].as_array().unwrap();
    assert_eq!(items[0]["code"], "sketch-name", "{found}");
    assert!(!session.has_message("textDocument/publishDiagnostics"));
    session.end().await;
}

#[tokio::test]
async fn files_of_the_workspace_are_known_without_being_open() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("lib")).unwrap();
    std::fs::write(folder.path().join("lib/base.sketch"), BASE_TEXT).unwrap();
    let root = url(folder.path());
    let (mut session, _) = Session::start(
        json!({"capabilities": {}, "workspaceFolders": [{"uri": root, "name": "w"}]}),
    )
    .await;
    let uri = format!("{root}/mine.sketch");
    session
        .open(&uri, &TEXT.replace("base.sketch", "lib/base.sketch"))
        .await;
    assert_eq!(
        diagnostics_of(&session, &uri, 1).await,
        Vec::<String>::new()
    );
    let found = session
        .request("textDocument/definition", place(&uri, 4, 17))
        .await;
    assert_eq!(
        found["result"]["uri"],
        format!("{root}/lib/base.sketch"),
        "{found}"
    );
    std::fs::write(folder.path().join("lib/base.sketch"), "def other = ?\n").unwrap();
    let change = json!({"changes": [{"uri": format!("{root}/lib/base.sketch"), "type": 2}]});
    session
        .notify("workspace/didChangeWatchedFiles", change)
        .await;
    let found = diagnostics_of(&session, &uri, 1).await;
    assert!(
        found[0].contains("there is no operator `gram`"),
        "{found:?}"
    );
    session.end().await;
}

const BY_SKETCH: &str = "file:///scripts/loss.sketch";
const LIBRARY: &str = include_str!("../../../../fixtures/sketches/linear_algebra.sketch");

/// A client that asks for the edit of an action when that is chosen.
async fn resolving() -> Session {
    let capabilities = json!({
        "workspace": {"workspaceEdit": {"documentChanges": true}},
        "window": {"workDoneProgress": true, "showDocument": {"support": true}},
        "textDocument": {"codeAction": {"resolveSupport": {"properties": ["edit"]}}},
    });
    Session::start(json!({"capabilities": capabilities}))
        .await
        .0
}

/// The action that searches by a sketch, of those for the loss.
async fn by_sketch(session: &mut Session, name: &str) -> Option<Value> {
    let offered = actions(session, 6, Some("refactor")).await;
    let title = format!("Optimize with sketch {name}");
    offered.into_iter().find(|action| action["title"] == *title)
}

#[tokio::test]
async fn a_sketch_of_the_workspace_is_an_action_on_the_statement() {
    let mut session = resolving().await;
    session.open(BY_SKETCH, LIBRARY).await;
    session.open(URI, LOSS).await;
    let action = by_sketch(&mut session, "avoid_outer_product")
        .await
        .unwrap();
    assert_eq!(
        action["edit"],
        Value::Null,
        "nothing is searched before it is chosen"
    );
    assert_eq!(
        by_sketch(&mut session, "scale_rows").await,
        None,
        "it makes no matrix"
    );
    let chosen = session.request("codeAction/resolve", action.clone()).await;
    let change = &chosen["result"]["edit"]["documentChanges"][0];
    assert_eq!(
        change["textDocument"],
        json!({"uri": URI, "version": 1}),
        "{chosen}"
    );
    let made = applied(LOSS, &change["edits"]);
    let line = made.lines().nth(6).unwrap();
    assert_eq!(
        line,
        "loss = sum(X^2) - 2 * sum(U * (X %*% V)) + sum((t(U) %*% U) * (t(V) %*% V))"
    );
    session.change(URI, 2, &[([6, 0, 6, 0], " ")]).await;
    let stale = session.request("codeAction/resolve", action).await;
    let why = stale["error"]["message"].as_str().unwrap();
    assert!(why.contains("has changed since"), "{why}");
    session.end().await;
}

#[tokio::test]
async fn a_sketch_that_does_not_fit_says_which_guide_was_not_reached() {
    let mut session = resolving().await;
    let text = "sketch far(X) {\n  guide apart: contains(X^2 - ? + ?) using distribute minimize size\n  goal contains(rowSums(?)) - ? using aggregate\n}\n";
    session.open(BY_SKETCH, text).await;
    session.open(URI, LOSS).await;
    let action = by_sketch(&mut session, "far").await.unwrap();
    let chosen = session.request("codeAction/resolve", action).await;
    assert_eq!(chosen["result"]["edit"], Value::Null, "{chosen}");
    let told = session.message("window/showMessage").await;
    let message = told["message"].as_str().unwrap();
    assert!(
        message.contains("far(X) does not fit: the goal was not reached"),
        "{message}"
    );
    let shown = session.message("window/showDocument").await;
    let document = session
        .request("sumac/document", json!({"uri": shown["uri"]}))
        .await;
    let text = document["result"]["text"].as_str().unwrap();
    assert!(
        text.contains("guide apart: ") && text.contains("^ missed"),
        "{text}"
    );
    session.end().await;
}

#[tokio::test]
async fn a_client_that_resolves_nothing_runs_a_command() {
    let mut session = Session::start_full().await;
    session.open(BY_SKETCH, LIBRARY).await;
    session.open(URI, LOSS).await;
    let action = by_sketch(&mut session, "avoid_outer_product")
        .await
        .unwrap();
    let command = json!({"command": action["command"]["command"], "arguments": action["command"]["arguments"]});
    let answer = session.request("workspace/executeCommand", command).await;
    assert_eq!(answer["result"], true, "{answer}");
    let edit = session.message("workspace/applyEdit").await["edit"].clone();
    let made = applied(LOSS, &edit["documentChanges"][0]["edits"]);
    assert!(made.contains("sum(U * (X %*% V))"), "{made}");
    let nobody = json!({"command": "sumac.sketch", "arguments": [URI, 6, 1, "nobody"]});
    let refused = session.request("workspace/executeCommand", nobody).await;
    let why = refused["error"]["message"].as_str().unwrap();
    assert!(why.contains("`nobody` could lead nowhere"), "{why}");
    session.end().await;
}

#[tokio::test]
async fn a_long_search_shows_how_far_it_is_and_ends_when_it_is_called_off() {
    let mut session = resolving().await;
    let text = "sketch endless(X) {\n  goal contains(X * 17) using sum_product within 10000000 nodes, 1000 rounds\n}\n";
    session.open(BY_SKETCH, text).await;
    session.open(URI, LOSS).await;
    let action = by_sketch(&mut session, "endless").await.unwrap();
    let (_, answer) = session.send_request("codeAction/resolve", action).await;
    let created = session.message("window/workDoneProgress/create").await;
    let told = session.message("$/progress").await;
    assert_eq!(
        told["value"]["title"], "Searching by the sketch endless",
        "{told}"
    );
    let message = told["value"]["message"].as_str().unwrap();
    assert!(
        message.contains("so far sum((X - U %*% t(V))^2)"),
        "{message}"
    );
    let cancel = json!({"token": created["token"]});
    session
        .notify("window/workDoneProgress/cancel", cancel)
        .await;
    let answer = answer.await.unwrap();
    assert_eq!(answer["error"]["code"], -32800, "{answer}");
    session.end().await;
}

/// The loss with a line above its statement.
fn with_pin(line: &str) -> String {
    LOSS.replace("loss = ", &format!("{line}\nloss = "))
}

#[tokio::test]
async fn a_pinned_sketch_makes_the_hint_and_its_file_changes_it() {
    let mut session = Session::start_full().await;
    let sketch = |goal: &str| {
        format!(
            "# Multiplied out.\nsketch expand(X) {{ goal {goal} using distribute minimize size }}\n"
        )
    };
    session.open(BY_SKETCH, &sketch("sum(X^2) - ? + ?")).await;
    session.open(URI, &with_pin("#@ sketch expand(X)")).await;
    let hints = settled_hints(&mut session).await;
    let label = hints[0]["label"].as_str().unwrap();
    assert!(label.contains("+ sum((U %*% t(V))^2)"), "{label}");
    let hover = session.request("textDocument/hover", at(6, 12)).await;
    let text = hover["result"]["contents"]["value"].as_str().unwrap();
    assert!(text.contains("Multiplied out."), "{text}");
    let found = session.request("textDocument/definition", at(6, 12)).await;
    assert_eq!(found["result"][0]["uri"], BY_SKETCH, "{found}");
    let items = session.request("textDocument/completion", at(6, 12)).await;
    assert_eq!(items["result"][0]["label"], "expand", "{items}");

    let other = sketch("sum(X^2 - ? + ?)");
    let params = json!({"textDocument": {"uri": BY_SKETCH, "version": 2}, "contentChanges": [{"text": other}]});
    session.notify("textDocument/didChange", params).await;
    let hints = settled_hints(&mut session).await;
    let label = hints[0]["label"].as_str().unwrap();
    assert!(label.starts_with("⇒ sum(X^2 - "), "{label}");
    session.end().await;
}

#[tokio::test]
async fn a_pin_that_leads_nowhere_is_marked_once_it_was_searched() {
    let mut session = Session::start_full().await;
    session.open(URI, &with_pin("#@ sketch nobody")).await;
    let found = diagnostics_of(&session, URI, 1).await;
    assert!(
        found[0].starts_with("there is no sketch `nobody`"),
        "{found:?}"
    );
    // As soon as there is one, it is searched.
    let far = "sketch nobody { goal contains(rowSums(?)) - ? using aggregate }\n";
    session.open(BY_SKETCH, far).await;
    let found = loop {
        let found = diagnostics_of(&session, URI, 1).await;
        if found
            .iter()
            .any(|message| message.contains("the goal was not reached"))
        {
            break found;
        }
    };
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(settled_hints(&mut session).await, Vec::<Value>::new());
    session.end().await;
}

#[tokio::test]
async fn a_lens_says_where_a_sketch_fits() {
    let capabilities = json!({"workspace": {"codeLens": {"refreshSupport": true}}});
    let options = json!({"showsReferences": true});
    let params = json!({"capabilities": capabilities, "initializationOptions": options});
    let (mut session, _) = Session::start(params).await;
    session.open(URI, LOSS).await;
    let text = "sketch expand(X) { goal sum(X^2) - ? + ? using distribute }\nsketch none { goal exp(?) using factor }\n";
    session.open(BY_SKETCH, text).await;
    let of = json!({"textDocument": {"uri": BY_SKETCH}});
    let lenses = loop {
        let found = session.request("textDocument/codeLens", of.clone()).await;
        if found["result"][0]["command"]["title"]
            .as_str()
            .unwrap()
            .starts_with("fits")
        {
            break found["result"].clone();
        }
        session.message("workspace/codeLens/refresh").await;
    };
    assert_eq!(
        lenses[0]["command"]["title"],
        "fits 1 expression in this workspace"
    );
    assert_eq!(lenses[0]["command"]["command"], "sumac.showReferences");
    let places = &lenses[0]["command"]["arguments"][2];
    assert_eq!(places[0]["uri"], URI, "{places}");
    assert_eq!(places[0]["range"], range([6, 0, 6, 30]));
    assert_eq!(
        lenses[1]["command"]["title"],
        "fits no expression in this workspace"
    );
    assert_eq!(lenses[1]["command"]["command"], "");
    session.end().await;
}

fn url(path: &std::path::Path) -> String {
    format!("file://{}", path.canonicalize().unwrap().display())
}
