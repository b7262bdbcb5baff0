//! Lists, and what binds the entries of lists, matrices and frames together.

use std::sync::Arc;

use sumac_la::Op;

use super::super::indexing::entry;
use super::super::{Fail, Interpreter};
use super::args::{Args, Done, required};
use crate::apply::apply;
use crate::error::OpError;
use crate::value::{Frame, List, Value};

/// `list(a, b)` or `list(x = a, y = b)`.
pub(super) fn list(_: &mut Interpreter<'_>, args: Args) -> Done {
    if !args.named.is_empty() && !args.positional.is_empty() {
        return Err(Fail::new(
            "`list` takes names for all of its entries or for none",
        ));
    }
    Ok(Some(if args.named.is_empty() {
        List::new(args.positional).into()
    } else {
        List::named(args.named).into()
    }))
}

/// `append`: an entry to a list, else a matrix, frame or text to another one.
pub(super) fn append(interpreter: &mut Interpreter<'_>, args: Args) -> Done {
    match args.positional.as_slice() {
        [Value::List(_), _] => push(args),
        _ => cbind(interpreter, args),
    }
}

/// A list of one gives its entry, with its name; anything else becomes an entry.
fn push(args: Args) -> Done {
    let [list, value] = args.bind(["list", "value"])?;
    let (list, value) = (
        required(list, "append", "a list")?,
        required(value, "append", "a value")?,
    );
    let Value::List(list) = list else {
        return Err(list.list("append").map(drop).unwrap_err().into());
    };
    let mut list = Arc::try_unwrap(list).unwrap_or_else(|shared| (*shared).clone());
    match &value {
        Value::List(one) if one.len() == 1 => {
            let name = one.names().map(|names| names[0].clone());
            list.push(name, one.values()[0].clone());
        }
        _ => list.push(None, value),
    }
    Ok(Some(list.into()))
}

/// `[rest, taken] = remove(list, place)`: what is taken out comes as a list of one.
pub(super) fn remove(_: &mut Interpreter<'_>, args: Args) -> Result<Vec<Value>, Fail> {
    let [list, at] = args.bind(["list", "position"])?;
    let at = required(at, "remove", "a position")?;
    let list = required(list, "remove", "a list")?;
    let mut rest = list.list("remove")?.clone();
    let at = entry(&rest, &at)?;
    let taken: Vec<Value> = rest.remove(at).into_iter().collect();
    Ok(vec![rest.into(), List::new(taken).into()])
}

pub(super) fn cbind(_: &mut Interpreter<'_>, args: Args) -> Done {
    bind(args, Op::Cbind)
}

pub(super) fn rbind(_: &mut Interpreter<'_>, args: Args) -> Done {
    bind(args, Op::Rbind)
}

fn bind(args: Args, op: Op) -> Done {
    let name = if op == Op::Cbind { "cbind" } else { "rbind" };
    if let Some((key, _)) = args.named.first() {
        return Err(Fail::new(format!("`{name}` has no parameter `{key}`")));
    }
    let parts = match args.positional.as_slice() {
        // A single list stands for its entries.
        [Value::List(list)] => list.values().to_vec(),
        [Value::List(_), _] => return push(args),
        _ => args.positional,
    };
    let is_text = |value: &Value| matches!(value, Value::Str(_));
    if parts.iter().all(is_text) && !parts.is_empty() {
        let lines: Vec<String> = parts.iter().map(Value::to_string).collect();
        return Ok(Some(Value::text(lines.join("\n"))));
    }
    let is_frame = |value: &Value| matches!(value, Value::Frame(_));
    if !parts.iter().any(is_frame) {
        return match parts.as_slice() {
            [only @ Value::Matrix(_)] => Ok(Some(only.clone())),
            _ => Ok(Some(apply(op, parts)?)),
        };
    }
    let frame = |value: &Value| match value {
        Value::Frame(frame) => Ok(frame.clone()),
        Value::Matrix(m) => Ok(Arc::new(Frame::of_matrix(m))),
        other => Err(OpError::argument(name, "frames", other.describe())),
    };
    let frames: Vec<Arc<Frame>> = parts.iter().map(frame).collect::<Result<_, _>>()?;
    let frames: Vec<&Frame> = frames.iter().map(Arc::as_ref).collect();
    Ok(Some(
        if op == Op::Cbind {
            Frame::cbind(&frames)?
        } else {
            Frame::rbind(&frames)?
        }
        .into(),
    ))
}
