//! Suggestions: cheaper equal forms for the statements of a block, each proved and checked before it is shown.
//!
//! A block's statements fall into groups: a statement whose value is read later, with the intermediate
//! statements that only it needs ([`group`]). Each group is searched with its intermediates seen through, and then
//! written back with the person's names ([`write`]). What cannot be proved and run is dropped, and says why ([`silence`]): a
//! missing suggestion is never an error. Pure: no files, no clock that decides anything.

mod accurate;
mod also_computed;
mod alternatives;
mod assumed;
mod before;
mod break_even;
mod decompositions;
pub(crate) mod enclosing_loops;
mod form;
pub(crate) mod formed;
mod group;
mod held;
mod kinds;
mod needs;
mod pinned;
mod shown;
mod silence;
mod site;
mod sketched;
pub(crate) mod surroundings;
pub(crate) mod temporaries;
mod unchecked;
mod verify;
mod worth;
mod write;

use std::time::Duration;

use sumac_la::NodeId;
use sumac_sumproduct::{NoOutcome, Options, Outcome, Problem, Request};

use crate::cache::Block;
use crate::estimate;
pub use crate::no_suggestion::{End, NoSuggestion, Silence, cut_note};
pub use crate::searches::Search;
use crate::snapshot::Snapshot;
pub use crate::suggestion::edits::Edits;
pub use crate::suggestion::{Advice, BeforeLoop, Forms, SearchStats, Suggestion, TimingPair};
use crate::suggestion::{LEAST_GAIN, calls_among};
pub use alternatives::alternatives;
use form::{as_suggestion, in_cheapest_order};
use group::Group;
pub use pinned::missed;
pub use silence::silences;
use site::Site;
pub use sketched::{
    NoForm, Offer, SketchProgress, SketchSearch, Sketched, Stage, Unreached, Written, preview,
    sketch_from, sketch_offers, sketched, stage_lines, statement_of, to_keep, written_at,
};
pub use sumac_advice::{Accuracy, Check, Proof};
pub use temporaries::is_temporary;
use worth::{is_as_cheap, is_worth_it, not_worth_it, without_gain};

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
        // A pin is for its own statement, so one that is pinned is not inlined into another.
        let whole = (!pinned::is_inside(&group)).then(|| one(&group, group.members.len() > 1));
        match whole.flatten() {
            Some(suggestion) if group.members.len() > 1 => {
                // Statements that are as cheap each for themselves keep their variables.
                let alone: Vec<_> = group
                    .split()
                    .map(|alone| (one(&alone, false), alone))
                    .collect();
                if is_as_cheap(&alone, &suggestion, search.options) {
                    found.extend(alone.into_iter().filter_map(|(part, _)| part));
                    continue;
                }
                let strands = group.strands(site);
                let left = without_gain(strands, &group, &alone, &suggestion, search.options);
                let fewer = group.without(&left);
                let of_fewer = match left.is_empty() {
                    true => None,
                    false => one(&fewer, fewer.members.len() > 1),
                };
                let (suggestion, members) = match of_fewer {
                    Some(of_fewer) => (of_fewer, &fewer.members),
                    None => (suggestion, &group.members),
                };
                for place in members {
                    search.searches.silenced(block.key, *place, None);
                }
                found.push(suggestion);
                let stays = |one: &Group<'_>| !members.contains(&one.last_place());
                found.extend(
                    alone
                        .into_iter()
                        .filter(|(_, one)| stays(one))
                        .filter_map(|(part, _)| part),
                );
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
    let loop_invariant = site.loop_invariant(group);
    let nodes: Vec<NodeId> = roots
        .iter()
        .chain(held.iter().map(|held| &held.node))
        .chain(&loop_invariant)
        .copied()
        .collect();
    let (dag, nodes) = group.within(&nodes);
    let (roots, others) = nodes.split_at(roots.len());
    let (values, loop_invariant) = others.split_at(held.len());
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
        around: site.loop_of(loop_invariant),
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
        Ok(outcome) if site.loop_invariant(group).is_empty() => {
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
