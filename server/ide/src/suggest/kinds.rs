//! What is printed keeps its kind: `0.0` must not become `0`, nor a number a truth value.
//!
//! The kind of a scalar is a matter of the language and not of the algebra, where 2 and 2.0 are one number. So it is read
//! off the texts, of the expression as written and of the form, by the same rules: those of SystemDS 3.4.

use std::collections::BTreeSet;

use sumac_analysis::ValueKind;
use sumac_la::Op;
use sumac_syntax::ast::{Call, Expr, ExprKind, UnaryOp};
use sumac_syntax::parse_expression;

/// What is known of the kinds of variables, and of other expressions that stand for themselves by their text.
pub(super) struct Kinds<'a> {
    /// The kind, where it changes what all of them are.
    pub(super) of: &'a dyn Fn(&str) -> ValueKind,
    /// Whether it is an integer at one place and a double at another, and never anything else.
    pub(super) is_int_or_double: &'a dyn Fn(&str) -> bool,
}

/// `form` so that it has the kind of value that `original` has; `None` where that cannot be said.
pub(super) fn keep_kind(original: &str, form: &str, kinds: &Kinds<'_>) -> Option<String> {
    let (before, _) = parse_expression(original);
    let (after, _) = parse_expression(form);
    let (before, after) = (before?, after?);
    let mut open = BTreeSet::new();
    let mut changing = BTreeSet::new();
    for (text, expr) in [(original, &before), (form, &after)] {
        names_of(expr, text, &mut |name| {
            if (kinds.is_int_or_double)(name) {
                changing.insert(name.to_owned());
            } else if is_open((kinds.of)(name)) {
                open.insert(name.to_owned());
            }
        });
    }
    // What may be of any kind, such as an argument of the script: whatever it is, both must agree.
    let guesses: &[ValueKind] = match (open.is_empty(), changing.is_empty()) {
        (true, true) => &[ValueKind::Double],
        (true, false) => &[ValueKind::Int, ValueKind::Double],
        _ => &[ValueKind::Int, ValueKind::Double, ValueKind::Matrix],
    };
    let mut texts = Vec::new();
    let mut is_double = open.is_empty();
    for guess in guesses {
        let with_guess = |name: &str| match (kinds.of)(name) {
            _ if changing.contains(name) && *guess == ValueKind::Int => ValueKind::Int,
            ValueKind::Scalar if *guess == ValueKind::Matrix => ValueKind::Double,
            known if is_open(known) => *guess,
            known => known,
        };
        let wanted = kind(&before, original, &with_guess);
        let found = kind(&after, form, &with_guess);
        is_double &= wanted == ValueKind::Double;
        texts.push(converted(form, &after, wanted, found)?);
    }
    if texts.iter().all(|text| *text == texts[0]) {
        return texts.pop();
    }
    // Of a double this is the double.
    is_double.then(|| format!("as.double({form})"))
}

/// Whether it may be of several kinds.
fn is_open(kind: ValueKind) -> bool {
    matches!(kind, ValueKind::Scalar | ValueKind::Unknown)
}

/// The kind of a form's value.
pub(super) fn kind_of_form(form: &str, kind_of: &dyn Fn(&str) -> ValueKind) -> ValueKind {
    let (expr, _) = parse_expression(form);
    expr.map_or(ValueKind::Unknown, |expr| kind(&expr, form, kind_of))
}

/// A form of kind `found` as one of kind `wanted`.
fn converted(form: &str, expr: &Expr, wanted: ValueKind, found: ValueKind) -> Option<String> {
    match (wanted, found) {
        (a, b) if a == b => Some(form.to_owned()),
        (ValueKind::Double, ValueKind::Int) if is_literal(expr) => Some(format!("{form}.0")),
        (ValueKind::Double, ValueKind::Int | ValueKind::Bool) => Some(format!("as.double({form})")),
        _ => None,
    }
}

fn is_literal(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_) => true,
        ExprKind::Unary(UnaryOp::Neg, inner) => matches!(inner.kind, ExprKind::Int(_)),
        _ => false,
    }
}

/// The kind of an expression's value.
fn kind(expr: &Expr, text: &str, kind_of: &dyn Fn(&str) -> ValueKind) -> ValueKind {
    let of = |expr: &Expr| kind(expr, text, kind_of);
    match &expr.kind {
        ExprKind::Missing => ValueKind::Unknown,
        ExprKind::Int(_) => ValueKind::Int,
        ExprKind::Double(_) => ValueKind::Double,
        ExprKind::Bool(_) => ValueKind::Bool,
        ExprKind::Str(_) => ValueKind::String,
        ExprKind::Name(ident) => match &*ident.name {
            "NaN" | "Inf" => ValueKind::Double,
            name => kind_of(name),
        },
        ExprKind::Arg(_) => kind_of(&text[expr.range]),
        ExprKind::Paren(inner) => of(inner),
        ExprKind::Unary(UnaryOp::Plus, inner) => of(inner),
        ExprKind::Unary(UnaryOp::Neg, inner) => by_operator(Op::Neg, &[of(inner)]),
        ExprKind::Unary(UnaryOp::Not, inner) => by_operator(Op::Not, &[of(inner)]),
        ExprKind::Binary(op, left, right) => {
            by_operator(sumac_analysis::la_op(*op), &[of(left), of(right)])
        }
        ExprKind::Call(call) => of_call(call, &text[expr.range], &of, kind_of),
        ExprKind::Index(base, _) => match of(base) {
            ValueKind::Matrix => ValueKind::Matrix,
            _ => kind_of(&text[expr.range]),
        },
        ExprKind::List(_) => ValueKind::List,
    }
}

fn of_call(
    call: &Call,
    text: &str,
    of: &dyn Fn(&Expr) -> ValueKind,
    kind_of: &dyn Fn(&str) -> ValueKind,
) -> ValueKind {
    if let Some(kind) = conversion(call) {
        return kind;
    }
    match operator(call) {
        Some(op) => {
            let args: Vec<ValueKind> = call.args.iter().map(|arg| of(&arg.value)).collect();
            by_operator(op, &args)
        }
        None => kind_of(text),
    }
}

/// The kind of what a call gives whatever its arguments are.
fn conversion(call: &Call) -> Option<ValueKind> {
    match &*call.name.name {
        "as.double" => Some(ValueKind::Double),
        "as.integer" => Some(ValueKind::Int),
        "as.logical" => Some(ValueKind::Bool),
        "matrix" | "rand" | "seq" | "as.matrix" | "outer" | "table" => Some(ValueKind::Matrix),
        _ => None,
    }
}

fn operator(call: &Call) -> Option<Op> {
    Op::by_call_name(&call.name.name, call.args.len()).filter(|_| call.namespace.is_none())
}

/// The kind of an operator's value, as SystemDS 3.4 has it.
fn by_operator(op: Op, args: &[ValueKind]) -> ValueKind {
    match op {
        Op::Sum | Op::Mean | Op::Min | Op::Max | Op::Prod | Op::Trace | Op::AsScalar => {
            return ValueKind::Double;
        }
        Op::Nrow | Op::Ncol | Op::Length => return ValueKind::Int,
        Op::Fill | Op::Seq | Op::AsMatrix => return ValueKind::Matrix,
        _ => {}
    }
    if args.contains(&ValueKind::Matrix) {
        return ValueKind::Matrix;
    }
    if args.iter().any(|kind| !kind.is_numeric_scalar()) {
        return ValueKind::Unknown;
    }
    let all = |wanted: ValueKind| args.iter().all(|kind| *kind == wanted);
    match op {
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => ValueKind::Bool,
        Op::And | Op::Or | Op::Not if all(ValueKind::Bool) => ValueKind::Bool,
        Op::IfElse => match args[1..] {
            [yes, no] if yes == no => yes,
            _ => ValueKind::Double,
        },
        Op::Add
        | Op::Sub
        | Op::Mul
        | Op::Mod
        | Op::IntDiv
        | Op::Min2
        | Op::Max2
        | Op::Neg
        | Op::Abs
            if all(ValueKind::Int) =>
        {
            ValueKind::Int
        }
        _ => ValueKind::Double,
    }
}

/// The variables of an expression, and what else stands for itself by its text.
fn names_of(expr: &Expr, text: &str, found: &mut dyn FnMut(&str)) {
    match &expr.kind {
        ExprKind::Name(ident) => found(&ident.name),
        ExprKind::Arg(_) => found(&text[expr.range]),
        ExprKind::Paren(inner) | ExprKind::Unary(_, inner) => names_of(inner, text, found),
        ExprKind::Binary(_, left, right) => {
            names_of(left, text, found);
            names_of(right, text, found);
        }
        ExprKind::Call(call) => {
            if conversion(call).is_none() && operator(call).is_none() {
                found(&text[expr.range]);
            }
            for arg in &call.args {
                names_of(&arg.value, text, found);
            }
        }
        ExprKind::Index(base, _) => {
            found(&text[expr.range]);
            names_of(base, text, found);
        }
        ExprKind::List(items) => items.iter().for_each(|item| names_of(item, text, found)),
        ExprKind::Missing
        | ExprKind::Int(_)
        | ExprKind::Double(_)
        | ExprKind::Bool(_)
        | ExprKind::Str(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(original: &str, form: &str) -> Option<String> {
        let kinds = |name: &str| match name {
            "i" | "n" => ValueKind::Int,
            "d" => ValueKind::Double,
            "b" => ValueKind::Bool,
            "$k" => ValueKind::Scalar,
            "s" => ValueKind::Double,
            "X" | "v" => ValueKind::Matrix,
            _ => ValueKind::Unknown,
        };
        let kinds = Kinds {
            of: &kinds,
            is_int_or_double: &|name| name == "s",
        };
        keep_kind(original, form, &kinds)
    }

    #[test]
    fn what_is_printed_keeps_its_kind() {
        for (original, form, text) in [
            ("sum(X - X)", "0", Some("0.0")),
            ("sum(X) - sum(X) - 2", "-2", Some("-2.0")),
            (
                "sum(X * 0 + 1)",
                "nrow(X) * ncol(X)",
                Some("as.double(nrow(X) * ncol(X))"),
            ),
            ("sum(X) + 0", "sum(X)", Some("sum(X)")),
            ("nrow(X) * 1", "nrow(X)", Some("nrow(X)")),
            ("i / 1", "i", Some("as.double(i)")),
            ("i * 2 * 3", "6 * i", Some("6 * i")),
            ("i * 2.0", "2 * i", Some("as.double(2 * i)")),
            ("i^2", "i * i", Some("as.double(i * i)")),
            ("i * i", "i^2", None),
            ("d > 0", "as.double(d > 0)", None),
            (
                "mean(X > 0)",
                "as.scalar(X) > 0",
                Some("as.double(as.scalar(X) > 0)"),
            ),
            ("X * 2", "2 * X", Some("2 * X")),
            ("$k * 2 * 3", "6 * $k", Some("6 * $k")),
            ("$k * 2.0", "2 * $k", None),
            ("s * 2.0", "2 * s", Some("as.double(2 * s)")),
            ("s + sum(X - X)", "s", Some("as.double(s)")),
            ("s * 2 * 3", "6 * s", Some("6 * s")),
            ("d * $k", "$k * d", Some("$k * d")),
            ("f(X) * 2", "2 * f(X)", Some("2 * f(X)")),
            ("f(X) * 2.0", "2 * f(X)", None),
            ("X[1, ] * 2", "2 * X[1, ]", Some("2 * X[1, ]")),
        ] {
            assert_eq!(
                kept(original, form).as_deref(),
                text,
                "{original} => {form}"
            );
        }
    }

    #[test]
    fn what_is_no_expression_is_no_form() {
        assert_eq!(kept("X[1, 1]", "(X + X)[1, 1]"), None);
        assert_eq!(kept("X", "leftIndex("), None);
    }
}
