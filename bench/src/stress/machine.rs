//! Writes as no person does: bursts of changes in one message, ranges that overlap, lie beyond the end or run backwards,
//! whole texts replaced, versions left out, other line ends, characters outside the basic plane, lines of a hundred
//! kilobytes, documents closed and opened in the middle of it.

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::Writer;
use super::world::{Ask, File, Step};
use crate::client::document::{Encoding, position};

/// Pieces of text, from harmless to hostile.
const PIECES: &[&str] = &[
    "x",
    "\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    "",
    "(",
    ")",
    "{",
    "}",
    "[",
    "\"",
    "'",
    "#",
    "/*",
    "*/",
    "\\",
    "loss = sum((X - U %*% t(V))^2)\n",
    "y = 1\r\nz = y + 2\r\n",
    "#@ X: 1000 x 100, sparsity 0.1\n",
    "name = \"𝕏é\u{200d}👩‍👩‍👧 ok\"\n",
    "𝕏",
    "\u{0}",
    "\u{feff}",
    "source(\"script1.dml\") as other\n",
    "f = function(Matrix[Double] A) return (Matrix[Double] B) {\n  B = t(A) %*% A\n}\n",
    "while (TRUE) {",
    "if (",
    "1e999999",
    "a = -",
];

/// The longest line that is made at once.
const LONG_LINE: usize = 100_000;
/// A text that is longer than this is replaced.
const LONGEST: usize = 300_000;

/// A machine at work.
pub(super) struct Machine {
    rng: ChaCha8Rng,
}

impl Writer for Machine {
    fn next(&mut self, files: &[File]) -> (usize, Step) {
        let index = self.rng.random_range(0..files.len());
        let file = &files[index];
        let open = files.iter().filter(|file| file.is_open).count();
        if !file.is_open {
            // A few documents are hurt at a time, so that each is hurt often.
            if open < 3 {
                return (index, Step::Open);
            }
            return self.next(files);
        }
        (index, self.hurt(file))
    }
}

impl Machine {
    pub(super) fn new(rng: ChaCha8Rng) -> Self {
        Machine { rng }
    }

    fn hurt(&mut self, file: &File) -> Step {
        let text = &file.document.text;
        if text.len() > LONGEST {
            return Step::Raw(vec![json!({"text": file.origin})], 0);
        }
        match self.rng.random_range(0..100) {
            0..3 => Step::Close,
            3..6 => Step::Save,
            6..10 => Step::Look,
            10..20 => {
                let byte = text.floor_char_boundary(self.rng.random_range(0..=text.len()));
                Step::Ask(Ask::At("textDocument/completion", byte))
            }
            20..25 => Step::Ask(Ask::Whole("textDocument/semanticTokens/full")),
            25..28 => Step::Raw(vec![json!({"text": file.origin})], 0),
            28..30 => Step::Raw(vec![json!({"text": file.origin.replace('\n', "\r\n")})], 3),
            30..31 => {
                let long = format!("long = {}1\n", "1 + ".repeat(LONG_LINE / 4));
                Step::Raw(vec![json!({"range": self.range(text), "text": long})], 0)
            }
            31..50 => {
                let many = self.rng.random_range(2..30);
                let left_out = self.rng.random_range(0..5);
                Step::Raw((0..many).map(|_| self.change(text)).collect(), left_out)
            }
            _ => Step::Raw(vec![self.change(text)], 0),
        }
    }

    fn change(&mut self, text: &str) -> Value {
        let piece = PIECES.choose(&mut self.rng).copied().unwrap_or_default();
        json!({"range": self.range(text), "text": piece})
    }

    /// A range of this text. In a burst it meets another text: then it may lie anywhere.
    fn range(&mut self, text: &str) -> Value {
        if self.rng.random_ratio(1, 20) {
            let place = |line: u32, character: u32| json!({"line": line, "character": character});
            let line = self.rng.random_range(0..100_000);
            return json!({"start": place(line, 0), "end": place(line + 1, u32::MAX)});
        }
        let start = self.rng.random_range(0..=text.len());
        let len = *[0, 0, 0, 1, 3, 40].choose(&mut self.rng).unwrap_or(&0);
        let end = (start + len).min(text.len());
        let place = |byte| position(text, text.floor_char_boundary(byte), Encoding::Utf16);
        let (mut start, mut end) = (place(start), place(end));
        if self.rng.random_ratio(1, 30) {
            end["character"] = json!(1_000_000);
        }
        if self.rng.random_ratio(1, 50) {
            std::mem::swap(&mut start, &mut end);
        }
        json!({"start": start, "end": end})
    }
}
