//! Scripts that were wrong once, with what is right for each: values, suggestions, diagnostics, memory and time.
//!
//! Our own lie in `fixtures/truth`, others in a folder that the command line names; what is right stands in tables
//! ([`table`]). Nothing is written there: every case works on a copy.

mod table;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use rayon::prelude::*;

use super::program::{Ended, Limits, Program};
use super::{Options, data, prints};
use crate::bars::sumac::{figure, text};
use crate::peer::systemds::SystemDs;
use crate::report::Report;
use table::{Action, Right, Row};
use xtask::workspace;

/// Every policy of `sumac run --fusion`.
const POLICIES: [&str; 4] = ["cost", "all", "no-redundancy", "none"];
/// Commands are ended beyond these, where a case asks for no others.
const LIMITS: Limits = Limits {
    seconds: 180,
    bytes: 8 << 30,
};
/// A suggestion must run at least so fast beside what was written.
const NEVER_BELOW: f64 = 0.95;

/// What is wrong about a case; `None` where all is right.
type Wrong = Option<String>;

pub(super) fn measure(report: &mut Report, program: &Program, options: &Options) -> Result<()> {
    let own = workspace::root().join("fixtures/truth");
    let text = fs::read_to_string(own.join("table.tsv")).context("the own cases are gone")?;
    judge(report, program, "scripts of this repository", &own, &text)?;
    let Some(folder) = options.cases() else {
        report.bar(
            "cases",
            "no folder of cases: --cases PATH",
            "all right",
            false,
        );
        return Ok(());
    };
    judge(
        report,
        program,
        "scripts of the folder of cases",
        &folder,
        table::TABLE,
    )?;
    values(report, program, &folder)
}

/// All rows of a table.
fn judge(
    report: &mut Report,
    program: &Program,
    name: &str,
    folder: &Path,
    table: &str,
) -> Result<()> {
    let rows = table::rows(table)?;
    let seen: Vec<Result<Wrong>> = rows
        .par_iter()
        .map(|row| wrong(program, folder, row))
        .collect();
    let mut wrongs = 0;
    for (row, seen) in rows.iter().zip(&seen) {
        let why = match seen {
            Ok(None) => continue,
            Ok(Some(why)) => why.clone(),
            Err(error) => format!("{error:#}"),
        };
        wrongs += 1;
        report.note(&format!("{} {:?}: {why}", row.file, row.action));
    }
    report.bar(
        &format!("{} things that are right of {name}", rows.len()),
        &format!("{wrongs} wrong"),
        "0 wrong",
        wrongs == 0 && !rows.is_empty(),
    );
    Ok(())
}

/// Every script of `values` prints what stands beside it, under every policy and as suggested.
fn values(report: &mut Report, program: &Program, folder: &Path) -> Result<()> {
    let files = workspace::scripts(&folder.join("values"))?;
    let mut wrongs = 0;
    for file in &files {
        let expected = fs::read_to_string(file.with_extension("expected"))
            .with_context(|| format!("{} has nothing expected", file.display()))?;
        if let Some(why) = wrong_value(program, file, &expected)? {
            wrongs += 1;
            report.note(&format!("{}: {why}", file.display()));
        }
    }
    report.bar(
        &format!(
            "values: {} scripts under {} policies and as suggested",
            files.len(),
            POLICIES.len()
        ),
        &format!("{wrongs} wrong"),
        "0 wrong",
        wrongs == 0 && !files.is_empty(),
    );
    Ok(())
}

fn wrong_value(program: &Program, file: &Path, expected: &str) -> Result<Wrong> {
    let place = tempfile::tempdir()?;
    copy(file, &place.path().join("script.dml"))?;
    let run = |how: &str, policy: &str| -> Result<Wrong> {
        let arguments = ["run", "script.dml", "--fusion", policy];
        let ended = program.call_within(place.path(), &arguments, &[], LIMITS)?;
        Ok(differs_from(&ended, expected, prints::ROUNDING).map(|why| format!("{how}, {why}")))
    };
    for policy in POLICIES {
        if let Some(why) = run(&format!("fusion {policy}"), policy)? {
            return Ok(Some(why));
        }
    }
    let mut arguments = vec!["optimize", "script.dml", "--apply", "--quiet"];
    arguments.extend(program.all_forms);
    let ended = program.call(place.path(), &arguments)?;
    if !ended.is_success() {
        return Ok(Some(format!("`optimize` fails: {}", ended.how())));
    }
    run("as suggested", "cost")
}

/// A copy that may be written, whatever may be done with the original.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let bytes = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
    fs::write(to, bytes).with_context(|| format!("cannot write {}", to.display()))
}

/// What is wrong about a run beside what should be printed. Empty lines do not count: where a text ends with a line
/// break, printing it gives one.
fn differs_from(ended: &Ended, expected: &str, within: f64) -> Wrong {
    if !ended.is_success() {
        return Some(ended.how());
    }
    let full = |text: &str| -> String {
        let lines = text.lines().filter(|line| !line.is_empty());
        lines.map(|line| format!("{line}\n")).collect()
    };
    prints::difference_by(&full(expected), &full(&ended.stdout), within)
}

/// A copy of the case's folder in which a command may do what it likes.
struct Place {
    folder: tempfile::TempDir,
    /// The case's file, without its folder.
    file: String,
    text: String,
}

impl Place {
    fn new(cases: &Path, row: &Row) -> Result<Self> {
        let source = cases.join(&row.file);
        let text = fs::read_to_string(&source)
            .with_context(|| format!("cannot read {}", source.display()))?;
        let folder = tempfile::tempdir()?;
        let above = source.parent().context("a case lies in a folder")?;
        for entry in fs::read_dir(above)? {
            let path = entry?.path();
            if let (true, Some(name)) = (path.is_file(), path.file_name()) {
                copy(&path, &folder.path().join(name))?;
            }
        }
        let name = source.file_name().context("a case is a file")?;
        Ok(Place {
            folder,
            file: name.to_string_lossy().into_owned(),
            text,
        })
    }

    fn call(&self, program: &Program, arguments: &[&str]) -> Result<Ended> {
        program.call_within(self.folder.path(), arguments, &[], LIMITS)
    }

    /// Takes all suggestions over: `None`, or what is wrong with the script that comes of it.
    fn apply(&self, program: &Program, row: &Row) -> Result<Wrong> {
        let mut arguments: Vec<String> = vec![
            "optimize".to_owned(),
            self.file.clone(),
            "--apply".to_owned(),
        ];
        arguments.extend(program.all_forms.iter().map(ToString::to_string));
        arguments.extend(row.with.options.iter().cloned());
        for (name, rows, cols) in &row.with.data[0] {
            data::write(self.folder.path(), name, *rows, *cols, 1)?;
            arguments.extend(["--set".to_owned(), format!("{name}={name}.ijv")]);
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let before = self.errors(program)?;
        let ended = self.call(program, &arguments)?;
        if !ended.is_success() {
            return Ok(Some(format!("`optimize` fails: {}", ended.how())));
        }
        let after = self.errors(program)?;
        Ok((after.len() > before.len())
            .then(|| format!("the suggested script has errors: {after:?}")))
    }

    fn errors(&self, program: &Program) -> Result<Vec<(usize, String)>> {
        errors(&self.call(program, &["check", &self.file, "--format", "json"])?)
    }

    fn run(&self, program: &Program, row: &Row) -> Result<Ended> {
        let mut named: Vec<String> = row.with.arguments.clone();
        for (name, rows, cols) in &row.with.data[1] {
            data::write(self.folder.path(), name, *rows, *cols, 1)?;
            named.push(format!("{name}={name}.ijv"));
        }
        if row.with.by_facts {
            for (name, rows, cols, every) in data::stated(&self.text) {
                data::write(self.folder.path(), &name, rows, cols, every)?;
                named.push(format!("{name}={name}.ijv"));
            }
        }
        let file = row.with.runs.as_deref().unwrap_or(&self.file);
        let mut arguments = vec!["run", file];
        if !named.is_empty() {
            arguments.push("-nvargs");
            arguments.extend(named.iter().map(String::as_str));
        }
        if !row.with.with_root {
            return self.call(program, &arguments);
        }
        ensure!(
            SystemDs::is_installed(),
            "SystemDS is not installed: `cargo xtask setup`, or name it by SUMAC_SYSTEMDS"
        );
        let root = SystemDs::open()?.package;
        let environment = [("SYSTEMDS_ROOT", root.as_path())];
        program.call_within(self.folder.path(), &arguments, &environment, LIMITS)
    }
}

/// The lines of the errors that `check` told, with their codes.
fn errors(ended: &Ended) -> Result<Vec<(usize, String)>> {
    ensure!(!ended.is_crash(), "`check` fails: {}", ended.how());
    let answer = ended.json()?;
    let rows = answer.as_array().context("`check` wrote no array")?;
    rows.iter()
        .filter(|row| text(row, "/severity").is_ok_and(|severity| severity == "error"))
        .map(|row| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a line number"
            )]
            Ok((figure(row, "/line")? as usize, text(row, "/code")?))
        })
        .collect()
}

fn wrong(program: &Program, cases: &Path, row: &Row) -> Result<Wrong> {
    let place = Place::new(cases, row)?;
    match row.action {
        Action::Run => {
            let ended = place.run(program, row)?;
            right_output(row, &ended, None)
        }
        Action::Apply => {
            let before = place.run(program, row)?;
            if let Some(why) = place.apply(program, row)? {
                return Ok(Some(why));
            }
            let after = place.run(program, row)?;
            right_output(row, &after, Some(&before))
        }
        Action::Optimize => optimized(program, &place, row),
        Action::Check => {
            let errors = place.errors(program)?;
            Ok(match &row.right {
                Right::NoError if errors.is_empty() => None,
                Right::ErrorAt(lines) if errors.iter().any(|(line, _)| lines.contains(line)) => {
                    None
                }
                right => Some(format!("{right:?} is right, seen: {errors:?}")),
            })
        }
        Action::Bound => bound(program, &place, row),
    }
}

fn right_output(row: &Row, ended: &Ended, before: Option<&Ended>) -> Result<Wrong> {
    match (&row.right, before) {
        (Right::Prints(expected), _) => Ok(differs_from(ended, expected, prints::ROUNDING)),
        (Right::Same(within), Some(before)) => {
            ensure!(before.is_success(), "as written: {}", before.how());
            Ok(differs_from(ended, &before.stdout, *within))
        }
        (right, _) => anyhow::bail!("{right:?} is nothing that a run can be"),
    }
}

fn optimized(program: &Program, place: &Place, row: &Row) -> Result<Wrong> {
    let mut arguments = vec!["optimize", place.file.as_str()];
    arguments.extend(program.all_forms);
    arguments.extend(row.with.options.iter().map(String::as_str));
    let ended = place.call(program, &arguments)?;
    if !ended.is_success() {
        return Ok(Some(ended.how()));
    }
    // What the suggestions put in, and what is said of them.
    let said: String = ended
        .stdout
        .lines()
        .filter(|line| line.starts_with('+') && !line.starts_with("+++"))
        .chain(ended.stderr.lines())
        .map(|line| format!("{line}\n"))
        .collect();
    let offers = ended.stdout.lines().any(|line| line.starts_with('+'));
    Ok(match &row.right {
        Right::Offers if offers => None,
        Right::Offers => Some("nothing is offered".to_owned()),
        Right::Without(part) if said.contains(part) => {
            let line = said.lines().find(|line| line.contains(part));
            Some(line.unwrap_or_default().to_owned())
        }
        Right::With(part) if !said.contains(part) => Some(format!("`{part}` is not there")),
        Right::Without(_) | Right::With(_) => None,
        Right::NoneSlower => slower(program, place)?,
        right => anyhow::bail!("{right:?} is nothing that suggestions can be"),
    })
}

/// Which suggestion runs slower than what was written.
fn slower(program: &Program, place: &Place) -> Result<Wrong> {
    let ended = place.call(program, &["optimize", &place.file, "--format", "json"])?;
    let answer = ended.json()?;
    for row in answer.as_array().context("`optimize` wrote no array")? {
        let at = format!("{}:{}", place.file, figure(row, "/line")?);
        let ended = place.call(
            program,
            &["time", &at, "--format", "json", "--memory", "4G"],
        )?;
        ensure!(ended.is_success(), "`time {at}`: {}", ended.how());
        let timed = ended.json()?;
        let median = |side: &str| figure(&timed, &format!("/{side}/ms_median"));
        let ratio = median("original")? / median("optimized")?;
        if ratio < NEVER_BELOW {
            return Ok(Some(format!("line {at} is {ratio:.2} times as fast")));
        }
    }
    Ok(None)
}

fn bound(program: &Program, place: &Place, row: &Row) -> Result<Wrong> {
    let Right::Within { seconds, megabytes } = row.right else {
        anyhow::bail!("{:?} is no bound", row.right);
    };
    let limits = Limits {
        seconds,
        bytes: megabytes << 20,
    };
    let arguments = ["optimize", place.file.as_str(), "--quiet"];
    let ended = program.call_within(place.folder.path(), &arguments, &[], limits)?;
    Ok((!ended.is_success()).then(|| ended.how()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(stdout: &str) -> Ended {
        Ended {
            code: Some(0),
            stdout: stdout.to_owned(),
            ..Ended::default()
        }
    }

    #[test]
    fn another_value_another_kind_and_a_failure_are_wrong() {
        let is_wrong = |ended: &Ended| differs_from(ended, "t = 0.0\n", 1e-9).is_some();
        assert!(!is_wrong(&ended("t = 0.0\n")));
        assert!(is_wrong(&ended("t = 0\n")));
        assert!(is_wrong(&ended("t = 0.5\n")));
        assert!(is_wrong(&Ended::default()));
    }

    #[test]
    fn only_errors_count() {
        let told = ended(
            r#"[{"severity": "error", "line": 2, "code": "a"}, {"severity": "warning", "line": 1, "code": "b"}]"#,
        );
        assert_eq!(errors(&told).unwrap(), [(2, "a".to_owned())]);
    }
}
