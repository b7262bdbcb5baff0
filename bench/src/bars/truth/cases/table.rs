//! What is right for each case, as rows: read from the table beside this file. Runs nothing.

use anyhow::{Context, Result, bail};

/// What is right for each file of the folder of cases; its head says how a row is written.
pub(super) const TABLE: &str = include_str!("table.tsv");

/// A row.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    /// Below the folder of cases.
    pub(super) file: String,
    pub(super) action: Action,
    pub(super) with: With,
    pub(super) right: Right,
}

/// What is done with the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    Run,
    Apply,
    Optimize,
    Check,
    Bound,
}

/// What the commands are given.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct With {
    /// For `optimize`.
    pub(super) options: Vec<String>,
    /// For `run`, each `k=v`.
    pub(super) arguments: Vec<String>,
    /// Data files made for `optimize` and for `run`: name, rows, columns.
    pub(super) data: [Vec<(String, usize, usize)>; 2],
    /// The file that runs, where it is another one.
    pub(super) runs: Option<String>,
    /// Data is made for what the script's facts say.
    pub(super) by_facts: bool,
    /// The scripts of an installed SystemDS are at hand.
    pub(super) with_root: bool,
}

/// What is right.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Right {
    Prints(String),
    ErrorAt(Vec<usize>),
    NoError,
    /// Both runs print the same within this.
    Same(f64),
    Offers,
    Without(String),
    With(String),
    Within {
        seconds: u64,
        megabytes: u64,
    },
    NoneSlower,
}

/// All rows of a table.
///
/// # Errors
/// A row is none.
pub(super) fn rows(table: &str) -> Result<Vec<Row>> {
    table
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| row(line).with_context(|| format!("`{line}` is no row")))
        .collect()
}

fn row(line: &str) -> Result<Row> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [file, action, with, right] = fields[..] else {
        bail!("it has not four fields");
    };
    let action = match action {
        "run" => Action::Run,
        "apply" => Action::Apply,
        "optimize" => Action::Optimize,
        "check" => Action::Check,
        "bound" => Action::Bound,
        other => bail!("`{other}` is nothing to do"),
    };
    Ok(Row {
        file: file.to_owned(),
        action,
        with: read_with(with)?,
        right: read_right(right)?,
    })
}

fn read_with(text: &str) -> Result<With> {
    let mut with = With::default();
    let (first, second) = text.split_once(';').unwrap_or((text, ""));
    for (at, part) in [first, second].into_iter().enumerate() {
        for word in part.split_whitespace() {
            if word == "facts" {
                with.by_facts = true;
            } else if word == "root" {
                with.with_root = true;
            } else if let Some(file) = word.strip_prefix('@') {
                with.runs = Some(file.to_owned());
            } else if let Some((name, size)) = word.split_once('~') {
                let (rows, cols) = size.split_once('x').context("a size is ROWSxCOLS")?;
                with.data[at].push((name.to_owned(), rows.parse()?, cols.parse()?));
            } else if at == 0 {
                with.options.push(word.to_owned());
            } else {
                with.arguments.push(word.to_owned());
            }
        }
    }
    Ok(with)
}

fn read_right(text: &str) -> Result<Right> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    Ok(match word {
        "prints" => Right::Prints(rest.split('|').map(|line| format!("{line}\n")).collect()),
        "error" => {
            let lines = rest.strip_prefix("at ").context("where?")?;
            let lines = lines.split_whitespace().map(str::parse);
            Right::ErrorAt(lines.collect::<Result<_, _>>()?)
        }
        "no" => Right::NoError,
        "none" => Right::NoneSlower,
        "same" => Right::Same(match rest.strip_prefix("within ") {
            Some(bound) => bound.parse()?,
            None => super::super::prints::ROUNDING,
        }),
        "offers" => Right::Offers,
        "without" => Right::Without(rest.to_owned()),
        "with" => Right::With(rest.to_owned()),
        "within" => {
            let (seconds, megabytes) = rest.split_once(' ').context("SECONDS MEGABYTES")?;
            Right::Within {
                seconds: seconds.parse()?,
                megabytes: megabytes.parse()?,
            }
        }
        other => bail!("`{other}` is nothing that can be right"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_reads() {
        let rows = rows(TABLE).unwrap();
        assert!(rows.len() > 60);
        let is_folder = |row: &Row| row.file.contains('/');
        assert!(rows.iter().all(is_folder));
    }

    #[test]
    fn every_row_of_our_own_reads_and_names_a_script() {
        let folder = xtask::workspace::root().join("fixtures/truth");
        let text = std::fs::read_to_string(folder.join("table.tsv")).unwrap();
        for row in rows(&text).unwrap() {
            assert!(folder.join(&row.file).is_file(), "{}", row.file);
        }
    }

    #[test]
    fn the_parts_of_a_row_are_told_apart() {
        let row = row("field/a.dml\tapply\t--set k=1 X~9x3 ; X~5x2 c=2 @b.dml\tsame within 1e-6")
            .unwrap();
        assert_eq!(row.with.options, ["--set", "k=1"]);
        assert_eq!(row.with.arguments, ["c=2"]);
        assert_eq!(row.with.data[0], [("X".to_owned(), 9, 3)]);
        assert_eq!(row.with.data[1], [("X".to_owned(), 5, 2)]);
        assert_eq!(row.with.runs.as_deref(), Some("b.dml"));
        assert_eq!(row.right, Right::Same(1e-6));
        assert!(super::row("a\trun\t\tperhaps").is_err());
    }
}
