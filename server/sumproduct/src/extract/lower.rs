//! A plan's choices as a DAG again: each state that the plan uses becomes nodes, once.

use rustc_hash::FxHashMap;
use sumac_la::{Dag, Dim, Node, NodeId, Op, ShapeError, Type};

use super::States;
use super::graph::Plan;
use crate::axes::{Label, Term};
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
                let node = self.leaf(*n)?;
                self.as_state(node, term)
            }
            Build::Held(place) => {
                let held = &self.of.held[*place];
                let node = self.dag.input(&held.name, held.ty.clone());
                self.as_state(node, term)
            }
            Build::Number(value) => Ok(self.dag.num(*value)),
            Build::Fill(value) => {
                let rows = self.size(term, crate::translate::ROW)?;
                let cols = self.size(term, crate::translate::COL)?;
                let value = self.dag.num(*value);
                self.dag.op(Op::Fill, [value, rows, cols])
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
            Build::Opaque(opaque) => {
                let mut fitted = Vec::new();
                for (arg, (_, kind)) in args.iter().zip(&opaque.children) {
                    let like = Type {
                        kind: *kind,
                        ..self.dag.ty(*arg).clone()
                    };
                    fitted.push(self.as_kind(*arg, &like)?);
                }
                // Sizes that no rule gives are those of the operator that the script has.
                let side = |label: Label| {
                    let dim = opaque.shape[usize::from(label)];
                    dim.map_or(Dim::Known(1), |dim| {
                        self.of.translation.relations.graph.analysis.sizes[usize::from(dim.0)]
                            .clone()
                    })
                };
                let like = Type {
                    kind: opaque.kind,
                    ..Type::matrix(side(crate::translate::ROW), side(crate::translate::COL))
                };
                let node = self.dag.op_like(opaque.op, fitted, &like)?;
                self.as_state(node, term)
            }
        }
    }

    /// An input, or a size of one or of a value that is held.
    fn leaf(&mut self, n: u32) -> Result<NodeId, ShapeError> {
        let dag = self.of.dag;
        let node = self.of.translation.leaves[n as usize];
        let Node::Op(op, args) = dag.node(node) else {
            let input = dag.input_of(node).expect("leaves are inputs or sizes");
            return Ok(self.dag.input(&input.name, input.ty.clone()));
        };
        let held = self.of.held.iter().find(|held| held.node == args[0]);
        let whole = match (dag.input_of(args[0]), held) {
            (Some(input), _) => self.dag.input(&input.name, input.ty.clone()),
            (None, Some(held)) => self.dag.input(&held.name, held.ty.clone()),
            (None, None) => self.dag.import(dag, args[0]),
        };
        self.dag.op(*op, [whole])
    }

    /// The size of a side of a state, as it is computed.
    fn size(&mut self, term: Term, label: Label) -> Result<NodeId, ShapeError> {
        let relations = &self.of.translation.relations;
        let Some(dim) = relations.dim_of(term, label) else {
            return Ok(self.dag.num(1.0));
        };
        let size = &relations.graph.analysis.sizes[usize::from(dim.0)];
        let mut sum = None;
        for (factor, names) in size.terms().unwrap_or_default() {
            #[expect(clippy::cast_precision_loss, reason = "sizes beyond 2^53 do not occur")]
            let mut product =
                (factor != 1 || names.is_empty()).then(|| self.dag.num(factor as f64));
            for name in names {
                let leaf = self.leaf(relations.graph.analysis.size_leaves[&name])?;
                product = Some(match product {
                    None => leaf,
                    Some(product) => self.dag.op(Op::Mul, [product, leaf])?,
                });
            }
            let product = product.expect("a factor or a name");
            sum = Some(match sum {
                None => product,
                Some(sum) => self.dag.op(Op::Add, [sum, product])?,
            });
        }
        Ok(sum.unwrap_or_else(|| self.dag.num(0.0)))
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
