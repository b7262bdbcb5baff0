//! The block under construction: its DAG, which node each variable holds, and what each statement reads.
//!
//! Everything here is about one run of statements; it must never look at control flow.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use sumac_la::{Dag, Dim, Node, NodeId, Op, Type};
use sumac_text::TextRange;

use crate::liveness::Liveness;
use crate::names::Names;
use crate::provenance::Stated;
use crate::result::{BlockStatement, BlockTarget, Part, StatementBlock};

/// A statement before its readers are known.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) range: TextRange,
    pub(crate) target: Option<BlockTarget>,
    /// The variables that the statement writes.
    pub(crate) writes: Vec<Arc<str>>,
    pub(crate) reads: Names,
    pub(crate) parts: Vec<Part>,
    pub(crate) env: BTreeMap<Arc<str>, NodeId>,
    /// A plain assignment whose value may turn out unused: the name's place.
    pub(crate) plain: Option<(Arc<str>, TextRange)>,
}

/// An opaque expression that stands as an input under its own text.
#[derive(Clone, Debug)]
struct Opaque {
    node: NodeId,
    reads: Names,
    /// Cleared when a variable of the text gets another value: then the text no longer means this node.
    valid: bool,
}

/// A block under construction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Builder {
    pub(crate) dag: Dag,
    env: BTreeMap<Arc<str>, NodeId>,
    opaque: BTreeMap<Arc<str>, Opaque>,
    input_names: BTreeSet<Arc<str>>,
    /// Inputs whose size nothing tells: the `read` and the variable.
    pub(crate) unsized_inputs: BTreeMap<Arc<str>, (TextRange, Arc<str>)>,
    /// Inputs that hold what a caller passed.
    pub(crate) open: BTreeSet<Arc<str>>,
    /// Inputs whose sizes, or whose value, only a `#@` line, a data file or a caller tells.
    pub(crate) stated: BTreeMap<Arc<str>, Stated>,
    pub(crate) drafts: Vec<Draft>,
    certain: Certain,
}

/// The nodes of a block over symbols, as far as they were asked for.
#[derive(Clone, Debug, Default)]
struct Certain {
    dag: Dag,
    places: FxHashMap<NodeId, NodeId>,
}

impl Builder {
    /// A node's type as it is whatever arguments and data say: sizes above one are symbols, and of what only these make one nothing
    /// is known.
    pub(crate) fn certain(&mut self, node: NodeId) -> Type {
        let Certain { dag, places } = &mut self.certain;
        let below = |id: NodeId| match places.contains_key(&id) {
            true => Default::default(),
            false => self.dag.args(id),
        };
        for id in self.dag.reachable_by(&[node], below) {
            if places.contains_key(&id) {
                continue;
            }
            let place = match self.dag.node(id) {
                Node::Num(bits) => dag.num(f64::from_bits(*bits)),
                Node::Input(number) => {
                    let input = &self.dag.inputs()[*number as usize];
                    let is_open = self.open.contains(&input.name);
                    let ty = input.over_symbols(is_open, &|name, n| Dim::symbol(name, n));
                    dag.input(&input.name, ty)
                }
                Node::Op(op, args) => {
                    let args = args.iter().map(|arg| places[arg]);
                    dag.op(*op, args).unwrap_or_else(|_| {
                        let ty = Type {
                            rows: Dim::Unknown,
                            cols: Dim::Unknown,
                            ..self.dag.ty(id).clone()
                        };
                        dag.input(&format!("<{}>", id.index()), ty)
                    })
                }
            };
            places.insert(id, place);
        }
        dag.ty(places[&node]).clone()
    }

    /// The node that a variable holds; its value at entry where the block has not touched it.
    pub(crate) fn variable(&mut self, name: &Arc<str>, ty: impl FnOnce() -> Type) -> NodeId {
        if let Some(node) = self.env.get(name) {
            return *node;
        }
        let (_, node) = self.fresh(name, ty());
        self.env.insert(name.clone(), node);
        node
    }

    /// A new input `name`, `name#2`, `name#3`, …
    pub(crate) fn fresh(&mut self, name: &Arc<str>, ty: Type) -> (Arc<str>, NodeId) {
        let mut unique = name.clone();
        let mut version = 1;
        while !self.input_names.insert(unique.clone()) {
            version += 1;
            unique = format!("{name}#{version}").into();
        }
        let node = self.dag.input(&unique, ty);
        (unique, node)
    }

    /// The input that stands for an opaque expression; `None` where its text now means something else.
    pub(crate) fn opaque(&mut self, text: &str, reads: &Names, ty: Type) -> Option<NodeId> {
        if let Some(known) = self.opaque.get(text) {
            return known.valid.then_some(known.node);
        }
        if self.input_names.contains(text) {
            return None;
        }
        let name: Arc<str> = text.into();
        self.input_names.insert(name.clone());
        let node = self.dag.input(text, ty);
        self.opaque.insert(
            name,
            Opaque {
                node,
                reads: reads.clone(),
                valid: true,
            },
        );
        Some(node)
    }

    /// Whether [`Builder::opaque`] would find or make a node.
    pub(crate) fn can_be_opaque(&self, text: &str) -> bool {
        match self.opaque.get(text) {
            Some(known) => known.valid,
            None => !self.input_names.contains(text),
        }
    }

    /// What stands for which node now.
    pub(crate) fn snapshot(&self) -> BTreeMap<Arc<str>, NodeId> {
        let texts = self
            .opaque
            .iter()
            .filter(|(_, o)| o.valid)
            .map(|(t, o)| (t.clone(), o.node));
        self.env
            .iter()
            .map(|(name, node)| (name.clone(), *node))
            .chain(texts)
            .collect()
    }

    /// The variable now holds `node`, or something that the DAG does not know.
    pub(crate) fn assign(&mut self, name: &Arc<str>, node: Option<NodeId>) {
        match node {
            Some(node) => {
                self.env.insert(name.clone(), node);
            }
            None => {
                self.env.remove(name);
                // Its old value must not come back under the plain name.
                self.input_names.insert(name.clone());
            }
        }
        for opaque in self.opaque.values_mut() {
            opaque.valid &= !opaque.reads.contains(name);
        }
    }

    /// Reads of unknown size that linear algebra of this block would need.
    pub(crate) fn missing_sizes(&self) -> Vec<(TextRange, Arc<str>)> {
        let mut found = Vec::new();
        if self.unsized_inputs.is_empty() {
            return found;
        }
        for part in self.drafts.iter().flat_map(|draft| &draft.parts) {
            if !matches!(self.dag.node(part.root), Node::Op(op, _) if !matches!(op, Op::Nrow | Op::Ncol | Op::Length))
            {
                continue;
            }
            for node in self.dag.reachable(&[part.root]) {
                let input = self
                    .dag
                    .input_of(node)
                    .and_then(|i| self.unsized_inputs.get(&i.name));
                found.extend(input.cloned());
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// The finished block, and the plain assignments whose value nothing reads.
    pub(crate) fn finish(
        self,
        loop_depth: usize,
        function: Option<Arc<str>>,
        liveness: &Liveness,
        mark: &dyn Fn(TextRange) -> (bool, Option<Arc<str>>),
    ) -> (Option<StatementBlock>, Vec<(Arc<str>, TextRange)>) {
        let Some(last) = self.drafts.last().map(|draft| draft.range) else {
            return (None, Vec::new());
        };
        let mut unused = Vec::new();
        let mut fates = Vec::new();
        // Later readers and the next writer of each variable, from the back.
        let mut readers: BTreeMap<Arc<str>, Vec<usize>> = BTreeMap::new();
        let mut rewritten: BTreeSet<Arc<str>> = BTreeSet::new();
        for (i, draft) in self.drafts.iter().enumerate().rev() {
            let mut fate = (Vec::new(), false);
            for name in &draft.writes {
                let reading = readers.remove(name).unwrap_or_default();
                let live = !rewritten.contains(name) && liveness.is_live(last, name);
                rewritten.insert(name.clone());
                if let Some((plain, range)) = &draft.plain
                    && plain == name
                    && reading.is_empty()
                    && !live
                {
                    unused.push((name.clone(), *range));
                }
                fate = (reading, live);
            }
            fates.push(fate);
            for name in &draft.reads {
                readers.entry(name.clone()).or_default().push(i);
            }
        }
        let statements = self
            .drafts
            .into_iter()
            .zip(fates.into_iter().rev())
            .map(|(draft, (mut readers, live_after_block))| {
                readers.sort_unstable();
                let (hints_off, sketch) = mark(draft.range);
                BlockStatement {
                    range: draft.range,
                    target: draft.target,
                    parts: draft.parts,
                    env: draft.env,
                    live_after_block,
                    readers,
                    hints_off,
                    sketch,
                }
            })
            .collect();
        (
            Some(StatementBlock::new(
                self.dag,
                statements,
                (loop_depth, function),
                (self.open, self.stated),
                self.opaque
                    .into_iter()
                    .map(|(text, opaque)| (text, opaque.reads))
                    .collect(),
            )),
            unused,
        )
    }
}
