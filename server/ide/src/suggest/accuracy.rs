//! How many digits a suggested form loses beside the written one, on data where it could hurt.
//!
//! Two forms that are equal in real arithmetic may differ in every digit: `X - colMeans(X)` keeps what the difference of two
//! large products has lost. So both are run on small data and measured against an evaluation in twice the precision: on random
//! data, and, in a short search for the largest loss, on data where operands nearly cancel, where means are large beside their
//! differences, and where rows are badly scaled. Must never decide by a clock; the same forms give the same answer.

use std::fmt;

use sumac_la::{Dag, Node, NodeId, Op, Type, scaled};
use sumac_runtime::precise::{Precise, eval_precise};
use sumac_runtime::synthesize::Range;
use sumac_runtime::{Matrix, Value, eval, synthesize};

use super::Forms;
use crate::CancelToken;

/// Cells of the largest value of a run: products in twice the precision are slow.
const MAX_CELLS: f64 = 400.0;
/// Non-zeros that a sparse input has at least.
const LEAST_NON_ZEROS: f64 = 6.0;
/// Digits that a double has.
const DIGITS: f64 = 16.0;
/// Below this loss two forms are as accurate as each other: another order of additions makes such differences.
const NOTABLE: f64 = 1.5;
/// Powers of ten between what differs and what is common, as they are tried.
const EXPONENTS: [i32; 8] = [1, 2, 3, 4, 6, 8, 10, 13];
/// Draws of what differs, where hardly anything does.
const DRAWS: u64 = 12;
/// Pairs of operands that are made nearly equal at most.
const MOST_PAIRS: usize = 8;

/// The accuracy of a suggested form beside that of the written one.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Accuracy {
    /// Decimal digits that it loses on the worst data that was found: 0 to 16; below 0 where it gains some on all data.
    pub lost_digits: f64,
    /// Which data that is, as `X ≈ U %*% t(V)`. `None` where random data shows as much.
    pub worst: Option<String>,
    /// Whether it has no value there, or not a finite one, where the written form has one.
    pub is_undefined: bool,
}

impl Accuracy {
    /// Whether so many digits are lost that a person should know.
    #[must_use]
    pub fn loses(&self) -> bool {
        self.is_undefined || self.lost_digits >= NOTABLE
    }
}

impl fmt::Display for Accuracy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_undefined {
            f.write_str("has no value")?;
        } else if self.lost_digits >= NOTABLE {
            write!(f, "loses about {:.0} digits", self.lost_digits)?;
        } else if self.lost_digits <= -NOTABLE {
            write!(f, "gains about {:.0} digits", -self.lost_digits)?;
        } else {
            return f.write_str("as accurate");
        }
        match &self.worst {
            Some(data) => write!(f, " where {data}"),
            None => Ok(()),
        }
    }
}

/// What the suggested form of `forms` loses. `None` where it cannot be measured: no smaller data, an operator without a precise
/// form, no data on which the written form is defined.
pub(super) fn measure(forms: &Forms, cancel: &CancelToken) -> Option<Accuracy> {
    // Over the inputs of the block first: what variables hold is not free to take any value.
    let pairs = [&forms.whole, &forms.written];
    let (original, optimized) = pairs.iter().find_map(|(a, b)| at_small_scale(a, b))?;
    let places = places(&original, &optimized)?;
    [Range::Signed, Range::Positive]
        .into_iter()
        .find_map(|range| {
            let trials = Trials {
                original: &original,
                optimized: &optimized,
                places: &places,
                start: start(&original, range)?,
            };
            trials.worst(cancel)
        })
}

/// Both forms over small inputs; the same divisor for both.
fn at_small_scale(original: &Dag, optimized: &Dag) -> Option<(Dag, Dag)> {
    let is_small = |dag: &Dag| {
        let mut ids = dag.reachable(dag.roots()).into_iter();
        ids.all(|id| dag.ty(id).cells().is_some_and(|cells| cells <= MAX_CELLS))
    };
    (0..40).map(|i| 1_u64 << i).find_map(|divisor| {
        let original = scaled(original, divisor).filter(&is_small)?;
        Some((original, scaled(optimized, divisor).filter(&is_small)?))
    })
}

/// For each input of the suggested form its number among those of the written one.
fn places(original: &Dag, optimized: &Dag) -> Option<Vec<usize>> {
    let inputs = optimized.inputs().iter();
    inputs
        .map(|input| {
            let mut known = original.inputs().iter();
            known.position(|other| other.name == input.name)
        })
        .collect()
}

fn start(dag: &Dag, range: Range) -> Option<Vec<Value>> {
    let inputs = dag.inputs().iter().zip(1..);
    inputs
        .map(|(input, seed)| random(&input.ty, seed, range))
        .collect()
}

fn random(ty: &Type, seed: u64, range: Range) -> Option<Value> {
    let least = (LEAST_NON_ZEROS / ty.cells()?.max(1.0)).min(1.0);
    let ty = Type {
        sparsity: Some(ty.density().max(least)),
        ..ty.clone()
    };
    synthesize(&ty, seed, range).ok()
}

/// Both forms, and the data that all trials start from.
struct Trials<'a> {
    original: &'a Dag,
    optimized: &'a Dag,
    places: &'a [usize],
    start: Vec<Value>,
}

impl Trials<'_> {
    fn worst(&self, cancel: &CancelToken) -> Option<Accuracy> {
        let mut worst = self.loss(&self.start, None)?;
        let mut least = worst.lost_digits;
        for (inputs, name) in self.hard_data() {
            if cancel.is_cancelled() {
                return None;
            }
            if let Some(found) = self.loss(&inputs, Some(name)) {
                least = least.min(found.lost_digits);
                if (found.is_undefined, found.lost_digits - NOTABLE / 2.0)
                    > (worst.is_undefined, worst.lost_digits)
                {
                    worst = found;
                }
            }
        }
        // What gains somewhere and loses nowhere is said to gain.
        if worst.lost_digits.abs() < NOTABLE && least <= -NOTABLE && !worst.is_undefined {
            worst.lost_digits = worst.lost_digits.min(0.0);
        }
        Some(worst)
    }

    /// The digits lost on this data. `None` where the written form has no value there.
    fn loss(&self, inputs: &[Value], name: Option<String>) -> Option<Accuracy> {
        let exact = eval_precise(self.original, inputs)?;
        if !exact.iter().all(Precise::is_finite) {
            return None;
        }
        let written = eval(self.original, inputs).ok()?;
        let others: Vec<Value> = self.places.iter().map(|i| inputs[*i].clone()).collect();
        let suggested = eval(self.optimized, &others).ok()?;
        let losses = exact.iter().zip(written.iter().zip(&suggested));
        let losses = losses.filter_map(|(exact, (written, suggested))| {
            let (before, after) = (exact.error_of(written), exact.error_of(suggested));
            // On data where the written form has no value, or no digit of it, nothing can be lost.
            let before = Some(before).filter(|before| before.is_finite())?;
            let digits = |error: f64| (-error.max(f64::EPSILON / 2.0).log10()).clamp(0.0, DIGITS);
            Some((after.is_infinite(), digits(before) - digits(after)))
        });
        let (is_undefined, lost_digits) = losses.reduce(|a, b| (a.0 || b.0, a.1.max(b.1)))?;
        Some(Accuracy {
            lost_digits,
            worst: name,
            is_undefined,
        })
    }

    /// Data on which digits may be lost, each with what it is.
    fn hard_data(&self) -> impl Iterator<Item = (Vec<Value>, String)> + '_ {
        self.large_means()
            .chain(self.full_columns())
            .chain(self.nearly_equal())
            .chain(self.bad_scales())
    }

    fn with(&self, input: usize, value: Value) -> Vec<Value> {
        let mut inputs = self.start.clone();
        inputs[input] = value;
        inputs
    }

    fn name(&self, input: usize) -> &str {
        &self.original.inputs()[input].name
    }

    /// The mean of an input's non-zero cells is large beside their spread.
    fn large_means(&self) -> impl Iterator<Item = (Vec<Value>, String)> + '_ {
        (0..self.start.len()).flat_map(move |input| {
            EXPONENTS.into_iter().filter_map(move |exponent| {
                let value = mapped(&self.start[input], |(_, _), x| match x {
                    0.0 => 0.0,
                    x => x + 10_f64.powi(exponent),
                })?;
                let name = format!(
                    "the cells of {} are large beside their differences",
                    self.name(input)
                );
                Some((self.with(input, value), name))
            })
        })
    }

    /// A sparse input has a full column, and its mean is large beside its spread.
    fn full_columns(&self) -> impl Iterator<Item = (Vec<Value>, String)> + '_ {
        let is_sparse = |value: &Value| {
            let matrix = value.as_matrix().filter(|matrix| matrix.cols() > 1);
            matrix.is_some_and(|matrix| matrix.to_cells().contains(&0.0))
        };
        let sparse = (0..self.start.len()).filter(move |input| is_sparse(&self.start[*input]));
        sparse.flat_map(move |input| {
            EXPONENTS.into_iter().filter_map(move |exponent| {
                let value = mapped(&self.start[input], |(row, col), x| match col {
                    // Differences of about one, in no order.
                    0 => 10_f64.powi(exponent) + ((row * 7919) % 101) as f64 / 101.0,
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

    /// Rows of an input differ by powers of ten.
    fn bad_scales(&self) -> impl Iterator<Item = (Vec<Value>, String)> + '_ {
        (0..self.start.len()).flat_map(move |input| {
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

    /// Operands of a difference are nearly equal.
    fn nearly_equal(&self) -> impl Iterator<Item = (Vec<Value>, String)> + '_ {
        let pairs = self.pairs();
        pairs.into_iter().flat_map(move |(input, target, name)| {
            // Where nothing but rounding is left, its sign differs from draw to draw.
            let seed = |exponent: i32, draw: u64| 100 * draw + u64::from(exponent.unsigned_abs());
            let draws = |exponent| if exponent < 8 { 1 } else { DRAWS };
            let trials = EXPONENTS.into_iter();
            let trials =
                trials.flat_map(move |exponent| (0..draws(exponent)).map(move |n| (exponent, n)));
            trials.filter_map(move |(exponent, draw)| {
                let gap = 10_f64.powi(-exponent);
                let value = near(&self.start[input], &target, gap, seed(exponent, draw))?;
                Some((self.with(input, value), name.clone()))
            })
        })
    }

    /// Inputs that can be set to what they are subtracted from, and inputs of one shape.
    fn pairs(&self) -> Vec<(usize, Value, String)> {
        let dag = self.original;
        let mut pairs = Vec::new();
        for id in dag.reachable(dag.roots()) {
            let (op, args) = match dag.node(id) {
                Node::Op(op @ (Op::Sub | Op::Add), args) => (*op, args),
                _ => continue,
            };
            for (side, other) in [(args[0], args[1]), (args[1], args[0])] {
                pairs.extend(self.cancelling(op, side, other));
            }
        }
        for (i, one) in dag.inputs().iter().enumerate() {
            for (j, other) in dag.inputs().iter().enumerate().skip(i + 1) {
                if one.ty.rows == other.ty.rows && one.ty.cols == other.ty.cols {
                    let name = format!("{} ≈ {}", other.name, one.name);
                    pairs.push((j, self.start[i].clone(), name));
                }
            }
        }
        pairs.truncate(MOST_PAIRS);
        pairs
    }

    /// The value for the input at `side` with which it cancels `other`.
    fn cancelling(&self, op: Op, side: NodeId, other: NodeId) -> Option<(usize, Value, String)> {
        let dag = self.original;
        let (leaf, is_transposed) = match dag.node(side) {
            Node::Op(Op::Transpose, args) => (args[0], true),
            _ => (side, false),
        };
        let Node::Input(input) = dag.node(leaf) else {
            return None;
        };
        let is_read = dag
            .reachable(&[other])
            .into_iter()
            .any(|id| matches!(dag.node(id), Node::Input(n) if n == input));
        if is_read {
            return None;
        }
        let mut target = Dag::default();
        // All inputs, in their order, so that the values fit.
        for input in dag.inputs() {
            target.input(&input.name, input.ty.clone());
        }
        let mut root = target.import(dag, other);
        if is_transposed {
            root = target.op(Op::Transpose, [root]).ok()?;
        }
        let root = match op {
            Op::Add => target.op(Op::Neg, [root]).ok()?,
            _ => root,
        };
        let text = target.print(root);
        target.push_root(root);
        let value = eval(&target, &self.start).ok()?.pop()?;
        let input = *input as usize;
        Some((input, value, format!("{} ≈ {text}", self.name(input))))
    }
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

/// `target` in the places where `value` has non-zero cells, up to random relative differences of `gap`.
fn near(value: &Value, target: &Value, gap: f64, seed: u64) -> Option<Value> {
    let Some(matrix) = value.as_matrix() else {
        let target = target
            .as_number()
            .or_else(|| target.as_matrix()?.as_scalar())?;
        return Some(Value::Double(target * (1.0 + gap)));
    };
    let (rows, cols) = (matrix.rows(), matrix.cols());
    let noise = synthesize(
        &Type::matrix(rows as u64, cols as u64),
        seed + 101,
        Range::Signed,
    );
    let noise = noise.ok()?.as_matrix()?.to_cells();
    let wanted = match target.as_matrix() {
        Some(target) => target.clone(),
        None => Matrix::dense(1, 1, vec![target.as_number()?]),
    };
    let fits = |own: usize, side: usize| side == 1 || own == side;
    if !fits(rows, wanted.rows()) || !fits(cols, wanted.cols()) {
        return None;
    }
    let at = |i: usize, j: usize| {
        let row = if wanted.rows() == 1 { 0 } else { i };
        wanted.get(row, if wanted.cols() == 1 { 0 } else { j })
    };
    let cells = matrix.to_cells().into_iter().enumerate().map(|(i, own)| {
        let cell = at(i / cols, i % cols) * (1.0 + gap * noise[i]);
        if own == 0.0 { 0.0 } else { cell }
    });
    Some(Matrix::dense(rows, cols, cells.collect()).into())
}
