//! Faults of a language server: of its workers, its pipes, its client and itself.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Result;
use rand::RngExt;
use serde_json::{Value, json};

use super::common::{Dice, PROMPT};
use super::ground::Ground;
use super::killed::SIGNALS;
use super::session::Server;
use super::tally::{Seen, What};
use super::{command, processes, scenes};

/// What the server does when the fault comes.
#[derive(Clone, Copy, Debug)]
enum Busy {
    Idle,
    /// It searches for cheaper forms, for the document was just opened.
    Searching,
    /// It answers many questions.
    Asked,
    /// A worker of its own times a statement.
    Timing,
}

const BUSY: [Busy; 4] = [Busy::Idle, Busy::Searching, Busy::Asked, Busy::Timing];

/// A server with a document that was typed into.
fn opened<'a>(ground: &'a Ground, process: Option<u32>, dice: &mut Dice) -> Result<Server<'a>> {
    opened_with(ground, &[], process, dice)
}

/// The same with arguments.
pub(super) fn opened_with<'a>(
    ground: &'a Ground,
    arguments: &[String],
    process: Option<u32>,
    dice: &mut Dice,
) -> Result<Server<'a>> {
    let text = scenes::loss(dice, 2000, 1000);
    let mut server = Server::open(ground, arguments, process, &text)?;
    if dice.random_bool(0.7) {
        server.typed(dice)?;
    }
    Ok(server)
}

/// Brings the server to a moment of its work.
fn keep_busy(server: &mut Server<'_>, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    let busy = BUSY[dice.random_range(0..BUSY.len())];
    seen.does(format!("{busy:?}"));
    match busy {
        Busy::Idle => {
            server.request("textDocument/codeLens", &server.document.named())?;
            pause(dice, 200);
        }
        Busy::Searching => pause(dice, 60),
        Busy::Asked => {
            let named = server.document.named();
            for _ in 0..dice.random_range(1..60) {
                server.request("textDocument/semanticTokens/full", &named)?;
            }
        }
        Busy::Timing => {
            server.time_it()?;
            pause(dice, 1200);
        }
    }
    Ok(())
}

fn pause(dice: &mut Dice, milliseconds: u64) {
    let time = Duration::from_micros(dice.random_range(0..milliseconds * 1000));
    std::thread::sleep(time);
}

/// A worker is killed while it times a statement: that is an error of the timing, and everything else goes on.
pub(super) fn worker_killed(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    let mut server = opened(ground, None, dice)?;
    let (timing, workers) = server.time_it()?;
    pause(dice, 1200);
    let types_meanwhile = dice.random_bool(0.5);
    if types_meanwhile {
        server.typed(dice)?;
    }
    seen.does(format!("typed meanwhile: {types_meanwhile}"));
    for worker in workers {
        processes::signal(worker.pid, "KILL")?;
    }
    let asked = Instant::now();
    match server.answer(timing, PROMPT * 2)? {
        None => seen.took("the answer of the timing", PROMPT * 2),
        Some(answer) => {
            seen.took("the answer of the timing", asked.elapsed());
            let told = answer["error"]["message"].as_str().unwrap_or_default();
            if !told.contains("worker ended without a result") {
                seen.wrong(What::Unclear, format!("the timing is answered {answer}"));
            }
        }
    }
    server.judge(seen)?;
    if dice.random_bool(0.2) {
        let (again, _) = server.time_it()?;
        // As long as a timing takes.
        let answer = server.answer(again, PROMPT * 10)?;
        let title = answer.as_ref().map(|answer| &answer["result"]["title"]);
        if title.is_none_or(|title| !title.is_string()) {
            seen.wrong(
                What::Lost,
                format!("the next timing is answered {answer:?}"),
            );
        }
    }
    server.end(seen)?;
    Ok(())
}

/// The input ends, perhaps in the middle of a message: the server ends, and all that it started.
pub(super) fn input_closed(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    let mut server = opened(ground, None, dice)?;
    keep_busy(&mut server, dice, seen)?;
    cut_message(&mut server, dice, seen)?;
    server.close_input();
    judge_abrupt_end(&mut server, seen)
}

/// Perhaps sends the beginning of a message.
fn cut_message(server: &mut Server<'_>, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    if dice.random_bool(0.6) {
        let text = "y".repeat(dice.random_range(1..20_000));
        let params = json!({"textDocument": {"uri": server.document.uri}, "text": text});
        let message = json!({"jsonrpc": "2.0", "id": 70_000, "method": "textDocument/hover", "params": params});
        let bytes = crate::client::wire::framed(&message);
        let sent = dice.random_range(1..bytes.len());
        seen.does(format!("{sent} of {} bytes of a message", bytes.len()));
        server.raw(&bytes[..sent])?;
    }
    Ok(())
}

/// An end that nobody announced is one, with exit code 1.
fn judge_abrupt_end(server: &mut Server<'_>, seen: &mut Seen) -> Result<()> {
    let (code, said) = server.ended(seen)?;
    if code != Some(1) {
        let said = command::short(&said);
        seen.wrong(
            What::Unclear,
            format!("the server ended with {code:?}: {said}"),
        );
    }
    Ok(())
}

/// Nobody reads what the server says, and then the input ends.
pub(super) fn output_gone(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    let mut server = opened(ground, None, dice)?;
    let stalls = dice.random_bool(0.4);
    seen.does(if stalls {
        "output stalled"
    } else {
        "output closed"
    });
    if stalls {
        server.stall_output()?;
    } else {
        server.close_output()?;
    }
    // More than pipes hold, if the server says it.
    let named = server.document.named();
    for _ in 0..dice.random_range(0..200) {
        // The server may end at once where nobody reads.
        if server
            .request("textDocument/semanticTokens/full", &named)
            .is_err()
        {
            break;
        }
    }
    pause(dice, 300);
    server.close_input();
    judge_abrupt_end(&mut server, seen)
}

/// The whole client goes: both pipes at once, or its process while something else holds the pipes open.
pub(super) fn client_gone(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    let holds_pipes = dice.random_bool(0.5);
    seen.does(format!("pipes held open by another: {holds_pipes}"));
    if !holds_pipes {
        let mut server = opened(ground, None, dice)?;
        keep_busy(&mut server, dice, seen)?;
        cut_message(&mut server, dice, seen)?;
        server.close_input();
        server.close_output()?;
        return judge_abrupt_end(&mut server, seen);
    }
    let mut client = Command::new("sleep")
        .arg("600")
        .stdin(Stdio::null())
        .spawn()?;
    let server = opened(ground, Some(client.id()), dice);
    let busy = server.and_then(|mut server| {
        keep_busy(&mut server, dice, seen)?;
        Ok(server)
    });
    client.kill()?;
    client.wait()?;
    judge_abrupt_end(&mut busy?, seen)
}

/// The server itself is ended by a signal: what it recorded is whole, and a next one on the same cache does well.
pub(super) fn killed(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    ground.fill(&[("sumac.toml".to_owned(), KEEPING.into())].into())?;
    let record = ground.temporary().join("session.jsonl");
    let arguments = scenes::words(&["--record", &record.to_string_lossy()]);
    let mut server = opened_with(ground, &arguments, None, dice)?;
    keep_busy(&mut server, dice, seen)?;
    let signal = SIGNALS[dice.random_range(0..SIGNALS.len())];
    seen.does(format!("SIG{signal}"));
    let document = server.document.clone();
    server.signal(signal)?;
    server.ended(seen)?;
    drop(server);
    if let Some(why) = unreadable(&std::fs::read(&record)?) {
        seen.wrong(What::Half, format!("the recording: {why}"));
    }
    let mut next = Server::open(ground, &arguments, None, &document.text)?;
    next.judge(seen)?;
    next.end(seen)?;
    Ok(())
}

/// Results of searches are kept in the cache.
pub(super) const KEEPING: &str = "[search]\nkeep = true\n";

/// Why a recording cannot be read; the last line may be cut off.
pub(super) fn unreadable(recording: &[u8]) -> Option<String> {
    let whole = match recording.iter().rposition(|byte| *byte == b'\n') {
        Some(end) => &recording[..end],
        None => return Some("there is no line".to_owned()),
    };
    whole
        .split(|byte| *byte == b'\n')
        .enumerate()
        .find_map(|(number, line)| {
            let read = serde_json::from_slice::<Value>(line);
            read.err()
                .map(|error| format!("line {}: {error}", number + 1))
        })
}

/// Messages that are none, or are cut: each costs no more than an error, and the text stays.
pub(super) fn garbled(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    let mut server = opened(ground, None, dice)?;
    for _ in 0..dice.random_range(1..20) {
        let bytes = nonsense(dice);
        seen.does(String::from_utf8_lossy(&bytes).into_owned());
        server.raw(&bytes)?;
        if dice.random_bool(0.3) {
            server.typed(dice)?;
        }
    }
    server.judge(seen)?;
    server.end(seen)?;
    Ok(())
}

/// Bytes that are no message, after which the next message can be told.
fn nonsense(dice: &mut Dice) -> Vec<u8> {
    let whole = json!({
        "jsonrpc": "2.0", "id": -1, "method": "textDocument/hover",
        "params": {"textDocument": {"uri": "file:///none.dml"}, "position": {"line": 0, "character": 0}},
    });
    let mut body = whole.to_string().into_bytes();
    match dice.random_range(0..4) {
        0 => body.truncate(dice.random_range(0..body.len())),
        1 => {
            let at = dice.random_range(0..body.len());
            body[at] = dice.random();
        }
        2 => {
            body = (0..dice.random_range(0..300))
                .map(|_| dice.random())
                .collect();
        }
        _ => body.clear(),
    }
    if dice.random_bool(0.2) {
        let head = ["Content-Length: many", "no header", "Content-Length:"];
        return format!("{}\r\n\r\n", head[dice.random_range(0..head.len())]).into_bytes();
    }
    let mut bytes = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    bytes.extend(body);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_line_of_a_recording_may_be_cut() {
        assert_eq!(unreadable(b"{\"form\":1}\n{\"at\": 1}\n{\"at\""), None);
        assert!(unreadable(b"{\"form\":1}\n{\"at\"\n{}\n").is_some());
        assert!(unreadable(b"{\"fo").is_some());
    }
}
