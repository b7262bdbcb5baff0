//! How kernels split their work: fixed chunks, so that results never depend on the number of threads, run side by
//! side only when the whole work is worth the dispatch (about 0.3 ms).
//!
//! Between chunks all of them ask whether the work was cancelled; what they give then has the right shape and any
//! cells, as `cancel::during` says.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::fork_join;
use crate::cancel::Current;
use crate::matrix::{Csr, CsrBuilder};

/// From this many units of work (a unit is about a nanosecond) chunks are handed to the thread pool.
pub(crate) const PARALLEL_FROM: usize = 300_000;

/// A chunk of about this many units is one task.
const CHUNK: usize = 100_000;

/// How many rows of `work_per_row` units make one task.
fn rows_per_chunk(work_per_row: usize) -> usize {
    (CHUNK / work_per_row.max(1)).max(1)
}

/// The rows of a task where tasks of about `about` rows are made equally large: a last task of a few rows, or one task
/// too many, would let a thread wait. It depends on its arguments only.
pub(super) fn evenly(rows: usize, about: usize) -> usize {
    /// Long tasks begin where a cache line does.
    const LINE: usize = 8;
    let tasks = rows.div_ceil(about.max(1));
    let tasks = if tasks > 1 {
        tasks.next_multiple_of(2)
    } else {
        1
    };
    let step = rows.div_ceil(tasks).max(1);
    if step > 64 * LINE {
        step.next_multiple_of(LINE)
    } else {
        step
    }
}

/// Calls `f` with each task and its number, on all threads that there are, and with none of the tasks that are left when the
/// work is cancelled. One thread goes forward from the first task and another back from the last, so that each finds in its
/// caches what it had there the last time.
fn each<T: Send>(
    tasks: impl DoubleEndedIterator<Item = T> + ExactSizeIterator + Send,
    f: impl Fn(usize, T) + Sync,
) {
    let threads = rayon::current_num_threads().min(tasks.len());
    let current = Current::here();
    let tasks = Mutex::new(tasks.enumerate());
    let arrived = AtomicUsize::new(0);
    let work = || {
        let is_forward = arrived.fetch_add(1, Ordering::Relaxed).is_multiple_of(2);
        while !current.is_cancelled() {
            let next = {
                let mut tasks = tasks.lock().unwrap_or_else(PoisonError::into_inner);
                if is_forward {
                    tasks.next()
                } else {
                    tasks.next_back()
                }
            };
            let Some((number, task)) = next else { return };
            f(number, task);
        }
    };
    if threads < 2 {
        work();
    } else if !fork_join::run(threads, &work) {
        (0..threads).into_par_iter().for_each(|_| work());
    }
}

/// Calls `f(first_row, cells_of_some_rows)` for consecutive groups of rows of `out`, which has `cols` columns.
pub(crate) fn for_rows(
    out: &mut [f64],
    cols: usize,
    work_per_row: usize,
    f: impl Fn(usize, &mut [f64]) + Sync,
) {
    if out.is_empty() {
        return;
    }
    let rows = out.len() / cols;
    let step = evenly(rows, rows_per_chunk(work_per_row));
    if rows * work_per_row.max(1) < PARALLEL_FROM || step >= rows {
        return f(0, out);
    }
    each(out.chunks_mut(step * cols), |i, cells| f(i * step, cells));
}

/// Results of `f` over consecutive ranges of `0..len`, in order. The ranges depend on `len` and `work_per_item` only;
/// there are at most `most` of them.
pub(crate) fn map_ranges<T: Send>(
    len: usize,
    work_per_item: usize,
    most: usize,
    f: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    let most = if most > 1 { most & !1 } else { 1 };
    let about = rows_per_chunk(work_per_item).max(len.div_ceil(most));
    let step = evenly(len, about);
    let chunks = len.div_ceil(step);
    let range = |i: usize| i * step..((i + 1) * step).min(len);
    if chunks <= 1 || len * work_per_item.max(1) < PARALLEL_FROM {
        (0..chunks).map(|i| f(range(i))).collect()
    } else {
        let mut made: Vec<Option<T>> = (0..chunks).map(|_| None).collect();
        each(made.iter_mut(), |i, made| *made = Some(f(range(i))));
        // What was cancelled gives something, too.
        made.into_iter()
            .map(|made| made.unwrap_or_else(|| f(0..0)))
            .collect()
    }
}

/// Calls `f(first_group, cells_of_some_groups)` for groups of `group_cells` cells of `out`, of which the last may have
/// fewer.
pub(crate) fn for_groups(
    out: &mut [f64],
    group_cells: usize,
    groups: usize,
    work_per_group: usize,
    f: impl Fn(usize, &mut [f64]) + Sync,
) {
    if out.is_empty() {
        return;
    }
    let step = evenly(groups, rows_per_chunk(work_per_group));
    if groups * work_per_group.max(1) < PARALLEL_FROM || step >= groups {
        return f(0, out);
    }
    each(out.chunks_mut(step * group_cells), |i, cells| {
        f(i * step, cells);
    });
}

/// A sparse matrix built row by row: `fill(rows, builder)` pushes these rows' cells, about `nnz` for all rows. What a row
/// holds must not depend on how rows are split, for that depends on the number of threads.
pub(crate) fn build_csr(
    rows: usize,
    cols: usize,
    work_per_row: usize,
    nnz: usize,
    fill: impl Fn(Range<usize>, &mut CsrBuilder) + Sync,
) -> Csr {
    let new_part = |rows_of_part: usize| {
        let share = nnz.div_ceil(rows.max(1)) * rows_of_part;
        CsrBuilder::new(rows_of_part, cols, share.min(nnz))
    };
    if rows * work_per_row.max(1) < PARALLEL_FROM {
        let mut all = new_part(rows);
        fill(0..rows, &mut all);
        return all.finish();
    }
    // Few parts: each has room of its own, and they are copied into one matrix.
    let threads = rayon::current_num_threads();
    let step = rows_per_chunk(work_per_row).max(rows.div_ceil(4 * threads.max(2)));
    let ranges: Vec<_> = (0..rows)
        .step_by(step)
        .map(|start| start..(start + step).min(rows))
        .collect();
    let current = Current::here();
    if threads == 1 {
        let mut all = new_part(rows);
        for range in ranges {
            if current.is_cancelled() {
                break;
            }
            fill(range, &mut all);
        }
        return all.finish();
    }
    let part_of = |range: Range<usize>| {
        let mut part = new_part(range.len());
        if current.is_cancelled() {
            part.end_rows_before(range.len());
        } else {
            fill(range, &mut part);
        }
        part
    };
    let mut parts: Vec<Option<CsrBuilder>> = ranges.iter().map(|_| None).collect();
    let range_of = |i: usize| ranges[i].clone();
    each(parts.iter_mut(), |i, part| {
        *part = Some(part_of(range_of(i)));
    });
    let parts: Vec<CsrBuilder> = parts
        .into_iter()
        .enumerate()
        .map(|(i, part)| part.unwrap_or_else(|| part_of(range_of(i))))
        .collect();
    CsrBuilder::joined(cols, &parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_task_is_done_once_on_a_thread_of_its_own_and_in_a_pool() {
        let count = |tasks: usize| {
            let mut numbers = vec![usize::MAX; tasks];
            each(numbers.iter_mut(), |i, number| *number = i);
            assert!(numbers.into_iter().eq(0..tasks), "{tasks} tasks");
        };
        for tasks in [0, 1, 2, 3, 100] {
            count(tasks);
            for threads in [1, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                pool.build().unwrap().install(|| count(tasks));
            }
        }
    }

    #[test]
    fn what_was_cancelled_gives_something_of_the_right_shape() {
        let cancel = crate::cancel::Cancel::default();
        cancel.cancel();
        crate::cancel::during(&cancel, || {
            let lengths = map_ranges(1000, PARALLEL_FROM, 8, |range| range.len());
            assert_eq!(lengths, [0; 8]);
            let csr = build_csr(50, 3, PARALLEL_FROM, 10, |_, _| {
                unreachable!("nothing is done")
            });
            assert_eq!((csr.rows(), csr.nnz()), (50, 0));
        });
    }

    #[test]
    fn tasks_are_equally_large_and_all_rows_are_in_one() {
        for (rows, about) in [
            (0, 1),
            (1, 0),
            (7, 3),
            (20_000, 3846),
            (40_000_000, 100_000),
        ] {
            let step = evenly(rows, about);
            assert!(
                step >= 1 && step <= about.max(8) + 8,
                "{rows} by {about}: {step}"
            );
            let tasks = rows.div_ceil(step);
            assert!(
                tasks <= 1 || tasks % 2 == 0 || step <= 8,
                "{rows} by {about}"
            );
        }
    }
}
