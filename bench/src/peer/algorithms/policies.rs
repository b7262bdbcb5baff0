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

/// How often each runs at least, in turns, and for how long all of them together, whatever they take: memory that neighbours use
/// is slow for seconds or for half a minute.
const ROUNDS: usize = 5;
const SPAN: Duration = Duration::from_secs(60);

/// What the cheapest plan may take of another's time, and what compression where it pays may take of none.
const MOST: f64 = 1.05;

/// What it may take where it does pay.
const PAYS: f64 = 0.8;

/// Times every algorithm with every policy.
pub(crate) fn measure(report: &mut Report, sumac: &Sumac) {
    report.note(&said(&POLICIES));
    for case in CASES {
        let target = format!("<= {MOST} of each other policy");
        let seconds = timed(case).and_then(|text| of(&text, sumac, "--fusion", POLICIES));
        let Some(seconds) = report.expect(case.name, &target, seconds) else {
            continue;
        };
        let shares: Vec<f64> = (1..POLICIES.len())
            .map(|other| share(&seconds, other))
            .collect();
        let shown = [fastest(&seconds), listed(&shares)].join(" s: ");
        let holds = shares.iter().all(|share| *share <= MOST);
        report.bar(case.name, &shown, &target, holds);
    }
}

/// Times every algorithm, and a loop that compression is for, with and without compression where it pays.
pub(crate) fn measure_compression(report: &mut Report, sumac: &Sumac) {
    report.note(&said(&COMPRESSION));
    let mut judge = |name: &str, target: String, most: f64, text: Result<String>| {
        let seconds = text.and_then(|text| of(&text, sumac, "--compress", COMPRESSION));
        let Some(seconds) = report.expect(name, &target, seconds) else {
            return;
        };
        let share = share(&seconds, 1);
        let seen = format!("{} s: {share:.2}", fastest(&seconds));
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

/// How figures are to be read.
fn said(values: &[&str]) -> String {
    format!(
        "seconds of a whole algorithm as written, with {}: the fastest of {ROUNDS} rounds, or of more in {} s; then what the first \
         takes of each other's time in the same round, the median",
        values.join(", "),
        SPAN.as_secs()
    )
}

/// Seconds of each round, by what an option says; each begins a round in its turn, and all runs
/// give the same numbers.
fn of<const N: usize>(
    text: &str,
    sumac: &Sumac,
    option: &str,
    values: [&str; N],
) -> Result<Vec<[f64; N]>> {
    let folder = tempfile::tempdir()?;
    let script = folder.path().join("script.dml");
    fs::write(&script, text)?;
    let script = script.to_str().context("the path is no text")?;
    let mut rounds = Vec::new();
    let mut known: Option<Vec<f64>> = None;
    let began = Instant::now();
    while rounds.len() < ROUNDS || began.elapsed() < SPAN {
        let mut seconds = [f64::INFINITY; N];
        for place in 0..N {
            let which = (rounds.len() + place) % N;
            let value = values[which];
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
            seconds[which] = run.seconds;
        }
        rounds.push(seconds);
    }
    Ok(rounds)
}

/// The share that the first takes of another's time in the same round: the median of all rounds. What both meet in a round is
/// in neither's favour.
fn share<const N: usize>(rounds: &[[f64; N]], other: usize) -> f64 {
    let mut shares: Vec<f64> = rounds.iter().map(|round| round[0] / round[other]).collect();
    shares.sort_by(f64::total_cmp);
    f64::midpoint(shares[(shares.len() - 1) / 2], shares[shares.len() / 2])
}

/// The fastest round of each.
fn fastest<const N: usize>(rounds: &[[f64; N]]) -> String {
    let of = |i: usize| {
        rounds
            .iter()
            .map(|round| round[i])
            .fold(f64::INFINITY, f64::min)
    };
    listed(&std::array::from_fn::<f64, N, _>(of))
}

fn listed(figures: &[f64]) -> String {
    let figures: Vec<String> = figures
        .iter()
        .map(|figure| format!("{figure:.2}"))
        .collect();
    figures.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_round_is_in_nobodys_favour() {
        // Memory is slow in the second round, and one run of the third meets a neighbour.
        let rounds = [[1.0, 2.0], [3.0, 6.1], [9.0, 2.0], [1.1, 2.1], [1.0, 1.9]];
        assert!((share(&rounds, 1) - 1.1 / 2.1).abs() < 1e-12);
        assert_eq!(share(&[[1.0, 4.0], [3.0, 4.0]], 1), 0.5);
        assert_eq!(fastest(&rounds), "1.00, 1.90");
    }

    #[test]
    fn the_loop_over_categories_is_a_script_without_errors() {
        let parse = sumac_syntax::parse(CATEGORIES);
        assert!(parse.errors().is_empty(), "{:?}", parse.errors());
    }
}
