//! Places in both forms where numbers may cancel: sums and differences of which an operand can be set to meet the other, values of one
//! shape, and products with what can be orthogonal to the other factor.

use std::collections::BTreeSet;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use sumac_syntax::ast::{BinaryOp, Expr, ExprKind};
use sumac_syntax::print::print_expr;

use super::meaning::Task;
use super::value::Value;

/// So many times as many cells that are not zero are about as many.
const AS_SPARSE: f64 = 2.0;

/// Places that are looked at, at most.
const MOST_PLACES: usize = 24;

/// A place and what is set there.
#[derive(Debug)]
pub(super) enum Place<'a> {
    /// A value in one operand of `+` or `-` becomes what the other operand cancels.
    Operands {
        own: &'a Expr,
        other: &'a Expr,
        is_sum: bool,
        text: String,
        value: usize,
    },
    /// A value becomes nearly another, or its opposite.
    Like {
        other: usize,
        sign: f64,
        value: usize,
    },
    /// A factor of a product becomes orthogonal to the other.
    Product {
        other: &'a Expr,
        is_left: bool,
        is_transposed: bool,
        text: String,
        value: usize,
    },
}

/// All places of a task.
pub(super) struct Places<'a> {
    all: Vec<Place<'a>>,
}

impl<'a> Places<'a> {
    pub(super) fn of(task: &'a Task) -> Self {
        let mut all = Vec::new();
        let mut seen = BTreeSet::new();
        for expr in task.expressions() {
            let ExprKind::Binary(op, left, right) = &expr.kind else {
                continue;
            };
            for (own, other, is_left) in [(left, right, true), (right, left, false)] {
                let text = print_expr(expr);
                match op {
                    BinaryOp::Add | BinaryOp::Sub => {
                        for value in leaves(task, own) {
                            if !task.free[value].is_whole
                                && seen.insert((text.clone(), is_left, value))
                            {
                                all.push(Place::Operands {
                                    own,
                                    other,
                                    is_sum: *op == BinaryOp::Add,
                                    text: text.clone(),
                                    value,
                                });
                            }
                        }
                    }
                    BinaryOp::MatMul => {
                        let (leaf, is_transposed) = turned(own);
                        let value = number_of(task, leaf);
                        if let Some(value) =
                            value.filter(|value| seen.insert((text.clone(), is_left, *value)))
                        {
                            all.push(Place::Product {
                                other,
                                is_left,
                                is_transposed,
                                text: text.clone(),
                                value,
                            });
                        }
                    }
                    _ => {}
                }
            }
        }
        for (value, one) in task.free.iter().enumerate() {
            for (other, two) in task.free.iter().enumerate().take(value) {
                let is_number = one.is_scalar || two.is_scalar || one.is_whole || two.is_whole;
                if (one.rows, one.cols) == (two.rows, two.cols) && !is_number {
                    all.extend([1.0, -1.0].map(|sign| Place::Like { other, sign, value }));
                }
            }
        }
        all.truncate(MOST_PLACES);
        Places { all }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn place(&self, at: usize) -> &Place<'a> {
        &self.all[at]
    }

    /// The number of the value that is set.
    pub(super) fn value(&self, at: usize) -> usize {
        match self.all[at] {
            Place::Operands { value, .. }
            | Place::Like { value, .. }
            | Place::Product { value, .. } => value,
        }
    }

    /// What the value becomes so that numbers cancel there up to `gap` of them.
    pub(super) fn cancelled(
        &self,
        at: usize,
        task: &Task,
        data: &[Value<f64>],
        gap: f64,
        rng: &mut ChaCha8Rng,
    ) -> Option<Value<f64>> {
        let own = data.get(self.value(at))?;
        let mut nearly = |x: f64| x * (1.0 + gap * rng.random_range(-1.0..1.0));
        match &self.all[at] {
            Place::Like { other, sign, .. } => {
                let other = data.get(*other)?;
                let mut found = own.clone();
                for (x, wanted) in found.cells.iter_mut().zip(&other.cells) {
                    if *x != 0.0 {
                        *x = sign * nearly(*wanted);
                    }
                }
                Some(found)
            }
            Place::Operands {
                own: operand,
                other,
                is_sum,
                ..
            } => {
                let here = task.value_of(operand, data)?;
                let there = task.value_of(other, data)?;
                let turned = here.shape() != own.shape();
                let here = if turned { here.transposed() } else { here };
                let there = if turned { there.transposed() } else { there };
                if here.shape() != own.shape() {
                    return None;
                }
                let sign = if *is_sum { -1.0 } else { 1.0 };
                let mut found = own.clone();
                // What is about as sparse may be the same matrix; what is fuller is not.
                let filled = |value: &Value<f64>| {
                    let cells = value.cells.iter();
                    cells.filter(|cell| **cell != 0.0).count() as f64
                };
                let room = task.free.get(self.value(at))?.density * own.cells.len() as f64;
                let is_all_of_it = here.cells == own.cells;
                let may_be_it = is_all_of_it
                    && there.shape() == own.shape()
                    && filled(&there) <= AS_SPARSE * room.max(filled(own));
                if may_be_it {
                    for (x, wanted) in found.cells.iter_mut().zip(&there.cells) {
                        *x = sign * nearly(*wanted);
                    }
                    return Some(found);
                }
                for i in 0..own.rows {
                    for j in 0..own.cols {
                        let (x, wanted) = (&mut found.cells[i * own.cols + j], there.at(i, j));
                        // Where the operand is a multiple of the value, this meets the other one.
                        let is = here.at(i, j);
                        if *x != 0.0 && is != 0.0 {
                            let factor = if is == *x { wanted } else { *x * (wanted / is) };
                            *x = sign * nearly(factor);
                        }
                    }
                }
                Some(found)
            }
            Place::Product {
                other,
                is_left,
                is_transposed,
                ..
            } => {
                let other = task.value_of(other, data)?;
                // What each vector of the value is to be orthogonal to, by rows.
                let others = if *is_left { other.transposed() } else { other };
                if others.rows >= others.cols {
                    return None;
                }
                let by_rows = *is_left != *is_transposed;
                let vectors = if by_rows {
                    own.clone()
                } else {
                    own.transposed()
                };
                if vectors.cols != others.cols {
                    return None;
                }
                let found = orthogonal(&vectors, &others, 1.0 - gap);
                let mut found = if by_rows { found } else { found.transposed() };
                found.is_scalar = own.is_scalar;
                (found.shape() == own.shape()).then_some(found)
            }
        }
    }
}

/// The rows of `vectors` without so much of what they have in common with the rows of `others`.
fn orthogonal(vectors: &Value<f64>, others: &Value<f64>, share: f64) -> Value<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let row = |of: &Value<f64>, i: usize| of.cells[i * of.cols..(i + 1) * of.cols].to_vec();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let without = |vector: &mut Vec<f64>, basis: &[Vec<f64>], share: f64| {
        for known in basis {
            let common = share * dot(vector, known);
            for (x, y) in vector.iter_mut().zip(known) {
                *x -= common * y;
            }
        }
    };
    for i in 0..others.rows {
        let mut next = row(others, i);
        without(&mut next, &basis, 1.0);
        without(&mut next, &basis, 1.0);
        let length = dot(&next, &next).sqrt();
        if length > 0.0 {
            basis.push(next.iter().map(|x| x / length).collect());
        }
    }
    let mut found = vectors.clone();
    found.cells = (0..vectors.rows)
        .flat_map(|i| {
            let mut vector = row(vectors, i);
            without(&mut vector, &basis, share);
            vector
        })
        .collect();
    found
}

/// A value without parentheses and `t( )` around it, and whether it is transposed.
fn turned(expr: &Expr) -> (&Expr, bool) {
    match &expr.kind {
        ExprKind::Paren(inner) => turned(inner),
        ExprKind::Call(call) if &*call.name.name == "t" && call.args.len() == 1 => {
            let (leaf, is_turned) = turned(&call.args[0].value);
            (leaf, !is_turned)
        }
        _ => (expr, false),
    }
}

/// The value that a name is, as far as it may be anything.
fn number_of(task: &Task, expr: &Expr) -> Option<usize> {
    let ExprKind::Name(name) = &expr.kind else {
        return None;
    };
    task.free.iter().rposition(|free| free.name == name.name)
}

/// Values that an operand is a multiple of, cell by cell.
fn leaves(task: &Task, expr: &Expr) -> Vec<usize> {
    match &turned(expr).0.kind {
        ExprKind::Name(_) => number_of(task, turned(expr).0).into_iter().collect(),
        ExprKind::Unary(_, inner) => leaves(task, inner),
        ExprKind::Binary(BinaryOp::Mul, left, right) => {
            [leaves(task, left), leaves(task, right)].concat()
        }
        ExprKind::Binary(BinaryOp::Div, left, _) => leaves(task, left),
        _ => Vec::new(),
    }
}
