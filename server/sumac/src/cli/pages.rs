//! `sumac check --explain CODE`: the page of a diagnostic, which is part of the program.

use serde::Serialize;
use sumac_analysis::catalogue::{self, CODES};

use super::exit::{Exit, Usage};
use super::output::Output;
use super::render;

macro_rules! pages {
    ($($code:literal)*) => {
        [$(($code, include_str!(concat!("../../../../docs/diagnostics/", $code, ".md")))),*]
    };
}

/// Each code with its page.
#[rustfmt::skip]
const PAGES: [(&str, &str); 49] = pages!(
    "accidental-broadcast" "argument-form" "assigned-constant" "contradicting-fact" "deprecated-function" "duplicate-function" "explicit-inverse" "failed-assert"
    "index-out-of-range" "invalid-fact" "kind-change" "kind-mismatch" "loop-variable" "matrix-type" "missing-file"
    "nan-comparison" "parfor-dependency" "result-kind" "scalar-required" "self-assignment" "shadowed-builtin" "shape-mismatch"
    "sketch-arity" "sketch-cycle" "sketch-goal" "sketch-import" "sketch-limit" "sketch-name" "sketch-pin" "sketch-rule"
    "sketch-syntax" "sketch-type" "sketch-unused" "syntax-error"
    "undecided-assert" "undefined-name" "unknown-code" "unknown-function" "unknown-namespace" "unknown-parameter" "unknown-size"
    "unreachable-code" "unset-result" "unused-allow" "unused-function" "unused-namespace" "unused-parameter"
    "unused-value" "wrong-arity"
);

#[derive(Serialize)]
struct Row {
    code: &'static str,
    severity: &'static str,
    title: &'static str,
    page: &'static str,
}

/// Prints the page of `code`, or a line for each code where none is named.
///
/// # Errors
/// There is no such code.
pub(super) fn run(code: &str, output: &Output) -> Result<Exit, Usage> {
    let rows: Vec<Row> = CODES
        .iter()
        .zip(PAGES)
        .filter(|(row, _)| code.is_empty() || row.name == code)
        .map(|(row, (_, page))| Row {
            code: row.name,
            severity: row.severity.map_or("off", render::severity),
            title: row.title,
            page,
        })
        .collect();
    match rows.as_slice() {
        [] => {
            let hint = match catalogue::nearest_code(code) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`sumac check --explain` lists them".to_owned(),
            };
            return Err(Usage(format!("there is no diagnostic `{code}`; {hint}")));
        }
        rows if output.is_json() => output.json(&rows),
        [row] => output.print(row.page),
        rows => {
            for row in rows {
                let Row {
                    code,
                    severity,
                    title,
                    ..
                } = row;
                output.line(format_args!("{code:20} {severity:12} {title}"));
            }
        }
    }
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_page() {
        let codes: Vec<&str> = CODES.iter().map(|code| code.name).collect();
        let pages: Vec<&str> = PAGES.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes, pages);
    }
}
