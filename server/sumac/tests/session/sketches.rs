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
pub async fn diagnostics_of(session: &Session, uri: &str, version: i32) -> Vec<String> {
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
    let mut params = of.clone();
    params["options"] = json!({"tabSize": 8, "insertSpaces": false});
    let edits = session.request("textDocument/formatting", params).await;
    assert_eq!(edits["result"], json!([]), "it has its layout");
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
async fn a_sketch_file_is_laid_out_and_a_broken_one_is_left() {
    let mut session = Session::start_full().await;
    let text = "sketch  s{ # one\ngoal sum( ? )using factor # two\n}";
    session.open(SKETCH, text).await;
    let params =
        json!({"textDocument": {"uri": SKETCH}, "options": {"tabSize": 4, "insertSpaces": true}});
    let edits = session
        .request("textDocument/formatting", params.clone())
        .await;
    let made = applied(text, &edits["result"]);
    assert_eq!(
        made,
        "sketch s { # one\n  goal sum(?) using factor # two\n}\n"
    );
    session.change(SKETCH, 2, &[([1, 0, 1, 4], "gaol")]).await;
    let edits = session.request("textDocument/formatting", params).await;
    assert_eq!(edits["result"], json!([]), "{edits}");
    session.end().await;
}

#[tokio::test]
async fn a_listed_rule_that_does_not_hold_is_marked_with_values_that_show_it() {
    let session = Session::start_full().await;
    let text = "rule holds: A * B + A * C = A * (B + C)\nrule fails: (A + B)^2 = A^2 + B^2\nsketch s { goal ? using holds }\n";
    session.open(SKETCH, text).await;
    let found = diagnostics_of(&session, SKETCH, 1).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("is not always `A^2 + B^2`"), "{found:?}");
    assert!(found[0].contains("; with A = "), "{found:?}");
    session
        .change(SKETCH, 2, &[([1, 24, 1, 33], "A^2 + 2 * A * B + B^2")])
        .await;
    assert_eq!(
        diagnostics_of(&session, SKETCH, 2).await,
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

fn url(path: &std::path::Path) -> String {
    format!("file://{}", path.canonicalize().unwrap().display())
}
