//! `x += e` where `x` is assigned earlier in the same block of statements: SystemDS adds to what a variable was before the
//! block, and refuses it where nothing in the block reads that.

use std::sync::Arc;

use sumac_builtins::Source;
use sumac_syntax::ast::{AssignOp, Call, Expr, ExprKind, Stmt, StmtKind};
use sumac_syntax::walk::{Node, walk_stmt};

use super::checked::{Checked, diagnostic};
use crate::names::{self, Names};
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    in_list(checked, &checked.program.statements, acc);
}

/// What the statements of a block so far have done: there is no control flow in one, and no call of what is written in DML.
#[derive(Default)]
struct Sequence {
    /// The variables that are read as they were before it.
    read: Names,
    assigned: Names,
}

fn in_list(checked: &Checked<'_>, list: &[Stmt], acc: &mut Vec<Diagnostic>) {
    let mut sequence = Sequence::default();
    for stmt in list {
        let bodies = names::bodies(stmt);
        let takes = blocks_of(checked, stmt);
        if takes != Blocks::InTheSame {
            sequence = Sequence::default();
        }
        for body in bodies {
            in_list(checked, &body.statements, acc);
        }
        if takes == Blocks::ItsOwn {
            continue;
        }
        let reads = names::reads(stmt, checked.text);
        let is_new = |name: &Arc<str>| !sequence.assigned.contains(name);
        let before: Vec<_> = reads.into_iter().filter(is_new).collect();
        sequence.read.extend(before);
        if let StmtKind::Assign {
            target,
            op: AssignOp::Accumulate,
            value,
        } = &stmt.kind
            && !sequence.read.contains(&target.name.name)
        {
            let name = &target.name.name;
            let message = format!(
                "`{name} += …` adds to what `{name}` was before this block of statements, and it is assigned earlier in it; write `{}`",
                sum(checked, target.index.is_none().then_some(name), value)
            );
            acc.push(diagnostic(
                codes::UNDEFINED_NAME,
                target.name.range,
                message,
            ));
        }
        let assigned = names::writes(stmt).into_iter();
        sequence
            .assigned
            .extend(assigned.map(|ident| ident.name.clone()));
    }
}

/// In which block of SystemDS a statement stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blocks {
    /// In that of the statement before it.
    InTheSame,
    /// In the first after a call that is computed before it.
    AfterACall,
    /// In one of its own.
    ItsOwn,
}

fn blocks_of(checked: &Checked<'_>, stmt: &Stmt) -> Blocks {
    let calls = calls_function(checked, stmt);
    match &stmt.kind {
        _ if !names::bodies(stmt).is_empty() => Blocks::ItsOwn,
        StmtKind::MultiAssign { .. } => Blocks::ItsOwn,
        StmtKind::Assign {
            op: AssignOp::Set,
            value:
                Expr {
                    kind: ExprKind::Call(call),
                    ..
                },
            ..
        } if is_written_in_dml(checked, call) => Blocks::ItsOwn,
        _ if calls => Blocks::AfterACall,
        _ => Blocks::InTheSame,
    }
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

/// Whether a statement calls what is written in DML.
fn calls_function(checked: &Checked<'_>, stmt: &Stmt) -> bool {
    let mut found = false;
    walk_stmt(stmt, &mut |node| {
        if let Node::Expr(Expr {
            kind: ExprKind::Call(call),
            ..
        }) = node
        {
            found |= is_written_in_dml(checked, call);
        }
    });
    found
}

fn is_written_in_dml(checked: &Checked<'_>, call: &Call) -> bool {
    let name = &*call.name.name;
    let is_native = || sumac_builtins::find(name).is_some_and(|row| row.source == Source::Native);
    call.namespace.is_some() || checked.is_own(name) || !is_native()
}
