//! Functions that scripts define: arguments to parameters, and the walk over a body.

use std::sync::Arc;

use sumac_syntax::ast::{Arg, Call, Expr, ExprKind, FunctionDef, Param, StmtKind};
use sumac_text::TextRange;

use crate::analyzer::{Analyzer, Env, Var};
use crate::block::Builder;
use crate::db::inputs::Function;
use crate::db::resolve::{Declaration, Lookup};
use crate::db::signature::Signature;
use crate::made::Made;
use crate::made::most_signatures;
use crate::params::{Scale, declared, literal, refine};
use crate::provenance::Provenance;
use crate::result::{FunctionInfo, NameUse, ParamInfo, Severity, Symbol, codes};
use crate::value::{ValueInfo, differs};

impl Analyzer<'_> {
    /// Whether a call means a function of the script or of one that it sources.
    pub(crate) fn is_function(&self, call: &Call) -> bool {
        call.namespace.is_some() || self.functions.contains_key(&call.name.name)
    }

    /// A call of such a function: what is known of its results; `None` where it is not known which it is.
    pub(crate) fn call_function(&mut self, expr: &Expr, call: &Call) -> Option<Vec<ValueInfo>> {
        let values: Vec<ValueInfo> = call
            .args
            .iter()
            .map(|arg| self.eval_part(&arg.value).info)
            .collect();
        let namespace = call.namespace.as_ref().map(|ident| &*ident.name);
        let callee = match self.world.lookup(namespace, &call.name.name) {
            Lookup::Function(callee) => callee,
            Lookup::Unseen => return None,
            Lookup::NoNamespace(known) => {
                self.unknown_namespace(call, known.keys().map(|name| &**name));
                return None;
            }
            Lookup::NoFunction(known) => {
                self.no_such_function(call, known.keys().map(|name| &**name));
                return None;
            }
        };
        let declaration = self.world.declaration(callee)?;
        if self.recording && namespace.is_none() {
            self.out.names.push(NameUse {
                range: call.name.range,
                name: call.name.name.clone(),
                scope: self.scope.clone(),
                symbol: Symbol::Function,
                is_definition: false,
                // Where it stands is known in the whole file only.
                definitions: Vec::new(),
            });
        }
        let mut infos = self.bind_arguments(expr, call, &declaration.def, &values);
        if self.world.is_inlined(callee) {
            keep_forms(&mut infos, call, &declaration.def, &values);
        }
        Some(self.results(callee, &declaration, infos))
    }

    fn unknown_namespace<'a>(&mut self, call: &Call, known: impl Iterator<Item = &'a str>) {
        let Some(namespace) = &call.namespace else {
            return;
        };
        let name = &namespace.name;
        let mut message = format!("no `source` gives the namespace `{name}`");
        match crate::suggest::nearest(name, known) {
            Some(near) => message.push_str(&format!("; did you mean `{near}`?")),
            None => message.push_str(&format!("; add `source(\"file.dml\") as {name}`")),
        }
        self.report(
            Severity::Error,
            codes::UNKNOWN_NAMESPACE,
            namespace.range,
            message,
        );
    }

    fn no_such_function<'a>(&mut self, call: &Call, known: impl Iterator<Item = &'a str>) {
        let Some(namespace) = &call.namespace else {
            return;
        };
        let name = &call.name.name;
        let file = self.world.sourced(&namespace.name);
        let file = file.map_or_else(String::new, |sourced| format!(" (`{}`)", sourced.literal));
        let mut message = format!("`{}`{file} has no function `{name}`", namespace.name);
        if let Some(near) = crate::suggest::nearest(name, known) {
            message.push_str(&format!("; did you mean `{near}`?"));
        }
        self.report(
            Severity::Error,
            codes::UNKNOWN_FUNCTION,
            call.name.range,
            message,
        );
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
            if call.namespace.is_none() {
                self.link(expr.range, &call.name.name);
            }
            self.report(Severity::Error, codes::WRONG_ARITY, expr.range, message);
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
                // What a name means in a default of another file is not known here.
                let value = match call.namespace {
                    Some(_) => literal(default),
                    None => self.default_value(def, &infos, default),
                };
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

    /// A diagnostic at `range` is about the file's function `name`.
    fn link(&mut self, range: TextRange, name: &Arc<str>) {
        if self.recording {
            self.links.push((range, name.clone()));
        }
    }

    /// What the function gives for these arguments.
    fn results(
        &mut self,
        callee: Function,
        declaration: &Declaration,
        args: Vec<ValueInfo>,
    ) -> Vec<ValueInfo> {
        let scale = Scale {
            is_same_file: self.world.is_own(callee),
        };
        let (args, back) = scale.inward(&declaration.def, args);
        let mut made = Made {
            callee,
            args: Signature::new(args),
            is_followed: true,
        };
        let height = self.world.height(callee);
        let is_known = self.calls.seen.contains(&made);
        let seen = self.calls.signatures.entry(callee).or_default();
        let most = most_signatures(height);
        made.is_followed = declaration.has_body && most > 0 && (is_known || *seen < most);
        if made.is_followed && !is_known {
            *seen += 1;
        }
        self.calls.add(&made);
        if !made.is_followed {
            return declaration.def.results.iter().map(declared).collect();
        }
        let results = self.world.results(callee, &made.args);
        results
            .iter()
            .map(|info| scale.outward(info, &back))
            .collect()
    }

    /// Walks the function's body silently; gives its results.
    pub(crate) fn walk_function(&mut self, args: &[ValueInfo]) -> Vec<ValueInfo> {
        let program = self.program;
        let Some(StmtKind::Function(def)) = program.statements.first().map(|stmt| &stmt.kind)
        else {
            return Vec::new();
        };
        self.bind_params(def, args);
        self.enter();
        if let Some(body) = &def.body {
            self.list(&body.statements);
        }
        self.gather(def)
    }

    /// Walks the function for the record.
    pub(crate) fn record_function(&mut self, args: &[ValueInfo]) {
        let program = self.program;
        let Some(stmt) = program.statements.first() else {
            return;
        };
        let StmtKind::Function(def) = &stmt.kind else {
            return;
        };
        self.recording = true;
        // By itself, a function is looked at with what it declares.
        let args: Vec<ValueInfo> = def
            .params
            .iter()
            .zip(args)
            .map(|(param, info)| refine(declared(param), info.clone()))
            .collect();
        let args = args.as_slice();
        self.bind_params(def, args);
        for default in def.params.iter().filter_map(|p| p.default.as_ref()) {
            self.eval(default);
        }
        self.block = Builder::default();
        self.parts.clear();
        self.walk_function(args);
        self.check_results(def);
        self.record_head(def, stmt.range, args);
    }

    fn bind_params(&mut self, def: &FunctionDef, args: &[ValueInfo]) {
        self.env = Env::new();
        for (param, info) in def.params.iter().zip(args) {
            let name = &param.name.name;
            // Another caller may pass another value.
            let mut info = info.clone().as_assumed();
            if info.is_sparse() {
                info.provenance = Provenance::of(name, Some("the calls".into()));
            }
            let defs = [param.name.range].into();
            let var = Arc::new(Var { info, defs });
            self.env.insert(name.clone(), var);
        }
    }

    fn gather(&self, def: &FunctionDef) -> Vec<ValueInfo> {
        def.results
            .iter()
            .map(|result| match self.env.get(&result.name.name) {
                // What another form of data arrives goes on as such in the place of the call.
                Some(var) if differs(declared(result).kind, var.info.kind) => var.info.clone(),
                Some(var) => refine(declared(result), var.info.clone()),
                None => declared(result),
            })
            .map(|info| ValueInfo {
                provenance: Provenance::default(),
                origin: None,
                unsized_read: None,
                ..info
            })
            .collect()
    }

    fn record_head(&mut self, def: &FunctionDef, full_range: TextRange, args: &[ValueInfo]) {
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

/// Put in the place of its call, the body of a small function goes on with the forms of data that the call passes.
fn keep_forms(infos: &mut [ValueInfo], call: &Call, def: &FunctionDef, values: &[ValueInfo]) {
    for (place, (arg, value)) in call.args.iter().zip(values).enumerate() {
        let at = match &arg.name {
            Some(name) => def.params.iter().position(|p| p.name.name == name.name),
            None => Some(place),
        };
        let Some((param, info)) = at.and_then(|at| Some((def.params.get(at)?, infos.get_mut(at)?)))
        else {
            continue;
        };
        if differs(declared(param).kind, value.kind) {
            *info = value.clone();
        }
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
