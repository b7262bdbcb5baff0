//! Suggestions: cheaper equal forms for the statements of a block, each proved and checked before it is shown.
//!
//! A block's statements fall into groups: a statement whose value is read later, with the intermediate
//! statements that only it needs ([`group`]). Each group is searched with its intermediates seen through, and then
//! written back with the person's names ([`write`]). What cannot be proved and run is dropped here, silently: a
//! missing suggestion is never an error. Pure: no files, no clock that decides anything.

mod around;
mod before;
mod break_even;
mod edits;
mod group;
mod kinds;
mod pinned;
mod site;
mod sketched;
mod surroundings;
mod verify;
mod write;

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use smallvec::SmallVec;
use sumac_analysis::ValueKind;
use sumac_la::{Cost, Dag, Input, Machine, NodeId};
use sumac_sumproduct::{CostModel, Options, Outcome, Problem, Request};
use sumac_syntax::text::TextRange;

use crate::cache::Block;
use crate::searches::{Searches, Store};
use crate::snapshot::Snapshot;
use crate::{CancelToken, estimate};
pub(crate) use around::Around;
pub use edits::Edits;
use group::Group;
pub use pinned::missed;
use site::{Site, Sites};
pub use sketched::{
    NoForm, Offer, SketchProgress, SketchSearch, Sketched, Stage, Unreached, Written, preview,
    sketch_from, sketch_offers, sketched, stage_lines, statement_of, to_keep, written_at,
};
pub(crate) use surroundings::{Beside, Surrounding, Together, Told, of_parts, of_unit};
pub use verify::{Check, Proof};
pub(crate) use write::formed_before;

/// A smaller gain than this is not worth a person's attention: seconds, and the ratio of estimated times.
const LEAST_GAIN: (f64, f64) = (1e-5, 1.2);

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
    /// Bytes of memory of the machine that the figures are for, where that is known.
    pub memory: Option<f64>,
    /// The fused operators by which the suggested form runs, as short programs.
    pub runs_as: Vec<String>,
    /// Why both are equal.
    pub proof: Proof,
    /// That both gave the same when run.
    pub check: Check,
    /// What this leans on.
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

impl SearchStats {
    /// Whether the form is proved to be the cheapest of all that were found; `None` if nobody asked.
    #[must_use]
    pub fn optimal(&self) -> Option<bool> {
        self.gap.map(|gap| gap <= 0.0)
    }
}

/// Both forms over the same inputs, which are called as in the script.
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
        None => suggest_for(site, group, search, watch.as_mut()),
    };
    for group in group::groups(site) {
        if search.cancel.is_cancelled() {
            return Vec::new();
        }
        // A pin is for its own statement, so one that is pinned does not dissolve into another.
        let whole = (!pinned::is_inside(&group)).then(|| one(&group, group.members.len() > 1));
        match whole.flatten() {
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

/// Up to `most` other forms of the statements of `suggestion`, the cheapest first, each cheaper than they are as written.
/// Proved and checked as the suggestion is. Empty when cancelled.
#[must_use]
pub fn alternatives(
    snapshot: &Snapshot,
    suggestion: &Suggestion,
    most: usize,
    search: Search<'_>,
) -> Vec<Suggestion> {
    let parts = snapshot.analysis.parts();
    let beside = of_parts(parts);
    let of_unit = |(unit, beside)| {
        alternatives_in(&Sites::of(snapshot, unit, beside), suggestion, most, search)
    };
    let found = parts.units().zip(&beside).find_map(of_unit);
    found.unwrap_or_default()
}

/// As [`alternatives`]; `None` where the statements are not of this unit.
fn alternatives_in(
    sites: &Sites<'_>,
    suggestion: &Suggestion,
    most: usize,
    search: Search<'_>,
) -> Option<Vec<Suggestion>> {
    /// Forms looked at for each one wanted: some cannot be written with the names that are there.
    const FORMS: usize = 3;
    let (site, group) = sites
        .iter()
        .flat_map(|site| {
            let groups = group::groups(site).into_iter();
            groups.map(move |group| (site, group))
        })
        .flat_map(|(site, group)| {
            let alone: Vec<_> = group.split().collect();
            std::iter::once(group)
                .chain(alone)
                .map(move |group| (site, group))
        })
        .find(|(site, group)| {
            let ranges = group.ranges().into_iter().map(|range| site.in_file(range));
            ranges.eq(suggestion.statement_ranges.iter().copied())
        })?;
    let problem = problem(site, &group, search.options);
    let found = search
        .searches
        .alternatives(&problem, FORMS * most, search.cancel);
    let pays = |before: f64, after: f64| after < before;
    let forms = found.unwrap_or_default().into_iter();
    let mut forms: Vec<_> = forms
        .filter(|outcome| !outcome.search.cut_short)
        .take_while(|_| !search.cancel.is_cancelled())
        .filter_map(|outcome| as_suggestion(site, &group, outcome, search, &pays))
        .take(most)
        .collect();
    if search.cancel.is_cancelled() {
        forms.clear();
    }
    Some(forms)
}

/// What a search of the group is asked.
fn problem(site: Site<'_>, group: &Group<'_>, options: &Options) -> Problem {
    let (roots, held, machine) = (group.roots(), group.held(), options.machine());
    let names: Vec<(NodeId, &str)> = held
        .iter()
        .map(|held| (held.node, held.marker.as_str()))
        .collect();
    let steady = site.steady(group);
    let request = Request {
        dag: &group.block.dag,
        roots: &roots,
        held: &names,
        machine: &machine,
        around: site.loop_of(&steady),
        fusing: estimate::fusing(options),
    };
    Problem::new(&request, options)
}

fn suggest_for(
    site: Site<'_>,
    group: &Group<'_>,
    search: Search<'_>,
    watch: Option<&mut Watch<'_>>,
) -> Option<Suggestion> {
    if site.is_off() || group.is_silenced() || group.roots().is_empty() {
        return None;
    }
    let machine = search.options.machine();
    let pays = |before: f64, after: f64| before >= after * LEAST_GAIN.1;
    let original = group.original();
    let before = estimate::cost_as_written(&original, search.options)?;
    let suggestion = |outcome: Outcome| {
        let gain = before.seconds - outcome.after.seconds;
        let is_faster = gain >= LEAST_GAIN.0 && pays(before.seconds, outcome.after.seconds);
        if !is_worth_it(&before, &outcome.after, &machine, is_faster) {
            return None;
        }
        as_suggestion(site, group, outcome, search, &pays)
    };
    let problem = problem(site, group, search.options);
    let found = match watch {
        Some(watch) => {
            let mut better = |outcome| {
                let found = suggestion(outcome);
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
    found
        .ok()
        .filter(|outcome| !outcome.search.cut_short)
        .and_then(suggestion)
}

/// Whether a form is worth showing: to fit into the memory counts more than any time.
fn is_worth_it(before: &Cost, after: &Cost, machine: &Machine, is_faster: bool) -> bool {
    let fits = |cost: &Cost| machine.fits(cost.peak_bytes);
    match (fits(before), fits(after)) {
        (false, true) => true,
        (true, false) => false,
        _ => is_faster,
    }
}

/// A form that was found, written, proved and checked; `None` where one of these fails, or where it does not pay.
fn as_suggestion(
    site: Site<'_>,
    group: &Group<'_>,
    outcome: Outcome,
    Search {
        options, cancel, ..
    }: Search<'_>,
    pays: &dyn Fn(f64, f64) -> bool,
) -> Option<Suggestion> {
    let machine = options.machine();
    let original = group.original();
    let before = estimate::cost_as_written(&original, options)?;
    let outcome = writable(site, group, outcome, options)?;
    let after = outcome.after;
    let cost = (options.cost.of(&before), options.cost.of(&after));
    if !is_worth_it(&before, &after, &machine, pays(cost.0, cost.1)) {
        return None;
    }
    // Each of what follows takes some milliseconds.
    let going = || (!cancel.is_cancelled()).then_some(());
    going()?;
    let optimized = group.in_script_names(&outcome.dag)?;
    let forms = Forms {
        written: (original.clone(), optimized.clone()),
        whole: (group.over_inputs(), group.seen_through(&outcome.dag)),
    };
    let proof = verify::prove(group, &forms.whole.1)?;
    let check = verify::check(&forms, cancel)?;
    going()?;
    let before_loop = site.before(group, &optimized, &machine);
    let written = write::write(site, group, &optimized, before_loop.as_ref())?;
    let mut assumes = vec![
        "real arithmetic: rounding may differ in the last digits, and NaN or infinite cells are not looked at".to_owned(),
    ];
    assumes.extend(group.facts());
    let run = |dag: &Dag| match site
        .before(group, dag, &machine)
        .zip(site.around.loops.first())
    {
        Some((before, inner)) => {
            let price = |dag: &Dag| estimate::cost(dag, options);
            before.cut.cost_of_run(inner.runs, &price)
        }
        None => estimate::cost(dag, options),
    };
    assumes.extend(break_even::break_even(
        &original,
        (&optimized, &run),
        options,
    ));
    going()?;
    if let Some((parts, inner)) = before_loop.as_ref().zip(site.around.loops.first()) {
        assumes.extend(parts.assumes(&before, inner, options));
    }
    assumes.extend(proof.assumes());
    let search = outcome.search;
    let advice = Advice {
        targets: group.targets(),
        original: written.original,
        optimized: written.optimized,
        statement: written.statement,
        before_loop: before_loop.as_ref().map(|parts| BeforeLoop {
            names: parts.cut.names.clone(),
            level: parts.level,
        }),
        sketch: None,
        model: options.cost,
        cost,
        before,
        after,
        memory: machine.memory,
        runs_as: estimate::programs(&optimized, options),
        proof,
        check,
        assumes,
        search: SearchStats {
            strategy: options.strategy.name().to_owned(),
            extraction: options.extraction.name().to_owned(),
            iterations: search.iterations,
            enodes: search.enodes,
            eclasses: search.eclasses,
            stopped: search.stopped,
            gap: search.gap,
            milliseconds: search.milliseconds,
        },
        pair: Arc::new(TimingPair {
            original,
            optimized: before_loop.map_or(optimized, |parts| parts.cut.body),
        }),
        forms: Arc::new(forms),
    };
    let suggestion = Suggestion {
        range: written.range,
        statement_ranges: written.statement_ranges.into(),
        edits: written.edits.into_iter().collect(),
        edits_with_temporaries: written
            .edits_with_temporaries
            .map(|edits| edits.into_iter().collect()),
        advice: Arc::new(advice),
    };
    Some(suggestion.relocated(|range| site.in_file(range)))
}

/// The form as DML can say it, at the cost of that.
fn writable(
    site: Site<'_>,
    group: &Group<'_>,
    mut outcome: Outcome,
    options: &Options,
) -> Option<Outcome> {
    let name_of = group.script_names();
    let is_truth = |input: &Input| {
        input.ty.is_scalar()
            && name_of(&input.name).is_some_and(|name| site.kind_of(&name) == ValueKind::Bool)
    };
    let dag = outcome.dag.writable(&is_truth).ok()?;
    let cost = |dag: &Dag| estimate::cost(dag, options);
    if let (Some(found), Some(said)) = (cost(&outcome.dag), cost(&dag)) {
        let after = &mut outcome.after;
        after.flops += said.flops - found.flops;
        after.bytes += said.bytes - found.bytes;
        after.nnz += said.nnz - found.nnz;
        after.seconds += said.seconds - found.seconds;
        after.peak_bytes = after.peak_bytes.max(said.peak_bytes);
    }
    outcome.dag = dag;
    Some(outcome)
}

#[cfg(test)]
mod tests;
