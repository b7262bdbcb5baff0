//! What `sumac array` says: for programs as a value, for people as a program whose comments tell how it was found.

use std::collections::BTreeMap;

use serde::Serialize;
use sumac_array::guided::{Missed, Reached};
use sumac_array::{Growth, size};

use super::super::exit::Exit;
use super::tune::Tried;
use crate::cli::args::Emit;
use crate::cli::output::Output;

#[derive(Serialize)]
pub(super) struct Report<'a> {
    pub(super) program: &'a str,
    /// What a script says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expression: Option<String>,
    #[serde(rename = "type")]
    pub(super) ty: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sketch: Option<&'a str>,
    pub(super) steps: Vec<StepRow>,
    /// Tiles that were tried, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tuned: Vec<Tried>,
    /// The program that was found, or the program itself.
    pub(super) text: String,
    /// The loop nest as a C function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) c: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) value: Option<ValueRow>,
    /// Why there is no program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failed: Option<FailedRow>,
}

#[derive(Serialize)]
pub(super) struct StepRow {
    pub(super) label: String,
    pub(super) size: usize,
    /// E-nodes before the first round and after each.
    pub(super) growth: Vec<usize>,
    pub(super) eclasses: usize,
    pub(super) applied: usize,
    pub(super) milliseconds: f64,
}

#[derive(Serialize)]
pub(super) struct ValueRow {
    pub(super) numbers: usize,
    pub(super) first: Vec<f64>,
    pub(super) sum: f64,
    /// The largest difference from the program as written, relative to the largest number.
    pub(super) difference: f64,
    pub(super) backend: &'static str,
    #[serde(flatten)]
    pub(super) timed: Option<Timed>,
}

/// What is known of a run that was timed.
#[derive(Serialize)]
pub(super) struct Timed {
    /// The sizes at which the difference was found, where the interpreter is quick.
    pub(super) checked: BTreeMap<String, i64>,
    pub(super) ms_median: f64,
    pub(super) ms_min: f64,
    pub(super) ms_max: f64,
    pub(super) runs: usize,
    /// Innermost loops that ran as blocks of vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) blocks: Option<usize>,
}

#[derive(Serialize)]
pub(super) struct FailedRow {
    pub(super) label: String,
    pub(super) ended: &'static str,
    pub(super) growth: Vec<usize>,
    pub(super) nearest: Option<String>,
    pub(super) misses: Option<usize>,
}

impl Report<'_> {
    /// Writes what was asked for.
    pub(super) fn print(&self, emit: Emit, output: &Output) {
        if output.is_json() {
            output.json(self);
            return;
        }
        if let Some(c) = &self.c {
            // Nothing but C, so that it can be compiled as it is.
            output.print(c);
            return;
        }
        if let Some(expression) = &self.expression {
            output.line(format_args!("# {expression}"));
        }
        steps_text(&self.steps, output);
        for tried in &self.tuned {
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
        match (emit, &self.value) {
            (Emit::Type, _) if self.sketch.is_none() => {
                output.line(format_args!("{}: {}", self.program, self.ty));
            }
            (Emit::Type | Emit::Plan, _) => output.print(&self.text),
            (Emit::Run, Some(value)) => value_text(value, self.sketch.is_some(), output),
            (Emit::Run | Emit::C, _) => {}
        }
    }
}

pub(super) fn step_row(step: &Reached) -> StepRow {
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

pub(super) fn failed_row(missed: &Missed) -> FailedRow {
    let nearest = missed.nearest.as_ref();
    FailedRow {
        label: missed.label.clone(),
        ended: missed.growth.ended.words(),
        growth: nodes(&missed.growth),
        nearest: nearest.map(|near| near.program.show()),
        misses: nearest.map(|near| near.misses),
    }
}

pub(super) fn failed(report: &Report<'_>, output: &Output) -> Exit {
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
