//! Other forms of a statement: offered without a search, searched when asked for, and never those of an earlier text.

use serde_json::{Value, json};

use crate::client::Session;
use crate::{LOSS, URI, actions, applied, document, settled_hints};

/// An editor that lets the person choose.
async fn start_picking() -> Session {
    let capabilities = json!({
        "workspace": {
            "inlayHint": {"refreshSupport": true},
            "codeLens": {"refreshSupport": true},
            "workspaceEdit": {"documentChanges": true},
        },
        "window": {"workDoneProgress": true, "showDocument": {"support": true}},
    });
    let options = json!({"picksAlternatives": true});
    let params = json!({"capabilities": capabilities, "initializationOptions": options});
    Session::start(params).await.0
}

async fn forms(session: &mut Session, line: u32, version: Option<i32>) -> Value {
    let params = json!({"uri": URI, "line": line, "version": version});
    session.request("sumac/alternatives", params).await
}

async fn text_of(session: &mut Session, uri: &Value) -> String {
    let answer = session.request("sumac/document", json!({"uri": uri})).await;
    assert_eq!(answer["result"]["languageId"], "markdown", "{answer}");
    answer["result"]["text"].as_str().unwrap().to_owned()
}

fn message(refused: &Value) -> &str {
    refused["error"]["message"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn the_forms_of_a_statement_stand_side_by_side_and_each_can_be_applied() {
    let mut session = start_picking().await;
    session.open(URI, LOSS).await;
    let hints = settled_hints(&mut session).await;

    let offered = actions(&mut session, 6, None).await;
    let show = offered.iter().find(|a| a["title"] == "Show 3 alternatives");
    let show = show.unwrap_or_else(|| panic!("{offered:?}"));
    assert_eq!(show["kind"], "refactor.explain");
    assert_eq!(show["command"]["command"], "sumac.pickAlternative");
    assert_eq!(show["command"]["arguments"], json!([URI, 6, 1]));

    let found = forms(&mut session, 6, Some(1)).await["result"].clone();
    assert_eq!(found["message"], Value::Null);
    let items = found["items"].as_array().unwrap();
    assert_eq!(items.len(), 4, "the suggestion and three others: {found}");
    let edits = |item: &Value| {
        let change = &item["edit"]["documentChanges"][0];
        assert_eq!(change["textDocument"], json!({"uri": URI, "version": 1}));
        change["edits"].clone()
    };
    assert_eq!(edits(&items[0]), hints[0]["textEdits"]);
    let mut texts: Vec<String> = Vec::new();
    for item in items {
        let title = item["title"].as_str().unwrap();
        assert!(title.contains("× cheaper: "), "{title}");
        let detail = item["detail"].as_str().unwrap();
        assert!(detail.contains("FLOPs, "), "{detail}");
        let text = applied(LOSS, &edits(item));
        assert!(!texts.contains(&text) && text != LOSS, "{text}");
        texts.push(text);
    }

    let text = text_of(&mut session, &found["document"]).await;
    for part in ["# The forms of loss.dml:7", "| FLOPs ", "## Alternative 3"] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    session.end().await;
}

#[tokio::test]
async fn the_lenses_offer_what_the_light_bulb_does() {
    let mut session = start_picking().await;
    session.open(URI, LOSS).await;
    settled_hints(&mut session).await;
    let lenses = session.request("textDocument/codeLens", document()).await;
    let lenses = lenses["result"].as_array().unwrap().iter();
    let lenses: Vec<Value> = lenses.map(|lens| lens["command"].clone()).collect();
    assert_eq!(
        lenses,
        [
            json!({"title": "▶ time it", "command": "sumac.time", "arguments": [URI, 6]}),
            json!({"title": "compare alternatives", "command": "sumac.pickAlternative", "arguments": [URI, 6]}),
            json!({"title": "why", "command": "sumac.explain", "arguments": [URI, 6]}),
        ]
    );
    session.end().await;
}

#[tokio::test]
async fn forms_of_an_earlier_text_are_refused() {
    let mut session = start_picking().await;
    session.open(URI, LOSS).await;
    settled_hints(&mut session).await;

    // While it is searched, the statement changes.
    let params = json!({"uri": URI, "line": 6, "version": 1});
    let (_, answer) = session.send_request("sumac/alternatives", params).await;
    session.change(URI, 2, &[([6, 28, 6, 29], "3")]).await;
    let refused = answer.await.unwrap();
    assert!(message(&refused).contains("has changed"), "{refused}");

    // It was offered before the change.
    let refused = forms(&mut session, 6, Some(1)).await;
    assert!(message(&refused).contains("has changed"), "{refused}");

    session.change(URI, 3, &[([6, 28, 6, 29], "2")]).await;
    let found = forms(&mut session, 6, Some(3)).await;
    assert_eq!(found["error"], Value::Null, "{found}");
    assert_eq!(found["result"]["items"].as_array().map(Vec::len), Some(4));
    session.end().await;
}

#[tokio::test]
async fn forms_that_are_known_follow_their_statement() {
    let mut session = start_picking().await;
    session.open(URI, LOSS).await;
    settled_hints(&mut session).await;
    let items = |found: &Value| found["result"]["items"].as_array().unwrap().clone();
    let edits = |item: &Value| item["edit"]["documentChanges"][0]["edits"].clone();
    let before = items(&forms(&mut session, 6, None).await);

    session
        .change(URI, 2, &[([0, 0, 0, 0], "# a comment\n")])
        .await;
    let after = items(&forms(&mut session, 7, None).await);
    let moved = format!("# a comment\n{LOSS}");
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before["title"], after["title"]);
        let first = applied(LOSS, &edits(before));
        let second = applied(&moved, &edits(after));
        assert_eq!(second, format!("# a comment\n{first}"));
    }
    session.end().await;
}

#[tokio::test]
async fn a_client_that_cannot_choose_gets_the_document() {
    let mut session = Session::start_full().await;
    session.open(URI, LOSS).await;
    settled_hints(&mut session).await;
    let offered = actions(&mut session, 6, None).await;
    let show = offered.iter().find(|a| a["title"] == "Show 3 alternatives");
    let command = show.expect("it is offered")["command"].clone();
    assert_eq!(command["command"], "sumac.alternatives");
    let answer = session.request("workspace/executeCommand", command).await;
    let uri = answer["result"]["uri"].clone();
    let opened = session.message("window/showDocument").await;
    assert_eq!(opened["uri"], uri, "{answer}");
    let text = text_of(&mut session, &uri).await;
    assert!(text.contains("## Alternative 3"), "{text}");
    session.end().await;
}

#[tokio::test]
async fn where_there_is_no_other_form_it_is_said() {
    let script = "#@ X: 2000 x 1000\nX = read($X)\ny = t(t(X))\nwrite(y, \"y\")\n";
    let mut session = start_picking().await;
    session.open(URI, script).await;
    assert_eq!(settled_hints(&mut session).await.len(), 1);
    let found = forms(&mut session, 2, Some(1)).await["result"].clone();
    assert_eq!(found["items"], json!([]), "{found}");
    assert_eq!(found["document"], Value::Null);
    let message = found["message"].as_str().unwrap();
    assert!(message.contains("no other form of loss.dml:3"), "{message}");
    // Nothing is offered where nothing is suggested.
    let refused = forms(&mut session, 0, None).await;
    assert!(refused["error"]["message"].is_string(), "{refused}");
    session.end().await;

    let mut session = Session::start_full().await;
    session.open(URI, script).await;
    settled_hints(&mut session).await;
    let params = json!({"command": "sumac.alternatives", "arguments": [URI, 2]});
    let answer = session.request("workspace/executeCommand", params).await;
    assert_eq!(answer["result"], Value::Null, "{answer}");
    let shown = session.message("window/showMessage").await;
    assert_eq!(shown["message"], message);
    session.end().await;
}
