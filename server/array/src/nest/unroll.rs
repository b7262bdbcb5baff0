//! Loops that only fill or empty a buffer of a few vectors, written out: its numbers can then be variables.

use super::{BufferId, Counter, Ex, How, Stmt};

/// A block in which such loops over the buffers that `is_small` names are written out.
pub(super) fn unrolled(block: &[Stmt], is_small: &dyn Fn(BufferId) -> bool) -> Vec<Stmt> {
    let mut made = Vec::new();
    for stmt in block {
        match stmt {
            Stmt::Loop(counter, how, body) => {
                let inner = unrolled(body, is_small);
                let is_copy = *how == How::InOrder
                    && inner.iter().all(|stmt| match stmt {
                        Stmt::Store(to, _, _, Ex::Load(from, ..)) => {
                            is_small(*to) || is_small(*from)
                        }
                        Stmt::Store(to, _, _, Ex::Number(_)) => is_small(*to),
                        Stmt::Store(to, _, _, Ex::Splat(of, _)) => {
                            is_small(*to) && matches!(**of, Ex::Number(_))
                        }
                        _ => false,
                    });
                if !is_copy {
                    made.push(Stmt::Loop(*counter, *how, inner));
                    continue;
                }
                made.extend(runs(*counter, &inner));
            }
            other => made.push(other.clone()),
        }
    }
    made
}

/// A block in which short loops that only work on variables are written out: what they read can then be read ahead.
pub(super) fn short(
    block: &[Stmt],
    most: i64,
    is_variable: &dyn Fn(BufferId) -> bool,
) -> Vec<Stmt> {
    let mut made = Vec::new();
    for stmt in block {
        let Stmt::Loop(counter, how, body) = stmt else {
            made.push(stmt.clone());
            continue;
        };
        let inner = short(body, most, is_variable);
        let is_work = *how == How::InOrder
            && counter.count <= most
            && inner
                .iter()
                .all(|stmt| matches!(stmt, Stmt::Store(to, ..) if is_variable(*to)));
        if is_work {
            made.extend(runs(*counter, &inner));
        } else {
            made.push(Stmt::Loop(*counter, *how, inner));
        }
    }
    made
}

/// The runs of a loop one after the other; its body has no loops.
fn runs(counter: Counter, body: &[Stmt]) -> Vec<Stmt> {
    let run = |value| {
        body.iter().map(move |stmt| match stmt {
            Stmt::Store(to, at, width, ex) => {
                Stmt::Store(*to, at.at(counter, value), *width, with(ex, counter, value))
            }
            other => other.clone(),
        })
    };
    (0..counter.count).flat_map(run).collect()
}

/// An expression with a number for a counter.
fn with(ex: &Ex, counter: Counter, value: i64) -> Ex {
    let mut ex = ex.clone();
    ex.loads_mut(&mut |_, at, _| *at = at.at(counter, value));
    ex
}

#[cfg(test)]
mod tests {
    use super::super::Index;
    use super::*;
    use crate::prim::Prim;

    const I: Counter = Counter {
        number: 0,
        count: 2,
    };

    #[test]
    fn only_loops_that_fill_or_empty_a_small_buffer_are_written_out() {
        let at = || Index::counter(I).times(4);
        let each = |value| Stmt::Loop(I, How::InOrder, vec![value]);
        let fill = each(Stmt::Store(
            1,
            at(),
            4,
            Ex::Splat(Box::new(Ex::Number(0.0)), 4),
        ));
        let sum = Ex::Calc(
            Prim::Add,
            Box::new(Ex::Load(1, at(), 4)),
            Box::new(Ex::Load(0, at(), 4)),
        );
        let work = each(Stmt::Store(1, at(), 4, sum));
        let empty = each(Stmt::Store(0, at(), 4, Ex::Load(1, at(), 4)));
        let block = [fill, work.clone(), empty];
        assert_eq!(unrolled(&block, &|_| false), block);
        let made = unrolled(&block, &|buffer| buffer == 1);
        assert_eq!(made.len(), 5);
        assert_eq!(made[2], work);
        let place = |n: i64| Index::number(4 * n);
        assert_eq!(
            made[4],
            Stmt::Store(0, place(1), 4, Ex::Load(1, place(1), 4))
        );
    }

    #[test]
    fn short_loops_over_variables_are_written_out() {
        let sum = Ex::Calc(
            Prim::Add,
            Box::new(Ex::Load(1, Index::number(0), 4)),
            Box::new(Ex::Load(0, Index::counter(I).times(4), 4)),
        );
        let block = [Stmt::Loop(
            I,
            How::InOrder,
            vec![Stmt::Store(1, Index::number(0), 4, sum)],
        )];
        let made = short(&block, 4, &|buffer| buffer == 1);
        assert_eq!(made.len(), 2);
        let mut places = Vec::new();
        for stmt in &made {
            if let Stmt::Store(_, _, _, value) = stmt {
                value.loads(&mut |buffer, at, _| places.extend((buffer == 0).then(|| at.offset())));
            }
        }
        assert_eq!(places, [0, 4]);
        assert_eq!(short(&block, 1, &|buffer| buffer == 1), block);
        assert_eq!(short(&block, 4, &|_| false), block);
    }
}
