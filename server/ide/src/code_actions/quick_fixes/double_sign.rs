//! Write `|` for `||`, and `&` for `&&`.
//!
//! ```text
//! print(a $0|| b)
//! ```
//! ->
//! ```text
//! print(a | b)
//! ```

use sumac_analysis::codes;

use super::fix::{Fix, replace};
use super::{Diagnostic, Snapshot};

pub(super) fn fix(snapshot: &Snapshot, found: &Diagnostic) -> Option<Fix> {
    if found.code != codes::SYNTAX_ERROR {
        return None;
    }
    let single = match snapshot.text().get(found.range.start..found.range.end)? {
        "||" => "|",
        "&&" => "&",
        _ => return None,
    };
    let edits = vec![replace(found.range, single.to_owned())];
    Some(Fix::obvious(format!("Write `{single}`"), edits))
}
