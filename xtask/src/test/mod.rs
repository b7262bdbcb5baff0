//! `cargo xtask test`: the one test command. Installs what is missing, then runs every section and sums up.
//!
//! A section that fails never hides another one: all of them run, and the exit code tells whether all passed.

mod sections;
mod slowest;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::ValueEnum;

use crate::setup;
use crate::tools::{Tool, Toolbox};
use crate::workspace;

/// The command line of `cargo xtask test`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only the sections of this part; may be given several times
    #[arg(long, value_name = "PART")]
    only: Vec<Part>,
}

/// A part of the repository whose sections can be run alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Conventions over all files
    Tidy,
    /// Licences, sources and known faults of all packages
    Supply,
    /// Format, lints, unit and integration tests, doc tests
    Rust,
    /// The generated parsers and their corpus
    Grammar,
    /// The VS Code extension, alone and in the real workbench
    Vscode,
    /// The Neovim plugin in the real Neovim
    Neovim,
}

/// One heading of the report.
struct Section {
    part: Part,
    name: &'static str,
    needs: &'static [Tool],
    run: fn(&Bench) -> Result<()>,
}

/// What the sections share.
struct Bench {
    tools: Toolbox,
    root: PathBuf,
    server: OnceCell<PathBuf>,
    node_modules: OnceCell<()>,
}

/// What became of a section.
enum Outcome {
    Passed,
    Failed(String),
}

/// Runs the chosen sections; an error if one of them failed.
pub(crate) fn run(args: &Args) -> Result<()> {
    let chosen: Vec<&Section> = sections::ALL
        .iter()
        .filter(|section| args.only.is_empty() || args.only.contains(&section.part))
        .collect();
    let mut wanted: Vec<Tool> = chosen
        .iter()
        .flat_map(|section| section.needs)
        .copied()
        .collect();
    wanted.sort();
    wanted.dedup();

    let started = Instant::now();
    let bench = Bench {
        tools: Toolbox::open()?,
        root: workspace::root(),
        server: OnceCell::new(),
        node_modules: OnceCell::new(),
    };
    setup::announce(&bench.tools, &wanted);
    let missing = setup::install(&bench.tools, &wanted);

    let results: Vec<(&Section, Outcome, Duration)> = chosen
        .into_iter()
        .map(|section| {
            println!("\n━━ {} ━━", section.name);
            let clock = Instant::now();
            let outcome = attempt(section, &bench, &missing);
            if let Outcome::Failed(reason) = &outcome {
                println!("FAILED: {reason}");
            }
            (section, outcome, clock.elapsed())
        })
        .collect();
    summarize(&results, started.elapsed())
}

fn attempt(section: &Section, bench: &Bench, missing: &BTreeMap<Tool, String>) -> Outcome {
    let lacking: Vec<String> = section
        .needs
        .iter()
        .filter_map(|tool| Some(format!("needs {}: {}", tool.title(), missing.get(tool)?)))
        .collect();
    if !lacking.is_empty() {
        return Outcome::Failed(lacking.join("; "));
    }
    match (section.run)(bench) {
        Ok(()) => Outcome::Passed,
        Err(error) => Outcome::Failed(format!("{error:#}")),
    }
}

fn summarize(results: &[(&Section, Outcome, Duration)], total: Duration) -> Result<()> {
    println!("\n━━ Summary ({:.0} s) ━━", total.as_secs_f64());
    let mut failed = 0;
    for (section, outcome, time) in results {
        let seconds = time.as_secs_f64();
        match outcome {
            Outcome::Passed => println!("  ok      {seconds:>7.1} s  {}", section.name),
            Outcome::Failed(reason) => {
                failed += 1;
                let first = reason.lines().next().unwrap_or_default();
                println!("  FAILED  {seconds:>7.1} s  {}: {first}", section.name);
            }
        }
    }
    println!("{} passed, {failed} failed", results.len() - failed);
    if failed > 0 {
        bail!("{failed} of {} sections failed", results.len());
    }
    Ok(())
}

impl Bench {
    /// The language server that the editors start: `$SUMAC_SERVER`, or the one built from this checkout.
    fn server(&self) -> Result<&Path> {
        if self.server.get().is_none() {
            let built = match std::env::var_os("SUMAC_SERVER") {
                Some(path) => std::path::absolute(path)?,
                None => sections::build_server(&self.root)?,
            };
            let _ = self.server.set(built);
        }
        Ok(self.server.get().expect("set just above"))
    }

    /// Installs the extension's Node packages, once a run.
    fn node_modules(&self) -> Result<()> {
        if self.node_modules.get().is_none() {
            sections::npm_ci()?;
            let _ = self.node_modules.set(());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(run: fn(&Bench) -> Result<()>, needs: &'static [Tool]) -> Section {
        Section {
            part: Part::Rust,
            name: "s",
            needs,
            run,
        }
    }

    fn bench() -> Bench {
        let tools = Toolbox {
            dir: std::env::temp_dir(),
        };
        Bench {
            tools,
            root: workspace::root(),
            server: OnceCell::new(),
            node_modules: OnceCell::new(),
        }
    }

    #[test]
    fn a_missing_tool_fails_the_section_without_running_it() {
        let missing = BTreeMap::from([(Tool::Neovim, "no network".to_owned())]);
        let needy = section(|_| panic!("must not run"), &[Tool::Neovim]);
        let Outcome::Failed(reason) = attempt(&needy, &bench(), &missing) else {
            panic!("passed without its tool")
        };
        assert!(
            reason.contains("Neovim") && reason.contains("no network"),
            "{reason}"
        );
    }

    #[test]
    fn a_tool_that_only_others_need_does_not_matter() {
        let missing = BTreeMap::from([(Tool::Neovim, "no network".to_owned())]);
        let free = section(|_| Ok(()), &[Tool::Node]);
        assert!(matches!(
            attempt(&free, &bench(), &missing),
            Outcome::Passed
        ));
    }

    #[test]
    fn one_failure_among_several_is_the_verdict() {
        let (a, b) = (section(|_| Ok(()), &[]), section(|_| bail!("broken"), &[]));
        let bench = bench();
        let results = [&a, &b].map(|s| (s, attempt(s, &bench, &BTreeMap::new()), Duration::ZERO));
        let error = summarize(&results, Duration::ZERO).unwrap_err().to_string();
        assert_eq!(error, "1 of 2 sections failed");
        assert!(summarize(&results[..1], Duration::ZERO).is_ok());
    }
}
