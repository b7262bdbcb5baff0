//! Matrices as text, and `print` with a format.

use std::fmt::Write as _;

use crate::format::fixed;
use crate::matrix::Matrix;
use crate::value::Value;

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

/// `print(format, values…)`: `%d %s %f %e` with optional width and precision, `%%`.
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
        let (spec, kind) = (&rest[..end], rest.as_bytes()[end]);
        rest = &rest[end + 1..];
        let value = values
            .next()
            .ok_or_else(|| format!("no value is left for `%{spec}{}`", kind as char))?;
        let (width, precision) = spec.split_once('.').unwrap_or((spec, ""));
        let digits = |text: &str| text.parse::<usize>().ok().filter(|n| *n <= 1000);
        let number = || {
            value
                .as_number()
                .ok_or_else(|| format!("`%{spec}{}` needs a number", kind as char))
        };
        let text = match kind {
            b'd' => format!("{:.0}", number()?),
            b'f' => fixed(number()?, digits(precision).unwrap_or(6)),
            b'e' => {
                let text = format!("{:.*e}", digits(precision).unwrap_or(6), number()?);
                let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
                let exponent: i32 = exponent.parse().unwrap_or(0);
                let sign = if exponent < 0 { '-' } else { '+' };
                format!("{mantissa}e{sign}{:02}", exponent.abs())
            }
            b's' => value.to_string(),
            other => return Err(format!("`%{}` is none of %d, %f, %e, %s", other as char)),
        };
        let width_digits = width.trim_start_matches('-');
        let size = digits(width_digits).unwrap_or(0);
        let _ = if width.starts_with('-') {
            write!(out, "{text:<size$}")
        } else {
            write!(out, "{text:>size$}")
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
