//! Cellwise operators in one pass over memory, to a matrix or to its sum. The cells are bit for bit those that the
//! operators alone would give.

use sumac_la::{Dag, Node, NodeId, Op};

use super::Done;
use crate::kernels::cell;
use crate::kernels::fused::{self, Cells, Program, Source};
use crate::matrix::{Matrix, View};
use crate::value::Value;

/// Fewer cells are not worth a program.
const LEAST_CELLS: usize = 4096;

/// Tiles of more inputs do not fit the nearest cache.
const MOST_INPUTS: usize = 8;

/// Whether `arg`, which only `reader` reads, may be computed inside of it. Operators whose results may become sparse
/// are no matter of cells alone, for what is not stored meets nothing.
pub(super) fn may_wait(dag: &Dag, reader: NodeId, arg: NodeId) -> bool {
    let (Node::Op(outer, args), Node::Op(inner, inner_args)) = (dag.node(reader), dag.node(arg))
    else {
        return false;
    };
    let is_inside = Program::takes(*inner, inner_args.len()) && !cell::may_thin_out(*inner);
    // What is repeated would be computed as often.
    let is_read_once = *outer == Op::Sum
        || (Program::takes(*outer, args.len()) && is_of_one_shape(dag, reader, arg));
    is_inside && is_read_once
}

/// Whether two matrices certainly have the same shape.
pub(super) fn is_of_one_shape(dag: &Dag, a: NodeId, b: NodeId) -> bool {
    let (a, b) = (dag.ty(a), dag.ty(b));
    a.has_known_shape() && !a.is_scalar() && a.rows == b.rows && a.cols == b.cols
}

/// Adds what `op` over `args` is to the program.
pub(super) fn push(
    program: &mut Program,
    op: Op,
    args: &[NodeId],
    source: &mut dyn FnMut(NodeId) -> Option<Source>,
) -> Option<Source> {
    let sources: Option<Vec<Source>> = args.iter().map(|arg| source(*arg)).collect();
    program.push(op, &sources?).ok()
}

/// The value of `id`, which is a sum or itself cellwise, with the cellwise nodes `inner` below it.
pub(super) fn compute<'a>(
    dag: &Dag,
    id: NodeId,
    inner: &[NodeId],
    value: impl Fn(NodeId) -> Option<&'a Value>,
) -> Option<Done> {
    let Node::Op(last, _) = dag.node(id) else {
        return None;
    };
    let mut steps = inner.to_vec();
    if *last != Op::Sum {
        steps.push(id);
    }
    let inputs = inputs(dag, &steps, &value)?;
    let rows = inputs.iter().map(|(_, m)| m.rows()).max()?;
    let cols = inputs.iter().map(|(_, m)| m.cols()).max()?;
    let cells: Option<Vec<Cells<'_>>> = inputs
        .iter()
        .map(|(_, m)| repeated(m, rows, cols))
        .collect();
    let cells = cells?;
    let is_full = |cells: &Cells<'_>| matches!(cells, Cells::Full(_));
    if rows * cols < LEAST_CELLS || cells.len() > MOST_INPUTS || !cells.iter().any(is_full) {
        return None;
    }
    let mut program = Program::new(cells.len());
    for step in &steps {
        let Node::Op(op, args) = dag.node(*step) else {
            return None;
        };
        push(&mut program, *op, args, &mut |arg| {
            if let Ok(place) = steps.binary_search(&arg) {
                return Some(Source::Step(place));
            }
            match inputs.iter().position(|(known, _)| *known == arg) {
                Some(place) => Some(Source::Input(place)),
                None => Some(Source::Number(value(arg)?.number("a sum").ok()?)),
            }
        })?;
    }
    Some(if *last == Op::Sum {
        let sum = fused::sum(&program, &cells);
        ("sum of cells", Ok(Value::Double(sum)))
    } else {
        let matrix = Matrix::dense(rows, cols, fused::cells(&program, &cells));
        let matrix = if cell::may_thin_out(*last) {
            matrix.settled()
        } else {
            matrix
        };
        ("cells", Ok(matrix.into()))
    })
}

/// The matrices that the steps read of others, each once.
fn inputs<'a>(
    dag: &Dag,
    steps: &[NodeId],
    value: &impl Fn(NodeId) -> Option<&'a Value>,
) -> Option<Vec<(NodeId, &'a Matrix)>> {
    let mut inputs: Vec<(NodeId, &Matrix)> = Vec::new();
    for arg in steps.iter().flat_map(|step| dag.args(*step)) {
        let is_known = inputs.iter().any(|(known, _)| known == arg);
        if is_known || steps.binary_search(arg).is_ok() {
            continue;
        }
        if let Value::Matrix(m) = value(*arg)?
            && m.len() != 1
        {
            inputs.push((*arg, m));
        }
    }
    Some(inputs)
}

/// How a dense matrix meets one of so many rows and columns; nothing for a sparse one.
fn repeated(m: &Matrix, rows: usize, cols: usize) -> Option<Cells<'_>> {
    let View::Dense(cells) = m.view() else {
        return None;
    };
    match m.shape() {
        shape if shape == (rows, cols) => Some(Cells::Full(cells)),
        (m, 1) if m == rows => Some(Cells::Column(cells, cols)),
        (1, n) if n == cols => Some(Cells::Row(cells)),
        _ => None,
    }
}
