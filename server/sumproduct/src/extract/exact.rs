//! The cheapest plan, proved where the effort allows it.
//!
//! In order: greedy plans, which the caller has; better plans by sharing; a lower bound from landmarks, which often proves the plan already
//! and takes away most choices where it does not; the 0/1 program over the rest. What comes out is never
//! dearer than the greedy plan.

use super::graph::{Graph, Plan};
use super::ilp;
use super::reduce::{count, reduce};
use super::share::improve;

/// A plan within this share of the least cost is the least: rounding.
const TOLERANCE: f64 = 1e-6;

/// A plan and what is known of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Exact {
    /// The cheapest plan found.
    pub plan: Plan,
    /// Its cost.
    pub cost: f64,
    /// No plan costs less than this.
    pub least: f64,
    /// How the end was reached.
    pub proof: Proof,
}

/// How far the plan is proved to be the cheapest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// The lower bound says so, without a program.
    Bound,
    /// The program was solved; so many variables.
    Program(usize),
    /// The effort ended before; so many variables.
    Open(usize),
}

/// The cheapest plan, by way of plans that are known, the first of equals; `None` if there is none among those.
pub fn exact(graph: &Graph, known: &[Plan], cancelled: &dyn Fn() -> bool) -> Option<Exact> {
    // Each of the steps takes milliseconds before it asks for the first time.
    if cancelled() {
        return None;
    }
    let improved = known.iter().filter_map(|plan| {
        let plan = improve(graph, plan.clone(), cancelled);
        Some((graph.cost(&plan)?, plan))
    });
    let (cost, plan) = improved.reduce(|best, next| if next.0 < best.0 { next } else { best })?;
    let cheaper = |cost: f64| cost * (1.0 - TOLERANCE);
    let proved = |plan: Plan, cost: f64, proof: Proof| Exact {
        plan,
        cost,
        least: cost,
        proof,
    };
    if cancelled() {
        return Some(Exact {
            plan,
            cost,
            least: 0.0,
            proof: Proof::Open(graph.states.iter().map(Vec::len).sum()),
        });
    }
    let Some(reduced) = reduce(graph, cheaper(cost), cancelled) else {
        return Some(proved(plan, cost, Proof::Bound));
    };
    let variables = count(&reduced.allowed);
    let open = |plan: Plan, cost: f64, least: f64| Exact {
        plan,
        cost,
        least: least.min(cost),
        proof: Proof::Open(variables),
    };
    if cancelled() || variables > ilp::MAX_VARIABLES {
        return Some(open(plan, cost, reduced.bound.least));
    }
    let better = |plan: Plan, found: Plan| match graph.cost(&found) {
        Some(total) if total < cost => (found, total),
        _ => (plan, cost),
    };
    Some(
        match ilp::solve(graph, &reduced, cheaper(cost), cancelled) {
            ilp::Solved::Best(found) => {
                let (plan, cost) = better(plan, found);
                proved(plan, cost, Proof::Program(variables))
            }
            ilp::Solved::NoneCheaper => proved(plan, cost, Proof::Program(variables)),
            ilp::Solved::Unknown(found, least) => {
                let (plan, cost) = match found {
                    Some(found) => better(plan, found),
                    None => (plan, cost),
                };
                open(plan, cost, least)
            }
        },
    )
}
