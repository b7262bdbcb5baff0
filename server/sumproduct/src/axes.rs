//! Axes of relations by position, and the maps between them.
//!
//! A class of the e-graph is a relation whose attributes have no names: they are its axes 0, 1, 2 …
//! An e-node says for each child which of its own axes each axis of the child is. Renaming an index is composing
//! such maps, so alpha-equivalent terms are the same e-node and no term ever has to be substituted into.

use egg::Id;

/// An attribute while a rule works on a few terms at once: small numbers, local to one rule application.
pub type Label = u8;

/// In a sum's map: the axis is summed away.
pub const BOUND: u8 = 0xF;

/// Most axes of a relation. Terms with more are not built.
pub const MAX_AXES: usize = 8;

/// For each axis of a child, the axis (or label) that it is outside.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Map {
    len: u8,
    at: [u8; MAX_AXES],
}

impl std::fmt::Debug for Map {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Map {
    /// Axis k is k.
    pub fn identity(len: usize) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "at most MAX_AXES")]
        Map::collect((0..len).map(|k| k as u8)).expect("classes never have more than MAX_AXES axes")
    }

    /// From labels in order of the child's axes; `None` if there are too many.
    pub fn collect(labels: impl IntoIterator<Item = Label>) -> Option<Self> {
        let mut map = Map::default();
        for label in labels {
            *map.at.get_mut(usize::from(map.len))? = label;
            map.len += 1;
        }
        Some(map)
    }

    /// Number of axes of the child.
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// The labels in order of the child's axes.
    pub fn iter(&self) -> impl Iterator<Item = Label> + Clone + '_ {
        self.at[..self.len()].iter().copied()
    }

    /// The labels as a slice.
    pub fn labels(&self) -> &[Label] {
        &self.at[..self.len()]
    }

    /// Whether some axis has this label.
    pub fn has(&self, label: Label) -> bool {
        self.labels().contains(&label)
    }

    /// The axis with this label.
    pub fn axis(&self, label: Label) -> Option<usize> {
        self.iter().position(|l| l == label)
    }

    /// Each label replaced.
    pub fn relabel(&self, f: impl FnMut(Label) -> Label) -> Self {
        Map::collect(self.iter().map(f)).expect("as many as before")
    }

    /// First this map, then `outer`: labels of this map are axes of `outer`'s child.
    pub fn then(&self, outer: &Map) -> Self {
        self.relabel(|axis| outer.at[usize::from(axis)])
    }

    /// The labels of axes that are `alike`, which is an equivalence, in ascending order among themselves.
    pub fn sorted_among(&self, alike: impl Fn(usize, usize) -> bool) -> Self {
        let mut map = *self;
        for a in 0..map.len() {
            for b in a + 1..map.len() {
                if map.at[a] > map.at[b] && alike(a, b) {
                    map.at.swap(a, b);
                }
            }
        }
        map
    }

    /// Whether axis k is k throughout.
    pub fn is_identity(&self) -> bool {
        self.iter()
            .enumerate()
            .all(|(k, label)| k == usize::from(label))
    }

    /// For a permutation, the one that undoes it.
    pub fn inverse(&self) -> Self {
        let mut inverse = *self;
        for (k, label) in self.iter().enumerate() {
            #[expect(clippy::cast_possible_truncation, reason = "at most MAX_AXES")]
            {
                inverse.at[usize::from(label)] = k as u8;
            }
        }
        inverse
    }
}

/// A class with labels for its axes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Term {
    /// The class.
    pub id: Id,
    /// Labels in order of its axes.
    pub map: Map,
}

impl Term {
    /// The class with axes labelled 0, 1, 2 …
    pub fn plain(id: Id, axes: usize) -> Self {
        Term {
            id,
            map: Map::identity(axes),
        }
    }

    /// A term inside a node whose own axes are labelled by `outer`.
    pub fn inside(id: Id, map: &Map, outer: &Map) -> Self {
        Term {
            id,
            map: map.then(outer),
        }
    }
}

/// All permutations of `0..n`, the identity first. `n` is at most 4; larger relations are looked up in one order only.
pub fn permutations(n: usize) -> &'static [&'static [u8]] {
    const P2: &[&[u8]] = &[&[0, 1], &[1, 0]];
    const P3: &[&[u8]] = &[
        &[0, 1, 2],
        &[0, 2, 1],
        &[1, 0, 2],
        &[1, 2, 0],
        &[2, 0, 1],
        &[2, 1, 0],
    ];
    match n {
        2 => P2,
        3 => P3,
        _ => &[],
    }
}

/// The labels of both maps in ascending order.
pub fn union_labels(maps: &[&Map]) -> Option<Map> {
    let mut present = 0_u16;
    for map in maps {
        for label in map.iter() {
            present |= 1 << label;
        }
    }
    Map::collect((0..16).filter(|label| present & (1 << label) != 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_compose_and_invert() {
        let p = Map::collect([2, 0, 1]).unwrap();
        assert!(p.then(&p.inverse()).is_identity());
        assert_eq!(p.axis(0), Some(1));
        let outer = Map::collect([5, 6, 7]).unwrap();
        assert_eq!(p.then(&outer).labels(), [7, 5, 6]);
        assert_eq!(
            union_labels(&[&p, &outer]).unwrap().labels(),
            [0, 1, 2, 5, 6, 7]
        );
        assert!(Map::collect(0..9).is_none());
    }
}
