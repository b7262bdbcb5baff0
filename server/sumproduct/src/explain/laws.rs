//! The laws that a step of an explanation is named by: each rule of the search with its equation, as one table.
//!
//! In equations, `Σ` is a sum over an axis: that of `sum`, `rowSums` and `colSums`, and of the inner axis of `%*%`; `*`
//! multiplies cell by cell. This module must never know where a law fits.

use crate::identities::IDENTITIES;
use crate::rules::{Match, Rule};

/// What makes a step of an explanation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Law(Kind);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Kind {
    /// A rule of the table.
    Rule(Rule),
    /// A row of [`IDENTITIES`].
    Identity(usize),
    /// No rule: both are one relation.
    Same,
    /// No rule: what both are made of has one canonical form.
    Canonical,
}

/// A rule as people read it.
struct Row {
    rule: Rule,
    says: &'static str,
    /// The rule that reads the equation from right to left; the rule itself where there is none.
    backwards: Rule,
    /// Whether it only brings others about: it names a step where no other law does.
    is_minor: bool,
}

const fn row(rule: Rule, backwards: Rule, says: &'static str) -> Row {
    Row {
        rule,
        says,
        backwards,
        is_minor: false,
    }
}

const fn minor(rule: Rule, says: &'static str) -> Row {
    Row {
        rule,
        says,
        backwards: rule,
        is_minor: true,
    }
}

/// One row for each rule.
#[rustfmt::skip]
const ROWS: [Row; Rule::ALL.len()] = [
    row(Rule::Distribute, Rule::Factor,     "(x + y) * z = x * z + y * z"),
    row(Rule::Factor,     Rule::Distribute, "x * z + y * z = (x + y) * z"),
    row(Rule::FactorOne,  Rule::Distribute, "x + x * y = x * (1 + y)"),
    row(Rule::Double,     Rule::Double,     "x + x = 2 * x"),
    row(Rule::PullIn,     Rule::PushOut,    "(Σ x) * z = Σ (x * z): a factor moves into a sum"),
    row(Rule::PushOut,    Rule::PullIn,     "Σ (x * z) = (Σ x) * z: what does not change along an axis moves out of its sum"),
    row(Rule::SumOfUnion, Rule::UnionOfSums, "Σ (x + y) = Σ x + Σ y"),
    row(Rule::UnionOfSums, Rule::SumOfUnion, "Σ x + Σ y = Σ (x + y)"),
    row(Rule::Sift,       Rule::Sift,       "Σ_j δ(i, j) * x(j) = x(i): of the diagonal matrix's row, one cell is left"),
    row(Rule::Reorder,    Rule::Reorder,    "an aggregate over all cells that rev or a reshaping moves is that of the cells as they were"),
    row(Rule::Reverse,    Rule::Reverse,    "rev(rev(x)) = x"),
    row(Rule::Sigmoid,    Rule::Sigmoid,    "1 / (1 + exp(-x)) = sigmoid(x)"),
    row(Rule::MergeFolds, Rule::MergeFolds, "min(rowMins(x)) = min(x), and the like for columns, maxima and products"),
    row(Rule::Identity,   Rule::Identity,   "an identity of functions"),
    minor(Rule::MergeSums, "Σ Σ x = Σ x over both axes"),
    minor(Rule::AssocMul,  "(x * y) * z = x * (y * z)"),
    minor(Rule::AssocAdd,  "(x + y) + z = x + (y + z)"),
    minor(Rule::Repeat,    "x + 1 * y = x + y, where the matrix of ones only repeats y"),
];

impl Law {
    /// Both are one relation before any rule.
    pub(super) const SAME: Law = Law(Kind::Same);
    /// Both have one canonical form.
    pub(super) const CANONICAL: Law = Law(Kind::Canonical);

    /// The law of a rule's match.
    pub(super) fn of(found: &Match) -> Law {
        match found.rule {
            Rule::Identity => Law(Kind::Identity(usize::from(found.pick))),
            rule => Law(Kind::Rule(rule)),
        }
    }

    /// The law of a rule.
    pub(super) fn rule(rule: Rule) -> Law {
        Law(Kind::Rule(rule))
    }

    /// All laws that a rule of the search can make.
    pub(super) fn all() -> impl Iterator<Item = Law> {
        let rules = Rule::ALL.into_iter().filter(|r| *r != Rule::Identity);
        let identities = (0..IDENTITIES.len()).map(|k| Law(Kind::Identity(k)));
        rules.map(Law::rule).chain(identities)
    }

    /// The name of the rule, as everywhere.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Rule(rule) => rule.name(),
            Kind::Identity(k) => IDENTITIES[k].name,
            Kind::Same => "same-relation",
            Kind::Canonical => "canonical-form",
        }
    }

    /// What it says, in one line.
    #[must_use]
    pub fn says(self) -> String {
        match self.0 {
            Kind::Rule(rule) => row_of(rule).says.to_owned(),
            Kind::Identity(k) => IDENTITIES[k].says(),
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
            Kind::Rule(rule) => Law::rule(row_of(rule).backwards),
            _ => self,
        }
    }

    /// Whether it names a step only where no other law does.
    pub(super) fn is_minor(self) -> bool {
        match self.0 {
            Kind::Rule(rule) => row_of(rule).is_minor,
            Kind::Identity(_) | Kind::Canonical => false,
            Kind::Same => true,
        }
    }
}

fn row_of(rule: Rule) -> &'static Row {
    ROWS.iter()
        .find(|row| row.rule == rule)
        .expect("the table has a row for each rule")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_rule_has_a_row_and_a_name_of_its_own() {
        let rules: BTreeSet<Rule> = ROWS.iter().map(|row| row.rule).collect();
        assert_eq!(rules, Rule::ALL.into_iter().collect());
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
