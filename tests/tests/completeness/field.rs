//! Exact evaluation: expressions over numbers modulo a prime, in which nothing is ever rounded.
//!
//! Two expressions of the fragment that are equal over the reals are equal here. Two that differ give different
//! values for random cells, but for a chance of about their degree in 2^61. Must never use a kernel of the product.

use std::collections::BTreeMap;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use sumac_la::{Dag, Dim, Kind, Node, NodeId, Op, Type};

/// 2^61 - 1, which is prime.
const PRIME: u64 = (1 << 61) - 1;

/// Sizes by the name or the number that types give them.
pub type Sizes = BTreeMap<Dim, usize>;

/// A number modulo the prime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell(u64);

impl Cell {
    fn from_int(n: i64) -> Cell {
        Cell(n.rem_euclid(PRIME.cast_signed()).cast_unsigned())
    }

    /// A constant of a script: a whole number, or one over a small power of two.
    fn from_number(x: f64) -> Cell {
        let (mut whole, mut halvings) = (x, 0);
        while whole.fract() != 0.0 {
            whole *= 2.0;
            halvings += 1;
            assert!(halvings < 60, "{x} is no short binary fraction");
        }
        #[expect(clippy::cast_possible_truncation, reason = "constants are small")]
        let value = Cell::from_int(whole as i64);
        let half = Cell(PRIME.div_ceil(2));
        (0..halvings).fold(value, |v, _| v.times(half))
    }

    fn plus(self, other: Cell) -> Cell {
        Cell((self.0 + other.0) % PRIME)
    }

    fn minus(self, other: Cell) -> Cell {
        Cell((self.0 + PRIME - other.0) % PRIME)
    }

    fn times(self, other: Cell) -> Cell {
        let product = u128::from(self.0) * u128::from(other.0) % u128::from(PRIME);
        Cell(u64::try_from(product).expect("less than the prime"))
    }
}

/// A matrix in row-major order; a scalar is 1 x 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tensor {
    rows: usize,
    cols: usize,
    cells: Vec<Cell>,
}

impl Tensor {
    fn from_fn(rows: usize, cols: usize, cell: impl Fn(usize, usize) -> Cell) -> Tensor {
        let cell = &cell;
        let cells = (0..rows).flat_map(|i| (0..cols).map(move |j| cell(i, j)));
        Tensor {
            rows,
            cols,
            cells: cells.collect(),
        }
    }

    /// A cell; axes of length one repeat.
    fn at(&self, i: usize, j: usize) -> Cell {
        let (i, j) = (
            if self.rows == 1 { 0 } else { i },
            if self.cols == 1 { 0 } else { j },
        );
        self.cells[i * self.cols + j]
    }

    fn random((rows, cols): (usize, usize), rng: &mut ChaCha8Rng) -> Tensor {
        let cells = (0..rows * cols).map(|_| Cell(rng.random_range(0..PRIME)));
        Tensor {
            rows,
            cols,
            cells: cells.collect(),
        }
    }
}

fn size(dim: &Dim, sizes: &Sizes) -> usize {
    match dim.known() {
        Some(1) => 1,
        _ => sizes[dim],
    }
}

/// Random cells for each input.
pub fn random_inputs(dag: &Dag, sizes: &Sizes, rng: &mut ChaCha8Rng) -> Vec<Tensor> {
    let shape = |ty: &Type| match ty.kind {
        Kind::Scalar => (1, 1),
        Kind::Matrix => (size(&ty.rows, sizes), size(&ty.cols, sizes)),
    };
    let inputs = dag.inputs().iter();
    inputs
        .map(|input| Tensor::random(shape(&input.ty), rng))
        .collect()
}

/// The values of `roots`; `None` where one of them is not defined for inputs of these sizes.
pub fn evaluate(dag: &Dag, roots: &[NodeId], inputs: &[Tensor]) -> Option<Vec<Tensor>> {
    let mut values: BTreeMap<NodeId, Tensor> = BTreeMap::new();
    for id in dag.reachable(roots) {
        let value = match dag.node(id) {
            Node::Num(bits) => {
                let number = Cell::from_number(f64::from_bits(*bits));
                Tensor::from_fn(1, 1, |_, _| number)
            }
            Node::Input(n) => inputs[*n as usize].clone(),
            Node::Op(Op::Pow, args) => {
                let exponent = dag.value(args[1]).expect("a number");
                power(&values[&args[0]], exponent)
            }
            Node::Op(op, args) => {
                let args: Vec<&Tensor> = args.iter().map(|a| &values[a]).collect();
                apply(*op, &args)?
            }
        };
        values.insert(id, value);
    }
    Some(roots.iter().map(|root| values[root].clone()).collect())
}

fn power(base: &Tensor, exponent: f64) -> Tensor {
    Tensor::from_fn(base.rows, base.cols, |i, j| {
        let (mut value, mut times) = (Cell(1), 0.0);
        while times < exponent {
            value = value.times(base.at(i, j));
            times += 1.0;
        }
        value
    })
}

fn total(cells: impl Iterator<Item = Cell>) -> Cell {
    cells.fold(Cell(0), Cell::plus)
}

fn apply(op: Op, args: &[&Tensor]) -> Option<Tensor> {
    let x = args[0];
    let (n, m) = (x.rows, x.cols);
    let cellwise = |f: fn(Cell, Cell) -> Cell| {
        let y = args[1];
        let longer = |a: usize, b: usize| if a == 1 { b } else { a };
        Tensor::from_fn(longer(n, y.rows), longer(m, y.cols), |i, j| {
            f(x.at(i, j), y.at(i, j))
        })
    };
    if matches!(op, Op::Add | Op::Sub | Op::Mul) {
        let repeats = |a: usize, b: usize| a == b || a == 1 || b == 1;
        (repeats(n, args[1].rows) && repeats(m, args[1].cols)).then_some(())?;
    }
    Some(match op {
        Op::Add => cellwise(Cell::plus),
        Op::Sub => cellwise(Cell::minus),
        Op::Mul => cellwise(Cell::times),
        Op::Neg => Tensor::from_fn(n, m, |i, j| Cell(0).minus(x.at(i, j))),
        Op::Transpose => Tensor::from_fn(m, n, |i, j| x.at(j, i)),
        Op::MatMul => {
            let y = args[1];
            (m == y.rows).then_some(())?;
            Tensor::from_fn(n, y.cols, |i, j| {
                total((0..m).map(|k| x.at(i, k).times(y.at(k, j))))
            })
        }
        Op::Sum => Tensor::from_fn(1, 1, |_, _| total(x.cells.iter().copied())),
        Op::RowSums => Tensor::from_fn(n, 1, |i, _| total((0..m).map(|j| x.at(i, j)))),
        Op::ColSums => Tensor::from_fn(1, m, |_, j| total((0..n).map(|i| x.at(i, j)))),
        Op::Trace | Op::Diag if n != m && (op == Op::Trace || m != 1) => return None,
        Op::AsScalar if (n, m) != (1, 1) => return None,
        Op::Trace => Tensor::from_fn(1, 1, |_, _| total((0..n).map(|i| x.at(i, i)))),
        Op::Diag if m == 1 => {
            Tensor::from_fn(n, n, |i, j| if i == j { x.at(i, 0) } else { Cell(0) })
        }
        Op::Diag => Tensor::from_fn(n, 1, |i, _| x.at(i, i)),
        Op::AsScalar | Op::AsMatrix => x.clone(),
        other => panic!("{other:?} is not in the fragment"),
    })
}
