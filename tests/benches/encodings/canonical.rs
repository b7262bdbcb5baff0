//! Canonical naming: a sum binds the first name that is not free in it, so alpha-equivalent sums are one e-node.
//!
//! Where that asks for another name in a body, its smallest term is rebuilt with that name at once; what else the class
//! holds, the rules have to find again.

use egg::{AstSize, Extractor, Id, Language, RecExpr};

use crate::grow::Encoding;
use crate::ra::{Graph, Index, Ra, Rule, index, ring, rule, unused};

/// The encoding.
pub struct Canonical;

impl Encoding for Canonical {
    fn name(&self) -> &'static str {
        "canonical names"
    }

    fn encode(&self, source: &RecExpr<Ra>) -> RecExpr<Ra> {
        let mut graph = Graph::default();
        let mut ids: Vec<Id> = Vec::new();
        for node in source.as_ref() {
            let node = node.clone().map_children(|child| ids[usize::from(child)]);
            let id = match node {
                Ra::Sum([name, body]) => {
                    let name = index(&graph, name);
                    sum(&mut graph, name, body)
                }
                node => graph.add(node),
            };
            ids.push(id);
        }
        let root = *ids.last().expect("a term has a root");
        Extractor::new(&graph, AstSize).find_best(root).1
    }

    fn rules(&self) -> Vec<Rule> {
        let mut rules = vec![
            rule("merge-sums", "(sum ?i (sum ?j ?a))", |graph, [i, j, a]| {
                let (i, j) = (index(graph, i), index(graph, j));
                let inner = sum(graph, i, a);
                Some(sum(graph, j, inner))
            }),
            rule("push-out", "(sum ?i (* ?a ?b))", |graph, [i, a, b]| {
                let i = index(graph, i);
                let b = (!has(graph, a, i)).then(|| sum(graph, i, b))?;
                Some(graph.add(Ra::Mul([a, b])))
            }),
            rule("constant", "(sum ?i ?a)", |graph, [i, a]| {
                let i = index(graph, i);
                let size = (!has(graph, a, i)).then(|| graph.add(Ra::Dim(i.dim)))?;
                Some(graph.add(Ra::Mul([size, a])))
            }),
            rule("sum-of-plus", "(sum ?i (+ ?a ?b))", |graph, [i, a, b]| {
                let i = index(graph, i);
                let sums = [a, b].map(|side| sum(graph, i, side));
                Some(graph.add(Ra::Add(sums)))
            }),
            rule("pull-in", "(* ?a (sum ?i ?b))", |graph, [a, i, b]| {
                let i = index(graph, i);
                let new = unused(i.dim, |x| has(graph, a, x) || x != i && has(graph, b, x));
                let b = renamed(graph, b, &[(i, new)]);
                let product = graph.add(Ra::Mul([a, b]));
                Some(sum(graph, new, product))
            }),
            rule(
                "plus-of-sums",
                "(+ (sum ?i ?a) (sum ?j ?b))",
                |graph, [i, a, j, b]| {
                    let (i, j) = (index(graph, i), index(graph, j));
                    if i.dim != j.dim {
                        return None;
                    }
                    let taken = |x| x != i && has(graph, a, x) || x != j && has(graph, b, x);
                    let new = unused(i.dim, taken);
                    let sides = [(i, a), (j, b)].map(|(x, side)| renamed(graph, side, &[(x, new)]));
                    let union = graph.add(Ra::Add(sides));
                    Some(sum(graph, new, union))
                },
            ),
        ];
        rules.extend(ring());
        rules
    }
}

fn has(graph: &Graph, id: Id, name: Index) -> bool {
    graph[id].data.free.contains(&name)
}

/// The sum of a body over one of its names, under its canonical name.
fn sum(graph: &mut Graph, name: Index, body: Id) -> Id {
    let new = unused(name.dim, |x| x != name && has(graph, body, x));
    let body = renamed(graph, body, &[(name, new)]);
    let new = graph.add(Ra::Index(new));
    graph.add(Ra::Sum([new, body]))
}

/// A class with other names for free indices, all at once; the class itself where that changes nothing.
fn renamed(graph: &mut Graph, id: Id, names: &[(Index, Index)]) -> Id {
    let to = |x: Index| {
        names
            .iter()
            .find(|(from, _)| *from == x)
            .map_or(x, |(_, to)| *to)
    };
    let free = graph[id].data.free.clone();
    if free.iter().all(|x| to(*x) == *x) {
        return id;
    }
    match graph[id].data.best.clone() {
        Ra::Index(name) => graph.add(Ra::Index(to(name))),
        Ra::Sum([name, body]) => {
            let old = index(graph, name);
            let new = unused(old.dim, |x| free.iter().any(|f| to(*f) == x));
            let mut inner: Vec<_> = names
                .iter()
                .copied()
                .filter(|(from, _)| *from != old)
                .collect();
            inner.push((old, new));
            let body = renamed(graph, body, &inner);
            let new = graph.add(Ra::Index(new));
            graph.add(Ra::Sum([new, body]))
        }
        node => {
            let node = node.map_children(|child| renamed(graph, child, names));
            graph.add(node)
        }
    }
}
