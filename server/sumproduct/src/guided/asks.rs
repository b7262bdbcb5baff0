//! What rules ask of the values that their letters stand for. What is not proven of a value counts as false.

use sumac_la::{Dim, Kind, Type};

use super::language::same_shape;

/// What a rule asks of the values that its letters stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asks<L = &'static str> {
    /// Both have one, known shape.
    Same(L, L),
    /// It is a scalar.
    Scalar(L),
    /// It is a matrix.
    Matrix(L),
    /// It is a matrix of one column.
    Column(L),
    /// It is a matrix of one row.
    Row(L),
    /// It is a matrix of one row or one column.
    Vector(L),
    /// Two axes have one, known size.
    Equal((L, Axis), (L, Axis)),
    /// An axis has one row, or one column.
    One((L, Axis)),
}

/// An axis of a matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Axis {
    /// Rows.
    Rows,
    /// Columns.
    Columns,
}

impl<L> Asks<L> {
    /// The same of other letters.
    pub fn map<M>(self, mut f: impl FnMut(L) -> M) -> Asks<M> {
        match self {
            Asks::Same(a, b) => Asks::Same(f(a), f(b)),
            Asks::Scalar(a) => Asks::Scalar(f(a)),
            Asks::Matrix(a) => Asks::Matrix(f(a)),
            Asks::Column(a) => Asks::Column(f(a)),
            Asks::Row(a) => Asks::Row(f(a)),
            Asks::Vector(a) => Asks::Vector(f(a)),
            Asks::Equal((a, x), (b, y)) => Asks::Equal((f(a), x), (f(b), y)),
            Asks::One((a, x)) => Asks::One((f(a), x)),
        }
    }

    /// Whether it holds of letters of these types.
    pub fn holds<'t>(&self, ty: impl Fn(&L) -> &'t Type) -> bool {
        let size = |(letter, axis): &(L, Axis)| match axis {
            Axis::Rows => &ty(letter).rows,
            Axis::Columns => &ty(letter).cols,
        };
        let is_matrix = |letter: &L| ty(letter).kind == Kind::Matrix;
        match self {
            Asks::Same(a, b) => same_shape(ty(a), ty(b)),
            Asks::Scalar(a) => ty(a).is_scalar(),
            Asks::Matrix(a) => is_matrix(a),
            Asks::Column(a) => is_matrix(a) && ty(a).cols.is_one(),
            Asks::Row(a) => is_matrix(a) && ty(a).rows.is_one(),
            Asks::Vector(a) => is_matrix(a) && (ty(a).rows.is_one() || ty(a).cols.is_one()),
            Asks::Equal(a, b) => *size(a) != Dim::Unknown && size(a) == size(b),
            Asks::One(a) => size(a).is_one(),
        }
    }
}
