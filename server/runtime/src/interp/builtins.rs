//! The builtins that are more than an algebraic operator: effects, options by name, conversions. One table.

use std::path::PathBuf;
use std::sync::Arc;

use sumac_la::Op;

use super::printing::{self, Style};
use super::{Fail, Interpreter, RunErrorKind};
use crate::apply::apply;
use crate::error::OpError;
use crate::io::{self, Format, Gaps, Layout, ReadOptions};
use crate::kernels::generate::{self, Distribution, size};
use crate::matrix::Matrix;
use crate::value::Value;

/// The arguments of a call.
pub(super) struct Args {
    pub(super) name: Arc<str>,
    pub(super) positional: Vec<Value>,
    pub(super) named: Vec<(Arc<str>, Value)>,
}

impl Args {
    pub(super) fn new(name: &str) -> Args {
        Args {
            name: name.into(),
            positional: Vec::new(),
            named: Vec::new(),
        }
    }

    /// The values of the parameters called `names`, in this order.
    fn bind<const N: usize>(self, names: [&str; N]) -> Result<[Option<Value>; N], Fail> {
        let mut out = [const { None }; N];
        if self.positional.len() > N {
            let message = format!(
                "`{}` takes at most {N} arguments, found {}",
                self.name,
                self.positional.len()
            );
            return Err(Fail::new(message));
        }
        for (slot, value) in out.iter_mut().zip(self.positional) {
            *slot = Some(value);
        }
        for (key, value) in self.named {
            let Some(at) = names.iter().position(|name| *name == &*key) else {
                let known = names.join(", ");
                return Err(Fail::new(format!(
                    "`{}` has no parameter `{key}`; it has {known}",
                    self.name
                )));
            };
            if out[at].replace(value).is_some() {
                return Err(Fail::new(format!("`{}` is given `{key}` twice", self.name)));
            }
        }
        Ok(out)
    }
}

/// A builtin.
pub(super) struct Builtin {
    pub(super) name: &'static str,
    pub(super) run: fn(&mut Interpreter<'_>, Args) -> Result<Option<Value>, Fail>,
}

/// The builtin called `name`.
pub(super) fn find(name: &str) -> Option<&'static Builtin> {
    TABLE.iter().find(|builtin| builtin.name == name)
}

#[rustfmt::skip]
static TABLE: &[Builtin] = &[
    Builtin { name: "print",           run: print },
    Builtin { name: "stop",            run: stop },
    Builtin { name: "assert",          run: assert },
    Builtin { name: "read",            run: read },
    Builtin { name: "write",           run: write },
    Builtin { name: "matrix",          run: matrix },
    Builtin { name: "rand",            run: rand },
    Builtin { name: "Rand",            run: rand },
    Builtin { name: "seq",             run: seq },
    Builtin { name: "toString",        run: to_string },
    Builtin { name: "as.double",       run: |_, a| convert(a, |v| number_of(&v).map(Value::Double)) },
    Builtin { name: "as.integer",      run: |_, a| convert(a, |v| number_of(&v).map(|x| Value::Int(x as i64))) },
    Builtin { name: "as.logical",      run: |_, a| convert(a, |v| number_of(&v).map(|x| Value::Bool(x != 0.0))) },
    Builtin { name: "as.scalar",       run: as_scalar },
    Builtin { name: "castAsScalar",    run: as_scalar },
    Builtin { name: "append",          run: |_, a| algebra(Op::Cbind, a) },
    Builtin { name: "min",             run: |_, a| extreme(a, Op::Min, Op::Min2) },
    Builtin { name: "max",             run: |_, a| extreme(a, Op::Max, Op::Max2) },
    Builtin { name: "ifelse",          run: if_else },
    Builtin { name: "xor",             run: xor },
    Builtin { name: "time",            run: time },
];

type Done = Result<Option<Value>, Fail>;

fn required(value: Option<Value>, function: &str, what: &str) -> Result<Value, Fail> {
    value.ok_or_else(|| Fail::new(format!("`{function}` needs `{what}`")))
}

fn text_of(value: Value, function: &str, what: &str) -> Result<Arc<str>, Fail> {
    match value {
        Value::Str(s) => Ok(s),
        other => Err(
            OpError::argument(function, format!("`{what}` to be text"), other.describe()).into(),
        ),
    }
}

fn bool_of(value: &Value, function: &str) -> Result<bool, Fail> {
    Ok(value.number(function)? != 0.0)
}

fn print(interpreter: &mut Interpreter<'_>, args: Args) -> Done {
    let mut values = args.positional.into_iter();
    let first = required(values.next(), "print", "a value")?;
    let rest: Vec<Value> = values.collect();
    let text = match (&first, rest.as_slice()) {
        (Value::Str(format), [_, ..]) => printing::formatted(format, &rest)
            .map_err(|message| Fail::new(format!("`print`: {message}")))?,
        (_, [_, ..]) => {
            return Err(
                OpError::argument("print", "a format before the values", first.describe()).into(),
            );
        }
        (Value::Matrix(m), []) => printing::matrix(m, &Style::default()),
        (other, []) => other.to_string(),
    };
    (interpreter.print)(&text);
    Ok(None)
}

fn stop(_: &mut Interpreter<'_>, args: Args) -> Done {
    let [message] = args.bind(["message"])?;
    let message = message.map_or_else(|| "stopped".to_owned(), |value| value.to_string());
    Err(Fail::Message(RunErrorKind::Stop, message))
}

fn assert(_: &mut Interpreter<'_>, args: Args) -> Done {
    let [condition] = args.bind(["condition"])?;
    if bool_of(&required(condition, "assert", "condition")?, "assert")? {
        return Ok(None);
    }
    Err(Fail::Message(
        RunErrorKind::Assertion,
        "assertion failed".to_owned(),
    ))
}

fn path(
    interpreter: &Interpreter<'_>,
    value: Option<Value>,
    function: &str,
) -> Result<PathBuf, Fail> {
    let text = text_of(required(value, function, "a path")?, function, "the path")?;
    // Only local files: a scheme other than file: belongs to a cluster.
    let local = text
        .strip_prefix("file://")
        .or_else(|| text.strip_prefix("file:"))
        .unwrap_or(&text);
    if let Some((scheme, _)) = local.split_once("://") {
        return Err(OpError::argument(
            function,
            "a local path",
            format!("a path with `{scheme}://`"),
        )
        .into());
    }
    Ok(interpreter.base.join(local))
}

fn read(interpreter: &mut Interpreter<'_>, args: Args) -> Done {
    let [
        file,
        rows,
        cols,
        format,
        header,
        sep,
        data_type,
        value_type,
        nnz,
        sparse,
        fill,
        default,
        na_strings,
    ] = args.bind([
        "file",
        "rows",
        "cols",
        "format",
        "header",
        "sep",
        "data_type",
        "value_type",
        "nnz",
        "sparse",
        "fill",
        "default",
        "naStrings",
    ])?;
    // Accepted because scripts say them; neither changes what is read.
    drop((nnz, sparse));
    let path = path(interpreter, file, "read")?;
    let count = |value: Option<Value>, what| -> Result<Option<usize>, Fail> {
        value
            .map(|v| Ok(size("read", what, v.number("read")?)?))
            .transpose()
    };
    let text = |value: Option<Value>| value.map(|v| v.to_string());
    let options = ReadOptions {
        data_type: text(data_type),
        value_type: text(value_type),
        rows: count(rows, "rows")?,
        cols: count(cols, "cols")?,
        nnz: None,
        format: text(format),
        header: header.map(|v| bool_of(&v, "read")).transpose()?,
        sep: text(sep),
    };
    let gaps = Gaps {
        fill: fill.map(|v| bool_of(&v, "read")).transpose()?,
        default: default.map(|v| v.number("read")).transpose()?,
        na_strings: text(na_strings).map(|joined| Gaps::words(&joined)),
    };
    Ok(Some(io::read_with(&path, &options, &gaps)?))
}

fn write(interpreter: &mut Interpreter<'_>, args: Args) -> Done {
    let [value, file, format, header, sep, sparse, description] = args.bind([
        "x",
        "file",
        "format",
        "header",
        "sep",
        "sparse",
        "description",
    ])?;
    drop(description);
    let value = required(value, "write", "a value")?;
    let path = path(interpreter, file, "write")?;
    let format = match format {
        None => Format::Text,
        Some(name) => {
            let name = name.to_string();
            let unknown = || OpError::argument("write", Format::expected(), format!("\"{name}\""));
            Format::by_name(&name).ok_or_else(unknown)?
        }
    };
    let layout = Layout {
        header: header
            .map(|v| bool_of(&v, "write"))
            .transpose()?
            .unwrap_or(false),
        sep: sep
            .map(|v| v.to_string())
            .filter(|s| !s.is_empty())
            .unwrap_or_else(|| ",".to_owned()),
        sparse: sparse
            .map(|v| bool_of(&v, "write"))
            .transpose()?
            .unwrap_or(false),
    };
    io::write(&path, &value, format, &layout)?;
    Ok(None)
}

fn matrix(_: &mut Interpreter<'_>, args: Args) -> Done {
    let [data, rows, cols, byrow] = args.bind(["data", "rows", "cols", "byrow"])?;
    let data = required(data, "matrix", "data")?;
    let count = |value: &Option<Value>, what| -> Result<Option<usize>, Fail> {
        value
            .as_ref()
            .map(|v| Ok(size("matrix", what, v.number("matrix")?)?))
            .transpose()
    };
    let (rows, cols) = (count(&rows, "rows")?, count(&cols, "cols")?);
    let by_row = byrow
        .map(|v| bool_of(&v, "matrix"))
        .transpose()?
        .unwrap_or(true);
    let cells = match &data {
        Value::Matrix(m) => m.len(),
        Value::Str(text) => text.split_whitespace().count(),
        _ => rows.unwrap_or(1) * cols.unwrap_or(1),
    };
    // One of the sizes may follow from the other.
    let (rows, cols) = match (rows, cols) {
        (Some(rows), Some(cols)) => (rows, cols),
        (Some(rows), None) => (rows, cells / rows.max(1)),
        (None, Some(cols)) => (cells / cols.max(1), cols),
        (None, None) => return Err(Fail::new("`matrix` needs `rows` and `cols`")),
    };
    let all = match &data {
        Value::Matrix(m) => (**m).clone(),
        Value::Str(text) => {
            let cells = text.split_whitespace().map(|word| {
                let wrong = || {
                    OpError::argument("matrix", "numbers separated by blanks", format!("`{word}`"))
                };
                word.parse::<f64>().map_err(|_| wrong())
            });
            let cells: Vec<f64> = cells.collect::<Result<_, _>>()?;
            Matrix::dense(1, cells.len(), cells)
        }
        number => {
            return Ok(Some(
                generate::fill(number.number("matrix")?, rows, cols)?.into(),
            ));
        }
    };
    use crate::kernels::reorg::{reshape, transpose};
    let m = if by_row {
        reshape(&all, rows, cols)?
    } else {
        transpose(&reshape(&transpose(&all), cols, rows)?)
    };
    Ok(Some(m.settled().into()))
}

fn rand(interpreter: &mut Interpreter<'_>, args: Args) -> Done {
    let [rows, cols, min, max, sparsity, pdf, seed, lambda] = args.bind([
        "rows", "cols", "min", "max", "sparsity", "pdf", "seed", "lambda",
    ])?;
    let number = |value: Option<Value>, default: f64| -> Result<f64, Fail> {
        Ok(value
            .map(|v| v.number("rand"))
            .transpose()?
            .unwrap_or(default))
    };
    let rows = size("rand", "rows", number(rows, 1.0)?)?;
    let cols = size("rand", "cols", number(cols, 1.0)?)?;
    let pdf = pdf.map_or_else(|| "uniform".to_owned(), |v| v.to_string());
    if lambda.is_some() && pdf != "poisson" {
        return Err(OpError::argument(
            "rand",
            "lambda only with pdf \"poisson\"",
            format!("pdf \"{pdf}\""),
        )
        .into());
    }
    let distribution = match pdf.as_str() {
        "uniform" => Distribution::Uniform {
            min: number(min, 0.0)?,
            max: number(max, 1.0)?,
        },
        "normal" => Distribution::Normal,
        _ => {
            return Err(OpError::argument(
                "rand",
                "pdf \"uniform\" or \"normal\"",
                format!("\"{pdf}\""),
            )
            .into());
        }
    };
    let seed = match number(seed, -1.0)? {
        -1.0 => {
            // Each call differs, each run with the same seed is the same.
            interpreter.random_calls += 1;
            interpreter
                .options
                .seed
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .wrapping_add(interpreter.random_calls)
        }
        seed => seed as i64 as u64,
    };
    Ok(Some(
        generate::random(rows, cols, distribution, number(sparsity, 1.0)?, seed)?.into(),
    ))
}

fn seq(_: &mut Interpreter<'_>, args: Args) -> Done {
    let [from, to, incr] = args.bind(["from", "to", "incr"])?;
    let from = required(from, "seq", "from")?.number("seq")?;
    let to = required(to, "seq", "to")?.number("seq")?;
    let default = if to >= from { 1.0 } else { -1.0 };
    let by = incr
        .map(|v| v.number("seq"))
        .transpose()?
        .unwrap_or(default);
    Ok(Some(generate::seq(from, to, by)?.into()))
}

fn to_string(_: &mut Interpreter<'_>, args: Args) -> Done {
    let [target, rows, cols, decimal, sparse, sep, linesep] = args.bind([
        "target", "rows", "cols", "decimal", "sparse", "sep", "linesep",
    ])?;
    let target = required(target, "toString", "target")?;
    let Value::Matrix(m) = &target else {
        return Ok(Some(Value::text(target.to_string())));
    };
    let style = Style::default();
    let count = |value: Option<Value>, what, default: usize| -> Result<usize, Fail> {
        value.map_or(Ok(default), |v| {
            Ok(size("toString", what, v.number("toString")?)?)
        })
    };
    let style = Style {
        decimals: count(decimal, "decimal", style.decimals)?.min(1000),
        rows: count(rows, "rows", style.rows)?,
        cols: count(cols, "cols", style.cols)?,
        sparse: sparse
            .map(|v| bool_of(&v, "toString"))
            .transpose()?
            .unwrap_or(style.sparse),
        sep: sep.map_or(style.sep, |v| v.to_string()),
        line_sep: linesep.map_or(style.line_sep, |v| v.to_string()),
    };
    Ok(Some(Value::text(printing::matrix(m, &style))))
}

fn convert(args: Args, f: fn(Value) -> Result<Value, Fail>) -> Done {
    let name = args.name.clone();
    let [value] = args.bind(["x"])?;
    f(required(value, &name, "a value")?).map(Some)
}

fn number_of(value: &Value) -> Result<f64, Fail> {
    match value {
        Value::Str(s) => match &*s.trim().to_ascii_uppercase() {
            "TRUE" => Ok(1.0),
            "FALSE" => Ok(0.0),
            _ => s
                .trim()
                .parse()
                .map_err(|_| Fail::new(format!("expected text that is a number, found \"{s}\""))),
        },
        other => Ok(other.number("as.double")?),
    }
}

fn as_scalar(_: &mut Interpreter<'_>, args: Args) -> Done {
    convert(args, |value| match value {
        Value::Matrix(_) => Ok(apply(Op::AsScalar, vec![value])?),
        scalar => Ok(scalar),
    })
}

fn algebra(op: Op, args: Args) -> Done {
    Ok(Some(apply(op, args.positional)?))
}

/// `min` and `max` of one matrix, or of any number of matrices and scalars; of two integers an integer.
fn extreme(args: Args, of_one: Op, of_two: Op) -> Done {
    let (name, count) = (args.name.clone(), args.positional.len());
    let mut values = args.positional.into_iter();
    let first = required(values.next(), &name, "a value")?;
    if count == 1 {
        return Ok(Some(apply(of_one, vec![first])?));
    }
    let pick = |a: Value, b: Value| match (&a, &b) {
        (Value::Int(x), Value::Int(y)) if count == 2 => Ok(Value::Int(if of_two == Op::Min2 {
            *x.min(y)
        } else {
            *x.max(y)
        })),
        _ => apply(of_two, vec![a, b]),
    };
    Ok(Some(values.try_fold(first, pick)?))
}

fn if_else(_: &mut Interpreter<'_>, args: Args) -> Done {
    let [test, yes, no] = args.bind(["test", "yes", "no"])?;
    let test = required(test, "ifelse", "test")?;
    let (yes, no) = (
        required(yes, "ifelse", "yes")?,
        required(no, "ifelse", "no")?,
    );
    let (Some(condition), false) = (
        test.as_number(),
        matches!((&yes, &no), (Value::Matrix(_), _) | (_, Value::Matrix(_))),
    ) else {
        return Ok(Some(apply(Op::IfElse, vec![test, yes, no])?));
    };
    let same_kind = yes.kind() == no.kind();
    let chosen = if condition != 0.0 { yes } else { no };
    // Scalars of two kinds meet as doubles.
    Ok(Some(if same_kind {
        chosen
    } else {
        Value::Double(chosen.number("ifelse")?)
    }))
}

fn xor(_: &mut Interpreter<'_>, args: Args) -> Done {
    let [a, b] = args.bind(["a", "b"])?;
    let (a, b) = (required(a, "xor", "a")?, required(b, "xor", "b")?);
    if let (Some(x), Some(y)) = (a.as_number(), b.as_number()) {
        return Ok(Some(Value::Bool((x != 0.0) != (y != 0.0))));
    }
    let truth = |value: Value| apply(Op::Ne, vec![value, Value::Double(0.0)]);
    Ok(Some(apply(Op::Ne, vec![truth(a)?, truth(b)?])?))
}

/// Nanoseconds since 1970, as SystemDS has them.
fn time(_: &mut Interpreter<'_>, _: Args) -> Done {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    Ok(Some(Value::Int(now.map_or(0, |d| d.as_nanos() as i64))))
}
