//! How many digits a suggested form loses beside the written one, on data where it could hurt.
//!
//! Two forms that are equal in real arithmetic may differ in every digit: `X - colMeans(X)` keeps what the difference of two
//! large products has lost. So both are run on small data and measured against an evaluation in twice the precision: on random
//! data, and, in a short search for the largest loss, on data where operands nearly cancel, where means are large beside their
//! differences, and where rows are badly scaled. Must never decide by a clock; the same forms give the same answer.

mod hard_data;
mod undone;

use std::fmt;

use sumac_la::{Dag, Node, Op};
use sumac_runtime::precise::{Precise, eval_precise};
use sumac_runtime::synthesize::Range;
use sumac_runtime::{Value, eval};

use super::Forms;
use super::small::{at_small_scale, draw};
use crate::CancelToken;
use hard_data::{hard_data, in_whole_numbers};

/// Cells of the largest value of a run: products in twice the precision are slow.
const MAX_CELLS: f64 = 400.0;
/// Draws of a kind of data, an odd number: the middle of what they lose counts, for one alone may be exact by luck.
const DRAWS: u64 = 5;
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

    /// The same with the data called by other names.
    pub(super) fn named(self, name: &dyn Fn(&str) -> String) -> Accuracy {
        let told = |data: Option<String>| data.map(|data| name(&data));
        Accuracy {
            worst: told(self.worst),
            best: told(self.best),
            ..self
        }
    }

    /// Counts what was found on data, the first or any after it.
    fn take(&mut self, loss: Loss, name: Option<String>, is_first: bool) {
        let lost = match loss {
            Loss::Undefined => {
                if !self.is_undefined {
                    (self.is_undefined, self.worst) = (true, name);
                }
                return;
            }
            Loss::Digits(lost) => lost,
        };
        if is_first {
            (self.lost_digits, self.gained_digits) = (lost, (-lost).max(0.0));
            return;
        }
        if -lost > self.gained_digits {
            (self.gained_digits, self.best) = (-lost, name.clone());
        }
        // The first data is named unless other data shows notably more; what is said is the most of all.
        let is_new = lost >= NOTABLE && self.lost_digits < NOTABLE;
        if !self.is_undefined && (is_new || lost - NOTABLE / 2.0 > self.lost_digits) {
            self.worst = name;
        }
        self.lost_digits = self.lost_digits.max(lost);
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
            let start = |number| draw(&original, &original, LEAST_NON_ZEROS, range, number);
            let trials = Trials {
                original: &original,
                optimized: &optimized,
                places: &places,
                starts: (0..DRAWS).map(start).collect::<Option<_>>()?,
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
    starts: Vec<Vec<Value>>,
}

/// What a form loses on data.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Loss {
    Digits(f64),
    /// All: it has no value there.
    Undefined,
}

/// Data, and which it is.
type Data = (Vec<Value>, Option<String>);

impl Trials<'_> {
    fn worst(&self, cancel: &CancelToken) -> Option<Accuracy> {
        // Products of whole numbers are exact, so that the written form loses nothing where they cancel.
        let whole: Vec<Vec<Value>> = self
            .starts
            .iter()
            .map(|start| {
                let inputs = self.original.inputs().iter().zip(start);
                inputs
                    .map(|(input, value)| in_whole_numbers(input, value))
                    .collect()
            })
            .collect();
        let mut draws: Vec<_> = self
            .starts
            .iter()
            .zip(&whole)
            .map(|(start, of_whole)| self.data(start, of_whole, &whole[0]))
            .collect();
        let mut found = Accuracy::default();
        let mut is_measured = false;
        let (first, others) = draws.split_first_mut()?;
        // What rounding makes negative has no root: in some draws it does.
        let nodes = self.optimized.reachable(self.optimized.roots()).into_iter();
        let may_be_undefined = nodes
            .map(|id| self.optimized.node(id))
            .any(|node| matches!(node, Node::Op(Op::Sqrt | Op::Log | Op::Pow, _)));
        for (inputs, name) in first {
            if cancel.is_cancelled() {
                return None;
            }
            let others: Vec<Data> = others.iter_mut().filter_map(Iterator::next).collect();
            let loss = match self.loss(&inputs) {
                None if name.is_none() => return None,
                None => continue,
                Some(loss) => loss,
            };
            let counts = |lost: f64| {
                let is_more = lost > found.lost_digits || -lost > found.gained_digits;
                is_more && lost.abs() >= NOTABLE || may_be_undefined && lost >= WORTHWHILE
            };
            let loss = match loss {
                Loss::Digits(lost) if counts(lost) => self.middle(lost, &others),
                loss => loss,
            };
            let is_first = !std::mem::replace(&mut is_measured, true);
            found.take(loss, name, is_first);
        }
        is_measured.then_some(found)
    }

    /// All data from one draw: as it is, hard, and hard in whole numbers; of the same kinds in the same order for all draws.
    fn data<'a>(
        &'a self,
        start: &'a [Value],
        of_whole: &'a [Value],
        whole_like: &'a [Value],
    ) -> impl Iterator<Item = Data> + 'a {
        let hard = hard_data(self.original, start, &self.starts[0]);
        let in_whole = hard_data(self.original, of_whole, whole_like)
            .map(|(inputs, name)| (inputs, format!("{name}, in whole numbers")));
        let hard = hard.chain(in_whole);
        std::iter::once((start.to_vec(), None))
            .chain(hard.map(|(inputs, name)| (inputs, Some(name))))
    }

    /// The middle of what draws of one kind of data lose, one of which is known. In one of them the form may have no value.
    fn middle(&self, known: f64, others: &[Data]) -> Loss {
        let mut all = vec![known];
        for (inputs, _) in others {
            match self.loss(inputs) {
                Some(Loss::Digits(lost)) => all.push(lost),
                Some(Loss::Undefined) => return Loss::Undefined,
                None => {}
            }
        }
        all.sort_by(f64::total_cmp);
        Loss::Digits(all[all.len() / 2])
    }

    /// What is lost on this data. `None` where the written form has no value there.
    fn loss(&self, inputs: &[Value]) -> Option<Loss> {
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
            // On data where the written form has no value, nothing can be lost.
            if !Precise::of(written)?.is_finite() {
                return None;
            }
            if !Precise::of(suggested).is_some_and(|value| value.is_finite()) {
                return Some(Loss::Undefined);
            }
            // Nor is a digit of zero.
            if exact.rounded().all(|cell| cell == 0.0) {
                return Some(Loss::Digits(0.0));
            }
            let digits = |error: f64| (-error.max(f64::EPSILON / 2.0).log10()).clamp(0.0, DIGITS);
            Some(Loss::Digits(digits(before) - digits(after)))
        });
        losses.reduce(|a, b| match (a, b) {
            (Loss::Digits(a), Loss::Digits(b)) => Loss::Digits(a.max(b)),
            _ => Loss::Undefined,
        })
    }
}
