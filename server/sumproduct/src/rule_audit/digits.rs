//! What a rule loses of a double's digits: both sides over inputs that are hostile to doubles, against double-doubles. What it may
//! lose stands in [`losses`](super::losses).

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::losses::judged;
use super::matrices::Matrix;
use super::number::{Double, Number, error};
use super::tensors::Tensor;
use super::write::{Instance, Text};
use super::{SEED, both_sides, leaves, matches, news, value};
use crate::rules::Rule;
use crate::translate::Translation;

/// Instances of each expression over which digits are counted, of different shapes.
pub(crate) const INSTANCES: usize = 6;
/// Random inputs of each kind.
const DRAWS: usize = 16;

/// How the cells of inputs are drawn.
#[derive(Clone, Copy, Debug)]
enum Draw {
    /// Between -1 and 1.
    Plain,
    /// About one large number.
    LargeMean,
    /// All inputs about one number, each with a sign of its own: sums of inputs cancel.
    NearEqual,
    /// All cells about one number, each with a sign of its own: sums of cells cancel.
    Signs,
    /// Of all sizes that stay finite.
    Wide,
    /// About zero.
    Tiny,
}

const DRAWN: [Draw; 6] = [
    Draw::Plain,
    Draw::LargeMean,
    Draw::NearEqual,
    Draw::Signs,
    Draw::Wide,
    Draw::Tiny,
];

/// Inputs for an instance.
fn drawn(draw: Draw, instance: &Instance, rng: &mut ChaCha8Rng) -> BTreeMap<String, Matrix<f64>> {
    let inputs = instance.dag.inputs().iter().zip(&instance.shapes);
    let matrices = inputs.map(|(input, shape)| {
        let (rows, cols) = shape.unwrap_or((1, 1));
        let sign = if rng.random_bool(0.5) { 1.0 } else { -1.0 };
        let mut matrix = Matrix::new(rows as usize, cols as usize, |_, _| 0.0);
        for cell in &mut matrix.cells {
            let unit = rng.random_range(-1.0..=1.0);
            *cell = match draw {
                Draw::Plain => unit,
                Draw::LargeMean => 1e8 + unit,
                Draw::NearEqual => sign * (3.0 + 1e-9 * unit),
                Draw::Signs => (3.0 + 1e-9 * unit).copysign(rng.random_range(-1.0..=1.0)),
                Draw::Wide => unit * 10.0_f64.powi(rng.random_range(-6..=6)),
                Draw::Tiny => 1e-9 * unit,
            };
        }
        (input.name.to_string(), matrix)
    });
    matrices.collect()
}

/// Digits that the right side of a rule has fewer than its left one, at worst, and the place where that is.
fn worst(rule: Rule) -> Worst {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut worst = Worst::default();
    for text in rule.row().audited.fires.iter().map(|text| Text::new(text)) {
        let all: Vec<Instance> = text
            .instances()
            .filter(|instance| {
                let Some(mut t) = Translation::new(&instance.dag, &[instance.root]) else {
                    return false;
                };
                let found = matches(&t, rule);
                found.iter().any(|found| !news(&mut t, found).is_empty())
            })
            .collect();
        let step = all.len().div_ceil(INSTANCES).max(1);
        for instance in all.iter().step_by(step) {
            for draw in DRAWN {
                for _ in 0..DRAWS {
                    let inputs = drawn(draw, instance, &mut rng);
                    worst.take(lost(rule, instance, &inputs), || {
                        format!("`{}` over {:?}, {draw:?}", text.text, instance.shapes)
                    });
                }
            }
        }
    }
    worst
}

/// Digits that the cells of a right side have fewer than those of a left side, at worst, beside what both are exactly.
fn worst_cell(exact: [&[Double]; 2], [left, right]: [&[f64]; 2]) -> Option<f64> {
    let lost = left
        .iter()
        .zip(right)
        .enumerate()
        .filter_map(|(at, (left, right))| {
            // Where the one side leaves the range of numbers, the other one may know.
            let mut values = exact.into_iter().map(|cells| cells[at]);
            let truth = values.find(|value| value.rounded().is_finite())?;
            Some((error(*right, truth) / error(*left, truth)).log10())
        });
    lost.reduce(f64::max)
}

/// Digits that one expression has fewer than another one with these inputs, at worst.
fn lost_between(inputs: &BTreeMap<String, Matrix<f64>>, sides: [&Instance; 2]) -> Option<f64> {
    let [Some(a), Some(b)] = sides.map(|side| value::<Double>(side, inputs)) else {
        return None;
    };
    let [Some(x), Some(y)] = sides.map(|side| value::<f64>(side, inputs)) else {
        return None;
    };
    worst_cell([&a.cells, &b.cells], [&x.cells, &y.cells])
}

/// The most digits that were lost so far, and where.
#[derive(Default)]
pub(crate) struct Worst {
    digits: f64,
    place: String,
}

impl Worst {
    fn take(&mut self, lost: Option<f64>, place: impl FnOnce() -> String) {
        if let Some(digits) = lost.filter(|lost| *lost > self.digits) {
            *self = Worst {
                digits,
                place: place(),
            };
        }
    }

    /// Looks at what the second of two expressions loses over inputs of all kinds.
    pub(crate) fn look(&mut self, sides: [&Instance; 2], rng: &mut ChaCha8Rng) {
        for draw in DRAWN.iter().flat_map(|draw| [*draw; DRAWS]) {
            let inputs = drawn(draw, sides[0], rng);
            self.take(lost_between(&inputs, sides), || {
                let [_, after] = sides;
                let form = after.dag.print(after.root);
                format!("`{form}` over {:?}, {draw:?}", after.shapes)
            });
        }
    }

    /// Prints the figure, and says what is wrong with it.
    pub(crate) fn judged(&self, rule: &str) -> Option<String> {
        judged(rule, self.digits, &self.place)
    }
}

/// Digits that the matches of a rule lose with these inputs, at worst.
fn lost(rule: Rule, instance: &Instance, inputs: &BTreeMap<String, Matrix<f64>>) -> Option<f64> {
    let mut t = Translation::new(&instance.dag, &[instance.root])?;
    let mut worst: Option<f64> = None;
    for found in matches(&t, rule) {
        for side in news(&mut t, &found) {
            let exact: Vec<Tensor<Double>> = leaves(instance, &t, inputs);
            let plain: Vec<Tensor<f64>> = leaves(instance, &t, inputs);
            let (Some((exact, other)), Some((left, right))) = (
                both_sides(&t, &exact, &found, side),
                both_sides(&t, &plain, &found, side),
            ) else {
                continue;
            };
            let lost = worst_cell([&exact, &other], [&left, &right]);
            worst = worst.into_iter().chain(lost).reduce(f64::max);
        }
    }
    worst
}

#[test]
fn rules_that_lose_digits_are_listed_with_what_they_lose() {
    let mut wrong = Vec::new();
    for rule in Rule::all() {
        wrong.extend(worst(rule).judged(rule.name()));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
