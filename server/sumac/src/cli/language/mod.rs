//! Commands on files of a language other than DML: what is wrong, what is known, what is cheaper, and why it is equal. They know the
//! language by its trait alone.

mod explain;
mod facts;
mod optimize;
mod row;
mod time;

pub(super) use explain::explain;
pub(super) use facts::facts;
pub(super) use optimize::{Chosen, optimize};
pub(super) use row::Row;
pub(super) use time::time;

use sumac_advice::{NoSuggestion, Suggestion, suggest};
use sumac_ide::CancelToken;
use sumac_language::{Analysis, Expression, Language};
use sumac_text::LineIndex;

use super::render::line_column;

/// A file of such a language, read.
pub(super) struct Read<'a> {
    pub(super) language: &'a dyn Language,
    pub(super) file: String,
    pub(super) text: &'a str,
    pub(super) lines: LineIndex,
    pub(super) analysis: Analysis,
}

/// An expression with what was found for it: the best form first, then forms that are cheaper where that is not.
type Found<'a> = (&'a Expression, Result<Vec<Suggestion>, NoSuggestion>);

impl<'a> Read<'a> {
    pub(super) fn new(language: &'a dyn Language, file: String, text: &'a str) -> Self {
        Read {
            language,
            file,
            text,
            lines: LineIndex::new(text),
            analysis: language.read(text),
        }
    }

    /// The line of an offset, from 1.
    fn line(&self, offset: usize) -> usize {
        line_column(&self.lines, offset).0
    }

    /// The expressions that touch these lines, each with its suggestions.
    fn searched(&self, lines: Option<(usize, usize)>) -> Vec<Found<'_>> {
        let touches = |one: &&Expression| {
            let (first, last) = (self.line(one.range.start), self.line(one.range.end));
            lines.is_none_or(|(from, to)| first <= to && from <= last)
        };
        let wanted = self.analysis.expressions.iter().filter(touches);
        wanted
            .map(|one| (one, suggest(one, &CancelToken::default())))
            .collect()
    }
}
