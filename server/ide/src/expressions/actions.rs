//! Actions on expressions that have a cheaper form.

use sumac_text::{TextEdit, TextRange};

use super::File;
use super::summary::{caveat, gain};
use crate::code_actions::{Action, Effect, kinds};
use crate::describe::one_line;

/// Those for a place: each form of the expressions that touch it, and all of the file that lose nothing.
#[must_use]
pub fn actions(file: &File, place: TextRange, only: Option<&[String]>) -> Vec<Action> {
    let is_wanted = |kind: &str| {
        let covers = |asked: &String| {
            asked.is_empty()
                || kind == asked
                || kind
                    .strip_prefix(asked.as_str())
                    .is_some_and(|rest| rest.starts_with('.'))
        };
        only.is_none_or(|only| only.iter().any(covers))
    };
    let mut found = Vec::new();
    if is_wanted(kinds::REWRITE) {
        for (expression, forms) in file.at(place) {
            for (number, one) in forms.iter().enumerate() {
                let warning = caveat(one).map_or_else(String::new, |why| format!(" ({why})"));
                let title = format!(
                    "Apply optimized form: {}, {}{warning}",
                    one_line(&one.text),
                    gain(one)
                );
                let edit = super::moved(&one.edit, expression.range.start);
                let mut action = Action::new(title, kinds::REWRITE, Effect::Edit(vec![edit]));
                action.is_preferred = number == 0 && warning.is_empty();
                found.push(action);
            }
        }
    }
    let all: Vec<TextEdit> = file
        .suggested()
        .filter_map(|(expression, forms)| Some((expression, forms.first()?)))
        .filter(|(_, best)| caveat(best).is_none())
        .map(|(expression, best)| super::moved(&best.edit, expression.range.start))
        .collect();
    if all.len() > 1 && is_wanted(kinds::APPLY_ALL) {
        let title = format!("Apply all {} suggestions of this file", all.len());
        found.push(Action::new(title, kinds::APPLY_ALL, Effect::Edit(all)));
    }
    found
}
