//! The expressions of the paper on fused operators: what they take, what the same operators take one by one, and what is
//! read of the inputs once, or a loop by hand, takes in the same run. One side of `cargo xtask bars fusion`.
//!
//! `figure NAME seconds` is a line for each. It judges nothing.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod als;
mod compressed;
#[path = "../kernels/loops.rs"]
#[allow(dead_code, reason = "each benchmark uses some of the loops")]
mod loops;
mod outer;
mod rows;

use std::time::Instant;

use rayon::prelude::*;
use sumac_cost::Machine;
use sumac_fusion::{Options, Plan, Policy, Rates, plan};
use sumac_la::{Dag, NodeId, Op, Type};
use sumac_runtime::eval::eval_plan;
use sumac_runtime::fused::Prepared;
use sumac_runtime::matrix::View;
use sumac_runtime::synthesize::Range;
use sumac_runtime::{Cancel, Matrix, Value, synthesize};

/// Runs of each side.
const RUNS: usize = 9;
/// Cells that one task reads.
const TASK: usize = 1 << 17;

/// An expression with its data.
struct Case {
    name: String,
    dag: Dag,
    roots: Vec<NodeId>,
    inputs: Vec<Value>,
}

impl Case {
    fn new(
        name: &str,
        inputs: &[(&str, u64, u64, f64)],
        build: impl FnOnce(&mut Dag, &[NodeId]) -> Vec<NodeId>,
    ) -> Case {
        let mut dag = Dag::default();
        let nodes: Vec<NodeId> = inputs
            .iter()
            .map(|(name, rows, cols, share)| dag.input(name, Type::sparse(*rows, *cols, *share)))
            .collect();
        let roots = build(&mut dag, &nodes);
        let inputs = dag
            .inputs()
            .iter()
            .zip(1..)
            .map(|(input, seed)| {
                synthesize(&input.ty, seed, Range::Positive).expect("sizes are known")
            })
            .collect();
        Case {
            name: name.to_owned(),
            dag,
            roots,
            inputs,
        }
    }

    fn plan(&self, policy: Policy) -> Plan {
        let options = Options {
            policy,
            ..Options::new(Rates::from(&Machine::default()))
        };
        plan(&self.dag, &self.roots, &options)
    }

    fn run(&self, plan: &Plan, prepared: &Prepared) -> Vec<Value> {
        let of = (&self.dag, self.roots.as_slice());
        eval_plan(
            of,
            plan,
            &self.inputs,
            prepared,
            &Cancel::default(),
            &mut |_, _| (),
        )
        .expect("it evaluates")
        .values
    }

    /// The cells of some inputs, all of them dense.
    fn dense<const N: usize>(&self, inputs: [usize; N]) -> [&[f64]; N] {
        inputs.map(|i| match self.inputs[i].as_matrix().map(Matrix::view) {
            Some(View::Dense(cells)) => cells,
            _ => panic!("input {i} of {} is dense", self.name),
        })
    }

    /// Reads the stored cells of all inputs once.
    fn read(&self) -> f64 {
        let cells = |value: &Value| -> f64 {
            let Some(matrix) = value.as_matrix() else {
                return 0.0;
            };
            let stored = match matrix.view() {
                View::Dense(cells) => cells,
                View::Sparse(csr) => csr.values(),
            };
            stored.par_chunks(TASK).map(loops::sum).sum()
        };
        self.inputs.iter().map(cells).sum()
    }
}

/// The medians of sides that take turns.
fn medians(sides: &mut [(&str, &mut dyn FnMut())], case: &str) {
    let mut runs = vec![Vec::new(); sides.len()];
    for round in 0..=RUNS {
        for ((_, side), runs) in sides.iter_mut().zip(&mut runs) {
            let start = Instant::now();
            side();
            if round > 0 {
                runs.push(start.elapsed().as_secs_f64());
            }
        }
    }
    for ((name, _), runs) in sides.iter().zip(&mut runs) {
        runs.sort_by(f64::total_cmp);
        println!("figure {case}/{name} {:e}", runs[RUNS / 2]);
    }
}

/// Words on the command line choose cases; without one all are run.
fn is_left_out(case: &str) -> bool {
    let mut words = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .peekable();
    words.peek().is_some() && !words.any(|word| case.contains(&word))
}

/// What a fused operator is measured beside, but for reading its inputs.
#[derive(Clone, Copy)]
enum Beside<'a> {
    /// Its parts one by one.
    Apart,
    /// A loop by hand.
    Hand(&'a dyn Fn() -> Vec<f64>),
    /// Both.
    Both(&'a dyn Fn() -> Vec<f64>),
}

fn measure(case: &Case, beside: Beside<'_>) {
    if is_left_out(&case.name) {
        return;
    }
    let (fused, apart) = (case.plan(Policy::CostBased), case.plan(Policy::None));
    let kinds: Vec<String> = fused
        .operators
        .iter()
        .map(|o| format!("{} {}", o.template, o.kernel.variant()))
        .collect();
    println!("{}: {}", case.name, kinds.join(", "));
    let prepared = Prepared::default();
    let mut run_fused = || drop(std::hint::black_box(case.run(&fused, &prepared)));
    let mut run_apart = || drop(std::hint::black_box(case.run(&apart, &prepared)));
    let mut read = || {
        std::hint::black_box(case.read());
    };
    let mut sides: Vec<(&str, &mut dyn FnMut())> =
        vec![("fused", &mut run_fused), ("read", &mut read)];
    if !matches!(beside, Beside::Hand(_)) {
        sides.push(("apart", &mut run_apart));
    }
    let mut by_hand = match beside {
        Beside::Apart => None,
        Beside::Hand(hand) | Beside::Both(hand) => {
            assert_near(&case.run(&fused, &prepared), &hand(), &case.name);
            Some(|| drop(std::hint::black_box(hand())))
        }
    };
    if let Some(hand) = &mut by_hand {
        sides.push(("hand", hand));
    }
    medians(&mut sides, &case.name);
}

/// A loop by hand has what the operator has: it is no peer otherwise.
fn assert_near(fused: &[Value], hand: &[f64], case: &str) {
    let cells = fused.iter().flat_map(|value| match value {
        Value::Matrix(matrix) => matrix.to_cells(),
        other => other.as_number().into_iter().collect(),
    });
    let cells: Vec<f64> = cells.collect();
    assert_eq!(cells.len(), hand.len(), "results of {case}");
    for (ours, theirs) in cells.iter().zip(hand) {
        let is_near = (ours - theirs).abs() <= 1e-9 * ours.abs();
        assert!(is_near, "{case}: {ours}, by hand {theirs}");
    }
}

fn op(dag: &mut Dag, op: Op, args: &[NodeId]) -> NodeId {
    dag.op(op, args.iter().copied()).expect("shapes fit")
}

fn transposed(dag: &mut Dag, x: NodeId) -> NodeId {
    op(dag, Op::Transpose, &[x])
}

/// `t(X) %*% (X %*% V)`.
fn row_products<const P: usize>(name: &str) {
    let inputs = [("X", 400_000, 100, 1.0), ("V", 100, P as u64, 1.0)];
    let case = Case::new(name, &inputs, |dag, x| {
        let product = op(dag, Op::MatMul, &[x[0], x[1]]);
        let left = transposed(dag, x[0]);
        vec![op(dag, Op::MatMul, &[left, product])]
    });
    let [x, v] = case.dense([0, 1]);
    let hand = || {
        let factor = rows::columns::<P>(v);
        rows::product(x, 100, Some(&factor), |_, _| ())
    };
    measure(&case, Beside::Both(&hand));
}

/// `t(X) %*% (P * Q)`: only the last product reads X.
fn row_weights<const N: usize>(name: &str) {
    let inputs = [
        ("X", 400_000, 100, 1.0),
        ("P", 400_000, N as u64, 1.0),
        ("Q", 400_000, N as u64, 1.0),
    ];
    let case = Case::new(name, &inputs, |dag, x| {
        let weights = op(dag, Op::Mul, &[x[1], x[2]]);
        let left = transposed(dag, x[0]);
        vec![op(dag, Op::MatMul, &[left, weights])]
    });
    let [x, p, q] = case.dense([0, 1, 2]);
    let hand = || {
        let weigh = |first: usize, weights: &mut [[f64; N]]| {
            let weights = weights.as_flattened_mut();
            let sides = p[first * N..].iter().zip(&q[first * N..]);
            weights
                .iter_mut()
                .zip(sides)
                .for_each(|(w, (p, q))| *w = p * q);
        };
        rows::product(x, 100, None, weigh)
    };
    measure(&case, Beside::Both(&hand));
}

/// MLogreg's inner loop (expression 2) for five classes.
fn mlogreg() {
    const CLASSES: usize = 4;
    let inputs = [
        ("X", 400_000, 100, 1.0),
        ("P", 400_000, CLASSES as u64 + 1, 1.0),
        ("V", 100, CLASSES as u64, 1.0),
    ];
    let case = Case::new("mlogreg", &inputs, |dag, x| {
        let [one, rows, k] = [1.0, 400_000.0, CLASSES as f64].map(|number| dag.num(number));
        let p = op(dag, Op::RightIndex, &[x[1], one, rows, one, k]);
        let product = op(dag, Op::MatMul, &[x[0], x[2]]);
        let q = op(dag, Op::Mul, &[p, product]);
        let sums = op(dag, Op::RowSums, &[q]);
        let scaled = op(dag, Op::Mul, &[p, sums]);
        let minus = op(dag, Op::Sub, &[q, scaled]);
        let left = transposed(dag, x[0]);
        vec![op(dag, Op::MatMul, &[left, minus])]
    });
    let [x, p, v] = case.dense([0, 1, 2]);
    let hand = || {
        let factor = rows::columns::<CLASSES>(v);
        let weigh = |first: usize, weights: &mut [[f64; CLASSES]]| {
            for (row, weights) in weights.iter_mut().enumerate() {
                let p = &p[(first + row) * (CLASSES + 1)..][..CLASSES];
                weights.iter_mut().zip(p).for_each(|(w, p)| *w *= p);
                let sum: f64 = weights.iter().sum();
                weights.iter_mut().zip(p).for_each(|(w, p)| *w -= p * sum);
            }
        };
        rows::product(x, 100, Some(&factor), weigh)
    };
    measure(&case, Beside::Both(&hand));
}

/// The update of alternating least squares (expression 1).
fn als() {
    let inputs = [
        ("X", 50_000, 20_000, 0.005),
        ("U", 50_000, 20, 1.0),
        ("V", 20_000, 20, 1.0),
        ("r", 50_000, 1, 1.0),
    ];
    let case = Case::new("als-cg", &inputs, |dag, x| {
        let [zero, small] = [0.0, 1e-6].map(|number| dag.num(number));
        let mask = op(dag, Op::Ne, &[x[0], zero]);
        let right = transposed(dag, x[2]);
        let product = op(dag, Op::MatMul, &[x[1], right]);
        let sampled = op(dag, Op::Mul, &[mask, product]);
        let update = op(dag, Op::MatMul, &[sampled, x[2]]);
        let scaled = op(dag, Op::Mul, &[small, x[1]]);
        let ridge = op(dag, Op::Mul, &[scaled, x[3]]);
        vec![op(dag, Op::Add, &[update, ridge])]
    });
    let Some(View::Sparse(x)) = case.inputs[0].as_matrix().map(Matrix::view) else {
        panic!("X is sparse");
    };
    let [u, v, r] = case.dense([1, 2, 3]);
    let hand = || als::update(x, 20, u, v, 1e-6, r);
    measure(&case, Beside::Hand(&hand));
}

/// A hundred operators over the cells of rows.
fn chain() {
    let factors: Vec<f64> = (0..100).map(|i| 1.0 + f64::from(i) * 1e-3).collect();
    let case = Case::new("chain-100", &[("X", 100_000, 100, 1.0)], |dag, x| {
        let sums = op(dag, Op::RowSums, &[x[0]]);
        let first = op(dag, Op::Div, &[x[0], sums]);
        let last = factors.iter().fold(first, |value, factor| {
            let factor = dag.num(*factor);
            op(dag, Op::Mul, &[value, factor])
        });
        vec![op(dag, Op::Sum, &[last])]
    });
    let [x] = case.dense([0]);
    let hand = || vec![rows::sum_scaled(x, 100, &factors)];
    measure(&case, Beside::Both(&hand));
}

fn main() {
    compressed::measure();
    let cell = (10_000, 1000);
    for (name, share) in [("cell", 1.0), ("cell-sparse", 0.1)] {
        let (m, n) = cell;
        let inputs = [("X", m, n, share), ("Y", m, n, 1.0), ("Z", m, n, 1.0)];
        let case = Case::new(name, &inputs, |dag, x| {
            let xy = op(dag, Op::Mul, &[x[0], x[1]]);
            let xyz = op(dag, Op::Mul, &[xy, x[2]]);
            vec![op(dag, Op::Sum, &[xyz])]
        });
        measure(&case, Beside::Apart);
    }
    let (m, n) = cell;
    let inputs = [("X", m, n, 1.0), ("Y", m, n, 1.0), ("Z", m, n, 1.0)];
    let case = Case::new("magg", &inputs, |dag, x| {
        let [y, z] = [x[1], x[2]].map(|other| op(dag, Op::Mul, &[x[0], other]));
        [y, z].map(|product| op(dag, Op::Sum, &[product])).to_vec()
    });
    measure(&case, Beside::Apart);
    drop(case);
    row_products::<1>("row-vector");
    row_products::<2>("row-matrix");
    row_weights::<1>("row-weights");
    row_weights::<4>("row-columns");
    mlogreg();
    als();
    chain();
    for share in [1e-4, 1e-3, 1e-2, 1e-1] {
        let inputs = [
            ("X", 10_000, 10_000, share),
            ("U", 10_000, 100, 1.0),
            ("V", 10_000, 100, 1.0),
        ];
        let name = format!("outer-{share:e}");
        let case = Case::new(&name, &inputs, |dag, x| {
            let right = transposed(dag, x[2]);
            let product = op(dag, Op::MatMul, &[x[1], right]);
            let eps = dag.num(1e-15);
            let shifted = op(dag, Op::Add, &[product, eps]);
            let log = op(dag, Op::Log, &[shifted]);
            let weighted = op(dag, Op::Mul, &[x[0], log]);
            vec![op(dag, Op::Sum, &[weighted])]
        });
        let Some(View::Sparse(x)) = case.inputs[0].as_matrix().map(Matrix::view) else {
            continue;
        };
        let [u, v] = case.dense([1, 2]);
        let hand = || vec![outer::sum(x, u, v, 1e-15)];
        measure(&case, Beside::Hand(&hand));
    }
}
