//! Finding one's way: in a script, and through the scripts of `fixtures/workspace`.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::Session;

/// An editor with everything that navigation knows.
fn capabilities() -> Value {
    json!({
        "textDocument": {
            "definition": {"linkSupport": true},
            "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
        },
        "workspace": {
            "workspaceEdit": {"documentChanges": true},
            "didChangeWatchedFiles": {"dynamicRegistration": true},
        },
    })
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/workspace")
        .canonicalize()
        .expect("the fixture is there")
}

/// A copy of the project that a test may change.
fn copied() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("lib")).unwrap();
    for file in ["als.dml", "report.dml", "lib/losses.dml", "lib/updates.dml"] {
        std::fs::copy(project().join(file), folder.path().join(file)).unwrap();
    }
    folder
}

fn uri(folder: &Path, file: &str) -> String {
    format!("file://{}", folder.join(file).display())
}

/// A session in `folder`, with its files of these names open.
async fn start(folder: &Path, files: &[&str]) -> Session {
    let folders = json!([{"uri": format!("file://{}", folder.display()), "name": "project"}]);
    let params = json!({"capabilities": capabilities(), "workspaceFolders": folders});
    let (session, _) = Session::start(params).await;
    for file in files {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        session.open(&uri(folder, file), &text).await;
    }
    session
}

/// The place of `$0` in `needle`, in the file's text.
fn at(folder: &Path, file: &str, needle: &str) -> Value {
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    let offset = text
        .find(&needle.replace("$0", ""))
        .expect("the text is there")
        + needle.find("$0").expect("the cursor is there");
    let line = text[..offset].matches('\n').count();
    let character = offset - text[..offset].rfind('\n').map_or(0, |at| at + 1);
    json!({
        "textDocument": {"uri": uri(folder, file)},
        "position": {"line": line, "character": character},
    })
}

/// `file:line` of each location, counted from 1.
fn places(folder: &Path, locations: &Value) -> Vec<String> {
    let root = format!("file://{}/", folder.display());
    let place = |location: &Value| {
        let uri = location["uri"].as_str().or(location["targetUri"].as_str());
        let range = match &location["targetSelectionRange"] {
            Value::Null => &location["range"],
            range => range,
        };
        let line = range["start"]["line"].as_u64().unwrap() + 1;
        format!("{}:{line}", uri.unwrap().replace(&root, ""))
    };
    locations
        .as_array()
        .into_iter()
        .flatten()
        .map(place)
        .collect()
}

async fn ask(session: &mut Session, method: &str, params: Value) -> Value {
    let answer = session.request(method, params).await;
    assert_eq!(answer["error"], Value::Null, "{answer}");
    answer["result"].clone()
}

#[tokio::test]
async fn a_definition_is_found_in_another_file_that_is_not_open() {
    let folder = project();
    let mut session = start(&folder, &["als.dml"]).await;
    let find = |place| ("textDocument/definition", at(&project(), "als.dml", place));
    for (place, expected) in [
        ("losses::$0squared", "lib/losses.dml:3"),
        ("\"lib/$0updates.dml\"", "lib/updates.dml:1"),
        ("= $0losses::squared", "als.dml:2"),
        ("V=V, $0reg=reg", "lib/updates.dml:3"),
        ("loss = n$0ext", "als.dml:17"),
    ] {
        let (method, params) = find(place);
        let found = ask(&mut session, method, params).await;
        assert_eq!(places(&folder, &found), [expected], "{place}");
    }
    let made = at(&folder, "als.dml", "loss = $0next");
    let found = ask(&mut session, "textDocument/typeDefinition", made).await;
    assert_eq!(places(&folder, &found), ["lib/losses.dml:15"]);
    session.end().await;
}

#[tokio::test]
async fn references_follow_what_open_documents_say() {
    let folder = project();
    let mut session = start(&folder, &["als.dml", "report.dml", "lib/losses.dml"]).await;
    let mut params = at(&folder, "lib/losses.dml", "$0squared = ");
    params["context"] = json!({"includeDeclaration": true});
    let found = ask(&mut session, "textDocument/references", params.clone()).await;
    let all = [
        "als.dml:12",
        "lib/losses.dml:3",
        "lib/losses.dml:18",
        "report.dml:8",
    ];
    assert_eq!(places(&folder, &found), all);

    // A change that is not saved counts at once.
    session
        .change(&uri(&folder, "report.dml"), 2, &[([0, 0, 0, 0], "\n\n")])
        .await;
    params["context"] = json!({"includeDeclaration": false});
    let found = ask(&mut session, "textDocument/references", params).await;
    let moved = ["als.dml:12", "lib/losses.dml:18", "report.dml:10"];
    assert_eq!(places(&folder, &found), moved);
    session.end().await;
}

#[tokio::test]
async fn highlights_tell_reads_from_writes() {
    let folder = project();
    let mut session = start(&folder, &["als.dml"]).await;
    let place = at(&folder, "als.dml", "(impro$0ving");
    let found = ask(&mut session, "textDocument/documentHighlight", place).await;
    let kinds: Vec<_> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|h| &h["kind"])
        .collect();
    assert_eq!(kinds, [3, 2, 3], "{found}");
    session.end().await;
}

#[tokio::test]
async fn the_outline_is_a_tree_where_the_client_shows_one() {
    let folder = project();
    let params = json!({"textDocument": {"uri": uri(&folder, "lib/losses.dml")}});
    let mut session = start(&folder, &["lib/losses.dml"]).await;
    let tree = ask(&mut session, "textDocument/documentSymbol", params.clone()).await;
    assert_eq!(tree[0]["name"], "squared");
    assert_eq!(tree[0]["children"][3]["name"], "loss");
    assert_eq!(tree[0]["children"][3]["detail"], "Double");
    session.end().await;

    let (mut session, _) = Session::start(json!({"capabilities": {}})).await;
    let text = std::fs::read_to_string(folder.join("lib/losses.dml")).unwrap();
    session.open(&uri(&folder, "lib/losses.dml"), &text).await;
    let flat = ask(&mut session, "textDocument/documentSymbol", params).await;
    assert_eq!(flat[1]["containerName"], "squared", "{flat}");
    session.end().await;
}

#[tokio::test]
async fn files_that_change_behind_the_editor_s_back_are_followed() {
    let folder = copied();
    let folder = folder.path();
    let mut session = start(folder, &["als.dml"]).await;
    let registered = session.message("client/registerCapability").await;
    assert_eq!(
        registered["registrations"][0]["method"],
        "workspace/didChangeWatchedFiles"
    );

    // Two lines more, and nobody tells: the text on disk counts all the same.
    let losses = folder.join("lib/losses.dml");
    let text = std::fs::read_to_string(&losses).unwrap();
    std::fs::write(&losses, format!("\n\n{text}")).unwrap();
    let place = at(folder, "als.dml", "losses::$0squared");
    let found = ask(&mut session, "textDocument/definition", place.clone()).await;
    assert_eq!(places(folder, &found), ["lib/losses.dml:5"]);

    std::fs::remove_file(&losses).unwrap();
    let change = json!({"uri": uri(folder, "lib/losses.dml"), "type": 3});
    let changes = json!({"changes": [change]});
    session
        .notify("workspace/didChangeWatchedFiles", changes)
        .await;
    let found = ask(&mut session, "textDocument/definition", place).await;
    assert_eq!(places(folder, &found), [""; 0]);
    session.end().await;
}

#[tokio::test]
async fn a_script_without_a_workspace_still_sees_what_it_sources() {
    let folder = project();
    let (mut session, _) = Session::start(json!({"capabilities": capabilities()})).await;
    let text = std::fs::read_to_string(folder.join("als.dml")).unwrap();
    session.open(&uri(&folder, "als.dml"), &text).await;
    let place = at(&folder, "als.dml", "losses::$0squared");
    let found = ask(&mut session, "textDocument/definition", place).await;
    assert_eq!(places(&folder, &found), ["lib/losses.dml:3"]);
    session.end().await;
}
