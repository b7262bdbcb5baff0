//! What a run left behind, and whether two runs left the same: printed lines, files of cells, metadata.
//!
//! Two numbers are equal up to [`RELATIVE`], or where they are, or differ by, what rounding leaves of zero. Which
//! numbers stand where, and in which form (with a point, with an exponent), must agree.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

/// How far two numbers may be apart, as a share of the larger one.
const RELATIVE: f64 = 1e-9;
/// Two numbers below this are both what rounding left of zero …
const NOTHING: f64 = 1e-9;
/// … and so are those that differ by less than this share of the largest number nearby.
const NOISE: f64 = 1e-12;

/// What a run left behind.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Left {
    pub(super) printed: String,
    /// By their names; data and metadata.
    pub(super) files: BTreeMap<String, String>,
}

impl Left {
    /// What was printed, and the files below `folder`. A folder of parts counts as one file.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) fn collect(printed: String, folder: &Path) -> Result<Left> {
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if name.starts_with('.') {
                continue;
            }
            files.insert(name, text_of(&path)?);
        }
        Ok(Left { printed, files })
    }

    /// Where the two differ first, in words.
    pub(super) fn difference(&self, theirs: &Left) -> Option<String> {
        for name in theirs.files.keys() {
            if !self.files.contains_key(name) {
                return Some(format!("file {name} is missing"));
            }
        }
        for (name, ours) in &self.files {
            let Some(theirs) = theirs.files.get(name) else {
                return Some(format!("file {name} is written by us alone"));
            };
            let found = if name.ends_with(".mtd") {
                metadata(ours, theirs)
            } else {
                cells(ours, theirs)
            };
            if let Some(found) = found {
                return Some(format!("file {name}: {found}"));
            }
        }
        lines(&self.printed, &theirs.printed).map(|found| format!("printed {found}"))
    }
}

fn text_of(path: &Path) -> Result<String> {
    if !path.is_dir() {
        return Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned());
    }
    let mut parts: Vec<_> = fs::read_dir(path)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    parts.sort();
    let hidden = |part: &Path| {
        let name = part.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(['.', '_'])
    };
    let texts = parts
        .iter()
        .filter(|part| !hidden(part))
        .map(|part| text_of(part));
    texts.collect()
}

fn metadata(ours: &str, theirs: &str) -> Option<String> {
    let (Ok(ours), Ok(theirs)) = (
        serde_json::from_str::<Value>(ours),
        serde_json::from_str::<Value>(theirs),
    ) else {
        return Some("metadata that cannot be read".to_owned());
    };
    ["data_type", "value_type", "rows", "cols", "format"]
        .iter()
        .find_map(|key| {
            let (a, b) = (&ours[key], &theirs[key]);
            (a != b).then(|| format!("{key} is {a}, in SystemDS {b}"))
        })
}

/// Data as `row column value`, or else any text.
fn cells(ours: &str, theirs: &str) -> Option<String> {
    let (Some(a), Some(b)) = (entries(ours), entries(theirs)) else {
        return lines(ours, theirs);
    };
    let scale =
        b.values().chain(a.values()).fold(
            0.0_f64,
            |m, x| {
                if x.is_finite() { m.max(x.abs()) } else { m }
            },
        );
    for place in a.keys().chain(b.keys()) {
        let (x, y) = (a.get(place).copied(), b.get(place).copied());
        let (x, y) = (x.unwrap_or(0.0), y.unwrap_or(0.0));
        if !same(x, y, scale) {
            let (row, col) = place;
            return Some(format!("cell ({row}, {col}) is {x}, in SystemDS {y}"));
        }
    }
    let order = |text: &str| -> Vec<String> {
        let shared = |line: &&str| {
            place(line).is_some_and(|(at, _)| a.contains_key(&at) && b.contains_key(&at))
        };
        text.lines()
            .filter(shared)
            .filter_map(|line| line.rsplit_once(' '))
            .map(|(place, _)| place.to_owned())
            .collect()
    };
    (order(ours) != order(theirs)).then(|| "the cells stand in another order".to_owned())
}

fn place(line: &str) -> Option<((usize, usize), f64)> {
    let mut words = line.split(' ');
    let place = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let value = number(words.next()?)?;
    words.next().is_none().then_some((place, value))
}

fn entries(text: &str) -> Option<BTreeMap<(usize, usize), f64>> {
    text.lines().map(place).collect()
}

fn lines(ours: &str, theirs: &str) -> Option<String> {
    let (a, b): (Vec<&str>, Vec<&str>) = (ours.lines().collect(), theirs.lines().collect());
    for (index, (x, y)) in a.iter().zip(&b).enumerate() {
        if !same_words(x, y) {
            return Some(format!("line {}: `{x}`, in SystemDS `{y}`", index + 1));
        }
    }
    (a.len() != b.len()).then(|| format!("{} lines, in SystemDS {}", a.len(), b.len()))
}

fn same_words(ours: &str, theirs: &str) -> bool {
    let between = [' ', ',', '\t'];
    let (a, b): (Vec<&str>, Vec<&str>) = (
        ours.split(between).collect(),
        theirs.split(between).collect(),
    );
    let scale = b
        .iter()
        .filter_map(|word| number(word))
        .fold(0.0_f64, |m, x| m.max(x.abs()));
    a.len() == b.len()
        && a.iter().zip(&b).all(|(x, y)| {
            x == y
                || matches!((number(x), number(y)), (Some(p), Some(q))
                    if same(p, q, scale) && form(x) == form(y))
        })
}

/// With a point, with an exponent.
fn form(word: &str) -> (bool, bool) {
    (word.contains('.'), word.contains(['e', 'E']))
}

fn number(word: &str) -> Option<f64> {
    let numeric = word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))
        || matches!(word, "NaN" | "Infinity");
    if !numeric {
        return None;
    }
    word.parse().ok()
}

fn same(x: f64, y: f64, scale: f64) -> bool {
    if x == y || x.is_nan() && y.is_nan() {
        return true;
    }
    let apart = (x - y).abs();
    apart.is_finite()
        && (apart <= RELATIVE * x.abs().max(y.abs())
            || x.abs().max(y.abs()) <= NOTHING
            || apart <= NOISE * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(printed: &str, file: &str) -> Left {
        Left {
            printed: printed.to_owned(),
            files: [("1".to_owned(), file.to_owned())].into(),
        }
    }

    #[test]
    fn rounding_is_no_difference_and_all_else_is() {
        let theirs = left("a 1.0\nb", "1 1 2.0\n1 2 3.0\n");
        for (printed, file, expected) in [
            (
                "a 1.0000000000001\nb",
                "1 1 2.0\n1 2 3.0000000000001\n",
                None,
            ),
            ("a 1.0\nb", "1 1 2.0\n1 2 3.0\n2 1 1.0E-17\n", None),
            ("a 1.0\nb", "1 1 2.0\n1 2 3.1\n", Some("cell (1, 2) is 3.1")),
            ("a 1.0\nb", "1 1 2.0\n", Some("cell (1, 2) is 0")),
            ("a 1.0\nb", "1 2 3.0\n1 1 2.0\n", Some("another order")),
            ("a 1\nb", "1 1 2.0\n1 2 3.0\n", Some("line 1: `a 1`")),
            ("a 1.0", "1 1 2.0\n1 2 3.0\n", Some("1 lines")),
        ] {
            let found = left(printed, file).difference(&theirs);
            match expected {
                None => assert_eq!(found, None),
                Some(words) => {
                    let found = found.unwrap_or_default();
                    assert!(found.contains(words), "{found}");
                }
            }
        }
        assert!(
            Left::default()
                .difference(&theirs)
                .unwrap()
                .contains("missing")
        );
    }

    #[test]
    fn infinities_and_nan_are_equal_to_themselves_only() {
        assert!(same(f64::NAN, f64::NAN, 1.0) && same(f64::INFINITY, f64::INFINITY, 1.0));
        assert!(!same(f64::NAN, 1.0, 1.0) && !same(f64::INFINITY, f64::NEG_INFINITY, 1.0));
        assert!(!same(f64::INFINITY, 1.0, 1.0));
    }
}
