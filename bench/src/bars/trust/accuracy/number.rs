//! The numbers that forms are computed with: doubles, as the forms run, in two orders of additions, and pairs of doubles, which stand for
//! the exact values.
//!
//! Written from the definitions, apart from the product's own arithmetic, which it is held against.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// What cells can be.
pub(super) trait Number:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The number that a double is.
    fn of(x: f64) -> Self;
    /// The nearest double.
    fn near(self) -> f64;
    fn sqrt(self) -> Self;
    fn exp(self) -> Self;
    fn ln(self) -> Self;
    fn sin(self) -> Self;
    fn cos(self) -> Self;
    /// `self` to a power that is neither whole nor a half.
    fn pow(self, exponent: Self) -> Self;

    fn sinh(self) -> Self {
        (self.exp() - (-self).exp()) * Self::of(0.5)
    }

    fn cosh(self) -> Self {
        (self.exp() + (-self).exp()) * Self::of(0.5)
    }

    fn tanh(self) -> Self {
        self.sinh() / self.cosh()
    }

    fn abs(self) -> Self {
        if self < Self::of(0.0) { -self } else { self }
    }

    fn truth(holds: bool) -> Self {
        Self::of(f64::from(u8::from(holds)))
    }

    /// The sum of numbers, in the order of this kind of numbers.
    fn total(terms: impl Iterator<Item = Self>) -> Self {
        terms.fold(Self::of(0.0), |sum, x| sum + x)
    }
}

impl Number for f64 {
    fn of(x: f64) -> Self {
        x
    }
    fn near(self) -> f64 {
        self
    }
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    fn exp(self) -> Self {
        f64::exp(self)
    }
    fn ln(self) -> Self {
        f64::ln(self)
    }
    fn sin(self) -> Self {
        f64::sin(self)
    }
    fn cos(self) -> Self {
        f64::cos(self)
    }
    fn pow(self, exponent: Self) -> Self {
        self.powf(exponent)
    }
    fn sinh(self) -> Self {
        f64::sinh(self)
    }
    fn cosh(self) -> Self {
        f64::cosh(self)
    }
    fn tanh(self) -> Self {
        f64::tanh(self)
    }
}

/// Doubles that are added up in another order than the one in which they stand.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub(super) struct Reordered(f64);

impl Number for Reordered {
    fn of(x: f64) -> Self {
        Reordered(x)
    }
    fn near(self) -> f64 {
        self.0
    }
    fn sqrt(self) -> Self {
        Reordered(self.0.sqrt())
    }
    fn exp(self) -> Self {
        Reordered(self.0.exp())
    }
    fn ln(self) -> Self {
        Reordered(self.0.ln())
    }
    fn sin(self) -> Self {
        Reordered(self.0.sin())
    }
    fn cos(self) -> Self {
        Reordered(self.0.cos())
    }
    fn pow(self, exponent: Self) -> Self {
        Reordered(self.0.powf(exponent.0))
    }
    fn sinh(self) -> Self {
        Reordered(self.0.sinh())
    }
    fn cosh(self) -> Self {
        Reordered(self.0.cosh())
    }
    fn tanh(self) -> Self {
        Reordered(self.0.tanh())
    }

    /// Those that stood side by side come far from each other, whatever rows and columns they are of.
    fn total(terms: impl Iterator<Item = Self>) -> Self {
        let mut terms: Vec<(u64, f64)> = (0_u64..)
            .map(|place| place.wrapping_mul(SCATTER))
            .zip(terms.map(Number::near))
            .collect();
        terms.sort_by_key(|(place, _)| *place);
        Reordered(terms.iter().fold(0.0, |sum, (_, x)| sum + x))
    }
}

/// An odd number without a pattern in its bits.
const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;

macro_rules! as_doubles {
    ($($operator:ident $method:ident)*) => {
        $(impl $operator for Reordered {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Reordered(self.0.$method(other.0))
            }
        })*
    };
}

as_doubles! { Add add Sub sub Mul mul Div div }

impl Neg for Reordered {
    type Output = Self;
    fn neg(self) -> Self {
        Reordered(-self.0)
    }
}

/// The sum of two doubles that are not added up, about 31 decimal digits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    high: f64,
    low: f64,
}

const LN_2: Pair = Pair {
    high: std::f64::consts::LN_2,
    low: 2.319_046_813_846_299_6e-17,
};
const HALF_PI: Pair = Pair {
    high: std::f64::consts::FRAC_PI_2,
    low: 6.123_233_995_736_766e-17,
};
/// Beyond, `exp` of a double is 0 or infinite, or nearly so.
const MOST_EXPONENT: f64 = 700.0;
/// Beyond, too few digits of an angle are left.
const MOST_ANGLE: f64 = 1e9;

/// Two doubles of which the first is the larger.
fn pair(high: f64, low: f64) -> Pair {
    let sum = high + low;
    if !sum.is_finite() {
        return Pair::of(sum);
    }
    Pair {
        high: sum,
        low: low - (sum - high),
    }
}

/// The sum of two doubles and what rounding takes of it.
fn sum_and_rest(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

impl Pair {
    /// By a power of two.
    fn scaled(self, by: f64) -> Self {
        Pair {
            high: self.high * by,
            low: self.low * by,
        }
    }

    /// Sine and cosine of an angle of an eighth of a turn at most.
    fn waves(self) -> (Self, Self) {
        let mut term = Pair::of(1.0);
        let (mut sine, mut cosine) = (Pair::of(0.0), term);
        for n in 1..32_u8 {
            term = term * self / Pair::of(f64::from(n));
            let signed = if n % 4 >= 2 { -term } else { term };
            if n % 2 == 0 {
                cosine = cosine + signed;
            } else {
                sine = sine + signed;
            }
        }
        (sine, cosine)
    }

    /// Sine of an angle that is `more` quarters of a turn larger.
    fn sine_after(self, more: i64) -> Self {
        let quarters = (self.high / HALF_PI.high).round();
        let (sine, cosine) = (self - HALF_PI * Pair::of(quarters)).waves();
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a whole number below a billion"
        )]
        match (quarters as i64 + more).rem_euclid(4) {
            0 => sine,
            1 => cosine,
            2 => -sine,
            _ => -cosine,
        }
    }
}

impl Number for Pair {
    fn of(x: f64) -> Self {
        Pair { high: x, low: 0.0 }
    }

    fn near(self) -> f64 {
        self.high
    }

    fn sqrt(self) -> Self {
        let root = self.high.sqrt();
        if root == 0.0 || !root.is_finite() {
            return Pair::of(root);
        }
        let root = Pair::of(root);
        root + (self - root * root) / (root + root)
    }

    /// By the series of the 512th part of what is left beside a multiple of ln 2.
    fn exp(self) -> Self {
        const HALVINGS: i32 = 9;
        if !self.high.is_finite() || self.high.abs() > MOST_EXPONENT {
            return Pair::of(self.high.exp());
        }
        let twos = (self.high / LN_2.high).round();
        let rest = (self - LN_2 * Pair::of(twos)).scaled(0.5_f64.powi(HALVINGS));
        let mut term = Pair::of(1.0);
        // Without the one: it would take the digits of what is squared again and again.
        let mut beyond_one = Pair::of(0.0);
        for n in 1..14_u8 {
            term = term * rest / Pair::of(f64::from(n));
            beyond_one = beyond_one + term;
        }
        for _ in 0..HALVINGS {
            beyond_one = beyond_one.scaled(2.0) + beyond_one * beyond_one;
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a whole number of three digits"
        )]
        (beyond_one + Pair::of(1.0)).scaled(2_f64.powi(twos as i32))
    }

    /// By Newton's steps from the logarithm of the double.
    fn ln(self) -> Self {
        let mut found = Pair::of(self.high.ln());
        if found.high.is_finite() {
            for _ in 0..2 {
                found = found + (self * (-found).exp() - Pair::of(1.0));
            }
        }
        found
    }

    fn sin(self) -> Self {
        if self.high.abs() < MOST_ANGLE {
            self.sine_after(0)
        } else {
            Pair::of(self.high.sin())
        }
    }

    fn cos(self) -> Self {
        if self.high.abs() < MOST_ANGLE {
            self.sine_after(1)
        } else {
            Pair::of(self.high.cos())
        }
    }

    fn pow(self, exponent: Self) -> Self {
        (exponent * self.ln()).exp()
    }
}

impl Add for Pair {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (high, rest) = sum_and_rest(self.high, other.high);
        if !high.is_finite() {
            return Pair::of(high);
        }
        let (low, least) = sum_and_rest(self.low, other.low);
        let sum = pair(high, rest + low);
        pair(sum.high, sum.low + least)
    }
}

impl Sub for Pair {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Pair {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let high = self.high * other.high;
        if !high.is_finite() {
            return Pair::of(high);
        }
        let rest = self.high.mul_add(other.high, -high);
        pair(high, rest + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Pair {
    type Output = Self;

    /// As one divides on paper, a double at a time.
    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        if !first.is_finite() || first == 0.0 || !other.high.is_finite() {
            return Pair::of(first);
        }
        let rest = self - other * Pair::of(first);
        let second = rest.high / other.high;
        let rest = rest - other * Pair::of(second);
        pair(first, second) + Pair::of(rest.high / other.high)
    }
}

impl Neg for Pair {
    type Output = Self;

    fn neg(self) -> Self {
        Pair {
            high: -self.high,
            low: -self.low,
        }
    }
}

impl PartialEq for Pair {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let high = self.high.partial_cmp(&other.high)?;
        Some(high.then(self.low.partial_cmp(&other.low)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What two pairs differ by, relative to the second.
    fn apart(a: Pair, b: Pair) -> f64 {
        ((a - b) / b).near().abs()
    }

    #[test]
    fn operators_undo_each_other_to_thirty_digits() {
        for seed in 1..40_u8 {
            let x = Pair::of(f64::from(seed) / 7.0) / Pair::of(3.0);
            let y = Pair::of(11.0 / f64::from(seed));
            assert!(apart(x + y - y, x) < 1e-28);
            assert!(apart(x * y / y, x) < 1e-30);
            assert!(apart(x.sqrt() * x.sqrt(), x) < 1e-30);
            assert!(apart(x.exp().ln(), x) < 1e-28);
            assert!(apart(x.ln().exp(), x) < 1e-28);
            let one = x.sin() * x.sin() + x.cos() * x.cos();
            assert!(apart(one, Pair::of(1.0)) < 1e-29);
        }
    }

    #[test]
    fn functions_agree_with_those_of_doubles_and_with_known_digits() {
        for x in [-37.5, -1.25, 0.3, 2.0, 40.0, 1000.5] {
            let angle = Pair::of(x);
            assert!((angle.sin().near() - x.sin()).abs() < 1e-14);
            assert!((angle.cos().near() - x.cos()).abs() < 1e-14);
            assert!(apart(angle.exp(), Pair::of(x.exp())) < 1e-13 || x > MOST_EXPONENT);
        }
        let rest = Pair::of(1.0).exp() - Pair::of(std::f64::consts::E);
        assert!((rest.near() - 1.445_646_891_729_250_2e-16).abs() < 1e-30);
    }

    #[test]
    fn what_doubles_cannot_hold_is_the_double() {
        let most = Pair::of(f64::MAX);
        assert!((most + most).near().is_infinite());
        assert!((most * most).near().is_infinite());
        assert!((Pair::of(1.0) / Pair::of(0.0)).near().is_infinite());
        assert!(Pair::of(-1.0).sqrt().near().is_nan());
        assert!(Pair::of(1.0) + Pair::of(1e-25) > Pair::of(1.0));
    }
}
