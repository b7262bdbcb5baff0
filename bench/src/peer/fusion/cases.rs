//! The examples of the fusion paper that all sides run. Data only; the Python of each stands in `peer.py` by its key.

use std::fmt::Write as _;

use crate::peer::workloads::cases::{Input, dense, sparse};

/// An example.
pub(super) struct Example {
    /// What `peer.py` calls it.
    pub(super) key: &'static str,
    /// As reports call it.
    pub(super) name: &'static str,
    /// The matrices.
    pub(super) inputs: &'static [Input],
    /// What SystemDS and `sumac run` run; one statement a line.
    pub(super) statements: String,
    /// The matrices and numbers that count.
    pub(super) matrices: &'static [&'static str],
    pub(super) numbers: &'static [&'static str],
}

const CELLS: &[Input] = &[
    dense("X", 10_000, 1000),
    dense("Y", 10_000, 1000),
    dense("Z", 10_000, 1000),
];

const fn factors(sparsity: f64) -> [Input; 3] {
    [
        sparse("X", 10_000, 10_000, sparsity),
        dense("U", 10_000, 100),
        dense("V", 10_000, 100),
    ]
}

static FACTORS: [[Input; 3]; 4] = [factors(1e-4), factors(1e-3), factors(1e-2), factors(1e-1)];

const CHAIN_VECTOR: &[Input] = &[dense("X", 400_000, 100), dense("v", 100, 1)];
const CHAIN_MATRIX: &[Input] = &[dense("X", 400_000, 100), dense("V", 100, 2)];
const ALS: &[Input] = &[
    sparse("X", 50_000, 20_000, 0.005),
    dense("U", 50_000, 20),
    dense("V", 20_000, 20),
    dense("r", 50_000, 1),
];
const MLOGREG: &[Input] = &[
    dense("X", 400_000, 100),
    dense("P", 400_000, 5),
    dense("V", 100, 4),
];
const ROWS: &[Input] = &[dense("X", 100_000, 100)];

/// Multiplications of the chain.
const CHAIN: u32 = 100;

/// A statement that gives one number.
fn number(
    key: &'static str,
    name: &'static str,
    inputs: &'static [Input],
    statements: impl Into<String>,
) -> Example {
    Example {
        key,
        name,
        inputs,
        statements: statements.into(),
        matrices: &[],
        numbers: &["s"],
    }
}

/// Statements that give one matrix.
fn matrix(
    key: &'static str,
    name: &'static str,
    inputs: &'static [Input],
    statements: &'static str,
) -> Example {
    Example {
        key,
        name,
        inputs,
        statements: statements.to_owned(),
        matrices: &["H"],
        numbers: &[],
    }
}

/// All of them, in the order of the report.
pub(super) fn examples() -> Vec<Example> {
    let mut chain = "s = sum(X / rowSums(X)".to_owned();
    for i in 1..=CHAIN {
        let _ = write!(chain, " * {}", 1.0 + f64::from(i) * 1e-3);
    }
    chain.push(')');
    let outer = "s = sum(X * log(U %*% t(V) + 1e-15))";
    let mut all = vec![
        number("xyz", "sum(X*Y*Z)", CELLS, "s = sum(X * Y * Z)"),
        number(
            "two-sums",
            "sum(X*Y) and sum(X*Z)",
            CELLS,
            "a = sum(X * Y)\nb = sum(X * Z)\ns = a - 0.5 * b",
        ),
        matrix(
            "chain-vector",
            "t(X) %*% (X %*% v)",
            CHAIN_VECTOR,
            "H = t(X) %*% (X %*% v)",
        ),
        matrix(
            "chain-matrix",
            "t(X) %*% (X %*% V)",
            CHAIN_MATRIX,
            "H = t(X) %*% (X %*% V)",
        ),
    ];
    let outers = [
        ("outer-1e-4", "sum(X*log(U%*%t(V)+eps)), 1e-4"),
        ("outer-1e-3", "sum(X*log(U%*%t(V)+eps)), 1e-3"),
        ("outer-1e-2", "sum(X*log(U%*%t(V)+eps)), 1e-2"),
        ("outer-1e-1", "sum(X*log(U%*%t(V)+eps)), 1e-1"),
    ];
    for ((key, name), inputs) in outers.into_iter().zip(&FACTORS) {
        all.push(number(key, name, inputs, outer));
    }
    all.extend([
        matrix(
            "als-cg",
            "ALS-CG update rule, expression (1)",
            ALS,
            "H = ((X != 0) * (U %*% t(V))) %*% V + 1e-6 * U * r",
        ),
        matrix(
            "mlogreg",
            "MLogreg inner loop, expression (2)",
            MLOGREG,
            "Q = P[, 1:4] * (X %*% V)\nH = t(X) %*% (Q - P[, 1:4] * rowSums(Q))",
        ),
        number("row-chain", "chain of 100 row operations", ROWS, chain),
    ]);
    all
}
