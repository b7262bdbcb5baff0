//! Diagnostics that the client asks for.

use serde_json::{Value, json};

use super::client::Session;
use super::{LOSS, URI, document};

/// A client that pulls; `refreshes`: that can be told to pull again.
async fn start(refreshes: bool) -> (Session, Value) {
    let capabilities = json!({
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": refreshes}},
    });
    Session::start(json!({"capabilities": capabilities})).await
}

async fn pull(session: &mut Session, previous: Option<&Value>) -> Value {
    let mut params = document();
    if let Some(previous) = previous {
        params["previousResultId"] = previous.clone();
    }
    let answer = session.request("textDocument/diagnostic", params).await;
    answer["result"].clone()
}

#[tokio::test]
async fn a_client_that_pulls_is_answered_for_the_present_text_and_never_pushed() {
    let (mut session, result) = start(true).await;
    let provider = &result["capabilities"]["diagnosticProvider"];
    assert_eq!(provider["interFileDependencies"], true, "{provider}");
    session.open(URI, "x = 1 +\n").await;
    let wrong = pull(&mut session, None).await;
    assert_eq!(wrong["kind"], "full");
    assert_ne!(wrong["items"], json!([]));
    let again = pull(&mut session, Some(&wrong["resultId"])).await;
    assert_eq!(
        again,
        json!({"kind": "unchanged", "resultId": wrong["resultId"]})
    );

    session
        .change(URI, 2, &[([0, 7, 0, 7], " 2\nprint(x)")])
        .await;
    let right = pull(&mut session, Some(&wrong["resultId"])).await;
    assert_eq!(
        (&right["kind"], &right["items"]),
        (&json!("full"), &json!([]))
    );
    session.notify("textDocument/didClose", document()).await;
    assert_eq!(pull(&mut session, None).await["items"], json!([]));
    assert!(!session.has_message("textDocument/publishDiagnostics"));
    session.end().await;
}

#[tokio::test]
async fn what_is_decided_later_has_the_client_pull_again() {
    let (mut session, _) = start(true).await;
    let text = format!("{LOSS}#@ assert sum(U %*% t(V)) == sum(U)\n");
    session.open(URI, &text).await;
    let mut id = Value::Null;
    loop {
        let pulled = pull(&mut session, Some(&id).filter(|id| !id.is_null())).await;
        let items = pulled["items"].as_array().cloned().unwrap_or_default();
        if items.iter().any(|item| item["code"] == "failed-assert") {
            break;
        }
        id = pulled["resultId"].clone();
        session.message("workspace/diagnostic/refresh").await;
    }
    session.end().await;
}

#[tokio::test]
async fn a_client_that_cannot_be_told_to_pull_again_is_pushed() {
    let (session, result) = start(false).await;
    assert_eq!(result["capabilities"]["diagnosticProvider"], Value::Null);
    session.open(URI, "x = 1 +\n").await;
    assert_ne!(session.diagnostics(1).await, json!([]));
    session.end().await;
}
