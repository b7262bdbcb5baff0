//! Whole numbers that are sizes, and tuples of them.
//!
//! A size is a number, a name, or a sum of both. Must never take one for known that was not said to be a size.

use sumac_la::Dim;

use super::Reader;
use crate::env::Binding;
use crate::parse::dotted;
use crate::parse::{Expr, ExprSubscript, Number, Operator, UnaryOp};
use crate::value::{DType, Value};

impl Reader<'_> {
    /// The size that an expression says, as far as it is known already.
    pub(crate) fn dim(&mut self, expr: &Expr) -> Option<Dim> {
        self.size_by(expr, false)
    }

    /// The size that an expression says; variables of which nothing is known become sizes by that.
    pub(crate) fn new_dim(&mut self, expr: &Expr) -> Option<Dim> {
        self.size_by(expr, true)
    }

    fn size_by(&mut self, expr: &Expr, is_new: bool) -> Option<Dim> {
        let dim = match expr {
            Expr::NumberLiteral(number) => match &number.value {
                Number::Int(int) => Dim::Known(u64::try_from(int.as_i64()?).ok()?),
                _ => return None,
            },
            Expr::Name(name) => match self.env.get(&name.id) {
                Some(Binding::Size(dim)) => dim,
                Some(Binding::Value(value))
                    if is_new && !(value.is_weak && value.dtype == DType::Int) =>
                {
                    return None;
                }
                Some(Binding::Unknown | Binding::Value(_)) | None if is_new => {
                    let dim = self.sizes.as_mut()?.of_variable(&name.id)?;
                    let dim = self.env.dim(&dim);
                    self.env.set(&name.id, Binding::Size(dim.clone()));
                    dim
                }
                _ => return None,
            },
            Expr::Subscript(subscript) => self.size_of_axis(subscript)?,
            Expr::Attribute(attribute) if attribute.attr.as_str() == "size" => {
                let shape = self.shape_of(&attribute.value)?;
                shape
                    .iter()
                    .fold(Dim::Known(1), |product, dim| product.times(dim))
            }
            Expr::Call(call) => {
                let is_len = crate::imports::path(&call.func, self.env)
                    .is_some_and(|path| path == "builtins.len");
                match (&*call.arguments.args, call.arguments.keywords.is_empty()) {
                    ([of], true) if is_len => self.shape_of(of)?.first()?.clone(),
                    _ => return None,
                }
            }
            Expr::BinOp(binary) => {
                let left = self.size_by(&binary.left, is_new)?;
                let right = self.size_by(&binary.right, is_new)?;
                match binary.op {
                    Operator::Add => left.plus(&right),
                    Operator::Sub => left.minus(&right),
                    Operator::Mult => left.times(&right),
                    _ => return None,
                }
            }
            _ => return None,
        };
        (dim != Dim::Unknown).then_some(dim)
    }

    /// `X.shape[0]`, and a tuple's `shape[0]`.
    pub(super) fn size_of_axis(&mut self, subscript: &ExprSubscript) -> Option<Dim> {
        let shape = self.shape_named(&subscript.value)?;
        let axis = axis(&subscript.slice)?;
        let axis = if axis < 0 {
            shape.len().checked_sub(axis.unsigned_abs())?
        } else {
            axis.unsigned_abs()
        };
        shape.get(axis).cloned()
    }

    /// The sizes that `X.shape` or a variable with them stands for.
    pub(crate) fn shape_named(&mut self, expr: &Expr) -> Option<Vec<Dim>> {
        match expr {
            Expr::Name(name) => match self.env.get(&name.id) {
                Some(Binding::Shape(dims)) => Some(dims),
                _ => None,
            },
            Expr::Attribute(attribute) if attribute.attr.as_str() == "shape" => {
                self.shape_of(&attribute.value)
            }
            _ => None,
        }
    }

    /// The sizes of a variable.
    fn shape_of(&mut self, expr: &Expr) -> Option<Vec<Dim>> {
        match expr {
            Expr::Name(name) => match self.env.get(&name.id)? {
                Binding::Value(value) => Some(value.shape),
                Binding::Other(shape) => shape,
                _ => None,
            },
            _ => self.value_of_place(expr).map(|value| value.shape),
        }
    }

    /// What is known of an attribute.
    pub(crate) fn value_of_place(&self, expr: &Expr) -> Option<Value> {
        self.env.place(&dotted(expr)?)
    }

    /// The sizes that an expression says as a shape: `(n, d)`, `n`, `X.shape`.
    pub(crate) fn new_shape(&mut self, expr: &Expr) -> Option<Vec<Dim>> {
        let dims = match expr {
            Expr::Tuple(tuple) => &tuple.elts,
            Expr::List(list) => &list.elts,
            _ => {
                if let Some(shape) = self.shape_named(expr) {
                    return Some(shape);
                }
                // A name of which nothing is known could hold a tuple.
                let is_known = match expr {
                    Expr::Name(name) => {
                        !matches!(self.env.get(&name.id), Some(Binding::Unknown) | None)
                    }
                    _ => true,
                };
                return Some(vec![is_known.then(|| self.new_dim(expr)).flatten()?]);
            }
        };
        dims.iter().map(|dim| self.new_dim(dim)).collect()
    }
}

/// The sizes of a text about the whole scope: names are sizes, whatever variables hold.
pub(crate) fn stated_dim(expr: &Expr, name: &mut dyn FnMut(&str) -> Option<Dim>) -> Option<Dim> {
    let dim = match expr {
        Expr::NumberLiteral(number) => match &number.value {
            Number::Int(int) => Dim::Known(u64::try_from(int.as_i64()?).ok()?),
            _ => return None,
        },
        Expr::Name(of) => name(&of.id)?,
        Expr::Attribute(_) => name(&dotted(expr)?)?,
        Expr::BinOp(binary) => {
            let left = stated_dim(&binary.left, name)?;
            let right = stated_dim(&binary.right, name)?;
            match binary.op {
                Operator::Add => left.plus(&right),
                Operator::Sub => left.minus(&right),
                Operator::Mult => left.times(&right),
                _ => return None,
            }
        }
        _ => return None,
    };
    (dim != Dim::Unknown).then_some(dim)
}

/// A whole number that is written out.
pub(crate) fn axis(expr: &Expr) -> Option<isize> {
    match expr {
        Expr::NumberLiteral(number) => match &number.value {
            Number::Int(int) => isize::try_from(int.as_i64()?).ok(),
            _ => None,
        },
        Expr::UnaryOp(unary) if unary.op == UnaryOp::USub => Some(-axis(&unary.operand)?),
        _ => None,
    }
}
