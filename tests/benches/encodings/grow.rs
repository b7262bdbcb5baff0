//! Grows a graph by the rules of an encoding, within the bounds that are the same for all.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use egg::{Id, RecExpr};

use crate::ra::{Facts, Graph, Ra, Rule};
use crate::values::{Value, duplicates, values};

/// E-nodes at most; the graph ends with the application that reaches them.
pub const MAX_NODES: usize = 20_000;
/// Rounds at most.
pub const MAX_ROUNDS: usize = 12;
/// Time of growing at most.
pub const MAX_TIME: Duration = Duration::from_secs(10);
/// Matches of one rule in one round at most: a bound on memory, far above what is applied before the graph is full.
const MAX_MATCHES: usize = 200_000;

/// A way to write down bound indices.
pub trait Encoding {
    /// As the tables show it.
    fn name(&self) -> &'static str;

    /// A term with names, in this encoding.
    fn encode(&self, source: &RecExpr<Ra>) -> RecExpr<Ra>;

    /// All rules.
    fn rules(&self) -> Vec<Rule>;

    /// Whether the class holds a term with names; the names of what it binds are free.
    fn holds(&self, graph: &Graph, root: Id, goal: &RecExpr<Ra>) -> bool {
        graph.lookup_expr(&self.encode(goal)) == Some(graph.find(root))
    }

    /// Merges after a round what the rules do not. Returns whether something merged.
    fn settle(&self, _graph: &mut Graph) -> bool {
        false
    }
}

/// What a search came to.
pub struct Growth {
    /// E-nodes at the end.
    pub enodes: usize,
    /// E-classes at the end.
    pub eclasses: usize,
    /// Rounds.
    pub rounds: usize,
    /// Time of growing, without looking for the goal.
    pub milliseconds: f64,
    /// Why it ended.
    pub stopped: &'static str,
    /// After which round the goal was there, and after how many milliseconds.
    pub found: Option<(usize, f64)>,
    /// Classes that are the same as another, as they stand and after renaming; unknown where classes are not shown.
    pub duplicates: Option<[usize; 2]>,
}

/// Grows `source` until nothing changes or a bound is reached.
///
/// # Panics
/// A rule was not sound.
pub fn grow(encoding: &dyn Encoding, source: &RecExpr<Ra>, goal: &RecExpr<Ra>) -> Growth {
    let rules = encoding.rules();
    let mut graph = Graph::new(Facts::default());
    let root = graph.add_expr(&encoding.encode(source));
    graph.rebuild();
    let mut spent = Duration::ZERO;
    let mut found = None;
    let mut rounds = 0;
    let stopped = loop {
        if found.is_none() && encoding.holds(&graph, root, goal) {
            found = Some((rounds, milliseconds(spent)));
        }
        if rounds == MAX_ROUNDS {
            break "rounds";
        }
        let start = Instant::now();
        let end = round(encoding, &rules, &mut graph, MAX_TIME.saturating_sub(spent));
        spent += start.elapsed();
        rounds += 1;
        if let Some(end) = end {
            if found.is_none() && encoding.holds(&graph, root, goal) {
                found = Some((rounds, milliseconds(spent)));
            }
            break end;
        }
    };
    let values: BTreeMap<Id, Value> = values(&graph);
    Growth {
        enodes: graph.total_size(),
        eclasses: graph.number_of_classes(),
        rounds,
        milliseconds: milliseconds(spent),
        stopped,
        found,
        duplicates: Some(duplicates(&values)),
    }
}

/// What a term with names means in an encoding, whatever its free indices are called.
pub fn meaning(encoding: &dyn Encoding, term: &RecExpr<Ra>) -> u64 {
    let mut graph = Graph::new(Facts::default());
    let root = graph.add_expr(&encoding.encode(term));
    values(&graph)[&root].shape_blind()
}

/// One round of all rules; why to stop after it.
fn round(
    encoding: &dyn Encoding,
    rules: &[Rule],
    graph: &mut Graph,
    left: Duration,
) -> Option<&'static str> {
    let start = Instant::now();
    let mut matches = Vec::new();
    for rule in rules {
        matches.push(rule.search_with_limit(graph, MAX_MATCHES));
        if start.elapsed() > left {
            return Some("time");
        }
    }
    let is_whole = matches.iter().all(|of| {
        let count: usize = of.iter().map(|of| of.substs.len()).sum();
        count < MAX_MATCHES
    });
    let mut is_changed = false;
    let mut end = None;
    'rules: for (rule, matches) in rules.iter().zip(matches) {
        for of_class in matches {
            is_changed |= !rule.apply(graph, &[of_class]).is_empty();
            if graph.total_size() >= MAX_NODES {
                end = Some("nodes");
            } else if start.elapsed() > left {
                end = Some("time");
            }
            if end.is_some() {
                break 'rules;
            }
        }
    }
    graph.rebuild();
    is_changed |= encoding.settle(graph);
    end.or_else(|| (is_whole && !is_changed).then_some("saturated"))
}

/// As the tables show it.
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
