//! A long script made of every construct of the language, always the same for the same length.

use std::fmt::Write;

/// Statements at the top level; `N` becomes a running number.
const STATEMENTS: &[&str] = &[
    "XN = read($inN, rows = 100, cols = N)\n",
    "YN = XN[1:N, 2:5] %*% t(W) + 1e-N # the product\n",
    "[aN, bN] = lib::split(XN, k = N)\n",
    "if (nrow(XN) > N & !done) {\n  sN = sum(XN^2) / N\n} else if (done) {\n  sN = 0\n} else {\n  print(\"row \" + N + ' is \\'empty\\'')\n}\n",
    "for (i in 1:N) {\n  ZN[i, ] = colSums(XN[i, ] * -YN)\n  # a comment\n  accN += as.scalar(ZN[i, 1])\n}\n",
    "parfor (i in seq(1, N, 2), check = 0, par = 4) {\n  RN[, i] = solve(AN + diag(matrix(i, rows = N, cols = 1)),\n    BN[, i])\n}\n",
    "/* several\n   lines */\nwhile (iN < 10 | eps > 0.N) iN = iN + 1\n",
    "#@ VN: 100 x N, sparsity 0.1\nVN = rand(rows = 100, cols = N, sparsity = 0.1); write(VN, $outN, format = \"text\")\n",
    "kN = ifdef($kN, N)\n",
    "lossN = sum((XN - UN %*% t(VN))^2) %/% 3 %% 2\n  - lambda * (sum(UN^2) + sum(VN^2))\n",
];

/// A function; `N` becomes a running number.
const FUNCTION: &str = "fN = function(Matrix[Double] X, Integer k = N, Boolean verbose = FALSE)\n    return (Matrix[Double] Y, Double s) {\n  if (verbose) {\n    print('f' + k)\n  }\n  Y = X %*% t(X)\n  s = 0\n  for (j in 1:k) {\n    s += sum(Y[j, ])\n    Y[j, j] = 1 / (1 + exp(-s))\n  }\n}\n\n";

/// A script of at least `lines` lines.
pub(super) fn script(lines: usize) -> String {
    let mut text = String::from("source(\"lib.dml\") as lib\nsetwd(\"data\")\n");
    let mut count = 2;
    for number in 1.. {
        let parts = STATEMENTS.iter().chain(std::iter::once(&FUNCTION));
        for (at, part) in parts.enumerate() {
            // A function now and then, as scripts have them.
            if at == STATEMENTS.len() && number % 3 != 0 {
                continue;
            }
            count += part.matches('\n').count();
            // Writing to a string cannot fail.
            let _ = write!(text, "{}", part.replace('N', &number.to_string()));
        }
        if count >= lines {
            break;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_long_and_well_formed() {
        let text = script(5000);
        assert!(text.lines().count() >= 5000);
        assert_eq!(sumac_syntax::parse(text).errors(), []);
    }
}
