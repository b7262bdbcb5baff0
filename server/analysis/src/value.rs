//! What the analysis knows of a value. Pure data: it must never know how the value was computed.

use std::sync::Arc;

use sumac_la::{Dim, Limits, Type};
use sumac_text::TextRange;

use crate::provenance::{Origin, Provenance, Stated};

/// The kinds of values that DML has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ValueKind {
    /// A floating-point number.
    Double,
    /// An integer.
    Int,
    /// `TRUE` or `FALSE`.
    Bool,
    /// Text.
    String,
    /// A scalar of which the value type is not known, such as `$k`.
    Scalar,
    /// A matrix.
    Matrix,
    /// A frame.
    Frame,
    /// A list.
    List,
    /// Nothing is known.
    Unknown,
}

impl ValueKind {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ValueKind::Double => "double",
            ValueKind::Int => "int",
            ValueKind::Bool => "bool",
            ValueKind::String => "string",
            ValueKind::Scalar => "scalar",
            ValueKind::Matrix => "matrix",
            ValueKind::Frame => "frame",
            ValueKind::List => "list",
            ValueKind::Unknown => "unknown",
        }
    }

    /// A value of it, in words.
    #[must_use]
    pub fn with_article(self) -> &'static str {
        match self {
            ValueKind::Double => "a double",
            ValueKind::Int => "an integer",
            ValueKind::Bool => "a boolean",
            ValueKind::String => "a string",
            ValueKind::Scalar => "a scalar",
            ValueKind::Matrix => "a matrix",
            ValueKind::Frame => "a frame",
            ValueKind::List => "a list",
            ValueKind::Unknown => "a value",
        }
    }

    /// Whether it is a scalar that arithmetic takes.
    #[must_use]
    pub fn is_numeric_scalar(self) -> bool {
        matches!(
            self,
            ValueKind::Double | ValueKind::Int | ValueKind::Bool | ValueKind::Scalar
        )
    }

    /// Whether it is any scalar, text included.
    #[must_use]
    pub fn is_scalar(self) -> bool {
        self == ValueKind::String || self.is_numeric_scalar()
    }

    /// What remains known where the one or the other value arrives.
    #[must_use]
    pub fn join(self, other: ValueKind) -> ValueKind {
        match (self, other) {
            (a, b) if a == b => a,
            (ValueKind::Int, ValueKind::Double) | (ValueKind::Double, ValueKind::Int) => {
                ValueKind::Double
            }
            (a, b) if a.is_scalar() && b.is_scalar() => ValueKind::Scalar,
            _ => ValueKind::Unknown,
        }
    }
}

/// A scalar whose value is known before the script runs.
#[derive(Clone, Debug)]
pub enum Constant {
    /// A number.
    Number(f64),
    /// `TRUE` or `FALSE`.
    Bool(bool),
    /// Text.
    Text(Arc<str>),
}

impl PartialEq for Constant {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Constant::Number(a), Constant::Number(b)) => a.to_bits() == b.to_bits(),
            (Constant::Bool(a), Constant::Bool(b)) => a == b,
            (Constant::Text(a), Constant::Text(b)) => a == b,
            _ => false,
        }
    }
}

impl Constant {
    /// The number; `TRUE` is 1.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            Constant::Number(n) => Some(*n),
            Constant::Bool(b) => Some(f64::from(u8::from(*b))),
            Constant::Text(_) => None,
        }
    }

    /// The kind of scalar that it is.
    #[must_use]
    pub fn kind(&self) -> ValueKind {
        match self {
            Constant::Number(n) if n.fract() == 0.0 => ValueKind::Int,
            Constant::Number(_) => ValueKind::Double,
            Constant::Bool(_) => ValueKind::Bool,
            Constant::Text(_) => ValueKind::String,
        }
    }

    /// Reads a command-line value as SystemDS does: a number, a truth value, otherwise text.
    #[must_use]
    pub fn parse(text: &str) -> Constant {
        match (text, text.parse::<f64>()) {
            ("TRUE" | "true", _) => Constant::Bool(true),
            ("FALSE" | "false", _) => Constant::Bool(false),
            (_, Ok(number)) => Constant::Number(number),
            (_, Err(_)) => Constant::Text(text.into()),
        }
    }
}

/// What is known of a value.
#[derive(Clone, PartialEq, Debug)]
pub struct ValueInfo {
    /// Its kind.
    pub kind: ValueKind,
    /// Rows; 1 for scalars.
    pub rows: Dim,
    /// Columns; 1 for scalars.
    pub cols: Dim,
    /// Share of non-zero cells, 0 to 1.
    pub sparsity: Option<f64>,
    /// Most non-zero cells of a row and of a column.
    pub limits: Limits,
    /// What an estimate below 1 rests on.
    pub provenance: Provenance,
    /// The value of a scalar that is known.
    pub constant: Option<Constant>,
    /// Whether another run can have another value without an edit of what computes it: the constant rests on an argument, a
    /// default, a call, or on what is said of data. Such a constant is for people and for estimates; nothing is decided by it.
    pub is_assumed: bool,
    /// A scalar's value as a size: a number, or a name such as `nrow(X)`.
    pub size: Dim,
    /// Who says so, where it is not computed.
    pub origin: Option<Origin>,
    /// Set where another run can have other sizes without an edit of what computes it: they rest on an argument, on data, or on
    /// what is said of either.
    pub stated: Option<Stated>,
    /// The `read(…)` that gave no size.
    pub unsized_read: Option<TextRange>,
}

impl ValueInfo {
    /// A value of `kind` of which nothing else is known.
    #[must_use]
    pub fn of(kind: ValueKind) -> Self {
        let dim = if kind.is_scalar() {
            Dim::Known(1)
        } else {
            Dim::Unknown
        };
        ValueInfo {
            kind,
            rows: dim.clone(),
            cols: dim,
            sparsity: kind.is_scalar().then_some(1.0),
            limits: Limits::NONE,
            provenance: Provenance::default(),
            constant: None,
            is_assumed: false,
            size: Dim::Unknown,
            origin: None,
            stated: None,
            unsized_read: None,
        }
    }

    /// Who tells its sizes, or its value, where another run can have others without an edit of what computes it.
    #[must_use]
    pub fn told_by(&self) -> Option<Stated> {
        let of_origin = self.origin.as_ref().map(Origin::stated);
        let known = of_origin.or_else(|| self.stated.clone());
        known.or_else(|| self.is_assumed.then(Stated::default))
    }

    /// A value of which nothing is known.
    #[must_use]
    pub fn unknown() -> Self {
        ValueInfo::of(ValueKind::Unknown)
    }

    /// A matrix.
    #[must_use]
    pub fn matrix(rows: Dim, cols: Dim, sparsity: Option<f64>) -> Self {
        ValueInfo {
            rows,
            cols,
            sparsity,
            ..ValueInfo::of(ValueKind::Matrix)
        }
    }

    /// A scalar whose value is known.
    #[must_use]
    pub fn constant(constant: Constant) -> Self {
        let kind = constant.kind();
        ValueInfo::of(kind).with_constant(Some(constant))
    }

    /// The same value, known to be `constant`.
    #[must_use]
    pub fn with_constant(mut self, constant: Option<Constant>) -> Self {
        if let Some(dim) = constant
            .as_ref()
            .and_then(Constant::number)
            .and_then(as_size)
        {
            self.size = dim;
        }
        self.constant = constant;
        self
    }

    /// The same value, of which the constant is an assumption.
    #[must_use]
    pub fn as_assumed(mut self) -> Self {
        self.is_assumed = true;
        self
    }

    /// The same number, which another run may have of another kind: an integer or a double.
    #[must_use]
    pub fn of_any_number(mut self) -> Self {
        if matches!(self.kind, ValueKind::Int | ValueKind::Double) {
            self.kind = ValueKind::Scalar;
        }
        self.as_assumed()
    }

    /// Its value as a number of rows or columns. Where one is only assumed, what has that size may be no vector.
    #[must_use]
    pub fn extent(&self) -> Dim {
        unless_assumed(self.size.clone(), self.is_assumed)
    }

    /// What is known where the same value is `certain` to be no more than the other says: with sizes of one that only arguments,
    /// callers and data make, and then as assumed, unless a size of one is certain beside them.
    pub(crate) fn settled(self, certain: ValueInfo) -> ValueInfo {
        let sizes = [(&self.rows, &certain.rows), (&self.cols, &certain.cols)];
        let are_settled = sizes
            .iter()
            .all(|(own, certain)| is_small(own) != (own == certain));
        if self.kind != ValueKind::Matrix
            || certain.kind != self.kind
            || !are_settled
            || sizes.iter().all(|(own, _)| !is_small(own))
        {
            return certain;
        }
        ValueInfo {
            rows: self.rows,
            cols: self.cols,
            ..certain.as_assumed()
        }
    }

    /// The number that it is known to be.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        self.constant.as_ref().and_then(Constant::number)
    }

    /// Its type in linear algebra; `None` for text, frames, lists and values of unknown kind.
    #[must_use]
    pub fn la_type(&self) -> Option<Type> {
        match self.kind {
            ValueKind::Matrix => Some(self.ty()),
            kind if kind.is_numeric_scalar() => Some(self.ty()),
            _ => None,
        }
    }

    /// Rows, columns and sparsity as a type; what is no scalar counts as a matrix.
    #[must_use]
    pub fn ty(&self) -> Type {
        if self.kind.is_scalar() {
            return Type {
                size: self.extent(),
                assumed: self.number(),
                ..Type::scalar()
            };
        }
        Type {
            sparsity: self.sparsity,
            limits: self.limits,
            ..Type::matrix(self.rows.clone(), self.cols.clone())
        }
    }

    /// The same within limits, which tighten the sparsity.
    #[must_use]
    pub fn within(mut self, limits: Limits) -> Self {
        self.sparsity = self.ty().within(limits).sparsity;
        self.limits = limits;
        self
    }

    /// What remains known where the one or the other value arrives. `widen` gives up a sparsity that changes.
    #[must_use]
    pub fn join(&self, other: &ValueInfo, widen: bool) -> ValueInfo {
        let kind = self.kind.join(other.kind);
        let dim = |a: &Dim, b: &Dim| if a == b { a.clone() } else { Dim::Unknown };
        let same_origin = self.origin == other.origin;
        let sparsity = match (self.sparsity, other.sparsity) {
            (Some(a), Some(b)) if widen && a.to_bits() != b.to_bits() => Some(1.0),
            (Some(a), Some(b)) => Some(a.max(b)),
            _ => None,
        };
        let limits = match self.limits.join(other.limits) {
            _ if widen && self.limits != other.limits => Limits::NONE,
            limits => limits,
        };
        let mut provenance = Provenance::default();
        if sparsity.is_some_and(|share| share < 1.0) {
            provenance.add(&self.provenance);
            provenance.add(&other.provenance);
        }
        ValueInfo {
            kind,
            rows: dim(&self.rows, &other.rows),
            cols: dim(&self.cols, &other.cols),
            sparsity,
            limits,
            provenance,
            constant: if self.constant == other.constant {
                self.constant.clone()
            } else {
                None
            },
            is_assumed: self.is_assumed || other.is_assumed,
            size: dim(&self.size, &other.size),
            origin: if same_origin {
                self.origin.clone()
            } else {
                None
            },
            stated: if same_origin && self.stated == other.stated {
                self.stated.clone()
            } else {
                Stated::join(self.told_by(), other.told_by())
            },
            unsized_read: self.unsized_read.or(other.unsized_read),
        }
    }

    /// What remains known where both values are possible, and this one is assumed to arrive: a number that both know of a
    /// size stays this one's, unless one of them makes a vector and the other none.
    #[must_use]
    pub fn likely(&self, other: &ValueInfo) -> ValueInfo {
        let joined = self.join(other, false);
        let dim = |mine: &Dim, other: &Dim, both: Dim| match (mine, other) {
            (Dim::Known(a), Dim::Known(b)) if *a > 1 && *b > 1 => mine.clone(),
            _ => both,
        };
        let is_alike = self.kind.is_scalar() && other.kind.is_scalar();
        ValueInfo {
            rows: dim(&self.rows, &other.rows, joined.rows),
            cols: dim(&self.cols, &other.cols, joined.cols),
            size: dim(&self.size, &other.size, joined.size),
            constant: self.constant.clone().filter(|_| is_alike),
            is_assumed: joined.is_assumed || self.constant != other.constant,
            ..joined
        }
    }

    /// Whether it is estimated to have cells that are zero.
    #[must_use]
    pub fn is_sparse(&self) -> bool {
        self.sparsity.is_some_and(|share| share < 1.0)
    }

    /// The same kind with nothing else known.
    #[must_use]
    pub fn forget(&self) -> ValueInfo {
        ValueInfo::of(self.kind)
    }
}

/// A number as a size, where it can be one.
#[must_use]
pub fn as_size(number: f64) -> Option<Dim> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be a size"
    )]
    (number.fract() == 0.0 && (0.0..9e15).contains(&number)).then_some(Dim::Known(number as u64))
}

/// A size that rests on an assumption where it `is_assumed`: of none and of one nothing is known then, as these decide what is a
/// vector and what is empty.
pub(crate) fn unless_assumed(size: Dim, is_assumed: bool) -> Dim {
    match is_assumed && is_small(&size) {
        true => Dim::Unknown,
        false => size,
    }
}

/// Whether a size decides what is a vector, or what is empty.
pub(crate) fn is_small(size: &Dim) -> bool {
    matches!(size, Dim::Known(0 | 1))
}

/// A whole number of a script as a value.
#[expect(clippy::cast_precision_loss, reason = "DML's numbers are doubles")]
pub(crate) fn as_f64(n: i64) -> f64 {
    n as f64
}

/// Whether two kinds are different forms of data: a matrix and a scalar, but not two scalars.
pub(crate) fn differs(a: ValueKind, b: ValueKind) -> bool {
    let is_known = a != ValueKind::Unknown && b != ValueKind::Unknown;
    is_known && a != b && !(a.is_scalar() && b.is_scalar())
}
