//! One search: an e-graph grows from one expression until it holds a term that fits the sketch, or until a limit.
//!
//! The result is a function of expression, sketch, rules, cost, limits and seed. No clock decides anything.

use std::hash::{BuildHasher, Hash, Hasher};

use egg::Id;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rustc_hash::{FxBuildHasher, FxHashSet};
use sumac_la::{Dag, Machine, NodeId};
use sumac_sketch::{Extractor, Shape, SketchId, best_terms, found, nearest_until};

use super::apply::{Match, apply, search};
use super::cost::{Minimized, NodeCost};
use super::language::LaGraph;
use super::lower::{dag_of, graph_of};
use super::pattern::LaSketches;
use super::rules::{LaRule, RuleSet};
use crate::polish::polish;

/// E-nodes of a stage, where nothing else is said.
pub const NODES: usize = 10_000;
/// Rounds of a stage, where nothing else is said.
pub const ROUNDS: usize = 12;
/// Matches of one rule that one round applies at most.
const SAMPLE: usize = 250;
/// Rounds after the first term that fits a goal, to find a cheaper one. Guides end at the first.
const POLISH: usize = 2;
/// Changes that are tried to share parts.
const CHANGES: usize = 400;
/// A term may become so many times as large as the expression, and this much larger.
const GROWTH: (u32, u32) = (3, 24);

/// The units of limits, and what each counts.
pub const UNITS: [(&str, &str); 2] = [
    ("nodes", "e-nodes that the graph of a stage may have"),
    ("rounds", "rounds in which a stage applies its rules"),
];

/// What a stage may take.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StageLimits {
    /// E-nodes.
    pub nodes: usize,
    /// Rounds.
    pub rounds: usize,
}

impl Default for StageLimits {
    fn default() -> Self {
        StageLimits {
            nodes: NODES,
            rounds: ROUNDS,
        }
    }
}

/// How large the graph was after a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Round {
    /// E-nodes.
    pub nodes: usize,
    /// E-classes.
    pub classes: usize,
    /// Matches that were applied and told something new.
    pub applied: usize,
}

/// Why a stage ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// A term that fits was found.
    Found,
    /// No rule says anything new.
    Saturated,
    /// The limit of nodes.
    Nodes,
    /// The limit of rounds.
    Rounds,
}

impl Ended {
    /// In words.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Ended::Found => "a form that fits was found",
            Ended::Saturated => "the rules say nothing new",
            Ended::Nodes => "it came to the limit of nodes",
            Ended::Rounds => "it came to the limit of rounds",
        }
    }
}

/// What a stage is asked.
pub struct StageRequest<'a> {
    /// The expression to start from.
    pub dag: &'a Dag,
    /// Its root.
    pub root: NodeId,
    /// Sketches.
    pub sketches: &'a LaSketches,
    /// The one to fit.
    pub sketch: SketchId,
    /// `?` among them.
    pub any: SketchId,
    /// The rules.
    pub rules: &'a [&'a LaRule],
    /// What is minimized.
    pub minimized: Minimized,
    /// The machine that costs are for.
    pub machine: &'a Machine,
    /// What it may take.
    pub limits: StageLimits,
    /// Whether to look for a cheaper term once one was found.
    pub is_goal: bool,
    /// How many forms are wanted at most.
    pub forms: usize,
    /// Seed of the sampler.
    pub seed: u64,
}

/// How a stage ended.
#[derive(Clone, Debug)]
pub struct StageEnd {
    /// The forms that fit, the best first; none if it was not reached.
    pub forms: Vec<Dag>,
    /// After each round; the first is the expression itself.
    pub growth: Vec<Round>,
    /// Why it ended.
    pub ended: Ended,
    /// The form that comes nearest where none fits, and the ways to the parts of the sketch that it misses.
    pub nearest: Option<(Dag, Vec<Vec<usize>>)>,
    /// What was minimized: the size, where sizes are no numbers.
    pub minimized: Minimized,
}

/// Who is told of rounds: how many there were, and how large the graph is.
pub type Watch<'a> = &'a mut dyn FnMut(usize, Round);

/// Searches. `None` if cancelled.
pub fn run(
    request: &StageRequest<'_>,
    cancelled: &dyn Fn() -> bool,
    watch: Watch<'_>,
) -> Option<StageEnd> {
    let dag = tidied(request, cancelled)?;
    let root = *dag.roots().last()?;
    let (mut graph, class) = graph_of(&dag, root);
    let has_cost = request.minimized.of(&dag, root, request.machine).is_some();
    let minimized = if has_cost {
        request.minimized
    } else {
        Minimized::Size
    };
    let fits = |graph: &LaGraph| found(graph, class, request.sketches, request.sketch);
    let mut growth = vec![round_of(&graph, 0)];
    let mut grower = Grower::new(request, &graph, class);
    let mut left = None;
    let ended = loop {
        if left.is_none() && fits(&graph) {
            left = Some(if request.is_goal { POLISH } else { 0 });
        }
        match &mut left {
            Some(0) => break Ended::Found,
            Some(rounds) => *rounds -= 1,
            None => {}
        }
        let stop = if growth.len() > request.limits.rounds {
            Some(Ended::Rounds)
        } else {
            let (applied, stop) = grower.round(&mut graph, cancelled)?;
            growth.push(round_of(&graph, applied));
            watch(growth.len() - 1, *growth.last()?);
            stop
        };
        if let Some(stop) = stop {
            break if fits(&graph) { Ended::Found } else { stop };
        }
    };
    let (forms, near) = chosen(request, &graph, class, minimized, cancelled)?;
    Some(StageEnd {
        forms,
        growth,
        ended,
        nearest: near,
        minimized,
    })
}

fn round_of(graph: &LaGraph, applied: usize) -> Round {
    Round {
        nodes: graph.total_size(),
        classes: graph.number_of_classes(),
        applied,
    }
}

type Near = Option<(Dag, Vec<Vec<usize>>)>;

/// The best forms, or the nearest one.
fn chosen(
    request: &StageRequest<'_>,
    graph: &LaGraph,
    class: Id,
    minimized: Minimized,
    cancelled: &dyn Fn() -> bool,
) -> Option<(Vec<Dag>, Near)> {
    let cost = NodeCost::new(graph, request.machine, minimized);
    let (sketches, sketch, any) = (request.sketches, request.sketch, request.any);
    let extractor = Extractor::until(graph, sketches, any, sketch, &cost, cancelled)?;
    if extractor.score(class, sketch).is_none() {
        let near = nearest_until(&extractor, class, sketch, cancelled);
        if cancelled() {
            return None;
        }
        let near = near.and_then(|near| Some((dag_of(&near.term, request.dag)?, near.missed)));
        return Some((Vec::new(), near));
    }
    let mut terms: Vec<_> = extractor
        .refined(class, sketch, CHANGES)
        .into_iter()
        .collect();
    if request.forms > 1 {
        let more = best_terms(graph, (class, sketch), sketches, any, &cost, request.forms);
        terms.extend(more);
    }
    let mut forms: Vec<(f64, Dag)> = Vec::new();
    for chosen in terms {
        let Some(dag) = dag_of(&chosen.term, request.dag) else {
            continue;
        };
        // A guide keeps the shape that the next stage starts from.
        let dag = if request.is_goal {
            in_reading_order(request, dag)
        } else {
            dag
        };
        let root = *dag.roots().last()?;
        let figure = minimized.of(&dag, root, request.machine);
        let text = dag.print(root);
        if forms
            .iter()
            .all(|(_, known)| known.print(known.roots()[0]) != text)
        {
            forms.push((figure.unwrap_or(f64::MAX), dag));
        }
    }
    forms.sort_by(|a, b| a.0.total_cmp(&b.0));
    forms.truncate(request.forms.max(1));
    Some((forms.into_iter().map(|(_, dag)| dag).collect(), None))
}

/// A form with its sums of scalars in the order in which people read them, where that fits the sketch, too.
fn in_reading_order(request: &StageRequest<'_>, form: Dag) -> Dag {
    let mut ordered = Dag::default();
    // Inputs keep their numbers, for the sketch speaks of them by number.
    for input in request.dag.inputs() {
        ordered.input(&input.name, input.ty.clone());
    }
    let nice = polish(&form);
    let root = ordered.import(&nice, nice.roots()[0]);
    ordered.push_root(root);
    let (graph, class) = graph_of(&ordered, root);
    if found(&graph, class, request.sketches, request.sketch) {
        nice
    } else {
        form
    }
}

/// The expression with what is always simpler applied until nothing changes, and its smallest term taken. `None` if
/// cancelled.
fn tidied(request: &StageRequest<'_>, cancelled: &dyn Fn() -> bool) -> Option<Dag> {
    let (mut graph, class) = graph_of(request.dag, request.root);
    let rules: Vec<_> = super::rules::all()
        .iter()
        .filter(|rule| rule.set == RuleSet::Tidy)
        .collect();
    loop {
        let mut changed = false;
        for rule in &rules {
            for at in search(&graph, rule, cancelled)? {
                changed |= apply(&mut graph, rule, &at, u32::MAX);
            }
            graph.rebuild();
        }
        if !changed {
            break;
        }
    }
    let mut sketches = LaSketches::default();
    let any = sketches.add(Shape::Any);
    let cost = NodeCost::new(&graph, request.machine, Minimized::Size);
    let extractor = Extractor::new(&graph, &sketches, any, any, &cost);
    let term = extractor.term(class, any)?.term;
    let mut dag = Dag::default();
    let smallest = dag_of(&term, request.dag);
    // Inputs keep their numbers, for the sketch speaks of them by number.
    for input in request.dag.inputs() {
        dag.input(&input.name, input.ty.clone());
    }
    let root = match &smallest {
        Some(smallest) => dag.import(smallest, *smallest.roots().last()?),
        None => dag.import(request.dag, request.root),
    };
    dag.push_root(root);
    Some(dag)
}

/// Applies rules in rounds.
struct Grower<'a> {
    rules: &'a [&'a LaRule],
    limits: StageLimits,
    rng: ChaCha8Rng,
    /// Matches that were applied, by their hash.
    done: FxHashSet<u64>,
    most_size: u32,
}

impl<'a> Grower<'a> {
    fn new(request: &StageRequest<'a>, graph: &LaGraph, class: Id) -> Self {
        let (times, more) = GROWTH;
        Grower {
            rules: request.rules,
            limits: request.limits,
            rng: ChaCha8Rng::seed_from_u64(request.seed),
            done: FxHashSet::default(),
            most_size: graph[class]
                .data
                .size
                .saturating_mul(times)
                .saturating_add(more),
        }
    }

    /// One round: a seeded sample of each rule's new matches. How many told something new, and whether that was the end.
    /// `None` if cancelled.
    fn round(
        &mut self,
        graph: &mut LaGraph,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<(usize, Option<Ended>)> {
        let mut found: Vec<Vec<(u64, Match)>> = Vec::new();
        let mut is_complete = true;
        for rule in self.rules {
            let mut fresh: Vec<(u64, Match)> = Vec::new();
            for at in search(graph, rule, cancelled)? {
                let key = key(rule, &at);
                if !self.done.contains(&key) {
                    fresh.push((key, at));
                }
            }
            if fresh.len() > SAMPLE {
                is_complete = false;
                // Which are dropped is drawn; their order stays.
                let mut places: Vec<usize> = (0..fresh.len()).collect();
                let (kept, _) = places.partial_shuffle(&mut self.rng, SAMPLE);
                kept.sort_unstable();
                fresh = kept.iter().map(|place| fresh[*place].clone()).collect();
            }
            found.push(fresh);
        }
        let mut applied = 0;
        for (rule, matches) in self.rules.iter().zip(found) {
            for (key, at) in matches {
                if cancelled() {
                    return None;
                }
                self.done.insert(key);
                applied += usize::from(apply(graph, rule, &at, self.most_size));
                if graph.total_size() >= self.limits.nodes {
                    graph.rebuild();
                    return Some((applied, Some(Ended::Nodes)));
                }
            }
        }
        graph.rebuild();
        debug_assert!(!graph.analysis.broken, "a rule changed a shape");
        let ended = (applied == 0 && is_complete).then_some(Ended::Saturated);
        Some((applied, ended))
    }
}

fn key(rule: &LaRule, at: &Match) -> u64 {
    let mut hasher = FxBuildHasher.build_hasher();
    rule.name.hash(&mut hasher);
    at.class.hash(&mut hasher);
    at.letters.hash(&mut hasher);
    hasher.finish()
}
