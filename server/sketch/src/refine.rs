//! Shared parts counted once: from the cheapest tree on, one choice after another is changed as long as the whole gets
//! cheaper. Bounded, and never dearer than the tree that it starts from; it is no proof of a least cost.

use egg::{Analysis, Id, Language, RecExpr};
use rustc_hash::FxHashMap;

use crate::extract::{Choice, Chosen, Extractor, LocalCost, Score, State, build};
use crate::sketch::{Condition, Shape, SketchId, Sketches};

impl<L, N, C, K> Extractor<'_, L, N, C, K>
where
    L: Language,
    N: Analysis<L>,
    C: Condition<N::Data>,
    K: LocalCost<L>,
{
    /// The cost of a term whose equal parts are one, each counted once: the sum of what its nodes cost by themselves.
    #[must_use]
    pub fn dag_cost(&self, term: &RecExpr<L>, classes: &[Id]) -> f64 {
        let of_graph = |node: &L| {
            let mut node = node.clone();
            node.for_each_mut(|child| *child = classes[usize::from(*child)]);
            node
        };
        let nodes = term.as_ref().iter().zip(classes);
        nodes
            .map(|(node, class)| self.cost.own(*class, &of_graph(node)))
            .sum()
    }

    /// As [`term`](Extractor::term), with shared parts counted once; looks at no more than so many changes. The score
    /// counts nodes and costs once.
    #[must_use]
    pub fn refined(&self, class: Id, sketch: SketchId, mut changes: usize) -> Option<Chosen<L>> {
        let root = (self.graph.find(class), sketch);
        let mut changed: FxHashMap<State, Choice<L>> = FxHashMap::default();
        let mut best = self.with(root, &changed)?;
        let mut improved = true;
        while improved && changes > 0 {
            improved = false;
            let states = self.used(root, &changed);
            for state in &states {
                for choice in self.alternatives(*state, &states) {
                    if changes == 0 {
                        break;
                    }
                    changes -= 1;
                    let before = changed.insert(*state, choice);
                    match self.with(root, &changed) {
                        Some(other) if other.score.order(&best.score).is_lt() => {
                            best = other;
                            improved = true;
                        }
                        _ => {
                            match before {
                                Some(before) => changed.insert(*state, before),
                                None => changed.remove(state),
                            };
                        }
                    }
                }
            }
        }
        Some(best)
    }

    fn choice(&self, state: State, changed: &FxHashMap<State, Choice<L>>) -> Option<Choice<L>> {
        let known = || self.best.get(&state).map(|(_, choice)| choice);
        changed.get(&state).or_else(known).cloned()
    }

    fn with(&self, root: State, changed: &FxHashMap<State, Choice<L>>) -> Option<Chosen<L>> {
        let choose = |state| self.choice(state, changed);
        let (term, classes) = build(self.graph, root, &choose)?;
        #[expect(clippy::cast_precision_loss, reason = "terms are small")]
        let size = term.as_ref().len() as f64;
        let cost = self.dag_cost(&term, &classes);
        Some(Chosen {
            term,
            classes,
            score: Score { cost, size },
        })
    }

    /// The states that a term is made of, from the root down.
    fn used(&self, root: State, changed: &FxHashMap<State, Choice<L>>) -> Vec<State> {
        let mut found = Vec::new();
        let mut open = vec![root];
        while let Some(state) = open.pop() {
            if found.contains(&state) {
                continue;
            }
            found.push(state);
            match self.choice(state, changed) {
                None => {}
                Some(Choice::As(part)) => open.push((state.0, part)),
                Some(Choice::Node(node, order)) => {
                    let children = node.children().iter().map(|c| self.graph.find(*c));
                    open.extend(children.zip(order));
                }
            }
        }
        found
    }

    /// Other ways to satisfy a state. A hole may take what another sketch takes of the same class.
    fn alternatives(&self, state: State, used: &[State]) -> Vec<Choice<L>> {
        let (class, sketch) = state;
        let solved = |part: &SketchId| self.best.contains_key(&(class, *part));
        let mut found: Vec<Choice<L>> = Vec::new();
        let mut nodes = |fits: &dyn Fn(&L) -> bool,
                         orders: &dyn Fn(usize) -> Vec<Vec<SketchId>>| {
            for node in self.graph[class].nodes.iter().filter(|node| fits(node)) {
                for order in orders(node.len()) {
                    if self.score_of(class, node, &order).is_some() {
                        found.push(Choice::Node(node.clone(), order));
                    }
                }
            }
        };
        match self.sketches.shape(sketch) {
            Shape::Any => {
                nodes(&|_| true, &|n| vec![vec![sketch; n]]);
                let others = used
                    .iter()
                    .filter(|other| other.0 == class && other.1 != sketch);
                found.extend(others.map(|other| Choice::As(other.1)));
            }
            Shape::Contains(part) => {
                nodes(&|_| true, &|n| {
                    let at = |place| {
                        let mut order = vec![self.any; n];
                        order[place] = sketch;
                        order
                    };
                    (0..n).map(at).collect()
                });
                found.extend(solved(part).then_some(Choice::As(*part)));
            }
            Shape::Node(head, parts, any_order) => nodes(&|node| node.matches(head), &|_| {
                Sketches::<L, C>::orders(parts, *any_order)
            }),
            Shape::Either(parts) => {
                found.extend(parts.iter().copied().filter(solved).map(Choice::As));
            }
            Shape::Such(..) => {}
        }
        found
    }
}
