//! One row for each rule of the search and each identity: expressions on which it fires, near misses on which it must not, and
//! the kinds of shapes that none of the former can have.
//!
//! Letters are matrices and scalars of all small shapes unless a row says `where A: 3 x 3`.

use super::write::Kind::{self, Column, Empty, Matrix, Mixed, OneByOne, Row, Scalar, Square};

/// What is audited of a rule.
pub(super) struct Audited {
    pub(super) name: &'static str,
    pub(super) fires: &'static [&'static str],
    pub(super) misses: &'static [&'static str],
    /// No expression that fires has operands of these kinds.
    pub(super) never: &'static [Kind],
}

const fn row(
    name: &'static str,
    fires: &'static [&'static str],
    misses: &'static [&'static str],
) -> Audited {
    Audited {
        name,
        fires,
        misses,
        never: &[],
    }
}

impl Audited {
    const fn never(self, never: &'static [Kind]) -> Self {
        Audited { never, ..self }
    }
}

/// What has one letter has no operands of several shapes.
const ALONE: &[Kind] = &[Mixed];

#[rustfmt::skip]
pub(super) const ROWS: &[Audited] = &[
    row("merge-sums",
        &["sum(rowSums(A))", "sum(A %*% B)", "colSums(A %*% B)"],
        &["sum(max(rowSums(A), 0))", "max(rowSums(A))"])
        .never(&[Scalar, OneByOne]),
    row("push-out-of-sum",
        &["sum(A * B)", "rowSums(A * B)", "colSums(A * B)", "sum(A / B)"],
        &["sum(A * exp(A))", "sum(A + B)"]),
    row("sum-of-plus",
        &["sum(A + B)", "rowSums(A - B)", "colSums(A + B)"],
        &["sum(A) + sum(B)", "sum(A * B)"]),
    row("distribute",
        &["A * (B + C)", "(A - B) * C", "(A + B) %*% C", "(A + B) / C"],
        &["A * B + C", "A * max(B, C)"]),
    row("factor-one",
        &["A + A * B", "A * B + A"],
        &["A + B * C", "A * (A + B)"]),
    row("double",
        &["A + A", "exp(A) + exp(A)"],
        &["A + B", "A + t(A) where A: 3 x 3"])
        .never(ALONE),
    row("factor",
        &["A * B + A * C", "B * A + C * A", "A^2 + A * B", "A / C + B / C"],
        &["A * B + exp(A) * C", "(A + B) * (A + C)"]),
    row("pull-into-sum",
        &["sum(A) * B", "rowSums(A) * B", "(A %*% B) * C"],
        &["sum(A * B)", "max(A) * B"]),
    row("plus-of-sums",
        &["sum(A) + sum(B)", "rowSums(A) + rowSums(B)", "A %*% B + A %*% C"],
        &["sum(A) + max(B)", "sum(A + B)"])
        .never(&[Scalar, OneByOne]),
    row("associate-multiply",
        &["(A * B) * C", "A * (B * C)"],
        &["A * (B + C)", "A * B + C"]),
    row("associate-plus",
        &["(A + B) + C", "A + (B + C)"],
        &["A * B + C", "A * (B + C)"]),
    row("sift",
        &["rowSums(diag(A))", "colSums(diag(A))", "sum(diag(matrix(1, nrow(A), 1)))", "diag(matrix(1, nrow(A), 1)) %*% B"],
        &["rowSums(A)", "diag(A) where A: 3 x 3", "trace(A)"])
        .never(&[Scalar, OneByOne, Row]),
    row("repeat",
        &["A + B %*% matrix(1, 1, ncol(A))", "max(A, B %*% matrix(2, 1, ncol(A)))", "A < matrix(1, nrow(A), 1) %*% B"],
        &["A + B %*% matrix(1, 1, 3) where A: 2 x 1, B: 2 x 1", "A + B"])
        .never(&[Scalar]),
    row("merge-folds",
        &["min(rowMins(A))", "max(colMaxs(A))", "min(colMins(A))"],
        &["min(rowMaxs(A))", "sum(rowMaxs(A))"])
        .never(&[Scalar, OneByOne, Row, Column, Empty, Mixed]),
    row("reorder",
        &["sum(rev(A))", "colSums(rev(A))", "min(rev(A))", "colMaxs(rev(A))", "sum(matrix(A, ncol(A), nrow(A)))", "max(matrix(A, ncol(A), nrow(A)))"],
        &["rowSums(rev(A)) where A: 3 x 2", "rowSums(matrix(A, 2, 3)) where A: 3 x 2", "sum(exp(A))"])
        .never(&[Scalar, OneByOne, Mixed]),
    row("reverse",
        &["rev(rev(A))"],
        &["rev(t(rev(A))) where A: 3 x 3", "rev(A)"])
        .never(&[Scalar, OneByOne, Row, Mixed]),
    row("sigmoid",
        &["1 / (1 + exp(-A))", "1 / (exp(A) + 1)", "B / (1 + exp(-A))"],
        &["1 / (2 + exp(-A))", "1 / (1 - exp(-A))", "1 / (1 + A)"]),
    row("sign",
        &["(A > 0) - (A < 0)", "(A > B) * 0 + ((B > 0) - (B < 0))"],
        &["(A > 0) - (A < 1)", "(A >= 0) - (A < 0)", "(A > 0) + (A < 0)"]),
    row("positive-part",
        &["A * (A > 0)", "(A > 0) * A"],
        &["A * (A > 1)", "A * (A < 0)", "A * (exp(A) > 0)"])
        .never(ALONE),
    row("abs-product",
        &["abs(A) * abs(B)"],
        &["abs(A) * B", "abs(A) + abs(B)"]),
    row("abs-truth",
        &["abs(A > B)", "abs(!A)"],
        &["abs(A)", "abs((A > B) - 1)"]),
    row("sign-truth",
        &["sign(A <= B)", "sign(A == B)"],
        &["sign(A)", "sign((A > B) - 1)"]),
    row("round-truth",
        &["round(A < B)"],
        &["round(A)", "round((A < B) * A)"]),
    row("floor-truth",
        &["floor(A >= B)"],
        &["floor(A)", "floor((A >= B) + A)"]),
    row("ceil-truth",
        &["ceil(A != B)"],
        &["ceil(A)", "ceil((A != B) * B)"]),
    row("truth-is-one",
        &["(A > B) == 1", "1 == !A"],
        &["A == 1", "(A > B) == 2", "(A > B) != 1"]),
    row("truth-is-zero",
        &["(A > B) == 0", "0 == (A <= B)"],
        &["A == 0", "(A > B) != 0"]),
    row("not-equal",
        &["!(A == B)"],
        &["!(A != B)", "!A"]),
    row("not-unequal",
        &["!(A != B)"],
        &["!(A == B)", "!(A + B)"]),
    row("not-less",
        &["!(A < B)"],
        &["!(A <= B)", "!(A > B)"]),
    row("not-at-least",
        &["!(A >= B)"],
        &["!(A > B)", "!(A <= B)"]),
    row("not-greater",
        &["!(A > B)"],
        &["!(A >= B)", "!(A < B)"]),
    row("not-at-most",
        &["!(A <= B)"],
        &["!(A < B)", "!(A >= B)"]),
    row("contradiction",
        &["A && !A", "!(A > B) && (A > B)"],
        &["A && !B", "A || !A", "A && A"]),
    row("tautology",
        &["A || !A", "!(A > B) || (A > B)"],
        &["A || !B", "A && !A", "A || A"]),
    row("log-exp",
        &["log(exp(A))", "log(exp(A + B))"],
        &["log(exp(A) + 1)", "exp(log(A))"]),
    row("log-product",
        &["log(exp(A) * B)", "log(exp(A) * exp(B))"],
        &["log(A * B)", "log(exp(A) + B)"]),
    row("associate-min",
        &["min(min(A, B), C)", "min(A, min(B, C))"],
        &["min(max(A, B), C)", "min(A + B, C)"]),
    row("associate-max",
        &["max(max(A, B), C)", "max(A, max(B, C))"],
        &["max(min(A, B), C)", "max(A * B, C)"]),
];

/// The kinds that no row may leave out by mistake: a row that lists one of them has no such operands at all.
pub(super) const ORDINARY: [Kind; 2] = [Matrix, Square];
