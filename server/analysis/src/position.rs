//! Positions in a matrix as sums over names, so that `X[i:(i + k - 1), ]` has `k` rows for any `i`.
//!
//! A name without a known size stands for its value only here, and only until it cancels out: it may change.

use sumac_la::Dim;
use sumac_syntax::ast::{BinaryOp, Expr, ExprKind};

use crate::analyzer::Analyzer;
use crate::names::strip;
use crate::value::{ValueInfo, as_size};

/// Around the names of values that must cancel out. No name in DML contains it.
const MARK: char = '`';

impl Analyzer<'_> {
    /// How many positions there are from the one to the other, both included; a missing end is the end of `whole`.
    pub(crate) fn extent(
        &self,
        first: Option<(&Expr, &ValueInfo)>,
        last: Option<(&Expr, &ValueInfo)>,
        whole: &Dim,
    ) -> Dim {
        let position = |(expr, info): (&Expr, &ValueInfo)| match info.extent() {
            Dim::Unknown => self.position(expr),
            size => size,
        };
        let first = first.map_or(Dim::Known(1), position);
        let last = last.map_or_else(|| whole.clone(), position);
        match last.plus(&Dim::Known(1)).minus(&first) {
            Dim::Named(text) if text.contains(MARK) => Dim::Unknown,
            Dim::Known(0) => Dim::Unknown,
            count => count,
        }
    }

    /// The value of an expression as a sum over names.
    pub(crate) fn position(&self, expr: &Expr) -> Dim {
        match &strip(expr).kind {
            ExprKind::Int(n) => u64::try_from(*n).map_or(Dim::Unknown, Dim::Known),
            ExprKind::Double(n) => as_size(*n).unwrap_or(Dim::Unknown),
            ExprKind::Name(ident) => match self.env.get(&ident.name).map(|var| &var.info) {
                Some(info) if info.extent() != Dim::Unknown => info.size.clone(),
                Some(info) if info.kind.is_numeric_scalar() => {
                    Dim::Named(format!("{MARK}{}{MARK}", ident.name).into())
                }
                _ => Dim::Unknown,
            },
            ExprKind::Arg(ident) => self.argument(&ident.name).extent(),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.position(left), self.position(right));
                match op {
                    BinaryOp::Add => left.plus(&right),
                    BinaryOp::Sub => left.minus(&right),
                    BinaryOp::Mul => left.times(&right),
                    BinaryOp::Div => match (left.known(), right.known()) {
                        (Some(a), Some(b)) if b > 0 && a % b == 0 => Dim::Known(a / b),
                        _ => Dim::Unknown,
                    },
                    _ => Dim::Unknown,
                }
            }
            ExprKind::Call(call) => {
                let [arg] = call.args.as_slice() else {
                    return Dim::Unknown;
                };
                let ExprKind::Name(ident) = &strip(&arg.value).kind else {
                    return Dim::Unknown;
                };
                match (&*call.name.name, self.env.get(&ident.name)) {
                    ("nrow", Some(var)) => var.info.rows.clone(),
                    ("ncol", Some(var)) => var.info.cols.clone(),
                    _ => Dim::Unknown,
                }
            }
            _ => Dim::Unknown,
        }
    }
}
