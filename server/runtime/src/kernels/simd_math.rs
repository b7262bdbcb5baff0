//! Exponential, logarithm, sigmoid, hyperbolic tangent and power over slices, compiled for each vector width.
//!
//! All results are within 2 units in the last place, special values and subnormal numbers included. The functions are
//! free of branches, so that the compiler turns the loops into vectors; powers of unusual arguments are left to the
//! scalar function. The polynomials are minimax fits made for these ranges.
//!
//! They never look at a cell's neighbours: a cell's result is the same wherever it stands.

#![allow(
    unsafe_code,
    reason = "calling a function compiled for more features needs proof that the machine has them"
)]

use super::scalar;
use super::simd::{fma, multiversion};
use super::simd_avx512_math::{self, Function};

/// Cells that are worked on at a time where a copy of them is needed.
const TILE: usize = 256;

/// An operation on each cell of a slice, in its place.
pub(crate) type InPlace = fn(&mut [f64]);

/// `exp` of each cell.
pub(crate) fn exp(x: &mut [f64]) {
    if !simd_avx512_math::in_place(Function::Exp, x) {
        exp_by_bits(x);
    }
}

/// The natural logarithm of each cell.
pub(crate) fn log(x: &mut [f64]) {
    if !simd_avx512_math::in_place(Function::Log, x) {
        log_by_bits(x);
    }
}

multiversion! {
    fn exp_by_bits = exp_cells(x: &mut [f64]);
}

multiversion! {
    fn log_by_bits = log_cells(x: &mut [f64]);
}

multiversion! {
    /// `1 / (1 + exp(-x))` of each cell.
    fn sigmoid = sigmoid_cells(x: &mut [f64]);
}

multiversion! {
    /// The hyperbolic tangent of each cell.
    fn tanh = tanh_cells(x: &mut [f64]);
}

multiversion! {
    /// `x[i] ^ y[i]`, into `x`.
    fn pow = pow_cells(x: &mut [f64], y: &[f64]);
}

/// `x[i] ^ y` for one exponent.
pub(crate) fn pow_number(x: &mut [f64], y: f64) {
    let exponents = [y; TILE];
    for tile in x.chunks_mut(TILE) {
        let n = tile.len();
        pow(tile, &exponents[..n]);
    }
}

#[inline(always)]
fn exp_cells<const FUSED: bool>(x: &mut [f64]) {
    for x in x {
        *x = exp_of::<FUSED>(*x, 0.0);
    }
}

#[inline(always)]
fn log_cells<const FUSED: bool>(x: &mut [f64]) {
    for x in x {
        *x = log_of::<FUSED>(*x);
    }
}

#[inline(always)]
fn sigmoid_cells<const FUSED: bool>(x: &mut [f64]) {
    for x in x {
        // The exponential is never above one: nothing overflows, and small results keep their digits.
        let small = exp_of::<FUSED>(-x.abs(), 0.0);
        let above = if *x >= 0.0 { 1.0 } else { small };
        *x = above / (1.0 + small);
    }
}

#[inline(always)]
fn tanh_cells<const FUSED: bool>(x: &mut [f64]) {
    for x in x {
        let size = x.abs();
        // Small ones: x + x z P(z) / Q(z) for z = x^2. Large ones: 1 - 2 / (exp(2 x) + 1). One division for both.
        let is_large = size > 0.6;
        let z = size * size;
        // From 22 on the result is one.
        let twice = 2.0 * if size > 22.0 { 22.0 } else { size };
        let above = size * z * polynomial::<FUSED, 3>(z, &TANH_ABOVE);
        let below = polynomial::<FUSED, 4>(z, &TANH_BELOW);
        let above = if is_large { -2.0 } else { above };
        let below = if is_large {
            exp_of::<FUSED>(twice, 0.0) + 1.0
        } else {
            below
        };
        let start = if is_large { 1.0 } else { size };
        *x = (start + above / below).copysign(*x);
    }
}

const TANH_ABOVE: [f64; 3] = [
    -0.333_333_333_333_333_3,
    -0.020_499_023_338_079_087,
    -0.000_199_187_951_300_714_3,
];
const TANH_BELOW: [f64; 4] = [
    1.0,
    0.461_497_070_014_234_07,
    0.023_291_629_954_932_43,
    0.000_206_544_348_915_144_98,
];

pub(super) const LOG2_E: f64 = std::f64::consts::LOG2_E;
/// The logarithm of two, of which the first part has so few digits that its multiples are exact.
pub(super) const LN2_HIGH: f64 = 0.693_147_180_369_123_8;
pub(super) const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Adding and subtracting this rounds to a whole number.
const ROUND: f64 = 1.5 * 4_503_599_627_370_496.0;
const TWO_52: f64 = 4_503_599_627_370_496.0;
const TWO_54: f64 = 18_014_398_509_481_984.0;

/// `(exp(r) - 1 - r) / r^2` for `|r|` up to half of ln 2.
const EXP: [f64; 10] = [
    0.5,
    0.166_666_666_666_666_74,
    0.041_666_666_666_624_12,
    0.008_333_333_333_322_207,
    0.001_388_888_891_721_539_3,
    0.000_198_412_698_865_930_43,
    2.480_152_129_374_230_5e-5,
    2.755_724_233_470_892e-6,
    2.762_008_936_285_061_3e-7,
    2.511_005_054_079_172_6e-8,
];
/// `(2 atanh(s) - 2 s) / s^3` by powers of `s^2`, for `s = (m - 1) / (m + 1)` and `m` between the roots of 1/2 and 2.
pub(super) const LOG: [f64; 7] = [
    0.666_666_666_666_667,
    0.399_999_999_998_983_84,
    0.285_714_286_264_274_36,
    0.222_222_110_682_505_3,
    0.181_828_935_523_978_25,
    0.153_315_858_915_737_6,
    0.146_180_092_507_301_7,
];

/// `c[0] + c[1] x + c[2] x^2 + …`
#[inline(always)]
fn polynomial<const FUSED: bool, const N: usize>(x: f64, c: &[f64; N]) -> f64 {
    let mut sum = c[N - 1];
    for i in (0..N - 1).rev() {
        sum = fma::<FUSED>(sum, x, c[i]);
    }
    sum
}

/// `2^k` for whole `k` between -1022 and 1023.
#[inline(always)]
fn power_of_two(k: f64) -> f64 {
    // The sum's last bits are k with the exponent's bias.
    f64::from_bits((k + (TWO_52 + 1023.0)).to_bits() << 52)
}

/// `x + low = n ln 2 + r` with whole `n` and `|r|` at most about half of ln 2.
#[inline(always)]
fn reduce<const FUSED: bool>(x: f64, low: f64) -> (f64, f64) {
    let n = fma::<FUSED>(x, LOG2_E, ROUND) - ROUND;
    let r = fma::<FUSED>(-n, LN2_HIGH, x);
    (n, r + fma::<FUSED>(-n, LN2_LOW, low))
}

/// `exp(r) - 1` for `|r|` up to half of ln 2.
#[inline(always)]
fn exp_less_one<const FUSED: bool>(r: f64) -> f64 {
    fma::<FUSED>(r * r, polynomial::<FUSED, 10>(r, &EXP), r)
}

/// `exp(x + low)` for a `low` that is small beside `x`.
#[inline(always)]
fn exp_of<const FUSED: bool>(x: f64, low: f64) -> f64 {
    // Beyond these the result is infinite, or zero. A NaN passes both.
    let x = if x > 710.0 { 710.0 } else { x };
    let x = if x < -746.0 { -746.0 } else { x };
    let (n, r) = reduce::<FUSED>(x, low);
    // Two factors, so that neither leaves the range of exponents, and subnormal results are rounded once.
    let half = (n * 0.5 + ROUND) - ROUND;
    (1.0 + exp_less_one::<FUSED>(r)) * power_of_two(half) * power_of_two(n - half)
}

/// The exponent `k` and the mantissa `m`, between the roots of 1/2 and 2, of a positive normal number.
#[inline(always)]
fn exponent_and_mantissa(x: f64) -> (f64, f64) {
    const ROOT_OF_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    const BIAS: u64 = 1024 << 52;
    let shifted = x.to_bits().wrapping_sub(ROOT_OF_HALF).wrapping_add(BIAS);
    let k = f64::from_bits((shifted >> 52) | TWO_52.to_bits()) - (TWO_52 + 1024.0);
    let exponent = (shifted & (0xfff << 52)).wrapping_sub(BIAS);
    (k, f64::from_bits(x.to_bits().wrapping_sub(exponent)))
}

#[inline(always)]
fn log_of<const FUSED: bool>(x: f64) -> f64 {
    let is_small = x < f64::MIN_POSITIVE;
    let (k, m) = exponent_and_mantissa(if is_small { x * TWO_54 } else { x });
    let k = if is_small { k - 54.0 } else { k };
    // ln m = 2 atanh(s) = 2 s + s^3 C(s^2), and 2 s = f - s f.
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let rest = fma::<FUSED>(-z, polynomial::<FUSED, 7>(z, &LOG), f);
    let low = fma::<FUSED>(k, LN2_LOW, -(s * rest));
    let log = fma::<FUSED>(k, LN2_HIGH, f + low);
    let log = if x > 0.0 {
        log
    } else if x == 0.0 {
        f64::NEG_INFINITY
    } else {
        f64::NAN
    };
    if x == f64::INFINITY { x } else { log }
}

#[inline(always)]
fn pow_cells<const FUSED: bool>(x: &mut [f64], y: &[f64]) {
    if !FUSED {
        // Without a fused multiplication the products' lost digits cost more than the scalar function.
        for (x, &y) in x.iter_mut().zip(y) {
            *x = scalar::power(*x, y);
        }
        return;
    }
    let mut bases = [0.0; TILE];
    for (x, y) in x.chunks_mut(TILE).zip(y.chunks(TILE)) {
        let bases = &mut bases[..x.len()];
        bases.copy_from_slice(x);
        let mut all_usual = true;
        for (x, &y) in x.iter_mut().zip(y) {
            all_usual &= is_usual(*x, y);
            *x = pow_of::<FUSED>(*x, y);
        }
        if !all_usual {
            for ((x, &base), &y) in x.iter_mut().zip(&*bases).zip(y) {
                if !is_usual(base, y) {
                    *x = scalar::power(base, y);
                }
            }
        }
    }
}

#[inline(always)]
fn is_usual(x: f64, y: f64) -> bool {
    (x.abs() >= f64::MIN_POSITIVE) & (x.abs() < f64::INFINITY) & (y.abs() < f64::INFINITY)
}

/// The sum of two numbers, of which the first is not the smaller one, and what rounding lost of it.
#[inline(always)]
fn quick_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, (a - sum) + b)
}

/// The product of two numbers, each with its lost digits.
#[inline(always)]
fn long_product<const FUSED: bool>((a, a_low): (f64, f64), (b, b_low): (f64, f64)) -> (f64, f64) {
    let product = a * b;
    let lost = fma::<FUSED>(a, b, -product);
    (product, lost + fma::<FUSED>(a, b_low, a_low * b))
}

/// `x^y` for finite normal `x` and finite `y`. The logarithm is computed to about 2^-68 of itself, for its error is
/// multiplied by up to 745 before the exponential sees it.
#[inline(always)]
fn pow_of<const FUSED: bool>(x: f64, y: f64) -> f64 {
    const THIRD: (f64, f64) = (1.0 / 3.0, 1.850_371_707_708_594e-17);
    const C: [f64; 8] = [
        0.2,
        0.142_857_142_857_146_87,
        0.111_111_111_108_254_86,
        0.090_909_091_682_012_85,
        0.076_922_974_318_600_29,
        0.066_674_048_276_641_18,
        0.058_530_564_029_018_725,
        0.058_621_934_258_517_6,
    ];
    let (k, m) = exponent_and_mantissa(x.abs());
    // s = (m - 1) / (m + 1) with its lost digits; m - 1 is exact.
    let f = m - 1.0;
    let g = m + 1.0;
    let back = g - m;
    let g_low = (m - (g - back)) + (1.0 - back);
    let inverse = 1.0 / g;
    let s = f * inverse;
    let s_low = inverse * fma::<FUSED>(-s, g_low, fma::<FUSED>(-s, g, f));
    // atanh(s) = s + s z (1/3 + z C(z)) for z = s^2.
    let s = (s, s_low);
    let z = long_product::<FUSED>(s, s);
    let (c, c_low) = quick_sum(THIRD.0, z.0 * polynomial::<FUSED, 8>(z.0, &C));
    let series = long_product::<FUSED>(z, (c, c_low + THIRD.1));
    let cubic = long_product::<FUSED>(s, series);
    let (half, half_low) = quick_sum(s.0, cubic.0);
    let half_low = half_low + (cubic.1 + s.1);
    let (log, log_low) = quick_sum(k * LN2_HIGH, 2.0 * half);
    let log_low = log_low + fma::<FUSED>(k, LN2_LOW, 2.0 * half_low);
    let (exponent, low) = long_product::<FUSED>((log, log_low), (y, 0.0));
    // Far outside of the range the lost digits mean nothing, and may be NaN.
    let low = if exponent.abs() < 800.0 { low } else { 0.0 };
    let size = exp_of::<FUSED>(exponent, low);
    // Of a negative number whole powers exist: negative ones where the exponent is odd.
    let is_whole = y.floor() == y;
    let is_odd = is_whole & ((y * 0.5).floor() != y * 0.5);
    let signed = if is_odd { -size } else { size };
    let of_negative = if is_whole { signed } else { f64::NAN };
    if x < 0.0 { of_negative } else { size }
}

#[cfg(test)]
mod tests;
