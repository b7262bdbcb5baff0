//! `sumac check`: everything that is wrong.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use sumac_analysis::Severity;
use sumac_ide::Diagnostic;
use sumac_ide::expressions::diagnostics;
use sumac_sumproduct::Options;
use sumac_text::LineIndex;

use super::args::Check;
use super::exit::{Exit, Usage};
use super::input::{self, Unreadable, read_text, scripts_and_sketches};
use super::output::Output;
use super::said::Said;
use super::{language, render};
use crate::languages;
use crate::script::Script;
use crate::sketches::{self, is_sketch};

#[derive(Serialize)]
struct Problem {
    file: String,
    line: usize,
    col: usize,
    end_line: usize,
    end_col: usize,
    severity: &'static str,
    code: &'static str,
    message: String,
}

/// Prints the diagnostics of each file.
///
/// # Errors
/// A `--severity` or a `sumac.toml` is wrong.
pub(super) fn run(args: &Check, mut said: Said, output: &Output) -> Result<Exit, Usage> {
    for text in &args.severity {
        let (code, level) = input::split_setting(text)?;
        said.layer
            .set("diagnostics", &code, level.into())
            .map_err(|wrong| Usage(wrong.message()))?;
    }
    let mut problems = Vec::new();
    let (sketches, files): (Vec<_>, Vec<_>) = scripts_and_sketches(&args.paths)
        .into_iter()
        .partition(|file| file.as_ref().is_ok_and(|path| is_sketch(path)));
    let count = files.len() + sketches.len();
    check_sketches(&sketches, &said, &mut problems, output)?;
    for found in files {
        match found.and_then(|path| Ok((read_text(&path)?, path))) {
            Ok((text, path)) => {
                let file = path.display().to_string();
                let (found, lines) = match languages::of(&path) {
                    Some(language) => {
                        let read = language::Read::new(language, file.clone(), &text);
                        let found = diagnostics(language, &text, &read.analysis, true);
                        (found, Arc::new(read.lines))
                    }
                    None => {
                        let mut script = Script::new(&path, &text, &said.context(&path)?);
                        script.decide_asserts();
                        script.try_pins(&Options::default());
                        let found = sumac_ide::diagnostics(&script.snapshot);
                        (found, script.snapshot.lines)
                    }
                };
                for found in found {
                    if !output.is_json() {
                        let source = (&*text, &*lines);
                        let shown =
                            render::diagnostic(&file, source, &found, output.colors_stdout());
                        output.line(format_args!("{shown}\n"));
                    }
                    problems.push(problem(&file, &lines, found));
                }
            }
            Err(refused) => {
                if !output.is_json() {
                    output.error(&refused);
                }
                let (line, col) = refused.place.unwrap_or((1, 1));
                problems.push(Problem {
                    file: refused.path.display().to_string(),
                    line,
                    col,
                    end_line: line,
                    end_col: col,
                    severity: render::severity(Severity::Error),
                    code: "unreadable-file",
                    message: refused.message,
                });
            }
        }
    }
    if output.is_json() {
        output.json(&problems);
    } else {
        output.note(summary(&problems, count));
    }
    let is_error = |problem: &Problem| problem.severity == render::severity(Severity::Error);
    Ok(if problems.iter().any(is_error) {
        Exit::Found
    } else {
        Exit::Done
    })
}

/// Prints the diagnostics of sketch files. Each is read with what it imports, and with nothing else.
fn check_sketches(
    files: &[Result<PathBuf, Unreadable>],
    said: &Said,
    problems: &mut Vec<Problem>,
    output: &Output,
) -> Result<(), Usage> {
    for path in files.iter().flatten() {
        let (library, unreadable) = sketches::library(std::slice::from_ref(path));
        for (path, message) in unreadable {
            if !output.is_json() {
                output.error(format_args!("{}: {message}", path.display()));
            }
            problems.push(Problem {
                file: path.display().to_string(),
                line: 1,
                col: 1,
                end_line: 1,
                end_col: 1,
                severity: render::severity(Severity::Error),
                code: "unreadable-file",
                message,
            });
        }
        let Some(source) = library.files().first() else {
            continue;
        };
        let file = path.display().to_string();
        let lines = LineIndex::new(Arc::clone(&source.text));
        let severities = said.context(path)?.config.severities();
        for found in sumac_ide::sketch::diagnostics(&library, 0, &severities) {
            if !output.is_json() {
                let shown = render::diagnostic(
                    &file,
                    (&source.text, &lines),
                    &found,
                    output.colors_stdout(),
                );
                output.line(format_args!("{shown}\n"));
            }
            problems.push(problem(&file, &lines, found));
        }
    }
    Ok(())
}

fn problem(file: &str, lines: &LineIndex, found: Diagnostic) -> Problem {
    let place = |offset| render::line_column(lines, offset);
    let ((line, col), (end_line, end_col)) = (place(found.range.start), place(found.range.end));
    Problem {
        file: file.to_owned(),
        line,
        col,
        end_line,
        end_col,
        severity: render::severity(found.severity),
        code: found.code,
        message: found.message,
    }
}

fn summary(problems: &[Problem], files: usize) -> String {
    let plural = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    format!(
        "{} in {}",
        plural(problems.len(), "finding"),
        plural(files, "file")
    )
}
