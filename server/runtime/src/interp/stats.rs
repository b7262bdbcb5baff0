//! Which operators ran how often and how long.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::compression::Made;

/// A row of the table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StatRow {
    /// As DML writes it.
    pub operator: String,
    /// How often it ran.
    pub count: u64,
    /// How long, all together.
    pub seconds: f64,
}

/// The table while it grows.
#[derive(Default)]
pub(super) struct Stats(BTreeMap<&'static str, (u64, Duration)>);

impl Stats {
    pub(super) fn add(&mut self, operator: &'static str, took: Duration) {
        let entry = self.0.entry(operator).or_default();
        entry.0 += 1;
        entry.1 += took;
    }

    /// Adds what ran elsewhere.
    pub(super) fn absorb(&mut self, other: Stats) {
        for (operator, (count, took)) in other.0 {
            let entry = self.0.entry(operator).or_default();
            entry.0 += count;
            entry.1 += took;
        }
    }

    /// Longest first, then by name. A matrix that was compressed is a row with its ratio, the last one where there were several.
    pub(super) fn rows(&self, made: &[Made]) -> Vec<StatRow> {
        let row = |(operator, (count, took)): (&&str, &(u64, Duration))| StatRow {
            operator: (*operator).to_owned(),
            count: *count,
            seconds: took.as_secs_f64(),
        };
        let mut rows: Vec<StatRow> = self.0.iter().map(row).collect();
        let mut by_name: BTreeMap<&str, (u64, Duration, f64)> = BTreeMap::new();
        for Made { name, took, ratio } in made {
            let entry = by_name.entry(name).or_default();
            *entry = (entry.0 + 1, entry.1 + *took, *ratio);
        }
        rows.extend(
            by_name
                .into_iter()
                .map(|(name, (count, took, ratio))| StatRow {
                    operator: format!("compress {name} {ratio:.1}:1"),
                    count,
                    seconds: took.as_secs_f64(),
                }),
        );
        rows.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        rows
    }
}
