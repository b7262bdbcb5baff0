//! `cargo xtask tidy`: conventions that no compiler and no linter knows.
//!
//! Reads the files that git knows or would take up; writes nothing.

pub mod circles;
mod dependencies;
mod imports;
pub mod mentions;

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::{shell, workspace};

/// The command line of `cargo xtask tidy`.
#[derive(clap::Args, Default)]
pub struct Args {
    /// List the largest circle of imports of each crate instead, with what ties it
    #[arg(long)]
    circles: bool,
}

/// Lines of code that a file may have before its tests.
const MAX_CODE_LINES: usize = 500;

/// Host names of package registries: a checkout must not depend on which mirror someone uses.
const REGISTRIES: [&str; 5] = [
    concat!("crates", ".io"),
    concat!("npmjs", ".org"),
    concat!("npmjs", ".com"),
    concat!("pypi", ".org"),
    concat!("python", "hosted.org"),
];

/// Macros that mark unfinished work.
const LEFTOVERS: [&str; 3] = [
    concat!("todo", "!("),
    concat!("dbg", "!("),
    concat!("unimplemented", "!("),
];

/// A check looks at one file and answers with what is wrong and in which line.
type Check = fn(&File<'_>) -> Option<(usize, String)>;

const CHECKS: [Check; 4] = [module_comment, registry_host, leftover, too_long];

struct File<'a> {
    path: &'a str,
    text: &'a str,
}

impl File<'_> {
    fn has_extension(&self, extensions: &[&str]) -> bool {
        Path::new(self.path)
            .extension()
            .is_some_and(|found| extensions.iter().any(|wanted| found == *wanted))
    }
}

/// Checks every file; fails with the list of all findings.
pub fn run(args: &Args) -> Result<()> {
    if args.circles {
        for circle in circles::largest()? {
            println!("{}", circle.shown());
        }
        return Ok(());
    }
    let Findings { files, mut all, .. } = findings()?;
    let circles = circles::largest()?.into_iter();
    let circles = circles.filter(|circle| circle.files.len() > circles::MOST_FILES);
    all.extend(circles.map(|circle| {
        format!(
            "{}, and at most {} may import each other",
            circle.shown(),
            circles::MOST_FILES
        )
    }));
    all.extend(dependencies::unused()?);
    if all.is_empty() {
        println!("{files} files are tidy");
        return Ok(());
    }
    for finding in &all {
        println!("{finding}");
    }
    bail!("{} findings in {files} files", all.len());
}

/// What is wrong with single files.
pub struct Findings {
    /// How many were looked at.
    pub files: usize,
    /// All findings, with file and line.
    pub all: Vec<String>,
    /// How many files are too long.
    pub long: usize,
    /// How many mentions in documents are of what is not there.
    pub missing: usize,
}

/// Checks every file by itself.
///
/// # Errors
/// Git does not answer.
pub fn findings() -> Result<Findings> {
    let root = workspace::root();
    let listed = shell::read(
        Command::new("git")
            .args([
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ])
            .current_dir(&root),
    )?;
    let mut found = Findings {
        files: 0,
        all: Vec::new(),
        long: 0,
        missing: 0,
    };
    let paths = || listed.split('\0').filter(|path| !path.is_empty());
    let tree = mentions::Tree::of(paths());
    for path in paths() {
        // Not there any more, or not text: nothing to say about it.
        let Ok(text) = std::fs::read_to_string(root.join(path)) else {
            continue;
        };
        found.files += 1;
        let file = File { path, text: &text };
        for check in CHECKS {
            if let Some((line, message)) = check(&file) {
                found.all.push(format!("{path}:{line}: {message}"));
            }
        }
        found.long += usize::from(too_long(&file).is_some());
        let missing = tree.missing(path, &text);
        found.missing += missing.len();
        let missing = missing.into_iter();
        let missing = missing.map(|(line, message)| format!("{path}:{line}: {message}"));
        found.all.extend(missing);
    }
    Ok(found)
}

fn module_comment(file: &File<'_>) -> Option<(usize, String)> {
    if !file.has_extension(&["rs"]) {
        return None;
    }
    let first = file
        .text
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    (!first.starts_with("//!"))
        .then(|| (1, "a module begins with a `//!` comment that says what it is for and what it must never do".to_owned()))
}

fn registry_host(file: &File<'_>) -> Option<(usize, String)> {
    // Cargo writes the name of its index into every entry of its lock file.
    if file.path.ends_with("Cargo.lock") {
        return None;
    }
    find(file.text.lines(), &REGISTRIES)
        .map(|(line, host)| (line, format!("names the package registry {host}")))
}

fn leftover(file: &File<'_>) -> Option<(usize, String)> {
    if !file.has_extension(&["rs"]) {
        return None;
    }
    let code = file.text.lines().map(|line| {
        if line.trim_start().starts_with("//") {
            ""
        } else {
            line
        }
    });
    find(code, &LEFTOVERS).map(|(line, found)| (line, format!("unfinished: {found}…)")))
}

fn too_long(file: &File<'_>) -> Option<(usize, String)> {
    let generated =
        file.path.contains("/src/tree_sitter/") || file.text.starts_with("// Generated");
    if generated || !file.has_extension(&["rs", "ts", "mjs", "js", "lua", "py"]) {
        return None;
    }
    let lines = code_lines(file.text);
    (lines > MAX_CODE_LINES)
        .then(|| (1, format!("{lines} lines of code before its tests, at most {MAX_CODE_LINES}: split it by concept")))
}

/// Lines that are neither blank nor only a comment, up to the tests at the end of a Rust file.
fn code_lines(text: &str) -> usize {
    text.lines()
        .take_while(|line| *line != "#[cfg(test)]")
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with("--"))
        .count()
}

fn find<'a>(
    lines: impl Iterator<Item = &'a str>,
    wanted: &[&'static str],
) -> Option<(usize, &'static str)> {
    lines.zip(1..).find_map(|(text, line)| {
        wanted
            .iter()
            .find(|word| text.contains(**word))
            .map(|word| (line, *word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> Vec<(usize, String)> {
        CHECKS
            .iter()
            .filter_map(|check| check(&File { path, text }))
            .collect()
    }

    #[test]
    fn a_rust_module_without_its_comment_is_found() {
        assert_eq!(findings("a.rs", "\n//! Says.\nfn f() {}\n"), []);
        assert_eq!(findings("a.rs", "fn f() {}\n")[0].0, 1);
        assert_eq!(findings("a.lua", "local a = 1\n"), []);
    }

    #[test]
    fn a_registry_is_found_everywhere_but_in_cargos_lock_file() {
        let text = format!("a\nfrom {}\n", REGISTRIES[1]);
        assert_eq!(
            findings("package-lock.json", &text),
            [(2, format!("names the package registry {}", REGISTRIES[1]))]
        );
        assert_eq!(findings("Cargo.lock", &text), []);
    }

    #[test]
    fn a_leftover_is_found_unless_it_is_commented() {
        let text = format!("//! M.\n// {0}) is fine\nfn f() {{ {0}) }}\n", LEFTOVERS[0]);
        assert_eq!(findings("a.rs", &text)[0].0, 3);
    }

    #[test]
    fn only_code_before_the_tests_counts() {
        let body = "let a = 1;\n".repeat(MAX_CODE_LINES);
        let rest = "// comment\n\n".repeat(9);
        let tests = format!("#[cfg(test)]\n{}", "let a = 1;\n".repeat(9));
        assert_eq!(
            findings("a.rs", &format!("//! M.\n{body}{rest}{tests}")),
            []
        );
        assert_eq!(
            findings("a.rs", &format!("//! M.\n{body}let b = 2;\n{tests}")).len(),
            1
        );
    }
}
