//! Operators that the algebra does not look into, and what it knows of them all the same.

use sumac_la::Op;

use super::Build;
use crate::canonical::Verdict;

#[test]
fn functions_do_not_mind_orientation_scale_or_order() {
    let mut b = Build::new(&[
        ("A", "6 x 7"),
        ("B", "7 x 6"),
        ("S", "6 x 6"),
        ("v", "6 x 1"),
    ]);
    let (a, m, s, v) = (b.v("A"), b.v("B"), b.v("S"), b.v("v"));
    let (at, mt) = (b.t(a), b.t(m));
    // exp(t(A)) == t(exp(A))
    let left = b.exp(at);
    let right = b.exp(a);
    let right = b.t(right);
    b.equal(left, right);
    // exp(S + t(S)) is symmetric, exp(S) is not
    let st = b.t(s);
    let both = b.add(s, st);
    let left = b.exp(both);
    let right = b.t(left);
    b.equal(left, right);
    let left = b.exp(s);
    let right = b.t(left);
    b.undecided(left, right, "`exp`");
    // sum(exp(S) * S) == sum(t(exp(S) * S)), rowSums(exp(v) * A) == exp(v) * rowSums(A)
    let es = b.mul(left, s);
    let est = b.t(es);
    let (left, right) = (b.sum(es), b.sum(est));
    b.equal(left, right);
    let ev = b.exp(v);
    let left = b.mul(a, ev);
    let left = b.op(Op::RowSums, &[left]);
    let right = b.op(Op::RowSums, &[a]);
    let right = b.mul(right, ev);
    b.equal(left, right);
    // max(A, t(B)) == max(t(B), A)
    let (left, right) = (b.op(Op::Max2, &[a, mt]), b.op(Op::Max2, &[mt, a]));
    b.equal(left, right);
    let (left, right) = (b.op(Op::Gt, &[a, mt]), b.op(Op::Gt, &[mt, a]));
    b.undecided(left, right, "`>`");
    // abs(-A) == abs(A), abs(2 A) == 2 abs(A)
    let neg = b.op(Op::Neg, &[a]);
    let (left, right) = (b.op(Op::Abs, &[neg]), b.op(Op::Abs, &[a]));
    b.equal(left, right);
    let two = b.num(2.0);
    let double = b.mul(two, a);
    let (left, right) = (b.op(Op::Abs, &[double]), b.mul(two, right));
    b.equal(left, right);
    // rowMaxs(t(A)) == t(colMaxs(A)), max(t(A)) == max(A)
    let (left, right) = (b.op(Op::RowMaxs, &[at]), b.op(Op::ColMaxs, &[a]));
    let right = b.t(right);
    b.equal(left, right);
    let (left, right) = (b.op(Op::Max, &[at]), b.op(Op::Max, &[a]));
    b.equal(left, right);
    // exp(A + 0 * A) == exp(A)
    let zero = b.num(0.0);
    let nothing = b.mul(zero, a);
    let same = b.add(a, nothing);
    let (left, right) = (b.exp(same), b.exp(a));
    b.equal(left, right);
    // what differs beside equal functions is still decided
    let (left, right) = (b.add(left, a), b.add(right, mt));
    b.different(left, right);
}

#[test]
fn quotients_follow_the_rules_of_reciprocals() {
    let mut b = Build::new(&[
        ("A", "6 x 7"),
        ("B", "6 x 7"),
        ("v", "6 x 1"),
        ("w", "6 x 1"),
    ]);
    let (a, m, v, w) = (b.v("A"), b.v("B"), b.v("v"), b.v("w"));
    // A / (v * w) == A / v / w, A / (1 / v) == A * v
    let vw = b.mul(v, w);
    let (left, right) = (b.div(a, vw), b.div(a, v));
    let right = b.div(right, w);
    b.equal(left, right);
    let one = b.num(1.0);
    let inverse = b.div(one, v);
    let (left, right) = (b.div(a, inverse), b.mul(a, v));
    b.equal(left, right);
    // A / (2 A + 2 B) == 0.5 * A / (A + B)
    let two = b.num(2.0);
    let (da, dm) = (b.mul(two, a), b.mul(two, m));
    let (plain, double) = (b.add(a, m), b.add(da, dm));
    let (left, right) = (b.div(a, double), b.div(a, plain));
    let half = b.num(0.5);
    let right = b.mul(half, right);
    b.equal(left, right);
    // A * (1 / A) is not 1 where A is 0
    let inverse = b.div(one, a);
    let left = b.mul(a, inverse);
    let (rows, cols) = (b.num(6.0), b.num(7.0));
    let ones = b.fill(1.0, rows, cols);
    b.conditional(left, ones, &["A != 0"]);
    // 1 / (1 + exp(-A)) == sigmoid(A)
    let neg = b.op(Op::Neg, &[a]);
    let e = b.exp(neg);
    let e = b.add(one, e);
    let (left, right) = (b.div(one, e), b.op(Op::Sigmoid, &[a]));
    b.equal(left, right);
    // A^-2 == 1 / A^2
    let left = b.pow(a, -2.0);
    let square = b.pow(a, 2.0);
    let right = b.div(one, square);
    b.equal(left, right);
    // sqrt(A) == A^0.5
    let (left, right) = (b.pow(a, 0.5), b.op(Op::Sqrt, &[a]));
    b.equal(left, right);
}

#[test]
fn operators_on_whole_matrices_are_equal_only_to_themselves() {
    let mut b = Build::new(&[("A", "6 x 7"), ("B", "6 x 7")]);
    let (a, m) = (b.v("A"), b.v("B"));
    let (ab, ba) = (b.add(a, m), b.add(m, a));
    let (left, right) = (b.op(Op::Cbind, &[ab, a]), b.op(Op::Cbind, &[ba, a]));
    b.equal(left, right);
    let swapped = b.op(Op::Cbind, &[a, ab]);
    b.undecided(left, swapped, "`cbind`");
    let (left, right) = (b.op(Op::Rev, &[ab]), b.op(Op::Rev, &[ba]));
    b.equal(left, right);
    let (one, three) = (b.num(1.0), b.num(3.0));
    let (left, right) = (
        b.op(Op::RightIndex, &[ab, one, three, one, one]),
        b.op(Op::RightIndex, &[ba, one, three, one, one]),
    );
    b.equal(left, right);
    // Filled matrices of different shapes are different arguments.
    let six = b.num(6.0);
    let (p, q) = (b.fill(2.0, six, three), b.fill(2.0, three, three));
    let (left, right) = (b.op(Op::Prod, &[p]), b.op(Op::Prod, &[q]));
    b.undecided(left, right, "`prod`");
}

#[test]
fn aggregates_and_choices_that_change_nothing_are_seen_through() {
    let mut b = Build::new(&[("X", "4 x 3"), ("v", "4 x 1"), ("w", "1 x 3")]);
    let (x, v, w) = (b.v("X"), b.v("v"), b.v("w"));
    let least = b.op(Op::RowMins, &[v]);
    b.equal(least, v);
    let (by_column, all) = (b.op(Op::ColMaxs, &[v]), b.op(Op::Max, &[v]));
    b.equal(by_column, all);
    let (by_row, all) = (b.op(Op::RowMaxs, &[w]), b.op(Op::Min, &[w]));
    assert!(!matches!(b.decide(by_row, all), Verdict::Equal(_)));
    let same = b.op(Op::IfElse, &[x, x, x]);
    b.equal(same, x);
    let other = b.op(Op::IfElse, &[x, x, v]);
    assert!(!matches!(b.decide(other, x), Verdict::Equal(_)));
}
