//! `#@ allow` and `#@ allow-file`: takes out the diagnostics that they name, and tells of those that name nothing.

use std::sync::Arc;

use sumac_syntax::Parse;
use sumac_syntax::ast::{FactKind, Ident};
use sumac_syntax::walk::{Node, walk};
use sumac_text::TextRange;

use crate::catalogue;
use crate::lines::Lines;
use crate::result::{Diagnostic, Severity, codes};

/// One code of one line.
struct Allowed<'a> {
    code: &'a Ident,
    /// The statement that it is about; `None`: the whole script.
    place: Option<TextRange>,
    used: bool,
}

/// Codes of what is decided after the analysis: whether a line silences one is not known here.
const DECIDED_LATER: [&str; 2] = [codes::FAILED_ASSERT, codes::UNDECIDED_ASSERT];
/// What all codes about sketches begin with; these are decided later, too.
const OF_SKETCHES: &str = "sketch-";

/// Codes that no line can silence: they are about such lines themselves.
const NEVER_SILENT: [&str; 2] = [codes::UNKNOWN_CODE, codes::UNUSED_ALLOW];

/// Gives the codes that are decided later and silenced, with their places.
pub(super) fn apply(
    script: &Parse,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<(Arc<str>, TextRange)> {
    let mut allowed = allowed(script);
    if allowed.is_empty() {
        return Vec::new();
    }
    let mut silenced = Vec::new();
    for one in &mut allowed {
        let name = &*one.code.name;
        let is_of_sketches = name.starts_with(OF_SKETCHES) && catalogue::code(name).is_some();
        if DECIDED_LATER.contains(&name) || is_of_sketches {
            one.used = true;
            // Asserts and sketches stand between the line and the statement that it is about.
            let next = one.place.filter(|place| !place.is_empty());
            let end = next.map_or(script.text().len(), |place| place.end);
            let start = one.place.map_or(0, |_| one.code.range.end);
            let place = TextRange {
                start,
                end: end.max(start),
            };
            silenced.push((one.code.name.clone(), place));
        }
    }
    diagnostics.retain(|found| {
        let mut silent = false;
        for one in &mut allowed {
            let here = one.place.is_none_or(|place| place.contains(found.range));
            if here && *one.code.name == *found.code {
                one.used = true;
                silent = true;
            }
        }
        !silent
    });
    diagnostics.extend(allowed.iter().filter(|one| !one.used).map(complaint));
    silenced
}

fn allowed(script: &Parse) -> Vec<Allowed<'_>> {
    let mut out = Vec::new();
    let mut statements: Option<(Lines, Vec<TextRange>)> = None;
    for fact in script.facts() {
        let FactKind::Allow { codes, whole_file } = &fact.kind else {
            continue;
        };
        let place = if *whole_file {
            None
        } else {
            let (lines, starts) = statements.get_or_insert_with(|| statement_ranges(script));
            let line = lines.line(fact.range.start);
            let next = starts.iter().find(|s| lines.line(s.start) >= line);
            // Behind the last statement there is nothing to silence: an empty place holds no diagnostic.
            Some(next.copied().unwrap_or(TextRange {
                start: fact.range.end,
                end: fact.range.end,
            }))
        };
        out.extend(codes.iter().map(|code| Allowed {
            code,
            place,
            used: false,
        }));
    }
    out
}

/// All statements in source order, outer ones first.
fn statement_ranges(script: &Parse) -> (Lines, Vec<TextRange>) {
    let mut ranges = Vec::new();
    walk(script.program(), &mut |node| {
        if let Node::Stmt(stmt) = node {
            ranges.push(stmt.range);
        }
    });
    ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    (Lines::of(script.text()), ranges)
}

fn complaint(one: &Allowed<'_>) -> Diagnostic {
    let name = &one.code.name;
    let known = catalogue::code(name).is_some() && !NEVER_SILENT.contains(&&**name);
    let (code, severity, message) = if known {
        let place = match one.place {
            Some(_) => "the next statement has",
            None => "the script has",
        };
        (
            codes::UNUSED_ALLOW,
            Severity::Hint,
            format!("{place} no `{name}`, so this allows nothing; take it out"),
        )
    } else {
        let message = match catalogue::nearest_code(name) {
            _ if catalogue::code(name).is_some() => {
                format!("`{name}` cannot be allowed; put the line right instead")
            }
            Some(near) => format!("there is no diagnostic `{name}`; did you mean `{near}`?"),
            None => format!("there is no diagnostic `{name}`"),
        };
        (codes::UNKNOWN_CODE, Severity::Warning, message)
    };
    Diagnostic {
        range: one.code.range,
        severity,
        code,
        message,
        related: Vec::new(),
    }
}
