//! Better plans than the greedy one: a plan that sees sharing is improved, one state at a time, until nothing helps.
//!
//! Fast, and near the optimum; it proves nothing. Never worse than the plan that it begins with.

use super::graph::{Graph, Plan};
use super::greedy::greedy;

/// Smaller gains are rounding.
const LEAST_GAIN: f64 = 1e-9;

/// Improves `plan` until no single other choice makes it cheaper. What a new choice needs beside the plan is chosen
/// as if all that the plan computes already cost nothing.
pub fn improve(graph: &Graph, plan: Plan, cancelled: &dyn Fn() -> bool) -> Plan {
    let Some(mut cost) = graph.cost(&plan) else {
        return plan;
    };
    let mut plan = plan;
    // Every round gains; the bound is for floats only.
    for _ in 0..graph.states.len() {
        if cancelled() {
            return plan;
        }
        let Ok(used) = graph.order(&plan) else {
            return plan;
        };
        let mut candidate = beside(graph, &plan, &used);
        let mut best: Option<(f64, usize, usize)> = None;
        for state in used.into_iter().rev() {
            let kept = candidate[state];
            for k in 0..graph.states[state].len() {
                // Each choice is a look at the whole plan, and a state may have thousands.
                if cancelled() {
                    return plan;
                }
                if Some(k) == kept {
                    continue;
                }
                candidate[state] = Some(k);
                if let Some(total) = graph.cost(&candidate)
                    && total < best.map_or(cost * (1.0 - LEAST_GAIN), |(least, ..)| least)
                {
                    best = Some((total, state, k));
                }
            }
            candidate[state] = kept;
        }
        let Some((total, state, k)) = best else {
            return plan;
        };
        candidate[state] = Some(k);
        plan = candidate;
        cost = total;
    }
    plan
}

/// Plans beside `plan`, the cheapest first, at most so many: each makes another choice for one of the states that
/// `plan` uses. What it needs beside `plan` is chosen as in [`improve`].
pub fn others(graph: &Graph, plan: &Plan, most: usize, cancelled: &dyn Fn() -> bool) -> Vec<Plan> {
    let Ok(used) = graph.order(plan) else {
        return Vec::new();
    };
    let mut found: Vec<(f64, usize, usize)> = Vec::new();
    let mut candidate = beside(graph, plan, &used);
    for state in used {
        let kept = candidate[state];
        for k in (0..graph.states[state].len()).filter(|k| Some(*k) != kept) {
            if cancelled() {
                return Vec::new();
            }
            candidate[state] = Some(k);
            if let Some(total) = graph.cost(&candidate) {
                found.push((total, state, k));
            }
        }
        candidate[state] = kept;
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.truncate(most);
    let with = |(_, state, k): (f64, usize, usize)| {
        let mut plan = candidate.clone();
        plan[state] = Some(k);
        plan
    };
    found.into_iter().map(with).collect()
}

/// The plan, with choices also for the states that it does not use: the cheapest if all that it uses cost nothing.
fn beside(graph: &Graph, plan: &Plan, used: &[usize]) -> Plan {
    let mut in_use = vec![false; graph.states.len()];
    for state in used {
        in_use[*state] = true;
    }
    let (beside, _) = greedy(graph, |state| in_use[state]);
    (0..graph.states.len())
        .map(|state| {
            if in_use[state] {
                plan[state]
            } else {
                beside[state]
            }
        })
        .collect()
}

/// The greedy plan over DAGs: each state knows all that it is made of, so a part that is there already is not paid for
/// again. `None` if its choices go in a circle together.
pub fn greedy_over_sets(graph: &Graph, cancelled: &dyn Fn() -> bool) -> Option<Plan> {
    // Sorted by state; the costs are those of the choices made when the set was formed.
    type Made = Vec<(usize, f64)>;
    let mut plan: Plan = vec![None; graph.states.len()];
    let mut sets: Vec<Made> = vec![Vec::new(); graph.states.len()];
    let mut totals = vec![f64::INFINITY; graph.states.len()];
    for _ in 0..ROUNDS {
        let mut changed = false;
        for state in (0..graph.states.len()).rev() {
            for (k, choice) in graph.states[state].iter().enumerate() {
                if cancelled() {
                    return None;
                }
                if choice.needs.iter().any(|need| plan[*need].is_none()) {
                    continue;
                }
                let mut made: Made = vec![(state, choice.cost)];
                for need in &choice.needs {
                    if sets[*need]
                        .binary_search_by_key(&state, |(s, _)| *s)
                        .is_ok()
                    {
                        made.clear();
                        break;
                    }
                    made.extend_from_slice(&sets[*need]);
                }
                if made.is_empty() {
                    continue;
                }
                made.sort_by_key(|(s, _)| *s);
                made.dedup_by_key(|(s, _)| *s);
                let total: f64 = made.iter().map(|(_, cost)| cost).sum();
                if total < totals[state] * (1.0 - LEAST_GAIN) {
                    totals[state] = total;
                    sets[state] = made;
                    plan[state] = Some(k);
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    graph.cost(&plan).is_some().then_some(plan)
}

/// Sets settle after a few rounds; where they do not, the last ones are as good as any.
const ROUNDS: usize = 12;
