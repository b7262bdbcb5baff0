//! `sumac optimize`.

use super::*;

#[test]
fn optimize_shows_a_diff_applies_it_and_reports_it() {
    let folder = Folder::new(&[("loss.dml", LOSS)]);
    let diff = stdout(&folder.sumac(&["optimize", "loss.dml"]));
    assert!(
        diff.contains("-loss = sum((X - U %*% t(V))^2)\n+loss = "),
        "{diff}"
    );
    assert!(diff.contains("@@"), "{diff}");

    let output = folder.sumac(&["optimize", "--format", "json", "loss.dml"]);
    assert_eq!(code(&output), 0);
    let rows = json(&output);
    let row = &rows[0];
    assert_eq!(
        (row["line"].as_u64(), row["end_line"].as_u64()),
        (Some(7), Some(7))
    );
    assert!(
        row["flops"]["original"].as_f64()
            > Some(100.0 * row["flops"]["optimized"].as_f64().unwrap())
    );
    assert!(
        row["check"]["max_relative_error"].as_f64().unwrap() < 1e-6,
        "{row}"
    );
    assert!(["canonical", "steps"].contains(&row["proof"].as_str().unwrap()));
    let keys = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    for key in [
        "file",
        "original",
        "optimized",
        "statement",
        "cost",
        "needs",
        "assumes",
        "search",
    ] {
        assert!(keys(row).contains(&key.to_owned()), "{key}");
    }
    for key in [
        "strategy",
        "extraction",
        "iterations",
        "enodes",
        "eclasses",
        "stopped",
        "milliseconds",
    ] {
        assert!(keys(&row["search"]).contains(&key.to_owned()), "{key}");
    }

    assert_eq!(folder.read("loss.dml"), LOSS, "shown, not written");
    assert_eq!(code(&folder.sumac(&["optimize", "--apply", "loss.dml"])), 0);
    let applied = folder.read("loss.dml");
    assert_eq!(
        applied,
        LOSS.replace(
            "loss = sum((X - U %*% t(V))^2)",
            row["statement"].as_str().unwrap()
        )
    );
    assert_eq!(
        json(&folder.sumac(&["optimize", "--format", "json", "loss.dml"])),
        serde_json::json!([])
    );
}

#[test]
fn a_search_ends_where_its_graph_would_take_more_memory_than_it_may() {
    let folder = Folder::new(&[("loss.dml", LOSS)]);
    let search = |args: &[&str]| {
        let all = [&["optimize", "--format", "json", "loss.dml"], args].concat();
        json(&folder.sumac(&all))[0]["search"].clone()
    };
    let (whole, bounded) = (search(&[]), search(&["--max-graph-memory", "200K"]));
    assert_ne!(whole["stopped"], "memory limit");
    // The form is there already: the planned polyterm stands before the first rule.
    assert_eq!(bounded["stopped"], "memory limit", "{bounded}");
    assert!(bounded["enodes"].as_u64() < whole["enodes"].as_u64());
    let file = folder.path().join("sumac.toml");
    std::fs::write(&file, "[search]\nmax-graph-memory = \"200K\"\n").unwrap();
    assert_eq!(search(&[])["enodes"], bounded["enodes"]);
    let said = search(&["--max-graph-memory", "1G"]);
    assert_eq!(said["enodes"], whole["enodes"]);
}

#[test]
fn exact_extraction_says_whether_its_form_is_the_cheapest() {
    let folder = Folder::new(&[("loss.dml", LOSS)]);
    let row = |args: &[&str]| {
        let all = [&["optimize", "--format", "json", "loss.dml"], args].concat();
        json(&folder.sumac(&all))[0].clone()
    };
    let (greedy, exact) = (row(&[]), row(&["--extract", "ilp"]));
    assert_eq!(greedy["search"]["extraction"], "greedy");
    assert_eq!(greedy["search"]["optimal"], Value::Null);
    assert_eq!(exact["search"]["extraction"], "ilp");
    assert_eq!(exact["search"]["optimal"], true, "{exact}");
    assert_eq!(exact["search"]["gap"], 0.0);
    let cost = |row: &Value| row["cost"]["optimized"].as_f64().unwrap();
    assert!(cost(&exact) <= cost(&greedy), "{exact} {greedy}");

    std::fs::write(
        folder.path().join("sumac.toml"),
        "[search]\nextract = \"ilp\"\n",
    )
    .unwrap();
    assert_eq!(row(&[])["search"]["extraction"], "ilp");
    assert_eq!(
        row(&["--extract", "greedy"])["search"]["extraction"],
        "greedy"
    );
    let explained = folder.sumac(&["explain", "loss.dml:7"]);
    let text = stdout(&explained);
    assert!(
        text.contains("(ilp extraction)") && text.contains("None of the forms found is cheaper."),
        "{text}"
    );
}

#[test]
fn alternatives_are_other_forms_from_cheap_to_dear() {
    let folder = Folder::new(&[("loss.dml", LOSS)]);
    let ask = |args: &[&str]| {
        let all = [&["optimize", "loss.dml"], args].concat();
        let output = folder.sumac(&all);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        output
    };
    let row = json(&ask(&["--alternatives", "3", "--format", "json"]))[0].clone();
    let others = row["alternatives"].as_array().unwrap();
    assert_eq!(others.len(), 3, "{row}");
    let cost = |row: &Value| row["cost"]["optimized"].as_f64().unwrap();
    assert!(others.is_sorted_by(|a, b| cost(a) <= cost(b)), "{row}");
    for other in others {
        assert_ne!(other["optimized"], row["optimized"]);
        assert_eq!(other["proof"], "canonical");
        assert!(other["check"]["max_relative_error"].as_f64().unwrap() < 1e-9);
        assert!(cost(other) < row["cost"]["original"].as_f64().unwrap());
    }
    let text = stdout(&ask(&["--alternatives", "2"]));
    for other in &others[..2] {
        assert!(
            text.contains(other["statement"].as_str().unwrap()),
            "{text}"
        );
    }
    assert!(text.contains("# line 7, alternative 2: about "), "{text}");
    assert!(!stdout(&ask(&[])).contains("alternative"));
}

#[test]
fn lines_restrict_the_search() {
    let folder = Folder::new(&[("loss.dml", LOSS)]);
    let rows = |lines| {
        json(&folder.sumac(&["optimize", "--format", "json", "--lines", lines, "loss.dml"]))
    };
    assert_eq!(rows("1:6"), serde_json::json!([]));
    assert_eq!(rows("7").as_array().unwrap().len(), 1);
}

#[test]
fn the_engine_decides_what_is_worth_suggesting() {
    let minus = "#@ X: 20000 x 10000, sparsity 0.001\n#@ U: 20000 x 10\n#@ V: 10000 x 10\nX = read($X)\nU = read($U)\nV = read($V)\nloss = sum((X - U %*% t(V))^2)\nprint(loss)\n";
    let plus = minus.replace("X - U", "X + U");
    let folder = Folder::new(&[("minus.dml", minus), ("plus.dml", &plus)]);
    let suggestions = |engine: &str, file: &str| {
        let rows = json(&folder.sumac(&[
            "optimize",
            "--format",
            "json",
            "--cost-engine",
            engine,
            file,
        ]));
        rows.as_array().unwrap().len()
    };
    assert_eq!(suggestions("local", "minus.dml"), 1);
    assert_eq!(suggestions("systemds", "minus.dml"), 0, "SystemDS fuses it");
    assert_eq!(suggestions("systemds", "plus.dml"), 1, "which it does not");
}

#[test]
fn on_spark_what_no_driver_holds_is_priced_by_the_cluster() {
    let script = |rows: &str| {
        format!(
            "#@ X: {rows} x 100\n#@ v: 100 x 1\nX = read($X)\nv = read($v)\ny = t(X) %*% X %*% v\nprint(sum(y))\n"
        )
    };
    let (small, large) = (script("100000"), script("100000000"));
    let folder = Folder::new(&[("small.dml", &small), ("large.dml", &large)]);
    let costs = |engine: &str, file: &str| {
        let rows = json(&folder.sumac(&[
            "optimize",
            "--format",
            "json",
            "--cost-engine",
            engine,
            file,
        ]));
        let cost = &rows.as_array().unwrap()[0]["cost"];
        let figure = |which: &str| cost[which].as_f64().unwrap();
        (figure("original"), figure("optimized"))
    };
    assert_eq!(costs("spark", "small.dml"), costs("systemds", "small.dml"));
    let (original, optimized) = costs("spark", "large.dml");
    // Six executors share the work, and a job has to be started.
    assert!(optimized < original && optimized > 0.1);
    assert!(original < costs("systemds", "large.dml").0);
}

#[test]
fn where_nothing_is_found_each_line_says_why() {
    let script = "X = read($X)\nv = read($v)\ny = t(X) %*% X %*% v\nwrite(y, $y)\n";
    let sizes = "#@ X: 300 x 200\n#@ v: 200 x 1\n";
    let folder = Folder::new(&[
        ("unknown.dml", script),
        ("small.dml", &format!("{sizes}{script}")),
        (
            "off.dml",
            &format!(
                "#@ X: 3000 x 2000\n#@ v: 2000 x 1\n{}",
                script.replace("y = t", "#@ off\ny = t")
            ),
        ),
    ]);
    for (args, part) in [
        (
            &["unknown.dml"][..],
            "unknown.dml:3: the sizes of `X`, `v` are not known",
        ),
        (
            &["small.dml"],
            "less than the 1.0 ms that `search.least-saving` asks for",
        ),
        (&["off.dml"], "off.dml:6: hints are off here (`#@ off`)"),
    ] {
        let output = folder.sumac(&[&["optimize"], args].concat());
        let said = stderr(&output);
        assert!(said.contains("nothing cheaper found"), "{said}");
        assert!(said.contains(part), "{part}: {said}");
    }
    let all = folder.sumac(&["optimize", "small.dml", "--least-saving", "0"]);
    assert!(
        stdout(&all).contains("+y = t(X) %*% (X %*% v)"),
        "{}{}",
        stdout(&all),
        stderr(&all)
    );
    let wrong = folder.sumac(&["optimize", "small.dml", "--least-saving", "-1"]);
    assert_eq!(code(&wrong), 64);
}

#[test]
fn reasons_are_those_of_the_lines_that_are_named() {
    let script = "A = rand(rows=300, cols=200)\nB = A %*% A\nC = sum(t(A) %*% sum(\nd = sum(t(A) %*% A)\n\nn = nrow(A)\nprint(n + m)\n";
    let folder = Folder::new(&[("broken.dml", script)]);
    let said = |lines: &str| {
        let args = ["optimize", "broken.dml", "--why", "--lines", lines];
        stderr(&folder.sumac(&args))
    };
    let fourth = said("4:4");
    assert!(
        fourth.contains("broken.dml:4: the statement may belong to what is broken off by the syntax error in line"),
        "{fourth}"
    );
    for other in ["dml:2", "dml:3", "dml:7"] {
        assert!(!fourth.contains(other), "{fourth}");
    }
    let second = said("2:2");
    assert!(
        second.contains("broken.dml:2: the statement has an error: "),
        "{second}"
    );
    assert!(!second.contains("dml:7"), "{second}");
}

#[test]
fn where_reasons_are_asked_for_quick_statements_have_theirs_too() {
    let script = "A = rand(rows=2000, cols=2000, seed=1)\nB = A %*% A\nwrite(B, $B)\nc = sum(A[1, 1:3] * 2)\nwrite(c, $c)\n";
    let folder = Folder::new(&[("two.dml", script)]);
    let said = |args: &[&str]| stderr(&folder.sumac(&[&["optimize", "two.dml"], args].concat()));
    let (all, few) = (said(&["--why"]), said(&[]));
    let quick = "two.dml:4: as written it is estimated to take";
    assert!(all.contains(quick) && all.contains("two.dml:2: "), "{all}");
    assert!(!few.contains(quick) && few.contains("two.dml:2: "), "{few}");
}

#[test]
fn a_fact_that_the_script_contradicts_drives_no_cost() {
    let script =
        "#@ X: 100000 x 50000\nX = rand(rows=30, cols=20)\ns = sum(X %*% t(X))\nprint(s)\n";
    let folder = Folder::new(&[("wrong.dml", script)]);
    let output = folder.sumac(&["optimize", "wrong.dml"]);
    let said = stderr(&output);
    assert!(
        said.contains("wrong.dml:1: this fact about `X` does not hold, and is ignored"),
        "{said}"
    );
    assert!(
        said.contains("nothing cheaper found"),
        "{said}{}",
        stdout(&output)
    );
}
