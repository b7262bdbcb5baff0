//! What kernels take, and what this machine allows: one side of `cargo xtask bench kernels`.
//!
//! Each line of standard input names a case; the answer is its name and the seconds of one run, the median of some.
//! It judges nothing. Data of a case is made when it is first asked for, and let go of by the line `forget`.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod limits;
mod loops;
mod ours;

use std::collections::BTreeMap;
use std::io::BufRead;
use std::time::{Duration, Instant};

/// One run of a case. What it makes is dropped outside of the clock.
type Work = Box<dyn FnMut() -> Box<dyn std::any::Any + Send> + Send>;

/// Seconds that the runs of one answer take together, at least.
const BUDGET: Duration = Duration::from_millis(150);
/// Runs of one answer, at least.
const LEAST_RUNS: usize = 3;

/// The median of some runs, after one that does not count.
fn time(work: &mut Work) -> f64 {
    drop(work());
    let began = Instant::now();
    let mut runs = Vec::new();
    while runs.len() < LEAST_RUNS || began.elapsed() < BUDGET {
        let start = Instant::now();
        let made = work();
        runs.push(start.elapsed().as_secs_f64());
        drop(made);
    }
    runs.sort_by(f64::total_cmp);
    f64::midpoint(runs[(runs.len() - 1) / 2], runs[runs.len() / 2])
}

fn main() {
    let mut made: BTreeMap<String, Work> = BTreeMap::new();
    for line in std::io::stdin().lock().lines() {
        let Ok(name) = line else { break };
        if name == "forget" {
            made.clear();
            continue;
        }
        if !made.contains_key(&name) {
            let Some(work) = ours::case(&name).or_else(|| limits::case(&name)) else {
                println!("{name} unknown");
                continue;
            };
            made.insert(name.clone(), work);
        }
        if let Some(work) = made.get_mut(&name) {
            println!("{name} {:e}", time(work));
        }
    }
}
