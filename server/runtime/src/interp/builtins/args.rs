//! The arguments of a builtin as it takes them one by one, and what is wrong with them. Must know no builtin.

use std::sync::Arc;

use crate::error::OpError;
use crate::interp::Fail;
use crate::value::Value;

/// The arguments of a call.
pub(crate) struct Args {
    pub(crate) name: Arc<str>,
    pub(crate) positional: Vec<Value>,
    pub(crate) named: Vec<(Arc<str>, Value)>,
}

impl Args {
    pub(crate) fn new(name: &str) -> Args {
        Args {
            name: name.into(),
            positional: Vec::new(),
            named: Vec::new(),
        }
    }

    /// The values of the parameters called `names`, in this order.
    pub(crate) fn bind<const N: usize>(self, names: [&str; N]) -> Result<[Option<Value>; N], Fail> {
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

pub(crate) type Done = Result<Option<Value>, Fail>;

pub(crate) fn required(value: Option<Value>, function: &str, what: &str) -> Result<Value, Fail> {
    value.ok_or_else(|| Fail::new(format!("`{function}` needs `{what}`")))
}

pub(crate) fn text_of(value: Value, function: &str, what: &str) -> Result<Arc<str>, Fail> {
    match value {
        Value::Str(s) => Ok(s),
        other => Err(
            OpError::argument(function, format!("`{what}` to be text"), other.describe()).into(),
        ),
    }
}

pub(crate) fn bool_of(value: &Value, function: &str) -> Result<bool, Fail> {
    Ok(value.number(function)? != 0.0)
}
