//! What is decided while a script runs: arguments that may be missing, variables that may not exist, functions that
//! are called by a name in text.

use std::sync::Arc;

use sumac_syntax::ast::{Call, ExprKind};

use super::builtins::args::Args;
use super::library::Function;
use super::{Fail, Interpreter, Scope, Unit};
use crate::matrix::Matrix;
use crate::value::{List, Value};

impl Interpreter<'_> {
    /// `ifdef($name, default)`.
    pub(super) fn ifdef(
        &mut self,
        call: &Call,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<Value, Fail> {
        let [first, default] = call.args.as_slice() else {
            return Err(Fail::new("`ifdef` expects $name and a default"));
        };
        match &first.value.kind {
            ExprKind::Arg(name) => match self.options.args.get(&*name.name) {
                Some(value) => Ok(value.clone()),
                None => self.expr(&default.value, scope, unit),
            },
            _ => Err(Fail::new("`ifdef` expects $name first")),
        }
    }

    /// `exists("x")` or `exists(x)`: whether a variable has a value here.
    pub(super) fn exists(
        &mut self,
        call: &Call,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<Value, Fail> {
        let [arg] = call.args.as_slice() else {
            return Err(Fail::new("`exists` expects one name"));
        };
        let found = match &arg.value.kind {
            ExprKind::Name(name) => match scope.get(&name.name) {
                Some(Value::Str(text)) => scope.contains_key(text),
                found => found.is_some(),
            },
            _ => match self.expr(&arg.value, scope, unit)? {
                Value::Str(text) => scope.contains_key(&text),
                other => {
                    return Err(Fail::new(format!(
                        "`exists` expects the name of a variable, found {}",
                        other.describe()
                    )));
                }
            },
        };
        Ok(Value::Bool(found))
    }

    /// `eval("f", a, b)` or `eval("f", list(…))`: the results of the function that text names, with their names.
    fn evaluated(&mut self, args: Args) -> Result<Vec<(Arc<str>, Value)>, Fail> {
        let how = args.name.clone();
        let mut positional = args.positional.into_iter();
        let Some(Value::Str(name)) = positional.next() else {
            return Err(Fail::new(format!(
                "`{how}` expects the name of a function first"
            )));
        };
        let mut inner = Args::new(&name);
        inner.positional = positional.collect();
        inner.named = args.named;
        let function = self.function_by_name(&name, inner.positional.first())?;
        let takes_list = |function: &Function| {
            let params = &function.definition.params;
            let ty = |i: usize| params[i].ty.as_ref().map_or("", |ty| &ty.name);
            params.len() == 1 && ty(0).to_ascii_lowercase().starts_with("list")
        };
        // A single list stands for the arguments, unless the function wants it as it is.
        if let [Value::List(list)] = inner.positional.as_slice()
            && !function.as_deref().is_some_and(takes_list)
        {
            let list = list.clone();
            let values = list.values().iter().cloned();
            match list.names() {
                Some(names) => {
                    inner.named.extend(names.iter().cloned().zip(values));
                    inner.positional.clear();
                }
                None => inner.positional = values.collect(),
            }
        }
        let Some(function) = function else {
            // Builtins of the engine have results without names.
            let results = self.call_builtin(inner)?.into_iter();
            return Ok(results
                .enumerate()
                .map(|(i, v)| (format!("V{}", i + 1).into(), v))
                .collect());
        };
        let results = self.call_function(&function, inner)?;
        let names = function
            .definition
            .results
            .iter()
            .map(|r| r.name.name.clone());
        Ok(names.zip(results).collect())
    }

    /// The function called `name` or `namespace::name`; `None` where the engine itself has it.
    fn function_by_name(
        &self,
        name: &str,
        first: Option<&Value>,
    ) -> Result<Option<Arc<Function>>, Fail> {
        let (namespace, plain) = match name.split_once("::") {
            Some((alias, plain)) => match self.main.aliases.get(alias) {
                Some(namespace) => (namespace, plain),
                None => {
                    return Err(Fail::new(format!(
                        "`{alias}` is no namespace of the script"
                    )));
                }
            },
            None => (&self.main.namespace, name),
        };
        if let Some(function) = self.library.get(namespace, plain) {
            return Ok(Some(function));
        }
        // The file that says it may have functions of its own: a builtin that is a script, or what is sourced.
        if !name.contains("::")
            && let Some(function) = self.library.get(&self.caller, plain)
        {
            return Ok(Some(function));
        }
        let first = match first {
            Some(Value::List(list)) => list.values().first(),
            other => other,
        };
        if super::builtins::is_native(plain) {
            return Ok(None);
        }
        match self.script_builtin(plain, first)? {
            Some(function) => Ok(Some(function)),
            None => Err(Fail::new(format!(
                "`eval` finds no function called `{name}`"
            ))),
        }
    }
}

/// `eval`: the first result, as a matrix where it is a scalar other than text.
pub(super) fn eval(interpreter: &mut Interpreter<'_>, args: Args) -> Result<Option<Value>, Fail> {
    let mut results = interpreter.evaluated(args)?.into_iter();
    let Some((_, value)) = results.next() else {
        return Ok(None);
    };
    Ok(Some(match value {
        Value::Frame(frame) => frame.to_matrix()?.into(),
        other => match other.as_number() {
            Some(x) => Matrix::dense(1, 1, vec![x]).into(),
            None => other,
        },
    }))
}

/// `evalList`: all results, as a list with their names.
pub(super) fn eval_list(
    interpreter: &mut Interpreter<'_>,
    args: Args,
) -> Result<Option<Value>, Fail> {
    Ok(Some(List::named(interpreter.evaluated(args)?).into()))
}
