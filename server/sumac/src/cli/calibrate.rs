//! `sumac calibrate`: measures this machine, shows what came out and what it is worth, and keeps it.

use std::fmt::Write;
use std::path::PathBuf;

use serde::Serialize;
use sumac_cost::Unit;
use sumac_ide::quantity;
use sumac_runtime::Cancel;
use sumac_runtime::calibrate::{Calibration, Effort, Measured, Prediction, calibrate};

use super::args::Calibrate;
use super::exit::Exit;
use super::output::Output;
use crate::machine::{Stored, kept_at};

/// On a machine that does nothing else, figures spread less.
const BUSY: f64 = 0.3;

#[derive(Serialize)]
struct Report<'a> {
    /// Where the figures were written to.
    file: Option<PathBuf>,
    kernels: &'a str,
    cpu: &'a str,
    threads: usize,
    #[serde(flatten)]
    calibration: &'a Calibration,
}

/// Measures, prints and writes.
pub(super) fn run(args: &Calibrate, output: &Output) -> Exit {
    if cfg!(debug_assertions) {
        output.note("this program was built without optimizations: so are the figures");
    }
    let effort = if args.quick {
        Effort::Quick
    } else {
        Effort::Full
    };
    let calibration = match calibrate(effort, &Cancel::default()) {
        Ok(calibration) => calibration,
        Err(error) => {
            output.error(format_args!("this machine cannot be measured: {error}"));
            return Exit::Found;
        }
    };
    let stored = Stored::here(calibration.machine);
    let file = match &args.output {
        Some(path) => Some(path.clone()),
        None if args.quick => None,
        None => kept_at(),
    };
    if output.is_json() {
        output.json(&Report {
            file: file.clone(),
            kernels: &stored.kernels,
            cpu: &stored.cpu,
            threads: stored.threads,
            calibration: &calibration,
        });
    } else {
        output.print(text(&stored, &calibration));
    }
    if calibration
        .figures
        .iter()
        .any(|figure| figure.spread > BUSY)
    {
        output.note(
            "some figures differ much from run to run: measure again when nothing else is running",
        );
    }
    let Some(file) = file else {
        output.note(if args.quick {
            "not kept: without --quick the figures are kept, with --output FILE these are written"
        } else {
            "not kept: this system has no folder for such files; --output FILE writes them"
        });
        return Exit::Done;
    };
    if let Err(error) = stored.write(&file) {
        output.error(format_args!(
            "{}: cannot be written: {error}",
            file.display()
        ));
        return Exit::Found;
    }
    output.note(format_args!("kept in {}", file.display()));
    Exit::Done
}

fn text(stored: &Stored, calibration: &Calibration) -> String {
    let mut text = format!("{}, {} threads\n\n", stored.cpu, stored.threads);
    let _ = writeln!(
        text,
        "{:16} {:>14} {:>14} {:>8}",
        "figure", "default", "measured", "spread"
    );
    for figure in &calibration.figures {
        let Measured {
            name,
            unit,
            default,
            measured,
            spread,
        } = figure;
        let (default, measured) = (quantity_of(*unit, *default), quantity_of(*unit, *measured));
        let _ = writeln!(
            text,
            "{name:16} {default:>14} {measured:>14} {:>6.0} %",
            100.0 * spread
        );
    }
    let memory = calibration
        .machine
        .memory
        .map_or("unknown".to_owned(), quantity::bytes);
    let _ = writeln!(text, "{:16} {:>14} {memory:>14}", "memory", "no limit");
    let _ = writeln!(
        text,
        "\nEstimates of expressions that were not measured before, and how many times the truth they are:\n\n\
         {:>9} {:>10} {:>7} {:>10} {:>7}  expression",
        "takes", "default", "", "measured", "",
    );
    for row in &calibration.check {
        let Prediction {
            expression,
            inputs,
            measured,
            by_default,
            by_measured,
        } = row;
        let times = |estimate: &f64| format!("{:.2}×", estimate / measured);
        let _ = writeln!(
            text,
            "{:>9} {:>10} {:>7} {:>10} {:>7}  {expression}   ({inputs})",
            quantity::seconds(*measured),
            quantity::seconds(*by_default),
            times(by_default),
            quantity::seconds(*by_measured),
            times(by_measured),
        );
    }
    let _ = writeln!(
        text,
        "\nMeasured in {}.",
        quantity::seconds(calibration.seconds)
    );
    text
}

fn quantity_of(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Flops => {
            let count = quantity::count(value);
            format!("{count}FLOP/s")
        }
        Unit::Bandwidth => format!("{}/s", quantity::bytes(value)),
        Unit::Seconds => quantity::seconds(value),
        Unit::Times => quantity::ratio(value),
    }
}
