//! Operands that nearly cancel: an input is set to what it is subtracted from. Must never set an input that the other operand reads.

use sumac_la::{Dag, Node, NodeId, Op, Type};
use sumac_runtime::synthesize::Range;
use sumac_runtime::{Matrix, Value, eval, synthesize};

use super::{EXPONENTS, From, MOST_PAIRS, TINY, mapped, says_size};
use crate::suggest::accuracy::undone::{Undone, reads_cells, undone};

/// Draws of what differs, where hardly anything does.
const DRAWS: u64 = 12;
/// So many times as many non-zeros are about as many.
const AS_SPARSE: f64 = 2.0;

/// An input that is set to nearly a value, so that operands cancel.
struct Pair {
    input: usize,
    target: Value,
    name: String,
    /// The inputs that stand on neither side.
    rest: Vec<usize>,
}

impl<'a> From<'a> {
    /// Operands of a difference are nearly equal, as the rest is and where the rest is tiny.
    pub(super) fn nearly_equal(self) -> impl Iterator<Item = (Vec<Value>, String)> + 'a {
        self.pairs().into_iter().flat_map(move |pair| {
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
                let gap = 10_f64.powi(-exponent);
                let seed = 100 * draw + u64::from(exponent.unsigned_abs());
                let value = near(&self.start[pair.input], &pair.target, gap, seed)?;
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

    /// Inputs that can be set to what they are subtracted from, and inputs of one shape.
    fn pairs(self) -> Vec<Pair> {
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
        for (i, one) in dag.inputs().iter().enumerate() {
            for (j, other) in dag.inputs().iter().enumerate().skip(i + 1) {
                let fits = one.ty.rows == other.ty.rows && one.ty.cols == other.ty.cols;
                if fits && !says_size(other) {
                    pairs.push(Pair {
                        input: j,
                        target: self.start[i].clone(),
                        name: format!("{} ≈ {}", other.name, one.name),
                        rest: self.free().filter(|rest| ![i, j].contains(rest)).collect(),
                    });
                }
            }
        }
        pairs.truncate(MOST_PAIRS);
        pairs
    }

    /// The value for the input in `side` with which it cancels `other`.
    fn cancelling(self, op: Op, side: NodeId, other: NodeId) -> Option<Pair> {
        let dag = self.dag;
        let (input, undone) = undone(dag, side)?;
        if says_size(&dag.inputs()[input]) || reads_cells(dag, other, input) {
            return None;
        }
        let mut target = Dag::default();
        // All inputs, in their order, so that the values fit.
        for input in dag.inputs() {
            target.input(&input.name, input.ty.clone());
        }
        let mut root = target.import(dag, other);
        let negated = |target: &mut Dag, id: NodeId| match target.node(id) {
            Node::Op(Op::Neg, args) => Some(args[0]),
            _ => target.op(Op::Neg, [id]).ok(),
        };
        if op == Op::Add {
            root = negated(&mut target, root)?;
        }
        for step in undone {
            root = match step {
                Undone::By(Op::Neg) => negated(&mut target, root)?,
                Undone::By(op) => target.op(op, [root]).ok()?,
                Undone::With(op, number) => {
                    let number = target.num(number);
                    target.op(op, [root, number]).ok()?
                }
            };
        }
        let text = target.print(root);
        target.push_root(root);
        let is_apart = |rest: &usize| *rest != input && !reads_cells(dag, other, *rest);
        Some(Pair {
            input,
            target: eval(&target, self.start).ok()?.pop()?,
            name: format!("{} ≈ {text}", self.name(input)),
            rest: self.free().filter(is_apart).collect(),
        })
    }
}

/// `target` up to random relative differences of `gap`; where it is much fuller than `value`, only in the places where that has non-zero cells.
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
