//! Greedy extraction: the cheapest candidate of every state, bottom-up, and the chosen terms as a DAG again.
//!
//! Costs are summed over trees (the paper's greedy extraction, section 3.1); the DAG that comes out shares equal
//! parts, and whoever compares it with the original does so by the DAG's cost.

use rustc_hash::FxHashMap;
use sumac_la::{Dag, Machine, NodeId, Op, ShapeError, Type};

use crate::axes::{Map, Term};
use crate::candidates::{Build, Candidate, Candidates};
use crate::options::CostModel;
use crate::translate::Translation;

/// A value that the caller holds under a name.
#[derive(Clone, Debug)]
pub struct Held {
    /// Its relation.
    pub term: Term,
    /// Its name in the new DAG.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

struct State {
    term: Term,
    candidates: Vec<Candidate>,
    /// Cheapest known total and the candidate's place.
    best: Option<(f64, usize)>,
}

/// The solved states.
pub struct Extraction<'a> {
    dag: &'a Dag,
    translation: &'a Translation,
    held: &'a [Held],
    states: Vec<State>,
    places: FxHashMap<Term, usize>,
}

impl<'a> Extraction<'a> {
    /// Finds the cheapest way to each of `roots`.
    pub fn solve(
        dag: &'a Dag,
        translation: &'a Translation,
        roots: &[Term],
        held: &'a [Held],
        model: CostModel,
        machine: &Machine,
    ) -> Self {
        let leaves: Vec<Map> = translation
            .leaves
            .iter()
            .map(|leaf| translation.term(*leaf).map)
            .collect();
        let held_terms: Vec<Term> = held
            .iter()
            .map(|h| translation.relations.resolve(h.term))
            .collect();
        let candidates = Candidates {
            relations: &translation.relations,
            leaves: &leaves,
            held: &held_terms,
            machine,
        };
        let mut this = Extraction {
            dag,
            translation,
            held,
            states: Vec::new(),
            places: FxHashMap::default(),
        };
        let mut open: Vec<Term> = roots
            .iter()
            .map(|r| translation.relations.resolve(*r))
            .collect();
        while let Some(term) = open.pop() {
            if this.places.contains_key(&term) {
                continue;
            }
            this.places.insert(term, this.states.len());
            let found = candidates.of(term);
            open.extend(found.iter().flat_map(|c| c.children.iter().copied()));
            this.states.push(State {
                term,
                candidates: found,
                best: None,
            });
        }
        this.relax(model);
        this
    }

    /// Improves until nothing does. Each candidate costs something of its own, so no choice can lean on itself.
    fn relax(&mut self, model: CostModel) {
        const LEAST: f64 = 1e-12;
        loop {
            let mut changed = false;
            for place in (0..self.states.len()).rev() {
                let mut best = self.states[place].best;
                for (k, candidate) in self.states[place].candidates.iter().enumerate() {
                    let children = candidate.children.iter().try_fold(0.0, |sum, child| {
                        Some(sum + self.states[self.places[child]].best?.0)
                    });
                    let Some(children) = children else { continue };
                    let own = if candidate.children.is_empty() {
                        0.0
                    } else {
                        LEAST
                    };
                    let total = children + own + model.of(&candidate.cost);
                    if best.is_none_or(|(least, _)| total < least * (1.0 - 1e-12)) {
                        best = Some((total, k));
                    }
                }
                if best != self.states[place].best {
                    self.states[place].best = best;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// The chosen terms of `roots` as a DAG with these as its roots, of the kinds that `types` name.
    ///
    /// # Errors
    /// A shape that does not fit: a rule or a candidate is wrong.
    pub fn lower(
        &self,
        roots: &[Term],
        types: &[&Type],
    ) -> Option<Result<(Dag, Vec<NodeId>), ShapeError>> {
        let mut lowering = Lowering {
            of: self,
            dag: Dag::default(),
            done: FxHashMap::default(),
        };
        let mut nodes = Vec::new();
        for (root, ty) in roots.iter().zip(types) {
            let root = self.translation.relations.resolve(*root);
            self.states[self.places[&root]].best?;
            match lowering
                .state(root)
                .and_then(|node| lowering.as_kind(node, ty))
            {
                Ok(node) => {
                    lowering.dag.push_root(node);
                    nodes.push(node);
                }
                Err(error) => return Some(Err(error)),
            }
        }
        Some(Ok((lowering.dag, nodes)))
    }
}

struct Lowering<'a> {
    of: &'a Extraction<'a>,
    dag: Dag,
    done: FxHashMap<Term, NodeId>,
}

impl Lowering<'_> {
    fn state(&mut self, term: Term) -> Result<NodeId, ShapeError> {
        if let Some(node) = self.done.get(&term) {
            return Ok(*node);
        }
        let state = &self.of.states[self.of.places[&term]];
        let (_, choice) = state
            .best
            .expect("a chosen candidate's children are solved");
        let candidate = &state.candidates[choice];
        let mut args = Vec::new();
        for child in &candidate.children {
            args.push(self.state(*child)?);
        }
        let node = self.build(state.term, &candidate.build, &args)?;
        self.done.insert(term, node);
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
                let mut sides = [args[0], args[1]];
                for (side, turn) in sides.iter_mut().zip(flipped) {
                    if *turn {
                        *side = self.dag.op(Op::Transpose, [*side])?;
                    }
                }
                let product = self.dag.op(Op::MatMul, sides)?;
                if *dot {
                    self.dag.op(Op::AsScalar, [product])
                } else {
                    Ok(product)
                }
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
