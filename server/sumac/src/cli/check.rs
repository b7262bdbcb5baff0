//! `sumac check`: everything that is wrong.

use serde::Serialize;
use sumac_analysis::Severity;
use sumac_ide::Diagnostic;

use super::args::Paths;
use super::input::read_script;
use super::output::Output;
use super::{Exit, render};
use crate::script::{Script, Stated};

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
pub(super) fn run(args: &Paths, stated: &Stated, output: &Output) -> Exit {
    let mut problems = Vec::new();
    for path in &args.paths {
        let file = path.display().to_string();
        match read_script(path) {
            Ok(text) => {
                let script = Script::new(path, &text, stated);
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
                    file,
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
        output.note(summary(&problems, args.paths.len()));
    }
    let is_error = |problem: &Problem| problem.severity == render::severity(Severity::Error);
    if problems.iter().any(is_error) {
        Exit::Found
    } else {
        Exit::Done
    }
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
