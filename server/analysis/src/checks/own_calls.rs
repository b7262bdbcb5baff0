//! Calls of functions of scripts in places where SystemDS does not take them: among the positions of a matrix and in the heads
//! of loops, and calls of small functions, which it puts in the place of the call, without a name for each result.

use sumac_syntax::ast::{Call, Expr, ExprKind, Index, LoopRange, Span, Stmt, StmtKind};
use sumac_syntax::walk::{Node, walk, walk_expr};

use super::checked::{Checked, diagnostic};
use crate::db::inputs::Function;
use crate::db::resolve::Lookup;
use crate::names::strip;
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    walk(checked.program, &mut |node| match node {
        Node::Stmt(stmt) => {
            in_head(checked, stmt, acc);
            results(checked, stmt, acc);
        }
        Node::Expr(Expr {
            kind: ExprKind::Index(_, index),
            ..
        }) => in_index(checked, index, acc),
        _ => {}
    });
}

fn callee(checked: &Checked<'_>, call: &Call) -> Option<Function> {
    let namespace = call.namespace.as_ref().map(|ident| &*ident.name);
    let name = &*call.name.name;
    if namespace.is_none() && !checked.is_own(name) {
        return None;
    }
    match checked.world.lookup(namespace, name) {
        Lookup::Function(callee) => Some(callee),
        _ => None,
    }
}

fn in_head(checked: &Checked<'_>, stmt: &Stmt, acc: &mut Vec<Diagnostic>) {
    match &stmt.kind {
        StmtKind::For {
            range: LoopRange::FromTo(from, to),
            ..
        } => {
            for end in [from, to] {
                no_calls(checked, end, "an end of a loop", acc);
            }
        }
        StmtKind::While { cond, .. } => {
            no_calls(checked, cond, "the condition of a `while`", acc);
        }
        StmtKind::Assign { target, .. } => {
            if let Some(index) = &target.index {
                in_index(checked, index, acc);
            }
        }
        _ => {}
    }
}

fn in_index(checked: &Checked<'_>, index: &Index, acc: &mut Vec<Diagnostic>) {
    for span in std::iter::once(&index.rows).chain(&index.cols) {
        let ends = match span {
            Span::All => [None, None],
            Span::At(at) => [Some(at), None],
            Span::Range(from, to) => [from.as_ref(), to.as_ref()],
        };
        for end in ends.into_iter().flatten() {
            no_calls(checked, end, "a position", acc);
        }
    }
}

fn no_calls(checked: &Checked<'_>, expr: &Expr, what: &str, acc: &mut Vec<Diagnostic>) {
    walk_expr(expr, &mut |node| {
        let Node::Expr(expr) = node else { return };
        let ExprKind::Call(call) = &expr.kind else {
            return;
        };
        if callee(checked, call).is_none() {
            return;
        }
        let text = checked.slice(expr);
        let message = format!(
            "{what} cannot call a function of a script, and this calls `{}`; assign `{text}` to a variable first, and write that here",
            call.name.name
        );
        let found = diagnostic(codes::ARGUMENT_FORM, expr.range, message);
        if !acc.contains(&found) {
            acc.push(found);
        }
    });
}

/// A statement that gives the results of a small function too few names.
fn results(checked: &Checked<'_>, stmt: &Stmt, acc: &mut Vec<Diagnostic>) {
    let (value, names) = match &stmt.kind {
        StmtKind::Expr(value) => (value, 0),
        StmtKind::Assign { value, .. } => (value, 1),
        StmtKind::MultiAssign { targets, value } => (value, targets.len()),
        _ => return,
    };
    let value = strip(value);
    let ExprKind::Call(call) = &value.kind else {
        return;
    };
    let Some(callee) = callee(checked, call).filter(|callee| checked.world.is_inlined(*callee))
    else {
        return;
    };
    let Some(declaration) = checked.world.declaration(callee) else {
        return;
    };
    let all = &declaration.def.results;
    if names >= all.len() {
        return;
    }
    let list: Vec<&str> = all.iter().map(|result| &*result.name.name).collect();
    let targets = match list.as_slice() {
        [one] => (*one).to_owned(),
        list => format!("[{}]", list.join(", ")),
    };
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    let message = format!(
        "`{}` gives {} result{}, found {names} name{} for them; write `{targets} = {}`",
        call.name.name,
        all.len(),
        plural(all.len()),
        plural(names),
        checked.slice(value)
    );
    acc.push(diagnostic(codes::WRONG_ARITY, value.range, message));
}
