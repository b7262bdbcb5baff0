//! An operator over operands that are known: a node of the block's DAG where there can be one, and the shape in any case.

use sumac_la::{Dim, NodeId, Op, ShapeRule, Type};
use sumac_syntax::ast::Expr;

use crate::analyzer::Analyzer;
use crate::expr::{Form, Operand, Val};
use crate::fold;
use crate::value::{Constant, ValueInfo, ValueKind};

impl Analyzer<'_> {
    /// `op` over operands: a node where all of them can be, an unknown value otherwise.
    pub(crate) fn apply(&mut self, op: Op, expr: &Expr, operands: &[Operand<'_>]) -> Val {
        // Of these, SystemDS looks at the shapes of the main program even where it may never get there.
        self.is_strict = self.scope.is_none()
            && matches!(
                op,
                Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne | Op::Min2 | Op::Max2
            );
        let unrepeated = self.unrepeated(op, expr, operands);
        if unrepeated.is_some() {
            self.is_strict = false;
        }
        if let Some(val) = unrepeated {
            return val;
        }
        let mut val = self.apply_by_table(op, expr, operands);
        self.is_strict = false;
        self.hear(op, expr.range, operands);
        if let [left, right] = operands
            && op.info().shape == ShapeRule::Cellwise
        {
            repeat_right_only(&left.1.info, &right.1.info, &mut val.info);
        }
        val
    }

    fn apply_by_table(&mut self, op: Op, expr: &Expr, operands: &[Operand<'_>]) -> Val {
        let mut info =
            fold::scalar_result(op, &operands.iter().map(|o| &o.1.info).collect::<Vec<_>>());
        let impure = operands.iter().any(|o| o.1.form == Form::Impure);
        if !operands.iter().all(|o| self.fits(o)) {
            for (operand, val) in operands {
                self.keep_part(operand, val);
            }
            // The shape may be known all the same.
            if let Some(types) = operands
                .iter()
                .map(|o| assumed_type(op, &o.1.info, operands))
                .collect::<Option<Vec<_>>>()
            {
                let mut scratch = sumac_la::Dag::default();
                let nodes: Vec<NodeId> = types
                    .into_iter()
                    .enumerate()
                    .map(|(i, ty)| scratch.input(&i.to_string(), ty))
                    .collect();
                match scratch.op(op, nodes) {
                    Ok(node) => info = with_type(info, scratch.ty(node)),
                    Err(error) => self.mismatch(expr, &error, operands),
                }
            }
            return Val {
                info,
                form: if impure { Form::Impure } else { Form::Opaque },
            };
        }
        let nodes: Option<Vec<NodeId>> = operands.iter().map(|o| self.node(o)).collect();
        self.node_of(op, expr, operands, nodes, info)
    }

    /// Adds the node and reads off its type; tells where the shapes do not fit.
    pub(crate) fn node_of(
        &mut self,
        op: Op,
        expr: &Expr,
        operands: &[Operand<'_>],
        nodes: Option<Vec<NodeId>>,
        info: ValueInfo,
    ) -> Val {
        let Some(nodes) = nodes.filter(|nodes| op.info().arity.accepts(nodes.len())) else {
            for (operand, val) in operands {
                self.keep_part(operand, val);
            }
            return Val::impure(info);
        };
        match self.block.dag.op(op, nodes) {
            Ok(node) => {
                let mut info = with_type(info, self.block.dag.ty(node));
                if let (None, Some(value)) = (&info.constant, self.block.dag.value(node)) {
                    info = info.with_constant(Some(Constant::Number(value)));
                }
                Val {
                    info,
                    form: Form::La(node),
                }
            }
            Err(error) => {
                self.mismatch(expr, &error, operands);
                for (operand, val) in operands {
                    self.keep_part(operand, val);
                }
                Val::impure(ValueInfo {
                    constant: None,
                    ..info
                })
            }
        }
    }
}

/// Where the DAG's rules give up on a size that is known by name, the expression stands as an input of its own,
/// which has that size.
pub(crate) fn prefer(val: Val, known: ValueInfo) -> Val {
    let vague = |dag: &Dim, known: &Dim| *dag == Dim::Unknown && *known != Dim::Unknown;
    match val.form {
        Form::La(_) if vague(&val.info.rows, &known.rows) || vague(&val.info.cols, &known.cols) => {
            Val::opaque(known)
        }
        _ => val,
    }
}

/// SystemDS repeats a vector on the right side of an operator, never one on the left. So a column on the left makes a
/// column, unless both make an outer product; a row makes a row. The DAG may commute sides and cannot say so.
fn repeat_right_only(left: &ValueInfo, right: &ValueInfo, result: &mut ValueInfo) {
    if [left, right, result]
        .iter()
        .any(|i| i.kind != ValueKind::Matrix)
    {
        return;
    }
    let is_many = |dim: &Dim| dim.known().is_some_and(|n| n > 1);
    let no_outer =
        is_many(&right.rows) || right.rows == left.rows && matches!(right.rows, Dim::Named(_));
    if left.cols.is_one() && no_outer && !is_many(&right.cols) {
        result.cols = Dim::Known(1);
    }
    if left.rows.is_one() && is_many(&left.cols) && !is_many(&right.rows) {
        result.rows = Dim::Known(1);
    }
}

/// The type of an operand. One of unknown kind can only be a matrix where the operator takes nothing else; beside a
/// matrix, a scalar would change no shape.
fn assumed_type(op: Op, info: &ValueInfo, operands: &[Operand<'_>]) -> Option<Type> {
    let only_matrices = matches!(
        op.info().shape,
        ShapeRule::MatMul | ShapeRule::Transpose | ShapeRule::RowAgg | ShapeRule::ColAgg
    );
    let beside_matrix = op.info().shape == ShapeRule::Cellwise
        && operands.iter().any(|o| o.1.info.kind == ValueKind::Matrix);
    info.la_type().or_else(|| {
        (info.kind == ValueKind::Unknown && (only_matrices || beside_matrix))
            .then(Type::unknown_matrix)
    })
}

/// What is known of a scalar's kind and value, with the shape that the DAG says.
fn with_type(mut info: ValueInfo, ty: &Type) -> ValueInfo {
    if ty.is_scalar() {
        if !info.kind.is_scalar() {
            info = ValueInfo {
                constant: info.constant,
                ..ValueInfo::of(ValueKind::Double)
            };
        }
        return info;
    }
    ValueInfo {
        limits: ty.limits,
        ..ValueInfo::matrix(ty.rows.clone(), ty.cols.clone(), ty.sparsity)
    }
}
