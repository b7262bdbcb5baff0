//! Statements in their order: what is known of variables at each place, and the algebra in them.
//!
//! Where ways join only what holds on all of them is known; a loop is read until what holds before it holds after it. Must never
//! say of a variable what a write on any way could have ended.

mod assign;
mod checks;
mod file;
mod function;
mod paths;

pub(crate) use file::read;

use std::collections::BTreeMap;
use std::sync::Arc;

use sumac_la::Dim;
use sumac_language::{Diagnostic, Fact};
use sumac_text::TextRange;

use crate::env::{Binding, Env};
use crate::habits::Habits;
use crate::parse::{Expr, Stmt, place};
use crate::read::{Found, Reader, Seen};
use crate::scope::{Sizes, bound_in};
use crate::shapes::Claim;
use crate::tree::{Step, Tree};
use crate::value::DType;
use file::File;

/// A site before the habits of the whole file are known.
pub(crate) struct Draft {
    found: Found,
    statement: TextRange,
    function: Option<Arc<str>>,
    habits: Habits,
}

/// What was found so far.
#[derive(Default)]
pub(crate) struct Findings {
    diagnostics: Vec<Diagnostic>,
    facts: Vec<Fact>,
    drafts: Vec<Draft>,
    habits: Habits,
}

/// The reading of one scope.
pub(crate) struct Flow<'a> {
    file: &'a File<'a>,
    out: &'a mut Findings,
    /// The function, with the classes around it.
    function: Option<Arc<str>>,
    /// What functions in this scope see of names outside of them.
    visible: Env,
    env: Env,
    sizes: Sizes,
    /// What `#@` lines say of names of this scope.
    pins: BTreeMap<Arc<str>, (Claim, usize)>,
    /// Every value that a name was given, in order.
    log: Vec<(Arc<str>, Binding)>,
    /// Whether nothing that is found counts: a loop is read ahead.
    dry: usize,
    /// How many loops are around.
    loops: usize,
    /// How many statements are around that take errors.
    guarded: usize,
    /// Whether it is the body of a class.
    is_class: bool,
}

impl<'a> Flow<'a> {
    /// The start of a scope: of which function it is, and whether of the body of a class.
    fn new(
        file: &'a File<'a>,
        out: &'a mut Findings,
        (function, is_class): (Option<Arc<str>>, bool),
        visible: Env,
        (env, sizes): (Env, Sizes),
    ) -> Self {
        Flow {
            file,
            out,
            function,
            visible,
            env,
            sizes,
            pins: BTreeMap::new(),
            log: Vec::new(),
            dry: 0,
            loops: 0,
            guarded: 0,
            is_class,
        }
    }
}

impl Flow<'_> {
    /// Reads statements in their order.
    fn block(&mut self, body: &[Stmt]) {
        for statement in body {
            if self.env.is_dead {
                // Nothing runs, but what is defined here may be looked at.
                if let Stmt::FunctionDef(_) | Stmt::ClassDef(_) = statement {
                    self.definition(statement);
                }
                continue;
            }
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        let range = place(statement);
        match statement {
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => self.definition(statement),
            Stmt::If(_)
            | Stmt::For(_)
            | Stmt::While(_)
            | Stmt::With(_)
            | Stmt::Try(_)
            | Stmt::Match(_) => self.ways(statement),
            _ if self.file.is_broken(range) => {
                for name in crate::scope::bound_names(std::slice::from_ref(statement)).keys() {
                    self.bind(name, Binding::Unknown);
                }
            }
            Stmt::Assign(assign) => self.assign(assign, range),
            Stmt::AugAssign(change) => self.change(change, range),
            Stmt::AnnAssign(stated) => self.annotated(stated, range),
            Stmt::Return(of) => {
                if let Some(value) = &of.value {
                    self.expr(value, true, range);
                }
                self.env.is_dead = true;
            }
            Stmt::Raise(of) => {
                for part in [&of.exc, &of.cause].into_iter().flatten() {
                    self.expr(part, true, range);
                }
                self.env.is_dead = true;
            }
            Stmt::Break(_) | Stmt::Continue(_) => self.env.is_dead = true,
            Stmt::Assert(of) => {
                self.expr(&of.test, true, range);
                self.learn(&of.test, true, "assert", range);
                if let Some(message) = &of.msg {
                    let learned = self.env.clone();
                    self.expr(message, true, range);
                    self.env = learned;
                }
            }
            Stmt::Expr(of) => {
                self.expr(&of.value, true, range);
                self.in_place(&of.value);
            }
            Stmt::Delete(of) => {
                for target in &of.targets {
                    if let Expr::Name(name) = target {
                        self.bind(&name.id, Binding::Unknown);
                    }
                }
            }
            Stmt::Import(_) | Stmt::ImportFrom(_) => match crate::imports::imported(statement) {
                Some(names) => {
                    for (name, path) in names {
                        self.bind(&name, Binding::Path(path));
                    }
                }
                None => self.env.forget_all(),
            },
            Stmt::TypeAlias(of) => {
                if let Expr::Name(name) = &*of.name {
                    self.bind(&name.id, Binding::Unknown);
                }
            }
            Stmt::Global(_) | Stmt::Nonlocal(_) | Stmt::Pass(_) | Stmt::IpyEscapeCommand(_) => {}
        }
    }

    /// Gives a name a value.
    fn bind(&mut self, name: &str, binding: Binding) {
        let binding = if self.file.declared.contains(name) {
            Binding::Unknown
        } else {
            binding
        };
        self.log.push((name.into(), binding.clone()));
        self.env.set(name, binding);
    }

    /// Reads an expression of a statement.
    fn expr(&mut self, expr: &Expr, is_bare: bool, statement: TextRange) -> Seen {
        // What is written inside counts from its start: which of its parts are evaluated before is not looked at.
        for name in bound_in(expr) {
            self.bind(&name, Binding::Unknown);
        }
        if self.env.has_places() && file::may_do_anything(expr, &self.env) {
            self.env.forget_places();
        }
        let mut reader = Reader::new(self.file.text, &mut self.env, Some(&mut self.sizes));
        let seen = reader.whole(expr, is_bare);
        let (found, problems) = (reader.found, reader.problems);
        if self.dry > 0 {
            return seen;
        }
        let habits = Habits::of(expr, &self.env);
        self.out.habits.add(&habits);
        if self.file.is_other {
            return seen;
        }
        if self.guarded == 0 {
            self.out.diagnostics.extend(problems);
        }
        for found in found {
            self.out.drafts.push(Draft {
                found,
                statement,
                function: self.function.clone(),
                habits,
            });
        }
        seen
    }

    /// Tells what is known of a name where it gets its value.
    fn tell(&mut self, name: &str, range: TextRange, source: &str) {
        let Some(Binding::Value(value)) = self.env.get(name) else {
            return;
        };
        if self.dry > 0 || value.rank() == 0 || self.file.is_other {
            return;
        }
        self.out.facts.push(Fact {
            name: name.into(),
            range,
            function: self.function.clone(),
            shape: value.to_string(),
            number: value.dtype.name(),
            source: source.to_owned(),
        });
    }
}

/// What a site assumes: the kind of numbers where it is not known, and sizes that were taken for one.
fn assumptions(tree: &Tree, env: &Env) -> Vec<String> {
    let mut names: Vec<&str> = Vec::new();
    let mut dims: Vec<&Dim> = Vec::new();
    for node in tree.nodes() {
        dims.extend(&node.value.shape);
        if let Step::Atom(atom) = &node.step
            && node.value.dtype == DType::Assumed
            && !names.contains(&&*atom.text)
        {
            names.push(&atom.text);
        }
    }
    let mut assumes = Vec::new();
    if let Some((last, others)) = names.split_last() {
        let quoted = |name: &&str| format!("`{name}`");
        assumes.push(if others.is_empty() {
            format!("`{last}` is an array of NumPy that holds 64-bit floats")
        } else {
            let others: Vec<String> = others.iter().map(quoted).collect();
            format!(
                "{} and `{last}` are arrays of NumPy that hold 64-bit floats",
                others.join(", ")
            )
        });
    }
    assumes.extend(env.assumptions(&|dim| {
        dims.iter()
            .any(|other| *other == dim || dim.lone_name().is_some_and(|name| other.mentions(name)))
    }));
    assumes
}
