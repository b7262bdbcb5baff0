//! The direction of the dependencies, and who may use what: read from `cargo metadata` and from the sources.
//!
//! These tests know the names of the crates and nothing else about them. A new crate is added to [`LAYERS`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

/// Lowest first: a crate may depend only on crates before it. Not all of them exist yet.
const LAYERS: [&str; 22] = [
    "tree-sitter-dml",
    "tree-sitter-sketch",
    "sumac-text",
    "sumac-syntax",
    "sumac-la",
    "sumac-cost",
    "sumac-language",
    "sumac-python",
    "sumac-builtins",
    "sumac-analysis",
    "sumac-sketch",
    "sumac-sumproduct",
    "sumac-fusion",
    "sumac-vectors",
    "sumac-array",
    "sumac-decompose",
    "sumac-forkjoin",
    "sumac-runtime",
    "sumac-advice",
    "sumac-engine",
    "sumac-ide",
    "sumac",
];

/// Crates that are no part of the product: they may look at all of it, and nothing may look at them.
const OUTSIDE: [&str; 3] = ["sumac-tests", "xtask", "sumac-bench"];

/// Crates that must not know each other, not even through a third one.
const STRANGERS: [&[&str]; 9] = [
    &["sumac-syntax", "sumac-la"],
    &["sumac-syntax", "sumac-cost"],
    &["sumac-syntax", "sumac-sketch"],
    &["sumac-syntax", "sumac-array"],
    &["sumac-analysis", "sumac-cost"],
    &["sumac-python", "sumac-syntax"],
    &["sumac-python", "sumac-advice"],
    &["sumac-language", "sumac-syntax"],
    &["sumac-sumproduct", "sumac-fusion", "sumac-array"],
];

/// Libraries that speak the editor protocol, and the only crate that may use them.
const PROTOCOL: [&str; 5] = [
    "tower-lsp-server",
    "tower-lsp",
    "lsp-types",
    "ls-types",
    "lsp-server",
];
const SPEAKER: &str = "sumac";

/// The kernels and their threads, the machine code, and the calls that hand over the generated parsers.
const MAY_BE_UNSAFE: [&str; 5] = [
    "sumac-forkjoin",
    "sumac-runtime",
    "sumac-array",
    "tree-sitter-dml",
    "tree-sitter-sketch",
];

/// Names of the workspace crates that each workspace crate depends on.
type Graph = BTreeMap<String, BTreeSet<String>>;

fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo describes this workspace")
}

fn graph(metadata: &Metadata, counted: fn(DependencyKind) -> bool) -> Graph {
    let members: BTreeSet<&str> = metadata.packages.iter().map(|p| p.name.as_str()).collect();
    let edges = |package: &Package| {
        package
            .dependencies
            .iter()
            .filter(|d| counted(d.kind) && members.contains(d.name.as_str()))
            .map(|d| d.name.clone())
            .collect()
    };
    metadata
        .packages
        .iter()
        .map(|p| (p.name.to_string(), edges(p)))
        .collect()
}

/// Each edge that does not point to an earlier layer, as a sentence.
fn wrong_directions(graph: &Graph) -> Vec<String> {
    let layer = |name: &str| LAYERS.iter().position(|known| *known == name);
    let mut found = Vec::new();
    for (user, used) in graph
        .iter()
        .filter(|(name, _)| !OUTSIDE.contains(&name.as_str()))
    {
        if layer(user).is_none() {
            found.push(format!("{user} has no place in LAYERS"));
            continue;
        }
        for name in used {
            if layer(name) >= layer(user) || layer(name).is_none() {
                found.push(format!("{user} must not depend on {name}"));
            }
        }
    }
    found
}

/// Everything reachable from a crate, without itself.
fn reachable(graph: &Graph, from: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from.to_owned()];
    while let Some(name) = open.pop() {
        for next in graph.get(&name).into_iter().flatten() {
            if seen.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    seen
}

/// Each pair of strangers of which one knows the other, as a sentence.
fn acquainted(graph: &Graph) -> Vec<String> {
    let mut found = Vec::new();
    for group in STRANGERS {
        for user in group {
            let known = reachable(graph, user);
            for other in group.iter().filter(|other| known.contains(**other)) {
                found.push(format!("{user} must not know {other}"));
            }
        }
    }
    found
}

fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            if !path.ends_with("target") && !path.ends_with("node_modules") {
                rust_files(&path, into);
            }
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

/// Whether code on this line, as opposed to a comment, has to do with `unsafe`.
fn is_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    // `unsafe_code` covers a crate that lifts the lint; forbidding it is what everyone should do.
    let lifts = code.contains("unsafe_code") && !code.contains("deny") && !code.contains("forbid");
    lifts
        || [
            "unsafe {",
            "unsafe fn",
            "unsafe impl",
            "unsafe extern",
            "unsafe trait",
        ]
        .iter()
        .any(|w| code.contains(w))
}

#[test]
fn dependencies_point_to_earlier_layers() {
    let found = wrong_directions(&graph(&metadata(), |_| true));
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn strangers_do_not_know_each_other() {
    // Tests may bring strangers together; the code of one may not reach the other.
    let found = acquainted(&graph(&metadata(), |kind| {
        kind != DependencyKind::Development
    }));
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn only_the_binary_speaks_the_protocol() {
    let metadata = metadata();
    for package in metadata
        .packages
        .iter()
        .filter(|p| p.name.as_str() != SPEAKER)
    {
        for dependency in &package.dependencies {
            assert!(
                !PROTOCOL.contains(&dependency.name.as_str()),
                "{} must not depend on {}: only {SPEAKER} speaks the protocol",
                package.name,
                dependency.name
            );
        }
    }
}

#[test]
fn only_kernels_are_unsafe() {
    for package in metadata().packages {
        if MAY_BE_UNSAFE.contains(&package.name.as_str())
            || OUTSIDE.contains(&package.name.as_str())
        {
            continue;
        }
        let folder = package
            .manifest_path
            .parent()
            .expect("a manifest lies in a folder");
        let mut files = Vec::new();
        rust_files(folder.as_std_path(), &mut files);
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a source is text");
            for (line, content) in (1..).zip(text.lines()) {
                assert!(
                    !is_unsafe(content),
                    "{}:{line}: unsafe code belongs to the kernels",
                    file.display()
                );
            }
        }
    }
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    for package in metadata().packages {
        let manifest = std::fs::read_to_string(&package.manifest_path).expect("a manifest is text");
        assert!(
            manifest.contains("[lints]\nworkspace = true"),
            "{}: add\n[lints]\nworkspace = true",
            package.manifest_path
        );
    }
}

/// The checks themselves, on graphs that break the rules.
mod checks {
    use super::*;

    fn graph_of(edges: &[(&str, &str)]) -> Graph {
        let mut graph = Graph::new();
        for (user, used) in edges {
            graph
                .entry((*user).to_owned())
                .or_default()
                .insert((*used).to_owned());
        }
        graph
    }

    #[test]
    fn an_upward_dependency_is_found() {
        let found = wrong_directions(&graph_of(&[
            ("sumac-la", "sumac-ide"),
            ("sumac-ide", "sumac-la"),
        ]));
        assert_eq!(found, ["sumac-la must not depend on sumac-ide"]);
    }

    #[test]
    fn a_dependency_on_the_tests_and_an_unknown_crate_are_found() {
        let found = wrong_directions(&graph_of(&[
            ("sumac", "sumac-tests"),
            ("sumac-new", "sumac-la"),
        ]));
        assert_eq!(
            found,
            [
                "sumac must not depend on sumac-tests",
                "sumac-new has no place in LAYERS"
            ]
        );
    }

    #[test]
    fn strangers_meeting_through_a_third_crate_are_found() {
        let found = acquainted(&graph_of(&[
            ("sumac-array", "between"),
            ("between", "sumac-fusion"),
        ]));
        assert_eq!(found, ["sumac-array must not know sumac-fusion"]);
    }

    #[test]
    fn unsafe_counts_in_code_only() {
        assert!(is_unsafe("    unsafe { go() }") && is_unsafe("#![allow(unsafe_code)]"));
        assert!(!is_unsafe("// unsafe { go() }") && !is_unsafe("#![forbid(unsafe_code)]"));
    }
}
