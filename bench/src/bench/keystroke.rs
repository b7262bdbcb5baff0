//! From a keystroke to the hint that belongs to it, over stdio with the release build.
//!
//! Every keystroke leaves a text that was never seen before, so that no cache of results can answer. The clock runs
//! from the write of `didChange` until the answer with a new hint that can be accepted has been read. After all
//! rounds each hint is held against what `sumac optimize` makes of the same text: a hint of another text is a wrong
//! one however fast it came.

use std::fmt;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

use super::times::Times;
use crate::bars::Sumac;
use crate::client::document::{Edit, Encoding, accept};
use crate::client::{Launch, Session};
use xtask::workspace;

/// Keystrokes of one measurement.
pub(crate) const ROUNDS: usize = 200;

const FIXTURE: &str = "fixtures/als_loss.dml";
const LOSS: &str = "loss = sum((X - U %*% t(V))^2)";

/// What a measurement found.
pub(crate) struct Latency {
    pub(crate) times: Times,
    /// Rounds whose hint was that of another text, with what was expected.
    pub(crate) wrong: Vec<String>,
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}; asked after each change and at each refresh, never polled",
            self.times
        )?;
        if let Some(first) = self.wrong.first() {
            write!(f, "; {} hints of another text: {first}", self.wrong.len())?;
        }
        Ok(())
    }
}

/// One keystroke and what came of it.
struct Round {
    text: String,
    edits: Vec<Value>,
    time: Duration,
}

/// Measures `rounds` keystrokes.
///
/// # Errors
/// The session failed, or the fixture does not hold the loss.
pub(crate) fn measure(sumac: &Sumac, rounds: usize) -> Result<Latency> {
    anyhow::ensure!(rounds > 0, "nothing to measure");
    let path = workspace::root().join(FIXTURE);
    let text = fs::read_to_string(&path)?;
    let start = text
        .find(LOSS)
        .with_context(|| format!("{FIXTURE} has no line `{LOSS}`"))?;
    let rounds = type_and_wait(sumac, &path, &text, start, rounds)?;
    let mut wrong = Vec::new();
    for round in &rounds {
        let expected = applied_by_command(sumac, &round.text)?;
        let accepted = accept(&round.text, &round.edits, Encoding::Utf16)?;
        if accepted != expected {
            wrong.push(format!("{accepted:?} instead of {expected:?}"));
        }
    }
    Ok(Latency {
        times: Times::new(rounds.iter().map(|round| round.time)),
        wrong,
    })
}

fn type_and_wait(
    sumac: &Sumac,
    path: &Path,
    text: &str,
    start: usize,
    rounds: usize,
) -> Result<Vec<Round>> {
    let mut session = Session::start(&Launch::new(&sumac.program))?;
    let mut document = session.open(path, text)?;
    let (_, first) = session.hints_until(&document, |_| true)?;
    let mut shown = first[0].label.clone();
    let mut now = LOSS.to_owned();
    let mut done = Vec::new();
    for coefficient in 2..2 + rounds {
        let next = format!("loss = sum((X - {coefficient} * (U %*% t(V)))^2)");
        let edit = difference(start, &now, &next);
        let clock = session.change(&mut document, &[edit])?;
        let (at, hints) = session.hints_until(&document, |hints| hints[0].label != shown)?;
        let [hint] = &hints[..] else {
            anyhow::bail!("{} hints for one loss", hints.len());
        };
        shown.clone_from(&hint.label);
        done.push(Round {
            text: document.text.clone(),
            edits: hint.edits.clone(),
            time: at.duration_since(clock),
        });
        now = next;
    }
    session.end()?;
    Ok(done)
}

/// What changes between two versions of a text that starts at a byte, as small as a keystroke.
fn difference(start: usize, old: &str, new: &str) -> Edit {
    let same = |a: &mut dyn Iterator<Item = (u8, u8)>| a.take_while(|(a, b)| a == b).count();
    let head = same(&mut old.bytes().zip(new.bytes()));
    let longest = old.len().min(new.len()) - head;
    let tail = same(&mut old.bytes().rev().zip(new.bytes().rev())).min(longest);
    Edit {
        range: start + head..start + old.len() - tail,
        text: new[head..new.len() - tail].to_owned(),
    }
}

fn applied_by_command(sumac: &Sumac, text: &str) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("loss.dml");
    fs::write(&file, text)?;
    let path = file.to_str().context("the path is no text")?;
    let output = sumac.call(&["optimize", "--apply", path])?;
    anyhow::ensure!(
        output.status.success(),
        "`sumac optimize --apply` failed: {}",
        output.status
    );
    Ok(fs::read_to_string(&file)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_as_small_as_a_keystroke_and_leads_from_old_to_new() {
        for (old, new) in [
            ("a 2 b", "a 3 b"),
            ("a 9 b", "a 10 b"),
            ("aa", "aaa"),
            ("x", "x"),
        ] {
            let Edit { range, text } = difference(0, old, new);
            let mut edited = old.to_owned();
            edited.replace_range(range, &text);
            assert_eq!(edited, new);
            assert!(text.len() <= 2);
        }
    }
}
