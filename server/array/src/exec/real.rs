//! The numbers that nests compute with.

use super::block::{self, Block};
use crate::prim::Prim;
use crate::types::Scalar;

/// A number type of the machine.
pub trait Real: Copy + Default + PartialOrd + Send + Sync + std::fmt::Debug + 'static {
    /// What it is called in programs.
    const SCALAR: Scalar;
    /// The nearest number.
    fn of(value: f64) -> Self;
    /// The same number.
    fn f64(self) -> f64;
    /// A calculation of two numbers, rounded once.
    fn calculate(prim: Prim, a: Self, b: Self) -> Self;
    /// Adds a block of sums of products; the slices begin where the block does.
    fn add_block(block: &Block, c: &mut [Self], a: &[Self], b: &[Self]);
}

macro_rules! real {
    ($ty:ident, $scalar:ident, $add:path) => {
        impl Real for $ty {
            const SCALAR: Scalar = Scalar::$scalar;

            #[allow(clippy::cast_possible_truncation, reason = "rounding is meant")]
            fn of(value: f64) -> Self {
                value as $ty
            }

            fn f64(self) -> f64 {
                f64::from(self)
            }

            #[inline]
            fn calculate(prim: Prim, a: Self, b: Self) -> Self {
                match prim {
                    Prim::Add => a + b,
                    Prim::Sub => a - b,
                    Prim::Mul => a * b,
                    Prim::Div => a / b,
                    Prim::Min if a < b => a,
                    Prim::Max if a > b => a,
                    _ => b,
                }
            }

            fn add_block(block: &Block, c: &mut [Self], a: &[Self], b: &[Self]) {
                $add(block, c, a, b);
            }
        }
    };
}

real!(f32, F32, block::add_f32);
real!(f64, F64, block::add_f64);
