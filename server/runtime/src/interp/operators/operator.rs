//! An operator of the algebra as scripts call it, and how its results and options are told. Must know no operator.

use crate::interp::builtins::args::Args;
use crate::interp::{Fail, Interpreter};
use crate::value::Value;

/// The results, in their order.
pub(crate) type Done = Result<Vec<Value>, Fail>;

/// An algebraic builtin.
pub(crate) struct Operator {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&mut Interpreter<'_>, Args) -> Done,
}

pub(crate) fn one(value: impl Into<Value>) -> Done {
    Ok(vec![value.into()])
}

pub(crate) fn number(value: f64) -> Done {
    one(Value::Double(value))
}

/// A value's number, where there is a value.
pub(crate) fn optional(value: Option<&Value>, op: &str) -> Result<Option<f64>, Fail> {
    Ok(value.map(|v| v.number(op)).transpose()?)
}

/// A truth value, or what holds if there is none.
pub(crate) fn truth(value: Option<&Value>, op: &str, default: bool) -> Result<bool, Fail> {
    Ok(optional(value, op)?.map_or(default, |x| x != 0.0))
}
