//! Scripts that are optimized under facts and run under others: a fact about a value must never become the value.
//!
//! A script is a source of facts ([`sources`]) around a statement of a kind ([`kinds`]), so that what leaks is known by
//! both. Its suggestions are applied as a person does it, and then the original and the suggested program run with
//! other sizes, other arguments and another caller: they must print the same, and end the same.

mod kinds;
mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::blocks::assignments;
use super::expressions::{Expressions, Names};
use super::program::{Ended, Program};
use super::{Options, prints};
use crate::report::Report;
use kinds::{KINDS, Kind, ONE_BY_FACTS, WHOLE_RANGES};
use sources::{MATRICES, Made, SOURCES, Source, World};

const SCRIPTS: usize = 3000;
/// Runs of each script that has a suggestion, each in a world of its own.
const RUNS: usize = 2;
/// Scripts that must have a suggestion and run: else nothing was looked at.
const COMPARED: f64 = 0.2;
const DEPTH: usize = 3;
/// Statements of a chain at most.
const CHAIN: usize = 8;
/// Originals that do not run and are shown.
const SHOWN: usize = 3;

/// A script and how it is to be treated.
struct Case {
    source: Source,
    kind: &'static Kind,
    made: Made,
    facts: World,
    worlds: Vec<World>,
}

/// What became of a script.
enum Fate {
    /// Nothing was suggested.
    Unchanged,
    /// What was suggested gives the same in so many runs.
    Same,
    /// The original gives an error in all of the worlds: nothing to compare.
    NotRun(String),
    /// What differs, with the suggested program.
    Leaks(String),
}

pub(super) fn measure(report: &mut Report, program: &Program, options: &Options) -> Result<()> {
    let count = options.count(SCRIPTS);
    let fates: Vec<(Case, Fate)> = (0..count)
        .into_par_iter()
        .map(|index| {
            let case = Case::make(options.seed, index);
            let fate = case.fate(program)?;
            if let (Fate::Leaks(why), Some(folder)) = (&fate, &options.keep) {
                let why = format!("{}: {why}", case.name());
                case.keep(&folder.join(format!("other-sizes-{index}")), program, &why)?;
            }
            Ok((case, fate))
        })
        .collect::<Result<_>>()?;
    judge(report, &fates);
    Ok(())
}

fn judge(report: &mut Report, fates: &[(Case, Fate)]) {
    let mut by_kind: BTreeMap<String, usize> = BTreeMap::new();
    let (mut leaks, mut same, mut not_run) = (0, 0, 0);
    let mut shown: BTreeSet<&str> = BTreeSet::new();
    for (case, fate) in fates {
        match fate {
            Fate::Unchanged => {}
            Fate::Same => same += 1,
            Fate::NotRun(why) => {
                not_run += 1;
                if not_run <= SHOWN {
                    report.note(&format!(
                        "the original does not run: {}: {why}",
                        case.name()
                    ));
                }
            }
            Fate::Leaks(why) => {
                leaks += 1;
                *by_kind.entry(case.name()).or_default() += 1;
                // One of each kind: they have the same cause.
                if shown.insert(case.kind.name) {
                    report.note(&format!("{}: {why}", case.name()));
                }
            }
        }
    }
    for (name, count) in &by_kind {
        report.note(&format!("{count:4} × {name}"));
    }
    report.bar(
        &format!(
            "{} scripts, suggested and run with other values",
            fates.len()
        ),
        &format!("{leaks} give something else, {same} the same, {not_run} do not run as written"),
        "0 give something else",
        leaks == 0,
    );
    let share = (same + leaks) as f64 / fates.len().max(1) as f64;
    report.bar(
        "scripts with a suggestion that ran",
        &format!("{:.0} %", 100.0 * share),
        &format!(">= {:.0} %", 100.0 * COMPARED),
        share >= COMPARED,
    );
}

impl Case {
    /// The script of an index: all kinds and sources take turns.
    fn make(seed: u64, index: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed.wrapping_add(index as u64));
        let kind = &KINDS[index % KINDS.len()];
        let source = SOURCES[index / KINDS.len() % SOURCES.len()];
        let mut facts = source.facts(&mut rng, kind.name == WHOLE_RANGES);
        facts.w_is_empty |= kind.name == "what may be empty";
        if kind.name == "square by the facts only" {
            facts.n = facts.m;
        }
        if kind.name == ONE_BY_FACTS {
            facts.c = 1;
        }
        let worlds = (0..RUNS).map(|_| source.other(&mut rng, &facts)).collect();
        let bodies = kind.bodies;
        let template = bodies.choose(&mut rng).expect("not empty");
        let mut body = fill(template, &facts, &mut rng);
        if rng.random_range(0..4) == 0 {
            let second = bodies.choose(&mut rng).expect("not empty");
            body = format!("{body}\n{}", fill(second, &facts, &mut rng));
        }
        let made = source.make(&facts, &body, &mut rng);
        Case {
            source,
            kind,
            made,
            facts,
            worlds,
        }
    }

    fn name(&self) -> String {
        format!("{} by {:?}", self.kind.name, self.source)
    }

    fn fate(&self, program: &Program) -> Result<Fate> {
        let folder = tempfile::tempdir()?;
        let written = self.files();
        let applied = match self.apply(program, folder.path())? {
            Ok(files) => files,
            Err(why) => return Ok(Fate::Leaks(why)),
        };
        if applied == written {
            return Ok(Fate::Unchanged);
        }
        let mut same = 0;
        let mut not_run = String::new();
        for (number, world) in self.worlds.iter().enumerate() {
            let run = |which: &str, files: &[(String, String)]| {
                let place = folder.path().join(format!("{which}-{number}"));
                self.run(program, &place, files, world)
            };
            let before = run("written", &written)?;
            if !before.is_success() {
                not_run = before.how();
                continue;
            }
            let after = run("suggested", &applied)?;
            if let Some(why) = differs(&before, &after) {
                let lines = changed(&written, &applied);
                return Ok(Fate::Leaks(format!("{why}\n{lines}")));
            }
            same += 1;
        }
        Ok(if same == 0 {
            Fate::NotRun(not_run)
        } else {
            Fate::Same
        })
    }

    /// The program's files without the configuration, which belongs to the facts.
    fn files(&self) -> Vec<(String, String)> {
        let files = self.made.files.iter();
        files
            .filter(|(name, _)| name.ends_with(".dml"))
            .cloned()
            .collect()
    }

    /// The files after all suggestions; why not, where the command fails.
    fn apply(
        &self,
        program: &Program,
        folder: &Path,
    ) -> Result<Result<Vec<(String, String)>, String>> {
        let place = folder.join("facts");
        write_all(&place, &self.made.files)?;
        if self.made.has_data {
            write_data(&place, &self.facts, false)?;
        }
        let mut arguments = vec!["optimize", self.made.optimized, "--apply", "--quiet"];
        arguments.extend(program.all_forms);
        arguments.extend(self.made.options.iter().map(String::as_str));
        let ended = program.call(&place, &arguments)?;
        if !ended.is_success() {
            return Ok(Err(format!("`optimize` fails: {}", ended.how())));
        }
        let read = |(name, _): &(String, String)| {
            let text = fs::read_to_string(place.join(name))?;
            Ok((name.clone(), text))
        };
        Ok(Ok(self.files().iter().map(read).collect::<Result<_>>()?))
    }

    fn run(
        &self,
        program: &Program,
        place: &Path,
        files: &[(String, String)],
        world: &World,
    ) -> Result<Ended> {
        write_all(place, files)?;
        write_data(place, world, true)?;
        let mut arguments = vec![
            "run".to_owned(),
            self.made.run.to_owned(),
            "-nvargs".to_owned(),
        ];
        arguments.extend(self.source.run_arguments(world));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        program.call(place, &arguments)
    }

    /// Everything that shows a failure again.
    fn keep(&self, folder: &Path, program: &Program, why: &str) -> Result<()> {
        write_all(&folder.join("written"), &self.made.files)?;
        if let Ok(applied) = self.apply(program, folder)? {
            write_all(&folder.join("suggested"), &applied)?;
        }
        for place in ["written", "suggested"] {
            write_data(&folder.join(place), &self.worlds[0], true)?;
        }
        let text = format!(
            "{why}\n\noptimize {} --apply {}\nrun {} -nvargs {}\n",
            self.made.optimized,
            self.made.options.join(" "),
            self.made.run,
            self.source.run_arguments(&self.worlds[0]).join(" ")
        );
        fs::write(folder.join("why.txt"), text).context("cannot keep it")
    }
}

/// What is different about the second run.
fn differs(before: &Ended, after: &Ended) -> Option<String> {
    if !after.is_success() {
        return Some(format!("as suggested it fails: {}", after.how()));
    }
    prints::difference(&before.stdout, &after.stdout)
}

/// The lines of both programs that the other has not.
fn changed(written: &[(String, String)], applied: &[(String, String)]) -> String {
    let mut text = String::new();
    for ((_, before), (_, after)) in written.iter().zip(applied) {
        for (sign, one, other) in [('-', before, after), ('+', after, before)] {
            for line in one.lines() {
                if !other.lines().any(|there| there == line) {
                    text.push_str(&format!("  {sign} {line}\n"));
                }
            }
        }
    }
    text
}

fn write_all(place: &Path, files: &[(String, String)]) -> Result<()> {
    fs::create_dir_all(place)?;
    for (name, text) in files {
        fs::write(place.join(name), text)?;
    }
    Ok(())
}

fn write_data(place: &Path, world: &World, with_cells: bool) -> Result<()> {
    fs::create_dir_all(place)?;
    for (name, rows, cols) in MATRICES {
        let [cells, described] = world.file(name, rows, cols, with_cells);
        let file: PathBuf = place.join(format!("{name}.ijv"));
        fs::write(&file, cells)?;
        fs::write(place.join(format!("{name}.ijv.mtd")), described)?;
    }
    Ok(())
}

/// A body with expressions and sizes in the place of its holes.
fn fill(template: &str, facts: &World, rng: &mut ChaCha8Rng) -> String {
    let mut names = Names::default();
    for (name, rows, cols) in MATRICES {
        names.add(name, rows, cols);
    }
    names.scalars = vec!["a".to_owned()];
    names.sizes = [('n', "nrow(X)"), ('m', "ncol(X)"), ('k', "ncol(U)")]
        .map(|(dim, text)| (dim, text.to_owned()))
        .to_vec();
    let mut text = template
        .replace("{N}", &facts.n.to_string())
        .replace("{M}", &facts.m.to_string());
    for (hole, rows, cols) in [
        ("{nm}", 'n', 'm'),
        ("{nk}", 'n', 'k'),
        ("{n1}", 'n', '1'),
        ("{m1}", 'm', '1'),
    ] {
        if text.contains(hole) {
            // The same expression in all places: that is how people write it.
            let depth = rng.random_range(0..=DEPTH);
            let expression = Expressions {
                rng: &mut *rng,
                names: &names,
            }
            .matrix(rows, cols, depth);
            text = text.replace(hole, &expression);
        }
    }
    if text.contains("{chain}") {
        let count = rng.random_range(3..=CHAIN);
        let (mut lines, results) = assignments(&names, rng, count, 2);
        let printed = rng.random_range(1..=2);
        lines.extend(results.into_iter().rev().take(printed));
        text = text.replace("{chain}", &lines.join("\n"));
    }
    if text.contains("{s}") {
        let expression = Expressions { rng, names: &names }.scalar(DEPTH);
        text = text.replace("{s}", &expression);
    }
    text
}

#[cfg(test)]
mod tests {
    use sumac_syntax::parse;

    use super::*;

    #[test]
    fn all_scripts_are_well_formed_and_the_same_for_a_seed() {
        for index in 0..400 {
            let (one, other) = (Case::make(1, index), Case::make(1, index));
            assert_eq!(one.made.files, other.made.files);
            for (_, text) in one.files() {
                assert!(parse(text.as_str()).errors().is_empty(), "{text}");
                assert!(!text.contains("{n") && !text.contains("{s}"), "{text}");
            }
        }
    }

    #[test]
    fn what_prints_less_or_fails_differs() {
        let ended = |code, stdout: &str| Ended {
            code: Some(code),
            stdout: stdout.to_owned(),
            ..Ended::default()
        };
        assert!(differs(&ended(0, "1.0\n"), &ended(0, "1.0\n")).is_none());
        assert!(differs(&ended(0, "1.0\n"), &ended(0, "")).is_some());
        assert!(differs(&ended(0, ""), &ended(1, "")).is_some());
    }
}
