//! Where the checks are silent, and the cases that their pages do not show.
mod support;
use expect_test::{Expect, expect};
use support::{check, diagnostics};

#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
fn told(text: &str, expected: Expect) {
    expected.assert_eq(&diagnostics(text, &check(text)));
}

#[track_caller]
fn silent(code: &str, text: &str) {
    let found = check(text).diagnostics.clone();
    let own: Vec<_> = found.iter().filter(|d| d.code == code).collect();
    assert!(own.is_empty(), "{text}\n{own:#?}");
}

#[test]
fn a_scalar_is_required_in_conditions_bounds_positions_sizes_and_texts() {
    told(
        "X = rand(rows=1, cols=1)\nf = function(Double a) return (Double b) { b = a }\nif (X > 0 & !X) { print(1) }\nfor (i in 1:X) { print(i) }\nY = rand(rows=X, cols=2)\nprint(sum(Y[X, 1:X]) + f(X) + sum(seq(1, X)))\nprint(\"X: \" + (X + 1))\nZ = rand(rows=2, cols=2)\nwhile (Z == 1) { Z[X, 1] = 0 }\n",
        expect![[r#"
            if (X > 0 & !X) { print(1) }
                ^ Error scalar-required: a condition is a scalar, and this is a matrix (1 x 1); write `as.scalar(X)`
                         ^ Error scalar-required: a condition is a scalar, and this is a matrix (1 x 1); write `as.scalar(X)`
            for (i in 1:X) { print(i) }
                        ^ Error scalar-required: a loop runs from a scalar to a scalar, and this is a matrix (1 x 1); write `as.scalar(X)`
            Y = rand(rows=X, cols=2)
                          ^ Error scalar-required: `rows` of `rand` takes a scalar, and this is a matrix (1 x 1); write `as.scalar(X)`
            print(sum(Y[X, 1:X]) + f(X) + sum(seq(1, X)))
                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Error scalar-required: `print` takes a scalar where its argument is computed by `+`, and this is a matrix (1 x 1); write `as.scalar(sum(Y[X, 1:X]) + f(X) + sum(seq(1, X)))`
                        ^ Error scalar-required: a position is a scalar, and this is a matrix (1 x 1); write `as.scalar(X)`
                             ^ Error scalar-required: a position is a scalar, and this is a matrix (1 x 1); write `as.scalar(X)`
                                     ^ Error scalar-required: `a` of `f` takes a scalar, and this is a matrix (1 x 1); write `as.scalar(X)`
                                                     ^ Error scalar-required: `to` of `seq` takes a scalar, and this is a matrix (1 x 1); write `as.scalar(X)`
            print("X: " + (X + 1))
                          ^^^^^^^ Warning scalar-required: a text can be joined with a scalar only, and this is a matrix (1 x 1); write `as.scalar((X + 1))`
            while (Z == 1) { Z[X, 1] = 0 }
                   ^ Error scalar-required: a condition is a scalar, and this is a matrix (2 x 2); pick a cell, or aggregate it, for example by `sum`
                               ^ Warning scalar-required: a position is a scalar, and this is a matrix (1 x 1); write `as.scalar(X)`
        "#]],
    );
}

#[test]
fn scalars_and_what_is_not_known_are_left_alone() {
    for text in [
        "X = rand(rows=3, cols=1)\nif (as.scalar(X[1, 1]) > 0 & sum(X) > 1) { print(\"a\" + sum(X)) }\n",
        "f = function(Matrix[Double] A) return (Double b) { b = sum(A) }\nprint(f(rand(rows=2, cols=2)))\n",
        "L = list(1, 2)\ni = as.scalar(L[1])\nprint(i)\n",
        "X = rand(rows=3, cols=3)\nprint(X)\nprint(toString(X))\n",
        "v = matrix(0, rows=nrow(matrix(1, 2, 2)), cols=1)\nprint(sum(v))\n",
        "x = ifelse(TRUE, 1, 2)\nif (x > 1) { print(x) }\n",
        "X = read($X)\nif (nrow(X) > $n) { print(ncol(X)) }\n",
    ] {
        silent("scalar-required", text);
    }
}

#[test]
fn a_transpose_is_named_only_where_it_fits() {
    told(
        "A = rand(rows=2, cols=3)\nB = rand(rows=3, cols=2)\nC = rand(rows=7, cols=5)\nprint(sum(A + B) + sum(A %*% C))\n",
        expect![[r#"
            print(sum(A + B) + sum(A %*% C))
                      ^^^^^ Error shape-mismatch: `+` cannot combine 2 x 3 with 3 x 2: shapes must be equal, or one a scalar, a row or a column vector that fits
                        line 1: `A` is 2 x 3
                        line 2: `B` is 3 x 2
                        line 4: transposed, `A` would fit
                        line 4: transposed, `B` would fit
                                   ^^^^^^^ Error shape-mismatch: `%*%` cannot combine 2 x 3 with 7 x 5: columns of the left (3) must equal rows of the right (7)
                                     line 1: `A` is 2 x 3
                                     line 3: `C` is 7 x 5
        "#]],
    );
}

#[test]
fn functions_are_used_by_calls_by_texts_and_in_libraries() {
    let f = "f = function(Double x) return (Double y) { y = x }\n";
    silent("unused-function", f);
    silent("unused-function", &format!("{f}print(f(1))\n"));
    silent("unused-function", &format!("{f}print(eval(\"f\", 1))\n"));
    silent("unused-function", &format!("{f}x = (1 +\n"));
    silent(
        "unused-namespace",
        "source(\"a.dml\") as a\nprint(a::f(1))\n",
    );
    silent(
        "unused-namespace",
        "source(\"a.dml\") as a\nprint(eval(\"a::f\", 1))\n",
    );
    silent("unused-parameter", &format!("{f}print(f(1))\n"));
    silent(
        "unset-result",
        "f = function(Double x) return (Double x) { print(x) }\nprint(f(1))\n",
    );
    silent(
        "unset-result",
        "f = function(Double x) return (Double y) { if (x > 0) y = 1 }\nprint(f(1))\n",
    );
}

#[test]
fn only_what_is_written_as_a_constant_is_unreachable() {
    for text in [
        "debug = FALSE\nif (debug) { print(1) }\n",
        "while (TRUE) { print(1) }\n",
        "if (TRUE) { print(1) }\n",
        "if ($x > 1) { stop(\"no\") }\nprint(1)\n",
        "stop(\"no\")\n",
    ] {
        silent("unreachable-code", text);
    }
    told(
        "if (TRUE | FALSE) { print(1) } else { print(2) }\nwhile (!TRUE) { print(3) }\nstop(\"x\")\nprint(4)\nprint(5)\n",
        expect![[r#"
            if (TRUE | FALSE) { print(1) } else { print(2) }
                                                ^^^^^^^^^^^^ Hint unreachable-code: this is never reached: the condition is always true
                                                  line 1: always true
            while (!TRUE) { print(3) }
                          ^^^^^^^^^^^^ Hint unreachable-code: this is never reached: the condition is always false
                            line 2: always false
            print(4)
            ^^^^^^^^ Hint unreachable-code: this is never reached: the script stops before it
              line 3: it stops here
        "#]],
    );
}

#[test]
fn other_names_and_comparisons_are_left_alone() {
    silent(
        "loop-variable",
        "i = 0\nfor (j in 1:3) { i = i + j }\nprint(i)\n",
    );
    silent(
        "self-assignment",
        "x = 1\nx = x + 1\nx[1, 1] = x\nprint(x)\n",
    );
    silent(
        "nan-comparison",
        "nan = 1\nif (nan == 1) { print(isNaN(nan)) }\n",
    );
    for product in [
        "y %*% inv(A)",
        "inv(A) + A",
        "A %*% inv(A) %*% y",
        "f(inv(A))",
        "inv(A) * y",
    ] {
        silent(
            "explicit-inverse",
            &format!("A = rand(rows=3, cols=3)\ny = A\nprint(sum({product}))\n"),
        );
    }
    silent(
        "explicit-inverse",
        "inv = function(Matrix[Double] A) return (Matrix[Double] B) { B = A }\nA = rand(rows=3, cols=3)\nprint(sum(inv(A) %*% A))\n",
    );
    silent(
        "deprecated-function",
        "castAsScalar = function(Double x) return (Double y) { y = x }\nprint(castAsScalar(1))\n",
    );
    silent(
        "shadowed-builtin",
        "sums = function(Double x) return (Double y) { y = x }\nprint(sums(1))\n",
    );
}

#[test]
fn what_is_allowed_is_silent_and_what_is_allowed_for_nothing_is_told() {
    told(
        "#@ allow-file unused-value, wrong-arity\n#@ allow unused-value\nx = 1\nx = 2 #@ allow shape-mismatch\nprint(x)\n#@ allow unused-valeu, unused-allow\nprint(sum(1, 2, 3))\n#@ allow unknown-size\n",
        expect![[r#"
            x = 2 #@ allow shape-mismatch
                           ^^^^^^^^^^^^^^ Hint unused-allow: the next statement has no `shape-mismatch`, so this allows nothing; take it out
            #@ allow unused-valeu, unused-allow
                     ^^^^^^^^^^^^ Warning unknown-code: there is no diagnostic `unused-valeu`; did you mean `unused-value`?
                                   ^^^^^^^^^^^^ Warning unknown-code: `unused-allow` cannot be allowed; put the line right instead
            #@ allow unknown-size
                     ^^^^^^^^^^^^ Hint unused-allow: the next statement has no `unknown-size`, so this allows nothing; take it out
        "#]],
    );
    // A compound statement is one statement, with everything inside it.
    silent(
        "unused-value",
        "#@ allow unused-value\nfor (i in 1:2) {\n  x = i\n  x = 2\n}\n",
    );
}
