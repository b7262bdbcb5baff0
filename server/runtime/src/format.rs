//! Numbers as text: as Java prints doubles (SystemDS prints and writes them so), and short for messages.

/// As `Double.toString` of Java: the shortest digits that give the number back, with `E` below 10^-3 and from 10^7.
#[must_use]
pub fn java_double(x: f64) -> String {
    if x.is_nan() {
        return "NaN".to_owned();
    }
    if x.is_infinite() {
        return if x > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let size = x.abs();
    if size == 0.0 || (1e-3..1e7).contains(&size) {
        return format!("{x:?}");
    }
    let text = format!("{x:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let point = if digits.contains('.') { "" } else { ".0" };
    format!("{digits}{point}E{exponent}")
}

/// Whole numbers without a point, others as [`java_double`]: for messages.
#[must_use]
pub fn number(x: f64) -> String {
    if x.fract() == 0.0 && x.abs() < 1e15 {
        format!("{x:.0}")
    } else {
        java_double(x)
    }
}

/// With exactly `digits` decimals, halves to even, as SystemDS writes the cells of a matrix: a zero has no sign. Java
/// writes 5 of the first decimal that is left out as nothing where it writes that number with an exponent, below 10^-3.
#[must_use]
pub fn fixed(x: f64, digits: usize) -> String {
    if !x.is_finite() {
        return java_double(x);
    }
    // More than any number has, and all that the formatter takes.
    let shown = digits.min(MOST_DIGITS);
    let is_lost =
        shown >= 3 && x.abs() < 1e-3 && format!("{:e}", x.abs()) == format!("5e-{}", shown + 1);
    // A sum with zero has no negative zero.
    let x = if is_lost {
        0.0_f64.copysign(x)
    } else {
        x + 0.0
    };
    format!("{x:.shown$}")
}

/// Decimals that are written at most.
const MOST_DIGITS: usize = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_look_as_in_java() {
        let cases = [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e-3, "0.001"),
            (1e-4, "1.0E-4"),
            (9_999_999.0, "9999999.0"),
            (1e7, "1.0E7"),
            (12_345_678.0, "1.2345678E7"),
            (-1.5e300, "-1.5E300"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ];
        for (x, text) in cases {
            assert_eq!(java_double(x), text);
        }
    }

    #[test]
    fn cells_are_shown_as_systemds_shows_them() {
        for (x, text) in [
            (0.0, "0.000"),
            (-0.0, "0.000"),
            (-0.0004, "-0.000"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(fixed(x, 3), text);
        }
    }

    #[test]
    fn halves_are_written_as_java_writes_them() {
        for (x, digits, text) in [
            (0.5, 0, "0"),
            (0.05, 1, "0.1"),
            (0.005, 2, "0.01"),
            (0.0005, 3, "0.000"),
            (-0.0005, 3, "-0.000"),
            (0.000_05, 4, "0.0000"),
            (0.0015, 3, "0.002"),
            (0.0025, 3, "0.003"),
            (0.0045, 3, "0.004"),
            (0.000_51, 3, "0.001"),
            (2.5, 0, "2"),
            (0.125, 2, "0.12"),
        ] {
            assert_eq!(fixed(x, digits), text, "{x}");
        }
    }

    #[test]
    fn messages_show_whole_numbers_without_a_point() {
        assert_eq!(number(3.0), "3");
        assert_eq!(number(2.5), "2.5");
        assert_eq!(number(1e300), "1.0E300");
    }
}
