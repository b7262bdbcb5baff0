//! Whole algorithms with every policy of fusion: what the cheapest plan gains, and that it never loses against the
//! heuristics or against no fusion; and that compressing what seems worth it never loses, either.

use std::fs;
use std::time::{Duration, Instant};

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

/// How often each runs at least, in turns, and for how long all of them together, whatever they take: memory may be slow for half
/// a minute. The fastest counts.
const ROUNDS: usize = 5;
const SPAN: Duration = Duration::from_secs(60);

/// What the cheapest plan may take of the best other's time, and what compression where it pays may take of none.
const MOST: f64 = 1.05;

/// What it may take where it does pay.
const PAYS: f64 = 0.8;

/// Times every algorithm with every policy.
pub(crate) fn measure(report: &mut Report, sumac: &Sumac) {
    report.note(&format!(
        "seconds of a whole algorithm as written, fastest of {ROUNDS} runs, or of more in {} s: {}",
        SPAN.as_secs(),
        POLICIES.join(", ")
    ));
    for case in CASES {
        let target = format!("<= {MOST} of the best other policy");
        let seconds = timed(case).and_then(|text| of(&text, sumac, "--fusion", POLICIES));
        let Some(seconds) = report.expect(case.name, &target, seconds) else {
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

/// Times every algorithm, and a loop that compression is for, with and without compression where it pays.
pub(crate) fn measure_compression(report: &mut Report, sumac: &Sumac) {
    report.note(&format!(
        "seconds of a whole algorithm as written, fastest of {ROUNDS} runs, or of more in {} s: {}",
        SPAN.as_secs(),
        COMPRESSION.join(", ")
    ));
    let mut judge = |name: &str, target: String, most: f64, text: Result<String>| {
        let seconds = text.and_then(|text| of(&text, sumac, "--compress", COMPRESSION));
        let Some([auto, never]) = report.expect(name, &target, seconds) else {
            return;
        };
        let share = auto / never;
        let seen = format!("{auto:.2}, {never:.2} s: {share:.2}");
        report.bar(name, &seen, &target, share <= most);
    };
    for case in CASES {
        let target = format!("<= {MOST} of never");
        judge(case.name, target, MOST, timed(case));
    }
    let target = format!("<= {PAYS} of never");
    judge(
        "a loop over categories",
        target,
        PAYS,
        Ok(CATEGORIES.to_owned()),
    );
}

/// The fastest runs in seconds, by what an option says; all of them give the same numbers.
fn of<const N: usize>(
    text: &str,
    sumac: &Sumac,
    option: &str,
    values: [&str; N],
) -> Result<[f64; N]> {
    let folder = tempfile::tempdir()?;
    let script = folder.path().join("script.dml");
    fs::write(&script, text)?;
    let script = script.to_str().context("the path is no text")?;
    let mut seconds = [f64::INFINITY; N];
    let mut known: Option<Vec<f64>> = None;
    let began = Instant::now();
    let mut rounds = 0;
    while rounds < ROUNDS || began.elapsed() < SPAN {
        rounds += 1;
        for (value, seconds) in values.iter().zip(&mut seconds) {
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
    Ok(seconds)
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
