//! How long a search takes: the paper's Figure 16 over the blocks of the fixtures, and blocks of random expressions.
//!
//! `cargo xtask bench saturation` runs this in the release profile. It judges nothing: the bars do. The last lines are
//! `figure NAME VALUE` for programs.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sumac_analysis::{DiskFiles, analyze};
use sumac_cost::Machine;
use sumac_la::{Dag, NodeId, Op, Type};
use sumac_sumproduct::{Extraction, NoOutcome, Options, Outcome, Request, Strategy, optimize};

/// The algorithms of the paper's evaluation (section 4.2), by their fixtures.
const WORKLOADS: [(&str, &str); 5] = [
    ("GLM", "glm"),
    ("SVM", "svm"),
    ("ALS", "als_gradient"),
    ("PNMF", "pnmf"),
    ("MLR", "mlr"),
];
/// How matches are chosen, and how the result.
const COMBINATIONS: [(Strategy, Extraction); 4] = [
    (Strategy::Sampling, Extraction::Greedy),
    (Strategy::DepthFirst, Extraction::Greedy),
    (Strategy::Sampling, Extraction::Ilp),
    (Strategy::DepthFirst, Extraction::Ilp),
];
/// Runs of each block; the median counts.
const RUNS: usize = 5;
const SEED: u64 = 0x5eed;
const SMALL_BLOCKS: usize = 300;
const MOST_SMALL_OPERATORS: usize = 15;
const LARGE_BLOCKS: usize = 5;
const LARGE_OPERATORS: usize = 200;

/// A block to optimize.
struct Block {
    dag: Dag,
    roots: Vec<NodeId>,
}

impl Block {
    fn operators(&self) -> usize {
        let is_operator = |id: &NodeId| !self.dag.args(*id).is_empty();
        let reachable = self.dag.reachable(&self.roots);
        reachable.iter().filter(|id| is_operator(id)).count()
    }

    fn optimize(&self, options: &Options) -> (f64, Result<Outcome, NoOutcome>) {
        let machine = Machine::default();
        let request = Request {
            dag: &self.dag,
            roots: &self.roots,
            held: &[],
            machine: &machine,
            around: None,
            fusing: None,
        };
        let start = Instant::now();
        let outcome = optimize(request, options, &|| false);
        (start.elapsed().as_secs_f64() * 1e3, outcome)
    }
}

fn main() {
    figure_16();
    let small = random_blocks(SMALL_BLOCKS, |rng| {
        rng.random_range(1..=MOST_SMALL_OPERATORS)
    });
    let mut times = times_of(&small);
    println!(
        "{SMALL_BLOCKS} random blocks of 1 to {MOST_SMALL_OPERATORS} operators, seed {SEED:#x}: median {:.1} ms, p95 {:.1} ms, slowest {:.1} ms",
        quantile(&mut times, 0.5),
        quantile(&mut times, 0.95),
        quantile(&mut times, 1.0),
    );
    let large = random_blocks(LARGE_BLOCKS, |_| LARGE_OPERATORS);
    let mut large_times = times_of(&large);
    println!(
        "{LARGE_BLOCKS} random blocks of {LARGE_OPERATORS} operators: median {:.0} ms, slowest {:.0} ms",
        quantile(&mut large_times, 0.5),
        quantile(&mut large_times, 1.0),
    );
    for (extraction, figure) in [
        (Extraction::Greedy, "cancel-slowest"),
        (Extraction::Ilp, "cancel-exact-slowest"),
    ] {
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        let of_block = |block| latencies(block, extraction, &mut rng);
        let mut latencies: Vec<f64> = small.iter().chain(&large).flat_map(of_block).collect();
        println!(
            "from a cancel to the end, {} cancelled searches with {} extraction: median {:.2} ms, slowest {:.2} ms",
            latencies.len(),
            extraction.name(),
            quantile(&mut latencies, 0.5),
            quantile(&mut latencies, 1.0),
        );
        println!("figure {figure} {:.3}", quantile(&mut latencies, 1.0));
    }
    println!("figure small-median {:.3}", quantile(&mut times, 0.5));
    println!("figure small-p95 {:.3}", quantile(&mut times, 0.95));
    println!(
        "figure large-slowest {:.3}",
        quantile(&mut large_times, 1.0)
    );
}

/// Translate, saturate and extract for each strategy and extraction, summed over the blocks of each algorithm's inner loop.
fn figure_16() {
    println!(
        "milliseconds, median of {RUNS} runs, the blocks of the innermost loop (or of the script, where it has none):"
    );
    println!(
        "       blocks  operators  strategy     extraction  translate  saturate  extract  e-nodes  stopped"
    );
    for (name, fixture) in WORKLOADS {
        let blocks = inner_blocks(fixture);
        let operators: usize = blocks.iter().map(Block::operators).sum();
        for (strategy, extraction) in COMBINATIONS {
            let options = Options {
                strategy,
                extraction,
                ..Options::default()
            };
            let mut sums = [0.0; 3];
            let mut enodes = 0;
            let mut stopped: Vec<String> = Vec::new();
            for block in &blocks {
                let runs: Vec<Outcome> = (0..RUNS)
                    .filter_map(|_| block.optimize(&options).1.ok())
                    .collect();
                let Some(last) = runs.last() else { continue };
                enodes += last.search.enodes;
                if !stopped.contains(&last.search.stopped) {
                    stopped.push(last.search.stopped.clone());
                }
                let parts = [
                    |o: &Outcome| o.search.phases.translate,
                    |o: &Outcome| o.search.phases.saturate,
                    |o: &Outcome| o.search.phases.extract,
                ];
                for (sum, part) in sums.iter_mut().zip(parts) {
                    *sum += quantile(&mut runs.iter().map(part).collect::<Vec<_>>(), 0.5);
                }
            }
            println!(
                "{name:<6} {:>6}  {operators:>9}  {:<11}  {:<10}  {:>9.2}  {:>8.2}  {:>7.2}  {enodes:>7}  {}",
                blocks.len(),
                strategy.name(),
                extraction.name(),
                sums[0],
                sums[1],
                sums[2],
                stopped.join(", "),
            );
        }
    }
}

/// The blocks of the deepest loops of a fixture, each with everything that its statements compute.
fn inner_blocks(fixture: &str) -> Vec<Block> {
    let path: PathBuf =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../fixtures/{fixture}.dml"));
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let parse = sumac_syntax::parse(text.as_str());
    let options = sumac_analysis::Options {
        base_dir: path.parent().map(Path::to_path_buf),
        ..sumac_analysis::Options::default()
    };
    let analysis = analyze(&parse, &options, &DiskFiles);
    let blocks = analysis
        .blocks
        .iter()
        .filter(|block| !block.statements.is_empty());
    let deepest = blocks
        .clone()
        .map(|block| block.loop_depth)
        .max()
        .unwrap_or(0);
    blocks
        .filter(|block| block.loop_depth == deepest)
        .map(|block| Block {
            dag: block.dag.clone(),
            roots: block
                .statements
                .iter()
                .flat_map(|s| s.parts.iter().map(|part| part.root))
                .collect(),
        })
        .filter(|block| block.operators() > 0)
        .collect()
}

const OPERATORS: &[Op] = &[
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Mul,
    Op::MatMul,
    Op::MatMul,
    Op::MatMul,
    Op::Transpose,
    Op::Sum,
    Op::RowSums,
    Op::ColSums,
    Op::Neg,
    Op::Pow,
    Op::Div,
    Op::Exp,
    Op::Sigmoid,
];

/// Blocks of so many operators each, over a sparse data matrix, its factors, vectors and numbers.
fn random_blocks(count: usize, operators: impl Fn(&mut ChaCha8Rng) -> usize) -> Vec<Block> {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    (0..count)
        .map(|_| {
            let wanted = operators(&mut rng);
            random_block(&mut rng, wanted)
        })
        .collect()
}

fn random_block(rng: &mut ChaCha8Rng, operators: usize) -> Block {
    let mut dag = Dag::default();
    let types = [
        ("X", Type::sparse(20_000, 1_000, 0.01)),
        ("Y", Type::matrix(20_000, 1_000)),
        ("U", Type::matrix(20_000, 10)),
        ("V", Type::matrix(1_000, 10)),
        ("u", Type::matrix(20_000, 1)),
        ("v", Type::matrix(1_000, 1)),
        ("s", Type::scalar()),
    ];
    let mut nodes: Vec<NodeId> = types
        .into_iter()
        .map(|(name, ty)| dag.input(name, ty))
        .collect();
    let two = dag.num(2.0);
    nodes.push(two);
    let mut unread: Vec<NodeId> = Vec::new();
    let mut made = 0;
    while made < operators {
        let op = *OPERATORS.choose(rng).expect("not empty");
        // What nothing reads yet is read rather than a leaf: a block is a few statements, not a heap of small ones.
        let mut arg = || match unread.choose(rng) {
            Some(node) if rng.random_bool(0.6) => *node,
            _ => nodes[rng.random_range(0..nodes.len())],
        };
        let args = match op {
            Op::Pow => vec![arg(), two],
            _ if op.info().arity.accepts(1) => vec![arg()],
            _ => vec![arg(), arg()],
        };
        let before = dag.len();
        let Ok(node) = dag.op(op, args.clone()) else {
            continue;
        };
        if dag.len() == before || !dag.ty(node).is_sized() {
            continue;
        }
        // Nobody writes down what does not fit into memory.
        if sumac_cost::matrix_bytes(dag.ty(node)).is_some_and(|bytes| bytes > 8e9) {
            continue;
        }
        unread.retain(|known| !args.contains(known));
        unread.push(node);
        nodes.push(node);
        made += 1;
    }
    Block { dag, roots: unread }
}

/// Milliseconds from a cancel to the end of the search, for cancels at random moments of it.
fn latencies(block: &Block, extraction: Extraction, rng: &mut ChaCha8Rng) -> Vec<f64> {
    const MOMENTS: usize = 5;
    let options = Options {
        extraction,
        ..Options::default()
    };
    let (whole, _) = block.optimize(&options);
    let machine = Machine::default();
    let request = Request {
        dag: &block.dag,
        roots: &block.roots,
        held: &[],
        machine: &machine,
        around: None,
        fusing: None,
    };
    let mut at = |_| {
        let (start, moment) = (Instant::now(), whole * rng.random_range(0.0..1.0));
        let elapsed = || start.elapsed().as_secs_f64() * 1e3;
        let is_seen = Cell::new(false);
        let cancelled = || {
            let is_late = elapsed() > moment;
            is_seen.set(is_seen.get() || is_late);
            is_late
        };
        // What was cancelled is dropped, whatever it came to. A search that ended by itself before it asked again was not.
        drop(optimize(request, &options, &cancelled));
        let latency = elapsed() - moment;
        is_seen.get().then_some(latency)
    };
    (0..MOMENTS).filter_map(&mut at).collect()
}

/// The time of each block, the median of its runs. A block that is out of reach ends the benchmark: it would look fast.
fn times_of(blocks: &[Block]) -> Vec<f64> {
    let options = Options::default();
    let run = |block: &Block| {
        let (milliseconds, outcome) = block.optimize(&options);
        outcome.expect("every block can be searched");
        milliseconds
    };
    let of = |block: &Block| quantile(&mut (0..RUNS).map(|_| run(block)).collect::<Vec<_>>(), 0.5);
    blocks.iter().map(of).collect()
}

fn quantile(values: &mut [f64], q: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a place in a short list"
    )]
    let at = ((values.len().saturating_sub(1)) as f64 * q).round() as usize;
    values.get(at).copied().unwrap_or(f64::NAN)
}
