//! Wrap in `as.scalar(…)`: makes the only cell of a matrix a scalar, where a scalar must stand.
//!
//! ```text
//! print("first: " + $0X[1, 1])
//! ```
//! ->
//! ```text
//! print("first: " + as.scalar(X[1, 1]))
//! ```

use sumac_analysis::codes;
use sumac_la::Dim;

use super::fix::{Fix, replace};
use super::{Diagnostic, Snapshot};

pub(super) fn fix(snapshot: &Snapshot, found: &Diagnostic) -> Option<Fix> {
    let is_it = found.code == codes::SCALAR_REQUIRED;
    let info = is_it.then(|| snapshot.analysis.type_at(found.range))??;
    let can_be_one = |dim: &Dim| dim.known().is_none_or(|n| n == 1);
    if !can_be_one(&info.rows) || !can_be_one(&info.cols) {
        return None;
    }
    let text = &snapshot.text()[found.range];
    let edits = vec![replace(found.range, format!("as.scalar({text})"))];
    Some(Fix::obvious("Wrap in `as.scalar(…)`", edits))
}
