//! What a name means: modules and what is in them, as imports say.
//!
//! A name that is given anything else means nothing here. Must never take a name for NumPy's by its spelling alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::env::{Binding, Env};
use crate::parse::{Expr, Stmt};
use crate::scope::bound_names;

/// Libraries whose arrays look like NumPy's and are not.
const OTHERS: &[&str] = &["torch", "tensorflow", "cupy", "mxnet", "paddle"];

/// The names that a statement imports, each with the whole path; `None` where any name may be bound: `from m import *`.
pub(crate) fn imported(statement: &Stmt) -> Option<Vec<(Arc<str>, Arc<str>)>> {
    match statement {
        Stmt::Import(import) => {
            let name = |alias: &crate::parse::Alias| match &alias.asname {
                Some(asname) => (Arc::from(asname.as_str()), Arc::from(alias.name.as_str())),
                None => {
                    let first = alias.name.split('.').next().unwrap_or_default();
                    (Arc::from(first), Arc::from(first))
                }
            };
            Some(import.names.iter().map(name).collect())
        }
        Stmt::ImportFrom(import) => {
            let module = import.module.as_ref().map_or("", |module| module.as_str());
            let dots = ".".repeat(import.level as usize);
            let mut names = Vec::new();
            for alias in &import.names {
                if alias.name.as_str() == "*" {
                    return None;
                }
                let name = alias.asname.as_ref().unwrap_or(&alias.name);
                let path = format!("{dots}{module}.{}", alias.name.as_str());
                names.push((Arc::from(name.as_str()), Arc::from(path)));
            }
            Some(names)
        }
        _ => Some(Vec::new()),
    }
}

/// What functions see of their module: the names that are imported, and nothing else, ever.
pub(crate) fn seen_by_functions(body: &[Stmt], never: &BTreeSet<Arc<str>>) -> Env {
    let mut found: BTreeMap<Arc<str>, Option<Arc<str>>> = BTreeMap::new();
    let mut is_starred = false;
    visit(body, &mut |statement| {
        if matches!(statement, Stmt::Import(_) | Stmt::ImportFrom(_)) {
            let Some(names) = imported(statement) else {
                for path in found.values_mut() {
                    *path = None;
                }
                is_starred = true;
                return;
            };
            for (name, path) in names {
                let known = found.entry(name).or_insert(Some(Arc::clone(&path)));
                if known.as_ref() != Some(&path) {
                    *known = None;
                }
            }
        }
    });
    let mut env = Env::default();
    env.is_starred = is_starred;
    let bound = bound_names(body);
    let others = crate::scope::bound_otherwise(body);
    for name in bound.keys() {
        let path = found.get(name).cloned().flatten();
        let binding = match path {
            Some(path) if !others.contains(name) && !never.contains(name) => Binding::Path(path),
            _ => Binding::Unknown,
        };
        env.set(name, binding);
    }
    env
}

/// Whether a program imports NumPy or JAX, and whether another library with arrays.
pub(crate) fn libraries(body: &[Stmt]) -> (bool, bool) {
    let (mut numpy, mut other) = (false, false);
    let mut note = |path: &str| {
        let first = path.split('.').next().unwrap_or_default();
        numpy |= first == "numpy" || first == "jax";
        other |= OTHERS.contains(&first);
    };
    visit(body, &mut |statement| match statement {
        Stmt::Import(import) => import.names.iter().for_each(|alias| note(&alias.name)),
        Stmt::ImportFrom(import) => {
            if let Some(module) = &import.module {
                note(module);
            }
        }
        _ => {}
    });
    (numpy, other)
}

/// All statements outside of functions and classes, in their order.
fn visit(body: &[Stmt], each: &mut dyn FnMut(&Stmt)) {
    for statement in body {
        each(statement);
        match statement {
            Stmt::If(branch) => {
                visit(&branch.body, each);
                for clause in &branch.elif_else_clauses {
                    visit(&clause.body, each);
                }
            }
            Stmt::Try(attempt) => {
                visit(&attempt.body, each);
                for handler in &attempt.handlers {
                    let crate::parse::ExceptHandler::ExceptHandler(handler) = handler;
                    visit(&handler.body, each);
                }
                visit(&attempt.orelse, each);
                visit(&attempt.finalbody, each);
            }
            Stmt::With(with) => visit(&with.body, each),
            Stmt::For(each_of) => {
                visit(&each_of.body, each);
                visit(&each_of.orelse, each);
            }
            Stmt::While(again) => {
                visit(&again.body, each);
                visit(&again.orelse, each);
            }
            _ => {}
        }
    }
}

/// The whole path of what an expression names, `numpy.linalg.inv`, with `jax.numpy` as NumPy. Names of Python itself are in
/// `builtins`.
pub(crate) fn path(expr: &Expr, env: &Env) -> Option<String> {
    let path = raw_path(expr, env)?;
    Some(match path.strip_prefix("jax.numpy") {
        Some(rest) if rest.is_empty() || rest.starts_with('.') => format!("numpy{rest}"),
        _ => path,
    })
}

/// The whole path as it was imported.
pub(crate) fn raw_path(expr: &Expr, env: &Env) -> Option<String> {
    match expr {
        Expr::Name(name) => match env.get(&name.id) {
            Some(Binding::Path(path)) => Some(path.to_string()),
            None if !env.is_starred && is_builtin(&name.id) => {
                Some(format!("builtins.{}", name.id))
            }
            _ => None,
        },
        Expr::Attribute(attribute) => {
            let base = raw_path(&attribute.value, env)?;
            Some(format!("{base}.{}", attribute.attr.as_str()))
        }
        _ => None,
    }
}

fn is_builtin(name: &str) -> bool {
    matches!(
        name,
        "abs" | "len" | "float" | "int" | "bool" | "complex" | "range" | "enumerate" | "print"
    )
}
