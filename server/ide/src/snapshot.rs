//! What every feature looks at: one version of one document with everything known of it. Immutable.

use std::collections::BTreeMap;
use std::sync::Arc;

use sumac_analysis::{Known, Severities, Severity, codes};
use sumac_sumproduct::CostModel;
use sumac_syntax::{Damage, Parse};
use sumac_text::{LineIndex, TextEdit, TextRange};

use crate::asserts::Verdicts;
use crate::no_suggestion::Silence;
use crate::schedule::nests::Nests;
use crate::sketch::pins::{Missed, Pins};
use crate::suggestion::Suggestion;
use crate::timing::{Timing, TimingKey, TimingState};
use crate::{describe, quantity};

/// Why nothing is searched where a syntax error stands.
pub const BROKEN: &str = "the statement has a syntax error; what is damaged is not searched";

/// Why nothing is shown of what a syntax error elsewhere may change.
pub const UNSURE: &str = "a syntax error elsewhere may change what its suggestion rests on: a value that it reads, or a statement that it moves";

/// The timings that are known, by content.
pub type Timings = BTreeMap<TimingKey, TimingState>;

/// One version of one document. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Text, tree and program.
    pub parse: Parse,
    /// Where the text's lines begin.
    pub lines: Arc<LineIndex>,
    /// What syntax errors damage of it.
    pub damage: Arc<Damage>,
    /// Names, facts, diagnostics and blocks of this very text.
    pub analysis: Arc<Known>,
    /// The suggestions in source order.
    pub suggestions: Arc<[Placed]>,
    /// What has been decided of `#@ assert` lines.
    pub verdicts: Arc<Verdicts>,
    /// What `#@ sketch` lines mean.
    pub pins: Arc<Pins>,
    /// The pins that led nowhere.
    pub missed: Arc<[Missed]>,
    /// What has been timed.
    pub timings: Arc<Timings>,
    /// What became of loop nests for products.
    pub nests: Arc<Nests>,
    /// Suggestions that are estimated to gain less are not shown.
    pub min_speedup: f64,
    /// Suggestions that are estimated to save fewer seconds, over all runs of the loops around them, are not shown where time
    /// is what counts.
    pub least_saving: f64,
    /// Suggestions that may lose more decimal digits are not shown.
    pub most_lost_digits: f64,
    /// Statements without a suggestion, and why.
    pub silences: Arc<[Silence]>,
    /// How serious the person wants diagnostics to be.
    pub severities: Arc<Severities>,
}

/// A suggestion in its place.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The suggestion; its ranges are those of the snapshot's text.
    pub suggestion: Arc<Suggestion>,
    /// Found for this very text. Otherwise it belongs to an earlier one, and is shown until the search ends, but
    /// must not be applied.
    pub is_fresh: bool,
}

impl Snapshot {
    /// A snapshot without suggestions and timings.
    #[must_use]
    pub fn new(parse: Parse, analysis: Known) -> Self {
        Snapshot {
            lines: Arc::new(parse.lines().clone()),
            damage: Arc::new(parse.damage()),
            parse,
            analysis: Arc::new(analysis),
            suggestions: Arc::new([]),
            verdicts: Arc::default(),
            pins: Arc::default(),
            missed: Arc::new([]),
            timings: Arc::default(),
            nests: Arc::default(),
            min_speedup: 1.0,
            least_saving: 0.0,
            most_lost_digits: f64::INFINITY,
            silences: Arc::new([]),
            severities: Arc::default(),
        }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.parse.text()
    }

    /// The suggestions worth showing, in source order: what gains enough, and what was asked for by a sketch. None of what
    /// syntax errors damage, and none of a statement that has an error.
    pub fn shown(&self) -> impl Iterator<Item = &Placed> {
        let errors: Vec<TextRange> = match self.suggestions.is_empty() {
            true => Vec::new(),
            false => self.errors().map(|(statement, _)| statement).collect(),
        };
        self.suggestions.iter().filter(move |placed| {
            let suggestion = &placed.suggestion;
            self.is_worth_showing(suggestion)
                && !suggestion.is_damaged(&self.parse, &self.damage)
                && !suggestion.has_statement_of(&errors)
        })
    }

    fn is_worth_showing(&self, suggestion: &Suggestion) -> bool {
        suggestion.makes_it_fit() && !self.loses_too_much(suggestion)
            || suggestion.sketch.is_some()
            || suggestion.digits_gained().is_some()
            || suggestion.speedup() >= self.min_speedup
                && (suggestion.model != CostModel::Time || suggestion.saving() >= self.least_saving)
                && !self.loses_too_much(suggestion)
    }

    fn loses_too_much(&self, suggestion: &Suggestion) -> bool {
        let loss = suggestion.loss();
        loss.is_some_and(|loss| loss.lost_digits.round() > self.most_lost_digits)
    }

    /// Why the statement at a place has no suggestion, in a sentence without its full stop; `None` where it has one, or where
    /// that is not known yet.
    #[must_use]
    pub fn why_none(&self, place: TextRange) -> Option<String> {
        if self.applicable(place).next().is_some() {
            return None;
        }
        let touched = |range: TextRange| range.start <= place.end && place.start <= range.end;
        let small = self.suggestions.iter().map(|placed| &placed.suggestion);
        let small = small
            .filter(|found| found.touches(place))
            .find(|found| !self.is_worth_showing(found));
        if let Some(small) = small {
            return Some(self.too_little(small));
        }
        if self.parse.errors().iter().any(|error| touched(error.range)) {
            return Some(BROKEN.to_owned());
        }
        if let Some(why) = self.damaged(place) {
            return Some(why);
        }
        if let Some((_, why)) = self.errors().find(|(statement, _)| touched(*statement)) {
            return Some(why);
        }
        if self.unsure().any(|found| found.touches(place)) {
            return Some(UNSURE.to_owned());
        }
        let silence = self
            .silences
            .iter()
            .find(|silence| touched(silence.statement));
        silence.map(|silence| silence.message.clone())
    }

    /// Why code at a place is not searched, where it is broken or could belong to what is broken off elsewhere.
    #[must_use]
    pub fn damaged(&self, place: TextRange) -> Option<String> {
        let error = self.damage.cause(place)?;
        let first = self.lines.line(place.start);
        let line = TextRange::new(self.lines.line_start(first), self.lines.line_end(first));
        let start = self.aimed_at(TextRange::new(line.start, line.start)).start;
        let code = self.text()[start..line.end].chars().next();
        let is_code = code.is_some_and(|c| !c.is_whitespace() && !matches!(c, '#' | '{' | '}'));
        let cause = self.lines.line(error);
        is_code.then(|| match cause == first {
            true => BROKEN.to_owned(),
            false => format!(
                "the statement may belong to what is broken off by the syntax error in line {}; what is damaged is not searched",
                cause + 1
            ),
        })
    }

    /// The statements that have an error, and that each has.
    pub fn errors(&self) -> impl Iterator<Item = (TextRange, String)> + '_ {
        let found = self.analysis.findings().diagnostics.iter();
        let errors = found
            .filter(|found| found.severity == Severity::Error && found.code != codes::SYNTAX_ERROR);
        errors.filter_map(|found| {
            let (block, at) = self.analysis.statement_at(found.range.start)?;
            let statement = block.statements[at].range;
            let why = format!("the statement has an error: {}", found.message);
            statement.contains(found.range).then_some((statement, why))
        })
    }

    /// Why a suggestion that was found is not shown.
    #[must_use]
    pub fn too_little(&self, suggestion: &Suggestion) -> String {
        let saved = quantity::seconds(suggestion.saving());
        let gain = quantity::rough_ratio(suggestion.speedup());
        if suggestion.speedup() < self.min_speedup {
            format!(
                "`{}` is {gain} cheaper, less than `search.min-speedup` asks for",
                describe::one_line(&suggestion.optimized)
            )
        } else if self.loses_too_much(suggestion) {
            format!(
                "`{}` is {gain} cheaper and {}, more than `search.most-lost-digits` allows",
                describe::one_line(&suggestion.optimized),
                suggestion
                    .loss()
                    .map_or_else(String::new, ToString::to_string),
            )
        } else {
            format!(
                "`{}` saves {saved}, less than the {} that `search.least-saving` asks for",
                describe::one_line(&suggestion.optimized),
                quantity::seconds(self.least_saving),
            )
        }
    }

    /// The suggestions that were found for this very text and are not shown, as they gain too little.
    pub fn hidden(&self) -> impl Iterator<Item = &Suggestion> {
        let fresh = self.suggestions.iter().filter(|placed| placed.is_fresh);
        fresh
            .map(|placed| &*placed.suggestion)
            .filter(|found| !self.is_worth_showing(found))
    }

    /// The suggestions that were found for this very text and are not shown, as a syntax error may change what they rest on.
    pub fn unsure(&self) -> impl Iterator<Item = &Suggestion> {
        let fresh = self.suggestions.iter().filter(|placed| placed.is_fresh);
        fresh
            .map(|placed| &*placed.suggestion)
            .filter(|found| found.is_damaged(&self.parse, &self.damage))
    }

    /// What timing found of a suggestion, where it was timed.
    #[must_use]
    pub fn timing_of(&self, suggestion: &Suggestion) -> Option<&Timing> {
        if self.timings.is_empty() {
            return None;
        }
        let key = TimingKey::new(&suggestion.pair.original, &suggestion.pair.optimized);
        match self.timings.get(&key)? {
            TimingState::Done(timing) => Some(timing),
            TimingState::Running | TimingState::Failed(_) => None,
        }
    }

    /// The suggestions worth showing that may be applied and whose statements touch `range`.
    pub fn applicable(&self, range: TextRange) -> impl Iterator<Item = &Suggestion> {
        self.shown()
            .filter(|placed| placed.is_fresh)
            .map(|placed| &*placed.suggestion)
            .filter(move |suggestion| suggestion.touches(range))
    }

    /// What a cursor or selection is about. A cursor in the space before a line's code is about what begins that line, one in the
    /// space or comment behind it about what ends it: the hint and lenses of a statement stand on its lines, too.
    #[must_use]
    pub fn aimed_at(&self, place: TextRange) -> TextRange {
        if !place.is_empty() || place.start > self.text().len() {
            return place;
        }
        let line = self.lines.line(place.start);
        let whole = TextRange::new(self.lines.line_start(line), self.lines.line_end(line));
        let comments = self.parse.comments_in(whole);
        let comment = comments.iter().map(|found| found.range.start).min();
        let text = &self.text()[whole];
        let code = &text[..comment.map_or(text.len(), |at| {
            at.clamp(whole.start, whole.end) - whole.start
        })];
        let first = whole.start + (code.len() - code.trim_start().len());
        let last = whole.start + code.trim_end().len();
        let at = if code.trim().is_empty() {
            place.start
        } else {
            place.start.clamp(first, last)
        };
        TextRange::new(at, at)
    }

    /// Whether nothing but space stands before `offset` on its line.
    #[must_use]
    pub fn is_first_on_line(&self, offset: usize) -> bool {
        let start = self.lines.line_start(self.lines.line(offset));
        self.text()[start..offset].trim().is_empty()
    }

    /// The end of the line on which `offset` lies, before its line break.
    #[must_use]
    pub fn line_end(&self, offset: usize) -> usize {
        self.lines.line_end(self.lines.line(offset))
    }
}

/// Where `range` lies after `edits`, each in the text that the one before it left.
#[must_use]
pub fn moved_by(range: TextRange, edits: &[TextEdit]) -> TextRange {
    edits.iter().fold(range, |range, edit| {
        let start = moved_offset(range.start, edit);
        TextRange {
            start,
            end: moved_offset(range.end, edit).max(start),
        }
    })
}

fn moved_offset(offset: usize, edit: &TextEdit) -> usize {
    let TextRange { start, end } = edit.range;
    if offset <= start {
        offset
    } else if offset >= end {
        offset - (end - start) + edit.new_text.len()
    } else {
        start + edit.new_text.len().min(offset - start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{cursor, snapshot};

    #[test]
    fn a_cursor_in_the_space_of_a_line_is_about_its_code() {
        let text = "for (i in 1:3) {\n    x = sum(A)  # note\n    # all\n\n}\n";
        let snapshot = snapshot(text);
        let (first, last) = (text.find("x =").unwrap(), text.find("  # note").unwrap());
        let aimed = |at: usize| snapshot.aimed_at(cursor(at)).start;
        assert_eq!(aimed(17), first, "the first column");
        assert_eq!(aimed(19), first);
        assert_eq!(aimed(first + 2), first + 2);
        assert_eq!(aimed(last + 5), last, "in the comment");
        let comment = text.find("# all").unwrap();
        assert_eq!(aimed(comment - 1), comment - 1, "no code stands there");
        assert_eq!(aimed(comment + 6), comment + 6, "an empty line");
        assert_eq!(aimed(text.len()), text.len());
        let selected = TextRange::new(17, 19);
        assert_eq!(snapshot.aimed_at(selected), selected);
    }

    fn edit(start: usize, end: usize, new_text: &str) -> TextEdit {
        TextEdit {
            range: TextRange::new(start, end),
            new_text: new_text.into(),
        }
    }

    #[test]
    fn places_follow_the_text_around_them() {
        let range = TextRange::new(10, 20);
        let moved = |edits: &[TextEdit]| {
            let TextRange { start, end } = moved_by(range, edits);
            (start, end)
        };
        assert_eq!(moved(&[edit(0, 2, "abc")]), (11, 21), "before");
        assert_eq!(moved(&[edit(30, 31, "")]), (10, 20), "behind");
        assert_eq!(moved(&[edit(12, 14, "")]), (10, 18), "inside");
        assert_eq!(moved(&[edit(5, 30, "xy")]), (7, 7), "swallowed");
        assert_eq!(
            moved(&[edit(0, 0, "\n"), edit(0, 1, "")]),
            (10, 20),
            "there and back"
        );
    }
}
