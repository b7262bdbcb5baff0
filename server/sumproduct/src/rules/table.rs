//! The rules of the search (SPORES Figure 3) and what is known of cellwise functions, a row each.
//!
//! Each rule is one direction; commutativity and renaming need none (see [`crate::ra`], [`crate::axes`]). They are applied in this
//! order, the equations of functions last. A new rule is a row here: `rule_audit` holds it against matrices of all small shapes, counts
//! the digits that it loses, and tries its near misses. In equations, `Σ` is a sum over an axis and `*` multiplies cell by cell.

use sumac_la::Op;

use super::equation::Pattern::{self, Add as Plus, F1, F2, Mul as Times, N, Truth, X};
use super::row::Head::{Add, Eye, Fold, Fun, Mul, Opaque, Sum};
use super::row::Operands::{Column, Empty, Mixed, OneByOne, Row as OneRow, Scalar};
use super::row::{Row, alone, both, equation, nested};
use super::{aggregates, cells};

const A: Pattern = X(0);
const B: Pattern = X(1);
const C: Pattern = X(2);
const T: Pattern = Truth(0);
const ZERO: Pattern = N(0.0);
const ONE: Pattern = N(1.0);

#[rustfmt::skip]
pub static TABLE: &[Row] = &[
    nested("merge-sums", "Σ Σ x = Σ x over both axes", (&[Sum], &[Sum]), aggregates::merge_sums)
        .minor()
        .fires(&["sum(rowSums(A))", "sum(A %*% B)", "colSums(A %*% B)"])
        .misses(&["sum(max(rowSums(A), 0))", "max(rowSums(A))"])
        .never(&[Scalar, OneByOne]),
    nested("push-out-of-sum", "Σ (x * z) = (Σ x) * z: what does not change along an axis moves out of its sum", (&[Sum], &[Mul]), aggregates::push_out_of_sum)
        .backwards("pull-into-sum")
        .fires(&["sum(A * B)", "rowSums(A * B)", "colSums(A * B)", "sum(A / B)"])
        .misses(&["sum(A * exp(A))", "sum(A + B)"]),
    nested("sum-of-plus", "Σ (x + y) = Σ x + Σ y", (&[Sum], &[Add]), aggregates::sum_of_plus)
        .backwards("plus-of-sums")
        .fires(&["sum(A + B)", "rowSums(A - B)", "colSums(A + B)"])
        .misses(&["sum(A) + sum(B)", "sum(A * B)"]),
    nested("distribute", "(x + y) * z = x * z + y * z", (&[Mul], &[Add]), cells::distribute)
        .backwards("factor")
        .fires(&["A * (B + C)", "(A - B) * C", "(A + B) %*% C", "(A + B) / C"])
        .misses(&["A * B + C", "A * max(B, C)"]),
    nested("factor-one", "x + x * y = x * (1 + y)", (&[Add], &[Mul]), cells::factor_one)
        .backwards("distribute")
        .fires(&["A + A * B", "A * B + A"])
        .misses(&["A + B * C", "A * (A + B)"]),
    alone("double", "x + x = 2 * x", (Add, cells::is_twice_the_same), cells::double)
        .fires(&["A + A", "exp(A) + exp(A)"])
        .misses(&["A + B", "A + t(A) where A: 3 x 3"])
        .never(&[Mixed]),
    both("factor", "x * z + y * z = (x + y) * z", (Add, Mul), cells::factor)
        .backwards("distribute")
        .fires(&["A * B + A * C", "B * A + C * A", "A^2 + A * B", "A / C + B / C"])
        .misses(&["A * B + exp(A) * C", "(A + B) * (A + C)"]),
    nested("pull-into-sum", "(Σ x) * z = Σ (x * z): a factor moves into a sum", (&[Mul], &[Sum]), aggregates::pull_into_sum)
        .backwards("push-out-of-sum")
        .fires(&["sum(A) * B", "rowSums(A) * B", "(A %*% B) * C"])
        .misses(&["sum(A * B)", "max(A) * B"]),
    both("plus-of-sums", "Σ x + Σ y = Σ (x + y)", (Add, Sum), aggregates::plus_of_sums)
        .backwards("sum-of-plus")
        .fires(&["sum(A) + sum(B)", "rowSums(A) + rowSums(B)", "A %*% B + A %*% C"])
        .misses(&["sum(A) + max(B)", "sum(A + B)"])
        .never(&[Scalar, OneByOne]),
    nested("associate-multiply", "(x * y) * z = x * (y * z)", (&[Mul], &[Mul]), cells::associate_multiply)
        .ways(|_, _| 2).minor()
        .fires(&["(A * B) * C", "A * (B * C)"])
        .misses(&["A * (B + C)", "A * B + C"]),
    nested("associate-plus", "(x + y) + z = x + (y + z)", (&[Add], &[Add]), cells::associate_plus)
        .ways(|_, _| 2).minor()
        .fires(&["(A + B) + C", "A + (B + C)"])
        .misses(&["A * B + C", "A * (B + C)"]),
    nested("sift", "Σ_j δ(i, j) * x(j) = x(i): of the diagonal matrix's row, one cell is left", (&[Sum], &[Mul, Eye]), aggregates::sift)
        .ways(aggregates::ways_to_sift).simplifies()
        .fires(&["rowSums(diag(A))", "colSums(diag(A))", "sum(diag(matrix(1, nrow(A), 1)))", "diag(matrix(1, nrow(A), 1)) %*% B"])
        .misses(&["rowSums(A)", "diag(A) where A: 3 x 3", "trace(A)"])
        .never(&[Scalar, OneByOne, OneRow]),
    nested("repeat", "x + 1 * y = x + y, where the matrix of ones only repeats y", (&[Add, Fun], &[Mul]), cells::repeat)
        .ways(|graph, it| u8::from(cells::has_repeating_factor(graph, it))).minor()
        .fires(&["A + B %*% matrix(1, 1, ncol(A))", "max(A, B %*% matrix(2, 1, ncol(A)))", "A < matrix(1, nrow(A), 1) %*% B"])
        .misses(&["A + B %*% matrix(1, 1, 3) where A: 2 x 1, B: 2 x 1", "A + B"])
        .never(&[Scalar]),
    nested("merge-folds", "min(rowMins(x)) = min(x), and the like for columns, maxima and products", (&[Fold], &[Fold]), aggregates::merge_folds)
        .ways(aggregates::are_alike).simplifies()
        .fires(&["min(rowMins(A))", "max(colMaxs(A))", "min(colMins(A))"])
        .misses(&["min(rowMaxs(A))", "sum(rowMaxs(A))"])
        .never(&[Scalar, OneByOne, OneRow, Column, Empty, Mixed]),
    nested("reorder", "an aggregate over all cells that rev or a reshaping moves is that of the cells as they were", (&[Sum, Fold], &[Opaque]), aggregates::reorder)
        .simplifies()
        .fires(&["sum(rev(A))", "colSums(rev(A))", "min(rev(A))", "colMaxs(rev(A))", "sum(matrix(A, ncol(A), nrow(A)))", "max(matrix(A, ncol(A), nrow(A)))"])
        .misses(&["rowSums(rev(A)) where A: 3 x 2", "rowSums(matrix(A, 2, 3)) where A: 3 x 2", "sum(exp(A))"])
        .never(&[Scalar, OneByOne, Mixed]),
    nested("reverse", "rev(rev(x)) = x", (&[Opaque], &[Opaque]), aggregates::reverse)
        .ways(aggregates::is_reversed_twice).simplifies()
        .fires(&["rev(rev(A))"])
        .misses(&["rev(t(rev(A))) where A: 3 x 3", "rev(A)"])
        .never(&[Scalar, OneByOne, OneRow, Mixed]),
    nested("sigmoid", "1 / (1 + exp(-x)) = sigmoid(x)", (&[Fun], &[Add]), cells::sigmoid)
        .ways(cells::divides_by_sum).simplifies()
        .fires(&["1 / (1 + exp(-A))", "1 / (exp(A) + 1)", "B / (1 + exp(-A))"])
        .misses(&["1 / (2 + exp(-A))", "1 / (1 - exp(-A))", "1 / (1 + A)"]),
    equation("sign", Plus(&F2(Op::Gt, &A, &ZERO), &Times(&N(-1.0), &F2(Op::Lt, &A, &ZERO))), F1(Op::Sign, &A))
        .fires(&["(A > 0) - (A < 0)", "(A > B) * 0 + ((B > 0) - (B < 0))"])
        .misses(&["(A > 0) - (A < 1)", "(A >= 0) - (A < 0)", "(A > 0) + (A < 0)"]),
    equation("positive-part", Times(&A, &F2(Op::Gt, &A, &ZERO)), F2(Op::Max2, &A, &ZERO))
        .fires(&["A * (A > 0)", "(A > 0) * A"])
        .misses(&["A * (A > 1)", "A * (A < 0)", "A * (exp(A) > 0)"])
        .never(&[Mixed]),
    equation("abs-product", Times(&F1(Op::Abs, &A), &F1(Op::Abs, &B)), F1(Op::Abs, &Times(&A, &B)))
        .fires(&["abs(A) * abs(B)"])
        .misses(&["abs(A) * B", "abs(A) + abs(B)"]),
    equation("abs-truth", F1(Op::Abs, &T), A)
        .fires(&["abs(A > B)", "abs(!A)"])
        .misses(&["abs(A)", "abs((A > B) - 1)"]),
    equation("sign-truth", F1(Op::Sign, &T), A)
        .fires(&["sign(A <= B)", "sign(A == B)"])
        .misses(&["sign(A)", "sign((A > B) - 1)"]),
    equation("round-truth", F1(Op::Round, &T), A)
        .fires(&["round(A < B)"])
        .misses(&["round(A)", "round((A < B) * A)"]),
    equation("floor-truth", F1(Op::Floor, &T), A)
        .fires(&["floor(A >= B)"])
        .misses(&["floor(A)", "floor((A >= B) + A)"]),
    equation("ceil-truth", F1(Op::Ceil, &T), A)
        .fires(&["ceil(A != B)"])
        .misses(&["ceil(A)", "ceil((A != B) * B)"]),
    equation("truth-is-one", F2(Op::Eq, &T, &ONE), A)
        .fires(&["(A > B) == 1", "1 == !A"])
        .misses(&["A == 1", "(A > B) == 2", "(A > B) != 1"]),
    equation("truth-is-zero", F2(Op::Eq, &T, &ZERO), F1(Op::Not, &A))
        .fires(&["(A > B) == 0", "0 == (A <= B)"])
        .misses(&["A == 0", "(A > B) != 0"]),
    equation("not-equal", F1(Op::Not, &F2(Op::Eq, &A, &B)), F2(Op::Ne, &A, &B))
        .fires(&["!(A == B)"])
        .misses(&["!(A != B)", "!A"]),
    equation("not-unequal", F1(Op::Not, &F2(Op::Ne, &A, &B)), F2(Op::Eq, &A, &B))
        .fires(&["!(A != B)"])
        .misses(&["!(A == B)", "!(A + B)"]),
    equation("not-less", F1(Op::Not, &F2(Op::Lt, &A, &B)), F2(Op::Ge, &A, &B))
        .fires(&["!(A < B)"])
        .misses(&["!(A <= B)", "!(A > B)"]),
    equation("not-at-least", F1(Op::Not, &F2(Op::Ge, &A, &B)), F2(Op::Lt, &A, &B))
        .fires(&["!(A >= B)"])
        .misses(&["!(A > B)", "!(A <= B)"]),
    equation("not-greater", F1(Op::Not, &F2(Op::Gt, &A, &B)), F2(Op::Le, &A, &B))
        .fires(&["!(A > B)"])
        .misses(&["!(A >= B)", "!(A < B)"]),
    equation("not-at-most", F1(Op::Not, &F2(Op::Le, &A, &B)), F2(Op::Gt, &A, &B))
        .fires(&["!(A <= B)"])
        .misses(&["!(A < B)", "!(A >= B)"]),
    equation("contradiction", F2(Op::And, &A, &F1(Op::Not, &A)), ZERO)
        .fires(&["A && !A", "!(A > B) && (A > B)"])
        .misses(&["A && !B", "A || !A", "A && A"]),
    equation("tautology", F2(Op::Or, &A, &F1(Op::Not, &A)), ONE)
        .fires(&["A || !A", "!(A > B) || (A > B)"])
        .misses(&["A || !B", "A && !A", "A || A"]),
    equation("log-exp", F1(Op::Log, &F1(Op::Exp, &A)), A)
        .fires(&["log(exp(A))", "log(exp(A + B))"])
        .misses(&["log(exp(A) + 1)", "exp(log(A))"]),
    equation("log-product", F1(Op::Log, &Times(&F1(Op::Exp, &A), &B)), Plus(&A, &F1(Op::Log, &B)))
        .fires(&["log(exp(A) * B)", "log(exp(A) * exp(B))"])
        .misses(&["log(A * B)", "log(exp(A) + B)"]),
    equation("associate-min", F2(Op::Min2, &F2(Op::Min2, &A, &B), &C), F2(Op::Min2, &A, &F2(Op::Min2, &B, &C)))
        .fires(&["min(min(A, B), C)", "min(A, min(B, C))"])
        .misses(&["min(max(A, B), C)", "min(A + B, C)"]),
    equation("associate-max", F2(Op::Max2, &F2(Op::Max2, &A, &B), &C), F2(Op::Max2, &A, &F2(Op::Max2, &B, &C)))
        .fires(&["max(max(A, B), C)", "max(A, max(B, C))"])
        .misses(&["max(min(A, B), C)", "max(A * B, C)"]),
];
