//! What is measured, against what, and what it should be.

/// What the work of a bar is counted in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    /// Floating-point operations.
    Flops,
    /// Bytes read and written.
    Bytes,
    /// The same work on both sides: only times are told.
    Time,
}

/// What a kernel is held against.
#[derive(Clone, Copy, Debug)]
pub(super) enum Against {
    /// NumPy on both threads.
    NumPy(&'static str),
    /// SciPy, which has one thread; the kernel gets one, too.
    SciPy(&'static str),
    /// Memory read by both threads.
    Reading,
    /// Memory copied by both threads, in the faster of two ways.
    Copying,
    /// A loop written by hand for AVX-512.
    Loop(&'static str),
}

impl Against {
    pub(super) fn name(self) -> &'static str {
        match self {
            Against::NumPy(_) => "NumPy",
            Against::SciPy(_) => "SciPy, per thread",
            Against::Reading => "the bandwidth of reading",
            Against::Copying => "the bandwidth of copying",
            Against::Loop(_) => "a loop written by hand for AVX-512",
        }
    }

    pub(super) fn is_peer(self) -> bool {
        matches!(self, Against::NumPy(_) | Against::SciPy(_))
    }

    /// What is timed: of several the fastest counts.
    pub(super) fn cases(self) -> Vec<&'static str> {
        match self {
            Against::NumPy(case) | Against::SciPy(case) | Against::Loop(case) => vec![case],
            Against::Reading => vec!["read"],
            Against::Copying => vec!["copy", "copy-past-caches"],
        }
    }
}

/// One figure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bar {
    pub(super) group: &'static str,
    pub(super) name: &'static str,
    /// What the kernels' side calls it.
    pub(super) case: &'static str,
    pub(super) against: Against,
    /// The least ratio of speeds.
    pub(super) target: f64,
    pub(super) unit: Unit,
    /// What one run of the kernel does, and one of the other, in the unit.
    pub(super) work: f64,
    pub(super) other_work: f64,
}

const fn product(
    group: &'static str,
    name: &'static str,
    case: &'static str,
    against: Against,
    target: f64,
    flops: f64,
) -> Bar {
    Bar {
        group,
        name,
        case,
        against,
        target,
        unit: Unit::Flops,
        work: flops,
        other_work: flops,
    }
}

const fn streamed(
    name: &'static str,
    case: &'static str,
    against: Against,
    target: f64,
    bytes: f64,
    other_bytes: f64,
) -> Bar {
    Bar {
        group: MEMORY,
        name,
        case,
        against,
        target,
        unit: Unit::Bytes,
        work: bytes,
        other_work: other_bytes,
    }
}

const DENSE: &str = "dense products, two threads";
const NARROW: &str = "products of a 20000 x 100 matrix, two threads";
const MEMORY: &str = "one pass over memory, two threads";
const SPARSE: &str = "sparse 20000 x 10000 matrices, one thread";
const FUNCTIONS: &str = "exponentials and logarithms";

/// Bytes of three vectors, and of a copy of one and a half of them.
const THREE: f64 = 240e6;
/// Bytes of the tall matrix.
const TALL: f64 = 320e6;
/// Stored cells of the sparse matrix.
const STORED: f64 = 2e6;

/// All figures, in the order in which they are taken.
pub(super) const BARS: &[Bar] = &[
    product(
        DENSE,
        "512 x 512",
        "gemm-512",
        Against::NumPy("gemm-512"),
        1.0,
        2.0 * 134_217_728.0,
    ),
    product(
        DENSE,
        "1024 x 1024",
        "gemm-1024",
        Against::NumPy("gemm-1024"),
        1.0,
        2.0 * 1_073_741_824.0,
    ),
    product(
        DENSE,
        "2048 x 2048",
        "gemm-2048",
        Against::NumPy("gemm-2048"),
        1.0,
        2.0 * 8_589_934_592.0,
    ),
    product(
        NARROW,
        "X %*% V, 1 column",
        "skinny-1",
        Against::NumPy("skinny-1"),
        1.0,
        4e6,
    ),
    product(
        NARROW,
        "X %*% V, 4 columns",
        "skinny-4",
        Against::NumPy("skinny-4"),
        2.0,
        16e6,
    ),
    product(
        NARROW,
        "X %*% V, 10 columns",
        "skinny-10",
        Against::NumPy("skinny-10"),
        2.0,
        40e6,
    ),
    product(
        NARROW,
        "t(X) %*% W, 1 column",
        "skinny-t-1",
        Against::NumPy("skinny-t-1"),
        1.0,
        4e6,
    ),
    product(
        NARROW,
        "t(X) %*% W, 4 columns",
        "skinny-t-4",
        Against::NumPy("skinny-t-4"),
        2.0,
        16e6,
    ),
    product(
        NARROW,
        "t(X) %*% W, 10 columns",
        "skinny-t-10",
        Against::NumPy("skinny-t-10"),
        2.0,
        40e6,
    ),
    product(
        NARROW,
        "t(X) %*% X",
        "gemm-tsmm",
        Against::NumPy("gemm-tsmm"),
        1.0,
        400e6,
    ),
    streamed(
        "sum(X * Y * Z)",
        "sum-xyz",
        Against::Copying,
        0.9,
        THREE,
        THREE,
    ),
    streamed(
        "t(X) %*% (X %*% v)",
        "chain",
        Against::Reading,
        0.85,
        TALL,
        TALL,
    ),
    streamed(
        "t(X) %*% (w * (X %*% v))",
        "chain-weighted",
        Against::Reading,
        0.85,
        TALL,
        TALL,
    ),
    streamed("sum(X)", "agg-sum", Against::Reading, 0.85, TALL, TALL),
    streamed("rowSums(X)", "agg-rows", Against::Reading, 0.85, TALL, TALL),
    streamed("colSums(X)", "agg-cols", Against::Reading, 0.85, TALL, TALL),
    streamed("max(X)", "agg-max", Against::Reading, 0.85, TALL, TALL),
    Bar {
        group: FUNCTIONS,
        name: "sum(exp(X) * Y + log(Z + 1)), from memory, two threads",
        case: "exp-log",
        against: Against::Loop("exp-log-loop"),
        target: 0.8,
        unit: Unit::Time,
        work: 1.0,
        other_work: 1.0,
    },
    Bar {
        group: FUNCTIONS,
        name: "the same from a core's cache, one thread",
        case: "exp-log-near",
        against: Against::Loop("exp-log-near-loop"),
        target: 0.8,
        unit: Unit::Time,
        work: 1.0,
        other_work: 1.0,
    },
    product(
        SPARSE,
        "X %*% V, 10 columns",
        "sparse-dense",
        Against::SciPy("sparse-dense"),
        2.0,
        20.0 * STORED,
    ),
    product(
        SPARSE,
        "t(X) %*% W, 10 columns",
        "sparse-t-dense",
        Against::SciPy("sparse-t-dense"),
        1.5,
        20.0 * STORED,
    ),
    product(
        SPARSE,
        "D %*% X for a dense D of 200 rows",
        "dense-sparse",
        Against::SciPy("dense-sparse"),
        1.5,
        400.0 * STORED,
    ),
    product(
        SPARSE,
        "X %*% Y, both sparse",
        "sparse-sparse",
        Against::SciPy("sparse-sparse"),
        1.5,
        20e6 / 5.0,
    ),
    Bar {
        group: SPARSE,
        name: "t(X)",
        case: "sparse-transpose",
        against: Against::SciPy("sparse-transpose"),
        target: 1.0,
        unit: Unit::Time,
        work: 1.0,
        other_work: 1.0,
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_bar_is_measured_once_and_asks_for_something() {
        let cases: BTreeSet<&str> = BARS.iter().map(|bar| bar.case).collect();
        assert_eq!(cases.len(), BARS.len());
        for bar in BARS {
            assert!(
                bar.target > 0.0 && bar.work > 0.0 && bar.other_work > 0.0,
                "{bar:?}"
            );
            assert!(!bar.against.cases().is_empty());
        }
    }
}
