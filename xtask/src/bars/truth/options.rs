//! What `cargo xtask bars truth` can be told. Measures nothing.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::ValueEnum;

/// Names the folder of cases where the command line does not.
const CASES_VARIABLE: &str = "SUMAC_CASES";
/// So that every run without a seed is the same run.
const SEED: u64 = 20_260_101;

/// The bars of the topic.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Bar {
    /// Pairs of expressions whose relation is known
    Prove,
    /// Scripts with what is right for each
    Cases,
    /// Suggestions under other sizes, arguments and callers
    OtherSizes,
    /// Peak memory and processor time of searches
    Bounds,
    /// Edits beside syntax errors
    Damaged,
    /// Random scripts against loops over cells
    Differential,
    /// Suggestions over the corpus in SystemDS
    Corpus,
    /// Suggestions timed
    Timed,
}

impl Bar {
    /// As the command line spells it.
    pub(super) fn name(self) -> String {
        self.to_possible_value()
            .map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// The options of the topic.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// truth: only this bar (repeatable)
    #[arg(long, value_enum, value_name = "BAR")]
    pub(super) only: Vec<Bar>,
    /// truth: only this share of the generated inputs of each bar
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    pub(super) share: f64,
    /// truth: the seed of what is generated
    #[arg(long, value_name = "N", default_value_t = SEED)]
    pub(super) seed: u64,
    /// truth: a folder of cases with `values`, `field`, `suggestions`, `slow` and `prove.tsv` (or name it by SUMAC_CASES)
    #[arg(long, value_name = "PATH")]
    cases: Option<PathBuf>,
    /// truth: measure this program, not one that is built first
    #[arg(long, value_name = "PATH")]
    pub(super) program: Option<PathBuf>,
    /// truth: keep what fails in this folder
    #[arg(long, value_name = "DIR")]
    pub(super) keep: Option<PathBuf>,
}

impl Options {
    /// # Errors
    /// The share is none.
    pub(super) fn check(&self) -> Result<()> {
        ensure!(
            self.share > 0.0 && self.share <= 1.0,
            "--share {}: a share is above 0 and at most 1",
            self.share
        );
        Ok(())
    }

    /// Whether a bar is to be measured.
    pub(super) fn wants(&self, bar: Bar) -> bool {
        self.only.is_empty() || self.only.contains(&bar)
    }

    /// So many of `all` inputs, at least one.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "counts of some thousands, and a share of them"
    )]
    pub(super) fn count(&self, all: usize) -> usize {
        ((all as f64 * self.share).round() as usize).max(1)
    }

    /// The folder of cases, where one is named.
    pub(super) fn cases(&self) -> Option<PathBuf> {
        let named = std::env::var_os(CASES_VARIABLE).map(PathBuf::from);
        self.cases.clone().or(named)
    }

    /// Why this is not the whole measurement of the program built here; `None` where it is.
    pub(crate) fn slice(&self) -> Option<String> {
        let mut why = Vec::new();
        if !self.only.is_empty() {
            let names: Vec<String> = self.only.iter().map(|bar| bar.name()).collect();
            why.push(format!("only {}", names.join(", ")));
        }
        if self.share < 1.0 {
            why.push(format!("{} of the inputs", self.share));
        }
        if self.program.is_some() {
            why.push("another program than the one that is built here".to_owned());
        }
        (!why.is_empty()).then(|| why.join("; "))
    }

    /// What is measured, in words.
    pub(super) fn shown(&self) -> String {
        self.slice().map_or_else(
            || "all bars, all inputs".to_owned(),
            |why| format!("a slice: {why}"),
        )
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    fn options(line: &str) -> Options {
        let words = std::iter::once("bars").chain(line.split_whitespace());
        Line::try_parse_from(words).unwrap().options
    }

    #[test]
    fn whatever_is_not_the_whole_says_so() {
        assert_eq!(options("").slice(), None);
        for line in ["--only prove", "--share 0.5", "--program sumac"] {
            assert!(options(line).slice().is_some(), "{line}");
        }
    }

    #[test]
    fn a_share_is_of_every_count_and_never_nothing() {
        assert_eq!(options("--share 0.1").count(3000), 300);
        assert_eq!(options("--share 0.0001").count(200), 1);
        assert!(options("--share 0").check().is_err());
        assert!(options("--share 2").check().is_err());
    }
}
