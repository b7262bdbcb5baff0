//! From a form that a search found to a suggestion: written as DML, proved, checked by running, measured, and priced beside what
//! the statement computes all the same. Must never let through what one of these drops.

use std::sync::Arc;

use sumac_analysis::ValueKind;
use sumac_cost::{Cost, Priced};
use sumac_la::{Dag, Input};
use sumac_sumproduct::canonical::REAL_ARITHMETIC;
use sumac_sumproduct::{Options, Outcome};
use sumac_text::TextEdit;

use super::also_computed::also_computed;
use super::group::Group;
use super::site::Site;
use super::worth::{
    beside, is_cheaper_by_chance, is_cheaper_on_slow_cores, is_worth_it, not_worth_it,
};
use super::{assumed, break_even, decompositions, needs, unchecked, verify, write};
use crate::estimate;
use crate::no_suggestion::NoSuggestion;
use crate::searches::Search;
use crate::suggestion::{Advice, BeforeLoop, Forms, SearchStats, Suggestion, TimingPair};

/// Why a form is not written that SystemDS refuses for what stands beside it.
const NOT_COMPILED: &str = "SystemDS would mistake the sizes of a chain of products, where a turned column of it stands in another expression, too";

/// A form that was found, written, proved and checked, or which of these failed.
pub(super) fn as_suggestion(
    site: Site<'_>,
    group: &Group<'_>,
    outcome: Outcome,
    Search {
        options, cancel, ..
    }: Search<'_>,
    pays: &dyn Fn(f64, f64) -> bool,
) -> Result<Suggestion, NoSuggestion> {
    let machine = options.machine();
    let original = group.original();
    let unknown = || NoSuggestion::UnknownSizes(group.unknown_sizes());
    let before = estimate::cost_as_written(&original, options).ok_or_else(unknown)?;
    let outcome = writable(site, group, outcome, options)
        .ok_or_else(|| NoSuggestion::Unwritten("DML has no text for it".to_owned()))?;
    let mistakes = |form: Option<&Dag>| group.whole_block(form).mistakes_a_chain();
    if mistakes(Some(&outcome.dag)) && !mistakes(None) {
        return Err(NoSuggestion::Unwritten(NOT_COMPILED.to_owned()));
    }
    let no_name = || NoSuggestion::Unwritten(group.unnamed(&outcome.dag));
    let optimized = group.in_script_names(&outcome.dag).ok_or_else(no_name)?;
    // What only the form as written reads is computed all the same, for who else reads it.
    let shared = group.left_to_others(&original, &optimized);
    let others = shared
        .as_ref()
        .and_then(|shared| estimate::cost_as_written(shared, options));
    let others = match (others, decompositions::cost(site, group, &machine)) {
        (Some(others), Some(own)) => Some(beside(own, &others)),
        (others, own) => others.or(own),
    };
    let named = shared
        .as_ref()
        .and_then(|shared| group.in_script_names(shared));
    let with_others = |mut form: Dag| {
        for root in named.iter().flat_map(Dag::roots) {
            let root = form.import(named.as_ref().expect("it has roots"), *root);
            form.push_root(root);
        }
        form
    };
    let [before, after] = [before, outcome.after].map(|cost| match &others {
        Some(others) => beside(cost, others),
        None => cost,
    });
    let cost = (options.cost.of(&before), options.cost.of(&after));
    if !is_worth_it(&before, &after, &machine, pays(cost.0, cost.1)) {
        return Err(not_worth_it(
            (before, after),
            &original,
            &outcome.search,
            options,
        ));
    }
    let run_under = |options: &Options, written: &Dag, dag: &Dag| {
        let price = |dag: &Dag| estimate::cost(dag, options);
        let before = |dag: &Dag| site.before(group, dag, &options.machine());
        match before(dag).zip(site.around.loops.first()) {
            Some((parts, inner)) => {
                let again = before(written).and_then(|parts| price(&parts.cut.once));
                let again = again.map_or(0.0, |cost| cost.seconds);
                parts.cut.cost_of_run(inner.trip_count, again, &price)
            }
            None => price(dag),
        }
    };
    let run = |written: &Dag, dag: &Dag| run_under(options, written, dag);
    // What a sketch asks for may be dearer.
    let is_asked_for = pays(0.0, 1.0);
    if !is_asked_for && !is_cheaper_by_chance(&original, (&optimized, &run), options) {
        return Err(NoSuggestion::Uncertain);
    }
    let both = |options: &Options| {
        let before = estimate::cost_as_written(&original, options)?;
        Some((before, run_under(options, &original, &optimized)?))
    };
    if !is_asked_for && !is_cheaper_on_slow_cores((&before, &after), &both, options) {
        return Err(NoSuggestion::SlowCores);
    }
    // Each of what follows takes some milliseconds.
    let going = || match cancel.is_cancelled() {
        true => Err(NoSuggestion::Cancelled),
        false => Ok(()),
    };
    going()?;
    let forms = Forms {
        written: (original.clone(), optimized.clone()),
        whole: (group.over_inputs(), group.seen_through(&outcome.dag)),
    };
    let proof = verify::prove(group, &forms.whole.1)?;
    let mut needs = needs::of_vectors(group, &forms.whole);
    let [of_others, equal_sizes] =
        needs::of_second_operands(group, &forms.whole, &outcome.dag, cancel);
    needs.extend(of_others);
    let check = verify::check(&forms, cancel).map_err(|why| match cancel.is_cancelled() {
        true => NoSuggestion::Cancelled,
        false => NoSuggestion::Unchecked(unchecked::reason(&why, &forms.whole.0, cancel)),
    })?;
    going()?;
    let accuracy = sumac_advice::measure(
        [&forms.whole, &forms.written],
        &|dag, id| dag.print(id),
        cancel,
    )
    .map(|accuracy| accuracy.named(&|text| group.spoken(text)));
    if let Some(accuracy) = accuracy.as_ref().filter(|found| found.is_undefined) {
        return Err(NoSuggestion::Unchecked(format!(
            "a cheaper form was found and proved, but it {accuracy}, by rounding"
        )));
    }
    going()?;
    let before_loop = site.before(group, &optimized, &machine);
    let written = write::write(site, group, &optimized, before_loop.as_ref())
        .map_err(|why| NoSuggestion::Unwritten(why.to_owned()))?;
    let mut assumes = vec![REAL_ARITHMETIC.to_owned()];
    assumes.extend(group.facts());
    assumes.extend(also_computed(group, &forms.whole.1, &before, options));
    assumes.extend(break_even::break_even(
        &original,
        (&optimized, &run),
        options,
    ));
    going()?;
    if let Some((parts, inner)) = before_loop.as_ref().zip(site.around.loops.first()) {
        assumes.extend(parts.assumes(&before, inner, options));
    }
    let dag = group.block.symbolic();
    assumes.extend(
        proof
            .assumes()
            .filter_map(|text| assumed::spoken(&text, dag)),
    );
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
        shared: others,
        runs: site
            .around
            .loops
            .iter()
            .map(|around| around.trip_count)
            .product(),
        memory: machine.memory,
        runs_as: estimate::programs(&optimized, options),
        proof,
        check,
        accuracy,
        needs,
        equal_sizes,
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
            original: with_others(original),
            once: before_loop.as_ref().map(|parts| parts.cut.once.clone()),
            optimized: with_others(before_loop.map_or(optimized, |parts| parts.cut.body)),
        }),
        forms: Arc::new(forms),
    };
    // Lines end as those of the script do.
    let as_there = |mut edit: TextEdit| {
        if site.text().contains("\r\n") {
            edit.new_text = edit.new_text.replace("\r\n", "\n").replace('\n', "\r\n");
        }
        edit
    };
    let as_there = |edits: Vec<TextEdit>| edits.into_iter().map(as_there).collect();
    let suggestion = Suggestion {
        range: written.range,
        statement_ranges: written.statement_ranges.into(),
        edits: as_there(written.edits),
        edits_with_temporaries: written.edits_with_temporaries.map(as_there),
        advice: Arc::new(advice),
    };
    Ok(suggestion.relocated(|range| site.in_file(range)))
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
        outcome.after = instead(&outcome.after, &found, &said);
    }
    outcome.dag = dag;
    Some(outcome)
}

/// The cost of a form, of which a part costs otherwise than was found.
fn instead(whole: &Cost, found: &Cost, now: &Cost) -> Cost {
    Cost {
        flops: whole.flops + now.flops - found.flops,
        bytes: whole.bytes + now.bytes - found.bytes,
        nnz: whole.nnz + now.nnz - found.nnz,
        seconds: whole.seconds + now.seconds - found.seconds,
        peak_bytes: whole.peak_bytes.max(now.peak_bytes),
    }
}

/// The form with its chains of products in their cheapest order, where that is cheaper: of a long chain a search that comes to a
/// limit has seen a few orders only.
pub(super) fn in_cheapest_order(mut outcome: Outcome, options: &Options) -> Outcome {
    /// A smaller share is no reason for another order.
    const LEAST_SHARE: f64 = 0.02;
    let dag = outcome.dag.with_cheapest_products(&options.machine());
    let cost = |dag: &Dag| estimate::cost(dag, options);
    if let (Some(found), Some(now)) = (cost(&outcome.dag), cost(&dag))
        && options.cost.of(&now) < (1.0 - LEAST_SHARE) * options.cost.of(&found)
    {
        outcome.after = instead(&outcome.after, &found, &now);
        outcome.dag = dag;
    }
    outcome
}
