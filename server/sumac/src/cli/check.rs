//! `sumac check`: everything that is wrong.

use serde::Serialize;
use sumac_analysis::Severity;
use sumac_ide::Diagnostic;

use super::args::Check;
use super::input::{self, read_script, scripts};
use super::output::Output;
use super::said::Said;
use super::{Exit, Usage, render};
use crate::script::Script;

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
    let files = scripts(&args.paths);
    let count = files.len();
    for found in files {
        match found.and_then(|path| Ok((read_script(&path)?, path))) {
            Ok((text, path)) => {
                let file = path.display().to_string();
                let mut script = Script::new(&path, &text, &said.context(&path)?);
                script.decide_asserts();
                for found in sumac_ide::diagnostics(&script.snapshot) {
                    if !output.is_json() {
                        let shown =
                            render::diagnostic(&file, &text, &found, output.colors_stdout());
                        output.line(format_args!("{shown}\n"));
                    }
                    problems.push(problem(&file, &script, found));
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

fn problem(file: &str, script: &Script, found: Diagnostic) -> Problem {
    let place = |offset| render::line_column(&script.snapshot.lines, offset);
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
