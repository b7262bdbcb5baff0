//! Naive matrices with what is known of their rounding.
//!
//! A value says how far each of its cells may be from the exact one, so that the comparison has a bound that follows from the
//! operators and not from somebody's feeling. Where all that was computed is a multiple of a power of two and small enough, nothing
//! was rounded, in whatever order it is computed: the bound is zero, and operators that jump may read it.

/// A matrix, or a number if `is_scalar`.
#[derive(Clone, Debug)]
pub(crate) struct Val {
    pub(crate) is_scalar: bool,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    /// By rows.
    pub(crate) cells: Vec<f64>,
    /// How far a cell may be from the exact one.
    pub(crate) error: f64,
    /// If nothing was rounded: all cells are multiples of two to the power of minus this.
    pub(crate) grid: Option<i32>,
}

/// What one operator on doubles loses, with a reserve for functions that libraries compute to some last digits.
const ROUNDING: f64 = 1e-14;

/// Larger cells say nothing.
const LARGEST: f64 = 1e12;

impl Val {
    /// A matrix of exact cells.
    pub(crate) fn exact(rows: usize, cols: usize, cells: Vec<f64>) -> Val {
        let grid = cells
            .iter()
            .map(|x| grid_of(*x))
            .try_fold(0, |most, grid| Some(most.max(grid?)));
        Val {
            is_scalar: false,
            rows,
            cols,
            cells,
            error: 0.0,
            grid,
        }
    }

    /// A number.
    pub(crate) fn number(x: f64) -> Val {
        Val {
            is_scalar: true,
            ..Val::exact(1, 1, vec![x])
        }
    }

    pub(crate) fn shape(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    pub(crate) fn at(&self, row: usize, col: usize) -> f64 {
        self.cells[row * self.cols + col]
    }

    /// The largest magnitude.
    pub(crate) fn most(&self) -> f64 {
        self.cells
            .iter()
            .fold(0.0, |most: f64, x| most.max(x.abs()))
    }

    /// The smallest magnitude.
    pub(crate) fn least(&self) -> f64 {
        self.cells
            .iter()
            .fold(f64::INFINITY, |least: f64, x| least.min(x.abs()))
    }

    /// Whether nothing was rounded on the way to it.
    pub(crate) fn is_exact(&self) -> bool {
        self.grid.is_some() && self.error == 0.0
    }

    /// The same cells in another shape or order.
    pub(crate) fn with_cells(&self, rows: usize, cols: usize, cells: Vec<f64>) -> Val {
        Val {
            is_scalar: false,
            rows,
            cols,
            cells,
            ..*self
        }
    }

    /// A result whose sums of magnitudes are at most `magnitude`: exact if it lies on `grid` and fits, else with the error that
    /// came with its arguments and that of `steps` roundings. `None` if it is not worth comparing.
    pub(crate) fn result(
        (rows, cols): (usize, usize),
        cells: Vec<f64>,
        grid: Option<i32>,
        magnitude: f64,
        (error, steps): (f64, usize),
    ) -> Option<Val> {
        const BITS: f64 = 9_007_199_254_740_992.0;
        let is_exact = grid.is_some_and(|grid| grid < 200 && magnitude * 2_f64.powi(grid) < BITS);
        let found = Val {
            is_scalar: false,
            rows,
            cols,
            cells,
            error: if is_exact && error == 0.0 {
                0.0
            } else {
                error + ROUNDING * magnitude * steps as f64
            },
            grid: grid.filter(|_| is_exact && error == 0.0),
        };
        let is_useful = found
            .cells
            .iter()
            .all(|x| x.is_finite() && x.abs() < LARGEST)
            && magnitude < LARGEST
            && found.error <= 1e-7 * (1.0 + found.most());
        is_useful.then_some(found)
    }
}

/// The power of two of which a number is a multiple, negated; `None` if it is no short binary fraction.
fn grid_of(x: f64) -> Option<i32> {
    (0..30).find(|grid| (x * 2_f64.powi(*grid)).fract() == 0.0)
}
