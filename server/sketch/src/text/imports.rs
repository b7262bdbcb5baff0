//! Which files of a library see which abstractions, and which abstractions need themselves.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::ExprKind;
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

/// The abstractions that a file sees: its own, then those of the files that it imports, and so on.
pub(super) fn visible(
    files: &[Source],
    imports: &[Vec<Option<usize>>],
    file: usize,
) -> FxHashMap<Arc<str>, (usize, usize)> {
    let mut found: FxHashMap<Arc<str>, (usize, usize)> = FxHashMap::default();
    let mut seen = FxHashSet::default();
    let mut open = VecDeque::from([file]);
    while let Some(one) = open.pop_front() {
        if !seen.insert(one) {
            continue;
        }
        for (number, abstraction) in files[one].parse.file.abstractions.iter().enumerate() {
            found
                .entry(Arc::clone(&abstraction.name.text))
                .or_insert((one, number));
        }
        open.extend(imports[one].iter().flatten());
    }
    found
}

/// The abstractions that need themselves.
pub(super) fn cyclic_abstractions(
    files: &[Source],
    imports: &[Vec<Option<usize>>],
) -> FxHashSet<(usize, usize)> {
    let mut uses: FxHashMap<(usize, usize), Vec<(usize, usize)>> = FxHashMap::default();
    for (file, source) in files.iter().enumerate() {
        let visible = visible(files, imports, file);
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
