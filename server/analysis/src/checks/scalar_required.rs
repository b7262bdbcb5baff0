//! A matrix where SystemDS takes a scalar only. It converts nothing by itself, not even a matrix of one cell.

use sumac_syntax::ast::{BinaryOp, Call, Expr, ExprKind, Index, LoopRange, Span, Stmt, StmtKind};
use sumac_syntax::walk::{Node, walk};

use super::checked::{Checked, diagnostic};
use crate::db::resolve::Lookup;
use crate::functions::argument;
use crate::names::strip;
use crate::params::declared;
use crate::result::{Diagnostic, Severity, codes};
use crate::value::{ValueInfo, ValueKind};

/// Parameters of builtins that take scalars only: name and place.
const SCALAR_PARAMETERS: [(&str, &[(&str, usize)]); 3] = [
    (
        "rand",
        &[
            ("rows", usize::MAX),
            ("cols", usize::MAX),
            ("sparsity", usize::MAX),
        ],
    ),
    ("matrix", &[("rows", 1), ("cols", 2)]),
    ("seq", &[("from", 0), ("to", 1), ("incr", 2)]),
];

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    walk(checked.program, &mut |node| match node {
        Node::Stmt(stmt) => in_head(checked, stmt, acc),
        Node::Expr(expr) => match &expr.kind {
            ExprKind::Call(call) => in_call(checked, call, acc),
            ExprKind::Index(base, index) => {
                let is_cells = info(checked, base)
                    .is_some_and(|info| matches!(info.kind, ValueKind::Matrix | ValueKind::Frame));
                if is_cells {
                    let first = acc.len();
                    in_index(checked, index, acc);
                    refused_where_it_runs(checked, &mut acc[first..]);
                }
            }
            ExprKind::Binary(BinaryOp::Add, a, b) => {
                if is_text(checked, a) {
                    value(checked, b, "a text can be joined with a scalar only", acc);
                } else if is_text(checked, b) {
                    value(checked, a, "a text can be joined with a scalar only", acc);
                }
            }
            _ => {}
        },
    });
}

fn in_head(checked: &Checked<'_>, stmt: &Stmt, acc: &mut Vec<Diagnostic>) {
    match &stmt.kind {
        StmtKind::If { cond, .. } | StmtKind::While { cond, .. } => {
            let first = acc.len();
            parts(checked, cond, "a condition is a scalar", acc);
            // Of an operator, the compiler refuses the result wherever it stands.
            let is_operator = matches!(strip(cond).kind, ExprKind::Binary(..));
            if is_operator && !checked.never_runs(cond.range) {
                refused(&mut acc[first..]);
            } else {
                refused_where_it_runs(checked, &mut acc[first..]);
            }
        }
        StmtKind::For {
            range: LoopRange::FromTo(from, to),
            ..
        } => {
            let first = acc.len();
            for end in [from, to] {
                parts(checked, end, "a loop runs from a scalar to a scalar", acc);
            }
            refused(&mut acc[first..]);
        }
        StmtKind::Assign { target, .. } => {
            if let Some(index) = &target.index {
                let first = acc.len();
                in_index(checked, index, acc);
                refused_where_it_runs(checked, &mut acc[first..]);
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
            parts(checked, end, "a position is a scalar", acc);
        }
    }
}

fn in_call(checked: &Checked<'_>, call: &Call, acc: &mut Vec<Diagnostic>) {
    if call.namespace.is_some() {
        return;
    }
    let name = &*call.name.name;
    let first = acc.len();
    if let Some(declaration) = checked.declared(name) {
        // In the place of its call, the body of a small function begins with the arguments as scalars.
        let is_inlined = match checked.world.lookup(None, name) {
            Lookup::Function(callee) => checked.world.is_inlined(callee),
            _ => false,
        };
        for (at, param) in declaration.def.params.iter().enumerate() {
            if declared(param).kind.is_scalar()
                && let Some((_, arg)) = argument(&call.args, &param.name.name, at)
            {
                let what = format!("`{}` of `{name}` takes a scalar", param.name.name);
                let before = acc.len();
                parts(checked, &arg.value, &what, acc);
                if is_inlined && declared(param).kind != ValueKind::String {
                    refused(&mut acc[before..]);
                }
            }
        }
        return;
    }
    let row = SCALAR_PARAMETERS
        .iter()
        .find(|(builtin, _)| *builtin == name);
    for (param, at) in row.map_or(&[][..], |(_, params)| *params) {
        if let Some((_, arg)) = argument(&call.args, param, *at) {
            let what = format!("`{param}` of `{name}` takes a scalar");
            parts(checked, &arg.value, &what, acc);
        }
    }
    if name == "seq" {
        refused(&mut acc[first..]);
    } else {
        refused_where_it_runs(checked, &mut acc[first..]);
    }
}

/// What SystemDS's compiler does not let pass where it surely runs.
fn refused_where_it_runs(checked: &Checked<'_>, found: &mut [Diagnostic]) {
    for diagnostic in found {
        if !checked.may_not_run(diagnostic.range) {
            diagnostic.severity = Severity::Error;
        }
    }
}

/// What SystemDS's compiler does not let pass.
fn refused(found: &mut [Diagnostic]) {
    for diagnostic in found {
        diagnostic.severity = Severity::Error;
    }
}

/// The matrices that make an expression a matrix where it must be a scalar: `X` in `X > 0 & i < n`.
fn parts(checked: &Checked<'_>, expr: &Expr, what: &str, acc: &mut Vec<Diagnostic>) {
    let expr = strip(expr);
    if !is_matrix(checked, expr) {
        return;
    }
    match &expr.kind {
        ExprKind::Binary(op, a, b) if *op != BinaryOp::MatMul => {
            parts(checked, a, what, acc);
            parts(checked, b, what, acc);
        }
        ExprKind::Unary(_, inner) => parts(checked, inner, what, acc),
        _ => value(checked, expr, what, acc),
    }
}

fn value(checked: &Checked<'_>, expr: &Expr, what: &str, acc: &mut Vec<Diagnostic>) {
    let Some(info) = info(checked, expr).filter(|info| info.kind == ValueKind::Matrix) else {
        return;
    };
    let hint = if can_be_one_cell(info) {
        let text = checked.text.get(expr.range.start..expr.range.end);
        format!("write `as.scalar({})`", text.unwrap_or("X"))
    } else {
        "pick a cell, or aggregate it, for example by `sum`".to_owned()
    };
    let message = format!("{what}, and this is a matrix ({}); {hint}", info.ty());
    let found = diagnostic(codes::SCALAR_REQUIRED, expr.range, message);
    if !acc.contains(&found) {
        acc.push(found);
    }
}

/// Whether `as.scalar` takes it, as far as is known.
fn can_be_one_cell(info: &ValueInfo) -> bool {
    [&info.rows, &info.cols]
        .iter()
        .all(|dim| dim.known().is_none_or(|n| n == 1))
}

fn info<'a>(checked: &Checked<'a>, expr: &Expr) -> Option<&'a ValueInfo> {
    checked.analysis.type_at(expr.range)
}

fn is_matrix(checked: &Checked<'_>, expr: &Expr) -> bool {
    info(checked, expr).is_some_and(|info| info.kind == ValueKind::Matrix)
}

fn is_text(checked: &Checked<'_>, expr: &Expr) -> bool {
    info(checked, expr).is_some_and(|info| info.kind == ValueKind::String)
}
