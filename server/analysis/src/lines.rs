//! Where the lines of a text start. Must know nothing of what stands on them.

use sumac_text::TextRange;

/// Offsets of line starts; lines count from 1.
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    pub(crate) fn of(text: &str) -> Self {
        Lines(
            std::iter::once(0)
                .chain(text.match_indices('\n').map(|(i, _)| i + 1))
                .collect(),
        )
    }

    pub(crate) fn line(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset)
    }

    /// From the first byte of the line to the last of it.
    pub(crate) fn range(&self, line: usize, text: &str) -> TextRange {
        let start = self
            .0
            .get(line.saturating_sub(1))
            .copied()
            .unwrap_or(text.len());
        let end = self.0.get(line).copied().unwrap_or(text.len());
        TextRange {
            start,
            end: end.max(start),
        }
    }
}
