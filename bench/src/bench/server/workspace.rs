//! A workspace of thousands of scripts: how long until all are known, what that takes, and how soon the first file has
//! its diagnostics.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use super::super::times::Times;
use super::ms;
use crate::bars::Sumac;
use crate::client::document::uri;
use crate::client::{Launch, Session};
use crate::corpus;
use crate::report::Report;

const SCRIPTS: usize = 2900;
const SECONDS: f64 = 20.0;
const MEMORY_MB: u64 = 700;
const FIRST_MS: f64 = 300.0;
/// Files that are opened first, each in a session of its own.
const FIRST_FILES: usize = 20;
/// Functions that are looked for when all scripts should be known.
const LOOKED_FOR: usize = 50;
const SEED: u64 = 0x5eed;
const SILENCE: Duration = Duration::from_millis(300);
const PATIENCE: Duration = Duration::from_secs(300);

/// Measures and judges.
pub(super) fn measure(report: &mut Report, sumac: &Sumac, checkout: Option<&Path>) {
    report.heading("A workspace: a checkout of apache/systemds");
    let name = "the checkout";
    let target = format!("at least {SCRIPTS} scripts");
    let found = corpus::checkout(checkout).and_then(|checkout| {
        let scripts = corpus::scripts(&checkout)?;
        Ok((checkout, scripts))
    });
    let Some((checkout, scripts)) = report.expect(name, &target, found) else {
        return;
    };
    let seen = format!("{} scripts", scripts.len());
    report.bar(name, &seen, &target, scripts.len() >= SCRIPTS);
    indexed(report, sumac, &checkout, &scripts);
    first_file(report, sumac, &checkout, &scripts);
}

/// What indexing took.
struct Indexed {
    time: Duration,
    resident: u64,
    most: u64,
    /// Functions that were looked for and not found.
    missing: Vec<String>,
}

fn indexed(report: &mut Report, sumac: &Sumac, checkout: &Path, scripts: &[PathBuf]) {
    let name = "all scripts known";
    let target = format!("< {SECONDS} s, every one of {LOOKED_FOR} functions found");
    if let Some(indexed) = report.expect(name, &target, index(sumac, checkout, scripts)) {
        let mut seen = format!("{:.1} s", indexed.time.as_secs_f64());
        if let Some(first) = indexed.missing.first() {
            seen = format!(
                "{seen}; {} functions not found: {first}",
                indexed.missing.len()
            );
        }
        let holds = indexed.time.as_secs_f64() < SECONDS && indexed.missing.is_empty();
        report.bar(name, &seen, &target, holds);
        let target = format!("< {MEMORY_MB} MB at any moment");
        let mb = |bytes: u64| bytes / 1_000_000;
        let seen = format!(
            "{} MB, at most {} MB",
            mb(indexed.resident),
            mb(indexed.most)
        );
        report.bar("its memory", &seen, &target, mb(indexed.most) < MEMORY_MB);
    }
}

fn index(sumac: &Sumac, checkout: &Path, scripts: &[PathBuf]) -> Result<Indexed> {
    let functions = functions(scripts)?;
    let mut session = Session::start(&Launch::new(&sumac.program).in_folder(checkout))?;
    let quiet = session.process.quiet(SILENCE, PATIENCE)?;
    let mut missing = Vec::new();
    for (function, file) in &functions {
        let found = session
            .call("workspace/symbol", &json!({"query": function}))?
            .good()?;
        let wanted = uri(file);
        let mut places = found.as_array().into_iter().flatten();
        if !places.any(|place| place["location"]["uri"] == wanted) {
            missing.push(format!("{function} of {}", file.display()));
        }
    }
    let indexed = Indexed {
        time: quiet.after,
        resident: session.process.resident()?,
        most: session.process.most_resident()?,
        missing,
    };
    session.end()?;
    Ok(indexed)
}

/// Some functions that only one script has, and that script.
fn functions(scripts: &[PathBuf]) -> Result<Vec<(String, PathBuf)>> {
    let mut all: BTreeMap<String, Vec<&PathBuf>> = BTreeMap::new();
    for script in scripts {
        let text = fs::read(script)?;
        for line in String::from_utf8_lossy(&text).lines() {
            let Some((name, rest)) = line.split_once('=') else {
                continue;
            };
            let name = name.trim_end();
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if rest.trim_start().starts_with("function(")
                && !name.is_empty()
                && name.chars().all(is_name)
            {
                all.entry(name.to_owned()).or_default().push(script);
            }
        }
    }
    let single: Vec<_> = all
        .into_iter()
        .filter(|(_, files)| files.len() == 1)
        .collect();
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    Ok(single
        .sample(&mut rng, LOOKED_FOR)
        .map(|(name, files)| (name.clone(), files[0].clone()))
        .collect())
}

fn first_file(report: &mut Report, sumac: &Sumac, checkout: &Path, scripts: &[PathBuf]) {
    let name = "the first file's diagnostics, from the server's start";
    let target =
        format!("< {FIRST_MS} ms for each of {FIRST_FILES} files, the longest script among them");
    let measured = first_files(sumac, checkout, scripts);
    if let Some(mut times) = report.expect(name, &target, measured) {
        times.sort_by_key(|(_, time)| *time);
        if let Some((file, time)) = times.last() {
            report.note(&format!("slowest: {} for {}", ms(*time), file.display()));
        }
        let times = Times::new(times.into_iter().map(|(_, time)| time));
        report.bar(
            name,
            &times.to_string(),
            &target,
            times.longest() < FIRST_MS,
        );
    }
}

fn first_files(
    sumac: &Sumac,
    checkout: &Path,
    scripts: &[PathBuf],
) -> Result<Vec<(PathBuf, Duration)>> {
    // Scripts that people run; tests are full of files in other languages of that ending.
    let of_people: Vec<(&PathBuf, String)> = scripts
        .iter()
        .filter(|path| path.starts_with(checkout.join("scripts")))
        .filter_map(|path| Some((path, fs::read_to_string(path).ok()?)))
        .filter(|(_, text)| !sumac_syntax::is_other_language(text))
        .collect();
    let longest = of_people.iter().max_by_key(|(_, text)| text.len());
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut times = Vec::new();
    let chosen = (1..FIRST_FILES).map(|_| &of_people[rng.random_range(0..of_people.len())]);
    for (path, text) in chosen.chain(longest) {
        let clock = Instant::now();
        let mut session = Session::start(&Launch::new(&sumac.program).in_folder(checkout))?;
        let document = session.open(path, text)?;
        let published = session.diagnostics(&document)?;
        times.push(((*path).clone(), published.at.duration_since(clock)));
        session
            .end()
            .with_context(|| format!("after {}", path.display()))?;
    }
    Ok(times)
}
