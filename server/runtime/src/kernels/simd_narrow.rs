//! Rows times a narrow matrix with all sums in registers, for vectors of any width: four rows go through panels of four
//! columns, some panels at a time; through so few columns that they fill no panel they go along the columns, a vector at a time.
//!
//! The loops over panels are plain Rust, compiled for each tier; processors with AVX-512 have [`super::simd_avx512`]. A cell of the result
//! is summed in the same order whatever the tier.

#![allow(
    unsafe_code,
    reason = "calling a function compiled for more features needs proof that the machine has them, and loads that cells are there"
)]

use sumac_vectors::Tier;

use super::simd::{fma, multiversion, prefetch};

/// Columns of a panel.
const PANEL: usize = 4;

/// Rows that go through a panel together.
const ROWS: usize = 4;

/// Columns that rows go along, at most; at least two.
pub(crate) const FEW: usize = 3;

/// Cells of a row that go along a column together.
const LANES: usize = 4;

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

/// `out = x V` for rows of `k` cells and the `p` columns of V, one after the other in `columns`; from two to
/// [`FEW`]. Meanwhile the memory of `next` is asked for.
///
/// # Panics
/// When the slices do not have the lengths that go with `k` and `p`, or where there are more or fewer columns.
pub(crate) fn rows_of_tile_times_few(
    x: &[f64],
    columns: &[f64],
    (k, p): (usize, usize),
    next: &[f64],
    out: &mut [f64],
) {
    assert!(k > 0, "a product of something");
    let rows = x.len() / k;
    assert!(
        x.len() == rows * k && out.len() == rows * p && columns.len() == k * p,
        "whole rows and columns"
    );
    match p {
        2 => along::<2>(x, columns, k, next, out),
        FEW => along::<FEW>(x, columns, k, next, out),
        _ => panic!("a few columns"),
    }
}

/// [`rows_of_tile_times_few`], after its lengths were checked.
fn along<const P: usize>(x: &[f64], columns: &[f64], k: usize, next: &[f64], out: &mut [f64]) {
    let columns: [&[f64]; P] = std::array::from_fn(|c| &columns[c * k..][..k]);
    let whole = k / LANES * LANES;
    let groups = (x.len() / k).div_ceil(ROWS);
    let share = next.len().div_ceil(groups.max(1)).next_multiple_of(8);
    let blocks = x.chunks(ROWS * k).zip(out.chunks_mut(ROWS * P));
    for (i, (rows, out)) in blocks.enumerate() {
        prefetch(next, i * share..(i + 1) * share);
        let count = rows.len() / k;
        // Rows that are not there are the last one once more, and are not written.
        let rows: [&[f64]; ROWS] = std::array::from_fn(|r| &rows[r.min(count - 1) * k..][..k]);
        let sums = sums_along(
            rows.map(|row| &row[..whole]),
            columns.map(|it| &it[..whole]),
        );
        for ((out, sums), row) in out.chunks_exact_mut(P).zip(&sums).zip(rows) {
            for ((to, [a, b, c, d]), column) in out.iter_mut().zip(sums).zip(columns) {
                let rest = row[whole..].iter().zip(&column[whole..]);
                *to = (a + b) + (c + d) + rest.map(|(x, v)| x * v).sum::<f64>();
            }
        }
    }
}

/// The sums of products of four rows with columns of as many cells, by lanes.
fn sums_along<const P: usize>(
    rows: [&[f64]; ROWS],
    columns: [&[f64]; P],
) -> [[[f64; LANES]; P]; ROWS] {
    #[cfg(target_arch = "x86_64")]
    if Tier::here() != Tier::Portable {
        // SAFETY: every tier but the portable one has AVX2 and FMA.
        return unsafe { avx2::sums_along(rows, columns) };
    }
    let rows = rows.map(|row| row.as_chunks::<LANES>().0);
    let columns = columns.map(|column| column.as_chunks::<LANES>().0);
    let mut sums = [[[0.0; LANES]; P]; ROWS];
    for (row, sums) in rows.iter().zip(&mut sums) {
        for (column, sums) in columns.iter().zip(sums) {
            for (x, v) in row.iter().zip(*column) {
                for ((x, v), sum) in x.iter().zip(v).zip(&mut *sums) {
                    *sum += x * v;
                }
            }
        }
    }
    sums
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    //! By intrinsics: from loops over lanes the compiler makes vectors across rows and columns, with more shuffles than products.

    use std::arch::x86_64::{
        _mm256_fmadd_pd, _mm256_loadu_pd, _mm256_setzero_pd, _mm256_storeu_pd,
    };

    use super::{LANES, ROWS};

    /// [`super::sums_along`].
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn sums_along<const P: usize>(
        rows: [&[f64]; ROWS],
        columns: [&[f64]; P],
    ) -> [[[f64; LANES]; P]; ROWS] {
        let cells = rows[0].len();
        let all = rows.iter().chain(&columns);
        assert!(all.clone().all(|it| it.len() == cells), "as many cells");
        let mut sums = [[_mm256_setzero_pd(); P]; ROWS];
        for j in (0..cells / LANES).map(|vector| vector * LANES) {
            // SAFETY: a vector from `j` on ends where all of them have cells.
            let at = |cells: &[f64]| unsafe { _mm256_loadu_pd(cells.as_ptr().add(j)) };
            let columns = columns.map(at);
            for (row, sums) in rows.iter().zip(&mut sums) {
                let x = at(row);
                for (v, sum) in columns.iter().zip(sums) {
                    *sum = _mm256_fmadd_pd(x, *v, *sum);
                }
            }
        }
        sums.map(|sums| {
            sums.map(|sum| {
                let mut lanes = [0.0; LANES];
                // SAFETY: there are as many lanes.
                unsafe { _mm256_storeu_pd(lanes.as_mut_ptr(), sum) };
                lanes
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_go_along_few_columns_of_any_length() {
        for (m, k, p) in (0..10).flat_map(|m| {
            [1, 2, 3, 4, 7, 8, 33]
                .into_iter()
                .flat_map(move |k| (2..=FEW).map(move |p| (m, k, p)))
        }) {
            let x: Vec<f64> = (0..m * k).map(|i| ((i * 7 % 23) as f64) - 11.0).collect();
            let columns: Vec<f64> = (0..k * p).map(|i| ((i * 5 % 19) as f64) - 9.0).collect();
            let mut out = vec![f64::NAN; m * p];
            rows_of_tile_times_few(&x, &columns, (k, p), &x, &mut out);
            for (i, found) in out.iter().enumerate() {
                let (r, c) = (i / p, i % p);
                let expected: f64 = (0..k).map(|j| x[r * k + j] * columns[c * k + j]).sum();
                assert_eq!(*found, expected, "{m} x {k} times {p} columns, cell {i}");
            }
        }
    }

    #[test]
    fn what_is_not_a_number_stays_in_its_row_along_columns() {
        let x = [1.0, f64::NAN, 2.0, 3.0, f64::INFINITY, 1.0];
        let mut out = [0.0; 6];
        rows_of_tile_times_few(&x, &[1.0, 0.0, 0.0, 1.0], (2, 2), &[], &mut out);
        assert!(out[0].is_nan() && out[1].is_nan());
        assert_eq!(out[2..4], [2.0, 3.0]);
        // Infinity times zero is no number, either.
        assert!(out[4] == f64::INFINITY && out[5].is_nan());
    }

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
