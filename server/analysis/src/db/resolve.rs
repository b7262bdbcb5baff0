//! Which function a call means: in its file, or behind a namespace; and which calls come back to their caller.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use sumac_syntax::ast::{ExprKind, FunctionDef};
use sumac_syntax::walk::{Node, walk};

use super::api::{Db, Settings};
use super::imports::Import;
use super::inputs::{Function, FunctionNames, SourceFile};
use super::unit::definition;
use crate::source_paths::source_paths;

/// Calls that are followed into one another: a function that leads deeper gives what it declares.
const MAX_CALL_DEPTH: usize = 8;
/// Functions that a call may lead to; where it may lead to more, it is not followed.
const MAX_REACHED: usize = 200;

/// What a `source` brings in.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Sourced {
    /// The file, where there is one.
    pub(crate) file: Option<SourceFile>,
    /// Whether there is none in any place where it could be.
    pub(crate) is_missing: bool,
    /// The path as written.
    pub(crate) literal: Arc<str>,
}

/// What a call's name leads to.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Lookup {
    /// A function.
    Function(Function),
    /// Its file could not be looked at.
    Unseen,
    /// Nothing sources the namespace; these are.
    NoNamespace(Arc<BTreeMap<Arc<str>, Sourced>>),
    /// The file has no such function; it has these. Most names in calls are those of builtins.
    NoFunction(Arc<FunctionNames>),
}

/// A function's head: what a caller must know of it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Declaration {
    /// Without its body.
    pub(crate) def: FunctionDef,
    pub(crate) has_body: bool,
}

/// The namespaces of a file. As SystemDS has it, the last `setwd` before a `source` counts.
#[salsa::tracked(returns(clone))]
pub(crate) fn namespaces(db: &dyn Db, file: SourceFile) -> Arc<BTreeMap<Arc<str>, Sourced>> {
    let workspace = Settings::get(db).workspace(db);
    let is_placed = file.options(db).base_dir.is_some();
    let mut found = BTreeMap::new();
    let mut working_dir: Option<Arc<str>> = None;
    for import in &*file.imports(db) {
        let (path, alias) = match import {
            Import::WorkingDir(path) => {
                working_dir = Some(Arc::clone(path));
                continue;
            }
            Import::Source { path, alias } => (path, alias),
        };
        let mut paths = source_paths(
            file.path(db),
            working_dir.as_deref(),
            path,
            &workspace.roots,
        );
        let all = paths.len();
        let folder = file.path(db).parent();
        let inside = workspace.roots.iter().map(PathBuf::as_path).chain(folder);
        paths.retain(|path| {
            workspace.may_leave || inside.clone().any(|folder| path.starts_with(folder))
        });
        if !is_placed {
            paths.clear();
        }
        let candidates = paths.iter().map(|path| db.source(path));
        let target = candidates
            .into_iter()
            .find(|candidate| candidate.exists(db));
        let sourced = Sourced {
            file: target,
            is_missing: target.is_none() && all > 0 && paths.len() == all,
            literal: Arc::clone(path),
        };
        found.entry(Arc::clone(alias)).or_insert(sourced);
    }
    Arc::new(found)
}

/// What `namespace::name` or `name` in a file leads to.
pub(crate) fn lookup(db: &dyn Db, file: SourceFile, namespace: Option<&str>, name: &str) -> Lookup {
    let file = match namespace {
        None => file,
        Some(namespace) => {
            let known = namespaces(db, file);
            match known.get(namespace) {
                None => return Lookup::NoNamespace(known),
                Some(Sourced { file: None, .. }) => return Lookup::Unseen,
                Some(Sourced {
                    file: Some(file), ..
                }) => *file,
            }
        }
    };
    let names = file.functions(db);
    // As in SystemDS, the last definition of a name counts.
    match names.get(name).and_then(|all| all.last()) {
        Some(function) => Lookup::Function(*function),
        None => Lookup::NoFunction(names),
    }
}

/// A function's head; `None` where there is no such function any more.
#[salsa::tracked(returns(clone))]
pub(crate) fn declaration(db: &dyn Db, function: Function) -> Option<Arc<Declaration>> {
    let unit = function.unit(db)?;
    let def = definition(&unit)?;
    let has_body = def.body.is_some();
    let def = FunctionDef {
        name: def.name.clone(),
        params: def.params.clone(),
        results: def.results.clone(),
        body: None,
        options: Vec::new(),
    };
    Some(Arc::new(Declaration { def, has_body }))
}

/// The functions that a function calls.
#[salsa::tracked(returns(clone))]
pub(crate) fn callees(db: &dyn Db, function: Function) -> Arc<Vec<Function>> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    if let Some(unit) = function.unit(db) {
        let file = function.file(db);
        walk(&unit.program, &mut |node| {
            if let Node::Expr(expr) = node
                && let ExprKind::Call(call) = &expr.kind
            {
                let namespace = call.namespace.as_ref().map(|ident| &*ident.name);
                if let Lookup::Function(callee) = lookup(db, file, namespace, &call.name.name)
                    && seen.insert(callee)
                {
                    found.push(callee);
                }
            }
        });
    }
    Arc::new(found)
}

/// Where a function leads.
#[derive(PartialEq, Debug)]
pub(crate) struct Reach {
    /// Every function that a call of it may come to.
    pub(crate) functions: HashSet<Function>,
    /// Calls that are followed into one another from it on, itself included; `None` where these are too many.
    pub(crate) height: Option<usize>,
}

/// Where a function leads. Recursion is cut here, by names alone: a call that may come back to its caller gives what
/// the function declares, so following calls always ends, in whatever order they are asked for.
#[salsa::tracked(returns(clone))]
pub(crate) fn reach(db: &dyn Db, function: Function) -> Arc<Reach> {
    let mut order: Vec<Function> = vec![function];
    let mut numbers: HashMap<Function, usize> = [(function, 0)].into();
    let mut calls: Vec<Vec<usize>> = Vec::new();
    while let Some(next) = order.get(calls.len()).copied() {
        let mut own = Vec::new();
        for callee in &*callees(db, next) {
            let number = *numbers.entry(*callee).or_insert_with(|| {
                order.push(*callee);
                order.len() - 1
            });
            own.push(number);
        }
        calls.push(own);
        if order.len() > MAX_REACHED {
            let functions = order.into_iter().collect();
            return Arc::new(Reach {
                functions,
                height: None,
            });
        }
    }
    let reached: Vec<HashSet<usize>> = (0..order.len()).map(|from| closure(&calls, from)).collect();
    let mut by_reach: Vec<usize> = (0..order.len()).collect();
    // What a followed call leads to reaches less than the caller does.
    by_reach.sort_by_key(|at| reached[*at].len() + usize::from(!reached[*at].contains(at)));
    let mut heights = vec![1; order.len()];
    for at in by_reach {
        let followed = calls[at].iter().filter(|to| !reached[**to].contains(&at));
        heights[at] = 1 + followed.map(|to| heights[*to]).max().unwrap_or(0);
    }
    Arc::new(Reach {
        functions: reached[0].iter().map(|at| order[*at]).collect(),
        height: Some(heights[0]).filter(|height| *height <= MAX_CALL_DEPTH),
    })
}

/// What is reached by at least one call.
fn closure(calls: &[Vec<usize>], from: usize) -> HashSet<usize> {
    let mut found = HashSet::new();
    let mut stack = calls[from].clone();
    while let Some(at) = stack.pop() {
        if found.insert(at) {
            stack.extend(&calls[at]);
        }
    }
    found
}
