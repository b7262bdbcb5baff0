//! A suggestion is shown only if it is proved equal and if both forms, run on random data, agree.

use std::collections::BTreeSet;

use sumac_advice::{Check, Rejection};
use sumac_la::Dag;
use sumac_sumproduct::canonical::{self, Verdict};

use super::group::Group;
use crate::CancelToken;
use crate::no_suggestion::NoSuggestion;
use crate::suggestion::Forms;
use sumac_advice::Proof;

/// The proof that a search's result, `seen` over the block's inputs, equals the group's roots, whatever the sizes are.
///
/// # Errors
/// Why there is none.
pub(super) fn prove(group: &Group<'_>, seen: &Dag) -> Result<Proof, NoSuggestion> {
    let unproved = |why: String| Err(NoSuggestion::Unproved(why));
    let (dag, roots) = group.within(&group.roots());
    let dag = &dag;
    roots
        .into_iter()
        .zip(seen.roots())
        .map(|(left, right)| {
            // The prover does not tell a scalar from a 1 x 1 matrix; scripts do.
            let (a, b) = (dag.ty(left), seen.ty(*right));
            if a.kind != b.kind || a.rows != b.rows || a.cols != b.cols {
                return unproved(format!("it is {b} where {a} is written"));
            }
            match canonical::decide((dag, left), (seen, *right)) {
                // A suggestion holds for all values, or is none.
                Verdict::Equal(proof) if proof.conditions.is_empty() => {
                    Ok(proof.told(&|text| group.spoken(text)))
                }
                Verdict::Equal(proof) => unproved(format!(
                    "it is equal only where {}",
                    group.spoken(&proof.conditions.join(", "))
                )),
                Verdict::Different => unproved("the canonical forms differ".to_owned()),
                Verdict::Undecided(why) => unproved(group.spoken(&why)),
            }
        })
        .collect::<Result<Vec<_>, _>>()
        .map(Proof)
}

/// Runs both forms on scaled-down random inputs of the same sparsity.
///
/// # Errors
/// They differ, or cannot be run.
pub(super) fn check(forms: &Forms, cancel: &CancelToken) -> Result<Check, Rejection> {
    // From the block's inputs on, where both sides surely start from the same values; otherwise with the values
    // that the script holds as inputs, if the suggestion needs no others.
    let names =
        |dag: &Dag| -> BTreeSet<_> { dag.inputs().iter().map(|i| i.name.clone()).collect() };
    let Forms { written, whole } = forms;
    let pairs = if names(&written.1).is_subset(&names(&written.0)) {
        vec![whole, written]
    } else {
        vec![whole]
    };
    sumac_advice::check(&pairs, cancel)
}
