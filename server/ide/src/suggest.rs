//! Suggestions: cheaper equal forms for the statements of a block, each proved and checked before it is shown.
//!
//! A block's statements fall into groups: a statement whose value is read later, with the intermediate
//! statements that only it needs ([`group`]). Each group is searched with its intermediates seen through, and then
//! written back with the person's names ([`write`]). What cannot be proved and run is dropped, and says why ([`silence`]): a
//! missing suggestion is never an error. Pure: no files, no clock that decides anything.

mod accuracy;
mod accurate;
mod alternatives;
mod around;
mod assumed;
mod before;
mod break_even;
mod decompositions;
mod edits;
mod form;
mod group;
mod held;
mod kinds;
mod pinned;
mod silence;
mod site;
mod sketched;
mod small;
mod surroundings;
mod unchecked;
mod verify;
mod worth;
mod write;

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use smallvec::SmallVec;
use sumac_la::{Cost, Dag, NodeId};
use sumac_sumproduct::{CostModel, NoOutcome, Options, Outcome, Problem, Request};
use sumac_syntax::text::TextRange;

use crate::cache::Block;
use crate::searches::{Searches, Store};
use crate::snapshot::Snapshot;
use crate::{CancelToken, estimate};
pub use accuracy::Accuracy;
pub use alternatives::alternatives;
pub(crate) use around::Around;
pub use edits::Edits;
use form::{as_suggestion, in_cheapest_order};
use group::Group;
pub use pinned::missed;
pub use silence::{End, NoSuggestion, Silence, cut_note, silences};
use site::Site;
pub use sketched::{
    NoForm, Offer, SketchProgress, SketchSearch, Sketched, Stage, Unreached, Written, preview,
    sketch_from, sketch_offers, sketched, stage_lines, statement_of, to_keep, written_at,
};
pub(crate) use surroundings::{Beside, Surrounding, Together, Told, of_parts, of_unit};
pub use verify::{Check, Proof};
use worth::{LEAST_GAIN, is_as_cheap, is_worth_it, not_worth_it};
pub(crate) use write::formed_before;

/// A cheaper form of one statement, or of a few that are written as one, in its place.
#[derive(Clone, Debug)]
pub struct Suggestion {
    /// From the first to the last statement that it changes.
    pub range: TextRange,
    /// The statements that it changes; others between them stay as they are.
    pub statement_ranges: SmallVec<[TextRange; 2]>,
    /// The change. What is computed before the loop around the statement is the first of them.
    pub edits: Edits,
    /// The change with a variable for each part that is used more than once; `None` where there is none.
    pub edits_with_temporaries: Option<Edits>,
    /// All that holds wherever it stands.
    pub advice: Arc<Advice>,
}

impl Deref for Suggestion {
    type Target = Advice;

    fn deref(&self) -> &Advice {
        &self.advice
    }
}

/// What a suggestion says, wherever it stands: those that moved share it.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The variables assigned by the statements that stay.
    pub targets: Vec<Arc<str>>,
    /// The expressions as written.
    pub original: String,
    /// The expressions as suggested.
    pub optimized: String,
    /// The text of `range` with the suggestion in place.
    pub statement: String,
    /// What it computes before the loop around it; `None` where that is nothing.
    pub before_loop: Option<BeforeLoop>,
    /// The sketch that it was asked for by.
    pub sketch: Option<Arc<str>>,
    /// What the search minimized.
    pub model: CostModel,
    /// Its figure before and after.
    pub cost: (f64, f64),
    /// All figures as written.
    pub before: Cost,
    /// All figures as suggested.
    pub after: Cost,
    /// What is computed all the same: values that only the form as written reads and other statements need, and the statements'
    /// decompositions. Part of the figures of both forms; `None` where there is nothing.
    pub shared: Option<Cost>,
    /// How often the statements run, as far as the loops around them tell.
    pub runs: f64,
    /// Bytes of memory of the machine that the figures are for, where that is known.
    pub memory: Option<f64>,
    /// The fused operators by which the suggested form runs, as short programs.
    pub runs_as: Vec<String>,
    /// Why both are equal.
    pub proof: Proof,
    /// That both gave the same when run.
    pub check: Check,
    /// How many digits it loses beside the form as written; `None` where that could not be measured.
    pub accuracy: Option<Accuracy>,
    /// Sizes of one that only a `#@` line or a data file states and the proof needs, as `ncol(w) = 1`.
    pub needs: Vec<String>,
    /// What else this leans on.
    pub assumes: Vec<String>,
    /// How it was found.
    pub search: SearchStats,
    /// Both forms, to time them.
    pub pair: Arc<TimingPair>,
    /// Both forms, to explain them.
    pub forms: Arc<Forms>,
}

/// The expressions of a suggestion as they are and as suggested, their roots in the same order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Forms {
    /// Under the script's names, with the values that variables hold as inputs.
    pub written: (Dag, Dag),
    /// Over the inputs of the block: both start from the same values.
    pub whole: (Dag, Dag),
}

/// What a suggestion computes once, before a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BeforeLoop {
    /// The variables that hold it.
    pub names: Vec<String>,
    /// Which of the loops around the statement: 0 is the innermost.
    pub level: usize,
}

/// How a suggestion was found.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchStats {
    /// How matches were chosen.
    pub strategy: String,
    /// How the result was chosen.
    pub extraction: String,
    /// Rounds of saturation.
    pub iterations: usize,
    /// E-nodes at the end.
    pub enodes: usize,
    /// E-classes at the end.
    pub eclasses: usize,
    /// Why the search ended.
    pub stopped: String,
    /// The share by which another form that was found could be cheaper at most; 0: none is. `None`: nobody asked.
    pub gap: Option<f64>,
    /// Wall time of the search.
    pub milliseconds: f64,
}

impl Advice {
    /// How many digits it loses, where that is so many that a person should know before applying it.
    #[must_use]
    pub fn loss(&self) -> Option<&Accuracy> {
        self.accuracy.as_ref().filter(|accuracy| accuracy.loses())
    }

    /// What a time of both forms is of, where it leaves out something: what is computed once before a loop, and calls whose
    /// values are made up as the values of inputs are.
    #[must_use]
    pub fn timed_part(&self) -> Option<String> {
        let of = match &self.before_loop {
            Some(_) => "one run of the loop",
            None => "the statement",
        };
        let once = self.before_loop.iter().flat_map(|before| &before.names);
        let calls = calls_among(&self.pair.original);
        let left_out: Vec<&str> = once.map(String::as_str).chain(calls).collect();
        (!left_out.is_empty()).then(|| format!("{of}, without {}", left_out.join(" and ")))
    }

    /// The digits that it gains, where it is suggested for them and not for its cost.
    #[must_use]
    pub fn digits_gained(&self) -> Option<&Accuracy> {
        let gains = self.accuracy.as_ref().filter(|found| found.gains());
        let (before, after) = self.cost;
        gains.filter(|_| self.sketch.is_none() && before < LEAST_GAIN.1 * after)
    }

    /// What a person should know before applying it: what it needs of the data, and the digits that it loses, or gains at a price.
    pub fn caveats(&self) -> impl Iterator<Item = String> + '_ {
        let needs = self.needs.join(" and ");
        let needs = (!needs.is_empty()).then(|| format!("if {needs}"));
        let digits = self.loss().or_else(|| self.digits_gained());
        needs.into_iter().chain(digits.map(ToString::to_string))
    }
}

impl SearchStats {
    /// Whether the form is proved to be the cheapest of all that were found; `None` if nobody asked.
    #[must_use]
    pub fn optimal(&self) -> Option<bool> {
        self.gap.map(|gap| gap <= 0.0)
    }
}

/// Both forms over the same inputs, which are called as in the script. Behind the roots of the statements stand those of what
/// only the form as written reads: other statements compute it all the same.
#[derive(Clone, PartialEq, Debug)]
pub struct TimingPair {
    /// As written.
    pub original: Dag,
    /// As suggested: one run, where something is computed before the loop.
    pub optimized: Dag,
}

/// Whether a variable of this name could be one that suggestions make.
#[must_use]
pub fn is_temporary(name: &str) -> bool {
    write::is_temporary(name) || before::is_its_name(name)
}

/// The inputs of a form that the script computes by functions which are no linear algebra, as it calls them.
fn calls_among(form: &Dag) -> impl Iterator<Item = &str> {
    let names = form.inputs().iter().map(|input| &*input.name);
    names.filter(|name| name.contains('(') && !name.starts_with("read("))
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

/// The suggestions for a block, in source order. A function of the block's content and the options alone; empty when
/// cancelled.
#[must_use]
pub fn suggest(snapshot: &Snapshot, block: &Block, search: Search<'_>) -> Vec<Suggestion> {
    suggest_anytime(snapshot, block, search, None)
}

/// Who wants to see suggestions before a search has come to its end.
pub struct Watch<'a> {
    /// Time between two looks at least.
    pub every: Duration,
    /// Called with suggestions that are proved and checked, and perhaps not the best that will be found.
    pub better: &'a mut dyn FnMut(Suggestion),
}

/// As [`suggest`]; `watch` sees earlier results of long searches.
#[must_use]
pub fn suggest_anytime(
    snapshot: &Snapshot,
    block: &Block,
    search: Search<'_>,
    mut watch: Option<Watch<'_>>,
) -> Vec<Suggestion> {
    let Some(site) = Site::of(snapshot, block) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut one = |group: &Group<'_>, is_part: bool| match pinned::sketch_of(group) {
        Some(call) => pinned::suggest(site, group, (block, call), search, is_part),
        None => {
            let found = suggest_for(site, group, search, watch.as_mut()).or_else(|why| {
                // What was found looks into values of other statements: perhaps a form over the values themselves holds.
                let over_values = group.over_values().filter(|_| why.is_of_the_form());
                let found = over_values
                    .and_then(|values| suggest_for(site, &values, search, watch.as_mut()).ok());
                found.ok_or(why)
            });
            let found = found.or_else(|why| accurate::suggest(site, group, search).ok_or(why));
            let why = found.as_ref().err().cloned();
            for place in &group.members {
                if why != Some(NoSuggestion::Cancelled) {
                    search.searches.silenced(block.key, *place, why.clone());
                }
            }
            found.ok()
        }
    };
    for group in group::groups(site) {
        if search.cancel.is_cancelled() {
            return Vec::new();
        }
        // A pin is for its own statement, so one that is pinned does not dissolve into another.
        let whole = (!pinned::is_inside(&group)).then(|| one(&group, group.members.len() > 1));
        match whole.flatten() {
            Some(suggestion) if group.members.len() > 1 => {
                // Statements that are as cheap each for themselves keep their variables.
                let parts: Vec<_> = group
                    .split()
                    .map(|alone| (one(&alone, false), alone))
                    .collect();
                if is_as_cheap(&parts, &suggestion, search.options) {
                    found.extend(parts.into_iter().filter_map(|(part, _)| part));
                } else {
                    group.members.iter().for_each(|place| {
                        search.searches.silenced(block.key, *place, None);
                    });
                    found.push(suggestion);
                }
            }
            Some(suggestion) => found.push(suggestion),
            // Not as one: perhaps its statements each for themselves.
            None if group.members.len() > 1 => {
                found.extend(group.split().filter_map(|alone| one(&alone, false)));
            }
            None => {}
        }
    }
    found.sort_by_key(|suggestion| suggestion.range);
    found
}

/// What a search of the group is asked.
fn problem(site: Site<'_>, group: &Group<'_>, options: &Options) -> Problem {
    let (roots, machine) = (group.roots(), options.machine());
    let held: Vec<_> = group.held().iter().filter(|held| !held.is_far).collect();
    let steady = site.steady(group);
    let nodes: Vec<NodeId> = roots
        .iter()
        .chain(held.iter().map(|held| &held.node))
        .chain(&steady)
        .copied()
        .collect();
    let (dag, nodes) = group.within(&nodes);
    let (roots, others) = nodes.split_at(roots.len());
    let (values, steady) = others.split_at(held.len());
    let names: Vec<(NodeId, &str)> = values
        .iter()
        .zip(&held)
        .map(|(node, held)| (*node, held.marker.as_str()))
        .collect();
    let request = Request {
        dag: &dag,
        roots,
        held: &names,
        machine: &machine,
        around: site.loop_of(steady),
        fusing: estimate::fusing(options),
    };
    Problem::new(&request, options)
}

fn suggest_for(
    site: Site<'_>,
    group: &Group<'_>,
    search: Search<'_>,
    watch: Option<&mut Watch<'_>>,
) -> Result<Suggestion, NoSuggestion> {
    if site.is_off() || group.is_silenced() {
        return Err(NoSuggestion::Off);
    }
    if group.roots().is_empty() {
        return Err(NoSuggestion::NothingComputed);
    }
    let unknown = || NoSuggestion::UnknownSizes(group.unknown_sizes());
    let machine = search.options.machine();
    let pays = |before: f64, after: f64| before >= after * LEAST_GAIN.1;
    let original = group.original();
    let before = estimate::cost_as_written(&original, search.options).ok_or_else(unknown)?;
    if before.seconds < LEAST_GAIN.0 && machine.fits(before.peak_bytes) {
        let calls: Vec<String> = calls_among(&original).map(str::to_owned).collect();
        return Err(match calls.is_empty() {
            true => NoSuggestion::Quick(before.seconds),
            false => NoSuggestion::Calls(calls),
        });
    }
    let suggestion = |outcome: Outcome| {
        let gain = before.seconds - outcome.after.seconds;
        let is_faster = gain >= LEAST_GAIN.0 && pays(before.seconds, outcome.after.seconds);
        if !is_worth_it(&before, &outcome.after, &machine, is_faster) {
            let costs = (before, outcome.after);
            return Err(not_worth_it(
                costs,
                &original,
                &outcome.search,
                search.options,
            ));
        }
        as_suggestion(site, group, outcome, search, &pays)
    };
    let problem = problem(site, group, search.options);
    let found = match watch {
        Some(watch) => {
            let mut better = |outcome| {
                let found = suggestion(outcome).ok();
                found.into_iter().for_each(&mut *watch.better);
            };
            let better = Some((watch.every, &mut better as &mut dyn FnMut(Outcome)));
            let (searches, store) = (search.searches, search.store);
            searches.cheapest(&problem, store, better, search.cancel)
        }
        None => search
            .searches
            .cheapest(&problem, search.store, None, search.cancel),
    };
    match found {
        Ok(outcome) if outcome.search.cut_short => Err(NoSuggestion::Cancelled),
        // In a loop, what can be computed before it decides about the order.
        Ok(outcome) if site.steady(group).is_empty() => {
            suggestion(in_cheapest_order(outcome, search.options))
        }
        Ok(outcome) => suggestion(outcome),
        Err(NoOutcome::UnknownSize) => Err(unknown()),
        Err(NoOutcome::OutOfReach) => Err(NoSuggestion::OutOfReach),
        Err(NoOutcome::Cancelled) => Err(NoSuggestion::Cancelled),
    }
}

#[cfg(test)]
mod tests;
