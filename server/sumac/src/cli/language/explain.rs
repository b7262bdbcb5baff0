//! Why the suggestion of a line is equal, step by step.

use serde::Serialize;
use sumac_ide::expressions::{summary, why_none};

use super::Read;
use crate::cli::exit::Exit;
use crate::cli::output::Output;

#[derive(Serialize)]
struct Report {
    file: String,
    line: usize,
    original: String,
    optimized: String,
    proof: &'static str,
    assumes: Vec<String>,
    text: String,
}

/// Prints the proofs of the expressions that touch a line.
pub(crate) fn explain(read: &Read<'_>, line: usize, output: &Output) -> Exit {
    let mut reports = Vec::new();
    for (expression, found) in read.searched(Some((line, line))) {
        let original = read.text[expression.range].to_owned();
        match found {
            Ok(found) => {
                for one in found {
                    let text = format!(
                        "`{original}`\n`{}`\n\n{}\n\n{}",
                        one.text,
                        summary(&one),
                        one.proof.markdown()
                    );
                    reports.push(Report {
                        file: read.file.clone(),
                        line: read.line(expression.range.start),
                        original: original.clone(),
                        optimized: one.text,
                        proof: one.proof.name(),
                        assumes: one.assumes,
                        text,
                    });
                }
            }
            Err(why) => output.note(format_args!(
                "{}:{line}: `{original}`: {}",
                read.file,
                why_none(&why)
            )),
        }
    }
    if reports.is_empty() {
        output.note(format_args!(
            "{}:{line}: there is no suggestion for this line",
            read.file
        ));
        return Exit::Found;
    }
    if output.is_json() {
        output.json(&reports);
    } else {
        reports.iter().for_each(|report| output.print(&report.text));
    }
    Exit::Done
}
