//! The searches of a run: one block after the other, what is edited or seen first. What is found shows as it comes.

use std::cmp::Reverse;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use sumac_ide::searches::Store;
use sumac_ide::suggest::{Search, Suggestion, Watch, suggest_anytime};
use sumac_ide::{Block, Placed, Snapshot};
use sumac_sumproduct::Options;
use sumac_text::TextRange;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::activity::What;
use super::background::{Failure, background};
use super::document::Versioned;
use super::pipeline::{Run, refresh};
use super::priority_semaphore::{Attention, Urgency};
use super::progress::{Shown, with_progress};
use super::state::Shared;
use crate::config::Config;
use crate::store;

/// A search that takes longer is shown to the user, with a way to cancel it.
const SHOW_SEARCH_AFTER: Duration = Duration::from_secs(1);

/// Between two times that something found is shown while a search goes on.
const SHOW_FOUND_EVERY: Duration = Duration::from_millis(150);

/// News of a search.
enum Found {
    /// A cheaper form of a statement, perhaps not the best.
    Better(Arc<Suggestion>),
    /// All of a block: what was told before is in the cache now.
    All,
}

/// What the suggestions of a script's blocks depend on beside the blocks.
#[must_use]
pub(super) fn block_options(snapshot: &Snapshot, options: &Options) -> String {
    format!("{options:?}{}", snapshot.pins.key())
}

/// What outlives the session, where the configuration of a trusted workspace asks for it.
#[must_use]
pub(super) fn kept(shared: &Shared, config: &Config) -> Option<&'static dyn Store> {
    store::wanted(config).filter(|_| shared.session().trusted)
}

impl Run {
    /// The blocks of a snapshot, by content.
    pub(super) async fn blocks(&self, fresh: &Versioned) -> Result<Box<[Block]>, Failure> {
        let snapshot = fresh.snapshot.clone();
        let options = block_options(&snapshot, &fresh.options);
        let known = Arc::clone(&self.blocks);
        background(self.task(What::Analysis), move |_| {
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            known.of(&snapshot, &options).into()
        })
        .await
    }

    /// The suggestions that need no search, and the places in `blocks` of those that do.
    pub(super) fn look_up(&self, blocks: &[Block]) -> (Vec<Placed>, Vec<usize>) {
        self.look_up_of(blocks, 0..blocks.len())
    }

    /// The same of some of the blocks.
    pub(super) fn look_up_of(
        &self,
        blocks: &[Block],
        some: impl IntoIterator<Item = usize>,
    ) -> (Vec<Placed>, Vec<usize>) {
        let mut cache = self.shared.suggestions();
        let (mut known, mut missing) = (Vec::new(), Vec::new());
        for index in some {
            let block = &blocks[index];
            match cache.get(block.key, &block.place) {
                Some(placed) => known.extend(placed),
                None => missing.push(index),
            }
        }
        (known, missing)
    }

    /// Searches the missing blocks, and shows what is found.
    pub(super) async fn search(
        &self,
        fresh: &Versioned,
        blocks: &[Block],
        missing: Vec<usize>,
    ) -> Result<(), Failure> {
        let (found, coming) = unbounded_channel();
        let work = self.search_all(fresh, blocks, missing, found);
        let shown = Shown {
            title: "Searching cheaper forms",
            after: SHOW_SEARCH_AFTER,
        };
        let work = with_progress(&self.shared, shown, self.token.clone(), work);
        tokio::join!(work, self.show(fresh, blocks, coming)).0
    }

    async fn search_all(
        &self,
        fresh: &Versioned,
        blocks: &[Block],
        mut missing: Vec<usize>,
        found: UnboundedSender<Found>,
    ) -> Result<(), Failure> {
        let mut sorted_for = None;
        loop {
            // What the person looks at may have changed since the last one.
            let (look, touched) = self.look();
            if sorted_for != Some(look) {
                missing.sort_by_key(|index| Reverse(look.rank(blocks, *index)));
                sorted_for = Some(look);
            }
            let Some(index) = missing.pop() else {
                return Ok(());
            };
            let urgency = Urgency {
                attention: look.rank(blocks, index).0,
                touched: Reverse(touched),
            };
            let turn = self.shared.searches_at_once.take(urgency).await;
            let block = blocks[index].clone();
            let (shared, found) = (Arc::clone(&self.shared), found.clone());
            let (snapshot, options) = (fresh.snapshot.clone(), fresh.options);
            let store = kept(&self.shared, &fresh.config);
            background(self.task(What::Search), move |cancel| {
                if urgency.attention == Attention::Elsewhere {
                    shared.pace.give_way(cancel);
                }
                // Nobody listens to a run that is over.
                let mut better = |suggestion| drop(found.send(Found::Better(Arc::new(suggestion))));
                let watch = Watch {
                    every: SHOW_FOUND_EVERY,
                    better: &mut better,
                };
                let search = Search {
                    options: &options,
                    searches: &shared.searches,
                    store,
                    cancel,
                };
                let of_block = suggest_anytime(&snapshot, &block, search, Some(watch));
                drop(turn);
                // A cancelled search has not seen everything.
                if !cancel.is_cancelled() {
                    shared.remember(block, of_block);
                    drop(found.send(Found::All));
                }
                shared.allocator_trim.searched();
            })
            .await?;
            if self.token.is_cancelled() {
                return Err(Failure::Cancelled);
            }
        }
    }

    /// Where the person is at the moment, and when the document was touched last.
    fn look(&self) -> (Look, u64) {
        let documents = self.shared.documents();
        let found = documents.get(&self.uri).map(|document| {
            let look = Look {
                edited: document.edited,
                seen: document.seen,
            };
            (look, document.touched)
        });
        found.unwrap_or_default()
    }

    /// Shows what is found, a while apart.
    async fn show(
        &self,
        fresh: &Versioned,
        blocks: &[Block],
        mut coming: UnboundedReceiver<Found>,
    ) {
        let mut shown = Instant::now();
        let mut early: Vec<Arc<Suggestion>> = Vec::new();
        while let Some(news) = coming.recv().await {
            match news {
                Found::Better(suggestion) => {
                    early.retain(|known| known.range != suggestion.range);
                    early.push(suggestion);
                }
                Found::All => early.clear(),
            }
            if coming.is_empty() && shown.elapsed() >= SHOW_FOUND_EVERY {
                let (mut known, _) = self.look_up(blocks);
                known.extend(early.iter().map(placed));
                self.store(fresh, known, false);
                refresh(&self.shared).await;
                shown = Instant::now();
            }
        }
    }
}

/// Where the person is in a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Look {
    /// What was edited last.
    edited: Option<usize>,
    /// What is on the screen, or all of it.
    seen: Option<TextRange>,
}

impl Look {
    /// How soon a block is wanted, the least first.
    fn rank(self, blocks: &[Block], block: usize) -> (Attention, usize, usize) {
        let range = blocks[block].range;
        let from = self.edited.or(self.seen.map(|seen| seen.start));
        let distance = distance(range, from.unwrap_or_default());
        (self.attention(range), distance, block)
    }

    fn attention(self, range: TextRange) -> Attention {
        let is_in = |seen: TextRange| range.start <= seen.end && seen.start <= range.end;
        if self.edited.is_some_and(|at| range.touches(at)) {
            Attention::Edited
        } else if self.seen.is_some_and(is_in) {
            Attention::Seen
        } else {
            Attention::Elsewhere
        }
    }
}

fn distance(range: TextRange, from: usize) -> usize {
    let before = range.start.saturating_sub(from);
    before.max(from.saturating_sub(range.end))
}

fn placed(suggestion: &Arc<Suggestion>) -> Placed {
    Placed {
        suggestion: Arc::clone(suggestion),
        is_fresh: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_edited_comes_before_what_is_seen_and_that_before_the_rest() {
        let look = Look {
            edited: Some(150),
            seen: Some(TextRange::new(100, 200)),
        };
        let of = |start, end| look.attention(TextRange::new(start, end));
        assert_eq!(of(140, 150), Attention::Edited);
        assert_eq!(of(90, 100), Attention::Seen);
        assert_eq!(of(0, 99), Attention::Elsewhere);
        let nothing = Look::default().attention(TextRange::new(0, 9));
        assert_eq!(nothing, Attention::Elsewhere);
        assert_eq!(distance(TextRange::new(10, 20), 25), 5);
        assert_eq!(distance(TextRange::new(10, 20), 15), 0);
        assert_eq!(distance(TextRange::new(10, 20), 4), 6);
    }
}
