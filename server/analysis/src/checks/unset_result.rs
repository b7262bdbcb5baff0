//! A result that no statement of its function assigns: SystemDS refuses the script.

use super::checked::{Checked, diagnostic};
use crate::names;
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    for def in checked.functions() {
        let Some(body) = &def.body else { continue };
        let written = names::all_writes(&body.statements);
        for result in &def.results {
            let name = &result.name.name;
            let is_param = def.params.iter().any(|param| param.name.name == *name);
            if name.is_empty() || is_param || written.contains(name) {
                continue;
            }
            if has_errors(checked, body.range) {
                break;
            }
            let message = format!(
                "`{}` never gives its result `{name}` a value",
                def.name.name
            );
            acc.push(diagnostic(codes::UNSET_RESULT, result.name.range, message));
        }
    }
}

/// What is being typed may assign what the text does not yet.
fn has_errors(checked: &Checked<'_>, body: sumac_text::TextRange) -> bool {
    let mut errors = checked.errors.iter();
    errors.any(|error| body.cover(*error) == body)
}
