//! Inputs that tell two expressions apart. They are looked for among small ones, with bounds of errors, and both sides are
//! run on them as scripts before they are shown. Must never be taken as a sign of equality.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sumac_analysis::Values;
use sumac_la::{Dag, Dim, Node, NodeId, Type};
use sumac_runtime::interp::{self, RunOptions};
use sumac_runtime::{Cancel, Value};
use sumac_syntax::ast::{ExprKind, Program};
use sumac_syntax::walk;

use super::bounds::{self, Bounds};

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
    /// Whether the sides differ as much for all inputs.
    pub is_always: bool,
    /// By how much the right side is larger, where that is the same in all cells.
    pub(super) apart: Option<f64>,
}

/// Inputs of the declared sizes are tried up to this many cells; larger ones are tried smaller.
const MAX_CELLS: f64 = 64.0;
/// Inputs of the declared sizes are written by a formula up to this many cells.
const MAX_WRITTEN: f64 = 30_000.0;
/// Most cells of a side that are shown.
const SHOWN: usize = 12;
/// Functions whose result is as large as some value says …
const SIZED_BY_VALUES: [&str; 8] = [
    "table", "matrix", "rand", "seq", "sample", "rexpand", "ctable", "toOneHot",
];
/// … are run on no larger values than this.
const LARGEST_SIZE: f64 = 1e4;
/// How many values are tried for each choice of sizes.
const TRIES: u64 = 36;
/// … and for large inputs.
const FEW_TRIES: u64 = 6;
/// Values of functions that have no bounds differ by more than this share of the largest cell.
const DIFFERENT: f64 = 1e-6;
/// Inputs that have to tell such values apart.
const WITNESSES: usize = 3;

/// What is asked: two nodes, how each is written, and what of the inputs is free.
pub(super) struct Sides<'a> {
    pub(super) dag: &'a Dag,
    pub(super) sides: [NodeId; 2],
    /// Both sides as DML over the names of the inputs.
    pub(super) texts: [String; 2],
    /// Whether values of functions stand among the inputs.
    pub(super) has_calls: bool,
    /// The inputs that a person gives.
    pub(super) inputs: Vec<(Arc<str>, Type)>,
    /// The values that they can have, where that is not any.
    pub(super) values: BTreeMap<Arc<str>, Values>,
    pub(super) name: &'a dyn Fn(&str) -> String,
}

/// Inputs for which the sides differ. `any_size`: smaller inputs than declared are good too.
pub(super) fn search(asked: &Sides<'_>, any_size: bool) -> Option<Counterexample> {
    let mut witnesses = 0;
    for choice in 0..CHOICES {
        let Some(small) = Small::new(&asked.inputs, choice) else {
            continue;
        };
        if small.is_scaled && !any_size {
            continue;
        }
        let dag = if asked.has_calls {
            None
        } else {
            match small.dag(asked.dag, &asked.sides) {
                Some(found) => Some(found),
                None => continue,
            }
        };
        let tries = if small.is_large { FEW_TRIES } else { TRIES };
        for seed in 0..tries {
            let inputs: Vec<(String, Given)> = asked
                .inputs
                .iter()
                .zip(0_u64..)
                .map(|((name, ty), n)| {
                    let values = asked.values.get(name).copied().unwrap_or(Values::Any);
                    let given = Given::of(values, small.shape(ty), ty.is_scalar(), seed, n);
                    (name.to_string(), given)
                })
                .collect();
            let mut told = None;
            if let Some((dag, sides)) = &dag {
                let given = inputs
                    .iter()
                    .map(|(name, given)| (name.clone(), given.value.clone()))
                    .collect();
                let results = bounds::evaluate(dag, *sides, &given);
                told = results.and_then(|[a, b]| bounds::distance(&a, &b));
                if told.is_none() {
                    continue;
                }
            }
            let Some((left, right)) = run(asked, &inputs) else {
                continue;
            };
            if !differ(&left, &right, &inputs, told) {
                continue;
            }
            witnesses += 1;
            if dag.is_none()
                && witnesses < WITNESSES
                && left.as_matrix().is_some() == right.as_matrix().is_some()
                && cells(&left).len() == cells(&right).len()
            {
                continue;
            }
            let mut named: Vec<(String, String)> = inputs
                .iter()
                .map(|(name, given)| ((asked.name)(name), given.text.clone()))
                .collect();
            named.sort();
            let apart = distance(&left, &right);
            let (left, right) = shown(&left, &right);
            return Some(Counterexample {
                inputs: named,
                left,
                right,
                is_scaled: small.is_scaled,
                is_always: false,
                apart,
            });
        }
    }
    None
}

/// Choices of sizes that are tried.
const CHOICES: u64 = 5;

/// Sizes that are small enough to print.
struct Small {
    sizes: BTreeMap<Dim, u64>,
    is_scaled: bool,
    /// Whether the inputs have more cells than a person reads.
    is_large: bool,
}

impl Small {
    fn new(inputs: &[(Arc<str>, Type)], choice: u64) -> Option<Self> {
        let types: Vec<&Type> = inputs.iter().map(|(_, ty)| ty).collect();
        let cells: Option<f64> = types.iter().map(|ty| ty.cells()).sum();
        // In the order of the inputs, so that no name decides.
        let mut dims: Vec<Dim> = Vec::new();
        for dim in types.iter().flat_map(|ty| [&ty.rows, &ty.cols]) {
            if !dims.contains(dim) {
                dims.push(dim.clone());
            }
        }
        let fits = cells.is_some_and(|cells| cells <= MAX_CELLS);
        let is_open = dims.iter().any(|dim| dim.known().is_none());
        // Where all sizes are numbers there is but one choice.
        if choice > 0 && !is_open {
            return None;
        }
        let is_large = !fits && cells.is_some_and(|cells| cells <= MAX_WRITTEN);
        let is_scaled =
            !fits && !is_large && dims.iter().any(|dim| dim.known().is_some_and(|n| n > 4));
        let mut next = 0;
        let sizes = dims
            .into_iter()
            .map(|dim| {
                let size = match dim.known() {
                    Some(n) if fits || is_large || n <= 4 => n,
                    // Different sizes stay different, where there are few.
                    Some(n) => {
                        next += 1;
                        n.min(2 + next % 4)
                    }
                    None => {
                        next += 1;
                        match choice {
                            0 => 2 + (next - 1) % 3,
                            1 => 3,
                            2 => 1,
                            3 => 4 - (next - 1) % 3,
                            _ => 4,
                        }
                    }
                };
                (dim, size)
            })
            .collect();
        Some(Small {
            sizes,
            is_scaled,
            is_large,
        })
    }

    fn size(&self, dim: &Dim) -> u64 {
        self.sizes.get(dim).copied().unwrap_or(1)
    }

    fn shape(&self, ty: &Type) -> (usize, usize) {
        let size = |dim: &Dim| usize::try_from(self.size(dim)).unwrap_or(1);
        (size(&ty.rows), size(&ty.cols))
    }

    /// The sides over inputs of these sizes; `None` where they do not fit the expression any more.
    fn dag(&self, dag: &Dag, sides: &[NodeId; 2]) -> Option<(Dag, [NodeId; 2])> {
        let mut out = Dag::default();
        let mut map: BTreeMap<NodeId, NodeId> = BTreeMap::new();
        for id in dag.reachable(sides) {
            let new = match dag.node(id) {
                Node::Input(_) => {
                    let input = dag.input_of(id)?;
                    let ty = Type {
                        rows: Dim::Known(self.size(&input.ty.rows)),
                        cols: Dim::Known(self.size(&input.ty.cols)),
                        sparsity: None,
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
        Some((out, [*map.get(&sides[0])?, *map.get(&sides[1])?]))
    }
}

/// Cells for one try: short numbers first, then such as functions and comparisons tell apart, then large and small ones.
fn values(count: usize, kind: u64, seed: u64) -> Vec<f64> {
    // A linear congruential generator is random enough, and the same everywhere.
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = |most: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        u32::try_from((state >> 33) % most).map_or(0.0, f64::from)
    };
    (0..count)
        .map(|_| match kind % 12 {
            0 | 1 => next(33) / 4.0 - 4.0,
            2 => next(7) - 3.0,
            3 => (1.0 + next(16)) / 4.0,
            4 => next(3) - 1.0,
            5 => 1.0 + next(9),
            6 => -(1.0 + next(16)) / 4.0,
            7 => (next(2001) - 1000.0) / 8.0,
            8 => [0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0][next(8) as usize % 8],
            9 => (1.0 + next(64)) / 64.0,
            10 => [0.0, 1.0][next(2) as usize % 2],
            _ => [1e9, -1e9, 1e300, 1e-300, 0.0, 1e-9, 1e150, -1e-150][next(8) as usize % 8],
        })
        .collect()
}

/// The value of an input, and how DML writes it.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) value: Bounds,
    pub(super) text: String,
}

impl Given {
    /// The value of an input for one try among those that it can have; `n` is its number.
    fn of(values: Values, shape: (usize, usize), is_scalar: bool, kind: u64, n: u64) -> Given {
        match values {
            Values::Any => Given::new(shape, is_scalar, kind, n),
            Values::Whole => Given::new(
                shape,
                is_scalar,
                [2, 5, 4][kind as usize % 3],
                kind * 64 + n,
            ),
            Values::Truth => Given::new(shape, is_scalar, 10, kind * 64 + n),
            Values::Between(low, high) => {
                Given::between([low, high], shape, is_scalar, kind * 101 + n * 37)
            }
        }
    }

    /// Cells strictly between two numbers, each another one where there are not too many.
    fn between(
        [low, high]: [f64; 2],
        (rows, cols): (usize, usize),
        is_scalar: bool,
        start: u64,
    ) -> Given {
        let count = rows * cols;
        let width = (high - low) / 256.0;
        let cell = |n: u64| {
            let place = (start + n * 97) % 255 + 1;
            low + f64::from(u32::try_from(place).unwrap_or(1)) * width
        };
        let cells: Vec<f64> = (1..).take(count).map(cell).collect();
        let text = if count <= 256 {
            written(rows, cols, is_scalar, &cells)
        } else {
            format!(
                "matrix({low} + ((seq(1, {count}) * 97 + {start}) %% 255 + 1) * {width}, rows={rows}, cols={cols})"
            )
        };
        Given {
            value: Bounds::exact(rows, cols, &cells),
            text,
        }
    }

    /// The value of an input for one try; `n` is its number.
    pub(super) fn new((rows, cols): (usize, usize), is_scalar: bool, kind: u64, n: u64) -> Given {
        let count = rows * cols;
        if count <= 256 {
            let cells = values(count, kind, kind * 64 + n);
            let text = written(rows, cols, is_scalar, &cells);
            let value = Bounds::exact(rows, cols, &cells);
            return Given { value, text };
        }
        // What nobody reads cell by cell is written by a formula.
        let (modulus, shift, part) = match kind % 6 {
            0 => (29, 14, 4),
            1 => (5, 2, 1),
            2 => (17, -1, 4),
            3 => (2, 0, 1),
            4 => (13, 14, 4),
            _ => (97, 48, 8),
        };
        let step = 7 + 4 * n;
        let mut cells = Vec::with_capacity(count);
        for i in 1..=u64::try_from(count).unwrap_or(0) {
            let cell = i64::try_from(i * step % modulus).unwrap_or(0) - shift;
            #[expect(clippy::cast_precision_loss, reason = "both are small")]
            cells.push(cell as f64 / f64::from(part));
        }
        Given {
            value: Bounds::exact(rows, cols, &cells),
            text: format!(
                "matrix(((seq(1, {count}) * {step}) %% {modulus} - {shift}) / {part}, rows={rows}, cols={cols})"
            ),
        }
    }
}

fn written(rows: usize, cols: usize, is_scalar: bool, cells: &[f64]) -> String {
    let texts: Vec<String> = cells.iter().map(|x| sumac_la::number(*x)).collect();
    if is_scalar {
        texts.join("")
    } else {
        matrix(rows, cols, &texts)
    }
}

/// Both sides run on these inputs.
fn run(asked: &Sides<'_>, inputs: &[(String, Given)]) -> Option<(Value, Value)> {
    let mut targets = ["left".to_owned(), "right".to_owned()];
    let [left, right] = &asked.texts;
    let is_used = |name: &String| left.contains(name.as_str()) || right.contains(name.as_str());
    while targets.iter().any(is_used) {
        targets.iter_mut().for_each(|name| name.push('_'));
    }
    let mut text = String::new();
    for (name, given) in inputs {
        text.push_str(&format!("{name} = {}\n", given.text));
    }
    text.push_str(&format!(
        "{} = {left}\n{} = {right}\n",
        targets[0], targets[1]
    ));
    let parsed = sumac_syntax::parse(text.as_str());
    if !parsed.errors().is_empty() {
        return None;
    }
    let is_large = inputs
        .iter()
        .any(|(_, given)| given.value.exceeds(LARGEST_SIZE));
    if is_large && is_sized_by_values(parsed.program()) {
        return None;
    }
    let options = RunOptions {
        args: BTreeMap::new(),
        base: PathBuf::new(),
        seed: 1,
        cancel: Cancel::default(),
        loader: &|path: &Path| Err(format!("{} is not read", path.display())),
        planning: sumac_runtime::fused::Planning::default(),
        compression: interp::Compression::Never,
        blocks: false,
        wants_variables: true,
        installation: None,
    };
    let mut outcome = interp::run(parsed.program(), &text, &options, &mut |_| ()).ok()?;
    let left = outcome.variables.remove(&targets[0])?;
    Some((left, outcome.variables.remove(&targets[1])?))
}

/// Whether a function is called whose result is as large as some value says.
fn is_sized_by_values(program: &Program) -> bool {
    let mut found = false;
    walk::walk(program, &mut |node| {
        if let walk::Node::Expr(expr) = node
            && let ExprKind::Call(call) = &expr.kind
        {
            found |= SIZED_BY_VALUES.contains(&&*call.name.name);
        }
    });
    found
}

/// The cells of both sides on these inputs.
#[cfg(test)]
pub(super) fn run_on(
    asked: &Sides<'_>,
    inputs: &[(String, Given)],
) -> Option<(Vec<f64>, Vec<f64>)> {
    let (left, right) = run(asked, inputs)?;
    Some((cells(&left), cells(&right)))
}

fn cells(value: &Value) -> Vec<f64> {
    match (value.as_matrix(), value) {
        (Some(matrix), _) => matrix.to_cells(),
        (None, Value::Bool(holds)) => vec![f64::from(u8::from(*holds))],
        (None, value) => value.as_number().into_iter().collect(),
    }
}

/// Whether two results of a run differ: about as much as bounds have told, or beyond what a person could take for the same.
fn differ(a: &Value, b: &Value, inputs: &[(String, Given)], told: Option<f64>) -> bool {
    let shape = |value: &Value| value.as_matrix().map_or((1, 1), |m| m.shape());
    if shape(a) != shape(b) {
        return true;
    }
    let (a, b) = (cells(a), cells(b));
    let given = inputs.iter().flat_map(|(_, given)| &given.value.cells);
    let largest = a
        .iter()
        .chain(&b)
        .chain(given.map(|cell| &cell.value))
        .fold(0.0, |most: f64, cell| most.max(cell.abs()));
    let least = told.map_or(DIFFERENT * largest, |by| by / 2.0);
    // An undefined value tells nothing.
    let off = |(x, y): (&f64, &f64)| x.is_finite() && y.is_finite() && (x - y).abs() > least;
    a.iter().zip(&b).any(off)
}

/// By how much the right value is larger, if that is the same number in all cells.
fn distance(left: &Value, right: &Value) -> Option<f64> {
    let (a, b) = (cells(left), cells(right));
    if a.len() != b.len() {
        return None;
    }
    let by = |(x, y): (&f64, &f64)| ((y - x) * 1e6).round() / 1e6;
    let mut all = a.iter().zip(&b).map(by);
    let first = all.next().filter(|by| by.is_finite() && *by != 0.0)?;
    all.all(|by| by == first).then_some(first)
}

fn matrix(rows: usize, cols: usize, cells: &[String]) -> String {
    format!("matrix(\"{}\", rows={rows}, cols={cols})", cells.join(" "))
}

/// Both results, as DML writes them; of those with many cells the one in which they differ most.
fn shown(left: &Value, right: &Value) -> (String, String) {
    let (a, b) = (cells(left), cells(right));
    let shape = left.as_matrix().map(|m| m.shape());
    match shape {
        Some((_, cols)) if a.len() > SHOWN && a.len() == b.len() => {
            let off = |n: &usize| (a[*n] - b[*n]).abs();
            let known = (0..a.len()).filter(|n| off(n).is_finite());
            let most = known.max_by(|x, y| off(x).total_cmp(&off(y))).unwrap_or(0);
            let (row, col) = (most / cols + 1, most % cols + 1);
            let place = format!("in cell [{row}, {col}] of {}", a.len());
            let text = |x: f64| format!("{} {place}", sumac_la::number(x));
            (text(a[most]), text(b[most]))
        }
        _ => (dml(left), dml(right)),
    }
}

/// A value as DML writes it.
fn dml(value: &Value) -> String {
    match value.as_matrix() {
        Some(found) => {
            let cells: Vec<String> = found.to_cells().into_iter().map(sumac_la::number).collect();
            let (rows, cols) = found.shape();
            matrix(rows, cols, &cells)
        }
        None => value
            .as_number()
            .map_or_else(|| value.describe(), sumac_la::number),
    }
}
