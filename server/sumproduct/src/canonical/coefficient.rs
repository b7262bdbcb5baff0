//! Constant factors as exact numbers. Must never round, and must never know terms.
//!
//! A number is a fraction times powers of two and of five, so that `1e200` and `1e-200` are as exact as `0.1`. What
//! outgrows that is spoiled: it is equal to nothing, and the algebra refuses it.

use std::cmp::Ordering;

use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, Signed, Zero};

/// Powers of two and five beyond which a number is spoiled.
const MAX_POWER: i32 = 40_000;

/// An exact number, or one that outgrew this.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Coefficient {
    /// Neither part is a multiple of two or five; zero stands alone. `None`: spoiled.
    exact: Option<Ratio<i128>>,
    two: i32,
    five: i32,
}

impl Coefficient {
    /// A number as a script states it: 0.1 is a tenth. Infinities and NaN are spoiled.
    pub(super) fn stated(value: f64) -> Self {
        let Some((digits, exponent)) = decimal(value) else {
            return Self::spoiled();
        };
        Self::new(Some(Ratio::from_integer(digits)), exponent, exponent)
    }

    pub(super) fn integer(value: i128) -> Self {
        Self::new(Some(Ratio::from_integer(value)), 0, 0)
    }

    /// A fraction of whole numbers.
    pub(super) fn fraction(over: i128, under: i128) -> Self {
        Self::integer(over).over(Self::integer(under))
    }

    fn spoiled() -> Self {
        Coefficient {
            exact: None,
            two: 0,
            five: 0,
        }
    }

    fn new(exact: Option<Ratio<i128>>, two: i32, five: i32) -> Self {
        let Some(ratio) = exact else {
            return Self::spoiled();
        };
        if ratio.is_zero() {
            return Coefficient {
                exact: Some(ratio),
                two: 0,
                five: 0,
            };
        }
        let (mut over, mut under, mut two, mut five) = (*ratio.numer(), *ratio.denom(), two, five);
        for (prime, power) in [(2, &mut two), (5, &mut five)] {
            while over % prime == 0 {
                over /= prime;
                *power += 1;
            }
            while under % prime == 0 {
                under /= prime;
                *power -= 1;
            }
        }
        if two.abs() > MAX_POWER || five.abs() > MAX_POWER {
            return Self::spoiled();
        }
        Coefficient {
            exact: Some(Ratio::new_raw(over, under)),
            two,
            five,
        }
    }

    pub(super) fn is_zero(self) -> bool {
        self.exact.is_some_and(|exact| exact.is_zero())
    }

    pub(super) fn is_one(self) -> bool {
        self == Self::integer(1)
    }

    /// Whether the number is known.
    pub(super) fn is_exact(self) -> bool {
        self.exact.is_some()
    }

    /// The sign: -1, 0 or 1.
    pub(super) fn sign(self) -> i32 {
        match self.exact {
            Some(exact) if exact.is_positive() => 1,
            Some(exact) if exact.is_negative() => -1,
            _ => 0,
        }
    }

    pub(super) fn abs(self) -> Self {
        Coefficient {
            exact: self.exact.map(|exact| exact.abs()),
            ..self
        }
    }

    pub(super) fn inverse(self) -> Self {
        Self::integer(1).over(self)
    }

    pub(super) fn negative(self) -> Self {
        self.times(Self::integer(-1))
    }

    pub(super) fn over(self, other: Self) -> Self {
        if other.is_zero() {
            return Self::spoiled();
        }
        let exact = self.exact.zip(other.exact);
        Self::new(
            exact.and_then(|(a, b)| a.checked_div(&b)),
            self.two - other.two,
            self.five - other.five,
        )
    }

    pub(super) fn times(self, other: Self) -> Self {
        let exact = self.exact.zip(other.exact);
        Self::new(
            exact.and_then(|(a, b)| a.checked_mul(&b)),
            self.two + other.two,
            self.five + other.five,
        )
    }

    pub(super) fn plus(self, other: Self) -> Self {
        if self.is_zero() {
            return other;
        }
        if other.is_zero() {
            return self;
        }
        let (two, five) = (self.two.min(other.two), self.five.min(other.five));
        let scaled = |c: Self| -> Option<Ratio<i128>> {
            let power = |base: i128, n: i32| base.checked_pow(u32::try_from(n).ok()?);
            let factor = power(2, c.two - two)?.checked_mul(power(5, c.five - five)?)?;
            c.exact?.checked_mul(&Ratio::from_integer(factor))
        };
        let sum = scaled(self)
            .zip(scaled(other))
            .and_then(|(a, b)| a.checked_add(&b));
        Self::new(sum, two, five)
    }

    /// A power with a whole exponent.
    pub(super) fn power(self, exponent: i32) -> Self {
        let mut result = Self::integer(1);
        for _ in 0..exponent.unsigned_abs() {
            result = result.times(self);
            if !result.is_exact() {
                break;
            }
        }
        if exponent < 0 {
            result.inverse()
        } else {
            result
        }
    }

    /// The number as a fraction of whole numbers, where those fit.
    pub(super) fn parts(self) -> Option<(i128, i128)> {
        let exact = self.exact?;
        let power = |base: i128, n: i32| base.checked_pow(n.unsigned_abs());
        let (mut over, mut under) = (*exact.numer(), *exact.denom());
        for (base, n) in [(2, self.two), (5, self.five)] {
            if n >= 0 {
                over = over.checked_mul(power(base, n)?)?;
            } else {
                under = under.checked_mul(power(base, n)?)?;
            }
        }
        Some((over, under))
    }

    /// The whole number, if it is one.
    pub(super) fn whole(self) -> Option<i128> {
        match self.parts()? {
            (over, 1) => Some(over),
            _ => None,
        }
    }

    /// The largest whole number that is not larger.
    pub(super) fn floor(self) -> Option<Self> {
        let (over, under) = self.parts()?;
        Some(Self::integer(over.div_euclid(under)))
    }

    /// Which of both is larger, where both are known.
    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        let difference = self.plus(other.negative());
        difference.is_exact().then(|| difference.sign().cmp(&0))
    }

    /// A number near the value, to be shown or to be compared with a margin.
    pub(super) fn value(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "near is enough")]
        self.exact.map_or(f64::NAN, |exact| {
            if let Some((over, under)) = self.parts() {
                return over as f64 / under as f64;
            }
            let ratio = *exact.numer() as f64 / *exact.denom() as f64;
            // Ten to a power first: both powers alone may be out of range.
            let ten = if self.two.signum() == self.five.signum() {
                self.two.signum() * self.two.abs().min(self.five.abs())
            } else {
                0
            };
            let rest = 2_f64.powi(self.two - ten) * 5_f64.powi(self.five - ten);
            ratio * rest * 10_f64.powi(ten)
        })
    }
}

/// The digits and the power of ten of the shortest decimal number that reads back as this one.
fn decimal(value: f64) -> Option<(i128, i32)> {
    if !value.is_finite() {
        return None;
    }
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once('e')?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let exponent = exponent.parse::<i32>().ok()? - i32::try_from(fraction.len()).ok()?;
    Some((digits, exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(value: f64) -> Coefficient {
        Coefficient::stated(value)
    }

    #[test]
    fn what_a_script_states_is_exact() {
        assert_eq!(stated(0.1).plus(stated(0.2)), stated(0.3));
        assert_ne!(stated(1e9), stated(1e9 + 1.0));
        assert_ne!(stated(1.0), stated(1.000_000_000_1));
        let third = stated(1.0).over(stated(3.0));
        assert_eq!(third.times(stated(3.0)), stated(1.0));
        assert_ne!(third, stated(1.0 / 3.0));
        let rest = stated(1e15).plus(stated(1.0)).plus(stated(-1e15));
        assert!(!rest.is_zero() && rest.plus(stated(-1.0)).is_zero());
        assert_eq!(stated(1e200).times(stated(1e-200)), stated(1.0));
        assert!(!stated(1e-200).times(stated(1e-200)).is_zero());
        assert_eq!(stated(1e30).times(stated(1e30)), stated(1e60));
    }

    #[test]
    fn what_outgrows_it_is_equal_to_nothing() {
        let third = stated(1.0).over(stated(3.0));
        let long = stated(1e200).plus(third);
        assert!(!long.is_exact() && !stated(f64::INFINITY).is_exact());
        assert_eq!(long.compare(long), None);
        assert!(!stated(1.0).over(stated(0.0)).is_exact());
    }

    #[test]
    fn values_are_near() {
        for x in [0.1, -2.5, 1e200, 1e-300, 12345.678] {
            let value = stated(x).value();
            assert!((value - x).abs() <= 1e-14 * x.abs(), "{x}: {value}");
        }
        assert_eq!(stated(-3.5).floor(), Some(stated(-4.0)));
        assert_eq!(stated(7.0).whole(), Some(7));
        assert_eq!(stated(0.5).whole(), None);
    }
}
