//! Every order in which a caller and its helpers can meet, up to a number of preemptions, of small cases:
//! `cargo test --package sumac-forkjoin --features loom --release`.
//!
//! What is checked: work is done by who entered it and by nobody later, what helpers write is seen by the caller, nobody sleeps
//! for ever.
#![cfg(feature = "loom")]

use loom::cell::UnsafeCell;
use loom::model::Builder;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;
use sumac_forkjoin::Pool;

/// More would take hours; most faults of locks and signals need two.
const PREEMPTIONS: usize = 3;

/// A cell that threads may use one after another only; the checker watches that they do.
struct Slot(UnsafeCell<usize>);

// SAFETY: all uses are ordered by the counter that hands out slots and by the end of the work; the model checks it.
#[allow(unsafe_code, reason = "the model checks what the compiler cannot")]
unsafe impl Sync for Slot {}

/// Runs `runs` pieces of work with `helpers` helpers in every order; each piece writes one slot for each thread that enters.
fn check(helpers: usize, runs: usize) {
    let mut model = Builder::new();
    model.preemption_bound = Some(PREEMPTIONS);
    model.check(move || {
        let pool = Arc::new(Pool::default());
        let threads: Vec<_> = (0..helpers)
            .map(|_| {
                let pool = Arc::clone(&pool);
                thread::spawn(move || pool.help())
            })
            .collect();
        for run in 1..=runs {
            let slots: Vec<Slot> = (0..=helpers).map(|_| Slot(UnsafeCell::new(0))).collect();
            let next = AtomicUsize::new(0);
            let ran = pool.try_run(helpers, &|| {
                let mine = next.fetch_add(1, Ordering::Relaxed);
                #[allow(unsafe_code, reason = "each slot is handed out once")]
                // SAFETY: the counter gives each number once.
                slots[mine].0.with_mut(|cell| unsafe { *cell = run });
            });
            assert!(ran);
            let entered = next.load(Ordering::Relaxed);
            assert!((1..=helpers + 1).contains(&entered));
            for (number, slot) in slots.iter().enumerate() {
                #[allow(unsafe_code, reason = "the work has ended")]
                // SAFETY: all threads have left the work.
                let written = slot.0.with(|cell| unsafe { *cell });
                assert_eq!(written, if number < entered { run } else { 0 });
            }
        }
        pool.close();
        for thread in threads {
            thread.join().unwrap();
        }
    });
}

#[test]
fn one_helper_and_one_piece_of_work() {
    check(1, 1);
}

#[test]
fn one_helper_and_two_pieces_of_work() {
    check(1, 2);
}

#[test]
fn two_helpers_and_one_piece_of_work() {
    check(2, 1);
}
