//! `sumac array`: an array program's type, the program that a sketch asks for, its loop nest in C, or its value on made-up
//! inputs.

mod asked;
mod report;
mod tune;

use std::sync::Arc;
use std::time::Duration;

use asked::asked;
use report::{Report, Timed, ValueRow, failed, failed_row, step_row};
use sumac_array::exec::Compiler;
use sumac_array::guided::{Failed, Missed, Reached, guided};
use sumac_array::value::{Data, Input, Random, difference};
use sumac_array::{Program, Sizes, interpret, nest, steps};
use sumac_engine::{EngineError, Limits, LocalEngine, NestRan, RunNest};
use sumac_ide::CancelToken;

use super::args::{Array, Backend, Common, Emit};
use super::exit::{Exit, Usage};
use super::output::Output;
use crate::nests;

/// How long each of the tiles that are tried is timed, in milliseconds.
const TRIED: u64 = 150;
/// How long a run may take where nothing else is said.
const LIMIT: Duration = Duration::from_secs(120);

/// Shows, searches or runs an array program.
///
/// # Errors
/// There is no such program or sketch, or a size makes no sense.
pub(super) fn run(args: &Array, common: &Common, output: &Output) -> Result<Exit, Usage> {
    let Some(asked) = asked(args, common, output)? else {
        return Ok(Exit::Found);
    };
    let (program, given) = (asked.program, asked.sizes);
    let mut report = Report {
        program: &program.name,
        expression: asked.expression,
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
        let fast = match backend(args.backend, output) {
            Backend::Interpreter => backend(Backend::C, output),
            fast => fast,
        };
        let mut measure = |program: &Program| {
            let job = job(program, program, &given, args, fast, TRIED);
            let ran = ran(job, args.timeout)?;
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
        match nest::lower_at(&found, &given) {
            Ok(nest) => report.c = Some(nest::c::text(&nest)),
            Err(why) => {
                output.error(format_args!("the program cannot be written as C: {why}"));
                return Ok(Exit::Found);
            }
        }
    }
    if args.emit == Emit::Run {
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
    report.print(args.emit, output);
    match &report.value {
        Some(value) if differs(value.difference) => {
            output.error(format_args!(
                "the nest does not compute what the program as written does: it differs by {:.1e}",
                value.difference
            ));
            Ok(Exit::Found)
        }
        _ => Ok(Exit::Done),
    }
}

/// Whether two values differ by more than rounding, in either number type.
fn differs(difference: f64) -> bool {
    /// Sums of thousands of products in `f32` keep four digits at least.
    const ROUNDING: f64 = 1e-4;
    difference.is_nan() || difference > ROUNDING
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
            let text = crate::sketches::read(&path)
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

fn value(written: &Program, found: &Program, sizes: &Sizes, seed: u64) -> Result<ValueRow, Usage> {
    let written = written.sized(sizes).map_err(Usage)?;
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
    let value = match found.sized(sizes) {
        Ok(found) => interpret(&found, &inputs).map_err(Usage)?,
        // What its tiles do not divide is defined by the loops that end with the sizes.
        Err(_) => stepped(found, sizes, &inputs).map_err(Usage)?,
    };
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

/// What the loop nest of a program computes, step by step.
fn stepped(found: &Program, sizes: &Sizes, inputs: &[Input]) -> Result<Data, String> {
    let nest = nest::lower_at(found, sizes)?;
    let numbers: Option<Vec<Vec<f64>>> = inputs
        .iter()
        .map(|input| match input {
            Input::Data(data) => Some(data.numbers()),
            Input::Affine(..) => None,
        })
        .collect();
    let numbers = numbers.ok_or("a function as an input has no loop nest")?;
    let made = nest::run(&nest, &numbers)?;
    Ok(Data::array(made.into_iter().map(Data::Number).collect()))
}

/// A run for as many milliseconds, not compared with anything.
fn job(
    written: &Program,
    found: &Program,
    sizes: &Sizes,
    args: &Array,
    backend: Backend,
    budget: u64,
) -> RunNest {
    let objects = (backend == Backend::C).then(nests::objects).flatten();
    RunNest {
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
    if asked == Backend::C && nests::objects().is_none() {
        output.note(
            "there is no folder for compiled code that is this user's alone (neither XDG_CACHE_HOME nor HOME leads to one); the loop nest runs without a compiler",
        );
        return Backend::Nest;
    }
    asked
}

/// Runs a job in a process of its own, which may crash or be ended without harm.
fn ran(job: RunNest, timeout: Option<Duration>) -> Result<NestRan, String> {
    let limits = Limits {
        memory_bytes: None,
        seconds: Some(timeout.unwrap_or(LIMIT).as_secs_f64()),
    };
    let engine = LocalEngine::current().map_err(|error| error.to_string())?;
    match nests::run(&engine, job, &limits, &CancelToken::default()) {
        Ok(ran) => Ok(ran),
        Err(EngineError::TimedOut { seconds }) => Err(format!(
            "the run was ended after {seconds} s; --timeout SECONDS allows another time, smaller sizes take less"
        )),
        Err(other) => Err(other.to_string()),
    }
}

fn timed(
    written: &Program,
    found: &Program,
    sizes: &Sizes,
    args: &Array,
    backend: Backend,
) -> Result<ValueRow, String> {
    let mut job = job(written, found, sizes, args, backend, nests::BUDGET);
    job.is_checked = true;
    let ran = ran(job, args.timeout)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_no_difference_and_what_cannot_be_compared_is_one() {
        assert!(!differs(0.0) && !differs(3e-6));
        assert!(differs(1.0) && differs(f64::NAN) && differs(f64::INFINITY));
    }
}
