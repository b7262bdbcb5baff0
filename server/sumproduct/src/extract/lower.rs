//! A plan's choices as a DAG again: each state that the plan uses becomes nodes, once.

use rustc_hash::FxHashMap;
use sumac_la::{Dag, NodeId, Op, ShapeError, Type};

use super::States;
use super::graph::Plan;
use crate::axes::Term;
use crate::candidates::Build;
use crate::fusions::{self, Part};

impl States<'_> {
    /// What a plan computes for the roots, as a DAG with these as its roots.
    ///
    /// # Errors
    /// A shape that does not fit: a rule or a candidate is wrong.
    pub fn lower(&self, plan: &Plan) -> Result<Dag, ShapeError> {
        Ok(self.traced(plan)?.0)
    }

    /// The same, with the node of each state.
    pub(super) fn traced(
        &self,
        plan: &Plan,
    ) -> Result<(Dag, FxHashMap<usize, NodeId>), ShapeError> {
        let mut lowering = Lowering {
            of: self,
            plan,
            dag: Dag::default(),
            done: FxHashMap::default(),
        };
        for (root, ty) in self.graph.roots.iter().zip(&self.types) {
            let node = lowering.state(*root)?;
            let node = lowering.as_kind(node, ty)?;
            lowering.dag.push_root(node);
        }
        Ok((lowering.dag, lowering.done))
    }
}

struct Lowering<'a> {
    of: &'a States<'a>,
    plan: &'a Plan,
    dag: Dag,
    done: FxHashMap<usize, NodeId>,
}

impl Lowering<'_> {
    fn state(&mut self, state: usize) -> Result<NodeId, ShapeError> {
        if let Some(node) = self.done.get(&state) {
            return Ok(*node);
        }
        let (term, candidates) = &self.of.candidates[state];
        let choice = self.plan[state].expect("a chosen candidate's children are chosen");
        let candidate = &candidates[choice];
        let mut args = Vec::new();
        for child in &candidate.children {
            args.push(self.state(self.of.places[child])?);
        }
        let node = self.build(*term, &candidate.build, &args)?;
        self.done.insert(state, node);
        Ok(node)
    }

    fn build(&mut self, term: Term, build: &Build, args: &[NodeId]) -> Result<NodeId, ShapeError> {
        match build {
            Build::Leaf(n) => {
                let input = self
                    .of
                    .dag
                    .input_of(self.of.translation.leaves[*n as usize])
                    .expect("leaves are inputs");
                let node = self.dag.input(&input.name, input.ty.clone());
                self.as_state(node, term)
            }
            Build::Held(place) => {
                let held = &self.of.held[*place];
                let node = self.dag.input(&held.name, held.ty.clone());
                self.as_state(node, term)
            }
            Build::Number(value) => Ok(self.dag.num(*value)),
            Build::Fill(value) => {
                let size = |label| {
                    let invariants = &self.of.translation.relations.graph.analysis;
                    self.of
                        .translation
                        .relations
                        .dim_of(term, label)
                        .map_or(1.0, |dim| invariants.size(dim))
                };
                let (rows, cols) = (size(crate::translate::ROW), size(crate::translate::COL));
                let parts = [self.dag.num(*value), self.dag.num(rows), self.dag.num(cols)];
                self.dag.op(Op::Fill, parts)
            }
            Build::Op(op) => self.dag.op(*op, args.iter().copied()),
            Build::Square => {
                let two = self.dag.num(2.0);
                self.dag.op(Op::Pow, [args[0], two])
            }
            Build::MinusScaled(k) => {
                let k = self.dag.num(*k);
                let scaled = self.dag.op(Op::Mul, [k, args[1]])?;
                self.dag.op(Op::Sub, [args[0], scaled])
            }
            Build::DivideBy(c) => {
                let c = self.dag.num(*c);
                self.dag.op(Op::Div, [args[0], c])
            }
            Build::Product { flipped, dot } => {
                fusions::product(&mut self.dag, [args[0], args[1]], *flipped, *dot)
            }
            Build::Fused(inside) => {
                let (places, done) = (&self.of.places, &self.done);
                let mut read = |_: &mut Dag, term: Term| Ok(done[&places[&term]]);
                fusions::write(&Part::Inside((**inside).clone()), &mut self.dag, &mut read)
            }
            Build::Barrier(barrier) => {
                let mut fitted = Vec::new();
                for (arg, (_, kind)) in args.iter().zip(&barrier.children) {
                    let like = Type {
                        kind: *kind,
                        ..self.dag.ty(*arg).clone()
                    };
                    fitted.push(self.as_kind(*arg, &like)?);
                }
                let node = self.dag.op(barrier.op, fitted)?;
                self.as_state(node, term)
            }
        }
    }

    /// States without axes are scalars; a 1 x 1 matrix is made one.
    fn as_state(&mut self, node: NodeId, term: Term) -> Result<NodeId, ShapeError> {
        if term.map.len() == 0 && !self.dag.is_scalar(node) {
            self.dag.op(Op::AsScalar, [node])
        } else {
            Ok(node)
        }
    }

    fn as_kind(&mut self, node: NodeId, like: &Type) -> Result<NodeId, ShapeError> {
        match (self.dag.is_scalar(node), like.is_scalar()) {
            (true, false) => {
                // as.matrix(as.scalar(x)) is x.
                if let sumac_la::Node::Op(Op::AsScalar, args) = self.dag.node(node) {
                    return Ok(args[0]);
                }
                self.dag.op(Op::AsMatrix, [node])
            }
            (false, true) => self.dag.op(Op::AsScalar, [node]),
            _ => Ok(node),
        }
    }
}
