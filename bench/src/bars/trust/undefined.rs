//! Undefined behaviour and lost wake-ups, looked for by tools that see them: a model checker for the fork-join pool, Miri for what
//! it can run, AddressSanitizer for the vector kernels at every tier that the processor has.
//!
//! It builds the libraries of this checkout, not the program under measurement, in a target folder of its own.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::{Options, Program};
use crate::fuzz;
use crate::report::Report;
use xtask::{shell, workspace};

/// A tool over some tests.
struct Check {
    title: &'static str,
    /// Words for cargo.
    words: &'static [&'static str],
    is_nightly: bool,
    environment: &'static [(&'static str, &'static str)],
    /// Once for each tier of vectors.
    is_tiered: bool,
}

const CHECKS: [Check; 5] = [
    Check {
        title: "every order of threads at the fork-join pool (loom)",
        words: &[
            "test",
            "--release",
            "--package=sumac-forkjoin",
            "--features=loom",
            "--test=model",
        ],
        is_nightly: false,
        environment: &[],
        is_tiered: false,
    },
    Check {
        title: "the fork-join pool (Miri)",
        words: &["miri", "test", "--package=sumac-forkjoin", "--test=pool"],
        is_nightly: true,
        environment: &MIRI,
        is_tiered: false,
    },
    Check {
        title: "sparse matrices and their builders (Miri)",
        words: &[
            "miri",
            "test",
            "--package=sumac-runtime",
            "--lib",
            "--",
            "matrix::",
        ],
        is_nightly: true,
        environment: &MIRI,
        is_tiered: false,
    },
    Check {
        title: "blocks of array programs (Miri)",
        words: &[
            "miri",
            "test",
            "--package=sumac-array",
            "--lib",
            "--",
            "exec::block",
        ],
        is_nightly: true,
        environment: &MIRI,
        is_tiered: false,
    },
    Check {
        title: "kernels and blocks (AddressSanitizer)",
        words: &[
            "test",
            "--target=x86_64-unknown-linux-gnu",
            "--package=sumac-runtime",
            "--package=sumac-array",
            "--package=sumac-forkjoin",
            "--lib",
            "--test=kernels_agree",
            "--test=kernels_fast",
            "--test=fused",
            "--test=exec",
        ],
        is_nightly: true,
        environment: &[
            ("RUSTFLAGS", "-Zsanitizer=address"),
            // Values of statics live as long as the process.
            ("ASAN_OPTIONS", "detect_leaks=0"),
        ],
        is_tiered: true,
    },
];

/// Clocks and files are the machine's; a spinning thread is no error.
const MIRI: [(&str, &str); 1] = [("MIRIFLAGS", "-Zmiri-disable-isolation -Zmiri-ignore-leaks")];

/// What the kernels ask for their vectors.
const TIERS: (&str, [&str; 3]) = ("SUMAC_VECTORS", ["portable", "avx2", "avx512"]);

pub(super) fn measure(report: &mut Report, _: &Program, _: &Options) -> Result<()> {
    fuzz::check_toolchain()?;
    for check in CHECKS {
        if check.is_tiered {
            for tier in TIERS.1 {
                let title = format!("{}, vectors {tier}", check.title);
                let ran = run(&check, &[(TIERS.0, tier)]);
                judge(report, &title, ran);
            }
        } else {
            judge(report, check.title, run(&check, &[]));
        }
    }
    Ok(())
}

fn judge(report: &mut Report, title: &str, ran: Result<u64>) {
    if let Some(passed) = report.expect(title, "no finding", ran) {
        report.bar(
            title,
            &format!("{passed} tests, no finding"),
            "some tests, no finding",
            passed > 0,
        );
    }
}

/// How many tests passed.
fn run(check: &Check, environment: &[(&str, &str)]) -> Result<u64> {
    let mut command = Command::new("cargo");
    command
        .args(check.words)
        .current_dir(workspace::root())
        .env("CARGO_TARGET_DIR", workspace::root().join("target/checked"))
        .envs(check.environment.iter().copied())
        .envs(environment.iter().copied())
        // Of the cargo that runs this program.
        .env_remove("CARGO")
        .env_remove("RUSTC")
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    if check.is_nightly {
        command.env("RUSTUP_TOOLCHAIN", fuzz::TOOLCHAIN);
    }
    println!("$ {}", shell::shown(&command));
    let output = command.output().context("cannot start cargo")?;
    let told = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success(),
        "{}: {}",
        output.status,
        last_lines(&told, 12)
    );
    Ok(passed(&told))
}

/// Tests that passed, over all programs that ran.
fn passed(told: &str) -> u64 {
    let counts = told.lines().filter_map(|line| {
        let rest = line.strip_prefix("test result: ok. ")?;
        rest.split_once(" passed")?.0.parse::<u64>().ok()
    });
    counts.sum()
}

fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join(" / ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passed_tests_are_counted_over_all_programs() {
        let told = "running 2 tests\ntest result: ok. 2 passed; 0 failed\n\ntest result: ok. 5 passed; 0 failed\n";
        assert_eq!(passed(told), 7);
        assert_eq!(passed("test result: FAILED. 1 passed; 1 failed\n"), 0);
    }
}
