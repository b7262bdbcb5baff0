//! From a cancel to a quiet processor, at random moments of searches.
//!
//! Searches are cancelled in the three ways that a client has: an edit to a text that needs none, closing the document,
//! and a cancelled request. Then the server's threads are watched until none of them computes. A moment at which the
//! search had ended by itself does not count; another one is drawn.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use super::super::times::Times;
use super::heavy;
use crate::bars::Sumac;
use crate::client::document::{Document, Edit};
use crate::client::{Launch, Session};
use crate::report::Report;

const MOMENTS: usize = 1000;
const QUIET_MS: f64 = 50.0;
const SEED: u64 = 0x5eed;
/// A server that has not computed for this long is quiet.
const SILENCE: Duration = Duration::from_millis(60);
const PATIENCE: Duration = Duration::from_secs(300);
/// Searches are cancelled no later than this after their begin.
const LATEST: Duration = Duration::from_secs(3);

/// A way to call a search off.
#[derive(Clone, Copy)]
enum Way {
    Edit,
    Close,
    Cancel,
}

/// A way to call off searches, how these pick the cheapest form, how many kinds of scripts are searched, and how often.
struct Row {
    name: &'static str,
    way: Way,
    extract: &'static str,
    kinds: usize,
    moments: usize,
}

#[rustfmt::skip]
const ROWS: [Row; 6] = [
    Row { name: "a newer text",                    way: Way::Edit,   extract: "greedy", kinds: heavy::KINDS, moments: 300 },
    Row { name: "a newer text, exact search",      way: Way::Edit,   extract: "ilp",    kinds: heavy::KINDS, moments: 200 },
    Row { name: "a closed document",               way: Way::Close,  extract: "greedy", kinds: heavy::KINDS, moments: 200 },
    Row { name: "a closed document, exact search", way: Way::Close,  extract: "ilp",    kinds: heavy::KINDS, moments: 100 },
    // The other forms of one statement are searched, so longer scripts only make it longer to get there.
    Row { name: "a cancelled request",               way: Way::Cancel, extract: "greedy", kinds: 2, moments: 150 },
    Row { name: "a cancelled request, exact search", way: Way::Cancel, extract: "ilp",    kinds: 1, moments: 50 },
];

/// Measures and judges.
pub(super) fn measure(report: &mut Report, sumac: &Sumac) {
    report.heading("From a cancel to a quiet processor");
    let target = format!("<= {QUIET_MS} ms at every moment");
    let mut all = Times::default();
    for row in &ROWS {
        if let Some(times) = report.expect(row.name, &target, cancels(sumac, row)) {
            let holds = times.longest() <= QUIET_MS;
            report.bar(row.name, &times.to_string(), &target, holds);
            all = all.and(&times);
        }
    }
    let name = format!("all {MOMENTS} random moments");
    let holds = all.len() >= MOMENTS && all.longest() <= QUIET_MS;
    report.bar(&name, &all.to_string(), &target, holds);
}

fn cancels(sumac: &Sumac, row: &Row) -> Result<Times> {
    let Row {
        way,
        kinds,
        moments,
        ..
    } = *row;
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut launch = Launch::new(&sumac.program);
    launch.profile.options = json!({"settings": {"search": {"extract": row.extract}}});
    let mut session = Session::start(&launch)?;
    let mut number = 1;
    // How long each kind of search takes when nobody cancels it.
    let mut lengths = Vec::new();
    for kind in 0..kinds {
        number += 1;
        let mut search = Search::begin(&mut session, way, kind, number)?;
        let length = session.process.quiet(SILENCE, PATIENCE)?.after;
        search.end(&mut session)?;
        lengths.push(length.min(LATEST));
    }
    let mut times = Vec::new();
    while times.len() < moments {
        number += 1;
        anyhow::ensure!(
            number < 20 * moments,
            "the searches end before they can be cancelled"
        );
        let kind = rng.random_range(0..kinds);
        let moment = lengths[kind].mul_f64(rng.random());
        let mut search = Search::begin(&mut session, way, kind, number)?;
        std::thread::sleep(moment.saturating_sub(search.begun.elapsed()));
        let runs = session.process.is_running()?;
        search.call_off(&mut session, way, number)?;
        let quiet = session.process.quiet(SILENCE, PATIENCE)?;
        search.end(&mut session)?;
        if runs {
            times.push(quiet.after);
        }
    }
    session.end()?;
    Ok(Times::new(times))
}

/// A search under way.
struct Search {
    document: Document,
    is_open: bool,
    request: Option<i64>,
    begun: Instant,
}

impl Search {
    /// Begins a search that this way can call off.
    fn begin(session: &mut Session, way: Way, kind: usize, number: usize) -> Result<Self> {
        let text = heavy::script(kind, number);
        let mut search = Search {
            document: session.open(Path::new("/scripts/heavy.dml"), &text)?,
            is_open: true,
            request: None,
            begun: Instant::now(),
        };
        session.diagnostics(&search.document)?;
        if let Way::Cancel = way {
            // Other forms are searched once the best is known.
            session.settle()?;
            let before = &text[..heavy::place(&text)?.start];
            let line = before.matches('\n').count();
            let params = json!({
                "uri": search.document.uri, "version": search.document.version,
                "line": line,
            });
            search.begun = Instant::now();
            search.request = Some(session.request("sumac/alternatives", &params)?);
        }
        Ok(search)
    }

    fn call_off(&mut self, session: &mut Session, way: Way, number: usize) -> Result<()> {
        match way {
            Way::Edit => {
                let edit = Edit {
                    range: heavy::place(&self.document.text)?,
                    text: heavy::light(number),
                };
                session.change(&mut self.document, &[edit])?;
            }
            Way::Close => self.close(session)?,
            Way::Cancel => session.cancel(self.request.context("nothing was asked for")?)?,
        }
        Ok(())
    }

    /// Leaves the session as it was.
    fn end(&mut self, session: &mut Session) -> Result<()> {
        if let Some(request) = self.request.take() {
            session.answer(request)?;
        }
        self.close(session)
    }

    fn close(&mut self, session: &mut Session) -> Result<()> {
        if std::mem::take(&mut self.is_open) {
            session.close(&self.document)?;
        }
        Ok(())
    }
}
