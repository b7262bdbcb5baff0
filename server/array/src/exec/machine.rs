//! Runs nests without a compiler: places are known to be inside, loops that are blocks run on vectors, the others step by step.
//!
//! All memory is there before a run begins: nothing is allocated inside of loops that run in order.

use std::ops::Range;
use std::sync::Mutex;

use super::aligned::Aligned;
use super::bounds::proven;
use super::plan::{Blocked, Op, Parallel, Place, Plan, Rows, Value, plan};
use super::real::Real;
use crate::nest::{BufferId, Nest, Role};

/// Pieces of a parallel loop for each thread.
const PIECES: usize = 8;

/// A nest that is ready to run, with its memory.
#[derive(Debug)]
pub struct Machine<T> {
    plan: Plan<T>,
    inputs: usize,
    lens: Vec<usize>,
    roles: Vec<Role>,
    /// Values that are stored once.
    stored: Vec<Option<Aligned<T>>>,
    /// What each thread has for itself; the first is for what runs in order.
    own: Vec<Own<T>>,
}

/// The memory of a thread: local buffers, and a vector for each depth of a calculation.
#[derive(Debug)]
struct Own<T> {
    local: Vec<Option<Aligned<T>>>,
    vectors: Vec<Vec<T>>,
    counters: Vec<i64>,
}

/// A buffer as a thread sees it.
#[derive(Debug)]
enum View<'a, T> {
    /// Elsewhere, for the time being.
    Away,
    Read(&'a [T]),
    /// Numbers from a place on.
    Write(&'a mut [T], usize),
}

impl<T: Real> Machine<T> {
    /// Prepares a nest.
    ///
    /// # Errors
    /// It is on other numbers, or a place may be outside of its buffer: text for a person.
    pub fn new(nest: &Nest) -> Result<Self, String> {
        if nest.scalar != T::SCALAR {
            return Err(format!(
                "the nest is on {}, not on {}",
                nest.scalar.name(),
                T::SCALAR.name()
            ));
        }
        proven(nest)?;
        let plan = plan::<T>(nest);
        let len = |n: i64| usize::try_from(n).map_err(|_| "a buffer is too large".to_owned());
        let lens: Vec<usize> = nest
            .buffers
            .iter()
            .map(|buffer| len(buffer.len))
            .collect::<Result<_, _>>()?;
        let of_role = |role: Role| -> Vec<Option<Aligned<T>>> {
            let buffers = nest.buffers.iter().zip(&lens);
            buffers
                .map(|(buffer, len)| (buffer.role == role).then(|| Aligned::new(*len)))
                .collect()
        };
        let threads = if has_parallel(&plan.ops) {
            rayon::current_num_threads()
        } else {
            0
        };
        let own = (0..=threads)
            .map(|_| Own {
                local: of_role(Role::Local),
                vectors: vec![vec![T::default(); plan.widest]; plan.deepest + 1],
                counters: vec![0; plan.counters],
            })
            .collect();
        Ok(Machine {
            plan,
            inputs: nest.inputs,
            stored: of_role(Role::Stored),
            roles: nest.buffers.iter().map(|buffer| buffer.role).collect(),
            lens,
            own,
        })
    }

    /// How many loops are blocks of sums of products.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.plan.blocks
    }

    /// Computes the result from the inputs, each as its numbers in order.
    ///
    /// # Errors
    /// It has other inputs, or the result has another size: text for a person.
    pub fn run(&mut self, inputs: &[&[T]], out: &mut [T]) -> Result<(), String> {
        check(&self.lens, self.inputs, inputs, out)?;
        let mut own = self.own.iter_mut();
        let Some(main) = own.next() else {
            return Err("there is no thread".to_owned());
        };
        let mut given = inputs.iter();
        let mut out = Some(out);
        let mut views = Vec::with_capacity(self.roles.len());
        let buffers = self.stored.iter_mut().zip(&mut main.local);
        for (role, (stored, local)) in self.roles.iter().zip(buffers) {
            let view = match role {
                Role::Input => given.next().map(|input| View::Read(input)),
                Role::Output => out.take().map(|out| View::Write(out, 0)),
                Role::Stored => stored.as_mut().map(|kept| View::Write(kept.numbers(), 0)),
                Role::Local => local.as_mut().map(|kept| View::Write(kept.numbers(), 0)),
            };
            views.push(view.unwrap_or(View::Away));
        }
        let mut frame = Frame {
            views,
            counters: &mut main.counters,
            vectors: &mut main.vectors,
            others: own.into_slice(),
        };
        frame.ops(&self.plan.ops);
        Ok(())
    }
}

/// Whether a nest's inputs and result have their sizes.
pub(super) fn check<T>(
    lens: &[usize],
    count: usize,
    inputs: &[&[T]],
    out: &[T],
) -> Result<(), String> {
    if inputs.len() != count {
        return Err(format!(
            "the nest takes {count} inputs, found {}",
            inputs.len()
        ));
    }
    let given = inputs.iter().map(|input| input.len()).chain([out.len()]);
    for (n, (found, expected)) in given.zip(lens).enumerate() {
        if found != *expected {
            let what = if n < count { "an input" } else { "the result" };
            return Err(format!("{what} has {expected} numbers, found {found}"));
        }
    }
    Ok(())
}

fn has_parallel<T>(ops: &[Op<T>]) -> bool {
    ops.iter().any(|op| match op {
        Op::Parallel(_) => true,
        Op::Loop(_, _, body) => has_parallel(body),
        _ => false,
    })
}

struct Frame<'a, T> {
    views: Vec<View<'a, T>>,
    counters: &'a mut Vec<i64>,
    vectors: &'a mut Vec<Vec<T>>,
    /// The memory of other threads; none if this is one of them.
    others: &'a mut [Own<T>],
}

fn at(counters: &[i64], place: &Place) -> usize {
    let value = match place {
        Place::Sum(offset, terms) => terms.iter().fold(*offset, |sum, (counter, factor)| {
            sum + counters[*counter] * factor
        }),
        Place::Other(index) => index.value(&|counter| counters[counter.number as usize]),
    };
    // All places are known to be inside, so none is negative.
    usize::try_from(value).unwrap_or(usize::MAX)
}

fn read<'v, T>(views: &'v [View<'_, T>], buffer: BufferId, place: usize) -> &'v [T] {
    match &views[buffer] {
        View::Read(all) => &all[place..],
        View::Write(all, base) => &all[place - base..],
        View::Away => &[],
    }
}

fn copy<T: Copy>(out: &mut [T], source: &[T], rows: Rows) {
    for row in 0..rows.count {
        let (to, from) = (row * rows.to, row * rows.from);
        match rows.width {
            1 => out[to] = source[from],
            width => out[to..][..width].copy_from_slice(&source[from..][..width]),
        }
    }
}

impl<T: Real> Frame<'_, T> {
    fn ops(&mut self, ops: &[Op<T>]) {
        for op in ops {
            match op {
                Op::Loop(counter, count, body) => {
                    for value in 0..*count {
                        self.counters[*counter] = value;
                        self.ops(body);
                    }
                }
                Op::Parallel(parallel) => self.parallel(parallel),
                Op::Copy(to, from, rows) => {
                    let from_at = at(self.counters, &from.1);
                    let to_at = at(self.counters, &to.1);
                    self.with(to.0, |frame, out, base| {
                        let source = read(&frame.views, from.0, from_at);
                        copy(&mut out[to_at - base..], source, *rows);
                    });
                }
                Op::Fill(to, rows, value) => {
                    let place = at(self.counters, &to.1);
                    self.with(to.0, |_, out, base| {
                        let out = &mut out[place - base..];
                        for row in 0..rows.count {
                            out[row * rows.to..][..rows.width].fill(*value);
                        }
                    });
                }
                Op::Store(to, width, value) => self.store(to, *width, value),
                Op::Block(blocked) => self.block(blocked),
            }
        }
    }

    /// Does something with a buffer that is written, beside the others.
    fn with(&mut self, buffer: BufferId, act: impl FnOnce(&mut Self, &mut [T], usize)) {
        let mut view = std::mem::replace(&mut self.views[buffer], View::Away);
        if let View::Write(out, base) = &mut view {
            act(self, out, *base);
        }
        self.views[buffer] = view;
    }

    fn block(&mut self, blocked: &Blocked) {
        let [a, b, c] = [&blocked.a, &blocked.b, &blocked.c].map(|of| at(self.counters, &of.1));
        self.with(blocked.c.0, |frame, out, base| {
            let a = read(&frame.views, blocked.a.0, a);
            let b = read(&frame.views, blocked.b.0, b);
            T::add_block(&blocked.block, &mut out[c - base..], a, b);
        });
    }

    fn store(&mut self, to: &(BufferId, Place), width: usize, value: &Value<T>) {
        let place = at(self.counters, &to.1);
        if width == 1 {
            let number = self.one(value, 0);
            self.with(to.0, |_, out, base| out[place - base] = number);
            return;
        }
        // A value is whole before it is written.
        let mut vectors = std::mem::take(self.vectors);
        self.vector(value, width, &mut vectors);
        self.with(to.0, |_, out, base| {
            out[place - base..][..width].copy_from_slice(&vectors[0][..width]);
        });
        *self.vectors = vectors;
    }

    /// Calculates into the first vector, with the others at hand.
    fn vector(&self, value: &Value<T>, width: usize, vectors: &mut [Vec<T>]) {
        if let Value::Calc(_, a, _) = value {
            self.vector(a, width, vectors);
        }
        let Some((out, others)) = vectors.split_first_mut() else {
            return;
        };
        let out = &mut out[..width];
        match value {
            Value::Number(number) => out.fill(*number),
            Value::Load(buffer, place) => {
                let from = at(self.counters, place);
                out.copy_from_slice(&read(&self.views, *buffer, from)[..width]);
            }
            Value::Splat(of) => out.fill(self.one(of, 0)),
            Value::Gather(parts) => {
                for (number, part) in out.iter_mut().zip(parts) {
                    *number = self.one(part, 0);
                }
            }
            Value::Calc(prim, _, b) => {
                self.vector(b, width, others);
                for (x, y) in out.iter_mut().zip(others.first().into_iter().flatten()) {
                    *x = T::calculate(*prim, *x, *y);
                }
            }
        }
    }

    fn one(&self, value: &Value<T>, lane: usize) -> T {
        match value {
            Value::Number(number) => *number,
            Value::Load(buffer, place) => {
                read(&self.views, *buffer, at(self.counters, place) + lane)[0]
            }
            Value::Splat(of) => self.one(of, 0),
            Value::Gather(parts) => self.one(&parts[lane], 0),
            Value::Calc(prim, a, b) => T::calculate(*prim, self.one(a, lane), self.one(b, lane)),
        }
    }

    /// Threads take pieces of neighbouring runs as they come to them, with the pieces of the written buffers that belong to these:
    /// one that is held up by something else takes fewer.
    fn parallel(&mut self, parallel: &Parallel<T>) {
        let count = usize::try_from(parallel.count).unwrap_or(0);
        let threads = self.others.len().min(count);
        if threads < 2 {
            for value in 0..parallel.count {
                self.counters[parallel.counter] = value;
                self.ops(&parallel.body);
            }
            return;
        }
        let many = count.min(threads * PIECES);
        let runs = |piece: usize| count * piece / many..count * (piece + 1) / many;
        let Frame {
            views,
            counters,
            others,
            ..
        } = self;
        let mut pieces: Vec<Vec<View<'_, T>>> =
            (0..many).map(|_| Vec::with_capacity(views.len())).collect();
        for (buffer, view) in views.iter_mut().enumerate() {
            let cut = parallel.cut.iter().find(|(cut, _)| *cut == buffer);
            match (view, cut) {
                (View::Write(all, base), Some((_, step))) => {
                    let (mut rest, mut from): (&mut [T], usize) = (all, *base);
                    for (piece, views) in pieces.iter_mut().enumerate() {
                        let end = (runs(piece).end * step - from).min(rest.len());
                        let (own, behind) = rest.split_at_mut(end);
                        views.push(View::Write(own, from));
                        (rest, from) = (behind, from + end);
                    }
                }
                (View::Write(all, base), None) if *base == 0 => {
                    let all: &[T] = all;
                    pieces
                        .iter_mut()
                        .for_each(|views| views.push(View::Read(all)));
                }
                (View::Read(all), _) => {
                    pieces
                        .iter_mut()
                        .for_each(|views| views.push(View::Read(all)));
                }
                _ => pieces.iter_mut().for_each(|views| views.push(View::Away)),
            }
        }
        let counters: &[i64] = counters;
        let left = Mutex::new(pieces.into_iter().enumerate());
        let left = &left;
        rayon::in_place_scope(|scope| {
            for own in others.iter_mut().take(threads) {
                scope.spawn(move |_| {
                    own.counters.copy_from_slice(counters);
                    // The lock is held only as long as it takes to take one.
                    let next = || left.lock().ok()?.next();
                    while let Some((piece, views)) = next() {
                        own.piece(parallel, views, runs(piece));
                    }
                });
            }
        });
    }
}

impl<T: Real> Own<T> {
    /// Some runs of a parallel loop, on pieces of the buffers.
    fn piece<'a>(
        &'a mut self,
        parallel: &Parallel<T>,
        mut views: Vec<View<'a, T>>,
        runs: Range<usize>,
    ) {
        for (buffer, local) in self.local.iter_mut().enumerate() {
            if parallel.own.contains(&buffer)
                && let Some(local) = local
            {
                views[buffer] = View::Write(local.numbers(), 0);
            }
        }
        let mut frame = Frame {
            views,
            counters: &mut self.counters,
            vectors: &mut self.vectors,
            others: &mut [],
        };
        for run in runs {
            frame.counters[parallel.counter] = i64::try_from(run).unwrap_or(i64::MAX);
            frame.ops(&parallel.body);
        }
    }
}
