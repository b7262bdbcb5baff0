//! The way from one form to another as DML, step by step, each step with the rules that make it. For people: no decision
//! rests on it, and where there is none, that is said.

use std::collections::BTreeMap;
use std::fmt::Write;

use sumac_la::{Dag, NodeId};
use sumac_sumproduct::explain;

use crate::CancelToken;
use crate::suggestion::{Forms, Suggestion};

/// A form as written and the equal forms that lead to another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chain {
    /// The first form.
    pub start: String,
    /// The others; the last is the form that is explained.
    pub steps: Vec<ChainStep>,
}

/// A step of a chain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChainStep {
    /// What makes it; never empty.
    pub rules: Vec<RuleText>,
    /// The whole form after it.
    pub text: String,
}

/// A rule as people read it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RuleText {
    /// Its name.
    pub name: &'static str,
    /// What it says.
    pub says: String,
}

/// One chain for each expression that a suggestion changes; `None` where none was found within bounds.
#[must_use]
pub fn chains(suggestion: &Suggestion, cancel: &CancelToken) -> Vec<Option<Chain>> {
    // What the script's names do not tell may follow from the inputs of the block.
    let Forms { written, whole } = &*suggestion.forms;
    (0..written.0.roots().len())
        .map(|k| {
            [written, whole]
                .into_iter()
                .find_map(|(original, optimized)| {
                    let (left, right) = (*original.roots().get(k)?, *optimized.roots().get(k)?);
                    chain((original, left), (optimized, right), &str::to_owned, cancel)
                })
        })
        .collect()
}

/// The chain from one expression to another; `name` is what a person calls an input.
pub(crate) fn chain(
    left: (&Dag, NodeId),
    right: (&Dag, NodeId),
    name: &dyn Fn(&str) -> String,
    cancel: &CancelToken,
) -> Option<Chain> {
    let found = explain::explain(left, right, &|| cancel.is_cancelled())?;
    let text = |form| {
        let called = |id| found.dag.input_of(id).map(|input| name(&input.name));
        match called(form) {
            Some(name) => name,
            None => found.dag.print_with(form, &called),
        }
    };
    let steps = found.steps.iter().map(|step| ChainStep {
        rules: step
            .laws
            .iter()
            .map(|law| RuleText {
                name: law.name(),
                says: law.says(),
            })
            .collect(),
        text: text(step.form),
    });
    Some(Chain {
        start: text(found.start),
        steps: steps.collect(),
    })
}

impl ChainStep {
    /// The names of its rules in one line.
    #[must_use]
    pub fn names(&self) -> String {
        let names: Vec<_> = self.rules.iter().map(|rule| rule.name).collect();
        names.join(", ")
    }
}

impl Chain {
    /// The chain as plain lines, each indented by two spaces.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("  {}\n", self.start);
        for step in &self.steps {
            let _ = writeln!(text, "= {}\n      [{}]", step.text, step.names());
        }
        if self.steps.is_empty() {
            text.push_str("  (stays as it is)\n");
        }
        text
    }
}

/// Chains as markdown, with what each rule says below them.
pub(crate) fn markdown(chains: &[Option<Chain>]) -> String {
    let mut text = String::new();
    for chain in chains {
        let Some(chain) = chain else {
            let _ = writeln!(
                text,
                "No chain of matrix expressions was found within bounds; the proof below is in index notation.\n"
            );
            continue;
        };
        if chain.steps.is_empty() {
            let _ = writeln!(text, "`{}` stays as it is.\n", chain.start);
            continue;
        }
        let _ = writeln!(text, "```systemds\n{}\n```\n", chain.start);
        for (number, step) in (1..).zip(&chain.steps) {
            let _ = writeln!(
                text,
                "{number}. {}\n\n   ```systemds\n   = {}\n   ```\n",
                step.names(),
                step.text
            );
        }
    }
    let rules: BTreeMap<&str, &str> = chains
        .iter()
        .flatten()
        .flat_map(|chain| &chain.steps)
        .flat_map(|step| &step.rules)
        .map(|rule| (rule.name, rule.says.as_str()))
        .collect();
    if !rules.is_empty() {
        let _ = writeln!(
            text,
            "The rules; Σ is a sum over an axis, as in `sum`, `rowSums` and inside of `%*%`:\n"
        );
        for (name, says) in rules {
            let _ = writeln!(text, "- *{name}*: {}", escaped(says));
        }
    }
    text
}

/// Text in which markdown sees no emphasis.
fn escaped(text: &str) -> String {
    text.replace('*', "\\*").replace('_', "\\_")
}
