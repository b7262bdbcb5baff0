//! Two functions of one name in one script: SystemDS refuses the script.

use std::collections::HashMap;

use super::{CheckedFile, diagnostic};
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &CheckedFile<'_>, acc: &mut Vec<Diagnostic>) {
    let mut all = HashMap::new();
    for (name, range) in checked.functions() {
        let first = *all.entry(name).or_insert(range);
        if first != range {
            let message = format!(
                "there is another function `{name}` in this script; give one of them a new name"
            );
            acc.push(Diagnostic {
                related: vec![(first, format!("`{name}` is defined here first"))],
                ..diagnostic(codes::DUPLICATE_FUNCTION, range, message)
            });
        }
    }
}
