//! Indices, factors and products. Must never know what an atom stands for beyond its identity.

use smallvec::SmallVec;

use super::atom::AtomId;

/// An index: free or bound by the Σ of its term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Ix(u32);

impl Ix {
    /// The row of the result.
    pub(super) const ROW: Ix = Ix(0);
    /// The column of the result.
    pub(super) const COL: Ix = Ix(1);
    /// The axis in which two factors of a matrix product meet, before it is bound.
    pub(super) const MID: Ix = Ix(2);
    const FIRST_BOUND: u32 = 1 << 24;

    /// The `n`-th free index that is none of the above.
    pub(super) fn other(n: usize) -> Ix {
        let n = u32::try_from(n).unwrap_or(u32::MAX).saturating_add(3);
        assert!(n < Self::FIRST_BOUND, "fewer than 2^24 free indices");
        Ix(n)
    }

    /// The number of such an index.
    pub(super) fn other_number(self) -> Option<usize> {
        let is_other = self.0 >= 3 && self.0 < Self::FIRST_BOUND;
        is_other.then(|| self.0 as usize - 3)
    }

    /// The `n`-th bound index.
    pub(super) fn bound(n: usize) -> Ix {
        Ix(Self::FIRST_BOUND + u32::try_from(n).expect("fewer than 2^32 indices"))
    }

    /// A number that orders indices.
    pub(super) fn raw(self) -> u32 {
        self.0
    }

    /// The number of a bound index.
    pub(super) fn bound_number(self) -> Option<usize> {
        self.0.checked_sub(Self::FIRST_BOUND).map(|n| n as usize)
    }
}

/// The indices of an atom, one for each axis.
pub(super) type At = SmallVec<[Ix; 2]>;

/// An indexed atom raised to a power.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Factor {
    pub(super) atom: AtomId,
    pub(super) at: At,
    /// Never zero; negative only for sizes, which are never zero.
    pub(super) power: i32,
}

impl Factor {
    pub(super) fn new(atom: AtomId, at: impl IntoIterator<Item = Ix>) -> Factor {
        Factor {
            atom,
            at: at.into_iter().collect(),
            power: 1,
        }
    }

    pub(super) fn map(&self, ix: impl Fn(Ix) -> Ix) -> Factor {
        Factor {
            atom: self.atom,
            at: self.at.iter().map(|i| ix(*i)).collect(),
            power: self.power,
        }
    }
}

/// Σ over all bound indices of a product. In its canonical spelling isomorphic terms are equal.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub(super) struct Term(pub(super) Vec<Factor>);

impl Term {
    pub(super) fn mentions(&self, ix: Ix) -> bool {
        self.0.iter().any(|f| f.at.contains(&ix))
    }

    /// One more than the largest bound index.
    pub(super) fn bound_end(&self) -> usize {
        let numbers = self.0.iter().flat_map(|f| f.at.iter());
        numbers
            .filter_map(|i| i.bound_number())
            .max()
            .map_or(0, |n| n + 1)
    }

    /// All indices in the order of their first use.
    pub(super) fn indices(&self) -> Vec<Ix> {
        let mut seen = Vec::new();
        for ix in self.0.iter().flat_map(|f| f.at.iter()) {
            if !seen.contains(ix) {
                seen.push(*ix);
            }
        }
        seen
    }
}

/// Sorts factors, and writes equal ones as one with a higher power.
pub(super) fn collect_powers(mut factors: Vec<Factor>) -> Vec<Factor> {
    factors.sort();
    let mut collected: Vec<Factor> = Vec::with_capacity(factors.len());
    for factor in factors {
        match collected.last_mut() {
            Some(last) if last.atom == factor.atom && last.at == factor.at => {
                last.power += factor.power;
            }
            _ => collected.push(factor),
        }
    }
    collected.retain(|f| f.power != 0);
    collected
}

/// Applies every δ that can be applied: Σ_j δ(i,j) A(j) = A(i), δ(i,i) = 1, δ² = δ. What stays is at most a δ over free
/// indices, whose second index is used nowhere else.
pub(super) fn apply_deltas(mut factors: Vec<Factor>, delta: AtomId) -> Vec<Factor> {
    let mut kept: Vec<Factor> = Vec::new();
    while let Some(at) = factors.iter().position(|f| f.atom == delta) {
        let found = factors.swap_remove(at);
        let (a, b) = (found.at[0], found.at[1]);
        if a == b {
            continue;
        }
        // Bound indices are larger than free ones, so the larger is the one to replace.
        let (stays, goes) = (a.min(b), a.max(b));
        let replace = |ix: Ix| if ix == goes { stays } else { ix };
        factors = factors.iter().map(|f| f.map(replace)).collect();
        if goes.bound_number().is_none() {
            kept.push(Factor::new(delta, [stays, goes]));
        }
    }
    factors.extend(kept);
    factors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deltas_replace_bound_indices_and_keep_free_ones() {
        let (d, x) = (AtomId::DELTA, AtomId::for_test(7));
        let b = Ix::bound(0);
        let bound = vec![Factor::new(d, [Ix::ROW, b]), Factor::new(x, [b, Ix::COL])];
        assert_eq!(apply_deltas(bound, d), [Factor::new(x, [Ix::ROW, Ix::COL])]);
        let free = vec![
            Factor::new(d, [Ix::COL, Ix::ROW]),
            Factor::new(x, [Ix::COL]),
        ];
        assert_eq!(
            apply_deltas(free, d),
            [
                Factor::new(x, [Ix::ROW]),
                Factor::new(d, [Ix::ROW, Ix::COL])
            ]
        );
        let twice = vec![
            Factor::new(d, [Ix::ROW, Ix::COL]),
            Factor::new(d, [Ix::COL, Ix::ROW]),
        ];
        assert_eq!(apply_deltas(twice, d), [Factor::new(d, [Ix::ROW, Ix::COL])]);
    }

    #[test]
    fn equal_factors_become_powers_and_opposite_ones_vanish() {
        let (x, n) = (AtomId::for_test(7), AtomId::for_test(8));
        let per_n = Factor {
            power: -1,
            ..Factor::new(n, [])
        };
        let product = vec![
            Factor::new(x, [Ix::ROW]),
            Factor::new(n, []),
            Factor::new(x, [Ix::ROW]),
            per_n,
        ];
        let square = Factor {
            power: 2,
            ..Factor::new(x, [Ix::ROW])
        };
        assert_eq!(collect_powers(product), [square]);
    }
}
