//! Items at a cursor, as a client would show them after filtering.

use expect_test::{Expect, expect};

use super::*;
use crate::files::fixture::Scripts;
use crate::fixture::at_cursor;

const FILES: Scripts = Scripts(&[
    (
        "lib/stats.dml",
        "# The mean of all cells.\naverage = function(Matrix[Double] A, Boolean robust = FALSE) return (Double m) { m = mean(A) }\n",
    ),
    ("lib/deep/more.dml", ""),
    ("data/X.csv", ""),
    ("data/X.csv.mtd", ""),
    ("main.dml", ""),
]);

fn items(fixture: &str) -> (Snapshot, Vec<CompletionItem>) {
    let (snapshot, offset) = at_cursor(fixture);
    let items = completion(&snapshot, offset, None, &FILES);
    (snapshot, items)
}

/// The items that begin with what is typed before the cursor, builtins left out unless something is typed.
#[track_caller]
fn check(fixture: &str, expected: &Expect) {
    let (snapshot, items) = items(fixture);
    let offset = fixture.find("$0").expect("the fixture has a cursor");
    let shown: String = items
        .iter()
        .filter(|item| {
            let typed = &snapshot.text()[item.replaces.start..offset];
            let is_wanted = !typed.is_empty() || item.rank != Rank::Builtin;
            is_wanted && item.label.starts_with(typed)
        })
        .map(|item| {
            let detail = item.detail.as_deref().unwrap_or("-");
            format!("{:?} {}: {detail}\n", item.kind, item.label)
        })
        .collect();
    expected.assert_eq(&shown);
}

/// The script after accepting the item of that label; `|` is the cursor.
#[track_caller]
fn check_accepted(fixture: &str, label: &str, expected: &str) {
    let (snapshot, items) = items(fixture);
    let item = items.iter().find(|item| item.label == label);
    let item = item.unwrap_or_else(|| panic!("no {label} for {fixture}"));
    let new = item.snippet.as_deref().unwrap_or(&item.text);
    let mut text = snapshot.text().to_owned();
    text.replace_range(
        item.replaces.start..item.replaces.end,
        &new.replace("$0", "|"),
    );
    assert_eq!(text, expected);
}

#[track_caller]
fn check_nothing(fixture: &str) {
    let (_, items) = items(fixture);
    let labels: Vec<&str> = items.iter().map(|item| &*item.label).collect();
    assert_eq!(labels, Vec::<&str>::new(), "{fixture}");
}

#[test]
fn variables_have_kind_and_shape_and_come_first() {
    check(
        "#@ X: 1000 x 20, sparsity 0.01\nX = read($X)\nk = 2\nName = \"a\"\nY = X %*% $0\n",
        &expect![[r#"
            Variable k: int = 2
            Variable Name: string = "a"
            Variable X: matrix 1000 x 20, sparsity 0.01
            Keyword FALSE: -
            Keyword TRUE: -
            ScriptArgument $X: -
        "#]],
    );
}

#[test]
fn only_what_may_be_defined_here_is_offered() {
    let variables = |fixture: &str| {
        let (_, items) = items(fixture);
        let variables = items.iter().filter(|item| {
            matches!(
                item.kind,
                CompletionKind::Variable | CompletionKind::Parameter
            )
        });
        variables
            .map(|item| item.label.clone())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(variables("a = 1\nb = $0\nc = 2\n"), "a");
    assert_eq!(variables("a = 1\nb = $0"), "a");
    assert_eq!(
        variables("if (TRUE) {\n  a = 1\n} else {\n  b = 2\n  $0\n}\n"),
        "b"
    );
    assert_eq!(variables("if (TRUE) { a = 1 } else { b = 2 }\n$0\n"), "a b");
    assert_eq!(
        variables("while (TRUE) {\n  x = $0\n  later = 1\n}\nend = 1\n"),
        "later x"
    );
    assert_eq!(variables("for (i in 1:3) {\n  $0\n}\n"), "i");
    assert_eq!(
        variables("out = 1\nf = function(Double a) return (Double b) {\n  c = 1\n  b = $0\n}\n"),
        "c a b"
    );
    assert_eq!(
        variables("f = function(Double a) return (Double b) { b = a }\ng = 1\n$0\n"),
        "g"
    );
}

#[test]
fn dotted_names_are_replaced_whole() {
    check(
        "x = as.sc$0",
        &expect![[r#"
            Function as.scalar: as.scalar(X: any) -> scalar
        "#]],
    );
    check_accepted("x = as.sc$0", "as.scalar", "x = as.scalar(|)");
    check_accepted("x = as.sc$0alar(y)", "as.scalar", "x = as.scalar(y)");
    check_accepted(
        "x = as.$0\ny = 1\n",
        "as.matrix",
        "x = as.matrix(|)\ny = 1\n",
    );
}

#[test]
fn functions_become_calls_unless_they_are_one() {
    check_accepted("y = su$0", "sum", "y = sum(|)");
    check_accepted("y = su$0(X)", "sum", "y = sum(X)");
    check_accepted("y = su$0m + 1", "sum", "y = sum(|) + 1");
    check_accepted("y = ti$0", "time", "y = time()|");
    check(
        "# Twice.\ntwice = function(Matrix[Double] A) return (Matrix[Double] B) { B = 2 * A }\ny = twi$0",
        &expect![[r#"
            Function twice: twice(Matrix[Double] A) return (Matrix[Double] B)
        "#]],
    );
}

#[test]
fn named_arguments_that_are_not_given_yet() {
    check(
        "X = rand(rows=10, $0, cols=3)",
        &expect![[r#"
            NamedArgument dims: dims?: any
            NamedArgument lambda: lambda: double = 1
            NamedArgument max: max: double = 1
            NamedArgument min: min: double = 0
            NamedArgument pdf: pdf: string = "uniform"
            NamedArgument seed: seed: int = -1
            NamedArgument sparsity: sparsity: double = 1
            Keyword FALSE: -
            Keyword TRUE: -
        "#]],
    );
    check_accepted("X = rand(ro$0", "rows", "X = rand(rows=");
    check_accepted("X = rand(ro$0=3)", "rows", "X = rand(rows=3)");
    check_accepted(
        "f = function(Double a, Double bee) return (Double c) { c = a }\ny = f(1, b$0)",
        "bee",
        "f = function(Double a, Double bee) return (Double c) { c = a }\ny = f(1, bee=)",
    );
}

#[test]
fn parameters_with_a_list_of_values_offer_them() {
    check(
        "X = rand(pdf=\"$0\")",
        &expect![[r#"
            Value normal: -
            Value poisson: -
            Value uniform: -
        "#]],
    );
    check_accepted(
        "X = rand(pdf=\"no$0rm\")",
        "normal",
        "X = rand(pdf=\"normal\")",
    );
    check_accepted("X = rand(pdf=$0", "\"normal\"", "X = rand(pdf=\"normal\"");
    check_nothing("X = rand(rows=\"$0\")");
}

#[test]
fn functions_of_a_namespace() {
    const SOURCE: &str = "source(\"lib/stats.dml\") as st\n";
    check(
        &format!("{SOURCE}m = st::$0"),
        &expect![[r#"
            Function average: average(Matrix[Double] A, Boolean robust = FALSE) return (Double m)
        "#]],
    );
    check_accepted(
        &format!("{SOURCE}m = st::av$0"),
        "average",
        &format!("{SOURCE}m = st::average(|)"),
    );
    check_accepted(
        &format!("{SOURCE}m = s$0"),
        "st",
        &format!("{SOURCE}m = st::"),
    );
    check(
        &format!("{SOURCE}m = st::average(X, ro$0"),
        &expect![[r#"
            NamedArgument robust: Boolean robust = FALSE
            Function roll: roll(X: matrix, shift: int) -> matrix
            Function round: round(X: matrix|scalar) -> matrix|scalar
            Function rowClassMeet: rowClassMeet(A: matrix, B: matrix) -> (C: matrix, N: matrix)
            Function rowCountDistinct: rowCountDistinct(X: matrix) -> matrix
            Function rowCountDistinctApprox: rowCountDistinctApprox(data: matrix, type: string = "KMV") -> matrix
            Function rowcumsum: rowcumsum(X: matrix) -> matrix
            Function rowIndexMax: rowIndexMax(X: matrix) -> matrix
            Function rowIndexMin: rowIndexMin(X: matrix) -> matrix
            Function rowMaxs: rowMaxs(X: matrix) -> matrix
            Function rowMeans: rowMeans(X: matrix) -> matrix
            Function rowMins: rowMins(X: matrix) -> matrix
            Function rowProds: rowProds(X: matrix) -> matrix
            Function rowSds: rowSds(X: matrix) -> matrix
            Function rowSums: rowSums(X: matrix) -> matrix
            Function rowVars: rowVars(X: matrix) -> matrix
        "#]],
    );
    check_nothing("m = gone::$0");
}

#[test]
fn script_arguments_behind_a_dollar_sign() {
    check(
        "#@ $rank = 10\nX = read($X)\nr = ifdef($ra$0, 3)\n",
        &expect![[r#"
            ScriptArgument $rank: = 10
        "#]],
    );
    check_accepted(
        "#@ $rank = 10\nr = $r$0\n",
        "$rank",
        "#@ $rank = 10\nr = $rank\n",
    );
    check_nothing("r = $other$0\n");
}

#[test]
fn words_by_context() {
    let words = |fixture: &str| {
        let (_, items) = items(fixture);
        let words = items.iter().filter(|item| {
            matches!(
                item.kind,
                CompletionKind::Keyword | CompletionKind::Snippet | CompletionKind::Type
            )
        });
        words
            .map(|item| item.label.clone())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(
        words("$0"),
        "for function if ifelse parfor setwd source while"
    );
    assert_eq!(
        words("x = 1\nw$0\n"),
        "for function if ifelse parfor setwd source while"
    );
    assert_eq!(
        words("if (TRUE) {\n}\n$0"),
        "else for function if ifelse parfor setwd source while"
    );
    assert_eq!(
        words("if (x > 0) $0"),
        "for function if ifelse parfor setwd source while"
    );
    assert_eq!(words("f = $0"), "FALSE function TRUE");
    assert_eq!(words("x = 1 + $0"), "FALSE TRUE");
    assert_eq!(words("for (i $0"), "in");
    assert_eq!(words("for (i in $0"), "FALSE TRUE");
    assert_eq!(words("source(\"a.dml\") $0"), "as");
    assert_eq!(words("f = function(Double a) $0"), "return");
    assert_eq!(
        words("f = function($0"),
        "Boolean Double Frame[Unknown] Integer List[Unknown] Matrix[Double] String"
    );
    check_accepted("fo$0", "for", "for (${1:i} in ${2:1:n}) {\n  |\n}");
    check_accepted("wh$0 (x > 0) { }", "while", "while (x > 0) { }");
}

#[test]
fn nothing_where_only_a_new_name_or_an_operator_can_stand() {
    for fixture in [
        "# su$0",
        "/* su$0 */",
        "x = \"su$0\"",
        "x = 12$0",
        "for ($0",
        "source(\"a.dml\") as $0",
        "f = function(Double $0",
        "x = y $0",
        "x = sum(y) $0",
        "x = y[1] $0",
        "x = sum(y $0",
        "print(\"$0",
    ] {
        check_nothing(fixture);
    }
}

#[test]
fn a_single_colon_asks_for_nothing() {
    let (snapshot, offset) = at_cursor("n = 3\nx = 1:$0");
    assert_eq!(completion(&snapshot, offset, Some(':'), &FILES), []);
    assert_ne!(completion(&snapshot, offset, None, &FILES), []);
}

#[test]
fn half_typed_calls_do_not_reach_into_the_next_line() {
    check_accepted("x = sum(X\nY = pri$0", "print", "x = sum(X\nY = print(|)");
    check(
        "X = matrix(1, rows=2, cols=2)\ny = sum(X, \nz = X + X$0\n",
        &expect![[r#"
            Variable X: matrix 2 x 2
        "#]],
    );
}

#[test]
fn fact_lines_have_their_own_words() {
    check(
        "#@ $0\nX = read($X)\nW = read($W)\n#@ W: n x 3\n",
        &expect![[r#"
            Variable X: size of an input
            Keyword allow: silences a diagnostic for the next statement
            Keyword allow-file: silences a diagnostic for the whole script
            Keyword assert: an equation that is proved
            Keyword off: no hints for the next statement
            Keyword sketch: pins a sketch to the next statement
            ScriptArgument $W: -
            ScriptArgument $X: -
        "#]],
    );
    check_accepted("#@ al$0\n", "allow", "#@ allow ${1:code}|\n");
    check_accepted(
        "#@ X: 3 x 4, sp$0\nX = read($X)\n",
        "sparsity",
        "#@ X: 3 x 4, sparsity \nX = read($X)\n",
    );
    check(
        "#@ W: n x k\n#@ X: $0\nX = read($X)\n",
        &expect![[r#"
            Variable k: -
            Variable n: -
        "#]],
    );
    check(
        "X = read($X)\n#@ assert sum(X) == su$0\n",
        &expect![[r#"
            Function sum: sum(X: matrix) -> double
        "#]],
    );
    check(
        "x = 1\n#@ allow $0\n",
        &expect![[r#"
            Code argument-form: A call in a form that SystemDS does not take.
            Code assigned-constant: A value for a constant of the language.
            Code contradicting-fact: A fact that another fact, a file or the script contradicts.
            Code deprecated-function: A builtin that SystemDS keeps for old scripts only.
            Code duplicate-function: Two functions of one name.
            Code explicit-inverse: An inverse that is computed to be multiplied.
            Code failed-assert: A `#@ assert` that does not hold.
            Code index-out-of-range: A position that a matrix or a frame does not have.
            Code invalid-fact: A `#@` line that cannot be read.
            Code kind-change: A variable that is of another kind behind a branch or a loop.
            Code kind-mismatch: A value of a kind that does not go there.
            Code loop-variable: A loop whose body assigns its own variable.
            Code matrix-type: A parameter that is a matrix of something other than doubles.
            Code missing-file: A file that a `read` or `source` names and that is not there or not readable.
            Code nan-comparison: A comparison with NaN, which always gives the same.
            Code parfor-dependency: Iterations of a `parfor` that depend on one another.
            Code result-kind: A result of another kind than its function declares.
            Code scalar-required: A matrix where SystemDS takes a scalar only.
            Code self-assignment: A variable that is assigned to itself.
            Code shadowed-builtin: A function that takes the name of a builtin.
            Code shape-mismatch: Shapes that do not go together.
            Code sketch-arity: Too many or too few arguments in a sketch.
            Code sketch-cycle: An abstraction that needs itself.
            Code sketch-goal: A sketch without a goal, or with more than one.
            Code sketch-import: An import of a sketch file that is not there.
            Code sketch-limit: A limit of a stage that is no whole number from 1.
            Code sketch-name: A name in a sketch that means nothing, or two things.
            Code sketch-pin: A `#@ sketch` line whose sketch is not there or leads nowhere.
            Code sketch-rule: A rule of a sketch file that does not hold for all sizes, or is no equation.
            Code sketch-syntax: Text that is no sketch.
            Code sketch-type: An annotation of another language than the sketch.
            Code sketch-unused: A parameter of a sketch that its patterns never name.
            Code syntax-error: Text that is no DML.
            Code undecided-assert: A `#@ assert` that is neither proved nor refuted.
            Code undefined-name: A variable that no statement defines.
            Code unknown-code: A `#@ allow` that names no diagnostic.
            Code unknown-function: A function that neither the script nor SystemDS has.
            Code unknown-namespace: A namespace that no `source` gives.
            Code unknown-parameter: A named argument that the function does not have.
            Code unknown-size: A size that an expression would need and nothing tells.
            Code unreachable-code: Statements that no run reaches.
            Code unset-result: A result that its function never gives a value.
            Code unused-allow: A `#@ allow` that silences nothing.
            Code unused-function: A function that nothing in the script calls.
            Code unused-namespace: A `source` whose namespace no call names.
            Code unused-parameter: A parameter that its function never reads.
            Code unused-value: A value that nothing reads.
            Code wrong-arity: Too many or too few arguments or results.
        "#]],
    );
    check_nothing("#@ X: 3 $0\n");
}

#[test]
fn paths_are_listed_folder_by_folder() {
    check(
        "source(\"$0\") as a",
        &expect![[r#"
            Folder data: -
            Folder lib: -
            File main.dml: -
        "#]],
    );
    check(
        "source(\"lib/s$0",
        &expect![[r#"
            File stats.dml: -
        "#]],
    );
    check_accepted("source(\"li$0b/x\") as a", "lib", "source(\"lib/x\") as a");
    check_accepted("source(\"li$0", "lib", "source(\"lib/");
    check(
        "X = read(\"data/$0\")",
        &expect![[r#"
        File X.csv: -
    "#]],
    );
    check(
        "write(X, \"data/$0\")",
        &expect![[r#"
        File X.csv: -
    "#]],
    );
    check_nothing("write(\"data/$0\", X)");
    check_nothing("print(\"data/$0\")");
}

#[test]
fn documentation_is_looked_up_by_topic() {
    let text = "source(\"lib/stats.dml\") as st\n# Twice.\nf = function(Double a) return (Double b) { b = 2 * a }\n$0";
    let (snapshot, _) = at_cursor(text);
    let of = |topic: Topic| documentation(&snapshot, &topic, &FILES);
    let found = of(Topic::Function("f".into())).expect("it is defined");
    assert!(found.contains("Twice."), "{found}");
    let found = of(Topic::Member("st".into(), "average".into())).expect("it is defined");
    assert!(
        found.contains("st::average(") && found.contains("The mean of all cells."),
        "{found}"
    );
    assert!(
        of(Topic::Builtin("sum".into()))
            .expect("it is there")
            .contains("sum(")
    );
    assert_eq!(of(Topic::Builtin("nonsense".into())), None);
    assert_eq!(of(Topic::Function("g".into())), None);
}

#[test]
fn no_place_in_a_broken_script_panics() {
    let text = "#@ X: 1 x é, \nsource(\"a\" as é\nX = rand(pdf=\"é, [ \n/* é */ f = function(é\n} ] ) \"\n$ :: as. x[";
    let snapshot = crate::fixture::snapshot(text);
    for offset in 0..=text.len() + 1 {
        let _ = completion(&snapshot, offset, None, &FILES);
        let _ = crate::signature_help::signature_help(&snapshot, offset, &FILES);
    }
}
