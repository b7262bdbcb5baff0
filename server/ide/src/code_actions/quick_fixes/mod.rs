//! Quick fixes: each is bound to a diagnostic, is one file, and is registered by one line in [`ALL`].

mod allow;
mod as_scalar;
mod did_you_mean;
mod double_sign;
pub(super) mod fix;
mod remove_allow;
mod remove_source;
pub(super) mod remove_statement;
mod replace_deprecated;
mod solve;
mod state_argument;
mod state_size;
mod transpose;

use sumac_text::{TextEdit, TextRange};

use super::action::{Action, ActionContext, Effect, kinds};
use crate::diagnostic::Diagnostic;
use crate::diagnostics::diagnostics;
use crate::snapshot::Snapshot;
use fix::Fix;

type Fixer = fn(&Snapshot, &Diagnostic) -> Option<Fix>;

const ALL: [Fixer; 14] = [
    did_you_mean::fix,
    double_sign::fix,
    as_scalar::fix,
    transpose::right,
    transpose::left,
    replace_deprecated::fix,
    solve::fix,
    remove_statement::fix,
    remove_source::fix,
    remove_allow::fix,
    state_size::fix,
    state_argument::fix,
    allow::statement,
    allow::file,
];

pub(super) fn offer(context: &ActionContext<'_>, acc: &mut Vec<Action>) {
    let snapshot = context.snapshot;
    let all = diagnostics(snapshot);
    let touched = |found: &&Diagnostic| {
        found.range.start <= context.range.end && context.range.start <= found.range.end
    };
    for found in all.iter().filter(touched) {
        let first = acc.len();
        for fixer in ALL {
            let Some(fix) = fixer(snapshot, found) else {
                continue;
            };
            // One change of a place can put several right.
            let effect = Effect::Edit(fix.edits.clone());
            let known = acc
                .iter_mut()
                .find(|it| it.title == fix.title && it.effect == effect);
            if let Some(known) = known {
                known.fixes.push(found.clone());
                continue;
            }
            let everywhere = fix.is_safe.then(|| same(snapshot, &all, found.code, fixer));
            acc.push(Action {
                fixes: vec![found.clone()],
                is_preferred: fix.is_preferred,
                ..Action::new(fix.title, kinds::QUICK_FIX, Effect::Edit(fix.edits))
            });
            let title = format!("Fix all `{}` in this file", found.code);
            if let Some((edits, fixes)) = everywhere
                && fixes.len() > 1
                && acc.iter().all(|action| action.title != title)
            {
                acc.push(Action {
                    fixes,
                    ..Action::new(title, kinds::QUICK_FIX, Effect::Edit(edits))
                });
            }
        }
        acc[first..].sort_by_key(|action| !is_transposed_here(action, context.range));
    }
}

/// Whether it transposes what is under the cursor: of two operands that is the first to offer.
fn is_transposed_here(action: &Action, cursor: TextRange) -> bool {
    let Effect::Edit(edits) = &action.effect else {
        return false;
    };
    let is_here =
        |edit: &TextEdit| edit.range.start <= cursor.start && cursor.end <= edit.range.end;
    action.title.starts_with(transpose::TITLE) && edits.iter().any(is_here)
}

/// What one fixer can do for all diagnostics of a code at once. Of two that touch the same text the first wins.
fn same(
    snapshot: &Snapshot,
    all: &[Diagnostic],
    code: &str,
    fixer: Fixer,
) -> (Vec<TextEdit>, Vec<Diagnostic>) {
    let (mut edits, mut fixed): (Vec<TextEdit>, Vec<Diagnostic>) = (Vec::new(), Vec::new());
    for found in all.iter().filter(|found| found.code == code) {
        let Some(fix) = fixer(snapshot, found).filter(|fix| fix.is_safe) else {
            continue;
        };
        let meets = |a: &TextEdit, b: &TextEdit| {
            a.range.start < b.range.end && b.range.start < a.range.end || a.range == b.range
        };
        let is_free = |edit: &TextEdit| !edits.iter().any(|taken| meets(edit, taken));
        if fix.edits.iter().all(is_free) {
            edits.extend(fix.edits);
            fixed.push(found.clone());
        }
    }
    edits.sort_by_key(|edit| edit.range);
    (edits, fixed)
}

#[cfg(test)]
mod tests;
