//! Smallest, largest, either or: what also takes scalars and keeps their kind.

use sumac_la::Op;

use super::super::Interpreter;
use super::args::{Args, Done, required};
use crate::apply::apply;
use crate::interp::scalar_ops::apply_in_script;
use crate::value::Value;

/// `min` and `max` of one matrix, or of any number of matrices and scalars; of two integers an integer.
pub(super) fn extreme(args: Args, of_one: Op, of_two: Op) -> Done {
    let (name, count) = (args.name.clone(), args.positional.len());
    let mut values = args.positional.into_iter();
    let first = required(values.next(), &name, "a value")?;
    if count == 1 {
        return Ok(Some(apply(of_one, vec![first])?));
    }
    let pick = |a: Value, b: Value| match (&a, &b) {
        (Value::Int(x), Value::Int(y)) if count == 2 => {
            let integer = of_two.eval_integers(&[*x, *y]).map(Value::Int);
            integer.map_or_else(|| apply_in_script(of_two, vec![a, b]), Ok)
        }
        _ => apply_in_script(of_two, vec![a, b]),
    };
    Ok(Some(values.try_fold(first, pick)?))
}

pub(super) fn if_else(_: &mut Interpreter<'_>, args: Args) -> Done {
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

/// Nanoseconds since 1970, as SystemDS has them.
pub(super) fn time(_: &mut Interpreter<'_>, _: Args) -> Done {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    Ok(Some(Value::Int(now.map_or(0, |d| d.as_nanos() as i64))))
}
