//! Remove a `source` that nothing uses.
//!
//! ```text
//! $0source("lib.dml") as lib
//! print(1)
//! ```
//! ->
//! ```text
//! print(1)
//! ```

use sumac_analysis::codes;

use super::fix::{Fix, removal};
use super::{Diagnostic, Snapshot};

pub(super) fn fix(snapshot: &Snapshot, found: &Diagnostic) -> Option<Fix> {
    (found.code == codes::UNUSED_NAMESPACE).then(|| {
        let edits = vec![removal(snapshot, found.range)];
        Fix::obvious("Remove this `source`", edits)
    })
}
