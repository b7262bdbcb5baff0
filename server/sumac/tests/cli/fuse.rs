//! `sumac fuse`: what it shows to people and to programs.

use crate::{Folder, LOSS, code, json, stderr, stdout};

/// The inner loop of multinomial logistic regression.
const STEP: &str = "\
#@ X: 200000 x 100
#@ P: 200000 x 5
#@ V: 100 x 4
X = read($X)
P = read($P)
V = read($V)
K = 4
Q = P[, 1:K] * (X %*% V)
H = t(X) %*% (Q - P[, 1:K] * rowSums(Q))
print(sum(H))
";

#[test]
fn a_block_is_shown_with_its_candidates_its_operators_and_its_lines() {
    let folder = Folder::new(&[("a.dml", STEP)]);
    let output = folder.sumac(&["fuse", "a.dml:9"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    for part in [
        "R(-1,-1)",
        "plan: 1 fused operator;",
        "operator 1: Row col_t_agg_B1",
        "for each row r of X:",
        "b = a * (X[r,] %*% V)",
        "H += t(X[r,]) %*% (b - a * sum(b))",
        "    8  Q = P[, 1:K] * (X %*% V)                  | 1\n",
        "    9  H = t(X) %*% (Q - P[, 1:K] * rowSums(Q))  | 1\n",
        "alone: sum(",
    ] {
        assert!(text.contains(part), "`{part}` in {text}");
    }
}

#[test]
fn programs_get_the_table_the_choice_and_the_operators() {
    let folder = Folder::new(&[("a.dml", LOSS)]);
    let plan = json(&folder.sumac(&["fuse", "a.dml:7", "--format", "json"]));
    assert_eq!(plan["line"], 7);
    assert_eq!(plan["policy"], "cost-based");
    let memo = plan["memo"].as_array().unwrap();
    let product = memo
        .iter()
        .find(|group| group["operator"] == "%*%")
        .unwrap();
    assert_eq!(product["entries"][0]["template"], "Outer");
    assert_eq!(product["entries"][0]["close"], "OpenInvalid");
    // A difference with a dense product is dense: no sparse matrix drives it, so that nothing is Outer.
    let operators = plan["operators"].as_array().unwrap();
    assert_eq!(operators.len(), 1);
    assert_eq!(operators[0]["template"], "Cell");
    assert_eq!(operators[0]["variant"], "full_agg");
    assert!(plan["seconds"].as_f64() < plan["unfused_seconds"].as_f64());
    assert!(plan["plans"]["costed"].as_u64().is_some());
    let none = json(&folder.sumac(&["fuse", "a.dml:7", "--policy", "none", "--format", "json"]));
    assert_eq!(none["operators"].as_array().unwrap().len(), 0);
    assert_eq!(none["seconds"], none["unfused_seconds"]);
}

#[test]
fn without_sizes_only_what_is_read_once_is_fused_and_said_to_be() {
    let script = "\
#@ X: n x m
#@ Y: n x m
X = read($X)
Y = read($Y)
Z = X * Y
print(sum(Z * 2) + sum(exp(Z)))
";
    let folder = Folder::new(&[("a.dml", script)]);
    let output = folder.sumac(&["fuse", "a.dml:6"]);
    let text = stdout(&output);
    assert!(text.contains("sizes are not known"), "{text}");
    assert!(text.contains("(read by several): written down"), "{text}");
    assert!(text.contains("Cell full_agg"), "{text}");
}

#[test]
fn a_line_without_algebra_has_no_plan() {
    let folder = Folder::new(&[("a.dml", STEP)]);
    let output = folder.sumac(&["fuse", "a.dml:1"]);
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).contains("no statement with linear algebra"));
    assert_eq!(code(&folder.sumac(&["fuse", "a.dml:99"])), 64);
    assert_eq!(code(&folder.sumac(&["fuse", "b.dml:1"])), 1);
}

#[test]
fn a_plan_is_measured_on_made_up_data_beside_its_operators() {
    let small = STEP.replace("200000", "3000");
    let folder = Folder::new(&[
        ("a.dml", &small),
        ("b.dml", "#@ X: n x m\nX = read($X)\nprint(sum(X * 2))\n"),
    ]);
    let plan = json(&folder.sumac(&["fuse", "a.dml:9", "--measure", "--format", "json"]));
    let measured = &plan["measured"];
    assert!(measured["fused_ms"].as_f64().unwrap() > 0.0);
    assert!(measured["max_relative_error"].as_f64().unwrap() < 1e-9);
    assert_eq!(measured["declined"], 0);
    // What has no size cannot be made up.
    let refused = folder.sumac(&["fuse", "b.dml:3", "--measure"]);
    assert_eq!(code(&refused), 1);
    assert!(
        stderr(&refused).contains("a size is not known"),
        "{}",
        stderr(&refused)
    );
}
