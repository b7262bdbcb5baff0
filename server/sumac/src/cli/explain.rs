//! `sumac explain`: the proof of a line's suggestion, step by step.

use serde::Serialize;
use sumac_syntax::text::TextRange;

use super::args::AtLine;
use super::input::{read_script, split_place};
use super::output::Output;
use super::{Exit, Usage};
use crate::script::{Script, Stated};

#[derive(Serialize)]
struct Report {
    file: String,
    line: usize,
    original: String,
    optimized: String,
    proof: &'static str,
    text: String,
}

/// Prints the proof.
///
/// # Errors
/// The place names no line of the file.
pub(super) fn run(args: &AtLine, stated: &Stated, output: &Output) -> Result<Exit, Usage> {
    let (path, line) = split_place(&args.place)?;
    let text = match read_script(&path) {
        Ok(text) => text,
        Err(refused) => {
            output.error(&refused);
            return Ok(Exit::Found);
        }
    };
    let mut script = Script::new(&path, &text, stated);
    let wanted = script.line(line).ok_or_else(|| {
        Usage(format!(
            "{} has no line {line}; it ends at {}",
            path.display(),
            script.line_count()
        ))
    })?;
    script.search(&args.search.options(), |range: TextRange| {
        script_touches(range, wanted)
    });
    let Some(suggestion) = script.snapshot.applicable(wanted).next() else {
        output.note(format_args!(
            "{}: there is no suggestion for this line",
            args.place
        ));
        return Ok(Exit::Found);
    };
    let text = sumac_ide::explain(suggestion, &args.place);
    if output.is_json() {
        output.json(&Report {
            file: path.display().to_string(),
            line,
            original: suggestion.original.clone(),
            optimized: suggestion.optimized.clone(),
            proof: suggestion.proof.name(),
            text,
        });
    } else {
        output.print(text);
    }
    Ok(Exit::Done)
}

/// Whether two ranges share a place.
pub(super) fn script_touches(a: TextRange, b: TextRange) -> bool {
    a.start <= b.end && b.start <= a.end
}
