//! What a search takes is bounded by what was counted, whatever it is asked.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sumac_cost::Machine;
use sumac_la::{Dag, NodeId, Op, Type};
use sumac_sumproduct::{NoOutcome, Options, Outcome, Request, optimize};

fn search(dag: &Dag, options: &Options) -> Result<Outcome, NoOutcome> {
    let machine = Machine::default();
    let request = Request {
        dag,
        roots: dag.roots(),
        held: &[],
        machine: &machine,
        around: None,
        fusing: None,
    };
    optimize(request, options, &|| false)
}

/// `(A - A) %*% (Y %*% A) %*% (matrix(1, rows=2, cols=2) - K %*% u)`: all that is made of it is zero.
fn zero() -> Dag {
    let mut dag = Dag::default();
    let a = dag.input("A", Type::matrix(8, 2));
    let y = dag.input("Y", Type::matrix(2, 8));
    let k = dag.input("K", Type::matrix(2, 2));
    let u = dag.input("u", Type::matrix(2, 1));
    let [one, two] = [1.0, 2.0].map(|n| dag.num(n));
    let mut op = |op: Op, args: &[NodeId]| dag.op(op, args.iter().copied()).unwrap();
    let zero = op(Op::Sub, &[a, a]);
    let ya = op(Op::MatMul, &[y, a]);
    let left = op(Op::MatMul, &[zero, ya]);
    let ones = op(Op::Fill, &[one, two, two]);
    let ku = op(Op::MatMul, &[k, u]);
    let right = op(Op::Sub, &[ones, ku]);
    let root = op(Op::MatMul, &[left, right]);
    dag.push_root(root);
    dag
}

#[test]
fn products_with_zero_take_no_memory_to_speak_of() {
    let dag = zero();
    let mut found = None;
    let real = allocation_counter::measure(|| {
        found = Some(search(&dag, &Options::default()));
    });
    let found = found.unwrap().unwrap();
    let text = found.dag.print(found.dag.roots()[0]);
    assert_eq!(text, "matrix(0, rows=8, cols=2)");
    assert!(real.bytes_max < 64 << 20, "{} bytes", real.bytes_max);
}

/// A random expression of few shapes, in which many parts are equal, symmetric, or zero.
fn random(rng: &mut ChaCha8Rng, operators: usize) -> Dag {
    let mut dag = Dag::default();
    let mut known: Vec<NodeId> = vec![
        dag.input("A", Type::matrix(8, 2)),
        dag.input("B", Type::matrix(2, 8)),
        dag.input("K", Type::matrix(2, 2)),
        dag.input("S", Type::sparse(8, 8, 0.1)),
        dag.input("u", Type::matrix(2, 1)),
        dag.input("v", Type::matrix(8, 1)),
        dag.num(2.0),
    ];
    const OPS: [(Op, usize); 12] = [
        (Op::MatMul, 2),
        (Op::MatMul, 2),
        (Op::MatMul, 2),
        (Op::Add, 2),
        (Op::Sub, 2),
        (Op::Sub, 2),
        (Op::Mul, 2),
        (Op::Mul, 2),
        (Op::Transpose, 1),
        (Op::Sum, 1),
        (Op::RowSums, 1),
        (Op::Diag, 1),
    ];
    let mut made = 0;
    while made < operators {
        let (op, arity) = OPS[rng.random_range(0..OPS.len())];
        let args: Vec<NodeId> = (0..arity)
            .map(|_| known[rng.random_range(0..known.len())])
            .collect();
        if args.iter().all(|arg| dag.is_scalar(*arg)) {
            continue;
        }
        if let Ok(node) = dag.op(op, args) {
            known.push(node);
            made += 1;
        }
    }
    dag.push_root(*known.last().unwrap());
    dag
}

#[test]
fn a_search_takes_less_than_twice_its_limit() {
    const LIMIT: u64 = 16 << 20;
    let options = Options {
        max_graph_bytes: LIMIT,
        ..Options::default()
    };
    for seed in 0..60 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let operators = rng.random_range(1..=24);
        let dag = random(&mut rng, operators);
        let real = allocation_counter::measure(|| drop(search(&dag, &options)));
        assert!(
            real.bytes_max < 2 * LIMIT,
            "seed {seed}: {} bytes for {}",
            real.bytes_max,
            dag.print(dag.roots()[0])
        );
    }
}

#[test]
fn squares_of_squares_are_not_written_out() {
    let mut dag = Dag::default();
    let mut x = dag.input("X", Type::matrix(20, 30));
    for _ in 0..30 {
        x = dag.op(Op::Mul, [x, x]).unwrap();
    }
    let root = dag.op(Op::Sum, [x]).unwrap();
    dag.push_root(root);
    let mut found = None;
    let real = allocation_counter::measure(|| {
        found = Some(search(&dag, &Options::default()));
    });
    assert!(found.unwrap().is_ok());
    assert!(real.bytes_max < 64 << 20, "{} bytes", real.bytes_max);
}

/// One class of its graph has more pairs of e-nodes that a rule fits than any memory holds.
#[test]
fn matches_of_one_class_count_before_all_are_listed() {
    let mut dag = Dag::default();
    let u = dag.input("U", Type::matrix(20_000, 20_000));
    let tenth = dag.num(0.1);
    let mut op = |op: Op, args: &[NodeId]| dag.op(op, args.iter().copied()).unwrap();
    let above = op(Op::Gt, &[u, tenth]);
    let diagonal = op(Op::Diag, &[above]);
    let square = op(Op::Diag, &[diagonal]);
    let root = op(Op::Trace, &[square]);
    dag.push_root(root);
    let options = Options {
        max_graph_bytes: 64 << 20,
        ..Options::default()
    };
    let real = allocation_counter::measure(|| {
        let _ = search(&dag, &options);
    });
    let most = 2 * options.max_graph_bytes;
    assert!(real.bytes_max < most, "{} bytes", real.bytes_max);
}
