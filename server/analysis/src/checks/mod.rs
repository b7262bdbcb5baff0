//! Checks that look at a finished analysis: one file each, a pure pass over the program and what is known of it. Most look at
//! one unit, so that they run again only where something changed.
//!
//! They add diagnostics and nothing else. What `#@ allow` silences is decided last, over all of them. A check speaks
//! only where SystemDS itself would complain or do what nobody means, or where a builtin made for it does it better: where it
//! cannot know, it is silent.

mod accumulation;
mod allow;
mod by_name;
mod call_form;
pub(crate) mod checked;
mod constants;
mod deprecated;
mod double_signs;
mod duplicate_function;
mod explicit_inverse;
mod heads;
mod impossible;
mod kinds;
mod loop_variable;
mod matrix_type;
mod nan_comparison;
mod own_calls;
mod printed;
mod scalar_required;
mod self_assignment;
mod shadowed_builtin;
mod transposed;
mod unreachable;
mod unset_result;
mod unused_function;
mod unused_namespace;
mod unused_parameter;

pub use constants::is_constant;
pub use deprecated::REPLACEMENTS;
pub use explicit_inverse::Solved;
pub use transposed::fitting;

use std::cell::OnceCell;

use sumac_syntax::Unit;

use crate::db::world::World;
use crate::result::{Analysis, Diagnostic};
use checked::{Checked, CheckedFile, Summary};

type Check = fn(&Checked<'_>, &mut Vec<Diagnostic>);
type FileCheck = fn(&CheckedFile<'_>, &mut Vec<Diagnostic>);

/// Checks that look at one function, or at the main program, and at the heads of what it calls.
const OF_UNITS: [Check; 20] = [
    accumulation::check,
    by_name::check,
    call_form::check,
    constants::check,
    deprecated::check,
    double_signs::check,
    explicit_inverse::check,
    heads::check,
    impossible::check,
    kinds::check,
    loop_variable::check,
    matrix_type::check,
    nan_comparison::check,
    own_calls::check,
    printed::check,
    scalar_required::check,
    self_assignment::check,
    unreachable::check,
    unset_result::check,
    unused_parameter::check,
];

/// Checks that look at all functions of a file.
const OF_FILES: [FileCheck; 4] = [
    duplicate_function::check,
    shadowed_builtin::check,
    unused_function::check,
    unused_namespace::check,
];

/// Runs the checks of a unit. What is known of it must be sorted.
pub(crate) fn of_unit(unit: &Unit, world: &World<'_>, out: &mut Analysis) -> Summary {
    let mut found = Vec::new();
    let mut diagnostics = std::mem::take(&mut out.diagnostics);
    let checked = Checked {
        program: &unit.program,
        text: &unit.text,
        analysis: out,
        errors: &unit.errors,
        world,
        branches: OnceCell::new(),
    };
    for check in OF_UNITS {
        check(&checked, &mut found);
    }
    transposed::explain(&checked, &mut diagnostics);
    diagnostics.extend(found);
    let summary = Summary::of(&checked);
    out.diagnostics = diagnostics;
    summary
}

/// Runs the checks of a file whose units are checked, then takes out what the script allows.
pub(crate) fn of_file(checked: &CheckedFile<'_>, out: &mut Analysis) {
    for check in OF_FILES {
        check(checked, &mut out.diagnostics);
    }
    out.silenced = allow::apply(&checked.reading.script, &mut out.diagnostics);
}
