//! Data files for scripts that read some: made of a few simple numbers, the same each time.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Result;

/// A dimension larger than this is made smaller.
const LARGEST: usize = 200;

/// Writes `NAME.ijv` and its metadata: about one cell of `every` is not zero.
///
/// # Errors
/// It cannot be written.
pub(super) fn write(
    folder: &Path,
    name: &str,
    rows: usize,
    cols: usize,
    every: usize,
) -> Result<()> {
    let salt: usize = name.bytes().map(usize::from).sum();
    let (mut cells, mut nnz) = (String::new(), 0);
    for row in 1..=rows {
        for col in 1..=cols {
            let mixed = (row * 7919 + col * 104_729 + salt * 31) % 9973;
            let value = f64::from(u32::try_from(mixed % 14).unwrap_or(0)) / 4.0 - 1.5;
            if value != 0.0 && mixed.is_multiple_of(every.max(1)) {
                nnz += 1;
                cells.push_str(&format!("{row} {col} {value}\n"));
            }
        }
    }
    fs::write(folder.join(format!("{name}.ijv")), cells)?;
    let described = format!(
        "{{\"data_type\": \"matrix\", \"value_type\": \"double\", \"rows\": {rows}, \"cols\": {cols}, \"nnz\": {nnz}, \"format\": \"text\"}}\n"
    );
    fs::write(folder.join(format!("{name}.ijv.mtd")), described)?;
    Ok(())
}

/// Name, rows, columns and about how many cells there are for one that is not zero.
pub(super) type Stated = (String, usize, usize, usize);

/// What the `#@` lines of a script say of its matrices, made smaller: equal sizes stay equal and others apart.
pub(super) fn stated(script: &str) -> Vec<Stated> {
    let mut found: Vec<Stated> = script.lines().filter_map(fact).collect();
    let sizes: BTreeSet<usize> = found
        .iter()
        .flat_map(|(_, rows, cols, _)| [*rows, *cols])
        .filter(|size| *size > LARGEST)
        .collect();
    let smaller = |size: usize| {
        let at = sizes.iter().position(|known| *known == size);
        at.map_or(size, |at| LARGEST / 2 + 7 * at)
    };
    for (_, rows, cols, _) in &mut found {
        (*rows, *cols) = (smaller(*rows), smaller(*cols));
    }
    found
}

/// `#@ X: 5000 x 40, sparsity 0.01`.
fn fact(line: &str) -> Option<Stated> {
    let (name, rest) = line.strip_prefix("#@ ")?.split_once(':')?;
    let (size, sparsity) = rest.split_once(", sparsity").unwrap_or((rest, "1"));
    let (rows, cols) = size.split_once('x')?;
    let sparsity: f64 = sparsity.trim().parse().ok()?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small count; at most so that small matrices keep some cells"
    )]
    let every = (1.0 / sparsity.max(0.02)).round() as usize;
    Some((
        name.trim().to_owned(),
        rows.trim().parse().ok()?,
        cols.trim().parse().ok()?,
        every,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sizes_stay_equal() {
        let script = "#@ X: 5000 x 4000, sparsity 0.1\n#@ y: 4000 x 1\n# no fact\n";
        let stated = stated(script);
        assert_eq!(stated[0], ("X".to_owned(), 107, 100, 10));
        assert_eq!(stated[1], ("y".to_owned(), 100, 1, 1));
    }
}
