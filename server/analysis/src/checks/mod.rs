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

use std::cell::OnceCell;
use std::collections::HashSet;

use sumac_syntax::ast::{Expr, ExprKind, FunctionDef, Program, StmtKind};
use sumac_syntax::text::TextRange;

use crate::catalogue;
use crate::result::{Analysis, Diagnostic, Severity, codes};

/// What a check looks at: a unit in its own places, or a whole file.
pub(crate) struct Checked<'a> {
    pub(crate) program: &'a Program,
    pub(crate) text: &'a str,
    pub(crate) analysis: &'a Analysis,
    /// Where there are syntax errors: what cannot be read may use anything.
    errors: &'a [TextRange],
    /// The words in text literals: functions can be named by text.
    words: OnceCell<HashSet<&'a str>>,
}

type Check = fn(&Checked<'_>, &mut Vec<Diagnostic>);

/// Checks that look at one function, or at the main program, and at nothing beside it.
const OF_UNITS: [Check; 7] = [
    deprecated::check,
    loop_variable::check,
    nan_comparison::check,
    self_assignment::check,
    unreachable::check,
    unset_result::check,
    unused_parameter::check,
];

/// Checks that look at all functions of a file.
const OF_FILES: [Check; 5] = [
    duplicate_function::check,
    scalar_required::check,
    shadowed_builtin::check,
    unused_function::check,
    unused_namespace::check,
];

/// Runs the checks of a unit. What is known of it must be sorted.
pub(crate) fn of_unit(program: &Program, text: &str, errors: &[TextRange], out: &mut Analysis) {
    let mut found = Vec::new();
    let checked = Checked::new(program, text, errors, out);
    for check in OF_UNITS {
        check(&checked, &mut found);
    }
    out.diagnostics.extend(found);
}

/// Runs the checks of a file whose units are checked, then takes out what the script allows.
pub(crate) fn of_file(program: &Program, text: &str, out: &mut Analysis) {
    let mut found = Vec::new();
    let syntax = out.diagnostics.iter();
    let errors: Vec<TextRange> = syntax
        .filter(|d| d.code == codes::SYNTAX_ERROR)
        .map(|d| d.range)
        .collect();
    let checked = Checked::new(program, text, &errors, out);
    for check in OF_FILES {
        check(&checked, &mut found);
    }
    let mut diagnostics = std::mem::take(&mut out.diagnostics);
    diagnostics.extend(found);
    let checked = Checked::new(program, text, &errors, out);
    transposed::explain(&checked, &mut diagnostics);
    let silenced = allow::apply(&checked, &mut diagnostics);
    out.diagnostics = diagnostics;
    out.silenced = silenced;
}

impl<'a> Checked<'a> {
    fn new(
        program: &'a Program,
        text: &'a str,
        errors: &'a [TextRange],
        analysis: &'a Analysis,
    ) -> Self {
        Checked {
            program,
            text,
            analysis,
            errors,
            words: OnceCell::new(),
        }
    }

    /// Whether something cannot be read.
    fn is_broken(&self) -> bool {
        !self.errors.is_empty()
    }

    /// The script's functions that have a name, in source order.
    fn functions(&self) -> impl Iterator<Item = &'a FunctionDef> {
        self.program
            .statements
            .iter()
            .filter_map(|stmt| match &stmt.kind {
                StmtKind::Function(def) if !def.name.name.is_empty() => Some(def),
                _ => None,
            })
    }

    /// Whether a text literal of the script has the name `word` in it: functions can be named by text.
    fn is_in_a_text(&self, word: &str) -> bool {
        let words = self.words.get_or_init(|| {
            let mut words = HashSet::new();
            sumac_syntax::walk::walk(self.program, &mut |node| {
                if let sumac_syntax::walk::Node::Expr(Expr {
                    kind: ExprKind::Str(literal),
                    ..
                }) = node
                {
                    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
                    let parts = literal.value.split(|c| !is_part(c));
                    // A name may have dots, and a sentence may end with one.
                    words.extend(parts.flat_map(|part| part.split('.').chain([part])));
                }
            });
            words
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
