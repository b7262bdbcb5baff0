//! Which files of a library see which abstractions and rules, and which abstractions need themselves.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::{ExprKind, File, Name};
use super::library::Source;

/// The file that `from` means by `path`: relative to its own folder.
pub(super) fn find(files: &[Source], from: &str, path: &str) -> Option<usize> {
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = if path.starts_with('/') {
        Vec::new()
    } else {
        folder.split('/').collect()
    };
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let wanted = parts.join("/");
    let wanted = wanted.trim_start_matches("./");
    let is_it = |file: &Source| {
        let path = file.path.trim_start_matches("./");
        path == wanted || path.trim_start_matches('/') == wanted.trim_start_matches('/')
    };
    files.iter().position(is_it)
}

/// What a file sees of a kind of definition, by name: its own, then those of the files that it imports, and so on.
pub(super) fn visible(
    files: &[Source],
    imports: &[Vec<Option<usize>>],
    file: usize,
    names: fn(&File) -> Vec<&Name>,
) -> FxHashMap<Arc<str>, (usize, usize)> {
    let mut found: FxHashMap<Arc<str>, (usize, usize)> = FxHashMap::default();
    let mut seen = FxHashSet::default();
    let mut open = VecDeque::from([file]);
    while let Some(one) = open.pop_front() {
        if !seen.insert(one) {
            continue;
        }
        for (number, name) in names(&files[one].parse.file).into_iter().enumerate() {
            found.entry(Arc::clone(&name.text)).or_insert((one, number));
        }
        open.extend(imports[one].iter().flatten());
    }
    found
}

/// The names of a file's abstractions.
pub(super) fn abstractions(file: &File) -> Vec<&Name> {
    file.abstractions.iter().map(|one| &one.name).collect()
}

/// The names of the rules that a file lists.
pub(super) fn rules(file: &File) -> Vec<&Name> {
    file.rules.iter().map(|one| &one.name).collect()
}

/// The abstractions that need themselves.
pub(super) fn cyclic_abstractions(
    files: &[Source],
    imports: &[Vec<Option<usize>>],
) -> FxHashSet<(usize, usize)> {
    let mut uses: FxHashMap<(usize, usize), Vec<(usize, usize)>> = FxHashMap::default();
    for (file, source) in files.iter().enumerate() {
        let visible = visible(files, imports, file, abstractions);
        for (number, abstraction) in source.parse.file.abstractions.iter().enumerate() {
            let mut used = Vec::new();
            abstraction.body.walk(&mut |expr| {
                let name = match &expr.kind {
                    ExprKind::Name(name) => name,
                    ExprKind::Call(name, _) => &name.text,
                    _ => return,
                };
                let is_own = abstraction.parameters.iter().any(|own| own.text == *name);
                used.extend(visible.get(name).filter(|_| !is_own));
            });
            uses.insert((file, number), used);
        }
    }
    let reaches_itself = |start: (usize, usize)| {
        let mut seen = FxHashSet::default();
        let mut open = uses[&start].clone();
        while let Some(one) = open.pop() {
            if one == start {
                return true;
            }
            if seen.insert(one) {
                open.extend(uses.get(&one).into_iter().flatten());
            }
        }
        false
    };
    uses.keys()
        .copied()
        .filter(|one| reaches_itself(*one))
        .collect()
}
