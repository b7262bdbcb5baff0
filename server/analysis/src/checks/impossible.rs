//! Arguments that a builtin cannot take for what they are: sizes that do not go together, numbers and texts that mean nothing
//! to it. Sizes that are not known, and what a branch may never come to, are let pass as SystemDS lets them.

use sumac_la::Dim;
use sumac_syntax::ast::{Call, Expr, ExprKind, LoopRange, Stmt, StmtKind, UnaryOp};
use sumac_syntax::walk::{Node, walk};
use sumac_text::TextRange;

use super::checked::{Checked, described, diagnostic};
use crate::functions::argument;
use crate::names::strip;
use crate::result::{Diagnostic, Severity, codes};
use crate::value::{Constant, ValueInfo, ValueKind};

/// What an argument must be.
enum Rule {
    /// The first has as many rows as columns.
    Square,
    /// The first has one column.
    OneColumn,
    /// All that are matrices have one size.
    Alike,
    /// The first two have as many rows.
    SameRows,
    /// The first has one column, and the second one row.
    ColumnAndRow,
    /// The number of this name and place is not negative.
    NotNegative(&'static str, usize),
    /// The text of this name and place is one of these.
    OneOf(&'static str, usize, &'static [&'static str]),
    /// The step goes from the first number to the second.
    Step,
}

/// When SystemDS looks at it.
#[derive(PartialEq)]
enum When {
    /// Wherever the call stands.
    Always,
    /// Where it knows that the call runs.
    Runs,
}

use Rule::{Alike, ColumnAndRow, NotNegative, OneColumn, OneOf, SameRows, Square, Step};
use When::{Always, Runs};

#[rustfmt::skip]
const RULES: [(&str, Rule, When); 21] = [
    ("det",         Square,                   Runs),
    ("inv",         Square,                   Runs),
    ("inverse",     Square,                   Runs),
    ("cholesky",    Square,                   Runs),
    ("eigen",       Square,                   Runs),
    ("lu",          Square,                   Runs),
    ("solve",       SameRows,                 Runs),
    ("quantile",    OneColumn,                Always),
    ("table",       Alike,                    Always),
    ("ctable",      Alike,                    Always),
    ("cov",         Alike,                    Always),
    ("outer",       ColumnAndRow,             Always),
    ("outer",       OneOf("op", 2, OPERATORS), Always),
    ("aggregate",   OneOf("fn", usize::MAX, FUNCTIONS), Always),
    ("cdf",         OneOf("dist", usize::MAX, DISTRIBUTIONS), Always),
    ("icdf",        OneOf("dist", usize::MAX, DISTRIBUTIONS), Always),
    ("removeEmpty", OneOf("margin", usize::MAX, MARGINS), Runs),
    ("rand",        NotNegative("rows", usize::MAX), Runs),
    ("rand",        NotNegative("cols", usize::MAX), Runs),
    ("matrix",      NotNegative("rows", 1),   Runs),
    ("matrix",      NotNegative("cols", 2),   Runs),
];

const DISTRIBUTIONS: &[&str] = &["normal", "exp", "chisq", "f", "t"];
const MARGINS: &[&str] = &["rows", "cols"];
const FUNCTIONS: &[&str] = &[
    "count",
    "sum",
    "mean",
    "variance",
    "centralmoment",
    "centeralmoment",
    "min",
    "max",
];
/// Signs, and words that SystemDS reads in any case.
const OPERATORS: &[&str] = &[
    "+",
    "-",
    "*",
    "/",
    "^",
    "%%",
    "%/%",
    "<",
    "<=",
    ">",
    ">=",
    "==",
    "!=",
    "min",
    "max",
    "log",
    "xor",
    "and",
    "or",
    "plus",
    "minus",
    "mult",
    "div",
    "pow",
    "modulus",
    "intdiv",
    "equal",
    "notequal",
    "less",
    "lessequal",
    "greater",
    "greaterequal",
    "bitwand",
    "bitwor",
    "bitwxor",
    "bitwshiftl",
    "bitwshiftr",
];

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    let mut heads: Vec<TextRange> = Vec::new();
    walk(checked.program, &mut |node| match node {
        Node::Stmt(Stmt {
            kind:
                StmtKind::For {
                    range: LoopRange::Over(over),
                    ..
                },
            ..
        }) => heads.push(strip(over).range),
        Node::Expr(expr) => {
            if let ExprKind::Call(call) = &expr.kind {
                in_call(checked, expr, call, heads.contains(&expr.range), acc);
            }
        }
        Node::Stmt(_) => {}
    });
}

fn in_call(
    checked: &Checked<'_>,
    expr: &Expr,
    call: &Call,
    is_head: bool,
    acc: &mut Vec<Diagnostic>,
) {
    let name = &*call.name.name;
    if call.namespace.is_some() || checked.is_own(name) {
        return;
    }
    let step = (name == "seq" && !is_head).then_some((&Step, &Always));
    let rules = RULES.iter().filter(|(builtin, ..)| *builtin == name);
    let rules = rules.map(|(_, rule, when)| (rule, when));
    for (rule, when) in rules.chain(step) {
        let Some((range, code, message)) = problem(checked, rule, expr, call) else {
            continue;
        };
        let mut found = diagnostic(code, range, message);
        if *when == Runs && checked.may_not_run(expr.range) {
            found.severity = Severity::Warning;
        }
        acc.push(found);
    }
}

type Problem = (TextRange, &'static str, String);

fn problem(checked: &Checked<'_>, rule: &Rule, expr: &Expr, call: &Call) -> Option<Problem> {
    let name = &*call.name.name;
    // Of arguments by place; where one has a name, no place is certain.
    let has_names = call.args.iter().any(|arg| arg.name.is_some());
    let at = |place: usize| {
        call.args
            .get(place)
            .map(|arg| &arg.value)
            .filter(|_| !has_names)
    };
    let whole = |message: String| Some((expr.range, codes::SHAPE_MISMATCH, message));
    match rule {
        Square => {
            let (arg, [rows, cols]) = matrix(checked, at(0)?)?;
            if rows == cols {
                return None;
            }
            whole(format!(
                "`{name}` takes a square matrix, and this is {}; pick as many rows as columns",
                described(checked, arg)
            ))
        }
        OneColumn => {
            let info = checked.info(at(0)?)?;
            let is_wide =
                info.kind == ValueKind::Matrix && info.cols.known().is_some_and(|n| n > 1);
            let text = checked.slice(at(0)?);
            is_wide.then(|| {
                let found = described(checked, &call.args[0].value);
                let message = format!(
                    "`{name}` takes one column, and this is {found}; pick one, as `{text}[, 1]`"
                );
                (expr.range, codes::SHAPE_MISMATCH, message)
            })
        }
        Alike => {
            let all = (0..3).filter_map(|place| matrix(checked, at(place)?));
            let all: Vec<_> = all.collect();
            let (first, size) = all.first()?;
            let (other, _) = all.iter().find(|(_, other)| other != size)?;
            whole(format!(
                "`{name}` takes matrices of one size, found {} and {}; bring them to one size",
                described(checked, first),
                described(checked, other)
            ))
        }
        SameRows => {
            let ((a, [rows, _]), (b, [others, _])) =
                (matrix(checked, at(0)?)?, matrix(checked, at(1)?)?);
            if rows == others {
                return None;
            }
            whole(format!(
                "`{name}` takes matrices with as many rows, found {} and {}; bring them to as many rows",
                described(checked, a),
                described(checked, b)
            ))
        }
        ColumnAndRow => {
            let ((a, [_, cols]), (b, [rows, _])) =
                (matrix(checked, at(0)?)?, matrix(checked, at(1)?)?);
            if cols == 1 && rows == 1 {
                return None;
            }
            whole(format!(
                "`{name}` takes a column and a row, found {} and {}; pick a column of the first, and transpose the second where it is a column",
                described(checked, a),
                described(checked, b)
            ))
        }
        NotNegative(param, place) => {
            let (_, arg) = argument(&call.args, param, *place)?;
            let value = number(checked, &arg.value)?;
            (value < 0.0).then(|| {
                let message = format!(
                    "`{param}` of `{name}` is 0 or more, and this is {value}; write another number"
                );
                (arg.value.range, codes::SHAPE_MISMATCH, message)
            })
        }
        OneOf(param, place, texts) => {
            let (_, arg) = argument(&call.args, param, *place)?;
            let ExprKind::Str(text) = &strip(&arg.value).kind else {
                return None;
            };
            let is_known = texts
                .iter()
                .any(|known| text.value.eq_ignore_ascii_case(known));
            (!is_known).then(|| {
                let signs = texts.iter().take(16).map(|text| format!("\"{text}\""));
                let signs: Vec<String> = signs.collect();
                let message = format!(
                    "`{param}` of `{name}` is one of {}, and this is \"{}\"",
                    signs.join(", "),
                    text.value
                );
                (arg.value.range, codes::ARGUMENT_FORM, message)
            })
        }
        Step => {
            let [from, to, step] = [at(0)?, at(1)?, at(2)?].map(|arg| number(checked, arg));
            let (from, to, step) = (from?, to?, step?);
            (from != to && step != 0.0 && (from < to) != (step > 0.0)).then(|| {
                let message = format!(
                    "`{name}` cannot go from {from} to {to} by steps of {step}; write {}",
                    -step
                );
                (expr.range, codes::ARGUMENT_FORM, message)
            })
        }
    }
}

/// A matrix of known sizes.
fn matrix<'a>(checked: &Checked<'_>, expr: &'a Expr) -> Option<(&'a Expr, [u64; 2])> {
    let info = checked.info(expr)?;
    let known = |dim: &Dim| dim.known();
    let sizes = [known(&info.rows)?, known(&info.cols)?];
    (info.kind == ValueKind::Matrix).then_some((expr, sizes))
}

/// A number that stands there, or that a variable has.
fn number(checked: &Checked<'_>, expr: &Expr) -> Option<f64> {
    let expr = strip(expr);
    let inner = match &expr.kind {
        ExprKind::Unary(UnaryOp::Neg, inner) => strip(inner),
        _ => expr,
    };
    let is_plain = matches!(
        inner.kind,
        ExprKind::Int(_) | ExprKind::Double(_) | ExprKind::Name(_)
    );
    let info: &ValueInfo = checked
        .info(expr)
        .filter(|info| is_plain && !info.is_assumed)?;
    match &info.constant {
        Some(Constant::Number(n)) => Some(*n),
        _ => None,
    }
}
