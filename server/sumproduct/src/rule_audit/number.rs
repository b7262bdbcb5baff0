//! The numbers that both sides of a rule are evaluated over: doubles, as a program computes, and double-doubles, whose 32 digits
//! are what is right. Knows numbers only.

use std::cmp::Ordering;

use sumac_la::Op;

/// What an evaluator computes with.
pub(crate) trait Number: Copy + 'static {
    fn of(value: f64) -> Self;
    /// The nearest double.
    fn rounded(self) -> f64;
    /// What a cellwise operator gives; `None` for what is no operator of numbers, or none that the audit needs.
    fn cellwise(op: Op, args: &[Self]) -> Option<Self>;

    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

impl Number for f64 {
    fn of(value: f64) -> Self {
        value
    }

    fn rounded(self) -> f64 {
        self
    }

    fn cellwise(op: Op, args: &[Self]) -> Option<Self> {
        op.eval(args)
    }

    fn plus(self, other: Self) -> Self {
        self + other
    }

    fn times(self, other: Self) -> Self {
        self * other
    }
}

/// The sum of two doubles that do not overlap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Double {
    high: f64,
    low: f64,
}

const ZERO: Double = Double::exact(0.0);
const ONE: Double = Double::exact(1.0);
/// The natural logarithm of 2.
const LN_2: Double = Double {
    high: std::f64::consts::LN_2,
    low: 2.319_046_813_846_299_6e-17,
};

impl Double {
    const fn exact(value: f64) -> Self {
        Double {
            high: value,
            low: 0.0,
        }
    }

    /// `high + low`, where the first is not smaller.
    fn renormed(high: f64, low: f64) -> Self {
        let sum = high + low;
        if !sum.is_finite() {
            return Double::exact(sum);
        }
        Double {
            high: sum,
            low: low - (sum - high),
        }
    }

    fn negated(self) -> Self {
        Double {
            high: -self.high,
            low: -self.low,
        }
    }

    fn minus(self, other: Self) -> Self {
        self.plus(other.negated())
    }

    /// Times a power of two, which rounds nothing.
    fn scaled(self, by: f64) -> Self {
        Double {
            high: self.high * by,
            low: self.low * by,
        }
    }

    fn over(self, other: Self) -> Self {
        let first = self.high / other.high;
        if !first.is_finite() || other.high.is_infinite() {
            return Double::exact(first);
        }
        let rest = self.minus(other.times(Double::exact(first)));
        let second = rest.high / other.high;
        let rest = rest.minus(other.times(Double::exact(second)));
        let third = rest.high / other.high;
        Double::renormed(first, second).plus(Double::exact(third))
    }

    fn exp(self) -> Self {
        const LARGEST: f64 = 709.78;
        const LEAST: f64 = -745.0;
        /// Halvings of the argument, undone by squarings.
        const HALVINGS: i32 = 9;
        const TERMS: u32 = 12;
        if self.high.is_nan() || self.high > LARGEST {
            return Double::exact(self.high.exp());
        }
        if self.high < LEAST {
            return ZERO;
        }
        let twos = (self.high / LN_2.high).round();
        let rest = self.minus(LN_2.times(Double::exact(twos)));
        let rest = rest.scaled(0.5_f64.powi(HALVINGS));
        // The series of exp(r) - 1, from its end.
        let mut sum = ZERO;
        for n in (1..=TERMS).rev() {
            sum = sum.plus(ONE).times(rest.over(Double::exact(f64::from(n))));
        }
        for _ in 0..HALVINGS {
            sum = sum.scaled(2.0).plus(sum.times(sum));
        }
        let half = 2.0_f64.powf((twos / 2.0).floor());
        let other = 2.0_f64.powf(twos - (twos / 2.0).floor());
        sum.plus(ONE).scaled(half).scaled(other)
    }

    fn ln(self) -> Self {
        let start = self.high.ln();
        if !start.is_finite() {
            return Double::exact(start);
        }
        // Newton's step of exp(y) = x, twice: each doubles the digits.
        let mut y = Double::exact(start);
        for _ in 0..2 {
            let ratio = self.times(y.negated().exp());
            y = y.plus(ratio.minus(ONE));
        }
        y
    }

    fn floor(self) -> Self {
        let high = self.high.floor();
        if high == self.high {
            Double::renormed(high, self.low.floor())
        } else {
            Double::exact(high)
        }
    }

    fn compare(self, other: Self) -> Option<Ordering> {
        let first = self.high.partial_cmp(&other.high)?;
        Some(first.then(self.low.partial_cmp(&other.low)?))
    }

    fn is_zero(self) -> bool {
        self.high == 0.0
    }

    /// `self^exponent` for a whole exponent that is not negative.
    fn power(self, exponent: f64) -> Option<Self> {
        const MOST: f64 = 8.0;
        (exponent.fract() == 0.0 && (0.0..=MOST).contains(&exponent)).then_some(())?;
        let mut left = exponent;
        let mut power = ONE;
        while left > 0.0 {
            power = power.times(self);
            left -= 1.0;
        }
        Some(power)
    }

    fn unary(op: Op, a: Self) -> Option<Self> {
        let truth = |yes: bool| Double::exact(f64::from(u8::from(yes)));
        Some(match op {
            Op::Neg => a.negated(),
            Op::Not => truth(a.is_zero()),
            Op::Exp => a.exp(),
            Op::Log => a.ln(),
            Op::Abs if a.high < 0.0 => a.negated(),
            Op::Abs => a,
            Op::Sign => Double::exact(sumac_la::scalar::sign(a.high)),
            Op::Round => a.plus(Double::exact(0.5)).floor(),
            Op::Floor => a.floor(),
            Op::Ceil => a.negated().floor().negated(),
            Op::Sigmoid => ONE.over(ONE.plus(a.negated().exp())),
            _ => return None,
        })
    }

    fn binary(op: Op, a: Self, b: Self) -> Option<Self> {
        let truth = |yes: bool| Double::exact(f64::from(u8::from(yes)));
        let order = a.compare(b);
        let is_nan = a.high.is_nan() || b.high.is_nan();
        Some(match op {
            Op::Add => a.plus(b),
            Op::Sub => a.minus(b),
            Op::Mul => a.times(b),
            Op::Div => a.over(b),
            Op::Pow => return a.power(b.high),
            Op::Min2 | Op::Max2 if is_nan => Double::exact(f64::NAN),
            Op::Min2 if order == Some(Ordering::Greater) => b,
            Op::Max2 if order == Some(Ordering::Less) => b,
            Op::Min2 | Op::Max2 => a,
            Op::Eq => truth(order == Some(Ordering::Equal)),
            Op::Ne => truth(order != Some(Ordering::Equal)),
            Op::Lt => truth(order == Some(Ordering::Less)),
            Op::Le => truth(order.is_some_and(Ordering::is_le)),
            Op::Gt => truth(order == Some(Ordering::Greater)),
            Op::Ge => truth(order.is_some_and(Ordering::is_ge)),
            Op::And => truth(!a.is_zero() && !b.is_zero()),
            Op::Or => truth(!a.is_zero() || !b.is_zero()),
            _ => return None,
        })
    }
}

impl Number for Double {
    fn of(value: f64) -> Self {
        Double::exact(value)
    }

    fn rounded(self) -> f64 {
        self.high
    }

    fn cellwise(op: Op, args: &[Self]) -> Option<Self> {
        match *args {
            [a] => Double::unary(op, a),
            [a, b] => Double::binary(op, a, b),
            [test, yes, no] if op == Op::IfElse => Some(if test.is_zero() { no } else { yes }),
            _ => None,
        }
    }

    fn plus(self, other: Self) -> Self {
        let sum = self.high + other.high;
        if !sum.is_finite() {
            return Double::exact(sum);
        }
        let of_other = sum - self.high;
        let lost = (self.high - (sum - of_other)) + (other.high - of_other);
        let low = self.low + other.low;
        let of_low = low - self.low;
        let lost_low = (self.low - (low - of_low)) + (other.low - of_low);
        let first = Double::renormed(sum, lost + low);
        Double::renormed(first.high, first.low + lost_low)
    }

    fn times(self, other: Self) -> Self {
        let product = self.high * other.high;
        if !product.is_finite() {
            return Double::exact(product);
        }
        let lost = self.high.mul_add(other.high, -product);
        let cross = self.high * other.low + self.low * other.high;
        Double::renormed(product, lost + cross)
    }
}

/// How what a rule says agrees with what it is said of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Agreement {
    /// The same infinity, both no number, or the same digits up to what a double-double rounds.
    Equal,
    /// It is said of what is infinite or no number, and says something else.
    Beyond,
    Unequal,
}

/// How one value agrees with another one that it is to stand for.
pub(crate) fn agreement(of: Double, said: Double) -> Agreement {
    const ROUNDING: f64 = 1e-24;
    let is_equal = if of.high.is_finite() && said.high.is_finite() {
        let scale = 1.0 + of.high.abs().max(said.high.abs());
        of.minus(said).high.abs() <= ROUNDING * scale
    } else {
        of.high == said.high || (of.high.is_nan() && said.high.is_nan())
    };
    match (is_equal, of.high.is_finite()) {
        (true, _) => Agreement::Equal,
        (false, false) => Agreement::Beyond,
        (false, true) => Agreement::Unequal,
    }
}

/// The worst agreement of cells; other numbers of cells are unequal.
pub(crate) fn agreement_of_all(of: &[Double], said: &[Double]) -> Agreement {
    if of.len() != said.len() {
        return Agreement::Unequal;
    }
    let cells = of.iter().zip(said);
    let worst = cells.map(|(of, said)| agreement(*of, *said)).max();
    worst.unwrap_or(Agreement::Equal)
}

/// The share of a value that is wrong, from the half of a last place, which nobody can avoid, to 1: no digit is right.
pub(crate) fn error(value: f64, right: Double) -> f64 {
    if !value.is_finite() {
        return 1.0;
    }
    let wrong = Double::exact(value).minus(right).high.abs();
    let share = if wrong == 0.0 {
        0.0
    } else {
        wrong / right.high.abs()
    };
    share.clamp(f64::EPSILON / 2.0, 1.0)
}

#[test]
fn a_double_double_has_its_digits() {
    let of = Double::exact;
    let third = ONE.over(of(3.0));
    let are_equal = |a, b| agreement(a, b) == Agreement::Equal;
    assert!(are_equal(third.plus(third).plus(third), ONE));
    // What a double loses whole.
    let small = of(1e-20);
    assert!((of(1.0).plus(small).minus(ONE).high / 1e-20 - 1.0).abs() < 1e-9);
    for x in [-40.25, -1.0, -1e-9, 0.0, 1e-9, 0.7, 1.0, 30.5, 600.0] {
        let (e, back) = (of(x).exp(), of(x).exp().ln());
        assert!((e.high / x.exp() - 1.0).abs() < 1e-14, "exp({x})");
        assert!(are_equal(back, of(x)), "log(exp({x})) is {back:?}");
        let both = e.times(of(-x).exp());
        assert!(are_equal(both, ONE), "exp({x}) exp(-{x}) is {both:?}");
    }
    // The digits of e beyond a double's.
    let e = ONE.exp();
    assert!((e.low - 1.445_646_891_729_250_2e-16).abs() < 1e-28, "{e:?}");
    assert_eq!(of(-2.5).floor().high, -3.0);
    assert_eq!(Double::unary(Op::Round, of(2.5)).unwrap().high, 3.0);
}

#[test]
fn an_error_is_a_share_and_never_less_than_rounding() {
    let right = Double::exact(2.0);
    assert_eq!(error(2.0, right), f64::EPSILON / 2.0);
    assert_eq!(error(3.0, right), 0.5);
    assert_eq!(error(f64::NAN, right), 1.0);
    assert_eq!(error(1e-300, ZERO), 1.0);
}

#[test]
fn what_is_finite_must_stay_what_it_is() {
    let of = Double::exact;
    let (infinite, none) = (of(f64::INFINITY), of(f64::NAN));
    for (a, b, expected) in [
        (ONE, ONE, Agreement::Equal),
        (none, none, Agreement::Equal),
        (infinite, none, Agreement::Beyond),
        (infinite, ONE, Agreement::Beyond),
        (ONE, none, Agreement::Unequal),
        (ONE, of(1.0 + 1e-15), Agreement::Unequal),
    ] {
        assert_eq!(agreement(a, b), expected, "{a:?} {b:?}");
    }
    assert_eq!(agreement_of_all(&[ONE], &[]), Agreement::Unequal);
}
