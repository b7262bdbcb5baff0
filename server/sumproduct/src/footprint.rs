//! What a search takes in memory, estimated from what it holds: e-nodes, classes, matches.
//!
//! Counting costs nothing, so the bound of [`crate::Options::max_graph_bytes`] is looked at with every single match. The
//! estimate never asks the allocator or the system: it is the same on every run, and so is where a search ends. What one
//! e-node and one class take are averages; a test compares them with what is really allocated.

use egg::{Analysis, EClass, EGraph, Language};

use crate::build::Relations;
use crate::invariants::Invariant;
use crate::ra::Ra;
use crate::rules::Match;

/// An e-node stands in the list of all, in the table that finds it again, and in its class.
const COPIES: usize = 3;
/// Lists and tables that double when they are full are three quarters full on average.
const SPARE: f64 = 4.0 / 3.0;
/// Bytes beside the copies of an e-node: entries for its id, for its class, and for it in each child's list of parents.
const BESIDE_NODE: usize = 32;
/// Bytes of a class beside itself: its lists on the heap at their smallest, its degrees.
const BESIDE_CLASS: usize = 64;
/// Bytes of a match that was applied: its key and the table's.
const APPLIED: usize = 9;

/// Bytes of the graph as it is.
pub fn of_graph(relations: &Relations) -> usize {
    of(&relations.graph)
}

/// E-nodes of which a graph of so many bytes may be made, each a class of its own.
pub fn most_nodes(bytes: u64) -> usize {
    let one = with_spare(
        COPIES * size_of::<Ra>() + BESIDE_NODE + size_of::<EClass<Ra, Invariant>>() + BESIDE_CLASS,
    );
    usize::try_from(bytes).unwrap_or(usize::MAX) / one
}

/// Bytes of an e-graph as it is.
pub fn of<L: Language, N: Analysis<L>>(graph: &EGraph<L, N>) -> usize {
    let (nodes, classes) = (graph.nodes().len(), graph.number_of_classes());
    with_spare(
        nodes * (COPIES * size_of::<L>() + BESIDE_NODE)
            + classes * (size_of::<EClass<L, N::Data>>() + BESIDE_CLASS),
    )
}

/// Bytes of so many matches that wait to be applied, and of the keys of so many that were.
pub fn of_matches(waiting: usize, applied: usize) -> usize {
    with_spare(waiting * (size_of::<Match>() + size_of::<u64>()) + applied * APPLIED)
}

fn with_spare(bytes: usize) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an estimate"
    )]
    {
        (bytes as f64 * SPARE) as usize
    }
}

#[cfg(test)]
mod tests {
    use sumac_la::{Dag, NodeId, Op, Type};

    use super::*;
    use crate::options::{Options, Strategy};
    use crate::saturate::{Stopped, saturate};
    use crate::translate::Translation;

    /// `sum((X - U %*% t(V))^2) + sum(sigmoid(A %*% B %*% C))`: relations of all kinds of arity, and functions.
    fn expression() -> (Dag, NodeId) {
        let mut dag = Dag::default();
        let x = dag.input("X", Type::sparse(400, 300, 0.01));
        let u = dag.input("U", Type::sparse(400, 5, 1.0));
        let v = dag.input("V", Type::sparse(300, 5, 1.0));
        let a = dag.input("A", Type::sparse(400, 20, 1.0));
        let b = dag.input("B", Type::sparse(20, 30, 1.0));
        let c = dag.input("C", Type::sparse(30, 300, 1.0));
        let two = dag.num(2.0);
        let mut op = |op: Op, args: &[NodeId]| dag.op(op, args.iter().copied()).unwrap();
        let vt = op(Op::Transpose, &[v]);
        let uv = op(Op::MatMul, &[u, vt]);
        let error = op(Op::Sub, &[x, uv]);
        let square = op(Op::Pow, &[error, two]);
        let loss = op(Op::Sum, &[square]);
        let ab = op(Op::MatMul, &[a, b]);
        let abc = op(Op::MatMul, &[ab, c]);
        let sigmoid = op(Op::Sigmoid, &[abc]);
        let total = op(Op::Sum, &[sigmoid]);
        let root = op(Op::Add, &[loss, total]);
        (dag, root)
    }

    fn grown(options: &Options, max_nodes: usize) -> (Translation, Stopped) {
        let (dag, root) = expression();
        let mut translation = Translation::new(&dag, &[root]).unwrap();
        crate::expand::expand(&mut translation, &dag, &[root]);
        let (_, stopped) = saturate(
            &mut translation,
            options,
            max_nodes,
            &|| false,
            &mut |_, _| {},
        );
        (translation, stopped)
    }

    #[test]
    fn a_graph_takes_about_what_is_estimated() {
        for max_nodes in [500, 2000, 8000] {
            let mut kept = None;
            let real = allocation_counter::measure(|| {
                kept = Some(grown(&Options::default(), max_nodes));
            });
            let (translation, _) = kept.expect("it was grown");
            let estimate = of_graph(&translation.relations) as f64;
            let ratio = estimate / real.bytes_current as f64;
            assert!(
                (0.5..2.0).contains(&ratio),
                "{max_nodes} e-nodes: estimated {estimate}, allocated {}",
                real.bytes_current
            );
        }
    }

    #[test]
    fn a_search_stays_near_its_bound_at_any_moment() {
        for max_graph_bytes in [1 << 19, 1 << 21, 1 << 23] {
            let options = Options {
                strategy: Strategy::DepthFirst,
                max_graph_bytes,
                ..Options::default()
            };
            let mut stopped = None;
            let real = allocation_counter::measure(|| {
                stopped = Some(grown(&options, usize::MAX).1);
            });
            assert_eq!(stopped, Some(Stopped::Memory));
            let most = real.bytes_max as f64;
            let bound = max_graph_bytes as f64;
            assert!(
                most < 2.0 * bound,
                "a bound of {bound}: {most} bytes were allocated at once"
            );
        }
    }

    #[test]
    fn where_a_search_ends_for_its_memory_is_always_the_same() {
        let options = Options {
            max_graph_bytes: 1 << 20,
            ..Options::default()
        };
        let [one, other] = [(); 2].map(|()| grown(&options, usize::MAX));
        assert_eq!(one.1, Stopped::Memory);
        assert_eq!(
            one.0.relations.graph.total_size(),
            other.0.relations.graph.total_size()
        );
    }
}
