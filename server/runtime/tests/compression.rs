//! Scripts whose matrices are compressed: nobody sees it in the results, and it happens only where a loop surely pays for it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use sumac_runtime::interp::{Compression, RunOptions, RunOutcome, run};
use sumac_runtime::{Cancel, Matrix, Value};

fn run_with(text: &str, compression: Compression) -> (String, RunOutcome) {
    let parsed = sumac_syntax::parse(text);
    assert!(parsed.errors().is_empty(), "{:?}", parsed.errors());
    let options = RunOptions {
        args: BTreeMap::new(),
        base: PathBuf::from("."),
        seed: 1,
        cancel: Cancel::default(),
        loader: &|_| Err("there is none".to_owned()),
        planning: sumac_runtime::fused::Planning::default(),
        compression,
        blocks: true,
        wants_variables: true,
        installation: None,
    };
    let mut printed = String::new();
    let outcome = run(parsed.program(), text, &options, &mut |line| {
        printed.push_str(line);
        printed.push('\n');
    });
    (printed, outcome.unwrap_or_else(|error| panic!("{error}")))
}

/// The rows of the table that say what was compressed.
fn made(outcome: &RunOutcome) -> Vec<&str> {
    let names = outcome.stats.iter().map(|row| row.operator.as_str());
    names.filter(|name| name.starts_with("compress ")).collect()
}

fn assert_same(found: &Value, expected: &Value, name: &str) {
    let (found, expected) = match (found.as_matrix(), expected.as_matrix()) {
        (Some(found), Some(expected)) => (found.clone(), expected.clone()),
        _ => {
            let number = |value: &Value| value.as_number().map(|x| Matrix::fill(1, 1, x));
            match (number(found), number(expected)) {
                (Some(found), Some(expected)) => (found, expected),
                _ => return assert_eq!(found, expected, "{name}"),
            }
        }
    };
    assert_eq!(found.shape(), expected.shape(), "{name}");
    assert_eq!(found.is_sparse(), expected.is_sparse(), "{name}");
    let largest = expected
        .to_cells()
        .iter()
        .fold(1.0, |most: f64, x| most.max(x.abs()));
    for (a, b) in found.to_cells().iter().zip(expected.to_cells()) {
        let is_same = *a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-9 * largest;
        assert!(is_same, "{name}: {a} for {b}");
    }
}

/// Every matrix of a script compressed, and none.
fn compare(text: &str) {
    let (always, compressed) = run_with(text, Compression::Always);
    let (never, plain) = run_with(text, Compression::Never);
    assert!(!made(&compressed).is_empty(), "nothing was compressed");
    assert!(made(&plain).is_empty());
    assert_eq!(always, never);
    assert_eq!(compressed.variables.len(), plain.variables.len());
    for (name, value) in &plain.variables {
        assert_same(&compressed.variables[name], value, name);
    }
}

#[test]
fn a_regression_gives_the_same_compressed() {
    compare(
        "X = round(rand(rows=3000, cols=12, seed=3) * 3)
         y = X %*% matrix(1, rows=12, cols=1) + rand(rows=3000, cols=1, seed=4)
         w = matrix(0, rows=12, cols=1)
         r = -(t(X) %*% y)
         p = -r
         norm = sum(r^2)
         for (i in 1:10) {
           q = t(X) %*% (X %*% p) + 0.001 * p
           a = norm / as.scalar(t(p) %*% q)
           w = w + a * p
           r = r + a * q
           old = norm
           norm = sum(r^2)
           p = -r + norm / old * p
         }
         print(round(sum(abs(t(X) %*% (y - X %*% w)))))",
    );
}

#[test]
fn operators_of_all_kinds_give_the_same_compressed() {
    compare(
        "X = round(rand(rows=2000, cols=10, seed=5) * 4) - 1
         S = X * (rand(rows=2000, cols=10, seed=6, sparsity=0.1) != 0)
         a = sum(X^2)
         b = sum(S * S)
         c = colSums(X) - colMeans(S)
         d = rowSums(abs(X) + 1)
         e = exp(S)
         f = X * d
         g = cbind(X, S)
         g = g[3:20, 2:15]
         X[2, 3] = 0/0
         h = sum(X)
         i = t(X) %*% X
         j = X %*% t(c)
         k = rowIndexMax(S)
         l = table(round(abs(S[, 1])) + 1, round(abs(S[, 2])) + 1)
         m = max(S) + min(X[1, ]) + mean(S)
         n = replace(target=X, pattern=NaN, replacement=7)
         o = S / 2 > 0.5
         p = removeEmpty(target=o, margin=\"rows\")
         print(toString(n[1:3, ]))
         print(nrow(p) + \" \" + ncol(X) + \" \" + length(S))",
    );
}

#[test]
fn functions_branches_and_parallel_loops_give_the_same_compressed() {
    compare(
        "f = function(matrix[double] A, int n) return (matrix[double] B) {
           B = A
           while (n > 0) {
             if (n %% 2 == 0) { B = round(B / 2) } else { B[n, ] = A[1, ] }
             n = n - 1
           }
         }
         X = round(rand(rows=1500, cols=8, seed=9) * 5)
         Y = f(X, 5)
         R = matrix(0, rows=4, cols=8)
         parfor (i in 1:4) { R[i, ] = colSums(Y) * i + X[i, ] }
         X += 1
         Z = list(X, R)
         W = as.matrix(Z[1])
         s = sum(W) + sum(R)
         print(s)",
    );
}

/// A loop over 36 MB of a few values.
fn looping(head: &str, make: &str, body: &str) -> String {
    format!(
        "X = {make}
         v = matrix(1, rows=15, cols=1)
         i = 0
         {head} {{
           q = X %*% v
           {body}
           v = t(X) %*% (q / sum(abs(q)))
           v = v / max(abs(v))
           i = i + 1
         }}
         s = sum(v)"
    )
}

const FEW_VALUES: &str = "round(rand(rows=300000, cols=15, seed=7) * 2)";

#[test]
fn a_long_loop_that_multiplies_is_worth_compressing_for() {
    let text = looping("for (k in 1:300)", FEW_VALUES, "");
    let (_, auto) = run_with(&text, Compression::Auto);
    let names = made(&auto);
    assert!(
        names.len() == 1 && names[0].starts_with("compress X "),
        "{names:?}"
    );
    let ratio: f64 = names[0]["compress X ".len()..]
        .trim_end_matches(":1")
        .parse()
        .unwrap();
    assert!(ratio > 20.0, "15 columns in four bytes: {ratio}");
    let (_, never) = run_with(&text, Compression::Never);
    assert_same(&auto.variables["s"], &never.variables["s"], "s");
    assert!(
        auto.variables["X"].bytes() * 20 < never.variables["X"].bytes(),
        "the plain cells are gone"
    );
}

#[test]
fn a_matrix_that_a_function_reads_in_a_loop_is_compressed_once() {
    let text = format!(
        "step = function(matrix[double] A, matrix[double] v) return (matrix[double] w) {{
           w = v
           for (j in 1:40) {{
             q = A %*% w
             w = t(A) %*% (q / sum(abs(q)))
           }}
         }}
         X = {FEW_VALUES}
         v = matrix(1, rows=15, cols=1)
         for (k in 1:8) {{ v = step(X, v) }}"
    );
    let (_, auto) = run_with(&text, Compression::Auto);
    let rows: Vec<_> = auto
        .stats
        .iter()
        .filter(|row| row.operator.starts_with("compress "))
        .collect();
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(rows[0].count, 1, "{rows:?}");
}

#[test]
fn short_loops_other_uses_noise_and_small_matrices_are_left_alone() {
    for (what, text) in [
        ("a short loop", looping("for (k in 1:5)", FEW_VALUES, "")),
        (
            "a loop of unknown length",
            looping("while (i < 20)", FEW_VALUES, ""),
        ),
        (
            "cells are read",
            looping("for (k in 1:60)", FEW_VALUES, "r = sum(X * q)"),
        ),
        (
            "an index",
            looping("for (k in 1:60)", FEW_VALUES, "r = sum(X[1:200000, 1])"),
        ),
        (
            "no values repeat",
            looping("for (k in 1:100)", "rand(rows=300000, cols=15, seed=7)", ""),
        ),
        (
            "a new matrix each time",
            looping("for (k in 1:60)", FEW_VALUES, "X = X + 1"),
        ),
        (
            "a small matrix",
            looping(
                "for (k in 1:300)",
                "round(rand(rows=3000, cols=15, seed=7) * 2)",
                "",
            ),
        ),
    ] {
        let (_, auto) = run_with(&text, Compression::Auto);
        assert_eq!(made(&auto), Vec::<&str>::new(), "{what}");
    }
}

#[test]
fn what_is_compressed_is_the_same_each_time() {
    let text = looping("for (k in 1:300)", FEW_VALUES, "");
    let of = || {
        let (_, outcome) = run_with(&text, Compression::Auto);
        (made(&outcome).join(", "), outcome.variables["s"].clone())
    };
    assert_eq!(of(), of());
}
