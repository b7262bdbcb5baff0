//! `sumac facts`: what is known of each assigned variable.

use serde::Serialize;
use serde_json::Value;
use sumac_la::Dim;

use super::args::File;
use super::exit::{Exit, Usage};
use super::input::read_text;
use super::output::Output;
use super::said::Said;
use super::{language, render};
use crate::languages;
use crate::script::Script;

#[derive(Serialize)]
struct Row {
    name: String,
    line: usize,
    kind: &'static str,
    rows: Value,
    cols: Value,
    sparsity: Option<f64>,
    source: String,
    /// What an estimated sparsity below 1 rests on, besides the variable itself.
    sparsity_from: Vec<String>,
}

impl Row {
    fn provenance(&self) -> String {
        match self.sparsity_from.as_slice() {
            [] => self.source.clone(),
            provenance => format!("{}, sparsity from {}", self.source, provenance.join(", ")),
        }
    }
}

/// Prints a row for each assignment.
///
/// # Errors
/// The script's `sumac.toml` is wrong.
pub(super) fn run(args: &File, said: &Said, output: &Output) -> Result<Exit, Usage> {
    let text = match read_text(&args.file) {
        Ok(text) => text,
        Err(refused) => {
            output.error(&refused);
            return Ok(Exit::Found);
        }
    };
    if let Some(language) = languages::of(&args.file) {
        let read = language::Read::new(language, args.file.display().to_string(), &text);
        language::facts(&read, output);
        return Ok(Exit::Done);
    }
    let script = Script::new(&args.file, &text, &said.context(&args.file)?);
    let facts = script.snapshot.analysis.variables.iter();
    let rows: Vec<Row> = facts
        .map(|fact| Row {
            name: fact.name.to_string(),
            line: render::line_column(&script.snapshot.lines, fact.range.start).0,
            kind: fact.kind.name(),
            rows: size(&fact.ty.rows),
            cols: size(&fact.ty.cols),
            sparsity: fact.ty.sparsity,
            source: fact.source.clone(),
            sparsity_from: fact
                .provenance
                .iter()
                .filter(|source| source.what != fact.name)
                .map(ToString::to_string)
                .collect(),
        })
        .collect();
    if output.is_json() {
        output.json(&rows);
    } else {
        output.print(table(&rows));
    }
    Ok(Exit::Done)
}

/// A number, text where it is symbolic, `null` where it is unknown.
fn size(dim: &Dim) -> Value {
    match dim {
        Dim::Known(n) => (*n).into(),
        Dim::Named(name) => name.to_string().into(),
        Dim::Unknown => Value::Null,
    }
}

fn table(rows: &[Row]) -> String {
    let header = ["name", "line", "kind", "rows", "cols", "sparsity", "source"];
    let plain = |value: &Value| match value {
        Value::Null => "?".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let cells = rows.iter().map(|row| {
        [
            row.name.clone(),
            row.line.to_string(),
            row.kind.to_owned(),
            plain(&row.rows),
            plain(&row.cols),
            row.sparsity
                .map_or_else(|| "?".to_owned(), sumac_la::number),
            row.provenance(),
        ]
    });
    let all: Vec<[String; 7]> = std::iter::once(header.map(str::to_owned))
        .chain(cells)
        .collect();
    let width = |column: usize| {
        all.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or_default()
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let mut out = String::new();
    for row in &all {
        let padded = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| sumac_la::padded(cell, *width));
        out.push_str(padded.collect::<Vec<_>>().join("  ").trim_end());
        out.push('\n');
    }
    out
}
