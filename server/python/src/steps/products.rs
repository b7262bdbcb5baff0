//! Products of matrices in steps of NumPy: of vectors they are products with one axis, outer products, or scaling.
//!
//! Must never write a product that computes more than the operator does.

use sumac_la::{Dim, Node, NodeId, Op};

use super::{Offers, STEP, made};
use crate::raise::Way;
use crate::tree::Step;

impl Offers<'_, '_> {
    /// All ways of a product of matrices, of vectors and of what has one cell.
    pub(super) fn product(&mut self, a: NodeId, b: NodeId) {
        let (left, right) = (self.ty(a), self.ty(b));
        let (one_row, one_col) = (left.rows.is_one(), right.cols.is_one());
        let is_outer = left.cols.is_one() && right.rows.is_one();
        let at = |id: NodeId, way: Way| self.raising.get(id, way);
        use Way::{Matrix, Scalar, Turned, Vector};
        let m = Step::MatMul;
        if one_row && one_col {
            self.both(Scalar, m.clone(), STEP, [at(a, Vector), at(b, Vector)]);
        }
        if one_col {
            self.both(Vector, m.clone(), STEP, [at(a, Matrix), at(b, Vector)]);
            self.both(Vector, m.clone(), STEP + 12, [at(b, Vector), at(a, Turned)]);
        }
        if one_row {
            self.both(Vector, m.clone(), STEP, [at(a, Vector), at(b, Matrix)]);
            self.both(Vector, m.clone(), STEP + 12, [at(b, Turned), at(a, Vector)]);
        }
        if is_outer {
            if self.raising.means.functions {
                self.both(Matrix, Step::Outer, STEP, [at(a, Vector), at(b, Vector)]);
                self.both(Turned, Step::Outer, STEP, [at(b, Vector), at(a, Vector)]);
            }
            let times = Step::Cell(Op::Mul);
            self.both(Matrix, times.clone(), STEP, [at(a, Matrix), at(b, Vector)]);
            self.both(Turned, times, STEP, [at(b, Turned), at(a, Vector)]);
        }
        self.both(Matrix, m.clone(), STEP, [at(a, Matrix), at(b, Matrix)]);
        self.both(Turned, m, STEP, [at(b, Turned), at(a, Turned)]);
        // A matrix with one cell multiplies as a number does.
        for way in Way::ALL {
            let times = Step::Cell(Op::Mul);
            if one_row && left.cols.is_one() {
                self.both(way, times.clone(), STEP, [at(a, Scalar), at(b, way)]);
            }
            if one_col && right.rows.is_one() {
                self.both(way, times, STEP, [at(a, way), at(b, Scalar)]);
            }
        }
        self.scaled_in_between(a, b);
    }

    /// `A %*% (w * B)` as `(A * t(w)) %*% B`, where both scale as many cells: that needs no column.
    fn scaled_in_between(&mut self, a: NodeId, b: NodeId) {
        let form = self.raising.form;
        let Node::Op(Op::Mul, args) = form.node(b) else {
            return;
        };
        if self.ty(a).rows != self.ty(b).cols || self.ty(a).rows == Dim::Unknown {
            return;
        }
        for (w, rest) in [(args[0], args[1]), (args[1], args[0])] {
            let (by, ty) = (self.ty(w), self.ty(rest));
            if by.is_scalar() || !by.cols.is_one() || by.rows.is_one() || ty.cols.is_one() {
                continue;
            }
            let get = |id: NodeId, way: Way| self.raising.get(id, way);
            if let (Some(left), Some(w), Some(right)) = (
                get(a, Way::Matrix),
                get(w, Way::Vector),
                get(rest, Way::Matrix),
            ) && let Some(scaled) = made(Step::Cell(Op::Mul), STEP, &[left, w])
            {
                self.offer(Way::Matrix, made(Step::MatMul, STEP, &[&scaled, right]));
            }
        }
    }
}
