//! What the queries capture in a script with every construct.

use tree_sitter::{Language, Parser, Query, QueryCursor, StreamingIterator};

/// The captures as `name text`, in the order of the text; of several for one node the last pattern wins.
fn captures(query: &str, text: &str) -> Vec<String> {
    let language = Language::new(tree_sitter_dml::LANGUAGE);
    let query = Query::new(&language, query).expect("the query fits the grammar");
    let mut parser = Parser::new();
    parser
        .set_language(&language)
        .expect("the generated parser fits the library");
    let tree = parser.parse(text, None).expect("a tree");
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(&query, tree.root_node(), text.as_bytes());
    let mut found = Vec::new();
    while let Some(one) = matches.next() {
        for capture in one.captures() {
            let range = capture.node.byte_range();
            found.push((
                range.start,
                usize::MAX - range.end,
                one.pattern_index,
                capture.index,
            ));
        }
    }
    found.sort_unstable();
    let mut shown: Vec<(usize, usize, String)> = Vec::new();
    for (start, end, _, index) in found {
        let name = query.capture_names()[index as usize];
        let line = format!("{name} {}", &text[start..usize::MAX - end]);
        match shown.last_mut() {
            Some(last) if (last.0, last.1) == (start, end) => last.2 = line,
            _ => shown.push((start, end, line)),
        }
    }
    shown.into_iter().map(|(_, _, line)| line).collect()
}

#[test]
fn highlights_tell_names_apart_by_what_they_do() {
    let found = captures(
        tree_sitter_dml::HIGHLIGHTS_QUERY,
        "y = u::f(sum(x), k = $n) %*% 2.5 # c\n$$",
    );
    assert_eq!(
        found,
        [
            "variable y",
            "operator =",
            "module u",
            "punctuation.delimiter ::",
            "function.call f",
            "punctuation.bracket (",
            "function.builtin sum",
            "punctuation.bracket (",
            "variable x",
            "punctuation.bracket )",
            "punctuation.delimiter ,",
            "property k",
            "operator =",
            "variable.parameter $n",
            "punctuation.bracket )",
            "operator %*%",
            "number.float 2.5",
            "comment # c",
            "error $$"
        ]
    );
}

#[test]
fn highlights_tell_types_and_keywords() {
    let found = captures(
        tree_sitter_dml::HIGHLIGHTS_QUERY,
        "f = function(Matrix[Double] X) return (Integer k) { k = ifdef($k, TRUE) }",
    );
    for expected in [
        "function f",
        "keyword.function function",
        "type Matrix",
        "type.builtin Double",
        "variable.parameter X",
        "keyword.return return",
        "type.builtin Integer",
        "keyword ifdef",
        "boolean TRUE",
    ] {
        assert!(
            found.iter().any(|line| line == expected),
            "{expected}: {found:?}"
        );
    }
}

#[test]
fn blocks_and_lists_of_arguments_fold() {
    let found = captures(
        tree_sitter_dml::FOLDS_QUERY,
        "f = function(Double a) { b = g(a) }\nx = [1, 2]",
    );
    assert_eq!(
        found,
        [
            "fold (Double a)",
            "fold { b = g(a) }",
            "fold (a)",
            "fold [1, 2]"
        ]
    );
}

#[test]
fn only_functions_open_scopes() {
    let found = captures(
        tree_sitter_dml::LOCALS_QUERY,
        "f = function(Double a) { for (i in 1:a) { b = i } }",
    );
    let scopes = found.iter().filter(|line| line.starts_with("local.scope"));
    assert!(scopes.count() >= 1, "{found:?}");
    for expected in [
        "local.definition.function f",
        "local.definition.parameter a",
        "local.definition.var i",
        "local.definition.var b",
        "local.reference a",
        "local.reference i",
    ] {
        assert!(
            found.iter().any(|line| line == expected),
            "{expected}: {found:?}"
        );
    }
}

#[test]
fn comments_are_injected_and_facts_are_not() {
    let found = captures(
        tree_sitter_dml::INJECTIONS_QUERY,
        "#@ off\n# a\nx = 1 /* b */",
    );
    assert_eq!(
        found,
        ["injection.content # a", "injection.content /* b */"]
    );
}
