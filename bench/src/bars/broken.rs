//! Bad input: a clear diagnostic with its place, no crash, and the suggestions for the good statements still there,
//! on the command line and in an editor session.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;

use super::sumac::{Sumac, figure, text};
use crate::client::document::accept;
use crate::client::{Launch, Session};
use crate::report::Report;
use xtask::workspace;

/// A file with something wrong in it.
struct Broken {
    what: &'static str,
    /// Below `fixtures/broken`.
    file: &'static str,
    /// The code of the diagnostic that tells it.
    code: &'static str,
    /// The line where it must be told, as it stands there; empty for the first one.
    line: &'static str,
    /// Variables whose statements are good and have a cheaper form.
    good: &'static [&'static str],
}

const BROKEN: [Broken; 6] = [
    Broken {
        what: "a half-typed statement",
        file: "half_typed.dml",
        code: "syntax-error",
        line: "loss = sum((X - U %*%",
        good: &["before", "after"],
    },
    Broken {
        what: "an unknown size",
        file: "unknown_size.dml",
        code: "unknown-size",
        line: "A = read($A)",
        good: &["loss"],
    },
    Broken {
        what: "a contradictory fact",
        file: "contradicting_fact.dml",
        code: "contradicting-fact",
        line: "#@ U: 30000 x 10",
        good: &["other"],
    },
    Broken {
        what: "a missing data file",
        file: "missing_file.dml",
        code: "missing-file",
        line: "X = read(\"no_such_file.mtx\")",
        good: &["loss"],
    },
    Broken {
        what: "a data file of random bytes",
        file: "random_bytes.dml",
        code: "missing-file",
        line: "A = read(\"random_bytes.mtx\")",
        good: &["loss"],
    },
    Broken {
        what: "a script of random bytes",
        file: "random_bytes.mtx",
        code: "unreadable-file",
        line: "",
        good: &[],
    },
];

impl Broken {
    fn path(&self) -> PathBuf {
        workspace::root().join("fixtures/broken").join(self.file)
    }

    /// The number of the line where it must be told, from 1.
    fn wrong_line(&self) -> Result<usize> {
        if self.line.is_empty() {
            return Ok(1);
        }
        let text = fs::read_to_string(self.path())?;
        let at = text.lines().position(|line| line == self.line);
        Ok(1 + at.with_context(|| format!("{} has no such line any more", self.file))?)
    }

    /// The good statements as they are written.
    fn good_lines(&self) -> Result<Vec<String>> {
        if self.good.is_empty() {
            return Ok(Vec::new());
        }
        let text = fs::read_to_string(self.path())?;
        let find = |name: &&str| {
            let found = text
                .lines()
                .find(|line| line.starts_with(&format!("{name} = ")));
            let found = found.with_context(|| format!("{} assigns no {name} any more", self.file));
            Ok(found?.to_owned())
        };
        self.good.iter().map(find).collect()
    }

    /// Whether the suggestions that led to `after` cover all good statements, and left alone what is wrong.
    fn judge(&self, after: &str) -> Result<(String, bool)> {
        let is_there = |wanted: &str| after.lines().any(|line| line == wanted);
        let untouched: Vec<String> = self
            .good_lines()?
            .into_iter()
            .filter(|line| is_there(line))
            .collect();
        let keeps_wrong = is_there(self.line);
        let mut seen = match &untouched[..] {
            [] => "all of them".to_owned(),
            lines => format!("nothing for {}", lines.join("; ")),
        };
        if !keeps_wrong {
            seen.push_str(", but the wrong line was changed");
        }
        Ok((seen, untouched.is_empty() && keeps_wrong))
    }
}

pub(super) fn measure(report: &mut Report, sumac: &Sumac) {
    for broken in &BROKEN {
        let name = format!("{} ({})", broken.what, broken.file);
        let target = "exit code 0 or 1, told at its place, in text and JSON";
        let name_of_check = format!("{name}, sumac check");
        if let Some((seen, holds)) = report.expect(&name_of_check, target, check(sumac, broken)) {
            report.bar(&name_of_check, &seen, target, holds);
        }
        if broken.good.is_empty() {
            continue;
        }
        let target = format!(
            "suggestions for {}; the wrong line kept",
            broken.good.join(", ")
        );
        let ways: [(&str, Way); 2] = [
            ("sumac optimize", applied_by_command),
            ("inlay hints", accepted_in_editor),
        ];
        for (way, accept) in ways {
            let name = format!("{name}, {way}");
            let after = accept(sumac, broken).and_then(|text| broken.judge(&text));
            if let Some((seen, holds)) = report.expect(&name, &target, after) {
                report.bar(&name, &seen, &target, holds);
            }
        }
    }
}

/// A way to get the script after its suggestions were accepted.
type Way = fn(&Sumac, &Broken) -> Result<String>;

fn check(sumac: &Sumac, broken: &Broken) -> Result<(String, bool)> {
    let path = broken.path();
    let path = path.to_str().context("the path is no text")?;
    let line = broken.wrong_line()?;
    let as_text = sumac.call(&["check", path])?;
    let as_json = sumac.call(&["check", path, "--format", "json"])?;
    let mut holds = true;
    let mut codes = Vec::new();
    for output in [&as_text, &as_json] {
        let complaint = String::from_utf8_lossy(&output.stderr);
        holds &= matches!(output.status.code(), Some(0 | 1)) && !complaint.contains("panicked");
        codes.push(output.status.to_string());
    }
    let found: Value = serde_json::from_slice(&as_json.stdout)
        .context("`sumac check --format json` wrote no JSON")?;
    let found = found.as_array().context("it wrote no array")?;
    let told = found.iter().find(|row| {
        text(row, "/code").is_ok_and(|code| code == broken.code)
            && figure(row, "/line").is_ok_and(|at| at == line as f64)
    });
    let place = format!("{path}:{line}:");
    let printed = [&as_text.stdout, &as_text.stderr]
        .iter()
        .any(|stream| String::from_utf8_lossy(stream).contains(&place));
    let message = match told {
        Some(row) => text(row, "/message")?,
        None => format!("no {} at line {line}", broken.code),
    };
    holds &= told.is_some() && printed && !message.trim().is_empty();
    let seen = format!(
        "{}; {}line {line}: {message}",
        codes.join(", "),
        if printed {
            ""
        } else {
            "no place in the text; "
        }
    );
    Ok((seen, holds))
}

/// The rows of `sumac optimize --format json`, each put in the place of what it replaces.
fn applied_by_command(sumac: &Sumac, broken: &Broken) -> Result<String> {
    let path = broken.path();
    let mut script = fs::read_to_string(&path)?;
    for suggestion in sumac.optimize(&path, None, false)? {
        anyhow::ensure!(
            script.matches(&suggestion.original).count() == 1,
            "`original` stands not once in the script:\n{}",
            suggestion.original
        );
        script = script.replace(&suggestion.original, &suggestion.statement);
    }
    Ok(script)
}

fn accepted_in_editor(sumac: &Sumac, broken: &Broken) -> Result<String> {
    let path = broken.path();
    let script = fs::read_to_string(&path)?;
    let mut session = Session::start(&Launch::new(&sumac.program))?;
    let document = session.open(&path, &script)?;
    let (_, hints) = session.hints_until(&document, |hints| !hints.is_empty())?;
    let encoding = session.encoding;
    // A server that crashed meanwhile does not end well.
    session.end()?;
    let edits: Vec<Value> = hints.into_iter().flat_map(|h| h.edits).collect();
    accept(&script, &edits, encoding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_line_is_there() {
        for broken in &BROKEN {
            assert!(broken.wrong_line().unwrap() >= 1, "{}", broken.file);
            assert_eq!(broken.good_lines().unwrap().len(), broken.good.len());
        }
    }

    #[test]
    fn accepting_nothing_or_too_much_is_a_miss() {
        let broken = &BROKEN[0];
        let text = fs::read_to_string(broken.path()).unwrap();
        let good = broken.good_lines().unwrap();
        assert!(!broken.judge(&text).unwrap().1);
        let one = text.replace(&good[0], "before = 1");
        assert!(!broken.judge(&one).unwrap().1);
        let all = one.replace(&good[1], "after = 1");
        assert!(broken.judge(&all).unwrap().1);
        assert!(!broken.judge(&all.replace(broken.line, "")).unwrap().1);
    }
}
