//! `cargo xtask setup`: installs what the tests need, after saying what that is and where it goes.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::tools::{self, Tool, Toolbox};

/// The command line of `cargo xtask setup`.
#[derive(clap::Args)]
pub struct Args {
    /// Only say what would be installed
    #[arg(long)]
    dry_run: bool,
}

/// Installs all tools.
pub fn run(args: &Args) -> Result<()> {
    let tools = Toolbox::open()?;
    announce(&tools, &tools::ALL);
    if args.dry_run {
        return Ok(());
    }
    let failures = install(&tools, &tools::ALL);
    if failures.is_empty() {
        return Ok(());
    }
    for (tool, reason) in &failures {
        eprintln!("{}: {reason}", tool.title());
    }
    bail!("{} of the tools could not be installed", failures.len());
}

/// Says which of the wanted tools are there and what will be done about the others.
pub fn announce(tools: &Toolbox, wanted: &[Tool]) {
    println!(
        "test tools in {} (set SUMAC_TOOLS to have them elsewhere):",
        tools.dir.display()
    );
    for tool in wanted {
        if tool.ready(tools) {
            println!("  {:<44} there", tool.title());
        } else {
            println!("  {:<44} {}", tool.title(), tool.plan(tools));
        }
    }
}

/// Installs the wanted tools that are not there. One failure does not stop the others; each is returned with its reason.
pub fn install(tools: &Toolbox, wanted: &[Tool]) -> BTreeMap<Tool, String> {
    let mut failures = BTreeMap::new();
    for tool in tools::ALL
        .iter()
        .copied()
        .filter(|tool| wanted.contains(tool))
    {
        if tool.ready(tools) {
            continue;
        }
        let started = Instant::now();
        println!("installing {}", tool.title());
        match tool.install(tools) {
            Ok(()) => println!(
                "installed {} in {:.1} s",
                tool.title(),
                started.elapsed().as_secs_f64()
            ),
            Err(error) => {
                println!("could not install {}: {error:#}", tool.title());
                failures.insert(tool, format!("{error:#}"));
            }
        }
    }
    failures
}
