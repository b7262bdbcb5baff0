//! The algorithms that both sides run, with their data. Data only: the scripts are the fixtures, the inputs are made
//! by `rand` with a seed, which is the same data on both sides, at sizes between 0.1 and 1 GB.

/// A script over made-up inputs.
pub(super) struct Case {
    /// As reports call it.
    pub(super) name: &'static str,
    /// The fixture, without its extension.
    pub(super) script: &'static str,
    /// Statements that make the inputs in place of the script's `read`s.
    pub(super) inputs: &'static str,
    /// The matrices among the inputs.
    pub(super) matrices: &'static [&'static str],
    /// The `$` arguments.
    pub(super) arguments: &'static [(&'static str, &'static str)],
    /// Numbers that say whether the results are the same.
    pub(super) checks: &'static [&'static str],
}

/// All of them, in the order of the report.
pub(super) const CASES: &[Case] = &[
    Case {
        name: "L2SVM, dense 0.4 GB",
        script: "svm",
        inputs: "X = rand(rows=500000, cols=100, min=-1, max=1, seed=1)\n\
                 Y = 2 * (X %*% rand(rows=100, cols=1, min=-1, max=1, seed=2) > 0) - 1",
        matrices: &["X", "Y"],
        arguments: &[("iterations", "20"), ("tol", "0.000000001")],
        checks: &["sum(w^2)", "objective"],
    },
    Case {
        name: "L2SVM, sparse 0.12 GB",
        script: "svm",
        inputs: "X = rand(rows=1000000, cols=1000, min=-1, max=1, sparsity=0.01, seed=1)\n\
                 Y = 2 * (X %*% rand(rows=1000, cols=1, min=-1, max=1, seed=2) > 0) - 1",
        matrices: &["X", "Y"],
        arguments: &[("iterations", "20"), ("tol", "0.000000001")],
        checks: &["sum(w^2)", "objective"],
    },
    Case {
        name: "MLogreg, dense 0.4 GB",
        script: "mlr",
        inputs: "X = rand(rows=500000, cols=100, min=-1, max=1, seed=1)\n\
                 class = rowIndexMax(X %*% rand(rows=100, cols=5, min=-1, max=1, seed=2))\n\
                 Y = table(seq(1, 500000), class, 500000, 5)",
        matrices: &["X", "Y"],
        arguments: &[("outer", "5"), ("inner", "10")],
        checks: &["sum(B^2)", "trace(H)"],
    },
    Case {
        name: "GLM, binomial probit, dense 0.8 GB",
        script: "glm",
        inputs: "X = rand(rows=500000, cols=200, min=-1, max=1, seed=1)\n\
                 y = X %*% rand(rows=200, cols=1, min=-0.2, max=0.2, seed=2) > 0.5 * rand(rows=500000, cols=1, min=-1, max=1, seed=3)",
        matrices: &["X", "y"],
        arguments: &[("outer", "5"), ("inner", "10")],
        checks: &["sum(beta^2)", "log_likelihood"],
    },
    Case {
        name: "KMeans, dense 0.4 GB",
        script: "kmeans",
        inputs: "X = rand(rows=1000000, cols=50, min=-1, max=1, seed=1)\n\
                 C = rand(rows=20, cols=50, min=-1, max=1, seed=2)",
        matrices: &["X", "C"],
        arguments: &[("iterations", "10")],
        checks: &["sum(C^2)", "objective"],
    },
    Case {
        name: "ALS-CG, sparse 0.12 GB",
        script: "als_cg",
        inputs: "X = rand(rows=20000, cols=10000, min=1, max=5, sparsity=0.05, seed=1)\n\
                 U = rand(rows=20000, cols=10, min=0, max=1, seed=2)\n\
                 V = rand(rows=10000, cols=10, min=0, max=1, seed=3)",
        matrices: &["X", "U", "V"],
        arguments: &[("outer", "3"), ("inner", "5")],
        checks: &["sum(U^2)", "sum(V^2)", "loss"],
    },
    Case {
        name: "PNMF, sparse 0.12 GB",
        script: "pnmf",
        inputs: "X = rand(rows=20000, cols=10000, min=1, max=5, sparsity=0.05, seed=1)\n\
                 W = rand(rows=20000, cols=10, min=0, max=0.1, seed=2)\n\
                 H = rand(rows=10, cols=10000, min=0, max=0.1, seed=3)",
        matrices: &["X", "W", "H"],
        arguments: &[("iterations", "5")],
        checks: &["sum(W^2)", "sum(H^2)", "objective"],
    },
    Case {
        name: "AutoEncoder, dense 0.4 GB",
        script: "autoencoder",
        inputs: "X = rand(rows=100000, cols=500, min=0, max=1, seed=1)\n\
                 W1 = rand(rows=200, cols=500, min=-0.1, max=0.1, seed=2)\n\
                 W2 = rand(rows=2, cols=200, min=-0.1, max=0.1, seed=3)\n\
                 W3 = rand(rows=200, cols=2, min=-0.1, max=0.1, seed=4)\n\
                 W4 = rand(rows=500, cols=200, min=-0.1, max=0.1, seed=5)",
        matrices: &["X", "W1", "W2", "W3", "W4"],
        arguments: &[("epochs", "2")],
        checks: &["sum(W1^2)", "sum(W4^2)", "loss"],
    },
    Case {
        name: "PCA, dense 0.8 GB",
        script: "pca",
        inputs: "X = rand(rows=1000000, cols=100, min=-1, max=1, seed=1)",
        matrices: &["X"],
        arguments: &[("k", "10")],
        checks: &["sum(projected^2)", "explained"],
    },
];
