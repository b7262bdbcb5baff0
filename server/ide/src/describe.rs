//! A suggestion in words: markdown that hover and hints share. Must never decide anything.

use std::fmt::Write;

use sumac_cost::Cost;

use crate::no_suggestion::cut_note;
use crate::quantity;
use crate::suggestion::Suggestion;

/// What the suggestion saves, what it leans on and how it was checked, as markdown.
#[must_use]
pub(crate) fn markdown(suggestion: &Suggestion) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "**Optimized form**, {} ({})\n\n```systemds\n{}\n```\n",
        suggestion.gain("about "),
        suggestion.model.name(),
        suggestion.statement.trim_end(),
    );
    text.push_str(&cost_table(&suggestion.before, &suggestion.after));
    if let Some(note) = suggestion.memory_note() {
        let _ = writeln!(text, "\n{note}");
    }
    let _ = writeln!(
        text,
        "\n✓ Proved: {}. Checked by running both forms on random {} x {} data: relative error {}.",
        suggestion.proof.summary(),
        suggestion.check.rows,
        suggestion.check.cols,
        quantity::relative_error(suggestion.check.max_relative_error),
    );
    let needs = suggestion.conditions().join(" and ");
    if !needs.is_empty() {
        let _ = writeln!(
            text,
            "\n⚠ Equal only where {needs}, as is stated of the data."
        );
    }
    if let Some(accuracy) = &suggestion.accuracy {
        let sign = if accuracy.loses() { "⚠ " } else { "" };
        let _ = writeln!(
            text,
            "\n{sign}Accuracy, measured against twice the precision: {accuracy}."
        );
    }
    text.push_str(&runs_as(suggestion));
    if let Some(shared) = &suggestion.shared {
        let _ = writeln!(
            text,
            "\nBoth figures count {} for what is computed all the same: values that other statements read, and decompositions.",
            quantity::seconds(shared.seconds),
        );
    }
    if let Some(note) = cut_note(&suggestion.search.stopped) {
        let _ = writeln!(text, "\nOf the forms found it is the cheapest; {note}.");
    }
    if !suggestion.assumes.is_empty() {
        text.push_str("\nAssumes:\n");
        for assumption in &suggestion.assumes {
            let _ = writeln!(text, "- {assumption}");
        }
    }
    text
}

/// The fused operators of the optimized form; empty where each operator runs alone.
pub(crate) fn runs_as(suggestion: &Suggestion) -> String {
    if suggestion.runs_as.is_empty() {
        return String::new();
    }
    let programs = suggestion.runs_as.join("\n");
    format!("\nRuns fused:\n\n```text\n{}\n```\n", programs.trim_end())
}

type Row = (&'static str, fn(&Cost) -> f64, fn(f64) -> String);

#[rustfmt::skip]
const ROWS: [Row; 4] = [
    ("FLOPs",          |cost| cost.flops,      quantity::count),
    ("Bytes moved",    |cost| cost.bytes,      quantity::bytes),
    ("Peak memory",    |cost| cost.peak_bytes, quantity::bytes),
    ("Estimated time", |cost| cost.seconds,    quantity::seconds),
];

pub(crate) fn cost_table(before: &Cost, after: &Cost) -> String {
    costs(&[("as written", before), ("optimized", after)])
}

/// Costs side by side, each under its name.
pub(crate) fn costs(columns: &[(&str, &Cost)]) -> String {
    let mut text = "| Cost |".to_owned();
    for (name, _) in columns {
        let _ = write!(text, " {name} |");
    }
    let _ = writeln!(text, "\n|---|{}", "---:|".repeat(columns.len()));
    for (name, figure, show) in ROWS {
        let _ = write!(text, "| {name} |");
        for (_, cost) in columns {
            let _ = write!(text, " {} |", show(figure(cost)));
        }
        text.push('\n');
    }
    text
}

/// An expression of several lines on one.
pub(crate) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}
