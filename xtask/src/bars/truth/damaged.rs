//! Scripts with one damaged statement: suggestions for the others are welcome, but no edit may touch what cannot be read.

use std::fs;

use anyhow::Result;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde_json::Value;
use sumac_syntax::parse;

use super::Options;
use super::blocks::{Inputs, Scale};
use super::program::Program;
use crate::bars::sumac::{figure, text};
use crate::report::Report;

const SCRIPTS: usize = 5000;
/// Scripts with a suggestion for a statement that is well: else nothing was looked at.
const SUGGESTED: f64 = 0.2;
const SCALE: Scale = Scale {
    sizes: [&[2000, 20_000], &[100, 500], &[4, 10]],
    depth: 2,
    sparsities: &[1.0, 0.01],
};
const SHOWN: usize = 12;

/// Ways to break a line. Each may leave it well-formed; then another is tried.
const DAMAGES: [(&str, Damage); 10] = [
    ("cut in the middle", |line, at, _| line[..at].to_owned()),
    ("a character left out", |line, at, _| {
        let mut chars: Vec<char> = line.chars().collect();
        chars.remove(at);
        chars.into_iter().collect()
    }),
    ("a sign put in", |line, at, rng| {
        let signs = [
            "+", "*", "%*%", "%", ")", "(", ",", "=", "\"", "$", "?", "#@", "[", "]", "{", "}",
            ";", "!", "@", "..",
        ];
        let sign = signs.choose(rng).expect("not empty");
        format!("{}{sign}{}", &line[..at], &line[at..])
    }),
    ("an operator doubled", |line, _, _| {
        line.replacen(" %*% ", " %*% %*% ", 1)
    }),
    ("a parenthesis left out", |line, _, _| {
        line.replacen(')', "", 1)
    }),
    ("one too many", |line, _, _| format!("{line})")),
    ("the right side left out", |line, _, _| {
        line.split_once('=')
            .map_or_else(|| line.to_owned(), |(left, _)| format!("{left}="))
    }),
    ("an operator at the end", |line, _, _| format!("{line} +")),
    ("two statements in one", |line, at, _| {
        format!("{} {}", &line[..at], line)
    }),
    ("an index that does not end", |line, _, _| {
        format!("{line}[1, ")
    }),
];

/// A line, a place within it, and chance.
type Damage = fn(&str, usize, &mut ChaCha8Rng) -> String;

/// A script with a damaged line.
struct Damaged {
    text: String,
    how: &'static str,
    /// From 1.
    line: usize,
}

enum Fate {
    Untouched { suggested: bool },
    Touched(String),
}

pub(super) fn measure(report: &mut Report, program: &Program, options: &Options) -> Result<()> {
    let count = options.count(SCRIPTS);
    let fates: Vec<(u64, Damaged, Fate)> = (0..count as u64)
        .into_par_iter()
        .map(|index| {
            let seed = options.seed + index;
            let damaged = damaged(seed);
            let fate = fate(program, &damaged)?;
            if let (Fate::Touched(_), Some(keep)) = (&fate, &options.keep) {
                fs::create_dir_all(keep)?;
                fs::write(keep.join(format!("damaged-{seed}.dml")), &damaged.text)?;
            }
            Ok((seed, damaged, fate))
        })
        .collect::<Result<_>>()?;
    let (mut touched, mut suggested) = (0, 0);
    for (seed, damaged, fate) in &fates {
        match fate {
            Fate::Untouched { suggested: some } => suggested += usize::from(*some),
            Fate::Touched(why) => {
                touched += 1;
                if touched <= SHOWN {
                    report.note(&format!("seed {seed}, {}: {why}", damaged.how));
                }
            }
        }
    }
    report.bar(
        &format!("{count} scripts with a damaged statement"),
        &format!("{touched} edits touch it"),
        "0",
        touched == 0,
    );
    let share = (suggested + touched) as f64 / fates.len().max(1) as f64;
    report.bar(
        "scripts with a suggestion for another statement",
        &format!("{:.0} %", 100.0 * share),
        &format!(">= {:.0} %", 100.0 * SUGGESTED),
        share >= SUGGESTED,
    );
    Ok(())
}

/// The script of a seed: some statements, half of them in a loop, a branch or a function; one line is damaged.
fn damaged(seed: u64) -> Damaged {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    loop {
        let inputs = Inputs::random(&mut rng, &SCALE);
        let count = rng.random_range(2..=6);
        let mut lines: Vec<String> = inputs.facts.lines().map(str::to_owned).collect();
        lines.extend(inputs.reads.lines().map(str::to_owned));
        let first = lines.len();
        lines.extend(inputs.statements(&mut rng, count, SCALE.depth));
        let place = rng.random_range(first..first + count);
        let around = rng.random_range(0..4);
        let mut line = place;
        if around > 0 {
            let opened = [
                "for (i in 1:3) {",
                "if (sum(X) > 0) {",
                "while (sum(X) < 0) {",
            ];
            lines.insert(place, opened[around - 1].to_owned());
            lines.insert(place + 2, "}".to_owned());
            line += 1;
        }
        // Sometimes what cannot be read is a line that belongs to control flow.
        if around > 0 && rng.random_range(0..5) == 0 {
            line -= 1;
        }
        for _ in 0..10 {
            let (how, damage) = DAMAGES.choose(&mut rng).expect("not empty");
            let whole = lines[line].clone();
            let at = rng.random_range(1..whole.len());
            let broken = damage(&whole, at, &mut rng);
            let mut all = lines.clone();
            all[line] = broken;
            let text = all.join("\n") + "\n";
            if !all[line].trim().is_empty() && is_wrong_there(&text, line + 1) {
                return Damaged {
                    text,
                    how,
                    line: line + 1,
                };
            }
        }
    }
}

/// Whether the line itself cannot be read: an error begins in it.
fn is_wrong_there(text: &str, line: usize) -> bool {
    parse(text)
        .errors()
        .iter()
        .any(|error| line_of(text, error.range.start) == line)
}

fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
}

fn fate(program: &Program, damaged: &Damaged) -> Result<Fate> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("script.dml");
    fs::write(&file, &damaged.text)?;
    let mut arguments = vec!["optimize", "script.dml", "--apply", "--quiet"];
    arguments.extend(["--format", "json"]);
    arguments.extend(program.all_forms);
    let ended = program.call(folder.path(), &arguments)?;
    if !ended.is_success() {
        return Ok(Fate::Touched(format!("`optimize` fails: {}", ended.how())));
    }
    let answer = ended.json()?;
    let rows = answer.as_array().map(Vec::as_slice).unwrap_or_default();
    let after = fs::read_to_string(&file)?;
    Ok(judge(damaged, rows, &after)?.map_or(
        Fate::Untouched {
            suggested: !rows.is_empty(),
        },
        Fate::Touched,
    ))
}

/// Why an edit touches the damaged line.
fn judge(damaged: &Damaged, rows: &[Value], after: &str) -> Result<Option<String>> {
    let wrong = damaged
        .text
        .lines()
        .nth(damaged.line - 1)
        .unwrap_or_default();
    let shown: String = wrong.chars().take(100).collect();
    for row in rows {
        let original = text(row, "/original")?;
        let line = figure(row, "/line")?;
        let within =
            line <= damaged.line as f64 && damaged.line as f64 <= figure(row, "/end_line")?;
        // One that joins distant statements has lines between them that it leaves alone.
        if within && original.lines().any(|there| there.trim() == wrong.trim()) {
            return Ok(Some(format!("the edit of line {line} is of `{shown}`")));
        }
    }
    let count = |text: &str| text.lines().filter(|line| *line == wrong).count();
    if count(after) < count(&damaged.text) {
        return Ok(Some(format!("`{shown}` is gone")));
    }
    let errors = |text: &str| parse(text).errors().len();
    let (before, behind) = (errors(&damaged.text), errors(after));
    if behind > before {
        return Ok(Some(format!(
            "{before} syntax errors became {behind} beside `{shown}`"
        )));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_script_is_wrong_where_it_says() {
        for seed in 0..40 {
            let damaged = damaged(seed);
            assert!(
                is_wrong_there(&damaged.text, damaged.line),
                "{}",
                damaged.text
            );
        }
    }

    #[test]
    fn a_changed_line_and_a_new_error_are_told() {
        let damaged = Damaged {
            text: "a = 1\nb = (\nc = 2\n".to_owned(),
            how: "",
            line: 2,
        };
        assert_eq!(judge(&damaged, &[], &damaged.text).unwrap(), None);
        assert_eq!(judge(&damaged, &[], "a = 3\nb = (\nc = 2\n").unwrap(), None);
        assert!(
            judge(&damaged, &[], "a = 1\nb = 1\nc = 2\n")
                .unwrap()
                .is_some()
        );
        assert!(
            judge(&damaged, &[], "a = (\nb = (\nc = 2\n")
                .unwrap()
                .is_some()
        );
        let row = json!({"original": "b = (", "line": 2, "end_line": 2});
        assert!(judge(&damaged, &[row], &damaged.text).unwrap().is_some());
    }
}
