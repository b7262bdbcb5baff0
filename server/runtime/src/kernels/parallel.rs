//! How kernels split their work: fixed chunks, so that results never depend on the number of threads, run side by
//! side only when the whole work is worth the dispatch (about 0.3 ms).
//!
//! The thread that asks for the work takes chunks like the others: it need not wait until a thread of the pool has woken
//! up, which on a busy machine takes longer than many a kernel.
//!
//! Between chunks all of them ask whether the work was called off; what they give then has the right shape and any
//! cells, as `cancel::during` says.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::cancel::Heard;
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
fn evenly(rows: usize, about: usize) -> usize {
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

/// Calls `work` with each item, on this thread and on as many of the pool's as are free, in any order.
fn shared<I: ExactSizeIterator + Send>(items: I, work: impl Fn(I::Item) + Sync) {
    let others = rayon::current_num_threads()
        .min(items.len())
        .saturating_sub(1);
    let queue = Mutex::new(items);
    let take_all = || {
        loop {
            // The queue is locked while an item is taken, not while it is worked on.
            let item = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(item) = item else { return };
            work(item);
        }
    };
    rayon::in_place_scope(|scope| {
        for _ in 0..others {
            scope.spawn(|_| take_all());
        }
        take_all();
    });
}

/// `f(0)`, `f(1)` and so on, in this order, made on any threads.
fn gathered<T: Send>(count: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let made = Mutex::new(Vec::with_capacity(count));
    shared(0..count, |i| {
        let one = f(i);
        let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
        made.push((i, one));
    });
    let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
    made.sort_unstable_by_key(|(i, _)| *i);
    made.into_iter().map(|(_, one)| one).collect()
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
    let heard = Heard::here();
    let chunks = out.chunks_mut(step * cols).enumerate();
    shared(chunks, |(i, cells)| {
        if !heard.is_cancelled() {
            f(i * step, cells);
        }
    });
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
        let heard = Heard::here();
        let some = |i| if heard.is_cancelled() { 0..0 } else { range(i) };
        gathered(chunks, |i| f(some(i)))
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
    let heard = Heard::here();
    let chunks = out.chunks_mut(step * group_cells).enumerate();
    shared(chunks, |(i, cells)| {
        if !heard.is_cancelled() {
            f(i * step, cells);
        }
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
    let heard = Heard::here();
    if threads == 1 {
        let mut all = new_part(rows);
        for range in ranges {
            if heard.is_cancelled() {
                break;
            }
            fill(range, &mut all);
        }
        return all.finish();
    }
    let parts = gathered(ranges.len(), |i| {
        let range = ranges[i].clone();
        let mut part = new_part(range.len());
        if heard.is_cancelled() {
            part.end_rows_before(range.len());
        } else {
            fill(range, &mut part);
        }
        part
    });
    CsrBuilder::joined(cols, &parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_is_worked_on_once_wherever_the_work_is_asked_for() {
        let squares = |count: usize| gathered(count, |i| i * i);
        for count in [0, 1, 2, 1000] {
            let expected: Vec<usize> = (0..count).map(|i| i * i).collect();
            assert_eq!(squares(count), expected, "on a thread of no pool");
            for threads in [1, 2, 5] {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .unwrap();
                assert_eq!(
                    pool.install(|| squares(count)),
                    expected,
                    "{threads} threads"
                );
            }
        }
        let nested = gathered(20, |i| squares(i).len());
        assert_eq!(nested, (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn a_panic_of_any_item_is_one_of_the_caller() {
        let panicked = std::panic::catch_unwind(|| {
            shared(0..100, |i| assert!(i != 57, "no {i}"));
        });
        assert!(panicked.is_err());
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
