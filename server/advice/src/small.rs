//! Small random data of the types that forms read: what both forms are run on before one is suggested. Must never depend on a
//! clock or on the order in which a form names its inputs.

use sumac_la::{Dag, KEPT_SIZE, Type, scaled_keeping};
use sumac_runtime::synthesize::Range;
use sumac_runtime::{Value, synthesize};

/// Both forms over inputs so small that no value of the written one has more than `cells` cells; the same divisor for both.
/// `None` where they do not scale.
#[must_use]
pub fn at_small_scale(original: &Dag, optimized: &Dag, cells: f64) -> Option<(Dag, Dag)> {
    at_scale(original, optimized, cells, KEPT_SIZE)
}

/// The same, where sizes up to `kept` are kept.
#[must_use]
pub fn at_scale(original: &Dag, optimized: &Dag, cells: f64, kept: u64) -> Option<(Dag, Dag)> {
    let is_small = |dag: &Dag| {
        let mut ids = dag.reachable(dag.roots()).into_iter();
        ids.all(|id| dag.ty(id).cells().is_some_and(|found| found <= cells))
    };
    (0..40).map(|i| 1_u64 << i).find_map(|divisor| {
        let small = scaled_keeping(original, divisor, kept).filter(&is_small)?;
        Some((small, scaled_keeping(optimized, divisor, kept)?))
    })
}

/// More than there are inputs.
const SEEDS_OF_A_DRAW: u64 = 1 << 20;

/// Values for the inputs of `dag`, each the same for the same name, with so many non-zeros at least: all-zero data would agree
/// with anything. Seeds follow the order of the names in `reference`, and are others for each `number` of a draw.
#[must_use]
pub fn draw(
    dag: &Dag,
    reference: &Dag,
    least_non_zeros: f64,
    range: Range,
    number: u64,
) -> Option<Vec<Value>> {
    let mut names: Vec<_> = reference.inputs().iter().map(|input| &input.name).collect();
    names.sort();
    dag.inputs()
        .iter()
        .map(|input| {
            let place = names.binary_search(&&input.name).ok()? as u64 + 1;
            let seed = place + number * SEEDS_OF_A_DRAW;
            let least = (least_non_zeros / input.ty.cells()?.max(1.0)).min(1.0);
            let ty = Type {
                sparsity: Some(input.ty.density().max(least)),
                ..input.ty.clone()
            };
            synthesize(&ty, seed, range).ok()
        })
        .collect()
}
