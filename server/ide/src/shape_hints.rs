//! Shapes behind assigned variables, for those who switch them on.
//!
//! ```text
//! Y: 1000 x 1 = X %*% w
//! ```

use sumac_analysis::{ValueKind, VariableFact};
use sumac_la::Dim;
use sumac_text::TextRange;

use crate::snapshot::Snapshot;

/// A shape behind a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShapeHint {
    /// Where it stands: behind the assigned name.
    pub offset: usize,
    /// Its text.
    pub label: String,
    /// Where the shape comes from.
    pub tooltip: String,
}

/// The shapes of the matrices and frames that are assigned in `range`, as far as they are known.
#[must_use]
pub fn shape_hints(snapshot: &Snapshot, range: TextRange) -> Vec<ShapeHint> {
    let facts = snapshot.analysis.variables.iter();
    facts
        .filter(|fact| range.touches(fact.range.end))
        .filter_map(|fact| hint(snapshot, fact))
        .collect()
}

fn hint(snapshot: &Snapshot, fact: &VariableFact) -> Option<ShapeHint> {
    if !matches!(fact.kind, ValueKind::Matrix | ValueKind::Frame) {
        return None;
    }
    let (rows, cols) = (&fact.ty.rows, &fact.ty.cols);
    if *rows == Dim::Unknown && *cols == Dim::Unknown {
        return None;
    }
    // `X[1, 2] = …` changes cells; its size stands where `X` is made.
    let behind = snapshot.text().get(fact.range.end..)?.trim_start();
    if behind.starts_with('[') {
        return None;
    }
    let mut label = format!(": {rows} x {cols}");
    if let Some(share) = fact.ty.sparsity.filter(|_| fact.ty.is_stored_sparse()) {
        label.push_str(&format!(" sparse {}", sumac_la::number(share)));
    }
    Some(ShapeHint {
        offset: fact.range.end,
        label,
        tooltip: format!("Source: {}", fact.source),
    })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::fixture;

    const EVERYWHERE: TextRange = TextRange {
        start: 0,
        end: usize::MAX,
    };

    #[track_caller]
    fn check(text: &str, range: TextRange, expected: &Expect) {
        let mut shown = text.to_owned();
        for hint in shape_hints(&fixture::snapshot(text), range).iter().rev() {
            shown.insert_str(hint.offset, &format!("⟨{}⟩", hint.label));
        }
        expected.assert_eq(&shown);
    }

    #[test]
    fn matrices_of_known_size_have_a_shape() {
        check(
            "#@ X: 1000 x n, sparsity 0.01\nX = read($X)\nY = t(X)\ns = sum(X)\n",
            EVERYWHERE,
            &expect![[r#"
                #@ X: 1000 x n, sparsity 0.01
                X⟨: 1000 x n sparse 0.01⟩ = read($X)
                Y⟨: n x 1000 sparse 0.01⟩ = t(X)
                s = sum(X)
            "#]],
        );
    }

    #[test]
    fn what_is_not_known_and_left_indexing_have_none() {
        check(
            "X = read($X)\nY = matrix(0, rows=2, cols=3)\nY[1, 2] = 5\n",
            EVERYWHERE,
            &expect![[r#"
                X = read($X)
                Y⟨: 2 x 3 sparse 0⟩ = matrix(0, rows=2, cols=3)
                Y[1, 2] = 5
            "#]],
        );
    }

    #[test]
    fn only_the_asked_range_is_answered() {
        let text = "A = matrix(0, 2, 3)\nB = matrix(0, 2, 3)\n";
        check(
            text,
            TextRange::new(0, 5),
            &expect![[r#"
                A⟨: 2 x 3 sparse 0⟩ = matrix(0, 2, 3)
                B = matrix(0, 2, 3)
            "#]],
        );
    }
}
