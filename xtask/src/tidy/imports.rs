//! Which file of a crate uses names of which other: read from `use` declarations and from paths in the code.
//!
//! A name that a module only hands on (`pub use`) belongs to the file that defines it: neither the declaration nor a use through it
//! ties anything to the module in between. Tests count for nothing. Tokens of macros are read as paths, too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// Names from the root of the crate down.
type Place = Vec<String>;

/// The files of a crate, and for each those whose names it uses.
pub(super) struct Imports {
    /// Beside the root of the crate.
    pub(super) files: Vec<PathBuf>,
    pub(super) used: Vec<BTreeSet<usize>>,
}

/// What a module holds.
#[derive(Default)]
struct Module {
    file: usize,
    children: BTreeSet<String>,
    /// Names that are imported here, with where from; handed on or not.
    imported: BTreeMap<String, Place>,
    /// Modules of which all names are imported.
    globs: Vec<Place>,
    /// Names of items.
    defined: BTreeSet<String>,
}

/// Reads the crate whose root module is this file.
///
/// # Errors
/// A file cannot be read, or is no Rust.
pub(super) fn read(root: &Path) -> Result<Imports> {
    let mut reader = Reader {
        folder: root.parent().unwrap_or(Path::new("")).to_owned(),
        files: Vec::new(),
        modules: BTreeMap::new(),
        paths: Vec::new(),
    };
    reader.file(root, &Vec::new())?;
    Ok(reader.resolve())
}

struct Reader {
    folder: PathBuf,
    files: Vec<PathBuf>,
    modules: BTreeMap<Place, Module>,
    /// Where a path stands: module, and its names as written.
    paths: Vec<(Place, Vec<String>)>,
}

impl Reader {
    fn file(&mut self, path: &Path, place: &Place) -> Result<()> {
        let text =
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let parsed = syn::parse_file(&text)
            .with_context(|| format!("{} cannot be parsed", path.display()))?;
        let number = self.files.len();
        let beside = path.strip_prefix(&self.folder).unwrap_or(path);
        self.files.push(beside.to_owned());
        // `a.rs` and `a/mod.rs` have their modules in `a`.
        let stem = path.file_stem().unwrap_or_default();
        let parent = path.parent().unwrap_or(Path::new(""));
        let folder = if place.is_empty() || stem == "mod" {
            parent.to_owned()
        } else {
            parent.join(stem)
        };
        self.items(&parsed.items, number, place, &folder)
    }

    fn items(
        &mut self,
        items: &[syn::Item],
        file: usize,
        place: &Place,
        folder: &Path,
    ) -> Result<()> {
        let mut module = Module {
            file,
            ..Module::default()
        };
        let mut inner = Vec::new();
        for item in items.iter().filter(|item| !is_test(item)) {
            match item {
                syn::Item::Mod(child) => {
                    module.children.insert(child.ident.to_string());
                    inner.push(child);
                }
                syn::Item::Use(used) => {
                    let is_handed_on = !matches!(used.vis, syn::Visibility::Inherited);
                    let mut leaves = Vec::new();
                    leaves_of(&used.tree, &mut Vec::new(), &mut leaves);
                    for (path, name) in leaves {
                        match name {
                            Some(name) => {
                                module.imported.insert(name, path.clone());
                            }
                            None => module.globs.push(path.clone()),
                        }
                        if !is_handed_on {
                            self.paths.push((place.clone(), path));
                        }
                    }
                }
                item => {
                    module.defined.extend(name_of(item));
                    let mut paths = Paths(Vec::new());
                    paths.visit_item(item);
                    let found = paths.0.into_iter();
                    self.paths.extend(found.map(|path| (place.clone(), path)));
                }
            }
        }
        self.modules.insert(place.clone(), module);
        for child in inner {
            let name = child.ident.to_string();
            let mut below = place.clone();
            below.push(name.clone());
            if let Some((_, items)) = &child.content {
                self.items(items, file, &below, &folder.join(&name))?;
                continue;
            }
            let candidates = [
                folder.join(format!("{name}.rs")),
                folder.join(&name).join("mod.rs"),
            ];
            let path = candidates.iter().find(|path| path.is_file());
            let path = path.with_context(|| format!("no file for the module {name}"))?;
            self.file(path, &below)?;
        }
        Ok(())
    }

    fn resolve(self) -> Imports {
        let mut used = vec![BTreeSet::new(); self.files.len()];
        for (place, path) in &self.paths {
            let from = self.modules[place].file;
            if let Some(to) = self.defining(place, path, 0)
                && to != from
            {
                used[from].insert(to);
            }
        }
        Imports {
            files: self.files,
            used,
        }
    }

    /// The file that defines what a path in a module names; `None` where it is another crate's or a local name.
    fn defining(&self, place: &Place, path: &[String], depth: usize) -> Option<usize> {
        /// Names that are handed on by more modules than these go in a circle.
        const DEEPEST: usize = 12;
        let (first, rest) = path.split_first()?;
        if depth > DEEPEST {
            return None;
        }
        let module = &self.modules[place];
        match first.as_str() {
            "crate" | "$crate" => return self.below(&Vec::new(), rest, depth),
            "self" => return self.below(place, rest, depth),
            "super" => {
                let (_, parent) = place.split_last()?;
                let parent = parent.to_vec();
                return if rest.first().is_some_and(|name| name == "super") {
                    self.defining(&parent, rest, depth + 1)
                } else {
                    self.below(&parent, rest, depth)
                };
            }
            _ => {}
        }
        if module.children.contains(first) {
            return self.below(place, path, depth);
        }
        // A name that is imported here stands for what it names.
        let target = module.imported.get(first)?;
        let mut whole = target.clone();
        whole.extend_from_slice(rest);
        if whole == path {
            return None;
        }
        self.defining(place, &whole, depth + 1)
    }

    /// The file that defines names below a module.
    fn below(&self, place: &Place, path: &[String], depth: usize) -> Option<usize> {
        let module = self.modules.get(place)?;
        let Some((first, rest)) = path.split_first() else {
            return Some(module.file);
        };
        if module.children.contains(first) {
            let mut child = place.clone();
            child.push(first.clone());
            if self.modules.contains_key(&child) {
                return self.below(&child, rest, depth);
            }
        }
        if let Some(target) = module.imported.get(first) {
            let mut whole = target.clone();
            whole.extend_from_slice(rest);
            if let Some(file) = self.defining(place, &whole, depth + 1) {
                return Some(file);
            }
        }
        let all = module
            .globs
            .iter()
            .filter(|_| !module.defined.contains(first));
        for target in all {
            let mut whole = target.clone();
            whole.push(first.clone());
            if let Some(file) = self.defining(place, &whole, depth + 1)
                && file != module.file
            {
                return Some(file);
            }
        }
        Some(module.file)
    }
}

/// The name of an item that others can use.
fn name_of(item: &syn::Item) -> Option<String> {
    let name = match item {
        syn::Item::Const(item) => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Static(item) => &item.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Trait(item) => &item.ident,
        syn::Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// The paths of a tree of imports, each with the name that it has here; none where all names are meant.
fn leaves_of(
    tree: &syn::UseTree,
    before: &mut Vec<String>,
    leaves: &mut Vec<(Vec<String>, Option<String>)>,
) {
    match tree {
        syn::UseTree::Path(path) => {
            before.push(path.ident.to_string());
            leaves_of(&path.tree, before, leaves);
            before.pop();
        }
        syn::UseTree::Name(name) => {
            let name = name.ident.to_string();
            let mut path = before.clone();
            let here = if name == "self" {
                path.last().cloned()
            } else {
                path.push(name.clone());
                Some(name)
            };
            leaves.push((path, here));
        }
        syn::UseTree::Rename(renamed) => {
            let mut path = before.clone();
            path.push(renamed.ident.to_string());
            leaves.push((path, Some(renamed.rename.to_string())));
        }
        syn::UseTree::Glob(_) => leaves.push((before.clone(), None)),
        syn::UseTree::Group(group) => {
            for tree in &group.items {
                leaves_of(tree, before, leaves);
            }
        }
    }
}

fn is_test(item: &syn::Item) -> bool {
    let attributes = match item {
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        _ => return false,
    };
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else {
            return false;
        };
        list.path.is_ident("cfg") && list.tokens.to_string() == "test"
    })
}

/// All paths of several names in some code.
struct Paths(Vec<Vec<String>>);

impl<'a> Visit<'a> for Paths {
    fn visit_path(&mut self, path: &'a syn::Path) {
        if path.segments.len() > 1 {
            let names = path.segments.iter().map(|s| s.ident.to_string());
            self.0.push(names.collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'a syn::Macro) {
        self.tokens(called.tokens.clone());
        visit::visit_macro(self, called);
    }
}

impl Paths {
    /// Paths among the tokens of a macro.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.end(&mut path);
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                other => {
                    self.end(&mut path);
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.end(&mut path);
    }

    fn end(&mut self, path: &mut Vec<String>) {
        let path = std::mem::take(path);
        if path.len() > 1 {
            self.0.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imports(files: &[(&str, &str)]) -> Vec<(String, String)> {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("made");
            fs::write(path, text).expect("written");
        }
        let imports = read(&folder.path().join("lib.rs")).expect("a crate");
        let name = |file: usize| imports.files[file].display().to_string();
        let edges = imports.used.iter().enumerate();
        edges
            .flat_map(|(from, used)| used.iter().map(move |to| (from, *to)))
            .map(|(from, to)| (name(from), name(to)))
            .collect()
    }

    fn pair(from: &str, to: &str) -> (String, String) {
        (from.to_owned(), to.to_owned())
    }

    #[test]
    fn a_name_that_is_handed_on_belongs_to_the_file_that_defines_it() {
        let edges = imports(&[
            ("lib.rs", "mod a;\nmod b;\npub use a::deep::Thing;\n"),
            ("a/mod.rs", "pub mod deep;\n"),
            ("a/deep.rs", "pub struct Thing;\n"),
            ("b.rs", "use crate::Thing;\nfn f(_: Thing) {}\n"),
        ]);
        assert_eq!(edges, [pair("b.rs", "a/deep.rs")]);
    }

    #[test]
    fn paths_in_code_macros_and_through_imported_modules_count_and_tests_do_not() {
        let edges = imports(&[
            ("lib.rs", "mod a;\nmod b;\nmod c;\nmod d;\nmod e;\n"),
            (
                "a.rs",
                "use super::b;\nfn f() { b::g(); assert!(crate::c::ok()); }\n",
            ),
            ("b.rs", "pub fn g() { let _: crate::d::T; }\n"),
            ("c.rs", "pub fn ok() -> bool { std::mem::drop(1); true }\n"),
            (
                "d.rs",
                "pub struct T;\n#[cfg(test)]\nmod tests { use crate::e::X; }\n#[cfg(test)]\nuse crate::a;\n",
            ),
            ("e.rs", "pub struct X;\n"),
        ]);
        assert_eq!(
            edges,
            [
                pair("a.rs", "b.rs"),
                pair("a.rs", "c.rs"),
                pair("b.rs", "d.rs")
            ]
        );
    }
}
