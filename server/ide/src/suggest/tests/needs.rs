//! Sizes of one that only a fact states: what a suggestion says that it needs.

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
