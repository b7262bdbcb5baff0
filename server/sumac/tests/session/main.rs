//! Language-server sessions in process, over a pipe: from opening a document to the applied edit.
//!
//! Every wait is for a message or an answer, never for time.

mod alternatives;
mod applying;
mod asserts;
mod client;
mod editing;
mod hostile;
mod loops;
mod navigation;
mod protocol;
mod pull;
mod python;
mod settings;
mod sketch_names;
mod sketched;
mod sketches;
mod status;

use client::{Session, range};
use serde_json::{Value, json};

const URI: &str = "file:///scripts/loss.dml";
const LOSS: &str = "\
#@ X: 20000 x 10000, sparsity 0.001
#@ U: 20000 x 10
#@ V: 10000 x 10
X = read($X)
U = read($U)
V = read($V)
loss = sum((X - U %*% t(V))^2)
print(loss)
";

fn at(line: u32, character: u32) -> Value {
    json!({"textDocument": {"uri": URI}, "position": {"line": line, "character": character}})
}

fn document() -> Value {
    json!({"textDocument": {"uri": URI}})
}

fn hints_params() -> Value {
    json!({"textDocument": {"uri": URI}, "range": range([0, 0, 100, 0])})
}

/// The hints once the search for the present text has ended.
async fn settled_hints(session: &mut Session) -> Vec<Value> {
    // A command waits for the search; behind the text there is nothing that it could be about.
    let params = json!({"command": "sumac.explain", "arguments": [URI, 100_000]});
    session.request("workspace/executeCommand", params).await;
    let hints = session
        .request("textDocument/inlayHint", hints_params())
        .await;
    hints["result"].as_array().cloned().unwrap_or_default()
}

async fn actions(session: &mut Session, line: u32, only: Option<&str>) -> Vec<Value> {
    let context = match only {
        Some(kind) => json!({"diagnostics": [], "only": [kind]}),
        None => json!({"diagnostics": []}),
    };
    let params = json!({
        "textDocument": {"uri": URI},
        "range": range([line, 0, line, 0]),
        "context": context,
    });
    let answer = session.request("textDocument/codeAction", params).await;
    answer["result"].as_array().cloned().unwrap_or_default()
}

/// Applies edits of the protocol to ASCII text.
fn applied(text: &str, edits: &Value) -> String {
    let offset = |position: &Value| {
        let line = position["line"].as_u64().unwrap() as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        start + position["character"].as_u64().unwrap() as usize
    };
    let mut edits: Vec<_> = edits
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            (
                offset(&range["start"]),
                offset(&range["end"]),
                edit["newText"].as_str().unwrap(),
            )
        })
        .collect();
    edits.sort();
    let mut out = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        out.replace_range(start..end, new);
    }
    out
}

#[tokio::test]
async fn the_story_from_opening_to_the_applied_edit() {
    let mut session = Session::start_full().await;
    session.open(URI, LOSS).await;
    assert_eq!(
        session.diagnostics(1).await,
        json!([]),
        "a correct script has no diagnostics"
    );

    let hints = settled_hints(&mut session).await;
    assert_eq!(hints.len(), 1, "{hints:?}");
    let label = hints[0]["label"].as_str().unwrap();
    assert!(
        label.starts_with("⇒ ") && label.ends_with("cheaper ✓"),
        "{label}"
    );
    assert_eq!(hints[0]["position"], json!({"line": 6, "character": 30}));

    let lenses = session.request("textDocument/codeLens", document()).await;
    assert_eq!(
        lenses["result"][0]["command"]["title"], "▶ time it",
        "{lenses}"
    );
    assert_eq!(lenses["result"][0]["command"]["arguments"], json!([URI, 6]));

    let hover = session.request("textDocument/hover", at(6, 1)).await;
    let text = hover["result"]["contents"]["value"]
        .as_str()
        .unwrap()
        .to_lowercase();
    for word in [
        "loss",
        "shape",
        "sparsity",
        "cost",
        "flops",
        "proved",
        "relative error",
    ] {
        assert!(text.contains(word), "no {word:?} in {text}");
    }

    let offered = actions(&mut session, 6, None).await;
    let titles: Vec<_> = offered
        .iter()
        .map(|action| action["title"].as_str().unwrap())
        .collect();
    assert!(titles.contains(&"Apply optimized form"), "{titles:?}");
    assert!(titles.contains(&"Explain, step by step"), "{titles:?}");
    let apply = offered
        .iter()
        .find(|a| a["title"] == "Apply optimized form")
        .unwrap();
    let change = &apply["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"], json!({"uri": URI, "version": 1}));
    assert_eq!(
        change["edits"], hints[0]["textEdits"],
        "accepting the hint does the same"
    );

    let optimized = applied(LOSS, &change["edits"]);
    let unchanged = |text: &str| text.lines().filter(|l| !l.starts_with("loss")).count();
    assert_eq!(unchanged(&optimized), unchanged(LOSS), "{optimized}");
    assert!(!optimized.contains("(X - U %*% t(V))^2"), "{optimized}");

    let line = optimized.lines().nth(6).unwrap().to_owned();
    session.change(URI, 2, &[([6, 0, 6, 30], &line)]).await;
    assert_eq!(session.diagnostics(2).await, json!([]));
    assert_eq!(
        settled_hints(&mut session).await,
        Vec::<Value>::new(),
        "nothing left to gain"
    );
    session.end().await;
}

#[tokio::test]
async fn a_half_typed_statement_is_marked_and_the_other_hints_stay() {
    let mut session = Session::start_full().await;
    session.open(URI, LOSS).await;
    let before = settled_hints(&mut session).await;
    assert_eq!(before.len(), 1);
    session.change(URI, 2, &[([8, 0, 8, 0], "y = X %*%")]).await;
    let diagnostics = session.diagnostics(2).await;
    assert_ne!(diagnostics, json!([]), "the half-typed statement is marked");
    assert_eq!(settled_hints(&mut session).await, before);
    session.end().await;
}

#[tokio::test]
async fn hints_follow_the_statement_while_text_above_it_changes() {
    let mut session = Session::start_full().await;
    session.open(URI, LOSS).await;
    let before = settled_hints(&mut session).await;
    session
        .change(URI, 2, &[([0, 0, 0, 0], "# a comment\n")])
        .await;
    // Not settled: what is known is shown at once.
    let hints = session
        .request("textDocument/inlayHint", hints_params())
        .await;
    assert_eq!(hints["result"][0]["label"], before[0]["label"]);
    assert_eq!(
        hints["result"][0]["position"],
        json!({"line": 7, "character": 30})
    );
    session.end().await;
}

#[tokio::test]
async fn explain_opens_a_document_whose_text_the_server_knows() {
    let mut session = Session::start_full().await;
    session.open(URI, LOSS).await;
    let params = json!({"command": "sumac.explain", "arguments": [URI, 6]});
    let answer = session.request("workspace/executeCommand", params).await;
    let uri = answer["result"]["uri"]
        .as_str()
        .expect("a document")
        .to_owned();
    let shown = session.message("window/showDocument").await;
    assert_eq!(shown["uri"], uri.as_str());
    let document = session.request("sumac/document", json!({"uri": uri})).await;
    let text = document["result"]["text"].as_str().unwrap();
    assert!(text.contains("sum((X - U %*% t(V))^2)"), "{text}");
    let chain = text.find("= sum(X^2) + sum((U %*% t(V))^2) - 2 * sum(X * (U %*% t(V)))");
    assert!(
        chain.is_some() && chain < text.find("Σ_{i,j}"),
        "steps that a person reads come first: {text}"
    );
    assert_eq!(document["result"]["languageId"], "markdown");
    let unknown = session
        .request("sumac/document", json!({"uri": "sumac:explain/x"}))
        .await;
    assert!(
        unknown["error"]["message"]
            .as_str()
            .unwrap()
            .contains("no longer known"),
        "{unknown}"
    );
    session.end().await;
}

#[tokio::test]
async fn a_statement_without_a_suggestion_says_why_and_its_sizes_can_be_stated() {
    let script = "X = read($X)\ny = sum(X %*% t(X))\nprint(y)\n";
    let mut session = Session::start_full().await;
    session.open(URI, script).await;
    let params = json!({"command": "sumac.whyNoSuggestion", "arguments": [URI, 1]});
    let answer = session.request("workspace/executeCommand", params).await;
    let reason = answer["result"]["reason"].as_str().unwrap();
    assert!(reason.contains("the size of `X` is not known"), "{reason}");
    let at = json!({"line": 1, "character": 4});
    let params = json!({
        "textDocument": {"uri": URI}, "range": {"start": at, "end": at}, "context": {"diagnostics": []},
    });
    let actions = session.request("textDocument/codeAction", params).await;
    let actions = actions["result"].as_array().unwrap();
    let titles: Vec<&str> = actions.iter().filter_map(|a| a["title"].as_str()).collect();
    assert!(titles.contains(&"Why no suggestion"), "{titles:?}");
    assert!(
        titles.contains(&"State the size of `X` to get suggestions"),
        "{titles:?}"
    );
    session.end().await;
}

#[tokio::test]
async fn apply_sends_the_edit_for_the_version_it_was_found_in() {
    let mut session = Session::start_full().await;
    session.open(URI, LOSS).await;
    let params = json!({"command": "sumac.apply", "arguments": [URI, 6]});
    let answer = session.request("workspace/executeCommand", params).await;
    assert_eq!(answer["result"], true, "{answer}");
    let edit = session.message("workspace/applyEdit").await["edit"].clone();
    let change = &edit["documentChanges"][0];
    assert_eq!(change["textDocument"]["version"], 1);
    assert_ne!(applied(LOSS, &change["edits"]), LOSS);
    let nowhere = json!({"command": "sumac.apply", "arguments": [URI, 0]});
    let refused = session.request("workspace/executeCommand", nowhere).await;
    assert!(
        refused["error"]["message"]
            .as_str()
            .unwrap()
            .contains("line 1"),
        "{refused}"
    );
    session.end().await;
}

#[tokio::test]
async fn a_fast_series_of_edits_leaves_what_a_fresh_server_would_say() {
    let mut session = Session::start_full().await;
    session.open(URI, "").await;
    let mut version = 1;
    for (number, line) in LOSS.lines().enumerate() {
        let number = number as u32;
        for (column, character) in line.chars().enumerate() {
            version += 1;
            let column = column as u32;
            let place = [number, column, number, column];
            session
                .change(URI, version, &[(place, &character.to_string())])
                .await;
        }
        version += 1;
        let end = line.len() as u32;
        session
            .change(URI, version, &[([number, end, number, end], "\n")])
            .await;
    }
    assert_eq!(session.diagnostics(version).await, json!([]));
    let params = json!({"command": "sumac.apply", "arguments": [URI, 6]});
    let answer = session.request("workspace/executeCommand", params).await;
    assert_eq!(answer["result"], true, "{answer}");
    let typed = session
        .request("textDocument/inlayHint", hints_params())
        .await;
    session.end().await;

    let mut fresh = Session::start_full().await;
    fresh.open(URI, LOSS).await;
    assert_eq!(json!(settled_hints(&mut fresh).await), typed["result"]);
    fresh.end().await;
}

#[tokio::test]
async fn a_client_that_cannot_be_told_to_ask_again_gets_the_final_hints() {
    let (mut session, _) = Session::start(json!({"capabilities": {}})).await;
    session.open(URI, LOSS).await;
    let hints = session
        .request("textDocument/inlayHint", hints_params())
        .await;
    assert_eq!(hints["result"].as_array().map(Vec::len), Some(1), "{hints}");
    session.end().await;
}

#[tokio::test]
async fn columns_are_utf_16_unless_bytes_are_agreed() {
    let text = "x = \"𝒳\" + undefined_name\nprint(x)\n";
    for (offered, column) in [(json!(["utf-16"]), 11), (json!(["utf-8", "utf-16"]), 13)] {
        let capabilities = json!({"general": {"positionEncodings": offered}});
        let (session, result) = Session::start(json!({"capabilities": capabilities})).await;
        let expected = if column == 13 { "utf-8" } else { "utf-16" };
        assert_eq!(result["capabilities"]["positionEncoding"], expected);
        session.open(URI, text).await;
        let diagnostics = session.diagnostics(1).await;
        let undefined = diagnostics
            .as_array()
            .unwrap()
            .iter()
            .find(|found| found["code"] == "undefined-name")
            .unwrap_or_else(|| panic!("no undefined name in {diagnostics}"));
        assert_eq!(
            undefined["range"]["start"],
            json!({"line": 0, "character": column})
        );
        session.end().await;
    }
}

#[tokio::test]
async fn closing_takes_the_diagnostics_away_and_nothing_answers_any_more() {
    let mut session = Session::start_full().await;
    session.open(URI, "x = ").await;
    assert_ne!(session.diagnostics(1).await, json!([]));
    session.notify("textDocument/didClose", document()).await;
    let cleared = session.message("textDocument/publishDiagnostics").await;
    assert_eq!(cleared["diagnostics"], json!([]));
    assert_eq!(
        session.request("textDocument/hover", at(0, 0)).await["result"],
        Value::Null
    );
    session.end().await;
}

#[tokio::test]
async fn nothing_runs_in_a_workspace_that_is_not_trusted() {
    let options = json!({"capabilities": {}, "initializationOptions": {"trusted": false}});
    let (mut session, _) = Session::start(options).await;
    session.open(URI, LOSS).await;
    let lenses = session.request("textDocument/codeLens", document()).await;
    let titles: Vec<_> = lenses["result"].as_array().into_iter().flatten().collect();
    let titles: Vec<_> = titles
        .iter()
        .map(|lens| &lens["command"]["title"])
        .collect();
    assert_eq!(
        titles,
        ["compare alternatives", "why"],
        "none of them runs anything"
    );
    let params = json!({"command": "sumac.time", "arguments": [URI, 6]});
    let refused = session.request("workspace/executeCommand", params).await;
    assert!(
        refused["error"]["message"]
            .as_str()
            .unwrap()
            .contains("trust"),
        "{refused}"
    );
    session.end().await;
}

#[tokio::test]
async fn wrong_commands_and_arguments_are_refused_in_words() {
    let mut session = Session::start_full().await;
    for (command, arguments, word) in [
        ("sumac.nothing", json!([URI, 0]), "sumac.time"),
        ("sumac.time", json!([]), "uri"),
        ("sumac.time", json!(["file:///closed.dml", 0]), "not open"),
    ] {
        let params = json!({"command": command, "arguments": arguments});
        let refused = session.request("workspace/executeCommand", params).await;
        let message = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(word), "{command}: {refused}");
    }
    session.end().await;
}

#[tokio::test]
async fn formatting_answers_with_edits_of_blanks_only() {
    let text = "x=1;\nif(x>0){\ny=2\n}\n";
    let options = json!({"tabSize": 4, "insertSpaces": true});
    let mut session = Session::start_full().await;
    session.open(URI, text).await;

    let params = json!({"textDocument": {"uri": URI}, "options": options});
    let all = session.request("textDocument/formatting", params).await;
    assert_eq!(
        applied(text, &all["result"]),
        "x = 1\nif (x > 0) {\n    y = 2\n}\n"
    );
    let params =
        json!({"textDocument": {"uri": URI}, "options": options, "range": range([0, 0, 0, 1])});
    let some = session
        .request("textDocument/rangeFormatting", params)
        .await;
    assert_eq!(applied(text, &some["result"]), "x = 1\nif(x>0){\ny=2\n}\n");
    let params = json!({
        "textDocument": {"uri": URI}, "options": options,
        "position": {"line": 2, "character": 0}, "ch": "\n",
    });
    let typed = session
        .request("textDocument/onTypeFormatting", params)
        .await;
    assert_eq!(
        applied(text, &typed["result"]),
        "x=1;\nif(x>0){\n    y=2\n}\n"
    );
    session.end().await;
}
