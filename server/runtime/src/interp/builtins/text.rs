//! What a script says: `print`, `toString`, and the ends that it gives itself.

use super::super::printing::{self, Style};
use super::super::{Fail, Interpreter, RunErrorKind};
use super::args::{Args, Done, bool_of, required};
use crate::error::OpError;
use crate::kernels::generate::size;
use crate::value::Value;

pub(super) fn print(interpreter: &mut Interpreter<'_>, args: Args) -> Done {
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
        (value, []) => printing::shown(value, &Style::default()),
    };
    (interpreter.print)(&text);
    Ok(None)
}

pub(super) fn stop(_: &mut Interpreter<'_>, args: Args) -> Done {
    let [message] = args.bind(["message"])?;
    let message = message.map_or_else(|| "stopped".to_owned(), |value| value.to_string());
    Err(Fail::Message(RunErrorKind::Stop, message))
}

pub(super) fn assert(_: &mut Interpreter<'_>, args: Args) -> Done {
    let [condition] = args.bind(["condition"])?;
    if bool_of(&required(condition, "assert", "condition")?, "assert")? {
        return Ok(None);
    }
    Err(Fail::Message(
        RunErrorKind::Assertion,
        "assertion failed".to_owned(),
    ))
}

pub(super) fn to_string(_: &mut Interpreter<'_>, args: Args) -> Done {
    let [target, rows, cols, decimal, sparse, sep, linesep] = args.bind([
        "target", "rows", "cols", "decimal", "sparse", "sep", "linesep",
    ])?;
    let target = required(target, "toString", "target")?;
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
    Ok(Some(Value::text(printing::shown(&target, &style))))
}
