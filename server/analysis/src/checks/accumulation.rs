//! `x += e` where `x` is first assigned in the same block of statements: SystemDS adds to what a variable was before the block,
//! and refuses it where there was none.

use std::collections::BTreeSet;

use sumac_builtins::Source;
use sumac_syntax::ast::{AssignOp, Expr, ExprKind, Stmt, StmtKind};
use sumac_syntax::walk::{Node, walk_stmt};

use super::checked::{Checked, diagnostic};
use crate::names;
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    in_list(
        checked,
        &checked.program.statements,
        &mut BTreeSet::new(),
        acc,
    );
}

/// `before`: the variables that may be there before the statements.
fn in_list<'a>(
    checked: &Checked<'a>,
    list: &'a [Stmt],
    before: &mut BTreeSet<&'a str>,
    acc: &mut Vec<Diagnostic>,
) {
    let mut fresh: BTreeSet<&str> = BTreeSet::new();
    for stmt in list {
        let bodies = names::bodies(stmt);
        let ends_block = !bodies.is_empty() || calls_function(checked, stmt);
        if ends_block {
            before.append(&mut fresh);
        }
        match &stmt.kind {
            StmtKind::Assign { target, op, value } => {
                let name = &*target.name.name;
                if *op == AssignOp::Accumulate && fresh.contains(name) {
                    let message = format!(
                        "`{name} += …` adds to what `{name}` was before this block of statements, and it is first assigned in it; write `{}`",
                        sum(checked, target.index.is_none().then_some(name), value)
                    );
                    acc.push(diagnostic(
                        codes::UNDEFINED_NAME,
                        target.name.range,
                        message,
                    ));
                }
                let is_new = *op == AssignOp::Set && target.index.is_none();
                if is_new && !ends_block && !before.contains(name) {
                    fresh.insert(name);
                } else if !fresh.contains(name) {
                    before.insert(name);
                }
            }
            StmtKind::MultiAssign { targets, .. } => {
                before.extend(targets.iter().map(|target| &*target.name.name));
                fresh.retain(|name| !before.contains(name));
            }
            StmtKind::For { var, .. } => {
                before.insert(&var.name);
            }
            StmtKind::Function(def) => {
                let mut own = def.params.iter().map(|param| &*param.name.name).collect();
                for body in &bodies {
                    in_list(checked, &body.statements, &mut own, acc);
                }
                continue;
            }
            _ => {}
        }
        for body in bodies {
            in_list(checked, &body.statements, before, acc);
        }
    }
    before.append(&mut fresh);
}

/// How to write it without the sign.
fn sum(checked: &Checked<'_>, name: Option<&str>, value: &Expr) -> String {
    let text = checked.slice(value);
    let Some(name) = name else {
        return "X[i, j] = X[i, j] + …".to_owned();
    };
    match value.kind {
        ExprKind::Binary(..) => format!("{name} = {name} + ({text})"),
        _ => format!("{name} = {name} + {text}"),
    }
}

/// Whether a statement calls what is written in DML: such a statement is a block of its own.
fn calls_function(checked: &Checked<'_>, stmt: &Stmt) -> bool {
    let mut found = false;
    walk_stmt(stmt, &mut |node| {
        if let Node::Expr(Expr {
            kind: ExprKind::Call(call),
            ..
        }) = node
        {
            let name = &*call.name.name;
            let is_native =
                || sumac_builtins::find(name).is_some_and(|row| row.source == Source::Native);
            found |= call.namespace.is_some() || checked.is_own(name) || !is_native();
        }
    });
    found
}
