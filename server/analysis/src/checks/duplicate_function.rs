//! Two functions of one name in one script: SystemDS refuses the script.

use rustc_hash::FxHashMap;

use super::checked::{CheckedFile, diagnostic};
use crate::db::inputs::PlacedFunction;
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &CheckedFile<'_>, acc: &mut Vec<Diagnostic>) {
    let mut all: FxHashMap<&str, &PlacedFunction> = FxHashMap::default();
    for function in checked.functions(&checked.declarations.repeated) {
        let name = function.name();
        let first = *all.entry(name).or_insert(function);
        if !std::ptr::eq(first, function) {
            let (first, range) = (first.name_range(), function.name_range());
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
