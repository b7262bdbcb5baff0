//! What suggestions lose on hard data, and that it is said.

use super::*;

/// The only suggestion of a script.
#[track_caller]
fn only(script: &str) -> Suggestion {
    let mut found = suggestions(script);
    assert_eq!(
        found.len(),
        1,
        "{:?}",
        found.iter().map(|it| &it.optimized).collect::<Vec<_>>()
    );
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
    expect!["loses about 16 digits where a full column of X is large beside its differences"]
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
fn a_column_of_one_large_number_is_gone_only_where_its_mean_is_subtracted_first() {
    let centred = "#@ X: 100000 x 500, sparsity 0.01
#@ V: 500 x 10
X = read($X)
V = read($V)
R = (X - colMeans(X)) %*% V
print(sum(abs(R)))
";
    let found = only(centred);
    let loss = found.loss().expect("it is said");
    assert!(loss.lost_digits > 8.0, "{loss}");
    assert_eq!(
        loss.worst.as_deref(),
        Some("a column of X is one large number")
    );
}

#[test]
fn differences_to_a_large_mean_are_exact_in_whole_numbers() {
    let centred = "#@ X: 20000 x 2000
#@ Y: 20000 x 2000
X = read($X)
Y = read($Y)
a = sum((X - mean(X)) * Y)
print(a)
";
    let loss = only(centred).loss().expect("it is said").clone();
    assert!(loss.lost_digits > 10.0, "{loss}");
}

#[test]
fn whole_numbers_that_differ_by_ones_have_exact_products() {
    let products = "#@ X: 1000 x 200
#@ Y: 1000 x 200
X = read($X)
Y = read($Y)
print(sum(X %*% t(X) - Y %*% t(Y)))
";
    let loss = only(products).loss().expect("it is said").clone();
    assert!(loss.lost_digits > 4.0, "{loss}");
}

#[test]
fn distances_to_a_centre_lose_where_rows_and_centre_are_large() {
    let distances = |sparsity: &str, distance: &str| {
        format!(
            "#@ X: 100000 x 1000{sparsity}
#@ c: 1 x 1000
X = read($X)
c = read($c)
d = {distance}
print(toString(d))
"
        )
    };
    for distance in ["rowSums((X - c)^2)", "sum((X - c)^2)"] {
        let found = only(&distances(", sparsity 0.001", distance));
        let loss = found.loss().expect("it is said").to_string();
        expect!["loses about 16 digits where a full column of X and c are large beside their differences"]
            .assert_eq(&loss);
    }
    // The same with a sum: the centre is the opposite.
    let found = only(&distances(", sparsity 0.001", "sum((X + c)^2)"));
    assert!(found.loss().is_some_and(|loss| loss.lost_digits > 12.0));
    // A product of both has nothing that cancels.
    let found = suggestions(&distances(", sparsity 0.001", "sum(X * c)"));
    assert!(found.iter().all(|found| found.loss().is_none()));
}

#[test]
fn what_is_nearly_all_zero_cannot_be_near_a_full_product() {
    let loss = format!(
        "{SIZES}X = read($X)\nU = read($U)\nV = read($V)\nprint(sum((X - U %*% t(V))^2))\n"
    );
    expect!["as accurate, taking U and V to be full"].assert_eq(&accuracy(&loss));
}

#[test]
fn a_sparse_matrix_may_be_near_a_product_of_factors_with_few_rows() {
    for (own, factors) in [(0.009, 0.1), (0.1, 0.1), (0.3, 0.3)] {
        let script = format!(
            "#@ X: 8000 x 6000, sparsity {own}
#@ U: 8000 x 10, sparsity {factors}
#@ V: 6000 x 10, sparsity {factors}
X = read($X)
U = read($U)
V = read($V)
print(sum((X - U %*% t(V))^2))
"
        );
        let said = accuracy(&script);
        assert!(
            said.starts_with("loses about 1"),
            "{own}, {factors}: {said}"
        );
    }
}

#[test]
fn what_is_as_sparse_as_a_product_may_be_near_it() {
    let script = "#@ X: 8000 x 6000, sparsity 0.025
#@ U: 8000 x 10, sparsity 0.05
#@ V: 6000 x 10, sparsity 0.05
X = read($X)
U = read($U)
V = read($V)
print(sum((X - U %*% t(V))^2))
";
    expect!["loses about 16 digits where X ≈ U %*% t(V), in whole numbers"]
        .assert_eq(&accuracy(script));
    let root = script.replace("sum((X - U %*% t(V))^2)", "sqrt(mean((X - U %*% t(V))^2))");
    assert!(suggestions(&root).is_empty());
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
    expect!["loses about 16 digits where T ≈ u %*% t(z), in whole numbers"]
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

/// The form that is suggested, and what its hint says of digits.
fn steadier(expression: &str) -> String {
    let script = format!(
        "#@ X: 2000 x 50
#@ v: 3000 x 1
X = read($X)
v = read($v)
n = nrow(X)
m = colMeans(X)
print(toString({expression}))
print(toString(m))
"
    );
    let found = suggestions(&script);
    let rows = found.iter().map(|it| {
        let caveats: Vec<String> = it.caveats().collect();
        format!("{} · {}\n", it.optimized, caveats.join(" · "))
    });
    let rows: String = rows.collect();
    if rows.is_empty() {
        "nothing".to_owned()
    } else {
        rows
    }
}

#[test]
fn a_spread_that_cancels_is_suggested_from_differences() {
    let all: String = [
        "mean(v^2) - mean(v)^2",
        "sum(v * v) / length(v) - (sum(v) / length(v))^2",
        "colMeans(X^2) - colMeans(X)^2",
        "rowMeans(X^2) - rowMeans(X)^2",
        "t(X) %*% X / n - t(m) %*% m",
        // The mean of something else, another count, a sum: no spread.
        "mean(v^2) - mean(v + 1)^2",
        "mean(v^2) - mean(X)^2",
        "sum(v^2) / 7 - mean(v)^2",
        "colMeans(X^2) + colMeans(X)^2",
    ]
    .into_iter()
    .map(|expression| format!("{expression}\n  {}\n", steadier(expression).trim_end()))
    .collect();
    expect![[r#"
        mean(v^2) - mean(v)^2
          mean((v - mean(v))^2) · gains about 16 digits where the cells of v are large beside their differences, in whole numbers
        sum(v * v) / length(v) - (sum(v) / length(v))^2
          sum((v - sum(v) / length(v))^2) / length(v) · gains about 16 digits where the cells of v are large beside their differences, in whole numbers
        colMeans(X^2) - colMeans(X)^2
          colMeans((X - m)^2) · gains about 16 digits where the cells of X are whole numbers, large beside their differences
        rowMeans(X^2) - rowMeans(X)^2
          rowMeans((X - rowMeans(X))^2) · gains about 16 digits where the cells of X are whole numbers, large beside their differences
        t(X) %*% X / n - t(m) %*% m
          (t(X - m) %*% (X - m)) / n · gains about 16 digits where the cells of X are whole numbers, large beside their differences
        mean(v^2) - mean(v + 1)^2
          nothing
        mean(v^2) - mean(X)^2
          nothing
        sum(v^2) / 7 - mean(v)^2
          nothing
        colMeans(X^2) + colMeans(X)^2
          nothing
    "#]].assert_eq(&all);
}

#[test]
fn what_gains_digits_is_shown_and_left_to_the_person() {
    let script = "#@ v: 3000 x 1
v = read($v)
s = mean(v^2) - mean(v)^2
print(s)
";
    let found = only(script);
    assert!(found.digits_gained().is_some());
    assert!(found.loss().is_none());
    let placed = snapshot(script).with(found, true);
    assert_eq!(placed.shown().count(), 1);
    assert_eq!(crate::code_actions::all_edits(&placed).suggestions, 0);
    let chained = script.replace("print(s)", "r = sqrt(s)\nprint(r)");
    assert_eq!(only(&chained).optimized, "mean((v - mean(v))^2)");
    let off = script.replace("s = mean", "#@ off\ns = mean");
    assert!(suggestions(&off).is_empty());
}

#[test]
fn what_cancels_against_a_constant_or_a_multiple_is_tried_too() {
    let loss = |expression: &str| {
        let script = format!(
            "#@ V: 10 x 2000
#@ v: 2000 x 1
#@ w: 2000 x 1
V = read($V)
v = read($v)
w = read($w)
print(sum({expression}))
"
        );
        let found = only(&script);
        format!(
            "{expression}: {}\n",
            found.accuracy.as_ref().expect("it is measured")
        )
    };
    let all: String = [
        "matrix(3, rows=nrow(w), cols=nrow(v)) + w",
        "t(V) - v * 2",
        "t(w) %*% matrix(0.5, rows=nrow(w), cols=nrow(v)) + t(v)",
    ]
    .into_iter()
    .map(loss)
    .collect();
    expect![[r#"
        matrix(3, rows=nrow(w), cols=nrow(v)) + w: loses about 16 digits where w ≈ -matrix(3, rows=nrow(w), cols=nrow(v))
        t(V) - v * 2: loses about 16 digits where V and v are large beside their differences
        t(w) %*% matrix(0.5, rows=nrow(w), cols=nrow(v)) + t(v): loses about 16 digits where v ≈ t(-(t(w) %*% matrix(0.5, rows=nrow(w), cols=nrow(v)))), in whole numbers
    "#]].assert_eq(&all);
}

#[test]
fn what_is_left_beside_large_operands_that_cancel_is_tried_too() {
    let script = "#@ X: 20000 x 500, sparsity 0.01
#@ V: 20000 x 500, sparsity 0.1
X = read($X)
V = read($V)
R = rowSums((sign(X) + (X - V)))
print(sum(R))
write(R, $R)
";
    let found = suggestions(script);
    let said: Vec<String> = found
        .iter()
        .filter(|it| it.optimized.contains("rowSums(V)"))
        .map(|it| it.accuracy.as_ref().expect("it is measured").to_string())
        .collect();
    assert!(!said.is_empty());
    for said in said {
        assert!(said.starts_with("loses about 1"), "{said}");
    }
}

#[test]
fn what_a_function_gives_may_be_near_what_it_is_subtracted_from() {
    let layer = "#@ X: 8000 x 200
#@ W: 200 x 40
#@ V: 40 x 200
#@ b: 1 x 200
X = read($X)
W = read($W)
V = read($V)
b = read($b)
H = max(X %*% W, 0)
write(H, $H)
g = colSums(H %*% V + b - X)
write(g, $g)
";
    let loss = only(layer).loss().expect("it is said").clone();
    assert!(loss.lost_digits > 8.0, "{loss}");
}

/// A square of a difference loses half of the digits, up to the rounding of the steps that lead to the data.
#[track_caller]
fn half_of_the_digits(script: &str, data: &str) {
    let found = only(script);
    let loss = found.loss().expect("it is said");
    assert_eq!(loss.worst.as_deref(), Some(data));
    assert!((7.0..10.0).contains(&loss.lost_digits), "{loss}");
}

#[test]
fn two_products_that_are_nearly_equal_lose_what_their_difference_keeps() {
    let products = "#@ A: 2000 x 8
#@ B: 1500 x 8
#@ C: 2000 x 8
#@ D: 1500 x 8
A = read($A)
B = read($B)
C = read($C)
D = read($D)
print(sum((A %*% t(B) - C %*% t(D))^2))
";
    half_of_the_digits(products, "A %*% t(B) ≈ C %*% t(D)");
}

/// The loss of a factorization, right after one factor is fitted to the other.
#[test]
fn what_is_fitted_to_a_matrix_may_be_near_it() {
    let fit = "#@ X: 2000 x 1500
#@ U: 2000 x 8
X = read($X)
U = read($U)
V = t(X) %*% U %*% inv(t(U) %*% U)
print(sum((X - U %*% t(V))^2))
";
    half_of_the_digits(fit, "X ≈ U %*% t(t(X) %*% U %*% inv(t(U) %*% U))");
}

#[test]
fn a_root_of_what_rounding_makes_negative_is_not_suggested() {
    let idempotent = "#@ X: 3000 x 20
X = read($X)
H = X %*% inv(t(X) %*% X) %*% t(X)
write(H, $H)
print(sqrt(sum((H %*% H - H)^2)))
";
    for found in suggestions(idempotent) {
        assert!(!found.optimized.starts_with("sqrt("), "{}", found.optimized);
    }
}

#[test]
fn what_has_a_value_only_where_no_row_is_empty_is_measured_there() {
    let cosines = "#@ W: 20000 x 20000, sparsity 0.001
W = read($W)
N = W / sqrt(rowSums(W^2))
print(sum(N %*% t(N)))
";
    expect!["as accurate"].assert_eq(&accuracy(cosines));
}
