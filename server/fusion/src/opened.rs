//! An operator that a choice leads to: what it reads, which sparse matrix it follows, and what it takes.
//!
//! An operator takes `write + max(read, compute)` seconds. It never looks at what else is chosen.

use smallvec::SmallVec;
use sumac_cost::{matrix_bytes, reads_against_rows};
use sumac_la::{NodeId, Type};

use crate::graph::Graph;
use crate::placement::on_cluster;
use crate::rates::Rates;
use crate::template::Template;
use crate::templates::{is_column_fold, zero_with};

/// Bytes that come with a cell that is read somewhere in a matrix.
pub(crate) const LINE: f64 = 64.0;

/// Seconds of one operator.
#[derive(Clone, Copy, PartialEq, Debug, Default, serde::Serialize)]
pub struct Seconds {
    /// Its result.
    pub write: f64,
    /// Its inputs.
    pub read: f64,
    /// Its operators.
    pub compute: f64,
    /// To move inputs through a cluster.
    #[serde(skip_serializing_if = "is_zero")]
    pub moved: f64,
    /// To start it.
    pub start: f64,
}

impl Seconds {
    /// All of it: reading and computing overlap, moving does not.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.start + self.moved + self.write + self.read.max(self.compute)
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(seconds: &f64) -> bool {
    *seconds == 0.0
}

/// An operator that a choice leads to.
#[derive(Clone, PartialEq, Debug)]
pub struct Opened {
    /// Its result.
    pub root: NodeId,
    /// Its kind; `None` for one operator alone.
    pub template: Option<Template>,
    /// The operators in it, arguments first.
    pub covers: Vec<NodeId>,
    /// The arguments that are computed inside: reader and position.
    pub inside: Vec<(NodeId, usize)>,
    /// The values that it reads, each once; numbers left out.
    pub inputs: Vec<NodeId>,
    /// The sparse matrix whose cells it visits instead of all.
    pub driver: Option<NodeId>,
    /// What it takes.
    pub seconds: Seconds,
}

/// One operator by itself.
pub(crate) fn alone(graph: &Graph<'_>, rates: &Rates, id: NodeId) -> Opened {
    let inputs = inputs(graph, &[id], &[]);
    let mut opened = Opened {
        root: id,
        template: None,
        covers: vec![id],
        inside: Vec::new(),
        inputs,
        driver: None,
        seconds: Seconds::default(),
    };
    opened.seconds = seconds(graph, rates, &opened).unwrap_or_default();
    opened
}

/// What an operator reads, each once, numbers left out; transposes that are never formed count as their arguments.
pub(crate) fn inputs(
    graph: &Graph<'_>,
    covers: &[NodeId],
    inside: &[(NodeId, usize)],
) -> Vec<NodeId> {
    let mut found = Vec::new();
    for &id in covers {
        for (i, arg) in graph.dag.args(id).iter().enumerate() {
            let is_inside = inside.binary_search(&(id, i)).is_ok();
            if !is_inside && graph.dag.value(*arg).is_none() {
                found.push(graph.stored(*arg));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The sparsest of the inputs that are stored sparse and make the visited value zero where they are.
pub(crate) fn driver(
    graph: &Graph<'_>,
    template: Template,
    root: NodeId,
    covers: &[NodeId],
    inside: &[(NodeId, usize)],
) -> Option<NodeId> {
    if template == Template::Row {
        return None;
    }
    let visited = visited(graph, root, covers, inside)?;
    let density = |id: &NodeId| graph.dag.ty(*id).density();
    drivers(graph, visited, covers)
        .into_iter()
        .filter(|id| graph.dag.ty(*id).is_stored_sparse())
        .min_by(|a, b| density(a).total_cmp(&density(b)))
}

/// The inputs of an operator whose zeros make the visited value zero.
pub(crate) fn drivers(graph: &Graph<'_>, visited: NodeId, covers: &[NodeId]) -> Vec<NodeId> {
    let is_leaf = |id: NodeId| covers.binary_search(&id).is_err();
    zero_with(graph, visited, &is_leaf)
}

/// The value whose cells an operator computes one by one, before it folds them.
pub(crate) fn visited(
    graph: &Graph<'_>,
    root: NodeId,
    covers: &[NodeId],
    inside: &[(NodeId, usize)],
) -> Option<NodeId> {
    if graph.is_cellwise(root) {
        return Some(root);
    }
    let args = graph.dag.args(root);
    let inside_of = |i: usize| inside.binary_search(&(root, i)).is_ok();
    if !graph.is(root, sumac_la::Op::MatMul) {
        return args.first().copied();
    }
    let at = (0..args.len()).find(|i| inside_of(*i))?;
    let value = args[at];
    match graph.transposed(value) {
        Some(below) if covers.binary_search(&value).is_ok() => Some(below),
        _ => Some(value),
    }
}

/// What an operator takes; `None` where a size is not known.
pub(crate) fn seconds(graph: &Graph<'_>, rates: &Rates, opened: &Opened) -> Option<Seconds> {
    let dag = graph.dag;
    if graph.is_lazy(opened.root) {
        return Some(Seconds::default());
    }
    let write = rates.writing(dag, opened.root)?;
    let mut read: SmallVec<[f64; 8]> = SmallVec::new();
    let mut compute = 0.0;
    let visited = opened.driver.map(|driver| dag.ty(driver));
    let share = visited.map_or(1.0, Type::density);
    for id in &opened.inputs {
        let bytes = matrix_bytes(dag.ty(*id))?;
        let is_sampled = visited.is_some_and(|ty| ty.cells() == dag.ty(*id).cells());
        read.push(if is_sampled && opened.driver != Some(*id) {
            bytes.min(dag.ty(*id).cells()? * share * LINE)
        } else {
            bytes
        });
    }
    for id in &opened.covers {
        compute += match opened.template {
            None => rates.basic_work(dag, *id)?,
            Some(_) => {
                let full = rates.work(dag, *id)? * share;
                // Cell by cell, a product runs at the pace of sparse ones.
                if share < 1.0 && graph.is(*id, sumac_la::Op::MatMul) {
                    full * (rates.products / rates.sparse_products).max(1.0)
                } else {
                    full
                }
            }
        };
    }
    let slower = if is_against_rows(graph, opened) {
        rates.scatter
    } else {
        1.0
    };
    let here = Seconds {
        write,
        read: slower * read.iter().sum::<f64>() / rates.read,
        compute: slower * compute,
        moved: 0.0,
        start: rates.overhead,
    };
    match &rates.cluster {
        Some(cluster) => on_cluster(graph, rates, cluster, opened, &read, here),
        None => Some(here),
    }
}

/// Whether an operator reads the sparse matrix that it follows against its rows: it folds columns, or multiplies a dense
/// matrix with it.
fn is_against_rows(graph: &Graph<'_>, opened: &Opened) -> bool {
    let Some(op) = graph.op(opened.root) else {
        return false;
    };
    match opened.template {
        Some(_) => opened.driver.is_some() && is_column_fold(op),
        None => {
            let args = graph.dag.args(opened.root).iter();
            let types: SmallVec<[&Type; 4]> = args.map(|arg| graph.dag.ty(*arg)).collect();
            reads_against_rows(op, &types)
        }
    }
}
