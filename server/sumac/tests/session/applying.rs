//! What is applied, and to what: the statement under the cursor and no other, all of a file only after a look at it, and
//! nothing where a syntax error stands.

use serde_json::{Value, json};

use super::client::Session;
use super::{LOSS, URI, actions, applied, settled_hints};

/// Two statements with a suggestion.
fn two() -> String {
    LOSS.replace(
        "print(loss)",
        "total = sum(V %*% t(U))\nprint(loss + total)",
    )
}

/// A statement that is joined with one two lines below, and one between them.
const JOINED: &str = "\
#@ X: 20000 x 10000, sparsity 0.001
#@ U: 20000 x 10
#@ V: 10000 x 10
X = read($X)
U = read($U)
V = read($V)
E = X - U %*% t(V)
total = sum(V %*% t(U))
n = 3
loss = sum(E^2)
print(loss + total + n)
";

fn titled<'a>(actions: &'a [Value], start: &str) -> Vec<&'a str> {
    let titles = actions.iter().filter_map(|action| action["title"].as_str());
    titles.filter(|title| title.starts_with(start)).collect()
}

#[tokio::test]
async fn saving_a_file_rewrites_nothing() {
    let mut session = Session::start_full().await;
    session.open(URI, &two()).await;
    settled_hints(&mut session).await;
    for kind in ["source", "source.fixAll", "source.fixAll.sumac"] {
        let found = actions(&mut session, 6, Some(kind)).await;
        assert_eq!(found, Vec::<Value>::new(), "{kind}");
    }
    session.end().await;
}

#[tokio::test]
async fn all_suggestions_are_applied_after_a_look_at_the_changes() {
    let mut session = Session::start_full().await;
    session.open(URI, &two()).await;
    settled_hints(&mut session).await;
    let found = actions(&mut session, 6, None).await;
    let all = found
        .iter()
        .find(|action| action["title"] == "Apply all suggestions of this file")
        .expect("it is offered");
    assert_eq!(all["kind"], "refactor.rewrite.sumac.all");
    let command =
        json!({"command": all["command"]["command"], "arguments": all["command"]["arguments"]});
    let answer = session.request("workspace/executeCommand", command).await;
    assert_eq!(answer["result"], true, "{answer}");
    let shown = session.message("window/showDocument").await;
    let uri = shown["uri"].clone();
    let asked = session.message("window/showMessageRequest").await;
    assert_eq!(asked["message"], "Apply 2 suggestions to loss.dml?");
    let edit = session.message("workspace/applyEdit").await["edit"].clone();
    let after = applied(&two(), &edit["documentChanges"][0]["edits"]);
    assert!(
        !after.contains("(X - U %*% t(V))") && !after.contains("sum(V %*% t(U))"),
        "{after}"
    );
    let document = session.request("sumac/document", json!({"uri": uri})).await;
    let text = document["result"]["text"].as_str().unwrap_or_default();
    assert!(text.contains("-total = sum(V %*% t(U))"), "{text}");
    session.end().await;
}

#[tokio::test]
async fn whole_suggestions_are_applied_in_an_editor_with_a_preview_of_edits_too() {
    let capabilities = json!({
        "window": {"showDocument": {"support": true}},
        "workspace": {"workspaceEdit": {"documentChanges": true, "changeAnnotationSupport": {}}},
    });
    let (mut session, _) = Session::start(json!({"capabilities": capabilities})).await;
    session.open(URI, JOINED).await;
    let command = json!({"command": "sumac.applyAll", "arguments": [URI, 0]});
    let answer = session.request("workspace/executeCommand", command).await;
    assert_eq!(answer["result"], true, "{answer}");
    let asked = session.message("window/showMessageRequest").await;
    assert_eq!(asked["message"], "Apply 2 suggestions to loss.dml?");
    let edit = session.message("workspace/applyEdit").await["edit"].clone();
    assert_eq!(edit["changeAnnotations"], Value::Null, "nothing to tick");
    let after = applied(JOINED, &edit["documentChanges"][0]["edits"]);
    assert!(
        !after.contains("E = ") && !after.contains("sum(E^2)"),
        "{after}"
    );
    let nothing =
        json!({"command": "sumac.applyAll", "arguments": ["file:///scripts/other.dml", 0]});
    session
        .open("file:///scripts/other.dml", "print(1)\n")
        .await;
    let refused = session.request("workspace/executeCommand", nothing).await;
    let why = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(
        why.contains("there is no suggestion in other.dml"),
        "{refused}"
    );
    session.end().await;
}

#[tokio::test]
async fn a_joined_suggestion_belongs_to_its_statements_and_not_to_those_between() {
    let mut session = Session::start_full().await;
    session.open(URI, JOINED).await;
    let hints = settled_hints(&mut session).await;
    let lines: Vec<u64> = hints
        .iter()
        .filter_map(|hint| hint["position"]["line"].as_u64())
        .collect();
    assert_eq!(lines, [6, 7, 9], "{hints:?}");
    for line in [6, 9] {
        let found = actions(&mut session, line, None).await;
        let titles = titled(&found, "Apply optimized form");
        assert!(
            titles
                .iter()
                .all(|title| title.contains("rewrites lines 7 and 10"))
                && !titles.is_empty(),
            "{titles:?}"
        );
    }
    let own = actions(&mut session, 7, None).await;
    assert_eq!(
        titled(&own, "Apply optimized form")[0],
        "Apply optimized form"
    );
    let edit = own
        .iter()
        .find(|action| action["title"] == "Apply optimized form")
        .map(|action| action["edit"]["documentChanges"][0]["edits"].clone())
        .unwrap_or_default();
    let after = applied(JOINED, &edit);
    assert!(
        after.contains("E = X - U %*% t(V)") && !after.contains("sum(V %*% t(U))"),
        "{after}"
    );
    let none = actions(&mut session, 8, None).await;
    assert_eq!(titled(&none, "Apply"), Vec::<&str>::new());
    // Commands that name the line do as the menu does.
    for name in ["sumac.explain", "sumac.apply", "sumac.time"] {
        let command = json!({"command": name, "arguments": [URI, 8]});
        let refused = session.request("workspace/executeCommand", command).await;
        let why = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(why.contains("line 9"), "{name}: {refused}");
    }
    session.end().await;
}

#[tokio::test]
async fn a_statement_with_a_syntax_error_keeps_no_hint() {
    let mut session = Session::start_full().await;
    session.open(URI, &two()).await;
    let hints = settled_hints(&mut session).await;
    assert_eq!(hints.len(), 2, "{hints:?}");
    // `loss = sum((X - U %*% t(V))^2).`
    session.change(URI, 2, &[([6, 30, 6, 30], ".")]).await;
    let found = actions(&mut session, 6, None).await;
    assert_eq!(titled(&found, "Apply"), Vec::<&str>::new());
    let hints = settled_hints(&mut session).await;
    assert!(
        hints.iter().all(|hint| hint["position"]["line"] != 6),
        "{hints:?}"
    );
    session.end().await;
}
