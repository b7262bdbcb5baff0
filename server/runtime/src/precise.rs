//! Evaluation of a DAG in twice the precision of doubles: what the error of a form is measured against. Dense and slow, for
//! small data; must never decide a value that a script prints.
//!
//! A number is the unevaluated sum of two doubles, about 31 decimal digits (Dekker 1971), by the crate `twofloat`.

use std::sync::LazyLock;

use sumac_la::{Dag, Node, Op};
use twofloat::TwoFloat;

use crate::value::Value;

/// A scalar or a dense matrix in twice the precision, its cells by rows.
#[derive(Clone, PartialEq, Debug)]
pub struct Precise {
    rows: usize,
    cols: usize,
    cells: Vec<TwoFloat>,
    is_scalar: bool,
}

impl Precise {
    /// The value as it is. `None` for what is neither matrix nor number.
    #[must_use]
    pub fn of(value: &Value) -> Option<Self> {
        match value.as_matrix() {
            Some(matrix) => Some(Precise {
                rows: matrix.rows(),
                cols: matrix.cols(),
                cells: matrix.to_cells().into_iter().map(TwoFloat::from).collect(),
                is_scalar: false,
            }),
            None => Some(Precise::scalar(TwoFloat::from(value.as_number()?))),
        }
    }

    /// The nearest doubles, by rows.
    pub fn rounded(&self) -> impl Iterator<Item = f64> + '_ {
        self.cells.iter().map(|cell| f64::from(*cell))
    }

    /// Rows and columns.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    /// Whether all cells are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.rounded().all(f64::is_finite)
    }

    /// The largest difference to `value`, relative to the largest cell of `self`: 0 where there is none, 1 and more where no
    /// digit is left, infinite where `value` is of another shape or not finite.
    #[must_use]
    pub fn error_of(&self, value: &Value) -> f64 {
        let Some(found) = Precise::of(value).filter(|found| found.shape() == self.shape()) else {
            return f64::INFINITY;
        };
        if !found.is_finite() {
            return f64::INFINITY;
        }
        let largest = |cells: &mut dyn Iterator<Item = TwoFloat>| {
            cells.fold(0.0, |most: f64, cell| most.max(f64::from(cell.abs())))
        };
        let pairs = self.cells.iter().zip(&found.cells);
        let error = largest(&mut pairs.map(|(a, b)| *a - *b));
        if error == 0.0 {
            return 0.0;
        }
        error / largest(&mut self.cells.iter().copied())
    }

    fn scalar(cell: TwoFloat) -> Self {
        Precise {
            rows: 1,
            cols: 1,
            cells: vec![cell],
            is_scalar: true,
        }
    }

    /// A matrix whose cells `at` gives by row and column.
    fn matrix(rows: usize, cols: usize, at: impl Fn(usize, usize) -> TwoFloat) -> Self {
        let places = (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j)));
        Precise {
            rows,
            cols,
            cells: places.map(|(i, j)| at(i, j)).collect(),
            is_scalar: false,
        }
    }

    /// The cell, where a side of one is repeated.
    fn at(&self, i: usize, j: usize) -> TwoFloat {
        let row = if self.rows == 1 { 0 } else { i };
        let col = if self.cols == 1 { 0 } else { j };
        self.cells[row * self.cols + col]
    }

    fn map(&self, f: impl Fn(TwoFloat) -> TwoFloat) -> Self {
        Precise {
            cells: self.cells.iter().map(|cell| f(*cell)).collect(),
            ..*self
        }
    }

    fn whole(&self) -> Option<usize> {
        let number = f64::from(*self.cells.first()?);
        (number >= 0.0 && number.fract() == 0.0).then_some(number as usize)
    }
}

/// The values of the DAG's roots. `None` where an operator has no precise form, or an input no value: those that jump (`round`,
/// `%/%`) and those that no form of a suggestion changes have none.
#[must_use]
pub fn eval_precise(dag: &Dag, inputs: &[Value]) -> Option<Vec<Precise>> {
    let mut values: Vec<Option<Precise>> = vec![None; dag.len()];
    for id in dag.reachable(dag.roots()) {
        let value = match dag.node(id) {
            Node::Input(n) => Precise::of(inputs.get(*n as usize)?)?,
            Node::Num(bits) => Precise::scalar(TwoFloat::from(f64::from_bits(*bits))),
            Node::Op(op, args) => {
                let args: Option<Vec<&Precise>> = args
                    .iter()
                    .map(|arg| values[arg.index()].as_ref())
                    .collect();
                apply(*op, &args?)?
            }
        };
        values[id.index()] = Some(value);
    }
    dag.roots()
        .iter()
        .map(|root| values[root.index()].clone())
        .collect()
}

fn apply(op: Op, args: &[&Precise]) -> Option<Precise> {
    let a = *args.first()?;
    if let Some(f) = unary(op) {
        return (args.len() == 1).then(|| a.map(f));
    }
    if let Some(f) = binary(op) {
        return cell_by_cell(a, args.get(1)?, f);
    }
    if let Some((of, fold)) = aggregate(op) {
        return Some(fold_over(a, of, fold));
    }
    structural(op, args)
}

/// Cells of a matrix that is made of one number at most: its sizes are values, and a value may be anything.
const MOST_FILLED: usize = 1 << 20;

/// What ln 2 has more than the nearest double.
const LN_2_REST: f64 = 2.319_046_813_846_299_6e-17;

fn unary(op: Op) -> Option<fn(TwoFloat) -> TwoFloat> {
    Some(match op {
        Op::Neg => |x| -x,
        Op::Exp => exp,
        Op::Log => log,
        Op::Sqrt => |x| x.sqrt(),
        Op::Abs => |x| x.abs(),
        Op::Sigmoid => |x| over(TwoFloat::from(1.0), TwoFloat::from(1.0) + exp(-x)),
        // With the digits of doubles.
        Op::Sin => |x| TwoFloat::from(f64::from(x).sin()),
        Op::Cos => |x| TwoFloat::from(f64::from(x).cos()),
        Op::Tanh => |x| TwoFloat::from(f64::from(x).tanh()),
        Op::Not => |x| truth(f64::from(x) == 0.0),
        Op::Sign => |x| {
            let x = f64::from(x);
            TwoFloat::from(if x == 0.0 { 0.0 } else { x.signum() })
        },
        _ => return None,
    })
}

/// By long division, a double at a time: that of `twofloat` has the digits of one double.
fn over(x: TwoFloat, y: TwoFloat) -> TwoFloat {
    let divisor = f64::from(y);
    let first = f64::from(x) / divisor;
    if !first.is_finite() || first == 0.0 {
        return TwoFloat::from(first);
    }
    let rest = x - y * TwoFloat::from(first);
    let second = f64::from(rest) / divisor;
    let rest = rest - y * TwoFloat::from(second);
    TwoFloat::new_add(first, second) + TwoFloat::from(f64::from(rest) / divisor)
}

/// By Newton's iteration from the logarithm in doubles: a step doubles the digits. Near one there are fewer to double.
fn log(x: TwoFloat) -> TwoFloat {
    const NEAR_ONE: f64 = 1e-8;
    let start = TwoFloat::from(f64::from(x).ln());
    if !f64::from(start).is_finite() {
        return start;
    }
    let one = TwoFloat::from(1.0);
    let steps = if f64::from(start).abs() < NEAR_ONE {
        2
    } else {
        1
    };
    (0..steps).fold(start, |y, _| y + (over(x, exp(y)) - one))
}

/// 1/n! for each n of the series of exp(r), from 0 on: where |r| < ln 2 / 1024, what comes after is less than 1e-34.
static OF_FACTORIALS: LazyLock<[TwoFloat; 10]> = LazyLock::new(|| {
    let mut terms = [TwoFloat::from(1.0); 10];
    for n in 1..terms.len() {
        terms[n] = over(terms[n - 1], TwoFloat::from(n as f64));
    }
    terms
});

/// By the series of exp(r / 512), where x = k ln 2 + r: `twofloat` has one of fewer digits.
fn exp(x: TwoFloat) -> TwoFloat {
    const HALVINGS: i32 = 9;
    let near = f64::from(x);
    if !near.is_finite() || near.abs() > 700.0 {
        return TwoFloat::from(near.exp());
    }
    let k = (near / std::f64::consts::LN_2).round();
    let ln_2 = TwoFloat::new_add(std::f64::consts::LN_2, LN_2_REST);
    let r = (x - ln_2 * TwoFloat::from(k)) * TwoFloat::from(0.5_f64.powi(HALVINGS));
    let terms = OF_FACTORIALS.iter().rev();
    let series = terms.fold(TwoFloat::from(0.0), |sum, term| sum * r + *term);
    let full = (0..HALVINGS).fold(series, |power, _| power * power);
    full * TwoFloat::from(2_f64.powi(k as i32))
}

fn truth(holds: bool) -> TwoFloat {
    TwoFloat::from(f64::from(u8::from(holds)))
}

fn binary(op: Op) -> Option<fn(TwoFloat, TwoFloat) -> TwoFloat> {
    Some(match op {
        Op::Add => |x, y| x + y,
        Op::Sub => |x, y| x - y,
        Op::Mul => |x, y| x * y,
        Op::Div => over,
        Op::Pow => power,
        Op::LogBase => |x, y| over(log(x), log(y)),
        Op::Min2 => |x, y| x.min(y),
        Op::Max2 => |x, y| x.max(y),
        Op::Eq => |x, y| truth(x == y),
        Op::Ne => |x, y| truth(x != y),
        Op::Lt => |x, y| truth(x < y),
        Op::Le => |x, y| truth(x <= y),
        Op::Gt => |x, y| truth(x > y),
        Op::Ge => |x, y| truth(x >= y),
        Op::And => |x, y| truth(f64::from(x) != 0.0 && f64::from(y) != 0.0),
        Op::Or => |x, y| truth(f64::from(x) != 0.0 || f64::from(y) != 0.0),
        _ => return None,
    })
}

/// Whole powers by multiplying, roots by their own function, others by exp and log.
fn power(x: TwoFloat, y: TwoFloat) -> TwoFloat {
    let exponent = f64::from(y);
    if exponent.fract() == 0.0 && exponent.abs() <= 64.0 {
        let size = x.powi(exponent.abs() as i32);
        if exponent < 0.0 {
            over(TwoFloat::from(1.0), size)
        } else {
            size
        }
    } else if exponent == 0.5 {
        x.sqrt()
    } else {
        exp(y * log(x))
    }
}

fn cell_by_cell(
    a: &Precise,
    b: &Precise,
    f: fn(TwoFloat, TwoFloat) -> TwoFloat,
) -> Option<Precise> {
    if a.is_scalar && b.is_scalar {
        return Some(Precise::scalar(f(a.cells[0], b.cells[0])));
    }
    let side = |a: usize, b: usize| match (a, b) {
        (a, b) if a == b => Some(a),
        (1, b) => Some(b),
        (a, 1) => Some(a),
        _ => None,
    };
    let (rows, cols) = (side(a.rows, b.rows)?, side(a.cols, b.cols)?);
    Some(Precise::matrix(rows, cols, |i, j| {
        f(a.at(i, j), b.at(i, j))
    }))
}

/// Over which cells an aggregate goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Over {
    All,
    Rows,
    Cols,
    Diagonal,
}

/// How the cells become one number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fold {
    Sum,
    Mean,
    Least,
    Most,
    Product,
}

fn aggregate(op: Op) -> Option<(Over, Fold)> {
    Some(match op {
        Op::Sum => (Over::All, Fold::Sum),
        Op::RowSums => (Over::Rows, Fold::Sum),
        Op::ColSums => (Over::Cols, Fold::Sum),
        Op::Mean => (Over::All, Fold::Mean),
        Op::RowMeans => (Over::Rows, Fold::Mean),
        Op::ColMeans => (Over::Cols, Fold::Mean),
        Op::Min => (Over::All, Fold::Least),
        Op::RowMins => (Over::Rows, Fold::Least),
        Op::ColMins => (Over::Cols, Fold::Least),
        Op::Max => (Over::All, Fold::Most),
        Op::RowMaxs => (Over::Rows, Fold::Most),
        Op::ColMaxs => (Over::Cols, Fold::Most),
        Op::Prod => (Over::All, Fold::Product),
        Op::Trace => (Over::Diagonal, Fold::Sum),
        _ => return None,
    })
}

fn fold_over(a: &Precise, over: Over, fold: Fold) -> Precise {
    let cells = |cells: &mut dyn Iterator<Item = TwoFloat>| folded(cells, fold);
    match over {
        Over::All => Precise::scalar(cells(&mut a.cells.iter().copied())),
        Over::Diagonal => {
            let side = a.rows.min(a.cols);
            Precise::scalar(cells(&mut (0..side).map(|i| a.at(i, i))))
        }
        Over::Rows => Precise::matrix(a.rows, 1, |i, _| {
            cells(&mut (0..a.cols).map(|j| a.at(i, j)))
        }),
        Over::Cols => Precise::matrix(1, a.cols, |_, j| {
            cells(&mut (0..a.rows).map(|i| a.at(i, j)))
        }),
    }
}

fn folded(cells: &mut dyn Iterator<Item = TwoFloat>, fold: Fold) -> TwoFloat {
    let mut count = 0.0;
    let start = TwoFloat::from(match fold {
        Fold::Sum | Fold::Mean => 0.0,
        Fold::Product => 1.0,
        Fold::Least => f64::INFINITY,
        Fold::Most => f64::NEG_INFINITY,
    });
    let result = cells
        .inspect(|_| count += 1.0)
        .fold(start, |x, y| match fold {
            Fold::Sum | Fold::Mean => x + y,
            Fold::Product => x * y,
            Fold::Least => x.min(y),
            Fold::Most => x.max(y),
        });
    match fold {
        Fold::Mean => over(result, TwoFloat::from(count)),
        _ => result,
    }
}

/// Products, and operators that move cells.
fn structural(op: Op, args: &[&Precise]) -> Option<Precise> {
    let a = *args.first()?;
    let whole = |i: usize| args.get(i).and_then(|arg| arg.whole());
    let count = |n: usize| Precise::scalar(TwoFloat::from(n as f64));
    Some(match op {
        Op::MatMul => {
            let b = *args.get(1)?;
            if a.cols != b.rows {
                return None;
            }
            Precise::matrix(a.rows, b.cols, |i, j| {
                let products =
                    (0..a.cols).map(|k| a.cells[i * a.cols + k] * b.cells[k * b.cols + j]);
                products.fold(TwoFloat::from(0.0), |x, y| x + y)
            })
        }
        Op::Transpose => Precise::matrix(a.cols, a.rows, |i, j| a.cells[j * a.cols + i]),
        Op::Rev => Precise::matrix(a.rows, a.cols, |i, j| a.at(a.rows - 1 - i, j)),
        Op::Diag if a.cols == 1 => Precise::matrix(a.rows, a.rows, |i, j| {
            if i == j {
                a.cells[i]
            } else {
                TwoFloat::from(0.0)
            }
        }),
        Op::Diag => Precise::matrix(a.rows, 1, |i, _| a.at(i, i)),
        Op::Reshape => {
            let (rows, cols) = (whole(1)?, whole(2)?);
            if rows * cols != a.cells.len() {
                return None;
            }
            Precise::matrix(rows, cols, |i, j| a.cells[i * cols + j])
        }
        Op::Nrow => count(a.rows),
        Op::Ncol => count(a.cols),
        Op::Length => count(a.cells.len()),
        Op::Fill => {
            let cell = *a.cells.first()?;
            let (rows, cols) = (whole(1)?, whole(2)?);
            if rows.checked_mul(cols)? > MOST_FILLED {
                return None;
            }
            Precise::matrix(rows, cols, |_, _| cell)
        }
        Op::AsScalar => Precise::scalar(*a.cells.first().filter(|_| a.cells.len() == 1)?),
        Op::AsMatrix => Precise {
            is_scalar: false,
            ..a.clone()
        },
        Op::IfElse => {
            let pick = cell_by_cell(a, args.get(1)?, |test, yes| {
                if f64::from(test) == 0.0 {
                    TwoFloat::from(0.0)
                } else {
                    yes
                }
            })?;
            let other = cell_by_cell(a, args.get(2)?, |test, no| {
                if f64::from(test) == 0.0 {
                    no
                } else {
                    TwoFloat::from(0.0)
                }
            })?;
            cell_by_cell(&pick, &other, |x, y| x + y)?
        }
        Op::RightIndex => {
            let (from, to) = (whole(1)?.checked_sub(1)?, whole(2)?);
            let (left, right) = (whole(3)?.checked_sub(1)?, whole(4)?);
            if to > a.rows || right > a.cols {
                return None;
            }
            Precise::matrix(to.checked_sub(from)?, right.checked_sub(left)?, |i, j| {
                a.cells[(from + i) * a.cols + left + j]
            })
        }
        Op::Cbind | Op::Rbind => concatenated(op, args)?,
        _ => return None,
    })
}

fn concatenated(op: Op, args: &[&Precise]) -> Option<Precise> {
    let (first, rest) = args.split_first()?;
    rest.iter().try_fold((*first).clone(), |a, b| match op {
        Op::Cbind => (a.rows == b.rows).then(|| {
            Precise::matrix(a.rows, a.cols + b.cols, |i, j| {
                match j.checked_sub(a.cols) {
                    None => a.cells[i * a.cols + j],
                    Some(j) => b.cells[i * b.cols + j],
                }
            })
        }),
        _ => (a.cols == b.cols).then(|| {
            Precise::matrix(a.rows + b.rows, a.cols, |i, j| {
                match i.checked_sub(a.rows) {
                    None => a.cells[i * a.cols + j],
                    Some(i) => b.cells[i * b.cols + j],
                }
            })
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::eval;
    use crate::matrix::Matrix;
    use sumac_la::Type;

    /// (1 + tiny) - 1, squared: doubles keep half of the digits.
    #[test]
    fn what_cancels_keeps_its_digits() {
        let mut dag = Dag::default();
        let x = dag.input("x", Type::scalar());
        let y = dag.input("y", Type::scalar());
        let both = dag.op(Op::Add, [x, y]).unwrap();
        let difference = dag.op(Op::Sub, [both, x]).unwrap();
        dag.push_root(difference);
        let inputs = [Value::Double(1.0), Value::Double(1e-20)];
        let precise = &eval_precise(&dag, &inputs).unwrap()[0];
        assert_eq!(precise.rounded().collect::<Vec<_>>(), [1e-20]);
        let plain = &eval(&dag, &inputs).unwrap()[0];
        assert!((precise.error_of(plain) - 1.0).abs() < 1e-12);
    }

    /// Every operator that has a precise form agrees with the runtime to the last digits.
    #[test]
    fn agrees_with_the_runtime() {
        let x = Matrix::dense(3, 3, vec![0.5, 1.25, 2.0, 0.1, 3.0, 0.7, 1.5, 0.25, 0.9]);
        let y = Matrix::dense(3, 3, vec![2.0, 0.3, 1.2, 1.1, 0.6, 4.0, 0.8, 1.75, 0.2]);
        let inputs = [Value::from(x), Value::from(y)];
        let mut compared = 0;
        for op in Op::ALL {
            for take in (1..=2).filter(|take| op.info().arity.accepts(*take)) {
                let mut dag = Dag::default();
                let x = dag.input("X", Type::matrix(3, 3));
                let y = dag.input("Y", Type::matrix(3, 3));
                let Ok(node) = dag.op(*op, [x, y].into_iter().take(take)) else {
                    continue;
                };
                dag.push_root(node);
                let Some(precise) = eval_precise(&dag, &inputs) else {
                    continue;
                };
                let plain = eval(&dag, &inputs).unwrap();
                let error = precise[0].error_of(&plain[0]);
                assert!(error < 1e-15, "{op:?}: {error:e}");
                compared += 1;
            }
        }
        assert!(compared > 45, "{compared}");
    }

    /// Both halves of a number, against constants of 36 digits.
    #[test]
    fn functions_have_more_digits_than_doubles() {
        let e = exp(TwoFloat::from(1.0));
        let ln_2 = log(TwoFloat::from(2.0));
        let third = over(TwoFloat::from(1.0), TwoFloat::from(3.0));
        let near_one = log(TwoFloat::new_add(1.0, 1e-9));
        for (found, high, low) in [
            (e, std::f64::consts::E, 1.445_646_891_729_250_2e-16),
            (ln_2, std::f64::consts::LN_2, LN_2_REST),
            (third, 1.0 / 3.0, 1.850_371_707_708_594e-17),
            // 1e-9 - 1e-18 / 2 + 1e-27 / 3.
            (near_one, 1e-9, -4.999_999_996_666_666e-19),
        ] {
            let rest = f64::from(found - TwoFloat::from(high));
            assert!((rest - low).abs() < 1e-28, "{rest:e} {low:e}");
        }
    }

    #[test]
    fn a_value_of_another_shape_has_no_digit() {
        let precise = Precise::of(&Value::Double(2.0)).unwrap();
        assert_eq!(precise.error_of(&Value::Double(2.0)), 0.0);
        assert_eq!(precise.error_of(&Value::Double(f64::NAN)), f64::INFINITY);
        let matrix = Value::from(Matrix::dense(1, 2, vec![1.0, 2.0]));
        assert_eq!(precise.error_of(&matrix), f64::INFINITY);
    }
}
