//! `sumac run`: runs a script in a worker process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use sumac_engine::{Engine, EngineError, Event, Job, Outcome, RunScript};
use sumac_ide::{CancelToken, quantity};
use sumac_runtime::fused::Planning;

use super::args::Run;
use super::input::read_script;
use super::output::Output;
use super::said::Said;
use super::{Exit, Usage, engine, limits};
use crate::machine;
use crate::script::Context;

/// Seed of `rand` calls that give none: a script gives the same result each time.
const SEED: u64 = 1;

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
    };
    let mut values: BTreeMap<String, String> = stated.configured.args;
    for (index, value) in args.positional.iter().enumerate() {
        values.insert((index + 1).to_string(), value.clone());
    }
    values.extend(stated.args);
    let text = match read_script(&args.file) {
        Ok(text) => text,
        Err(refused) => {
            output.error(&refused);
            return Ok(Exit::Found);
        }
    };
    // As SystemDS does, relative paths start where the command was typed, not where the script lies.
    let base = std::env::current_dir().unwrap_or_default();
    let job = Job::RunScript(Box::new(RunScript {
        text,
        writable: writable(&base, &args.allow_write, &values),
        base,
        args: values,
        seed: SEED,
        planning,
        compression: args.compress.into(),
    }));
    let limits = limits(&args.place, args.timeout, &config);
    let mut printed = Vec::new();
    let mut events = |event| match event {
        Event::Stdout(line) if output.is_json() => printed.push(line),
        Event::Stdout(line) => output.line(line),
        Event::Progress(_) => {}
    };
    let outcome = engine(&args.place, &config)
        .and_then(|engine| engine.run(job, &limits, &CancelToken::default(), &mut events));
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

/// The folders below which the run may write: where the command was typed, those that are allowed besides, and those of
/// files that the person names by absolute paths.
fn writable(
    base: &Path,
    allowed: &[PathBuf],
    arguments: &BTreeMap<String, String>,
) -> Vec<PathBuf> {
    let named = arguments.values().map(Path::new);
    let named = named.filter(|path| path.is_absolute()).filter_map(|path| {
        let folder = if path.is_dir() { path } else { path.parent()? };
        // A file right below the root does not open everything.
        (folder.is_dir() && folder.parent().is_some()).then(|| folder.to_path_buf())
    });
    let all = std::iter::once(base.to_path_buf());
    all.chain(allowed.iter().cloned()).chain(named).collect()
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
