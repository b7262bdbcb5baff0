//! The laws that a step of an explanation is named by: each rule of the search with its equation, from the row of each rule.
//!
//! In equations, `Σ` is a sum over an axis: that of `sum`, `rowSums` and `colSums`, and of the inner axis of `%*%`; `*`
//! multiplies cell by cell. This module must never know where a law fits.

use crate::rules::Rule;

/// What makes a step of an explanation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Law(Kind);

/// By name: as steps list them.
impl Ord for Law {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.name().cmp(other.name())
    }
}

impl PartialOrd for Law {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Kind {
    /// A rule of the table.
    Rule(Rule),
    /// No rule: both are one relation.
    Same,
    /// No rule: what both are made of has one canonical form.
    Canonical,
}

impl Law {
    /// Both are one relation before any rule.
    pub(super) const SAME: Law = Law(Kind::Same);
    /// Both have one canonical form.
    pub(super) const CANONICAL: Law = Law(Kind::Canonical);

    /// The law of a rule.
    pub(super) fn rule(rule: Rule) -> Law {
        Law(Kind::Rule(rule))
    }

    /// All laws that a rule of the search can make.
    pub(super) fn all() -> impl Iterator<Item = Law> {
        Rule::all().map(Law::rule)
    }

    /// The name of the rule, as everywhere.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Rule(rule) => rule.name(),
            Kind::Same => "same-relation",
            Kind::Canonical => "canonical-form",
        }
    }

    /// What it says, in one line.
    #[must_use]
    pub fn says(self) -> String {
        match self.0 {
            Kind::Rule(rule) => rule.row().says(),
            Kind::Same => {
                "the same cells: only transposes, squares, differences, quotients, constants or the order of operands are written in another way"
                    .to_owned()
            }
            Kind::Canonical => {
                "comparisons and functions of the same canonical form, as it stands below the steps"
                    .to_owned()
            }
        }
    }

    /// The law that reads the equation from right to left.
    pub(super) fn backwards(self) -> Law {
        match self.0 {
            Kind::Rule(rule) => Law::rule(rule.backwards()),
            _ => self,
        }
    }

    /// Whether it names a step only where no other law does.
    pub(super) fn is_minor(self) -> bool {
        match self.0 {
            Kind::Rule(rule) => rule.row().is_minor,
            Kind::Canonical => false,
            Kind::Same => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_rule_has_a_name_of_its_own() {
        let names: BTreeSet<_> = Law::all().map(Law::name).collect();
        assert_eq!(names.len(), Law::all().count());
    }

    #[test]
    fn what_reads_backwards_reads_forwards_again() {
        for law in Law::all().filter(|law| law.name() != "factor-one") {
            assert_eq!(law.backwards().backwards(), law, "{}", law.name());
        }
    }

    #[test]
    fn identities_say_their_equation_as_dml_does() {
        let says = |name| {
            let law = Law::all().find(|law| law.name() == name);
            law.expect("a row").says()
        };
        assert_eq!(says("not-less"), "!A < B = A >= B");
        assert_eq!(says("positive-part"), "A * (A > 0) = max(A, 0)");
        assert_eq!(
            says("abs-truth"),
            "abs(A) = A, where all cells of A are 0 or 1"
        );
    }
}
