//! Values with a bound of their error: what is told apart here differs as real numbers, and not by rounding only. Must never
//! give a value to what rounding may decide either way: that is NaN, of which nothing follows.

use std::collections::BTreeMap;

use sumac_la::{Dag, Node, NodeId, Op};

/// Share of a value by which a function of the machine may be off.
const FUNCTION_ERROR: f64 = 1e-14;

/// Below this, what a product loses may be too small to be seen.
const TINY: f64 = 1e-280;

/// A cell and how far it may be off.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Cell {
    pub(super) value: f64,
    pub(super) error: f64,
}

const UNKNOWN: Cell = Cell {
    value: f64::NAN,
    error: 0.0,
};

/// A matrix in row-major order; a number is 1 x 1.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Bounds {
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) cells: Vec<Cell>,
}

fn exact(value: f64) -> Cell {
    Cell { value, error: 0.0 }
}

/// A result of the machine that is off by rounding, unless it is known not to be.
fn rounded(value: f64, error: f64, is_exact: bool) -> Cell {
    let rounding = if is_exact {
        0.0
    } else {
        value.abs() * f64::EPSILON + f64::MIN_POSITIVE
    };
    let error = if error > 0.0 {
        error * (1.0 + 1e-12)
    } else {
        0.0
    } + rounding;
    if value.is_finite() && error.is_finite() {
        Cell { value, error }
    } else {
        UNKNOWN
    }
}

impl Cell {
    fn plus(self, other: Cell) -> Cell {
        let sum = self.value + other.value;
        // What is lost of the smaller one (Knuth).
        let part = sum - self.value;
        let lost = (self.value - (sum - part)) + (other.value - part);
        rounded(sum, self.error + other.error, lost == 0.0)
    }

    fn minus(self, other: Cell) -> Cell {
        self.plus(Cell {
            value: -other.value,
            ..other
        })
    }

    fn times(self, other: Cell) -> Cell {
        let product = self.value * other.value;
        let is_zero = self.value == 0.0 || other.value == 0.0;
        let is_exact =
            is_zero || self.value.mul_add(other.value, -product) == 0.0 && product.abs() > TINY;
        let error = self.value.abs() * other.error
            + other.value.abs() * self.error
            + self.error * other.error;
        rounded(product, error, is_exact)
    }

    fn over(self, other: Cell) -> Cell {
        let least = other.value.abs() - other.error;
        if least <= 0.0 || least.is_nan() {
            return UNKNOWN;
        }
        let quotient = self.value / other.value;
        let is_exact = self.value == 0.0
            || quotient.mul_add(other.value, -self.value) == 0.0
                && quotient.abs().min(self.value.abs()) > TINY;
        let error = (self.error + quotient.abs() * other.error) / least;
        rounded(quotient, error, is_exact)
    }

    fn low(self) -> f64 {
        self.value - self.error
    }

    fn high(self) -> f64 {
        self.value + self.error
    }

    /// A function that only rises, or only falls.
    fn monotone(self, f: fn(f64) -> f64) -> Cell {
        let value = f(self.value);
        let error = if self.error == 0.0 {
            0.0
        } else {
            (f(self.low()) - value)
                .abs()
                .max((f(self.high()) - value).abs())
        };
        rounded(value, error + FUNCTION_ERROR * value.abs(), false)
    }

    /// A function whose slope is at most one.
    fn gentle(self, f: fn(f64) -> f64) -> Cell {
        rounded(f(self.value), self.error + FUNCTION_ERROR, false)
    }

    /// A function by steps.
    fn stepped(self, f: fn(f64) -> f64) -> Cell {
        if f(self.low()) == f(self.high()) && self.value.abs() < 1e15 {
            exact(f(self.value))
        } else {
            UNKNOWN
        }
    }

    /// How this and another compare, where that is certain.
    fn compare(self, other: Cell) -> Option<std::cmp::Ordering> {
        let apart = (self.value - other.value).abs();
        if self.error == 0.0 && other.error == 0.0 || apart > (self.error + other.error) * 1.000_001
        {
            self.value.partial_cmp(&other.value)
        } else {
            None
        }
    }
}

/// By how much two results differ at most, where they surely differ as real numbers; infinite for two shapes.
pub(super) fn distance(a: &Bounds, b: &Bounds) -> Option<f64> {
    if (a.rows, a.cols) != (b.rows, b.cols) {
        return Some(f64::INFINITY);
    }
    let apart = |(x, y): (&Cell, &Cell)| {
        let size = x.value.abs().max(y.value.abs());
        let by = (x.value - y.value).abs();
        (by > 2.0 * (x.error + y.error) + size * 4.0 * f64::EPSILON).then_some(by)
    };
    let found = a.cells.iter().zip(&b.cells).filter_map(apart);
    found.max_by(f64::total_cmp)
}

/// The value of each side for these inputs; `None`: not known here.
pub(super) fn evaluate(
    dag: &Dag,
    sides: [NodeId; 2],
    inputs: &BTreeMap<String, Bounds>,
) -> Option<[Bounds; 2]> {
    let mut values: BTreeMap<NodeId, Bounds> = BTreeMap::new();
    for id in dag.reachable(&sides) {
        let value = match dag.node(id) {
            Node::Num(bits) => {
                let value = f64::from_bits(*bits);
                // A number as it is written is not always one of the machine.
                let is_exact = (value * 1024.0).fract() == 0.0;
                let cell = rounded(value, 0.0, is_exact);
                Bounds {
                    rows: 1,
                    cols: 1,
                    cells: vec![cell],
                }
            }
            Node::Input(_) => inputs.get(&*dag.input_of(id)?.name)?.clone(),
            Node::Op(op, args) => {
                let args: Vec<&Bounds> = args
                    .iter()
                    .map(|arg| values.get(arg))
                    .collect::<Option<_>>()?;
                apply(*op, &args, dag.is_scalar(id))?
            }
        };
        values.insert(id, value);
    }
    Some([
        values.get(&sides[0])?.clone(),
        values.get(&sides[1])?.clone(),
    ])
}

impl Bounds {
    pub(super) fn from_fn(
        rows: usize,
        cols: usize,
        mut cell: impl FnMut(usize, usize) -> Cell,
    ) -> Bounds {
        let mut cells = Vec::with_capacity(rows * cols);
        for i in 0..rows {
            for j in 0..cols {
                cells.push(cell(i, j));
            }
        }
        Bounds { rows, cols, cells }
    }

    pub(super) fn exact(rows: usize, cols: usize, cells: &[f64]) -> Bounds {
        Bounds {
            rows,
            cols,
            cells: cells.iter().map(|cell| exact(*cell)).collect(),
        }
    }

    /// Whether some cell is larger, by its absolute value.
    pub(super) fn exceeds(&self, limit: f64) -> bool {
        self.cells.iter().any(|cell| cell.value.abs() > limit)
    }

    fn at(&self, i: usize, j: usize) -> Cell {
        self.cells[i * self.cols + j]
    }

    fn repeated(&self, i: usize, j: usize) -> Cell {
        let i = if self.rows == 1 { 0 } else { i };
        self.at(i, if self.cols == 1 { 0 } else { j })
    }

    fn number(&self) -> Option<usize> {
        let [cell] = &self.cells[..] else { return None };
        let is_size =
            cell.error == 0.0 && cell.value.fract() == 0.0 && (0.0..1e6).contains(&cell.value);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be a size"
        )]
        is_size.then_some(cell.value as usize)
    }
}

/// The shape of two arguments of a cellwise operator; `None`: they do not fit.
fn joined(a: (usize, usize), b: (usize, usize)) -> Option<(usize, usize)> {
    let axis = |x: usize, y: usize| match (x, y) {
        (x, y) if x == y => Some(x),
        (1, y) => Some(y),
        (x, 1) => Some(x),
        _ => None,
    };
    Some((axis(a.0, b.0)?, axis(a.1, b.1)?))
}

fn sum(cells: impl Iterator<Item = Cell>) -> Cell {
    cells.fold(exact(0.0), Cell::plus)
}

fn extreme(cells: &mut dyn Iterator<Item = Cell>, is_largest: bool) -> Cell {
    let Some(first) = cells.next() else {
        return UNKNOWN;
    };
    cells.fold(first, |most, cell| larger(most, cell, is_largest))
}

fn larger(a: Cell, b: Cell, is_largest: bool) -> Cell {
    if a.value.is_nan() || b.value.is_nan() {
        return UNKNOWN;
    }
    let first = if (a.value >= b.value) == is_largest {
        a
    } else {
        b
    };
    Cell {
        value: first.value,
        error: a.error.max(b.error),
    }
}

fn apply(op: Op, args: &[&Bounds], is_scalar: bool) -> Option<Bounds> {
    let x = args[0];
    let (n, m) = (x.rows, x.cols);
    #[expect(clippy::cast_precision_loss, reason = "sizes are small")]
    let size = |n: usize| exact(n as f64);
    let count = |sum: Cell, n: usize| sum.over(size(n));
    let all = || x.cells.iter().copied();
    let row = |i: usize| (0..m).map(move |j| x.at(i, j));
    let col = |j: usize| (0..n).map(move |i| x.at(i, j));
    let one = |cell: Cell| Some(Bounds::from_fn(1, 1, |_, _| cell));
    Some(match op {
        Op::Transpose => Bounds::from_fn(m, n, |i, j| x.at(j, i)),
        Op::Rev => Bounds::from_fn(n, m, |i, j| x.at(n - 1 - i, j)),
        Op::Diag if m == 1 => {
            Bounds::from_fn(n, n, |i, j| if i == j { x.at(i, 0) } else { exact(0.0) })
        }
        Op::Diag if n == m => Bounds::from_fn(n, 1, |i, _| x.at(i, i)),
        Op::Diag => return None,
        Op::Reshape | Op::Fill => {
            let (rows, cols) = (args[1].number()?, args[2].number()?);
            if op == Op::Fill {
                return Some(Bounds::from_fn(rows, cols, |_, _| x.cells[0]));
            }
            if rows * cols != n * m {
                return None;
            }
            Bounds {
                rows,
                cols,
                cells: x.cells.clone(),
            }
        }
        Op::Sum => return one(sum(all())),
        Op::Mean => return one(count(sum(all()), n * m)),
        Op::RowSums => Bounds::from_fn(n, 1, |i, _| sum(row(i))),
        Op::RowMeans => Bounds::from_fn(n, 1, |i, _| count(sum(row(i)), m)),
        Op::ColSums => Bounds::from_fn(1, m, |_, j| sum(col(j))),
        Op::ColMeans => Bounds::from_fn(1, m, |_, j| count(sum(col(j)), n)),
        Op::Min | Op::Max => return one(extreme(&mut all(), op == Op::Max)),
        Op::RowMins | Op::RowMaxs => {
            Bounds::from_fn(n, 1, |i, _| extreme(&mut row(i), op == Op::RowMaxs))
        }
        Op::ColMins | Op::ColMaxs => {
            Bounds::from_fn(1, m, |_, j| extreme(&mut col(j), op == Op::ColMaxs))
        }
        Op::Prod => return one(all().fold(exact(1.0), Cell::times)),
        Op::Trace if n == m => return one(sum((0..n).map(|i| x.at(i, i)))),
        Op::Trace => return None,
        Op::Nrow => return one(size(n)),
        Op::Ncol => return one(size(m)),
        Op::Length => return one(size(n * m)),
        Op::AsScalar => return (n * m == 1).then(|| x.clone()),
        Op::AsMatrix => x.clone(),
        Op::MatMul => {
            let y = args[1];
            if m != y.rows {
                return None;
            }
            Bounds::from_fn(n, y.cols, |i, j| {
                sum((0..m).map(|k| x.at(i, k).times(y.at(k, j))))
            })
        }
        Op::Cbind | Op::Rbind => {
            let mut whole = x.clone();
            for y in &args[1..] {
                let old = whole.clone();
                whole = if op == Op::Cbind {
                    if old.rows != y.rows {
                        return None;
                    }
                    Bounds::from_fn(old.rows, old.cols + y.cols, |i, j| {
                        if j < old.cols {
                            old.at(i, j)
                        } else {
                            y.at(i, j - old.cols)
                        }
                    })
                } else {
                    if old.cols != y.cols {
                        return None;
                    }
                    Bounds::from_fn(old.rows + y.rows, old.cols, |i, j| {
                        if i < old.rows {
                            old.at(i, j)
                        } else {
                            y.at(i - old.rows, j)
                        }
                    })
                };
            }
            whole
        }
        Op::RightIndex => {
            let place = |n: usize| args[n].number();
            let (rl, ru, cl, cu) = (place(1)?, place(2)?, place(3)?, place(4)?);
            let fits = 1 <= rl && rl <= ru && ru <= n && 1 <= cl && cl <= cu && cu <= m;
            if !fits {
                return None;
            }
            Bounds::from_fn(ru + 1 - rl, cu + 1 - cl, |i, j| {
                x.at(i + rl - 1, j + cl - 1)
            })
        }
        Op::Seq | Op::LeftIndex => return None,
        // Whole numbers are divided in another way where a sign differs.
        Op::Mod | Op::IntDiv if is_scalar && !args.iter().all(|arg| arg.number().is_some()) => {
            return None;
        }
        _ => {
            let mut shape = (n, m);
            for arg in &args[1..] {
                shape = joined(shape, (arg.rows, arg.cols))?;
            }
            let mut is_known = true;
            let bounds = Bounds::from_fn(shape.0, shape.1, |i, j| {
                let cells: Vec<Cell> = args.iter().map(|arg| arg.repeated(i, j)).collect();
                cellwise(op, &cells).unwrap_or_else(|| {
                    is_known = false;
                    UNKNOWN
                })
            });
            if !is_known {
                return None;
            }
            bounds
        }
    })
}

/// A cellwise operator; `None`: not known here.
fn cellwise(op: Op, args: &[Cell]) -> Option<Cell> {
    if args.iter().any(|cell| cell.value.is_nan()) {
        return Some(UNKNOWN);
    }
    let truth =
        |holds: Option<bool>| holds.map_or(UNKNOWN, |holds| exact(f64::from(u8::from(holds))));
    let zero = exact(0.0);
    let is_true = |x: Cell| x.compare(zero).map(std::cmp::Ordering::is_ne);
    Some(match (op, args) {
        (Op::Add, [a, b]) => a.plus(*b),
        (Op::Sub, [a, b]) => a.minus(*b),
        (Op::Mul, [a, b]) => a.times(*b),
        (Op::Div, [a, b]) => a.over(*b),
        (Op::Neg, [a]) => Cell {
            value: -a.value,
            ..*a
        },
        (Op::Pow, [a, b]) => power(*a, *b),
        (Op::Min2, [a, b]) => larger(*a, *b, false),
        (Op::Max2, [a, b]) => larger(*a, *b, true),
        (Op::Eq, [a, b]) => truth(a.compare(*b).map(std::cmp::Ordering::is_eq)),
        (Op::Ne, [a, b]) => truth(a.compare(*b).map(std::cmp::Ordering::is_ne)),
        (Op::Lt, [a, b]) => truth(a.compare(*b).map(std::cmp::Ordering::is_lt)),
        (Op::Le, [a, b]) => truth(a.compare(*b).map(std::cmp::Ordering::is_le)),
        (Op::Gt, [a, b]) => truth(a.compare(*b).map(std::cmp::Ordering::is_gt)),
        (Op::Ge, [a, b]) => truth(a.compare(*b).map(std::cmp::Ordering::is_ge)),
        (Op::And, [a, b]) => truth(is_true(*a).zip(is_true(*b)).map(|(a, b)| a && b)),
        (Op::Or, [a, b]) => truth(is_true(*a).zip(is_true(*b)).map(|(a, b)| a || b)),
        (Op::Not, [a]) => truth(is_true(*a).map(|a| !a)),
        (Op::IfElse, [test, yes, no]) => match is_true(*test) {
            Some(true) => *yes,
            Some(false) => *no,
            None => UNKNOWN,
        },
        (Op::Sign, [a]) => match a.compare(zero) {
            Some(std::cmp::Ordering::Less) => exact(-1.0),
            Some(std::cmp::Ordering::Equal) => zero,
            Some(std::cmp::Ordering::Greater) => exact(1.0),
            None => UNKNOWN,
        },
        (Op::Abs, [a]) => Cell {
            value: a.value.abs(),
            ..*a
        },
        (Op::Exp, [a]) => a.monotone(f64::exp),
        (Op::Sigmoid, [a]) => a.monotone(|x| 1.0 / (1.0 + (-x).exp())),
        (Op::Log, [a]) if a.low() > 0.0 => a.gentle_log(),
        (Op::Sqrt, [a]) if a.low() >= 0.0 => a.monotone(f64::sqrt),
        (Op::Log | Op::Sqrt, [_]) => UNKNOWN,
        (Op::Sin, [a]) => a.gentle(f64::sin),
        (Op::Cos, [a]) => a.gentle(f64::cos),
        (Op::Atan, [a]) => a.gentle(f64::atan),
        (Op::Tanh, [a]) => a.gentle(f64::tanh),
        (Op::Sinh, [a]) => a.monotone(f64::sinh),
        (Op::Cosh, [a]) => {
            let (up, down) = (a.monotone(f64::exp), a.monotone(|x| (-x).exp()));
            up.plus(down).times(exact(0.5))
        }
        (Op::Floor, [a]) => a.stepped(f64::floor),
        (Op::Ceil, [a]) => a.stepped(f64::ceil),
        (Op::Round, [a]) => a.plus(exact(0.5)).stepped(f64::floor),
        (Op::IntDiv, [a, b]) => whole(a.over(*b)),
        (Op::Mod, [a, b]) => a.minus(whole(a.over(*b)).times(*b)),
        _ => return None,
    })
}

/// A quotient without its fraction, as `%/%` gives it. Of a negative one nothing is said: SystemDS 3.4 rounds it toward zero, and
/// whoever takes `%/%` for the floor of the quotient is not to be told by that.
fn whole(quotient: Cell) -> Cell {
    if quotient.low() < 0.0 {
        return UNKNOWN;
    }
    quotient.stepped(|q| Op::IntDiv.eval(&[q, 1.0]).unwrap_or(f64::NAN))
}

impl Cell {
    fn gentle_log(self) -> Cell {
        let slope = self.error / self.low();
        let value = self.value.ln();
        rounded(value, slope + FUNCTION_ERROR * (1.0 + value.abs()), false)
    }
}

fn power(base: Cell, exponent: Cell) -> Cell {
    let whole = exponent.error == 0.0 && exponent.value.fract() == 0.0;
    if whole && exponent.value.abs() <= 16.0 {
        let mut product = exact(1.0);
        let mut left = exponent.value.abs();
        while left > 0.0 {
            product = product.times(base);
            left -= 1.0;
        }
        return if exponent.value < 0.0 {
            exact(1.0).over(product)
        } else {
            product
        };
    }
    if base.low() <= 0.0 {
        return UNKNOWN;
    }
    let log = base.gentle_log();
    log.times(exponent).monotone(f64::exp)
}
