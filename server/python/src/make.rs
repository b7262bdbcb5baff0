//! Trees from steps, with their values; each is checked as it is made.
//!
//! Must never make a tree whose value is not what the step gives.

use std::sync::Arc;

use sumac_la::Dim;

use crate::infer::infer;
use crate::sound;
use crate::tree::{Step, Tree};
use crate::value::{DType, Value};

/// A step over others; `None` where NumPy has no value for it, or another one than linear algebra has.
pub(crate) fn step(step: Step, args: Vec<Tree>) -> Option<Tree> {
    let values: Vec<&Value> = args.iter().map(|arg| &arg.value).collect();
    let value = infer(&step, &values).ok()?.value;
    Some(Tree { step, args, value }).filter(sound::is_sound_step)
}

/// A number, written as an integer where it is one and that is wanted.
pub(crate) fn number(value: f64, as_int: bool) -> Option<Tree> {
    /// Below it every whole number is a float.
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    if !value.is_finite() {
        return None;
    }
    let is_int = as_int && value.fract() == 0.0 && value.abs() < LARGEST;
    step(Step::Number { value, is_int }, Vec::new())
}

/// A size that is read as this text.
pub(crate) fn size(text: Arc<str>) -> Option<Tree> {
    step(Step::Size(text), Vec::new())
}

/// An array of this shape with a number everywhere.
pub(crate) fn fill(value: f64, shape: Vec<Dim>, sizes: Vec<Tree>) -> Tree {
    Tree {
        step: Step::Fill(value),
        args: sizes,
        value: Value::array(shape, DType::Float64),
    }
}

/// The unit matrix.
pub(crate) fn eye(dim: &Dim, size: Tree) -> Tree {
    Tree {
        step: Step::Eye,
        args: vec![size],
        value: Value::array(vec![dim.clone(), dim.clone()], DType::Float64),
    }
}
