//! A parameter that its function never reads. Off by default: callers may rely on a signature that others share.

use super::{Checked, diagnostic};
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    if checked.is_broken {
        return;
    }
    for def in checked.functions().filter(|def| def.body.is_some()) {
        for param in &def.params {
            let name = &param.name;
            let is_read = checked.analysis.names.iter().any(|used| {
                used.name == name.name
                    && used.scope.as_ref() == Some(&def.name.name)
                    && !used.is_definition
            });
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
