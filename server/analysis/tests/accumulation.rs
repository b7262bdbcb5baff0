//! Where `x += e` adds to what `x` was before its block of statements, as SystemDS 3.4 says: every script was given to it.

mod support;

use sumac_analysis::Severity;
use support::check;

/// Refused before a run.
const REFUSED: &[&str] = &[
    "x = 1\nx += 2\nprint(x)",
    "X = matrix(1, 2, 2)\nprint(sum(X))\nX += X\nprint(sum(X))",
    "f = function(double a) return (double b) { b = 0\n b += a }\nprint(f(2))",
    "s = 0\nfor (i in 1:3) { y = 2\n y += i\n s = s + y }\nprint(s)",
    "X = matrix(1, 2, 2)\nX[1, 1] += 2\nprint(sum(X))",
    "C = matrix(1, 2, 2)\nD = matrix(2, 2, 2)\nif (sum(D) > 3) { print(\"x\") }\nC = D\nC += D\nprint(sum(C))",
    "C = matrix(1, 2, 2)\nD = matrix(2, 2, 2)\nfor (i in 1:3) { C = D\n C += D }\nprint(sum(C))",
    "C = matrix(1, 2, 2)\nD = matrix(2, 2, 2)\nfor (i in 1:3) { C = D\n C[1, 1] = 3\n C[1, 2] += 4 }\nprint(sum(C))",
    "f = function(matrix[double] C, matrix[double] D) return (double s) { C = D\n C += D\n s = sum(C) }\nD = matrix(2, 2, 2)\nprint(f(D, D))",
    "f = function(matrix[double] D) return (matrix[double] R) { R = D * 2 }\nD = matrix(2, 2, 2)\nC = f(D) + 1\nC += D\nprint(sum(C))",
    "C = matrix(1, 2, 2)\nD = C\nif (sum(D) > 3) { print(1) }\nC = D\nassert(sum(D) > 0)\nC += D\nprint(sum(C))",
];

/// What runs.
const RUNNING: &[&str] = &[
    "S = matrix(0, 2, 2)\nparfor (i in 1:3) { S += matrix(i, 2, 2) }\nprint(sum(S))",
    "x = 1\nif (x > 0) { x += 2 }\nfor (i in 1:3) { x += i }\nx += 2\nx += 3\nprint(x)",
    "X = matrix(1, 2, 2)\nfor (i in 1:2) { X = X + 1\n X += 2 }\nprint(sum(X))",
    "f = function(double a) return (double b) { b = a\n for (i in 1:2) { b += 1 } }\nx = f(1)\nx += 2\ny = 1\nz = f(1)\ny += 2\nprint(x + y + z)",
    "f = function(double x) return (double r) { x += 2\n r = x }\nprint(f(1))",
    "C = matrix(1, 2, 2)\nD = matrix(2, 2, 2)\nfor (i in 1:3) { E = C + 1\n C = D\n C += D }\nprint(sum(C))",
    "C = matrix(1, 2, 2)\nD = matrix(2, 2, 2)\nif (sum(D) > 3) { print(\"x\") }\nE = C + D\nC = D\nC += D\nprint(sum(C) + sum(E))",
    "C = matrix(1, 2, 2)\nfor (i in 1:3) { C[1, 1] = 5\n C += 2 }\nprint(sum(C))",
    "f = function(matrix[double] D) return (matrix[double] R) { R = D * 2 }\nD = matrix(2, 2, 2)\nC = f(D)\nC += D\nprint(sum(C))",
    "f = function(matrix[double] D) return (matrix[double] R) { R = D * 2 }\nD = matrix(2, 2, 2)\nC = D\nE = f(D)\nC += E\nprint(sum(C))",
    "f = function(matrix[double] D) return (matrix[double] R) { R = D * 2 }\nD = matrix(2, 2, 2)\nC = D\nC += f(D)\nprint(sum(C))",
    "D = matrix(2, 2, 2)\n[L, C] = eigen(D)\nC += D\nprint(sum(C))",
    "D = matrix(2, 2, 2)\nC = D\nif (sum(D) > 1e9) { stop(\"no\") }\nC += D\nprint(sum(C))",
    "s = \"\"\nfor (i in 1:2) { s += i }\nprint(s)",
];

fn errors(script: &str) -> Vec<&'static str> {
    let known = check(script);
    let errors = known
        .diagnostics
        .iter()
        .filter(|found| found.severity == Severity::Error);
    errors.map(|found| found.code).collect()
}

#[test]
fn what_nothing_in_the_block_reads_before_is_refused() {
    for script in REFUSED {
        assert_eq!(errors(script), ["undefined-name"], "{script}");
    }
}

#[test]
fn what_was_there_before_the_block_is_added_to() {
    for script in RUNNING {
        assert_eq!(errors(script), [""; 0], "{script}");
    }
}
