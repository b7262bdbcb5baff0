//! Atoms and the context that gives equal atoms one identity. Must never multiply out anything.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use smallvec::SmallVec;
use sumac_la::{Dag, NodeId, Op};

use super::coefficient::Coefficient;
use super::poly::{Poly, Polyterm};
use super::shapes::{self, Shape};
use super::sizes::{Size, SizeId, Sizes};
use super::term::Factor;

/// An atom of one [`Context`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct AtomId(u32);

impl AtomId {
    /// δ(i,j): 1 where i = j, otherwise 0.
    pub(super) const DELTA: AtomId = AtomId(0);

    fn index(self) -> usize {
        self.0 as usize
    }

    #[cfg(test)]
    pub(super) fn for_test(n: u32) -> AtomId {
        AtomId(n)
    }
}

/// An uninterpreted function of cells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Function {
    /// 1 / x.
    Recip,
    /// A cellwise operator.
    Cellwise(Op),
}

/// What an atom stands for.
#[derive(Clone, Debug)]
pub(super) enum AtomKind {
    Delta,
    Input(Arc<str>),
    /// The value of a size without a number.
    Size(SizeId),
    /// An infinity or NaN, by its bits.
    NonFinite(u64),
    /// A cellwise function. The arguments mention the row of the result if the atom has one axis, row and column if two.
    Cell(Function, Vec<Poly>),
    /// A function of which nothing is known but that equal arguments give equal values.
    Call {
        function: Arc<str>,
        args: Vec<Polyterm>,
        text: String,
    },
    /// Any other operator over whole matrices; `text` is how a person wrote it first.
    Whole {
        op: Op,
        args: Vec<Polyterm>,
        text: String,
    },
}

/// An atom.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub(super) kind: AtomKind,
    /// Size of each axis; axes of size one are left out.
    pub(super) axes: SmallVec<[SizeId; 2]>,
    /// Whether the order of the two indices does not matter.
    pub(super) is_symmetric: bool,
}

/// A function of which nothing is known but that equal arguments give equal values; its value is an input of a DAG.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// Its name, with those arguments that are no linear algebra, as they are written.
    pub function: Arc<str>,
    /// All other arguments.
    pub args: Vec<NodeId>,
    /// Whether there is a value whatever the arguments are.
    pub is_total: bool,
}

/// The inputs of a DAG that are values of functions.
pub type Calls = BTreeMap<Arc<str>, Call>;

/// What makes the polyterms of several expressions comparable: one identity for each input name, size and function.
#[derive(Clone, Debug)]
pub struct Context {
    pub(super) sizes: Sizes,
    pub(super) inputs: BTreeMap<Arc<str>, Shape>,
    /// Inputs that are said to be zero.
    pub(super) empty: BTreeSet<Arc<str>>,
    /// Inputs that are values of functions.
    pub(super) calls: Calls,
    /// Identities of functions that were used.
    pub(super) used: BTreeSet<&'static str>,
    /// Whether functions are written by their definitions, so that what is only known of a function is used, too.
    pub(super) is_deep: bool,
    /// Whether a root of a number occurs.
    pub(super) has_roots: bool,
    /// Whether x * (1 / x) is 1: only where it is known that no x is zero.
    pub(super) cancels: bool,
    /// Rules of products that were applied, and comparisons that were taken apart.
    pub(super) steps: usize,
    /// Rules inside of which one is being applied.
    pub(super) nesting: usize,
    atoms: Vec<Atom>,
}

impl Default for Context {
    fn default() -> Self {
        let delta = Atom {
            kind: AtomKind::Delta,
            axes: SmallVec::new(),
            is_symmetric: true,
        };
        Context {
            sizes: Sizes::default(),
            inputs: BTreeMap::new(),
            empty: BTreeSet::new(),
            calls: Calls::new(),
            used: BTreeSet::new(),
            is_deep: false,
            has_roots: false,
            cancels: false,
            steps: 0,
            nesting: 0,
            atoms: vec![delta],
        }
    }
}

impl Context {
    /// Takes notice of which sizes the expression needs to be equal. Call it for all expressions that are to be compared
    /// before the first of them is [canonicalized](super::canonicalize), or a size may keep two names.
    pub fn learn(&mut self, dag: &Dag, root: NodeId) {
        shapes::infer(self, dag, root);
    }

    /// What was taken for granted: of sizes without a number, such as `n > 0` or `ncol(X) = m`, and of inputs that are
    /// said to be zero.
    #[must_use]
    pub fn assumptions(&self) -> Vec<String> {
        let mut assumed = self.sizes.assumptions();
        assumed.extend(self.empty.iter().map(|name| format!("{name} = 0")));
        assumed
    }

    /// The call whose value an input is.
    pub(super) fn call(&self, dag: &Dag, id: NodeId) -> Option<Call> {
        self.calls.get(&dag.input_of(id)?.name).cloned()
    }

    /// All nodes below a root, and those that functions are called with, each behind all that it needs.
    pub(super) fn order(&self, dag: &Dag, root: NodeId) -> Vec<NodeId> {
        if self.calls.is_empty() {
            return dag.reachable(&[root]);
        }
        let mut order = Vec::new();
        let mut stack = vec![(root, false)];
        while let Some((id, is_ready)) = stack.pop() {
            if order.contains(&id) {
                continue;
            }
            if is_ready {
                order.push(id);
                continue;
            }
            stack.push((id, true));
            let args = match self.call(dag, id) {
                Some(call) => call.args,
                None => dag.args(id).to_vec(),
            };
            stack.extend(args.into_iter().rev().map(|arg| (arg, false)));
        }
        order
    }

    pub(super) fn atom(&self, id: AtomId) -> &Atom {
        &self.atoms[id.index()]
    }

    pub(super) fn is_symmetric(&self, id: AtomId) -> bool {
        self.atom(id).is_symmetric
    }

    pub(super) fn is_size(&self, id: AtomId) -> bool {
        matches!(self.atom(id).kind, AtomKind::Size(_))
    }

    /// All atoms with their identities.
    pub(super) fn atoms(&self) -> impl Iterator<Item = (AtomId, &Atom)> {
        (0..).map(AtomId).zip(&self.atoms)
    }

    pub(super) fn add(&mut self, atom: Atom) -> AtomId {
        let id = u32::try_from(self.atoms.len()).expect("fewer than 2^32 atoms");
        self.atoms.push(atom);
        AtomId(id)
    }

    fn find(&self, is_it: impl Fn(&AtomKind) -> bool) -> Option<AtomId> {
        self.atoms().find(|(_, a)| is_it(&a.kind)).map(|(id, _)| id)
    }

    /// The input `name` of a shape.
    pub(super) fn input(&mut self, name: &Arc<str>, shape: Shape) -> AtomId {
        let known = self.find(|k| matches!(k, AtomKind::Input(n) if n == name));
        known.unwrap_or_else(|| {
            let axes = self.axes(shape);
            self.add(Atom {
                kind: AtomKind::Input(name.clone()),
                axes,
                is_symmetric: false,
            })
        })
    }

    /// The axes of a shape that have an index.
    pub(super) fn axes(&self, (rows, cols): Shape) -> SmallVec<[SizeId; 2]> {
        let is_long = |size: &SizeId| !self.sizes.is_one(*size);
        [rows, cols].into_iter().filter(is_long).collect()
    }

    /// The value of a size: a number or an atom.
    pub(super) fn size_value(&mut self, size: SizeId) -> Result<Coefficient, Factor> {
        let size = self.sizes.find(size);
        match self.sizes.key(size).clone() {
            Size::Known(n) => Ok(Coefficient::integer(n.into())),
            Size::Value(name) if self.sizes.is_whole(&name) => {
                let one = self.sizes.known(1);
                Err(Factor::new(self.input(&name, (one, one)), []))
            }
            Size::Value(_) | Size::Named(_) | Size::Opaque(_) => {
                let is_it =
                    |k: &AtomKind| matches!(k, AtomKind::Size(s) if self.sizes.find(*s) == size);
                let id = self.find(is_it).unwrap_or_else(|| {
                    self.add(Atom {
                        kind: AtomKind::Size(size),
                        axes: SmallVec::new(),
                        is_symmetric: false,
                    })
                });
                Err(Factor::new(id, []))
            }
        }
    }

    /// The atom for an infinity or NaN.
    pub(super) fn non_finite(&mut self, value: f64) -> AtomId {
        let bits = value.to_bits();
        let known = self.find(|k| matches!(k, AtomKind::NonFinite(b) if *b == bits));
        known.unwrap_or_else(|| {
            self.add(Atom {
                kind: AtomKind::NonFinite(bits),
                axes: SmallVec::new(),
                is_symmetric: false,
            })
        })
    }
}
