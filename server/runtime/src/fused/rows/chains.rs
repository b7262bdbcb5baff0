//! Steps that each scale or shift what the one before gives, and that nobody else reads: they are taken together, and only the
//! last one's results are written down. Each result stays that of the steps one by one, to the last bit.
//!
//! A step of two arguments that comes before them is their head: what takes long there, a division, goes on beside the
//! multiplications of the cells before.

use sumac_fusion::{Finish, Kernel, Step};
use sumac_la::Op;

use super::inputs::{Input, Width};
use crate::kernels::simd_cells::Affine;
use crate::kernels::simd_chains::Head;

/// Some such steps.
#[derive(PartialEq, Debug)]
pub(super) struct Chain {
    /// The step whose cells the first one reads: the head, or one whose cells are written down.
    pub(super) from: usize,
    /// What the head does with its two arguments.
    pub(super) head: Option<(Head, [usize; 2])>,
    /// What each does, in their order.
    pub(super) steps: Vec<Affine>,
}

/// All chains of a kernel.
pub(super) struct Chains {
    /// By step: the chain that it is the last of, where that has at least two steps, its head counted.
    pub(super) ends: Vec<Option<Chain>>,
    /// By step: whether it is one of a chain and not its last.
    pub(super) is_inner: Vec<bool>,
}

impl Chains {
    /// Of a kernel with these inputs and widths of steps.
    pub(super) fn of(kernel: &Kernel, slots: &[Input<'_>], widths: &[Width]) -> Chains {
        let count = kernel.steps.len();
        let reads = reads(kernel);
        let number = |step: usize| match kernel.steps[step] {
            Step::Number(bits) => Some(f64::from_bits(bits)),
            Step::Slot(slot) => match slots[slot] {
                Input::One(x) => Some(x),
                _ => None,
            },
            _ => None,
        };
        let mut ends: Vec<Option<Chain>> = Vec::with_capacity(count);
        let mut is_inner = vec![false; count];
        for step in &kernel.steps {
            let found = affine(step, number).filter(|(from, _)| widths[*from] != Width::One);
            let Some((from, affine)) = found else {
                ends.push(None);
                continue;
            };
            let is_alone = reads[from] == 1;
            let before = if is_alone { ends[from].take() } else { None };
            let mut chain = before.unwrap_or_else(|| Chain {
                from,
                head: head(&kernel.steps[from]).filter(|_| is_alone),
                steps: Vec::new(),
            });
            is_inner[from] = !chain.steps.is_empty() || chain.head.is_some();
            chain.steps.push(affine);
            ends.push(Some(chain));
        }
        for end in &mut ends {
            *end = end
                .take()
                .filter(|chain| chain.steps.len() > 1 || chain.head.is_some());
        }
        Chains { ends, is_inner }
    }

    /// How many steps a step takes together with it as their last one; none where it is not that.
    pub(super) fn steps(&self, step: usize) -> usize {
        self.ends[step]
            .as_ref()
            .map_or(0, |chain| chain.steps.len())
    }
}

impl Chain {
    /// The steps whose cells it reads.
    pub(super) fn reads(&self) -> &[usize] {
        match &self.head {
            Some((_, args)) => args,
            None => std::slice::from_ref(&self.from),
        }
    }
}

/// What a step does with two arguments, where a chain may begin with that.
fn head(step: &Step) -> Option<(Head, [usize; 2])> {
    let Step::Cell(op, args) = step else {
        return None;
    };
    Some((Head::of(*op)?, args[..].try_into().ok()?))
}

/// What a step does with the cells of another one, where it only scales or shifts them.
fn affine(step: &Step, number: impl Fn(usize) -> Option<f64>) -> Option<(usize, Affine)> {
    let Step::Cell(op, args) = step else {
        return None;
    };
    let (left, right) = match args[..] {
        [left] => (left, None),
        [left, right] => (left, Some(right)),
        _ => return None,
    };
    let numbers = (number(left), right.and_then(number));
    Some(match (op, numbers, right) {
        (Op::Neg, (None, None), None) => (left, Affine::times(-1.0)),
        (Op::Mul, (None, Some(c)), _) => (left, Affine::times(c)),
        (Op::Mul, (Some(c), None), Some(right)) => (right, Affine::times(c)),
        (Op::Add, (None, Some(c)), _) => (left, Affine::plus(c)),
        (Op::Add, (Some(c), None), Some(right)) => (right, Affine::plus(c)),
        (Op::Sub, (None, Some(c)), _) => (left, Affine::plus(-c)),
        (Op::Sub, (Some(c), None), Some(right)) => (right, Affine::less_than(c)),
        _ => return None,
    })
}

/// How often each step's results are read, by steps and by who asked for them.
fn reads(kernel: &Kernel) -> Vec<usize> {
    let mut reads = vec![0; kernel.steps.len()];
    for step in &kernel.steps {
        match step {
            Step::Cell(_, args) => args.iter().for_each(|arg| reads[*arg] += 1),
            Step::Times(row, _) | Step::Slice(row, _, _) | Step::Fold(_, row) => reads[*row] += 1,
            Step::Slot(_) | Step::Number(_) | Step::Product(..) => {}
        }
    }
    for output in &kernel.outputs {
        reads[output.step] += 1;
        if let Finish::Sums(left) = output.finish {
            reads[left] += 1;
        }
    }
    reads
}
