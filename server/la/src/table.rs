//! The table of operators: one row says everything the optimizer, the costs and the printer need to know.
//!
//! An operator is one row here, which names it, too, its meaning in [`scalar`](crate::scalar) or a kernel in the runtime. What it does to
//! numbers must not stand here.

use serde::{Deserialize, Serialize};

/// How many arguments an operator takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arity {
    /// Exactly this many.
    Exactly(usize),
    /// This many or more.
    AtLeast(usize),
}

impl Arity {
    /// Whether `n` arguments fit.
    #[must_use]
    pub fn accepts(self, n: usize) -> bool {
        match self {
            Arity::Exactly(k) => n == k,
            Arity::AtLeast(k) => n >= k,
        }
    }
}

/// How an operator's DML text looks. Strengths: `^` 9, prefix 8, `%*%` 7, `%% %/%` 6, `* /` 5, `+ -` 4, comparisons 3,
/// `!` 2, `&` 1, `|` 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Print {
    /// `a sign b` with a binding strength.
    Infix(&'static str, u8),
    /// `sign a` with a binding strength.
    Prefix(&'static str, u8),
    /// `name(a, b)`.
    Call(&'static str),
    /// `X[a:b, c:d]`.
    RightIndex,
    /// Left indexing has no expression form; it is printed by the statement that holds it.
    LeftIndex,
    /// `matrix(value, rows=r, cols=c)`.
    Fill,
}

/// How the result's shape follows from the arguments'.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShapeRule {
    /// Cell by cell; scalars, row and column vectors broadcast.
    Cellwise,
    /// m x k times k x n.
    MatMul,
    /// Rows and columns swapped.
    Transpose,
    /// As the first argument.
    Same,
    /// A scalar from a matrix.
    FullAgg,
    /// One column.
    RowAgg,
    /// One row.
    ColAgg,
    /// A scalar from a square matrix.
    Trace,
    /// Column vector to square matrix, square matrix to column vector.
    Diag,
    /// Side by side.
    Cbind,
    /// One above the other.
    Rbind,
    /// `X[rl:ru, cl:cu]`, five arguments.
    RightIndex,
    /// `matrix(value, rows, cols)`.
    Fill,
    /// `matrix(X, rows, cols)`: cells kept in row-major order.
    Reshape,
    /// `seq(from, to, by)`.
    Seq,
    /// 1 x 1 matrix to scalar.
    AsScalar,
    /// Scalar to 1 x 1 matrix.
    AsMatrix,
    /// A scalar that describes a shape.
    Meta,
}

/// How the share of non-zero cells follows (SPORES Figure 12 for the sum-product operators).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SparsityRule {
    /// min(S_a, S_b): zero where either is.
    Min,
    /// min(1, S_a + S_b): zero only where both are.
    Plus,
    /// As the first argument's.
    First,
    /// 1.
    Dense,
    /// As the first argument's if the second is a constant that keeps zeros (`X^2`), otherwise 1.
    FirstByConstant,
    /// As [`FirstByConstant`](Self::FirstByConstant) against a constant (`X / 2`), otherwise min(1, S_a + 1 - S_b): zero
    /// where only the first is. A zero matrix over anything may hold 0 / 0.
    Quotient,
    /// As [`FirstByConstant`](Self::FirstByConstant) against a constant (`X > 0`), otherwise min(1, S_a + S_b).
    Compared,
    /// 1 - (1 - S_a S_b k / m)^m, where at most m of the k pairs can meet ([`Limits`](crate::Limits)).
    MatMul,
    /// min(1, |axis| S) for an aggregated axis.
    Aggregate,
    /// Cells of both over all cells.
    Concat,
    /// Vector to diagonal matrix: S / n.
    Diag,
    /// 0 for a constant zero, otherwise 1.
    Fill,
}

/// Which cells of the arguments may be skipped because the result is zero there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SparseSafe {
    /// None.
    No,
    /// Cells where the (first) argument is zero.
    First,
    /// Cells where any argument is zero.
    Any,
    /// Cells where all arguments are zero.
    All,
}

/// How many floating-point operations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FlopRule {
    /// This many for each cell that is touched (weights as in SystemDS's `ComputeCost`).
    PerCell(f64),
    /// This many for each cell of the first argument that is read.
    PerInputCell(f64),
    /// Two for each pair of cells that meet.
    MatMul,
    /// Only moves data or looks at sizes.
    None,
}

/// Everything that is said of an operator.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// The operator.
    pub op: Op,
    /// Number of arguments.
    pub arity: Arity,
    /// Printed form.
    pub print: Print,
    /// Shape of the result.
    pub shape: ShapeRule,
    /// Sparsity of the result.
    pub sparsity: SparsityRule,
    /// Work.
    pub flops: FlopRule,
    /// Cells that may be skipped.
    pub sparse_safe: SparseSafe,
    /// Whether `f(a, b) = f(b, a)`.
    pub commutative: bool,
    /// Whether each cell of the result is 1 or 0; of scalars the result is a boolean.
    pub truth_valued: bool,
    /// Whether integers give an integer, where it fits; all other operators give doubles.
    pub keeps_integers: bool,
}

impl OpInfo {
    /// The name by which DML calls it, for operators written as calls.
    #[must_use]
    pub fn call_name(&self) -> Option<&'static str> {
        match self.print {
            Print::Call(name) => Some(name),
            Print::Fill => Some("matrix"),
            Print::Infix(..) | Print::Prefix(..) | Print::RightIndex | Print::LeftIndex => None,
        }
    }
}

use Arity::{AtLeast, Exactly};
use FlopRule::{PerCell, PerInputCell};
use Print::{Call, Infix, Prefix};
use ShapeRule as H;
use SparseSafe as Z;
use SparsityRule as S;

const fn row(
    op: Op,
    arity: Arity,
    print: Print,
    shape: ShapeRule,
    sparsity: SparsityRule,
    flops: FlopRule,
    sparse_safe: SparseSafe,
) -> OpInfo {
    let commutative = matches!(
        op,
        Op::Add | Op::Mul | Op::Min2 | Op::Max2 | Op::Eq | Op::Ne | Op::And | Op::Or
    );
    let truth_valued = matches!(
        op,
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::And | Op::Or | Op::Not
    );
    let keeps_integers = matches!(
        op,
        Op::Add | Op::Sub | Op::Mul | Op::Mod | Op::IntDiv | Op::Min2 | Op::Max2 | Op::Neg
    );
    OpInfo {
        op,
        arity,
        print,
        shape,
        sparsity,
        flops,
        sparse_safe,
        commutative,
        truth_valued,
        keeps_integers,
    }
}

/// Names the operators by their rows.
macro_rules! operators {
    ($($name:ident: ($($said:tt)*),)*) => {
        /// An algebraic operator. Its arity, shape, sparsity, FLOPs and printed form: [`Op::info`].
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
        #[allow(missing_docs, reason = "each is described by its row of the table")]
        #[repr(u8)]
        pub enum Op { $($name),* }

        impl Op {
            /// All operators in the order of the table.
            pub const ALL: &'static [Op] = &[$(Op::$name),*];
        }

        static TABLE: [OpInfo; Op::ALL.len()] = [$(row(Op::$name, $($said)*)),*];
    };
}

operators! {
    MatMul:      (Exactly(2), Infix("%*%", 7),       H::MatMul,     S::MatMul,          FlopRule::MatMul,   Z::Any),
    Add:         (Exactly(2), Infix("+", 4),         H::Cellwise,   S::Plus,            PerCell(1.0),       Z::All),
    Sub:         (Exactly(2), Infix("-", 4),         H::Cellwise,   S::Plus,            PerCell(1.0),       Z::All),
    Mul:         (Exactly(2), Infix("*", 5),         H::Cellwise,   S::Min,             PerCell(1.0),       Z::Any),
    Div:         (Exactly(2), Infix("/", 5),         H::Cellwise,   S::Quotient,        PerCell(22.0),      Z::First),
    Pow:         (Exactly(2), Infix("^", 9),         H::Cellwise,   S::FirstByConstant, PerCell(16.0),      Z::First),
    Min2:        (Exactly(2), Call("min"),           H::Cellwise,   S::Plus,            PerCell(1.0),       Z::All),
    Max2:        (Exactly(2), Call("max"),           H::Cellwise,   S::Plus,            PerCell(1.0),       Z::All),
    Mod:         (Exactly(2), Infix("%%", 6),        H::Cellwise,   S::Quotient,        PerCell(8.0),       Z::First),
    IntDiv:      (Exactly(2), Infix("%/%", 6),       H::Cellwise,   S::Quotient,        PerCell(6.0),       Z::First),
    Eq:          (Exactly(2), Infix("==", 3),        H::Cellwise,   S::Dense,           PerCell(1.0),       Z::No),
    Ne:          (Exactly(2), Infix("!=", 3),        H::Cellwise,   S::Compared,        PerCell(1.0),       Z::All),
    Lt:          (Exactly(2), Infix("<", 3),         H::Cellwise,   S::Compared,        PerCell(1.0),       Z::All),
    Le:          (Exactly(2), Infix("<=", 3),        H::Cellwise,   S::Dense,           PerCell(1.0),       Z::No),
    Gt:          (Exactly(2), Infix(">", 3),         H::Cellwise,   S::Compared,        PerCell(1.0),       Z::All),
    Ge:          (Exactly(2), Infix(">=", 3),        H::Cellwise,   S::Dense,           PerCell(1.0),       Z::No),
    And:         (Exactly(2), Infix("&", 1),         H::Cellwise,   S::Min,             PerCell(1.0),       Z::Any),
    Or:          (Exactly(2), Infix("|", 0),         H::Cellwise,   S::Plus,            PerCell(1.0),       Z::All),
    Neg:         (Exactly(1), Prefix("-", 8),        H::Cellwise,   S::First,           PerCell(1.0),       Z::First),
    Not:         (Exactly(1), Prefix("!", 2),        H::Cellwise,   S::Dense,           PerCell(1.0),       Z::No),
    Exp:         (Exactly(1), Call("exp"),           H::Cellwise,   S::Dense,           PerCell(18.0),      Z::No),
    Log:         (Exactly(1), Call("log"),           H::Cellwise,   S::Dense,           PerCell(32.0),      Z::No),
    LogBase:     (Exactly(2), Call("log"),           H::Cellwise,   S::Dense,           PerCell(64.0),      Z::No),
    Sqrt:        (Exactly(1), Call("sqrt"),          H::Cellwise,   S::First,           PerCell(2.0),       Z::First),
    Abs:         (Exactly(1), Call("abs"),           H::Cellwise,   S::First,           PerCell(1.0),       Z::First),
    Sign:        (Exactly(1), Call("sign"),          H::Cellwise,   S::First,           PerCell(1.0),       Z::First),
    Round:       (Exactly(1), Call("round"),         H::Cellwise,   S::First,           PerCell(4.0),       Z::First),
    Floor:       (Exactly(1), Call("floor"),         H::Cellwise,   S::First,           PerCell(4.0),       Z::First),
    Ceil:        (Exactly(1), Call("ceil"),          H::Cellwise,   S::First,           PerCell(4.0),       Z::First),
    Sigmoid:     (Exactly(1), Call("sigmoid"),       H::Cellwise,   S::Dense,           PerCell(21.0),      Z::No),
    Sin:         (Exactly(1), Call("sin"),           H::Cellwise,   S::First,           PerCell(18.0),      Z::First),
    Cos:         (Exactly(1), Call("cos"),           H::Cellwise,   S::Dense,           PerCell(22.0),      Z::No),
    Tan:         (Exactly(1), Call("tan"),           H::Cellwise,   S::First,           PerCell(42.0),      Z::First),
    Asin:        (Exactly(1), Call("asin"),          H::Cellwise,   S::First,           PerCell(93.0),      Z::First),
    Acos:        (Exactly(1), Call("acos"),          H::Cellwise,   S::Dense,           PerCell(103.0),     Z::No),
    Atan:        (Exactly(1), Call("atan"),          H::Cellwise,   S::First,           PerCell(40.0),      Z::First),
    Sinh:        (Exactly(1), Call("sinh"),          H::Cellwise,   S::First,           PerCell(93.0),      Z::First),
    Cosh:        (Exactly(1), Call("cosh"),          H::Cellwise,   S::Dense,           PerCell(103.0),     Z::No),
    Tanh:        (Exactly(1), Call("tanh"),          H::Cellwise,   S::First,           PerCell(40.0),      Z::First),
    Transpose:   (Exactly(1), Call("t"),             H::Transpose,  S::First,           FlopRule::None,     Z::First),
    Rev:         (Exactly(1), Call("rev"),           H::Same,       S::First,           FlopRule::None,     Z::First),
    Diag:        (Exactly(1), Call("diag"),          H::Diag,       S::Diag,            FlopRule::None,     Z::First),
    Reshape:     (Exactly(3), Call("matrix"),        H::Reshape,    S::First,           FlopRule::None,     Z::First),
    Sum:         (Exactly(1), Call("sum"),           H::FullAgg,    S::Dense,           PerInputCell(1.0),  Z::First),
    RowSums:     (Exactly(1), Call("rowSums"),       H::RowAgg,     S::Aggregate,       PerInputCell(1.0),  Z::First),
    ColSums:     (Exactly(1), Call("colSums"),       H::ColAgg,     S::Aggregate,       PerInputCell(1.0),  Z::First),
    Mean:        (Exactly(1), Call("mean"),          H::FullAgg,    S::Dense,           PerInputCell(1.0),  Z::First),
    RowMeans:    (Exactly(1), Call("rowMeans"),      H::RowAgg,     S::Aggregate,       PerInputCell(1.0),  Z::First),
    ColMeans:    (Exactly(1), Call("colMeans"),      H::ColAgg,     S::Aggregate,       PerInputCell(1.0),  Z::First),
    Min:         (Exactly(1), Call("min"),           H::FullAgg,    S::Dense,           PerInputCell(1.0),  Z::First),
    Max:         (Exactly(1), Call("max"),           H::FullAgg,    S::Dense,           PerInputCell(1.0),  Z::First),
    RowMins:     (Exactly(1), Call("rowMins"),       H::RowAgg,     S::Aggregate,       PerInputCell(1.0),  Z::First),
    RowMaxs:     (Exactly(1), Call("rowMaxs"),       H::RowAgg,     S::Aggregate,       PerInputCell(1.0),  Z::First),
    ColMins:     (Exactly(1), Call("colMins"),       H::ColAgg,     S::Aggregate,       PerInputCell(1.0),  Z::First),
    ColMaxs:     (Exactly(1), Call("colMaxs"),       H::ColAgg,     S::Aggregate,       PerInputCell(1.0),  Z::First),
    Prod:        (Exactly(1), Call("prod"),          H::FullAgg,    S::Dense,           PerInputCell(1.0),  Z::No),
    Trace:       (Exactly(1), Call("trace"),         H::Trace,      S::Dense,           FlopRule::None,     Z::First),
    Nrow:        (Exactly(1), Call("nrow"),          H::Meta,       S::Dense,           FlopRule::None,     Z::No),
    Ncol:        (Exactly(1), Call("ncol"),          H::Meta,       S::Dense,           FlopRule::None,     Z::No),
    Length:      (Exactly(1), Call("length"),        H::Meta,       S::Dense,           FlopRule::None,     Z::No),
    Cbind:       (AtLeast(1), Call("cbind"),         H::Cbind,      S::Concat,          FlopRule::None,     Z::All),
    Rbind:       (AtLeast(1), Call("rbind"),         H::Rbind,      S::Concat,          FlopRule::None,     Z::All),
    RightIndex:  (Exactly(5), Print::RightIndex,     H::RightIndex, S::First,           FlopRule::None,     Z::First),
    LeftIndex:   (Exactly(6), Print::LeftIndex,      H::Same,       S::Plus,            FlopRule::None,     Z::All),
    Fill:        (Exactly(3), Print::Fill,           H::Fill,       S::Fill,            FlopRule::None,     Z::No),
    Seq:         (Exactly(3), Call("seq"),           H::Seq,        S::Dense,           FlopRule::None,     Z::No),
    AsScalar:    (Exactly(1), Call("as.scalar"),     H::AsScalar,   S::Dense,           FlopRule::None,     Z::No),
    AsMatrix:    (Exactly(1), Call("as.matrix"),     H::AsMatrix,   S::Dense,           FlopRule::None,     Z::No),
    IfElse:      (Exactly(3), Call("ifelse"),        H::Cellwise,   S::Dense,           PerCell(1.0),       Z::No),
}

impl Op {
    /// The operator's row of the table.
    #[must_use]
    pub fn info(self) -> &'static OpInfo {
        &TABLE[self as usize]
    }

    /// The operator that DML calls `name` with `arity` positional arguments.
    #[must_use]
    pub fn by_call_name(name: &str, arity: usize) -> Option<Op> {
        TABLE
            .iter()
            .find(|row| row.call_name() == Some(name) && row.arity.accepts(arity))
            .map(|row| row.op)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_stands_at_its_operators_place() {
        for (op, row) in Op::ALL.iter().zip(&TABLE) {
            assert_eq!(*op, row.op);
            assert_eq!(op.info().op, *op);
        }
    }

    #[test]
    fn calls_are_found_by_name_and_arity() {
        assert_eq!(Op::by_call_name("min", 1), Some(Op::Min));
        assert_eq!(Op::by_call_name("min", 2), Some(Op::Min2));
        assert_eq!(Op::by_call_name("log", 2), Some(Op::LogBase));
        assert_eq!(Op::by_call_name("cbind", 5), Some(Op::Cbind));
        assert_eq!(Op::by_call_name("nope", 1), None);
    }
}
