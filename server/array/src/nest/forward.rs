//! Copies that come and go: a buffer that takes another one over, is worked on, and is copied back, is that other one.

use super::in_place::touches;
use super::{Atom, BufferId, Counter, Ex, Index, Stmt};

/// A block without buffers that only stand in for others; `len` says how many numbers a buffer holds.
pub(super) fn forwarded(block: Vec<Stmt>, len: &dyn Fn(BufferId) -> i64) -> Vec<Stmt> {
    let mut made: Vec<Stmt> = block
        .into_iter()
        .map(|stmt| match stmt {
            Stmt::Loop(counter, how, body) => Stmt::Loop(counter, how, forwarded(body, len)),
            other => other,
        })
        .collect();
    let mut from = 0;
    while from < made.len() {
        match stand_in(&made[from..], len) {
            Some((count, body)) => {
                made.splice(from..from + count, body);
            }
            None => from += 1,
        }
    }
    made
}

/// The first statements, if they declare a buffer that stands in for another: how many they are, and what is left of them.
fn stand_in(stmts: &[Stmt], len: &dyn Fn(BufferId) -> i64) -> Option<(usize, Vec<Stmt>)> {
    let [Stmt::Declare(own), first @ Stmt::Loop(..), rest @ ..] = stmts else {
        return None;
    };
    let (to, from, taken) = copied(first, len(*own), *own)?;
    if to != *own || from == *own {
        return None;
    }
    let back = rest.iter().position(|stmt| {
        let copy = matches!(stmt, Stmt::Loop(..)).then(|| copied(stmt, len(*own), *own));
        // Places are told by those of the stand-in in both directions.
        copy.flatten()
            .is_some_and(|(to, source, given)| (to, source) == (from, *own) && given == taken)
    })?;
    let (work, behind) = (&rest[..back], &rest[back + 1..]);
    let is_touched = |stmts: &[Stmt], buffer| {
        stmts
            .iter()
            .any(|stmt| touches(stmt, buffer) != (false, false))
    };
    let untouched = !is_touched(work, from) && !is_touched(behind, *own);
    untouched.then(|| {
        let mut work = work.to_vec();
        work.iter_mut()
            .for_each(|stmt| instead(stmt, *own, from, &taken));
        (back + 3, work)
    })
}

/// Loops that copy all `len` numbers of the stand-in `own` from or to another buffer: to, from, and where the other one's begin.
fn copied(stmt: &Stmt, len: i64, own: BufferId) -> Option<(BufferId, BufferId, Index)> {
    let mut loops: Vec<Counter> = Vec::new();
    let mut stmt = stmt;
    while let Stmt::Loop(counter, _, body) = stmt {
        let [only] = body.as_slice() else {
            return None;
        };
        loops.push(*counter);
        stmt = only;
    }
    let Stmt::Store(to, at, width, Ex::Load(from, place, wide)) = stmt else {
        return None;
    };
    let (inside, outside) = if *to == own { (at, place) } else { (place, at) };
    let start = outside.plus(&inside.times(-1));
    let is_free = start.terms().iter().all(|(atom, _)| match atom {
        Atom::Counter(counter) => !loops.contains(counter),
        Atom::Div(..) | Atom::Mod(..) => false,
    });
    (width == wide && is_free && covers(inside, &loops, *width, len)).then_some((*to, *from, start))
}

/// Whether the places of all runs of loops are all numbers below `len`, each once.
fn covers(at: &Index, loops: &[Counter], width: i64, len: i64) -> bool {
    let mut steps: Vec<(i64, i64)> = Vec::new();
    for (atom, factor) in at.terms() {
        match atom {
            Atom::Counter(counter) if loops.contains(counter) => {
                steps.push((*factor, counter.count));
            }
            _ => return false,
        }
    }
    steps.sort_unstable();
    let end = steps.iter().try_fold(width, |end, (factor, count)| {
        (*factor == end).then(|| end * count)
    });
    at.offset() == 0 && steps.len() == loops.len() && end == Some(len)
}

fn instead(stmt: &mut Stmt, own: BufferId, other: BufferId, start: &Index) {
    match stmt {
        Stmt::Declare(_) => {}
        Stmt::Loop(_, _, body) => body
            .iter_mut()
            .for_each(|stmt| instead(stmt, own, other, start)),
        Stmt::Store(to, at, _, value) => {
            if *to == own {
                *to = other;
                *at = at.plus(start);
            }
            value.loads_mut(&mut |buffer, at, _| {
                if *buffer == own {
                    *buffer = other;
                    *at = at.plus(start);
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::How;
    use super::*;
    use crate::prim::Prim;

    const I: Counter = Counter {
        number: 0,
        count: 4,
    };
    const OUTER: Counter = Counter {
        number: 1,
        count: 3,
    };

    fn each(to: BufferId, at: Index, value: Ex) -> Stmt {
        Stmt::Loop(I, How::InOrder, vec![Stmt::Store(to, at, 1, value)])
    }

    /// Buffer 1 of four numbers takes over those of buffer 0 from a place on, doubles them, and gives them back.
    fn block(back: &Index, reads: BufferId) -> Vec<Stmt> {
        let i = Index::counter(I);
        let there = Index::counter(OUTER).times(4).plus(&i);
        let own = || Box::new(Ex::Load(1, i.clone(), 1));
        let twice = Ex::Calc(Prim::Add, own(), Box::new(Ex::Load(reads, i.clone(), 1)));
        vec![
            Stmt::Declare(1),
            each(1, i.clone(), Ex::Load(0, there, 1)),
            each(1, i.clone(), twice),
            each(0, back.clone(), *own()),
        ]
    }

    #[test]
    fn a_buffer_that_stands_in_for_another_is_that_one() {
        let there = Index::counter(OUTER).times(4).plus(&Index::counter(I));
        let load = || Box::new(Ex::Load(0, there.clone(), 1));
        let expected = each(0, there.clone(), Ex::Calc(Prim::Add, load(), load()));
        assert_eq!(forwarded(block(&there, 1), &|_| 4), [expected]);
    }

    #[test]
    fn what_does_not_come_back_to_its_place_or_is_read_meanwhile_stays() {
        let there = Index::counter(OUTER).times(4).plus(&Index::counter(I));
        let beside = there.plus(&Index::number(1));
        for (given, len) in [
            (block(&beside, 1), 4),
            (block(&there, 0), 4),
            (block(&there, 1), 5),
        ] {
            assert_eq!(forwarded(given.clone(), &|_| len), given);
        }
    }
}
