//! What is told, where, and what is not.
mod support;
use expect_test::{Expect, expect};
use support::{check, diagnostics, disk, with};

#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
fn told(text: &str, expected: Expect) {
    expected.assert_eq(&diagnostics(text, &check(text)));
}

#[test]
fn undefined_names_and_unknown_functions() {
    told(
        "weight = 2\nprint(wieght + Q)\nprint(rowSum(weight))\nx = ns::f(1)\nprint(x)\n",
        expect![[r#"
            print(wieght + Q)
                  ^^^^^^ Error undefined-name: `wieght` is not defined before this; did you mean `weight`?
                           ^ Error undefined-name: `Q` is not defined before this
            print(rowSum(weight))
                  ^^^^^^ Error unknown-function: neither the script nor SystemDS has a function `rowSum`; did you mean `rowSums`?
            x = ns::f(1)
                ^^ Error unknown-namespace: no `source` gives the namespace `ns`; add `source("file.dml") as ns`
        "#]],
    );
}

#[test]
fn arities_and_parameters() {
    told(
        "f = function(Matrix[Double] X, Integer k = 2) return (Double s) { s = sum(X) + k }\nA = rand(rows=2, col=3)\nprint(f())\nprint(f(A, 1, 2))\nprint(f(A, kk=1))\nprint(sum(A, A))\n[a, b] = f(A)\nprint(a + b)\n",
        expect![[r#"
            A = rand(rows=2, col=3)
                             ^^^ Error unknown-parameter: `rand` has no parameter `col`; did you mean `cols`?
            print(f())
                  ^^^ Error wrong-arity: `f` takes (X, k), found no value for `X`
                    line 1: `f` is defined here
            print(f(A, 1, 2))
                  ^^^^^^^^^^ Error wrong-arity: `f` takes (X, k), found 3 arguments
                    line 1: `f` is defined here
            print(f(A, kk=1))
                       ^^ Error unknown-parameter: `f` has no parameter `kk`; did you mean `k`?
            print(sum(A, A))
                  ^^^^^^^^^ Error wrong-arity: `sum` takes 1 argument, found 2
            [a, b] = f(A)
                     ^^^^ Error argument-form: this call leaves out `k`: SystemDS puts the body of so small a function in the place of the call, and then wants every argument; write `f(A, 2)`
                     ^^^^ Error wrong-arity: `f` gives 1 results, found 2 names for them
        "#]],
    );
}

#[test]
fn the_way_out_of_a_vector_on_the_left_is_the_whole_operand() {
    told(
        "r = rand(rows=1, cols=3)\nM = rand(rows=4, cols=3)\nA = (1 - r) - M\nB = (1 - r) * (M + 1)\nc = rand(rows=4, cols=1)\nD = (-c) / M\nprint(sum(A) + sum(B) + sum(D))\n",
        expect![[r#"
            A = (1 - r) - M
                ^^^^^^^^^^^ Error shape-mismatch: `-` cannot combine 1 x 3 with 4 x 3: only a vector on the right side is repeated; repeat the row: `matrix(1, nrow(M), 1) %*% (1 - r)`
                  line 1: `r` is 1 x 3
                  line 2: `M` is 4 x 3
            B = (1 - r) * (M + 1)
                ^^^^^^^^^^^^^^^^^ Error shape-mismatch: `*` cannot combine 1 x 3 with 4 x 3: only a vector on the right side is repeated; exchange the sides: `(M + 1) * (1 - r)`
                  line 1: `r` is 1 x 3
                  line 2: `M` is 4 x 3
            D = (-c) / M
                ^^^^^^^^ Error shape-mismatch: `/` cannot combine 4 x 1 with 4 x 3: only a vector on the right side is repeated; repeat the column: `(-c) %*% matrix(1, 1, ncol(M))`
                  line 5: `c` is 4 x 1
                  line 2: `M` is 4 x 3
        "#]],
    );
}

#[test]
fn shapes_that_do_not_fit() {
    told(
        "#@ X: 20 x 10\n#@ V: 11 x 3\nX = read($X)\nV = read($V)\nP = X %*% V\nq = sum(X + t(X))\nprint(sum(P) + q)\ny = X[21, 1]\nprint(toString(y))\n",
        expect![[r#"
            #@ V: 11 x 3
            ^^^^^^^^^^^^ Warning contradicting-fact: this size (#@ line 2) and the one of #@ line 1 make `X %*% V` impossible: `%*%` cannot combine 20 x 10 with 11 x 3: columns of the left (10) must equal rows of the right (11)
              line 5: the impossible operation
            P = X %*% V
                ^^^^^^^ Error shape-mismatch: `%*%` cannot combine 20 x 10 with 11 x 3: columns of the left (10) must equal rows of the right (11)
                  line 1: `X` is 20 x 10 (#@ line 1)
                  line 2: `V` is 11 x 3 (#@ line 2)
            q = sum(X + t(X))
                    ^^^^^^^^ Error shape-mismatch: `+` cannot combine 20 x 10 with 10 x 20: shapes must be equal, or one a scalar, a row or a column vector that fits
                      line 1: `X` is 20 x 10 (#@ line 1)
                      line 6: transposed, `X` would fit
                      line 6: transposed, `t(X)` would fit
            y = X[21, 1]
                  ^^ Error index-out-of-range: position 21 is behind the last of `X`'s 20 rows
        "#]],
    );
}

#[test]
fn facts_that_contradict() {
    told(
        "#@ n = 3\n#@ n = 4\n#@ U: 5 x 5\n#@ U: 6 x 5\n#@ S: 5 x 5, sparsity 3\n#@ P: 7 x 7\n#@ R: 8 x 8\nU = read($U)\nS = read($S)\nP = U %*% S\nR = read($R, rows=9, cols=8)\nprint(sum(P) + sum(R))\n",
        expect![[r#"
            #@ n = 4
            ^^^^^^^^ Error contradicting-fact: `n` is 4 here (#@ line 2) but 3 before (#@ line 1)
              line 1: `n` is 3 here
            #@ U: 6 x 5
            ^^^^^^^^^^^ Error contradicting-fact: two facts about `U` disagree: 6 rows (#@ line 4) against 5 rows (#@ line 3)
              line 3: `U` is stated here first
            #@ S: 5 x 5, sparsity 3
                                  ^ Warning invalid-fact: a sparsity is the share of cells that are not zero, from 0 to 1, found 3
            #@ P: 7 x 7
            ^^^^^^^^^^^ Error contradicting-fact: this fact about `P` does not hold, and is ignored: 7 rows (#@ line 6) against 5 rows (propagated)
            #@ R: 8 x 8
            ^^^^^^^^^^^ Error contradicting-fact: this fact about `R` does not hold, and is ignored: 8 rows (#@ line 7) against 9 rows (read arguments)
            S = read($S)
                ^^^^^^^^ Information unknown-size: the size of `S` is not known, so nothing can be said of what is computed from it; add a line `#@ S: rows x cols`
        "#]],
    );
}

#[test]
fn files_that_are_missing_or_broken() {
    let text = "A = read(\"none.csv\")\nB = read(\"bytes\")\nC = read(\"c.mtx\")\n#@ D: 3 x 3\nD = read(\"d\")\nprint(sum(A %*% B) + sum(C) + sum(D))\n";
    let (options, files) = disk(&[
        ("bytes", b"\x00\x01"),
        ("bytes.mtd", b"\xfe\xff\x00"),
        ("c.mtx", b"\x7fELF\x00\x00 and so on"),
        ("d", b""),
        ("d.mtd", br#"{"rows": 4, "cols": 3}"#),
    ]);
    expect![[r#"
        A = read("none.csv")
            ^^^^^^^^^^^^^^^^ Information unknown-size: the size of `A` is not known, so nothing can be said of what is computed from it; add a line `#@ A: rows x cols`
                 ^^^^^^^^^^ Warning missing-file: none.csv does not exist (looked for /data/none.csv); write the file or correct the path
        B = read("bytes")
            ^^^^^^^^^^^^^ Information unknown-size: the size of `B` is not known, so nothing can be said of what is computed from it; add a line `#@ B: rows x cols`
                 ^^^^^^^ Warning missing-file: bytes.mtd:1: expected a JSON object of metadata, found binary data
        C = read("c.mtx")
            ^^^^^^^^^^^^^ Information unknown-size: the size of `C` is not known, so nothing can be said of what is computed from it; add a line `#@ C: rows x cols`
                 ^^^^^^^ Warning missing-file: c.mtx:1: expected `%%MatrixMarket matrix coordinate|array …`, found binary data
        #@ D: 3 x 3
        ^^^^^^^^^^^ Error contradicting-fact: this fact about `D` does not hold, and is ignored: 3 rows (#@ line 4) against 4 rows (read: d.mtd)
    "#]].assert_eq(&diagnostics(text, &with(text, &options, &files)));
}

#[test]
fn a_size_is_asked_for_only_where_it_is_needed() {
    told(
        "A = read($A)\nB = read($B)\nn = nrow(A)\nprint(n)\nprint(sum(B %*% t(B)))\n",
        expect![[r#"
            B = read($B)
                ^^^^^^^^ Information unknown-size: the size of `B` is not known, so nothing can be said of what is computed from it; add a line `#@ B: rows x cols`
        "#]],
    );
}

#[test]
fn values_that_nothing_reads() {
    told(
        "a = 1\na = 2\nfor (i in 1:3) {\n  b = a + i\n  a = b\n}\nc = 3\nprint(a)\n",
        expect![[r#"
            a = 1
            ^ Hint unused-value: `a` is not read after this
            c = 3
            ^ Hint unused-value: `c` is not read after this
        "#]],
    );
}

#[test]
fn a_half_typed_statement_leaves_the_rest_alone() {
    told(
        "#@ X: 4 x 4\nX = read($X)\ny = sum((X %*%\nz = sum(X + y)\nprint(z)\n",
        expect![[r#"
        y = sum((X %*%
                   ^^^ Error syntax-error: expected an expression after `%*%`
    "#]],
    );
}

#[test]
fn a_statement_may_ask_for_silence() {
    told(
        "#@ allow unused-value\nx = 1\ny = 2\n",
        expect![[r#"
        y = 2
        ^ Hint unused-value: `y` is not read after this
    "#]],
    );
}

#[test]
fn valid_scripts_have_nothing_but_hints() {
    for text in [
        "A = rand(rows=10, cols=3, seed=1)\n[e, V] = eigen(t(A) %*% A)\nprint(toString(V %*% e))\n",
        "source(\"lib.dml\") as lib\nX = lib::make(3)\nY = X + 1\nprint(sum(Y))\n",
        "L = list(a=1, b=matrix(0, 2, 2))\nprint(toString(L[\"b\"]))\nB = as.matrix(L[\"b\"])\nprint(sum(B))\n",
        "X = table(seq(1, 4), seq(1, 4))\nif (nrow(X) == 4) { y = 1 } else { y = 2 }\nprint(y)\n",
        "X = read($1)\nX = removeEmpty(target=X, margin=\"rows\")\nprint(nrow(X) + \" rows\")\n",
        "B = lm(X=rand(rows=5, cols=2), y=rand(rows=5, cols=1), verbose=FALSE)\nprint(sum(B))\n",
        "v = 0.0\nparfor (i in 1:10, check=0) { v = i }\nprint(v)\n",
        "X = rand(rows=4, cols=4)\nm = colMeans(X)\nY = (X - m) / colSds(X)\nprint(sum(Y) + mean(Y) + var(Y))\n",
        "x = 3\ny = -x^2 %% 2 + 7 %/% 2\ns = \"a\" + y\nprint(s)\nwhile (FALSE) { x = x + 1 }\n",
    ] {
        let told = check(text).diagnostics.clone();
        let loud: Vec<_> = told
            .iter()
            .filter(|d| d.severity < sumac_analysis::Severity::Information)
            .collect();
        assert!(loud.is_empty(), "{text}\n{loud:#?}");
    }
}

#[test]
fn the_fixtures_are_without_errors() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut seen = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "dml") {
            let text = std::fs::read_to_string(&path).unwrap();
            let options = sumac_analysis::Options {
                base_dir: Some(folder.clone()),
                ..sumac_analysis::Options::default()
            };
            let analysis = with(&text, &options, &sumac_analysis::DiskFiles);
            assert!(
                analysis.diagnostics.is_empty(),
                "{}\n{}",
                path.display(),
                diagnostics(&text, &analysis)
            );
            seen += 1;
        }
    }
    assert!(seen >= 9, "{seen}");
}

#[test]
fn what_systemds_accepts_is_no_error() {
    told(
        "f = function(Matrix[Double] X, Integer k = ncol(X)) return (Matrix[Double] Y, Double s) { Y = X[, 1:k]; s = sum(Y) }\nA = rand(rows=4, cols=3)\nY = f(A, ncol(A))\nparfor (i in 1:3, mode = REMOTE_SPARK, opt = CONSTRAINED, par = n) { print(i) }\nif (ncol(Y) != 3) { Y = Y %*% A }\nprint(sum(Y))\n",
        expect![[r#"
            Y = f(A, ncol(A))
                ^^^^^^^^^^^^^ Error wrong-arity: `f` gives 2 results, found 1 name for them; write `[Y, s] = f(A, ncol(A))`
            parfor (i in 1:3, mode = REMOTE_SPARK, opt = CONSTRAINED, par = n) { print(i) }
                                                                            ^ Error undefined-name: `n` is not defined before this
        "#]],
    );
}
