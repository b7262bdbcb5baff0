//! Numbers that begin where a cache line begins: vectors of the machine then never lie across two.

use super::real::Real;

/// Bytes of a line.
const LINE: usize = 64;

/// Zeros, or what was written over them.
#[derive(Debug)]
pub struct Aligned<T> {
    all: Vec<T>,
    from: usize,
    len: usize,
}

impl<T: Real> Aligned<T> {
    /// So many zeros.
    #[must_use]
    pub fn new(len: usize) -> Self {
        let all = vec![T::default(); len + LINE / size_of::<T>()];
        let from = all.as_ptr().align_offset(LINE).min(LINE / size_of::<T>());
        Aligned { all, from, len }
    }

    /// The numbers.
    #[must_use]
    pub fn numbers(&mut self) -> &mut [T] {
        &mut self.all[self.from..][..self.len]
    }

    /// The numbers, to read.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.all[self.from..][..self.len]
    }
}
