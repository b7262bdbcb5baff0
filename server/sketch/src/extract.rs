//! The cheapest term of each class that fits a sketch, exactly, for every part of the sketch once.
//!
//! A *state* is a class and a sketch. States are solved sketch by sketch, parts first; within one sketch, holes and
//! `contains` lean on themselves and go to a fixpoint. Costs never decrease from a part to the whole, and of equal ones
//! the smaller term is taken, so no choice leans on itself and cycles of the e-graph do no harm.

use std::cmp::Ordering;

use egg::{Analysis, EGraph, Id, Language, RecExpr};
use rustc_hash::FxHashMap;

use crate::sketch::{Condition, Shape, SketchId, Sketches};

/// A local cost: what one node adds, and how it joins the costs of the children. Must be monotone: the joined cost is
/// no less than that of any child, and does not fall when a child's rises.
pub trait LocalCost<L> {
    /// What a node of a class costs by itself: zero or more, and finite. Its children are classes of the e-graph.
    fn own(&self, class: Id, node: &L) -> f64;

    /// The cost of a node with such children.
    fn join(&self, own: f64, children: &[f64]) -> f64 {
        own + children.iter().sum::<f64>()
    }
}

/// The cost of a term, and how large it is as a tree.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Score {
    /// Its cost.
    pub cost: f64,
    /// Nodes of the tree.
    pub size: f64,
}

impl Score {
    /// By cost, then by size.
    pub(crate) fn order(&self, other: &Score) -> Ordering {
        let by_cost = self.cost.total_cmp(&other.cost);
        by_cost.then(self.size.total_cmp(&other.size))
    }

    fn beats(&self, other: Option<&Score>) -> bool {
        other.is_none_or(|other| self.order(other) == Ordering::Less)
    }
}

/// Classes between two looks at whether the work was cancelled.
pub(crate) const POLLED: usize = 512;

/// A class and a sketch.
pub(crate) type State = (Id, SketchId);

/// How a state is satisfied.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Choice<L> {
    /// By this node, whose children satisfy these sketches.
    Node(L, Vec<SketchId>),
    /// As this sketch is for the same class.
    As(SketchId),
}

/// A term that was chosen.
#[derive(Clone, PartialEq, Debug)]
pub struct Chosen<L: Language> {
    /// The term; equal parts are one.
    pub term: RecExpr<L>,
    /// The class of each of its nodes.
    pub classes: Vec<Id>,
    /// Its cost as a tree.
    pub score: Score,
}

/// The cheapest terms of an e-graph for a sketch and all its parts.
pub struct Extractor<'a, L: Language, N: Analysis<L>, C, K> {
    pub(crate) graph: &'a EGraph<L, N>,
    pub(crate) sketches: &'a Sketches<L, C>,
    pub(crate) cost: &'a K,
    pub(crate) best: FxHashMap<State, (Score, Choice<L>)>,
    pub(crate) any: SketchId,
}

impl<'a, L, N, C, K> Extractor<'a, L, N, C, K>
where
    L: Language,
    N: Analysis<L>,
    C: Condition<N::Data>,
    K: LocalCost<L>,
{
    /// Solves `sketch` for all classes. `any` must be the sketch `?`. The e-graph must be in order.
    ///
    /// # Panics
    /// `any` is another sketch.
    #[must_use]
    pub fn new(
        graph: &'a EGraph<L, N>,
        sketches: &'a Sketches<L, C>,
        any: SketchId,
        sketch: SketchId,
        cost: &'a K,
    ) -> Self {
        let solved = Extractor::until(graph, sketches, any, sketch, cost, &|| false);
        solved.expect("nobody calls it off")
    }

    /// As [`new`](Extractor::new); `None` if it was cancelled.
    ///
    /// # Panics
    /// `any` is another sketch.
    #[must_use]
    pub fn until(
        graph: &'a EGraph<L, N>,
        sketches: &'a Sketches<L, C>,
        any: SketchId,
        sketch: SketchId,
        cost: &'a K,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<Self> {
        assert!(matches!(sketches.shape(any), Shape::Any), "`any` is `?`");
        let mut extractor = Extractor {
            graph,
            sketches,
            cost,
            best: FxHashMap::default(),
            any,
        };
        extractor.solve(any, cancelled)?;
        for part in sketches.parts(sketch) {
            if part != any {
                extractor.solve(part, cancelled)?;
            }
        }
        Some(extractor)
    }

    /// The cost of the cheapest term of a class for a sketch that was solved.
    #[must_use]
    pub fn score(&self, class: Id, sketch: SketchId) -> Option<Score> {
        let state = (self.graph.find(class), sketch);
        self.best.get(&state).map(|(score, _)| *score)
    }

    /// The cheapest term of a class for a sketch that was solved.
    #[must_use]
    pub fn term(&self, class: Id, sketch: SketchId) -> Option<Chosen<L>> {
        let score = self.score(class, sketch)?;
        let choose = |state: State| self.best.get(&state).map(|(_, choice)| choice.clone());
        let (term, classes) = build(self.graph, (class, sketch), &choose)?;
        Some(Chosen {
            term,
            classes,
            score,
        })
    }

    fn solve(&mut self, sketch: SketchId, cancelled: &dyn Fn() -> bool) -> Option<()> {
        if cancelled() {
            return None;
        }
        match self.sketches.shape(sketch).clone() {
            Shape::Any => self.fixpoint(sketch, None, cancelled)?,
            Shape::Contains(part) => self.fixpoint(sketch, Some(part), cancelled)?,
            Shape::Node(head, parts, any_order) => {
                let orders = Sketches::<L, C>::orders(&parts, any_order);
                let graph = self.graph;
                for (number, class) in graph.classes().enumerate() {
                    if number % POLLED == 0 && cancelled() {
                        return None;
                    }
                    for node in class.nodes.iter().filter(|node| node.matches(&head)) {
                        for order in &orders {
                            self.offer(class.id, sketch, node, order);
                        }
                    }
                }
            }
            Shape::Either(parts) => {
                for part in parts {
                    self.take_over(sketch, part, |_| true);
                }
            }
            Shape::Such(part, condition) => {
                let graph = self.graph;
                self.take_over(sketch, part, |id| condition.holds(&graph[id].data));
            }
        }
        Some(())
    }

    /// Whatever satisfies `part` satisfies `sketch`, in these classes.
    fn take_over(&mut self, sketch: SketchId, part: SketchId, wanted: impl Fn(Id) -> bool) {
        let graph = self.graph;
        for class in graph.classes().filter(|class| wanted(class.id)) {
            let Some((score, _)) = self.best.get(&(class.id, part)) else {
                continue;
            };
            let score = *score;
            let known = self.best.get(&(class.id, sketch));
            if score.beats(known.map(|(score, _)| score)) {
                self.best
                    .insert((class.id, sketch), (score, Choice::As(part)));
            }
        }
    }

    /// Solves a sketch whose nodes have children of the same sketch: `?` in all of them, `contains` in one.
    /// `None` if it was cancelled.
    fn fixpoint(
        &mut self,
        sketch: SketchId,
        inner: Option<SketchId>,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<()> {
        let graph = self.graph;
        if let Some(part) = inner {
            self.take_over(sketch, part, |_| true);
        }
        // In a fixed order, so that of equal terms always the same is chosen.
        let mut classes: Vec<Id> = graph.classes().map(|class| class.id).collect();
        classes.sort_unstable();
        let mut changed = true;
        while changed {
            changed = false;
            for (number, class) in classes.iter().enumerate() {
                if number % POLLED == 0 && cancelled() {
                    return None;
                }
                for node in &graph[*class].nodes {
                    let n = node.len();
                    if inner.is_none() {
                        changed |= self.offer(*class, sketch, node, &vec![sketch; n]);
                        continue;
                    }
                    for place in 0..n {
                        let mut order = vec![self.any; n];
                        order[place] = sketch;
                        changed |= self.offer(*class, sketch, node, &order);
                    }
                }
            }
        }
        Some(())
    }

    /// Takes a node whose children satisfy these sketches, if that is possible and better; says whether it was.
    fn offer(&mut self, class: Id, sketch: SketchId, node: &L, order: &[SketchId]) -> bool {
        let Some(score) = self.score_of(class, node, order) else {
            return false;
        };
        let known = self.best.get(&(class, sketch));
        let better = score.beats(known.map(|(score, _)| score));
        if better {
            let choice = Choice::Node(node.clone(), order.to_vec());
            self.best.insert((class, sketch), (score, choice));
        }
        better
    }

    pub(crate) fn score_of(&self, class: Id, node: &L, order: &[SketchId]) -> Option<Score> {
        let mut costs = Vec::with_capacity(order.len());
        let mut size = 1.0;
        for (child, part) in node.children().iter().zip(order) {
            let (score, _) = self.best.get(&(self.graph.find(*child), *part))?;
            costs.push(score.cost);
            size += score.size;
        }
        let cost = self.cost.join(self.cost.own(class, node), &costs);
        cost.is_finite().then_some(Score { cost, size })
    }
}

/// The term that choices make, its equal parts one, with the class of each node. `None` where a choice is missing or
/// leads in a circle.
pub(crate) fn build<L: Language, N: Analysis<L>>(
    graph: &EGraph<L, N>,
    root: State,
    choose: &dyn Fn(State) -> Option<Choice<L>>,
) -> Option<(RecExpr<L>, Vec<Id>)> {
    let mut done: FxHashMap<State, Id> = FxHashMap::default();
    let mut known: FxHashMap<L, Id> = FxHashMap::default();
    let (mut term, mut classes) = (RecExpr::default(), Vec::new());
    let root = (graph.find(root.0), root.1);
    // States whose parts are asked for; one that is asked for again below itself leads in a circle.
    let mut open: Vec<(State, bool)> = vec![(root, false)];
    let mut below: FxHashMap<State, ()> = FxHashMap::default();
    while let Some((state, is_ready)) = open.pop() {
        if done.contains_key(&state) {
            continue;
        }
        let choice = choose(state)?;
        let parts: Vec<State> = match &choice {
            Choice::As(part) => vec![(state.0, *part)],
            Choice::Node(node, order) => {
                let children = node.children().iter().map(|child| graph.find(*child));
                children.zip(order.iter().copied()).collect()
            }
        };
        if !is_ready {
            if below.insert(state, ()).is_some() {
                return None;
            }
            open.push((state, true));
            open.extend(parts.into_iter().map(|part| (part, false)));
            continue;
        }
        below.remove(&state);
        let made = match choice {
            Choice::As(_) => done[&parts[0]],
            Choice::Node(node, _) => {
                let mut children = parts.iter().map(|part| done[part]).collect::<Vec<_>>();
                children.reverse();
                // Set one by one: a language may keep children in an order of its own.
                let mut node = node;
                node.for_each_mut(|child| *child = children.pop().expect("one for each child"));
                match known.get(&node) {
                    Some(id) => *id,
                    None => {
                        let id = term.add(node.clone());
                        classes.push(state.0);
                        known.insert(node, id);
                        id
                    }
                }
            }
        };
        done.insert(state, made);
    }
    // The root stands last in a term.
    let last = Id::from(term.as_ref().len().checked_sub(1)?);
    let root = done[&root];
    if root != last {
        return None;
    }
    Some((term, classes))
}
