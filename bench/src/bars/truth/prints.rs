//! Whether two runs printed the same: words and kinds of numbers exactly, numbers up to rounding.

/// Numbers may differ by so much of their magnitude; the magnitude of what is below one is one.
pub(super) const ROUNDING: f64 = 1e-9;

/// A piece of a line.
#[derive(PartialEq, Debug)]
enum Piece<'a> {
    Text(&'a str),
    /// Digits only: DML prints integers so.
    Integer(&'a str),
    Double(&'a str),
}

/// The first line in which two outputs differ, as both have it.
pub(super) fn difference(left: &str, right: &str) -> Option<String> {
    difference_by(left, right, ROUNDING)
}

/// The same with another tolerance.
pub(super) fn difference_by(left: &str, right: &str, rounding: f64) -> Option<String> {
    let (mut lefts, mut rights) = (left.lines(), right.lines());
    let mut number = 0;
    loop {
        number += 1;
        let (one, other) = (lefts.next(), rights.next());
        if one.is_none() && other.is_none() {
            return None;
        }
        let shown = |line: Option<&str>| {
            line.map_or("(nothing)".to_owned(), |line| {
                format!("`{}`", line.chars().take(120).collect::<String>())
            })
        };
        let same = one
            .zip(other)
            .is_some_and(|(one, other)| is_same(one, other, rounding));
        if !same {
            return Some(format!(
                "line {number}: {} and {}",
                shown(one),
                shown(other)
            ));
        }
    }
}

fn is_same(left: &str, right: &str, rounding: f64) -> bool {
    let (lefts, rights) = (pieces(left), pieces(right));
    lefts.len() == rights.len()
        && lefts.iter().zip(&rights).all(|pair| match pair {
            (Piece::Double(left), Piece::Double(right)) => is_near(left, right, rounding),
            (left, right) => left == right,
        })
}

fn is_near(left: &str, right: &str, rounding: f64) -> bool {
    let (Ok(left), Ok(right)) = (left.parse::<f64>(), right.parse::<f64>()) else {
        return left == right;
    };
    let magnitude = left.abs().max(right.abs()).max(1.0);
    left == right || (left - right).abs() <= rounding * magnitude
}

/// Numbers and what stands between them. A number begins where no word goes on; a sign belongs to a number only where no
/// word or number ends before it.
fn pieces(line: &str) -> Vec<Piece<'_>> {
    let bytes = line.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut text_from) = (0, 0);
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    while at < bytes.len() {
        let follows_word = at > 0 && (is_word(bytes[at - 1]) || bytes[at - 1] == b'.');
        let end = if follows_word {
            at
        } else {
            number_end(bytes, at)
        };
        if end == at {
            at += 1;
            continue;
        }
        if text_from < at {
            found.push(Piece::Text(&line[text_from..at]));
        }
        let number = &line[at..end];
        found.push(if number.contains(['.', 'E']) {
            Piece::Double(number)
        } else {
            Piece::Integer(number)
        });
        at = end;
        text_from = end;
    }
    if text_from < line.len() {
        found.push(Piece::Text(&line[text_from..]));
    }
    found
}

/// Behind the number that begins at `from`, or `from` where none does.
fn number_end(bytes: &[u8], from: usize) -> usize {
    let digits = |at: usize| {
        let run = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit());
        at + run.count()
    };
    let begin = from + usize::from(bytes[from] == b'-');
    let mut end = digits(begin);
    if end == begin {
        return from;
    }
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(end + 1);
    }
    if bytes.get(end) == Some(&b'E') {
        let sign = usize::from(bytes.get(end + 1) == Some(&b'-'));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_round_and_nothing_else() {
        assert_eq!(difference("s = 1.0000000000001", "s = 1.0"), None);
        assert_eq!(
            difference("1.04323125625E13", "1.0432312562500001E13"),
            None
        );
        assert_eq!(difference("-0.0", "0.0"), None);
        for (left, right) in [
            ("s = 1.001", "s = 1.0"),
            ("0", "0.0"),
            ("t = 0.0", "t = 0"),
            ("100000000001", "100000000002"),
            ("TRUE", "1"),
            ("a", "b"),
            ("1.0", "NaN"),
            ("1.0\n2.0", "1.0"),
            ("x1 2.0", "x2 2.0"),
            ("1.0 2.0", "1.0  2.0"),
        ] {
            assert!(difference(left, right).is_some(), "{left} and {right}");
        }
    }

    #[test]
    fn a_sign_between_numbers_is_none_of_theirs() {
        assert_eq!(
            pieces("rows 3-4: -2.5E-3."),
            [
                Piece::Text("rows "),
                Piece::Integer("3"),
                Piece::Text("-"),
                Piece::Integer("4"),
                Piece::Text(": "),
                Piece::Double("-2.5E-3"),
                Piece::Text("."),
            ]
        );
    }

    #[test]
    fn what_is_small_is_measured_by_one() {
        assert_eq!(difference("1.0E-12", "0.0"), None);
        assert!(difference("1.0E-3", "0.0").is_some());
    }
}
