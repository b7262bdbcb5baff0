//! What a form costs as it will run: by the fusion plan of our runtime where that runs it and time is what counts, by the
//! engine's own patterns otherwise. One estimate for searches, for what is shown, and for break-even points.

use sumac_cost::{Cost, Engine, Machine, Region, Regions};
use sumac_la::{Dag, NodeId};
use sumac_runtime::fused::{self, planned};
use sumac_sumproduct::{CostModel, Options, price};

use crate::suggest::formed::formed_before;

/// How operators are fused where that is planned.
#[must_use]
pub fn fusing(options: &Options) -> Option<Regions> {
    let is_planned = options.engine == Engine::Local && options.cost == CostModel::Time;
    is_planned.then_some(regions as Regions)
}

/// What a form costs; `None` if a size is not a number.
#[must_use]
pub fn cost(form: &Dag, options: &Options) -> Option<Cost> {
    price(form, &options.machine(), fusing(options))
}

/// What expressions cost as they stand in a script, where nothing is formed before them.
#[must_use]
pub fn cost_as_written(written: &Dag, options: &Options) -> Option<Cost> {
    let whole = fusing(options).map(|_| fused::regions as Regions);
    price(written, &options.machine(), whole)
}

/// What runs as one where a form stands in a script: a run plans statement by statement, so that nothing reaches into what
/// has a statement of its own.
fn regions(form: &Dag, roots: &[NodeId], machine: &Machine) -> Vec<Region> {
    let formed = formed_before(form);
    let reaches_in = |region: &Region| {
        let mut inside = region.covers.iter().filter(|id| !region.roots.contains(id));
        inside.any(|id| formed.contains(id))
    };
    let mut found = fused::regions(form, roots, machine);
    found.retain(|region| !reaches_in(region));
    found
}

/// The fused operators of a form as short programs, in the order in which they run; none where nothing is planned.
#[must_use]
pub fn programs(form: &Dag, options: &Options) -> Vec<String> {
    let machine = options.machine();
    let plan = fusing(options).and_then(|_| planned(form, form.roots(), &machine));
    let name = |id: NodeId| match form.input_of(id) {
        Some(input) => input.name.to_string(),
        None => form.print(id),
    };
    let operators = plan.map_or(Vec::new(), |plan| plan.operators);
    operators
        .iter()
        .map(|operator| operator.program(form, &name))
        .collect()
}
