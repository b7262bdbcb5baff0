//! Values of programs: numbers, arrays, pairs; made at random for tests and runs, compared, and shown.

use std::fmt::Write as _;
use std::rc::Rc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::types::{Scalar, Type, TypeId, Types};

/// A value without functions in it. Vectors are arrays.
#[derive(Clone, PartialEq, Debug)]
pub enum Data {
    /// A number.
    Number(f64),
    /// Elements in order.
    Array(Rc<Vec<Data>>),
    /// Two values.
    Pair(Rc<(Data, Data)>),
}

/// Elements that are shown of a long array: at its beginning.
const SHOWN: usize = 6;

impl Data {
    /// Elements in order.
    #[must_use]
    pub fn array(elements: Vec<Data>) -> Data {
        Data::Array(Rc::new(elements))
    }

    /// Two values.
    #[must_use]
    pub fn pair(first: Data, second: Data) -> Data {
        Data::Pair(Rc::new((first, second)))
    }

    /// All its numbers, from the first to the last.
    #[must_use]
    pub fn numbers(&self) -> Vec<f64> {
        let mut found = Vec::new();
        self.collect(&mut found);
        found
    }

    fn collect(&self, found: &mut Vec<f64>) {
        match self {
            Data::Number(value) => found.push(*value),
            Data::Array(elements) => elements.iter().for_each(|e| e.collect(found)),
            Data::Pair(both) => {
                both.0.collect(found);
                both.1.collect(found);
            }
        }
    }

    /// A value of a type from numbers in order; `None` if there are too few. Sizes must be numbers.
    #[must_use]
    pub fn from_numbers(
        types: &Types,
        ty: TypeId,
        numbers: &mut dyn Iterator<Item = f64>,
    ) -> Option<Data> {
        Some(match types.get(ty) {
            Type::Scalar(scalar) => Data::Number(scalar.round(numbers.next()?)),
            Type::Array(n, of) | Type::Vector(n, of) => {
                let count = types.get_nat(n).as_size()?;
                let elements = (0..count).map(|_| Data::from_numbers(types, of, numbers));
                Data::array(elements.collect::<Option<_>>()?)
            }
            Type::Pair(a, b) => {
                let first = Data::from_numbers(types, a, numbers)?;
                Data::pair(first, Data::from_numbers(types, b, numbers)?)
            }
            Type::Fun(..) | Type::Var(..) => return None,
        })
    }

    /// As text, long arrays cut short.
    #[must_use]
    pub fn show(&self) -> String {
        match self {
            Data::Number(value) => format!("{value}"),
            Data::Pair(both) => format!("({}, {})", both.0.show(), both.1.show()),
            Data::Array(elements) => {
                let shown: Vec<String> = elements.iter().take(SHOWN).map(Data::show).collect();
                let mut text = format!("[{}", shown.join(", "));
                if elements.len() > SHOWN {
                    let _ = write!(text, ", … {} more", elements.len() - SHOWN);
                }
                text.push(']');
                text
            }
        }
    }
}

/// What an input is: a value, or a function of numbers.
#[derive(Clone, PartialEq, Debug)]
pub enum Input {
    /// A value.
    Data(Data),
    /// `x * factor + term`.
    Affine(f64, f64),
}

/// Inputs made at random, always the same from the same seed: numbers from -1 to 1.
pub struct Random(ChaCha8Rng);

impl Random {
    /// From a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Random(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number from -1 to 1.
    pub fn number(&mut self, scalar: Scalar) -> f64 {
        scalar.round(self.0.random_range(-1.0..1.0))
    }

    /// A whole number from `least` to `most`.
    pub fn whole(&mut self, least: i64, most: i64) -> i64 {
        self.0.random_range(least..=most)
    }

    /// An input of a type whose sizes are numbers. `None` where the type is a function of anything but one number.
    pub fn input(&mut self, types: &Types, ty: TypeId) -> Option<Input> {
        if let Type::Fun(from, to) = types.get(ty) {
            let scalar = types.scalar_of(from)?;
            return (from == to).then(|| Input::Affine(self.number(scalar), self.number(scalar)));
        }
        self.data(types, ty).map(Input::Data)
    }

    /// A value of a type whose sizes are numbers. `None` for functions.
    pub fn data(&mut self, types: &Types, ty: TypeId) -> Option<Data> {
        let scalar = types.scalar_under(ty)?;
        let mut numbers = std::iter::repeat_with(|| self.number(scalar));
        Data::from_numbers(types, ty, &mut numbers)
    }
}

/// The largest difference of two values' numbers, relative to the largest number of either, or above 1 where the values are
/// of different forms. NaN and infinities must stand at the same places.
#[must_use]
pub fn difference(a: &Data, b: &Data) -> f64 {
    let (a, b) = (a.numbers(), b.numbers());
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    let finite = a.iter().chain(&b).filter(|x| x.is_finite());
    let largest = finite.fold(0.0_f64, |most, x| most.max(x.abs()));
    let mut worst = 0.0_f64;
    for (x, y) in a.iter().zip(&b) {
        if x.is_nan() && y.is_nan() || x == y {
            continue;
        }
        if !x.is_finite() || !y.is_finite() {
            return f64::INFINITY;
        }
        worst = worst.max((x - y).abs() / largest);
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_relative_to_the_largest_number_and_nan_equals_nan() {
        let of = |numbers: &[f64]| Data::array(numbers.iter().copied().map(Data::Number).collect());
        let close = difference(&of(&[1000.0, 1.0]), &of(&[1000.0, 1.1]));
        assert!(close < 2e-4, "{close}");
        assert_eq!(difference(&of(&[f64::NAN]), &of(&[f64::NAN])), 0.0);
        assert!(difference(&of(&[f64::NAN]), &of(&[0.0])).is_infinite());
        assert!(difference(&of(&[1.0]), &of(&[1.0, 2.0])).is_infinite());
    }
}
