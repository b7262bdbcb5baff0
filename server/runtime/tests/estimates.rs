//! Estimated non-zero cells against those that there are, for matrices of the structures that limits describe: limits
//! are never exceeded, and estimates are near.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sumac_la::{Dag, Limits, NodeId, Op, Type};
use sumac_runtime::{Matrix, Value, eval};

/// Of the cells of a result, as a share: an estimate is an expected value, and what is drawn scatters around it.
const TOLERANCE: f64 = 0.06;
const ROUNDS: u64 = 40;

/// Which cells of a matrix of these sizes are not zero, row by row.
type Draw = fn(&mut ChaCha8Rng, usize, usize) -> Vec<Vec<bool>>;

/// Name, rows, columns, way of drawing, and what is known of the result.
type Drawn = (&'static str, usize, usize, Draw, Limits, Option<f64>);

fn one_hot(rng: &mut ChaCha8Rng, rows: usize, cols: usize) -> Vec<Vec<bool>> {
    let mut row = || {
        let place = rng.random_range(0..cols);
        (0..cols).map(|j| j == place).collect()
    };
    (0..rows).map(|_| row()).collect()
}

fn one_a_column(rng: &mut ChaCha8Rng, rows: usize, cols: usize) -> Vec<Vec<bool>> {
    let transposed = one_hot(rng, cols, rows);
    (0..rows)
        .map(|i| (0..cols).map(|j| transposed[j][i]).collect())
        .collect()
}

fn permutation(rng: &mut ChaCha8Rng, rows: usize, _: usize) -> Vec<Vec<bool>> {
    let mut places: Vec<usize> = (0..rows).collect();
    for i in (1..rows).rev() {
        places.swap(i, rng.random_range(0..=i));
    }
    places
        .iter()
        .map(|place| (0..rows).map(|j| j == *place).collect())
        .collect()
}

fn tenth(rng: &mut ChaCha8Rng, rows: usize, cols: usize) -> Vec<Vec<bool>> {
    (0..rows)
        .map(|_| (0..cols).map(|_| rng.random_bool(0.1)).collect())
        .collect()
}

/// Random matrices of each structure, as inputs and as values.
fn inputs(dag: &mut Dag, rng: &mut ChaCha8Rng) -> (Vec<NodeId>, Vec<Value>) {
    const SIDE: usize = 24;
    let drawn: [Drawn; 6] = [
        ("H", SIDE, SIDE, one_hot, Limits::ONE_A_ROW, None),
        ("C", SIDE, SIDE, one_a_column, Limits::ONE_A_COLUMN, None),
        ("P", SIDE, SIDE, permutation, Limits::ONE_EACH, None),
        ("X", SIDE, SIDE, tenth, Limits::NONE, Some(0.1)),
        ("Y", SIDE, SIDE, tenth, Limits::NONE, Some(0.1)),
        ("v", SIDE, 1, tenth, Limits::NONE, Some(0.1)),
    ];
    let mut nodes = Vec::new();
    let mut values = Vec::new();
    for (name, rows, cols, draw, limits, share) in drawn {
        let cells: Vec<f64> = draw(rng, rows, cols)
            .into_iter()
            .flatten()
            .map(|there| {
                if there {
                    rng.random_range(0.5..1.5)
                } else {
                    0.0
                }
            })
            .collect();
        let ty = Type {
            sparsity: share,
            ..Type::matrix(rows as u64, cols as u64)
        };
        nodes.push(dag.input(name, ty.within(limits)));
        values.push(Value::from(Matrix::dense(rows, cols, cells)));
    }
    (nodes, values)
}

/// Most cells of a row and of a column, and their number.
fn counted(matrix: &Matrix) -> (u64, u64, f64) {
    let (rows, cols) = matrix.shape();
    let is_cell = |i: usize, j: usize| matrix.get(i, j) != 0.0;
    let row = (0..rows).map(|i| (0..cols).filter(|j| is_cell(i, *j)).count());
    let col = (0..cols).map(|j| (0..rows).filter(|i| is_cell(*i, j)).count());
    let (row, col) = (row.max().unwrap_or(0), col.max().unwrap_or(0));
    (
        row as u64,
        col as u64,
        matrix.to_cells().iter().filter(|x| **x != 0.0).count() as f64,
    )
}

/// Every operator of one level over the inputs, and products over these.
fn expressions(dag: &mut Dag, inputs: &[NodeId]) -> Vec<NodeId> {
    let mut level = inputs.to_vec();
    let diagonal = dag.op(Op::Diag, [inputs[5]]).unwrap();
    level.push(diagonal);
    for node in inputs {
        level.push(dag.op(Op::Transpose, [*node]).unwrap());
    }
    let mut all = level.clone();
    for a in &level {
        for op in [Op::RowSums, Op::ColSums, Op::Rev, Op::Abs] {
            all.extend(dag.op(op, [*a]));
        }
        for b in &level {
            for op in [Op::MatMul, Op::Mul, Op::Add, Op::Cbind, Op::Rbind] {
                all.extend(dag.op(op, [*a, *b]));
            }
        }
    }
    all.sort();
    all.dedup();
    all
}

#[test]
fn limits_are_never_exceeded() {
    for seed in 0..ROUNDS {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut dag = Dag::default();
        let (nodes, values) = inputs(&mut dag, &mut rng);
        let all = expressions(&mut dag, &nodes);
        let mut limited = 0;
        for node in &all {
            dag.push_root(*node);
        }
        for (node, value) in all.iter().zip(eval(&dag, &values).unwrap()) {
            let Some(matrix) = value.as_matrix() else {
                continue;
            };
            let (row, col, _) = counted(matrix);
            let limits = dag.ty(*node).limits;
            let holds = |most: Option<u64>, found: u64| most.is_none_or(|most| found <= most);
            assert!(
                holds(limits.row, row) && holds(limits.col, col),
                "{}: {limits:?}, found {row} and {col}",
                dag.print(*node)
            );
            limited += usize::from(limits != Limits::NONE);
        }
        assert!(limited > 100, "{limited}");
    }
}

#[test]
fn products_of_structured_matrices_have_the_estimated_number_of_cells() {
    let products: [(usize, usize); 9] = [
        (0, 3), // one-hot times any: rows are selected
        (3, 2), // columns are moved
        (2, 3),
        (6, 3), // diagonal times any
        (3, 6),
        (0, 0),
        (2, 2),
        (3, 4), // no structure
        (3, 1), // columns are selected
    ];
    for (a, b) in products {
        let (mut estimated, mut found) = (0.0, 0.0);
        let mut text = String::new();
        for seed in 0..ROUNDS {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut dag = Dag::default();
            let (mut nodes, values) = inputs(&mut dag, &mut rng);
            let diagonal = dag.op(Op::Diag, [nodes[5]]).unwrap();
            nodes.push(diagonal);
            let product = dag.op(Op::MatMul, [nodes[a], nodes[b]]).unwrap();
            dag.push_root(product);
            let cells = dag.ty(product).cells().unwrap();
            text = dag.print(product);
            estimated += dag.ty(product).density();
            found += counted(eval(&dag, &values).unwrap()[0].as_matrix().unwrap()).2 / cells;
        }
        let rounds = ROUNDS as f64;
        let (estimated, found) = (estimated / rounds, found / rounds);
        assert!(
            (estimated - found).abs() <= TOLERANCE * estimated.max(0.1),
            "{text}: estimated {estimated}, found {found}"
        );
    }
}
