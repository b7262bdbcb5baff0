//! What sketches make of a statement, beside each other, before one of them is chosen. Decides nothing: the forms come proved,
//! checked and in their order.

use std::fmt::Write;

use crate::comparison::{Comparison, Form};
use crate::suggestion::Suggestion;
use crate::{describe, quantity};

/// The forms that sketches lead to, each with the sketch as it was called. `place` names the statement: `loss.dml:7`.
#[must_use]
pub fn preview(forms: &[(String, Suggestion)], place: &str) -> Comparison {
    let mut text = format!("# What sketches make of {place}\n");
    if let Some((_, first)) = forms.first() {
        let _ = writeln!(
            text,
            "\nAs written:\n\n```systemds\n{}\n```",
            first.original.trim_end()
        );
    }
    for (name, form) in forms {
        let _ = writeln!(
            text,
            "\n## {name}\n\n```systemds\n{}\n```\n\n{}\n\nProved: {}. Checked on random {} x {} data: relative error {}.",
            form.statement.trim_end(),
            gain(form),
            form.proof.summary(),
            form.check.rows,
            form.check.cols,
            quantity::relative_error(form.check.max_relative_error),
        );
        text.push('\n');
        text.push_str(&describe::costs(&[
            ("as written", &form.before),
            ("by the sketch", &form.after),
        ]));
    }
    let choice = |(name, form): &(String, Suggestion)| Form {
        title: format!("{name}: {}", describe::one_line(&form.optimized)),
        detail: format!(
            "{}: {}, {} FLOPs, {} peak memory",
            gain(form).trim_end_matches('.'),
            quantity::seconds(form.after.seconds),
            quantity::count(form.after.flops),
            quantity::bytes(form.after.peak_bytes)
        ),
        edits: form.edits.to_vec(),
    };
    Comparison {
        title: format!("Choose a sketch for {place}"),
        markdown: text,
        forms: forms.iter().map(choice).collect(),
    }
}

/// A form by a sketch may be dearer than what is written: its shape was asked for.
fn gain(form: &Suggestion) -> String {
    let ratio = form.speedup();
    if ratio >= 1.0 {
        format!("About {} cheaper.", quantity::rough_ratio(ratio))
    } else {
        format!("About {} dearer.", quantity::rough_ratio(1.0 / ratio))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{LOSS, snapshot, suggestion};

    #[test]
    fn each_sketch_shows_its_form_and_what_it_costs() {
        let snapshot = snapshot(LOSS);
        let form = suggestion(&snapshot, "sum((X - U %*% t(V))^2)", "sum(X^2)");
        let forms = [
            ("one(X)".to_owned(), form.clone()),
            ("two, three".to_owned(), form),
        ];
        let found = preview(&forms, "loss.dml:7");
        for part in [
            "# What sketches make of loss.dml:7",
            "As written:",
            "## one(X)",
            "## two, three",
            "cheaper.",
            "by the sketch",
        ] {
            assert!(
                found.markdown.contains(part),
                "no {part} in {}",
                found.markdown
            );
        }
        let titles: Vec<_> = found.forms.iter().map(|form| &*form.title).collect();
        assert!(titles[0].starts_with("one(X): ") && titles[1].starts_with("two, three: "));
        assert_eq!(found.forms[0].edits, forms[0].1.edits.to_vec());
    }
}
