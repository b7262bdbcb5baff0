//! Evaluation of a LA DAG: every shared node once, every value freed after its last use.
//!
//! `t(X)` that only products read is never formed: the product reads X in the other direction. What one kernel computes
//! of several operators is not computed one by one.

mod patterns;

use std::time::{Duration, Instant};

use sumac_la::{Dag, Node, NodeId, Op};
use thiserror::Error;

use crate::apply::apply;
use crate::cancel::{self, Cancel};
use crate::error::OpError;
use crate::kernels::cell;
use crate::kernels::matmul::{Factor, matmul};
use crate::matrix::View;
use crate::memory::Keeping;
use crate::value::Value;
use patterns::Patterns;

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
    eval_watched(dag, inputs, cancel, &mut |_, _| ())
}

/// Told what ran, and how long it took.
pub type Watch<'a> = dyn FnMut(&'static str, Duration) + Send + 'a;

/// As [`eval_measured`], telling `watch` of each kernel that has run: by the operator's name, or the pattern's.
///
/// # Errors
/// See [`EvalError`].
pub fn eval_watched(
    dag: &Dag,
    inputs: &[Value],
    cancel: &Cancel,
    watch: &mut Watch<'_>,
) -> Result<Evaluated, EvalError> {
    check_inputs(dag, inputs)?;
    let _keeping = Keeping::start();
    cancel::during(cancel, || evaluate(dag, inputs, cancel, watch))
}

fn evaluate(
    dag: &Dag,
    inputs: &[Value],
    cancel: &Cancel,
    watch: &mut Watch<'_>,
) -> Result<Evaluated, EvalError> {
    let order = dag.reachable(dag.roots());
    let lazy = lazy_transposes(dag, &order);
    let mut uses = vec![0_usize; dag.len()];
    for &id in &order {
        for &arg in dag.args(id) {
            // Who reads a lazy transpose reads what is below it.
            uses[arg.index()] += 1;
        }
    }
    for root in dag.roots() {
        uses[root.index()] += 1;
    }
    let patterns = Patterns::new(dag, &order, &uses, &lazy);
    let mut run = Run {
        dag,
        lazy,
        uses,
        values: vec![None; dag.len()],
        alive: 0,
        peak: 0,
        watch,
    };
    run.alive = inputs.iter().map(Value::bytes).sum();
    run.peak = run.alive;
    for id in order {
        if cancel.is_cancelled() {
            return Err(EvalError::Cancelled);
        }
        match dag.node(id) {
            Node::Input(n) => run.values[id.index()] = Some(inputs[*n as usize].clone()),
            Node::Num(bits) => run.values[id.index()] = Some(Value::Double(f64::from_bits(*bits))),
            Node::Op(..) if run.lazy[id.index()] || patterns.waits(id) => {}
            Node::Op(..) => {
                let inner = patterns.inner(dag, id);
                if !run.pattern(&patterns, id, &inner, cancel)? {
                    for node in inner.into_iter().chain([id]) {
                        run.node(node, cancel)?;
                    }
                }
            }
        }
    }
    let values = dag
        .roots()
        .iter()
        .filter_map(|root| run.values[root.index()].clone())
        .collect();
    Ok(Evaluated {
        values,
        peak_bytes: run.peak,
    })
}

pub(crate) fn check_inputs(dag: &Dag, inputs: &[Value]) -> Result<(), EvalError> {
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

/// Transposes that are no roots and that only products read.
fn lazy_transposes(dag: &Dag, order: &[NodeId]) -> Vec<bool> {
    let mut lazy = vec![false; dag.len()];
    for &id in order {
        // A transpose of a transpose is left alone: the factor below must be a plain value.
        if let Node::Op(Op::Transpose, args) = dag.node(id) {
            lazy[id.index()] = !matches!(dag.node(args[0]), Node::Op(Op::Transpose, _));
        }
    }
    for &id in order {
        if let Node::Op(op, args) = dag.node(id)
            && *op != Op::MatMul
        {
            for arg in args {
                lazy[arg.index()] = false;
            }
        }
    }
    for root in dag.roots() {
        lazy[root.index()] = false;
    }
    lazy
}

/// Where a dense matrix has its cells.
fn cells_of(value: &Value) -> Option<*const f64> {
    match value.as_matrix()?.view() {
        View::Dense(cells) if !cells.is_empty() => Some(cells.as_ptr()),
        View::Dense(_) | View::Sparse(_) => None,
    }
}

struct Run<'a> {
    dag: &'a Dag,
    lazy: Vec<bool>,
    uses: Vec<usize>,
    values: Vec<Option<Value>>,
    alive: u64,
    peak: u64,
    watch: &'a mut Watch<'a>,
}

impl Run<'_> {
    /// Computes one node.
    fn node(&mut self, id: NodeId, cancel: &Cancel) -> Result<(), EvalError> {
        if cancel.is_cancelled() {
            return Err(EvalError::Cancelled);
        }
        let dag = self.dag;
        if let Node::Op(op, args) = dag.node(id) {
            let start = Instant::now();
            let value = self.compute(*op, args);
            (self.watch)(cell::name(*op), start.elapsed());
            self.keep(id, value, cancel)?;
            for arg in args {
                self.release(*arg);
            }
        }
        Ok(())
    }

    /// Computes a node together with those inside of it, where one kernel does that.
    fn pattern(
        &mut self,
        patterns: &Patterns,
        id: NodeId,
        inner: &[NodeId],
        cancel: &Cancel,
    ) -> Result<bool, EvalError> {
        if inner.is_empty() || cancel.is_cancelled() {
            return Ok(false);
        }
        let dag = self.dag;
        let value = |id: NodeId| self.values[id.index()].as_ref();
        let start = Instant::now();
        let Some((name, value)) = patterns.compute(dag, id, inner, value) else {
            return Ok(false);
        };
        (self.watch)(name, start.elapsed());
        self.keep(id, value, cancel)?;
        for arg in inner.iter().chain([&id]).flat_map(|node| dag.args(*node)) {
            if !inner.contains(arg) {
                self.release(*arg);
            }
        }
        Ok(true)
    }

    /// Keeps a computed value for its readers.
    fn keep(
        &mut self,
        id: NodeId,
        value: Result<Value, OpError>,
        cancel: &Cancel,
    ) -> Result<(), EvalError> {
        // What was called off has given any cells.
        if cancel.is_cancelled() {
            return Err(EvalError::Cancelled);
        }
        let value = value.map_err(|error| EvalError::Op {
            error: Box::new(error),
            expression: self.dag.print(id),
        })?;
        self.alive += value.bytes();
        self.peak = self.peak.max(self.alive);
        self.values[id.index()] = Some(value);
        Ok(())
    }

    fn compute(&mut self, op: Op, args: &[NodeId]) -> Result<Value, OpError> {
        if op == Op::MatMul {
            let (left, right) = (self.factor(args[0]), self.factor(args[1]));
            let a = Factor {
                matrix: left.0.matrix("%*%")?,
                transposed: left.1,
            };
            let b = Factor {
                matrix: right.0.matrix("%*%")?,
                transposed: right.1,
            };
            return Ok(matmul(a, b)?.into());
        }
        let mut taken = 0;
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            let value = self.value(*arg);
            // The last reader owns the value alone, so that it may be changed in place.
            if self.uses[arg.index()] == 1 && matches!(self.dag.node(*arg), Node::Op(..)) {
                self.values[arg.index()] = None;
                taken += value.bytes();
            }
            values.push(value);
        }
        let places: Vec<_> = values.iter().filter_map(cells_of).collect();
        let result = apply(op, values)?;
        // Unless the result lives in an argument's cells, both were alive for a moment.
        let in_place = cells_of(&result).is_some_and(|cells| places.contains(&cells));
        self.peak = self
            .peak
            .max(self.alive + if in_place { 0 } else { result.bytes() });
        self.alive = self.alive.saturating_sub(taken);
        Ok(result)
    }

    fn factor(&self, id: NodeId) -> (Value, bool) {
        let transposed = self.lazy[id.index()];
        let id = if transposed { self.dag.args(id)[0] } else { id };
        (self.value(id), transposed)
    }

    fn value(&self, id: NodeId) -> Value {
        self.values[id.index()]
            .clone()
            .expect("arguments come before their readers and live until the last")
    }

    /// Inputs belong to the caller: letting go of them frees nothing.
    fn owned_bytes(&self, id: NodeId, value: &Value) -> u64 {
        if matches!(self.dag.node(id), Node::Op(..)) {
            value.bytes()
        } else {
            0
        }
    }

    fn release(&mut self, id: NodeId) {
        let uses = &mut self.uses[id.index()];
        *uses = uses.saturating_sub(1);
        if *uses > 0 {
            return;
        }
        if self.lazy[id.index()] {
            return self.release(self.dag.args(id)[0]);
        }
        if let Some(value) = self.values[id.index()].take() {
            self.alive = self.alive.saturating_sub(self.owned_bytes(id, &value));
        }
    }
}
