//! Two runs of a loop put together where rows push each other out of the nearest cache.
//!
//! A loop over steps of a sum around one over rows reads a few numbers of each row and comes back for the next few of the same
//! line. Rows that lie a page apart share few places of the cache, so that line is gone by then, however fast the rest is. Two
//! steps at once come back half as often, as long as registers hold what both read again and again. Some compilers do so by
//! themselves, which is luck.

use super::hoist::fixed;
use super::lines::is_crowded;
use super::{BufferId, Counter, Ex, How, Index, Stmt};

/// A block in which such loops are put together, where what the rows read in two steps is at most so many vectors.
pub(super) fn together(block: &[Stmt], bytes: i64, most: usize) -> Vec<Stmt> {
    let made = block.iter().map(|stmt| match stmt {
        Stmt::Loop(steps, how, body) => {
            if *how == How::InOrder
                && let [Stmt::Loop(row, How::InOrder, work)] = body.as_slice()
                && 2 * fixed(*row, work).len() <= most
                && let Some(made) = pair(*steps, *row, work, bytes)
            {
                return made;
            }
            Stmt::Loop(*steps, *how, together(body, bytes, most))
        }
        other => other.clone(),
    });
    made.collect()
}

/// What a run over a row does: it takes sums over, adds to them, and gives them back.
struct Work<'a> {
    declared: &'a [Stmt],
    taken: &'a [Stmt],
    added: &'a [Stmt],
    given: &'a [Stmt],
}

fn pair(steps: Counter, row: Counter, work: &[Stmt], bytes: i64) -> Option<Stmt> {
    if steps.count % 2 != 0 {
        return None;
    }
    let work = work_of(work)?;
    let mut crowded = false;
    for stmt in work.added {
        if let Stmt::Store(_, _, _, value) = stmt {
            value.loads(&mut |_, at, _| {
                crowded |= at
                    .step(row)
                    .is_some_and(|step| is_crowded(row.count, step * bytes));
            });
        }
    }
    if !crowded || !is_apart(&work, steps, row) {
        return None;
    }
    let half = Counter {
        count: steps.count / 2,
        ..steps
    };
    let step = |second: i64| {
        let to = Index::counter(half).times(2).plus(&Index::number(second));
        work.added.iter().map(move |stmt| moved(stmt, steps, &to))
    };
    let mut body = [work.declared, work.taken].concat();
    body.extend(step(0));
    body.extend(step(1));
    body.extend_from_slice(work.given);
    Some(Stmt::Loop(
        half,
        How::InOrder,
        vec![Stmt::Loop(row, How::InOrder, body)],
    ))
}

fn work_of(stmts: &[Stmt]) -> Option<Work<'_>> {
    let is_declared = |stmt: &&Stmt| matches!(stmt, Stmt::Declare(_));
    let (declared, rest) = stmts.split_at(stmts.iter().take_while(is_declared).count());
    let is_own = |buffer: BufferId| declared.contains(&Stmt::Declare(buffer));
    let is_taken = |stmt: &&Stmt| match stmt {
        Stmt::Store(to, _, _, Ex::Load(from, ..)) => is_own(*to) && !is_own(*from),
        _ => false,
    };
    let many = rest.iter().take_while(is_taken).count();
    let (taken, rest) = rest.split_at(many);
    let (added, given) = rest.split_at(rest.len().checked_sub(many).filter(|_| many > 0)?);
    let is_back = taken.iter().zip(given).all(|pair| match pair {
        (
            Stmt::Store(own, inside, width, Ex::Load(from, outside, wide)),
            Stmt::Store(to, at, back, Ex::Load(source, place, read)),
        ) => {
            (own, from, inside, outside) == (source, to, place, at)
                && [wide, back, read].iter().all(|other| *other == width)
        }
        _ => false,
    });
    let is_work = added
        .iter()
        .all(|stmt| matches!(stmt, Stmt::Store(to, ..) if is_own(*to)));
    (is_back && is_work).then_some(Work {
        declared,
        taken,
        added,
        given,
    })
}

/// Whether each row has sums for itself, the same ones in all steps, and nothing else reads them.
fn is_apart(work: &Work<'_>, steps: Counter, row: Counter) -> bool {
    let Some(Stmt::Store(_, _, _, Ex::Load(sums, first, _))) = work.taken.first() else {
        return false;
    };
    let Some(far) = first.step(row).filter(|step| *step > 0) else {
        return false;
    };
    let (mut least, mut end) = (0, 0);
    for stmt in work.taken {
        let Stmt::Store(_, _, width, Ex::Load(from, at, _)) = stmt else {
            return false;
        };
        let way = at.plus(&first.times(-1));
        if from != sums || at.step(steps) != Some(0) || !way.terms().is_empty() {
            return false;
        }
        least = least.min(way.offset());
        end = end.max(way.offset() + width);
    }
    let mut is_free = true;
    for stmt in work.added {
        if let Stmt::Store(_, _, _, value) = stmt {
            value.loads(&mut |from, _, _| is_free &= from != *sums);
        }
    }
    is_free && end - least <= far
}

/// A statement with an index for a counter.
fn moved(stmt: &Stmt, counter: Counter, to: &Index) -> Stmt {
    let Stmt::Store(buffer, at, width, value) = stmt else {
        return stmt.clone();
    };
    let mut value = value.clone();
    value.loads_mut(&mut |_, at, _| *at = at.with(counter, to));
    Stmt::Store(*buffer, at.with(counter, to), *width, value)
}

#[cfg(test)]
mod tests {
    use super::super::{Buffer, Nest, Role};
    use super::*;
    use crate::prim::Prim;
    use crate::types::Scalar;

    const STEPS: Counter = Counter {
        number: 0,
        count: 4,
    };
    const ROW: Counter = Counter {
        number: 1,
        count: 9,
    };

    /// Nine sums of four products, with rows of the first factor so far apart. Buffers: factors, sums, one that is kept.
    fn nest(far: i64, steps: Counter, sums: &Index, reads: BufferId) -> Nest {
        let load = |buffer, at| Box::new(Ex::Load(buffer, at, 1));
        let of_row = Index::counter(ROW).times(far);
        let product = Ex::Calc(
            Prim::Mul,
            load(0, of_row.plus(&Index::counter(steps))),
            load(reads, Index::counter(steps)),
        );
        let zero = || Index::number(0);
        let sum = Ex::Calc(Prim::Add, load(3, zero()), Box::new(product));
        let work = vec![
            Stmt::Declare(3),
            Stmt::Store(3, zero(), 1, *load(2, sums.clone())),
            Stmt::Store(3, zero(), 1, sum),
            Stmt::Store(2, sums.clone(), 1, *load(3, zero())),
        ];
        let rows = Stmt::Loop(ROW, How::InOrder, work);
        let buffer = |name: &str, len, role| Buffer {
            name: name.to_owned(),
            len,
            role,
        };
        Nest {
            name: "p".to_owned(),
            scalar: Scalar::F32,
            buffers: vec![
                buffer("x", 9 * far + 4, Role::Input),
                buffer("y", 9, Role::Input),
                buffer("out", 18, Role::Output),
                buffer("sum", 1, Role::Local),
            ],
            inputs: 2,
            body: vec![Stmt::Loop(steps, How::InOrder, vec![rows])],
        }
    }

    /// What a nest computes, beginning with zeros.
    fn computed(nest: &Nest) -> Vec<f64> {
        let inputs: Vec<Vec<f64>> = nest.buffers[..2]
            .iter()
            .map(|buffer| (0..buffer.len).map(|n| (n % 17) as f64).collect())
            .collect();
        let zeros = Counter {
            number: 2,
            count: nest.buffers[2].len,
        };
        let zero = Stmt::Store(2, Index::counter(zeros), 1, Ex::Number(0.0));
        let mut nest = nest.clone();
        nest.body
            .insert(0, Stmt::Loop(zeros, How::InOrder, vec![zero]));
        super::super::run(&nest, &inputs).unwrap()
    }

    #[test]
    fn two_steps_are_one_where_rows_are_a_page_apart() {
        let given = nest(1024, STEPS, &Index::counter(ROW), 1);
        let body = together(&given.body, 4, 2);
        let [Stmt::Loop(half, _, inner)] = body.as_slice() else {
            panic!("{body:?}");
        };
        let [Stmt::Loop(_, _, work)] = inner.as_slice() else {
            panic!("{inner:?}");
        };
        assert_eq!((half.count, work.len()), (2, 5));
        let made = Nest {
            body,
            ..given.clone()
        };
        let sums = computed(&given);
        assert!(sums[..9].iter().all(|sum| *sum > 0.0), "{sums:?}");
        assert_eq!(computed(&made), sums);
    }

    #[test]
    fn other_loops_stay_as_they_are() {
        let row = Index::counter(ROW);
        let three = Counter { count: 3, ..STEPS };
        for given in [
            nest(1040, STEPS, &row, 1),
            nest(1024, three, &row, 1),
            // The sums move with the steps, all rows have the same one, or it is read meanwhile.
            nest(1024, STEPS, &row.plus(&Index::counter(STEPS)), 1),
            nest(1024, STEPS, &Index::number(0), 1),
            nest(1024, STEPS, &row, 2),
        ] {
            assert_eq!(together(&given.body, 4, 2), given.body);
        }
    }

    #[test]
    fn one_step_stays_alone_where_registers_do_not_hold_what_two_read() {
        let mut given = nest(1024, STEPS, &Index::counter(ROW), 1);
        let Stmt::Loop(_, _, rows) = &mut given.body[0] else {
            panic!("it is a loop");
        };
        let Stmt::Loop(_, _, work) = &mut rows[0] else {
            panic!("it is a loop");
        };
        let Stmt::Store(_, _, _, value) = &mut work[2] else {
            panic!("it writes");
        };
        let vector = Ex::Load(1, Index::counter(STEPS), 4);
        *value = Ex::Calc(Prim::Add, Box::new(value.clone()), Box::new(vector));
        assert_eq!(together(&given.body, 4, 1), given.body);
        assert_ne!(together(&given.body, 4, 2), given.body);
    }
}
