//! Loop nests for products: offered where there is one, found by a sketch, and never run where nothing may run.

use serde_json::{Value, json};

use crate::client::Session;
use crate::{URI, actions};

const PRODUCT: &str = "\
#@ A: 64 x 96
#@ B: 96 x 32
#@ S: 64 x 96, sparsity 0.01
A = read($A)
B = read($B)
S = read($S)
C = A %*% B
D = S %*% B
print(sum(C) + sum(D))
";

const OFFER: &str = "Schedule with sketch …";

async fn start(options: Value) -> Session {
    let params = json!({"capabilities": {}, "initializationOptions": options});
    Session::start(params).await.0
}

/// The answer to the command for the line of the product.
async fn scheduled(session: &mut Session, line: u32, sketch: Value) -> Value {
    let arguments = json!([URI, line, 1, sketch]);
    let params = json!({"command": "sumac.schedule", "arguments": arguments});
    session.request("workspace/executeCommand", params).await
}

async fn text_of(session: &mut Session, answer: &Value) -> String {
    let uri = &answer["result"]["uri"];
    let answer = session.request("sumac/document", json!({"uri": uri})).await;
    answer["result"]["text"].as_str().unwrap().to_owned()
}

fn message(refused: &Value) -> &str {
    refused["error"]["message"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn dense_products_are_offered_and_a_client_may_choose_in_its_own_way() {
    for (options, command) in [
        (json!({}), "sumac.schedule"),
        (json!({"picksSchedules": true}), "sumac.pickSchedule"),
    ] {
        let mut session = start(options).await;
        session.open(URI, PRODUCT).await;
        for line in [7, 8] {
            let offered = actions(&mut session, line, None).await;
            assert!(
                offered.iter().all(|action| action["title"] != OFFER),
                "{offered:?}"
            );
        }
        let offered = actions(&mut session, 6, Some("refactor.explain")).await;
        let offer = offered.iter().find(|action| action["title"] == OFFER);
        let offer = offer.unwrap_or_else(|| panic!("{offered:?}"));
        assert_eq!(offer["command"]["command"], command);
        assert_eq!(offer["command"]["arguments"], json!([URI, 6]));
        session.end().await;
    }
}

#[tokio::test]
async fn the_sketches_to_choose_from_are_those_that_are_there_and_the_workspace_s_own() {
    let mut session = start(json!({"picksSchedules": true})).await;
    session.open(URI, PRODUCT).await;
    let own = "# Rows only.\nsketch rows(m) on array { goal ? using split }\n";
    let opened = json!({"textDocument": {
        "uri": "file:///scripts/own.sketch", "languageId": "sumac-sketch", "version": 1, "text": own,
    }});
    session.notify("textDocument/didOpen", opened).await;
    let params = json!({"uri": URI, "line": 6, "version": 1});
    let found = session.request("sumac/schedules", params).await["result"].clone();
    assert_eq!(found["title"], "Loops for a product, 64 x 96 times 96 x 32");
    let items = found["items"].as_array().unwrap();
    assert_eq!(items[0]["sketch"], Value::Null);
    assert_eq!(
        items[1],
        json!({"title": "rows", "detail": "Rows only.", "sketch": "rows"})
    );
    let names: Vec<&str> = items[2..]
        .iter()
        .map(|item| item["sketch"].as_str().unwrap())
        .collect();
    assert_eq!(names, sumac_array::steps::NESTS);
    session.end().await;
}

#[tokio::test]
async fn where_nothing_may_run_the_loops_are_shown_without_times() {
    let mut session = start(json!({"trusted": false})).await;
    session.open(URI, PRODUCT).await;
    let offered = actions(&mut session, 6, None).await;
    assert!(
        offered.iter().all(|action| action["title"] != OFFER),
        "{offered:?}"
    );
    let answer = scheduled(&mut session, 6, json!("blocking")).await;
    let text = text_of(&mut session, &answer).await;
    for part in [
        "# Loop nests of loss.dml:7",
        "C = A %*% B",
        "A product of dense matrices, 64 x 96 times 96 x 32.",
        "| blocking | – |  | not run: the workspace is not trusted |",
        "## The loops of blocking",
        "## blocking as C",
        "for (",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    session.end().await;
}

#[tokio::test]
async fn what_cannot_be_scheduled_is_refused_with_its_reason() {
    let mut session = start(json!({"trusted": false})).await;
    session.open(URI, PRODUCT).await;
    let refused = scheduled(&mut session, 8, Value::Null).await;
    assert!(
        message(&refused).contains("no product of dense matrices with known sizes on line 9"),
        "{refused}"
    );
    let answer = scheduled(&mut session, 6, json!("nothing")).await;
    let text = text_of(&mut session, &answer).await;
    assert!(text.contains("| nothing | – |  | there is no"), "{text}");
    let arguments = json!([URI, 6, 0, "blocking"]);
    let params = json!({"command": "sumac.schedule", "arguments": arguments});
    let stale = session.request("workspace/executeCommand", params).await;
    assert!(message(&stale).contains("has changed since"), "{stale}");
    session.end().await;
}
