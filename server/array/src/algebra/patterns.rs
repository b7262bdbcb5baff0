//! What operators of linear algebra are as patterns: a row each.

use sumac_la::{Dag, Node, NodeId, Op};

use crate::text;

/// What of a value is no dimension of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    Number,
    Row,
    Column,
    Matrix,
}

/// A value that is left when all others are put together.
#[derive(Clone, Copy)]
pub(super) struct Fold {
    pub(super) op: &'static str,
    /// Its neutral element.
    pub(super) start: Start,
}

#[derive(Clone, Copy)]
pub(super) enum Start {
    Number(f64),
    /// The largest or the smallest of all.
    Infinite(f64),
}

pub(super) const SUM: Fold = Fold {
    op: "add",
    start: Start::Number(0.0),
};
const PROD: Fold = Fold {
    op: "mul",
    start: Start::Number(1.0),
};
const MIN: Fold = Fold {
    op: "min",
    start: Start::Infinite(1.0),
};
const MAX: Fold = Fold {
    op: "max",
    start: Start::Infinite(-1.0),
};

/// Which cells are put together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    All,
    /// Those of each row.
    Rows,
    /// Those of each column.
    Columns,
}

/// Aggregates; a mean is a sum by a count.
pub(super) const FOLDS: [(Op, Fold, Over, bool); 13] = [
    (Op::Sum, SUM, Over::All, false),
    (Op::RowSums, SUM, Over::Rows, false),
    (Op::ColSums, SUM, Over::Columns, false),
    (Op::Mean, SUM, Over::All, true),
    (Op::RowMeans, SUM, Over::Rows, true),
    (Op::ColMeans, SUM, Over::Columns, true),
    (Op::Min, MIN, Over::All, false),
    (Op::RowMins, MIN, Over::Rows, false),
    (Op::ColMins, MIN, Over::Columns, false),
    (Op::Max, MAX, Over::All, false),
    (Op::RowMaxs, MAX, Over::Rows, false),
    (Op::ColMaxs, MAX, Over::Columns, false),
    (Op::Prod, PROD, Over::All, false),
];

/// Operators of two cells, as they are written.
pub(super) const CELLWISE: [(Op, &str); 6] = [
    (Op::Add, "(@ + @)"),
    (Op::Sub, "(@ - @)"),
    (Op::Mul, "(@ * @)"),
    (Op::Div, "(@ / @)"),
    (Op::Min2, "min(@, @)"),
    (Op::Max2, "max(@, @)"),
];

/// `body` for each cell `_e`.
pub(super) fn each(form: Form, body: &str, of: &str) -> String {
    match form {
        Form::Number => format!("(fun _e => {body})({of})"),
        Form::Row | Form::Column => format!("map(fun _e => {body}, {of})"),
        Form::Matrix => format!("map(map(fun _e => {body}), {of})"),
    }
}

/// Turned twice is not turned.
pub(super) fn transposed(text: &str) -> String {
    let inner = text.strip_prefix("transpose(");
    match inner.and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) if text::is_name(inner) => inner.to_owned(),
        _ => format!("transpose({text})"),
    }
}

/// The sizes of a product, [m][k] by [k][n], as the sketches that are always there call them.
pub(super) const PRODUCT: [&str; 3] = ["m", "n", "k"];
/// What other sizes are called that have no name in the script.
pub(super) const OTHERS: &str = "pqrstuvwabcdefghijloxyz";

/// The arguments whose values an operator reads; sizes of `matrix(…)` and exponents are no values.
pub(super) fn reads(dag: &Dag, id: NodeId) -> &[NodeId] {
    let args = dag.args(id);
    match dag.node(id) {
        Node::Op(Op::Fill | Op::Pow, _) => &args[..1],
        _ => args,
    }
}
