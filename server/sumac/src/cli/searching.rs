//! How the commands search: what the command line says over what is configured, and for which machine. Searches nothing.

use sumac_sumproduct::Options;

use super::args::Search;
use super::exit::Usage;
use super::output::Output;
use crate::machine::{self, Origin};
use crate::script::Context;

/// The options of a search, and which machine its costs are for.
///
/// # Errors
/// The machine that was named cannot be read.
pub(super) fn options(
    search: &Search,
    memory: Option<u64>,
    context: &Context,
    output: &Output,
) -> Result<(Options, Origin), Usage> {
    let configured = &context.config.search;
    let used = machine::used(search.machine.as_deref(), configured)?;
    if let Some(note) = &used.note {
        output.note_once(note);
    }
    let memory = memory.or(configured.memory.as_ref().map(|memory| memory.bytes));
    Ok(used.by(search.options(context.config.search_options()), memory))
}
