//! Verdicts of SystemDS 3.4 on small scripts: what it refuses before a run, what fails when it runs, and what runs. Every script
//! was given to it.

mod support;

use std::collections::BTreeSet;

use sumac_analysis::Severity;
use support::check;

/// Refused before a run: the code that we have for it, and the script.
const REFUSED: &[(&str, &str)] = &[
    (
        "scalar-required",
        "A = matrix(\"1 2 3 4\", 2, 2)\nprint(A + 1)",
    ),
    (
        "scalar-required",
        "A = matrix(\"1 2 3 4\", 2, 2)\nprint(-A)",
    ),
    (
        "scalar-required",
        "A = matrix(\"1 2 3 4\", 2, 2)\nR = A %*% A\nprint(1 - R)",
    ),
    (
        "argument-form",
        "X = matrix(seq(1, 6), 2, 3, byrow=FALSE)\nprint(sum(X))",
    ),
    ("argument-form", "print(cdf(target=0.5, dist=\"beta_\"))"),
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
    (
        "kind-mismatch",
        "f = function(matrix[double] X) return (double r) { r = sum(X) }\nprint(f(3))",
    ),
    (
        "kind-mismatch",
        "f = function(matrix[double] X) return (double r) { r = nrow(X) }\nprint(f(3))",
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
    (
        "argument-form",
        "X = matrix(1, 3, 2)\nprint(sum(order(X, 1)))",
    ),
    (
        "argument-form",
        "X = matrix(1, 3, 2)\nprint(sum(order(X, by=1)))",
    ),
    (
        "argument-form",
        "X = matrix(1, 3, 2)\nprint(sum(removeEmpty(X, \"rows\")))",
    ),
    (
        "argument-form",
        "X = matrix(1, 3, 2)\nprint(sum(replace(X, 1, 2)))",
    ),
    (
        "argument-form",
        "X = matrix(1, 3, 2)\nprint(sum(aggregate(X[, 1], X[, 2], \"sum\")))",
    ),
    (
        "argument-form",
        "X = matrix(1, 3, 2)\nprint(contains(X, 1))",
    ),
    (
        "argument-form",
        "X = matrix(1, 3, 3)\nprint(sum(lower.tri(X)))",
    ),
    ("argument-form", "print(sum(rand(2, 3)))"),
    ("argument-form", "print(pnorm(1))"),
    (
        "argument-form",
        "F = as.frame(matrix(1, 2, 2))\n[X, M] = transformencode(F, \"{ids:true}\")",
    ),
    (
        "argument-form",
        "X = matrix(1, 3, 3)\nprint(sum(unique(X, \"r\")))",
    ),
    (
        "argument-form",
        "if (FALSE) { print(sum(order(matrix(1, 2, 2), 1))) }",
    ),
    (
        "argument-form",
        "f = function(matrix[double] x) return (double r) { r = sum(order(x, 1)) }\nprint(1)",
    ),
    ("wrong-arity", "print(sum(matrix(1, rows=2)))"),
    ("wrong-arity", "print(sum(matrix(1, 2)))"),
    ("wrong-arity", "print(sum(matrix(1, cols=2)))"),
    (
        "wrong-arity",
        "X = matrix(1, 3, 2)\nprint(sum(matrix(X, rows=2)))",
    ),
    ("syntax-error", "a = TRUE\nb = FALSE\nprint(a || b)"),
    (
        "syntax-error",
        "a = TRUE\nb = FALSE\nif (a && b) { print(1) }",
    ),
    (
        "syntax-error",
        "X = rand(rows=2, cols=2)\nY = X && X\nprint(sum(Y))",
    ),
    ("syntax-error", "if (FALSE) { print(TRUE || FALSE) }"),
    (
        "scalar-required",
        "X = matrix(1, 1, 1)\nif (X > 0) { print(1) }",
    ),
    (
        "scalar-required",
        "X = rand(rows=2, cols=1)\nif (X[1, 1] > 0) { print(1) }",
    ),
    (
        "scalar-required",
        "X = rand(rows=2, cols=1)\nwhile (X[1, 1] > 5) { print(1) }",
    ),
    (
        "scalar-required",
        "X = rand(rows=2, cols=1)\nif (sum(X) > 100) { if (X > 5) { print(1) } }",
    ),
    (
        "scalar-required",
        "f = function(matrix[double] X) return (double r) { r = 1\n if (X > 2) { r = 2 } }\nprint(f(matrix(1, 1, 1)))",
    ),
    (
        "scalar-required",
        "X = matrix(1, 2, 2)\nif (X[1, 1] > 0 & TRUE) { print(1) }",
    ),
    ("scalar-required", "X = matrix(1, 2, 2)\nprint(X[1, 1] + 1)"),
    ("scalar-required", "x = matrix(1, 2, 2)\nprint(x == 1)"),
    (
        "scalar-required",
        "X = rand(rows=3, cols=2)\nY = X %*% t(X)\nprint(Y + 1)",
    ),
    ("scalar-required", "X = matrix(1, 2, 2)\nprint(max(X, 1))"),
    ("scalar-required", "X = seq(1, 4)\nprint(X * 2)"),
    ("scalar-required", "X = matrix(1, 2, 2)\nassert(X > 1)"),
    (
        "wrong-arity",
        "f = function(matrix[double] X) return (double a, double b) { a = sum(X)\n b = 2 }\nx = f(matrix(1, 2, 2))\nprint(x)",
    ),
    (
        "wrong-arity",
        "f = function(matrix[double] X) return (double a, double b) { a = sum(X)\n b = 2 }\n[x] = f(matrix(1, 2, 2))\nprint(x)",
    ),
    (
        "wrong-arity",
        "f = function(matrix[double] X) return (double a) { a = sum(X) }\nf(matrix(1, 2, 2))",
    ),
    (
        "argument-form",
        "f = function(double x) return (integer a) { a = as.integer(x) }\nX = matrix(1, 2, 2)\nprint(as.scalar(X[f(1), 1]))",
    ),
    (
        "argument-form",
        "f = function(double x) return (integer a) { a = as.integer(x)\n for (i in 1:2) { a = a + 0 } }\nX = matrix(1, 2, 2)\nX[1:f(2), 1] = matrix(3, 2, 1)\nprint(sum(X))",
    ),
    (
        "argument-form",
        "f = function(double x) return (integer a) { a = as.integer(x) }\nfor (i in 1:f(3)) { print(i) }",
    ),
    (
        "argument-form",
        "f = function(double x) return (boolean a) { a = x > 1 }\nwhile (f(0)) { print(1) }",
    ),
    ("kind-mismatch", "b = TRUE\nprint(2 * xor(b, FALSE))"),
    ("kind-mismatch", "b = TRUE\nx = xor(b, FALSE) + 1\nprint(x)"),
    ("shape-mismatch", "print(det(matrix(1, 2, 3)))"),
    ("shape-mismatch", "print(sum(inv(matrix(1, 2, 3))))"),
    ("shape-mismatch", "print(sum(cholesky(matrix(1, 3, 2))))"),
    (
        "shape-mismatch",
        "[a, b] = eigen(matrix(1, 3, 2))\nprint(sum(a))",
    ),
    (
        "shape-mismatch",
        "print(sum(solve(matrix(1, 3, 2), matrix(1, 2, 1))))",
    ),
    (
        "shape-mismatch",
        "f = function(matrix[double] X) return (double r) { r = det(X) }\nprint(f(matrix(1, 2, 3)))",
    ),
    ("shape-mismatch", "n = -1\nprint(sum(rand(rows=n, cols=2)))"),
    ("shape-mismatch", "print(sum(matrix(1, 2, -2)))"),
    (
        "shape-mismatch",
        "print(sum(outer(matrix(1, 3, 2), matrix(1, 1, 2), \"+\")))",
    ),
    (
        "shape-mismatch",
        "print(sum(outer(matrix(1, 3, 1), matrix(1, 3, 1), \"+\")))",
    ),
    (
        "argument-form",
        "print(sum(outer(matrix(1, 3, 1), matrix(1, 1, 2), \"foo\")))",
    ),
    (
        "argument-form",
        "print(sum(outer(matrix(1, 3, 1), matrix(1, 1, 2), \"&\")))",
    ),
    (
        "argument-form",
        "X = matrix(1, 3, 2)\nprint(sum(removeEmpty(target=X, margin=\"foo\")))",
    ),
    (
        "argument-form",
        "X = matrix(1, 3, 2)\nprint(sum(aggregate(target=X[, 1], groups=X[, 2], fn=\"foo\")))",
    ),
    (
        "shape-mismatch",
        "print(sum(table(matrix(1, 3, 1), matrix(1, 4, 1))))",
    ),
    ("shape-mismatch", "print(quantile(matrix(1, 3, 2), 0.5))"),
    (
        "shape-mismatch",
        "print(cov(matrix(1, 3, 1), matrix(1, 4, 1)))",
    ),
    ("kind-mismatch", "for (i in matrix(1, 3, 1)) { print(i) }"),
    ("kind-mismatch", "if (\"TRUE\") { print(1) }"),
    ("kind-mismatch", "s = \"TRUE\"\nif (s) { print(1) }"),
    ("argument-form", "print(sum(seq(1, 5, -1)))"),
    ("argument-form", "n = 5\ns = -1\nprint(sum(seq(1, n, s)))"),
    ("argument-form", "if (FALSE) { print(sum(seq(5, 1, 1))) }"),
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
    "A = matrix(\"1 2 3 4\", 2, 2)\nprint(-A[1,1] + 1)",
    "A = matrix(\"1 2 3 4\", 2, 2)\nprint(-A + 1)",
    "B = rand(rows=2, cols=2)\nprint(-B)\nprint(B + 1)",
    "C = matrix(3, rows=2, cols=2)\nprint(C * 2)",
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
    "X = matrix(1, 3, 3)\nprint(countDistinct(X) + sum(unique(X)) + sum(order(target=X)))",
    "X = matrix(1, 3, 2)\nprint(toString(X, rows=3))\nprint(sum(rand()) + sum(matrix(1, rows=0, cols=2)))",
    "if (1) { print(1) }\nif (\"a\" == \"a\") { print(1) }",
    "X = rand(rows=2, cols=2)\nif (sum(X) > 1000) { print(det(matrix(1, 2, 3))) }",
    "X = matrix(1, 3, 2)\nif (sum(X) > 100) { print(sum(removeEmpty(target=X, margin=\"foo\"))) }",
    "X = matrix(1, 2, 2)\nprint(X)\nprint(t(X))\nprint(X[1, ])\nprint(X[1, 1])\nprint(-X)\nprint(X * 2)",
    "X = rand(rows=3, cols=2)\nY = X %*% t(X)\nprint(Y * 1)\nprint(X + X)\nprint(toString(X + 1))",
    "X = matrix(1, 2, 2)\nif (FALSE) { print(X == 1)\n if (X > 1) { print(2) } }",
    "f = function(matrix[double] X) return (double a, double b) { a = sum(X)\n b = 2\n for (i in 1:2) { a = a + i } }\nx = f(matrix(1, 2, 2))\n[y] = f(matrix(1, 2, 2))\nf(matrix(1, 2, 2))\nprint(x + y)",
    "f = function(matrix[double] X) { print(sum(X)) }\nf(matrix(1, 2, 2))",
    "f = function(double x) return (boolean a) { a = x > 1\n for (i in 1:2) { a = a } }\nif (f(3)) { print(1) }",
    "X = matrix(3, 3, 3)\nprint(sum(X[as.integer(sum(matrix(1, 1, 1))), ]))",
    "X = matrix(1, 2, 2)\nprint(sum(2 * xor(X, FALSE)))\nprint(xor(TRUE, FALSE))",
    "print(sum(outer(matrix(1, 3, 1), matrix(1, 1, 2), \"%%\") + outer(matrix(1, 3, 1), matrix(1, 1, 2), \"xor\")))",
    "print(sum(table(matrix(1, 3, 1), 1)) + sum(table(matrix(1, 3, 1), matrix(1, 3, 1), 2, 2)))",
    "for (i in seq(1, 5, -1)) { print(i) }\nfor (i in 5:1) { print(i) }\nprint(sum(seq(5, 1)))",
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
