//! From `FILE:LINE` to the script with that line's suggestions, for the commands about one line. Prints no result.

use std::path::PathBuf;

use sumac_cost::Machine;
use sumac_ide::Snapshot;
use sumac_text::TextRange;

use super::args::Search;
use super::exit::Usage;
use super::input::{read_script, split_place};
use super::output::Output;
use super::said::Said;
use super::searching;
use crate::machine::Origin;
use crate::script::{Context, Script};

/// A line of a script.
pub(super) struct Located {
    /// The script.
    pub(super) script: Script,
    /// What it was read with.
    pub(super) context: Context,
    /// Its file.
    pub(super) path: PathBuf,
    /// The line's number, from 1.
    pub(super) line: usize,
    /// The line's bytes.
    pub(super) wanted: TextRange,
}

/// A line of a script whose suggestions have been searched.
pub(super) struct AtPlace {
    /// The line.
    pub(super) at: Located,
    /// Whose figures the costs are of.
    pub(super) machine: Origin,
    /// Its figures.
    pub(super) figures: Machine,
}

/// Reads and analyses what `place` names; `None` where the file cannot be read, which has been said then.
///
/// # Errors
/// The place names no line of the file, or its `sumac.toml` is wrong.
pub(super) fn located(place: &str, said: &Said, output: &Output) -> Result<Option<Located>, Usage> {
    let (path, line) = split_place(place)?;
    let text = match read_script(&path) {
        Ok(text) => text,
        Err(refused) => {
            output.error(&refused);
            return Ok(None);
        }
    };
    let context = said.context(&path)?;
    let script = Script::new(&path, &text, &context);
    let wanted = script.line(line).ok_or_else(|| {
        let end = script.line_count();
        Usage(format!(
            "{} has no line {line}; it ends at {end}",
            path.display()
        ))
    })?;
    Ok(Some(Located {
        script,
        context,
        path,
        line,
        wanted,
    }))
}

/// That no linear algebra stands on a line, and where the nearest does above and below it.
pub(super) fn without_algebra(
    place: &str,
    script: &Script,
    line: usize,
    is_algebra: impl Fn(&Snapshot, TextRange) -> bool,
) -> String {
    let is_there = |number: &usize| {
        let range = script.line(*number);
        range.is_some_and(|range| is_algebra(&script.snapshot, range))
    };
    let above = (1..line).rev().find(is_there);
    let below = (line + 1..=script.line_count()).find(is_there);
    let way = match (above, below) {
        (Some(above), Some(below)) => format!("; the nearest are on lines {above} and {below}"),
        (Some(only), None) | (None, Some(only)) => format!("; the nearest is on line {only}"),
        (None, None) => ", nor anywhere else in the script".to_owned(),
    };
    format!("{place}: no statement with linear algebra stands there{way}")
}

/// Reads, analyses and searches what `place` names; `None` where the file cannot be read, which has been said then.
///
/// # Errors
/// The place names no line of the file, or its `sumac.toml` is wrong, or the machine cannot be read.
pub(super) fn searched(
    place: &str,
    (search, memory): (&Search, Option<u64>),
    said: &Said,
    output: &Output,
) -> Result<Option<AtPlace>, Usage> {
    let Some(mut at) = located(place, said, output)? else {
        return Ok(None);
    };
    let (options, machine) = searching::options(search, memory, &at.context, output)?;
    let wanted = at.wanted;
    at.script.search(&options, |range| {
        range.start <= wanted.end && wanted.start <= range.end
    });
    Ok(Some(AtPlace {
        at,
        machine,
        figures: options.machine(),
    }))
}

/// Why nothing is suggested there, behind a colon; empty where nothing is known of it.
pub(super) fn why_none(snapshot: &Snapshot, wanted: TextRange) -> String {
    let why = snapshot.why_none(wanted);
    why.map_or_else(String::new, |why| format!(": {why}"))
}
