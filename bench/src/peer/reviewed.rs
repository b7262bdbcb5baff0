//! Differences from SystemDS that a person has looked at, each with its reason.
//!
//! A line of `reviewed.tsv` is: the comparison, the script, what differs there (a variable or a code), the reason.

use std::collections::BTreeSet;

const LIST: &str = include_str!("reviewed.tsv");

/// The reviewed differences of one comparison.
pub(crate) struct Reviewed {
    known: BTreeSet<(&'static str, &'static str)>,
}

impl Reviewed {
    /// The lines of `comparison`.
    pub(crate) fn load(comparison: &str) -> Self {
        let known = LIST
            .lines()
            .filter_map(|line| {
                let mut fields = line.split('\t');
                (fields.next()? == comparison).then_some((fields.next()?, fields.next()?))
            })
            .collect();
        Reviewed { known }
    }

    /// Whether `what` of `file` is a known difference.
    pub(crate) fn has(&self, file: &str, what: &str) -> bool {
        self.known.contains(&(file, what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_comparison_a_script_a_subject_and_a_reason() {
        for line in LIST.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            assert!(
                fields.len() == 4 && fields.iter().all(|f| !f.is_empty()),
                "{line}"
            );
            assert!(["check", "shapes"].contains(&fields[0]), "{line}");
        }
    }
}
