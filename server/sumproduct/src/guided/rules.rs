//! The rules of guided searches: equations of linear algebra in sets that people can name.
//!
//! Each row is an equation as DML writes it, read from left to right; capital letters stand for any value. A condition
//! that is not proven counts as false, and what would change the shape of a value is not applied. A test instantiates
//! every row over all small shapes and has the canonical form prove it.

use std::sync::{Arc, OnceLock};

use egg::{ENodeOrVar, Id, Pattern, PatternAst, RecExpr, Symbol, Var};
use sumac_la::Op;
use sumac_sketch::text::ast::{Expr, ExprKind};
use sumac_sketch::text::parse_expression;

use super::asks::Asks;
use super::language::La;
use super::operators;

/// A set of rules that a person can name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum RuleSet {
    /// Products over sums, and aggregates over sums.
    Distribute,
    /// The same from right to left.
    Factor,
    /// Aggregates into products and out of them.
    Aggregate,
    /// Other orders of the same operations.
    Associate,
    /// Transposes inwards and outwards.
    Transpose,
    /// Towards operators that engines fuse.
    Fuse,
    /// Numbers.
    Constants,
    /// What is always simpler: applied before each search.
    Tidy,
    /// None: a sketch file lists the rule.
    Listed,
}

/// The names of rule sets, and what each is for. `sum_product` is all but `fuse`.
pub const RULE_SETS: [(&str, &str); 8] = [
    (
        "sum_product",
        "all laws of sums and products: distribute, factor, aggregate, associate, transpose and constants",
    ),
    (
        "distribute",
        "products over sums, squares of sums, aggregates over sums: multiplies out",
    ),
    (
        "factor",
        "takes out what summands share; `distribute` from right to left",
    ),
    (
        "aggregate",
        "sums of products: into the factors, as products of vectors, around a cycle of factors",
    ),
    (
        "associate",
        "other orders of products and sums; scalars and diagonals past products",
    ),
    ("transpose", "transposes inwards and outwards"),
    (
        "fuse",
        "towards operators that engines fuse: squares, chains of a matrix and its transpose, sampled products",
    ),
    (
        "constants",
        "numbers: neutral elements, multiples, signs, quotients",
    ),
];

use Asks::{Column, Matrix, Row, Same, Scalar};
use RuleSet as S;

type RowOfTable = (
    &'static str,
    RuleSet,
    &'static str,
    &'static str,
    &'static [Asks],
);

#[rustfmt::skip]
const TABLE: &[RowOfTable] = &[
    ("matmul_over_add",        S::Distribute, "A %*% (B + C)",       "A %*% B + A %*% C",          &[Same("B", "C")]),
    ("matmul_over_sub",        S::Distribute, "A %*% (B - C)",       "A %*% B - A %*% C",          &[Same("B", "C")]),
    ("add_over_matmul",        S::Distribute, "(A + B) %*% C",       "A %*% C + B %*% C",          &[Same("A", "B")]),
    ("sub_over_matmul",        S::Distribute, "(A - B) %*% C",       "A %*% C - B %*% C",          &[Same("A", "B")]),
    ("mul_over_add",           S::Distribute, "A * (B + C)",         "A * B + A * C",              &[]),
    ("mul_over_sub",           S::Distribute, "A * (B - C)",         "A * B - A * C",              &[]),
    ("div_over_add",           S::Distribute, "(A + B) / C",         "A / C + B / C",              &[]),
    ("div_over_sub",           S::Distribute, "(A - B) / C",         "A / C - B / C",              &[]),
    ("square_of_sum",          S::Distribute, "(A + B)^2",           "A^2 + 2 * (A * B) + B^2",    &[]),
    ("square_of_difference",   S::Distribute, "(A - B)^2",           "A^2 - 2 * (A * B) + B^2",    &[]),
    ("square_of_product",      S::Distribute, "(A * B)^2",           "A^2 * B^2",                  &[]),
    ("negative_of_sum",        S::Distribute, "-(A + B)",            "-A - B",                     &[]),
    ("negative_of_difference", S::Distribute, "-(A - B)",            "B - A",                      &[]),
    ("sum_of_add",             S::Distribute, "sum(A + B)",          "sum(A) + sum(B)",            &[Same("A", "B")]),
    ("sum_of_sub",             S::Distribute, "sum(A - B)",          "sum(A) - sum(B)",            &[Same("A", "B")]),
    ("row_sums_of_add",        S::Distribute, "rowSums(A + B)",      "rowSums(A) + rowSums(B)",    &[Same("A", "B")]),
    ("row_sums_of_sub",        S::Distribute, "rowSums(A - B)",      "rowSums(A) - rowSums(B)",    &[Same("A", "B")]),
    ("col_sums_of_add",        S::Distribute, "colSums(A + B)",      "colSums(A) + colSums(B)",    &[Same("A", "B")]),
    ("col_sums_of_sub",        S::Distribute, "colSums(A - B)",      "colSums(A) - colSums(B)",    &[Same("A", "B")]),
    ("trace_of_add",           S::Distribute, "trace(A + B)",        "trace(A) + trace(B)",        &[Same("A", "B")]),
    ("trace_of_sub",           S::Distribute, "trace(A - B)",        "trace(A) - trace(B)",        &[Same("A", "B")]),

    ("matmul_left_of_add",     S::Factor,     "A %*% B + A %*% C",   "A %*% (B + C)",              &[Same("B", "C")]),
    ("matmul_left_of_sub",     S::Factor,     "A %*% B - A %*% C",   "A %*% (B - C)",              &[Same("B", "C")]),
    ("matmul_right_of_add",    S::Factor,     "A %*% C + B %*% C",   "(A + B) %*% C",              &[Same("A", "B")]),
    ("matmul_right_of_sub",    S::Factor,     "A %*% C - B %*% C",   "(A - B) %*% C",              &[Same("A", "B")]),
    ("factor_of_add",          S::Factor,     "A * B + A * C",       "A * (B + C)",                &[]),
    ("factor_of_sub",          S::Factor,     "A * B - A * C",       "A * (B - C)",                &[]),
    ("one_more",               S::Factor,     "A * B + A",           "A * (B + 1)",                &[]),
    ("one_less",               S::Factor,     "A * B - A",           "A * (B - 1)",                &[]),
    ("less_than_one",          S::Factor,     "A - A * B",           "A * (1 - B)",                &[]),
    ("divisor_of_add",         S::Factor,     "A / C + B / C",       "(A + B) / C",                &[]),
    ("divisor_of_sub",         S::Factor,     "A / C - B / C",       "(A - B) / C",                &[]),
    ("product_of_squares",     S::Factor,     "A^2 * B^2",           "(A * B)^2",                  &[]),
    ("sum_as_square",          S::Factor,     "A^2 + 2 * (A * B) + B^2", "(A + B)^2",              &[Same("A", "B")]),
    ("difference_as_square",   S::Factor,     "A^2 - 2 * (A * B) + B^2", "(A - B)^2",              &[Same("A", "B")]),
    ("add_of_sums",            S::Factor,     "sum(A) + sum(B)",     "sum(A + B)",                 &[Same("A", "B")]),
    ("sub_of_sums",            S::Factor,     "sum(A) - sum(B)",     "sum(A - B)",                 &[Same("A", "B")]),
    ("add_of_row_sums",        S::Factor,     "rowSums(A) + rowSums(B)", "rowSums(A + B)",         &[Same("A", "B")]),
    ("sub_of_row_sums",        S::Factor,     "rowSums(A) - rowSums(B)", "rowSums(A - B)",         &[Same("A", "B")]),
    ("add_of_col_sums",        S::Factor,     "colSums(A) + colSums(B)", "colSums(A + B)",         &[Same("A", "B")]),
    ("sub_of_col_sums",        S::Factor,     "colSums(A) - colSums(B)", "colSums(A - B)",         &[Same("A", "B")]),

    ("sum_of_matmul",          S::Aggregate,  "sum(A %*% B)",        "sum(t(colSums(A)) * rowSums(B))", &[]),
    ("sum_as_matmul",          S::Aggregate,  "sum(t(colSums(A)) * rowSums(B))", "sum(A %*% B)",   &[Matrix("A"), Matrix("B")]),
    ("row_sums_of_matmul",     S::Aggregate,  "rowSums(A %*% B)",    "A %*% rowSums(B)",           &[]),
    ("row_sums_out",           S::Aggregate,  "A %*% rowSums(B)",    "rowSums(A %*% B)",           &[]),
    ("col_sums_of_matmul",     S::Aggregate,  "colSums(A %*% B)",    "colSums(A) %*% B",           &[]),
    ("col_sums_out",           S::Aggregate,  "colSums(A) %*% B",    "colSums(A %*% B)",           &[]),
    ("sum_of_multiple",        S::Aggregate,  "sum(A * B)",          "A * sum(B)",                 &[Scalar("A"), Matrix("B")]),
    ("multiple_of_sum",        S::Aggregate,  "A * sum(B)",          "sum(A * B)",                 &[Scalar("A"), Matrix("B")]),
    ("row_sums_of_multiple",   S::Aggregate,  "rowSums(A * B)",      "A * rowSums(B)",             &[Scalar("A")]),
    ("col_sums_of_multiple",   S::Aggregate,  "colSums(A * B)",      "A * colSums(B)",             &[Scalar("A")]),
    ("sum_of_quotient",        S::Aggregate,  "sum(A / B)",          "sum(A) / B",                 &[Scalar("B"), Matrix("A")]),
    ("sum_of_negative",        S::Aggregate,  "sum(-A)",             "-sum(A)",                    &[]),
    ("sum_by_rows",            S::Aggregate,  "sum(A)",              "sum(rowSums(A))",            &[Matrix("A")]),
    ("sum_of_row_sums",        S::Aggregate,  "sum(rowSums(A))",     "sum(A)",                     &[]),
    ("sum_of_col_sums",        S::Aggregate,  "sum(colSums(A))",     "sum(A)",                     &[]),
    ("sum_with_column",        S::Aggregate,  "sum(A * B)",          "sum(B * rowSums(A))",        &[Matrix("A"), Column("B")]),
    ("sum_with_row",           S::Aggregate,  "sum(A * B)",          "sum(B * colSums(A))",        &[Matrix("A"), Row("B")]),
    ("row_sums_with_column",   S::Aggregate,  "rowSums(A * B)",      "B * rowSums(A)",             &[Matrix("A"), Column("B")]),
    ("row_sums_with_row",      S::Aggregate,  "rowSums(A * B)",      "A %*% t(B)",                 &[Row("B")]),
    ("col_sums_with_row",      S::Aggregate,  "colSums(A * B)",      "B * colSums(A)",             &[Matrix("A"), Row("B")]),
    ("col_sums_with_column",   S::Aggregate,  "colSums(A * B)",      "t(B) %*% A",                 &[Column("B")]),
    ("inner_product",          S::Aggregate,  "sum(A * B)",          "as.scalar(t(A) %*% B)",      &[Column("A"), Same("A", "B")]),
    ("inner_product_of_rows",  S::Aggregate,  "sum(A * B)",          "as.scalar(A %*% t(B))",      &[Row("A"), Same("A", "B")]),
    ("inner_square",           S::Aggregate,  "sum(A^2)",            "as.scalar(t(A) %*% A)",      &[Column("A")]),
    ("inner_product_as_sum",   S::Aggregate,  "as.scalar(t(A) %*% B)", "sum(A * B)",               &[Column("A"), Column("B")]),
    ("around_to_left",         S::Aggregate,  "sum(A * (B %*% C))",  "sum(B * (A %*% t(C)))",      &[]),
    ("around_to_right",        S::Aggregate,  "sum(A * (B %*% C))",  "sum(C * (t(B) %*% A))",      &[]),
    ("sum_of_two_products",    S::Aggregate,  "sum((A %*% B) * (C %*% D))", "sum((t(A) %*% C) * (B %*% t(D)))", &[]),
    ("sum_of_square_product",  S::Aggregate,  "sum((A %*% B)^2)",    "sum((t(A) %*% A) * (B %*% t(B)))", &[]),
    ("trace_of_matmul",        S::Aggregate,  "trace(A %*% B)",      "sum(A * t(B))",              &[]),
    ("trace_of_turned",        S::Aggregate,  "trace(t(A) %*% B)",   "sum(A * B)",                 &[]),
    ("sum_as_trace",           S::Aggregate,  "sum(A * B)",          "trace(t(A) %*% B)",          &[Matrix("A"), Same("A", "B")]),

    ("matmul_to_right",        S::Associate,  "(A %*% B) %*% C",     "A %*% (B %*% C)",            &[]),
    ("matmul_to_left",         S::Associate,  "A %*% (B %*% C)",     "(A %*% B) %*% C",            &[]),
    ("mul_in_another_order",   S::Associate,  "(A * B) * C",         "A * (B * C)",                &[]),
    ("add_in_another_order",   S::Associate,  "(A + B) + C",         "A + (B + C)",                &[]),
    ("sub_of_add",             S::Associate,  "A - (B + C)",         "(A - B) - C",                &[]),
    ("sub_twice",              S::Associate,  "(A - B) - C",         "A - (B + C)",                &[]),
    ("sub_of_sub",             S::Associate,  "A - (B - C)",         "(A - B) + C",                &[]),
    ("add_then_sub",           S::Associate,  "(A + B) - C",         "A + (B - C)",                &[]),
    ("sub_then_add",           S::Associate,  "A + (B - C)",         "(A + B) - C",                &[]),
    ("multiple_out_of_left",   S::Associate,  "(A * B) %*% C",       "A * (B %*% C)",              &[Scalar("A")]),
    ("multiple_out_of_right",  S::Associate,  "B %*% (A * C)",       "A * (B %*% C)",              &[Scalar("A")]),
    ("multiple_into_left",     S::Associate,  "A * (B %*% C)",       "(A * B) %*% C",              &[Scalar("A")]),
    ("multiple_into_right",    S::Associate,  "A * (B %*% C)",       "B %*% (A * C)",              &[Scalar("A")]),
    ("rows_out",               S::Associate,  "(A * B) %*% C",       "(B %*% C) * A",              &[Column("A"), Matrix("B")]),
    ("rows_in",                S::Associate,  "(B %*% C) * A",       "(B * A) %*% C",              &[Column("A")]),
    ("columns_out",            S::Associate,  "B %*% (C * A)",       "(B %*% C) * A",              &[Row("A"), Matrix("C")]),
    ("columns_in",             S::Associate,  "(B %*% C) * A",       "B %*% (C * A)",              &[Row("A")]),
    ("middle_to_left",         S::Associate,  "B %*% (C * A)",       "(B * t(A)) %*% C",           &[Column("A"), Matrix("C")]),
    ("middle_to_right",        S::Associate,  "(B * A) %*% C",       "B %*% (C * t(A))",           &[Row("A"), Matrix("B")]),
    ("diagonal_from_left",     S::Associate,  "diag(A) %*% B",       "B * A",                      &[Column("A")]),
    ("diagonal_from_right",    S::Associate,  "B %*% diag(A)",       "B * t(A)",                   &[Column("A")]),
    ("quotient_of_product",    S::Associate,  "(A * B) / C",         "A * (B / C)",                &[]),
    ("product_of_quotient",    S::Associate,  "A * (B / C)",         "(A * B) / C",                &[]),

    ("turned_matmul",          S::Transpose,  "t(A %*% B)",          "t(B) %*% t(A)",              &[]),
    ("matmul_of_turned",       S::Transpose,  "t(A) %*% t(B)",       "t(B %*% A)",                 &[]),
    ("turned_matmul_out",      S::Transpose,  "A %*% B",             "t(t(B) %*% t(A))",           &[Column("B")]),
    ("turned_add",             S::Transpose,  "t(A + B)",            "t(A) + t(B)",                &[Matrix("A"), Matrix("B")]),
    ("add_of_turned",          S::Transpose,  "t(A) + t(B)",         "t(A + B)",                   &[]),
    ("turned_sub",             S::Transpose,  "t(A - B)",            "t(A) - t(B)",                &[Matrix("A"), Matrix("B")]),
    ("sub_of_turned",          S::Transpose,  "t(A) - t(B)",         "t(A - B)",                   &[]),
    ("turned_mul",             S::Transpose,  "t(A * B)",            "t(A) * t(B)",                &[Matrix("A"), Matrix("B")]),
    ("mul_of_turned",          S::Transpose,  "t(A) * t(B)",         "t(A * B)",                   &[]),
    ("turned_multiple",        S::Transpose,  "t(A * B)",            "A * t(B)",                   &[Scalar("A"), Matrix("B")]),
    ("multiple_of_turned",     S::Transpose,  "A * t(B)",            "t(A * B)",                   &[Scalar("A")]),
    ("turned_square",          S::Transpose,  "t(A^2)",              "t(A)^2",                     &[]),
    ("square_of_turned",       S::Transpose,  "t(A)^2",              "t(A^2)",                     &[]),
    ("row_sums_of_turned",     S::Transpose,  "rowSums(t(A))",       "t(colSums(A))",              &[]),
    ("col_sums_of_turned",     S::Transpose,  "colSums(t(A))",       "t(rowSums(A))",              &[]),
    ("turned_row_sums",        S::Transpose,  "t(rowSums(A))",       "colSums(t(A))",              &[]),
    ("turned_col_sums",        S::Transpose,  "t(colSums(A))",       "rowSums(t(A))",              &[]),

    ("square_as_power",        S::Fuse,       "A * A",               "A^2",                        &[]),
    ("power_as_square",        S::Fuse,       "A^2",                 "A * A",                      &[]),
    ("chain",                  S::Fuse,       "(t(A) %*% A) %*% B",  "t(A) %*% (A %*% B)",         &[]),
    ("weighted_chain",         S::Fuse,       "(t(A) * t(B)) %*% C", "t(A) %*% (C * B)",           &[Column("B"), Matrix("A"), Column("C")]),
    ("sampled_product",        S::Fuse,       "sum((A * B) * (C %*% D))", "sum(B * (A * (C %*% D)))", &[]),
    ("squared_loss",           S::Fuse,       "sum(A^2) - 2 * sum(A * B) + sum(B^2)", "sum((A - B)^2)", &[Same("A", "B")]),

    ("square_is_product",      S::Constants,  "A^2",                 "A * A",                      &[]),
    ("product_is_square",      S::Constants,  "A * A",               "A^2",                        &[]),
    ("twice",                  S::Constants,  "A + A",               "2 * A",                      &[]),
    ("two_of",                 S::Constants,  "2 * A",               "A + A",                      &[]),
    ("minus_as_negative",      S::Constants,  "A - B",               "A + (-1) * B",               &[]),
    ("negative_as_minus",      S::Constants,  "A + (-1) * B",        "A - B",                      &[]),
    ("negative",               S::Constants,  "-A",                  "(-1) * A",                   &[]),
    ("negative_back",          S::Constants,  "(-1) * A",            "-A",                         &[]),
    ("add_of_negative",        S::Constants,  "A + (-B)",            "A - B",                      &[]),
    ("sub_of_negative",        S::Constants,  "A - (-B)",            "A + B",                      &[]),
    ("nothing_is_left",        S::Constants,  "A - A",               "0 * A",                      &[]),
    ("square_of_negative",     S::Constants,  "(-A)^2",              "A^2",                        &[]),

    ("turned_twice",           S::Tidy,       "t(t(A))",             "A",                          &[]),
    ("negative_twice",         S::Tidy,       "-(-A)",               "A",                          &[]),
    ("times_one",              S::Tidy,       "1 * A",               "A",                          &[]),
    ("by_one",                 S::Tidy,       "A / 1",               "A",                          &[]),
    ("plus_zero",              S::Tidy,       "A + 0",               "A",                          &[]),
    ("minus_zero",             S::Tidy,       "A - 0",               "A",                          &[]),
    ("to_the_one",             S::Tidy,       "A^1",                 "A",                          &[]),
    ("sum_of_turned",          S::Tidy,       "sum(t(A))",           "sum(A)",                     &[]),
    ("trace_of_one_turned",    S::Tidy,       "trace(t(A))",         "trace(A)",                   &[]),
];

/// A rule that can be applied.
#[derive(Debug)]
pub struct LaRule {
    /// Its name.
    pub name: Arc<str>,
    /// The set that it belongs to.
    pub set: RuleSet,
    /// Its letters.
    pub letters: Vec<Var>,
    /// What it asks.
    pub asks: Vec<Asks<Var>>,
    /// The left side, in each order of commutative operators that is another pattern.
    pub patterns: Vec<Pattern<La>>,
    /// The right side.
    pub right: PatternAst<La>,
}

impl RuleSet {
    /// The sets that a name stands for; `None` if it names none.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static [RuleSet]> {
        Some(match name {
            "sum_product" => &[
                S::Distribute,
                S::Factor,
                S::Aggregate,
                S::Associate,
                S::Transpose,
                S::Constants,
            ],
            "distribute" => &[S::Distribute],
            "factor" => &[S::Factor],
            "aggregate" => &[S::Aggregate],
            "associate" => &[S::Associate],
            "transpose" => &[S::Transpose],
            "fuse" => &[S::Fuse],
            "constants" => &[S::Constants],
            _ => return None,
        })
    }
}

/// All rules, in the order of the table.
#[must_use]
pub fn all() -> &'static [LaRule] {
    static RULES: OnceLock<Vec<LaRule>> = OnceLock::new();
    RULES.get_or_init(|| TABLE.iter().map(compiled).collect())
}

/// The rules that names of sets and rules stand for, in the order of the table, with those that always apply.
#[must_use]
pub fn chosen<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<&'static LaRule> {
    let names: Vec<&str> = names.into_iter().collect();
    let is_in = |rule: &LaRule, name: &str| {
        *rule.name == *name || RuleSet::named(name).is_some_and(|sets| sets.contains(&rule.set))
    };
    let wanted =
        |rule: &&LaRule| rule.set == RuleSet::Tidy || names.iter().any(|name| is_in(rule, name));
    all().iter().filter(wanted).collect()
}

/// The names and equations of all rules, in the order of the table.
pub fn equations() -> impl Iterator<Item = (&'static str, String)> {
    let rows = TABLE.iter();
    rows.map(|(name, _, left, right, _)| (*name, format!("{left} = {right}")))
}

/// The names and equations of one set's rules.
pub fn of_set(name: &str) -> impl Iterator<Item = (&'static str, String)> {
    let sets = RuleSet::named(name).unwrap_or_default();
    let rows = TABLE.iter().zip(equations());
    let in_set = rows.filter(move |((_, set, ..), _)| sets.contains(set));
    in_set.map(|(_, equation)| equation)
}

fn compiled(row: &RowOfTable) -> LaRule {
    let (name, set, left, right, asks) = *row;
    let read = |side: &str| {
        parse_expression(side).unwrap_or_else(|e| panic!("rule {name}: {side}: {}", e.message))
    };
    let asks = asks.iter().map(|asked| asked.map(letter)).collect();
    rule(name, set, (&read(left), &read(right)), asks)
        .unwrap_or_else(|why| panic!("rule {name}: {why}"))
}

/// A rule of two sides.
///
/// # Errors
/// A side has what no operator of linear algebra is: text for a person.
pub fn rule(
    name: &str,
    set: RuleSet,
    (left, right): (&Expr, &Expr),
    asks: Vec<Asks<Var>>,
) -> Result<LaRule, String> {
    let mut patterns: Vec<Pattern<La>> = Vec::new();
    for order in orders(left) {
        let pattern = Pattern::new(pattern(&order)?);
        if patterns.iter().all(|known| known.ast != pattern.ast) {
            patterns.push(pattern);
        }
    }
    let mut letters: Vec<Var> = Vec::new();
    left.walk(&mut |part| {
        if let ExprKind::Name(name) = &part.kind {
            let own = letter(name);
            if !letters.contains(&own) {
                letters.push(own);
            }
        }
    });
    Ok(LaRule {
        name: Arc::from(name),
        set,
        letters,
        asks,
        patterns,
        right: pattern(right)?,
    })
}

/// An expression in all orders of its commutative operators.
fn orders(expr: &Expr) -> Vec<Expr> {
    let with = |kind: ExprKind| Expr {
        range: expr.range,
        kind,
    };
    match &expr.kind {
        ExprKind::Binary(sign, left, right) => {
            let swaps = operators::infix(sign).is_some_and(|op| op.info().commutative);
            let mut found = Vec::new();
            for a in orders(left) {
                for b in orders(right) {
                    let (a, b) = (Box::new(a.clone()), Box::new(b));
                    if swaps {
                        found.push(with(ExprKind::Binary(sign, b.clone(), a.clone())));
                    }
                    found.push(with(ExprKind::Binary(sign, a, b)));
                }
            }
            found
        }
        ExprKind::Unary(sign, inner) => {
            let inner = orders(inner).into_iter();
            inner
                .map(|inner| with(ExprKind::Unary(sign, Box::new(inner))))
                .collect()
        }
        ExprKind::Annotated(inner, _) => orders(inner),
        ExprKind::Call(name, args) if args.len() == 1 => {
            let inner = orders(&args[0]).into_iter();
            inner
                .map(|inner| with(ExprKind::Call(name.clone(), vec![inner])))
                .collect()
        }
        _ => vec![expr.clone()],
    }
}

/// The variable that a letter of a rule is.
#[must_use]
pub fn letter(name: &str) -> Var {
    Var::from(Symbol::from(format!("?{name}")))
}

fn pattern(expr: &Expr) -> Result<PatternAst<La>, String> {
    let mut ast = RecExpr::default();
    add(expr, &mut ast)?;
    Ok(ast)
}

fn add(expr: &Expr, ast: &mut PatternAst<La>) -> Result<Id, String> {
    // Equal letters and numbers of a pattern are one node each.
    let mut leaf = |node: ENodeOrVar<La>| match ast.as_ref().iter().position(|n| *n == node) {
        Some(place) => Id::from(place),
        None => ast.add(node),
    };
    let unknown = |sign: &str| format!("there is no operator `{sign}` in linear algebra");
    let (op, args): (Op, Vec<&Expr>) = match &expr.kind {
        ExprKind::Name(name) => return Ok(leaf(ENodeOrVar::Var(letter(name)))),
        ExprKind::Number(value) => return Ok(leaf(ENodeOrVar::ENode(La::num(*value)))),
        ExprKind::Annotated(inner, _) => return add(inner, ast),
        ExprKind::Unary("-", inner) if matches!(inner.kind, ExprKind::Number(_)) => {
            let ExprKind::Number(value) = inner.kind else {
                unreachable!("matched above")
            };
            return Ok(leaf(ENodeOrVar::ENode(La::num(-value))));
        }
        ExprKind::Unary(sign, inner) => (
            operators::prefix(sign).ok_or_else(|| unknown(sign))?,
            vec![inner],
        ),
        ExprKind::Binary(sign, left, right) => (
            operators::infix(sign).ok_or_else(|| unknown(sign))?,
            vec![left, right],
        ),
        ExprKind::Call(name, args) => (
            Op::by_call_name(&name.text, args.len()).ok_or_else(|| unknown(&name.text))?,
            args.iter().collect(),
        ),
        _ => return Err(format!("a rule speaks of values, and `{expr}` is none")),
    };
    let children = args.into_iter().map(|arg| add(arg, ast));
    let children: Vec<Id> = children.collect::<Result<_, _>>()?;
    Ok(ast.add(ENodeOrVar::ENode(La::Op(op, children.into()))))
}
