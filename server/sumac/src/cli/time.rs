//! `sumac time`: times a statement as written and as suggested.

use serde::Serialize;
use sumac_ide::{CancelToken, Inputs, Measured, Timing, quantity};

use super::args::Time;
use super::output::Output;
use super::place::{AtPlace, searched};
use super::said::Said;
use super::{Exit, Usage, engine, limits};
use crate::measure::{self, Subject};

#[derive(Serialize)]
struct Report {
    original: Side,
    optimized: Side,
    engine: String,
    inputs: &'static str,
    scale: f64,
    /// Bytes that the original needs at full size, where it was scaled down.
    needs_bytes: Option<f64>,
}

#[derive(Serialize)]
struct Side {
    ms_median: f64,
    ms_min: f64,
    runs: u32,
    peak_bytes: u64,
}

/// Prints the times.
///
/// # Errors
/// The place names no line of the file, or its `sumac.toml` is wrong.
pub(super) fn run(args: &Time, said: &Said, output: &Output) -> Result<Exit, Usage> {
    let Some(at) = searched(&args.place, &args.search, said, output)? else {
        return Ok(Exit::Found);
    };
    let AtPlace {
        script,
        context,
        path,
        wanted,
        ..
    } = at;
    let Some(suggestion) = script.snapshot.applicable(wanted).next() else {
        output.note(format_args!(
            "{}: there is no suggestion for this line, so nothing to time",
            args.place
        ));
        return Ok(Exit::Found);
    };
    let mut folders = measure::folder_of(Some(&path));
    folders.push(std::path::PathBuf::new());
    let job = measure::job(Subject {
        suggestion,
        program: script.snapshot.parse.program(),
        folders: &folders,
        stated: &context.stated,
    });
    let limits = limits(&args.engine, args.timeout, &context.config);
    let timed = engine(&args.engine, &context.config)
        .map_err(|error| error.to_string())
        .and_then(|engine| {
            let progress = &mut |text: &str| output.note(text);
            let cancel = CancelToken::default();
            measure::time(&engine, job, &limits, &cancel, progress)
                .map_err(|error| error.to_string())
        });
    match timed {
        Ok(timing) if output.is_json() => output.json(&report(timing)),
        Ok(timing) => output.print(text_of(&timing)),
        Err(error) => {
            output.error(format_args!("{}: {error}", args.place));
            return Ok(Exit::Found);
        }
    }
    Ok(Exit::Done)
}

fn report(timing: Timing) -> Report {
    let side = |measured: Measured| Side {
        ms_median: measured.ms_median,
        ms_min: measured.ms_min,
        runs: measured.runs,
        peak_bytes: measured.peak_bytes,
    };
    Report {
        original: side(timing.original),
        optimized: side(timing.optimized),
        engine: timing.engine,
        inputs: match timing.inputs {
            Inputs::Real => "real",
            Inputs::Synthetic(_) => "synthetic",
        },
        scale: timing.scale,
        needs_bytes: timing.needs_bytes,
    }
}

fn text_of(timing: &Timing) -> String {
    let side = |name: &str, measured: &Measured| {
        format!(
            "{name:10} median {:>9}, fastest {:>9}, {} runs, peak memory {}\n",
            quantity::seconds(measured.ms_median / 1e3),
            quantity::seconds(measured.ms_min / 1e3),
            measured.runs,
            quantity::bytes(measured.peak_bytes as f64),
        )
    };
    format!(
        "{}{}{}\n",
        side("as written", &timing.original),
        side("optimized", &timing.optimized),
        timing.title(),
    )
}
