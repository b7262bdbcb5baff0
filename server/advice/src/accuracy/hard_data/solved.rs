//! Operands of a difference that no single input makes cancel, as in `A %*% B - C %*% D` or in `X - U %*% G %*% X`: values of all
//! inputs on which they do, by Levenberg-Marquardt steps from values as they are drawn. Must never decide by a clock, nor give values
//! on which both operands are nothing.

use std::collections::{BTreeMap, BTreeSet};

use sumac_la::{Dag, Node, NodeId, Op};
use sumac_runtime::kernels::linear::solve;
use sumac_runtime::kernels::matmul::{Factor, matmul};
use sumac_runtime::{Matrix, Value, eval};

use super::cancelling::{Near, near};
use super::{From, MOST_PAIRS, mapped};
use crate::accuracy::undone::cells_read;

/// Steps from one draw at most.
const STEPS: usize = 40;
/// Cells that may change together at most: each costs a run of the difference in each step.
const MOST_UNKNOWNS: usize = 400;
/// What is left of the operands, as a share: then they cancel.
const CANCELLED: f64 = 1e-11;
/// An operand that shrinks below this share of what it was has vanished, and nothing cancels.
const VANISHED: f64 = 1e-3;
/// A relative change of a cell, for slopes.
const CHANGE: f64 = 1e-7;

/// Values on which the operands of a difference cancel.
pub(crate) struct Solved {
    values: Vec<Value>,
    /// The inputs that were changed for it.
    changed: Vec<usize>,
    /// What cancels.
    pub(crate) name: String,
}

impl Solved {
    /// Values near these, up to relative differences of cells.
    pub(crate) fn near(&self, gap: f64, seed: u64) -> Option<Vec<Value>> {
        let mut values = self.values.clone();
        for input in &self.changed {
            let noise = Near {
                gap,
                seed: seed + 1000 * *input as u64,
            };
            values[*input] = near(&self.values[*input], &self.values[*input], noise)?;
        }
        Some(values)
    }
}

impl From<'_> {
    /// One for each difference that no single input makes cancel, where one is found from these values.
    pub(crate) fn solved(self) -> BTreeMap<usize, Solved> {
        let dag = self.dag;
        let mut found = BTreeMap::new();
        for id in dag.reachable(dag.roots()) {
            let Node::Op(op @ (Op::Sub | Op::Add), args) = dag.node(id) else {
                continue;
            };
            let (left, right) = (args[0], args[1]);
            let is_set = |side, other| self.cancelling(*op, side, other).is_some();
            if found.len() == MOST_PAIRS || is_set(left, right) || is_set(right, left) {
                continue;
            }
            found.extend(Some(id.index()).zip(self.solution(*op, left, right)));
        }
        found
    }

    fn solution(self, op: Op, left: NodeId, right: NodeId) -> Option<Solved> {
        let mut difference = self.over_inputs();
        let [a, b] = [left, right].map(|side| difference.import(self.dag, side));
        let root = difference.op(op, [a, b]).ok()?;
        for root in [root, a, b] {
            difference.push_root(root);
        }
        let read = [left, right].map(|side| cells_read(self.dag, &[side], &|_| false));
        if read.iter().any(BTreeSet::is_empty) {
            return None;
        }
        let both = read[0].union(&read[1]);
        let changed: Vec<usize> = both.copied().filter(|input| self.is_free(*input)).collect();
        let values = Unknowns::of(&difference, self.start, &changed)?.solved()?;
        let [left, right] = [left, right].map(|side| (self.say)(self.dag, side));
        let name = match op {
            Op::Sub => format!("{left} ≈ {right}"),
            _ => format!("{left} ≈ -({right})"),
        };
        Some(Solved {
            values,
            changed,
            name,
        })
    }
}

/// The cells that change, of inputs whose zeros stay: sparse ones are as sparse as they are drawn.
struct Unknowns<'a> {
    /// With the difference and both operands as roots.
    difference: &'a Dag,
    start: &'a [Value],
    /// By cell: its input, and its place there.
    cells: Vec<(usize, usize)>,
}

/// The cells of a difference as shares of its operands, so that nothing is won where all of these shrink, and how large the smaller
/// operand is.
struct Residual {
    cells: Vec<f64>,
    size: f64,
}

impl Residual {
    fn length(&self) -> f64 {
        length(&self.cells)
    }
}

impl<'a> Unknowns<'a> {
    fn of(difference: &'a Dag, start: &'a [Value], changed: &[usize]) -> Option<Self> {
        let mut cells = Vec::new();
        for input in changed {
            let filled = cells_of(&start[*input])?.into_iter().enumerate();
            cells.extend(
                filled
                    .filter(|(_, x)| *x != 0.0)
                    .map(|(place, _)| (*input, place)),
            );
        }
        (1..=MOST_UNKNOWNS)
            .contains(&cells.len())
            .then_some(Unknowns {
                difference,
                start,
                cells,
            })
    }

    fn drawn(&self) -> Option<Vec<f64>> {
        let all: Vec<Vec<f64>> = self.start.iter().map(cells_of).collect::<Option<_>>()?;
        let cells = self.cells.iter();
        Some(cells.map(|(input, place)| all[*input][*place]).collect())
    }

    /// The inputs with such cells.
    fn values(&self, at: &[f64]) -> Option<Vec<Value>> {
        let mut by_input: BTreeMap<usize, BTreeMap<usize, f64>> = BTreeMap::new();
        for ((input, place), x) in self.cells.iter().zip(at) {
            by_input.entry(*input).or_default().insert(*place, *x);
        }
        let mut values = self.start.to_vec();
        for (input, cells) in by_input {
            let cols = values[input].as_matrix().map_or(1, Matrix::cols);
            values[input] = mapped(&values[input], |(row, col), x| {
                cells.get(&(row * cols + col)).copied().unwrap_or(x)
            })?;
        }
        Some(values)
    }

    fn residual(&self, at: &[f64]) -> Option<Residual> {
        let roots = eval(self.difference, &self.values(at)?).ok()?;
        let mut roots = roots.iter().map(cells_of);
        let (cells, a, b) = (roots.next()??, roots.next()??, roots.next()??);
        let (a, b) = (length(&a), length(&b));
        let (size, whole) = (a.min(b), a.max(b));
        let cells: Vec<f64> = cells.iter().map(|x| x / whole).collect();
        let is_finite = cells.iter().all(|x| x.is_finite()) && size.is_finite();
        is_finite.then_some(Residual { cells, size })
    }

    /// The slopes of the cells of the difference, a column for each cell that changes.
    fn slopes(&self, at: &[f64], here: &Residual) -> Option<Matrix> {
        let (rows, cols) = (here.cells.len(), at.len());
        let mut slopes = vec![0.0; rows * cols];
        let mut moved = at.to_vec();
        for (j, x) in at.iter().enumerate() {
            let by = CHANGE * x.abs().max(CHANGE);
            moved[j] = x + by;
            for (i, y) in self.residual(&moved)?.cells.iter().enumerate() {
                slopes[i * cols + j] = (y - here.cells[i]) / by;
            }
            moved[j] = *x;
        }
        Some(Matrix::dense(rows, cols, slopes))
    }

    /// The inputs on which the operands cancel: the step from `x` is `-J' (J J' + d I)^-1 r`, the shortest that a damped linear model
    /// of the difference asks for (Levenberg 1944, Marquardt 1963).
    fn solved(&self) -> Option<Vec<Value>> {
        let mut at = self.drawn()?;
        let mut here = self.residual(&at)?;
        let least = VANISHED * here.size;
        let mut damping = 1e-3;
        for _ in 0..STEPS {
            if here.length() <= CANCELLED {
                return (here.size >= least).then(|| self.values(&at))?;
            }
            let slopes = self.slopes(&at, &here)?;
            let next = loop {
                let step = step(&slopes, &here.cells, damping)?;
                let next: Vec<f64> = at.iter().zip(&step).map(|(x, by)| x - by).collect();
                match self.residual(&next) {
                    Some(there) if there.length() < here.length() => break (next, there),
                    _ if damping > 1e6 => return None,
                    _ => damping *= 10.0,
                }
            };
            (at, here) = next;
            damping = (damping / 10.0).max(1e-14);
        }
        None
    }
}

/// `J' (J J' + d I)^-1 r`, where the damping `d` is relative to the mean of the diagonal.
fn step(slopes: &Matrix, residual: &[f64], damping: f64) -> Option<Vec<f64>> {
    let rows = slopes.rows();
    let product = matmul(Factor::plain(slopes), Factor::transposed(slopes)).ok()?;
    let mut gram = product.to_cells();
    let trace: f64 = gram.iter().step_by(rows + 1).sum();
    for diagonal in gram.iter_mut().step_by(rows + 1) {
        *diagonal += damping * trace / rows as f64;
    }
    let residual = Matrix::dense(rows, 1, residual.to_vec());
    let weights = solve(&Matrix::dense(rows, rows, gram), &residual).ok()?;
    let step = matmul(Factor::transposed(slopes), Factor::plain(&weights)).ok()?;
    let step = step.to_cells();
    step.iter().all(|x| x.is_finite()).then_some(step)
}

fn cells_of(value: &Value) -> Option<Vec<f64>> {
    match value.as_matrix() {
        Some(matrix) => Some(matrix.to_cells()),
        None => Some(vec![value.as_number()?]),
    }
}

fn length(cells: &[f64]) -> f64 {
    cells.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use sumac_la::Type;
    use sumac_runtime::synthesize;
    use sumac_runtime::synthesize::Range;

    use super::*;

    /// What `difference` of inputs of such sizes is relative to its operands where it is solved, if it is.
    fn left_over(
        sizes: &[(u64, u64)],
        difference: impl Fn(&mut Dag, &[NodeId]) -> NodeId,
    ) -> Option<f64> {
        let mut dag = Dag::default();
        let inputs = sizes.iter().enumerate();
        let inputs: Vec<NodeId> = inputs
            .map(|(i, (rows, cols))| dag.input(&format!("X{i}"), Type::matrix(*rows, *cols)))
            .collect();
        let root = difference(&mut dag, &inputs);
        dag.push_root(root);
        let values = dag.inputs().iter().enumerate();
        let values: Vec<Value> = values
            .map(|(i, input)| synthesize(&input.ty, i as u64, Range::Signed).unwrap())
            .collect();
        let from = From {
            dag: &dag,
            start: &values,
            like: &values,
            is_whole: false,
            free: values.len(),
            say: &|dag, id| dag.print(id),
        };
        let solved = from.solved().into_values().next()?;
        let left = cells_of(&eval(&dag, &solved.values).unwrap()[0]).unwrap();
        let rest: f64 = solved
            .changed
            .iter()
            .map(|i| length(&cells_of(&solved.values[*i]).unwrap()))
            .sum();
        assert!(rest > 0.1, "nothing is left of {}", solved.name);
        Some(length(&left))
    }

    fn op(dag: &mut Dag, op: Op, args: &[NodeId]) -> NodeId {
        dag.op(op, args.iter().copied()).unwrap()
    }

    #[test]
    fn two_products_are_made_equal() {
        let left = left_over(&[(6, 3), (3, 5), (6, 2), (2, 5)], |dag, x| {
            let (a, b) = (
                op(dag, Op::MatMul, &[x[0], x[1]]),
                op(dag, Op::MatMul, &[x[2], x[3]]),
            );
            op(dag, Op::Sub, &[a, b])
        });
        assert!(left.is_some_and(|left| left < 1e-9), "{left:?}");
    }

    #[test]
    fn a_matrix_is_put_into_what_it_is_projected_to() {
        let left = left_over(&[(8, 6), (8, 3), (3, 8)], |dag, x| {
            let within = op(dag, Op::MatMul, &[x[2], x[0]]);
            let projected = op(dag, Op::MatMul, &[x[1], within]);
            op(dag, Op::Sub, &[x[0], projected])
        });
        assert!(left.is_some_and(|left| left < 1e-9), "{left:?}");
    }

    #[test]
    fn what_one_input_makes_cancel_is_left_to_that() {
        let left = left_over(&[(4, 4), (4, 4)], |dag, x| op(dag, Op::Sub, &[x[0], x[1]]));
        assert_eq!(left, None);
    }

    #[test]
    fn what_is_never_equal_is_not_solved() {
        // A sum of squares beside the same and one more.
        let left = left_over(&[(4, 4)], |dag, x| {
            let square = op(dag, Op::Mul, &[x[0], x[0]]);
            let one = dag.num(1.0);
            let more = op(dag, Op::Add, &[square, one]);
            let exp = op(dag, Op::Exp, &[more]);
            let other = op(dag, Op::Neg, &[square]);
            op(dag, Op::Sub, &[exp, other])
        });
        assert_eq!(left, None);
    }

    #[test]
    fn a_scaled_product_is_made_equal_to_another_of_the_same_kind() {
        let left = left_over(&[(5, 5), (5, 5)], |dag, x| {
            let square = |dag: &mut Dag, x: NodeId| {
                let transposed = op(dag, Op::Transpose, &[x]);
                op(dag, Op::MatMul, &[x, transposed])
            };
            let (a, l) = (square(dag, x[0]), square(dag, x[1]));
            let count = dag.num(200.0);
            let a = op(dag, Op::Div, &[a, count]);
            op(dag, Op::Sub, &[a, l])
        });
        assert!(left.is_some_and(|left| left < 1e-9), "{left:?}");
    }

    #[test]
    fn a_matrix_is_made_equal_to_a_column_times_its_means() {
        let left = left_over(&[(5, 4), (5, 1)], |dag, x| {
            let means = op(dag, Op::ColMeans, &[x[0]]);
            let product = op(dag, Op::MatMul, &[x[1], means]);
            op(dag, Op::Sub, &[x[0], product])
        });
        assert!(left.is_some_and(|left| left < 1e-9), "{left:?}");
    }
}
