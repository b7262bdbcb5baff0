//! What files of data said of their sizes in one walk.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::meta::Meta;

/// What files said, so that each is looked at once.
pub(crate) type ReadCache = BTreeMap<(PathBuf, bool), Found>;

/// What a path leads to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// What it says of itself.
    pub(crate) meta: Meta,
    /// The file that the sizes come from, as the script would write it.
    pub(crate) from_mtd: bool,
    /// Why it says nothing.
    pub(crate) problem: Option<String>,
}
