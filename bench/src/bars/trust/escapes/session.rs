//! An editor that opens a script in a workspace which the person does not trust, and asks what editors ask. Keeps all that the
//! server said.

use std::io::BufReader;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::runner::{Seen, end};
use super::world::Places;
use crate::client::process::Process;
use crate::client::profile::Profile;
use crate::client::{Launch, Session};

/// Requests about places in a text.
const PLACED: [&str; 7] = [
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
];

/// Requests about a document.
const WHOLE: [&str; 5] = [
    "textDocument/documentLink",
    "textDocument/codeLens",
    "textDocument/documentSymbol",
    "textDocument/diagnostic",
    "textDocument/semanticTokens/full",
];

/// Commands about a line of a document.
const COMMANDS: [&str; 7] = [
    "sumac.time",
    "sumac.schedule",
    "sumac.explain",
    "sumac.fusion",
    "sumac.alternatives",
    "sumac.sketch",
    "sumac.whyNoSuggestion",
];

/// Opens the script and asks. The server must end by itself when the editor leaves.
///
/// # Errors
/// The server cannot be started, or falls silent.
pub(super) fn open(mut command: Command, places: &Places, script: &str) -> Result<Seen> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("the server cannot be started")?;
    let input = child.stdin.take().context("the server has no input")?;
    let output = child.stdout.take().context("the server has no output")?;
    let process = Process::new(child.id());
    let mut session = Session::over(Box::new(input), BufReader::new(output));
    let asked = ask(&mut session, places, script);
    let peak_bytes = process.most_resident().unwrap_or(0);
    let asked = asked.and_then(|said| {
        session.call("shutdown", &Value::Null)?.good()?;
        session.notify("exit", &Value::Null)?;
        Ok(said)
    });
    drop(session);
    let mut ended = end(&mut child)?;
    ended.peak_bytes = peak_bytes;
    match asked {
        Ok(said) => ended.stdout = said,
        Err(error) => ended.stopped = Some(format!("{error:#}")),
    }
    Ok(Seen {
        ended,
        ..Seen::default()
    })
}

fn ask(session: &mut Session, places: &Places, script: &str) -> Result<String> {
    let mut profile = Profile::refreshing();
    profile.options = json!({"trusted": false});
    let launch = Launch {
        profile,
        ..Launch::new("server".as_ref()).in_folder(&places.work())
    };
    session.begin(&launch)?;
    let script = places.fill(script);
    let document = session.open(&places.work().join("a.dml"), &script)?;
    let mut said = Vec::new();
    let mut hear = |answer: &Value| said.push(answer.to_string());
    for method in WHOLE {
        let answer = session.call(method, &document.named())?;
        hear(&json!([answer.result, answer.error]));
    }
    // At each word that names something, and at the end of each line.
    let places_of_text = script
        .char_indices()
        .filter(|(at, c)| matches!(c, '"' | '(' | '=' | '\n') || *at == 0)
        .map(|(at, _)| document.at(at, session.encoding));
    let spots: Vec<Value> = places_of_text.collect();
    for method in PLACED {
        for spot in &spots {
            let mut params = spot.clone();
            params["context"] = json!({"includeDeclaration": true});
            let answer = session.call(method, &params)?;
            hear(&json!([answer.result, answer.error]));
        }
    }
    let mut rename = document.at(0, session.encoding);
    rename["newName"] = json!("other");
    let answer = session.call("textDocument/rename", &rename)?;
    hear(&json!([answer.result, answer.error]));
    let answer = session.call("workspace/symbol", &json!({"query": ""}))?;
    hear(&json!([answer.result, answer.error]));
    let answer = session.call("textDocument/inlayHint", &document.whole())?;
    hear(&json!([answer.result, answer.error]));
    for command in COMMANDS {
        for line in 0..script.lines().count() {
            let params = json!({"command": command, "arguments": [document.uri, line]});
            let answer = session.call("workspace/executeCommand", &params)?;
            hear(&json!([answer.result, answer.error]));
        }
    }
    if let Ok(published) = session.diagnostics(&document) {
        hear(&published.diagnostics);
    }
    Ok(said.join("\n"))
}
