//! The functions of a file in rows of a few dozen, cut so that one function more or less changes few of them. Must look at no text.

use std::collections::HashMap;
use std::sync::Arc;

use super::inputs::Function;
use super::key::key;
use super::segment_tree::ByPlace;

/// Functions of a file in a row.
pub(crate) type Row = ByPlace<Vec<Function>>;

/// The most functions of a row.
const MOST: usize = 64;
/// Every so many functions, on average, end a row.
const EVERY: u64 = 32;

/// The functions of a file in rows, those of `old` where they are the same. Where one ends depends on the function there, so that
/// one more or less changes few rows.
pub(crate) fn rows(functions: &[Function], old: &[Row]) -> Arc<[Row]> {
    let old: HashMap<&[Function], &Row> = old.iter().map(|row| (&**row.0, row)).collect();
    let rows = functions.chunk_by(|before, _| !key(before).is_multiple_of(EVERY));
    let rows = rows.flat_map(|row| row.chunks(MOST)).map(|row| {
        let known = old.get(row).copied().cloned();
        known.unwrap_or_else(|| ByPlace(Arc::new(row.to_vec())))
    });
    rows.collect()
}
