//! From a keystroke to the hint that belongs to it, over stdio with the release build.
//!
//! Every keystroke leaves a text that was never seen before, so that no cache of results can answer. The clock runs
//! from the write of `didChange` until the answer with a new hint that can be accepted has been read. After all
//! rounds each hint is held against what `sumac optimize` makes of the same text: a hint of another text is a wrong
//! one however fast it came.

use std::fmt;
use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::Value;

use super::client::{LineEdit, Session, accept};
use crate::bars::Sumac;
use crate::workspace;

/// Keystrokes of one measurement.
pub(crate) const ROUNDS: usize = 40;

const FIXTURE: &str = "fixtures/als_loss.dml";
const LOSS: &str = "loss = sum((X - U %*% t(V))^2)";

/// What a measurement found.
pub(crate) struct Latency {
    /// Milliseconds, the fastest first.
    sorted_ms: Vec<f64>,
    /// Rounds whose hint was that of another text, with what was expected.
    pub(crate) wrong: Vec<String>,
}

impl Latency {
    /// The median in milliseconds.
    pub(crate) fn median_ms(&self) -> f64 {
        let n = self.sorted_ms.len();
        f64::midpoint(self.sorted_ms[(n - 1) / 2], self.sorted_ms[n / 2])
    }

    /// The smallest figure that 95 of 100 do not exceed, in milliseconds.
    fn p95_ms(&self) -> f64 {
        let rank = (self.sorted_ms.len() * 95).div_ceil(100);
        self.sorted_ms[rank.max(1) - 1]
    }
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "median {:.1} ms, p95 {:.1} ms, fastest {:.1} ms, slowest {:.1} ms, n = {}; asked after each change \
             and at each refresh, never polled",
            self.median_ms(),
            self.p95_ms(),
            self.sorted_ms[0],
            self.sorted_ms[self.sorted_ms.len() - 1],
            self.sorted_ms.len()
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
    ms: f64,
}

/// Measures `rounds` keystrokes.
///
/// # Errors
/// The session failed, or the fixture does not hold the loss.
pub(crate) fn measure(sumac: &Sumac, rounds: usize) -> Result<Latency> {
    anyhow::ensure!(rounds > 0, "nothing to measure");
    let path = workspace::root().join(FIXTURE);
    let text = fs::read_to_string(&path)?;
    let line = text
        .lines()
        .position(|line| line == LOSS)
        .with_context(|| format!("{FIXTURE} has no line `{LOSS}`"))?;
    let rounds = type_and_wait(sumac, &path, &text, line, rounds)?;
    let mut wrong = Vec::new();
    for round in &rounds {
        let expected = applied_by_command(sumac, &round.text)?;
        let accepted = accept(&round.text, &round.edits)?;
        if accepted != expected {
            wrong.push(format!("{accepted:?} instead of {expected:?}"));
        }
    }
    let mut sorted_ms: Vec<f64> = rounds.iter().map(|round| round.ms).collect();
    sorted_ms.sort_by(f64::total_cmp);
    Ok(Latency { sorted_ms, wrong })
}

fn type_and_wait(
    sumac: &Sumac,
    path: &Path,
    text: &str,
    line: usize,
    rounds: usize,
) -> Result<Vec<Round>> {
    let mut session = Session::start(&sumac.program)?;
    let mut document = session.open(path, text)?;
    let first = session.hints_until(&document, |_| true)?;
    let mut shown = first.hints[0].label.clone();
    let mut now = LOSS.to_owned();
    let mut done = Vec::new();
    for coefficient in 2..2 + rounds {
        let next = format!("loss = sum((X - {coefficient} * (U %*% t(V)))^2)");
        let edit = difference(line, &now, &next);
        let clock = Instant::now();
        session.change(&mut document, &edit)?;
        let answer = session.hints_until(&document, |hints| hints[0].label != shown)?;
        let ms = answer.at.duration_since(clock).as_secs_f64() * 1e3;
        let [hint] = &answer.hints[..] else {
            anyhow::bail!("{} hints for one loss", answer.hints.len());
        };
        shown.clone_from(&hint.label);
        done.push(Round {
            text: text.replace(LOSS, &next),
            edits: hint.edits.clone(),
            ms,
        });
        now = next;
    }
    session.end()?;
    Ok(done)
}

/// What changes between two versions of a line, as small as a keystroke.
fn difference(line: usize, old: &str, new: &str) -> LineEdit {
    let same = |a: &mut dyn Iterator<Item = (u8, u8)>| a.take_while(|(a, b)| a == b).count();
    let start = same(&mut old.bytes().zip(new.bytes()));
    let longest = old.len().min(new.len()) - start;
    let end = same(&mut old.bytes().rev().zip(new.bytes().rev())).min(longest);
    LineEdit {
        line,
        columns: (start, old.len() - end),
        text: new[start..new.len() - end].to_owned(),
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

    fn latency(ms: &[f64]) -> Latency {
        Latency {
            sorted_ms: ms.to_vec(),
            wrong: Vec::new(),
        }
    }

    #[test]
    fn median_and_percentile_of_few_figures() {
        assert_eq!(latency(&[7.0]).median_ms(), 7.0);
        assert_eq!(latency(&[1.0, 2.0, 3.0, 10.0]).median_ms(), 2.5);
        assert_eq!(latency(&[7.0]).p95_ms(), 7.0);
        let forty: Vec<f64> = (1..=40).map(f64::from).collect();
        assert_eq!(latency(&forty).p95_ms(), 38.0);
    }

    #[test]
    fn a_difference_is_as_small_as_a_keystroke_and_leads_from_old_to_new() {
        for (old, new) in [
            ("a 2 b", "a 3 b"),
            ("a 9 b", "a 10 b"),
            ("aa", "aaa"),
            ("x", "x"),
        ] {
            let LineEdit { columns, text, .. } = difference(0, old, new);
            let mut edited = old.to_owned();
            edited.replace_range(columns.0..columns.1, &text);
            assert_eq!(edited, new);
            assert!(text.len() <= 2);
        }
    }
}
