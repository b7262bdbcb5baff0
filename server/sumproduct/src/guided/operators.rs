//! The operators of linear algebra by the signs and names that sketches and rules write.

use sumac_la::{Arity, Op, Print};

/// The operator of an infix sign. `&&` and `||` are DML's `&` and `|`, which mean something else in sketches.
#[must_use]
pub fn infix(sign: &str) -> Option<Op> {
    let sign = match sign {
        "&&" => "&",
        "||" => "|",
        sign => sign,
    };
    let is_it = |op: &&Op| matches!(op.info().print, Print::Infix(own, _) if own == sign);
    Op::ALL.iter().find(is_it).copied()
}

/// The operator of a prefix sign.
#[must_use]
pub fn prefix(sign: &str) -> Option<Op> {
    let is_it = |op: &&Op| matches!(op.info().print, Print::Prefix(own, _) if own == sign);
    Op::ALL.iter().find(is_it).copied()
}

/// The operators that are called by name, with the fewest and the most arguments.
#[must_use]
pub fn calls() -> Vec<(&'static str, usize, usize)> {
    let rows = Op::ALL.iter().filter_map(|op| {
        let row = op.info();
        let (least, most) = match row.arity {
            Arity::Exactly(n) => (n, n),
            Arity::AtLeast(n) => (n, usize::MAX),
        };
        Some((row.call_name()?, least, most))
    });
    rows.collect()
}
