//! How SystemDS reads scripts, as `java/DumpTrees.java` prints it.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::peer::systemds::SystemDs;
use xtask::shell;

/// What SystemDS's parser says about a script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// It has a tree.
    Accepted,
    /// It has none.
    Rejected,
}

/// One script as SystemDS reads it.
pub(crate) struct Reading {
    pub(crate) path: PathBuf,
    pub(crate) verdict: Verdict,
    /// Ranges of characters (not bytes) that the lexer leaves out.
    pub(crate) skipped: Vec<(usize, usize)>,
    /// Line, counted from 1, and tree of every statement at the top; none in a rejected script.
    pub(crate) statements: Vec<(usize, String)>,
}

/// Has SystemDS read the scripts, in their order.
///
/// # Errors
/// The program cannot be compiled or run, or prints what it should not.
pub(crate) fn read(systemds: &SystemDs, scripts: &[PathBuf]) -> Result<Vec<Reading>> {
    let mut list = tempfile::NamedTempFile::new()?;
    for script in scripts {
        writeln!(list, "{}", script.display())?;
    }
    list.flush()?;
    let program = systemds.compile("DumpTrees")?;
    let printed = shell::read(program.command().arg(list.path()))?;
    let readings = parse(&printed)?;
    anyhow::ensure!(
        readings.len() == scripts.len(),
        "SystemDS read {} of {} scripts",
        readings.len(),
        scripts.len()
    );
    Ok(readings)
}

fn parse(printed: &str) -> Result<Vec<Reading>> {
    let mut readings: Vec<Reading> = Vec::new();
    for line in printed.lines() {
        let wrong = || format!("unexpected line of DumpTrees: {line}");
        let mut fields = line.split('\t');
        let kind = fields.next().unwrap_or_default();
        let first = fields.next().with_context(wrong)?;
        if kind == "file" {
            readings.push(Reading {
                path: first.into(),
                verdict: Verdict::Accepted,
                skipped: Vec::new(),
                statements: Vec::new(),
            });
            continue;
        }
        let reading = readings.last_mut().with_context(wrong)?;
        let number: usize = first.parse().with_context(wrong)?;
        let second = fields.next().with_context(wrong)?;
        match kind {
            "skipped" => reading
                .skipped
                .push((number, second.parse().with_context(wrong)?)),
            "rejected" => reading.verdict = Verdict::Rejected,
            "statement" => reading.statements.push((number, second.to_owned())),
            _ => anyhow::bail!(wrong()),
        }
    }
    Ok(readings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_belong_to_the_file_before_them() {
        let readings =
            parse("file\ta\nskipped\t3\t5\nstatement\t2\t(= x 1)\nfile\tb\nrejected\t1\t2\tno\n");
        let readings = readings.unwrap();
        assert_eq!(readings[0].skipped, [(3, 5)]);
        assert_eq!(readings[0].statements, [(2, "(= x 1)".to_owned())]);
        assert_eq!(readings[1].verdict, Verdict::Rejected);
        assert!(parse("statement\t1\tx").is_err() && parse("file\ta\nother\t1\t2").is_err());
    }
}
