//! States that have one value in all runs of a loop, so that they may be computed before it.

use rustc_hash::FxHashMap;

use crate::axes::Term;
use crate::candidates::{Build, Candidate};

/// By state, whether it can be made of loop-invariant leaves alone. Such a state loses the candidates that read anything else:
/// what is computed once must not wait for what changes.
pub fn keep_loop_invariant(
    candidates: &mut [(Term, Vec<Candidate>)],
    places: &FxHashMap<Term, usize>,
    is_loop_invariant: &dyn Fn(u32) -> bool,
) -> Vec<bool> {
    let mut loop_invariant = vec![false; candidates.len()];
    let stays = |candidate: &Candidate, loop_invariant: &[bool]| match candidate.build {
        Build::Leaf(leaf) => is_loop_invariant(leaf),
        Build::Held(_) => false,
        _ => candidate
            .children
            .iter()
            .all(|child| loop_invariant[places[child]]),
    };
    loop {
        let mut changed = false;
        for (state, (_, found)) in candidates.iter().enumerate() {
            if !loop_invariant[state] && found.iter().any(|c| stays(c, &loop_invariant)) {
                loop_invariant[state] = true;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    for ((_, found), is_loop_invariant) in candidates.iter_mut().zip(&loop_invariant) {
        if *is_loop_invariant {
            // A value that a variable holds already costs nothing in any run.
            found.retain(|c| stays(c, &loop_invariant) || matches!(c.build, Build::Held(_)));
        }
    }
    loop_invariant
}
