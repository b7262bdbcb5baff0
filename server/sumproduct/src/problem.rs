//! A request in its own terms: equal for all requests that ask the same, whatever their inputs are called and wherever
//! their nodes stand. What a search finds for a problem depends on nothing else, so it may be kept under its text.
//!
//! Must never hold a name, a position or an order of the script that the request came from.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxBuildHasher;
use sumac_cost::{Cost, Machine, Regions};
use sumac_la::{Dag, Dim, Node, NodeId, Op, Type};

use crate::grow::{self, Graph};
use crate::optimize::{Loop, NoOutcome, Outcome, Request, cost_of_run};
use crate::options::Options;

/// A request without its names.
#[derive(Clone, Debug)]
pub struct Problem {
    dag: Dag,
    held: Vec<(NodeId, String)>,
    machine: Machine,
    /// What is loop-invariant in the loop around it, and how often that runs.
    around: Option<(Vec<NodeId>, f64)>,
    fusing: Option<Regions>,
    options: Options,
    /// What the request calls its inputs and held values, by the names here.
    names: HashMap<String, Arc<str>, FxBuildHasher>,
    /// What the request calls its sizes, by the names here.
    sizes: HashMap<String, Dim, FxBuildHasher>,
}

impl Problem {
    /// The problem of a request.
    #[must_use]
    pub fn new(request: &Request<'_>, options: &Options) -> Self {
        let mut names = HashMap::default();
        let mut dag = Dag::default();
        let mut known: HashMap<NodeId, NodeId, FxBuildHasher> = HashMap::default();
        let source = request.dag;
        for root in request.roots {
            for id in post_order(source, *root, &known) {
                let new = match source.node(id) {
                    Node::Input(_) => {
                        let input = source.input_of(id).expect("it is an input");
                        let name = format!("x{}", dag.inputs().len());
                        names.insert(name.clone(), Arc::clone(&input.name));
                        dag.input(&name, input.ty.clone())
                    }
                    Node::Num(_) => dag.import(source, id),
                    Node::Op(op, args) => {
                        let args: Vec<_> = args.iter().map(|arg| known[arg]).collect();
                        dag.op_of_type(*op, args, source.ty(id))
                    }
                };
                known.insert(id, new);
            }
            dag.push_root(known[root]);
        }
        let place = |id: &NodeId| known.get(id).copied();
        let sizes = own_sizes(&mut dag);
        let mut held: Vec<(NodeId, &str)> = request
            .held
            .iter()
            .filter_map(|(id, name)| Some((place(id)?, *name)))
            .collect();
        held.sort_unstable();
        let held = held.into_iter().enumerate().map(|(number, (id, name))| {
            let own = format!("h{number}");
            names.insert(own.clone(), name.into());
            (id, own)
        });
        let held: Vec<(NodeId, String)> = held.collect();
        // Whatever has a size can be asked for it.
        let whole = dag.ids().filter(|id| {
            let is_held = held.iter().any(|(held, _)| held == id);
            dag.input_of(*id).is_some() || is_held
        });
        for id in whole.collect::<Vec<_>>() {
            let ty = dag.ty(id).clone();
            for (op, dim) in [(Op::Nrow, ty.rows), (Op::Ncol, ty.cols)] {
                if matches!(dim, Dim::Named(_)) {
                    dag.op(op, [id]).expect("every matrix has sizes");
                }
            }
        }
        let around = request.around.map(|around| {
            let mut loop_invariant: Vec<_> =
                around.loop_invariant.iter().filter_map(place).collect();
            loop_invariant.sort_unstable();
            (loop_invariant, around.trip_count)
        });
        Problem {
            dag,
            held,
            machine: *request.machine,
            around,
            fusing: request.fusing,
            options: *options,
            names,
            sizes,
        }
    }

    /// All that the graph of its search depends on: how its equal forms are found. Other costs have the same graph.
    #[must_use]
    pub fn graph_text(&self) -> String {
        let Options {
            strategy,
            max_nodes,
            max_iterations,
            sample,
            seed,
            max_graph_bytes,
            ..
        } = &self.options;
        let mut text = format!(
            "{strategy:?} {max_nodes:?} {max_iterations} {sample} {seed} {max_graph_bytes} {:?}\n",
            self.held
        );
        for id in self.dag.reachable(self.dag.roots()) {
            // Writing to a string cannot fail.
            let _ = match self.dag.input_of(id) {
                Some(input) => writeln!(text, "{id:?} {:?}", input.ty),
                None => writeln!(text, "{id:?} {:?} {:?}", self.dag.node(id), self.dag.ty(id)),
            };
        }
        let _ = writeln!(text, "{:?}", self.dag.roots());
        text
    }

    /// All that its result depends on.
    #[must_use]
    pub fn text(&self) -> String {
        format!(
            "{}{:?} {:?} {:?} {}",
            self.graph_text(),
            self.options,
            self.machine,
            self.around,
            // There is one plan for a form on a machine.
            self.fusing.is_some()
        )
    }

    /// Grows the graph of its equal forms. Who watches sees the cheapest form so far whenever a round finds a cheaper one and at
    /// least the stated time has passed since the last look. What is shown depends on the clock, and says so by
    /// [`SearchStats::cut_short`](crate::SearchStats::cut_short); the graph does not.
    ///
    /// # Errors
    /// See [`NoOutcome`].
    pub fn grow(
        &self,
        watch: Option<(Duration, &mut dyn FnMut(Outcome))>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Graph, NoOutcome> {
        self.ask(|request| match watch {
            Some((every, better)) => {
                let mut named = |outcome| better(self.named(outcome));
                let watch = Some(grow::Watch {
                    every,
                    better: &mut named,
                });
                grow::grow(request, &self.options, cancelled, watch)
            }
            None => grow::grow(request, &self.options, cancelled, None),
        })
    }

    /// The cheapest form in its graph, in this problem's own names.
    ///
    /// # Errors
    /// See [`NoOutcome`].
    pub fn cheapest(
        &self,
        graph: &Graph,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Outcome, NoOutcome> {
        self.ask(|request| graph.cheapest(request, &self.options, cancelled))
    }

    /// Up to `most` other forms in its graph, the cheapest first, in this problem's own names. Each does other work on matrices
    /// than the rest and than the cheapest of all: none differs only in order, transposes or scalars.
    ///
    /// # Errors
    /// See [`NoOutcome`].
    pub fn alternatives(
        &self,
        graph: &Graph,
        most: usize,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<Outcome>, NoOutcome> {
        self.ask(|request| graph.alternatives(request, &self.options, most, cancelled))
    }

    /// A result that was kept for a problem of this text, in this problem's own names, as far as it can be one: whoever kept
    /// it may have been anyone. Its shapes and costs are computed anew; where they are others, it is no result. Whether it is
    /// equal to the request is for who shows it.
    #[must_use]
    pub fn restored(&self, kept: Result<Outcome, NoOutcome>) -> Option<Result<Outcome, NoOutcome>> {
        let kept = match kept {
            Ok(kept) => kept,
            Err(NoOutcome::Cancelled) => return None,
            Err(other) => return Some(Err(other)),
        };
        let dag = self.rebuilt(&kept.dag)?;
        let is_same = |(a, b): (&NodeId, &NodeId)| {
            let (a, b) = (dag.ty(*a), self.dag.ty(*b));
            (a.kind, &a.rows, &a.cols) == (b.kind, &b.rows, &b.cols)
        };
        let roots = (dag.roots(), self.dag.roots());
        let after = self.ask(|request| cost_of_run(&dag, &request, request.computed_again()))?;
        let fits = roots.0.len() == roots.1.len()
            && roots.0.iter().zip(roots.1).all(is_same)
            && kept.search.is_plausible()
            && is_about(&after, &kept.after);
        let search = kept.search;
        fits.then_some(Ok(Outcome { dag, after, search }))
    }

    /// The same expressions over this problem's inputs and held values, with types that follow from theirs.
    fn rebuilt(&self, kept: &Dag) -> Option<Dag> {
        let mut dag = Dag::default();
        // Arguments come first, and equal expressions are one, so numbers stay.
        for id in kept.ids() {
            match kept.node(id) {
                Node::Input(_) => {
                    let input = kept.input_of(id)?;
                    let ty = self.ty_of(&input.name)?;
                    dag.input(&input.name, ty.clone());
                }
                Node::Num(bits) => {
                    dag.num(f64::from_bits(*bits));
                }
                Node::Op(op, args) => {
                    dag.op(*op, args.iter().copied()).ok()?;
                }
            }
            if dag.len() != id.index() + 1 || dag.node(id) != kept.node(id) {
                return None;
            }
        }
        for root in kept.roots() {
            dag.push_root(*root);
        }
        Some(dag)
    }

    /// What is known of an input or a held value.
    fn ty_of(&self, name: &str) -> Option<&Type> {
        let input = self.dag.inputs().iter().find(|input| &*input.name == name);
        let held = || self.held.iter().find(|(_, own)| own == name);
        match input {
            Some(input) => Some(&input.ty),
            None => held().map(|(id, _)| self.dag.ty(*id)),
        }
    }

    /// A result in the names of the request.
    #[must_use]
    pub fn named(&self, outcome: Outcome) -> Outcome {
        let found = &outcome.dag;
        let mut dag = Dag::default();
        for root in found.roots() {
            let root = dag.import_with(found, *root, &mut |dag, id| {
                let input = found.input_of(id)?;
                Some(dag.input(&self.names[&*input.name], input.ty.clone()))
            });
            dag.push_root(root);
        }
        dag.map_sizes(&|name| self.sizes.get(name).cloned());
        Outcome { dag, ..outcome }
    }

    fn ask<T>(&self, what: impl FnOnce(Request<'_>) -> T) -> T {
        let held: Vec<(NodeId, &str)> = self
            .held
            .iter()
            .map(|(id, name)| (*id, name.as_str()))
            .collect();
        what(Request {
            dag: &self.dag,
            roots: self.dag.roots(),
            held: &held,
            machine: &self.machine,
            around: self.around.as_ref().map(|(loop_invariant, runs)| Loop {
                loop_invariant,
                trip_count: *runs,
            }),
            fusing: self.fusing,
        })
    }
}

/// Whether two costs are the same but for what writing numbers down and reading them changes.
fn is_about(a: &Cost, b: &Cost) -> bool {
    let all = |cost: &Cost| {
        [
            cost.flops,
            cost.bytes,
            cost.nnz,
            cost.peak_bytes,
            cost.seconds,
        ]
    };
    let is_near = |(a, b): (f64, f64)| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
    all(a).into_iter().zip(all(b)).all(is_near)
}

/// Gives the sizes without numbers names in the order in which they occur; what they were called, by those names.
fn own_sizes(dag: &mut Dag) -> HashMap<String, Dim, FxBuildHasher> {
    let mut own: HashMap<String, Dim, FxBuildHasher> = HashMap::default();
    let mut former = HashMap::default();
    for id in dag.ids() {
        let ty = dag.ty(id);
        for dim in [&ty.rows, &ty.cols, &ty.size] {
            let Dim::Named(symbol) = dim else { continue };
            for name in dim
                .terms()
                .unwrap_or_default()
                .into_iter()
                .flat_map(|t| t.1)
            {
                let number = former.len();
                let new = former
                    .entry(name.clone())
                    .or_insert_with(|| format!("n{number}"));
                if *name == **symbol {
                    own.insert(new.clone(), Dim::symbol(name, symbol.assumed));
                } else {
                    let plain = Dim::symbol(name, None);
                    own.entry(new.clone()).or_insert(plain);
                }
            }
        }
    }
    let former: HashMap<String, String, FxBuildHasher> = former;
    dag.map_sizes(&|name| Some(Dim::symbol(former.get(name)?.as_str(), None)));
    own
}

/// What `root` needs and `known` does not hold: arguments first, from left to right, each once.
fn post_order(
    dag: &Dag,
    root: NodeId,
    known: &HashMap<NodeId, NodeId, FxBuildHasher>,
) -> Vec<NodeId> {
    let mut order = Vec::new();
    let mut seen: std::collections::HashSet<NodeId, FxBuildHasher> = Default::default();
    let mut stack = vec![(root, false)];
    while let Some((id, is_ready)) = stack.pop() {
        if is_ready {
            order.push(id);
        } else if !known.contains_key(&id) && seen.insert(id) {
            stack.push((id, true));
            stack.extend(dag.args(id).iter().rev().map(|arg| (*arg, false)));
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use sumac_la::{Op, Type};

    use super::*;

    /// `sum((X - U %*% t(V))^2)` under these names; the inputs are made in the order of `first`.
    fn loss(names: [&str; 3], first: &[usize]) -> Dag {
        let types = [
            Type::sparse(200, 100, 0.01),
            Type::matrix(200, 5),
            Type::matrix(100, 5),
        ];
        let mut dag = Dag::default();
        for place in first {
            dag.input(names[*place], types[*place].clone());
        }
        let [x, u, v] = [0, 1, 2].map(|place| dag.input(names[place], types[place].clone()));
        let t = dag.op(Op::Transpose, [v]).unwrap();
        let product = dag.op(Op::MatMul, [u, t]).unwrap();
        let difference = dag.op(Op::Sub, [x, product]).unwrap();
        let two = dag.num(2.0);
        let square = dag.op(Op::Pow, [difference, two]).unwrap();
        let root = dag.op(Op::Sum, [square]).unwrap();
        dag.push_root(root);
        dag
    }

    fn problem(dag: &Dag) -> Problem {
        let machine = Machine::default();
        let request = Request {
            dag,
            roots: dag.roots(),
            held: &[],
            machine: &machine,
            around: None,
            fusing: None,
        };
        Problem::new(&request, &Options::default())
    }

    #[test]
    fn names_and_the_order_of_inputs_are_no_part_of_a_problem() {
        let first = problem(&loss(["X", "U", "V"], &[]));
        let renamed = problem(&loss(["b", "c", "a"], &[2, 0, 1]));
        assert_eq!(first.text(), renamed.text());
        let graph = first.grow(None, &|| false).unwrap();
        let found = first.cheapest(&graph, &|| false).unwrap();
        let shown = |problem: &Problem| {
            let named = problem.named(found.clone());
            named.dag.print(named.dag.roots()[0]).to_string()
        };
        let expected = shown(&first)
            .replace('X', "b")
            .replace('U', "c")
            .replace('V', "a");
        assert_eq!(shown(&renamed), expected);
    }

    #[test]
    fn whatever_a_search_depends_on_is_part_of_its_problem() {
        let before = problem(&loss(["X", "U", "V"], &[]));
        let mut denser = loss(["X", "U", "V"], &[]);
        let other = problem(&{
            let root = denser.roots()[0];
            let half = denser.num(0.5);
            let scaled = denser.op(Op::Mul, [half, root]).unwrap();
            denser.push_root(scaled);
            denser
        });
        assert_ne!(before.text(), other.text());
        let dag = loss(["X", "U", "V"], &[]);
        let request = |held, machine, around| Request {
            dag: &dag,
            roots: dag.roots(),
            held,
            machine,
            around,
            fusing: None,
        };
        let (machine, u) = (Machine::default(), [dag.reachable(dag.roots())[1]]);
        let small = Machine {
            memory: Some(1e6),
            ..machine
        };
        let product = dag
            .reachable(dag.roots())
            .into_iter()
            .find(|id| matches!(dag.node(*id), Node::Op(Op::MatMul, _)))
            .unwrap();
        let held = [(product, "P")];
        let around = Some(Loop {
            loop_invariant: &u,
            trip_count: 10.0,
        });
        let options = Options::default();
        let seeded = Options { seed: 1, ..options };
        for (request, options, has_other_graph) in [
            (request(&held, &machine, None), options, true),
            (request(&[], &machine, None), seeded, true),
            (request(&[], &small, None), options, false),
            (request(&[], &machine, around), options, false),
        ] {
            let changed = Problem::new(&request, &options);
            assert_ne!(changed.text(), before.text());
            let other_graph = changed.graph_text() != before.graph_text();
            assert_eq!(other_graph, has_other_graph);
        }
    }
}
