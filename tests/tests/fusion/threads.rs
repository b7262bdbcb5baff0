//! The number of threads changes no bit of what a fused operator gives.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sumac_cost::Machine;
use sumac_fusion::{Options, Rates, plan};
use sumac_la::{Dag, NodeId, Op, Type};
use sumac_runtime::eval::eval_plan;
use sumac_runtime::fused::Prepared;
use sumac_runtime::{Cancel, Matrix, Value};

/// Operators of each kind, large enough for several threads.
fn subject() -> (Dag, Vec<NodeId>) {
    let mut dag = Dag::default();
    let (m, n) = (3000, 400);
    let x = dag.input("X", Type::sparse(m, n, 0.05));
    let y = dag.input("Y", Type::sparse(m, n, 1.0));
    let u = dag.input("U", Type::sparse(m, 5, 1.0));
    let v = dag.input("V", Type::sparse(n, 5, 1.0));
    let mut op = |op: Op, args: &[NodeId]| dag.op(op, args.iter().copied()).unwrap();
    let yy = op(Op::Mul, &[y, y]);
    let cell = op(Op::Sum, &[yy]);
    let exp = op(Op::Sigmoid, &[yy]);
    let rows = op(Op::RowMaxs, &[exp]);
    let yv = op(Op::MatMul, &[y, v]);
    let weighted = op(Op::Mul, &[yv, u]);
    let yt = op(Op::Transpose, &[y]);
    let row = op(Op::MatMul, &[yt, weighted]);
    let vt = op(Op::Transpose, &[v]);
    let uv = op(Op::MatMul, &[u, vt]);
    let sampled = op(Op::Mul, &[x, uv]);
    let outer = op(Op::MatMul, &[sampled, v]);
    let roots = vec![cell, rows, row, outer];
    (dag, roots)
}

#[test]
fn one_thread_and_several_give_the_same_bits() {
    let (dag, roots) = subject();
    let plan = plan(
        &dag,
        &roots,
        &Options::new(Rates::from(&Machine::default())),
    );
    assert!(plan.operators.len() >= 4, "{}", plan.operators.len());
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let inputs: Vec<Value> = dag
        .inputs()
        .iter()
        .map(|input| {
            let size = |dim: &sumac_la::Dim| usize::try_from(dim.known().unwrap()).unwrap();
            let (rows, cols) = (size(&input.ty.rows), size(&input.ty.cols));
            let share = input.ty.density();
            let cells = (0..rows * cols)
                .map(|_| {
                    if rng.random_bool(share) {
                        rng.random_range(-1.0..1.0)
                    } else {
                        0.0
                    }
                })
                .collect();
            Matrix::dense(rows, cols, cells).settled().into()
        })
        .collect();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            eval_plan(
                (&dag, &roots),
                &plan,
                &inputs,
                &Prepared::default(),
                &Cancel::default(),
                &mut |_, _| (),
            )
            .unwrap()
            .values
        })
    };
    assert_eq!(run(1), run(4));
}
