//! Statements without a suggestion say why.

use sumac_text::TextRange;

use super::*;
use crate::searches::Searches;
use crate::{CancelToken, Snapshot};

/// What is said of each statement without a suggestion: its text, and why.
fn silence_of(script: &str, options: &Options) -> Vec<(String, String)> {
    let snapshot = snapshot(script);
    let searches = Searches::default();
    let search = Search {
        options,
        searches: &searches,
        store: None,
        cancel: &CancelToken::default(),
    };
    let blocks = UnitBlocks::default().of(&snapshot, "");
    for block in &blocks {
        let _ = suggest(&snapshot, block, search);
    }
    let text = |range: TextRange| snapshot.text()[range].to_owned();
    let silences = silences(&snapshot, &blocks, &searches).into_iter();
    silences
        .map(|silence| (text(silence.statement), silence.message))
        .collect()
}

#[track_caller]
fn says(script: &str, options: &Options, part: &str) {
    let found = silence_of(script, options);
    assert!(
        found.iter().any(|(_, why)| why.contains(part)),
        "{part}: {found:#?}"
    );
}

#[test]
fn each_reason_is_said() {
    let options = Options::default();
    let sizes = "#@ X: 3000 x 2000\n#@ v: 2000 x 1\nX = read($X)\nv = read($v)\n";
    says(
        &format!("{sizes}y = X %*% v\nwrite(y, $y)\n"),
        &options,
        "no rule leads to a form that is estimated to be cheaper",
    );
    says(
        &format!("{sizes}#@ off\ny = t(X) %*% X %*% v\nwrite(y, $y)\n"),
        &options,
        "hints are off",
    );
    says(
        "X = read($X)\ny = sum(X %*% t(X))\nprint(y)\n",
        &options,
        "the size of `X` is not known",
    );
    says(
        "f = function(matrix[double] A) return (double s) {\n  s = sum(A %*% t(A))\n}\n",
        &options,
        "`#@ A: rows x cols`",
    );
    says(
        "x = matrix(1, rows=3, cols=1)\ny = sum(x * x)\nprint(y)\n",
        &options,
        "nothing could save what is worth a look",
    );
    let short = Options {
        max_nodes: Some(12),
        ..options
    };
    says(
        &format!("{sizes}y = sum(exp(X %*% v)) + sum(X * X * X)\nprint(y)\n"),
        &short,
        "raise it by `search.max-nodes` or `--max-nodes`",
    );
}

#[test]
fn sizes_are_asked_for_where_they_can_be_stated() {
    let script = "f = function(matrix[double] A) return (double s) {\n  s = sum(A %*% t(A))\n}\nX = read($X)\ny = sum(X %*% t(X))\nprint(y)\n";
    let snapshot = snapshot(script);
    let searches = Searches::default();
    let search = Search {
        options: &Options::default(),
        searches: &searches,
        store: None,
        cancel: &CancelToken::default(),
    };
    let blocks = UnitBlocks::default().of(&snapshot, "");
    for block in &blocks {
        let _ = suggest(&snapshot, block, search);
    }
    let silences = silences(&snapshot, &blocks, &searches);
    let asks: Vec<(&str, &str)> = silences
        .iter()
        .flat_map(|silence| &silence.asks)
        .map(|(name, at)| (&**name, script[*at..].lines().next().unwrap_or_default()))
        .collect();
    assert_eq!(asks, [("A", "s = sum(A %*% t(A))"), ("X", "X = read($X)")]);
}

#[test]
fn a_value_that_others_read_counts_on_both_sides() {
    let script =
        format!("{SIZES}E = X - U %*% t(V)\nloss = sum(E^2)\nprint(loss)\nwrite(E, \"E\")\n");
    let found = suggestions(&script);
    let [loss] = found.as_slice() else {
        panic!("{found:#?}")
    };
    let shared = loss.shared.expect("E is written all the same");
    assert!(loss.after.seconds > shared.seconds);
    assert!(loss.speedup() < 3.0, "{}", loss.speedup());
    assert_eq!(loss.pair.original.roots().len(), 2, "both are timed with E");
}

#[test]
fn no_gain_is_without_end() {
    let script = "X = rand(rows=3000, cols=2000, seed=1)\nprint(sum(X - X))\n";
    for found in suggestions(script) {
        assert_eq!(found.gain("about "), "nothing is left to compute");
    }
}

#[test]
fn what_saves_too_little_is_not_shown_and_says_so() {
    let script = "#@ X: 300 x 200\n#@ v: 200 x 1\nX = read($X)\nv = read($v)\ny = t(X) %*% X %*% v\nwrite(y, $y)\n";
    let found = suggestions(script);
    let [small] = found.as_slice() else {
        panic!("{found:#?}")
    };
    assert!(small.saving() < 1e-3 && small.speedup() > 2.0);
    let at = |least_saving: f64| Snapshot {
        least_saving,
        ..snapshot(script).with(small.clone(), true)
    };
    assert_eq!(at(0.0).shown().count(), 1);
    assert_eq!(at(1e-3).shown().count(), 0);
    let why = at(1e-3).why_none(small.range).unwrap();
    assert!(why.contains("less than the 1.0 ms"), "{why}");
}

#[test]
fn what_a_line_cannot_state_is_not_advised() {
    let options = Options::default();
    let script = "f = function(list[unknown] L) return (double s) {\n  s = sum(as.matrix(L[1]) %*% t(as.matrix(L[1])))\n}\n";
    says(script, &options, "in `M = as.matrix(L[1])`");
    for (_, why) in silence_of(script, &options) {
        assert!(!why.contains("#@ as.matrix"), "{why}");
    }
}

#[test]
fn a_value_that_another_line_computes_is_said_to_be_shared() {
    let script = format!("{SIZES}s = sum(U %*% t(V))\nx = sum(U %*% t(V))\nprint(s + x)\n");
    let line = script[..script.find("s = sum").unwrap()]
        .matches('\n')
        .count()
        + 1;
    let part = format!("its value is that of `s` in line {line}");
    says(&script, &Options::default(), &part);
}

#[test]
fn a_value_that_is_read_by_its_name_is_not_advised_to_be() {
    let script = format!("{SIZES}s = sum(U %*% t(V))\nx = s\nprint(s + x)\n");
    for (statement, why) in silence_of(&script, &Options::default()) {
        assert!(!why.contains("write `s`"), "{statement}: {why}");
    }
}

#[test]
fn a_form_that_cannot_be_written_says_which_reason() {
    let script = format!("{SIZES}loss = sum((X - # all\n  U %*% t(V))^2)\nprint(loss)\n");
    says(
        &script,
        &Options::default(),
        "cannot be written here: a comment stands inside what would be replaced",
    );
}

#[test]
fn a_value_that_is_not_finite_is_said_to_be_so_once() {
    let script = format!("{SIZES}k = sum(U %*% t(V)) * sqrt(-1 - sum(U^2))\nprint(k)\n");
    for (statement, why) in silence_of(&script, &Options::default()) {
        assert!(!why.contains("takes too long"), "{statement}: {why}");
        assert!(why.matches("a cheaper form was found").count() < 2, "{why}");
    }
    says(
        &script,
        &Options::default(),
        "the value as written is not finite",
    );
}

#[test]
fn a_statement_with_an_error_says_that() {
    let script =
        "A = matrix(1, rows=300, cols=20)\nB = A %*% A\nz = (A - mu) / 2\nwrite(B + z, $Z)\n";
    let snapshot = snapshot(script);
    for (statement, part) in [("B = A", "300 x 20"), ("z = (A", "`mu`")] {
        let at = script.find(statement).unwrap();
        let why = snapshot.why_none(TextRange::new(at, at)).unwrap();
        assert!(
            why.starts_with("the statement has an error: ") && why.contains(part),
            "{why}"
        );
    }
    let last = script.find("write").unwrap();
    assert_eq!(snapshot.why_none(TextRange::new(last, last)), None);
}

#[test]
fn a_statement_beside_a_broken_one_has_an_answer() {
    let broken = |call: &str| format!("{SIZES}C = X {call}\n  d = sum(X %*% V)\nprint(d)\n");
    let why = |text: &str, part: &str| {
        let line = text[..text.find(part).unwrap()].rfind('\n').unwrap() + 1;
        snapshot(text).why_none(TextRange::new(line, line))
    };
    let swallowed = broken("%*% sum(");
    let said = why(&swallowed, "d = sum").unwrap();
    assert!(
        said.contains("broken off by the syntax error in line"),
        "{said}"
    );
    assert_eq!(why(&swallowed, "C = X").as_deref(), Some(crate::BROKEN));
    let apart = broken("%*% (");
    assert_eq!(why(&apart, "d = sum"), None, "it is searched as any other");
}

/// A step of t-SNE (van der Maaten and Hinton 2008): as one statement it reads its matrices once, and goes over them four times.
#[test]
fn what_computes_more_and_moves_less_must_be_cheaper_where_cores_are_slow() {
    let script = "#@ P: 1500 x 1500
#@ Q: 1500 x 1500
#@ num: 1500 x 1500
#@ Y: 1500 x 2
P = read($P)
Q = read($Q)
num = read($num)
Y = read($Y)
L = (P - Q) * num
G = 4 * (diag(rowSums(L)) %*% Y - L %*% Y)
Y = Y - 10 * G
write(Y, $out)
";
    let found = suggestions(script);
    let written: Vec<_> = found.iter().map(|found| found.optimized.as_str()).collect();
    assert_eq!(written, ["4 * (Y * rowSums(L) - L %*% Y)"]);
}
