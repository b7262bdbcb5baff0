//! "Did you mean": the nearest known name.

/// The name nearest to `wrong`, if one is near enough to be meant. Ties go to the first in order of the alphabet.
pub(crate) fn nearest<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match wrong.chars().count() {
        0 | 1 => return None,
        2..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    known
        .map(|name| (distance(wrong, name), name))
        .filter(|(d, name)| *d <= limit && *name != wrong)
        .min()
        .map(|(_, name)| name)
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
}
