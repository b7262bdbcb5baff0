//! The corpus of `test/corpus`, read without the command-line tool, and the queries against the grammar.

use std::fs;
use std::path::Path;

use tree_sitter::{Language, Parser, Query};

struct Case {
    name: String,
    /// The tree must have an error; its shape does not matter.
    error: bool,
    input: String,
    tree: String,
}

/// Reads `===` name, attributes `===` input `---` tree.
fn cases(corpus: &str) -> Vec<Case> {
    let is_rule = |line: &str, sign: char| line.len() >= 3 && line.chars().all(|c| c == sign);
    let mut cases: Vec<Case> = Vec::new();
    let mut lines = corpus.lines().peekable();
    while let Some(line) = lines.next() {
        if !is_rule(line, '=') {
            continue;
        }
        let head: Vec<&str> = lines
            .by_ref()
            .take_while(|line| !is_rule(line, '='))
            .collect();
        let input: Vec<&str> = lines
            .by_ref()
            .take_while(|line| !is_rule(line, '-'))
            .collect();
        let mut tree = String::new();
        while let Some(line) = lines.next_if(|line| !is_rule(line, '=')) {
            tree.push_str(line);
            tree.push('\n');
        }
        cases.push(Case {
            name: head.first().copied().unwrap_or_default().to_owned(),
            error: head.contains(&":error"),
            input: input.join("\n"),
            tree: on_one_line(&tree),
        });
    }
    cases
}

fn on_one_line(tree: &str) -> String {
    tree.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace(" )", ")")
}

fn language() -> Language {
    Language::new(tree_sitter_dml::LANGUAGE)
}

#[test]
fn every_corpus_case_parses_as_written() {
    let mut parser = Parser::new();
    parser
        .set_language(&language())
        .expect("the generated parser fits the library");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/corpus");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the corpus")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    assert!(files.len() >= 6, "every chapter has a file");
    let mut wrong = Vec::new();
    for file in files {
        let cases = cases(&fs::read_to_string(&file).expect("a text"));
        assert!(!cases.is_empty(), "{} has no case", file.display());
        for case in cases {
            let tree = parser.parse(&case.input, None).expect("a tree");
            let found = tree.root_node().to_sexp();
            let right = if case.error {
                tree.root_node().has_error()
            } else {
                found == case.tree
            };
            if !right {
                wrong.push(format!(
                    "{}\n  expected {}\n  found    {found}",
                    case.name, case.tree
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_query_fits_the_grammar() {
    for (name, query) in [
        ("highlights", tree_sitter_dml::HIGHLIGHTS_QUERY),
        ("folds", tree_sitter_dml::FOLDS_QUERY),
        ("locals", tree_sitter_dml::LOCALS_QUERY),
        ("injections", tree_sitter_dml::INJECTIONS_QUERY),
    ] {
        let query =
            Query::new(&language(), query).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(query.pattern_count() > 0, "{name} is empty");
    }
}

#[test]
fn a_fact_is_no_ordinary_comment() {
    let mut parser = Parser::new();
    parser
        .set_language(&language())
        .expect("the generated parser fits the library");
    let tree = parser
        .parse("#@ off\n# @ not\nx = '#@ no'\n", None)
        .expect("a tree");
    assert_eq!(
        tree.root_node().to_sexp(),
        "(program (fact) (comment) (assignment target: (identifier) value: (string (string_content))))"
    );
}
