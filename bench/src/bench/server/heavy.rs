//! Scripts whose search takes long, each in its own way.
//!
//! Every number makes another script of them, so that no search is answered from memory.

use std::ops::Range;

use anyhow::{Context, Result};

/// Formulas over the [`INPUTS`]; `N` becomes a number.
const STATEMENTS: &[&str] = &[
    "sum((A %*% B + N * (C %*% D) - E)^2 * (A %*% B - C %*% D)) + sum((t(A) %*% E %*% t(B) + N)^2)",
    "sum(((A %*% B) * (C %*% D) - N * E)^2)",
    "sum((A %*% B - E)^2) + N * sum((C %*% D - E)^2) + sum((A %*% B + C %*% D)^2) / N",
    "t(A) %*% (A %*% B - N * E) %*% t(D) %*% t(C) %*% (C %*% D - N * E) %*% t(B)",
    "rowSums((A %*% B + C %*% D) * (A %*% B - N * E)) + rowSums((C %*% D - N * E)^2)",
    "t(A) %*% ((A %*% B) * (C %*% D) * (N - E)) %*% t(t(C) %*% ((A %*% B - N * E) * (C %*% D)))",
];

const INPUTS: &str = "#@ A: 1000 x 100
#@ B: 100 x 800
#@ C: 1000 x 30
#@ D: 30 x 800
#@ E: 1000 x 800, sparsity 0.01
A = read($A)
B = read($B)
C = read($C)
D = read($D)
E = read($E)
";

/// How many statements the scripts search together, from short searches to long ones.
const SIZES: [usize; 4] = [1, 4, 12, 40];

/// How many kinds of scripts there are; later ones are searched longer.
pub(super) const KINDS: usize = SIZES.len();

/// How the first heavy statement begins.
const FIRST: &str = "heavy0 = ";
/// How the statement behind the heavy ones begins.
const BEHIND: &str = "print(toString(heavy0";

/// A script of a kind, with this number.
pub(super) fn script(kind: usize, number: usize) -> String {
    format!("{INPUTS}{}{BEHIND}))\n", heavy(kind, number))
}

/// Heavy statements of a kind, with this number.
pub(super) fn heavy(kind: usize, number: usize) -> String {
    let statement = |index: usize| {
        let formula = STATEMENTS[(number + index) % STATEMENTS.len()];
        let factor = (100 * number + index).to_string();
        format!("heavy{index} = {}\n", formula.replace('N', &factor))
    };
    (0..SIZES[kind % KINDS]).map(statement).collect()
}

/// A statement in their place that needs no search.
pub(super) fn light(number: usize) -> String {
    format!("{FIRST}{number}\n")
}

/// Where the heavy statements stand.
///
/// # Errors
/// It is no such script.
pub(super) fn place(text: &str) -> Result<Range<usize>> {
    let start = text.find(FIRST).context("the heavy statements are gone")?;
    let len = text[start..]
        .find(BEHIND)
        .context("what is behind them is gone")?;
    Ok(start..start + len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_and_every_number_is_a_script_of_its_own() {
        let mut seen = std::collections::BTreeSet::new();
        for kind in 0..KINDS {
            for number in [2, 3] {
                let mut text = script(kind, number);
                assert_eq!(sumac_syntax::parse(text.as_str()).errors(), []);
                assert!(seen.insert(text.clone()));
                let place = place(&text).unwrap();
                assert_eq!(text[place.clone()], heavy(kind, number));
                text.replace_range(place, &light(number));
                assert_eq!(sumac_syntax::parse(text.as_str()).errors(), []);
            }
        }
    }
}
