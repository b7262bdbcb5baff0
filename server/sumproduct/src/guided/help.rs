//! What helps a stage that was not reached: a set of rules that was missing, or a guide on the way. Both are tried before
//! they are proposed.

use std::sync::Arc;

use sumac_la::Dag;
use sumac_sketch::text::FilledStage;
use sumac_sketch::text::ast::{Expr, ExprKind, Name, StageKind};

use super::cache::Cache;
use super::rules::RULE_SETS;
use super::run::{Asked, search, with_inputs};
use super::stage::{Round, StageEnd};

/// Guides that are tried at most.
const MOST_GUIDES: usize = 6;

/// A set of rules with which the stage is reached: a single one where that is enough, else all. `Some(None)` where no
/// set helps, `None` if cancelled.
pub(super) fn missing_set(
    asked: &Asked<'_>,
    dag: &Dag,
    stage: &FilledStage,
    cache: &Cache,
    cancelled: &dyn Fn() -> bool,
) -> Option<Option<&'static str>> {
    let given = |name: &str| stage.rules.iter().any(|own| &**own == name);
    if stage.rules.is_empty() || given("sum_product") && given("fuse") {
        return Some(None);
    }
    let with = |more: &[&str]| {
        let mut names = stage.rules.clone();
        names.extend(more.iter().map(|name| Arc::from(*name)));
        attempt(asked, dag, stage, &names, cache, cancelled)
    };
    if with(&["sum_product", "fuse"])?.forms.is_empty() {
        return Some(None);
    }
    let (all, single) = RULE_SETS.split_first()?;
    for (name, _) in single.iter().chain([all]) {
        if !given(name) && !with(&[name])?.forms.is_empty() {
            return Some(Some(name));
        }
    }
    Some(None)
}

/// A guide made of a part of the pattern, with which the stage is reached. `Some(None)` where none was found, `None` if
/// cancelled.
pub(super) fn guide(
    asked: &Asked<'_>,
    dag: &Dag,
    stage: &FilledStage,
    cache: &Cache,
    cancelled: &dyn Fn() -> bool,
) -> Option<Option<String>> {
    for part in parts(&stage.pattern).into_iter().take(MOST_GUIDES) {
        let guide = FilledStage {
            kind: StageKind::Guide,
            pattern: part,
            ..stage.clone()
        };
        let there = attempt(asked, dag, &guide, &stage.rules, cache, cancelled)?;
        let Some(form) = there.forms.first() else {
            continue;
        };
        let from = with_inputs(asked, form, form.roots()[0]);
        let end = attempt(asked, &from, stage, &stage.rules, cache, cancelled)?;
        if !end.forms.is_empty() {
            return Some(Some(format!("guide {}", guide.pattern)));
        }
    }
    Some(None)
}

fn attempt(
    asked: &Asked<'_>,
    dag: &Dag,
    stage: &FilledStage,
    names: &[Arc<str>],
    cache: &Cache,
    cancelled: &dyn Fn() -> bool,
) -> Option<Arc<StageEnd>> {
    let mut silent = |_: usize, _: Round| {};
    // What cannot be read was said before the first search, so there is an end unless it was called off.
    let found = search(asked, dag, stage, names, cache, cancelled, &mut silent);
    found.ok().map(|(end, _)| end)
}

/// The parts of a pattern that say something, as `contains(part)`, the larger ones first.
fn parts(pattern: &Expr) -> Vec<Expr> {
    let mut found: Vec<(usize, Expr)> = Vec::new();
    pattern.walk(&mut |part| {
        let mut heads = 0;
        part.walk(&mut |inner| {
            heads += usize::from(matches!(
                inner.kind,
                ExprKind::Call(..) | ExprKind::Binary(..) | ExprKind::Unary(..)
            ));
        });
        let says = matches!(&part.kind, ExprKind::Call(name, _) if &*name.text != "contains")
            || matches!(part.kind, ExprKind::Binary(..));
        let is_whole = part.range == pattern.range && part.kind == pattern.kind;
        if says && !is_whole && heads > 0 && found.iter().all(|(_, known)| known.kind != part.kind)
        {
            found.push((heads, part.clone()));
        }
    });
    found.sort_by_key(|(heads, _)| std::cmp::Reverse(*heads));
    let contains = |part: Expr| Expr {
        range: part.range,
        kind: ExprKind::Call(
            Name {
                text: Arc::from("contains"),
                range: part.range,
            },
            vec![part],
        ),
    };
    found.into_iter().map(|(_, part)| contains(part)).collect()
}
