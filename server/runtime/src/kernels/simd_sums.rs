//! Sums over tiles of what two or three rows make, which is not written down.
//!
//! A loop that reads from memory asks, line by line as it goes, for what lies some way ahead in each of its rows. A tile that is
//! asked for all at once takes more requests than a processor can have under way, and it waits with each further one.
//! Nothing here knows which rows come from memory.

#![allow(
    unsafe_code,
    reason = "calling a function compiled for more features needs proof that the machine has them"
)]

use super::simd::{by_halves, multiversion, prefetch_from};

/// Cells ahead of what is read that are asked for: the time of a read from memory, and less than what is evicted meanwhile.
const AHEAD: usize = 384;

/// Cells of a cache line.
const LINE: usize = 8;

/// Cells that a loop adds at a time: four registers of the widest kind, for one addition need not wait for the other.
const AT_ONCE: usize = 32;

multiversion! {
    /// The sum of `x[i] * y[i]` over some hundred cells, not compensated; cells behind a row
    /// are asked for if it is `far`.
    fn of_products = of_products_body(x: &[f64], y: &[f64], far: [bool; 2]) -> f64;
}

multiversion! {
    /// The sum of `x[i] * y[i] * z[i]`, likewise.
    fn of_three = of_three_body(x: &[f64], y: &[f64], z: &[f64], far: [bool; 3]) -> f64;
}

multiversion! {
    /// The sum of `x[i] + y[i]`, likewise: what [`sum`](super::simd::sum) gives of these sums.
    fn of_sums = of_sums_body(x: &[f64], y: &[f64], far: [bool; 2]) -> f64;
}

multiversion! {
    /// The sum of `x[i] * y[i] + z[i]`, likewise; each product is rounded.
    fn of_product_and = of_product_and_body(x: &[f64], y: &[f64], z: &[f64], far: [bool; 3]) -> f64;
}

multiversion! {
    /// The sums of `x[i] * y[i]` and of `x[i] * z[i]`, likewise, in one loop: each is what [`of_products`] gives.
    fn of_two_products = of_two_products_body(x: &[f64], y: &[f64], z: &[f64], far: [bool; 3]) -> [f64; 2];
}

#[inline(always)]
fn of_products_body<const FUSED: bool>(x: &[f64], y: &[f64], far: [bool; 2]) -> f64 {
    of_rows([x, y], far, |[x, y]| [x * y])[0]
}

#[inline(always)]
fn of_three_body<const FUSED: bool>(x: &[f64], y: &[f64], z: &[f64], far: [bool; 3]) -> f64 {
    of_rows([x, y, z], far, |[x, y, z]| [x * y * z])[0]
}

#[inline(always)]
fn of_sums_body<const FUSED: bool>(x: &[f64], y: &[f64], far: [bool; 2]) -> f64 {
    of_rows([x, y], far, |[x, y]| [x + y])[0]
}

#[inline(always)]
fn of_product_and_body<const FUSED: bool>(x: &[f64], y: &[f64], z: &[f64], far: [bool; 3]) -> f64 {
    of_rows([x, y, z], far, |[x, y, z]| [x * y + z])[0]
}

#[inline(always)]
fn of_two_products_body<const FUSED: bool>(
    x: &[f64],
    y: &[f64],
    z: &[f64],
    far: [bool; 3],
) -> [f64; 2] {
    of_rows([x, y, z], far, |[x, y, z]| [x * y, x * z])
}

#[inline(always)]
fn of_rows<const N: usize, const SUMS: usize>(
    rows: [&[f64]; N],
    far: [bool; N],
    f: impl Fn([f64; N]) -> [f64; SUMS],
) -> [f64; SUMS] {
    // Of all or of none, so that no loop asks for each line anew.
    if far == [true; N] {
        summed(rows, |_| true, f)
    } else if far == [false; N] {
        summed(rows, |_| false, f)
    } else {
        summed(rows, |row| far[row], f)
    }
}

#[inline(always)]
fn summed<const N: usize, const SUMS: usize>(
    rows: [&[f64]; N],
    is_far: impl Fn(usize) -> bool,
    f: impl Fn([f64; N]) -> [f64; SUMS],
) -> [f64; SUMS] {
    let len = rows[0].len();
    let rows = rows.map(|row| &row[..len]);
    let mut all = [[0.0; AT_ONCE]; SUMS];
    let whole = len / AT_ONCE * AT_ONCE;
    for start in (0..whole).step_by(AT_ONCE) {
        // Line by line, as they are read: all lines of a row first take a tenth longer.
        for line in (0..AT_ONCE).step_by(LINE) {
            for (i, row) in rows.iter().enumerate() {
                if is_far(i) {
                    prefetch_from(row.as_ptr().wrapping_add(start + AHEAD + line), LINE);
                }
            }
        }
        let some = rows.map(|row| &row[start..start + AT_ONCE]);
        for l in 0..AT_ONCE {
            for (lanes, x) in all.iter_mut().zip(f(some.map(|row| row[l]))) {
                lanes[l] += x;
            }
        }
    }
    let mut rest = [0.0; SUMS];
    for i in whole..len {
        for (rest, x) in rest.iter_mut().zip(f(rows.map(|row| row[i]))) {
            *rest += x;
        }
    }
    std::array::from_fn(|sum| by_halves(&mut all[sum]) + rest[sum])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::simd::sum;

    const LENGTHS: [usize; 9] = [0, 1, 31, 32, 33, 63, 255, 256, 300];

    fn rows(len: usize) -> [Vec<f64>; 3] {
        [37, 41, 43].map(|step| {
            (0..len)
                .map(|i| ((i * step % 101) as f64 - 50.0) / 7.0)
                .collect()
        })
    }

    #[test]
    fn sums_are_those_of_what_would_be_written_down_to_the_last_bit() {
        for len in LENGTHS {
            let [x, y, z] = rows(len);
            let made = |f: &dyn Fn(usize) -> f64| sum(&(0..len).map(f).collect::<Vec<_>>());
            for far in [false, true] {
                let what = format!("{len} cells, far: {far}");
                let (two, three) = ([far; 2], [far, !far, far]);
                assert_eq!(of_products(&x, &y, two), made(&|i| x[i] * y[i]), "{what}");
                assert_eq!(of_sums(&x, &y, two), made(&|i| x[i] + y[i]), "{what}");
                let products = made(&|i| x[i] * y[i] * z[i]);
                assert_eq!(of_three(&x, &y, &z, three), products, "{what}");
                let sums = made(&|i| x[i] * y[i] + z[i]);
                assert_eq!(of_product_and(&x, &y, &z, three), sums, "{what}");
                let products = [&y, &z].map(|other| of_products(&x, other, two));
                assert_eq!(of_two_products(&x, &y, &z, three), products, "{what}");
            }
        }
    }

    #[test]
    fn every_compiled_variant_agrees_with_the_plain_one() {
        for len in LENGTHS {
            let [x, y, z] = rows(len);
            let plain = of_three_body::<false>(&x, &y, &z, [true; 3]);
            assert_eq!(of_three(&x, &y, &z, [true; 3]), plain, "{len} cells");
        }
    }

    #[test]
    fn special_values_are_seen_wherever_they_stand() {
        for at in [0, 31, 32, 63, 64] {
            let mut x = vec![1.0; 65];
            x[at] = f64::NAN;
            let ones = [1.0; 65];
            assert!(of_products(&x, &ones, [true, false]).is_nan(), "{at}");
            assert!(of_three(&ones, &ones, &x, [false; 3]).is_nan(), "{at}");
            x[at] = f64::INFINITY;
            assert_eq!(of_sums(&x, &ones, [true; 2]), f64::INFINITY, "{at}");
            assert!(of_products(&x, &[0.0; 65], [true; 2]).is_nan(), "{at}");
        }
        assert!(of_sums(&[f64::INFINITY], &[f64::NEG_INFINITY], [false; 2]).is_nan());
    }
}
