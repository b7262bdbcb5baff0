//! Constant factors: exact where the script's constants are, otherwise equal up to rounding. Must never know terms.

use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, Signed};

/// Two coefficients are equal if they differ by less than this share of the larger one …
const RELATIVE: f64 = 1e-9;
/// … or by less than this share of what was added up to make them.
const CANCELLED: f64 = 1e-12;
/// A number with more digits was rounded by whoever made it; nobody writes it.
const EXACT_DIGITS: usize = 15;
/// Whole numbers up to here are exact.
const EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

/// A constant factor, and how much was added up to make it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Coefficient {
    pub(super) value: f64,
    scale: f64,
    /// The value itself, unless something was rounded on the way or it outgrew this.
    exact: Option<Ratio<i128>>,
}

impl Coefficient {
    /// A number as a script states it: 0.1 is a tenth.
    pub(super) fn stated(value: f64) -> Self {
        Coefficient {
            exact: decimal(value),
            ..Self::rounded(value)
        }
    }

    /// A number that is only nearly what is meant.
    pub(super) fn rounded(value: f64) -> Self {
        Coefficient {
            value,
            scale: value.abs(),
            exact: None,
        }
    }

    pub(super) fn is_zero(self) -> bool {
        self.value == 0.0
    }

    pub(super) fn is_finite(self) -> bool {
        self.value.is_finite() && self.scale.is_finite()
    }

    pub(super) fn abs(self) -> Self {
        Coefficient {
            value: self.value.abs(),
            exact: self.exact.map(|exact| exact.abs()),
            ..self
        }
    }

    pub(super) fn inverse(self) -> Self {
        Self::stated(1.0).over(self)
    }

    pub(super) fn over(self, other: Self) -> Self {
        let exact = self.exact.zip(other.exact);
        Coefficient {
            exact: exact.and_then(|(a, b)| a.checked_div(&b)),
            ..Self::rounded(self.value / other.value)
        }
    }

    pub(super) fn times(self, other: Self) -> Self {
        let exact = self.exact.zip(other.exact);
        Coefficient {
            value: self.value * other.value,
            scale: self.scale * other.scale,
            exact: exact.and_then(|(a, b)| a.checked_mul(&b)),
        }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        let exact = self.exact.zip(other.exact);
        Coefficient {
            value: self.value + other.value,
            scale: self.scale + other.scale,
            exact: exact.and_then(|(a, b)| a.checked_add(&b)),
        }
    }

    /// Whether nothing is left of what was added up.
    pub(super) fn is_cancelled(self) -> bool {
        match self.exact {
            Some(exact) => *exact.numer() == 0,
            None => self.value.abs() <= CANCELLED * self.scale,
        }
    }

    pub(super) fn is_near(self, other: Self) -> bool {
        if let Some((a, b)) = self.exact.zip(other.exact) {
            return a == b;
        }
        let difference = (self.value - other.value).abs();
        difference <= RELATIVE * self.value.abs().max(other.value.abs())
            || difference <= CANCELLED * self.scale.max(other.scale)
    }
}

/// The decimal number that is written like this, if somebody could have written it.
fn decimal(value: f64) -> Option<Ratio<i128>> {
    if value.fract() == 0.0 && value.abs() <= EXACT_INTEGER {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "checked to be whole and small"
        )]
        return Some(Ratio::from_integer(value as i128));
    }
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once('e')?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let exponent = exponent.parse::<i32>().ok()? - i32::try_from(fraction.len()).ok()?;
    let power = 10_i128.checked_pow(exponent.unsigned_abs())?;
    let is_written = mantissa.bytes().filter(u8::is_ascii_digit).count() <= EXACT_DIGITS;
    let number = if exponent < 0 {
        Ratio::new(digits, power)
    } else {
        Ratio::from_integer(digits.checked_mul(power)?)
    };
    is_written.then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(value: f64) -> Coefficient {
        Coefficient::stated(value)
    }

    #[test]
    fn what_a_script_states_is_exact() {
        assert!(stated(0.1).plus(stated(0.2)).is_near(stated(0.3)));
        assert!(!stated(1e9).is_near(stated(1e9 + 1.0)));
        assert!(!stated(1.0).is_near(stated(1.000_000_000_1)));
        let third = stated(1.0).over(stated(3.0));
        assert!(third.times(stated(3.0)).is_near(stated(1.0)));
        let rest = stated(1e15).plus(stated(1.0)).plus(stated(-1e15));
        assert!(!rest.is_cancelled() && rest.plus(stated(-1.0)).is_cancelled());
    }

    #[test]
    fn what_was_rounded_is_compared_with_a_tolerance() {
        let third = stated(1.0 / 3.0);
        assert!(third.times(stated(3.0)).is_near(stated(1.0)));
        let large = stated(1e200);
        assert!(large.is_near(Coefficient::rounded(1e200 * (1.0 + 1e-12))));
        assert!(stated(1e30).times(stated(1e30)).is_near(stated(1e60)));
    }
}
