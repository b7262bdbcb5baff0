//! The proof of a suggestion as a document that a person can read from top to bottom: first the steps between matrix
//! expressions, then the proof in index notation on which everything rests. Must never decide anything.

use std::fmt::Write;

use crate::chain::Chain;
use crate::suggestion::Suggestion;
use crate::{CancelToken, chain, describe, quantity};

/// The explanation of a suggestion as markdown. `place` names the statement for people: `loss.dml:7`. Its steps are looked
/// for now; if that is cancelled, they are missing.
#[must_use]
pub fn explain(suggestion: &Suggestion, place: &str, cancel: &CancelToken) -> String {
    let chains = chain::chains(suggestion, cancel);
    explain_by(suggestion, place, &chains)
}

/// As [`explain`], with the steps that were found already.
#[must_use]
pub fn explain_by(suggestion: &Suggestion, place: &str, chains: &[Option<Chain>]) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "# {place}, step by step\n");
    let _ = writeln!(
        text,
        "As written:\n\n```systemds\n{}\n```\n",
        suggestion.original.trim_end()
    );
    let _ = writeln!(
        text,
        "Optimized:\n\n```systemds\n{}\n```\n",
        suggestion.statement.trim_end()
    );
    let _ = writeln!(
        text,
        "## From one form to the other\n\n{}",
        chain::markdown(chains).trim_end()
    );
    let _ = writeln!(
        text,
        "\n## Why they are equal\n\n{}",
        suggestion.proof.markdown().trim_end()
    );
    if !suggestion.assumes.is_empty() {
        let _ = writeln!(text, "\n## What this assumes\n");
        for assumption in &suggestion.assumes {
            let _ = writeln!(text, "- {assumption}");
        }
    }
    let check = &suggestion.check;
    let _ = writeln!(
        text,
        "\n## How it was checked\n\nBoth forms ran on random data, {} x {}: the largest relative error was {}.",
        check.rows,
        check.cols,
        quantity::relative_error(check.max_relative_error),
    );
    let _ = writeln!(
        text,
        "\n## What it saves\n\n{}",
        describe::cost_table(&suggestion.before, &suggestion.after)
    );
    if let Some(note) = suggestion.memory_note() {
        let _ = writeln!(text, "{note}\n");
    }
    let search = &suggestion.search;
    let _ = writeln!(
        text,
        "Found by {} search ({} extraction) for the least {}: {} iterations, {} e-nodes, {} e-classes, stopped: {}.",
        search.strategy,
        search.extraction,
        suggestion.model.name(),
        search.iterations,
        search.enodes,
        search.eclasses,
        search.stopped,
    );
    if let Some(gap) = search.gap {
        let _ = match search.optimal() {
            Some(true) => writeln!(text, "None of the forms found is cheaper."),
            _ => writeln!(
                text,
                "Extraction ended early: a form that was found is at most {:.1} % cheaper.",
                100.0 * gap
            ),
        };
    }
    text
}
