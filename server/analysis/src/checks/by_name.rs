//! Calls of builtins in a form that SystemDS does not take: without the names that it looks arguments up by, and without a
//! size that it needs. It decides so wherever the call stands.

use sumac_builtins::Builtin;
use sumac_syntax::ast::{Call, ExprKind};
use sumac_syntax::walk::{Node, walk};

use super::checked::{Checked, diagnostic};
use crate::result::{Diagnostic, codes};

/// Builtins that find their arguments by name only.
const BY_NAME: [&str; 26] = [
    "order",
    "removeEmpty",
    "replace",
    "contains",
    "aggregate",
    "rand",
    "lower.tri",
    "upper.tri",
    "cdf",
    "icdf",
    "pnorm",
    "qnorm",
    "pt",
    "qt",
    "pf",
    "qf",
    "pchisq",
    "qchisq",
    "pexp",
    "qexp",
    "transformencode",
    "transformapply",
    "transformdecode",
    "tokenize",
    // Further names of some.
    "groupedAggregate",
    "Rand",
];

/// Builtins that take one argument by its place, and the others by name.
const BY_NAME_FROM_SECOND: [&str; 2] = ["countDistinct", "unique"];

/// A builtin, its parameters that must be given, each with its place, and the one that stands for them.
type Needed = (&'static str, [(&'static str, usize); 2], &'static str);

/// Parameters that must be given.
const NEEDED: [Needed; 1] = [("matrix", [("rows", 1), ("cols", 2)], "dims")];

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    walk(checked.program, &mut |node| {
        let Node::Expr(expr) = node else { return };
        let ExprKind::Call(call) = &expr.kind else {
            return;
        };
        let name = &*call.name.name;
        let is_broken = call
            .args
            .iter()
            .any(|arg| arg.value.kind == ExprKind::Missing);
        if call.namespace.is_some() || checked.is_own(name) || is_broken {
            return;
        }
        let Some(row) = sumac_builtins::find(name) else {
            return;
        };
        if let Some(message) = unnamed(checked, row, call) {
            acc.push(diagnostic(codes::ARGUMENT_FORM, expr.range, message));
        } else if let Some(message) = left_out(checked, call) {
            acc.push(diagnostic(codes::WRONG_ARITY, expr.range, message));
        }
    });
}

/// Builtins that take, behind the first argument, names for all others or for none.
const ALL_OR_NONE: [&str; 1] = ["matrix"];

/// What is wrong with a call that leaves out names.
fn unnamed(checked: &Checked<'_>, row: &Builtin, call: &Call) -> Option<String> {
    let name = &*call.name.name;
    let is_mixed = || {
        let mut others = call.args.iter().skip(1);
        let has_name = others.clone().any(|arg| arg.name.is_some());
        has_name && others.any(|arg| arg.name.is_none())
    };
    let first = if ALL_OR_NONE.contains(&name) && is_mixed() {
        1
    } else if BY_NAME.contains(&name) {
        0
    } else if BY_NAME_FROM_SECOND.contains(&name) {
        1
    } else {
        return None;
    };
    let is_unnamed = call.args.iter().skip(first).any(|arg| arg.name.is_none());
    if !is_unnamed || row.most().is_some_and(|most| call.args.len() > most) {
        return None;
    }
    let args: Vec<String> = call
        .args
        .iter()
        .enumerate()
        .map(|(at, arg)| {
            let param = match &arg.name {
                Some(ident) => Some(&*ident.name),
                None if at < first => None,
                None => row.params.get(at).map(|param| param.name),
            };
            let value = checked.slice(&arg.value);
            param.map_or_else(|| value.to_owned(), |param| format!("{param} = {value}"))
        })
        .collect();
    let which = if first == 0 {
        "its"
    } else {
        "all but its first"
    };
    let why = if ALL_OR_NONE.contains(&name) {
        "takes names for all arguments but its first, or for none".to_owned()
    } else {
        format!("finds {which} arguments by their names only")
    };
    Some(format!(
        "`{name}` {why}; write `{name}({})`",
        args.join(", ")
    ))
}

/// What is wrong with a call that leaves out what must be there.
fn left_out(checked: &Checked<'_>, call: &Call) -> Option<String> {
    let name = &*call.name.name;
    let (_, needed, instead) = NEEDED.iter().find(|(builtin, ..)| *builtin == name)?;
    let given = |param: &str, at: usize| {
        let mut args = call.args.iter().enumerate();
        args.any(|(place, arg)| match &arg.name {
            Some(ident) => &*ident.name == param,
            None => place == at,
        })
    };
    if given(instead, usize::MAX) {
        return None;
    }
    let missing: Vec<&str> = needed
        .iter()
        .filter(|(param, at)| !given(param, *at))
        .map(|(param, _)| *param)
        .collect();
    // A call without arguments is told of as such.
    let first = call.args.first()?;
    if missing.is_empty() {
        return None;
    }
    Some(format!(
        "`{name}` takes `rows` and `cols`, found no value for `{}`; write `{name}({}, rows = …, cols = …)`",
        missing.join("`, `"),
        checked.slice(&first.value)
    ))
}
