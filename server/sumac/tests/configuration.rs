//! The pages and the extension say about configuration what the program does.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use sumac::config;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn page() -> String {
    std::fs::read_to_string(root().join("docs/configuration.md")).unwrap()
}

/// The first block of the page in a language.
fn block<'a>(page: &'a str, language: &str) -> &'a str {
    let open = format!("```{language}\n");
    let start = page.find(&open).expect("the page has an example") + open.len();
    &page[start..start + page[start..].find("```").expect("it ends")]
}

#[test]
fn the_example_of_the_page_is_read_without_a_problem_and_shows_every_key() {
    let page = page();
    let (layer, problems) = config::read(block(&page, "toml"));
    assert_eq!(problems, []);
    let shown = serde_json::to_value(layer.config()).unwrap();
    for (section, keys) in config::keys() {
        assert!(
            shown[section].as_object().is_some_and(|s| !s.is_empty()),
            "[{section}]"
        );
        for key in keys {
            assert!(!shown[section][key].is_null(), "{key} in [{section}]");
        }
    }
}

#[test]
fn the_lines_of_the_page_that_allow_are_read() {
    let page = page();
    let parse = sumac_syntax::parse(block(&page, "r"));
    let is_allow = |fact: &sumac_syntax::ast::Fact| {
        matches!(fact.kind, sumac_syntax::ast::FactKind::Allow { .. })
    };
    assert_eq!(parse.program().facts.len(), 2);
    assert!(parse.program().facts.iter().all(is_allow));
}

fn camel(word: &str) -> String {
    let mut parts = word.split('-');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |word, part| {
        word + &part[..1].to_uppercase() + &part[1..]
    })
}

#[test]
fn the_extension_offers_every_key_and_leaves_what_is_not_set_to_the_file() {
    let package = root().join("editor-extension/vscode/package.json");
    let package: Value = serde_json::from_str(&std::fs::read_to_string(package).unwrap()).unwrap();
    let offered = package["contributes"]["configuration"]["properties"]
        .as_object()
        .unwrap();
    let mut expected = BTreeSet::new();
    for (section, keys) in config::keys() {
        let section = camel(section);
        match (section.as_str(), keys.is_empty()) {
            ("diagnostics", _) => expected.insert("sumac.diagnostics.severity".to_owned()),
            (_, true) => expected.insert(format!("sumac.{section}")),
            _ => {
                expected.extend(
                    keys.iter()
                        .map(|key| format!("sumac.{section}.{}", camel(key))),
                );
                true
            }
        };
    }
    // How the extension itself starts the server is no business of the server's.
    let own = |key: &&String| !key.starts_with("sumac.server.") && !key.starts_with("sumac.trace.");
    let found: BTreeSet<String> = offered.keys().filter(own).cloned().collect();
    assert_eq!(found, expected);
    for key in &expected {
        assert!(
            offered[key]["default"].is_null(),
            "{key}: a default would hide the file's value"
        );
    }
}
