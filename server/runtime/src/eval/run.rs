//! One evaluation: the values that are there, who is still to read them, and what they take of the memory.

use std::sync::Arc;
use std::time::Instant;

use sumac_fusion::{PlannedOperator, Unit};
use sumac_la::{Dag, Node, NodeId, Op};

use super::{EvalError, Evaluated, Watch};
use crate::apply::apply;
use crate::cancel::Cancel;
use crate::error::OpError;
use crate::fused::{self, DECLINED, Prepared};
use crate::kernels::cell;
use crate::kernels::matmul::{Factor, matmul};
use crate::matrix::{Matrix, View, prefers_sparse};
use crate::value::Value;

pub(super) struct Run<'a> {
    dag: &'a Dag,
    roots: &'a [NodeId],
    operators: &'a [PlannedOperator],
    units: &'a [Unit],
    inputs: &'a [Value],
    /// Transposes that are never formed, for products read what is below.
    lazy: Vec<bool>,
    /// Readers to come.
    uses: Vec<usize>,
    values: Vec<Option<Value>>,
    /// Bytes of each value as they count among those that are alive.
    counted: Vec<u64>,
    alive: u64,
    peak: u64,
}

impl<'a> Run<'a> {
    /// Of the fused operators, if any, and of everything that runs, in order.
    pub(super) fn new(
        (dag, roots): (&'a Dag, &'a [NodeId]),
        (operators, units): (&'a [PlannedOperator], &'a [Unit]),
        inputs: &'a [Value],
    ) -> Run<'a> {
        let alive = inputs.iter().map(Value::bytes).sum();
        let mut run = Run {
            dag,
            roots,
            operators,
            units,
            inputs,
            lazy: vec![false; dag.len()],
            uses: vec![0; dag.len()],
            values: vec![None; dag.len()],
            counted: vec![0; dag.len()],
            alive,
            peak: alive,
        };
        for unit in units {
            run.expect(run.reads(unit));
        }
        run.expect(roots);
        run.lazy = run.lazy_transposes();
        run
    }

    /// Runs everything.
    pub(super) fn all(
        mut self,
        prepared: &Prepared,
        cancel: &Cancel,
        watch: &mut Watch<'_>,
    ) -> Result<Evaluated, EvalError> {
        for unit in self.units {
            if cancel.is_cancelled() {
                return Err(EvalError::Cancelled);
            }
            let start = Instant::now();
            let name = match unit {
                Unit::Fused(i) => Some(self.fused(&self.operators[*i], prepared, cancel)?),
                Unit::Alone(id) => self.alone(*id, cancel)?,
            };
            if let Some(name) = name {
                watch(name, start.elapsed());
            }
        }
        let values = self.roots.iter().map(|root| self.value(*root)).collect();
        Ok(Evaluated {
            values,
            peak_bytes: self.peak,
        })
    }

    /// What a unit reads, once for each time.
    fn reads(&self, unit: &Unit) -> &'a [NodeId] {
        match unit {
            Unit::Fused(i) => &self.operators[*i].inputs,
            Unit::Alone(id) => self.dag.args(*id),
        }
    }

    /// Somebody will read these. Inputs and numbers are there from the start.
    fn expect(&mut self, read: &[NodeId]) {
        for id in read {
            let i = id.index();
            self.uses[i] += 1;
            match self.dag.node(*id) {
                Node::Input(n) => {
                    let value = self.inputs[*n as usize].clone();
                    self.counted[i] = value.bytes();
                    self.values[i] = Some(value);
                }
                Node::Num(bits) => self.values[i] = Some(Value::Double(f64::from_bits(*bits))),
                Node::Op(..) => {}
            }
        }
    }

    /// Transposes that are no roots and that only products read, each on its own.
    fn lazy_transposes(&self) -> Vec<bool> {
        let dag = self.dag;
        let mut lazy = vec![false; dag.len()];
        let is = |id: NodeId, wanted: Op| matches!(dag.node(id), Node::Op(op, _) if *op == wanted);
        for unit in self.units {
            if let Unit::Alone(id) = unit
                && is(*id, Op::Transpose)
            {
                // A transpose of a transpose is left alone: the factor below must be a plain value.
                lazy[id.index()] = !is(dag.args(*id)[0], Op::Transpose);
            }
        }
        for unit in self.units {
            if !matches!(unit, Unit::Alone(id) if is(*id, Op::MatMul)) {
                for id in self.reads(unit) {
                    lazy[id.index()] = false;
                }
            }
        }
        for root in self.roots {
            lazy[root.index()] = false;
        }
        lazy
    }

    /// Computes one node; its name, unless there is nothing to do.
    fn alone(&mut self, id: NodeId, cancel: &Cancel) -> Result<Option<&'static str>, EvalError> {
        let dag = self.dag;
        let Node::Op(op, args) = dag.node(id) else {
            return Ok(None);
        };
        if self.lazy[id.index()] {
            return Ok(None);
        }
        let value = self.compute(*op, args);
        self.keep(id, value, cancel)?;
        for arg in args {
            self.release(*arg);
        }
        Ok(Some(cell::name(*op)))
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
            .expect("what is read comes before its readers and lives until the last")
    }

    /// Computes a fused operator: by its kernel, or part by part where the formats of its inputs do not suit it.
    fn fused(
        &mut self,
        operator: &PlannedOperator,
        prepared: &Prepared,
        cancel: &Cancel,
    ) -> Result<&'static str, EvalError> {
        let inputs: Vec<Value> = operator.inputs.iter().map(|id| self.value(*id)).collect();
        let borrowed: Vec<&Value> = inputs.iter().collect();
        let is_sparse = |value: &Value| value.as_matrix().is_some_and(Matrix::is_sparse);
        let reads_sparse = inputs.iter().any(is_sparse);
        let done = fused::run(&operator.kernel, &borrowed, prepared)
            .map_err(|error| failed(self.dag, operator.roots[0], error))?;
        let name = match done {
            Some(values) if !self.is_open_how_kept(operator, &values, reads_sparse) => {
                for (root, value) in operator.roots.iter().zip(values) {
                    let value = as_declared(self.dag, *root, value);
                    self.keep(*root, Ok(value), cancel)?;
                }
                operator.template.name()
            }
            _ => {
                self.parts(operator, prepared, cancel)?;
                DECLINED
            }
        };
        drop(inputs);
        for id in &operator.inputs {
            self.release(*id);
        }
        Ok(name)
    }

    /// Computes a fused operator one by one, from what is there.
    fn parts(
        &mut self,
        operator: &PlannedOperator,
        prepared: &Prepared,
        cancel: &Cancel,
    ) -> Result<(), EvalError> {
        let dag = self.dag;
        let is_there = |id: NodeId| operator.inputs.contains(&id) || dag.args(id).is_empty();
        let order = dag.reachable_by(&operator.roots, |id| {
            if is_there(id) { &[] } else { dag.args(id) }
        });
        let is_computed = |id: &NodeId| !is_there(*id);
        let units: Vec<Unit> = order
            .into_iter()
            .filter(is_computed)
            .map(Unit::Alone)
            .collect();
        let mut parts = Run::new((dag, &operator.roots), (&[], &units), self.inputs);
        for id in &operator.inputs {
            parts.values[id.index()] = self.values[id.index()].clone();
            // It stays, for others read it too.
            parts.uses[id.index()] += 1;
        }
        (parts.alive, parts.peak) = (self.alive, self.peak);
        let done = parts.all(prepared, cancel, &mut |_, _| ())?;
        self.peak = done.peak_bytes;
        for (root, value) in operator.roots.iter().zip(done.values) {
            self.keep(*root, Ok(value), cancel)?;
        }
        Ok(())
    }

    /// Whether a result with few non-zero cells comes of a sparse matrix, or of a comparison on the way. Alone, what is
    /// made of that may be sparse, or not; and whoever reads the result skips what is not stored.
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

    /// Keeps a computed value for its readers.
    fn keep(
        &mut self,
        id: NodeId,
        value: Result<Value, OpError>,
        cancel: &Cancel,
    ) -> Result<(), EvalError> {
        // What was cancelled has given any cells.
        if cancel.is_cancelled() {
            return Err(EvalError::Cancelled);
        }
        let value = value.map_err(|error| failed(self.dag, id, error))?;
        self.counted[id.index()] = value.bytes();
        self.alive += value.bytes();
        self.peak = self.peak.max(self.alive);
        self.values[id.index()] = Some(value);
        Ok(())
    }

    /// Counts what has been added to a value that was read: the plain cells of a compressed matrix.
    fn recount(&mut self, id: NodeId) {
        let i = id.index();
        if let Some(value) = &self.values[i]
            && value.as_matrix().is_some_and(|m| m.compressed().is_some())
        {
            let more = value.bytes().saturating_sub(self.counted[i]);
            self.counted[i] += more;
            self.alive += more;
            self.peak = self.peak.max(self.alive);
        }
    }

    fn release(&mut self, id: NodeId) {
        self.recount(id);
        let uses = &mut self.uses[id.index()];
        *uses = uses.saturating_sub(1);
        if *uses > 0 {
            return;
        }
        if self.lazy[id.index()] {
            return self.release(self.dag.args(id)[0]);
        }
        // Inputs belong to the caller: letting go of them frees nothing.
        if self.values[id.index()].take().is_some() && matches!(self.dag.node(id), Node::Op(..)) {
            self.alive = self.alive.saturating_sub(self.counted[id.index()]);
        }
    }
}

fn failed(dag: &Dag, id: NodeId, error: OpError) -> EvalError {
    EvalError::Op {
        error: Box::new(error),
        expression: dag.print(id),
    }
}

/// Where a dense matrix has its cells; a compressed one is not asked for any.
fn cells_of(value: &Value) -> Option<*const f64> {
    let matrix = value.as_matrix().filter(|m| m.compressed().is_none())?;
    match matrix.view() {
        View::Dense(cells) if !cells.is_empty() => Some(cells.as_ptr()),
        View::Dense(_) | View::Sparse(_) => None,
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
