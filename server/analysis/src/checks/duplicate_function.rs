//! Two functions of one name in one script: SystemDS refuses the script.

use std::collections::BTreeMap;

use super::{Checked, diagnostic};
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    let mut first = BTreeMap::new();
    for def in checked.functions() {
        let name = &def.name;
        let range = *first.entry(&*name.name).or_insert(name.range);
        if range != name.range {
            let message = format!(
                "there is another function `{0}` in this script; give one of them a new name",
                name.name
            );
            acc.push(Diagnostic {
                related: vec![(range, format!("`{}` is defined here first", name.name))],
                ..diagnostic(codes::DUPLICATE_FUNCTION, name.range, message)
            });
        }
    }
}
