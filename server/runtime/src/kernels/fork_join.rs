//! The kernels' fork-join pool: its helpers are started with the first work that is worth them, and never end.

use std::sync::LazyLock;
use std::thread;

use sumac_forkjoin::Pool;

use crate::memory;

/// Bytes of the stack of a helper: kernels do not call deeply.
const STACK: usize = 2 << 20;

static POOL: LazyLock<Pool> = LazyLock::new(Pool::default);

/// How many helpers could be started.
static HELPERS: LazyLock<usize> = LazyLock::new(|| {
    let start = |number: &usize| {
        let builder = thread::Builder::new().name(format!("helper {number}"));
        memory::Stack::of(STACK).forever();
        let builder = builder.stack_size(STACK);
        builder.spawn(|| POOL.help()).is_ok()
    };
    (1..rayon::current_num_threads()).take_while(start).count()
});

/// Calls `work` on this thread, and on helpers so that about `threads` are at it, and returns when all have returned from it.
/// It says `false`, and has called nothing, where this thread belongs to another pool, there are no helpers, or they are busy.
pub(super) fn run(threads: usize, work: &(dyn Fn() + Sync)) -> bool {
    if threads < 2 || rayon::current_thread_index().is_some() {
        return false;
    }
    let helpers = (threads - 1).min(*HELPERS);
    helpers > 0 && POOL.try_run(helpers, work)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn threads_of_another_pool_and_single_threads_get_no_help() {
        let ran = AtomicUsize::new(0);
        let work = || {
            ran.fetch_add(1, Ordering::Relaxed);
        };
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(2)
            .build()
            .unwrap();
        assert!(!pool.install(|| run(2, &work)));
        assert!(!run(1, &work));
        assert_eq!(ran.into_inner(), 0);
    }
}
