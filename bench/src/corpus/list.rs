//! How SystemDS's own parser takes each script of one commit: data beside the code, written by
//! `cargo xtask peer tree PATH --record` from what SystemDS says, never from what we say.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use xtask::workspace;

/// The commit of apache/systemds.
pub(crate) const COMMIT: &str = "9dccbc3";

/// How SystemDS takes a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Taken {
    /// Without a complaint.
    Clean,
    /// It passes over these ranges of characters, complains, and reads the rest.
    Skipped(Vec<(usize, usize)>),
    /// Not at all.
    Rejected,
}

/// Every script by its path inside the checkout, with `/`.
pub(crate) type List = BTreeMap<String, Taken>;

/// Reads the committed list.
///
/// # Errors
/// It is not there or not in its form.
pub(crate) fn read() -> Result<List> {
    let file = file();
    let text = std::fs::read_to_string(&file)
        .with_context(|| format!("cannot read {}", file.display()))?;
    parse(&text)
}

/// Writes the list.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn write(list: &List) -> Result<()> {
    let file = file();
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(&file, print(list)).with_context(|| format!("cannot write {}", file.display()))
}

/// The path of a script as the list has it.
///
/// # Errors
/// The script does not lie in the checkout, or its path is no text.
pub(crate) fn relative(checkout: &Path, script: &Path) -> Result<String> {
    let inside = script.strip_prefix(checkout)?;
    let path = inside.to_str().context("a path is no text")?;
    Ok(path.replace('\\', "/"))
}

fn file() -> PathBuf {
    workspace::root().join(format!("bench/corpus/systemds-{COMMIT}.txt"))
}

fn print(list: &List) -> String {
    let mut text = format!(
        "# How SystemDS 3.4.0's own parser takes the scripts of apache/systemds at commit {COMMIT}.\n\
         # Written by `cargo xtask peer tree PATH --record`. Behind `skipped`: ranges of characters.\n"
    );
    for (path, taken) in list {
        // Writing to a string cannot fail.
        let _ = match taken {
            Taken::Clean => writeln!(text, "clean\t{path}"),
            Taken::Rejected => writeln!(text, "rejected\t{path}"),
            Taken::Skipped(ranges) => {
                let ranges: Vec<String> = ranges.iter().map(|(a, b)| format!("{a}-{b}")).collect();
                writeln!(text, "skipped\t{path}\t{}", ranges.join(" "))
            }
        };
    }
    text
}

fn parse(text: &str) -> Result<List> {
    let mut list = List::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let (path, taken) = match fields[..] {
            ["clean", path] => (path, Taken::Clean),
            ["rejected", path] => (path, Taken::Rejected),
            ["skipped", path, ranges] => {
                let range = |text: &str| {
                    let (a, b) = text.split_once('-')?;
                    Some((a.parse().ok()?, b.parse().ok()?))
                };
                let ranges: Option<Vec<_>> = ranges.split(' ').map(range).collect();
                let ranges = ranges.with_context(|| format!("no ranges: {line}"))?;
                (path, Taken::Skipped(ranges))
            }
            _ => bail!("a line of the list is none: {line}"),
        };
        list.insert(path.to_owned(), taken);
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let list = List::from([
            ("a/b.dml".to_owned(), Taken::Clean),
            ("c.dml".to_owned(), Taken::Skipped(vec![(1, 3), (7, 8)])),
            ("d.dml".to_owned(), Taken::Rejected),
        ]);
        assert_eq!(parse(&print(&list)).unwrap(), list);
        assert!(parse("clean").is_err() && parse("skipped\ta\t1").is_err());
    }

    #[test]
    fn the_committed_list_has_the_scripts_of_its_commit() {
        let list = read().unwrap();
        let count =
            |wanted: fn(&Taken) -> bool| list.values().filter(|taken| wanted(taken)).count();
        assert_eq!(count(|taken| *taken == Taken::Clean), 2808);
        assert_eq!(count(|taken| matches!(taken, Taken::Skipped(_))), 50);
        assert_eq!(count(|taken| *taken == Taken::Rejected), 69);
    }
}
