//! The fusion paper's examples in `sumac run`, in SystemDS 3.4 with and without code generation, and in NumPy, SciPy and
//! JAX, in turns within one run: memory that others use, too, is twice as fast in one minute as in the next. The fastest turn of
//! each side counts, whichever side it is.
//!
//! SystemDS and `sumac run` run the same script in a warmed loop, over the same data, and must give the same results. The
//! better of SystemDS's modes is the one to compare with. NumPy and JAX are given their best form of each example, and
//! are held against each other.

mod cases;
mod turns;

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use self::cases::{Example, examples};
use self::turns::Turns;
use super::systemds::SystemDs;
use super::workloads::{Loop, Pace, in_systemds, measured, timed};
use crate::bars::Sumac;
use crate::bench::kernels::player::{Peer, Player as _};
use crate::report::Report;
use xtask::tools::{Tool, Toolbox};

/// Executions that count, and what comes before them.
const PACE: Pace = Pace {
    warm_up: 5,
    seconds: 3.0,
    runs: 11,
};
/// How often each program has its turn.
const TURNS: usize = 3;
/// Floating-point sums in another order.
const TOLERANCE: f64 = 1e-6;
/// How many times faster than the better of SystemDS's modes an example must be.
const FASTER: f64 = 2.0;

/// The command line of `cargo xtask peer fusion`.
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Only examples with this in their name
    #[arg(long)]
    only: Option<String>,
    /// This program instead of the one of this checkout
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
    /// Another program of Sumac, timed in the same run: how it was before, say
    #[arg(long, value_name = "PATH")]
    beside: Option<PathBuf>,
}

/// What an example takes; why not, where it did not run or gave something else.
struct Seen {
    sumac: Turns,
    /// The other program.
    beside: Option<Turns>,
    /// One look at each cell of the inputs, which nobody who reads them from memory can do without.
    reading: Turns,
    /// Without and with code generation.
    systemds: [Result<Turns, String>; 2],
    /// NumPy and JAX.
    python: [Result<Turns, String>; 2],
}

/// The programs.
struct Sides<'a> {
    sumac: &'a Sumac,
    beside: Option<&'a Sumac>,
    systemds: &'a SystemDs,
    python: Peer,
}

/// Times every example; installs the peers if need be.
///
/// # Errors
/// One cannot be installed, or the program does not build.
pub(crate) fn measure(report: &mut Report, args: &Args) -> Result<()> {
    let systemds = SystemDs::open()?;
    let python = Peer::of(Tool::Jax, "bench/src/peer/fusion/peer.py")?;
    let named = |program: &PathBuf| -> Result<Sumac> {
        Ok(Sumac {
            program: std::path::absolute(program)?,
        })
    };
    let sumac = match &args.program {
        Some(program) => named(program)?,
        None => Sumac::build_release()?,
    };
    let beside = args.beside.as_ref().map(named).transpose()?;
    report.heading("The paper's examples in SystemDS, NumPy, SciPy and JAX");
    let mut sides = Sides {
        sumac: &sumac,
        beside: beside.as_ref(),
        systemds: &systemds,
        python,
    };
    report.note(&sides.python.about()?);
    report.note(&format!(
        "milliseconds, median of {} executions after {}, and after {} s; the fastest of {TURNS} turns counts, and the slowest is \
         shown behind it; results of SystemDS and Sumac agree within {TOLERANCE}",
        PACE.runs, PACE.warm_up, PACE.seconds
    ));
    let is_wanted = |example: &&Example| {
        let only = args.only.as_deref();
        only.is_none_or(|only| example.name.contains(only) || example.key.contains(only))
    };
    for example in examples().iter().filter(is_wanted) {
        let target = format!(">= {FASTER} times faster than the better of SystemDS's modes");
        let seen = sides.compare(example);
        let Some(seen) = report.expect(example.name, &target, seen) else {
            continue;
        };
        beside_systemds(report, example, &target, &seen);
        let mut said = format!(
            "{}: one sum over each input takes {}",
            example.name, seen.reading
        );
        if let Some(other) = &seen.beside {
            let _ = write!(said, "; the other program takes {other}");
        }
        report.note(&said);
        beside_python(report, example, &seen);
    }
    Ok(())
}

/// As [`measure`], where everything is installed; else the bars are said not to have run.
///
/// # Errors
/// As [`measure`].
pub(crate) fn measure_if_installed(report: &mut Report) -> Result<()> {
    let has_python = Toolbox::open().is_ok_and(|tools| Tool::Jax.ready(&tools));
    if SystemDs::is_installed() && has_python {
        return measure(report, &Args::default());
    }
    report.heading("The paper's examples in SystemDS, NumPy, SciPy and JAX");
    let why =
        "the peers are not installed: `cargo xtask peer fusion` installs them and measures this";
    report.not_run(
        "beside SystemDS",
        why,
        ">= 2 times faster than the better of its modes",
    );
    report.not_run(
        "beside NumPy and JAX",
        why,
        "not slower than the faster of them",
    );
    Ok(())
}

fn beside_systemds(report: &mut Report, example: &Example, target: &str, seen: &Seen) {
    let [plain, generated] = &seen.systemds;
    let modes = format!(
        "{}; SystemDS {}, with generated code {}",
        seen.sumac,
        shown(plain),
        shown(generated)
    );
    let known = seen.systemds.iter().flatten().map(Turns::fastest);
    let best = known.fold(f64::INFINITY, f64::min);
    if best.is_finite() {
        let ratio = best / seen.sumac.fastest();
        let shown = format!("{modes}: {ratio:.2} times faster");
        report.bar(example.name, &shown, target, ratio >= FASTER);
    } else {
        report.bar(example.name, &modes, target, false);
    }
}

fn beside_python(report: &mut Report, example: &Example, seen: &Seen) {
    let target = "not slower than the faster of NumPy and JAX";
    let name = format!("{}, NumPy and JAX", example.name);
    let [numpy, jax] = &seen.python;
    let modes = format!("{}; NumPy {}, JAX {}", seen.sumac, shown(numpy), shown(jax));
    let (Ok(numpy), Ok(jax)) = (numpy, jax) else {
        return report.bar(&name, &modes, target, false);
    };
    let ratio = numpy.fastest().min(jax.fastest()) / seen.sumac.fastest();
    let shown = format!("{modes}: {ratio:.2} times faster");
    report.bar(&name, &shown, target, ratio >= 1.0);
}

/// Or why there is nothing to show.
fn shown(turns: &Result<Turns, String>) -> String {
    match turns {
        Ok(turns) => turns.to_string(),
        Err(why) => format!("({})", why.lines().next().unwrap_or_default()),
    }
}

fn script(example: &Example) -> String {
    timed(&Loop {
        inputs: example.inputs,
        statements: &example.statements,
        matrices: example.matrices,
        numbers: example.numbers,
        pace: PACE,
    })
}

/// The sum of each input, in the same loop.
fn reading(example: &Example) -> String {
    let sums: Vec<String> = example
        .inputs
        .iter()
        .map(|input| format!("sum({})", input.name))
        .collect();
    timed(&Loop {
        inputs: example.inputs,
        statements: &format!("s = {}", sums.join(" + ")),
        matrices: &[],
        numbers: &["s"],
        pace: PACE,
    })
}

impl Sides<'_> {
    /// All of them in turns. A side that fails has no further turn; Sumac has to run.
    fn compare(&mut self, example: &Example) -> Result<Seen> {
        let script = script(example);
        let reading = reading(example);
        let mut sumac = Turns::new();
        let mut beside = self.beside.map(|_| Turns::new());
        let mut read = Turns::new();
        let mut systemds = [const { Ok(Turns::new()) }; 2];
        let mut python = [const { Ok(Turns::new()) }; 2];
        for _ in 0..TURNS {
            let (milliseconds, check) = in_sumac(&script, self.sumac)?;
            sumac.add(milliseconds);
            if let (Some(turns), Some(other)) = (&mut beside, self.beside) {
                turns.add(in_sumac(&script, other)?.0);
            }
            read.add(in_sumac(&reading, self.sumac)?.0);
            for (turns, generates) in systemds.iter_mut().zip(["false", "true"]) {
                turns::extend(turns, || self.in_systemds(&script, generates, check));
            }
            for (turns, library) in python.iter_mut().zip(["numpy", "jax"]) {
                let case = format!("{library}/{}", example.key);
                turns::extend(turns, || Ok(self.python.seconds(&case)? * 1e3));
            }
            self.python.forget()?;
        }
        Ok(Seen {
            sumac,
            beside,
            reading: read,
            systemds,
            python,
        })
    }

    /// In SystemDS, which must give what Sumac gave.
    fn in_systemds(&self, script: &str, generates: &str, check: f64) -> Result<f64> {
        let settings = [("sysds.codegen.enabled", generates)];
        let (milliseconds, other) = in_systemds(script, PACE, self.systemds, &settings)?;
        anyhow::ensure!(
            (other - check).abs() <= TOLERANCE * check.abs().max(1.0),
            "it gives {other}, and Sumac {check}"
        );
        Ok(milliseconds)
    }
}

fn in_sumac(script: &str, sumac: &Sumac) -> Result<(f64, f64)> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("timed.dml");
    fs::write(&file, script)?;
    let output = sumac.call(&["run", file.to_str().context("the path is no text")?])?;
    anyhow::ensure!(
        output.status.success(),
        "sumac run failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    measured(&String::from_utf8_lossy(&output.stdout), PACE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_a_script_without_errors_and_has_its_python() {
        let python = include_str!("peer.py");
        for example in examples() {
            let script = script(&example);
            let parse = sumac_syntax::parse(script.as_str());
            assert!(parse.errors().is_empty(), "{}: {script}", example.name);
            let key = format!("\"{}\": ", example.key);
            assert!(python.contains(&key), "{key}");
        }
    }

    #[test]
    fn the_better_mode_counts_and_a_mode_that_fails_does_not() {
        let example = &examples()[0];
        let counts = |sumac: f64, modes: [Result<f64, String>; 2]| {
            let mut report = Report::default();
            let seen = Seen {
                sumac: Turns::from([sumac + 9.0, sumac]),
                beside: None,
                reading: Turns::from([0.5]),
                systemds: modes.map(|mode| mode.map(|fastest| Turns::from([fastest, 99.0]))),
                python: [Ok(Turns::from([1.0])), Err("no".to_owned())],
            };
            beside_systemds(&mut report, example, "", &seen);
            report.counts()
        };
        assert_eq!(counts(1.0, [Ok(9.0), Ok(2.0)]), (1, 0, 0));
        assert_eq!(counts(1.0, [Ok(9.0), Ok(1.9)]), (0, 1, 0));
        let failed = || Err("no".to_owned());
        assert_eq!(counts(1.0, [Ok(2.0), failed()]), (1, 0, 0));
        assert_eq!(counts(1.0, [failed(), failed()]), (0, 1, 0));
    }
}
