//! The rules that lose digits of a double, as a reviewed table: how many at most, and why that is so.
//!
//! A rule of algebra may lose digits: whether a form that a search finds is offered is decided by what is measured of the form.
//! The table is here so that a rule which begins to lose digits is seen by whoever reads the change.

/// Digits that any rule may lose: as many as a few roundings in another order.
pub(crate) const FREE: f64 = 2.0;

/// Digits that a row may allow beyond what is seen.
const SLACK: f64 = 2.0;

/// Digits that a rule may lose beyond what its left side loses.
pub(crate) struct Loss {
    pub(crate) rule: &'static str,
    digits: f64,
    why: &'static str,
}

const fn loss(rule: &'static str, digits: f64, why: &'static str) -> Loss {
    Loss { rule, digits, why }
}

/// The rules that lose more than [`FREE`] digits on some input.
#[rustfmt::skip]
pub(crate) const LOSSES: &[Loss] = &[
    loss("add_over_matmul",         12.0, MULTIPLIES),
    loss("distribute",              13.0, MULTIPLIES),
    loss("div_over_add",            12.0, MULTIPLIES),
    loss("div_over_sub",            14.0, MULTIPLIES),
    loss("matmul_over_add",         12.0, MULTIPLIES),
    loss("matmul_over_sub",         12.0, MULTIPLIES),
    loss("mul_over_add",            13.0, MULTIPLIES),
    loss("mul_over_sub",            12.0, MULTIPLIES),
    loss("polyterm",                16.0, MULTIPLIES),
    loss("square_of_difference",    16.0, MULTIPLIES),
    loss("square_of_sum",           16.0, MULTIPLIES),
    loss("sub_over_matmul",         12.0, MULTIPLIES),
    loss("col_sums_of_add",         12.0, SPLITS),
    loss("col_sums_of_sub",         12.0, SPLITS),
    loss("row_sums_of_add",         11.0, SPLITS),
    loss("row_sums_of_sub",         14.0, SPLITS),
    loss("sum-of-plus",             13.0, SPLITS),
    loss("sum_of_add",              12.0, SPLITS),
    loss("sum_of_sub",              13.0, SPLITS),
    loss("trace_of_add",            11.0, SPLITS),
    loss("trace_of_sub",            12.0, SPLITS),
    loss("add_of_col_sums",         12.0, ORDER),
    loss("add_of_row_sums",         12.0, ORDER),
    loss("add_of_sums",             11.0, ORDER),
    loss("around_to_left",           5.0, ORDER),
    loss("around_to_right",          4.0, ORDER),
    loss("associate-plus",           3.0, ORDER),
    loss("col_sums_out",            11.0, ORDER),
    loss("matmul_left_of_add",       5.0, ORDER),
    loss("matmul_left_of_sub",       5.0, ORDER),
    loss("merge-sums",               4.0, ORDER),
    loss("middle_to_right",          4.0, ORDER),
    loss("multiple_into_left",       5.0, ORDER),
    loss("multiple_into_right",      5.0, ORDER),
    loss("multiple_of_sum",         12.0, ORDER),
    loss("plus-of-sums",            12.0, ORDER),
    loss("pull-into-sum",           12.0, ORDER),
    loss("push-out-of-sum",          5.0, ORDER),
    loss("reorder",                 10.0, ORDER),
    loss("row_sums_out",             5.0, ORDER),
    loss("rows_in",                  6.0, ORDER),
    loss("sub_of_col_sums",         11.0, ORDER),
    loss("sub_of_row_sums",         11.0, ORDER),
    loss("sub_of_sums",             12.0, ORDER),
    loss("sum_as_matmul",           11.0, ORDER),
    loss("sum_of_multiple",          4.0, ORDER),
    loss("sum_of_quotient",          7.0, ORDER),
    loss("sum_of_square_product",    8.0, ORDER),
    loss("sum_of_turned",           11.0, ORDER),
    loss("tidy-sum-of-turned",      11.0, ORDER),
    loss("weighted_chain",           5.0, ORDER),
];

const MULTIPLIES: &str = "summands that cancel are multiplied before they are added, and their products are rounded by then";
const SPLITS: &str = "summands that cancel each other in every cell are summed apart, and their sums are rounded by then";
const ORDER: &str = "adds or multiplies in another order: where a sum cancels, its rounding is all that is left, and one order may be exact";

/// The rules that say something else of what is infinite or no number, and why they may.
#[rustfmt::skip]
const BEYOND: &[(&str, &str)] = &[
    ("distribute",     BY_ZERO),
    ("factor",         BY_ZERO),
    ("push-out-of-sum", BY_ZERO),
    ("div_over_add",   BY_ZERO),
    ("div_over_sub",   BY_ZERO),
    ("divisor_of_add", BY_ZERO),
    ("divisor_of_sub", BY_ZERO),
    ("sum_of_quotient", BY_ZERO),
];
const BY_ZERO: &str = "a quotient by zero is infinite, and of two infinities that are added or not it may be another one, or no number";

/// The rules that say something else over operands without cells, and why that is let be.
const OVER_NOTHING: &[(&str, &str)] = &[
    ("sum_of_quotient", NO_QUOTIENTS),
    ("push-out-of-sum", NO_QUOTIENTS),
];
const NO_QUOTIENTS: &str =
    "the sum of no quotients is 0, and the quotient of a sum of nothing by 0 is no number";

/// Whether a rule is listed for what it says over operands without cells.
pub(crate) fn over_nothing(rule: &str) -> bool {
    OVER_NOTHING.iter().any(|(listed, _)| *listed == rule)
}

/// What is wrong with the number of values beyond the finite ones that a rule changes.
pub(crate) fn beyond(rule: &str, count: usize) -> Option<String> {
    let is_listed = BEYOND.iter().any(|(listed, _)| *listed == rule);
    match (count, is_listed) {
        (0, true) => Some(format!("{rule} changes nothing infinite and needs no row")),
        (1.., false) => Some(format!("{rule} says something else of {count} infinities")),
        _ => None,
    }
}

/// Prints what a rule loses at worst, and says what is wrong with that.
pub(crate) fn judged(rule: &str, digits: f64, place: &str) -> Option<String> {
    let listed = LOSSES.iter().find(|loss| loss.rule == rule);
    let most = listed.map_or(FREE, |loss| loss.digits);
    let mark = if listed.is_some() { " listed=yes" } else { "" };
    println!("rule audit: {rule} digits={digits:.1} most={most:.1}{mark}");
    if digits > most {
        return Some(format!(
            "{rule} loses {digits:.1} digits, at most {most:.1}: {place}"
        ));
    }
    // A row that allows what never happens hides the day on which it does.
    (listed.is_some() && (digits <= FREE || digits + SLACK < most))
        .then(|| format!("{rule} loses {digits:.1} digits, and {most:.1} are allowed"))
}

#[test]
fn every_loss_is_of_one_rule_and_has_a_reason() {
    let mut rules: Vec<&str> = LOSSES.iter().map(|loss| loss.rule).collect();
    rules.sort_unstable();
    assert!(rules.windows(2).all(|pair| pair[0] != pair[1]), "twice");
    let names: Vec<&str> = super::names()
        .into_iter()
        .chain(crate::guided::audit::names())
        .chain(super::written::names())
        .chain(super::searched::names())
        .collect();
    for (rule, why) in BEYOND.iter().chain(OVER_NOTHING) {
        assert!(names.contains(rule) && why.len() > 20, "{rule}");
    }
    for loss in LOSSES {
        assert!(names.contains(&loss.rule), "{} is no rule", loss.rule);
        assert!(
            loss.digits > FREE && loss.digits <= 16.0 && loss.why.len() > 20,
            "{}",
            loss.rule
        );
    }
}
