//! Circles of imports between the files of a crate: who reads one file of a circle must read all of it.

use std::path::PathBuf;

use anyhow::{Context, Result};
use cargo_metadata::MetadataCommand;

use super::imports::{self, Imports};
use crate::workspace;

/// Files that a circle may have: a concept and its parts.
pub const MOST_FILES: usize = 5;

/// A circle of files.
pub struct Circle {
    /// Of the crate.
    pub name: String,
    /// In the order of their paths.
    pub files: Vec<PathBuf>,
    /// Which of them uses which, as numbers of files.
    pub ties: Vec<(usize, usize)>,
}

/// The largest circle of each crate of the workspace that has one, the largest first.
///
/// # Errors
/// A crate cannot be read.
pub fn largest() -> Result<Vec<Circle>> {
    let metadata = MetadataCommand::new()
        .manifest_path(workspace::root().join("Cargo.toml"))
        .no_deps()
        .exec()?;
    let mut largest = Vec::new();
    for package in metadata.workspace_packages() {
        for target in &package.targets {
            if !(target.is_lib() || target.is_bin()) {
                continue;
            }
            let imports = imports::read(target.src_path.as_std_path())
                .with_context(|| format!("the crate {}", package.name))?;
            let circle = circles(&imports).into_iter().max_by_key(Vec::len);
            if let Some(files) = circle {
                largest.push(named(&package.name, &imports, &files));
            }
        }
    }
    largest.sort_by_key(|circle| std::cmp::Reverse(circle.files.len()));
    Ok(largest)
}

fn named(name: &str, imports: &Imports, circle: &[usize]) -> Circle {
    let number = |file: usize| circle.iter().position(|other| *other == file);
    let ties = circle.iter().enumerate().flat_map(|(from, file)| {
        let used = imports.used[*file].iter();
        used.filter_map(move |to| Some((from, number(*to)?)))
    });
    Circle {
        name: name.to_owned(),
        ties: ties.collect(),
        files: circle
            .iter()
            .map(|file| imports.files[*file].clone())
            .collect(),
    }
}

/// The groups of at least two files each of which reaches each other (Tarjan's strongly connected components).
fn circles(imports: &Imports) -> Vec<Vec<usize>> {
    struct Walk<'a> {
        imports: &'a Imports,
        /// The how-manyth a file was that was met.
        met: Vec<Option<usize>>,
        stack: Vec<usize>,
        next: usize,
        found: Vec<Vec<usize>>,
    }
    impl Walk<'_> {
        fn visit(&mut self, file: usize) -> usize {
            let number = self.next;
            self.next += 1;
            self.met[file] = Some(number);
            self.stack.push(file);
            let mut lowest = number;
            for &to in &self.imports.used[file] {
                match self.met[to] {
                    None => lowest = lowest.min(self.visit(to)),
                    Some(met) if self.stack.contains(&to) => lowest = lowest.min(met),
                    Some(_) => {}
                }
            }
            if lowest == number {
                let from = self.stack.iter().rposition(|other| *other == file);
                let mut group = self.stack.split_off(from.unwrap_or_default());
                if group.len() > 1 {
                    group.sort_unstable_by_key(|file| &self.imports.files[*file]);
                    self.found.push(group);
                }
            }
            lowest
        }
    }
    let files = imports.files.len();
    let mut walk = Walk {
        imports,
        met: vec![None; files],
        stack: Vec::new(),
        next: 0,
        found: Vec::new(),
    };
    for file in 0..files {
        if walk.met[file].is_none() {
            walk.visit(file);
        }
    }
    walk.found
}

impl Circle {
    /// Its files, and what ties them, for a person who is to cut it.
    pub fn shown(&self) -> String {
        let file = |number: usize| self.files[number].display().to_string();
        let ties = self
            .ties
            .iter()
            .map(|(from, to)| format!("\n  {} uses {}", file(*from), file(*to)));
        format!(
            "{}: a circle of {} files{}",
            self.name,
            self.files.len(),
            ties.collect::<String>()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_reach_each_other_are_a_circle() {
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (5, 0)];
        let mut used = vec![std::collections::BTreeSet::new(); 6];
        for (from, to) in edges {
            used[from].insert(to);
        }
        let imports = Imports {
            files: (0..6)
                .map(|file| PathBuf::from(format!("{file}.rs")))
                .collect(),
            used,
        };
        let mut found = circles(&imports);
        found.sort();
        assert_eq!(found, [vec![0, 1, 2], vec![3, 4]]);
    }
}
