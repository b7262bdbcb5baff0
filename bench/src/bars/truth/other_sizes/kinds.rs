//! Statements in which a size, a constant or an argument could leak into the text, by kind.
//!
//! Every script that they stand in knows X and Y (n x m), U (n x k), V (m x k), v (n x 1), w (m x 1), the numbers a, c
//! and p, and the text `mode`. `{nm}`, `{nk}`, `{n1}`, `{m1}`, `{s}` become random expressions of these shapes, `{N}`
//! and `{M}` the sizes that the facts say, and `{chain}` statements that use one another, of which some are printed.

/// A kind of leak, and statements that tempt to it.
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) bodies: &'static [&'static str],
}

/// Ranges that are whole under the facts only: there, a run with others has more rows and columns.
pub(super) const WHOLE_RANGES: &str = "ranges that are whole by the facts";

/// Sizes that the argument `c` makes one under the facts, and more in a run.
pub(super) const ONE_BY_FACTS: &str = "one by the facts only";

pub(super) const KINDS: &[Kind] = &[
    Kind {
        name: "means",
        bodies: &[
            "r = mean({nm})\nprint(r)",
            "r = sum({nm}) / nrow(X)\nprint(r)",
            "r = sum({nm}) / length(X)\nprint(r)",
            "R = {nm} - colMeans({nm})\nprint(sum(R^2))",
            "R = {nm} - rowMeans({nm})\nprint(sum(R * Y))",
            "print(sum(rowMeans({nm}) * v))",
            "S = t(X) %*% Y / (nrow(X) - 1)\nprint(sum(S))",
            "Z = X - colMeans(X)\nprint(sum((t(Z) %*% Z) / (nrow(X) - 1)))",
            "print(mean(({nm})^2))\nprint(mean(U %*% t(V)))",
            "print(var({n1}))\nprint(mean({n1}))",
            "print(sum((X - mean(X))^2) / length(X))",
            "print(sum(colMeans({nm}) * colMeans(Y)))",
        ],
    },
    Kind {
        name: "sizes printed",
        bodies: &[
            "print(nrow(X))\nprint({s})",
            "print(nrow({nm}) / 2)",
            "print(\"n=\" + nrow({nm}) + \" m=\" + ncol(X))",
            "print(length(X) * 1.5)\nprint(length({nk}))",
            "q = nrow(X) %/% 3\nprint(q)",
            "print(nrow(U %*% t(V)))\nprint(ncol(t(U)))",
            "print(ncol(X) - nrow(X))\nprint(sum({nm}) + ncol(X))",
            "print(nrow(rbind(X, Y)))\nprint(ncol(cbind(X, v)))",
        ],
    },
    Kind {
        name: "filled matrices",
        bodies: &[
            "o = matrix(1, rows=nrow(X), cols=1)\nprint(sum(t(o) %*% {nm}))",
            "Z = matrix(a, rows=nrow(X), cols=ncol(X)) + {nm}\nprint(sum(Z))",
            "print(sum(matrix(2, rows=nrow(X), cols=ncol(X))))",
            "R = X - matrix(1, rows=nrow(X), cols=1) %*% colMeans({nm})\nprint(sum(R^2))",
            "J = matrix(1, rows=nrow(X), cols=nrow(X)) / nrow(X)\nprint(sum(J %*% {nm}))",
            "I = diag(matrix(1, rows=ncol(X), cols=1))\nprint(sum(X %*% (I * 2)))",
            "H = diag(matrix(1, rows=nrow(X), cols=1)) - matrix(1, rows=nrow(X), cols=nrow(X)) / nrow(X)\nprint(sum((H %*% X) * Y))",
            "print(sum(U %*% matrix(1, rows=ncol(U), cols=ncol(X)) - X))",
            "print(sum(matrix(0, rows=nrow(X), cols=ncol(X)) + {nm}))",
            "Z = matrix(0, rows=nrow(X), cols=1)\nprint(sum(cbind(Z, {nm})))",
        ],
    },
    Kind {
        name: "sums of constants",
        bodies: &[
            "print(sum({nm} + a))",
            "print(sum({nm} - 2))",
            "print(sum(rowSums(X + 1) * v))",
            "print(sum(colSums({nm} - 0.5)))",
            "print(sum((X - a)^2))",
            "print(sum(U %*% t(V) + 1))",
            "print(sum(3 - {nm}))",
            "print(sum(a * matrix(1, rows=nrow(X), cols=ncol(X)) - X))",
            "R = rowSums({nm} + a)\nprint(sum(R))",
            "R = (X + 1) %*% (V - 2)\nprint(sum(R))",
            "print(sum((v + 1) %*% t(w + 2)))",
            "print(sum(v - mean({n1})))",
        ],
    },
    Kind {
        name: "sequences",
        bodies: &[
            "print(sum(seq(1, nrow(X)) * v))",
            "s = seq(1, nrow(X))\nprint(sum(t(s) %*% {nm}))",
            "print(sum(seq(1, ncol(X))))\nprint({s})",
            "s = seq(0, nrow(X) - 1) / nrow(X)\nprint(sum(s * {n1}))",
        ],
    },
    Kind {
        name: "loops",
        bodies: &[
            "s = 0.0\nfor (i in 1:ncol(X)) {\n  s = s + sum(X[, i]) * {s}\n}\nprint(s)",
            "s = 0.0\nfor (i in 1:nrow(X)) {\n  s = s + as.scalar(v[i, 1]) * sum(X[i, ] + 1)\n}\nprint(s)",
            "i = 1\ns = 0.0\nwhile (i <= ncol(X)) {\n  s = s + sum({nm}) / i\n  i = i + 1\n}\nprint(s)",
            "w0 = w\nfor (i in 1:3) {\n  w0 = w0 - (0.001 / nrow(X)) * (t(X) %*% (X %*% w0 - v))\n}\nprint(sum(w0))",
            "w0 = w\nfor (i in 1:c) {\n  w0 = w0 + t(X) %*% (X %*% w0) / nrow(X)\n  w0 = w0 / sum(abs(w0) + 1)\n}\nprint(sum(w0))",
            "i = 0\nS = X\nwhile (i < c) {\n  S = S + {nm}\n  i = i + 1\n}\nprint(sum(S))\nprint(i)",
            "S = matrix(0, rows=ncol(X), cols=ncol(X))\nfor (i in 1:c) {\n  S = S + t(X) %*% Y + i\n}\nprint(sum(S))",
        ],
    },
    Kind {
        name: "branches on arguments",
        bodies: &[
            "if (c == 1) {\n  S = t(colMeans(X))\n} else {\n  S = matrix(0, rows=ncol(X), cols=1)\n}\nprint(sum(X %*% S + X %*% (S * 2)))",
            "if (c > 1) {\n  X = cbind(X, matrix(1, rows=nrow(X), cols=1))\n}\nprint(sum(X))\nprint(mean(X + 1))",
            "Z = X\nif (a != 0) {\n  Z = Z + a\n}\nprint(sum(Z * {nm}))",
            "if (mode == \"sum\") {\n  r = sum({nm})\n} else {\n  r = mean({nm})\n}\nprint(r)",
            "if (c == 1) {\n  l = 0\n} else {\n  l = a\n}\nprint(l * sum(w^2) + sum((X %*% w - v)^2))",
            "b = c == 1\nif (b) {\n  print(sum({nm}))\n} else {\n  print(sum({nm}) + 1)\n}",
            "f = 0\nif (c >= 2) {\n  f = 1\n}\nprint(sum(X * f + Y * (1 - f)))",
        ],
    },
    Kind {
        name: "branches on sizes",
        bodies: &[
            "if (nrow(X) > ncol(X)) {\n  r = sum(t(X) %*% Y)\n} else {\n  r = sum(X %*% t(Y))\n}\nprint(r)",
            "if (nrow(X) > 100) {\n  print(\"large\")\n  print({s})\n} else {\n  print(\"small\")\n  print({s})\n}",
            "d = min(nrow(X), ncol(X))\nprint(d)\nprint(sum({nm}) / d)",
            "g = ifelse(nrow(X) > 1000, 0.5, 2)\nprint(g * sum({nm}))",
            "b = min(32, nrow(X))\nprint(sum(X[1:b, ]))\nprint(nrow(X) / b)",
        ],
    },
    Kind {
        name: "arguments as values",
        bodies: &[
            "print(sum({nm} * a))",
            "print(sum(X^p))\nprint(p)",
            "print(a * sum(w^2) + sum({nm}))",
            "R = {nm} / p\nprint(sum(R))",
            "print(c * 2)\nprint(c / 2)\nprint(sum({nm}) * c)",
            "I = diag(matrix(1, rows=ncol(X), cols=1))\nprint(sum(t(X) %*% X + a * I))",
            "print(\"a=\" + a + \" p=\" + p)\nprint(sum(a * {nm} + p * Y))",
            "R = a * X + (1 - a) * Y\nprint(sum(R))",
            "print(sum((X - a * U %*% t(V))^2))",
            "lambda = a * nrow(X)\nprint(sum(X %*% w) + lambda * sum(w))\nprint(lambda)",
        ],
    },
    Kind {
        name: "indexes by sizes",
        bodies: &[
            "print(sum(X[1:nrow(X), 1:ncol(X)] * {nm}))",
            "print(sum(X[nrow(X), ]) + sum(X[, ncol(X)]))",
            "Z = {nm}\nprint(sum(X[, 2:ncol(X)]))\nprint(sum(Z[1:(nrow(X) - 1), ]))",
            "Z = U %*% t(V)\nprint(as.scalar(Z[nrow(X), ncol(X)]))",
            "Z = X\nZ[1, 1:ncol(X)] = colSums({nm})\nprint(sum(Z))",
            "print(sum(X[1:c, ]))\nprint(sum(U[, 1:c]))",
        ],
    },
    Kind {
        name: WHOLE_RANGES,
        bodies: &[
            "print(sum(X[1:{N}, ] + 1))",
            "print(sum((X[1:{N}, 1:{M}])^2))",
            "R = X[, 1:{M}] * 2\nprint(sum(R))",
            "Z = U %*% t(V)\nprint(sum(Z[1:{N}, ]))",
            "if (nrow(X) == {N}) {\n  print(sum({nm}))\n} else {\n  print(mean({nm}))\n}",
            "s = 0.0\nfor (i in 1:{M}) {\n  s = s + sum(X[, i])\n}\nprint(s)",
            "v[1:{N}, 1] = matrix(1, rows={N}, cols=1)\nprint(sum(v * rowSums(X)))",
        ],
    },
    Kind {
        name: "reshapes and bindings",
        bodies: &[
            "print(sum(matrix(X, rows=ncol(X), cols=nrow(X)) * t({nm})))",
            "print(sum(rbind(X, {nm}) + 1))",
            "B = cbind(X, matrix(1, rows=nrow(X), cols=1))\nprint(sum(t(B) %*% B))",
            "print(sum(rev({nm}) * X))",
            "print(sum(matrix(X, rows=length(X), cols=1) + 2))",
        ],
    },
    Kind {
        name: "low rank",
        bodies: &[
            "print(sum((X - U %*% t(V))^2))",
            "P = U %*% t(V)\nprint(sum(P * X))\nprint(sum(P + 1))",
            "print(sum(U %*% t(V)) / ncol(U))",
            "R = (U %*% t(V) - X) %*% V\nprint(sum(R))",
            "print(sum(t(U) %*% U))\nprint(trace(t(V) %*% V))",
            "print(sum(U %*% (t(V) %*% V)))\nprint(sum({nk}))",
            "print(sum(U * U) + sum(rowSums({nk})))",
        ],
    },
    Kind {
        name: "square by the facts only",
        bodies: &[
            "print(sum(X %*% t(Y)))",
            "print(trace(X %*% t(Y)))",
            "print(sum(diag(X %*% t(Y)) * v))",
            "print(sum(t(X) %*% Y))\nprint(trace(t(X) %*% Y))",
            "print(sum((X %*% t(X))^2))",
            "print(sum(t(X) %*% v) + sum(X %*% w))",
        ],
    },
    Kind {
        name: ONE_BY_FACTS,
        bodies: &[
            "print(sum({nm} %*% (w %*% (matrix(1, 1, c) %*% seq(1, c)))))",
            "print(sum(X %*% (w %*% (matrix(1, 1, c) %*% (matrix(2, c, 1) %*% matrix(0.1, 1, 1))))))",
            "Z = X[1:c, ]\nprint(sum((t(Z) %*% Z) %*% (t({nm}) %*% v)))",
            "Z = X[, 1:c]\nprint(sum(Z %*% (t(Z) %*% {nm})))",
            "Z = matrix(a, rows=c, cols=ncol(X))\nprint(sum({nm} %*% t(Z)))\nprint(sum(Z * Z))",
            "Z = matrix(1, rows=nrow(X) - (nrow(X) - c), cols=ncol(X))\nprint(sum((t(Z) %*% Z) %*% t({nm})))",
            "Z = cumsum(matrix(1, rows=c, cols=ncol(X)))\nprint(sum(Z %*% t({nm})))",
            "T = table(seq(1, c), seq(1, c), c, c)\nprint(sum({nm} %*% (w %*% (matrix(1, 1, c) %*% T))))",
            "Z = seq(0, c - 1)\nS = 0\nfor (i in 1:3) {\n  S = S + sum({nm} %*% (w %*% t(Z + i)))\n}\nprint(S)",
            "Z = U[, 1:c] %*% t(V[, 1:c])\nprint(sum((X - Z)^2))\nprint(sum(Z * Y))",
            "Z = matrix(1, rows=c, cols=c)\nprint(sum({nm} %*% (w %*% (matrix(1, 1, c) %*% Z))))\nprint(sum(diag(Z)))",
            "Z = rbind(t(w), X[1:c, ])\nprint(sum(Z[2:nrow(Z), ] %*% t({nm})))",
        ],
    },
    Kind {
        name: "kinds of numbers",
        bodies: &[
            "s = sum(X - X)\nprint(\"s = \" + s)",
            "print(sum({nm}) * 0)",
            "d = sum(matrix(1, rows=nrow(X), cols=ncol(X)))\nprint(d)\nprint(d / 2)\nprint(d %/% 2)",
            "print(trace(X %*% t(Y) - X %*% t(Y)))\nprint(nrow(X) * 1.0)",
            "b = sum(X) > sum(Y)\nprint(b)\nprint(sum(X - Y) == 0)",
            "r = mean({nm} > 0)\nprint(r)\nprint(\"r + 1 = \" + (r + 1))",
            "d = sum(matrix(1, rows=nrow(X), cols=ncol(X)))\nprint(d * d * d * d)",
            "i = as.integer(nrow(X) / 2)\nprint(i)\nprint(sum({nm}) + i)",
        ],
    },
    Kind {
        name: "algebra",
        bodies: &[
            "print({s})\nprint({s})",
            "R = {nm}\nprint(sum(R))\nprint({s})",
            "R = {nk}\nQ = {nm}\nprint(sum(R))\nprint(sum(t(Q) %*% R))",
            "r = {n1}\nq = {m1}\nprint(sum(r))\nprint(sum(q * (t(X) %*% r)))",
            "Z = {nm}\nprint(sum(Z * X))\nprint(sum(Z %*% t(Y)))",
        ],
    },
    Kind {
        name: "statements that others read",
        bodies: &[
            "{chain}",
            "{chain}",
            "{chain}",
            "d = rowSums(abs({nm})) + 1\nD = diag(1 / d)\nL = D %*% {nm}\nZ = L %*% V\nprint(sum(Z))",
            "d = t(colSums({nm}^2)) + 1\nD = diag(d)\nS = X %*% D\nG = S %*% t(Y)\nprint(trace(G))",
            "e = {n1}\nf = e * a\ng = t(X) %*% f\nh = X %*% g\nprint(sum(h * e))",
            "P = {nm}\nQ = P + Y\nR = Q * a\nT = R %*% V\nprint(sum(T))",
            "s = {s}\nr = v * s\nq = t(X) %*% r\nz = X %*% q\nprint(sum(z))",
        ],
    },
    Kind {
        name: "what may be empty",
        bodies: &[
            "print(sum(X %*% w))\nprint(sum(X * (v %*% t(w))))",
            "print(sum(w != 0))\nprint(sum(w * 2 + 1))",
            "R = t(X) %*% v + w\nprint(sum(R))\nprint(sum(w^2))",
            "if (sum(w) == 0) {\n  print(sum({nm}))\n} else {\n  print(sum(w))\n}",
            "print(sum((w == 0) * 3))\nprint(sum(exp(w)))",
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_body_prints_and_names_are_unique() {
        let mut names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), KINDS.len());
        for body in KINDS.iter().flat_map(|kind| kind.bodies) {
            assert!(body.contains("print(") || *body == "{chain}", "{body}");
        }
    }
}
