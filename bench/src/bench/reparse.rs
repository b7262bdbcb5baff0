//! What one typed character costs in a script of 5,000 lines, against reading the script afresh.
//!
//! Two figures for each edit. *The change* is what the server does before it takes the next message: the place from
//! line and column to bytes, the new text, the pieces that the edit touched read again (tree, typed tree, errors), the
//! index of lines. *With the whole tree* adds what the background asks for next: the typed tree, the errors and the
//! comments of the whole script with every place in it up to date. Only the first is a bar: it is what a keystroke waits
//! for. The second grows with the script, for every statement behind the edit gets new places. After each edit the
//! answer must be that of a fresh parse.

use std::hint::black_box;
use std::time::Instant;

use anyhow::Result;
use sumac_syntax::{Parse, parse};
use sumac_text::{Columns, TextEdit, TextRange};

use super::synthetic;
use crate::report::Report;

const LINES: usize = 5000;
/// Places in the script at which each kind of edit is made.
const PLACES: usize = 40;
const TARGET_MS: f64 = 2.0;
const TIMES_CHEAPER: f64 = 20.0;

/// A kind of edit: behind which text it is made, how many bytes it takes away, what it puts there.
struct Kind {
    name: &'static str,
    behind: &'static str,
    takes: usize,
    puts: &'static str,
}

#[rustfmt::skip]
const KINDS: &[Kind] = &[
    Kind { name: "a letter in a name",           behind: "los",        takes: 0, puts: "z" },
    Kind { name: "a letter less in a name",      behind: "los",        takes: 1, puts: "" },
    Kind { name: "a digit in a number",          behind: "rows = 1",   takes: 0, puts: "7" },
    Kind { name: "a new line",                   behind: ")\n",        takes: 0, puts: "\n" },
    Kind { name: "a letter in a comment",        behind: "# the ",     takes: 0, puts: "x" },
    Kind { name: "a letter in a function",       behind: "Y = X",      takes: 0, puts: "x" },
    Kind { name: "an opening parenthesis",       behind: "= sum",      takes: 0, puts: "(" },
    Kind { name: "a closing parenthesis less",   behind: "^2",         takes: 1, puts: "" },
    Kind { name: "an opening brace",             behind: "lib\n",      takes: 0, puts: "{" },
    Kind { name: "an opening brace in a loop",   behind: "in 1:k) ",   takes: 0, puts: "{" },
    Kind { name: "an opening quote",             behind: "format = ",  takes: 0, puts: "\"" },
    Kind { name: "an operator without operand",  behind: " t(W)",      takes: 0, puts: "+" },
];

/// Measures and judges.
///
/// # Errors
/// An edit gives something else than a fresh parse.
pub(crate) fn measure(report: &mut Report) -> Result<()> {
    let text = synthetic::script(LINES);
    let lines = text.lines().count();
    let full = full_parse(&text);
    let before = parse(text.as_str());
    report.heading(&format!(
        "One-character edits of a script of {lines} lines, {} KB",
        text.len() / 1024
    ));
    report.note(&format!(
        "a fresh parse, with errors, comments and the whole typed tree: median {full:.2} ms"
    ));
    let mut all = [Vec::new(), Vec::new()];
    for kind in KINDS {
        let mut times = [Vec::new(), Vec::new()];
        for place in places(&text, kind) {
            let (change, whole, after) = one_edit(&before, place, kind);
            times[0].push(change);
            times[1].push(whole);
            same(&after)?;
        }
        let [change, whole] = times.each_ref().map(|times| quantiles(times));
        report.note(&format!(
            "{:<30} change {:.2} / {:.2} ms, with the whole tree {:.2} / {:.2} ms (median / p95 of {})",
            kind.name,
            change.0,
            change.1,
            whole.0,
            whole.1,
            times[0].len()
        ));
        for (all, times) in all.iter_mut().zip(times) {
            all.extend(times);
        }
    }
    let (median, p95) = quantiles(&all[0]);
    report.bar(
        "the change",
        &format!(
            "median {median:.3} ms, p95 {p95:.3} ms of {} edits",
            all[0].len()
        ),
        &format!("both < {TARGET_MS} ms"),
        median < TARGET_MS && p95 < TARGET_MS,
    );
    let times = full / median;
    report.bar(
        "the change against a fresh parse",
        &format!("{times:.0} times cheaper"),
        &format!("at least {TIMES_CHEAPER} times"),
        times >= TIMES_CHEAPER,
    );
    let (median, p95) = quantiles(&all[1]);
    report.note(&format!(
        "with every place of the whole typed tree up to date, which only the background asks for: median {median:.3} ms, \
         p95 {p95:.3} ms, {:.0} times cheaper than a fresh parse",
        full / median
    ));
    Ok(())
}

fn full_parse(text: &str) -> f64 {
    let times: Vec<f64> = (0..15)
        .map(|_| {
            let text = text.to_owned();
            let started = Instant::now();
            let parse = parse(text);
            black_box((parse.program(), parse.errors(), parse.comments()));
            started.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    quantiles(&times).0
}

/// Bytes behind which the kind of edit is made, from the script's start to its end.
fn places(text: &str, kind: &Kind) -> Vec<usize> {
    let all: Vec<usize> = text
        .match_indices(kind.behind)
        .map(|(at, found)| at + found.len())
        .collect();
    let step = all.len().div_ceil(PLACES).max(1);
    let mut chosen: Vec<usize> = all.iter().copied().step_by(step).collect();
    chosen.extend(all.last().filter(|last| chosen.last() != Some(*last)));
    chosen
}

/// Milliseconds of one edit without and with the whole tree, and what it gave.
fn one_edit(before: &Parse, place: usize, kind: &Kind) -> (f64, f64, Parse) {
    // The client sends a line and a column, and the server has the index of the text that it holds.
    let column = before.lines().line_col(place, Columns::Utf16);
    let started = Instant::now();
    let start = before.lines().offset(column, Columns::Utf16);
    let edit = TextEdit {
        range: TextRange::new(start, start + kind.takes),
        new_text: kind.puts.to_owned(),
    };
    let after = before.edit(std::slice::from_ref(&edit));
    black_box(after.lines());
    let change = started.elapsed().as_secs_f64() * 1e3;
    black_box((after.program(), after.errors(), after.comments()));
    (change, started.elapsed().as_secs_f64() * 1e3, after)
}

fn same(after: &Parse) -> Result<()> {
    let fresh = parse(after.text().clone());
    anyhow::ensure!(
        fresh.program() == after.program()
            && fresh.errors() == after.errors()
            && fresh.comments() == after.comments(),
        "an edit gives something else than a fresh parse of its text"
    );
    Ok(())
}

/// Median and the smallest figure that 95 of 100 do not exceed.
fn quantiles(times: &[f64]) -> (f64, f64) {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = |percent: usize| (sorted.len() * percent).div_ceil(100).max(1) - 1;
    (
        sorted.get(rank(50)).copied().unwrap_or(f64::NAN),
        sorted.get(rank(95)).copied().unwrap_or(f64::NAN),
    )
}
