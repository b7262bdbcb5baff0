//! Sums and means in fewer words, and matrices of nothing but a diagonal as the column that it is. Must never take a size for known
//! that is only assumed.

use sumac_la::{Node, NodeId, Op};

use super::Writer;

/// A factor is the share of so many cells up to this relative error.
const ROUNDING: f64 = 1e-14;

impl Writer {
    /// The column that a square matrix has on its diagonal, with nothing beside it.
    pub(super) fn on_diagonal(&self, id: NodeId) -> Option<NodeId> {
        let column = self.arg_of(id, Op::Diag)?;
        self.out.ty(column).cols.is_one().then_some(column)
    }

    /// A product with such a matrix is one with the column, cell by cell: no square matrix is made.
    pub(super) fn scaled_by_diagonal(&mut self, a: NodeId, b: NodeId) -> Option<NodeId> {
        if let Some(column) = self.on_diagonal(a) {
            return self.try_op(Op::Mul, &[b, column]);
        }
        let column = self.on_diagonal(b)?;
        let row = self.try_op(Op::Transpose, &[column])?;
        self.try_op(Op::Mul, &[a, row])
    }

    /// The number, known or not, and the matrix whose product a node is.
    fn multiplied(&self, id: NodeId) -> Option<(NodeId, NodeId)> {
        let args = self.args_of(id, Op::Mul)?;
        match [args[0], args[1]].map(|arg| self.out.is_scalar(arg)) {
            [true, false] => Some((args[0], args[1])),
            [false, true] => Some((args[1], args[0])),
            _ => None,
        }
    }

    /// A sum over so many cells, divided by their number.
    pub(super) fn as_mean(&mut self, sum: NodeId, cells: f64) -> Option<NodeId> {
        let Node::Op(op, args) = self.out.node(sum) else {
            return None;
        };
        let (op, of) = (*op, *args.first()?);
        let (rows, cols) = self.size(of)?;
        let [rows, cols] = [rows, cols].map(sumac_la::as_f64);
        let (mean, count) = match op {
            Op::Sum => (Op::Mean, rows * cols),
            Op::RowSums => (Op::RowMeans, cols),
            Op::ColSums => (Op::ColMeans, rows),
            _ => return None,
        };
        let is_it = (cells / count - 1.0).abs() <= ROUNDING && !self.shared.contains(&sum);
        if is_it {
            self.try_op(mean, &[of])
        } else {
            None
        }
    }

    /// A sum, or a mean, of what is known to be one cell, a multiple, a transpose, a product.
    pub(super) fn aggregate(&mut self, op: Op, a: NodeId) -> Option<NodeId> {
        if let Some(column) = self.on_diagonal(a) {
            return match op {
                Op::RowSums => Some(column),
                Op::ColSums => self.try_op(Op::Transpose, &[column]),
                Op::Sum => self.try_op(op, &[column]),
                _ => None,
            };
        }
        if op == Op::Sum
            && let Some(total) = self.dot(a).or_else(|| self.beside_turned(a))
        {
            return Some(total);
        }
        if let Some(size) = self.size(a) {
            let of_one = match op {
                Op::RowSums | Op::RowMeans => size.1 == 1,
                Op::ColSums | Op::ColMeans => size.0 == 1,
                _ => size == (1, 1),
            };
            let is_whole = matches!(op, Op::Sum | Op::Mean);
            if of_one {
                return match is_whole && !self.out.is_scalar(a) {
                    true => self.try_op(Op::AsScalar, &[a]),
                    false => Some(a),
                };
            }
        }
        if self.shared.contains(&a) {
            return None;
        }
        if let Some((c, x)) = self
            .scaled(a)
            .or_else(|| self.scaled_inside(a))
            .filter(|(_, x)| !self.out.is_scalar(*x))
        {
            let total = self.try_op(op, &[x])?;
            return self.times(c, total);
        }
        if let Some((factor, x)) = self.multiplied(a) {
            let total = self.try_op(op, &[x])?;
            return self.try_op(Op::Mul, &[factor, total]);
        }
        if let Some(x) = self.arg_of(a, Op::Transpose) {
            let transposed = match op {
                Op::RowSums => Op::ColSums,
                Op::ColSums => Op::RowSums,
                Op::RowMeans => Op::ColMeans,
                Op::ColMeans => Op::RowMeans,
                _ => return self.try_op(op, &[x]),
            };
            let total = self.try_op(transposed, &[x])?;
            return self.try_op(Op::Transpose, &[total]);
        }
        if op == Op::Sum
            && let Some(x) = self
                .arg_of(a, Op::RowSums)
                .or_else(|| self.arg_of(a, Op::ColSums))
        {
            return self.try_op(op, &[x]);
        }
        // The cells of a matrix beside a vector that repeats: a product with that vector.
        let (rows, cols) = self.size(a)?;
        let factors = self.args_of(a, Op::Mul)?;
        let (matrix, vector) = (factors[0], factors[1]);
        if self.size(matrix) != Some((rows, cols)) || rows == 1 || cols == 1 {
            return None;
        }
        match (op, self.size(vector)?) {
            (Op::RowSums, (1, n)) if n == cols => {
                let column = self.try_op(Op::Transpose, &[vector])?;
                self.try_op(Op::MatMul, &[matrix, column])
            }
            (Op::ColSums, (n, 1)) if n == rows => {
                let row = self.try_op(Op::Transpose, &[vector])?;
                self.try_op(Op::MatMul, &[row, matrix])
            }
            _ => None,
        }
    }

    /// `(c, x * y)` where the node is `x * (c * y)` or `x * -y`.
    fn scaled_inside(&mut self, id: NodeId) -> Option<(f64, NodeId)> {
        let factors = self.args_of(id, Op::Mul)?;
        [(factors[0], factors[1]), (factors[1], factors[0])]
            .into_iter()
            .find_map(|(x, scaled)| {
                let (c, y) = self.scaled(scaled)?;
                if self.out.is_scalar(y) || self.shared.contains(&scaled) {
                    return None;
                }
                let product = self.try_op(Op::Mul, &[x, y])?;
                self.is_same_shape(product, id).then_some((c, product))
            })
    }

    /// The sum of the products of two vectors, one of which is turned for it: the product of both as they are.
    fn dot(&mut self, products: NodeId) -> Option<NodeId> {
        let factors = self.args_of(products, Op::Mul)?;
        let ty = self.out.ty(products);
        let (is_row, is_column) = (ty.rows.is_one(), ty.cols.is_one());
        let is_like = |factor: &NodeId| self.is_same_shape(*factor, products);
        let is_of_vectors = is_row != is_column && factors.iter().all(is_like);
        if !is_of_vectors || self.shared.contains(&products) {
            return None;
        }
        let (transposed, other) =
            match [factors[0], factors[1]].map(|it| self.arg_of(it, Op::Transpose)) {
                [Some(a), Some(b)] => {
                    let products = self.try_op(Op::Mul, &[a, b])?;
                    return self.try_op(Op::Sum, &[products]);
                }
                [Some(transposed), None] => (transposed, factors[1]),
                [None, Some(transposed)] => (transposed, factors[0]),
                [None, None] => return None,
            };
        let (left, right) = if is_column {
            (transposed, other)
        } else {
            (other, transposed)
        };
        let product = self.try_op(Op::MatMul, &[left, right])?;
        self.try_op(Op::AsScalar, &[product])
    }

    /// The sum of a product with a vector that is turned for it: the sums of the matrix beside the vector as it is.
    fn beside_turned(&mut self, product: NodeId) -> Option<NodeId> {
        let factors = self.args_of(product, Op::MatMul)?;
        let (left, right) = (factors[0], factors[1]);
        let ty = self.out.ty(product);
        let (is_row, is_column) = (ty.rows.is_one(), ty.cols.is_one());
        if is_row == is_column || self.shared.contains(&product) {
            return None;
        }
        let (sums, matrix, transposed) = if is_column {
            (Op::ColSums, left, right)
        } else {
            (Op::RowSums, right, left)
        };
        let vector = self.arg_of(transposed, Op::Transpose)?;
        let sums = self.try_op(sums, &[matrix])?;
        let products = self.try_op(Op::Mul, &[sums, vector])?;
        self.try_op(Op::Sum, &[products])
    }
}
