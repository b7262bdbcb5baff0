//! A function of the script that has the name of a builtin: calls reach the script's own.

use super::{Checked, diagnostic};
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    for def in checked.functions() {
        let name = &def.name;
        if sumac_builtins::find(&name.name).is_some() {
            let message = format!(
                "`{0}` is a builtin of SystemDS; from here on `{0}` calls this function instead",
                name.name
            );
            acc.push(diagnostic(codes::SHADOWED_BUILTIN, name.range, message));
        }
    }
}
