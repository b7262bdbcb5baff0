//! The sequence of stages: each starts from the best form of the one before, and the last one ends at the goal.

use std::sync::Arc;
use std::time::Instant;

use sumac_cost::Machine;
use sumac_la::{Dag, NodeId};
use sumac_sketch::text::ast::{Expr, StageKind};
use sumac_sketch::text::print::with_places;
use sumac_sketch::text::{Filled, FilledStage, Prover, TextRange, Vocabulary};
use sumac_sketch::{Shape, SketchId};

use super::cache::Cache;
use super::cost::{COSTS, Minimized};
use super::growth::{Ground, Growth};
use super::guide_cache::GuideStore;
use super::listed;
use super::operators;
use super::pattern::{Inputs, LaSketches, sketch_of};
use super::rules::{self, RULE_SETS};
use super::stage::{self, Ended, Round, StageEnd, StageLimits, StageRequest, UNITS};
use super::synthesized_guide;
use crate::canonical::{self, Verdict};
use crate::options::CostModel;

/// The rules of a stage that names none.
const DEFAULT_RULES: &str = "sum_product";

/// What a guided search is asked.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The expression.
    pub dag: &'a Dag,
    /// Its root.
    pub root: NodeId,
    /// What the script calls an input of the expression; `None` where it has no name any more.
    pub name_of: &'a dyn Fn(&str) -> Option<Arc<str>>,
    /// The machine that costs are for.
    pub machine: &'a Machine,
    /// What stages minimize that do not say it.
    pub cost: CostModel,
    /// E-nodes of each stage at most, whatever the sketch allows.
    pub max_nodes: Option<usize>,
    /// Rounds of each stage at most, whatever the sketch allows.
    pub max_rounds: Option<usize>,
    /// Forms of the goal that are wanted at most.
    pub forms: usize,
    /// Seed of the sampler.
    pub seed: u64,
    /// Whether a stage that was not reached is searched again, for what would help.
    pub explains: bool,
    /// Whether a stage that was not reached is searched by way of guides that nobody wrote: made of its own pattern, or known
    /// from searches before.
    pub bridges: bool,
    /// Guides of other sessions, where the person wants them kept.
    pub learned: Option<&'a dyn GuideStore>,
}

/// A stage that was reached.
#[derive(Clone, Debug)]
pub struct Reached {
    /// `guide split`, `goal`.
    pub label: String,
    /// Its best form.
    pub form: Dag,
    /// What was minimized, and the figure; `None` where sizes are no numbers.
    pub cost: (&'static str, Option<f64>),
    /// The graph after each round.
    pub growth: Vec<Round>,
    /// Why the stage ended.
    pub ended: Ended,
    /// Whether this was known from an earlier search.
    pub was_known: bool,
    /// The stage as it would be written, where nobody wrote it.
    pub proposed: Option<String>,
}

/// Forms that fit the goal.
#[derive(Clone, Debug)]
pub struct Found {
    /// The best first; each proved equal to the expression.
    pub forms: Vec<Dag>,
    /// The stages on the way; the last is the goal.
    pub reached: Vec<Reached>,
    /// Wall time of the search. Decides nothing.
    pub milliseconds: f64,
}

/// A stage that was not reached.
#[derive(Clone, Debug)]
pub struct Unreached {
    /// `guide split`, `goal`.
    pub label: String,
    /// Its number, from 0.
    pub stage: usize,
    /// The pattern, with everything filled in.
    pub pattern: String,
    /// The parts of the pattern that the nearest form misses.
    pub missed: Vec<TextRange>,
    /// The form that misses the least, proved equal to the expression.
    pub nearest: Option<Dag>,
    /// The graph after each round.
    pub growth: Vec<Round>,
    /// Why the search ended.
    pub ended: Ended,
    /// The stages that were reached before.
    pub reached: Vec<Reached>,
    /// A set of rules with which the stage is reached.
    pub add: Option<&'static str>,
    /// A guide with which, put before it, the stage is reached.
    pub guide: Option<String>,
}

/// Why there is no form.
#[derive(Clone, Debug)]
pub enum Miss {
    /// The sketch cannot be used for this expression: text for a person.
    Wrong(String),
    /// A stage was not reached.
    Unreached(Box<Unreached>),
    /// Forms were found, and none could be proved equal.
    Unproved,
    /// It was cancelled.
    Cancelled,
}

/// What is told while a search runs.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// The stage that is searched.
    pub label: &'a str,
    /// Its number, from 1, and how many there are.
    pub stage: (usize, usize),
    /// Rounds of the stage so far.
    pub round: usize,
    /// E-nodes of the stage so far.
    pub nodes: usize,
    /// The best form of the stage before.
    pub best: &'a Dag,
}

/// What sketches of linear algebra may speak of.
#[must_use]
pub fn vocabulary() -> Vocabulary {
    Vocabulary {
        operators: operators::calls(),
        rule_sets: RULE_SETS.to_vec(),
        rules: rules::equations().collect(),
        costs: COSTS.to_vec(),
        units: UNITS.to_vec(),
        language: None,
        prover: Prover(Some(|equation| {
            listed::proved(equation)
                .map(drop)
                .map_err(|refused| refused.to_string())
        })),
    }
}

/// The rules of a set by name, each with its equation; none where there is no such set.
#[must_use]
pub fn rules_of(set: &str) -> Vec<(&'static str, String)> {
    rules::of_set(set).collect()
}

/// Searches for a form that fits the goal of a sketch, by way of its guides.
///
/// # Errors
/// See [`Miss`].
pub fn guided(
    asked: Asked<'_>,
    sketch: &Filled,
    cache: &Cache,
    cancelled: &dyn Fn() -> bool,
    watch: &mut dyn FnMut(Progress<'_>),
) -> Result<Found, Miss> {
    let begun = Instant::now();
    let mut dag = with_inputs(asked.dag, asked.dag, asked.root);
    let mut reached: Vec<Reached> = Vec::new();
    let mut ways: Vec<Expr> = Vec::new();
    let count = sketch.stages.len();
    // What no stage can read is said before anything is searched.
    for stage in &sketch.stages {
        Plan::new(&asked, &dag, &stage.pattern).map_err(Miss::Wrong)?;
    }
    for (number, stage) in sketch.stages.iter().enumerate() {
        let before = dag.clone();
        let mut told = |round: usize, after: Round| {
            watch(Progress {
                label: &stage.label,
                stage: (number + 1, count),
                round,
                nodes: after.nodes,
                best: &before,
            });
        };
        let (mut end, was_known) = search(
            &asked,
            &dag,
            stage,
            &stage.rules,
            cache,
            cancelled,
            &mut told,
        )?;
        if end.forms.is_empty() && asked.bridges && !end.ended.is_all() {
            let past = &cache.guides.of(&stage.pattern, asked.learned);
            let synthesized =
                synthesized_guide::synthesized(&asked, &dag, stage, past, cache, cancelled);
            if let Some(synthesized) = synthesized.ok_or(Miss::Cancelled)? {
                for (guide, end) in &synthesized.guides {
                    let form = end.forms.first().ok_or(Miss::Unproved)?;
                    reached.push(Reached {
                        proposed: Some(synthesized_guide::text(guide)),
                        ..Reached::new(&asked, guide, form, end, false)
                    });
                    ways.push(guide.pattern.clone());
                }
                end = synthesized.end;
            }
        }
        let Some(form) = end.forms.first() else {
            let unreached = unreached(
                &asked,
                &dag,
                (number, stage),
                &end,
                reached,
                cache,
                cancelled,
            );
            return Err(unreached.map_or(Miss::Cancelled, |it| Miss::Unreached(Box::new(it))));
        };
        let root = form.roots()[0];
        reached.push(Reached::new(&asked, stage, form, &end, was_known));
        if number + 1 == count {
            cache.guides.keep(&stage.pattern, &ways, asked.learned);
            let mut forms = end.forms.clone();
            forms.retain(|form| is_proved(&asked, form));
            return if forms.is_empty() {
                Err(Miss::Unproved)
            } else {
                Ok(Found {
                    forms,
                    reached,
                    milliseconds: begun.elapsed().as_secs_f64() * 1e3,
                })
            };
        }
        ways.push(stage.pattern.clone());
        dag = with_inputs(asked.dag, form, root);
    }
    Err(Miss::Wrong("the sketch has no goal".to_owned()))
}

impl Reached {
    fn new(
        asked: &Asked<'_>,
        stage: &FilledStage,
        form: &Dag,
        end: &StageEnd,
        was_known: bool,
    ) -> Self {
        let root = form.roots()[0];
        Reached {
            label: stage.label.clone(),
            cost: (
                end.minimized.name(),
                end.minimized.of(form, root, asked.machine),
            ),
            form: form.clone(),
            growth: end.growth.clone(),
            ended: end.ended,
            was_known,
            proposed: None,
        }
    }
}

/// Whether the canonical form proves that a form equals the expression, and both are of one kind and size.
fn is_proved(asked: &Asked<'_>, form: &Dag) -> bool {
    let root = form.roots()[0];
    let (a, b) = (asked.dag.ty(asked.root), form.ty(root));
    let alike = a.kind == b.kind && a.rows == b.rows && a.cols == b.cols;
    let verdict = || canonical::decide((asked.dag, asked.root), (form, root));
    alike && matches!(verdict(), Verdict::Equal(proof) if proof.conditions.is_empty())
}

/// An expression alone, with all inputs of `given` under their numbers, for sketches speak of them by number.
pub(super) fn with_inputs(given: &Dag, from: &Dag, root: NodeId) -> Dag {
    let mut dag = Dag::default();
    for input in given.inputs() {
        dag.input(&input.name, input.ty.clone());
    }
    let root = dag.import(from, root);
    dag.push_root(root);
    dag
}

/// A pattern as a sketch over an expression.
pub(super) struct Plan {
    pub(super) sketches: LaSketches,
    any: SketchId,
    pub(super) sketch: SketchId,
}

impl Plan {
    pub(super) fn new(asked: &Asked<'_>, dag: &Dag, pattern: &Expr) -> Result<Plan, String> {
        let by_name = |name: &str| {
            let is_it = |input: &sumac_la::Input| {
                (asked.name_of)(&input.name).is_some_and(|own| &*own == name)
            };
            let place = dag.inputs().iter().position(is_it)?;
            u32::try_from(place).ok()
        };
        let inputs = Inputs {
            dag,
            by_name: &by_name,
        };
        let mut sketches = LaSketches::default();
        let any = sketches.add(Shape::Any);
        let sketch = sketch_of(pattern, &inputs, &mut sketches)?;
        Ok(Plan {
            sketches,
            any,
            sketch,
        })
    }
}

/// The names of the rules of a stage.
pub(super) fn named(rules: &[Arc<str>]) -> Vec<&str> {
    if rules.is_empty() {
        vec![DEFAULT_RULES]
    } else {
        rules.iter().map(|name| &**name).collect()
    }
}

/// One stage from `dag` with other rules, or what is known of it.
pub(super) fn search(
    asked: &Asked<'_>,
    dag: &Dag,
    stage: &FilledStage,
    names: &[Arc<str>],
    cache: &Cache,
    cancelled: &dyn Fn() -> bool,
    watch: stage::Watch<'_>,
) -> Result<(Arc<StageEnd>, bool), Miss> {
    let plan = Plan::new(asked, dag, &stage.pattern).map_err(Miss::Wrong)?;
    let names = named(names);
    let own = listed::all(&stage.equations).map_err(Miss::Wrong)?;
    let mut rules = rules::chosen(names.iter().copied());
    rules.extend(own.iter().map(|rule| &**rule));
    let minimized = match &stage.cost {
        Some(name) => {
            Minimized::named(name).ok_or_else(|| Miss::Wrong(format!("`{name}` is not a cost")))?
        }
        None => Minimized::Figure(asked.cost),
    };
    let mut limits = StageLimits::default();
    for (count, unit) in &stage.limits {
        limits = limits.with(*count, unit);
    }
    limits.nodes = limits.nodes.min(asked.max_nodes.unwrap_or(usize::MAX));
    limits.rounds = limits.rounds.min(asked.max_rounds.unwrap_or(usize::MAX));
    let is_goal = stage.kind == StageKind::Goal;
    let root = *dag.roots().last().expect("it has a root");
    let mut key = format!(
        "{} {} {names:?} {minimized:?} {limits:?} {is_goal} {} {} {:?}\n",
        dag.print(root),
        stage.pattern,
        asked.forms,
        asked.seed,
        asked.machine
    );
    // Of rounds, names and costs a growth knows nothing.
    let mut ground_key = format!(
        "{} {names:?} {} {:?} {}\n",
        dag.print(root),
        limits.nodes,
        limits.filters,
        asked.seed
    );
    for equation in &stage.equations {
        let equation = format!("{} {}\n", equation.name, listed::key(equation));
        key.push_str(&equation);
        ground_key.push_str(&equation);
    }
    for input in dag.inputs() {
        ground_key.push_str(&format!("{} {:?}\n", input.name, input.ty));
        let name = (asked.name_of)(&input.name);
        key.push_str(&format!("{} {name:?} {:?}\n", input.name, input.ty));
    }
    let request = StageRequest {
        dag,
        sketches: &plan.sketches,
        sketch: plan.sketch,
        any: plan.any,
        minimized,
        machine: asked.machine,
        is_goal,
        forms: if is_goal { asked.forms } else { 1 },
    };
    let end = cache.get(key, || {
        let new = || Growth::of(dag, root, asked.seed, cancelled);
        cache.with_growth(ground_key, new, |growth, most_bytes| {
            let ground = Ground {
                rules: &rules,
                limits,
                most_bytes,
            };
            stage::run(&request, growth, &ground, cancelled, watch)
        })
    });
    end.ok_or(Miss::Cancelled)
}

/// All there is to say of a stage that was not reached. `None` if cancelled.
fn unreached(
    asked: &Asked<'_>,
    dag: &Dag,
    (number, stage): (usize, &FilledStage),
    end: &StageEnd,
    reached: Vec<Reached>,
    cache: &Cache,
    cancelled: &dyn Fn() -> bool,
) -> Option<Unreached> {
    let near = end
        .nearest
        .as_ref()
        .filter(|(form, _)| is_proved(asked, form));
    let ways = near.map_or(&[][..], |(_, missed)| missed);
    let (pattern, missed) = with_places(&stage.pattern, ways);
    let add = if asked.explains {
        synthesized_guide::missing_set(asked, dag, stage, cache, cancelled)?
    } else {
        None
    };
    let guide = match add {
        Some(_) => None,
        // Whoever has guides tried has had them tried.
        None if !asked.explains || asked.bridges || end.ended.is_all() => None,
        None => {
            let synthesized =
                synthesized_guide::synthesized(asked, dag, stage, &[], cache, cancelled)?;
            synthesized.map(|synthesized| {
                let guides: Vec<String> = synthesized
                    .guides
                    .iter()
                    .map(|(guide, _)| synthesized_guide::text(guide))
                    .collect();
                guides.join("; ")
            })
        }
    };
    Some(Unreached {
        label: stage.label.clone(),
        stage: number,
        pattern,
        missed,
        nearest: near.map(|(form, _)| form.clone()),
        growth: end.growth.clone(),
        ended: end.ended,
        reached,
        add,
        guide,
    })
}
