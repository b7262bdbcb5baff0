//! `sumac array`: an array program's type, the program that a sketch asks for, its loop nest in C, or its value on made-up
//! inputs.

mod tune;
mod worker;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use sumac_array::exec::Compiler;
use sumac_array::guided::{Failed, Missed, Reached, guided};
use sumac_array::value::{Data, Input, Random, difference};
use sumac_array::{Growth, Program, Scalar, Sizes, interpret, nest, size, steps};

use super::args::{Array, Backend, Common, Emit, Number};
use super::output::Output;
use super::{Exit, Usage};
use crate::machine::cache_folder;

/// The value of a size that the command line does not give.
const DEFAULT_SIZE: i64 = 64;

/// How long runs are timed, in milliseconds, and how long all of it may take where nothing else is said.
const BUDGET: u64 = 1000;
/// The same for each of the tiles that are tried.
const TRIED: u64 = 150;
const LIMIT: Duration = Duration::from_secs(120);

#[derive(Serialize)]
struct Report<'a> {
    program: &'a str,
    #[serde(rename = "type")]
    ty: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sketch: Option<&'a str>,
    steps: Vec<StepRow>,
    /// Tiles that were tried, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tuned: Vec<tune::Tried>,
    /// The program that was found, or the program itself.
    text: String,
    /// The loop nest as a C function.
    #[serde(skip_serializing_if = "Option::is_none")]
    c: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<ValueRow>,
    /// Why there is no program.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<FailedRow>,
}

#[derive(Serialize)]
struct StepRow {
    label: String,
    size: usize,
    /// E-nodes before the first round and after each.
    growth: Vec<usize>,
    eclasses: usize,
    applied: usize,
    milliseconds: f64,
}

#[derive(Serialize)]
struct ValueRow {
    numbers: usize,
    first: Vec<f64>,
    sum: f64,
    /// The largest difference from the program as written, relative to the largest number.
    difference: f64,
    backend: &'static str,
    #[serde(flatten)]
    timed: Option<Timed>,
}

/// What is known of a run that was timed.
#[derive(Serialize)]
struct Timed {
    /// The sizes at which the difference was found, where the interpreter is quick.
    checked: BTreeMap<String, i64>,
    ms_median: f64,
    ms_min: f64,
    ms_max: f64,
    runs: usize,
    /// Innermost loops that ran as blocks of vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<usize>,
}

#[derive(Serialize)]
struct FailedRow {
    label: String,
    ended: &'static str,
    growth: Vec<usize>,
    nearest: Option<String>,
    misses: Option<usize>,
}

/// Shows, searches or runs an array program.
///
/// # Errors
/// There is no such program or sketch, or a size makes no sense.
pub(super) fn run(args: &Array, common: &Common, output: &Output) -> Result<Exit, Usage> {
    let Some(program) = program(args, output)? else {
        return Ok(Exit::Found);
    };
    let program = match args.number {
        Number::F32 => program,
        Number::F64 => program.in_scalar(Scalar::F64),
    };
    let mut report = Report {
        program: &program.name,
        ty: program.show_type(),
        sketch: args.sketch.as_deref(),
        steps: Vec::new(),
        tuned: Vec::new(),
        text: program.show(),
        c: None,
        value: None,
        failed: None,
    };
    let mut found = program.clone();
    if let Some(sketch) = &args.sketch {
        match searched(&program, sketch, args)? {
            Ok(reached) => {
                report.steps = reached.iter().map(step_row).collect();
                found = reached.last().map_or(found, |step| step.program.clone());
                report.text = found.show();
            }
            Err(missed) => {
                report.steps = missed.reached.iter().map(step_row).collect();
                report.failed = Some(failed_row(&missed));
                return Ok(failed(&report, output));
            }
        }
    }
    if let Some(budget) = args.tune {
        let given = sizes(&program, args, &common.set)?;
        let fast = match backend(args.backend, output) {
            Backend::Interpreter => backend(Backend::C, output),
            fast => fast,
        };
        let mut measure = |program: &Program| {
            let ran = worker::run(
                &job(program, program, &given, args, fast, TRIED),
                args.timeout.unwrap_or(LIMIT),
            )?;
            Ok(ran.median)
        };
        match tune::tune(&program, &found, &given, budget, &mut measure) {
            Ok((best, tried)) => {
                (found, report.tuned) = (best, tried);
                report.text = found.show();
            }
            Err(why) => {
                output.error(why);
                return Ok(Exit::Found);
            }
        }
    }
    if args.emit == Emit::C {
        let given = sizes(&program, args, &common.set)?;
        let sized = found.sized(&given).map_err(Usage)?;
        match nest::lower(&sized) {
            Ok(nest) => report.c = Some(nest::c::text(&nest)),
            Err(why) => {
                output.error(format_args!("the program cannot be written as C: {why}"));
                return Ok(Exit::Found);
            }
        }
    }
    if args.emit == Emit::Run {
        let given = sizes(&program, args, &common.set)?;
        report.value = Some(match backend(args.backend, output) {
            Backend::Interpreter => value(&program, &found, &given, args.seed)?,
            fast => match timed(&program, &found, &given, args, fast) {
                Ok(value) => value,
                Err(why) => {
                    output.error(why);
                    return Ok(Exit::Found);
                }
            },
        });
    }
    if output.is_json() {
        output.json(&report);
        return Ok(Exit::Done);
    }
    if let Some(c) = &report.c {
        // Nothing but C, so that it can be compiled as it is.
        output.print(c);
        return Ok(Exit::Done);
    }
    steps_text(&report.steps, output);
    for tried in &report.tuned {
        let tiles: Vec<String> = tried
            .tiles
            .iter()
            .map(|(old, new)| format!("{old} → {new}"))
            .collect();
        output.line(format_args!(
            "# tiles {}: {:.3} ms",
            tiles.join(", "),
            tried.ms_median
        ));
    }
    match (args.emit, &report.value) {
        (Emit::Type, _) if args.sketch.is_none() => {
            output.line(format_args!("{}: {}", program.name, report.ty));
        }
        (Emit::Type | Emit::Plan, _) => output.print(&report.text),
        (Emit::Run, Some(value)) => value_text(value, args.sketch.is_some(), output),
        (Emit::Run | Emit::C, _) => {}
    }
    Ok(Exit::Done)
}

/// The program that the command line names; `None` if it is wrong, which is said.
fn program(args: &Array, output: &Output) -> Result<Option<Program>, Usage> {
    if let Some(program) = Program::built_in(&args.program) {
        return Ok(Some(program));
    }
    let path = PathBuf::from(&args.program);
    if !path.is_file() {
        let known: Vec<&str> = Program::built_ins().collect();
        return Err(Usage(format!(
            "there is no file and no program `{}`; programs that are always there: {}",
            args.program,
            known.join(", ")
        )));
    }
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Usage(format!("{}: {error}", path.display())))?;
    match Program::read(&text) {
        Ok(program) => Ok(Some(program)),
        Err(error) => {
            output.error(format_args!("{}:{}", path.display(), error.show(&text)));
            Ok(None)
        }
    }
}

fn searched(
    program: &Program,
    sketch: &str,
    args: &Array,
) -> Result<Result<Vec<Reached>, Missed>, Usage> {
    let mut texts: Vec<(Arc<str>, Arc<str>)> = Vec::new();
    for path in &args.sketches {
        let paths = if path.is_dir() {
            crate::sketches::in_folder(path)
        } else {
            vec![path.clone()]
        };
        for path in paths {
            let text = std::fs::read_to_string(&path)
                .map_err(|error| Usage(format!("{}: {error}", path.display())))?;
            texts.push((Arc::from(path.display().to_string()), Arc::from(text)));
        }
    }
    let mut steps = steps::steps(program, &steps::library(texts), sketch).map_err(Usage)?;
    if args.unguided {
        let last = steps.pop();
        steps = last.into_iter().collect();
        // Without its guides, the goal may use every rule.
        steps.iter_mut().for_each(|step| step.rules.clear());
    }
    for step in &mut steps {
        step.limits.nodes = args.max_nodes.unwrap_or(step.limits.nodes);
        step.limits.time = args.timeout.or(step.limits.time);
    }
    match guided(program, &steps, &|| false) {
        Ok(reached) => Ok(Ok(reached)),
        Err(Failed::Missed(missed)) => Ok(Err(*missed)),
        Err(Failed::Wrong(text)) => Err(Usage(text)),
    }
}

/// Values for all sizes of a program: those that are given, and one for all others.
fn sizes(program: &Program, args: &Array, set: &[String]) -> Result<Sizes, Usage> {
    let mut sizes = Sizes::default();
    for given in set.iter().chain(&args.sizes) {
        let wrong = || {
            Usage(format!(
                "expected a size of the program and a whole number from 1, `--size m=128`, found `{given}`"
            ))
        };
        let (name, value) = given.split_once('=').ok_or_else(wrong)?;
        let value: u32 = value.trim().parse().map_err(|_| wrong())?;
        let is_known = program.types.sizes().iter().any(|size| size == name.trim());
        if value == 0 || !is_known {
            return Err(wrong());
        }
        sizes.insert(name.trim().to_owned(), i64::from(value));
    }
    for size in program.types.sizes() {
        sizes.entry(size.clone()).or_insert(DEFAULT_SIZE);
    }
    Ok(sizes)
}

fn value(written: &Program, found: &Program, sizes: &Sizes, seed: u64) -> Result<ValueRow, Usage> {
    let written = written.sized(sizes).map_err(Usage)?;
    let found = found.sized(sizes).map_err(Usage)?;
    let mut random = Random::new(seed);
    let (types, _) = written.signature();
    let inputs: Option<Vec<Input>> = types
        .iter()
        .map(|ty| random.input(&written.types, *ty))
        .collect();
    let inputs = inputs.ok_or_else(|| {
        Usage("an input is of a type that no data is made up for: only data of one number type, and functions of one number".to_owned())
    })?;
    let direct = interpret(&written, &inputs).map_err(Usage)?;
    let value: Data = interpret(&found, &inputs).map_err(Usage)?;
    let numbers = value.numbers();
    Ok(ValueRow {
        numbers: numbers.len(),
        first: numbers.iter().copied().take(6).collect(),
        sum: numbers.iter().sum(),
        difference: difference(&direct, &value),
        backend: "interpreter",
        timed: None,
    })
}

/// A run for as many milliseconds, not compared with anything.
fn job(
    written: &Program,
    found: &Program,
    sizes: &Sizes,
    args: &Array,
    backend: Backend,
    budget: u64,
) -> worker::Job {
    let objects = match backend {
        Backend::C => {
            let folder = cache_folder().unwrap_or_else(|| std::env::temp_dir().join("sumac"));
            Some(folder.join("nests"))
        }
        _ => None,
    };
    worker::Job {
        written: written.show(),
        found: found.show(),
        sizes: sizes.clone().into_iter().collect(),
        seed: args.seed,
        objects,
        budget,
        is_checked: false,
    }
}

/// What can run here of what was asked for.
fn backend(asked: Backend, output: &Output) -> Backend {
    if asked == Backend::C && Compiler::find().is_none() {
        output.note(
            "there is no C compiler: neither the variable CC nor `cc` names one that runs; the loop nest runs without one",
        );
        return Backend::Nest;
    }
    asked
}

fn timed(
    written: &Program,
    found: &Program,
    sizes: &Sizes,
    args: &Array,
    backend: Backend,
) -> Result<ValueRow, String> {
    let mut job = job(written, found, sizes, args, backend, BUDGET);
    job.is_checked = true;
    let ran = worker::run(&job, args.timeout.unwrap_or(LIMIT))?;
    Ok(ValueRow {
        numbers: ran.numbers,
        first: ran.first,
        sum: ran.sum,
        difference: ran.difference,
        backend: if backend == Backend::C { "c" } else { "nest" },
        timed: Some(Timed {
            checked: ran.checked,
            ms_median: ran.median,
            ms_min: ran.least,
            ms_max: ran.most,
            runs: ran.runs,
            blocks: ran.blocks,
        }),
    })
}

/// The process that runs nests and compiled code.
pub(super) fn worker() -> Exit {
    match worker::main() {
        Ok(()) => Exit::Done,
        Err(_) => Exit::Found,
    }
}

fn step_row(step: &Reached) -> StepRow {
    let last = step.growth.rounds.last();
    StepRow {
        label: step.label.clone(),
        size: size(&step.program.term),
        growth: nodes(&step.growth),
        eclasses: last.map_or(0, |round| round.classes),
        applied: step.growth.rounds.iter().map(|round| round.applied).sum(),
        milliseconds: step.time.as_secs_f64() * 1e3,
    }
}

fn nodes(growth: &Growth) -> Vec<usize> {
    growth.rounds.iter().map(|round| round.nodes).collect()
}

fn failed_row(missed: &Missed) -> FailedRow {
    let nearest = missed.nearest.as_ref();
    FailedRow {
        label: missed.label.clone(),
        ended: missed.growth.ended.words(),
        growth: nodes(&missed.growth),
        nearest: nearest.map(|near| near.program.show()),
        misses: nearest.map(|near| near.misses),
    }
}

fn failed(report: &Report<'_>, output: &Output) -> Exit {
    if output.is_json() {
        output.json(report);
    }
    if let Some(failed) = &report.failed {
        if !output.is_json() {
            steps_text(&report.steps, output);
            output.line(format_args!(
                "# {}: {}",
                failed.label,
                arrows(&failed.growth)
            ));
            if let (Some(near), Some(misses)) = (&failed.nearest, failed.misses) {
                output.line(format_args!(
                    "# nearest, {misses} parts of the sketch are missed:"
                ));
                output.print(near);
            }
        }
        output.note(format_args!(
            "the {} was not reached: {}",
            failed.label, failed.ended
        ));
    }
    Exit::Found
}

fn arrows(growth: &[usize]) -> String {
    let shown: Vec<String> = growth.iter().map(usize::to_string).collect();
    format!("{} e-nodes", shown.join(" → "))
}

/// Lines are comments, so that the output is a program.
fn steps_text(steps: &[StepRow], output: &Output) {
    for step in steps {
        output.line(format_args!(
            "# {}: {} parts, {} rounds, {:.0} ms, {}",
            step.label,
            step.size,
            step.growth.len() - 1,
            step.milliseconds,
            arrows(&step.growth)
        ));
    }
}

fn value_text(value: &ValueRow, is_found: bool, output: &Output) {
    let first: Vec<String> = value.first.iter().map(f64::to_string).collect();
    let more = if value.numbers > value.first.len() {
        ", …"
    } else {
        ""
    };
    output.line(format_args!(
        "{} numbers: {}{more}",
        value.numbers,
        first.join(", ")
    ));
    output.line(format_args!("sum {}", value.sum));
    if let Some(timed) = &value.timed {
        output.line(format_args!(
            "{}: {:.3} ms (median of {} runs, {:.3} to {:.3})",
            value.backend, timed.ms_median, timed.runs, timed.ms_min, timed.ms_max
        ));
        let sizes: Vec<String> = timed
            .checked
            .iter()
            .map(|(n, v)| format!("{n}={v}"))
            .collect();
        output.line(format_args!(
            "differs by {:.1e} from the program as written, by the interpreter at {}",
            value.difference,
            sizes.join(", ")
        ));
    } else if is_found {
        output.line(format_args!(
            "differs by {:.1e} from the program as written",
            value.difference
        ));
    }
}
