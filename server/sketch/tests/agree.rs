//! Everything that looks for terms in an e-graph, held against the plain definition on all terms up to some size.
//!
//! `SKETCH_CASES` says how many random e-graphs are tried; without it, few enough for every day.

#![expect(clippy::print_stdout, reason = "a figure that the bars read")]

use std::collections::BTreeMap;

use egg::{Analysis, DidMerge, EGraph, Id, Language, RecExpr, SymbolLang};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sumac_sketch::{
    Condition, Extractor, LocalCost, Shape, SketchId, Sketches, best_terms, found, nearest,
    satisfies,
};

/// Terms up to this size are looked at one by one.
const SIZE: usize = 7;
/// A class with more terms than this is left out.
const MOST: usize = 3000;

/// The size of the smallest term of a class.
#[derive(Default)]
struct Smallest;

impl Analysis<SymbolLang> for Smallest {
    type Data = usize;

    fn make(graph: &mut EGraph<SymbolLang, Self>, node: &SymbolLang, _: Id) -> usize {
        1 + node.children.iter().map(|c| graph[*c].data).sum::<usize>()
    }

    fn merge(&mut self, a: &mut usize, b: usize) -> DidMerge {
        egg::merge_min(a, b)
    }
}

/// Classes with no larger smallest term.
#[derive(Clone, PartialEq, Debug)]
struct AtMost(usize);

impl Condition<usize> for AtMost {
    fn holds(&self, data: &usize) -> bool {
        *data <= self.0
    }
}

/// Heads cost 1 to 3, and one more where an odd number is known of a child.
struct ByHead<'a>(&'a Graph);

impl LocalCost<SymbolLang> for ByHead<'_> {
    fn own(&self, _: Id, node: &SymbolLang) -> f64 {
        let odd = node
            .children
            .iter()
            .any(|child| self.0[*child].data % 2 == 1);
        let head = match node.op.as_str() {
            "a" | "f" => 1.0,
            "b" | "g" => 2.0,
            _ => 3.0,
        };
        head + f64::from(u8::from(odd))
    }
}

type Graph = EGraph<SymbolLang, Smallest>;
type Known = Sketches<SymbolLang, AtMost>;

const HEADS: [(&str, usize); 6] = [("a", 0), ("b", 0), ("c", 0), ("f", 1), ("g", 2), ("h", 2)];

fn random_graph(rng: &mut ChaCha8Rng) -> (Graph, Vec<Id>) {
    let mut graph = Graph::default();
    let mut ids: Vec<Id> = ["a", "b", "c"]
        .map(|leaf| graph.add(SymbolLang::leaf(leaf)))
        .to_vec();
    for _ in 0..rng.random_range(2..8) {
        let (head, arity) = HEADS[rng.random_range(3..HEADS.len())];
        let children = (0..arity)
            .map(|_| ids[rng.random_range(0..ids.len())])
            .collect();
        ids.push(graph.add(SymbolLang::new(head, children)));
    }
    for _ in 0..rng.random_range(0..4) {
        let (a, b) = (
            rng.random_range(0..ids.len()),
            rng.random_range(0..ids.len()),
        );
        graph.union(ids[a], ids[b]);
    }
    graph.rebuild();
    (graph, ids)
}

fn random_sketch(rng: &mut ChaCha8Rng, known: &mut Known, depth: usize) -> SketchId {
    let kind = if depth == 0 {
        rng.random_range(0..2)
    } else {
        rng.random_range(0..8)
    };
    let shape = match kind {
        0 => Shape::Any,
        1 => Shape::Node(
            SymbolLang::leaf(HEADS[rng.random_range(0..3)].0),
            vec![],
            false,
        ),
        2..5 => {
            let (head, arity) = HEADS[rng.random_range(3..HEADS.len())];
            let parts = (0..arity)
                .map(|_| random_sketch(rng, known, depth - 1))
                .collect();
            let head = SymbolLang::new(head, vec![Id::from(0); arity]);
            Shape::Node(head, parts, rng.random_bool(0.5))
        }
        5 => Shape::Contains(random_sketch(rng, known, depth - 1)),
        6 => Shape::Either(vec![
            random_sketch(rng, known, depth - 1),
            random_sketch(rng, known, depth - 1),
        ]),
        _ => Shape::Such(
            random_sketch(rng, known, depth - 1),
            AtMost(rng.random_range(1..5)),
        ),
    };
    known.add(shape)
}

/// The terms of each class up to [`SIZE`], by size. `None` if there are too many.
fn all_terms(graph: &Graph) -> Option<BTreeMap<Id, Vec<RecExpr<SymbolLang>>>> {
    let mut by_size: Vec<BTreeMap<Id, Vec<RecExpr<SymbolLang>>>> = vec![BTreeMap::new(); SIZE + 1];
    for size in 1..=SIZE {
        let mut made: BTreeMap<Id, Vec<RecExpr<SymbolLang>>> = BTreeMap::new();
        for class in graph.classes() {
            let list = made.entry(class.id).or_default();
            for node in &class.nodes {
                let terms_of = |child: Id, size: usize| {
                    by_size[size].get(&graph.find(child)).into_iter().flatten()
                };
                match node.children.as_slice() {
                    [] if size == 1 => {
                        list.push(vec![node.clone()].into());
                    }
                    [only] if size > 1 => {
                        for term in terms_of(*only, size - 1) {
                            list.push(node.join_recexprs(|_| term.clone()));
                        }
                    }
                    [left, right] => {
                        for n in 1..size.saturating_sub(1) {
                            for a in terms_of(*left, n) {
                                for b in terms_of(*right, size - 1 - n) {
                                    let mut parts = [a, b].into_iter();
                                    // The same class twice still takes two terms.
                                    list.push(join(node, parts.next()?, parts.next()?));
                                }
                            }
                        }
                    }
                    _ => {}
                }
                if list.len() > MOST {
                    return None;
                }
            }
        }
        by_size[size] = made;
    }
    let mut all: BTreeMap<Id, Vec<RecExpr<SymbolLang>>> = BTreeMap::new();
    for of_size in by_size {
        for (id, terms) in of_size {
            all.entry(id).or_default().extend(terms);
        }
    }
    Some(all)
}

fn join(
    node: &SymbolLang,
    left: &RecExpr<SymbolLang>,
    right: &RecExpr<SymbolLang>,
) -> RecExpr<SymbolLang> {
    let mut nodes = left.as_ref().to_vec();
    let shift = nodes.len();
    let moved = right.as_ref().iter().map(|node| {
        node.clone()
            .map_children(|id| Id::from(usize::from(id) + shift))
    });
    nodes.extend(moved);
    let children = vec![Id::from(shift - 1), Id::from(nodes.len() - 1)];
    nodes.push(SymbolLang::new(node.op, children));
    nodes.into()
}

fn tree_cost(graph: &Graph, term: &RecExpr<SymbolLang>) -> f64 {
    let classes = classes_of(graph, term);
    let mut costs: Vec<f64> = Vec::new();
    for (node, class) in term.as_ref().iter().zip(&classes) {
        let below: f64 = node.children.iter().map(|c| costs[usize::from(*c)]).sum();
        let node = node.clone().map_children(|c| classes[usize::from(c)]);
        costs.push(ByHead(graph).own(*class, &node) + below);
    }
    *costs.last().expect("a term has a root")
}

/// The cost of a term whose equal parts are one.
fn shared_cost(graph: &Graph, term: &RecExpr<SymbolLang>) -> f64 {
    let classes = classes_of(graph, term);
    let mut known: BTreeMap<SymbolLang, Id> = BTreeMap::new();
    let mut same: Vec<Id> = Vec::new();
    let mut cost = 0.0;
    for (place, (node, class)) in term.as_ref().iter().zip(&classes).enumerate() {
        let shared = node.clone().map_children(|c| same[usize::from(c)]);
        let first = *known.entry(shared).or_insert_with(|| {
            let node = node.clone().map_children(|c| classes[usize::from(c)]);
            cost += ByHead(graph).own(*class, &node);
            Id::from(place)
        });
        same.push(first);
    }
    cost
}

/// The heads and conditions of a sketch that a term misses at least, by the definition.
fn misses(
    graph: &Graph,
    classes: &[Id],
    term: &RecExpr<SymbolLang>,
    at: Id,
    known: &Known,
    sketch: SketchId,
) -> usize {
    let inner = |at: Id, sketch: SketchId| misses(graph, classes, term, at, known, sketch);
    let node = &term[at];
    let best = match known.shape(sketch) {
        Shape::Any => 0,
        Shape::Node(head, parts, any_order) => {
            let in_order = |parts: &mut dyn Iterator<Item = &SketchId>| {
                node.children
                    .iter()
                    .zip(parts)
                    .map(|(c, s)| inner(*c, *s))
                    .sum::<usize>()
            };
            if !node.matches(head) {
                usize::MAX
            } else if *any_order && parts.len() == 2 {
                in_order(&mut parts.iter()).min(in_order(&mut parts.iter().rev()))
            } else {
                in_order(&mut parts.iter())
            }
        }
        Shape::Contains(part) => {
            let below = node.children.iter().map(|child| inner(*child, sketch));
            below.min().unwrap_or(usize::MAX).min(inner(at, *part))
        }
        Shape::Either(parts) => parts
            .iter()
            .map(|p| inner(at, *p))
            .min()
            .unwrap_or(usize::MAX),
        Shape::Such(part, condition) => {
            let holds = condition.holds(&graph[classes[usize::from(at)]].data);
            inner(at, *part) + usize::from(!holds)
        }
    };
    best.min(weight(known, sketch))
}

fn weight(known: &Known, sketch: SketchId) -> usize {
    match known.shape(sketch) {
        Shape::Any => 0,
        Shape::Node(_, parts, _) => 1 + parts.iter().map(|p| weight(known, *p)).sum::<usize>(),
        Shape::Contains(part) => weight(known, *part),
        Shape::Either(parts) => parts.iter().map(|p| weight(known, *p)).min().unwrap_or(0),
        Shape::Such(part, _) => 1 + weight(known, *part),
    }
}

/// The class of each node of a term.
fn classes_of(graph: &Graph, term: &RecExpr<SymbolLang>) -> Vec<Id> {
    let mut classes: Vec<Id> = Vec::new();
    for node in term.as_ref() {
        let canonical = node.clone().map_children(|c| classes[usize::from(c)]);
        let class = graph.lookup(canonical).expect("the term is of the graph");
        classes.push(graph.find(class));
    }
    classes
}

fn check(seed: u64) -> bool {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (graph, ids) = random_graph(&mut rng);
    let mut known = Known::default();
    let any = known.add(Shape::Any);
    let sketch = random_sketch(&mut rng, &mut known, 3);
    let root = graph.find(ids[rng.random_range(0..ids.len())]);
    let Some(all) = all_terms(&graph) else {
        return false;
    };
    let fits = |term: &RecExpr<SymbolLang>| {
        let classes = classes_of(&graph, term);
        let data = |id: Id| &graph[classes[usize::from(id)]].data;
        satisfies(term, &known, sketch, &data)
    };
    let mut costs: Vec<f64> = all[&root]
        .iter()
        .filter(|t| fits(t))
        .map(|t| tree_cost(&graph, t))
        .collect();
    costs.sort_by(f64::total_cmp);
    let context = format!("seed {seed}: {graph:?}\n{known:?} {sketch:?} of {root}");
    let cost = ByHead(&graph);
    let extractor = Extractor::new(&graph, &known, any, sketch, &cost);
    let score = extractor.score(root, sketch);
    assert_eq!(
        found(&graph, root, &known, sketch),
        score.is_some(),
        "found: {context}"
    );
    // Each node costs at least 1, so every term of at most this cost was looked at.
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let bound = SIZE as f64;
    match (score, costs.first()) {
        (Some(score), Some(cheapest)) if score.cost <= bound => {
            assert_eq!(score.cost, *cheapest, "cost: {context}");
        }
        (Some(score), cheapest) => {
            assert!(score.cost > bound, "a cheap term is missed: {context}");
            assert!(cheapest.is_none_or(|c| *c >= score.cost), "{context}");
        }
        (None, cheapest) => assert_eq!(cheapest, None, "a term is missed: {context}"),
    }
    if let Some(chosen) = extractor.term(root, sketch) {
        assert!(
            fits(&chosen.term),
            "{} does not fit: {context}",
            chosen.term
        );
        assert_eq!(
            tree_cost(&graph, &chosen.term),
            chosen.score.cost,
            "{context}"
        );
        let refined = extractor
            .refined(root, sketch, 500)
            .expect("there is a term");
        assert!(
            fits(&refined.term),
            "{} does not fit: {context}",
            refined.term
        );
        let before = extractor.dag_cost(&chosen.term, &chosen.classes);
        assert_eq!(
            shared_cost(&graph, &refined.term),
            refined.score.cost,
            "{context}"
        );
        assert!(
            refined.score.cost <= before,
            "refining made it dearer: {context}"
        );
    }
    let top = best_terms(&graph, (root, sketch), &known, any, &ByHead(&graph), 4);
    let cheap: Vec<f64> = costs
        .iter()
        .copied()
        .filter(|c| *c <= bound)
        .take(4)
        .collect();
    let top_costs: Vec<f64> = top
        .iter()
        .map(|chosen| tree_cost(&graph, &chosen.term))
        .collect();
    assert_eq!(
        top_costs.get(..cheap.len()),
        Some(cheap.as_slice()),
        "top: {context}"
    );
    for (n, chosen) in top.iter().enumerate() {
        assert!(fits(&chosen.term), "{context}");
        assert!(
            top[..n].iter().all(|other| other.term != chosen.term),
            "twice: {context}"
        );
    }
    let near = nearest(&extractor, root, sketch).expect("every class has a term");
    assert_eq!(near.misses == 0, score.is_some(), "nearest: {context}");
    let last = |term: &RecExpr<SymbolLang>| Id::from(term.as_ref().len() - 1);
    let missed = |term: &RecExpr<SymbolLang>| {
        let classes = classes_of(&graph, term);
        misses(&graph, &classes, term, last(term), &known, sketch)
    };
    assert_eq!(missed(&near.term), near.misses, "{}: {context}", near.term);
    let least = all[&root].iter().map(missed).min();
    assert!(
        least.is_none_or(|least| near.misses <= least),
        "nearer: {context}"
    );
    assert_eq!(near.missed.is_empty(), near.misses == 0, "{context}");
    true
}

#[test]
fn extraction_agrees_with_looking_at_all_terms() {
    let wanted: u64 = std::env::var("SKETCH_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(1500);
    let (mut checked, mut seed) = (0, 0);
    while checked < wanted {
        checked += u64::from(check(seed));
        seed += 1;
    }
    assert!(
        seed < 2 * wanted + 100,
        "too many graphs were too large: {seed}"
    );
    println!("{checked} cases agree");
}
