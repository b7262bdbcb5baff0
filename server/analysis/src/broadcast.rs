//! Which shapes SystemDS combines cell by cell: it repeats a vector on the right side of an operator, never one on the left, not
//! even a matrix of one cell. The algebra knows more, since it may exchange sides; so this stands before it.

use sumac_la::{Dim, Op, ShapeError, ShapeRule};
use sumac_syntax::ast::{Expr, ExprKind};

use crate::analyzer::Analyzer;
use crate::expr::{Operand, Val};
use crate::names::strip;
use crate::result::{Severity, codes};
use crate::value::{ValueInfo, ValueKind};

impl Analyzer<'_> {
    /// Tells of operands whose shapes SystemDS does not combine although a rule of the algebra would; gives the value then.
    pub(crate) fn unrepeated(
        &mut self,
        op: Op,
        expr: &Expr,
        operands: &[Operand<'_>],
    ) -> Option<Val> {
        if op.info().shape != ShapeRule::Cellwise {
            return None;
        }
        let error = match operands {
            [left, right] => self.left_vector(op, left, right)?,
            [first, rest @ ..] if op == Op::IfElse => self.uneven_choice(first, rest)?,
            _ => return None,
        };
        self.mismatch(expr, &error, operands);
        for (operand, val) in operands {
            self.keep_part(operand, val);
        }
        Some(Val::impure(ValueInfo::of(ValueKind::Matrix)))
    }

    /// The same for builtins of two matrices that the algebra does not have.
    pub(crate) fn check_pair(&mut self, name: &str, expr: &Expr, operands: &[Operand<'_>]) {
        let [left, right] = operands else { return };
        let (a, b) = (&left.1.info, &right.1.info);
        let is_pair = matches!(
            name,
            "xor" | "bitwAnd" | "bitwOr" | "bitwXor" | "bitwShiftL" | "bitwShiftR" | "log"
        );
        if !is_pair || a.kind != ValueKind::Matrix || b.kind != ValueKind::Matrix {
            return;
        }
        let fits = |one: &Dim, other: &Dim| {
            one.meet(other).is_some() || other.is_one() || other.known() == Some(0)
        };
        if fits(&a.rows, &b.rows) && fits(&a.cols, &b.cols) {
            return;
        }
        let message = format!(
            "`{name}` cannot combine {} x {} with {} x {}: shapes must be equal, or the second a row or a column that fits",
            a.rows, a.cols, b.rows, b.cols
        );
        self.is_strict = self.scope.is_none();
        self.report(Severity::Error, codes::SHAPE_MISMATCH, expr.range, message);
        self.is_strict = false;
    }

    /// A vector on the left of a larger matrix, or a column beside a row.
    fn left_vector(&self, op: Op, left: &Operand<'_>, right: &Operand<'_>) -> Option<ShapeError> {
        let (a, b) = (&left.1.info, &right.1.info);
        if a.kind != ValueKind::Matrix || b.kind != ValueKind::Matrix {
            return None;
        }
        let is_many = |dim: &Dim| dim.known().is_some_and(|n| n > 1);
        let rows = a.rows.is_one() && is_many(&b.rows);
        let cols = a.cols.is_one() && is_many(&b.cols);
        if !rows && !cols {
            return None;
        }
        // Beside another operator what is no single name or call stands in parentheses.
        let sides = [left, right].map(|(expr, _)| {
            let inner = strip(expr);
            let text = self.normal_text(inner.range);
            match inner.kind {
                ExprKind::Unary(..) | ExprKind::Binary(..) => (format!("({text})"), text),
                _ => (text.clone(), text),
            }
        });
        let [(x_operand, x), (y_operand, y)] = &sides;
        let sign = op.info().call_name();
        let is_cell = a.rows.is_one() && a.cols.is_one();
        let commutes = matches!(
            op,
            Op::Add | Op::Mul | Op::Eq | Op::Ne | Op::And | Op::Or | Op::Min2 | Op::Max2
        );
        let fits = |one: &Dim, other: &Dim| one.is_one() || one == other;
        let exchanged = match (sign, op.info().print) {
            (Some(name), _) => format!("{name}({y}, {x})"),
            (None, sumac_la::Print::Infix(sign, _)) => format!("{y_operand} {sign} {x_operand}"),
            (None, _) => return None,
        };
        let rule = if is_cell {
            format!("a matrix of one cell is no scalar; write `as.scalar({x})`")
        } else if commutes && fits(&a.rows, &b.rows) && fits(&a.cols, &b.cols) {
            format!(
                "only a vector on the right side is repeated; exchange the sides: `{exchanged}`"
            )
        } else if a.cols.is_one() && b.rows.is_one() {
            let sign = match (sign, op.info().print) {
                (None, sumac_la::Print::Infix(sign, _)) => sign,
                (name, _) => name.unwrap_or("+"),
            };
            format!("a column and a row make no matrix; write `outer({x}, {y}, \"{sign}\")`")
        } else if a.rows.is_one() {
            format!(
                "only a vector on the right side is repeated; repeat the row: `matrix(1, nrow({y}), 1) %*% {x_operand}`"
            )
        } else {
            format!(
                "only a vector on the right side is repeated; repeat the column: `{x_operand} %*% matrix(1, 1, ncol({y}))`"
            )
        };
        Some(mismatch(op, a, b, rule))
    }

    /// `ifelse` over matrices of different shapes: nothing is repeated, but for what the run does with a matrix of one cell.
    fn uneven_choice(&self, first: &Operand<'_>, rest: &[Operand<'_>]) -> Option<ShapeError> {
        let matrices: Vec<&ValueInfo> = std::iter::once(first)
            .chain(rest)
            .map(|(_, val)| &val.info)
            .filter(|info| info.kind == ValueKind::Matrix)
            .collect();
        let is_cell = |info: &ValueInfo| info.rows.is_one() && info.cols.is_one();
        let differs = |a: &ValueInfo, b: &ValueInfo| {
            a.rows.meet(&b.rows).is_none() || a.cols.meet(&b.cols).is_none()
        };
        // Inside of functions and of other statements SystemDS does not look before the run.
        let is_seen = self.scope.is_none() && self.bodies == 0;
        for (i, a) in matrices.iter().enumerate() {
            for b in &matrices[i + 1..] {
                if differs(a, b) && (is_seen || !is_cell(a) && !is_cell(b)) {
                    let rule = "nothing is repeated here: the matrices among the arguments have equal shapes, and `as.scalar` makes a number of a matrix of one cell";
                    return Some(mismatch(Op::IfElse, a, b, rule.to_owned()));
                }
            }
        }
        None
    }
}

fn mismatch(op: Op, left: &ValueInfo, right: &ValueInfo, rule: String) -> ShapeError {
    let shape = |info: &ValueInfo| format!("{} x {}", info.rows, info.cols);
    ShapeError::Mismatch {
        op,
        left: shape(left),
        right: shape(right),
        rule,
    }
}
