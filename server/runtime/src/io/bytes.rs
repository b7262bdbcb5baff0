//! Binary files read and written from front to back. A reader knows at which byte it stands, and never allocates more
//! than twice what has been read or what the file could still hold.

use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use super::error::{IoError, quote_bytes};

/// Bytes read or written at once.
const CHUNK: usize = 1 << 16;

/// A binary file being read.
pub(super) struct Source<R> {
    reader: R,
    path: PathBuf,
    at: u64,
    /// The most bytes that can be left, as far as is known.
    left: u64,
}

/// Numbers of a file, and where they stood.
pub(super) struct Numbers<T> {
    pub(super) values: Vec<T>,
    path: PathBuf,
    start: u64,
    size: u64,
}

impl<T> Numbers<T> {
    /// An error at the number at `index`.
    pub(super) fn error(
        &self,
        index: usize,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> IoError {
        let offset = self.start + self.size * index as u64;
        IoError::bytes(&self.path, offset, expected, found)
    }
}

/// What was expected, and what was found.
pub(super) type Mismatch = (&'static str, String);

impl<R: Read> Source<R> {
    /// `length` is the number of bytes that there are, as far as is known; it only limits what is allocated.
    pub(super) fn new(reader: R, path: &Path, length: u64) -> Source<R> {
        Source {
            reader,
            path: path.to_owned(),
            at: 0,
            left: length,
        }
    }

    /// The next byte's place.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// What is read from.
    pub(super) fn reader(&self) -> &R {
        &self.reader
    }

    /// An error at a byte.
    pub(super) fn error(
        &self,
        offset: u64,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> IoError {
        IoError::bytes(&self.path, offset, expected, found)
    }

    /// The next `N` bytes, which are `what`.
    ///
    /// # Errors
    /// When the file ends before, or the system refuses.
    pub(super) fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], IoError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes, what)?;
        Ok(bytes)
    }

    /// The next `length` bytes, which are `what`.
    ///
    /// # Errors
    /// When the file ends before, or the system refuses.
    pub(super) fn vec(&mut self, length: usize, what: &str) -> Result<Vec<u8>, IoError> {
        let numbers = self.numbers(length, what, |[byte]: [u8; 1]| Ok(byte))?;
        Ok(numbers.values)
    }

    /// The next `count` numbers of `N` bytes each, which are `what`.
    ///
    /// # Errors
    /// When the file ends before, `decode` refuses one, or the system refuses.
    pub(super) fn numbers<T, const N: usize>(
        &mut self,
        count: usize,
        what: &str,
        decode: impl Fn([u8; N]) -> Result<T, Mismatch>,
    ) -> Result<Numbers<T>, IoError> {
        let start = self.at;
        let possible = usize::try_from(self.left).unwrap_or(usize::MAX) / N;
        let mut values = Vec::with_capacity(count.min(possible));
        let mut buffer = vec![0; CHUNK.min(count.saturating_mul(N))];
        while values.len() < count {
            let length = buffer.len().min((count - values.len()) * N);
            let chunk_at = self.at;
            self.fill(&mut buffer[..length], what)?;
            for (index, bytes) in buffer[..length].as_chunks::<N>().0.iter().enumerate() {
                match decode(*bytes) {
                    Ok(value) => values.push(value),
                    Err((expected, found)) => {
                        return Err(self.error(chunk_at + (index * N) as u64, expected, found));
                    }
                }
            }
        }
        Ok(Numbers {
            values,
            path: self.path.clone(),
            start,
            size: N as u64,
        })
    }

    /// That nothing follows.
    ///
    /// # Errors
    /// When something does, or a checksum of the container is wrong.
    pub(super) fn end(&mut self) -> Result<(), IoError> {
        let mut byte = [0];
        match self.some(&mut byte)? {
            0 => Ok(()),
            _ => Err(self.error(self.at - 1, "the end of the data", quote_bytes(&byte))),
        }
    }

    fn fill(&mut self, mut buffer: &mut [u8], what: &str) -> Result<(), IoError> {
        while !buffer.is_empty() {
            match self.some(buffer)? {
                0 => return Err(self.error(self.at, what, "the end of the file")),
                read => buffer = &mut buffer[read..],
            }
        }
        Ok(())
    }

    fn some(&mut self, buffer: &mut [u8]) -> Result<usize, IoError> {
        loop {
            match self.reader.read(buffer) {
                Ok(read) => {
                    self.at += read as u64;
                    self.left = self.left.saturating_sub(read as u64);
                    return Ok(read);
                }
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted => {}
                    // What a decompressor says of damaged data.
                    ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::UnexpectedEof => {
                        return Err(self.error(self.at, "undamaged data", error.to_string()));
                    }
                    _ => return Err(IoError::system(&self.path)(error)),
                },
            }
        }
    }
}

/// Writes items of `N` bytes each.
///
/// # Errors
/// When the system refuses.
pub(super) fn put<const N: usize>(
    out: &mut dyn Write,
    items: impl Iterator<Item = [u8; N]>,
) -> std::io::Result<()> {
    let mut buffer = Vec::with_capacity(CHUNK + N);
    for item in items {
        buffer.extend_from_slice(&item);
        if buffer.len() >= CHUNK {
            out.write_all(&buffer)?;
            buffer.clear();
        }
    }
    out.write_all(&buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(bytes: &[u8]) -> Source<&[u8]> {
        Source::new(bytes, Path::new("x"), bytes.len() as u64)
    }

    #[test]
    fn a_claim_of_many_numbers_allocates_nothing() {
        let byte = |[byte]: [u8; 1]| Ok(byte);
        let error = source(b"abc").numbers(usize::MAX, "a number", byte).err();
        assert_eq!(
            error.unwrap().to_string(),
            "x: byte 3: expected a number, found the end of the file"
        );
    }

    #[test]
    fn what_is_put_is_read() {
        let numbers: Vec<u32> = (0..100_000).collect();
        let mut bytes = Vec::new();
        put(&mut bytes, numbers.iter().map(|n| n.to_le_bytes())).unwrap();
        let mut source = source(&bytes);
        let read = source.numbers(numbers.len(), "a number", |b| Ok(u32::from_le_bytes(b)));
        let read = read.unwrap();
        assert_eq!(read.values, numbers);
        assert_eq!(
            read.error(2, "3", "2").to_string(),
            "x: byte 8: expected 3, found 2"
        );
        assert_eq!(source.at(), 400_000);
        source.end().unwrap();
    }

    #[test]
    fn a_refused_number_and_a_surplus_byte_are_named_by_their_place() {
        let odd = |[byte]: [u8; 1]| match byte % 2 {
            1 => Ok(byte),
            _ => Err(("an odd byte", byte.to_string())),
        };
        let mut source = source(&[1, 3, 4]);
        let first = source.numbers(2, "bytes", odd).unwrap();
        assert_eq!(first.values, [1, 3]);
        assert_eq!(
            source.end().unwrap_err().to_string(),
            "x: byte 2: expected the end of the data, found `\u{fffd}`"
        );
    }
}
