//! Stopping long work from outside.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shared by who does the work, who polls it between operators, and who may call it off.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the work to stop at its next poll.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work should stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

thread_local! {
    /// What the work of this thread listens to.
    static CURRENT: RefCell<Option<Cancel>> = const { RefCell::new(None) };
}

/// Runs `work` so that the long kernels it calls on this thread poll `cancel`, on whatever threads they run. A kernel
/// that was cancelled gives a result of the right shape and any cells: whoever calls `during` must look at `cancel`
/// before it takes a result for what it says.
pub fn during<T>(cancel: &Cancel, work: impl FnOnce() -> T) -> T {
    /// Puts back what was there, also when the work panics.
    struct Before(Option<Cancel>);
    impl Drop for Before {
        fn drop(&mut self) {
            CURRENT.with(|current| *current.borrow_mut() = self.0.take());
        }
    }
    let _before = Before(CURRENT.with(|current| current.borrow_mut().replace(cancel.clone())));
    work()
}

/// What the work of this thread listens to; nothing outside of [`during`].
#[derive(Clone, Debug)]
pub(crate) struct Current(Option<Cancel>);

impl Current {
    /// Of this thread.
    pub(crate) fn here() -> Current {
        Current(CURRENT.with(|current| current.borrow().clone()))
    }

    /// Whether the work should stop.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.as_ref().is_some_and(Cancel::is_cancelled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancel_is_heard_only_during_the_work_and_the_outer_one_comes_back() {
        let (outer, inner) = (Cancel::default(), Cancel::default());
        inner.cancel();
        assert!(!Current::here().is_cancelled());
        during(&outer, || {
            assert!(!Current::here().is_cancelled());
            during(&inner, || assert!(Current::here().is_cancelled()));
            let panicked = std::panic::catch_unwind(|| {
                during(&inner, || std::panic::resume_unwind(Box::new(1)))
            });
            assert!(panicked.is_err());
            assert!(!Current::here().is_cancelled());
            outer.cancel();
            assert!(Current::here().is_cancelled());
        });
        assert!(!Current::here().is_cancelled());
    }
}
