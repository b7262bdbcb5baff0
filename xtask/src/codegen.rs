//! `cargo xtask codegen`: the committed parsers are what their grammars say, and the page of builtins what their table says.
//!
//! With `--check` nothing in the checkout is written: the generator runs on a copy, and the results are compared.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::tools::{Tool, Toolbox};
use crate::{setup, shell, workspace};

/// The command line of `cargo xtask codegen`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Fail if a committed file differs from what would be generated, and write nothing
    #[arg(long)]
    check: bool,
}

/// The page of builtins, from the root of the checkout.
const BUILTINS: &str = "docs/builtins.md";

/// Generates, or checks, the page of builtins and the parsers of all grammars.
pub(crate) fn run(args: &Args) -> Result<()> {
    if !args.check {
        let page = workspace::root().join(BUILTINS);
        fs::write(&page, sumac_builtins::docs::page())?;
        println!("{}: written from the table of builtins", page.display());
    }
    let tools = Toolbox::open()?;
    let wanted = [Tool::Node, Tool::TreeSitter];
    setup::announce(&tools, &wanted);
    if let Some((tool, reason)) = setup::install(&tools, &wanted).first_key_value() {
        bail!("{}: {reason}", tool.title());
    }
    if args.check {
        check(&tools)
    } else {
        generate_in_place(&tools)
    }
}

fn generate_in_place(tools: &Toolbox) -> Result<()> {
    for grammar in workspace::grammars()? {
        generate(tools, &grammar)?;
    }
    Ok(())
}

/// Fails with the first differing line of each generated file that is not up to date.
pub(crate) fn check(tools: &Toolbox) -> Result<()> {
    let mut stale = Vec::new();
    let page = workspace::root().join(BUILTINS);
    let committed = fs::read_to_string(&page).with_context(|| page.display().to_string())?;
    if let Some(difference) = first_difference(&committed, &sumac_builtins::docs::page()) {
        stale.push(format!("{}: {difference}", page.display()));
    }
    println!("{}: compared with the table of builtins", page.display());
    for grammar in workspace::grammars()? {
        let copy = tempfile::tempdir()?;
        copy_folder(&grammar, copy.path())?;
        generate(tools, copy.path())?;
        for file in generated_files(copy.path())? {
            let committed = grammar.join(&file);
            let old = fs::read_to_string(&committed).with_context(|| {
                format!("{} is generated, but not committed", committed.display())
            })?;
            let new = fs::read_to_string(copy.path().join(&file))?;
            if let Some(difference) = first_difference(&old, &new) {
                stale.push(format!("{}: {difference}", committed.display()));
            }
        }
        println!(
            "{}: compared with what its grammar.js generates",
            grammar.display()
        );
    }
    anyhow::ensure!(
        stale.is_empty(),
        "generated files are out of date; run `cargo xtask codegen`\n{}",
        stale.join("\n")
    );
    Ok(())
}

fn generate(tools: &Toolbox, grammar: &Path) -> Result<()> {
    shell::run(
        Command::new(tools.tree_sitter())
            .arg("generate")
            .current_dir(grammar),
    )
}

/// What the generator writes, relative to the grammar's folder.
fn generated_files(grammar: &Path) -> Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = ["src/parser.c", "src/grammar.json", "src/node-types.json"]
        .iter()
        .map(PathBuf::from)
        .collect();
    for header in fs::read_dir(grammar.join("src/tree_sitter"))? {
        files.push(Path::new("src/tree_sitter").join(header?.file_name()));
    }
    files.sort();
    Ok(files)
}

/// Copies a grammar without what tools leave behind in it.
fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            if entry.file_name() == "node_modules" || entry.file_name() == "target" {
                continue;
            }
            fs::create_dir_all(&target)?;
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

fn first_difference(old: &str, new: &str) -> Option<String> {
    if old == new {
        return None;
    }
    let (mut old, mut new) = (old.lines(), new.lines());
    for line in 1.. {
        match (old.next(), new.next()) {
            (Some(a), Some(b)) if a == b => {}
            (None, None) => break,
            (a, b) => {
                let shown = |text: Option<&str>| {
                    text.map_or("end of file".to_owned(), |t| format!("`{}`", t.trim()))
                };
                return Some(format!(
                    "line {line} is {}, generated is {}",
                    shown(a),
                    shown(b)
                ));
            }
        }
    }
    Some("line endings differ".to_owned())
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn equal_files_do_not_differ() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
    }

    #[test]
    fn a_changed_line_is_named() {
        assert_eq!(
            first_difference("a\nb\n", "a\nc\n").unwrap(),
            "line 2 is `b`, generated is `c`"
        );
    }

    #[test]
    fn a_missing_end_and_line_endings_are_told_apart() {
        assert_eq!(
            first_difference("a\nb", "a").unwrap(),
            "line 2 is `b`, generated is end of file"
        );
        assert_eq!(
            first_difference("a\r\n", "a\n").unwrap(),
            "line endings differ"
        );
    }
}
