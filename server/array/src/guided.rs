//! Sketch-guided search: from one sketch to the next, each from the best term that fits the one before.

use std::time::{Duration, Instant};

use egg::Id;
use sumac_sketch::{Extractor, LocalCost, found_unless, nearest};

use crate::arena::normal;
use crate::graph::{Calculus, Graph};
use crate::grow::{Ended, Growth, Limits, grow};
use crate::node::{Node, Term};
use crate::program::Program;
use crate::rules::Library;
use crate::sketch::{Sketch, TypeIn};

/// A step of a guided search.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its name.
    pub label: String,
    /// What is looked for.
    pub sketch: Sketch,
    /// The rules and sets of rules to look with; all if there is none.
    pub rules: Vec<String>,
    /// What it may take.
    pub limits: Limits,
}

/// What a step came to.
#[derive(Clone, Debug)]
pub struct Reached {
    /// The step's name.
    pub label: String,
    /// The smallest program that fits.
    pub program: Program,
    /// How the graph grew.
    pub growth: Growth,
    /// How long it took.
    pub time: Duration,
}

/// A search that did not come to its end.
#[derive(Clone, Debug)]
pub struct Missed {
    /// The steps that were reached.
    pub reached: Vec<Reached>,
    /// The name of the step that was not.
    pub label: String,
    /// How the graph grew.
    pub growth: Growth,
    /// The program that comes nearest to the sketch, where one was looked for.
    pub nearest: Option<Nearest>,
}

/// A program near a sketch.
#[derive(Clone, Debug)]
pub struct Nearest {
    /// The program.
    pub program: Program,
    /// How many heads and types of the sketch it misses.
    pub misses: usize,
}

/// Larger graphs are not searched for the nearest program: that takes longer than the search itself.
const MOST_FOR_NEAREST: usize = 20_000;

/// The number of a term's nodes.
pub struct Size;

impl LocalCost<Node> for Size {
    fn own(&self, _: Id, _: &Node) -> f64 {
        1.0
    }
}

/// What ended a guided search.
#[derive(Clone, Debug)]
pub enum Failed {
    /// A sketch was not reached.
    Missed(Box<Missed>),
    /// A rule or a set does not exist or is wrong.
    Wrong(String),
}

/// Follows the steps from a program.
///
/// # Errors
/// A step was not reached, or names rules that are not there.
pub fn guided(
    program: &Program,
    steps: &[Step],
    cancelled: &dyn Fn() -> bool,
) -> Result<Vec<Reached>, Failed> {
    watched(program, steps, cancelled, &mut |_, _, _| ())
}

/// Is told a step's label, its graph as it has grown, and the class of the programs.
pub(crate) type Watch<'a> = dyn FnMut(&str, &Graph, Id) + 'a;

/// As [`guided`], and `watch` sees each graph that was not called off.
pub(crate) fn watched(
    program: &Program,
    steps: &[Step],
    cancelled: &dyn Fn() -> bool,
    watch: &mut Watch<'_>,
) -> Result<Vec<Reached>, Failed> {
    let mut reached: Vec<Reached> = Vec::new();
    let mut now = program.with(normal(&program.term), program.types.clone());
    for step in steps {
        let start = Instant::now();
        match follow(&now, step, cancelled, watch).map_err(Failed::Wrong)? {
            (growth, Ok(next)) => {
                now = next.clone();
                reached.push(Reached {
                    label: step.label.clone(),
                    program: next,
                    growth,
                    time: start.elapsed(),
                });
            }
            (growth, Err(nearest)) => {
                return Err(Failed::Missed(Box::new(Missed {
                    reached,
                    label: step.label.clone(),
                    growth,
                    nearest,
                })));
            }
        }
    }
    Ok(reached)
}

/// What a step ends with: how the graph grew, and the program that fits or the nearest one.
type Followed = (Growth, Result<Program, Option<Nearest>>);

fn follow(
    program: &Program,
    step: &Step,
    cancelled: &dyn Fn() -> bool,
    watch: &mut Watch<'_>,
) -> Result<Followed, String> {
    let mut types = program.types.clone();
    let names: Vec<&str> = step.rules.iter().map(String::as_str).collect();
    let rules = Library::built_in().compile(&names, &mut types)?;
    let mut graph = Graph::new(Calculus { types });
    let root = graph.add_expr(&program.term);
    let mut goal = |graph: &mut Graph| {
        let sketched = step.sketch.over(&mut graph.analysis.types);
        found_unless(graph, root, &sketched.sketches, sketched.root, cancelled) == Some(true)
    };
    let growth = grow(&mut graph, root, &rules, &step.limits, &mut goal, cancelled);
    if growth.ended == Ended::Cancelled {
        // Nobody waits until a large graph has given back its memory.
        rayon::spawn(move || drop(graph));
        return Ok((growth, Err(None)));
    }
    watch(&step.label, &graph, graph.find(root));
    let mut types = std::mem::take(&mut graph.analysis.types);
    let sketched = step.sketch.over(&mut types);
    graph.analysis.types = types;
    let extractor = || -> Extractor<'_, Node, Calculus, TypeIn, Size> {
        Extractor::new(
            &graph,
            &sketched.sketches,
            sketched.any,
            sketched.root,
            &Size,
        )
    };
    if growth.ended == Ended::Found {
        let term = extractor().term(root, sketched.root);
        let term = term.ok_or("what was found could not be taken out")?.term;
        return Ok((growth, Ok(settled(program, &term, &graph))));
    }
    let near = (graph.total_size() <= MOST_FOR_NEAREST)
        .then(|| {
            let near = nearest(&extractor(), root, sketched.root)?;
            Some(Nearest {
                program: settled(program, &near.term, &graph),
                misses: near.misses,
            })
        })
        .flatten();
    Ok((growth, Err(near)))
}

/// A term of a graph as a program in normal form.
fn settled(program: &Program, term: &Term, graph: &Graph) -> Program {
    program.with(normal(term), graph.analysis.types.clone())
}
