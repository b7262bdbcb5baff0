//! The only place where the protocol's columns meet byte offsets: positions, ranges, edits, uris.
//!
//! Positions from a client may lie outside the text; they are moved to the nearest place in it, as the protocol
//! asks for columns, and never panic.

use sumac_text::{Columns, LineCol, LineIndex, TextEdit, TextRange};
use tower_lsp::ls_types as ls;

use super::settings::Encoding;

/// A text with what is needed to convert places in it.
#[derive(Clone, Copy, Debug)]
pub struct Converter<'a> {
    lines: &'a LineIndex,
    columns: Columns,
}

impl<'a> Converter<'a> {
    /// For the text of `lines`.
    #[must_use]
    pub fn new(lines: &'a LineIndex, encoding: Encoding) -> Self {
        let columns = match encoding {
            Encoding::Utf16 => Columns::Utf16,
            Encoding::Utf8 => Columns::Utf8,
            Encoding::Utf32 => Columns::Utf32,
        };
        Converter { lines, columns }
    }

    /// The byte offset of a position.
    #[must_use]
    pub fn offset(&self, position: ls::Position) -> usize {
        let place = LineCol {
            line: position.line as usize,
            col: position.character as usize,
        };
        self.lines.offset(place, self.columns)
    }

    /// The position of a byte offset.
    #[must_use]
    pub fn position(&self, offset: usize) -> ls::Position {
        let LineCol { line, col } = self.lines.line_col(offset, self.columns);
        ls::Position {
            line: saturate(line),
            character: saturate(col),
        }
    }

    /// The byte range of a range; a range that is given backwards is turned round.
    #[must_use]
    pub fn text_range(&self, range: ls::Range) -> TextRange {
        let (a, b) = (self.offset(range.start), self.offset(range.end));
        TextRange {
            start: a.min(b),
            end: a.max(b),
        }
    }

    /// The range of a byte range.
    #[must_use]
    pub fn range(&self, range: TextRange) -> ls::Range {
        ls::Range {
            start: self.position(range.start),
            end: self.position(range.end),
        }
    }

    /// An edit.
    #[must_use]
    pub fn edit(&self, edit: &TextEdit) -> ls::TextEdit {
        ls::TextEdit {
            range: self.range(edit.range),
            new_text: edit.new_text.clone(),
        }
    }

    /// Edits.
    #[must_use]
    pub fn edits(&self, edits: &[TextEdit]) -> Vec<ls::TextEdit> {
        edits.iter().map(|edit| self.edit(edit)).collect()
    }
}

/// The text after the changes, each in the text that the one before it left.
#[must_use]
pub fn text_after(
    text: &str,
    changes: &[ls::TextDocumentContentChangeEvent],
    encoding: Encoding,
) -> String {
    let mut text = text.to_owned();
    for change in changes {
        let range = change.range.map_or(0..text.len(), |range| {
            let lines = LineIndex::new(text.as_str());
            let range = Converter::new(&lines, encoding).text_range(range);
            range.start..range.end
        });
        text.replace_range(range, &change.text);
    }
    text
}

/// The file of a document, if it is one.
#[must_use]
pub fn file_path(uri: &ls::Uri) -> Option<std::path::PathBuf> {
    let is_file = uri.as_str().starts_with("file:");
    is_file
        .then(|| uri.to_file_path().map(std::borrow::Cow::into_owned))
        .flatten()
}

/// A file as a document.
#[must_use]
pub fn file_uri(path: &std::path::Path) -> Option<ls::Uri> {
    ls::Uri::from_file_path(path)
}

/// The last part of a document's name, for people.
#[must_use]
pub fn file_name(uri: &ls::Uri) -> String {
    let path = uri.path().decode().to_string_lossy().into_owned();
    path.rsplit('/')
        .find(|part| !part.is_empty())
        .unwrap_or("script")
        .to_owned()
}

fn saturate(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a = \"𝒳é\"\r\nb = 1\n";

    fn with(encoding: Encoding, check: impl Fn(Converter<'_>)) {
        let lines = LineIndex::new(TEXT);
        check(Converter::new(&lines, encoding));
    }

    #[test]
    fn every_character_boundary_survives_the_way_there_and_back() {
        for encoding in [Encoding::Utf16, Encoding::Utf8, Encoding::Utf32] {
            with(encoding, |converter| {
                let inside = TEXT.char_indices().filter(|(_, c)| *c != '\n');
                for (offset, _) in inside {
                    assert_eq!(
                        converter.offset(converter.position(offset)),
                        offset,
                        "{offset}"
                    );
                }
            });
        }
    }

    #[test]
    fn columns_count_in_the_agreed_units() {
        let after = TEXT.find('é').unwrap();
        with(Encoding::Utf16, |c| {
            assert_eq!(c.position(after), ls::Position::new(0, 7));
        });
        with(Encoding::Utf8, |c| {
            assert_eq!(c.position(after), ls::Position::new(0, 9));
        });
        with(Encoding::Utf32, |c| {
            assert_eq!(c.position(after), ls::Position::new(0, 6));
        });
    }

    #[test]
    fn places_outside_the_text_move_to_its_edge() {
        with(Encoding::Utf16, |c| {
            assert_eq!(c.offset(ls::Position::new(99, 0)), TEXT.len());
            assert_eq!(c.offset(ls::Position::new(1, 99)), TEXT.len() - 1);
            assert_eq!(
                c.offset(ls::Position::new(0, 6)),
                5,
                "inside a surrogate pair"
            );
            assert_eq!(c.position(9999), ls::Position::new(2, 0));
            let backwards = ls::Range::new(ls::Position::new(1, 0), ls::Position::new(0, 0));
            assert_eq!(c.text_range(backwards), TextRange::new(0, 14));
        });
    }

    #[test]
    fn changes_apply_one_after_the_other_in_the_units_of_the_client() {
        let change = |range: Option<[u32; 4]>, text: &str| ls::TextDocumentContentChangeEvent {
            range: range.map(|[a, b, c, d]| {
                ls::Range::new(ls::Position::new(a, b), ls::Position::new(c, d))
            }),
            range_length: None,
            text: text.into(),
        };
        let changes = [
            change(Some([0, 3, 0, 4]), "x"),
            change(Some([0, 4, 9, 9]), "!"),
        ];
        assert_eq!(text_after("a𝒳bc\nd", &changes, Encoding::Utf16), "a𝒳x!");
        assert_eq!(text_after("a", &[change(None, "b")], Encoding::Utf8), "b");
    }
}
