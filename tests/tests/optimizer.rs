//! The optimizer against evaluation: random expressions over all operators of the table, with random facts, keep their
//! value and their shape, and no search panics.
//!
//! Inputs are dense, sparse or empty, matrices, vectors, single cells and scalars. Their cells are quarters, so that sums
//! and products are exact; where a comparison or a rounding is decided by a rounding error, nothing is compared.
#![expect(clippy::print_stdout, reason = "a run says how much it compared")]

use std::collections::{BTreeMap, BTreeSet};

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sumac_cost::Machine;
use sumac_la::{Dag, Node, NodeId, Op, Type};
use sumac_runtime::synthesize::Range;
use sumac_runtime::{Csr, Matrix, Value, eval, synthesize};
use sumac_sumproduct::{CostModel, Extraction, Loop, NoOutcome, Options, Request, optimize};

const EXPRESSIONS: u64 = 20_000;
const OPERATORS: usize = 9;
/// Relative to the largest cell on the way.
const TOLERANCE: f64 = 1e-9;

/// The operators that the search looks into; half of all are of these.
const INSIDE: &[Op] = &[
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::MatMul,
    Op::Transpose,
    Op::Sum,
    Op::RowSums,
    Op::ColSums,
    Op::Neg,
    Op::Pow,
    Op::Div,
];

const MODELS: [CostModel; 4] = [
    CostModel::Nnz,
    CostModel::Flops,
    CostModel::Bytes,
    CostModel::Time,
];

/// Arguments for an operator; whether they fit it is for the table to say.
struct Picker<'a> {
    dag: &'a mut Dag,
    nodes: &'a [NodeId],
    rng: &'a mut ChaCha8Rng,
}

impl Picker<'_> {
    fn any(&mut self) -> NodeId {
        *self.nodes.choose(self.rng).expect("not empty")
    }

    fn number(&mut self, numbers: &[f64]) -> NodeId {
        let number = *numbers.choose(self.rng).expect("not empty");
        self.dag.num(number)
    }

    fn size(&mut self, most: u64) -> u64 {
        self.rng.random_range(1..=most)
    }

    fn num(&mut self, n: u64) -> NodeId {
        self.dag.num(f64::from(u32::try_from(n).expect("small")))
    }

    /// First and last place of a window in an axis.
    fn window(&mut self, length: u64) -> [NodeId; 2] {
        let last = self.size(length);
        let first = self.size(last);
        [self.num(first), self.num(last)]
    }

    fn args(&mut self, op: Op) -> Vec<NodeId> {
        let x = self.any();
        let sizes = |dag: &Dag| {
            let ty = dag.ty(x);
            (ty.rows.known().unwrap_or(1), ty.cols.known().unwrap_or(1))
        };
        let (rows, cols) = sizes(self.dag);
        match op {
            Op::Pow => vec![x, self.number(&[2.0, 2.0, 3.0, 0.0, 1.0, -1.0, 0.5])],
            Op::LogBase => vec![x, self.number(&[2.0, 10.0])],
            Op::Reshape => vec![x, self.num(cols), self.num(rows)],
            Op::Fill => {
                let (rows, cols) = (self.size(4), self.size(4));
                // With a matrix it would be another operator.
                let x = if self.dag.is_scalar(x) {
                    x
                } else {
                    self.number(&[0.0, 1.0, 3.0])
                };
                vec![x, self.num(rows), self.num(cols)]
            }
            Op::Seq => {
                let last = self.size(4);
                vec![self.num(1), self.num(last), self.num(1)]
            }
            Op::RightIndex => [
                vec![x],
                self.window(rows).to_vec(),
                self.window(cols).to_vec(),
            ]
            .concat(),
            Op::LeftIndex => {
                let y = self.any();
                let (r, c) = (self.window(rows), self.window(cols));
                [vec![x, y], r.to_vec(), c.to_vec()].concat()
            }
            Op::IfElse => vec![x, self.any(), self.any()],
            _ if op.info().arity.accepts(1) && !op.info().arity.accepts(2) => vec![x],
            _ => vec![x, self.any()],
        }
    }
}

/// An expression of a few operators over matrices, vectors and a scalar of these sizes.
fn expression(rng: &mut ChaCha8Rng, sizes: &[u64]) -> Dag {
    let mut dag = Dag::default();
    let mut nodes: Vec<NodeId> = Vec::new();
    for name in ["A", "B", "C", "d"] {
        let mut size = || *sizes.choose(rng).expect("not empty");
        let (rows, cols) = (size(), size());
        let sparsity = *[0.0, 0.3, 1.0].choose(rng).expect("not empty");
        let ty = if name == "d" {
            Type::scalar()
        } else {
            Type::sparse(rows, cols, sparsity)
        };
        nodes.push(dag.input(name, ty));
    }
    for number in [-1.0, 2.0, 0.5] {
        nodes.push(dag.num(number));
    }
    let wanted = rng.random_range(2..=OPERATORS);
    let mut made = 0;
    let mut root = nodes[0];
    for _ in 0..400 {
        let all = if rng.random() { INSIDE } else { Op::ALL };
        let op = *all.choose(rng).expect("not empty");
        let before = dag.len();
        let args = Picker {
            dag: &mut dag,
            nodes: &nodes,
            rng,
        }
        .args(op);
        let is_new = dag.op(op, args).ok().filter(|node| node.index() >= before);
        if let Some(node) = is_new.filter(|node| dag.ty(*node).is_sized()) {
            nodes.push(node);
            root = node;
            made += 1;
        }
        if made == wanted {
            break;
        }
    }
    dag.push_root(root);
    dag
}

/// The same value in quarters, sparse where its type says so.
fn in_quarters(value: &Value, ty: &Type) -> Value {
    let round = |x: f64| (x * 16.0).round() / 4.0;
    match value.as_matrix() {
        None => Value::Double(round(value.as_number().unwrap_or(1.0))),
        Some(m) => {
            let (rows, cols) = m.shape();
            let cells: Vec<f64> = m.to_cells().into_iter().map(round).collect();
            if ty.sparsity.is_some_and(|share| share < 1.0) {
                let places = (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j)));
                let entries = places.zip(cells).filter(|(_, x)| *x != 0.0);
                let entries = entries.map(|((i, j), x)| (i, j, x)).collect();
                Value::from(Matrix::from(Csr::from_entries(rows, cols, entries)))
            } else {
                Value::from(Matrix::dense(rows, cols, cells))
            }
        }
    }
}

/// The values of all nodes of an expression; `None` where one of them is no finite number.
struct Trace {
    values: BTreeMap<NodeId, Vec<f64>>,
    root: NodeId,
}

impl Trace {
    fn of(dag: &Dag, known: &[(String, Value)]) -> Result<Option<Trace>, String> {
        let root = dag.roots()[0];
        let mut all = dag.clone();
        let reachable = dag.reachable(&[root]);
        for node in &reachable {
            all.push_root(*node);
        }
        let input = |name: &str| known.iter().find(|(own, _)| own == name);
        let inputs = dag.inputs().iter();
        let inputs: Vec<Value> = inputs
            .map(|i| input(&i.name).expect("an input of the original").1.clone())
            .collect();
        let results = eval(&all, &inputs).map_err(|error| error.to_string())?;
        let values: BTreeMap<NodeId, Vec<f64>> = reachable
            .iter()
            .copied()
            .zip(results[dag.roots().len()..].iter().map(cells))
            .collect();
        let is_finite = values.values().flatten().all(|x| x.is_finite());
        Ok(is_finite.then_some(Trace { values, root }))
    }

    /// The largest cell.
    fn scale(&self) -> f64 {
        self.values
            .values()
            .flatten()
            .fold(1.0, |most, x| most.max(x.abs()))
    }

    /// Whether a rounding error decides a comparison or a rounding.
    fn hangs_by_a_thread(&self, dag: &Dag, scale: f64) -> bool {
        let is_tiny = |x: f64| x != 0.0 && x.abs() <= TOLERANCE * scale;
        let near_step = |x: &f64| is_tiny(x - x.round()) || is_tiny(x + 0.5 - (x + 0.5).round());
        self.values.keys().any(|id| {
            let Node::Op(op, args) = dag.node(*id) else {
                return false;
            };
            let arg = |n: usize| &self.values[&args[n]];
            match op {
                Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                    let pairs = arg(0)
                        .iter()
                        .flat_map(|x| arg(1).iter().map(move |y| x - y));
                    pairs.into_iter().any(is_tiny)
                }
                Op::And | Op::Or | Op::Not | Op::Sign | Op::IfElse | Op::Div => arg(0)
                    .iter()
                    .chain(arg(args.len() - 1))
                    .any(|x| is_tiny(*x)),
                Op::Round | Op::Floor | Op::Ceil => arg(0).iter().any(near_step),
                Op::Mod | Op::IntDiv => {
                    let shares = arg(0)
                        .iter()
                        .flat_map(|x| arg(1).iter().map(move |y| x / y));
                    shares.into_iter().any(|x| near_step(&x))
                }
                // What is nearly zero has a root that is not.
                Op::Sqrt | Op::Pow | Op::Log | Op::LogBase | Op::Acos | Op::Asin => {
                    arg(0).iter().any(|x| is_tiny(*x) || is_tiny(x.abs() - 1.0))
                }
                _ => false,
            }
        })
    }
}

fn cells(value: &Value) -> Vec<f64> {
    match value.as_matrix() {
        Some(matrix) => matrix.to_cells(),
        None => value.as_number().into_iter().collect(),
    }
}

#[test]
fn optimized_expressions_keep_their_value_and_shape() {
    let machine = Machine::default();
    let (mut compared, mut changed) = (0, 0);
    let mut failures: Vec<String> = Vec::new();
    let mut used: BTreeSet<Op> = BTreeSet::new();
    for seed in 0..EXPRESSIONS {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let dag = expression(&mut rng, &[1, 2, 3, 4]);
        let cost = *MODELS.choose(&mut rng).expect("four");
        let options = Options {
            cost,
            seed,
            extraction: if seed % 4 == 0 {
                Extraction::Ilp
            } else {
                Extraction::Greedy
            },
            max_nodes: Some(800),
            ..Options::default()
        };
        // Every third expression stands in a loop in which its first input does not change.
        let steady: Vec<NodeId> = dag
            .reachable(dag.roots())
            .into_iter()
            .filter(|id| dag.input_of(*id).is_some())
            .take(1)
            .collect();
        let around = (seed % 3 == 0).then_some(Loop {
            loop_invariant: &steady,
            trip_count: 10.0,
        });
        let request = Request {
            dag: &dag,
            roots: dag.roots(),
            held: &[],
            machine: &machine,
            around,
            fusing: None,
        };
        let text = dag.print(dag.roots()[0]);
        let outcome = match optimize(request, &options, &|| false) {
            Ok(outcome) => outcome,
            Err(NoOutcome::OutOfReach) => continue,
            Err(other) => panic!("seed {seed}: {text}: {other:?}"),
        };
        let better = outcome.dag.print(outcome.dag.roots()[0]);
        let (old, new) = (
            dag.ty(dag.roots()[0]),
            outcome.dag.ty(outcome.dag.roots()[0]),
        );
        assert_eq!(
            (old.kind, &old.rows, &old.cols),
            (new.kind, &new.rows, &new.cols),
            "seed {seed}: {text} => {better}"
        );
        let values: Vec<(String, Value)> = dag
            .inputs()
            .iter()
            .zip(1..)
            .map(|(input, n)| {
                let value = synthesize(&input.ty, seed * 16 + n, Range::Signed).expect("small");
                (input.name.to_string(), in_quarters(&value, &input.ty))
            })
            .collect();
        let told = format!("seed {seed}: {text} => {better}");
        // What is no expression of the language has no value to keep; where there is one, the suggestion must have it.
        let Ok(a) = Trace::of(&dag, &values) else {
            continue;
        };
        let b = Trace::of(&outcome.dag, &values).unwrap_or_else(|error| panic!("{told}: {error}"));
        // Division by zero and overflow: real arithmetic says nothing of them.
        let (Some(a), Some(b)) = (a, b) else {
            continue;
        };
        let scale = a.scale().max(b.scale());
        if a.hangs_by_a_thread(&dag, scale) || b.hangs_by_a_thread(&outcome.dag, scale) {
            continue;
        }
        compared += 1;
        changed += usize::from(text != better);
        used.extend(a.values.keys().filter_map(|id| match dag.node(*id) {
            Node::Op(op, _) => Some(*op),
            _ => None,
        }));
        let (a, b) = (&a.values[&a.root], &b.values[&b.root]);
        let is_equal = |(x, y): (&f64, &f64)| (x - y).abs() <= TOLERANCE * scale;
        if a.len() != b.len() || !a.iter().zip(b).all(is_equal) {
            failures.push(format!("{told}: {a:?} is not {b:?}"));
        }
    }
    println!(
        "{EXPRESSIONS} expressions from seed 0: {compared} compared, {changed} changed, {} failures",
        failures.len()
    );
    assert!(
        failures.is_empty(),
        "the shortest of {}: {}",
        failures.len(),
        failures
            .iter()
            .min_by_key(|text| text.len())
            .expect("not empty")
    );
    let unused: Vec<Op> = Op::ALL
        .iter()
        .copied()
        .filter(|op| !used.contains(op))
        .collect();
    assert!(unused.is_empty(), "never compared: {unused:?}");
    assert!(
        compared > EXPRESSIONS as usize / 2,
        "only {compared} compared"
    );
    assert!(
        changed > EXPRESSIONS as usize / 10,
        "only {changed} changed"
    );
}

/// The last few values that an expression computes, wanted at once: they share what is below them.
fn with_more_roots(dag: &Dag) -> Vec<NodeId> {
    let nodes = dag.reachable(dag.roots());
    let mut roots: Vec<NodeId> = nodes
        .into_iter()
        .rev()
        .filter(|id| !dag.args(*id).is_empty())
        .take(3)
        .collect();
    roots.reverse();
    roots
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures behind the test")]
fn exact_extraction_is_never_dearer_than_greedy() {
    const PAIRS: u64 = 1_500;
    let machine = Machine::default();
    let (mut compared, mut cheaper, mut proved, mut most) = (0, 0, 0, 0.0_f64);
    for seed in 0..PAIRS {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let dag = expression(&mut rng, &[1, 30, 1000, 20_000]);
        let cost = *MODELS.choose(&mut rng).expect("four");
        let roots = if seed % 2 == 0 {
            dag.roots().to_vec()
        } else {
            with_more_roots(&dag)
        };
        let run = |extraction| {
            let request = Request {
                dag: &dag,
                roots: &roots,
                held: &[],
                machine: &machine,
                around: None,
                fusing: None,
            };
            let options = Options {
                cost,
                seed,
                extraction,
                max_nodes: Some(600),
                ..Options::default()
            };
            optimize(request, &options, &|| false)
        };
        let (greedy, exact) = match (run(Extraction::Greedy), run(Extraction::Ilp)) {
            (Ok(greedy), Ok(exact)) => (greedy, exact),
            (Err(a), Err(b)) => {
                assert_eq!(a, b, "seed {seed}");
                continue;
            }
            (a, b) => panic!("seed {seed}: {a:?}, but {b:?}"),
        };
        compared += 1;
        assert_eq!(greedy.search.gap, None);
        proved += usize::from(exact.search.gap == Some(0.0));
        let (before, after) = (cost.of(&greedy.after), cost.of(&exact.after));
        assert!(
            after <= before,
            "seed {seed}: {after} instead of {before}: {} => {}",
            greedy.dag.print(greedy.dag.roots()[0]),
            exact.dag.print(exact.dag.roots()[0]),
        );
        if after < before * (1.0 - 1e-9) {
            cheaper += 1;
            most = most.max(1.0 - after / before);
        }
    }
    println!(
        "{compared} compared, {proved} proved, {cheaper} cheaper, by {:.1} % at most",
        100.0 * most
    );
    assert!(compared > 700, "only {compared} compared");
    assert!(
        proved * 100 >= compared * 95,
        "only {proved} of {compared} proved"
    );
    assert!(cheaper > 10, "only {cheaper} cheaper");
}
