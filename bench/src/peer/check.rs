//! No false errors: a script that SystemDS compiles has no diagnostic of severity error.
//!
//! Every script is analysed, without values for its arguments, as an editor does. SystemDS then judges those with
//! errors. What it cannot decide without the script's data and arguments has to stand in the list of reviewed findings.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use sumac_analysis::{DiskFiles, Options, Severity, analyze};
use sumac_syntax::parse;

use super::compiler::{Compiler, Refusal};
use super::guess::{GUESSES, Inputs};
use super::reviewed::Reviewed;
use super::scripts;
use super::systemds::SystemDs;
use crate::report::Report;

/// All scripts together, on two cores.
const LIMIT: Duration = Duration::from_secs(60);

/// An error of ours.
struct Finding {
    line: usize,
    code: &'static str,
    message: String,
}

/// What SystemDS makes of a script.
enum Verdict {
    Compiles,
    /// Without the characters that its lexer does not know.
    Skips,
    Refuses(Refusal),
}

/// Compares, and prints what is open.
///
/// # Errors
/// SystemDS cannot be asked.
pub(crate) fn measure(report: &mut Report, checkout: &Path) -> Result<()> {
    report.heading("No error on what SystemDS compiles");
    let files = scripts::below(checkout)?;
    let started = Instant::now();
    let found = scripts::on_two_threads(
        &files,
        || Ok(()),
        |(), file| Ok(catch_unwind(AssertUnwindSafe(|| errors(checkout, file)))),
    )?;
    let seconds = started.elapsed();
    let panics: Vec<&PathBuf> = files
        .iter()
        .zip(&found)
        .filter_map(|(file, result)| result.is_err().then_some(file))
        .collect();
    let suspects: Vec<(PathBuf, Vec<Finding>)> = files
        .iter()
        .cloned()
        .zip(found)
        .filter_map(|(file, result)| Some((file, result.ok()?)))
        .filter(|(_, findings)| !findings.is_empty())
        .collect();
    let verdicts = judge(checkout, &suspects)?;
    let reviewed = Reviewed::load("check");
    let (mut refused, mut false_errors, mut open) = (0, 0, 0);
    for ((file, findings), verdict) in suspects.iter().zip(verdicts) {
        let name = file.to_string_lossy();
        match verdict {
            Verdict::Skips => refused += findings.len(),
            Verdict::Refuses(refusal) if refusal.stage == "parse" => refused += findings.len(),
            Verdict::Refuses(refusal) => {
                let news: Vec<&Finding> = findings
                    .iter()
                    .filter(|f| !refusal.is_about_line(f.line) && !refusal.is_about_code(f.code))
                    .filter(|f| !reviewed.has(&name, f.code))
                    .collect();
                refused += findings.len() - news.len();
                open += news.len();
                for finding in news {
                    println!("open: {name}:{}: {}", finding.line, finding.message);
                    println!(
                        "      SystemDS, {}: {}",
                        refusal.stage,
                        refusal.message.replace('\n', " / ")
                    );
                }
            }
            Verdict::Compiles => {
                false_errors += findings.len();
                for finding in findings {
                    println!("false: {name}:{}: {}", finding.line, finding.message);
                }
            }
        }
    }
    for file in &panics {
        println!("panic: {}", file.display());
    }
    report.bar(
        "scripts checked without a panic",
        &format!("{} of {}", files.len() - panics.len(), files.len()),
        "all",
        panics.is_empty(),
    );
    report.bar(
        "errors on scripts that SystemDS compiles",
        &false_errors.to_string(),
        "0",
        false_errors == 0,
    );
    report.bar(
        "other errors that neither SystemDS's refusal nor the reviewed list explains",
        &format!("{open} of {}", open + refused),
        "0",
        open == 0,
    );
    report.bar(
        "wall time of checking all scripts, read from disk, on two threads",
        &format!("{:.1} s", seconds.as_secs_f64()),
        &format!("< {} s", LIMIT.as_secs()),
        seconds < LIMIT,
    );
    Ok(())
}

fn errors(checkout: &Path, file: &Path) -> Vec<Finding> {
    let path = checkout.join(file);
    // What is no UTF-8 is no script.
    let Ok(text) = std::fs::read_to_string(&path) else {
        return Vec::new();
    };
    let parsed = parse(text.as_str());
    let options = Options {
        base_dir: path.parent().map(Path::to_path_buf),
        ..Options::default()
    };
    let analysis = analyze(&parsed, &options, &DiskFiles);
    analysis
        .diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .map(|d| Finding {
            line: text[..d.range.start].matches('\n').count() + 1,
            code: d.code,
            message: d.message.clone(),
        })
        .collect()
}

fn judge(checkout: &Path, suspects: &[(PathBuf, Vec<Finding>)]) -> Result<Vec<Verdict>> {
    let systemds = SystemDs::open()?;
    let program = systemds.compile("CompileScripts")?;
    let scratch = tempfile::tempdir()?;
    let inputs = Inputs::create(scratch.path())?;
    scripts::on_two_threads(
        suspects,
        || Compiler::start(&program, checkout),
        |compiler, (file, _)| {
            let text = std::fs::read_to_string(checkout.join(file))?;
            let parsed = parse(text.as_str());
            let mut tried: BTreeMap<BTreeMap<String, String>, Refusal> = BTreeMap::new();
            let mut last = None;
            for guess in &GUESSES {
                let arguments = inputs.arguments(parsed.program(), guess);
                if tried.contains_key(&arguments) {
                    continue;
                }
                let answer = compiler.compile(file, &arguments)?;
                if answer.skips {
                    return Ok(Verdict::Skips);
                }
                match answer.plan.and(answer.statements) {
                    Ok(_) => return Ok(Verdict::Compiles),
                    Err(refusal) => {
                        last.get_or_insert(refusal.clone());
                        tried.insert(arguments, refusal);
                    }
                }
            }
            let refusal = last.unwrap_or_else(|| Refusal {
                stage: "none".to_owned(),
                message: String::new(),
            });
            Ok(Verdict::Refuses(refusal))
        },
    )
}
