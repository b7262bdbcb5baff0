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
fn what_is_repeated_along_rows_needs_a_row() {
    let centered = "#@ X: 20000 x 1000, sparsity 0.001
#@ c: 1 x 1000
#@ V: 1000 x 5
X = read($X)
c = read($c)
V = read($V)
Z = (X - c) %*% V
write(Z, $Z)
";
    assert_eq!(needs(centered), [["nrow(c) = 1"]]);
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
