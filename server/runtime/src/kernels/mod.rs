//! One kernel for each operator of `sumac-la`'s table, for dense, sparse and mixed arguments.
//!
//! Kernels take values and give values or an [`OpError`](crate::error::OpError); they never see a script, a name or
//! a file. The number of threads never changes a result.

pub mod aggregate;
pub mod cell;
pub mod classes;
pub mod contingency;
pub mod cumulative;
pub mod distributions;
pub mod extremes;
mod fork_join;
pub mod fused;
pub mod generate;
pub mod index;
mod java_random;
pub mod linear;
pub mod matmul;
pub mod moments;
pub mod pairs;
pub(crate) mod parallel;
pub mod random;
pub mod reorg;
pub mod sampled;
mod sampled_avx512;
pub mod scalar;
pub mod select;
pub(crate) mod simd;
pub(crate) mod simd_avx512;
mod simd_avx512_math;
pub(crate) mod simd_avx512_rows;
pub(crate) mod simd_avx512_transposed;
pub(crate) mod simd_cells;
pub(crate) mod simd_chains;
mod simd_math;
pub(crate) mod simd_narrow;
pub(crate) mod simd_sums;
pub mod skewed;
pub mod sorting;

/// How many threads kernels use.
#[must_use]
pub fn threads() -> usize {
    rayon::current_num_threads()
}
