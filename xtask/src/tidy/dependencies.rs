//! What a package asks for it also uses: each dependency is named by its sources, each version in the root by a package.
//!
//! A name is looked for in the text, strings and comments included: what is missed that way is rare, what is found is unused.
//! Features that only switch on something of another package have a line in [`BY_NAME_ONLY`].

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use cargo_metadata::{MetadataCommand, Package};

use crate::workspace;

/// Dependencies that are there for a feature of another package, and why.
const BY_NAME_ONLY: [(&str, &str); 1] = [(
    "flate2",
    "it chooses the part of `zip` that inflates in safe Rust",
)];

/// What is asked for and not used, each with its file.
///
/// # Errors
/// Cargo does not answer, or a file cannot be read.
pub fn unused() -> Result<Vec<String>> {
    let metadata = MetadataCommand::new()
        .manifest_path(workspace::root().join("Cargo.toml"))
        .no_deps()
        .exec()?;
    let mut found = Vec::new();
    let mut asked_for = BTreeSet::new();
    for package in metadata.workspace_packages() {
        let words = words_of(package)?;
        for dependency in &package.dependencies {
            asked_for.insert(dependency.name.clone());
            let name = dependency.rename.as_ref().unwrap_or(&dependency.name);
            let is_listed = BY_NAME_ONLY.iter().any(|(known, _)| known == name);
            if !is_listed && !words.contains(&name.replace('-', "_")) {
                let manifest = package.manifest_path.strip_prefix(workspace::root());
                let manifest = manifest.unwrap_or(&package.manifest_path);
                found.push(format!("{manifest}: `{name}` is used nowhere"));
            }
        }
    }
    for name in versions()? {
        if !asked_for.contains(&name) {
            found.push(format!("Cargo.toml: no package asks for `{name}`"));
        }
    }
    Ok(found)
}

/// All words in the Rust sources of a package.
fn words_of(package: &Package) -> Result<BTreeSet<String>> {
    let folder = package.manifest_path.parent();
    let folder = folder.context("a manifest lies in a folder")?;
    let mut words = BTreeSet::new();
    gather(folder.as_std_path(), &mut words)?;
    Ok(words)
}

fn gather(folder: &Path, words: &mut BTreeSet<String>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            gather(&path, words)?;
        } else if path.extension().is_some_and(|it| it == "rs") {
            words.extend(words_in(&fs::read_to_string(&path)?));
        }
    }
    Ok(())
}

fn words_in(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty()).map(str::to_owned)
}

/// The packages whose versions the root writes down.
fn versions() -> Result<Vec<String>> {
    let text = fs::read_to_string(workspace::root().join("Cargo.toml"))?;
    let root: toml::Table = text.parse()?;
    let table = root["workspace"]["dependencies"].as_table();
    let table = table.context("the root has a table of dependencies")?;
    let name = |(key, value): (&String, &toml::Value)| {
        let package = value.get("package").and_then(toml::Value::as_str);
        package.unwrap_or(key).to_owned()
    };
    Ok(table.iter().map(name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dependency_of_the_workspace_is_used() {
        let found = unused().unwrap();
        assert!(found.is_empty(), "{}", found.join("\n"));
    }

    #[test]
    fn words_are_whole_names() {
        let words: Vec<String> = words_in("use serde_json::Value; // la-la").collect();
        assert_eq!(words, ["use", "serde_json", "Value", "la", "la"]);
    }
}
