//! Text files through one buffer: single lines of a header, then pieces of whole lines, parsed side by side.
//!
//! A file is never held as a whole, and its bytes are not checked to be UTF-8: parsers look at bytes. What comes out
//! does not depend on the number of threads: pieces are taken in the order of the file, and the first error of the
//! file is the one that is reported.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use memchr::{memchr, memchr_iter, memrchr};
use rayon::prelude::*;

use super::error::{IoError, quote_bytes};
use super::open::open_regular;

/// Bytes of the buffer; it grows only for a line that is longer.
const BUFFER: usize = 4 << 20;
/// The least bytes of the buffer, for small files.
const SMALL_BUFFER: usize = 1 << 12;
/// Bytes of one piece, about.
const PIECE: usize = 1 << 18;

/// What is wrong with a line of a piece.
pub(super) struct Wrong {
    /// The line within the piece, from 0.
    pub(super) line: usize,
    /// What should stand there.
    pub(super) expected: String,
    /// What stands there.
    pub(super) found: String,
}

impl Wrong {
    /// That `line` should be `expected`; text that is not UTF-8 is named as that.
    pub(super) fn new(line: usize, expected: impl Into<String>, found: &[u8]) -> Wrong {
        let expected = match std::str::from_utf8(found) {
            Ok(_) => expected.into(),
            Err(_) => "text in UTF-8".to_owned(),
        };
        Wrong {
            line,
            expected,
            found: quote_bytes(found),
        }
    }
}

/// A text file being read.
pub(super) struct Pieces {
    path: PathBuf,
    file: File,
    /// Bytes of the file when it was opened.
    length: u64,
    buffer: Vec<u8>,
    /// What is read into while the buffer is parsed; empty until then.
    spare: Vec<u8>,
    /// What is in the buffer and not yet consumed.
    start: usize,
    end: usize,
    /// Whether the file has been read to its end.
    exhausted: bool,
    /// Lines consumed.
    line: usize,
}

impl Pieces {
    pub(super) fn open(path: &Path) -> Result<Pieces, IoError> {
        let file = open_regular(path).map_err(IoError::system(path))?;
        let length = file.metadata().map_or(BUFFER as u64, |meta| meta.len());
        // One byte more than the file shows its end without growing.
        let size = usize::try_from(length.saturating_add(1)).unwrap_or(BUFFER);
        Ok(Pieces {
            path: path.to_owned(),
            file,
            length,
            buffer: vec![0; size.clamp(SMALL_BUFFER, BUFFER)],
            spare: Vec::new(),
            start: 0,
            end: 0,
            exhausted: false,
            line: 0,
        })
    }

    /// How many bytes the file has.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// The next line without its end; `None` at the end of the file.
    pub(super) fn line(&mut self) -> Result<Option<&[u8]>, IoError> {
        let Some((line, next)) = self.find_line()? else {
            return Ok(None);
        };
        self.start = next;
        self.line += 1;
        Ok(Some(&self.buffer[line]))
    }

    /// The line that [`Pieces::line`] gives next.
    pub(super) fn peek(&mut self) -> Result<Option<&[u8]>, IoError> {
        Ok(self.find_line()?.map(|(line, _)| &self.buffer[line]))
    }

    /// An error at the line last read.
    pub(super) fn error(&self, expected: impl Into<String>, found: impl Into<String>) -> IoError {
        IoError::content(&self.path, self.line.max(1), expected, found)
    }

    /// Parses the rest of the file. `parse` is given whole lines, the last one with or without its end, and answers
    /// for each such piece; `take` is given the answers in the order of the file.
    ///
    /// # Errors
    /// The first of the file that `parse` finds, or what the system says.
    pub(super) fn parse<T: Send>(
        &mut self,
        parse: impl Fn(&[u8]) -> Result<T, Wrong> + Sync,
        mut take: impl FnMut(T),
    ) -> Result<(), IoError> {
        loop {
            let Some(until) = self.whole_lines()? else {
                return Ok(());
            };
            let (lines, tail) = self.buffer[self.start..self.end].split_at(until - self.start);
            let pieces = cut(lines);
            let one = |piece: &&[u8]| (parse(piece), count_lines(piece));
            let all = || -> Vec<(Result<T, Wrong>, usize)> { pieces.par_iter().map(one).collect() };
            // Small files wake no other thread.
            let (parsed, read) = match pieces.as_slice() {
                [piece] if self.exhausted => (vec![one(piece)], Ok(0)),
                _ if self.exhausted => (all(), Ok(0)),
                _ => {
                    self.spare.resize(self.buffer.len(), 0);
                    let (kept, free) = self.spare.split_at_mut(tail.len());
                    kept.copy_from_slice(tail);
                    let file = &mut self.file;
                    rayon::join(all, || read_full(file, free))
                }
            };
            let kept = tail.len();
            for (part, lines) in parsed {
                match part {
                    Ok(part) => take(part),
                    Err(wrong) => {
                        let line = self.line + wrong.line + 1;
                        return Err(IoError::content(
                            &self.path,
                            line,
                            wrong.expected,
                            wrong.found,
                        ));
                    }
                }
                self.line += lines;
            }
            if self.exhausted {
                self.start = until;
            } else {
                let read = read.map_err(IoError::system(&self.path))?;
                std::mem::swap(&mut self.buffer, &mut self.spare);
                (self.start, self.end) = (0, kept + read);
                self.exhausted = self.end < self.buffer.len();
            }
        }
    }

    /// Where the next line stands in the buffer, and where the one after it begins.
    fn find_line(&mut self) -> Result<Option<(std::ops::Range<usize>, usize)>, IoError> {
        let mut searched = 0;
        loop {
            let rest = &self.buffer[self.start..self.end];
            let (mut end, next) = match memchr(b'\n', &rest[searched..]) {
                Some(at) => (self.start + searched + at, self.start + searched + at + 1),
                None if self.exhausted && rest.is_empty() => return Ok(None),
                None if self.exhausted => (self.end, self.end),
                None => {
                    searched = rest.len();
                    self.fill()?;
                    continue;
                }
            };
            if end > self.start && self.buffer[end - 1] == b'\r' {
                end -= 1;
            }
            return Ok(Some((self.start..end, next)));
        }
    }

    /// Until where the buffer holds whole lines, at least one; `None` at the end of the file.
    fn whole_lines(&mut self) -> Result<Option<usize>, IoError> {
        if self.end < self.buffer.len() {
            self.fill()?;
        }
        loop {
            let rest = &self.buffer[self.start..self.end];
            match memrchr(b'\n', rest) {
                _ if self.exhausted => {
                    return Ok((!rest.is_empty()).then_some(self.end));
                }
                Some(at) => return Ok(Some(self.start + at + 1)),
                None => self.fill()?,
            }
        }
    }

    /// Reads until the buffer is full or the file ends; a buffer that is full already grows.
    fn fill(&mut self) -> Result<(), IoError> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end == self.buffer.len() && !self.exhausted {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        if !self.exhausted {
            let read = read_full(&mut self.file, &mut self.buffer[self.end..]);
            self.end += read.map_err(IoError::system(&self.path))?;
            self.exhausted = self.end < self.buffer.len();
        }
        Ok(())
    }
}

/// Reads until `buffer` is full or the file ends; how many bytes there were.
fn read_full(file: &mut File, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Lines of a piece: the last one counts with or without its end.
fn count_lines(piece: &[u8]) -> usize {
    let unended = piece.last().is_some_and(|&last| last != b'\n');
    memchr_iter(b'\n', piece).count() + usize::from(unended)
}

/// Cuts text into pieces of whole lines; at least one piece.
fn cut(mut text: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::with_capacity(text.len() / PIECE + 1);
    while text.len() > PIECE {
        let Some(at) = memchr(b'\n', &text[PIECE..]) else {
            break;
        };
        let (piece, rest) = text.split_at(PIECE + at + 1);
        pieces.push(piece);
        text = rest;
    }
    if !text.is_empty() || pieces.is_empty() {
        pieces.push(text);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(text: &[u8]) -> (tempfile::TempDir, Pieces) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, text).unwrap();
        let pieces = Pieces::open(&path).unwrap();
        (folder, pieces)
    }

    #[test]
    fn lines_end_as_on_any_system_and_with_the_file() {
        let (_folder, mut pieces) = open(b"one\r\n\ntwo\nthree");
        let mut lines = Vec::new();
        while let Some(line) = pieces.line().unwrap() {
            lines.push(String::from_utf8(line.to_vec()).unwrap());
        }
        assert_eq!(lines, ["one", "", "two", "three"]);
    }

    #[test]
    fn a_line_longer_than_the_buffer_stays_whole() {
        let long = "x".repeat(3 * SMALL_BUFFER + 5);
        let text = format!("head\n{long}\ntail\n");
        let (_folder, mut pieces) = open(text.as_bytes());
        pieces.buffer.truncate(16);
        assert_eq!(pieces.peek().unwrap(), Some(&b"head"[..]));
        assert_eq!(pieces.line().unwrap(), Some(&b"head"[..]));
        let mut seen = Vec::new();
        pieces
            .parse(
                |piece| Ok(piece.to_vec()),
                |piece: Vec<u8>| seen.extend(piece),
            )
            .unwrap();
        assert_eq!(seen, format!("{long}\ntail\n").into_bytes());
        assert_eq!(pieces.line, 3);
    }

    #[test]
    fn pieces_come_in_order_and_the_first_error_of_the_file_is_reported() {
        let mut text = String::new();
        for i in 0..400_000 {
            text.push_str(&format!("line {i}\n"));
        }
        let (_folder, mut pieces) = open(text.as_bytes());
        let mut seen = Vec::new();
        pieces
            .parse(|p| Ok(p.to_vec()), |p: Vec<u8>| seen.extend(p))
            .unwrap();
        assert!(seen == text.as_bytes());
        assert_eq!(pieces.line, 400_000);

        let (_folder, mut pieces) = open(text.as_bytes());
        let wrong = |piece: &[u8]| {
            let bad = |line: &[u8]| line.ends_with(b"99999");
            match piece.split(|&b| b == b'\n').position(bad) {
                Some(line) => Err(Wrong::new(line, "another line", b"this")),
                None => Ok(()),
            }
        };
        let error = pieces.parse(wrong, |()| {}).unwrap_err();
        assert!(error.to_string().contains(":100000: "), "{error}");
    }
}
