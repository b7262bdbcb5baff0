//! The grammar's tree of a text, errors included. Must never say what the tree means.

use std::cell::RefCell;

use tree_sitter::{Parser, Tree};

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new({
        let mut parser = Parser::new();
        let language = tree_sitter_dml::LANGUAGE.into();
        parser.set_language(&language).expect("the grammar and the parser library are built together");
        parser
    });
}

/// The tree of `text`.
pub(crate) fn parse_tree(text: &str) -> Tree {
    PARSER.with_borrow_mut(|parser| {
        parser.reset();
        parser
            .parse(text, None)
            .expect("a parser with a language and without a time limit always finishes")
    })
}
