//! From a changed text to fresh diagnostics, hints and lenses, in the background.
//!
//! Each change starts its own run and cancels the one before it. A run stores nothing once its version is
//! superseded, so late results never cover newer ones.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sumac_analysis::{Assertion, Database, Known};
use sumac_ide::suggest::{missed, silences};
use sumac_ide::{
    Block, CancelToken, Placed, Snapshot, UnitBlocks, Verdicts, decide_asserts, moved_by,
};
use sumac_syntax::Parse;
use sumac_text::TextRange;
use tower_lsp::ls_types::Uri;

use super::activity::{Task, What};
use super::background::{Failure, background};
use super::document::{Document, Versioned};
use super::requests::diagnostic;
use super::state::Shared;
use super::{configuration, convert, sketches, to_proto};
use crate::script::{Context, Stated};

/// Forms that are estimated to gain less are not shown unless the configuration says otherwise.
const MIN_SPEEDUP: f64 = 1.2;

/// After diagnostics and before all else: what the server goes on with would compete with their way to the person. Whoever types
/// on by then is not waited for at all.
const BREATH: Duration = Duration::from_millis(3);

/// What a run works on.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) shared: Arc<Shared>,
    pub(super) uri: Uri,
    version: i32,
    change: u64,
    parse: Parse,
    pub(super) token: CancelToken,
    pub(super) blocks: Arc<Mutex<UnitBlocks>>,
}

/// Starts the run for the document's present text.
pub fn start(shared: &Arc<Shared>, uri: &Uri) {
    let Some(run) = shared.documents().get(uri).map(|document| Run {
        shared: Arc::clone(shared),
        uri: uri.clone(),
        version: document.version,
        change: document.change,
        parse: document.parse.clone(),
        token: document.token.clone(),
        blocks: Arc::clone(&document.blocks),
    }) else {
        return;
    };
    tokio::spawn(async move {
        let change = run.change;
        match run.go().await {
            Ok(()) | Err(Failure::Cancelled) => {}
            Err(Failure::Panicked(text) | Failure::Refused(text)) => {
                tracing::error!(
                    change,
                    "the analysis of {} failed: {text}",
                    run.uri.as_str()
                );
            }
        }
        // Whatever happened, nobody waits for a run that is over.
        run.update(|document| {
            document.reached.send_modify(|reached| {
                reached.diagnosed = reached.diagnosed.max(change);
                reached.analyzed = reached.analyzed.max(change);
                reached.settled = reached.settled.max(change);
            });
        });
    });
}

/// From now on the disk says what stands in the document's file.
pub fn close(shared: &Arc<Shared>, uri: &Uri) {
    let Some(path) = convert::file_path(uri) else {
        return;
    };
    let (shared, uri) = (Arc::clone(shared), uri.clone());
    let task = shared.task_for(What::Analysis, &uri);
    tokio::spawn(background(task, move |_| {
        let mut db = shared.database();
        // It may be open again by now.
        if !shared.documents().contains_key(&uri) {
            db.close(&path);
        }
    }));
}

impl Run {
    async fn go(&self) -> Result<(), Failure> {
        let (run, path) = (self.clone(), convert::file_path(&self.uri));
        let (known, config, options, file, pins) =
            background(self.task(What::Analysis), move |token| {
                let (config, file) = configuration::of_script(&run.shared, path.as_deref());
                let search = configuration::search_options(&run.shared, &config);
                let context = Context::new(config, &Stated::default());
                let name = path.clone().unwrap_or_else(|| run.uri.as_str().into());
                let options = context.stated.options(run.parse.facts(), path.as_deref());
                let workspace = run.shared.searched();
                let mut db = run.shared.database();
                // A text that is superseded must not come behind a newer one.
                if token.is_cancelled() {
                    return Err(Failure::Cancelled);
                }
                db.set_workspace(workspace);
                run.shared.catch_up(&mut db);
                let is_new = db.open(&name, &run.parse);
                db.set_options(&name, options);
                // Those who source the text are told of it even if its own analysis is cancelled.
                let readers = if is_new {
                    run.readers(&db, &name)
                } else {
                    Vec::new()
                };
                let token = token.clone();
                let parts = db.parts_unless(&name, move || token.is_cancelled());
                drop(db);
                for uri in &readers {
                    start(&run.shared, uri);
                }
                let known = Known::new(parts.ok_or(Failure::Cancelled)?);
                let pins = sketches::pins(&run.shared, &run.uri, &run.parse);
                Ok((known, context.config, search, file, pins))
            })
            .await??;
        if let Some(file) = &file {
            configuration::publish(&self.shared, file).await;
        }
        let config = Arc::new(config);
        let (verdicts, open) = self.shared.verdicts().look_up(known.findings());
        let snapshot = Snapshot {
            min_speedup: config.search.min_speedup.map_or(MIN_SPEEDUP, |n| n.0),
            least_saving: config.least_saving(),
            most_lost_digits: config.most_lost_digits(),
            severities: Arc::new(config.severities()),
            verdicts: Arc::new(verdicts),
            pins: Arc::new(pins),
            ..Snapshot::new(self.parse.clone(), known)
        };
        // Nobody waits longer for diagnostics than for what they need.
        self.publish_diagnostics(&snapshot).await;
        let mut fresh = Versioned {
            version: self.version,
            snapshot,
            config,
            options,
        };
        tokio::time::sleep(BREATH).await;
        if self.token.is_cancelled() {
            return Err(Failure::Cancelled);
        }
        let is_decided = open.is_empty();
        let blocks = self.blocks(&fresh).await?;
        let (mut known, missing) = self.look_up(&blocks);
        let remembered = blocks.len() - missing.len();
        self.shared.activity.remembered(remembered);
        if missing.is_empty() {
            self.miss(&mut fresh, &blocks).await?;
        }
        self.store(&fresh, known.clone(), missing.is_empty() && is_decided);
        if !is_decided {
            fresh.snapshot.verdicts = self.decide(&fresh.snapshot, open).await?;
            self.store(&fresh, known.clone(), missing.is_empty());
            self.publish_diagnostics(&fresh.snapshot).await;
        }
        if !missing.is_empty() {
            self.search(&fresh, &blocks, missing.clone()).await?;
            self.miss(&mut fresh, &blocks).await?;
            known.extend(self.look_up_of(&blocks, missing).0);
            self.store(&fresh, known, true);
        }
        refresh(&self.shared).await;
        Ok(())
    }

    /// Says why statements have no suggestion, and at the pins which sketches led nowhere, once the statements were searched.
    async fn miss(&self, fresh: &mut Versioned, blocks: &[Block]) -> Result<(), Failure> {
        let shared = Arc::clone(&self.shared);
        let (snapshot, blocks) = (fresh.snapshot.clone(), blocks.to_vec());
        let has_pins = !fresh.snapshot.pins.key().is_empty();
        let work = move |_: &CancelToken| {
            let missed = has_pins.then(|| missed(&snapshot, &blocks, &shared.searches));
            (missed, silences(&snapshot, &blocks, &shared.searches))
        };
        let (missed, silences) = background(self.task(What::Answer), work).await?;
        fresh.snapshot.silences = silences.into();
        let Some(missed) = missed else {
            return Ok(());
        };
        fresh.snapshot.missed = missed.into();
        self.publish_diagnostics(&fresh.snapshot).await;
        Ok(())
    }

    /// Work of this run.
    pub(super) fn task(&self, what: What) -> Task {
        Task::new(
            &self.shared.activity,
            what,
            Some(&self.uri),
            self.token.clone(),
        )
    }

    /// The other open documents that source this one.
    fn readers(&self, db: &Database, name: &Path) -> Vec<Uri> {
        let others: Vec<Uri> = self.shared.documents().keys().cloned().collect();
        others
            .into_iter()
            .filter(|uri| *uri != self.uri)
            .filter(|uri| {
                convert::file_path(uri).is_some_and(|path| db.sources_of(&path).contains(name))
            })
            .collect()
    }

    /// Makes the snapshot, with these suggestions, the document's. While blocks are still to be searched, earlier
    /// suggestions for statements that have none yet stay visible in their moved places.
    pub(super) fn store(&self, fresh: &Versioned, known: Vec<Placed>, is_complete: bool) {
        self.update(|document| {
            let mut placed = known;
            if !is_complete && let Some(old) = &document.snapshot {
                let kept = stale(&old.snapshot, document, &placed);
                placed.extend(kept);
            }
            placed.sort_by_key(|placed| placed.suggestion.range);
            let mut fresh = fresh.clone();
            fresh.snapshot.suggestions = placed.into();
            document.snapshot = Some(fresh);
            document.since.clear();
            document.reached.send_modify(|reached| {
                reached.analyzed = reached.analyzed.max(self.change);
                if is_complete {
                    reached.settled = reached.settled.max(self.change);
                }
            });
        });
    }

    /// Changes the document, unless it was closed or superseded; says whether it is still the one of this run.
    fn update(&self, change: impl FnOnce(&mut Document)) -> bool {
        let mut documents = self.shared.documents();
        let document = documents.get_mut(&self.uri);
        let present = document.filter(|document| document.change == self.change);
        present.map(change).is_some()
    }

    /// Decides asserts that are not decided yet; gives the verdicts of all.
    async fn decide(
        &self,
        fresh: &Snapshot,
        open: Vec<Assertion>,
    ) -> Result<Arc<Verdicts>, Failure> {
        let (shared, analysis) = (Arc::clone(&self.shared), Arc::clone(&fresh.analysis));
        background(self.task(What::Asserts), move |token| {
            // A verdict depends on nothing but its key, so each is kept even if this run is cancelled.
            decide_asserts(&open, token, |key, verdict| {
                shared.verdicts().insert(key, verdict);
            });
            let (verdicts, _) = shared.verdicts().look_up(analysis.findings());
            Arc::new(verdicts)
        })
        .await
    }

    async fn publish_diagnostics(&self, fresh: &Snapshot) {
        let is_present = self.update(|document| {
            document.diagnosed = Some(fresh.clone());
            document.reached.send_modify(|reached| {
                reached.diagnosed = reached.diagnosed.max(self.change);
            });
        });
        if !is_present {
            return;
        }
        let encoding = self.shared.session().encoding;
        let diagnostics = to_proto::diagnostics(fresh, &self.uri, encoding);
        let (shared, version) = (&self.shared, Some(self.version));
        let is_present = || self.update(|_| {});
        diagnostic::publish(shared, &self.uri, diagnostics, version, is_present).await;
    }
}

/// Tells the client to ask again for hints and lenses.
pub async fn refresh(shared: &Shared) {
    let session = shared.session();
    let hints = async {
        if session.refreshes_hints {
            let _ = shared.client.inlay_hint_refresh().await;
        }
    };
    let lenses = async {
        if session.refreshes_lenses {
            let _ = shared.client.code_lens_refresh().await;
        }
    };
    tokio::join!(hints, lenses);
}

/// The old snapshot's suggestions for statements that `known` says nothing about, in their present places.
fn stale(old: &Snapshot, document: &Document, known: &[Placed]) -> Vec<Placed> {
    let len = document.parse.text().len();
    let known = Covered::new(known.iter().map(|placed| placed.suggestion.range));
    let moved = |range: TextRange| moved_by(range, &document.since);
    let is_left = |placed: &&Placed| {
        let range = moved(placed.suggestion.range);
        !range.is_empty() && range.end <= len && !known.touches(range)
    };
    let left = old.suggestions.iter().filter(is_left);
    left.map(|placed| Placed {
        suggestion: Arc::new(placed.suggestion.relocated(moved)),
        is_fresh: false,
    })
    .collect()
}

/// Ranges, to be asked whether one of them touches another.
struct Covered(Vec<(usize, usize)>);

impl Covered {
    fn new(ranges: impl Iterator<Item = TextRange>) -> Self {
        let mut all: Vec<(usize, usize)> = ranges.map(|range| (range.start, range.end)).collect();
        all.sort_unstable();
        // With each one the furthest end so far: they may lie inside of one another.
        let mut furthest = 0;
        for (_, end) in &mut all {
            furthest = furthest.max(*end);
            *end = furthest;
        }
        Covered(all)
    }

    /// Whether one of them touches `range`; an end that meets a start counts.
    fn touches(&self, range: TextRange) -> bool {
        let before = self.0.partition_point(|(start, _)| *start <= range.end);
        self.0[..before]
            .last()
            .is_some_and(|(_, end)| *end >= range.start)
    }
}

/// Has every open document analysed again: a data file or the settings have changed.
pub fn invalidate(shared: &Arc<Shared>) {
    invalidate_some(shared, |_| true);
}

/// Has some of the open documents analysed again.
pub fn invalidate_some(shared: &Arc<Shared>, is_affected: impl Fn(&Uri) -> bool) {
    let mut affected = Vec::new();
    for (uri, document) in shared.documents().iter_mut() {
        if is_affected(uri) {
            document.token.cancel();
            document.token = CancelToken::default();
            document.change += 1;
            affected.push(uri.clone());
        }
    }
    for uri in &affected {
        start(shared, uri);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_covered_by_any_that_touches_it() {
        let covered = Covered::new(
            [(10, 90), (20, 30), (200, 210)]
                .map(|(a, b)| TextRange::new(a, b))
                .into_iter(),
        );
        let is_covered = |(start, end)| covered.touches(TextRange::new(start, end));
        for range in [(0, 10), (50, 60), (90, 95), (205, 206), (150, 300)] {
            assert!(is_covered(range), "{range:?}");
        }
        for range in [(0, 9), (91, 199), (211, 220)] {
            assert!(!is_covered(range), "{range:?}");
        }
    }
}
