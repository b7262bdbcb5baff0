//! Python beside DML: hints, hovers, actions and diagnostics of NumPy's expressions.

use serde_json::{Value, json};

use super::client::{Session, range};

const URI: &str = "file:///code/model.py";
const MODEL: &str = "\
import numpy as np


def sandwich(X, w, B):
    \"\"\"X : array of shape (n, d); w : (n,); B : (d, d)\"\"\"
    meat = X.T @ np.diag(w) @ X
    return np.diag(X @ B @ X.T)
";

async fn hints(session: &mut Session) -> Vec<Value> {
    let params = json!({"textDocument": {"uri": URI}, "range": range([0, 0, 100, 0])});
    let answer = session.request("textDocument/inlayHint", params).await;
    answer["result"].as_array().cloned().unwrap_or_default()
}

/// The hints once there are so many: each time something is found, the client is told to ask again.
async fn hints_when(session: &mut Session, count: usize) -> Vec<Value> {
    loop {
        let found = hints(session).await;
        if found.len() == count {
            return found;
        }
        session.message("workspace/inlayHint/refresh").await;
    }
}

#[tokio::test]
async fn a_file_of_numpy_gets_hints_hovers_and_actions() {
    let mut session = Session::start_full().await;
    session.open(URI, MODEL).await;
    assert_eq!(session.diagnostics(1).await, json!([]));
    let found = hints_when(&mut session, 2).await;
    let labels: Vec<&str> = found
        .iter()
        .filter_map(|hint| hint["label"].as_str())
        .collect();
    assert_eq!(labels[0], "⇒ (X.T * w) @ X   cheaper where n >= 4 ✓");
    assert!(
        labels[1].contains("(X @ B)") && labels[1].ends_with("cheaper where n >= 16 ✓"),
        "{labels:?}"
    );
    assert_eq!(found[0]["textEdits"][0]["newText"], "(X.T * w) @ X");

    let at = json!({"textDocument": {"uri": URI}, "position": {"line": 5, "character": 15}});
    let hover = session.request("textDocument/hover", at).await;
    let text = hover["result"]["contents"]["value"]
        .as_str()
        .unwrap_or_default();
    assert!(
        text.contains("proved") && text.contains("64-bit floats"),
        "{text}"
    );
    let at = json!({"textDocument": {"uri": URI}, "position": {"line": 5, "character": 5}});
    let hover = session.request("textDocument/hover", at).await;
    let text = hover["result"]["contents"]["value"]
        .as_str()
        .unwrap_or_default();
    assert!(text.contains("**`meat`** · (d, d)"), "{text}");

    let params = json!({
        "textDocument": {"uri": URI},
        "range": range([5, 12, 5, 12]),
        "context": {"diagnostics": []},
    });
    let actions = session.request("textDocument/codeAction", params).await;
    let action = &actions["result"][0];
    assert!(
        action["title"]
            .as_str()
            .is_some_and(|title| title.contains("(X.T * w) @ X")),
        "{actions}"
    );
    let edit = &action["edit"]["documentChanges"][0]["edits"][0];
    assert_eq!(edit["newText"], "(X.T * w) @ X");
    assert_eq!(edit["range"], range([5, 11, 5, 31]));
    session.end().await;
}

#[tokio::test]
async fn what_is_typed_changes_what_is_known_and_what_stays_is_not_searched_again() {
    let mut session = Session::start_full().await;
    session.open(URI, MODEL).await;
    hints_when(&mut session, 2).await;
    // A line before everything: the same hints, one line lower.
    session
        .change(URI, 2, &[([0, 0, 0, 0], "import os\n")])
        .await;
    session.diagnostics(2).await;
    let found = hints(&mut session).await;
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[0]["position"]["line"], 6);
    // A mismatch of numbers.
    let text = "import numpy as np\na = np.ones((2, 3))\nb = np.ones((4, 5))\nc = a @ b\n";
    session.change(URI, 3, &[([0, 0, 100, 0], text)]).await;
    let found = session.diagnostics(3).await;
    assert_eq!(found[0]["code"], "shape-mismatch", "{found}");
    assert_eq!(hints(&mut session).await, Vec::<Value>::new());
    session
        .notify(
            "textDocument/didClose",
            json!({"textDocument": {"uri": URI}}),
        )
        .await;
    session.end().await;
}

#[tokio::test]
async fn a_client_that_wants_expressions_only_is_offered_nothing_else() {
    let params = json!({"capabilities": {}, "initializationOptions": {"only": "expressions"}});
    let (session, answer) = Session::start(params).await;
    let offered = answer["capabilities"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    for expected in [
        "hoverProvider",
        "inlayHintProvider",
        "codeActionProvider",
        "textDocumentSync",
    ] {
        assert!(offered.contains_key(expected), "{expected}: {offered:?}");
    }
    for other in [
        "completionProvider",
        "renameProvider",
        "documentFormattingProvider",
        "semanticTokensProvider",
    ] {
        assert!(!offered.contains_key(other), "{other}");
    }
    session.end().await;
}
