//! What suggestions gain, timed: none may be slower than what was written, and what is promised must come.
//!
//! Both forms are run in turns by `sumac time` on data of the stated sizes; the medians count.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::Options;
use super::blocks::{Inputs, Scale};
use super::processor;
use super::program::{Limits, Program};
use crate::bars::sumac::{figure, text};
use crate::report::Report;
use xtask::workspace;

const SUGGESTIONS: usize = 200;
/// The least speed of a suggestion beside what was written.
const NEVER_BELOW: f64 = 0.95;
/// From this on a suggestion promises something, which so many of those must give.
const PROMISES: f64 = 2.0;
const GIVES: f64 = 1.5;
const KEPT: f64 = 0.9;
/// Scripts that are generated for each suggestion that is wanted, at most.
const TRIES: usize = 20;
const MEMORY: &str = "4G";
const LIMITS: Limits = Limits {
    seconds: 180,
    bytes: 6 << 30,
};
const SCALE: Scale = Scale {
    sizes: [&[2000, 10_000, 20_000], &[100, 500, 1000], &[4, 10, 32]],
    depth: 3,
    sparsities: &[1.0, 1.0, 0.1, 0.01],
};

/// A suggestion that can be timed.
struct Offered {
    file: PathBuf,
    line: usize,
    original: String,
    optimized: String,
    promised: f64,
}

pub(super) fn measure(report: &mut Report, program: &Program, options: &Options) -> Result<()> {
    let wanted = options.count(SUGGESTIONS);
    let folder = tempfile::tempdir()?;
    report.note(&processor::shown());
    let offered = offered(program, options.seed, folder.path(), wanted)?;
    let (mut slower, mut kept, mut promising, mut untimed) = (0_usize, 0_usize, 0_usize, 0_usize);
    let mut ratios: BTreeMap<usize, f64> = BTreeMap::new();
    for (number, suggestion) in offered.iter().enumerate() {
        let ratio = match time(program, folder.path(), suggestion) {
            Ok(ratio) => ratio,
            Err(error) => {
                untimed += 1;
                report.note(&format!("not timed: {}: {error:#}", suggestion.shown()));
                continue;
            }
        };
        ratios.insert(number, ratio);
        let promises = suggestion.promised >= PROMISES;
        promising += usize::from(promises);
        kept += usize::from(promises && ratio >= GIVES);
        slower += usize::from(ratio < NEVER_BELOW);
        if ratio < NEVER_BELOW || promises && ratio < GIVES {
            report.note(&format!(
                "{ratio:.2} times, promised {:.1}: {}",
                suggestion.promised,
                suggestion.shown()
            ));
            if let Some(keep) = &options.keep {
                fs::create_dir_all(keep)?;
                fs::copy(&suggestion.file, keep.join(format!("timed-{number}.dml")))?;
            }
        }
    }
    report.bar(
        &format!("{} of {wanted} suggestions timed", ratios.len()),
        &format!("{slower} slower than {NEVER_BELOW}, {untimed} could not be timed"),
        &format!("{wanted} timed, none slower"),
        slower == 0 && ratios.len() >= wanted,
    );
    let share = kept as f64 / promising.max(1) as f64;
    report.bar(
        &format!("{promising} that promise {PROMISES} times or more"),
        &format!("{:.0} % give {GIVES}", 100.0 * share),
        &format!(">= {:.0} %", 100.0 * KEPT),
        share >= KEPT && promising > 0,
    );
    Ok(())
}

impl Offered {
    fn shown(&self) -> String {
        let short = |text: &str| text.chars().take(160).collect::<String>();
        format!("{} ⇒ {}", short(&self.original), short(&self.optimized))
    }
}

/// Suggestions for the fixtures first, then for generated statements.
fn offered(program: &Program, seed: u64, folder: &Path, wanted: usize) -> Result<Vec<Offered>> {
    let mut found = Vec::new();
    for file in workspace::scripts(&workspace::root().join("fixtures"))? {
        found.extend(suggestions(program, &file)?);
    }
    for index in 0..(wanted * TRIES) as u64 {
        if found.len() >= wanted {
            break;
        }
        let file = folder.join(format!("generated-{index}.dml"));
        fs::write(&file, statement(seed + index))?;
        found.extend(suggestions(program, &file)?);
    }
    found.truncate(wanted);
    Ok(found)
}

/// A script with one statement over inputs of realistic sizes.
fn statement(seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let inputs = Inputs::random(&mut rng, &SCALE);
    let lines = inputs.statements(&mut rng, 1, SCALE.depth);
    format!("{}{}{}\n", inputs.facts, inputs.reads, lines.join("\n"))
}

fn suggestions(program: &Program, file: &Path) -> Result<Vec<Offered>> {
    let shown = file.to_str().context("the path is no text")?;
    let arguments = ["optimize", shown, "--format", "json", "--memory", MEMORY];
    let folder = workspace::root().join("fixtures");
    let ended = program.call_within(&folder, &arguments, &[], LIMITS)?;
    anyhow::ensure!(ended.is_success(), "{shown}: {}", ended.how());
    let answer = ended.json()?;
    let rows = answer.as_array().context("`optimize` wrote no array")?;
    rows.iter()
        .map(|row| {
            let cost = |side: &str| figure(row, &format!("/cost/{side}"));
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a line number"
            )]
            Ok(Offered {
                file: file.to_path_buf(),
                line: figure(row, "/line")? as usize,
                original: text(row, "/original")?,
                optimized: text(row, "/optimized")?,
                promised: cost("original")? / cost("optimized")?.max(f64::MIN_POSITIVE),
            })
        })
        .collect()
}

/// How many times faster the suggestion is.
fn time(program: &Program, folder: &Path, suggestion: &Offered) -> Result<f64> {
    let place = format!("{}:{}", suggestion.file.display(), suggestion.line);
    let arguments = ["time", &place, "--format", "json", "--memory", MEMORY];
    let ended = program.call_within(folder, &arguments, &[], LIMITS)?;
    anyhow::ensure!(ended.is_success(), "{}", ended.how());
    let answer = ended.json()?;
    let median = |side: &str| figure(&answer, &format!("/{side}/ms_median"));
    Ok(median("original")? / median("optimized")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_fixtures_and_a_seed_is_a_statement() {
        assert!(
            workspace::scripts(&workspace::root().join("fixtures"))
                .unwrap()
                .len()
                > 5
        );
        assert_eq!(statement(1), statement(1));
        assert!(statement(1) != statement(2));
    }
}
