//! Names of sketches across sketch files and scripts: references, definitions and renaming from each side.

use super::client::{Session, range};
use super::*;

const SKETCH: &str = "file:///scripts/mine.sketch";
const BASE: &str = "file:///scripts/base.sketch";
const BASE_TEXT: &str = "def gram(A) = t(A) %*% A\nrule doubled: A + A = 2 * A\n";
const SKETCH_TEXT: &str =
    "# Multiplied out.\nsketch expand(X) { goal sum(X^2) - ? + ? using distribute }\n";
const SCRIPT: &str = "\
#@ X: 2000 x 100
X = read($X)
#@ import \"base.sketch\"
#@ sketch mine(A) { goal gram(A) using doubled }
#@ sketch mine(X)
G = t(X) %*% X
#@ sketch expand(X)
s = sum((X - 1)^2)
print(s + sum(G))
";

fn place(uri: &str, line: u32, character: u32) -> Value {
    json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}})
}

/// The places as `file line:character`.
fn shown(found: &Value) -> Vec<String> {
    let places = found["result"].as_array().unwrap().iter();
    let mut shown: Vec<String> = places
        .map(|place| {
            let start = &place["range"]["start"];
            let file = place["uri"].as_str().unwrap().rsplit('/').next().unwrap();
            format!("{file} {}:{}", start["line"], start["character"])
        })
        .collect();
    shown.sort();
    shown
}

/// What the open documents become by renaming what is at a place.
async fn renamed(session: &mut Session, mut at: Value, name: &str) -> Vec<(String, String)> {
    at["newName"] = json!(name);
    let found = session.request("textDocument/rename", at).await;
    let changes = found["result"]["documentChanges"].as_array();
    let changes = changes.unwrap_or_else(|| panic!("{found}")).iter();
    let mut made: Vec<(String, String)> = changes
        .map(|change| {
            let uri = change["textDocument"]["uri"].as_str().unwrap();
            let text = match uri {
                SKETCH => SKETCH_TEXT,
                BASE => BASE_TEXT,
                _ => SCRIPT,
            };
            assert_eq!(change["textDocument"]["version"], 1, "{change}");
            let file = uri.rsplit('/').next().unwrap().to_owned();
            (file, applied(text, &change["edits"]))
        })
        .collect();
    made.sort();
    made
}

async fn opened() -> Session {
    let session = Session::start_full().await;
    session.open(BASE, BASE_TEXT).await;
    session.open(SKETCH, SKETCH_TEXT).await;
    session.open(URI, SCRIPT).await;
    session
}

#[tokio::test]
async fn a_sketch_and_its_pins_know_each_other() {
    let mut session = opened().await;
    for (uri, line, character) in [(SKETCH, 1, 8), (URI, 6, 12)] {
        let mut at = place(uri, line, character);
        at["context"] = json!({"includeDeclaration": true});
        let found = session.request("textDocument/references", at.clone()).await;
        assert_eq!(shown(&found), ["loss.dml 6:10", "mine.sketch 1:7"], "{uri}");
        at["context"] = json!({"includeDeclaration": false});
        let found = session.request("textDocument/references", at).await;
        assert_eq!(shown(&found), ["loss.dml 6:10"], "{uri}");
        let made = renamed(&mut session, place(uri, line, character), "squares").await;
        assert_eq!(made[0].0, "loss.dml");
        assert_eq!(made[0].1, SCRIPT.replace("expand", "squares"));
        assert_eq!(made[1].1, SKETCH_TEXT.replace("expand", "squares"));
    }
    let found = session
        .request("textDocument/prepareRename", place(URI, 6, 12))
        .await;
    assert_eq!(found["result"]["placeholder"], "expand", "{found}");
    assert_eq!(found["result"]["range"], range([6, 10, 6, 16]));
    // A sketch of the script itself would take the pin over.
    let mut at = place(SKETCH, 1, 8);
    at["newName"] = json!("mine");
    let refused = session.request("textDocument/rename", at).await;
    let why = refused["error"]["message"].as_str().unwrap();
    assert!(why.contains("another sketch"), "{why}");
    session.end().await;
}

#[tokio::test]
async fn sketches_inside_of_a_script_are_part_of_its_files() {
    let mut session = opened().await;
    // An abstraction and a rule of an imported file, from the script and from there.
    for (name, at, there) in [
        ("gram", place(URI, 3, 26), place(BASE, 0, 5)),
        ("doubled", place(URI, 3, 40), place(BASE, 1, 6)),
    ] {
        let found = session.request("textDocument/definition", at.clone()).await;
        assert_eq!(found["result"][0]["uri"], BASE, "{found}");
        for from in [at, there] {
            let made = renamed(&mut session, from, "other").await;
            let files: Vec<_> = made.iter().map(|(file, _)| &**file).collect();
            assert_eq!(files, ["base.sketch", "loss.dml"], "{name}");
            assert_eq!(made[0].1, BASE_TEXT.replace(name, "other"));
            assert_eq!(made[1].1, SCRIPT.replace(name, "other"));
        }
    }
    // Its own sketch and its parameter stay in the script.
    let made = renamed(&mut session, place(URI, 4, 11), "product").await;
    assert_eq!(
        made,
        [("loss.dml".to_owned(), SCRIPT.replace("mine(", "product("))]
    );
    let made = renamed(&mut session, place(URI, 3, 15), "B").await;
    let expected = SCRIPT.replace("mine(A) { goal gram(A)", "mine(B) { goal gram(B)");
    assert_eq!(made, [("loss.dml".to_owned(), expected)]);
    // What is no name of a sketch is the script's as ever.
    let mut at = place(URI, 1, 0);
    at["newName"] = json!("Y");
    let found = session.request("textDocument/rename", at).await;
    assert!(found["result"].is_object(), "{found}");
    session.end().await;
}

#[tokio::test]
async fn scripts_that_are_not_open_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("loss.dml"), SCRIPT).unwrap();
    std::fs::write(folder.path().join("base.sketch"), BASE_TEXT).unwrap();
    let root = format!("file://{}", folder.path().canonicalize().unwrap().display());
    let (mut session, _) = Session::start(
        json!({"capabilities": {}, "workspaceFolders": [{"uri": root, "name": "w"}]}),
    )
    .await;
    let uri = format!("{root}/mine.sketch");
    session.open(&uri, SKETCH_TEXT).await;
    let mut at = place(&uri, 1, 8);
    at["context"] = json!({"includeDeclaration": false});
    let found = session.request("textDocument/references", at).await;
    assert_eq!(shown(&found), ["loss.dml 6:10"]);
    session.end().await;
}
