//! Array programs of expressions against evaluation: the program of a random expression, interpreted and as a loop nest, has the
//! cells that the runtime computes.
#![expect(clippy::print_stdout, reason = "a run says how much it compared")]

use std::collections::BTreeMap;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sumac_array::algebra::of_dag;
use sumac_array::value::{Data, Input, difference};
use sumac_array::{Scalar, interpret, nest};
use sumac_la::{Dag, NodeId, Op, Type};
use sumac_runtime::synthesize::Range;
use sumac_runtime::{Value, eval, synthesize};

const EXPRESSIONS: u64 = 3000;
const OPERATORS: usize = 6;

/// Operators that have patterns, products more often than others.
const USED: [Op; 32] = [
    Op::MatMul,
    Op::MatMul,
    Op::MatMul,
    Op::Transpose,
    Op::Transpose,
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Div,
    Op::Min2,
    Op::Max2,
    Op::Neg,
    Op::Abs,
    Op::Sum,
    Op::RowSums,
    Op::ColSums,
    Op::Mean,
    Op::RowMeans,
    Op::ColMeans,
    Op::Min,
    Op::Max,
    Op::RowMins,
    Op::RowMaxs,
    Op::ColMins,
    Op::ColMaxs,
    Op::Prod,
    Op::Nrow,
    Op::Ncol,
    Op::Length,
    Op::AsScalar,
    Op::AsMatrix,
    Op::Pow,
];

/// An expression of a few operators over matrices, vectors and a scalar.
fn expression(rng: &mut ChaCha8Rng) -> Dag {
    let mut dag = Dag::default();
    let mut nodes: Vec<NodeId> = Vec::new();
    for name in ["A", "B", "row", "m", "d.e"] {
        let mut size = || *[1_u64, 2, 3, 3, 5].choose(rng).unwrap();
        let (rows, cols) = (size(), size());
        let ty = match name {
            "d.e" => Type::scalar(),
            _ => Type::matrix(rows, cols),
        };
        nodes.push(dag.input(name, ty));
    }
    nodes.extend([-1.5, 2.0].map(|number| dag.num(number)));
    let wanted = rng.random_range(1..=OPERATORS);
    let mut root = nodes[0];
    let mut made = 0;
    for _ in 0..200 {
        let op = *USED.choose(rng).unwrap();
        let x = *nodes.choose(rng).unwrap();
        let mut args = vec![x];
        if op == Op::Pow {
            args.push(dag.num(*[2.0, 3.0].choose(rng).unwrap()));
        } else if op.info().arity.accepts(2) {
            args.push(*nodes.choose(rng).unwrap());
        }
        let before = dag.len();
        if let Some(id) = dag.op(op, args).ok().filter(|id| id.index() >= before) {
            nodes.push(id);
            root = id;
            made += 1;
        }
        if made == wanted {
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

fn list(numbers: &[f64]) -> Data {
    Data::array(numbers.iter().copied().map(Data::Number).collect())
}

#[test]
fn programs_of_expressions_compute_what_the_runtime_computes() {
    let mut compared = 0;
    let mut used: BTreeMap<Op, u32> = BTreeMap::new();
    for seed in 0..EXPRESSIONS {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let dag = expression(&mut rng);
        let root = dag.roots()[0];
        let text = dag.print(root);
        let translated = of_dag(&dag, root, "p", Scalar::F64)
            .unwrap_or_else(|why| panic!("seed {seed}: {text}: {why}"));
        for id in dag.reachable(&[root]) {
            if let sumac_la::Node::Op(op, _) = dag.node(id) {
                *used.entry(*op).or_default() += 1;
            }
        }
        let mut values: BTreeMap<&str, Value> = BTreeMap::new();
        for (input, n) in dag.inputs().iter().zip(1..) {
            let value = synthesize(&input.ty, seed * 16 + n, Range::Signed).unwrap();
            values.insert(&input.name, value);
        }
        let inputs: Vec<Value> = dag
            .inputs()
            .iter()
            .map(|i| values[&*i.name].clone())
            .collect();
        // `ncol` of a number has a type, and is an error when it runs.
        let Ok(values_of_roots) = eval(&dag, &inputs) else {
            continue;
        };
        let expected = cells(&values_of_roots[0]);
        let program = translated.program.sized(&translated.sizes).unwrap();
        let (types, _) = program.signature();
        let given: Vec<Vec<f64>> = translated
            .inputs
            .iter()
            .map(|n| cells(&values[&**n]))
            .collect();
        let data: Vec<Input> = types
            .iter()
            .zip(&given)
            .map(|(ty, cells)| {
                let mut numbers = cells.iter().copied();
                Input::Data(Data::from_numbers(&program.types, *ty, &mut numbers).unwrap())
            })
            .collect();
        let found = interpret(&program, &data).unwrap_or_else(|why| panic!("{text}: {why}"));
        let apart = difference(&list(&found.numbers()), &list(&expected));
        assert!(
            apart <= 1e-9,
            "seed {seed}: {text}: {apart}\n{}",
            program.show()
        );
        let made = nest::lower(&program)
            .unwrap_or_else(|why| panic!("seed {seed}: {text}: {why}\n{}", program.show()));
        let ran = nest::run(&made, &given).unwrap();
        let apart = difference(&list(&ran), &list(&expected));
        assert!(
            apart <= 1e-9,
            "seed {seed}: {text}: {apart}\n{}",
            program.show()
        );
        compared += 1;
    }
    println!("{compared} expressions: {used:?}");
    assert!(compared > EXPRESSIONS / 2, "{compared}");
    let missing: Vec<Op> = USED
        .into_iter()
        .filter(|op| !used.contains_key(op))
        .collect();
    assert!(missing.is_empty(), "never compared: {missing:?}");
}

#[test]
fn what_has_no_pattern_is_refused_by_name() {
    let mut dag = Dag::default();
    let x = dag.input("X", Type::matrix(3, 4));
    let exp = dag.op(Op::Exp, [x]).unwrap();
    let root = dag.op(Op::Sum, [exp]).unwrap();
    let why = of_dag(&dag, root, "p", Scalar::F64).unwrap_err();
    assert_eq!(
        why,
        "`exp(X)` has no array program: there is no pattern for it"
    );
    assert_eq!(
        of_dag(&dag, x, "p", Scalar::F64).unwrap_err(),
        "`X` computes nothing"
    );
}

#[test]
fn a_product_is_the_program_that_sketches_are_written_for() {
    let mut dag = Dag::default();
    let (a, b) = (
        dag.input("A", Type::matrix(64, 32)),
        dag.input("B", Type::matrix(32, 96)),
    );
    let root = dag.op(Op::MatMul, [a, b]).unwrap();
    let made = of_dag(&dag, root, "mm", Scalar::F32).unwrap();
    let known = sumac_array::Program::built_in("mm").unwrap();
    assert_eq!(made.program.show(), known.show());
    let mut sizes: Vec<_> = made.sizes.into_iter().collect();
    sizes.sort();
    assert_eq!(
        sizes,
        [
            ("k".to_owned(), 32),
            ("m".to_owned(), 64),
            ("n".to_owned(), 96)
        ]
    );
}
