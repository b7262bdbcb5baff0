//! What checks look at, in a unit and in a file, and how they say what they find. Must know no check.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::Arc;

use sumac_syntax::ast::{Expr, ExprKind, FunctionDef, Program, StmtKind};
use sumac_syntax::walk::{Node, walk};
use sumac_text::TextRange;

use crate::catalogue;
use crate::db::inputs::{PlacedFunction, Reading};
use crate::db::resolve::{Declaration, Lookup};
use crate::db::world::World;
use crate::names::{self, Names};
use crate::result::{Analysis, Diagnostic, Severity, Symbol};
use crate::value::{ValueInfo, ValueKind};

/// What checks of a whole file ask of its functions: their names, if there is something to say of them.
#[derive(PartialEq, Default, Debug)]
pub(crate) struct Declarations {
    /// No unit of the file calls these.
    pub(crate) uncalled: Names,
    /// There are several of each of these.
    pub(crate) repeated: Names,
    /// These are builtins, too.
    pub(crate) builtins: Names,
}

/// What a check of a unit looks at, in the unit's own places.
pub(crate) struct Checked<'a> {
    pub(crate) program: &'a Program,
    pub(crate) text: &'a str,
    pub(crate) analysis: &'a Analysis,
    /// Where there are syntax errors: what cannot be read may use anything.
    pub(super) errors: &'a [TextRange],
    /// The functions of the file, and what they declare.
    pub(super) world: &'a World<'a>,
    /// Branches, and bodies of `while`, of which it is not known that they run, and whether it is known that they do not: found
    /// where a check asks for them.
    pub(super) branches: OnceCell<Vec<(TextRange, bool)>>,
}

/// What a check of a file looks at.
pub(crate) struct CheckedFile<'a> {
    pub(super) reading: &'a Reading,
    /// What is to be said of the names of its functions.
    pub(super) declarations: &'a Declarations,
    /// Those of all units: gathered where a check asks for them.
    pub(super) summaries: &'a dyn Fn() -> Vec<&'a Summary>,
    /// The words in text literals: functions can be named by text.
    pub(super) words: OnceCell<HashSet<&'a str>>,
}

/// What checks of a file ask each unit for, so that they need not look into it.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Summary {
    /// The functions that it calls.
    pub(crate) called: HashSet<Arc<str>>,
    /// The namespaces that its calls name.
    pub(super) namespaces: HashSet<Arc<str>>,
    /// The words in its text literals.
    pub(super) words: HashSet<String>,
}

impl Summary {
    pub(super) fn of(checked: &Checked<'_>) -> Self {
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
    pub(super) fn is_broken(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Whether a place lies in the body of a branch or a loop.
    pub(super) fn is_inside(&self, place: TextRange) -> bool {
        let mut found = false;
        walk(self.program, &mut |node| {
            if let Node::Stmt(stmt) = node
                && !matches!(stmt.kind, StmtKind::Function(_))
            {
                let mut bodies = names::bodies(stmt).into_iter();
                found |= bodies.any(|body| body.range.contains(place));
            }
        });
        found
    }

    /// Whether a place lies in a branch of which it is not known whether it runs.
    pub(super) fn may_not_run(&self, place: TextRange) -> bool {
        let mut branches = self.branches().iter();
        branches.any(|(branch, _)| branch.contains(place))
    }

    /// Whether a place lies in a branch that does not run.
    pub(super) fn never_runs(&self, place: TextRange) -> bool {
        let mut branches = self.branches().iter();
        branches.any(|(branch, is_dead)| *is_dead && branch.contains(place))
    }

    pub(super) fn branches(&self) -> &[(TextRange, bool)] {
        self.branches.get_or_init(|| {
            let mut found = Vec::new();
            walk(self.program, &mut |node| {
                let Node::Stmt(stmt) = node else { return };
                let (cond, body, other) = match &stmt.kind {
                    StmtKind::If {
                        cond,
                        then,
                        otherwise,
                    } => (cond, then, otherwise.as_ref()),
                    StmtKind::While { cond, body } => (cond, body, None),
                    _ => return,
                };
                let runs = self.info(cond).and_then(ValueInfo::number);
                if runs.is_none_or(|runs| runs == 0.0) {
                    found.push((body.range, runs.is_some()));
                }
                if runs.is_none_or(|runs| runs != 0.0) {
                    found.extend(other.map(|block| (block.range, runs.is_some())));
                }
            });
            found
        })
    }

    /// What is known of an expression.
    pub(super) fn info(&self, expr: &Expr) -> Option<&'a ValueInfo> {
        self.analysis.type_at(expr.range)
    }

    /// The kind of an expression's value.
    pub(super) fn kind(&self, expr: &Expr) -> Option<ValueKind> {
        self.info(expr).map(|info| info.kind)
    }

    /// An expression as it is written.
    pub(super) fn slice(&self, expr: &Expr) -> &'a str {
        let text = self.text.get(expr.range.start..expr.range.end);
        text.unwrap_or_default()
    }

    /// Whether the script has a function of this name.
    pub(super) fn is_own(&self, name: &str) -> bool {
        self.world.functions().contains_key(name)
    }

    /// What the script's function of this name declares.
    pub(super) fn declared(&self, name: &str) -> Option<Arc<Declaration>> {
        if !self.is_own(name) {
            return None;
        }
        match self.world.lookup(None, name) {
            Lookup::Function(callee) => self.world.declaration(callee),
            _ => None,
        }
    }

    /// The unit's functions that have a name, in source order.
    pub(super) fn functions(&self) -> impl Iterator<Item = &'a FunctionDef> {
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
        declarations: &'a Declarations,
        summaries: &'a dyn Fn() -> Vec<&'a Summary>,
    ) -> Self {
        CheckedFile {
            reading,
            declarations,
            summaries,
            words: OnceCell::new(),
        }
    }

    /// Whether something cannot be read.
    pub(super) fn is_broken(&self) -> bool {
        self.reading.script.refusals().next().is_some()
    }

    /// The script's functions that have one of these names, in source order.
    pub(super) fn functions(&self, names: &Names) -> impl Iterator<Item = &'a PlacedFunction> {
        // Mostly there are none, and a script can have many.
        let all = Some(&self.reading.functions).filter(|_| !names.is_empty());
        let all = all.into_iter().flatten();
        all.filter(|placed| names.contains(placed.name()))
    }

    /// Whether a text literal of the script has the name `word` in it: functions can be named by text.
    pub(super) fn is_in_a_text(&self, word: &str) -> bool {
        let words = self.words.get_or_init(|| {
            let summaries = (self.summaries)().into_iter();
            let all = summaries.flat_map(|summary| &summary.words);
            all.map(String::as_str).collect()
        });
        words.contains(word)
    }
}

/// What an expression is, in words: `a matrix (3 x 4)`.
pub(super) fn described(checked: &Checked<'_>, expr: &Expr) -> String {
    let Some(info) = checked.info(expr) else {
        return "a value".to_owned();
    };
    match info.kind {
        ValueKind::Matrix => {
            let sizes = format!("{} x {}", info.rows, info.cols);
            format!("a matrix ({sizes})")
        }
        kind => kind.with_article().to_owned(),
    }
}

/// A diagnostic as serious as its row says.
pub(super) fn diagnostic(code: &'static str, range: TextRange, message: String) -> Diagnostic {
    let severity = catalogue::code(code).and_then(|code| code.severity);
    Diagnostic {
        range,
        severity: severity.unwrap_or(Severity::Hint),
        code,
        message,
        related: Vec::new(),
    }
}
