//! Solve the equations where an inverse is multiplied.
//!
//! ```text
//! b = $0inv(t(X) %*% X) %*% t(X) %*% y
//! ```
//! ->
//! ```text
//! b = solve(t(X) %*% X, t(X) %*% y)
//! ```

use sumac_analysis::{Solved, codes};

use super::fix::{Fix, expr_at, replace};
use super::{Diagnostic, Snapshot};

pub(super) fn fix(snapshot: &Snapshot, found: &Diagnostic) -> Option<Fix> {
    if found.code != codes::EXPLICIT_INVERSE {
        return None;
    }
    let solved = Solved::at(expr_at(snapshot, found.range)?)?;
    let [matrix, by] = [solved.matrix, solved.by].map(|range| &snapshot.text()[range]);
    let edits = vec![replace(found.range, format!("solve({matrix}, {by})"))];
    Some(Fix::possible("Solve the equations by `solve`", edits))
}
