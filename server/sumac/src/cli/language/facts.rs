//! What is known of each variable of a file.

use serde::Serialize;

use super::Read;
use crate::cli::output::Output;

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    line: usize,
    function: Option<&'a str>,
    /// `(n, d)`; `null` where the rank is not known.
    shape: Option<&'a str>,
    /// The kind of number, `null` where it is not known.
    number: Option<&'static str>,
    source: &'a str,
}

/// Prints a row for each.
pub(crate) fn facts(read: &Read<'_>, output: &Output) {
    let facts = read.analysis.facts.iter();
    let rows: Vec<Row<'_>> = facts
        .map(|fact| Row {
            name: &fact.name,
            line: read.line(fact.range.start),
            function: fact.function.as_deref(),
            shape: (!fact.shape.is_empty()).then_some(&*fact.shape),
            number: fact.number,
            source: &fact.source,
        })
        .collect();
    if output.is_json() {
        output.json(&rows);
    } else {
        output.print(table(&rows));
    }
}

fn table(rows: &[Row<'_>]) -> String {
    let header = ["name", "line", "function", "shape", "number", "source"].map(str::to_owned);
    let cells = rows.iter().map(|row| {
        [
            row.name.to_owned(),
            row.line.to_string(),
            row.function.unwrap_or("").to_owned(),
            row.shape.unwrap_or("?").to_owned(),
            row.number.unwrap_or("?").to_owned(),
            row.source.to_owned(),
        ]
    });
    let all: Vec<[String; 6]> = std::iter::once(header).chain(cells).collect();
    let width = |column: usize| all.iter().map(|row| row[column].chars().count()).max();
    let mut out = String::new();
    for row in &all {
        let padded = row
            .iter()
            .enumerate()
            .map(|(column, cell)| sumac_la::padded(cell, width(column).unwrap_or_default()));
        out.push_str(padded.collect::<Vec<_>>().join("  ").trim_end());
        out.push('\n');
    }
    out
}
