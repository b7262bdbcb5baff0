//! Data to start a search from, and the ways in which it is made hard: each a kind of data that people have.
//!
//! A recipe with its seed is the data. Both forms are looked at for places where numbers may cancel.

use std::fmt;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::meaning::{Free, Task};
use super::places::{Place, Places};
use super::value::{Over, Value, mean, sum};

/// Below, a matrix is drawn with zeros.
const SPARSE: f64 = 0.4;
/// Cells that a sparse matrix has at least.
const LEAST_CELLS: f64 = 6.0;

/// What cells are drawn from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Base {
    Signed,
    Positive,
    /// Whole numbers, of which sums and products are exact.
    Whole,
}

pub(super) const BASES: [Base; 3] = [Base::Signed, Base::Positive, Base::Whole];

/// One way to make data hard, by the number of the value or of the place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// All cells have a large number in common.
    Large(usize),
    /// So do those of one column.
    LargeColumn(usize),
    /// All cells are that much larger or smaller.
    Scaled(usize),
    /// Rows are of very different sizes.
    Rows(usize),
    /// Columns are.
    Columns(usize),
    /// One cell is huge.
    Huge(usize),
    /// The cells of each column are nearly equal.
    Equal(usize),
    /// Sums nearly cancel.
    Balanced(usize, Over),
    /// The last row is nearly the sum of the others.
    Singular(usize),
    /// Sparse matrices have few rows that are not zero, the fewer the higher the power.
    FewRows,
    /// Numbers at a place nearly cancel.
    Cancels(usize),
}

/// How hard: a power of ten.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Change {
    pub(super) kind: Kind,
    pub(super) exponent: f64,
}

/// Data by how it is made.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Recipe {
    pub(super) base: Base,
    pub(super) seed: u64,
    /// In their order.
    pub(super) changes: Vec<Change>,
    /// Single cells that are multiplied at the end: the value, the cell, by what.
    pub(super) cells: Vec<(usize, usize, f64)>,
}

/// Every kind that a task has room for.
pub(super) fn kinds(task: &Task, places: &Places<'_>) -> Vec<Kind> {
    let mut all = Vec::new();
    for (at, free) in task.free.iter().enumerate() {
        if free.is_whole {
            continue;
        }
        all.extend([Kind::Large(at), Kind::Scaled(at)]);
        if free.is_scalar {
            continue;
        }
        all.extend([Kind::Huge(at), Kind::Balanced(at, Over::All)]);
        if free.rows > 1 {
            all.push(Kind::Rows(at));
        }
        if free.rows > 1 && free.cols > 1 {
            all.extend([
                Kind::LargeColumn(at),
                Kind::Columns(at),
                Kind::Equal(at),
                Kind::Balanced(at, Over::Rows),
                Kind::Balanced(at, Over::Cols),
            ]);
        }
        if free.rows > 1 && free.rows == free.cols {
            all.push(Kind::Singular(at));
        }
    }
    if task.free.iter().any(has_few_cells) {
        all.push(Kind::FewRows);
    }
    all.extend((0..places.len()).map(Kind::Cancels));
    all
}

impl Recipe {
    /// The data; `None` where a change makes no sense on it.
    pub(super) fn make(&self, task: &Task, places: &Places<'_>) -> Option<Vec<Value<f64>>> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let mut data: Vec<Value<f64>> = task
            .free
            .iter()
            .map(|free| drawn(free, self.base, &mut rng))
            .collect();
        for change in &self.changes {
            apply(*change, &mut data, (task, places), &mut rng)?;
        }
        for (value, cell, by) in &self.cells {
            *data.get_mut(*value)?.cells.get_mut(*cell)? *= by;
        }
        data.iter().all(Value::is_finite).then_some(data)
    }
}

/// Whether a matrix is drawn with zeros.
fn has_few_cells(free: &Free) -> bool {
    !free.is_scalar && free.density < SPARSE && free.cols > 1
}

fn drawn(free: &Free, base: Base, rng: &mut ChaCha8Rng) -> Value<f64> {
    let count = (free.rows * free.cols) as f64;
    let density = match has_few_cells(free) {
        true => free.density.max(LEAST_CELLS / count),
        false => 1.0,
    };
    let cells = (0..free.rows * free.cols).map(|_| {
        let is_zero = density < 1.0 && rng.random_range(0.0..1.0) >= density;
        let x: f64 = rng.random_range(0.05..1.0);
        let sign = if rng.random_range(0..2) == 0 {
            1.0
        } else {
            -1.0
        };
        match base {
            _ if is_zero => 0.0,
            _ if free.is_whole => 1.0 + (8.0 * x).floor(),
            Base::Signed => sign * x,
            Base::Positive => x,
            Base::Whole => sign * (8.0 * x).ceil(),
        }
    });
    Value {
        is_scalar: free.is_scalar,
        rows: free.rows,
        cols: free.cols,
        cells: cells.collect(),
    }
}

/// Each cell by its row and column.
fn each(value: &mut Value<f64>, f: impl Fn(usize, usize, f64) -> f64) {
    let cols = value.cols.max(1);
    for (at, x) in value.cells.iter_mut().enumerate() {
        *x = f(at / cols, at % cols, *x);
    }
}

fn apply(
    change: Change,
    data: &mut [Value<f64>],
    (task, places): (&Task, &Places<'_>),
    rng: &mut ChaCha8Rng,
) -> Option<()> {
    let much = 10_f64.powf(change.exponent);
    // Whole, so that whole numbers stay whole.
    let whole = if change.exponent >= 1.0 {
        much.round()
    } else {
        much
    };
    match change.kind {
        Kind::Large(at) => each(
            &mut data[at],
            |_, _, x| if x == 0.0 { x } else { x + whole },
        ),
        Kind::LargeColumn(at) => {
            let spread: Vec<f64> = (0..data[at].rows)
                .map(|_| rng.random_range(0.0..1.0))
                .collect();
            each(&mut data[at], |i, j, x| match (j, x) {
                (0, 0.0) => whole + spread[i],
                (0, x) => whole + x,
                _ => x,
            });
        }
        Kind::Scaled(at) => each(&mut data[at], |_, _, x| x * much),
        Kind::Rows(at) | Kind::Columns(at) => {
            let is_rows = matches!(change.kind, Kind::Rows(_));
            let side = if is_rows {
                data[at].rows
            } else {
                data[at].cols
            };
            let last = side.max(2) as f64 - 1.0;
            each(&mut data[at], |i, j, x| {
                let place = if is_rows { i } else { j } as f64;
                x * 10_f64.powf(change.exponent * place / last)
            });
        }
        Kind::Huge(at) => {
            let cell = rng.random_range(0..data[at].cells.len().max(1));
            *data[at].cells.get_mut(cell)? *= whole;
        }
        Kind::Equal(at) => {
            let first = data[at].clone();
            each(&mut data[at], |_, j, x| match x {
                0.0 => 0.0,
                x => first.cells[j] + x / much,
            });
        }
        Kind::Balanced(at, over) => balance(&mut data[at], over, 1.0 - 1.0 / much)?,
        Kind::Singular(at) => {
            let value = &mut data[at];
            let last = value.rows - 1;
            for j in 0..value.cols {
                let others: Vec<f64> = (0..last).map(|i| value.cells[i * value.cols + j]).collect();
                let rest = value.cells[last * value.cols + j] / much;
                value.cells[last * value.cols + j] = sum(&others) + rest;
            }
        }
        Kind::FewRows => {
            let sparse = task.free.iter().zip(data.iter_mut());
            for (_, value) in sparse.filter(|(free, _)| has_few_cells(free)) {
                let kept = (value.rows as f64 * 0.7_f64.powf(change.exponent)).ceil();
                each(value, |i, _, x| if (i as f64) < kept { x } else { 0.0 });
            }
        }
        Kind::Cancels(at) => {
            let found = places.cancelled(at, task, data, 1.0 / much, rng)?;
            data[places.value(at)] = found;
        }
    }
    Some(())
}

/// Takes so much of the mean from the cells that are not zero.
fn balance(value: &mut Value<f64>, over: Over, share: f64) -> Option<()> {
    let group = |i: usize, j: usize| match over {
        Over::All => 0,
        Over::Rows => i,
        Over::Cols => j,
    };
    let count = match over {
        Over::All => 1,
        Over::Rows => value.rows,
        Over::Cols => value.cols,
    };
    let mut groups = vec![Vec::new(); count];
    for i in 0..value.rows {
        for j in 0..value.cols {
            let x = value.cells[i * value.cols + j];
            if x != 0.0 {
                groups[group(i, j)].push(x);
            }
        }
    }
    if groups.iter().all(|cells| cells.len() < 2) {
        return None;
    }
    each(value, |i, j, x| match (x, &groups[group(i, j)]) {
        (0.0, _) => 0.0,
        (x, cells) if cells.len() < 2 => x,
        (x, cells) => x - share * mean(cells),
    });
    Some(())
}

/// A change with the names of what it is about.
pub(super) struct Shown<'a>(
    pub(super) Kind,
    pub(super) &'a Task,
    pub(super) &'a Places<'a>,
);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |at: usize| &self.1.free[at].name;
        match self.0 {
            Kind::Large(at) => write!(f, "large common part of {}", name(at)),
            Kind::LargeColumn(at) => write!(f, "large common part of a column of {}", name(at)),
            Kind::Scaled(at) => write!(f, "size of {}", name(at)),
            Kind::Rows(at) => write!(f, "sizes of the rows of {}", name(at)),
            Kind::Columns(at) => write!(f, "sizes of the columns of {}", name(at)),
            Kind::Huge(at) => write!(f, "a huge cell of {}", name(at)),
            Kind::Equal(at) => write!(f, "nearly equal cells in columns of {}", name(at)),
            Kind::Balanced(at, over) => write!(f, "sums of {} near zero ({over:?})", name(at)),
            Kind::Singular(at) => write!(f, "{} nearly singular", name(at)),
            Kind::FewRows => f.write_str("few rows in sparse matrices"),
            Kind::Cancels(at) => match self.2.place(at) {
                Place::Operands { text, .. } => {
                    write!(f, "{} cancels in {text}", name(self.2.value(at)))
                }
                Place::Like { other, sign, .. } => {
                    let sign = if *sign < 0.0 { "-" } else { "" };
                    write!(f, "{} ≈ {sign}{}", name(self.2.value(at)), name(*other))
                }
                Place::Product { text, .. } => {
                    write!(f, "{} orthogonal in {text}", name(self.2.value(at)))
                }
            },
        }
    }
}
