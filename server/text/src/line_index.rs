//! Byte offsets to lines and columns and back, in the three units that editors count columns in. Positions outside
//! the text are brought inside; nothing here panics.

use std::sync::Arc;

use crate::range::TextRange;

/// A place as line and column, both counted from 0. The unit of the column depends on who asks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct LineCol {
    /// The line.
    pub line: usize,
    /// How many units of the line stand before the place.
    pub col: usize,
}

/// What a column counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Columns {
    /// Bytes of UTF-8.
    Utf8,
    /// Units of UTF-16: a character outside the basic plane counts twice.
    Utf16,
    /// Characters.
    Utf32,
}

impl Columns {
    fn width(self, c: char) -> usize {
        match self {
            Columns::Utf8 => c.len_utf8(),
            Columns::Utf16 => c.len_utf16(),
            Columns::Utf32 => 1,
        }
    }
}

/// Where the lines of one text start. `\n`, `\r\n` and a lone `\r` end a line, as editors have it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineIndex {
    text: Arc<str>,
    /// First byte of each line; the first is 0.
    starts: Vec<usize>,
}

impl LineIndex {
    /// The index of a text.
    #[must_use]
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let bytes = text.as_bytes();
        let starts = (0..=bytes.len()).filter(|at| starts_line(bytes, *at));
        Self {
            starts: starts.collect(),
            text,
        }
    }

    /// The index of `text`, which is this index's text with bytes `old` replaced by `len` others.
    #[must_use]
    pub fn edited(&self, text: Arc<str>, old: TextRange, len: usize) -> Self {
        let bytes = text.as_bytes();
        // Whether a line starts at a byte depends on the byte and the one before it.
        let before = self.starts.partition_point(|start| *start < old.start);
        let behind = self.starts.partition_point(|start| *start <= old.end + 1);
        let (first, last) = (old.start, (old.start + len + 1).min(bytes.len()));
        let mut starts = Vec::with_capacity(self.starts.len() + len);
        starts.extend_from_slice(&self.starts[..before]);
        starts.extend((first..=last).filter(|at| starts_line(bytes, *at)));
        let rest = self.starts[behind..].iter();
        starts.extend(rest.map(|start| start - old.end + old.start + len));
        Self { text, starts }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Number of lines; an empty text has one.
    #[must_use]
    pub fn len_lines(&self) -> usize {
        self.starts.len()
    }

    /// First byte of a line; the text's end for lines behind it.
    #[must_use]
    pub fn line_start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    /// Behind the last byte of a line, its end-of-line signs left out.
    #[must_use]
    pub fn line_end(&self, line: usize) -> usize {
        let start = self.line_start(line);
        let end = self.line_start(line.saturating_add(1));
        start + self.text[start..end].trim_end_matches(['\r', '\n']).len()
    }

    /// The line of a byte, counted from 0.
    #[must_use]
    pub fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset) - 1
    }

    /// Line and column of a byte. Inside a character it is the character's place, inside `\r\n` the line's end.
    #[must_use]
    pub fn line_col(&self, offset: usize, columns: Columns) -> LineCol {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line(offset);
        let before = &self.text[self.line_start(line)..offset.min(self.line_end(line))];
        LineCol {
            line,
            col: before.chars().map(|c| columns.width(c)).sum(),
        }
    }

    /// The byte at a line and column. A column behind the line's end is its end, a line behind the text's end is the
    /// text's end, the middle of a character is its start.
    #[must_use]
    pub fn offset(&self, place: LineCol, columns: Columns) -> usize {
        if place.line >= self.len_lines() {
            return self.text.len();
        }
        let start = self.line_start(place.line);
        let mut left = place.col;
        for (at, c) in self.text[start..self.line_end(place.line)].char_indices() {
            let width = columns.width(c);
            if left < width {
                return start + at;
            }
            left -= width;
        }
        self.line_end(place.line)
    }
}

fn starts_line(bytes: &[u8], at: usize) -> bool {
    match at.checked_sub(1).map(|before| bytes[before]) {
        None | Some(b'\n') => true,
        Some(b'\r') => bytes.get(at) != Some(&b'\n'),
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: [Columns; 3] = [Columns::Utf8, Columns::Utf16, Columns::Utf32];

    #[test]
    fn columns_count_in_their_unit() {
        let index = LineIndex::new("é = 1\r\n𝛼∑x");
        let x = "é = 1\r\n𝛼∑".len();
        let cols = ALL.map(|columns| index.line_col(x, columns));
        assert_eq!(cols, [7, 3, 2].map(|col| LineCol { line: 1, col }));
        assert_eq!(cols.map(|c| c.line), [1; 3]);
        for (columns, place) in ALL.into_iter().zip(cols) {
            assert_eq!(index.offset(place, columns), x);
        }
    }

    #[test]
    fn places_outside_are_brought_inside() {
        let index = LineIndex::new("ab\r\nc");
        let at = |line, col| index.offset(LineCol { line, col }, Columns::Utf16);
        assert_eq!(
            [at(0, 99), at(1, 99), at(7, 0), at(usize::MAX, usize::MAX)],
            [2, 5, 5, 5]
        );
        assert_eq!(
            index.line_col(99, Columns::Utf8),
            LineCol { line: 1, col: 1 }
        );
        assert_eq!(
            index.line_col(3, Columns::Utf8),
            LineCol { line: 0, col: 2 }
        );
        assert_eq!(
            LineIndex::new("").line_col(0, Columns::Utf16),
            LineCol::default()
        );
    }

    #[test]
    fn the_middle_of_a_character_is_its_start() {
        let index = LineIndex::new("a𝛼b");
        assert_eq!(index.offset(LineCol { line: 0, col: 2 }, Columns::Utf16), 1);
        assert_eq!(index.line_col(3, Columns::Utf16).col, 1);
    }

    proptest! {
        #[test]
        fn there_and_back_is_the_same_place(text in "[a𝛼é\r\n]{0,40}") {
            let index = LineIndex::new(text.as_str());
            for (offset, _) in text.char_indices() {
                let line = index.line(offset);
                if offset > index.line_end(line) {
                    continue; // The `\n` of `\r\n`.
                }
                for columns in ALL {
                    prop_assert_eq!(index.offset(index.line_col(offset, columns), columns), offset);
                }
            }
        }

        #[test]
        fn an_index_after_an_edit_is_that_of_the_new_text(
            text in "[a\r\n]{0,12}", new_text in "[a\r\n]{0,4}", at in any::<prop::sample::Index>(), len in 0..4_usize,
        ) {
            let start = at.index(text.len() + 1);
            let old = TextRange::new(start, (start + len).min(text.len()));
            let mut after = text.clone();
            after.replace_range(old.start..old.end, &new_text);
            let edited = LineIndex::new(text).edited(after.as_str().into(), old, new_text.len());
            prop_assert_eq!(edited, LineIndex::new(after));
        }

        #[test]
        fn no_place_panics_or_splits_a_character(text in "[a𝛼é\r\n]{0,20}", line in 0..30_usize, col in 0..30_usize) {
            let index = LineIndex::new(text.as_str());
            for columns in ALL {
                let offset = index.offset(LineCol { line, col }, columns);
                prop_assert!(text.is_char_boundary(offset));
                let _ = index.line_col(col, columns);
            }
        }
    }
}
