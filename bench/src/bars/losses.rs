//! The squared loss of a factorization and two variants: each suggestion is far cheaper, proved, checked by running,
//! and never forms the dense product.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::analysed::Analysed;
use super::sumac::{Suggested, Sumac};
use crate::report::Report;

/// The losses, in the order in which they are always named.
pub(super) const LOSSES: [&str; 3] = [
    "sum((X - U %*% t(V))^2)",
    "sum((X + U %*% t(V))^2)",
    "sum((2*X - U %*% t(V))^2)",
];

/// The models of cost by which a form is searched; none is the program's own choice.
pub(super) const COSTS: [Option<&str>; 2] = [Some("nnz"), None];

/// The inputs of the losses.
pub(super) const FACTS: &str = "\
#@ X: 20000 x 10000, sparsity 0.001
#@ U: 20000 x 10
#@ V: 10000 x 10
X = read($X)
U = read($U)
V = read($V)
";

/// Cells of the product that must never be dense.
const PRODUCT_CELLS: f64 = 20_000.0 * 10_000.0;
const FEWER_FLOPS: f64 = 100.0;
const MAX_RELATIVE_ERROR: f64 = 1e-9;

/// A script with the loss on its last line but one, and the number of that line.
pub(super) fn script(loss: &str) -> (String, usize) {
    let line = FACTS.lines().count() + 1;
    (format!("{FACTS}loss = {loss}\nprint(loss)\n"), line)
}

pub(super) fn measure(report: &mut Report, sumac: &Sumac) {
    for loss in LOSSES {
        for cost in COSTS {
            let name = format!("{loss} --cost {}", cost.unwrap_or("(default)"));
            let found = search(sumac, loss, cost);
            if let Some(found) = report.expect(&name, "a suggestion", found) {
                judge(report, &name, &found);
            }
        }
    }
}

struct Found {
    suggestion: Suggested,
    original: Analysed,
    applied: Analysed,
}

fn search(sumac: &Sumac, loss: &str, cost: Option<&str>) -> Result<Found> {
    let folder = tempfile::tempdir()?;
    let (text, _) = script(loss);
    let (suggestion, applied) = apply(sumac, folder.path(), &text, cost)?;
    let suggestion = suggestion.context("there is no suggestion")?;
    anyhow::ensure!(
        applied.contains(suggestion.statement.trim()),
        "`statement` is not what --apply writes:\n{}\n{applied}",
        suggestion.statement
    );
    Ok(Found {
        suggestion,
        original: Analysed::new(&text)?,
        applied: Analysed::new(&applied)?,
    })
}

/// The only suggestion for a script, and the script after it was applied to a copy.
pub(super) fn apply(
    sumac: &Sumac,
    folder: &Path,
    text: &str,
    cost: Option<&str>,
) -> Result<(Option<Suggested>, String)> {
    let file = folder.join("script.dml");
    fs::write(&file, text)?;
    let mut suggestions = sumac.optimize(&file, cost, true)?;
    anyhow::ensure!(
        suggestions.len() <= 1,
        "{} suggestions for one statement",
        suggestions.len()
    );
    Ok((suggestions.pop(), fs::read_to_string(&file)?))
}

fn judge(report: &mut Report, name: &str, found: &Found) {
    let Found {
        suggestion,
        original,
        applied,
    } = found;
    report.note(&format!(
        "{} ⇒ {}",
        suggestion.original, suggestion.optimized
    ));
    let ratio = suggestion.flops_original / suggestion.flops_optimized;
    report.bar(
        &format!("{name}, FLOPs as stated"),
        &format!(
            "{:.3e} → {:.3e}, {ratio:.0} times fewer",
            suggestion.flops_original, suggestion.flops_optimized
        ),
        &format!(">= {FEWER_FLOPS} times fewer"),
        ratio >= FEWER_FLOPS,
    );
    let target = format!(">= {FEWER_FLOPS} times fewer");
    let name_of_costs = format!("{name}, FLOPs of the applied script");
    let costs = original
        .cost()
        .and_then(|before| Ok((before.flops, applied.cost()?.flops)));
    if let Some((before, after)) = report.expect(&name_of_costs, &target, costs) {
        let seen = format!(
            "{before:.3e} → {after:.3e}, {:.0} times fewer",
            before / after
        );
        report.bar(
            &name_of_costs,
            &seen,
            &target,
            before / after >= FEWER_FLOPS,
        );
    }
    report.bar(
        &format!("{name}, proof"),
        &suggestion.proof,
        "canonical or steps",
        ["canonical", "steps"].contains(&suggestion.proof.as_str()),
    );
    report.bar(
        &format!("{name}, relative error of the check"),
        &format!("{:.1e}", suggestion.max_relative_error),
        &format!("<= {MAX_RELATIVE_ERROR:e}"),
        suggestion.max_relative_error <= MAX_RELATIVE_ERROR,
    );
    // What finds nothing in the original would find nothing anywhere.
    let before = original.large_dense(PRODUCT_CELLS);
    let after = applied.large_dense(PRODUCT_CELLS);
    let seen = if after.is_empty() {
        format!("none (the original has {})", before.len())
    } else {
        after.join("; ")
    };
    report.bar(
        &format!("{name}, dense intermediates of 20000 x 10000"),
        &seen,
        "none",
        after.is_empty() && !before.is_empty(),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_line_is_that_of_the_loss_and_the_originals_form_the_product() {
        for loss in LOSSES {
            let (text, line) = script(loss);
            assert!(text.lines().nth(line - 1).unwrap().contains(loss));
            let original = Analysed::new(&text).unwrap();
            assert!(!original.large_dense(PRODUCT_CELLS).is_empty());
        }
    }
}
