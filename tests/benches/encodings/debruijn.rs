//! De Bruijn: an index is the number of binders between it and its own; moving a term over a binder is a term that
//! rules push down.
//!
//! The free indices of the whole expression are the levels above all binders, in order of their names.

use egg::{Id, Language, RecExpr};

use crate::grow::Encoding;
use crate::named::resolve;
use crate::ra::{Graph, Index, Ra, Rule, equal, ring, rule};

/// Moves a term over a binder, from a level on.
type Move = fn([Id; 2]) -> Ra;

/// The encoding.
pub struct DeBruijn;

impl Encoding for DeBruijn {
    fn name(&self) -> &'static str {
        "De Bruijn, shifts"
    }

    fn encode(&self, source: &RecExpr<Ra>) -> RecExpr<Ra> {
        let mut graph = Graph::default();
        let root = graph.add_expr(source);
        let mut scope: Vec<Index> = graph[root].data.free.iter().rev().copied().collect();
        let mut levels = RecExpr::default();
        encode(source, source.root(), &mut scope, &mut levels);
        levels
    }

    fn rules(&self) -> Vec<Rule> {
        let mut rules = vec![
            rule("merge-sums", "(sum ?d (sum ?e ?a))", |graph, [d, e, a]| {
                let zero = graph.add(Ra::Number(0));
                let body = graph.add(Ra::Swap([zero, a]));
                let inner = graph.add(Ra::Sum([d, body]));
                Some(graph.add(Ra::Sum([e, inner])))
            }),
            rule("push-out", "(sum ?d (* ?a ?b))", |graph, [d, a, b]| {
                let a = lowered(graph, a)?;
                let sum = graph.add(Ra::Sum([d, b]));
                Some(graph.add(Ra::Mul([a, sum])))
            }),
            rule("constant", "(sum ?d ?a)", |graph, [d, a]| {
                let a = lowered(graph, a)?;
                Some(graph.add(Ra::Mul([d, a])))
            }),
            equal(
                "sum-of-plus",
                "(sum ?d (+ ?a ?b))",
                "(+ (sum ?d ?a) (sum ?d ?b))",
            ),
            equal("pull-in", "(* ?a (sum ?d ?b))", "(sum ?d (* (up 0 ?a) ?b))"),
            equal(
                "plus-of-sums",
                "(+ (sum ?d ?a) (sum ?d ?b))",
                "(sum ?d (+ ?a ?b))",
            ),
        ];
        let moves: [(&str, Move); 3] = [("up", Ra::Up), ("down", Ra::Down), ("swap", Ra::Swap)];
        for (name, make) in moves {
            for op in ["*", "+"] {
                rules.push(equal(
                    &format!("{name}-{op}"),
                    &format!("({name} ?c ({op} ?a ?b))"),
                    &format!("({op} ({name} ?c ?a) ({name} ?c ?b))"),
                ));
            }
            let left = format!("({name} ?c (sum ?d ?a))");
            rules.push(rule(
                &format!("{name}-sum"),
                &left,
                move |graph, [c, d, a]| {
                    let Ra::Number(level) = graph[c].data.best else {
                        return None;
                    };
                    let c = graph.add(Ra::Number(level + 1));
                    let body = graph.add(make([c, a]));
                    Some(graph.add(Ra::Sum([d, body])))
                },
            ));
            let left = format!("({name} ?c ?a)");
            rules.push(rule(
                &format!("{name}-leaf"),
                &left,
                move |graph, [c, a]| resolve(graph, &make([c, a]), a),
            ));
        }
        rules.extend(ring());
        rules
    }
}

/// A term without the innermost binder around it, which it must not refer to.
fn lowered(graph: &mut Graph, id: Id) -> Option<Id> {
    if graph[id].data.free.iter().any(|x| x.at == 0) {
        return None;
    }
    let zero = graph.add(Ra::Number(0));
    Some(graph.add(Ra::Down([zero, id])))
}

/// A named term under binders, the innermost last.
fn encode(source: &RecExpr<Ra>, id: Id, scope: &mut Vec<Index>, levels: &mut RecExpr<Ra>) -> Id {
    let node = match &source[id] {
        Ra::Index(name) => {
            let at = scope
                .iter()
                .rev()
                .position(|known| known == name)
                .expect("in scope");
            let at = u32::try_from(at).expect("few binders");
            Ra::Index(Index { at, ..*name })
        }
        Ra::Sum([name, body]) => {
            let Ra::Index(name) = source[*name] else {
                panic!("sums bind indices")
            };
            scope.push(name);
            let body = encode(source, *body, scope, levels);
            scope.pop();
            Ra::Sum([levels.add(Ra::Dim(name.dim)), body])
        }
        node => node
            .clone()
            .map_children(|child| encode(source, child, scope, levels)),
    };
    levels.add(node)
}
