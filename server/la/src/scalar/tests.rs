//! The scalar operators against what SystemDS printed for them.

use crate::{Op, SparseSafe};

/// A table's operators, and its rows of arguments and results.
fn table(text: &str, arguments: usize) -> (Vec<Op>, Vec<Vec<f64>>) {
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let names = lines.next().expect("a head").split('\t').skip(arguments);
    let by_name = |name: &str| {
        let op = Op::ALL.iter().find(|op| format!("{op:?}") == name);
        *op.unwrap_or_else(|| panic!("no operator is called {name}"))
    };
    let number = |text: &str| match text {
        "Infinity" => f64::INFINITY,
        "-Infinity" => f64::NEG_INFINITY,
        text => text.parse().expect("a number"),
    };
    let rows = lines.map(|line| line.split('\t').map(number).collect());
    (names.map(by_name).collect(), rows.collect())
}

/// Functions of libraries differ in the last digits; zeros have a sign.
fn is_same(a: f64, b: f64) -> bool {
    const ROUNDING: f64 = 1e-14;
    let is_close = (a - b).abs() <= ROUNDING * b.abs();
    (a.is_nan() && b.is_nan())
        || (a == b && (a != 0.0 || a.is_sign_negative() == b.is_sign_negative()))
        || (is_close && a != 0.0 && a.is_finite())
}

fn check(text: &str, arguments: usize) -> usize {
    let (ops, rows) = table(text, arguments);
    for row in &rows {
        let (args, results) = row.split_at(arguments);
        assert_eq!(results.len(), ops.len());
        for (op, expected) in ops.iter().zip(results) {
            let found = op.eval(args).expect("a scalar operator");
            assert!(
                is_same(found, *expected),
                "{op:?} of {args:?}: {found} and {expected}"
            );
        }
    }
    ops.len() * rows.len()
}

#[test]
fn operators_of_numbers_give_what_systemds_gives() {
    let binary = check(include_str!("binary.tsv"), 2);
    let unary = check(include_str!("unary.tsv"), 1);
    assert_eq!((binary, unary), (16 * 16 * 18, 16 * 20));
}

#[test]
fn each_scalar_operator_has_a_value_and_no_other_operator_has_one() {
    for op in Op::ALL {
        let is_scalar = op.info().shape == crate::ShapeRule::Cellwise;
        let count = (1..=3).find(|count| op.info().arity.accepts(*count));
        let args = &[0.5, 0.25, 0.125][..count.unwrap_or(0)];
        assert_eq!(op.eval(args).is_some(), is_scalar, "{op:?}");
        assert_eq!(op.eval(&[]), None, "{op:?}");
    }
}

#[test]
fn what_the_table_says_of_an_operator_holds_for_its_values() {
    let (_, rows) = table(include_str!("binary.tsv"), 2);
    for op in Op::ALL {
        let info = op.info();
        for row in &rows {
            let (a, b) = (row[0], row[1]);
            let args: &[f64] = if info.arity.accepts(2) { &[a, b] } else { &[a] };
            let Some(value) = op.eval(args) else { continue };
            let is_zero = |args: &[f64]| op.eval(args) == Some(0.0);
            // What a divisor or an exponent does to a zero is asked of the operator, number by number.
            let keeps = match (info.sparse_safe, args.len()) {
                (SparseSafe::First, 1) => is_zero(&[0.0]),
                (SparseSafe::First, _) => {
                    b.is_infinite() || b.is_nan() || b <= 0.0 || is_zero(&[0.0, b])
                }
                (SparseSafe::Any, _) => !b.is_finite() || is_zero(&[0.0, b]) && is_zero(&[b, 0.0]),
                (SparseSafe::All, _) => is_zero(&[0.0, 0.0]),
                (SparseSafe::No, _) => true,
            };
            assert!(keeps, "{op:?} of a zero and {b}");
            if info.truth_valued {
                assert!(value == 0.0 || value == 1.0, "{op:?} of {args:?}");
            }
            if info.commutative {
                let swapped = op.eval(&[b, a]).expect("the same arity");
                assert!(is_same(value, swapped), "{op:?} of {args:?}");
            }
        }
    }
}

#[test]
fn a_product_with_a_zero_is_zero_whatever_else_it_has() {
    for factors in [
        &[-1.0, 0.0, 2.0][..],
        &[f64::NAN, 0.0],
        &[-0.0, f64::INFINITY],
        &[-1.0, 5e-324, 0.5],
    ] {
        let found = factors.iter().copied().fold(1.0, crate::scalar::product);
        assert_eq!(found.to_bits(), 0, "{factors:?}");
    }
    assert!(crate::scalar::product(f64::NAN, 2.0).is_nan());
    assert_eq!(crate::scalar::product(-1.5, 2.0), -3.0);
}

#[test]
fn integers_compare_exactly() {
    let (a, b) = (9_007_199_254_740_993, 9_007_199_254_740_992);
    for (op, expected) in [
        (Op::Eq, Some(false)),
        (Op::Ne, Some(true)),
        (Op::Lt, Some(false)),
        (Op::Le, Some(false)),
        (Op::Gt, Some(true)),
        (Op::Ge, Some(true)),
        (Op::Add, None),
    ] {
        assert_eq!(op.compare_integers(a, b), expected, "{op:?}");
    }
}

#[test]
fn integers_stay_integers_where_they_fit() {
    for (op, args, expected) in [
        (Op::Add, &[2, 3][..], Some(5)),
        (Op::Add, &[i64::MAX, 1], None),
        (Op::Mod, &[-7, 2], Some(-1)),
        (Op::Mod, &[5, 0], Some(0)),
        (Op::IntDiv, &[-7, 2], Some(-3)),
        (Op::Mul, &[i64::MAX, -2], None),
        (Op::Neg, &[i64::MIN], None),
        (Op::IntDiv, &[5, 0], None),
        (Op::IntDiv, &[0, 0], Some(0)),
        (Op::IntDiv, &[-3, 0], Some(i64::MIN)),
        (Op::Min2, &[5, 2], Some(2)),
        (Op::Neg, &[5], Some(-5)),
        (Op::Div, &[4, 2], None),
        (Op::Pow, &[4, 2], None),
        (Op::Abs, &[-4], None),
    ] {
        assert_eq!(op.eval_integers(args), expected, "{op:?} of {args:?}");
    }
}
