//! Chains of matrix products in their cheapest order, by dynamic programming over all orders (Cormen, Leiserson, Rivest and Stein,
//! *Introduction to Algorithms*, "Matrix-chain multiplication"). The orders of a long chain are too many for a search by rules.
//! Must never change which factors there are, or their sequence.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;
use sumac_la::{Args, Dag, Node, NodeId, Op};

use crate::cost::node_cost;
use crate::machine::Machine;

/// Chains of fewer factors have one order.
const LEAST: usize = 3;
/// Factors of a chain that is looked at: the work grows with their third power.
const MOST: usize = 64;

/// The same values, with each chain of products in the order that costs least by the prices of single operators. A product that
/// is read more than once is a factor of its own, as it is formed once.
#[must_use]
pub(crate) fn with_cheapest_products(dag: &Dag, machine: &Machine) -> Dag {
    let nodes = dag.reachable(dag.roots());
    let mut uses: HashMap<NodeId, usize, FxBuildHasher> = HashMap::default();
    let mut in_product: HashMap<NodeId, bool, FxBuildHasher> = HashMap::default();
    for id in &nodes {
        let is_product = is_product(dag, *id);
        for arg in dag.args(*id) {
            *uses.entry(*arg).or_default() += 1;
            in_product.insert(*arg, is_product);
        }
    }
    for root in dag.roots() {
        *uses.entry(*root).or_default() += 1;
    }
    let is_inner = |id: NodeId| {
        is_product(dag, id) && uses.get(&id) == Some(&1) && in_product.get(&id) == Some(&true)
    };
    let mut out = Dag::default();
    let mut map: HashMap<NodeId, NodeId, FxBuildHasher> = HashMap::default();
    for id in nodes.iter().copied().filter(|id| !is_inner(*id)) {
        let new = match dag.node(id) {
            Node::Input(_) => {
                let input = dag.input_of(id).expect("it is an input");
                out.input(&input.name, input.ty.clone())
            }
            Node::Num(bits) => out.num(f64::from_bits(*bits)),
            Node::Op(Op::MatMul, _) => {
                let mut factors = Vec::new();
                chain_below(dag, id, &is_inner, &mut factors);
                let order = order(dag, &factors, machine);
                product(dag, id, &factors, order.as_ref(), &map, &mut out)
            }
            Node::Op(op, args) => {
                let args: Args = args.iter().map(|arg| map[arg]).collect();
                out.op_of_type(*op, args, dag.ty(id))
            }
        };
        map.insert(id, new);
    }
    for root in dag.roots() {
        out.push_root(map[root]);
    }
    out
}

fn is_product(dag: &Dag, id: NodeId) -> bool {
    matches!(dag.node(id), Node::Op(Op::MatMul, _))
}

/// The factors of a chain, in their sequence.
fn chain_below(dag: &Dag, id: NodeId, is_inner: &dyn Fn(NodeId) -> bool, found: &mut Vec<NodeId>) {
    for arg in dag.args(id) {
        if is_inner(*arg) {
            chain_below(dag, *arg, is_inner, found);
        } else {
            found.push(*arg);
        }
    }
}

/// Where each part of the chain is cut, from the `i`-th to the `j`-th factor: into those up to the `k`-th and the others. `None`
/// where the order stays: too few factors or too many, or a size that is no number.
fn order(dag: &Dag, factors: &[NodeId], machine: &Machine) -> Option<Vec<Vec<usize>>> {
    let n = factors.len();
    if !(LEAST..=MOST).contains(&n) {
        return None;
    }
    let mut parts = Dag::default();
    // The cheapest way to each part: its node, its seconds, its cut.
    let mut best: Vec<Vec<(NodeId, f64, usize)>> = Vec::with_capacity(n);
    for (i, factor) in factors.iter().enumerate() {
        let node = parts.input(&format!("{i}"), dag.ty(*factor).clone());
        best.push(vec![(node, 0.0, i); n]);
    }
    for length in 2..=n {
        for i in 0..=n - length {
            let j = i + length - 1;
            let mut cheapest: Option<(NodeId, f64, usize)> = None;
            for k in i..j {
                let ((left, a, _), (right, b, _)) = (best[i][k], best[k + 1][j]);
                let node = parts.op(Op::MatMul, [left, right]).ok()?;
                let seconds = a + b + node_cost(&parts, node, machine)?.seconds;
                if cheapest.is_none_or(|(_, least, _)| seconds < least) {
                    cheapest = Some((node, seconds, k));
                }
            }
            best[i][j] = cheapest?;
        }
    }
    let cuts = |row: &Vec<(NodeId, f64, usize)>| row.iter().map(|(_, _, cut)| *cut).collect();
    Some(best.iter().map(cuts).collect())
}

/// The chain in that order, or as it is.
fn product(
    dag: &Dag,
    id: NodeId,
    factors: &[NodeId],
    order: Option<&Vec<Vec<usize>>>,
    map: &HashMap<NodeId, NodeId, FxBuildHasher>,
    out: &mut Dag,
) -> NodeId {
    fn part(
        (i, j): (usize, usize),
        factors: &[NodeId],
        order: &[Vec<usize>],
        out: &mut Dag,
    ) -> Option<NodeId> {
        if i == j {
            return Some(factors[i]);
        }
        let k = order[i][j];
        let left = part((i, k), factors, order, out)?;
        let right = part((k + 1, j), factors, order, out)?;
        out.op(Op::MatMul, [left, right]).ok()
    }
    let new: Vec<NodeId> = factors.iter().map(|factor| map[factor]).collect();
    let ordered = order.and_then(|order| part((0, new.len() - 1), &new, order, out));
    ordered.unwrap_or_else(|| {
        let mut rest = new.into_iter();
        as_it_is(dag, id, factors, &mut rest, out)
    })
}

/// The chain below `id`, whose factors come one after the other.
fn as_it_is(
    dag: &Dag,
    id: NodeId,
    factors: &[NodeId],
    rest: &mut impl Iterator<Item = NodeId>,
    out: &mut Dag,
) -> NodeId {
    let args: Args = dag
        .args(id)
        .iter()
        .map(|arg| {
            if factors.contains(arg) {
                rest.next().expect("a factor for each place")
            } else {
                as_it_is(dag, *arg, factors, rest, out)
            }
        })
        .collect();
    out.op_of_type(Op::MatMul, args, dag.ty(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Priced;
    use sumac_la::Type;

    /// The chain of matrices of these sizes, from the left to the right, in its cheapest order.
    fn ordered(sizes: &[u64]) -> String {
        let mut dag = Dag::default();
        let mut factors = sizes.windows(2).enumerate().map(|(i, pair)| {
            let name = char::from(b'A' + u8::try_from(i).expect("few"));
            (name.to_string(), Type::matrix(pair[0], pair[1]))
        });
        let (name, ty) = factors.next().expect("a factor");
        let mut product = dag.input(&name, ty);
        for (name, ty) in factors {
            let factor = dag.input(&name, ty);
            product = dag.op(Op::MatMul, [product, factor]).expect("they fit");
        }
        dag.push_root(product);
        let dag = dag.with_cheapest_products(&Machine::default());
        dag.print(dag.roots()[0])
    }

    #[test]
    fn a_vector_at_the_end_is_multiplied_first() {
        let text = ordered(&[1000, 1000, 1000, 1000, 1000, 1]);
        assert_eq!(text, "A %*% (B %*% (C %*% (D %*% E)))");
        assert_eq!(ordered(&[1, 1000, 1000, 1000]), "A %*% B %*% C");
    }

    #[test]
    fn the_book_s_example_has_its_order() {
        // The sizes of the book's example, tenfold, so that work counts and not calls.
        let sizes = [300, 350, 150, 50, 100, 200, 250];
        assert_eq!(ordered(&sizes), "A %*% (B %*% C) %*% (D %*% E %*% F)");
    }

    #[test]
    fn a_product_that_is_read_twice_stays() {
        let mut dag = Dag::default();
        let a = dag.input("A", Type::matrix(500, 500));
        let v = dag.input("v", Type::matrix(500, 1));
        let square = dag.op(Op::MatMul, [a, a]).unwrap();
        let image = dag.op(Op::MatMul, [square, v]).unwrap();
        let both = dag.op(Op::MatMul, [square, image]).unwrap();
        dag.push_root(both);
        let ordered = dag.with_cheapest_products(&Machine::default());
        assert_eq!(
            ordered.print(ordered.roots()[0]),
            "A %*% A %*% (A %*% A %*% v)"
        );
    }
}
