//! What statements compute beside their expressions of linear algebra and both forms compute all the same: inverses, solutions
//! of systems and other decompositions. A gain is a share of the whole. Must never look at forms.

use sumac_cost::{Cost, Machine};
use sumac_syntax::ast::{ExprKind, Stmt};
use sumac_syntax::walk::{Node, stmt_of, walk_stmt};

use super::group::Group;
use super::site::Site;

/// FLOPs of a decomposition of n rows, as a multiple of n³ (Golub and Van Loan, *Matrix Computations*, 4th edition).
const WORK: [(&str, f64); 8] = [
    ("inv", 2.0),
    ("solve", 2.0 / 3.0),
    ("cholesky", 1.0 / 3.0),
    ("det", 2.0 / 3.0),
    ("lu", 2.0 / 3.0),
    ("qr", 4.0 / 3.0),
    ("eigen", 9.0),
    ("svd", 21.0),
];

/// The cost of the decompositions in the statements of a group. `None` where there are none of known size.
pub(super) fn cost(site: Site<'_>, group: &Group<'_>, machine: &Machine) -> Option<Cost> {
    let statements = group.members.iter();
    let statements = statements.map(|place| site.block.statements[*place].range);
    let statements = statements.filter_map(|range| stmt_of(site.program(), range));
    let flops: f64 = statements.map(|statement| work(site, statement)).sum();
    (flops > 0.0).then(|| Cost {
        flops,
        seconds: flops / machine.product_flops,
        ..Cost::default()
    })
}

/// FLOPs of the decompositions in a statement.
fn work(site: Site<'_>, statement: &Stmt) -> f64 {
    let mut flops = 0.0;
    walk_stmt(statement, &mut |node| {
        if let Node::Expr(expr) = node
            && let ExprKind::Call(call) = &expr.kind
            && call.namespace.is_none()
            && let Some((_, share)) = WORK.iter().find(|(name, _)| *name == &*call.name.name)
            && let Some(rows) = call.args.first().and_then(|arg| site.rows_of(&arg.value))
        {
            flops += share * rows.powi(3);
        }
    });
    flops
}
