//! How each operator of linear algebra is written in steps of NumPy, for each way in which its value can be there.
//!
//! Must never offer a step that computes something else than the operator does of the same arguments.

mod arrays;
mod products;

use sumac_la::{Node, NodeId, Op, Type};

use crate::lower::BY_AXIS;
use crate::make;
use crate::raise::{Made, Raising, Way, Ways};
use crate::sound::is_comparison;
use crate::tree::Step;
use crate::value::DType;

/// The weight of a step.
const STEP: u32 = 10;

/// Offers all ways to write `op` of `args`.
pub(crate) fn offer(raising: &Raising<'_>, op: Op, args: &[NodeId], ty: &Type, ways: &mut Ways) {
    let mut offers = Offers { raising, ty, ways };
    match (op, args) {
        (Op::MatMul, &[a, b]) => offers.product(a, b),
        (Op::Transpose, &[a]) => offers.transposed(a),
        (Op::AsScalar | Op::AsMatrix, &[a]) => offers.same(a),
        (Op::Diag, &[a]) => offers.diagonal(a),
        (Op::Trace, &[a]) => {
            offers.of_whole(Step::Trace, a, &[Way::Matrix, Way::Turned]);
            if raising.form.ty(a).rows.is_one() {
                offers.same(a);
            }
        }
        (Op::Fill, &[value, rows, cols]) => offers.fill(value, rows, cols),
        (Op::Nrow, &[a]) => offers.size(a, &[0]),
        (Op::Ncol, &[a]) => offers.size(a, &[1]),
        (Op::Length, &[a]) => offers.size(a, &[0, 1]),
        (Op::Sigmoid, &[a]) => offers.sigmoid(a),
        (Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Pow, &[a, b]) => offers.arithmetic(op, a, b),
        (_, &[a, b]) if is_comparison(op) => offers.cells(op, a, b),
        (_, &[a]) if is_map(op) => offers.map(op, a),
        (_, &[a]) => offers.reduced(op, a),
        _ => {}
    }
}

/// Whether it is a function of single cells that NumPy has.
fn is_map(op: Op) -> bool {
    matches!(
        op,
        Op::Neg
            | Op::Exp
            | Op::Log
            | Op::Sqrt
            | Op::Abs
            | Op::Sin
            | Op::Cos
            | Op::Tan
            | Op::Tanh
            | Op::Sinh
            | Op::Cosh
    )
}

/// A step over expressions, and what it weighs with them.
fn made(step: Step, weight: u32, args: &[&Made]) -> Option<Made> {
    let weight = args.iter().map(|arg| arg.weight).sum::<u32>() + weight;
    let tree = make::step(step, args.iter().map(|arg| arg.tree.clone()).collect())?;
    Some(Made { weight, tree })
}

/// Whether it may be evaluated at any time.
fn is_pure(made: &Option<&Made>) -> bool {
    made.is_none_or(|made| {
        let mut nodes = made.tree.nodes();
        nodes.all(|node| !matches!(&node.step, Step::Atom(atom) if !atom.is_pure))
    })
}

/// The ways of one node, as they are found.
struct Offers<'a, 'b> {
    /// The nodes before it.
    raising: &'a Raising<'b>,
    /// Its type.
    ty: &'a Type,
    /// What was found.
    ways: &'a mut Ways,
}

impl<'a> Offers<'a, '_> {
    /// Offers an expression for one way.
    fn offer(&mut self, way: Way, made: Option<Made>) {
        self.ways.offer(self.ty, way, made);
    }

    /// Another node in a way.
    fn get(&self, id: NodeId, way: Way) -> Option<&'a Made> {
        self.raising.get(id, way)
    }

    /// The type of another node.
    fn ty(&self, id: NodeId) -> &'a Type {
        self.raising.form.ty(id)
    }

    /// Offers a step of two expressions that are both there.
    fn both(&mut self, way: Way, step: Step, weight: u32, args: [Option<&Made>; 2]) {
        if let [Some(a), Some(b)] = args {
            self.offer(way, made(step, weight, &[a, b]));
        }
    }

    /// The value of another node as it is.
    fn same(&mut self, a: NodeId) {
        for way in Way::ALL {
            self.offer(way, self.get(a, way).cloned());
        }
    }

    /// The value of another node, turned.
    fn transposed(&mut self, a: NodeId) {
        for (from, to) in [
            (Way::Scalar, Way::Scalar),
            (Way::Vector, Way::Vector),
            (Way::Turned, Way::Matrix),
            (Way::Matrix, Way::Turned),
        ] {
            self.offer(to, self.get(a, from).cloned());
        }
    }

    /// A function of each cell.
    fn map(&mut self, op: Op, a: NodeId) {
        if !self.raising.means.functions && op != Op::Neg {
            return;
        }
        if op == Op::Sqrt {
            self.norm(a);
        }
        for way in Way::ALL {
            if let Some(a) = self.get(a, way) {
                self.offer(way, made(Step::Map(op), STEP, &[a]));
            }
        }
    }

    /// The root of a sum of squares.
    fn norm(&mut self, sum: NodeId) {
        let form = self.raising.form;
        let Node::Op(Op::Sum, squares) = form.node(sum) else {
            return;
        };
        let Node::Op(Op::Pow, power) = form.node(squares[0]) else {
            return;
        };
        let ways = [Way::Vector, Way::Matrix, Way::Turned];
        if form.value(power[1]) == Some(2.0)
            && let Some((_, a)) = self.raising.simplest(power[0], &ways)
            && matches!(
                a.tree.value.dtype,
                DType::Float32 | DType::Float64 | DType::Assumed
            )
        {
            self.offer(Way::Scalar, made(Step::Norm, STEP, &[a]));
        }
    }

    /// `1 / (1 + exp(-a))`.
    fn sigmoid(&mut self, a: NodeId) {
        if !self.raising.means.functions {
            return;
        }
        let Some(one) = make::number(1.0, self.raising.means.integers) else {
            return;
        };
        let one = Made {
            weight: 1,
            tree: one,
        };
        for way in Way::ALL {
            let Some(a) = self.get(a, way) else { continue };
            let found = made(Step::Map(Op::Neg), STEP, &[a])
                .and_then(|a| made(Step::Map(Op::Exp), STEP, &[&a]))
                .and_then(|a| made(Step::Cell(Op::Add), STEP, &[&one, &a]))
                .and_then(|a| made(Step::Cell(Op::Div), STEP, &[&one, &a]));
            self.offer(way, found);
        }
    }

    /// What `-1 * a`, `-a` and a number below zero take away.
    fn negated(&self, id: NodeId) -> Option<Negated> {
        let form = self.raising.form;
        if let Some(value) = form.value(id) {
            return (value < 0.0).then_some(Negated::Number(-value));
        }
        match form.node(id) {
            Node::Op(Op::Neg, args) => Some(Negated::Node(args[0])),
            Node::Op(Op::Mul, args) => match (form.value(args[0]), form.value(args[1])) {
                (Some(-1.0), _) => Some(Negated::Node(args[1])),
                (_, Some(-1.0)) => Some(Negated::Node(args[0])),
                _ => None,
            },
            _ => None,
        }
    }

    /// Arithmetic, simpler where it takes away, changes the sign or squares.
    fn arithmetic(&mut self, op: Op, a: NodeId, b: NodeId) {
        let value = |id: NodeId| self.raising.form.value(id);
        match (op, value(a), value(b)) {
            (Op::Mul, Some(-1.0), _) => self.map(Op::Neg, b),
            (Op::Mul, _, Some(-1.0)) => self.map(Op::Neg, a),
            (Op::Sub, Some(0.0), _) => self.map(Op::Neg, b),
            (Op::Pow, _, Some(2.0)) => self.squared(a),
            (Op::Mul, ..) if a == b && !self.raising.form.args(a).is_empty() => self.squared(a),
            (Op::Add | Op::Sub, ..) => {
                let other = if op == Op::Add { Op::Sub } else { Op::Add };
                match self.negated(b) {
                    Some(Negated::Node(b)) => self.cells(other, a, b),
                    Some(Negated::Number(b)) => self.with_number(other, a, b),
                    None => {}
                }
                if op == Op::Add
                    && let Some(Negated::Node(a)) = self.negated(a)
                {
                    self.cells(Op::Sub, b, a);
                }
            }
            _ => {}
        }
        self.cells(op, a, b);
    }

    /// The square of a node.
    fn squared(&mut self, a: NodeId) {
        for way in Way::ALL {
            if let Some(a) = self.get(a, way) {
                self.offer(way, made(Step::Square, STEP, &[a]));
            }
        }
    }

    /// Arithmetic with a number that the form does not have.
    fn with_number(&mut self, op: Op, a: NodeId, number: f64) {
        let Some(tree) = make::number(number, self.raising.means.integers) else {
            return;
        };
        let number = Made { weight: 1, tree };
        for way in Way::ALL {
            if let Some(a) = self.get(a, way) {
                self.offer(way, made(Step::Cell(op), STEP, &[a, &number]));
            }
        }
    }

    /// Cell by cell, in the ways that broadcast to the wanted one.
    fn cells(&mut self, op: Op, a: NodeId, b: NodeId) {
        let (a, b) = (self.narrowed(a, b), self.narrowed(b, a));
        for way in Way::ALL {
            let (lefts, rights) = (self.beside(way, a), self.beside(way, b));
            for &left in &lefts {
                for &right in &rights {
                    let is_enough = left == way || right == way;
                    let mut args = [self.get(a, left), self.get(b, right)];
                    // People write the vector behind the matrix that it scales.
                    let is_vector_first =
                        left == Way::Vector && matches!(right, Way::Matrix | Way::Turned);
                    if op == Op::Mul && is_vector_first && args.iter().all(is_pure) {
                        args.reverse();
                    }
                    if is_enough {
                        self.both(way, Step::Cell(op), STEP, args);
                    }
                }
            }
        }
    }

    /// A column that is repeated to stand beside a row: broadcasting does it.
    fn narrowed(&self, id: NodeId, beside: NodeId) -> NodeId {
        let form = self.raising.form;
        let (ty, row) = (self.ty(id), self.ty(beside));
        let is_row = !row.is_scalar() && row.rows.is_one() && row.cols == ty.cols;
        if let Node::Op(Op::MatMul, args) = form.node(id)
            && is_row
            && let Node::Op(Op::Fill, fill) = form.node(args[1])
            && form.value(fill[0]) == Some(1.0)
            && self.ty(args[1]).rows.is_one()
        {
            return args[0];
        }
        id
    }

    /// The ways of an argument that may stand where the result is wanted in `way`.
    fn beside(&self, way: Way, arg: NodeId) -> Vec<Way> {
        let ty = self.ty(arg);
        let (one_row, one_col) = (ty.rows.is_one(), ty.cols.is_one());
        let mut found = Vec::new();
        if ty.is_scalar() || (one_row && one_col) {
            found.push(Way::Scalar);
        }
        // A single axis stands for the last one.
        let is_last = match way {
            Way::Scalar => false,
            Way::Vector => (self.ty.rows.is_one(), self.ty.cols.is_one()) == (one_row, one_col),
            Way::Matrix => one_row,
            Way::Turned => one_col,
        };
        if is_last {
            found.push(Way::Vector);
        }
        if matches!(way, Way::Matrix | Way::Turned) {
            found.push(way);
        }
        found
    }

    /// A step of a node in any of some ways that gives a number.
    fn of_whole(&mut self, step: Step, a: NodeId, ways: &[Way]) {
        if !self.raising.means.functions && !matches!(step, Step::Reduce { .. } | Step::Trace) {
            return;
        }
        if let Some((_, a)) = self.raising.simplest(a, ways) {
            self.offer(Way::Scalar, made(step, STEP, &[a]));
        }
    }

    /// Sums and their like, of everything or along an axis.
    fn reduced(&mut self, op: Op, a: NodeId) {
        let whole = [Op::Sum, Op::Mean, Op::Min, Op::Max, Op::Prod];
        if whole.contains(&op) {
            let ty = self.ty(a);
            if ty.is_scalar() || (ty.rows.is_one() && ty.cols.is_one()) {
                self.offer(Way::Scalar, self.get(a, Way::Scalar).cloned());
            }
            let step = Step::Reduce {
                by: op,
                axis: None,
                keepdims: false,
            };
            self.of_whole(step, a, &[Way::Vector, Way::Matrix, Way::Turned]);
            return;
        }
        let by_rows = BY_AXIS.iter().find(|(_, rows, _)| *rows == op);
        let by_cols = BY_AXIS.iter().find(|(.., cols)| *cols == op);
        let (by, is_by_row) = match (by_rows, by_cols) {
            (Some((by, ..)), _) => (*by, true),
            (_, Some((by, ..))) => (*by, false),
            _ => return,
        };
        let of = self.ty(a);
        let (one, other) = if is_by_row {
            (&of.cols, &of.rows)
        } else {
            (&of.rows, &of.cols)
        };
        if one.is_one() {
            self.same(a);
        }
        if other.is_one() {
            let step = Step::Reduce {
                by,
                axis: None,
                keepdims: false,
            };
            self.of_whole(step, a, &[Way::Vector, Way::Matrix, Way::Turned]);
        }
        self.kept(by, is_by_row, a);
        // The axis to go is the last one of the matrix, and the first of the turned one.
        for way in [Way::Matrix, Way::Turned] {
            let Some(a) = self.get(a, way) else { continue };
            let axis = Some(usize::from(is_by_row == (way == Way::Matrix)));
            for keepdims in [false, true] {
                let step = Step::Reduce { by, axis, keepdims };
                let (to, weight) = if keepdims {
                    (way, STEP + 2)
                } else {
                    (Way::Vector, STEP)
                };
                self.offer(to, made(step, weight, &[a]));
            }
        }
    }

    /// A sum or its like of everything that keeps the axes: of a single one, or by columns of what was summed by rows.
    fn kept(&mut self, by: Op, is_by_row: bool, a: NodeId) {
        let step = Step::Reduce {
            by,
            axis: None,
            keepdims: true,
        };
        let of = self.ty(a);
        let goes_along = if is_by_row { &of.rows } else { &of.cols };
        if goes_along.is_one()
            && let Some(a) = self.get(a, Way::Vector)
        {
            self.offer(Way::Vector, made(step.clone(), STEP + 2, &[a]));
        }
        let family = BY_AXIS.iter().find(|(whole, ..)| *whole == by);
        if let (Some((_, rows, cols)), Node::Op(op, args)) = (family, self.raising.form.node(a))
            && *op == (if is_by_row { *cols } else { *rows })
        {
            for way in [Way::Matrix, Way::Turned] {
                if let Some(a) = self.get(args[0], way) {
                    self.offer(way, made(step.clone(), STEP + 2, &[a]));
                }
            }
        }
    }
}

/// What is taken away.
enum Negated {
    /// Another node.
    Node(NodeId),
    /// A number above zero.
    Number(f64),
}
