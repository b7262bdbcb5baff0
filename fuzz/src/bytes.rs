//! Bytes read as choices, and as a text with changes to it. Any bytes are some choices: nothing is refused here.

use sumac_text::{TextEdit, TextRange};

/// What is left to read.
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    /// The next byte; zero at the end.
    pub fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    /// A number below `end`, which is at most 256 and not zero.
    pub fn below(&mut self, end: usize) -> usize {
        usize::from(self.next()) % end
    }

    /// One of these, which are not none.
    pub fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Whether everything was read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A change to a text.
pub struct Change {
    /// Where, in any text.
    pub at: usize,
    /// How many bytes are replaced.
    pub len: usize,
    /// By what.
    pub new: String,
}

impl Change {
    /// The change to this text: places are brought in, and characters are changed as a whole.
    pub fn on(&self, text: &str) -> TextEdit {
        let start = text.floor_char_boundary(self.at % (text.len() + 1));
        let end = text.ceil_char_boundary((start + self.len).min(text.len()));
        TextEdit {
            range: TextRange::new(start, end),
            new_text: self.new.clone(),
        }
    }
}

/// A text, and changes to it: each begins with a byte that no UTF-8 has, and three for its place and length. A file of text
/// is therefore itself, without a change.
pub fn text_and_changes(data: &[u8]) -> (String, Vec<Change>) {
    let mut parts = data.split(|byte| *byte == 0xff);
    let text = parts.next().unwrap_or_default();
    let changes = parts.take(4).map(|part| {
        let mut bytes = Bytes(part);
        let at = usize::from(u16::from_be_bytes([bytes.next(), bytes.next()]));
        let len = usize::from(bytes.next());
        let new = String::from_utf8_lossy(bytes.0).into_owned();
        Change { at, len, new }
    });
    (
        String::from_utf8_lossy(text).into_owned(),
        changes.collect(),
    )
}
