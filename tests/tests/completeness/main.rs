//! The decision whether two expressions of the fragment are equal, held against exact evaluation.
//!
//! The fragment is what sum-product algebra can say: `+ - *`, small powers, `%*%`, `t`, sums, `diag`, `trace`, broadcasting.
//! About half of the pairs are equal by laws written for this test, the others differ in one place. A decision must
//! always be made, and always be the one that evaluation shows: for sizes by name at all sizes that are tried, for sizes by
//! number at those. Every pair is made from the seed that a failure prints.
#![expect(clippy::print_stdout, reason = "a run says how much it compared")]

mod counterexamples;
mod field;
mod laws;
mod mutate;
mod pairs;
mod random;

use std::time::Instant;

use sumac_ide::Answer;
use sumac_sumproduct::canonical::{Verdict, decide};

use pairs::{Pair, pairs};

const PAIRS: u64 = 10_000;

/// What came of some pairs.
#[derive(Debug, Default)]
struct Counts {
    equal: usize,
    different: usize,
    /// Their forms are too long, but inputs tell them apart.
    refuted_by_inputs: usize,
    undecided: usize,
    wrong: usize,
}

/// What is wrong with the decision on a pair, if anything.
fn judge(pair: &Pair, counts: &mut Counts) -> Option<String> {
    let holds = pair.holds();
    if pair.is_equal_by_law && !holds {
        return Some(format!("a law of this test does not hold: {pair}"));
    }
    let dag = &pair.dag;
    match (decide((dag, pair.left), (dag, pair.right)), holds) {
        (Verdict::Equal(_), true) => counts.equal += 1,
        (Verdict::Different, false) => counts.different += 1,
        (Verdict::Undecided(why), _) => match counterexamples::ask(pair) {
            Some(Answer::Refuted(_)) if !holds => counts.refuted_by_inputs += 1,
            _ => {
                counts.undecided += 1;
                return Some(format!("not decided, {why}: {pair}"));
            }
        },
        (Verdict::Equal(_), false) => {
            counts.wrong += 1;
            return Some(format!("called equal, but it is not: {pair}"));
        }
        (Verdict::Different, true) => {
            counts.wrong += 1;
            return Some(format!("called different, but it is equal: {pair}"));
        }
    }
    None
}

#[test]
fn every_random_pair_is_decided_as_evaluation_says() {
    let started = Instant::now();
    let mut counts = Counts::default();
    let mut failures = Vec::new();
    let mut slowest = (0.0, String::new());
    for pair in pairs(PAIRS) {
        let at = Instant::now();
        failures.extend(judge(&pair, &mut counts));
        let took = at.elapsed().as_secs_f64();
        if took > slowest.0 {
            slowest = (took, pair.to_string());
        }
    }
    println!(
        "{PAIRS} pairs from seed 0: {} equal, {} different, {} by inputs only, {} undecided, {} wrong; {:.1} s, the slowest {:.2} s",
        counts.equal,
        counts.different,
        counts.refuted_by_inputs,
        counts.undecided,
        counts.wrong,
        started.elapsed().as_secs_f64(),
        slowest.0,
    );
    let shown: Vec<String> = failures.iter().take(20).cloned().collect();
    assert!(failures.is_empty(), "{}", shown.join("\n"));
    let third = usize::try_from(PAIRS / 3).expect("few");
    assert!(
        counts.equal > third && counts.different > third,
        "too few of one kind to say anything: {counts:?}"
    );
}
