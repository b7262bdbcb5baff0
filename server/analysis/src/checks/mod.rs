//! Checks that look at a finished analysis: one file each, a pure pass over the program and what is known of it.
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

/// What a check looks at.
pub(crate) struct Checked<'a> {
    pub(crate) program: &'a Program,
    pub(crate) text: &'a str,
    pub(crate) analysis: &'a Analysis,
    /// Whether there are syntax errors: what cannot be read may use anything.
    pub(crate) is_broken: bool,
    /// The words in text literals: functions can be named by text.
    words: OnceCell<HashSet<&'a str>>,
}

type Check = fn(&Checked<'_>, &mut Vec<Diagnostic>);

const ALL: [Check; 12] = [
    deprecated::check,
    duplicate_function::check,
    loop_variable::check,
    nan_comparison::check,
    scalar_required::check,
    self_assignment::check,
    shadowed_builtin::check,
    unreachable::check,
    unset_result::check,
    unused_function::check,
    unused_namespace::check,
    unused_parameter::check,
];

/// Runs all checks, then takes out what the script allows.
pub(crate) fn run(program: &Program, text: &str, out: &mut Analysis) {
    let mut found = Vec::new();
    let is_broken = out
        .diagnostics
        .iter()
        .any(|d| d.code == codes::SYNTAX_ERROR);
    let checked = Checked {
        program,
        text,
        analysis: out,
        is_broken,
        words: OnceCell::new(),
    };
    for check in ALL {
        check(&checked, &mut found);
    }
    let mut diagnostics = std::mem::take(&mut out.diagnostics);
    diagnostics.extend(found);
    let checked = Checked {
        program,
        text,
        analysis: out,
        is_broken,
        words: OnceCell::new(),
    };
    transposed::explain(&checked, &mut diagnostics);
    let silenced = allow::apply(&checked, &mut diagnostics);
    out.diagnostics = diagnostics;
    out.silenced = silenced;
}

impl<'a> Checked<'a> {
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
