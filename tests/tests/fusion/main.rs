//! Fusion plans over random DAGs: the search against all choices, and fused against unfused values.
//!
//! The bars' numbers of DAGs run in release: `cargo xtask bars fusion` sets them.
#![expect(clippy::print_stdout, reason = "a run says how much it compared")]

mod generator;
mod search;
mod threads;
mod values;

/// How many random DAGs a test looks at: `few`, or what the variable says.
fn how_many(variable: &str, few: u64) -> u64 {
    std::env::var(variable)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(few)
}
