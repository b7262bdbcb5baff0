//! What an operation says of its arguments' sizes once it has run: a product that succeeds had an inner size in common.
//!
//! Only what every engine's rules demand stands here. It must never say of two sizes that they are equal where one may
//! be repeated.

use crate::table::{Op, ShapeRule};
use crate::types::{Dim, Kind, Type};

/// The pairs of sizes that `op` needs to be equal, in the order of the arguments as the script writes them.
#[must_use]
pub fn equal_sizes<'a>(op: Op, args: &[&'a Type]) -> Vec<(&'a Dim, &'a Dim)> {
    if args.iter().any(|ty| ty.kind == Kind::Scalar) {
        return Vec::new();
    }
    let beside = |size: fn(&Type) -> &Dim| match args {
        [first, others @ ..] => others.iter().map(|ty| (size(first), size(ty))).collect(),
        [] => Vec::new(),
    };
    match (op.info().shape, args) {
        (ShapeRule::MatMul, [left, right]) => vec![(&left.cols, &right.rows)],
        (ShapeRule::Trace, [square]) => vec![(&square.rows, &square.cols)],
        (ShapeRule::Cbind, _) => beside(|ty| &ty.rows),
        (ShapeRule::Rbind, _) => beside(|ty| &ty.cols),
        (ShapeRule::Cellwise, [left, right]) => cell_by_cell(left, right),
        _ => Vec::new(),
    }
}

/// A vector is repeated on the right side only, and an outer product takes one row there: beside several rows on the
/// right, the left side has as many, and as many columns as the right side where these are several.
fn cell_by_cell<'a>(left: &'a Type, right: &'a Type) -> Vec<(&'a Dim, &'a Dim)> {
    let is_many = |dim: &Dim| dim.estimate().is_some_and(|n| n > 1);
    let mut equal = Vec::new();
    if is_many(&right.rows) {
        equal.push((&left.rows, &right.rows));
        if is_many(&right.cols) {
            equal.push((&left.cols, &right.cols));
        }
    }
    equal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(op: Op, args: &[(Dim, Dim)]) -> String {
        let types: Vec<Type> = args
            .iter()
            .map(|(rows, cols)| Type::matrix(rows.clone(), cols.clone()))
            .collect();
        let pairs = equal_sizes(op, &types.iter().collect::<Vec<_>>());
        let pairs: Vec<String> = pairs.iter().map(|(a, b)| format!("{a}={b}")).collect();
        pairs.join(" ")
    }

    fn named(rows: &str, cols: &str) -> (Dim, Dim) {
        (Dim::Named(rows.into()), Dim::Named(cols.into()))
    }

    #[test]
    fn a_product_has_one_inner_size_and_a_trace_one_size() {
        assert_eq!(
            shown(Op::MatMul, &[named("a", "b"), named("c", "d")]),
            "b=c"
        );
        assert_eq!(shown(Op::Trace, &[named("a", "b")]), "a=b");
    }

    #[test]
    fn what_stands_side_by_side_is_equally_high() {
        let three = [named("a", "b"), named("c", "d"), named("e", "f")];
        assert_eq!(shown(Op::Cbind, &three), "a=c a=e");
        assert_eq!(shown(Op::Rbind, &three), "b=d b=f");
    }

    #[test]
    fn a_side_that_may_be_repeated_says_nothing() {
        let some = named("a", "b");
        let with = |rows: u64, cols: u64| {
            shown(
                Op::Add,
                &[some.clone(), (Dim::Known(rows), Dim::Known(cols))],
            )
        };
        assert_eq!(with(7, 5), "a=7 b=5");
        assert_eq!(with(7, 1), "a=7");
        assert_eq!(with(1, 5), "");
        assert_eq!(shown(Op::Add, &[some.clone(), named("c", "d")]), "");
        assert_eq!(shown(Op::Add, &[(Dim::Known(7), Dim::Known(5)), some]), "");
    }
}
