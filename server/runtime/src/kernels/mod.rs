//! One kernel for each operator of `sumac-la`'s table, for dense, sparse and mixed arguments.
//!
//! Kernels take values and give values or an [`OpError`](crate::error::OpError); they never see a script, a name or
//! a file. The number of threads never changes a result.

pub mod aggregate;
pub mod cell;
pub mod fused;
pub mod generate;
pub mod index;
pub mod matmul;
mod parallel;
pub mod reorg;
pub mod scalar;
mod simd;
mod simd_cells;
mod simd_math;
mod simd_wide;
mod simd_wide_math;
pub mod skewed;

/// How many threads kernels use.
#[must_use]
pub fn threads() -> usize {
    rayon::current_num_threads()
}
