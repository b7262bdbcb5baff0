//! Operators that an engine fuses by itself where an expression has their pattern, and what they cost.
//!
//! Nothing is rewritten here: a script keeps its text, and the engine sees the pattern. So a pattern must match only
//! what the engine itself would fuse, operand by operand in the order of the text. The rows are SystemDS 3.4's
//! quaternary operators (`simplifyWeighted…` in its dynamic simplifications) and its `mmchain`.

use serde::{Deserialize, Serialize};
use smallvec::{SmallVec, smallvec};

use crate::cost::{Cost, matrix_bytes};
use crate::dag::{Dag, Node, NodeId};
use crate::machine::Machine;
use crate::op::Op;
use crate::types::Type;

/// Whose operators an estimate is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// Our own kernels: one for each operator.
    #[default]
    Local,
    /// SystemDS in one process.
    #[serde(rename = "systemds")]
    SystemDs,
}

impl Engine {
    /// As the command line writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Engine::Local => "local",
            Engine::SystemDs => "systemds",
        }
    }
}

/// A pattern of an expression that runs as one operator.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Fused {
    /// The engine's name for the operator.
    pub name: &'static str,
    /// What it reads; nothing between these and its result is ever formed.
    pub operands: SmallVec<[NodeId; 4]>,
    flops: f64,
}

/// Rows and columns of one block: the factors of a product are narrower.
const BLOCK: u64 = 1000;
/// FLOPs of a logarithm or a sigmoid.
const FUNCTION: f64 = 30.0;

type Pattern = fn(&Dag, NodeId) -> Option<Fused>;

/// Every pattern of SystemDS. The first that fits is taken, as there.
const SYSTEMDS: &[Pattern] = &[
    weighted_squared_loss,
    weighted_cross_entropy,
    weighted_sigmoid,
    weighted_product,
    product_chain,
    sum_of_products,
];

impl Engine {
    /// The fused operator that computes `id`, if there is one.
    pub(crate) fn fused(self, dag: &Dag, id: NodeId) -> Option<Fused> {
        match self {
            Engine::Local => None,
            Engine::SystemDs => SYSTEMDS.iter().find_map(|pattern| pattern(dag, id)),
        }
    }
}

impl Fused {
    /// The cost of one run.
    pub(crate) fn cost(&self, dag: &Dag, out: &Type, machine: &Machine) -> Option<Cost> {
        let result = matrix_bytes(out)?;
        let mut bytes = result;
        for operand in &self.operands {
            bytes += matrix_bytes(dag.ty(*operand))?;
        }
        let work = (self.flops / machine.cell_flops).max(bytes / machine.bandwidth);
        Some(Cost {
            flops: self.flops,
            bytes,
            nnz: out.nnz()?,
            peak_bytes: result,
            seconds: machine.overhead + work,
        })
    }
}

/// A product of two factors that is never formed: each cell is computed where the weights have a non-zero.
struct Factors {
    left: NodeId,
    right: NodeId,
    /// Columns of the left factor.
    inner: f64,
}

impl Dag {
    fn args_of(&self, id: NodeId, op: Op) -> Option<&[NodeId]> {
        match self.node(id) {
            Node::Op(found, args) if *found == op => Some(args),
            _ => None,
        }
    }

    fn pair(&self, id: NodeId, op: Op) -> Option<(NodeId, NodeId)> {
        match self.args_of(id, op)? {
            [a, b] => Some((*a, *b)),
            _ => None,
        }
    }

    fn only(&self, id: NodeId, op: Op) -> Option<NodeId> {
        match self.args_of(id, op)? {
            [a] => Some(*a),
            _ => None,
        }
    }

    /// The base of a square.
    fn squared(&self, id: NodeId) -> Option<NodeId> {
        let (base, power) = self.pair(id, Op::Pow)?;
        (self.node(power).value() == Some(2.0)).then_some(base)
    }

    fn factors(&self, id: NodeId) -> Option<Factors> {
        let (left, right) = self.pair(id, Op::MatMul)?;
        let inner = self.ty(left).cols.known().filter(|k| *k <= BLOCK)?;
        // A factor is read as it is, or turned for free.
        let right = self.only(right, Op::Transpose).unwrap_or(right);
        let inner = crate::rules::as_f64(inner);
        Some(Factors { left, right, inner })
    }

    fn is_full_matrix(&self, a: NodeId, b: NodeId) -> bool {
        let (a, b) = (self.ty(a), self.ty(b));
        !a.is_scalar() && a.cells().is_some() && a.cells() == b.cells() && a.rows == b.rows
    }

    /// Cells in which weights are looked at.
    fn driven(&self, weights: NodeId) -> Option<f64> {
        let ty = self.ty(weights);
        if ty.is_stored_sparse() {
            ty.nnz()
        } else {
            ty.cells()
        }
    }

    fn is_transpose_of(&self, a: NodeId, b: NodeId) -> bool {
        self.only(a, Op::Transpose) == Some(b) || self.only(b, Op::Transpose) == Some(a)
    }
}

/// `sum(W * (X - U %*% t(V))^2)`, `sum((X - W * (U %*% t(V)))^2)`, `sum((X - U %*% t(V))^2)`, either way round.
fn weighted_squared_loss(dag: &Dag, id: NodeId) -> Option<Fused> {
    let inside = dag.only(id, Op::Sum)?;
    let name = "wsloss";
    let either = |(a, b): (NodeId, NodeId)| [(a, b), (b, a)];
    if let Some((weights, square)) = dag.pair(inside, Op::Mul) {
        let difference = dag.pair(dag.squared(square)?, Op::Sub)?;
        let (data, product) = either(difference)
            .into_iter()
            .find_map(|(x, p)| Some((x, dag.factors(p)?)))?;
        dag.is_full_matrix(weights, data).then_some(())?;
        return Some(Fused {
            name,
            operands: smallvec![weights, data, product.left, product.right],
            flops: dag.driven(weights)? * (2.0 * product.inner + 4.0),
        });
    }
    let (a, b) = dag.pair(dag.squared(inside)?, Op::Sub)?;
    dag.is_full_matrix(a, b).then_some(())?;
    for (data, other) in either((a, b)) {
        if let Some(product) = dag.factors(other) {
            // Over the non-zeros of X, and the square of the product by the products of its factors.
            let heights = dag.ty(product.left).cells()? + dag.ty(product.right).cells()?;
            return Some(Fused {
                name,
                operands: smallvec![data, product.left, product.right],
                flops: dag.driven(data)? * (2.0 * product.inner + 4.0)
                    + 2.0 * product.inner * heights,
            });
        }
        if let Some((weights, product)) = dag.pair(other, Op::Mul)
            && let Some(product) = dag.factors(product)
            && dag.is_full_matrix(weights, data)
        {
            return Some(Fused {
                name,
                operands: smallvec![weights, data, product.left, product.right],
                flops: (dag.driven(weights)? + dag.driven(data)?) * (2.0 * product.inner + 4.0),
            });
        }
    }
    None
}

/// `sum(X * log(U %*% t(V) + eps))`, with or without the constant.
fn weighted_cross_entropy(dag: &Dag, id: NodeId) -> Option<Fused> {
    let (weights, logarithm) = dag.pair(dag.only(id, Op::Sum)?, Op::Mul)?;
    let argument = dag.only(logarithm, Op::Log)?;
    let product = match dag.pair(argument, Op::Add) {
        Some((product, constant)) => {
            dag.node(constant).value()?;
            product
        }
        None => argument,
    };
    dag.is_full_matrix(weights, logarithm).then_some(())?;
    let product = dag.factors(product)?;
    Some(Fused {
        name: "wcemm",
        operands: smallvec![weights, product.left, product.right],
        flops: dag.driven(weights)? * (2.0 * product.inner + FUNCTION),
    })
}

/// `W * sigmoid(U %*% t(V))`, with a minus inside, a logarithm outside, or both.
fn weighted_sigmoid(dag: &Dag, id: NodeId) -> Option<Fused> {
    let (weights, function) = dag.pair(id, Op::Mul)?;
    let sigmoid = dag.only(function, Op::Log).unwrap_or(function);
    let argument = dag.only(sigmoid, Op::Sigmoid)?;
    let product = dag.factors(dag.only(argument, Op::Neg).unwrap_or(argument))?;
    dag.is_full_matrix(weights, function).then_some(())?;
    Some(Fused {
        name: "wsigmoid",
        operands: smallvec![weights, product.left, product.right],
        flops: dag.driven(weights)? * (2.0 * product.inner + FUNCTION),
    })
}

/// `t(U) %*% (W / (U %*% t(V)))` and `(W / (U %*% t(V))) %*% V`, also with `*`, with a number added to the product, and
/// with `W * (U %*% t(V) - X)`.
fn weighted_product(dag: &Dag, id: NodeId) -> Option<Fused> {
    let (left, right) = dag.pair(id, Op::MatMul)?;
    let fused = |weighted: NodeId, matches: &dyn Fn(&Factors, NodeId) -> bool| {
        let (weights, inside) = dag
            .pair(weighted, Op::Mul)
            .or_else(|| dag.pair(weighted, Op::Div))?;
        let is_division = dag.pair(weighted, Op::Div).is_some();
        dag.is_full_matrix(weights, inside).then_some(())?;
        let mut operands: SmallVec<[NodeId; 4]> = smallvec![weights];
        let product = match (dag.pair(inside, Op::Add), dag.pair(inside, Op::Sub)) {
            (Some((product, number)), _) if is_division && dag.is_scalar(number) => product,
            (_, Some((product, minuend)))
                if !is_division && dag.is_full_matrix(weights, minuend) =>
            {
                operands.push(minuend);
                product
            }
            _ => inside,
        };
        let (_, second) = dag.pair(product, Op::MatMul)?;
        let factors = dag.factors(product)?;
        let (m, n) = (dag.ty(inside).rows.known()?, dag.ty(inside).cols.known()?);
        let is_outer =
            m > dag.ty(factors.left).cols.known()? && n > dag.ty(factors.left).cols.known()?;
        (is_outer && matches(&factors, second)).then_some(())?;
        operands.extend([factors.left, factors.right]);
        Some(Fused {
            name: "wdivmm",
            operands,
            flops: dag.driven(weights)? * (4.0 * factors.inner + 4.0),
        })
    };
    fused(right, &|factors, _| dag.is_transpose_of(left, factors.left))
        .or_else(|| fused(left, &|_, second| dag.is_transpose_of(right, second)))
}

/// `t(X) %*% (X %*% v)`, with weights on the inner product or something taken from it: X is read once.
fn product_chain(dag: &Dag, id: NodeId) -> Option<Fused> {
    let (left, right) = dag.pair(id, Op::MatMul)?;
    let data = dag.only(left, Op::Transpose)?;
    let mut operands: SmallVec<[NodeId; 4]> = smallvec![data];
    let inner = match (dag.pair(right, Op::Mul), dag.pair(right, Op::Sub)) {
        (Some((weights, inner)), _) => {
            operands.push(weights);
            inner
        }
        (_, Some((inner, minuend))) => {
            operands.push(minuend);
            inner
        }
        _ => right,
    };
    let (again, vector) = dag.pair(inner, Op::MatMul)?;
    let is_chain =
        again == data && dag.ty(vector).cols.is_one() && dag.ty(data).cols.known()? <= BLOCK;
    is_chain.then_some(())?;
    operands.push(vector);
    Some(Fused {
        name: "mmchain",
        operands,
        flops: 4.0 * dag.driven(data)?,
    })
}

/// `sum(A * B)`, `sum(A * B * C)` and the same by columns, over operands of one shape: `tak+*`.
fn sum_of_products(dag: &Dag, id: NodeId) -> Option<Fused> {
    let inside = dag
        .only(id, Op::Sum)
        .or_else(|| dag.only(id, Op::ColSums))?;
    let (a, b) = dag.pair(inside, Op::Mul)?;
    let operands: SmallVec<[NodeId; 4]> = match (dag.pair(a, Op::Mul), dag.pair(b, Op::Mul)) {
        (Some((x, y)), _) => smallvec![x, y, b],
        (_, Some((x, y))) => smallvec![a, x, y],
        _ => smallvec![a, b],
    };
    let are_alike = operands
        .iter()
        .all(|operand| dag.is_full_matrix(*operand, inside));
    are_alike.then_some(())?;
    let mut least = f64::INFINITY;
    for operand in &operands {
        least = least.min(dag.driven(*operand)?);
    }
    let flops = crate::rules::as_f64(operands.len() as u64) * least;
    Some(Fused {
        name: "tak+*",
        operands,
        flops,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
                ..Machine::default()
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
    fn a_loss_with_minus_is_fused_and_one_with_plus_is_not() {
        let mut s = Script::new();
        let p = s.product();
        let two = s.dag.num(2.0);
        for (op, fused) in [(Op::Sub, Some("wsloss")), (Op::Add, None)] {
            let e = s.op(op, [s.x, p]);
            let square = s.op(Op::Pow, [e, two]);
            let loss = s.op(Op::Sum, [square]);
            assert_eq!(s.name(loss), fused);
            let ratio = s.seconds(loss, Engine::Local) / s.seconds(loss, Engine::SystemDs);
            assert_eq!(ratio > 100.0, fused.is_some(), "{ratio}");
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
        assert!(bytes(Engine::Local) > 1.9 * bytes(Engine::SystemDs));
    }
}
