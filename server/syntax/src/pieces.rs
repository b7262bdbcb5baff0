//! Where a script can be cut so that each piece is read alone: an edit then touches one piece, and a broken place
//! breaks one piece. The cut is a function of the text, never of what was typed before.
//!
//! A newline ends no statement. It is a cut where what stands before it is complete, no bracket is open, and what
//! follows can only begin a statement; so a well-formed script says the same in pieces as in one. Where a bracket or
//! a quote never closes, the guesses of [`crate::recover`] about lines decide instead.

use crate::lex::skipped_len;
use crate::recover::lines::{INNER_WORDS, Line, starts_function, starts_statement};
use crate::tree::parse_tree;

/// After so many pieces in a row that do not close, the rest of the script is one piece: looking for the end of each
/// reads on to the end of the script.
const MAX_BROKEN_RUN: u8 = 50;

/// How many lines behind an open brace are searched for the one that closes it.
const FARTHEST: usize = 400;

/// One end of a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cut {
    /// Behind the piece's last byte.
    pub(crate) end: usize,
    /// Behind the last byte that had a say.
    pub(crate) looked: usize,
    /// How many pieces in a row did not close, this one included.
    pub(crate) broken_run: u8,
}

/// The end of the piece that starts at byte `start`, behind a piece with that `broken_run`.
pub(crate) fn next(text: &str, start: usize, broken_run: u8) -> Cut {
    if broken_run >= MAX_BROKEN_RUN {
        return Cut {
            end: text.len(),
            looked: text.len(),
            broken_run,
        };
    }
    let scan = Scan {
        text,
        at: start,
        long_string: false,
    };
    let unclosed = match scan.closed() {
        // A quote too many turns code into text and text into code, up to who knows where.
        Ok(closed)
            if closed.long_string
                && parse_tree(&text[start..closed.end]).root_node().has_error() =>
        {
            Unclosed::at_the_end(text)
        }
        Ok(Closed { end, looked, .. }) => {
            return Cut {
                end,
                looked,
                broken_run: 0,
            };
        }
        Err(unclosed) => unclosed,
    };
    let (end, seen) = unclosed_end(text, start);
    Cut {
        end,
        looked: if seen < unclosed.at {
            unclosed.looked
        } else {
            text.len()
        },
        broken_run: broken_run + 1,
    }
}

/// A piece whose brackets, quotes and comments close.
struct Closed {
    end: usize,
    /// Behind the last byte that had a say.
    looked: usize,
    /// Whether a string ran over several lines.
    long_string: bool,
}

/// Where it is sure that something never closes.
struct Unclosed {
    /// What says so.
    at: usize,
    /// Behind the last byte that had a say.
    looked: usize,
}

impl Unclosed {
    /// There is nothing behind it that could close.
    fn at_the_end(text: &str) -> Self {
        Unclosed {
            at: text.len(),
            looked: text.len(),
        }
    }
}

/// What no bracket has inside: a statement of another kind than an assignment stands between braces alone, and a function
/// between no brackets at all. So the search for what closes need not go on to the end of the script.
fn cannot_stand_inside(word: &str, opener: u8) -> bool {
    match word {
        "function" | "externalFunction" => true,
        "if" | "else" | "while" | "for" | "parfor" => opener != b'{',
        _ => false,
    }
}

/// What stands before a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Nothing yet, or something that needs more behind it: a sign, a keyword, the head of a loop.
    Open,
    /// `if`, `while`, `for`, `parfor`: the parenthesis that follows is no call's.
    Head,
    /// What may end a statement.
    Complete,
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    /// Whether a string ran over several lines.
    long_string: bool,
}

impl Scan<'_> {
    /// The end of a piece whose brackets, quotes and comments close.
    fn closed(mut self) -> Result<Closed, Unclosed> {
        let end = || Unclosed::at_the_end(self.text);
        let bytes = self.text.as_bytes();
        let mut open: Vec<(u8, bool)> = Vec::new();
        let mut before = Before::Open;
        let mut new_line = false;
        let (mut line_start, mut trivia_end) = (self.at, self.at);
        while let Some(&byte) = bytes.get(self.at) {
            let start = self.at;
            // Signs that the language passes over are no more than blanks.
            if !byte.is_ascii_alphanumeric() {
                let skipped = skipped_len(&self.text[start..]);
                if skipped > 0 {
                    self.at += skipped;
                    continue;
                }
            }
            match byte {
                b'\n' => {
                    new_line = true;
                    line_start = start + 1;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'#' => {
                    self.at = line_end(self.text, start);
                    trivia_end = self.at;
                }
                b'/' if bytes.get(start + 1) == Some(&b'*') => {
                    let close = self.text[start + 2..].find("*/");
                    self.at = start + 4 + close.ok_or_else(end)?;
                    trivia_end = self.at;
                    new_line |= self.text[start..self.at].contains('\n');
                }
                b'"' | b'\'' => {
                    self.string(byte).ok_or_else(end)?;
                    (before, new_line) = (Before::Complete, false);
                }
                b'{' if open.last().is_some_and(|(opener, _)| *opener != b'{') => {
                    return Err(self.unclosed(start));
                }
                b'(' | b'[' | b'{' => {
                    open.push((byte, before == Before::Head));
                    self.at += 1;
                    (before, new_line) = (Before::Open, false);
                }
                b')' | b']' | b'}' => {
                    let fits = |(opener, _): &(u8, bool)| {
                        matches!((opener, byte), (b'(', b')') | (b'[', b']') | (b'{', b'}'))
                    };
                    let Some((_, head)) = open.pop().filter(fits) else {
                        return Err(self.unclosed(start));
                    };
                    self.at += 1;
                    before = if head { Before::Open } else { Before::Complete };
                    new_line = false;
                }
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.' | b'$' => {
                    let word = self.word();
                    let begins = byte.is_ascii_alphabetic() && !INNER_WORDS.contains(&word);
                    if open.is_empty() && new_line && before == Before::Complete && begins {
                        return Ok(Closed {
                            end: line_start.max(trivia_end),
                            looked: self.at,
                            long_string: self.long_string,
                        });
                    }
                    let inside = open.last();
                    if inside.is_some_and(|(opener, _)| cannot_stand_inside(word, *opener)) {
                        return Err(self.unclosed(start));
                    }
                    before = match word {
                        "if" | "while" | "for" | "parfor" => Before::Head,
                        "else" | "in" | "as" | "return" | "function" | "externalFunction"
                        | "implemented" => Before::Open,
                        _ => Before::Complete,
                    };
                    new_line = false;
                }
                _ => {
                    self.at += 1;
                    before = if byte == b';' {
                        Before::Complete
                    } else {
                        Before::Open
                    };
                    new_line = false;
                }
            }
        }
        if !open.is_empty() {
            return Err(end());
        }
        Ok(Closed {
            end: self.at,
            looked: self.at,
            long_string: self.long_string,
        })
    }

    /// What starts here closes nothing, and nothing behind it does.
    fn unclosed(&self, at: usize) -> Unclosed {
        if self.long_string {
            // Who goes by lines may take its quotes for others.
            return Unclosed::at_the_end(self.text);
        }
        Unclosed {
            at,
            looked: line_end(self.text, at),
        }
    }

    /// Moves behind a string; it may run over several lines.
    fn string(&mut self, quote: u8) -> Option<()> {
        let bytes = self.text.as_bytes();
        self.at += 1;
        loop {
            match *bytes.get(self.at)? {
                b'\\' => self.at += 2,
                byte => {
                    self.at += 1;
                    self.long_string |= byte == b'\n';
                    if byte == quote {
                        return Some(());
                    }
                }
            }
        }
    }

    /// Moves behind a word, a number or a command-line argument. A point at its end belongs to no word.
    fn word(&mut self) -> &str {
        let start = self.at;
        let len = self.text.as_bytes()[start + 1..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
            .count();
        let word = &self.text[start..=start + len];
        let word = &word[..word.trim_end_matches('.').len().max(1)];
        self.at = start + word.len();
        word
    }
}

/// The end of the line that byte `at` lies in, without its end-of-line sign.
fn line_end(text: &str, at: usize) -> usize {
    let rest = &text.as_bytes()[at..];
    at + rest
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap_or(rest.len())
}

/// The end of a piece in which something never closes: the next line outside of braces that looks like a statement;
/// if the braces do not close either, the next such line that is indented no deeper than the piece. With it the end of the last
/// line that was looked at.
fn unclosed_end(text: &str, start: usize) -> (usize, usize) {
    let mut lines = crate::recover::lines::each(&text[start..]).map(|line| line.moved(start));
    let Some(first) = lines.next() else {
        return (text.len(), text.len());
    };
    let outermost = indent(text, &first);
    let mut depth = 0_usize;
    let mut braces = |line: &Line| {
        for token in &line.tokens {
            match &text[token.range] {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        depth
    };
    let mut open = braces(&first);
    let mut candidate = None;
    for (count, line) in lines.enumerate() {
        let at = || cut_before(text, &line);
        let outside = indent(text, &line) <= outermost && starts_statement(&line, text);
        if open == 0 && starts_statement(&line, text) {
            return (at(), line.end());
        }
        if outside && starts_function(&line, text) {
            return (candidate.unwrap_or_else(at), line.end());
        }
        if outside && candidate.is_none() {
            candidate = Some(at());
        }
        if let (Some(candidate), true) = (candidate, count >= FARTHEST) {
            return (candidate, line.end());
        }
        open = braces(&line);
        if open == 0 {
            candidate = None;
        }
    }
    (candidate.unwrap_or(text.len()), text.len())
}

/// The start of the line, or of its first token if a comment ends there.
fn cut_before(text: &str, line: &Line) -> usize {
    let token = line.start();
    let start = text[..token].rfind('\n').map_or(0, |at| at + 1);
    if text[start..token].trim().is_empty() {
        start
    } else {
        token
    }
}

fn indent(text: &str, line: &Line) -> usize {
    line.start() - cut_before(text, line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<&str> {
        let (mut found, mut start, mut run) = (Vec::new(), 0, 0);
        while start < text.len() {
            let cut = next(text, start, run);
            found.push(text[start..cut.end].trim());
            (start, run) = (cut.end, cut.broken_run);
        }
        found
    }

    #[test]
    fn a_script_is_cut_where_only_a_statement_can_begin() {
        let text = "# a\nx = 1\ny = f(a,\n b = 2) # c\n/* d\n*/ z = x\n -y\nif (z)\n  z = 1\nelse\n  z = 'a\nb = 2'\nw = a;\n[b] = f()\n";
        assert_eq!(
            pieces(text),
            [
                "# a\nx = 1",
                "y = f(a,\n b = 2) # c\n/* d\n*/",
                "z = x\n -y",
                "if (z)\n  z = 1\nelse\n  z = 'a\nb = 2'",
                "w = a;\n[b] = f()"
            ]
        );
    }

    #[test]
    fn what_never_closes_ends_at_the_next_statement() {
        assert_eq!(
            pieces("x = f(1\ny = 2\nz = 3"),
            ["x = f(1", "y = 2", "z = 3"]
        );
        assert_eq!(pieces("x = \"a\ny = 2"), ["x = \"a", "y = 2"]);
        assert_eq!(
            pieces("x = \"\"a\"\ny = \"b\"\nz = 3"),
            ["x = \"\"a\"", "y = \"b\"", "z = 3"]
        );
        assert_eq!(
            pieces("if (x) {\ny = 2\nz = 3"),
            ["if (x) {", "y = 2", "z = 3"]
        );
        assert_eq!(
            pieces("f = function() {\n  y = (2\n}\nz = 3"),
            ["f = function() {\n  y = (2\n}", "z = 3"]
        );
    }

    #[test]
    fn what_never_closes_is_searched_no_further_than_a_statement_that_nothing_has_inside() {
        let rest = "z = 3\n".repeat(100);
        for (text, end, looked) in [
            (
                "x = (1\ny = 2\nfor (i in 1:3) {\n}\n",
                "x = (1\n",
                "for (i in 1:3) {",
            ),
            ("x = y[1\ny = 2\n}\n", "x = y[1\n", "\n}"),
            (
                "if (x) {\n  y = 2\nf = function() {\n}\n",
                "if (x) {\n  y = 2\n",
                "",
            ),
        ] {
            let text = format!("{text}{rest}");
            let cut = next(&text, 0, 0);
            assert_eq!(cut.end, end.len());
            let behind = text.find(looked).map(|at| at + looked.len());
            assert_eq!(
                cut.looked,
                behind.filter(|_| !looked.is_empty()).unwrap_or(text.len())
            );
        }
    }

    #[test]
    fn a_script_of_nothing_but_open_brackets_is_cut_in_reasonable_time() {
        assert!(pieces(&"x = (\n".repeat(20_000)).len() <= usize::from(MAX_BROKEN_RUN) + 1);
    }
}
