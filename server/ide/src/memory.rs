//! What a suggestion needs of the machine's memory, in words. Must never decide which form is chosen.

use crate::quantity;
use crate::suggestion::Suggestion;

impl Suggestion {
    /// Whether the statements fit into the machine's memory as suggested, and as written do not.
    #[must_use]
    pub fn makes_it_fit(&self) -> bool {
        let fits = |bytes: f64| self.memory.is_none_or(|memory| bytes <= memory);
        !fits(self.before.peak_bytes) && fits(self.after.peak_bytes)
    }

    /// What is gained, in short: `19000× cheaper`, or that it runs at all; a form that was asked for may be dearer. `about`
    /// stands before a number.
    #[must_use]
    pub fn gain(&self, about: &str) -> String {
        let (original, optimized) = self.cost;
        if optimized > original && !self.makes_it_fit() {
            return format!(
                "{about}{} dearer",
                quantity::rough_ratio(optimized / original)
            );
        }
        if optimized <= 0.0 && original > 0.0 {
            let fits = if self.makes_it_fit() {
                "fits into memory, "
            } else {
                ""
            };
            return format!("{fits}nothing is left to compute");
        }
        let cheaper = format!("{about}{} cheaper", quantity::rough_ratio(self.speedup()));
        match (self.makes_it_fit(), self.speedup() > 1.0) {
            (true, true) => format!("fits into memory, {cheaper}"),
            (true, false) => "fits into memory".to_owned(),
            (false, _) => cheaper,
        }
    }

    /// A sentence, where what is written does not fit into the machine's memory.
    #[must_use]
    pub fn memory_note(&self) -> Option<String> {
        let memory = self.memory?;
        let (before, after) = (self.before.peak_bytes, self.after.peak_bytes);
        let has = quantity::bytes(memory);
        let needs = quantity::bytes(before);
        if before <= memory {
            return None;
        }
        Some(if after <= memory {
            format!("As written it needs {needs}, this machine has {has}.")
        } else {
            let still = quantity::bytes(after);
            format!("As written it needs {needs}, optimized {still}; this machine has {has}.")
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::describe;
    use crate::fixture::{LOSS, snapshot, suggestion};
    use crate::inlay_hints;
    use crate::snapshot::Placed;
    use crate::suggestion::Suggestion;
    use sumac_text::TextRange;

    fn needing(before: f64, after: f64, memory: Option<f64>) -> Suggestion {
        let mut found = suggestion(&snapshot(LOSS), "sum((X - U %*% t(V))^2)", "1");
        found.advice_mut().before.peak_bytes = before;
        found.advice_mut().after.peak_bytes = after;
        found.advice_mut().memory = memory;
        found
    }

    #[test]
    fn what_does_not_fit_is_said_with_both_figures() {
        let note = |before, after, memory| needing(before, after, memory).memory_note();
        assert_eq!(note(40e9, 1e9, None), None);
        assert_eq!(note(10e9, 1e9, Some(15e9)), None);
        assert_eq!(
            note(40e9, 1e9, Some(15e9)).as_deref(),
            Some("As written it needs 40 GB, this machine has 15 GB.")
        );
        assert_eq!(
            note(40e9, 20e9, Some(15e9)).as_deref(),
            Some("As written it needs 40 GB, optimized 20 GB; this machine has 15 GB.")
        );
        let hover = describe::markdown(&needing(40e9, 1e9, Some(15e9)));
        assert!(
            hover.contains("needs 40 GB, this machine has 15 GB"),
            "{hover}"
        );
    }

    #[test]
    fn a_form_that_fits_is_shown_however_slow_it_is() {
        let mut at = snapshot(LOSS);
        at.min_speedup = 2.0;
        let mut show = |mut found: Suggestion| {
            found.advice_mut().cost = (1.0, 3.0);
            at.suggestions = [Placed {
                suggestion: found.into(),
                is_fresh: true,
            }]
            .into();
            inlay_hints(
                &at,
                TextRange {
                    start: 0,
                    end: usize::MAX,
                },
            )
        };
        assert!(show(needing(40e9, 1e9, None)).is_empty());
        assert!(show(needing(40e9, 20e9, Some(15e9))).is_empty());
        let shown = show(needing(40e9, 1e9, Some(15e9)));
        assert!(
            shown[0].label.ends_with("fits into memory ✓"),
            "{}",
            shown[0].label
        );
    }
}
