//! Did you mean: writes the known name that is nearest to the unknown one.
//!
//! ```text
//! print($0wieght)
//! ```
//! ->
//! ```text
//! print(weight)
//! ```

use super::fix::{Fix, replace};
use super::{Diagnostic, Snapshot};

pub(super) fn fix(_: &Snapshot, found: &Diagnostic) -> Option<Fix> {
    let meant = found.meant.as_deref()?;
    let edits = vec![replace(found.range, meant)];
    Some(Fix::obvious(format!("Change to `{meant}`"), edits))
}
