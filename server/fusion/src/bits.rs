//! A set of small numbers: which interesting points are written down. As many as there are, not 64.

use smallvec::SmallVec;

/// Numbers below a fixed length.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Bits {
    words: SmallVec<[u64; 2]>,
    len: usize,
}

impl Bits {
    /// None of `len` numbers.
    #[must_use]
    pub fn none(len: usize) -> Bits {
        Bits {
            words: SmallVec::from_elem(0, len.div_ceil(64)),
            len,
        }
    }

    /// How many numbers there could be.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there could be none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether the number is there.
    #[must_use]
    pub fn get(&self, i: usize) -> bool {
        self.words[i / 64] & (1 << (i % 64)) != 0
    }

    /// Puts the number in, or takes it out.
    pub fn set(&mut self, i: usize, there: bool) {
        if there {
            self.words[i / 64] |= 1 << (i % 64);
        } else {
            self.words[i / 64] &= !(1 << (i % 64));
        }
    }

    /// Adds all numbers of `other`.
    pub fn add(&mut self, other: &Bits) {
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// The numbers that both have.
    #[must_use]
    pub fn and(&self, other: &Bits) -> Bits {
        let both = self.words.iter().zip(&other.words).map(|(a, b)| a & b);
        Bits {
            words: both.collect(),
            len: self.len,
        }
    }

    /// Whether they have a number in common.
    #[must_use]
    pub fn meets(&self, other: &Bits) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len).filter(|i| self.get(*i))
    }

    /// How many numbers there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_more_than_a_word() {
        let mut bits = Bits::none(130);
        for i in [0, 63, 64, 129] {
            bits.set(i, true);
        }
        bits.set(63, false);
        assert_eq!(bits.iter().collect::<Vec<_>>(), [0, 64, 129]);
        let mut other = Bits::none(130);
        assert!(!bits.meets(&other));
        other.set(129, true);
        assert!(bits.meets(&other) && bits.and(&other).count() == 1);
        other.add(&bits);
        assert_eq!(other, bits);
    }
}
