//! Calls: functions of the script first, then the builtins with effects or options, then the algebraic operators.

use std::time::Instant;

use sumac_la::Op;
use sumac_syntax::ast::{Call, Expr, ExprKind, Param};

use super::builtins::{self, Args};
use super::{Fail, Function, Interpreter, MOST_CALLS, Scope, Unit};
use crate::apply::apply;
use crate::value::Value;

impl Interpreter<'_> {
    /// An expression statement: a call whose results, if any, are dropped.
    pub(super) fn effect(
        &mut self,
        expr: &Expr,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<(), Fail> {
        match &expr.kind {
            ExprKind::Call(call) => self.call_any(call, scope, unit).map(drop),
            _ => self.expr(expr, scope, unit).map(drop),
        }
    }

    /// A call in an expression: one result.
    pub(super) fn call(
        &mut self,
        call: &Call,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<Value, Fail> {
        let results = self.call_any(call, scope, unit)?;
        let name = &call.name.name;
        results
            .into_iter()
            .next()
            .ok_or_else(|| Fail::new(format!("`{name}` has no result to use")))
    }

    /// A call on the right of `[a, b] =`.
    pub(super) fn multiple(
        &mut self,
        expr: &Expr,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<Vec<Value>, Fail> {
        match &expr.kind {
            ExprKind::Call(call) => self.call_any(call, scope, unit),
            ExprKind::Paren(inner) => self.multiple(inner, scope, unit),
            _ => Err(Fail::new("several results need a call on the right")),
        }
    }

    pub(super) fn user_function(&self, call: &Call, unit: &Unit) -> Option<Function> {
        let namespace = match &call.namespace {
            Some(ns) => ns.name.clone(),
            None => unit.namespace.clone(),
        };
        self.functions
            .get(&(namespace, call.name.name.clone()))
            .cloned()
    }

    fn call_any(
        &mut self,
        call: &Call,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<Vec<Value>, Fail> {
        let name = &*call.name.name;
        if name == "ifdef" && call.namespace.is_none() {
            return self.ifdef(call, scope, unit).map(|value| vec![value]);
        }
        let function = self.user_function(call, unit);
        if function.is_none() && call.namespace.is_some() {
            let ns = call.namespace.as_ref().map_or("", |ns| &ns.name);
            return Err(Fail::new(format!("`{ns}::{name}` is not defined")));
        }
        let mut args = Args::new(name);
        for arg in &call.args {
            let value = self.expr(&arg.value, scope, unit)?;
            match &arg.name {
                Some(key) => args.named.push((key.name.clone(), value)),
                None => args.positional.push(value),
            }
        }
        match function {
            Some(function) => self.call_function(&function, args),
            None => self.call_builtin(args),
        }
    }

    fn ifdef(&mut self, call: &Call, scope: &mut Scope, unit: &Unit) -> Result<Value, Fail> {
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

    fn call_function(&mut self, function: &Function, args: Args) -> Result<Vec<Value>, Fail> {
        let definition = &function.definition;
        let name = &definition.name.name;
        let Some(body) = &definition.body else {
            return Err(Fail::new(format!("`{name}` has no body that could be run")));
        };
        if self.calls >= MOST_CALLS {
            return Err(Fail::new(format!(
                "calls are nested more than {MOST_CALLS} deep in `{name}`"
            )));
        }
        let mut inner = Scope::new();
        if args.positional.len() > definition.params.len() {
            let (most, found) = (definition.params.len(), args.positional.len());
            return Err(Fail::new(format!(
                "`{name}` takes {most} arguments, found {found}"
            )));
        }
        for (param, value) in definition.params.iter().zip(args.positional) {
            inner.insert(param.name.name.clone(), declared(param, value)?);
        }
        for (key, value) in args.named {
            let Some(param) = definition.params.iter().find(|p| p.name.name == key) else {
                let known: Vec<&str> = definition.params.iter().map(|p| &*p.name.name).collect();
                return Err(Fail::new(format!(
                    "`{name}` has no parameter `{key}`; it has {}",
                    known.join(", ")
                )));
            };
            inner.insert(key, declared(param, value)?);
        }
        for param in &definition.params {
            if inner.contains_key(&param.name.name) {
                continue;
            }
            let Some(default) = &param.default else {
                return Err(Fail::new(format!(
                    "`{name}` needs a value for `{}`",
                    param.name.name
                )));
            };
            let value = self.expr(default, &mut inner, &function.unit)?;
            inner.insert(param.name.name.clone(), declared(param, value)?);
        }
        self.calls += 1;
        let done = self.statements(&body.statements, &mut inner, &function.unit);
        self.calls -= 1;
        done?;
        let result = |param: &Param| {
            let missing = || {
                Fail::new(format!(
                    "`{name}` ended without a value for its result `{}`",
                    param.name.name
                ))
            };
            declared(
                param,
                inner.get(&param.name.name).cloned().ok_or_else(missing)?,
            )
        };
        definition.results.iter().map(result).collect()
    }

    fn call_builtin(&mut self, args: Args) -> Result<Vec<Value>, Fail> {
        let name = args.name.clone();
        let start = Instant::now();
        let (label, results) = if let Some(builtin) = builtins::find(&name) {
            (
                builtin.name,
                (builtin.run)(self, args)?.into_iter().collect(),
            )
        } else {
            if let Some((key, _)) = args.named.first() {
                return Err(Fail::new(format!("`{name}` has no parameter `{key}`")));
            }
            let count = args.positional.len();
            let Some(op) = Op::by_call_name(&name, count) else {
                let known = Op::ALL
                    .iter()
                    .any(|op| op.info().call_name() == Some(&*name));
                return Err(Fail::new(if known {
                    format!("`{name}` does not take {count} arguments")
                } else {
                    format!(
                        "`{name}` is not defined (neither in the script nor as a builtin of the local engine)"
                    )
                }));
            };
            (
                op.info().call_name().unwrap_or("call"),
                vec![apply(op, args.positional)?],
            )
        };
        self.stats.add(label, start.elapsed());
        Ok(results)
    }
}

/// A value as a parameter or result declares it: scalars are converted, other kinds must agree.
fn declared(param: &Param, value: Value) -> Result<Value, Fail> {
    let Some(ty) = &param.ty else {
        return Ok(value);
    };
    let ty = ty.name.to_ascii_lowercase();
    let wrong = |value: &Value| {
        Fail::new(format!(
            "`{}` is declared {}, found {}",
            param.name.name,
            ty,
            value.describe()
        ))
    };
    if ty.starts_with("matrix") {
        return if matches!(value, Value::Matrix(_)) {
            Ok(value)
        } else {
            Err(wrong(&value))
        };
    }
    let number = |value: &Value| value.as_number().ok_or_else(|| wrong(value));
    Ok(match ty.as_str() {
        "double" => Value::Double(number(&value)?),
        "integer" | "int" => match value {
            Value::Int(_) => value,
            other => Value::Int(number(&other)? as i64),
        },
        "boolean" => match value {
            Value::Bool(_) => value,
            other => Value::Bool(number(&other)? != 0.0),
        },
        "string" => match value {
            Value::Matrix(_) => return Err(wrong(&value)),
            other => Value::text(other.to_string()),
        },
        _ => value,
    })
}
