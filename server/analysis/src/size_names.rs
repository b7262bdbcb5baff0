//! Who tells the sizes of a value that rest on an argument or on data, and by which names. Must never give one name to two
//! sizes that may differ: what a proof takes to be equal by its name is not asked for anywhere else.

use std::sync::Arc;

use sumac_la::{Op, ShapeRule};
use sumac_syntax::ast::{Arg, Call, Expr, ExprKind, UnaryOp};

use crate::analyzer::Analyzer;
use crate::expr::la_op;
use crate::names::{self, strip};
use crate::provenance::{SizeNames, Stated};

/// Calls that make a matrix of `rows` rows and `cols` columns.
const MAKES_A_MATRIX: [&str; 3] = ["rand", "Rand", "matrix"];

impl Analyzer<'_> {
    /// Who tells the sizes of a value, where they rest on an argument, on data, or on what is said of either.
    pub(crate) fn stated(&self, expr: &Expr) -> Option<Stated> {
        if let ExprKind::Name(ident) = &strip(expr).kind {
            return self.env.get(&ident.name)?.info.told_by();
        }
        let by_fact = self.by_fact(expr)?;
        Some(Stated {
            sizes: self.size_names(expr),
            by_fact,
            is_fixed: self.fixed_sides(expr),
        })
    }

    /// Whether a person tells what the sizes of a value rest on; `None` where they rest on the script alone.
    fn by_fact(&self, expr: &Expr) -> Option<bool> {
        let mut by_facts = None;
        self.for_each_ground(expr, &mut |leaf| {
            let by_fact = match &leaf.kind {
                ExprKind::Arg(_) => Some(false),
                ExprKind::Name(ident) => {
                    let told_by = self.env.get(&ident.name).and_then(|var| var.info.told_by());
                    told_by.map(|stated| stated.by_fact)
                }
                _ => None,
            };
            if let Some(by_fact) = by_fact {
                by_facts = Some(by_fact && by_facts.unwrap_or(true));
            }
        });
        by_facts
    }

    /// Calls `f` with each part that has no parts itself and may decide a size: not with a number beside a matrix.
    fn for_each_ground<'a>(&self, expr: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            match &strip(expr).kind {
                ExprKind::Unary(_, operand) => open.push(operand),
                ExprKind::Binary(op, left, right) if is_cellwise(la_op(*op)) => {
                    match (self.is_single(left), self.is_single(right)) {
                        (false, true) => open.push(left),
                        (true, false) => open.push(right),
                        _ => open.extend([&**left, &**right]),
                    }
                }
                _ => names::for_each_leaf(expr, f),
            }
        }
    }

    /// Of rows and columns, which the script itself says. Where that is not clear, neither.
    fn fixed_sides(&self, expr: &Expr) -> [bool; 2] {
        match &strip(expr).kind {
            ExprKind::Name(ident) => {
                let Some(var) = self.env.get(&ident.name) else {
                    return [false; 2];
                };
                let told_by = var.info.told_by();
                let are_known = [&var.info.rows, &var.info.cols].map(|dim| dim.known().is_some());
                told_by.map_or(are_known, |stated| stated.is_fixed)
            }
            ExprKind::Unary(UnaryOp::Neg | UnaryOp::Plus | UnaryOp::Not, operand) => {
                self.fixed_sides(operand)
            }
            ExprKind::Binary(op, left, right) if is_cellwise(la_op(*op)) => {
                match (self.is_single(left), self.is_single(right)) {
                    (false, true) => self.fixed_sides(left),
                    (true, false) => self.fixed_sides(right),
                    _ => {
                        let (left, right) = (self.fixed_sides(left), self.fixed_sides(right));
                        [0, 1].map(|i| left[i] && right[i])
                    }
                }
            }
            ExprKind::Binary(op, left, right) if la_op(*op) == Op::MatMul => {
                [self.fixed_sides(left)[0], self.fixed_sides(right)[1]]
            }
            ExprKind::Call(call) if call.namespace.is_none() && !self.is_function(call) => {
                self.fixed_sides_of_call(call)
            }
            _ => [false; 2],
        }
    }

    fn fixed_sides_of_call(&self, call: &Call) -> [bool; 2] {
        if MAKES_A_MATRIX.contains(&&*call.name.name) {
            return ["rows", "cols"]
                .map(|side| argument(call, side).is_some_and(|value| self.is_said(value)));
        }
        match (
            Op::by_call_name(&call.name.name, call.args.len()),
            &call.args[..],
        ) {
            (Some(Op::Transpose), [arg]) => {
                let [rows, cols] = self.fixed_sides(&arg.value);
                [cols, rows]
            }
            (Some(op), [arg]) if is_cellwise(op) => self.fixed_sides(&arg.value),
            _ => [false; 2],
        }
    }

    /// The names of both sizes, as far as the expression keeps those of one of its parts.
    fn size_names(&self, expr: &Expr) -> SizeNames {
        match &strip(expr).kind {
            ExprKind::Name(ident) => {
                let told_by = self.env.get(&ident.name).and_then(|var| var.info.told_by());
                told_by.map(|stated| stated.sizes).unwrap_or_default()
            }
            ExprKind::Unary(UnaryOp::Neg | UnaryOp::Plus | UnaryOp::Not, operand) => {
                self.size_names(operand)
            }
            ExprKind::Binary(op, left, right) if is_cellwise(la_op(*op)) => {
                match (self.is_single(left), self.is_single(right)) {
                    (false, true) => self.size_names(left),
                    (true, false) => self.size_names(right),
                    // A row or a column may be repeated.
                    _ => SizeNames::default(),
                }
            }
            ExprKind::Call(call) if call.namespace.is_none() && !self.is_function(call) => {
                self.size_names_of_call(call)
            }
            _ => SizeNames::default(),
        }
    }

    /// Whether the script itself says a number.
    fn is_said(&self, expr: &Expr) -> bool {
        let mut is_said = true;
        names::for_each_leaf(expr, &mut |leaf| {
            is_said &= match &leaf.kind {
                ExprKind::Int(_) | ExprKind::Double(_) => true,
                ExprKind::Name(ident) => self.env.get(&ident.name).is_some_and(|var| {
                    let info = &var.info;
                    info.kind.is_scalar() && info.constant.is_some() && info.told_by().is_none()
                }),
                _ => false,
            };
        });
        is_said
    }

    /// Whether a part is one number, and so takes the sizes of what it stands beside.
    fn is_single(&self, expr: &Expr) -> bool {
        match &strip(expr).kind {
            ExprKind::Int(_) | ExprKind::Double(_) | ExprKind::Arg(_) => true,
            ExprKind::Unary(_, operand) => self.is_single(operand),
            ExprKind::Name(ident) => {
                let var = self.env.get(&ident.name);
                var.is_some_and(|var| var.info.kind.is_scalar())
            }
            _ => false,
        }
    }

    fn size_names_of_call(&self, call: &Call) -> SizeNames {
        if MAKES_A_MATRIX.contains(&&*call.name.name) {
            return ["rows", "cols"].map(|side| argument_as_size(call, side));
        }
        match &call.args[..] {
            [arg] if Op::by_call_name(&call.name.name, 1).is_some_and(is_cellwise) => {
                self.size_names(&arg.value)
            }
            _ => SizeNames::default(),
        }
    }
}

/// The argument of the command line that a call takes as it is. A variable is no name of a size: it may hold another number when
/// it is read again.
fn argument_as_size(call: &Call, side: &str) -> Option<Arc<str>> {
    match &argument(call, side)?.kind {
        ExprKind::Arg(ident) => Some(format!("${}", ident.name).into()),
        _ => None,
    }
}

/// The argument that a call gives by this name.
fn argument<'a>(call: &'a Call, name: &str) -> Option<&'a Expr> {
    let mut args = call.args.iter();
    let is_it = |arg: &&Arg| arg.name.as_ref().is_some_and(|it| *it.name == *name);
    args.find(is_it).map(|arg| &arg.value)
}

fn is_cellwise(op: Op) -> bool {
    op.info().shape == ShapeRule::Cellwise
}
