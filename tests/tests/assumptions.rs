//! What is suggested under stated sizes, arguments and defaults holds for others, and no number of these is written.
//!
//! Scripts are searched as they stand, with arguments that make their matrices large. As written and as suggested they then
//! run with other arguments, where everything that was assumed is wrong.
#![expect(clippy::print_stdout, reason = "a run says how much it compared")]

use std::collections::BTreeSet;
use std::path::PathBuf;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sumac_analysis::{NoFiles, analyze};
use sumac_ide::searches::Searches;
use sumac_ide::suggest::{Search, Suggestion, suggest};
use sumac_ide::{CancelToken, Snapshot, UnitBlocks};
use sumac_runtime::interp::{RunOptions, run};
use sumac_runtime::{Cancel, Value};
use sumac_sumproduct::Options;
use sumac_syntax::parse;
use sumac_text::{TextEdit, apply_edits};

const SCRIPTS: usize = 60;

/// `X` and `Y` are n x m, `U` is n x k, `V` is m x k, `v` has m and `w` n cells. What is assumed of the arguments is on top.
const HEAD: &str = "#@ $n = 4000
#@ $m = 300
#@ $k = 8
n = ifdef($n, 4000)
m = ifdef($m, 300)
k = ifdef($k, 8)
mode = ifdef($mode, 0)
a = ifdef($a, 0)
lambda = 0.25
X = (matrix(seq(1, n * m), rows=n, cols=m) %% 7) / 4 - 1
Y = (matrix(seq(3, n * m + 2), rows=n, cols=m) %% 11) / 4 - 1
U = (matrix(seq(5, n * k + 4), rows=n, cols=k) %% 5) / 4 - 1
V = (matrix(seq(2, m * k + 1), rows=m, cols=k) %% 13) / 4 - 1
v = (seq(1, m) %% 3) / 4 - 0.5
w = (seq(1, n) %% 5) / 4 - 0.5
";

/// Expressions of one number.
const SCALARS: &[&str] = &[
    "mean((X - U %*% t(V))^2)",
    "sum((X - U %*% t(V))^2) / nrow(X)",
    "sum((X - U %*% t(V))^2) / length(X)",
    "mean(t(X) %*% Y)",
    "sum(U %*% t(V) + 1)",
    "sum(X * (w %*% t(v)))",
    "sum(U %*% t(V) * lambda)",
    "sum(matrix(1, rows=nrow(X), cols=ncol(X)) * 2 + X)",
    "sum(matrix(a, rows=nrow(X), cols=ncol(X)) + (Y - w))",
    "sum(X %*% v + X %*% (v * lambda))",
    "nrow(U %*% t(V)) * sum(w)",
    "sum((X - colMeans(X)) %*% V)",
    "sum(X - rowMeans(X))",
    "sum(Y - colSums(Y) / n)",
    "as.scalar(t(w) %*% (X %*% (t(X) %*% w))) / ncol(X)",
    "trace(X %*% t(Y))",
    "sum(rowSums(X) * a + w)",
    "sum(X[1:(n - 1), ] %*% V)",
    "sum(seq(1, nrow(X)) * w)",
    "mean(t(t(X)) > 0)",
];

/// Statements around them: the expression stands for `E`.
const FRAMES: &[&str] = &[
    "print(E)\n",
    "r = E\nprint(r)\n",
    "N = nrow(X)\nr = E / N\nprint(r)\n",
    "if (mode == 2) {\n  v = v + 1\n} else {\n  v = matrix(0, rows=m, cols=1)\n}\nprint(E)\n",
    "if (n > 1000) {\n  w = w * 0\n}\nr = lambda * E\nprint(r)\n",
    "s = 0\nfor (i in 1:3) {\n  s = s + E / i\n}\nprint(s)\n",
    "c = lambda * 2\nr = c * E + c\nprint(r)\n",
];

fn suggestions(script: &str) -> Vec<Suggestion> {
    let parsed = parse(script);
    let analysis = analyze(&parsed, &sumac_analysis::Options::default(), &NoFiles);
    let snapshot = Snapshot::new(parsed, analysis);
    let search = Search {
        options: &Options::default(),
        searches: &Searches::default(),
        store: None,
        cancel: &CancelToken::default(),
    };
    let blocks = UnitBlocks::default().of(&snapshot, "");
    blocks
        .iter()
        .flat_map(|block| suggest(&snapshot, block, search))
        .collect()
}

fn applied(script: &str, suggestions: &[Suggestion]) -> String {
    let mut edits: Vec<TextEdit> = suggestions
        .iter()
        .flat_map(|suggestion| suggestion.edits.to_vec())
        .collect();
    edits.sort_by_key(|edit| edit.range);
    apply_edits(script, &edits)
}

/// What a script prints.
fn printed(script: &str, args: &[(&str, i64)]) -> Vec<String> {
    let parsed = parse(script);
    assert!(parsed.errors().is_empty(), "{script}");
    let mut lines = Vec::new();
    let options = RunOptions {
        args: args
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Value::Int(*value)))
            .collect(),
        base: PathBuf::new(),
        seed: 0,
        cancel: Cancel::default(),
        loader: &|_| Err("there is none".to_owned()),
        planning: sumac_runtime::fused::Planning::default(),
        compression: sumac_runtime::interp::Compression::default(),
        blocks: true,
        wants_variables: false,
        installation: None,
    };
    run(parsed.program(), script, &options, &mut |line| {
        lines.push(line.to_owned());
    })
    .unwrap_or_else(|error| panic!("{error}: {script}"));
    lines
}

#[track_caller]
fn agree(script: &str, optimized: &str, args: &[(&str, i64)]) {
    let (a, b) = (printed(script, args), printed(optimized, args));
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().zip(&b) {
        let (x, y): (f64, f64) = (x.parse().unwrap(), y.parse().unwrap());
        let error = (x - y).abs() / x.abs().max(1.0);
        assert!(
            error < 1e-9,
            "{x} and {y} for {args:?}:\n{script}\nbecomes\n{optimized}"
        );
    }
}

/// The numbers that are written in a text.
fn numbers(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$');
    text.split(|c: char| !is_part(c))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .map(str::to_owned)
        .collect()
}

/// No number of a suggestion comes of what is assumed: each stands in the statement, or is a small one of the algebra.
#[track_caller]
fn writes_no_assumption(script: &str, suggestion: &Suggestion) {
    let before: String = suggestion
        .statement_ranges
        .iter()
        .map(|range| &script[range.start..range.end])
        .collect();
    let own = numbers(&before);
    for edit in suggestion.edits.to_vec() {
        for number in numbers(&edit.new_text).difference(&own) {
            let value: f64 = number.parse().unwrap();
            assert!(value <= 4.0, "{number} in `{}` of\n{script}", edit.new_text);
        }
    }
}

#[test]
fn suggestions_hold_for_other_sizes_arguments_and_defaults() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut changed = 0;
    for _ in 0..SCRIPTS {
        let mut script = HEAD.to_owned();
        for _ in 0..rng.random_range(1..=2) {
            let frame = FRAMES.choose(&mut rng).unwrap();
            script.push_str(&frame.replace('E', SCALARS.choose(&mut rng).unwrap()));
        }
        let found = suggestions(&script);
        for suggestion in &found {
            writes_no_assumption(&script, suggestion);
        }
        let optimized = applied(&script, &found);
        if optimized == script {
            continue;
        }
        changed += 1;
        let other: &[(&str, i64)] = &[("n", 7), ("m", 5), ("k", 2), ("mode", 2), ("a", 3)];
        agree(&script, &optimized, other);
        agree(&script, &optimized, &[("n", 12), ("m", 12), ("k", 12)]);
        agree(
            &script,
            &optimized,
            &[("n", 2001), ("m", 3), ("k", 3), ("a", 1)],
        );
    }
    println!("{changed} of {SCRIPTS} scripts changed");
    assert!(changed * 2 > SCRIPTS, "{changed} of {SCRIPTS}");
}

#[test]
fn a_function_holds_for_other_callers() {
    let function = "score = function(matrix[double] X, matrix[double] s, int n) return (double r) {
  r = sum(X %*% s + X %*% (as.scalar(X[1, 1]) * s) + rowSums(X)) / (nrow(X) - 1) + sum(matrix(n, rows=nrow(X), cols=ncol(X)) + X)
}
";
    let demonstration = "D = matrix(seq(1, 200000), rows=5000, cols=40)\nprint(score(D, matrix(0, rows=40, cols=1), 0))\n";
    let script = format!("{function}{demonstration}");
    let found = suggestions(&script);
    for suggestion in &found {
        writes_no_assumption(&script, suggestion);
    }
    let optimized = applied(&script, &found);
    let other =
        "X = matrix(seq(1, 30), rows=6, cols=5)\nprint(score(X, matrix(1, rows=5, cols=1), 3))\n";
    let called = |text: &str| text.replace(demonstration, other);
    assert_ne!(called(&optimized), optimized);
    agree(&called(&script), &called(&optimized), &[]);
}

#[test]
fn what_the_one_call_passes_as_a_vector_may_be_none() {
    let function = "error = function(matrix[double] X, matrix[double] U, matrix[double] V) return (matrix[double] R) {
  R = (U %*% t(V) - X) %*% V
}
";
    let data = |n: usize, m: usize, k: usize| {
        format!(
            "X = matrix(seq(1, {n} * {m}), rows={n}, cols={m}) / 100\nU = matrix(seq(1, {n} * {k}), rows={n}, cols={k}) / 10\nV = matrix(seq(1, {m} * {k}), rows={m}, cols={k}) / 10\nprint(sum(error(X, U, V)))\n"
        )
    };
    let script = format!("{function}{}", data(2000, 3000, 1));
    let optimized = applied(&script, &suggestions(&script));
    let called = |text: &str| text.replace(&data(2000, 3000, 1), &data(6, 5, 3));
    assert_ne!(called(&optimized), optimized);
    agree(&called(&script), &called(&optimized), &[]);
}

#[test]
fn forms_with_a_size_are_suggested_where_the_original_is_too_dear_to_run() {
    let head = "#@ X: 100000 x 50000, sparsity 0.0001\n#@ U: 100000 x 10\n#@ V: 50000 x 10\n#@ W: 50000 x 3\nX = read($X)\nU = read($U)\nV = read($V)\nW = read($W)\n";
    for (statement, size) in [
        ("r = mean((X - U %*% t(V))^2)", "X)"),
        ("r = sum((X - U %*% t(V))^2) / nrow(X)", "nrow(X)"),
        ("r = sum((X - U %*% t(V))^2) / length(X)", "X)"),
        ("r = mean(U %*% t(V))", "nrow("),
        ("r = (X - colMeans(X)) %*% W", "X"),
    ] {
        let script = format!("{head}{statement}\nprint(sum(abs(r)))\n");
        let found = suggestions(&script);
        let [suggestion] = found.as_slice() else {
            panic!("{} suggestions for {statement}", found.len());
        };
        assert!(
            suggestion.optimized.contains(size),
            "{}",
            suggestion.optimized
        );
        writes_no_assumption(&script, suggestion);
    }
}

#[test]
fn what_cancels_to_zero_is_suggested() {
    let head = "#@ A: 2000 x 1000\n#@ B: 1000 x 2000\nA = read($A)\nB = read($B)\n";
    let script = format!("{head}r = trace(A %*% B) - trace(B %*% A)\nprint(r)\n");
    assert_eq!(suggestions(&script).len(), 1);
}

#[test]
fn digits_that_the_written_form_keeps_are_not_lost_unsaid() {
    let head = "#@ X: 100000 x 100, sparsity 0.01\nX = read($X)\n";
    let script =
        format!("{head}Z = X - colMeans(X)\nS = (t(Z) %*% Z) / (nrow(X) - 1)\nprint(sum(S))\n");
    let found = suggestions(&script);
    assert!(found.iter().all(|it| it.loss().is_some()), "{found:?}");
}
