//! A function of the script that has the name of a builtin: calls reach the script's own.

use super::checked::{CheckedFile, diagnostic};
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &CheckedFile<'_>, acc: &mut Vec<Diagnostic>) {
    for function in checked.functions(&checked.declarations.builtins) {
        let name = function.name();
        let message = format!(
            "`{name}` is a builtin of SystemDS; all calls of `{name}` in this file reach this function instead"
        );
        acc.push(diagnostic(
            codes::SHADOWED_BUILTIN,
            function.name_range(),
            message,
        ));
    }
}
