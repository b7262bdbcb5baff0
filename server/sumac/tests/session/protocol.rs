//! Clients that cancel, that are in a hurry, that can do little, and that do not keep to the order.

use serde_json::{Value, json};

use super::client::{Session, range};
use super::{LOSS, URI, actions, applied, at, document, hints_params, settled_hints};

const CANCELLED: i64 = -32800;
const CONTENT_MODIFIED: i64 = -32801;

/// Every request that looks at a document, with parameters that are good for all of them.
const ASKED: [&str; 17] = [
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/definition",
    "textDocument/typeDefinition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/documentSymbol",
    "textDocument/codeAction",
    "textDocument/codeLens",
    "textDocument/documentLink",
    "textDocument/inlayHint",
    "textDocument/foldingRange",
    "textDocument/selectionRange",
    "textDocument/semanticTokens/full",
    "textDocument/formatting",
    "textDocument/rename",
];

fn everything() -> Value {
    let mut params = at(6, 1);
    for (key, value) in [
        (
            "context",
            json!({"diagnostics": [], "includeDeclaration": true, "triggerKind": 1, "isRetrigger": false}),
        ),
        ("range", range([0, 0, 100, 0])),
        ("positions", json!([{"line": 6, "character": 1}])),
        ("options", json!({"tabSize": 2, "insertSpaces": true})),
        ("newName", json!("cost")),
    ] {
        params[key] = value;
    }
    params
}

/// A client that asks again by itself for these when a document changed under them.
async fn asking_again(methods: &[&str]) -> Session {
    let stale = json!({"cancel": true, "retryOnContentModified": methods});
    let capabilities = json!({"general": {"staleRequestSupport": stale}});
    Session::start(json!({"capabilities": capabilities}))
        .await
        .0
}

#[tokio::test]
async fn every_request_that_is_cancelled_is_answered_and_the_session_goes_on() {
    let mut session = Session::start_full().await;
    session.open(URI, LOSS).await;
    for method in ASKED {
        let (id, answer) = session.send_request(method, everything()).await;
        session.notify("$/cancelRequest", json!({"id": id})).await;
        let answer = answer.await.expect("it is answered");
        // The answer may have been on its way.
        let code = answer["error"]["code"].as_i64().unwrap_or(CANCELLED);
        assert_eq!(code, CANCELLED, "{method}: {answer}");
    }
    for method in ASKED {
        let answer = session.request(method, everything()).await;
        assert_eq!(answer["error"], Value::Null, "{method}: {answer}");
    }
    session.end().await;
}

#[tokio::test]
async fn a_search_that_is_cancelled_leaves_nothing_running() {
    let mut session = Session::start_full().await;
    session.open(URI, LOSS).await;
    let params = json!({"uri": URI, "line": 6, "version": 1});
    let (id, answer) = session.send_request("sumac/alternatives", params).await;
    session.notify("$/cancelRequest", json!({"id": id})).await;
    let answer = answer.await.expect("it is answered");
    assert_eq!(answer["error"]["code"], CANCELLED, "{answer}");
    settled_hints(&mut session).await;
    loop {
        let status = session.request("sumac/status", Value::Null).await;
        if status["result"]["running"] == json!([]) {
            break;
        }
    }
    session.end().await;
}

#[tokio::test]
async fn a_client_that_asks_again_is_told_that_the_text_changed() {
    let mut session = asking_again(&["textDocument/inlayHint"]).await;
    session.open(URI, LOSS).await;
    // Hints wait for the search here, as this client cannot be told to ask for them again.
    let hints = session.send_request("textDocument/inlayHint", hints_params());
    let (_, hints) = hints.await;
    let (_, lenses) = session
        .send_request("textDocument/codeLens", document())
        .await;
    session.change(URI, 2, &[([6, 7, 6, 10], "2 * sum")]).await;
    let hints = hints.await.unwrap();
    assert_eq!(hints["error"]["code"], CONTENT_MODIFIED, "{hints}");
    let lenses = lenses.await.unwrap();
    assert!(
        lenses["result"]
            .as_array()
            .is_some_and(|all| !all.is_empty()),
        "what is not listed is answered: {lenses}"
    );
    session.end().await;
}

#[tokio::test]
async fn any_other_client_gets_an_answer_while_it_types() {
    let (mut session, _) = Session::start(json!({"capabilities": {}})).await;
    session.open(URI, LOSS).await;
    let (_, hints) = session
        .send_request("textDocument/inlayHint", hints_params())
        .await;
    for version in 2..20 {
        session
            .change(URI, version, &[([0, 0, 0, 0], "# typed\n")])
            .await;
    }
    let hints = hints.await.unwrap();
    assert_eq!(hints["result"].as_array().map(Vec::len), Some(1), "{hints}");
    session.end().await;
}

#[tokio::test]
async fn a_client_that_can_do_nothing_gets_answers_to_everything() {
    let (mut session, result) = Session::start(json!({"capabilities": {}})).await;
    assert_eq!(result["capabilities"]["positionEncoding"], "utf-16");
    session.open(URI, LOSS).await;
    assert_eq!(session.diagnostics(1).await, json!([]));
    for method in ASKED {
        let answer = session.request(method, everything()).await;
        assert_eq!(answer["error"], Value::Null, "{method}: {answer}");
    }
    let offered = actions(&mut session, 6, None).await;
    assert!(offered[0]["edit"]["changes"][URI].is_array(), "{offered:?}");
    session.end().await;
}

#[tokio::test]
async fn an_action_is_offered_without_its_edit_where_that_can_follow() {
    let resolved = json!({"dataSupport": true, "resolveSupport": {"properties": ["edit"]}});
    let capabilities = json!({"textDocument": {"codeAction": resolved}});
    let (mut session, _) = Session::start(json!({"capabilities": capabilities})).await;
    session.open(URI, LOSS).await;
    settled_hints(&mut session).await;
    let offered = actions(&mut session, 6, None).await;
    let apply = offered[0].clone();
    assert_eq!(apply["title"], "Apply optimized form");
    assert_eq!(apply["edit"], Value::Null);
    let answer = session.request("codeAction/resolve", apply.clone()).await;
    let edits = &answer["result"]["edit"]["changes"][URI];
    assert!(applied(LOSS, edits).contains("sum(X^2)"), "{answer}");

    session.change(URI, 2, &[([0, 0, 0, 0], "# new\n")]).await;
    let answer = session.request("codeAction/resolve", apply).await;
    let message = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("has changed since"), "{answer}");
    session.end().await;
}

#[tokio::test]
async fn lenses_and_hints_keep_their_number_and_order_while_a_search_runs() {
    let mut session = Session::start_full().await;
    let two = LOSS.replace(
        "print(loss)",
        "gain = sum((X - 2 * U %*% t(V))^2)\nprint(loss + gain)",
    );
    session.open(URI, &two).await;
    settled_hints(&mut session).await;
    let lenses = async |session: &mut Session| {
        let answer = session.request("textDocument/codeLens", document()).await;
        let lenses = answer["result"].as_array().cloned().unwrap_or_default();
        let shown = |lens: &Value| (lens["range"].clone(), lens["command"]["title"].clone());
        lenses.iter().map(shown).collect::<Vec<_>>()
    };
    let before = lenses(&mut session).await;
    assert_eq!(before.len(), 6, "{before:?}");
    // A size changes, so both are searched again.
    session
        .change(
            URI,
            2,
            &[([0, 6, 0, 11], "30000"), ([1, 6, 1, 11], "30000")],
        )
        .await;
    assert_eq!(lenses(&mut session).await, before, "at once");
    let answer = session
        .request("textDocument/inlayHint", hints_params())
        .await;
    for hint in answer["result"].as_array().expect("hints stay") {
        let is_stale = hint["tooltip"]["value"]
            .as_str()
            .unwrap()
            .contains("Of an earlier text");
        assert_eq!(hint["textEdits"].is_null(), is_stale, "{hint}");
    }
    assert_eq!(settled_hints(&mut session).await.len(), 2);
    assert_eq!(
        lenses(&mut session).await,
        before,
        "when the search has ended"
    );
    session.end().await;
}

#[tokio::test]
async fn opening_twice_closing_twice_and_changing_what_is_closed_do_no_harm() {
    let mut session = Session::start_full().await;
    session.notify("textDocument/didClose", document()).await;
    session.change(URI, 1, &[([0, 0, 0, 0], "x = 1")]).await;
    session.open(URI, "x = \n").await;
    session.open(URI, LOSS).await;
    // An echo of an old version, a range backwards, one beyond the end.
    session.change(URI, 1, &[([0, 0, 7, 0], "")]).await;
    session
        .change(
            URI,
            2,
            &[([99, 0, 98, 0], "y = loss\n"), ([9, 0, 8, 0], "")],
        )
        .await;
    let all = json!({"textDocument": {"uri": URI}, "range": range([0, 0, 100, 0])});
    assert_eq!(settled_hints(&mut session).await.len(), 1);
    let symbols = session.request("textDocument/documentSymbol", all).await;
    assert!(
        !symbols["result"].to_string().contains("\"y\""),
        "{symbols}"
    );
    session.notify("textDocument/didClose", document()).await;
    session.notify("textDocument/didClose", document()).await;
    assert_eq!(
        session.request("textDocument/hover", at(6, 1)).await["result"],
        Value::Null
    );
    session.end().await;
}

#[tokio::test]
async fn a_huge_script_is_left_alone_and_the_person_is_told() {
    let mut session = Session::start_full().await;
    let huge = "x = 1 # a line of a script that a program wrote\n".repeat(200_000);
    session.open(URI, &huge).await;
    let told = session.message("window/showMessage").await;
    assert!(told["message"].as_str().unwrap().contains("8 MB"), "{told}");
    assert_eq!(
        session.request("textDocument/hover", at(0, 0)).await["result"],
        Value::Null
    );
    session.open(URI, LOSS).await;
    assert_eq!(settled_hints(&mut session).await.len(), 1);
    session.end().await;
}

#[tokio::test]
async fn a_request_that_takes_too_long_says_so() {
    let options = json!({"limits": {"requestTime": 1e-9}});
    let params = json!({"capabilities": {}, "initializationOptions": options});
    let (mut session, _) = Session::start(params).await;
    session.open(URI, LOSS).await;
    let answer = session
        .request("textDocument/inlayHint", hints_params())
        .await;
    let message = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("took longer"), "{answer}");
    let answer = session.request("sumac/status", Value::Null).await;
    assert_eq!(answer["error"], Value::Null, "the status has no limit");
    session.end().await;
}
