//! Suggestions over whole scripts: what is found, how it is written, and what is left alone.

use std::path::PathBuf;

use expect_test::{Expect, expect};
use sumac_analysis::Severity;
use sumac_text::{TextEdit, apply_edits};

use super::*;
use crate::fixture::snapshot;
use crate::searches::Searches;
use crate::{CancelToken, UnitBlocks};

mod accuracy;
mod bounds;
mod loops;
mod needs;
mod said;
mod silence;
mod structure;
mod written;

const SIZES: &str = "#@ X: 20000 x 10000, sparsity 0.001
#@ U: 20000 x 10
#@ V: 10000 x 10
";

fn suggestions(script: &str) -> Vec<Suggestion> {
    let snapshot = snapshot(script);
    let options = Options::default();
    let search = Search {
        options: &options,
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

/// The script with all its suggestions applied, without the lines of [`SIZES`].
fn applied(script: &str) -> String {
    let script = format!("{SIZES}{script}");
    let mut edits: Vec<TextEdit> = suggestions(&script)
        .into_iter()
        .flat_map(|s| s.edits.to_vec())
        .collect();
    edits.sort_by_key(|edit| edit.range);
    apply_edits(&script, &edits)
        .strip_prefix(SIZES)
        .expect("facts are never edited")
        .to_owned()
}

#[track_caller]
fn check(script: &str, expected: &Expect) {
    expected.assert_eq(&applied(script));
}

#[test]
fn an_intermediate_that_one_statement_needs_is_inlined_and_comments_stay() {
    check(
        "# the error
E = X - U %*% t(V)
# and its size
loss = sum(E^2)  # squared
print(loss)
",
        &expect![[r#"
            # the error
            # and its size
            loss = sum(X^2) + sum((t(U) %*% U) * (t(V) %*% V)) - 2 * sum(U * (X %*% V))  # squared
            print(loss)
        "#]],
    );
}

#[test]
fn functions_around_a_block_stay_and_are_suggested_for_in_their_places() {
    // One shares its line with a statement that is inlined, one stands behind it, and both have blocks of their own.
    check(
        "f = function(Double a) return (Double b) { b = a } E = X - U %*% t(V)
loss = sum(E^2)
g = function(Matrix[Double] A, Matrix[Double] B, Matrix[Double] C) return (Double s) {
  D = A - B %*% t(C)
  s = sum(D^2)
}
print(loss + f(1) + g(X, U, V))
",
        &expect![[r#"
            f = function(Double a) return (Double b) { b = a } 
            loss = sum(X^2) + sum((t(U) %*% U) * (t(V) %*% V)) - 2 * sum(U * (X %*% V))
            g = function(Matrix[Double] A, Matrix[Double] B, Matrix[Double] C) return (Double s) {
              s = sum(A^2) + sum((t(B) %*% B) * (t(C) %*% C)) - 2 * sum(B * (A %*% C))
            }
            print(loss + f(1) + g(X, U, V))
        "#]],
    );
}

#[test]
fn an_intermediate_that_is_read_elsewhere_stays() {
    check(
        "E = X - U %*% t(V)
loss = sum(E^2)
print(loss + sum(E))
write(E, \"E\")
",
        &expect![[r#"
            E = X - U %*% t(V)
            loss = sum(X^2) + sum((t(U) %*% U) * (t(V) %*% V)) - 2 * sum(U * (X %*% V))
            print(loss + sum(X) - sum(V * colSums(U)))
            write(E, "E")
        "#]],
    );
}

#[test]
fn expressions_inside_other_statements_are_replaced_in_their_place() {
    check(
        "print(\"loss: \" + sum((X + U %*% t(V))^2))\n",
        &expect![[r#"
            print("loss: " + (sum(X^2) + 2 * sum(U * (X %*% V)) + sum((t(U) %*% U) * (t(V) %*% V))))
        "#]],
    );
}

#[test]
fn an_overwritten_variable_is_not_used_for_its_old_value() {
    check(
        "W = U
U = U * 2
G = (U %*% t(V) - X) %*% V
write(G, \"G\")
write(W, \"W\")
write(U, \"U\")
",
        &expect![[r#"
            W = U
            U = U * 2
            G = U %*% (t(V) %*% V) - X %*% V
            write(G, "G")
            write(W, "W")
            write(U, "U")
        "#]],
    );
}

#[test]
fn statements_that_gain_nothing_as_one_are_improved_each_for_itself() {
    check(
        "#@ P: 200000 x 5
#@ w: 100 x 1
p = P[, 1]
#@ Y: 200000 x 100
H = t(Y) %*% ((Y %*% w %*% t(w)) * p)
write(H, \"H\")
",
        &expect![[r##"
            #@ P: 200000 x 5
            #@ w: 100 x 1
            p = P[, 1]
            #@ Y: 200000 x 100
            H = t(Y) %*% ((Y %*% w) * p) %*% t(w)
            write(H, "H")
        "##]],
    );
}

#[test]
fn what_fusion_makes_as_fast_is_no_suggestion() {
    // The difference is computed row by row in one pass, whichever way it is written.
    let script = "#@ P: 200000 x 5
#@ Y: 200000 x 100
H = t(Y) %*% (P[, 1] * Y - P[, 1] * rowSums(P) * Y)
write(H, \"H\")
";
    assert!(suggestions(script).is_empty());
}

#[test]
fn what_has_a_variable_of_its_own_is_formed() {
    // As one DAG it would be one pass over the non-zeros of X; a run computes the product first.
    let script = "#@ X: 20000 x 10000, sparsity 0.001
#@ U: 20000 x 10
#@ V: 10000 x 10
print(sum(X * (U %*% t(V)) * exp(U %*% t(V))))
";
    let snapshot = snapshot(script);
    let block = &snapshot.analysis.blocks[0];
    let mut form = block.dag.clone();
    form.push_root(block.statements[0].parts[0].root);
    let options = Options::default();
    let (one, several) = (
        estimate::cost_as_written(&form, &options).unwrap(),
        estimate::cost(&form, &options).unwrap(),
    );
    assert!(one.peak_bytes < 1e8, "{one:?}");
    assert!(several.peak_bytes > 1e9, "{several:?}");
    assert!(several.seconds > 10.0 * one.seconds);
}

#[test]
fn a_suggestion_says_how_it_runs() {
    let script = "#@ X: 20000 x 100
#@ v: 100 x 1
X = read($X)
v = read($v)
g = (t(X) %*% X) %*% v
write(g, \"g\")
";
    let found = suggestions(script);
    let [one] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(one.optimized, "t(X) %*% (X %*% v)");
    let program = one.runs_as.join("\n");
    assert!(program.contains("for each row r of X"), "{program}");
}

#[test]
fn silenced_and_unknown_and_cheap_statements_have_no_suggestion() {
    assert!(
        suggestions(&format!(
            "{SIZES}#@ off\nloss = sum((X - U %*% t(V))^2)\nprint(loss)\n"
        ))
        .is_empty()
    );
    assert!(suggestions("A = read(\"a\")\nprint(sum((A + A)^2))\n").is_empty());
    assert!(suggestions("#@ A: 3 x 3\n#@ B: 3 x 3\nprint(sum(A %*% B))\n").is_empty());
}

#[test]
fn each_suggestion_is_proved_and_checked_and_says_what_it_assumes() {
    let found = suggestions(&format!(
        "{SIZES}loss = sum((X - U %*% t(V))^2)\nprint(loss)\n"
    ));
    let [one] = found.as_slice() else {
        panic!("{} suggestions", found.len())
    };
    assert!(one.check.max_relative_error < 1e-12);
    assert!(
        one.proof.markdown().contains("distribute"),
        "{}",
        one.proof.markdown()
    );
    assert!(
        one.assumes
            .iter()
            .any(|a| a == "X is 20000 x 10000, sparsity 0.001"),
        "{:?}",
        one.assumes
    );
    assert!(one.before.flops > 100.0 * one.after.flops);
}

#[test]
fn applied_suggestions_leave_no_errors() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("the fixtures are there") {
        let path = entry.expect("readable").path();
        if path.extension().is_none_or(|e| e != "dml") {
            continue;
        }
        let script = std::fs::read_to_string(&path).expect("readable");
        let mut edits: Vec<TextEdit> = suggestions(&script)
            .into_iter()
            .flat_map(|s| s.edits.to_vec())
            .collect();
        edits.sort_by_key(|edit| edit.range);
        let after = snapshot(&apply_edits(&script, &edits));
        let diagnostics = after.analysis.diagnostics.iter();
        let errors: Vec<_> = diagnostics
            .filter(|d| d.severity == Severity::Error)
            .collect();
        assert!(
            errors.is_empty(),
            "{}: {errors:?}\n{}",
            path.display(),
            after.text()
        );
        seen += edits.len();
    }
    assert!(seen > 8, "only {seen} edits over all fixtures");
}

#[test]
fn alternatives_are_cheaper_than_what_is_written_and_differ() {
    let script = format!("{SIZES}E = X - U %*% t(V)\nloss = sum(E^2)\nprint(loss)\n");
    let snapshot = snapshot(&script);
    let options = Options::default();
    let cancel = CancelToken::default();
    let found = suggestions(&script);
    let [suggestion] = found.as_slice() else {
        panic!("one suggestion")
    };
    let searches = Searches::default();
    let search = Search {
        options: &options,
        searches: &searches,
        store: None,
        cancel: &cancel,
    };
    let others = alternatives(&snapshot, suggestion, 3, search);
    assert_eq!(others.len(), 3);
    let mut texts: Vec<&str> = others.iter().map(|other| &*other.optimized).collect();
    texts.push(&suggestion.optimized);
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), 4, "{texts:?}");
    for other in &others {
        assert_eq!(other.statement_ranges, suggestion.statement_ranges);
        assert_eq!(other.original, suggestion.original);
        assert!(other.cost.1 < other.cost.0, "{}", other.optimized);
        assert!(other.check.max_relative_error < 1e-9);
        assert!(!other.proof.0.is_empty());
        let again = sumac_syntax::parse(apply_edits(&script, &other.edits.to_vec()).as_str());
        assert!(again.errors().is_empty(), "{}", other.statement);
    }
    assert!(others.is_sorted_by(|a, b| a.cost.1 <= b.cost.1));

    cancel.cancel();
    assert!(alternatives(&snapshot, suggestion, 3, search).is_empty());
}
