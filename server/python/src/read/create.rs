//! Calls that make arrays: their shape and their kind of numbers.
//!
//! Must never say a shape that an argument leaves open.

use sumac_la::{Dim, Op};
use sumac_text::TextRange;

use super::{Reader, Seen};
use crate::env::Binding;
use crate::imports;
use crate::parse::{Expr, ExprCall, Number, UnaryOp};
use crate::tree::Step;
use crate::value::{DType, Value};

impl Reader<'_> {
    /// A call of a function of NumPy that is no step.
    pub(super) fn created(&mut self, name: &str, call: &ExprCall, at: (TextRange, bool)) -> Seen {
        if let Some(name) = name.strip_prefix("random.") {
            return self.random(name, call, at);
        }
        let args = &*call.arguments.args;
        let fixed = match name {
            "ones" => Some(Step::Fill(1.0)),
            "zeros" => Some(Step::Fill(0.0)),
            "eye" | "identity" => Some(Step::Eye),
            _ => None,
        };
        let value = self.made_by(name, call);
        if let (Some(step), Some(value), [shape]) = (fixed, &value, args)
            && call.arguments.keywords.is_empty()
        {
            let sizes: &[Expr] = match shape {
                Expr::Tuple(tuple) => &tuple.elts,
                _ => std::slice::from_ref(shape),
            };
            if self.shape_named(shape).is_none() {
                let parts = sizes.iter().map(|size| self.visit(size, true)).collect();
                return self.made(step, parts, Some(value.clone()), at);
            }
        }
        if value.is_some() || args.is_empty() {
            let seen = self.arguments(Vec::new(), call, at);
            return Seen { value, ..seen };
        }
        let parts: Vec<Seen> = args.iter().map(|of| self.visit(of, true)).collect();
        let value = self.alike(name, &parts, call, at.0);
        let mut others = parts;
        for keyword in &call.arguments.keywords {
            others.push(self.visit(&keyword.value, true));
        }
        let seen = self.opaque(&others, at);
        Seen { value, ..seen }
    }

    /// What a call makes of sizes.
    fn made_by(&mut self, name: &str, call: &ExprCall) -> Option<Value> {
        let args = &call.arguments;
        let stated = match args.find_keyword("dtype") {
            Some(keyword) => Some(self.dtype(&keyword.value)?),
            None => None,
        };
        let is_among = |known: &[&str]| {
            args.keywords.iter().all(|keyword| {
                let name = keyword.arg.as_ref().map(|name| name.as_str());
                name.is_some_and(|name| known.contains(&name))
            })
        };
        let second = |reader: &mut Self, at: usize| match args.args.get(at) {
            Some(of) => reader.dtype(of).map(Some),
            None => Some(None),
        };
        match name {
            "zeros" | "ones" | "empty" if is_among(&["shape", "dtype", "order"]) => {
                let shape = self.new_shape(args.find_argument_value("shape", 0)?)?;
                let dtype = second(self, 1)?.or(stated).unwrap_or(DType::Float64);
                Some(Value::array(shape, dtype))
            }
            "full" if is_among(&["shape", "fill_value", "dtype"]) => {
                let shape = self.new_shape(args.find_argument_value("shape", 0)?)?;
                let fill = number_kind(args.find_argument_value("fill_value", 1)?);
                let dtype = second(self, 2)?.or(stated).or(fill)?;
                Some(Value::array(shape, dtype))
            }
            "eye" | "identity" if is_among(&["dtype"]) => {
                let [size] = &*args.args else { return None };
                let size = self.new_dim(size)?;
                let dtype = stated.unwrap_or(DType::Float64);
                Some(Value::array(vec![size.clone(), size], dtype))
            }
            "arange" if is_among(&["dtype"]) => {
                let size = match &*args.args {
                    [stop] => self.dim(stop)?,
                    [start, stop] => {
                        let (start, stop) = (self.dim(start)?, self.dim(stop)?);
                        Dim::Known(stop.known()?.checked_sub(start.known()?)?)
                    }
                    _ => return None,
                };
                Some(Value::array(vec![size], stated.unwrap_or(DType::Int)))
            }
            "linspace" if is_among(&["num", "dtype", "start", "stop"]) => {
                let size = match args.find_argument_value("num", 2) {
                    Some(size) => self.new_dim(size)?,
                    None => Dim::Known(50),
                };
                let is_number = |name: &str, at: usize| {
                    let given = args.find_argument_value(name, at);
                    given.is_none_or(|given| matches!(given, Expr::NumberLiteral(_)))
                };
                // Of arrays it makes more axes.
                if args.args.len() > 3 || !is_number("start", 0) || !is_number("stop", 1) {
                    return None;
                }
                Some(Value::array(vec![size], stated.unwrap_or(DType::Float64)))
            }
            "array" | "asarray" if is_among(&["dtype"]) && args.args.len() == 1 => {
                let (shape, dtype) = literal(&args.args[0])?;
                Some(Value::array(shape, stated.unwrap_or(dtype)))
            }
            _ => None,
        }
    }

    /// What a function that is no step makes of values.
    fn alike(
        &mut self,
        name: &str,
        parts: &[Seen],
        call: &ExprCall,
        range: TextRange,
    ) -> Option<Value> {
        let args = &call.arguments;
        let dtype = match args.find_keyword("dtype") {
            Some(keyword) => Some(self.dtype(&keyword.value)?),
            None => None,
        };
        let only_dtype = args.keywords.len() == usize::from(dtype.is_some());
        if !only_dtype {
            return None;
        }
        let first = parts.first()?.value.clone()?;
        match (name, parts) {
            ("zeros_like" | "ones_like" | "empty_like", [_])
            | ("array" | "asarray" | "ascontiguousarray" | "asfortranarray" | "copy", [_])
                if !first.is_weak =>
            {
                Some(Value::array(first.shape, dtype.unwrap_or(first.dtype)))
            }
            ("log1p" | "expm1" | "sign" | "log2" | "log10" | "arctan", [_]) if dtype.is_none() => {
                let value = self.value_of(&Step::Map(Op::Exp), &[&parts[0]], range)?;
                Some(Value::array(value.shape, value.dtype))
            }
            ("maximum" | "minimum", [a, b]) if dtype.is_none() => {
                let value = self.value_of(&Step::Cell(Op::Add), &[a, b], range)?;
                Some(Value::array(value.shape, value.dtype))
            }
            ("linalg.inv" | "linalg.cholesky", [_])
                if dtype.is_none() && first.rank() == 2 && first.shape[0] == first.shape[1] =>
            {
                let dtype = match first.dtype {
                    DType::Bool | DType::Int => DType::Float64,
                    other => other,
                };
                Some(Value::array(first.shape, dtype))
            }
            ("linalg.solve", [_, b]) if dtype.is_none() && first.rank() == 2 => {
                let b = b.value.as_ref().filter(|b| {
                    b.rank() > 0 && b.shape[0] == first.shape[0] && b.shape[0] == first.shape[1]
                })?;
                Some(Value::array(
                    b.shape.clone(),
                    first.dtype.promoted(b.dtype).promoted(DType::Float32),
                ))
            }
            _ => None,
        }
    }

    /// A call of a generator of random numbers.
    pub(super) fn random(&mut self, name: &str, call: &ExprCall, at: (TextRange, bool)) -> Seen {
        let value = self.random_value(name, call);
        let seen = self.arguments(Vec::new(), call, at);
        Seen { value, ..seen }
    }

    fn random_value(&mut self, name: &str, call: &ExprCall) -> Option<Value> {
        let args = &call.arguments;
        let dtype = match args.find_keyword("dtype") {
            Some(keyword) => self.dtype(&keyword.value)?,
            None => DType::Float64,
        };
        // Where the size stands among the arguments.
        let (position, dtype) = match name {
            "rand" | "randn" => {
                let shape: Option<Vec<Dim>> = args.args.iter().map(|of| self.new_dim(of)).collect();
                let shape = shape.filter(|shape| !shape.is_empty())?;
                return Some(Value::array(shape, DType::Float64));
            }
            "random" | "random_sample" | "standard_normal" => (0, dtype),
            "exponential" | "standard_gamma" => (1, dtype),
            "normal" | "uniform" | "gamma" | "beta" | "lognormal" | "laplace" => (2, dtype),
            "integers" | "randint" => (2, DType::Int),
            "poisson" => (1, DType::Int),
            "binomial" => (2, DType::Int),
            _ => return None,
        };
        let shape = self.new_shape(args.find_argument_value("size", position)?)?;
        Some(Value::array(shape, dtype))
    }

    /// The kind of numbers that an expression names.
    pub(crate) fn dtype(&self, expr: &Expr) -> Option<DType> {
        let name = match expr {
            Expr::StringLiteral(text) => text.value.to_str().to_owned(),
            _ => {
                let path = imports::path(expr, self.env)?;
                let name = path
                    .strip_prefix("numpy.")
                    .or(path.strip_prefix("builtins."))?;
                name.to_owned()
            }
        };
        dtype_by_name(&name)
    }

    /// Whether an expression makes a generator of random numbers.
    pub(crate) fn is_generator(&self, expr: &Expr) -> bool {
        let Expr::Call(call) = expr else { return false };
        let path = imports::path(&call.func, self.env);
        path.is_some_and(|path| {
            matches!(
                &*path,
                "numpy.random.default_rng" | "numpy.random.RandomState"
            )
        })
    }

    /// Whether an expression makes something with a shape that is no dense array, and the shape.
    pub(crate) fn is_other(&mut self, expr: &Expr) -> Option<Binding> {
        const LIBRARIES: &[&str] = &["scipy.sparse", "torch", "tensorflow", "pandas", "cupy"];
        const CALLS: &[&str] = &["numpy.matrix", "numpy.mat", "numpy.asmatrix", "numpy.bmat"];
        let root = root(expr)?;
        if let Some(Binding::Other(_)) = self.env.get(root) {
            let is_dense = matches!(expr, Expr::Call(call) if matches!(&*call.func,
                Expr::Attribute(of) if of.attr.as_str() == "toarray"));
            return (!is_dense).then_some(Binding::Other(None));
        }
        let Expr::Call(call) = expr else { return None };
        let path = imports::path(&call.func, self.env)?;
        let is_other = CALLS.contains(&&*path)
            || LIBRARIES.iter().any(|library| {
                path.strip_prefix(library)
                    .is_some_and(|rest| rest.starts_with('.'))
            });
        if !is_other {
            return None;
        }
        let shape = match call.arguments.find_argument_value("shape", usize::MAX) {
            Some(shape) => self.new_shape(shape),
            None => match call.arguments.args.first() {
                Some(Expr::Name(name)) => match self.env.get(&name.id) {
                    Some(Binding::Value(value)) => Some(value.shape),
                    _ => None,
                },
                Some(tuple @ Expr::Tuple(_)) => self.new_shape(tuple),
                _ => None,
            },
        };
        Some(Binding::Other(shape.filter(|shape| shape.len() == 2)))
    }
}

/// The name at the start of a chain of attributes, calls and subscripts, or in an operation.
fn root(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Name(name) => Some(&name.id),
        Expr::Attribute(of) => root(&of.value),
        Expr::Subscript(of) => root(&of.value),
        Expr::Call(of) => root(&of.func),
        Expr::BinOp(of) => root(&of.left),
        Expr::UnaryOp(of) => root(&of.operand),
        _ => None,
    }
}

/// The kind of numbers of a name of NumPy, or of a text that says it.
pub(crate) fn dtype_by_name(name: &str) -> Option<DType> {
    Some(match name {
        "float32" | "single" | "f4" => DType::Float32,
        "float64" | "double" | "float" | "float_" | "f8" => DType::Float64,
        "bool" | "bool_" => DType::Bool,
        "complex" | "complex64" | "complex128" | "complex_" => DType::Complex,
        // Functions of smaller ones give smaller floats.
        "int" | "int32" | "int64" | "intp" | "int_" | "uint32" | "uint64" | "i4" | "i8" => {
            DType::Int
        }
        _ => return None,
    })
}

/// The kind of a number that is written out.
fn number_kind(expr: &Expr) -> Option<DType> {
    literal(expr)
        .filter(|(shape, _)| shape.is_empty())
        .map(|(_, dtype)| dtype)
}

/// The shape and the kind of nested lists of numbers.
fn literal(expr: &Expr) -> Option<(Vec<Dim>, DType)> {
    let parts = match expr {
        Expr::NumberLiteral(number) => {
            let dtype = match number.value {
                Number::Int(_) => DType::Int,
                Number::Float(_) => DType::Float64,
                Number::Complex { .. } => DType::Complex,
            };
            return Some((Vec::new(), dtype));
        }
        Expr::UnaryOp(unary) if matches!(unary.op, UnaryOp::USub | UnaryOp::UAdd) => {
            return literal(&unary.operand).filter(|(shape, _)| shape.is_empty());
        }
        Expr::List(list) => &list.elts,
        Expr::Tuple(tuple) => &tuple.elts,
        _ => return None,
    };
    let mut parts_of = parts.iter().map(literal);
    let (inner, mut dtype) = parts_of.next()??;
    for part in parts_of {
        let (shape, kind) = part?;
        if shape != inner {
            return None;
        }
        dtype = dtype.promoted(kind);
    }
    let mut shape = vec![Dim::Known(parts.len() as u64)];
    shape.extend(inner);
    Some((shape, dtype))
}
