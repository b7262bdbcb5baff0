//! Functions whose body SystemDS puts in the place of a call, before it looks at kinds and sizes: one block of simple statements.
//! Such a call needs a value for every parameter, and scalars are turned into what the function declares.

use crate::ast::{Call, Expr, ExprKind, FunctionDef, Stmt, StmtKind};
use crate::walk::{Node, walk_stmt};

/// Where the function comes from that a call means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    /// The engine has it.
    Engine,
    /// A script that is at hand defines it; whether it is one block is asked by itself.
    Script,
    /// It is not at hand: a builtin that is a script, or a function of a file that is not there.
    Elsewhere,
}

/// Whether a function's body is one block to SystemDS: no control flow, nothing that it keeps apart from other statements, and no
/// call of what is not at hand.
#[must_use]
pub fn is_one_block(def: &FunctionDef, callee: &dyn Fn(&Call) -> Callee) -> bool {
    let Some(body) = &def.body else { return false };
    let statements = &body.statements;
    statements.iter().all(|stmt| is_simple(stmt, callee))
        && (statements.len() == 1 || !statements.iter().any(|stmt| is_kept_apart(stmt, callee)))
}

fn is_simple(stmt: &Stmt, callee: &dyn Fn(&Call) -> Callee) -> bool {
    let is_one = matches!(
        stmt.kind,
        StmtKind::Assign { .. } | StmtKind::MultiAssign { .. } | StmtKind::Expr(_)
    );
    if !is_one {
        return false;
    }
    let mut is_at_hand = true;
    walk_stmt(stmt, &mut |node| {
        if let Node::Expr(Expr {
            kind: ExprKind::Call(call),
            ..
        }) = node
        {
            is_at_hand &= callee(call) != Callee::Elsewhere;
        }
    });
    is_at_hand
}

fn is_kept_apart(stmt: &Stmt, callee: &dyn Fn(&Call) -> Callee) -> bool {
    match &stmt.kind {
        StmtKind::Expr(Expr {
            kind: ExprKind::Call(call),
            ..
        }) => matches!(&*call.name.name, "stop" | "assert"),
        StmtKind::MultiAssign {
            value:
                Expr {
                    kind: ExprKind::Call(call),
                    ..
                },
            ..
        } => callee(call) == Callee::Engine,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_one(body: &str) -> bool {
        let parse = crate::parse(format!(
            "f = function(double x) return (double y) {{ {body} }}"
        ));
        let Some(StmtKind::Function(def)) = parse.program().statements.first().map(|s| &s.kind)
        else {
            panic!("a function")
        };
        is_one_block(def, &|call| match &*call.name.name {
            "lm" => Callee::Elsewhere,
            "g" => Callee::Script,
            _ => Callee::Engine,
        })
    }

    #[test]
    fn plain_statements_are_one_block() {
        assert!(is_one("y = x * 2"));
        assert!(is_one("z = g(x)\nprint(z)\ny = z + 1"));
        assert!(is_one("[y, z] = eigen(x)"));
        assert!(is_one("stop(\"no\")"));
    }

    #[test]
    fn control_flow_and_what_is_kept_apart_are_not() {
        assert!(!is_one("y = 1\nif (x > 1) { y = 2 }"));
        assert!(!is_one("for (i in 1:2) { y = i }"));
        assert!(!is_one("[y, z] = eigen(x)\ny = y + 1"));
        assert!(!is_one("y = 1\nassert(y > 0)"));
        assert!(!is_one("y = lm(x, x)"));
    }
}
