//! Cases that everybody knows to lose digits: a covariance, a mean squared error, distances. Each suggestion for one must say so.

use std::fs;

use anyhow::Result;

use super::super::Program;
use super::meaning::Task;
use super::offered::suggestions;
use super::search;
use crate::report::Report;

/// Names with scripts. What is written takes differences first; what is cheaper takes them of large numbers.
const CASES: [(&str, &str); 8] = [
    (
        "covariance of sparse columns",
        "#@ X: 10000 x 100, sparsity 0.01
X = read($X)
Z = X - colMeans(X)
S = t(Z) %*% Z / (nrow(X) - 1)
write(S, $S)
",
    ),
    (
        "variance of sparse columns",
        "#@ X: 100000 x 1000, sparsity 0.001
X = read($X)
v = colSums((X - colMeans(X))^2) / (nrow(X) - 1)
write(v, $v)
",
    ),
    (
        "mean squared error of a factorization",
        "#@ X: 20000 x 1000
#@ U: 20000 x 10
#@ V: 1000 x 10
X = read($X)
U = read($U)
V = read($V)
print(mean((X - U %*% t(V))^2))
",
    ),
    (
        "mean squared error of a factorization, as a sum over a count",
        "#@ X: 30000 x 2000
#@ U: 30000 x 5
#@ V: 2000 x 5
X = read($X)
U = read($U)
V = read($V)
e = sum((X - U %*% t(V))^2) / (nrow(X) * ncol(X))
print(e)
",
    ),
    (
        "distances of rows to a centre",
        "#@ X: 100000 x 1000, sparsity 0.001
#@ c: 1 x 1000
X = read($X)
c = read($c)
d = rowSums((X - c)^2)
write(d, $d)
",
    ),
    (
        "sum of the distances of rows to a centre",
        "#@ X: 100000 x 1000, sparsity 0.001
#@ c: 1 x 1000
X = read($X)
c = read($c)
d = sum((X - c)^2)
print(d)
",
    ),
    (
        "distance of two products",
        "#@ A: 2000 x 8
#@ B: 1500 x 8
#@ C: 2000 x 8
#@ D: 1500 x 8
A = read($A)
B = read($B)
C = read($C)
D = read($D)
print(sum((A %*% t(B) - C %*% t(D))^2))
",
    ),
    (
        "squared error right after a fit",
        "#@ X: 2000 x 1500
#@ U: 2000 x 8
X = read($X)
U = read($U)
V = t(X) %*% U %*% inv(t(U) %*% U)
print(sum((X - U %*% t(V))^2))
",
    ),
];
/// From so many digits on a person must be told.
const NOTABLE: f64 = 1.5;

pub(super) fn measure(
    report: &mut Report,
    program: &Program,
    seed: u64,
    setting: f64,
) -> Result<()> {
    let folder = tempfile::tempdir()?;
    for (name, script) in CASES {
        fs::write(folder.path().join("case.dml"), script)?;
        let found = suggestions(program, folder.path(), "case.dml", script, setting)?;
        if found.is_empty() {
            report.bar(name, "no suggestion", "one that warns", false);
        }
        for offered in found {
            let searched = Task::of(&offered).and_then(|task| search::worst(&task, seed));
            let lost = offered.lost.unwrap_or(0.0);
            let data = offered.worst.as_deref().unwrap_or("random data");
            let seen = match &searched {
                Ok(worst) => format!("{:.1} digits are lost where: {}", worst.digits, worst.shown),
                Err(why) => format!("not searched: {why}"),
            };
            report.note(&format!("{}\n{seen}", offered.shown()));
            let lines = format!("{0}:{0}", offered.line);
            let arguments = ["optimize", "case.dml", "--lines", &lines];
            let told = program.call(folder.path(), &arguments)?;
            let is_told = [&told.stdout, &told.stderr]
                .iter()
                .any(|text| text.contains("loses about"));
            report.bar(
                name,
                &format!(
                    "{} digits, {data}; {}",
                    lost,
                    if is_told { "a warning" } else { "no warning" }
                ),
                &format!("at least {NOTABLE} digits and a warning"),
                lost >= NOTABLE && is_told,
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use sumac_syntax::parse;

    use super::*;

    #[test]
    fn cases_are_scripts_without_errors() {
        for (name, script) in CASES {
            assert!(parse(script).errors().is_empty(), "{name}");
        }
    }
}
