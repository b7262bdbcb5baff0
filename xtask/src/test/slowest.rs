//! Which tests took longest, read from the report that cargo-nextest leaves in the target folder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// How many are printed.
const SHOWN: usize = 10;

/// One test.
#[derive(Debug, PartialEq)]
struct Timed {
    seconds: f64,
    /// The test's binary and its path there.
    name: String,
}

/// The JUnit report that a run of all tests writes.
pub(super) struct Report {
    path: PathBuf,
}

impl Report {
    /// Of a run that is about to start; what an earlier one left in the target folder is taken away.
    pub(super) fn new(target: &Path) -> Result<Self> {
        let path = target.join("nextest/default/junit.xml");
        if path.exists() {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
        Ok(Report { path })
    }

    /// The tests that took longest, as lines to print; nothing where no test was run.
    pub(super) fn slowest(&self) -> Result<Option<String>> {
        if !self.path.exists() {
            return Ok(None);
        }
        let report = fs::read_to_string(&self.path)
            .with_context(|| format!("cannot read {}", self.path.display()))?;
        let mut tests = timed(&report);
        tests.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        tests.truncate(SHOWN);
        let lines = tests
            .iter()
            .map(|test| format!("\n  {:>7.1} s  {}", test.seconds, test.name));
        Ok(Some(lines.fold(
            "the tests that took longest:".to_owned(),
            |text, line| text + &line,
        )))
    }
}

/// All tests of a JUnit report.
fn timed(report: &str) -> Vec<Timed> {
    // What stands before the first of them is no test.
    report
        .split("<testcase ")
        .skip(1)
        .filter_map(|rest| {
            let tag = &rest[..rest.find('>')?];
            let seconds = attribute(tag, "time")?.parse().ok()?;
            let name = format!(
                "{} {}",
                attribute(tag, "classname")?,
                attribute(tag, "name")?
            );
            Some(Timed { seconds, name })
        })
        .collect()
}

/// The value of an attribute. Names of tests are paths of Rust: nothing in them is escaped.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = tag.split_once(&format!(" {name}=\"")).or_else(|| {
        tag.split_once(&format!("{name}=\""))
            .filter(|(before, _)| before.is_empty())
    })?;
    Some(&rest[..rest.find('"')?])
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = r#"<testsuites><testsuite name="a" tests="2">
        <testcase name="one::is_quick" classname="a" timestamp="2020-01-01T00:00:00Z" time="0.012">
        </testcase>
        <testcase name="two::is_slow" classname="a::b" timestamp="2020-01-01T00:00:00Z" time="12.5">
            <failure type="test failure"/></testcase></testsuite></testsuites>"#;

    #[test]
    fn tests_that_failed_are_timed_as_well() {
        let found = timed(REPORT);
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[1].seconds, found[1].name.as_str()),
            (12.5, "a::b two::is_slow")
        );
    }

    #[test]
    fn the_slowest_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        let report = Report::new(folder.path()).unwrap();
        fs::create_dir_all(report.path.parent().unwrap()).unwrap();
        fs::write(&report.path, REPORT).unwrap();
        let text = report.slowest().unwrap().unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(
            lines[1..],
            ["12.5 s  a::b two::is_slow", "0.0 s  a one::is_quick"]
        );
    }

    #[test]
    fn what_an_earlier_run_left_is_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        let earlier = Report::new(folder.path()).unwrap();
        fs::create_dir_all(earlier.path.parent().unwrap()).unwrap();
        fs::write(&earlier.path, REPORT).unwrap();
        let report = Report::new(folder.path()).unwrap();
        assert_eq!(report.slowest().unwrap(), None);
    }
}
