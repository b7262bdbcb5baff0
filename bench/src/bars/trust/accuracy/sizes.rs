//! Small sizes for data: equal ones stay equal, the larger stays the larger, and a side of one stays one.

use std::collections::{BTreeMap, BTreeSet};

use super::meaning::Free;

/// Values of so many cells keep their sizes.
const SMALL: usize = 400;
/// Sides of so much keep theirs: what is indexed by number is hardly ever longer.
const SHORT: usize = 4;
/// Below, a matrix is sparse: its zeros need room.
const SPARSE: f64 = 0.4;
/// What the sides become, from the shortest on.
const SIDES: [usize; 5] = [6, 9, 12, 15, 18];
const SIDES_OF_SPARSE: [usize; 5] = [7, 12, 18, 22, 26];

/// Stated sizes with what they become, where that is another.
pub(super) fn small(free: &[Free]) -> BTreeMap<u64, usize> {
    if free.iter().all(|free| free.rows * free.cols <= SMALL) {
        return BTreeMap::new();
    }
    let sides: BTreeSet<usize> = free
        .iter()
        .flat_map(|free| [free.rows, free.cols])
        .filter(|side| *side > SHORT)
        .collect();
    let is_sparse = free
        .iter()
        .any(|free| free.density < SPARSE && free.cols > 1);
    let smaller = if is_sparse { SIDES_OF_SPARSE } else { SIDES };
    let last = smaller[smaller.len() - 1];
    sides
        .into_iter()
        .enumerate()
        .map(|(at, side)| {
            let small = smaller.get(at).copied().unwrap_or(last + 3 * at);
            (u64::try_from(side).unwrap_or(u64::MAX), small.min(side))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(rows: usize, cols: usize, density: f64) -> Free {
        Free {
            name: "X".into(),
            rows,
            cols,
            is_scalar: false,
            is_whole: false,
            density,
        }
    }

    #[test]
    fn relations_of_sizes_are_kept() {
        let found = small(&[free(5000, 40, 1.0), free(40, 1, 1.0), free(800, 3, 1.0)]);
        assert_eq!(found, BTreeMap::from([(40, 6), (800, 9), (5000, 12)]));
        assert!(small(&[free(10, 10, 1.0)]).is_empty());
        assert!(small(&[free(900, 90, 0.01)])[&90] > small(&[free(900, 90, 1.0)])[&90]);
    }
}
