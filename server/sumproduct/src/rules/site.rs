//! A match while its other side is built: what stands in it, as terms with the axes of its class as labels.
//!
//! Fresh labels stand for bound axes while one rule is applied. Must never look for matches.

use egg::Id;
use smallvec::SmallVec;

use super::row::Match;
use crate::axes::{BOUND, Label, Map, Term};
use crate::build::Relations;
use crate::ra::{DimId, Ra};

/// Labels with the sizes of their axes.
pub type Bound = SmallVec<[(Label, DimId); 4]>;

/// A sum's parts: what is summed, and over which fresh labels.
pub struct Opened {
    pub term: Term,
    pub bound: Bound,
}

/// A match and the graph in which its other side is built.
pub struct Site<'a> {
    pub r: &'a mut Relations,
    pub found: &'a Match,
    /// The axes of the class as labels.
    pub own: Map,
    /// The first label that is in nobody's way.
    next: Label,
}

impl<'a> Site<'a> {
    pub fn new(r: &'a mut Relations, found: &'a Match) -> Self {
        let axes = r.axes(found.class);
        #[expect(clippy::cast_possible_truncation, reason = "at most MAX_AXES")]
        let next = axes as Label;
        Site {
            r,
            found,
            own: Map::identity(axes),
            next,
        }
    }

    /// The e-node of a child that takes part.
    pub fn inner(&self, k: usize) -> &'a Ra {
        &self.found.inner[k].1
    }

    /// The place of the child whose e-node takes part.
    pub fn place(&self) -> usize {
        usize::from(self.found.inner[0].0)
    }

    /// A label that is in nobody's way; `None` where there are none left.
    pub fn fresh(&mut self) -> Option<Label> {
        let label = Some(self.next).filter(|label| *label < BOUND)?;
        self.next += 1;
        Some(label)
    }

    /// What an aggregate of `id` by `map` aggregates, and over what; its own axes are labelled by `outer`.
    pub fn open(&mut self, map: &Map, id: Id, outer: &Map) -> Option<Opened> {
        let mut bound = SmallVec::new();
        let mut labels = SmallVec::<[Label; 8]>::new();
        for (k, axis) in map.iter().enumerate() {
            if axis == BOUND {
                let label = self.fresh()?;
                bound.push((label, self.r.data(id).schema[k]));
                labels.push(label);
            } else {
                labels.push(outer.labels()[usize::from(axis)]);
            }
        }
        let map = Map::collect(labels)?;
        Some(Opened {
            term: Term { id, map },
            bound,
        })
    }

    /// As [`Site::open`] for the matched e-node, a sum or another aggregate.
    pub fn opened(&mut self) -> Option<Opened> {
        let found = self.found;
        let (Ra::Sum(map, ids) | Ra::Fold(_, map, ids)) = &found.node else {
            return None;
        };
        let own = self.own;
        self.open(map, ids[0], &own)
    }
}

/// The two children of an e-node whose axes are labelled by `outer`.
pub fn pair(maps: &[Map; 2], ids: &[Id; 2], outer: &Map) -> [Term; 2] {
    [
        Term::inside(ids[0], &maps[0], outer),
        Term::inside(ids[1], &maps[1], outer),
    ]
}
