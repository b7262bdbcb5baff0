//! Which values a variable can have that the script does not compute: what a file, an argument, a caller or chance gives. Must
//! never say that a variable can have a value that no run gives it.

use std::collections::BTreeMap;
use std::sync::Arc;

use sumac_syntax::ast::{Call, Expr, ExprKind, Program, Stmt, StmtKind, UnaryOp};
use sumac_text::TextRange;

use crate::names::{self, strip};
use crate::params::declared;
use crate::value::ValueKind;

/// Values that each cell of an input can have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Values {
    /// All numbers.
    Any,
    /// All whole numbers.
    Whole,
    /// Zero and one.
    Truth,
    /// Those between two numbers, which are not reached, each on its own.
    Between(f64, f64),
}

impl Values {
    /// Those that both have, if that is one of the forms.
    pub(crate) fn meet(self, other: Values) -> Option<Values> {
        match (self, other) {
            (a, b) if a == b => Some(a),
            (Values::Any, x) | (x, Values::Any) => Some(x),
            (Values::Whole, Values::Truth) | (Values::Truth, Values::Whole) => Some(Values::Truth),
            (Values::Between(a, b), Values::Between(c, d)) => {
                let (low, high) = (a.max(c), b.min(d));
                (low < high).then_some(Values::Between(low, high))
            }
            _ => None,
        }
    }
}

/// A definition that takes its value from outside of the script.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Given {
    pub(crate) values: Values,
    /// Where from, if another definition can have the same value from there.
    pub(crate) source: Option<Arc<str>>,
}

/// The definitions whose values are not computed by the script, by their places.
pub(crate) fn given(program: &Program) -> BTreeMap<TextRange, Given> {
    let mut given = BTreeMap::new();
    let mut stack: Vec<&Stmt> = program.statements.iter().collect();
    while let Some(stmt) = stack.pop() {
        match &stmt.kind {
            StmtKind::Assign { target, value, .. } if target.index.is_none() => {
                given.extend(of_value(value).map(|found| (target.name.range, found)));
            }
            StmtKind::Function(def) => {
                let params = def.params.iter();
                given.extend(params.filter_map(|param| {
                    let values = of_kind(declared(param).kind)?;
                    let source = None;
                    Some((param.name.range, Given { values, source }))
                }));
            }
            _ => {}
        }
        for body in names::bodies(stmt) {
            stack.extend(&body.statements);
        }
    }
    given
}

fn of_kind(kind: ValueKind) -> Option<Values> {
    match kind {
        ValueKind::Int => Some(Values::Whole),
        ValueKind::Bool => Some(Values::Truth),
        ValueKind::Matrix | ValueKind::Double | ValueKind::Scalar | ValueKind::Unknown => {
            Some(Values::Any)
        }
        ValueKind::String | ValueKind::Frame | ValueKind::List => None,
    }
}

/// An argument, or what is read or drawn; anything that is computed from it is not seen.
fn of_value(value: &Expr) -> Option<Given> {
    match &strip(value).kind {
        ExprKind::Arg(name) => Some(Given {
            values: Values::Any,
            source: Some(format!("${}", name.name).into()),
        }),
        ExprKind::Call(call) if call.namespace.is_none() => of_call(call),
        _ => None,
    }
}

fn of_call(call: &Call) -> Option<Given> {
    let first = || call.args.first().map(|arg| &arg.value);
    let cast = |values: Values| {
        let inner = of_value(first()?)?;
        Some(Given {
            values: inner.values.meet(values)?,
            ..inner
        })
    };
    match &*call.name.name {
        "read" => {
            let values = match named(call, "value_type").map(|expr| &strip(expr).kind) {
                None => Values::Any,
                Some(ExprKind::Str(text)) if &*text.value == "double" => Values::Any,
                Some(ExprKind::Str(text)) if &*text.value == "int" => Values::Whole,
                Some(_) => return None,
            };
            let source = format!("read {}", place(first()?)).into();
            Some(Given {
                values,
                source: Some(source),
            })
        }
        "rand" | "Rand" => drawn(call),
        "ifdef" | "as.double" | "as.scalar" => cast(Values::Any),
        "as.integer" => cast(Values::Whole),
        "as.logical" | "as.boolean" => cast(Values::Truth),
        _ => None,
    }
}

/// What `rand` draws by numbers that stand there.
fn drawn(call: &Call) -> Option<Given> {
    let number = |name: &str, default: f64| match named(call, name) {
        Some(expr) => literal(expr),
        None => Some(default),
    };
    // Where cells may be zero, those that are not have all values; with no cell that is not, there is nothing to draw.
    if number("sparsity", 1.0)? <= 0.0 {
        return None;
    }
    let values = match named(call, "pdf").map(|expr| &strip(expr).kind) {
        None => (number("min", 0.0)?, number("max", 1.0)?),
        Some(ExprKind::Str(text)) => match &*text.value {
            "uniform" => (number("min", 0.0)?, number("max", 1.0)?),
            // Larger ones are drawn too, though seldom.
            "normal" => (-3.0, 3.0),
            _ => return None,
        },
        Some(_) => return None,
    };
    (values.0 < values.1).then(|| Given {
        values: Values::Between(values.0, values.1),
        // Two draws by one seed may be the same.
        source: named(call, "seed").map(|_| "rand by a seed".into()),
    })
}

fn named<'a>(call: &'a Call, name: &str) -> Option<&'a Expr> {
    let mut args = call.args.iter();
    let arg = args.find(|arg| arg.name.as_ref().is_some_and(|ident| &*ident.name == name))?;
    Some(&arg.value)
}

/// The file of a `read`: two texts that are equal name the same one.
fn place(expr: &Expr) -> String {
    sumac_syntax::print::print_expr(strip(expr))
}

fn literal(expr: &Expr) -> Option<f64> {
    match &strip(expr).kind {
        ExprKind::Int(n) => Some(crate::value::as_f64(*n)),
        ExprKind::Double(n) => Some(*n),
        ExprKind::Unary(UnaryOp::Neg, inner) => literal(inner).map(|n| -n),
        _ => None,
    }
}
