//! Values of a form, and what operators make of them: loops over cells, from the definitions.

use super::number::Number;

/// What cannot be computed here, in words; or the value.
pub(super) type Known<T> = Result<T, String>;

/// Larger values are not for a search.
const MOST_CELLS: usize = 1 << 16;

/// A dense matrix, or a number if `is_scalar`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Value<N> {
    pub(super) is_scalar: bool,
    pub(super) rows: usize,
    pub(super) cols: usize,
    /// By rows.
    pub(super) cells: Vec<N>,
}

/// Which cells become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Over {
    All,
    Rows,
    Cols,
}

impl<N: Number> Value<N> {
    pub(super) fn number(x: N) -> Self {
        Value {
            is_scalar: true,
            rows: 1,
            cols: 1,
            cells: vec![x],
        }
    }

    /// # Errors
    /// It is too large.
    pub(super) fn matrix(
        rows: usize,
        cols: usize,
        mut at: impl FnMut(usize, usize) -> N,
    ) -> Known<Self> {
        if rows.saturating_mul(cols) > MOST_CELLS {
            return Err("a value of that size".to_owned());
        }
        let mut cells = Vec::with_capacity(rows * cols);
        for i in 0..rows {
            for j in 0..cols {
                cells.push(at(i, j));
            }
        }
        Ok(Value {
            is_scalar: false,
            rows,
            cols,
            cells,
        })
    }

    pub(super) fn shape(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    /// The cell, where a side of one is repeated.
    pub(super) fn at(&self, i: usize, j: usize) -> N {
        let row = if self.rows == 1 { 0 } else { i };
        let col = if self.cols == 1 { 0 } else { j };
        self.cells[row * self.cols + col]
    }

    /// The only cell.
    ///
    /// # Errors
    /// There are others, or none.
    pub(super) fn only(&self) -> Known<N> {
        match self.cells[..] {
            [x] => Ok(x),
            _ => Err("a number made of a matrix".to_owned()),
        }
    }

    /// The only cell as a count.
    ///
    /// # Errors
    /// It is none.
    pub(super) fn count(&self) -> Known<usize> {
        let x = self.only()?.near();
        if x < 0.0 || x.fract() != 0.0 || x > 1e9 {
            return Err("a size that is no whole number".to_owned());
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number in range"
        )]
        Ok(x as usize)
    }

    pub(super) fn map(&self, f: impl Fn(N) -> N) -> Self {
        Value {
            cells: self.cells.iter().map(|x| f(*x)).collect(),
            ..*self
        }
    }

    pub(super) fn is_finite(&self) -> bool {
        self.cells.iter().all(|x| x.near().is_finite())
    }

    /// Cell by cell, where a number, a row or a column is repeated.
    ///
    /// # Errors
    /// The shapes do not fit.
    pub(super) fn with(&self, other: &Self, f: impl Fn(N, N) -> N) -> Known<Self> {
        let side = |a: usize, b: usize| match (a, b) {
            (a, b) if a == b => Ok(a),
            (1, b) => Ok(b),
            (a, 1) => Ok(a),
            _ => Err("shapes that do not fit at small sizes".to_owned()),
        };
        let (rows, cols) = (side(self.rows, other.rows)?, side(self.cols, other.cols)?);
        let found = Value::matrix(rows, cols, |i, j| f(self.at(i, j), other.at(i, j)))?;
        Ok(Value {
            is_scalar: self.is_scalar && other.is_scalar,
            ..found
        })
    }

    /// # Errors
    /// The shapes do not fit.
    pub(super) fn times(&self, other: &Self) -> Known<Self> {
        if self.cols != other.rows {
            return Err("shapes that do not fit at small sizes".to_owned());
        }
        Value::matrix(self.rows, other.cols, |i, j| {
            N::total(
                (0..self.cols)
                    .map(|k| self.cells[i * self.cols + k] * other.cells[k * other.cols + j]),
            )
        })
    }

    pub(super) fn transposed(&self) -> Self {
        let cells = (0..self.cols)
            .flat_map(|j| (0..self.rows).map(move |i| self.cells[i * self.cols + j]))
            .collect();
        Value {
            is_scalar: false,
            rows: self.cols,
            cols: self.rows,
            cells,
        }
    }

    /// One number of all cells, of each row or of each column.
    pub(super) fn folded(&self, over: Over, f: impl Fn(&[N]) -> N) -> Self {
        let row = |i: usize| self.cells[i * self.cols..(i + 1) * self.cols].to_vec();
        let column = |j: usize| -> Vec<N> {
            (0..self.rows)
                .map(|i| self.cells[i * self.cols + j])
                .collect()
        };
        let (rows, cols, cells) = match over {
            Over::All => return Value::number(f(&self.cells)),
            Over::Rows => (
                self.rows,
                1,
                (0..self.rows).map(|i| f(&row(i))).collect::<Vec<N>>(),
            ),
            Over::Cols => (
                1,
                self.cols,
                (0..self.cols).map(|j| f(&column(j))).collect(),
            ),
        };
        Value {
            is_scalar: false,
            rows,
            cols,
            cells,
        }
    }

    /// `x` with `self %*% x` equal to `right`: by elimination with the largest pivot of each column.
    ///
    /// # Errors
    /// The shapes do not fit.
    pub(super) fn solved(&self, right: &Self) -> Known<Self> {
        let n = self.rows;
        if n != self.cols || n != right.rows {
            return Err("shapes that do not fit at small sizes".to_owned());
        }
        let width = n + right.cols;
        let mut all = Value::matrix(n, width, |i, j| match j.checked_sub(n) {
            None => self.cells[i * n + j],
            Some(j) => right.cells[i * right.cols + j],
        })?
        .cells;
        for k in 0..n {
            let size = |row: usize| all[row * width + k].near().abs();
            let pivot = (k..n).max_by(|a, b| size(*a).total_cmp(&size(*b)));
            let pivot = pivot.unwrap_or(k);
            for j in 0..width {
                all.swap(k * width + j, pivot * width + j);
            }
            for i in k + 1..n {
                let factor = all[i * width + k] / all[k * width + k];
                for j in k..width {
                    all[i * width + j] = all[i * width + j] - factor * all[k * width + j];
                }
            }
        }
        let mut found = right.clone();
        for k in (0..n).rev() {
            for j in 0..right.cols {
                let known = (k + 1..n).fold(all[k * width + n + j], |rest, l| {
                    rest - all[k * width + l] * found.cells[l * right.cols + j]
                });
                found.cells[k * right.cols + j] = known / all[k * width + k];
            }
        }
        Ok(found)
    }
}

/// In the order of this kind of numbers.
pub(super) fn sum<N: Number>(cells: &[N]) -> N {
    N::total(cells.iter().copied())
}

pub(super) fn mean<N: Number>(cells: &[N]) -> N {
    sum(cells) / N::of(cells.len() as f64)
}

/// From differences to the mean.
pub(super) fn variance<N: Number>(cells: &[N]) -> N {
    let middle = mean(cells);
    let squares: Vec<N> = cells
        .iter()
        .map(|x| (*x - middle) * (*x - middle))
        .collect();
    sum(&squares) / N::of(cells.len() as f64 - 1.0)
}

/// `x` to a power: whole ones by multiplying, roots by their own function.
pub(super) fn power<N: Number>(x: N, exponent: N) -> N {
    let y = exponent.near();
    if y.fract() == 0.0 && y.abs() <= 64.0 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number up to 64"
        )]
        let product = (0..y.abs() as u32).fold(N::of(1.0), |product, _| product * x);
        return if y < 0.0 {
            N::of(1.0) / product
        } else {
            product
        };
    }
    if y == 0.5 { x.sqrt() } else { x.pow(exponent) }
}

#[cfg(test)]
mod tests {
    use super::super::number::Pair;
    use super::*;

    fn matrix<N: Number>(rows: usize, cells: &[f64]) -> Value<N> {
        let cols = cells.len() / rows;
        Value::matrix(rows, cols, |i, j| N::of(cells[i * cols + j])).unwrap()
    }

    #[test]
    fn what_is_solved_gives_the_right_side_again() {
        let a = matrix::<Pair>(3, &[0.0, 2.0, 1.0, 4.0, 1.0, -1.0, 2.5, 3.0, 7.0]);
        let b = matrix::<Pair>(3, &[1.0, -2.0, 0.5, 4.0, 3.0, 0.25]);
        let again = a.times(&a.solved(&b).unwrap()).unwrap();
        let apart = again.with(&b, |x, y| (x - y).abs()).unwrap();
        assert!(apart.cells.iter().all(|x| x.near() < 1e-28));
    }

    #[test]
    fn rows_and_columns_are_repeated_and_nothing_else() {
        let x = matrix::<f64>(2, &[1.0, 2.0, 3.0, 4.0]);
        let row = matrix::<f64>(1, &[10.0, 20.0]);
        let sum = x.with(&row, |a, b| a + b).unwrap();
        assert_eq!(sum.cells, [11.0, 22.0, 13.0, 24.0]);
        assert!(x.with(&matrix(3, &[1.0; 9]), |a, _| a).is_err());
        assert_eq!(x.folded(Over::Cols, super::sum).cells, [4.0, 6.0]);
        assert_eq!(x.folded(Over::Rows, mean).cells, [1.5, 3.5]);
        assert_eq!(x.transposed().cells, [1.0, 3.0, 2.0, 4.0]);
        assert_eq!(variance(&[1.0, 2.0, 3.0, 4.0]), 5.0 / 3.0);
        assert_eq!(power(2.0, -3.0), 0.125);
    }
}
