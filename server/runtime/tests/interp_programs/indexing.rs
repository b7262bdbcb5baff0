//! One position without a comma, positions of lists, and loops whose heads are no numbers.

use super::{check, fails_with};

#[test]
fn one_position_means_a_row_of_a_matrix() {
    check(
        "X = matrix(seq(1, 6), 3, 2)\nprint(toString(X[2]))\nX[1] = matrix(9, 1, 2)\nprint(sum(X[1:2]))",
        "3.000 4.000\n\n25.0",
    );
    check(
        "X = matrix(seq(1, 6), 3, 2)\nX[1:2] = matrix(0, 2, 2)\nprint(toString(X))",
        "0.000 0.000\n0.000 0.000\n5.000 6.000\n",
    );
    check(
        "v = matrix(seq(1, 6), 6, 1)\nprint(as.scalar(v[3]))\nv[2] = 10\nprint(sum(v))\nprint(toString(v[2:4]))",
        "3.0\n29.0\n10.000\n3.000\n4.000\n",
    );
    check(
        "X = matrix(seq(1, 6), 3, 2)\nfor (i in 1:3) { X[i] = X[i] * 2 }\nprint(toString(X[]))\nX[] = matrix(5, 3, 2)\nprint(sum(X))",
        "2.000 4.000\n6.000 8.000\n10.000 12.000\n\n30.0",
    );
    check(
        "X = matrix(seq(1, 6), 3, 2)\nparfor (i in 1:3) X[i] = matrix(i, 1, 2)\nprint(toString(X))",
        "1.000 1.000\n2.000 2.000\n3.000 3.000\n",
    );
    fails_with(
        "v = matrix(seq(1, 6), 1, 6)\ni = 3\nprint(toString(v[i]))",
        "1 rows of `v[…]`",
    );
}

#[test]
fn one_position_means_a_row_of_a_frame() {
    check(
        "F = as.frame(matrix(seq(1, 6), 3, 2))\nF[1] = F[3]\nprint(toString(as.matrix(F)))\nprint(toString(as.matrix(F[2])))",
        "5.000 6.000\n3.000 4.000\n5.000 6.000\n\n3.000 4.000\n",
    );
}

#[test]
fn a_list_is_a_column_of_entries() {
    check(
        "L = list(matrix(1, 2, 2), matrix(2, 3, 1))\nprint(sum(as.matrix(L[2, 1])))\nprint(sum(as.matrix(L[2, 2])))",
        "6.0\n6.0",
    );
    check(
        "L = list(a=1, b=2, c=3)\nprint(length(L[1:2, 1]))\nprint(toString(L[1, ]))\nprint(toString(L[, 1]))\nL[\"b\", 1] = 9\nprint(toString(L))",
        "2\nList containing:\n[1]\nList containing:\n[1, 2, 3]\nList containing:\n[1, 9, 3]",
    );
}

#[test]
fn one_entry_with_a_name_brings_its_name_along() {
    check(
        "X = list(a=0, b=0)\nX[1] = list(f=2)\nprint(as.scalar(X[\"f\"]))\nX[\"b\"] = list(g=3)\nprint(as.scalar(X[\"g\"]))",
        "2\n3",
    );
    // A list without names stays one.
    check(
        "X = list(0, 0)\nX[1] = list(f=2)\nprint(toString(X))",
        "List containing:\n[2, 0]",
    );
}

#[test]
fn a_list_of_a_matrix_as_a_scalar_is_the_matrix() {
    check(
        "args = list(X=matrix(2, 2, 2), k=3)\nm = as.scalar(args[1])\nprint(as.scalar(args[\"k\"]))\nprint(nrow(m))",
        "3\n2",
    );
}

#[test]
fn a_loop_over_no_number_has_no_iteration() {
    for head in [
        "seq(NaN, 1)",
        "1:NaN",
        "(0.0 / 0):3",
        "seq(1, 3, NaN)",
        "1:(1.0 / 0)",
    ] {
        check(
            &format!("for (i in {head}) print(i)\nprint(\"end\")"),
            "end",
        );
    }
}

#[test]
fn the_sizes_of_a_table_have_names() {
    let a = "matrix(\"1 2 3 2\", 4, 1)";
    check(
        &format!("print(toString(table({a}, seq(1, 4), odim1=2, odim2=3)))"),
        "1.000 0.000 0.000\n0.000 1.000 0.000\n",
    );
    check(
        &format!("print(sum(table({a}, seq(1, 4), matrix(2, 4, 1), odim1=4, odim2=4)))"),
        "8.0",
    );
}
