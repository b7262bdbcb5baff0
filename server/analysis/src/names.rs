//! Which names an expression or a statement reads and writes. Walks with a stack of its own: depth never matters.

use std::collections::BTreeSet;
use std::sync::Arc;

use sumac_syntax::ast::{
    Arg, AssignOp, Block, Expr, ExprKind, Ident, Index, LoopRange, Span, Stmt, StmtKind,
};
use sumac_syntax::lex::words;

/// A set of names.
pub(crate) type Names = BTreeSet<Arc<str>>;

/// Calls `f` with each variable that `expr` reads.
pub(crate) fn for_each_read<'a>(expr: &'a Expr, f: &mut dyn FnMut(&'a Ident)) {
    for_each_leaf(expr, &mut |leaf| {
        if let ExprKind::Name(ident) = &leaf.kind {
            f(ident);
        }
    });
}

/// Calls `f` with each part of `expr` that has no parts itself: variables, arguments of the command line, constants.
pub(crate) fn for_each_leaf<'a>(expr: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
    let mut stack = vec![expr];
    while let Some(expr) = stack.pop() {
        match &expr.kind {
            ExprKind::Unary(_, a) | ExprKind::Paren(a) => stack.push(a),
            ExprKind::Binary(_, a, b) => stack.extend([&**b, &**a]),
            ExprKind::Call(call) => stack.extend(call.args.iter().rev().map(|arg| &arg.value)),
            ExprKind::Index(base, index) => {
                index_exprs(index, &mut |e| stack.push(e));
                stack.push(base);
            }
            ExprKind::List(items) => stack.extend(items.iter().rev()),
            ExprKind::Name(_)
            | ExprKind::Arg(_)
            | ExprKind::Missing
            | ExprKind::Int(_)
            | ExprKind::Double(_)
            | ExprKind::Bool(_)
            | ExprKind::Str(_) => f(expr),
        }
    }
}

/// Calls `f` with each expression inside the brackets.
pub(crate) fn index_exprs<'a>(index: &'a Index, f: &mut dyn FnMut(&'a Expr)) {
    for span in [Some(&index.rows), index.cols.as_ref()]
        .into_iter()
        .flatten()
    {
        match span {
            Span::All => {}
            Span::At(e) => f(e),
            Span::Range(a, b) => {
                for e in [a, b].into_iter().flatten() {
                    f(e);
                }
            }
        }
    }
}

/// The expressions at the head of a statement: everything but bodies.
pub(crate) fn head_exprs(stmt: &Stmt) -> Vec<&Expr> {
    let mut exprs = Vec::new();
    match &stmt.kind {
        StmtKind::Assign { target, value, .. } => {
            exprs.push(value);
            if let Some(index) = &target.index {
                index_exprs(index, &mut |e| exprs.push(e));
            }
        }
        StmtKind::MultiAssign { targets, value } => {
            exprs.push(value);
            for index in targets.iter().filter_map(|t| t.index.as_ref()) {
                index_exprs(index, &mut |e| exprs.push(e));
            }
        }
        StmtKind::Expr(e) => exprs.push(e),
        StmtKind::If { cond, .. } | StmtKind::While { cond, .. } => exprs.push(cond),
        StmtKind::For { range, options, .. } => {
            match range {
                LoopRange::FromTo(a, b) => exprs.extend([a, b]),
                LoopRange::Over(e) => exprs.push(e),
            }
            exprs.extend(option_exprs(options));
        }
        StmtKind::Function(_)
        | StmtKind::Source { .. }
        | StmtKind::SetWd { .. }
        | StmtKind::Error => {}
    }
    exprs
}

/// The options of a `parfor` that are expressions: in `opt = CONSTRAINED`, the name is a word of the language.
pub(crate) fn option_exprs(options: &[Arg]) -> impl Iterator<Item = &Expr> {
    const WORDS: [&str; 6] = [
        "mode",
        "opt",
        "log",
        "resultmerge",
        "taskpartitioner",
        "datapartitioner",
    ];
    options
        .iter()
        .filter(|arg| {
            let takes_word = arg.name.as_ref().is_some_and(|n| WORDS.contains(&&*n.name));
            !(takes_word && matches!(arg.value.kind, ExprKind::Name(_)))
        })
        .map(|arg| &arg.value)
}

/// The bodies of a statement.
pub(crate) fn bodies(stmt: &Stmt) -> Vec<&Block> {
    match &stmt.kind {
        StmtKind::If {
            then, otherwise, ..
        } => std::iter::once(then).chain(otherwise.as_ref()).collect(),
        StmtKind::While { body, .. } | StmtKind::For { body, .. } => vec![body],
        StmtKind::Function(f) => f.body.as_ref().into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The variables that a statement's head reads; `X[1, 1] = …` and `X += …` read `X`.
pub(crate) fn reads(stmt: &Stmt, text: &str) -> Names {
    let mut names = Names::new();
    for expr in head_exprs(stmt) {
        for_each_read(expr, &mut |ident| {
            names.insert(ident.name.clone());
        });
    }
    match &stmt.kind {
        StmtKind::Assign { target, op, .. }
            if target.index.is_some() || *op == AssignOp::Accumulate =>
        {
            names.insert(target.name.name.clone());
        }
        StmtKind::MultiAssign { targets, .. } => {
            names.extend(
                targets
                    .iter()
                    .filter(|t| t.index.is_some())
                    .map(|t| t.name.name.clone()),
            );
        }
        // What cannot be read may read anything that it mentions.
        StmtKind::Error => {
            names.extend(
                words(
                    text.get(stmt.range.start..stmt.range.end)
                        .unwrap_or_default(),
                )
                .map(Into::into),
            );
        }
        _ => {}
    }
    names
}

/// The names that a statement's head assigns.
pub(crate) fn writes(stmt: &Stmt) -> Vec<&Ident> {
    match &stmt.kind {
        StmtKind::Assign { target, .. } => vec![&target.name],
        StmtKind::MultiAssign { targets, .. } => targets.iter().map(|t| &t.name).collect(),
        StmtKind::For { var, .. } => vec![var],
        _ => Vec::new(),
    }
}

/// The names that are assigned anywhere in `statements`, functions left out.
pub(crate) fn all_writes(statements: &[Stmt]) -> Names {
    let mut names = Names::new();
    let mut stack: Vec<&Stmt> = statements.iter().collect();
    while let Some(stmt) = stack.pop() {
        names.extend(writes(stmt).into_iter().map(|ident| ident.name.clone()));
        if !matches!(stmt.kind, StmtKind::Function(_)) {
            stack.extend(bodies(stmt).into_iter().flat_map(|body| &body.statements));
        }
    }
    names
}

/// Names that SystemDS reads as numbers.
pub(crate) fn is_constant_name(name: &str) -> bool {
    matches!(
        name,
        "pi" | "PI" | "inf" | "Inf" | "INF" | "nan" | "NaN" | "NAN"
    )
}

/// The expression inside all its parentheses.
pub(crate) fn strip(mut expr: &Expr) -> &Expr {
    while let ExprKind::Paren(inner) = &expr.kind {
        expr = inner;
    }
    expr
}

/// Whether a statement ends the script.
pub(crate) fn is_stop(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Expr(expr) if matches!(
        &strip(expr).kind,
        ExprKind::Call(call) if call.namespace.is_none() && &*call.name.name == "stop"
    ))
}
