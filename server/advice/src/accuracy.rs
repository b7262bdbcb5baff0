//! How many digits a suggested form loses beside the written one, on data where it could hurt.
//!
//! Two forms that are equal in real arithmetic may differ in every digit: `X - colMeans(X)` keeps what the difference of two
//! large products has lost. So both are run on small data and measured against an evaluation in twice the precision: on random
//! data, and, in a short search for the largest loss, on data where operands nearly cancel, where means are large beside their
//! differences, and where rows are badly scaled. Must never decide by a clock; the same forms give the same answer.

mod freed;
mod hard_data;
mod lost;
mod undone;

use std::collections::BTreeMap;

use sumac_la::{Dag, KEPT_SIZE, Node, NodeId, Op};
use sumac_runtime::precise::{Precise, eval_precise};
use sumac_runtime::synthesize::Range;
use sumac_runtime::{Cancel, Value, eval};

use freed::Freed;
use hard_data::{From, hard_data, in_whole_numbers};
pub use lost::Accuracy;
use lost::{NOTABLE, WORTHWHILE};

use crate::small::{at_scale, at_small_scale, draw};

/// How a node of a form is called where data is named by it.
pub type Say<'a> = &'a dyn Fn(&Dag, NodeId) -> String;

/// Cells of the largest value of a run: products in twice the precision are slow.
const MAX_CELLS: f64 = 400.0;
/// Draws of a kind of data, an odd number: the middle of what they lose counts, for one alone may be exact by luck.
const DRAWS: u64 = 5;
/// The same for data that is solved for, which takes a run for each cell, with the size up to which sizes are kept: as few as will do.
const SOLVED_SCALES: [(f64, u64); 3] = [(40.0, 4), (100.0, 4), (MAX_CELLS, KEPT_SIZE)];
/// Powers of ten between what differs and what cancels there.
const GAPS: [i32; 7] = [2, 4, 6, 8, 10, 13, 15];
/// Changes that make data harder, one on top of the other.
const CHANGES: usize = 3;
/// Kinds of data to which a further change is made at most.
const MOST_KINDS: usize = 4;
/// Non-zeros that a sparse input has at least.
const LEAST_NON_ZEROS: f64 = 6.0;
/// What data is drawn as, in turn until the written form has a value on it: numbers in a range, and the least non-zeros of an
/// input. Roots and logarithms want what is positive; what is divided by the sums of its rows wants a cell in each.
const DRAWN_AS: [(Range, f64); 4] = [
    (Range::Signed, LEAST_NON_ZEROS),
    (Range::Positive, LEAST_NON_ZEROS),
    (Range::Signed, f64::INFINITY),
    (Range::Positive, f64::INFINITY),
];
/// Digits that a double has.
const DIGITS: f64 = 16.0;

impl Accuracy {
    /// Whether no data can show notably more.
    fn is_all(&self) -> bool {
        self.is_undefined || self.lost_digits >= DIGITS - NOTABLE / 2.0
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

/// What the suggested form loses: of pairs of the written and the suggested form, of which the first starts from the inputs of all and
/// the second from values that are there already. `None` where it cannot be measured: no smaller data, an operator without a precise
/// form, no data on which the written form is defined.
#[must_use]
pub fn measure(pairs: [&(Dag, Dag); 2], say: Say<'_>, cancel: &Cancel) -> Option<Accuracy> {
    // Over the inputs of the block first: what variables hold is not free to take any value.
    let (original, optimized) = pairs
        .iter()
        .find_map(|(a, b)| at_small_scale(a, b, MAX_CELLS))?;
    let (found, starts) = DRAWN_AS.into_iter().find_map(|(range, least_non_zeros)| {
        let starts = Starts::drawn(&original, range, least_non_zeros)?;
        let trials = Trials::new(
            (&original, &optimized),
            starts.clone(),
            original.inputs().len(),
            say,
        )?;
        let found = trials.worst(cancel)?;
        Some((trials.unless_full(found, cancel), starts))
    })?;
    if found.is_all() {
        return Some(found);
    }
    let of_functions = || {
        let freed = Freed::of(&original, &optimized, say)?;
        let starts = starts.map(|drawn| freed.start(drawn))?;
        let forms = (&freed.original, &freed.optimized);
        Trials::new(forms, starts, freed.free(), say)?.worst(cancel)
    };
    let found = worse(found, of_functions());
    if found.is_all() {
        return Some(found);
    }
    // Where the whole has no small data, what variables hold has to do.
    let solved = pairs.iter().find_map(|forms| of_solved(forms, say, cancel));
    Some(worse(found, solved))
}

/// What was found, or what else was where that is notably more.
fn worse(found: Accuracy, other: Option<Accuracy>) -> Accuracy {
    match other {
        Some(other) if other.is_undefined && !found.is_undefined => other,
        Some(other) if other.loses() && other.lost_digits - NOTABLE / 2.0 > found.lost_digits => {
            other
        }
        _ => found,
    }
}

/// What is lost near values on which operands cancel that no single input makes cancel; `None` where there is no small data.
fn of_solved((a, b): &(Dag, Dag), say: Say<'_>, cancel: &Cancel) -> Option<Accuracy> {
    SOLVED_SCALES.iter().find_map(|(cells, kept)| {
        let (a, b) = at_scale(a, b, *cells, *kept)?;
        let starts = Starts::drawn(&a, Range::Signed, LEAST_NON_ZEROS)?;
        Trials::new((&a, &b), starts, a.inputs().len(), say)?.worst_of_solved(cancel)
    })
}

/// What trials start from, several draws of each kind.
#[derive(Clone)]
struct Starts {
    as_drawn: Vec<Vec<Value>>,
    /// In whole numbers: products of these are exact, so that the written form loses nothing where they cancel.
    in_whole: Vec<Vec<Value>>,
}

impl Starts {
    fn drawn(dag: &Dag, range: Range, least_non_zeros: f64) -> Option<Starts> {
        let start = |number| draw(dag, dag, least_non_zeros, range, number);
        let as_drawn: Vec<_> = (0..DRAWS).map(start).collect::<Option<_>>()?;
        let whole = |start: &Vec<Value>| {
            let inputs = dag.inputs().iter().zip(start);
            inputs
                .map(|(input, value)| in_whole_numbers(input, value))
                .collect()
        };
        let in_whole = as_drawn.iter().map(whole).collect();
        Some(Starts { as_drawn, in_whole })
    }

    fn map(&self, f: impl Fn(&[Value]) -> Option<Vec<Value>>) -> Option<Starts> {
        let all = |draws: &[Vec<Value>]| draws.iter().map(|draw| f(draw)).collect::<Option<_>>();
        Some(Starts {
            as_drawn: all(&self.as_drawn)?,
            in_whole: all(&self.in_whole)?,
        })
    }
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
    places: Vec<usize>,
    starts: Starts,
    /// How many inputs may hold other values than they are drawn with; those after them may not.
    free: usize,
    /// Whether what rounding makes negative may have no value in the suggested form: in some draws it does.
    may_be_undefined: bool,
    say: Say<'a>,
}

/// What a form loses on data.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Loss {
    Digits(f64),
    /// All: it has no value there.
    Undefined,
}

/// The draws of one kind of data.
struct Kind {
    /// The first of them is looked at first.
    draws: Vec<Vec<Value>>,
    /// What makes it harder than data as it is drawn.
    changes: Vec<String>,
    /// Whether cells are whole numbers.
    is_whole: bool,
}

impl Kind {
    fn unchanged(draws: &[Vec<Value>], is_whole: bool) -> Kind {
        Kind {
            draws: draws.to_vec(),
            changes: Vec::new(),
            is_whole,
        }
    }

    fn name(&self) -> Option<String> {
        let in_whole = self.is_whole.then_some("in whole numbers");
        let words: Vec<&str> = self
            .changes
            .iter()
            .map(String::as_str)
            .chain(in_whole)
            .collect();
        (!words.is_empty()).then(|| words.join(", "))
    }
}

impl<'a> Trials<'a> {
    /// From these values of the inputs of the written form, of which so many are free. `None` where the suggested form reads another.
    fn new(
        (original, optimized): (&'a Dag, &'a Dag),
        starts: Starts,
        free: usize,
        say: Say<'a>,
    ) -> Option<Trials<'a>> {
        let may_have_none = |op: &Op| matches!(op, Op::Sqrt | Op::Log | Op::Pow);
        let mut ids = optimized.reachable(optimized.roots()).into_iter();
        Some(Trials {
            original,
            optimized,
            places: places(original, optimized)?,
            starts,
            free,
            say,
            may_be_undefined: ids
                .any(|id| matches!(optimized.node(id), Node::Op(op, _) if may_have_none(op))),
        })
    }

    fn worst(&self, cancel: &Cancel) -> Option<Accuracy> {
        let as_drawn = Kind::unchanged(&self.starts.as_drawn, false);
        let in_whole = Kind::unchanged(&self.starts.in_whole, true);
        let mut found = Accuracy::default();
        found.take(self.loss_of(&as_drawn, &found)?, None, true);
        let mut hardest = Vec::new();
        for start in [&as_drawn, &in_whole] {
            let like = &start.draws[0];
            self.change(start, like, &mut found, &mut hardest, cancel)?;
        }
        // What else makes more lost where one change makes the most lost.
        for _ in 1..CHANGES {
            for (_, start) in std::mem::take(&mut hardest) {
                if found.is_all() {
                    return Some(found);
                }
                let like = if start.is_whole { &in_whole } else { &as_drawn };
                self.change(&start, &like.draws[0], &mut found, &mut hardest, cancel)?;
            }
        }
        Some(found)
    }

    /// What is lost near values on which operands cancel that no single input makes cancel; `None` where there are none, or where it is
    /// cancelled.
    fn worst_of_solved(&self, cancel: &Cancel) -> Option<Accuracy> {
        let mut found = Accuracy::default();
        let as_drawn = Kind::unchanged(&self.starts.as_drawn, false);
        found.take(self.loss_of(&as_drawn, &found)?, None, true);
        let mut all = BTreeMap::new();
        for start in &self.starts.as_drawn {
            let from = From {
                dag: self.original,
                start,
                like: start,
                is_whole: false,
                free: self.free,
                say: self.say,
            };
            for (place, solved) in from.solved() {
                all.entry(place).or_insert(solved);
            }
            if cancel.is_cancelled() {
                return None;
            }
            // From one draw no steps may lead there.
            if !all.is_empty() {
                break;
            }
        }
        for (solved, exponent) in all
            .values()
            .flat_map(|it| GAPS.map(|exponent| (it, exponent)))
        {
            let draw = |number| solved.near(10_f64.powi(-exponent), number);
            let kind = Kind {
                draws: (0..DRAWS).map(draw).collect::<Option<_>>()?,
                changes: vec![solved.name.clone()],
                is_whole: false,
            };
            if let Some(loss) = self.loss_of(&kind, &found) {
                found.take(loss, kind.name(), false);
            }
        }
        Some(found)
    }

    /// Names the inputs of which what was found holds only while they are full.
    fn unless_full(&self, mut found: Accuracy, cancel: &Cancel) -> Accuracy {
        if found.loses() || cancel.is_cancelled() {
            return found;
        }
        for (draws, is_whole) in [
            (&self.starts.as_drawn, false),
            (&self.starts.in_whole, true),
        ] {
            let first = &draws[0];
            let from = |start| From {
                dag: self.original,
                start,
                like: first,
                is_whole,
                free: self.free,
                say: self.say,
            };
            let mut all: Vec<_> = draws
                .iter()
                .map(|draw| from(draw).near_thin_full_products())
                .collect();
            loop {
                let next = all.iter_mut().map(Iterator::next);
                let Some(draws) = next.map(|data| Some(data?.0)).collect() else {
                    break;
                };
                let kind = Kind {
                    draws,
                    changes: Vec::new(),
                    is_whole,
                };
                let loses = match self.loss_of(&kind, &found) {
                    Some(Loss::Digits(lost)) => lost >= NOTABLE,
                    Some(Loss::Undefined) => true,
                    None => false,
                };
                if loses {
                    let full = from(first).full_factors();
                    found.taken_as_full = full.into_iter().collect();
                    return found;
                }
            }
        }
        found
    }

    /// Counts what is lost on each kind of data that one more change makes, and keeps in `hardest` those that lose the most.
    /// `None` where it is cancelled.
    fn change(
        &self,
        start: &Kind,
        like: &[Value],
        found: &mut Accuracy,
        hardest: &mut Vec<(f64, Kind)>,
        cancel: &Cancel,
    ) -> Option<()> {
        let changed = |draw| {
            hard_data(From {
                dag: self.original,
                start: draw,
                like,
                is_whole: start.is_whole,
                free: self.free,
                say: self.say,
            })
        };
        let mut draws: Vec<_> = start.draws.iter().map(|draw| changed(draw)).collect();
        let (first, others) = draws.split_first_mut()?;
        for (inputs, change) in first {
            if cancel.is_cancelled() {
                return None;
            }
            let others: Vec<_> = others.iter_mut().filter_map(Iterator::next).collect();
            // The same again would only take back what was changed in between.
            if start.changes.contains(&change) {
                continue;
            }
            let others = others.into_iter().map(|(inputs, _)| inputs);
            let kind = Kind {
                draws: std::iter::once(inputs).chain(others).collect(),
                changes: start.changes.iter().cloned().chain([change]).collect(),
                is_whole: start.is_whole,
            };
            let Some(loss) = self.loss_of(&kind, found) else {
                continue;
            };
            found.take(loss, kind.name(), false);
            if let Loss::Digits(lost) = loss
                && lost >= NOTABLE
            {
                // Of what loses about as much the last, which is harder.
                let harder = hardest.partition_point(|(other, _)| *other > lost + NOTABLE / 2.0);
                hardest.insert(harder, (lost, kind));
                hardest.truncate(MOST_KINDS);
            }
        }
        Some(())
    }

    /// What is lost on a kind of data: on its first draw, where that is no more than what is found, else the middle of what all
    /// draws lose. `None` where the written form has no value there.
    fn loss_of(&self, kind: &Kind, found: &Accuracy) -> Option<Loss> {
        let (first, others) = kind.draws.split_first()?;
        let known = match self.loss(first)? {
            Loss::Digits(lost) => lost,
            Loss::Undefined => return Some(Loss::Undefined),
        };
        let is_more = known > found.lost_digits || -known > found.gained_digits;
        let counts =
            is_more && known.abs() >= NOTABLE || self.may_be_undefined && known >= WORTHWHILE;
        if !counts {
            return Some(Loss::Digits(known));
        }
        let mut all = vec![known];
        for inputs in others {
            match self.loss(inputs) {
                Some(Loss::Digits(lost)) => all.push(lost),
                // In one of them is enough.
                Some(Loss::Undefined) => return Some(Loss::Undefined),
                None => {}
            }
        }
        all.sort_by(f64::total_cmp);
        Some(Loss::Digits(all[all.len() / 2]))
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
