//! `sumac parse`: syntax only.

use serde::Serialize;
use sumac_syntax::parse;
use sumac_text::LineIndex;

use super::args::Paths;
use super::exit::Exit;
use super::input::{read_text, scripts};
use super::output::Output;
use super::render;
use crate::languages;

#[derive(Serialize)]
struct Report {
    file: String,
    ok: bool,
    errors: Vec<Problem>,
}

#[derive(Serialize)]
struct Problem {
    line: usize,
    col: usize,
    message: String,
}

/// Prints `PATH: ok` or `PATH:LINE:COL: message` for each file.
pub(super) fn run(args: &Paths, output: &Output) -> Exit {
    let mut reports = Vec::new();
    for found in scripts(&args.paths) {
        let read = found.and_then(|path| Ok((read_text(&path)?, path)));
        let (file, errors) = match read {
            Ok((text, path)) => {
                let lines = LineIndex::new(text.as_str());
                let problem = |error: &sumac_text::SyntaxError| {
                    let (line, col) = render::line_column(&lines, error.range.start);
                    Problem {
                        line,
                        col,
                        message: error.message.clone(),
                    }
                };
                let errors: Vec<Problem> = match languages::of(&path) {
                    Some(language) => language.syntax_errors(&text).iter().map(problem).collect(),
                    None => parse(text.as_str()).refusals().map(problem).collect(),
                };
                (path, errors)
            }
            Err(refused) => {
                let (line, col) = refused.place.unwrap_or((1, 1));
                let problem = Problem {
                    line,
                    col,
                    message: refused.message,
                };
                (refused.path, vec![problem])
            }
        };
        let file = file.display().to_string();
        if !output.is_json() {
            print(output, &file, &errors);
        }
        reports.push(Report {
            file,
            ok: errors.is_empty(),
            errors,
        });
    }
    if output.is_json() {
        output.json(&reports);
    }
    if reports.iter().all(|report| report.ok) {
        Exit::Done
    } else {
        Exit::Found
    }
}

fn print(output: &Output, file: &str, errors: &[Problem]) {
    // One line a file: the first error, and how many there are.
    let Some((Problem { line, col, message }, others)) = errors.split_first() else {
        output.line(format_args!("{file}: ok"));
        return;
    };
    output.line(format_args!("{file}:{line}:{col}: {message}"));
    for Problem { line, col, message } in others {
        output.note(format_args!("{file}:{line}:{col}: {message}"));
    }
}
