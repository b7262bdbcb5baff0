//! Rows of few cells: loops whose length is known when they are compiled, for a tile has many of them and each is over at once.

/// Calls `$f::<N>` for the `N` that `$cells` is, up to eight, and else does `$otherwise`.
macro_rules! by_cells {
    ($cells:expr, $f:ident $args:tt, $otherwise:expr) => {
        match $cells {
            1 => $f::<1> $args,
            2 => $f::<2> $args,
            3 => $f::<3> $args,
            4 => $f::<4> $args,
            5 => $f::<5> $args,
            6 => $f::<6> $args,
            7 => $f::<7> $args,
            8 => $f::<8> $args,
            _ => $otherwise,
        }
    };
}

/// Each number so often that it fills a row of `cols` cells.
pub(super) fn spread(numbers: &[f64], cols: usize, rows: &mut [f64]) {
    fn of<const N: usize>(numbers: &[f64], rows: &mut [f64]) {
        for (row, x) in rows.as_chunks_mut::<N>().0.iter_mut().zip(numbers) {
            *row = [*x; N];
        }
    }
    by_cells!(cols, of(numbers, rows), {
        for (row, x) in rows.chunks_exact_mut(cols.max(1)).zip(numbers) {
            row.fill(*x);
        }
    });
}

/// The sum of each row of `cols` cells, one after the other.
pub(super) fn sums(cells: &[f64], cols: usize, out: &mut [f64]) {
    fn of<const N: usize>(cells: &[f64], out: &mut [f64]) {
        for (to, row) in out.iter_mut().zip(cells.as_chunks::<N>().0) {
            *to = row.iter().sum();
        }
    }
    by_cells!(cols, of(cells, out), {
        for (to, row) in out.iter_mut().zip(cells.chunks_exact(cols.max(1))) {
            *to = row.iter().sum();
        }
    });
}

/// Of each row of `width` cells those from `from` on, `count` of them.
pub(super) fn slices(cells: &[f64], width: usize, from: usize, count: usize, out: &mut [f64]) {
    fn of<const N: usize>(cells: &[f64], width: usize, from: usize, out: &mut [f64]) {
        let rows = cells.chunks_exact(width);
        for (to, row) in out.as_chunks_mut::<N>().0.iter_mut().zip(rows) {
            to.copy_from_slice(&row[from..from + N]);
        }
    }
    by_cells!(count, of(cells, width, from, out), {
        let rows = cells.chunks_exact(width.max(1));
        for (to, row) in out.chunks_exact_mut(count.max(1)).zip(rows) {
            to.copy_from_slice(&row[from..from + count]);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_gives_what_the_definition_says() {
        for (rows, cols) in (0..4).flat_map(|rows| (1..20).map(move |cols| (rows, cols))) {
            let cell = |i: usize, j: usize| (i * 10 + j) as f64 / 8.0;
            let whole: Vec<f64> = (0..rows)
                .flat_map(|i| (0..cols).map(move |j| cell(i, j)))
                .collect();
            let numbers: Vec<f64> = (0..rows).map(|i| i as f64 + 0.5).collect();
            let what = format!("{rows} x {cols}");
            let mut out = vec![f64::NAN; rows * cols];
            spread(&numbers, cols, &mut out);
            let expected = |at: usize| numbers[at / cols];
            assert!((0..out.len()).all(|at| out[at] == expected(at)), "{what}");
            let mut out = vec![f64::NAN; rows];
            sums(&whole, cols, &mut out);
            let expected = |i: usize| (0..cols).map(|j| cell(i, j)).sum::<f64>();
            assert!((0..rows).all(|i| out[i] == expected(i)), "{what}");
            for from in 0..cols {
                for count in 1..=cols - from {
                    let mut out = vec![f64::NAN; rows * count];
                    slices(&whole, cols, from, count, &mut out);
                    let expected = |at: usize| cell(at / count, from + at % count);
                    assert!(
                        (0..out.len()).all(|at| out[at] == expected(at)),
                        "{count} from {from} on of {what}"
                    );
                }
            }
        }
    }
}
