//! How long a person waits: from a keystroke to its diagnostics and to its hint, and for hovers and completions while a
//! search runs.
//!
//! The clock runs from the write of `didChange`, or of the request, until the last byte of the answer has been read.
//! Diagnostics belong to a keystroke if they carry its version.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::super::keystroke;
use super::super::synthetic;
use super::super::times::Times;
use super::typing::{KINDS, Kind, Typist};
use super::{heavy, settled};
use crate::bars::Sumac;
use crate::client::document::{Document, Edit};
use crate::client::{Launch, Session};
use crate::report::Report;

const LINES: usize = 2000;
const DIAGNOSTICS_MEDIAN_MS: f64 = 10.0;
const DIAGNOSTICS_P99_MS: f64 = 50.0;
const ANSWER_P99_MS: f64 = 30.0;
const HINT_MEDIAN_MS: f64 = 60.0;
const HINT_P99_MS: f64 = 250.0;

/// Things typed of each kind.
const THINGS: usize = 8;
/// A fast typist's time between two keystrokes.
const PACE: Duration = Duration::from_millis(60);
/// Answers of each kind while a search runs.
const ANSWERS: usize = 200;
/// A search is taken to run if the server computed for this long …
const BUSY: Duration = Duration::from_millis(1);
/// … during this.
const LOOK: Duration = Duration::from_millis(3);
/// A search begins some time after the edit that asks for it, and at the latest after this.
const BEGINS: Duration = Duration::from_secs(1);

/// Measures and judges.
pub(super) fn measure(report: &mut Report, sumac: &Sumac) {
    report.heading(&format!("From a keystroke to diagnostics, {LINES} lines"));
    let scripts = [
        (
            "functions and a short main program",
            synthetic::modular(LINES),
        ),
        ("one long main program", synthetic::monolith(LINES)),
    ];
    let target = format!("median <= {DIAGNOSTICS_MEDIAN_MS} ms, p99 <= {DIAGNOSTICS_P99_MS} ms");
    for (name, text) in &scripts {
        for (rhythm, pace) in [
            ("60 ms apart", PACE),
            ("as soon as the last is answered", Duration::ZERO),
        ] {
            let name = format!("{name}, keystrokes {rhythm}");
            let measured = diagnostics(sumac, text, pace);
            if let Some(by_kind) = report.expect(&name, &target, measured) {
                let mut all = Times::default();
                for (kind, times) in &by_kind {
                    report.note(&format!("{:<32} {times}", kind.name));
                    all = all.and(times);
                }
                let holds = all.median() <= DIAGNOSTICS_MEDIAN_MS
                    && all.percentile(99) <= DIAGNOSTICS_P99_MS;
                report.bar(&name, &all.to_string(), &target, holds);
            }
        }
    }
    report.heading("Answers while a search runs");
    let target = format!("p99 <= {ANSWER_P99_MS} ms");
    for method in ["textDocument/hover", "textDocument/completion"] {
        let measured = while_searching(sumac, method);
        if let Some(times) = report.expect(method, &target, measured) {
            let holds = times.percentile(99) <= ANSWER_P99_MS;
            report.bar(method, &times.to_string(), &target, holds);
        }
    }
    report.heading("From a keystroke to the refreshed hint of a changed statement");
    let target = format!(
        "median <= {HINT_MEDIAN_MS} ms, p99 <= {HINT_P99_MS} ms, every hint that of the typed text"
    );
    let name = "the loss of ALS";
    if let Some(latency) =
        report.expect(name, &target, keystroke::measure(sumac, keystroke::ROUNDS))
    {
        let times = &latency.times;
        let holds = times.median() <= HINT_MEDIAN_MS
            && times.percentile(99) <= HINT_P99_MS
            && latency.wrong.is_empty();
        report.bar(name, &latency.to_string(), &target, holds);
    }
}

fn diagnostics(sumac: &Sumac, text: &str, pace: Duration) -> Result<Vec<(&'static Kind, Times)>> {
    let (mut session, mut document) = settled(&sumac.program, text)?;
    let mut typist = Typist::new();
    let mut all: Vec<(&Kind, Vec<Duration>)> =
        KINDS.iter().map(|kind| (kind, Vec::new())).collect();
    for _ in 0..THINGS {
        for (kind, times) in &mut all {
            for edit in typist.keystrokes(kind, &document.text) {
                let clock = session.change(&mut document, &[edit])?;
                let published = session.diagnostics(&document)?;
                times.push(published.at.duration_since(clock));
                std::thread::sleep(pace.saturating_sub(clock.elapsed()));
            }
        }
    }
    session.end()?;
    all.retain(|(_, times)| !times.is_empty());
    Ok(all
        .into_iter()
        .map(|(kind, times)| (kind, Times::new(times)))
        .collect())
}

/// Times of answers that were asked for, and given, while a search ran.
fn while_searching(sumac: &Sumac, method: &str) -> Result<Times> {
    let functions = synthetic::modular(LINES);
    let text = format!("{functions}{}", heavy::script(heavy::KINDS - 1, 1));
    let mut session = Session::start(&Launch::new(&sumac.program))?;
    let mut document = session.open(Path::new("/scripts/heavy.dml"), &text)?;
    session.diagnostics(&document)?;
    session.settle()?;
    let places: Vec<usize> = text
        .match_indices("ncol(X)")
        .map(|(at, _)| at + 2)
        .collect();
    let mut times = Vec::new();
    for number in 2..20 * ANSWERS {
        if times.len() >= ANSWERS {
            break;
        }
        search_anew(&mut session, &mut document, number)?;
        session.diagnostics(&document)?;
        let edited = Instant::now();
        while !computes(&mut session)? && edited.elapsed() < BEGINS {}
        while times.len() < ANSWERS && computes(&mut session)? {
            let place = places[times.len() * 31 % places.len()];
            let params = document.at(place, session.encoding);
            let clock = Instant::now();
            let answer = session.call(method, &params)?;
            let time = answer.at.duration_since(clock);
            anyhow::ensure!(
                !answer.good()?.is_null(),
                "no answer at byte {place} of the script"
            );
            // A search that ended meanwhile was no burden.
            if computes(&mut session)? {
                times.push(time);
            }
        }
    }
    anyhow::ensure!(
        times.len() >= ANSWERS,
        "only {} answers fell into a search",
        times.len()
    );
    session.end()?;
    Ok(Times::new(times))
}

fn search_anew(session: &mut Session, document: &mut Document, number: usize) -> Result<()> {
    let edit = Edit {
        range: heavy::place(&document.text)?,
        text: heavy::heavy(heavy::KINDS - 1, number),
    };
    session.change(document, &[edit])?;
    Ok(())
}

fn computes(session: &mut Session) -> Result<bool> {
    let before = session.process.computed()?;
    std::thread::sleep(LOOK);
    Ok(session.process.computed()? >= before + BUSY)
}
