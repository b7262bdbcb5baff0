//! Files of a language other than DML in an editor: hints, hovers, actions and diagnostics of their expressions. What is shown is made of
//! the language's analysis and of the suggestions for it; nothing here knows which language it is, or searches.

mod actions;
mod diagnostics;
mod hints;
mod hover;
mod summary;

pub use actions::actions;
pub use diagnostics::diagnostics;
pub use hints::hints;
pub use hover::hover;
pub use summary::{caveat, summary, why_none};

use std::sync::Arc;

use sumac_advice::{NoSuggestion, Suggestion};
use sumac_language::{Analysis, Expression, Language};
use sumac_text::{LineIndex, TextEdit, TextRange};

/// A version of a file with what is known of it.
#[derive(Clone, Debug)]
pub struct File {
    /// Its language.
    pub language: &'static dyn Language,
    /// Its text, by lines.
    pub lines: LineIndex,
    /// What the language says of it.
    pub analysis: Arc<Analysis>,
    /// What was found for each of its expressions, in their order; shorter while a search is under way.
    pub found: Vec<Arc<Found>>,
}

/// What was found for an expression, in places from the start of the expression on: the best form first.
pub type Found = Result<Vec<Suggestion>, NoSuggestion>;

impl File {
    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.lines.text()
    }

    /// The expressions that have suggestions, with these.
    fn suggested(&self) -> impl Iterator<Item = (&Expression, &[Suggestion])> {
        let pairs = self.analysis.expressions.iter().zip(&self.found);
        pairs.filter_map(|(expression, found)| {
            Some((expression, found.as_ref().as_ref().ok()?.as_slice()))
        })
    }

    /// The same that touch a place.
    fn at(&self, place: TextRange) -> impl Iterator<Item = (&Expression, &[Suggestion])> {
        let touches = move |range: TextRange| range.start <= place.end && place.start <= range.end;
        self.suggested()
            .filter(move |(expression, _)| touches(expression.range))
    }
}

/// An edit that is told from the start of its expression on, in the places of the file.
fn moved(edit: &TextEdit, start: usize) -> TextEdit {
    TextEdit {
        range: edit.range.moved(start),
        new_text: edit.new_text.clone(),
    }
}
