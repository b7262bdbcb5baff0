//! Evaluation of a LA DAG: every shared node once, every value freed after its last use.
//!
//! `t(X)` that only products read is never formed: the product reads X in the other direction. By a fusion plan, fused
//! operators run as one kernel each; without one, operators run one by one. What is fused is decided elsewhere.

mod run;

use std::time::Duration;

use sumac_fusion::{Plan, Unit};
use sumac_la::{Dag, NodeId};
use thiserror::Error;

use crate::cancel::{self, Cancel};
use crate::error::OpError;
use crate::fused::Prepared;
use crate::memory::BufferPool;
use crate::value::Value;
use run::Run;

/// Why a DAG could not be evaluated.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum EvalError {
    /// A node does not fit its arguments.
    #[error("{error} (in `{expression}`)")]
    Op {
        /// What did not fit.
        error: Box<OpError>,
        /// The node as DML text.
        expression: String,
    },
    /// Fewer inputs were given than the DAG has.
    #[error("input `{name}` has no value: {expected} inputs expected, {found} given")]
    MissingInput {
        /// The first input without a value.
        name: String,
        /// Number of inputs of the DAG.
        expected: usize,
        /// Number of inputs given.
        found: usize,
    },
    /// A value that is no matrix or number.
    #[error("input `{name}` is {found}: a matrix or a number expected")]
    InputKind {
        /// The input.
        name: String,
        /// What was given.
        found: String,
    },
    /// Called off.
    #[error("cancelled")]
    Cancelled,
}

/// The values of the roots, and the most memory that was alive at once.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// In the order of the DAG's roots.
    pub values: Vec<Value>,
    /// Bytes of all values alive at the worst moment, inputs included.
    pub peak_bytes: u64,
}

/// The values of the DAG's roots for the values of its inputs.
///
/// # Errors
/// See [`EvalError`].
pub fn eval(dag: &Dag, inputs: &[Value]) -> Result<Vec<Value>, EvalError> {
    Ok(eval_measured(dag, inputs, &Cancel::default())?.values)
}

/// As [`eval`], keeping count of the memory and polling `cancel` between operators and inside of long ones.
///
/// # Errors
/// See [`EvalError`].
pub fn eval_measured(dag: &Dag, inputs: &[Value], cancel: &Cancel) -> Result<Evaluated, EvalError> {
    eval_alone(dag, inputs, cancel, &mut |_, _| ())
}

/// Told what ran, and how long it took.
pub type Watch<'a> = dyn FnMut(&'static str, Duration) + Send + 'a;

/// As [`eval_measured`], telling `watch` of each operator that has run.
///
/// # Errors
/// See [`EvalError`].
pub fn eval_alone(
    dag: &Dag,
    inputs: &[Value],
    cancel: &Cancel,
    watch: &mut Watch<'_>,
) -> Result<Evaluated, EvalError> {
    let order = dag.reachable(dag.roots()).into_iter();
    let units: Vec<Unit> = order.map(Unit::Alone).collect();
    let prepared = Prepared::default();
    evaluate(dag, inputs, cancel, || {
        Run::new((dag, dag.roots()), (&[], &units), inputs).all(&prepared, cancel, watch)
    })
}

/// The values of `roots` for the values of the DAG's inputs, by a plan for these roots. `watch` is told of each operator
/// that has run, by its own name or that of its template.
///
/// # Errors
/// See [`EvalError`].
pub fn eval_plan(
    (dag, roots): (&Dag, &[NodeId]),
    plan: &Plan,
    inputs: &[Value],
    prepared: &Prepared,
    cancel: &Cancel,
    watch: &mut Watch<'_>,
) -> Result<Evaluated, EvalError> {
    let steps = (plan.operators.as_slice(), plan.schedule.as_slice());
    evaluate(dag, inputs, cancel, || {
        Run::new((dag, roots), steps, inputs).all(prepared, cancel, watch)
    })
}

fn evaluate(
    dag: &Dag,
    inputs: &[Value],
    cancel: &Cancel,
    run: impl FnOnce() -> Result<Evaluated, EvalError>,
) -> Result<Evaluated, EvalError> {
    check_inputs(dag, inputs)?;
    let _pool = BufferPool::start();
    cancel::during(cancel, run)
}

fn check_inputs(dag: &Dag, inputs: &[Value]) -> Result<(), EvalError> {
    for (i, input) in dag.inputs().iter().enumerate() {
        let name = || input.name.to_string();
        match inputs.get(i) {
            None => {
                let (expected, found) = (dag.inputs().len(), inputs.len());
                return Err(EvalError::MissingInput {
                    name: name(),
                    expected,
                    found,
                });
            }
            Some(value @ Value::Str(_)) => {
                return Err(EvalError::InputKind {
                    name: name(),
                    found: value.describe(),
                });
            }
            Some(_) => {}
        }
    }
    Ok(())
}
