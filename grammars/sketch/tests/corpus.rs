//! The corpus of `test/corpus`, read without the command-line tool.

use std::fs;
use std::path::Path;

use tree_sitter::{Language, Parser};

/// The blocks of a corpus file: name and attributes, input, tree.
fn cases(corpus: &str) -> Vec<(String, String, String)> {
    let rule = "=".repeat(80);
    let line = "-".repeat(80);
    let mut parts = corpus.split(rule.as_str()).skip(1);
    let mut found = Vec::new();
    while let Some((head, body)) = parts.next().zip(parts.next()) {
        let (input, tree) = body.split_once(line.as_str()).expect("input and tree");
        let tree = tree.split_whitespace().collect::<Vec<_>>().join(" ");
        found.push((head.to_owned(), input.to_owned(), tree.replace(" )", ")")));
    }
    found
}

#[test]
fn every_corpus_case_parses_as_written() {
    let mut parser = Parser::new();
    parser
        .set_language(&Language::new(tree_sitter_sketch::LANGUAGE))
        .expect("the generated parser fits the library");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/corpus");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the corpus")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    assert_eq!(files.len(), 4, "every chapter has a file");
    for file in files {
        let cases = cases(&fs::read_to_string(&file).expect("a text"));
        assert!(cases.len() >= 3, "{} has few cases", file.display());
        for (head, input, expected) in cases {
            let tree = parser.parse(&input, None).expect("a tree");
            if head.contains(":error") {
                assert!(tree.root_node().has_error(), "{head} is read without error");
            } else {
                assert_eq!(tree.root_node().to_sexp(), expected, "{head}");
            }
        }
    }
}
