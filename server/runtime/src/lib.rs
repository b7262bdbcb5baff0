//! The local kernel runtime: matrices, kernels, evaluation of LA DAGs, the interpreter of scripts, files, timing.
//!
//! Nothing here decides what is worth computing: it computes what it is given. It never runs inside a language
//! server except for the optimizer's check of small DAGs on random data; scripts run in a worker process.

pub mod apply;
pub mod calibrate;
pub mod cancel;
pub mod compressed;
pub mod confine;
pub mod error;
pub mod eval;
pub mod format;
pub mod fused;
pub mod interp;
pub mod io;
pub mod kernels;
pub mod matrix;
pub mod memory;
pub mod precise;
pub mod synthesize;
pub mod timing;
pub mod value;

pub use cancel::Cancel;
pub use error::OpError;
pub use eval::{EvalError, Evaluated, eval, eval_measured};
pub use matrix::{Csr, Matrix};
pub use synthesize::synthesize;
pub use timing::{Timing, TimingOptions, time_dags};
pub use value::Value;
