//! A main program as a tree: segments in a row, and subtrees in a row. A subtree whose segments are the same is
//! the very same, so what is known of a subtree stays known until something in it changes.
//!
//! Where subtrees end depends on the text of the segment that they end with, so an edit changes those around it alone.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::key::key;
use super::outline::Outline;
use super::segments::Segment;

/// Every so many segments, on average, end a subtree, and every so many of those a larger one.
const BITS: u32 = 2;
/// The most parts of a subtree.
const MOST: usize = 8;

/// How long the subtrees are that end with a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends(u32);

impl Ends {
    pub(super) fn of(text: &str) -> Self {
        Ends(key(text).trailing_zeros() / BITS)
    }
}

/// A value that equals no other than the very same.
#[derive(Debug)]
pub(crate) struct ByPlace<T>(pub(crate) Arc<T>);

impl<T> Clone for ByPlace<T> {
    fn clone(&self) -> Self {
        ByPlace(Arc::clone(&self.0))
    }
}

impl<T> PartialEq for ByPlace<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Eq for ByPlace<T> {}

impl<T> Hash for ByPlace<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

/// A segment, or several in a row.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum SegmentTree {
    One(ByPlace<Segment>),
    Several(ByPlace<Several>),
}

/// Subtrees in a row.
#[derive(Debug)]
pub(crate) struct Several {
    pub(crate) parts: Vec<SegmentTree>,
    pub(crate) outline: Outline,
}

impl SegmentTree {
    pub(crate) fn outline(&self) -> &Outline {
        match self {
            SegmentTree::One(segment) => &segment.0.outline,
            SegmentTree::Several(several) => &several.0.outline,
        }
    }

    /// The segment that it is, if it is one.
    pub(super) fn segment(&self) -> Option<&Segment> {
        match self {
            SegmentTree::One(segment) => Some(&segment.0),
            SegmentTree::Several(_) => None,
        }
    }

    fn ends(&self) -> Ends {
        match self {
            SegmentTree::One(segment) => segment.0.ends,
            SegmentTree::Several(several) => {
                several.0.parts.last().map_or(Ends(0), SegmentTree::ends)
            }
        }
    }
}

impl Several {
    fn of(parts: &[SegmentTree]) -> Self {
        let outlines: Vec<&Outline> = parts.iter().map(SegmentTree::outline).collect();
        Several {
            outline: Outline::over(&outlines),
            parts: parts.to_vec(),
        }
    }
}

/// A main program in subtrees, level by level: its segments, subtrees of them, subtrees of those, up to few.
#[derive(Clone, Debug)]
pub(crate) struct Levels(Vec<Arc<[SegmentTree]>>);

impl Levels {
    /// The segments one by one.
    pub(super) fn segments(&self) -> &[SegmentTree] {
        self.0.first().map_or(&[], |level| level)
    }

    /// The segments in few subtrees.
    pub(crate) fn top(&self) -> &[SegmentTree] {
        self.0.last().map_or(&[], |level| level)
    }

    /// Over the segments, with the subtrees of `old` where they are the same. It costs a look into those that are not.
    pub(super) fn over(segments: Arc<[SegmentTree]>, old: Option<&Levels>) -> Self {
        let mut levels = vec![segments];
        let none: Arc<[SegmentTree]> = Arc::default();
        let of_old = |height: usize| old.and_then(|old| old.0.get(height)).unwrap_or(&none);
        for height in 1.. {
            let level = &levels[height - 1];
            if level.len() <= MOST {
                break;
            }
            let ends = u32::try_from(height).unwrap_or(u32::MAX);
            let known = Known::of(of_old(height - 1), of_old(height), level);
            levels.push(known.longer(level, ends).into());
        }
        Levels(levels)
    }
}

/// What is known of a level from the text before.
struct Known<'a> {
    /// The subtrees of the level above, each with where its parts begin in the old level.
    above: Vec<(usize, &'a SegmentTree)>,
    /// How many of them, from the start, have parts that are the same, and how many parts these are.
    front: usize,
    from: usize,
    /// How many parts at the end of the level are the same.
    back: usize,
    /// What is to be added to a place in the old level for a place among these.
    shift: isize,
}

impl<'a> Known<'a> {
    /// Of an old level with the one above it, and of the level as it is now.
    fn of(old: &[SegmentTree], above: &'a [SegmentTree], level: &[SegmentTree]) -> Self {
        let is_same = |(a, b): &(&SegmentTree, &SegmentTree)| a == b;
        let same = level.iter().zip(old).take_while(is_same).count();
        let rest = level[same..].iter().rev().zip(old[same..].iter().rev());
        let back = rest.take_while(is_same).count();
        let mut start = 0;
        let above = above.iter().map(|subtree| {
            let from = start;
            let parts = match subtree {
                SegmentTree::Several(several) if old.get(from) != Some(subtree) => {
                    several.0.parts.len()
                }
                _ => 1,
            };
            start += parts;
            (from, subtree)
        });
        let above: Vec<(usize, &SegmentTree)> = above.collect();
        // The last one ends with its level, whatever it ends with.
        let ends = above.iter().skip(1).map(|(from, _)| *from);
        let front = ends.take_while(|end| *end <= same).count();
        Known {
            from: above.get(front).map_or(0, |(from, _)| *from),
            above,
            front,
            back,
            shift: level.len().cast_signed() - old.len().cast_signed(),
        }
    }

    /// The level above.
    fn longer(&self, level: &[SegmentTree], height: u32) -> Vec<SegmentTree> {
        let kept = self.above[..self.front].iter();
        let mut longer: Vec<SegmentTree> = kept.map(|(_, subtree)| (*subtree).clone()).collect();
        let mut rest = self.above[self.front..].iter().peekable();
        let by_first = self.by_first(level.len());
        let mut from = self.from;
        for (at, part) in level.iter().enumerate().skip(from) {
            let parts = &level[from..=at];
            if part.ends().0 < height && parts.len() < MOST && at + 1 < level.len() {
                continue;
            }
            // Behind the changes the subtrees are the old ones, once one of them begins as it did.
            if from + self.back >= level.len() {
                let begins = |old: usize| old.cast_signed() + self.shift;
                while rest
                    .next_if(|(old, _)| begins(*old) < from.cast_signed())
                    .is_some()
                {}
                if rest
                    .peek()
                    .is_some_and(|(old, _)| begins(*old) == from.cast_signed())
                {
                    longer.extend(rest.map(|(_, subtree)| (*subtree).clone()));
                    return longer;
                }
            }
            from = at + 1;
            longer.push(match (parts, by_first.get(&parts[0])) {
                ([part], _) => part.clone(),
                (_, Some(same)) if same.0.parts == parts => {
                    SegmentTree::Several(ByPlace::clone(same))
                }
                _ => SegmentTree::Several(ByPlace(Arc::new(Several::of(parts)))),
            });
        }
        longer
    }

    /// The old subtrees in whose place others are made, which may yet be the same as some of them, by their first parts.
    fn by_first(&self, len: usize) -> HashMap<&'a SegmentTree, &'a ByPlace<Several>> {
        let is_gone =
            |old: &usize| old.cast_signed() + self.shift < (len - self.back).cast_signed();
        let above = self.above[self.front..].iter();
        let gone = above.take_while(|(old, _)| is_gone(old));
        let gone = gone.filter_map(|(_, subtree)| match subtree {
            SegmentTree::Several(several) => Some((several.0.parts.first()?, several)),
            SegmentTree::One(_) => None,
        });
        gone.collect()
    }
}
