//! The worst data for a suggestion: all kinds of hard data in coarse steps, then uphill from the worst of them.
//!
//! What is found on data counts as the middle of what other draws of the same kind lose: on one draw alone a form may be exact by luck,
//! as any order of additions is on some numbers whose sum cancels. Of thousands of kinds the luckiest would win all the same, so that the
//! worst ones are measured again, on draws that had no part in choosing them.
//!
//! Seeds are fixed and steps are counted, so that a search ends and is the same again. Must never look at what the product says.

use std::ops::Range;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::data::{BASES, Base, Change, Kind, Recipe, Shown, kinds};
use super::loss::{Loss, disagreement, loss};
use super::meaning::Task;
use super::places::Places;
use super::value::{Known, Value};

/// Powers of ten that are tried of each kind.
const EXPONENTS: [f64; 9] = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 13.0, 15.0];
/// And of sizes.
const SIZES: [f64; 6] = [-8.0, -4.0, -1.0, 1.0, 4.0, 8.0];
/// Draws of data that is not made hard.
const PLAIN: u64 = 8;
/// Different data from which a search goes uphill, and its steps each.
const CLIMBS: usize = 4;
const STEPS: usize = 160;
/// Data that is tried in coarse steps, at most.
const MOST_STARTS: usize = 2600;
/// Draws of a kind of data, an odd number.
const DRAWS: u64 = 9;
/// Draws on which the kinds are measured that are the worst in the end, an odd number.
const FRESH_DRAWS: u64 = 33;
/// Kinds that are measured so.
const FINALISTS: usize = 12;
/// The exact values of both forms differ by less where they are equal at these sizes.
const EQUAL: f64 = 1e-15;

/// The worst that was found.
#[derive(Debug)]
pub(super) struct Worst {
    /// The middle of what the draws of that kind of data lose.
    pub(super) digits: f64,
    /// The draw that loses so much.
    pub(super) data: Vec<Value<f64>>,
    /// What kind of data it is.
    pub(super) shown: String,
    pub(super) is_whole: bool,
    /// The digits that are lost on the worst of all draws, by luck or not.
    pub(super) by_luck: f64,
    /// Data that was tried.
    pub(super) tried: usize,
}

/// A recipe with what is lost on its data.
type Seen = (f64, Recipe);

struct Search<'a> {
    task: &'a Task,
    places: &'a Places<'a>,
    tried: usize,
    by_luck: f64,
    /// The worst first.
    seen: Vec<Seen>,
}

/// Searches from a seed.
///
/// # Errors
/// Why there is no figure: what is not computed here.
pub(super) fn worst(task: &Task, seed: u64) -> Known<Worst> {
    let places = Places::of(task);
    let mut search = Search {
        task,
        places: &places,
        tried: 0,
        by_luck: f64::NEG_INFINITY,
        seen: Vec::new(),
    };
    search.plain(seed)?;
    search.coarse(seed);
    search.uphill(seed);
    let (digits, recipe) = search
        .on_fresh_draws()
        .ok_or("data on which the statement has a value")?;
    let kinds: Vec<String> = recipe
        .changes
        .iter()
        .map(|change| {
            let kind = Shown(change.kind, task, &places);
            format!("{kind} (1e{})", change.exponent)
        })
        .collect();
    let base = match recipe.base {
        Base::Signed => "signed",
        Base::Positive => "positive",
        Base::Whole => "whole numbers",
    };
    Ok(Worst {
        digits,
        data: recipe.make(task, &places).unwrap_or_default(),
        shown: format!("{base}; {}", kinds.join(", ")),
        is_whole: recipe.base == Base::Whole,
        by_luck: search.by_luck,
        tried: search.tried,
    })
}

impl Search<'_> {
    /// Data that is not made hard; an error where none can be computed.
    fn plain(&mut self, seed: u64) -> Known<()> {
        let mut why = None;
        for base in BASES {
            for draw in 0..PLAIN {
                let recipe = Recipe {
                    base,
                    seed: seed.wrapping_add(draw),
                    changes: Vec::new(),
                    cells: Vec::new(),
                };
                let Some(data) = recipe.make(self.task, self.places) else {
                    continue;
                };
                if draw == 0 {
                    match disagreement(self.task, &data) {
                        Ok(apart) if apart > EQUAL && apart.is_finite() => {
                            return Err("forms that are not equal at small sizes".to_owned());
                        }
                        Ok(_) => {}
                        Err(error) => why = Some(error),
                    }
                }
                self.look(recipe);
            }
        }
        match why {
            Some(why) if self.seen.is_empty() => Err(why),
            _ => Ok(()),
        }
    }

    /// What is lost on the recipe's data, where that is a number; kept if it is among the worst.
    fn look(&mut self, recipe: Recipe) -> Option<f64> {
        let full = self.seen.len() == FINALISTS;
        let worst_out = self.seen.last().filter(|_| full);
        let least = worst_out.map_or(f64::NEG_INFINITY, |seen| seen.0);
        let one = self.lost(&recipe, least.min(0.5))?;
        self.by_luck = self.by_luck.max(one);
        let (digits, recipe) = match one > least {
            true => self.middle(one, recipe),
            // Of what will not count nothing more need be known.
            false => return Some(one),
        };
        let is_like = |other: &Recipe| {
            let kind =
                |recipe: &Recipe| recipe.changes.iter().map(|it| it.kind).collect::<Vec<_>>();
            other.base == recipe.base && kind(other) == kind(&recipe)
        };
        match self.seen.iter().position(|(_, other)| is_like(other)) {
            Some(at) if self.seen[at].0 < digits => self.seen[at] = (digits, recipe),
            Some(_) => {}
            None => self.seen.push((digits, recipe)),
        }
        self.seen.sort_by(|a, b| b.0.total_cmp(&a.0));
        self.seen.truncate(FINALISTS);
        Some(digits)
    }

    fn lost(&mut self, recipe: &Recipe, above: f64) -> Option<f64> {
        let data = recipe.make(self.task, self.places)?;
        self.tried += 1;
        match loss(self.task, &data, above) {
            Ok(Loss::Digits(digits)) => Some(digits),
            _ => None,
        }
    }

    /// The draw of a kind of data that loses as much as the middle of all draws, one of which is known; and how much.
    fn middle(&mut self, known: f64, recipe: Recipe) -> Seen {
        let mut all = self.drawn(&recipe, 1..DRAWS);
        all.push((known, recipe));
        middle_of(all).expect("one is known")
    }

    /// What is lost on draws of a kind of data.
    fn drawn(&mut self, recipe: &Recipe, draws: Range<u64>) -> Vec<Seen> {
        draws
            .filter_map(|draw| {
                let other = Recipe {
                    seed: recipe.seed.wrapping_add(draw),
                    ..recipe.clone()
                };
                Some((self.lost(&other, f64::NEG_INFINITY)?, other))
            })
            .collect()
    }

    /// The worst kind of those that were kept, each on draws that had no part in keeping it.
    fn on_fresh_draws(&mut self) -> Option<Seen> {
        let fresh = DRAWS..DRAWS + FRESH_DRAWS;
        let kept = std::mem::take(&mut self.seen).into_iter();
        let measured = kept.filter_map(|(_, recipe)| middle_of(self.drawn(&recipe, fresh.clone())));
        measured.max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Each kind by itself, then what cancels on data that is hard in another way.
    fn coarse(&mut self, seed: u64) {
        let kinds = kinds(self.task, self.places);
        let mut all: Vec<Vec<Change>> = Vec::new();
        for kind in &kinds {
            let exponents: &[f64] = match kind {
                Kind::Scaled(_) => &SIZES,
                _ => &EXPONENTS,
            };
            for exponent in exponents {
                all.push(vec![Change {
                    kind: *kind,
                    exponent: *exponent,
                }]);
            }
        }
        let makes_large = |kind: &Kind| {
            matches!(
                kind,
                Kind::Large(_)
                    | Kind::LargeColumn(_)
                    | Kind::Equal(_)
                    | Kind::Scaled(_)
                    | Kind::FewRows
            )
        };
        for first in kinds.iter().filter(|kind| makes_large(kind)) {
            for then in &kinds {
                if matches!(then, Kind::Cancels(_)) {
                    for exponent in [4.0, 8.0, 13.0] {
                        let change = |kind: &Kind| Change {
                            kind: *kind,
                            exponent,
                        };
                        all.push(vec![change(first), change(then)]);
                    }
                }
            }
        }
        let room = MOST_STARTS / BASES.len();
        // Where there are too many, every so many.
        let every = all.len().div_ceil(room).max(1);
        for changes in all.into_iter().step_by(every) {
            for base in BASES {
                self.look(Recipe {
                    base,
                    seed,
                    changes: changes.clone(),
                    cells: Vec::new(),
                });
            }
        }
    }

    fn uphill(&mut self, seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5eed);
        let kinds = kinds(self.task, self.places);
        let starts = self.seen.clone();
        for (digits, recipe) in starts.into_iter().take(CLIMBS) {
            let (mut best, mut at) = (digits, recipe);
            for _ in 0..STEPS {
                let mut next = at.clone();
                self.step(&mut next, &kinds, &mut rng);
                if let Some(digits) = self.look(next.clone()).filter(|digits| *digits >= best) {
                    (best, at) = (digits, next);
                }
            }
        }
    }

    /// A small change of a recipe.
    fn step(&self, recipe: &mut Recipe, kinds: &[Kind], rng: &mut ChaCha8Rng) {
        let which = rng.random_range(0..10);
        let count = recipe.changes.len();
        match which {
            0..4 if count > 0 => {
                let change = &mut recipe.changes[rng.random_range(0..count)];
                change.exponent += [-2.0, -1.0, -0.5, 0.5, 1.0, 2.0][rng.random_range(0..6)];
                change.exponent = change.exponent.clamp(-8.0, 16.0);
            }
            4 | 5 if count < 3 && !kinds.is_empty() => {
                let change = Change {
                    kind: kinds[rng.random_range(0..kinds.len())],
                    exponent: EXPONENTS[rng.random_range(0..EXPONENTS.len())],
                };
                recipe.changes.insert(rng.random_range(0..=count), change);
            }
            6 if count > 1 => {
                recipe.changes.remove(rng.random_range(0..count));
            }
            7 | 8 if !self.task.free.is_empty() => {
                let value = rng.random_range(0..self.task.free.len());
                let free = &self.task.free[value];
                let cell = rng.random_range(0..free.rows * free.cols);
                let by = match recipe.base {
                    Base::Whole => [2.0, -1.0, 3.0][rng.random_range(0..3)],
                    _ => [2.0, 0.5, 10.0, -1.0][rng.random_range(0..4)],
                };
                if !free.is_whole {
                    recipe.cells.push((value, cell, by));
                }
            }
            _ => recipe.seed = rng.random_range(0..1 << 32),
        }
    }
}

/// The middle one by its digits.
fn middle_of(mut all: Vec<Seen>) -> Option<Seen> {
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let middle = all.len() / 2;
    (!all.is_empty()).then(|| all.swap_remove(middle))
}

#[cfg(test)]
mod tests {
    use super::super::meaning::tests::offered;
    use super::*;

    fn lost(statement: &str, other: &str) -> Worst {
        let script = format!("X = read($X)\nY = read($Y)\nv = read($v)\nr = {statement}");
        let task = Task::of(&offered(&script, &format!("r = {other}"))).unwrap();
        worst(&task, 1).unwrap()
    }

    #[test]
    fn an_expanded_square_loses_all_and_another_name_of_the_same_nothing() {
        let square = "sum((X - Y)^2)";
        let expanded = lost(square, "sum(X^2) - 2 * sum(X * Y) + sum(Y^2)");
        assert!(expanded.digits > 14.0, "{}", expanded.digits);
        assert!(expanded.shown.contains('Y'), "{}", expanded.shown);
        assert_eq!(lost(square, "sum((X - Y)^2.0)").digits, 0.0);
        let again = lost(square, "sum(X^2) - 2 * sum(X * Y) + sum(Y^2)");
        assert_eq!(again.data, expanded.data);
    }

    #[test]
    fn centred_columns_are_found_by_a_large_mean() {
        let found = lost(
            "colSums((X - colMeans(X))^2)",
            "colSums(X^2) - nrow(X) * colMeans(X)^2",
        );
        assert!(found.digits > 14.0, "{}", found.digits);
    }

    #[test]
    fn forms_that_are_not_equal_are_not_searched() {
        let script = "X = read($X)\nr = sum(X)";
        let task = Task::of(&offered(script, "r = sum(X) + 1")).unwrap();
        assert!(worst(&task, 1).unwrap_err().contains("not equal"));
    }
}
