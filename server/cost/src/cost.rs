//! What a node costs: FLOPs, bytes, non-zeros, time; and the peak memory of a DAG.
//!
//! Costs are estimates from shapes and sparsity alone. A value whose size is not a number has no cost.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use sumac_la::{Dag, Dim, FlopRule, Node, NodeId, Op, ShapeRule, SparseSafe, Type};

use crate::machine::Machine;

/// Bytes of a matrix or scalar in the format the runtime would keep it in: 8 per dense cell, or 12 per
/// non-zero and 8 per row in CSR.
#[must_use]
pub fn matrix_bytes(ty: &Type) -> Option<f64> {
    let cells = ty.cells()?;
    if ty.is_stored_sparse() {
        let rows = sumac_la::as_f64(ty.rows.estimate()?);
        Some(12.0 * ty.nnz()? + 8.0 * (rows + 1.0))
    } else {
        Some(8.0 * cells)
    }
}

/// A division counts as 22 operations in SystemDS, and takes as long as four at most: vector units overlap them, and in
/// SystemDS itself a cell takes as long as one of a product, in cache and out of it.
const TIME_OF_DIVISION: f64 = 4.0 / 22.0;

/// An estimate for one node or one DAG.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Cost {
    /// Floating-point operations.
    pub flops: f64,
    /// Bytes read and written.
    pub bytes: f64,
    /// Non-zeros of all results on the way: SPORES' cost (section 3.1).
    pub nnz: f64,
    /// Bytes alive at the worst moment; for a node, those of its result.
    pub peak_bytes: f64,
    /// Seconds on the given machine.
    pub seconds: f64,
}

/// The cost of one application of `op` to arguments of the given types. `square`: the second argument of a power is
/// the constant 2, which is a multiplication.
#[must_use]
pub fn op_cost(
    op: Op,
    args: &[&Type],
    square: bool,
    out: &Type,
    machine: &Machine,
) -> Option<Cost> {
    let flops = if square {
        touched(SparseSafe::First, args, out)?
    } else {
        op_flops(op, args, out)?
    };
    let result = matrix_bytes(out)?;
    let mut read: SmallVec<[f64; 4]> = SmallVec::new();
    for ty in args {
        read.push(matrix_bytes(ty)?);
    }
    let whole = result + read.iter().sum::<f64>();
    let picked = picked_bytes(op, args, out).map(|picked| picked.min(read[0]));
    let mut bytes = match picked {
        Some(picked) => result + picked,
        None => whole,
    };
    if matches!(op, Op::Nrow | Op::Ncol | Op::Length) {
        bytes = 0.0;
    }
    let is_sparse = |ty: &&Type| ty.is_stored_sparse();
    let rate = match op {
        Op::MatMul if args.iter().any(is_sparse) => machine.sparse_flops,
        Op::MatMul => machine.product_flops,
        _ => machine.cell_flops,
    };
    let work = match op {
        Op::Div => flops * TIME_OF_DIVISION,
        _ => flops,
    };
    let mut seconds = machine.overhead + (work / rate).max(bytes / machine.bandwidth);
    // Numbers are computed between two kernels, in no time that could be seen beside theirs.
    if out.is_scalar() && args.iter().all(|ty| ty.is_scalar()) {
        seconds = 0.0;
    }
    match op {
        _ if reads_against_rows(op, args) => seconds *= machine.scatter,
        Op::Transpose if args[0].is_stored_sparse() => {
            seconds += machine.move_seconds * args[0].nnz()?;
        }
        // A vector's cells keep their order.
        Op::Transpose if !out.rows.is_one() && !out.cols.is_one() => {
            seconds = machine.overhead + bytes / machine.transpose_bandwidth;
        }
        _ => {}
    }
    if out.is_stored_sparse() && merges(op, args) {
        seconds += machine.merge_seconds * out.nnz()?;
    }
    if let Some(cluster) = machine.cluster.filter(|cluster| cluster.takes(whole)) {
        let work = (seconds - machine.overhead).max(0.0);
        seconds = machine.overhead + cluster.seconds_of(op, args, &read, result, work);
    }
    Some(Cost {
        flops,
        bytes,
        nnz: out.nnz()?,
        peak_bytes: result,
        seconds,
    })
}

/// Bytes that are read of the first argument by an operator that picks cells of a dense matrix: the lines of memory that hold
/// them. `None` for other operators, which read all of it.
fn picked_bytes(op: Op, args: &[&Type], out: &Type) -> Option<f64> {
    /// Bytes of a line.
    const LINE: f64 = 64.0;
    let from = *args.first()?;
    if from.is_stored_sparse() {
        return None;
    }
    let size = |dim: &Dim| dim.estimate().map(sumac_la::as_f64);
    let is_vector = from.rows.is_one() || from.cols.is_one();
    match op {
        Op::Trace => Some(LINE * size(&from.rows)?),
        Op::Diag if !is_vector => Some(LINE * size(&from.rows)?),
        Op::RightIndex => {
            let (rows, cols) = (size(&out.rows)?, size(&out.cols)?);
            let is_whole_rows = Some(cols) == size(&from.cols);
            Some(match is_whole_rows {
                true => 8.0 * rows * cols,
                false => rows * (8.0 * cols).max(LINE),
            })
        }
        _ => None,
    }
}

/// The cost of computing `id` from its arguments; inputs and constants are free.
#[must_use]
pub(crate) fn node_cost(dag: &Dag, id: NodeId, machine: &Machine) -> Option<Cost> {
    let Node::Op(op, args) = dag.node(id) else {
        return Some(Cost::default());
    };
    let types: Vec<&Type> = args.iter().map(|a| dag.ty(*a)).collect();
    let square = *op == Op::Pow && dag.value(args[1]) == Some(2.0);
    op_cost(*op, &types, square, dag.ty(id), machine)
}

/// Whether an operator reads a sparse matrix against its rows: one on the right of a dense matrix, whose rows are added to many
/// cells of the result, or one whose columns are folded. (One that is turned for a product is, too: whoever turns it knows.)
#[must_use]
pub fn reads_against_rows(op: Op, args: &[&Type]) -> bool {
    match op.info().shape {
        ShapeRule::MatMul => args[1].is_stored_sparse() && !args[0].is_stored_sparse(),
        ShapeRule::ColAgg => args[0].is_stored_sparse(),
        _ => false,
    }
}

/// Whether the cells of a sparse result come from two sparse matrices, so that each must find its place. Beside a dense one, or a vector
/// that is repeated, they stand where those of the sparse one do.
fn merges(op: Op, args: &[&Type]) -> bool {
    let sparse = args.iter().filter(|ty| ty.is_stored_sparse()).count();
    matches!(op.info().shape, ShapeRule::Cellwise | ShapeRule::MatMul) && sparse > 1
}

fn op_flops(op: Op, args: &[&Type], out: &Type) -> Option<f64> {
    match op.info().flops {
        FlopRule::None => Some(0.0),
        FlopRule::PerCell(weight) => Some(weight * touched(op.info().sparse_safe, args, out)?),
        FlopRule::PerInputCell(weight) => Some(weight * stored(args[0])?),
        FlopRule::MatMul => {
            let (a, b) = (args[0], args[1]);
            let inner = sumac_la::as_f64(a.cols.estimate().or(b.rows.estimate())?);
            let share = |ty: &Type| {
                if ty.is_stored_sparse() {
                    ty.density()
                } else {
                    1.0
                }
            };
            Some(2.0 * out.cells()? * inner * share(a) * share(b))
        }
    }
}

/// Cells that a kernel reads of a value: non-zeros if it is stored sparse, otherwise all.
fn stored(ty: &Type) -> Option<f64> {
    if ty.is_stored_sparse() {
        ty.nnz()
    } else {
        ty.cells()
    }
}

fn touched(safe: SparseSafe, args: &[&Type], out: &Type) -> Option<f64> {
    let all = out.cells()?;
    let matrices = || args.iter().filter(|ty| ty.cells() == Some(all));
    Some(match safe {
        SparseSafe::No => all,
        SparseSafe::First => {
            if args[0].cells()? < all {
                all
            } else {
                stored(args[0])?
            }
        }
        SparseSafe::Any => {
            let mut least = all;
            for ty in matrices() {
                least = least.min(stored(ty)?);
            }
            least
        }
        SparseSafe::All => {
            let mut sum = 0.0;
            for ty in args {
                sum += if ty.cells()? < all { all } else { stored(ty)? };
            }
            sum.min(all)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Priced;

    fn loss(sparsity: f64) -> (Dag, NodeId) {
        let mut d = Dag::default();
        let x = d.input("X", Type::sparse(20000, 10000, sparsity));
        let u = d.input("U", Type::sparse(20000, 10, 1.0));
        let v = d.input("V", Type::sparse(10000, 10, 1.0));
        let vt = d.op(Op::Transpose, [v]).unwrap();
        let uv = d.op(Op::MatMul, [u, vt]).unwrap();
        let e = d.op(Op::Sub, [x, uv]).unwrap();
        let two = d.num(2.0);
        let sq = d.op(Op::Pow, [e, two]).unwrap();
        let sum = d.op(Op::Sum, [sq]).unwrap();
        (d, sum)
    }

    #[test]
    fn what_picks_cells_reads_their_lines_of_memory() {
        let mut d = Dag::default();
        let m = d.input("M", Type::matrix(5000, 5000));
        let s = d.input("S", Type::sparse(5000, 5000, 0.1));
        let (one, ten) = (d.num(1.0), d.num(10.0));
        let end = d.num(5000.0);
        let picked = [
            (d.op(Op::Diag, [m]), 8.0 * 5000.0 + 64.0 * 5000.0),
            (d.op(Op::Trace, [m]), 8.0 + 64.0 * 5000.0),
            (
                d.op(Op::RightIndex, [m, one, end, one, one]),
                8.0 * 5000.0 + 64.0 * 5000.0,
            ),
            (
                d.op(Op::RightIndex, [m, one, ten, one, end]),
                2.0 * 8.0 * 50_000.0,
            ),
        ];
        for (node, bytes) in picked {
            let node = node.unwrap();
            let cost = d.node_cost(node, &Machine::default()).unwrap();
            assert_eq!(cost.bytes, bytes, "{}", d.print(node));
        }
        // Where the cells of a sparse matrix stand must be looked for.
        let diagonal = d.op(Op::Diag, [s]).unwrap();
        let cost = d.node_cost(diagonal, &Machine::default()).unwrap();
        assert!(cost.bytes > 12.0 * 2.5e6, "{}", cost.bytes);
    }

    #[test]
    fn the_product_dominates_the_loss() {
        let (d, sum) = loss(0.001);
        let cost = d.cost(&[sum], &Machine::default()).unwrap();
        // 2 * 10 * 2e8 for the product, 2e8 each for minus, square and sum.
        assert!((cost.flops - 4.6e9).abs() < 1e7, "{}", cost.flops);
        assert!(
            cost.peak_bytes > 3.2e9 && cost.peak_bytes < 3.3e9,
            "{}",
            cost.peak_bytes
        );
    }

    #[test]
    fn sparse_operands_cost_by_their_non_zeros() {
        let mut d = Dag::default();
        let x = d.input("X", Type::sparse(1000, 1000, 0.01));
        let two = d.num(2.0);
        let sq = d.op(Op::Pow, [x, two]).unwrap();
        assert_eq!(
            d.node_cost(sq, &Machine::default()).unwrap().flops,
            10_000.0
        );
        let v = d.input("v", Type::sparse(1000, 1, 1.0));
        let xv = d.op(Op::MatMul, [x, v]).unwrap();
        assert_eq!(
            d.node_cost(xv, &Machine::default()).unwrap().flops,
            20_000.0
        );
    }

    #[test]
    fn unknown_sizes_have_no_cost() {
        let mut d = Dag::default();
        let x = d.input("X", Type::unknown_matrix());
        let s = d.op(Op::Sum, [x]).unwrap();
        assert!(d.cost(&[s], &Machine::default()).is_none());
    }
}
