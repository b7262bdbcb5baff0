//! What must not be searched again: the server counts its searches, and edits that leave the algebra as it was add none.

use anyhow::{Context, Result};
use serde_json::Value;

use super::super::synthetic;
use super::settled;
use crate::bars::Sumac;
use crate::client::Session;
use crate::client::document::{Document, Edit, byte};
use crate::report::Report;

const LINES: usize = 300;
/// Times that each kind of edit is made.
const TIMES: usize = 8;

/// Makes edits, for the how-many-th time.
type Make = fn(&mut Session, &mut Document, usize) -> Result<()>;

/// A kind of edit.
struct Kind {
    name: &'static str,
    /// What goes before and is not counted.
    before: Make,
    edit: Make,
}

#[rustfmt::skip]
const KINDS: &[Kind] = &[
    Kind { name: "comments, key by key",            before: nothing,  edit: comment },
    Kind { name: "blank lines and indentation",     before: nothing,  edit: whitespace },
    Kind { name: "a function moved in one change",  before: nothing,  edit: moved },
    Kind { name: "a function cut and pasted",       before: nothing,  edit: cut_and_pasted },
    Kind { name: "a changed statement undone",      before: changed,  edit: undone },
    Kind { name: "a renamed variable",              before: nothing,  edit: renamed },
    Kind { name: "closed and opened again",         before: nothing,  edit: opened_again },
];

/// Shows that searches are counted at all.
const CONTROL: Kind = Kind {
    name: "a changed statement, to see that searches are counted",
    before: nothing,
    edit: changed,
};

/// Measures and judges.
pub(super) fn measure(report: &mut Report, sumac: &Sumac) {
    report.heading("Searches that an edit asks for, counted by the server");
    let target = "at least 1 each";
    if let Some(counts) = report.expect(CONTROL.name, target, counts(sumac, &CONTROL)) {
        let holds = counts.iter().all(|count| *count > 0);
        report.bar(CONTROL.name, &shown(&counts), target, holds);
    }
    for kind in KINDS {
        let target = "0";
        if let Some(counts) = report.expect(kind.name, target, counts(sumac, kind)) {
            let holds = counts.iter().all(|count| *count == 0);
            report.bar(kind.name, &shown(&counts), target, holds);
        }
    }
}

fn shown(counts: &[u64]) -> String {
    let all: Vec<String> = counts.iter().map(u64::to_string).collect();
    format!("{} searches after {} edits", all.join(", "), counts.len())
}

/// How many searches each edit led to.
fn counts(sumac: &Sumac, kind: &Kind) -> Result<Vec<u64>> {
    let (mut session, mut document) = settled(&sumac.program, &synthetic::modular(LINES))?;
    let mut counts = Vec::new();
    for time in 0..TIMES {
        (kind.before)(&mut session, &mut document, time)?;
        let before = known(&mut session, &document)?;
        (kind.edit)(&mut session, &mut document, time)?;
        counts.push(known(&mut session, &document)? - before);
    }
    session.end()?;
    Ok(counts)
}

/// The searches so far, once everything about the present text is known.
fn known(session: &mut Session, document: &Document) -> Result<u64> {
    session.diagnostics(document)?;
    session.settle()?;
    session.saturations()
}

#[expect(clippy::unnecessary_wraps, reason = "one of several that may fail")]
fn nothing(_: &mut Session, _: &mut Document, _: usize) -> Result<()> {
    Ok(())
}

const LOSS: &str = "loss = sum((X - ";

/// A statement that is searched gets a factor that it never had.
fn changed(session: &mut Session, document: &mut Document, time: usize) -> Result<()> {
    let factor = format!("{} * ", 1000 + time);
    change(session, document, behind(document, LOSS, time)?, 0, &factor)
}

/// Takes back what [`changed`] did.
fn undone(session: &mut Session, document: &mut Document, time: usize) -> Result<()> {
    let at = behind(document, &format!("{LOSS}{} * ", 1000 + time), 0)?;
    let len = format!("{} * ", 1000 + time).len();
    change(session, document, at - len, len, "")
}

fn comment(session: &mut Session, document: &mut Document, time: usize) -> Result<()> {
    let start = behind(document, "  m = ncol(X)\n", time)?;
    // On a line of its own: what stands behind the cursor would be part of the comment.
    change(session, document, start, 0, "\n")?;
    for (typed, letter) in format!("  # note {time}").chars().enumerate() {
        change(session, document, start + typed, 0, &letter.to_string())?;
        session.diagnostics(document)?;
    }
    Ok(())
}

fn whitespace(session: &mut Session, document: &mut Document, time: usize) -> Result<()> {
    let at = behind(document, "  m = ncol(X)\n", time)?;
    change(session, document, at, 0, &"\n".repeat(time % 3 + 1))?;
    let at = behind(document, "\n  loss =", time)?;
    change(
        session,
        document,
        at - "loss =".len(),
        0,
        &" ".repeat(time + 1),
    )
}

/// The place of a function, and the function.
fn function(document: &Document, time: usize) -> Result<(usize, String)> {
    let start = behind(document, "\n\n# ", time)? - 2;
    let len = document.text[start..]
        .find("\n}\n\n")
        .context("a function without its end")?;
    Ok((start, document.text[start..start + len + 4].to_owned()))
}

fn moved(session: &mut Session, document: &mut Document, time: usize) -> Result<()> {
    let (start, function) = function(document, time)?;
    let cut = Edit {
        range: start..start + function.len(),
        text: String::new(),
    };
    let paste = Edit {
        range: 0..0,
        text: function,
    };
    session.change(document, &[cut, paste])?;
    Ok(())
}

fn cut_and_pasted(session: &mut Session, document: &mut Document, time: usize) -> Result<()> {
    let (start, function) = function(document, time)?;
    change(session, document, start, function.len(), "")?;
    session.diagnostics(document)?;
    session.settle()?;
    change(session, document, 0, 0, &function)
}

fn renamed(session: &mut Session, document: &mut Document, time: usize) -> Result<()> {
    let at = behind(document, "  step", time)? - 1;
    let mut params = document.at(at, session.encoding);
    params["newName"] = Value::from(format!("step{time}"));
    let answer = session.call("textDocument/rename", &params)?.good()?;
    let edits = answer["changes"][&document.uri]
        .as_array()
        .context("the server does not rename")?;
    let mut placed = Vec::new();
    for edit in edits {
        let place = |end: &str| byte(&document.text, &edit["range"][end], session.encoding);
        placed.push(Edit {
            range: place("start")?..place("end")?,
            text: edit["newText"]
                .as_str()
                .context("an edit without text")?
                .to_owned(),
        });
    }
    anyhow::ensure!(placed.len() > 1, "a variable that is used nowhere");
    // Each edit of a change is in the text that the one before it left.
    placed.sort_by_key(|edit| std::cmp::Reverse(edit.range.start));
    session.change(document, &placed)?;
    Ok(())
}

fn opened_again(session: &mut Session, document: &mut Document, _: usize) -> Result<()> {
    session.close(document)?;
    document.version += 1;
    session.open_again(document)
}

/// The byte behind the how-many-th of these, around and around.
fn behind(document: &Document, wanted: &str, time: usize) -> Result<usize> {
    let places: Vec<usize> = document
        .text
        .match_indices(wanted)
        .map(|(at, found)| at + found.len())
        .collect();
    anyhow::ensure!(
        !places.is_empty(),
        "the script has no `{}`",
        wanted.escape_debug()
    );
    Ok(places[time % places.len()])
}

fn change(
    session: &mut Session,
    document: &mut Document,
    at: usize,
    takes: usize,
    puts: &str,
) -> Result<()> {
    let edit = Edit {
        range: at..at + takes,
        text: puts.to_owned(),
    };
    session.change(document, &[edit])?;
    Ok(())
}
