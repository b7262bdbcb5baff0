//! What the fitted figures are worth: expressions that no figure was fitted to, estimated and run. All rows are shown,
//! the bad ones, too.

use serde::Serialize;
use sumac_cost::{Machine, Priced};
use sumac_la::{Dag, NodeId, Op, Type};

use super::expressions::{Writing, dag};
use super::{CalibrateError, Effort, quartiles, run};
use crate::cancel::Cancel;

/// An expression's time, and what estimates said.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Prediction {
    /// The expression.
    pub expression: String,
    /// What it reads.
    pub inputs: String,
    /// Seconds that it takes: the median.
    pub measured: f64,
    /// Seconds by the default machine's figures.
    pub by_default: f64,
    /// Seconds by the measured figures.
    pub by_measured: f64,
}

/// Rounds: fewer than for a figure, since nothing rests on them.
const ROUNDS: usize = 5;

/// Estimates and runs the expressions.
pub(super) fn check(
    effort: Effort,
    machine: &Machine,
    cancel: &Cancel,
) -> Result<Vec<Prediction>, CalibrateError> {
    let dags = expressions(effort);
    let times = run(&dags.iter().collect::<Vec<_>>(), ROUNDS, cancel)?;
    let rows = dags.iter().zip(times).filter_map(|(dag, times)| {
        let seconds = |machine| Some(dag.cost(dag.roots(), machine)?.seconds);
        let inputs = dag.inputs().iter();
        Some(Prediction {
            expression: dag.print(dag.roots()[0]),
            inputs: inputs
                .map(|input| format!("{}: {}", input.name, input.ty))
                .collect::<Vec<_>>()
                .join("; "),
            measured: quartiles(times)?[1],
            by_default: seconds(&Machine::default())?,
            by_measured: seconds(machine)?,
        })
    });
    Ok(rows.collect())
}

/// Dense and sparse, operators alone and together, and the loss of ALS as people write it and as it is optimized.
fn expressions(effort: Effort) -> Vec<Dag> {
    let n = effort.size(2500);
    let dense = Type::matrix(n, n);
    let sparse = Type::sparse(effort.size(20_000), effort.size(10_000), 0.01);
    let (rows, cols) = (effort.size(20_000), effort.size(10_000));
    let wide = Type::sparse(rows, rows, 0.0005);
    let (x, u, v) = (
        Type::sparse(effort.size(4000), effort.size(3000), 0.01),
        Type::matrix(effort.size(4000), 10),
        Type::matrix(effort.size(3000), 10),
    );
    let als = |w: &mut Writing| -> [NodeId; 3] {
        [
            w.input("X", x.clone()),
            w.input("U", u.clone()),
            w.input("V", v.clone()),
        ]
    };
    vec![
        dag(|w| {
            let a = w.input("A", dense.clone());
            w.op(Op::ColSums, [a])
        }),
        dag(|w| {
            let (a, b) = (w.input("A", dense.clone()), w.input("B", dense.clone()));
            let product = w.op(Op::Mul, [a, b]);
            let rest = w.op(Op::Sub, [product, a]);
            w.op(Op::Sum, [rest])
        }),
        dag(|w| {
            let a = w.input("A", dense.clone());
            w.op(Op::Sigmoid, [a])
        }),
        dag(|w| {
            let (a, c) = (
                w.input("A", dense.clone()),
                w.input("C", Type::matrix(n, 50)),
            );
            let ac = w.op(Op::MatMul, [a, c]);
            w.turned_product(c, ac)
        }),
        dag(|w| {
            let s = w.input("S", sparse.clone());
            w.op(Op::RowSums, [s])
        }),
        dag(|w| {
            let (s, v) = (
                w.input("S", sparse.clone()),
                w.input("v", Type::matrix(cols, 1)),
            );
            let sv = w.op(Op::MatMul, [s, v]);
            w.turned_product(s, sv)
        }),
        dag(|w| {
            let (s, r) = (w.input("S", sparse.clone()), w.input("R", sparse.clone()));
            let product = w.op(Op::Mul, [s, r]);
            w.op(Op::Sum, [product])
        }),
        dag(|w| {
            let (a, b) = (w.input("G", wide.clone()), w.input("H", wide.clone()));
            w.op(Op::MatMul, [a, b])
        }),
        dag(|w| {
            let [x, u, v] = als(w);
            let uv = w.product_turned(u, v);
            let difference = w.op(Op::Sub, [x, uv]);
            w.sum_of_squares(difference)
        }),
        dag(|w| {
            let [x, u, v] = als(w);
            let squares = w.sum_of_squares(x);
            let xv = w.op(Op::MatMul, [x, v]);
            let met = w.op(Op::Mul, [xv, u]);
            let crossed = w.op(Op::Sum, [met]);
            let two = w.number(2.0);
            let twice = w.op(Op::Mul, [two, crossed]);
            let (uu, vv) = (w.turned_product(u, u), w.turned_product(v, v));
            let grams = w.op(Op::Mul, [uu, vv]);
            let rest = w.op(Op::Sum, [grams]);
            let first = w.op(Op::Sub, [squares, twice]);
            w.op(Op::Add, [first, rest])
        }),
    ]
}
