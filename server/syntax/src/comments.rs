//! Comments and their places, so that whoever changes code can keep them.

use sumac_text::TextRange;

use crate::lex;

/// One comment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Comment {
    /// From its first sign to its last character, without the newline.
    pub range: TextRange,
    /// How it is written.
    pub kind: CommentKind,
}

/// The ways to write a comment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CommentKind {
    /// `# …`
    Line,
    /// `/* … */`
    Block,
    /// `#@ …`
    Fact,
}

impl CommentKind {
    /// The kind of the comment that `text` starts with.
    pub(crate) fn of(text: &str) -> CommentKind {
        if text.starts_with("#@") {
            CommentKind::Fact
        } else if text.starts_with('#') {
            CommentKind::Line
        } else {
            CommentKind::Block
        }
    }
}

/// What stands between the tokens of a text that can be read.
#[derive(Default)]
pub(crate) struct Trivia {
    pub(crate) comments: Vec<Comment>,
    /// Signs that the language passes over.
    pub(crate) skipped: Vec<TextRange>,
    /// `$name` behind what is complete, where no value is read: the grammar has no place for it, and passes its sign over.
    pub(crate) stray: Vec<TextRange>,
}

/// Words behind which more must stand.
const OPEN_WORDS: [&str; 13] = [
    "if",
    "else",
    "while",
    "for",
    "parfor",
    "in",
    "as",
    "return",
    "source",
    "setwd",
    "function",
    "implemented",
    "externalFunction",
];

impl Trivia {
    /// Finds them without a tree. Where a string or a comment never closes, the answer is a guess.
    pub(crate) fn of_readable(text: &str) -> Trivia {
        let bytes = text.as_bytes();
        let mut trivia = Trivia::default();
        let mut at = 0;
        // Whether what stands before could end a statement; nothing could.
        let mut is_complete = true;
        while let Some(&byte) = bytes.get(at) {
            let start = at;
            at = match byte {
                b'#' | b'/' => match comment_end(text, start) {
                    Some(end) => {
                        let range = TextRange::new(start, end);
                        let kind = CommentKind::of(&text[range]);
                        trivia.comments.push(Comment { range, kind });
                        end
                    }
                    None => {
                        is_complete = false;
                        start + 1
                    }
                },
                b'"' | b'\'' => {
                    is_complete = true;
                    string_end(bytes, start)
                }
                b'$' | b'.' | b'@' | b'~' | b'`' | b'?' | b'\\' | 128.. => {
                    match lex::skipped_len(&text[start..]) {
                        0 if byte == b'$' => {
                            let end = start + 1 + lex::word_or_number_len(&text[start + 1..]);
                            if is_complete {
                                trivia.stray.push(TextRange::new(start, end));
                            }
                            is_complete = true;
                            end
                        }
                        0 => start + 1,
                        len => {
                            trivia.skipped.push(TextRange::new(start, start + len));
                            start + len
                        }
                    }
                }
                _ if byte.is_ascii_alphanumeric() => {
                    let end = start + lex::word_or_number_len(&text[start..]);
                    is_complete = !OPEN_WORDS.contains(&&text[start..end]);
                    end
                }
                _ => {
                    if !byte.is_ascii_whitespace() {
                        is_complete = matches!(byte, b')' | b']' | b'}' | b'{' | b';');
                    }
                    start + 1
                }
            };
        }
        trivia
    }
}

/// The end of the comment at byte `at`, if there is one.
fn comment_end(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    if rest.starts_with('#') {
        let line = rest.find('\n').map_or(rest, |end| &rest[..end]);
        return Some(at + line.trim_end_matches('\r').len());
    }
    let inside = rest.strip_prefix("/*")?;
    Some(inside.find("*/").map_or(text.len(), |end| at + end + 4))
}

/// Behind the string at byte `at`, which may run over several lines.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut here = at + 1;
    while here < bytes.len() && bytes[here] != bytes[at] {
        here += if bytes[here] == b'\\' { 2 } else { 1 };
    }
    here + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_found_by_range_with_their_kind() {
        let text = "#@ off\nx = 1 /* a */ + 2 # b\r\ny = '# c'\n";
        let parse = crate::parse(text);
        let kinds: Vec<_> = parse
            .comments()
            .iter()
            .map(|c| (&text[c.range], c.kind))
            .collect();
        assert_eq!(
            kinds,
            [
                ("#@ off", CommentKind::Fact),
                ("/* a */", CommentKind::Block),
                ("# b", CommentKind::Line)
            ]
        );
        let statement = parse.program().statements[0].range;
        let inside: Vec<_> = parse
            .comments_in(statement)
            .iter()
            .map(|c| &text[c.range])
            .collect();
        assert_eq!(inside, ["/* a */"]);
    }
}
