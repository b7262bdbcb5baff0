//! How many digits a suggested form loses beside the written one, on data where it could hurt.
//!
//! Two forms that are equal in real arithmetic may differ in every digit: `X - colMeans(X)` keeps what the difference of two
//! large products has lost. So both are run on small data and measured against an evaluation in twice the precision: on random
//! data, and, in a short search for the largest loss, on data where operands nearly cancel, where means are large beside their
//! differences, and where rows are badly scaled. Must never decide by a clock; the same forms give the same answer.

mod hard_data;

use std::fmt;

use sumac_la::Dag;
use sumac_runtime::precise::{Precise, eval_precise};
use sumac_runtime::synthesize::Range;
use sumac_runtime::{Value, eval};

use super::Forms;
use super::small::{at_small_scale, draw};
use crate::CancelToken;
use hard_data::{hard_data, in_whole_numbers};

/// Cells of the largest value of a run: products in twice the precision are slow.
const MAX_CELLS: f64 = 400.0;
/// Non-zeros that a sparse input has at least.
const LEAST_NON_ZEROS: f64 = 6.0;
/// Digits that a double has.
const DIGITS: f64 = 16.0;
/// Below this loss two forms are as accurate as each other: another order of additions makes such differences.
const NOTABLE: f64 = 1.5;
/// From so many digits on a gain is worth a dearer form.
const WORTHWHILE: f64 = 3.0;

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
            return f.write_str("as accurate");
        };
        match data {
            Some(data) => write!(f, " where {data}"),
            None => Ok(()),
        }
    }
}

/// What the suggested form of `forms` loses. `None` where it cannot be measured: no smaller data, an operator without a precise
/// form, no data on which the written form is defined.
pub(super) fn measure(forms: &Forms, cancel: &CancelToken) -> Option<Accuracy> {
    // Over the inputs of the block first: what variables hold is not free to take any value.
    let pairs = [&forms.whole, &forms.written];
    let (original, optimized) = pairs
        .iter()
        .find_map(|(a, b)| at_small_scale(a, b, MAX_CELLS))?;
    let places = places(&original, &optimized)?;
    [Range::Signed, Range::Positive]
        .into_iter()
        .find_map(|range| {
            let trials = Trials {
                original: &original,
                optimized: &optimized,
                places: &places,
                start: draw(&original, &original, LEAST_NON_ZEROS, range)?,
            };
            trials.worst(cancel)
        })
}

/// For each input of the suggested form its number among those of the written one.
fn places(original: &Dag, optimized: &Dag) -> Option<Vec<usize>> {
    let inputs = optimized.inputs().iter();
    inputs
        .map(|input| {
            let mut known = original.inputs().iter();
            known.position(|other| other.name == input.name)
        })
        .collect()
}

/// Both forms, and the data that all trials start from.
struct Trials<'a> {
    original: &'a Dag,
    optimized: &'a Dag,
    places: &'a [usize],
    start: Vec<Value>,
}

impl Trials<'_> {
    fn worst(&self, cancel: &CancelToken) -> Option<Accuracy> {
        let mut worst = self.loss(&self.start, None)?;
        let mut best = (worst.lost_digits, None);
        // Products of whole numbers are exact, so that the written form loses nothing where they cancel.
        let inputs = self.original.inputs().iter();
        let whole = inputs.zip(&self.start);
        let whole: Vec<Value> = whole
            .map(|(input, value)| in_whole_numbers(input, value))
            .collect();
        let of_whole = hard_data(self.original, &whole)
            .map(|(inputs, name)| (inputs, format!("{name}, in whole numbers")));
        for (inputs, name) in hard_data(self.original, &self.start).chain(of_whole) {
            if cancel.is_cancelled() {
                return None;
            }
            if let Some(found) = self.loss(&inputs, Some(name)) {
                if found.lost_digits < best.0 {
                    best = (found.lost_digits, found.worst.clone());
                }
                let most = worst.lost_digits.max(found.lost_digits);
                let is_new = found.lost_digits >= NOTABLE && worst.lost_digits < NOTABLE;
                // The first data is named unless other data shows notably more; what is said is the most of all.
                if (found.is_undefined, found.lost_digits - NOTABLE / 2.0)
                    > (worst.is_undefined, worst.lost_digits)
                    || is_new && !worst.is_undefined
                {
                    worst = found;
                } else if !found.is_undefined {
                    worst.lost_digits = most;
                }
            }
        }
        (worst.gained_digits, worst.best) = ((-best.0).max(0.0), best.1);
        Some(worst)
    }

    /// The digits lost on this data. `None` where the written form has no value there.
    fn loss(&self, inputs: &[Value], name: Option<String>) -> Option<Accuracy> {
        let exact = eval_precise(self.original, inputs)?;
        if !exact.iter().all(Precise::is_finite) {
            return None;
        }
        let written = eval(self.original, inputs).ok()?;
        let others: Vec<Value> = self.places.iter().map(|i| inputs[*i].clone()).collect();
        let suggested = eval(self.optimized, &others).ok()?;
        let losses = exact.iter().zip(written.iter().zip(&suggested));
        let losses = losses.filter_map(|(exact, (written, suggested))| {
            let (before, after) = (exact.error_of(written), exact.error_of(suggested));
            // On data where the written form has no value, or no digit of it, nothing can be lost.
            let before = Some(before).filter(|before| before.is_finite())?;
            let digits = |error: f64| (-error.max(f64::EPSILON / 2.0).log10()).clamp(0.0, DIGITS);
            Some((after.is_infinite(), digits(before) - digits(after)))
        });
        let (is_undefined, lost_digits) = losses.reduce(|a, b| (a.0 || b.0, a.1.max(b.1)))?;
        Some(Accuracy {
            lost_digits,
            worst: name,
            is_undefined,
            ..Accuracy::default()
        })
    }
}
