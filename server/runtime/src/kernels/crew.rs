//! Threads that wait close by. A thread that sleeps wakes only after tens of microseconds, and one that hands its work to a
//! pool sleeps, too, so that work of less than a millisecond is half over before two threads are at it. Here whoever has work
//! begins it at once, and helpers that have just helped look out for more before they sleep.

#![allow(
    unsafe_code,
    reason = "helpers live longer than the work that they are lent"
)]

use std::any::Any;
use std::mem::transmute;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use crate::memory;

/// How long a helper looks out for more work before it sleeps, and who waits for helpers before that one does.
const LOOKOUT: Duration = Duration::from_micros(100);
/// Bytes of the stack of a helper: kernels do not call deeply.
const HELPERS_STACK: usize = 2 << 20;

/// Calls `work` on this thread, and on helpers so that about `threads` are at it, and returns when all have returned from it.
/// It says `false`, and has called nothing, where this thread belongs to a pool, or the helpers help somebody else.
pub(super) fn together(threads: usize, work: &(dyn Fn() + Sync)) -> bool {
    static CREW: Crew = Crew::new();
    threads > 1 && rayon::current_thread_index().is_none() && CREW.lead(threads - 1, work)
}

type Work = dyn Fn() + Sync;

/// Helpers, and the one piece of work that they help with.
struct Crew {
    /// Held by whose work it is.
    leader: Mutex<()>,
    state: Mutex<State>,
    /// Told when there is work.
    begun: Condvar,
    /// Told when the last helper has left the work, if that is waited for.
    left: Condvar,
    /// Counts pieces of work; it grows only while the state is locked.
    turn: AtomicUsize,
    /// Helpers that are at the work; more come only while the state is locked and has the work.
    inside: AtomicUsize,
    /// How many there are, once they were started.
    helpers: OnceLock<usize>,
}

struct State {
    work: Option<&'static Work>,
    /// How many more helpers it is for.
    seats: usize,
    asleep: usize,
    is_waited_for: bool,
    /// Of a helper.
    panic: Option<Box<dyn Any + Send>>,
}

impl Crew {
    const fn new() -> Crew {
        Crew {
            leader: Mutex::new(()),
            state: Mutex::new(State {
                work: None,
                seats: 0,
                asleep: 0,
                is_waited_for: false,
                panic: None,
            }),
            begun: Condvar::new(),
            left: Condvar::new(),
            turn: AtomicUsize::new(0),
            inside: AtomicUsize::new(0),
            helpers: OnceLock::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the helpers when there are none yet.
    fn helpers(&'static self) -> usize {
        *self.helpers.get_or_init(|| {
            let start = |number: &usize| {
                let builder = thread::Builder::new().name(format!("helper {number}"));
                memory::Stack::of(HELPERS_STACK).forever();
                let builder = builder.stack_size(HELPERS_STACK);
                builder.spawn(|| self.help()).is_ok()
            };
            (1..rayon::current_num_threads()).take_while(start).count()
        })
    }

    fn lead(&'static self, seats: usize, work: &(dyn Fn() + Sync)) -> bool {
        let _leader = match self.leader.try_lock() {
            Ok(leader) => leader,
            Err(TryLockError::Poisoned(leader)) => leader.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        let seats = seats.min(self.helpers());
        if seats == 0 {
            return false;
        }
        // SAFETY: `end` below takes the work out of the state, so that no more helpers come to it, and waits until all of
        // them have left it. It is called before this function returns, and nothing in between unwinds.
        let lent = unsafe { transmute::<&(dyn Fn() + Sync), &'static Work>(work) };
        let asleep = {
            let mut state = self.state();
            state.work = Some(lent);
            state.seats = seats;
            self.turn.fetch_add(1, Ordering::Release);
            state.asleep
        };
        for _ in 0..asleep.min(seats) {
            self.begun.notify_one();
        }
        let own = catch_unwind(AssertUnwindSafe(work));
        let helpers = self.end();
        if let Some(panic) = own.err().or(helpers) {
            resume_unwind(panic);
        }
        true
    }

    /// Ends the work when all have left it, and gives what a helper panicked with.
    fn end(&self) -> Option<Box<dyn Any + Send>> {
        self.state().work = None;
        let all_left = || self.inside.load(Ordering::Acquire) == 0;
        if !look_out(all_left) {
            let mut state = self.state();
            state.is_waited_for = true;
            while !all_left() {
                state = self
                    .left
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            state.is_waited_for = false;
        }
        self.state().panic.take()
    }

    fn help(&self) -> ! {
        let mut seen = 0;
        loop {
            look_out(|| self.turn.load(Ordering::Acquire) != seen);
            let work = {
                let mut state = self.state();
                while self.turn.load(Ordering::Acquire) == seen {
                    state.asleep += 1;
                    state = self
                        .begun
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                    state.asleep -= 1;
                }
                seen = self.turn.load(Ordering::Acquire);
                match state.work {
                    Some(work) if state.seats > 0 => {
                        state.seats -= 1;
                        self.inside.fetch_add(1, Ordering::Relaxed);
                        work
                    }
                    _ => continue,
                }
            };
            let panic = catch_unwind(AssertUnwindSafe(work)).err();
            // From here on the work may be gone.
            if panic.is_some() {
                self.state().panic = panic;
            }
            if self.inside.fetch_sub(1, Ordering::Release) == 1 && self.state().is_waited_for {
                self.left.notify_one();
            }
        }
    }
}

/// Waits for something that is likely to come soon, and says whether it came.
fn look_out(has_come: impl Fn() -> bool) -> bool {
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
        if began.elapsed() > LOOKOUT {
            return has_come();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A crew that no other test leads.
    fn crew() -> &'static Crew {
        Box::leak(Box::new(Crew::new()))
    }

    /// Adds one to each of some numbers, by whoever comes first.
    fn count(crew: &'static Crew, numbers: &mut [usize], pause: Duration) -> bool {
        let tasks = Mutex::new(numbers.iter_mut());
        crew.lead(3, &|| {
            loop {
                let task = tasks.lock().unwrap().next();
                let Some(number) = task else { return };
                *number += 1;
                thread::sleep(pause);
            }
        })
    }

    #[test]
    fn each_task_is_done_once_whether_helpers_sleep_or_look_out() {
        let crew = crew();
        if crew.helpers() == 0 {
            return;
        }
        for (tasks, pause, gap) in [(0, 0, 0), (1, 0, 0), (100, 0, 0), (40, 50, 0), (9, 300, 1)] {
            let mut numbers = vec![0; tasks];
            for round in 1..=100 {
                assert!(count(crew, &mut numbers, Duration::from_micros(pause)));
                assert!(numbers.iter().all(|&n| n == round), "{tasks} tasks");
                thread::sleep(Duration::from_millis(gap));
            }
        }
    }

    #[test]
    fn helpers_take_part() {
        let crew = crew();
        if crew.helpers() == 0 {
            return;
        }
        let me = thread::current().id();
        let others = AtomicUsize::new(0);
        // This thread does not end before another one came.
        assert!(crew.lead(1, &|| {
            if thread::current().id() == me {
                while others.load(Ordering::Acquire) == 0 {
                    thread::yield_now();
                }
            } else {
                others.fetch_add(1, Ordering::Release);
            }
        }));
        assert_eq!(others.load(Ordering::Acquire), 1);
    }

    #[test]
    fn work_in_work_and_in_pools_is_refused() {
        let crew = crew();
        if crew.helpers() == 0 {
            return;
        }
        let taken = AtomicUsize::new(0);
        let inner = || {
            taken.fetch_add(1, Ordering::Relaxed);
        };
        assert!(crew.lead(1, &|| assert!(!crew.lead(1, &inner))));
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(2)
            .build()
            .unwrap();
        assert!(!pool.install(|| together(2, &inner)));
        assert!(!together(1, &inner));
        assert_eq!(taken.into_inner(), 0);
    }

    #[test]
    fn a_panic_of_any_thread_comes_out_when_all_have_left() {
        let crew = crew();
        if crew.helpers() == 0 {
            return;
        }
        let me = thread::current().id();
        for own in [true, false] {
            let inside = AtomicUsize::new(0);
            let run = catch_unwind(AssertUnwindSafe(|| {
                crew.lead(1, &|| {
                    inside.fetch_add(1, Ordering::AcqRel);
                    // Both are here.
                    while inside.load(Ordering::Acquire) < 2 {
                        thread::yield_now();
                    }
                    if (thread::current().id() == me) == own {
                        resume_unwind(Box::new("out"));
                    }
                    thread::sleep(Duration::from_millis(2));
                })
            }));
            assert_eq!(run.unwrap_err().downcast_ref(), Some(&"out"));
            assert_eq!(crew.inside.load(Ordering::Acquire), 0);
        }
        let mut numbers = [0; 10];
        assert!(count(crew, &mut numbers, Duration::ZERO));
        assert_eq!(numbers, [1; 10]);
    }
}
