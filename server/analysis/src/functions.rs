//! The script's own functions: arguments to parameters, results per call signature, one recorded walk at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sumac_la::Dim;
use sumac_syntax::ast::{Arg, Call, Expr, ExprKind, FunctionDef, Param, Program, StmtKind};
use sumac_syntax::text::TextRange;

use crate::analyzer::{Analyzer, Env, Var};
use crate::block::Builder;
use crate::result::{FunctionInfo, NameUse, ParamInfo, Severity, Symbol, codes};
use crate::value::{ValueInfo, ValueKind};

/// Calls that are followed into one another; deeper ones give what the function declares.
const MAX_CALL_DEPTH: usize = 8;
/// Signatures of one function that are looked at; further ones give what the function declares.
const MAX_SIGNATURES: usize = 24;

/// What is known about calls so far.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// Results by function and arguments.
    memo: BTreeMap<(Arc<str>, String), Vec<ValueInfo>>,
    signatures: BTreeMap<Arc<str>, usize>,
    /// What holds over all calls of a function.
    merged: BTreeMap<Arc<str>, Vec<ValueInfo>>,
    active: BTreeSet<Arc<str>>,
}

impl Analyzer<'_> {
    /// A call of a function of the script: what is known of its results.
    pub(crate) fn call_function(&mut self, expr: &Expr, call: &Call) -> Vec<ValueInfo> {
        let values: Vec<ValueInfo> = call
            .args
            .iter()
            .map(|arg| self.eval_part(&arg.value).info)
            .collect();
        let Some(def) = self.functions.get(&call.name.name).copied() else {
            return Vec::new();
        };
        if self.recording {
            self.out.names.push(NameUse {
                range: call.name.range,
                name: call.name.name.clone(),
                scope: self.scope.clone(),
                symbol: Symbol::Function,
                is_definition: false,
                definitions: vec![def.name.range],
            });
        }
        let infos = self.bind_arguments(expr, call, def, &values);
        self.results(def, infos)
    }

    /// One value for each parameter; tells what does not fit.
    fn bind_arguments(
        &mut self,
        expr: &Expr,
        call: &Call,
        def: &FunctionDef,
        values: &[ValueInfo],
    ) -> Vec<ValueInfo> {
        let mut bound: Vec<Option<ValueInfo>> = vec![None; def.params.len()];
        let mut positional = 0;
        let mut surplus = 0;
        for (place, (arg, value)) in call.args.iter().zip(values).enumerate() {
            let at = match &arg.name {
                Some(name) => {
                    let at = def.params.iter().position(|p| p.name.name == name.name);
                    if at.is_none() {
                        let known = def.params.iter().map(|p| &*p.name.name);
                        self.unknown_parameter(name.range, &name.name, &call.name.name, known);
                    }
                    at
                }
                None => {
                    positional += 1;
                    if positional > def.params.len() {
                        surplus += 1;
                    }
                    Some(place)
                }
            };
            if let Some(slot) = at.and_then(|at| bound.get_mut(at)) {
                *slot = Some(value.clone());
            }
        }
        let missing: Vec<&str> = def
            .params
            .iter()
            .zip(&bound)
            .filter(|(param, value)| param.default.is_none() && value.is_none())
            .map(|(param, _)| &*param.name.name)
            .collect();
        let broken = call
            .args
            .iter()
            .any(|arg| arg.value.kind == ExprKind::Missing);
        if (surplus > 0 || !missing.is_empty()) && !broken {
            let list: Vec<&str> = def.params.iter().map(|p| &*p.name.name).collect();
            let problem = if surplus > 0 {
                format!("{} arguments", call.args.len())
            } else {
                format!("no value for `{}`", missing.join("`, `"))
            };
            let message = format!(
                "`{0}` takes ({1}), found {problem}",
                call.name.name,
                list.join(", ")
            );
            let related = vec![(
                def.name.range,
                format!("`{}` is defined here", call.name.name),
            )];
            self.report_with(
                Severity::Error,
                codes::WRONG_ARITY,
                expr.range,
                message,
                related,
            );
        }
        let mut infos: Vec<ValueInfo> = def
            .params
            .iter()
            .zip(&bound)
            .map(|(param, value)| match value {
                Some(value) => refine(declared(param), value.clone()),
                None => declared(param),
            })
            .collect();
        for (i, param) in def.params.iter().enumerate() {
            if let (None, Some(default)) = (&bound[i], &param.default) {
                let value = self.default_value(def, &infos, default);
                infos[i] = refine(declared(param), value);
            }
        }
        infos
    }

    /// A default may read the other parameters: `k = ncol(X)`.
    fn default_value(
        &mut self,
        def: &FunctionDef,
        params: &[ValueInfo],
        default: &Expr,
    ) -> ValueInfo {
        let recording = std::mem::replace(&mut self.recording, false);
        let (env, block) = (
            std::mem::take(&mut self.env),
            std::mem::take(&mut self.block),
        );
        let parts = std::mem::take(&mut self.parts);
        self.bind_params(def, params);
        let info = self.eval(default).info;
        (self.env, self.block, self.parts) = (env, block, parts);
        self.recording = recording;
        info
    }

    pub(crate) fn unknown_parameter<'n>(
        &mut self,
        range: TextRange,
        name: &str,
        function: &str,
        known: impl Iterator<Item = &'n str>,
    ) {
        let known: Vec<&str> = known.collect();
        let mut message = format!("`{function}` has no parameter `{name}`");
        match crate::suggest::nearest(name, known.iter().copied()) {
            Some(near) => message.push_str(&format!("; did you mean `{near}`?")),
            None => message.push_str(&format!("; it has `{}`", known.join("`, `"))),
        }
        self.report(Severity::Error, codes::UNKNOWN_PARAMETER, range, message);
    }

    /// What the function gives for these arguments.
    fn results(&mut self, def: &FunctionDef, args: Vec<ValueInfo>) -> Vec<ValueInfo> {
        let name = &def.name.name;
        let (args, back) = local_names(def, args);
        match self.calls.merged.get_mut(name) {
            Some(merged) => {
                for (old, new) in merged.iter_mut().zip(&args) {
                    *old = old.join(new, true);
                }
            }
            None => {
                self.calls.merged.insert(name.clone(), args.clone());
            }
        }
        let key = (name.clone(), format!("{args:?}"));
        if let Some(results) = self.calls.memo.get(&key) {
            return results.iter().map(|info| outward(info, &back)).collect();
        }
        let seen = self.calls.signatures.entry(name.clone()).or_default();
        let Some(body) = &def.body else {
            return def.results.iter().map(declared).collect();
        };
        if *seen >= MAX_SIGNATURES
            || self.calls.active.len() >= MAX_CALL_DEPTH
            || self.calls.active.contains(name)
        {
            return def.results.iter().map(declared).collect();
        }
        *seen += 1;
        self.calls.active.insert(name.clone());
        let recording = std::mem::replace(&mut self.recording, false);
        let (env, block) = (
            std::mem::take(&mut self.env),
            std::mem::take(&mut self.block),
        );
        let (parts, scope) = (std::mem::take(&mut self.parts), self.scope.take());
        let dir = self.work_dir.clone();
        self.bind_params(def, &args);
        self.enter(Some(name.clone()));
        self.list(&body.statements);
        let results = self.gather(def);
        (self.env, self.block, self.parts, self.scope) = (env, block, parts, scope);
        self.recording = recording;
        self.work_dir = dir;
        self.calls.active.remove(name);
        let out = results.iter().map(|info| outward(info, &back)).collect();
        self.calls.memo.insert(key, results);
        out
    }

    fn bind_params(&mut self, def: &FunctionDef, args: &[ValueInfo]) {
        self.env = Env::new();
        for (param, info) in def.params.iter().zip(args) {
            let defs = [param.name.range].into();
            self.env.insert(
                param.name.name.clone(),
                Var {
                    info: info.clone(),
                    defs,
                },
            );
        }
    }

    fn gather(&self, def: &FunctionDef) -> Vec<ValueInfo> {
        def.results
            .iter()
            .map(|result| match self.env.get(&result.name.name) {
                Some(var) => refine(declared(result), var.info.clone()),
                None => declared(result),
            })
            .collect()
    }

    /// Walks each function once for the record, with what holds over all its calls.
    pub(crate) fn record_functions(&mut self, program: &Program) {
        let mut defs: Vec<(&FunctionDef, TextRange)> = program
            .statements
            .iter()
            .filter_map(|stmt| match &stmt.kind {
                StmtKind::Function(def) => Some((def, stmt.range)),
                _ => None,
            })
            .collect();
        // What only an uncalled function calls is called with less knowledge: those come last.
        defs.sort_by_key(|(def, _)| !self.calls.merged.contains_key(&def.name.name));
        for (def, full_range) in defs {
            let args = match self.calls.merged.get(&def.name.name) {
                Some(args) => local_names(def, args.clone()).0,
                None => {
                    local_names(
                        def,
                        def.params
                            .iter()
                            .map(|p| match &p.default {
                                // A caller may give another value.
                                Some(default) => ValueInfo {
                                    constant: None,
                                    size: Dim::Unknown,
                                    ..refine(declared(p), literal(default))
                                },
                                None => declared(p),
                            })
                            .collect(),
                    )
                    .0
                }
            };
            self.scope = Some(def.name.name.clone());
            self.bind_params(def, &args);
            for default in def.params.iter().filter_map(|p| p.default.as_ref()) {
                self.eval(default);
            }
            self.block = Builder::default();
            self.parts.clear();
            self.bind_params(def, &args);
            self.enter(Some(def.name.name.clone()));
            if let Some(body) = &def.body {
                self.list(&body.statements);
            }
            self.record_function(def, full_range, &args);
        }
        self.scope = None;
    }

    fn record_function(&mut self, def: &FunctionDef, full_range: TextRange, args: &[ValueInfo]) {
        let scope = Some(def.name.name.clone());
        let variable = |param: &Param, is_definition: bool, definitions: Vec<TextRange>| NameUse {
            range: param.name.range,
            name: param.name.name.clone(),
            scope: scope.clone(),
            symbol: Symbol::Variable,
            is_definition,
            definitions,
        };
        for param in &def.params {
            self.out
                .names
                .push(variable(param, true, vec![param.name.range]));
        }
        for result in &def.results {
            let defs = self
                .env
                .get(&result.name.name)
                .map(|v| v.defs.iter().copied().collect());
            self.out
                .names
                .push(variable(result, false, defs.unwrap_or_default()));
        }
        self.out.names.push(NameUse {
            range: def.name.range,
            name: def.name.name.clone(),
            scope: None,
            symbol: Symbol::Function,
            is_definition: true,
            definitions: vec![def.name.range],
        });
        let info = |param: &Param, info: ValueInfo| ParamInfo {
            name: param.name.name.clone(),
            range: param.name.range,
            has_default: param.default.is_some(),
            info,
        };
        let results = self.gather(def);
        self.out.functions.push(FunctionInfo {
            name: def.name.name.clone(),
            range: def.name.range,
            full_range,
            params: def
                .params
                .iter()
                .zip(args)
                .map(|(p, i)| info(p, i.clone()))
                .collect(),
            results: def
                .results
                .iter()
                .zip(results)
                .map(|(p, i)| info(p, i))
                .collect(),
        });
    }
}

/// What a declaration says: `Matrix[Double] X`, `Integer k`, `double x`.
pub(crate) fn declared(param: &Param) -> ValueInfo {
    let Some(ty) = &param.ty else {
        return ValueInfo::unknown();
    };
    let text = ty.name.to_ascii_lowercase();
    let (outer, inner) = text
        .split_once('[')
        .map_or((text.trim(), ""), |(a, b)| (a.trim(), b));
    let value = if outer == "scalar" {
        inner.trim_end_matches(']').trim()
    } else {
        outer
    };
    ValueInfo::of(match value {
        "matrix" => ValueKind::Matrix,
        "frame" => ValueKind::Frame,
        "list" => ValueKind::List,
        "double" | "float" => ValueKind::Double,
        "int" | "integer" => ValueKind::Int,
        "bool" | "boolean" => ValueKind::Bool,
        "string" | "str" => ValueKind::String,
        _ if outer == "scalar" => ValueKind::Scalar,
        _ => ValueKind::Unknown,
    })
}

/// What a value is, where the declaration does not exclude it.
fn refine(declared: ValueInfo, value: ValueInfo) -> ValueInfo {
    match (declared.kind, value.kind) {
        (ValueKind::Unknown, _) => value,
        (a, b) if a == b => value,
        // The parameter's kind decides how a scalar goes on.
        (a, b) if a.is_scalar() && b.is_scalar() => ValueInfo { kind: a, ..value },
        _ => declared,
    }
}

/// What a default says: literals only.
fn literal(expr: &Expr) -> ValueInfo {
    use crate::value::Constant;
    match &crate::analyzer::strip(expr).kind {
        ExprKind::Int(n) => ValueInfo::constant(Constant::Number(crate::sites::as_f64(*n))),
        ExprKind::Double(n) => ValueInfo {
            kind: ValueKind::Double,
            ..ValueInfo::constant(Constant::Number(*n))
        },
        ExprKind::Bool(b) => ValueInfo::constant(Constant::Bool(*b)),
        ExprKind::Str(s) => ValueInfo::constant(Constant::Text(s.value.clone())),
        _ => ValueInfo::unknown(),
    }
}

/// The caller's names of sizes as the function calls them, and the way back.
fn local_names(def: &FunctionDef, args: Vec<ValueInfo>) -> (Vec<ValueInfo>, BTreeMap<Dim, Dim>) {
    let mut there: BTreeMap<Dim, Dim> = BTreeMap::new();
    let mut back = BTreeMap::new();
    let args = def
        .params
        .iter()
        .zip(args)
        .map(|(param, mut info)| {
            info.origin = None;
            info.unsized_read = None;
            if info.kind == ValueKind::Matrix {
                for (dim, what) in [(&mut info.rows, "nrow"), (&mut info.cols, "ncol")] {
                    let local = Dim::Named(format!("{what}({})", param.name.name).into());
                    *dim = match &*dim {
                        Dim::Unknown => local,
                        Dim::Named(name) if !is_global(name) => {
                            let known = there.entry(dim.clone()).or_insert(local).clone();
                            back.insert(known.clone(), dim.clone());
                            known
                        }
                        other => other.clone(),
                    };
                }
            }
            if let Dim::Named(name) = &info.size
                && !is_global(name)
            {
                info.size = there.get(&info.size).cloned().unwrap_or(Dim::Unknown);
            }
            info
        })
        .collect();
    (args, back)
}

/// Names that `#@` lines and arguments give mean the same everywhere.
fn is_global(name: &str) -> bool {
    !name.contains('(')
}

/// A result with its sizes as the caller calls them.
fn outward(info: &ValueInfo, back: &BTreeMap<Dim, Dim>) -> ValueInfo {
    let dim = |dim: &Dim| match dim {
        Dim::Named(_) => dim.rename(&|name| {
            let name = Dim::Named(name.into());
            let is_local = matches!(&name, Dim::Named(name) if !is_global(name));
            if is_local {
                back.get(&name).cloned()
            } else {
                Some(name)
            }
        }),
        other => other.clone(),
    };
    ValueInfo {
        rows: dim(&info.rows),
        cols: dim(&info.cols),
        size: dim(&info.size),
        origin: None,
        unsized_read: None,
        ..info.clone()
    }
}

/// The argument called `name`, or the `at`-th positional one.
pub(crate) fn argument<'c>(args: &'c [Arg], name: &str, at: usize) -> Option<(usize, &'c Arg)> {
    let by_name = args
        .iter()
        .enumerate()
        .find(|(_, arg)| arg.name.as_ref().is_some_and(|ident| &*ident.name == name));
    by_name.or_else(|| {
        args.iter()
            .enumerate()
            .filter(|(_, arg)| arg.name.is_none())
            .nth(at)
    })
}
