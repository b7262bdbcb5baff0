//! The worker's side: one job from standard input, messages to standard output, one JSON value a line.
//!
//! Standard output carries messages only; what a script prints travels inside them.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use sumac_runtime::confine::{Writable, confine};
use sumac_runtime::interp::{self, RunError, RunErrorKind, RunOptions};
use sumac_runtime::io::{ReadOptions, read, text_at_most};
use sumac_runtime::synthesize::{Range, synthesize_spread};
use sumac_runtime::{Cancel, Value, memory, time_dags};

use crate::error::EngineError;
use crate::job::{Event, InputKind, Job, Limits, Outcome, RunScript, TimePair, Timed, Work};
use crate::nest::run_nest;
use sumac_cost::{Cost, Machine, Priced, divisor_that_fits};
use sumac_la::{Dag, scaled};

/// Where the environment says that a SystemDS installation is: its scripts serve builtins that are DML functions.
const INSTALLATION: &str = "SYSTEMDS_ROOT";

/// No script is this large, in bytes.
const MOST_SCRIPT: u64 = 64 << 20;

/// Share of the memory limit that the estimate of a pair may fill.
const FILL: f64 = 0.8;

/// From the parent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) job: Job,
    pub(crate) limits: Limits,
}

/// To the parent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    Event(Event),
    Done(Box<Result<Outcome, EngineError>>),
}

/// What a binary does when it is started as a worker: reads one job from standard input, does it within its limits,
/// writes events and the outcome to standard output.
#[must_use]
pub fn worker_main() -> ExitCode {
    memory::end_with_parent();
    let mut line = String::new();
    let request: Request = match std::io::stdin().lock().read_line(&mut line) {
        Ok(_) => match serde_json::from_str(&line) {
            Ok(request) => request,
            Err(error) => return send_last(Err(EngineError::Protocol(error.to_string()))),
        },
        Err(error) => return send_last(Err(EngineError::Protocol(error.to_string()))),
    };
    let writable = match &request.job {
        Job::RunScript(script) => script.writable.clone(),
        Job::TimePair(_) => Writable::default(),
        Job::RunNest(nest) => Writable::below(nest.objects.clone()),
    };
    // Before any thread is started: those that are there already would not be confined.
    if let Err(error) = confine(&writable) {
        return send_last(Err(EngineError::Failed(error.to_string())));
    }
    watch_input();
    if let Err(error) = limit(&request.limits) {
        return send_last(Err(EngineError::Failed(format!(
            "the limits could not be set: {error}"
        ))));
    }
    // The job's values come and go: large buffers serve again.
    let _pool = memory::BufferPool::start();
    let mut events = |event| send(&Message::Event(event));
    send_last(perform(&request, &mut events))
}

/// The end of the input ends the worker, and what it started: nobody waits for the job any more. The system does the same
/// where it can ([`memory::end_with_parent`]), but only for the worker.
fn watch_input() {
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        end_group();
    });
}

#[cfg(unix)]
fn end_group() {
    use rustix::process::{Signal, getpgrp, getpid, kill_current_process_group};
    // Only a group of its own: others are no business of this one.
    if getpgrp() == getpid() {
        let _ = kill_current_process_group(Signal::KILL);
    }
    std::process::exit(1);
}

#[cfg(not(unix))]
fn end_group() {
    std::process::exit(1);
}

/// The system keeps this process within the limits of its job, whatever the job does.
fn limit(limits: &Limits) -> std::io::Result<()> {
    // Threads that are there when memory is limited take nothing of it for their stacks.
    let threads = sumac_runtime::kernels::threads();
    // The parent counts the seconds that pass; these are those that all threads compute.
    let seconds = (limits.seconds() * threads as f64).ceil() + 1.0;
    memory::limit_seconds(seconds as u64)?;
    match limits.bytes() {
        Some(bytes) => match memory::limit(bytes) {
            // Nobody asked for it.
            Err(error)
                if limits.memory_bytes.is_none()
                    && error.kind() == std::io::ErrorKind::Unsupported =>
            {
                Ok(())
            }
            limited => limited,
        },
        None => Ok(()),
    }
}

/// Nobody listening any more ends the worker: its result could not be told.
fn send(message: &Message) {
    let mut out = std::io::stdout().lock();
    let sent = serde_json::to_writer(&mut out, message)
        .map_err(std::io::Error::from)
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush());
    if sent.is_err() {
        std::process::exit(1);
    }
}

fn send_last(result: Result<Outcome, EngineError>) -> ExitCode {
    send(&Message::Done(Box::new(result)));
    ExitCode::SUCCESS
}

fn perform(
    request: &Request,
    events: &mut (dyn FnMut(Event) + Send),
) -> Result<Outcome, EngineError> {
    match &request.job {
        Job::RunScript(script) => run_script(script, events),
        Job::TimePair(pair) => time_pair(pair, &request.limits, events).map(Outcome::Timed),
        Job::RunNest(nest) => run_nest(nest)
            .map(Outcome::Nest)
            .map_err(EngineError::Failed),
    }
}

fn run_script(
    script: &RunScript,
    events: &mut (dyn FnMut(Event) + Send),
) -> Result<Outcome, EngineError> {
    let parsed = sumac_syntax::parse(script.text.as_str());
    if let Some(error) = parsed.refusals().next() {
        let line = 1 + script
            .text
            .as_bytes()
            .iter()
            .take(error.range.start)
            .filter(|b| **b == b'\n')
            .count();
        let kind = RunErrorKind::Failure;
        return Err(RunError {
            file: None,
            line,
            message: error.message.clone(),
            kind,
        }
        .into());
    }
    let options = RunOptions {
        args: script
            .args
            .iter()
            .map(|(name, text)| (name.clone(), interp::argument_value(text)))
            .collect(),
        base: script.base.clone(),
        seed: script.seed,
        cancel: Cancel::default(),
        loader: &load,
        planning: script.planning,
        compression: script.compression,
        blocks: true,
        wants_variables: false,
        installation: std::env::var_os(INSTALLATION).map(PathBuf::from),
    };
    let mut print = |line: &str| events(Event::Stdout(line.to_owned()));
    let outcome = interp::run(parsed.program(), &script.text, &options, &mut print)?;
    Ok(Outcome::Ran {
        stats: outcome.stats,
    })
}

/// A sourced script.
fn load(path: &Path) -> Result<(sumac_syntax::ast::Program, String), String> {
    let text =
        text_at_most(path, MOST_SCRIPT).map_err(|error| format!("{}: {error}", path.display()))?;
    let parsed = sumac_syntax::parse(text.as_str());
    match parsed.refusals().next() {
        Some(error) => Err(format!("{}: {}", path.display(), error.message)),
        None => Ok(((**parsed.program()).clone(), text)),
    }
}

/// Seconds that a run is estimated to take at most to be timed at its full size: a person waits for several of them.
const MOST_SECONDS: f64 = 10.0;
/// So many runs, by their estimate, are to fit into the time limit.
const RUNS_WITHIN_LIMIT: f64 = 10.0;

fn time_pair(
    pair: &TimePair,
    limits: &Limits,
    events: &mut dyn FnMut(Event),
) -> Result<Timed, EngineError> {
    let limit_bytes = limits.bytes().unwrap_or(u64::MAX);
    let allowed = (limit_bytes as f64 * FILL) as u64;
    let machine = &pair.planning.machine;
    let needs = |dag: &Dag| {
        dag.cost(dag.roots(), machine).ok_or_else(|| {
            let names: Vec<String> = pair
                .original
                .inputs()
                .iter()
                .map(|i| format!("{}: {}", i.name, i.ty))
                .collect();
            EngineError::Failed(format!(
                "a size is not known as a number ({})",
                names.join("; ")
            ))
        })
    };
    let (before, after) = (needs(&pair.original)?, needs(&pair.optimized)?);
    let needs_bytes = before.peak_bytes.max(after.peak_bytes) as u64;
    let needs_seconds = before.seconds.max(after.seconds);
    let too_large = || EngineError::TooLarge {
        needs_bytes,
        limit_bytes,
    };
    let has_room = |cost: &Cost| cost.peak_bytes <= allowed as f64;
    let most_seconds = MOST_SECONDS.min(limits.seconds() / RUNS_WITHIN_LIMIT);
    let is_soon = |cost: &Cost| has_room(cost) && cost.seconds <= most_seconds;
    let divisor = |fits: &dyn Fn(&Cost) -> bool| {
        divisor_that_fits(&pair.original, &pair.optimized, machine, fits)
    };
    // What cannot be made smaller takes the time that it takes.
    let scale_divisor = divisor(&is_soon)
        .or_else(|| divisor(&has_room))
        .ok_or_else(too_large)?;
    let original = scaled(&pair.original, scale_divisor).ok_or_else(too_large)?;
    let optimized = scaled(&pair.optimized, scale_divisor).ok_or_else(too_large)?;

    let mut values: BTreeMap<String, Value> = BTreeMap::new();
    let mut inputs = InputKind::Real;
    for input in original.inputs().iter().chain(optimized.inputs()) {
        let name = input.name.to_string();
        if values.contains_key(&name) {
            continue;
        }
        events(Event::Progress(format!("preparing {name}")));
        // The seed follows from the name's place among the inputs, which both sides share.
        let seed = pair.seed.wrapping_add(values.len() as u64);
        let value = match pair.files.get(&name) {
            Some(path) if scale_divisor == 1 => read(path, &ReadOptions::default())
                .map_err(|error| EngineError::Failed(error.to_string()))?,
            _ => {
                if !input.ty.is_scalar() {
                    inputs = InputKind::Synthetic;
                }
                let range = pair.ranges.get(&name).copied().unwrap_or(Range::Signed);
                synthesize_spread(&input.ty, seed, range, pair.spread)
                    .map_err(|error| EngineError::Failed(error.to_string()))?
            }
        };
        values.insert(name, value);
    }
    events(Event::Progress("timing".to_owned()));
    let values: Vec<(String, Value)> = values.into_iter().collect();
    let timings = time_dags(
        &[&original, &optimized],
        &values,
        &pair.planning,
        &pair.options,
        &Cancel::default(),
    )
    .map_err(|error| EngineError::Failed(error.to_string()))?;
    let work = [&original, &optimized].map(|dag| {
        let cost = dag.cost(dag.roots(), &Machine::default());
        cost.map_or_else(Work::default, |cost| Work {
            flops: cost.flops,
            bytes: cost.bytes,
        })
    });
    let &[original, optimized] = timings.as_slice() else {
        return Err(EngineError::Failed("two timings were expected".to_owned()));
    };
    Ok(Timed {
        original,
        optimized,
        work,
        inputs,
        scale_divisor,
        needs_bytes: (needs_bytes > allowed).then_some(needs_bytes),
        needs_seconds: (needs_seconds > most_seconds).then_some(needs_seconds),
    })
}
