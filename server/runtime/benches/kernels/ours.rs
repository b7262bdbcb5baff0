//! The kernels as scripts and evaluation call them.

use rayon::{ThreadPool, ThreadPoolBuilder};
use sumac_la::{Op, Type};
use sumac_runtime::apply::apply;
use sumac_runtime::kernels::fused::{self, Cells, Program, Source};
use sumac_runtime::kernels::matmul::{Factor, chain, matmul};
use sumac_runtime::synthesize::{Range, synthesize};
use sumac_runtime::{Matrix, Value};

use crate::Work;

/// Cells of each matrix that is streamed from memory.
pub(crate) const CELLS: usize = 10_000_000;
/// Cells of each matrix that stays in a core's cache.
pub(crate) const SMALL_CELLS: usize = 20_000;
/// A tall matrix that is in no cache.
pub(crate) const TALL: (usize, usize) = (400_000, 100);
/// A tall matrix that is in the last cache.
const TALL_IN_CACHE: (usize, usize) = (20_000, 100);
/// A sparse matrix.
const SPARSE: (usize, usize, f64) = (20_000, 10_000, 0.01);
/// Columns on the right of it.
const FEW: usize = 10;

/// The case of this name.
pub(crate) fn case(name: &str) -> Option<Work> {
    let (what, size) = name.rsplit_once('-').unwrap_or((name, ""));
    match (what, size.parse::<usize>()) {
        ("gemm", Ok(n)) => {
            let (a, b) = (dense(n, n, 1), dense(n, n, 2));
            return Some(product([a, b], [false; 2]));
        }
        ("skinny", Ok(p)) => {
            let (rows, cols) = TALL_IN_CACHE;
            return Some(product(
                [dense(rows, cols, 1), dense(cols, p, 2)],
                [false; 2],
            ));
        }
        ("skinny-t", Ok(p)) => {
            let (rows, cols) = TALL_IN_CACHE;
            let sides = [dense(rows, cols, 1), dense(rows, p, 2)];
            return Some(product(sides, [true, false]));
        }
        _ => {}
    }
    let (rows, cols, share) = SPARSE;
    Some(match name {
        "gemm-tsmm" => {
            let x = dense(TALL_IN_CACHE.0, TALL_IN_CACHE.1, 1);
            product([x.clone(), x], [true, false])
        }
        "sparse-dense" => alone(product(
            [sparse(rows, cols, share, 1), dense(cols, FEW, 2)],
            [false; 2],
        )),
        "sparse-t-dense" => alone(product(
            [sparse(rows, cols, share, 1), dense(rows, FEW, 2)],
            [true, false],
        )),
        "dense-sparse" => alone(product(
            [dense(200, rows, 2), sparse(rows, cols, share, 1)],
            [false; 2],
        )),
        "sparse-sparse" => alone(product(
            [sparse(rows, cols, 0.001, 1), sparse(cols, 2_000, 0.005, 2)],
            [false; 2],
        )),
        "sparse-transpose" => alone(operator(Op::Transpose, sparse(rows, cols, share, 1))),
        "sum-xyz" => {
            let sides = three(CELLS);
            let mut program = Program::new(3);
            let xy = push(&mut program, Op::Mul, &[Source::Input(0), Source::Input(1)]);
            push(&mut program, Op::Mul, &[xy, Source::Input(2)]);
            Box::new(move || Box::new(fused::sum(&program, &slices(&sides))))
        }
        "exp-log" => exp_log(CELLS),
        "exp-log-near" => exp_log(SMALL_CELLS),
        "chain" | "chain-weighted" => {
            let (x, v, w) = (tall(), dense(TALL.1, 1, 1), dense(TALL.0, 1, 2));
            let weighted = name == "chain-weighted";
            Box::new(move || {
                let [x, v, w] = [&x, &v, &w].map(|m| m.as_matrix().expect("a matrix"));
                Box::new(chain(x, v, weighted.then_some(w)).expect("the shapes fit"))
            })
        }
        "agg-sum" => operator(Op::Sum, tall()),
        "agg-rows" => operator(Op::RowSums, tall()),
        "agg-cols" => operator(Op::ColSums, tall()),
        "agg-max" => operator(Op::Max, tall()),
        _ => return None,
    })
}

fn dense(rows: usize, cols: usize, seed: u64) -> Value {
    synthesize(&Type::matrix(rows as u64, cols as u64), seed, Range::Signed).expect("it fits")
}

fn sparse(rows: usize, cols: usize, share: f64, seed: u64) -> Value {
    let ty = Type::sparse(rows as u64, cols as u64, share);
    synthesize(&ty, seed, Range::Signed).expect("it fits")
}

fn tall() -> Value {
    Matrix::fill(TALL.0, TALL.1, 1.5).into()
}

/// Three vectors with cells between 0 and 1.
pub(crate) fn three(cells: usize) -> [Vec<f64>; 3] {
    [1, 2, 3].map(|seed| {
        let ty = Type::matrix(cells as u64, 1);
        let value = synthesize(&ty, seed, Range::Positive).expect("it fits");
        value.as_matrix().expect("a matrix").to_cells()
    })
}

fn slices(sides: &[Vec<f64>; 3]) -> [Cells<'_>; 3] {
    sides.each_ref().map(|cells| Cells::Full(cells))
}

fn push(program: &mut Program, op: Op, arguments: &[Source]) -> Source {
    program.push(op, arguments).expect("a cellwise operator")
}

/// `sum(exp(X) * Y + log(Z + 1))`.
fn exp_log(cells: usize) -> Work {
    let sides = three(cells);
    let mut program = Program::new(3);
    let p = &mut program;
    let exp = push(p, Op::Exp, &[Source::Input(0)]);
    let product = push(p, Op::Mul, &[exp, Source::Input(1)]);
    let above = push(p, Op::Add, &[Source::Input(2), Source::Number(1.0)]);
    let log = push(p, Op::Log, &[above]);
    push(p, Op::Add, &[product, log]);
    Box::new(move || Box::new(fused::sum(&program, &slices(&sides))))
}

fn product(sides: [Value; 2], transposed: [bool; 2]) -> Work {
    Box::new(move || {
        let factor = |i: usize| Factor {
            matrix: sides[i].as_matrix().expect("a matrix"),
            transposed: transposed[i],
        };
        Box::new(matmul(factor(0), factor(1)).expect("the shapes fit"))
    })
}

fn operator(op: Op, x: Value) -> Work {
    Box::new(move || Box::new(apply(op, vec![x.clone()]).expect("the shape fits")))
}

/// The same on one thread.
fn alone(mut work: Work) -> Work {
    let pool: ThreadPool = ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a thread");
    Box::new(move || pool.install(&mut work))
}
