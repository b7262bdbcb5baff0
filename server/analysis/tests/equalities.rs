//! Sizes that a use shows to be equal.
mod support;
use expect_test::{Expect, expect};
use support::{check, variables};

#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
fn sizes(text: &str, expected: Expect) {
    let analysis = check(text);
    let told: Vec<String> = analysis
        .diagnostics
        .iter()
        .filter(|d| d.code == "shape-mismatch" || d.code == "unreachable-code")
        .map(|d| format!("{}: {} {:?}\n", d.code, d.message, d.related))
        .collect();
    expected.assert_eq(&(variables(text, &analysis) + &told.concat()));
}

#[test]
fn a_product_ties_its_inner_sizes() {
    sizes(
        "X = read($X)\nY = read($Y)\nP = X %*% Y\nA = t(Y)\nB = Y %*% t(Y)\nn = nrow(Y)\nk = ncol(X)\n",
        expect![[r#"
            1 X: matrix ? x ? (unknown)
            2 Y: matrix ? x ? (unknown)
            3 P: matrix nrow(X) x ncol(Y) (propagated)
            4 A: matrix ncol(Y) x ncol(X) (propagated)
            5 B: matrix ncol(X) x ncol(X) (propagated)
            6 n: int (propagated)
            7 k: int (propagated)
        "#]],
    );
}

#[test]
fn a_number_is_learned_and_goes_on() {
    sizes(
        "W = matrix(0, rows=5, cols=7)\nX = read($X)\nP = W %*% X\nn = nrow(X)\nif (n == 7) print(\"as always\")\nZ = cbind(X, X)\nC = matrix(1, rows=nrow(X), cols=1)\nS = cbind(X, C)\n",
        expect![[r#"
            1 W: matrix 5 x 7, sparsity 0 (propagated)
            2 X: matrix ? x ? (unknown)
            3 P: matrix 5 x ncol(X), sparsity 0 (propagated)
            4 n: int = Number(7.0) (propagated)
            6 Z: matrix 7 x 2 * ncol(X) (propagated)
            7 C: matrix 7 x 1 (propagated)
            8 S: matrix 7 x ncol(X) + 1 (propagated)
        "#]],
    );
}

#[test]
fn what_stands_before_the_use_stays_open() {
    sizes(
        "X = read($X)\nY = read($Y)\nif (ncol(X) != nrow(Y)) {\n  stop(\"no fit\")\n}\nm = nrow(Y)\nP = X %*% Y\nsame = nrow(Y) == ncol(X)\n",
        expect![[r#"
            1 X: matrix ? x ? (unknown)
            2 Y: matrix ? x ? (unknown)
            6 m: int (propagated)
            7 P: matrix nrow(X) x ncol(Y) (propagated)
            8 same: bool (propagated)
        "#]],
    );
}

#[test]
fn a_branch_or_a_loop_says_nothing_behind_it() {
    sizes(
        "X = read($X)\nY = read($Y)\nif ($p > 0) {\n  P = X %*% Y\n}\nA = Y\nwhile (sum(X %*% Y) > 0) {\n  X = X %*% Y\n}\nB = Y\n",
        expect![[r#"
            1 X: matrix ? x ? (unknown)
            2 Y: matrix ? x ? (unknown)
            4 P: matrix nrow(X) x ncol(Y) (propagated)
            6 A: matrix nrow(Y) x ncol(Y) (propagated)
            8 X: matrix nrow(X) x ncol(Y) (propagated)
            10 B: matrix nrow(Y) x ncol(Y) (propagated)
        "#]],
    );
}

#[test]
fn a_contradiction_tells_what_taught_the_size() {
    sizes(
        "X = rand(rows=3, cols=4)\nZ = rand(rows=3, cols=5)\nY = read($Y)\nP = X %*% Y\nQ = Z %*% Y\n",
        expect![[r#"
            1 X: matrix 3 x 4 (propagated)
            2 Z: matrix 3 x 5 (propagated)
            3 Y: matrix ? x ? (unknown)
            4 P: matrix 3 x ncol(Y) (propagated)
            5 Q: matrix ? x ? (unknown)
            shape-mismatch: `%*%` cannot combine 3 x 5 with 4 x ncol(Y): columns of the left (5) must equal rows of the right (4) [(TextRange { start: 25, end: 26 }, "`Z` is 3 x 5"), (TextRange { start: 50, end: 51 }, "`Y` is 4 x ncol(Y)"), (TextRange { start: 67, end: 74 }, "`nrow(Y)` is 4 since this")]
        "#]],
    );
}

#[test]
fn a_function_learns_of_its_parameters() {
    sizes(
        "f = function(Matrix[Double] A, Matrix[Double] B) return (Matrix[Double] C) {\n  P = A %*% B\n  C = t(B)\n}\nX = read($X)\nY = read($Y)\nR = f(X, Y)\n",
        expect![[r#"
            2 P: matrix nrow(A) x ncol(B) (propagated)
            3 C: matrix ncol(B) x ncol(A) (propagated)
            5 X: matrix ? x ? (unknown)
            6 Y: matrix ? x ? (unknown)
            7 R: matrix ncol(Y) x ncol(X) (propagated)
        "#]],
    );
}

#[test]
fn an_argument_keeps_its_name() {
    sizes(
        "X = matrix(0, rows=$n, cols=$m)\nY = read($Y)\nP = X %*% Y\nA = Y\nQ = matrix(1, rows=$m, cols=1)\nU = read($U)\nV = U + matrix(1, rows=6, cols=2)\nT = U\n",
        expect![[r#"
            1 X: matrix $n x $m, sparsity 0 (propagated)
            2 Y: matrix ? x ? (unknown)
            3 P: matrix $n x ncol(Y) (propagated)
            4 A: matrix $m x ncol(Y) (propagated)
            5 Q: matrix $m x 1 (propagated)
            6 U: matrix ? x ? (unknown)
            7 V: matrix 6 x 2 (propagated)
            8 T: matrix 6 x 2 (propagated)
        "#]],
    );
}
