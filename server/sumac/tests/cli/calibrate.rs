//! `sumac calibrate`, and which machine costs are for.

use super::*;

impl Folder {
    /// As [`Folder::sumac`], with nothing said about the machine: what is kept in the folder's cache counts.
    fn kept(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_sumac"))
            .args(args)
            .current_dir(self.path())
            .env("NO_COLOR", "1")
            .env_remove("SUMAC_MACHINE")
            .env("XDG_CACHE_HOME", self.path())
            .output()
            .unwrap()
    }
}

/// A machine on which each operator takes a second to start, so that the fewest are the fastest: those of the loss as it is
/// written, which takes 3.2 GB.
const FEW_OPERATORS: &str = r#"{
    "version": 1, "kernels": "none", "cpu": "none", "threads": 1, "machine": {"overhead": 1.0}
}"#;

#[test]
fn a_quick_measurement_shows_every_figure_and_keeps_none_unless_told() {
    let folder = Folder::new(&[]);
    let output = folder.kept(&["calibrate", "--quick"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    for figure in sumac_cost::FIGURES {
        let row = text
            .lines()
            .filter(|line| line.starts_with(&format!("{} ", figure.name)));
        assert_eq!(row.count(), 1, "{}: {text}", figure.name);
    }
    assert!(text.contains("sum((X - U %*% t(V))^2)"), "{text}");
    assert!(stderr(&output).contains("not kept"));
    assert!(!folder.path().join("sumac").exists());

    let json_too = [
        "calibrate",
        "--quick",
        "--format",
        "json",
        "--output",
        "mine.json",
    ];
    let output = folder.kept(&json_too);
    let report = json(&output);
    let machine = &report["machine"];
    assert_eq!(report["file"], "mine.json");
    assert_eq!(
        report["figures"].as_array().unwrap().len(),
        sumac_cost::FIGURES.len()
    );
    for row in report["figures"].as_array().unwrap() {
        let name = row["name"].as_str().unwrap();
        assert_eq!(row["measured"], machine[name], "{name}");
        assert!(row["spread"].as_f64().unwrap() >= 0.0, "{name}");
    }
    assert!(report["check"].as_array().unwrap().len() >= 8);
    let file: Value = serde_json::from_str(&folder.read("mine.json")).unwrap();
    assert_eq!(file["machine"], *machine);
    assert_eq!(file["cpu"], report["cpu"]);

    // Where it is kept, it counts; what `--machine` or the configuration say counts more.
    std::fs::create_dir(folder.path().join("sumac")).unwrap();
    std::fs::copy(
        folder.path().join("mine.json"),
        folder.path().join("sumac/machine.json"),
    )
    .unwrap();
    std::fs::write(folder.path().join("loss.dml"), LOSS).unwrap();
    let optimize = ["optimize", "--format", "json", "loss.dml"];
    let row = |args: &[&str]| {
        let output = folder.kept(&[&optimize[..], args].concat());
        assert_eq!(
            (code(&output), stderr(&output).contains("machine.json")),
            (0, false)
        );
        json(&output)[0].clone()
    };
    let calibrated = row(&[]);
    assert_eq!(calibrated["machine"], "calibrated");
    assert_eq!(calibrated["memory"], machine["memory"]);
    let default = row(&["--machine", "default"]);
    assert_eq!(
        (&default["machine"], &default["memory"]),
        (&"default".into(), &Value::Null)
    );
    assert_ne!(calibrated["cost"], default["cost"]);
    assert_eq!(row(&["--cost", "flops"])["machine"], "default");
    std::fs::write(
        folder.path().join("sumac.toml"),
        "[search]\nmachine = \"default\"\n",
    )
    .unwrap();
    assert_eq!(row(&[])["cost"], default["cost"]);
    assert_eq!(row(&["--machine", "mine.json"])["cost"], calibrated["cost"]);
}

#[test]
fn a_broken_file_that_is_kept_is_told_once_and_the_default_machine_counts() {
    let folder = Folder::new(&[("a.dml", LOSS), ("b.dml", LOSS)]);
    std::fs::create_dir(folder.path().join("sumac")).unwrap();
    for (text, why) in [
        ("{\"version\": 1,", "not written by"),
        (FEW_OPERATORS, "the kernels none"),
    ] {
        std::fs::write(folder.path().join("sumac/machine.json"), text).unwrap();
        let output = folder.kept(&["optimize", "--format", "json", "a.dml", "b.dml"]);
        assert_eq!(code(&output), 0);
        assert_eq!(json(&output)[1]["machine"], "default");
        let told = stderr(&output);
        assert_eq!(told.matches(why).count(), 1, "{told}");
        assert!(
            told.contains("machine.json") && told.contains("`sumac calibrate`"),
            "{told}"
        );
    }
}

#[test]
fn a_machine_that_is_named_must_be_there_and_make_sense() {
    let folder = Folder::new(&[
        ("loss.dml", LOSS),
        ("wrong.json", &FEW_OPERATORS.replace("1.0", "-1.0")),
    ]);
    for command in [
        &["optimize", "loss.dml"][..],
        &["explain", "loss.dml:7"],
        &["time", "loss.dml:7"],
    ] {
        for (file, why) in [("none.json", "none.json"), ("wrong.json", "`overhead`")] {
            let output = folder.sumac(&[command, &["--machine", file]].concat());
            assert_eq!(code(&output), 64, "{command:?}");
            assert!(stderr(&output).contains(why), "{}", stderr(&output));
            assert_eq!(stdout(&output), "");
        }
    }
    std::fs::create_dir(folder.path().join("below")).unwrap();
    std::fs::write(folder.path().join("below/loss.dml"), LOSS).unwrap();
    std::fs::write(
        folder.path().join("sumac.toml"),
        "[search]\nmachine = \"few.json\"\n",
    )
    .unwrap();
    assert_eq!(code(&folder.sumac(&["optimize", "below/loss.dml"])), 64);
    // A path in the file begins beside the file, wherever the command is typed.
    std::fs::write(folder.path().join("few.json"), FEW_OPERATORS).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_sumac"))
        .args(["optimize", "loss.dml"])
        .current_dir(folder.path().join("below"))
        .output()
        .unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[test]
fn a_form_that_fits_is_suggested_though_it_is_slower() {
    let folder = Folder::new(&[("loss.dml", LOSS), ("few.json", FEW_OPERATORS)]);
    let rows = |args: &[&str]| {
        let optimize = [
            "optimize",
            "loss.dml",
            "--format",
            "json",
            "--machine",
            "few.json",
        ];
        let output = folder.sumac(&[&optimize[..], args].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        (json(&output), stderr(&output))
    };
    assert_eq!(rows(&[]).0, serde_json::json!([]));
    let (found, told) = rows(&["--memory", "1GB"]);
    let row = &found[0];
    assert_eq!(row["memory"], f64::from(1 << 30));
    let figure = |key: &str, side: &str| row[key][side].as_f64().unwrap();
    assert!(figure("peak_bytes", "original") > 1.5e9 && figure("peak_bytes", "optimized") < 1e9);
    assert!(
        figure("cost", "original") < figure("cost", "optimized"),
        "{row}"
    );
    assert!(
        told.contains("fits into memory") && told.contains("this machine has 1.1 GB"),
        "{told}"
    );
    std::fs::write(
        folder.path().join("sumac.toml"),
        "[search]\nmemory = \"1G\"\n",
    )
    .unwrap();
    assert_eq!(rows(&[]).0[0]["optimized"], row["optimized"]);
    assert_eq!(rows(&["--memory", "8G"]).0, serde_json::json!([]));

    let explain = [
        "explain",
        "loss.dml:7",
        "--machine",
        "few.json",
        "--memory",
        "1G",
    ];
    let text = stdout(&folder.sumac(&explain));
    assert!(
        text.contains("As written it needs 1.6 GB, this machine has 1.1 GB."),
        "{text}"
    );
}
