//! The bars of fusion plans: values, choices, the paper's plans, what planning takes on the fixtures, and how fused operators
//! run beside what the machine allows.
//!
//! Only the order and the targets stand here. Tests hold the first ones by their assertions, and print the figures.

use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use super::sumac::{Sumac, figure};
use crate::bench::figures;
use crate::peer::algorithms::policies;
use crate::peer::fusion;
use crate::report::Report;
use xtask::{shell, workspace};

/// Random DAGs that are run, and partitions whose choices are all looked at.
const DAGS: &str = "20000";
const PARTITIONS: &str = "5000";

/// Plans and milliseconds that a DAG may take.
const MOST_PLANS: f64 = 10_000.0;
const MOST_MILLISECONDS: f64 = 50.0;

/// The fixtures that are the paper's algorithms, and the milliseconds that compiling them takes in its Table 3.
const ALGORITHMS: [(&str, f64); 6] = [
    ("svm.dml", 54.0),
    ("mlr.dml", 355.0),
    ("glm.dml", 388.0),
    ("kmeans.dml", 84.0),
    ("als_cg.dml", 965.0),
    ("autoencoder.dml", 452.0),
];
/// The share of that which planning a whole algorithm may take.
const SHARE: f64 = 0.05;

/// Cases of the benchmark, what they are held against, and the least share of its speed: a loop by hand, or reading all inputs
/// once, whichever is slower on the memory of the day.
const RUNS: [(&str, Limit, f64); 13] = [
    ("cell", Limit::Read, 0.85),
    ("magg", Limit::Read, 0.85),
    ("row-vector", Limit::ReadOrHand, 0.85),
    ("row-matrix", Limit::ReadOrHand, 0.85),
    ("row-weights", Limit::ReadOrHand, 0.85),
    ("row-columns", Limit::ReadOrHand, 0.85),
    ("mlogreg", Limit::ReadOrHand, 0.85),
    ("chain-100", Limit::Hand, 0.85),
    ("outer-1e-4", Limit::Hand, 0.8),
    ("outer-1e-3", Limit::Hand, 0.8),
    ("outer-1e-2", Limit::Hand, 0.8),
    ("outer-1e-1", Limit::Hand, 0.8),
    ("als-cg", Limit::Hand, 0.8),
];

/// What a fused operator is held against.
#[derive(Clone, Copy)]
enum Limit {
    Read,
    Hand,
    ReadOrHand,
}

impl Limit {
    /// The sides of the benchmark, and what they are called.
    fn sides(self) -> &'static [(&'static str, &'static str)] {
        const SIDES: [(&str, &str); 2] = [
            ("read", "reading the inputs once"),
            ("hand", "the loop by hand"),
        ];
        match self {
            Limit::Read => &SIDES[..1],
            Limit::Hand => &SIDES[1..],
            Limit::ReadOrHand => &SIDES,
        }
    }
}

/// Measures all bars.
///
/// # Errors
/// The program does not build.
pub(super) fn measure(report: &mut Report) -> Result<()> {
    report.heading("What holds by test");
    values(report);
    let name = "the paper's memo table and plans";
    let target = "all tests pass";
    let mut command = Command::new("cargo");
    command.args([
        "test",
        "--quiet",
        "--package",
        "sumac-fusion",
        "--test",
        "paper",
    ]);
    let passed = shell::run(command.current_dir(workspace::root()));
    if report.expect(name, target, passed).is_some() {
        report.bar(name, target, target, true);
    }
    let sumac = Sumac::build_release()?;
    report.heading("Planning: all plans, by partition, costed (Figure 12), and milliseconds");
    for (file, table3) in ALGORITHMS {
        let target = format!("<= {MOST_PLANS} plans, < {MOST_MILLISECONDS} ms a DAG");
        let planned = planning(&sumac, file);
        let Some(planned) = report.expect(file, &target, planned) else {
            continue;
        };
        let seen = format!(
            "{} DAGs; the largest: {:.3e} / {:.3e} / {} plans; slowest {:.2} ms",
            planned.dags, planned.all, planned.partitioned, planned.costed, planned.slowest
        );
        let holds = planned.costed <= MOST_PLANS && planned.slowest < MOST_MILLISECONDS;
        report.bar(file, &seen, &target, holds);
        let most = table3 * SHARE;
        report.bar(
            &format!("{file}, all of it"),
            &format!("{:.2} ms", planned.total),
            &format!("< {most:.1} ms, 5 % of SystemDS's"),
            planned.total < most,
        );
    }
    report.heading("Fused operators at work");
    runs(report);
    report.heading("Whole algorithms (Tables 4 and 5), by policy");
    policies::measure(report, &sumac);
    report.heading("Whole algorithms, compressed where it pays");
    policies::measure_compression(report, &sumac);
    fusion::measure_if_installed(report)?;
    Ok(())
}

/// Fused against unfused values, and the search against all choices.
fn values(report: &mut Report) {
    let mut command = Command::new("cargo");
    command
        .args([
            "test",
            "--release",
            "--package",
            "sumac-tests",
            "--test",
            "fusion",
        ])
        .args(["--", "--nocapture", "--test-threads=1"])
        .env("SUMAC_FUSION_DAGS", DAGS)
        .env("SUMAC_FUSION_PARTITIONS", PARTITIONS)
        .current_dir(workspace::root());
    let output = shell::read(&mut command).map_err(|error| format!("{error:#}"));
    for (figure, name, target) in [
        (
            " DAGs from seed ",
            "fused values against unfused ones",
            "20000 DAGs, all within 1e-9",
        ),
        (
            " partitions from ",
            "MPSkipEnum against all choices",
            "5000 partitions, the same cost",
        ),
    ] {
        let seen = match &output {
            Ok(output) => output
                .lines()
                .find(|line| line.contains(figure))
                .map(str::to_owned)
                .with_context(|| format!("no line with `{figure}`")),
            Err(error) => Err(anyhow::anyhow!("{error}")),
        };
        if let Some(seen) = report.expect(name, target, seen) {
            report.bar(name, &seen, target, true);
        }
    }
}

/// What planning an algorithm took.
#[derive(Default)]
struct Planned {
    dags: usize,
    /// Of the DAG with the most plans.
    all: f64,
    partitioned: f64,
    /// Of the DAG with the most that were costed.
    costed: f64,
    slowest: f64,
    total: f64,
}

/// Plans each block of a fixture once.
fn planning(sumac: &Sumac, file: &str) -> Result<Planned> {
    let path = workspace::root().join("fixtures").join(file);
    let text = std::fs::read_to_string(&path)?;
    let path = path.to_str().context("the path is no text")?;
    let mut planned = Planned::default();
    let mut done: Vec<Value> = Vec::new();
    for line in 1..=text.lines().count() {
        let is_done = done.iter().any(|lines| {
            let of = |i: usize| lines[i].as_u64().unwrap_or(0);
            (of(0)..=of(1)).contains(&(line as u64))
        });
        if is_done {
            continue;
        }
        // Lines without algebra have no plan.
        let Ok(plan) = sumac.json(&["fuse", &format!("{path}:{line}")]) else {
            continue;
        };
        done.push(plan["lines"].clone());
        let get = |pointer: &str| figure(&plan, pointer);
        let milliseconds = get("/planning_milliseconds")?;
        planned.dags += 1;
        planned.total += milliseconds;
        planned.slowest = planned.slowest.max(milliseconds);
        planned.costed = planned.costed.max(get("/plans/costed")?);
        if get("/plans/all")? > planned.all {
            planned.all = get("/plans/all")?;
            planned.partitioned = get("/plans/partitioned")?;
        }
    }
    anyhow::ensure!(planned.dags > 0, "no block of {file} has a plan");
    Ok(planned)
}

/// The paper's expressions beside reading their inputs once, or a loop by hand.
fn runs(report: &mut Report) {
    let measured = figures::of_package("sumac-runtime", "fused");
    let Some(figures) = report.expect("the benchmark", "it runs", measured) else {
        return;
    };
    let ms = |name: &str| figures.get(name).map(|seconds| seconds * 1e3);
    for (case, limit, least) in RUNS {
        let names: Vec<&str> = limit.sides().iter().map(|(_, name)| *name).collect();
        let target = format!(">= {least} of {}", names.join(" or of "));
        let sides = limit.sides().iter();
        let limits: Option<Vec<_>> = sides
            .map(|(side, name)| Some((name, ms(&format!("{case}/{side}"))?)))
            .collect();
        let (Some(fused), Some(limits)) = (ms(&format!("{case}/fused")), limits) else {
            report.bar(case, "not measured", &target, false);
            continue;
        };
        let apart = ms(&format!("{case}/apart"))
            .map_or(String::new(), |apart| format!("; one by one {apart:.2} ms"));
        let beside: Vec<String> = limits
            .iter()
            .map(|(name, limit)| format!("{name} {limit:.2} ms: {:.2}", limit / fused))
            .collect();
        let seen = format!("{fused:.2} ms; {}{apart}", beside.join("; "));
        let holds = limits.iter().any(|(_, limit)| limit / fused >= least);
        report.bar(case, &seen, &target, holds);
    }
    let outer = |share: &str| ms(&format!("outer-{share}/fused"));
    if let (Some(dense), Some(sparse)) = (outer("1e-1"), outer("1e-3")) {
        let ratio = dense / sparse;
        report.bar(
            "the cost of Outer falls with density",
            &format!("{ratio:.0} times for 100 times the cells"),
            "50 to 200",
            (50.0..200.0).contains(&ratio),
        );
    }
    compressed(report, ms);
    if let (Some(fused), Some(apart)) = (ms("cell-sparse/fused"), ms("cell-sparse/apart")) {
        report.note(&format!(
            "cell-sparse: {fused:.2} ms, one by one {apart:.2} ms"
        ));
    }
}

/// Operators over compressed matrices beside plain ones and beside reading as many bytes as the groups take.
fn compressed(report: &mut Report, ms: impl Fn(&str) -> Option<f64>) {
    /// What the dense matrix takes, for each millisecond over the distinct values.
    const LEAST: f64 = 10.0;
    for case in ["compressed", "compressed-sparse"] {
        let of = |what: &str, side: &str| ms(&format!("{case}-{what}/{side}"));
        let name = format!("{case}: sum(X^2)");
        let target =
            format!(">= {LEAST} times faster than plain, no slower than reading the groups");
        let (Some(groups), Some(plain), Some(read)) = (
            of("squares", "groups"),
            of("squares", "plain"),
            of("squares", "read"),
        ) else {
            report.bar(&name, "not measured", &target, false);
            continue;
        };
        let seen = format!(
            "{groups:.3} ms, plain {plain:.2} ms, reading the groups {read:.2} ms: {:.0} times",
            plain / groups
        );
        report.bar(
            &name,
            &seen,
            &target,
            plain >= LEAST * groups && groups <= read,
        );
        for (what, product) in [("times", "X %*% v"), ("turned", "t(X) %*% v")] {
            let name = format!("{case}: {product}");
            let target = "no slower than plain";
            let (Some(groups), Some(plain), Some(read)) =
                (of(what, "groups"), of(what, "plain"), of(what, "read"))
            else {
                report.bar(&name, "not measured", target, false);
                continue;
            };
            let seen = format!(
                "{groups:.2} ms, plain {plain:.2} ms: {:.2}; reading the groups {read:.2} ms",
                plain / groups
            );
            report.bar(&name, &seen, target, groups <= plain);
        }
    }
    // Columns that share nothing: why products alone are no reason to compress.
    for what in ["squares", "times", "turned"] {
        let of = |side: &str| ms(&format!("compressed-apart-{what}/{side}"));
        if let (Some(groups), Some(plain)) = (of("groups"), of("plain")) {
            report.note(&format!(
                "columns that share nothing, {what}: {groups:.2} ms, plain {plain:.2} ms"
            ));
        }
    }
}
