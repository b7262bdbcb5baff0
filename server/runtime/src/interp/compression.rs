//! Which matrices of a script are compressed, and when: those that loops read again and again, in ways that the groups have
//! shorter ones for, once what is left of the loop surely pays for it.
//!
//! What a loop did with a matrix in the iterations so far is what it is expected to do in those to come. A `for` loop says how many
//! these are. A `while` loop does not: there, compression waits until it costs a twentieth of what was spent already. Estimates
//! and counts decide, never a clock or the number of threads, so a run can be had again. Iterations of `parfor` decide nothing.

use std::collections::BTreeSet;
use std::sync::{Arc, Weak};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use sumac_la::{Dag, Node, NodeId, Op, ShapeRule};

use super::{Interpreter, Scope};
use crate::compressed::{self, Compressed, Estimate, Uses, making_seconds};
use crate::kernels::fused::Program;
use crate::matrix::Matrix;
use crate::memory;
use crate::value::Value;

/// When matrices are compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Compression {
    /// Where it pays.
    #[default]
    Auto,
    /// Never.
    Never,
    /// Every matrix that a variable gets and that becomes smaller.
    Always,
}

/// Smaller matrices stay in a cache, where plain cells are faster.
const LEAST_BYTES: u64 = 32 << 20;

/// A product with more columns computes more than it reads.
const MOST_COLUMNS: u64 = 16;

/// What a `for` loop must gain for each second of compressing.
const GAIN: f64 = 1.5;

/// The share of what was spent that a `while` loop may lose.
const STAKE: f64 = 0.05;

/// What a `while` loop must gain of the time over plain cells.
const LEAST_GAIN: f64 = 0.25;

/// A loop that runs.
#[derive(Debug)]
struct Running {
    /// Iterations after this one, where that is known.
    left: Option<usize>,
    count: usize,
    /// Ticks at which this iteration and the one before began.
    began: u64,
    before: u64,
}

/// A large matrix that operators have read.
#[derive(Debug)]
struct Seen {
    plain: Weak<Matrix>,
    compressed: Option<Arc<Matrix>>,
    /// Nothing to gain, or no room.
    is_hopeless: bool,
    estimate: Option<Estimate>,
    /// The tick at which it was first read.
    first: u64,
    all: Uses,
    /// In the last iteration that used it, and when that began.
    now: Uses,
    tick: u64,
}

/// What is known of large matrices.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    seen: Vec<Seen>,
    loops: Vec<Running>,
    tick: u64,
    /// What was compressed: names and ratios.
    pub(super) done: Vec<Made>,
}

/// A matrix that was compressed.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) name: String,
    pub(super) took: std::time::Duration,
    /// Plain bytes for each compressed one.
    pub(super) ratio: f64,
}

impl Ledger {
    fn of(&mut self, matrix: &Arc<Matrix>) -> &mut Seen {
        let is_same = |seen: &Seen| std::ptr::eq(seen.plain.as_ptr(), Arc::as_ptr(matrix));
        let place = match self.seen.iter().position(is_same) {
            Some(place) => place,
            None => {
                // Who is gone makes room; a place in memory is not used twice while somebody remembers it.
                self.seen.retain(|seen| seen.plain.strong_count() > 0);
                self.seen.push(Seen {
                    plain: Arc::downgrade(matrix),
                    compressed: None,
                    is_hopeless: false,
                    estimate: None,
                    first: self.tick,
                    all: Uses::default(),
                    now: Uses::default(),
                    tick: self.tick,
                });
                self.seen.len() - 1
            }
        };
        &mut self.seen[place]
    }

    fn note(&mut self, matrix: &Arc<Matrix>, uses: Uses) {
        let tick = self.tick;
        let seen = self.of(matrix);
        if seen.tick != tick {
            (seen.now, seen.tick) = (Uses::default(), tick);
        }
        seen.all = seen.all.plus(uses);
        seen.now = seen.now.plus(uses);
    }
}

/// Whether a value is a matrix whose uses are counted.
fn is_counted(value: &Value) -> Option<&Arc<Matrix>> {
    match value {
        Value::Matrix(m) if m.compressed().is_none() && m.bytes() >= LEAST_BYTES => Some(m),
        _ => None,
    }
}

impl Interpreter<'_> {
    fn is_watching(&self) -> bool {
        self.options.compression == Compression::Auto && !self.parallel
    }

    /// A loop begins, of so many iterations if that is known.
    pub(super) fn loop_begins(&mut self, count: Option<usize>) {
        let tick = self.ledger.tick;
        self.ledger.loops.push(Running {
            left: count,
            count: count.unwrap_or(0),
            began: tick,
            before: tick,
        });
    }

    /// The innermost loop has ended.
    pub(super) fn loop_ends(&mut self) {
        self.ledger.loops.pop();
    }

    /// An iteration begins: time to think about what those before did.
    pub(super) fn next_iteration(&mut self, scope: &mut Scope) {
        if !self.is_watching() {
            return;
        }
        self.ledger.tick += 1;
        let tick = self.ledger.tick;
        let Some(running) = self.ledger.loops.last_mut() else {
            return;
        };
        running.before = running.began;
        running.began = tick;
        running.left = running.left.map(|left| left.saturating_sub(1));
        if !self.ledger.seen.is_empty() {
            self.compress_what_pays(scope);
        }
    }

    fn compress_what_pays(&mut self, scope: &mut Scope) {
        self.ledger
            .seen
            .retain(|seen| seen.plain.strong_count() > 0);
        let names: Vec<(Arc<str>, Arc<Matrix>)> = scope
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), is_counted(value)?.clone())))
            .collect();
        for (name, matrix) in names {
            if let Some(compressed) = self.worth_compressing(&name, &matrix) {
                scope.insert(name, Value::Matrix(compressed));
            }
        }
    }

    /// The compressed matrix, if it is there or pays from now on.
    fn worth_compressing(&mut self, name: &str, matrix: &Arc<Matrix>) -> Option<Arc<Matrix>> {
        let ledger = &mut self.ledger;
        let running = ledger.loops.last()?;
        let is_same = |seen: &Seen| std::ptr::eq(seen.plain.as_ptr(), Arc::as_ptr(matrix));
        let seen = ledger.seen.iter_mut().find(|seen| is_same(seen))?;
        if let Some(compressed) = &seen.compressed {
            return Some(compressed.clone());
        }
        // It outlived an iteration, and the one before this read its groups only.
        let last = seen.now;
        let outlives = seen.first < running.before;
        let is_in_use = seen.tick >= running.before;
        if seen.is_hopeless || !is_in_use || !outlives || last.other > 0.0 || last.passes == 0.0 {
            return None;
        }
        let plain_bytes = matrix.bytes() as f64;
        let making = making_seconds(matrix.rows(), matrix.cols());
        // Iterations of this loop that are to come; also in those of outer `for` loops that the matrix has outlived.
        let to_come = running.left.map(|left| {
            let outer = ledger.loops[..ledger.loops.len() - 1].iter().rev();
            let mut inner = running.count as f64;
            let mut all = (left + 1) as f64;
            for outer in outer.take_while(|outer| seen.first < outer.began) {
                let Some(left) = outer.left else { break };
                all += left as f64 * inner;
                inner *= outer.count as f64;
            }
            all
        });
        let is_enough = |saved: f64, plain: f64| match to_come {
            Some(to_come) => saved * to_come > GAIN * making,
            None => {
                let spent = seen.all.plain_seconds(plain_bytes);
                saved > LEAST_GAIN * plain && making < STAKE * spent
            }
        };
        let plain = last.plain_seconds(plain_bytes);
        if !is_enough(plain, plain) {
            return None;
        }
        let start = Instant::now();
        let estimate = match seen.estimate.take() {
            Some(estimate) => estimate,
            None if compressed::is_possible(matrix) => compressed::estimate(matrix),
            None => {
                seen.is_hopeless = true;
                return None;
            }
        };
        let saved = plain - estimate.seconds(&last);
        seen.is_hopeless =
            saved <= 0.0 || !estimate.is_small(plain_bytes) || !has_room(&estimate, matrix);
        if seen.is_hopeless || !is_enough(saved, plain) {
            seen.estimate = Some(estimate);
            return None;
        }
        let made = Compressed::new(matrix, &estimate.plan);
        // The sample may have been wrong.
        if made.bytes() as f64 > 1.5 * estimate.bytes + 1e6 {
            seen.is_hopeless = true;
            return None;
        }
        let ratio = plain_bytes / made.bytes().max(1) as f64;
        let made = Arc::new(Matrix::from(made));
        seen.compressed = Some(made.clone());
        ledger.done.push(Made {
            name: name.to_owned(),
            took: start.elapsed(),
            ratio,
        });
        Some(made)
    }

    /// Counts what an expression does with its inputs, and gives those that are compressed and used by their groups only in this
    /// form.
    pub(super) fn by_groups(&mut self, dag: &Dag, inputs: &mut [Value]) {
        if !self.is_watching() {
            return;
        }
        let is_any = inputs.iter().any(|input| is_counted(input).is_some());
        let nodes = if is_any {
            dag.reachable(dag.roots())
        } else {
            Vec::new()
        };
        for id in nodes {
            let Node::Input(i) = dag.node(id) else {
                continue;
            };
            let i = *i as usize;
            let Some(matrix) = is_counted(&inputs[i]).cloned() else {
                continue;
            };
            let uses = uses(dag, id);
            self.ledger.note(&matrix, uses);
            if uses.other == 0.0
                && let Some(compressed) = &self.ledger.of(&matrix).compressed
            {
                inputs[i] = Value::Matrix(compressed.clone());
            }
        }
    }

    /// Somebody reads a value's cells one by one.
    pub(super) fn reads_cells(&mut self, value: &Value) {
        if self.is_watching()
            && let Some(matrix) = is_counted(value)
        {
            let uses = Uses {
                other: 1.0,
                ..Uses::default()
            };
            self.ledger.note(&matrix.clone(), uses);
        }
    }

    /// A value for a variable: compressed where every matrix is.
    pub(super) fn kept(&mut self, name: &str, value: Value) -> Value {
        let Value::Matrix(matrix) = &value else {
            return value;
        };
        if self.options.compression != Compression::Always || !compressed::is_possible(matrix) {
            return value;
        }
        let start = Instant::now();
        let Some(made) = compressed::compress(matrix) else {
            return value;
        };
        self.ledger.done.push(Made {
            name: name.to_owned(),
            took: start.elapsed(),
            ratio: matrix.bytes() as f64 / made.bytes().max(1) as f64,
        });
        Matrix::from(made).into()
    }
}

/// Whether there is room for the groups and what it takes to make them.
fn has_room(estimate: &Estimate, matrix: &Matrix) -> bool {
    let wanted = (2.0 * estimate.bytes) as usize + 32 * matrix.rows();
    let all = memory::total_bytes().unwrap_or(u64::MAX);
    wanted as u64 <= all / 8 && memory::is_room_for(wanted)
}

/// What a DAG does with an input.
fn uses(dag: &Dag, id: NodeId) -> Uses {
    let mut uses = readers(dag, id, false);
    if uses.products + uses.transposed + uses.values > 0.0 {
        uses.passes = passes(dag, id);
    }
    uses
}

/// How often the plain cells of a matrix are read at least. One operator may read them for several, but not for one that waits
/// for what comes of all rows.
fn passes(dag: &Dag, id: NodeId) -> f64 {
    let is = |node: NodeId, wanted: Op| matches!(dag.node(node), Node::Op(op, _) if *op == wanted);
    let is_it = |node: NodeId| node == id || (is(node, Op::Transpose) && dag.args(node)[0] == id);
    // How many such values a node waits for, one behind the other.
    let mut waits = vec![0_u32; dag.len()];
    let mut depends = vec![false; dag.len()];
    let mut read_at = BTreeSet::new();
    for node in dag.reachable(dag.roots()) {
        let Node::Op(op, args) = dag.node(node) else {
            depends[node.index()] = node == id;
            continue;
        };
        let before = args.iter().map(|arg| waits[arg.index()]).max().unwrap_or(0);
        let is_reader = !is_it(node) && args.iter().any(|arg| is_it(*arg));
        if is_reader {
            read_at.insert(before);
        }
        let comes_of_it = is_it(node) || args.iter().any(|arg| depends[arg.index()]);
        let is_of_all_rows = match op.info().shape {
            ShapeRule::FullAgg | ShapeRule::ColAgg => true,
            ShapeRule::MatMul => is(args[0], Op::Transpose),
            _ => false,
        };
        depends[node.index()] = comes_of_it;
        waits[node.index()] = before + u32::from(comes_of_it && is_of_all_rows);
    }
    read_at.len() as f64
}

/// What the readers of a matrix, or of its transpose, do with it; `values` counts what is done with distinct values only.
fn readers(dag: &Dag, id: NodeId, transposed: bool) -> Uses {
    let mut all = Uses::default();
    if dag.roots().contains(&id) {
        all.other += 1.0;
    }
    let narrow = |side: Option<u64>| side.filter(|cols| *cols <= MOST_COLUMNS);
    for reader in dag.reachable(dag.roots()) {
        let args = dag.args(reader);
        if !args.contains(&id) {
            continue;
        }
        let Node::Op(op, _) = dag.node(reader) else {
            continue;
        };
        let others: Vec<NodeId> = args.iter().copied().filter(|arg| *arg != id).collect();
        let found = match *op {
            Op::Nrow | Op::Ncol | Op::Length => Uses::default(),
            Op::MatMul if others.len() == 1 => {
                let other = dag.ty(others[0]);
                let is_left = args[0] == id;
                let cols = if is_left {
                    other.cols.known()
                } else {
                    other.rows.known()
                };
                match narrow(cols) {
                    None => needs_cells(),
                    Some(cols) if is_left != transposed => Uses {
                        products: cols as f64,
                        ..Uses::default()
                    },
                    Some(cols) => Uses {
                        transposed: cols as f64,
                        ..Uses::default()
                    },
                }
            }
            _ if transposed => needs_cells(),
            Op::Transpose => readers(dag, reader, true),
            Op::RowSums | Op::RowMeans | Op::RowMins | Op::RowMaxs => Uses {
                products: 1.0,
                ..Uses::default()
            },
            Op::Sum
            | Op::Mean
            | Op::Min
            | Op::Max
            | Op::ColSums
            | Op::ColMeans
            | Op::ColMins
            | Op::ColMaxs => by_values(),
            op if is_by_values(dag, op, args, &others) => {
                by_values().plus(readers(dag, reader, false))
            }
            _ => needs_cells(),
        };
        all = all.plus(found);
    }
    all
}

/// Whether an operator takes a matrix cell by cell, alone, with numbers or with itself.
fn is_by_values(dag: &Dag, op: Op, args: &[NodeId], others: &[NodeId]) -> bool {
    let is_with_itself = others.is_empty() && matches!(op, Op::Mul | Op::Add | Op::Sub);
    let is_once = others.len() + 1 == args.len();
    let are_numbers = others.iter().all(|other| dag.is_scalar(*other));
    Program::takes(op, args.len()) && are_numbers && (is_once || is_with_itself)
}

fn by_values() -> Uses {
    Uses {
        values: 1.0,
        ..Uses::default()
    }
}

fn needs_cells() -> Uses {
    Uses {
        other: 1.0,
        ..Uses::default()
    }
}
