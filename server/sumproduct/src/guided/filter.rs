//! Growth filters: what rules may add to a graph, so that it grows towards forms that a person would want (sketch-guided
//! equality saturation, section 3.3 and its artifact: terms beyond a size are never made).
//!
//! A filter looks at one match at a time and at nothing but the graph as it was when the round began. Must never take away
//! what is there: the expression itself always is.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use egg::{Id, Language};
use rustc_hash::FxHashMap;

use super::language::{Fact, LaGraph};

/// Classes between two looks at whether the search was cancelled.
const POLLED: usize = 512;

/// What the stage of a sketch forbids to make.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Filters {
    /// Forms of the whole expression with more operators, inputs and numbers, counted where they stand.
    pub parts: Option<usize>,
    /// New values with more non-zero cells, as far as sizes are known.
    pub nnz: Option<usize>,
}

impl Filters {
    /// Whether anything is forbidden.
    #[must_use]
    pub fn is_any(&self) -> bool {
        *self != Filters::default()
    }
}

/// What may be added in one round.
#[derive(Debug)]
pub struct Filter {
    /// Nodes of the smallest term of what a match adds.
    most_size: u32,
    /// Nodes of the smallest form that it stands in, and for each class how many there are around it.
    parts: Option<(u32, FxHashMap<Id, u32>)>,
    most_nnz: Option<f64>,
}

/// What a rule would add.
pub struct Made<'a> {
    /// The class that the match is in.
    pub class: Id,
    /// What is known of the whole right side.
    pub whole: &'a Fact,
    /// What is known of its parts that are no values of the graph yet.
    pub inner: &'a [&'a Fact],
}

impl Filter {
    /// Everything may be added.
    pub const NONE: Filter = Filter {
        most_size: u32::MAX,
        parts: None,
        most_nnz: None,
    };

    /// For a round over this graph, whose expression is the class `root`: terms of at most `most_size` nodes, and what
    /// `filters` allow. `None` if cancelled.
    pub fn of(
        graph: &LaGraph,
        root: Id,
        most_size: u32,
        filters: Filters,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<Filter> {
        let parts = match filters.parts {
            None => None,
            Some(most) => {
                let most = u32::try_from(most).unwrap_or(u32::MAX);
                Some((most, smallest_around(graph, root, cancelled)?))
            }
        };
        #[expect(clippy::cast_precision_loss, reason = "a bound")]
        let most_nnz = filters.nnz.map(|nnz| nnz as f64);
        Some(Filter {
            most_size,
            parts,
            most_nnz,
        })
    }

    /// Whether it may be added.
    pub fn lets(&self, made: &Made<'_>) -> bool {
        let in_form = |(most, around): &(u32, FxHashMap<Id, u32>)| {
            let outside = around.get(&made.class);
            outside.is_some_and(|outside| outside.saturating_add(made.whole.size) <= *most)
        };
        let is_small = |most: f64| {
            let figures = made.inner.iter().filter_map(|fact| fact.ty.nnz());
            figures.into_iter().all(|nnz| nnz <= most)
        };
        made.whole.size <= self.most_size
            && self.parts.as_ref().is_none_or(in_form)
            && self.most_nnz.is_none_or(is_small)
    }
}

/// For each class below the root: how many nodes the smallest form has in which it stands, without the class itself. `None`
/// if cancelled.
fn smallest_around(
    graph: &LaGraph,
    root: Id,
    cancelled: &dyn Fn() -> bool,
) -> Option<FxHashMap<Id, u32>> {
    let root = graph.find(root);
    let mut around: FxHashMap<Id, u32> = FxHashMap::default();
    around.insert(root, 0);
    let mut open = BinaryHeap::from([Reverse((0_u32, root))]);
    let mut looked = 0_usize;
    while let Some(Reverse((outside, class))) = open.pop() {
        looked += 1;
        if looked.is_multiple_of(POLLED) && cancelled() {
            return None;
        }
        if around[&class] < outside {
            continue;
        }
        for node in &graph[class].nodes {
            let size = |id: &Id| graph[*id].data.size;
            let whole = node
                .children()
                .iter()
                .map(size)
                .fold(1, u32::saturating_add);
            for child in node.children() {
                let child = graph.find(*child);
                let without = outside.saturating_add(whole.saturating_sub(size(&child)));
                if around.get(&child).is_none_or(|known| without < *known) {
                    around.insert(child, without);
                    open.push(Reverse((without, child)));
                }
            }
        }
    }
    Some(around)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use egg::RecExpr;
    use sumac_cost::Machine;
    use sumac_la::{Dag, NodeId, Op, Type};
    use sumac_sketch::{Extractor, Shape};

    use super::super::apply::{apply, search};
    use super::super::cost::{Minimized, NodeCost};
    use super::super::growth::{Ground, Growth};
    use super::super::language::La;
    use super::super::lower::{dag_of, graph_of};
    use super::super::pattern::LaSketches;
    use super::super::rules::{self, LaRule};
    use super::super::stage::{Ended, StageLimits};
    use super::*;

    /// `sum(X * Y + X * Z)`.
    fn sums() -> Dag {
        let mut dag = Dag::default();
        let [x, y, z] = ["X", "Y", "Z"].map(|name| dag.input(name, Type::matrix(20, 10)));
        let xy = dag.op(Op::Mul, [x, y]).unwrap();
        let xz = dag.op(Op::Mul, [x, z]).unwrap();
        let both = dag.op(Op::Add, [xy, xz]).unwrap();
        let root = dag.op(Op::Sum, [both]).unwrap();
        dag.push_root(root);
        dag
    }

    /// `A %*% B %*% C %*% v`, whose middle is wide.
    fn chain() -> Dag {
        let mut dag = Dag::default();
        let sizes = [(20, 1000), (1000, 20), (20, 2000), (2000, 1)];
        let names = ["A", "B", "C", "v"];
        let factors: Vec<NodeId> = names
            .iter()
            .zip(sizes)
            .map(|(name, (rows, cols))| dag.input(name, Type::matrix(rows, cols)))
            .collect();
        let mut root = factors[0];
        for factor in &factors[1..] {
            root = dag.op(Op::MatMul, [root, *factor]).unwrap();
        }
        dag.push_root(root);
        dag
    }

    fn grown(dag: &Dag, rules: &[&LaRule], limits: StageLimits) -> (Growth, Ended) {
        let ground = Ground {
            rules,
            limits,
            most_bytes: usize::MAX,
        };
        let mut growth = Growth::of(dag, dag.roots()[0], 7, &|| false).unwrap();
        loop {
            if let (_, _, Some(ended)) = growth.after(growth.rounds()) {
                return (growth, ended);
            }
            assert!(growth.rounds() < 60, "it grows on");
            growth.grow(&ground, &|| false).unwrap();
        }
    }

    /// The terms of a class with at most so many nodes, counted where they stand.
    fn terms(graph: &LaGraph, class: Id, most: u32) -> Vec<(u32, RecExpr<La>)> {
        let mut found = Vec::new();
        if most == 0 {
            return found;
        }
        for node in &graph[class].nodes {
            // One list of terms for each child, joined from the left.
            let mut joined: Vec<(u32, RecExpr<La>, Vec<Id>)> =
                vec![(1, RecExpr::default(), Vec::new())];
            for child in node.children() {
                let mut longer = Vec::new();
                for (size, term, ids) in &joined {
                    for (more, part) in terms(graph, *child, most - size) {
                        let mut term = term.clone();
                        let base = term.as_ref().len();
                        for own in part.as_ref() {
                            let mut own = own.clone();
                            own.for_each_mut(|id| *id = Id::from(usize::from(*id) + base));
                            term.add(own);
                        }
                        let mut ids = ids.clone();
                        ids.push(Id::from(term.as_ref().len() - 1));
                        longer.push((size + more, term, ids));
                    }
                }
                joined = longer;
            }
            for (size, mut term, ids) in joined {
                let mut ids = ids.into_iter();
                let mut own = node.clone();
                own.for_each_mut(|id| *id = ids.next().expect("one for each child"));
                term.add(own);
                found.push((size, term));
            }
        }
        found
    }

    /// All forms that are reached by applying one rule after the other to whole expressions, none of which has more than so
    /// many parts, by their texts.
    fn all_forms(dag: &Dag, rules: &[&LaRule], most: u32) -> BTreeMap<String, RecExpr<La>> {
        let mut known = BTreeMap::new();
        let mut open = vec![dag.clone()];
        while let Some(form) = open.pop() {
            let (graph, class) = graph_of(&form, form.roots()[0]);
            for rule in rules {
                for at in search(&graph, rule, &|| false).unwrap() {
                    let mut next = graph.clone();
                    apply(&mut next, rule, &at, &Filter::NONE);
                    next.rebuild();
                    for (_, term) in terms(&next, next.find(class), most) {
                        let made = dag_of(&term, dag).unwrap();
                        let text = made.print(made.roots()[0]);
                        if known.insert(text, term).is_none() {
                            open.push(super::super::run::with_inputs(dag, &made, made.roots()[0]));
                        }
                    }
                }
            }
        }
        known
    }

    #[test]
    fn below_a_filter_every_form_is_found_and_the_best_of_them_taken() {
        for (dag, sets, most) in [
            (sums(), &["distribute", "factor"][..], 9),
            (sums(), &["distribute", "factor", "aggregate"][..], 10),
            (chain(), &["associate"][..], 7),
        ] {
            let rules = rules::chosen(sets.iter().copied());
            let limits = StageLimits::default().with(most as usize, "parts");
            let (growth, ended) = grown(&dag, &rules, limits);
            assert!(ended.is_all(), "{ended:?}");
            let (graph, ..) = growth.after(growth.rounds());
            let root = graph.find(growth.class());
            let forms = all_forms(&dag, &rules, most);
            assert!(forms.len() > 2, "{forms:?}");
            for (text, term) in &forms {
                assert_eq!(graph.lookup_expr(term), Some(root), "{text} is not found");
            }
            let machine = Machine::default();
            for cost in ["size", "flops", "nnz"].map(|name| Minimized::named(name).unwrap()) {
                let mut sketches = LaSketches::default();
                let any = sketches.add(Shape::Any);
                let local = NodeCost::new(graph, &machine, cost);
                let extractor = Extractor::new(graph, &sketches, any, any, &local);
                let found = extractor.score(root, any).unwrap().cost;
                // As trees, for that is what extraction is exact for.
                let of_term = |term: &RecExpr<La>| {
                    let dag = dag_of(term, &dag).unwrap();
                    let (alone, class) = graph_of(&dag, dag.roots()[0]);
                    let local = NodeCost::new(&alone, &machine, cost);
                    let extractor = Extractor::new(&alone, &sketches, any, any, &local);
                    extractor.score(class, any).unwrap().cost
                };
                let least = forms.values().map(of_term).fold(f64::INFINITY, f64::min);
                assert!(
                    (found - least).abs() <= 1e-9 * least,
                    "{sets:?} {cost:?}: found {found}, the best form costs {least}"
                );
            }
        }
    }

    #[test]
    fn nothing_larger_is_made() {
        let dag = sums();
        let rules = rules::chosen(["sum_product"]);
        let limits = StageLimits::default().with(2000, "nodes");
        let (_, ended) = grown(&dag, &rules, limits);
        assert_eq!(ended, Ended::Nodes, "without a filter it goes on");
        let (growth, ended) = grown(&dag, &rules, limits.with(9, "parts"));
        assert_eq!(ended, Ended::Filtered);
        let (graph, about, _) = growth.after(growth.rounds());
        assert!(about.nodes < 2000, "{about:?}");
        let around = smallest_around(graph, growth.class(), &|| false).unwrap();
        for class in graph.classes() {
            let form = around[&class.id] + class.data.size;
            assert!(form <= 9, "{class:?} stands in forms of {form} parts only");
        }
    }

    #[test]
    fn no_value_with_more_cells_is_made() {
        let dag = chain();
        let rules = rules::chosen(["associate"]);
        let shapes = |limits: StageLimits| {
            let (growth, ended) = grown(&dag, &rules, limits);
            let (graph, ..) = growth.after(growth.rounds());
            let shapes = graph.classes().map(|class| class.data.ty.cells().unwrap());
            let shapes: BTreeSet<u64> = shapes.map(|cells| cells as u64).collect();
            (shapes, ended)
        };
        let (all, ended) = shapes(StageLimits::default());
        assert_eq!(ended, Ended::Saturated);
        // `B %*% C` has two million cells.
        assert_eq!(all.last(), Some(&2_000_000));
        let (small, ended) = shapes(StageLimits::default().with(50_000, "nnz"));
        assert_eq!(ended, Ended::Filtered);
        assert_eq!(small.last(), Some(&40_000));
        // What is there by itself stays, also above the filter.
        let (least, _) = shapes(StageLimits::default().with(1, "nnz"));
        assert_eq!(least.last(), Some(&40_000));
    }
}
