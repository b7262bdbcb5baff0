//! One layout for sketch files. Comments, the order of parts and a person's line breaks in long patterns stay; blanks,
//! indents and the place of stages and clauses are set. Must never change the tree: a broken file is left as it is.

use sumac_text::{SyntaxError, TextRange};

use super::ast::{Expr, ExprKind, File};
use super::lex::{Kind, comments, lex};
use super::parse::parse;

/// A sketch or a stage that is longer is written over several lines.
const WIDTH: usize = 100;

/// Columns before stages, before clauses, and before what goes on in the next line.
const STAGE: usize = 2;
const CLAUSE: usize = 4;
const REST: usize = 6;

/// The text in its layout.
///
/// # Errors
/// The text has syntax errors, and is no file that could be laid out.
pub fn format(text: &str) -> Result<String, Vec<SyntaxError>> {
    let parsed = parse(text);
    if !parsed.errors.is_empty() {
        return Err(parsed.errors);
    }
    let items = items(text, &parsed.file);
    let mut printer = Printer {
        items: &items,
        out: String::with_capacity(text.len()),
        at: Where::Top,
        is_flat: false,
        is_broken: false,
    };
    for place in 0..items.len() {
        printer.item(place);
    }
    let mut out = printer.out;
    if !out.is_empty() {
        out.push('\n');
    }
    let is_dos = text.find('\n').is_some_and(|at| text[..at].ends_with('\r'));
    Ok(if is_dos {
        out.replace('\n', "\r\n")
    } else {
        out
    })
}

/// A word or a comment, and what its place says of it.
#[derive(Clone, Copy, Debug)]
struct Item<'a> {
    text: &'a str,
    /// `None`: a comment.
    kind: Option<Kind>,
    /// Line breaks before it.
    breaks: usize,
    /// It belongs to a size or an array in an annotation.
    is_type: bool,
    /// It ends the name of a stage or of a rule.
    is_label: bool,
    /// It is a prefix sign.
    is_prefix: bool,
}

fn items<'a>(text: &'a str, file: &File) -> Vec<Item<'a>> {
    let words = lex(text);
    let types = types(file);
    let mut all: Vec<(TextRange, Option<Kind>)> = comments(text, &words)
        .into_iter()
        .map(|range| (range, None))
        .collect();
    let words = words.iter().filter(|word| word.kind != Kind::End);
    all.extend(words.map(|word| (word.range, Some(word.kind))));
    all.sort_unstable_by_key(|(range, _)| *range);
    let mut items: Vec<Item<'a>> = Vec::with_capacity(all.len());
    let mut end = 0;
    for (range, kind) in all {
        let before: Vec<Kind> = items
            .iter()
            .rev()
            .filter_map(|item| item.kind)
            .take(2)
            .collect();
        let is_label = kind == Some(Kind::Sign(":"))
            && matches!(
                before[..],
                [Kind::Name, Kind::Keyword("guide" | "goal" | "rule")]
            );
        let is_prefix = match kind {
            Some(Kind::Sign("!")) => true,
            Some(Kind::Sign("-")) => before.first().is_none_or(|before| !ends_operand(*before)),
            _ => false,
        };
        items.push(Item {
            text: text[range].trim_end(),
            kind,
            breaks: text[end..range.start].matches('\n').count(),
            is_type: types.iter().any(|ty| ty.contains(range)),
            is_label,
            is_prefix,
        });
        end = range.end;
    }
    items
}

fn ends_operand(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Name | Kind::Number(_) | Kind::String | Kind::Sign(")" | "]" | "?")
    )
}

/// The places of all annotations' types.
fn types(file: &File) -> Vec<TextRange> {
    let mut found = Vec::new();
    let mut of = |expr: &Expr| {
        expr.walk(&mut |part| {
            if let ExprKind::Annotated(_, ty) = &part.kind {
                found.push(ty.range);
            }
        });
    };
    file.abstractions.iter().for_each(|one| of(&one.body));
    for rule in &file.rules {
        of(&rule.left);
        of(&rule.right);
    }
    let stages = file.sketches.iter().flat_map(|sketch| &sketch.stages);
    stages.for_each(|stage| of(&stage.pattern));
    found
}

/// What an item is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    /// Between the parts of the file.
    Top,
    /// What names a part: its line breaks go.
    Head,
    /// A pattern or an equation of a part: its line breaks stay.
    Body,
    /// Between the brace of a sketch and its first stage.
    Sketch,
    /// A stage, before its clauses.
    Stage,
    /// The clauses of a stage.
    Clauses,
}

struct Printer<'a> {
    items: &'a [Item<'a>],
    out: String,
    at: Where,
    /// The sketch stands in one line.
    is_flat: bool,
    /// The clauses of the stage have lines of their own.
    is_broken: bool,
}

impl Printer<'_> {
    fn item(&mut self, place: usize) {
        let item = self.items[place];
        let follows_comment = place
            .checked_sub(1)
            .is_some_and(|before| self.items[before].kind.is_none());
        let Some(kind) = item.kind else {
            self.comment(place);
            return;
        };
        match kind {
            Kind::Keyword("import" | "def" | "rule" | "sketch") => {
                self.line(0, item.breaks);
                self.at = Where::Head;
                self.is_flat = kind == Kind::Keyword("sketch") && self.fits_in_line(place);
            }
            Kind::Keyword("guide" | "goal") => {
                if self.is_flat {
                    self.out.push(' ');
                } else {
                    self.line(STAGE, item.breaks);
                }
                self.at = Where::Stage;
                self.is_broken = !self.is_flat && self.breaks_clauses(place);
            }
            Kind::Keyword("using" | "minimize" | "within") => {
                if self.is_broken || follows_comment {
                    self.line(CLAUSE, 1);
                } else {
                    self.out.push(' ');
                }
                self.at = Where::Clauses;
            }
            Kind::Sign("}") => {
                if self.is_flat {
                    self.out.push(' ');
                } else {
                    self.line(0, 1);
                }
                self.at = Where::Top;
            }
            _ => {
                let stays = matches!(self.at, Where::Body | Where::Stage | Where::Clauses);
                if follows_comment || (stays && item.breaks > 0) {
                    self.line(self.rest(), 1);
                } else if self.is_apart(place) {
                    self.out.push(' ');
                }
                match kind {
                    Kind::Sign("{") => self.at = Where::Sketch,
                    Kind::Sign("=") if self.at == Where::Head => self.at = Where::Body,
                    _ if item.is_label && self.at == Where::Head => self.at = Where::Body,
                    _ => {}
                }
            }
        }
        self.out.push_str(item.text);
    }

    /// A comment stays behind what it follows in its line, and stands before what follows it otherwise.
    fn comment(&mut self, place: usize) {
        let item = self.items[place];
        if item.breaks == 0 && !self.out.is_empty() {
            self.out.push(' ');
        } else {
            let next = self.items[place..].iter().find_map(|item| item.kind);
            let column = match next {
                None | Some(Kind::Keyword("import" | "def" | "rule" | "sketch")) => 0,
                Some(Kind::Keyword("guide" | "goal") | Kind::Sign("}")) => STAGE,
                Some(Kind::Keyword("using" | "minimize" | "within")) => CLAUSE,
                _ => self.rest(),
            };
            self.line(column, item.breaks);
        }
        self.out.push_str(item.text);
    }

    /// Where what goes on in another line begins.
    fn rest(&self) -> usize {
        match self.at {
            Where::Top => 0,
            Where::Head | Where::Body | Where::Sketch => STAGE,
            Where::Stage | Where::Clauses => REST,
        }
    }

    /// Begins a line, behind an empty one if the person left one.
    fn line(&mut self, column: usize, breaks: usize) {
        if self.out.is_empty() {
            return;
        }
        self.out.push_str(if breaks > 1 { "\n\n" } else { "\n" });
        self.out.push_str(&" ".repeat(column));
    }

    /// Whether the sketch that begins here was written in one line, and fits into one.
    fn fits_in_line(&self, place: usize) -> bool {
        let end = self.items[place..]
            .iter()
            .position(|item| item.kind == Some(Kind::Sign("}")));
        let Some(end) = end.map(|end| place + end) else {
            return false;
        };
        let inside = &self.items[place + 1..=end];
        inside
            .iter()
            .all(|item| item.breaks == 0 && item.kind.is_some())
            && self.width(place, end) <= WIDTH
    }

    /// Whether the clauses of the stage that begins here have lines of their own.
    fn breaks_clauses(&self, place: usize) -> bool {
        let is_next = |item: &Item<'_>| {
            matches!(
                item.kind,
                Some(Kind::Keyword("guide" | "goal") | Kind::Sign("}"))
            )
        };
        let end = self.items[place + 1..].iter().position(is_next);
        let end = end.map_or(self.items.len(), |end| place + 1 + end);
        let is_clause = |item: &&Item<'_>| {
            matches!(
                item.kind,
                Some(Kind::Keyword("using" | "minimize" | "within"))
            )
        };
        let stage = &self.items[place + 1..end];
        let is_broken = stage.iter().filter(is_clause).any(|item| item.breaks > 0);
        let is_long = || {
            stage
                .iter()
                .all(|item| item.breaks == 0 && item.kind.is_some())
                && STAGE + self.width(place, end - 1) > WIDTH
        };
        is_broken || is_long()
    }

    /// Columns of these items in one line.
    fn width(&self, first: usize, last: usize) -> usize {
        let width = |place: usize| {
            let apart = usize::from(place > first && self.is_apart(place));
            apart + self.items[place].text.chars().count()
        };
        (first..=last).map(width).sum()
    }

    /// Whether a blank stands between an item and the word before it.
    fn is_apart(&self, place: usize) -> bool {
        let here = self.items[place];
        let Some(before) = place.checked_sub(1).map(|before| self.items[before]) else {
            return false;
        };
        let (Some(left), Some(right)) = (before.kind, here.kind) else {
            return true;
        };
        if before.is_prefix || here.is_label {
            return false;
        }
        let is_size = |item: Item<'_>| item.is_type && matches!(item.text, "*" | "/");
        match (left, right) {
            (_, Kind::Sign(")" | "]" | ",")) | (Kind::Sign("(" | "[" | "^"), _) => false,
            (_, Kind::Sign("^")) | (Kind::Name, Kind::Sign("(")) => false,
            (Kind::Sign("]"), Kind::Name | Kind::Sign("?" | "[")) => !here.is_type,
            _ => !is_size(before) && !is_size(here),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = format(text).unwrap();
        assert_eq!(found, expected);
        assert_eq!(format(&found).unwrap(), found, "once more");
    }

    #[test]
    fn stages_and_clauses_have_their_places() {
        check(
            "\n\n# What it is for.\nsketch  s ( X,Y )on array{guide a :X+?using factor\n goal sum( X*Y )\nusing a,b minimize size within 20 nodes,3 rounds ,30 parts}",
            "# What it is for.\nsketch s(X, Y) on array {\n  guide a: X + ? using factor\n  goal sum(X * Y)\n    using a, b\n    minimize size\n    within 20 nodes, 3 rounds, 30 parts\n}\n",
        );
        check(
            "sketch s{goal ?^2-( -A ):m/32 x 2 * n|!b  using factor}\n\n\n\ndef f(x)=x%*%?:[n] [4] f32\nimport  \"a.sketch\"",
            "sketch s { goal ?^2 - (-A) : m/32 x 2*n | !b using factor }\n\ndef f(x) = x %*% ? : [n][4]f32\nimport \"a.sketch\"\n",
        );
        check(
            "rule  r : (A:m x n)+B=B+\nA",
            "rule r: (A : m x n) + B = B +\n  A\n",
        );
        check("", "");
    }

    #[test]
    fn comments_stay_where_they_are() {
        check(
            "sketch s { # guides\n      # first\n guide ? # anything\n\n# then\n  goal sum(? # holes\n * ?)\n # by\n using factor # one\n # end\n} # s\n# last",
            "sketch s { # guides\n  # first\n  guide ? # anything\n\n  # then\n  goal sum(? # holes\n      * ?)\n    # by\n    using factor # one\n  # end\n} # s\n# last\n",
        );
    }

    #[test]
    fn long_lines_are_broken_at_clauses() {
        let long = format!(
            "sketch s {{ goal {} using factor }}",
            vec!["A"; 30].join(" + ")
        );
        let found = format(&long).unwrap();
        assert!(found.starts_with("sketch s {\n  goal A + A"), "{found}");
        assert!(found.contains("A\n    using factor\n}\n"), "{found}");
        assert_eq!(format(&found).unwrap(), found);
        assert_eq!(format("def f = ?\r\n\r\n").unwrap(), "def f = ?\r\n");
    }

    #[test]
    fn a_broken_file_is_left() {
        assert!(!format("sketch s { goal + }").unwrap_err().is_empty());
    }
}
