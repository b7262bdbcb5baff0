//! A parameter that its function never reads. Off by default: callers may rely on a signature that others share.

use std::collections::HashSet;

use super::checked::{Checked, diagnostic};
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    if checked.is_broken() {
        return;
    }
    let names = checked.analysis.names.iter();
    let read: HashSet<(&str, &str)> = names
        .filter(|used| !used.is_definition)
        .filter_map(|used| Some((used.scope.as_deref()?, &*used.name)))
        .collect();
    for def in checked.functions().filter(|def| def.body.is_some()) {
        for param in &def.params {
            let name = &param.name;
            let is_read = read.contains(&(&*def.name.name, &*name.name));
            if !name.name.is_empty() && !is_read {
                let message = format!(
                    "`{}` never reads its parameter `{}`",
                    def.name.name, name.name
                );
                acc.push(diagnostic(codes::UNUSED_PARAMETER, name.range, message));
            }
        }
    }
}
