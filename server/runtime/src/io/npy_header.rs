//! The header of a `.npy` file: a Python dictionary with the type of the cells, their order and the shape. It reads
//! and writes nothing but that text.

use super::error::quote_bytes;

/// What the cells are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Bool,
    Int,
    Unsigned,
    Float,
    /// Bytes of text.
    Bytes,
    /// Text, four bytes a character.
    Unicode,
}

/// Letters of kinds, and the sizes in bytes that are read; text has any.
const KINDS: [(u8, Kind, &[usize]); 6] = [
    (b'b', Kind::Bool, &[1]),
    (b'i', Kind::Int, &[1, 2, 4, 8]),
    (b'u', Kind::Unsigned, &[1, 2, 4, 8]),
    (b'f', Kind::Float, &[4, 8]),
    (b'S', Kind::Bytes, &[]),
    (b'U', Kind::Unicode, &[]),
];

/// What a header says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Header {
    pub(super) kind: Kind,
    /// Bytes of a cell; characters for [`Kind::Unicode`].
    pub(super) size: usize,
    pub(super) big_endian: bool,
    /// Whether the first index runs fastest.
    pub(super) fortran: bool,
    pub(super) shape: Vec<usize>,
}

/// What is wrong with a header, and at which of its bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Flaw {
    pub(super) at: usize,
    pub(super) expected: String,
    pub(super) found: String,
}

/// Reads the text of a header.
///
/// # Errors
/// When it is no such dictionary, lacks a key, or has cells of another type.
pub(super) fn parse(text: &[u8]) -> Result<Header, Flaw> {
    let mut cursor = Cursor { text, at: 0 };
    let (mut descr, mut fortran, mut shape) = (None, None, None);
    cursor.expect(b'{')?;
    while !cursor.accept(b'}') {
        let at = cursor.skip_blanks();
        match cursor.string("a key in quotes")? {
            b"descr" => {
                cursor.expect(b':')?;
                descr = Some(cursor.descr()?);
            }
            b"fortran_order" => {
                cursor.expect(b':')?;
                fortran = Some(cursor.truth()?);
            }
            b"shape" => {
                cursor.expect(b':')?;
                shape = Some(cursor.shape()?);
            }
            _ => return Err(cursor.flaw(at, "the key descr, fortran_order or shape")),
        }
        if !cursor.accept(b',') && cursor.peek() != Some(b'}') {
            return Err(cursor.flaw(cursor.at, "`,` or `}`"));
        }
    }
    let end = cursor.skip_blanks();
    if end < text.len() {
        return Err(cursor.flaw(end, "the end of the header"));
    }
    let missing = |key: &str| Flaw {
        at: end,
        expected: format!("the key {key}"),
        found: "the end of the header".to_owned(),
    };
    let (kind, size, big_endian) = descr.ok_or_else(|| missing("descr"))?;
    Ok(Header {
        kind,
        size,
        big_endian,
        fortran: fortran.ok_or_else(|| missing("fortran_order"))?,
        shape: shape.ok_or_else(|| missing("shape"))?,
    })
}

/// Magic, version 1.0 and header of an array whose cells are `descr`, first index slowest; of a length that is a
/// multiple of 64, as NumPy pads it.
pub(super) fn write(descr: &str, shape: &[usize]) -> Vec<u8> {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    // Python writes the tuple of one number with a comma.
    let comma = if sizes.len() == 1 { "," } else { "" };
    let dict = format!(
        "{{'descr': '{descr}', 'fortran_order': False, 'shape': ({}{comma}), }}",
        sizes.join(", ")
    );
    // NumPy leaves room for a first size of 21 digits, so that rows can be added in place.
    let room = shape.first().map_or(0, |_| 21 - sizes[0].len().min(21));
    let used = MAGIC.len() + 4 + dict.len() + room + 1;
    let total = used.next_multiple_of(64);
    let length = (total - MAGIC.len() - 4) as u16;
    let mut out = Vec::with_capacity(total);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&[1, 0]);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(dict.as_bytes());
    out.resize(total - 1, b' ');
    out.push(b'\n');
    out
}

/// How every file begins.
pub(super) const MAGIC: &[u8; 6] = b"\x93NUMPY";

struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn flaw(&self, at: usize, expected: &str) -> Flaw {
        let rest = self.text.get(at..).unwrap_or_default().trim_ascii_end();
        Flaw {
            at,
            expected: expected.to_owned(),
            found: match rest {
                [] => "the end of the header".to_owned(),
                rest => quote_bytes(rest),
            },
        }
    }

    fn skip_blanks(&mut self) -> usize {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.at
    }

    fn peek(&mut self) -> Option<u8> {
        let at = self.skip_blanks();
        self.text.get(at).copied()
    }

    fn accept(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, byte: u8) -> Result<(), Flaw> {
        match self.accept(byte) {
            true => Ok(()),
            false => Err(self.flaw(self.at, &format!("`{}`", char::from(byte)))),
        }
    }

    /// A string in single or double quotes, without escapes.
    fn string(&mut self, expected: &str) -> Result<&'a [u8], Flaw> {
        let start = self.skip_blanks();
        let Some(&quote @ (b'\'' | b'"')) = self.text.get(start) else {
            return Err(self.flaw(start, expected));
        };
        let inner = &self.text[start + 1..];
        let Some(length) = inner.iter().position(|&byte| byte == quote) else {
            return Err(self.flaw(start, expected));
        };
        self.at = start + length + 2;
        Ok(&inner[..length])
    }

    fn descr(&mut self) -> Result<(Kind, usize, bool), Flaw> {
        let expected = "a plain type: b1, i1 to i8, u1 to u8, f4 or f8";
        let start = self.skip_blanks();
        let text = self.string(expected)?;
        let no = || self.flaw(start, expected);
        let (&order, rest) = text.split_first().ok_or_else(no)?;
        let (&letter, digits) = rest.split_first().ok_or_else(no)?;
        let size: usize = std::str::from_utf8(digits)
            .ok()
            .and_then(|digits| digits.parse().ok())
            .ok_or_else(no)?;
        let &(_, kind, sizes) = KINDS
            .iter()
            .find(|(known, _, sizes)| {
                *known == letter && (sizes.is_empty() || sizes.contains(&size))
            })
            .ok_or_else(no)?;
        debug_assert!(sizes.is_empty() || size > 0);
        match order {
            b'<' | b'|' => Ok((kind, size, false)),
            b'>' => Ok((kind, size, true)),
            _ => Err(no()),
        }
    }

    fn truth(&mut self) -> Result<bool, Flaw> {
        let start = self.skip_blanks();
        for (word, value) in [("True", true), ("False", false)] {
            if self.text[start..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.flaw(start, "True or False"))
    }

    fn shape(&mut self) -> Result<Vec<usize>, Flaw> {
        self.expect(b'(')?;
        let mut sizes = Vec::new();
        while !self.accept(b')') {
            let start = self.skip_blanks();
            let digits = self.text[start..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            let size = std::str::from_utf8(&self.text[start..start + digits])
                .ok()
                .and_then(|digits| digits.parse().ok())
                .ok_or_else(|| self.flaw(start, "a size"))?;
            sizes.push(size);
            self.at += digits;
            // Python 2 marked long integers.
            self.accept(b'L');
            if !self.accept(b',') && self.peek() != Some(b')') {
                return Err(self.flaw(self.at, "`,` or `)`"));
            }
        }
        Ok(sizes)
    }
}
