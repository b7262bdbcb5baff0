//! What a form must gain to be suggested, and why one is not. Must never search.

use sumac_cost::{Cost, Engine, Machine};
use sumac_la::Dag;
use sumac_sumproduct::{CostModel, Options, SearchStats};

use super::group::{Group, Strand};
use crate::estimate;
use crate::no_suggestion::{End, NoSuggestion};
use crate::suggestion::{LEAST_GAIN, Suggestion};

/// What a form costs in place of the written one, which is named first: over inputs of the same types.
pub(super) type CostInPlace<'a> = dyn Fn(&Dag, &Dag) -> Option<Cost> + 'a;

/// Whether a form is worth showing: to fit into the memory counts more than any time.
pub(super) fn is_worth_it(before: &Cost, after: &Cost, machine: &Machine, is_faster: bool) -> bool {
    let fits = |cost: &Cost| machine.fits(cost.peak_bytes);
    match (fits(before), fits(after)) {
        (false, true) => true,
        (true, false) => false,
        _ => is_faster,
    }
}

/// Why the cheapest form that was found is not suggested.
pub(super) fn not_worth_it(
    (before, after): (Cost, Cost),
    original: &Dag,
    search: &SearchStats,
    options: &Options,
) -> NoSuggestion {
    /// A smaller share is rounding.
    const LEAST_SHARE: f64 = 1e-3;
    let machine = options.machine();
    if machine.fits(before.peak_bytes) && !machine.fits(after.peak_bytes) {
        return NoSuggestion::TooLarge;
    }
    let seconds = before.seconds - after.seconds;
    let ratio = before.seconds / after.seconds.max(machine.overhead);
    // By another cost than time what saves time may be no cheaper.
    let is_little = seconds < LEAST_GAIN.0 || ratio < LEAST_GAIN.1;
    if is_little && seconds > LEAST_SHARE * before.seconds {
        return NoSuggestion::TooLittle { seconds, ratio };
    }
    NoSuggestion::Cheapest {
        end: End::of(search),
        fused: estimate::programs(original, options).len(),
    }
}

/// Whether a form is cheaper also where factors that do not come of one matrix are zero in other cells each.
pub(super) fn is_cheaper_by_chance(
    original: &Dag,
    (optimized, cost_of_optimized): (&Dag, &CostInPlace<'_>),
    options: &Options,
) -> bool {
    let other = |form: &Dag| form.independent();
    let (before, after) = (other(original), other(optimized));
    if before.is_none() && after.is_none() {
        return true;
    }
    let (original, optimized) = (
        before.as_ref().unwrap_or(original),
        after.as_ref().unwrap_or(optimized),
    );
    let (before, after) = (
        estimate::cost_as_written(original, options),
        cost_of_optimized(original, optimized),
    );
    match (before, after) {
        (Some(before), Some(after)) => options.cost.of(&after) <= options.cost.of(&before),
        _ => true,
    }
}

/// Whether a form that computes more is cheaper also where cellwise operators take longer. Products come near their rate on every
/// processor; how much of theirs cellwise operators reach in a fused one depends on its rows and on the caches, so that what waits for
/// memory on one processor waits for the cores of another.
pub(super) fn is_cheaper_on_slow_cores(
    (before, after): (&Cost, &Cost),
    price: &dyn Fn(&Options) -> Option<(Cost, Cost)>,
    options: &Options,
) -> bool {
    /// How many times slower they are than [`Options::machine`] says.
    const TIMES: f64 = 4.0;
    /// A form that computes less than this share more does not trade one for the other.
    const LEAST_SHARE: f64 = 0.02;
    let is_timed = options.cost == CostModel::Time && options.engine == Engine::Local;
    let is_traded = after.flops > (1.0 + LEAST_SHARE) * before.flops;
    let fits = |cost: &Cost| options.machine().fits(cost.peak_bytes);
    if !is_timed || !is_traded || (fits(after) && !fits(before)) {
        return true;
    }
    let mut slow = *options;
    slow.machine.cell_flops /= TIMES;
    price(&slow).is_none_or(|(before, after)| after.seconds <= before.seconds)
}

/// A cost with that of what other statements compute.
pub(super) fn beside(cost: Cost, others: &Cost) -> Cost {
    Cost {
        flops: cost.flops + others.flops,
        bytes: cost.bytes + others.bytes,
        nnz: cost.nnz + others.nnz,
        peak_bytes: cost.peak_bytes.max(others.peak_bytes),
        seconds: cost.seconds + others.seconds,
    }
}

/// What a variable that stays may cost: a share.
const PRICE_OF_A_NAME: f64 = 1.1;

/// A statement of a group for itself, with what was found for it.
pub(super) type Alone<'a> = (Option<Suggestion>, Group<'a>);

/// What a statement costs for itself.
fn cost_alone((found, group): &Alone<'_>, options: &Options) -> Option<Cost> {
    match found {
        Some(found) => Some(found.after),
        None => estimate::cost_as_written(&group.original(), options),
    }
}

/// Whether the statements of a group cost each for itself about what they do as one.
pub(super) fn is_as_cheap(alone: &[Alone<'_>], whole: &Suggestion, options: &Options) -> bool {
    if alone.iter().all(|(found, _)| found.is_none()) {
        return false;
    }
    let costs: Option<Vec<Cost>> = alone.iter().map(|one| cost_alone(one, options)).collect();
    costs.is_some_and(|costs| {
        let total: f64 = costs.iter().map(|cost| options.cost.of(cost)).sum();
        let fits = |cost: &Cost| options.machine().fits(cost.peak_bytes);
        total <= PRICE_OF_A_NAME * whole.cost.1 && costs.iter().all(fits)
    })
}

/// The strands of a group that cost about as much where their statements stay as in the form that was found for the whole: nothing is
/// lost with their names. All of them is none, for then the whole has gained nothing of this kind.
pub(super) fn without_gain(
    strands: Vec<Strand>,
    group: &Group<'_>,
    alone: &[Alone<'_>],
    whole: &Suggestion,
    options: &Options,
) -> Vec<Strand> {
    let of_roots = |form: &Dag, roots: &[usize]| {
        let mut dag = Dag::default();
        for at in roots {
            let root = dag.import(form, *form.roots().get(*at)?);
            dag.push_root(root);
        }
        Some(dag)
    };
    let parts = group.parts();
    let last = alone.last();
    let gains_nothing = |strand: &Strand| {
        if strand.members.is_empty() {
            return None;
        }
        let as_one = of_roots(&whole.forms.written.1, &strand.parts)?;
        let as_one = options.cost.of(&estimate::cost(&as_one, options)?);
        let mut apart = 0.0;
        for one in alone
            .iter()
            .filter(|(_, one)| strand.members.contains(&one.last_place()))
        {
            apart += options.cost.of(&cost_alone(one, options)?);
        }
        let (_, last) = last?;
        let ranges: Vec<_> = strand.parts.iter().map(|at| parts[*at].range).collect();
        let own = last.parts();
        let own = own
            .iter()
            .enumerate()
            .filter(|(_, part)| ranges.contains(&part.range));
        let own: Vec<usize> = own.map(|(at, _)| at).collect();
        let own = of_roots(&last.original(), &own)?;
        apart += options.cost.of(&estimate::cost_as_written(&own, options)?);
        Some(apart <= PRICE_OF_A_NAME * as_one)
    };
    let all = strands.len();
    let left: Vec<Strand> = strands
        .into_iter()
        .filter(|strand| gains_nothing(strand) == Some(true))
        .collect();
    match left.len() < all {
        true => left,
        false => Vec::new(),
    }
}
