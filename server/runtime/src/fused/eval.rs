//! Evaluation of a DAG by a fusion plan: fused operators where the plan has them, kernels for everything else, every
//! value freed after its last use.

use std::sync::Arc;
use std::time::Instant;

use sumac_fusion::{Plan, PlannedOperator, Unit};
use sumac_la::{Dag, Node, NodeId, Op};

use super::{DECLINED, Prepared, run};
use crate::apply::apply;
use crate::cancel::{self, Cancel};
use crate::error::OpError;
use crate::eval::{EvalError, Evaluated, Watch, check_inputs};
use crate::kernels::cell;
use crate::kernels::matmul::{Factor, matmul};
use crate::matrix::{Matrix, prefers_sparse};
use crate::memory::Keeping;
use crate::value::Value;

/// The values of `roots` for the values of the DAG's inputs, by a plan for these roots. What ran is told to `watch`, by
/// the name of the template or of the operator.
///
/// # Errors
/// As [`eval`](crate::eval()).
pub fn eval_plan(
    (dag, roots): (&Dag, &[NodeId]),
    plan: &Plan,
    inputs: &[Value],
    prepared: &Prepared,
    cancel: &Cancel,
    watch: &mut Watch<'_>,
) -> Result<Evaluated, EvalError> {
    check_inputs(dag, inputs)?;
    let _keeping = Keeping::start();
    cancel::during(cancel, || {
        let mut run = Run {
            dag,
            inputs,
            uses: uses(dag, roots, plan),
            values: vec![None; dag.len()],
            alive: inputs.iter().map(Value::bytes).sum(),
            peak: 0,
        };
        run.peak = run.alive;
        for unit in &plan.schedule {
            if cancel.is_cancelled() {
                return Err(EvalError::Cancelled);
            }
            let start = Instant::now();
            let name = match unit {
                Unit::Fused(i) => run.fused(&plan.operators[*i], prepared)?,
                Unit::Alone(id) => run.alone(*id)?,
            };
            watch(name, start.elapsed());
        }
        if cancel.is_cancelled() {
            return Err(EvalError::Cancelled);
        }
        let value = |id: &NodeId| run.value(*id);
        let values = roots.iter().map(value).collect::<Result<_, _>>();
        Ok(Evaluated {
            values: values.map_err(|error| failed(dag, roots[0], error))?,
            peak_bytes: run.peak,
        })
    })
}

fn failed(dag: &Dag, id: NodeId, error: OpError) -> EvalError {
    EvalError::Op {
        error: Box::new(error),
        expression: dag.print(id),
    }
}

/// How often each value is read, roots included.
fn uses(dag: &Dag, roots: &[NodeId], plan: &Plan) -> Vec<usize> {
    let mut uses = vec![0; dag.len()];
    let mut read = |id: NodeId| uses[id.index()] += 1;
    for unit in &plan.schedule {
        match unit {
            Unit::Fused(i) => plan.operators[*i].inputs.iter().for_each(|id| read(*id)),
            Unit::Alone(id) => dag.args(*id).iter().for_each(|id| read(*id)),
        }
    }
    roots.iter().for_each(|id| read(*id));
    uses
}

/// A computed value, or one that is read in the other direction when it is needed.
#[derive(Clone)]
enum Held {
    Value(Value),
    /// The transpose of a matrix, not formed.
    Turned(Value),
}

impl Held {
    fn formed(&self) -> Result<Value, OpError> {
        match self {
            Held::Value(value) => Ok(value.clone()),
            Held::Turned(value) => apply(Op::Transpose, vec![value.clone()]),
        }
    }
}

struct Run<'a> {
    dag: &'a Dag,
    inputs: &'a [Value],
    uses: Vec<usize>,
    values: Vec<Option<Held>>,
    alive: u64,
    peak: u64,
}

impl Run<'_> {
    fn held(&self, id: NodeId) -> Held {
        match self.dag.node(id) {
            Node::Input(n) => Held::Value(self.inputs[*n as usize].clone()),
            Node::Num(bits) => Held::Value(Value::Double(f64::from_bits(*bits))),
            Node::Op(..) => self.values[id.index()]
                .clone()
                .expect("a schedule computes what is read before it is read"),
        }
    }

    fn value(&self, id: NodeId) -> Result<Value, OpError> {
        self.held(id).formed()
    }

    fn keep(&mut self, id: NodeId, held: Held) {
        if let Held::Value(value) = &held {
            self.alive += value.bytes();
            self.peak = self.peak.max(self.alive);
        }
        self.values[id.index()] = Some(held);
    }

    fn release(&mut self, id: NodeId) {
        let uses = &mut self.uses[id.index()];
        *uses = uses.saturating_sub(1);
        if *uses > 0 || !matches!(self.dag.node(id), Node::Op(..)) {
            return;
        }
        if let Some(Held::Value(value)) = self.values[id.index()].take() {
            self.alive = self.alive.saturating_sub(value.bytes());
        }
    }

    fn alone(&mut self, id: NodeId) -> Result<&'static str, EvalError> {
        let Node::Op(op, args) = self.dag.node(id) else {
            return Ok("");
        };
        let held: Vec<Held> = args.iter().map(|arg| self.held(*arg)).collect();
        let result = compute(*op, &held).map_err(|error| failed(self.dag, id, error))?;
        self.keep(id, result);
        for arg in args {
            self.release(*arg);
        }
        Ok(cell::name(*op))
    }

    fn fused(
        &mut self,
        operator: &PlannedOperator,
        prepared: &Prepared,
    ) -> Result<&'static str, EvalError> {
        let dag = self.dag;
        let fail = |error| failed(dag, operator.roots[0], error);
        let inputs: Vec<Value> = operator
            .inputs
            .iter()
            .map(|id| self.value(*id))
            .collect::<Result<_, _>>()
            .map_err(fail)?;
        let borrowed: Vec<&Value> = inputs.iter().collect();
        let is_sparse = |value: &Value| value.as_matrix().is_some_and(Matrix::is_sparse);
        let reads_sparse = inputs.iter().any(is_sparse);
        let done = run(&operator.kernel, &borrowed, prepared).map_err(fail)?;
        let name = match done {
            Some(values) if !self.is_open_how_kept(operator, &values, reads_sparse) => {
                for (root, value) in operator.roots.iter().zip(values) {
                    let value = as_declared(dag, *root, value);
                    self.keep(*root, Held::Value(value));
                }
                operator.template.name()
            }
            _ => {
                self.one_by_one(operator)?;
                DECLINED
            }
        };
        for id in &operator.inputs {
            self.release(*id);
        }
        Ok(name)
    }

    /// Whether a result with few non-zero cells comes of a sparse matrix, or of a comparison on the way. Alone, what is made
    /// of that may be sparse, or not; and whoever reads the result skips what is not stored.
    fn is_open_how_kept(
        &self,
        operator: &PlannedOperator,
        values: &[Value],
        reads_sparse: bool,
    ) -> bool {
        let thins_out = |id: &NodeId| match self.dag.node(*id) {
            Node::Op(op, _) => cell::may_thin_out(*op) && !operator.roots.contains(id),
            Node::Input(_) | Node::Num(_) => false,
        };
        let is_thin = |value: &Value| match value.as_matrix() {
            Some(m) => !m.is_sparse() && prefers_sparse(m.rows(), m.cols(), m.nnz()),
            None => false,
        };
        (reads_sparse || operator.covers.iter().any(thins_out)) && values.iter().any(is_thin)
    }

    /// Computes the operators of a fused one that its inputs' formats do not suit.
    fn one_by_one(&mut self, operator: &PlannedOperator) -> Result<(), EvalError> {
        let mut inner: Vec<Option<Held>> = vec![None; self.dag.len()];
        for &id in &operator.covers {
            let Node::Op(op, args) = self.dag.node(id) else {
                continue;
            };
            let mut held = Vec::new();
            for arg in args {
                held.push(
                    self.inner(*arg, &inner)
                        .map_err(|e| failed(self.dag, id, e))?,
                );
            }
            let result = compute(*op, &held).map_err(|error| failed(self.dag, id, error))?;
            inner[id.index()] = Some(result);
        }
        for root in &operator.roots {
            if let Some(held) = inner[root.index()].take() {
                let value = held.formed().map_err(|e| failed(self.dag, *root, e))?;
                self.keep(*root, Held::Value(value));
            }
        }
        Ok(())
    }

    /// An argument of an operator inside: computed inside, or read. A transpose of what is read stands for itself.
    fn inner(&self, id: NodeId, inner: &[Option<Held>]) -> Result<Held, OpError> {
        if let Some(held) = &inner[id.index()] {
            return Ok(held.clone());
        }
        match self.dag.node(id) {
            Node::Op(op, args) if self.values[id.index()].is_none() => {
                let held = args
                    .iter()
                    .map(|arg| self.inner(*arg, inner))
                    .collect::<Result<Vec<_>, _>>()?;
                compute(*op, &held)
            }
            _ => Ok(self.held(id)),
        }
    }
}

/// A number where the DAG has a matrix of one cell is that matrix; a matrix is kept in the format that the operator alone
/// would keep it in.
fn as_declared(dag: &Dag, id: NodeId, value: Value) -> Value {
    let may_be_sparse = match dag.node(id) {
        Node::Op(op, _) => cell::may_thin_out(*op),
        Node::Input(_) | Node::Num(_) => false,
    };
    match value {
        Value::Double(x) if !dag.is_scalar(id) => Matrix::fill(1, 1, x).into(),
        Value::Matrix(matrix) if may_be_sparse && !matrix.is_sparse() => {
            match Arc::try_unwrap(matrix) {
                Ok(matrix) => matrix.settled().into(),
                Err(shared) => Value::Matrix(shared),
            }
        }
        value => value,
    }
}

fn compute(op: Op, args: &[Held]) -> Result<Held, OpError> {
    match (op, args) {
        (Op::Transpose, [Held::Value(value)]) => Ok(Held::Turned(value.clone())),
        (Op::MatMul, [left, right]) => {
            let factor = |held: &Held| match held {
                Held::Value(value) => (value.clone(), false),
                Held::Turned(value) => (value.clone(), true),
            };
            let ((a, a_turned), (b, b_turned)) = (factor(left), factor(right));
            let of = |matrix, transposed| Factor { matrix, transposed };
            let product = matmul(
                of(a.matrix("%*%")?, a_turned),
                of(b.matrix("%*%")?, b_turned),
            )?;
            Ok(Held::Value(product.into()))
        }
        _ => {
            let args = args.iter().map(Held::formed).collect::<Result<_, _>>()?;
            Ok(Held::Value(apply(op, args)?))
        }
    }
}
