//! What the server says about itself, and that looking around costs nothing.

use serde_json::{Value, json};

use super::client::Session;
use super::{LOSS, URI, actions, at, document, settled_hints};

async fn status(session: &mut Session) -> Value {
    let answer = session.request("sumac/status", Value::Null).await;
    answer["result"].clone()
}

#[tokio::test]
async fn the_status_counts_searches_and_an_undone_edit_costs_none() {
    let mut session = Session::start_full().await;
    let before = status(&mut session).await;
    assert_eq!(before["saturations"], 0);
    assert_eq!(before["documents"], 0);
    assert_eq!(before["memory"]["cached"], 0);
    assert_eq!(before["memory"]["limit"], 1 << 30);
    session.open(URI, LOSS).await;
    settled_hints(&mut session).await;
    let searched = status(&mut session).await;
    assert_ne!(searched["saturations"], 0);
    assert_eq!(searched["restored"], 0);
    assert_eq!(searched["documents"], 1);
    assert!(
        searched["memory"]["cached"].as_u64() > Some(100),
        "{searched}"
    );

    session.change(URI, 2, &[([0, 0, 0, 0], "# why\n")]).await;
    session.diagnostics(2).await;
    settled_hints(&mut session).await;
    session.change(URI, 3, &[([0, 0, 1, 0], "")]).await;
    session.diagnostics(3).await;
    settled_hints(&mut session).await;
    let after = status(&mut session).await;
    assert_eq!(after["saturations"], searched["saturations"]);
    assert_ne!(after["remembered"], searched["remembered"]);
    session.end().await;
}

#[tokio::test]
async fn moving_the_cursor_starts_no_search() {
    let mut session = Session::start_full().await;
    session.open(URI, LOSS).await;
    settled_hints(&mut session).await;
    let before = status(&mut session).await["saturations"].clone();
    for line in 0..8 {
        actions(&mut session, line, None).await;
        let here = at(line, 1);
        session
            .request("textDocument/documentHighlight", here)
            .await;
        session.request("textDocument/codeLens", document()).await;
    }
    assert_eq!(status(&mut session).await["saturations"], before);
    session.end().await;
}

#[tokio::test]
async fn clients_that_show_the_status_are_told_of_work_and_of_its_end() {
    let capabilities = json!({"experimental": {"sumacStatus": true}});
    let (mut session, _) = Session::start(json!({"capabilities": capabilities})).await;
    session.open(URI, LOSS).await;
    let told = loop {
        let told = session.message("sumac/statusChanged").await;
        if told["running"] == json!([]) && told["saturations"] != 0 {
            break told;
        }
    };
    let asked = status(&mut session).await;
    for key in ["saturations", "restored", "documents"] {
        assert_eq!(told[key], asked[key], "{key}");
    }
    session.end().await;
}

#[tokio::test]
async fn cleared_caches_are_empty_and_fill_again() {
    let mut session = Session::start_full().await;
    session.open(URI, LOSS).await;
    let hints = settled_hints(&mut session).await;
    let before = status(&mut session).await;
    let cleared = session.request("sumac/clearCaches", Value::Null).await;
    assert_eq!(cleared["error"], Value::Null);
    assert_eq!(status(&mut session).await["memory"]["cached"], 0);
    session.change(URI, 2, &[([7, 0, 7, 0], "# new\n")]).await;
    session.diagnostics(2).await;
    assert_eq!(settled_hints(&mut session).await, hints);
    let after = status(&mut session).await;
    assert!(after["saturations"].as_u64() > before["saturations"].as_u64());
    session.end().await;
}
