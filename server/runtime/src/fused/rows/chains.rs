//! Steps that each scale or shift what the one before gives, and that nobody else reads: they are taken together, and only the
//! last one's results are written down. Each result stays that of the steps one by one, to the last bit.

use sumac_fusion::{Finish, Kernel, Step};
use sumac_la::Op;

use super::inputs::{Input, Width};
use crate::kernels::simd_cells::Affine;

/// Some such steps.
#[derive(PartialEq, Debug)]
pub(super) struct Chain {
    /// The step whose cells the first one reads.
    pub(super) from: usize,
    /// What each does, in their order.
    pub(super) steps: Vec<Affine>,
}

/// All chains of a kernel.
pub(super) struct Chains {
    /// By step: the chain that it is the last of, where that has at least two steps.
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
            let before = match reads[from] {
                1 => ends[from].take(),
                _ => None,
            };
            is_inner[from] = before.is_some();
            let mut chain = before.unwrap_or(Chain {
                from,
                steps: Vec::new(),
            });
            chain.steps.push(affine);
            ends.push(Some(chain));
        }
        for end in &mut ends {
            *end = end.take().filter(|chain| chain.steps.len() > 1);
        }
        Chains { ends, is_inner }
    }
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
