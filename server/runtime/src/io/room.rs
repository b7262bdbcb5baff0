//! What fits: shapes come from files and from people, and are checked here before anything is allocated for them.

use crate::matrix::{MAX_COLS, prefers_sparse};
use crate::memory;

/// Bytes that any file may ask for by its header alone.
const ALWAYS: u64 = 256 << 20;

/// Bytes that each byte of a text may ask for: a cell of two bytes is a number, a row and a column of eight each, and most
/// rows of a sparse matrix may be empty.
const BY_A_BYTE: u64 = 64;

/// As [`refusal`], for a file of so many bytes that says the shape by a few of them: how empty a matrix can be depends on what
/// there is to fill it with.
pub(super) fn claim_refusal(
    rows: usize,
    cols: usize,
    nnz: usize,
    file: u64,
) -> Option<(&'static str, String)> {
    refusal(rows, cols, nnz).or_else(|| {
        let claimed = bytes(rows, cols, nnz);
        let most = file.saturating_mul(BY_A_BYTE).max(ALWAYS);
        let found = || format!("{rows} x {cols}, which takes {claimed} bytes, in a file of {file}");
        (claimed > most).then(|| ("a matrix that its file could hold", found()))
    })
}

/// Bytes of a matrix whose cells can be addressed: a pointer for each row in any case, for the sparse format has them, and
/// the dense one may be asked for them.
fn bytes(rows: usize, cols: usize, nnz: usize) -> u64 {
    let values = if prefers_sparse(rows, cols, nnz) {
        nnz
    } else {
        rows.saturating_mul(cols)
    };
    (rows as u64)
        .saturating_add(values as u64)
        .saturating_mul(size_of::<u64>() as u64)
}

/// Why a matrix of `rows` x `cols` with at least `nnz` non-zeros cannot be kept: what was expected, and what was found.
/// `None` where it can be.
pub(super) fn refusal(rows: usize, cols: usize, nnz: usize) -> Option<(&'static str, String)> {
    let found = format!("{rows} x {cols}");
    let cells = rows.checked_mul(cols);
    if cells.is_none() || cols > MAX_COLS {
        return Some(("a matrix that can be addressed", found));
    }
    // What is left now: a run has a limit, and what it has taken by then is its own.
    let left = memory::available_bytes().or_else(memory::total_bytes);
    let limit = left
        .unwrap_or(isize::MAX as u64)
        .min(memory::limit_bytes().unwrap_or(u64::MAX));
    (bytes(rows, cols, nnz) > limit).then_some(("a matrix that fits in memory", found))
}

#[cfg(test)]
mod tests {
    use super::{claim_refusal, refusal};

    #[test]
    fn a_header_claims_no_more_than_its_file_accounts_for() {
        let refused = |rows, cols, file| {
            let refusal = claim_refusal(rows, cols, 0, file)?;
            Some(refusal.0)
        };
        assert_eq!(refused(1_000_000, 1_000_000, 60), None);
        let expected = Some("a matrix that its file could hold");
        assert_eq!(refused(100_000_000, 3, 60), expected);
        assert_eq!(refused(100_000_000, 1, 60), expected);
        assert_eq!(refused(100_000_000, 3, 20 << 20), None);
    }

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
