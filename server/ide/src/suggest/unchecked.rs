//! Why a form that was proved could not be checked by running it, in words.

use sumac_la::{Dag, scaled};
use sumac_runtime::synthesize::Range;
use sumac_runtime::{Value, eval_measured, synthesize};

use crate::CancelToken;
use sumac_advice::Rejection;

/// Cells of the largest value of the run.
const MOST_CELLS: f64 = 10_000.0;

/// Why the form was dropped; `written` is the expression over the block's inputs.
pub(super) fn reason(rejection: &Rejection, written: &Dag, cancel: &CancelToken) -> String {
    match rejection {
        Rejection::NotRun if has_no_value(written, cancel) => {
            "a cheaper form was found and proved, but not checked: run on random data, the value as written is not finite"
                .to_owned()
        }
        Rejection::NotRun | Rejection::Differs(_) | Rejection::DiffersSmaller(_) => {
            rejection.to_string()
        }
    }
}

/// Whether small random data, of either sign or above zero, give a value that is not finite.
fn has_no_value(written: &Dag, cancel: &CancelToken) -> bool {
    let is_small = |dag: &Dag| {
        let mut nodes = dag.reachable(dag.roots()).into_iter();
        nodes.all(|id| dag.ty(id).cells().is_some_and(|cells| cells <= MOST_CELLS))
    };
    let mut scales = (0..40).filter_map(|i| scaled(written, 1 << i));
    let Some(small) = scales.find(is_small) else {
        return false;
    };
    [Range::Signed, Range::Positive].into_iter().all(|range| {
        let inputs = small.inputs().iter().zip(1..);
        let inputs: Option<Vec<Value>> = inputs
            .map(|(input, seed)| synthesize(&input.ty, seed, range).ok())
            .collect();
        let run = inputs.and_then(|inputs| eval_measured(&small, &inputs, cancel).ok());
        run.is_some_and(|run| !run.values.iter().all(is_finite))
    })
}

fn is_finite(value: &Value) -> bool {
    match value.as_matrix() {
        Some(matrix) => matrix.to_cells().iter().all(|cell| cell.is_finite()),
        None => value.as_number().is_none_or(f64::is_finite),
    }
}
