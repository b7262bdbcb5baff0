//! `sumac fuse`: how the operators of the block around a line are fused. What a plan is, `sumac-fusion` decides.

mod measure;
mod report;
mod text;

use std::time::Instant;

use sumac_fusion::template::Sizes;
use sumac_fusion::{Limits, Options, Rates};
use sumac_ide::array_program::array_program;
use sumac_ide::fusion::{Block, has_choices};

use super::args::{Engine, Fuse};
use super::exit::{Exit, Usage};
use super::output::Output;
use super::place::{Located, located, without_algebra};
use super::said::Said;
use crate::machine;

/// Prints the plan.
///
/// # Errors
/// The place names no line of the file, or its `sumac.toml` is wrong, or the machine cannot be read.
pub(super) fn run(args: &Fuse, said: &Said, output: &Output) -> Result<Exit, Usage> {
    let Some(Located {
        script,
        context,
        path,
        line,
        wanted,
    }) = located(&args.place, said, output)?
    else {
        return Ok(Exit::Found);
    };
    let used = machine::used(args.machine.as_deref(), &context.config.search)?;
    if let Some(note) = &used.note {
        output.note_once(note);
    }
    let Some(block) = Block::around(&script.snapshot, wanted) else {
        let has_operators = |snapshot: &_, range| {
            has_choices(snapshot, range) && array_program(snapshot, range).is_some()
        };
        output.note(without_algebra(&args.place, &script, line, has_operators));
        return Ok(Exit::Found);
    };
    let rates = match args.rates {
        Engine::Local => Rates::from(&used.machine),
        Engine::Systemds => {
            Rates::systemds(u32::try_from(sumac_runtime::kernels::threads()).unwrap_or(u32::MAX))
        }
        Engine::Spark => Rates::spark(context.config.cluster()),
    };
    let options = Options {
        policy: args.policy.into(),
        rates,
        sizes: Sizes::default(),
        limits: Limits {
            plans: args.max_plans,
            ..Limits::default()
        },
    };
    let start = Instant::now();
    let plan = sumac_fusion::plan(block.dag(), block.roots(), &options);
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    let measured = args
        .measure
        .then(|| measure::measure(&block, &plan, &options));
    let (measured, refused) = match measured.transpose() {
        Ok(measured) => (measured, None),
        Err(why) => (None, Some(why)),
    };
    if output.is_json() {
        let mut report = report::of(
            &block,
            &plan,
            (&path, line),
            (&options, used.origin),
            milliseconds,
        );
        report.measured = measured;
        output.json(&report);
    } else {
        output.print(text::of(
            &block,
            &plan,
            options.rates.cluster.as_ref(),
            &path,
        ));
        if let Some(measured) = measured {
            output.print(format_args!("\n{}", measured.text(plan.seconds)));
        }
    }
    if let Some(why) = refused {
        output.error(format_args!("{}: not measured: {why}", args.place));
        return Ok(Exit::Found);
    }
    Ok(Exit::Done)
}
