//! Tokens and comments of a tree into a document, each once and in the order of the text. Which blanks and newlines
//! stand between them is for its callers to say.

use sumac_text::TextRange;
use tree_sitter::Node;

use super::FormatOptions;
use super::doc::Doc;
use crate::comments::{Comment, CommentKind};
use crate::lower::Ends;
use crate::parse::Parse;

/// Deeper than this no tree is laid out: everything that walks one recurses.
const MAX_DEPTH: usize = 200;

pub(super) struct Builder<'a> {
    pub(super) text: &'a str,
    pub(super) options: FormatOptions,
    /// The comments that are still to come.
    comments: &'a [Comment],
    /// Behind the last token or comment.
    at: usize,
    /// A semicolon stays behind the token that ends here.
    pub(super) keep_semicolon: Option<usize>,
    out: Vec<Doc<'a>>,
    depth: usize,
    pub(super) ends: Ends,
    /// Something was nested deeper than [`MAX_DEPTH`].
    pub(super) too_deep: bool,
}

impl<'a> Builder<'a> {
    pub(super) fn new(parse: &'a Parse, options: FormatOptions) -> Self {
        Builder {
            text: parse.text(),
            options,
            comments: parse.comments(),
            at: 0,
            keep_semicolon: None,
            out: Vec::new(),
            depth: 0,
            ends: Ends::default(),
            too_deep: false,
        }
    }

    pub(super) fn finish(self) -> Vec<Doc<'a>> {
        self.out
    }

    pub(super) fn push(&mut self, doc: Doc<'a>) {
        self.out.push(doc);
    }

    pub(super) fn space(&mut self) {
        self.push(Doc::Space);
    }

    /// What `build` adds, as one group.
    pub(super) fn group(&mut self, build: impl FnOnce(&mut Self)) {
        let inner = self.collect(build);
        self.push(Doc::Group(inner));
    }

    /// What `build` adds, one level deeper.
    pub(super) fn indent(&mut self, build: impl FnOnce(&mut Self)) {
        let inner = self.collect(build);
        self.push(Doc::Indent(inner));
    }

    fn collect(&mut self, build: impl FnOnce(&mut Self)) -> Vec<Doc<'a>> {
        let outer = std::mem::take(&mut self.out);
        build(self);
        std::mem::replace(&mut self.out, outer)
    }

    /// Runs `build` one level further down the tree, or takes the node as it is where that is too deep.
    pub(super) fn deeper(&mut self, node: Node<'_>, build: impl FnOnce(&mut Self)) {
        if self.depth >= MAX_DEPTH {
            self.too_deep = true;
            return self.token(node);
        }
        self.depth += 1;
        build(self);
        self.depth -= 1;
    }

    /// A token, with the comments before it and those behind it on its line.
    pub(super) fn token(&mut self, node: Node<'_>) {
        self.comments_before(node.start_byte(), false);
        let text: &'a str = self.text;
        self.push(Doc::Text(&text[node.byte_range()]));
        self.at = node.end_byte();
        if self.keep_semicolon.take_if(|at| *at == self.at).is_some() {
            self.push(Doc::Text(";"));
        }
        self.trailing_comments();
    }

    /// Lines that stay as they are.
    pub(super) fn verbatim(&mut self, range: TextRange) {
        let text: &'a str = self.text;
        self.push(Doc::Verbatim(&text[range]));
        self.at = range.end;
        self.skip_comments(range.end);
        self.trailing_comments();
    }

    /// The comments that end their lines, directly behind what was added last.
    fn trailing_comments(&mut self) {
        let mut end = self.at;
        let on_line = self.comments.iter().take_while(|comment| {
            let same = !self.text[end..comment.range.start].contains('\n')
                && is_gap(&self.text[end..comment.range.start]);
            end = comment.range.end;
            same
        });
        let count = on_line.count();
        let Some(last) = count.checked_sub(1).map(|last| self.comments[last]) else {
            return;
        };
        if self.ends_line(last) {
            for _ in 0..count {
                self.comment(false);
            }
        }
    }

    /// The comments before a place. In a list of statements they keep empty lines around them.
    pub(super) fn comments_before(&mut self, offset: usize, in_list: bool) {
        while self
            .comments
            .first()
            .is_some_and(|comment| comment.range.start < offset)
        {
            if in_list {
                self.separator(self.comments[0].range.start);
            }
            self.comment(in_list);
        }
    }

    /// Adds the next comment.
    fn comment(&mut self, in_list: bool) {
        let Some((comment, rest)) = self.comments.split_first() else {
            return;
        };
        let text: &'a str = &self.text[comment.range];
        let text = match comment.kind {
            CommentKind::Block => text,
            // Only what stands for nothing: other white space was typed by somebody.
            CommentKind::Line | CommentKind::Fact => text.trim_end_matches([' ', '\t', '\r']),
        };
        // Another comment may stand before it on its line.
        let follows = matches!(self.out.last(), Some(Doc::Inline(_) | Doc::Space));
        let starts_line = self.at == 0 || self.text[self.at..comment.range.start].contains('\n');
        let column = self.column(comment.range.start);
        self.push(
            match (
                self.ends_line(*comment),
                starts_line || (in_list && !follows),
            ) {
                (false, _) => Doc::Inline(text),
                (true, true) => Doc::Own(text, column),
                (true, false) => Doc::Trailing(text, column),
            },
        );
        self.comments = rest;
        self.at = comment.range.end;
    }

    /// Leaves out the comments before a place, which are part of something else.
    fn skip_comments(&mut self, offset: usize) {
        let count = self
            .comments
            .partition_point(|comment| comment.range.start < offset);
        self.comments = &self.comments[count..];
    }

    fn ends_line(&self, comment: Comment) -> bool {
        let behind = self.text[comment.range.end..]
            .trim_start_matches(|c: char| c == ';' || (c.is_whitespace() && c != '\n'));
        behind.is_empty() || behind.starts_with('\n')
    }

    fn column(&self, offset: usize) -> usize {
        let line = self.text[..offset].rfind('\n').map_or(0, |at| at + 1);
        self.text[line..offset].chars().count()
    }

    /// Ends a line before what starts at `offset`, with as many empty lines as its author left, up to the maximum.
    pub(super) fn separator(&mut self, offset: usize) {
        if matches!(self.out.last(), Some(Doc::Inline(_))) {
            return self.space();
        }
        let starts_block = self.text[..self.at].ends_with('{');
        let newlines = self.newlines_before(offset);
        let empty = if starts_block {
            0
        } else {
            newlines.saturating_sub(1)
        };
        self.push(Doc::Hard(empty.min(self.options.max_blank_lines)));
    }

    /// How many lines end between what was added last and `offset`, comments left out.
    pub(super) fn newlines_before(&self, offset: usize) -> usize {
        self.text
            .get(self.at..offset)
            .map_or(0, |gap| gap.matches('\n').count())
    }
}

/// Whether a text says nothing: white space and semicolons.
pub(super) fn is_gap(text: &str) -> bool {
    text.chars().all(is_gap_char)
}

pub(super) fn is_gap_char(c: char) -> bool {
    c == ';' || c.is_whitespace()
}
