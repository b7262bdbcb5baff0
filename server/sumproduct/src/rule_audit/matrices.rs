//! A slow evaluator of DAGs over matrices: loops over cells, as the operators are defined. Knows no rule, no relation and no
//! kernel.

use std::collections::HashMap;

use sumac_la::{Dag, Node, NodeId, Op, ShapeRule};

use super::number::Number;

/// Cells in row-major order. A scalar is one cell.
#[derive(Clone, Debug)]
pub(crate) struct Matrix<N> {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) cells: Vec<N>,
}

impl<N: Number> Matrix<N> {
    pub(crate) fn new(rows: usize, cols: usize, cell: impl Fn(usize, usize) -> N) -> Self {
        let cells = (0..rows * cols).map(|at| cell(at / cols, at % cols));
        Matrix {
            rows,
            cols,
            cells: cells.collect(),
        }
    }

    fn scalar(value: N) -> Self {
        Matrix::new(1, 1, |_, _| value)
    }

    fn at(&self, row: usize, col: usize) -> N {
        self.cells[row * self.cols + col]
    }

    /// The cell that is there when a side of one repeats.
    fn repeated(&self, row: usize, col: usize) -> N {
        self.at(
            if self.rows == 1 { 0 } else { row },
            if self.cols == 1 { 0 } else { col },
        )
    }
}

/// The value of a node over inputs by their names; `None` where an operator is none that the audit needs.
pub(crate) fn value<N: Number>(
    dag: &Dag,
    root: NodeId,
    inputs: &dyn Fn(&str) -> Matrix<N>,
) -> Option<Matrix<N>> {
    let mut known: HashMap<NodeId, Matrix<N>> = HashMap::new();
    for id in dag.reachable(&[root]) {
        let made = match dag.node(id) {
            Node::Input(_) => inputs(&dag.input_of(id)?.name),
            Node::Num(bits) => Matrix::scalar(N::of(f64::from_bits(*bits))),
            Node::Op(op, args) => {
                let args: Vec<&Matrix<N>> = args.iter().map(|arg| &known[arg]).collect();
                apply(*op, &args)?
            }
        };
        known.insert(id, made);
    }
    known.remove(&root)
}

fn apply<N: Number>(op: Op, args: &[&Matrix<N>]) -> Option<Matrix<N>> {
    let a = *args.first()?;
    let size = |number: usize| Matrix::scalar(N::of(sumac_la::as_f64(number as u64)));
    let side = |at: usize| args[at].cells[0].rounded() as usize;
    let total = |op: Op, cells: &mut dyn Iterator<Item = N>| fold(op, cells);
    let by_row = |op: Op| -> Option<Matrix<N>> {
        let rows = (0..a.rows).map(|row| total(op, &mut (0..a.cols).map(|col| a.at(row, col))));
        let rows: Vec<N> = rows.collect::<Option<_>>()?;
        Some(Matrix::new(a.rows, 1, |row, _| rows[row]))
    };
    let by_col = |op: Op| -> Option<Matrix<N>> {
        let cols = (0..a.cols).map(|col| total(op, &mut (0..a.rows).map(|row| a.at(row, col))));
        let cols: Vec<N> = cols.collect::<Option<_>>()?;
        Some(Matrix::new(1, a.cols, |_, col| cols[col]))
    };
    Some(match op {
        Op::MatMul => {
            let b = args[1];
            let cell = |row, col| {
                let products = (0..a.cols).map(|k| a.at(row, k).times(b.at(k, col)));
                products.fold(N::of(0.0), N::plus)
            };
            Matrix::new(a.rows, b.cols, cell)
        }
        Op::Transpose => Matrix::new(a.cols, a.rows, |row, col| a.at(col, row)),
        Op::Rev => Matrix::new(a.rows, a.cols, |row, col| a.at(a.rows - 1 - row, col)),
        Op::Diag if a.cols == 1 => Matrix::new(a.rows, a.rows, |row, col| {
            if row == col { a.at(row, 0) } else { N::of(0.0) }
        }),
        Op::Diag => Matrix::new(a.rows, 1, |row, _| a.at(row, row)),
        Op::Trace => {
            let cells = (0..a.rows).map(|row| a.at(row, row));
            Matrix::scalar(cells.fold(N::of(0.0), N::plus))
        }
        Op::Sum | Op::Min | Op::Max | Op::Prod => {
            Matrix::scalar(total(op, &mut a.cells.iter().copied())?)
        }
        Op::RowSums => by_row(Op::Sum)?,
        Op::ColSums => by_col(Op::Sum)?,
        Op::RowMins => by_row(Op::Min)?,
        Op::ColMins => by_col(Op::Min)?,
        Op::RowMaxs => by_row(Op::Max)?,
        Op::ColMaxs => by_col(Op::Max)?,
        Op::Mean | Op::RowMeans | Op::ColMeans => {
            let (sums, count) = match op {
                Op::Mean => (Op::Sum, a.rows * a.cols),
                Op::RowMeans => (Op::RowSums, a.cols),
                _ => (Op::ColSums, a.rows),
            };
            let (sums, count) = (apply(sums, args)?, size(count));
            apply(Op::Div, &[&sums, &count])?
        }
        Op::Nrow => size(a.rows),
        Op::Ncol => size(a.cols),
        Op::Length => size(a.rows * a.cols),
        Op::Fill => Matrix::new(side(1), side(2), |_, _| a.cells[0]),
        Op::Reshape => Matrix {
            rows: side(1),
            cols: side(2),
            cells: a.cells.clone(),
        },
        Op::AsScalar | Op::AsMatrix => a.clone(),
        _ if op.info().shape == ShapeRule::Cellwise => {
            // No rows beside one are no rows.
            let side = |of: fn(&Matrix<N>) -> usize| {
                let mut sides = args.iter().map(|arg| of(arg));
                sides.find(|side| *side != 1).unwrap_or(1)
            };
            let (rows, cols) = (side(|arg| arg.rows), side(|arg| arg.cols));
            let cells = (0..rows * cols).map(|at| {
                let cells = args.iter().map(|arg| arg.repeated(at / cols, at % cols));
                N::cellwise(op, &cells.collect::<Vec<N>>())
            });
            let cells: Vec<N> = cells.collect::<Option<_>>()?;
            Matrix { rows, cols, cells }
        }
        _ => return None,
    })
}

/// An aggregate of cells, one after the other; `None` for an extreme of no cells.
pub(crate) fn fold<N: Number>(op: Op, cells: &mut dyn Iterator<Item = N>) -> Option<N> {
    match op {
        Op::Min => cells.reduce(|a, b| N::cellwise(Op::Min2, &[a, b]).unwrap_or(b)),
        Op::Max => cells.reduce(|a, b| N::cellwise(Op::Max2, &[a, b]).unwrap_or(b)),
        Op::Prod => Some(cells.fold(N::of(1.0), N::times)),
        _ => Some(cells.fold(N::of(0.0), N::plus)),
    }
}

#[test]
fn operators_are_what_their_definitions_say() {
    use sumac_la::Type;
    let mut dag = Dag::default();
    let a = dag.input("A", Type::matrix(2, 3));
    let v = dag.input("v", Type::matrix(2, 1));
    let cells = |name: &str| match name {
        "A" => Matrix::new(2, 3, |row, col| (3 * row + col) as f64),
        _ => Matrix::new(2, 1, |row, _| row as f64 + 1.0),
    };
    let transposed = dag.op(Op::Transpose, [a]).unwrap();
    let square = dag.op(Op::MatMul, [transposed, a]).unwrap();
    for (op, args, expected) in [
        (Op::Mul, vec![v, a], vec![0.0, 1.0, 2.0, 6.0, 8.0, 10.0]),
        (Op::MatMul, vec![transposed, v], vec![6.0, 9.0, 12.0]),
        (Op::Trace, vec![square], vec![9.0 + 17.0 + 29.0]),
        (Op::Rev, vec![a], vec![3.0, 4.0, 5.0, 0.0, 1.0, 2.0]),
        (Op::ColMaxs, vec![a], vec![3.0, 4.0, 5.0]),
        (Op::RowMeans, vec![a], vec![1.0, 4.0]),
        (Op::Ncol, vec![a], vec![3.0]),
    ] {
        let root = dag.op(op, args).unwrap();
        let found = value::<f64>(&dag, root, &cells).unwrap();
        assert_eq!(found.cells, expected, "{op:?}");
    }
}
