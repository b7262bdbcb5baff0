//! Sizes of axes and what is known of their equality. Must never decide what an operator does to a shape.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;
use sumac_la::Dim;

/// A size of one [`Sizes`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct SizeId(u32);

impl SizeId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a size is called. The order is the preference for the name of a class of equal sizes.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Size {
    /// A number.
    Known(u64),
    /// The value of the scalar input of this name, or its whole part.
    Value(Arc<str>),
    /// A symbolic size.
    Named(Arc<str>),
    /// The value of an expression, or a size of its result, of which nothing else is known.
    Opaque(Arc<str>),
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Known(n) => write!(f, "{n}"),
            Size::Value(text) | Size::Named(text) | Size::Opaque(text) => f.write_str(text),
        }
    }
}

/// Classes of sizes that are known, declared or assumed to be equal.
#[derive(Clone, Debug, Default)]
pub(super) struct Sizes {
    keys: Vec<Size>,
    parents: Vec<SizeId>,
    memo: HashMap<Size, SizeId, FxBuildHasher>,
    assumed: Vec<String>,
    contradiction: Option<String>,
    /// A size without a number that an operator needs to be one.
    single: Option<Size>,
    fixed: Option<Arc<str>>,
    /// The scalar inputs that are sizes, by the names of these.
    values: HashMap<Arc<str>, Arc<str>, FxBuildHasher>,
}

impl Sizes {
    pub(super) fn size(&mut self, size: Size) -> SizeId {
        if let Some(id) = self.memo.get(&size) {
            return *id;
        }
        let id = SizeId(u32::try_from(self.keys.len()).expect("fewer than 2^32 sizes"));
        self.keys.push(size.clone());
        self.parents.push(id);
        self.memo.insert(size, id);
        id
    }

    /// The size of this name is the value of a scalar input.
    pub(super) fn is_value(&mut self, size: &Arc<str>, input: &Arc<str>) {
        self.values.insert(size.clone(), input.clone());
    }

    /// Whether a scalar input is known to be a size, and with it a whole number.
    pub(super) fn is_whole(&self, input: &Arc<str>) -> bool {
        self.values.values().any(|known| known == input)
    }

    pub(super) fn known(&mut self, n: u64) -> SizeId {
        self.size(Size::Known(n))
    }

    /// The size that a type states; `fallback` names it where the type does not.
    pub(super) fn dim(&mut self, dim: &Dim, fallback: impl FnOnce() -> Size) -> SizeId {
        let size = match dim {
            Dim::Known(n) => Size::Known(*n),
            Dim::Named(symbol) => match self.values.get(&symbol.name) {
                Some(input) => Size::Value(input.clone()),
                None => Size::Named(symbol.name.clone()),
            },
            Dim::Unknown => fallback(),
        };
        self.size(size)
    }

    pub(super) fn find(&self, mut id: SizeId) -> SizeId {
        while self.parents[id.index()] != id {
            id = self.parents[id.index()];
        }
        id
    }

    /// The preferred name of the class.
    pub(super) fn key(&self, id: SizeId) -> &Size {
        &self.keys[self.find(id).index()]
    }

    pub(super) fn number(&self, id: SizeId) -> Option<u64> {
        match self.key(id) {
            Size::Known(n) => Some(*n),
            Size::Value(_) | Size::Named(_) | Size::Opaque(_) => None,
        }
    }

    /// Whether there is nothing to index.
    pub(super) fn is_one(&self, id: SizeId) -> bool {
        self.number(id) == Some(1)
    }

    /// The sizes are equal because an operator needs them to be.
    pub(super) fn meet(&mut self, a: SizeId, b: SizeId) -> SizeId {
        self.unite(a, b, true)
    }

    /// The sizes are equal because both are stated of the same axis.
    pub(super) fn declare(&mut self, a: SizeId, b: SizeId) {
        self.unite(a, b, false);
    }

    fn unite(&mut self, a: SizeId, b: SizeId, is_assumption: bool) -> SizeId {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return a;
        }
        let is_ordered = self.keys[a.index()] <= self.keys[b.index()];
        let (kept, lost) = if is_ordered { (a, b) } else { (b, a) };
        match (&self.keys[kept.index()], &self.keys[lost.index()]) {
            (Size::Known(x), Size::Known(y)) => {
                let text = format!("an axis has the sizes {x} and {y} at once; expected one size");
                self.contradiction.get_or_insert(text);
            }
            (Size::Known(1), other) => {
                let text = format!(
                    "the size {other} is 1 here, but a size without a number counts as larger than 1; state it as 1"
                );
                self.contradiction.get_or_insert(text);
                self.single.get_or_insert(other.clone());
            }
            (x, y) => {
                if is_assumption {
                    self.assumed.push(format!("{y} = {x}"));
                }
                if let (Size::Known(_) | Size::Value(_), Size::Value(name)) = (x, y) {
                    self.fixed.get_or_insert_with(|| name.clone());
                }
                self.parents[lost.index()] = kept;
            }
        }
        kept
    }

    /// The first contradiction that was met.
    pub(super) fn contradiction(&self) -> Option<&str> {
        self.contradiction.as_deref()
    }

    /// The first size without a number that an operator needs to be one.
    pub(super) fn single(&self) -> Option<&Size> {
        self.single.as_ref()
    }

    /// From the beginning, the size is one.
    pub(super) fn assume_one(&mut self, size: Size) {
        self.assumed.push(format!("{size} = 1"));
        let (one, id) = (self.known(1), self.size(size));
        self.parents[id.index()] = one;
    }

    /// A scalar input whose value follows from a shape, so that it is not free to be anything.
    pub(super) fn fixed_value(&self) -> Option<&str> {
        self.fixed.as_deref()
    }

    /// What was taken for granted, in the order in which it came up.
    pub(super) fn assumptions(&self) -> Vec<String> {
        let is_symbolic_root =
            |i: &usize| self.parents[*i].index() == *i && !matches!(self.keys[*i], Size::Known(_));
        (0..self.keys.len())
            .filter(is_symbolic_root)
            .map(|i| format!("{} > 0", self.keys[i]))
            .chain(self.assumed.iter().cloned())
            .collect()
    }
}
