//! Calls of NumPy's functions and of methods of arrays.
//!
//! What a call means comes from two tables of names; a keyword that is not understood makes it opaque. Must never pass over an
//! argument.

use sumac_la::Op;
use sumac_text::TextRange;

use super::sizes::axis;
use super::{Reader, Seen};
use crate::env::Binding;
use crate::imports;
use crate::parse::{Expr, ExprCall};
use crate::tree::Step;
use crate::value::{DType, Value};

/// Functions and methods that stand for steps.
#[derive(Clone, PartialEq, Debug)]
enum Meaning {
    /// One step over so many arguments.
    Step(Step, usize),
    /// A product where both have one or two axes.
    Dot,
    /// The sum of products of two vectors.
    Inner,
    /// A product of a list of matrices.
    Chain,
    /// `np.power`.
    Power,
    /// The diagonal of a matrix.
    Diagonal,
    /// A reduction.
    Reduce(Op),
    /// To a vector.
    Flat,
    /// To another shape.
    Reshape,
}

/// What a function of NumPy means; the same names as methods in `method`.
fn function(name: &str) -> Option<Meaning> {
    let step = |step, count| Some(Meaning::Step(step, count));
    match name {
        "matmul" => step(Step::MatMul, 2),
        "multiply" => step(Step::Cell(Op::Mul), 2),
        "add" => step(Step::Cell(Op::Add), 2),
        "subtract" => step(Step::Cell(Op::Sub), 2),
        "divide" | "true_divide" => step(Step::Cell(Op::Div), 2),
        "vdot" => step(Step::Vdot, 2),
        "outer" => step(Step::Outer, 2),
        "diag" => step(Step::Diag, 1),
        "linalg.norm" => step(Step::Norm, 1),
        "linalg.multi_dot" => Some(Meaning::Chain),
        "power" => Some(Meaning::Power),
        "inner" => Some(Meaning::Inner),
        "absolute" | "abs" => step(Step::Map(Op::Abs), 1),
        "exp" => step(Step::Map(Op::Exp), 1),
        "log" => step(Step::Map(Op::Log), 1),
        "sqrt" => step(Step::Map(Op::Sqrt), 1),
        "sin" => step(Step::Map(Op::Sin), 1),
        "cos" => step(Step::Map(Op::Cos), 1),
        "tan" => step(Step::Map(Op::Tan), 1),
        "tanh" => step(Step::Map(Op::Tanh), 1),
        "sinh" => step(Step::Map(Op::Sinh), 1),
        "cosh" => step(Step::Map(Op::Cosh), 1),
        "negative" => step(Step::Map(Op::Neg), 1),
        "square" => step(Step::Square, 1),
        "amin" => Some(Meaning::Reduce(Op::Min)),
        "amax" => Some(Meaning::Reduce(Op::Max)),
        _ => method(name),
    }
}

/// What a method of an array means, which is also a function of its name.
fn method(name: &str) -> Option<Meaning> {
    Some(match name {
        "dot" => Meaning::Dot,
        "transpose" => Meaning::Step(Step::Transpose, 1),
        "diagonal" => Meaning::Diagonal,
        "trace" => Meaning::Step(Step::Trace, 1),
        "sum" => Meaning::Reduce(Op::Sum),
        "mean" => Meaning::Reduce(Op::Mean),
        "min" => Meaning::Reduce(Op::Min),
        "max" => Meaning::Reduce(Op::Max),
        "prod" => Meaning::Reduce(Op::Prod),
        "ravel" | "flatten" => Meaning::Flat,
        "reshape" => Meaning::Reshape,
        _ => return None,
    })
}

impl Reader<'_> {
    /// A call.
    pub(super) fn call(&mut self, call: &ExprCall, at: (TextRange, bool)) -> Seen {
        if let Some(path) = imports::path(&call.func, self.env) {
            return self.function(&path, call, at);
        }
        if let Expr::Attribute(attribute) = &*call.func {
            let name = attribute.attr.as_str();
            if self.is_generator(&attribute.value) {
                return self.random(name, call, at);
            }
            if let Expr::Name(base) = &*attribute.value {
                match self.env.get(&base.id) {
                    Some(Binding::Generator) => return self.random(name, call, at),
                    Some(Binding::Other(shape)) if matches!(name, "toarray" | "todense") => {
                        let shape = shape.filter(|_| name == "toarray");
                        let value = shape.map(|shape| Value::array(shape, DType::Assumed));
                        let seen = self.arguments(Vec::new(), call, at);
                        return Seen { value, ..seen };
                    }
                    _ => {}
                }
            }
            let receiver = self.visit(&attribute.value, false);
            // Numbers of Python have none of these methods.
            if receiver.value.as_ref().is_none_or(|value| value.is_weak) {
                return self.arguments(vec![receiver], call, at);
            }
            return match (name, method(name)) {
                // An array has no such function, but the method.
                (_, Some(meaning)) => self.meant(&meaning, Some(receiver), call, at),
                ("copy", None) => {
                    let value = receiver.value.clone();
                    let seen = self.arguments(vec![receiver], call, at);
                    Seen { value, ..seen }
                }
                ("astype", None) => {
                    let dtype = call
                        .arguments
                        .find_argument_value("dtype", 0)
                        .and_then(|of| self.dtype(of));
                    let value = receiver.value.clone().zip(dtype);
                    let value = value.map(|(value, dtype)| Value::array(value.shape, dtype));
                    let seen = self.arguments(vec![receiver], call, at);
                    Seen { value, ..seen }
                }
                _ => self.arguments(vec![receiver], call, at),
            };
        }
        let function = self.visit(&call.func, false);
        self.arguments(vec![function], call, at)
    }

    /// A call of something that is known by its path.
    fn function(&mut self, path: &str, call: &ExprCall, at: (TextRange, bool)) -> Seen {
        let plain = call.arguments.keywords.is_empty();
        match path {
            "builtins.len" if self.dim(&Expr::Call(call.clone())).is_some() => {
                return self.size(at);
            }
            "builtins.abs" if plain => {
                let parts = self.all(None, &call.arguments.args);
                let is_array = |part: &Seen| part.value.as_ref().is_some_and(|of| !of.is_weak);
                return match parts.len() == 1 && parts.iter().all(is_array) {
                    true => self.combine(Step::Map(Op::Abs), parts, at),
                    false => self.opaque(&parts, at),
                };
            }
            "math.sqrt" | "math.log" | "math.exp" | "math.sin" | "math.cos" if plain => {
                return self.number_of_number(call, at);
            }
            _ => {}
        }
        let Some(name) = path.strip_prefix("numpy.") else {
            return self.arguments(Vec::new(), call, at);
        };
        if let Some(meaning) = function(name) {
            return self.meant(&meaning, None, call, at);
        }
        match name {
            "einsum" => self.einsum(call, at),
            _ => {
                let mut seen = self.created(name, call, at);
                // JAX makes 32-bit floats unless it is told otherwise, and not here.
                let path = imports::raw_path(&call.func, self.env);
                if path.is_some_and(|path| path.starts_with("jax.")) {
                    let tree = seen.tree.as_mut().map(|tree| &mut tree.value);
                    for value in seen.value.as_mut().into_iter().chain(tree) {
                        if value.dtype == DType::Float64 {
                            value.dtype = DType::Assumed;
                        }
                    }
                }
                seen
            }
        }
    }

    /// `math.sqrt(d)`: a number of Python.
    fn number_of_number(&mut self, call: &ExprCall, at: (TextRange, bool)) -> Seen {
        let [of] = &*call.arguments.args else {
            return self.arguments(Vec::new(), call, at);
        };
        let seen = self.visit(of, true);
        let is_pure = seen.tree.as_ref().is_some_and(|tree| {
            tree.nodes().all(|node| {
                node.value.rank() == 0
                    && node.value.is_weak
                    && !matches!(&node.step, Step::Atom(atom) if !atom.is_pure)
            })
        });
        if !is_pure {
            return self.opaque(&[seen], at);
        }
        let value = Value::python_number(DType::Float64);
        Self::atom(self.text_of(at.0), value, true, at)
    }

    /// A call of something unknown: parts that were read already, and its arguments.
    pub(super) fn arguments(
        &mut self,
        mut parts: Vec<Seen>,
        call: &ExprCall,
        at: (TextRange, bool),
    ) -> Seen {
        for of in &call.arguments.args {
            parts.push(self.visit(of, true));
        }
        for keyword in &call.arguments.keywords {
            parts.push(self.visit(&keyword.value, true));
        }
        self.opaque(&parts, at)
    }

    /// A call with a meaning; of a method the receiver is the first argument.
    fn meant(
        &mut self,
        meaning: &Meaning,
        receiver: Option<Seen>,
        call: &ExprCall,
        at: (TextRange, bool),
    ) -> Seen {
        let args = &*call.arguments.args;
        let keywords = &call.arguments.keywords;
        let count = args.len() + usize::from(receiver.is_some());
        let first = |reader: &mut Self| match receiver.clone() {
            Some(receiver) => (receiver, args),
            None => (reader.visit(&args[0], true), &args[1..]),
        };
        let is_starred = args.iter().any(|of| matches!(of, Expr::Starred(_)));
        let plain = keywords.is_empty() && !is_starred;
        match meaning {
            Meaning::Step(step, wanted) if plain && count == *wanted => {
                let parts = self.all(receiver, args);
                let is_weak = |part: &Seen| part.value.as_ref().is_some_and(|of| of.is_weak);
                if !parts.iter().all(is_weak) {
                    return self.combine(step.clone(), parts, at);
                }
                // NumPy makes numbers of its own of those of Python.
                let value = self.value_of(step, &parts.iter().collect::<Vec<_>>(), at.0);
                let value = value.map(|value| Value::array(value.shape, value.dtype));
                match matches!(step, Step::Cell(_) | Step::Square | Step::Map(Op::Neg)) {
                    true => {
                        let seen = self.opaque(&parts, at);
                        Seen { value, ..seen }
                    }
                    false => self.made(step.clone(), parts, value, at),
                }
            }
            Meaning::Dot | Meaning::Inner if plain && count == 2 => {
                let parts = self.all(receiver, args);
                let rank = |part: &Seen| part.value.as_ref().map_or(0, Value::rank);
                let ranks: Vec<usize> = parts.iter().map(rank).collect();
                match (meaning, ranks.as_slice()) {
                    (Meaning::Dot, [1 | 2, 1 | 2]) => self.combine(Step::MatMul, parts, at),
                    (Meaning::Inner, [1, 1]) => self.combine(Step::Vdot, parts, at),
                    _ => self.opaque(&parts, at),
                }
            }
            Meaning::Diagonal if plain && count == 1 => {
                let parts = self.all(receiver, args);
                let rank = |part: &Seen| part.value.as_ref().map(Value::rank);
                match parts.iter().all(|part| rank(part) == Some(2)) {
                    true => self.combine(Step::Diag, parts, at),
                    false => self.opaque(&parts, at),
                }
            }
            Meaning::Power if plain && count == 2 => {
                let mut parts = self.all(receiver, args);
                match (parts.pop(), parts.pop()) {
                    (Some(exponent), Some(base)) => self.power(base, exponent, at),
                    _ => Self::unknown(at),
                }
            }
            Meaning::Chain if plain && count == 1 => {
                let (Expr::List(_) | Expr::Tuple(_)) = &args[0] else {
                    return self.arguments(Vec::new(), call, at);
                };
                let parts = match &args[0] {
                    Expr::List(list) => self.all(None, &list.elts),
                    Expr::Tuple(tuple) => self.all(None, &tuple.elts),
                    _ => Vec::new(),
                };
                // A vector may stand first and last only.
                let last = parts.len().saturating_sub(1);
                let fits = parts.iter().enumerate().all(|(at, part)| {
                    let rank = part.value.as_ref().map_or(0, Value::rank);
                    rank == 2 || rank == 1 && (at == 0 || at == last)
                });
                if !fits || last == 0 {
                    return self.opaque(&parts, at);
                }
                self.together(&parts, at, |reader, parts| {
                    let of_two = |left, right| reader.combine(Step::MatMul, vec![left, right], at);
                    let product = parts.into_iter().reduce(of_two);
                    product.unwrap_or_else(|| Self::unknown(at))
                })
            }
            Meaning::Reduce(by) if count >= 1 && !is_starred => {
                let (of, rest) = first(self);
                let rank = of.value.as_ref().map(Value::rank);
                let axis = match (rest, rank) {
                    ([], Some(rank)) | ([_], Some(rank)) => self.reduction(rest, call, rank),
                    _ => None,
                };
                match axis {
                    Some((axis, keepdims)) => {
                        let by = *by;
                        let step = Step::Reduce { by, axis, keepdims };
                        self.combine(step, vec![of], at)
                    }
                    None => self.others(of, rest, call, at),
                }
            }
            Meaning::Flat if plain && count == 1 => {
                let (of, _) = first(self);
                self.combine(Step::AsVector, vec![of], at)
            }
            Meaning::Reshape if plain && count >= 2 => {
                let (of, rest) = first(self);
                let dims: &[Expr] = match rest {
                    [Expr::Tuple(tuple)] => &tuple.elts,
                    _ => rest,
                };
                let dims: Vec<Option<isize>> = dims.iter().map(axis).collect();
                let step = match dims.as_slice() {
                    [Some(-1)] => Some(Step::AsVector),
                    [Some(-1), Some(1)] => Some(Step::AsColumn),
                    [Some(1), Some(-1)] => Some(Step::AsRow),
                    _ => None,
                };
                match step {
                    Some(step) => self.combine(step, vec![of], at),
                    None => {
                        let value = self.reshaped(&of, rest);
                        let seen = self.others(of, rest, call, at);
                        Seen { value, ..seen }
                    }
                }
            }
            _ => self.arguments(receiver.into_iter().collect(), call, at),
        }
    }

    /// The value after `reshape(n, d)`.
    fn reshaped(&mut self, of: &Seen, sizes: &[Expr]) -> Option<Value> {
        let dtype = of.value.as_ref()?.dtype;
        let shape: Option<Vec<_>> = match sizes {
            [one] => self.new_shape(one),
            more => more.iter().map(|size| self.new_dim(size)).collect(),
        };
        Some(Value::array(shape?, dtype))
    }

    /// The receiver and the arguments.
    fn all(&mut self, receiver: Option<Seen>, args: &[Expr]) -> Vec<Seen> {
        let mut parts: Vec<Seen> = receiver.into_iter().collect();
        for of in args {
            parts.push(self.visit(of, true));
        }
        parts
    }

    /// A call that is not understood of which the first argument was read.
    fn others(
        &mut self,
        first: Seen,
        rest: &[Expr],
        call: &ExprCall,
        at: (TextRange, bool),
    ) -> Seen {
        let mut parts = self.all(Some(first), rest);
        for keyword in &call.arguments.keywords {
            parts.push(self.visit(&keyword.value, true));
        }
        self.opaque(&parts, at)
    }

    /// The axis of a reduction and whether it stays.
    fn reduction(
        &mut self,
        rest: &[Expr],
        call: &ExprCall,
        rank: usize,
    ) -> Option<(Option<usize>, bool)> {
        let (mut along, mut keepdims) = (rest.first(), false);
        for keyword in &call.arguments.keywords {
            match keyword.arg.as_ref()?.as_str() {
                "axis" if along.is_none() => along = Some(&keyword.value),
                "keepdims" => match &keyword.value {
                    Expr::BooleanLiteral(literal) => keepdims = literal.value,
                    _ => return None,
                },
                _ => return None,
            }
        }
        let along = match along {
            None | Some(Expr::NoneLiteral(_)) => None,
            Some(number) => {
                let number = axis(number)?;
                let number = if number < 0 {
                    rank.checked_sub(number.unsigned_abs())?
                } else {
                    number.unsigned_abs()
                };
                Some(number)
            }
        };
        Some((along, keepdims))
    }
}
