//! `sumac optimize`: the suggestions of scripts as a diff, as JSON, or written into the files.

use std::path::Path;

use serde::Serialize;
use sumac_ide::suggest::Suggestion;
use sumac_ide::{BROKEN, CancelToken, UNSURE, all_edits, edits_of};
use sumac_text::{TextRange, apply_edits};

use super::args::Optimize;
use super::chain::ChainRow;
use super::exit::{Exit, Usage};
use super::form::{AccuracyRow, CheckRow, CostRow, Pair, summary};
use super::input::{line_range, read_text};
use super::output::Output;
use super::said::Said;
use super::{diff, language, render, searching};
use crate::languages;
use crate::machine::Origin;
use crate::script::Script;

/// A suggestion of a script in DML, or of a file of another language.
#[derive(Serialize)]
#[serde(untagged)]
enum AnyRow {
    Script(Box<Row>),
    Other(Box<language::Row>),
}

#[derive(Serialize)]
struct Row {
    file: String,
    line: usize,
    end_line: usize,
    /// The first line of each statement that changes; those between are none of it.
    statement_lines: Vec<usize>,
    original: String,
    optimized: String,
    statement: String,
    cost: CostRow,
    flops: Pair,
    peak_bytes: Pair,
    /// Whose figures the costs are of.
    machine: Origin,
    /// Bytes that a form may need, where there is a limit.
    memory: Option<f64>,
    proof: &'static str,
    check: CheckRow,
    /// `null` where it could not be measured.
    accuracy: Option<AccuracyRow>,
    /// What the proof needs of sizes that only a `#@` line, a data file or a caller states.
    needs: Vec<String>,
    assumes: Vec<String>,
    search: SearchRow,
    /// The sketch that is pinned to the statement, where one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    sketch: Option<String>,
    alternatives: Vec<AlternativeRow>,
    /// With `--explain`, the steps of each expression; `null` where none were found within bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    chains: Option<Vec<Option<ChainRow>>>,
}

/// Another form of the same statement.
#[derive(Serialize)]
struct AlternativeRow {
    optimized: String,
    statement: String,
    cost: CostRow,
    flops: Pair,
    proof: &'static str,
    check: CheckRow,
    accuracy: Option<AccuracyRow>,
}

#[derive(Serialize)]
struct SearchRow {
    strategy: String,
    extraction: String,
    optimal: Option<bool>,
    gap: Option<f64>,
    iterations: usize,
    enodes: usize,
    eclasses: usize,
    stopped: String,
    milliseconds: f64,
}

/// Prints, or applies, the suggestions of each file.
///
/// # Errors
/// `--lines` is no range, or a `sumac.toml` is wrong.
pub(super) fn run(args: &Optimize, said: &Said, output: &Output) -> Result<Exit, Usage> {
    let lines = args.lines.as_deref().map(line_range).transpose()?;
    let mut rows = Vec::new();
    let mut exit = Exit::Done;
    for path in &args.files {
        let text = match read_text(path) {
            Ok(text) => text,
            Err(refused) => {
                output.error(&refused);
                exit = Exit::Found;
                continue;
            }
        };
        if let Some(language) = languages::of(path) {
            let read = language::Read::new(language, path.display().to_string(), &text);
            let chosen = language::Chosen {
                apply: args.apply,
                lines,
                alternatives: args.alternatives,
                explain: args.explain && !output.is_json(),
                why: args.why,
                most_lost_digits: args.most_lost_digits,
            };
            let mut others = Vec::new();
            if !language::optimize(&read, path, chosen, &mut others, output) {
                exit = Exit::Found;
            }
            rows.extend(others.into_iter().map(|row| AnyRow::Other(Box::new(row))));
            continue;
        }
        let context = said.context(path)?;
        let (options, machine) =
            searching::options(&args.search, args.ceiling.memory, &context, output)?;
        let mut script = Script::new(path, &text, &context);
        if let Some(ms) = args.least_saving {
            script.snapshot.least_saving = ms / 1e3;
        }
        if let Some(digits) = args.most_lost_digits {
            script.snapshot.most_lost_digits = digits;
        }
        script.search(&options, |range| {
            let (first, last) = script_lines(&text, range);
            lines.is_none_or(|(from, to)| first <= to && from <= last)
        });
        let file = path.display().to_string();
        let wrong = sumac_ide::diagnostics(&script.snapshot).into_iter();
        let is_told = |code: &str| code.starts_with("sketch-") || code == "contradicting-fact";
        for found in wrong.filter(|found| is_told(found.code)) {
            let (line, _) = script_lines(&text, found.range);
            output.note(format_args!("{file}:{line}: {}", found.message));
        }
        let others: Vec<Vec<Suggestion>> = script
            .snapshot
            .shown()
            .map(|placed| script.alternatives(&placed.suggestion, &options, args.alternatives))
            .collect();
        for (placed, others) in script.snapshot.shown().zip(&others) {
            let mut row = row(&file, &script, machine, &placed.suggestion, others);
            if args.explain && output.is_json() {
                let chains = sumac_ide::chains(&placed.suggestion, &CancelToken::default());
                row.chains = Some(ChainRow::all(&chains));
            }
            rows.push(AnyRow::Script(Box::new(row)));
        }
        if !present(args, path, &script, &others, output) {
            exit = Exit::Found;
        }
    }
    if output.is_json() {
        output.json(&rows);
    }
    Ok(exit)
}

/// The first and last line of a range, from 1.
fn script_lines(text: &str, range: TextRange) -> (usize, usize) {
    let line = |offset: usize| 1 + text[..offset].matches('\n').count();
    (line(range.start), line(range.end))
}

/// Shows or writes one file's suggestions; says whether that went well.
fn present(
    args: &Optimize,
    path: &Path,
    script: &Script,
    others: &[Vec<Suggestion>],
    output: &Output,
) -> bool {
    // Whoever names lines has chosen them.
    let all = match args.lines {
        Some(_) => edits_of(&script.snapshot, |_| true),
        None => all_edits(&script.snapshot),
    };
    let old = script.snapshot.text();
    let new = apply_edits(old, &all.edits);
    let file = path.display();
    let shown: Vec<_> = script
        .snapshot
        .shown()
        .map(|placed| &placed.suggestion)
        .collect();
    if !output.is_json() && !args.apply {
        output.print(diff::unified(path, old, &new, output.colors_stdout()));
    }
    for (suggestion, others) in shown.iter().zip(others) {
        let (line, _) = script_lines(old, suggestion.range);
        let lines = suggestion.rewrites(&script.snapshot.lines);
        let lines = lines.map_or_else(String::new, |lines| format!("{lines}: "));
        let left_out = match (suggestion.caveats().next(), &args.lines) {
            (Some(_), None) => {
                let saving = args.least_saving;
                let saving = saving.map(|ms| format!(" --least-saving {}", sumac_la::number(ms)));
                let saving = saving.unwrap_or_default();
                format!("; left out, `--lines {line}{saving}` takes it")
            }
            _ if all.overlapping.contains(&suggestion.range) => {
                "; left out, as another changes lines that touch these: apply that and run this again"
                    .to_owned()
            }
            _ => String::new(),
        };
        output.note(format_args!(
            "{file}:{line}: {lines}{}{left_out}",
            summary(suggestion)
        ));
        if !output.is_json() {
            if args.explain {
                output.print(steps(line, suggestion));
            }
            for (number, other) in (1..).zip(others) {
                output.print(alternative(number, line, other));
            }
        }
    }
    if shown.is_empty() {
        output.note(format_args!("{file}: nothing cheaper found"));
    }
    if shown.is_empty() || args.why {
        let lines = args
            .lines
            .as_deref()
            .and_then(|lines| line_range(lines).ok());
        for (lines, why) in reasons(script, lines, args.why) {
            output.note(format_args!("{file}:{lines}: {why}"));
        }
    }
    if args.apply && !all.edits.is_empty() {
        if let Err(error) = diff::write_atomically(path, old, &new) {
            output.error(format_args!("{file}: cannot be written: {error}"));
            return false;
        }
        let n = all.suggestions;
        output.note(format_args!(
            "{file}: applied {n} suggestion{}",
            if n == 1 { "" } else { "s" }
        ));
    }
    true
}

/// Why statements have no suggestion, each reason once, with the lines that it is about: of these alone, where some are named.
/// What is obvious is said where `all` is asked for, or where there is nothing else to say.
fn reasons(script: &Script, wanted: Option<(usize, usize)>, all: bool) -> Vec<(String, String)> {
    let snapshot = &script.snapshot;
    let line = |offset| render::line_column(&snapshot.lines, offset).0;
    let mut found: Vec<(Vec<usize>, String)> = Vec::new();
    let is_wanted = |line: usize| wanted.is_none_or(|(from, to)| from <= line && line <= to);
    let mut add = |line: usize, why: String| match found.iter_mut().find(|(_, known)| *known == why)
    {
        _ if !is_wanted(line) => {}
        Some((lines, _)) if lines.contains(&line) => {}
        Some((lines, _)) => lines.push(line),
        None => found.push((vec![line], why)),
    };
    for hidden in snapshot.hidden() {
        add(line(hidden.range.start), snapshot.too_little(hidden));
    }
    for unsure in snapshot.unsure() {
        add(line(unsure.range.start), UNSURE.to_owned());
    }
    for error in snapshot.parse.errors() {
        add(line(error.range.start), BROKEN.to_owned());
    }
    let lines = snapshot.text().split_inclusive('\n');
    let mut start = 0;
    for (number, text) in (1..).zip(lines) {
        let range = TextRange::new(start, start + text.trim_end().len());
        start += text.len();
        if let Some(why) = snapshot.damaged(range) {
            add(number, why);
        }
    }
    let wrong: Vec<(TextRange, String)> = snapshot.errors().collect();
    for (statement, why) in &wrong {
        add(line(statement.start), why.clone());
    }
    let of = |is_obvious: bool| {
        let silences = snapshot.silences.iter();
        let is_wrong = |it: TextRange| wrong.iter().any(|(statement, _)| *statement == it);
        silences
            .filter(move |silence| silence.is_obvious == is_obvious && !is_wrong(silence.statement))
    };
    of(false).for_each(|silence| add(line(silence.statement.start), silence.message.clone()));
    if all || of(false).next().is_none() {
        of(true).for_each(|silence| add(line(silence.statement.start), silence.message.clone()));
    }
    found
        .into_iter()
        .map(|(at, why)| (runs(&at), why))
        .collect()
}

/// Lines as text, those of a long run by its ends: `3,7,12-40`.
fn runs(lines: &[usize]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for run in lines.chunk_by(|a, b| a + 1 == *b) {
        match run {
            [first, _, .., last] => parts.push(format!("{first}-{last}")),
            few => parts.extend(few.iter().map(ToString::to_string)),
        }
    }
    parts.join(",")
}

/// The steps to a suggestion as text, each line of it a comment of DML.
fn steps(line: usize, suggestion: &Suggestion) -> String {
    let mut text = format!("# line {line}, step by step:\n");
    for chain in sumac_ide::chains(suggestion, &CancelToken::default()) {
        let lines = chain.map_or_else(
            || {
                "no chain of matrix expressions was found within bounds; see `sumac explain`\n"
                    .to_owned()
            },
            |chain| chain.text(),
        );
        for line in lines.lines() {
            text.push_str(&format!("# {line}\n"));
        }
    }
    text
}

/// An alternative as text, each line of it a comment of DML but the statement itself.
fn alternative(number: usize, line: usize, other: &Suggestion) -> String {
    format!(
        "# line {line}, alternative {number}: {}\n{}\n",
        summary(other),
        other.statement.trim_end()
    )
}

fn row(
    file: &str,
    script: &Script,
    machine: Origin,
    suggestion: &Suggestion,
    others: &[Suggestion],
) -> Row {
    let snapshot = &script.snapshot;
    let line = |offset| render::line_column(&snapshot.lines, offset).0;
    let search = &suggestion.search;
    Row {
        file: file.to_owned(),
        line: line(suggestion.range.start),
        end_line: line(suggestion.range.end),
        statement_lines: suggestion
            .statement_ranges
            .iter()
            .map(|range| line(range.start))
            .collect(),
        original: suggestion.original.clone(),
        optimized: suggestion.optimized.clone(),
        statement: suggestion.statement.clone(),
        cost: CostRow::of(suggestion),
        flops: Pair::flops(suggestion),
        peak_bytes: Pair::peak_bytes(suggestion),
        machine,
        memory: suggestion.memory,
        proof: suggestion.proof.name(),
        check: CheckRow::of(suggestion),
        accuracy: AccuracyRow::of(suggestion),
        needs: suggestion
            .conditions()
            .iter()
            .map(ToString::to_string)
            .collect(),
        assumes: suggestion.assumes.clone(),
        sketch: suggestion.sketch.as_deref().map(str::to_owned),
        search: SearchRow {
            strategy: search.strategy.clone(),
            extraction: search.extraction.clone(),
            optimal: search.optimal(),
            gap: search.gap,
            iterations: search.iterations,
            enodes: search.enodes,
            eclasses: search.eclasses,
            stopped: search.stopped.clone(),
            milliseconds: search.milliseconds,
        },
        alternatives: others
            .iter()
            .map(|other| AlternativeRow {
                optimized: other.optimized.clone(),
                statement: other.statement.clone(),
                cost: CostRow::of(other),
                flops: Pair::flops(other),
                proof: other.proof.name(),
                check: CheckRow::of(other),
                accuracy: AccuracyRow::of(other),
            })
            .collect(),
        chains: None,
    }
}
