//! Calls: functions of the script first, then the builtins with effects or options, then the algebraic operators,
//! then builtins that are scripts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use sumac_la::Op;
use sumac_syntax::ast::{Call, Expr, ExprKind, Param};

use super::builtins;
use super::builtins::args::Args;
use super::inlining::{assigns, is_other_kind};
use super::library::Function;
use super::{Fail, Interpreter, MOST_CALLS, Scope, Unit};
use super::{operators, scalar_ops};
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

    /// The function of the script, or of one that it sources, that a call means.
    pub(super) fn user_function(&self, call: &Call, unit: &Unit) -> Option<Arc<Function>> {
        let namespace = match &call.namespace {
            Some(ns) => unit.aliases.get(&ns.name)?,
            None => &unit.namespace,
        };
        self.library.get(namespace, &call.name.name)
    }

    fn call_any(
        &mut self,
        call: &Call,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<Vec<Value>, Fail> {
        let name = &*call.name.name;
        if call.namespace.is_none() {
            match name {
                "ifdef" => return Ok(vec![self.ifdef(call, scope, unit)?]),
                "exists" => return Ok(vec![self.exists(call, scope, unit)?]),
                _ => {}
            }
        }
        let function = self.user_function(call, unit);
        if function.is_none() && call.namespace.is_some() {
            let ns = call.namespace.as_ref().map_or("", |ns| &ns.name);
            return Err(Fail::new(format!("`{ns}::{name}` is not defined")));
        }
        let mut args = Args::new(name);
        let prints = function.is_none() && matches!(name, "print" | "toString");
        self.returned.clear();
        for arg in &call.args {
            let mut value = self.expr(&arg.value, scope, unit)?;
            if prints {
                let returned = std::mem::take(&mut self.returned).into_iter().next();
                let passed = match arg.value.kind {
                    ExprKind::Call(_) => returned.flatten(),
                    _ => self.as_passed(&arg.value),
                };
                value = passed.unwrap_or(value);
            }
            match &arg.name {
                Some(key) => args.named.push((key.name.clone(), value)),
                None => args.positional.push(value),
            }
        }
        self.returned.clear();
        match function {
            Some(function) => self.call_function(&function, args),
            None => {
                self.caller = unit.namespace.clone();
                self.call_builtin(args)
            }
        }
    }

    pub(super) fn call_function(
        &mut self,
        function: &Arc<Function>,
        args: Args,
    ) -> Result<Vec<Value>, Fail> {
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
        let is_inlined = self.is_inlined(function);
        let mut inner = Scope::new();
        if args.positional.len() > definition.params.len() {
            let (most, found) = (definition.params.len(), args.positional.len());
            return Err(Fail::new(format!(
                "`{name}` takes {most} arguments, found {found}"
            )));
        }
        for (param, value) in definition.params.iter().zip(args.positional) {
            let value = bound(param, value, is_inlined)?;
            inner.insert(param.name.name.clone(), value);
        }
        for (key, value) in args.named {
            let Some(param) = definition.params.iter().find(|p| p.name.name == key) else {
                let known: Vec<&str> = definition.params.iter().map(|p| &*p.name.name).collect();
                return Err(Fail::new(format!(
                    "`{name}` has no parameter `{key}`; it has {}",
                    known.join(", ")
                )));
            };
            inner.insert(key, bound(param, value, is_inlined)?);
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
        let live = function.live.get_or_init(|| {
            let results = definition.results.iter().map(|r| r.name.name.clone());
            let results: Vec<Arc<str>> = results.collect();
            let live = self.liveness(&body.statements, Some(&results), &function.unit);
            live.into()
        });
        let mut passed = BTreeMap::new();
        if !is_inlined {
            let literals = self.literals(function).iter();
            for (param, literal) in definition.params.iter().zip(literals) {
                let name = &param.name.name;
                if let (Some(literal), Some(value)) = (literal, inner.get(name))
                    && is_other_kind(literal, value)
                    && !assigns(body, name)
                {
                    passed.insert(name.clone(), literal.clone());
                }
            }
        }
        let outer = std::mem::replace(&mut self.live, live.clone());
        let outer_passed = std::mem::replace(&mut self.passed, passed);
        self.calls += 1;
        let done = self.statements(&body.statements, &mut inner, &function.unit);
        self.calls -= 1;
        self.live = outer;
        let passed = std::mem::replace(&mut self.passed, outer_passed);
        done?;
        let result = |param: &Param| {
            let missing = || {
                Fail::new(format!(
                    "`{name}` ended without a value for its result `{}`",
                    param.name.name
                ))
            };
            let value = inner.get(&param.name.name).cloned().ok_or_else(missing)?;
            bound(param, value, is_inlined)
        };
        let results: Vec<Value> = definition
            .results
            .iter()
            .map(result)
            .collect::<Result<_, _>>()?;
        self.returned.clear();
        if !is_inlined {
            let pairs = definition.results.iter().zip(&results);
            self.returned.extend(pairs.map(|(param, value)| {
                let name = &param.name.name;
                let found = passed.get(name).or_else(|| inner.get(name))?;
                is_other_kind(found, value).then(|| found.clone())
            }));
        }
        Ok(results)
    }

    pub(super) fn call_builtin(&mut self, args: Args) -> Result<Vec<Value>, Fail> {
        let name: Arc<str> = operators::canonical(&args.name).into();
        let named = args.named.iter().map(|(_, value)| value);
        for value in args.positional.iter().chain(named) {
            self.reads_cells(value);
        }
        let start = Instant::now();
        if let Some(operator) = operators::find(&name) {
            let results = (operator.run)(self, args)?;
            self.stats.add(operator.name, start.elapsed());
            return Ok(results);
        }
        if let Some(builtin) = builtins::find(&name) {
            let results = (builtin.run)(self, args)?.into_iter().collect();
            self.stats.add(builtin.name, start.elapsed());
            return Ok(results);
        }
        if let Some(builtin) = builtins::find_several(&name) {
            let results = (builtin.run)(self, args)?;
            self.stats.add(builtin.name, start.elapsed());
            return Ok(results);
        }
        let count = args.positional.len();
        if let Some(op) = Op::by_call_name(&name, count) {
            if let Some((key, _)) = args.named.first() {
                return Err(Fail::new(format!("`{name}` has no parameter `{key}`")));
            }
            let label = op.info().call_name().unwrap_or("call");
            let value = scalar_ops::apply_in_script(op, args.positional)?;
            self.stats.add(label, start.elapsed());
            return Ok(vec![value]);
        }
        let known = |op: &Op| op.info().call_name() == Some(&*name);
        if Op::ALL.iter().any(known) {
            return Err(Fail::new(format!(
                "`{name}` does not take {count} arguments"
            )));
        }
        let first = args.positional.first();
        let first = first.or_else(|| args.named.first().map(|(_, value)| value));
        match self.script_builtin(&name, first)? {
            Some(function) => self.call_function(&function, args),
            None => Err(Fail::new(format!(
                "`{name}` is not defined: neither in the script nor as a builtin of the local engine, \
                 nor as a script of a SystemDS installation"
            ))),
        }
    }
}

/// A value as it goes in and out of a function: where the body stands in the place of the call, a scalar for a matrix stays one.
fn bound(param: &Param, value: Value, is_inlined: bool) -> Result<Value, Fail> {
    let wants_matrix = || {
        let ty = param.ty.as_ref().map(|ty| ty.name.to_ascii_lowercase());
        ty.is_some_and(|ty| ty.starts_with("matrix"))
    };
    if is_inlined && value.as_number().is_some() && value.is_scalar() && wants_matrix() {
        return Ok(value);
    }
    declared(param, value)
}

/// A value as a parameter or result declares it: scalars are converted, other kinds must agree.
fn declared(param: &Param, value: Value) -> Result<Value, Fail> {
    let Some(ty) = &param.ty else {
        return Ok(value);
    };
    let name = ty.name.to_ascii_lowercase();
    let wrong = |value: &Value| {
        Fail::new(format!(
            "`{}` is declared {name}, found {}",
            param.name.name,
            value.describe()
        ))
    };
    // `scalar[double]` is `double`.
    let (kind, inner) = name.split_once('[').unwrap_or((&name, ""));
    let kind = if kind == "scalar" {
        inner.trim_end_matches(']')
    } else {
        kind
    };
    let number = |value: &Value| match value {
        Value::Matrix(_) => Err(wrong(value)),
        other => other.as_number().ok_or_else(|| wrong(value)),
    };
    Ok(match (kind, value) {
        ("matrix", value @ Value::Matrix(_))
        | ("list", value @ Value::List(_))
        | ("frame", value @ Value::Frame(_)) => value,
        ("matrix" | "list" | "frame", value) => return Err(wrong(&value)),
        ("double", value) => Value::Double(number(&value)?),
        ("integer" | "int", value @ Value::Int(_)) => value,
        ("integer" | "int", value) => Value::Int(number(&value)? as i64),
        ("boolean", value @ Value::Bool(_)) => value,
        ("boolean", value) => Value::Bool(number(&value)? != 0.0),
        ("string", value) if value.is_scalar() => Value::text(value.to_string()),
        ("string", value) => return Err(wrong(&value)),
        (_, value) => value,
    })
}
