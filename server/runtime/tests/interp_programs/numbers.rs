//! Numbers where definitions differ: zeros, NaN, infinities, nothing, and operators that SystemDS has of their own.

use std::path::Path;

use super::{check_in, fails_with, run_with};

#[track_caller]
fn check(text: &str, expected: &str) {
    check_in(Path::new("."), text, expected);
}

/// Both numbers of each line are equal; all of it is whole numbers, so that nothing is rounded.
#[track_caller]
fn check_pairs(text: &str) {
    let (printed, result) = run_with(Path::new("."), None, text);
    result.unwrap_or_else(|error| panic!("{error}"));
    assert!(!printed.is_empty());
    for line in printed.lines() {
        let (a, b) = line.split_once(' ').expect("two numbers");
        assert_eq!(a, b, "{printed}");
    }
}

#[test]
fn both_factors_of_a_product_may_be_transposed() {
    check_pairs(
        "X = (matrix(seq(1, 100000), rows=1000, cols=100) %% 7) - 3
         r = t(seq(1, 1000)) %% 5
         g = t(X) %*% t(r)
         print(sum(g) + \" \" + sum(r %*% X))
         W = (matrix(seq(1, 90000), rows=300, cols=300) %% 11) - 5
         Q = (matrix(seq(1, 3000), rows=300, cols=10) %% 5) - 2
         print(sum(t(Q) %*% t(W)) + \" \" + sum(W %*% Q))
         u = t(seq(1, 300)) %% 3
         s = as.scalar(u %*% (t(W) %*% t(u)))
         print(s + \" \" + as.scalar(u %*% t(u %*% W)))
         q = as.scalar(u %*% W %*% (t(W) %*% t(u)))
         print(q + \" \" + sum((u %*% W)^2))
         p = u
         for (i in 1:2) { p = t(t(W) %*% t(p)) }
         print(sum(p) + \" \" + sum(u %*% W %*% W))
         x = t(u)
         P = W * (W > 4)
         R = t(P * x) %*% t(t(x) %*% (P == 0))
         print(sum(R) + \" \" + sum((t(x) %*% (P == 0)) %*% (P * x)))
         R = P %*% (t(P) %*% t(t(x) %*% P))
         print(sum(R) + \" \" + sum(((t(x) %*% P) %*% P) %*% t(P)))",
    );
}

#[test]
fn a_row_is_looked_for_among_rows() {
    check(
        "X = matrix(\"1 2 3 4 5 6\", 3, 2)
         print(contains(target=X, pattern=matrix(\"4 5\", 1, 2)))
         print(contains(target=X, pattern=matrix(\"3 4\", 1, 2)))
         print(contains(target=X, pattern=4))",
        "FALSE\nTRUE\nTRUE",
    );
    let column = "X = matrix(1, 3, 2)\nprint(contains(target=X, pattern=matrix(1, 3, 1)))";
    let (_, result) = run_with(Path::new("."), None, column);
    assert!(
        result
            .unwrap_err()
            .message
            .contains("a cell for each column")
    );
}

#[test]
fn aggregates_of_nothing_are_those_of_systemds() {
    check(
        "Z = matrix(0, 3, 0)
         E = matrix(0, 0, 2)
         print(var(Z) + \" \" + sd(Z) + \" \" + mean(Z) + \" \" + min(Z) + \" \" + sum(Z) + \" \" + prod(Z))
         print(sum(rowMeans(Z)) + \" \" + sum(rowMaxs(Z)) + \" \" + sum(rowMins(Z)) + \" \" + sum(rowVars(Z)))
         print(sum(rowProds(Z)) + \" \" + sum(rowIndexMax(Z)) + \" \" + sum(rowSums(Z)))
         print(sum(colMeans(E)) + \" \" + sum(colMaxs(E)) + \" \" + sum(colMins(E)) + \" \" + sum(colProds(E)))",
        "NaN NaN NaN Infinity 0.0 1.0\n0.0 0.0 0.0 0.0\n0.0 0.0 0.0\n0.0 0.0 0.0 0.0",
    );
}

#[test]
fn matrices_show_infinities_by_their_names_and_zeros_without_a_sign() {
    check(
        "print(toString(matrix(\"1 -1\", 1, 2) / 0))
         print(toString(matrix(\"0 1\", 1, 2) * -1))
         print(toString(aggregate(target=matrix(\"1 2 3\", 3, 1), groups=matrix(\"1 3 3\", 3, 1), fn=\"count\")))",
        "Infinity -Infinity\n\n0.000 -1.000\n\n1.000\n0.000\n2.000",
    );
}

#[test]
fn a_variance_with_an_infinity_does_not_depend_on_where_it_stands() {
    check(
        "I = 1 / 0
         A = matrix(\"1 2 3 4 5 6\", 3, 2)
         for (i in 1:3) { B = A
           B[i, 1] = I
           print(var(B) + \" \" + sd(B)) }
         S = matrix(0, 20, 20)
         S[2, 3] = I
         S[3, 3] = 2
         print(var(S) + \" \" + max(colVars(S)) + \" \" + var(t(S)))
         N = A
         N[2, 1] = 0 / 0
         print(var(N))",
        "Infinity Infinity\nInfinity Infinity\nInfinity Infinity\nInfinity Infinity Infinity\nNaN",
    );
}

#[test]
fn an_opposite_comparison_and_the_logarithms_of_what_is_not_zero_are_operators_of_their_own() {
    for first in ["", "one = 1\n"] {
        check(
            &format!(
                "{first}X = matrix(\"1 NaN 2\", 3, 1)
                 print(sum((X < 1) == 0) + \" \" + sum((X >= 1) == 0) + \" \" + sum((1 < X) == 0))
                 print(sum(!(X < 1)) + \" \" + sum(0 == (X < 1)))
                 A = (X < 1) == 0
                 B = A + 1
                 print(sum(A) + \" \" + sum(B))
                 L = matrix(\"0 2 0 8 1 0\", 3, 2)
                 M = (L != 0) * log(L)
                 N = M * 2
                 print(sum((L != 0) * log(L, 2)) + \" \" + (sum(N) == 2 * sum(M)))
                 print(sum((L > 0) * log(L)))"
            ),
            "2.0 0.0 1.0\n2.0 3.0\n2.0 5.0\n4.0 TRUE\nNaN",
        );
    }
}

#[test]
fn scalar_operators_give_what_systemds_gives() {
    check(
        "for (i in 1:1) {
           a = 5 * i
           z = i - i
           b = -7 * i
           c = 2 * i
           print((b %/% c) + \" \" + (b %% c) + \" \" + (a %% z) + \" \" + min(a, c) + \" \" + max(a, 2.5))
           print(((b + 0.0) %/% c) + \" \" + ((i + 0.0) %/% -3) + \" \" + (1.0 %/% 1e-300) + \" \" + (a %/% 0.0))
           print(round(-2.5 * i) + \" \" + (a ^ c) + \" \" + (z ^ z) + \" \" + -a)
           n = 0.0 / z
           print((i ^ n) + \" \" + (n ^ z) + \" \" + min(n, i) + \" \" + max(i, n) + \" \" + round(n) + \" \" + sign(n))
           print((a %% n) + \" \" + (a %% 0.0) + \" \" + (n == n))
         }",
        "-3 -1 0 2 5.0\n-3.0 0.0 9.223372036854776E18 Infinity\n-2.0 25.0 1.0 -5\n\
         NaN 1.0 NaN NaN 0.0 NaN\nNaN NaN FALSE",
    );
}

/// One over a zero with a sign is an infinity with that sign.
#[test]
fn a_whole_quotient_is_never_a_zero_with_a_sign() {
    check(
        "z = 0 / -1.0
         a = -0.5
         print((1 / (a %/% 2)) + \" \" + (1 / (z %/% 3)) + \" \" + (1 / (0.5 %/% -2)))
         X = matrix(\"-0.5 0.5 -1 0\", rows=2, cols=2)
         print(min(1 / (X %/% 2)) + \" \" + min(1 / (X %/% -2)) + \" \" + min(1 / (-0.25 %/% (X + 9))))
         S = matrix(0, 30, 30)
         S[2, 3] = -0.5
         print(min(1 / (S %/% 2)) + \" \" + max(1 / (S %/% -7)))",
        "Infinity Infinity Infinity\nInfinity Infinity Infinity\nInfinity Infinity",
    );
}

#[test]
fn integers_are_exact_or_an_error() {
    check(
        "z = as.integer(as.scalar(matrix(\"0\", 1, 1)))
         print((z %/% z) + \" \" + (-3 %/% z) + \" \" + (-3 %% z))
         x = 9007199254740993 + z
         y = 9007199254740992
         print((x == y) + \" \" + (x != y) + \" \" + (x > y) + \" \" + (x <= y) + \" \" + (x == 9007199254740992.0))
         print(9223372036854775806 + z + 1)
         print(as.double(9223372036854775807 + z) + 1)",
        "0 -9223372036854775808 0\nFALSE TRUE TRUE FALSE TRUE\n9223372036854775807\n9.223372036854776E18",
    );
    for (text, part) in [
        (
            "x = 9223372036854775807\ny = 2\nprint(x * y)",
            "9223372036854775807 * 2",
        ),
        ("x = 9223372036854775807\nx += 1", "as.double"),
        (
            "x = -9223372036854775807\nprint(x - 2)",
            "-9223372036854775807 - 2",
        ),
        (
            "f = 1\nfor (i in 1:30) { f = f * i }\nprint(f)",
            "2432902008176640000 * 21",
        ),
        ("z = 0\nif (z == 0) { x = 3 %/% z }", "3 %/% 0"),
    ] {
        fails_with(text, part);
    }
}

#[test]
fn truth_of_doubles_is_a_double() {
    check(
        "a = as.scalar(matrix(\"3\", 1, 1))
         b = as.scalar(matrix(\"0\", 1, 1))
         x = a | b
         print(x + \" \" + (a & b) + \" \" + (!a) + \" \" + (!b) + \" \" + (a & TRUE) + \" \" + xor(a, b))
         t = a > 1
         print((t | b) + \" \" + (t | (b > 2)) + \" \" + (!t) + \" \" + xor(t, TRUE) + \" \" + (x == TRUE))
         print(ifelse(x, 1, 2) + \" \" + as.logical(x))
         n = NaN
         print((!n) + \" \" + (n | FALSE))
         while (!x) { stop(\"never\") }",
        "1.0 0.0 0.0 1.0 1.0 1.0\n1.0 TRUE FALSE FALSE TRUE\n1 TRUE\n0.0 1.0",
    );
}

#[test]
fn a_product_with_a_zero_is_zero_in_every_format() {
    check(
        "X = matrix(\"-1 0 NaN 2 3 -1\", 3, 2)
         print(prod(X) + \" \" + prod(X * -1) + \" \" + prod(X[1:2, 2]))
         R = rowProds(X)
         C = colProds(X)
         print(as.scalar(R[1,1]) + \" \" + as.scalar(R[2,1]) + \" \" + as.scalar(C[1,2]))
         S = matrix(0, 9, 9)
         S[1,1] = NaN
         S[1,2] = -1
         print(prod(S) + \" \" + sum(rowProds(S)) + \" \" + sum(colProds(S)))
         Z = matrix(-2, 40, 1)
         Z[7,1] = 0
         print(prod(Z) + \" \" + prod(compress(Z)))",
        "0.0 0.0 0.0\n0.0 NaN 0.0\n0.0 0.0 0.0\n0.0 0.0",
    );
}

#[test]
fn a_singular_matrix_has_the_determinant_zero() {
    for cells in ["0 1 0 2", "0 0 1 2", "1 2 2 4", "-1 2 2 -4", "0 0 0 0"] {
        check(&format!("print(det(matrix(\"{cells}\", 2, 2)))"), "0.0");
    }
    check(
        "print(det(matrix(0, 4, 4)))
         print(det(matrix(\"-1 2 0 1 -2 0 3 4 5\", 3, 3)))
         print(det(matrix(\"0 1 1 0\", 2, 2)))",
        "0.0\n0.0\n-1.0",
    );
}

#[test]
fn a_group_without_members_gives_zero() {
    for (function, expected) in [
        ("sum", "3.000\n0.000\n3.000"),
        ("mean", "1.500\n0.000\n3.000"),
        ("count", "2.000\n0.000\n1.000"),
        ("min", "1.000\n0.000\n3.000"),
        ("max", "2.000\n0.000\n3.000"),
        ("variance", "0.500\n0.000\n0.000"),
    ] {
        check(
            &format!(
                "V = matrix(\"1 2 3\", 3, 1)
                 G = matrix(\"1 1 3\", 3, 1)
                 print(toString(aggregate(target=V, groups=G, fn=\"{function}\")))"
            ),
            &format!("{expected}\n"),
        );
    }
}

#[test]
fn clusters_are_those_of_systemds_for_the_same_seed() {
    check(
        "X = ((matrix(seq(1, 960), rows=120, cols=8) * 7919) %% 101) / 10 + matrix(seq(1, 960), rows=120, cols=8)^1.5 / 1e6
         [C, Y] = kmeans(X=X, k=4, runs=1, max_iter=20, seed=42)
         print(sum(Y))
         print(toString(C))",
        "291.0
2.707 6.807 2.125 4.907 9.007 3.007 7.107 1.107
5.517 3.815 7.915 1.915 6.015 5.173 4.115 8.215
4.724 8.824 2.824 6.924 0.924 5.024 7.958 3.124
6.809 0.809 4.909 9.009 3.009 7.109 1.109 5.209",
    );
}
