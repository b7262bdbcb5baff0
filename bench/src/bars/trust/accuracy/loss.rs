//! Digits lost on given data, as the documentation of accuracy defines them: the error of a form is its largest difference to the exact
//! value, relative to the largest cell, in the worse of two orders of additions; lost digits are what the error of the suggestion has more than that of the statement as a power of
//! ten, each from 0 to 16 digits.

use super::meaning::{Form, Task};
use super::number::{Number, Pair, Reordered};
use super::value::{Known, Value};

/// Digits that a double has.
const DIGITS: f64 = 16.0;
/// The exact values of both forms may differ by so much of the error that is measured, at most.
const TRUSTED: f64 = 0.1;
/// No error counts as less: half of the last digit of a double.
const LEAST_ERROR: f64 = f64::EPSILON / 2.0;

/// What data shows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Loss {
    /// Digits, below zero where some are gained.
    Digits(f64),
    /// The statement has no value there, or not even pairs of doubles have enough digits.
    Nothing,
}

/// What the suggestion loses on data.
///
/// # Errors
/// There is something that is not computed here.
pub(super) fn loss(task: &Task, data: &[Value<f64>], above: f64) -> Known<Loss> {
    let written = in_orders(task, Form::Written, data)?;
    let suggested = in_orders(task, Form::Suggested, data)?;
    if written.len() != suggested.len() || written.is_empty() {
        return Err("forms of another number of results".to_owned());
    }
    let exact: Vec<Value<Pair>> = task.run(Form::Written, data)?;
    if !exact.iter().all(Value::is_finite) {
        return Ok(Loss::Nothing);
    }
    let most = lost_in_orders(&exact, &written, &suggested);
    let Some(most) = most else {
        return Ok(Loss::Nothing);
    };
    // What will not count needs no second look.
    let in_order: Vec<Value<f64>> = written.into_iter().map(|[it, _]| it).collect();
    if most > above && !is_trusted(task, data, (&exact, &in_order))? {
        return Ok(Loss::Nothing);
    }
    Ok(Loss::Digits(most))
}

/// A result by both orders of additions.
type Orders = [Value<f64>; 2];

/// The results of a form, each with its sums added up in two orders: no language says which it is.
fn in_orders(task: &Task, form: Form, data: &[Value<f64>]) -> Known<Vec<Orders>> {
    let first: Vec<Value<f64>> = task.run(form, data)?;
    let other: Vec<Value<Reordered>> = task.run(form, data)?;
    let other = other.into_iter().map(|value| Value {
        is_scalar: value.is_scalar,
        rows: value.rows,
        cols: value.cols,
        cells: value.cells.iter().map(|x| x.near()).collect(),
    });
    Ok(first.into_iter().zip(other).map(|(a, b)| [a, b]).collect())
}

/// The most digits that a result loses, each form in the worse of its orders; `None` as of [`digits_lost`].
fn lost_in_orders(exact: &[Value<Pair>], written: &[Orders], suggested: &[Orders]) -> Option<f64> {
    let results = exact.iter().zip(written.iter().zip(suggested));
    results
        .filter_map(|(exact, (written, suggested))| {
            let exact = std::slice::from_ref(exact);
            let lost = |written: &Value<f64>, suggested: &Value<f64>| {
                digits_lost(
                    exact,
                    std::slice::from_ref(written),
                    std::slice::from_ref(suggested),
                )
            };
            // The fewest beside the worse order of the statement, the most of the orders of the suggestion.
            let beside = |suggested: &Value<f64>| {
                Some(lost(&written[0], suggested)?.min(lost(&written[1], suggested)?))
            };
            Some(beside(&suggested[0])?.max(beside(&suggested[1])?))
        })
        .reduce(f64::max)
}

/// The most digits that a result loses; `None` where the statement has no value, or none with a digit to lose.
pub(super) fn digits_lost(
    exact: &[Value<Pair>],
    written: &[Value<f64>],
    suggested: &[Value<f64>],
) -> Option<f64> {
    let pairs = exact.iter().zip(written.iter().zip(suggested));
    pairs
        .filter_map(|(exact, (written, suggested))| {
            if exact.cells.iter().all(|x| x.near() == 0.0) {
                return None;
            }
            let before = error(exact, written).filter(|before| before.is_finite())?;
            let after = error(exact, suggested).unwrap_or(f64::INFINITY);
            Some(digits(before) - digits(after))
        })
        .reduce(f64::max)
}

/// Whether the exact values of both forms agree, far below the error that is measured.
fn is_trusted(
    task: &Task,
    data: &[Value<f64>],
    (exact, written): (&[Value<Pair>], &[Value<f64>]),
) -> Known<bool> {
    let other: Vec<Value<Pair>> = task.run(Form::Suggested, data)?;
    Ok(exact
        .iter()
        .zip(written.iter().zip(&other))
        .all(|(exact, (written, other))| {
            let least = error(exact, written)
                .unwrap_or(f64::INFINITY)
                .max(LEAST_ERROR);
            apart(exact, other).is_some_and(|apart| apart <= TRUSTED * least)
        }))
}

/// How far the exact values of both forms are apart on data, relative to the largest cell.
///
/// # Errors
/// There is something that is not computed here.
pub(super) fn disagreement(task: &Task, data: &[Value<f64>]) -> Known<f64> {
    let exact: Vec<Value<Pair>> = task.run(Form::Written, data)?;
    let other: Vec<Value<Pair>> = task.run(Form::Suggested, data)?;
    let pairs = exact.iter().zip(&other);
    let all = pairs.map(|(a, b)| apart(a, b).unwrap_or(f64::INFINITY));
    Ok(all.fold(0.0, f64::max))
}

/// The error of a result: 1 and more where no digit is left, `None` where it is not finite or of another shape.
fn error(exact: &Value<Pair>, found: &Value<f64>) -> Option<f64> {
    let found = Value {
        is_scalar: found.is_scalar,
        rows: found.rows,
        cols: found.cols,
        cells: found.cells.iter().map(|x| Pair::of(*x)).collect(),
    };
    apart(exact, &found)
}

fn apart(exact: &Value<Pair>, found: &Value<Pair>) -> Option<f64> {
    if exact.shape() != found.shape() || !found.is_finite() {
        return None;
    }
    let largest = |cells: &mut dyn Iterator<Item = Pair>| {
        cells.fold(0.0, |most: f64, x| most.max(x.near().abs()))
    };
    let cells = exact.cells.iter().zip(&found.cells);
    let difference = largest(&mut cells.map(|(a, b)| *a - *b));
    if difference == 0.0 {
        return Some(0.0);
    }
    Some(difference / largest(&mut exact.cells.iter().copied()))
}

fn digits(error: f64) -> f64 {
    (-error.max(LEAST_ERROR).log10()).clamp(0.0, DIGITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_relative_to_the_largest_cell() {
        let exact = Value::matrix(1, 2, |_, j| Pair::of([1.0, 100.0][j])).unwrap();
        let found = Value::matrix(1, 2, |_, j| [1.01, 100.0][j]).unwrap();
        let seen = error(&exact, &found).unwrap();
        assert!((digits(seen) - 4.0).abs() < 1e-9, "{seen}");
        assert_eq!(error(&exact, &Value::number(1.0)), None);
        let none = Value::matrix(1, 2, |_, _| f64::NAN).unwrap();
        assert_eq!(error(&exact, &none), None);
    }

    #[test]
    fn another_order_of_additions_loses_nothing() {
        let pair = [[Value::number(1.0), Value::number(1.5)]];
        let turned = [[Value::number(1.5), Value::number(1.0)]];
        let exact = [Value::number(Pair::of(1.0))];
        assert_eq!(lost_in_orders(&exact, &pair, &turned), Some(0.0));
        let worse = [[Value::number(1.0), Value::number(3.0)]];
        let sure = [[Value::number(1.0), Value::number(1.0)]];
        assert!(lost_in_orders(&exact, &sure, &worse).is_some_and(|it| it > 15.0));
    }

    #[test]
    fn of_an_exact_zero_no_digit_is_lost() {
        let one = |x: f64| [Value::number(x)];
        let exact = |x: f64| [Value::number(Pair::of(x))];
        assert_eq!(digits_lost(&exact(0.0), &one(0.0), &one(1e-18)), None);
        assert!(digits_lost(&exact(1.0), &one(1.0), &one(1.1)).is_some_and(|it| it > 14.0));
        assert!(digits_lost(&exact(1.0), &one(1.1), &one(1.0)).is_some_and(|it| it < -14.0));
    }

    #[test]
    fn digits_are_from_none_to_all() {
        assert_eq!(digits(f64::INFINITY), 0.0);
        assert_eq!(digits(2.0), 0.0);
        assert!(digits(0.0) > 15.9);
    }
}
