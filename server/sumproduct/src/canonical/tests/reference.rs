//! A reference evaluator: as plain as it can be, for the fragment in which the canonical form is complete.

use std::collections::BTreeMap;

use sumac_la::{Dag, Node, NodeId, Op};

/// A matrix in row-major order; scalars are 1 x 1.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Matrix {
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) cells: Vec<f64>,
}

impl Matrix {
    pub(super) fn from_fn(
        rows: usize,
        cols: usize,
        mut cell: impl FnMut(usize, usize) -> f64,
    ) -> Self {
        let cells = (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j)));
        let cells = cells.map(|(i, j)| cell(i, j)).collect();
        Matrix { rows, cols, cells }
    }

    /// A cell; axes of length one repeat.
    fn at(&self, i: usize, j: usize) -> f64 {
        self.cells[i.min(self.rows - 1) * self.cols + j.min(self.cols - 1)]
    }

    pub(super) fn is_near(&self, other: &Matrix) -> bool {
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0);
        (self.rows, self.cols) == (other.rows, other.cols)
            && self.cells.iter().zip(&other.cells).all(near)
    }
}

/// The value of `root` for the given inputs.
pub(super) fn evaluate(dag: &Dag, root: NodeId, inputs: &BTreeMap<String, Matrix>) -> Matrix {
    let mut values: BTreeMap<NodeId, Matrix> = BTreeMap::new();
    for id in dag.reachable(&[root]) {
        let value = match dag.node(id) {
            Node::Num(bits) => Matrix::from_fn(1, 1, |_, _| f64::from_bits(*bits)),
            Node::Input(_) => inputs[&*dag.input_of(id).unwrap().name].clone(),
            Node::Op(op, args) => {
                let args: Vec<&Matrix> = args.iter().map(|a| &values[a]).collect();
                apply(*op, &args)
            }
        };
        values.insert(id, value);
    }
    values.remove(&root).unwrap()
}

fn apply(op: Op, args: &[&Matrix]) -> Matrix {
    let x = args[0];
    let (n, m) = (x.rows, x.cols);
    let cellwise = |f: fn(f64, f64) -> f64| {
        let y = args[1];
        Matrix::from_fn(n.max(y.rows), m.max(y.cols), |i, j| {
            f(x.at(i, j), y.at(i, j))
        })
    };
    match op {
        Op::Add => cellwise(|a, b| a + b),
        Op::Sub => cellwise(|a, b| a - b),
        Op::Mul => cellwise(|a, b| a * b),
        Op::Pow => cellwise(f64::powf),
        Op::Neg => Matrix::from_fn(n, m, |i, j| -x.at(i, j)),
        Op::Transpose => Matrix::from_fn(m, n, |i, j| x.at(j, i)),
        Op::MatMul => {
            let y = args[1];
            Matrix::from_fn(n, y.cols, |i, j| {
                (0..m).map(|k| x.at(i, k) * y.at(k, j)).sum()
            })
        }
        Op::Sum => Matrix::from_fn(1, 1, |_, _| x.cells.iter().sum()),
        Op::RowSums => Matrix::from_fn(n, 1, |i, _| (0..m).map(|j| x.at(i, j)).sum()),
        Op::ColSums => Matrix::from_fn(1, m, |_, j| (0..n).map(|i| x.at(i, j)).sum()),
        Op::Trace => Matrix::from_fn(1, 1, |_, _| (0..n).map(|i| x.at(i, i)).sum()),
        Op::Diag if m == 1 => Matrix::from_fn(n, n, |i, j| if i == j { x.at(i, 0) } else { 0.0 }),
        Op::Diag => Matrix::from_fn(n, 1, |i, _| x.at(i, i)),
        Op::Nrow => Matrix::from_fn(1, 1, |_, _| f64::from(u32::try_from(n).unwrap())),
        Op::Fill => {
            let size = |m: &Matrix| (0..).find(|n| f64::from(*n) >= m.cells[0]).unwrap();
            Matrix::from_fn(
                usize::try_from(size(args[1])).unwrap(),
                usize::try_from(size(args[2])).unwrap(),
                |_, _| x.cells[0],
            )
        }
        other => panic!("{other:?} is not in the fragment"),
    }
}
