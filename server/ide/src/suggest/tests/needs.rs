//! Sizes that only a fact states: what a suggestion says that it needs of them.

use super::*;

fn needs(script: &str) -> Vec<Vec<String>> {
    let found = suggestions(script);
    assert!(!found.is_empty());
    found.iter().map(|found| found.needs.clone()).collect()
}

#[test]
fn another_order_of_products_needs_no_vector() {
    let products = "#@ X: 20000 x 1000
#@ w: 1000 x 1
X = read($X)
w = read($w)
z = t(X) %*% X %*% w
write(z, $z)
";
    assert_eq!(needs(products), [Vec::<String>::new()]);
}

#[test]
fn what_counts_how_often_a_column_is_repeated_needs_a_column() {
    let sizes = "#@ A: 1000 x 1000\n#@ B: 1000 x 1000\n#@ v: 1000 x 1\n";
    let reads = "A = read($A)\nB = read($B)\nv = read($v)\n";
    let sum = format!("{sizes}{reads}print(sum(A %*% B - v))\n");
    assert_eq!(needs(&sum), [["ncol(v) = 1"]]);
    // Repeated or not, it is the same.
    let facts = "#@ X: 20000 x 1000, sparsity 0.001\n#@ c: 1 x 1000\n#@ V: 1000 x 5\n";
    let reads = "X = read($X)\nc = read($c)\nV = read($V)\n";
    let product = format!("{facts}{reads}Z = (X - c) %*% V\nwrite(Z, $Z)\n");
    assert_eq!(needs(&product), [Vec::<String>::new()]);
}

#[test]
fn a_number_that_an_argument_gives_tells_no_size() {
    let script = "a = ifdef($a, 0.85)
G = rand(rows=4000, cols=4000, sparsity=0.002, seed=1)
t = matrix(0.1, rows=4000, cols=1)
r = matrix(1, rows=4000, cols=1)
for (i in 1:20) {
  r = a * (t(G * a) %*% r) + (1 - a) * (t %*% t(t)) %*% r
}
print(sum(r))
";
    assert!(needs(script).iter().all(Vec::is_empty));
}

#[test]
fn two_vectors_whose_sizes_are_one_are_looked_at_together() {
    let mean = "#@ U: 20000 x 1
#@ V: 10000 x 1
U = read($U)
V = read($V)
print(mean(U %*% t(V)))
";
    assert_eq!(needs(mean), [["ncol(V) = 1"]]);
}

#[test]
fn a_row_that_the_script_computes_is_one() {
    let centered = "#@ X: 20000 x 1000, sparsity 0.001
#@ V: 1000 x 5
X = read($X)
V = read($V)
Z = (X - colMeans(X)) %*% V
write(Z, $Z)
";
    assert_eq!(needs(centered), [Vec::<String>::new()]);
}

#[test]
fn a_size_that_the_script_says_beside_an_argument_is_not_named() {
    let script = |made: &str| {
        format!(
            "r = ifdef($r, 20000)
c = ifdef($c, 200)
n = 100
A = rand(rows=20000, cols=200, seed=1)
{made}
s = sum(A + D) - sum(A)
print(s)
"
        )
    };
    let of = |made: &str| needs(&script(made));
    assert_eq!(
        of("D = rand(rows=r, cols=200, seed=2)"),
        [["nrow(D) = 20000"]]
    );
    assert_eq!(
        of("D = rand(rows=r, cols=c, seed=2)"),
        [["nrow(D) = 20000", "ncol(D) = 200"]]
    );
    // What the script computes of its own numbers, and turns.
    assert_eq!(
        of("D = rand(rows=r, cols=2 * n, seed=2)"),
        [["nrow(D) = 20000"]]
    );
    let transposed = "E = rand(rows=200, cols=r, seed=2)\nwrite(E, $E)\nD = t(E) * 2\nwrite(D, $D)";
    assert_eq!(of(transposed), [["ncol(E) = 20000"]]);
}

#[test]
fn a_number_beside_a_column_does_not_decide_its_size() {
    let script = "X = rand(rows=3000, cols=40, min=-1, max=1, seed=11)
w = matrix(0.1, rows=40, cols=1)
b = ifdef($b, 0.0)
z = X %*% w + b
prob = 1 / (1 + exp(-z))
H = t(X) %*% diag(prob * (1 - prob)) %*% X
print(sum(H))
";
    let all = needs(script);
    assert!(!all.is_empty() && all.iter().all(Vec::is_empty), "{all:?}");
}

fn equal_sizes(script: &str) -> Vec<Vec<String>> {
    let found = suggestions(script);
    assert!(!found.is_empty());
    found
        .iter()
        .map(|found| found.equal_sizes.clone())
        .collect()
}

#[test]
fn a_second_operand_that_could_be_a_row_is_named() {
    let sum =
        |facts: &str| format!("{facts}X = read($X)\nY = read($Y)\nprint(sum(X + Y) - sum(X))\n");
    let by_numbers = sum("#@ X: 2000 x 1000\n#@ Y: 2000 x 1000\n");
    assert_eq!(
        equal_sizes(&by_numbers),
        [["nrow(Y) = nrow(X)", "ncol(Y) = ncol(X)"]]
    );
    // One name is one size.
    let by_names = sum("#@ X: n x m\n#@ Y: n x m\n#@ n = 2000\n#@ m = 1000\n");
    assert_eq!(equal_sizes(&by_names), [Vec::<String>::new()]);
    // The script itself makes them.
    let made = "X = rand(rows=2000, cols=1000, seed=1)
Y = rand(rows=2000, cols=1000, seed=2)
print(sum(X + Y) - sum(X))
";
    assert_eq!(equal_sizes(made), [Vec::<String>::new()]);
}

#[test]
fn a_factor_whose_product_could_be_a_row_is_named() {
    let loss = "#@ X: 100000 x 50000, sparsity 0.0001
#@ U: 100000 x 10
#@ V: 50000 x 10
X = read($X)
U = read($U)
V = read($V)
loss = sum((X - U %*% t(V))^2)
print(loss)
";
    assert_eq!(
        equal_sizes(loss),
        [["nrow(U) = nrow(X)", "nrow(V) = ncol(X)"]]
    );
}

#[test]
fn what_is_as_right_for_a_row_needs_no_equal_sizes() {
    let product = "#@ X: 20000 x 1000
#@ Y: 1000 x 1000
#@ w: 1000 x 1
X = read($X)
Y = read($Y)
w = read($w)
z = X %*% (Y * 2 + Y * Y) %*% w
write(z, $z)
";
    assert_eq!(equal_sizes(product), [Vec::<String>::new()]);
}

#[test]
fn what_another_caller_could_pass_is_named() {
    let function = "f = function(matrix[double] X, matrix[double] Y) return (double s) {
  s = sum(X + Y) - sum(X)
}
A = rand(rows=2000, cols=1000, seed=1)
B = rand(rows=2000, cols=1000, seed=2)
print(f(A, B))
";
    assert_eq!(
        needs(function),
        [["nrow(Y) = nrow(X)", "ncol(Y) = ncol(X)"]]
    );
}

#[test]
fn a_column_and_a_row_that_a_caller_could_pass_are_named() {
    let function = "f = function(matrix[double] A, matrix[double] B) return (matrix[double] R) {
  R = A + B - B
}
R = f(rand(rows=20000, cols=1000, seed=1), rand(rows=20000, cols=1000, seed=2))
print(sum(R))
";
    assert_eq!(needs(function), [["ncol(B) = ncol(A)"]]);
}

#[test]
fn a_second_operand_that_becomes_a_first_one_is_no_row() {
    // Suggested is `X * (…) * (Y - 1)`: a row X is repeated in `Y * X` alone.
    let function = "f = function(matrix[double] X, matrix[double] Y) return (double s) {
  Z = X^2 %*% t(Y * X - X)
  s = sum(t(X) %*% Z)
}
print(f(rand(rows=20000, cols=3000, seed=1), rand(rows=20000, cols=3000, seed=2)))
";
    let needs = needs(function);
    assert!(
        needs[0].contains(&"nrow(X) = nrow(Y)".to_owned()),
        "{needs:?}"
    );
}

#[test]
fn sizes_that_come_of_arguments_are_named_where_they_differ_by_name() {
    let script = |cols: &str| {
        format!(
            "#@ $n = 1000
#@ $m = 200
#@ $p = 200
X = rand(rows=$n, cols=$m, seed=1)
Y = rand(rows=$n, cols={cols}, seed=2)
B = (X + Y) - X
print(sum(B))
"
        )
    };
    let found = needs(&script("$p"));
    assert!(found.iter().all(|needs| needs == &["$p = $m"]), "{found:?}");
    let found = needs(&script("$m"));
    assert!(found.iter().all(Vec::is_empty), "{found:?}");
}

#[test]
fn what_another_statement_needs_to_be_equal_is_named_where_it_could_be_repeated() {
    let script = "#@ $n = 1000
#@ $m = 200
#@ $p = 200
Y = round(rand(rows=$n, cols=$p, min=-4, max=4, seed=2))
X = round(rand(rows=$n, cols=$m, min=-4, max=4, seed=1))
g = Y * X
print(sum(g))
r = mean(t(Y) %*% X)
print(r)
";
    let found = suggestions(script);
    let mean = found.iter().find(|it| it.original.contains("mean"));
    let wrong = mean.is_some_and(|it| it.optimized.contains("ncol(Y)^2") && it.needs.is_empty());
    assert!(!wrong, "{:?}", mean.map(|it| &it.optimized));
}

#[test]
fn a_matrix_of_zeros_has_a_size_as_well() {
    let script = "#@ $n = 1000
#@ $m = 200
#@ $p = 1000
#@ $q = 200
Y = rand(rows=$p, cols=$q, seed=2)
Z = matrix(0, rows=$n, cols=$m)
c = Z + Y
e = Z %*% t(Y)
print(nrow(e) + \"x\" + ncol(e) + \" \" + sum(c))
";
    for found in suggestions(script) {
        let is_wrong = found.original.contains("t(Y)")
            && !found.optimized.contains("nrow(Y)")
            && found.conditions().is_empty();
        assert!(!is_wrong, "{} ⇒ {}", found.original, found.optimized);
    }
}

#[test]
fn a_definition_stays_where_a_fact_says_more_than_it() {
    let script = "Z = rand(rows=$n, cols=$m, seed=2)
U = Z[1:$n,]
#@ Z: 1000 x 200
#@ U: 1000 x 200
r = sum(U %*% t(Z))
print(r)
";
    let found = suggestions(script);
    assert!(!found.is_empty());
    for found in found {
        assert_eq!(found.statement_ranges.len(), 1, "{}", found.optimized);
    }
}

#[test]
fn an_argument_is_one_size_and_a_variable_may_be_several() {
    let arguments = "#@ $n = 1000
#@ $m = 200
X = rand(rows=$n, cols=$m, seed=1)
print(sum(X + X[1:$n,]))
";
    let found = needs(arguments);
    assert!(found.iter().all(Vec::is_empty), "{found:?}");
    let variables = "#@ $n = 2000
#@ $k = 2000
n = $n
X = rand(rows=n, cols=1000, seed=1)
n = $k
Y = rand(rows=n, cols=1000, seed=2)
B = (X + Y) - X
print(sum(B))
";
    let found = suggestions(variables);
    let first = found.iter().find(|it| it.original.contains("(X + Y)"));
    assert!(first.is_none_or(|it| !it.needs.is_empty()), "{found:?}");
}

#[test]
fn what_is_done_to_each_cell_keeps_the_argument_that_is_its_size() {
    let script = |define: &str| {
        format!(
            "#@ $n = 1000
U = rand(rows=$n, cols=$n, seed=1)
V = rand(rows=$n, cols=$n, seed=2)
{define}
print(sum((U + V) %*% V))
"
        )
    };
    for define in [
        "U = round(10 * U)",
        "if ($n > 10) { U = U / 3 }",
        "a = 3\nU = -abs(U ^ a)",
    ] {
        let found = needs(&script(define));
        assert!(
            !found.is_empty() && found.iter().all(Vec::is_empty),
            "{define}: {found:?}"
        );
    }
}

#[test]
fn a_function_of_the_script_may_use_rows_and_cols_for_other_sizes() {
    let script = "make = function(Integer rows, Integer cols) return (Matrix[Double] R) {
  R = rand(rows=2 * rows, cols=cols, seed=1)
}
#@ $n = 1000
#@ $m = 200
X = rand(rows=$n, cols=$m, seed=2)
Y = make(rows=$n, cols=$m)
#@ Y: 1000 x 200
B = (X + Y) - X
print(sum(B))
";
    let found = suggestions(script);
    let first = found.iter().find(|it| it.original.contains("(X + Y)"));
    assert!(first.is_none_or(|it| !it.needs.is_empty()), "{found:?}");
}
