//! Attributes and subscripts: parts of arrays that stand for themselves, transposes, new axes, sizes.
//!
//! Must never say the size of a slice that its bounds may cut short otherwise.

use sumac_la::Dim;
use sumac_text::TextRange;

use super::{Reader, Seen};
use crate::env::Binding;
use crate::imports;
use crate::parse::{Expr, ExprAttribute, ExprSlice, ExprSubscript, Number, UnaryOp, dotted, place};
use crate::tree::Step;
use crate::value::{DType, Value};

impl Reader<'_> {
    /// `X.T`, `self.X`, `np.pi`, `x.size`.
    pub(super) fn attribute(
        &mut self,
        expr: &Expr,
        attribute: &ExprAttribute,
        at: (TextRange, bool),
    ) -> Seen {
        if let Some(path) = imports::path(expr, self.env) {
            let is_number = matches!(
                &*path,
                "numpy.pi" | "numpy.e" | "numpy.inf" | "math.pi" | "math.e" | "math.inf"
            );
            return if is_number {
                let value = Value::python_number(DType::Float64);
                Self::atom(self.text_of(at.0), value, true, at)
            } else {
                Self::unknown(at)
            };
        }
        if let Some(value) = dotted(expr).and_then(|text| self.env.place(&text)) {
            return Self::atom(self.text_of(at.0), value, true, at);
        }
        match attribute.attr.as_str() {
            "T" => {
                let base = self.visit(&attribute.value, false);
                // Numbers of Python have none.
                match base.value.as_ref().is_some_and(|value| value.is_weak) {
                    true => self.opaque(&[base], at),
                    false => self.combine(Step::Transpose, vec![base], at),
                }
            }
            "size" if self.dim(expr).is_some() => self.size(at),
            _ => self.inside(expr, at),
        }
    }

    /// `X.shape[0]`, `x[:, None]`, `X[1:, 0]`.
    pub(super) fn subscript(&mut self, subscript: &ExprSubscript, at: (TextRange, bool)) -> Seen {
        if self.size_of_axis(subscript).is_some() {
            return self.size(at);
        }
        let indices: Vec<&Expr> = match &*subscript.slice {
            Expr::Tuple(tuple) => tuple.elts.iter().collect(),
            other => vec![other],
        };
        if let [first, second] = indices.as_slice() {
            let step = match (self.is_new_axis(first), self.is_new_axis(second)) {
                (false, true) if is_whole(first) => Some(Step::AsColumn),
                (true, false) if is_whole(second) => Some(Step::AsRow),
                _ => None,
            };
            if let Some(step) = step {
                let base = self.visit(&subscript.value, false);
                return self.combine(step, vec![base], at);
            }
        }
        let base = match &*subscript.value {
            Expr::Name(name) => match self.env.get(&name.id) {
                Some(Binding::Value(value)) => Some(value),
                _ => None,
            },
            other => dotted(other).and_then(|text| self.env.place(&text)),
        };
        match base.and_then(|base| self.sliced(&base, &indices)) {
            Some(value) => Self::atom(self.text_of(at.0), value, true, at),
            None => {
                let base = self.visit(&subscript.value, false);
                let index = self.visit(&subscript.slice, true);
                self.opaque(&[base, index], at)
            }
        }
    }

    fn is_new_axis(&self, index: &Expr) -> bool {
        matches!(index, Expr::NoneLiteral(_))
            || self.numpy_name(index).is_some_and(|name| name == "newaxis")
    }

    fn sliced(&mut self, base: &Value, indices: &[&Expr]) -> Option<Value> {
        if indices.len() > base.rank() {
            return None;
        }
        let mut shape = Vec::new();
        for (axis, size) in base.shape.iter().enumerate() {
            match indices.get(axis) {
                None => shape.push(size.clone()),
                Some(Expr::Slice(slice)) => shape.push(self.slice(size, slice)?),
                Some(index) if self.is_whole_number(index) => {}
                Some(_) => return None,
            }
        }
        Some(Value {
            shape,
            is_weak: false,
            ..base.clone()
        })
    }

    /// Whether a text is a whole number of Python, computed without effect.
    fn is_whole_number(&mut self, expr: &Expr) -> bool {
        match expr {
            Expr::NumberLiteral(number) => matches!(number.value, Number::Int(_)),
            Expr::Name(name) => match self.env.get(&name.id) {
                Some(Binding::Size(_)) => true,
                Some(Binding::Value(value)) => value.is_weak && value.dtype == DType::Int,
                _ => false,
            },
            Expr::UnaryOp(unary) if unary.op == UnaryOp::USub => {
                self.is_whole_number(&unary.operand)
            }
            Expr::BinOp(binary) => {
                super::operation(binary.op).is_some_and(|step| {
                    matches!(
                        step,
                        Step::Cell(sumac_la::Op::Add | sumac_la::Op::Sub | sumac_la::Op::Mul)
                    )
                }) && self.is_whole_number(&binary.left)
                    && self.is_whole_number(&binary.right)
            }
            Expr::Subscript(_) | Expr::Call(_) => self.dim(expr).is_some(),
            _ => false,
        }
    }

    /// The size of a slice of an axis.
    fn slice(&mut self, size: &Dim, slice: &ExprSlice) -> Option<Dim> {
        if slice.step.is_some() {
            return None;
        }
        // What a bound takes away from the end, or leaves from the start.
        let back = |reader: &mut Self, bound: &Expr| match bound {
            Expr::UnaryOp(unary) if unary.op == UnaryOp::USub => reader.dim(&unary.operand),
            _ => None,
        };
        match (slice.lower.as_deref(), slice.upper.as_deref()) {
            (None, None) => Some(size.clone()),
            (None, Some(upper)) => match back(self, upper) {
                Some(taken) => self.shorter(size, &taken),
                None => {
                    let upper = self.dim(upper)?;
                    self.at_most(&upper, size)
                }
            },
            (Some(lower), None) => match back(self, lower) {
                Some(left) => self.at_most(&left, size),
                None => {
                    let lower = self.dim(lower)?;
                    self.shorter(size, &lower)
                }
            },
            (Some(lower), Some(upper)) => {
                let lower = self.dim(lower)?;
                let end = match back(self, upper) {
                    Some(taken) => self.shorter(size, &taken)?,
                    None => {
                        let upper = self.dim(upper)?;
                        self.at_most(&upper, size)?
                    }
                };
                self.shorter(&end, &lower)
            }
        }
    }

    /// A size less another one, where it is certain that something is left.
    fn shorter(&self, size: &Dim, taken: &Dim) -> Option<Dim> {
        let left = match (size.known(), taken.known()) {
            (Some(size), Some(taken)) => Dim::Known(size.checked_sub(taken)?),
            // A size by name is at least one.
            (None, Some(0 | 1)) => size.minus(taken),
            _ => return None,
        };
        (left != Dim::Unknown && left.known() != Some(0)).then_some(left)
    }

    /// The smaller of two sizes.
    fn at_most(&self, most: &Dim, size: &Dim) -> Option<Dim> {
        if most.known() == Some(0) {
            return None;
        }
        if let (Some(a), Some(b)) = (most.known(), size.known()) {
            return Some(Dim::Known(a.min(b)));
        }
        let names = (most.lone_name(), size.lone_name());
        if let (Some(small), Some(large)) = names {
            let is_it = |(a, b): &(std::sync::Arc<str>, std::sync::Arc<str>)| {
                &**a == small && &**b == large
            };
            if small == large || self.env.order().iter().any(is_it) {
                return Some(most.clone());
            }
        }
        match (most.known(), most.lone_name()) {
            // A size by name is at least one.
            (Some(1), _) => Some(most.clone()),
            (Some(_), _) | (_, Some(_)) => Some(Dim::symbol(format!("min({most}, {size})"), None)),
            (None, None) => None,
        }
    }
}

/// Whether an index is `:`.
fn is_whole(index: &Expr) -> bool {
    matches!(index, Expr::Slice(slice) if slice.lower.is_none() && slice.upper.is_none() && slice.step.is_none())
        && place(index).len() <= 1
}
