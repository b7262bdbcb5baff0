//! The bars of the story: from opening a script to a proved, checked and measured suggestion that is applied.
//!
//! Only the order stands here; each group of bars has a module of its own.

use anyhow::Result;

use super::{Sumac, broken, forms, fresh, losses, timing};
use crate::bench::keystroke;
use crate::report::Report;

/// Longest median from a keystroke to the hint that belongs to it.
const KEYSTROKE_MS: f64 = 150.0;

/// Measures all bars of the story.
///
/// # Errors
/// There is no server to measure.
pub(super) fn measure(report: &mut Report, fresh_clone: bool) -> Result<()> {
    let sumac = Sumac::build_release()?;
    report.heading("The loss and its variants: cheaper, proved, checked, never dense");
    losses::measure(report, &sumac);
    report.heading("Published forms, or cheaper ones");
    forms::measure(report, &sumac);
    report.heading("Bad input");
    broken::measure(report, &sumac);
    report.heading("From keystroke to refreshed hint");
    measure_keystroke(report, &sumac);
    report.heading("Executing the suggestion against executing the original");
    timing::measure(report, &sumac);
    report.heading("A fresh clone");
    fresh::measure(report, fresh_clone);
    Ok(())
}

fn measure_keystroke(report: &mut Report, sumac: &Sumac) {
    let target = format!("median < {KEYSTROKE_MS} ms, every hint that of the typed text");
    let name = "fixtures/als_loss.dml";
    let measured = keystroke::measure(sumac, keystroke::ROUNDS);
    if let Some(latency) = report.expect(name, &target, measured) {
        let holds = latency.times.median() < KEYSTROKE_MS && latency.wrong.is_empty();
        report.bar(name, &latency.to_string(), &target, holds);
    }
}
