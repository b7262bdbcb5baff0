//! Assignments, changes in place, and what they leave known.
//!
//! Must never keep a shape over a change that could have ended it.

use std::sync::Arc;

use sumac_text::TextRange;

use super::Flow;
use crate::env::{Binding, Env};
use crate::imports;
use crate::infer::infer;
use crate::parse::dotted;
use crate::parse::{Expr, Operator, StmtAnnAssign, StmtAssign, StmtAugAssign, place};
use crate::read::{ON_PURPOSE, Reader, Seen, operation};
use crate::shapes::annotated;
use crate::tree::Step;
use crate::value::{DType, Value};

impl Flow<'_> {
    /// `x = y = E`.
    pub(super) fn assign(&mut self, of: &StmtAssign, statement: TextRange) {
        if let [Expr::Tuple(targets)] = of.targets.as_slice()
            && let Expr::Tuple(values) = &*of.value
            && targets.elts.len() == values.elts.len()
            && !targets
                .elts
                .iter()
                .chain(&values.elts)
                .any(Expr::is_starred_expr)
        {
            // All of the right side is evaluated before anything is bound.
            let mut bindings = Vec::new();
            for value in &values.elts {
                let seen = self.expr(value, true, statement);
                bindings.push(self.binding(value, &seen));
            }
            for (target, binding) in targets.elts.iter().zip(bindings) {
                self.give(target, binding, "propagated", statement);
            }
            return;
        }
        let seen = self.expr(&of.value, true, statement);
        let binding = self.binding(&of.value, &seen);
        let source = self.source(&of.value);
        for target in &of.targets {
            match target {
                Expr::Tuple(tuple) => self.unpack(&tuple.elts, &of.value, &binding, statement),
                Expr::List(list) => self.unpack(&list.elts, &of.value, &binding, statement),
                Expr::Name(name) => {
                    self.give_name(&name.id, place(target), binding.clone(), source, statement);
                }
                _ => self.give(target, binding.clone(), source, statement),
            }
        }
        // `n = X.shape[0]` names the size.
        if let [Expr::Name(name)] = of.targets.as_slice() {
            let text = self.text_of(&of.value);
            if ON_PURPOSE.iter().any(|word| text.contains(word)) {
                self.env.set_column(&name.id);
            }
            self.name_size(&name.id, &of.value);
        }
    }

    /// `x: A = E`.
    pub(super) fn annotated(&mut self, of: &StmtAnnAssign, statement: TextRange) {
        let binding = match &of.value {
            Some(value) => {
                let seen = self.expr(value, true, statement);
                self.binding(value, &seen)
            }
            None => Binding::Unknown,
        };
        let claim = annotated(&of.annotation, &self.env);
        let Expr::Name(name) = &*of.target else {
            if of.value.is_some() {
                self.give(&of.target, binding, "propagated", statement);
            }
            return;
        };
        let range = place(&*of.target);
        match (claim, &binding) {
            (Some(claim), Binding::Unknown) => {
                let said = self.claimed(&claim, false).unwrap_or(Binding::Unknown);
                self.give_name(&name.id, range, said, "jaxtyping", statement);
            }
            (Some(claim), _) => {
                self.give_name(&name.id, range, binding, "propagated", statement);
                self.compare(&name.id, &claim, "the annotation", range, false);
            }
            // Without a value nothing is bound.
            (None, _) if of.value.is_none() => {}
            (None, _) => self.give_name(&name.id, range, binding, "propagated", statement),
        }
    }

    /// `x += E`: an array keeps its shape, a number becomes another one.
    pub(super) fn change(&mut self, of: &StmtAugAssign, statement: TextRange) {
        let seen = self.expr(&of.value, true, statement);
        let Expr::Name(name) = &*of.target else {
            return;
        };
        let after = match self.env.get(&name.id) {
            Some(Binding::Value(old)) if old.rank() > 0 => match of.op {
                Operator::MatMult => Binding::Unknown,
                _ => return,
            },
            Some(Binding::Value(old)) => self.changed(&old, of.op, &seen),
            Some(Binding::Size(_)) => {
                let old = Value::python_number(DType::Int);
                self.changed(&old, of.op, &seen)
            }
            _ => Binding::Unknown,
        };
        self.bind(&name.id, after);
    }

    fn changed(&self, old: &Value, op: Operator, seen: &Seen) -> Binding {
        let new = || match (operation(op)?, &seen.value) {
            (step @ Step::Cell(_), Some(by)) => Some(infer(&step, &[old, by]).ok()?.value),
            _ => None,
        };
        new().map_or(Binding::Unknown, Binding::Value)
    }

    /// What a name stands for after it was given the value of an expression.
    fn binding(&mut self, expr: &Expr, seen: &Seen) -> Binding {
        if let Some(path) = imports::raw_path(expr, &self.env)
            && seen.value.is_none()
        {
            return Binding::Path(path.into());
        }
        let mut reader = Reader::new(self.file.text, &mut self.env, Some(&mut self.sizes));
        if reader.is_generator(expr) {
            return Binding::Generator;
        }
        if let Some(shape) = reader.shape_named(expr) {
            return Binding::Shape(shape);
        }
        match &seen.value {
            Some(value) if value.is_weak && value.dtype == DType::Int => match reader.dim(expr) {
                Some(dim) => Binding::Size(dim),
                None => Binding::Value(value.clone()),
            },
            Some(value) => Binding::Value(value.clone()),
            None => match reader.is_other(expr) {
                Some(other) => other,
                None => match expr {
                    Expr::Name(name) => self.env.get(&name.id).unwrap_or(Binding::Unknown),
                    _ => Binding::Unknown,
                },
            },
        }
    }

    /// Where the shape of an expression comes from.
    fn source(&self, expr: &Expr) -> &'static str {
        const MAKERS: &[&str] = &[
            "zeros",
            "ones",
            "empty",
            "full",
            "eye",
            "identity",
            "arange",
            "linspace",
            "zeros_like",
            "ones_like",
            "empty_like",
            "array",
            "asarray",
        ];
        let Expr::Call(call) = expr else {
            return "propagated";
        };
        let is_generator = match &*call.func {
            Expr::Attribute(of) => match &*of.value {
                Expr::Name(name) => matches!(self.env.get(&name.id), Some(Binding::Generator)),
                _ => false,
            },
            _ => false,
        };
        let is_maker = imports::path(&call.func, &self.env).is_some_and(|path| {
            path.strip_prefix("numpy.")
                .is_some_and(|name| MAKERS.contains(&name) || name.starts_with("random."))
        });
        if is_generator || is_maker {
            "constructor"
        } else {
            "propagated"
        }
    }

    /// Gives a target a value.
    pub(super) fn give(
        &mut self,
        target: &Expr,
        binding: Binding,
        source: &str,
        statement: TextRange,
    ) {
        match target {
            Expr::Name(name) => {
                self.give_name(&name.id, place(target), binding, source, statement);
            }
            Expr::Tuple(tuple) => self.give_all(&tuple.elts, statement),
            Expr::List(list) => self.give_all(&list.elts, statement),
            Expr::Starred(of) => self.give(&of.value, Binding::Unknown, source, statement),
            Expr::Attribute(attribute) => {
                if attribute.attr.as_str() == "shape" {
                    self.reshape_all();
                }
                if let Some(text) = dotted(target) {
                    let beside = || self.file.comment(self.file.line(statement.end));
                    let said = match binding {
                        Binding::Unknown => beside().and_then(|said| self.claimed(&said, false)),
                        known => Some(known),
                    };
                    let value = match said {
                        Some(Binding::Value(value)) => Some(value),
                        _ => None,
                    };
                    self.env.set_place(&text, value, false);
                } else {
                    self.env.forget_places();
                }
            }
            Expr::Subscript(of) => {
                // The array keeps its shape; what computes the place is read.
                self.expr(&of.slice, true, statement);
            }
            _ => {}
        }
    }

    fn give_all(&mut self, targets: &[Expr], statement: TextRange) {
        for target in targets {
            self.give(target, Binding::Unknown, "propagated", statement);
        }
    }

    /// Gives a name a value; where nothing is known of it, what stands beside it may say something.
    fn give_name(
        &mut self,
        name: &str,
        range: TextRange,
        binding: Binding,
        source: &str,
        statement: TextRange,
    ) {
        let pin = self.pins.get(name).cloned();
        let line = self.file.line(statement.end);
        let comment = self.file.comment(line);
        let pin = pin.map(|(claim, line)| (claim, format!("`#@` line {line}")));
        let comment = comment.map(|claim| (claim, format!("comment, line {line}")));
        if !matches!(binding, Binding::Unknown) {
            self.bind(name, binding);
            // A line about the whole scope is not about a variable that becomes something else.
            let pin = pin.filter(|_| !self.sizes.is_bound_again(name));
            if let Some((claim, source)) = pin {
                self.compare(name, &claim, &source, range, true);
            }
            if let Some((claim, source)) = comment {
                self.compare(name, &claim, &source, range, false);
            }
            self.tell(name, range, source);
            return;
        }
        for (claim, source, is_whole) in [
            pin.map(|(claim, source)| (claim, source, true)),
            comment
                .filter(|_| !self.file.is_mixed)
                .map(|(claim, source)| (claim, source, false)),
        ]
        .into_iter()
        .flatten()
        {
            if let Some(said) = self.claimed(&claim, is_whole) {
                self.bind(name, said);
                self.tell(name, range, &source);
                return;
            }
        }
        self.bind(name, Binding::Unknown);
    }

    /// `n, d = X.shape` and other tuples.
    fn unpack(&mut self, targets: &[Expr], value: &Expr, binding: &Binding, statement: TextRange) {
        let array = match value {
            Expr::Attribute(of) if of.attr.as_str() == "shape" => Some(&*of.value),
            _ => None,
        };
        let names: Option<Vec<&str>> = targets
            .iter()
            .map(|target| match target {
                Expr::Name(name) => Some(name.id.as_str()),
                _ => None,
            })
            .collect();
        let Some(names) = names else {
            return self.give_all(targets, statement);
        };
        let shape = match binding {
            Binding::Shape(shape) => Some(shape.clone()),
            _ => None,
        };
        match (shape, array) {
            (Some(shape), _) if shape.len() == names.len() => {
                for (name, dim) in names.iter().zip(&shape) {
                    self.give_size(name, dim.clone());
                }
            }
            (None, Some(array)) => {
                let text = self.text_of(array).to_owned();
                let source = format!("`{}`", self.text_of_range(statement));
                let mut dims = Vec::new();
                for (axis, name) in names.iter().enumerate() {
                    let dim = match *name {
                        "_" => None,
                        name => self.sizes.of_variable(name),
                    };
                    let dim = dim.or_else(|| self.sizes.read_as(&format!("{text}.shape[{axis}]")));
                    dims.push(dim);
                }
                for (name, dim) in names.iter().zip(&dims) {
                    let binding = dim.clone().map_or(Binding::Unknown, Binding::Size);
                    self.bind(name, binding);
                }
                if let Some(dims) = dims.into_iter().collect() {
                    let is_short = source.len() < 60 && !source.contains('\n');
                    let source = if is_short { &*source } else { "`shape`" };
                    self.state_shape(array, dims, source, statement);
                }
            }
            _ => self.give_all(targets, statement),
        }
    }

    /// Binds a variable to a size, which takes its name if it has none of its own.
    fn give_size(&mut self, name: &str, dim: sumac_la::Dim) {
        let is_read = dim.lone_name().is_some_and(|known| known.contains('['));
        if is_read
            && name != "_"
            && !self.file.declared.contains(name)
            && let Some(own) = self.sizes.of_variable(name)
        {
            self.env.unify(&dim, &own, false);
        }
        self.bind(name, Binding::Size(dim));
    }

    /// `n = X.shape[0]`, `n = len(X)` where nothing is known of `X`: a size by that name.
    fn name_size(&mut self, name: &str, value: &Expr) {
        match self.env.get(name) {
            Some(Binding::Size(dim)) if !dim.to_string().is_empty() => {
                if matches!(value, Expr::Subscript(_) | Expr::Call(_)) {
                    self.give_size(name, dim);
                }
            }
            Some(Binding::Unknown) => {
                let is_size = match value {
                    Expr::Subscript(of) => {
                        matches!(&*of.value, Expr::Attribute(of) if of.attr.as_str() == "shape")
                            && crate::read::axis(&of.slice).is_some()
                    }
                    Expr::Call(call) => imports::path(&call.func, &self.env)
                        .is_some_and(|path| path == "builtins.len"),
                    _ => false,
                };
                if is_size && let Some(dim) = self.sizes.of_variable(name) {
                    self.bind(name, Binding::Size(dim));
                }
            }
            _ => {}
        }
    }

    /// What a call does to an array in its place: only `resize` changes a shape, of every name for it.
    pub(super) fn in_place(&mut self, expr: &Expr) {
        if let Expr::Call(call) = expr
            && let Expr::Attribute(of) = &*call.func
            && of.attr.as_str() == "resize"
        {
            self.reshape_all();
        }
    }

    /// An array gets another shape in its place, and nobody knows which names it has.
    fn reshape_all(&mut self) {
        let names: Vec<Arc<str>> = self
            .env
            .bindings()
            .filter(|(_, binding)| matches!(binding, Binding::Value(value) if value.rank() > 0))
            .map(|(name, _)| Arc::clone(name))
            .collect();
        for name in names {
            self.bind(&name, Binding::Unknown);
        }
        self.env.forget_places();
    }

    fn text_of(&self, expr: &Expr) -> &str {
        self.text_of_range(place(expr))
    }

    fn text_of_range(&self, range: TextRange) -> &str {
        self.file
            .text
            .get(range.start..range.end)
            .unwrap_or_default()
    }
}

/// What a loop gives its target in each round.
pub(super) fn element(env: &Env, iter: &Expr, of_iter: &Seen) -> Vec<Binding> {
    let int = || Binding::Value(Value::python_number(DType::Int));
    let of_array = |value: &Option<Value>| match value {
        Some(value) if value.rank() > 0 => {
            Binding::Value(Value::array(value.shape[1..].to_vec(), value.dtype))
        }
        _ => Binding::Unknown,
    };
    if let Expr::Call(call) = iter {
        match imports::path(&call.func, env).as_deref() {
            Some("builtins.range") => return vec![int()],
            Some("builtins.enumerate") => return vec![int(), Binding::Unknown],
            _ => {}
        }
    }
    vec![of_array(&of_iter.value)]
}
