//! Inputs that tell two expressions apart, found by running both on small random ones. Must never be taken as a sign
//! of equality.

use std::collections::{BTreeMap, BTreeSet};

use sumac_la::{Dag, Dim, Node, NodeId, Type};
use sumac_runtime::synthesize::{Range, synthesize};
use sumac_runtime::{Value, eval};

/// Inputs for which the two sides differ.
#[derive(Clone, PartialEq, Debug)]
pub struct Counterexample {
    /// Names and values as DML.
    pub inputs: Vec<(String, String)>,
    /// The left side's value.
    pub left: String,
    /// The right side's value.
    pub right: String,
    /// Whether the inputs are smaller than declared.
    pub is_scaled: bool,
}

/// Inputs of the declared sizes are tried up to this many cells; larger ones are tried smaller.
const MAX_CELLS: f64 = 64.0;
/// How many random inputs are tried.
const TRIES: u64 = 16;
/// Cells differ beyond what rounding does.
const DIFFERENT: f64 = 1e-6;

/// Inputs for which the sides differ. `any_size`: smaller inputs than declared are good too.
pub(super) fn search(
    dag: &Dag,
    sides: &[NodeId; 2],
    name: &dyn Fn(&str) -> String,
    any_size: bool,
) -> Option<Counterexample> {
    [true, false].into_iter().find_map(|apart| {
        let small = Small::new(dag, sides, apart);
        if small.is_scaled && !any_size {
            return None;
        }
        let dag = small.dag(dag, sides)?;
        (0..TRIES).find_map(|seed| {
            let values: Vec<Value> = dag
                .inputs()
                .iter()
                .zip(0..)
                .map(|(input, n)| {
                    let seed = seed * 64 + n;
                    Some(rounded(synthesize(&input.ty, seed, Range::Signed).ok()?))
                })
                .collect::<Option<_>>()?;
            let results = eval(&dag, &values).ok()?;
            let [a, b] = results.as_slice() else {
                return None;
            };
            differ(a, b).then(|| Counterexample {
                inputs: named(&dag, &values, name),
                left: dml(a),
                right: dml(b),
                is_scaled: small.is_scaled,
            })
        })
    })
}

/// The values under the names that a person gives them.
fn named(dag: &Dag, values: &[Value], name: &dyn Fn(&str) -> String) -> Vec<(String, String)> {
    let inputs = dag.inputs().iter().zip(values);
    let mut named: Vec<(String, String)> = inputs
        .map(|(input, value)| (name(&input.name), dml(value)))
        .collect();
    named.sort();
    named
}

/// Sizes that are small enough to print.
struct Small {
    sizes: BTreeMap<Dim, u64>,
    is_scaled: bool,
}

impl Small {
    /// `apart`: sizes by name are different from each other. Operators may need them to be equal.
    fn new(dag: &Dag, roots: &[NodeId], apart: bool) -> Self {
        let used = dag.reachable(roots);
        let types: Vec<&Type> = used
            .iter()
            .filter_map(|id| Some(&dag.input_of(*id)?.ty))
            .collect();
        let cells: Option<f64> = types.iter().map(|ty| ty.cells()).sum();
        let dims: BTreeSet<Dim> = types
            .iter()
            .flat_map(|ty| [ty.rows.clone(), ty.cols.clone()])
            .collect();
        let fits = cells.is_some_and(|cells| cells <= MAX_CELLS);
        let is_scaled = !fits && dims.iter().any(|dim| dim.known().is_some_and(|n| n > 1));
        let mut next = 2;
        let sizes = dims
            .into_iter()
            .map(|dim| {
                let size = match dim.known() {
                    Some(n) if fits || n <= 1 => n,
                    // Different sizes stay different.
                    Some(n) => {
                        next += 1;
                        n.min(next)
                    }
                    None if apart => {
                        next += 1;
                        next
                    }
                    None => 3,
                };
                (dim, size)
            })
            .collect();
        Small { sizes, is_scaled }
    }

    /// The roots over inputs of these sizes; `None` where they do not fit the expression any more.
    fn dag(&self, dag: &Dag, roots: &[NodeId]) -> Option<Dag> {
        let mut out = Dag::default();
        let mut map: BTreeMap<NodeId, NodeId> = BTreeMap::new();
        let size = |dim: &Dim| self.sizes.get(dim).copied().map(Dim::Known);
        for id in dag.reachable(roots) {
            let new = match dag.node(id) {
                Node::Input(_) => {
                    let input = dag.input_of(id)?;
                    let sparsity = input.ty.sparsity.map(|share| share.max(0.3));
                    let ty = Type {
                        rows: size(&input.ty.rows)?,
                        cols: size(&input.ty.cols)?,
                        sparsity,
                        ..input.ty.clone()
                    };
                    out.input(&input.name, ty)
                }
                Node::Num(bits) => out.num(f64::from_bits(*bits)),
                Node::Op(op, args) => {
                    let args: Option<Vec<_>> = args.iter().map(|a| map.get(a).copied()).collect();
                    out.op(*op, args?).ok()?
                }
            };
            map.insert(id, new);
        }
        for root in roots {
            out.push_root(map[root]);
        }
        Some(out)
    }
}

/// Quarters are exact and short to print.
fn rounded(value: Value) -> Value {
    let round = |x: f64| (x * 16.0).round() / 4.0;
    match &value {
        Value::Double(x) => Value::Double(round(*x)),
        Value::Matrix(m) => {
            let cells = m.to_cells().into_iter().map(round).collect();
            Value::from(sumac_runtime::Matrix::dense(m.rows(), m.cols(), cells))
        }
        _ => value,
    }
}

fn cells(value: &Value) -> Vec<f64> {
    match value.as_matrix() {
        Some(matrix) => matrix.to_cells(),
        None => value.as_number().into_iter().collect(),
    }
}

fn differ(a: &Value, b: &Value) -> bool {
    let (a, b) = (cells(a), cells(b));
    let off = |(x, y): (&f64, &f64)| {
        // An undefined value tells nothing.
        x.is_finite() && y.is_finite() && (x - y).abs() > DIFFERENT * (1.0 + x.abs().max(y.abs()))
    };
    a.len() != b.len() || a.iter().zip(&b).any(off)
}

/// A value as DML writes it.
fn dml(value: &Value) -> String {
    match value.as_matrix() {
        Some(matrix) => {
            let cells: Vec<String> = matrix
                .to_cells()
                .into_iter()
                .map(sumac_la::number)
                .collect();
            let (rows, cols) = matrix.shape();
            format!("matrix(\"{}\", rows={rows}, cols={cols})", cells.join(" "))
        }
        None => value
            .as_number()
            .map_or_else(|| value.describe(), sumac_la::number),
    }
}
