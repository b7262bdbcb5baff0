//! The 0/1 program of extraction (SPORES section 3.2, Figure 11), with the constraint that the paper leaves out: no
//! choice may lean on itself. Circles are cut off as solutions show them.
//!
//! One variable for each choice; that a state is in use is the sum of its choices. Solved by branch and bound, a
//! bounded number of nodes at a time. Nothing here trusts the solver: what it returns is checked as a plan.

use microlp::{ComparisonOp, LinearExpr, OptimizationDirection, Problem, Variable};

use super::graph::{Graph, NoPlan, Plan};
use super::reduce::Reduced;
use super::worker::{self, Ran};

/// Larger programs are not tried: nobody can end their first relaxation, and what it takes grows with the fourth power. This many
/// take some 20 ms, 500 take 45.
pub const MAX_VARIABLES: usize = 400;
/// Nodes of branch and bound, over all programs of one extraction, times variables: what a node costs grows with these.
const MAX_WORK: u64 = 100_000;
/// Programs solved, each with one more circle cut off.
const MAX_PROGRAMS: usize = 60;

/// What came out.
#[derive(Clone, PartialEq, Debug)]
pub enum Solved {
    /// The cheapest plan over the choices given.
    Best(Plan),
    /// No plan over the choices given is cheaper than the bound.
    NoneCheaper,
    /// The bounds on effort were reached: the best plan that was seen, if any, and what every plan costs at least.
    Unknown(Option<Plan>, f64),
}

/// Solves the program over the choices that are left, for plans cheaper than `most`.
pub fn solve(graph: &Graph, reduced: &Reduced, most: f64, cancelled: &dyn Fn() -> bool) -> Solved {
    let mut program = Program::new(graph, reduced, most);
    let variables = super::reduce::count(&reduced.allowed) as u64;
    let mut nodes = MAX_WORK / variables.max(1);
    let mut least = reduced.bound.least;
    for _ in 0..MAX_PROGRAMS {
        let (values, optimal) = match program.run(&mut nodes, &mut least, cancelled) {
            Run::Values(values, optimal) => (values, optimal),
            Run::Infeasible => return Solved::NoneCheaper,
            Run::Stopped => break,
        };
        let plan = program.plan(&values);
        match graph.order(&plan) {
            Ok(_) if optimal => return Solved::Best(plan),
            Ok(_) => return Solved::Unknown(Some(plan), least),
            Err(NoPlan::Circle(circle)) => program.cut(&circle),
            // A rounded solution that leaves a need open: the solver's tolerances were too coarse for it.
            Err(NoPlan::Missing) => break,
        }
    }
    Solved::Unknown(None, least)
}

enum Run {
    /// The variables' values, and whether they are proved to be the best.
    Values(Vec<f64>, bool),
    Infeasible,
    Stopped,
}

struct Program<'a> {
    graph: &'a Graph,
    problem: Problem,
    /// The cost that counts as 1, so that all costs lie between 0 and 1.
    unit: f64,
    /// By state and choice.
    variables: Vec<Vec<Option<Variable>>>,
}

impl<'a> Program<'a> {
    fn new(graph: &'a Graph, reduced: &Reduced, unit: f64) -> Self {
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let variables: Vec<Vec<Option<Variable>>> = graph
            .states
            .iter()
            .zip(&reduced.allowed)
            .map(|(choices, allowed)| {
                let variable = |(choice, allowed): (&super::graph::Choice, &bool)| {
                    allowed.then(|| problem.add_binary_var(choice.cost / unit))
                };
                choices.iter().zip(allowed).map(variable).collect()
            })
            .collect();
        let mut this = Program {
            graph,
            problem,
            unit,
            variables,
        };
        let roots: std::collections::BTreeSet<usize> = graph.roots.iter().copied().collect();
        for state in 0..graph.states.len() {
            let all = this.of_state(state);
            if all.is_empty() {
                continue;
            }
            let how = if roots.contains(&state) {
                ComparisonOp::Eq
            } else {
                ComparisonOp::Le
            };
            this.constrain(&all, &[], how, 1.0);
            for need in this.needs(state) {
                let users = this.using(state, need);
                this.constrain(&users, &this.of_state(need), ComparisonOp::Le, 0.0);
                // The commonest circles are two states that are each other's transposes.
                if need > state && !this.using(need, state).is_empty() {
                    this.cut(&[state, need]);
                }
            }
        }
        for landmark in &reduced.bound.landmarks {
            let some: Vec<Variable> = landmark
                .iter()
                .filter_map(|(state, k)| this.variables[*state][*k])
                .collect();
            this.constrain(&some, &[], ComparisonOp::Ge, 1.0);
        }
        this
    }

    fn of_state(&self, state: usize) -> Vec<Variable> {
        self.variables[state].iter().flatten().copied().collect()
    }

    /// The states that some choice of this one needs, ascending.
    fn needs(&self, state: usize) -> Vec<usize> {
        let mut needs: Vec<usize> = self.graph.states[state]
            .iter()
            .zip(&self.variables[state])
            .filter(|(_, variable)| variable.is_some())
            .flat_map(|(choice, _)| choice.needs.iter().copied())
            .collect();
        needs.sort_unstable();
        needs.dedup();
        needs
    }

    /// The choices of a state that need another.
    fn using(&self, state: usize, need: usize) -> Vec<Variable> {
        self.graph.states[state]
            .iter()
            .zip(&self.variables[state])
            .filter(|(choice, _)| choice.needs.contains(&need))
            .filter_map(|(_, variable)| *variable)
            .collect()
    }

    /// Σ `plus` - Σ `minus` compared with a number.
    fn constrain(&mut self, plus: &[Variable], minus: &[Variable], how: ComparisonOp, than: f64) {
        // A choice may stand on both sides; it counts for nothing then.
        let mut sum: std::collections::BTreeMap<usize, (Variable, f64)> =
            std::collections::BTreeMap::new();
        for (variables, sign) in [(plus, 1.0), (minus, -1.0)] {
            for variable in variables {
                sum.entry(variable.idx()).or_insert((*variable, 0.0)).1 += sign;
            }
        }
        let mut expression = LinearExpr::empty();
        for (variable, factor) in sum.into_values().filter(|(_, factor)| *factor != 0.0) {
            expression.add(variable, factor);
        }
        self.problem.add_constraint(expression, how, than);
    }

    /// Of the states in a circle that are in use, one must not need the next. Said for each state as the one that is
    /// not counted: as strong as the relaxation allows.
    fn cut(&mut self, circle: &[usize]) {
        let next = |place: usize| circle[(place + 1) % circle.len()];
        let edges: Vec<Variable> = (0..circle.len())
            .flat_map(|place| self.using(circle[place], next(place)))
            .collect();
        for left_out in circle {
            let others: Vec<Variable> = circle
                .iter()
                .filter(|state| *state != left_out)
                .flat_map(|state| self.of_state(*state))
                .collect();
            self.constrain(&edges, &others, ComparisonOp::Le, 0.0);
        }
    }

    fn run(&self, nodes: &mut u64, least: &mut f64, cancelled: &dyn Fn() -> bool) -> Run {
        let (values, bound) = match worker::solve(&self.problem, *nodes, cancelled) {
            Ran::Ended {
                values,
                least,
                left,
            } => {
                *nodes = left;
                (values, least)
            }
            Ran::Infeasible => return Run::Infeasible,
            Ran::Stopped => return Run::Stopped,
        };
        if let Some(bound) = bound {
            *least = least.max(bound * self.unit);
        }
        match values {
            Some((values, is_optimal)) => Run::Values(values, is_optimal),
            None => Run::Stopped,
        }
    }

    fn plan(&self, values: &[f64]) -> Plan {
        self.variables
            .iter()
            .map(|choices| {
                choices.iter().position(|variable| {
                    variable.is_some_and(|variable| values[variable.idx()] > 0.5)
                })
            })
            .collect()
    }
}
