//! The searches of a session, kept by what they were asked: names, places and comments are no part of that, so that renaming,
//! moving, undoing and re-opening search nothing again.
//!
//! A result is a function of its problem alone, whether it was searched now, is remembered, or comes from a [`Store`].
//! What is remembered is bounded in bytes. Must never decide what is shown, and never touch files: a store does.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use rustc_hash::FxBuildHasher;
use sumac_sumproduct::{Graph, NoOutcome, Options, Outcome, Problem, guided};

use crate::block_key::BlockKey;
use crate::no_suggestion::NoSuggestion;
use crate::{CancelToken, weight};

/// What a search comes to. In the problem's own names.
pub type Found = Result<Outcome, NoOutcome>;

/// Results that outlive a session, and the guides that led to goals of sketches. No method may fail: what cannot be read or
/// written is not there.
pub trait Store: guided::GuideStore {
    /// The result of the problem of this text, if it is kept.
    fn get(&self, problem: &str) -> Option<Found>;
    /// Keeps a result.
    fn put(&self, problem: &str, found: &Found);
}

/// How suggestions are searched.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// What the person chose.
    pub options: &'a Options,
    /// What was searched before.
    pub searches: &'a Searches,
    /// What earlier sessions searched, where the person wants it kept.
    pub store: Option<&'a dyn Store>,
    /// Ends it.
    pub cancel: &'a CancelToken,
}

/// What became of the questions so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Graphs that were grown.
    pub saturations: u64,
    /// Questions that were answered from memory.
    pub remembered: u64,
    /// Questions that were answered from the store.
    pub restored: u64,
}

/// The searches of a session.
pub struct Searches {
    results: Cache<Box<str>, Arc<Found>, Bytes, FxBuildHasher>,
    /// Graphs, for questions that differ in costs alone, or ask for other forms.
    graphs: Cache<Box<str>, Arc<Graph>, Bytes, FxBuildHasher>,
    /// What stages of sketches found, and the graphs that they grew.
    pub stages: guided::Cache,
    /// Why pinned statements have no form that fits, by block and place in it.
    missed: Cache<(BlockKey, usize), Arc<str>>,
    /// Why statements have no suggestion, by block and place in it.
    silences: Cache<(BlockKey, usize), Arc<NoSuggestion>>,
    saturations: AtomicU64,
    remembered: AtomicU64,
    restored: AtomicU64,
}

/// Weighs what is kept by the memory that it takes.
#[derive(Clone, Debug)]
struct Bytes;

/// Pinned statements of which it is remembered why their sketch led nowhere.
const PINS: usize = 4096;
/// Statements without a suggestion of which it is remembered why.
const SILENCES: usize = 16_384;
/// Bytes of an entry beside what it holds.
const ENTRY: u64 = 256;

impl Weighter<Box<str>, Arc<Found>> for Bytes {
    fn weight(&self, text: &Box<str>, found: &Arc<Found>) -> u64 {
        let form = found
            .as_ref()
            .as_ref()
            .map(|found| weight::of_dag(&found.dag));
        (text.len() + form.unwrap_or_default()) as u64 + ENTRY
    }
}

impl Weighter<Box<str>, Arc<Graph>> for Bytes {
    fn weight(&self, text: &Box<str>, graph: &Arc<Graph>) -> u64 {
        text.len() as u64 + graph.bytes() + ENTRY
    }
}

impl Default for Searches {
    /// For one command, or a test.
    fn default() -> Self {
        Searches::new(64 << 20)
    }
}

impl Searches {
    /// Remembers results and graphs in at most so many bytes, a quarter of them for results, and one for graphs of sketches.
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        // How many there will be is a guess that only sizes tables.
        let results = Cache::with(1024, bytes / 4, Bytes, FxBuildHasher, Default::default());
        let graphs = Cache::with(64, bytes / 2, Bytes, FxBuildHasher, Default::default());
        Searches {
            results,
            graphs,
            stages: guided::Cache::new(in_memory(bytes / 4)),
            missed: Cache::new(PINS),
            silences: Cache::new(SILENCES),
            saturations: AtomicU64::default(),
            remembered: AtomicU64::default(),
            restored: AtomicU64::default(),
        }
    }

    /// Changes how many bytes it may take; what is too much is forgotten.
    pub fn limit(&self, bytes: u64) {
        self.results.set_capacity(bytes / 4);
        self.graphs.set_capacity(bytes / 2);
        self.stages.limit(in_memory(bytes / 4));
    }

    /// Forgets everything but what is stored.
    pub fn clear(&self) {
        self.results.clear();
        self.graphs.clear();
        self.stages.clear();
        self.missed.clear();
        self.silences.clear();
    }

    /// Bytes that are taken.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.results.weight() + self.graphs.weight() + self.stages.bytes() as u64
    }

    /// Why the sketch that is pinned to a statement of a block led nowhere.
    #[must_use]
    pub fn missed(&self, block: BlockKey, place: usize) -> Option<Arc<str>> {
        self.missed.get(&(block, place))
    }

    /// Remembers what became of the sketch that is pinned to a statement; `None`: a form was found.
    pub(crate) fn tell(&self, block: BlockKey, place: usize, missed: Option<String>) {
        match missed {
            Some(why) => self.missed.insert((block, place), why.into()),
            None => drop(self.missed.remove(&(block, place))),
        }
    }

    /// Why a statement of a block has no suggestion.
    #[must_use]
    pub fn silence(&self, block: BlockKey, place: usize) -> Option<Arc<NoSuggestion>> {
        self.silences.get(&(block, place))
    }

    /// Remembers why a statement has no suggestion; `None`: it has one.
    pub(crate) fn silenced(&self, block: BlockKey, place: usize, why: Option<NoSuggestion>) {
        match why {
            Some(why) => self.silences.insert((block, place), why.into()),
            None => drop(self.silences.remove(&(block, place))),
        }
    }

    /// What became of the questions so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts {
            saturations: self.saturations.load(Ordering::Relaxed),
            remembered: self.remembered.load(Ordering::Relaxed),
            restored: self.restored.load(Ordering::Relaxed),
        }
    }

    /// The cheapest form for a problem, in the names of its request; `store` is asked for what is not remembered. `better`
    /// sees earlier ones of a search that has to be made now, at most every so often.
    ///
    /// # Errors
    /// See [`NoOutcome`].
    pub fn cheapest(
        &self,
        problem: &Problem,
        store: Option<&dyn Store>,
        better: Option<(Duration, &mut dyn FnMut(Outcome))>,
        cancel: &CancelToken,
    ) -> Found {
        let text = problem.text();
        let known = self.results.get(&*text).inspect(|_| {
            self.remembered.fetch_add(1, Ordering::Relaxed);
        });
        let stored = || {
            let found = problem.restored(store?.get(&text)?)?;
            self.restored.fetch_add(1, Ordering::Relaxed);
            Some(self.remember(&text, found))
        };
        let found = match known.or_else(stored) {
            Some(found) => found,
            None => {
                let cancelled = || cancel.is_cancelled();
                let found = self
                    .graph(problem, better, cancel)
                    .and_then(|graph| problem.cheapest(&graph, &cancelled));
                let is_cut_short = match &found {
                    Ok(outcome) => outcome.search.cut_short,
                    Err(why) => *why == NoOutcome::Cancelled,
                };
                if is_cut_short || cancel.is_cancelled() {
                    return found.map(|outcome| problem.named(outcome));
                }
                if let Some(store) = store {
                    store.put(&text, &found);
                }
                self.remember(&text, found)
            }
        };
        Found::clone(&found).map(|outcome| problem.named(outcome))
    }

    /// Up to `most` other forms for a problem, in the names of its request, the cheapest first.
    ///
    /// # Errors
    /// See [`NoOutcome`].
    pub fn alternatives(
        &self,
        problem: &Problem,
        most: usize,
        cancel: &CancelToken,
    ) -> Result<Vec<Outcome>, NoOutcome> {
        let graph = self.graph(problem, None, cancel)?;
        let forms = problem.alternatives(&graph, most, &|| cancel.is_cancelled())?;
        Ok(forms.into_iter().map(|form| problem.named(form)).collect())
    }

    fn graph(
        &self,
        problem: &Problem,
        better: Option<(Duration, &mut dyn FnMut(Outcome))>,
        cancel: &CancelToken,
    ) -> Result<Arc<Graph>, NoOutcome> {
        let text = problem.graph_text();
        if let Some(graph) = self.graphs.get(&*text) {
            return Ok(graph);
        }
        // Who was cancelled may come here for the next best question.
        if cancel.is_cancelled() {
            return Err(NoOutcome::Cancelled);
        }
        self.saturations.fetch_add(1, Ordering::Relaxed);
        let graph = Arc::new(problem.grow(better, &|| cancel.is_cancelled())?);
        self.graphs.insert(text.into(), Arc::clone(&graph));
        Ok(graph)
    }

    fn remember(&self, text: &str, found: Found) -> Arc<Found> {
        let found = Arc::new(found);
        self.results.insert(text.into(), Arc::clone(&found));
        found
    }
}

fn in_memory(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

impl fmt::Debug for Searches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Searches")
            .field("counts", &self.counts())
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    use sumac_sumproduct::{CostModel, Options};

    use super::*;
    use crate::UnitBlocks;
    use crate::fixture::{LOSS, snapshot};
    use crate::suggest::{Search, alternatives, suggest};
    use crate::suggestion::Suggestion;

    fn search(script: &str, options: &Options, searches: &Searches) -> Vec<Suggestion> {
        search_with(script, options, searches, None)
    }

    fn search_with(
        script: &str,
        options: &Options,
        searches: &Searches,
        store: Option<&dyn Store>,
    ) -> Vec<Suggestion> {
        let snapshot = snapshot(script);
        let search = Search {
            options,
            searches,
            store,
            cancel: &CancelToken::default(),
        };
        let blocks = UnitBlocks::default().of(&snapshot, "");
        blocks
            .iter()
            .flat_map(|block| suggest(&snapshot, block, search))
            .collect()
    }

    /// What a person sees of suggestions, without the time that the search took.
    fn shown(found: &[Suggestion]) -> Vec<String> {
        found
            .iter()
            .map(|s| format!("{:?} {} {:?} {:?}", s.range, s.statement, s.cost, s.assumes))
            .collect()
    }

    #[test]
    fn who_was_cancelled_begins_no_search() {
        let (searches, cancel) = (Searches::default(), CancelToken::default());
        cancel.cancel();
        let snapshot = snapshot(LOSS);
        let search = Search {
            options: &Options::default(),
            searches: &searches,
            store: None,
            cancel: &cancel,
        };
        for block in UnitBlocks::default().of(&snapshot, "") {
            assert!(suggest(&snapshot, &block, search).is_empty());
        }
        assert_eq!(searches.counts().saturations, 0);
    }

    #[test]
    fn names_comments_and_blanks_are_searched_once_and_found_as_in_a_new_session() {
        let searches = Searches::default();
        let options = Options::default();
        search(LOSS, &options, &searches);
        let once = searches.counts().saturations;
        assert_eq!(once, 1);
        for script in [
            LOSS.replace('X', "ratings"),
            LOSS.replace('V', "A").replace('U', "Z"),
            LOSS.replace("loss = ", "loss  =  "),
            LOSS.replace("print(loss)", "# what it is\nprint(loss)"),
            LOSS.replace("loss", "objective"),
        ] {
            let found = search(&script, &options, &searches);
            assert_eq!(searches.counts().saturations, once, "{script}");
            let anew = search(&script, &options, &Searches::default());
            assert_eq!(shown(&found), shown(&anew));
            assert_eq!(found.len(), 1);
        }
        assert_eq!(searches.counts().remembered, 5);
        search(
            &LOSS.replace("sparsity 0.01", "sparsity 0.02"),
            &options,
            &searches,
        );
        assert_eq!(searches.counts().saturations, 2, "what is known counts");
    }

    #[test]
    fn other_costs_and_other_forms_come_from_the_same_graph() {
        let searches = Searches::default();
        let options = Options::default();
        let flops = Options {
            cost: CostModel::Flops,
            ..options
        };
        let found = search(LOSS, &options, &searches);
        let by_flops = search(LOSS, &flops, &searches);
        let anew = search(LOSS, &flops, &Searches::default());
        assert_eq!(shown(&by_flops), shown(&anew));
        let search = Search {
            options: &options,
            searches: &searches,
            store: None,
            cancel: &CancelToken::default(),
        };
        let others = alternatives(&snapshot(LOSS), &found[0], 3, search);
        assert_eq!(others.len(), 3);
        assert_eq!(searches.counts().saturations, 1);
        searches.clear();
        assert_eq!(searches.bytes(), 0);
        assert_eq!(alternatives(&snapshot(LOSS), &found[0], 3, search).len(), 3);
        assert_eq!(searches.counts().saturations, 2);
    }

    #[test]
    fn no_more_is_remembered_than_there_is_room_for() {
        let (roomy, narrow) = (Searches::default(), Searches::new(2 << 10));
        for searches in [&roomy, &narrow] {
            for rows in 2000..2010 {
                let script = LOSS.replace("X: 2000", &format!("X: {rows}"));
                search(&script, &Options::default(), searches);
            }
        }
        assert!(narrow.bytes() <= 2 << 10, "{}", narrow.bytes());
        assert!(roomy.bytes() > 2 << 10);
        roomy.limit(1 << 10);
        assert!(roomy.bytes() <= 1 << 10, "{}", roomy.bytes());
    }

    #[derive(Default)]
    struct Shelf(Mutex<BTreeMap<String, Found>>);

    impl guided::GuideStore for Shelf {
        fn all(&self) -> Vec<String> {
            Vec::new()
        }
        fn keep(&self, _: &str) {}
    }

    impl Store for Shelf {
        fn get(&self, problem: &str) -> Option<Found> {
            self.0.lock().unwrap().get(problem).cloned()
        }
        fn put(&self, problem: &str, found: &Found) {
            let mut shelf = self.0.lock().unwrap();
            shelf.insert(problem.to_owned(), found.clone());
        }
    }

    #[test]
    fn what_is_stored_is_not_searched_again_and_what_is_false_is_not_shown() {
        let (shelf, options) = (Shelf::default(), Options::default());
        let first = search_with(LOSS, &options, &Searches::default(), Some(&shelf));
        let next = Searches::default();
        let found = search_with(LOSS, &options, &next, Some(&shelf));
        assert_eq!(shown(&found), shown(&first));
        let expected = Counts {
            restored: 1,
            ..Counts::default()
        };
        assert_eq!(next.counts(), expected);
        // Somebody wrote something else into the store: it is searched as if nothing were there.
        let other_form = |outcome: &mut Outcome| {
            let mut dag = sumac_la::Dag::default();
            let zero = dag.num(0.0);
            dag.push_root(zero);
            outcome.dag = dag;
        };
        let no_form = |outcome: &mut Outcome| outcome.dag = sumac_la::Dag::default();
        let other_input = |outcome: &mut Outcome| {
            let mut dag = sumac_la::Dag::default();
            let input = dag.input("nobody's", sumac_la::Type::scalar());
            dag.push_root(input);
            outcome.dag = dag;
        };
        let other_shape = |outcome: &mut Outcome| {
            let mut dag = sumac_la::Dag::default();
            let input = dag.input("x0", sumac_la::Type::matrix(1, 1));
            dag.push_root(input);
            outcome.dag = dag;
        };
        let for_nothing = |outcome: &mut Outcome| outcome.after = sumac_cost::Cost::default();
        let no_number = |outcome: &mut Outcome| outcome.after.seconds = f64::NAN;
        let loud = |outcome: &mut Outcome| outcome.search.stopped = "x".repeat(1 << 20);
        let forgeries: [&dyn Fn(&mut Outcome); 7] = [
            &other_form,
            &no_form,
            &other_input,
            &other_shape,
            &for_nothing,
            &no_number,
            &loud,
        ];
        for (number, forge) in forgeries.into_iter().enumerate() {
            let shelf = Shelf::default();
            search_with(LOSS, &options, &Searches::default(), Some(&shelf));
            for found in shelf.0.lock().unwrap().values_mut() {
                forge(found.as_mut().unwrap());
            }
            let searches = Searches::default();
            let forged = search_with(LOSS, &options, &searches, Some(&shelf));
            assert_eq!(shown(&forged), shown(&first), "{number}");
            assert_eq!(searches.counts().restored, 0, "{number}");
        }
    }
}
