//! Constants are exact, and what has no value everywhere is equal only where it has one.

use sumac_la::Op;

use super::Build;
use crate::canonical::Verdict;

#[test]
fn rounded_constants_are_not_the_exact_ones() {
    let mut b = Build::new(&[("X", "6 x 7"), ("a", "scalar")]);
    let (x, a, one, two) = (b.v("X"), b.v("a"), b.num(1.0), b.num(2.0));
    for (op, of, rounded) in [
        (Op::Exp, one, "2.718281828"),
        (Op::Log, two, "0.6931471805599453"),
        (Op::Sqrt, two, "1.41421356237"),
        (Op::Sin, one, "0.84147098481"),
    ] {
        let rounded = rounded.parse().expect("a number");
        let (exact, rounded) = (b.op(op, &[of]), b.num(rounded));
        let (left, right) = (b.mul(exact, x), b.mul(rounded, x));
        assert!(!matches!(b.decide(left, right), Verdict::Equal(_)));
    }
    // a * 1e-200 * 1e-200 is not 0, and a * 1e200 * 1e-200 is a
    let (small, large, zero) = (b.num(1e-200), b.num(1e200), b.num(0.0));
    let part = b.mul(a, small);
    let (left, right) = (b.mul(part, small), b.mul(zero, a));
    b.different(left, right);
    let left = b.mul(part, large);
    b.equal(left, a);
    // sqrt(8) == 2 * sqrt(2), log(4) == 2 * log(2)
    let (eight, four) = (b.num(8.0), b.num(4.0));
    let (left, right) = (b.op(Op::Sqrt, &[eight]), b.op(Op::Sqrt, &[two]));
    let right = b.mul(two, right);
    b.equal(left, right);
    let (left, right) = (b.op(Op::Log, &[four]), b.op(Op::Log, &[two]));
    let right = b.mul(two, right);
    b.equal(left, right);
    let root = b.op(Op::Sqrt, &[two]);
    let square = b.mul(root, root);
    b.equal(square, two);
}

#[test]
fn nothing_is_proved_of_a_constant_that_is_no_finite_number() {
    let mut b = Build::new(&[("X", "6 x 7")]);
    let (x, zero, one) = (b.v("X"), b.num(0.0), b.num(1.0));
    let (thousand, minus, huge) = (b.num(1000.0), b.num(-1.0), b.num(1e200));
    let constants = [
        b.op(Op::Div, &[one, zero]),
        b.op(Op::Div, &[zero, zero]),
        b.op(Op::Exp, &[thousand]),
        b.op(Op::Log, &[zero]),
        b.op(Op::Sqrt, &[minus]),
        b.mul(huge, huge),
        b.num(f64::INFINITY),
    ];
    for constant in constants {
        // A sum of cells of both signs is NaN when each is multiplied by an infinity, and infinite when the sum is.
        let product = b.mul(x, constant);
        let (inside, sum) = (b.op(Op::Sum, &[product]), b.op(Op::Sum, &[x]));
        let outside = b.mul(sum, constant);
        assert!(matches!(b.decide(inside, outside), Verdict::Undecided(_)));
        let nothing = b.mul(zero, constant);
        assert!(matches!(b.decide(nothing, zero), Verdict::Undecided(_)));
        b.equal(inside, inside);
    }
}

#[test]
fn nothing_is_proved_of_what_is_divided_by_zero() {
    let mut b = Build::new(&[("X", "6 x 7")]);
    let (x, one, minus) = (b.v("X"), b.num(1.0), b.num(-1.0));
    for zero in [b.num(0.0), b.op(Op::Add, &[one, minus])] {
        let (sum, quotient) = (b.op(Op::Sum, &[x]), b.div(x, zero));
        // Cells of both signs give infinities of both, whose sum is NaN.
        let (inside, outside) = (b.op(Op::Sum, &[quotient]), b.div(sum, zero));
        assert!(matches!(b.decide(inside, outside), Verdict::Undecided(_)));
        b.equal(inside, inside);
    }
}

#[test]
fn whole_numbers_are_divided_in_more_than_one_way() {
    let mut b = Build::new(&[("X", "6 x 7")]);
    let (seven, two) = (b.num(7.0), b.num(2.0));
    let (quotient, three) = (b.op(Op::IntDiv, &[seven, two]), b.num(3.0));
    b.equal(quotient, three);
    let minus = b.num(-7.0);
    for value in [-3.0, -4.0] {
        let (quotient, value) = (b.op(Op::IntDiv, &[minus, two]), b.num(value));
        assert!(!matches!(b.decide(quotient, value), Verdict::Equal(_)));
    }
}

#[test]
fn what_has_no_value_everywhere_is_equal_only_where_it_has_one() {
    let mut b = Build::new(&[("X", "6 x 7"), ("Y", "6 x 7")]);
    let (x, y, one, zero) = (b.v("X"), b.v("Y"), b.num(1.0), b.num(0.0));
    let nothing = b.mul(zero, x);
    let inverse = b.div(one, x);
    let left = b.mul(zero, inverse);
    b.conditional(left, nothing, &["X != 0"]);
    let twice = b.div(one, inverse);
    b.conditional(twice, x, &["X != 0"]);
    let log = b.op(Op::Log, &[x]);
    let left = b.sub(log, log);
    b.conditional(left, nothing, &["X > 0"]);
    let root = b.op(Op::Sqrt, &[x]);
    let left = b.mul(root, zero);
    b.conditional(left, nothing, &["X >= 0"]);
    let left = b.pow(root, 2.0);
    b.conditional(left, x, &["X >= 0"]);
    // Both sides have a value at the same places.
    let (product, other) = (b.mul(x, y), b.div(one, y));
    let (left, right) = (b.div(one, product), b.mul(inverse, other));
    b.conditional(left, right, &[]);
    let square = b.pow(x, 2.0);
    let size = b.op(Op::Abs, &[x]);
    let (left, right) = (b.op(Op::Log, &[square]), b.op(Op::Log, &[size]));
    let two = b.num(2.0);
    let right = b.mul(two, right);
    b.conditional(left, right, &[]);
    // A comparison with NaN does not hold, and its opposite does not hold either.
    let (above, below) = (b.op(Op::Gt, &[log, zero]), b.op(Op::Le, &[log, zero]));
    let not = b.op(Op::Not, &[above]);
    b.conditional(not, below, &["X > 0"]);
}

#[test]
fn functions_are_equal_by_their_definitions() {
    let mut b = Build::new(&[("X", "6 x 7"), ("Y", "6 x 7"), ("a", "scalar")]);
    let (x, y, a, zero, two) = (b.v("X"), b.v("Y"), b.v("a"), b.num(0.0), b.num(2.0));
    // max(X, Y) - min(X, Y) == abs(X - Y), abs(X) * sign(X) == X
    let (max, min) = (b.op(Op::Max2, &[x, y]), b.op(Op::Min2, &[x, y]));
    let (left, rest) = (b.sub(max, min), b.sub(x, y));
    let right = b.op(Op::Abs, &[rest]);
    b.conditional(left, right, &[]);
    let (size, sign) = (b.op(Op::Abs, &[x]), b.op(Op::Sign, &[x]));
    let left = b.mul(size, sign);
    b.conditional(left, x, &[]);
    // exp(2 X) == exp(X)^2, 2^a * 2^a == 4^a
    let twice = b.mul(two, x);
    let (left, right) = (b.exp(twice), b.exp(x));
    let right = b.pow(right, 2.0);
    b.conditional(left, right, &[]);
    let four = b.num(4.0);
    let power = b.op(Op::Pow, &[two, a]);
    let (left, right) = (b.mul(power, power), b.op(Op::Pow, &[four, a]));
    b.conditional(left, right, &[]);
    // (X > 0) + (X < 0) + (X == 0) == X^0
    let (above, below) = (b.op(Op::Gt, &[x, zero]), b.op(Op::Lt, &[x, zero]));
    let at = b.op(Op::Eq, &[x, zero]);
    let left = b.add(above, below);
    let (left, right) = (b.add(left, at), b.pow(x, 0.0));
    b.conditional(left, right, &[]);
    // sin(2 X) == 2 sin(X) cos(X), sqrt(X^2) == abs(X)
    let (sin, cos) = (b.op(Op::Sin, &[x]), b.op(Op::Cos, &[x]));
    let right = b.mul(sin, cos);
    let (left, right) = (b.op(Op::Sin, &[twice]), b.mul(two, right));
    b.conditional(left, right, &[]);
    let square = b.pow(x, 2.0);
    let left = b.op(Op::Sqrt, &[square]);
    b.conditional(left, size, &[]);
}
