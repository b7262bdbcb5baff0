//! Whole algorithms in SystemDS 3.4 and in `sumac run`: the same script over the same data, as written and as suggested.
//!
//! The script's own clock counts, from the moment when its inputs are in memory to its last result: neither the start
//! of the JVM nor reading files is part of it, and what a first run has to compile is. The better of SystemDS with and
//! without code generation is the one to compare with. Both sides must give the same inputs and the same results.

mod cases;
pub(crate) mod policies;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use self::cases::{CASES, Case};
use super::systemds::{SystemDs, printed};
use crate::bars::Sumac;
use crate::report::Report;
use xtask::{shell, workspace};

/// Floating-point sums in another order, through all the iterations.
const TOLERANCE: f64 = 1e-6;

/// How much faster all of them together must be (geometric mean): as written, and as suggested.
const FASTER: [f64; 2] = [2.0, 4.0];

/// The command line of `cargo xtask peer algorithms`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only algorithms with this in their name
    #[arg(long)]
    only: Option<String>,
    /// How often each one runs on each side; the fastest counts
    #[arg(long, default_value_t = 1)]
    rounds: usize,
    /// Keep the scripts that were run in this folder
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

impl Default for Args {
    fn default() -> Self {
        Args {
            only: None,
            rounds: 2,
            keep: None,
        }
    }
}

/// What one execution said.
struct Run {
    seconds: f64,
    /// The sums of the inputs, then the checks.
    numbers: Vec<f64>,
}

/// Times every algorithm.
///
/// # Errors
/// SystemDS cannot be installed, or the program does not build.
pub(crate) fn measure(report: &mut Report, args: &Args) -> Result<()> {
    let systemds = SystemDs::open()?;
    let sumac = Sumac::build_release()?;
    report.heading("Whole algorithms in SystemDS and in `sumac run`");
    report.note(&format!(
        "seconds from inputs in memory to the last result, fastest of {}; results agree within {TOLERANCE}",
        args.rounds
    ));
    let mut ratios = [Vec::new(), Vec::new()];
    let wanted = |case: &&Case| {
        let only = args.only.as_deref();
        only.is_none_or(|only| case.name.contains(only))
    };
    for case in CASES.iter().filter(wanted) {
        let measured = compare(case, args, &systemds, &sumac);
        let Some(seen) = report.expect(case.name, "never slower", measured) else {
            continue;
        };
        let [plain, generated] = seen.systemds;
        let best = plain.min(generated);
        let generated = seen.left_out.unwrap_or(format!("{generated:.2} s"));
        report.note(&format!(
            "{}: SystemDS {plain:.2} s, with code generation {generated}",
            case.name
        ));
        for (form, which) in ["as written", "as suggested"].into_iter().enumerate() {
            let ours = seen.sumac[form];
            let ratio = best / ours;
            ratios[form].push(ratio);
            report.bar(
                &format!("{}, {which}", case.name),
                &format!("{ours:.2} s, {ratio:.2} times faster"),
                "never slower",
                ratio >= 1.0,
            );
        }
    }
    for ((ratios, least), which) in ratios
        .iter()
        .zip(FASTER)
        .zip(["as written", "as suggested"])
    {
        let logs: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
        let mean = (logs / ratios.len().max(1) as f64).exp();
        report.bar(
            &format!("{} of them together, {which}", ratios.len()),
            &format!("{mean:.2} times faster"),
            &format!(">= {least} times faster"),
            !ratios.is_empty() && mean >= least,
        );
    }
    Ok(())
}

/// The fastest executions, in seconds.
struct Compared {
    /// Without and with code generation.
    systemds: [f64; 2],
    /// Why code generation does not count, where it does not.
    left_out: Option<String>,
    /// As written, and as suggested.
    sumac: [f64; 2],
}

fn compare(case: &Case, args: &Args, systemds: &SystemDs, sumac: &Sumac) -> Result<Compared> {
    let temporary = tempfile::tempdir()?;
    let folder = match &args.keep {
        Some(kept) => {
            fs::create_dir_all(kept)?;
            std::path::absolute(kept)?
        }
        None => temporary.path().to_owned(),
    };
    let written = folder.join(format!("{}.dml", case.script));
    fs::write(&written, timed(case)?)?;
    let suggested = folder.join(format!("{}_suggested.dml", case.script));
    fs::copy(&written, &suggested)?;
    let output = sumac.call(&["optimize", "--apply", &suggested.to_string_lossy()])?;
    anyhow::ensure!(
        output.status.success(),
        "sumac optimize failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut seen = Compared {
        systemds: [f64::INFINITY; 2],
        left_out: None,
        sumac: [f64::INFINITY; 2],
    };
    let mut first: Option<Vec<f64>> = None;
    let mut keep = |time: &mut f64, run: Run, who: &str| -> Result<()> {
        let known = first.get_or_insert_with(|| run.numbers.clone());
        agree(known, &run.numbers).with_context(|| format!("{who} gives something else"))?;
        *time = time.min(run.seconds);
        Ok(())
    };
    for _ in 0..args.rounds.max(1) {
        let run = in_systemds(systemds, &written, &folder, false)?;
        keep(&mut seen.systemds[0], run, "SystemDS")?;
        // What it generates may be wrong: then there is nothing to compare with.
        let generated = in_systemds(systemds, &written, &folder, true)
            .and_then(|run| keep(&mut seen.systemds[1], run, "SystemDS with code generation"));
        if let Err(error) = generated {
            seen.left_out = Some(format!("{error:#}"));
        }
        for (place, script) in [&written, &suggested].into_iter().enumerate() {
            let output = sumac.call(&["run", &script.to_string_lossy()])?;
            anyhow::ensure!(
                output.status.success(),
                "sumac run failed: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            let run = figures(&String::from_utf8_lossy(&output.stdout))?;
            keep(&mut seen.sumac[place], run, "sumac run")?;
        }
    }
    Ok(seen)
}

/// The same numbers.
fn agree(expected: &[f64], found: &[f64]) -> Result<()> {
    anyhow::ensure!(
        expected.len() == found.len(),
        "{} numbers expected, {} found",
        expected.len(),
        found.len()
    );
    for (place, (a, b)) in expected.iter().zip(found).enumerate() {
        anyhow::ensure!(
            (a - b).abs() <= TOLERANCE * a.abs().max(1.0),
            "number {place}: {a} expected, {b} found"
        );
    }
    Ok(())
}

/// The fixture's statements between two looks at the clock.
fn timed(case: &Case) -> Result<String> {
    let file = workspace::root()
        .join("fixtures")
        .join(format!("{}.dml", case.script));
    let script =
        fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut text = format!("{}\n", case.inputs);
    for matrix in case.matrices {
        text += &format!("print(\"NUMBER \" + sum({matrix}))\n");
    }
    text += "began = time()\n";
    for line in script.lines() {
        // The inputs are there, what is said of them is for other sizes, and nothing is written.
        if !line.contains("= read($") && !line.starts_with("#@") && !line.starts_with("write(") {
            text += &with_arguments(line, case.arguments);
            text.push('\n');
        }
    }
    for check in case.checks {
        text += &format!("print(\"NUMBER \" + {check})\n");
    }
    text += "print(\"TIME \" + (time() - began))\n";
    Ok(text)
}

/// `ifdef($name, default)` with the case's value for the default.
fn with_arguments(line: &str, arguments: &[(&str, &str)]) -> String {
    for (name, value) in arguments {
        if let Some((before, _)) = line.split_once(&format!("ifdef(${name},")) {
            return format!("{before}{value}");
        }
    }
    line.to_owned()
}

fn in_systemds(systemds: &SystemDs, script: &Path, folder: &Path, generates: bool) -> Result<Run> {
    let generates = generates.to_string();
    let settings = [("sysds.codegen.enabled", generates.as_str())];
    figures(&shell::read(
        &mut systemds.script_in(folder, script, &settings)?,
    )?)
}

/// What an execution printed of itself.
fn figures(output: &str) -> Result<Run> {
    let nanoseconds = *printed(output, "TIME ")?
        .first()
        .with_context(|| format!("the run printed no time:\n{output}"))?;
    Ok(Run {
        seconds: nanoseconds / 1e9,
        numbers: printed(output, "NUMBER ")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_is_a_script_without_errors() {
        for case in CASES {
            let script = timed(case).expect("the fixture is there");
            let parse = sumac_syntax::parse(script.as_str());
            assert!(parse.errors().is_empty(), "{}: {script}", case.name);
            for outside in ["read($", "write("] {
                assert!(!script.contains(outside), "{}: {script}", case.name);
            }
            for (name, value) in case.arguments {
                assert!(script.contains(value), "{}: {name}", case.name);
            }
        }
    }

    #[test]
    fn numbers_that_differ_are_told() {
        assert!(agree(&[1.0, 1e9], &[1.0 + 1e-7, 1e9 + 1.0]).is_ok());
        assert!(agree(&[1.0], &[1.1]).is_err());
        assert!(agree(&[1.0], &[f64::NAN]).is_err());
        assert!(agree(&[1.0], &[]).is_err());
    }
}
