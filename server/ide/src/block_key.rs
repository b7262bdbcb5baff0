//! What a block's suggestions are kept under.

/// The content of a block and the options of the search, as 128 bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BlockKey(pub(crate) u128);
