//! Takes away choices that no plan needs which is cheaper than the best known one. Nothing here loses such a plan.

use super::graph::Graph;
use super::landmarks::{self, Bound};

/// The choices that are left, by state and choice.
pub type Allowed = Vec<Vec<bool>>;

/// What is left to decide.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The choices of a cheaper plan, if there is one.
    pub allowed: Allowed,
    /// The bound over them.
    pub bound: Bound,
}

/// The graph without what a plan cheaper than `most` does not need. `None`: there is no cheaper plan.
pub fn reduce(graph: &Graph, most: f64, cancelled: &dyn Fn() -> bool) -> Option<Reduced> {
    let mut allowed: Allowed = graph
        .states
        .iter()
        .map(|choices| choices.iter().map(|choice| choice.cost < most).collect())
        .collect();
    let mut left = count(&allowed);
    loop {
        drop_unfit(graph, &mut allowed)?;
        let bound = landmarks::bound(graph, &allowed, cancelled)?;
        if bound.least >= most {
            return None;
        }
        if cancelled() {
            return Some(Reduced { allowed, bound });
        }
        for (choices, with) in allowed.iter_mut().zip(&bound.with) {
            for (choice, with) in choices.iter_mut().zip(with) {
                *choice &= *with < most;
            }
        }
        drop_unfit(graph, &mut allowed)?;
        drop_dominated(graph, &mut allowed, cancelled);
        drop_unfit(graph, &mut allowed)?;
        // Each round costs a bound: go on only where it pays.
        let now = count(&allowed);
        if now * 10 > left * 9 || cancelled() {
            return Some(Reduced { allowed, bound });
        }
        left = now;
    }
}

/// How many choices there are.
pub fn count(allowed: &Allowed) -> usize {
    allowed.iter().flatten().filter(|choice| **choice).count()
}

/// Drops choices that need what cannot be computed, and choices of states that no root leads to. `None` if a root
/// cannot be computed.
fn drop_unfit(graph: &Graph, allowed: &mut Allowed) -> Option<()> {
    let mut solid = vec![false; graph.states.len()];
    loop {
        let mut changed = false;
        for state in (0..graph.states.len())
            .rev()
            .filter(|state| !solid[*state])
            .collect::<Vec<_>>()
        {
            solid[state] = graph.states[state]
                .iter()
                .zip(&allowed[state])
                .any(|(choice, allowed)| *allowed && choice.needs.iter().all(|need| solid[*need]));
            changed |= solid[state];
        }
        if !changed {
            break;
        }
    }
    if graph.roots.iter().any(|root| !solid[*root]) {
        return None;
    }
    let mut reached = vec![false; graph.states.len()];
    let mut open = graph.roots.clone();
    while let Some(state) = open.pop() {
        if std::mem::replace(&mut reached[state], true) {
            continue;
        }
        for (choice, allowed) in graph.states[state].iter().zip(&mut allowed[state]) {
            *allowed &= choice
                .needs
                .iter()
                .all(|need| solid[*need] && *need != state);
            if *allowed {
                open.extend_from_slice(&choice.needs);
            }
        }
    }
    for (choices, reached) in allowed.iter_mut().zip(&reached) {
        if !reached {
            choices.fill(false);
        }
    }
    Some(())
}

/// Of two choices for a state, drops the one that costs at least as much and brings along all that the other needs. Cancelled,
/// it leaves the rest as it is.
fn drop_dominated(graph: &Graph, allowed: &mut Allowed, cancelled: &dyn Fn() -> bool) {
    let Some(parts) = Necessary::of(graph, allowed, cancelled) else {
        return;
    };
    for (state, choices) in graph.states.iter().enumerate() {
        for k in 0..choices.len() {
            if cancelled() {
                return;
            }
            if !allowed[state][k] {
                continue;
            }
            let brought = parts.together(&choices[k].needs);
            // What needs the state itself goes in a circle.
            let circle = has(&brought, state);
            let better = |other: &usize| {
                *other != k
                    && allowed[state][*other]
                    && (choices[*other].cost, *other) < (choices[k].cost, k)
                    && choices[*other]
                        .needs
                        .iter()
                        .all(|need| has(&brought, *need))
            };
            if circle || (0..choices.len()).any(|other| better(&other)) {
                allowed[state][k] = false;
            }
        }
    }
}

/// Sets of states, as bits.
type Bits = Vec<u64>;

fn has(bits: &[u64], state: usize) -> bool {
    bits[state / 64] & (1 << (state % 64)) != 0
}

/// For each state, the states without which it cannot be computed, itself among them.
struct Necessary {
    of: Vec<Bits>,
}

impl Necessary {
    /// The greatest solution: begins with everything and takes away what some choice does without. `None` if cancelled.
    fn of(graph: &Graph, allowed: &Allowed, cancelled: &dyn Fn() -> bool) -> Option<Self> {
        let words = graph.states.len().div_ceil(64);
        let mut this = Necessary {
            of: vec![vec![u64::MAX; words]; graph.states.len()],
        };
        loop {
            let mut changed = false;
            for state in (0..graph.states.len()).rev() {
                if cancelled() {
                    return None;
                }
                if !allowed[state].contains(&true) {
                    continue;
                }
                let mut common: Bits = vec![u64::MAX; words];
                for (choice, _) in graph.states[state]
                    .iter()
                    .zip(&allowed[state])
                    .filter(|(_, allowed)| **allowed)
                {
                    let brought = this.together(&choice.needs);
                    common
                        .iter_mut()
                        .zip(brought)
                        .for_each(|(all, here)| *all &= here);
                }
                common[state / 64] |= 1 << (state % 64);
                if common != this.of[state] {
                    this.of[state] = common;
                    changed = true;
                }
            }
            if !changed {
                return Some(this);
            }
        }
    }

    /// The states without which not all of these can be computed.
    fn together(&self, states: &[usize]) -> Bits {
        let mut all = vec![0; self.of.first().map_or(0, Vec::len)];
        for state in states {
            all.iter_mut()
                .zip(&self.of[*state])
                .for_each(|(all, one)| *all |= one);
        }
        all
    }
}
