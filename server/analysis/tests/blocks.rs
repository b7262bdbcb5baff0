//! Statement blocks: what becomes a node, a part, an input, and who reads what.
mod support;
use expect_test::{Expect, expect};
use support::{blocks, check};

#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
fn block(text: &str, expected: Expect) {
    expected.assert_eq(&blocks(text, &check(text)));
}

#[test]
fn the_loss_is_one_part() {
    block(
        include_str!("../../../fixtures/als_loss.dml"),
        expect![[r#"
        block, depth 0
          0 `X = read($X)` X = X, read by [3]
          1 `U = read($U)` U = U, read by [3]
          2 `V = read($V)` V = V, read by [3]
          3 `loss = sum((X - U %*% t(V))^2)` loss = sum((X - U %*% t(V))^2), read by [4]
            `sum((X - U %*% t(V))^2)` -> sum((X - U %*% t(V))^2) [scalar]
          4 `print(loss)`
    "#]],
    );
}

#[test]
fn earlier_variables_are_inlined_and_versions_told_apart() {
    block(
        "#@ X: 10 x 10\nX = read($X)\nY = X + 1\nX = order(target=X)\nZ = Y * X\nX = X * 2\nprint(sum(Z * X))\n",
        expect![[r#"
            block, depth 0
              0 `X = read($X)` X = X, read by [1, 2]
              1 `Y = X + 1` Y = X + 1, read by [3]
                `X + 1` -> X + 1 [10 x 10]
              2 `X = order(target=X)` X = X#2, read by [3, 4]
              3 `Z = Y * X` Z = (X + 1) * X#2, read by [5]
                `Y * X` -> (X + 1) * X#2 [10 x 10]
              4 `X = X * 2` X = X#2 * 2, read by [5]
                `X * 2` -> X#2 * 2 [10 x 10]
              5 `print(sum(Z * X))`
                `sum(Z * X)` -> sum((X + 1) * X#2 * (X#2 * 2)) [scalar]
        "#]],
    );
}

#[test]
fn random_and_unknown_calls_split_an_expression() {
    block(
        "f = function(Matrix[Double] A) return (Matrix[Double] B) { B = t(A) %*% A }\n#@ X: 10 x 10\nX = read($X)\nY = (X %*% X) * rand(rows=10, cols=10) + t(X %*% X)\nZ = f(X + X) + sum(X)\nprint(\"sum \" + sum(Y) + \" of \" + nrow(Z) + toString(X %*% Y))\n",
        expect![[r#"
            block, depth 0 in f
              0 `B = t(A) %*% A` B = t(A) %*% A, live
                `t(A) %*% A` -> t(A) %*% A [10 x 10]
            block, depth 0
              0 `X = read($X)` X = X, read by [1, 2, 3]
              1 `Y = (X %*% X) * rand(rows=10, cols=10) + t(X %*% X)` Y = Y, read by [3]
                `(X %*% X)` -> X %*% X [10 x 10]
                `t(X %*% X)` -> t(X %*% X) [10 x 10]
              2 `Z = f(X + X) + sum(X)` Z = Z, read by [3]
                `X + X` -> X + X [10 x 10]
                `sum(X)` -> sum(X) [scalar]
              3 `print("sum " + sum(Y) + " of " + nrow(Z) + toString(X %*% Y))`
                `sum(Y)` -> sum(Y) [scalar]
                `nrow(Z)` -> nrow(Z) [scalar]
                `X %*% Y` -> X %*% Y [10 x 10]
        "#]],
    );
}

#[test]
fn an_opaque_call_stands_under_its_own_text_until_its_variables_change() {
    block(
        "#@ X: 10 x 10\nX = read($X)\na = sum(cumsum( X ) * X)\nb = sum(cumsum( X ) + X)\nX = X + 1\nc = sum(cumsum( X ) * X)\nd = a + b + c + $d\nprint(d)\n",
        expect![[r#"
            block, depth 0
              0 `X = read($X)` X = X, read by [1, 2, 3]
              1 `a = sum(cumsum( X ) * X)` a = sum(cumsum( X ) * X), read by [5]
                `sum(cumsum( X ) * X)` -> sum(cumsum( X ) * X) [scalar]
              2 `b = sum(cumsum( X ) + X)` b = sum(cumsum( X ) + X), read by [5]
                `sum(cumsum( X ) + X)` -> sum(cumsum( X ) + X) [scalar]
              3 `X = X + 1` X = X + 1, read by [4]
                `X + 1` -> X + 1 [10 x 10]
              4 `c = sum(cumsum( X ) * X)` c = sum((cumsum( X ) * X)), read by [5]
                `sum(cumsum( X ) * X)` -> sum((cumsum( X ) * X)) [scalar]
              5 `d = a + b + c + $d` d = sum(cumsum( X ) * X) + sum(cumsum( X ) + X) + sum((cumsum( X ) * X)) + $d, read by [6]
                `a + b + c + $d` -> sum(cumsum( X ) * X) + sum(cumsum( X ) + X) + sum((cumsum( X ) * X)) + $d [scalar]
              6 `print(d)`
        "#]],
    );
}

#[test]
fn conditions_are_blocks_and_loops_keep_values_alive() {
    block(
        "#@ X: 10 x 3\nX = read($X)\nw = matrix(0, rows=ncol(X), cols=1)\ni = 0\nwhile (i < 10 & sum(w^2) < 5) {\n  g = t(X) %*% (X %*% w)\n  w = w - g\n  i = i + 1\n}\nif (sum(w) > 0) {\n  dead = sum(X)\n  print(sum(w))\n}\n",
        expect![[r#"
            block, depth 0
              0 `X = read($X)` X = X, live, read by [1]
              1 `w = matrix(0, rows=ncol(X), cols=1)` w = matrix(0, rows=ncol(X), cols=1), live
                `matrix(0, rows=ncol(X), cols=1)` -> matrix(0, rows=ncol(X), cols=1) [3 x 1, sparsity 0]
              2 `i = 0` i = 0, live
                `0` -> 0 [scalar]
            block, depth 1
              0 `i < 10 & sum(w^2) < 5`
                `i < 10 & sum(w^2) < 5` -> i < 10 & sum(w^2) < 5 [scalar]
            block, depth 1
              0 `g = t(X) %*% (X %*% w)` g = t(X) %*% (X %*% w), read by [1]
                `t(X) %*% (X %*% w)` -> t(X) %*% (X %*% w) [3 x 1, sparsity 0]
              1 `w = w - g` w = w - t(X) %*% (X %*% w), live
                `w - g` -> w - t(X) %*% (X %*% w) [3 x 1, sparsity 0]
              2 `i = i + 1` i = i + 1, live
                `i + 1` -> i + 1 [scalar]
            block, depth 0
              0 `sum(w) > 0`
                `sum(w) > 0` -> sum(w) > 0 [scalar]
            block, depth 0
              0 `dead = sum(X)` dead = sum(X)
                `sum(X)` -> sum(X) [scalar]
              1 `print(sum(w))`
                `sum(w)` -> sum(w) [scalar]
        "#]],
    );
}

#[test]
fn indexing_and_accumulation() {
    block(
        "#@ X: 10 x 4\nX = read($X)\nA = X[, 1:2]\nB = X[3, ]\ns = as.scalar(X[2, 3])\nX[1, 1] = s + sum(A)\ns += sum(B)\nM = min(1, s, 3)\nC = X + M\nprint(sum(C))\n",
        expect![[r#"
            block, depth 0
              0 `X = read($X)` X = X, read by [1, 2, 3, 4]
              1 `A = X[, 1:2]` A = X[, 1:2], read by [4]
                `X[, 1:2]` -> X[, 1:2] [10 x 2]
              2 `B = X[3, ]` B = X[3, ], read by [5]
                `X[3, ]` -> X[3, ] [1 x 4]
              3 `s = as.scalar(X[2, 3])` s = as.scalar(X[2, 3]), read by [4, 5]
                `as.scalar(X[2, 3])` -> as.scalar(X[2, 3]) [scalar]
              4 `X[1, 1] = s + sum(A)`, read by [7]
                `s + sum(A)` -> as.scalar(X[2, 3]) + sum(X[, 1:2]) [scalar]
              5 `s += sum(B)`, read by [6]
                `sum(B)` -> sum(X[3, ]) [scalar]
              6 `M = min(1, s, 3)` M = min(min(1, as.scalar(X[2, 3]) + sum(X[3, ])), 3), read by [7]
                `min(1, s, 3)` -> min(min(1, as.scalar(X[2, 3]) + sum(X[3, ])), 3) [scalar]
              7 `C = X + M` C = X#2 + min(min(1, as.scalar(X[2, 3]) + sum(X[3, ])), 3), read by [8]
                `X + M` -> X#2 + min(min(1, as.scalar(X[2, 3]) + sum(X[3, ])), 3) [10 x 4]
              8 `print(sum(C))`
                `sum(C)` -> sum(X#2 + min(min(1, as.scalar(X[2, 3]) + sum(X[3, ])), 3)) [scalar]
        "#]],
    );
}

#[test]
fn lines_about_the_next_statement() {
    block(
        "#@ X: 10 x 4\nX = read($X)\n#@ off\na = sum(X)\n#@ sketch distribute\nb = sum(X + X)\nprint(a + b)\n",
        expect![[r#"
            block, depth 0
              0 `X = read($X)` X = X, read by [1, 2]
              1 `a = sum(X)` a = sum(X), read by [3], off
                `sum(X)` -> sum(X) [scalar]
              2 `b = sum(X + X)` b = sum(X + X), read by [3], sketch distribute
                `sum(X + X)` -> sum(X + X) [scalar]
              3 `print(a + b)`
                `a + b` -> sum(X) + sum(X + X) [scalar]
        "#]],
    );
}

#[test]
fn an_opaque_text_keeps_its_parentheses_and_never_carries_a_comment() {
    block(
        "#@ X: 10 x 10\nX = read($X)\na = sum(cumsum(X))\nX = X + 1\nb = sum((cumsum(X) * X)^2)\nc = sum(cumsum(X # why\n))\nprint(a + b + c)\n",
        expect![[r#"
            block, depth 0
              0 `X = read($X)` X = X, read by [1, 2]
              1 `a = sum(cumsum(X))` a = sum(cumsum(X)), read by [5]
                `sum(cumsum(X))` -> sum(cumsum(X)) [scalar]
              2 `X = X + 1` X = X + 1, read by [3, 4]
                `X + 1` -> X + 1 [10 x 10]
              3 `b = sum((cumsum(X) * X)^2)` b = sum((cumsum(X) * X)^2), read by [5]
                `sum((cumsum(X) * X)^2)` -> sum((cumsum(X) * X)^2) [scalar]
              4 `c = sum(cumsum(X # why` c = c, read by [5]
              5 `print(a + b + c)`
                `a + b + c` -> sum(cumsum(X)) + sum((cumsum(X) * X)^2) + c [scalar]
        "#]],
    );
}
