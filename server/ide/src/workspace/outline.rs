//! What other files can see of a script, and what it sees of them. Small: one is kept for every file of the workspace.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use sumac_syntax::Parse;
use sumac_syntax::ast::{FunctionDef, Ident, Param, Stmt, StmtKind};
use sumac_syntax::walk::{Node, walk};
use sumac_text::TextRange;

use super::occurrences::{Access, Occurrence, Role, occurrences, unquoted};

/// The outline of one file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outline {
    /// Of the text that it was made from.
    pub hash: u64,
    /// In the order of the text.
    pub functions: Vec<Function>,
    /// In the order of the text.
    pub sources: Vec<Source>,
    /// Calls of functions of this file and of namespaces, in the order of the text. Calls of SystemDS's own
    /// functions are left out.
    pub calls: Vec<CallSite>,
    /// The first assignment of each variable of the main program, in the order of the text.
    pub variables: Vec<Name>,
    /// Whether a part of the text could not be read.
    pub is_broken: bool,
}

/// A name at its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub name: Arc<str>,
    /// Its place.
    pub range: TextRange,
}

/// A function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// The whole definition.
    pub full_range: TextRange,
    /// In order.
    pub params: Vec<Parameter>,
    /// In order.
    pub results: Vec<Parameter>,
}

/// A parameter or result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: Name,
    /// Its type as written.
    pub ty: Option<Arc<str>>,
}

/// A `source` statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The whole statement.
    pub full_range: TextRange,
    /// The path as written, and the place between its quotes.
    pub path: Name,
    /// The namespace.
    pub alias: Option<Name>,
    /// The folder that a `setwd` before it names.
    pub work_dir: Option<Arc<str>>,
}

/// A call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallSite {
    /// `ns` in `ns::f(…)`.
    pub namespace: Option<Arc<str>>,
    /// The called function.
    pub name: Name,
    /// Which of the file's functions it stands in.
    pub function: Option<usize>,
    /// The named arguments.
    pub args: Vec<Name>,
}

impl Outline {
    /// The outline of a script.
    #[must_use]
    pub fn of(parse: &Parse) -> Self {
        let mut names = Names::default();
        let mut out = Outline {
            hash: hash(parse.text()),
            is_broken: parse.refusals().next().is_some(),
            ..Outline::default()
        };
        let mut work_dir = None;
        walk(parse.program(), &mut |node| {
            if let Node::Stmt(stmt) = node {
                out.statement(stmt, &mut work_dir, &mut names);
            }
        });
        let found = occurrences(parse.program());
        out.calls(&found, &mut names);
        let mut seen = BTreeSet::new();
        for found in &found {
            let is_main = found.function.is_none() && found.role == Role::Variable(Access::Write);
            if is_main && seen.insert(found.name.clone()) {
                out.variables.push(names.name(&found.name, found.range));
            }
        }
        out
    }

    /// The function of this name.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<(usize, &Function)> {
        let is_it = |(_, function): &(usize, &Function)| &*function.name.name == name;
        self.functions.iter().enumerate().find(is_it)
    }

    /// The statement that opens a namespace.
    #[must_use]
    pub fn source(&self, alias: &str) -> Option<&Source> {
        let is_it = |source: &&Source| source.alias.as_ref().is_some_and(|own| &*own.name == alias);
        self.sources.iter().find(is_it)
    }

    fn statement(&mut self, stmt: &Stmt, work_dir: &mut Option<Arc<str>>, names: &mut Names) {
        match &stmt.kind {
            StmtKind::Function(def) => self.functions.push(function(def, stmt.range, names)),
            StmtKind::Source {
                path: Some(path),
                alias,
            } => self.sources.push(Source {
                full_range: stmt.range,
                path: names.name(&path.value, unquoted(path)),
                alias: alias.as_ref().map(|alias| names.ident(alias)),
                work_dir: work_dir.clone(),
            }),
            StmtKind::SetWd { path: Some(path) } => *work_dir = Some(path.value.clone()),
            _ => {}
        }
    }

    fn calls(&mut self, found: &[Occurrence], names: &mut Names) {
        for Occurrence {
            range,
            name,
            function,
            role,
        } in found
        {
            match role {
                Role::Call { namespace }
                    if namespace.is_some() || self.function(name).is_some() =>
                {
                    self.calls.push(CallSite {
                        namespace: namespace.as_ref().map(|name| names.get(name)),
                        name: names.name(name, *range),
                        function: *function,
                        args: Vec::new(),
                    });
                }
                Role::NamedArg {
                    namespace,
                    function,
                } => {
                    // A call of this name further inside may have begun later: it means the same function.
                    let is_it = |call: &&mut CallSite| {
                        call.namespace == *namespace && call.name.name == *function
                    };
                    if let Some(call) = self.calls.iter_mut().rev().find(is_it) {
                        call.args.push(names.name(name, *range));
                    }
                }
                _ => {}
            }
        }
    }
}

/// Tells texts apart.
#[must_use]
pub fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

fn function(def: &FunctionDef, full_range: TextRange, names: &mut Names) -> Function {
    let mut parameters = |list: &[Param]| {
        let one = |param: &Param| Parameter {
            name: names.ident(&param.name),
            ty: param.ty.as_ref().map(|ty| names.get(&ty.name)),
        };
        list.iter().map(one).collect()
    };
    let (params, results) = (parameters(&def.params), parameters(&def.results));
    Function {
        name: names.ident(&def.name),
        full_range,
        params,
        results,
    }
}

/// Equal names share one text.
#[derive(Default)]
struct Names(BTreeSet<Arc<str>>);

impl Names {
    fn get(&mut self, name: &Arc<str>) -> Arc<str> {
        if let Some(known) = self.0.get(name) {
            return known.clone();
        }
        self.0.insert(name.clone());
        name.clone()
    }

    fn name(&mut self, name: &Arc<str>, range: TextRange) -> Name {
        Name {
            name: self.get(name),
            range,
        }
    }

    fn ident(&mut self, ident: &Ident) -> Name {
        self.name(&ident.name, ident.range)
    }
}
