//! What extraction chooses from, without any algebra: states, and for each the choices that compute it from others.
//!
//! A *plan* picks one choice for each state that it uses. It may share a state among many users, and pays for it
//! once; it must not go in a circle. Nothing here chooses.

use smallvec::SmallVec;

/// One way to compute a state.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// What it costs beside what it needs; never negative.
    pub cost: f64,
    /// The states that it needs, ascending, each once.
    pub needs: SmallVec<[usize; 2]>,
}

impl Choice {
    /// A choice that needs these states.
    pub fn new(cost: f64, needs: impl IntoIterator<Item = usize>) -> Self {
        let mut needs: SmallVec<[usize; 2]> = needs.into_iter().collect();
        needs.sort_unstable();
        needs.dedup();
        Choice { cost, needs }
    }
}

/// States, their choices, and the states that are wanted.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Graph {
    /// For each state its choices.
    pub states: Vec<Vec<Choice>>,
    /// The states that every plan must use.
    pub roots: Vec<usize>,
}

/// For each state its choice; states that the plan does not use may have one, too.
pub type Plan = Vec<Option<usize>>;

/// A part of a graph, over the same states.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// The part.
    pub graph: Graph,
    /// For each state and choice of the part, the place of the choice in the whole.
    places: Vec<Vec<usize>>,
}

impl Part {
    /// A plan of the part as one of the whole.
    pub fn in_whole(&self, plan: &[Option<usize>]) -> Plan {
        let place = |(k, places): (&Option<usize>, &Vec<usize>)| k.map(|k| places[k]);
        plan.iter().zip(&self.places).map(place).collect()
    }
}

/// Choices of a small graph.
const SMALL: usize = 6_000;

impl Graph {
    /// Whether each state may carry the set of what it is made of, and many plans may be looked at.
    pub fn is_small(&self) -> bool {
        self.states.iter().map(Vec::len).sum::<usize>() <= SMALL
    }

    /// The graph without the choices that `keep` does not want, by state and choice, and without those that need one. A
    /// state that cannot be computed so keeps all of its choices: what has a plan here has one there.
    pub fn only(&self, keep: impl Fn(usize, usize) -> bool) -> Part {
        let mut is_done = vec![false; self.states.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (state, choices) in self.states.iter().enumerate().rev() {
                let computes = |(k, choice): (usize, &Choice)| {
                    keep(state, k) && choice.needs.iter().all(|need| is_done[*need])
                };
                if !is_done[state] && choices.iter().enumerate().any(computes) {
                    is_done[state] = true;
                    changed = true;
                }
            }
        }
        let stays = |state: usize, k: usize| {
            let needs = &self.states[state][k].needs;
            !is_done[state] || keep(state, k) && needs.iter().all(|need| is_done[*need])
        };
        let places: Vec<Vec<usize>> = self
            .states
            .iter()
            .enumerate()
            .map(|(state, choices)| (0..choices.len()).filter(|k| stays(state, *k)).collect())
            .collect();
        let chosen = |(state, places): (usize, &Vec<usize>)| {
            let choice = |k: &usize| self.states[state][*k].clone();
            places.iter().map(choice).collect()
        };
        Part {
            graph: Graph {
                states: places.iter().enumerate().map(chosen).collect(),
                roots: self.roots.clone(),
            },
            places,
        }
    }

    /// The choice that a plan makes for a state.
    pub fn chosen(&self, plan: &[Option<usize>], state: usize) -> Option<&Choice> {
        self.states[state].get(plan[state]?)
    }

    /// The states that a plan uses, each behind what it needs; or what is wrong with it.
    pub fn order(&self, plan: &[Option<usize>]) -> Result<Vec<usize>, NoPlan> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.states.len()];
        let mut order = Vec::new();
        // A state, and how many of its needs were looked at.
        let mut path: Vec<(usize, usize)> = Vec::new();
        for root in &self.roots {
            if marks[*root] == Mark::New {
                marks[*root] = Mark::Open;
                path.push((*root, 0));
            }
            while let Some((state, next)) = path.last_mut() {
                let choice = self.chosen(plan, *state).ok_or(NoPlan::Missing)?;
                let Some(need) = choice.needs.get(*next) else {
                    marks[*state] = Mark::Done;
                    order.push(*state);
                    path.pop();
                    continue;
                };
                *next += 1;
                match marks[*need] {
                    Mark::New => {
                        marks[*need] = Mark::Open;
                        path.push((*need, 0));
                    }
                    Mark::Open => {
                        let start = path.iter().position(|(s, _)| s == need);
                        let circle = &path[start.expect("open states are on the path")..];
                        return Err(NoPlan::Circle(circle.iter().map(|(s, _)| *s).collect()));
                    }
                    Mark::Done => {}
                }
            }
        }
        Ok(order)
    }

    /// What a plan costs, each state once; `None` if it is none.
    pub fn cost(&self, plan: &[Option<usize>]) -> Option<f64> {
        let order = self.order(plan).ok()?;
        Some(
            order
                .into_iter()
                .filter_map(|state| self.chosen(plan, state))
                .map(|choice| choice.cost)
                .sum(),
        )
    }
}

/// Why choices are no plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoPlan {
    /// A state that is needed has no choice.
    Missing,
    /// These states need each other, each the next.
    Circle(Vec<usize>),
}
