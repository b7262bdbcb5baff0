//! The few cheapest terms for a sketch, all different, exactly, counted as trees.

use std::rc::Rc;

use egg::{Analysis, EGraph, Id, Language, RecExpr};
use rustc_hash::FxHashMap;

use crate::extract::{Chosen, LocalCost, Score, State};
use crate::sketch::{Condition, Shape, SketchId, Sketches};

/// A term among all that were made: its node, whose children are numbers of such terms, and its class.
struct Made<L> {
    node: L,
    class: Id,
    score: Score,
}

struct Search<'a, L: Language, N: Analysis<L>, C, K> {
    graph: &'a EGraph<L, N>,
    sketches: &'a Sketches<L, C>,
    cost: &'a K,
    any: SketchId,
    most: usize,
    made: Vec<Made<L>>,
    known: FxHashMap<L, usize>,
    /// The cheapest terms of each state, the cheapest first.
    best: FxHashMap<State, Rc<Vec<usize>>>,
}

/// Up to `most` different terms of a class that fit a sketch, the cheapest first. `any` must be the sketch `?`. The
/// e-graph must be in order.
#[must_use]
pub fn best_terms<L, N, C, K>(
    graph: &EGraph<L, N>,
    (class, sketch): (Id, SketchId),
    sketches: &Sketches<L, C>,
    any: SketchId,
    cost: &K,
    most: usize,
) -> Vec<Chosen<L>>
where
    L: Language,
    N: Analysis<L>,
    C: Condition<N::Data>,
    K: LocalCost<L>,
{
    let mut search = Search {
        graph,
        sketches,
        cost,
        any,
        most,
        made: Vec::new(),
        known: FxHashMap::default(),
        best: FxHashMap::default(),
    };
    search.solve(any);
    for part in sketches.parts(sketch) {
        if part != any {
            search.solve(part);
        }
    }
    let found = search.list((graph.find(class), sketch));
    found.iter().map(|term| search.chosen(*term)).collect()
}

impl<L, N, C, K> Search<'_, L, N, C, K>
where
    L: Language,
    N: Analysis<L>,
    C: Condition<N::Data>,
    K: LocalCost<L>,
{
    fn list(&self, state: State) -> Rc<Vec<usize>> {
        self.best.get(&state).cloned().unwrap_or_default()
    }

    fn solve(&mut self, sketch: SketchId) {
        let shape = self.sketches.shape(sketch).clone();
        let mut classes: Vec<Id> = self.graph.classes().map(|class| class.id).collect();
        classes.sort_unstable();
        let mut changed = true;
        while changed {
            changed = false;
            for class in &classes {
                let mut terms: Vec<usize> = Vec::new();
                match &shape {
                    Shape::Any => {
                        self.nodes(*class, &|_| true, &|n| vec![vec![sketch; n]], &mut terms);
                    }
                    Shape::Contains(part) => {
                        terms.extend(self.list((*class, *part)).iter());
                        let any = self.any;
                        let orders = |n: usize| {
                            let at = |place| {
                                let mut order = vec![any; n];
                                order[place] = sketch;
                                order
                            };
                            (0..n).map(at).collect()
                        };
                        self.nodes(*class, &|_| true, &orders, &mut terms);
                    }
                    Shape::Node(head, parts, any_order) => {
                        let orders = Sketches::<L, C>::orders(parts, *any_order);
                        self.nodes(
                            *class,
                            &|node| node.matches(head),
                            &|_| orders.clone(),
                            &mut terms,
                        );
                    }
                    Shape::Either(parts) => {
                        for part in parts {
                            terms.extend(self.list((*class, *part)).iter());
                        }
                    }
                    Shape::Such(part, condition) => {
                        if condition.holds(&self.graph[*class].data) {
                            terms.extend(self.list((*class, *part)).iter());
                        }
                    }
                }
                changed |= self.keep((*class, sketch), terms);
            }
            // Only these lean on themselves.
            changed &= matches!(shape, Shape::Any | Shape::Contains(_));
        }
    }

    /// Keeps the cheapest terms of a state; says whether they changed.
    fn keep(&mut self, state: State, mut terms: Vec<usize>) -> bool {
        terms.sort_unstable();
        terms.dedup();
        let made = &self.made;
        terms.sort_by(|a, b| made[*a].score.order(&made[*b].score).then(a.cmp(b)));
        terms.truncate(self.most);
        let before = self.list(state);
        let scores = |list: &[usize]| list.iter().map(|t| self.made[*t].score).collect::<Vec<_>>();
        // Equal scores in another order are no progress.
        let is_new = scores(&before) != scores(&terms);
        if is_new {
            self.best.insert(state, Rc::new(terms));
        }
        is_new
    }

    /// The terms that nodes of a class make of the children's lists.
    fn nodes(
        &mut self,
        class: Id,
        fits: &dyn Fn(&L) -> bool,
        orders: &dyn Fn(usize) -> Vec<Vec<SketchId>>,
        terms: &mut Vec<usize>,
    ) {
        let graph = self.graph;
        for node in graph[class].nodes.iter().filter(|node| fits(node)) {
            for order in orders(node.len()) {
                let children = node.children().iter().zip(&order);
                let lists: Vec<_> = children
                    .map(|(child, part)| self.list((graph.find(*child), *part)))
                    .collect();
                let mut picked = Vec::new();
                self.combine(class, node, &lists, self.most, &mut picked, terms);
            }
        }
    }

    /// Picks one term of each list. A pick whose places, counted from 1, multiply to more than `left` has so many
    /// cheaper ones before it that it is not among the wanted.
    fn combine(
        &mut self,
        class: Id,
        node: &L,
        lists: &[Rc<Vec<usize>>],
        left: usize,
        picked: &mut Vec<usize>,
        terms: &mut Vec<usize>,
    ) {
        let Some(list) = lists.get(picked.len()) else {
            terms.extend(self.make(class, node, picked));
            return;
        };
        for (place, term) in (1..=left).zip(list.iter()) {
            picked.push(*term);
            self.combine(class, node, lists, left / place, picked, terms);
            picked.pop();
        }
    }

    fn make(&mut self, class: Id, node: &L, children: &[usize]) -> Option<usize> {
        let mut term = node.clone();
        let mut given = children.iter();
        term.for_each_mut(|child| {
            *child = Id::from(*given.next().expect("a term for each child"));
        });
        if let Some(known) = self.known.get(&term) {
            return Some(*known);
        }
        let costs: Vec<f64> = children.iter().map(|c| self.made[*c].score.cost).collect();
        let sizes = children.iter().map(|c| self.made[*c].score.size);
        let score = Score {
            cost: self.cost.join(self.cost.own(class, node), &costs),
            size: 1.0 + sizes.sum::<f64>(),
        };
        if !score.cost.is_finite() {
            return None;
        }
        self.known.insert(term.clone(), self.made.len());
        self.made.push(Made {
            node: term,
            class,
            score,
        });
        Some(self.made.len() - 1)
    }

    fn chosen(&self, root: usize) -> Chosen<L> {
        let mut needed = vec![false; root + 1];
        let mut open = vec![root];
        while let Some(place) = open.pop() {
            if !std::mem::replace(&mut needed[place], true) {
                let children = self.made[place].node.children().iter();
                open.extend(children.map(|child| usize::from(*child)));
            }
        }
        let (mut term, mut classes) = (RecExpr::default(), Vec::new());
        let mut places: FxHashMap<usize, Id> = FxHashMap::default();
        for place in (0..=root).filter(|place| needed[*place]) {
            let mut node = self.made[place].node.clone();
            node.for_each_mut(|child| *child = places[&usize::from(*child)]);
            places.insert(place, term.add(node));
            classes.push(self.made[place].class);
        }
        Chosen {
            term,
            classes,
            score: self.made[root].score,
        }
    }
}
