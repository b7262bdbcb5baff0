//! Variables that are of another kind where branches meet, or behind a loop. SystemDS has one kind of data for a variable there, so
//! it refuses the script; which of the numbers a scalar is may change.

use std::sync::Arc;

use sumac_syntax::ast::{Stmt, StmtKind};
use sumac_text::TextRange;

use crate::analyzer::{Analyzer, Env, Var};
use crate::names;
use crate::result::{Severity, codes};
use crate::value::ValueKind;
use crate::value::differs;

impl Analyzer<'_> {
    /// Where two branches meet; the second has just ended. SystemDS looks only at those that no other statement is around.
    pub(crate) fn check_branches(&mut self, stmt: &Stmt, after_then: &Env) {
        let changes = self.changes(stmt, after_then);
        if self.bodies > 0 {
            // SystemDS goes on with what the first branch leaves, and looks again behind the outermost statement.
            let kept = changes.into_iter().map(|(name, then, _)| (name, then));
            self.changed.extend(kept);
            return;
        }
        self.changed.clear();
        if !self.recording {
            return;
        }
        for (name, one, other) in changes {
            self.report_change(stmt, &name, &one, &other);
        }
    }

    /// Behind the first walk through the body of a loop that began with `head`.
    pub(crate) fn check_loop(&mut self, stmt: &Stmt, head: &Env) {
        if self.bodies > 0 {
            return;
        }
        let changes = self.changes(stmt, head);
        self.changed.clear();
        let recording = std::mem::replace(&mut self.recording, true);
        for (name, one, other) in changes {
            self.report_change(stmt, &name, &one, &other);
        }
        self.recording = recording;
    }

    /// What the statement writes and is of different kinds in the two environments.
    fn changes(&self, stmt: &Stmt, one: &Env) -> Vec<(Arc<str>, Arc<Var>, Arc<Var>)> {
        let loop_variable = match &stmt.kind {
            StmtKind::For { var, .. } => Some(&var.name),
            _ => None,
        };
        let bodies = names::bodies(stmt).into_iter();
        let writes = bodies.flat_map(|body| names::all_writes(&body.statements));
        let mut found: Vec<_> = writes
            .filter(|name| Some(name) != loop_variable)
            .filter_map(|name| {
                let (a, b) = (self.left(one, &name)?, self.left(&self.env, &name)?);
                differs(a.info.kind, b.info.kind).then_some((name, a, b))
            })
            .collect();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        found.dedup_by(|a, b| a.0 == b.0);
        found
    }

    /// What a variable is to SystemDS where it is known: behind a nested branch, what that left.
    fn left(&self, env: &Env, name: &Arc<str>) -> Option<Arc<Var>> {
        let var = env.get(name)?;
        let changed = self.changed.get(name);
        let left = changed.filter(|_| var.info.kind == ValueKind::Unknown);
        Some(Arc::clone(left.unwrap_or(var)))
    }

    fn report_change(&mut self, stmt: &Stmt, name: &str, one: &Var, other: &Var) {
        let around = stmt.range;
        let inside = |var: &Var| -> Option<TextRange> {
            let mut defs = var.defs.iter();
            defs.rfind(|def| around.contains(**def)).copied()
        };
        let Some(place) = inside(other).or_else(|| inside(one)) else {
            return;
        };
        let (here, there) = if inside(other) == Some(place) {
            (other, one)
        } else {
            (one, other)
        };
        let what = match stmt.kind {
            StmtKind::If { .. } => "where the branches meet",
            _ => "when the loop begins again",
        };
        let message = format!(
            "`{name}` is {} here and {} otherwise, and {what} it has to be of one kind; give the {} another name",
            here.info.kind.with_article(),
            there.info.kind.with_article(),
            here.info.kind.name(),
        );
        let related = there.first_definition();
        let related = related.filter(|def| *def != place);
        let note = format!("`{name}` is {} here", there.info.kind.with_article());
        self.report_with(
            Severity::Error,
            codes::KIND_CHANGE,
            place,
            message,
            related.map(|def| (def, note)).into_iter().collect(),
        );
    }
}
