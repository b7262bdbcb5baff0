//! The shape and sparsity rules that the table names.

use thiserror::Error;

use crate::limits::{self, Limits};
use crate::table::{Op, ShapeRule, SparsityRule};
use crate::types::{Dim, Kind, Type};

/// What a rule may look at of an argument.
#[derive(Clone, Copy, Debug)]
pub struct Arg<'a> {
    /// Its type.
    pub ty: &'a Type,
    /// Its value where it is a constant.
    pub value: Option<f64>,
}

impl Arg<'_> {
    /// Its value for estimates: what it is, or what is assumed of it.
    pub(crate) fn assumed(&self) -> Option<f64> {
        self.value.or(self.ty.assumed)
    }

    /// Its value where it is a constant or a size that is a number.
    fn exact(&self) -> Option<f64> {
        self.value.or(self.ty.size.known().map(as_f64))
    }

    /// Its value where that is whole: what is computed with it is a size as well.
    fn whole(&self) -> Dim {
        match self.value {
            Some(value) if value.fract() != 0.0 => Dim::Unknown,
            _ => self.size(),
        }
    }

    /// Its value as a size.
    fn size(&self) -> Dim {
        match self.value {
            Some(value) => size(Some(value)),
            None => self.ty.size.clone(),
        }
    }
}

/// Why an operator does not fit its arguments. The text names both shapes.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ShapeError {
    /// Two arguments whose shapes do not go together.
    #[error("`{op}` cannot combine {left} with {right}: {rule}", op = .op.info().call_name().unwrap_or_else(|| sign(*.op)))]
    Mismatch {
        /// The operator.
        op: Op,
        /// Shape of the first.
        left: String,
        /// Shape of the second.
        right: String,
        /// What would fit.
        rule: String,
    },
    /// One argument of the wrong shape.
    #[error("`{op}` cannot take {found}: expected {expected}", op = .op.info().call_name().unwrap_or_else(|| sign(*.op)))]
    Unfit {
        /// The operator.
        op: Op,
        /// Shape found.
        found: String,
        /// Shape expected.
        expected: String,
    },
}

fn sign(op: Op) -> &'static str {
    match op.info().print {
        crate::Print::Infix(sign, _) | crate::Print::Prefix(sign, _) => sign,
        _ => "[…]",
    }
}

/// The type of `op` over `args`, or why they do not fit. Unknown sizes fit everything. `is_gram`: one argument is the
/// other transposed.
///
/// # Errors
/// The shapes do not fit each other.
pub fn infer(op: Op, args: &[Arg<'_>], is_gram: bool) -> Result<Type, ShapeError> {
    let (kind, rows, cols) = shape(op, args)?;
    let mut ty = Type {
        kind,
        rows,
        cols,
        sparsity: Some(1.0),
        limits: Limits::NONE,
        size: Dim::Unknown,
        assumed: None,
    };
    if kind == Kind::Scalar {
        (ty.size, ty.assumed) = scalar(op, args);
    } else {
        ty.sparsity = sparsity(op, args, &ty, is_gram).map(|s| s.clamp(0.0, 1.0));
        let limits = limits::infer(op, args, &ty, is_gram);
        ty = ty.within(limits);
    }
    Ok(ty)
}

/// A scalar's value as a size, and the number that is assumed of it.
fn scalar(op: Op, args: &[Arg<'_>]) -> (Dim, Option<f64>) {
    let first = args[0].ty;
    let of_shape = match op {
        Op::Nrow => Some(first.rows.clone()),
        Op::Ncol => Some(first.cols.clone()),
        Op::Length => Some(first.rows.times(&first.cols)),
        _ => None,
    };
    if let Some(size) = of_shape {
        let number = size.estimate().map(as_f64);
        return (size, number);
    }
    let both = args.iter().all(|arg| arg.ty.is_scalar());
    let assumed = |i: usize| args.get(i).and_then(Arg::assumed).filter(|_| both);
    let number = match (op, assumed(0), assumed(1)) {
        (Op::Add, Some(a), Some(b)) => Some(a + b),
        (Op::Sub, Some(a), Some(b)) => Some(a - b),
        (Op::Mul, Some(a), Some(b)) => Some(a * b),
        (Op::Div, Some(a), Some(b)) => Some(a / b),
        (Op::Pow, Some(a), Some(b)) => Some(a.powf(b)),
        (Op::Neg, Some(a), None) => Some(-a),
        _ => None,
    };
    let size = match (op, args) {
        (Op::Add, [a, b]) if both => a.whole().plus(&b.whole()),
        (Op::Sub, [a, b]) if both => a.whole().minus(&b.whole()),
        (Op::Mul, [a, b]) if both => a.whole().times(&b.whole()),
        _ => Dim::Unknown,
    };
    (size, number.filter(|n| n.is_finite()))
}

fn shape(op: Op, args: &[Arg<'_>]) -> Result<(Kind, Dim, Dim), ShapeError> {
    let scalar = (Kind::Scalar, Dim::Known(1), Dim::Known(1));
    let first = args[0].ty;
    let unfit = |expected: &str| ShapeError::Unfit {
        op,
        found: describe(first),
        expected: expected.to_owned(),
    };
    let needs_matrix = || {
        if first.is_scalar() {
            Err(unfit("a matrix"))
        } else {
            Ok(())
        }
    };
    let matrix = |rows: &Dim, cols: &Dim| Ok((Kind::Matrix, rows.clone(), cols.clone()));
    match op.info().shape {
        ShapeRule::Cellwise => args[1..].iter().try_fold(
            (first.kind, first.rows.clone(), first.cols.clone()),
            |(kind, rows, cols), arg| broadcast(op, (kind, &rows, &cols), arg.ty),
        ),
        ShapeRule::MatMul => {
            let second = args[1].ty;
            if first.is_scalar() || second.is_scalar() {
                return Err(mismatch(
                    op,
                    first,
                    second,
                    "both must be matrices; `*` multiplies by a scalar",
                ));
            }
            if first.cols.meet(&second.rows).is_none() {
                let rule = format!(
                    "columns of the left ({}) must equal rows of the right ({})",
                    first.cols, second.rows
                );
                return Err(mismatch(op, first, second, &rule));
            }
            matrix(&first.rows, &second.cols)
        }
        ShapeRule::Transpose => {
            needs_matrix()?;
            matrix(&first.cols, &first.rows)
        }
        ShapeRule::Same => Ok((first.kind, first.rows.clone(), first.cols.clone())),
        ShapeRule::FullAgg => Ok(scalar),
        ShapeRule::RowAgg => {
            needs_matrix()?;
            matrix(&first.rows, &Dim::Known(1))
        }
        ShapeRule::ColAgg => {
            needs_matrix()?;
            matrix(&Dim::Known(1), &first.cols)
        }
        ShapeRule::Trace | ShapeRule::Diag if first.is_scalar() => Err(unfit("a matrix")),
        ShapeRule::Trace => match first.rows.meet(&first.cols) {
            Some(_) => Ok(scalar),
            None => Err(unfit("a square matrix")),
        },
        ShapeRule::Diag => match (first.cols.is_one(), first.rows.meet(&first.cols)) {
            (true, _) => matrix(&first.rows, &first.rows),
            (false, Some(n)) if first.is_sized() || first.rows == first.cols => {
                matrix(&n, &Dim::Known(1))
            }
            (false, Some(n)) => matrix(&n, &Dim::Unknown),
            (false, None) => Err(unfit("a column vector or a square matrix")),
        },
        ShapeRule::Cbind | ShapeRule::Rbind => concat(op, args),
        ShapeRule::RightIndex => {
            needs_matrix()?;
            matrix(
                &span(&args[1], &args[2], &first.rows),
                &span(&args[3], &args[4], &first.cols),
            )
        }
        ShapeRule::Fill | ShapeRule::Reshape => {
            let (rows, cols) = (args[1].size(), args[2].size());
            if op == Op::Reshape
                && let (Some(cells), Some(r), Some(c)) =
                    (first.cells(), rows.estimate(), cols.estimate())
                && (cells - as_f64(r) * as_f64(c)).abs() > 0.5
            {
                return Err(unfit(&format!("{r} * {c} = {} cells", r.saturating_mul(c))));
            }
            matrix(&rows, &cols)
        }
        ShapeRule::Seq => {
            let rows = match (args[0].exact(), args[1].exact(), args[2].exact()) {
                (Some(from), Some(to), Some(by)) if by != 0.0 => {
                    size(Some(((to - from) / by).floor() + 1.0))
                }
                (_, _, Some(1.0)) => from_to(&args[0], &args[1]),
                _ => Dim::Unknown,
            };
            matrix(&rows, &Dim::Known(1))
        }
        ShapeRule::AsScalar => match (first.rows.estimate(), first.cols.estimate()) {
            (Some(r), Some(c)) if (r, c) != (1, 1) => Err(unfit("a 1 x 1 matrix")),
            _ => Ok(scalar),
        },
        ShapeRule::AsMatrix => matrix(&first.rows, &first.cols),
        ShapeRule::Meta => Ok(scalar),
    }
}

fn describe(ty: &Type) -> String {
    match ty.kind {
        Kind::Scalar => "a scalar".to_owned(),
        Kind::Matrix => format!("{} x {}", ty.rows, ty.cols),
    }
}

fn mismatch(op: Op, left: &Type, right: &Type, rule: &str) -> ShapeError {
    ShapeError::Mismatch {
        op,
        left: describe(left),
        right: describe(right),
        rule: rule.to_owned(),
    }
}

/// SystemDS broadcasts scalars always, 1 x 1 matrices, and on the right a column or row vector.
fn broadcast(
    op: Op,
    left: (Kind, &Dim, &Dim),
    right: &Type,
) -> Result<(Kind, Dim, Dim), ShapeError> {
    let (kind, rows, cols) = left;
    if kind == Kind::Scalar || right.is_scalar() {
        let (kind, rows, cols) = if right.is_scalar() {
            left
        } else {
            (right.kind, &right.rows, &right.cols)
        };
        return Ok((kind, rows.clone(), cols.clone()));
    }
    let fits = |a: &Dim, b: &Dim| match a.meet(b) {
        // A size of one on either side repeats; an unknown size beside a number greater than one may be that one.
        Some(d) => Some(d),
        None if a.is_one() => Some(b.clone()),
        None if b.is_one() => Some(a.clone()),
        None => None,
    };
    // An unknown size may be one or the other side's: only a side that is not one fixes the result.
    let join = |a: &Dim, b: &Dim| match (a, b) {
        (Dim::Known(1), other) | (other, Dim::Known(1)) => Some(other.clone()),
        _ => fits(a, b),
    };
    match (join(rows, &right.rows), join(cols, &right.cols)) {
        (Some(r), Some(c)) => Ok((Kind::Matrix, r, c)),
        _ => {
            let left = Type::matrix(rows.clone(), cols.clone());
            let rule = "shapes must be equal, or one a scalar, a row or a column vector that fits";
            Err(mismatch(op, &left, right, rule))
        }
    }
}

fn concat(op: Op, args: &[Arg<'_>]) -> Result<(Kind, Dim, Dim), ShapeError> {
    let side = |ty: &Type| {
        if op == Op::Cbind {
            (ty.rows.clone(), ty.cols.clone())
        } else {
            (ty.cols.clone(), ty.rows.clone())
        }
    };
    let (mut along, mut across) = side(args[0].ty);
    for arg in &args[1..] {
        let (a, c) = side(arg.ty);
        along = along.meet(&a).ok_or_else(|| {
            let what = if op == Op::Cbind {
                "rows must be equal"
            } else {
                "columns must be equal"
            };
            mismatch(op, args[0].ty, arg.ty, what)
        })?;
        across = across.plus(&c);
    }
    Ok(if op == Op::Cbind {
        (Kind::Matrix, along, across)
    } else {
        (Kind::Matrix, across, along)
    })
}

/// How many positions there are from the one to the other; all of `whole` where the one is the first and the other the
/// last, as callers write a range that is left out.
fn span(low: &Arg<'_>, high: &Arg<'_>, whole: &Dim) -> Dim {
    let is_first = low.value == Some(1.0);
    if is_first && whole.known().is_none() && high.size() == *whole {
        return whole.clone();
    }
    match (low.exact(), high.exact()) {
        (Some(a), Some(b)) if b >= a => size(Some(b - a + 1.0)),
        (Some(_), Some(_)) => Dim::Unknown,
        _ => from_to(low, high),
    }
}

fn from_to(low: &Arg<'_>, high: &Arg<'_>) -> Dim {
    match high.whole().plus(&Dim::Known(1)).minus(&low.whole()) {
        Dim::Known(0) => Dim::Unknown,
        size => size,
    }
}

pub(crate) fn size(value: Option<f64>) -> Dim {
    match value {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be a size"
        )]
        Some(v) if (0.0..9e15).contains(&v) => Dim::Known(v.floor() as u64),
        _ => Dim::Unknown,
    }
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
/// A size as a number.
#[must_use]
pub fn as_f64(n: u64) -> f64 {
    n as f64
}

fn sparsity(op: Op, args: &[Arg<'_>], out: &Type, is_gram: bool) -> Option<f64> {
    let of = |arg: &Arg<'_>| match arg.assumed() {
        // A scalar operand stands for a matrix full of it.
        Some(v) => Some(if v == 0.0 { 0.0 } else { 1.0 }),
        None => arg.ty.sparsity,
    };
    let first = || of(&args[0]);
    match op.info().sparsity {
        SparsityRule::Min => match (first(), of(&args[1])) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (Some(a), None) | (None, Some(a)) if a < 1.0 => Some(a),
            _ => None,
        },
        SparsityRule::Plus => args
            .iter()
            .take(2)
            .try_fold(0.0, |sum, arg| Some(sum + of(arg)?))
            .map(|s: f64| s.min(1.0)),
        SparsityRule::First => first(),
        SparsityRule::Dense => Some(1.0),
        by @ (SparsityRule::FirstByConstant | SparsityRule::Quotient | SparsityRule::Compared) => {
            match (by, args[1].assumed()) {
                (_, Some(c)) if !args[0].ty.is_scalar() && keeps_zero(op, c) => first(),
                (SparsityRule::Quotient, None) => {
                    let a = first()?;
                    match of(&args[1]) {
                        _ if a == 0.0 => Some(1.0),
                        Some(b) => Some((a + 1.0 - b).min(1.0)),
                        // A divisor of which nothing is known is taken to be full, as everything is.
                        None => (a < 1.0).then_some(a),
                    }
                }
                (SparsityRule::Compared, None) => Some((first()? + of(&args[1])?).min(1.0)),
                _ => Some(1.0),
            }
        }
        SparsityRule::MatMul => {
            let k = as_f64(args[0].ty.cols.estimate().or(args[1].ty.rows.estimate())?);
            let shares = (first()?, of(&args[1])?);
            if limits::is_diagonal_gram(is_gram, args) {
                let n = as_f64(out.rows.estimate()?.max(1));
                return Some((k * shares.0).min(1.0) / n);
            }
            Some(product(k, (args[0].ty, shares.0), (args[1].ty, shares.1)))
        }
        SparsityRule::Aggregate => {
            let whole = args[0].ty.cells()?;
            Some((first()? * whole / out.cells()?.max(1.0)).min(1.0))
        }
        SparsityRule::Concat => {
            let mut nnz = 0.0;
            for arg in args {
                nnz += of(arg)? * arg.ty.cells()?;
            }
            Some(nnz / out.cells()?.max(1.0))
        }
        SparsityRule::Diag => match (args[0].ty.cols.is_one(), args[0].ty.rows.estimate()) {
            (true, Some(n)) => Some(first()? / as_f64(n.max(1))),
            (true, None) => None,
            (false, _) => Some(1.0),
        },
        SparsityRule::Fill => Some(if args[0].assumed() == Some(0.0) {
            0.0
        } else {
            1.0
        }),
    }
}

/// The share of cells of a product in which at least one pair of non-zero cells meets, over `k` pairs. No more than a
/// row of the left or a column of the right holds can meet; and each non-zero cell of the one side reaches no more
/// cells of the product than a row, or a column, of the other holds.
fn product(k: f64, (left, a): (&Type, f64), (right, b): (&Type, f64)) -> f64 {
    let limit = |most: Option<u64>| most.map(as_f64);
    let (l, r) = (left.limits, right.limits);
    let most = [limit(l.row), limit(r.col)]
        .into_iter()
        .flatten()
        .fold(k, f64::min);
    let each = if most > 0.0 { a * b * (k / most) } else { 0.0 };
    let share = if most > 0.0 && each >= 1.0 {
        1.0
    } else {
        -(most * (-each).ln_1p()).exp_m1()
    };
    let reached = |share: f64, most: Option<u64>, of: &Dim| {
        Some(share * k * as_f64(most?) / as_f64(of.estimate()?.max(1)))
    };
    [
        reached(a, r.row, &right.cols),
        reached(b, l.col, &left.rows),
    ]
    .into_iter()
    .flatten()
    .fold(share, f64::min)
}

/// Whether `0 op c` is zero.
pub(crate) fn keeps_zero(op: Op, c: f64) -> bool {
    match op {
        Op::Div | Op::Mod | Op::IntDiv => c != 0.0,
        Op::Pow => c > 0.0,
        Op::Ne => c == 0.0,
        Op::Gt => c >= 0.0,
        Op::Lt => c <= 0.0,
        _ => false,
    }
}
