//! What a syntax error damages: the statements in which it stands, which it touches, and which a damaged one could swallow.
//!
//! Recovery reads on behind an error, so that the rest of a script is understood. What it made of the damaged place itself is a
//! guess: nothing is known of a value that it gives, and nothing is suggested, timed or proved for it. It must never look at what a
//! statement means.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use sumac_text::{SyntaxError, TextRange};

use crate::ast::Stmt;
use crate::comments::Comment;
use crate::lex::{is_of_word, words};

/// What is damaged of a text. A text without errors has none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Damage {
    /// The places, ascending, each with the start of its error.
    places: Vec<(TextRange, usize)>,
    /// Every word there.
    words: BTreeSet<String>,
    /// Those of them that could be given a value there.
    written: BTreeSet<String>,
}

impl Damage {
    /// Those of a piece of a text; places count from its start.
    pub(crate) fn in_text<'a>(
        text: &str,
        errors: impl Iterator<Item = &'a SyntaxError>,
        comments: &[Comment],
    ) -> Self {
        let text = Text::new(text, comments);
        let places = errors.map(|error| {
            let own = text.lines_of(error.range);
            let place = match error.opened {
                // A block that is never closed may hold all that follows.
                Some(at) if text.text[at..].starts_with('{') => {
                    TextRange::new(text.lines_of(TextRange::new(at, at)).start, text.text.len())
                }
                Some(at) => text.reached(own.cover(text.lines_of(TextRange::new(at, at)))),
                // A brace that closes nothing may be that of a block which another one closes too early.
                None if text.text[error.range.start..].starts_with('}') => {
                    text.block_before(error.range.start).cover(own)
                }
                None => text.reached(own),
            };
            (place, error.range.start)
        });
        let mut places: Vec<(TextRange, usize)> = places.collect();
        places.sort();
        places.dedup();
        Damage {
            places,
            ..Damage::default()
        }
    }

    /// The same with the names in these places, and in statements of which nothing can be read.
    pub(crate) fn with_names(
        self,
        text: &str,
        comments: &[Comment],
        unreadable: Vec<TextRange>,
    ) -> Damage {
        let code = Text::new(text, comments);
        let mut damaged = unreadable;
        damaged.extend(self.places.iter().map(|(place, _)| *place));
        // Whether, and how often, a block runs whose head is damaged is not known.
        let blocks = damaged.iter().filter_map(|place| code.block_behind(*place));
        let unsure = blocks.chain(damaged.iter().copied()).collect();
        let names = |places: Vec<TextRange>, of: fn(&str) -> Vec<&str>| {
            let places = united(places).into_iter();
            let texts = places.filter_map(|place| text.get(place.start..place.end));
            texts.flat_map(of).map(str::to_owned).collect()
        };
        Damage {
            written: names(unsure, |text| assigned(text).collect()),
            words: names(damaged, |text| words(text).collect()),
            places: self.places,
        }
    }

    /// Whether a word stands in a damaged place.
    #[must_use]
    pub fn mentions(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Whether a variable may be given a value in a damaged place.
    #[must_use]
    pub fn may_assign(&self, variable: &str) -> bool {
        self.written.contains(variable)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether a statement is damaged.
    #[must_use]
    pub fn touches(&self, statement: TextRange) -> bool {
        self.cause(statement).is_some()
    }

    /// Marks those of some statements that are damaged, inside others too. Of a compound statement only its head counts: what is
    /// in its body is marked for itself.
    pub(crate) fn mark(&self, statements: &mut [Stmt]) {
        if self.is_empty() {
            return;
        }
        for stmt in statements {
            let mut head = stmt.range;
            for body in stmt.kind.bodies_mut() {
                head.end = head.end.min(body.range.start);
                self.mark(&mut body.statements);
            }
            stmt.is_damaged = self.touches(head);
        }
    }

    /// Where the first error stands that damages a statement.
    #[must_use]
    pub fn cause(&self, statement: TextRange) -> Option<usize> {
        let meets = |(place, _): &&(TextRange, usize)| {
            place.start <= statement.end && statement.start <= place.end
        };
        self.places.iter().find(meets).map(|(_, error)| *error)
    }
}

struct Text<'a> {
    text: &'a str,
    /// Ascending.
    comments: Vec<TextRange>,
    /// See [`Text::braces`].
    braces: OnceCell<Vec<(usize, Option<usize>)>>,
}

impl<'a> Text<'a> {
    fn new(text: &'a str, comments: &[Comment]) -> Self {
        Text {
            text,
            comments: comments.iter().map(|it| it.range).collect(),
            braces: OnceCell::new(),
        }
    }

    /// From the first to the last character on the lines of a range that is no space.
    fn lines_of(&self, range: TextRange) -> TextRange {
        let (start, end) = (
            range.start.min(self.text.len()),
            range.end.min(self.text.len()),
        );
        let first = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let last = self.text[end..]
            .find('\n')
            .map_or(self.text.len(), |at| end + at);
        let inside = &self.text[first..last];
        TextRange::new(
            first + (inside.len() - inside.trim_start().len()),
            (first + inside.trim_end().len()).max(first),
        )
    }

    /// The lines of the block that the last brace before a place opens or closes; those of the place where there is none.
    fn block_before(&self, at: usize) -> TextRange {
        let braces = self.braces();
        let before = braces.partition_point(|(brace, _)| *brace < at);
        let last = before.checked_sub(1).map(|last| braces[last]);
        let start = last.and_then(|(brace, partner)| match &self.text[brace..=brace] {
            "{" => Some(brace),
            _ => partner,
        });
        self.lines_of(TextRange::new(start.unwrap_or(at), at))
    }

    /// The block that a place ends by opening.
    fn block_behind(&self, place: TextRange) -> Option<TextRange> {
        let open = place.end.checked_sub(1)?;
        let braces = self.braces();
        let at = braces
            .binary_search_by_key(&open, |(brace, _)| *brace)
            .ok()?;
        let is_open = self.text[open..].starts_with('{');
        let end = braces[at].1.unwrap_or(self.text.len());
        is_open.then(|| TextRange::new(open, end))
    }

    /// The braces outside of comments in order, each with the one that belongs to it.
    fn braces(&self) -> &[(usize, Option<usize>)] {
        self.braces.get_or_init(|| {
            let mut comments = self.comments.iter().peekable();
            let mut open: Vec<usize> = Vec::new();
            let mut braces: Vec<(usize, Option<usize>)> = Vec::new();
            for (at, brace) in self.text.match_indices(['{', '}']) {
                while comments.next_if(|comment| comment.end <= at).is_some() {}
                if comments.peek().is_some_and(|comment| comment.start <= at) {
                    continue;
                }
                let mut partner = None;
                if brace == "{" {
                    open.push(braces.len());
                } else if let Some(opening) = open.pop() {
                    partner = Some(braces[opening].0);
                    braces[opening].1 = Some(at);
                }
                braces.push((at, partner));
            }
            braces
        })
    }

    /// A damaged place up to the statements that it may belong to: the next one, if it could swallow that, and the one before
    /// if it begins with what begins no statement.
    fn reached(&self, place: TextRange) -> TextRange {
        let begins = self.text[place.start..].chars().next();
        let begins_statement =
            begins.is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '[' | '}'));
        let start = if begins_statement {
            place.start
        } else {
            self.back_over_space(place.start)
        };
        let next = self.over_space(place.end);
        let end = if self.swallows(place.end, next) {
            next
        } else {
            place.end
        };
        TextRange::new(start, end)
    }

    /// Whether what stands at `next` could be a part of a statement that breaks off at `end`. An assignment or a keyword could
    /// not, but for a named argument behind the open bracket of a call or a comma.
    fn swallows(&self, end: usize, next: usize) -> bool {
        let before = self.text[..end].trim_end();
        let opens_call = |before: &str| before.trim_end().ends_with(is_of_word);
        let expects_argument =
            before.ends_with(',') || before.strip_suffix('(').is_some_and(opens_call);
        expects_argument || !begins_anew(&self.text[next..])
    }

    /// The next place that is neither space nor in a comment.
    fn over_space(&self, mut at: usize) -> usize {
        loop {
            let rest = &self.text[at..];
            at += rest.len() - rest.trim_start().len();
            match self
                .comments
                .iter()
                .find(|it| it.start <= at && at < it.end)
            {
                Some(comment) => at = comment.end,
                None => return at,
            }
        }
    }

    /// The end of what stands before a place and is neither space nor a comment.
    fn back_over_space(&self, mut at: usize) -> usize {
        loop {
            at = self.text[..at].trim_end().len();
            match self
                .comments
                .iter()
                .find(|it| it.start < at && at <= it.end)
            {
                Some(comment) => at = comment.start,
                None => return at,
            }
        }
    }
}

/// The same places, where those that meet are one.
fn united(mut places: Vec<TextRange>) -> Vec<TextRange> {
    places.sort();
    let mut united: Vec<TextRange> = Vec::with_capacity(places.len());
    for place in places {
        match united.last_mut() {
            Some(last) if place.start <= last.end => *last = last.cover(place),
            _ => united.push(place),
        }
    }
    united
}

/// The words of a text on the side of an assignment's sign that gets the value, and those that a loop runs through.
fn assigned(text: &str) -> impl Iterator<Item = &str> {
    let signs = text.match_indices(['=', '<']).filter_map(|(at, sign)| {
        let (before, behind) = (&text[..at], &text[at + 1..]);
        let is_sign = match sign {
            "=" => !before.ends_with(['=', '!', '<', '>']) && !behind.starts_with('='),
            _ => behind.starts_with('-'),
        };
        is_sign.then(|| before.trim_end_matches(['+', ' ', '\t']))
    });
    let targets = signs.flat_map(|before| {
        let Some((list, inside)) = before
            .strip_suffix(']')
            .and_then(|before| before.rsplit_once('['))
        else {
            return words(before).next_back().into_iter().chain(words(""));
        };
        let is_index = list.trim_end().ends_with(is_of_word);
        let variable = if is_index {
            words(list).next_back()
        } else {
            None
        };
        let targets = if is_index { "" } else { inside };
        variable.into_iter().chain(words(targets))
    });
    let loops = text.match_indices("for").filter_map(|(at, _)| {
        let head = text[at + 3..].trim_start().strip_prefix('(')?;
        words(head).next()
    });
    // No sign of DML, and one that people bring along from R.
    let right = text.match_indices("->");
    let right = right.filter_map(|(at, _)| words(&text[at + 2..]).next());
    targets.chain(loops).chain(right)
}

/// Whether a text begins as only a statement can.
fn begins_anew(text: &str) -> bool {
    let word = text.find(|c: char| !is_of_word(c)).unwrap_or(text.len());
    if matches!(&text[..word], "if" | "while" | "for" | "parfor") {
        return true;
    }
    // A name, perhaps with an index, or a list of names, and the sign of an assignment.
    let behind = text[word..].trim_start_matches([' ', '\t']);
    let behind = match behind.strip_prefix('[') {
        Some(index) => match index.split_once(']') {
            Some((inside, behind)) if !inside.contains('\n') => {
                behind.trim_start_matches([' ', '\t'])
            }
            _ => return false,
        },
        None if word == 0 => return text.is_empty() || text.starts_with('}'),
        None => behind,
    };
    let is_equality = behind.starts_with("==");
    !is_equality
        && ["=", "<-", "+="]
            .iter()
            .any(|sign| behind.starts_with(sign))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::StmtKind;

    /// The lines of a script, each with whether it is damaged.
    fn damaged(text: &str) -> Vec<&str> {
        let damage = crate::parse(text).damage();
        let mut start = 0;
        let mut found = Vec::new();
        for line in text.split_inclusive('\n') {
            let range = TextRange::new(start, start + line.trim_end().len());
            if damage.touches(range) {
                found.push(line.trim());
            }
            start += line.len();
        }
        found
    }

    #[test]
    fn a_statement_knows_that_it_is_damaged() {
        let parse = crate::parse("a = 1\nif (a > 1) {\n  b = sum(\n  )(\n}\nc = 3\n");
        let marks = |statements: &[Stmt]| -> Vec<bool> {
            statements.iter().map(|stmt| stmt.is_damaged).collect()
        };
        let statements = &parse.program().statements;
        assert_eq!(marks(statements), [false, false, false]);
        let StmtKind::If { then, .. } = &statements[1].kind else {
            panic!("expected `if`, found {:?}", statements[1].kind);
        };
        assert!(then.statements[0].is_damaged, "{:?}", then.statements);
        let parse = crate::parse("while (a > ) {\n  b = 2\n}\n");
        assert!(marks(&parse.program().statements)[0], "the head counts");
    }

    #[test]
    fn a_whole_script_has_none() {
        assert!(crate::parse("x = 1\ny = sum(x)\n").damage().is_empty());
    }

    #[test]
    fn the_statement_and_what_it_could_swallow_are_damaged() {
        let text = "a = 1\nx = sum(A %*%\n\n# note\nprint(B)\nz = 3\n";
        assert_eq!(damaged(text), ["x = sum(A %*%", "", "# note", "print(B)"]);
        let text = "a = 1\nC = A %*% (\nd = sum(B)\nz = 3\n";
        assert_eq!(damaged(text), ["C = A %*% ("], "no argument follows");
        let text = "a = 1\nC = sum(\nd = sum(B)\nz = 3\n";
        assert_eq!(damaged(text), ["C = sum(", "d = sum(B)"]);
        let text = "a = 1\nx = list(a,\nb = sum(B)\nz = 3\n";
        assert_eq!(damaged(text), ["x = list(a,", "b = sum(B)"]);
    }

    #[test]
    fn an_assignment_is_no_part_of_an_expression() {
        for next in [
            "y = sum(B)",
            "y[1, 2] = 3",
            "[y, z] = f(B)",
            "y <- 2",
            "y += 2",
            "if (a > 1) y = 2",
        ] {
            let text = format!("a = 1\nx = sum(A %*%\n{next}\n");
            assert_eq!(damaged(&text), ["x = sum(A %*%"], "{next}");
        }
        for next in ["y == 2", "sum(y)", "y + 1", "(y)", "y"] {
            assert!(!begins_anew(next), "{next}");
        }
    }

    #[test]
    fn a_stray_sign_damages_its_statement() {
        let text = "a = 1\ny = sum(B).\nz = 3\nw = 4\n";
        assert_eq!(damaged(text), ["y = sum(B)."]);
    }

    #[test]
    fn what_begins_no_statement_may_belong_to_the_one_before() {
        let text = "a = 1\nx = A\n) + B\ny = 2\nz = 3\n";
        assert_eq!(damaged(text), ["x = A", ") + B"]);
    }

    #[test]
    fn an_open_block_may_hold_all_that_follows() {
        let text = "a = 1\nfor (i in 1:3) {\n  b = 2\nc = 3\nd = 4\n";
        assert_eq!(
            damaged(text),
            ["for (i in 1:3) {", "b = 2", "c = 3", "d = 4"]
        );
    }

    #[test]
    fn a_brace_that_closes_nothing_may_close_the_block_before() {
        let text = "a = 1\nfor (i in 1:3) {\n  b = 2\n}\nc = 3\n}\nd = 4\n";
        assert_eq!(
            damaged(text),
            ["for (i in 1:3) {", "b = 2", "}", "c = 3", "}"]
        );
    }

    #[test]
    fn what_stands_in_damaged_places_is_named() {
        let damage = crate::parse("for (j in 1:3) {\n  if (j = 2) X = Y * 2\n}\n").damage();
        assert!(["j", "X", "Y"].iter().all(|name| damage.mentions(name)));
        assert!(damage.may_assign("X") && !damage.may_assign("Y"));
        let head = "if ($a = 1) {\n  while (b) { c = 1 }\n  w = rowSums(w)\n}\nv = 2\n";
        let damage = crate::parse(head).damage();
        assert!(damage.may_assign("w") && damage.may_assign("c") && !damage.may_assign("v"));
        for (text, names) in [
            ("[Z, s] = g(X", vec!["Z", "s"]),
            ("Z[i, 1] = (X", vec!["Z"]),
            ("Z += (X", vec!["Z"]),
            ("Z <- (X", vec!["Z"]),
            ("while (a == b", vec![]),
            ("for (k in", vec!["k"]),
            ("(X) -> Z", vec!["Z"]),
        ] {
            assert_eq!(assigned(text).collect::<Vec<_>>(), names, "{text}");
        }
    }
}
