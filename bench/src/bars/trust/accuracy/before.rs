//! What happens before a statement: which variables are computed from others there, and which may hold anything.

use std::collections::BTreeSet;
use std::sync::Arc;

use sumac_syntax::ast::{AssignOp, Block, Expr, ExprKind, Program, Stmt, StmtKind, Target};
use sumac_syntax::walk::{Node, walk_expr, walk_stmt};

use super::functions;

/// Where a variable has its value from.
pub(super) enum Source {
    Computed(Box<Stmt>),
    /// Anything; the place of the statement that assigns it, where it is one.
    Anything(Option<usize>),
}

/// What happens before a statement, in order.
#[derive(Default)]
pub(super) struct Before {
    pub(super) steps: Vec<(Arc<str>, Source)>,
}

impl Before {
    /// The statements of a range, wherever they stand; what may come before them becomes steps.
    pub(super) fn walk(&mut self, program: &Program, range: (usize, usize)) -> Option<Vec<Stmt>> {
        self.block(&program.statements, range)
    }

    fn block(&mut self, all: &[Stmt], range: (usize, usize)) -> Option<Vec<Stmt>> {
        for (at, stmt) in all.iter().enumerate() {
            if stmt.range.start >= range.0 && stmt.range.end <= range.1 {
                let inside = all[at..].iter().take_while(|it| it.range.end <= range.1);
                return Some(inside.cloned().collect());
            }
            let is_inside = stmt.range.start <= range.0 && range.1 <= stmt.range.end;
            if is_inside {
                return self.inside(stmt, range);
            }
            self.after(stmt);
        }
        None
    }

    fn inside(&mut self, stmt: &Stmt, range: (usize, usize)) -> Option<Vec<Stmt>> {
        let bodies: Vec<&Block> = match &stmt.kind {
            StmtKind::If {
                then, otherwise, ..
            } => std::iter::once(then).chain(otherwise).collect(),
            StmtKind::While { body, .. } | StmtKind::For { body, .. } => {
                // A later run finds what an earlier one left.
                self.anything_in(stmt);
                vec![body]
            }
            StmtKind::Function(function) => {
                self.steps.clear();
                for param in &function.params {
                    let name = Arc::clone(&param.name.name);
                    self.steps.push((name, Source::Anything(None)));
                }
                function.body.iter().collect()
            }
            _ => return None,
        };
        bodies.into_iter().find_map(|body| {
            let holds = body.range.start <= range.0 && range.1 <= body.range.end
                || body.statements.iter().any(|it| it.range.start >= range.0);
            holds.then(|| self.block(&body.statements, range)).flatten()
        })
    }

    /// Variables are what a statement before made them.
    fn after(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, value, .. } if target.index.is_none() => {
                let name = Arc::clone(&target.name.name);
                let source = if is_computed(value) {
                    Source::Computed(Box::new(stmt.clone()))
                } else {
                    Source::Anything(Some(stmt.range.start))
                };
                self.steps.push((name, source));
            }
            StmtKind::Function(_) => {}
            _ => self.anything_in(stmt),
        }
    }

    /// Whatever is assigned in it may be anything.
    fn anything_in(&mut self, stmt: &Stmt) {
        let mut targets = Vec::new();
        walk_stmt(stmt, &mut |node| {
            if let Node::Stmt(inner) = node {
                match &inner.kind {
                    StmtKind::Assign { target, .. } => {
                        targets.push((Arc::clone(&target.name.name), inner.range.start));
                    }
                    StmtKind::MultiAssign { targets: all, .. } => {
                        for target in all {
                            targets.push((Arc::clone(&target.name.name), inner.range.start));
                        }
                    }
                    StmtKind::For { var, .. } => {
                        targets.push((Arc::clone(&var.name), inner.range.start));
                    }
                    _ => {}
                }
            }
        });
        for (name, start) in targets {
            self.steps.push((name, Source::Anything(Some(start))));
        }
    }
}

/// Whether a search computes such an expression by itself.
fn is_computed(expr: &Expr) -> bool {
    let mut is_known = true;
    walk_expr(expr, &mut |node| {
        if let Node::Expr(inner) = node {
            is_known &= match &inner.kind {
                ExprKind::Call(call) => {
                    call.namespace.is_none() && functions::is_known(&call.name.name)
                }
                ExprKind::Arg(_) => !matches!(expr.kind, ExprKind::Arg(_)),
                ExprKind::Missing | ExprKind::List(_) => false,
                _ => true,
            };
        }
    });
    is_known
}

/// What a statement adds to.
pub(super) fn accumulated(stmt: &Stmt) -> Option<&Target> {
    match &stmt.kind {
        StmtKind::Assign {
            target,
            op: AssignOp::Accumulate,
            ..
        } => Some(target),
        _ => None,
    }
}

/// The variables that a statement reads.
pub(super) fn names_of(stmt: &Stmt, names: &mut BTreeSet<Arc<str>>) {
    walk_stmt(stmt, &mut |node| {
        if let Node::Expr(Expr {
            kind: ExprKind::Name(name),
            ..
        }) = node
        {
            names.insert(Arc::clone(&name.name));
        }
    });
    if let Some(target) = accumulated(stmt) {
        names.insert(Arc::clone(&target.name.name));
    }
}

#[cfg(test)]
mod tests {
    use sumac_syntax::parse;

    use super::*;

    /// The names before a line, those that may be anything with a question mark.
    fn before(script: &str, line: usize) -> String {
        let parsed = parse(script);
        let lines = parsed.lines();
        let mut before = Before::default();
        let range = (lines.line_start(line - 1), lines.line_end(line - 1));
        let found = before.walk(parsed.program(), range).unwrap();
        assert_eq!(found.len(), 1);
        let shown = before.steps.iter().map(|(name, source)| match source {
            Source::Computed(_) => name.to_string(),
            Source::Anything(_) => format!("{name}?"),
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_a_loop_changes_may_be_anything_and_what_is_computed_may_not() {
        let script = "X = read($X)
m = colMeans(X)
Q = mystery(X)
for (i in 1:3) {
  Z = X - m
  m = m * 2
  s = sum(Z^2)
}
";
        assert_eq!(before(script, 2), "X?");
        assert_eq!(before(script, 7), "X? m Q? i? Z? m? s? Z m");
    }

    #[test]
    fn in_a_function_nothing_of_the_script_is_known() {
        let script = "X = read($X)
f = function(matrix[double] A) return (double s) {
  b = A * 2
  s = sum(b)
}
";
        assert_eq!(before(script, 4), "A? b");
    }
}
