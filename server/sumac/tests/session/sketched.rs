//! Sketches on the statements of a script: as actions, as pins, as lenses, and made from what a person writes.

use super::client::{Session, range};
use super::sketches::diagnostics_of;
use super::*;

const BY_SKETCH: &str = "file:///scripts/loss.sketch";
const LIBRARY: &str = include_str!("../../../../fixtures/sketches/linear_algebra.sketch");

/// A client that asks for the edit of an action when that is chosen.
async fn resolving() -> Session {
    let capabilities = json!({
        "workspace": {"workspaceEdit": {"documentChanges": true}},
        "window": {"workDoneProgress": true, "showDocument": {"support": true}},
        "textDocument": {"codeAction": {"resolveSupport": {"properties": ["edit"]}}},
    });
    Session::start(json!({"capabilities": capabilities}))
        .await
        .0
}

/// The action that searches by a sketch, of those for the loss.
async fn by_sketch(session: &mut Session, name: &str) -> Option<Value> {
    let offered = actions(session, 6, Some("refactor")).await;
    let title = format!("Optimize with sketch {name}");
    offered.into_iter().find(|action| action["title"] == *title)
}

#[tokio::test]
async fn a_sketch_of_the_workspace_is_an_action_on_the_statement() {
    let mut session = resolving().await;
    session.open(BY_SKETCH, LIBRARY).await;
    session.open(URI, LOSS).await;
    let action = by_sketch(&mut session, "avoid_outer_product")
        .await
        .unwrap();
    assert_eq!(
        action["edit"],
        Value::Null,
        "nothing is searched before it is chosen"
    );
    assert_eq!(
        by_sketch(&mut session, "scale_rows").await,
        None,
        "it makes no matrix"
    );
    let chosen = session.request("codeAction/resolve", action.clone()).await;
    let change = &chosen["result"]["edit"]["documentChanges"][0];
    assert_eq!(
        change["textDocument"],
        json!({"uri": URI, "version": 1}),
        "{chosen}"
    );
    let made = applied(LOSS, &change["edits"]);
    let line = made.lines().nth(6).unwrap();
    assert_eq!(
        line,
        "loss = sum(X^2) - 2 * sum(U * (X %*% V)) + sum((t(U) %*% U) * (t(V) %*% V))"
    );
    session.change(URI, 2, &[([6, 0, 6, 0], " ")]).await;
    let stale = session.request("codeAction/resolve", action).await;
    let why = stale["error"]["message"].as_str().unwrap();
    assert!(why.contains("has changed since"), "{why}");
    session.end().await;
}

#[tokio::test]
async fn a_sketch_that_does_not_fit_says_which_guide_was_not_reached() {
    let mut session = resolving().await;
    let text = "sketch far(X) {\n  guide apart: contains(X^2 - ? + ?) using distribute minimize size\n  goal contains(rowSums(?)) - ? using aggregate\n}\n";
    session.open(BY_SKETCH, text).await;
    session.open(URI, LOSS).await;
    let action = by_sketch(&mut session, "far").await.unwrap();
    let chosen = session.request("codeAction/resolve", action).await;
    assert_eq!(chosen["result"]["edit"], Value::Null, "{chosen}");
    let told = session.message("window/showMessage").await;
    let message = told["message"].as_str().unwrap();
    assert!(
        message.contains("far(X) does not fit: the goal was not reached"),
        "{message}"
    );
    let shown = session.message("window/showDocument").await;
    let document = session
        .request("sumac/document", json!({"uri": shown["uri"]}))
        .await;
    let text = document["result"]["text"].as_str().unwrap();
    assert!(
        text.contains("guide apart: ") && text.contains("^ missed"),
        "{text}"
    );
    session.end().await;
}

#[tokio::test]
async fn a_client_that_resolves_nothing_runs_a_command() {
    let mut session = Session::start_full().await;
    session.open(BY_SKETCH, LIBRARY).await;
    session.open(URI, LOSS).await;
    let action = by_sketch(&mut session, "avoid_outer_product")
        .await
        .unwrap();
    let command = json!({"command": action["command"]["command"], "arguments": action["command"]["arguments"]});
    let answer = session.request("workspace/executeCommand", command).await;
    assert_eq!(answer["result"], true, "{answer}");
    let edit = session.message("workspace/applyEdit").await["edit"].clone();
    let made = applied(LOSS, &edit["documentChanges"][0]["edits"]);
    assert!(made.contains("sum(U * (X %*% V))"), "{made}");
    let nobody = json!({"command": "sumac.sketch", "arguments": [URI, 6, 1, "nobody"]});
    let refused = session.request("workspace/executeCommand", nobody).await;
    let why = refused["error"]["message"].as_str().unwrap();
    assert!(why.contains("`nobody` could lead nowhere"), "{why}");
    session.end().await;
}

#[tokio::test]
async fn a_long_search_shows_how_far_it_is_and_ends_when_it_is_cancelled() {
    let mut session = resolving().await;
    let text = "sketch endless(X) {\n  goal contains(X * 17) using sum_product within 10000000 nodes, 1000 rounds\n}\n";
    session.open(BY_SKETCH, text).await;
    session.open(URI, LOSS).await;
    let action = by_sketch(&mut session, "endless").await.unwrap();
    let (_, answer) = session.send_request("codeAction/resolve", action).await;
    let created = session.message("window/workDoneProgress/create").await;
    let told = session.message("$/progress").await;
    assert_eq!(
        told["value"]["title"], "Searching by the sketch endless",
        "{told}"
    );
    let message = told["value"]["message"].as_str().unwrap();
    assert!(
        message.contains("so far sum((X - U %*% t(V))^2)"),
        "{message}"
    );
    let cancel = json!({"token": created["token"]});
    session
        .notify("window/workDoneProgress/cancel", cancel)
        .await;
    let answer = answer.await.unwrap();
    assert_eq!(answer["error"]["code"], -32800, "{answer}");
    session.end().await;
}

/// The loss with a line above its statement.
fn with_pin(line: &str) -> String {
    LOSS.replace("loss = ", &format!("{line}\nloss = "))
}

#[tokio::test]
async fn a_pinned_sketch_makes_the_hint_and_its_file_changes_it() {
    let mut session = Session::start_full().await;
    let sketch = |goal: &str| {
        format!(
            "# Multiplied out.\nsketch expand(X) {{ goal {goal} using distribute minimize size }}\n"
        )
    };
    session.open(BY_SKETCH, &sketch("sum(X^2) - ? + ?")).await;
    session.open(URI, &with_pin("#@ sketch expand(X)")).await;
    let hints = settled_hints(&mut session).await;
    let label = hints[0]["label"].as_str().unwrap();
    assert!(label.contains("+ sum((U %*% t(V))^2)"), "{label}");
    let hover = session.request("textDocument/hover", at(6, 12)).await;
    let text = hover["result"]["contents"]["value"].as_str().unwrap();
    assert!(text.contains("Multiplied out."), "{text}");
    let found = session.request("textDocument/definition", at(6, 12)).await;
    assert_eq!(found["result"][0]["uri"], BY_SKETCH, "{found}");
    let items = session.request("textDocument/completion", at(6, 12)).await;
    assert_eq!(items["result"][0]["label"], "expand", "{items}");

    let other = sketch("sum(X^2 - ? + ?)");
    let params = json!({"textDocument": {"uri": BY_SKETCH, "version": 2}, "contentChanges": [{"text": other}]});
    session.notify("textDocument/didChange", params).await;
    let hints = settled_hints(&mut session).await;
    let label = hints[0]["label"].as_str().unwrap();
    assert!(label.starts_with("⇒ sum(X^2 - "), "{label}");
    session.end().await;
}

#[tokio::test]
async fn a_pin_that_leads_nowhere_is_marked_once_it_was_searched() {
    let mut session = Session::start_full().await;
    session.open(URI, &with_pin("#@ sketch nobody")).await;
    let found = diagnostics_of(&session, URI, 1).await;
    assert!(
        found[0].starts_with("there is no sketch `nobody`"),
        "{found:?}"
    );
    // As soon as there is one, it is searched.
    let far = "sketch nobody { goal contains(rowSums(?)) - ? using aggregate }\n";
    session.open(BY_SKETCH, far).await;
    let found = loop {
        let found = diagnostics_of(&session, URI, 1).await;
        if found
            .iter()
            .any(|message| message.contains("the goal was not reached"))
        {
            break found;
        }
    };
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(settled_hints(&mut session).await, Vec::<Value>::new());
    session.end().await;
}

#[tokio::test]
async fn a_lens_says_where_a_sketch_fits() {
    let capabilities = json!({"workspace": {"codeLens": {"refreshSupport": true}}});
    let options = json!({"showsReferences": true});
    let params = json!({"capabilities": capabilities, "initializationOptions": options});
    let (mut session, _) = Session::start(params).await;
    session.open(URI, LOSS).await;
    let text = "sketch expand(X) { goal sum(X^2) - ? + ? using distribute }\nsketch none { goal exp(?) using factor }\n";
    session.open(BY_SKETCH, text).await;
    let of = json!({"textDocument": {"uri": BY_SKETCH}});
    let lenses = loop {
        let found = session.request("textDocument/codeLens", of.clone()).await;
        if found["result"][0]["command"]["title"]
            .as_str()
            .unwrap()
            .starts_with("fits")
        {
            break found["result"].clone();
        }
        session.message("workspace/codeLens/refresh").await;
    };
    assert_eq!(
        lenses[0]["command"]["title"],
        "fits 1 expression in this workspace"
    );
    assert_eq!(lenses[0]["command"]["command"], "sumac.showReferences");
    let places = &lenses[0]["command"]["arguments"][2];
    assert_eq!(places[0]["uri"], URI, "{places}");
    assert_eq!(places[0]["range"], range([6, 0, 6, 30]));
    assert_eq!(
        lenses[1]["command"]["title"],
        "fits no expression in this workspace"
    );
    assert_eq!(lenses[1]["command"]["command"], "");
    session.end().await;
}

const SUMS: &str = "\
#@ X: 2000 x 1000
#@ Y: 2000 x 1000
#@ Z: 2000 x 1000
X = read($X)
Y = read($Y)
Z = read($Z)
s = sum(X * Y) + sum(X * Z)
print(s)
";

/// What the script becomes by an action of this title for its sum; `None` where it is not offered.
async fn chosen(session: &mut Session, text: &str, title: &str) -> Option<String> {
    let offered = actions(session, 6, Some("refactor")).await;
    let action = offered
        .into_iter()
        .find(|action| action["title"] == *title)?;
    let chosen = session.request("codeAction/resolve", action).await;
    let edits = &chosen["result"]["edit"]["documentChanges"][0]["edits"];
    assert!(edits.is_array(), "{chosen}");
    Some(applied(text, edits))
}

#[tokio::test]
async fn a_sketch_is_written_from_a_form() {
    let script = SUMS.replace("sum(X * Y) + sum(X * Z)", "sum(X %*% t(Y))");
    let mut session = resolving().await;
    session.open(URI, &script).await;
    settled_hints(&mut session).await;
    let title = "Write a sketch from this form";
    let made = chosen(&mut session, &script, title).await.unwrap();
    let above: Vec<_> = made.lines().skip(6).take(3).collect();
    assert!(above[0].starts_with("# sum(X %*% t(Y)) becomes "), "{made}");
    assert_eq!(above[1], "#@ sketch s_form {");
    assert!(above[2].contains('?'), "{made}");
    let statements = |text: &str| text.lines().filter(|line| !line.starts_with('#')).count();
    assert_eq!(statements(&made), statements(&script), "{made}");
    // It is a sketch of the script from now on, and leads to a form.
    session.change(URI, 2, &[([0, 0, 8, 0], &made)]).await;
    let line = made
        .lines()
        .position(|line| line.starts_with("s = "))
        .unwrap() as u32;
    let offered = actions(&mut session, line, Some("refactor")).await;
    let own = offered
        .into_iter()
        .find(|action| action["title"] == "Optimize with sketch s_form");
    let found = session.request("codeAction/resolve", own.unwrap()).await;
    assert!(found["result"]["edit"].is_object(), "{found}");
    session.end().await;
}

#[tokio::test]
async fn an_edit_becomes_a_sketch() {
    let mut session = resolving().await;
    session.open(URI, SUMS).await;
    let title = "Turn my edit into a sketch";
    assert_eq!(
        chosen(&mut session, SUMS, title).await,
        None,
        "nothing was edited"
    );
    let edited = SUMS.replace("sum(X * Y) + sum(X * Z)", "sum(X * (Y + Z))");
    session
        .change(URI, 2, &[([6, 4, 6, 27], "sum(X * (Y + Z))")])
        .await;
    let made = chosen(&mut session, &edited, title).await.unwrap();
    let lines: Vec<_> = made.lines().skip(6).take(7).collect();
    assert_eq!(
        lines,
        [
            "# sum(X * Y) + sum(X * Z) becomes sum(X * (Y + Z)).",
            "#@ sketch s_form {",
            "#@   goal sum(?)",
            "#@     using factor",
            "#@     minimize time",
            "#@ }",
            "s = sum(X * (Y + Z))",
        ]
    );
    // Once it is saved, there is nothing to learn of it any more.
    session.notify("textDocument/didSave", document()).await;
    assert_eq!(chosen(&mut session, &edited, title).await, None);
    session.end().await;
}

#[tokio::test]
async fn an_edit_that_changes_the_value_becomes_no_sketch() {
    let mut session = resolving().await;
    session.open(URI, SUMS).await;
    session.change(URI, 2, &[([6, 15, 6, 16], "-")]).await;
    let offered = actions(&mut session, 6, Some("refactor")).await;
    let mut offered = offered.into_iter();
    let action = offered
        .find(|action| action["title"] == "Turn my edit into a sketch")
        .unwrap();
    let chosen = session.request("codeAction/resolve", action).await;
    assert_eq!(chosen["result"]["edit"], Value::Null, "{chosen}");
    let told = session.message("window/showMessage").await;
    let message = told["message"].as_str().unwrap();
    assert!(
        message.contains("no sketch was written: no set of rules leads"),
        "{message}"
    );
    session.end().await;
}

#[tokio::test]
async fn what_sketches_make_of_a_statement_is_shown_before_one_is_chosen() {
    let mut session = resolving().await;
    let text = "sketch expand(X) { goal sum(X^2) - ? + ? using distribute }\nsketch far(X) { goal contains(rowSums(X)) using aggregate }\n";
    session.open(BY_SKETCH, text).await;
    session.open(URI, LOSS).await;
    let offered = actions(&mut session, 6, Some("refactor")).await;
    let preview = offered
        .iter()
        .find(|action| action["title"] == "Preview what sketches make of it")
        .unwrap();
    assert_eq!(preview["command"]["command"], "sumac.alternatives");
    assert_eq!(preview["command"]["arguments"], json!([URI, 6, 1, true]));
    let asked = json!({"uri": URI, "line": 6, "version": 1, "sketches": true});
    let found = session.request("sumac/alternatives", asked.clone()).await;
    let items = found["result"]["items"].as_array().unwrap();
    assert_eq!(items.len(), 1, "{found}");
    let title = items[0]["title"].as_str().unwrap();
    assert!(title.starts_with("expand(X): sum(X^2) - "), "{title}");
    let made = applied(LOSS, &items[0]["edit"]["documentChanges"][0]["edits"]);
    assert!(made.contains("loss = sum(X^2) - "), "{made}");
    let document = json!({"uri": found["result"]["document"]});
    let document = session.request("sumac/document", document).await;
    let text = document["result"]["text"].as_str().unwrap();
    for part in [
        "# What sketches make of loss.dml:7",
        "## expand(X)",
        "Proved: ",
        "as written",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    // Where there is none, that is said; an earlier text is refused.
    session.change(BY_SKETCH, 2, &[([0, 0, 1, 0], "")]).await;
    let none = session.request("sumac/alternatives", asked.clone()).await;
    let message = none["result"]["message"].as_str().unwrap();
    assert!(
        message.contains("no sketch that could apply fits loss.dml:7"),
        "{message}"
    );
    session.change(URI, 2, &[([6, 0, 6, 0], " ")]).await;
    let stale = session.request("sumac/alternatives", asked).await;
    let why = stale["error"]["message"].as_str().unwrap();
    assert!(why.contains("has changed since"), "{why}");
    session.end().await;
}

#[tokio::test]
async fn a_guide_that_the_search_put_in_is_told_so_that_it_can_be_kept() {
    let mut session = resolving().await;
    let text = "def gram(A) = t(A) %*% A\nsketch direct(X) {\n  goal sum(X^2) - 2 * sum(? * (X %*% ?)) + sum(gram(?) * gram(?))\n    using sum_product\n    minimize nnz\n    within 500 nodes\n}\n";
    session.open(BY_SKETCH, text).await;
    session.open(URI, LOSS).await;
    let action = by_sketch(&mut session, "direct").await.unwrap();
    let chosen = session.request("codeAction/resolve", action).await;
    assert!(chosen["result"]["edit"].is_object(), "{chosen}");
    let told = session.message("window/showMessage").await;
    let message = told["message"].as_str().unwrap();
    assert!(
        message.contains("put this before its goal to keep it: guide ")
            && message.contains("within 500 nodes"),
        "{message}"
    );
    session.end().await;
}
