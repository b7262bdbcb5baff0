//! The paper's workloads in SystemDS 3.4: each block as written and as Sumac suggests, in one process, one after the other.
//!
//! Both run in a warmed loop on the same data. The two results must agree; nothing is judged by a single execution.

pub(super) mod cases;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use self::cases::{CASES, Case};
use super::systemds::{SystemDs, printed};
use crate::bars::Sumac;
use crate::report::Report;

/// What comes before the executions that count, for the first ones are compiled while they run, and how many count. Fifteen
/// executions of a fast form would be over before it is compiled.
const PACE: Pace = Pace {
    warm_up: 15,
    seconds: 3.0,
    runs: 21,
};
/// A suggestion is slower than the original only beyond this share: medians of equal programs differ by as much here.
const NOISE: f64 = 0.10;
/// Floating-point sums in another order.
const TOLERANCE: f64 = 1e-6;
const BEGIN: &str = "# begin";
const END: &str = "# end";

/// Times every case.
///
/// # Errors
/// SystemDS cannot be installed, or the program does not build.
pub(crate) fn measure(report: &mut Report) -> Result<()> {
    let systemds = SystemDs::open()?;
    let sumac = Sumac::build_release()?;
    report.heading("The paper's workloads in SystemDS, as written and as suggested");
    report.note(&format!(
        "milliseconds, median of {} executions after {}, and after {} s; equal programs differ by up to {:.0} %",
        PACE.runs,
        PACE.warm_up,
        PACE.seconds,
        NOISE * 100.0
    ));
    for case in CASES {
        let target = if case.faster > 1.0 {
            format!(">= {:.0} times faster", case.faster)
        } else {
            "never slower".to_owned()
        };
        let Some((suggested, times)) =
            report.expect(case.name, &target, compare(case, &systemds, &sumac))
        else {
            continue;
        };
        if suggested == case.statements {
            report.bar(
                case.name,
                "nothing is suggested",
                &target,
                case.faster <= 1.0,
            );
            continue;
        }
        report.note(&suggested.replace('\n', "; "));
        let [before, after] = times;
        let ratio = before / after;
        let seen = format!("{before:.2} → {after:.2} ms, {ratio:.1} times faster");
        let least = if case.faster > 1.0 {
            case.faster
        } else {
            1.0 - NOISE
        };
        report.bar(case.name, &seen, &target, ratio >= least);
    }
    Ok(())
}

/// The suggested statements, and the medians of both.
fn compare(case: &Case, systemds: &SystemDs, sumac: &Sumac) -> Result<(String, [f64; 2])> {
    let folder = tempfile::tempdir()?;
    let suggested = suggested(case, sumac, folder.path())?;
    if suggested == case.statements {
        // The same script is as fast as itself.
        return Ok((suggested, [1.0; 2]));
    }
    let mut times = [0.0; 2];
    let mut checks = [0.0; 2];
    for (place, statements) in [case.statements, &suggested].into_iter().enumerate() {
        (times[place], checks[place]) = execute(case, statements, systemds)?;
    }
    let [a, b] = checks;
    anyhow::ensure!(
        (a - b).abs() <= TOLERANCE * a.abs().max(1.0),
        "the results differ, {a} and {b}:\n{suggested}"
    );
    Ok((suggested, times))
}

/// The median of an execution of the statements in milliseconds, and the mean of what counts in their results.
pub(super) fn execute(case: &Case, statements: &str, systemds: &SystemDs) -> Result<(f64, f64)> {
    let script = timed(&Loop {
        inputs: case.inputs,
        statements,
        matrices: case.matrices,
        numbers: case.numbers,
        pace: PACE,
    });
    in_systemds(&script, PACE, systemds, &[])
}

/// The same of a script that [`timed`] gave, with more settings of SystemDS.
pub(super) fn in_systemds(
    script: &str,
    pace: Pace,
    systemds: &SystemDs,
    settings: &[(&str, &str)],
) -> Result<(f64, f64)> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("timed.dml");
    fs::write(&file, script)?;
    // The pool of matrices must hold a dense product, or the original pays for the disk.
    let pool = [("sysds.caching.bufferpoollimit", "60")];
    let settings = [&pool, settings].concat();
    let output = xtask::shell::read(&mut systemds.script_in(folder.path(), &file, &settings)?)?;
    measured(&output, pace)
}

/// The median in milliseconds and the mean of what counts, as a script printed them.
///
/// # Errors
/// It did not run to its end.
pub(super) fn measured(output: &str, pace: Pace) -> Result<(f64, f64)> {
    let mut counted = printed(output, "TIME ")?;
    anyhow::ensure!(
        counted.len() == pace.runs,
        "{} executions were timed:\n{output}",
        counted.len()
    );
    counted.sort_by(f64::total_cmp);
    let check = *printed(output, "CHECK ")?
        .first()
        .context("no result was printed")?;
    Ok((counted[pace.runs / 2] / 1e6, check))
}

/// What Sumac makes of the statements.
fn suggested(case: &Case, sumac: &Sumac, folder: &Path) -> Result<String> {
    let file = folder.join("script.dml");
    let mut text = facts(case);
    text += &format!("{BEGIN}\n{}\n{END}\n", case.statements);
    for result in case.matrices.iter().chain(case.numbers) {
        text += &format!("write({result}, ${result}_out)\n");
    }
    fs::write(&file, text)?;
    let name = file.to_string_lossy();
    let output = sumac.call(&["optimize", "--cost-engine", "systemds", "--apply", &name])?;
    anyhow::ensure!(
        output.status.success(),
        "sumac optimize failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let applied = fs::read_to_string(&file)?;
    let behind = applied.split_once(BEGIN).map(|(_, behind)| behind);
    let between = behind
        .and_then(|behind| behind.split_once(END))
        .map(|(between, _)| between);
    Ok(between.context("the markers are gone")?.trim().to_owned())
}

/// The beginning of a script: the inputs are read, and what is known of them is said.
pub(super) fn facts(case: &Case) -> String {
    let read = |input: &cases::Input| {
        let cases::Input {
            name,
            rows,
            cols,
            sparsity,
        } = input;
        format!("#@ {name}: {rows} x {cols}, sparsity {sparsity}\n{name} = read(${name})\n")
    };
    case.inputs.iter().map(read).collect()
}

/// How often statements run.
#[derive(Clone, Copy)]
pub(super) struct Pace {
    /// So often before they count, at least.
    pub(super) warm_up: usize,
    /// So many seconds before they count, at least.
    pub(super) seconds: f64,
    /// So often while they count.
    pub(super) runs: usize,
}

/// Statements that run in a loop over made-up inputs.
pub(super) struct Loop<'a> {
    pub(super) inputs: &'a [cases::Input],
    /// One a line.
    pub(super) statements: &'a str,
    /// The matrices and numbers that count.
    pub(super) matrices: &'a [&'a str],
    pub(super) numbers: &'a [&'a str],
    pub(super) pace: Pace,
}

/// A script that times the statements. `time()` ends a block of statements: nothing is optimized across it.
pub(super) fn timed(of: &Loop<'_>) -> String {
    let mut text = String::new();
    for (input, seed) in of.inputs.iter().zip(1..) {
        text += &format!(
            "{}_0 = rand(rows={}, cols={}, min=0.1, max=1, sparsity={}, seed={seed})\n",
            input.name, input.rows, input.cols, input.sparsity
        );
    }
    let Pace {
        warm_up,
        seconds,
        runs,
    } = of.pace;
    text += "check = 0.0\nwarm = 0\ncounted = 0\nbegin = time()\n";
    text += &format!("while (counted < {runs}) {{\n");
    // Each execution begins with the same inputs.
    for input in of.inputs {
        text += &format!("  {0} = {0}_0\n", input.name);
    }
    text += "  t0 = time()\n";
    for line in of.statements.lines() {
        text += &format!("  {line}\n");
    }
    text += "  t1 = time()\n";
    for matrix in of.matrices {
        text += &format!("  check = check + sum({matrix})\n");
    }
    for number in of.numbers {
        text += &format!("  check = check + {number}\n");
    }
    let nanoseconds = seconds * 1e9;
    text += &format!("  if (warm >= {warm_up} & t1 - begin >= {nanoseconds}) {{\n");
    text += "    print(\"TIME \" + (t1 - t0))\n    counted = counted + 1\n";
    text += "  } else {\n    warm = warm + 1\n  }\n}\n";
    text += "print(\"CHECK \" + check / (warm + counted))\n";
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_is_a_script_without_errors() {
        for case in CASES {
            let script = timed(&Loop {
                inputs: case.inputs,
                statements: case.statements,
                matrices: case.matrices,
                numbers: case.numbers,
                pace: PACE,
            });
            let parse = sumac_syntax::parse(script.as_str());
            assert!(parse.errors().is_empty(), "{}: {script}", case.name);
            assert_eq!(script.matches("time()").count(), 3, "{}", case.name);
        }
    }
}
