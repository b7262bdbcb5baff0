//! Scripts with one damaged statement: suggestions for the others are welcome, but no edit may touch what cannot be read.

use std::fs;
use std::path::Path;

use anyhow::Result;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde_json::Value;
use sumac_syntax::parse;

use super::blocks::{Inputs, Scale};
use super::expressions::Names;
use super::program::Program;
use super::{Options, data, prints};
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
/// Dimensions of the data that repaired scripts run on.
const SMALL: [(char, usize); 3] = [('n', 11), ('m', 6), ('k', 4)];

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

/// A script with a damaged statement.
struct Damaged {
    text: String,
    how: &'static str,
    /// The first and the last line of the statement, from 1.
    lines: (usize, usize),
    /// The statement as it was, in as many lines.
    whole: Vec<String>,
    names: Names,
}

enum Fate {
    Untouched {
        suggested: bool,
    },
    Touched(String),
    /// Once the statement is written as it was, the script gives something else.
    Other(String),
}

pub(super) fn measure(report: &mut Report, program: &Program, options: &Options) -> Result<()> {
    let count = options.count(SCRIPTS);
    let fates: Vec<(u64, Damaged, Fate)> = (0..count as u64)
        .into_par_iter()
        .map(|index| {
            let seed = options.seed + index;
            let damaged = damaged(seed);
            let fate = fate(program, &damaged)?;
            if let (Fate::Touched(_) | Fate::Other(_), Some(keep)) = (&fate, &options.keep) {
                fs::create_dir_all(keep)?;
                fs::write(keep.join(format!("damaged-{seed}.dml")), &damaged.text)?;
            }
            Ok((seed, damaged, fate))
        })
        .collect::<Result<_>>()?;
    let (mut touched, mut other, mut suggested) = (0, 0, 0);
    for (seed, damaged, fate) in &fates {
        match fate {
            Fate::Untouched { suggested: some } => suggested += usize::from(*some),
            Fate::Touched(why) => {
                touched += 1;
                if touched <= SHOWN {
                    report.note(&format!("seed {seed}, {}: {why}", damaged.how));
                }
            }
            Fate::Other(why) => {
                suggested += 1;
                other += 1;
                if other <= SHOWN {
                    report.note(&format!("seed {seed}, repaired: {why}"));
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
    report.bar(
        "scripts that give something else once the statement is repaired",
        &other.to_string(),
        "0",
        other == 0,
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

/// The script of a seed: some statements, one in a loop or a branch, some over two lines; one line is damaged.
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
                "while (sum(X) < -1000000) {",
            ];
            lines.insert(place, opened[around - 1].to_owned());
            lines.insert(place + 2, "}".to_owned());
            line += 1;
        }
        // Sometimes what cannot be read is a line that belongs to control flow.
        if around > 0 && rng.random_range(0..5) == 0 {
            line -= 1;
        }
        let mut statement = (line, line);
        if let Some((head, tail)) = folded(&lines[line], &mut rng) {
            lines[line] = head;
            lines.insert(line + 1, tail);
            statement.1 += 1;
            line = rng.random_range(statement.0..=statement.1);
        }
        let whole = lines[statement.0..=statement.1].to_vec();
        for _ in 0..10 {
            let (how, damage) = DAMAGES.choose(&mut rng).expect("not empty");
            let at = rng.random_range(1..lines[line].len());
            let mut all = lines.clone();
            all[line] = damage(&lines[line], at, &mut rng);
            let damaged = Damaged {
                text: all.join("\n") + "\n",
                how,
                lines: (statement.0 + 1, statement.1 + 1),
                whole: whole.clone(),
                names: inputs.names.clone(),
            };
            if !all[line].trim().is_empty() && damaged.is_wrong_there() {
                return damaged;
            }
        }
    }
}

/// A statement cut behind an operator within parentheses, sometimes.
fn folded(line: &str, rng: &mut ChaCha8Rng) -> Option<(String, String)> {
    if rng.random() {
        return None;
    }
    // Generated expressions have parentheses around every operator.
    let at = [" + ", " - ", " * ", " %*% "]
        .iter()
        .filter_map(|operator| Some(line.find(operator)? + operator.len()))
        .min()?;
    Some((
        line[..at].trim_end().to_owned(),
        format!("    {}", &line[at..]),
    ))
}

impl Damaged {
    /// Whether the statement itself cannot be read: an error begins in it.
    fn is_wrong_there(&self) -> bool {
        let (first, last) = self.lines;
        let parsed = parse(self.text.as_str());
        parsed.errors().iter().any(|error| {
            let line = line_of(&self.text, error.range.start);
            first <= line && line <= last
        })
    }

    /// A text with the statement as it was in its place.
    fn repair(&self, text: &str) -> String {
        let wrong = self.statement();
        let lines: Vec<&str> = text.lines().collect();
        let at = lines.windows(wrong.len()).position(|place| place == wrong);
        let mut lines: Vec<&str> = lines;
        if let Some(at) = at {
            let whole = self.whole.iter().map(String::as_str);
            lines.splice(at..at + wrong.len(), whole);
        }
        lines.join("\n") + "\n"
    }

    /// The statement as it stands there.
    fn statement(&self) -> Vec<&str> {
        let (first, last) = self.lines;
        let lines = self.text.lines();
        lines.skip(first - 1).take(last + 1 - first).collect()
    }
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
    if let Some(why) = judge(damaged, rows, &after)? {
        return Ok(Fate::Touched(why));
    }
    let suggested = !rows.is_empty();
    if suggested && let Some(why) = repaired(program, folder.path(), damaged, &after)? {
        return Ok(Fate::Other(why));
    }
    Ok(Fate::Untouched { suggested })
}

/// What the script prints otherwise once the statement is written as it was, on small data.
fn repaired(
    program: &Program,
    folder: &Path,
    damaged: &Damaged,
    after: &str,
) -> Result<Option<String>> {
    let size = |dim: char| {
        let known = SMALL.iter().find(|(name, _)| *name == dim);
        known.map_or(1, |(_, size)| *size)
    };
    let mut arguments = vec![
        "run".to_owned(),
        "script.dml".to_owned(),
        "-nvargs".to_owned(),
    ];
    for variable in &damaged.names.variables {
        let name = &variable.name;
        data::write(folder, name, size(variable.rows), size(variable.cols), 1)?;
        arguments.push(format!("{name}={name}.ijv"));
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let run = |text: &str| {
        fs::write(folder.join("script.dml"), damaged.repair(text))?;
        program.call(folder, &arguments)
    };
    let before = run(&damaged.text)?;
    if !before.is_success() {
        return Ok(None);
    }
    let after = run(after)?;
    Ok(if after.is_success() {
        prints::difference(&before.stdout, &after.stdout)
    } else {
        Some(after.how())
    })
}

/// Why an edit touches the damaged line.
fn judge(damaged: &Damaged, rows: &[Value], after: &str) -> Result<Option<String>> {
    let wrong = damaged.statement();
    let shown: String = wrong.join(" ").chars().take(100).collect();
    let (first, last) = damaged.lines;
    for row in rows {
        let original = text(row, "/original")?;
        let line = figure(row, "/line")?;
        let meets = line <= last as f64 && first as f64 <= figure(row, "/end_line")?;
        // One that joins distant statements has lines between them that it leaves alone.
        let is_of = |there: &str| wrong.iter().any(|line| line.trim() == there.trim());
        if meets && original.lines().any(is_of) {
            return Ok(Some(format!("the edit of line {line} is of `{shown}`")));
        }
    }
    let count = |text: &str| {
        let lines: Vec<&str> = text.lines().collect();
        let places = lines.windows(wrong.len());
        places.filter(|place| *place == wrong).count()
    };
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
            assert!(damaged.is_wrong_there(), "{}", damaged.text);
        }
    }

    #[test]
    fn a_changed_line_and_a_new_error_are_told() {
        let damaged = Damaged {
            text: "a = 1\nb = (\nc = 2\n".to_owned(),
            how: "",
            lines: (2, 2),
            whole: vec!["b = 5".to_owned()],
            names: Names::default(),
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
        assert_eq!(damaged.repair("a = 3\nb = (\n"), "a = 3\nb = 5\n");
        let row = json!({"original": "b = (", "line": 2, "end_line": 2});
        assert!(judge(&damaged, &[row], &damaged.text).unwrap().is_some());
    }
}
