//! The names that suggestions give to variables of their own.

use sumac_syntax::ast::ExprKind;
use sumac_syntax::parse_expression;

/// What temporaries are called, with a number behind.
pub(crate) const TEMPORARY: &str = "tmp";
/// What variables are called that hold what is computed before a loop, with the name of what they are needed for behind.
pub(super) const ONCE: &str = "once";

/// Aggregates whose value a variable may hold that is called after them, with the name of what they aggregate behind: `sum_R`.
const AGGREGATES: [&str; 6] = ["sum", "mean", "min", "max", "prod", "trace"];

/// What a variable is called that holds the value of this expression, where it is an aggregate of a variable.
pub(super) fn name_of_aggregate(text: &str) -> Option<String> {
    let ExprKind::Call(call) = parse_expression(text).0?.kind else {
        return None;
    };
    let [argument] = call.args.as_slice() else {
        return None;
    };
    let ExprKind::Name(of) = &argument.value.kind else {
        return None;
    };
    let is_one = argument.name.is_none() && AGGREGATES.contains(&&*call.name.name);
    is_one.then(|| format!("{}_{}", call.name.name, of.name))
}

/// Whether a variable of this name could be one that suggestions make.
#[must_use]
pub fn is_temporary(name: &str) -> bool {
    let numbered = name.strip_prefix(TEMPORARY);
    let after = |aggregate: &&str| {
        let rest = name.strip_prefix(*aggregate);
        rest.is_some_and(|rest| rest.starts_with('_'))
    };
    numbered.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
        || name.starts_with(ONCE)
        || AGGREGATES.iter().any(after)
}
