//! One thread's run of a program through some tiles, and what it asks memory for meanwhile.
//!
//! Steps are the functions of the operators themselves.

use super::tasks::{Added, Ending, Part, Tasks, Wanted};
use super::{Cells, Fold, Program, Source, TILE};
use crate::kernels::simd_cells::{self, Prefetch, Row};
use crate::kernels::{simd, simd_avx512_math, simd_sums};

/// Cells of all inputs that a core's own caches hold.
const NEAR: usize = 1 << 16;

/// What a run leaves to the next one over inputs of the same kinds, and over the same numbers.
#[derive(Debug)]
pub(crate) struct Held {
    tasks: Tasks,
    buffers: Vec<Vec<f64>>,
    repeated: Vec<Vec<f64>>,
}

/// One thread's run through some tiles.
pub(super) struct Run<'a> {
    tasks: Tasks,
    inputs: &'a [Cells<'a>],
    buffers: Vec<Vec<f64>>,
    /// This tile's cells of inputs that are repeated; empty for full ones.
    repeated: Vec<Vec<f64>>,
    /// Whether the inputs come from memory, so that fetching them ahead is worth it.
    far: bool,
    /// Which full inputs each task fetches as it goes, and after them the ending.
    fetched_by: Vec<Vec<&'a [f64]>>,
    /// Those that are fetched between the tasks, as nothing else does.
    fetched: Vec<&'a [f64]>,
    /// Those that the ending fetches, by their numbers.
    fetched_at_end: Vec<usize>,
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
        let held = Held {
            buffers: vec![vec![0.0; TILE]; tasks.room],
            repeated: inputs.iter().map(room).collect(),
            tasks,
        };
        Run::after(held, inputs)
    }

    /// A run in the room of another one.
    pub(super) fn after(held: Held, inputs: &'a [Cells<'a>]) -> Run<'a> {
        let mut run = Run {
            inputs,
            buffers: held.buffers,
            repeated: held.repeated,
            fetched_by: vec![Vec::new(); held.tasks.all.len() + 1],
            tasks: held.tasks,
            far: inputs.iter().map(Cells::streamed).sum::<usize>() > NEAR,
            fetched: Vec::new(),
            fetched_at_end: Vec::new(),
            start: 0,
            count: 0,
        };
        share_fetching(std::slice::from_mut(&mut run), inputs);
        run
    }

    /// The room, for another run.
    pub(super) fn held(self) -> Held {
        Held {
            tasks: self.tasks,
            buffers: self.buffers,
            repeated: self.repeated,
        }
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

    /// Whether the ending fetches a source.
    fn is_far(&self, source: Source) -> bool {
        matches!(source, Source::Input(i) if self.fetched_at_end.contains(&i))
    }

    /// Cells of a tile. A loop that reads nothing but rows as they lie in memory needs no room near the core, and what it takes to
    /// begin and to end one counts beside so short a time.
    pub(super) fn tile_len(&self) -> usize {
        /// Of all inputs together, in tiles: half of the nearest cache, for several loops may read the same cells.
        const STREAMED: usize = 12;
        let is_loop = !matches!(self.tasks.ending, Ending::Step | Ending::Function(_));
        if !is_loop || !self.tasks.all.is_empty() || self.inputs.iter().any(Cells::is_repeated) {
            return TILE;
        }
        (STREAMED / self.inputs.len().max(1)).clamp(1, 4) * TILE
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
        let passes = self.tasks.all.len() - last;
        for i in 0..passes {
            let task = self.tasks.all[i];
            self.fetch(i, passes + 1);
            let mut out = std::mem::take(&mut self.buffers[task.to]);
            self.task(i, &mut out[..count]);
            self.buffers[task.to] = out;
        }
        self.fetch(passes, passes + 1);
    }

    /// Fetches one of so many shares of the next tile.
    fn fetch(&self, number: usize, shares: usize) {
        let share = |i: usize| self.start + TILE + i * self.count / shares;
        for cells in &self.fetched {
            simd::prefetch(cells, share(number)..share(number + 1));
        }
    }

    /// What a task fetches as it goes.
    fn ahead(&self, number: usize) -> Prefetch<'_> {
        Prefetch {
            rows: &self.fetched_by[number],
            from: self.start + TILE,
        }
    }

    fn task(&self, number: usize, out: &mut [f64]) {
        let task = &self.tasks.all[number];
        match task.right {
            Some(right) => simd_cells::binary(task.op, self.row(task.left), self.row(right), out),
            None => match self.row(task.left) {
                Row::One(x) => {
                    out.fill(x);
                    simd_cells::unary(task.op, out);
                }
                Row::Many(cells) => {
                    simd_cells::unary_with_prefetch(
                        task.op,
                        task.affine,
                        cells,
                        out,
                        self.ahead(number),
                    );
                }
            },
        }
    }

    /// The last step's results, where cells are wanted.
    pub(super) fn last_into(&self, out: &mut [f64]) {
        debug_assert_eq!(self.tasks.ending, Ending::Step, "cells are wanted");
        if let Some(last) = self.tasks.all.len().checked_sub(1) {
            self.task(last, out);
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
            Ending::Function(Added {
                function,
                of,
                affine,
                rows,
            }) => {
                let rows = rows.map(|row| row.map(|row| self.cells(row)));
                let ahead = self.ahead(self.tasks.all.len());
                simd_avx512_math::sum(function, affine, self.cells(of), rows, ahead)
            }
        }
    }

    /// What this run and the next one multiply, where both end in sums of products with a common factor and do nothing before that:
    /// this factor, and the other one of each.
    pub(super) fn common_factor(&self, next: &Run<'_>) -> Option<[Source; 3]> {
        let factors = |run: &Run<'_>| match run.tasks.ending {
            Ending::Products(x, y) if run.tasks.all.is_empty() => Some([x, y]),
            _ => None,
        };
        let ([a, b], [c, d]) = (factors(self)?, factors(next)?);
        let ways = [[a, b, c, d], [a, b, d, c], [b, a, c, d], [b, a, d, c]];
        let way = ways.into_iter().find(|[x, _, same, _]| x == same);
        way.map(|[x, y, _, z]| [x, y, z])
    }

    /// The sums of this run's products and the next one's, in one loop.
    pub(super) fn last_sums(&self, next: &Run<'_>, factors: [Source; 3]) -> [f64; 2] {
        let [x, y, z] = factors.map(|source| self.cells(source));
        let far = factors.map(|source| self.is_far(source) || next.is_far(source));
        simd_sums::of_two_products(x, y, z, far)
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

/// Runs that take turns over the same tiles share what is fetched. Tasks that take long fetch as they go, the more the longer: memory
/// answers at its own pace, and who asks faster waits. Where there are none, endings fetch what they read, and the first
/// run the rest between its tasks.
pub(super) fn share_fetching<'a>(runs: &mut [Run<'a>], inputs: &'a [Cells<'a>]) {
    for run in runs.iter_mut() {
        run.fetched.clear();
        run.fetched_at_end.clear();
        run.fetched_by.iter_mut().for_each(Vec::clear);
    }
    if !runs.iter().any(|run| run.far) {
        return;
    }
    let slow: Vec<(usize, usize, usize)> = runs
        .iter()
        .enumerate()
        .flat_map(|(r, run)| run.tasks.slow().map(move |(task, time)| (r, task, time)))
        .collect();
    for (i, cells) in inputs.iter().enumerate() {
        let Cells::Full(cells) = cells else { continue };
        // Beside what else is fetched in its time; in equal parts for a time that all have as a factor.
        let busy = |(run, task, time): &(usize, usize, usize)| {
            (runs[*run].fetched_by[*task].len() + 1) * 6 / time
        };
        if let Some((run, task, _)) = slow.iter().copied().min_by_key(busy) {
            runs[run].fetched_by[task].push(cells);
            continue;
        }
        let mut is_fetched = false;
        for run in runs.iter_mut() {
            if run.tasks.ending.sources().contains(&Source::Input(i)) {
                run.fetched_at_end.push(i);
                is_fetched = true;
            }
        }
        if !is_fetched {
            runs[0].fetched.push(cells);
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
