//! The functions against values with twice as many digits, in every compiled variant.
//!
//! A reference value is an unevaluated sum of two numbers (Dekker, Numer. Math. 18, 1971). Its functions know nothing
//! of the ones they judge: they halve arguments and add Taylor series.

use std::ops::{Add, Mul, Neg, Sub};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

/// `high + low`, with about 106 bits.
#[derive(Clone, Copy, Debug)]
struct Long(f64, f64);

const LN2: Long = Long(std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17);
const ONE: Long = Long(1.0, 0.0);

impl Long {
    fn sum(a: f64, b: f64) -> Long {
        let sum = a + b;
        let back = sum - a;
        Long(sum, (a - (sum - back)) + (b - back))
    }

    fn over(self, other: Long) -> Long {
        let q = self.0 / other.0;
        let rest = self - other * Long(q, 0.0);
        let next = rest.0 / other.0;
        let rest = rest - other * Long(next, 0.0);
        Long::sum(q, next) + Long(rest.0 / other.0, 0.0)
    }

    /// Times a power of two.
    fn scaled(self, by: f64) -> Long {
        Long(self.0 * by, self.1 * by)
    }

    /// `exp(x) - 1` for small `x`, `exp(x)` as mantissa and exponent otherwise.
    fn exp(self) -> (Long, i32) {
        let n = (self.0 / LN2.0).round();
        let r = (self - LN2 * Long(n, 0.0)).scaled(1.0 / 1024.0);
        let mut less_one = r.series();
        for _ in 0..10 {
            // (1 + e)^2 - 1
            less_one = less_one.scaled(2.0) + less_one * less_one;
        }
        (ONE + less_one, n as i32)
    }

    /// `exp(x) - 1` for `x` up to a thousandth.
    fn series(self) -> Long {
        let mut term = self;
        let mut sum = self;
        for i in 2..12 {
            term = (term * self).over(Long(f64::from(i), 0.0));
            sum = sum + term;
        }
        sum
    }

    fn log(x: f64) -> Long {
        let mut y = Long(x.ln(), 0.0);
        for _ in 0..2 {
            // Newton: y + x exp(-y) - 1.
            let (m, n) = (-y).exp();
            let half = n / 2;
            let product =
                (m * Long(x, 0.0).scaled(2.0_f64.powi(half))).scaled(2.0_f64.powi(n - half));
            y = y + (product - ONE);
        }
        y
    }
}

impl Neg for Long {
    type Output = Long;
    fn neg(self) -> Long {
        Long(-self.0, -self.1)
    }
}

impl Add for Long {
    type Output = Long;
    fn add(self, other: Long) -> Long {
        let Long(high, low) = Long::sum(self.0, other.0);
        let Long(tail, rest) = Long::sum(self.1, other.1);
        let Long(high, low) = Long::sum(high, low + tail);
        Long::sum(high, low + rest)
    }
}

impl Sub for Long {
    type Output = Long;
    fn sub(self, other: Long) -> Long {
        self + -other
    }
}

impl Mul for Long {
    type Output = Long;
    fn mul(self, other: Long) -> Long {
        let high = self.0 * other.0;
        let low = self.0.mul_add(other.0, -high) + (self.0 * other.1 + self.1 * other.0);
        Long::sum(high, low)
    }
}

/// How far `found` is from `mantissa * 2^exponent`, in units of the last place of the latter.
fn ulps(found: f64, mantissa: Long, exponent: i32) -> f64 {
    // The exponent of the leading digit decides the unit, down to that of subnormal numbers.
    let leading = exponent + mantissa.0.abs().log2().floor() as i32;
    let unit = (leading - 52).max(-1074);
    let scaled = |x: f64, by: i32| {
        let half = by / 2;
        x * 2.0_f64.powi(half) * 2.0_f64.powi(by - half)
    };
    let found = Long(scaled(found, -unit), 0.0);
    let by = exponent - unit;
    let expected = Long(scaled(mantissa.0, by), scaled(mantissa.1, by));
    (found - expected).0.abs()
}

/// The variants that this machine can run: what is chosen, and plain code with and without fused multiplication.
type Variants = [(&'static str, InPlace); 3];

fn worst(name: &str, variants: Variants, points: &[f64], exact: impl Fn(f64) -> (Long, i32)) {
    let expected: Vec<(Long, i32)> = points.iter().map(|&x| exact(x)).collect();
    for (variant, f) in variants {
        let mut cells = points.to_vec();
        f(&mut cells);
        for ((x, found), (mantissa, exponent)) in points.iter().zip(&cells).zip(&expected) {
            let off = ulps(*found, *mantissa, *exponent);
            assert!(
                off <= 2.0,
                "{name}({x:e}) is {found:e} in {variant}, {off:.2} units off"
            );
        }
    }
}

fn points(seed: u64, ranges: &[(f64, f64)]) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut points = Vec::new();
    for &(low, high) in ranges {
        points.extend((0..4000).map(|_| rng.random_range(low..high)));
    }
    points
}

/// Positive numbers of all sizes.
fn sizes(seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut points: Vec<f64> = (0..8000)
        .map(|_| f64::from_bits(rng.random_range(1..f64::INFINITY.to_bits())))
        .collect();
    // Subnormal ones, too.
    points.extend((0..500).map(|_| f64::from_bits(rng.random_range(1..1_u64 << 52))));
    points
}

#[test]
fn exp_is_within_two_units() {
    let points = points(
        1,
        &[
            (-745.1, 709.7),
            (-40.0, 40.0),
            (-1.0, 1.0),
            (-1e-9, 1e-9),
            (-745.1, -700.0),
        ],
    );
    let variants: Variants = [
        ("chosen", exp),
        ("fused", exp_cells::<true>),
        ("plain", exp_cells::<false>),
    ];
    worst("exp", variants, &points, |x| Long(x, 0.0).exp());
}

#[test]
fn log_is_within_two_units() {
    let mut points = points(
        2,
        &[(0.5, 2.0), (0.999, 1.001), (1.0, 1e6), (1e-300, 1e-290)],
    );
    points.extend(sizes(2));
    points.retain(|&x| x != 1.0);
    let variants: Variants = [
        ("chosen", log),
        ("fused", log_cells::<true>),
        ("plain", log_cells::<false>),
    ];
    worst("log", variants, &points, |x| {
        // Of a subnormal number the reference takes the logarithm of its multiple.
        if x < f64::MIN_POSITIVE {
            (Long::log(x * TWO_54) - LN2 * Long(54.0, 0.0), 0)
        } else {
            (Long::log(x), 0)
        }
    });
}

#[test]
fn sigmoid_is_within_two_units() {
    let points = points(
        3,
        &[
            (-745.0, 745.0),
            (-40.0, 40.0),
            (-2.0, 2.0),
            (-745.0, -700.0),
        ],
    );
    let variants: Variants = [
        ("chosen", sigmoid),
        ("fused", sigmoid_cells::<true>),
        ("plain", sigmoid_cells::<false>),
    ];
    worst("sigmoid", variants, &points, |x| {
        let (m, n) = Long(x, 0.0).exp();
        if n < -200 {
            return (m, n);
        }
        if n > 200 {
            return (ONE, 0);
        }
        let e = m.scaled(2.0_f64.powi(n));
        (e.over(ONE + e), 0)
    });
}

#[test]
fn tanh_is_within_two_units() {
    let mut points = points(4, &[(-30.0, 30.0), (-1.0, 1.0), (0.3, 0.4), (-1e-3, 1e-3)]);
    points.extend([1e-300, 5e-324, 2.3e-308, 1e-20]);
    let variants: Variants = [
        ("chosen", tanh),
        ("fused", tanh_cells::<true>),
        ("plain", tanh_cells::<false>),
    ];
    worst("tanh", variants, &points, |x| {
        if x.abs() < 1e-20 {
            return (Long(x, 0.0), 0);
        }
        let e = if x.abs() < 5e-4 {
            Long(2.0 * x, 0.0).series()
        } else {
            let (m, n) = Long(2.0 * x, 0.0).exp();
            m.scaled(2.0_f64.powi(n)) - ONE
        };
        (e.over(e + Long(2.0, 0.0)), 0)
    });
}

#[test]
fn pow_is_within_two_units() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    for base in sizes(6) {
        // Exponents with which the result stays within the range of numbers.
        let most = 700.0 / base.ln().abs().max(1e-3);
        pairs.push((base, rng.random_range(-most..most)));
    }
    for _ in 0..8000 {
        pairs.push((rng.random_range(0.0..4.0), rng.random_range(-20.0..20.0)));
        pairs.push((rng.random_range(0.99..1.01), rng.random_range(-5e4..5e4)));
    }
    let exponents: Vec<f64> = pairs.iter().map(|p| p.1).collect();
    for (variant, f) in [
        ("chosen", pow as fn(&mut [f64], &[f64])),
        ("fused", pow_cells::<true>),
        ("plain", pow_cells::<false>),
    ] {
        let mut cells: Vec<f64> = pairs.iter().map(|p| p.0).collect();
        f(&mut cells, &exponents);
        for ((x, y), found) in pairs.iter().zip(&cells) {
            let log = if *x < f64::MIN_POSITIVE {
                Long::log(x * TWO_54) - LN2 * Long(54.0, 0.0)
            } else {
                Long::log(*x)
            };
            let (m, n) = (log * Long(*y, 0.0)).exp();
            let off = ulps(*found, m, n);
            assert!(
                off <= 2.0,
                "{x:e} ^ {y:e} is {found:e} in {variant}, {off:.2} units off"
            );
        }
    }
}

#[test]
fn special_values_are_those_of_the_scalar_functions() {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.0,
        -2.0,
        3.0,
        0.5,
        -0.5,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MAX,
        f64::MIN,
        f64::MIN_POSITIVE,
        5e-324,
        710.0,
        -746.0,
        1e17,
        -1e17,
        9.007_199_254_740_993e15,
    ];
    let same = |a: f64, b: f64| {
        a == b && a.is_sign_negative() == b.is_sign_negative()
            || a.is_nan() && b.is_nan()
            || (a - b).abs() <= 2.0 * f64::EPSILON * b.abs()
    };
    type Pair = (&'static str, InPlace, fn(f64) -> f64);
    let pairs: [Pair; 8] = [
        ("exp", exp, f64::exp),
        ("exp", exp_cells::<false>, f64::exp),
        ("log", log, f64::ln),
        ("log", log_cells::<false>, f64::ln),
        ("tanh", tanh, f64::tanh),
        ("tanh", tanh_cells::<false>, f64::tanh),
        ("sigmoid", sigmoid, sumac_la::scalar::sigmoid),
        ("sigmoid", sigmoid_cells::<false>, sumac_la::scalar::sigmoid),
    ];
    for (name, f, scalar) in pairs {
        let mut cells = special.to_vec();
        f(&mut cells);
        for (x, found) in special.iter().zip(&cells) {
            let expected = scalar(*x);
            // The scalar sigmoid overflows inside where the result is subnormal.
            assert!(
                same(*found, expected) || name == "sigmoid" && *found < 1e-307,
                "{name}({x:e}): {found:e} for {expected:e}"
            );
        }
    }
    for &x in &special {
        for &y in &special {
            let mut cell = [x];
            pow(&mut cell, &[y]);
            assert!(
                same(cell[0], scalar::power(x, y)),
                "{x:e} ^ {y:e}: {:e} for {:e}",
                cell[0],
                scalar::power(x, y)
            );
            let mut cell = [x; 300];
            pow_number(&mut cell, y);
            assert!(
                cell.iter().all(|&c| same(c, scalar::power(x, y))),
                "{x:e} ^ {y:e}"
            );
        }
    }
}

#[test]
fn slices_of_all_lengths_give_the_same_cells() {
    let long = points(7, &[(-20.0, 20.0)]);
    for f in [exp, tanh, sigmoid] {
        let mut all = long.clone();
        f(&mut all);
        for len in [0, 1, 2, 7, 8, 9, 31, 255, 257] {
            let mut some = long[..len].to_vec();
            f(&mut some);
            assert_eq!(some, all[..len]);
        }
    }
}
