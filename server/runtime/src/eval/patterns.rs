//! Patterns of several operators that one kernel computes: the sum of cellwise operators in one pass over memory, and
//! `t(X) %*% (w * (X %*% v))` in one pass over X.
//!
//! Before anything runs, the DAG's shape says which nodes may be inside a pattern: those that nobody else reads. When
//! the pattern's own node is reached, the values say whether it applies. Where it does not, its inner nodes are
//! computed one by one, so a pattern never changes what can be computed. A fused sum adds the very cells that the
//! operators alone would give.

use sumac_la::{Dag, Node, NodeId, Op};

use crate::error::OpError;
use crate::kernels::cell;
use crate::kernels::fused::{self, Program, Source};
use crate::kernels::matmul;
use crate::matrix::{Matrix, View};
use crate::value::Value;

/// Fewer cells are not worth a program.
const LEAST_CELLS: usize = 4096;

/// Tiles of more inputs do not fit the nearest cache.
const MOST_INPUTS: usize = 8;

/// A pattern's name, and what it gave.
type Done = (&'static str, Result<Value, OpError>);

/// Which nodes wait for the one node that reads them.
pub(super) struct Patterns {
    waiting: Vec<bool>,
}

impl Patterns {
    /// `uses` counts the readers of each node, roots included; `lazy` are transposes that only products read.
    pub(super) fn new(dag: &Dag, order: &[NodeId], uses: &[usize], lazy: &[bool]) -> Patterns {
        let (mut waiting, mut summed) = (vec![false; dag.len()], vec![false; dag.len()]);
        let alone = |id: NodeId| uses[id.index()] == 1;
        // Readers come first, so that a node knows whether its reader is inside of a sum.
        for &reader in order.iter().rev() {
            let Node::Op(op, args) = dag.node(reader) else {
                continue;
            };
            if *op == Op::Sum || summed[reader.index()] {
                for arg in args {
                    summed[arg.index()] = alone(*arg) && may_be_inside(dag, *arg);
                    waiting[arg.index()] |= summed[arg.index()];
                }
            }
            if let Some(chain) = Chain::of(dag, reader, lazy)
                && chain.inner.iter().all(|inner| alone(*inner))
            {
                for inner in chain.inner {
                    waiting[inner.index()] = true;
                }
            }
        }
        Patterns { waiting }
    }

    /// Whether the node is left to its reader.
    pub(super) fn waits(&self, id: NodeId) -> bool {
        self.waiting[id.index()]
    }

    /// The waiting nodes below `id`, arguments before their readers.
    pub(super) fn inner(&self, dag: &Dag, id: NodeId) -> Vec<NodeId> {
        let mut found = Vec::new();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            for arg in dag.args(id) {
                // Who reads an argument twice is not its only reader, so nothing is found twice.
                if self.waits(*arg) {
                    found.push(*arg);
                    open.push(*arg);
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// The value of `id` with the waiting nodes `inner` below it, where one kernel computes all of them. `value` gives
    /// the value of a node that does not wait. With the pattern's name.
    pub(super) fn compute<'a>(
        &self,
        dag: &Dag,
        id: NodeId,
        inner: &[NodeId],
        lazy: &[bool],
        value: impl Fn(NodeId) -> Option<&'a Value>,
    ) -> Option<Done> {
        if let Some(chain) = Chain::of(dag, id, lazy) {
            let cells = |id: NodeId| value(id)?.as_matrix();
            let (x, v) = (cells(chain.x)?, cells(chain.v)?);
            let w = match chain.w {
                Some(w) => Some(cells(w)?),
                None => None,
            };
            let fits = v.shape() == (x.cols(), 1) && w.is_none_or(|w| w.shape() == (x.rows(), 1));
            return fits.then(|| {
                (
                    "t(X) %*% (X %*% v)",
                    matmul::chain(x, v, w).map(Value::from),
                )
            });
        }
        let sum = sum(dag, inner, value)?;
        Some(("sum of cells", Ok(Value::Double(sum))))
    }
}

/// The sum of the last of these nodes, which read each other and values of other nodes.
fn sum<'a>(
    dag: &Dag,
    steps: &[NodeId],
    value: impl Fn(NodeId) -> Option<&'a Value>,
) -> Option<f64> {
    let mut inputs: Vec<(NodeId, &Matrix)> = Vec::new();
    let mut program = Vec::new();
    for step in steps {
        let Node::Op(op, args) = dag.node(*step) else {
            return None;
        };
        let mut sources = Vec::new();
        for arg in args {
            sources.push(match (steps.binary_search(arg), value(*arg)) {
                (Ok(place), _) => Source::Step(place),
                (Err(_), Some(Value::Matrix(m))) if m.len() != 1 => {
                    let known = inputs.iter().position(|(known, _)| known == arg);
                    Source::Input(known.unwrap_or_else(|| {
                        inputs.push((*arg, m));
                        inputs.len() - 1
                    }))
                }
                (Err(_), number) => Source::Number(number?.number("sum").ok()?),
            });
        }
        program.push((*op, sources));
    }
    let shape = inputs.first()?.1.shape();
    let mut slices = Vec::new();
    for (_, m) in &inputs {
        match m.view() {
            View::Dense(cells) if m.shape() == shape => slices.push(cells),
            // A sparse matrix, or one that is repeated.
            View::Dense(_) | View::Sparse(_) => return None,
        }
    }
    if slices[0].len() < LEAST_CELLS || slices.len() > MOST_INPUTS {
        return None;
    }
    let mut fused = Program::new(slices.len());
    for (op, sources) in program {
        fused.push(op, &sources).ok()?;
    }
    Some(fused::sum(&fused, &slices))
}

/// Cellwise operators whose result has the format of their arguments: one that may become sparse is no matter of cells
/// alone, for what is not stored meets nothing.
fn may_be_inside(dag: &Dag, id: NodeId) -> bool {
    match dag.node(id) {
        Node::Op(op, args) => Program::takes(*op, args.len()) && !cell::may_thin_out(*op),
        Node::Input(_) | Node::Num(_) => false,
    }
}

/// `t(X) %*% (X %*% v)`, or `t(X) %*% (w * (X %*% v))` with `w` on either side of `*`.
struct Chain {
    x: NodeId,
    v: NodeId,
    w: Option<NodeId>,
    /// The product, and the weighted product.
    inner: Vec<NodeId>,
}

impl Chain {
    fn of(dag: &Dag, id: NodeId, lazy: &[bool]) -> Option<Chain> {
        let Node::Op(Op::MatMul, args) = dag.node(id) else {
            return None;
        };
        let (turned, rest) = (args[0], args[1]);
        if !lazy[turned.index()] {
            return None;
        }
        let x = dag.args(turned)[0];
        let product = |id: NodeId| match dag.node(id) {
            Node::Op(Op::MatMul, args) if args[0] == x && !lazy[args[1].index()] => Some(args[1]),
            _ => None,
        };
        if let Some(v) = product(rest) {
            return Some(Chain {
                x,
                v,
                w: None,
                inner: vec![rest],
            });
        }
        let Node::Op(Op::Mul, args) = dag.node(rest) else {
            return None;
        };
        let (a, b) = (args[0], args[1]);
        [(a, b), (b, a)].into_iter().find_map(|(w, by)| {
            Some(Chain {
                x,
                v: product(by)?,
                w: Some(w),
                inner: vec![by, rest],
            })
        })
    }
}
