//! What the queries capture.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use tree_sitter::{Language, Parser, Query, QueryCursor, StreamingIterator};

/// The captures as `name text`, in the order of the text; of several for one node the last pattern wins.
fn captures(query: &str, text: &str) -> Vec<String> {
    let language = Language::new(tree_sitter_sketch::LANGUAGE);
    let query = Query::new(&language, query).expect("the query fits the grammar");
    let mut parser = Parser::new();
    parser
        .set_language(&language)
        .expect("the generated parser fits the library");
    let tree = parser.parse(text, None).expect("a tree");
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(&query, tree.root_node(), text.as_bytes());
    // By place, the longer ones first.
    let mut found: BTreeMap<(usize, Reverse<usize>), (usize, String)> = BTreeMap::new();
    while let Some(one) = matches.next() {
        for capture in one.captures() {
            let range = capture.node.byte_range();
            let name = query.capture_names()[capture.index as usize];
            let shown = format!("{name} {}", &text[range.clone()]);
            let entry = found.entry((range.start, Reverse(range.end))).or_default();
            if one.pattern_index >= entry.0 {
                *entry = (one.pattern_index, shown);
            }
        }
    }
    found.into_values().map(|(_, shown)| shown).collect()
}

#[test]
fn highlights_tell_words_apart_by_what_they_do() {
    let found = captures(
        tree_sitter_sketch::HIGHLIGHTS_QUERY,
        "sketch s(n) { goal a: contains(sum(?)) : n x 1 using factor }",
    );
    assert_eq!(
        found,
        [
            "keyword sketch",
            "function s",
            "punctuation.bracket (",
            "variable.parameter n",
            "punctuation.bracket )",
            "punctuation.bracket {",
            "keyword goal",
            "label a",
            "punctuation.delimiter :",
            "keyword.operator contains",
            "punctuation.bracket (",
            "function.call sum",
            "punctuation.bracket (",
            "variable.builtin ?",
            "punctuation.bracket )",
            "punctuation.bracket )",
            "punctuation.delimiter :",
            "variable n",
            "type x",
            "number 1",
            "keyword using",
            "constant factor",
            "punctuation.bracket }",
        ]
    );
}

#[test]
fn parameters_are_defined_where_they_are_named() {
    let found = captures(tree_sitter_sketch::LOCALS_QUERY, "def f(a) = contains(a)");
    assert_eq!(
        found,
        [
            "local.scope def f(a) = contains(a)",
            "local.definition.function f",
            "local.definition.parameter a",
            "local.reference contains",
            "local.reference a",
        ]
    );
}

#[test]
fn a_rule_has_a_name_and_an_equation() {
    let found = captures(
        tree_sitter_sketch::HIGHLIGHTS_QUERY,
        "rule two: A + A = 2 * A",
    );
    assert_eq!(
        found,
        [
            "keyword rule",
            "constant two",
            "punctuation.delimiter :",
            "variable A",
            "operator +",
            "variable A",
            "operator =",
            "number 2",
            "operator *",
            "variable A",
        ]
    );
}
