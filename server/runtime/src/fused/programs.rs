//! The cellwise steps of a kernel as programs over tiles: one for each output, all over the same inputs.

use sumac_fusion::{Kernel, Step};
use sumac_la::Op;

use crate::kernels::fused::{Program, Source};

/// What happens to cells.
#[derive(Debug)]
pub(super) struct Programs {
    /// By output.
    pub(super) outputs: Vec<Program>,
    /// The inputs of the programs: slots, then products.
    pub(super) products: Vec<(usize, usize)>,
}

impl Programs {
    /// Of a kernel whose steps are cells and products; `None` where an operator has no vector function.
    pub(super) fn of_cells(kernel: &Kernel) -> Option<Programs> {
        let mut products = Vec::new();
        for step in &kernel.steps {
            if let Step::Product(left, right) = step {
                products.push((*left, *right));
            }
        }
        let outputs = kernel
            .outputs
            .iter()
            .map(|output| program(kernel, output.step, &products))
            .collect::<Option<_>>()?;
        Some(Programs { outputs, products })
    }
}

/// The program whose last step is `wanted`.
fn program(kernel: &Kernel, wanted: usize, products: &[(usize, usize)]) -> Option<Program> {
    let mut needed = vec![false; kernel.steps.len()];
    needed[wanted] = true;
    for (i, step) in kernel.steps.iter().enumerate().rev() {
        if let (true, Step::Cell(_, args)) = (needed[i], step) {
            args.iter().for_each(|arg| needed[*arg] = true);
        }
    }
    let mut program = Program::new(kernel.slots.len() + products.len());
    let mut sources: Vec<Option<Source>> = vec![None; kernel.steps.len()];
    for (i, step) in kernel.steps.iter().enumerate().filter(|(i, _)| needed[*i]) {
        sources[i] = Some(match step {
            Step::Slot(slot) => Source::Input(*slot),
            Step::Number(bits) => Source::Number(f64::from_bits(*bits)),
            Step::Product(left, right) => {
                let at = products.iter().position(|p| *p == (*left, *right))?;
                Source::Input(kernel.slots.len() + at)
            }
            Step::Cell(op, args) => {
                let args: Option<Vec<Source>> = args.iter().map(|arg| sources[*arg]).collect();
                program.push(*op, &args?).ok()?
            }
            Step::Times(..) | Step::Slice(..) | Step::Fold(..) => return None,
        });
    }
    // A program has a step: what is only folded is multiplied by one.
    if program.is_empty() {
        program
            .push(Op::Mul, &[sources[wanted]?, Source::Number(1.0)])
            .ok()?;
    }
    Some(program)
}
