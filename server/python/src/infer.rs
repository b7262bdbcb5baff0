//! The value of a step from those of what it is of, as NumPy's rules say; and what is wrong where it has none.
//!
//! Sizes that must be equal and have different names may be equal: they are handed out as pairs, and whoever asks decides whether to
//! take them for one. Must never answer for a rank that is not known.

use sumac_la::{Dim, Op};

use crate::tree::Step;
use crate::value::{DType, Value};

/// Why a step has no value.
#[derive(Clone, PartialEq, Debug)]
pub enum NoValue {
    /// It raises an error: the sizes, which are numbers, do not fit. In words, without the place.
    Mismatch(String),
    /// It may have one, of which nothing is known here: more than two axes, an operation without meaning for linear algebra.
    OutOfReach,
}

/// A value, and the pairs of sizes that were taken to be equal.
#[derive(Clone, PartialEq, Debug)]
pub struct Inferred {
    /// The value.
    pub value: Value,
    /// Sizes that an operation needs to be equal and that are not known to be.
    pub equal: Vec<(Dim, Dim)>,
    /// Whether two sizes that are no numbers one were repeated against each other: `(n, 1)` with `(n,)` gives `(n, n)`.
    pub is_spread: bool,
}

/// The value of a step.
///
/// # Errors
/// See [`NoValue`].
pub fn infer(step: &Step, args: &[&Value]) -> Result<Inferred, NoValue> {
    let mut equal = Vec::new();
    let mut is_spread = false;
    let value = match (step, args) {
        (Step::Number { is_int, .. }, []) => {
            Value::python_number(if *is_int { DType::Int } else { DType::Float64 })
        }
        (Step::Size(_), []) => Value::python_number(DType::Int),
        (Step::MatMul, [a, b]) => product(a, b, &mut equal)?,
        (Step::Cell(op), [a, b]) => {
            let shape = broadcast(a, b, &mut equal, &mut is_spread)?;
            Value {
                shape,
                dtype: of_cells(*op, a, b),
                is_weak: a.is_weak && b.is_weak,
            }
        }
        // Of truth values they are 16-bit floats, or an error.
        (Step::Map(op), [a]) if a.dtype == DType::Bool && *op != Op::Abs => {
            return Err(NoValue::OutOfReach);
        }
        (Step::Map(op), [a]) => Value {
            dtype: of_map(*op, a.dtype),
            is_weak: a.is_weak && *op == Op::Neg,
            ..(*a).clone()
        },
        (Step::Square, [a]) if a.dtype != DType::Bool => (*a).clone(),
        (Step::Transpose, [a]) => Value {
            shape: a.shape.iter().rev().cloned().collect(),
            ..(*a).clone()
        },
        (Step::Diag, [a]) => match a.shape.as_slice() {
            [n] => Value::array(vec![n.clone(), n.clone()], a.dtype),
            [n, m] => {
                // Of another matrix it is the shorter side.
                same(n, m, &mut equal).map_err(|()| NoValue::OutOfReach)?;
                Value::array(vec![n.clone()], a.dtype)
            }
            _ => return Err(NoValue::OutOfReach),
        },
        (Step::Trace, [a]) => match a.shape.as_slice() {
            [n, m] => {
                same(n, m, &mut equal).map_err(|()| NoValue::OutOfReach)?;
                Value::array(Vec::new(), of_reduction(Op::Sum, a.dtype))
            }
            [] | [_] => {
                return Err(NoValue::Mismatch(format!(
                    "a trace needs two axes, and this is {a}"
                )));
            }
            _ => return Err(NoValue::OutOfReach),
        },
        (Step::Reduce { by, axis, keepdims }, [a]) => {
            let shape = match axis {
                None if *keepdims => vec![Dim::Known(1); a.rank()],
                None => Vec::new(),
                // A number may be summed up along its axis 0, which it does not have.
                Some(_) if a.rank() == 0 => return Err(NoValue::OutOfReach),
                Some(axis) if *axis >= a.rank() => {
                    return Err(NoValue::Mismatch(format!(
                        "there is no axis {axis}: this is {a}"
                    )));
                }
                Some(axis) => {
                    let mut shape = a.shape.clone();
                    if *keepdims {
                        shape[*axis] = Dim::Known(1);
                    } else {
                        shape.remove(*axis);
                    }
                    shape
                }
            };
            Value::array(shape, of_reduction(*by, a.dtype))
        }
        (Step::Outer, [a, b]) => match (a.shape.as_slice(), b.shape.as_slice()) {
            ([n], [m]) => Value::array(vec![n.clone(), m.clone()], promoted(a, b)),
            _ => return Err(NoValue::OutOfReach),
        },
        (Step::Vdot, [a, b]) if a.rank() == b.rank() && a.rank() > 0 => {
            // Of matrices it takes the cells in a row, whatever their shapes are: only of one shape is it the sum of products.
            if a.rank() > 1 && a.shape != b.shape {
                return Err(NoValue::OutOfReach);
            }
            for (x, y) in a.shape.iter().zip(&b.shape) {
                same(x, y, &mut equal).map_err(|()| mismatch("a product of cells", a, b))?;
            }
            Value::array(Vec::new(), promoted(a, b))
        }
        (Step::Norm, [a]) if a.rank() > 0 => Value::array(Vec::new(), of_map(Op::Sqrt, a.dtype)),
        (Step::AsColumn, [a]) => match a.shape.as_slice() {
            [n] => Value {
                shape: vec![n.clone(), Dim::Known(1)],
                ..(*a).clone()
            },
            _ => return Err(NoValue::OutOfReach),
        },
        (Step::AsRow, [a]) => match a.shape.as_slice() {
            [n] => Value {
                shape: vec![Dim::Known(1), n.clone()],
                ..(*a).clone()
            },
            _ => return Err(NoValue::OutOfReach),
        },
        (Step::AsVector, [a]) => match a.shape.as_slice() {
            [n] | [n, Dim::Known(1)] | [Dim::Known(1), n] => Value {
                shape: vec![n.clone()],
                ..(*a).clone()
            },
            _ => return Err(NoValue::OutOfReach),
        },
        _ => return Err(NoValue::OutOfReach),
    };
    if value.rank() > 2 {
        return Err(NoValue::OutOfReach);
    }
    Ok(Inferred {
        value,
        equal,
        is_spread,
    })
}

fn mismatch(what: &str, a: &Value, b: &Value) -> NoValue {
    NoValue::Mismatch(format!("the sizes do not fit for {what}: {a} and {b}"))
}

/// Takes two sizes for one; an error where both are numbers that differ.
fn same(a: &Dim, b: &Dim, equal: &mut Vec<(Dim, Dim)>) -> Result<(), ()> {
    match (a.known(), b.known()) {
        (Some(x), Some(y)) if x != y => return Err(()),
        _ if a != b => equal.push((a.clone(), b.clone())),
        _ => {}
    }
    Ok(())
}

fn product(a: &Value, b: &Value, equal: &mut Vec<(Dim, Dim)>) -> Result<Value, NoValue> {
    let (inner, shape) = match (a.shape.as_slice(), b.shape.as_slice()) {
        ([n, k], [l, m]) => ((k, l), vec![n.clone(), m.clone()]),
        ([n, k], [l]) => ((k, l), vec![n.clone()]),
        ([k], [l, m]) => ((k, l), vec![m.clone()]),
        ([k], [l]) => ((k, l), Vec::new()),
        ([], _) | (_, []) => {
            return Err(NoValue::Mismatch(format!(
                "a product with `@` takes no number: {a} and {b}"
            )));
        }
        _ => return Err(NoValue::OutOfReach),
    };
    same(inner.0, inner.1, equal).map_err(|()| mismatch("a product with `@`", a, b))?;
    Ok(Value::array(shape, promoted(a, b)))
}

fn broadcast(
    a: &Value,
    b: &Value,
    equal: &mut Vec<(Dim, Dim)>,
    is_spread: &mut bool,
) -> Result<Vec<Dim>, NoValue> {
    let rank = a.rank().max(b.rank());
    let one = Dim::Known(1);
    let size = |value: &Value, axis: usize| {
        let missing = rank - value.rank();
        (axis >= missing).then(|| value.shape[axis - missing].clone())
    };
    let (mut shape, mut left, mut right) = (Vec::new(), false, false);
    for axis in 0..rank {
        let (x, y) = (size(a, axis), size(b, axis));
        let (p, q) = (
            x.clone().unwrap_or(one.clone()),
            y.clone().unwrap_or(one.clone()),
        );
        if p.is_one() {
            left |= !q.is_one();
            shape.push(q);
        } else if q.is_one() {
            right = true;
            shape.push(p);
        } else {
            same(&p, &q, equal).map_err(|()| mismatch("broadcasting", a, b))?;
            shape.push(p);
        }
    }
    *is_spread = left && right;
    Ok(shape)
}

fn promoted(a: &Value, b: &Value) -> DType {
    // A number of Python takes on the kind beside it, where that can hold it.
    let weak = |number: DType, beside: DType| match (number, beside) {
        (DType::Float64 | DType::Assumed, DType::Bool | DType::Int) => DType::Float64,
        (DType::Int, DType::Bool) => DType::Int,
        (DType::Complex, _) => DType::Complex,
        _ => beside,
    };
    match (a.is_weak, b.is_weak) {
        (true, false) => weak(a.dtype, b.dtype),
        (false, true) => weak(b.dtype, a.dtype),
        _ => a.dtype.promoted(b.dtype),
    }
}

fn of_cells(op: Op, a: &Value, b: &Value) -> DType {
    match op {
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => DType::Bool,
        Op::Div => match promoted(a, b) {
            DType::Bool | DType::Int => DType::Float64,
            other => other,
        },
        _ => promoted(a, b),
    }
}

fn of_map(op: Op, dtype: DType) -> DType {
    match (op, dtype) {
        (Op::Neg | Op::Abs, _) => dtype,
        (_, DType::Bool | DType::Int) => DType::Float64,
        _ => dtype,
    }
}

fn of_reduction(by: Op, dtype: DType) -> DType {
    match (by, dtype) {
        (Op::Mean, DType::Bool | DType::Int) => DType::Float64,
        (Op::Sum | Op::Prod, DType::Bool) => DType::Int,
        _ => dtype,
    }
}
