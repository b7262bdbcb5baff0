//! A search under tight limits gives a form of the same shape and, on small random data, of the same value.

use sumac_cost::Machine;
use sumac_la::{Dag, Node, NodeId, Op, Type};
use sumac_runtime::synthesize::Range;
use sumac_runtime::{Csr, Matrix, Value, eval, synthesize};
use sumac_sumproduct::{CostModel, Extraction, NoOutcome, Options, Request, optimize};

use crate::bytes::Bytes;
use crate::expressions::expression;

/// Operators without a step: what is nearly the same before is nearly the same behind.
const OPERATORS: [Op; 27] = [
    Op::MatMul,
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Transpose,
    Op::Sum,
    Op::RowSums,
    Op::ColSums,
    Op::Neg,
    Op::Pow,
    Op::MatMul,
    Op::Mul,
    Op::Div,
    Op::Trace,
    Op::Diag,
    Op::Fill,
    Op::Nrow,
    Op::Exp,
    Op::Abs,
    Op::Sigmoid,
    Op::Min2,
    Op::Max2,
    Op::Rev,
    Op::Mean,
    Op::RowMeans,
    Op::Cbind,
    Op::RightIndex,
];

const MODELS: [CostModel; 4] = [
    CostModel::Time,
    CostModel::Nnz,
    CostModel::Flops,
    CostModel::Bytes,
];

/// Relative to the largest cell on the way.
const TOLERANCE: f64 = 1e-9;
/// A divisor that is nearer to zero, relative to the largest cell, may be nothing but a rounding error.
const LEAST_DIVISOR: f64 = 1e-6;

/// The first byte chooses how to search.
pub fn check(data: &[u8]) {
    let mut bytes = Bytes(data);
    let how = bytes.next();
    let (mut dag, root) = expression(&mut bytes, &OPERATORS);
    dag.push_root(root);
    let options = Options {
        cost: MODELS[usize::from(how % 4)],
        extraction: if how & 4 == 0 {
            Extraction::Greedy
        } else {
            Extraction::Ilp
        },
        max_nodes: Some(400),
        max_iterations: 6,
        seed: u64::from(how),
        ..Options::default()
    };
    let request = Request {
        dag: &dag,
        roots: dag.roots(),
        held: &[],
        machine: &Machine::default(),
        around: None,
        fusing: None,
    };
    let found = match optimize(request, &options, &|| false) {
        Ok(outcome) => outcome.dag,
        Err(NoOutcome::OutOfReach | NoOutcome::UnknownSize) => return,
        Err(NoOutcome::Cancelled) => unreachable!("nobody cancels"),
    };
    let (old, new) = (dag.ty(root), found.ty(found.roots()[0]));
    let texts = || format!("{} => {}", dag.print(root), found.print(found.roots()[0]));
    assert_eq!(
        (old.kind, &old.rows, &old.cols),
        (new.kind, &new.rows, &new.cols),
        "{}",
        texts()
    );
    let inputs: Vec<(String, Value)> = dag
        .inputs()
        .iter()
        .zip(1..)
        .map(|(input, number)| {
            let value = synthesize(&input.ty, u64::from(how) * 16 + number, Range::Signed);
            let value = in_quarters(&value.expect("small"), &input.ty);
            (input.name.to_string(), value)
        })
        .collect();
    // What the runtime refuses, such as `rev` of a scalar, no analysis makes: nothing is said of it.
    let Ok(before) = Run::of(&dag, &inputs) else {
        return;
    };
    let after = Run::of(&found, &inputs).unwrap_or_else(|error| panic!("{}: {error}", texts()));
    let scale = before.scale.max(after.scale);
    if !scale.is_finite() || before.least_divisor.min(after.least_divisor) < LEAST_DIVISOR * scale {
        return;
    }
    assert_eq!(before.cells.len(), after.cells.len(), "{}", texts());
    for (a, b) in before.cells.iter().zip(&after.cells) {
        assert!(
            (a - b).abs() <= TOLERANCE * scale,
            "{a} and {b} in {}",
            texts()
        );
    }
}

/// The same value in quarters, so that sums and products are exact; sparse where its type says so.
fn in_quarters(value: &Value, ty: &Type) -> Value {
    let round = |x: f64| (x * 16.0).round() / 4.0;
    let Some(matrix) = value.as_matrix() else {
        return Value::Double(round(value.as_number().unwrap_or(1.0)));
    };
    let (rows, cols) = matrix.shape();
    let cells: Vec<f64> = matrix.to_cells().into_iter().map(round).collect();
    if ty.sparsity.is_none() {
        return Matrix::dense(rows, cols, cells).into();
    }
    let places = (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j)));
    let entries = places.zip(cells).filter(|(_, x)| *x != 0.0);
    let entries = entries.map(|((i, j), x)| (i, j, x)).collect();
    Matrix::from(Csr::from_entries(rows, cols, entries)).into()
}

/// What an expression comes to, and what became of the numbers on the way.
struct Run {
    cells: Vec<f64>,
    /// The largest cell of all nodes; infinite if one is no number.
    scale: f64,
    /// The divisor that is nearest to zero.
    least_divisor: f64,
}

impl Run {
    fn of(dag: &Dag, known: &[(String, Value)]) -> Result<Run, String> {
        let root = dag.roots()[0];
        let nodes = dag.reachable(&[root]);
        let mut all = dag.clone();
        for node in &nodes {
            all.push_root(*node);
        }
        let value = |name: &str| known.iter().find(|(own, _)| own == name);
        let inputs: Option<Vec<Value>> = dag
            .inputs()
            .iter()
            .map(|input| Some(value(&input.name)?.1.clone()))
            .collect();
        let inputs = inputs.ok_or("an input that the original does not have")?;
        let values = eval(&all, &inputs).map_err(|error| error.to_string())?;
        let values: Vec<Vec<f64>> = values.iter().skip(dag.roots().len()).map(cells).collect();
        let of = |id: NodeId| {
            nodes
                .iter()
                .position(|node| *node == id)
                .map(|at| &values[at])
        };
        let divisors = nodes.iter().filter_map(|id| match dag.node(*id) {
            Node::Op(Op::Div, args) => of(args[1]),
            _ => None,
        });
        let least_divisor = divisors
            .flatten()
            .fold(f64::INFINITY, |least, x| least.min(x.abs()));
        let largest = |most: f64, x: &f64| {
            if x.is_finite() {
                most.max(x.abs())
            } else {
                f64::INFINITY
            }
        };
        Ok(Run {
            cells: of(root).cloned().unwrap_or_default(),
            scale: values.iter().flatten().fold(1.0, largest),
            least_divisor,
        })
    }
}

fn cells(value: &Value) -> Vec<f64> {
    match value.as_matrix() {
        Some(matrix) => matrix.to_cells(),
        None => value.as_number().into_iter().collect(),
    }
}
