//! What the steps of a tile ask memory for: the rows of the next tile, each for as much of them as it has time for. All of it at
//! once would be more requests than a processor can have under way.

use sumac_fusion::{Finish, Kernel, Step};

use super::inputs::{Input, Inputs};
use crate::kernels::simd;

/// Cells of a cache line.
const LINE: usize = 8;

/// What is asked for, and when.
pub(super) struct Prefetcher<'a> {
    /// By step, what is asked for before it.
    before: Vec<Vec<Part<'a>>>,
    /// By step, what it asks for itself as it goes through its rows, and after the steps what the sums over rows ask for.
    meanwhile: Vec<Option<Part<'a>>>,
}

/// Some cells of an input.
#[derive(Clone, Copy)]
struct Part<'a> {
    cells: &'a [f64],
    cols: usize,
    /// From the first cell of the next tile on.
    from: usize,
    to: usize,
}

impl<'a> Part<'a> {
    /// Where the next tile begins with this row.
    fn of(&self, row: usize) -> &'a [f64] {
        let at = |offset: usize| (row * self.cols + offset).min(self.cells.len());
        &self.cells[at(self.from)..at(self.to)]
    }
}

impl<'a> Prefetcher<'a> {
    /// For steps of which some are computed.
    pub(super) fn new(
        kernel: &Kernel,
        inputs: &'a Inputs<'_>,
        is_computed: impl Fn(usize) -> bool,
    ) -> Prefetcher<'a> {
        /// What products of rows that come from memory take, and sums over these rows, where other steps take one.
        const PRODUCT: usize = 7;
        const SUMS: usize = 6;
        /// Steps of a chain that together take one.
        const STEPS: usize = 8;
        let steps = kernel.steps.len();
        let streamed = |step: usize| match kernel.steps[step] {
            Step::Slot(slot) if inputs.streamed.contains(&slot) => Some(slot),
            _ => None,
        };
        // The slot of which each asks for a share as it goes, and after the steps the sums.
        let mut own = vec![None; steps + 1];
        for (i, step) in kernel.steps.iter().enumerate() {
            if let Step::Times(row, _) = step {
                own[i] = streamed(*row);
            }
        }
        for output in &kernel.outputs {
            if let Finish::Sums(left) = output.finish {
                own[steps] = streamed(left);
            }
        }
        let time = |i: usize| match own[i] {
            Some(_) if i == steps => SUMS,
            None if i == steps => 0,
            _ if !is_computed(i) => 0,
            Some(_) => PRODUCT,
            None => 1 + inputs.chains.steps(i) / STEPS,
        };
        let by_time = begins((0..=steps).map(time));
        let evenly = begins((0..=steps).map(|i| match i < steps && is_computed(i) {
            true => 1 + inputs.chains.steps(i) / STEPS,
            false => 0,
        }));
        let mut prefetcher = Prefetcher {
            before: vec![Vec::new(); steps],
            meanwhile: vec![None; steps + 1],
        };
        for (slot, input) in inputs.slots.iter().enumerate() {
            let Input::Dense(cells, cols) = input else {
                continue;
            };
            if inputs.summed.contains(&slot) {
                continue;
            }
            let begins = match inputs.streamed.contains(&slot) {
                true => &by_time,
                false => &evenly,
            };
            let all = begins.last().map_or(1, |all| *all.max(&1));
            let place = |i: usize| (inputs.tile * cols * begins[i] / all).next_multiple_of(LINE);
            for (i, own) in own.iter().enumerate() {
                let part = Part {
                    cells,
                    cols: *cols,
                    from: place(i),
                    to: place(i + 1),
                };
                if *own == Some(slot) {
                    prefetcher.meanwhile[i] = Some(part);
                } else if i < steps && part.from < part.to {
                    prefetcher.before[i].push(part);
                }
            }
        }
        prefetcher
    }

    /// Asks for what is asked for before a step, where the next tile begins with this row.
    pub(super) fn before(&self, step: usize, row: usize) {
        for part in &self.before[step] {
            let cells = part.of(row);
            simd::prefetch(cells, 0..cells.len());
        }
    }

    /// The same, for a step that asks for it as it goes.
    pub(super) fn shares(&self, step: usize, row: usize) -> Vec<&'a [f64]> {
        self.before[step].iter().map(|part| part.of(row)).collect()
    }

    /// What a step asks for as it goes, or after the steps the sums over rows.
    pub(super) fn meanwhile(&self, step: usize, row: usize) -> &'a [f64] {
        self.meanwhile[step].map_or(&[], |part| part.of(row))
    }
}

/// When each begins, and when the last one ends.
fn begins(times: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut now = 0;
    let ends = times.map(|time| {
        now += time;
        now
    });
    std::iter::once(0).chain(ends).collect()
}
