//! What a form costs as it will run: by the fusion plan of our runtime where that runs it and time is what counts, by the
//! engine's own patterns otherwise. One estimate for searches, for what is shown, and for break-even points.

use sumac_la::{Cost, Dag, Engine, NodeId, Regions};
use sumac_runtime::fused::{planned, regions};
use sumac_sumproduct::{CostModel, Options, price};

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
