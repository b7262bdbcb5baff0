//! Locks, atomics and spinning: those of the standard library, or, with the feature `loom`, of the model checker, which tries
//! every order in which threads can meet there. In a model nobody spins: a spin is no event that could order anything.

#[cfg(not(feature = "loom"))]
pub(crate) use std::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicUsize, Ordering},
};

#[cfg(feature = "loom")]
pub(crate) use loom::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicUsize, Ordering},
};

/// Waits a while for something that is likely to come soon, and says whether it came.
#[cfg(not(feature = "loom"))]
pub(crate) fn spin_until(has_come: impl Fn() -> bool) -> bool {
    use std::time::{Duration, Instant};

    /// How long a thread spins before it sleeps.
    const SPIN: Duration = Duration::from_micros(100);
    /// Looks between looks at the clock.
    const LOOKS: usize = 64;
    let began = Instant::now();
    loop {
        for _ in 0..LOOKS {
            if has_come() {
                return true;
            }
            std::hint::spin_loop();
        }
        if began.elapsed() > SPIN {
            return has_come();
        }
    }
}

/// Whether it has come already.
#[cfg(feature = "loom")]
pub(crate) fn spin_until(has_come: impl Fn() -> bool) -> bool {
    has_come()
}
