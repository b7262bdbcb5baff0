//! `sumac sketch`: a statement optimized by way of a sketch, as a diff, as JSON, or written into the script.

use std::path::{Path, PathBuf};

use serde::Serialize;
use sumac_ide::CancelToken;
use sumac_ide::sketch::{Cache, Library};
use sumac_ide::suggest::{NoForm, SketchProgress, Stage, Suggestion, stage_lines};
use sumac_syntax::Parse;
use sumac_text::{TextRange, apply_edits};

use super::args::Sketch;
use super::exit::{Exit, Usage};
use super::form::{CheckRow, CostRow, Pair, summary};
use super::output::Output;
use super::place::{Located, located};
use super::said::Said;
use super::{diff, searching};
use crate::script::Script;
use crate::{sketches, store};

#[derive(Serialize)]
struct Report<'a> {
    file: String,
    line: usize,
    sketch: &'a str,
    stages: Vec<StageRow<'a>>,
    /// The forms that fit, the best first; empty where none does.
    forms: Vec<FormRow<'a>>,
    /// Why there is no form.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<FailedRow<'a>>,
}

#[derive(Serialize)]
struct StageRow<'a> {
    label: &'a str,
    form: &'a str,
    cost: StageCost,
    /// E-nodes before the first round and after each.
    growth: &'a [usize],
    ended: &'a str,
    /// The stage as text for a sketch file, where the search put it there by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposed: Option<&'a str>,
}

#[derive(Serialize)]
struct StageCost {
    model: &'static str,
    value: Option<f64>,
}

#[derive(Serialize)]
struct FormRow<'a> {
    original: &'a str,
    optimized: &'a str,
    statement: &'a str,
    cost: CostRow,
    flops: Pair,
    proof: &'static str,
    check: CheckRow,
    needs: Vec<&'a str>,
    assumes: &'a [String],
}

#[derive(Serialize)]
struct FailedRow<'a> {
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<&'a str>,
    /// The parts of the pattern that the nearest form misses, in bytes.
    missed: Vec<(usize, usize)>,
    nearest: Option<&'a str>,
    growth: &'a [usize],
    ended: Option<&'a str>,
    /// A rule set with which the stage is reached.
    add: Option<&'a str>,
    /// A guide with which the stage is reached.
    guide: Option<&'a str>,
}

/// Searches and prints, or applies.
///
/// # Errors
/// The place names no line, the sketch does not exist or takes other arguments, or a `sumac.toml` is wrong.
pub(super) fn run(args: &Sketch, said: &Said, output: &Output) -> Result<Exit, Usage> {
    let Some(at) = located(&args.place, said, output)? else {
        return Ok(Exit::Found);
    };
    let Located {
        script,
        context,
        path,
        line,
        wanted,
    } = at;
    let (options, _) = searching::options(&args.search, args.ceiling.memory, &context, output)?;
    let parse = &script.snapshot.parse;
    let library = sketches::with_inline(&path, parse, &library(args, &path, parse)?);
    let Some(name) = &args.name else {
        return Ok(list(&script, wanted, &library, &options, output));
    };
    let sketch = library.fill(name).map_err(Usage)?;
    let mut last = String::new();
    let mut watch = |progress: SketchProgress| {
        let (number, count) = progress.stage;
        let text = format!("{} ({number} of {count})", progress.label);
        if last != text {
            output.note(format_args!("searching {text}"));
            last = text;
        }
    };
    let forms = args.alternatives + 1;
    let found = script.sketched(
        wanted,
        &sketch,
        (&options, forms),
        (&Cache::default(), store::wanted(&context.config)),
        &CancelToken::default(),
        &mut watch,
    );
    let file = path.display().to_string();
    let mut report = Report {
        file,
        line,
        sketch: name,
        stages: Vec::new(),
        forms: Vec::new(),
        failed: None,
    };
    match &found {
        Ok(found) => {
            report.stages = found.stages.iter().map(stage_row).collect();
            report.forms = found.suggestions.iter().map(form_row).collect();
            if output.is_json() {
                output.json(&report);
            } else {
                stages(&found.stages, output);
            }
            present(args, &path, &script, &found.suggestions, output)
        }
        Err(miss) => {
            let failed = failed_row(args, miss);
            let exit = match miss {
                NoForm::Unwritten(..) | NoForm::AsWritten(..) | NoForm::Cancelled => {
                    Exit::Undecided
                }
                _ => Exit::Found,
            };
            match miss {
                NoForm::Unreached(it) => {
                    report.stages = it.stages.iter().map(stage_row).collect();
                    if !output.is_json() {
                        stages(&it.stages, output);
                        for line in it.lines() {
                            output.line(format_args!("# {line}"));
                        }
                    }
                }
                NoForm::Unwritten(_, reached) | NoForm::AsWritten(_, reached) => {
                    report.stages = reached.iter().map(stage_row).collect();
                    if !output.is_json() {
                        stages(reached, output);
                    }
                }
                _ => {}
            }
            if output.is_json() {
                report.failed = Some(failed);
                output.json(&report);
            } else {
                output.note(format_args!("{}: {}", args.place, failed.message));
            }
            Ok(exit)
        }
    }
}

/// The sketches that the command may use.
fn library(args: &Sketch, script: &Path, parse: &Parse) -> Result<Library, Usage> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for path in &args.sketches {
        if path.is_dir() {
            paths.extend(sketches::in_folder(path));
        } else {
            paths.push(path.clone());
        }
    }
    paths.extend(sketches::beside(script));
    paths.extend(sketches::imported(script, parse));
    let (library, problems) = sketches::library(&paths);
    match problems.first() {
        Some((path, message)) => Err(Usage(format!("{}: {message}", path.display()))),
        None => Ok(library),
    }
}

/// Lists the sketches that could apply at a place.
fn list(
    script: &Script,
    wanted: TextRange,
    library: &Library,
    options: &sumac_sumproduct::Options,
    output: &Output,
) -> Exit {
    let offers = script.sketch_offers(wanted, library, options);
    let calls = offers.iter().flat_map(|offer| &offer.calls);
    let rows: Vec<(&str, &str)> = calls
        .map(|call| {
            (
                call.name.as_str(),
                call.doc.lines().next().unwrap_or_default(),
            )
        })
        .collect();
    if output.is_json() {
        let names: Vec<&str> = rows.iter().map(|(name, _)| *name).collect();
        output.json(&names);
    } else {
        for (name, doc) in &rows {
            output.line(format_args!("{name:24} {doc}"));
        }
    }
    if rows.is_empty() {
        output.note("no sketch could apply here; name more files with --sketches");
        return Exit::Found;
    }
    Exit::Done
}

fn stage_row(stage: &Stage) -> StageRow<'_> {
    StageRow {
        label: &stage.label,
        form: &stage.form,
        cost: StageCost {
            model: stage.cost.0,
            value: stage.cost.1,
        },
        growth: &stage.growth,
        ended: stage.ended,
        proposed: stage.proposed.as_deref(),
    }
}

fn form_row(suggestion: &Suggestion) -> FormRow<'_> {
    FormRow {
        original: &suggestion.original,
        optimized: &suggestion.optimized,
        statement: &suggestion.statement,
        cost: CostRow::of(suggestion),
        flops: Pair::flops(suggestion),
        proof: suggestion.proof.name(),
        check: CheckRow::of(suggestion),
        needs: suggestion.conditions(),
        assumes: &suggestion.assumes,
    }
}

fn failed_row<'a>(args: &Sketch, miss: &'a NoForm) -> FailedRow<'a> {
    let mut row = FailedRow {
        message: String::new(),
        stage: None,
        label: None,
        pattern: None,
        missed: Vec::new(),
        nearest: None,
        growth: &[],
        ended: None,
        add: None,
        guide: None,
    };
    match miss {
        NoForm::Nothing => {
            row.message = format!("{} at {}", miss.message(), args.place);
        }
        NoForm::Unreached(it) => {
            row.message = miss.message();
            row.stage = Some(it.stage);
            row.label = Some(&it.label);
            row.pattern = Some(&it.pattern);
            row.missed = it
                .missed
                .iter()
                .map(|range| (range.start, range.end))
                .collect();
            row.nearest = it.nearest.as_deref();
            row.growth = &it.growth;
            row.ended = Some(it.ended);
            row.add = it.add;
            row.guide = it.guide.as_deref();
        }
        _ => row.message = miss.message(),
    }
    row
}

/// Says what was reached. Lines are comments of DML, so that the output can be pasted.
fn stages(stages: &[Stage], output: &Output) {
    for line in stage_lines(stages) {
        output.line(format_args!("# {line}"));
    }
}

/// Shows or writes the forms.
fn present(
    args: &Sketch,
    path: &Path,
    script: &Script,
    forms: &[Suggestion],
    output: &Output,
) -> Result<Exit, Usage> {
    let Some((best, others)) = forms.split_first() else {
        return Ok(Exit::Found);
    };
    let old = script.snapshot.text();
    let new = apply_edits(old, &best.edits.to_vec());
    if args.apply {
        if let Err(error) = diff::write_atomically(path, old, &new) {
            output.error(format_args!(
                "{}: cannot be written: {error}",
                path.display()
            ));
            return Ok(Exit::Found);
        }
    } else if !output.is_json() {
        output.print(diff::unified(path, old, &new, output.colors_stdout()));
    }
    output.note(format_args!("{}: {}", args.place, summary(best)));
    if !output.is_json() {
        for (number, other) in (1..).zip(others) {
            output.line(format_args!(
                "# alternative {number}: {}\n{}",
                summary(other),
                other.statement.trim_end()
            ));
        }
    }
    Ok(Exit::Done)
}
