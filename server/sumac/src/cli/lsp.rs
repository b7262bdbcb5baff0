//! `sumac lsp`: the language server on the standard input and output.

use std::fs::OpenOptions;
use std::io::IsTerminal;
use std::sync::Mutex;

use tracing_subscriber::EnvFilter;

use super::Exit;
use super::args::Lsp;
use super::output::Output;

/// Serves until the client says `exit` or goes away.
pub(super) fn run(args: &Lsp, output: &Output) -> Exit {
    if let Err(message) = log_to(args) {
        output.error(message);
        return Exit::Found;
    }
    if std::io::stdin().is_terminal() {
        output.note("sumac speaks the language server protocol here; start it from an editor");
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            output.error(format_args!("the server cannot start its threads: {error}"));
            return Exit::Found;
        }
    };
    runtime.block_on(crate::lsp::serve(tokio::io::stdin(), tokio::io::stdout()));
    // A thread may still wait for the standard input, or compute: neither is worth waiting for.
    runtime.shutdown_background();
    Exit::Done
}

fn log_to(args: &Lsp) -> Result<(), String> {
    let filter = EnvFilter::try_from_env("SUMAC_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    let log = tracing_subscriber::fmt().with_env_filter(filter);
    match &args.log_file {
        None => log.with_writer(std::io::stderr).with_ansi(false).init(),
        Some(path) => {
            let file = OpenOptions::new()
                .create(true)
                .append(true)
                .open(path)
                .map_err(|error| format!("the log {} cannot be opened: {error}", path.display()))?;
            log.with_writer(Mutex::new(file)).with_ansi(false).init();
        }
    }
    Ok(())
}
