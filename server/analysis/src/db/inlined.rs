//! Functions whose body SystemDS puts in the place of their calls.

use std::sync::Arc;

use sumac_builtins::Source;
use sumac_syntax::ast::{Call, Expr, ExprKind};
use sumac_syntax::inline::{Callee, is_one_block};
use sumac_syntax::walk::{Node, walk};

use super::resolve::{callees, reach};
use super::unit::definition;
use super::{Db, Function};

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
