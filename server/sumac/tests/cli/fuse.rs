//! `sumac fuse`: what it shows to people and to programs.

use expect_test::expect;

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
    assert!(!text.contains("takes"), "nothing is estimated: {text}");
    let report = json(&folder.sumac(&["fuse", "a.dml:6", "--format", "json"]));
    assert!(report["operators"][0]["total_seconds"].is_null());
    assert!(text.contains("(read by several): written down"), "{text}");
    assert!(text.contains("Cell full_agg"), "{text}");
}

#[test]
fn a_line_without_algebra_has_no_plan() {
    let none = "# Nothing\nx = 1\n";
    let folder = Folder::new(&[("a.dml", STEP), ("none.dml", none)]);
    let line = STEP.lines().position(|line| line.contains("%*%")).unwrap() + 1;
    for (place, way) in [
        ("a.dml:1", format!("; the nearest is on line {line}")),
        ("none.dml:1", ", nor anywhere else in the script".to_owned()),
    ] {
        let output = folder.sumac(&["fuse", place]);
        assert_eq!(code(&output), 1);
        let said = format!("{place}: no statement with linear algebra stands there{way}\n");
        assert_eq!(stderr(&output), said);
    }
    assert_eq!(code(&folder.sumac(&["fuse", "a.dml:99"])), 64);
    assert_eq!(code(&folder.sumac(&["fuse", "b.dml:1"])), 1);
}

#[test]
fn a_condition_has_no_partition_and_no_plan_of_one() {
    let folder = Folder::new(&[("a.dml", "i = 0\nwhile (i < 3) {\n  i = i + 1\n}\n")]);
    let text = stdout(&folder.sumac(&["fuse", "a.dml:2"]));
    assert!(
        text.contains("plans: 1 in all, 0 by partition, 0 costed"),
        "{text}"
    );
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

/// A step of a support vector machine over data that no driver holds.
const LARGE: &str = "\
#@ X: 200000000 x 100
#@ Y: 200000000 x 1
#@ out: 200000000 x 1
X = read($X)
Y = read($Y)
out = read($out)
sv = out > 0
g = t(X) %*% (out * sv * Y)
print(sum(g))
";

#[test]
fn on_spark_a_plan_says_what_runs_in_the_driver_and_what_is_sent() {
    let folder = Folder::new(&[("a.dml", LARGE)]);
    let output = folder.sumac(&["fuse", "a.dml:8", "--rates", "spark"]);
    expect![[r#"
        candidates (R row, C cell, O outer, M several aggregates; -1: read from memory;
                    *: cannot end there, .: ends there)
            8 %*%  R(5,-1).  R(5,7).
            7 *    C(-1,-1)  C(6,-1)
            6 *    C(-1,-1)  C(-1,4)
            5 t    R(-1)*
            4 >    C(-1,-1)

        cluster: 26.3 GB in the driver for one operator, 6 executors with 231 GB of data, 13.2 GB of it sent along, blocks of 1000 rows and columns
        plan: 2 fused operators; 14.3 s estimated, 16.1 s without fusion
        plans: 2 in all, 2 by partition, 2 costed
        partition 1: 5 operators, reads X, Y, out, 2 of 2 plans costed, 0 skipped by cost, 0 splits
          %7 -> g (another template): written down

        operator 1: Cell no_agg
          inputs   Y (200000000 x 1), out (200000000 x 1)
          outputs  %7 = out * (out > 0) * Y (200000000 x 1)
          runs     in the driver
          takes    900 ms: write 800 ms, read 100 ms, compute 12.5 ms
          for each cell (r,c) of Y:
            %7[r,c] = out[r,c] * (out[r,c] > 0) * Y[r,c]

        operator 2: Row col_t_agg
          inputs   X (200000000 x 100), %7 = out * (out > 0) * Y (200000000 x 1)
          outputs  g (100 x 1)
          runs     on the cluster; sent to every executor: %7
          takes    13.4 s: write 6.2 µs, read 833 ms, compute 139 ms, move 12.5 s
          for each row r of X:
            g += t(X[r,]) %*% %7[r]

        alone: sum(t(X) %*% (out * (out > 0) * Y))

        a.dml
            4  X = read($X)
            5  Y = read($Y)
            6  out = read($out)
            7  sv = out > 0                 | 1
            8  g = t(X) %*% (out * sv * Y)  | 1 2
            9  print(sum(g))
    "#]].assert_eq(&stdout(&output));
}

#[test]
fn the_cluster_is_the_configured_one() {
    let large = "[cluster]\ndriver-memory = \"1T\"\nexecutors = 2\nblock = 500\n";
    let folder = Folder::new(&[("a.dml", LARGE), ("sumac.toml", large)]);
    let plan = |extra: &[&str]| {
        let all = [&["fuse", "a.dml:8", "--format", "json"], extra].concat();
        json(&folder.sumac(&all))
    };
    let configured = plan(&["--rates", "spark"]);
    assert_eq!(configured["cluster"]["executors"], 2);
    assert_eq!(configured["cluster"]["block"], 500);
    // A driver of that size runs everything itself.
    let operators = configured["operators"].as_array().unwrap();
    assert!(operators.iter().all(|o| o["placement"]["runs"] == "driver"));
    assert!(plan(&["--rates", "systemds"])["cluster"].is_null());
    let small = Folder::new(&[("a.dml", LARGE)]);
    let output = small.sumac(&["fuse", "a.dml:8", "--rates", "spark", "--format", "json"]);
    let of_default = json(&output);
    assert!(of_default.to_string().contains("\"runs\":\"cluster\""));
    let wrong = Folder::new(&[
        ("a.dml", LARGE),
        ("sumac.toml", "[cluster]\nexecutors = 0\n"),
    ]);
    let output = wrong.sumac(&["fuse", "a.dml:8", "--rates", "spark"]);
    assert_eq!(code(&output), 64);
    assert!(
        stderr(&output).contains("a whole number above 0"),
        "{}",
        stderr(&output)
    );
}
