//! A lower bound for every plan, from landmarks: sets of choices of which each plan must make one.
//!
//! Extraction is delete-free planning: states are facts, choices are actions. The LM-cut bound of that field (Helmert
//! and Domshlak, ICAPS 2009) finds one landmark after the other, takes the cheapest of its choices as paid, and
//! goes on with what is left of the costs. It respects circles by itself, and is often the optimum.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::graph::Graph;

/// A choice, by its state and its place there.
pub type Pick = (usize, usize);

/// The bound and what it leaves.
#[derive(Clone, Debug)]
pub struct Bound {
    /// No plan costs less.
    pub least: f64,
    /// By state and choice: a plan that makes this choice costs at least this much.
    pub with: Vec<Vec<f64>>,
    /// Of each of these sets, every plan makes a choice.
    pub landmarks: Vec<Vec<Pick>>,
}

/// Choices looked at before the bound is left as it is: each landmark looks at all of them.
const MAX_WORK: usize = 8_000_000;
/// What is left of the costs, as a share of what was there, that is not worth a landmark.
const LEAST_SHARE: f64 = 1e-8;

/// The bound over the choices for which `allowed` holds. `None` if they admit no plan.
pub fn bound(graph: &Graph, allowed: &[Vec<bool>], cancelled: &dyn Fn() -> bool) -> Option<Bound> {
    let mut search = Search::new(graph, allowed);
    search.explore();
    let (mut root, mut distance) = search.dearest_root()?;
    let least_distance = distance * LEAST_SHARE;
    let mut least = 0.0;
    let mut landmarks: Vec<Vec<Pick>> = Vec::new();
    let most_landmarks = MAX_WORK / search.choices.len().max(1);
    while distance > least_distance && landmarks.len() < most_landmarks && !cancelled() {
        let landmark = search.cut(root, least_distance * 1e-6);
        let worth = landmark
            .iter()
            .map(|place| search.choices[*place].left)
            .fold(f64::INFINITY, f64::min);
        // Costs are floats: where rounding leaves nothing to take, the bound is as it is.
        if landmark.is_empty() || worth <= 0.0 {
            break;
        }
        for place in &landmark {
            search.choices[*place].left -= worth;
        }
        least += worth;
        landmarks.push(
            landmark
                .iter()
                .map(|place| search.choices[*place].pick)
                .collect(),
        );
        search.explore();
        (root, distance) = search.dearest_root()?;
    }
    let mut with: Vec<Vec<f64>> = graph
        .states
        .iter()
        .map(|choices| vec![f64::INFINITY; choices.len()])
        .collect();
    for choice in &search.choices {
        with[choice.pick.0][choice.pick.1] = least + choice.left + search.waits_for(choice);
    }
    Some(Bound {
        least,
        with,
        landmarks,
    })
}

/// A choice that is allowed.
struct Allowed<'a> {
    pick: Pick,
    needs: &'a [usize],
    /// Its cost that no landmark has used.
    left: f64,
    /// How many needs are not reached yet.
    open: usize,
    /// The need that was reached last, and so is the dearest.
    dearest: Option<usize>,
}

impl Allowed<'_> {
    fn is_reached(&self) -> bool {
        self.open == 0
    }
}

struct Search<'a> {
    graph: &'a Graph,
    choices: Vec<Allowed<'a>>,
    /// For each state, the places of its choices.
    of: Vec<Vec<usize>>,
    /// For each state, the places of the choices that need it.
    users: Vec<Vec<usize>>,
    /// For each state, the dearest path to it where each choice waits for its dearest need.
    distance: Vec<f64>,
}

/// Distances in a heap: never NaN.
#[derive(Clone, Copy, PartialEq)]
struct Far(f64);
impl Eq for Far {}
impl PartialOrd for Far {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Far {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph, allowed: &[Vec<bool>]) -> Self {
        let states = graph.states.len();
        let mut this = Search {
            graph,
            choices: Vec::new(),
            of: vec![Vec::new(); states],
            users: vec![Vec::new(); states],
            distance: Vec::new(),
        };
        for (state, choices) in graph.states.iter().enumerate() {
            for (k, choice) in choices.iter().enumerate() {
                if !allowed[state][k] {
                    continue;
                }
                let place = this.choices.len();
                this.of[state].push(place);
                for need in &choice.needs {
                    this.users[*need].push(place);
                }
                this.choices.push(Allowed {
                    pick: (state, k),
                    needs: &choice.needs,
                    left: choice.cost,
                    open: 0,
                    dearest: None,
                });
            }
        }
        this
    }

    /// Dijkstra over states: a choice is ready when its last, and so its dearest, need is.
    fn explore(&mut self) {
        let states = self.graph.states.len();
        self.distance.clear();
        self.distance.resize(states, f64::INFINITY);
        let mut settled = vec![false; states];
        let mut open = BinaryHeap::new();
        for choice in &mut self.choices {
            choice.open = choice.needs.len();
            choice.dearest = None;
            let distance = &mut self.distance[choice.pick.0];
            if choice.needs.is_empty() && choice.left < *distance {
                *distance = choice.left;
                open.push(Reverse((Far(choice.left), choice.pick.0)));
            }
        }
        while let Some(Reverse((Far(distance), state))) = open.pop() {
            if std::mem::replace(&mut settled[state], true) {
                continue;
            }
            for place in &self.users[state] {
                let choice = &mut self.choices[*place];
                choice.open -= 1;
                if choice.open > 0 {
                    continue;
                }
                choice.dearest = Some(state);
                let total = distance + choice.left;
                if total < self.distance[choice.pick.0] {
                    self.distance[choice.pick.0] = total;
                    open.push(Reverse((Far(total), choice.pick.0)));
                }
            }
        }
    }

    fn dearest_root(&self) -> Option<(usize, f64)> {
        let far = |state: &usize| Far(self.distance[*state]);
        let root = *self.graph.roots.iter().max_by_key(|state| far(state))?;
        let distance = self.distance[root];
        distance.is_finite().then_some((root, distance))
    }

    /// How far a choice's dearest need is.
    fn waits_for(&self, choice: &Allowed<'_>) -> f64 {
        match choice.dearest {
            Some(need) => self.distance[need],
            None if choice.needs.is_empty() => 0.0,
            None => f64::INFINITY,
        }
    }

    /// The choices on the border of the zone from which `root` is reached for `nothing`, following for each choice its
    /// dearest need.
    fn cut(&self, root: usize, nothing: f64) -> Vec<usize> {
        let states = self.graph.states.len();
        let mut zone = vec![false; states];
        let mut open = vec![root];
        zone[root] = true;
        while let Some(state) = open.pop() {
            for place in &self.of[state] {
                let choice = &self.choices[*place];
                if choice.left <= nothing
                    && let Some(need) = choice.dearest
                    && !std::mem::replace(&mut zone[need], true)
                {
                    open.push(need);
                }
            }
        }
        let mut border = Vec::new();
        let mut before = vec![false; states];
        let mut reach = |place: usize, open: &mut Vec<usize>| {
            let state = self.choices[place].pick.0;
            if zone[state] {
                border.push(place);
            } else if !std::mem::replace(&mut before[state], true) {
                open.push(state);
            }
        };
        for (place, choice) in self.choices.iter().enumerate() {
            if choice.needs.is_empty() {
                reach(place, &mut open);
            }
        }
        while let Some(state) = open.pop() {
            for place in &self.users[state] {
                let choice = &self.choices[*place];
                if choice.is_reached() && choice.dearest == Some(state) {
                    reach(*place, &mut open);
                }
            }
        }
        border.sort_unstable();
        border
    }
}
