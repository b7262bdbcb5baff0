//! The client's side of an open document: its text, its version, and places in it as the protocol counts them.

use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// How columns are counted on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// The encoding by its name in the protocol.
    ///
    /// # Errors
    /// There is none by that name.
    pub(crate) fn named(name: &str) -> Result<Self> {
        match name {
            "utf-8" => Ok(Encoding::Utf8),
            "utf-16" => Ok(Encoding::Utf16),
            "utf-32" => Ok(Encoding::Utf32),
            other => anyhow::bail!("the server counts columns in {other}, which is unknown"),
        }
    }

    /// The width of a text.
    fn width(self, text: &str) -> usize {
        match self {
            Encoding::Utf8 => text.len(),
            Encoding::Utf16 => text.encode_utf16().count(),
            Encoding::Utf32 => text.chars().count(),
        }
    }

    /// Bytes of the longest beginning of a line that is not wider than `column`.
    fn bytes(self, line: &str, column: usize) -> usize {
        let mut wide = 0;
        for (at, c) in line.char_indices() {
            wide += self.width(c.encode_utf8(&mut [0; 4]));
            if wide > column {
                return at;
            }
        }
        line.len()
    }
}

/// One change: bytes of the text that the change before it left, and what stands there afterwards.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Edit {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

/// An open document.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) uri: String,
    pub(crate) version: i64,
    pub(crate) text: String,
}

impl Document {
    /// A document at a path, as it is when it is opened.
    pub(crate) fn new(path: &Path, text: &str) -> Self {
        Document {
            uri: uri(path),
            version: 1,
            text: text.to_owned(),
        }
    }

    /// The parameters that name it.
    pub(crate) fn named(&self) -> Value {
        json!({"textDocument": {"uri": self.uri}})
    }

    /// The parameters that name a place in it.
    pub(crate) fn at(&self, byte: usize, encoding: Encoding) -> Value {
        json!({"textDocument": {"uri": self.uri}, "position": position(&self.text, byte, encoding)})
    }

    /// The parameters that name all of it.
    pub(crate) fn whole(&self) -> Value {
        let range = json!({
            "start": {"line": 0, "character": 0},
            "end": {"line": line_ends(&self.text).count() + 1, "character": 0},
        });
        json!({"textDocument": {"uri": self.uri}, "range": range})
    }

    /// Makes the next version, and gives the parameters of `didChange`.
    pub(crate) fn change(&mut self, edits: &[Edit], encoding: Encoding) -> Value {
        self.version += 1;
        let mut changes = Vec::new();
        for Edit { range, text } in edits {
            changes.push(json!({
                "range": {
                    "start": position(&self.text, range.start, encoding),
                    "end": position(&self.text, range.end, encoding),
                },
                "text": text,
            }));
            self.text.replace_range(range.clone(), text);
        }
        json!({
            "textDocument": {"uri": self.uri, "version": self.version}, "contentChanges": changes,
        })
    }
}

/// The address of a file.
pub(crate) fn uri(path: &Path) -> String {
    let escaped: String = path
        .to_string_lossy()
        .bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect();
    format!("file://{escaped}")
}

/// The place of a byte as the protocol writes it. A byte inside a character is that character's.
pub(crate) fn position(text: &str, byte: usize, encoding: Encoding) -> Value {
    let byte = text.floor_char_boundary(byte);
    let (mut line, mut start) = (0, 0);
    for end in line_ends(text).take_while(|end| *end <= byte) {
        line += 1;
        start = end;
    }
    json!({"line": line, "character": encoding.width(&text[start..byte])})
}

/// The byte at a place of the protocol. Behind the end of a line is its end, behind the last line the text's.
///
/// # Errors
/// It is no place.
pub(crate) fn byte(text: &str, place: &Value, encoding: Encoding) -> Result<usize> {
    let number = |key: &str| -> Result<usize> {
        let number = place[key].as_u64().context("a place without its numbers")?;
        Ok(usize::try_from(number)?)
    };
    let (line, column) = (number("line")?, number("character")?);
    let start = match line.checked_sub(1) {
        None => 0,
        Some(before) => match line_ends(text).nth(before) {
            Some(end) => end,
            None => return Ok(text.len()),
        },
    };
    let content = text[start..].split(['\n', '\r']).next().unwrap_or_default();
    Ok(start + encoding.bytes(content, column))
}

/// The bytes behind the ends of lines: behind `\n`, `\r\n`, or a `\r` alone.
fn line_ends(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    let ends = |at: &usize| match bytes[*at] {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    (0..bytes.len()).filter(ends).map(|at| at + 1)
}

/// The text after edits that the server made: what an editor makes of accepting them.
///
/// # Errors
/// An edit breaks the protocol.
pub(crate) fn accept(text: &str, edits: &[Value], encoding: Encoding) -> Result<String> {
    let mut placed = Vec::new();
    for edit in edits {
        let start = byte(text, &edit["range"]["start"], encoding)?;
        let end = byte(text, &edit["range"]["end"], encoding)?;
        let new = edit["newText"].as_str().context("an edit without text")?;
        anyhow::ensure!(start <= end, "an edit that ends before it starts");
        placed.push((start..end, new));
    }
    placed.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut out = text.to_owned();
    for (range, new) in placed {
        out.replace_range(range, new);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a = 1\r\né𝕏 = 2\rb\nlast";

    #[test]
    fn every_place_survives_the_way_there_and_back_in_every_encoding() {
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            for (at, _) in TEXT.char_indices().filter(|(_, c)| *c != '\n') {
                let place = position(TEXT, at, encoding);
                assert_eq!(
                    byte(TEXT, &place, encoding).unwrap(),
                    at,
                    "{place} {encoding:?}"
                );
            }
        }
    }

    #[test]
    fn columns_are_counted_as_agreed() {
        let behind = TEXT.find(" = 2").unwrap();
        let column = |encoding| position(TEXT, behind, encoding)["character"].as_u64();
        assert_eq!(column(Encoding::Utf8), Some(6));
        assert_eq!(column(Encoding::Utf16), Some(3));
        assert_eq!(column(Encoding::Utf32), Some(2));
    }

    #[test]
    fn places_behind_the_end_are_the_end() {
        let at = |line: u64, character: u64| {
            let place = json!({"line": line, "character": character});
            byte(TEXT, &place, Encoding::Utf16).unwrap()
        };
        assert_eq!(at(0, 99), "a = 1".len());
        assert_eq!(at(9, 0), TEXT.len());
        assert_eq!(at(3, 99), TEXT.len());
        assert_eq!(at(1, 99), TEXT.find("\rb").unwrap());
    }

    #[test]
    fn edits_are_applied_where_they_stand() {
        let place = |line: u64, character: u64| json!({"line": line, "character": character});
        let edit =
            |start, end, new: &str| json!({"range": {"start": start, "end": end}, "newText": new});
        let edits = [
            edit(place(0, 0), place(0, 1), "long"),
            edit(place(1, 2), place(1, 3), "c"),
        ];
        let accepted = accept("a\nb b\n", &edits, Encoding::Utf16);
        assert_eq!(accepted.unwrap(), "long\nb c\n");
    }

    #[test]
    fn a_change_tells_places_of_the_text_that_the_one_before_it_left() {
        let mut document = Document::new(Path::new("/a b/é.dml"), "x\n");
        assert_eq!(document.uri, "file:///a%20b/%C3%A9.dml");
        let edit = |range, text: &str| Edit {
            range,
            text: text.to_owned(),
        };
        let params = document.change(&[edit(0..1, "y\nz"), edit(3..3, "!")], Encoding::Utf8);
        assert_eq!(document.text, "y\nz!\n");
        assert_eq!(params["textDocument"]["version"], 2);
        assert_eq!(
            params["contentChanges"][1]["range"]["start"],
            json!({"line": 1, "character": 1})
        );
    }
}
