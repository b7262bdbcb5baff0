//! Which names a scope binds, and which names its sizes have.
//!
//! Must never give one name to two sizes that could differ.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sumac_la::Dim;

use crate::parse::{
    Alias, Comprehension, ExceptHandler, Expr, ExprContext, Pattern, Stmt, Visitor, visitor,
};

/// How often a scope gives each name a value; in a loop it counts twice.
pub(crate) type Counts = BTreeMap<Arc<str>, usize>;

/// Counts where names are given values.
#[derive(Default)]
struct Binders {
    counts: Counts,
    weight: usize,
    skips_imports: bool,
}

impl Binders {
    fn note(&mut self, name: &str) {
        *self.counts.entry(name.into()).or_default() += self.weight;
    }
}

impl<'a> Visitor<'a> for Binders {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => self.note(&function.name),
            Stmt::ClassDef(class) => self.note(&class.name),
            Stmt::For(_) | Stmt::While(_) => {
                let outer = std::mem::replace(&mut self.weight, 2);
                visitor::walk_stmt(self, statement);
                self.weight = outer;
            }
            Stmt::AugAssign(change) => {
                if let Expr::Name(name) = &*change.target {
                    self.note(&name.id);
                }
                visitor::walk_stmt(self, statement);
            }
            _ => visitor::walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) if name.ctx != ExprContext::Load => self.note(&name.id),
            _ => visitor::walk_expr(self, expr),
        }
    }

    fn visit_comprehension(&mut self, comprehension: &'a Comprehension) {
        // Its targets are names of its own.
        self.visit_expr(&comprehension.iter);
        for condition in &comprehension.ifs {
            self.visit_expr(condition);
        }
    }

    fn visit_alias(&mut self, alias: &'a Alias) {
        if self.skips_imports {
            return;
        }
        let name = alias.asname.as_ref().unwrap_or(&alias.name);
        self.note(name.split('.').next().unwrap_or_default());
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(of) = handler;
        if let Some(name) = &of.name {
            self.note(name);
        }
        visitor::walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        let name = match pattern {
            Pattern::MatchAs(of) => of.name.as_ref(),
            Pattern::MatchStar(of) => of.name.as_ref(),
            Pattern::MatchMapping(of) => of.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = name {
            self.note(name);
        }
        visitor::walk_pattern(self, pattern);
    }
}

fn counted(body: &[Stmt], skips_imports: bool) -> Counts {
    let mut binders = Binders {
        counts: Counts::new(),
        weight: 1,
        skips_imports,
    };
    for statement in body {
        binders.visit_stmt(statement);
    }
    binders.counts
}

/// The names that statements bind in their own scope, and how often.
pub(crate) fn bound_names(body: &[Stmt]) -> Counts {
    counted(body, false)
}

/// The names that are bound by something else than an import.
pub(crate) fn bound_otherwise(body: &[Stmt]) -> BTreeSet<Arc<str>> {
    counted(body, true).into_keys().collect()
}

/// The names that an expression binds: those before `:=`.
pub(crate) fn bound_in(expr: &Expr) -> Vec<Arc<str>> {
    let mut binders = Binders {
        weight: 1,
        ..Binders::default()
    };
    binders.visit_expr(expr);
    binders.counts.into_keys().collect()
}

/// The names that a pattern binds.
pub(crate) fn bound_by_pattern(pattern: &Pattern) -> Vec<Arc<str>> {
    let mut binders = Binders {
        weight: 1,
        ..Binders::default()
    };
    binders.visit_pattern(pattern);
    binders.counts.into_keys().collect()
}

/// All names that functions of a program take from outside to change them.
pub(crate) fn declared_outside(body: &[Stmt]) -> BTreeSet<Arc<str>> {
    struct Declared(BTreeSet<Arc<str>>);
    impl<'a> Visitor<'a> for Declared {
        fn visit_stmt(&mut self, statement: &'a Stmt) {
            let names = match statement {
                Stmt::Global(global) => &global.names,
                Stmt::Nonlocal(nonlocal) => &nonlocal.names,
                _ => return visitor::walk_stmt(self, statement),
            };
            self.0
                .extend(names.iter().map(|name| Arc::from(name.as_str())));
        }

        fn visit_expr(&mut self, _: &'a Expr) {}
    }
    let mut declared = Declared(BTreeSet::new());
    for statement in body {
        declared.visit_stmt(statement);
    }
    declared.0
}

/// The names of a scope's sizes.
#[derive(Clone, Default, Debug)]
pub(crate) struct Sizes {
    /// How often the scope binds each name.
    pub(crate) bound: Counts,
    /// Names that sizes have.
    used: BTreeSet<Arc<str>>,
}

impl Sizes {
    /// The names of a scope that binds these.
    pub(crate) fn new(bound: Counts) -> Self {
        Sizes {
            bound,
            used: BTreeSet::new(),
        }
    }

    /// The size that the variable `name` holds and of which nothing else is known; `None` where that name is another size already.
    pub(crate) fn of_variable(&mut self, name: &str) -> Option<Dim> {
        let is_steady = self.bound.get(name).is_none_or(|count| *count <= 1);
        let is_new = self.used.insert(name.into());
        (is_new || is_steady).then(|| Dim::symbol(name, None))
    }

    /// Whether a size has this name.
    pub(crate) fn is_used(&self, name: &str) -> bool {
        self.used.contains(name)
    }

    /// Whether the scope gives this name a value more than once.
    pub(crate) fn is_bound_again(&self, name: &str) -> bool {
        self.bound.get(name).is_some_and(|count| *count > 1)
    }

    /// The size that a text about the whole scope calls `name`.
    pub(crate) fn named(&mut self, name: &str) -> Dim {
        self.used.insert(name.into());
        Dim::symbol(name, None)
    }

    /// A size without a name, by how it can be read.
    pub(crate) fn read_as(&mut self, text: &str) -> Option<Dim> {
        self.used
            .insert(text.into())
            .then(|| Dim::symbol(text, None))
    }
}
