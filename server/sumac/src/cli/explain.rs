//! `sumac explain`: the proof of a line's suggestion, step by step.

use serde::Serialize;
use sumac_ide::CancelToken;

use super::args::AtLine;
use super::chain::ChainRow;
use super::exit::{Exit, Usage};
use super::input::{read_text, split_place};
use super::language;
use super::output::Output;
use super::place::{AtPlace, Located, searched, why_none};
use super::said::Said;
use crate::languages;
use crate::machine::Origin;

#[derive(Serialize)]
struct Report {
    file: String,
    line: usize,
    original: String,
    optimized: String,
    proof: &'static str,
    machine: Origin,
    /// The steps of each expression; `null` where none were found within bounds.
    chains: Vec<Option<ChainRow>>,
    text: String,
}

/// Prints the proof.
///
/// # Errors
/// The place names no line of the file, or its `sumac.toml` is wrong.
pub(super) fn run(args: &AtLine, said: &Said, output: &Output) -> Result<Exit, Usage> {
    let (path, line) = split_place(&args.place)?;
    if let Some(language) = languages::of(&path) {
        return Ok(match read_text(&path) {
            Ok(text) => {
                let read = language::Read::new(language, path.display().to_string(), &text);
                language::explain(&read, line, output)
            }
            Err(refused) => {
                output.error(&refused);
                Exit::Found
            }
        });
    }
    let Some(AtPlace { at, machine, .. }) = searched(
        &args.place,
        (&args.search, args.ceiling.memory),
        said,
        output,
    )?
    else {
        return Ok(Exit::Found);
    };
    let Located {
        script,
        path,
        line,
        wanted,
        ..
    } = at;
    let Some(suggestion) = script.snapshot.applicable(wanted).next() else {
        output.note(format_args!(
            "{}: there is no suggestion for this line{}",
            args.place,
            why_none(&script.snapshot, wanted)
        ));
        return Ok(Exit::Found);
    };
    let chains = sumac_ide::chains(suggestion, &CancelToken::default());
    let text = sumac_ide::explain_by(suggestion, &args.place, &chains);
    if output.is_json() {
        output.json(&Report {
            file: path.display().to_string(),
            line,
            original: suggestion.original.clone(),
            optimized: suggestion.optimized.clone(),
            proof: suggestion.proof.name(),
            machine,
            chains: ChainRow::all(&chains),
            text,
        });
    } else {
        output.print(text);
    }
    Ok(Exit::Done)
}
