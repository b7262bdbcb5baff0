//! The term that comes nearest to a sketch that no term fits: the one that misses the fewest parts of it.

use egg::{Analysis, EGraph, Id, Language, RecExpr};
use rustc_hash::FxHashMap;

use crate::extract::{Choice, Extractor, LocalCost, POLLED, State, build};
use crate::sketch::{Condition, Shape, SketchId, Sketches};

/// A term near a sketch.
#[derive(Clone, PartialEq, Debug)]
pub struct Nearest<L> {
    /// The term; equal parts are one.
    pub term: RecExpr<L>,
    /// The parts of the sketch that it misses: for each the way from the root, by the numbers of parts.
    pub missed: Vec<Vec<usize>>,
    /// How many heads and conditions of the sketch it misses.
    pub misses: usize,
}

/// How a state is satisfied as far as it is.
#[derive(Clone, PartialEq, Debug)]
enum Near<L> {
    /// By this node: the part of the sketch on each child.
    Node(L, Vec<usize>),
    /// The part itself, which is the n-th of the sketch.
    Part(usize),
    /// By the child at this place of the node, further down.
    Below(L, usize),
    /// By the part, where the condition fails.
    Unfit,
    /// Not at all.
    Missed,
}

/// Misses, then the cost of the term.
type Grade = (usize, f64);

struct Search<'a, 'e, L: Language, N: Analysis<L>, C, K> {
    graph: &'a EGraph<L, N>,
    sketches: &'a Sketches<L, C>,
    exact: &'a Extractor<'e, L, N, C, K>,
    weights: FxHashMap<SketchId, usize>,
    best: FxHashMap<State, (Grade, Near<L>)>,
}

/// The term of a class that misses the least of a sketch, and of those the cheapest. `exact` must have solved `any`,
/// the sketch `?`.
#[must_use]
pub fn nearest<L, N, C, K>(
    exact: &Extractor<'_, L, N, C, K>,
    class: Id,
    sketch: SketchId,
) -> Option<Nearest<L>>
where
    L: Language,
    N: Analysis<L>,
    C: Condition<N::Data>,
    K: LocalCost<L>,
{
    nearest_until(exact, class, sketch, &|| false)
}

/// As [`nearest`]; `None` also if it was cancelled.
#[must_use]
pub fn nearest_until<L, N, C, K>(
    exact: &Extractor<'_, L, N, C, K>,
    class: Id,
    sketch: SketchId,
    cancelled: &dyn Fn() -> bool,
) -> Option<Nearest<L>>
where
    L: Language,
    N: Analysis<L>,
    C: Condition<N::Data>,
    K: LocalCost<L>,
{
    let (graph, sketches) = (exact.graph, exact.sketches);
    let mut search = Search {
        graph,
        sketches,
        exact,
        weights: FxHashMap::default(),
        best: FxHashMap::default(),
    };
    for part in sketches.parts(sketch) {
        let weight = search.weight(part);
        search.weights.insert(part, weight);
        // What fits a hole is known exactly.
        if part != exact.any {
            search.solve(part, cancelled)?;
        }
    }
    let root = (graph.find(class), sketch);
    let (misses, _) = search.known(root)?;
    let choose = |state: State| match search.best.get(&state) {
        None => exact.best.get(&state).map(|(_, choice)| choice.clone()),
        Some((_, near)) => Some(search.choice(state, near)),
    };
    let (term, _) = build(graph, root, &choose)?;
    let mut missed = Vec::new();
    search.missed(root, &mut Vec::new(), &mut missed);
    Some(Nearest {
        term,
        missed,
        misses,
    })
}

impl<L, N, C, K> Search<'_, '_, L, N, C, K>
where
    L: Language,
    N: Analysis<L>,
    C: Condition<N::Data>,
    K: LocalCost<L>,
{
    /// Heads and conditions of a sketch: what a term can miss of it.
    fn weight(&self, sketch: SketchId) -> usize {
        let of = |part: &SketchId| self.weights[part];
        match self.sketches.shape(sketch) {
            Shape::Any => 0,
            Shape::Node(_, parts, _) => 1 + parts.iter().map(of).sum::<usize>(),
            Shape::Contains(part) => of(part),
            Shape::Either(parts) => parts.iter().map(of).min().unwrap_or(0),
            Shape::Such(part, _) => 1 + of(part),
        }
    }

    /// `None` if it was cancelled.
    fn solve(&mut self, sketch: SketchId, cancelled: &dyn Fn() -> bool) -> Option<()> {
        let graph = self.graph;
        let mut classes: Vec<Id> = graph.classes().map(|class| class.id).collect();
        classes.sort_unstable();
        let any = self.exact.any;
        for (number, class) in classes.iter().enumerate() {
            if number % POLLED == 0 && cancelled() {
                return None;
            }
            if let Some(score) = self.exact.score(*class, any) {
                let missed = (self.weights[&sketch], score.cost);
                self.offer((*class, sketch), missed, Near::Missed);
            }
        }
        match self.sketches.shape(sketch) {
            // Another `?` than the one that was given cannot be: equal sketches are one.
            Shape::Any => {}
            Shape::Node(head, parts, any_order) => {
                let in_order: Vec<usize> = (0..parts.len()).collect();
                let mut orders = vec![in_order];
                if *any_order && parts.len() == 2 {
                    orders.push(vec![1, 0]);
                }
                for class in &classes {
                    for node in graph[*class].nodes.iter().filter(|node| node.matches(head)) {
                        for order in &orders {
                            let on = |n: usize| parts[order[n]];
                            if let Some(grade) = self.grade(*class, node, &on) {
                                let near = Near::Node(node.clone(), order.clone());
                                self.offer((*class, sketch), grade, near);
                            }
                        }
                    }
                }
            }
            Shape::Contains(part) => {
                self.take_over(&classes, sketch, *part, 0);
                let mut changed = true;
                while changed {
                    changed = false;
                    for (number, class) in classes.iter().enumerate() {
                        if number % POLLED == 0 && cancelled() {
                            return None;
                        }
                        for node in &graph[*class].nodes {
                            for place in 0..node.len() {
                                let on = |n: usize| if n == place { sketch } else { any };
                                if let Some(grade) = self.grade(*class, node, &on) {
                                    let near = Near::Below(node.clone(), place);
                                    changed |= self.offer((*class, sketch), grade, near);
                                }
                            }
                        }
                    }
                }
            }
            Shape::Either(parts) => {
                for (n, part) in parts.iter().enumerate() {
                    self.take_over(&classes, sketch, *part, n);
                }
            }
            Shape::Such(part, condition) => {
                for class in &classes {
                    let Some((misses, cost)) = self.known((*class, *part)) else {
                        continue;
                    };
                    let (more, near) = if condition.holds(&graph[*class].data) {
                        (0, Near::Part(0))
                    } else {
                        (1, Near::Unfit)
                    };
                    self.offer((*class, sketch), (misses + more, cost), near);
                }
            }
        }
        Some(())
    }

    /// The grade of a state that was solved; whatever fits a hole misses nothing.
    fn known(&self, state: State) -> Option<Grade> {
        if state.1 == self.exact.any {
            return Some((0, self.exact.score(state.0, state.1)?.cost));
        }
        self.best.get(&state).map(|(grade, _)| *grade)
    }

    fn take_over(&mut self, classes: &[Id], sketch: SketchId, part: SketchId, n: usize) {
        for class in classes {
            if let Some(grade) = self.known((*class, part)) {
                self.offer((*class, sketch), grade, Near::Part(n));
            }
        }
    }

    fn grade(&self, class: Id, node: &L, on: &dyn Fn(usize) -> SketchId) -> Option<Grade> {
        let (mut misses, mut costs) = (0, Vec::new());
        for (n, child) in node.children().iter().enumerate() {
            let child = self.graph.find(*child);
            let (more, cost) = self.known((child, on(n)))?;
            misses += more;
            costs.push(cost);
        }
        let cost = self.exact.cost;
        let cost = cost.join(cost.own(class, node), &costs);
        cost.is_finite().then_some((misses, cost))
    }

    fn offer(&mut self, state: State, grade: Grade, near: Near<L>) -> bool {
        let better = self.best.get(&state).is_none_or(|((misses, cost), known)| {
            // What misses nothing more is better matched than given up.
            let tie = (grade.0, grade.1) == (*misses, *cost) && *known == Near::Missed;
            grade.0 < *misses
                || (grade.0 == *misses && grade.1 < *cost)
                || (tie && near != Near::Missed)
        });
        if better {
            self.best.insert(state, (grade, near));
        }
        better
    }

    fn choice(&self, (_, sketch): State, near: &Near<L>) -> Choice<L> {
        let any = self.exact.any;
        let parts = self.sketches.children(sketch);
        match near {
            Near::Node(node, order) => {
                Choice::Node(node.clone(), order.iter().map(|n| parts[*n]).collect())
            }
            Near::Part(n) => Choice::As(parts[*n]),
            Near::Unfit => Choice::As(parts[0]),
            Near::Below(node, place) => {
                let mut order = vec![any; node.len()];
                order[*place] = sketch;
                Choice::Node(node.clone(), order)
            }
            Near::Missed => Choice::As(any),
        }
    }

    /// Collects the ways to the parts of the sketch that are missed.
    fn missed(&self, state: State, way: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
        let (class, sketch) = state;
        let Some((_, near)) = self.best.get(&state) else {
            return;
        };
        let parts = self.sketches.children(sketch);
        let down = |part: usize, class: Id, way: &mut Vec<usize>, found: &mut Vec<Vec<usize>>| {
            way.push(part);
            self.missed((class, parts[part]), way, found);
            way.pop();
        };
        match near {
            Near::Missed => {
                if self.weights[&sketch] > 0 {
                    found.push(way.clone());
                }
            }
            Near::Unfit => {
                found.push(way.clone());
                down(0, class, way, found);
            }
            Near::Part(n) => down(*n, class, way, found),
            Near::Node(node, order) => {
                for (child, part) in node.children().iter().zip(order) {
                    down(*part, self.graph.find(*child), way, found);
                }
            }
            Near::Below(node, place) => {
                let child = self.graph.find(node.children()[*place]);
                self.missed((child, sketch), way, found);
            }
        }
    }
}
