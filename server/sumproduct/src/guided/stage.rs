//! One search: an e-graph grows from one expression until it holds a term that fits the sketch, or until a limit.
//!
//! The result is a function of expression, sketch, rules, cost, limits and seed. No clock decides anything.

use egg::Id;
use sumac_cost::Machine;
use sumac_la::Dag;
use sumac_sketch::{Extractor, SketchId, best_terms, found, nearest_until};

use super::cost::{Minimized, NodeCost};
use super::filter::Filters;
use super::growth::{Ground, Growth};
use super::language::LaGraph;
use super::lower::{dag_of, graph_of};
use super::pattern::LaSketches;
use crate::normalized::normalized;

/// E-nodes of a stage, where nothing else is said.
pub const NODES: usize = 10_000;
/// Rounds of a stage, where nothing else is said.
pub const ROUNDS: usize = 12;
/// Rounds after the first term that fits a goal, to find a cheaper one. Guides end at the first.
const POLISH: usize = 2;
/// Changes that are tried to share parts.
const CHANGES: usize = 400;

/// The units of limits and of growth filters, and what each counts.
pub const UNITS: [(&str, &str); 4] = [
    ("nodes", "e-nodes that the graph of a stage may have"),
    ("rounds", "rounds in which a stage applies its rules"),
    (
        "parts",
        "operators, inputs and numbers of a form; rules make no larger one",
    ),
    (
        "nnz",
        "non-zero cells of a value; rules make no new value with more",
    ),
];

/// What a stage may take.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StageLimits {
    /// E-nodes.
    pub nodes: usize,
    /// Rounds.
    pub rounds: usize,
    /// What rules may not make.
    pub filters: Filters,
}

impl Default for StageLimits {
    fn default() -> Self {
        StageLimits {
            nodes: NODES,
            rounds: ROUNDS,
            filters: Filters::default(),
        }
    }
}

impl StageLimits {
    /// With a limit as a sketch has it, one of [`UNITS`].
    #[must_use]
    pub fn with(mut self, count: usize, unit: &str) -> Self {
        match unit {
            "nodes" => self.nodes = count,
            "rounds" => self.rounds = count,
            "parts" => self.filters.parts = Some(count),
            "nnz" => self.filters.nnz = Some(count),
            // A sketch with another unit has an error, and is never searched.
            _ => {}
        }
        self
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
    /// No rule says anything new that the growth filters let.
    Filtered,
    /// The limit of nodes.
    Nodes,
    /// The limit of rounds.
    Rounds,
}

impl Ended {
    /// Whether the graph holds all that the rules of the stage say of the expression, and so all that a guide could lead to.
    #[must_use]
    pub fn is_all(self) -> bool {
        matches!(self, Ended::Saturated | Ended::Filtered)
    }

    /// In words.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Ended::Found => "a form that fits was found",
            Ended::Saturated => "the rules say nothing new",
            Ended::Filtered => "the rules say nothing new within its `parts` and `nnz`",
            Ended::Nodes => "it came to the limit of nodes",
            Ended::Rounds => "it came to the limit of rounds",
        }
    }
}

/// What a stage is asked.
pub struct StageRequest<'a> {
    /// The expression to start from.
    pub dag: &'a Dag,
    /// Sketches.
    pub sketches: &'a LaSketches,
    /// The one to fit.
    pub sketch: SketchId,
    /// `?` among them.
    pub any: SketchId,
    /// What is minimized.
    pub minimized: Minimized,
    /// The machine that costs are for.
    pub machine: &'a Machine,
    /// Whether to look for a cheaper term once one was found.
    pub is_goal: bool,
    /// How many forms are wanted at most.
    pub forms: usize,
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

/// Searches: looks at the rounds of a growth of the expression, and grows it where there are too few. `None` if cancelled.
pub fn run(
    request: &StageRequest<'_>,
    growth: &mut Growth,
    ground: &Ground<'_>,
    cancelled: &dyn Fn() -> bool,
    watch: Watch<'_>,
) -> Option<StageEnd> {
    let (dag, class) = (growth.dag(), growth.class());
    let root = *dag.roots().last()?;
    let has_cost = request.minimized.of(dag, root, request.machine).is_some();
    let minimized = if has_cost {
        request.minimized
    } else {
        Minimized::Size
    };
    let fits = |graph: &LaGraph| found(graph, class, request.sketches, request.sketch);
    let mut rounds = vec![growth.after(0).1];
    let mut left = None;
    let ended = loop {
        let number = rounds.len() - 1;
        let (graph, _, stop) = growth.after(number);
        if cancelled() {
            return None;
        }
        if left.is_none() && fits(graph) {
            left = Some(if request.is_goal { POLISH } else { 0 });
        }
        let stop = stop.or((number >= ground.limits.rounds).then_some(Ended::Rounds));
        match (&mut left, stop) {
            (Some(0), _) | (Some(_), Some(_)) => break Ended::Found,
            (None, Some(stop)) => break stop,
            (Some(more), None) => *more -= 1,
            (None, None) => {}
        }
        if growth.rounds() == number {
            growth.grow(ground, cancelled)?;
        }
        rounds.push(growth.after(number + 1).1);
        watch(rounds.len() - 1, *rounds.last()?);
    };
    let (graph, ..) = growth.after(rounds.len() - 1);
    let (forms, near) = chosen(request, graph, class, minimized, cancelled)?;
    Some(StageEnd {
        forms,
        growth: rounds,
        ended,
        nearest: near,
        minimized,
    })
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
    let nice = normalized(&form);
    let root = ordered.import(&nice, nice.roots()[0]);
    ordered.push_root(root);
    let (graph, class) = graph_of(&ordered, root);
    if found(&graph, class, request.sketches, request.sketch) {
        nice
    } else {
        form
    }
}
