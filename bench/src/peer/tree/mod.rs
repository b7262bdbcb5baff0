//! `cargo xtask peer tree PATH`: is every script read as SystemDS's own parser reads it? Compared are the verdict on
//! each script and the structure of each statement: precedence, calls, indexes, control flow, functions.

mod oracle;
mod sexpr;

use std::path::Path;

use anyhow::Result;
use rayon::prelude::*;
use sumac_syntax::parse;
use sumac_text::LineIndex;

use super::systemds::SystemDs;
use crate::corpus::list::{self, Taken};
use crate::corpus::scripts;
use crate::report::Report;
use oracle::{Reading, Verdict};

/// How one script compares.
enum Outcome {
    Same,
    /// The first difference, in words.
    Different(String),
    /// SystemDS rejects the script.
    Rejected,
}

/// Compares all scripts below `checkout`.
///
/// # Errors
/// SystemDS cannot be asked.
pub(crate) fn measure(report: &mut Report, checkout: &Path, record: bool) -> Result<()> {
    let systemds = SystemDs::open()?;
    let scripts = scripts(checkout)?;
    let readings = oracle::read(&systemds, &scripts)?;
    if record {
        let taken = readings
            .iter()
            .map(|reading| Ok((list::relative(checkout, &reading.path)?, reading.taken())));
        list::write(&taken.collect::<Result<_>>()?)?;
    }
    let outcomes: Vec<(&Reading, Outcome)> = readings
        .par_iter()
        .map(|reading| Ok((reading, compare(reading)?)))
        .collect::<Result<_>>()?;

    report.heading("Statements read as SystemDS 3.4.0 reads them");
    for (name, skips) in [
        ("scripts that it accepts cleanly", false),
        ("scripts in which it skips characters", true),
    ] {
        let chosen: Vec<_> = outcomes
            .iter()
            .filter(|(reading, _)| {
                reading.verdict == Verdict::Accepted && reading.skipped.is_empty() != skips
            })
            .collect();
        let same = chosen
            .iter()
            .filter(|(_, outcome)| matches!(outcome, Outcome::Same))
            .count();
        let statements: usize = chosen.iter().map(|(r, _)| r.statements.len()).sum();
        let seen = format!("{same} of {} ({statements} statements)", chosen.len());
        report.bar(name, &seen, "all", same == chosen.len() && same > 0);
        for (reading, outcome) in chosen.iter().take_while(|_| same < chosen.len()) {
            if let Outcome::Different(how) = outcome {
                report.note(&format!("{}: {how}", reading.path.display()));
            }
        }
    }
    report.note(&format!(
        "{} more it rejects; `cargo xtask corpus` looks at those",
        outcomes
            .iter()
            .filter(|(_, outcome)| matches!(outcome, Outcome::Rejected))
            .count()
    ));
    Ok(())
}

impl Reading {
    fn taken(&self) -> Taken {
        match self.verdict {
            Verdict::Rejected => Taken::Rejected,
            Verdict::Accepted if self.skipped.is_empty() => Taken::Clean,
            Verdict::Accepted => Taken::Skipped(self.skipped.clone()),
        }
    }
}

fn compare(reading: &Reading) -> Result<Outcome> {
    if let Verdict::Rejected = reading.verdict {
        return Ok(Outcome::Rejected);
    }
    let text = std::fs::read_to_string(&reading.path)?;
    let parse = parse(text.as_str());
    let lines = LineIndex::new(text.as_str());
    let ours: Vec<(usize, String)> = parse
        .program()
        .statements
        .iter()
        .map(|statement| {
            let line = lines.line(statement.range.start) + 1;
            (line, sexpr::statement(statement))
        })
        .collect();
    let first = ours
        .iter()
        .zip(&reading.statements)
        .find(|(ours, theirs)| ours != theirs);
    Ok(match first {
        Some((ours, theirs)) => Outcome::Different(format!(
            "line {}\n  ours:     line {} {}\n  SystemDS: line {} {}",
            theirs.0, ours.0, ours.1, theirs.0, theirs.1
        )),
        None if ours.len() != reading.statements.len() => Outcome::Different(format!(
            "{} statements, SystemDS has {}",
            ours.len(),
            reading.statements.len()
        )),
        None => Outcome::Same,
    })
}
