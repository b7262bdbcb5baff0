//! The command line as people and programs use it: the real binary, its exit codes and its output.

mod applying;
mod array;
mod calibrate;
mod configuration;
mod explanations;
mod format;
mod fuse;
mod hostile;
mod loops;
mod optimize;
mod python;
mod sketches;
#[path = "../support/mod.rs"]
mod support;
mod vectors;

use std::process::{Command, Output};

use serde_json::Value;
use support::{Folder, LOSS};

fn code(output: &Output) -> i32 {
    output.status.code().expect("it ended by itself")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[track_caller]
fn json(output: &Output) -> Value {
    serde_json::from_str(&stdout(output))
        .unwrap_or_else(|error| panic!("{error}: {}{}", stdout(output), stderr(output)))
}

#[test]
fn wrong_usage_exits_64_and_says_so_on_the_standard_error() {
    let folder = Folder::new(&[("a.dml", "x = 1\nprint(x)\n")]);
    for args in [
        &["frobnicate"][..],
        &[],
        &["parse"],
        &["optimize", "a.dml", "--cost", "beauty"],
        &["optimize", "a.dml", "--lines", "9:1"],
        &["explain", "a.dml"],
        &["explain", "a.dml:99"],
        &["check", "a.dml", "--set", "novalue"],
        &["check", "a.dml", "--facts", "X: ten x 20 30"],
    ] {
        let output = folder.sumac(args);
        assert_eq!(code(&output), 64, "{args:?}: {}", stderr(&output));
        assert_eq!(stdout(&output), "", "{args:?}");
        assert_ne!(stderr(&output), "", "{args:?}");
    }
}

#[test]
fn help_and_version_are_results() {
    let folder = Folder::new(&[]);
    for args in [&["--help"][..], &["--version"], &["run", "--help"]] {
        let output = folder.sumac(args);
        assert_eq!(code(&output), 0);
        assert_ne!(stdout(&output), "", "{args:?}");
    }
    assert!(
        !stdout(&folder.sumac(&["--help"])).contains("worker"),
        "for the server only"
    );
}

#[test]
fn parse_prints_one_line_a_file() {
    let folder = Folder::new(&[
        ("good.dml", "x = 1\n"),
        ("bad.dml", "y = 2\nx = (1 +\nz = \n"),
    ]);
    let output = folder.sumac(&["parse", "good.dml", "bad.dml"]);
    assert_eq!(code(&output), 1);
    let text = stdout(&output);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert_eq!(lines[0], "good.dml: ok");
    assert!(
        lines[1].starts_with("bad.dml:2:") || lines[1].starts_with("bad.dml:3:"),
        "{text}"
    );
    let report = json(&folder.sumac(&["parse", "--format", "json", "good.dml", "bad.dml"]));
    assert_eq!(report[0]["ok"], true);
    assert_eq!(report[1]["ok"], false);
    assert!(report[1]["errors"][0]["line"].is_u64());
}

#[test]
fn a_folder_stands_for_the_scripts_in_it() {
    let folder = Folder::new(&[("b.dml", "x = (\n"), ("a.dml", "print(1)\n")]);
    std::fs::write(folder.path().join("notes.txt"), "x = (").unwrap();
    let output = folder.sumac(&["parse", ".", "a.dml"]);
    let text = stdout(&output);
    let files: Vec<_> = text.lines().map(|line| line.split(':').next()).collect();
    assert_eq!(files, [Some("./a.dml"), Some("./b.dml"), Some("a.dml")]);
    let problems = json(&folder.sumac(&["check", "--format", "json", "."]));
    assert_eq!(problems[0]["file"], "./b.dml", "{problems}");
}

#[test]
fn what_is_no_script_is_refused_in_words() {
    let folder = Folder::new(&[]);
    std::fs::write(
        folder.path().join("garbage.dml"),
        [b'x', b'\n', 0xff, 0xfe, 0],
    )
    .unwrap();
    for command in ["parse", "check", "facts", "optimize", "run"] {
        // A folder stands for the scripts in it where more than one makes sense.
        let folder_is = match command {
            "parse" | "check" => "UTF-8",
            _ => "directory",
        };
        for (file, word) in [
            ("missing.dml", "no such"),
            (".", folder_is),
            ("garbage.dml", "UTF-8"),
        ] {
            let output = folder.sumac(&[command, file]);
            assert_eq!(code(&output), 1, "{command} {file}");
            let said = stdout(&output) + &stderr(&output);
            assert!(said.contains(word), "{command} {file}: {said}");
            assert!(!said.contains("panicked"), "{command} {file}: {said}");
        }
    }
}

#[test]
fn check_shows_the_place_and_both_shapes() {
    let script = "#@ A: 10 x 20\n#@ B: 30 x 40\nA = read($A)\nB = read($B)\nprint(sum(A %*% B))\n";
    let folder = Folder::new(&[("a.dml", script), ("good.dml", LOSS)]);
    let output = folder.sumac(&["check", "a.dml"]);
    assert_eq!(code(&output), 1);
    let text = stdout(&output);
    for part in ["shape-mismatch", "a.dml:5:11", "10 x 20", "30 x 40"] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    let found = json(&folder.sumac(&["check", "--format", "json", "a.dml"]));
    let mismatch = &found
        .as_array()
        .unwrap()
        .iter()
        .find(|d| d["code"] == "shape-mismatch")
        .unwrap();
    assert_eq!(
        (mismatch["line"].as_u64(), mismatch["severity"].as_str()),
        (Some(5), Some("error"))
    );
    assert_eq!(code(&folder.sumac(&["check", "good.dml"])), 0);
}

#[test]
fn facts_come_from_the_script_and_from_the_command_line() {
    let script = "#@ X: n x 20, sparsity 0.1\nX = read($X)\ny = rowSums(X)\nw = X * 2\nz = foo(X)\nwrite(y + w, $o)\nwrite(z, $o)\n";
    let folder = Folder::new(&[("a.dml", script)]);
    let rows = json(&folder.sumac(&["facts", "--format", "json", "a.dml"]));
    let row = |name: &str| {
        rows.as_array()
            .unwrap()
            .iter()
            .find(|r| r["name"] == name)
            .unwrap()
            .clone()
    };
    assert_eq!(row("X")["rows"], "n", "symbolic sizes are text");
    assert_eq!(row("X")["cols"], 20);
    assert_eq!(row("X")["sparsity"], 0.1);
    assert_eq!(row("X")["kind"], "matrix");
    assert_eq!(row("X")["line"], 2);
    assert_eq!(row("y")["cols"], 1);
    assert_eq!(row("z")["rows"], Value::Null, "unknown is null");
    let grounds = serde_json::json!(["X (#@ line 1)"]);
    assert_eq!(
        row("w")["sparsity_from"],
        grounds,
        "an estimate tells its grounds"
    );
    assert_eq!(row("X")["sparsity_from"], serde_json::json!([]));
    let rows = json(&folder.sumac(&["facts", "--format", "json", "a.dml", "--facts", "n = 500"]));
    assert_eq!(rows[0]["rows"], 500);
}

#[test]
fn facts_come_from_metadata_beside_the_script_or_in_the_working_directory() {
    let folder = Folder::new(&[("here.csv", "1,2\n3,4\n5,6\n")]);
    let mtd =
        "{\"data_type\": \"matrix\", \"rows\": 3, \"cols\": 2, \"nnz\": 6, \"format\": \"csv\"}";
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    for (name, text) in [
        ("here.csv.mtd", mtd.to_owned()),
        ("sub/beside.csv", "1\n".to_owned()),
        ("sub/beside.csv.mtd", mtd.replace(['3', '2', '6'], "1")),
        (
            "sub/a.dml",
            "A = read($A)\nB = read(\"beside.csv\")\nprint(sum(A) + sum(B))\n".to_owned(),
        ),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let args = [
        "facts",
        "--format",
        "json",
        "sub/a.dml",
        "--set",
        "A=here.csv",
    ];
    let rows = json(&folder.sumac(&args));
    assert_eq!(
        (rows[0]["rows"].as_u64(), rows[0]["cols"].as_u64()),
        (Some(3), Some(2)),
        "{rows}"
    );
    assert_eq!(
        (rows[1]["rows"].as_u64(), rows[1]["cols"].as_u64()),
        (Some(1), Some(1)),
        "{rows}"
    );
}

#[test]
fn explain_prints_the_proof_of_a_line() {
    let folder = Folder::new(&[("loss.dml", LOSS)]);
    let output = folder.sumac(&["explain", "loss.dml:7"]);
    assert_eq!(code(&output), 0);
    let text = stdout(&output);
    assert!(
        text.contains("sum((X - U %*% t(V))^2)") && text.contains("step"),
        "{text}"
    );
    assert_eq!(
        code(&folder.sumac(&["explain", "loss.dml:1"])),
        1,
        "nothing to explain there"
    );
}

#[test]
fn prove_decides_by_its_exit_code() {
    let folder = Folder::new(&[]);
    let prove = |lhs, rhs| {
        folder.sumac(&[
            "prove",
            lhs,
            rhs,
            "--decl",
            "A: 30 x 20",
            "--decl",
            "B: 20 x 10, sparsity 0.5",
        ])
    };
    let proved = prove("sum(A %*% B)", "sum(t(colSums(A)) * rowSums(B))");
    assert_eq!(code(&proved), 0, "{}", stderr(&proved));
    let refuted = prove("sum(A %*% B)", "sum(A) * sum(B)");
    assert_eq!(code(&refuted), 1, "{}", stderr(&refuted));
    let text = stdout(&refuted);
    assert!(
        text.contains("A =") && text.contains("B ="),
        "the inputs are printed: {text}"
    );
    assert_eq!(code(&prove("sum(A %*%", "1")), 64);
    assert_eq!(
        code(&prove("sum(A %*% A)", "1")),
        64,
        "the shapes do not fit"
    );
    let open = prove("rev(A) %*% B", "rev(A %*% B)");
    assert_eq!(code(&open), 2, "{}{}", stdout(&open), stderr(&open));
    let sometimes = prove("exp(log(A))", "A");
    assert_eq!(code(&sometimes), 0, "{}", stderr(&sometimes));
    assert!(
        stdout(&sometimes).starts_with("proved where A > 0"),
        "{}",
        stdout(&sometimes)
    );
    let function = prove("inv(t(A) %*% A)", "inv(t(A) %*% A) + 0");
    assert_eq!(code(&function), 0, "{}", stderr(&function));
    let function = prove("inv(t(A) %*% A)", "t(A) %*% A");
    assert_ne!(code(&function), 0, "{}", stderr(&function));
}

#[test]
fn an_assert_that_does_not_hold_fails_a_check() {
    let script =
        |claim: &str| format!("#@ A: 4 x 3\nA = read($A)\n#@ assert {claim}\nprint(sum(A))\n");
    let folder = Folder::new(&[
        ("good.dml", &script("sum(t(A)) == sum(colSums(A))")),
        ("bad.dml", &script("sum(A) == sum(A^2)")),
        ("open.dml", &script("exp(log(A)) == A")),
    ]);
    let check = |file| folder.sumac(&["check", file]);
    let good = check("good.dml");
    assert_eq!((code(&good), stdout(&good)), (0, String::new()));
    let bad = check("bad.dml");
    assert_eq!(code(&bad), 1);
    assert!(
        stdout(&bad).contains("error[failed-assert]"),
        "{}",
        stdout(&bad)
    );
    let open = check("open.dml");
    assert_eq!(code(&open), 0);
    assert!(
        stdout(&open).contains("info[undecided-assert]"),
        "{}",
        stdout(&open)
    );
}

#[test]
fn run_prints_what_the_script_prints() {
    let script = "x = as.double($1)\ny = $k\nprint(\"got \" + (x + 1) + \" \" + y)\n";
    let folder = Folder::new(&[
        ("a.dml", script),
        ("stop.dml", "print(1)\nstop(\"enough\")\n"),
    ]);
    let output = folder.sumac(&["run", "a.dml", "-nvargs", "k=7", "-args", "2"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(stdout(&output), "got 3.0 7\n");
    let stopped = folder.sumac(&["run", "stop.dml"]);
    assert_eq!((code(&stopped), stdout(&stopped).as_str()), (1, "1\n"));
    assert!(stderr(&stopped).contains("enough"), "{}", stderr(&stopped));
}

#[test]
fn time_measures_both_forms() {
    let small = LOSS.replace("20000", "2000").replace("10000", "1000");
    let folder = Folder::new(&[("loss.dml", &small)]);
    let output = folder.sumac(&["time", "--format", "json", "loss.dml:7"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let timed = json(&output);
    for side in ["original", "optimized"] {
        assert!(timed[side]["ms_median"].as_f64() > Some(0.0), "{timed}");
        assert!(
            timed[side]["ms_min"].as_f64() <= timed[side]["ms_median"].as_f64(),
            "{timed}"
        );
        assert!(timed[side]["runs"].as_u64() >= Some(3) && timed[side]["peak_bytes"].is_u64());
        assert!(
            timed[side]["ms_low"].as_f64() <= timed[side]["ms_high"].as_f64(),
            "{timed}"
        );
        assert!(timed[side]["outliers"].is_u64(), "{timed}");
        let roofline = &timed[side]["roofline"];
        for figure in [
            "bytes_per_second",
            "of_bandwidth",
            "flops_per_second",
            "of_peak",
        ] {
            assert!(roofline[figure].as_f64() > Some(0.0), "{timed}");
        }
    }
    assert_eq!(timed["seed"], 1);
    assert_eq!(timed["engine"], "local");
    assert_eq!(timed["inputs"], "synthetic");
    assert_eq!(timed["scale"], 1.0);
}

#[test]
fn time_says_how_its_data_was_made_up_and_how_sure_it_is() {
    let small = LOSS.replace("20000", "2000").replace("10000", "1000");
    let folder = Folder::new(&[("loss.dml", &small)]);
    let output = folder.sumac(&[
        "time",
        "--spread",
        "power-law",
        "--data-seed",
        "7",
        "loss.dml:7",
    ]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    for words in [
        "(95 %: ",
        "of the assumed machine's bandwidth",
        "seed 7, non-zeros by a power law",
    ] {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn a_run_writes_where_it_was_started_and_elsewhere_only_if_that_is_allowed() {
    let elsewhere = Folder::new(&[]);
    // A path that the script makes up, and that the person did not name.
    let script = format!(
        "out = ifdef($out, \"{}/made_up.txt\")\nwrite(matrix(1, 2, 2), out)\n",
        elsewhere.path().display()
    );
    let folder = Folder::new(&[("save.dml", &script)]);
    let run = |more: &[&str]| folder.sumac(&[&["run", "save.dml"], more].concat());
    let inside = run(&["-nvargs", "out=m.txt"]);
    assert_eq!(code(&inside), 0, "{}", stderr(&inside));
    let outside = run(&[]);
    assert_eq!(code(&outside), 1);
    for words in ["save.dml", "may not write there", "--allow-write"] {
        assert!(stderr(&outside).contains(words), "{}", stderr(&outside));
    }
    assert!(!elsewhere.path().join("made_up.txt").exists());
    let allowed = run(&["--allow-write", &elsewhere.path().to_string_lossy()]);
    assert_eq!(code(&allowed), 0, "{}", stderr(&allowed));
    let named = elsewhere.path().join("named.txt");
    let by_name = run(&["-nvargs", &format!("out={}", named.display())]);
    assert_eq!(code(&by_name), 0, "{}", stderr(&by_name));
    assert!(named.is_file());
}

#[test]
fn what_does_not_fit_is_timed_at_a_stated_smaller_scale() {
    let folder = Folder::new(&[("loss.dml", LOSS)]);
    let output = folder.sumac(&["time", "--format", "json", "--memory", "100M", "loss.dml:7"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let timed = json(&output);
    assert!(timed["scale"].as_f64() < Some(1.0), "{timed}");
    assert!(timed["needs_bytes"].as_f64() > Some(1e9), "{timed}");
}

#[test]
fn what_would_take_minutes_is_timed_at_a_stated_smaller_scale() {
    let script = "#@ A: 30000 x 30000\n#@ v: 30000 x 1\nA = read($A)\nv = read($v)\nx = A %*% A %*% v\nprint(sum(x))\n";
    let folder = Folder::new(&[("powers.dml", script)]);
    let output = folder.sumac(&[
        "time",
        "--format",
        "json",
        "--timeout",
        "600",
        "powers.dml:5",
    ]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let timed = json(&output);
    assert!(timed["scale"].as_f64() < Some(1.0), "{timed}");
    assert!(timed["needs_seconds"].as_f64() > Some(10.0), "{timed}");
}
