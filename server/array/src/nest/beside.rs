//! Innermost loops over a few neighbours, as vectors: what they read again and again can then be read once.
//!
//! A compiler makes vectors of such loops too, and keeps some of what it reads in registers, which is luck.

use super::read::widened;
use super::{Counter, How, Stmt};

/// A block in which innermost loops over at most so many neighbours are vectors.
pub(super) fn side_by_side(block: &[Stmt], most: i64) -> Vec<Stmt> {
    let made = block.iter().map(|stmt| match stmt {
        Stmt::Loop(counter, how, body) => vector(*counter, *how, body, most).unwrap_or_else(|| {
            let inner = side_by_side(body, most);
            Stmt::Loop(*counter, *how, inner)
        }),
        other => other.clone(),
    });
    made.collect()
}

/// The vector that a loop is: each run writes one number beside that of the run before, and reads none that another run writes.
fn vector(counter: Counter, how: How, body: &[Stmt], most: i64) -> Option<Stmt> {
    let [Stmt::Store(to, at, 1, value)] = body else {
        return None;
    };
    if how != How::InOrder || counter.count > most || at.step(counter) != Some(1) {
        return None;
    }
    let mut fits = true;
    value.loads(&mut |from, place, _| {
        let step = place.step(counter);
        fits &=
            (step == Some(1) && (from != *to || place == at)) || (step == Some(0) && from != *to);
    });
    fits.then(|| {
        Stmt::Store(
            *to,
            at.at(counter, 0),
            counter.count,
            widened(value, counter),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Ex, Index};
    use super::*;
    use crate::prim::Prim;

    const I: Counter = Counter {
        number: 0,
        count: 4,
    };

    /// A loop in which `1[at] = 0[from] * 2[8] + 1[old]`.
    fn sums(how: How, at: Index, from: Index, old: Index) -> Vec<Stmt> {
        let load = |buffer, at| Box::new(Ex::Load(buffer, at, 1));
        let product = Ex::Calc(Prim::Mul, load(0, from), load(2, Index::number(8)));
        let sum = Ex::Calc(Prim::Add, Box::new(product), load(1, old));
        vec![Stmt::Loop(I, how, vec![Stmt::Store(1, at, 1, sum)])]
    }

    fn i() -> Index {
        Index::counter(I)
    }

    #[test]
    fn neighbours_are_one_vector() {
        let block = sums(How::InOrder, i(), i().plus(&Index::number(4)), i());
        let load = |buffer, at, width| Box::new(Ex::Load(buffer, at, width));
        let one = Ex::Splat(load(2, Index::number(8), 1), 4);
        let product = Ex::Calc(Prim::Mul, load(0, Index::number(4), 4), Box::new(one));
        let sum = Ex::Calc(Prim::Add, Box::new(product), load(1, Index::number(0), 4));
        let expected = vec![Stmt::Store(1, Index::number(0), 4, sum)];
        assert_eq!(side_by_side(&block, 4), expected);
        let around = |block| {
            vec![Stmt::Loop(
                Counter {
                    number: 1,
                    count: 9,
                },
                How::InOrder,
                block,
            )]
        };
        assert_eq!(side_by_side(&around(block), 4), around(expected));
    }

    #[test]
    fn what_is_long_apart_or_read_by_another_run_stays_a_loop() {
        let next = || i().plus(&Index::number(1));
        for block in [
            sums(How::InOrder, i().times(2), i(), i().times(2)),
            sums(How::InOrder, i(), i().times(2), i()),
            sums(How::InOrder, next(), i(), i()),
            sums(How::InOrder, i(), i(), Index::number(9)),
            sums(How::InOrder, Index::number(0), i(), Index::number(0)),
            sums(How::Parallel, i(), i(), i()),
        ] {
            assert_eq!(side_by_side(&block, 4), block);
        }
        let block = sums(How::InOrder, i(), i(), i());
        assert_eq!(side_by_side(&block, 3), block);
    }
}
