//! `sumac lsp`: the language server on the standard input and output.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use tracing_subscriber::EnvFilter;

use super::args::Lsp;
use super::exit::Exit;
use super::output::Output;
use crate::lsp::record::{Recorder, append_for_the_owner};
use crate::lsp::{Ended, serve};

/// Names the file that a session is recorded in where the command line does not.
const RECORD_VARIABLE: &str = "SUMAC_RECORD";

/// Threads that work in the background side by side: more than ever compute, for some wait for the database or for a file. Each
/// keeps blocks of memory that it freed for itself, and what lies around these blocks is not given back: with a hundred threads,
/// as many as a burst of requests makes, a session that types for hours took half as much memory again.
const MOST_THREADS: usize = 24;
/// A thread that has had nothing to do for so long ends, and gives back what it kept.
const IDLE: Duration = Duration::from_secs(1);

/// Serves until the client says `exit` or goes away.
pub(super) fn run(args: &Lsp, output: &Output) -> Exit {
    if let Err(message) = log_to(args) {
        output.error(message);
        return Exit::Found;
    }
    let recorder = match record(args, output) {
        Ok(recorder) => recorder,
        Err(message) => {
            output.error(message);
            return Exit::Found;
        }
    };
    if std::io::stdin().is_terminal() {
        output.note("sumac speaks the language server protocol here; start it from an editor");
    }
    // Before there are threads that have heaps of their own.
    sumac_runtime::memory::share_heaps();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .max_blocking_threads(MOST_THREADS)
        .thread_keep_alive(IDLE)
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            output.error(format_args!("the server cannot start its threads: {error}"));
            return Exit::Found;
        }
    };
    let (input, answers) = (tokio::io::stdin(), tokio::io::stdout());
    let ended = match recorder {
        None => runtime.block_on(serve(input, answers)),
        Some(recorder) => runtime.block_on(serve(
            recorder.from_client(input),
            recorder.from_server(answers),
        )),
    };
    // A thread may still wait for the standard input, or compute: neither is worth waiting for.
    runtime.shutdown_background();
    match ended {
        Ended::InOrder => Exit::Done,
        Ended::Abruptly => Exit::Found,
    }
}

/// Begins the recording that was asked for, and says what it holds.
fn record(args: &Lsp, output: &Output) -> Result<Option<Recorder>, String> {
    // An editor that cannot be told what to write behind `lsp` can be started with a variable.
    let named = std::env::var_os(RECORD_VARIABLE).map(PathBuf::from);
    let Some(path) = args.record.clone().or(named) else {
        return Ok(None);
    };
    let shown = path.display();
    let recorder = Recorder::begin(&path)
        .map_err(|error| format!("the session cannot be recorded in {shown}: {error}"))?;
    output.note(format_args!(
        "the session is recorded in {shown}, with every text that is opened and typed: look at it before you give it away"
    ));
    Ok(Some(recorder))
}

fn log_to(args: &Lsp) -> Result<(), String> {
    let filter = EnvFilter::try_from_env("SUMAC_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    let log = tracing_subscriber::fmt().with_env_filter(filter);
    match &args.log_file {
        None => log.with_writer(std::io::stderr).with_ansi(false).init(),
        Some(path) => {
            let file = append_for_the_owner(path)
                .map_err(|error| format!("the log {} cannot be opened: {error}", path.display()))?;
            log.with_writer(Mutex::new(file)).with_ansi(false).init();
        }
    }
    Ok(())
}
