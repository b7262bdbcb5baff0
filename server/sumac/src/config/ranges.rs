//! What numbers a configuration may hold: one that makes no sense would take all memory, or all time.

use serde_json::Value;
use sumac_syntax::format::FormatOptions;

use super::layer::Wrong;

/// A key and the numbers that it takes.
struct Range {
    section: &'static str,
    key: &'static str,
    least: f64,
    most: f64,
}

const fn range(section: &'static str, key: &'static str, least: f64, most: f64) -> Range {
    Range {
        section,
        key,
        least,
        most,
    }
}

/// A week, in seconds.
const WEEK: f64 = 7.0 * 24.0 * 3600.0;

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
const RANGES: [Range; 12] = [
    range(
        "format",
        "indent-width",
        0.0,
        FormatOptions::MOST_INDENT as f64,
    ),
    range(
        "format",
        "line-width",
        1.0,
        FormatOptions::MOST_WIDTH as f64,
    ),
    range(
        "format",
        "max-blank-lines",
        0.0,
        FormatOptions::MOST_BLANK as f64,
    ),
    range("engine", "time-limit", 0.0, WEEK),
    range("limits", "request-time", 0.0, WEEK),
    range("search", "max-nodes", 0.0, 1e7),
    range("search", "max-iterations", 0.0, 1e5),
    range("search", "min-speedup", 0.0, 1e9),
    range("cluster", "block", 1.0, 1e9),
    range("cluster", "executors", 1.0, 1e6),
    range("cluster", "cores", 1.0, 1e6),
    range("facts", "", 0.0, 1e15),
];

/// Whether a number is one that its key takes.
///
/// # Errors
/// It is too small or too large.
pub fn check(section: &str, key: &str, value: &Value) -> Result<(), Wrong> {
    let Some(number) = value.as_f64() else {
        return Ok(());
    };
    let is_it =
        |range: &&Range| range.section == section && (range.key.is_empty() || range.key == key);
    match RANGES.iter().find(is_it) {
        // NaN is in no range.
        Some(range) if !(range.least..=range.most).contains(&number) => Err(Wrong::Value(format!(
            "`{key}` in [{section}]: expected a number from {} to {}, found {number}",
            range.least, range.most
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::{Layer, keys};

    #[test]
    fn every_range_is_that_of_a_key() {
        for range in &RANGES {
            let known = &keys()[range.section];
            assert!(
                range.key.is_empty() || known.iter().any(|key| key == range.key),
                "{}",
                range.key
            );
        }
    }

    #[test]
    fn numbers_that_make_no_sense_are_refused_and_change_nothing() {
        let mut layer = Layer::default();
        for (section, key, value) in [
            ("format", "indent-width", 2_000_000_000_u64),
            ("format", "line-width", 0),
            ("format", "max-blank-lines", u64::MAX),
            ("engine", "time-limit", 10_000_000),
            ("search", "max-nodes", 1 << 40),
            ("facts", "n", 5_000_000_000_000_000),
        ] {
            let wrong = layer.set(section, key, json!(value)).unwrap_err();
            assert!(wrong.message().contains("expected a number from"));
        }
        assert!(layer.is_empty());
        assert!(layer.set("format", "indent-width", json!(8)).is_ok());
    }
}
