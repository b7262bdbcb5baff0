//! Requests of an editor while a script is written.

use serde_json::{Value, json};

use crate::client::{Session, range};

const URI: &str = "file:///scripts/editing.dml";
const SCRIPT: &str = "\
#@ X: 1000 x 500, sparsity 0.001
X = read($X)
# Scales.
scaled = function(Matrix[Double] A, Double by = 2) return (Matrix[Double] B) {
  B = A * by
}
e = \"𝒳\"; y = sum(X)
q = scaled(X)
print(sum(q) + y)
";

fn document() -> Value {
    json!({"textDocument": {"uri": URI}})
}

/// The numbers of an answer with tokens.
fn numbers(data: &Value) -> Vec<u64> {
    let numbers = data.as_array().expect("tokens are a list").iter();
    numbers.map(|n| n.as_u64().expect("a number")).collect()
}

/// The old tokens after the edits, as the protocol says: all places count in the old list.
fn applied(old: &[u64], edits: &Value) -> Vec<u64> {
    let mut edits: Vec<(usize, usize, Vec<u64>)> = edits
        .as_array()
        .expect("edits are a list")
        .iter()
        .map(|edit| {
            let at = |key: &str| usize::try_from(edit[key].as_u64().unwrap()).unwrap();
            (at("start"), at("deleteCount"), numbers(&edit["data"]))
        })
        .collect();
    edits.sort();
    let mut out = old.to_vec();
    for (start, removed, data) in edits.into_iter().rev() {
        out.splice(start..start + removed, data);
    }
    out
}

async fn full(session: &mut Session) -> (String, Vec<u64>) {
    let answer = session
        .request("textDocument/semanticTokens/full", document())
        .await;
    let id = answer["result"]["resultId"].as_str().expect("an id");
    (id.to_owned(), numbers(&answer["result"]["data"]))
}

async fn delta(session: &mut Session, previous: &str) -> Value {
    let params = json!({"textDocument": {"uri": URI}, "previousResultId": previous});
    let answer = session
        .request("textDocument/semanticTokens/full/delta", params)
        .await;
    answer["result"].clone()
}

#[tokio::test]
async fn tokens_come_whole_as_a_range_and_as_what_has_changed() {
    let (mut session, capabilities) = Session::start(json!({"capabilities": {}})).await;
    let legend = &capabilities["capabilities"]["semanticTokensProvider"]["legend"];
    let place = |list: &Value, name: &str| {
        let names = list.as_array().unwrap();
        names.iter().position(|n| n == name).unwrap() as u64
    };
    session.open(URI, SCRIPT).await;
    let (id, before) = full(&mut session).await;
    assert_eq!(before.len() % 5, 0);
    assert_eq!(
        before[..5],
        [0, 0, 2, place(&legend["tokenTypes"], "comment"), 0]
    );
    let variable = place(&legend["tokenTypes"], "variable");
    let bit = |name: &str| 1 << place(&legend["tokenModifiers"], name);
    assert_eq!(
        before[5..10],
        [0, 3, 1, variable, bit("matrix") | bit("sparse")]
    );

    let params = json!({"textDocument": {"uri": URI}, "range": range([1, 0, 1, 4])});
    let part = session
        .request("textDocument/semanticTokens/range", params)
        .await;
    let part = numbers(&part["result"]["data"]);
    assert_eq!(
        part[..5],
        [
            1,
            0,
            1,
            variable,
            bit("modification") | bit("matrix") | bit("sparse")
        ]
    );
    assert_eq!(part.len(), 15, "X, =, read");

    // Two changes far apart, one of them with characters outside of the basic plane before it.
    let changes = [([8, 0, 8, 0], "k = 1\n"), ([1, 0, 1, 0], "n = 2\n")];
    session.change(URI, 2, &changes).await;
    let answer = delta(&mut session, &id).await;
    let now = applied(&before, &answer["edits"]);
    assert!(answer["edits"].as_array().unwrap().len() >= 2, "{answer}");
    let (_, whole) = full(&mut session).await;
    assert_eq!(now, whole);

    let unknown = delta(&mut session, "no such id").await;
    assert_eq!(
        numbers(&unknown["data"]),
        whole,
        "everything, for want of the old"
    );
    session.end().await;
}

#[tokio::test]
async fn deltas_stay_correct_over_many_edits() {
    let (mut session, _) = Session::start(json!({"capabilities": {}})).await;
    session.open(URI, SCRIPT).await;
    let (mut id, mut known) = full(&mut session).await;
    let edits = [
        ([0, 16, 0, 32], ""),
        ([6, 0, 6, 0], "z = (\n"),
        ([6, 5, 6, 5], "1)"),
        ([3, 0, 6, 0], ""),
        ([0, 0, 1, 0], ""),
        ([0, 0, 0, 0], "/* "),
        ([0, 0, 0, 3], ""),
    ];
    for (version, edit) in (2..).zip(edits) {
        session.change(URI, version, &[edit]).await;
        let answer = delta(&mut session, &id).await;
        known = applied(&known, &answer["edits"]);
        id = answer["resultId"].as_str().expect("an id").to_owned();
        let params = json!({"textDocument": {"uri": URI}, "range": range([0, 0, 1000, 0])});
        let whole = session
            .request("textDocument/semanticTokens/range", params)
            .await;
        assert_eq!(known, numbers(&whole["result"]["data"]), "after {edit:?}");
    }
    session.end().await;
}

#[tokio::test]
async fn folds_and_selections_need_the_text_alone() {
    let (mut session, _) = Session::start(json!({"capabilities": {}})).await;
    session.open(URI, SCRIPT).await;
    let folds = session
        .request("textDocument/foldingRange", document())
        .await;
    let folds = &folds["result"];
    assert_eq!(folds.as_array().map(Vec::len), Some(1), "{folds}");
    assert_eq!(
        (&folds[0]["startLine"], &folds[0]["endLine"]),
        (&json!(3), &json!(4)),
        "the closing brace stays in sight"
    );

    let positions = json!([{"line": 8, "character": 10}, {"line": 6, "character": 6}]);
    let params = json!({"textDocument": {"uri": URI}, "positions": positions});
    let chains = session.request("textDocument/selectionRange", params).await;
    let first = &chains["result"][0];
    assert_eq!(first["range"], range([8, 10, 8, 11]));
    assert_eq!(first["parent"]["range"], range([8, 6, 8, 12]));
    let text = &chains["result"][1];
    assert_eq!(
        text["range"],
        range([6, 5, 6, 7]),
        "columns count as agreed: {text}"
    );
    let answer = session
        .request(
            "textDocument/foldingRange",
            json!({"textDocument": {"uri": "file:///none.dml"}}),
        )
        .await;
    assert_eq!(answer["result"], Value::Null);
    session.end().await;
}

#[tokio::test]
async fn a_completion_is_offered_while_typing_and_documented_when_asked() {
    let item = json!({"snippetSupport": true});
    let capabilities = json!({"textDocument": {"completion": {"completionItem": item}}});
    let (mut session, _) = Session::start(json!({"capabilities": capabilities})).await;
    session.open(URI, SCRIPT).await;
    session
        .change(URI, 2, &[([8, 0, 8, 0], "r = as.sc\n")])
        .await;
    let params = json!({"textDocument": {"uri": URI}, "position": {"line": 8, "character": 9}});
    let answer = session.request("textDocument/completion", params).await;
    let items = answer["result"].as_array().expect("a list");
    let item = items.iter().find(|item| item["label"] == "as.scalar");
    let item = item.expect("it is offered").clone();
    assert_eq!(
        item["textEdit"],
        json!({"range": range([8, 4, 8, 9]), "newText": "as.scalar($0)"})
    );
    assert_eq!(item["documentation"], Value::Null, "only when asked");
    let resolved = session
        .request("completionItem/resolve", item.clone())
        .await;
    let text = resolved["result"]["documentation"]["value"]
        .as_str()
        .expect("documentation");
    assert!(text.contains("as.scalar("), "{text}");
    let own = items
        .iter()
        .find(|item| item["label"] == "scaled")
        .expect("it is offered");
    let resolved = session.request("completionItem/resolve", own.clone()).await;
    let text = resolved["result"]["documentation"]["value"]
        .as_str()
        .expect("documentation");
    assert!(text.contains("Scales."), "{text}");
    let foreign =
        json!({"label": "x", "data": {"uri": "file:///gone.dml", "topic": {"function": "f"}}});
    let resolved = session.request("completionItem/resolve", foreign).await;
    assert_eq!(resolved["result"]["label"], "x");
    session.end().await;
}

#[tokio::test]
async fn signatures_are_shown_as_the_client_takes_them() {
    for offsets in [true, false] {
        let info = json!({"parameterInformation": {"labelOffsetSupport": offsets}});
        let capabilities =
            json!({"textDocument": {"signatureHelp": {"signatureInformation": info}}});
        let (mut session, _) = Session::start(json!({"capabilities": capabilities})).await;
        session.open(URI, SCRIPT).await;
        session
            .change(URI, 2, &[([8, 0, 8, 0], "r = scaled(X, \n")])
            .await;
        let params =
            json!({"textDocument": {"uri": URI}, "position": {"line": 8, "character": 14}});
        let answer = session.request("textDocument/signatureHelp", params).await;
        let help = &answer["result"];
        assert_eq!(help["activeParameter"], 1, "{answer}");
        let label = &help["signatures"][0]["parameters"][1]["label"];
        let expected = if offsets {
            json!([25, 38])
        } else {
            json!("Double by = 2")
        };
        assert_eq!(*label, expected);
        let params = json!({"textDocument": {"uri": URI}, "position": {"line": 8, "character": 2}});
        let answer = session.request("textDocument/signatureHelp", params).await;
        assert_eq!(answer["result"], Value::Null);
        session.end().await;
    }
}

#[tokio::test]
async fn shapes_and_references_are_shown_once_they_are_switched_on() {
    let params = json!({"capabilities": {}, "initializationOptions": {"showsReferences": true, "trusted": false}});
    let (mut session, _) = Session::start(params).await;
    session.open(URI, SCRIPT).await;
    let everything = json!({"textDocument": {"uri": URI}, "range": range([0, 0, 100, 0])});
    let hints = session
        .request("textDocument/inlayHint", everything.clone())
        .await;
    assert_eq!(hints["result"], json!([]));
    let lenses = session.request("textDocument/codeLens", document()).await;
    assert_eq!(lenses["result"], json!([]));

    let settings = json!({"sumac": {"inlayHints": {"shapes": true, "enabled": false}, "codeLens": {"references": true}}});
    session
        .notify(
            "workspace/didChangeConfiguration",
            json!({"settings": settings}),
        )
        .await;
    let hints = session.request("textDocument/inlayHint", everything).await;
    assert_eq!(hints["result"][0]["label"], ": 1000 x 500 sparse 0.001");
    assert_eq!(
        hints["result"][0]["position"],
        json!({"line": 1, "character": 1})
    );
    let lenses = session.request("textDocument/codeLens", document()).await;
    let lens = lenses["result"][0].clone();
    assert_eq!(
        lens["command"],
        Value::Null,
        "calls are counted for what is in sight"
    );
    let lens = session.request("codeLens/resolve", lens).await;
    let command = &lens["result"]["command"];
    assert_eq!(command["title"], "1 reference", "{lens}");
    assert_eq!(command["command"], "sumac.showReferences");
    let place = json!({"uri": URI, "range": range([7, 4, 7, 10])});
    assert_eq!(
        command["arguments"],
        json!([URI, {"line": 3, "character": 0}, [place]])
    );
    session.end().await;
}
