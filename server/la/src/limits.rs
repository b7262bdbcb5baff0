//! How many cells of a row and of a column can be non-zero at most: what makes estimates exact for diagonal, one-hot
//! and permutation matrices. Limits only tighten estimates; nothing may be concluded from them but a cost.

use serde::{Deserialize, Serialize};

use crate::rules::{Arg, as_f64, keeps_zero};
use crate::table::{Op, ShapeRule, SparsityRule};
use crate::types::{Dim, Type};

/// At most so many cells of each row, and of each column, are not zero. A diagonal matrix has one and one, a one-hot
/// matrix one a row. `None`: as many as there are.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize,
)]
pub struct Limits {
    /// Non-zero cells of any one row.
    pub row: Option<u64>,
    /// Non-zero cells of any one column.
    pub col: Option<u64>,
}

impl Limits {
    /// Nothing is known.
    pub const NONE: Limits = Limits {
        row: None,
        col: None,
    };

    /// At most one a row: one-hot and selection matrices.
    pub const ONE_A_ROW: Limits = Limits {
        row: Some(1),
        col: None,
    };

    /// At most one a column.
    pub const ONE_A_COLUMN: Limits = Limits {
        row: None,
        col: Some(1),
    };

    /// At most one a row and one a column: diagonal matrices and permutations.
    pub const ONE_EACH: Limits = Limits {
        row: Some(1),
        col: Some(1),
    };

    /// No non-zero cell at all.
    pub const EMPTY: Limits = Limits {
        row: Some(0),
        col: Some(0),
    };

    /// Those of the transposed matrix.
    #[must_use]
    pub fn transposed(self) -> Self {
        Limits {
            row: self.col,
            col: self.row,
        }
    }

    /// What holds where both do.
    #[must_use]
    pub fn meet(self, other: Limits) -> Self {
        let least = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
        Limits {
            row: least(self.row, other.row),
            col: least(self.col, other.col),
        }
    }

    /// What holds where the one or the other does.
    #[must_use]
    pub fn join(self, other: Limits) -> Self {
        let most = |a: Option<u64>, b: Option<u64>| Some(a?.max(b?));
        Limits {
            row: most(self.row, other.row),
            col: most(self.col, other.col),
        }
    }

    /// The largest share of non-zero cells that a matrix of these sizes can have within the limits.
    #[must_use]
    pub fn most_share(self, rows: &Dim, cols: &Dim) -> Option<f64> {
        let share = |limit: Option<u64>, size: &Dim| {
            let (limit, size) = (limit?, size.estimate()?);
            Some((as_f64(limit) / as_f64(size.max(1))).min(1.0))
        };
        let (a, b) = (share(self.row, cols), share(self.col, rows));
        a.into_iter().chain(b).reduce(f64::min)
    }

    /// Without what the sizes say as well.
    fn beyond(self, out: &Type) -> Self {
        let says_more = |limit: &u64, size: &Dim| {
            *limit == 0 || size.estimate().is_none_or(|size| *limit < size)
        };
        Limits {
            row: self.row.filter(|limit| says_more(limit, &out.cols)),
            col: self.col.filter(|limit| says_more(limit, &out.rows)),
        }
    }

    fn plus(self, other: Limits) -> Self {
        Limits {
            row: sum(self.row, other.row),
            col: sum(self.col, other.col),
        }
    }
}

fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    a?.checked_add(b?)
}

fn product(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    if a == Some(0) || b == Some(0) {
        return Some(0);
    }
    a?.checked_mul(b?)
}

impl Type {
    /// The limits, or what the sizes say where there is none.
    pub(crate) fn full_limits(&self) -> Limits {
        if self.sparsity == Some(0.0) {
            return Limits::EMPTY;
        }
        Limits {
            row: self.limits.row.or(self.cols.estimate()),
            col: self.limits.col.or(self.rows.estimate()),
        }
    }
}

/// Whether `op` is a product of a matrix with its own transpose whose cells off the diagonal are zero. `is_gram`
/// tells the former.
pub(crate) fn is_diagonal_gram(is_gram: bool, args: &[Arg<'_>]) -> bool {
    is_gram && args[0].ty.full_limits().col.is_some_and(|most| most <= 1)
}

/// The limits of `op` over `args`, whose result has the shape of `out`.
pub(crate) fn infer(op: Op, args: &[Arg<'_>], out: &Type, is_gram: bool) -> Limits {
    let of = |arg: &Arg<'_>| {
        if arg.assumed() == Some(0.0) || arg.ty.sparsity == Some(0.0) {
            Limits::EMPTY
        } else {
            arg.ty.limits
        }
    };
    let first = of(&args[0]);
    // A row that is repeated keeps its limit, one whose single cell is repeated does not.
    let spread = |arg: &Arg<'_>| {
        let limits = of(arg);
        let same = |own: &Dim, whole: &Dim| *own != Dim::Unknown && own == whole;
        let fits = |own, whole| !arg.ty.is_scalar() && same(own, whole);
        Limits {
            row: limits
                .row
                .filter(|most| *most == 0 || fits(&arg.ty.cols, &out.cols)),
            col: limits
                .col
                .filter(|most| *most == 0 || fits(&arg.ty.rows, &out.rows)),
        }
    };
    let info = op.info();
    let limits = match (info.shape, info.sparsity) {
        (ShapeRule::Cellwise, SparsityRule::Min) => spread(&args[0]).meet(spread(&args[1])),
        (ShapeRule::Cellwise, SparsityRule::Plus) => spread(&args[0]).plus(spread(&args[1])),
        (ShapeRule::Cellwise, SparsityRule::First) => spread(&args[0]),
        (
            ShapeRule::Cellwise,
            SparsityRule::FirstByConstant | SparsityRule::Quotient | SparsityRule::Compared,
        ) => match args[1].assumed() {
            Some(c) if keeps_zero(op, c) => spread(&args[0]),
            _ => Limits::NONE,
        },
        (ShapeRule::MatMul, _) if is_diagonal_gram(is_gram, args) => Limits::ONE_EACH,
        (ShapeRule::MatMul, _) => {
            let (a, b) = (args[0].ty.full_limits(), args[1].ty.full_limits());
            Limits {
                row: product(a.row, b.row),
                col: product(a.col, b.col),
            }
        }
        (ShapeRule::Transpose, _) => first.transposed(),
        (ShapeRule::Same | ShapeRule::RightIndex, SparsityRule::First) => first,
        (ShapeRule::RowAgg, SparsityRule::Aggregate) => Limits {
            row: None,
            col: product(first.col, args[0].ty.cols.estimate()),
        },
        (ShapeRule::ColAgg, SparsityRule::Aggregate) => Limits {
            row: product(first.row, args[0].ty.rows.estimate()),
            col: None,
        },
        (ShapeRule::Diag, _) if args[0].ty.cols.is_one() => Limits::ONE_EACH.meet(first),
        (ShapeRule::Cbind | ShapeRule::Rbind, _) => {
            // Beside each other, rows grow longer; one above the other, columns do.
            let full = |arg: &Arg<'_>| arg.ty.full_limits();
            let (added, one) = args[1..]
                .iter()
                .fold((full(&args[0]), full(&args[0])), |(added, one), arg| {
                    (added.plus(full(arg)), one.join(full(arg)))
                });
            if info.shape == ShapeRule::Cbind {
                Limits {
                    col: one.col,
                    ..added
                }
            } else {
                Limits {
                    row: one.row,
                    ..added
                }
            }
        }
        _ => Limits::NONE,
    };
    limits.beyond(out)
}
