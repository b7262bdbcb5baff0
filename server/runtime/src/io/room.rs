//! What fits: shapes come from files and from people, and are checked here before anything is allocated for them.

use crate::matrix::{MAX_COLS, prefers_sparse};
use crate::memory;

/// Why a matrix of `rows` x `cols` with at least `nnz` non-zeros cannot be kept: what was expected, and what was found.
/// `None` where it can be.
pub(super) fn refusal(rows: usize, cols: usize, nnz: usize) -> Option<(&'static str, String)> {
    let found = format!("{rows} x {cols}");
    let cells = rows.checked_mul(cols);
    let (Some(cells), true) = (cells, cols <= MAX_COLS) else {
        return Some(("a matrix that can be addressed", found));
    };
    // A pointer for each row in any case: the sparse format has them, and the dense one may be asked for them.
    let values = if prefers_sparse(rows, cols, nnz) {
        nnz
    } else {
        cells
    };
    let bytes = (rows as u64)
        .saturating_add(values as u64)
        .saturating_mul(size_of::<u64>() as u64);
    let limit = memory::total_bytes()
        .unwrap_or(isize::MAX as u64)
        .min(memory::address_space_limit().unwrap_or(u64::MAX));
    (bytes > limit).then_some(("a matrix that fits in memory", found))
}

#[cfg(test)]
mod tests {
    use super::refusal;

    #[test]
    fn only_what_is_too_large_is_refused() {
        assert_eq!(refusal(1000, 1000, 0), None);
        assert_eq!(refusal(0, 1_000_000_000, 0), None);
        assert_eq!(refusal(1_000_000, 1_000_000, 10), None, "sparse");
        let expected = |rows, cols, nnz| refusal(rows, cols, nnz).map(|(expected, _)| expected);
        assert_eq!(
            expected(usize::MAX, 2, 0),
            Some("a matrix that can be addressed")
        );
        assert_eq!(expected(1, MAX, 0), Some("a matrix that can be addressed"));
        assert_eq!(
            expected(1 << 60, 2, 0),
            Some("a matrix that fits in memory")
        );
    }

    const MAX: usize = super::MAX_COLS + 1;
}
