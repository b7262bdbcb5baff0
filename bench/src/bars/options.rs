//! What `cargo xtask bars truth` and `cargo xtask bars trust` can be told, and the walk through the bars of either.
//! Measures nothing itself.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::ValueEnum;

use super::program::Program;
use super::{Sumac, processor};
use crate::report::Report;

/// Names the folder of cases where the command line does not.
const CASES_VARIABLE: &str = "SUMAC_CASES";
/// So that every run without a seed is the same run.
const SEED: u64 = 20_260_101;

/// The bars of both topics.
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
    /// Every rewrite rule: whether it fires, is equal, and what digits it loses
    Rules,
    /// Digits that suggestions lose, against a search of its own
    Accuracy,
    /// Each kind of attack that once succeeded, as tests
    Attacks,
    /// Ways out of a run, with and without the sandbox of Linux
    Escapes,
    /// Faults of processes, files, pipes and disks
    Faults,
    /// Undefined behaviour and orders of threads, by tools that see them
    Undefined,
    /// Random scripts against loops over cells, many
    Generated,
    /// Fuzz targets with coverage as a guide
    Fuzz,
    /// Licences, advisories and sources of what is built upon
    Supply,
    /// Expressions of NumPy from public code
    NumpyCases,
    /// Random functions of NumPy, run as written and as suggested
    NumpyRandom,
}

/// What measures a bar.
pub(super) type Measure = fn(&mut Report, &Program, &Options) -> Result<()>;
/// A bar of a topic with its title.
pub(super) type Entry = (Bar, &'static str, Measure);

impl Bar {
    /// As the command line spells it.
    pub(super) fn name(self) -> String {
        self.to_possible_value()
            .map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// The options of both topics.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// truth, trust: only this bar (repeatable)
    #[arg(long, value_enum, value_name = "BAR")]
    pub(super) only: Vec<Bar>,
    /// truth, trust: only this share of the generated inputs of each bar
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    pub(super) share: f64,
    /// truth, trust: the seed of what is generated
    #[arg(long, value_name = "N", default_value_t = SEED)]
    pub(super) seed: u64,
    /// truth: a folder of cases with `values`, `field`, `suggestions`, `slow` and `prove.tsv` (or name it by SUMAC_CASES)
    #[arg(long, value_name = "PATH")]
    cases: Option<PathBuf>,
    /// truth, trust: measure this program, not one that is built first
    #[arg(long, value_name = "PATH")]
    pub(super) program: Option<PathBuf>,
    /// truth, trust: keep what fails in this folder
    #[arg(long, value_name = "DIR")]
    pub(super) keep: Option<PathBuf>,
}

impl Options {
    /// # Errors
    /// The share is none, or the topic lacks a bar.
    fn check(&self, bars: &[Entry]) -> Result<()> {
        for only in &self.only {
            ensure!(
                bars.iter().any(|(bar, ..)| bar == only),
                "--only {}: the topic has no such bar; it has {}",
                only.name(),
                bars.iter()
                    .map(|(bar, ..)| bar.name())
                    .collect::<Vec<_>>()
                    .join(", ")
            );
        }
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

/// Measures all of a topic's bars, or those that the options name.
///
/// # Errors
/// The options make no sense, or there is no program to measure.
pub(super) fn measure(report: &mut Report, bars: &[Entry], options: &Options) -> Result<()> {
    options.check(bars)?;
    let program = match &options.program {
        Some(path) => Program::at(path)?,
        None => Program::at(&Sumac::build_release()?.program)?,
    };
    report.heading("What is measured");
    report.note(&format!(
        "{}\nseed {}, {}\n{}",
        program.shown(),
        options.seed,
        options.shown(),
        processor::shown(),
    ));
    for (bar, title, measure) in bars {
        if !options.wants(*bar) {
            continue;
        }
        report.heading(title);
        let measured = measure(report, &program, options);
        report.expect(&bar.name(), "can be measured", measured);
    }
    Ok(())
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
    fn a_bar_of_the_other_topic_is_no_bar() {
        let faults = options("--only faults");
        assert!(faults.check(&crate::bars::trust::BARS).is_ok());
        assert!(faults.check(&crate::bars::truth::BARS).is_err());
    }

    #[test]
    fn a_share_is_of_every_count_and_never_nothing() {
        assert_eq!(options("--share 0.1").count(3000), 300);
        assert_eq!(options("--share 0.0001").count(200), 1);
        assert!(options("--share 0").check(&[]).is_err());
        assert!(options("--share 2").check(&[]).is_err());
    }
}
