//! Each kind of attack that once succeeded, with the tests that show it mended: `attacks.tsv`. The bar runs precisely these tests
//! of this checkout, not the program under measurement; a test that is not there any more is a miss, and so is one that fails.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use cargo_metadata::{Message, MetadataCommand};

use super::{Options, Program};
use crate::report::Report;
use xtask::workspace;

/// The table.
const TABLE: &str = include_str!("attacks.tsv");

/// Tests that are built together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Target<'a> {
    package: &'a str,
    /// `lib`, `bin`, or the name of an integration test.
    name: &'a str,
}

/// A line of the table.
#[derive(Clone, Copy, Debug)]
struct Row<'a> {
    kind: &'a str,
    target: Target<'a>,
    test: &'a str,
}

pub(super) fn measure(report: &mut Report, _: &Program, _: &Options) -> Result<()> {
    let rows = rows(TABLE)?;
    let built = built()?;
    let mut failed: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (target, tests) in by_target(&rows) {
        let said = run(&built, target, &tests)?;
        for test in tests {
            if let Some(why) = missed(&said, test) {
                let of_kind = rows
                    .iter()
                    .filter(|row| row.target == target && row.test == test);
                for row in of_kind {
                    let told = format!("{} {}: {test} {why}", target.package, target.name);
                    failed.entry(row.kind).or_default().push(told);
                }
            }
        }
    }
    let kinds: BTreeSet<&str> = rows.iter().map(|row| row.kind).collect();
    report.bar(
        "kinds of attack whose tests pass",
        &format!(
            "{} of {}, by {} tests",
            kinds.len() - failed.len(),
            kinds.len(),
            rows.len()
        ),
        "all",
        failed.is_empty(),
    );
    for (kind, why) in failed {
        report.note(&format!("{kind}: {}", why.join("; ")));
    }
    Ok(())
}

/// # Errors
/// A line has not its four fields, or stands twice.
fn rows(table: &str) -> Result<Vec<Row<'_>>> {
    let lines = (1..).zip(table.lines());
    let rows: Vec<Row<'_>> = lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(number, line)| {
            let fields: Vec<&str> = line.split('\t').collect();
            let &[kind, package, name, test] = fields.as_slice() else {
                anyhow::bail!("line {number}: expected 4 fields, found {}", fields.len());
            };
            Ok(Row {
                kind,
                target: Target { package, name },
                test,
            })
        })
        .collect::<Result<_>>()?;
    let mut seen = BTreeSet::new();
    for row in &rows {
        ensure!(
            seen.insert((row.kind, row.target, row.test)),
            "{}: {} stands twice",
            row.kind,
            row.test
        );
    }
    Ok(rows)
}

fn by_target<'a>(rows: &[Row<'a>]) -> BTreeMap<Target<'a>, BTreeSet<&'a str>> {
    let mut all: BTreeMap<Target<'a>, BTreeSet<&'a str>> = BTreeMap::new();
    for row in rows {
        all.entry(row.target).or_default().insert(row.test);
    }
    all
}

/// A test program of the workspace.
struct Built {
    package: String,
    /// That of its package.
    folder: PathBuf,
    target: cargo_metadata::Target,
    program: PathBuf,
}

impl Built {
    fn is(&self, target: Target<'_>) -> bool {
        self.package == target.package
            && match target.name {
                "lib" => self.target.is_lib(),
                "bin" => self.target.is_bin(),
                name => self.target.is_test() && self.target.name == name,
            }
    }
}

/// All of them, built at once as the test command builds them.
fn built() -> Result<Vec<Built>> {
    let metadata = MetadataCommand::new()
        .manifest_path(workspace::root().join("Cargo.toml"))
        .no_deps()
        .exec()?;
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace::root()).args([
        "test",
        "--workspace",
        "--no-run",
        "--message-format=json",
    ]);
    let output = command.output().context("cargo cannot be started")?;
    ensure!(
        output.status.success(),
        "the tests cannot be built:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut all = Vec::new();
    for message in Message::parse_stream(&*output.stdout) {
        let Message::CompilerArtifact(artifact) = message? else {
            continue;
        };
        let package = metadata
            .packages
            .iter()
            .find(|package| package.id == artifact.package_id);
        if let (Some(package), Some(program), true) =
            (package, artifact.executable, artifact.profile.test)
        {
            all.push(Built {
                package: package.name.to_string(),
                folder: package.manifest_path.with_file_name("").into(),
                target: artifact.target,
                program: program.into(),
            });
        }
    }
    Ok(all)
}

/// Runs these tests and no others; what the test program said.
fn run(built: &[Built], target: Target<'_>, tests: &BTreeSet<&str>) -> Result<String> {
    let built = built
        .iter()
        .find(|built| built.is(target))
        .with_context(|| format!("{} has no tests {}", target.package, target.name))?;
    let output = Command::new(&built.program)
        .current_dir(&built.folder)
        .env("CARGO_MANIFEST_DIR", &built.folder)
        .arg("--exact")
        .args(tests)
        .output()
        .with_context(|| format!("{} cannot be started", built.program.display()))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Why a test does not show anything; `None` where it passed.
fn missed(said: &str, test: &str) -> Option<&'static str> {
    // A test that must panic says so behind its name; what a child process prints may stand before the verdict.
    let begins = [
        format!("test {test} ..."),
        format!("test {test} - should panic ..."),
    ];
    let from = begins.iter().find_map(|begin| said.split_once(&**begin));
    let Some((_, rest)) = from else {
        return Some("is not there");
    };
    let rest = rest.split("\ntest ").next().unwrap_or_default();
    let is_verdict = |word: &str| rest.split_whitespace().any(|part| part == word);
    match (
        is_verdict("ok"),
        is_verdict("FAILED"),
        is_verdict("ignored,") || is_verdict("ignored"),
    ) {
        (true, false, false) => None,
        (_, _, true) => Some("is ignored"),
        _ => Some("fails"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_test_that_is_there_and_passes_shows_anything() {
        let said = "running 4 tests\ntest a::good ... ok\ntest a::bad ... FAILED\ntest a::left ... ignored\n\
                    test a::falls - should panic ... ok\n\ntest result: FAILED. 2 passed\n";
        assert_eq!(missed(said, "a::good"), None);
        assert_eq!(missed(said, "a::falls"), None);
        assert_eq!(missed(said, "a::bad"), Some("fails"));
        assert_eq!(missed(said, "a::left"), Some("is ignored"));
        assert_eq!(missed(said, "a::gone"), Some("is not there"));
        assert_eq!(missed(said, "good"), Some("is not there"));
    }

    #[test]
    fn a_line_without_its_fields_and_a_line_twice_are_refused() {
        assert!(rows("kind\tpackage\tlib\ttest\n# a\n\n").is_ok_and(|rows| rows.len() == 1));
        assert!(rows("kind\tpackage\ttest\n").is_err());
        assert!(rows("kind\tpackage\tlib\ttest\nkind\tpackage\tlib\ttest\n").is_err());
    }

    /// What the bar would find when it has built everything, found at once: a test that was renamed.
    #[test]
    fn every_test_of_the_table_stands_in_its_package() {
        for row in rows(TABLE).unwrap() {
            let folder = match row.target.package {
                "xtask" => workspace::root().join("xtask"),
                package => workspace::root()
                    .join("server")
                    .join(package.trim_start_matches("sumac-")),
            };
            let below = match row.target.name {
                "lib" | "bin" => folder.join("src"),
                _ => folder.join("tests"),
            };
            let name = row.test.rsplit("::").next().unwrap();
            assert!(
                has_function(&below, name),
                "{}: {}",
                row.target.package,
                row.test
            );
        }
    }

    fn has_function(folder: &std::path::Path, name: &str) -> bool {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).any(|path| {
            if path.is_dir() {
                return has_function(&path, name);
            }
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            text.contains(&format!("fn {name}("))
        })
    }
}
