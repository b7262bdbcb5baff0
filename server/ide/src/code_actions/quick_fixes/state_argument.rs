//! Give a `$` argument a value, where the path of a `read` is one that nothing gives: then the size may be read there.
//!
//! ```text
//! X = $0read($X)
//! ```
//! ->
//! ```text
//! #@ $X = ""
//! X = read($X)
//! ```

use sumac_analysis::codes;
use sumac_syntax::ast::{Expr, ExprKind, FactKind};
use sumac_syntax::walk::{Node, walk_expr};

use super::fix::{Fix, expr_at, line_above, stmt_around};
use super::{Diagnostic, Snapshot};

pub(super) fn fix(snapshot: &Snapshot, found: &Diagnostic) -> Option<Fix> {
    if found.code != codes::UNKNOWN_SIZE {
        return None;
    }
    let name = argument(expr_at(snapshot, found.range)?)?;
    let is_given = snapshot.parse.program().facts.iter().any(
        |fact| matches!(&fact.kind, FactKind::Arg { name: given, .. } if *given.name == *name),
    );
    if is_given {
        return None;
    }
    let stmt = stmt_around(snapshot, found.range)?;
    let line = format!("#@ ${name} = \"\"");
    let edits = vec![line_above(snapshot, stmt.range.start, &line)];
    Some(Fix::possible(format!("Give `${name}` a value"), edits))
}

/// The first argument that an expression takes from the command line.
fn argument(expr: &Expr) -> Option<String> {
    let mut found = None;
    walk_expr(expr, &mut |node| {
        if let Node::Expr(Expr {
            kind: ExprKind::Arg(name),
            ..
        }) = node
        {
            found.get_or_insert_with(|| name.name.to_string());
        }
    });
    found
}
