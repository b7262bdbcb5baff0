//! States that have one value in all runs of a loop, so that they may be computed before it.

use rustc_hash::FxHashMap;

use crate::axes::Term;
use crate::candidates::{Build, Candidate};

/// By state, whether it can be made of steady leaves alone. Such a state loses the candidates that read anything else:
/// what is computed once must not wait for what changes.
pub fn keep_steady(
    candidates: &mut [(Term, Vec<Candidate>)],
    places: &FxHashMap<Term, usize>,
    is_steady: &dyn Fn(u32) -> bool,
) -> Vec<bool> {
    let mut steady = vec![false; candidates.len()];
    let stays = |candidate: &Candidate, steady: &[bool]| match candidate.build {
        Build::Leaf(leaf) => is_steady(leaf),
        Build::Held(_) => false,
        _ => candidate.children.iter().all(|child| steady[places[child]]),
    };
    loop {
        let mut changed = false;
        for (state, (_, found)) in candidates.iter().enumerate() {
            if !steady[state] && found.iter().any(|c| stays(c, &steady)) {
                steady[state] = true;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    for ((_, found), is_steady) in candidates.iter_mut().zip(&steady) {
        if *is_steady {
            // A value that a variable holds already costs nothing in any run.
            found.retain(|c| stays(c, &steady) || matches!(c.build, Build::Held(_)));
        }
    }
    steady
}
