//! The lines of a report: what was measured, what was seen, what it should be. It judges nothing itself.

use anyhow::{Result, ensure};

/// What became of a bar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Ok,
    Miss,
    NotRun,
}

/// All bars so far. Each is printed as soon as it is known: some take minutes.
#[derive(Default)]
pub(crate) struct Report {
    verdicts: Vec<Verdict>,
}

impl Report {
    /// Begins a group of bars.
    pub(crate) fn heading(&self, text: &str) {
        println!("\n━━ {text} ━━");
    }

    /// A line that explains the bars around it.
    pub(crate) fn note(&self, text: &str) {
        for line in text.lines() {
            println!("        {line}");
        }
    }

    /// A bar with its figure.
    pub(crate) fn bar(&mut self, name: &str, seen: &str, target: &str, holds: bool) {
        let verdict = if holds { Verdict::Ok } else { Verdict::Miss };
        self.add(verdict, name, seen, target);
    }

    /// A bar that was not measured because nobody asked for it.
    pub(crate) fn not_run(&mut self, name: &str, why: &str, target: &str) {
        self.add(Verdict::NotRun, name, why, target);
    }

    /// The value, or a missed bar that says why there is none.
    pub(crate) fn expect<T>(&mut self, name: &str, target: &str, result: Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.bar(name, &format!("{error:#}"), target, false);
                None
            }
        }
    }

    /// Prints the count; an error if a bar is missed or nothing was measured.
    pub(crate) fn finish(&self) -> Result<()> {
        let (held, missed, not_run) = self.counts();
        println!("\n{held} ok, {missed} MISS, {not_run} not run");
        ensure!(missed == 0, "{missed} bars are missed");
        ensure!(held > 0, "nothing was measured");
        Ok(())
    }

    /// How many bars hold, are missed, were not run.
    pub(crate) fn counts(&self) -> (usize, usize, usize) {
        let count = |wanted| self.verdicts.iter().filter(|v| **v == wanted).count();
        (
            count(Verdict::Ok),
            count(Verdict::Miss),
            count(Verdict::NotRun),
        )
    }

    fn add(&mut self, verdict: Verdict, name: &str, seen: &str, target: &str) {
        let word = match verdict {
            Verdict::Ok => "ok",
            Verdict::Miss => "MISS",
            Verdict::NotRun => "not run",
        };
        println!("{word:7} {name}: {seen} (target: {target})");
        self.verdicts.push(verdict);
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn every_bar_is_counted_once_and_a_failure_is_a_miss() {
        let mut report = Report::default();
        report.bar("a", "1", "1", true);
        report.bar("b", "1", "2", false);
        report.not_run("c", "", "");
        assert_eq!(report.expect("d", "", Ok(3)), Some(3));
        assert_eq!(
            report.expect("e", "", Err::<(), _>(anyhow!("no answer"))),
            None
        );
        assert_eq!(report.counts(), (1, 2, 1));
    }
}
