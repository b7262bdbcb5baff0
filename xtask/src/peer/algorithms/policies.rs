//! Whole algorithms with every policy of fusion: what the cheapest plan gains, and that it never loses against the
//! heuristics or against no fusion.

use std::fs;

use anyhow::{Context, Result};

use super::cases::{CASES, Case};
use super::{agree, figures, timed};
use crate::bars::Sumac;
use crate::report::Report;

/// As `sumac run --fusion` calls them; the first is held against the others.
const POLICIES: [&str; 4] = ["cost", "none", "all", "no-redundancy"];

/// How often each runs, in turns; the fastest counts.
const ROUNDS: usize = 3;

/// What the cheapest plan may take of the best other's time.
const MOST: f64 = 1.05;

/// Times every algorithm with every policy.
pub(crate) fn measure(report: &mut Report, sumac: &Sumac) {
    report.note(&format!(
        "seconds of a whole algorithm as written, fastest of {ROUNDS}: {}",
        POLICIES.join(", ")
    ));
    for case in CASES {
        let target = format!("<= {MOST} of the best other policy");
        let Some(seconds) = report.expect(case.name, &target, of(case, sumac)) else {
            continue;
        };
        let best = seconds[1..].iter().copied().fold(f64::INFINITY, f64::min);
        let shown = seconds.map(|seconds| format!("{seconds:.2}")).join(", ");
        let share = seconds[0] / best;
        report.bar(
            case.name,
            &format!("{shown} s: {share:.2}"),
            &target,
            share <= MOST,
        );
    }
}

/// The fastest runs in seconds, by policy; all of them give the same numbers.
fn of(case: &Case, sumac: &Sumac) -> Result<[f64; POLICIES.len()]> {
    let folder = tempfile::tempdir()?;
    let script = folder.path().join(format!("{}.dml", case.script));
    fs::write(&script, timed(case)?)?;
    let script = script.to_str().context("the path is no text")?;
    let mut seconds = [f64::INFINITY; POLICIES.len()];
    let mut known: Option<Vec<f64>> = None;
    for _ in 0..ROUNDS {
        for (policy, seconds) in POLICIES.iter().zip(&mut seconds) {
            let output = sumac.call(&["run", script, "--fusion", policy])?;
            anyhow::ensure!(
                output.status.success(),
                "sumac run --fusion {policy} failed: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            let run = figures(&String::from_utf8_lossy(&output.stdout))?;
            let first = known.get_or_insert_with(|| run.numbers.clone());
            agree(first, &run.numbers)
                .with_context(|| format!("--fusion {policy} gives something else"))?;
            *seconds = seconds.min(run.seconds);
        }
    }
    Ok(seconds)
}
