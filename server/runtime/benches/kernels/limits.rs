//! What the machine allows: memory read and copied by both threads, as fast as plain loops with large pages can.

use rayon::prelude::*;
use sumac_runtime::memory;

use crate::loops;
use crate::{Work, ours};

/// Cells that one task reads or copies.
const TASK: usize = 1 << 17;

/// The case of this name.
pub(crate) fn case(name: &str) -> Option<Work> {
    Some(match name {
        // As many cells as `ours` streams in the cases that are held against it.
        "copy" => copy(|from, to| to.copy_from_slice(from)),
        "copy-past-caches" => copy(loops::copy_past_caches),
        "read" => {
            let cells = memory::filled(ours::TALL.0 * ours::TALL.1, 1.5);
            Box::new(move || Box::new(cells.par_chunks(TASK).map(loops::sum).sum::<f64>()))
        }
        "exp-log-loop" => {
            let [x, y, z] = ours::three(ours::CELLS);
            Box::new(move || {
                Box::new(
                    x.par_chunks(TASK)
                        .zip(y.par_chunks(TASK))
                        .zip(z.par_chunks(TASK))
                        .map(|((x, y), z)| loops::sum_exp_log(x, y, z))
                        .sum::<f64>(),
                )
            })
        }
        "exp-log-near-loop" => {
            let [x, y, z] = ours::three(ours::SMALL_CELLS);
            Box::new(move || Box::new(loops::sum_exp_log(&x, &y, &z)))
        }
        _ => return None,
    })
}

/// Copies as many bytes as the cases that stream three matrices read.
fn copy(some: fn(&[f64], &mut [f64])) -> Work {
    /// Cells of a cache line, at whose beginnings alone cells can be written past the caches.
    const LINE: usize = 8;
    let from = memory::filled(3 * ours::CELLS / 2, 1.5);
    let mut to = memory::filled(from.len() + LINE, 0.5);
    let ahead = to.as_ptr().align_offset(64).min(LINE);
    Box::new(move || {
        to[ahead..ahead + from.len()]
            .par_chunks_mut(TASK)
            .zip(from.par_chunks(TASK))
            .for_each(|(to, from)| some(from, to));
        Box::new(())
    })
}
