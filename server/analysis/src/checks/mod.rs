//! Checks that look at a finished analysis: one file each, a pure pass over the program and what is known of it. Most look at
//! one unit, so that they run again only where something changed.
//!
//! They add diagnostics and nothing else. What `#@ allow` silences is decided last, over all of them. A check speaks
//! only where SystemDS itself would complain or do what nobody means: where it cannot know, it is silent.

mod allow;
mod deprecated;
mod duplicate_function;
mod loop_variable;
mod nan_comparison;
mod scalar_required;
mod self_assignment;
mod shadowed_builtin;
mod transposed;
mod unreachable;
mod unset_result;
mod unused_function;
mod unused_namespace;
mod unused_parameter;

pub use deprecated::REPLACEMENTS;
pub use transposed::fitting;
pub(crate) use unreachable::is_stop;

use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::Arc;

use sumac_syntax::Unit;
use sumac_syntax::ast::{Expr, ExprKind, FunctionDef, Program, StmtKind};
use sumac_syntax::text::TextRange;
use sumac_syntax::walk::{Node, walk};

use crate::catalogue;
use crate::db::{Declaration, Lookup, Noted, PlacedFunction, Reading, World};
use crate::names::Names;
use crate::result::{Analysis, Diagnostic, Severity, Symbol};

/// What a check of a unit looks at, in the unit's own places.
pub(crate) struct Checked<'a> {
    pub(crate) program: &'a Program,
    pub(crate) text: &'a str,
    pub(crate) analysis: &'a Analysis,
    /// Where there are syntax errors: what cannot be read may use anything.
    errors: &'a [TextRange],
    /// The functions of the file, and what they declare.
    world: &'a World<'a>,
}

/// What a check of a file looks at.
pub(crate) struct CheckedFile<'a> {
    reading: &'a Reading,
    /// What is to be said of the names of its functions.
    noted: &'a Noted,
    /// Those of all units: gathered where a check asks for them.
    summaries: &'a dyn Fn() -> Vec<&'a Summary>,
    /// The words in text literals: functions can be named by text.
    words: OnceCell<HashSet<&'a str>>,
}

/// What checks of a file ask each unit for, so that they need not look into it.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Summary {
    /// The functions that it calls.
    pub(crate) called: HashSet<Arc<str>>,
    /// The namespaces that its calls name.
    namespaces: HashSet<Arc<str>>,
    /// The words in its text literals.
    words: HashSet<String>,
}

type Check = fn(&Checked<'_>, &mut Vec<Diagnostic>);
type FileCheck = fn(&CheckedFile<'_>, &mut Vec<Diagnostic>);

/// Checks that look at one function, or at the main program, and at the heads of what it calls.
const OF_UNITS: [Check; 8] = [
    deprecated::check,
    loop_variable::check,
    nan_comparison::check,
    scalar_required::check,
    self_assignment::check,
    unreachable::check,
    unset_result::check,
    unused_parameter::check,
];

/// Checks that look at all functions of a file.
const OF_FILES: [FileCheck; 4] = [
    duplicate_function::check,
    shadowed_builtin::check,
    unused_function::check,
    unused_namespace::check,
];

/// Runs the checks of a unit. What is known of it must be sorted.
pub(crate) fn of_unit(unit: &Unit, world: &World<'_>, out: &mut Analysis) -> Summary {
    let mut found = Vec::new();
    let mut diagnostics = std::mem::take(&mut out.diagnostics);
    let checked = Checked {
        program: &unit.program,
        text: &unit.text,
        analysis: out,
        errors: &unit.errors,
        world,
    };
    for check in OF_UNITS {
        check(&checked, &mut found);
    }
    transposed::explain(&checked, &mut diagnostics);
    diagnostics.extend(found);
    let summary = Summary::of(&checked);
    out.diagnostics = diagnostics;
    summary
}

/// Runs the checks of a file whose units are checked, then takes out what the script allows.
pub(crate) fn of_file(checked: &CheckedFile<'_>, out: &mut Analysis) {
    for check in OF_FILES {
        check(checked, &mut out.diagnostics);
    }
    out.silenced = allow::apply(&checked.reading.script, &mut out.diagnostics);
}

impl Summary {
    fn of(checked: &Checked<'_>) -> Self {
        let names = checked.analysis.names.iter();
        let mut summary = Summary {
            called: names
                .filter(|used| used.symbol == Symbol::Function && !used.is_definition)
                .map(|used| Arc::clone(&used.name))
                .collect(),
            ..Summary::default()
        };
        walk(checked.program, &mut |node| match node {
            Node::Expr(Expr {
                kind: ExprKind::Str(literal),
                ..
            }) => {
                let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
                for part in literal.value.split(|c| !is_part(c)) {
                    // A name may have dots, and a sentence may end with one.
                    let words = part.split('.').chain([part]);
                    summary.words.extend(words.map(str::to_owned));
                }
            }
            Node::Expr(Expr {
                kind: ExprKind::Call(call),
                ..
            }) => {
                let namespace = call.namespace.as_ref();
                summary
                    .namespaces
                    .extend(namespace.map(|ident| Arc::clone(&ident.name)));
            }
            _ => {}
        });
        summary
    }
}

impl<'a> Checked<'a> {
    /// Whether something cannot be read.
    fn is_broken(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Whether the script has a function of this name.
    fn is_own(&self, name: &str) -> bool {
        self.world.functions().contains_key(name)
    }

    /// What the script's function of this name declares.
    fn declared(&self, name: &str) -> Option<Arc<Declaration>> {
        if !self.is_own(name) {
            return None;
        }
        match self.world.lookup(None, name) {
            Lookup::Function(callee) => self.world.declaration(callee),
            _ => None,
        }
    }

    /// The unit's functions that have a name, in source order.
    fn functions(&self) -> impl Iterator<Item = &'a FunctionDef> {
        self.program
            .statements
            .iter()
            .filter_map(|stmt| match &stmt.kind {
                StmtKind::Function(def) if !def.name.name.is_empty() => Some(def),
                _ => None,
            })
    }
}

impl<'a> CheckedFile<'a> {
    pub(crate) fn new(
        reading: &'a Reading,
        noted: &'a Noted,
        summaries: &'a dyn Fn() -> Vec<&'a Summary>,
    ) -> Self {
        CheckedFile {
            reading,
            noted,
            summaries,
            words: OnceCell::new(),
        }
    }

    /// Whether something cannot be read.
    fn is_broken(&self) -> bool {
        !self.reading.script.errors().is_empty()
    }

    /// The script's functions that have one of these names, in source order.
    fn functions(&self, names: &Names) -> impl Iterator<Item = &'a PlacedFunction> {
        // Mostly there are none, and a script can have many.
        let all = Some(&self.reading.functions).filter(|_| !names.is_empty());
        let all = all.into_iter().flatten();
        all.filter(|placed| names.contains(placed.name()))
    }

    /// Whether a text literal of the script has the name `word` in it: functions can be named by text.
    fn is_in_a_text(&self, word: &str) -> bool {
        let words = self.words.get_or_init(|| {
            let summaries = (self.summaries)().into_iter();
            let all = summaries.flat_map(|summary| &summary.words);
            all.map(String::as_str).collect()
        });
        words.contains(word)
    }
}

/// A diagnostic as serious as its row says.
fn diagnostic(code: &'static str, range: TextRange, message: String) -> Diagnostic {
    let severity = catalogue::code(code).and_then(|code| code.severity);
    Diagnostic {
        range,
        severity: severity.unwrap_or(Severity::Hint),
        code,
        message,
        related: Vec::new(),
    }
}
