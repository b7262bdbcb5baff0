//! Runs the solver of 0/1 programs on a thread of its own, so that a cancel takes effect at once.
//!
//! The solver looks at nothing while it solves a relaxation. So whoever waits for it asks the token meanwhile, and leaves
//! when it is cancelled: the thread sees that after its present slice, which is a relaxation or two of a program
//! of bounded size, and ends. Neither the thread nor the clock decides a result: slices are counted, and only what was
//! cancelled is ever lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use microlp::{Error, Problem, SolveOptions};

/// Nodes of branch and bound in one slice: one more costs a few milliseconds after a cancel, and going on costs nothing.
pub const NODES_AT_ONCE: u64 = 1;
/// The time between two looks at the token.
const PATIENCE: Duration = Duration::from_millis(1);

/// What the solver came to.
#[derive(Clone, PartialEq, Debug)]
pub enum Ran {
    /// It ended, by itself or by its bound on nodes.
    Ended {
        /// The best values that were found, and whether they are proved to be the best.
        values: Option<(Vec<f64>, bool)>,
        /// What every solution costs at least.
        least: Option<f64>,
        /// Nodes that were not used up.
        left: u64,
    },
    /// There is no solution.
    Infeasible,
    /// Cancelled, or numerical trouble.
    Stopped,
}

/// Solves a program with at most so many nodes. Returns within a few milliseconds of a cancel.
pub fn solve(problem: &Problem, nodes: u64, cancelled: &dyn Fn() -> bool) -> Ran {
    start(problem.clone(), nodes, cancelled).0
}

/// As [`solve`]; with the thread, which gives the number of its slices after the cancel.
fn start(
    problem: Problem,
    nodes: u64,
    cancelled: &dyn Fn() -> bool,
) -> (Ran, Option<JoinHandle<u64>>) {
    if cancelled() {
        return (Ran::Stopped, None);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = channel();
    let theirs = Arc::clone(&stop);
    let run = move || {
        let (ran, late) = in_slices(&problem, nodes, &theirs);
        // Nobody listens any more to what was cancelled.
        let _ = sender.send(ran);
        late
    };
    let named = std::thread::Builder::new().name("extraction".to_owned());
    let Ok(thread) = named.spawn(run) else {
        return (Ran::Stopped, None);
    };
    loop {
        match receiver.recv_timeout(PATIENCE) {
            Ok(ran) => return (ran, Some(thread)),
            Err(RecvTimeoutError::Disconnected) => return (Ran::Stopped, Some(thread)),
            Err(RecvTimeoutError::Timeout) if cancelled() => {
                stop.store(true, Ordering::Relaxed);
                return (Ran::Stopped, Some(thread));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// What the solver comes to, and how many slices ended after the cancel.
fn in_slices(problem: &Problem, mut nodes: u64, stop: &AtomicBool) -> (Ran, u64) {
    let mut options = SolveOptions::default();
    options.node_limit = Some(NODES_AT_ONCE);
    let is_stopped = || stop.load(Ordering::Relaxed);
    let mut next = problem.solve_with(options);
    loop {
        let outcome = match next {
            Ok(outcome) => outcome,
            Err(Error::Infeasible) => return (Ran::Infeasible, u64::from(is_stopped())),
            Err(_) => return (Ran::Stopped, u64::from(is_stopped())),
        };
        if is_stopped() {
            return (Ran::Stopped, 1);
        }
        if outcome.is_optimal() || nodes < NODES_AT_ONCE {
            let is_optimal = outcome.is_optimal();
            let least = outcome.stats().best_bound;
            let values = outcome.solution().map(|solution| {
                let values = solution.iter().map(|(_, value)| value).collect();
                (values, is_optimal)
            });
            let left = nodes;
            return (
                Ran::Ended {
                    values,
                    least,
                    left,
                },
                0,
            );
        }
        nodes -= NODES_AT_ONCE;
        next = outcome.resume();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use microlp::{ComparisonOp, OptimizationDirection, Variable};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// A set cover whose relaxation is fractional throughout: branch and bound has much to do.
    fn cover(sets: usize, rows: usize) -> Problem {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let sets: Vec<Variable> = (0..sets)
            .map(|_| problem.add_binary_var(rng.random_range(0.9..1.1)))
            .collect();
        for _ in 0..rows {
            let some: Vec<(Variable, f64)> = sets
                .iter()
                .filter(|_| rng.random_bool(0.1))
                .map(|set| (*set, 1.0))
                .collect();
            problem.add_constraint(some, ComparisonOp::Ge, 1.0);
        }
        problem
    }

    #[test]
    fn a_cancel_is_not_waited_for_and_the_thread_ends_after_its_slice() {
        for looks in [1, 2, 5] {
            let seen = Cell::new(0);
            let cancelled = || {
                seen.set(seen.get() + 1);
                seen.get() > looks
            };
            let (ran, thread) = start(cover(300, 150), u64::MAX, &cancelled);
            assert_eq!(ran, Ran::Stopped);
            assert_eq!(seen.get(), looks + 1, "nobody looks again after a cancel");
            let late = thread.expect("it was started").join().expect("no panic");
            assert!(late <= 1, "{late} slices after the cancel");
        }
    }

    #[test]
    fn what_is_cancelled_before_it_starts_needs_no_thread() {
        let (ran, thread) = start(cover(20, 10), 100, &|| true);
        assert_eq!(ran, Ran::Stopped);
        assert!(thread.is_none());
    }

    #[test]
    fn slices_come_to_what_one_run_comes_to() {
        let problem = cover(60, 40);
        let whole = problem.solve().expect("there is a cover");
        let Ran::Ended { values, .. } = solve(&problem, u64::MAX, &|| false) else {
            panic!("it is not cancelled");
        };
        let (values, is_optimal) = values.expect("there is a cover");
        assert!(is_optimal && whole.is_optimal());
        let expected: Vec<f64> = whole
            .solution()
            .expect("optimal")
            .iter()
            .map(|(_, value)| value)
            .collect();
        assert_eq!(values, expected);
    }

    #[test]
    fn the_bound_on_nodes_ends_a_run() {
        let ran = solve(&cover(300, 150), 2 * NODES_AT_ONCE, &|| false);
        let Ran::Ended {
            values,
            least,
            left,
        } = ran
        else {
            panic!("{ran:?}");
        };
        assert!(left < NODES_AT_ONCE, "{left} nodes left");
        assert!(values.is_none_or(|(_, is_optimal)| !is_optimal));
        assert!(least.is_some());
    }
}
