//! Long scripts, always the same for the same length: one made of every construct of the language, one made of
//! functions with a short main program, and one that is all main program.

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
pub(crate) fn script(lines: usize) -> String {
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

/// Functions of 25 lines or so; `N` becomes a running number.
const FUNCTIONS: &[(&str, &str)] = &[
    (
        "fit",
        "# Fits a linear model by N steps of gradient descent.
fitN = function(Matrix[Double] X, Integer k = N, Double reg = 0.5)
    return (Matrix[Double] w, Double loss) {
  n = nrow(X)
  m = ncol(X)
  y = rowSums(X) / (m + N)
  w = matrix(0, rows = m, cols = 1)
  step = 1 / (n + N)
  loss = 0
  for (i in 1:k) {
    r = X %*% w - y
    g = t(X) %*% r + reg * w
    # smaller steps later
    w = w - step / i * g
    loss = sum(r^2) / n + reg * sum(w^2)
    if (loss < 0.001) {
      step = 0
    }
  }
  largest = max(abs(w))
  if (largest > N) {
    w = w / largest
  }
}

",
    ),
    (
        "factor",
        "# Factors a matrix of N groups in alternation.
factorN = function(Matrix[Double] X, Integer k = 10, Double reg = 0.5)
    return (Matrix[Double] w, Double loss) {
  n = nrow(X)
  m = ncol(X)
  U = rand(rows = n, cols = k, seed = N)
  w = rand(rows = m, cols = k, seed = N)
  step = 1 / (n + N)
  loss = sum((X - N * (U %*% t(w)))^2)
  i = 0
  while (i < 10 & loss > reg) {
    # both sides in turn
    G = (X - U %*% t(w)) %*% w
    U = U + step * G
    H = t(X - U %*% t(w)) %*% U
    w = w + step * H
    loss = sum((X - U %*% t(w))^2) + N * reg
    i = i + 1
  }
  if (loss > N) {
    print(\"group N did not converge\")
  }
}

",
    ),
    (
        "scale",
        "# Scales the columns of a matrix, and says how far they were off N.
scaleN = function(Matrix[Double] X, Integer k = 3, Double reg = 0.5)
    return (Matrix[Double] w, Double loss) {
  n = nrow(X)
  m = ncol(X)
  step = 1 / (n + N)
  means = colSums(X) * step
  squares = colSums(X^2) * step
  deviation = sqrt(squares - means^2)
  # columns of one value
  deviation = deviation + (deviation == 0) * N
  Y = (X - means) / deviation
  loss = 0
  for (i in 1:k) {
    loss = loss + sum(Y * Y) / N
    Y = Y * (1 - reg / i)
  }
  w = t(colSums(Y))
  if (loss > N) {
    loss = N
  } else {
    loss = loss * 2
  }
}

",
    ),
];

/// Calls in the main program.
const CALLS: usize = 10;

/// A function `FN` called by another one.
const INNER_CALL: &str = "  [wN, lossN] = FN(X)\n  loss = loss + lossN + sum(wN)\n";

/// A function `F` called and looked at by the main program.
const CALL: &str = "# next
[wN, lossN] = F(X, N)
if (lossN > N) {
  print(\"F: \" + lossN)
}
";

/// A part of a main program without functions.
const PART: &str = "# next
n = nrow(X)
step = 1 / (n + N)
UN = X %*% matrix(step, rows = ncol(X), cols = 2)
lossN = sum((X - UN %*% t(V))^2)
for (i in 1:N) {
  VN = t(X) %*% UN * N
  lossN = lossN + sum(VN^2)
}
if (lossN > N) {
  print(\"part N: \" + lossN)
}
";

const INPUTS: &str = "X = rand(rows = 1000, cols = 100, sparsity = 0.1, seed = 1)
V = rand(rows = 100, cols = 2, seed = 2)
";

/// A script of about `lines` lines: functions, and a main program of some fifty lines that calls ten of them. Each function
/// calls up to ten others, so that none is left uncalled.
pub(crate) fn modular(lines: usize) -> String {
    let kind = |number: usize| FUNCTIONS[number % FUNCTIONS.len()];
    let lines_of = |text: &str| text.matches('\n').count();
    let mut count = lines_of(INPUTS);
    let mut last = 1;
    for number in 1.. {
        // Its own lines, and those that call it.
        let call = if number <= CALLS { CALL } else { INNER_CALL };
        count += lines_of(kind(number).1) + lines_of(call);
        if count > lines && number > 1 {
            break;
        }
        last = number;
    }
    let mut text = String::new();
    for number in 1..=last {
        let called = CALLS * number + 1..=last.min(CALLS * (number + 1));
        let calls = called.map(|callee| numbered(INNER_CALL, callee).replace('F', kind(callee).0));
        let calls: String = calls.collect();
        text.push_str(
            &numbered(kind(number).1, number).replace("}\n\n", &format!("{calls}}}\n\n")),
        );
    }
    text.push_str(INPUTS);
    for number in 1..=CALLS.min(last) {
        text.push_str(
            &numbered(CALL, number).replace("F(", &format!("{}{number}(", kind(number).0)),
        );
    }
    text
}

/// A script of about `lines` lines that is all main program.
pub(crate) fn monolith(lines: usize) -> String {
    let parts = lines / PART.matches('\n').count();
    let parts = (1..=parts.max(1)).map(|number| numbered(PART, number));
    std::iter::once(INPUTS.to_owned()).chain(parts).collect()
}

fn numbered(part: &str, number: usize) -> String {
    part.replace('N', &number.to_string())
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

    #[test]
    fn scripts_have_the_length_that_was_asked_for_and_nothing_wrong_in_them() {
        for lines in [200, 2000] {
            for text in [modular(lines), monolith(lines)] {
                let found = text.lines().count();
                assert!(found.abs_diff(lines) <= 30, "{found} instead of {lines}");
                assert_eq!(sumac_syntax::parse(text).errors(), []);
            }
        }
    }
}
