//! Builtins that are scripts: our own against values that are known, and what an installation brings.

use std::path::Path;

use super::{check, fails_with, run_with};

#[test]
fn scale_moves_and_scales_columns() {
    let x = "R = matrix(\"3 4 5 6\", 2, 2)\n";
    check(
        &format!("{x}print(toString(scale(R, TRUE, TRUE)))"),
        "-0.707 -0.707\n0.707 0.707\n",
    );
    check(
        &format!(
            "{x}[S, C, D] = scale(X=R, center=TRUE, scale=FALSE)\nprint(toString(S))\nprint(toString(C))\nprint(nrow(D))"
        ),
        "-1.000 -1.000\n1.000 1.000\n\n4.000 5.000\n\n0",
    );
    // A constant column, and one with a NaN.
    check(
        "X = matrix(\"2 1 2 3 2 5\", 3, 2)\nX[1,2] = NaN\nprint(toString(scale(X)))",
        "0.000 NaN\n0.000 3.000\n0.000 5.000\n",
    );
}

#[test]
fn normalize_gives_the_range_from_0_to_1() {
    let x = "R = matrix(\"3 4 5 6\", 2, 2)\n";
    check(
        &format!("{x}[Y, a, b] = normalize(R)\nprint(toString(Y))\nprint(toString(a))"),
        "0.000 0.000\n1.000 1.000\n\n3.000 4.000\n",
    );
    check(
        &format!("{x}print(toString(eval(\"normalize\", R)))"),
        "0.000 0.000\n1.000 1.000\n",
    );
    check(
        "print(toString(normalize(matrix(7, 2, 1))))",
        "0.000\n0.000\n",
    );
}

/// Data that needs no random numbers: SystemDS computed what the tests expect from the same lines.
const DATA: &str = "X = matrix(sin(seq(1,160) * 1.7) * 3 + cos(seq(1,160) ^ 2), 40, 4)
X[,3] = X[,3] * 10 + 50
y = X %*% matrix(\"1 -2 0.5 3\", 4, 1) + 7 + sin(seq(1,40) * 5)
c2 = 2 * (X[,1] - X[,2] + sin(seq(1,40) * 5) > 0) - 1
c3 = 1 + (X[,1] > 0.5) + (X[,2] + X[,4] > 1)
";

#[track_caller]
fn check_data(text: &str, expected: &str) {
    check(
        &format!("{DATA}{text}\nprint(toString(B, decimal=6))"),
        expected,
    );
}

#[test]
fn linear_regressions_are_those_of_systemds() {
    check_data(
        "B = lmCG(X=X, y=y, verbose=FALSE)",
        "2.195020\n-1.541269\n0.630486\n3.180861\n\n\n",
    );
    check_data(
        "B = lmCG(X=X, y=y, icpt=1, maxi=20, verbose=FALSE)",
        "1.105803\n-1.863891\n0.514769\n3.124194\n6.207458\n\n\n",
    );
    check_data(
        "B = lmCG(X=X, y=y, icpt=2, reg=0.1, verbose=FALSE)",
        "1.043948\n-1.892482\n0.507894\n3.103939\n6.564123\n\n\n",
    );
}

#[test]
fn normal_equations_are_solved_as_in_systemds() {
    check_data(
        "B = lmDS(X=X, y=y, verbose=FALSE)",
        "2.195020\n-1.541269\n0.630486\n3.180861\n\n\n",
    );
    check_data(
        "B = lm(X=X, y=y, icpt=1, verbose=FALSE)",
        "1.105803\n-1.863891\n0.514769\n3.124194\n6.207458\n\n\n",
    );
    check_data(
        "B = lmDS(X=X, y=y, icpt=2, reg=0.1, verbose=FALSE)",
        "1.043948\n-1.892482\n0.507894\n3.103939\n6.564123\n\n\n",
    );
}

#[test]
fn principal_components_are_those_of_systemds() {
    check(
        &format!(
            "{DATA}[R, C, a, b] = pca(X=X, K=2)\nprint(toString(abs(R[1:3,1:2]), decimal=6))\nprint(toString(abs(C), decimal=6))\nprint(toString(a, decimal=6))\nprint(toString(b, decimal=6))"
        ),
        "1.800382 1.178710\n2.130221 0.014220\n1.768793 0.663629\n\n0.545215 0.422240\n0.465046 0.549151\n0.423257 0.594416\n0.554370 0.408432\n\n0.227126 -0.071655 49.466285 0.227200\n\n2.242180 2.341109 23.268557 2.300685\n\n\n",
    );
}

#[test]
fn support_vector_machines_are_those_of_systemds() {
    check_data(
        "B = l2svm(X=X, Y=c2)",
        "0.824998\n-0.532241\n-0.002195\n0.098264\n\n\n",
    );
    check_data(
        "B = l2svm(X=X, Y=c2, intercept=TRUE, epsilon=0.0001, reg=0.01, maxIterations=50)",
        "1.155097\n-0.877181\n-0.004271\n-0.072267\n0.106262\n\n\n",
    );
    fails_with("x = l2svm(matrix(1,1,1), matrix(1,1,1))", "at least 2 rows");
}

#[test]
fn logistic_regressions_are_those_of_systemds() {
    check_data(
        "B = multiLogReg(X=X, Y=c3, verbose=FALSE)",
        "-0.752660 0.240507\n-0.195204 -0.401976\n0.054612 0.007103\n-0.115815 -0.455876\n-1.776922 0.651932\n\n\n",
    );
    check_data(
        "B = multiLogReg(X=X, Y=c3, icpt=0, reg=0.1, maxii=0, verbose=FALSE)",
        "-2.091794 0.633366\n-2.953176 -2.802424\n0.079205 0.079054\n-2.500796 -2.962989\n\n\n",
    );
    check_data(
        "B = multiLogReg(X=X, Y=(c2+1)/2, icpt=1, verbose=FALSE)",
        "1.123590\n-1.258222\n-0.056344\n0.167869\n2.344736\n\n\n",
    );
    fails_with(
        "x = multiLogReg(matrix(1,3,2), matrix(1,3,1), verbose=FALSE)",
        "one class",
    );
}

/// Counts and positive numbers beside the data.
const RESPONSES: &str = "p = round(exp(X[,1] / 3 + 1))
g = exp(0.2 * X[,1] - 0.1 * X[,2] + 1 + 0.1 * sin(seq(1,40) * 5))
";

#[track_caller]
fn check_models(models: &[(&str, &str)]) {
    for (call, expected) in models {
        check_data(
            &format!("{RESPONSES}B = {call}, tol=1e-12, verbose=FALSE)"),
            expected,
        );
    }
}

#[test]
fn generalized_linear_models_of_powers_are_those_of_systemds() {
    check_models(&[
        (
            "glm(X=X, Y=y, icpt=1",
            "1.105803\n-1.863891\n0.514769\n3.124194\n6.207458\n\n\n",
        ),
        (
            "glm(X=X, Y=p, dfam=1, vpow=1.0, icpt=2",
            "0.337360 0.756422\n0.000853 0.001998\n-0.000259 -0.006018\n0.000292 0.000673\n0.995439 1.059274\n\n\n",
        ),
        (
            "glm(X=X, Y=g, dfam=1, vpow=2.0, link=1, lpow=0.0, icpt=1",
            "0.210452\n-0.085607\n0.001498\n0.013210\n0.921943\n\n\n",
        ),
        (
            "glm(X=X, Y=g, dfam=1, vpow=3.0, link=1, lpow=0.0, icpt=1",
            "0.207191\n-0.089875\n0.000928\n0.007372\n0.951483\n\n\n",
        ),
        (
            "glm(X=X, Y=p, dfam=1, vpow=1.0, link=1, lpow=0.5, icpt=1",
            "0.285818\n-0.005378\n-0.000197\n-0.004823\n1.768118\n\n\n",
        ),
        ("glm(X=X[,3], Y=g, dfam=1, vpow=2.0", "0.007190\n\n\n"),
    ]);
}

#[test]
fn generalized_linear_models_of_counts_are_those_of_systemds() {
    check_models(&[
        (
            "glm(X=X, Y=(c2+1)/2, dfam=2, icpt=1, reg=0.1",
            "2.399379\n-2.483032\n-0.059459\n-0.329275\n2.246791\n\n\n",
        ),
        (
            "glm(X=X, Y=(c2+1)/2, dfam=2, link=3, icpt=2, reg=0.1",
            "1.234919 2.768911\n-1.199933 -2.809174\n-0.024099 -0.560748\n-0.123685 -0.284559\n0.882347 0.028624\n\n\n",
        ),
        (
            "glm(X=X, Y=cbind(p, 20 - min(p, 15)), dfam=2, link=4, icpt=1",
            "0.383741\n0.000777\n0.000090\n-0.000927\n-1.929976\n\n\n",
        ),
    ]);
}

/// Without values of another program to compare with: nothing near it fits better.
#[test]
fn a_cauchit_model_is_where_the_likelihood_is_largest() {
    check(
        &format!(
            "{DATA}fit = function(Matrix[Double] X, Matrix[Double] y, Matrix[Double] b) return (Double f) {{
  f = -sum(log(0.5 + (2 * y - 1) * atan(cbind(X, matrix(1, 40, 1)) %*% b) / pi)) + 0.5 * sum(b[1:2,] ^ 2)
}}
X = X[,1:2]
y = (c2 + 1) / 2
B = glm(X=X, Y=y, dfam=2, link=5, icpt=1, reg=1, tol=1e-14, verbose=FALSE)
worse = 0
for (i in 1:3) {{
  for (step in 1:2) {{
    C = B
    C[i,1] = C[i,1] + 0.001 * (2 * step - 3)
    worse = worse + (fit(X, y, C) > fit(X, y, B))
  }}
}}
print(worse)"
        ),
        "6.0",
    );
}

#[test]
fn what_a_generalized_linear_model_cannot_be_fitted_to_is_said() {
    let x = "X = matrix(seq(1,4), 4, 1)\n";
    for (call, message) in [
        ("Y=matrix(1,3,1)", "4 and 3"),
        ("Y=matrix(1,4,1), dfam=3", "found 3"),
        ("Y=matrix(1,4,1), link=2", "0 or 1 for a power distribution"),
        ("Y=matrix(1,4,2)", "found 2"),
        ("Y=matrix(1,4,1), dfam=2", "only one of them"),
        ("Y=matrix(\"1 0 -1 2\",4,1), vpow=1.0", "positive, found -1"),
    ] {
        fails_with(&format!("{x}B = glm(X=X, {call})"), message);
    }
}

#[test]
fn kmeans_finds_groups_that_lie_apart() {
    let groups = format!("{DATA}Z = rbind(X[,1:2], X[,1:2] + 100, X[,1:2] - 100)\n");
    check(
        &format!(
            "{groups}[C, Y] = kmeans(X=Z, k=3, seed=7)\nprint(toString(colSums(C), decimal=6))\nprint(sum(Y[1:40,] == as.scalar(Y[1,1])))\nprint(sum(Y == as.scalar(Y[41,1])))\nprint(min(Y) + \" \" + max(Y))"
        ),
        "0.681377 -0.214964\n\n40.0\n40.0\n1.0 3.0",
    );
    // More centroids than different rows: every row is one.
    check(
        "[C, Y] = kmeans(X=matrix(\"1 1 5 5\", 4, 1), k=2, runs=3, seed=1)\nprint(sum(C) + \" \" + (as.scalar(Y[1,1]) != as.scalar(Y[3,1])))",
        "6.0 TRUE",
    );
}

#[test]
fn an_installation_serves_what_is_not_our_own() {
    fails_with(
        "x = arima(matrix(1,2,2))",
        "nor as a script of a SystemDS installation",
    );
    let folder = tempfile::tempdir().unwrap();
    let scripts = folder.path().join("scripts/builtin");
    std::fs::create_dir_all(&scripts).unwrap();
    let write = |name: &str, text: &str| std::fs::write(scripts.join(name), text).unwrap();
    write(
        "twice.dml",
        "source(\"scripts/builtin/helper.dml\") as h\nm_twice = function(Matrix[Double] X) return (Matrix[Double] Y) { Y = local(X) }\ns_twice = function(Double x) return (Double y) { y = -1 }\nlocal = function(Matrix[Double] X) return (Matrix[Double] Y) { Y = h::add(X, X) + sum(normalize(X)) }",
    );
    write(
        "helper.dml",
        "add = function(Matrix[Double] A, Matrix[Double] B) return (Matrix[Double] C) { C = A + B }",
    );
    write("broken.dml", "m_broken = function(");
    let run = |text: &str| run_with(Path::new("."), Some(folder.path().to_owned()), text);
    let (printed, result) = run(
        "print(toString(twice(matrix(\"1 3\", 2, 1))))\nprint(twice(3))\nparfor (i in 1:4) { x = twice(i) }",
    );
    result.unwrap();
    assert_eq!(printed, "3.000\n7.000\n\n-1.0\n");
    let error = run("x = broken(1)").1.unwrap_err();
    assert!(error.message.contains("broken.dml"), "{error}");
}

#[test]
fn eval_finds_functions_of_the_file_that_calls_it() {
    let root = tempfile::tempdir().unwrap();
    let scripts = root.path().join("scripts/builtin");
    std::fs::create_dir_all(&scripts).unwrap();
    std::fs::write(
        scripts.join("arima.dml"),
        "twice = function(Matrix[Double] X) return (Matrix[Double] Y) { Y = 2 * X }\n\
         m_arima = function(Matrix[Double] X) return (Matrix[Double] R) { R = eval(\"twice\", list(X=X)) }\n",
    )
    .unwrap();
    let text = "print(toString(arima(matrix(3, 1, 1))))";
    let (printed, result) = run_with(Path::new("."), Some(root.path().to_owned()), text);
    assert_eq!(
        (printed.trim(), result.is_ok()),
        ("6.000", true),
        "{result:?}"
    );
    // A name of another file stays unknown.
    let text = "A = arima(matrix(3, 1, 1))\nB = eval(\"twice\", A)";
    let (_, result) = run_with(Path::new("."), Some(root.path().to_owned()), text);
    assert!(result.is_err());
}

#[test]
fn source_finds_the_scripts_of_an_installation() {
    let root = tempfile::tempdir().unwrap();
    let layers = root.path().join("scripts/nn/layers");
    std::fs::create_dir_all(&layers).unwrap();
    std::fs::write(
        layers.join("twice.dml"),
        "source(\"nn/util.dml\") as util\n\
         forward = function(Matrix[Double] X) return (Matrix[Double] Y) { Y = util::one(X) + X }\n",
    )
    .unwrap();
    std::fs::write(
        root.path().join("scripts/nn/util.dml"),
        "one = function(Matrix[Double] X) return (Matrix[Double] Y) { Y = X }\n",
    )
    .unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    for path in [
        "nn/layers/twice.dml",
        "scripts/nn/layers/twice.dml",
        "./nn/layers/twice.dml",
    ] {
        let text = format!("source(\"{path}\") as t\nprint(sum(t::forward(matrix(1, 2, 2))))");
        let (printed, result) = run_with(elsewhere.path(), Some(root.path().to_owned()), &text);
        assert_eq!(
            (printed.trim(), result.is_ok()),
            ("8.0", true),
            "{path}: {result:?}"
        );
    }
    // What the run has itself comes first.
    std::fs::create_dir_all(elsewhere.path().join("nn/layers")).unwrap();
    std::fs::write(
        elsewhere.path().join("nn/layers/twice.dml"),
        "forward = function(Matrix[Double] X) return (Matrix[Double] Y) { Y = 10 * X }\n",
    )
    .unwrap();
    let text = "source(\"nn/layers/twice.dml\") as t\nprint(sum(t::forward(matrix(1, 2, 2))))";
    let (printed, _) = run_with(elsewhere.path(), Some(root.path().to_owned()), text);
    assert_eq!(printed.trim(), "40.0");
}
