//! Central moments, variances and covariances, with or without weights, of all cells, rows, columns and groups.
//!
//! Moments are built up value by value from differences to the mean so far (Welford, Technometrics 4(3), 1962; Pebay,
//! Sandia Report SAND2008-6212), with compensated sums, as SystemDS does. So a large common offset costs no digits.

use crate::error::OpError;
use crate::kernels::cumulative::Kahan;
use crate::matrix::{Matrix, View};

/// A summary that grows value by value.
#[derive(Clone, Copy, Default)]
pub(crate) struct Moments {
    /// Sum of the weights.
    pub(crate) weight: f64,
    mean: Kahan,
    second: Kahan,
    third: Kahan,
    fourth: Kahan,
    started: bool,
    /// The sum of the values that are infinite or NaN, if there are any. They are kept apart, so that nothing depends on where among
    /// the others they stand.
    beyond: Option<f64>,
}

impl Moments {
    /// Takes in `x` with a weight. Weight zero changes nothing.
    pub(crate) fn add(&mut self, x: f64, weight: f64) {
        if !x.is_finite() && weight != 0.0 {
            self.beyond = Some(self.beyond.unwrap_or(0.0) + x);
            self.started = true;
            self.weight += weight;
            return;
        }
        if !self.started {
            self.started = true;
            self.weight = weight;
            self.mean.add(x);
            return;
        }
        if weight == 0.0 {
            return;
        }
        let total = self.weight + weight;
        let d = x - self.mean.sum;
        let share = weight / total;
        self.mean.add(share * d);
        // Sums of powers of the differences, before and after, differ by these terms.
        let t = self.weight * share * d;
        let (second, third) = (self.second.sum, self.third.sum);
        let before = -1.0 / self.weight;
        self.fourth.add(
            t.powi(4) * (weight.powi(-3) - before.powi(3)) + 6.0 * second * (share * d).powi(2)
                - 4.0 * third * share * d,
        );
        self.third
            .add(t.powi(3) * (weight.powi(-2) - before.powi(2)) - 3.0 * second * share * d);
        self.second.add(t * d);
        self.weight = total;
    }

    pub(crate) fn mean(&self) -> f64 {
        self.beyond.unwrap_or(self.mean.sum)
    }

    /// A sum of powers of the differences to the mean: infinite where a value is, NaN where one is.
    fn power_sum(&self, sum: Kahan) -> f64 {
        match self.beyond {
            None => sum.sum,
            Some(x) if x.is_infinite() => f64::INFINITY,
            Some(_) => f64::NAN,
        }
    }

    /// The sample variance; 0 of one value, or of none.
    pub(crate) fn variance(&self) -> f64 {
        if self.weight == 1.0 || self.weight == 0.0 {
            0.0
        } else {
            self.power_sum(self.second) / (self.weight - 1.0)
        }
    }

    /// The central moment of order 2, 3 or 4.
    pub(crate) fn central(&self, order: u32) -> f64 {
        let sum = match order {
            2 => self.second,
            3 => self.third,
            _ => self.fourth,
        };
        self.power_sum(sum) / self.weight
    }
}

/// The moments of a row, a column or all cells: of those that are stored, and of zeros up to `len`.
fn of(stored: impl IntoIterator<Item = f64>, len: usize) -> Moments {
    let mut moments = Moments::default();
    let mut count = 0;
    for x in stored {
        moments.add(x, 1.0);
        count += 1;
    }
    if count < len {
        moments.add(0.0, (len - count) as f64);
    }
    moments
}

fn stored(m: &Matrix) -> &[f64] {
    match m.view() {
        View::Dense(cells) => cells,
        View::Sparse(csr) => csr.values(),
    }
}

/// The sample variance of all cells; NaN if there are none.
#[must_use]
pub fn variance(m: &Matrix) -> f64 {
    if m.is_empty() {
        return f64::NAN;
    }
    of(stored(m).iter().copied(), m.len()).variance()
}

/// The sample variance of each row, as a column.
#[must_use]
pub fn row_variances(m: &Matrix) -> Matrix {
    let rows = (0..m.rows()).map(|row| {
        let stored = match m.view() {
            View::Dense(cells) => &cells[row * m.cols()..][..m.cols()],
            View::Sparse(csr) => csr.row(row).1,
        };
        of(stored.iter().copied(), m.cols()).variance()
    });
    Matrix::dense(m.rows(), 1, rows.collect())
}

/// The sample variance of each column, as a row.
#[must_use]
pub fn col_variances(m: &Matrix) -> Matrix {
    let mut columns = vec![(Moments::default(), 0_usize); m.cols()];
    let mut add = |col: usize, x: f64| {
        columns[col].0.add(x, 1.0);
        columns[col].1 += 1;
    };
    match m.view() {
        View::Dense(cells) => {
            for row in cells.chunks_exact(m.cols().max(1)) {
                row.iter().enumerate().for_each(|(col, &x)| add(col, x));
            }
        }
        View::Sparse(csr) => csr.iter().for_each(|(_, col, x)| add(col, x)),
    }
    let variance = |(mut moments, count): (Moments, usize)| {
        if count < m.rows() {
            moments.add(0.0, (m.rows() - count) as f64);
        }
        moments.variance()
    };
    let cells = columns.into_iter().map(variance).collect();
    Matrix::dense(1, m.cols(), cells).settled()
}

/// The cells of a column or row.
fn vector(op: &str, m: &Matrix) -> Result<Vec<f64>, OpError> {
    if m.cols() == 1 || m.rows() == 1 {
        return Ok(m.to_cells());
    }
    Err(OpError::argument(
        op,
        "a vector",
        format!("a matrix of {} x {}", m.rows(), m.cols()),
    ))
}

/// The cells of a vector, and a weight for each.
pub(crate) fn weighted(
    op: &str,
    x: &Matrix,
    weights: Option<&Matrix>,
) -> Result<Vec<(f64, f64)>, OpError> {
    let values = vector(op, x)?;
    let weights = match weights {
        None => vec![1.0; values.len()],
        Some(w) if w.len() == values.len() => w.to_cells(),
        Some(w) => {
            return Err(OpError::shapes(
                op,
                x,
                w,
                "each cell needs a weight of its own",
            ));
        }
    };
    Ok(values.into_iter().zip(weights).collect())
}

/// The weighted mean of a vector.
///
/// # Errors
/// When there are not as many weights as cells.
pub fn weighted_mean(x: &Matrix, weights: &Matrix) -> Result<f64, OpError> {
    let mut moments = Moments::default();
    for (x, w) in weighted("mean", x, Some(weights))? {
        moments.add(x, w);
    }
    Ok(moments.mean())
}

/// The central moment of order 0 (the mean), 2, 3 or 4.
///
/// # Errors
/// When `x` is no vector, the weights are not as many, or there is no such order.
pub fn moment(x: &Matrix, weights: Option<&Matrix>, order: f64) -> Result<f64, OpError> {
    let mut moments = Moments::default();
    for (x, w) in weighted("moment", x, weights)? {
        moments.add(x, w);
    }
    match order {
        0.0 => Ok(moments.mean()),
        2.0 | 3.0 | 4.0 => Ok(moments.central(order as u32)),
        other => Err(OpError::argument(
            "moment",
            "the order 0, 2, 3 or 4",
            crate::format::number(other),
        )),
    }
}

/// The sample covariance of two vectors.
///
/// # Errors
/// When they, or the weights, are no vectors of one length.
pub fn covariance(x: &Matrix, y: &Matrix, weights: Option<&Matrix>) -> Result<f64, OpError> {
    let left = weighted("cov", x, weights)?;
    let right = vector("cov", y)?;
    if left.len() != right.len() {
        return Err(OpError::shapes("cov", x, y, "both must be equally long"));
    }
    let (mut mean_x, mut mean_y, mut sum) = (Kahan::default(), Kahan::default(), Kahan::default());
    let mut total = 0.0;
    for ((x, w), y) in left.into_iter().zip(right) {
        if w == 0.0 {
            continue;
        }
        let after = total + w;
        let (dx, dy) = (x - mean_x.sum, y - mean_y.sum);
        mean_x.add(w / after * dx);
        mean_y.add(w / after * dy);
        sum.add(total * w / after * dx * dy);
        total = after;
    }
    Ok(if total == 1.0 {
        0.0
    } else {
        sum.sum / (total - 1.0)
    })
}

/// What is computed of each group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupFunction {
    /// The weighted sum.
    Sum,
    /// The sum of the weights.
    Count,
    /// The weighted mean.
    Mean,
    /// The sample variance.
    Variance,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// A central moment of order 2, 3 or 4.
    Moment(u32),
}

impl GroupFunction {
    /// By SystemDS's name, with the order for `centralmoment`.
    ///
    /// # Errors
    /// When there is no such function or order.
    pub fn by_name(name: &str, order: Option<f64>) -> Result<GroupFunction, OpError> {
        Ok(match (name, order) {
            ("sum", _) => GroupFunction::Sum,
            ("count", _) => GroupFunction::Count,
            ("mean", _) => GroupFunction::Mean,
            ("variance", _) => GroupFunction::Variance,
            ("min", _) => GroupFunction::Min,
            ("max", _) => GroupFunction::Max,
            ("centralmoment", Some(k)) if [2.0, 3.0, 4.0].contains(&k) => {
                GroupFunction::Moment(k as u32)
            }
            _ => {
                return Err(OpError::argument(
                    "aggregate",
                    "fn \"sum\", \"count\", \"mean\", \"variance\", \"min\", \"max\", or \"centralmoment\" with order 2, 3 or 4",
                    format!("\"{name}\""),
                ));
            }
        })
    }
}

/// One row for each group 1, 2, …, one column for each column of the target. A group without rows gives 0 of sums and
/// counts, and of all else what SystemDS starts from. Rows whose group is beyond `groups_at_most` do not count.
///
/// # Errors
/// When a group is no number from 1, or there are not as many groups or weights as rows.
pub fn grouped(
    target: &Matrix,
    groups: &Matrix,
    weights: Option<&Matrix>,
    function: GroupFunction,
    groups_at_most: Option<usize>,
) -> Result<Matrix, OpError> {
    const OP: &str = "aggregate";
    // A row is a column to this operator.
    let transposed;
    let target = if target.rows() == 1 && target.cols() > 1 {
        transposed = Matrix::dense(target.cols(), 1, target.to_cells());
        &transposed
    } else {
        target
    };
    let keys = vector(OP, groups)?;
    if keys.len() != target.rows() {
        return Err(OpError::shapes(
            OP,
            target,
            groups,
            "each row needs a group",
        ));
    }
    let weights = match weights {
        None => vec![1.0; keys.len()],
        Some(w) if w.len() == keys.len() => w.to_cells(),
        Some(w) => return Err(OpError::shapes(OP, target, w, "each row needs a weight")),
    };
    if let Some(wrong) = keys
        .iter()
        .find(|&&key| !(1.0..=2f64.powi(31)).contains(&key))
    {
        return Err(OpError::argument(
            OP,
            "groups from 1",
            crate::format::number(*wrong),
        ));
    }
    let count = groups_at_most.unwrap_or_else(|| {
        let most = keys.iter().fold(0.0_f64, |a, &b| a.max(b));
        most as usize
    });
    let cols = target.cols();
    crate::kernels::generate::check_addressable(OP, count, cols)?;
    let cells = target.to_cells();
    let mut out = Vec::with_capacity(count * cols);
    let mut members = vec![Vec::new(); count];
    for (row, key) in keys.iter().enumerate() {
        if let Some(group) = members.get_mut(*key as usize - 1) {
            group.push(row);
        }
    }
    for group in &members {
        for col in 0..cols {
            let values = group
                .iter()
                .map(|&row| (cells[row * cols + col], weights[row]));
            out.push(of_group(function, values));
        }
    }
    Ok(Matrix::dense(count, cols, out).settled())
}

fn of_group(function: GroupFunction, values: impl Iterator<Item = (f64, f64)>) -> f64 {
    match function {
        GroupFunction::Sum => {
            let mut sum = Kahan::default();
            values.for_each(|(x, w)| sum.add(x * w));
            sum.sum
        }
        // From zero: what has no terms sums up to one with a sign.
        GroupFunction::Count => values.fold(0.0, |sum, (_, w)| sum + w),
        GroupFunction::Min => values.map(|(x, w)| x * w).reduce(f64::min).unwrap_or(0.0),
        GroupFunction::Max => values.map(|(x, w)| x * w).reduce(f64::max).unwrap_or(0.0),
        GroupFunction::Mean | GroupFunction::Variance | GroupFunction::Moment(_) => {
            let mut moments = Moments::default();
            values.for_each(|(x, w)| moments.add(x, w));
            match function {
                GroupFunction::Mean => moments.mean(),
                GroupFunction::Variance => moments.variance(),
                GroupFunction::Moment(order) => moments.central(order),
                _ => f64::NAN,
            }
        }
    }
}
