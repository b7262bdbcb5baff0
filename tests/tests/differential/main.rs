//! A differential run: random scripts under every fusion policy, with one thread and several, compressed and not, against an
//! evaluator that knows nothing but loops over cells.
//!
//! The scripts have transposes of everything, rows and columns on either side of products, matrices of one cell, of none, sparse
//! ones and ones of zeros, control flow, `parfor`, functions, aggregates, comparisons, parts of matrices on either side of an assignment,
//! `cbind` and `rbind`. `cargo xtask differential --scripts N` runs as many as one likes; here a slice of them runs.
//!
//! What the generator can never make, so that no number of scripts says anything of it:
//!
//! - NaN and infinities, cells beyond 1e12, and operators that jump (`==`, `round`, `%/%` …) on numbers that were rounded;
//! - rows and columns as the left side of a cellwise operator with a matrix, which SystemDS refuses, and a column with a row;
//! - random numbers, files, frames, lists, text, sorting, `removeEmpty`, `table`, decompositions, statistics, and builtins
//!   that are scripts;
//! - kinds of scalars: integers, doubles and booleans are the same numbers here;
//! - sizes that are not known until a statement has run, other than those of the matrices of a branch;
//! - errors: all scripts work.
#![expect(clippy::print_stdout, reason = "a run says how much it compared")]

mod generate;
mod reference;
mod run;
mod script;
mod value;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Differences that are shown.
const SHOWN: usize = 8;

fn setting(variable: &str, otherwise: u64) -> u64 {
    let text = std::env::var(variable).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Runs the scripts of some seeds, and says what differs.
fn compare(first: u64, count: u64) -> usize {
    let next = AtomicU64::new(first);
    let (differences, compared) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + count {
                return;
            }
            let script = generate::script(seed);
            let env = script.run().expect("each statement was tried");
            compared.fetch_add(1, Ordering::Relaxed);
            let Some((way, what)) = run::first_difference(&script, &env) else {
                continue;
            };
            if differences.fetch_add(1, Ordering::Relaxed) < SHOWN {
                let small = run::smallest(&script, way);
                let env = small.run().unwrap_or_default();
                let text = small.text(env.iter());
                println!("seed {seed}, {way:?}: {what}\n{text}");
            }
        }
    };
    // The scripts themselves: how many threads one has is another matter.
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(work);
        }
    });
    let differences = differences.into_inner();
    println!(
        "{} scripts from seed {first} on, each in {} ways with {} threads: {differences} differences",
        compared.into_inner(),
        run::WAYS.len(),
        rayon::current_num_threads()
    );
    differences
}

#[test]
fn scripts_give_what_loops_over_cells_give() {
    let count = setting("SUMAC_DIFFERENTIAL_SCRIPTS", 200);
    let first = setting("SUMAC_DIFFERENTIAL_SEED", 1);
    assert_eq!(compare(first, count), 0);
}
