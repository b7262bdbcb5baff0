//! Values of a kind that an operator, a builtin, a parameter or the head of a loop does not take. SystemDS decides that before
//! it looks at control flow, so the place is refused even where no run comes to it.

use sumac_builtins::{Builtin, Kind, Source};
use sumac_syntax::ast::{BinaryOp, Call, Expr, ExprKind, LoopRange, Stmt, StmtKind, UnaryOp};
use sumac_syntax::walk::{Node, walk};

use super::checked::{Checked, described, diagnostic};
use crate::db::resolve::Lookup;
use crate::functions::argument;
use crate::names::strip;
use crate::params::declared;
use crate::result::{Diagnostic, Severity, codes};
use crate::value::ValueKind;

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    walk(checked.program, &mut |node| match node {
        Node::Stmt(stmt) => in_loop_head(checked, stmt, acc),
        Node::Expr(expr) => match &expr.kind {
            ExprKind::Binary(op, a, b) => binary(checked, *op, expr, [a, b], acc),
            ExprKind::Unary(op, inner) => unary(checked, *op, expr, inner, acc),
            ExprKind::Call(call) => in_call(checked, expr, call, acc),
            _ => {}
        },
    });
}

/// What SystemDS tells apart before a run: the forms of data, and the numbers of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Matrix,
    Frame,
    List,
    /// A scalar of this kind, which may not be known.
    Scalar(ValueKind),
}

fn form(checked: &Checked<'_>, expr: &Expr) -> Option<Form> {
    // An argument can be anything.
    if matches!(strip(expr).kind, ExprKind::Arg(_)) {
        return None;
    }
    Some(match checked.kind(expr)? {
        ValueKind::Matrix => Form::Matrix,
        ValueKind::Frame => Form::Frame,
        ValueKind::List => Form::List,
        ValueKind::Unknown => return None,
        scalar => Form::Scalar(scalar),
    })
}

fn is_arithmetic(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Pow
            | BinaryOp::Mod
            | BinaryOp::IntDiv
            | BinaryOp::MatMul
    )
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne
    )
}

fn binary(
    checked: &Checked<'_>,
    op: BinaryOp,
    expr: &Expr,
    operands: [&Expr; 2],
    acc: &mut Vec<Diagnostic>,
) {
    let [Some(a), Some(b)] = operands.map(|operand| form(checked, operand)) else {
        return;
    };
    let sign = op.sign_and_strength().0;
    let whole = |form: Form| !matches!(form, Form::Scalar(_));
    let is_matrix = a == Form::Matrix || b == Form::Matrix;
    let hint = if is_arithmetic(op) {
        match (a, b) {
            (Form::Scalar(_), Form::Scalar(_)) | (Form::Matrix, Form::Matrix) => None,
            _ if op == BinaryOp::MatMul && (a == Form::Matrix || b == Form::Matrix) => {
                let other = if a == Form::Matrix { b } else { a };
                // The product of a matrix and a scalar is another operator, and told with the shapes.
                matches!(other, Form::Frame | Form::List).then(|| cell_hint(other))
            }
            (Form::Matrix, Form::Scalar(_)) | (Form::Scalar(_), Form::Matrix) => None,
            (a, b) if a == b => None,
            (a, b) => Some(cell_hint(if whole(a) && a != Form::Matrix { a } else { b })),
        }
    } else if is_comparison(op) {
        match (a, b) {
            // Beside a matrix the comparison takes anything.
            _ if is_matrix => None,
            (Form::Frame, Form::Frame) => None,
            (Form::Frame, _) | (_, Form::Frame) => {
                Some("compare a frame with a frame, or its cells as `as.scalar(F[i, j])`")
            }
            _ => None,
        }
    } else {
        let other = if a == Form::Matrix { b } else { a };
        (is_matrix && matches!(other, Form::Frame | Form::List)).then(|| cell_hint(other))
    };
    if let Some(hint) = hint {
        let found = operands.map(|operand| described(checked, operand));
        let message = format!(
            "`{sign}` does not take {} and {}; {hint}",
            found[0], found[1]
        );
        acc.push(diagnostic(codes::KIND_MISMATCH, expr.range, message));
    } else if is_arithmetic(op) {
        truth_value(checked, sign, expr, operands, acc);
    }
}

fn cell_hint(form: Form) -> &'static str {
    match form {
        Form::Frame => "write `as.matrix(F)` for the numbers of a frame",
        Form::List => "take an entry, as `as.matrix(L[i])` or `as.scalar(L[i])`",
        Form::Matrix | Form::Scalar(_) => "bring both to one kind",
    }
}

/// `TRUE + 1`: a truth value beside a number, in a matrix or not.
fn truth_value(
    checked: &Checked<'_>,
    sign: &str,
    expr: &Expr,
    operands: [&Expr; 2],
    acc: &mut Vec<Diagnostic>,
) {
    let is_number = |form: Option<Form>| {
        matches!(
            form,
            Some(Form::Matrix | Form::Scalar(ValueKind::Int | ValueKind::Double))
        )
    };
    let is_truth = |form: Option<Form>| form == Some(Form::Scalar(ValueKind::Bool));
    let forms = operands.map(|operand| form(checked, operand));
    let at = match (is_truth(forms[0]), is_truth(forms[1])) {
        (true, false) if is_number(forms[1]) => 0,
        (false, true) if is_number(forms[0]) => 1,
        _ => return,
    };
    let text = checked.slice(strip(operands[at]));
    let message = format!(
        "`{sign}` does not take {} and {}; write `as.integer({text})`",
        described(checked, operands[0]),
        described(checked, operands[1]),
    );
    acc.push(diagnostic(codes::KIND_MISMATCH, expr.range, message));
}

fn unary(checked: &Checked<'_>, op: UnaryOp, expr: &Expr, inner: &Expr, acc: &mut Vec<Diagnostic>) {
    let sign = match op {
        UnaryOp::Neg => "-",
        UnaryOp::Plus => "+",
        UnaryOp::Not => return,
    };
    let hint = match form(checked, inner) {
        Some(Form::Scalar(ValueKind::Bool)) => {
            format!("write `{sign}as.integer({})`", checked.slice(strip(inner)))
        }
        Some(form @ (Form::Frame | Form::List)) => cell_hint(form).to_owned(),
        _ => return,
    };
    let message = format!(
        "`{sign}` does not take {}; {hint}",
        described(checked, inner)
    );
    acc.push(diagnostic(codes::KIND_MISMATCH, expr.range, message));
}

fn in_loop_head(checked: &Checked<'_>, stmt: &Stmt, acc: &mut Vec<Diagnostic>) {
    let StmtKind::For { range, .. } = &stmt.kind else {
        return;
    };
    let ends: Vec<&Expr> = match range {
        LoopRange::FromTo(from, to) => vec![from, to],
        LoopRange::Over(over) => match &strip(over).kind {
            ExprKind::Call(call) if &*call.name.name == "seq" && call.namespace.is_none() => {
                call.args.iter().map(|arg| &arg.value).collect()
            }
            _ => return,
        },
    };
    for end in ends {
        let hint = match checked.kind(end) {
            Some(ValueKind::Bool) => {
                format!("write `as.integer({})`", checked.slice(strip(end)))
            }
            Some(ValueKind::String) => "write a number".to_owned(),
            // Of a matrix is told where scalars are required.
            _ => continue,
        };
        let message = format!(
            "a loop runs from a number to a number, and this is {}; {hint}",
            described(checked, end)
        );
        acc.push(diagnostic(codes::KIND_MISMATCH, end.range, message));
    }
}

fn in_call(checked: &Checked<'_>, expr: &Expr, call: &Call, acc: &mut Vec<Diagnostic>) {
    let name = &*call.name.name;
    if call.namespace.is_some() || checked.is_own(name) {
        return in_own_call(checked, call, acc);
    }
    let Some(row) = sumac_builtins::find(name).filter(|row| row.source == Source::Native) else {
        return;
    };
    // A matrix among the arguments makes the result one of numbers.
    let all_scalars = || {
        let mut kinds = call.args.iter().map(|arg| checked.kind(&arg.value));
        kinds.all(|kind| kind.is_some_and(ValueKind::is_scalar))
    };
    let pair = match call.args.as_slice() {
        [a, b] if is_cellwise(row.name) => Some([&a.value, &b.value]),
        [_, a, b] if row.name == "ifelse" => Some([&a.value, &b.value]),
        _ => None,
    };
    if let Some(pair) = pair {
        if all_scalars() {
            truth_value(checked, name, expr, pair, acc);
        }
        return;
    }
    // Of the others with names, SystemDS looks at the kinds when it runs them.
    if row.named && !is_looked_at(row.name) {
        return;
    }
    // Too many arguments are told of as such.
    if row.most().is_some_and(|most| call.args.len() > most) {
        return;
    }
    if matches!(row.name, "cbind" | "rbind") {
        return in_binding(checked, row.name, call, acc);
    }
    for (at, arg) in call.args.iter().enumerate() {
        let param = match &arg.name {
            // Without a name, only the first argument of these means what its place says.
            None if row.named && at > 0 => continue,
            None => row.params.get(at),
            Some(named) if row.named => row.param(&named.name),
            Some(_) => continue,
        };
        let (Some(param), Some(kind)) = (param, checked.kind(&arg.value)) else {
            continue;
        };
        let is_argument = matches!(strip(&arg.value).kind, ExprKind::Arg(_));
        if is_argument
            || kind == ValueKind::Unknown
            || takes(row, param.name, param.kind, call, kind)
        {
            continue;
        }
        let what = format!(
            "`{}` of `{name}` takes {}",
            param.name,
            wanted(row, param.kind)
        );
        let message = format!(
            "{what}, and this is {}; {}",
            described(checked, &arg.value),
            way_out(checked, row, param.kind, kind, &arg.value)
        );
        let mut found = diagnostic(codes::KIND_MISMATCH, arg.value.range, message);
        if is_late(row.name) && checked.may_not_run(arg.value.range) {
            found.severity = Severity::Warning;
        }
        acc.push(found);
    }
}

/// Builtins with named parameters whose kinds SystemDS looks at before a run.
fn is_looked_at(name: &str) -> bool {
    matches!(
        name,
        "rand"
            | "matrix"
            | "order"
            | "lower.tri"
            | "upper.tri"
            | "unique"
            | "countDistinct"
            | "countDistinctApprox"
            | "rowCountDistinctApprox"
            | "colCountDistinctApprox"
    )
}

/// Builtins whose arguments SystemDS looks at only where it knows that they run.
fn is_late(name: &str) -> bool {
    matches!(name, "matrix" | "rand")
}

/// Strings are joined, matrices and frames bound, and anything is put behind a list.
fn in_binding(checked: &Checked<'_>, name: &str, call: &Call, acc: &mut Vec<Diagnostic>) {
    let forms: Vec<Option<Form>> = call
        .args
        .iter()
        .map(|arg| form(checked, &arg.value))
        .collect();
    let Some(Some(first)) = forms.first() else {
        return;
    };
    let is_text = |form: Form| matches!(form, Form::Scalar(ValueKind::String | ValueKind::Scalar));
    let fits = |form: Form| match first {
        Form::List => true,
        Form::Scalar(_) => is_text(form),
        Form::Matrix | Form::Frame => matches!(form, Form::Matrix | Form::Frame),
    };
    for (arg, found) in call.args.iter().zip(&forms) {
        let Some(found) = found.filter(|found| !fits(*found)) else {
            continue;
        };
        let hint = match found {
            Form::Scalar(kind) if kind != ValueKind::String => {
                format!("write `as.matrix({})`", checked.slice(strip(&arg.value)))
            }
            Form::List => cell_hint(found).to_owned(),
            _ => "bring all arguments to one kind".to_owned(),
        };
        let message = format!(
            "`{name}` binds matrices and frames, or joins strings, and this is {}; {hint}",
            described(checked, &arg.value)
        );
        acc.push(diagnostic(codes::KIND_MISMATCH, arg.value.range, message));
    }
}

/// Builtins of two arguments that are numbers, or both truth values.
fn is_cellwise(name: &str) -> bool {
    matches!(
        name,
        "min"
            | "max"
            | "xor"
            | "bitwAnd"
            | "bitwOr"
            | "bitwXor"
            | "bitwShiftL"
            | "bitwShiftR"
            | "log"
    )
}

/// Whether SystemDS's compiler lets a value of the kind pass as that argument.
fn takes(row: &Builtin, param: &str, wants: Kind, call: &Call, kind: ValueKind) -> bool {
    let is_scalar = kind.is_scalar();
    let is_number = is_scalar && !matches!(kind, ValueKind::Bool | ValueKind::String);
    match (row.name, param) {
        // What stands there has the other kind already.
        ("as.matrix", _) => kind != ValueKind::Matrix,
        ("as.frame", "x") => kind != ValueKind::Frame,
        ("as.scalar", _) => !is_scalar,
        ("nrow" | "ncol" | "length", _) => !is_scalar,
        ("as.double" | "as.integer" | "as.logical", _) => is_scalar,
        ("is.na" | "is.nan" | "is.infinite", _) => is_scalar || kind == ValueKind::Matrix,
        ("min" | "max", _) if call.args.len() == 1 => kind == ValueKind::Matrix,
        // Of a matrix is told where scalars are required.
        ("seq", _) | ("matrix", "rows" | "cols") => is_number || kind == ValueKind::Matrix,
        ("sample", "range" | "size") => is_number,
        ("sample", "replace") => {
            matches!(kind, ValueKind::Int | ValueKind::Bool | ValueKind::Scalar)
        }
        ("rand", "rows" | "cols") => is_number || kind == ValueKind::Matrix,
        ("rand", "min" | "max" | "lambda") => is_number,
        ("rand", "sparsity") => is_scalar && kind != ValueKind::String || kind == ValueKind::Matrix,
        ("rand", "seed") => is_scalar,
        ("rand", "pdf") => matches!(kind, ValueKind::String | ValueKind::Scalar),
        ("matrix", "data") => kind != ValueKind::Bool,
        // Reads and looks at files decide by what is there.
        ("removeEmpty", "target" | "margin") | ("federated" | "frame" | "tensor" | "matrix", _) => {
            true
        }
        ("mean", "w") => matches!(kind, ValueKind::Matrix | ValueKind::Frame),
        _ => match wants {
            Kind::Matrix => kind == ValueKind::Matrix,
            Kind::Frame => kind == ValueKind::Frame,
            Kind::Tabular => matches!(kind, ValueKind::Matrix | ValueKind::Frame),
            Kind::List => kind == ValueKind::List,
            _ => true,
        },
    }
}

fn wanted(row: &Builtin, kind: Kind) -> &'static str {
    match (row.name, kind) {
        ("as.matrix", _) => "a scalar, a frame or a list",
        ("as.frame", Kind::Any) => "a scalar, a matrix or a list",
        ("as.scalar" | "nrow" | "ncol" | "length", _) => "a matrix, a frame or a list",
        ("as.double" | "as.integer" | "as.logical", _) => "a scalar",
        ("is.na" | "is.nan" | "is.infinite", _) => "a matrix or a scalar",
        ("min" | "max", _) => "a matrix where there is no other argument",
        (_, Kind::Matrix) => "a matrix",
        (_, Kind::Frame) => "a frame",
        (_, Kind::Tabular) => "a matrix or a frame",
        (_, Kind::List) => "a list",
        _ => "a number",
    }
}

fn way_out(
    checked: &Checked<'_>,
    row: &Builtin,
    wants: Kind,
    kind: ValueKind,
    expr: &Expr,
) -> String {
    let text = checked.slice(strip(expr));
    match (row.name, wants, kind) {
        ("as.matrix" | "as.frame" | "as.scalar", _, _) => format!("write `{text}` alone"),
        ("as.double" | "as.integer" | "as.logical", _, ValueKind::Matrix) => {
            format!("write `{}(as.scalar({text}))`", row.name)
        }
        (_, Kind::Matrix | Kind::Tabular, kind)
            if kind.is_scalar() && kind != ValueKind::String =>
        {
            format!("write `as.matrix({text})` for a matrix of one cell")
        }
        (_, Kind::Matrix | Kind::Numeric, ValueKind::Frame | ValueKind::List) => {
            format!("write `as.matrix({text})`")
        }
        (_, Kind::Frame, ValueKind::Matrix) => format!("write `as.frame({text})`"),
        (_, Kind::List, _) => format!("write `list({text})`"),
        (_, _, ValueKind::Matrix) => format!("write `as.scalar({text})`"),
        (_, _, ValueKind::Bool) => format!("write `as.integer({text})`"),
        _ => "pass another value".to_owned(),
    }
}

/// A call of a function of the script, or of one that it sources.
fn in_own_call(checked: &Checked<'_>, call: &Call, acc: &mut Vec<Diagnostic>) {
    let namespace = call.namespace.as_ref().map(|ident| &*ident.name);
    let name = &*call.name.name;
    let Lookup::Function(callee) = checked.world.lookup(namespace, name) else {
        return;
    };
    let Some(declaration) = checked.world.declaration(callee) else {
        return;
    };
    let is_inlined = checked.world.is_inlined(callee);
    for (at, param) in declaration.def.params.iter().enumerate() {
        let Some((_, arg)) = argument(&call.args, &param.name.name, at) else {
            continue;
        };
        let wants = declared(param).kind;
        let kind = checked.kind(&arg.value).unwrap_or(ValueKind::Unknown);
        // What is never read may be anything.
        if !checked.world.reads(callee, &param.name.name) {
            continue;
        }
        let is_fit = wants == kind
            || wants == ValueKind::Unknown
            || kind == ValueKind::Unknown
            || wants.is_scalar() && (kind.is_scalar() || kind == ValueKind::Matrix);
        if is_fit || wants == ValueKind::String && is_inlined {
            continue;
        }
        let text = checked.slice(strip(&arg.value));
        let hint = match (wants, kind) {
            (ValueKind::Matrix, kind) if kind.is_scalar() && kind != ValueKind::String => {
                format!("; write `as.matrix({text})` for a matrix of one cell")
            }
            (ValueKind::Matrix, ValueKind::Frame | ValueKind::List) => {
                format!("; write `as.matrix({text})`")
            }
            (ValueKind::Frame, ValueKind::Matrix) => format!("; write `as.frame({text})`"),
            (ValueKind::List, _) => format!("; write `list({text})`"),
            _ => String::new(),
        };
        let message = format!(
            "`{}` of `{name}` takes {}, and this is {}{hint}",
            param.name.name,
            wants.with_article(),
            described(checked, &arg.value),
        );
        let mut found = diagnostic(codes::KIND_MISMATCH, arg.value.range, message);
        // Put in the place of its call, the body goes on with the value that is there: what does not take it is told.
        let name = &param.name.name;
        let is_told =
            wants.is_scalar() || kind.is_scalar() && checked.world.needs_cells(callee, name);
        if is_inlined && !is_told {
            found.severity = Severity::Warning;
        }
        acc.push(found);
    }
}
