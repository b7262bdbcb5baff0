//! Tiles that are fast here: tried one after the other, each measured, until the time is used up.

use std::time::{Duration, Instant};

use serde::Serialize;
use sumac_array::nest::lower;
use sumac_array::tiles::{tiles, with_tiles};
use sumac_array::{Program, Sizes};

/// Tiles that are tried, and divisors of the program's sizes up to the last.
const COMMON: [i64; 10] = [1, 2, 4, 8, 16, 24, 32, 48, 64, 128];

/// Tiles that were tried.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Tried {
    /// What the sketch's tiles became, in their order.
    pub(super) tiles: Vec<(i64, i64)>,
    pub(super) ms_median: f64,
}

/// Looks for the fastest tiles: from those that the sketch has, or the first ones that fit, one of them after the other is given each
/// value, and keeps the best, until nothing is gained. `measure` says how long a program takes in milliseconds.
///
/// # Errors
/// No tiles fit, or none of the programs runs: text for a person.
pub(super) fn tune(
    written: &Program,
    found: &Program,
    sizes: &Sizes,
    budget: Duration,
    measure: &mut dyn FnMut(&Program) -> Result<f64, String>,
) -> Result<(Program, Vec<Tried>), String> {
    let start = Instant::now();
    let names = tiles(written, found);
    let mut values: Vec<i64> = COMMON.to_vec();
    let most = COMMON[COMMON.len() - 1];
    values.extend((1..=most).filter(|by| sizes.values().any(|size| size % by == 0 && *by > 2)));
    values.sort_unstable();
    values.dedup();
    let fits = |chosen: &[i64]| -> Option<Program> {
        let change: Vec<(i64, i64)> = names.iter().copied().zip(chosen.iter().copied()).collect();
        let program = with_tiles(found, &change).ok()?;
        lower(&program.sized(sizes).ok()?).ok()?;
        Some(program)
    };
    let mut chosen = first(&names, &values, &fits).ok_or_else(|| {
        format!(
            "no tiles up to {most} fit the sizes {}: a tile must divide a size",
            shown(sizes)
        )
    })?;
    let mut tried: Vec<Tried> = Vec::new();
    let mut seen: Vec<Vec<i64>> = Vec::new();
    let mut best: Option<(f64, Program)> = None;
    let mut why = String::new();
    let mut look = |chosen: &[i64], best: &mut Option<(f64, Program)>| -> bool {
        if seen.iter().any(|known| known == chosen) {
            return false;
        }
        seen.push(chosen.to_vec());
        let Some(program) = fits(chosen) else {
            return false;
        };
        match measure(&program) {
            Ok(time) => {
                tried.push(Tried {
                    tiles: names.iter().copied().zip(chosen.iter().copied()).collect(),
                    ms_median: time,
                });
                let is_better = best.as_ref().is_none_or(|(known, _)| time < *known);
                if is_better {
                    *best = Some((time, program));
                }
                is_better
            }
            Err(error) => {
                why = error;
                false
            }
        }
    };
    look(&chosen, &mut best);
    let mut gained = true;
    'all: while gained {
        gained = false;
        // The largest tile first: most depends on it.
        for axis in (0..names.len()).rev() {
            for value in &values {
                if start.elapsed() >= budget {
                    break 'all;
                }
                let mut other = chosen.clone();
                other[axis] = *value;
                if look(&other, &mut best) {
                    chosen = other;
                    gained = true;
                }
            }
        }
    }
    match best {
        Some((_, program)) => Ok((program, tried)),
        None => Err(why),
    }
}

/// The tiles that the program has, or else the first that fit: large ones are tried first.
fn first(
    names: &[i64],
    values: &[i64],
    fits: &dyn Fn(&[i64]) -> Option<Program>,
) -> Option<Vec<i64>> {
    if fits(names).is_some() {
        return Some(names.to_vec());
    }
    // Each tile at most as large as it was.
    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
    for name in names {
        let own: Vec<i64> = values
            .iter()
            .rev()
            .copied()
            .filter(|value| value <= name)
            .collect();
        all = all
            .iter()
            .flat_map(|begin| {
                own.iter()
                    .map(|value| [begin.as_slice(), &[*value]].concat())
            })
            .collect();
    }
    all.sort_by_key(|chosen| -chosen.iter().product::<i64>());
    all.into_iter().find(|chosen| fits(chosen).is_some())
}

fn shown(sizes: &Sizes) -> String {
    let mut all: Vec<String> = sizes
        .iter()
        .map(|(name, size)| format!("{name}={size}"))
        .collect();
    all.sort();
    all.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found() -> (Program, Program) {
        let read =
            |text: &str| Program::read(text).unwrap_or_else(|error| panic!("{}", error.show(text)));
        (
            read("program p(n)(x: [n]f32) = map(fun e => e + 1, x)"),
            read(
                "program p(n)(x: [n]f32) = join(map(fun r => map(fun e => e + 1, r), split[32](x)))",
            ),
        )
    }

    /// The fastest of all tiles, where the time is how far a tile is from `best`.
    fn tuned(size: i64, best: i64) -> Result<(Vec<i64>, usize), String> {
        let (written, program) = found();
        let sizes: Sizes = [("n".to_owned(), size)].into_iter().collect();
        let mut measure = |program: &Program| {
            let tile = tiles(&written, program)[0];
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            Ok((tile - best).abs() as f64)
        };
        let (made, tried) = tune(
            &written,
            &program,
            &sizes,
            Duration::from_secs(60),
            &mut measure,
        )?;
        Ok((tiles(&written, &made), tried.len()))
    }

    #[test]
    fn the_fastest_tiles_that_fit_are_found() {
        assert_eq!(tuned(128, 64).unwrap().0, [64]);
        assert_eq!(tuned(96, 64).unwrap().0, [48]);
        // 32 does not divide 75, 25 does.
        assert_eq!(tuned(75, 20).unwrap().0, [25]);
        // One, itself, and nothing in between.
        assert_eq!(tuned(127, 100).unwrap(), (vec![127], 2));
    }

    #[test]
    fn the_time_is_kept_and_the_first_tiles_are_measured_always() {
        let (written, program) = found();
        let sizes: Sizes = [("n".to_owned(), 64)].into_iter().collect();
        let (_, tried) =
            tune(&written, &program, &sizes, Duration::ZERO, &mut |_| Ok(1.0)).unwrap();
        assert_eq!(tried.len(), 1);
        assert_eq!(tried[0].tiles, [(32, 32)]);
        let failed = tune(&written, &program, &sizes, Duration::ZERO, &mut |_| {
            Err("no".to_owned())
        });
        assert_eq!(failed.unwrap_err(), "no");
    }
}
