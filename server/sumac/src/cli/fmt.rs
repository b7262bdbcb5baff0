//! `sumac fmt`: lays scripts and sketch files out. One with syntax errors is reported and left as it is.

use std::io::Read;
use std::path::Path;

use serde::Serialize;
use sumac_ide::sketch;
use sumac_syntax::format::{FormatOptions, format};
use sumac_syntax::parse;
use sumac_text::{LineIndex, SyntaxError};

use super::args::Fmt;
use super::exit::{Exit, Usage};
use super::input::{Unreadable, read_script, scripts_and_sketches};
use super::output::Output;
use super::said::Said;
use super::{diff, render};
use crate::sketches::is_sketch;

#[derive(Serialize)]
struct Report {
    file: String,
    /// Whether its formatted text differs from what was read.
    changed: bool,
    errors: Vec<Problem>,
}

#[derive(Serialize)]
struct Problem {
    line: usize,
    col: usize,
    message: String,
}

impl Problem {
    fn of_file(message: &impl ToString) -> Vec<Self> {
        let message = message.to_string();
        vec![Problem {
            line: 1,
            col: 1,
            message,
        }]
    }
}

/// Formats the named scripts and sketch files, and those in the named folders; `-` is the standard input.
pub(super) fn run(args: &Fmt, said: &Said, output: &Output) -> Result<Exit, Usage> {
    if args.paths.iter().any(|path| path == Path::new("-")) {
        if args.paths.len() > 1 {
            return Err(Usage("`-` is the standard input and stands alone".into()));
        }
        let options = options(args, said, Path::new("-"))?;
        return Ok(standard_input(args, options, output));
    }
    let mut files = Vec::new();
    let mut reports = Vec::new();
    for found in scripts_and_sketches(&args.paths) {
        match found {
            Ok(file) => files.push(file),
            Err(refused) => reports.push(Report {
                file: refused.path.display().to_string(),
                changed: false,
                errors: unreadable(&refused),
            }),
        }
    }
    for file in &files {
        reports.push(one(file, args, options(args, said, file)?, output));
    }
    if output.is_json() {
        output.json(&reports);
    } else {
        reports.iter().for_each(|report| complain(report, output));
    }
    Ok(exit(&reports, args))
}

/// What the options say over the configuration for `file`.
fn options(args: &Fmt, said: &Said, file: &Path) -> Result<FormatOptions, Usage> {
    Ok(args.options(said.context(file)?.config.format_options()))
}

fn exit(reports: &[Report], args: &Fmt) -> Exit {
    let found = |report: &Report| !report.errors.is_empty() || (args.checks() && report.changed);
    if reports.iter().any(found) {
        Exit::Found
    } else {
        Exit::Done
    }
}

fn one(file: &Path, args: &Fmt, options: FormatOptions, output: &Output) -> Report {
    let formatted = read_script(file)
        .map_err(|refused| unreadable(&refused))
        .and_then(|text| {
            let new = if is_sketch(file) {
                formatted_sketch(&text)?
            } else {
                formatted(&text, &options)?
            };
            Ok((new, text))
        });
    let (changed, errors) = match formatted {
        Ok((new, old)) if new == old => (false, Vec::new()),
        Ok((new, old)) => match accept(file, &old, &new, args, output) {
            Ok(()) => (true, Vec::new()),
            Err(error) => {
                let message = format_args!("the formatted script cannot be written: {error}");
                (false, Problem::of_file(&message))
            }
        },
        Err(errors) => (false, errors),
    };
    Report {
        file: file.display().to_string(),
        changed,
        errors,
    }
}

/// Does with a changed script what was asked for.
fn accept(file: &Path, old: &str, new: &str, args: &Fmt, output: &Output) -> std::io::Result<()> {
    if !args.checks() {
        return diff::write_atomically(file, old, new);
    }
    if !output.is_json() {
        if args.diff {
            output.print(diff::unified(file, old, new, output.colors_stdout()));
        } else {
            output.line(file.display());
        }
    }
    Ok(())
}

fn unreadable(refused: &Unreadable) -> Vec<Problem> {
    let (line, col) = refused.place.unwrap_or((1, 1));
    vec![Problem {
        line,
        col,
        message: refused.message.clone(),
    }]
}

fn formatted(text: &str, options: &FormatOptions) -> Result<String, Vec<Problem>> {
    let script = parse(text);
    let refusals: Vec<SyntaxError> = script.refusals().cloned().collect();
    if refusals.is_empty() {
        return format(&script, options).map_err(|error| Problem::of_file(&error));
    }
    Err(problems(text, &refusals))
}

/// There is one layout for sketches, whatever the options say.
fn formatted_sketch(text: &str) -> Result<String, Vec<Problem>> {
    sketch::formatted(text).map_err(|errors| problems(text, &errors))
}

fn problems(text: &str, errors: &[SyntaxError]) -> Vec<Problem> {
    let lines = LineIndex::new(text);
    let problem = |error: &SyntaxError| {
        let (line, col) = render::line_column(&lines, error.range.start);
        Problem {
            line,
            col,
            message: error.message.clone(),
        }
    };
    errors.iter().map(problem).collect()
}

fn standard_input(args: &Fmt, options: FormatOptions, output: &Output) -> Exit {
    let mut text = String::new();
    let read = std::io::stdin().lock().read_to_string(&mut text);
    let result = match read {
        Ok(_) => formatted(&text, &options),
        Err(error) => Err(Problem::of_file(&format_args!("cannot be read: {error}"))),
    };
    let mut report = Report {
        file: "-".to_owned(),
        changed: false,
        errors: Vec::new(),
    };
    match result {
        Ok(new) => {
            report.changed = new != text;
            if output.is_json() {
                output.json(&[&report]);
            } else if args.diff {
                let path = Path::new("-");
                output.print(diff::unified(path, &text, &new, output.colors_stdout()));
            } else if !args.check {
                output.print(new);
            }
        }
        Err(errors) => {
            report.errors = errors;
            if output.is_json() {
                output.json(&[&report]);
            } else {
                complain(&report, output);
            }
        }
    }
    exit(&[report], args)
}

fn complain(report: &Report, output: &Output) {
    for Problem { line, col, message } in &report.errors {
        let file = &report.file;
        output.error(format_args!("{file}:{line}:{col}: {message}"));
    }
}
