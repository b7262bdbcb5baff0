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

/// Guides made of a pattern that are tried at most.
const MOST_GUIDES: usize = 6;
/// Ways of searches before that are tried at most.
const MOST_PAST: usize = 4;
/// Levels of operators that a guide made of the upper ones has.
const SKELETONS: [usize; 2] = [2, 1];

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

/// Guides by way of which a stage is reached, and its end.
pub(super) struct SynthesizedGuide {
    /// Each as a stage, with how it ended.
    pub(super) guides: Vec<(FilledStage, Arc<StageEnd>)>,
    /// How the stage ended, which was reached.
    pub(super) end: Arc<StageEnd>,
}

/// Guides by way of which the stage is reached: those of `past`, or one made of its own pattern. `Some(None)` where none was
/// found, `None` if cancelled.
pub(super) fn synthesized(
    asked: &Asked<'_>,
    dag: &Dag,
    stage: &FilledStage,
    past: &[Vec<Expr>],
    cache: &Cache,
    cancelled: &dyn Fn() -> bool,
) -> Option<Option<SynthesizedGuide>> {
    let past = past.iter().take(MOST_PAST).cloned();
    let own = made_of(&stage.pattern).into_iter().take(MOST_GUIDES);
    for ways in past.chain(own.map(|guide| vec![guide])) {
        if let Some(bridge) = by_way_of(asked, dag, stage, ways, cache, cancelled)? {
            return Some(Some(bridge));
        }
    }
    Some(None)
}

/// The stage by way of these guides, one after the other.
fn by_way_of(
    asked: &Asked<'_>,
    dag: &Dag,
    stage: &FilledStage,
    ways: Vec<Expr>,
    cache: &Cache,
    cancelled: &dyn Fn() -> bool,
) -> Option<Option<SynthesizedGuide>> {
    let mut from = dag.clone();
    let mut guides: Vec<(FilledStage, Arc<StageEnd>)> = Vec::new();
    for pattern in ways {
        let guide = FilledStage {
            kind: StageKind::Guide,
            label: "proposed guide".to_owned(),
            pattern,
            ..stage.clone()
        };
        let there = attempt(asked, &from, &guide, &stage.rules, cache, cancelled)?;
        let Some(form) = there.forms.first() else {
            return Some(None);
        };
        from = with_inputs(asked.dag, form, form.roots()[0]);
        guides.push((guide, there));
    }
    let end = attempt(asked, &from, stage, &stage.rules, cache, cancelled)?;
    let is_reached = !end.forms.is_empty();
    Some(is_reached.then_some(SynthesizedGuide { guides, end }))
}

/// A stage as a sketch file has it.
pub(super) fn text(stage: &FilledStage) -> String {
    let mut out = format!("{} {}", stage.kind.word(), stage.pattern);
    if !stage.rules.is_empty() {
        out.push_str(&format!(" using {}", stage.rules.join(", ")));
    }
    if let Some(cost) = &stage.cost {
        out.push_str(&format!(" minimize {cost}"));
    }
    let limits = stage.limits.iter();
    let limits: Vec<String> = limits
        .map(|(count, unit)| format!("{count} {unit}"))
        .collect();
    if !limits.is_empty() {
        out.push_str(&format!(" within {}", limits.join(", ")));
    }
    out
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
    // What cannot be read was said before the first search, so there is an end unless it was cancelled.
    let found = search(asked, dag, stage, names, cache, cancelled, &mut silent);
    found.ok().map(|(end, _)| end)
}

/// Guides made of a pattern: its upper operators over holes, then each part of it anywhere.
fn made_of(pattern: &Expr) -> Vec<Expr> {
    let mut found: Vec<Expr> = Vec::new();
    let skeletons = SKELETONS.map(|levels| skeleton(pattern, levels));
    for guide in skeletons.into_iter().flatten().chain(parts(pattern)) {
        let text = guide.to_string();
        let is_new = found.iter().all(|known| known.to_string() != text);
        if is_new && text != pattern.to_string() {
            found.push(guide);
        }
    }
    found
}

/// A pattern with holes for what lies deeper than some operators; `None` where nothing is left, or all is.
fn skeleton(pattern: &Expr, levels: usize) -> Option<Expr> {
    let cut = cut(pattern, levels);
    (cut.kind != ExprKind::Hole).then_some(cut)
}

fn cut(pattern: &Expr, levels: usize) -> Expr {
    let below = |part: &Expr| Box::new(cut(part, levels - 1));
    let beside = |part: &Expr| Box::new(cut(part, levels));
    let kind = match &pattern.kind {
        ExprKind::Call(name, args) if &*name.text == "contains" && args.len() == 1 => {
            let inner = beside(&args[0]);
            if inner.kind == ExprKind::Hole {
                ExprKind::Hole
            } else {
                ExprKind::Call(name.clone(), vec![*inner])
            }
        }
        ExprKind::Either(left, right) => {
            let (left, right) = (beside(left), beside(right));
            if left.kind == ExprKind::Hole || right.kind == ExprKind::Hole {
                ExprKind::Hole
            } else {
                ExprKind::Either(left, right)
            }
        }
        ExprKind::Annotated(of, ty) => ExprKind::Annotated(beside(of), ty.clone()),
        ExprKind::Call(..) | ExprKind::Unary(..) | ExprKind::Binary(..) if levels == 0 => {
            ExprKind::Hole
        }
        ExprKind::Call(name, args) => {
            ExprKind::Call(name.clone(), args.iter().map(|arg| *below(arg)).collect())
        }
        ExprKind::Unary(sign, of) => ExprKind::Unary(sign, below(of)),
        ExprKind::Binary(sign, left, right) => ExprKind::Binary(sign, below(left), below(right)),
        kind => kind.clone(),
    };
    Expr {
        range: pattern.range,
        kind,
    }
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
