//! The linear-algebra DAG: operators and what they mean, shapes, sparsity.
//!
//! This crate is pure data. It must never know source positions, file formats, prices, e-graphs or kernels; whatever
//! front end a script came from, everything above meets in the [`Dag`].
//!
//! ```
//! use sumac_la::{Dag, Op, Type};
//!
//! let mut dag = Dag::default();
//! let u = dag.input("U", Type::matrix(100, 10));
//! let v = dag.input("V", Type::matrix(50, 10));
//! let vt = dag.op(Op::Transpose, [v]).unwrap();
//! let uv = dag.op(Op::MatMul, [u, vt]).unwrap();
//! assert_eq!(dag.ty(uv).to_string(), "100 x 50");
//! assert_eq!(dag.print(uv), "U %*% t(V)");
//! ```

mod dag;
mod equal;
mod independent;
mod limits;
mod mistaken_chains;
mod print;
mod repeated;
mod rules;
pub mod scalar;
mod scale;
mod sum;
mod symbols;
mod table;
mod types;
mod writable;

pub use dag::{Args, Dag, Input, Node, NodeId};
pub use equal::equal_sizes;
pub use limits::Limits;
pub use print::{number, padded};
pub use repeated::{Repeatable, Side};
pub use rules::{Arg, ShapeError, as_f64, infer};
pub use scale::{KEPT_SIZE, retyped, scaled, scaled_keeping};
pub use table::{Arity, FlopRule, Op, OpInfo, Print, ShapeRule, SparseSafe, SparsityRule};
pub use types::{Dim, Kind, Symbol, Type};
pub use writable::Unwritable;

/// Below this share of non-zero cells a matrix with more than one column is kept in a sparse format, as SystemDS does.
pub const SPARSE_BELOW: f64 = 0.4;
