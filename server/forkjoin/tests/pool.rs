//! Threads of the machine at a pool. Which orders they meet in is up to the machine: `model.rs` tries all of a small case.
#![cfg(not(feature = "loom"))]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use sumac_forkjoin::Pool;

/// Calls `body` with a pool of so many helpers, which are sent away after it, also where it panics.
fn with_pool(helpers: usize, body: impl FnOnce(&Pool)) {
    struct Close<'a>(&'a Pool);
    impl Drop for Close<'_> {
        fn drop(&mut self) {
            self.0.close();
        }
    }
    let pool = Pool::default();
    thread::scope(|scope| {
        for _ in 0..helpers {
            scope.spawn(|| pool.help());
        }
        let _close = Close(&pool);
        body(&pool);
    });
}

/// Adds one to each of some numbers, by whichever thread comes first.
fn count(pool: &Pool, numbers: &mut [usize], pause: Duration) -> bool {
    let tasks = Mutex::new(numbers.iter_mut());
    pool.try_run(3, &|| {
        loop {
            let task = tasks.lock().unwrap().next();
            let Some(number) = task else { return };
            *number += 1;
            thread::sleep(pause);
        }
    })
}

/// Rounds of a test, fewer in an interpreter that looks for undefined behaviour.
const ROUNDS: usize = if cfg!(miri) { 3 } else { 100 };

#[test]
fn each_task_is_done_once_whether_helpers_sleep_or_spin() {
    with_pool(2, |pool| {
        for (tasks, pause, gap) in [(0, 0, 0), (1, 0, 0), (100, 0, 0), (40, 50, 0), (9, 300, 1)] {
            let mut numbers = vec![0; tasks];
            for round in 1..=ROUNDS {
                assert!(count(pool, &mut numbers, Duration::from_micros(pause)));
                assert!(numbers.iter().all(|&n| n == round), "{tasks} tasks");
                thread::sleep(Duration::from_millis(gap));
            }
        }
    });
}

#[test]
fn helpers_take_part() {
    with_pool(1, |pool| {
        let me = thread::current().id();
        let others = AtomicUsize::new(0);
        // This thread does not end before another one came.
        assert!(pool.try_run(1, &|| {
            if thread::current().id() == me {
                while others.load(Ordering::Acquire) == 0 {
                    thread::yield_now();
                }
            } else {
                others.fetch_add(1, Ordering::Release);
            }
        }));
        assert_eq!(others.load(Ordering::Acquire), 1);
    });
}

#[test]
fn no_more_helpers_enter_than_are_asked_for() {
    with_pool(3, |pool| {
        for wanted in [0, 1, 2] {
            let entered = AtomicUsize::new(0);
            assert!(pool.try_run(wanted, &|| {
                entered.fetch_add(1, Ordering::Relaxed);
                thread::sleep(Duration::from_millis(1));
            }));
            assert!(entered.into_inner() <= wanted + 1);
        }
    });
}

#[test]
fn work_inside_work_is_refused() {
    with_pool(1, |pool| {
        let ran = AtomicUsize::new(0);
        let inner = || {
            ran.fetch_add(1, Ordering::Relaxed);
        };
        assert!(pool.try_run(1, &|| assert!(!pool.try_run(1, &inner))));
        assert_eq!(ran.into_inner(), 0);
    });
}

#[test]
fn a_panic_of_any_thread_comes_out_when_all_have_left() {
    with_pool(1, |pool| {
        let me = thread::current().id();
        for own in [true, false] {
            let (entered, left) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let run = catch_unwind(AssertUnwindSafe(|| {
                pool.try_run(1, &|| {
                    entered.fetch_add(1, Ordering::AcqRel);
                    // Both are here.
                    while entered.load(Ordering::Acquire) < 2 {
                        thread::yield_now();
                    }
                    let panics = (thread::current().id() == me) == own;
                    if !panics {
                        thread::sleep(Duration::from_millis(2));
                    }
                    left.fetch_add(1, Ordering::Release);
                    if panics {
                        resume_unwind(Box::new("out"));
                    }
                })
            }));
            assert_eq!(run.unwrap_err().downcast_ref(), Some(&"out"));
            assert_eq!(left.load(Ordering::Acquire), 2);
        }
        let mut numbers = [0; 10];
        assert!(count(pool, &mut numbers, Duration::ZERO));
        assert_eq!(numbers, [1; 10]);
    });
}

#[test]
fn a_closed_pool_leaves_the_work_to_the_caller() {
    let pool = Pool::default();
    pool.close();
    pool.help();
    let ran = AtomicUsize::new(0);
    assert!(pool.try_run(2, &|| {
        ran.fetch_add(1, Ordering::Relaxed);
    }));
    assert_eq!(ran.into_inner(), 1);
}
