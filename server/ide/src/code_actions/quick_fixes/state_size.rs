//! State the size of a matrix that a `read` gives: a `#@` line above the statement, to be filled in.
//!
//! ```text
//! X = $0read($X)
//! ```
//! ->
//! ```text
//! #@ X: rows x cols
//! X = read($X)
//! ```

use sumac_analysis::codes;
use sumac_syntax::ast::StmtKind;

use super::fix::{Fix, line_above, stmt_around};
use super::{Diagnostic, Snapshot};

pub(super) fn fix(snapshot: &Snapshot, found: &Diagnostic) -> Option<Fix> {
    if found.code != codes::UNKNOWN_SIZE {
        return None;
    }
    let stmt = stmt_around(snapshot, found.range)?;
    let StmtKind::Assign { target, .. } = &stmt.kind else {
        return None;
    };
    let name = &target.name.name;
    let line = format!("#@ {name}: rows x cols");
    let edits = vec![line_above(snapshot, stmt.range.start, &line)];
    Some(Fix::possible(format!("State the size of `{name}`"), edits))
}
