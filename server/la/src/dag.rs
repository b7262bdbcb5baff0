//! The hash-consed, multi-rooted DAG.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::rules::{self, Arg, ShapeError};
use crate::table::Op;
use crate::types::{Dim, Kind, Type};

/// A node of one [`Dag`]. Arguments always have smaller ids, so ids are a topological order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct NodeId(u32);

impl NodeId {
    /// Position in topological order.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A node's arguments.
pub type Args = SmallVec<[NodeId; 2]>;

/// What a node is.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Node {
    /// The `n`-th input.
    Input(u32),
    /// A constant scalar, by its bits.
    Num(u64),
    /// An operator over earlier nodes.
    Op(Op, Args),
}

impl Node {
    /// The constant's value.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        match self {
            Node::Num(bits) => Some(f64::from_bits(*bits)),
            Node::Input(_) | Node::Op(..) => None,
        }
    }
}

/// A named value that comes from outside.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Input {
    /// How the script calls it. Names are unique in a DAG.
    pub name: Arc<str>,
    /// What is known of it.
    pub ty: Type,
}

/// Expressions that share their common parts: equal nodes are one node.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct Dag {
    nodes: Vec<Node>,
    types: Vec<Type>,
    inputs: Vec<Input>,
    roots: Vec<NodeId>,
    memo: HashMap<Node, NodeId, FxBuildHasher>,
}

#[derive(Serialize, Deserialize)]
struct Parts {
    nodes: Vec<Node>,
    types: Vec<Type>,
    inputs: Vec<Input>,
    roots: Vec<NodeId>,
}

impl From<Dag> for Parts {
    fn from(dag: Dag) -> Self {
        Parts {
            nodes: dag.nodes,
            types: dag.types,
            inputs: dag.inputs,
            roots: dag.roots,
        }
    }
}

impl Parts {
    /// Whether whoever follows a number arrives: nodes point to earlier ones, inputs and results are there, and nothing is
    /// there twice. Where parts come from anyone can have been.
    fn are_sound(&self) -> bool {
        let is_sound = |(index, node): (usize, &Node)| match node {
            Node::Input(n) => (*n as usize) < self.inputs.len(),
            Node::Num(_) => true,
            Node::Op(op, args) => {
                op.info().arity.accepts(args.len()) && args.iter().all(|arg| arg.index() < index)
            }
        };
        let names: HashSet<&str, FxBuildHasher> =
            self.inputs.iter().map(|input| &*input.name).collect();
        self.nodes.len() == self.types.len()
            && u32::try_from(self.nodes.len()).is_ok()
            && names.len() == self.inputs.len()
            && self.nodes.iter().enumerate().all(is_sound)
            && self
                .roots
                .iter()
                .all(|root| root.index() < self.nodes.len())
    }
}

impl TryFrom<Parts> for Dag {
    type Error = &'static str;

    fn try_from(parts: Parts) -> Result<Self, Self::Error> {
        if !parts.are_sound() {
            return Err("expected expressions whose parts are there");
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a DAG never holds 2^32 nodes"
        )]
        let memo: HashMap<Node, NodeId, FxBuildHasher> = parts
            .nodes
            .iter()
            .enumerate()
            .map(|(i, node)| (node.clone(), NodeId(i as u32)))
            .collect();
        if memo.len() != parts.nodes.len() {
            return Err("expected each expression once");
        }
        Ok(Dag {
            nodes: parts.nodes,
            types: parts.types,
            inputs: parts.inputs,
            roots: parts.roots,
            memo,
        })
    }
}

/// Two DAGs are equal when they hold the same nodes in the same order.
impl PartialEq for Dag {
    fn eq(&self, other: &Self) -> bool {
        self.nodes == other.nodes
            && self.types == other.types
            && self.inputs == other.inputs
            && self.roots == other.roots
    }
}

impl Dag {
    /// The input called `name`; adds it if it is new.
    pub fn input(&mut self, name: &str, ty: Type) -> NodeId {
        let known = self.inputs.iter().position(|input| &*input.name == name);
        let position = known.unwrap_or(self.inputs.len());
        if known.is_none() {
            self.inputs.push(Input {
                name: name.into(),
                ty,
            });
        }
        let ty = self.inputs[position].ty.clone();
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a DAG never holds 2^32 inputs"
        )]
        self.intern(Node::Input(position as u32), ty)
    }

    /// A constant scalar.
    pub fn num(&mut self, value: f64) -> NodeId {
        let ty = Type {
            sparsity: Some(if value == 0.0 { 0.0 } else { 1.0 }),
            size: rules::size(Some(value).filter(|value| value.fract() == 0.0)),
            assumed: Some(value),
            ..Type::scalar()
        };
        // One zero: -0 and 0 are the same number to the algebra.
        let value = if value == 0.0 { 0.0 } else { value };
        self.intern(Node::Num(value.to_bits()), ty)
    }

    /// `op` over `args`.
    ///
    /// # Errors
    /// The shapes do not fit each other; nothing is added then.
    ///
    /// # Panics
    /// The number of arguments is not the operator's.
    pub fn op(
        &mut self,
        op: Op,
        args: impl IntoIterator<Item = NodeId>,
    ) -> Result<NodeId, ShapeError> {
        let args: Args = args.into_iter().collect();
        assert!(
            op.info().arity.accepts(args.len()),
            "{op:?} does not take {} arguments",
            args.len()
        );
        let node = Node::Op(op, args);
        if let Some(id) = self.memo.get(&node) {
            return Ok(*id);
        }
        let Node::Op(_, args) = &node else {
            unreachable!("made above")
        };
        let ty = self.infer(op, args)?;
        Ok(self.intern(node, ty))
    }

    /// As [`Dag::op`], where a size that no rule gives is that of `like`.
    ///
    /// # Errors
    /// As [`Dag::op`].
    pub fn op_like(
        &mut self,
        op: Op,
        args: impl IntoIterator<Item = NodeId>,
        like: &Type,
    ) -> Result<NodeId, ShapeError> {
        let args: Args = args.into_iter().collect();
        let mut ty = self.infer(op, &args)?;
        for (dim, like) in [(&mut ty.rows, &like.rows), (&mut ty.cols, &like.cols)] {
            if *dim == Dim::Unknown {
                *dim = like.clone();
            }
        }
        Ok(self.intern(Node::Op(op, args), ty))
    }

    /// As [`Dag::op`], for what is known to fit: with the type that it has in another DAG.
    pub fn op_of_type(
        &mut self,
        op: Op,
        args: impl IntoIterator<Item = NodeId>,
        ty: &Type,
    ) -> NodeId {
        self.intern(Node::Op(op, args.into_iter().collect()), ty.clone())
    }

    fn intern(&mut self, node: Node, ty: Type) -> NodeId {
        if let Some(id) = self.memo.get(&node) {
            return *id;
        }
        let id = NodeId(u32::try_from(self.nodes.len()).expect("a DAG never holds 2^32 nodes"));
        self.nodes.push(node.clone());
        self.types.push(ty);
        self.memo.insert(node, id);
        id
    }

    /// The value of a node that is written as a number: a constant, or arithmetic over constants. Sizes have none, nor has
    /// what is assumed of an input.
    #[must_use]
    pub fn value(&self, id: NodeId) -> Option<f64> {
        match self.node(id) {
            Node::Num(bits) => Some(f64::from_bits(*bits)),
            Node::Input(_) => None,
            Node::Op(op, args) => {
                if !self.ty(id).is_scalar() {
                    return None;
                }
                let arg = |i: usize| self.value(args[i]);
                match op {
                    Op::Add => Some(arg(0)? + arg(1)?),
                    Op::Sub => Some(arg(0)? - arg(1)?),
                    Op::Mul => Some(arg(0)? * arg(1)?),
                    Op::Div => Some(arg(0)? / arg(1)?),
                    Op::Neg => Some(-arg(0)?),
                    _ => None,
                }
            }
        }
    }

    /// Gives a size another name, or its number, wherever it stands; what follows from it is inferred anew.
    pub fn rename_size(&mut self, name: &str, to: &Dim) {
        for input in &mut self.inputs {
            input.ty.rows = input.ty.rows.with_name(name, to);
            input.ty.cols = input.ty.cols.with_name(name, to);
            input.ty.size = input.ty.size.with_name(name, to);
        }
        for i in 0..self.nodes.len() {
            let old = &self.types[i];
            let renamed = Type {
                rows: old.rows.with_name(name, to),
                cols: old.cols.with_name(name, to),
                size: old.size.with_name(name, to),
                ..old.clone()
            };
            self.types[i] = match &self.nodes[i] {
                Node::Input(n) => self.inputs[*n as usize].ty.clone(),
                Node::Num(_) => renamed,
                // Where the sizes now contradict each other, the operator that learned it has told.
                Node::Op(op, args) => self.infer(*op, args).unwrap_or(renamed),
            };
        }
    }

    pub(crate) fn set_type(&mut self, id: NodeId, ty: Type) {
        self.types[id.index()] = ty;
    }

    pub(crate) fn set_input_type(&mut self, place: usize, ty: Type) {
        self.inputs[place].ty = ty;
    }

    pub(crate) fn for_each_type(&mut self, mut change: impl FnMut(&mut Type)) {
        self.inputs
            .iter_mut()
            .for_each(|input| change(&mut input.ty));
        self.types.iter_mut().for_each(change);
    }

    pub(crate) fn infer(&self, op: Op, args: &[NodeId]) -> Result<Type, ShapeError> {
        let infos: SmallVec<[Arg<'_>; 6]> = args
            .iter()
            .map(|a| Arg {
                ty: &self.types[a.index()],
                value: self.value(*a),
            })
            .collect();
        rules::infer(op, &infos, self.is_gram(op, args))
    }

    /// Whether it multiplies a matrix with its own transpose.
    fn is_gram(&self, op: Op, args: &[NodeId]) -> bool {
        let is_transposed = |id: NodeId, of: NodeId| matches!(self.node(id), Node::Op(Op::Transpose, a) if a[0] == of);
        op == Op::MatMul && (is_transposed(args[0], args[1]) || is_transposed(args[1], args[0]))
    }

    /// The node itself.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// What is known of its value.
    #[must_use]
    pub fn ty(&self, id: NodeId) -> &Type {
        &self.types[id.index()]
    }

    /// The arguments; none for inputs and constants.
    #[must_use]
    pub fn args(&self, id: NodeId) -> &[NodeId] {
        match self.node(id) {
            Node::Op(_, args) => args,
            Node::Input(_) | Node::Num(_) => &[],
        }
    }

    /// All inputs, in the order of their numbers.
    #[must_use]
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The input behind a [`Node::Input`].
    #[must_use]
    pub fn input_of(&self, id: NodeId) -> Option<&Input> {
        match self.node(id) {
            Node::Input(n) => Some(&self.inputs[*n as usize]),
            Node::Num(_) | Node::Op(..) => None,
        }
    }

    /// Whether the node is a scalar.
    #[must_use]
    pub fn is_scalar(&self, id: NodeId) -> bool {
        self.ty(id).kind == Kind::Scalar
    }

    /// The results that the DAG stands for, in order; the same node may stand twice.
    #[must_use]
    pub fn roots(&self) -> &[NodeId] {
        &self.roots
    }

    /// Adds a result.
    pub fn push_root(&mut self, id: NodeId) {
        self.roots.push(id);
    }

    /// All nodes, reachable or not, arguments first.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a DAG never holds 2^32 nodes"
        )]
        let count = self.nodes.len() as u32;
        (0..count).map(NodeId)
    }

    /// Number of nodes, reachable or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The nodes that `roots` need, in topological order.
    #[must_use]
    pub fn reachable(&self, roots: &[NodeId]) -> Vec<NodeId> {
        self.reachable_by(roots, |id| self.args(id))
    }

    /// As [`Dag::reachable`], where a node needs what `reads` says, all of it with smaller ids.
    #[must_use]
    pub fn reachable_by<'a>(
        &self,
        roots: &[NodeId],
        reads: impl Fn(NodeId) -> &'a [NodeId],
    ) -> Vec<NodeId> {
        let mut needed = vec![false; self.nodes.len()];
        let mut stack = roots.to_vec();
        while let Some(id) = stack.pop() {
            if !std::mem::replace(&mut needed[id.index()], true) {
                stack.extend_from_slice(reads(id));
            }
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a DAG never holds 2^32 nodes"
        )]
        (0..self.nodes.len())
            .filter(|i| needed[*i])
            .map(|i| NodeId(i as u32))
            .collect()
    }

    /// Copies the expression `root` of `other` into this DAG; inputs are matched by name.
    pub fn import(&mut self, other: &Dag, root: NodeId) -> NodeId {
        self.import_with(other, root, &mut |_, _| None)
    }

    /// As [`Dag::import`], where each node that `cut` names becomes an input of that name. What only such nodes need is not
    /// looked at.
    pub fn import_cut<'a>(
        &mut self,
        other: &Dag,
        root: NodeId,
        cut: &dyn Fn(NodeId) -> Option<&'a str>,
    ) -> NodeId {
        let reads = |id: NodeId| match cut(id) {
            Some(_) => <&[NodeId]>::default(),
            None => other.args(id),
        };
        let order = other.reachable_by(&[root], reads);
        self.import_in(other, &order, &mut |dag, id| {
            cut(id).map(|name| dag.input(name, other.ty(id).clone()))
        })
    }

    /// As [`Dag::import`], with `replace` consulted first for each node of `other`.
    pub fn import_with(
        &mut self,
        other: &Dag,
        root: NodeId,
        replace: &mut dyn FnMut(&mut Dag, NodeId) -> Option<NodeId>,
    ) -> NodeId {
        self.import_in(other, &other.reachable(&[root]), replace)
    }

    /// Copies nodes of `other` in a topological order; gives the last one of them. `replace` is consulted first, and what it gives needs
    /// no arguments.
    fn import_in(
        &mut self,
        other: &Dag,
        order: &[NodeId],
        replace: &mut dyn FnMut(&mut Dag, NodeId) -> Option<NodeId>,
    ) -> NodeId {
        let mut map: HashMap<NodeId, NodeId, FxBuildHasher> = HashMap::default();
        for id in order {
            let new = replace(self, *id).unwrap_or_else(|| match other.node(*id) {
                Node::Input(n) => {
                    let input = &other.inputs[*n as usize];
                    self.input(&input.name, input.ty.clone())
                }
                Node::Num(bits) => self.num(f64::from_bits(*bits)),
                Node::Op(op, args) => {
                    let args: Args = args.iter().map(|a| map[a]).collect();
                    self.intern(Node::Op(*op, args), other.ty(*id).clone())
                }
            });
            map.insert(*id, new);
        }
        map[order.last().expect("a root needs itself")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_are_not_there_are_refused() {
        let mut dag = Dag::default();
        let x = dag.input("X", Type::matrix(3, 4));
        let root = dag.op(Op::Exp, [x]).unwrap();
        dag.push_root(root);
        let good = serde_json::to_value(&dag).unwrap();
        let back = |json: &serde_json::Value| Dag::deserialize(json);
        assert_eq!(back(&good).unwrap(), dag);
        for (place, value) in [
            ("/roots/0", serde_json::json!(7)),
            ("/nodes/0", serde_json::json!({"Input": 3})),
            ("/nodes/1/Op/1/0", serde_json::json!(1)),
            ("/nodes/1/Op/1/0", serde_json::json!(9)),
            ("/nodes/1/Op/1", serde_json::json!([0, 0])),
            ("/nodes/1/Op/1", serde_json::json!([])),
            ("/nodes/1", serde_json::json!({"Input": 0})),
            ("/types", serde_json::json!([])),
            ("/inputs", serde_json::json!([])),
        ] {
            let mut bad = good.clone();
            *bad.pointer_mut(place).unwrap() = value;
            assert!(back(&bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn equal_expressions_are_one_node() {
        let mut dag = Dag::default();
        let x = dag.input("X", Type::matrix(3, 4));
        let a = dag.op(Op::Exp, [x]).unwrap();
        let b = dag.op(Op::Exp, [x]).unwrap();
        assert_eq!(a, b);
        assert_eq!(
            dag.input("X", Type::scalar()),
            x,
            "an input keeps its first type"
        );
    }

    #[test]
    fn a_shape_mismatch_names_both_shapes_and_adds_nothing() {
        let mut dag = Dag::default();
        let x = dag.input("X", Type::matrix(3, 4));
        let before = dag.len();
        let error = dag.op(Op::MatMul, [x, x]).unwrap_err().to_string();
        assert_eq!(
            error,
            "`%*%` cannot combine 3 x 4 with 3 x 4: columns of the left (4) must equal rows of the right (3)"
        );
        assert_eq!(dag.len(), before);
    }

    #[test]
    fn serialization_keeps_everything() {
        let mut dag = Dag::default();
        let x = dag.input("X", Type::sparse(3, 4, 0.5));
        let two = dag.num(2.0);
        let y = dag.op(Op::Pow, [x, two]).unwrap();
        dag.push_root(y);
        let mut copy = Dag::try_from(Parts::from(dag.clone())).unwrap();
        assert_eq!(copy, dag);
        assert_eq!(copy.op(Op::Pow, [x, two]).unwrap(), y);
    }
}
