//! Positions in a matrix as sums over names, so that `X[i:(i + k - 1), ]` has `k` rows for any `i`.
//!
//! A name without a known size stands for its value only here, and only until it cancels out: it may change.

use sumac_la::Dim;
use sumac_syntax::ast::{BinaryOp, Expr, ExprKind};

use crate::analyzer::Analyzer;
use crate::names::strip;
use crate::value::{ValueInfo, as_size, unless_assumed};

/// Around the names of values that must cancel out. No name in DML contains it.
const MARK: char = '`';

/// Which numbers count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    /// Those that no other argument and no other data changes; others are held, and must cancel out.
    Certain,
    /// Those that are assumed, too.
    Assumed,
}

/// A value that must cancel out.
fn held(name: &str) -> Dim {
    Dim::Named(format!("{MARK}{name}{MARK}").into())
}

impl Analyzer<'_> {
    /// How many positions there are from the one to the other, both included; a missing end is the end of `whole`.
    pub(crate) fn extent(
        &self,
        first: Option<(&Expr, &ValueInfo)>,
        last: Option<(&Expr, &ValueInfo)>,
        whole: &Dim,
    ) -> Dim {
        let is_assumed = [first, last]
            .iter()
            .flatten()
            .any(|(_, info)| info.is_assumed);
        let count = |numbers: Numbers| {
            let position = |(expr, info): (&Expr, &ValueInfo)| match info.extent() {
                size if size != Dim::Unknown && numbers == Numbers::Assumed => size,
                _ => self.position(expr, numbers),
            };
            let end = || match whole {
                Dim::Known(_) if numbers == Numbers::Certain => held("whole"),
                _ => whole.clone(),
            };
            let first = first.map_or(Dim::Known(1), position);
            let last = last.map_or_else(end, position);
            match last.plus(&Dim::Known(1)).minus(&first) {
                Dim::Named(text) if text.contains(MARK) => Dim::Unknown,
                Dim::Known(0) => Dim::Unknown,
                count => count,
            }
        };
        match count(Numbers::Certain) {
            Dim::Known(certain) => Dim::Known(certain),
            // What the end of `whole` is may rest on an assumption, too.
            _ => unless_assumed(count(Numbers::Assumed), is_assumed || last.is_none()),
        }
    }

    /// The value of an expression as a number of rows or columns.
    pub(crate) fn size_at(&self, expr: &Expr) -> Dim {
        match self.position(expr, Numbers::Certain) {
            Dim::Known(certain) => Dim::Known(certain),
            _ => unless_assumed(self.position(expr, Numbers::Assumed), true),
        }
    }

    /// The value of an expression as a sum over names.
    fn position(&self, expr: &Expr, numbers: Numbers) -> Dim {
        let counts = |info: &ValueInfo| numbers == Numbers::Assumed || !info.is_assumed;
        match &strip(expr).kind {
            ExprKind::Int(n) => u64::try_from(*n).map_or(Dim::Unknown, Dim::Known),
            ExprKind::Double(n) => as_size(*n).unwrap_or(Dim::Unknown),
            ExprKind::Name(ident) => match self.env.get(&ident.name).map(|var| &var.info) {
                Some(info) if counts(info) && info.extent() != Dim::Unknown => info.size.clone(),
                Some(info) if info.kind.is_numeric_scalar() => held(&ident.name),
                _ => Dim::Unknown,
            },
            ExprKind::Arg(ident) => match self.argument(&ident.name) {
                info if counts(&info) => info.extent(),
                _ => held(&format!("${}", ident.name)),
            },
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.position(left, numbers), self.position(right, numbers));
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
                let size = match (&*call.name.name, self.env.get(&ident.name)) {
                    ("nrow", Some(var)) => var.info.rows.clone(),
                    ("ncol", Some(var)) => var.info.cols.clone(),
                    _ => Dim::Unknown,
                };
                match size {
                    Dim::Known(_) if numbers == Numbers::Certain => {
                        held(&format!("{}({})", call.name.name, ident.name))
                    }
                    size => size,
                }
            }
            _ => Dim::Unknown,
        }
    }
}
