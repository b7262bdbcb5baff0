//! A form of a statement, as the commands that suggest one say it: rows of JSON, and a line of text.

use serde::Serialize;
use sumac_ide::quantity;
use sumac_ide::suggest::Suggestion;

/// A cost of both forms, by a model.
#[derive(Serialize)]
pub(super) struct CostRow {
    model: &'static str,
    original: f64,
    optimized: f64,
}

/// A figure of both forms.
#[derive(Serialize)]
pub(super) struct Pair {
    original: f64,
    optimized: f64,
}

/// How far both forms' results lay apart, and on what data.
#[derive(Serialize)]
pub(super) struct CheckRow {
    max_relative_error: f64,
    rows: u64,
    cols: u64,
}

impl CostRow {
    pub(super) fn of(suggestion: &Suggestion) -> Self {
        CostRow {
            model: suggestion.model.name(),
            original: suggestion.cost.0,
            optimized: suggestion.cost.1,
        }
    }
}

impl Pair {
    pub(super) fn flops(suggestion: &Suggestion) -> Self {
        Pair {
            original: suggestion.before.flops,
            optimized: suggestion.after.flops,
        }
    }

    pub(super) fn peak_bytes(suggestion: &Suggestion) -> Self {
        Pair {
            original: suggestion.before.peak_bytes,
            optimized: suggestion.after.peak_bytes,
        }
    }
}

impl CheckRow {
    pub(super) fn of(suggestion: &Suggestion) -> Self {
        CheckRow {
            max_relative_error: suggestion.check.max_relative_error,
            rows: suggestion.check.rows,
            cols: suggestion.check.cols,
        }
    }
}

/// The digits that a form loses beside the one as written, on the worst data that was found; below 0 where it gains some.
#[derive(Serialize)]
pub(super) struct AccuracyRow {
    lost_digits: f64,
    /// Which data; `null` where random data shows as much.
    worst: Option<String>,
    /// The digits that it gains on the best data that was found.
    gained_digits: f64,
    /// Which data.
    best: Option<String>,
    /// Inputs that are taken to be full, as nothing else is stated of them: were most of their rows zero, it could lose digits.
    taken_as_full: Vec<String>,
}

impl AccuracyRow {
    pub(super) fn of(suggestion: &Suggestion) -> Option<Self> {
        let accuracy = suggestion.accuracy.as_ref()?;
        let rounded = |digits: f64| (digits * 10.0).round() / 10.0;
        Some(AccuracyRow {
            lost_digits: rounded(accuracy.lost_digits),
            worst: accuracy.worst.clone(),
            gained_digits: rounded(accuracy.gained_digits),
            best: accuracy.best.clone(),
            taken_as_full: accuracy.taken_as_full.clone(),
        })
    }
}

/// What a form gains, and why it can be trusted, in a line.
pub(super) fn summary(suggestion: &Suggestion) -> String {
    let note = suggestion.memory_note();
    let note = note.map_or_else(String::new, |note| {
        format!(". {}", note.trim_end_matches('.'))
    });
    let caveats = suggestion.caveats();
    let mut caveats: String = caveats.map(|caveat| format!("; {caveat}")).collect();
    if !suggestion.equal_sizes.is_empty() {
        let sizes = suggestion.equal_sizes.join(" and ");
        caveats.push_str(&format!("; where {sizes}, as is stated"));
    }
    /// What computes more than this share of what the statement does is not cheaper for that.
    const AS_MUCH: f64 = 0.9;
    // What is cheaper though it computes as much, or more, moves less.
    let (before, after) = (&suggestion.before, &suggestion.after);
    let moved = match after.flops > AS_MUCH * before.flops && after.bytes < before.bytes {
        true => format!(
            ", {} → {} read and written",
            quantity::bytes(before.bytes),
            quantity::bytes(after.bytes)
        ),
        false => String::new(),
    };
    format!(
        "{}: {} → {} FLOPs{moved}, {} → {} peak memory; proved ({}), checked with relative error {}{caveats}{note}",
        suggestion.gain("about "),
        quantity::count(before.flops),
        quantity::count(after.flops),
        quantity::bytes(before.peak_bytes),
        quantity::bytes(after.peak_bytes),
        suggestion.proof.name(),
        quantity::relative_error(suggestion.check.max_relative_error),
    )
}
