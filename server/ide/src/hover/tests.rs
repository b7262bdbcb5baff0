//! Hovers as markdown, with the hovered text in brackets.

use expect_test::{Expect, expect};

use super::*;
use crate::files::fixture::Scripts;
use crate::fixture::{LOSS, at_cursor};

const FILES: Scripts = Scripts(&[(
    "lib.dml",
    "# Adds up.\ntotal = function(Matrix[Double] A) return (Double s) { s = sum(A) }\n",
)]);

#[track_caller]
fn check(fixture: &str, expected: &Expect) {
    let (snapshot, offset) = at_cursor(fixture);
    let hover = hover(&snapshot, offset, &FILES).expect("there is a hover");
    let range = &snapshot.text()[hover.range];
    expected.assert_eq(&format!("[{range}]\n{}", hover.markdown));
}

#[test]
fn a_variable_shows_shape_sparsity_memory_and_source() {
    check(
        &LOSS.replace("(X - U", "(X$0 - U"),
        &expect![[r#"
            [X]
            **`X`** · matrix

            - Shape: 2000 x 1000
            - Sparsity: 0.01 (about 20 k non-zero cells)
            - Memory: 256 kB (sparse)
            - Source: #@ line 1
        "#]],
    );
}

#[test]
fn an_estimate_tells_what_it_rests_on() {
    check(
        &LOSS.replace(
            "loss =",
            "$0Y = X * rand(rows=2000, cols=1000, sparsity=0.5)\nloss =",
        ),
        &expect![[r#"
            [Y]
            **`Y`** · matrix

            - Shape: 2000 x 1000
            - Sparsity: 0.01 (about 20 k non-zero cells), estimated from `X` (#@ line 1), `rand(…)`
            - Memory: 256 kB (sparse)
            - Source: propagated
        "#]],
    );
}

#[test]
fn an_expression_shows_what_is_known_of_it() {
    check(
        &LOSS.replace("%*%", "%$0*%"),
        &expect![[r#"
            [U %*% t(V)]
            **`U %*% t(V)`** · matrix

            - Shape: 2000 x 1000
            - Sparsity: unknown, counted as dense
            - Memory: 16 MB (dense)
        "#]],
    );
}

#[test]
fn a_statement_with_a_suggestion_shows_what_it_saves() {
    let (snapshot, offset) = at_cursor(&LOSS.replace("loss = s", "lo$0ss = s"));
    let snapshot = snapshot.suggesting("sum((X - U %*% t(V))^2)", "sum(X^2)");
    let text = hover(&snapshot, offset, &FILES)
        .expect("there is a hover")
        .markdown;
    for part in [
        "**`loss`** · double",
        "Shape: 1 x 1",
        "Optimized form**, about 100× cheaper",
        "loss = sum(X^2)",
        "| FLOPs | 4.6 G | 46 M |",
        "| Peak memory | 3.2 GB | 32 MB |",
        "relative error 2e-15",
        "- real arithmetic: rounding may differ",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn a_function_shows_its_parameters() {
    check(
        "f = function(Matrix[Double] A, Double k = 2) return (Matrix[Double] B) {\n  B = A * k\n}\n\
         Z = $0f(matrix(1, rows=3, cols=2))\nprint(sum(Z))\n",
        &expect![[r#"
            [f]
            ```systemds
            f = function(matrix A, double k = …) return (matrix B)
            ```

            - `A`: matrix 3 x 2
            - `k`: double = 2
        "#]],
    );
}

#[test]
fn nothing_is_said_of_nothing() {
    let (snapshot, offset) = at_cursor("x = 1\n\n$0\nprint(x)\n");
    assert_eq!(hover(&snapshot, offset, &FILES), None);
}

#[test]
fn a_builtin_shows_what_it_does_and_what_this_call_gives() {
    check(
        "X = matrix(0, rows=3, cols=2)\ny = row$0Sums(X)\n",
        &expect![[r#"
            [rowSums]
            ```systemds
            rowSums(X: matrix) -> matrix
            ```

            Adds up each row.

            - `X`: the matrix

            Here: matrix 3 x 1, sparsity 0
        "#]],
    );
    check(
        "X = matrix(0, ro$0ws=3, cols=2)\n",
        &expect![[r#"
        [rows]
        **`rows?: int`** · parameter of `matrix`

        how many rows it has
    "#]],
    );
}

#[test]
fn namespaces_their_functions_and_their_files() {
    const SOURCE: &str = "source(\"lib.dml\") as lib\n";
    check(
        &format!("{SOURCE}y = lib::to$0tal(X)\n"),
        &expect![[r#"
        [total]
        ```systemds
        lib::total(Matrix[Double] A) return (Double s)
        ```

        Adds up.
    "#]],
    );
    check(
        &format!("{SOURCE}y = li$0b::total(X)\n"),
        &expect![[r#"
        [lib]
        **`lib`** · namespace

        - File: `lib.dml`

        ```systemds
        lib::total(Matrix[Double] A) return (Double s)
        ```
    "#]],
    );
    check(
        "source(\"g$0one.dml\") as gone\n",
        &expect![[r#"
        ["gone.dml"]
        **`gone`** · namespace

        - File: `gone.dml`
        - The file cannot be read.
    "#]],
    );
}

#[test]
fn arguments_of_the_script_show_their_value_or_how_to_give_one() {
    check(
        "#@ $k = 10\nx = $$0k + 1\n",
        &expect![[r#"
        [$k]
        **`$k`** · argument of the script

        - Value: `10`
        - Source: #@ line 1
    "#]],
    );
    check(
        "x = $f$0ile\n",
        &expect![[r#"
        [$file]
        **`$file`** · argument of the script

        - Known: scalar
        - Given: `-nvargs file=…`, or by a line `#@ $file = …`
    "#]],
    );
}

#[test]
fn the_parts_of_fact_lines() {
    const FACTS: &str = "#@ X: n x 20, sparsity 0.1\n#@ n = 100\nX = read($X)\nprint(sum(X))\n";
    let at = |part: &str| FACTS.replacen(part, &format!("$0{part}"), 1);
    check(
        &at("X:"),
        &expect![[r#"
        [X]
        **`X`** · matrix

        - Shape: 100 x 20
        - Sparsity: 0.1 (about 200 non-zero cells)
        - Memory: 3.2 kB (sparse)
        - Source: #@ line 1
    "#]],
    );
    check(
        &at("n x"),
        &expect![[r#"
        [n]
        **`n`** · symbolic size

        - Value: 100
    "#]],
    );
    check(
        &at("sparsity"),
        &expect![[r#"
        [sparsity]
        The share of cells that are not zero, from 0 to 1.
    "#]],
    );
    check(
        "#@ o$0ff\nx = 1\n",
        &expect![[r#"
        [off]
        `#@ off`: no hints for the next statement.
    "#]],
    );
    check(
        "#@ assert su$0m(t(X)) == sum(X)\n",
        &expect![[r#"
        [sum]
        ```systemds
        sum(X: matrix) -> double
        ```

        Adds up all cells.

        - `X`: the matrix
    "#]],
    );
}

#[test]
fn a_plain_comment_says_nothing() {
    let (snapshot, offset) = at_cursor("# su$0m\nx = 1\n");
    assert_eq!(hover(&snapshot, offset, &FILES), None);
}
