//! A choice among a few good forms by how they run: each is planned, what its plan runs as one becomes a candidate for
//! extraction, and extraction chooses again. Must never grow the graph.

use sumac_cost::{Cost, Regions};
use sumac_la::Dag;

use crate::extract::{Plan, States};
use crate::optimize::{NoOutcome, Request, lowered, structural_fingerprint};
use crate::options::Extraction;

/// Times that extraction chooses again.
const ROUNDS: usize = 3;
/// Plans that are looked at beside the best where states are few: most differ from others in little.
const LOOKED_AT: usize = 60;
/// Forms that are planned in one round.
const PLANNED: usize = 6;

/// Feeds what is planned back into the states, and shows each form that was planned to `consider`.
///
/// # Errors
/// See [`NoOutcome`].
pub fn feed(
    states: &mut States<'_>,
    request: &Request<'_>,
    regions: Regions,
    cancelled: &dyn Fn() -> bool,
    consider: &mut dyn FnMut(Plan, (Dag, Cost)),
) -> Result<(), NoOutcome> {
    let mut seen: Vec<Vec<u64>> = Vec::new();
    let computed = request.computed_again();
    for _ in 0..ROUNDS {
        let mut fed = Vec::new();
        let mut planned = 0;
        let best = states.plans(Extraction::Greedy, cancelled);
        let mut plans: Vec<Plan> = best.into_iter().map(|chosen| chosen.plan).collect();
        if let Some(first) = plans.first().filter(|_| states.are_few()) {
            plans.extend(states.others(first, LOOKED_AT, cancelled));
        }
        for plan in plans {
            if cancelled() {
                return Ok(());
            }
            let form = lowered(states, &plan, request, computed)?;
            let like = structural_fingerprint(&form.0);
            if seen.contains(&like) {
                continue;
            }
            seen.push(like);
            let of = |dag: &Dag| regions(dag, dag.roots(), request.machine);
            fed.extend(states.regions_of(&plan, of, request.machine));
            consider(plan, form);
            planned += 1;
            if planned == PLANNED {
                break;
            }
        }
        if !states.add(fed) {
            break;
        }
    }
    Ok(())
}
