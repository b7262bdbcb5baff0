//! One thread's run of a program through some tiles, and what it asks memory for meanwhile.
//!
//! Steps are the functions of the operators themselves.

use super::tasks::{Ending, Part, Task, Tasks, Wanted};
use super::{Cells, Fold, Program, Source, TILE};
use crate::kernels::simd_cells::{self, Row};
use crate::kernels::{simd, simd_sums};

/// Cells of all inputs that a core's own caches hold.
const NEAR: usize = 1 << 16;

/// One thread's run through some tiles.
pub(super) struct Run<'a> {
    tasks: Tasks,
    inputs: &'a [Cells<'a>],
    buffers: Vec<Vec<f64>>,
    /// This tile's cells of inputs that are repeated; empty for full ones.
    repeated: Vec<Vec<f64>>,
    /// Whether the inputs come from memory, so that fetching them ahead is worth the asking.
    far: bool,
    /// The full inputs that are fetched between the steps, as no ending fetches them.
    fetched: Vec<&'a [f64]>,
    start: usize,
    count: usize,
}

impl<'a> Run<'a> {
    pub(super) fn new(program: &Program, inputs: &'a [Cells<'a>], wanted: Wanted) -> Run<'a> {
        let room = |cells: &Cells<'_>| match cells.is_repeated() {
            true => vec![0.0; TILE],
            false => Vec::new(),
        };
        let tasks = Tasks::of(program, wanted, |source| match source {
            Source::Input(i) => match inputs[i] {
                Cells::One(x) => Part::Number(x),
                _ => Part::Row,
            },
            Source::Number(x) => Part::Number(x),
            Source::Step(_) => Part::Row,
        });
        let mut run = Run {
            inputs,
            buffers: vec![vec![0.0; TILE]; tasks.room],
            tasks,
            repeated: inputs.iter().map(room).collect(),
            far: inputs.iter().map(Cells::streamed).sum::<usize>() > NEAR,
            fetched: Vec::new(),
            start: 0,
            count: 0,
        };
        share_fetching(std::slice::from_mut(&mut run), inputs);
        run
    }

    fn row(&self, source: Source) -> Row<'_> {
        match source {
            Source::Input(i) => match self.inputs[i] {
                Cells::Full(cells) => Row::Many(&cells[self.start..][..self.count]),
                Cells::One(x) => Row::One(x),
                Cells::Column(..) | Cells::Row(_) | Cells::Sparse(_) => {
                    Row::Many(&self.repeated[i][..self.count])
                }
            },
            Source::Number(x) => Row::One(x),
            Source::Step(i) => Row::Many(&self.buffers[self.tasks.buffers[i]][..self.count]),
        }
    }

    /// A source's cells; none of a number.
    fn cells(&self, source: Source) -> &[f64] {
        match self.row(source) {
            Row::Many(cells) => cells,
            Row::One(_) => &[],
        }
    }

    /// Whether a source is read from memory.
    fn is_far(&self, source: Source) -> bool {
        let is_full = |i: usize| matches!(self.inputs[i], Cells::Full(_));
        self.far && matches!(source, Source::Input(i) if is_full(i))
    }

    /// The tasks before the ending, over `count` cells from `start`, while cells after them are fetched.
    pub(super) fn tile(&mut self, start: usize, count: usize) {
        (self.start, self.count) = (start, count);
        for (cells, buffer) in self.inputs.iter().zip(&mut self.repeated) {
            if !buffer.is_empty() {
                cells.repeat(start, &mut buffer[..count]);
            }
        }
        let last = usize::from(self.tasks.ending == Ending::Step);
        let shares = 1 + self.tasks.all.iter().map(|task| task.weight).sum::<usize>();
        let mut share = 0;
        for i in 0..self.tasks.all.len() - last {
            let task = self.tasks.all[i];
            let mut out = std::mem::take(&mut self.buffers[task.to]);
            // What takes long is done in pieces, with something to fetch before each.
            let pieces = if self.fetched.is_empty() {
                1
            } else {
                task.weight.div_ceil(2)
            };
            for piece in 0..pieces {
                let cells = piece * count / pieces..(piece + 1) * count / pieces;
                let next = share + task.weight / pieces;
                self.fetch(share..next, shares);
                share = next;
                self.step(&task, cells.clone(), &mut out[cells]);
            }
            self.buffers[task.to] = out;
        }
        self.fetch(share..shares, shares);
    }

    /// Fetches some of so many shares of the next tile.
    fn fetch(&self, some: std::ops::Range<usize>, shares: usize) {
        let share = |i: usize| self.start + TILE + i * self.count / shares;
        for cells in &self.fetched {
            simd::prefetch(cells, share(some.start)..share(some.end));
        }
    }

    /// A task over some of the tile's cells.
    fn step(&self, task: &Task, cells: std::ops::Range<usize>, out: &mut [f64]) {
        let row = |source: Source| match self.row(source) {
            Row::Many(row) => Row::Many(&row[cells.clone()]),
            Row::One(x) => Row::One(x),
        };
        match task.right {
            Some(right) => simd_cells::binary(task.op, row(task.left), row(right), out),
            None => match row(task.left) {
                Row::One(x) => {
                    out.fill(x);
                    simd_cells::unary(task.op, out);
                }
                Row::Many(cells) => simd_cells::unary_into(task.op, task.affine, cells, out),
            },
        }
    }

    /// The last step's results, where cells are wanted.
    pub(super) fn last_into(&self, out: &mut [f64]) {
        debug_assert_eq!(self.tasks.ending, Ending::Step, "cells are wanted");
        if let Some(last) = self.tasks.all.last() {
            self.step(last, 0..self.count, out);
        }
    }

    /// The sum of the last step's results.
    pub(super) fn last_sum(&mut self) -> f64 {
        match self.tasks.ending {
            Ending::Step => self.last_fold(Fold::Sum),
            Ending::Products(x, y) => {
                let far = [x, y].map(|source| self.is_far(source));
                simd_sums::of_products(self.cells(x), self.cells(y), far)
            }
            Ending::Three(x, y, z) => {
                let far = [x, y, z].map(|source| self.is_far(source));
                simd_sums::of_three(self.cells(x), self.cells(y), self.cells(z), far)
            }
            Ending::Sums(x, y) => {
                let far = [x, y].map(|source| self.is_far(source));
                simd_sums::of_sums(self.cells(x), self.cells(y), far)
            }
            Ending::ProductAnd(x, y, z) => {
                let far = [x, y, z].map(|source| self.is_far(source));
                simd_sums::of_product_and(self.cells(x), self.cells(y), self.cells(z), far)
            }
        }
    }

    /// The fold of the last step's results.
    pub(super) fn last_fold(&mut self, fold: Fold) -> f64 {
        let place = self.tasks.all.last().map_or(0, |last| last.to);
        let mut out = std::mem::take(&mut self.buffers[place]);
        let results = &mut out[..self.count];
        self.last_into(results);
        let folded = fold.cells(results);
        self.buffers[place] = out;
        folded
    }
}

/// Runs that take turns over the same tiles: the first fetches for all what no ending does.
pub(super) fn share_fetching<'a>(runs: &mut [Run<'a>], inputs: &'a [Cells<'a>]) {
    let by_endings: Vec<Source> = runs
        .iter()
        .flat_map(|run| run.tasks.ending.sources())
        .collect();
    runs.iter_mut().for_each(|run| run.fetched.clear());
    let Some(first) = runs.first_mut().filter(|run| run.far) else {
        return;
    };
    for (i, cells) in inputs.iter().enumerate() {
        if let Cells::Full(cells) = cells
            && !by_endings.contains(&Source::Input(i))
        {
            first.fetched.push(cells);
        }
    }
}

#[cfg(test)]
mod tests {
    use sumac_la::Op;

    use super::*;
    use crate::kernels::fused::{cells, folds};
    use crate::matrix::{Matrix, View};

    const X: Source = Source::Input(0);
    const Y: Source = Source::Input(1);
    const Z: Source = Source::Input(2);
    const FIRST: Source = Source::Step(0);

    fn program(steps: &[(Op, &[Source])]) -> Program {
        let mut program = Program::new(3);
        for (op, arguments) in steps {
            program.push(*op, arguments).unwrap();
        }
        program
    }

    fn programs() -> Vec<Program> {
        vec![
            program(&[(Op::Mul, &[X, Y])]),
            program(&[(Op::Mul, &[X, Z])]),
            program(&[(Op::Add, &[Y, Z])]),
            program(&[(Op::Mul, &[X, Y]), (Op::Mul, &[FIRST, Z])]),
            program(&[(Op::Mul, &[Y, Z]), (Op::Mul, &[X, FIRST])]),
            program(&[(Op::Mul, &[X, Y]), (Op::Mul, &[FIRST, FIRST])]),
            program(&[(Op::Sub, &[X, Z])]),
            program(&[(Op::Mul, &[X, Y]), (Op::Add, &[FIRST, Z])]),
            program(&[(Op::Mul, &[Y, Z]), (Op::Add, &[X, FIRST])]),
            program(&[(Op::Mul, &[X, Y]), (Op::Add, &[FIRST, FIRST])]),
        ]
    }

    fn numbers(len: usize, step: usize) -> Vec<f64> {
        let number = |i: usize| match i % 5 {
            0 => 0.0,
            _ => (i * step % 101) as f64 - 50.0,
        };
        (0..len).map(number).collect()
    }

    /// Whole numbers: their sums are exact, whatever the order.
    fn agree(inputs: &[Cells<'_>], what: &str) {
        let programs = programs();
        for fold in [Fold::Sum, Fold::Min, Fold::Max] {
            let all: Vec<(&Program, Fold)> = programs.iter().map(|p| (p, fold)).collect();
            let found = folds(&all, inputs);
            for ((i, program), found) in programs.iter().enumerate().zip(found) {
                let expected = fold.cells(&cells(program, inputs));
                let same = found == expected || found.is_nan() && expected.is_nan();
                assert!(
                    same,
                    "{fold:?} of program {i}, {what}: {found} for {expected}"
                );
            }
        }
    }

    #[test]
    fn several_sums_in_one_pass_are_those_of_the_cells_whatever_lies_in_memory() {
        for (rows, cols) in [
            (0, 3),
            (1, 1),
            (31, 1),
            (32, 8),
            (257, 1),
            (51, 20),
            (4001, 17),
        ] {
            let len = rows * cols;
            let [x, y, z] = [37, 41, 43].map(|step| numbers(len, step));
            let (row, column) = (numbers(cols, 3), numbers(rows, 7));
            let sparse = Matrix::dense(rows, cols, y.clone()).to_sparse();
            let View::Sparse(csr) = sparse.view() else {
                panic!("it was made sparse");
            };
            for second in [
                Cells::Full(&y),
                Cells::Sparse(csr),
                Cells::Row(&row),
                Cells::Column(&column, cols),
                Cells::One(3.0),
            ] {
                let what = format!("{rows} x {cols}");
                agree(&[Cells::Full(&x), second, Cells::Full(&z)], &what);
                agree(&[second, Cells::Full(&x), Cells::One(-2.0)], &what);
            }
        }
    }

    #[test]
    fn a_cell_that_is_no_number_is_in_every_sum_that_reads_it() {
        for at in [0, 255, 256, 300_000] {
            let ones = vec![1.0; 300_001];
            let mut x = ones.clone();
            x[at] = f64::NAN;
            agree(
                &[Cells::Full(&x), Cells::Full(&ones), Cells::Full(&ones)],
                "NaN",
            );
            x[at] = f64::INFINITY;
            agree(
                &[Cells::Full(&ones), Cells::Full(&ones), Cells::Full(&x)],
                "infinite",
            );
        }
    }
}
