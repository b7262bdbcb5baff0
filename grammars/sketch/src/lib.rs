//! The tree-sitter grammar of sketches, programs with holes, and its queries.
//!
//! `grammar.js` is the source; `parser.c`, `grammar.json`, `node-types.json` and `tree_sitter/` are generated
//! from it and must never be edited. Nothing here interprets a tree.

use tree_sitter_language::LanguageFn;

#[expect(unsafe_code, reason = "the generated parser is C")]
mod ffi {
    use tree_sitter_language::LanguageFn;

    unsafe extern "C" {
        fn tree_sitter_sketch() -> *const ();
    }

    // SAFETY: the symbol is the generated parser's entry point, which has exactly this signature and
    // returns a static table.
    pub(crate) const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_sketch) };
}

/// The language; `tree_sitter::Language::new(LANGUAGE)` or `LANGUAGE.into()` gives what a parser takes.
pub const LANGUAGE: LanguageFn = ffi::LANGUAGE;

/// The kinds of nodes and their fields, as JSON.
pub const NODE_TYPES: &str = include_str!("node-types.json");

/// What is a keyword, a hole, a comment, …
pub const HIGHLIGHTS_QUERY: &str = include_str!("../queries/highlights.scm");

/// Scopes, definitions and references.
pub const LOCALS_QUERY: &str = include_str!("../queries/locals.scm");
