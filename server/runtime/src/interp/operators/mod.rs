//! The algebraic builtins that `sumac-la`'s table does not know: one row each, with its arguments by name.
//!
//! A row reads its arguments and calls one kernel. It has no effects, and what a name means never depends on a script.

mod cellwise;
mod construct;
mod linear;
mod operator;
mod reorganize;
mod statistics;
mod summaries;

use operator::Operator;

/// The operator called `name`.
pub(super) fn find(name: &str) -> Option<&'static Operator> {
    OPERATORS
        .iter()
        .flat_map(|rows| rows.iter())
        .find(|operator| operator.name == name)
}

static OPERATORS: &[&[Operator]] = &[
    cellwise::ROWS,
    construct::ROWS,
    linear::ROWS,
    reorganize::ROWS,
    statistics::ROWS,
    summaries::ROWS,
];

/// Other names of builtins.
#[rustfmt::skip]
static ALIASES: &[(&str, &str)] = &[
    ("avg",              "mean"),
    ("tr",               "trace"),
    ("pmin",             "min"),
    ("pmax",             "max"),
    ("ceiling",          "ceil"),
    ("isNA",             "is.na"),
    ("isNaN",            "is.nan"),
    ("isInf",            "is.infinite"),
    ("as.boolean",       "as.logical"),
    ("Rand",             "rand"),
    ("groupedAggregate", "aggregate"),
    ("inverse",          "inv"),
    ("ctable",           "table"),
    ("rcm",              "rowClassMeet"),
    ("centralMoment",    "moment"),
    ("printf",           "print"),
];

/// The name that a builtin has in the tables.
pub(super) fn canonical(name: &str) -> &str {
    ALIASES
        .iter()
        .find(|(other, _)| *other == name)
        .map_or(name, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_name_stands_once_and_every_alias_leads_to_a_builtin() {
        let mut seen = BTreeSet::new();
        for operator in OPERATORS.iter().flat_map(|rows| rows.iter()) {
            assert!(seen.insert(operator.name), "{} stands twice", operator.name);
            assert_eq!(canonical(operator.name), operator.name);
        }
        for (alias, name) in ALIASES {
            let is_known = find(name).is_some()
                || super::super::builtins::find(name).is_some()
                || sumac_la::Op::ALL
                    .iter()
                    .any(|op| op.info().call_name() == Some(name));
            assert!(is_known, "{alias} leads to {name}");
        }
    }
}
