//! Cheaper forms as a diff, as rows, or written into the file.

use std::path::Path;

use sumac_advice::Suggestion;
use sumac_ide::expressions::{caveat, summary, why_none};
use sumac_text::{TextEdit, apply_edits};

use super::{Read, Row};
use crate::cli::diff;
use crate::cli::output::Output;

/// What the person chose.
#[derive(Clone, Copy)]
pub(crate) struct Chosen {
    /// Whether suggestions are written into the file.
    pub(crate) apply: bool,
    /// Only expressions that touch these lines.
    pub(crate) lines: Option<(usize, usize)>,
    /// Other forms of each that are shown.
    pub(crate) alternatives: usize,
    /// Whether proofs are shown.
    pub(crate) explain: bool,
    /// Whether it is said why expressions have no suggestion.
    pub(crate) why: bool,
    /// Most digits that a form may lose to be shown.
    pub(crate) most_lost_digits: Option<f64>,
}

/// Shows or writes one file's suggestions, and adds their rows; says whether that went well.
pub(crate) fn optimize(
    read: &Read<'_>,
    path: &Path,
    chosen: Chosen,
    rows: &mut Vec<Row>,
    output: &Output,
) -> bool {
    let file = &read.file;
    let mut edits: Vec<TextEdit> = Vec::new();
    let mut remarks = Vec::new();
    for (expression, found) in read.searched(chosen.lines) {
        let line = read.line(expression.range.start);
        let mut found = match found {
            Ok(found) => found,
            Err(why) => {
                if chosen.why {
                    let text = &read.text[expression.range];
                    remarks.push(format!("{file}:{line}: `{text}`: {}", why_none(&why)));
                }
                continue;
            }
        };
        found.retain(|one| !loses_more(one, chosen.most_lost_digits));
        let Some((best, others)) = found.split_first() else {
            continue;
        };
        let left_out = caveat(best).filter(|_| chosen.lines.is_none());
        if left_out.is_none() {
            edits.push(best.edit.clone());
        }
        let left_out = left_out.map_or_else(String::new, |why| {
            format!("; left out, {why}: `--lines {line}` takes it")
        });
        remarks.push(format!(
            "{file}:{line}: `{}`: {}{left_out}",
            best.text,
            summary(best)
        ));
        for other in others.iter().take(chosen.alternatives) {
            remarks.push(format!(
                "{file}:{line}: or `{}`: {}",
                other.text,
                summary(other)
            ));
        }
        if chosen.explain {
            remarks.push(best.proof.markdown());
        }
        rows.extend(Row::of(
            read,
            expression,
            &found[..(1 + chosen.alternatives).min(found.len())],
        ));
    }
    let new = apply_edits(read.text, &edits);
    let broken = read.language.syntax_errors(&new);
    if !broken.is_empty() && read.language.syntax_errors(read.text).is_empty() {
        output.error(format_args!(
            "{file}: what would be written is no longer read; nothing is"
        ));
        return false;
    }
    if !output.is_json() && !chosen.apply {
        output.print(diff::unified(path, read.text, &new, output.colors_stdout()));
    }
    if remarks.is_empty() {
        output.note(format_args!("{file}: nothing cheaper found"));
    }
    for remark in remarks {
        output.note(remark);
    }
    if chosen.apply && !edits.is_empty() {
        if let Err(error) = diff::write_atomically(path, read.text, &new) {
            output.error(format_args!("{file}: cannot be written: {error}"));
            return false;
        }
        let n = edits.len();
        let plural = if n == 1 { "" } else { "s" };
        output.note(format_args!("{file}: applied {n} suggestion{plural}"));
    }
    true
}

fn loses_more(suggestion: &Suggestion, most: Option<f64>) -> bool {
    let lost = suggestion
        .accuracy
        .as_ref()
        .map(|accuracy| accuracy.lost_digits.round());
    lost.zip(most).is_some_and(|(lost, most)| lost > most)
}
