//! The statements that SystemDS runs as written and as Sumac suggests. Data only: inner loops of the paper's algorithms
//! (section 4.2) and the losses, at the sizes at which this kind of machine was measured.

/// A few statements over made-up inputs.
pub(crate) struct Case {
    /// As reports call it.
    pub(crate) name: &'static str,
    /// The matrices.
    pub(crate) inputs: &'static [Input],
    /// What is run; one statement a line.
    pub(crate) statements: &'static str,
    /// The matrices that count.
    pub(crate) matrices: &'static [&'static str],
    /// The numbers that count.
    pub(crate) numbers: &'static [&'static str],
    /// The suggestion must be so many times faster; 1 where it must not be slower.
    pub(crate) faster: f64,
}

/// A matrix of random numbers between 0.1 and 1, seeded by its place.
pub(crate) struct Input {
    pub(crate) name: &'static str,
    pub(crate) rows: u64,
    pub(crate) cols: u64,
    pub(crate) sparsity: f64,
}

pub(crate) const fn dense(name: &'static str, rows: u64, cols: u64) -> Input {
    sparse(name, rows, cols, 1.0)
}

pub(crate) const fn sparse(name: &'static str, rows: u64, cols: u64, sparsity: f64) -> Input {
    Input {
        name,
        rows,
        cols,
        sparsity,
    }
}

/// A sparse matrix and its factors.
pub(crate) const FACTORIZATION: &[Input] = &[
    sparse("X", 20_000, 10_000, 0.001),
    dense("U", 20_000, 10),
    dense("V", 10_000, 10),
];

const POISSON: &[Input] = &[
    sparse("X", 10_000, 5_000, 0.001),
    dense("W", 10_000, 20),
    dense("H", 20, 5_000),
];

/// All of them, in the order of the report.
pub(crate) const CASES: &[Case] = &[
    Case {
        name: "loss with +",
        inputs: FACTORIZATION,
        statements: "loss = sum((X + U %*% t(V))^2)",
        matrices: &[],
        numbers: &["loss"],
        faster: 100.0,
    },
    Case {
        name: "loss with a factor 2",
        inputs: FACTORIZATION,
        statements: "loss = sum((X - 2 * (U %*% t(V)))^2)",
        matrices: &[],
        numbers: &["loss"],
        faster: 100.0,
    },
    Case {
        name: "ALS gradient",
        inputs: FACTORIZATION,
        statements: "G = (U %*% t(V) - X) %*% V",
        matrices: &["G"],
        numbers: &[],
        faster: 100.0,
    },
    Case {
        name: "PNMF objective",
        inputs: POISSON,
        statements: "objective = sum(W %*% H) - sum(X * log(W %*% H + 1e-15))",
        matrices: &[],
        numbers: &["objective"],
        faster: 40.0,
    },
    Case {
        name: "PNMF updates",
        inputs: POISSON,
        statements: "H = H * (t(W) %*% (X / (W %*% H + 1e-15))) / t(colSums(W))\n\
                     W = W * ((X / (W %*% H + 1e-15)) %*% t(H)) / t(rowSums(H))",
        matrices: &["W", "H"],
        numbers: &[],
        faster: 1.0,
    },
    Case {
        name: "MLR inner loop",
        inputs: &[
            dense("X", 200_000, 100),
            dense("P", 200_000, 4),
            dense("V", 100, 4),
            dense("R", 100, 4),
        ],
        statements: "Q = P * (X %*% V)\n\
                     HV = t(X) %*% (Q - P * rowSums(Q)) + 0.001 * V\n\
                     alpha = sum(R^2) / sum(V * HV)\n\
                     S = alpha * V\n\
                     N = R - alpha * HV",
        matrices: &["S", "N"],
        numbers: &[],
        faster: 1.0,
    },
    Case {
        name: "MLR, X * P - X * P * rowSums(P)",
        inputs: &[dense("X", 200_000, 100), dense("p", 200_000, 1)],
        statements: "H = t(X) %*% (X * p - X * p * rowSums(p))",
        matrices: &["H"],
        numbers: &[],
        faster: 1.0,
    },
    Case {
        name: "SVM inner loop",
        inputs: &[
            dense("Y", 1_000_000, 1),
            dense("Xw", 1_000_000, 1),
            dense("Xd", 1_000_000, 1),
        ],
        statements: "out = 1 - Y * (Xw + 0.5 * Xd)\n\
                     sv = out > 0\n\
                     out = out * sv\n\
                     g = 0.3 - sum(out * Y * Xd)\n\
                     h = 0.7 + sum(Xd * sv * Xd)\n\
                     step = 0.5 - g / h",
        matrices: &[],
        numbers: &["step"],
        faster: 1.0,
    },
    Case {
        name: "GLM inner loop",
        inputs: &[
            dense("X", 200_000, 100),
            dense("w", 200_000, 1),
            dense("p", 100, 1),
            dense("r", 100, 1),
        ],
        statements: "q = t(X) %*% (w * (X %*% p)) + 0.01 * p\n\
                     alpha = sum(r^2) / sum(p * q)\n\
                     d = alpha * p\n\
                     n = r - alpha * q",
        matrices: &["d", "n"],
        numbers: &[],
        faster: 1.0,
    },
];
