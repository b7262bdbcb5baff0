//! Bad input: a clear diagnostic with its place, no crash, and the suggestions for the good statements still there,
//! on the command line and in an editor session.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;

use super::report::Report;
use super::sumac::{Sumac, figure, text};
use crate::bench::client::Session;
use crate::workspace;

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

    /// The first line that is `wanted`, from 1.
    fn line_of(&self, wanted: impl Fn(&str) -> bool) -> Result<usize> {
        let text = fs::read_to_string(self.path())?;
        let at = text.lines().position(wanted);
        Ok(1 + at.with_context(|| format!("{} has no such line any more", self.file))?)
    }

    fn wrong_line(&self) -> Result<usize> {
        if self.line.is_empty() {
            return Ok(1);
        }
        self.line_of(|line| line == self.line)
    }

    /// The lines of the good statements, from 1.
    fn good_lines(&self) -> Result<Vec<usize>> {
        let assigns = |name: &str| self.line_of(|line| line.starts_with(&format!("{name} = ")));
        self.good.iter().map(|name| assigns(name)).collect()
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
        let target = format!("suggestions for {}", broken.good.join(", "));
        let ways: [(&str, Way); 2] = [
            ("sumac optimize", suggested_lines),
            ("inlay hints", hinted_lines),
        ];
        for (way, lines) in ways {
            let name = format!("{name}, {way}");
            let compared = lines(sumac, broken).and_then(|seen| Ok((seen, broken.good_lines()?)));
            if let Some((seen, good)) = report.expect(&name, &target, compared) {
                let holds = good.iter().all(|line| seen.contains(line));
                report.bar(
                    &name,
                    &format!("lines {seen:?} of {good:?}"),
                    &target,
                    holds,
                );
            }
        }
    }
}

/// A way to get the lines, from 1, that have a suggestion.
type Way = fn(&Sumac, &Broken) -> Result<Vec<usize>>;

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

fn suggested_lines(sumac: &Sumac, broken: &Broken) -> Result<Vec<usize>> {
    let path = broken.path();
    let answer = sumac.json(&["optimize", path.to_str().context("the path is no text")?])?;
    let rows = answer.as_array().context("it wrote no array")?;
    rows.iter()
        .map(|row| {
            let line = row.pointer("/line").and_then(Value::as_u64);
            Ok(usize::try_from(line.context("a row without a line")?)?)
        })
        .collect()
}

fn hinted_lines(sumac: &Sumac, broken: &Broken) -> Result<Vec<usize>> {
    let path = broken.path();
    let mut session = Session::start(&sumac.program)?;
    let mut document = session.open(&path, &fs::read_to_string(&path)?)?;
    let target = broken.good.len();
    let hints = session.hints_until(&mut document, |hints| hints.len() >= target);
    let lines = hints?.hints.iter().map(|hint| hint.line + 1).collect();
    // A server that crashed meanwhile does not end well.
    session.end()?;
    Ok(lines)
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
}
