//! Whole algorithms with every policy of fusion: what the cheapest plan gains, and that it never loses against the
//! heuristics or against no fusion; and that compressing what seems worth it never loses, either.

use std::fs;

use anyhow::{Context, Result};

use super::cases::CASES;
use super::{agree, figures, timed};
use crate::bars::Sumac;
use crate::report::Report;

/// As `sumac run --fusion` calls them; the first is held against the others.
const POLICIES: [&str; 4] = ["cost", "none", "all", "no-redundancy"];

/// As `sumac run --compress` calls them.
const COMPRESSION: [&str; 2] = ["auto", "never"];

/// A loop over a matrix of few values whose columns go together: what compression is for.
const CATEGORIES: &str = "\
F = round(rand(rows=400000, cols=8, seed=1) * 7)
X = cbind(F, F * 2 + 1, F^2, F - 3, F > 2, F * F * F)
y = F %*% matrix(1, rows=8, cols=1)
w = matrix(0, rows=48, cols=1)
began = time()
for (i in 1:400) {
  r = X %*% w - y
  w = w - 1e-10 * (t(X) %*% r)
}
print(\"NUMBER \" + sum(abs(w)))
print(\"TIME \" + (time() - began))
";

/// How often each runs at least, in turns; the fastest counts.
const ROUNDS: usize = 3;

/// How often each runs where that says that a bar does not hold: a run that memory served badly is slower by more than the bars
/// allow. All sides run as often, and nothing ends it early.
const MOST_ROUNDS: usize = 9;

/// What the cheapest plan may take of the best other's time, and what compression where it pays may take of none.
const MOST: f64 = 1.05;

/// What it may take where it does pay.
const PAYS: f64 = 0.8;

/// Times every algorithm with every policy.
pub(crate) fn measure(report: &mut Report, sumac: &Sumac) {
    report.note(&format!(
        "seconds of a whole algorithm as written, fastest of {ROUNDS} rounds or of {MOST_ROUNDS}: {}",
        POLICIES.join(", ")
    ));
    for case in CASES {
        let target = format!("<= {MOST} of the best other policy");
        let seen = timed(case).and_then(|text| of(&text, sumac, "--fusion", POLICIES, MOST));
        judge(report, case.name, &target, MOST, seen);
    }
}

/// Times every algorithm, and a loop that compression is for, with and without compression where it pays.
pub(crate) fn measure_compression(report: &mut Report, sumac: &Sumac) {
    report.note(&format!(
        "seconds of a whole algorithm as written, fastest of {ROUNDS} rounds or of {MOST_ROUNDS}: {}",
        COMPRESSION.join(", ")
    ));
    let measured = |text: Result<String>, most: f64| {
        text.and_then(|text| of(&text, sumac, "--compress", COMPRESSION, most))
    };
    for case in CASES {
        let target = format!("<= {MOST} of never");
        judge(
            report,
            case.name,
            &target,
            MOST,
            measured(timed(case), MOST),
        );
    }
    let target = format!("<= {PAYS} of never");
    let seen = measured(Ok(CATEGORIES.to_owned()), PAYS);
    judge(report, "a loop over categories", &target, PAYS, seen);
}

/// The fastest runs in seconds by what an option says, and how many rounds there were.
struct Seen<const N: usize> {
    seconds: [f64; N],
    rounds: usize,
}

impl<const N: usize> Seen<N> {
    /// What the first takes of the best other one.
    fn share(&self) -> f64 {
        self.seconds[0]
            / self.seconds[1..]
                .iter()
                .copied()
                .fold(f64::INFINITY, f64::min)
    }
}

fn judge<const N: usize>(
    report: &mut Report,
    name: &str,
    target: &str,
    most: f64,
    seen: Result<Seen<N>>,
) {
    let Some(seen) = report.expect(name, target, seen) else {
        return;
    };
    let shown = seen.seconds.map(|seconds| format!("{seconds:.2}"));
    let (shown, share, rounds) = (shown.join(", "), seen.share(), seen.rounds);
    let shown = format!("{shown} s in {rounds} rounds: {share:.2}");
    report.bar(name, &shown, target, share <= most);
}

/// Runs with each value of an option, more often where the first one takes more than `most` of the best other; all of them give the same
/// numbers.
fn of<const N: usize>(
    text: &str,
    sumac: &Sumac,
    option: &str,
    values: [&str; N],
    most: f64,
) -> Result<Seen<N>> {
    let folder = tempfile::tempdir()?;
    let script = folder.path().join("script.dml");
    fs::write(&script, text)?;
    let script = script.to_str().context("the path is no text")?;
    let mut seen = Seen {
        seconds: [f64::INFINITY; N],
        rounds: 0,
    };
    let mut known: Option<Vec<f64>> = None;
    while seen.rounds < MOST_ROUNDS && (seen.rounds != ROUNDS || seen.share() > most) {
        seen.rounds += 1;
        for (value, seconds) in values.iter().zip(&mut seen.seconds) {
            let output = sumac.call(&["run", script, option, value])?;
            anyhow::ensure!(
                output.status.success(),
                "sumac run {option} {value} failed: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            let run = figures(&String::from_utf8_lossy(&output.stdout))?;
            let first = known.get_or_insert_with(|| run.numbers.clone());
            agree(first, &run.numbers)
                .with_context(|| format!("{option} {value} gives something else"))?;
            *seconds = seconds.min(run.seconds);
        }
    }
    Ok(seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loop_over_categories_is_a_script_without_errors() {
        let parse = sumac_syntax::parse(CATEGORIES);
        assert!(parse.errors().is_empty(), "{:?}", parse.errors());
    }
}
