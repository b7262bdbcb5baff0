//! "Did you mean": the nearest known name.

/// Names that one is compared with.
const MOST_COMPARED: usize = 1000;

/// The name nearest to `wrong`, if one is near enough to be meant. Ties go to the first in order of the alphabet.
#[must_use]
pub fn nearest<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match wrong.chars().count() {
        0 | 1 => return None,
        2..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    // To compare with more names takes longer than a person waits, in a script of as many that are not known.
    known
        .take(MOST_COMPARED)
        .map(|name| (distance(wrong, name), name))
        .filter(|(d, name)| *d <= limit && *name != wrong)
        .min()
        .map(|(_, name)| name)
}

/// What likely was meant, as every message of a diagnostic says it.
pub(crate) fn meant(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("did you mean `")?;
    rest.split_once("`?").map(|(name, _)| name)
}

/// A difference in case only is the smallest of all.
fn distance(a: &str, b: &str) -> usize {
    if a.eq_ignore_ascii_case(b) {
        0
    } else {
        strsim::osa_distance(a, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let known = ["colSums", "rowSums", "sum"];
        assert_eq!(nearest("rowsums", known.into_iter()), Some("rowSums"));
        assert_eq!(nearest("rowSmus", known.into_iter()), Some("rowSums"));
        assert_eq!(nearest("transpose", known.into_iter()), None);
        assert_eq!(nearest("X", known.into_iter()), None);
    }

    #[test]
    fn what_was_meant_stands_in_the_message() {
        assert_eq!(
            meant("no `rowsums`; did you mean `rowSums`?"),
            Some("rowSums")
        );
        assert_eq!(meant("no `f`; it has `x`"), None);
    }
}
