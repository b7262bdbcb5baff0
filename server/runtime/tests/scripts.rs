//! Scripts run from text. Expected output is what SystemDS 3.4 prints, unless a test says otherwise.

use std::collections::BTreeMap;
use std::path::Path;

use sumac_runtime::interp::{RunError, RunErrorKind, RunOptions, RunOutcome, argument_value, run};
use sumac_runtime::{Cancel, Value};

fn run_in(
    base: &Path,
    text: &str,
    args: &[(&str, &str)],
    cancel: Cancel,
) -> (Vec<String>, Result<RunOutcome, RunError>) {
    let parsed = sumac_syntax::parse(text);
    assert!(parsed.errors().is_empty(), "{:?}", parsed.errors());
    let load = |path: &Path| {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        Ok((
            (**sumac_syntax::parse(text.as_str()).program()).clone(),
            text,
        ))
    };
    let args: BTreeMap<String, Value> = args
        .iter()
        .map(|(k, v)| ((*k).to_owned(), argument_value(v)))
        .collect();
    let options = RunOptions {
        args,
        base: base.to_owned(),
        seed: 1,
        cancel,
        loader: &load,
        planning: sumac_runtime::fused::Planning::default(),
        compression: sumac_runtime::interp::Compression::default(),
        blocks: true,
        wants_variables: true,
        installation: None,
    };
    let mut printed = Vec::new();
    let result = run(parsed.program(), text, &options, &mut |line| {
        printed.push(line.to_owned());
    });
    (printed, result)
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let (printed, result) = run_in(Path::new("."), text, &[], Cancel::default());
    if let Err(error) = result {
        panic!("{error}\nprinted before: {printed:?}");
    }
    assert_eq!(printed.join("\n").trim_end(), expected.trim_end());
}

#[track_caller]
fn fails(text: &str) -> RunError {
    run_in(Path::new("."), text, &[], Cancel::default())
        .1
        .expect_err("a failing script")
}

#[test]
fn numbers_print_as_in_systemds() {
    let cases = [
        ("2^3", "8.0"),
        ("7/2", "3.5"),
        ("7%/%2", "3"),
        ("7%%2", "1"),
        ("2*3.0", "6.0"),
        ("1e-4", "1.0E-4"),
        ("12345678.0", "1.2345678E7"),
        ("TRUE", "TRUE"),
        ("3 > 2", "TRUE"),
        ("\"a\" + TRUE + 1 + 2.0", "aTRUE12.0"),
        ("round(2.5)", "3.0"),
        ("round(-2.5)", "-2.0"),
        ("floor(2.7)", "2.0"),
        ("sqrt(4)", "2.0"),
        ("abs(-3)", "3.0"),
        ("max(3, 4)", "4"),
        ("min(3, 4.5)", "3.0"),
        ("sum(matrix(1, rows=2, cols=2))", "4.0"),
        (
            "nrow(matrix(1, rows=2, cols=3)) + ncol(matrix(1, rows=2, cols=3))",
            "5",
        ),
        ("as.integer(3.7)", "3"),
        ("as.integer(\"5\")", "5"),
        ("as.double(3)", "3.0"),
        ("as.logical(1)", "TRUE"),
        ("1/0", "Infinity"),
        ("0/0", "NaN"),
        ("!TRUE", "FALSE"),
        ("3 == 3.0", "TRUE"),
        ("ifelse(TRUE, 3, 4)", "3"),
        ("ifelse(TRUE, 3, 4.5)", "3.0"),
        ("as.scalar(matrix(7, rows=1, cols=1))", "7.0"),
        ("prod(matrix(2, rows=2, cols=2))", "16.0"),
        ("xor(TRUE, FALSE)", "TRUE"),
        ("-2^2", "-4.0"),
    ];
    for (expression, printed) in cases {
        check(&format!("print({expression})"), printed);
    }
}

#[test]
fn matrices_print_as_in_systemds() {
    check(
        "X = matrix(\"1 2.5 3 4\", rows=2, cols=2)\nprint(toString(X))\nprint(X)\nprint(toString(X, decimal=1, sep=\",\"))",
        "1.000 2.500\n3.000 4.000\n\n1.000 2.500\n3.000 4.000\n\n1.0,2.5\n3.0,4.0\n",
    );
    check(
        "print(toString(matrix(seq(1, 6), rows=2, cols=3)))",
        "1.000 2.000 3.000\n4.000 5.000 6.000\n",
    );
    check(
        "print(toString(matrix(seq(1, 4), rows=2, cols=2, byrow=FALSE)))",
        "1.000 3.000\n2.000 4.000\n",
    );
}

#[test]
fn control_flow_and_loops() {
    check(
        "s = 0\nfor (i in 1:4) {\n  if (i %% 2 == 0) { s = s + i } else { s = s - 1 }\n}\nprint(s)",
        "4",
    );
    check("for (k in 3:1) print(k)", "3\n2\n1");
    check("for (k in seq(1, 7, 3)) print(k)", "1\n4\n7");
    check("parfor (k in 1:2, check=0) { print(k) }", "1\n2");
    check(
        "i = 0\nwhile (i < 3 & TRUE) {\n  i = i + 1\n}\nprint(i)",
        "3",
    );
    check(
        "x = 5\nif (x > 7) print(\"a\") else if (x > 4) print(\"b\") else print(\"c\")",
        "b",
    );
}

#[test]
fn indexing_on_both_sides() {
    let text = "X = matrix(1, rows=3, cols=3)\nX[2, ] = matrix(5, rows=1, cols=3)\nX[1, 1] = 9\nprint(toString(X))\nprint(toString(X[2, 2:3]))\nprint(sum(X[, 1]))\nY = X\nY[1, 1] = 0\nprint(as.scalar(X[1, 1]))";
    check(
        text,
        "9.000 1.000 1.000\n5.000 5.000 5.000\n1.000 1.000 1.000\n\n5.000 5.000\n\n15.0\n9.0",
    );
}

#[test]
fn functions_with_defaults_names_and_several_results() {
    let text = "
f = function(Matrix[Double] X, Integer k = 2) return (Matrix[Double] Y, Double s) {
  Y = X * k
  s = sum(Y)
}
fac = function(Integer n) return (Integer r) {
  if (n <= 1) { r = 1 } else { r = n * fac(n - 1) }
}
[A, a] = f(matrix(1, rows=2, cols=2))
[B, b] = f(k = 3, X = A)
print(a + \" \" + b)
print(fac(10))
";
    check(text, "8.0 24.0\n3628800");
    let missing = fails("f = function(Double x) return (Double y) {\n  y = x\n}\nz = f()");
    assert_eq!(
        (missing.line, missing.message.as_str()),
        (4, "`f` needs a value for `x`")
    );
    let endless = fails("f = function(Double x) return (Double y) {\n  y = f(x)\n}\nz = f(1)");
    assert!(
        endless.message.contains("nested more than 500 deep"),
        "{endless}"
    );
}

#[test]
fn the_same_loss_in_both_forms() {
    let text = "
X = rand(rows=300, cols=200, sparsity=0.05, seed=1)
U = rand(rows=300, cols=5, seed=2)
V = rand(rows=200, cols=5, seed=3)
a = sum((X - U %*% t(V))^2)
b = sum(X^2) - 2 * sum(U * (X %*% V)) + sum((t(U) %*% U) * (t(V) %*% V))
if (abs(a - b) < 1e-9 * a) print(\"same\") else print(a + \" \" + b)
";
    check(text, "same");
}

#[test]
fn command_line_arguments_and_defaults() {
    let text = "n = ifdef($name, \"none\")\nk = ifdef($k, 2)\nprint($1 + 1)\nprint(n + k)";
    let (printed, result) = run_in(
        Path::new("."),
        text,
        &[("1", "4"), ("name", "n")],
        Cancel::default(),
    );
    result.unwrap();
    assert_eq!(printed, ["5", "n2"]);
    let error = fails("x = $missing");
    assert!(error.message.contains("`$missing` has no value"), "{error}");
}

#[test]
fn files_are_read_and_written_beside_the_script() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), "1,2\n3,4\n").unwrap();
    std::fs::write(
        folder.path().join("lib.dml"),
        "twice = function(Matrix[Double] X) return (Matrix[Double] Y) {\n  Y = helper(X)\n}\nhelper = function(Matrix[Double] X) return (Matrix[Double] Y) {\n  Y = 2 * X\n}\n",
    )
    .unwrap();
    let text = "source(\"lib.dml\") as lib\nX = read(\"x.csv\")\nY = lib::twice(X)\nwrite(Y, \"y.mtx\", format=\"mm\")\nZ = read(\"y.mtx\")\nprint(sum(Z))";
    let (printed, result) = run_in(folder.path(), text, &[], Cancel::default());
    result.unwrap();
    assert_eq!(printed, ["20.0"]);
}

#[test]
fn a_script_says_what_stands_in_a_file_where_no_number_does() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), "1,,n/a\n4,NA,6\n").unwrap();
    let text = "X = read(\"x.csv\", default=5, naStrings=\"NA\u{b7}n/a\")\nprint(as.scalar(X[1, 2]) + \" \" + sum(X != X))";
    let (printed, result) = run_in(folder.path(), text, &[], Cancel::default());
    result.unwrap();
    assert_eq!(printed, ["5.0 2.0"]);
    let empty = "X = read(\"x.csv\", fill=FALSE, naStrings=\"NA\u{b7}n/a\")\nprint(sum(X))";
    let (_, result) = run_in(folder.path(), empty, &[], Cancel::default());
    let error = result.unwrap_err().to_string();
    let expected = "x.csv:1: expected a number, because fill is FALSE, found an empty cell";
    assert!(error.ends_with(expected), "{error}");
    let format = fails("write(matrix(1, rows=2, cols=2), \"y\", format=\"xls\")");
    let expected = "`write` expects format text, mm, csv, npy, npz or sumac, found \"xls\"";
    assert_eq!(format.message, expected);
}

#[test]
fn failures_name_the_line_and_the_reason() {
    let error = fails("X = matrix(1, rows=3, cols=4)\n\nY = X %*%\n  X");
    assert_eq!((error.line, error.kind), (3, RunErrorKind::Failure));
    assert!(
        error
            .to_string()
            .starts_with("line 3: `%*%` cannot combine 3 x 4 with 3 x 4"),
        "{error}"
    );
    let inner =
        fails("f = function(Double x) return (Double y) {\n  y = undefined + x\n}\nz = f(1)");
    assert_eq!(
        (inner.line, inner.message.as_str()),
        (2, "`undefined` has no value here")
    );
    let stop = fails("stop(\"my message \" + 3)");
    assert_eq!(
        (stop.kind, stop.message.as_str()),
        (RunErrorKind::Stop, "my message 3")
    );
    assert_eq!(fails("assert(1 == 2)").kind, RunErrorKind::Assertion);
    assert_eq!(
        fails("X = matrix(1, rows=2, cols=2)\nY = X[3, ]").message,
        "index 3:3 is outside the 2 rows of `X[…]`"
    );
    assert!(
        fails("x = frobnicate(1)")
            .message
            .contains("`frobnicate` is not defined")
    );
    assert!(
        fails("x = sqrt(1, 2, 3)")
            .message
            .contains("does not take 3 arguments")
    );
}

#[test]
fn a_cancelled_run_stops_at_its_next_statement() {
    let cancel = Cancel::default();
    cancel.cancel();
    let (printed, result) = run_in(
        Path::new("."),
        "while (TRUE) { x = 1 }\nprint(1)",
        &[],
        cancel,
    );
    assert_eq!(result.unwrap_err().kind, RunErrorKind::Cancelled);
    assert!(printed.is_empty());
}

#[test]
fn statistics_count_operators() {
    let (_, result) = run_in(
        Path::new("."),
        "X = rand(rows=5, cols=5)\nfor (i in 1:3) X = X %*% X\ns = sum(X)",
        &[],
        Cancel::default(),
    );
    let outcome = result.unwrap();
    let count = |name: &str| {
        outcome
            .stats
            .iter()
            .find(|row| row.operator == name)
            .map(|row| row.count)
    };
    assert_eq!(
        (count("%*%"), count("sum"), count("rand")),
        (Some(3), Some(1), Some(1))
    );
    assert_eq!(
        outcome.variables.keys().collect::<Vec<_>>(),
        ["X", "i", "s"]
    );
}
