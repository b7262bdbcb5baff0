//! Assignments that are evaluated as one: nobody can tell, but by what ran.

use std::collections::BTreeMap;
use std::path::PathBuf;

use proptest::prelude::*;
use sumac_runtime::interp::{Compression, RunError, RunOptions, RunOutcome, run};
use sumac_runtime::{Cancel, Value};

use super::{check, run_with};

/// Rows and columns for which plans are made.
const LARGE: &str = "X = rand(rows=400, cols=200, min=0.5, max=1.5, seed=1)
Y = rand(rows=400, cols=200, min=0.5, max=1.5, seed=2)
Z = rand(rows=400, cols=200, min=0.5, max=1.5, seed=3)
v = rand(rows=200, cols=1, min=-1, max=1, seed=4)
";

fn outcome(
    text: &str,
    blocks: bool,
    wants_variables: bool,
) -> (Vec<String>, Result<RunOutcome, RunError>) {
    let parsed = sumac_syntax::parse(text);
    assert!(parsed.errors().is_empty(), "{text}\n{:?}", parsed.errors());
    let options = RunOptions {
        args: BTreeMap::new(),
        base: PathBuf::from("."),
        seed: 1,
        cancel: Cancel::default(),
        loader: &|_| Err("there is none".to_owned()),
        planning: sumac_runtime::fused::Planning::default(),
        compression: Compression::default(),
        blocks,
        wants_variables,
        installation: None,
    };
    let mut printed = Vec::new();
    let result = run(parsed.program(), text, &options, &mut |line| {
        printed.push(line.to_owned());
    });
    (printed, result)
}

/// How often operators ran, by name.
fn counts(outcome: &RunOutcome) -> BTreeMap<&str, u64> {
    let rows = outcome.stats.iter();
    rows.map(|row| (row.operator.as_str(), row.count)).collect()
}

fn assert_same(found: &Value, expected: &Value, about: &str) {
    let cells = |value: &Value| match value {
        Value::Matrix(m) => Some((m.shape(), m.is_sparse(), m.to_cells())),
        _ => None,
    };
    match (cells(found), cells(expected)) {
        (Some((shape, is_sparse, found)), Some((wanted, was_sparse, expected))) => {
            assert_eq!((shape, is_sparse), (wanted, was_sparse), "{about}");
            let largest = expected.iter().filter(|x| x.is_finite());
            let largest = largest.fold(1.0, |most: f64, x| most.max(x.abs()));
            for (a, b) in found.iter().zip(&expected) {
                let is_same =
                    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-9 * largest;
                assert!(is_same, "{about}: {a} for {b}");
            }
        }
        _ => match (found, expected) {
            (Value::Double(a), Value::Double(b)) => {
                let is_same = a.to_bits() == b.to_bits()
                    || (a.is_nan() && b.is_nan())
                    || (a - b).abs() <= 1e-9 * b.abs().max(1.0);
                assert!(is_same, "{about}: {a} for {b}");
            }
            _ => assert_eq!(found, expected, "{about}"),
        },
    }
}

/// The same variables and the same output or error, with blocks and without; gives what ran with them.
#[track_caller]
fn same(text: &str) -> RunOutcome {
    let (printed, together) = outcome(text, true, true);
    let (expected, alone) = outcome(text, false, true);
    assert_eq!(printed, expected, "{text}");
    let (together, alone) = match (together, alone) {
        (Ok(together), Ok(alone)) => (together, alone),
        (Err(together), Err(alone)) => {
            assert_eq!(together, alone, "{text}");
            return RunOutcome::default();
        }
        (together, alone) => panic!("{together:?}\n{alone:?}\n{text}"),
    };
    let names = |outcome: &RunOutcome| outcome.variables.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&together), names(&alone), "{text}");
    for (name, value) in &alone.variables {
        assert_same(
            &together.variables[name],
            value,
            &format!("{name} in\n{text}"),
        );
    }
    together
}

#[test]
fn sums_of_two_statements_read_their_matrix_once() {
    let outcome = same(&format!("{LARGE}a = sum(X * Y)\nb = sum(X * Z)\n"));
    let ran = counts(&outcome);
    assert_eq!(ran.get("MAgg"), Some(&1), "{ran:?}");
    assert!(
        !ran.contains_key("sum") && !ran.contains_key("*"),
        "{ran:?}"
    );
}

#[test]
fn numbers_of_numbers_do_not_end_a_block() {
    let text = format!(
        "{LARGE}a = sum(X * Y)\nb = sum(X * Z)\nc = sqrt(a) - 2 * b / ncol(X)\nW = X * c\nd = sum(W * Y)\n"
    );
    let outcome = same(&text);
    assert_eq!(counts(&outcome).get("MAgg"), Some(&1));
    assert!(matches!(outcome.variables["c"], Value::Double(_)));
}

#[test]
fn kinds_of_numbers_are_those_of_single_statements() {
    let outcome = same(&format!(
        "{LARGE}a = sum(X)\nn = 3\nm = n + 1\nb = a > 2\nc = n * 2\nd = !b\ne = max(X, Y)\nf = nrow(e)\ng = a %/% 2\nh = -n\ni = min(n, 2)\n"
    ));
    assert_eq!(outcome.variables["m"], Value::Int(4));
    assert_eq!(outcome.variables["b"], Value::Bool(true));
    assert_eq!(outcome.variables["d"], Value::Bool(false));
    assert_eq!(outcome.variables["f"], Value::Int(400));
    assert_eq!(outcome.variables["i"], Value::Int(2));
}

#[test]
fn what_nobody_reads_is_not_computed() {
    let text = format!("{LARGE}Q = exp(X)\nQ = X * Y\nR = sum(Q + X)\nprint(R)\n");
    let (_, all) = outcome(&text, true, true);
    let (_, some) = outcome(&text, true, false);
    let (all, some) = (all.unwrap(), some.unwrap());
    assert!(all.variables.contains_key("Q") && !some.variables.contains_key("Q"));
    assert!(!counts(&all).contains_key("exp"), "it is overwritten");
    assert_eq!(counts(&some).get("Cell"), Some(&1));
    assert!(!counts(&some).contains_key("*"), "only the sum is wanted");
    same(&text);
}

#[test]
fn results_of_functions_are_computed_and_locals_only_where_they_are_read() {
    let text = format!(
        "{LARGE}f = function(matrix[double] A, matrix[double] B) return (matrix[double] r, double s) {{
  q = A * B
  r = q + A
  s = sum(r)
  unused = exp(A)
}}
[r, s] = f(X, Y)
g = function(int n, matrix[double] A) return (double r) {{
  B = A * n
  r = sum(B + 1)
  if (n > 0) {{ k = g(n - 1, A)\n r = r + k + sum(B) }}
}}
t = g(3, X)
"
    );
    let outcome = same(&text);
    assert!(!counts(&outcome).contains_key("exp"));
}

#[test]
fn a_loop_finds_its_plan_again_and_carries_its_variables() {
    let text = format!(
        "{LARGE}w = v * 0\nold = 0.0\nfor (i in 1:4) {{
  q = X %*% w
  g = t(X) %*% (q - 1)
  step = 0.001 / i
  w = w - step * g
  norm = sum(g * g)
  if (norm < old) {{ old = norm }} else {{ old = old + norm }}
}}
while (norm > 1e-3 & i < 8) {{ G = X * norm\n norm = sum(G) / 1e9\n i = i + 1 }}
"
    );
    same(&text);
    let (_, quick) = outcome(&text, true, false);
    quick.unwrap();
}

#[test]
fn aliases_are_the_values_of_then() {
    let outcome = same(&format!(
        "{LARGE}A = X + 1\nB = A\nA = A * 2\nC = B - A\nX = B\nB = X + Y\nA += B\nX += 1\nY += X * 2\n"
    ));
    assert!(outcome.variables.contains_key("C"));
    check(
        "X = matrix(2, 2, 2)\nX = X * X + X\nA = X\nA[1, 1] = 100\nB = A + X\nX = X - X\nprint(sum(X) + \" \" + sum(A) + \" \" + sum(B))",
        "0.0 118.0 142.0",
    );
}

#[test]
fn an_error_in_the_middle_is_the_one_of_its_statement() {
    for text in [
        "print(1)\nA = X + 1\nB = A %*% X\nC = B * 2\nprint(2)",
        "A = X + 1\nprint(sum(A))\nB = A * 2\nC = B + t(B)\nD = nothing + 1",
        "A = X + 1\nB = A * nothing\nprint(sum(A))",
        "A = X + 1\nB = A[500, 1]\nprint(sum(A))",
        "A = X + 1\nB = A[, 3:900] * 2\nprint(sum(A))",
        "A = X + 1\nb = as.scalar(A)\nprint(b)",
        "A = X + \"text\"\nb = sum(A)",
        "A = X + 1\nb = sum(A) + \"text\"\nc = b * 2",
        "s = sum(X)\nn = 7 %/% 0\nt = s + n",
        "if (X) { A = X + 1 }",
        "A = X + 1\nstop(\"here \" + sum(A))\nB = A + 1",
        "A = sum(X, Y, Z)\nB = A + 1",
        "A += X\nB = A + 1",
        "B = X * 2\nB += t(X)\nprint(sum(B))",
    ] {
        same(&format!("{LARGE}{text}"));
    }
    let (printed, result) = run_with(
        std::path::Path::new("."),
        None,
        "X = matrix(1, 3, 2)\nprint(1)\nA = X + 1\nB = A %*% X\nprint(2)",
    );
    assert_eq!(printed, "1\n");
    assert_eq!(result.unwrap_err().line, 4);
}

#[test]
fn text_that_names_variables_and_calls_without_results_see_what_is_there() {
    same(&format!(
        "{LARGE}A = X * 2\nb = exists(\"A\")\nA = X * 3\nname = \"A\"\nc = exists(name)\n"
    ));
    same(&format!(
        "{LARGE}f = function(matrix[double] M) {{ print(sum(M)) }}\nA = X * 2\nA = f(X)\nB = A + 1\n"
    ));
    same(&format!(
        "{LARGE}A = X * 2\nB = eval(\"sum\", A)\nA = A + B\nC = ifdef($none, A)\nA = A - C\n"
    ));
}

#[test]
fn not_a_number_zeros_and_empty_matrices_are_as_in_single_statements() {
    same(&format!(
        "{LARGE}N = X * (0 / 0)\na = sum(N)\nb = max(N)\nM = N > 1\nc = sum(M * Y)\nd = a - b\n"
    ));
    same(
        "X = rand(rows=500, cols=300, sparsity=0.05, seed=1)\nY = X * (1 / 0)\nZ = X * Y\na = sum(Z)\nb = min(X * 2)\nc = sum(X != 0)\nd = colSums(X * 3)\ne = -0.0 * c\nf = 1 / e\nW = X * e\ng = W / 2\n",
    );
    same(
        "E = matrix(0, 0, 3)\nF = E * 2\na = sum(F)\nG = matrix(1, 3, 3)\nH = F %*% G\nb = nrow(H)\n",
    );
    same("E = matrix(0, 0, 3)\nF = E * 2\na = min(F)\nb = a + 1\n");
}

#[test]
fn products_with_no_columns_run_fused() {
    let empty = "N = matrix(0, rows=200, cols=0)\nM = matrix(0, rows=400, cols=0)\n";
    for (expression, rows, cols) in [
        ("t(X) %*% ((X %*% N) * 2)", 200, 0),
        ("t(X * 2) %*% (X %*% N)", 200, 0),
        ("((X * 2) %*% N) + 1", 400, 0),
        ("t(M) %*% ((X * 2) %*% v)", 0, 1),
        ("t(M * 2) %*% (X %*% N)", 0, 0),
        ("t(X) %*% ((M * 2) %*% t(M))", 200, 400),
        ("rowSums((X * 2) %*% N)", 400, 1),
        ("as.matrix(sum((X %*% N) * 3))", 1, 1),
        ("colSums((X * 3) %*% N)", 1, 0),
    ] {
        let text = format!(
            "{LARGE}{empty}R = {expression}\nprint(nrow(R) + \" \" + ncol(R) + \" \" + sum(R))\n"
        );
        let (printed, result) = outcome(&text, true, false);
        assert!(result.is_ok(), "{expression}: {result:?}");
        let expected = format!("{rows} {cols} 0.0");
        assert_eq!(printed, [expected], "{expression}");
    }
}

#[test]
fn numbers_decide_branches_and_print_in_their_place() {
    same(&format!(
        "{LARGE}a = sum(X * Y)\nif (a > 3) {{ b = sum(X * Z)\n print(\"large \" + (b > 0)) }}\nc = sum(Y)\nprint(c > a)\nd = sum(Z)\nwhile (d > 1) {{ d = d / 1000\n e = sum(X) * d }}\nwrite_it = toString(as.integer(c))\nprint(write_it)\n"
    ));
}

#[test]
fn iterations_side_by_side_give_the_same() {
    same(&format!(
        "{LARGE}R = matrix(0, 6, 2)\nA = X * 0\nparfor (i in 1:6) {{
  B = X * i
  C = B + Y
  s = sum(B * C)
  t1 = sum(B * Z)
  R[i, 1] = s / t1
  A += C * i
}}
r = sum(R)\nq = sum(A)\n"
    ));
}

#[test]
fn ranges_of_columns_are_fused_where_they_stay_the_same() {
    let text = format!(
        "{LARGE}P = rand(rows=400, cols=200, seed=9)\nV = rand(rows=200, cols=4, seed=5)\nk = 4\nQ = P[, 1:k] * (X %*% V)\nH = t(X) %*% (Q - P[, 1:k] * rowSums(Q))\nh = sum(H)\nprint(h > -1e300)\n"
    );
    same(&text);
    let (_, ran) = outcome(&text, true, false);
    let ran = ran.unwrap();
    assert!(!counts(&ran).contains_key("rightIndex"), "{:?}", ran.stats);
    same(&format!(
        "{LARGE}s = 0.0\nfor (i in 1:5) {{ A = X[, i:(i + 2)] * 2\n s = s + sum(A) }}\n"
    ));
}

#[test]
fn a_run_that_is_cancelled_ends_soon() {
    let text = format!("{LARGE}while (TRUE) {{ A = X * Y\n B = A + exp(Z)\n s = sum(B) }}");
    let parsed = sumac_syntax::parse(text.as_str());
    let cancel = Cancel::default();
    let options = RunOptions {
        args: BTreeMap::new(),
        base: PathBuf::from("."),
        seed: 1,
        cancel: cancel.clone(),
        loader: &|_| Err("there is none".to_owned()),
        planning: sumac_runtime::fused::Planning::default(),
        compression: Compression::default(),
        blocks: true,
        wants_variables: false,
        installation: None,
    };
    let error = std::thread::scope(|threads| {
        let run = threads.spawn(|| run(parsed.program(), &text, &options, &mut |_| ()));
        cancel.cancel();
        run.join().unwrap().unwrap_err()
    });
    assert_eq!(error.kind, sumac_runtime::interp::RunErrorKind::Cancelled);
}

/// A statement over variables by number: matrices `A`, `B`, `C` of one shape, columns `p`, `q`, numbers `s`, `t`, `n`.
fn statement() -> impl Strategy<Value = String> {
    let matrix = prop_oneof![Just("A"), Just("B"), Just("C"), Just("S")];
    let target = prop_oneof![Just("A"), Just("B"), Just("C")];
    let column = prop_oneof![Just("p"), Just("q")];
    let number = prop_oneof![Just("s"), Just("t"), Just("n"), Just("0.5"), Just("2")];
    let cell = prop_oneof![Just("+"), Just("-"), Just("*")];
    let (m1, m2, m3) = (matrix.clone(), matrix.clone(), matrix);
    let (s1, s2) = (number.clone(), number.clone());
    let (c1, c2) = (column.clone(), column.clone());
    let to_number = prop_oneof![Just("s"), Just("t")];
    prop_oneof![
        4 => (target.clone(), m1.clone(), cell.clone(), m2.clone(), cell.clone(), m3.clone())
            .prop_map(|(to, a, f, b, g, c)| format!("{to} = {a} {f} {b} {g} {c}")),
        2 => (target.clone(), m1.clone(), cell.clone(), s1.clone())
            .prop_map(|(to, a, f, x)| format!("{to} = {a} {f} {x}")),
        1 => (target.clone(), m1.clone()).prop_map(|(to, a)| format!("{to} = {a}")),
        1 => (target.clone(), m1.clone(), m2.clone())
            .prop_map(|(to, a, b)| format!("{to} = max({a}, {b}) * 0.25")),
        1 => (target.clone(), m1.clone()).prop_map(|(to, a)| format!("{to} = sigmoid({a})")),
        1 => (target.clone(), m1.clone(), m2.clone())
            .prop_map(|(to, a, b)| format!("{to} += {a} * {b} * 0.125")),
        1 => (target, c1.clone(), m1.clone()).prop_map(|(to, p, a)| format!("{to} = {a} * {p}")),
        2 => (column.clone(), m1.clone(), m2.clone())
            .prop_map(|(to, a, b)| format!("{to} = rowSums({a} * {b}) * 0.125")),
        1 => (column.clone(), m1.clone(), c1.clone())
            .prop_map(|(to, a, p)| format!("{to} = {a} %*% (t({a}) %*% {p}) / 256")),
        1 => (column, c1.clone(), s1.clone(), c2.clone())
            .prop_map(|(to, p, x, q)| format!("{to} = {p} + {x} * {q}")),
        3 => (to_number.clone(), m1.clone(), m2.clone())
            .prop_map(|(to, a, b)| format!("{to} = sum({a} * {b}) / 4096")),
        1 => (to_number.clone(), m1).prop_map(|(to, a)| format!("{to} = mean({a})")),
        1 => (to_number.clone(), c1, c2)
            .prop_map(|(to, p, q)| format!("{to} = as.scalar(t({p}) %*% {q}) / 256")),
        1 => (to_number.clone(), s1.clone(), cell, s2.clone())
            .prop_map(|(to, x, f, y)| format!("{to} = {x} {f} {y}")),
        1 => Just("n = n + 1".to_owned()),
        1 => s1.prop_map(|x| format!("print({x} < 1e300)")),
        1 => to_number.prop_map(|s| format!("if ({s} > 1e3) {{ {s} = 0.5 }}")),
        1 => s2.prop_map(|x| format!("A[2, 3] = {x}")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn programs_give_the_same_together_and_one_by_one(
        statements in proptest::collection::vec(statement(), 1..14),
        is_large in any::<bool>(),
        has_nan in proptest::bool::weighted(0.15),
        repeats in proptest::bool::weighted(0.3),
    ) {
        let (rows, cols) = if is_large { (300, 240) } else { (12, 9) };
        let mut text = String::new();
        for (name, seed) in [("A", 1), ("B", 2), ("C", 3)] {
            text += &format!("{name} = rand(rows={rows}, cols={cols}, min=-1, max=1, seed={seed})\n");
        }
        text += &format!("S = rand(rows={rows}, cols={cols}, min=-1, max=1, sparsity=0.1, seed=5)\n");
        text += &format!("p = rand(rows={rows}, cols=1, min=-1, max=1, seed=6)\nq = p * 0.5\n");
        text += "s = 0.25\nt = -0.5\nn = 1\n";
        if has_nan {
            text += "B[1, 2] = 0 / 0\n";
        }
        let body = statements.join("\n");
        if repeats {
            text += &format!("for (i in 1:2) {{\n{body}\n}}\n");
        } else {
            text += &body;
        }
        same(&text);
    }
}

#[test]
fn a_comparison_that_is_turned_round_is_the_other_one() {
    // SystemDS computes `X >= 1` for each of the first two, where a NaN is not selected.
    let x = "X = matrix(\"1 NaN 2\", 3, 1)\n";
    for (expression, sum) in [
        ("(X < 1) == 0", "2.0"),
        ("!(X < 1)", "2.0"),
        ("(X > 1) == 0", "1.0"),
        ("(X <= 1) == 0", "1.0"),
        ("(X >= 1) == 0", "0.0"),
        ("(X == 1) == 0", "2.0"),
        ("0 == (X < 1)", "3.0"),
        ("1 - (X < 1)", "3.0"),
    ] {
        check(&format!("{x}print(sum({expression}))"), sum);
        check(&format!("{x}Z = {expression}\nprint(sum(Z))"), sum);
    }
    check(
        "x = NaN\nprint(!(x < 1))\nprint((3 < 2) == 0)",
        "TRUE\nTRUE",
    );
}
