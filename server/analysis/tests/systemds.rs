//! Verdicts of SystemDS 3.4 on small scripts: what it refuses before a run, what fails when it runs, and what runs. Every script
//! was given to it.

mod support;

use std::collections::BTreeSet;

use sumac_analysis::Severity;
use support::check;

/// Refused before a run: the code that we have for it, and the script.
const REFUSED: &[(&str, &str)] = &[
    (
        "shape-mismatch",
        "X = matrix(seq(1, 12), 4, 3)\nprint(sum(matrix(\"0.5 1 2\", 1, 3) * X))",
    ),
    (
        "shape-mismatch",
        "v = matrix(1, 1, 3)\nX = matrix(2, 4, 3)\nY = v - X\nprint(sum(Y))",
    ),
    (
        "shape-mismatch",
        "v = matrix(1, 4, 1)\nX = matrix(2, 4, 3)\nY = v / X\nprint(sum(Y))",
    ),
    (
        "shape-mismatch",
        "v = matrix(1, 4, 1)\nX = matrix(2, 4, 3)\nY = v < X\nprint(sum(Y))",
    ),
    (
        "shape-mismatch",
        "v = matrix(1, 4, 1)\nX = matrix(2, 4, 3)\nprint(sum(max(v, X)))",
    ),
    (
        "shape-mismatch",
        "M = matrix(\"4 0 0 5\", 2, 2)\ns = M[1, 1]\nprint(sum(s * matrix(\"1 2 3\", 3, 1)))",
    ),
    (
        "shape-mismatch",
        "print(sum(matrix(\"1 2 3\", 3, 1) + matrix(\"10 20\", 1, 2)))",
    ),
    (
        "shape-mismatch",
        "A = matrix(1, 3, 3)\nprint(sum(ifelse(A > 0, matrix(1, 1, 3), 0)))",
    ),
    (
        "shape-mismatch",
        "A = matrix(0, 3, 3)\nA[1:2, 1:2] = matrix(1, 3, 2)\nprint(sum(A))",
    ),
    (
        "parfor-dependency",
        "s = 0.0\nparfor (i in 1:10) {\n  s = s + i\n}\nprint(s)",
    ),
    (
        "parfor-dependency",
        "R = matrix(0, 6, 6)\nparfor (i in 1:3) { R[1, 1] = i }\nprint(sum(R))",
    ),
    (
        "parfor-dependency",
        "R = matrix(0, 6, 6)\nparfor (i in 1:3) { R[i + 1, 1] = R[i, 1] }\nprint(sum(R))",
    ),
    (
        "parfor-dependency",
        "R = matrix(0, 6, 6)\nparfor (i in 1:3) { R[i, 1] = sum(R) }\nprint(sum(R))",
    ),
    (
        "parfor-dependency",
        "R = matrix(0, 6, 6)\nparfor (i in 1:3) { R = R + i }\nprint(sum(R))",
    ),
    ("assigned-constant", "NaN = 0.0 / 0.0\nprint(NaN)"),
    (
        "assigned-constant",
        "x = 1\nif (x > 0) { pi = 3 }\nprint(x)",
    ),
    (
        "result-kind",
        "f = function(matrix[double] A) return (integer r) {\n  r = as.scalar(A[1, 2])\n}\nprint(f(matrix(\"1.5 2.75\", 1, 2)))",
    ),
    (
        "result-kind",
        "f = function(matrix[double] A) return (double r) { r = A }\nprint(f(matrix(1, 1, 1)))",
    ),
    (
        "result-kind",
        "f = function(double x) return (double r) { r = x > 1 }\nprint(f(2))",
    ),
    (
        "result-kind",
        "f = function(double x) return (matrix[double] r) { for (i in 1:2) { r = x * i } }\nr = f(2)",
    ),
    (
        "argument-form",
        "f = function(matrix[double] A, double s = 2) return (matrix[double] B) {\n  B = A * s\n}\nC = f(matrix(1, 2, 2))\nprint(sum(C))",
    ),
    (
        "argument-form",
        "f = function(matrix[double] A, double s = 2) return (matrix[double] B) { B = A * s }\nC = f(A=matrix(1, 2, 2))\nprint(sum(C))",
    ),
    (
        "argument-form",
        "f = function(matrix[double] A, double s = 2) return (matrix[double] B) { for (i in 1:2) { B = A * s } }\nC = f(A=matrix(1, 2, 2), 3)\nprint(sum(C))",
    ),
    (
        "kind-mismatch",
        "g = function(matrix[double] A) return (matrix[double] B) { B = A * 2 }\nprint(sum(g(3)))",
    ),
    ("kind-mismatch", "x = 3\nprint(sum(x))"),
    ("kind-mismatch", "x = 3\nprint(nrow(x))"),
    ("kind-mismatch", "x = 3\nY = rowSums(x)"),
    ("kind-mismatch", "x = 3\nY = t(x)"),
    ("kind-mismatch", "X = matrix(1, 2, 2)\nY = as.matrix(X)"),
    ("kind-mismatch", "print(TRUE + 1)"),
    ("kind-mismatch", "X = matrix(1, 2, 2)\nY = X * TRUE"),
    ("kind-mismatch", "x = 2\ny = (x > 1) * 3\nprint(y)"),
    (
        "kind-mismatch",
        "f = function(double x) return (double r) { r = 1\n if (x > 2) { r = -(x > 1) } }\nprint(f(3))",
    ),
    ("kind-mismatch", "F = as.frame(matrix(1, 2, 2))\nG = F + 1"),
    ("kind-mismatch", "L = list(1, 2)\nx = L + 1"),
    ("kind-mismatch", "for (i in 1:TRUE) { print(i) }"),
    ("kind-mismatch", "x = min(TRUE, 2)\nprint(x)"),
    (
        "kind-change",
        "X = matrix(1, 2, 2)\nif (sum(X) > 1) {\n  X = 7\n}\nprint(sum(X))",
    ),
    (
        "kind-change",
        "x = 1\nfor (i in 1:3) { if (i > 2) { x = matrix(i, 1, 1) } }\nprint(toString(x))",
    ),
    (
        "kind-change",
        "k = 1\nL = list(1)\nwhile (k < 3) { L = k\n k = k + 1 }",
    ),
    (
        "matrix-type",
        "f = function(matrix[integer] A) return (double s) {\n  s = sum(A)\n  for (i in 1:2) s = s + i\n}\nprint(f(matrix(1, 2, 2)))",
    ),
    (
        "index-out-of-range",
        "A = matrix(0, 3, 3)\nA[4, 1] = 7\nprint(sum(A))",
    ),
    (
        "index-out-of-range",
        "A = matrix(0, 3, 3)\nA[1, 0] = 7\nprint(sum(A))",
    ),
    (
        "index-out-of-range",
        "A = matrix(0, 3, 3)\nprint(sum(A[2:4, ]))",
    ),
    (
        "index-out-of-range",
        "A = matrix(0, 3, 3)\nprint(sum(A[3:2, 1]))",
    ),
    (
        "scalar-required",
        "X = matrix(2, 1, 1)\nfor (i in 1:X) { print(i) }",
    ),
    (
        "scalar-required",
        "X = matrix(2, 1, 1)\nY = rand(rows=X, cols=2)",
    ),
];

/// Compiled, and failing when it runs, whatever the data.
const FAILING: &[(&str, &str)] = &[
    (
        "index-out-of-range",
        "X = matrix(seq(1, 6), 2, 3)\ni = 0\nprint(as.scalar(X[i, 1]))",
    ),
    (
        "shape-mismatch",
        "A = matrix(0, 3, 3)\nA[1:2, 1:2] = 7\nprint(sum(A))",
    ),
    (
        "shape-mismatch",
        "A = matrix(0, 3, 3)\nA[1:2, 1:2] = matrix(1, 1, 1)\nprint(sum(A))",
    ),
    (
        "shape-mismatch",
        "f = function(matrix[double] A, matrix[double] v) return (matrix[double] B) { for (i in 1:2) { B = v * A } }\nprint(sum(f(matrix(1, 4, 3), matrix(1, 1, 3))))",
    ),
    (
        "kind-mismatch",
        "g = function(matrix[double] A) return (matrix[double] B) { for (i in 1:2) { B = A * 2 } }\nprint(sum(g(3)))",
    ),
];

/// Compiled and run.
const RUNNING: &[&str] = &[
    "X = matrix(seq(1, 12), 4, 3)\nprint(sum(X * matrix(\"0.5 1 2\", 1, 3)))",
    "X = matrix(1, 4, 3)\nprint(sum(X / rowSums(X)) + sum(X - colMeans(X)))",
    "X = matrix(1, 4, 3)\ns = as.scalar(X[1, 1])\nprint(sum(s * X) + sum(X * s))",
    "M = matrix(1, 1, 1)\nprint(sum(matrix(2, 3, 3) - M))",
    "print(sum(outer(matrix(1, 3, 1), matrix(1, 1, 2), \"+\")))",
    "x = 100\nif (x < 3) { Y = matrix(1, 1, 3) * matrix(1, 4, 3)\n print(sum(Y)) }",
    "x = as.scalar(rand(rows=1, cols=1))\nif (x > 3) { A = matrix(1, 2, 3) %*% matrix(1, 4, 5)\n print(sum(A)) }",
    "x = as.scalar(rand(rows=1, cols=1))\nA = matrix(0, 3, 3)\nif (x > 3) { A[4, 1] = 1 }\nprint(sum(A))",
    "R = matrix(0, 6, 6)\nparfor (i in 1:3) { R[i, 1] = R[i, 2] + nrow(R) }\nprint(sum(R))",
    "R = matrix(0, 6, 6)\nparfor (i in 1:6) { for (j in 1:6) { R[i, j] = i * j } }\nprint(sum(R))",
    "R = matrix(0, 6, 6)\nparfor (i in 1:6) { R[, i] = matrix(i, 6, 1) }\nprint(sum(R))",
    "s = 5\nparfor (i in 1:3, check=0) { s = i }\nprint(s)",
    "parfor (i in 1:3) { q = i * 2\n print(q) }",
    "S = matrix(0, 2, 2)\nparfor (i in 1:3) { S += matrix(i, 2, 2) }\nprint(sum(S))",
    "inf = 3\nPI = 4\nprint(inf + PI)",
    "f = function(matrix[double] A) return (double r) { r = nrow(A) }\nprint(f(matrix(1, 2, 2)))",
    "f = function(double x) return (boolean r) { r = x > 1 }\nprint(f(2))",
    "f = function(double x) return (integer r) { r = as.integer(x) }\nprint(f(2.5))",
    "f = function(integer n) return (integer r) { r = 0\n for (i in 1:n) { r = r + i } }\nprint(f(3))",
    "f = function(matrix[double] A, double s = 2) return (matrix[double] B) { for (i in 1:2) { B = A * s } }\nprint(sum(f(A=matrix(1, 2, 2))))",
    "f = function(matrix[double] A, double s) return (matrix[double] B) { B = A * s }\nprint(sum(f(matrix(1, 2, 2), 3)))",
    "g = function(matrix[double] A) return (matrix[double] B) { B = A * 2 }\nx = g(3)\nprint(x)",
    "f = function(double x) return (double r) { r = x * 2\n for (i in 1:2) { r = r + i } }\nprint(f(3))",
    "x = 3\nprint(abs(x) + min(x, 4) + round(2.5))",
    "print(as.integer(TRUE) + 1)",
    "x = TRUE\nprint(\"x is \" + x)",
    "X = matrix(1, 2, 2)\nprint(sum(X > 0) + sum(X == 1 & X != 3))",
    "x = 2\nif (x > 1 & TRUE) { print(\"yes\") }",
    "b = TRUE\nprint(b & (1 > 2) | !b)",
    "X = matrix(1, 2, 2)\nx = 1\nif (sum(X) > 1) { x = 2.5 } else { x = \"a\" }\nprint(x)",
    "X = matrix(1, 2, 2)\nX = 7\nprint(X)",
    "if (1 < 2) { z = matrix(1, 1, 1) } else { y = 3 }\nprint(toString(z))",
    "A = matrix(0, 3, 3)\nA[2] = matrix(1, 1, 3)\nA[1:2, 3] = matrix(5, 2, 1)\nA[3, 3] = 2\nprint(sum(A[1:2]))",
    "L = list(1, matrix(1, 2, 2))\nprint(sum(as.matrix(L[2])) + as.scalar(L[1]))",
    "F = as.frame(matrix(1, 2, 2))\nG = cbind(F, F)\nprint(ncol(G) + nrow(F))",
    "x = ifelse(TRUE, 1, 2)\nf = function(integer n) return (integer r) { r = ifelse(n > 1, n, 2) }\nprint(f(x))",
    "for (i in seq(1, 5, 2)) { print(i) }",
    "n = 3.0\nfor (i in 1:n) { print(i) }",
    "f = function(matrix[double] u, matrix[double] v) return (matrix[double] r) { r = u\n if (ncol(v) == ncol(u)) { r = u + v } }\nprint(sum(f(matrix(1, 3, 1), matrix(1, 1, 3))))",
    "x = as.scalar(matrix(2, 1, 1))\nprint(sum(matrix(x, 2, x)) + as.double(x) + as.integer(x))",
];

fn errors(script: &str) -> BTreeSet<(&'static str, String)> {
    let known = check(script);
    let errors = known.diagnostics.iter();
    errors
        .filter(|found| found.severity == Severity::Error)
        .map(|found| (found.code, found.message.clone()))
        .collect()
}

#[test]
fn what_systemds_refuses_is_an_error() {
    for (code, script) in REFUSED.iter().chain(FAILING) {
        let found = errors(script);
        assert!(
            found.iter().any(|(other, _)| other == code),
            "{code} expected, found {found:#?} in\n{script}"
        );
    }
}

#[test]
fn what_systemds_runs_has_no_error() {
    for script in RUNNING {
        let found = errors(script);
        assert!(found.is_empty(), "{found:#?} in\n{script}");
    }
}
