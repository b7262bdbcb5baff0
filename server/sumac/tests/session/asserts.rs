//! `#@ assert` lines while a script is written: decided behind the first diagnostics, and again when they change.

use serde_json::{Value, json};

use crate::client::Session;

const URI: &str = "file:///scripts/asserts.dml";
const SCRIPT: &str = "\
#@ A: 2 x 3
A = read($A)
#@ assert sum(A) == sum(A^2)
print(sum(A))
";

fn about(diagnostics: &Value, code: &str) -> Option<Value> {
    let all = diagnostics.as_array().expect("diagnostics are a list");
    all.iter().find(|one| one["code"] == code).cloned()
}

#[tokio::test]
async fn an_assert_that_does_not_hold_is_an_error_until_it_is_put_right() {
    let mut session = Session::start_full().await;
    session.open(URI, SCRIPT).await;
    // The first diagnostics do not wait for the proof.
    let failed = loop {
        let published = session.diagnostics(1).await;
        if let Some(found) = about(&published, "failed-assert") {
            break found;
        }
    };
    assert_eq!(failed["severity"], 1);
    assert_eq!(
        failed["range"]["start"],
        json!({"line": 2, "character": 10})
    );
    let message = failed["message"].as_str().expect("a text");
    assert!(message.contains("for A = matrix(\""), "{message}");

    // A verdict that is known is there at once, wherever the line now stands.
    session
        .change(URI, 2, &[([0, 0, 0, 0], "# a comment\n")])
        .await;
    let moved = about(&session.diagnostics(2).await, "failed-assert").expect("still there");
    assert_eq!(moved["message"], failed["message"]);
    assert_eq!(moved["range"]["start"]["line"], 3);

    session
        .change(URI, 3, &[([3, 20, 3, 28], "sum(t(A))")])
        .await;
    assert_eq!(session.diagnostics(3).await, json!([]));
    let place = json!({"textDocument": {"uri": URI}, "position": {"line": 3, "character": 19}});
    // Diagnostics come again when everything is decided.
    assert_eq!(session.diagnostics(3).await, json!([]));
    let hover = session.request("textDocument/hover", place).await;
    let text = hover["result"]["contents"]["value"].as_str();
    assert!(
        text.is_some_and(|text| text.contains("**proved**")),
        "{hover}"
    );
    session.end().await;
}
