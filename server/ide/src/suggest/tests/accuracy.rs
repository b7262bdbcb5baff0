//! What suggestions lose on hard data, and that it is said.

use super::*;

/// The only suggestion of a script.
#[track_caller]
fn only(script: &str) -> Suggestion {
    let mut found = suggestions(script);
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

#[track_caller]
fn accuracy(script: &str) -> String {
    let found = only(script);
    found.accuracy.as_ref().expect("it is measured").to_string()
}

#[test]
fn a_difference_of_large_products_loses_what_a_difference_of_cells_keeps() {
    let covariance = "#@ X: 10000 x 100, sparsity 0.01
X = read($X)
Z = X - colMeans(X)
S = t(Z) %*% Z / (nrow(X) - 1)
write(S, $S)
";
    expect!["loses about 15 digits where a full column of X is large beside its differences"]
        .assert_eq(&accuracy(covariance));
}

#[test]
fn an_expanded_square_loses_where_its_operands_are_nearly_equal() {
    let error = "#@ X: 20000 x 1000
#@ U: 20000 x 10
#@ V: 1000 x 10
X = read($X)
U = read($U)
V = read($V)
print(mean((X - U %*% t(V))^2))
";
    expect!["loses about 16 digits where X ≈ U %*% t(V), in whole numbers"]
        .assert_eq(&accuracy(error));
}

#[test]
fn what_is_nearly_all_zero_cannot_be_near_a_full_product() {
    let loss = format!(
        "{SIZES}X = read($X)\nU = read($U)\nV = read($V)\nprint(sum((X - U %*% t(V))^2))\n"
    );
    expect!["as accurate"].assert_eq(&accuracy(&loss));
}

#[test]
fn another_order_of_products_loses_nothing() {
    let products = "#@ A: 2000 x 2000
#@ v: 2000 x 1
A = read($A)
v = read($v)
w = A %*% A %*% A %*% v
write(w, $w)
";
    expect!["as accurate"].assert_eq(&accuracy(products));
}

#[test]
fn a_root_of_what_rounding_makes_negative_is_no_suggestion() {
    let root = "#@ X: 20000 x 1000
#@ U: 20000 x 10
#@ V: 1000 x 10
X = read($X)
U = read($U)
V = read($V)
print(sqrt(sum((X - U %*% t(V))^2)))
";
    let found = suggestions(root);
    assert!(found.is_empty(), "{:?}", found[0].accuracy);
}

#[test]
fn what_cancels_exactly_in_whole_numbers_is_tried_too() {
    let rest = "#@ T: 2000 x 2000
#@ u: 2000 x 1
#@ z: 2000 x 1
T = read($T)
u = read($u)
z = read($z)
R = (T - u %*% t(z)) %*% z
write(R, $R)
";
    expect!["loses about 14 digits where T ≈ u %*% t(z), in whole numbers"]
        .assert_eq(&accuracy(rest));
}

#[test]
fn a_number_that_says_a_size_is_not_made_large() {
    // As other numbers, these would ask for matrices of 1e13 cells.
    let sized = "m = 3000
G = rand(rows=m, cols=2000, seed=2)
print(sum(G * matrix(0.5, rows=m, cols=1) - G))
b = mean(matrix(2, rows=1, cols=m) - min(matrix(1, rows=1, cols=m), 0))
print(b)
";
    assert!(!suggestions(sized).is_empty());
}
