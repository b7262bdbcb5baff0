//! Operands that nearly cancel: an input is set to what it is subtracted from. Must never set an input that the other operand reads.

use sumac_la::{Dag, Node, NodeId, Op, Type};
use sumac_runtime::synthesize::Range;
use sumac_runtime::{Matrix, Value, eval, synthesize};

use super::{EXPONENTS, From, MOST_PAIRS, TINY, mapped, with_mean};
use crate::accuracy::undone::{negated, reads_cells, undo, undone};

/// Draws of what differs, where hardly anything does.
const DRAWS: u64 = 12;
/// What is large beside signs and constants: nothing of them is left, or half of their digits.
const LARGE: [f64; 2] = [1e15, 1e8];
/// Of whole numbers that are about so large a power of ten sums of products are exact, and squares of sums are not.
const WHOLE_EXPONENT: i32 = 7;
/// Of so many cells one differs by one.
const HARDLY: usize = 7;
/// So many times as many non-zeros are about as many.
const AS_SPARSE: f64 = 2.0;

/// An input that is set to nearly what it is subtracted from, so that operands cancel.
#[derive(Clone)]
pub(super) struct Pair {
    pub(super) input: usize,
    /// What it is set to, over all inputs in their order.
    pub(super) formula: Dag,
    pub(super) name: String,
    /// The matrices whose cells that reads.
    pub(super) read: Vec<usize>,
    /// The inputs that stand on neither side.
    rest: Vec<usize>,
}

/// How near a value is to another.
#[derive(Clone, Copy)]
pub(super) struct Near {
    /// The relative difference of cells.
    pub(super) gap: f64,
    pub(super) seed: u64,
}

impl<'a> From<'a> {
    /// Operands of a difference are nearly equal, as the rest is and where the rest is tiny.
    pub(super) fn nearly_equal(self) -> impl Iterator<Item = (Vec<Value>, String)> + 'a {
        let with_target = move |pair: Pair| {
            let target = eval(&pair.formula, self.start).ok()?.pop()?;
            Some((pair, target))
        };
        let pairs = self.pairs().into_iter().filter_map(with_target);
        pairs.flat_map(move |(pair, target)| {
            // Where nothing but rounding is left, its sign differs from draw to draw.
            let draws = |exponent| if exponent < 8 { 1 } else { DRAWS };
            let trials = EXPONENTS.into_iter().flat_map(move |exponent| {
                let as_it_is = (0..draws(exponent)).map(move |draw| (exponent, draw, false));
                as_it_is.chain([(exponent, 0, true)])
            });
            trials.filter_map(move |(exponent, draw, is_alone)| {
                if is_alone && pair.rest.is_empty() {
                    return None;
                }
                let noise = Near {
                    gap: 10_f64.powi(-exponent),
                    seed: 100 * draw + u64::from(exponent.unsigned_abs()),
                };
                let value = near(&self.start[pair.input], &target, noise)?;
                let mut inputs = self.with(pair.input, value);
                if !is_alone {
                    return Some((inputs, pair.name.clone()));
                }
                for rest in &pair.rest {
                    inputs[*rest] = mapped(&inputs[*rest], |_, x| x * TINY)?;
                }
                Some((inputs, format!("{}, all else is tiny", pair.name)))
            })
        })
    }

    /// Operands of a difference are large and nearly equal, or the same: what is left beside them is a sign, a truth value or a
    /// constant, which does not grow with them.
    pub(super) fn large_and_nearly_equal(self) -> impl Iterator<Item = (Vec<Value>, String)> + 'a {
        self.pairs().into_iter().flat_map(move |pair| {
            let trials = LARGE
                .into_iter()
                .flat_map(|large| [(large, 0.0), (large, 1e-15)]);
            trials.filter_map(move |(large, gap)| {
                let one = *pair.read.first()?;
                let inputs = self.with(one, mapped(&self.start[one], |_, x| x * large)?);
                let name = format!("{}, {} is large", pair.name, self.name(one));
                let inputs = self.set_near(&pair, inputs, gap)?;
                Some((inputs, name))
            })
        })
    }

    /// Operands of a difference are large whole numbers and differ by one in a few cells: sums of their products are exact, and
    /// squares of their sums are not.
    pub(super) fn apart_by_ones(self) -> impl Iterator<Item = (Vec<Value>, String)> + 'a {
        let pairs = self.pairs().into_iter().filter(move |_| self.is_whole);
        pairs.filter_map(move |pair| {
            let one = *pair.read.first()?;
            let inputs = self.with(one, with_mean(&self.start[one], WHOLE_EXPONENT)?);
            let name = self.name(one);
            let name = format!("{} but for ones, {name} is large", pair.name);
            let mut inputs = self.set_near(&pair, inputs, 0.0)?;
            inputs[pair.input] = with_ones_added(&inputs[pair.input])?;
            Some((inputs, name))
        })
    }

    /// The same inputs, where that of the pair is set to what it is subtracted from, up to relative differences.
    fn set_near(self, pair: &Pair, mut inputs: Vec<Value>, gap: f64) -> Option<Vec<Value>> {
        let target = eval(&pair.formula, &inputs).ok()?.pop()?;
        inputs[pair.input] = near(&self.start[pair.input], &target, Near { gap, seed: 0 })?;
        Some(inputs)
    }

    /// Inputs that can be set to what they are subtracted from, and inputs of one shape.
    fn pairs(self) -> Vec<Pair> {
        let mut pairs = self.differences();
        let inputs = self.dag.inputs();
        for i in 0..inputs.len() {
            for j in i + 1..inputs.len() {
                // The later one, where it may be set.
                let (to, input) = if self.is_free(j) { (i, j) } else { (j, i) };
                let (one, other) = (&inputs[to], &inputs[input]);
                let fits = one.ty.rows == other.ty.rows && one.ty.cols == other.ty.cols;
                if fits && self.is_free(input) {
                    let mut formula = self.over_inputs();
                    let root = formula.input(&one.name, one.ty.clone());
                    formula.push_root(root);
                    pairs.push(Pair {
                        input,
                        formula,
                        name: format!("{} ≈ {}", other.name, one.name),
                        read: vec![to],
                        rest: self.free().filter(|rest| ![i, j].contains(rest)).collect(),
                    });
                }
            }
        }
        pairs.truncate(MOST_PAIRS);
        pairs
    }

    /// No nodes but the inputs, in their order, so that the values fit.
    pub(super) fn over_inputs(self) -> Dag {
        let mut dag = Dag::default();
        for input in self.dag.inputs() {
            dag.input(&input.name, input.ty.clone());
        }
        dag
    }

    /// Inputs that can be set to what they are subtracted from.
    pub(super) fn differences(self) -> Vec<Pair> {
        let dag = self.dag;
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
        pairs
    }

    /// The value for the input in `side` with which it cancels `other`.
    pub(super) fn cancelling(self, op: Op, side: NodeId, other: NodeId) -> Option<Pair> {
        let dag = self.dag;
        let (input, undone) = undone(dag, side)?;
        if !self.is_free(input) || reads_cells(dag, other, input) {
            return None;
        }
        let mut target = self.over_inputs();
        let mut root = target.import(dag, other);
        if op == Op::Add {
            root = negated(&mut target, root)?;
        }
        let root = undo(&mut target, root, &undone)?;
        let text = (self.say)(&target, root);
        target.push_root(root);
        let is_apart = |rest: &usize| *rest != input && !reads_cells(dag, other, *rest);
        let is_read = |read: &usize| {
            reads_cells(dag, other, *read) && self.start[*read].as_matrix().is_some()
        };
        Some(Pair {
            input,
            formula: target,
            name: format!("{} ≈ {text}", self.name(input)),
            read: self.free().filter(is_read).collect(),
            rest: self.free().filter(is_apart).collect(),
        })
    }
}

/// `target` up to random relative differences; where it is much fuller than `value`, only in the places where that has non-zero cells.
pub(super) fn near(value: &Value, target: &Value, noise: Near) -> Option<Value> {
    let Near { gap, seed } = noise;
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
    // What is repeated is set to one row or column of what it stands beside.
    let fits = |own: usize, side: usize| side == 1 || own == 1 && side > 0 || own == side;
    if !fits(rows, wanted.rows()) || !fits(cols, wanted.cols()) {
        return None;
    }
    let at = |i: usize, j: usize| wanted.get(i.min(wanted.rows() - 1), j.min(wanted.cols() - 1));
    // What is as sparse may be the same matrix; what is fuller is not.
    let filled = |cells: Vec<f64>| cells.iter().filter(|cell| **cell != 0.0).count() as f64;
    let share = filled(wanted.to_cells()) / (wanted.rows() * wanted.cols()).max(1) as f64;
    let own_share = filled(matrix.to_cells()) / (rows * cols).max(1) as f64;
    let keeps_zeros = share > AS_SPARSE * own_share;
    let cells = matrix.to_cells().into_iter().enumerate().map(|(i, own)| {
        let cell = at(i / cols, i % cols) * (1.0 + gap * noise[i]);
        if own == 0.0 && keeps_zeros { 0.0 } else { cell }
    });
    Some(Matrix::dense(rows, cols, cells.collect()).into())
}

/// The value with a few cells that are larger by one, no zeros among them.
fn with_ones_added(value: &Value) -> Option<Value> {
    let cols = value.as_matrix().map_or(1, Matrix::cols);
    mapped(value, |(row, col), x| {
        let is_changed = x != 0.0 && (row * cols + col).is_multiple_of(HARDLY);
        x + f64::from(u8::from(is_changed))
    })
}
