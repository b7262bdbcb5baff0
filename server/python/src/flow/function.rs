//! Functions and classes: scopes of their own, with what texts beside them say of their parameters.
//!
//! Must never let a name of one scope be seen in another, but for imports of the module.

use std::collections::BTreeMap;
use std::sync::Arc;

use sumac_la::Dim;
use sumac_language::{Diagnostic, Severity};
use sumac_text::TextRange;

use super::Flow;
use crate::env::{Binding, Env};
use crate::parse::{Expr, Stmt, StmtFunctionDef, place};
use crate::read::stated_dim;
use crate::scope::{Sizes, bound_names};
use crate::shapes::{Claim, annotated, documented};
use crate::value::{DType, Value};

impl Flow<'_> {
    /// A definition: its name gets a value, and its body is read.
    pub(super) fn definition(&mut self, statement: &Stmt) {
        let (name, body, function) = match statement {
            Stmt::FunctionDef(function) => (&function.name, &function.body, Some(function)),
            Stmt::ClassDef(class) => (&class.name, &class.body, None),
            _ => return,
        };
        if self.dry == 0 {
            let path = match &self.function {
                Some(outer) => format!("{outer}.{}", name.as_str()),
                None => name.to_string(),
            };
            let mut visible = self.visible.clone();
            // What a class binds is seen in none of its methods.
            if self.function.is_some() && !self.is_class {
                for bound in self.sizes.bound.keys() {
                    visible.set(bound, Binding::Unknown);
                }
            }
            self.inner(path.into(), body, function, visible);
        }
        self.bind(name, Binding::Unknown);
    }

    fn inner(
        &mut self,
        path: Arc<str>,
        body: &[Stmt],
        function: Option<&StmtFunctionDef>,
        visible: Env,
    ) {
        let mut bound = bound_names(body);
        if let Some(function) = function {
            for parameter in function.parameters.iter() {
                *bound.entry(parameter.name().as_str().into()).or_default() += 1;
            }
        }
        let mut env = visible.inside();
        for name in bound.keys() {
            env.set(name, Binding::Unknown);
        }
        let of = (Some(path), function.is_none());
        let mut flow = Flow::new(
            self.file,
            &mut *self.out,
            of,
            visible,
            (env, Sizes::new(bound)),
        );
        if let Some(function) = function {
            flow.pin(Some(place(function).start));
            flow.parameters(function);
        }
        flow.block(body);
    }

    /// What `#@` lines say of this scope.
    pub(super) fn pin(&mut self, function: Option<usize>) {
        let file = self.file;
        for pin in file.pins(function) {
            let line = file.line(pin.at);
            self.pins
                .insert(Arc::clone(&pin.name), (pin.claim.clone(), line));
            let Some(binding) = self.claimed(&pin.claim, true) else {
                continue;
            };
            match binding {
                Binding::Value(value) if pin.name.contains('.') => {
                    self.env.set_place(&pin.name, Some(value), true);
                }
                _ if pin.name.contains('.') => {}
                binding => {
                    self.bind(&pin.name, binding);
                    let start = self
                        .file
                        .text
                        .get(pin.at..)
                        .and_then(|rest| rest.find(&*pin.name));
                    let at = pin.at + start.unwrap_or(0);
                    let range = TextRange::new(at, at + pin.name.len());
                    self.tell(&pin.name, range, &format!("`#@` line {line}"));
                }
            }
        }
    }

    /// What is said of parameters: by `#@` lines, annotations, comments, the docstring.
    fn parameters(&mut self, function: &StmtFunctionDef) {
        let names: Vec<(&str, TextRange, Option<&Expr>)> = function
            .parameters
            .iter_non_variadic_params()
            .map(|of| {
                let parameter = &of.parameter;
                let annotation = parameter.annotation.as_deref();
                (parameter.name.as_str(), place(&parameter.name), annotation)
            })
            .collect();
        let mut said: BTreeMap<&str, (Claim, String)> = BTreeMap::new();
        if let Some(Stmt::Expr(first)) = function.body.first()
            && let Expr::StringLiteral(text) = &*first.value
        {
            let range = place(text);
            let text = self
                .file
                .text
                .get(range.start..range.end)
                .unwrap_or_default();
            let line = self.file.line(range.start);
            for of in documented(text, &|name| names.iter().any(|(known, ..)| *known == name)) {
                if let Some((name, ..)) = names.iter().find(|(known, ..)| *known == of.name) {
                    let source = format!("docstring, line {}", line + of.line);
                    said.entry(name).or_insert((of.claim, source));
                }
            }
        }
        let lines: Vec<usize> = names
            .iter()
            .map(|(_, range, _)| self.file.line(range.start))
            .collect();
        let first_line = self.file.line(place(&function.name).start);
        for (at, (name, range, annotation)) in names.iter().enumerate() {
            let mut claims: Vec<(Claim, String)> = Vec::new();
            if let Some((claim, _)) = self.pins.get(*name) {
                // It was bound and told already.
                claims.push((claim.clone(), String::new()));
            }
            if let Some(claim) = annotation.and_then(|of| annotated(of, &self.visible)) {
                let source = if matches!(claim, Claim::Number(_)) {
                    "annotation"
                } else {
                    "jaxtyping"
                };
                claims.push((claim, source.to_owned()));
            }
            let line = lines[at];
            let is_alone =
                line != first_line && lines.iter().filter(|other| **other == line).count() == 1;
            if let Some(claim) = self
                .file
                .comment(line)
                .filter(|_| is_alone && !self.file.is_mixed)
            {
                claims.push((claim, format!("comment, line {line}")));
            }
            claims.extend(said.get(*name).cloned());
            let mut claims = claims.into_iter();
            let Some((claim, source)) = claims.next() else {
                continue;
            };
            let Some(binding) = self.claimed(&claim, true) else {
                continue;
            };
            if !source.is_empty() {
                self.bind(name, binding);
                self.tell(name, *range, &source);
            }
            for (claim, source) in claims {
                self.compare(name, &claim, &source, *range, false);
            }
        }
        // A parameter with the name of a size is that size.
        for (name, ..) in &names {
            let is_steady = self.sizes.bound.get(*name).is_some_and(|count| *count == 1);
            if is_steady
                && self.sizes.is_used(name)
                && matches!(self.env.get(name), Some(Binding::Unknown))
            {
                self.bind(name, Binding::Size(Dim::symbol(*name, None)));
            }
        }
    }

    /// What a claim says, over this scope's sizes. Where it is about the whole scope its names are sizes; otherwise they are what the
    /// variables hold, if those are sizes.
    pub(super) fn claimed(&mut self, claim: &Claim, is_whole: bool) -> Option<Binding> {
        match claim {
            Claim::Other => Some(Binding::Other(None)),
            Claim::Number(dtype) => Some(Binding::Value(Value::python_number(*dtype))),
            Claim::Array { dims, dtype } => {
                let (env, sizes) = (&self.env, &mut self.sizes);
                let mut name = |name: &str| match env.get(name) {
                    Some(Binding::Size(dim)) if !is_whole || !sizes.is_bound_again(name) => {
                        Some(dim)
                    }
                    _ if is_whole || !sizes.is_bound_again(name) => Some(sizes.named(name)),
                    _ => None,
                };
                let shape: Option<Vec<Dim>> =
                    dims.iter().map(|dim| stated_dim(dim, &mut name)).collect();
                let shape = shape?;
                (shape.len() <= 2).then(|| Binding::Value(Value::array(shape, *dtype)))
            }
        }
    }

    /// Compares what is known of a name with another claim: sizes get the names of the claim, contradictions are told.
    /// A claim about a whole scope gives numbers only: under its names another variable may be meant by now.
    pub(super) fn compare(
        &mut self,
        name: &str,
        claim: &Claim,
        source: &str,
        range: TextRange,
        is_whole: bool,
    ) {
        let (Some(Binding::Value(known)), Some(Binding::Value(said))) =
            (self.env.get(name), self.claimed(claim, false))
        else {
            return;
        };
        let is_number = known.rank() == 0 || said.rank() == 0;
        let contradicts = known.rank() != said.rank()
            || known
                .shape
                .iter()
                .zip(&said.shape)
                .any(|(a, b)| matches!((a.known(), b.known()), (Some(a), Some(b)) if a != b));
        if contradicts && !is_number {
            if self.dry == 0 && self.guarded == 0 && !self.file.is_other {
                self.out.diagnostics.push(Diagnostic {
                    range,
                    severity: Severity::Warning,
                    code: "contradicting-fact",
                    message: format!(
                        "`{name}` is {known}, and {source} says {said}: correct one of them"
                    ),
                    related: Vec::new(),
                });
            }
            return;
        }
        if known.rank() == said.rank() {
            for (a, b) in known.shape.iter().zip(&said.shape) {
                if !is_whole || b.known().is_some() {
                    self.env.unify(a, b, false);
                }
            }
        }
        if known.dtype == DType::Assumed && said.dtype != DType::Assumed && !contradicts {
            let value = Value {
                dtype: said.dtype,
                ..known
            };
            self.env.set(name, Binding::Value(value));
        }
    }
}
