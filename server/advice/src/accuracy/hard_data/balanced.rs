//! Rows and columns that sum up to nearly nothing, under a product that sums them up. Must never make other kinds for one draw than
//! for another.

use std::collections::BTreeSet;

use sumac_la::{Node, NodeId, Op};
use sumac_runtime::{Matrix, Value};

use super::{From, input_at};

/// What is made uneven before its sums are taken away.
#[derive(Clone, Copy)]
enum Uneven {
    No,
    /// One cell is huge.
    Cell,
    /// Rows are of very different sizes.
    Rows,
}

const BALANCED: [Uneven; 3] = [Uneven::No, Uneven::Cell, Uneven::Rows];

impl<'a> From<'a> {
    /// The rows, or columns, of a matrix that is multiplied by one number all over sum up to nearly nothing, as they are and beside
    /// cells of very different sizes.
    pub(super) fn balanced(self) -> impl Iterator<Item = (Vec<Value>, String)> + 'a {
        self.summed().into_iter().flat_map(move |(input, is_rows)| {
            let trials = BALANCED
                .into_iter()
                .flat_map(|uneven| [8, 13, 16].map(|exponent| (uneven, exponent)));
            trials.filter_map(move |(uneven, exponent)| {
                let matrix = self.start[input].as_matrix()?;
                let (rows, cols) = (matrix.rows(), matrix.cols());
                let group = |i: usize| if is_rows { i / cols } else { i % cols };
                let mut cells = matrix.to_cells();
                let mut counts = vec![0.0; rows.max(cols)];
                for (i, x) in cells.iter().enumerate() {
                    counts[group(i)] += f64::from(u8::from(*x != 0.0));
                }
                let is_free = |i: usize, x: f64| x != 0.0 && counts[group(i)] >= 2.0;
                match uneven {
                    Uneven::No => {}
                    Uneven::Cell => {
                        let all = cells.iter().enumerate();
                        let free = all.filter(|(i, x)| is_free(*i, **x)).map(|(i, _)| i);
                        // In the emptiest sum it leaves the least behind, and in the last it meets what is added before.
                        let least =
                            |i: &usize, j: &usize| counts[group(*i)].total_cmp(&counts[group(*j)]);
                        if let Some(huge) = free.rev().min_by(least) {
                            cells[huge] *= 1e15;
                        }
                    }
                    Uneven::Rows => {
                        let last = rows.max(2) as f64 - 1.0;
                        for (i, x) in cells.iter_mut().enumerate() {
                            *x *= 10_f64.powf(13.0 * (i / cols) as f64 / last);
                        }
                    }
                }
                let mut sums = vec![0.0; counts.len()];
                for (i, x) in cells.iter().enumerate() {
                    sums[group(i)] += x;
                }
                let share = 1.0 - 10_f64.powi(-exponent);
                for (i, x) in cells.iter_mut().enumerate() {
                    if is_free(i, *x) {
                        *x -= share * sums[group(i)] / counts[group(i)];
                    }
                }
                let side = if is_rows { "rows" } else { "columns" };
                let name = self.name(input);
                let beside = match uneven {
                    Uneven::No => String::new(),
                    Uneven::Cell => format!(", a cell of {name} is large"),
                    Uneven::Rows => format!(", rows of {name} are of very different sizes"),
                };
                let name = format!("{side} of {name} sum up to nearly nothing{beside}");
                let value = Matrix::dense(rows, cols, cells).into();
                Some((self.with(input, value), name))
            })
        })
    }

    /// The inputs whose rows or columns a product with a matrix of one number sums up, and whether it is the rows.
    fn summed(self) -> BTreeSet<(usize, bool)> {
        let dag = self.dag;
        let is_fill = |id: NodeId| matches!(dag.node(id), Node::Op(Op::Fill, _));
        let products = dag.reachable(dag.roots()).into_iter();
        products
            .filter_map(|id| match dag.node(id) {
                Node::Op(Op::MatMul, args) => Some((args[0], args[1])),
                _ => None,
            })
            .filter_map(|(left, right)| {
                let (of, is_left) = match (is_fill(left), is_fill(right)) {
                    (false, true) => (left, true),
                    (true, false) => (right, false),
                    _ => return None,
                };
                let (input, is_transposed) = input_at(dag, of)?;
                self.is_free(input)
                    .then_some((input, is_left != is_transposed))
            })
            .collect()
    }
}
