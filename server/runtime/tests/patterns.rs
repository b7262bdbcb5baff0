//! Statements whose operators one kernel computes together, beside the same operators in statements of their own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sumac_fusion::Policy;
use sumac_runtime::fused::Planning;
use sumac_runtime::interp::{RunOptions, RunOutcome, run};
use sumac_runtime::{Cancel, Matrix, Value};

fn outcome(text: &str) -> RunOutcome {
    outcome_under(text, Planning::default())
}

fn outcome_under(text: &str, planning: Planning) -> RunOutcome {
    let parsed = sumac_syntax::parse(text);
    assert!(parsed.errors().is_empty(), "{:?}", parsed.errors());
    let options = RunOptions {
        args: BTreeMap::new(),
        base: PathBuf::from("."),
        seed: 1,
        cancel: Cancel::default(),
        loader: &|path: &Path| Err(format!("{} is not read", path.display())),
        planning,
        compression: sumac_runtime::interp::Compression::default(),
        blocks: true,
        wants_variables: true,
        installation: None,
    };
    run(parsed.program(), text, &options, &mut |_| ())
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Runs the preparation and both forms, of which the last statements assign `A` and `B`, and expects the same values.
/// `pattern` is what the first form must run as, and how often.
#[track_caller]
fn same(prepare: &str, together: &str, apart: &str, pattern: Option<(&str, u64)>) {
    let text = format!("{prepare}\n{together}\n{apart}\n");
    let all = outcome(&text);
    let (a, b) = (&all.variables["A"], &all.variables["B"]);
    let cells = |value: &Value| match value {
        Value::Matrix(m) => (m.shape(), m.to_cells()),
        other => ((1, 1), vec![other.as_number().expect("a number")]),
    };
    let ((shape, a), (expected, b)) = (cells(a), cells(b));
    assert_eq!(shape, expected, "{text}");
    let size = b
        .iter()
        .filter(|x| x.is_finite())
        .fold(1.0_f64, |most, x| most.max(x.abs()));
    for (place, (a, b)) in a.iter().zip(&b).enumerate() {
        let is_same = a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-12 * size;
        assert!(is_same, "{a} and {b} in cell {place} of\n{text}");
    }
    if let Some((name, count)) = pattern {
        let first = outcome(&format!("{prepare}\n{together}\n"));
        let row = first.stats.iter().find(|row| row.operator == name);
        assert_eq!(
            row.map_or(0, |row| row.count),
            count,
            "{:?}\n{text}",
            first.stats
        );
    }
}

fn factorization(m: usize, n: usize, k: usize, sparsity: f64) -> String {
    format!(
        "X = rand(rows={m}, cols={n}, min=1, max=5, sparsity={sparsity}, seed=1)\n\
         U = rand(rows={m}, cols={k}, min=0.1, max=1, seed=2)\n\
         V = rand(rows={n}, cols={k}, min=0.1, max=1, seed=3)\n\
         H = t(V)\nr = rowSums(U)\nc = t(rowSums(V))\nW = X != 0"
    )
}

/// One statement, and the same in small steps.
const SAMPLED: &[(&str, &str)] = &[
    ("A = W * (U %*% t(V))", "P = U %*% t(V)\nB = W * P"),
    (
        "A = W * (U %*% t(V) - X)",
        "P = U %*% t(V)\nP = P - X\nB = W * P",
    ),
    ("A = (U %*% H - X) * W", "P = U %*% H\nP = P - X\nB = P * W"),
    (
        "A = X / (U %*% H + 0.001)",
        "P = U %*% H\nP = P + 0.001\nB = X / P",
    ),
    (
        "A = X * log(U %*% H + 0.001)",
        "P = U %*% H\nP = P + 0.001\nP = log(P)\nB = X * P",
    ),
    (
        "A = X * (exp(-(U %*% H)) + r - c * 2)",
        "P = U %*% H\nP = -P\nP = exp(P)\nP = P + r\nD = c * 2\nP = P - D\nB = X * P",
    ),
    (
        "A = (X != 0) * (U %*% t(V) - X)^2",
        "P = U %*% t(V)\nP = P - X\nP = P^2\nB = W * P",
    ),
    (
        "A = X * ((U %*% H) * (U %*% t(V)))",
        "P = U %*% H\nQ = U %*% t(V)\nP = P * Q\nB = X * P",
    ),
    (
        "A = t(X) * (V %*% t(U))",
        "P = V %*% t(U)\nY = t(X)\nB = Y * P",
    ),
];

#[test]
fn products_are_computed_where_a_sparse_matrix_stores_cells() {
    for (m, n, k) in [
        (300, 250, 10),
        (1301, 70, 1),
        (240, 333, 17),
        (1000, 900, 8),
    ] {
        let prepare = factorization(m, n, k, 0.05);
        for (together, apart) in SAMPLED {
            same(&prepare, together, apart, Some(("Outer", 1)));
        }
    }
}

#[test]
fn sums_of_sampled_products_need_no_matrix() {
    for (m, n, k) in [(300, 250, 10), (1000, 900, 3)] {
        let prepare = factorization(m, n, k, 0.05);
        for (together, apart) in SAMPLED {
            let together = together.replacen("A = ", "A = sum(", 1) + ")";
            let apart = format!("{apart}\nB = sum(B)");
            same(&prepare, &together, &apart, Some(("Outer", 1)));
        }
    }
}

#[test]
fn a_sampled_product_goes_on_into_other_products() {
    let prepare = factorization(400, 300, 7, 0.02);
    for (together, apart) in [
        (
            "A = (W * (U %*% t(V) - X)) %*% V + 0.1 * U",
            "P = U %*% t(V)\nP = P - X\nP = W * P\nP = P %*% V\nD = 0.1 * U\nB = P + D",
        ),
        (
            "A = t(t(U) %*% (W * (U %*% t(V) - X))) + 0.1 * V",
            "P = U %*% t(V)\nP = P - X\nP = W * P\nT = t(U)\nP = T %*% P\nP = t(P)\nD = 0.1 * V\nB = P + D",
        ),
        (
            "A = H * (t(U) %*% (X / (U %*% H + 0.001))) / t(colSums(U))",
            "P = U %*% H\nP = P + 0.001\nP = X / P\nT = t(U)\nP = T %*% P\nP = H * P\nD = t(colSums(U))\nB = P / D",
        ),
    ] {
        same(&prepare, together, apart, Some(("Outer", 1)));
    }
}

#[test]
fn matrices_without_cells_and_with_special_ones_are_sampled_as_well() {
    for (m, n, k, sparsity) in [
        (300, 250, 3, 0.0),
        (1, 70_000, 2, 0.01),
        (300, 250, 1, 0.01),
    ] {
        let prepare = factorization(m, n, k, sparsity);
        for (together, apart) in SAMPLED {
            same(&prepare, together, apart, None);
        }
    }
    // What a product has where nothing is stored plays no part.
    let prepare = factorization(300, 250, 3, 0.05) + "\nU[7, 1] = 0 / 0\nU[9, 2] = 1 / 0";
    for (together, apart) in SAMPLED.iter().filter(|(text, _)| !text.contains('/')) {
        same(&prepare, together, apart, None);
    }
}

#[test]
fn dense_weights_meet_a_dense_product() {
    let prepare = factorization(420, 280, 5, 0.9);
    for (together, apart) in SAMPLED {
        same(&prepare, together, apart, Some(("Outer", 0)));
    }
}

#[test]
fn cellwise_operators_run_in_one_pass() {
    for (m, n) in [
        (1700, 40),
        (70_000, 1),
        (1, 70_000),
        (300, 257),
        (30_000, 3),
    ] {
        let prepare = format!(
            "X = rand(rows={m}, cols={n}, min=-2, max=2, seed=1)\n\
             Y = rand(rows={m}, cols={n}, min=-2, max=2, seed=2)\n\
             r = rand(rows={m}, cols=1, min=-2, max=2, seed=3)\n\
             c = rand(rows=1, cols={n}, min=-2, max=2, seed=4)"
        );
        for (together, apart) in [
            (
                "A = 1 / (1 + exp(-(X + r)))",
                "P = X + r\nP = -P\nP = exp(P)\nP = 1 + P\nB = 1 / P",
            ),
            (
                "A = X * Y - X * c + abs(Y) * 3",
                "P = X * Y\nQ = X * c\nP = P - Q\nQ = abs(Y)\nQ = Q * 3\nB = P + Q",
            ),
            (
                "A = (X + c) * r > Y * 0.5",
                "P = X + c\nP = P * r\nQ = Y * 0.5\nB = P > Q",
            ),
        ] {
            same(&prepare, together, apart, Some(("Cell", 1)));
            let sum = (
                together.replacen("A = ", "A = sum(", 1) + ")",
                format!("{apart}\nB = sum(B)"),
            );
            same(&prepare, &sum.0, &sum.1, None);
        }
    }
}

#[test]
fn kinds_of_scalars_and_messages_are_those_of_the_operators_alone() {
    let all = outcome(
        "X = matrix(2, rows=2, cols=2)\nn = nrow(X) + 1\nb = sum(X) > 3\nd = sum(X) / 2\ns = \"sum: \" + sum(X * 2)",
    );
    assert_eq!(all.variables["n"], Value::Int(3));
    assert_eq!(all.variables["b"], Value::Bool(true));
    assert_eq!(all.variables["d"], Value::Double(4.0));
    assert_eq!(all.variables["s"].to_string(), "sum: 16.0");
    let zero = outcome("z = -0.0\nX = matrix(3, rows=2, cols=2) / z\nx = as.scalar(X[1, 1])");
    assert_eq!(zero.variables["x"], Value::Double(f64::NEG_INFINITY));
    assert!(matches!(&all.variables["X"], Value::Matrix(m) if **m == Matrix::fill(2, 2, 2.0)));
}

/// Zero divided by what is zero or NaN is NaN, also where a sparse matrix stores nothing, whatever is fused.
#[test]
fn what_is_divided_by_zeros_and_nan_is_the_same_fused_and_alone() {
    let prepare = "S = rand(rows=40, cols=30, min=1, max=2, sparsity=0.1, seed=1)\n\
                   D = rand(rows=40, cols=30, min=1, max=2, seed=2)\nE = D\nE[2, 3] = 0\nF = D\nF[2, 3] = 0 / 0\n\
                   u = rand(rows=40, cols=1, min=1, max=2, seed=3)\nw = u\nw[2, 1] = 0\n\
                   v = rand(rows=1, cols=30, min=1, max=2, seed=4)\nx = v\nx[1, 3] = 0 / 0\n\
                   z = sum(S) * 0\n\
                   P = rand(rows=40, cols=2, min=1, max=2, seed=5)\nQ = rand(rows=30, cols=2, min=1, max=2, seed=6)\n";
    let divisors = [
        "D",
        "E",
        "F",
        "u",
        "w",
        "v",
        "x",
        "S",
        "z",
        "(D - E)",
        "(w + v)",
        "t(t(E))",
        // Of products: zero where a factor beside them is, or by what is made of their cells.
        "(S * (P %*% t(Q)))",
        "((S > 0) * (P %*% t(Q)))",
        "(E * (P %*% t(Q)))",
        "((P %*% t(Q)) > 2)",
        "round(P %*% t(Q) / 5)",
        "max(P %*% t(Q) - 2, 0)",
        "((P %*% t(Q)) * w)",
    ];
    let forms = [
        "sum(S / DIV)",
        "rowSums((S / DIV)^2)",
        "colSums(S / DIV * 3)",
        "sum(abs(S / DIV) * S)",
        "mean(S / DIV / 2)",
        "(S / DIV) %*% t(v)",
        "S * 2 / DIV",
        "sum(S / DIV / DIV)",
        "rowSums(t(S / DIV) * 2)",
    ];
    for divisor in divisors {
        for form in forms {
            let text = format!(
                "{prepare}R = {}\nR = as.matrix(R)\n",
                form.replace("DIV", divisor)
            );
            let under = |policy| {
                let planning = Planning {
                    policy,
                    any_size: true,
                    ..Planning::default()
                };
                match &outcome_under(&text, planning).variables["R"] {
                    Value::Matrix(m) => m.to_cells(),
                    other => panic!("{other:?}"),
                }
            };
            let alone = under(Policy::None);
            for policy in [Policy::CostBased, Policy::FuseAll, Policy::FuseNoRedundancy] {
                for (at, (a, b)) in under(policy).iter().zip(&alone).enumerate() {
                    let is_same =
                        a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-12 * b.abs();
                    assert!(
                        is_same,
                        "{a} and {b} in cell {at} of {form}, {divisor}, {policy:?}"
                    );
                }
            }
        }
    }
}

/// A product is zero where a row of a factor is: divided by it, what is not stored is NaN; sums and products of the quotient leave it
/// out, as SystemDS's operators for these patterns do.
#[test]
fn what_is_divided_by_a_product_with_a_row_of_zeros_is_no_number_there() {
    let prepare = "S = rand(rows=40, cols=30, min=1, max=2, sparsity=0.1, seed=1)\n\
                   P = rand(rows=40, cols=2, min=1, max=2, seed=5)\nP[3, ] = matrix(0, 1, 2)\nS[3, ] = matrix(0, 1, 30)\n\
                   Q = rand(rows=30, cols=2, min=1, max=2, seed=6)\n";
    for policy in [Policy::CostBased, Policy::FuseAll, Policy::FuseNoRedundancy] {
        let planning = Planning {
            policy,
            any_size: true,
            ..Planning::default()
        };
        let text = format!(
            "{prepare}X = S / (P %*% t(Q))\nn = sum(is.nan(X))\nm = sum(is.nan(S * 2 / (P %*% t(Q) * 3)))"
        );
        let all = outcome_under(&text, planning);
        for name in ["n", "m"] {
            assert_eq!(
                all.variables[name],
                Value::Double(30.0),
                "{name} {policy:?}"
            );
        }
    }
}
