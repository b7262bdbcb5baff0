//! How much faster a suggestion runs than its original, measured by the program at full size in one run.

use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

use super::losses::{LOSSES, script};
use super::sumac::{Sumac, figure, text};
use crate::report::Report;

/// Memory for a run: the original holds up to three dense matrices of 1.6 GB and must not be scaled down.
const MEMORY: &str = "12G";
const FASTER: f64 = 50.0;

pub(super) fn measure(report: &mut Report, sumac: &Sumac) {
    // The first loss is one that SystemDS already rewrites: the other two are what is promised.
    for loss in &LOSSES[1..] {
        let target = format!(">= {FASTER} times faster at scale 1");
        let timed = time(sumac, loss);
        if let Some(answer) = report.expect(loss, &target, timed) {
            let result = judge(report, loss, &target, &answer);
            report.expect(loss, &target, result);
        }
    }
}

fn time(sumac: &Sumac, loss: &str) -> Result<Value> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("loss.dml");
    let (text, line) = script(loss);
    fs::write(&file, text)?;
    let file = file.to_str().context("the path is no text")?;
    let place = format!("{file}:{line}");
    sumac.json(&["time", &place, "--memory", MEMORY])
}

fn judge(report: &mut Report, loss: &str, target: &str, answer: &Value) -> Result<()> {
    let median = |side: &str| figure(answer, &format!("/{side}/ms_median"));
    let ratio = median("original")? / median("optimized")?;
    let scale = figure(answer, "/scale")?;
    let seen = format!(
        "{} → {}: {ratio:.0} times faster; engine {}, {} inputs, scale {scale}",
        side(answer, "original")?,
        side(answer, "optimized")?,
        text(answer, "/engine")?,
        text(answer, "/inputs")?,
    );
    #[expect(clippy::float_cmp, reason = "full size is exactly 1")]
    report.bar(loss, &seen, target, ratio >= FASTER && scale == 1.0);
    Ok(())
}

/// `549.0 ms (fastest 540.2 ms, 5 runs, peak 3.2 GB)`.
fn side(answer: &Value, name: &str) -> Result<String> {
    let get = |key: &str| figure(answer, &format!("/{name}/{key}"));
    Ok(format!(
        "median {:.2} ms (fastest {:.2} ms, {} runs, peak {:.2} GB)",
        get("ms_median")?,
        get("ms_min")?,
        get("runs")?,
        get("peak_bytes")? / 1e9
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn verdict(original: f64, scale: f64) -> (usize, usize, usize) {
        let side = |ms: f64| json!({"ms_median": ms, "ms_min": ms, "runs": 3, "peak_bytes": 1000});
        let answer = json!({
            "original": side(original), "optimized": side(1.0),
            "engine": "local", "inputs": "synthetic", "scale": scale,
        });
        let mut report = Report::default();
        judge(&mut report, "loss", "target", &answer).unwrap();
        report.counts()
    }

    #[test]
    fn too_slow_and_scaled_down_runs_are_missed() {
        assert_eq!(verdict(50.0, 1.0), (1, 0, 0));
        assert_eq!(verdict(49.0, 1.0), (0, 1, 0));
        assert_eq!(verdict(500.0, 0.25), (0, 1, 0));
    }
}
