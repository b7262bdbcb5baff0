//! Expressions over matrices, gathered into a DAG and evaluated at once, so that what one kernel computes of several
//! operators is not computed one by one, and nothing is computed twice.
//!
//! Calls with effects, indexing and whatever is no matrix are evaluated where they stand, in the order of the text. An
//! operator that does not fit its arguments is left to the evaluation one by one, which says what is wrong.

use std::sync::Arc;
use std::time::Instant;

use sumac_la::{Dag, NodeId, Op, ShapeRule, Type};
use sumac_syntax::ast::{BinaryOp, Call, Expr, ExprKind, UnaryOp};

use super::idioms::{is_log_of_non_zero, turned_round};
use super::stats::Stats;
use super::{Fail, Interpreter, Scope, Unit, builtins, operators, scalar_ops};
use crate::eval::EvalError;
use crate::kernels::cell;
use crate::matrix::Matrix;
use crate::value::Value;

/// Expressions that are gathered: the DAG, and the values that it reads.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) dag: Dag,
    inputs: Vec<Value>,
}

/// What a part of an expression is.
#[derive(Clone)]
pub(super) enum Piece {
    /// A value.
    Value(Value),
    /// What is yet to be computed: a matrix, or where several statements are one DAG, also a number that is no integer and no
    /// truth value.
    Node(NodeId),
}

impl Piece {
    /// Whether it is a matrix, where scalars are computed at once.
    fn is_matrix(&self) -> bool {
        matches!(self, Piece::Node(_) | Piece::Value(Value::Matrix(_)))
    }
}

impl Gathered {
    /// The node of a piece beside matrices: of a matrix or a number, which is part of the DAG only if `is_told`.
    fn node(&mut self, piece: &Piece, is_told: bool) -> Option<NodeId> {
        let (value, ty) = match piece {
            Piece::Node(id) => return Some(*id),
            Piece::Value(value @ Value::Matrix(m)) => (value.clone(), type_of(m)),
            Piece::Value(value) => {
                let number = value.as_number()?;
                // The algebra has one zero; whoever divides by the other one has to meet it.
                if is_told && number.to_bits() != (-0.0_f64).to_bits() {
                    return Some(self.dag.num(number));
                }
                (Value::Double(number), Type::scalar())
            }
        };
        let known = self.inputs.iter().position(|input| same(input, &value));
        let place = known.unwrap_or_else(|| {
            self.inputs.push(value);
            self.inputs.len() - 1
        });
        Some(self.dag.input(&format!("${place}"), ty))
    }

    /// `op` over the pieces, if one of them is a matrix and they fit.
    pub(super) fn op(&mut self, op: Op, pieces: &[Piece]) -> Option<NodeId> {
        if !pieces.iter().any(Piece::is_matrix) || !op.info().arity.accepts(pieces.len()) {
            return None;
        }
        // What a sum or a product has a number for is the same DAG with the next number: a loop finds its plan again.
        let is_told = !matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Div);
        let nodes: Option<Vec<NodeId>> = pieces
            .iter()
            .map(|piece| self.node(piece, is_told))
            .collect();
        let nodes = nodes?;
        let sizes = |id: &NodeId| {
            let ty = self.dag.ty(*id);
            Some([ty.rows.known()?, ty.cols.known()?])
        };
        if let [a, b] = nodes.as_slice()
            && op.info().shape == ShapeRule::Cellwise
            && !self.dag.is_scalar(*a)
            && !self.dag.is_scalar(*b)
            && !scalar_ops::repeats_second(sizes(a)?, sizes(b)?)
        {
            return None;
        }
        self.dag.op(op, nodes).ok()
    }
}

/// What is known of a matrix without looking at its cells. Sparsity is a power of two, so that a plan serves again where
/// it has changed a little.
fn type_of(m: &Matrix) -> Type {
    let (rows, cols) = (m.rows() as u64, m.cols() as u64);
    if m.is_sparse() {
        Type::sparse(rows, cols, m.sparsity().log2().round().exp2())
    } else {
        Type::matrix(rows, cols)
    }
}

/// The very same matrix, or the same number.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Matrix(a), Value::Matrix(b)) => Arc::ptr_eq(a, b),
        (Value::Double(a), Value::Double(b)) => a.to_bits() == b.to_bits(),
        _ => false,
    }
}

impl Interpreter<'_> {
    /// The value of an operator or a call over other expressions.
    pub(super) fn algebra(
        &mut self,
        expr: &Expr,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<Value, Fail> {
        let mut gathered = Gathered::default();
        let piece = self.gather(expr, &mut gathered, scope, unit)?;
        self.value_of(piece, &mut gathered)
    }

    fn gather(
        &mut self,
        expr: &Expr,
        into: &mut Gathered,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<Piece, Fail> {
        if let Some((comparison, other, [a, b])) = turned_round(expr) {
            let a = self.gather(a, into, scope, unit)?;
            let b = self.gather(b, into, scope, unit)?;
            let is_matrix =
                |piece: &Piece| matches!(piece, Piece::Node(_) | Piece::Value(Value::Matrix(_)));
            if is_matrix(&a) || is_matrix(&b) {
                return self.binary(other, a, b, into);
            }
            let ExprKind::Binary(op, ..) = comparison.kind else {
                return Err(Fail::new("expected a comparison"));
            };
            let truth = self.binary(op, a, b, into)?;
            return match expr.kind {
                ExprKind::Unary(op, _) => self.unary(op, truth, into),
                _ => self.binary(BinaryOp::Eq, truth, Piece::Value(Value::Int(0)), into),
            };
        }
        self.deeper(|this| match &expr.kind {
            ExprKind::Paren(inner) => this.gather(inner, into, scope, unit),
            ExprKind::Unary(op, a) => {
                let a = this.gather(a, into, scope, unit)?;
                this.unary(*op, a, into)
            }
            ExprKind::Binary(op, a, b) => {
                let (left, right) = (a, b);
                let mut a = this.gather(a, into, scope, unit)?;
                let mut b = this.gather(b, into, scope, unit)?;
                if *op == BinaryOp::Add && !this.passed.is_empty() {
                    let is_text = |piece: &Piece| matches!(piece, Piece::Value(Value::Str(_)));
                    match (is_text(&a), is_text(&b)) {
                        (true, false) => {
                            b = this.as_passed(right).map_or(b, Piece::Value);
                        }
                        (false, true) => {
                            a = this.as_passed(left).map_or(a, Piece::Value);
                        }
                        _ => {}
                    }
                }
                if is_log_of_non_zero(*op, left, right) && a.is_matrix() && b.is_matrix() {
                    let zero = Piece::Value(Value::Double(0.0));
                    return this.operator(Op::IfElse, vec![a, b, zero], into);
                }
                this.binary(*op, a, b, into)
            }
            ExprKind::Call(call) => match this.algebraic(call, unit) {
                Some(op) => {
                    let mut pieces = Vec::with_capacity(call.args.len());
                    for arg in &call.args {
                        pieces.push(this.gather(&arg.value, into, scope, unit)?);
                    }
                    this.operator(op, pieces, into)
                }
                None => Ok(Piece::Value(this.call(call, scope, unit)?)),
            },
            _ => Ok(Piece::Value(this.expr(expr, scope, unit)?)),
        })
    }

    /// The operator that a call is, if it means nothing else.
    pub(super) fn algebraic(&self, call: &Call, unit: &Unit) -> Option<Op> {
        let named = call.args.iter().any(|arg| arg.name.is_some());
        if call.namespace.is_some() || named {
            return None;
        }
        let name = operators::canonical(&call.name.name);
        let op = Op::by_call_name(name, call.args.len())?;
        let means_another = operators::find(name).is_some()
            || builtins::find(name).is_some()
            || builtins::find_several(name).is_some()
            || self.user_function(call, unit).is_some();
        (!means_another).then_some(op)
    }

    fn unary(&mut self, op: UnaryOp, a: Piece, into: &mut Gathered) -> Result<Piece, Fail> {
        let la_op = match op {
            UnaryOp::Plus => return Ok(a),
            UnaryOp::Neg => Op::Neg,
            UnaryOp::Not => Op::Not,
        };
        let pieces = [a];
        if let Some(id) = into.op(la_op, &pieces) {
            return Ok(Piece::Node(id));
        }
        let [a] = pieces;
        let a = self.value_of(a, into)?;
        Ok(Piece::Value(scalar_ops::unary(op, a)?))
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        a: Piece,
        b: Piece,
        into: &mut Gathered,
    ) -> Result<Piece, Fail> {
        let pieces = [a, b];
        if let Some(id) = into.op(scalar_ops::la_op(op), &pieces) {
            return self.told(id, into);
        }
        let [a, b] = pieces;
        let (a, b) = (self.value_of(a, into)?, self.value_of(b, into)?);
        let start = Instant::now();
        let value = scalar_ops::binary(op, a, b)?;
        self.stats.add(op.sign_and_strength().0, start.elapsed());
        Ok(Piece::Value(value))
    }

    fn operator(&mut self, op: Op, pieces: Vec<Piece>, into: &mut Gathered) -> Result<Piece, Fail> {
        if let Some(id) = into.op(op, &pieces) {
            return self.told(id, into);
        }
        let values: Result<Vec<Value>, Fail> = pieces
            .into_iter()
            .map(|piece| self.value_of(piece, into))
            .collect();
        let values = values?;
        let start = Instant::now();
        let value = scalar_ops::apply_in_script(op, values)?;
        self.stats.add(cell::name(op), start.elapsed());
        Ok(Piece::Value(value))
    }

    /// A scalar is computed at once: whether it is an integer or a truth value is its value's matter, not its type's.
    fn told(&mut self, id: NodeId, into: &mut Gathered) -> Result<Piece, Fail> {
        if into.dag.is_scalar(id) {
            return Ok(Piece::Value(self.value_of(Piece::Node(id), into)?));
        }
        Ok(Piece::Node(id))
    }

    fn value_of(&mut self, piece: Piece, gathered: &mut Gathered) -> Result<Value, Fail> {
        let id = match piece {
            Piece::Value(value) => return Ok(value),
            Piece::Node(id) => id,
        };
        let mut stats = Stats::default();
        let mut values = self.values_of(&[id], gathered, &mut stats)?;
        self.stats.absorb(stats);
        values
            .pop()
            .ok_or_else(|| Fail::new("an expression without a value"))
    }

    /// The values of some nodes, evaluated as one; `stats` is told what ran.
    pub(super) fn values_of(
        &mut self,
        ids: &[NodeId],
        gathered: &Gathered,
        stats: &mut Stats,
    ) -> Result<Vec<Value>, Fail> {
        let mut alone = Dag::default();
        for id in ids {
            let root = alone.import(&gathered.dag, *id);
            alone.push_root(root);
        }
        let place = |name: &str| name.strip_prefix('$').and_then(|n| n.parse::<usize>().ok());
        let inputs: Option<Vec<Value>> = alone
            .inputs()
            .iter()
            .map(|input| gathered.inputs.get(place(&input.name)?).cloned())
            .collect();
        let mut inputs = inputs.ok_or_else(|| Fail::new("an input of an expression is lost"))?;
        self.by_groups(&alone, &mut inputs);
        let mut watch = |what, took| stats.add(what, took);
        let cancel = &self.options.cancel;
        let evaluated = self.planner.eval(&alone, &inputs, cancel, &mut watch);
        Ok(evaluated.map_err(fail)?.values)
    }
}

fn fail(error: EvalError) -> Fail {
    match error {
        EvalError::Op { error, .. } => Fail::from(*error),
        EvalError::Cancelled => Fail::cancelled(),
        other => Fail::new(other.to_string()),
    }
}
