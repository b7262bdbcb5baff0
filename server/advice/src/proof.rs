//! What stands for a suggestion: that both forms are equal, and that both ran and agreed.

use std::collections::BTreeSet;
use std::fmt::Write;

use sumac_sumproduct::canonical;

/// Why both forms are equal: their common canonical form, once for each expression.
#[derive(Clone, Debug)]
pub struct Proof(pub Vec<canonical::Proof>);

impl Proof {
    /// The kind of proof, as results name it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        "canonical"
    }

    /// One line.
    #[must_use]
    pub fn summary(&self) -> String {
        let steps: usize = self
            .0
            .iter()
            .map(|p| p.left_steps.len() + p.right_steps.len())
            .sum();
        format!("both forms reduce to the same polyterm ({steps} steps)")
    }

    /// What it assumes of sizes: that there are any cells, and which of them are equal.
    pub fn assumes(&self) -> impl Iterator<Item = String> + '_ {
        const ANY: &str = " > 0";
        let all = || self.0.iter().flat_map(|proof| proof.assumes.iter());
        let names: BTreeSet<&str> = all().filter_map(|text| text.strip_suffix(ANY)).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let sizes = (!names.is_empty())
            .then(|| format!("proved for all sizes above zero: {}", names.join(", ")));
        let others = all().filter(|text| !text.ends_with(ANY)).cloned();
        sizes.into_iter().chain(others)
    }

    /// The steps from each form to the common polyterm.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        for proof in &self.0 {
            for (title, steps) in [
                ("As written", &proof.left_steps),
                ("Optimized", &proof.right_steps),
            ] {
                let _ = writeln!(text, "{title}, in index notation:\n");
                for (number, step) in steps.iter().enumerate() {
                    let _ = writeln!(text, "{}. {}\n   `{}`", number + 1, step.rule, step.text);
                }
                text.push('\n');
            }
            let _ = writeln!(
                text,
                "Both end in the same polyterm:\n\n`{}`\n",
                proof.polyterm
            );
        }
        text
    }
}
