//! Two forms are run on the same random data before one is suggested: what is proved is also seen. Must never take the place of a
//! proof.

use std::fmt;

use sumac_cost::Priced;
use sumac_la::{Dag, Node, Type, number, scaled};
use sumac_runtime::synthesize::Range;
use sumac_runtime::{Cancel, Value, eval_measured};

use crate::small::{at_small_scale, draw};

/// Largest error of a form that agrees, relative to the largest cell …
const TOLERANCE: f64 = 1e-9;
/// … or to the largest number on the way: what cancels out is rounding in both forms.
const ROUNDING: f64 = 1e-12;
/// Cells of the largest value of a checking run.
const MAX_CELLS: f64 = 60_000.0;
/// Non-zeros that a sparse input has at least in a checking run: all-zero data would agree with anything.
const LEAST_NON_ZEROS: f64 = 24.0;

/// Why a form that was found is not suggested.
#[derive(Clone, PartialEq, Debug)]
pub enum Rejection {
    /// Its figures could not be compared: neither form runs on smaller data, and the written one is too dear as it is.
    NotRun,
    /// Both forms ran as they are and gave values that differ by this much.
    Differs(f64),
    /// The same over smaller data, where what a script says of its sizes in numbers need not hold.
    DiffersSmaller(f64),
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejection::NotRun => f.write_str(
                "a cheaper form was found and proved, but not checked: the form as written runs on no smaller data, and takes too long as it is",
            ),
            Rejection::Differs(error) => write!(
                f,
                "a cheaper form was found and proved, but run on random data it differs by {}",
                number(*error)
            ),
            Rejection::DiffersSmaller(error) => write!(
                f,
                "a cheaper form was found and proved, but not checked: on smaller random data, where numbers such as the 1000 of `1 / 1000` may not fit the \
                 sizes, it differs by {}, and the form as written takes too long as it is",
                number(*error)
            ),
        }
    }
}

/// That both forms ran and agreed.
#[derive(Clone, PartialEq, Debug)]
pub struct Check {
    /// Largest difference of two cells, relative to the largest cell.
    pub max_relative_error: f64,
    /// Rows of the largest input of the run.
    pub rows: u64,
    /// Columns of the largest input of the run.
    pub cols: u64,
}

/// Runs both forms, the written one first, on scaled-down random inputs of the same sparsity: those of the first pair that can be run.
/// Sizes that are names need a number that is assumed of them.
///
/// # Errors
/// They differ, or cannot be run.
pub fn check(pairs: &[&(Dag, Dag)], cancel: &Cancel) -> Result<Check, Rejection> {
    let small = pairs
        .iter()
        .find_map(|(a, b)| at_small_scale(a, b, MAX_CELLS));
    // Where the forms hold positions that smaller data do not have, or numbers that only fit their own sizes: at full size, if that
    // is quick.
    let affordable = || {
        pairs
            .iter()
            .filter_map(|(a, b)| Some((scaled(a, 1)?, scaled(b, 1)?)))
            .find(|(a, b)| is_affordable(a) && is_affordable(b))
    };
    let mut outcome = Err(Rejection::NotRun);
    if let Some((original, optimized)) = &small {
        outcome = run(original, optimized, cancel);
    }
    if outcome.is_err()
        && let Some((original, optimized)) = affordable()
    {
        return run(&original, &optimized, cancel);
    }
    outcome.map_err(|rejection| match rejection {
        Rejection::Differs(error) => Rejection::DiffersSmaller(error),
        other => other,
    })
}

fn is_affordable(dag: &Dag) -> bool {
    dag.cost(dag.roots(), &sumac_cost::Machine::default())
        .is_some_and(|cost| cost.flops < 3e8 && cost.peak_bytes < 2e8)
}

fn run(original: &Dag, optimized: &Dag, cancel: &Cancel) -> Result<Check, Rejection> {
    let mut outcome = Rejection::NotRun;
    // Logarithms and roots want positive data; a form that is undefined on signed data is run on that.
    for range in [Range::Signed, Range::Positive] {
        let values = |dag: &Dag| {
            let inputs = draw(dag, original, LEAST_NON_ZEROS, range, 0)?;
            Some(eval_measured(dag, &inputs, cancel).ok()?.values)
        };
        let Some(a) = values(original).filter(|a| a.iter().all(is_defined)) else {
            continue;
        };
        let Some(b) = values(optimized) else {
            continue;
        };
        let pairs = || a.iter().zip(&b);
        let error = pairs()
            .map(|(x, y)| relative_error(x, y))
            .fold(0.0, f64::max);
        let is_rounding = || {
            let all = with_all_roots(original);
            let on_the_way = values(&all).unwrap_or_default();
            let largest = on_the_way.iter().map(magnitude).fold(0.0, f64::max);
            let error = pairs()
                .map(|(x, y)| absolute_error(x, y))
                .fold(0.0, f64::max);
            error <= ROUNDING * largest
        };
        let ids = original.reachable(original.roots());
        let types: Vec<&Type> = match original.inputs() {
            [] => ids.iter().map(|id| original.ty(*id)).collect(),
            inputs => inputs.iter().map(|input| &input.ty).collect(),
        };
        let sizes = types
            .iter()
            .filter_map(|ty| Some((ty.rows.estimate()?, ty.cols.estimate()?)));
        let largest = sizes.max_by_key(|(rows, cols)| rows.saturating_mul(*cols));
        match largest {
            Some((rows, cols)) if error <= TOLERANCE || is_rounding() => {
                return Ok(Check {
                    max_relative_error: if error <= TOLERANCE { error } else { 0.0 },
                    rows,
                    cols,
                });
            }
            Some(_) => outcome = Rejection::Differs(error),
            None => {}
        }
    }
    Err(outcome)
}

/// The same DAG, with every operator as a result.
fn with_all_roots(dag: &Dag) -> Dag {
    let mut all = dag.clone();
    for id in dag.reachable(dag.roots()) {
        if matches!(dag.node(id), Node::Op(..)) {
            all.push_root(id);
        }
    }
    all
}

fn magnitude(value: &Value) -> f64 {
    cells(value)
        .iter()
        .filter(|cell| cell.is_finite())
        .fold(0.0, |most: f64, cell| most.max(cell.abs()))
}

fn cells(value: &Value) -> Vec<f64> {
    match value.as_matrix() {
        Some(matrix) => matrix.to_cells(),
        None => value.as_number().into_iter().collect(),
    }
}

fn is_defined(value: &Value) -> bool {
    cells(value).iter().all(|cell| cell.is_finite())
}

fn absolute_error(a: &Value, b: &Value) -> f64 {
    let (a, b) = (cells(a), cells(b));
    if a.len() != b.len() || b.iter().any(|cell| !cell.is_finite()) {
        return f64::INFINITY;
    }
    a.iter()
        .zip(&b)
        .fold(0.0, |most: f64, (x, y)| most.max((x - y).abs()))
}

fn relative_error(a: &Value, b: &Value) -> f64 {
    let error = absolute_error(a, b);
    if error == 0.0 {
        0.0
    } else {
        error / magnitude(a).max(magnitude(b))
    }
}
