//! Indices by name, and substitution as a term that rules push down: the encoding of SPORES's own prototype.
//!
//! Where a bound name is in the way, the sum gets a fresh one. The class invariant `free` guards every rule.

use egg::{ENodeOrVar, Id, Language, Pattern, RecExpr, Var};
use rustc_hash::FxHashMap;

use crate::grow::Encoding;
use crate::ra::{Facts, Graph, Index, Ra, Rule, Scope, equal, index, ring, rule};

/// The encoding.
pub struct Named;

impl Encoding for Named {
    fn name(&self) -> &'static str {
        "named, substitution"
    }

    fn encode(&self, source: &RecExpr<Ra>) -> RecExpr<Ra> {
        source.clone()
    }

    fn rules(&self) -> Vec<Rule> {
        let mut rules = vec![
            equal("merge-sums", "(sum ?i (sum ?j ?a))", "(sum ?j (sum ?i ?a))"),
            rule("push-out", "(sum ?i (* ?a ?b))", |graph, [i, a, b]| {
                let sum = is_absent(graph, i, a).then(|| graph.add(Ra::Sum([i, b])))?;
                Some(graph.add(Ra::Mul([a, sum])))
            }),
            rule("constant", "(sum ?i ?a)", |graph, [i, a]| {
                let dim = index(graph, i).dim;
                let size = is_absent(graph, i, a).then(|| graph.add(Ra::Dim(dim)))?;
                Some(graph.add(Ra::Mul([size, a])))
            }),
            equal(
                "sum-of-plus",
                "(sum ?i (+ ?a ?b))",
                "(+ (sum ?i ?a) (sum ?i ?b))",
            ),
            rule("pull-in", "(* ?a (sum ?i ?b))", |graph, [a, i, b]| {
                let (name, body) = match is_absent(graph, i, a) {
                    true => (i, b),
                    false => renamed_apart(graph, a, i, b),
                };
                let product = graph.add(Ra::Mul([a, body]));
                Some(graph.add(Ra::Sum([name, product])))
            }),
            equal(
                "plus-of-sums",
                "(+ (sum ?i ?a) (sum ?i ?b))",
                "(sum ?i (+ ?a ?b))",
            ),
            equal(
                "subst-*",
                "(subst ?t ?f (* ?a ?b))",
                "(* (subst ?t ?f ?a) (subst ?t ?f ?b))",
            ),
            equal(
                "subst-+",
                "(subst ?t ?f (+ ?a ?b))",
                "(+ (subst ?t ?f ?a) (subst ?t ?f ?b))",
            ),
            rule(
                "subst-sum",
                "(subst ?t ?f (sum ?i ?a))",
                |graph, [t, f, i, a]| {
                    if f == i {
                        return Some(graph.add(Ra::Sum([i, a])));
                    }
                    let (name, body) = if t == i {
                        renamed_apart(graph, t, i, a)
                    } else {
                        (i, a)
                    };
                    let body = graph.add(Ra::Subst([t, f, body]));
                    Some(graph.add(Ra::Sum([name, body])))
                },
            ),
            rule("subst-leaf", "(subst ?t ?f ?a)", |graph, [t, f, a]| {
                resolve(graph, &Ra::Subst([t, f, a]), a)
            }),
        ];
        rules.extend(ring());
        rules
    }

    /// The goal's bound names are variables of a pattern: any names will do that capture nothing.
    fn holds(&self, graph: &Graph, root: Id, goal: &RecExpr<Ra>) -> bool {
        let mut bound = FxHashMap::default();
        for node in goal.as_ref() {
            if let Ra::Sum([i, _]) = node
                && let Ra::Index(name) = goal[*i]
            {
                let var: Var = format!("?{name}").parse().expect("a variable");
                bound.insert(name, var);
            }
        }
        let nodes = goal.as_ref().iter().map(|node| match node {
            Ra::Index(name) if bound.contains_key(name) => ENodeOrVar::Var(bound[name]),
            node => ENodeOrVar::ENode(node.clone()),
        });
        let pattern = Pattern::<Ra>::new(nodes.collect::<Vec<_>>().into());
        let apart = apart(goal);
        let matches = egg::Searcher::<Ra, Facts>::search_eclass(&pattern, graph, root);
        matches.into_iter().flat_map(|m| m.substs).any(|subst| {
            let name = |x: &Index| bound.get(x).map_or(*x, |var| index(graph, subst[*var]));
            apart.iter().all(|(x, y)| name(x) != name(y))
        })
    }
}

/// Each bound index of a goal with each other index that is free in its sum.
fn apart(goal: &RecExpr<Ra>) -> Vec<(Index, Index)> {
    let mut graph = Graph::default();
    graph.add_expr(goal);
    let mut pairs = Vec::new();
    for class in graph.classes() {
        for node in &class.nodes {
            if let Scope::Name(bound) = Scope::of(&graph, node) {
                pairs.extend(class.data.free.iter().map(|other| (bound, *other)));
            }
        }
    }
    pairs
}

/// Whether an index is not free in a class.
fn is_absent(graph: &Graph, name: Id, of: Id) -> bool {
    !graph[of].data.free.contains(&index(graph, name))
}

/// A fresh name for the index of a sum that stands beside `beside`, and the body with it.
fn renamed_apart(graph: &mut Graph, beside: Id, name: Id, body: Id) -> (Id, Id) {
    let old = index(graph, name);
    let key = (graph.find(beside), graph.find(body), old);
    // The names of the scripts are small.
    let count = u32::try_from(graph.analysis.fresh.len()).expect("few names");
    let at = 1000 + count;
    let new = *graph
        .analysis
        .fresh
        .entry(key)
        .or_insert(Index { at, ..old });
    let new = graph.add(Ra::Index(new));
    (new, graph.add(Ra::Subst([new, name, body])))
}

/// What a renaming `node` of `body` is, where it renames nothing or `body` is an input.
pub fn resolve(graph: &mut Graph, node: &Ra, body: Id) -> Option<Id> {
    let scope = Scope::of(graph, node);
    let outer = |x: &Index| scope.outer(*x).expect("renaming binds nothing");
    if graph[body].data.free.iter().all(|x| outer(x) == *x) {
        return Some(body);
    }
    let is_input = |node: &&Ra| matches!(node, Ra::Tensor(..));
    let input = graph[body].nodes.iter().find(is_input)?.clone();
    let input = input.map_children(|child| {
        let renamed = outer(&index(graph, child));
        graph.add(Ra::Index(renamed))
    });
    Some(graph.add(input))
}
