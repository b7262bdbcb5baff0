//! Whether a step of a reduction may write what it has so far where it reads it.

use super::index::{Atom, Counter, Index};
use super::{BufferId, Stmt};

/// Whether no statement reads a place of the buffer behind a write to it within one run of the block.
pub(super) fn is_safe(block: &[Stmt], buffer: BufferId) -> bool {
    check(block, buffer, &mut Vec::new())
}

fn check(block: &[Stmt], buffer: BufferId, fixed: &mut Vec<Counter>) -> bool {
    let mut written = false;
    // Where, as long as single statements write.
    let mut places: Vec<(&Index, i64)> = Vec::new();
    for stmt in block {
        let (reads, writes) = touches(stmt, buffer);
        if written && (reads || writes) && !is_elsewhere(stmt, buffer, &places) {
            return false;
        }
        if reads && writes {
            let safe = match stmt {
                // A value is whole before it is written; other places than its own might be written before.
                Stmt::Store(_, at, width, value) => {
                    let mut same = true;
                    value.loads(&mut |other, index, read| {
                        same &= other != buffer || (index == at && read == *width);
                    });
                    same
                }
                Stmt::Loop(counter, _, body) => {
                    let rows = rows(body, buffer, *counter, fixed);
                    fixed.push(*counter);
                    let inner = check(body, buffer, fixed);
                    fixed.pop();
                    rows && inner
                }
                Stmt::Declare(_) => true,
            };
            if !safe {
                return false;
            }
        }
        if writes {
            match stmt {
                Stmt::Store(_, at, width, _) if !written || !places.is_empty() => {
                    places.push((at, *width));
                }
                _ => places.clear(),
            }
        }
        written |= writes;
    }
    true
}

/// Whether a statement touches no number of the buffer that one of these places, which are all that were written, has.
fn is_elsewhere(stmt: &Stmt, buffer: BufferId, places: &[(&Index, i64)]) -> bool {
    let Stmt::Store(to, at, width, value) = stmt else {
        return false;
    };
    let is_apart = |index: &Index, width: i64| {
        places.iter().all(|(place, wide)| {
            let way = index.plus(&place.times(-1));
            way.terms().is_empty() && (way.offset() >= *wide || way.offset() + width <= 0)
        })
    };
    let mut apart = !places.is_empty() && (*to != buffer || is_apart(at, *width));
    value.loads(&mut |other, index, read| apart &= other != buffer || is_apart(index, read));
    apart
}

/// Whether each run of a loop's body touches places that no other run touches. `fixed` are the counters of the loops around.
fn rows(body: &[Stmt], buffer: BufferId, counter: Counter, fixed: &[Counter]) -> bool {
    let mut step: Option<i64> = None;
    let mut fits = true;
    each(body, &mut |other, index: &Index, width| {
        if other != buffer {
            return;
        }
        let Some(found) = index.step(counter).filter(|step| *step > 0) else {
            fits = false;
            return;
        };
        // Loops around are where they are in all runs; everything else must stay within the row.
        let rest = index.at(counter, 0);
        let is_fixed =
            |atom: &Atom| matches!(atom, Atom::Counter(counter) if fixed.contains(counter));
        let inner = rest.terms().iter().filter(|(atom, _)| !is_fixed(atom));
        let most: i64 = inner.map(|(atom, factor)| factor * atom_most(atom)).sum();
        fits &= *step.get_or_insert(found) == found && most + rest.offset() + width <= found;
    });
    fits
}

fn atom_most(atom: &Atom) -> i64 {
    match atom {
        Atom::Counter(counter) => counter.count - 1,
        Atom::Div(of, by) => of.most() / by,
        Atom::Mod(_, by) => by - 1,
    }
}

fn each(block: &[Stmt], visit: &mut dyn FnMut(BufferId, &Index, i64)) {
    for stmt in block {
        match stmt {
            Stmt::Loop(_, _, body) => each(body, visit),
            Stmt::Declare(_) => {}
            Stmt::Store(buffer, at, width, value) => {
                visit(*buffer, at, *width);
                value.loads(visit);
            }
        }
    }
}

/// Whether a statement reads the buffer, and whether it writes it.
pub(super) fn touches(stmt: &Stmt, buffer: BufferId) -> (bool, bool) {
    match stmt {
        Stmt::Declare(_) => (false, false),
        Stmt::Loop(_, _, body) => body.iter().fold((false, false), |(reads, writes), stmt| {
            let (read, write) = touches(stmt, buffer);
            (reads || read, writes || write)
        }),
        Stmt::Store(to, _, _, value) => {
            let mut reads = false;
            value.loads(&mut |from, _, _| reads |= from == buffer);
            (reads, *to == buffer)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Ex, How};
    use super::*;

    const I: Counter = Counter {
        number: 0,
        count: 4,
    };
    const J: Counter = Counter {
        number: 1,
        count: 2,
    };

    /// A loop over I in which a place becomes what another one is.
    fn row(write: Index, read: Index) -> bool {
        let store = Stmt::Store(0, write, 1, Ex::Load(0, read, 1));
        is_safe(&[Stmt::Loop(I, How::InOrder, vec![store])], 0)
    }

    #[test]
    fn an_element_may_become_what_it_was_and_not_what_its_neighbour_was() {
        let i = Index::counter(I);
        assert!(row(i.clone(), i.clone()));
        assert!(!row(i.clone(), i.plus(&Index::number(1))));
        assert!(!row(i.times(2), i.times(2).plus(&Index::number(2))));
        assert!(!row(i, Index::number(0)));
    }

    #[test]
    fn rows_that_overlap_are_not_apart() {
        let (i, j) = (Index::counter(I), Index::counter(J));
        let both = |step: i64, inner: i64| {
            let at = i.times(step).plus(&j.times(inner));
            let store = Stmt::Store(0, at.clone(), 1, Ex::Load(0, at, 1));
            let inner = Stmt::Loop(J, How::InOrder, vec![store]);
            is_safe(&[Stmt::Loop(I, How::InOrder, vec![inner])], 0)
        };
        assert!(both(2, 1));
        assert!(!both(2, 4));
        assert!(!both(1, 1));
    }

    #[test]
    fn what_was_written_is_not_read_behind_that() {
        let at = Index::number(0);
        let write = Stmt::Store(0, at.clone(), 1, Ex::Number(1.0));
        let read = Stmt::Store(1, at.clone(), 1, Ex::Load(0, at, 1));
        let beside = |n| {
            let at = Index::number(n);
            Stmt::Store(0, at.clone(), 2, Ex::Load(0, at, 2))
        };
        assert!(is_safe(&[beside(0), beside(2), beside(6)], 0));
        assert!(!is_safe(&[beside(0), beside(2), beside(1)], 0));
        assert!(is_safe(&[read.clone(), write.clone()], 0));
        assert!(!is_safe(&[write, read], 0));
    }
}
