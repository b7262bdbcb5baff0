//! Random expressions of the fragment, made from the shape that they must have. Must never know what is equal.

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use sumac_la::{Dag, Dim, Kind, NodeId, Op, Type};

/// The sizes that axes may have: one, and three others.
#[derive(Clone, Debug)]
pub struct Axes(pub [Dim; 4]);

impl Axes {
    /// Sizes by name.
    pub fn symbolic() -> Axes {
        Axes([
            Dim::Known(1),
            Dim::Named("n".into()),
            Dim::Named("m".into()),
            Dim::Named("k".into()),
        ])
    }

    /// Sizes by number.
    pub fn known(n: u64, m: u64, k: u64) -> Axes {
        Axes([1, n, m, k].map(Dim::Known))
    }
}

/// What an expression must be: a scalar, or a matrix with two of the axes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    Scalar,
    Matrix(usize, usize),
}

/// Makes expressions.
pub struct Grower<'a> {
    pub dag: &'a mut Dag,
    pub axes: &'a Axes,
    pub rng: &'a mut ChaCha8Rng,
}

impl Grower<'_> {
    /// Any goal; vectors and scalars as likely as matrices.
    pub fn goal(&mut self) -> Goal {
        if self.rng.random_bool(0.3) {
            Goal::Scalar
        } else {
            Goal::Matrix(self.rng.random_range(0..4), self.rng.random_range(0..4))
        }
    }

    /// An expression of exactly `operators` operators.
    pub fn grow(&mut self, goal: Goal, operators: usize) -> NodeId {
        if operators == 0 {
            return self.leaf(goal);
        }
        let rest = operators - 1;
        match goal {
            Goal::Scalar => self.scalar(rest),
            Goal::Matrix(r, c) => self.matrix(r, c, rest),
        }
    }

    fn op(&mut self, op: Op, args: &[NodeId]) -> NodeId {
        let made = self.dag.op(op, args.iter().copied());
        made.unwrap_or_else(|error| panic!("the generator keeps shapes: {error}"))
    }

    fn leaf(&mut self, goal: Goal) -> NodeId {
        match goal {
            Goal::Scalar if self.rng.random_bool(0.5) => {
                let value = *[-2.0, -1.0, 0.5, 2.0, 3.0]
                    .choose(self.rng)
                    .expect("not empty");
                self.dag.num(value)
            }
            Goal::Scalar => {
                let name = *["s", "u"].choose(self.rng).expect("not empty");
                self.dag.input(name, Type::scalar())
            }
            Goal::Matrix(r, c) => {
                let letter = *["A", "B"].choose(self.rng).expect("not empty");
                let axis = ["1", "n", "m", "k"];
                let ty = Type::matrix(self.axes.0[r].clone(), self.axes.0[c].clone());
                self.dag
                    .input(&format!("{letter}{}{}", axis[r], axis[c]), ty)
            }
        }
    }

    /// Two parts that share `rest` operators.
    fn two(&mut self, a: Goal, b: Goal, rest: usize) -> [NodeId; 2] {
        let left = self.rng.random_range(0..=rest);
        [self.grow(a, left), self.grow(b, rest - left)]
    }

    fn power(&mut self, goal: Goal, rest: usize) -> NodeId {
        let base = self.grow(goal, rest);
        let exponent = if self.rng.random_bool(0.8) { 2.0 } else { 3.0 };
        let exponent = self.dag.num(exponent);
        self.op(Op::Pow, &[base, exponent])
    }

    fn cellwise(&mut self) -> Op {
        *[Op::Add, Op::Sub, Op::Mul]
            .choose(self.rng)
            .expect("not empty")
    }

    fn scalar(&mut self, rest: usize) -> NodeId {
        let axis = self.rng.random_range(0..4);
        match self.rng.random_range(0..10) {
            0..4 => {
                let args = self.two(Goal::Scalar, Goal::Scalar, rest);
                let op = self.cellwise();
                self.op(op, &args)
            }
            4 => {
                let arg = self.grow(Goal::Scalar, rest);
                self.op(Op::Neg, &[arg])
            }
            5 => self.power(Goal::Scalar, rest),
            6 => {
                let arg = self.grow(Goal::Matrix(0, 0), rest);
                self.op(Op::AsScalar, &[arg])
            }
            7 => {
                let arg = self.grow(Goal::Matrix(axis, axis), rest);
                self.op(Op::Trace, &[arg])
            }
            _ => {
                let other = self.rng.random_range(0..4);
                let arg = self.grow(Goal::Matrix(axis, other), rest);
                self.op(Op::Sum, &[arg])
            }
        }
    }

    fn matrix(&mut self, r: usize, c: usize, rest: usize) -> NodeId {
        let goal = Goal::Matrix(r, c);
        let axis = self.rng.random_range(0..4);
        match self.rng.random_range(0..16) {
            0..5 => {
                // A side may be smaller: it is repeated.
                let smaller = match self.rng.random_range(0..6) {
                    0 => Goal::Scalar,
                    1 => Goal::Matrix(r, 0),
                    2 => Goal::Matrix(0, c),
                    _ => goal,
                };
                let mut args = self.two(goal, smaller, rest);
                if self.rng.random() {
                    args.reverse();
                }
                let op = self.cellwise();
                self.op(op, &args)
            }
            5..9 => {
                let args = self.two(Goal::Matrix(r, axis), Goal::Matrix(axis, c), rest);
                self.op(Op::MatMul, &args)
            }
            9 => {
                let arg = self.grow(goal, rest);
                self.op(Op::Neg, &[arg])
            }
            10 => self.power(goal, rest),
            11 | 12 if c == 0 => {
                let arg = self.grow(Goal::Matrix(r, axis), rest);
                self.op(Op::RowSums, &[arg])
            }
            11 | 12 if r == 0 => {
                let arg = self.grow(Goal::Matrix(axis, c), rest);
                self.op(Op::ColSums, &[arg])
            }
            13 if (r, c) == (0, 0) => {
                let arg = self.grow(Goal::Scalar, rest);
                self.op(Op::AsMatrix, &[arg])
            }
            // A size of one by number would turn building into taking.
            13 if r == c && r > 0 => {
                let arg = self.grow(Goal::Matrix(r, 0), rest);
                self.op(Op::Diag, &[arg])
            }
            13 if c == 0 && r > 0 && !self.axes.0[r].is_one() => {
                let arg = self.grow(Goal::Matrix(r, r), rest);
                self.op(Op::Diag, &[arg])
            }
            _ => {
                let arg = self.grow(Goal::Matrix(c, r), rest);
                self.op(Op::Transpose, &[arg])
            }
        }
    }
}

/// The operators of an expression that is written out, shared parts counted each time.
pub fn operators(dag: &Dag, root: NodeId) -> usize {
    let args = dag.args(root);
    usize::from(!args.is_empty()) + args.iter().map(|a| operators(dag, *a)).sum::<usize>()
}

/// Whether two nodes have one shape, and are both scalars or both matrices.
pub fn same_shape(dag: &Dag, a: NodeId, b: NodeId) -> bool {
    let (a, b) = (dag.ty(a), dag.ty(b));
    (a.kind, &a.rows, &a.cols) == (b.kind, &b.rows, &b.cols)
}

/// Whether a node is a matrix of these sizes.
pub fn is_matrix(dag: &Dag, id: NodeId) -> bool {
    dag.ty(id).kind == Kind::Matrix
}
