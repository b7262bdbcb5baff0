//! A search by a sketch as the client of a real server sees it: when its progress is shown, what that says, and how long
//! the server still computes once the search is cancelled.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::Sumac;
use super::losses::{FACTS, LOSSES};
use crate::bench::times::Times;
use crate::client::{Launch, Session};
use crate::report::Report;

/// The line of the loss behind [`FACTS`], from 0.
const STATEMENT: u32 = 6;

/// A progress is shown from here on, and not much later.
const SHOWN_MS: std::ops::RangeInclusive<f64> = 300.0..=400.0;
const QUIET_MS: f64 = 50.0;
const SEED: u64 = 0x5eed;
/// A server that has not computed for this long is quiet.
const SILENCE: Duration = Duration::from_millis(60);
const PATIENCE: Duration = Duration::from_secs(120);
/// Moments for each kind of search, and how many of them must lie before its end.
const MOMENTS: u32 = 20;
const LEAST: usize = 8;

/// Kinds of searches that reach nothing for long, by their limit of nodes; each is cancelled no later than so many milliseconds
/// after its progress was shown, while it still runs. With the limit by default, a search ends before there is anything to show.
const KINDS: [(&str, usize, u64); 2] = [
    (
        "a search with three times the limits by default",
        30_000,
        400,
    ),
    ("a search with ten times these limits", 100_000, 1500),
];

/// Measures and judges.
pub(super) fn measure(report: &mut Report, sumac: &Sumac) {
    let target = format!(
        "progress after {} to {} ms with the best so far; quiet <= {QUIET_MS} ms after each cancel",
        SHOWN_MS.start(),
        SHOWN_MS.end()
    );
    for (name, nodes, latest) in KINDS {
        let latest = Duration::from_millis(latest);
        if let Some(seen) = report.expect(name, &target, searches(sumac, nodes, latest)) {
            let (shown, quiet) = &seen;
            let is_shown = shown.iter().all(|ms| SHOWN_MS.contains(ms));
            let text = format!(
                "shown after {:.0} to {:.0} ms; quiet after {quiet}",
                shown.iter().copied().fold(f64::INFINITY, f64::min),
                shown.iter().copied().fold(0.0, f64::max)
            );
            report.bar(
                name,
                &text,
                &target,
                is_shown && quiet.longest() <= QUIET_MS,
            );
        }
    }
}

/// After how many milliseconds progress was shown, and after what times the server was quiet.
fn searches(sumac: &Sumac, nodes: usize, latest: Duration) -> Result<(Vec<f64>, Times)> {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut launch = Launch::new(&sumac.program);
    launch.profile.capabilities = json!({
        "window": {"workDoneProgress": true},
        "textDocument": {"codeAction": {"resolveSupport": {"properties": ["edit"]}}},
    });
    let mut session = Session::start(&launch)?;
    let text = format!("{FACTS}loss = {}\nprint(loss)\n", LOSSES[0]);
    let script = session.open(Path::new("/scripts/loss.dml"), &text)?;
    session.diagnostics(&script)?;
    session.settle()?;
    let (mut shown, mut quiet) = (Vec::new(), Vec::new());
    for moment in 0..MOMENTS {
        // Another limit is another growth: what a search has found before must not shorten it.
        let nodes = nodes + moment as usize;
        let text = format!(
            "sketch endless(X) {{ goal contains(X * 17) using sum_product within {nodes} nodes, 100 rounds }}\n"
        );
        let sketch = session.open(Path::new("/scripts/endless.sketch"), &text)?;
        session.diagnostics(&sketch)?;
        let place = json!({"line": STATEMENT, "character": 0});
        let asked = json!({
            "textDocument": {"uri": script.uri}, "range": {"start": place, "end": place},
            "context": {"diagnostics": [], "only": ["refactor.rewrite"]},
        });
        let actions = session.call("textDocument/codeAction", &asked)?.good()?;
        let mut actions = actions.as_array().into_iter().flatten();
        let action = actions.find(|action| action["title"] == "Optimize with sketch endless");
        let action = action.context("the sketch is not offered")?.clone();
        let begun = Instant::now();
        let request = session.request("codeAction/resolve", &action)?;
        let (at, told) = progress(&mut session)?;
        let message = told["value"]["message"].as_str().unwrap_or_default();
        anyhow::ensure!(
            message.contains("so far sum("),
            "the progress says {message:?}, and no best form"
        );
        shown.push(at.duration_since(begun).as_secs_f64() * 1e3);
        std::thread::sleep(latest.mul_f64(rng.random()));
        let runs = session.process.is_running()?;
        if moment % 2 == 0 {
            let token = json!({"token": told["token"]});
            session.notify("window/workDoneProgress/cancel", &token)?;
        } else {
            session.cancel(request)?;
        }
        let after = session.process.quiet(SILENCE, PATIENCE)?.after;
        let answer = session.answer(request)?;
        // A moment at which the search had ended by itself does not count.
        if runs && !answer.error.is_null() {
            quiet.push(after);
        }
        session.close(&sketch)?;
    }
    anyhow::ensure!(
        quiet.len() >= LEAST,
        "only {} searches were still running when they were cancelled",
        quiet.len()
    );
    session.end()?;
    Ok((shown, Times::new(quiet)))
}

/// The beginning of the progress that the server shows, and when it came.
fn progress(session: &mut Session) -> Result<(Instant, Value)> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let (at, message) = session.next(deadline)?;
        let is_begin = message["params"]["value"]["kind"] == "begin";
        if message["method"] == "$/progress" && is_begin {
            return Ok((at, message["params"].clone()));
        }
    }
}
