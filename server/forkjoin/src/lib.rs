//! A fork-join pool for work of less than a millisecond: who calls begins at once, and helpers that have just helped spin for
//! a while before they sleep, since waking a thread takes tens of microseconds.
//!
//! It starts no threads and knows no matrices: threads that call [`Pool::help`] are its helpers. It must never return from
//! [`Pool::try_run`] while a helper is still inside the work: the work is borrowed.

#![allow(
    unsafe_code,
    reason = "helpers live longer than the work that they are lent"
)]

mod sync;

use std::any::Any;
use std::mem::transmute;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{PoisonError, TryLockError};

use sync::{AtomicUsize, Condvar, Mutex, MutexGuard, Ordering, spin_until};

type Work = dyn Fn() + Sync;

/// Where a caller and helpers meet; one piece of work at a time.
#[derive(Default)]
pub struct Pool {
    /// Held by the thread whose work it is.
    caller: Mutex<()>,
    state: Mutex<State>,
    /// Signalled when there is work, or no more will come.
    begun: Condvar,
    /// Signalled when the last helper has left the work, if the caller sleeps.
    left: Condvar,
    /// Counts pieces of work; it changes only while the state is locked.
    epoch: AtomicUsize,
    /// Helpers that are inside the work; more enter only while the state is locked and has the work.
    inside: AtomicUsize,
}

#[derive(Default)]
struct State {
    work: Option<&'static Work>,
    /// How many more helpers may enter.
    vacancies: usize,
    sleeping: usize,
    is_caller_asleep: bool,
    is_closed: bool,
    /// What a helper panicked with.
    panic: Option<Box<dyn Any + Send>>,
}

impl Pool {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `work` on this thread and on at most `helpers` others, and returns when all have returned from it. It says `false`,
    /// and has called nothing, where the helpers are busy with the work of another caller, or this call is part of such work.
    ///
    /// # Panics
    /// As `work` does, on whichever thread; not before all threads have left it.
    pub fn try_run(&self, helpers: usize, work: &(dyn Fn() + Sync)) -> bool {
        let _caller = match self.caller.try_lock() {
            Ok(caller) => caller,
            Err(TryLockError::Poisoned(caller)) => caller.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        // SAFETY: `join` below takes the work out of the state, so that no more helpers enter it, and waits until all of
        // them have left it. It is called before this function returns, and nothing in between unwinds.
        let lent = unsafe { transmute::<&(dyn Fn() + Sync), &'static Work>(work) };
        let sleeping = {
            let mut state = self.state();
            state.work = Some(lent);
            state.vacancies = helpers;
            self.epoch.fetch_add(1, Ordering::Release);
            state.sleeping
        };
        for _ in 0..sleeping.min(helpers) {
            self.begun.notify_one();
        }
        let own = catch_unwind(AssertUnwindSafe(work));
        let helpers = self.join();
        if let Some(panic) = own.err().or(helpers) {
            resume_unwind(panic);
        }
        true
    }

    /// Ends the work when all have left it, and gives what a helper panicked with.
    fn join(&self) -> Option<Box<dyn Any + Send>> {
        self.state().work = None;
        let all_left = || self.inside.load(Ordering::Acquire) == 0;
        if !spin_until(all_left) {
            let mut state = self.state();
            state.is_caller_asleep = true;
            while !all_left() {
                state = self
                    .left
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            state.is_caller_asleep = false;
        }
        self.state().panic.take()
    }

    /// Makes this thread a helper until the pool is closed.
    pub fn help(&self) {
        let mut seen = 0;
        loop {
            spin_until(|| self.epoch.load(Ordering::Acquire) != seen);
            let mut state = self.state();
            while self.epoch.load(Ordering::Acquire) == seen && !state.is_closed {
                state.sleeping += 1;
                state = self
                    .begun
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                state.sleeping -= 1;
            }
            if state.is_closed {
                return;
            }
            seen = self.epoch.load(Ordering::Acquire);
            let work = match state.work {
                Some(work) if state.vacancies > 0 => work,
                _ => continue,
            };
            state.vacancies -= 1;
            self.inside.fetch_add(1, Ordering::Relaxed);
            drop(state);
            let panic = catch_unwind(AssertUnwindSafe(work)).err();
            if panic.is_some() {
                self.state().panic = panic;
            }
            // From here on the work may be gone.
            if self.inside.fetch_sub(1, Ordering::Release) == 1 && self.state().is_caller_asleep {
                self.left.notify_one();
            }
        }
    }

    /// Sends all helpers away, those that sleep too; work that comes later is the caller's alone.
    pub fn close(&self) {
        self.state().is_closed = true;
        self.begun.notify_all();
    }
}
