//! The bars of array programs: encodings of functions in an e-graph, loop nests by way of sketches, and values.
//!
//! Only the order and the targets stand here. A benchmark measures, tests hold the rest by their assertions.

use std::process::Command;

use anyhow::Result;

use super::editors;
use crate::bench::figures::{self, Figures};
use crate::report::Report;
use xtask::{shell, workspace};

/// The encoding that is used, and the three that it is compared with.
const USED: &str = "extraction/De-Bruijn";
const OTHERS: [&str; 3] = ["explicit/named", "explicit/De-Bruijn", "extraction/named"];
/// The goals, with the most seconds and megabytes that the encoding in use may take.
const GOALS: [(&str, f64, f64); 3] = [
    ("reduction", 0.1, 20.0),
    ("fission", 0.1, 20.0),
    ("binomial", 0.1, 20.0),
];
/// E-nodes and seconds of the original prototype on the same machine.
const ORIGINAL: [(&str, &str); 3] = [
    ("reduction", "174 e-nodes, 0.00 s"),
    ("fission", "656 e-nodes, 0.00 s"),
    ("binomial", "3,972 e-nodes, 0.04 s, 10 MB"),
];

/// The loop nests, with the steps of each and the e-nodes of the original for it.
const NESTS: [(&str, &[(&str, u32)]); 8] = [
    ("baseline", &[("goal", 51)]),
    (
        "blocking",
        &[("guide-split", 9477), ("goal-blocked", 10_813)],
    ),
    (
        "vectorization",
        &[
            ("guide-split", 9477),
            ("guide-reorder", 10_813),
            ("goal-vectors", 629),
        ],
    ),
    (
        "loop_perm",
        &[
            ("guide-split", 9477),
            ("guide-reorder", 5343),
            ("goal-vectors", 629),
        ],
    ),
    ("array_packing", PACKED),
    ("cache_blocks", PACKED),
    ("parallel", PACKED),
    // The original has no such goal.
    ("register_tile", &[]),
];
const PACKED: &[(&str, u32)] = &[
    ("guide-split", 9477),
    ("guide-reorder", 5343),
    ("guide-store", 5562),
    ("goal-vectors", 629),
];
/// What a loop nest may take.
const SECONDS: f64 = 1.0;
const MEGABYTES: f64 = 100.0;
/// Milliseconds after which a search that is cancelled has ended.
const CANCELLED: f64 = 50.0;

/// Tests: what is run, the bar, and its target.
const TESTS: [(&str, &str, &str); 8] = [
    (
        "both_sides_of_every_rule",
        "every rule against the interpreter",
        "both sides equal on random types, sizes and terms",
    ),
    (
        "all_goals_are_found",
        "every program on the way to every goal",
        "the product that it began with at random sizes, within 1e-6, and text that reads as itself",
    ),
    (
        "the_same_search_finds_the_same_program",
        "every search a second time",
        "the same program by the same graphs",
    ),
    (
        "programs_in_the_graphs_of_all_goals",
        "random programs of the graphs of every search",
        "the product that it began with, within 1e-6",
    ),
    (
        "every_goal_computes_the_product_at_any_sizes",
        "nests of sizes that tiles do not divide, by blocks and compiled",
        "the numbers of the program as written",
    ),
    (
        "the_nest_of_every_goal",
        "the loop nest of every goal",
        "the numbers of the interpreter",
    ),
    (
        "compiled_c_gives",
        "compiled C, where there is a compiler",
        "the numbers of the loop nest",
    ),
    (
        "every_goal_runs_fast",
        "nests by blocks of vectors, and compiled",
        "the numbers of the loop nest, in both number types",
    ),
];

/// What editors offer on a product, and the tests that show it in each of them.
const FEATURES: &[(&str, &[&str])] = &[
    (
        "an action, a nest that runs, documents",
        &["a sketch for the loops of a product is chosen, and its nest is run and shown"],
    ),
    (
        "a lens with the time",
        &["the time of the nest stands above the product"],
    ),
];

/// Measures all bars.
///
/// # Errors
/// The editors' tests cannot be started.
pub(super) fn measure(report: &mut Report) -> Result<()> {
    report.heading("What holds by test");
    for (test, name, target) in TESTS {
        let passed = shell::read(
            Command::new("cargo")
                .args(["test", "--release", "-p", "sumac-array", test])
                .current_dir(workspace::root()),
        );
        if let Some(output) = report.expect(name, target, passed) {
            let ran = output.contains("1 passed");
            report.bar(
                name,
                if ran { target } else { "it did not run" },
                target,
                ran,
            );
        }
    }
    let measured = figures::of_package("sumac-array", "array");
    let Some(figures) = report.expect("the benchmark", "it runs", measured) else {
        return Ok(());
    };
    report.heading("Encodings (Table 2)");
    encodings(report, &figures);
    report.heading("Products of matrices (Table 4)");
    nests(report, &figures);
    report.heading("Without guides (Table 3)");
    unguided(report, &figures);
    report.heading("Searches that are cancelled");
    cancelled(report, &figures);
    super::array_speed::measure(report);
    report.heading("In editors");
    editors::measure(report, FEATURES, 2)
}

fn get(figures: &Figures, name: &str) -> f64 {
    figures.get(name).copied().unwrap_or(f64::NAN)
}

fn encodings(report: &mut Report, figures: &Figures) {
    for (goal, seconds, megabytes) in GOALS {
        let of =
            |encoding: &str, what: &str| get(figures, &format!("table2/{goal}/{encoding}/{what}"));
        for other in OTHERS {
            let found = if of(other, "found") == 1.0 {
                "found"
            } else {
                "not found"
            };
            report.note(&format!(
                "{goal}, {other}: {found}, {:.4} s, {:.1} MB, {} e-nodes, {} e-classes",
                of(other, "seconds"),
                of(other, "megabytes"),
                of(other, "nodes"),
                of(other, "classes")
            ));
        }
        for (_, original) in ORIGINAL.iter().filter(|(name, _)| *name == goal) {
            report.note(&format!(
                "{goal}, {USED}, the original prototype: {original}"
            ));
        }
        let (took, memory) = (of(USED, "seconds"), of(USED, "megabytes"));
        let found = of(USED, "found") == 1.0;
        let seen = format!(
            "{}, {took:.4} s, {memory:.1} MB, {} e-nodes, {} e-classes",
            if found { "found" } else { "not found" },
            of(USED, "nodes"),
            of(USED, "classes")
        );
        let target = format!("found, <= {seconds} s, <= {megabytes} MB");
        report.bar(
            &format!("{goal}, {USED}"),
            &seen,
            &target,
            found && took <= seconds && memory <= megabytes,
        );
    }
}

fn nests(report: &mut Report, figures: &Figures) {
    for (nest, steps) in NESTS {
        for (step, original) in steps {
            let nodes = get(figures, &format!("table4/{nest}/{step}/nodes"));
            report.note(&format!(
                "{nest}, {step}: {nodes} e-nodes; the original {original}"
            ));
        }
        let of = |what: &str| get(figures, &format!("table4/{nest}/{what}"));
        let (took, memory, found) = (of("seconds"), of("megabytes"), of("found") == 1.0);
        let seen = format!(
            "{}, {took:.3} s, {memory:.1} MB",
            if found { "found" } else { "not found" }
        );
        let target = format!("found, <= {SECONDS} s, <= {MEGABYTES} MB");
        let holds = found && took <= SECONDS && memory <= MEGABYTES;
        report.bar(nest, &seen, &target, holds);
    }
}

/// From the call to the answer, the longest of several.
fn cancelled(report: &mut Report, figures: &Figures) {
    let longest = get(figures, "cancelled/milliseconds");
    let times = get(figures, "cancelled/times");
    report.bar(
        "a search that is cancelled",
        &format!("the longest of {times} took {longest:.1} ms"),
        &format!("<= {CANCELLED} ms"),
        longest <= CANCELLED,
    );
}

fn unguided(report: &mut Report, figures: &Figures) {
    for (nest, _) in NESTS {
        let found = get(figures, &format!("unguided/{nest}/found")) == 1.0;
        let memory = get(figures, &format!("unguided/{nest}/megabytes"));
        let seen = format!(
            "{} in 1 s, {memory:.0} MB",
            if found { "found" } else { "not found" }
        );
        if nest == "baseline" {
            report.note(&format!("{nest}: {seen}"));
        } else {
            report.bar(
                nest,
                &seen,
                "not found within the budget of a guided search",
                !found,
            );
        }
    }
}
