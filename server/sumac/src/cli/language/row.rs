//! A suggestion for programs. Its fields are a contract: none changes its meaning.

use std::collections::BTreeMap;

use serde::Serialize;
use sumac_advice::Suggestion;
use sumac_cost::Polynomial;
use sumac_language::Expression;

use super::Read;

/// A suggestion.
#[derive(Serialize)]
pub(crate) struct Row {
    file: String,
    language: &'static str,
    line: usize,
    end_line: usize,
    function: Option<String>,
    original: String,
    optimized: String,
    /// `always`, `where` or `at-these-sizes`.
    when: &'static str,
    /// `d <= n`, where it is cheaper only there.
    condition: Option<String>,
    /// The sizes from which on it is cheaper, by name: one where a name is not here.
    least_sizes: BTreeMap<String, u64>,
    /// How many times cheaper by estimate, the least and the most of the sizes that were tried.
    gain: [f64; 2],
    seconds: Pair,
    flops: Pair,
    peak_bytes: Pair,
    proof: &'static str,
    check: CheckRow,
    /// `null` where it could not be measured.
    accuracy: Option<AccuracyRow>,
    assumes: Vec<String>,
    /// Forms that are cheaper under another condition.
    alternatives: Vec<Row>,
}

/// A figure of both forms over named sizes, as text: `2 d·n² + n`.
#[derive(Serialize)]
struct Pair {
    original: String,
    optimized: String,
}

impl Pair {
    fn of(before: &Polynomial, after: &Polynomial) -> Self {
        Pair {
            original: before.to_string(),
            optimized: after.to_string(),
        }
    }
}

#[derive(Serialize)]
struct CheckRow {
    max_relative_error: f64,
    rows: u64,
    cols: u64,
}

#[derive(Serialize)]
struct AccuracyRow {
    lost_digits: f64,
    worst: Option<String>,
    gained_digits: f64,
    best: Option<String>,
}

impl Row {
    pub(super) fn of(
        read: &Read<'_>,
        expression: &Expression,
        found: &[Suggestion],
    ) -> Option<Row> {
        let (best, others) = found.split_first()?;
        let mut row = Row::one(read, expression, best);
        row.alternatives = others
            .iter()
            .map(|other| Row::one(read, expression, other))
            .collect();
        Some(row)
    }

    fn one(read: &Read<'_>, expression: &Expression, suggestion: &Suggestion) -> Row {
        use sumac_advice::When;
        let (before, after) = &suggestion.price;
        let rounded = |digits: f64| (digits * 10.0).round() / 10.0;
        Row {
            file: read.file.clone(),
            language: read.language.name(),
            line: read.line(expression.range.start),
            end_line: read.line(expression.range.end),
            function: expression.function.as_ref().map(ToString::to_string),
            original: read.text[expression.range].to_owned(),
            optimized: suggestion.text.clone(),
            when: match suggestion.when {
                When::AtTheseSizes => "at-these-sizes",
                When::Always(_) => "always",
                When::Where { .. } => "where",
            },
            condition: suggestion.when.condition(),
            least_sizes: suggestion
                .when
                .least()
                .iter()
                .map(|(name, least)| (name.to_string(), *least))
                .collect(),
            gain: [suggestion.gain.0, suggestion.gain.1],
            seconds: Pair::of(&before.seconds, &after.seconds),
            flops: Pair::of(&before.flops, &after.flops),
            peak_bytes: Pair::of(&before.peak_bytes, &after.peak_bytes),
            proof: suggestion.proof.name(),
            check: CheckRow {
                max_relative_error: suggestion.check.max_relative_error,
                rows: suggestion.check.rows,
                cols: suggestion.check.cols,
            },
            accuracy: suggestion.accuracy.as_ref().map(|accuracy| AccuracyRow {
                lost_digits: rounded(accuracy.lost_digits),
                worst: accuracy.worst.clone(),
                gained_digits: rounded(accuracy.gained_digits),
                best: accuracy.best.clone(),
            }),
            assumes: suggestion.assumes.clone(),
            alternatives: Vec::new(),
        }
    }
}
