//! A matrix holds doubles: SystemDS refuses a function with a parameter that is declared as a matrix of anything else.

use super::checked::{Checked, diagnostic};
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    for def in checked.functions() {
        for param in &def.params {
            let Some(ty) = &param.ty else { continue };
            let text = ty.name.to_ascii_lowercase();
            let Some((outer, inner)) = text.split_once('[') else {
                continue;
            };
            let inner = inner.trim_end_matches(']').trim();
            if outer.trim() != "matrix" || inner == "double" {
                continue;
            }
            let message = format!(
                "a matrix holds doubles, and `{}` is declared {}; write `{}[double]`",
                param.name.name,
                ty.name,
                ty.name.split('[').next().unwrap_or("matrix").trim(),
            );
            acc.push(diagnostic(codes::MATRIX_TYPE, ty.range, message));
        }
    }
}
