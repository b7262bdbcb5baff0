//! Gives way to a person who types: heavy work pauses for the moment that a keystroke takes to be shown.
//!
//! Must never stop work for long: who types without end still gets suggestions.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sumac_ide::CancelToken;

/// How long a keystroke has the machine for itself.
const AFTER_KEYSTROKE: Duration = Duration::from_millis(30);
/// Between two looks at the keyboard.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// How long one call gives way at most.
const AT_MOST: Duration = Duration::from_millis(60);

/// When the last keystroke came.
#[derive(Debug, Default)]
pub struct Pace(Mutex<Option<Instant>>);

impl Pace {
    /// A document was changed.
    pub fn typed(&self) {
        self.typed_at(Instant::now());
    }

    /// Waits while keystrokes come in, a few of them at most; long loops of heavy work call it between their steps. Work
    /// that is cancelled does not wait.
    pub fn give_way(&self, token: &CancelToken) {
        let began = Instant::now();
        while !token.is_cancelled() && self.must_wait(began, Instant::now()) {
            std::thread::sleep(LOOK_EVERY);
        }
    }

    fn typed_at(&self, now: Instant) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
    }

    /// Whether work that has given way since `began` still has to, at `now`.
    fn must_wait(&self, began: Instant, now: Instant) -> bool {
        let typed = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_recent = typed.is_some_and(|typed| now.duration_since(typed) < AFTER_KEYSTROKE);
        is_recent && now.duration_since(began) < AT_MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_waits_for_the_keystroke_and_never_for_long() {
        let pace = Pace::default();
        let start = Instant::now();
        assert!(!pace.must_wait(start, start), "nobody has typed");
        pace.typed_at(start);
        assert!(pace.must_wait(start, start + Duration::from_millis(1)));
        assert!(
            !pace.must_wait(start, start + AFTER_KEYSTROKE),
            "it is shown"
        );
        pace.typed_at(start + AT_MOST);
        assert!(
            !pace.must_wait(start, start + AT_MOST),
            "it has waited enough"
        );
    }

    #[test]
    fn work_that_is_cancelled_ends_at_once() {
        let pace = Pace::default();
        let token = CancelToken::default();
        token.cancel();
        // A keystroke that lies ahead: only the token can end this before the limit.
        let soon = Instant::now() + Duration::from_secs(1);
        pace.typed_at(soon);
        let began = Instant::now();
        assert!(pace.must_wait(began, began));
        pace.give_way(&token);
        assert!(pace.must_wait(began, began));
    }
}
