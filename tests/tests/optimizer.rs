//! The optimizer against evaluation: random expressions over all cellwise, product and aggregate operators keep
//! their value and their shape, and no search panics.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sumac_la::{Dag, Machine, NodeId, Op, Type};
use sumac_runtime::synthesize::Range;
use sumac_runtime::{Value, eval, synthesize};
use sumac_sumproduct::{CostModel, NoOutcome, Options, Request, optimize};

const EXPRESSIONS: u64 = 20_000;
const OPERATORS: usize = 9;
/// Relative to the largest cell on the way.
const TOLERANCE: f64 = 1e-9;

const OPS: &[Op] = &[
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Mul,
    Op::MatMul,
    Op::MatMul,
    Op::Transpose,
    Op::Sum,
    Op::RowSums,
    Op::ColSums,
    Op::Neg,
    Op::Pow,
    Op::Div,
    Op::Exp,
    Op::Sigmoid,
    Op::Abs,
    Op::Gt,
    Op::Max2,
    Op::Mean,
    Op::AsScalar,
    Op::Cbind,
    Op::Diag,
    Op::Trace,
    Op::AsMatrix,
    Op::Min,
    Op::RowMins,
    Op::ColMaxs,
    Op::Rev,
    Op::Lt,
    Op::Not,
    Op::Sign,
    Op::And,
    Op::IfElse,
];

/// An expression of a few operators over matrices, vectors and a scalar of small sizes.
fn expression(rng: &mut ChaCha8Rng) -> Dag {
    let mut dag = Dag::default();
    let sizes = [1, 2, 3, 4];
    let mut nodes: Vec<NodeId> = Vec::new();
    for name in ["A", "B", "C", "d"] {
        let mut size = || *sizes.choose(rng).expect("not empty");
        let (rows, cols) = (size(), size());
        let sparsity = *[0.0, 0.3, 1.0].choose(rng).expect("not empty");
        let ty = if name == "d" {
            Type::scalar()
        } else {
            Type::sparse(rows, cols, sparsity)
        };
        nodes.push(dag.input(name, ty));
    }
    for number in [-1.0, 2.0, 0.5] {
        nodes.push(dag.num(number));
    }
    let mut made = 0;
    let mut root = nodes[0];
    for _ in 0..400 {
        let op = *OPS.choose(rng).expect("not empty");
        let mut arg = || nodes[rng.random_range(0..nodes.len())];
        let args = match op {
            Op::Pow => vec![arg(), nodes[5]],
            Op::IfElse => vec![arg(), arg(), arg()],
            _ if op.info().arity.accepts(1) => vec![arg()],
            _ => vec![arg(), arg()],
        };
        // Rows are reversed of matrices only.
        if op == Op::Rev && dag.is_scalar(args[0]) {
            continue;
        }
        let before = dag.len();
        if let Ok(node) = dag.op(op, args)
            && dag.len() > before
            && dag.ty(node).has_known_shape()
        {
            nodes.push(node);
            root = node;
            made += 1;
        }
        if made == OPERATORS {
            break;
        }
    }
    dag.push_root(root);
    dag
}

fn cells(value: &Value) -> Vec<f64> {
    match value.as_matrix() {
        Some(matrix) => matrix.to_cells(),
        None => value.as_number().into_iter().collect(),
    }
}

#[test]
fn optimized_expressions_keep_their_value_and_shape() {
    let machine = Machine::default();
    let (mut compared, mut changed) = (0, 0);
    for seed in 0..EXPRESSIONS {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let dag = expression(&mut rng);
        let cost = *[
            CostModel::Nnz,
            CostModel::Flops,
            CostModel::Bytes,
            CostModel::Time,
        ]
        .choose(&mut rng)
        .expect("four");
        let options = Options {
            cost,
            seed,
            max_nodes: Some(800),
            unproved: seed % 2 == 0,
            ..Options::default()
        };
        let request = Request {
            dag: &dag,
            roots: dag.roots(),
            held: &[],
            machine: &machine,
        };
        let text = dag.print(dag.roots()[0]);
        let outcome = match optimize(request, &options, &|| false) {
            Ok(outcome) => outcome,
            Err(NoOutcome::OutOfReach) => continue,
            Err(other) => panic!("seed {seed}: {text}: {other:?}"),
        };
        let better = outcome.dag.print(outcome.dag.roots()[0]);
        let (old, new) = (
            dag.ty(dag.roots()[0]),
            outcome.dag.ty(outcome.dag.roots()[0]),
        );
        assert_eq!(
            (old.kind, &old.rows, &old.cols),
            (new.kind, &new.rows, &new.cols),
            "seed {seed}: {text} => {better}"
        );
        let values: Vec<(String, Value)> = dag
            .inputs()
            .iter()
            .zip(1..)
            .map(|(input, n)| {
                let value = synthesize(&input.ty, seed * 16 + n, Range::Signed).expect("small");
                (input.name.to_string(), value)
            })
            .collect();
        let of = |dag: &Dag| -> Vec<Vec<f64>> {
            let inputs: Vec<Value> = dag
                .inputs()
                .iter()
                .map(|input| {
                    values
                        .iter()
                        .find(|(name, _)| **name == *input.name)
                        .expect("known")
                        .1
                        .clone()
                })
                .collect();
            // Every value on the way, the result last.
            let mut all = dag.clone();
            for node in dag.reachable(dag.roots()) {
                all.push_root(node);
            }
            all.push_root(dag.roots()[0]);
            let results = eval(&all, &inputs)
                .unwrap_or_else(|error| panic!("seed {seed}: {text} => {better}: {error}"));
            results.iter().map(cells).collect()
        };
        let (a, b) = (of(&dag), of(&outcome.dag));
        // Division by zero and overflow: real arithmetic says nothing of them, nor of what is computed from them.
        if a.iter().chain(&b).flatten().any(|cell| !cell.is_finite()) {
            continue;
        }
        let (a, b) = (&a[a.len() - 1], &b[b.len() - 1]);
        compared += 1;
        changed += usize::from(text != better);
        let scale = a.iter().fold(1.0, |most: f64, cell| most.max(cell.abs()));
        assert_eq!(a.len(), b.len(), "seed {seed}: {text} => {better}");
        for (x, y) in a.iter().zip(b) {
            // Values that cancel to nearly nothing are compared with what they were made of.
            assert!(
                (x - y).abs() <= TOLERANCE * scale.max(1e3),
                "seed {seed}: {text} => {better}: {x} is not {y}"
            );
        }
    }
    assert!(
        compared > EXPRESSIONS as usize / 2,
        "only {compared} compared"
    );
    assert!(
        changed > EXPRESSIONS as usize / 10,
        "only {changed} changed"
    );
}
