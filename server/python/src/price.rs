//! What an expression costs in NumPy, over the names of sizes.
//!
//! Nothing is fused and nothing is shared: each step runs as often as it is written, reads its arrays and writes a new one. Must never
//! price what NumPy could do and does not.

use sumac_cost::Polynomial;
use sumac_la::{Dim, Op};
use sumac_language::Price;

use crate::tree::{Step, Tree};
use crate::value::{DType, Value};

/// What things cost.
///
/// Measured with NumPy 2.4 and its OpenBLAS on two cores of an AMD EPYC (Zen 4), arrays of 300 to 2000 rows, the lower quartile of
/// repeated runs, and then halved in speed and rounded, as most machines are slower; the ratios are those that were measured. Where they
/// differ between arrays in the cache and others, that of the cache counts: there a step by cells stands beside small products.
struct Rates {
    /// Floating-point operations a second of products of matrices of 64-bit floats; of 32-bit ones it is twice as many.
    product_flops: f64,
    /// Operations a second of products of whole numbers, for which there is no BLAS.
    whole_flops: f64,
    /// Bytes a second that a step reads or writes cell by cell.
    pass_bytes: f64,
    /// Bytes a second that a product with a vector, `vdot` and `norm` read.
    read_bytes: f64,
    /// Passes that a product of matrices is worth for each cell of its arguments, which are packed, and of its result.
    packed: (f64, f64),
    /// How many times as long a pass takes over one array by rows and another by columns.
    strided: f64,
    /// How many times as long a copy takes that changes from the one to the other.
    turned: f64,
    /// Seconds for each row of a step that repeats an array along rows, or sums rows up: short rows take as long as longer ones.
    row: f64,
    /// Seconds of a call of a step by cells.
    cells_call: f64,
    /// Seconds of a call of a product.
    product_call: f64,
    /// Seconds of a call of a sum or its like.
    reduce_call: f64,
    /// Seconds of a call of a function such as `np.diag`.
    function_call: f64,
    /// Seconds of a call of a mean, which is written in Python.
    mean_call: f64,
    /// Seconds of another view of an array, and of arithmetic on numbers.
    view: f64,
}

/// The rates.
const RATES: Rates = Rates {
    product_flops: 50e9,
    whole_flops: 1e9,
    pass_bytes: 15e9,
    read_bytes: 30e9,
    packed: (2.0, 4.0),
    strided: 2.0,
    turned: 4.0,
    row: 2e-9,
    cells_call: 0.5e-6,
    product_call: 1e-6,
    reduce_call: 1.5e-6,
    function_call: 1.5e-6,
    mean_call: 3e-6,
    view: 0.1e-6,
};

/// Seconds of a function for each cell, on top of the pass.
const PER_CELL: &[(Op, f64)] = &[
    (Op::Div, 0.2e-9),
    (Op::Pow, 5e-9),
    (Op::Exp, 1.5e-9),
    (Op::Log, 1.5e-9),
    (Op::Sqrt, 2e-9),
    (Op::Sin, 15e-9),
    (Op::Cos, 15e-9),
    (Op::Tan, 2.5e-9),
    (Op::Tanh, 3e-9),
    (Op::Sinh, 2e-9),
    (Op::Cosh, 2e-9),
];

/// What running an expression costs; `None` where a size is not known at all, or it is too long.
#[must_use]
pub fn price(tree: &Tree) -> Option<Price> {
    let cost = tree.is_short().then(|| cost(tree))??;
    Some(Price {
        seconds: cost.seconds,
        peak_bytes: cost.peak,
        flops: cost.flops,
    })
}

/// In which order the cells of an array lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Layout {
    /// It does not matter: a number, a single axis.
    Any,
    /// Row by row.
    Rows,
    /// Column by column.
    Columns,
}

/// What a part of an expression costs.
struct Cost {
    /// Seconds, its parts' among them.
    seconds: Polynomial,
    /// Operations, its parts' among them.
    flops: Polynomial,
    /// Most bytes at once while it runs.
    peak: Polynomial,
    /// Bytes that its value keeps.
    kept: Polynomial,
    /// The order of its cells.
    layout: Layout,
}

/// One step alone.
#[derive(Default)]
struct Run {
    /// Seconds.
    seconds: Polynomial,
    /// Operations.
    flops: Polynomial,
    /// Bytes of copies that it makes for itself.
    copies: Polynomial,
    /// Bytes of its result, unless that is a view.
    result: Option<Polynomial>,
    /// The order of its cells, where it is not row by row.
    layout: Option<Layout>,
}

/// What an expression and its parts cost.
fn cost(tree: &Tree) -> Option<Cost> {
    let mut args = Vec::new();
    for arg in &tree.args {
        args.push(cost(arg)?);
    }
    let run = run(tree, &args)?;
    let (mut seconds, mut flops) = (run.seconds, run.flops);
    let (mut peak, mut held) = (Polynomial::default(), Polynomial::default());
    for arg in &args {
        seconds = seconds.plus(&arg.seconds);
        flops = flops.plus(&arg.flops);
        peak = peak.max(&held.plus(&arg.peak));
        held = held.plus(&arg.kept);
    }
    let result = run.result.clone().unwrap_or_default();
    peak = peak.max(&held.plus(&run.copies).plus(&result));
    let rank = tree.value.rank();
    Some(Cost {
        seconds,
        flops,
        peak,
        kept: run.result.unwrap_or(held),
        layout: if rank < 2 {
            Layout::Any
        } else {
            run.layout.unwrap_or(Layout::Rows)
        },
    })
}

/// Number of cells.
fn cells(value: &Value) -> Option<Polynomial> {
    value
        .shape
        .iter()
        .try_fold(Polynomial::constant(1.0), |product, dim| {
            Some(product.times(&Polynomial::size(dim)?))
        })
}

/// Bytes of a cell.
fn width(dtype: DType) -> f64 {
    match dtype {
        DType::Bool => 1.0,
        DType::Float32 => 4.0,
        DType::Complex => 16.0,
        DType::Int | DType::Float64 | DType::Assumed => 8.0,
    }
}

/// Bytes of a value; a number takes none that count.
fn bytes(value: &Value) -> Option<Polynomial> {
    if value.rank() == 0 {
        return Some(Polynomial::default());
    }
    Some(cells(value)?.scaled(width(value.dtype)))
}

/// What a step costs without its arguments.
fn run(tree: &Tree, args: &[Cost]) -> Option<Run> {
    let call = |seconds: f64| Polynomial::constant(seconds);
    let result = bytes(&tree.value)?;
    let of = |at: usize| tree.args.get(at).map(|arg| &arg.value);
    let view = |layout: Layout| Run {
        seconds: call(RATES.view),
        layout: Some(layout),
        ..Run::default()
    };
    let written = |seconds: f64| -> Option<Run> {
        Some(Run {
            seconds: result.scaled(1.0 / RATES.pass_bytes).plus(&call(seconds)),
            result: Some(result.clone()),
            ..Run::default()
        })
    };
    let first = args.first().map_or(Layout::Any, |arg| arg.layout);
    Some(match &tree.step {
        Step::Atom(_) | Step::Number { .. } => Run::default(),
        // `n` is a name as well, `X.shape[0]` is looked up.
        Step::Size(text) if text.contains(['.', '(']) => view(Layout::Any),
        Step::Size(_) => Run::default(),
        Step::Transpose => view(match first {
            Layout::Any => Layout::Any,
            Layout::Rows => Layout::Columns,
            Layout::Columns => Layout::Rows,
        }),
        Step::AsColumn | Step::AsRow | Step::AsVector => view(Layout::Rows),
        Step::Diag if of(0)?.rank() == 2 => Run {
            seconds: call(RATES.function_call),
            ..Run::default()
        },
        Step::Diag | Step::Eye | Step::Fill(_) => written(RATES.function_call)?,
        Step::MatMul => product(tree, result)?,
        Step::Outer => {
            // Each of both is repeated: a pass over three arrays.
            let seconds = result.scaled(3.0 / RATES.pass_bytes);
            Run {
                seconds: seconds.plus(&call(RATES.function_call)),
                flops: cells(&tree.value)?,
                result: Some(result),
                ..Run::default()
            }
        }
        Step::Cell(op) | Step::Map(op) => by_cells(tree, *op, args)?,
        Step::Square => by_cells(tree, Op::Mul, args)?,
        Step::Trace => {
            let n = Polynomial::size(of(0)?.shape.first()?)?;
            Run {
                // A cell of each row, each in a place of its own.
                seconds: n
                    .scaled(64.0 / RATES.pass_bytes)
                    .plus(&call(RATES.function_call)),
                flops: n,
                ..Run::default()
            }
        }
        Step::Reduce { by, .. } => {
            let seconds = if *by == Op::Mean {
                RATES.mean_call
            } else {
                RATES.reduce_call
            };
            let rows = match (tree.step.clone(), of(0)?.shape.as_slice()) {
                (Step::Reduce { axis: Some(1), .. }, [rows, _]) => {
                    Polynomial::size(rows)?.scaled(RATES.row)
                }
                _ => Polynomial::default(),
            };
            Run {
                seconds: bytes(of(0)?)?
                    .scaled(1.0 / RATES.pass_bytes)
                    .plus(&rows)
                    .plus(&call(seconds)),
                flops: cells(of(0)?)?,
                result: Some(result),
                ..Run::default()
            }
        }
        Step::Norm => Run {
            seconds: bytes(of(0)?)?
                .scaled(1.0 / RATES.read_bytes)
                .plus(&call(RATES.function_call)),
            flops: cells(of(0)?)?.scaled(2.0),
            ..Run::default()
        },
        Step::Vdot => {
            let mut read = bytes(of(0)?)?.plus(&bytes(of(1)?)?);
            read = read.scaled(1.0 / RATES.read_bytes);
            let mut copies = Polynomial::default();
            // It takes both row by row, and copies what is not.
            for (arg, value) in args.iter().zip([of(0)?, of(1)?]) {
                if arg.layout == Layout::Columns {
                    copies = copies.plus(&bytes(value)?);
                }
            }
            let copying = copies.scaled(2.0 * RATES.turned / RATES.pass_bytes);
            Run {
                seconds: read.plus(&copying).plus(&call(RATES.function_call)),
                flops: cells(of(0)?)?.scaled(2.0),
                copies,
                ..Run::default()
            }
        }
    })
}

/// A product by BLAS, which takes transposed arrays as they are.
fn product(tree: &Tree, result: Polynomial) -> Option<Run> {
    let [a, b] = tree.args.as_slice() else {
        return None;
    };
    let size = |dim: Option<&Dim>| dim.map_or(Some(Polynomial::constant(1.0)), Polynomial::size);
    let rows = size((a.value.rank() == 2).then(|| &a.value.shape[0]))?;
    let inner = size(a.value.shape.last())?;
    let cols = size(b.value.shape.get(1))?;
    let mut flops = rows.times(&inner).times(&cols).scaled(2.0);
    let mut mirrored = Polynomial::default();
    if is_turned(a, b) {
        flops = flops.scaled(0.5);
        if tree.value.rank() == 2 {
            // The half that is not computed is copied from the other, cell by cell.
            mirrored = result.scaled(RATES.turned / RATES.pass_bytes);
        }
    }
    let rate = match tree.value.dtype {
        DType::Float32 => 2.0 * RATES.product_flops,
        DType::Float64 | DType::Assumed => RATES.product_flops,
        DType::Complex => RATES.product_flops / 4.0,
        DType::Bool | DType::Int => RATES.whole_flops,
    };
    let read = bytes(&a.value)?.plus(&bytes(&b.value)?);
    let is_flat = tree.value.rank() < 2 || tree.value.shape.iter().any(Dim::is_one);
    let moved = if is_flat {
        read.plus(&result).scaled(1.0 / RATES.read_bytes)
    } else {
        let (of_args, of_result) = RATES.packed;
        let passes = read.scaled(of_args).plus(&result.scaled(of_result));
        passes.scaled(1.0 / RATES.pass_bytes)
    };
    let call = Polynomial::constant(RATES.product_call);
    Some(Run {
        seconds: flops
            .scaled(1.0 / rate)
            .plus(&moved)
            .plus(&mirrored)
            .plus(&call),
        flops,
        result: Some(result),
        ..Run::default()
    })
}

/// Whether one is the other transposed, both of one variable: NumPy computes half of the product then.
fn is_turned(a: &Tree, b: &Tree) -> bool {
    let is_of = |turned: &Tree, plain: &Tree| {
        turned.step == Step::Transpose
            && turned.args.first() == Some(plain)
            && matches!(&plain.step, Step::Atom(atom) if atom.is_pure)
    };
    is_of(a, b) || is_of(b, a)
}

/// A pass: what is repeated is read as often as it stands there, numbers apart.
fn by_cells(tree: &Tree, op: Op, args: &[Cost]) -> Option<Run> {
    let rank = tree.value.rank();
    let per_cell = PER_CELL.iter().find(|(of, _)| *of == op);
    // A root is not taken by the general power.
    let per_cell = match (op, tree.args.get(1).map(|power| &power.step)) {
        (Op::Pow, Some(Step::Number { value, .. })) if *value == 0.5 => {
            PER_CELL.iter().find(|(of, _)| *of == Op::Sqrt)
        }
        _ => per_cell,
    };
    if rank == 0 {
        let seconds = if matches!(tree.step, Step::Map(_)) && op != Op::Neg {
            RATES.cells_call
        } else {
            RATES.view
        };
        return Some(Run {
            seconds: Polynomial::constant(seconds),
            flops: Polynomial::constant(1.0),
            ..Run::default()
        });
    }
    let cells = cells(&tree.value)?;
    let result = bytes(&tree.value)?;
    let arrays = || {
        tree.args
            .iter()
            .zip(args)
            .filter(|(arg, _)| arg.value.rank() > 0)
    };
    let widths: f64 = arrays().map(|(arg, _)| width(arg.value.dtype)).sum();
    // Only arrays of the whole shape decide about the order of cells.
    let layouts: Vec<Layout> = arrays()
        .filter(|(arg, _)| is_whole(&arg.value, &tree.value))
        .map(|(_, cost)| cost.layout)
        .filter(|layout| *layout != Layout::Any)
        .collect();
    let layout = layouts.first().copied();
    let is_mixed = layouts.iter().any(|other| Some(*other) != layout);
    let times = if is_mixed { RATES.strided } else { 1.0 };
    let moved = cells.scaled(widths).plus(&result);
    // What is repeated is repeated row by row.
    let is_repeated = rank == 2 && arrays().any(|(arg, _)| !is_whole(&arg.value, &tree.value));
    let rows = match tree.value.shape.first().filter(|_| is_repeated) {
        Some(rows) => Polynomial::size(rows)?.scaled(RATES.row),
        None => Polynomial::default(),
    };
    let seconds = moved
        .scaled(times / RATES.pass_bytes)
        .plus(&rows)
        .plus(&cells.scaled(per_cell.map_or(0.0, |(_, seconds)| *seconds)))
        .plus(&Polynomial::constant(RATES.cells_call));
    Some(Run {
        seconds,
        flops: cells,
        result: Some(result),
        layout,
        ..Run::default()
    })
}

/// Whether a value has the shape of another, with nothing repeated.
fn is_whole(value: &Value, result: &Value) -> bool {
    value.rank() == result.rank()
        && value
            .shape
            .iter()
            .zip(&result.shape)
            .all(|(a, b)| a.is_one() == b.is_one())
}
