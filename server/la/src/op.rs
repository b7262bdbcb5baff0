//! The operators by name. What each of them is stands in the [`table`](crate::OpInfo).

use serde::{Deserialize, Serialize};

use crate::table::{OpInfo, TABLE};

macro_rules! ops {
    ($($name:ident),* $(,)?) => {
        /// An algebraic operator. Its arity, shape, sparsity, FLOPs and printed form: [`Op::info`].
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
        #[allow(missing_docs, reason = "each is described by its row of the table")]
        #[repr(u8)]
        pub enum Op { $($name),* }

        impl Op {
            /// All operators in the order of the table.
            pub const ALL: &'static [Op] = &[$(Op::$name),*];
        }
    };
}

ops! {
    MatMul,
    Add, Sub, Mul, Div, Pow, Min2, Max2, Mod, IntDiv,
    Eq, Ne, Lt, Le, Gt, Ge, And, Or,
    Neg, Not, Exp, Log, LogBase, Sqrt, Abs, Sign, Round, Floor, Ceil, Sigmoid,
    Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh,
    Transpose, Rev, Diag, Reshape,
    Sum, RowSums, ColSums, Mean, RowMeans, ColMeans,
    Min, Max, RowMins, RowMaxs, ColMins, ColMaxs, Prod, Trace,
    Nrow, Ncol, Length,
    Cbind, Rbind, RightIndex, LeftIndex,
    Fill, Seq, AsScalar, AsMatrix, IfElse,
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
