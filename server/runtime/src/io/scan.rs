//! A cursor over the bytes of whole lines: blanks, counts and numbers, without looking at a byte twice.
//!
//! It knows no format: what a line must be is said by who asks.

use memchr::memchr;

use super::pieces::Wrong;

/// Where a parser stands in a piece of text.
pub(super) struct Scan<'a> {
    text: &'a [u8],
    at: usize,
    /// Where the present line begins.
    line_start: usize,
    /// The present line, from 0.
    line: usize,
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a [u8]) -> Scan<'a> {
        Scan {
            text,
            at: 0,
            line_start: 0,
            line: 0,
        }
    }

    /// Whether all text was consumed.
    pub(super) fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// The byte that comes next.
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Skips blanks; whether the line ends there. It is not left.
    #[inline]
    pub(super) fn blanks_to_end(&mut self) -> bool {
        while let Some(byte) = self.peek() {
            if !is_blank(byte) {
                return byte == b'\n';
            }
            self.at += 1;
        }
        true
    }

    /// Goes to the beginning of the next line, whatever is left of this one.
    #[inline]
    pub(super) fn next_line(&mut self) {
        self.at = match memchr(b'\n', &self.text[self.at..]) {
            Some(end) => self.at + end + 1,
            None => self.text.len(),
        };
        self.line_start = self.at;
        self.line += 1;
    }

    /// A whole number without a sign, behind blanks and before a blank or the end of the line.
    #[inline]
    pub(super) fn count(&mut self) -> Option<usize> {
        self.blanks_to_end();
        let start = self.at;
        let mut count = 0_usize;
        while let Some(byte) = self.peek() {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            count = count.checked_mul(10)?.checked_add(usize::from(digit))?;
            self.at += 1;
        }
        (self.at > start && self.word_ends()).then_some(count)
    }

    /// A number as [`number`] reads it, behind blanks and before a blank or the end of the line.
    #[inline]
    pub(super) fn number(&mut self) -> Option<f64> {
        self.blanks_to_end();
        let rest = &self.text[self.at..];
        if let Ok((value, length)) = fast_float2::parse_partial::<f64, _>(rest)
            && length > 0
        {
            self.at += length;
            if self.word_ends() {
                return Some(value);
            }
            self.at -= length;
        }
        let end = rest
            .iter()
            .position(|&byte| is_blank(byte) || byte == b'\n')
            .unwrap_or(rest.len());
        self.at += end;
        number(&rest[..end])
    }

    /// That the present line should be `expected`.
    pub(super) fn wrong(&self, expected: impl Into<String>) -> Wrong {
        let rest = &self.text[self.line_start..];
        let end = memchr(b'\n', rest).unwrap_or(rest.len());
        Wrong::new(self.line, expected, rest[..end].trim_ascii_end())
    }

    #[inline]
    fn word_ends(&self) -> bool {
        self.peek()
            .is_none_or(|byte| is_blank(byte) || byte == b'\n')
    }
}

/// A cell's number as Rust and Java write it; the truth values of DML are 1 and 0.
pub(super) fn number(word: &[u8]) -> Option<f64> {
    match fast_float2::parse::<f64, _>(word) {
        Ok(x) => Some(x),
        Err(_) => match word {
            b"TRUE" => Some(1.0),
            b"FALSE" => Some(0.0),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_what_the_standard_library_reads() {
        let words = [
            "0",
            "-0",
            "1",
            "+1",
            "1.",
            ".5",
            "1e5",
            "1E-5",
            "1.0E7",
            "-2.5e+300",
            "1e400",
            "4.9E-324",
            "1e-400",
            "9007199254740993",
            "0.1",
            "123456789012345678901234567890",
            "2.2250738585072011e-308",
            "8.988465674311579538646525953945123668e307",
        ];
        for word in words {
            let expected: f64 = word.parse().unwrap();
            let found = number(word.as_bytes()).unwrap();
            assert_eq!(found.to_bits(), expected.to_bits(), "{word}");
            let line = format!(" {word} 7");
            assert_eq!(Scan::new(line.as_bytes()).number(), Some(expected));
        }
        assert!(number(b"NaN").is_some_and(f64::is_nan));
        assert_eq!(number(b"Infinity"), Some(f64::INFINITY));
        assert_eq!(number(b"-Infinity"), Some(f64::NEG_INFINITY));
        assert_eq!((number(b"TRUE"), number(b"FALSE")), (Some(1.0), Some(0.0)));
        for word in [
            "", "-", "e5", "1e", "1x", "0x10", "1_000", "1,5", "--1", "\u{e9}",
        ] {
            assert_eq!(number(word.as_bytes()), None, "{word}");
            assert_eq!(Scan::new(word.as_bytes()).number(), None, "{word}");
        }
    }

    #[test]
    fn counts_have_no_sign_and_no_overflow() {
        let count = |text: &str| Scan::new(text.as_bytes()).count();
        assert_eq!(count(" \t12 x"), Some(12));
        assert_eq!(count("18446744073709551615\n"), Some(usize::MAX));
        for text in ["", "-1", "+1", "1.0", "1x", "18446744073709551616"] {
            assert_eq!(count(text), None, "{text}");
        }
    }
}
