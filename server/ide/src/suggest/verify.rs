//! A suggestion is shown only if it is proved equal and if both forms, run on random data, agree.

use std::collections::BTreeSet;
use std::fmt::Write;

use sumac_la::{Dag, Type, scaled};
use sumac_runtime::synthesize::Range;
use sumac_runtime::{Value, eval_measured, synthesize};
use sumac_sumproduct::canonical::{self, Verdict};

use super::group::Group;
use super::{Forms, NoSuggestion};
use crate::CancelToken;

/// Largest error of a form that agrees, relative to the largest cell.
const TOLERANCE: f64 = 1e-9;
/// Cells of the largest value of a checking run.
const MAX_CELLS: f64 = 60_000.0;
/// Non-zeros that a sparse input has at least in a checking run: all-zero data would agree with anything.
const LEAST_NON_ZEROS: f64 = 24.0;

/// Why both forms are equal: their common canonical form, once for each expression.
#[derive(Clone, Debug)]
pub struct Proof(pub(crate) Vec<crate::CanonicalProof>);

impl Proof {
    /// The kind of proof, as results name it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        "canonical"
    }

    /// One line.
    #[must_use]
    pub fn summary(&self) -> String {
        let steps: usize = self
            .0
            .iter()
            .map(|p| p.left_steps.len() + p.right_steps.len())
            .sum();
        format!("both forms reduce to the same polyterm ({steps} steps)")
    }

    /// What it assumes of symbolic sizes.
    pub fn assumes(&self) -> impl Iterator<Item = String> + '_ {
        self.0
            .iter()
            .flat_map(|proof| proof.assumes.iter().cloned())
    }

    /// The steps from each form to the common polyterm.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        for proof in &self.0 {
            for (title, steps) in [
                ("As written", &proof.left_steps),
                ("Optimized", &proof.right_steps),
            ] {
                let _ = writeln!(text, "{title}, in index notation:\n");
                for (number, step) in steps.iter().enumerate() {
                    let _ = writeln!(text, "{}. {}\n   `{}`", number + 1, step.rule, step.text);
                }
                text.push('\n');
            }
            let _ = writeln!(
                text,
                "Both end in the same polyterm:\n\n`{}`\n",
                proof.polyterm
            );
        }
        text
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

/// The proof that a search's result, `seen` over the block's inputs, equals the group's roots.
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
                Verdict::Equal(proof) if proof.conditions.is_empty() => Ok(proof),
                Verdict::Equal(proof) => {
                    unproved(format!("it is equal only where {}", proof.conditions.join(", ")))
                }
                Verdict::Different => unproved("the canonical forms differ".to_owned()),
                Verdict::Undecided(why) => unproved(why),
            }
        })
        .collect::<Result<Vec<_>, _>>()
        .map(Proof)
}

/// Runs both forms on scaled-down random inputs of the same sparsity. `None` if they differ, or cannot be run.
pub(super) fn check(forms: &Forms, cancel: &CancelToken) -> Option<Check> {
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
    let scale = pairs.iter().find_map(|(a, b)| at_small_scale(a, b));
    // Sizes stand in the expression itself: at full size, if that is quick.
    let affordable = || {
        pairs
            .iter()
            .find(|(a, b)| is_affordable(a) && is_affordable(b))
            .map(|pair| (*pair).clone())
    };
    let (original, optimized) = scale.or_else(affordable)?;
    run(&original, &optimized, cancel)
}

/// Both forms over smaller inputs. `None` where sizes stand in the expressions, or numbers that were made from sizes:
/// what is not equal at this scale would say nothing.
fn at_small_scale(original: &Dag, optimized: &Dag) -> Option<(Dag, Dag)> {
    let (a, b) = (0..40).map(|i| 1_u64 << i).find_map(|divisor| {
        let small = scaled(original, divisor).filter(is_small)?;
        Some((small, scaled(optimized, divisor)?))
    })?;
    let equal = |(x, y)| matches!(canonical::decide((&a, x), (&b, y)), Verdict::Equal(_));
    let all_equal = a
        .roots()
        .iter()
        .copied()
        .zip(b.roots().iter().copied())
        .all(equal);
    all_equal.then_some((a, b))
}

fn is_small(dag: &Dag) -> bool {
    dag.reachable(dag.roots())
        .into_iter()
        .all(|id| dag.ty(id).cells().is_some_and(|cells| cells <= MAX_CELLS))
}

fn is_affordable(dag: &Dag) -> bool {
    dag.cost(dag.roots(), &sumac_la::Machine::default())
        .is_some_and(|cost| cost.flops < 3e8 && cost.peak_bytes < 2e8)
}

fn run(original: &Dag, optimized: &Dag, cancel: &CancelToken) -> Option<Check> {
    // Logarithms and roots want positive data; a form that is undefined on signed data is run on that.
    [Range::Signed, Range::Positive]
        .into_iter()
        .find_map(|range| {
            let a = eval_measured(original, &inputs(original, original, range)?, cancel)
                .ok()?
                .values;
            if !a.iter().all(is_defined) {
                return None;
            }
            let b = eval_measured(optimized, &inputs(optimized, original, range)?, cancel)
                .ok()?
                .values;
            let error = a
                .iter()
                .zip(&b)
                .map(|(x, y)| relative_error(x, y))
                .fold(0.0, f64::max);
            let largest = original
                .inputs()
                .iter()
                .filter_map(|input| Some((input.ty.rows.known()?, input.ty.cols.known()?)))
                .max_by_key(|(rows, cols)| rows.saturating_mul(*cols))?;
            (error <= TOLERANCE).then_some(Check {
                max_relative_error: error,
                rows: largest.0,
                cols: largest.1,
            })
        })
}

/// Values for the inputs of `dag`, each the same for the same name. Seeds follow the names' order in `reference`.
fn inputs(dag: &Dag, reference: &Dag, range: Range) -> Option<Vec<Value>> {
    let mut names: Vec<_> = reference.inputs().iter().map(|input| &input.name).collect();
    names.sort();
    dag.inputs()
        .iter()
        .map(|input| {
            let seed = names.binary_search(&&input.name).ok()? as u64 + 1;
            let least = (LEAST_NON_ZEROS / input.ty.cells()?.max(1.0)).min(1.0);
            // What is said to be zero stays zero: the search may rest on it.
            let density = input.ty.density();
            let density = if density == 0.0 {
                0.0
            } else {
                density.max(least)
            };
            let ty = Type {
                sparsity: Some(density),
                ..input.ty.clone()
            };
            synthesize(&ty, seed, range).ok()
        })
        .collect()
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

fn relative_error(a: &Value, b: &Value) -> f64 {
    let (a, b) = (cells(a), cells(b));
    if a.len() != b.len() || b.iter().any(|cell| !cell.is_finite()) {
        return f64::INFINITY;
    }
    let scale = a
        .iter()
        .chain(&b)
        .fold(0.0, |most: f64, cell| most.max(cell.abs()));
    let off = a
        .iter()
        .zip(&b)
        .fold(0.0, |most: f64, (x, y)| most.max((x - y).abs()));
    if off == 0.0 { 0.0 } else { off / scale }
}
