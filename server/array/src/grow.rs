//! Grows a graph by rules until a goal is reached or a limit is met.
//!
//! A round searches all rules on one view of the graph, applies what was found, and then reduces functions that are applied
//! at once. Everything is in a fixed order, so a search gives the same graph every time unless a clock ended it.

use std::time::{Duration, Instant};

use egg::Id;

use crate::apply::{Bounds, apply, beta, eta};
use crate::graph::{Carrier, Graph};
use crate::matching::{View, search};
use crate::rules::Rule;

/// Applications between two looks at the clock and at the size of the graph.
const STRIDE: usize = 256;
/// Applications between two looks at whether anybody still waits.
const SHORT: usize = 16;

/// What a search may take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limits {
    /// Nodes in the graph; passed by less than one stride of applications.
    pub nodes: usize,
    /// Rounds.
    pub rounds: usize,
    /// Time. What it cut short depends on the machine, and says so.
    pub time: Option<Duration>,
    /// Nodes of a term: larger terms are not looked at.
    pub term: u32,
    /// How deep arrays are nested.
    pub dimensions: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            nodes: 200_000,
            rounds: 40,
            time: None,
            term: 300,
            dimensions: 6,
        }
    }
}

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ended {
    /// The goal was reached.
    Found,
    /// No rule says anything new.
    Saturated,
    /// There were too many nodes.
    Nodes,
    /// There were too many rounds.
    Rounds,
    /// It took too long.
    Time,
    /// It was cancelled.
    Cancelled,
}

impl Ended {
    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Ended::Found => "found",
            Ended::Saturated => "no rule says anything new",
            Ended::Nodes => "the limit of nodes was met",
            Ended::Rounds => "the limit of rounds was met",
            Ended::Time => "the time was up",
            Ended::Cancelled => "cancelled",
        }
    }
}

/// A graph after a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Round {
    /// All its nodes.
    pub nodes: usize,
    /// All its classes.
    pub classes: usize,
    /// Nodes within the limit of a term's size: those that rules look at next.
    pub within: usize,
    /// Applications of rules that said something new, reductions included.
    pub applied: usize,
}

/// How a graph grew.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Growth {
    /// The graph before the first round and after each.
    pub rounds: Vec<Round>,
    /// Why it ended.
    pub ended: Ended,
}

/// Grows `graph` until `goal` holds, which is asked before the first round and after each, or a limit is met. A graph whose search
/// was cancelled is not in order.
pub fn grow(
    graph: &mut Graph,
    root: Id,
    rules: &[Rule],
    limits: &Limits,
    goal: &mut dyn FnMut(&mut Graph) -> bool,
    cancelled: &dyn Fn() -> bool,
) -> Growth {
    let start = Instant::now();
    let late = || limits.time.is_some_and(|time| start.elapsed() >= time);
    let over = |graph: &Graph| {
        if cancelled() {
            Some(Ended::Cancelled)
        } else if graph.total_size() > limits.nodes {
            Some(Ended::Nodes)
        } else {
            late().then_some(Ended::Time)
        }
    };
    graph.rebuild();
    let mut view = View::unless(graph, root, limits.term, cancelled);
    let mut rounds = vec![Round {
        nodes: graph.total_number_of_nodes(),
        classes: graph.number_of_classes(),
        within: view.len(),
        applied: 0,
    }];
    let bounds = Bounds {
        dimensions: limits.dimensions,
    };
    let ended = loop {
        if goal(graph) {
            break Ended::Found;
        }
        if rounds.len() > limits.rounds {
            break Ended::Rounds;
        }
        let mut stopped = over(graph);
        let mut places = Vec::new();
        for rule in rules {
            if stopped.is_none() {
                places.extend(
                    search(rule, graph, &view, cancelled)
                        .into_iter()
                        .map(|found| (rule, found)),
                );
                stopped = over(graph);
            }
        }
        let mut carrier = Carrier::default();
        let mut applied = 0;
        for chunk in places.chunks(STRIDE) {
            if stopped.is_some() {
                break;
            }
            for (n, (rule, found)) in chunk.iter().enumerate() {
                if n.is_multiple_of(SHORT) && cancelled() {
                    break;
                }
                applied += usize::from(apply(rule, found, graph, &mut carrier, bounds));
            }
            stopped = over(graph);
        }
        if stopped == Some(Ended::Cancelled) {
            break Ended::Cancelled;
        }
        graph.rebuild();
        if stopped.is_none() {
            view = View::unless(graph, root, limits.term, cancelled);
            applied += beta(graph, &view, &mut carrier, cancelled);
            applied += eta(graph, &view, &mut carrier, cancelled);
            if cancelled() {
                break Ended::Cancelled;
            }
            graph.rebuild();
            stopped = over(graph);
        }
        if stopped == Some(Ended::Cancelled) {
            break Ended::Cancelled;
        }
        view = View::unless(graph, root, limits.term, cancelled);
        rounds.push(Round {
            nodes: graph.total_number_of_nodes(),
            classes: graph.number_of_classes(),
            within: view.len(),
            applied,
        });
        if let Some(stopped) = stopped {
            // What is there may suffice.
            break if goal(graph) { Ended::Found } else { stopped };
        }
        if applied == 0 {
            break Ended::Saturated;
        }
    };
    Growth { rounds, ended }
}
