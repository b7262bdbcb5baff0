//! Kinds, shapes and sparsity through scripts.
mod support;
use expect_test::{Expect, expect};
use support::{check, disk, variables, with};

#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
fn sizes(text: &str, expected: Expect) {
    expected.assert_eq(&variables(text, &check(text)));
}

#[test]
fn facts_come_before_arguments_and_propagate() {
    sizes(
        "#@ X: 100000 x 50000, sparsity 0.0001\n#@ U: 100000 x r\n#@ r = 10\nX = read($X)\nU = read($U)\nV = rand(rows=ncol(X), cols=ncol(U))\nP = U %*% t(V)\nloss = sum((X - P)^2)\nn = nrow(P) * 2\n",
        expect![[r#"
            4 X: matrix 100000 x 50000, sparsity 0.0001 (#@ line 1)
            5 U: matrix 100000 x 10 (#@ line 2)
            6 V: matrix 50000 x 10 (propagated)
            7 P: matrix 100000 x 50000 (propagated)
            8 loss: double (propagated)
            9 n: int = Number(200000.0) (propagated)
        "#]],
    );
}

#[test]
fn a_size_by_name_stays_a_name() {
    sizes(
        "#@ W: n x 20\nW = read($W)\nZ = matrix(0, rows=nrow(W), cols=1)\nY = read($Y)\nQ = matrix(1, rows=nrow(Y), cols=ncol(Y) + 1)\nC = cbind(W, Z)\nS = seq(1, nrow(W))\n",
        expect![[r#"
            2 W: matrix n x 20 (#@ line 1)
            3 Z: matrix n x 1, sparsity 0 (propagated)
            4 Y: matrix ? x ? (unknown)
            5 Q: matrix nrow(Y) x ncol(Y) + 1 (propagated)
            6 C: matrix n x 21, sparsity 0.9523809523809523 (propagated)
            7 S: matrix n x 1 (propagated)
        "#]],
    );
}

#[test]
fn branches_keep_what_agrees() {
    sizes(
        "a = 1\nif ($p > 0) {\n  A = matrix(0, rows=3, cols=4)\n  B = matrix(0, rows=3, cols=4)\n} else {\n  A = matrix(1, rows=3, cols=4)\n  B = matrix(1, rows=5, cols=4)\n  a = 2\n}\nC = A + 0\nD = B\ne = a\n",
        expect![[r#"
            1 a: int = Number(1.0) (propagated)
            3 A: matrix 3 x 4, sparsity 0 (propagated)
            4 B: matrix 3 x 4, sparsity 0 (propagated)
            6 A: matrix 3 x 4 (propagated)
            7 B: matrix 5 x 4 (propagated)
            8 a: int = Number(2.0) (propagated)
            10 C: matrix 3 x 4 (propagated)
            11 D: matrix ? x 4 (unknown)
            12 e: int (propagated)
        "#]],
    );
}

#[test]
fn a_loop_forgets_what_changes_in_it() {
    sizes(
        "n = 10\nA = matrix(0, rows=n, cols=2)\nG = A\nfor (i in 1:n) {\n  A = A + i\n  G = cbind(G, A)\n  k = i * 2\n}\nH = G\nB = A\nm = n\n",
        expect![[r#"
            1 n: int = Number(10.0) (propagated)
            2 A: matrix 10 x 2, sparsity 0 (propagated)
            3 G: matrix 10 x 2, sparsity 0 (propagated)
            5 A: matrix 10 x 2 (propagated)
            6 G: matrix 10 x ? (unknown)
            7 k: int (propagated)
            9 H: matrix 10 x ? (unknown)
            10 B: matrix 10 x 2 (propagated)
            11 m: int = Number(10.0) (propagated)
        "#]],
    );
}

#[test]
fn a_function_is_analysed_for_each_signature() {
    sizes(
        "f = function(Matrix[Double] X, Integer k = 2) return (Matrix[Double] Y, Double s) {\n  Y = matrix(0, rows=nrow(X), cols=k)\n  s = sum(X)\n}\nA = rand(rows=3, cols=4)\nB = rand(rows=5, cols=4)\n[P, p] = f(A)\n[Q, q] = f(B, k=7)\nU = read($U)\n[R, r] = f(U)\n",
        expect![[r#"
            2 Y: matrix nrow(X) x ?, sparsity 0 (unknown)
            3 s: double (propagated)
            5 A: matrix 3 x 4 (propagated)
            6 B: matrix 5 x 4 (propagated)
            7 P: matrix 3 x 2, sparsity 0 (propagated)
            7 p: double (propagated)
            8 Q: matrix 5 x 7, sparsity 0 (propagated)
            8 q: double (propagated)
            9 U: matrix ? x ? (unknown)
            10 R: matrix nrow(U) x 2, sparsity 0 (propagated)
            10 r: double (propagated)
        "#]],
    );
}

#[test]
fn recursion_ends() {
    sizes(
        "f = function(Double n) return (Double r) {\n  if (n > 0) { r = f(n - 1) } else { r = 0 }\n}\nx = f(10)\nprint(x)\n",
        expect![[r#"
            2 r: double (propagated)
            2 r: int = Number(0.0) (propagated)
            4 x: double (propagated)
        "#]],
    );
}

#[test]
fn arguments_fold_into_sizes() {
    let text = "k = ifdef($rank, 5)\nm = $rows\nW = rand(rows=m, cols=k)\nZ = read($file)\n";
    let (mut options, files) = disk(&[
        ("A.csv", b""),
        (
            "A.csv.mtd",
            br#"{"rows": 7, "cols": 8, "nnz": 14, "format": "csv"}"#,
        ),
    ]);
    options.args = [
        ("rows".to_owned(), "30".to_owned()),
        ("file".to_owned(), "A.csv".to_owned()),
    ]
    .into();
    expect![[r#"
        1 k: scalar = Number(5.0) (propagated)
        2 m: scalar = Number(30.0) (propagated)
        3 W: matrix 30 x 5 (propagated)
        4 Z: matrix 7 x 8, sparsity 0.25 (read: A.csv.mtd)
    "#]]
    .assert_eq(&variables(text, &with(text, &options, &files)));
}

#[test]
fn metadata_gives_sizes() {
    let text = "A = read(\"A.mtx\")\nB = read(\"B\")\nC = read(\"C.csv\", rows=10, cols=3, format=\"csv\")\nF = read(\"F\")\ns = read(\"s\")\n";
    let (options, files) = disk(&[
        (
            "A.mtx",
            b"%%MatrixMarket matrix coordinate real general\n% by hand\n4 5 2\n1 1 3\n2 2 9\n",
        ),
        ("B", b"1 1 1"),
        ("B.mtd", br#"{"data_type": "matrix", "rows": 6, "cols": 7}"#),
        ("C.csv", b"1,2,3\n"),
        ("F", b""),
        ("F.mtd", br#"{"data_type": "frame", "rows": 6, "cols": 2}"#),
        ("s", b"3"),
        ("s.mtd", br#"{"data_type": "scalar", "value_type": "int"}"#),
    ]);
    expect![[r#"
        1 A: matrix 4 x 5, sparsity 0.1 (read: A.mtx)
        2 B: matrix 6 x 7 (read: B.mtd)
        3 C: matrix 10 x 3 (read arguments)
        4 F: frame 6 x 2 (read: F.mtd)
        5 s: int (propagated)
    "#]]
    .assert_eq(&variables(text, &with(text, &options, &files)));
}

#[test]
fn a_default_may_read_the_other_parameters() {
    sizes(
        "f = function(Matrix[Double] X, Integer k = ncol(X)) return (Matrix[Double] Y) {\n  Y = matrix(0, rows=k, cols=2)\n}\nA = rand(rows=4, cols=3)\nB = f(A)\nC = f(A, 7)\n",
        expect![[r#"
            2 Y: matrix ? x 2, sparsity 0 (unknown)
            4 A: matrix 4 x 3 (propagated)
            5 B: matrix 3 x 2, sparsity 0 (propagated)
            6 C: matrix 7 x 2, sparsity 0 (propagated)
        "#]],
    );
}

#[test]
fn a_condition_that_is_assumed_leaves_both_branches_possible() {
    sizes(
        "X = rand(rows=4, cols=3)\nicpt = ifdef($icpt, 0)\nif (icpt == 1) {\n  X = cbind(X, matrix(1, rows=4, cols=1))\n}\nY = X\nif (ncol(X) == 3) { Z = X[1, ] } else { Z = X }\nW = Z\n",
        expect![[r#"
            1 X: matrix 4 x 3 (propagated)
            2 icpt: scalar = Number(0.0) (propagated)
            4 X: matrix 4 x 4 (propagated)
            6 Y: matrix 4 x 3 (propagated)
            7 Z: matrix 1 x 3 (propagated)
            7 Z: matrix 4 x 3 (propagated)
            8 W: matrix ? x 3 (unknown)
        "#]],
    );
}

#[test]
fn sizes_by_name_are_added_up() {
    sizes(
        "X = read($X)\nn = nrow(X)\nA = cbind(X, matrix(1, n, 1))\nB = X[2:n, ]\nC = rbind(B, B)\nD = matrix(0, n - 1, ncol(A) * 2)\nE = B + D[, 1]\nF = seq(2, n)\nG = A[, 1:(ncol(A) - 1)]\n",
        expect![[r#"
            1 X: matrix ? x ? (unknown)
            2 n: int (propagated)
            3 A: matrix nrow(X) x ncol(X) + 1 (propagated)
            4 B: matrix nrow(X) - 1 x ncol(X) (propagated)
            5 C: matrix 2 * nrow(X) - 2 x ncol(X) (propagated)
            6 D: matrix nrow(X) - 1 x 2 * ncol(X) + 2, sparsity 0 (propagated)
            7 E: matrix nrow(X) - 1 x ncol(X) (propagated)
            8 F: matrix ? x 1 (unknown)
            9 G: matrix nrow(X) x ncol(X) (propagated)
        "#]],
    );
}

#[test]
fn a_window_has_as_many_rows_wherever_it_begins() {
    sizes(
        "X = rand(rows=100, cols=3)\nk = 10\nfor (i in 1:90) {\n  W = X[i:(i + k - 1), ]\n  V = X[(i + 1):(i + nrow(W)), 1:2]\n  U = X[1:i, ]\n  r = X[i]\n}\n",
        expect![[r#"
            1 X: matrix 100 x 3 (propagated)
            2 k: int = Number(10.0) (propagated)
            4 W: matrix 10 x 3 (propagated)
            5 V: matrix 10 x 2 (propagated)
            6 U: matrix ? x 3 (unknown)
            7 r: matrix 1 x 3 (propagated)
        "#]],
    );
}

#[test]
fn a_function_names_its_sizes_as_the_caller_does() {
    sizes(
        "f = function(Matrix[Double] P) return (Matrix[Double] Q) {\n  Q = cbind(P, matrix(1, nrow(P), 1))\n}\nX = read($X)\nY = f(X)\nZ = f(Y)\n",
        expect![[r#"
            2 Q: matrix nrow(P) x ncol(P) + 1 (propagated)
            4 X: matrix ? x ? (unknown)
            5 Y: matrix nrow(X) x ncol(X) + 1 (propagated)
            6 Z: matrix nrow(X) x ncol(X) + 2 (propagated)
        "#]],
    );
}

#[test]
fn frames_and_lists_keep_their_kind() {
    sizes(
        "F = as.frame(matrix(1, rows=4, cols=3))\nG = cbind(F, as.frame(seq(1, 4)))\nH = G[2]\nJ = G == H\nM = as.matrix(G[, 1:2])\nL = list(F, M)\nK = append(L, G)\nR = removeEmpty(target=M, margin=\"rows\")\nC = removeEmpty(target=F, margin=\"cols\")\n",
        expect![[r#"
            1 F: frame 4 x 3 (propagated)
            2 G: frame 4 x 4 (propagated)
            3 H: frame 1 x 4 (propagated)
            4 J: frame 4 x 4 (propagated)
            5 M: matrix 4 x 2 (propagated)
            6 L: list ? x ? (unknown)
            7 K: list ? x ? (unknown)
            8 R: matrix ? x 2 (unknown)
            9 C: frame 4 x ? (unknown)
        "#]],
    );
}

#[test]
fn beside_a_matrix_a_value_of_unknown_kind_changes_no_shape() {
    sizes(
        "X = rand(rows=4, cols=3)\nu = eval(\"f\", X)\nA = X * u\nB = u %*% X\nc = rand(rows=4, cols=1)\nD = c + u\nE = rowSums(u)\n",
        expect![[r#"
            1 X: matrix 4 x 3 (propagated)
            2 u: unknown ? x ? (unknown)
            3 A: matrix 4 x 3 (propagated)
            4 B: matrix ? x 3 (unknown)
            5 c: matrix 4 x 1 (propagated)
            6 D: matrix 4 x ? (unknown)
            7 E: matrix ? x 1 (unknown)
        "#]],
    );
}

#[test]
fn a_vector_on_the_left_is_not_repeated() {
    sizes(
        "X = read($X)\ny = read($y)\nr = X %*% matrix(0, ncol(X), 1) - y\ns = matrix(0, nrow(y), 1) * y\nt = rand(rows=3, cols=1) + read($z)\nu = rand(rows=1, cols=3) + read($z)\n",
        expect![[r#"
            1 X: matrix ? x ? (unknown)
            2 y: matrix ? x ? (unknown)
            3 r: matrix nrow(X) x ncol(y) (propagated)
            4 s: matrix nrow(y) x 1, sparsity 0 (propagated)
            5 t: matrix 3 x ? (unknown)
            6 u: matrix 1 x 3 (propagated)
        "#]],
    );
}

#[test]
fn what_only_a_caller_makes_a_column_is_one_behind_a_builtin_too() {
    sizes(
        "f = function(Matrix[Double] A, Matrix[Double] b) return (Matrix[Double] x) {\n  x = solve(A, b)\n  y = x * 2\n  z = solve(A, b) + 1\n  k = seq(1, ncol(solve(A, b)))\n}\nG = rand(rows=9, cols=9)\nw = f(G, rand(rows=9, cols=1))\n",
        expect![[r#"
            2 x: matrix 9 x 1 (propagated)
            3 y: matrix 9 x 1 (propagated)
            4 z: matrix 9 x 1 (propagated)
            5 k: matrix ? x 1 (unknown)
            7 G: matrix 9 x 9 (propagated)
            8 w: matrix 9 x 1 (propagated)
        "#]],
    );
}

#[test]
fn a_default_is_no_size_where_nothing_calls() {
    sizes(
        "f = function(Matrix[Double] X, Integer k = 2) return (Matrix[Double] Y) {\n  Y = matrix(0, rows=nrow(X), cols=k)\n}\n",
        expect![[r#"
            2 Y: matrix nrow(X) x ?, sparsity 0 (unknown)
        "#]],
    );
}

#[test]
fn builtins_over_several_kinds() {
    sizes(
        "A = rand(rows=4, cols=3)\nB = xor(A, rand(rows=4, cols=1))\nc = bitwAnd(1, 2)\nL = list(A, B)\nR = rbind(L)\ns = append(\"a\", \"b\")\nt = ifelse(nrow(A) > 3, \"x\", \"y\")\nD = countDistinct(A, dir=\"r\")\nF = federated(addresses=list(\"h:1\", \"h:2\"), ranges=list(list(0, 0), list(4 / 2, 3), list(2, 0), list(4, 3)))\nG = federated(type=\"frame\", addresses=list(\"h:1\"), ranges=list(list(0, 0), list($n, 3)))\n",
        expect![[r#"
            1 A: matrix 4 x 3 (propagated)
            2 B: matrix 4 x 3 (propagated)
            3 c: scalar (propagated)
            4 L: list ? x ? (unknown)
            5 R: matrix ? x ? (unknown)
            6 s: string (propagated)
            7 t: string (propagated)
            8 D: matrix 4 x 1 (propagated)
            9 F: matrix 4 x 3 (propagated)
            10 G: frame $n x 3 (propagated)
        "#]],
    );
}

#[test]
fn a_sparsity_tells_what_it_rests_on() {
    let text = "#@ X: 100 x 50, sparsity 0.01\nX = read($X)\nW = rand(rows=100, cols=50, sparsity=0.1)\nA = X * W\nB = t(A) %*% matrix(1, rows=100, cols=3)\nC = A\nif ($p > 0) C = W\nD = C * 2\nE = X + 1\nf = function(Matrix[Double] M) return (Matrix[Double] N) {\n  N = M * 3\n}\nF = f(W)\n";
    let analysis = check(text);
    let provenance = |fact: &sumac_analysis::VariableFact| {
        let all: Vec<String> = fact.provenance.iter().map(ToString::to_string).collect();
        format!("{}: {}\n", fact.name, all.join(", "))
    };
    let all: String = analysis.variables.iter().map(provenance).collect();
    expect![[r#"
        X: X (#@ line 1)
        W: W (rand(…))
        A: W (rand(…)), X (#@ line 1)
        B: W (rand(…)), X (#@ line 1)
        C: W (rand(…)), X (#@ line 1)
        C: W (rand(…))
        D: W (rand(…)), X (#@ line 1)
        E: 
        N: M (the calls)
        F: W (rand(…))
    "#]]
    .assert_eq(&all);
}

#[test]
fn a_table_over_a_sequence_has_one_cell_in_a_row() {
    sizes(
        "#@ y: 1000 x 1\ny = read($y)\nT = table(seq(1, nrow(y)), y, nrow(y), 10)\nS = table(seq(1, 1000, 1), y, 1000, 20)\nU = table(y, seq(1, 1000), 50, 1000)\nA = table(y, y, 1000, 10)\nB = table(seq(1, 1000, 0.5), y, 1000, 10)\nD = t(T) %*% T\nR = rowSums(T)\n#@ F: 1000 x 40\nF = table(seq(1, nrow(y)), y)\n",
        expect![[r#"
            2 y: matrix 1000 x 1 (#@ line 1)
            3 T: matrix 1000 x 10, sparsity 0.1 (propagated)
            4 S: matrix 1000 x 20, sparsity 0.05 (propagated)
            5 U: matrix 50 x 1000, sparsity 0.02 (propagated)
            6 A: matrix 1000 x 10 (propagated)
            7 B: matrix 1000 x 10 (propagated)
            8 D: matrix 10 x 10, sparsity 0.1 (propagated)
            9 R: matrix 1000 x 1 (propagated)
            11 F: matrix 1000 x 40, sparsity 0.025 (#@ line 10)
        "#]],
    );
}

/// A size of one decides what is a vector: where it rests on an argument, on a default or on the size of data, another run may have
/// another.
#[test]
fn what_only_an_argument_makes_one_is_no_vector() {
    sizes(
        "n = ifdef($n, 5)
one = ifdef($one, 1)
X = rand(rows=n, cols=4)
Y = rand(rows=n, cols=2)
a1 = seq(1, one)
a2 = seq(n, 5)
a3 = X[5:n, ]
a4 = X[n:5, ]
a5 = X[5:, ]
a6 = X[1:(n - 4), ]
a7 = matrix(0, nrow(X) - 4, 2)
a8 = matrix(X, rows=n - 4)
a9 = matrix(Y, cols=n * 2)
a10 = table(seq(1, n), seq(1, n), n - 4, 3)
a11 = X[1:nrow(a1), ]
a12 = cbind(a1, a1)
a13 = sample(10, one)
a14 = toOneHot(seq(1, n), n - 4)
a15 = diag(matrix(1, n - 4, 1))
a16 = read($A, rows=one, cols=3)
b1 = X[n:n, ]
b2 = X[, n - 4]
b3 = X[2:2, ]
b4 = matrix(Y, rows=1, cols=10)
for (i in 1:3) {
  c1 = a7 + i
  c2 = X[i:i, ]
  c3 = X[i:(i + n - 5), ]
}
",
        expect![[r#"
            1 n: scalar = Number(5.0) (propagated)
            2 one: scalar = Number(1.0) (propagated)
            3 X: matrix 5 x 4 (propagated)
            4 Y: matrix 5 x 2 (propagated)
            5 a1: matrix ? x 1 (unknown)
            6 a2: matrix ? x 1 (unknown)
            7 a3: matrix 1 x 4 (propagated)
            8 a4: matrix 1 x 4 (propagated)
            9 a5: matrix 1 x 4 (propagated)
            10 a6: matrix 1 x 4 (propagated)
            11 a7: matrix 1 x 2, sparsity 0 (propagated)
            12 a8: matrix ? x ? (unknown)
            13 a9: matrix ? x 10 (unknown)
            14 a10: matrix ? x 3, sparsity 0.3333333333333333 (unknown)
            15 a11: matrix nrow(a1) x 4 (propagated)
            16 a12: matrix nrow(a1) x 2 (propagated)
            17 a13: matrix ? x 1 (unknown)
            18 a14: matrix 5 x ? (unknown)
            19 a15: matrix 1 x 1 (propagated)
            20 a16: matrix ? x 3 (read arguments)
            21 b1: matrix 1 x 4 (propagated)
            22 b2: matrix 5 x 1 (propagated)
            23 b3: matrix 1 x 4 (propagated)
            24 b4: matrix 1 x 10 (propagated)
            26 c1: matrix 1 x 2 (propagated)
            27 c2: matrix 1 x 4 (propagated)
            28 c3: matrix ? x 4 (unknown)
        "#]],
    );
}
