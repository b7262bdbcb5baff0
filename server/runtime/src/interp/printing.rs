//! Values as text, and `print` with a format.

use std::fmt::Write as _;

use crate::format::{fixed, java_double};
use crate::matrix::Matrix;
use crate::value::{Frame, List, Value};

/// How `toString` writes a matrix.
pub(super) struct Style {
    pub(super) decimals: usize,
    pub(super) sep: String,
    pub(super) line_sep: String,
    /// Rows and columns shown at most.
    pub(super) rows: usize,
    pub(super) cols: usize,
    /// Whether only non-zero cells are written, as `row column value`.
    pub(super) sparse: bool,
}

impl Default for Style {
    fn default() -> Self {
        Style {
            decimals: 3,
            sep: " ".to_owned(),
            line_sep: "\n".to_owned(),
            rows: 100,
            cols: 100,
            sparse: false,
        }
    }
}

/// The text of a matrix; each row ends with the line separator.
pub(super) fn matrix(m: &Matrix, style: &Style) -> String {
    let (rows, cols) = (m.rows().min(style.rows), m.cols().min(style.cols));
    let mut out = String::new();
    for row in 0..rows {
        let mut first = true;
        for col in 0..cols {
            let value = m.get(row, col);
            if style.sparse {
                if value != 0.0 {
                    let (sep, end) = (&style.sep, &style.line_sep);
                    let _ = write!(
                        out,
                        "{}{sep}{}{sep}{}{end}",
                        row + 1,
                        col + 1,
                        fixed(value, style.decimals)
                    );
                }
                continue;
            }
            if !first {
                out.push_str(&style.sep);
            }
            first = false;
            out.push_str(&fixed(value, style.decimals));
        }
        if !style.sparse {
            out.push_str(&style.line_sep);
        }
    }
    out
}

/// The text of any value, as `toString` makes it.
pub(super) fn shown(value: &Value, style: &Style) -> String {
    match value {
        Value::Matrix(m) => matrix(m, style),
        Value::Frame(f) => frame(f, style),
        Value::List(l) => list(l, style),
        scalar => scalar.to_string(),
    }
}

/// The text of a frame: its size, names and types, then its rows.
fn frame(f: &Frame, style: &Style) -> String {
    let (rows, cols) = (f.rows().min(style.rows), f.cols().min(style.cols));
    let (sep, end) = (&style.sep, &style.line_sep);
    let columns = &f.columns()[..cols];
    let mut out = format!("# FRAME: nrow = {}, ncol = {}{end}", f.rows(), f.cols());
    let mut line = |mark: &str, cells: Vec<&str>| {
        out.push_str(mark);
        out.push_str(&cells.join(sep));
        out.push_str(end);
    };
    let mark = format!("#{sep}");
    line(&mark, columns.iter().map(|c| &**c.name()).collect());
    line(&mark, columns.iter().map(|c| c.ty().name()).collect());
    for row in 0..rows {
        let cells: Vec<_> = columns
            .iter()
            .map(|c| c.printed(row, style.decimals))
            .collect();
        line("", cells.iter().map(|c| &**c).collect());
    }
    out
}

/// The text of a list; names are not shown, as in SystemDS.
fn list(l: &List, style: &Style) -> String {
    let entries: Vec<String> = l
        .values()
        .iter()
        .map(|value| match value {
            Value::Matrix(m) => format!("\nMatrix:\n{}", matrix(m, style)),
            Value::Frame(f) => format!("\n{}", frame(f, style)),
            other => shown(other, style),
        })
        .collect();
    if entries.is_empty() {
        return "List containing:]".to_owned();
    }
    format!("List containing:\n[{}]", entries.join(", "))
}

/// Which letters take which kinds of values, as Java's formatter does, which never turns one into the other.
const NEEDS: [(&[u8], &str); 3] = [(b"dx", "integer"), (b"feg", "double"), (b"sb", "scalar")];

/// The value that `%…kind` is written for, if it may be.
fn fits(value: &Value, text: &str, kind: u8) -> Result<(), String> {
    let letter = kind as char;
    let Some((_, needed)) = NEEDS.iter().find(|(letters, _)| letters.contains(&kind)) else {
        return Err(format!("`%{letter}` is none of %d, %x, %f, %e, %g, %s, %b"));
    };
    if *needed == value.kind() || *needed == "scalar" && value.is_scalar() {
        return Ok(());
    }
    let found = if value.is_scalar() {
        format!("{value}, ")
    } else {
        String::new()
    };
    let way_out = match *needed {
        "integer" if value.as_number().is_some() => {
            " (as.integer makes one; %f and %s take doubles)"
        }
        "double" if value.as_number().is_some() => " (as.double makes one)",
        "scalar" => " (toString makes text of it)",
        _ => "",
    };
    Err(format!(
        "`%{text}{letter}` needs a value of kind {needed}, found {found}{}{way_out}",
        value.describe()
    ))
}

/// What stands between `%` and the letter: flags, width, precision.
struct Spec<'f> {
    flags: &'f str,
    width: usize,
    precision: Option<usize>,
}

impl<'f> Spec<'f> {
    /// `None` for what Java takes beside these, and for what it does not take: nothing is passed over.
    fn read(text: &'f str, kind: u8) -> Option<Spec<'f>> {
        let flags = text.len() - text.trim_start_matches(['-', '+', ' ', '0', ',']).len();
        let (width, precision) = match text[flags..].split_once('.') {
            Some((width, precision)) => (width, Some(precision)),
            None => (&text[flags..], None),
        };
        let digits = |text: &str| text.parse::<usize>().ok().filter(|n| *n <= 1000);
        let width = if width.is_empty() { 0 } else { digits(width)? };
        let precision = match precision {
            Some(_) if b"dx".contains(&kind) => return None,
            Some(text) => Some(digits(text)?),
            None => None,
        };
        Some(Spec {
            flags: &text[..flags],
            width,
            precision,
        })
    }

    fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    /// With sign, thousands and zeros as the flags ask.
    fn number(&self, text: String) -> String {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => ("-", digits.to_owned()),
            None if self.has('+') => ("+", text),
            None if self.has(' ') => (" ", text),
            None => ("", text),
        };
        let digits = if self.has(',') {
            thousands(&digits)
        } else {
            digits
        };
        let room = self.width.saturating_sub(sign.len() + digits.len());
        let zeros = if self.has('0') {
            "0".repeat(room)
        } else {
            String::new()
        };
        format!("{sign}{zeros}{digits}")
    }
}

fn thousands(digits: &str) -> String {
    let whole = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    let mut out = String::new();
    for (at, c) in digits[..whole].char_indices() {
        if at > 0 && (whole - at) % 3 == 0 {
            out.push(',');
        }
        out.push(c);
    }
    out + &digits[whole..]
}

/// With `digits` decimals as Java's formatter has them: the shortest digits that give the number back, halves up.
fn half_up(x: f64, digits: usize) -> String {
    if !x.is_finite() {
        return java_double(x);
    }
    let short = format!("{x}");
    let Some((_, decimals)) = short.split_once('.') else {
        return format!("{x:.digits$}");
    };
    if decimals.len() <= digits {
        return format!("{x:.digits$}");
    }
    let kept = short.len() - decimals.len() + digits;
    let mut out: Vec<u8> = short.as_bytes()[..kept].to_vec();
    if short.as_bytes()[kept] >= b'5' {
        let mut carry = true;
        for c in out.iter_mut().rev().filter(|c| c.is_ascii_digit()) {
            if *c == b'9' {
                *c = b'0';
            } else {
                *c += 1;
                carry = false;
                break;
            }
        }
        if carry {
            let first = usize::from(out.first() == Some(&b'-'));
            out.insert(first, b'1');
        }
    }
    let text = String::from_utf8(out).unwrap_or_default();
    text.strip_suffix('.').map_or(text.clone(), str::to_owned)
}

fn scientific(x: f64, digits: usize) -> String {
    if !x.is_finite() {
        return java_double(x);
    }
    let text = format!("{x:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// `%g`: as many digits as the precision says, with an exponent where the number is small or large.
fn general(x: f64, precision: usize) -> String {
    let precision = precision.max(1);
    let size = x.abs();
    if size != 0.0 && !(1e-4..10f64.powi(precision as i32)).contains(&size) {
        return scientific(x, precision - 1);
    }
    let before = if size == 0.0 {
        1
    } else {
        size.log10().floor() as i64 + 1
    };
    half_up(x, (precision as i64 - before).max(0) as usize)
}

/// `print(format, values…)`: `%d %x %f %e %g %s %b` with flags, width and precision as in Java, `%%`, `%n`.
pub(super) fn formatted(format: &str, values: &[Value]) -> Result<String, String> {
    let mut out = String::new();
    let mut values = values.iter();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(tail) = rest.strip_prefix('%') {
            out.push('%');
            rest = tail;
            continue;
        }
        let end = rest
            .find(|c: char| c.is_ascii_alphabetic())
            .ok_or("a letter is missing after `%`")?;
        let (text, kind) = (&rest[..end], rest.as_bytes()[end]);
        rest = &rest[end + 1..];
        if kind == b'n' {
            out.push('\n');
            continue;
        }
        let value = values
            .next()
            .ok_or_else(|| format!("no value is left for `%{text}{}`", kind as char))?;
        fits(value, text, kind)?;
        let spec = Spec::read(text, kind).ok_or_else(|| {
            let letter = kind as char;
            format!("`{text}` in `%{text}{letter}` is no flags, width and precision that `%{letter}` takes")
        })?;
        let digits = spec.precision.unwrap_or(6);
        let text = match (kind, value) {
            (b'x', Value::Int(i)) => spec.number(format!("{i:x}")),
            (b'f', Value::Double(x)) => spec.number(half_up(*x, digits)),
            (b'e', Value::Double(x)) => spec.number(scientific(*x, digits)),
            (b'g', Value::Double(x)) => spec.number(general(*x, digits)),
            (b'd', other) => spec.number(other.to_string()),
            (_, other) => {
                let text = match other {
                    // As Java says it.
                    Value::Bool(truth) => truth.to_string(),
                    // Whatever there is, is true.
                    _ if kind == b'b' => true.to_string(),
                    other => other.to_string(),
                };
                text.chars()
                    .take(spec.precision.unwrap_or(usize::MAX))
                    .collect()
            }
        };
        let width = spec.width;
        let _ = if spec.has('-') {
            write!(out, "{text:<width$}")
        } else {
            write!(out, "{text:>width$}")
        };
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_look_as_in_systemds() {
        let m = Matrix::from_rows(&[&[1.0, 2.5], &[-0.0004, f64::NAN]]);
        assert_eq!(matrix(&m, &Style::default()), "1.000 2.500\n-0.000 NaN\n");
        let style = Style {
            decimals: 1,
            sep: ",".to_owned(),
            ..Style::default()
        };
        assert_eq!(matrix(&m, &style), "1.0,2.5\n-0.0,NaN\n");
        let sparse = Style {
            sparse: true,
            ..Style::default()
        };
        assert_eq!(
            matrix(&Matrix::from_rows(&[&[0.0, 2.5]]), &sparse),
            "1 2 2.500\n"
        );
    }

    #[test]
    fn formats_take_their_values_in_order() {
        let values = [Value::Int(3), Value::Double(2.5), Value::text("x")];
        assert_eq!(
            formatted("%d and %.2f: %s 100%%", &values).unwrap(),
            "3 and 2.50: x 100%"
        );
        assert_eq!(
            formatted("[%5d|%-3s]", &[Value::Int(7), Value::text("a")]).unwrap(),
            "[    7|a  ]"
        );
        assert!(
            formatted("%d", &[])
                .unwrap_err()
                .contains("no value is left")
        );
        assert!(formatted("100%", &[]).is_err());
        assert!(formatted("%é", &[Value::Int(1)]).is_err());
    }
}
