//! Operators that an engine fuses by itself where an expression has their pattern, and what they cost.
//!
//! Nothing is rewritten here: a script keeps its text, and the engine sees the pattern. So a pattern must match only
//! what the engine itself would fuse, operand by operand in the order of the text. The rows of SystemDS are those of 3.4.

mod cells;
mod local;
mod pattern;
mod products;
mod quaternary;

use sumac_la::{Dag, NodeId};

use self::cells::{
    complement_of_product, multiply_add, sample_proportion, sum_of_products, sum_of_squares,
};
pub use self::local::MOST_SAMPLED;
pub(crate) use self::pattern::Fused;
use self::products::{product_chain, self_product};
use self::quaternary::{
    weighted_cross_entropy, weighted_product, weighted_sigmoid, weighted_squared_loss,
};
use crate::engine::Engine;

type Pattern = fn(&Dag, NodeId) -> Option<Fused>;

/// Every pattern of SystemDS. The first that fits is taken, as there.
const SYSTEMDS: &[Pattern] = &[
    weighted_squared_loss,
    weighted_cross_entropy,
    weighted_sigmoid,
    weighted_product,
    product_chain,
    self_product,
    sum_of_squares,
    sum_of_products,
    sample_proportion,
    complement_of_product,
    multiply_add,
];

/// What our own runtime fuses.
const LOCAL: &[Pattern] = &[local::chain, local::sampled];

impl Engine {
    /// The fused operator that computes `id`, if there is one.
    pub(crate) fn fused(self, dag: &Dag, id: NodeId) -> Option<Fused> {
        match self {
            Engine::Local => LOCAL.iter().find_map(|pattern| pattern(dag, id)),
            Engine::SystemDs | Engine::Spark => {
                SYSTEMDS.iter().find_map(|pattern| pattern(dag, id))
            }
            Engine::NumPy => None,
        }
    }
}

/// Whether the engine computes `id` and what is below it as one operator.
#[must_use]
pub(crate) fn is_fused(dag: &Dag, id: NodeId, engine: Engine) -> bool {
    engine.fused(dag, id).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Priced;
    use crate::machine::Machine;
    use sumac_la::{Op, Type};

    struct Script {
        dag: Dag,
        x: NodeId,
        u: NodeId,
        v: NodeId,
    }

    impl Script {
        fn new() -> Self {
            let mut dag = Dag::default();
            let x = dag.input("X", Type::sparse(20_000, 10_000, 0.001));
            let u = dag.input("U", Type::matrix(20_000, 10));
            let v = dag.input("V", Type::matrix(10_000, 10));
            Script { dag, x, u, v }
        }

        fn op<const N: usize>(&mut self, op: Op, args: [NodeId; N]) -> NodeId {
            self.dag.op(op, args).unwrap()
        }

        fn product(&mut self) -> NodeId {
            let vt = self.op(Op::Transpose, [self.v]);
            self.op(Op::MatMul, [self.u, vt])
        }

        fn seconds(&self, root: NodeId, engine: Engine) -> f64 {
            let machine = Machine {
                engine,
                ..Machine::of(Engine::SystemDs)
            };
            self.dag.cost(&[root], &machine).unwrap().seconds
        }

        fn name(&self, root: NodeId) -> Option<&'static str> {
            Engine::SystemDs
                .fused(&self.dag, root)
                .map(|fused| fused.name)
        }
    }

    #[test]
    fn a_loss_with_minus_is_fused_and_one_with_plus_forms_the_product() {
        let mut s = Script::new();
        let p = s.product();
        let two = s.dag.num(2.0);
        for (op, fused) in [(Op::Sub, "wsloss"), (Op::Add, "uasqk+")] {
            let e = s.op(op, [s.x, p]);
            let square = s.op(Op::Pow, [e, two]);
            let loss = s.op(Op::Sum, [square]);
            assert_eq!(s.name(loss), Some(fused));
            let ratio = s.seconds(loss, Engine::Local) / s.seconds(loss, Engine::SystemDs);
            assert_eq!(ratio > 100.0, op == Op::Sub, "{ratio}");
        }
    }

    #[test]
    fn a_product_that_something_else_reads_is_formed_all_the_same() {
        let mut s = Script::new();
        let p = s.product();
        let log = s.op(Op::Log, [p]);
        let weighted = s.op(Op::Mul, [s.x, log]);
        let entropy = s.op(Op::Sum, [weighted]);
        assert_eq!(s.name(entropy), Some("wcemm"));
        let sum = s.op(Op::Sum, [p]);
        let both = s.op(Op::Sub, [sum, entropy]);
        let alone = s.seconds(entropy, Engine::SystemDs);
        assert!(s.seconds(both, Engine::SystemDs) > 50.0 * alone);
    }

    #[test]
    fn the_order_of_the_text_counts() {
        let mut s = Script::new();
        let p = s.product();
        let log = s.op(Op::Log, [p]);
        let weighted = s.op(Op::Mul, [log, s.x]);
        let entropy = s.op(Op::Sum, [weighted]);
        // The sum of a product of two matrices, of which one is formed.
        assert_eq!(s.name(entropy), Some("tak+*"));
    }

    #[test]
    fn updates_of_factors_are_fused_on_both_sides() {
        let mut s = Script::new();
        let p = s.product();
        let eps = s.dag.num(1e-15);
        let padded = s.op(Op::Add, [p, eps]);
        let quotient = s.op(Op::Div, [s.x, padded]);
        let ut = s.op(Op::Transpose, [s.u]);
        let left = s.op(Op::MatMul, [ut, quotient]);
        let right = s.op(Op::MatMul, [quotient, s.v]);
        assert_eq!(
            (s.name(left), s.name(right)),
            (Some("wdivmm"), Some("wdivmm"))
        );
        let other = s.dag.input("A", Type::matrix(10_000, 10));
        let unrelated = s.op(Op::MatMul, [quotient, other]);
        assert_eq!(s.name(unrelated), None);
    }

    #[test]
    fn a_sum_of_products_forms_none_of_them() {
        let mut dag = Dag::default();
        let [a, b, c] = ["a", "b", "c"].map(|name| dag.input(name, Type::matrix(1_000_000, 1)));
        let ab = dag.op(Op::Mul, [a, b]).unwrap();
        let abc = dag.op(Op::Mul, [ab, c]).unwrap();
        let sum = dag.op(Op::Sum, [abc]).unwrap();
        let peak = |engine| {
            let machine = Machine {
                engine,
                ..Machine::default()
            };
            dag.cost(&[sum], &machine).unwrap().peak_bytes
        };
        // The three vectors are there anyway.
        assert!(peak(Engine::SystemDs) < 24.1e6 && peak(Engine::Local) > 39e6);
        let row = dag.input("r", Type::matrix(1, 1));
        let scaled = dag.op(Op::Mul, [ab, row]).unwrap();
        let other = dag.op(Op::Sum, [scaled]).unwrap();
        assert!(
            Engine::SystemDs.fused(&dag, other).is_none(),
            "shapes differ"
        );
    }

    #[test]
    fn what_reads_a_matrix_once_is_known_by_its_engines_name() {
        let mut dag = Dag::default();
        let [x, y] = ["X", "Y"].map(|name| dag.input(name, Type::matrix(3000, 100)));
        let s = dag.input("s", Type::scalar());
        let (one, two) = (dag.num(1.0), dag.num(2.0));
        let mut op = |op: Op, args: &[NodeId]| dag.op(op, args.iter().copied()).unwrap();
        let xt = op(Op::Transpose, &[x]);
        let left = op(Op::MatMul, &[xt, x]);
        let right = op(Op::MatMul, &[x, xt]);
        let other = op(Op::MatMul, &[xt, y]);
        let square = op(Op::Pow, &[x, two]);
        let squares = op(Op::Sum, &[square]);
        let complement = op(Op::Sub, &[one, x]);
        let proportion = op(Op::Mul, &[x, complement]);
        let exchanged = op(Op::Mul, &[complement, x]);
        let others = op(Op::Mul, &[y, complement]);
        let pair = op(Op::Mul, &[x, y]);
        let one_minus = op(Op::Sub, &[one, pair]);
        let scaled = op(Op::Mul, &[s, y]);
        let added = op(Op::Add, &[x, scaled]);
        let first = op(Op::Add, &[scaled, x]);
        let taken = op(Op::Sub, &[x, scaled]);
        let from_scaled = op(Op::Sub, &[scaled, x]);
        let expected = [
            (left, Some("tsmm")),
            (right, Some("tsmm")),
            (other, None),
            (squares, Some("uasqk+")),
            (proportion, Some("sprop")),
            (exchanged, Some("sprop")),
            (others, None),
            (one_minus, Some("1-*")),
            (added, Some("+*")),
            (first, Some("+*")),
            (taken, Some("-*")),
            (from_scaled, None),
        ];
        for (id, name) in expected {
            let found = Engine::SystemDs.fused(&dag, id);
            assert_eq!(found.map(|fused| fused.name), name, "{}", dag.print(id));
            let cost = |engine| {
                dag.cost(
                    &[id],
                    &Machine {
                        engine,
                        ..Machine::of(Engine::SystemDs)
                    },
                )
            };
            let (alone, fused) = (
                cost(Engine::Local).unwrap(),
                cost(Engine::SystemDs).unwrap(),
            );
            assert_eq!(
                fused.seconds < alone.seconds,
                name.is_some(),
                "{}",
                dag.print(id)
            );
        }
    }

    #[test]
    fn a_chain_reads_its_matrix_once() {
        let mut dag = Dag::default();
        let x = dag.input("X", Type::matrix(200_000, 100));
        let v = dag.input("v", Type::matrix(100, 1));
        let inner = dag.op(Op::MatMul, [x, v]).unwrap();
        let xt = dag.op(Op::Transpose, [x]).unwrap();
        let chain = dag.op(Op::MatMul, [xt, inner]).unwrap();
        let bytes = |engine| {
            dag.cost(
                &[chain],
                &Machine {
                    engine,
                    ..Machine::default()
                },
            )
            .unwrap()
            .bytes
        };
        let apart: f64 = [inner, chain]
            .iter()
            .map(|id| dag.node_cost(*id, &Machine::default()).unwrap().bytes)
            .sum();
        for engine in [Engine::Local, Engine::SystemDs] {
            assert!(apart > 1.9 * bytes(engine), "{engine:?}");
        }
    }

    #[test]
    fn what_a_sparse_matrix_samples_is_never_formed() {
        let mut s = Script::new();
        let product = s.product();
        let small = s.dag.num(1e-15);
        let shifted = s.op(Op::Add, [product, small]);
        let quotient = s.op(Op::Div, [s.x, shifted]);
        let error = s.op(Op::Sub, [product, s.x]);
        let weighted = s.op(Op::Mul, [error, s.x]);
        let total = s.op(Op::Sum, [weighted]);
        for root in [quotient, weighted, total] {
            let cost = s.dag.cost(&[root], &Machine::default()).unwrap();
            let formed = s.dag.node_cost(product, &Machine::default()).unwrap();
            assert!(cost.peak_bytes < 0.02 * formed.peak_bytes, "{cost:?}");
            assert!(cost.seconds < 0.1 * formed.seconds, "{cost:?}");
        }
        // A dense matrix samples nothing.
        let dense = s.dag.input("Y", Type::matrix(20_000, 10_000));
        let quotient = s.op(Op::Div, [dense, shifted]);
        assert!(!s.dag.is_fused(quotient, Engine::Local));
    }
}
