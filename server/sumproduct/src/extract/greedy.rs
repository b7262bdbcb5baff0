//! Greedy plans: the cheapest choice of every state, bottom-up. Costs are summed over trees (SPORES section 3.1), so
//! what is shared is paid for by every user while choices are made.

use super::graph::{Graph, Plan};

/// The plan, and for each state its tree's cost. `free` states cost nothing and are not looked into.
///
/// Improves until nothing does. Each choice that needs something costs something of its own, so no choice can
/// lean on itself.
pub fn greedy(graph: &Graph, free: impl Fn(usize) -> bool) -> (Plan, Vec<f64>) {
    let mut totals: Vec<f64> = (0..graph.states.len())
        .map(|state| if free(state) { 0.0 } else { f64::INFINITY })
        .collect();
    let mut plan: Plan = vec![None; graph.states.len()];
    loop {
        let mut changed = false;
        for state in (0..graph.states.len()).rev() {
            if free(state) {
                continue;
            }
            for (k, choice) in graph.states[state].iter().enumerate() {
                let needs: f64 = choice.needs.iter().map(|need| totals[*need]).sum();
                let total = needs + choice.cost;
                if total < totals[state] * (1.0 - 1e-12) {
                    totals[state] = total;
                    plan[state] = Some(k);
                    changed = true;
                }
            }
        }
        if !changed {
            return (plan, totals);
        }
    }
}
