//! What a subtree of a main program is to what stands around it, in little: sets of names that are only ever asked for a name
//! are sets of its hashes, which are merged as fast as they are read. Must never hold what is known of a value.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::key::key;
use crate::liveness::Reach;
use crate::names::Names;

/// A set of names that can be asked for a name. Two names of one script with equal hashes of 64 bits do not happen.
#[derive(Debug, Default)]
pub(crate) struct Hashes(Vec<u64>);

impl Hashes {
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.binary_search(&key(name)).is_ok()
    }

    fn union(&self, other: &Hashes) -> Hashes {
        let mut all = Vec::with_capacity(self.0.len() + other.0.len());
        merge(
            &self.0,
            &other.0,
            |hash| *hash,
            |a, b| {
                all.extend(a.or(b));
            },
        );
        Hashes(all)
    }
}

impl<'a> FromIterator<&'a Arc<str>> for Hashes {
    fn from_iter<I: IntoIterator<Item = &'a Arc<str>>>(names: I) -> Self {
        let mut all: Vec<u64> = names.into_iter().map(|name| key(&**name)).collect();
        all.sort_unstable();
        all.dedup();
        Hashes(all)
    }
}

/// How often each of some names is written.
#[derive(Clone, PartialEq, Debug, Default, Hash)]
pub(crate) struct Counts(Vec<(u64, usize)>);

impl Counts {
    pub(crate) fn of(counts: &BTreeMap<Arc<str>, usize>) -> Self {
        let counts = counts.iter().map(|(name, count)| (key(&**name), *count));
        let mut counts: Vec<(u64, usize)> = counts.collect();
        counts.sort_unstable();
        Counts(counts)
    }

    pub(crate) fn get(&self, name: &str) -> Option<usize> {
        let found = self.0.binary_search_by_key(&key(name), |(hash, _)| *hash);
        found.ok().map(|at| self.0[at].1)
    }

    /// With those of what follows.
    pub(crate) fn and(&self, other: &Counts) -> Counts {
        let mut all = Vec::with_capacity(self.0.len() + other.0.len());
        merge(
            &self.0,
            &other.0,
            |entry| entry.0,
            |a, b| {
                let hash = a.or(b).map(|entry| entry.0);
                let count = |entry: Option<&(u64, usize)>| entry.map_or(0, |entry| entry.1);
                all.extend(hash.map(|hash| (hash, count(a) + count(b))));
            },
        );
        Counts(all)
    }

    /// Those of the names that another one has.
    pub(crate) fn within(&self, other: &Counts) -> Counts {
        let mut both = Vec::new();
        merge(
            &self.0,
            &other.0,
            |entry| entry.0,
            |a, b| {
                both.extend(b.and(a));
            },
        );
        Counts(both)
    }
}

/// Goes through two ascending lists, equal keys together.
fn merge<'a, T>(
    a: &'a [T],
    b: &'a [T],
    key: impl Fn(&T) -> u64,
    mut each: impl FnMut(Option<&'a T>, Option<&'a T>),
) {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        match (a.peek().map(|x| key(x)), b.peek().map(|y| key(y))) {
            (None, None) => return,
            (Some(x), Some(y)) if x == y => each(a.next(), b.next()),
            (Some(x), y) if y.is_none_or(|y| x < y) => each(a.next(), None),
            _ => each(None, b.next()),
        }
    }
}

/// What is read later on both sides of a subtree, whatever that is behind it.
#[derive(Debug, Default)]
pub(crate) struct Passing {
    /// What it reads before it gives it a value.
    pub(crate) reads: Names,
    /// What it gives a value before anything reads it.
    pub(crate) gives: Hashes,
}

impl From<Reach> for Passing {
    fn from(reach: Reach) -> Self {
        Passing {
            gives: reach.gives.iter().collect(),
            reads: reach.reads,
        }
    }
}

impl Passing {
    /// From what is live behind it to what is live before it.
    pub(crate) fn before(&self, live: &mut Names) {
        live.retain(|name| !self.gives.contains(name));
        live.extend(self.reads.iter().cloned());
    }

    /// Of this and what follows.
    fn and(&self, other: &Passing) -> Passing {
        let mut reads = other.reads.clone();
        self.before(&mut reads);
        // Of what is given, reads are taken off when they are put in.
        Passing {
            gives: self.gives.union(&other.gives),
            reads,
        }
    }
}

/// A subtree as the others see it.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// The names that it mentions.
    pub(crate) mentions: Hashes,
    /// How often it assigns a variable.
    pub(crate) writes: Counts,
    /// What is read later, before it and behind it, as readers are told.
    pub(crate) told: Passing,
    /// The same, as it is needed to understand it.
    pub(crate) needs: Passing,
    /// The words in it that cannot be read.
    pub(crate) unreadable: BTreeSet<Arc<str>>,
    /// What is surely set behind it.
    pub(crate) sets: Hashes,
}

impl Outline {
    /// Of subtrees in a row, put together in halves, so that no name is merged more often than it takes.
    pub(crate) fn over(subtrees: &[&Outline]) -> Outline {
        match subtrees {
            [] => Outline::default(),
            [only] => only.and(&Outline::default()),
            [first, second] => first.and(second),
            _ => {
                let (first, second) = subtrees.split_at(subtrees.len() / 2);
                Outline::over(first).and(&Outline::over(second))
            }
        }
    }

    /// Of this and what follows.
    fn and(&self, other: &Outline) -> Outline {
        Outline {
            mentions: self.mentions.union(&other.mentions),
            writes: self.writes.and(&other.writes),
            told: self.told.and(&other.told),
            needs: self.needs.and(&other.needs),
            unreadable: self.unreadable.union(&other.unreadable).cloned().collect(),
            sets: self.sets.union(&other.sets),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &str) -> Names {
        names.split_whitespace().map(Arc::from).collect()
    }

    fn passing(reads: &str, gives: &str) -> Passing {
        Passing {
            reads: names(reads),
            gives: names(gives).iter().collect(),
        }
    }

    #[test]
    fn two_trees_pass_on_what_one_after_the_other_passes_on() {
        let first = passing("a b", "c d");
        let second = passing("c e a", "f b");
        for behind in ["", "a", "c d f", "b e f g", "a b c d e f g"] {
            let (mut one_by_one, mut at_once) = (names(behind), names(behind));
            second.before(&mut one_by_one);
            first.before(&mut one_by_one);
            first.and(&second).before(&mut at_once);
            assert_eq!(at_once, one_by_one, "{behind}");
        }
    }

    #[test]
    fn counts_add_up() {
        let of = |counts: &[(&str, usize)]| {
            Counts::of(
                &counts
                    .iter()
                    .map(|(name, n)| ((*name).into(), *n))
                    .collect(),
            )
        };
        let (a, b) = (of(&[("x", 1), ("y", 2)]), of(&[("y", 3), ("z", 4)]));
        assert_eq!(a.and(&b), of(&[("x", 1), ("y", 5), ("z", 4)]));
        assert_eq!(a.within(&b), of(&[("y", 2)]));
        assert_eq!((a.get("y"), a.get("z")), (Some(2), None));
        assert_eq!(a.and(&Counts::default()), a);
    }
}
