//! What changed between two lists of tokens: the fewest tokens to remove and to insert.

use std::hash::Hash;

use similar::{Algorithm, DiffTag, capture_diff_slices};

/// Lists that differ in longer stretches are compared at their ends only: a person's edit is short, and the time of
/// an exact comparison grows with the product of both lengths.
const LONGEST_EXACT: usize = 2000;

/// One change of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TokensEdit<T> {
    /// Where it begins in the old list.
    pub start: usize,
    /// How many are removed there.
    pub removed: usize,
    /// What stands there afterwards.
    pub inserted: Vec<T>,
}

/// The edits that make `new` of `old`: sorted, apart from each other, with places in `old`.
#[must_use]
pub fn delta<T: Copy + Eq + Hash + Ord>(old: &[T], new: &[T]) -> Vec<TokensEdit<T>> {
    let pairs = || old.iter().zip(new);
    let prefix = pairs().take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[prefix..], &new[prefix..]);
    let suffix = old.iter().rev().zip(new.iter().rev());
    let suffix = suffix.take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - suffix], &new[..new.len() - suffix]);
    if old.is_empty() && new.is_empty() {
        return Vec::new();
    }
    if old.len().max(new.len()) > LONGEST_EXACT {
        return vec![TokensEdit {
            start: prefix,
            removed: old.len(),
            inserted: new.to_vec(),
        }];
    }
    let mut edits: Vec<TokensEdit<T>> = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        if op.tag() == DiffTag::Equal {
            continue;
        }
        let (from, to) = (op.old_range(), op.new_range());
        let start = prefix + from.start;
        match edits.last_mut() {
            Some(last) if last.start + last.removed == start => {
                last.removed += from.len();
                last.inserted.extend(&new[to]);
            }
            _ => edits.push(TokensEdit {
                start,
                removed: from.len(),
                inserted: new[to].to_vec(),
            }),
        }
    }
    edits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn applied(old: &[u8], edits: &[TokensEdit<u8>]) -> Vec<u8> {
        let mut out = old.to_vec();
        for edit in edits.iter().rev() {
            out.splice(
                edit.start..edit.start + edit.removed,
                edit.inserted.iter().copied(),
            );
        }
        out
    }

    fn touched(edits: &[TokensEdit<u8>]) -> usize {
        edits.iter().map(|e| e.removed + e.inserted.len()).sum()
    }

    #[test]
    fn equal_lists_have_no_edits() {
        assert_eq!(delta::<u8>(&[], &[]), []);
        assert_eq!(delta(&[1, 2], &[1, 2]), []);
    }

    #[test]
    fn two_far_changes_are_two_small_edits() {
        let old: Vec<u32> = (0..1000).collect();
        let mut new = old.clone();
        new.remove(990);
        new.insert(10, 7000);
        let edits = delta(&old, &new);
        let shown: Vec<_> = edits
            .iter()
            .map(|e| (e.start, e.removed, e.inserted.len()))
            .collect();
        assert_eq!(shown, [(10, 0, 1), (990, 1, 0)]);
    }

    #[test]
    fn long_changes_stay_correct() {
        let old: Vec<u32> = (0..10_000).collect();
        let new: Vec<u32> = (0..10_000).map(|n| n * 2).collect();
        let edits = delta(&old, &new);
        assert_eq!(edits.len(), 1);
        assert_eq!((edits[0].start, edits[0].removed), (1, 9_999));
    }

    proptest! {
        #[test]
        fn applying_the_edits_to_the_old_list_gives_the_new_one(
            old in prop::collection::vec(0u8..6, 0..60),
            new in prop::collection::vec(0u8..6, 0..60),
        ) {
            let edits = delta(&old, &new);
            prop_assert_eq!(applied(&old, &edits), new);
            for pair in edits.windows(2) {
                prop_assert!(pair[0].start + pair[0].removed < pair[1].start);
            }
        }

        #[test]
        fn a_single_change_touches_no_more_than_it_must(
            old in prop::collection::vec(0u8..6, 1..60), at in 0usize..60, value in 0u8..6,
        ) {
            let mut new = old.clone();
            new.insert(at % old.len(), value);
            prop_assert_eq!(touched(&delta(&old, &new)), 1);
        }
    }
}
