//! Kernels under the widest vectors of the processor and under narrower ones.

use super::{Folder, code, stderr, stdout};

/// Products, folds, fused cells, sparse rows and functions over cells: what has a body of its own for each width.
const SCRIPT: &str = "\
X = rand(rows=300, cols=37, seed=1)
S = rand(rows=300, cols=211, sparsity=0.05, seed=2)
v = rand(rows=37, cols=1, seed=3)
w = rand(rows=300, cols=5, seed=4)
U = rand(rows=300, cols=8, seed=5)
V = rand(rows=211, cols=8, seed=6)
print(sum(t(X) %*% (X %*% v)))
print(sum(t(X) %*% w))
print(sum((S - U %*% t(V))^2 * (S != 0)))
print(sum(exp(-X) * log(X + 1) / (1 + X^2)))
print(sum(t(S) %*% S))
print(min(rowSums(X)) + max(colSums(S)))
";

#[test]
fn narrower_vectors_give_the_same_values() {
    let folder = Folder::new(&[("a.dml", SCRIPT)]);
    let values = |tier: Option<&str>| -> Vec<f64> {
        let mut command = folder.command(&["run", "a.dml"]);
        match tier {
            Some(tier) => command.env("SUMAC_VECTORS", tier),
            None => command.env_remove("SUMAC_VECTORS"),
        };
        let output = command.output().unwrap();
        assert_eq!(code(&output), 0, "{tier:?}: {}", stderr(&output));
        let lines = stdout(&output);
        lines.lines().map(|line| line.parse().unwrap()).collect()
    };
    let widest = values(None);
    assert_eq!(widest.len(), 6);
    for tier in ["portable", "avx2", "avx512"] {
        for (line, (here, wide)) in values(Some(tier)).iter().zip(&widest).enumerate() {
            let error = (here - wide).abs() / wide.abs();
            assert!(error < 1e-12, "{tier}, print {line}: {here} and {wide}");
        }
    }
}

#[test]
fn vectors_that_there_are_not_are_refused_with_those_that_there_are() {
    let folder = Folder::new(&[("a.dml", "print(1)\n")]);
    let mut command = folder.command(&["run", "a.dml"]);
    let output = command.env("SUMAC_VECTORS", "mmx").output().unwrap();
    assert_eq!(code(&output), 64);
    let told = stderr(&output);
    assert!(
        told.contains("SUMAC_VECTORS=mmx") && told.contains("portable, avx2, avx512"),
        "{told}"
    );
}
