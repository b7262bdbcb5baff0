//! Between DAGs and the terms of a guided search.

use std::collections::HashMap;

use egg::{Id, RecExpr};
use rustc_hash::FxBuildHasher;
use sumac_la::{Dag, Node, NodeId, Op};

use super::language::{Facts, La, LaGraph};

/// An e-graph with the expression alone, and its class.
#[must_use]
pub fn graph_of(dag: &Dag, root: NodeId) -> (LaGraph, Id) {
    let mut graph = LaGraph::new(Facts {
        inputs: dag.inputs().iter().map(|input| input.ty.clone()).collect(),
        broken: false,
    });
    let mut known: HashMap<NodeId, Id, FxBuildHasher> = HashMap::default();
    for id in dag.reachable(&[root]) {
        let node = match dag.node(id) {
            Node::Input(number) => La::Input(*number),
            Node::Num(bits) => La::Num(*bits),
            Node::Op(op, args) => La::op(*op, args.iter().map(|arg| known[arg])),
        };
        known.insert(id, graph.add(node));
    }
    graph.rebuild();
    let class = graph.find(known[&root]);
    (graph, class)
}

/// A term as a DAG over the inputs of another one, with commutative operators in an order that reads well. `None` if an
/// operator does not fit its arguments.
#[must_use]
pub fn dag_of(term: &RecExpr<La>, inputs: &Dag) -> Option<Dag> {
    let mut dag = Dag::default();
    let mut known: Vec<NodeId> = Vec::new();
    for node in term.as_ref() {
        let made = match node {
            La::Input(number) => {
                let input = &inputs.inputs()[*number as usize];
                dag.input(&input.name, input.ty.clone())
            }
            La::Num(bits) => dag.num(f64::from_bits(*bits)),
            La::Op(op, children) => {
                let args: Vec<NodeId> = children.iter().map(|c| known[usize::from(*c)]).collect();
                match args.as_slice() {
                    [a, b] if op.info().commutative => commutative(&mut dag, *op, *a, *b)?,
                    _ => dag.op(*op, args).ok()?,
                }
            }
        };
        known.push(made);
    }
    dag.push_root(*known.last()?);
    Some(dag)
}

/// The order that fits, and of two the one that a person would write: factors that are numbers first, summands that are
/// numbers last and sums first, for those need no parentheses there, and the shorter text before the longer one.
fn commutative(dag: &mut Dag, op: Op, a: NodeId, b: NodeId) -> Option<NodeId> {
    let key = |id: NodeId| {
        let number = dag.node(id).value().is_some();
        let place = match op {
            Op::Mul => u8::from(!number) + u8::from(!dag.is_scalar(id)),
            Op::Add if matches!(dag.node(id), Node::Op(Op::Add | Op::Sub, _)) => 0,
            Op::Add => 1 + u8::from(number),
            _ => u8::from(number),
        };
        let text = dag.print(id);
        (place, text.len(), text)
    };
    let (first, second) = if key(a) <= key(b) { (a, b) } else { (b, a) };
    let made = dag.op(op, [first, second]);
    made.or_else(|_| dag.op(op, [second, first])).ok()
}
