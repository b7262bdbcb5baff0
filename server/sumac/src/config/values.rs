//! The kinds of values that configuration has beside numbers and words, and how their text is read.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sumac_analysis::Severity;

/// The value of a `$` argument.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number, a text, true or false")]
pub enum Scalar {
    /// `true`.
    Bool(bool),
    /// `10`.
    Int(i64),
    /// `0.5`.
    Number(f64),
    /// `"data/X.mtx"`.
    Text(String),
}

impl fmt::Display for Scalar {
    /// As the command line has it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bool(true) => f.write_str("TRUE"),
            Scalar::Bool(false) => f.write_str("FALSE"),
            Scalar::Int(n) => n.fmt(f),
            Scalar::Number(n) => n.fmt(f),
            Scalar::Text(text) => text.fmt(f),
        }
    }
}

/// What is stated about a name: a size, or the value of a size's name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a size such as \"100 x 20, sparsity 0.1\", or a whole number"
)]
pub enum FactValue {
    /// `10000`.
    Number(u64),
    /// `"100 x n, sparsity 0.1"`.
    Size(String),
}

impl FactValue {
    /// The line that states it of `name`, without the `#@`.
    #[must_use]
    pub fn line(&self, name: &str) -> String {
        match self {
            FactValue::Number(n) => format!("{name} = {n}"),
            FactValue::Size(size) => format!("{name}: {size}"),
        }
    }
}

/// How serious a diagnostic counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// It is not shown.
    Off,
    /// Something that could be nicer.
    Hint,
    /// Something that a person may want to know.
    Information,
    /// Something that is likely wrong.
    Warning,
    /// Something that must not be.
    Error,
}

impl Level {
    /// As the analysis has it; `None` is off.
    #[must_use]
    pub fn severity(self) -> Option<Severity> {
        match self {
            Level::Off => None,
            Level::Hint => Some(Severity::Hint),
            Level::Information => Some(Severity::Information),
            Level::Warning => Some(Severity::Warning),
            Level::Error => Some(Severity::Error),
        }
    }
}

/// An amount of memory: bytes, or a text with a unit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "RawMemory", into = "RawMemory")]
pub struct Memory {
    /// In bytes.
    pub bytes: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected bytes, or a text such as \"4G\" or \"500M\""
)]
enum RawMemory {
    Bytes(u64),
    Text(String),
}

impl TryFrom<RawMemory> for Memory {
    type Error = String;

    fn try_from(raw: RawMemory) -> Result<Self, String> {
        match raw {
            RawMemory::Bytes(0) => Err("expected more than 0 bytes".to_owned()),
            RawMemory::Bytes(bytes) => Ok(Memory { bytes }),
            RawMemory::Text(text) => Ok(Memory {
                bytes: bytes(&text)?,
            }),
        }
    }
}

impl From<Memory> for RawMemory {
    fn from(memory: Memory) -> Self {
        RawMemory::Bytes(memory.bytes)
    }
}

/// A number above zero.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Positive(pub f64);

impl TryFrom<f64> for Positive {
    type Error = String;

    fn try_from(n: f64) -> Result<Self, String> {
        if n > 0.0 && n.is_finite() {
            Ok(Positive(n))
        } else {
            Err(format!("expected a number above 0, found {n}"))
        }
    }
}

impl From<Positive> for f64 {
    fn from(n: Positive) -> Self {
        n.0
    }
}

/// A number that is zero or above.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct NotNegative(pub f64);

impl TryFrom<f64> for NotNegative {
    type Error = String;

    fn try_from(n: f64) -> Result<Self, String> {
        if n >= 0.0 && n.is_finite() {
            Ok(NotNegative(n))
        } else {
            Err(format!("expected 0 or a number above, found {n}"))
        }
    }
}

impl From<NotNegative> for f64 {
    fn from(n: NotNegative) -> Self {
        n.0
    }
}

/// Reads `500M`, `4G`, `4GB`, `1024`.
///
/// # Errors
/// It is no size: text for the user.
pub fn bytes(text: &str) -> Result<u64, String> {
    let expected =
        || format!("`{text}` is no size; write bytes, or a number with K, M, G or T: 500M, 4G");
    let upper = text.trim().to_ascii_uppercase();
    let upper = upper.strip_suffix('B').unwrap_or(&upper);
    let upper = upper.strip_suffix('I').unwrap_or(upper);
    let digits = upper.trim_end_matches(['K', 'M', 'G', 'T']);
    let shift = match &upper[digits.len()..] {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(expected()),
    };
    let number: f64 = digits.trim().parse().map_err(|_| expected())?;
    if !number.is_finite() || number <= 0.0 {
        return Err(expected());
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a positive number of bytes; casts saturate"
    )]
    Ok((number * (1_u64 << shift) as f64) as u64)
}

/// Reads a positive number of seconds.
///
/// # Errors
/// It is no such number: text for the user.
pub fn seconds(text: &str) -> Result<Duration, String> {
    text.parse::<f64>()
        .ok()
        .filter(|n| *n > 0.0)
        .and_then(|n| Duration::try_from_secs_f64(n).ok())
        .ok_or_else(|| {
            format!("`{text}` is no positive number of seconds; write for example 30 or 0.5")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_take_a_unit() {
        assert_eq!(bytes("1024"), Ok(1024));
        assert_eq!(bytes("500M"), Ok(500 << 20));
        assert_eq!(bytes("1.5GiB"), Ok(3 << 29));
        for bad in ["", "G", "-1G", "4X", "NaN"] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
        assert!(seconds("0").is_err() && seconds("1e300").is_err());
    }
}
