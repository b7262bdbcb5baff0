//! Random DAGs of operators that fusion looks at, and of some that it does not.
//!
//! Each size of a DAG stands on either side of some input: there is a row and a column of every length, so that both factors of
//! a product may be transposes, and any vector may stand on either side of anything. Any size may be 1, the narrow one 0.
//!
//! What it never makes: DAGs of unknown sizes, three large sizes, values that only agree in shape by broadcasting two vectors
//! into a matrix, and scripts. These have tests of their own, the scripts `cargo xtask differential`.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sumac_la::{Dag, NodeId, Op, Type};

/// The sizes of a DAG's inputs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// Rows of the large matrices.
    pub(crate) m: u64,
    /// Their columns.
    pub(crate) n: u64,
    /// Columns of the narrow ones.
    pub(crate) k: u64,
    /// Share of non-zero cells of the sparse ones.
    pub(crate) sparsity: f64,
}

/// A DAG and its roots.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    pub(crate) dag: Dag,
    pub(crate) roots: Vec<NodeId>,
}

/// Operators whose value jumps: they read inputs only, so that rounding cannot decide.
const JUMPS: [Op; 4] = [Op::Ne, Op::Gt, Op::Lt, Op::Sign];

const BINARY: [Op; 12] = [
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Mul,
    Op::Mul,
    Op::Max2,
    Op::Min2,
    Op::Div,
    Op::Pow,
    Op::MatMul,
    Op::MatMul,
    Op::MatMul,
];

const UNARY: [Op; 25] = [
    Op::Neg,
    Op::Abs,
    Op::Sigmoid,
    Op::Tanh,
    Op::Transpose,
    Op::Transpose,
    Op::Transpose,
    Op::Transpose,
    Op::Transpose,
    Op::Transpose,
    Op::Sum,
    Op::Sum,
    Op::RowSums,
    Op::RowSums,
    Op::ColSums,
    Op::Mean,
    Op::RowMeans,
    Op::ColMeans,
    Op::Min,
    Op::Max,
    Op::RowMaxs,
    Op::RowMins,
    Op::ColMaxs,
    Op::ColMins,
    Op::RightIndex,
];

/// `X * f(U %*% t(V))`, and sometimes what is made of it: what would hardly come about by chance.
fn sampled_product(dag: &mut Dag, rng: &mut ChaCha8Rng, sizes: Sizes) -> Vec<NodeId> {
    let Sizes { m, n, k, sparsity } = sizes;
    let x = dag.input("X", Type::sparse(m, n, sparsity));
    let u = dag.input("U", Type::sparse(m, k, 1.0));
    let v = dag.input("V", Type::sparse(n, k, 1.0));
    let mut op = |op: Op, args: &[NodeId]| dag.op(op, args.iter().copied()).expect("shapes fit");
    let vt = op(Op::Transpose, &[v]);
    let mut value = op(Op::MatMul, &[u, vt]);
    if rng.random_bool(0.5) {
        let f = [Op::Neg, Op::Sigmoid, Op::Abs][rng.random_range(0..3)];
        value = op(f, &[value]);
    }
    let sampled = if rng.random_bool(0.5) {
        op(Op::Mul, &[x, value])
    } else {
        op(Op::Mul, &[value, x])
    };
    let mut made = vec![sampled];
    match rng.random_range(0..5) {
        0 => made.push(op(Op::MatMul, &[sampled, v])),
        1 => {
            let turned = op(Op::Transpose, &[sampled]);
            made.push(op(Op::MatMul, &[turned, u]));
        }
        2 => {
            let turned = op(Op::Transpose, &[u]);
            made.push(op(Op::MatMul, &[turned, sampled]));
        }
        3 => made.push(op(Op::Sum, &[sampled])),
        _ => {}
    }
    made
}

/// Aggregates over the same cells, which one pass can give together.
fn aggregates_of_one(dag: &mut Dag, rng: &mut ChaCha8Rng, of: NodeId) -> Vec<NodeId> {
    let count = rng.random_range(2..=3);
    let functions: Vec<Op> = [Op::Abs, Op::Neg, Op::Sigmoid]
        .sample(rng, count)
        .copied()
        .collect();
    let mut sum = |f: Op| {
        let cells = dag.op(f, [of]).expect("any shape fits");
        dag.op(Op::Sum, [cells]).expect("any shape fits")
    };
    functions.into_iter().map(&mut sum).collect()
}

/// What `a` can be multiplied with from the right: a value, or the transpose of one.
fn factor(dag: &mut Dag, rng: &mut ChaCha8Rng, nodes: &[NodeId], a: NodeId) -> Option<NodeId> {
    let inner = dag.ty(a).cols.clone();
    let is_matrix = |id: &&NodeId| !dag.is_scalar(**id);
    let fits = |id: &NodeId| dag.ty(*id).rows == inner || dag.ty(*id).cols == inner;
    let all: Vec<NodeId> = nodes
        .iter()
        .filter(is_matrix)
        .copied()
        .filter(fits)
        .collect();
    let found = *all.choose(rng)?;
    let fits_as_it_is = dag.ty(found).rows == inner;
    if fits_as_it_is && (dag.ty(found).cols != inner || rng.random_bool(0.5)) {
        return Some(found);
    }
    dag.op(Op::Transpose, [found]).ok()
}

/// The DAG of a seed with at most so many operators.
pub(crate) fn random(seed: u64, sizes: Sizes, most: usize) -> Random {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut dag = Dag::default();
    let Sizes { m, n, k, sparsity } = sizes;
    let inputs = [
        ("X", m, n, sparsity),
        ("S", m, n, sparsity / 2.0),
        ("Y", m, n, 1.0),
        ("Z", m, n, 1.0),
        ("U", m, k, 1.0),
        ("V", n, k, 1.0),
        ("w", m, 1, 1.0),
        ("v", n, 1, 1.0),
        ("r", 1, n, 1.0),
        ("q", 1, m, 1.0),
        ("A", k, n, 1.0),
        ("B", k, m, sparsity),
        ("c", k, 1, 1.0),
        ("d", 1, k, 1.0),
        ("o", 1, 1, 1.0),
    ];
    let mut nodes: Vec<NodeId> = Vec::new();
    for (name, rows, cols, sparsity) in inputs {
        if rng.random_bool(0.6) || name == "X" {
            nodes.push(dag.input(name, Type::sparse(rows, cols, sparsity)));
        }
    }
    // Some of them turned from the start: both factors of a product may then be transposes.
    for _ in 0..rng.random_range(0..4) {
        let turned = *nodes.choose(&mut rng).expect("not empty");
        let turned = dag.op(Op::Transpose, [turned]).expect("any shape fits");
        if !nodes.contains(&turned) {
            nodes.push(turned);
        }
    }
    let leaves = nodes.clone();
    nodes.push(dag.input("s", Type::scalar()));
    if rng.random_bool(0.35) {
        nodes.extend(sampled_product(&mut dag, &mut rng, sizes));
    }
    if rng.random_bool(0.2) {
        nodes.extend(aggregates_of_one(&mut dag, &mut rng, leaves[0]));
    }
    let wanted = rng.random_range(2..=most);
    let mut made = 0;
    let mut tries = 0;
    while made < wanted && tries < 60 * most {
        tries += 1;
        // Recent values more often: expressions get deep.
        let any = |rng: &mut ChaCha8Rng| {
            let from = if rng.random_bool(0.6) {
                nodes.len().saturating_sub(5)
            } else {
                0
            };
            *nodes[from..].choose(rng).expect("not empty")
        };
        let a = any(&mut rng);
        let new = if rng.random_bool(0.1) {
            let op = *JUMPS.choose(&mut rng).expect("not empty");
            let zero = dag.num(0.0);
            let a = *leaves.choose(&mut rng).expect("not empty");
            let args = if op == Op::Sign {
                vec![a]
            } else {
                vec![a, zero]
            };
            dag.op(op, args)
        } else if rng.random_bool(0.6) {
            let op = *BINARY.choose(&mut rng).expect("not empty");
            let number = dag.num([0.5, 2.0, 1.25][rng.random_range(0..3)]);
            let b = match op {
                Op::Div | Op::Pow => {
                    if op == Op::Pow {
                        dag.num(2.0)
                    } else {
                        number
                    }
                }
                Op::MatMul => match factor(&mut dag, &mut rng, &nodes, a) {
                    Some(factor) => factor,
                    None => continue,
                },
                _ if rng.random_bool(0.25) => number,
                _ => any(&mut rng),
            };
            dag.op(op, [a, b])
        } else {
            let op = *UNARY.choose(&mut rng).expect("not empty");
            if dag.is_scalar(a) && !matches!(op, Op::Neg | Op::Abs | Op::Sigmoid) {
                continue;
            }
            if op == Op::RightIndex {
                let (Some(rows), Some(cols)) = (dag.ty(a).rows.known(), dag.ty(a).cols.known())
                else {
                    continue;
                };
                if rows * cols == 0 {
                    continue;
                }
                let to = rng.random_range(1..=cols);
                let from = rng.random_range(1..=to);
                let numbers = [1, rows, from, to].map(|x| dag.num(sumac_la::as_f64(x)));
                dag.op(op, [a].into_iter().chain(numbers))
            } else {
                dag.op(op, [a])
            }
        };
        let Ok(new) = new else { continue };
        // A large square, or a value of values of values, is another test's matter.
        let fits = dag
            .ty(new)
            .cells()
            .is_some_and(|c| c <= 4.0 * sumac_la::as_f64(m * n));
        if fits && !nodes.contains(&new) {
            nodes.push(new);
            made += 1;
        }
    }
    let mut roots: Vec<NodeId> = nodes
        .iter()
        .copied()
        .filter(|id| {
            !dag.args(*id).is_empty() && nodes.iter().all(|other| !dag.args(*other).contains(id))
        })
        .collect();
    if rng.random_bool(0.3) {
        let inner: Vec<NodeId> = nodes
            .iter()
            .copied()
            .filter(|id| !dag.args(*id).is_empty())
            .collect();
        roots.extend(inner.choose(&mut rng));
    }
    roots.sort_unstable();
    roots.dedup();
    Random { dag, roots }
}
