//! Functions whose body SystemDS puts in the place of their calls.

use std::sync::Arc;

use sumac_builtins::{Kind, Source};
use sumac_syntax::ast::{Call, Expr, ExprKind, StmtKind};
use sumac_syntax::inline::{Callee, is_one_block};
use sumac_syntax::walk::{Node, walk};

use super::api::Db;
use super::inputs::Function;
use super::resolve::{callees, reach};
use super::unit::definition;

/// Whether the body of a function reads a variable. A query of its own, so that a caller depends on the answer and not on the
/// body.
#[salsa::tracked(returns(copy))]
#[allow(
    clippy::needless_pass_by_value,
    reason = "a query owns what it is asked with"
)]
pub(crate) fn reads(db: &dyn Db, function: Function, name: Arc<str>) -> bool {
    let Some(unit) = function.unit(db) else {
        return true;
    };
    let mut found = false;
    walk(&unit.program, &mut |node| {
        if let Node::Expr(Expr {
            kind: ExprKind::Name(ident),
            ..
        }) = node
        {
            found |= ident.name == name;
        }
    });
    found
}

/// Whether the body of a function gives a variable that it does not assign to a builtin that takes no scalar in its place.
#[salsa::tracked(returns(copy))]
#[allow(
    clippy::needless_pass_by_value,
    reason = "a query owns what it is asked with"
)]
pub(crate) fn needs_cells(db: &dyn Db, function: Function, name: Arc<str>) -> bool {
    let Some(unit) = function.unit(db) else {
        return false;
    };
    let own = callees(db, function);
    let (mut found, mut is_assigned) = (false, false);
    walk(&unit.program, &mut |node| match node {
        Node::Stmt(stmt) => {
            if let StmtKind::Assign { target, .. } = &stmt.kind {
                is_assigned |= target.name.name == name;
            }
        }
        Node::Expr(Expr {
            kind: ExprKind::Call(call),
            ..
        }) => {
            let is_own = own.iter().any(|own| own.name(db) == call.name.name);
            let row = sumac_builtins::find(&call.name.name);
            let row = row.filter(|row| row.source == Source::Native && !row.named && !row.variadic);
            let Some(row) = row.filter(|_| call.namespace.is_none() && !is_own) else {
                return;
            };
            let mut args = call.args.iter().zip(&row.params);
            found |= args.any(|(arg, param)| {
                let is_it = matches!(&arg.value.kind, ExprKind::Name(ident) if ident.name == name);
                let is_size = matches!(row.name, "nrow" | "ncol" | "length");
                is_it && arg.name.is_none() && (is_size || param.kind == Kind::Matrix)
            });
        }
        Node::Expr(_) => {}
    });
    found && !is_assigned
}

/// Whether SystemDS puts the function's body in the place of its calls: it is one block of simple statements, and so are the
/// functions that it calls.
#[salsa::tracked(returns(copy))]
pub(crate) fn is_inlined(db: &dyn Db, function: Function) -> bool {
    let reach = reach(db, function);
    let reached = &reach.functions;
    let is_plain = |function: Function| {
        let Some(unit) = function.unit(db) else {
            return false;
        };
        let own = callees(db, function);
        let callee = |call: &Call| {
            let name = &call.name.name;
            if own.iter().any(|callee| callee.name(db) == *name) {
                return Callee::Script;
            }
            let row = sumac_builtins::find(name).filter(|_| call.namespace.is_none());
            match row.map(|row| row.source) {
                Some(Source::Native) => Callee::Engine,
                Some(Source::Script) | None => Callee::Elsewhere,
            }
        };
        definition(&unit).is_some_and(|def| is_one_block(def, &callee))
    };
    !reached.contains(&function) && is_plain(function) && reached.iter().copied().all(is_plain)
}
