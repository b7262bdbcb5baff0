//! What SystemDS refuses before a run, and what we do: thousands of small scripts, each compiled by SystemDS and analysed by us.
//!
//! The scripts are made here and their verdicts never written down. A bar is on errors of ours where SystemDS compiles and runs a
//! script; what SystemDS refuses and we let pass is counted, and listed where asked for.

mod cases;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use sumac_analysis::{NoFiles, Options, Severity, analyze};
use sumac_syntax::parse;

use self::cases::Case;
use super::compiler::Compiler;
use super::conversation::Conversation;
use super::systemds::SystemDs;
use crate::report::Report;

/// The command line of `cargo xtask peer refusals`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also list what SystemDS refuses and we let pass, an example for each of its reasons
    #[arg(long)]
    all: bool,
}

/// How often each side refuses the scripts of a family.
#[derive(Default)]
struct Count {
    scripts: usize,
    refused: usize,
    found: usize,
    /// Refused by us, and not by SystemDS's compiler, but by its run.
    early: usize,
    wrong: usize,
}

/// Compares.
///
/// # Errors
/// SystemDS cannot be asked.
pub(crate) fn measure(report: &mut Report, args: &Args) -> Result<()> {
    report.heading("Small scripts that SystemDS refuses before they run, and those that it runs");
    let folder = tempfile::tempdir()?;
    let systemds = SystemDs::open()?;
    let compiling = systemds.compile("CompileScripts")?;
    let mut compiler = Compiler::start(&compiling, folder.path())?;
    let running = systemds.compile("RunScripts")?;
    let mut runner = Conversation::start(&running, folder.path())?;
    let none = BTreeMap::new();
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    let mut let_pass: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for case in cases::all() {
        let count = counts.entry(case.family).or_default();
        let file = folder.path().join("script.dml");
        std::fs::write(&file, &case.text)?;
        let ours = first_error(&case);
        let theirs = compiler.compile(Path::new("script.dml"), &none)?.plan.err();
        count.scripts += 1;
        match (ours, theirs) {
            (ours, Some(refusal)) => {
                count.refused += 1;
                count.found += usize::from(ours.is_some());
                if ours.is_none() {
                    let reason = refusal.message.rsplit(" -- ").next().unwrap_or_default();
                    let entry = let_pass.entry(reason.chars().take(60).collect());
                    let entry = entry.or_insert_with(|| (0, case.text.clone()));
                    entry.0 += 1;
                }
            }
            (Some(message), None) => {
                let answer = runner.ask(Path::new("script.dml"), &none)?;
                if answer["error"].is_null() {
                    count.wrong += 1;
                    report.note(&format!("wrong: {message}\n{}", case.text));
                } else {
                    count.early += 1;
                }
            }
            (None, None) => {}
        }
    }
    for (family, count) in &counts {
        report.bar(
            family,
            &format!(
                "{} scripts, {} refused by SystemDS of which {} by us, {} more that fail when they run, {} wrongly",
                count.scripts, count.refused, count.found, count.early, count.wrong
            ),
            "0 wrongly",
            count.wrong == 0,
        );
    }
    if args.all {
        for (reason, (times, text)) in let_pass {
            report.note(&format!("let pass {times} times: {reason}\n{text}"));
        }
    }
    Ok(())
}

fn first_error(case: &Case) -> Option<String> {
    let parsed = parse(case.text.as_str());
    let analysis = analyze(&parsed, &Options::default(), &NoFiles);
    let mut found = analysis.diagnostics.iter();
    let error = found.find(|found| found.severity == Severity::Error)?;
    Some(format!("{}: {}", error.code, error.message))
}
