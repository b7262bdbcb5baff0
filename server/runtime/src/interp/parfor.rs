//! `parfor`: iterations side by side, and what becomes of what they assign.
//!
//! The iterations are cut into pieces whose number does not depend on the threads; each piece starts from the
//! variables before the loop, and what it changed of matrices, frames and lists is merged in the order of the pieces.
//! So neither the number of threads nor their speed changes a result, or the order of what is printed. As in SystemDS, variables that the body creates
//! are not known behind the loop, and scalars are not merged: reading one behind the loop that the body assigned is
//! an error, and with `check = 0` it has its old value.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use sumac_syntax::ast::{Arg, AssignOp, Block, Ident, StmtKind};

use super::compression::Ledger;
use super::in_turn::InTurn;
use super::merge::merge;
use super::statements::Steps;
use super::stats::Stats;
use super::{Fail, Interpreter, STACK_BYTES, Scope, Unit};
use crate::memory;
use crate::value::Value;

/// Pieces that the iterations are cut into.
const PIECES: usize = 8;

/// Above this many bytes of results, each piece's own copy of them counts: there are two.
const MANY_BYTES: u64 = 256 << 20;

/// What SystemDS lets the head of a `parfor` say; the first two matter here.
const OPTIONS: [&str; 10] = [
    "check",
    "par",
    "mode",
    "taskpartitioner",
    "tasksize",
    "datapartitioner",
    "resultmerge",
    "opt",
    "log",
    "profile",
];

/// A `parfor` statement.
pub(super) struct ParFor<'s> {
    pub(super) var: &'s Ident,
    pub(super) steps: Steps,
    pub(super) options: &'s [Arg],
    pub(super) body: &'s Block,
}

/// Variables by name; whether all assignments of one only add to it.
type Assigned = BTreeMap<Arc<str>, bool>;

fn assigned(block: &Block, found: &mut Assigned) {
    for statement in &block.statements {
        match &statement.kind {
            StmtKind::Assign { target, op, .. } => {
                let adds = *op == AssignOp::Accumulate;
                *found.entry(target.name.name.clone()).or_insert(true) &= adds;
            }
            StmtKind::MultiAssign { targets, .. } => {
                for target in targets {
                    found.insert(target.name.name.clone(), false);
                }
            }
            StmtKind::If {
                then, otherwise, ..
            } => {
                assigned(then, found);
                if let Some(block) = otherwise {
                    assigned(block, found);
                }
            }
            StmtKind::While { body, .. } | StmtKind::For { body, .. } => assigned(body, found),
            _ => {}
        }
    }
}

/// A variable that pieces give a value to, with the value before the loop.
struct Merged {
    name: Arc<str>,
    adds: bool,
    before: Value,
    now: Value,
}

/// Results that arrive in any order, merged in the order of the pieces.
struct Results {
    merged: Vec<Merged>,
    next: usize,
    waiting: BTreeMap<usize, Vec<Value>>,
    stats: Stats,
    /// The error of the first piece that has one.
    failed: Option<(usize, Fail)>,
}

impl Results {
    fn arrive(&mut self, piece: usize, done: Result<(Vec<Value>, Stats), Fail>) {
        match done {
            Ok((values, stats)) => {
                self.stats.absorb(stats);
                self.waiting.insert(piece, values);
            }
            Err(fail) => return self.fail(piece, fail),
        }
        while let Some(values) = self.waiting.remove(&self.next) {
            for (variable, value) in self.merged.iter_mut().zip(values) {
                let now = std::mem::replace(&mut variable.now, Value::Bool(false));
                match merge(&variable.before, now, value, variable.adds) {
                    Ok(merged) => variable.now = merged,
                    Err(message) => {
                        let message =
                            format!("`parfor` cannot merge `{}`: {message}", variable.name);
                        return self.fail(piece, Fail::new(message));
                    }
                }
            }
            self.next += 1;
        }
    }

    fn fail(&mut self, piece: usize, fail: Fail) {
        if self.failed.as_ref().is_none_or(|(first, _)| piece < *first) {
            self.failed = Some((piece, fail));
        }
    }
}

impl Interpreter<'_> {
    pub(super) fn parfor(
        &mut self,
        head: &ParFor<'_>,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<(), Fail> {
        let mut checked = true;
        let mut most_threads = rayon::current_num_threads();
        for option in head.options {
            let name = option.name.as_ref().map_or("", |name| &name.name);
            match OPTIONS
                .iter()
                .position(|known| name.eq_ignore_ascii_case(known))
            {
                Some(0) => checked = self.expr(&option.value, scope, unit)?.number("check")? != 0.0,
                Some(1) => {
                    let par = self.expr(&option.value, scope, unit)?.number("par")?;
                    most_threads = most_threads.min(par.max(1.0) as usize);
                }
                Some(_) => {}
                None => {
                    let known = OPTIONS.join(", ");
                    return Err(Fail::new(format!(
                        "`parfor` has no option `{name}`; it has {known}"
                    )));
                }
            }
        }
        if head.steps.count == 0 {
            return Ok(());
        }
        let mut targets = Assigned::new();
        assigned(head.body, &mut targets);
        targets.remove(&head.var.name);
        targets.retain(|name, _| scope.contains_key(name));
        let is_scalar = |name: &Arc<str>| scope.get(name).is_some_and(Value::is_scalar);
        let lost: Vec<Arc<str>> = targets
            .keys()
            .filter(|name| is_scalar(name))
            .cloned()
            .collect();
        if self.parallel || head.steps.count == 1 {
            self.one_piece(head, scope, unit, &lost)?;
        } else {
            let merged = targets.into_iter().filter(|(name, _)| !lost.contains(name));
            let merged = merged.filter_map(|(name, adds)| {
                let value = scope.get(&name)?;
                Some(Merged {
                    name,
                    adds,
                    before: value.clone(),
                    now: value.clone(),
                })
            });
            let merged: Vec<Merged> = merged.collect();
            let bytes: u64 = merged.iter().map(|m| m.before.bytes()).sum();
            let most = if bytes > MANY_BYTES { 2 } else { PIECES };
            let pieces = head.steps.count.min(most);
            let threads = most_threads.min(pieces);
            let results = self.pieces(head, scope, unit, merged, pieces, threads)?;
            for variable in results.merged {
                scope.insert(variable.name, variable.now);
            }
            self.stats.absorb(results.stats);
        }
        self.random_calls = self.random_calls.wrapping_add(1);
        if checked {
            for name in lost {
                scope.remove(&name);
                self.lost.insert(name);
            }
        }
        Ok(())
    }

    /// All iterations in order, in the variables themselves: nothing is copied, and nothing is to be merged. Inside
    /// of another `parfor` there is nothing to gain from more.
    fn one_piece(
        &mut self,
        head: &ParFor<'_>,
        scope: &mut Scope,
        unit: &Unit,
        lost: &[Arc<str>],
    ) -> Result<(), Fail> {
        let known: BTreeSet<Arc<str>> = scope.keys().cloned().collect();
        let before = |name: &Arc<str>| Some((name.clone(), scope.get(name)?.clone()));
        let before: Vec<(Arc<str>, Value)> = lost
            .iter()
            .chain([&head.var.name])
            .filter_map(before)
            .collect();
        let from = self.random_calls;
        for at in 0..head.steps.count {
            self.iteration(head, at, from, scope, unit)?;
        }
        self.random_calls = from;
        scope.retain(|name, _| known.contains(name));
        scope.extend(before);
        Ok(())
    }

    /// One iteration. It draws random numbers of its own, wherever it runs.
    fn iteration(
        &mut self,
        head: &ParFor<'_>,
        at: usize,
        random_calls: u64,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<(), Fail> {
        self.poll()?;
        self.random_calls = mixed(random_calls, at as u64);
        self.passed.remove(&head.var.name);
        scope.insert(head.var.name.clone(), head.steps.value(at));
        self.block(head.body, scope, unit)
    }

    /// Runs all pieces and merges what they give.
    fn pieces(
        &mut self,
        head: &ParFor<'_>,
        scope: &Scope,
        unit: &Unit,
        merged: Vec<Merged>,
        pieces: usize,
        threads: usize,
    ) -> Result<Results, Fail> {
        let names: Vec<Arc<str>> = merged.iter().map(|m| m.name.clone()).collect();
        let results = Mutex::new(Results {
            merged,
            next: 0,
            waiting: BTreeMap::new(),
            stats: Stats::default(),
            failed: None,
        });
        let (next, first_failed) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
        let terminal = Mutex::new(InTurn::new(&mut *self.print));
        let shared = Shared {
            head,
            names: &names,
            scope,
            unit,
            pieces,
            first_failed: &first_failed,
        };
        let (options, library, main) = (self.options, &self.library, &self.main);
        let (planner, live) = (&self.planner, &self.live);
        let (program, passed) = (self.program, &self.passed);
        let (random_calls, calls, depth, base) =
            (self.random_calls, self.calls, self.depth, &self.base);
        let work = || {
            let terminal = || terminal.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                let piece = next.fetch_add(1, Ordering::Relaxed);
                if piece >= pieces || piece > first_failed.load(Ordering::Relaxed) {
                    return;
                }
                let mut print = |line: &str| terminal().print(piece, line);
                let mut worker = Interpreter {
                    options,
                    print: &mut print,
                    library: library.clone(),
                    planner: planner.clone(),
                    program,
                    passed: passed.clone(),
                    returned: Vec::new(),
                    main: main.clone(),
                    caller: Arc::default(),
                    lost: BTreeSet::new(),
                    live: live.clone(),
                    ranges: BTreeMap::new(),
                    stats: Stats::default(),
                    ledger: Ledger::default(),
                    random_calls,
                    depth,
                    calls,
                    parallel: true,
                    base: base.clone(),
                };
                let done = worker.piece(&shared, piece);
                match done {
                    Ok(_) => terminal().end(piece),
                    Err(_) => _ = first_failed.fetch_min(piece, Ordering::Relaxed),
                }
                let done = done.map(|values| (values, worker.stats));
                let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                results.arrive(piece, done);
            }
        };
        if threads <= 1 {
            work();
        } else {
            std::thread::scope(|scope| -> std::io::Result<()> {
                let mut started = Vec::new();
                let _stacks = memory::Stack::of(threads * STACK_BYTES);
                for _ in 0..threads {
                    let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
                    started.push(builder.spawn_scoped(scope, work)?);
                }
                for thread in started {
                    if let Err(panic) = thread.join() {
                        std::panic::resume_unwind(panic);
                    }
                }
                Ok(())
            })
            .map_err(|error| Fail::new(format!("no thread could be started: {error}")))?;
        }
        let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        match results.failed {
            Some((_, fail)) => Err(fail),
            None => Ok(results),
        }
    }

    /// Runs the iterations of one piece; gives the values of the variables that are merged.
    fn piece(&mut self, shared: &Shared<'_>, piece: usize) -> Result<Vec<Value>, Fail> {
        let count = shared.head.steps.count;
        let mut scope = shared.scope.clone();
        let from = self.random_calls;
        for at in piece * count / shared.pieces..(piece + 1) * count / shared.pieces {
            if shared.first_failed.load(Ordering::Relaxed) < piece {
                break;
            }
            self.iteration(shared.head, at, from, &mut scope, shared.unit)?;
        }
        let value = |name: &Arc<str>| {
            scope
                .remove(name)
                .ok_or_else(|| Fail::new(format!("`{name}` has no value at the end of `parfor`")))
        };
        shared.names.iter().map(value).collect()
    }
}

/// What all pieces share.
struct Shared<'p> {
    head: &'p ParFor<'p>,
    names: &'p [Arc<str>],
    scope: &'p Scope,
    unit: &'p Unit,
    pieces: usize,
    /// The first piece that failed: later ones need not end.
    first_failed: &'p AtomicUsize,
}

/// A number that differs for each pair.
fn mixed(a: u64, b: u64) -> u64 {
    let mut x = a
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(b.wrapping_add(1).wrapping_mul(0xd1b5_4a32_d192_ed03));
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ (x >> 27)
}
