//! Comments and their places, so that whoever changes code can keep them.

use crate::parse::Parse;
use crate::text::TextRange;

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

impl Parse {
    /// The comments that lie wholly inside `range`.
    #[must_use]
    pub fn comments_in(&self, range: TextRange) -> &[Comment] {
        let comments = self.comments();
        let first = comments.partition_point(|comment| comment.range.start < range.start);
        let len = comments[first..].partition_point(|comment| comment.range.end <= range.end);
        &comments[first..first + len]
    }
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
