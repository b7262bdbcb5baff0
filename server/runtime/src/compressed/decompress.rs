//! The plain matrix back from its groups, bit for bit, in the format that it had.

use super::Compressed;
use super::group::{Coded, Group};
use crate::kernels::parallel::for_rows;
use crate::matrix::{Csr, CsrBuilder, Matrix, View};
use crate::memory;

impl Compressed {
    /// The matrix without compression: sparse or dense as it was.
    #[must_use]
    pub fn decompress(&self) -> Matrix {
        if self.sparse {
            Matrix::from(self.to_csr())
        } else {
            Matrix::dense(self.rows, self.cols, self.to_cells())
        }
    }

    /// All cells, row after row.
    #[must_use]
    pub fn to_cells(&self) -> Vec<f64> {
        let mut out = memory::for_overwriting(self.rows * self.cols);
        for_rows(&mut out, self.cols.max(1), 2 * self.cols, |first, part| {
            self.rows_into(first, part);
        });
        out
    }

    /// The cells of whole rows from `first` on.
    fn rows_into(&self, first: usize, out: &mut [f64]) {
        /// So many cells stay near while each group writes its own.
        const NEAR: usize = 1 << 14;
        let most = (NEAR / self.cols).max(1);
        for (i, some) in out.chunks_mut(most * self.cols).enumerate() {
            let first = first + i * most;
            for group in &self.groups {
                match group {
                    Group::Coded(coded) => coded.rows_into(first, some, self.cols),
                    Group::Plain(cols, matrix) => plain_into(cols, matrix, first, some, self.cols),
                }
            }
        }
    }

    /// The cells that are not zero, row after row.
    fn to_csr(&self) -> Csr {
        // Column after column: each is a row of the transpose.
        let mut place = vec![(0, 0); self.cols];
        for (g, group) in self.groups.iter().enumerate() {
            for (j, col) in group.cols().iter().enumerate() {
                place[*col as usize] = (g, j);
            }
        }
        let entries: Vec<Entries> = self
            .groups
            .iter()
            .map(|g| Entries::of(g, self.rows))
            .collect();
        let mut transposed = CsrBuilder::new(self.cols, self.rows, self.nnz());
        for (g, j) in place {
            entries[g].push(&self.groups[g], j, &mut transposed);
            transposed.end_row();
        }
        transposed.finish().transpose()
    }
}

impl Coded {
    fn rows_into(&self, first: usize, out: &mut [f64], cols: usize) {
        let rows = out.len() / cols;
        if self.rows.has_rest() {
            for row in out.chunks_exact_mut(cols) {
                self.write(self.rest(), row);
            }
        }
        self.rows.each_run(first..first + rows, |id, run| {
            let tuple = &self.values[id * self.width()..][..self.width()];
            for row in out[run.start * cols..run.end * cols].chunks_exact_mut(cols) {
                self.write(tuple, row);
            }
        });
    }

    #[inline(always)]
    fn write(&self, tuple: &[f64], row: &mut [f64]) {
        for (col, value) in self.cols.iter().zip(tuple) {
            row[*col as usize] = *value;
        }
    }
}

fn plain_into(at: &[u32], matrix: &Matrix, first: usize, out: &mut [f64], cols: usize) {
    for (i, row) in out.chunks_exact_mut(cols).enumerate() {
        match matrix.view() {
            View::Dense(cells) => {
                let cells = &cells[(first + i) * at.len()..][..at.len()];
                at.iter()
                    .zip(cells)
                    .for_each(|(col, x)| row[*col as usize] = *x);
            }
            View::Sparse(csr) => {
                at.iter().for_each(|col| row[*col as usize] = 0.0);
                let (places, values) = csr.row(first + i);
                for (place, x) in places.iter().zip(values) {
                    row[at[*place as usize] as usize] = *x;
                }
            }
        }
    }
}

/// What a group has in each row, in ascending order.
enum Entries {
    /// The tuple of each row.
    All(Vec<u16>),
    /// The rows that lists name, with their tuples: in all others the columns are zero.
    Listed(Vec<(u32, u16)>),
    /// The transpose of columns as they are.
    Transposed(Csr),
}

impl Entries {
    fn of(group: &Group, rows: usize) -> Entries {
        match group {
            Group::Plain(_, matrix) => Entries::Transposed(matrix.to_csr().transpose()),
            Group::Coded(coded) => {
                if !coded.rows.has_rest() || coded.rest().iter().any(|x| *x != 0.0) {
                    return Entries::All(coded.rows.ids(0..rows, coded.last()));
                }
                let mut listed = Vec::with_capacity(coded.rows.entries());
                coded.rows.each_run(0..rows, |id, run| {
                    listed.extend(run.map(|row| (row as u32, id as u16)));
                });
                listed.sort_unstable();
                Entries::Listed(listed)
            }
        }
    }

    /// Pushes the rows of the column at a place among the group's.
    fn push(&self, group: &Group, place: usize, out: &mut CsrBuilder) {
        let value = |id: u16| match group {
            Group::Coded(coded) => coded.values[usize::from(id) * coded.width() + place],
            Group::Plain(..) => 0.0,
        };
        match self {
            Entries::All(ids) => {
                ids.iter()
                    .enumerate()
                    .for_each(|(row, id)| out.push(row, value(*id)));
            }
            Entries::Listed(listed) => {
                listed
                    .iter()
                    .for_each(|(row, id)| out.push(*row as usize, value(*id)));
            }
            Entries::Transposed(transposed) => {
                let (rows, values) = transposed.row(place);
                rows.iter()
                    .zip(values)
                    .for_each(|(row, x)| out.push(*row as usize, *x));
            }
        }
    }
}
