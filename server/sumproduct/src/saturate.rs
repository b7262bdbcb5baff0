//! Saturation: grows the graph by the rules within hard bounds (SPORES section 3.1).
//!
//! Each round lists the matches that were not applied before, samples a bounded number for each rule with a seeded
//! generator, applies them, and restores congruence. The node bound is checked after every single application, so it is
//! never exceeded by more than one rule's result and what restoring order adds; so is the bound on memory, which counts
//! the matches, too. Nothing here looks at costs.

use std::hash::{BuildHasher, Hash};

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::build::Relations;
use crate::footprint;
use crate::options::{Options, Strategy};
use crate::rules::{self, Match, Rule};
use crate::translate::Translation;

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// No rule has anything to add.
    Saturated,
    /// The bound on e-nodes.
    Nodes,
    /// The bound on iterations.
    Iterations,
    /// The bound on memory.
    Memory,
    /// The bound on steps: e-nodes looked at, and matches found and applied.
    Steps,
    /// Somebody cancelled.
    Cancelled,
}

impl Stopped {
    /// As results show it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Stopped::Saturated => "saturated",
            Stopped::Nodes => "node limit",
            Stopped::Iterations => "iteration limit",
            Stopped::Memory => "memory limit",
            Stopped::Steps => "step limit",
            Stopped::Cancelled => "cancelled",
        }
    }
}

/// Steps are a safety net only: searches end by nodes and iterations long before. A step takes a microsecond or two.
const MOST_STEPS: usize = 10_000_000;

/// E-nodes that may be made for each one that may stay: merging leaves some behind, and restoring order may make any number.
const MADE_FOR_ONE: usize = 10;

/// Grows the relations of `translation`. Returns the iterations done and why it ended. What was cancelled is not put in
/// order: it can only be dropped. `after_round` sees the graph in order, and the number of rounds so far.
pub fn saturate(
    translation: &mut Translation,
    options: &Options,
    max_nodes: usize,
    cancelled: &dyn Fn() -> bool,
    after_round: &mut dyn FnMut(&Translation, usize),
) -> (usize, Stopped) {
    let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
    let mut applied: FxHashSet<u64> = FxHashSet::default();
    let mut steps = 0;
    let by_memory = footprint::most_nodes(options.max_graph_bytes);
    let by_nodes = max_nodes.saturating_mul(MADE_FOR_ONE);
    translation.relations.most_nodes = by_memory.min(by_nodes);
    let unless_cancelled = |why| {
        if cancelled() { Stopped::Cancelled } else { why }
    };
    for iteration in 0..options.max_iterations {
        let mut found: Vec<Vec<(u64, Match)>> = vec![Vec::new(); Rule::GROUPS];
        let mut matches = Vec::new();
        let mut waiting = 0;
        let is_too_large = |relations: &Relations, waiting: usize, applied: usize| {
            let bytes = footprint::of_graph(relations) + footprint::of_matches(waiting, applied);
            bytes as u64 > options.max_graph_bytes
        };
        let relations = &mut translation.relations;
        let usable = rules::usable(relations);
        for class in relations.classes() {
            if cancelled() {
                return (iteration, Stopped::Cancelled);
            }
            steps += relations.graph[class].nodes.len();
            for node in relations.nodes(class) {
                let pairs = rules::pairs_at(relations, node);
                if is_too_large(relations, waiting + pairs, applied.len()) {
                    return (iteration, Stopped::Memory);
                }
                rules::search_node(relations, (class, node), &usable, &mut matches);
                steps += matches.len();
                for m in matches.drain(..) {
                    let key = hash(&m);
                    if !applied.contains(&key) {
                        found[m.rule.group()].push((key, m));
                        waiting += 1;
                    }
                }
                if is_too_large(relations, waiting, applied.len()) {
                    return (iteration, Stopped::Memory);
                }
            }
        }
        if found.iter().all(Vec::is_empty) {
            return (iteration, Stopped::Saturated);
        }
        for mut of_rule in found {
            if options.strategy == Strategy::Sampling && of_rule.len() > options.sample {
                let (chosen, _) = of_rule.partial_shuffle(&mut rng, options.sample);
                let mut chosen = chosen.to_vec();
                chosen.sort_unstable_by(|a, b| a.1.cmp(&b.1));
                of_rule = chosen;
            }
            for (key, m) in of_rule {
                if cancelled() {
                    return (iteration + 1, Stopped::Cancelled);
                }
                applied.insert(key);
                let made = relations.graph.nodes().len();
                rules::apply(relations, &m);
                steps += 1 + relations.graph.nodes().len() - made;
                if relations.graph.total_size() >= max_nodes {
                    relations.rebuild_unless(cancelled);
                    return (iteration + 1, unless_cancelled(Stopped::Nodes));
                }
                if is_too_large(relations, waiting, applied.len()) {
                    relations.rebuild_unless(cancelled);
                    return (iteration + 1, unless_cancelled(Stopped::Memory));
                }
            }
        }
        relations.rebuild_unless(cancelled);
        if cancelled() {
            return (iteration + 1, Stopped::Cancelled);
        }
        if translation.relations.is_full() {
            let why = if by_memory <= by_nodes {
                Stopped::Memory
            } else {
                Stopped::Nodes
            };
            return (iteration + 1, why);
        }
        after_round(translation, iteration + 1);
        if steps > MOST_STEPS {
            return (iteration + 1, Stopped::Steps);
        }
    }
    (options.max_iterations, Stopped::Iterations)
}

fn hash(m: &Match) -> u64 {
    let mut hasher = FxBuildHasher.build_hasher();
    m.hash(&mut hasher);
    std::hash::Hasher::finish(&hasher)
}
