//! What a nest is made into before it runs: places as sums of counters, and blocks where loops are such.

use super::block::Block;
use super::real::Real;
use super::sums::block_of;
use crate::nest::{Atom, BufferId, Counter, Ex, How, Index, Nest, Role, Stmt};
use crate::prim::Prim;

/// A place in a buffer.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// A number, and multiples of counters.
    Sum(i64, Vec<(usize, i64)>),
    /// Anything else.
    Other(Index),
}

/// A step.
#[derive(Debug)]
pub(super) enum Op<T> {
    Loop(usize, i64, Vec<Op<T>>),
    Parallel(Parallel<T>),
    /// Rows of numbers from one buffer to another.
    Copy((BufferId, Place), (BufferId, Place), Rows),
    Fill((BufferId, Place), Rows, T),
    Store((BufferId, Place), usize, Value<T>),
    Block(Box<Blocked>),
}

/// How often so many numbers, and how far apart they are where they are written and where they are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rows {
    pub count: usize,
    pub width: usize,
    pub to: usize,
    pub from: usize,
}

impl Rows {
    fn one(width: usize) -> Self {
        Rows {
            count: 1,
            width,
            to: 0,
            from: 0,
        }
    }

    /// So many rows, as one where they are neighbours.
    fn many(self, count: usize, to: usize, from: usize) -> Self {
        if (to, from) == (self.width, self.width) {
            return Rows::one(self.width * count);
        }
        Rows {
            count,
            to,
            from,
            ..self
        }
    }
}

/// A loop over all threads.
#[derive(Debug)]
pub(super) struct Parallel<T> {
    pub counter: usize,
    pub count: i64,
    /// The buffers that are written, and how many numbers of each belong to one run of the loop.
    pub cut: Vec<(BufferId, usize)>,
    /// The buffers that begin in it.
    pub own: Vec<BufferId>,
    pub body: Vec<Op<T>>,
}

#[derive(Debug)]
pub(super) struct Blocked {
    pub block: Block,
    pub c: (BufferId, Place),
    pub a: (BufferId, Place),
    pub b: (BufferId, Place),
}

#[derive(Debug)]
pub(super) enum Value<T> {
    Number(T),
    Load(BufferId, Place),
    Splat(Box<Value<T>>),
    Gather(Vec<Value<T>>),
    Calc(Prim, Box<Value<T>>, Box<Value<T>>),
}

/// The steps of a nest, how many blocks there are among them, and what they need.
#[derive(Debug)]
pub(super) struct Plan<T> {
    pub ops: Vec<Op<T>>,
    pub blocks: usize,
    pub counters: usize,
    /// The widest vector, and how deep calculations are.
    pub widest: usize,
    pub deepest: usize,
}

pub(super) fn plan<T: Real>(nest: &Nest) -> Plan<T> {
    let mut planner = Planner {
        nest,
        blocks: 0,
        counters: 0,
        widest: 1,
        deepest: 1,
    };
    let ops = planner.stmts(&nest.body);
    Plan {
        ops,
        blocks: planner.blocks,
        counters: planner.counters,
        widest: planner.widest,
        deepest: planner.deepest,
    }
}

struct Planner<'a> {
    nest: &'a Nest,
    blocks: usize,
    counters: usize,
    widest: usize,
    deepest: usize,
}

/// Pieces of buffers for each run of a loop, and buffers that begin in it.
type Apart = (Vec<(BufferId, usize)>, Vec<BufferId>);

/// Is told a place, its width, and the loops around it.
type Visit<'a> = dyn FnMut(BufferId, &Index, i64, &[Counter]) + 'a;

fn size(n: i64) -> usize {
    usize::try_from(n).unwrap_or(0)
}

impl Planner<'_> {
    fn stmts<T: Real>(&mut self, stmts: &[Stmt]) -> Vec<Op<T>> {
        // Statements that are one block only together: products written out.
        if stmts.len() > 1
            && let Some(op) = self.blocked(stmts)
        {
            return vec![op];
        }
        let mut ops = Vec::new();
        for stmt in stmts {
            match stmt {
                // What it holds then is never read.
                Stmt::Declare(_) => {}
                Stmt::Loop(counter, how, body) => {
                    if *how == How::InOrder
                        && let Some(op) = self.blocked(std::slice::from_ref(stmt))
                    {
                        ops.push(op);
                        continue;
                    }
                    self.counters = self.counters.max(counter.number as usize + 1);
                    let number = counter.number as usize;
                    let inner = self.stmts(body);
                    let in_order = *how == How::InOrder;
                    if let Some(op) = in_order.then(|| rows(*counter, &inner)).flatten() {
                        ops.push(op);
                        continue;
                    }
                    ops.push(match (how, self.apart(*counter, body)) {
                        (How::Parallel, Some((cut, own))) => Op::Parallel(Parallel {
                            counter: number,
                            count: counter.count,
                            cut,
                            own,
                            body: inner,
                        }),
                        _ => Op::Loop(number, counter.count, inner),
                    });
                }
                Stmt::Store(buffer, at, width, value) => {
                    ops.push(self.store(*buffer, at, *width, value));
                }
            }
        }
        ops
    }

    fn blocked<T>(&mut self, stmts: &[Stmt]) -> Option<Op<T>> {
        let found = block_of(stmts)?;
        self.blocks += 1;
        let place = |(buffer, at): &(BufferId, Index)| (*buffer, placed(at));
        Some(Op::Block(Box::new(Blocked {
            block: found.block,
            c: place(&found.c),
            a: place(&found.a),
            b: place(&found.b),
        })))
    }

    fn store<T: Real>(&mut self, buffer: BufferId, at: &Index, width: i64, value: &Ex) -> Op<T> {
        let to = (buffer, placed(at));
        let width = size(width);
        self.widest = self.widest.max(width);
        match value {
            Ex::Load(from, place, _) if *from != buffer => {
                Op::Copy(to, (*from, placed(place)), Rows::one(width))
            }
            Ex::Number(number) => Op::Fill(to, Rows::one(width), T::of(*number)),
            Ex::Splat(of, _) if matches!(**of, Ex::Number(_)) => match **of {
                Ex::Number(number) => Op::Fill(to, Rows::one(width), T::of(number)),
                _ => Op::Store(to, width, self.value(value, 1)),
            },
            _ => Op::Store(to, width, self.value(value, 1)),
        }
    }

    fn value<T: Real>(&mut self, ex: &Ex, depth: usize) -> Value<T> {
        self.deepest = self.deepest.max(depth);
        match ex {
            Ex::Number(number) => Value::Number(T::of(*number)),
            Ex::Load(buffer, at, _) => Value::Load(*buffer, placed(at)),
            Ex::Splat(of, _) => Value::Splat(Box::new(self.value(of, depth))),
            Ex::Gather(parts) => {
                Value::Gather(parts.iter().map(|part| self.value(part, depth)).collect())
            }
            Ex::Calc(prim, a, b) => Value::Calc(
                *prim,
                Box::new(self.value(a, depth)),
                Box::new(self.value(b, depth + 1)),
            ),
        }
    }

    /// What each run of a parallel loop has for itself: pieces of the buffers that are written, side by side, and the buffers
    /// that begin in it. `None` if a piece cannot be told.
    fn apart(&self, counter: Counter, body: &[Stmt]) -> Option<Apart> {
        let mut own = Vec::new();
        let mut written = Vec::new();
        facts(body, &mut own, &mut written);
        written.sort_unstable();
        written.dedup();
        let mut cut = Vec::new();
        for buffer in written {
            if own.contains(&buffer) {
                continue;
            }
            if self.nest.buffers[buffer].role == Role::Input {
                return None;
            }
            let mut step = None;
            let mut fits = true;
            touches(body, &mut Vec::new(), &mut |touched, at, width, around| {
                if touched != buffer {
                    return;
                }
                let Some(found) = at.step(counter).filter(|found| *found > 0) else {
                    fits = false;
                    return;
                };
                // Counters of loops around this one are the same in all runs, but move the piece: only this loop may.
                let rest = at.at(counter, 0);
                let range = super::bounds::range(&rest, around);
                fits &= *step.get_or_insert(found) == found
                    && range.is_some_and(|(least, most)| least >= 0 && most + width <= found);
            });
            if !fits {
                return None;
            }
            cut.push((buffer, size(step?)));
        }
        Some((cut, own))
    }
}

fn facts(stmts: &[Stmt], own: &mut Vec<BufferId>, written: &mut Vec<BufferId>) {
    for stmt in stmts {
        match stmt {
            Stmt::Declare(buffer) => own.push(*buffer),
            Stmt::Loop(_, _, body) => facts(body, own, written),
            Stmt::Store(buffer, ..) => written.push(*buffer),
        }
    }
}

/// Calls `visit` with each place that is read or written, and the loops of the block that are around it.
fn touches(stmts: &[Stmt], around: &mut Vec<Counter>, visit: &mut Visit<'_>) {
    for stmt in stmts {
        match stmt {
            Stmt::Declare(_) => {}
            Stmt::Loop(counter, _, body) => {
                around.push(*counter);
                touches(body, around, visit);
                around.pop();
            }
            Stmt::Store(buffer, at, width, value) => {
                visit(*buffer, at, *width, around);
                value.loads(&mut |buffer, at, width| visit(buffer, at, width, around));
            }
        }
    }
}

/// A loop that only copies or fills a row in each run, as one step.
fn rows<T: Copy>(counter: Counter, body: &[Op<T>]) -> Option<Op<T>> {
    let number = counter.number as usize;
    let many = |rows: &Rows, to: usize, from: usize| {
        (rows.count == 1).then(|| rows.many(size(counter.count), to, from))
    };
    match body {
        [Op::Copy((to, to_at), (from, from_at), copied)] => {
            let ((to_at, to_step), (from_at, from_step)) =
                (without(number, to_at)?, without(number, from_at)?);
            let copied = many(copied, to_step, from_step)?;
            Some(Op::Copy((*to, to_at), (*from, from_at), copied))
        }
        [Op::Fill((to, at), filled, value)] => {
            let (at, step) = without(number, at)?;
            Some(Op::Fill((*to, at), many(filled, step, step)?, *value))
        }
        _ => None,
    }
}

/// Where a place is in the first run of a loop, and how far it moves with each.
fn without(counter: usize, place: &Place) -> Option<(Place, usize)> {
    let Place::Sum(offset, terms) = place else {
        return None;
    };
    let (own, rest): (Vec<_>, Vec<_>) = terms.iter().partition(|(number, _)| *number == counter);
    let step = own.iter().map(|(_, factor)| factor).sum::<i64>();
    Some((Place::Sum(*offset, rest), usize::try_from(step).ok()?))
}

fn placed(at: &Index) -> Place {
    let mut terms = Vec::with_capacity(at.terms().len());
    for (atom, factor) in at.terms() {
        match atom {
            Atom::Counter(counter) => terms.push((counter.number as usize, *factor)),
            Atom::Div(..) | Atom::Mod(..) => return Place::Other(at.clone()),
        }
    }
    Place::Sum(at.offset(), terms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nest::lower;
    use crate::program::Program;

    fn planned(text: &str) -> Vec<Op<f32>> {
        let program = Program::read(text).unwrap_or_else(|error| panic!("{}", error.show(text)));
        plan(&lower(&program).unwrap()).ops
    }

    #[test]
    fn rows_that_are_neighbours_are_copied_at_once() {
        let ops = planned("program p(x: [3][4]f32) = map(fun r => map(fun e => e, r), x)");
        let [Op::Copy(_, _, rows)] = ops.as_slice() else {
            panic!("{ops:?}");
        };
        assert_eq!(*rows, Rows::one(12));
    }

    #[test]
    fn rows_apart_are_one_step() {
        let ops = planned("program p(x: [3][4]f32) = transpose(x)");
        let [Op::Loop(_, 3, body)] = ops.as_slice() else {
            panic!("{ops:?}");
        };
        let [Op::Copy(_, _, rows)] = body.as_slice() else {
            panic!("{body:?}");
        };
        let expected = Rows {
            count: 4,
            width: 1,
            to: 3,
            from: 1,
        };
        assert_eq!(*rows, expected);
    }

    #[test]
    fn what_is_calculated_is_no_copy() {
        let ops = planned("program p(x: [4]f32) = map(fun e => e + 1, x)");
        assert!(matches!(ops.as_slice(), [Op::Loop(_, 4, _)]), "{ops:?}");
    }
}
