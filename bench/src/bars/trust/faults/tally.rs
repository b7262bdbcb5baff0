//! What went wrong in a fault, and the figures of many.

use std::fmt;
use std::time::Duration;

use super::common::PROMPT;

/// A way in which something goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// A text or a result is not the one that was sent, or stood there.
    Lost,
    /// A process lives on.
    Orphan,
    /// No answer, or no end, in time.
    Hang,
    /// A panic, or no message that names the place.
    Unclear,
    /// A file that is neither the old nor the new one, or one that should not be there.
    Half,
    /// The fault could not be put in.
    NotInjected,
}

/// All ways with their names in the figures.
const WHATS: [(What, &str); 6] = [
    (What::Lost, "lost"),
    (What::Orphan, "orphans"),
    (What::Hang, "hangs over 2 s"),
    (What::Unclear, "panics or unclear messages"),
    (What::Half, "half-written or left files"),
    (What::NotInjected, "not injected"),
];

impl What {
    fn name(self) -> &'static str {
        let row = WHATS.iter().find(|(what, _)| *what == self);
        row.map_or("", |(_, name)| name)
    }
}

/// Something that went wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Wrong {
    what: What,
    how: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what.name(), self.how)
    }
}

/// What was seen of one fault.
#[derive(Default)]
pub(super) struct Seen {
    did: Vec<String>,
    wrongs: Vec<Wrong>,
    slowest: Duration,
}

impl Seen {
    /// Notes what was done, for a person who does it again.
    pub(super) fn does(&mut self, what: impl Into<String>) {
        self.did.push(what.into());
    }

    /// Notes what went wrong.
    pub(super) fn wrong(&mut self, what: What, how: impl Into<String>) {
        let how = how.into();
        self.wrongs.push(Wrong { what, how });
    }

    /// Notes how long an answer or an end took behind the fault; too long is wrong.
    pub(super) fn took(&mut self, what: &str, time: Duration) {
        self.slowest = self.slowest.max(time);
        if time > PROMPT {
            self.wrong(
                What::Hang,
                format!("{what} took {:.1} s", time.as_secs_f64()),
            );
        }
    }

    pub(super) fn wrongs(&self) -> &[Wrong] {
        &self.wrongs
    }

    pub(super) fn is_clean(&self) -> bool {
        self.wrongs.is_empty()
    }

    pub(super) fn did(&self) -> String {
        self.did.join(", ")
    }

    /// All of it as a text.
    pub(super) fn told(&self, seed: u64) -> String {
        let wrongs: String = self
            .wrongs
            .iter()
            .map(|wrong| format!("{wrong}\n"))
            .collect();
        format!("seed {seed}\n{}\n{wrongs}", self.did())
    }
}

/// The figures of many faults.
#[derive(Default)]
pub(super) struct Tally {
    faults: usize,
    counts: [usize; WHATS.len()],
    slowest: Duration,
}

impl Tally {
    pub(super) const TARGET: &'static str =
        "nothing lost, no orphan, no hang over 2 s, no panic or unclear message, no half file";

    pub(super) fn add(&mut self, seen: &Seen) {
        self.faults += 1;
        self.slowest = self.slowest.max(seen.slowest);
        for (count, (what, _)) in self.counts.iter_mut().zip(&WHATS) {
            // A fault counts once for each way.
            *count += usize::from(seen.wrongs.iter().any(|wrong| wrong.what == *what));
        }
    }

    pub(super) fn join(&mut self, other: &Tally) {
        self.faults += other.faults;
        self.slowest = self.slowest.max(other.slowest);
        for (count, others) in self.counts.iter_mut().zip(&other.counts) {
            *count += others;
        }
    }

    pub(super) fn is_clean(&self) -> bool {
        self.faults > 0 && self.counts.iter().all(|count| *count == 0)
    }

    pub(super) fn shown(&self) -> String {
        let counts = self.counts.iter().zip(&WHATS);
        let counts: Vec<String> = counts
            .filter(|(count, (what, _))| **count > 0 || *what != What::NotInjected)
            .map(|(count, (_, name))| format!("{count} {name}"))
            .collect();
        format!(
            "{} faults: {}; slowest {:.2} s",
            self.faults,
            counts.join(", "),
            self.slowest.as_secs_f64()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_counts_once_for_each_way_in_which_it_went_wrong() {
        let mut seen = Seen::default();
        seen.wrong(What::Lost, "a");
        seen.wrong(What::Lost, "b");
        seen.took("an answer", PROMPT * 2);
        let mut tally = Tally::default();
        tally.add(&seen);
        tally.add(&Seen::default());
        assert!(!tally.is_clean());
        let shown = tally.shown();
        assert!(
            shown.starts_with("2 faults: 1 lost, 0 orphans, 1 hangs"),
            "{shown}"
        );
    }

    #[test]
    fn nothing_injected_is_not_clean() {
        assert!(!Tally::default().is_clean());
        let mut tally = Tally::default();
        tally.add(&Seen::default());
        assert!(tally.is_clean());
    }
}
