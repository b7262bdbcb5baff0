//! One thread's run of a program through some tiles, and what it asks memory for meanwhile.
//!
//! Steps are the functions of the operators themselves. Only where a sum is all that is wanted, the last steps are one
//! loop that does not write down what it adds.

use sumac_la::Op;

use super::{Cells, Fold, Program, Source, TILE};
use crate::kernels::simd_cells::{self, Row};
use crate::kernels::{simd, simd_sums};

/// Cells of all inputs that a core's own caches hold.
const NEAR: usize = 1 << 16;

/// What becomes of the last step's results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    /// They are written down.
    Cells,
    /// Only their sum over each tile is taken.
    Sums,
}

/// The loop that ends a tile.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Ending {
    /// The last step, written down.
    Step,
    /// The sum of the last step's products.
    Products(Source, Source),
    /// The sum of the products of the last two steps.
    Three(Source, Source, Source),
    /// The sum of the last step's sums.
    Sums(Source, Source),
}

impl Ending {
    /// Of a program whose sources are rows, or numbers where `is_row` says no.
    fn of(program: &Program, wanted: Wanted, is_row: impl Fn(&Source) -> bool) -> Ending {
        let (last, before) = match program.steps.as_slice() {
            [before @ .., last] if wanted == Wanted::Sums => (last, before),
            _ => return Ending::Step,
        };
        let (x, Some(y)) = (last.left, last.right) else {
            return Ending::Step;
        };
        if !is_row(&x) || !is_row(&y) {
            return Ending::Step;
        }
        // The product of a product that nothing else reads.
        let inner = |source: Source| match before.split_last() {
            Some((step, _)) if source == Source::Step(before.len() - 1) && step.op == Op::Mul => {
                let right = step.right.filter(&is_row)?;
                is_row(&step.left).then_some((step.left, right))
            }
            _ => None,
        };
        match last.op {
            Op::Mul => match (inner(x), inner(y)) {
                (Some((a, b)), None) => Ending::Three(a, b, y),
                (None, Some((a, b))) => Ending::Three(a, b, x),
                _ => Ending::Products(x, y),
            },
            Op::Add => Ending::Sums(x, y),
            _ => Ending::Step,
        }
    }

    /// What it reads.
    fn sources(self) -> Vec<Source> {
        match self {
            Ending::Step => Vec::new(),
            Ending::Products(x, y) | Ending::Sums(x, y) => vec![x, y],
            Ending::Three(x, y, z) => vec![x, y, z],
        }
    }

    /// How many steps it takes the place of.
    fn steps(self) -> usize {
        match self {
            Ending::Three(..) => 2,
            _ => 1,
        }
    }
}

/// One thread's run through some tiles.
pub(super) struct Run<'a> {
    program: &'a Program,
    registers: &'a [usize],
    inputs: &'a [Cells<'a>],
    buffers: Vec<Vec<f64>>,
    /// This tile's cells of inputs that are repeated; empty for full ones.
    repeated: Vec<Vec<f64>>,
    ending: Ending,
    /// Whether the inputs come from memory, so that fetching them ahead is worth the asking.
    far: bool,
    /// The full inputs that are fetched between the steps, as no ending fetches them.
    fetched: Vec<&'a [f64]>,
    start: usize,
    count: usize,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        program: &'a Program,
        registers: &'a [usize],
        inputs: &'a [Cells<'a>],
        wanted: Wanted,
    ) -> Run<'a> {
        let room = |cells: &Cells<'_>| match cells.is_repeated() {
            true => vec![0.0; TILE],
            false => Vec::new(),
        };
        let buffers = registers.iter().max().map_or(0, |most| most + 1);
        let is_row = |source: &Source| match source {
            Source::Input(i) => !matches!(inputs[*i], Cells::One(_)),
            Source::Number(_) => false,
            Source::Step(_) => true,
        };
        let mut run = Run {
            program,
            registers,
            inputs,
            buffers: vec![vec![0.0; TILE]; buffers],
            repeated: inputs.iter().map(room).collect(),
            ending: Ending::of(program, wanted, is_row),
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
            Source::Step(i) => Row::Many(&self.buffers[self.registers[i]][..self.count]),
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

    /// The steps before the ending, over `count` cells from `start`, while cells after them are fetched.
    pub(super) fn tile(&mut self, start: usize, count: usize) {
        (self.start, self.count) = (start, count);
        for (cells, buffer) in self.inputs.iter().zip(&mut self.repeated) {
            if !buffer.is_empty() {
                cells.repeat(start, &mut buffer[..count]);
            }
        }
        let before = self.program.steps.len() - self.ending.steps();
        for i in 0..before {
            self.fetch(i, before + 1);
            let place = self.registers[i];
            let mut out = std::mem::take(&mut self.buffers[place]);
            self.step(i, &mut out[..count]);
            self.buffers[place] = out;
        }
        self.fetch(before, before + 1);
    }

    /// Fetches one of so many shares of the next tile.
    fn fetch(&self, number: usize, shares: usize) {
        let share = |i: usize| self.start + TILE + i * self.count / shares;
        for cells in &self.fetched {
            simd::prefetch(cells, share(number)..share(number + 1));
        }
    }

    fn step(&self, i: usize, out: &mut [f64]) {
        let step = &self.program.steps[i];
        match step.right {
            Some(right) => simd_cells::binary(step.op, self.row(step.left), self.row(right), out),
            None => match self.row(step.left) {
                Row::One(x) => {
                    out.fill(x);
                    simd_cells::unary(step.op, out);
                }
                Row::Many(cells) => simd_cells::unary_into(step.op, cells, out),
            },
        }
    }

    /// The last step's results, where cells are wanted.
    pub(super) fn last_into(&self, out: &mut [f64]) {
        debug_assert_eq!(self.ending, Ending::Step, "cells are wanted");
        self.step(self.program.steps.len() - 1, out);
    }

    /// The sum of the last step's results.
    pub(super) fn last_sum(&mut self) -> f64 {
        match self.ending {
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
        }
    }

    /// The fold of the last step's results.
    pub(super) fn last_fold(&mut self, fold: Fold) -> f64 {
        let place = self.registers[self.program.steps.len() - 1];
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
    let by_endings: Vec<Source> = runs.iter().flat_map(|run| run.ending.sources()).collect();
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

    #[test]
    fn only_sums_of_rows_end_in_one_loop() {
        let ending = |steps: &[(Op, &[Source])], wanted: Wanted| {
            Ending::of(&program(steps), wanted, |source| {
                !matches!(source, Source::Number(_))
            })
        };
        let three: [(Op, &[Source]); 2] = [(Op::Mul, &[X, Y]), (Op::Mul, &[Z, FIRST])];
        assert_eq!(ending(&three, Wanted::Sums), Ending::Three(X, Y, Z));
        assert_eq!(ending(&three, Wanted::Cells), Ending::Step);
        let number: [(Op, &[Source]); 1] = [(Op::Mul, &[X, Source::Number(2.0)])];
        assert_eq!(ending(&number, Wanted::Sums), Ending::Step);
    }
}
