//! Rows times a narrow matrix with all sums in registers, for vectors of any width: four rows go through panels of four
//! columns, some panels at a time.
//!
//! The loops are plain Rust, compiled for each tier; processors with AVX-512 have [`super::simd_avx512`]. A cell of the result
//! is summed in the order of the row, whatever the tier.

#![allow(
    unsafe_code,
    reason = "calling a function compiled for more features needs proof that the machine has them"
)]

use super::simd::{fma, multiversion, prefetch};

/// Columns of a panel.
const PANEL: usize = 4;

/// Rows that go through a panel together.
const ROWS: usize = 4;

/// The columns of a `k` x `p` matrix in panels, the last one filled up with zeros: what [`rows_of_tile_times_narrow`]
/// takes.
pub(crate) fn panels(v: &[f64], k: usize, p: usize) -> Vec<f64> {
    let mut packed = vec![0.0; p.div_ceil(PANEL) * k * PANEL];
    for (j, row) in v.chunks_exact(p.max(1)).enumerate() {
        for (group, cells) in row.chunks(PANEL).enumerate() {
            packed[(group * k + j) * PANEL..][..cells.len()].copy_from_slice(cells);
        }
    }
    packed
}

/// `out = x V` for rows of `k` cells and the `p` columns of V, packed by [`panels`]. Meanwhile the memory of `next` is asked
/// for.
///
/// # Panics
/// When the slices do not have the lengths that go with `k` and `p`.
pub(crate) fn rows_of_tile_times_narrow(
    x: &[f64],
    packed: &[f64],
    (k, p): (usize, usize),
    next: &[f64],
    out: &mut [f64],
) {
    assert!(k > 0 && p > 0, "a product of something");
    let rows = x.len() / k;
    assert!(
        x.len() == rows * k && out.len() == rows * p,
        "whole rows on both sides"
    );
    assert_eq!(
        packed.len(),
        p.div_ceil(PANEL) * k * PANEL,
        "packed columns"
    );
    times(x, packed, k, p, next, out);
}

multiversion! {
    /// [`rows_of_tile_times_narrow`], after its lengths were checked.
    fn times = times_body(x: &[f64], packed: &[f64], k: usize, p: usize, next: &[f64], out: &mut [f64]);
}

#[inline(always)]
fn times_body<const FUSED: bool>(
    x: &[f64],
    packed: &[f64],
    k: usize,
    p: usize,
    next: &[f64],
    out: &mut [f64],
) {
    // Sums of four rows beside what they are made of: sixteen registers hold those of three panels where one holds a panel's
    // row, and of one panel where it takes two.
    let most = if FUSED { 3 } else { 1 };
    let groups = (x.len() / k).div_ceil(ROWS);
    let share = next.len().div_ceil(groups.max(1)).next_multiple_of(8);
    let blocks = x.chunks(ROWS * k).zip(out.chunks_mut(ROWS * p));
    for (i, (rows, out)) in blocks.enumerate() {
        prefetch(next, i * share..(i + 1) * share);
        let panel = |number: usize| &packed[number * k * PANEL..][..k * PANEL];
        let (mut first, all) = (0, p.div_ceil(PANEL));
        while first < all {
            let left = all - first;
            // Four are two and two, not three and one.
            let together = left.div_ceil(left.div_ceil(most));
            let (shape, from) = ((k, p), first * PANEL);
            match together {
                3 => {
                    let panels = [panel(first), panel(first + 1), panel(first + 2)];
                    some::<FUSED, 3>(rows, panels, shape, from, out);
                }
                2 => {
                    let panels = [panel(first), panel(first + 1)];
                    some::<FUSED, 2>(rows, panels, shape, from, out);
                }
                _ => some::<FUSED, 1>(rows, [panel(first)], shape, from, out),
            }
            first += together;
        }
    }
}

/// The columns of `N` panels, the first of which is `from`, for up to four rows.
#[inline(always)]
fn some<const FUSED: bool, const N: usize>(
    rows: &[f64],
    panels: [&[f64]; N],
    (k, p): (usize, usize),
    from: usize,
    out: &mut [f64],
) {
    let count = rows.len() / k;
    // Rows that are not there are the last one once more, and are not written.
    let row = |r: usize| &rows[r.min(count - 1) * k..][..k];
    let sums = four::<FUSED, N>([row(0), row(1), row(2), row(3)], panels.map(as_rows));
    for (row, sums) in out.chunks_exact_mut(p).zip(&sums) {
        for (to, sums) in row[from..].chunks_mut(PANEL).zip(sums) {
            to.copy_from_slice(&sums[..to.len()]);
        }
    }
}

#[inline(always)]
fn as_rows(panel: &[f64]) -> &[[f64; PANEL]] {
    panel.as_chunks().0
}

#[inline(always)]
fn four<const FUSED: bool, const N: usize>(
    rows: [&[f64]; ROWS],
    panels: [&[[f64; PANEL]]; N],
) -> [[[f64; PANEL]; N]; ROWS] {
    let k = rows[0].len();
    let rows = rows.map(|row| &row[..k]);
    let panels = panels.map(|panel| &panel[..k]);
    let mut sums = [[[0.0; PANEL]; N]; ROWS];
    for j in 0..k {
        for (row, sums) in rows.iter().zip(&mut sums) {
            let x = row[j];
            for (panel, sums) in panels.iter().zip(sums) {
                for (v, sum) in panel[j].iter().zip(sums) {
                    *sum = fma::<FUSED>(x, *v, *sum);
                }
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_gives_what_the_definition_says() {
        for (m, k, p) in (0..10).flat_map(|m| {
            [1, 2, 3, 7, 8, 33]
                .into_iter()
                .flat_map(move |k| (1..30).map(move |p| (m, k, p)))
        }) {
            let x: Vec<f64> = (0..m * k).map(|i| ((i * 7 % 23) as f64) - 11.0).collect();
            let v: Vec<f64> = (0..k * p).map(|i| ((i * 5 % 19) as f64) - 9.0).collect();
            let mut out = vec![f64::NAN; m * p];
            rows_of_tile_times_narrow(&x, &panels(&v, k, p), (k, p), &x, &mut out);
            for (i, found) in out.iter().enumerate() {
                let (r, c) = (i / p, i % p);
                let expected: f64 = (0..k).map(|j| x[r * k + j] * v[j * p + c]).sum();
                assert_eq!(*found, expected, "{m} x {k} times {p} columns, cell {i}");
            }
        }
    }

    #[test]
    fn what_is_not_a_number_stays_in_its_row() {
        let x = [1.0, 2.0, f64::NAN, 4.0, 5.0, f64::INFINITY];
        let v = [1.0, 0.0, 1.0, 0.0, 1.0, 0.0];
        let mut out = [0.0; 9];
        rows_of_tile_times_narrow(&x, &panels(&v, 2, 3), (2, 3), &[], &mut out);
        assert_eq!(out[..3], [1.0, 2.0, 1.0]);
        assert!(out[3].is_nan() && out[4].is_nan() && out[5].is_nan());
        // Infinity times zero is none, either.
        assert!(out[6].is_nan() && out[8].is_nan());
        assert_eq!(out[7], f64::INFINITY);
    }
}
