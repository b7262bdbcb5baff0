//! The functions of DML that a search computes: cells, sums, and what moves cells.

use sumac_syntax::ast::{Call, Expr, ExprKind};

use super::evaluate::Scope;
use super::number::Number;
use super::value::{Known, Over, Value, mean, power, sum, variance};

/// What [`call`] knows by name. What is not among them is a value of its own to a search, where a variable holds it.
const KNOWN: [&str; 56] = [
    "abs",
    "as.double",
    "as.matrix",
    "as.scalar",
    "cbind",
    "colMaxs",
    "colMeans",
    "colMins",
    "colSds",
    "colSums",
    "colVars",
    "cos",
    "cumsum",
    "diag",
    "exp",
    "ifdef",
    "ifelse",
    "inv",
    "length",
    "log",
    "matrix",
    "max",
    "mean",
    "min",
    "ncol",
    "nrow",
    "prod",
    "rbind",
    "rev",
    "rowMaxs",
    "rowMeans",
    "rowMins",
    "rowSds",
    "rowSums",
    "rowVars",
    "sd",
    "seq",
    "sigmoid",
    "sign",
    "sin",
    "solve",
    "sqrt",
    "sum",
    "sumSq",
    "t",
    "tanh",
    "tan",
    "sinh",
    "cosh",
    "trace",
    "var",
    "ifDef",
    "print",
    "write",
    "toString",
    "as.numeric",
];

pub(super) fn is_known(name: &str) -> bool {
    KNOWN.contains(&name)
}

/// # Errors
/// It is none of those that are known here, or its arguments do not fit.
pub(super) fn call<N: Number>(scope: &Scope<'_, N>, call: &Call) -> Known<Value<N>> {
    let name = &*call.name.name;
    let unknown = || Err(format!("`{name}`"));
    if call.namespace.is_some() {
        return unknown();
    }
    let expr = |name: &str, place: usize| Scope::<N>::argument(&call.args, name, place);
    match name {
        "matrix" => {
            let (data, rows, cols) = (expr("data", 0), expr("rows", 1), expr("cols", 2));
            return match (data, rows, cols) {
                (Some(data), Some(rows), Some(cols)) => filled(scope, data, rows, cols),
                _ => unknown(),
            };
        }
        "ifdef" | "ifDef" => {
            return match call.args.get(1) {
                Some(default) => scope.eval(&default.value),
                None => unknown(),
            };
        }
        _ => {}
    }
    if call.args.iter().any(|arg| arg.name.is_some()) && name != "seq" {
        return unknown();
    }
    let args: Vec<Value<N>> = call
        .args
        .iter()
        .map(|arg| scope.eval(&arg.value))
        .collect::<Known<_>>()?;
    match &args[..] {
        [a] => of_one(name, a),
        [a, b] => of_two(name, a, b),
        _ => of_more(name, &args),
    }
    .unwrap_or_else(unknown)
}

/// `matrix(data, rows, cols)`.
fn filled<N: Number>(
    scope: &Scope<'_, N>,
    data: &Expr,
    rows: &Expr,
    cols: &Expr,
) -> Known<Value<N>> {
    let (rows, cols) = (scope.size(rows)?, scope.size(cols)?);
    let data = match &data.kind {
        ExprKind::Str(text) => {
            let numbers: Option<Vec<N>> = text
                .value
                .split_whitespace()
                .map(|word| word.parse().ok().map(N::of))
                .collect();
            let cells = numbers.ok_or("a matrix of text")?;
            Value {
                is_scalar: false,
                rows: 1,
                cols: cells.len(),
                cells,
            }
        }
        _ => scope.eval(data)?,
    };
    if let [x] = data.cells[..] {
        return Value::matrix(rows, cols, |_, _| x);
    }
    if data.cells.len() != rows * cols {
        return Err("shapes that do not fit at small sizes".to_owned());
    }
    Value::matrix(rows, cols, |i, j| data.cells[i * cols + j])
}

fn least<N: Number>(x: N, y: N) -> N {
    if x < y || x.near().is_nan() { x } else { y }
}

fn most<N: Number>(x: N, y: N) -> N {
    if x > y || x.near().is_nan() { x } else { y }
}

fn sigmoid<N: Number>(x: N) -> N {
    N::of(1.0) / (N::of(1.0) + (-x).exp())
}

fn sign<N: Number>(x: N) -> N {
    N::truth(x > N::of(0.0)) - N::truth(x < N::of(0.0))
}

/// `None`: no such function of one argument.
fn of_one<N: Number>(name: &str, a: &Value<N>) -> Option<Known<Value<N>>> {
    let cells = a.cells.clone();
    let diagonal = || {
        (0..a.rows.min(a.cols))
            .map(|i| a.at(i, i))
            .collect::<Vec<N>>()
    };
    if let Some(found) = aggregate(name, a) {
        return Some(Ok(found));
    }
    let count = |n: usize| Value::number(N::of(n as f64));
    Some(Ok(match name {
        "abs" => a.map(N::abs),
        "exp" => a.map(N::exp),
        "log" => a.map(N::ln),
        "sqrt" => a.map(N::sqrt),
        "sin" => a.map(N::sin),
        "cos" => a.map(N::cos),
        "tan" => a.map(|x| x.sin() / x.cos()),
        "sinh" => a.map(N::sinh),
        "cosh" => a.map(N::cosh),
        "tanh" => a.map(N::tanh),
        "sigmoid" => a.map(sigmoid),
        "sign" => a.map(sign),
        "t" => a.transposed(),
        "rev" => {
            return Some(Value::matrix(a.rows, a.cols, |i, j| {
                a.at(a.rows - 1 - i, j)
            }));
        }
        "diag" if a.cols == 1 => {
            return Some(Value::matrix(a.rows, a.rows, |i, j| {
                if i == j { a.cells[i] } else { N::of(0.0) }
            }));
        }
        "diag" => return Some(Value::matrix(a.rows, 1, |i, _| a.at(i, i))),
        "trace" => Value::number(sum(&diagonal())),
        "nrow" => count(a.rows),
        "ncol" => count(a.cols),
        "length" => count(cells.len()),
        "as.scalar" | "as.double" | "as.numeric" => return Some(a.only().map(Value::number)),
        "as.matrix" => Value {
            is_scalar: false,
            ..a.clone()
        },
        "inv" => {
            let one = Value::matrix(a.rows, a.rows, |i, j| N::truth(i == j))
                .and_then(|one| a.solved(&one));
            return Some(one);
        }
        "cumsum" => {
            let mut found = a.clone();
            for (at, x) in cells.iter().enumerate().skip(a.cols) {
                found.cells[at] = found.cells[at - a.cols] + *x;
            }
            found
        }
        _ => return None,
    }))
}

/// Sums and their like, of all cells, of rows or of columns.
fn aggregate<N: Number>(name: &str, a: &Value<N>) -> Option<Value<N>> {
    let (over, what) = match name {
        _ if name.starts_with("row") => (Over::Rows, &name[3..]),
        _ if name.starts_with("col") => (Over::Cols, &name[3..]),
        _ => (Over::All, name),
    };
    Some(match what {
        "Sums" | "sum" => a.folded(over, |cells| sum(cells)),
        "Means" | "mean" => a.folded(over, |cells| mean(cells)),
        "Vars" | "var" => a.folded(over, |cells| variance(cells)),
        "Sds" | "sd" => a.folded(over, |cells| variance(cells).sqrt()),
        "Mins" | "min" => a.folded(over, |cells| {
            cells.iter().copied().fold(N::of(f64::INFINITY), least)
        }),
        "Maxs" | "max" => a.folded(over, |cells| {
            cells.iter().copied().fold(N::of(f64::NEG_INFINITY), most)
        }),
        "prod" => a.folded(over, |cells| {
            cells.iter().fold(N::of(1.0), |product, x| product * *x)
        }),
        "sumSq" => a.folded(over, |cells| {
            let squares: Vec<N> = cells.iter().map(|x| power(*x, N::of(2.0))).collect();
            sum(&squares)
        }),
        _ => return None,
    })
}

fn of_two<N: Number>(name: &str, a: &Value<N>, b: &Value<N>) -> Option<Known<Value<N>>> {
    Some(match name {
        "min" => a.with(b, least),
        "max" => a.with(b, most),
        "log" => a.with(b, |x, base| x.ln() / base.ln()),
        "solve" => a.solved(b),
        "seq" => range(a, b, &Value::number(N::of(1.0))),
        "cbind" | "rbind" => return of_more(name, &[a.clone(), b.clone()]),
        _ => return None,
    })
}

fn of_more<N: Number>(name: &str, args: &[Value<N>]) -> Option<Known<Value<N>>> {
    let first = args.first()?;
    let joined = |f: fn(&Value<N>, &Value<N>) -> Known<Value<N>>| {
        args[1..].iter().try_fold(first.clone(), |a, b| f(&a, b))
    };
    Some(match (name, args) {
        ("seq", [from, to, by]) => range(from, to, by),
        ("ifelse", [test, yes, no]) => {
            let chosen = test.with(
                yes,
                |test, yes| {
                    if test.near() == 0.0 { N::of(0.0) } else { yes }
                },
            );
            let other = test.with(
                no,
                |test, no| {
                    if test.near() == 0.0 { no } else { N::of(0.0) }
                },
            );
            chosen.and_then(|chosen| chosen.with(&other?, |x, y| x + y))
        }
        ("min", _) => joined(|a, b| a.with(b, least)),
        ("max", _) => joined(|a, b| a.with(b, most)),
        ("cbind", _) => joined(|a, b| {
            if a.rows != b.rows {
                return Err("shapes that do not fit at small sizes".to_owned());
            }
            Value::matrix(a.rows, a.cols + b.cols, |i, j| {
                match j.checked_sub(a.cols) {
                    None => a.cells[i * a.cols + j],
                    Some(j) => b.cells[i * b.cols + j],
                }
            })
        }),
        ("rbind", _) => joined(|a, b| {
            if a.cols != b.cols {
                return Err("shapes that do not fit at small sizes".to_owned());
            }
            let cells = [&a.cells[..], &b.cells[..]].concat();
            Value::matrix(a.rows + b.rows, a.cols, |i, j| cells[i * a.cols + j])
        }),
        _ => return None,
    })
}

/// `seq(from, to, by)`.
fn range<N: Number>(from: &Value<N>, to: &Value<N>, by: &Value<N>) -> Known<Value<N>> {
    let (from, to, by) = (from.only()?, to.only()?, by.only()?);
    let steps = ((to - from) / by).near().floor();
    if !(0.0..1e6).contains(&steps) {
        return Err("an empty or endless range".to_owned());
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number in range"
    )]
    Value::matrix(steps as usize + 1, 1, |i, _| from + by * N::of(i as f64))
}
