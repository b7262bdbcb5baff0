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

#[tokio::test]
async fn a_renaming_reaches_every_file_and_says_what_is_in_the_way() {
    let folder = project();
    let mut session = start(&folder, &["als.dml", "report.dml"]).await;
    let mut params = at(&folder, "report.dml", "losses::$0squared");
    let prepared = ask(&mut session, "textDocument/prepareRename", params.clone()).await;
    assert_eq!(prepared["placeholder"], "squared");

    params["newName"] = json!("frobenius");
    let edit = ask(&mut session, "textDocument/rename", params.clone()).await;
    let changes: Vec<_> = edit["documentChanges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| {
            let file = change["textDocument"]["uri"].as_str().unwrap();
            let file = file.rsplit('/').next().unwrap().to_owned();
            let version = change["textDocument"]["version"].clone();
            (file, version, change["edits"].as_array().unwrap().len())
        })
        .collect();
    // Only open documents have a version.
    let expected = [
        ("als.dml".to_owned(), json!(1), 1),
        ("losses.dml".to_owned(), Value::Null, 2),
        ("report.dml".to_owned(), json!(1), 1),
    ];
    assert_eq!(changes, expected);

    params["newName"] = json!("penalty");
    let refused = session.request("textDocument/rename", params).await;
    let message =
        "there is a function `penalty` already, at line 9 of losses.dml; choose another name";
    assert_eq!(refused["error"]["message"], message);
    session.end().await;
}

#[tokio::test]
async fn symbols_and_callers_are_found_in_the_workspace() {
    let folder = project();
    let mut session = start(&folder, &["als.dml", "report.dml"]).await;
    let query = json!({"query": "pena"});
    let found = ask(&mut session, "workspace/symbol", query).await;
    assert_eq!(found[0]["name"], "penalty", "{found}");
    assert_eq!(found[0]["containerName"], "losses.dml (U, V) → (size)");

    let place = at(&folder, "als.dml", "losses::$0squared");
    let items = ask(&mut session, "textDocument/prepareCallHierarchy", place).await;
    let item = json!({"item": items[0]});
    let callers = ask(&mut session, "callHierarchy/incomingCalls", item).await;
    let names: Vec<_> = callers
        .as_array()
        .unwrap()
        .iter()
        .map(|c| &c["from"]["name"])
        .collect();
    assert_eq!(names, ["als.dml", "regularized", "report.dml"]);

    let item = json!({"item": callers[1]["from"]});
    let callees = ask(&mut session, "callHierarchy/outgoingCalls", item).await;
    let names: Vec<_> = callees
        .as_array()
        .unwrap()
        .iter()
        .map(|c| &c["to"]["name"])
        .collect();
    assert_eq!(names, ["squared", "penalty"]);
    assert_eq!(callees[0]["fromRanges"][0]["start"]["line"], 17);
    session.end().await;
}

#[tokio::test]
async fn links_lead_to_scripts_and_data_and_stay_in_an_untrusted_workspace() {
    let folder = project();
    let document = json!({"textDocument": {"uri": uri(&folder, "report.dml")}});
    let text = std::fs::read_to_string(folder.join("report.dml")).unwrap();
    for (trusted, expected) in [(true, vec![1, 3]), (false, vec![1])] {
        let folders = json!([{"uri": format!("file://{}", folder.display()), "name": "project"}]);
        let (mut session, _) = Session::start(json!({
            "capabilities": capabilities(),
            "workspaceFolders": folders,
            "initializationOptions": {"trusted": trusted},
        }))
        .await;
        session.open(&uri(&folder, "report.dml"), &text).await;
        let links = ask(&mut session, "textDocument/documentLink", document.clone()).await;
        let lines: Vec<_> = links
            .as_array()
            .unwrap()
            .iter()
            .map(|l| &l["range"]["start"]["line"])
            .collect();
        assert_eq!(lines, expected, "trusted: {trusted}");
        let link = ask(&mut session, "documentLink/resolve", links[0].clone()).await;
        assert_eq!(link["target"], uri(&folder, "lib/losses.dml"));
        session.end().await;
    }
}

#[tokio::test]
async fn a_namespace_is_edited_with_its_uses() {
    let folder = project();
    let mut session = start(&folder, &["report.dml"]).await;
    let place = at(&folder, "report.dml", "as $0losses");
    let found = ask(&mut session, "textDocument/linkedEditingRange", place).await;
    let lines: Vec<_> = found["ranges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| &r["start"]["line"])
        .collect();
    assert_eq!(lines, [1, 7]);
    session.end().await;
}

#[tokio::test]
async fn folders_come_and_go() {
    let (here, there) = (copied(), copied());
    let mut session = start(here.path(), &["als.dml", "lib/losses.dml"]).await;
    let mut params = at(here.path(), "lib/losses.dml", "$0squared = ");
    params["context"] = json!({"includeDeclaration": false});
    let added = json!([{"uri": format!("file://{}", there.path().display()), "name": "there"}]);
    for (event, query) in [
        (json!({"added": added, "removed": []}), 2),
        (json!({"added": [], "removed": added}), 1),
    ] {
        let event = json!({"event": event});
        session
            .notify("workspace/didChangeWorkspaceFolders", event)
            .await;
        // The scan works in the background: ask until it has come to the file.
        loop {
            let found = ask(
                &mut session,
                "workspace/symbol",
                json!({"query": "regularized"}),
            )
            .await;
            if found.as_array().unwrap().len() == query {
                break;
            }
        }
    }
    let found = ask(&mut session, "textDocument/references", params).await;
    assert_eq!(found.as_array().map(Vec::len), Some(3), "{found}");
    session.end().await;
}
