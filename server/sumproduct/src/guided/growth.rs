//! How the graph of a stage grows: rounds in which rules are applied, whatever is looked for.
//!
//! A growth is a function of expression, rules, limits and seed. Sketches and costs only look at its rounds, so one growth
//! serves every stage that begins alike: a search looks through the rounds that are there and goes on from the last one, and
//! finds what it would have found alone. Must never learn of a sketch or a cost.

use std::hash::{BuildHasher, Hash, Hasher};

use egg::Id;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rustc_hash::{FxBuildHasher, FxHashSet};
use sumac_cost::Machine;
use sumac_la::{Dag, NodeId};
use sumac_sketch::{Extractor, Shape};

use super::apply::{Match, Verdict, apply, judge, search};
use super::cost::{Minimized, NodeCost};
use super::filter::Filter;
use super::language::LaGraph;
use super::lower::{dag_of, graph_of};
use super::pattern::LaSketches;
use super::rules::{self, LaRule, RuleSet};
use super::run::with_inputs;
use super::stage::{Ended, Round, StageLimits};
use crate::footprint;

/// Matches between two looks at whether the search was cancelled.
const POLLED: usize = 1024;
/// Matches of one rule that one round applies at most.
const SAMPLE: usize = 250;
/// A term may become so many times as large as the expression, and this much larger.
const GROWTH: (u32, u32) = (3, 24);
/// Bytes of a match that was applied, in the table of them.
const APPLIED: usize = 12;

/// What a growth depends on beside the expression.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// The rules.
    pub rules: &'a [&'a LaRule],
    /// What the stage may take. Rounds do not count: whoever looks decides how many there are to be.
    pub limits: StageLimits,
    /// Bytes of rounds that are kept. With more, only the last one stays.
    pub most_bytes: usize,
}

/// The graph after a round.
struct Grown {
    graph: LaGraph,
    about: Round,
    ended: Option<Ended>,
    bytes: usize,
}

/// The rounds of a growth.
pub struct Growth {
    dag: Dag,
    class: Id,
    rounds: Vec<Grown>,
    /// The number of the first of them: 0 unless they became too large to be kept.
    first: usize,
    most_size: u32,
    rng: ChaCha8Rng,
    /// Matches that were applied, by their hash.
    done: FxHashSet<u64>,
}

impl Growth {
    /// Of an expression: what is always simpler is applied, and no rule yet. `None` if cancelled.
    pub fn of(dag: &Dag, root: NodeId, seed: u64, cancelled: &dyn Fn() -> bool) -> Option<Growth> {
        let dag = tidied(dag, root, cancelled)?;
        let (graph, class) = graph_of(&dag, *dag.roots().last()?);
        let (times, more) = GROWTH;
        let size = graph[class].data.size;
        Some(Growth {
            dag,
            class,
            first: 0,
            most_size: size.saturating_mul(times).saturating_add(more),
            rounds: vec![Grown::new(graph, 0, None)],
            rng: ChaCha8Rng::seed_from_u64(seed),
            done: FxHashSet::default(),
        })
    }

    /// The expression that it grew from.
    pub fn dag(&self) -> &Dag {
        &self.dag
    }

    /// The class of the expression.
    pub fn class(&self) -> Id {
        self.class
    }

    /// The graph after so many rounds, which there must be, what is to be told of it, and whether no round can follow.
    pub fn after(&self, rounds: usize) -> (&LaGraph, Round, Option<Ended>) {
        let grown = &self.rounds[rounds - self.first];
        (&grown.graph, grown.about, grown.ended)
    }

    /// Rounds that there are.
    pub fn rounds(&self) -> usize {
        self.first + self.rounds.len() - 1
    }

    /// Whether all rounds are there, so that another search could look through them.
    pub fn is_whole(&self) -> bool {
        self.first == 0
    }

    /// Bytes of memory that it takes, by estimate.
    pub fn bytes(&self) -> usize {
        let rounds = self.rounds.iter().map(|grown| grown.bytes).sum::<usize>();
        rounds + self.done.len() * APPLIED
    }

    /// Grows by a round. `None` if cancelled; then it is as it was, unless it is not whole.
    pub fn grow(&mut self, ground: &Ground<'_>, cancelled: &dyn Fn() -> bool) -> Option<()> {
        // The next round is larger than the last one, often by far.
        let last = self.rounds.last()?;
        if !self.is_whole() || self.bytes() + 2 * last.bytes > ground.most_bytes {
            self.first += self.rounds.len();
            let mut last = self.rounds.pop()?;
            self.rounds.clear();
            let (applied, ended) = self.round(&mut last.graph, ground, cancelled)?;
            self.rounds.push(Grown::new(last.graph, applied, ended));
            return Some(());
        }
        let mut graph = last.graph.clone();
        let rng = self.rng.clone();
        let Some((applied, ended)) = self.round(&mut graph, ground, cancelled) else {
            self.rng = rng;
            return None;
        };
        self.rounds.push(Grown::new(graph, applied, ended));
        Some(())
    }

    /// One round: a seeded sample of each rule's new matches. How many told something new, and whether that was the end.
    /// `None` if cancelled; then only the seed has moved on.
    fn round(
        &mut self,
        graph: &mut LaGraph,
        ground: &Ground<'_>,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<(usize, Option<Ended>)> {
        let filters = ground.limits.filters;
        let filter = Filter::of(graph, self.class, self.most_size, filters, cancelled)?;
        let mut found: Vec<Vec<(u64, Match)>> = Vec::new();
        let (mut is_complete, mut is_filtered) = (true, false);
        for rule in ground.rules {
            let mut fresh: Vec<(u64, Match)> = Vec::new();
            for (number, at) in search(graph, rule, cancelled)?.into_iter().enumerate() {
                if number.is_multiple_of(POLLED) && cancelled() {
                    return None;
                }
                let key = key(rule, &at);
                if self.done.contains(&key) {
                    continue;
                }
                // What is forbidden takes no place of what is not, and may be let once smaller forms are known.
                if filters.is_any() && judge(graph, rule, &at, &filter) == Verdict::Forbidden {
                    is_filtered = true;
                    continue;
                }
                fresh.push((key, at));
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
        let mut seen: Vec<u64> = Vec::new();
        let mut ended = None;
        'all: for (rule, matches) in ground.rules.iter().zip(found) {
            for (key, at) in matches {
                if cancelled() {
                    return None;
                }
                seen.push(key);
                applied += usize::from(apply(graph, rule, &at, &filter));
                if graph.total_size() >= ground.limits.nodes {
                    ended = Some(Ended::Nodes);
                    break 'all;
                }
            }
        }
        graph.rebuild();
        debug_assert!(!graph.analysis.broken, "a rule changed a shape");
        self.done.extend(seen);
        if ended.is_none() && applied == 0 && is_complete {
            ended = Some(if is_filtered {
                Ended::Filtered
            } else {
                Ended::Saturated
            });
        }
        Some((applied, ended))
    }
}

impl Grown {
    fn new(graph: LaGraph, applied: usize, ended: Option<Ended>) -> Self {
        Grown {
            about: Round {
                nodes: graph.total_size(),
                classes: graph.number_of_classes(),
                applied,
            },
            ended,
            bytes: footprint::of(&graph),
            graph,
        }
    }
}

fn key(rule: &LaRule, at: &Match) -> u64 {
    let mut hasher = FxBuildHasher.build_hasher();
    rule.name.hash(&mut hasher);
    at.class.hash(&mut hasher);
    at.letters.hash(&mut hasher);
    hasher.finish()
}

/// The expression with what is always simpler applied until nothing changes, and its smallest term taken. `None` if
/// cancelled.
fn tidied(given: &Dag, root: NodeId, cancelled: &dyn Fn() -> bool) -> Option<Dag> {
    let (mut graph, class) = graph_of(given, root);
    let rules: Vec<_> = rules::all()
        .iter()
        .filter(|rule| rule.set == RuleSet::Tidy)
        .collect();
    loop {
        let mut changed = false;
        for rule in &rules {
            for at in search(&graph, rule, cancelled)? {
                changed |= apply(&mut graph, rule, &at, &Filter::NONE);
            }
            graph.rebuild();
        }
        if !changed {
            break;
        }
    }
    let mut sketches = LaSketches::default();
    let any = sketches.add(Shape::Any);
    let machine = Machine::default();
    let cost = NodeCost::new(&graph, &machine, Minimized::Size);
    let extractor = Extractor::new(&graph, &sketches, any, any, &cost);
    let term = extractor.term(class, any)?.term;
    Some(match dag_of(&term, given) {
        Some(smallest) => with_inputs(given, &smallest, *smallest.roots().last()?),
        None => with_inputs(given, given, root),
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use sumac_la::{Op, Type};

    use super::*;

    /// `sum((X - U %*% t(V))^2)`.
    fn loss() -> Dag {
        let mut dag = Dag::default();
        let x = dag.input("X", Type::sparse(2000, 1000, 0.001));
        let u = dag.input("U", Type::matrix(2000, 10));
        let v = dag.input("V", Type::matrix(1000, 10));
        let two = dag.num(2.0);
        let mut op = |op: Op, args: &[NodeId]| dag.op(op, args.iter().copied()).unwrap();
        let transposed = op(Op::Transpose, &[v]);
        let product = op(Op::MatMul, &[u, transposed]);
        let difference = op(Op::Sub, &[x, product]);
        let square = op(Op::Pow, &[difference, two]);
        let root = op(Op::Sum, &[square]);
        dag.push_root(root);
        dag
    }

    fn ground<'a>(rules: &'a [&'a LaRule], nodes: usize, most_bytes: usize) -> Ground<'a> {
        Ground {
            rules,
            limits: StageLimits::default().with(nodes, "nodes"),
            most_bytes,
        }
    }

    fn new() -> Growth {
        let dag = loss();
        Growth::of(&dag, dag.roots()[0], 7, &|| false).unwrap()
    }

    /// Grows to the end, and says what there is to be told of each round.
    fn all_rounds(growth: &mut Growth, ground: &Ground<'_>) -> Vec<Round> {
        let mut told = Vec::new();
        loop {
            let (_, about, ended) = growth.after(growth.rounds());
            told.push(about);
            if ended.is_some() {
                return told;
            }
            growth.grow(ground, &|| false).unwrap();
        }
    }

    #[test]
    fn rounds_take_about_what_is_estimated() {
        let rules = rules::chosen(["sum_product"]);
        for nodes in [500, 2000, 8000] {
            let mut kept = None;
            let real = allocation_counter::measure(|| {
                let mut growth = new();
                all_rounds(&mut growth, &ground(&rules, nodes, usize::MAX));
                kept = Some(growth);
            });
            #[expect(clippy::cast_precision_loss, reason = "an estimate")]
            let ratio = kept.map_or(0, |kept| kept.bytes()) as f64 / real.bytes_current as f64;
            assert!(
                (0.5..2.0).contains(&ratio),
                "{nodes} e-nodes: {ratio} times the {} bytes that are allocated",
                real.bytes_current
            );
        }
    }

    #[test]
    fn a_round_that_is_cancelled_leaves_no_trace() {
        let rules = rules::chosen(["sum_product"]);
        let ground = ground(&rules, 1500, usize::MAX);
        let expected = all_rounds(&mut new(), &ground);
        let mut growth = new();
        let mut looks = 1_usize;
        loop {
            let left = Cell::new(looks);
            let cancelled = || left.replace(left.get().saturating_sub(1)) == 0;
            let before = growth.rounds();
            // Later and later, until a round gets through.
            match growth.grow(&ground, &cancelled) {
                None => assert_eq!(growth.rounds(), before),
                Some(()) => looks = 1,
            }
            looks = looks * 3 + 1;
            if growth.after(growth.rounds()).2.is_some() {
                break;
            }
        }
        let told: Vec<Round> = (0..=growth.rounds())
            .map(|round| growth.after(round).1)
            .collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn rounds_that_take_too_much_are_not_kept() {
        let rules = rules::chosen(["sum_product"]);
        let mut whole = new();
        let expected = all_rounds(&mut whole, &ground(&rules, 1500, usize::MAX));
        assert!(whole.is_whole());
        let most = whole.bytes() / 2;
        let mut growth = new();
        let told = all_rounds(&mut growth, &ground(&rules, 1500, most));
        assert_eq!(told, expected);
        assert!(!growth.is_whole());
        assert_eq!(growth.rounds(), whole.rounds());
    }
}
