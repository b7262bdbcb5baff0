//! What elements of arrays are: expressions over buffers, and loops where something must be computed first.

use std::rc::Rc;

use super::in_place::is_safe;
use super::lower::{Lowering, Made};
use super::ragged::Limit;
use super::values::{Array, Kind, Later, Loop, Val, Work};
use super::{BufferId, Counter, Ex, Index, Role, Stmt};
use crate::types::{Type, TypeId};

impl Lowering<'_> {
    pub(super) fn index(&mut self, array: &Rc<Array>, i: &Index) -> Made<Val> {
        match &array.kind {
            Kind::Memory(buffer, at, of) => {
                let step = self.numbers(*of, self.buffers[*buffer].role)?;
                Ok(self.memory(*buffer, at.plus(&i.times(step)), *of))
            }
            Kind::Map(_, f, xs, _) => {
                let x = self.element(xs, i)?;
                self.apply(f, x)
            }
            Kind::Zip(a, b) => Ok(Val::pair(self.element(a, i)?, self.element(b, i)?)),
            Kind::Both(deep, a, b) => {
                let (a, b) = (self.element(a, i)?, self.element(b, i)?);
                match (deep, &a) {
                    (2.., Val::Array(row)) => Ok(Val::array(row.len, Kind::Both(deep - 1, a, b))),
                    _ => Ok(Val::pair(a, b)),
                }
            }
            Kind::Part(first, xs) => match self.element(xs, i)? {
                Val::Pair(both) if *first => Ok(both.0.clone()),
                Val::Pair(both) => Ok(both.1.clone()),
                Val::Array(row) => Ok(Val::array(row.len, Kind::Part(*first, Val::Array(row)))),
                _ => Err("a pair was expected".to_owned()),
            },
            Kind::Split(size, xs, _) => {
                Ok(Val::array(*size, Kind::Slice(i.times(*size), xs.clone())))
            }
            Kind::Slide(size, step, xs) => {
                if self.is_ragged() {
                    // A window is there if its last element is.
                    let last = i.times(*step).plus(&Index::number(*size - 1));
                    self.unwritten(|lowering| lowering.element(xs, &last))?;
                }
                Ok(Val::array(*size, Kind::Slice(i.times(*step), xs.clone())))
            }
            Kind::Slice(start, xs) => self.element(xs, &start.plus(i)),
            Kind::Join(size, xs, _) => {
                let row = self.element(xs, &i.div(*size))?;
                self.element(&row, &i.modulo(*size))
            }
            Kind::Transpose(xs, rows, _) => {
                Ok(Val::array(*rows, Kind::Column(i.clone(), xs.clone())))
            }
            Kind::Column(column, xs) => {
                let row = self.element(xs, i)?;
                self.element(&row, column)
            }
            Kind::Fill(x) => Ok(x.clone()),
            Kind::Limited(real, xs) => {
                self.noted.note(Limit {
                    at: i.clone(),
                    below: *real,
                });
                self.element(xs, i)
            }
            Kind::Kept(memory, value) => {
                let there = self.element(memory, i)?;
                let value = self.unwritten(|lowering| lowering.element(value, i))?;
                Ok(self.kept(there, value))
            }
            Kind::Lanes(width, xs) => {
                let vector = self.element(xs, &i.div(*width))?.as_ex()?;
                for limit in self.noted.lanes(&vector) {
                    self.noted.note(Limit {
                        at: limit.at.plus(&i.modulo(*width)),
                        ..limit
                    });
                }
                Ok(Val::Ex(Ex::Number(0.0)))
            }
            Kind::Listed(values) => {
                let place = usize::try_from(i.offset())
                    .ok()
                    .filter(|_| i.terms().is_empty());
                let value = place.and_then(|place| values.get(place));
                value.cloned().ok_or_else(|| {
                    "an array of written values is read by a counter; store it, `toMem(…)`, or write the loop out, \
                     `mapUnroll` or `reduceUnroll`".to_owned()
                })
            }
            Kind::Vectors(width, xs) => self.vector(*width, xs, i),
            Kind::Later(later) => {
                let buffer = self.compute(later)?;
                let whole = self.memory(buffer, Index::default(), later.ty);
                let whole = self.as_made(later, whole)?;
                self.element(&whole, i)
            }
        }
    }

    pub(super) fn element(&mut self, array: &Val, i: &Index) -> Made<Val> {
        let array = Rc::clone(array.as_array()?);
        self.index(&array, i)
    }

    /// The i-th vector of an array of numbers.
    pub(super) fn vector(&mut self, width: i64, xs: &Val, i: &Index) -> Made<Val> {
        self.force(xs)?;
        let lane = self.lane(width);
        let from = self.noted.open.len();
        let before = self.blocks.last().map_or(0, |(_, block)| block.len());
        let at = i.times(width).plus(&Index::counter(lane));
        let one = self.element(xs, &at)?.as_ex()?;
        let after = self.blocks.last().map_or(0, |(_, block)| block.len());
        if before != after {
            return Err("what vectors are made of must be stored first, `toMem(…)`".to_owned());
        }
        let made = widened(&one, lane);
        self.noted.vector(&made, lane, from)?;
        Ok(Val::Ex(made))
    }

    /// What is evaluated only to note what its elements need.
    pub(super) fn unwritten<T>(&mut self, make: impl FnOnce(&mut Self) -> Made<T>) -> Made<T> {
        self.open();
        let made = make(self);
        self.close();
        made
    }

    /// What was written somewhere has the elements that the value has.
    pub(super) fn kept(&mut self, memory: Val, value: Val) -> Val {
        match (&memory, &value) {
            _ if !self.is_ragged() => memory,
            (Val::Array(array), Val::Array(_)) => {
                Val::array(array.len, Kind::Kept(memory.clone(), value))
            }
            (Val::Ex(there), Val::Ex(value)) => {
                self.noted.holds(there, value);
                memory
            }
            _ => memory,
        }
    }

    /// What was computed into memory has the elements that every step has.
    pub(super) fn as_made(&mut self, later: &Later, memory: Val) -> Made<Val> {
        if !self.is_ragged() {
            return Ok(memory);
        }
        match &later.work {
            Work::Numbers(width, xs) => {
                let len = memory.as_array()?.len;
                let lanes = Val::array(len, Kind::Lanes(*width, xs.clone()));
                Ok(self.kept(memory, lanes))
            }
            Work::Pad(_, value, ..) => {
                let len = memory.as_array()?.len;
                // Each element has what the padding has.
                let fill = Val::array(len, Kind::Fill(value.clone()));
                let memory = self.limited(memory, later.ty);
                Ok(self.kept(memory, fill))
            }
            Work::Reduce(_, f, start, xs) => {
                let so_far = memory.clone();
                let next = self.unwritten(|lowering| {
                    let f = lowering.apply(f, so_far)?;
                    let x = lowering.element(xs, &Index::number(0))?;
                    lowering.apply(&f, x)
                })?;
                let memory = self.kept(memory, start.clone());
                Ok(self.kept(memory, next))
            }
        }
    }

    pub(super) fn lane(&mut self, width: i64) -> Counter {
        self.counters += 1;
        Counter {
            number: self.counters - 1,
            count: width,
        }
    }

    /// Computes what an array is made of, before a loop goes through it.
    pub(super) fn force(&mut self, value: &Val) -> Made<()> {
        match value {
            Val::Ex(_) | Val::Fun(_) => Ok(()),
            Val::Pair(both) => {
                self.force(&both.0)?;
                self.force(&both.1)
            }
            Val::Array(array) => match &array.kind {
                Kind::Memory(..) => Ok(()),
                Kind::Map(_, _, xs, _)
                | Kind::Part(_, xs)
                | Kind::Split(_, xs, _)
                | Kind::Join(_, xs, _)
                | Kind::Transpose(xs, ..)
                | Kind::Slide(_, _, xs)
                | Kind::Slice(_, xs)
                | Kind::Column(_, xs)
                | Kind::Fill(xs)
                | Kind::Vectors(_, xs)
                | Kind::Limited(_, xs) => self.force(xs),
                // What only says which elements there are is not computed.
                Kind::Kept(memory, _) => self.force(memory),
                Kind::Lanes(..) => Ok(()),
                Kind::Zip(a, b) | Kind::Both(_, a, b) => {
                    self.force(a)?;
                    self.force(b)
                }
                Kind::Listed(values) => values.iter().try_for_each(|value| self.force(value)),
                Kind::Later(later) => self.compute(later).map(drop),
            },
        }
    }

    /// A reduction: arrays are computed when they are needed, all else at once. `len` is that of an array.
    pub(super) fn reduced(
        &mut self,
        (how, f, start, xs): (Loop, &Val, &Val, &Val),
        len: i64,
        ty: TypeId,
    ) -> Made<Val> {
        if self.unpaired(ty).is_some() {
            return self.reduce_pairs((how, ty), f, start, xs);
        }
        let later = Later {
            work: Work::Reduce(how, f.clone(), start.clone(), xs.clone()),
            ty,
            done: None.into(),
        };
        match self.types.get(ty) {
            Type::Array(..) => Ok(Val::array(len, Kind::Later(later))),
            Type::Scalar(_) | Type::Vector(..) => {
                let buffer = self.compute(&later)?;
                let whole = self.memory(buffer, Index::default(), ty);
                self.as_made(&later, whole)
            }
            _ => Err("a reduction to functions cannot be made a loop".to_owned()),
        }
    }

    /// The buffer of what is computed later; it is computed here unless it was in a block that is still open.
    pub(super) fn compute(&mut self, later: &Later) -> Made<BufferId> {
        if let Some((buffer, block)) = *later.done.borrow()
            && self.blocks.iter().any(|(open, _)| *open == block)
        {
            return Ok(buffer);
        }
        let buffer = self.buffer(&format!("t{}", self.buffers.len()), later.ty, Role::Local)?;
        self.emit(Stmt::Declare(buffer));
        match &later.work {
            Work::Numbers(width, xs) => {
                let to = self.row_major(buffer, Index::default(), later.ty);
                self.numbers_to(*width, xs, &to)?;
            }
            Work::Pad(by, value, xs, below) => {
                let to = self.row_major(buffer, Index::default(), later.ty);
                self.pad_to(*by, (value, xs), (*below, later.ty), &to)?;
            }
            Work::Reduce(how, f, start, xs) => {
                self.force(xs)?;
                let to = self.row_major(buffer, Index::default(), later.ty);
                self.store(start, later.ty, &to)?;
                let len = xs.as_array()?.len;
                self.each(len, xs.over(*how), &mut |lowering, i| {
                    lowering.step(buffer, later.ty, f, xs, i)
                })?;
            }
        }
        let block = self.blocks.last().map_or(0, |(number, _)| *number);
        *later.done.borrow_mut() = Some((buffer, block));
        Ok(buffer)
    }

    /// One step of a reduction, written where it is read if nothing is read behind that.
    fn step(&mut self, buffer: BufferId, ty: TypeId, f: &Val, xs: &Val, i: &Index) -> Made<()> {
        let so_far = self.memory(buffer, Index::default(), ty);
        let f = self.apply(f, so_far)?;
        let x = self.element(xs, i)?;
        let next = self.apply(&f, x)?;
        self.open();
        let to = self.row_major(buffer, Index::default(), ty);
        self.store(&next, ty, &to)?;
        let block = self.close();
        if is_safe(&block, buffer) {
            block.into_iter().for_each(|stmt| self.emit(stmt));
            return Ok(());
        }
        // Once more, into a buffer of its own. Buffers of the first try are declared nowhere; what it stored stays stored.
        let other = self.buffer(&format!("t{}", self.buffers.len()), ty, Role::Local)?;
        self.emit(Stmt::Declare(other));
        let to = self.row_major(other, Index::default(), ty);
        self.store(&next, ty, &to)?;
        let value = self.memory(other, Index::default(), ty);
        let to = self.row_major(buffer, Index::default(), ty);
        self.store(&value, ty, &to)
    }
}

/// The vector of what an expression is for each value of a counter.
pub(super) fn widened(one: &Ex, lane: Counter) -> Ex {
    match one {
        Ex::Number(_) => Ex::Splat(Box::new(one.clone()), lane.count),
        Ex::Load(buffer, at, 1) => match at.step(lane) {
            Some(1) => Ex::Load(*buffer, at.at(lane, 0), lane.count),
            Some(0) => Ex::Splat(Box::new(one.clone()), lane.count),
            _ => {
                let numbers = (0..lane.count).map(|n| Ex::Load(*buffer, at.at(lane, n), 1));
                Ex::Gather(numbers.collect())
            }
        },
        Ex::Calc(prim, a, b) => Ex::Calc(
            *prim,
            Box::new(widened(a, lane)),
            Box::new(widened(b, lane)),
        ),
        Ex::Load(..) | Ex::Splat(..) | Ex::Gather(_) => one.clone(),
    }
}
