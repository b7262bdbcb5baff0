//! Byte ranges in a source text. Columns, lines and UTF-16 never appear here.

/// A half-open range of byte offsets in one source text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct TextRange {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl TextRange {
    /// The range `start..end`.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        debug_assert!(start <= end);
        Self { start, end }
    }

    /// Number of bytes.
    #[must_use]
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether no byte lies inside.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether `offset` lies inside or directly behind the range, as a cursor would.
    #[must_use]
    pub fn touches(self, offset: usize) -> bool {
        self.start <= offset && offset <= self.end
    }

    /// Whether `other` lies wholly inside.
    #[must_use]
    pub fn contains(self, other: TextRange) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The range `by` bytes further on.
    #[must_use]
    pub fn moved(self, by: usize) -> TextRange {
        TextRange {
            start: self.start + by,
            end: self.end + by,
        }
    }

    /// The smallest range that covers both.
    #[must_use]
    pub fn cover(self, other: TextRange) -> TextRange {
        TextRange {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

impl std::ops::Index<TextRange> for str {
    type Output = str;

    fn index(&self, range: TextRange) -> &str {
        &self[range.start..range.end]
    }
}

/// One replacement in a source text. A list of edits never overlaps and is sorted by range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextEdit {
    /// What is replaced; empty for an insertion.
    pub range: TextRange,
    /// What stands there afterwards.
    pub new_text: String,
}
