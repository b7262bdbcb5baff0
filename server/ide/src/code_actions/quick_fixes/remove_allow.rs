//! Remove a code that a `#@ allow` names for nothing; with the last one the line goes.
//!
//! ```text
//! #@ allow wrong-arity, $0unused-value
//! print(f())
//! ```
//! ->
//! ```text
//! #@ allow wrong-arity
//! print(f())
//! ```

use sumac_analysis::codes;
use sumac_syntax::ast::FactKind;
use sumac_text::TextRange;

use super::fix::{Fix, removal, replace};
use super::{Diagnostic, Snapshot};

pub(super) fn fix(snapshot: &Snapshot, found: &Diagnostic) -> Option<Fix> {
    if ![codes::UNUSED_ALLOW, codes::UNKNOWN_CODE].contains(&found.code) {
        return None;
    }
    let facts = &snapshot.parse.program().facts;
    let fact = facts.iter().find(|fact| fact.range.contains(found.range))?;
    let FactKind::Allow { codes: named, .. } = &fact.kind else {
        return None;
    };
    let at = named.iter().position(|code| code.range == found.range)?;
    let edit = if named.len() == 1 {
        removal(snapshot, fact.range)
    } else {
        let range = match at.checked_sub(1) {
            Some(before) => TextRange {
                start: named[before].range.end,
                end: found.range.end,
            },
            None => TextRange {
                start: found.range.start,
                end: named[1].range.start,
            },
        };
        replace(range, "")
    };
    Some(Fix {
        is_safe: found.code == codes::UNUSED_ALLOW,
        is_preferred: found.code == codes::UNUSED_ALLOW,
        ..Fix::possible("Remove this from the line", vec![edit])
    })
}
