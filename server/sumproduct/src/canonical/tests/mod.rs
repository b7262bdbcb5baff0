//! Tests of the whole module: worked examples, explanations, and comparison with evaluation.

mod constants;
mod examples;
mod explain;
mod functions;
mod property;
mod reference;
mod truth;

use sumac_la::{Dag, Dim, NodeId, Op, Type};

use super::{Verdict, decide};

/// Builds expressions over inputs `name: rows x cols`; `n x 1` and `1 x n` are vectors, `scalar` is a scalar.
pub(super) struct Build {
    pub(super) dag: Dag,
}

impl Build {
    pub(super) fn new(inputs: &[(&str, &str)]) -> Self {
        let mut dag = Dag::default();
        for (name, shape) in inputs {
            let ty = match shape.split_once(" x ") {
                None => Type::scalar(),
                Some((rows, cols)) => Type::matrix(dim(rows), dim(cols)),
            };
            dag.input(name, ty);
        }
        Build { dag }
    }

    pub(super) fn v(&mut self, name: &str) -> NodeId {
        self.dag.input(name, Type::unknown_matrix())
    }

    pub(super) fn num(&mut self, value: f64) -> NodeId {
        self.dag.num(value)
    }

    pub(super) fn op(&mut self, op: Op, args: &[NodeId]) -> NodeId {
        self.dag.op(op, args.iter().copied()).unwrap()
    }

    pub(super) fn t(&mut self, x: NodeId) -> NodeId {
        self.op(Op::Transpose, &[x])
    }

    pub(super) fn mm(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.op(Op::MatMul, &[a, b])
    }

    pub(super) fn mul(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.op(Op::Mul, &[a, b])
    }

    pub(super) fn add(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.op(Op::Add, &[a, b])
    }

    pub(super) fn sub(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.op(Op::Sub, &[a, b])
    }

    pub(super) fn div(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.op(Op::Div, &[a, b])
    }

    pub(super) fn sum(&mut self, x: NodeId) -> NodeId {
        self.op(Op::Sum, &[x])
    }

    pub(super) fn exp(&mut self, x: NodeId) -> NodeId {
        self.op(Op::Exp, &[x])
    }

    pub(super) fn pow(&mut self, x: NodeId, k: f64) -> NodeId {
        let k = self.num(k);
        self.op(Op::Pow, &[x, k])
    }

    pub(super) fn fill(&mut self, value: f64, rows: NodeId, cols: NodeId) -> NodeId {
        let value = self.num(value);
        self.op(Op::Fill, &[value, rows, cols])
    }

    pub(super) fn decide(&self, a: NodeId, b: NodeId) -> Verdict {
        decide((&self.dag, a), (&self.dag, b))
    }

    #[track_caller]
    pub(super) fn equal(&self, a: NodeId, b: NodeId) {
        let verdict = self.decide(a, b);
        let (a, b) = (self.dag.print(a), self.dag.print(b));
        assert!(
            matches!(verdict, Verdict::Equal(_)),
            "{a} == {b}: {verdict:?}"
        );
    }

    /// Equal, but only under these conditions.
    #[track_caller]
    pub(super) fn conditional(&self, a: NodeId, b: NodeId, conditions: &[&str]) {
        let verdict = self.decide(a, b);
        let (a, b) = (self.dag.print(a), self.dag.print(b));
        let Verdict::Equal(proof) = verdict else {
            panic!("{a} == {b}: {verdict:?}");
        };
        assert_eq!(proof.conditions, conditions, "{a} == {b}");
    }

    #[track_caller]
    pub(super) fn different(&self, a: NodeId, b: NodeId) {
        let verdict = self.decide(a, b);
        let (a, b) = (self.dag.print(a), self.dag.print(b));
        assert_eq!(verdict, Verdict::Different, "{a} == {b}");
    }

    #[track_caller]
    pub(super) fn undecided(&self, a: NodeId, b: NodeId, reason: &str) {
        let verdict = self.decide(a, b);
        let (a, b) = (self.dag.print(a), self.dag.print(b));
        let Verdict::Undecided(text) = verdict else {
            panic!("{a} == {b}: {verdict:?}");
        };
        assert!(text.contains(reason), "{a} == {b}: {text}");
    }
}

fn dim(text: &str) -> Dim {
    match text.parse() {
        Ok(n) => Dim::Known(n),
        Err(_) if text == "?" => Dim::Unknown,
        Err(_) => Dim::Named(text.into()),
    }
}
