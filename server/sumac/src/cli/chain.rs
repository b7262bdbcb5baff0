//! Chains of equal forms as JSON. What a chain says is decided in `ide`.

use serde::Serialize;
use sumac_ide::Chain;

/// A chain.
#[derive(Serialize)]
pub(super) struct ChainRow {
    start: String,
    steps: Vec<StepRow>,
}

#[derive(Serialize)]
struct StepRow {
    rules: Vec<RuleRow>,
    /// The whole form after the step.
    text: String,
}

#[derive(Serialize)]
struct RuleRow {
    name: &'static str,
    says: String,
}

impl ChainRow {
    pub(super) fn of(chain: &Chain) -> Self {
        let step = |step: &sumac_ide::ChainStep| StepRow {
            rules: step
                .rules
                .iter()
                .map(|rule| RuleRow {
                    name: rule.name,
                    says: rule.says.clone(),
                })
                .collect(),
            text: step.text.clone(),
        };
        ChainRow {
            start: chain.start.clone(),
            steps: chain.steps.iter().map(step).collect(),
        }
    }

    /// One for each expression; `null` where none was found.
    pub(super) fn all(chains: &[Option<Chain>]) -> Vec<Option<ChainRow>> {
        let rows = chains.iter();
        rows.map(|chain| chain.as_ref().map(ChainRow::of)).collect()
    }
}
