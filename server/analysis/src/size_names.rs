//! Who tells the sizes of a value that rest on an argument or on data, and by which names. Must never give one name to two
//! sizes that may differ: what a proof takes to be equal by its name is not asked for anywhere else.

use std::sync::Arc;

use sumac_la::{Op, ShapeRule};
use sumac_syntax::ast::{Arg, Call, Expr, ExprKind, Ident, UnaryOp};

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
            return self.told_by(ident);
        }
        let by_fact = self.by_fact(expr)?;
        let Sides { names, is_fixed } = self.sides(expr);
        Some(Stated {
            sizes: names,
            by_fact,
            is_fixed,
        })
    }

    /// Whether a person tells what the sizes of a value rest on; `None` where they rest on the script alone.
    fn by_fact(&self, expr: &Expr) -> Option<bool> {
        let mut by_facts = None;
        self.for_each_ground(expr, &mut |leaf| {
            let by_fact = match &leaf.kind {
                ExprKind::Arg(_) => Some(false),
                ExprKind::Name(ident) => self.told_by(ident).map(|stated| stated.by_fact),
                _ => None,
            };
            if let Some(by_fact) = by_fact {
                by_facts = Some(by_fact && by_facts.unwrap_or(true));
            }
        });
        by_facts
    }

    /// Calls `f` with each part that has no parts itself and may decide a size.
    fn for_each_ground<'a>(&self, expr: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            match &strip(expr).kind {
                ExprKind::Unary(_, operand) => open.push(operand),
                ExprKind::Binary(op, left, right) if is_cellwise(la_op(*op)) => {
                    match self.beside_number(left, right) {
                        Some(matrix) => open.push(matrix),
                        None => open.extend([&**left, &**right]),
                    }
                }
                ExprKind::Binary(_, left, right) => open.extend([&**left, &**right]),
                ExprKind::Call(call) => match (self.operator(call), &call.args[..]) {
                    (Some(op), [arg]) if op.info().shape != ShapeRule::Meta => {
                        open.push(&arg.value);
                    }
                    _ => names::for_each_leaf(expr, f),
                },
                _ => names::for_each_leaf(expr, f),
            }
        }
    }

    /// What is known of both sizes, as far as the expression keeps those of its parts.
    fn sides(&self, expr: &Expr) -> Sides {
        match &strip(expr).kind {
            ExprKind::Name(ident) => self.sides_of_name(ident),
            ExprKind::Unary(UnaryOp::Neg | UnaryOp::Plus | UnaryOp::Not, operand) => {
                self.sides(operand)
            }
            ExprKind::Binary(op, left, right) if is_cellwise(la_op(*op)) => {
                if let Some(matrix) = self.beside_number(left, right) {
                    return self.sides(matrix);
                }
                // A row or a column may be repeated, so that neither gives its names.
                let (left, right) = (self.sides(left), self.sides(right));
                Sides::fixed([0, 1].map(|i| left.is_fixed[i] && right.is_fixed[i]))
            }
            ExprKind::Binary(op, left, right) if la_op(*op) == Op::MatMul => {
                let (left, right) = (self.sides(left), self.sides(right));
                Sides::fixed([left.is_fixed[0], right.is_fixed[1]])
            }
            ExprKind::Call(call) if call.namespace.is_none() && !self.is_function(call) => {
                self.sides_of_call(call)
            }
            _ => Sides::default(),
        }
    }

    fn sides_of_name(&self, ident: &Ident) -> Sides {
        let Some(var) = self.env.get(&ident.name) else {
            return Sides::default();
        };
        match var.info.told_by() {
            Some(stated) => Sides {
                names: stated.sizes,
                is_fixed: stated.is_fixed,
            },
            None => {
                let dims = [&var.info.rows, &var.info.cols];
                Sides::fixed(dims.map(|dim| dim.known().is_some()))
            }
        }
    }

    fn sides_of_call(&self, call: &Call) -> Sides {
        if MAKES_A_MATRIX.contains(&&*call.name.name) {
            let sides = ["rows", "cols"].map(|side| argument(call, side));
            return Sides {
                names: sides.map(|value| value.and_then(argument_as_size)),
                is_fixed: sides.map(|value| value.is_some_and(|value| self.is_said(value))),
            };
        }
        match (self.operator(call), &call.args[..]) {
            (Some(Op::Transpose), [arg]) => {
                let [rows, cols] = self.sides(&arg.value).is_fixed;
                Sides::fixed([cols, rows])
            }
            (Some(op), [arg]) if is_cellwise(op) => self.sides(&arg.value),
            _ => Sides::default(),
        }
    }

    /// The operator that a call of no function of the script is.
    fn operator(&self, call: &Call) -> Option<Op> {
        match self.is_function(call) {
            true => None,
            false => Op::by_call_name(&call.name.name, call.args.len()),
        }
    }

    fn told_by(&self, ident: &Ident) -> Option<Stated> {
        self.env.get(&ident.name)?.info.told_by()
    }

    /// Whether the script itself says a number: in figures, in variables that it gives a number, and in what is made of these
    /// by operators.
    fn is_said(&self, expr: &Expr) -> bool {
        match &strip(expr).kind {
            ExprKind::Int(_) | ExprKind::Double(_) => true,
            ExprKind::Unary(_, operand) => self.is_said(operand),
            ExprKind::Binary(_, left, right) => self.is_said(left) && self.is_said(right),
            ExprKind::Name(ident) => self.env.get(&ident.name).is_some_and(|var| {
                let info = &var.info;
                info.kind.is_scalar() && info.constant.is_some() && info.told_by().is_none()
            }),
            _ => false,
        }
    }

    /// The operand whose sizes a cellwise operator keeps, as the other is a number; `None` where both or neither is.
    fn beside_number<'a>(&self, left: &'a Expr, right: &'a Expr) -> Option<&'a Expr> {
        match (self.is_single(left), self.is_single(right)) {
            (false, true) => Some(left),
            (true, false) => Some(right),
            _ => None,
        }
    }

    /// Whether a part is one number, and so takes the sizes of what it stands beside.
    fn is_single(&self, expr: &Expr) -> bool {
        match &strip(expr).kind {
            ExprKind::Int(_) | ExprKind::Double(_) | ExprKind::Arg(_) => true,
            ExprKind::Unary(_, operand) => self.is_single(operand),
            ExprKind::Binary(op, left, right) => {
                is_cellwise(la_op(*op)) && self.is_single(left) && self.is_single(right)
            }
            ExprKind::Call(call) => self.operator(call).is_some_and(|op| {
                let shape = op.info().shape;
                matches!(
                    shape,
                    ShapeRule::FullAgg | ShapeRule::Trace | ShapeRule::AsScalar | ShapeRule::Meta
                )
            }),
            ExprKind::Name(ident) => {
                let var = self.env.get(&ident.name);
                var.is_some_and(|var| var.info.kind.is_scalar())
            }
            _ => false,
        }
    }
}

/// What is known of the rows and of the columns of a value.
#[derive(Default)]
struct Sides {
    /// The names by which they are stated.
    names: SizeNames,
    /// Whether the script itself says them; where that is not clear, it does not.
    is_fixed: [bool; 2],
}

impl Sides {
    fn fixed(is_fixed: [bool; 2]) -> Self {
        Sides {
            is_fixed,
            ..Sides::default()
        }
    }
}

/// The name of an argument of the command line that is taken as it is. A variable is no name of a size: it may hold another number
/// when it is read again.
fn argument_as_size(value: &Expr) -> Option<Arc<str>> {
    match &value.kind {
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
