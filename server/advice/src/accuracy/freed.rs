//! Functions that both forms read, as inputs of their own. In `1 / (1 + exp(-(X %*% W))) %*% V - X` no choice of `X` makes the
//! difference small, as the function moves with it; a person's `W` may. Where a function reads an input that nothing else reads, its
//! value says nothing of the others: it is held as it was drawn, and they are free. Must never free what is linear in its arguments,
//! nor a function whose arguments all stand elsewhere, too: those are not independent.

use std::collections::{BTreeMap, BTreeSet};

use sumac_la::{Dag, Node, NodeId, Op, ShapeRule};
use sumac_runtime::{Value, eval};

use super::Say;
use super::undone::cells_read;

/// Both forms over their inputs and, after those, over the values of functions.
pub(super) struct Freed {
    pub(super) original: Dag,
    pub(super) optimized: Dag,
    /// The functions, over the inputs as they were.
    functions: Dag,
    /// For each input that is left its number among the inputs as they were.
    kept: Vec<usize>,
}

impl Freed {
    /// `None` where neither form has such a function.
    pub(super) fn of(original: &Dag, optimized: &Dag, say: Say<'_>) -> Option<Freed> {
        // Equal expressions of both are one node here.
        let mut both = Dag::default();
        for input in original.inputs() {
            both.input(&input.name, input.ty.clone());
        }
        let mut imported = |dag: &Dag| -> Vec<NodeId> {
            let roots = dag.roots().iter();
            roots.map(|root| both.import(dag, *root)).collect()
        };
        let (first, second) = (imported(original), imported(optimized));
        let roots = [first.as_slice(), second.as_slice()].concat();
        let names = independent(&both, &roots, say);
        let unique: BTreeSet<&String> = names.values().collect();
        if names.is_empty() || unique.len() < names.len() {
            return None;
        }
        let cut = |id: NodeId| names.get(&id).map(String::as_str);
        let imported = |mut dag: Dag, roots: &[NodeId]| {
            for root in roots {
                let root = dag.import_cut(&both, *root, &cut);
                dag.push_root(root);
            }
            dag
        };
        let read = imported(Dag::default(), &roots);
        let is_read = |name: &str| read.inputs().iter().any(|input| &*input.name == name);
        let inputs = both.inputs().iter().enumerate();
        let kept: Vec<usize> = inputs
            .filter(|(_, input)| is_read(&input.name))
            .map(|(i, _)| i)
            .collect();
        let form = |roots: &[NodeId]| {
            let mut dag = Dag::default();
            for input in &kept {
                let input = &both.inputs()[*input];
                dag.input(&input.name, input.ty.clone());
            }
            for (id, name) in &names {
                dag.input(name, both.ty(*id).clone());
            }
            imported(dag, roots)
        };
        let (cut_original, cut_optimized) = (form(&first), form(&second));
        let mut functions = both;
        for id in names.keys() {
            functions.push_root(*id);
        }
        Some(Freed {
            original: cut_original,
            optimized: cut_optimized,
            functions,
            kept,
        })
    }

    /// How many of the inputs are free; those after them are values of functions.
    pub(super) fn free(&self) -> usize {
        self.kept.len()
    }

    /// The values of all inputs, from those of the inputs as they were.
    pub(super) fn start(&self, drawn: &[Value]) -> Option<Vec<Value>> {
        let mut all: Vec<Value> = self.kept.iter().map(|i| drawn[*i].clone()).collect();
        all.extend(eval(&self.functions, drawn).ok()?);
        Some(all)
    }
}

/// The functions that read an input which nothing else reads, each with the name of its value.
fn independent(dag: &Dag, roots: &[NodeId], say: Say<'_>) -> BTreeMap<NodeId, String> {
    let all = dag.reachable(roots).into_iter();
    let is_candidate = |id: &NodeId| {
        let is_constant = cells_read(dag, &[*id], &|_| false).is_empty();
        matches!(dag.node(*id), Node::Op(op, _) if is_function(*op)) && !is_constant
    };
    let mut cut: BTreeSet<NodeId> = all.filter(is_candidate).collect();
    // What is not independent shows its arguments, and what read one of them alone may not any more.
    loop {
        let elsewhere = cells_read(dag, roots, &|id| cut.contains(&id));
        let is_dependent =
            |id: &&NodeId| cells_read(dag, &[**id], &|_| false).is_subset(&elsewhere);
        let dependent: Vec<NodeId> = cut.iter().filter(is_dependent).copied().collect();
        if dependent.is_empty() {
            break;
        }
        for id in dependent {
            cut.remove(&id);
        }
    }
    // A function of functions is one.
    let mut needed = BTreeSet::new();
    let mut open = roots.to_vec();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if cut.contains(&id) {
            needed.insert(id);
        } else if seen.insert(id) {
            open.extend_from_slice(dag.args(id));
        }
    }
    let named = needed.into_iter().map(|id| (id, say(dag, id)));
    named.collect()
}

/// Whether an operator makes cells that no sum of products of its arguments makes.
fn is_function(op: Op) -> bool {
    use Op::{Add, Div, Mul, Neg, Pow, Sub};
    op.info().shape == ShapeRule::Cellwise && !matches!(op, Add | Sub | Mul | Div | Pow | Neg)
}

#[cfg(test)]
mod tests {
    use sumac_la::Type;

    use super::*;

    /// `f(X %*% W) %*% V - X`, and `W` beside it where it `is_shared`.
    fn layer(is_shared: bool) -> Dag {
        let mut dag = Dag::default();
        let [x, w, v] = ["X", "W", "V"].map(|name| dag.input(name, Type::matrix(3, 3)));
        let product = dag.op(Op::MatMul, [x, w]).unwrap();
        let hidden = dag.op(Op::Exp, [product]).unwrap();
        let out = dag.op(Op::MatMul, [hidden, v]).unwrap();
        let root = dag.op(Op::Sub, [out, x]).unwrap();
        dag.push_root(root);
        if is_shared {
            dag.push_root(w);
        }
        dag
    }

    #[test]
    fn a_function_of_what_nothing_else_reads_is_an_input_after_the_others() {
        let dag = layer(false);
        let freed = Freed::of(&dag, &dag, &|dag, id| dag.print(id)).expect("W stands there alone");
        let names: Vec<&str> = freed.original.inputs().iter().map(|it| &*it.name).collect();
        assert_eq!(names, ["X", "V", "exp(X %*% W)"]);
        assert_eq!(freed.free(), 2);
        let drawn: Vec<Value> = [1.0, 0.0, 2.0]
            .map(|cell| sumac_runtime::Matrix::fill(3, 3, cell).into())
            .to_vec();
        let start = freed.start(&drawn).expect("it has a value");
        assert_eq!(start.len(), 3);
        let whole = eval(&dag, &drawn).unwrap();
        assert_eq!(eval(&freed.original, &start).unwrap(), whole);
    }

    #[test]
    fn a_function_of_what_stands_elsewhere_is_no_input() {
        let dag = layer(true);
        assert!(Freed::of(&dag, &dag, &|dag, id| dag.print(id)).is_none());
    }
}
