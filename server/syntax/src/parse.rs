//! From text to tree, AST and errors, whole or after an edit. It must never fail: broken text is normal.

use std::cell::RefCell;
use std::sync::Arc;

use tree_sitter::{InputEdit, Parser, Point, Tree};

use crate::ast::Program;
use crate::comments::Comment;
use crate::edit::apply_edits;
use crate::error::SyntaxError;
use crate::lower;
use crate::text::TextEdit;

/// A parsed script: a value that is cheap to clone and to send between threads.
#[derive(Clone)]
pub struct Parse {
    text: Arc<str>,
    tree: Tree,
    lowered: Arc<lower::Lowered>,
}

/// Parses a script.
#[must_use]
pub fn parse(text: impl Into<Arc<str>>) -> Parse {
    let text = text.into();
    let tree = parse_tree(&text, None);
    Parse::from_tree(text, tree)
}

impl Parse {
    /// The script's text.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The concrete tree, with every token and comment.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The typed tree.
    #[must_use]
    pub fn program(&self) -> &Arc<Program> {
        &self.lowered.program
    }

    /// What is wrong with the text, in the order of its places, one message a place. Empty if and only if the
    /// script is well-formed.
    #[must_use]
    pub fn errors(&self) -> &[SyntaxError] {
        &self.lowered.errors
    }

    /// Every comment in the order of the text, `#@` lines included.
    #[must_use]
    pub fn comments(&self) -> &[Comment] {
        &self.lowered.comments
    }

    /// The script after `edits`, which refer to this parse's text. What they leave alone is not parsed again.
    /// Edits that overlap or lie outside the text are left out.
    #[must_use]
    pub fn edit(&self, edits: &[TextEdit]) -> Parse {
        let edits = crate::edit::usable_edits(&self.text, edits);
        let mut tree = self.tree.clone();
        // From the last to the first, so that offsets of the ones still to come stay true.
        for edit in edits.iter().rev() {
            let start_position = point_at(&self.text, edit.range.start);
            tree.edit(&InputEdit {
                start_byte: edit.range.start,
                old_end_byte: edit.range.end,
                new_end_byte: edit.range.start + edit.new_text.len(),
                start_position,
                old_end_position: point_at(&self.text, edit.range.end),
                new_end_position: point_after(start_position, &edit.new_text),
            });
        }
        let text: Arc<str> = apply_edits(&self.text, &edits).into();
        let mut tree = parse_tree(&text, Some(&tree));
        if tree.root_node().has_error() {
            // How broken text is read depends on what the parser had seen before; a fresh parse does not.
            tree = parse_tree(&text, None);
        }
        Parse::from_tree(text, tree)
    }

    fn from_tree(text: Arc<str>, tree: Tree) -> Parse {
        let lowered = Arc::new(lower::lower(&text, &tree));
        Parse {
            text,
            tree,
            lowered,
        }
    }
}

impl std::fmt::Debug for Parse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parse")
            .field("program", self.program())
            .field("errors", &self.errors())
            .finish()
    }
}

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new({
        let mut parser = Parser::new();
        let language = tree_sitter_dml::LANGUAGE.into();
        parser.set_language(&language).expect("the grammar and the parser library are built together");
        parser
    });
}

/// The tree of `text`, with what `old` (already edited to fit) can give.
pub(crate) fn parse_tree(text: &str, old: Option<&Tree>) -> Tree {
    PARSER.with_borrow_mut(|parser| {
        parser.reset();
        parser
            .parse(text, old)
            .expect("a parser with a language and without a time limit always finishes")
    })
}

fn point_at(text: &str, offset: usize) -> Point {
    point_after(Point::new(0, 0), &text[..offset])
}

fn point_after(start: Point, text: &str) -> Point {
    match text.rfind('\n') {
        Some(last) => {
            let rows = text.bytes().filter(|&byte| byte == b'\n').count();
            Point::new(start.row + rows, text.len() - last - 1)
        }
        None => Point::new(start.row, start.column + text.len()),
    }
}
