//! `sumac run`: runs a script in a worker process.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use sumac_engine::{EngineError, Event, Job, Outcome, RunScript, Writable, closed_folder};
use sumac_ide::{CancelToken, quantity};
use sumac_runtime::fused::Planning;

use super::args::Run;
use super::engine::{engine, limits};
use super::exit::{Exit, Usage};
use super::input::read_script;
use super::output::Output;
use super::said::Said;
use crate::machine;
use crate::outputs;
use crate::script::Context;

/// Seed of `rand` calls that give none: a script gives the same result each time.
const SEED: u64 = 1;

/// Bytes of what a run prints that are kept for a report at most.
const MOST_PRINTED: usize = 64 << 20;

#[derive(Serialize)]
struct Report {
    output: Vec<String>,
    stats: Vec<StatRow>,
}

#[derive(Serialize)]
struct StatRow {
    operator: String,
    count: u64,
    seconds: f64,
}

/// Runs the script; what it prints goes to the standard output.
///
/// # Errors
/// The script's `sumac.toml` is wrong.
pub(super) fn run(args: &Run, said: &Said, output: &Output) -> Result<Exit, Usage> {
    let Context { config, stated } = said.context(&args.file)?;
    let planning = Planning {
        policy: args.fusion.into(),
        machine: machine::used(None, &config.search)?.machine,
        ..Planning::default()
    };
    // What the person typed may open folders; what a file of the workspace says never does.
    let positional = args.positional.iter().enumerate();
    let mut typed: BTreeMap<String, String> = positional
        .map(|(index, value)| ((index + 1).to_string(), value.clone()))
        .collect();
    typed.extend(stated.args);
    let mut values: BTreeMap<String, String> = stated.configured.args;
    values.extend(typed.clone());
    let text = match read_script(&args.file) {
        Ok(text) => text,
        Err(refused) => {
            output.error(&refused);
            return Ok(Exit::Found);
        }
    };
    // As SystemDS does, relative paths start where the command was typed, not where the script lies.
    let base = std::env::current_dir().unwrap_or_default();
    let allowed = allowed(&args.allow_write)?;
    if let Some(why) = closed_folder(&base).filter(|_| text.contains("write")) {
        output.note(format_args!(
            "{} is never opened for writing: {why}; type the command in a folder below it, or name one by --allow-write",
            base.display()
        ));
    }
    let parse = sumac_syntax::parse(text.as_str());
    let writable = Writable {
        without_system: args.unconfined,
        ..outputs::writable(parse.program(), &base, &allowed, &typed)
    };
    let job = Job::RunScript(Box::new(RunScript {
        text,
        writable,
        base,
        args: values,
        seed: SEED,
        planning,
        compression: args.compress.into(),
    }));
    let limits = limits(&args.place, args.timeout, &config);
    let cancel = CancelToken::default();
    let mut printed = Vec::new();
    let mut bytes = 0;
    let mut events = |event| match event {
        Event::Stdout(line) if output.is_json() => {
            bytes += line.len() + size_of::<String>();
            if bytes > MOST_PRINTED {
                cancel.cancel();
            } else {
                printed.push(line);
            }
        }
        Event::Stdout(line) => {
            output.line(line);
            if output.is_gone() {
                cancel.cancel();
            }
        }
        Event::Progress(_) => {}
    };
    let outcome = engine(&args.place, &config)
        .and_then(|engine| engine.run(job, &limits, &cancel, &mut events));
    match outcome {
        Ok(Outcome::Ran { stats }) => {
            let stats: Vec<StatRow> = stats
                .into_iter()
                .map(|row| StatRow {
                    operator: row.operator,
                    count: row.count,
                    seconds: row.seconds,
                })
                .collect();
            if output.is_json() {
                output.json(&Report {
                    output: printed,
                    stats,
                });
            } else if args.stats {
                output.print(table(&stats));
            }
            Ok(Exit::Done)
        }
        Ok(Outcome::Timed(_) | Outcome::Nest(_)) => {
            output.error("the worker answered another question; this is a defect in sumac");
            Ok(Exit::Found)
        }
        Err(EngineError::Cancelled) if output.is_gone() => Ok(Exit::Done),
        Err(EngineError::Cancelled) => {
            output.error(format_args!(
                "{}: stopped: it printed more than {} MB, which `--format json` keeps until the end; as text there is no limit",
                args.file.display(),
                MOST_PRINTED >> 20
            ));
            Ok(Exit::Found)
        }
        Err(EngineError::Script(error)) => {
            output.error(format_args!("{}: {error}", args.file.display()));
            Ok(Exit::Found)
        }
        Err(error) => {
            output.error(format_args!("{}: {error}", args.file.display()));
            Ok(Exit::Found)
        }
    }
}

/// The folders that `--allow-write` names.
///
/// # Errors
/// One of them is none, or is never opened.
fn allowed(folders: &[PathBuf]) -> Result<Vec<PathBuf>, Usage> {
    for folder in folders {
        let shown = folder.display();
        if !folder.is_dir() {
            return Err(Usage(format!("--allow-write: {shown} is no folder")));
        }
        if let Some(why) = closed_folder(folder) {
            return Err(Usage(format!(
                "--allow-write: {shown} is never opened for writing: {why}; name a folder below it"
            )));
        }
    }
    Ok(folders.to_vec())
}

fn table(stats: &[StatRow]) -> String {
    let mut out = format!("\n{:<20} {:>8} {:>10}\n", "operator", "count", "time");
    for row in stats {
        out.push_str(&format!(
            "{:<20} {:>8} {:>10}\n",
            row.operator,
            row.count,
            quantity::seconds(row.seconds),
        ));
    }
    out
}
