//! A number that stands for a value where values are only asked to be equal.

use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher, Hash};

/// A number for what is equal.
pub(crate) fn key(of: impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::new().hash_one(of)
}
