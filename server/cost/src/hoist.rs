//! Parts of a DAG that a loop may compute once, before it runs: those that are made of loop-invariant inputs alone.
//!
//! Which inputs are loop-invariant is the caller's business; nothing here knows loops.

use sumac_la::{Dag, Input, Node, NodeId, Op};

use crate::cost::Cost;
use crate::machine::Machine;
use crate::total;

/// Seconds that a part takes at least to be worth a variable of its own.
const LEAST_SECONDS: f64 = 2e-5;

/// A DAG cut in two: what is computed once, and what each run of a loop computes from that.
#[derive(Clone, PartialEq, Debug)]
pub struct Hoisted {
    /// The parts as roots, each with the name by which `body` reads it.
    pub once: Dag,
    /// Those names, in the order of the roots.
    pub names: Vec<String>,
    /// The DAG with an input in each part's place; its roots are the DAG's.
    pub body: Dag,
}

impl Hoisted {
    /// What each of `runs` runs costs, a share of the parts' cost included; `price` says what a DAG costs, and `computed`
    /// how many seconds each run of the loop as written computes what does not change in it.
    ///
    /// Parts beyond that pay for themselves in later runs alone, and how often a loop runs is often a guess. So their time
    /// counts twice: neither a loop that ends after half of its runs nor a price that is half of the truth on some processor
    /// makes the script slower.
    #[must_use]
    pub fn cost_of_run(
        &self,
        runs: f64,
        computed: f64,
        price: &dyn Fn(&Dag) -> Option<Cost>,
    ) -> Option<Cost> {
        let (once, body) = (price(&self.once)?, price(&self.body)?);
        let beyond = (once.seconds - computed).max(0.0);
        Some(Cost {
            flops: body.flops + once.flops / runs,
            bytes: body.bytes + once.bytes / runs,
            nnz: body.nnz + once.nnz / runs,
            peak_bytes: body.peak_bytes.max(once.peak_bytes),
            seconds: body.seconds + (once.seconds + beyond) / runs,
        })
    }
}

/// Cuts off the largest parts that loop-invariant inputs make and that take long enough to be worth it; `name` makes the
/// names of parts, by their number. `None` if there are none.
#[must_use]
pub(crate) fn hoisted(
    dag: &Dag,
    is_loop_invariant: &dyn Fn(&Input) -> bool,
    machine: &Machine,
    name: &dyn Fn(usize) -> String,
) -> Option<Hoisted> {
    let parts = loop_invariant_parts(dag, is_loop_invariant, machine);
    if parts.is_empty() {
        return None;
    }
    let names: Vec<String> = (0..parts.len()).map(name).collect();
    let (mut once, mut body) = (Dag::default(), Dag::default());
    for part in &parts {
        let root = once.import(dag, *part);
        once.push_root(root);
    }
    for root in dag.roots() {
        let root = body.import_with(dag, *root, &mut |body, id| {
            let place = parts.iter().position(|part| *part == id)?;
            Some(body.input(&names[place], dag.ty(id).clone()))
        });
        body.push_root(root);
    }
    Some(Hoisted { once, names, body })
}

/// The largest such parts, in topological order.
fn loop_invariant_parts(
    dag: &Dag,
    is_loop_invariant: &dyn Fn(&Input) -> bool,
    machine: &Machine,
) -> Vec<NodeId> {
    let nodes = dag.reachable(dag.roots());
    let mut loop_invariant = vec![false; dag.len()];
    for id in &nodes {
        loop_invariant[id.index()] = match dag.node(*id) {
            Node::Num(_) => true,
            Node::Input(_) => dag.input_of(*id).is_some_and(is_loop_invariant),
            Node::Op(_, args) => args.iter().all(|arg| loop_invariant[arg.index()]),
        };
    }
    let mut open: Vec<NodeId> = dag.roots().to_vec();
    let varying = nodes.iter().filter(|id| !loop_invariant[id.index()]);
    open.extend(varying.flat_map(|id| dag.args(*id)));
    let mut parts = Vec::new();
    let mut seen = vec![false; dag.len()];
    while let Some(id) = open.pop() {
        if !loop_invariant[id.index()] || std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        match dag.node(id) {
            // Readers take a transpose as it comes.
            Node::Op(Op::Transpose, args) => open.push(args[0]),
            Node::Op(..) => {
                let cost = total::cost(dag, &[id], machine);
                if cost.is_some_and(|cost| cost.seconds >= LEAST_SECONDS) {
                    parts.push(id);
                }
            }
            Node::Num(_) | Node::Input(_) => {}
        }
    }
    parts.sort_unstable();
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Priced;
    use sumac_la::Type;

    /// `t(X) %*% (w * X) %*% p + p` with loop-invariant X and w.
    fn normal_equations() -> Dag {
        let mut dag = Dag::default();
        let x = dag.input("X", Type::matrix(10_000, 20));
        let w = dag.input("w", Type::matrix(10_000, 1));
        let p = dag.input("p", Type::matrix(20, 1));
        let weighted = dag.op(Op::Mul, [x, w]).unwrap();
        let xt = dag.op(Op::Transpose, [x]).unwrap();
        let square = dag.op(Op::MatMul, [xt, weighted]).unwrap();
        let product = dag.op(Op::MatMul, [square, p]).unwrap();
        let root = dag.op(Op::Add, [product, p]).unwrap();
        dag.push_root(root);
        dag
    }

    fn part(number: usize) -> String {
        format!("part{number}")
    }

    #[test]
    fn the_largest_loop_invariant_part_is_cut_off() {
        let dag = normal_equations();
        let machine = Machine::default();
        let loop_invariant = |input: &Input| &*input.name != "p";
        let cut = dag.hoisted(&loop_invariant, &machine, &part).unwrap();
        assert_eq!(cut.once.print(cut.once.roots()[0]), "t(X) %*% (X * w)");
        assert_eq!(cut.body.print(cut.body.roots()[0]), "part0 %*% p + p");
        let whole = dag.cost(dag.roots(), &machine).unwrap();
        let run = cut
            .cost_of_run(10.0, f64::INFINITY, &|dag| dag.cost(dag.roots(), &machine))
            .unwrap();
        assert!(run.seconds < 0.2 * whole.seconds, "{run:?} {whole:?}");
    }

    #[test]
    fn what_no_run_as_written_computes_counts_twice() {
        let dag = normal_equations();
        let machine = Machine::default();
        let loop_invariant = |input: &Input| &*input.name != "p";
        let cut = dag.hoisted(&loop_invariant, &machine, &part).unwrap();
        let price = |dag: &Dag| dag.cost(dag.roots(), &machine);
        let once = price(&cut.once).unwrap().seconds;
        let of = |computed| cut.cost_of_run(10.0, computed, &price).unwrap();
        let (new, half, known) = (of(0.0), of(once / 2.0), of(once));
        assert!((new.seconds - known.seconds - once / 10.0).abs() < 1e-12);
        assert!((half.seconds - known.seconds - once / 20.0).abs() < 1e-12);
        assert_eq!((new.flops, new.bytes), (known.flops, known.bytes));
    }

    #[test]
    fn transposes_small_parts_and_unsteady_ones_stay() {
        let dag = normal_equations();
        let machine = Machine::default();
        assert_eq!(dag.hoisted(&|_| false, &machine, &part), None);
        // t(X) alone is read as it is; w * X needs both.
        let loop_invariant = |input: &Input| &*input.name == "X";
        assert_eq!(dag.hoisted(&loop_invariant, &machine, &part), None);
        let mut small = Dag::default();
        let a = small.input("a", Type::scalar());
        let root = small.op(Op::Exp, [a]).unwrap();
        small.push_root(root);
        assert_eq!(small.hoisted(&|_| true, &machine, &part), None);
    }
}
