//! The suggestions that are looked at, with what the program says of their digits: for the folder of cases, for the fixtures, and for random
//! statements.

use std::fs;
use std::path::Path;

use anyhow::Result;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde_json::Value as Json;

use super::super::{Options, Program};
use crate::bars::program::Limits;
use crate::bars::sumac::{figure, text};
use crate::bars::truth::blocks::{Inputs, Scale};
use xtask::workspace;

const LIMITS: Limits = Limits {
    seconds: 180,
    bytes: 6 << 30,
};
const MEMORY: &str = "8G";
/// Scripts that are generated for each suggestion that is wanted, at most.
const TRIES: usize = 12;
/// Scripts that are asked for at once.
const AT_ONCE: usize = 16;
const SCALE: Scale = Scale {
    sizes: [&[2000, 10_000, 20_000], &[100, 500, 1000], &[4, 10, 32]],
    depth: 3,
    sparsities: &[1.0, 1.0, 0.1, 0.01],
};
/// Folders of the cases that are looked at.
const CASES: [&str; 3] = ["suggestions", "values", "field"];

/// A suggestion and what it is for.
#[derive(Clone, Debug)]
pub(super) struct Offered {
    /// Where it comes from.
    pub(super) from: String,
    pub(super) script: String,
    /// From 1.
    pub(super) line: usize,
    pub(super) end_line: usize,
    pub(super) original: String,
    pub(super) optimized: String,
    /// The text in place of those lines.
    pub(super) statement: String,
    /// The digits that it is said to lose; `None` where it is said that nothing was measured.
    pub(super) lost: Option<f64>,
    pub(super) worst: Option<String>,
    /// Whether it is still shown where hints that may lose more than the setting are hidden.
    pub(super) is_shown_when_strict: bool,
    /// What `sumac facts` says of the script.
    pub(super) facts: Vec<Json>,
}

impl Offered {
    pub(super) fn shown(&self) -> String {
        let short = |text: &str| {
            let line = text.lines().collect::<Vec<_>>().join("; ");
            line.chars().take(200).collect::<String>()
        };
        format!(
            "{}:{}: {} ⇒ {}",
            self.from,
            self.line,
            short(&self.original),
            short(&self.optimized)
        )
    }
}

/// So many suggestions: first those for the files that are there, then those for random statements.
///
/// # Errors
/// The program fails on a script that it should read.
pub(super) fn offered(
    program: &Program,
    options: &Options,
    wanted: usize,
    setting: f64,
) -> Result<Vec<Offered>> {
    let mut found = Vec::new();
    let mut files = workspace::scripts(&workspace::root().join("fixtures"))?;
    files.extend(workspace::scripts(
        &workspace::root().join("fixtures/truth"),
    )?);
    if let Some(cases) = options.cases() {
        for folder in CASES {
            files.extend(workspace::scripts(&cases.join(folder))?);
        }
    }
    let of_files: Vec<Result<Vec<Offered>>> = files
        .par_iter()
        .map(|file| {
            // What cannot be read is the matter of other bars.
            let Ok(script) = fs::read_to_string(file) else {
                return Ok(Vec::new());
            };
            let folder = file.parent().unwrap_or(Path::new("/"));
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            suggestions(program, folder, &name, &script, setting)
        })
        .collect();
    for suggestions in of_files {
        found.extend(suggestions?);
    }
    let folder = tempfile::tempdir()?;
    let mut index = 0;
    while found.len() < wanted && index < wanted * TRIES {
        let batch: Vec<u64> = (index..index + AT_ONCE)
            .map(|at| options.seed.wrapping_add(at as u64))
            .collect();
        index += AT_ONCE;
        let of_batch: Vec<Result<Vec<Offered>>> = batch
            .par_iter()
            .map(|seed| {
                let script = statement(*seed);
                let name = format!("random-{seed}.dml");
                fs::write(folder.path().join(&name), &script)?;
                suggestions(program, folder.path(), &name, &script, setting)
            })
            .collect();
        for suggestions in of_batch {
            found.extend(suggestions?);
        }
    }
    found.truncate(wanted);
    Ok(found)
}

/// A script with a statement or two over inputs of realistic sizes.
fn statement(seed: u64) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let inputs = Inputs::random(&mut rng, &SCALE);
    let count = rng.random_range(1..=2);
    let lines = inputs.statements(&mut rng, count, SCALE.depth);
    format!("{}{}{}\n", inputs.facts, inputs.reads, lines.join("\n"))
}

/// The suggestions for a script, those that are hidden by the setting among them.
pub(super) fn suggestions(
    program: &Program,
    folder: &Path,
    name: &str,
    script: &str,
    setting: f64,
) -> Result<Vec<Offered>> {
    let ask = |more: &[&str]| -> Result<Vec<Json>> {
        let mut arguments = vec!["optimize", name, "--format", "json", "--memory", MEMORY];
        arguments.extend(program.all_forms);
        arguments.extend(more);
        let ended = program.call_within(folder, &arguments, &[], LIMITS)?;
        // A script with errors has no suggestions; that it falls over is seen.
        anyhow::ensure!(!ended.is_crash(), "{name}: {}", ended.how());
        match ended.json() {
            Ok(Json::Array(rows)) => Ok(rows),
            _ => Ok(Vec::new()),
        }
    };
    let all = ask(&[])?;
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let strict = ask(&["--most-lost-digits", &setting.to_string()])?;
    let arguments = ["facts", name, "--format", "json"];
    let facts = program.call_within(folder, &arguments, &[], LIMITS)?;
    let facts = match facts.json() {
        Ok(Json::Array(rows)) => rows,
        _ => Vec::new(),
    };
    all.iter()
        .map(|row| {
            let line = |name: &str| -> Result<usize> {
                let line = figure(row, name)?;
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a line number"
                )]
                Ok(line as usize)
            };
            let is_same = |other: &Json| {
                ["line", "optimized"]
                    .iter()
                    .all(|field| other[*field] == row[*field])
            };
            Ok(Offered {
                from: name.to_owned(),
                script: script.to_owned(),
                line: line("/line")?,
                end_line: line("/end_line")?,
                original: text(row, "/original")?,
                optimized: text(row, "/optimized")?,
                statement: text(row, "/statement")?,
                lost: row["accuracy"]["lost_digits"].as_f64(),
                worst: row["accuracy"]["worst"].as_str().map(str::to_owned),
                is_shown_when_strict: strict.iter().any(is_same),
                facts: facts.clone(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_script() {
        assert_eq!(statement(1), statement(1));
        assert!(statement(1) != statement(2));
    }
}
