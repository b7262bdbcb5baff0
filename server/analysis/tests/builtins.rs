//! What calls of builtins give, and which calls are wrong.
mod support;
use expect_test::{Expect, expect};
use support::{check, diagnostics, variables};

#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
#[track_caller]
fn gives(text: &str, expected: Expect) {
    expected.assert_eq(&variables(text, &check(text)));
}

#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
#[track_caller]
fn told(text: &str, expected: Expect) {
    expected.assert_eq(&diagnostics(text, &check(text)));
}

#[test]
fn a_regression_has_a_coefficient_for_each_feature_and_for_its_intercept() {
    gives(
        "X = rand(rows=100, cols=7)\ny = rand(rows=100)\nA = lm(X=X, y=y)\nB = lm(X=X, y=y, icpt=1)\nC = lm(X=X, y=y, icpt=as.integer($i))\nh = lmPredict(X=X, B=A)\nw = l2svm(X=X, Y=y, intercept=TRUE)\n",
        expect![[r#"
            1 X: matrix 100 x 7 (propagated)
            2 y: matrix 100 x 1 (propagated)
            3 A: matrix 7 x 1 (propagated)
            4 B: matrix 8 x 1 (propagated)
            5 C: matrix ? x 1 (unknown)
            6 h: matrix 100 x 1 (propagated)
            7 w: matrix 8 x 1 (propagated)
        "#]],
    );
}

#[test]
fn results_of_scripts_have_sizes() {
    gives(
        "X = rand(rows=100, cols=7)\n[P, C, m, s] = pca(X=X, K=3)\n[P2, C2, m2, s2] = pca(X=X, K=9, center=FALSE, onlyComponents=TRUE)\n[S, c, f] = scale(X)\n[centres, groups] = kmeans(X=X, k=4)\nD = dist(X)\nO = toOneHot(X=groups, numClasses=4)\nonly = scale(X)\n",
        expect![[r#"
            1 X: matrix 100 x 7 (propagated)
            2 P: matrix 100 x 3 (propagated)
            2 C: matrix 7 x 3 (propagated)
            2 m: matrix 1 x 7 (propagated)
            2 s: matrix 1 x 7 (propagated)
            3 P2: matrix 0 x 0 (propagated)
            3 C2: matrix 7 x 7 (propagated)
            3 m2: matrix 0 x 0 (propagated)
            3 s2: matrix 1 x 7 (propagated)
            4 S: matrix 100 x 7 (propagated)
            4 c: matrix 1 x 7 (propagated)
            4 f: matrix 1 x 7 (propagated)
            5 centres: matrix 4 x 7 (propagated)
            5 groups: matrix 100 x 1 (propagated)
            6 D: matrix 100 x 100 (propagated)
            7 O: matrix 100 x 4 (propagated)
            8 only: matrix 100 x 7 (propagated)
        "#]],
    );
}

#[test]
fn factors_have_the_sizes_of_their_matrix() {
    gives(
        "X = rand(rows=9, cols=5)\nQ = t(X) %*% X\n[e, v] = eigen(Q)\n[P, L, U] = lu(Q)\n[H, R] = qr(X)\n[a, b, c] = svd(X)\nd = det(Q)\ni = inv(Q)\ns = solve(Q, matrix(1, 5, 1))\n",
        expect![[r#"
            1 X: matrix 9 x 5 (propagated)
            2 Q: matrix 5 x 5 (propagated)
            3 e: matrix 5 x 1 (propagated)
            3 v: matrix 5 x 5 (propagated)
            4 P: matrix 5 x 5 (propagated)
            4 L: matrix 5 x 5 (propagated)
            4 U: matrix 5 x 5 (propagated)
            5 H: matrix 9 x ? (unknown)
            5 R: matrix ? x 5 (unknown)
            6 a: matrix 9 x 5 (propagated)
            6 b: matrix 5 x 5 (propagated)
            6 c: matrix 5 x 5 (propagated)
            7 d: double (propagated)
            8 i: matrix 5 x 5 (propagated)
            9 s: matrix 5 x 1 (propagated)
        "#]],
    );
}

#[test]
fn sizes_that_the_data_decide_are_unknown() {
    gives(
        "X = rand(rows=9, cols=5)\nE = removeEmpty(target=X, margin=\"rows\")\nu = unique(X)\nt1 = table(X[,1], X[,2])\nt2 = table(X[,1], X[,2], 3, 4)\nt3 = table(X[,1], X[,2], 1, 3, 4)\no = order(target=X, by=2)\ni = order(target=X, by=2, index.return=TRUE)\na = aggregate(target=X, groups=X[,1], fn=\"sum\", ngroups=3)\nn = countDistinct(X)\nr = countDistinct(X, dir=\"r\")\n",
        expect![[r#"
            1 X: matrix 9 x 5 (propagated)
            2 E: matrix ? x 5 (unknown)
            3 u: matrix ? x 1 (unknown)
            4 t1: matrix ? x ? (unknown)
            5 t2: matrix 3 x 4 (propagated)
            6 t3: matrix 3 x 4 (propagated)
            7 o: matrix 9 x 5 (propagated)
            8 i: matrix 9 x 1 (propagated)
            9 a: matrix 3 x 5 (propagated)
            10 n: int (propagated)
            11 r: matrix 9 x 1 (propagated)
        "#]],
    );
}

#[test]
fn results_have_kinds() {
    gives(
        "X = rand(rows=9, cols=5)\nF = as.frame(X)\n[E, M] = transformencode(target=F, spec=\"{}\")\nT = transformapply(target=F, meta=M, spec=\"{}\")\nq = quantile(X[,1], 0.5)\nQ = quantile(X[,1], X[1:3,1])\nz = is.na(X)\no = outer(X[,1], t(X[,2]), \"*\")\ntext = toString(X)\nl = list(X, F)\n",
        expect![[r#"
            1 X: matrix 9 x 5 (propagated)
            2 F: frame 9 x 5 (propagated)
            3 E: matrix ? x ? (unknown)
            3 M: frame ? x ? (unknown)
            4 T: matrix 9 x ? (unknown)
            5 q: double (propagated)
            6 Q: matrix 3 x 1 (propagated)
            7 z: matrix 9 x 5 (propagated)
            8 o: matrix 9 x 9 (propagated)
            9 text: string (propagated)
            10 l: list ? x ? (unknown)
        "#]],
    );
}

#[test]
fn numbers_and_names_of_arguments_are_checked() {
    told(
        "X = rand(rows=9, cols=5)\na = lm(X=X)\nb = lm(X, X, 1, 1, 1, 1, TRUE, 2)\nc = lm(X=X, y=X, intercept=1)\nd = removeEmpty(target=X)\ne = order(target=X, decrease=TRUE)\nf = sum(X, X)\ng = kmens(X)\n[h] = eigen(X)\ni = eigen(X)\n[j, k] = sum(X)\nprint(sum(a) + sum(b) + sum(c) + sum(d) + sum(e) + f + g + sum(h) + sum(i) + j + k)\n",
        expect![[r#"
            a = lm(X=X)
                ^^^^^^^ Error wrong-arity: `lm` takes (X, y, icpt, reg, tol, maxi, verbose), found no value for `y`
            b = lm(X, X, 1, 1, 1, 1, TRUE, 2)
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Error wrong-arity: `lm` takes 2 to 7 arguments, found 8
            c = lm(X=X, y=X, intercept=1)
                             ^^^^^^^^^ Error unknown-parameter: `lm` has no parameter `intercept`; it has `X`, `y`, `icpt`, `reg`, `tol`, `maxi`, `verbose`
            d = removeEmpty(target=X)
                ^^^^^^^^^^^^^^^^^^^^^ Error wrong-arity: `removeEmpty` takes (target, margin, select, empty.return), found no value for `margin`
            e = order(target=X, decrease=TRUE)
                                ^^^^^^^^ Error unknown-parameter: `order` has no parameter `decrease`; it has `target`, `by`, `decreasing`, `index.return`
            f = sum(X, X)
                ^^^^^^^^^ Error wrong-arity: `sum` takes 1 argument, found 2
            g = kmens(X)
                ^^^^^ Error unknown-function: neither the script nor SystemDS has a function `kmens`; did you mean `kmeans`?
            [h] = eigen(X)
                  ^^^^^^^^ Error shape-mismatch: `eigen` takes a square matrix, and this is a matrix (9 x 5); pick as many rows as columns
                  ^^^^^^^^ Error wrong-arity: `eigen` gives 2 results, found 1 name for them; write `[values, vectors] = eigen(…)`
            i = eigen(X)
                ^^^^^^^^ Error shape-mismatch: `eigen` takes a square matrix, and this is a matrix (9 x 5); pick as many rows as columns
                ^^^^^^^^ Error wrong-arity: `eigen` gives 2 results, found 1 name for them; write `[values, vectors] = eigen(…)`
            [j, k] = sum(X)
                     ^^^^^^ Error wrong-arity: `sum` gives 1 result, found 2 names for them
        "#]],
    );
}

#[test]
fn calls_that_systemds_takes_are_fine() {
    told(
        "X = rand(rows=9, cols=5)\nB = kmeans(X)\n[C, Y] = kmeans(X=X, k=3)\n[C] = kmeans(X=X)\n[P, Q] = pca(X=X)\nm = mean(X, X)\n[o, c] = lstm(X, X, X, X, X, TRUE)\ny = max_pool(X, stride=[1,1], padding=[0,0], input_shape=[9,1,5,1], pool_size=[1,1])\nl = list(a=X, b=2)\nR = readMM(\"R\")\ns = sample(10, 3, TRUE, 7)\nprint(sum(B) + sum(C) + sum(Y) + sum(P) + sum(Q) + m + sum(o) + sum(c) + sum(y) + length(l) + sum(R) + sum(s))\n",
        expect![""],
    );
}
