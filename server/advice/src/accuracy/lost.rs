//! How many digits a suggested form loses or gains beside the written one, and how that is told. Must measure nothing.

use std::fmt;

/// Below this loss two forms are as accurate as each other: another order of additions makes such differences.
pub(super) const NOTABLE: f64 = 1.5;
/// From so many digits on a gain is worth a dearer form.
pub(super) const WORTHWHILE: f64 = 3.0;

/// The accuracy of a suggested form beside that of the written one.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Accuracy {
    /// Decimal digits that it loses on the worst data that was found: 0 to 16; below 0 where it gains some on all data.
    pub lost_digits: f64,
    /// Decimal digits that it gains on the best data that was found: 0 to 16.
    pub gained_digits: f64,
    /// Which data that is.
    pub best: Option<String>,
    /// Which data that is, as `X ≈ U %*% t(V)`. `None` where random data shows as much.
    pub worst: Option<String>,
    /// Whether it has no value there, or not a finite one, where the written form has one.
    pub is_undefined: bool,
    /// Inputs of which no sparsity is stated, or that they are full: were most of their rows zero, it could lose digits.
    pub taken_as_full: Vec<String>,
}

impl Accuracy {
    /// Whether so many digits are lost that a person should know.
    #[must_use]
    pub fn loses(&self) -> bool {
        self.is_undefined || self.lost_digits >= NOTABLE
    }

    /// Whether it gains so many digits, and loses none, that this alone is a reason for it.
    #[must_use]
    pub fn gains(&self) -> bool {
        !self.loses() && self.gained_digits >= WORTHWHILE
    }

    /// The same with the data called by other names.
    #[must_use]
    pub fn named(self, name: &dyn Fn(&str) -> String) -> Accuracy {
        let told = |data: Option<String>| data.map(|data| name(&data));
        Accuracy {
            worst: told(self.worst),
            best: told(self.best),
            taken_as_full: self.taken_as_full.iter().map(|input| name(input)).collect(),
            ..self
        }
    }
}

impl fmt::Display for Accuracy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let data = if self.is_undefined {
            f.write_str("has no value")?;
            &self.worst
        } else if self.lost_digits >= NOTABLE {
            write!(f, "loses about {:.0} digits", self.lost_digits)?;
            &self.worst
        } else if self.gained_digits >= NOTABLE {
            write!(f, "gains about {:.0} digits", self.gained_digits)?;
            &self.best
        } else {
            f.write_str("as accurate")?;
            &None
        };
        if let Some(data) = data {
            write!(f, " where {data}")?;
        }
        match self.taken_as_full.as_slice() {
            [] => Ok(()),
            [one] => write!(f, ", taking {one} to be full"),
            [all @ .., last] => write!(f, ", taking {} and {last} to be full", all.join(", ")),
        }
    }
}
