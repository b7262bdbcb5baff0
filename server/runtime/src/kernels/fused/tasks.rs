//! What a run does with each tile: the steps of a program in their order, where some are no pass of their own. A step that only
//! scales or shifts what an exponential or a logarithm reads is done as that reads it, and where a sum is all that is wanted,
//! the last steps are one loop that does not write down what it adds, an exponential or a logarithm among them.
//!
//! Each result stays that of the steps one by one, to the last bit. Nothing here looks at cells.

use sumac_la::Op;

use super::{Program, Source, Step};
use crate::kernels::simd_avx512_math::Function;
use crate::kernels::simd_cells::Affine;

/// What becomes of the last step's results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    /// They are written down.
    Cells,
    /// Only their sum over each tile is taken.
    Sums,
}

/// A source's part in a tile.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Part {
    /// As many cells as the tile has.
    Row,
    /// One number for all.
    Number(f64),
}

/// The loop that ends a tile.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Ending {
    /// The last step, written down.
    Step,
    /// The sum of the last step's products.
    Products(Source, Source),
    /// The sum of the products of the last two steps.
    Three(Source, Source, Source),
    /// The sum of the last step's sums.
    Sums(Source, Source),
    /// The sum of the last step's sums of a product and something else.
    ProductAnd(Source, Source, Source),
    /// The sum of a function's results.
    Function(Added),
}

/// A function whose results are added up as they come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Added {
    pub(super) function: Function,
    pub(super) of: Source,
    /// What is done with the cells of `of` first.
    pub(super) affine: Option<Affine>,
    /// What each result is multiplied with first, and what is added to that.
    pub(super) rows: [Option<Source>; 2],
}

impl Ending {
    /// What it reads.
    pub(super) fn sources(self) -> Vec<Source> {
        match self {
            Ending::Step => Vec::new(),
            Ending::Products(x, y) | Ending::Sums(x, y) => vec![x, y],
            Ending::Three(x, y, z) | Ending::ProductAnd(x, y, z) => vec![x, y, z],
            Ending::Function(Added { of, rows, .. }) => std::iter::once(of)
                .chain(rows.into_iter().flatten())
                .collect(),
        }
    }
}

/// A step that is a pass over a tile.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Task {
    pub(super) op: Op,
    pub(super) left: Source,
    /// What is done with the left cells first.
    pub(super) affine: Option<Affine>,
    pub(super) right: Option<Source>,
    /// The buffer that it writes.
    pub(super) to: usize,
}

/// What a run does with each tile.
#[derive(Debug)]
pub(super) struct Tasks {
    /// In their order; where the ending is the last step, it is the last of them.
    pub(super) all: Vec<Task>,
    pub(super) ending: Ending,
    /// By step, the buffer that holds its results; of those that are no pass of their own it means nothing.
    pub(super) buffers: Vec<usize>,
    /// How many buffers there are.
    pub(super) room: usize,
}

impl Tasks {
    /// Of a program whose sources are in a tile what `part` says.
    pub(super) fn of(program: &Program, wanted: Wanted, part: impl Fn(Source) -> Part) -> Tasks {
        let steps = &program.steps;
        let mut plan = Plan {
            steps,
            reads: reads(steps),
            is_pass: vec![true; steps.len()],
            part,
        };
        let ending = match wanted {
            Wanted::Cells => Ending::Step,
            Wanted::Sums => plan.ending(),
        };
        let affine: Vec<Option<(Source, Affine)>> =
            (0..steps.len()).map(|i| plan.affine_before(i)).collect();
        let passes: Vec<usize> = (0..steps.len()).filter(|i| plan.is_pass[*i]).collect();
        let mut all: Vec<Task> = passes
            .iter()
            .map(|i| {
                let step = &steps[*i];
                let (left, affine) = match affine[*i] {
                    Some((source, affine)) => (source, Some(affine)),
                    None => (step.left, None),
                };
                Task {
                    op: step.op,
                    left,
                    affine,
                    right: step.right,
                    to: 0,
                }
            })
            .collect();
        let (buffers, room) = place(&mut all, &passes, steps.len(), ending);
        Tasks {
            all,
            ending,
            buffers,
            room,
        }
    }
}

impl Tasks {
    /// The numbers of those that take so long that they can fetch as they go, with what they take beside each other. The
    /// ending's number is the one after the tasks.
    pub(super) fn slow(&self) -> impl Iterator<Item = (usize, usize)> {
        let tasks = self.all.iter().enumerate();
        let tasks = tasks.filter_map(|(i, task)| Some((i, Function::of(task.op)?)));
        let ending = match self.ending {
            Ending::Function(added) => Some((self.all.len(), added.function)),
            _ => None,
        };
        tasks
            .chain(ending)
            .map(|(i, function)| (i, function.time()))
    }
}

/// How often each step's results are read.
fn reads(steps: &[Step]) -> Vec<usize> {
    let mut reads = vec![0; steps.len()];
    for source in steps.iter().flat_map(|step| [Some(step.left), step.right]) {
        if let Some(Source::Step(i)) = source {
            reads[i] += 1;
        }
    }
    reads
}

/// Gives each task a buffer: one that no value needs any more which it or a later task reads.
fn place(all: &mut [Task], passes: &[usize], steps: usize, ending: Ending) -> (Vec<usize>, usize) {
    let mut last_read = vec![None; steps];
    let mut read = |source: Option<Source>, at: usize| {
        if let Some(Source::Step(i)) = source {
            last_read[i] = Some(at);
        }
    };
    for (at, task) in all.iter().enumerate() {
        read(Some(task.left), at);
        read(task.right, at);
    }
    for source in ending.sources() {
        read(Some(source), all.len());
    }
    let mut held: Vec<usize> = Vec::new();
    let mut buffers = vec![0; steps];
    for (at, (task, step)) in all.iter_mut().zip(passes).enumerate() {
        // What this task itself reads stays apart from what it writes.
        let free = |owner: &usize| last_read[*owner].is_some_and(|last| last < at);
        task.to = held.iter().position(free).unwrap_or_else(|| {
            held.push(*step);
            held.len() - 1
        });
        held[task.to] = *step;
        buffers[*step] = task.to;
    }
    (buffers, held.len())
}

/// What is known while tasks are made.
struct Plan<'a, P> {
    steps: &'a [Step],
    reads: Vec<usize>,
    is_pass: Vec<bool>,
    part: P,
}

impl<P: Fn(Source) -> Part> Plan<'_, P> {
    fn is_row(&self, source: Source) -> bool {
        (self.part)(source) == Part::Row
    }

    /// The step that a source is, if nothing else reads it.
    fn own(&self, source: Source) -> Option<usize> {
        match source {
            Source::Step(i) if self.reads[i] == 1 => Some(i),
            _ => None,
        }
    }

    /// The loop that takes the sum of the last step, and of what it alone reads.
    fn ending(&mut self) -> Ending {
        let Some((last, _)) = self.steps.split_last() else {
            return Ending::Step;
        };
        let (x, Some(y)) = (last.left, last.right) else {
            let added = self.added(self.steps.len() - 1, [None, None]);
            return added.map_or(Ending::Step, Ending::Function);
        };
        if !self.is_row(x) || !self.is_row(y) {
            return Ending::Step;
        }
        let inner = match (self.product(x), self.product(y)) {
            (Some(product), _) => Some((product, y)),
            (None, Some(product)) => Some((product, x)),
            (None, None) => None,
        };
        let ending = match (last.op, inner) {
            (Op::Mul, Some(((_, a, b), other))) => Ending::Three(a, b, other),
            (Op::Add, Some(((_, a, b), other))) => Ending::ProductAnd(a, b, other),
            (Op::Mul, None) => Ending::Products(x, y),
            (Op::Add, None) => Ending::Sums(x, y),
            _ => return Ending::Step,
        };
        if let Some(((product, ..), _)) = inner {
            self.is_pass[product] = false;
        }
        self.is_pass[self.steps.len() - 1] = false;
        self.with_function(ending)
    }

    /// The ending, with a function as part of it where that is the only reader of the function's results.
    fn with_function(&mut self, ending: Ending) -> Ending {
        let candidates = match ending {
            Ending::Products(x, y) => [(x, [Some(y), None]), (y, [Some(x), None])],
            Ending::Sums(x, y) => [(x, [None, Some(y)]), (y, [None, Some(x)])],
            Ending::ProductAnd(x, y, z) => [(x, [Some(y), Some(z)]), (y, [Some(x), Some(z)])],
            Ending::Step | Ending::Three(..) | Ending::Function(_) => return ending,
        };
        let added = candidates
            .into_iter()
            .find_map(|(source, rows)| self.added(self.own(source)?, rows));
        added.map_or(ending, Ending::Function)
    }

    /// A step as a function that is added up, if it is one.
    fn added(&mut self, i: usize, rows: [Option<Source>; 2]) -> Option<Added> {
        let step = &self.steps[i];
        let (function, left) = (Function::of(step.op)?, step.left);
        if !self.is_row(left) {
            return None;
        }
        let (of, affine) = match self.affine_before(i) {
            Some((source, affine)) => (source, Some(affine)),
            None => (left, None),
        };
        self.is_pass[i] = false;
        Some(Added {
            function,
            of,
            affine,
            rows,
        })
    }

    /// The product of two rows that a source is, if nothing else reads it.
    fn product(&self, source: Source) -> Option<(usize, Source, Source)> {
        let i = self.own(source)?;
        let step = &self.steps[i];
        let right = step.right.filter(|right| self.is_row(*right))?;
        (step.op == Op::Mul && self.is_row(step.left)).then_some((i, step.left, right))
    }

    /// What a function reads where the step before it only scales or shifts that, and nothing else reads the step.
    fn affine_before(&mut self, i: usize) -> Option<(Source, Affine)> {
        let step = &self.steps[i];
        if !self.is_pass[i] || !matches!(step.op, Op::Exp | Op::Log) {
            return None;
        }
        let inner = self.own(step.left)?;
        let found = self.affine(&self.steps[inner])?;
        self.is_pass[inner] = false;
        Some(found)
    }

    fn affine(&self, step: &Step) -> Option<(Source, Affine)> {
        let number = |source: Option<Source>| match source.map(&self.part) {
            Some(Part::Number(number)) => Some(number),
            _ => None,
        };
        let (left, right) = (number(Some(step.left)), number(step.right));
        let (row, affine) = match (step.op, left, right) {
            (Op::Add, None, Some(c)) => (step.left, Affine::plus(c)),
            (Op::Add, Some(c), None) => (step.right?, Affine::plus(c)),
            (Op::Sub, None, Some(c)) => (step.left, Affine::plus(-c)),
            (Op::Sub, Some(c), None) => (step.right?, Affine::less_than(c)),
            (Op::Mul, None, Some(c)) => (step.left, Affine::times(c)),
            (Op::Mul, Some(c), None) => (step.right?, Affine::times(c)),
            (Op::Neg, None, None) => (step.left, Affine::times(-1.0)),
            _ => return None,
        };
        self.is_row(row).then_some((row, affine))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: Source = Source::Input(0);
    const Y: Source = Source::Input(1);
    const Z: Source = Source::Input(2);
    const ONE: Source = Source::Number(1.0);

    fn tasks(wanted: Wanted, steps: &[(Op, &[Source])]) -> Tasks {
        let mut program = Program::new(3);
        for (op, arguments) in steps {
            program.push(*op, arguments).unwrap();
        }
        Tasks::of(&program, wanted, |source| match source {
            Source::Number(x) => Part::Number(x),
            _ => Part::Row,
        })
    }

    fn step(i: usize) -> Source {
        Source::Step(i)
    }

    #[test]
    fn only_sums_of_rows_end_in_one_loop() {
        let three: [(Op, &[Source]); 2] = [(Op::Mul, &[X, Y]), (Op::Mul, &[Z, step(0)])];
        let found = tasks(Wanted::Sums, &three);
        assert_eq!((found.ending, found.all.len()), (Ending::Three(X, Y, Z), 0));
        let found = tasks(Wanted::Cells, &three);
        assert_eq!((found.ending, found.all.len()), (Ending::Step, 2));
        let number: [(Op, &[Source]); 1] = [(Op::Mul, &[X, Source::Number(2.0)])];
        assert_eq!(tasks(Wanted::Sums, &number).ending, Ending::Step);
    }

    #[test]
    fn a_product_that_is_read_twice_is_written_down() {
        let square: [(Op, &[Source]); 2] = [(Op::Mul, &[X, Y]), (Op::Mul, &[step(0), step(0)])];
        let found = tasks(Wanted::Sums, &square);
        assert_eq!(found.ending, Ending::Products(step(0), step(0)));
        assert_eq!(found.all.len(), 1);
    }

    #[test]
    fn what_only_shifts_is_done_as_a_function_reads_it() {
        let found = tasks(
            Wanted::Sums,
            &[
                (Op::Exp, &[X]),
                (Op::Mul, &[step(0), Y]),
                (Op::Add, &[ONE, Z]),
                (Op::Log, &[step(2)]),
                (Op::Add, &[step(1), step(3)]),
            ],
        );
        let log = (Op::Log, Z, Some(Affine::plus(1.0)));
        if let Some(function) = Function::of(Op::Exp) {
            let ending = Added {
                function,
                of: X,
                affine: None,
                rows: [Some(Y), Some(step(3))],
            };
            assert_eq!(found.ending, Ending::Function(ending));
            assert_eq!(passes(&found), [log]);
        } else {
            assert_eq!(found.ending, Ending::ProductAnd(step(0), Y, step(3)));
            assert_eq!(passes(&found), [(Op::Exp, X, None), log]);
        }
    }

    #[test]
    fn a_function_whose_results_are_read_twice_is_written_down() {
        let found = tasks(
            Wanted::Sums,
            &[(Op::Exp, &[X]), (Op::Mul, &[step(0), step(0)])],
        );
        assert_eq!(found.ending, Ending::Products(step(0), step(0)));
        assert_eq!(passes(&found), [(Op::Exp, X, None)]);
    }

    fn passes(found: &Tasks) -> Vec<(Op, Source, Option<Affine>)> {
        let of = |task: &Task| (task.op, task.left, task.affine);
        found.all.iter().map(of).collect()
    }

    #[test]
    fn what_something_else_reads_too_is_a_pass() {
        let found = tasks(
            Wanted::Cells,
            &[
                (Op::Add, &[X, ONE]),
                (Op::Log, &[step(0)]),
                (Op::Mul, &[step(0), step(1)]),
            ],
        );
        assert_eq!(found.all.len(), 3);
        assert_eq!(found.room, 3, "the sum lives until the product is made");
        let numbers = tasks(
            Wanted::Cells,
            &[(Op::Add, &[ONE, ONE]), (Op::Log, &[step(0)])],
        );
        assert_eq!(numbers.all.len(), 2, "a number is no row");
    }
}
