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

/// As [`guided`], and `watch` sees each graph that was not cancelled.
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
    let mut growth = grow(&mut graph, root, &rules, &step.limits, &mut goal, cancelled);
    if growth.ended != Ended::Cancelled {
        watch(&step.label, &graph, graph.find(root));
    }
    let taken = take_out(program, step, &mut graph, root, growth.ended, cancelled);
    let followed = match taken? {
        Taken::Program(program) => Ok(program),
        Taken::Nearest(near) => Err(near),
        Taken::Cancelled => {
            // Nobody waits until a large graph has given back its memory.
            rayon::spawn(move || drop(graph));
            growth.ended = Ended::Cancelled;
            Err(None)
        }
    };
    Ok((growth, followed))
}

/// What was taken out of a grown graph.
enum Taken {
    /// A program that fits.
    Program(Program),
    /// The one that comes nearest, where one was looked for.
    Nearest(Option<Nearest>),
    /// Nothing: nobody waits for it any more.
    Cancelled,
}

/// The program of a grown graph that fits the step's sketch, or else the one that comes nearest.
fn take_out(
    program: &Program,
    step: &Step,
    graph: &mut Graph,
    root: Id,
    ended: Ended,
    cancelled: &dyn Fn() -> bool,
) -> Result<Taken, String> {
    let is_found = ended == Ended::Found;
    if ended == Ended::Cancelled {
        return Ok(Taken::Cancelled);
    }
    if !is_found && graph.total_size() > MOST_FOR_NEAREST {
        return Ok(Taken::Nearest(None));
    }
    let mut types = std::mem::take(&mut graph.analysis.types);
    let sketched = step.sketch.over(&mut types);
    graph.analysis.types = types;
    let extractor: Option<Extractor<'_, Node, Calculus, TypeIn, Size>> = Extractor::until(
        graph,
        &sketched.sketches,
        sketched.any,
        sketched.root,
        &Size,
        cancelled,
    );
    let Some(extractor) = extractor else {
        return Ok(Taken::Cancelled);
    };
    if is_found {
        let term = extractor.term(root, sketched.root);
        let term = term.ok_or("what was found could not be taken out")?.term;
        return Ok(Taken::Program(settled(program, &term, graph)));
    }
    let near = nearest(&extractor, root, sketched.root).map(|near| Nearest {
        program: settled(program, &near.term, graph),
        misses: near.misses,
    });
    Ok(Taken::Nearest(near))
}

/// A term of a graph as a program in normal form.
fn settled(program: &Program, term: &Term, graph: &Graph) -> Program {
    program.with(normal(term), graph.analysis.types.clone())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::steps::{library, steps};

    #[test]
    fn a_search_that_is_cancelled_when_its_program_is_found_ends_there() {
        let program = Program::built_in("mm").expect("it is there");
        let steps = steps(&program, &library([]), "blocking").expect("the sketch is right");
        let is_over = Cell::new(false);
        let outcome = watched(&program, &steps, &|| is_over.get(), &mut |_, _, _| {
            is_over.set(true);
        });
        let Err(Failed::Missed(missed)) = outcome else {
            panic!("it went on");
        };
        assert_eq!(missed.growth.ended, Ended::Cancelled);
        assert!(missed.reached.is_empty() && missed.nearest.is_none());
    }
}
