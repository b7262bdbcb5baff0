//! Data on which a form may lose digits: large means, full columns of sparse matrices, operands that nearly cancel, orthogonal factors,
//! rows of very different sizes. Must never look at the suggested form: data that only one form is tried on would be unfair to the other.

mod balanced;
mod cancelling;
mod orthogonal;
mod solved;
mod thin;

use sumac_la::{Dag, Input, Node, NodeId, Op};
use sumac_runtime::{Matrix, Value};

use super::Say;
use super::undone::{Undone, undone};

/// Powers of ten between what differs and what is common, as they are tried.
const EXPONENTS: [i32; 9] = [1, 2, 3, 4, 6, 8, 10, 13, 15];
/// The same for cells that are whole numbers: beyond the last not all of them are doubles.
const WHOLE_EXPONENTS: [i32; 3] = [4, 8, 12];
/// What an input is multiplied by that is nothing beside the others.
const TINY: f64 = 1e-16;
/// Pairs of operands that are made nearly equal at most.
const MOST_PAIRS: usize = 8;

/// Values for the inputs of the written form on which digits may be lost, each with what it is; made from the values of the start.
/// From all starts with the same `like` they are of the same kinds in the same order.
pub(super) fn hard_data<'a>(from: From<'a>) -> impl Iterator<Item = (Vec<Value>, String)> + 'a {
    let large = from.large_means().chain(from.full_columns());
    let large = large
        .chain(from.constant_columns())
        .chain(from.large_together());
    let large = large.chain(from.huge_cells()).chain(from.balanced());
    large
        .chain(from.nearly_equal())
        .chain(from.large_and_nearly_equal())
        .chain(from.apart_by_ones())
        .chain(from.near_thin_products())
        .chain(from.orthogonal())
        .chain(from.large_whole_means())
        .chain(from.bad_scales())
        .chain(from.tiny())
}

/// The written form and the data to start from.
#[derive(Clone, Copy)]
pub(super) struct From<'a> {
    pub(super) dag: &'a Dag,
    pub(super) start: &'a [Value],
    /// Another draw of the same inputs, which decides of which kind an input is.
    pub(super) like: &'a [Value],
    /// Whether cells are whole numbers, and the means of columns, too.
    pub(super) is_whole: bool,
    /// How many inputs may hold other values; those after them hold what they are drawn with.
    pub(super) free: usize,
    pub(super) say: Say<'a>,
}

impl<'a> From<'a> {
    /// The inputs that may hold other values.
    fn free(self) -> impl Iterator<Item = usize> + 'a {
        (0..self.free).filter(move |input| self.is_free(*input))
    }

    /// Whether an input may hold other values: a number that says a size is as large as the data.
    fn is_free(self, input: usize) -> bool {
        input < self.free && !says_size(&self.dag.inputs()[input])
    }

    fn with(self, input: usize, value: Value) -> Vec<Value> {
        let mut inputs = self.start.to_vec();
        inputs[input] = value;
        inputs
    }

    /// Differences of about one, in no order.
    fn difference(self, row: usize) -> f64 {
        if self.is_whole {
            // With a mean of nothing, up to a last row.
            let sign = if row.is_multiple_of(2) { 1.0 } else { -1.0 };
            sign * (1 + (row / 2 * 7919) % 13) as f64
        } else {
            ((row * 7919) % 101) as f64 / 101.0
        }
    }

    fn name(self, input: usize) -> &'a str {
        &self.dag.inputs()[input].name
    }

    /// The mean of an input's non-zero cells is large beside their spread.
    fn large_means(self) -> impl Iterator<Item = (Vec<Value>, String)> + 'a {
        self.free().flat_map(move |input| {
            EXPONENTS.into_iter().filter_map(move |exponent| {
                let value = with_mean(&self.start[input], exponent)?;
                let name = format!(
                    "the cells of {} are large beside their differences",
                    self.name(input)
                );
                Some((self.with(input, value), name))
            })
        })
    }

    /// The same, where that input alone has whole cells and a whole mean: its differences to the mean are exact, and what stands
    /// beside them need not sum up to anything exact.
    fn large_whole_means(self) -> impl Iterator<Item = (Vec<Value>, String)> + 'a {
        let inputs = self.free().filter(move |_| !self.is_whole);
        inputs.flat_map(move |input| {
            let whole = in_whole_numbers(&self.dag.inputs()[input], &self.start[input]);
            WHOLE_EXPONENTS.into_iter().filter_map(move |exponent| {
                let value = with_mean(&whole, exponent)?;
                let name = format!(
                    "the cells of {} are whole numbers, large beside their differences",
                    self.name(input)
                );
                Some((self.with(input, value), name))
            })
        })
    }

    /// A sparse input has a full column, and its mean is large beside its spread.
    fn full_columns(self) -> impl Iterator<Item = (Vec<Value>, String)> + 'a {
        let is_sparse = |value: &Value| {
            let matrix = value.as_matrix().filter(|matrix| matrix.cols() > 1);
            matrix.is_some_and(|matrix| matrix.to_cells().contains(&0.0))
        };
        let sparse = self
            .free()
            .filter(move |input| is_sparse(&self.like[*input]));
        sparse.flat_map(move |input| {
            EXPONENTS.into_iter().filter_map(move |exponent| {
                let value = mapped(&self.start[input], |(row, col), x| match col {
                    0 => 10_f64.powi(exponent) + self.difference(row),
                    _ => x,
                })?;
                let name = format!(
                    "a full column of {} is large beside its differences",
                    self.name(input)
                );
                Some((self.with(input, value), name))
            })
        })
    }

    /// A column of an input is one large number, as of a year: its mean is exact, so that nothing is left of it.
    fn constant_columns(self) -> impl Iterator<Item = (Vec<Value>, String)> + 'a {
        let matrices = self.free().filter(move |input| {
            let matrix = self.start[*input].as_matrix();
            matrix.is_some_and(|matrix| matrix.rows() > 1 && matrix.cols() > 1)
        });
        matrices.flat_map(move |input| {
            EXPONENTS.into_iter().filter_map(move |exponent| {
                let value = mapped(&self.start[input], |(_, col), x| match col {
                    0 => 10_f64.powi(exponent),
                    _ => x,
                })?;
                let name = format!("a column of {} is one large number", self.name(input));
                Some((self.with(input, value), name))
            })
        })
    }

    /// An input and one that is repeated beside it, as the rows of a matrix and their centre, are large together: what they have in
    /// common cancels in their difference.
    fn large_together(self) -> impl Iterator<Item = (Vec<Value>, String)> + 'a {
        self.repeated().into_iter().flat_map(move |beside| {
            EXPONENTS.into_iter().filter_map(move |exponent| {
                let inputs = self.with_common(&beside, 10_f64.powi(exponent))?;
                let matrix = self.like[beside.matrix].as_matrix()?;
                let whole = match matrix.to_cells().contains(&0.0) {
                    true => "a full column of ",
                    false => "",
                };
                let name = format!(
                    "{whole}{} and {} are large beside their differences",
                    self.name(beside.matrix),
                    self.name(beside.repeated)
                );
                Some((inputs, name))
            })
        })
    }

    fn with_common(self, beside: &Beside, common: f64) -> Option<Vec<Value>> {
        let matrix = &self.start[beside.matrix];
        let like = self.like[beside.matrix].as_matrix()?;
        let has_zeros = like.to_cells().contains(&0.0);
        // What is nearly all zero has one full column, and that cell of the other is large.
        if has_zeros && beside.is_turned == beside.is_row {
            return None;
        }
        let is_common = |col: usize| !has_zeros || col == 0;
        let large = mapped(matrix, |(row, col), x| match x {
            _ if !is_common(col) => x,
            0.0 => common + self.difference(row),
            x => common + x,
        })?;
        let other = mapped(&self.start[beside.repeated], |(row, col), x| {
            // It may be written as a column and turned.
            if is_common(row + col) {
                let cell = beside.sign * (common + x);
                beside.undone.iter().fold(cell, |cell, step| step.of(cell))
            } else {
                x
            }
        })?;
        let mut inputs = self.with(beside.matrix, large);
        inputs[beside.repeated] = other;
        Some(inputs)
    }

    /// The inputs that stand beside a row, a column or a number in a sum or difference.
    fn repeated(self) -> Vec<Beside> {
        let dag = self.dag;
        let mut all: Vec<Beside> = Vec::new();
        for id in dag.reachable(dag.roots()) {
            let (sign, args) = match dag.node(id) {
                Node::Op(Op::Sub, args) => (1.0, args),
                Node::Op(Op::Add, args) => (-1.0, args),
                _ => continue,
            };
            for (whole, part) in [(args[0], args[1]), (args[1], args[0])] {
                let (Some((matrix, is_turned)), Some((repeated, undone))) =
                    (input_at(dag, whole), undone(dag, part))
                else {
                    continue;
                };
                let ty = dag.ty(part);
                let is_less = ty.cells() < dag.ty(whole).cells();
                let are_free = self.is_free(matrix) && self.is_free(repeated);
                if matrix == repeated || !is_less || !are_free {
                    continue;
                }
                all.push(Beside {
                    matrix,
                    repeated,
                    sign,
                    undone,
                    is_turned,
                    is_row: ty.rows.is_one() && !ty.is_scalar(),
                });
            }
        }
        all.truncate(MOST_PAIRS);
        all
    }

    /// Rows of an input differ by powers of ten.
    fn bad_scales(self) -> impl Iterator<Item = (Vec<Value>, String)> + 'a {
        self.free().flat_map(move |input| {
            [4, 8].into_iter().filter_map(move |exponent| {
                let rows = self.start[input].as_matrix()?.rows().max(2);
                let value = mapped(&self.start[input], |(row, _), x| {
                    x * 10_f64.powf(f64::from(exponent) * row as f64 / (rows - 1) as f64)
                })?;
                let name = format!("rows of {} are of very different sizes", self.name(input));
                Some((self.with(input, value), name))
            })
        })
    }

    /// One cell is far below all others, so that what takes its sign away leaves the others.
    fn huge_cells(self) -> impl Iterator<Item = (Vec<Value>, String)> + 'a {
        self.free().flat_map(move |input| {
            [8, 15].into_iter().filter_map(move |exponent| {
                let matrix = self.start[input].as_matrix()?;
                let cells = matrix.to_cells();
                let first = cells.iter().position(|cell| *cell != 0.0)?;
                let place = (first / matrix.cols(), first % matrix.cols());
                let value = mapped(&self.start[input], |at, x| match at == place {
                    true => -x.abs() * 10_f64.powi(exponent),
                    false => x,
                })?;
                let name = format!("a cell of {} is large and negative", self.name(input));
                Some((self.with(input, value), name))
            })
        })
    }

    /// All of an input is small beside the others, so that what others leave is large beside it.
    fn tiny(self) -> impl Iterator<Item = (Vec<Value>, String)> + 'a {
        self.free().flat_map(move |input| {
            [1e-8, TINY].into_iter().filter_map(move |scale| {
                let value = mapped(&self.start[input], |_, x| x * scale)?;
                let name = format!("{} is tiny", self.name(input));
                Some((self.with(input, value), name))
            })
        })
    }
}

/// An input beside one that is repeated along it.
struct Beside {
    matrix: usize,
    repeated: usize,
    /// With which sign they cancel.
    sign: f64,
    /// What makes the input of what stands there.
    undone: Vec<Undone>,
    /// Whether the matrix is transposed there.
    is_turned: bool,
    /// Whether it is a row that is repeated.
    is_row: bool,
}

/// The input that a node is but for the order of its rows, and whether it is transposed.
fn input_at(dag: &Dag, id: NodeId) -> Option<(usize, bool)> {
    let (mut at, mut is_transposed) = (id, false);
    loop {
        match dag.node(at) {
            Node::Input(input) => return Some((*input as usize, is_transposed)),
            Node::Op(Op::Transpose, args) => (at, is_transposed) = (args[0], !is_transposed),
            Node::Op(Op::Rev, args) => at = args[0],
            _ => return None,
        }
    }
}

fn says_size(input: &Input) -> bool {
    input.ty.is_scalar() && input.ty.size.estimate().is_some()
}

/// A value like that of an input whose cells are small whole numbers, zeros where it has zeros, and the means of its columns, too.
pub(super) fn in_whole_numbers(input: &Input, value: &Value) -> Value {
    if says_size(input) {
        return value.clone();
    }
    let whole = |x: f64| match (8.0 * x).round() {
        0.0 => x.signum() * f64::from(u8::from(x != 0.0)),
        rounded => rounded,
    };
    let Some(value) = mapped(value, |_, x| whole(x)) else {
        return value.clone();
    };
    let Some(matrix) = value.as_matrix().filter(|matrix| matrix.rows() > 1) else {
        return value;
    };
    let (rows, cols) = (matrix.rows(), matrix.cols());
    // The sum of each column, and its last row that is not zero.
    let mut columns = vec![(0.0, None); cols];
    for (i, x) in matrix.to_cells().into_iter().enumerate() {
        let (sum, last) = &mut columns[i % cols];
        *sum += x;
        if x != 0.0 {
            *last = Some(i / cols);
        }
    }
    // What a column has more than a multiple of its length; not all of it, for columns without a sum would hide what is lost of it.
    let rest = |sum: f64| match sum.rem_euclid(rows as f64) {
        rest if rest == sum => rest - rows as f64,
        rest => rest,
    };
    let with_means = mapped(&value, |(row, col), x| match columns[col] {
        (sum, Some(last)) if last == row => x - rest(sum),
        _ => x,
    });
    with_means.unwrap_or(value)
}

/// The same value with non-zero cells that are larger by a power of ten.
fn with_mean(value: &Value, exponent: i32) -> Option<Value> {
    mapped(value, |_, x| match x {
        0.0 => 0.0,
        x => x + 10_f64.powi(exponent),
    })
}

/// Each cell by its row and column.
fn mapped(value: &Value, f: impl Fn((usize, usize), f64) -> f64) -> Option<Value> {
    match value.as_matrix() {
        Some(matrix) => {
            let (rows, cols) = (matrix.rows(), matrix.cols());
            let cells = matrix.to_cells();
            let cells = cells.iter().enumerate();
            let cells = cells
                .map(|(i, x)| f((i / cols.max(1), i % cols.max(1)), *x))
                .collect();
            Some(Matrix::dense(rows, cols, cells).into())
        }
        None => Some(Value::Double(f((0, 0), value.as_number()?))),
    }
}
