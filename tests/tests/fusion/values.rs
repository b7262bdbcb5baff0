//! Fused against unfused: random DAGs over dense, sparse, compressed and empty matrices, with NaN and empty rows, give the same
//! values whatever the plan.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sumac_cost::Machine;
use sumac_fusion::template::Sizes as Templates;
use sumac_fusion::{Options, Policy, Rates, plan};
use sumac_la::{Dag, NodeId};
use sumac_runtime::compressed::{Compressed, Encoding, GroupPlan};
use sumac_runtime::eval::eval_plan;
use sumac_runtime::fused::Prepared;
use sumac_runtime::{Cancel, Matrix, Value};

use crate::generator::{Sizes, random};
use crate::how_many;

const OPERATORS: usize = 14;
/// Relative to the largest cell on the way to a value.
const TOLERANCE: f64 = 1e-9;
/// Beyond this, sums of squares of squares say nothing.
const LARGEST: f64 = 1e40;

/// How the matrices of a DAG look.
#[derive(Clone, Copy, Debug)]
enum Look {
    /// As declared.
    Declared,
    /// All cells stored, zeros too.
    Dense,
    /// Only the non-zero cells stored, however many.
    Sparse,
    /// Nothing but zeros.
    Empty,
}

fn matrix(rng: &mut ChaCha8Rng, rows: usize, cols: usize, share: f64, has_nan: bool) -> Matrix {
    // Quarters: sums and products are exact as long as they are small.
    let mut cells: Vec<f64> = (0..rows * cols)
        .map(|_| {
            if rng.random_bool(share) {
                f64::from(rng.random_range(-8..=8)) / 4.0
            } else {
                0.0
            }
        })
        .collect();
    if rows > 2 {
        let empty = rng.random_range(0..rows);
        cells[empty * cols..(empty + 1) * cols].fill(0.0);
    }
    if has_nan && !cells.is_empty() {
        let at = rng.random_range(0..cells.len());
        cells[at] = f64::NAN;
    }
    Matrix::dense(rows, cols, cells)
}

fn inputs(rng: &mut ChaCha8Rng, dag: &Dag, look: Look) -> Vec<Value> {
    let nan = if rng.random_bool(0.25) {
        rng.random_range(0..dag.inputs().len())
    } else {
        usize::MAX
    };
    dag.inputs()
        .iter()
        .enumerate()
        .map(|(i, input)| {
            if input.ty.is_scalar() {
                return Value::Double(0.75);
            }
            let size = |dim: &sumac_la::Dim| usize::try_from(dim.known().unwrap()).unwrap();
            let (rows, cols) = (size(&input.ty.rows), size(&input.ty.cols));
            let share = match look {
                Look::Empty if cols > 1 => 0.0,
                _ => input.ty.density(),
            };
            let made = matrix(rng, rows, cols, share, i == nan);
            let keeps = rng.random_bool(0.3);
            match look {
                Look::Dense => made,
                Look::Sparse if !keeps && cols > 1 => made.to_sparse(),
                _ => made.settled(),
            }
            .into()
        })
        .collect()
}

/// The same matrices, most of them in groups of columns by chance, each in an encoding by chance.
fn in_groups(rng: &mut ChaCha8Rng, inputs: &[Value]) -> Vec<Value> {
    let encodings = [
        None,
        Some(Encoding::Dictionary),
        Some(Encoding::Offsets),
        Some(Encoding::Runs),
        Some(Encoding::Uncompressed),
    ];
    let mut compress = |value: &Value| -> Value {
        let Some(m) = value
            .as_matrix()
            .filter(|m| m.cols() > 0 && rng.random_bool(0.8))
        else {
            return value.clone();
        };
        let mut groups = vec![Vec::new(); rng.random_range(1..=m.cols())];
        for col in 0..u32::try_from(m.cols()).expect("few columns") {
            let at = rng.random_range(0..groups.len());
            groups[at].push(col);
        }
        let groups = groups.into_iter().filter(|cols| !cols.is_empty());
        let plan: Vec<GroupPlan> = groups
            .map(|cols| GroupPlan {
                cols,
                encoding: encodings[rng.random_range(0..encodings.len())],
            })
            .collect();
        Matrix::from(Compressed::new(m, &plan)).into()
    };
    inputs.iter().map(&mut compress).collect()
}

fn run(
    dag: &Dag,
    roots: &[NodeId],
    inputs: &[Value],
    options: &Options,
    prepared: &Prepared,
    names: &mut Vec<&'static str>,
) -> Vec<Value> {
    let plan = plan(dag, roots, options);
    let ran = eval_plan(
        (dag, roots),
        &plan,
        inputs,
        prepared,
        &Cancel::default(),
        &mut |name, _| names.push(name),
    );
    ran.unwrap_or_else(|error| panic!("{error}")).values
}

fn cells(value: &Value) -> Vec<f64> {
    match value {
        Value::Matrix(m) => m.to_cells(),
        other => vec![other.as_number().expect("a number")],
    }
}

#[test]
fn fused_operators_have_the_values_of_their_parts() {
    let wanted = how_many("SUMAC_FUSION_DAGS", 700);
    let prepared = Prepared::default();
    let (mut compared, mut compressed, mut seed) = (0, 0, 0);
    let mut names: Vec<&str> = Vec::new();
    while compared < wanted {
        seed += 1;
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5eed);
        let mut sizes = Sizes {
            m: rng.random_range(6..45),
            n: rng.random_range(6..40),
            k: rng.random_range(1..5),
            sparsity: [0.05, 0.2, 0.38][rng.random_range(0..3)],
        };
        match rng.random_range(0..24) {
            0 => sizes.m = 1,
            1 => sizes.n = 1,
            2 => sizes.k = 0,
            3 => (sizes.m, sizes.n) = (1, 1),
            4 => sizes.n = sizes.m,
            _ => {}
        }
        let random = random(seed, sizes, OPERATORS);
        let (dag, roots) = (&random.dag, random.roots.as_slice());
        let look = [Look::Declared, Look::Dense, Look::Sparse, Look::Empty][rng.random_range(0..4)];
        let plain = inputs(&mut rng, dag, look);
        let mut options = Options {
            policy: Policy::None,
            sizes: Templates {
                least_outer: 4,
                ..Templates::default()
            },
            ..Options::new(Rates::from(&Machine::default()))
        };
        let all = dag.reachable(roots);
        let on_the_way: Vec<NodeId> = all
            .into_iter()
            .filter(|id| !dag.args(*id).is_empty())
            .collect();
        let mut ignored = Vec::new();
        let known = run(dag, &on_the_way, &plain, &options, &prepared, &mut ignored);
        let largest = |root: NodeId| {
            let below = dag.reachable(&[root]);
            let of = |(id, value): (&NodeId, &Value)| {
                if below.contains(id) {
                    cells(value)
                        .iter()
                        .fold(1.0, |most: f64, x| most.max(x.abs()))
                } else {
                    1.0
                }
            };
            on_the_way.iter().zip(&known).map(of).fold(1.0, f64::max)
        };
        if roots.iter().any(|root| largest(*root) > LARGEST) {
            continue;
        }
        let fusing = [Policy::CostBased, Policy::FuseAll, Policy::FuseNoRedundancy];
        let mut runs: Vec<(Policy, bool)> = fusing.map(|policy| (policy, false)).to_vec();
        if matches!(look, Look::Declared) {
            compressed += 1;
            // Over groups, operators alone have kernels of their own.
            runs.extend([(Policy::None, true)]);
            runs.extend(fusing.map(|policy| (policy, true)));
        }
        for (policy, is_compressed) in runs {
            options.policy = policy;
            // Groups that an operator had to read as cells are there as cells from then on: each plan finds fresh ones.
            let inputs = match is_compressed {
                true => in_groups(&mut rng, &plain),
                false => plain.clone(),
            };
            let fused = run(dag, roots, &inputs, &options, &prepared, &mut names);
            for (root, value) in roots.iter().zip(&fused) {
                let at = on_the_way.iter().position(|id| id == root).expect("a root");
                let expected = &known[at];
                let describe = || {
                    let groups = if is_compressed { " in groups" } else { "" };
                    format!(
                        "seed {seed}, {look:?}{groups}, {policy:?}, `{}`",
                        dag.print(*root)
                    )
                };
                assert_eq!(value.describe(), expected.describe(), "{}", describe());
                let bound = TOLERANCE * largest(*root);
                for (i, (a, b)) in cells(value).iter().zip(cells(expected)).enumerate() {
                    let is_same = (a.is_nan() && b.is_nan()) || *a == b || (a - b).abs() <= bound;
                    assert!(is_same, "{}, cell {i}: {a} and {b}", describe());
                }
            }
        }
        compared += 1;
    }
    let count = |name: &str| names.iter().filter(|n| **n == name).count();
    let of = ["Row", "Cell", "MAgg", "Outer"].map(|name| (name, count(name)));
    println!(
        "{compared} DAGs from seed 1 on, {compressed} of them compressed: {of:?}, {} declined, plan cache {:?}",
        count(sumac_runtime::fused::DECLINED),
        prepared.statistics()
    );
    let least = usize::try_from(wanted / 20).expect("small");
    assert!(of.iter().all(|(_, count)| *count >= least), "{of:?}");
    assert!(compressed as u64 * 10 >= wanted, "{compressed}");
}
