//! A day's edits in minutes: does memory stay where it is, and does the server still say what a fresh one says?

use anyhow::Result;

use crate::bars::Sumac;
use crate::client::Launch;
use crate::report::Report;
use crate::stress::{Kind, Memory, Outcome, Plan, stress};

/// Eight hours' worth of edits.
const PLAN: Plan = Plan {
    seed: 8,
    edits: 100_000,
    files: 50,
    checks: 200,
    kind: Kind::Person,
};
const GROWTH: f64 = 1.1;

/// How many looks at the memory are told.
const TOLD: usize = 20;

/// Measures and judges; fewer edits if that is asked for, and as many fewer comparisons.
pub(super) fn measure(report: &mut Report, sumac: &Sumac, edits: Option<usize>) {
    let edits = edits.unwrap_or(PLAN.edits);
    let plan = Plan {
        edits,
        checks: PLAN.checks * edits / PLAN.edits,
        ..PLAN
    };
    report.heading(&format!(
        "{} edits over {} files, as a person makes them, seed {}",
        plan.edits, plan.files, plan.seed
    ));
    let name = "answers as of a fresh server";
    let target = format!("all edits made, equal at {} random points", plan.checks);
    let measured = run(sumac, plan);
    let Some(outcome) = report.expect(name, &target, measured) else {
        return;
    };
    let wrong = outcome.differences.len();
    for difference in outcome.differences.iter().take(5) {
        report.note(difference);
    }
    let seen = format!(
        "{} edits, equal at {} of {} points",
        outcome.edits,
        outcome.checks - wrong.min(outcome.checks),
        outcome.checks
    );
    let holds = wrong == 0 && outcome.checks == plan.checks && outcome.edits == plan.edits;
    report.bar(name, &seen, &target, holds);
    let name = "memory of the second half against the first";
    let target = format!("at most {:.0} % more", (GROWTH - 1.0) * 100.0);
    for seen in outcome
        .memory
        .iter()
        .step_by(outcome.memory.len().div_ceil(TOLD).max(1))
    {
        let mb = |bytes: u64| bytes as f64 / 1e6;
        report.note(&format!(
            "{:>6} edits: {:.0} MB, {:.1} MB of them remembered by its own account; {} KB of scripts",
            seen.edits,
            mb(seen.resident),
            mb(seen.cached),
            seen.texts / 1000
        ));
    }
    let of = |what: fn(&Memory) -> u64| outcome.memory.iter().map(what).collect::<Vec<u64>>();
    let (resident, texts) = (of(|seen| seen.resident), of(|seen| seen.texts as u64));
    let both = halves(&resident).and_then(|memory| Ok((memory, halves(&texts)?)));
    if let Some(([first, second], texts)) = report.expect(name, &target, both) {
        let most = resident.iter().copied().max().unwrap_or_default();
        let seen = format!(
            "{:.0} MB, then {:.0} MB: {:+.1} %; at most {:.0} MB; scripts of {:.0} KB, then {:.0} KB",
            first / 1e6,
            second / 1e6,
            (second / first - 1.0) * 100.0,
            most as f64 / 1e6,
            texts[0] / 1e3,
            texts[1] / 1e3
        );
        report.bar(name, &seen, &target, second <= first * GROWTH);
    }
}

fn run(sumac: &Sumac, plan: Plan) -> Result<Outcome> {
    let folder = tempfile::tempdir()?;
    stress(&Launch::new(&sumac.program), folder.path(), plan, None)
}

/// The mean of each half.
fn halves(resident: &[u64]) -> Result<[f64; 2]> {
    anyhow::ensure!(
        resident.len() >= 2,
        "only Linux tells how much memory a process has"
    );
    let mean =
        |bytes: &[u64]| bytes.iter().map(|bytes| *bytes as f64).sum::<f64>() / bytes.len() as f64;
    let (first, second) = resident.split_at(resident.len() / 2);
    Ok([mean(first), mean(second)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_compared_by_their_means() {
        assert_eq!(halves(&[1, 3, 4, 6]).unwrap(), [2.0, 5.0]);
        assert!(halves(&[]).is_err());
    }
}
