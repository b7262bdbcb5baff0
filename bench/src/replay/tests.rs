//! A recorded session replays without a difference, and a recording that was tampered with is found out.

use serde_json::{Value, json};

use super::Speed;
use super::play::{Played, play};
use super::recording::{Entry, From, read};
use crate::client::in_process;
use xtask::workspace;

fn recorded() -> Vec<Entry> {
    let file = workspace::root().join("server/sumac/tests/recorded/editing.jsonl");
    let mut sessions = read(&file).unwrap();
    assert_eq!(sessions.len(), 1);
    sessions.remove(0)
}

fn played(entries: &[Entry]) -> Played {
    play(in_process::session(), entries, Speed::Fast)
}

/// Changes the first answer of the server to this method; says in which line.
fn tamper(entries: &mut [Entry], method: &str, change: impl Fn(&mut Value)) -> usize {
    let asked = entries.iter().find(|entry| entry.method() == Some(method));
    let id = asked.unwrap().id().unwrap().clone();
    let answer = entries.iter_mut().find(|entry| {
        entry.from == From::Server && entry.id() == Some(&id) && entry.method().is_none()
    });
    let answer = answer.unwrap();
    change(&mut answer.message["result"]);
    answer.line
}

#[test]
fn a_recorded_session_replays_without_a_difference() {
    let played = played(&recorded());
    assert_eq!(played.differences, Vec::<String>::new());
    // A replay that compares nothing shows nothing.
    assert!(played.compared >= 15, "{}", played.compared);
    assert!(played.to_string().contains("textDocument/hover: median"));
}

#[test]
fn an_answer_that_is_not_the_recorded_one_is_named_with_its_line() {
    let mut entries = recorded();
    let line = tamper(&mut entries, "textDocument/definition", |result| {
        result[0]["uri"] = json!("something else");
    });
    let played = played(&entries);
    let [difference] = &played.differences[..] else {
        panic!("{:?}", played.differences);
    };
    assert!(
        difference.starts_with(&format!("line {line}: textDocument/definition")),
        "{difference}"
    );
    assert!(
        difference.contains("/result/0/uri: expected \"something else\""),
        "{difference}"
    );
}

#[test]
fn problems_that_are_not_the_recorded_ones_are_named_with_their_version() {
    let mut entries = recorded();
    let published = entries.iter_mut().find(|entry| {
        entry.method() == Some("textDocument/publishDiagnostics")
            && entry.message["params"]["diagnostics"] != json!([])
    });
    let published = published.unwrap();
    published.message["params"]["diagnostics"] = json!([]);
    let (line, version) = (published.line, published.versioned().unwrap().1);
    let played = played(&entries);
    assert_eq!(played.differences.len(), 1, "{:?}", played.differences);
    let difference = &played.differences[0];
    let expected = format!("line {line}: problems of version {version}");
    assert!(difference.starts_with(&expected), "{difference}");
}

#[test]
fn an_answer_that_a_change_overtook_is_not_compared() {
    let mut entries = recorded();
    let asked = entries
        .iter()
        .position(|entry| entry.method() == Some("textDocument/hover"))
        .unwrap();
    let change = entries
        .iter()
        .rfind(|entry| entry.method() == Some("workspace/didChangeConfiguration"))
        .unwrap()
        .clone();
    tamper(&mut entries, "textDocument/hover", |result| {
        *result = Value::Null;
    });
    entries.insert(asked + 1, change);
    assert_eq!(played(&entries).differences, Vec::<String>::new());
}
