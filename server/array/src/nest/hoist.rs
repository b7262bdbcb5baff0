//! Vectors that every run of an innermost loop reads from the same place: read once, before the loop.
//!
//! Compilers read them again where they cannot tell that what the loop writes stands elsewhere.

use super::lines::{LINE, fill_a_set, is_crowded};
use super::{Buffer, BufferId, Counter, Ex, How, Index, Nest, Role, Stmt};

/// Runs of a loop that what it reads can be asked for ahead, the best first.
const RUNS_AHEAD: [i64; 2] = [4, 1];

/// What a nest is made into.
pub(super) struct Hoisted {
    pub nest: Nest,
    /// The buffers that vectors are read into and that should be read ahead, each with how many runs of the loop around.
    pub ahead: Vec<(BufferId, i64)>,
    pub rows: Vec<Rows>,
}

/// Rows of which the next line should be asked for.
pub(super) struct Rows {
    /// The buffer that is declared right before the loop over them: loops in several places have one number.
    pub before: BufferId,
    /// Where they are.
    pub buffer: BufferId,
    pub at: Index,
    /// How many bytes on.
    pub ahead: i64,
}

/// A nest in which at most so many vectors are read before each innermost loop, into a buffer of their own. Where a loop writes as
/// many vectors as it reads so, its runs are soon over, and compilers put some of them together, which reading ahead keeps them
/// from.
pub(super) fn hoisted(nest: &Nest, most: usize) -> Hoisted {
    let mut hoist = Hoist {
        most,
        bytes: nest.scalar.bytes(),
        buffers: nest.buffers.clone(),
        ahead: Vec::new(),
        rows: Vec::new(),
    };
    let body = hoist.block(&nest.body, None);
    Hoisted {
        nest: Nest {
            body,
            buffers: hoist.buffers,
            ..nest.clone()
        },
        ahead: hoist.ahead,
        rows: hoist.rows,
    }
}

struct Hoist {
    most: usize,
    bytes: i64,
    buffers: Vec<Buffer>,
    ahead: Vec<(BufferId, i64)>,
    rows: Vec<Rows>,
}

impl Hoist {
    fn block(&mut self, stmts: &[Stmt], around: Option<Counter>) -> Vec<Stmt> {
        let mut made = Vec::new();
        for stmt in stmts {
            let Stmt::Loop(counter, how, body) = stmt else {
                made.push(stmt.clone());
                continue;
            };
            let mut body = self.block(body, Some(*counter));
            let fixed = match how {
                How::InOrder => fixed(*counter, &body),
                How::Parallel => Vec::new(),
            };
            if let Some((_, _, width)) = fixed.first()
                && fixed.len() <= self.most
                && fixed.iter().all(|(_, _, other)| other == width)
            {
                let own = self.buffers.len();
                self.buffers.push(Buffer {
                    name: format!("fixed{own}"),
                    len: width * i64::try_from(fixed.len()).unwrap_or(1),
                    role: Role::Local,
                });
                if fixed.len() > given_back(&body) {
                    let runs = around.and_then(|outer| self.runs_ahead(&fixed, outer));
                    self.ahead.extend(runs.map(|runs| (own, runs)));
                    let rows = around.and_then(|outer| self.rows(own, *counter, outer, &body));
                    self.rows.extend(rows);
                }
                made.push(Stmt::Declare(own));
                for (n, (buffer, at, width)) in (0..).zip(&fixed) {
                    let value = Ex::Load(*buffer, at.clone(), *width);
                    made.push(Stmt::Store(own, Index::number(n * width), *width, value));
                }
                instead(&mut body, &fixed, own);
            }
            made.push(Stmt::Loop(*counter, *how, body));
        }
        made
    }

    /// How many runs of the loop around ahead these vectors should be read: more than one, for that is over before memory has
    /// answered, but none that push out of the cache what is not yet used.
    fn runs_ahead(&self, fixed: &[(BufferId, Index, i64)], outer: Counter) -> Option<i64> {
        let (_, start, _) = fixed.first()?;
        let step = start.step(outer)?;
        RUNS_AHEAD.into_iter().find(|runs| {
            let ways = (0..*runs).flat_map(|run| {
                let way = move |at: &Index| at.plus(&start.times(-1)).offset() + run * step;
                fixed.iter().map(move |(_, at, _)| way(at) * self.bytes)
            });
            !fill_a_set(ways)
        })
    }

    /// Numbers of which each run of a loop reads a few in a line of their own, and the run of the loop around it the next few.
    fn rows(
        &self,
        before: BufferId,
        counter: Counter,
        outer: Counter,
        body: &[Stmt],
    ) -> Option<Rows> {
        let mut found = None;
        for stmt in body {
            let Stmt::Store(_, _, _, value) = stmt else {
                continue;
            };
            value.loads(&mut |buffer, at, width| {
                let bytes = |of: Counter| at.step(of).unwrap_or(0) * self.bytes;
                let is_row = width == 1
                    && self.buffers[buffer].role != Role::Local
                    && bytes(counter).abs() >= LINE
                    && (1..=LINE).contains(&bytes(outer));
                if is_row && found.is_none() {
                    // A second line of each would push the first ones out where those are crowded already.
                    let is_crowded = is_crowded(counter.count, bytes(counter));
                    found = Some(Rows {
                        before,
                        buffer,
                        at: at.clone(),
                        ahead: if is_crowded { LINE } else { 2 * LINE },
                    });
                }
            });
        }
        found
    }
}

/// Reads from a buffer of their own what was read before a loop.
fn instead(body: &mut [Stmt], fixed: &[(BufferId, Index, i64)], own: BufferId) {
    for stmt in body {
        if let Stmt::Store(_, _, _, value) = stmt {
            value.loads_mut(&mut |buffer, at, width| {
                let load = (*buffer, at.clone(), width);
                if let Some((n, _)) = (0..).zip(fixed).find(|(_, known)| **known == load) {
                    (*buffer, *at) = (own, Index::number(n * width));
                }
            });
        }
    }
}

/// How many vectors a loop's body writes to where others see them.
fn given_back(body: &[Stmt]) -> usize {
    let own: Vec<BufferId> = body
        .iter()
        .filter_map(|stmt| match stmt {
            Stmt::Declare(buffer) => Some(*buffer),
            _ => None,
        })
        .collect();
    let written = body
        .iter()
        .filter(|stmt| matches!(stmt, Stmt::Store(to, ..) if !own.contains(to)));
    written.count()
}

/// The vectors that a loop reads and does not write, at places that do not move with it; none where it has loops inside.
pub(super) fn fixed(counter: Counter, body: &[Stmt]) -> Vec<(BufferId, Index, i64)> {
    let mut written = Vec::new();
    let mut found: Vec<(BufferId, Index, i64)> = Vec::new();
    for stmt in body {
        match stmt {
            Stmt::Loop(..) => return Vec::new(),
            Stmt::Declare(buffer) => written.push(*buffer),
            Stmt::Store(to, _, _, value) => {
                written.push(*to);
                value.loads(&mut |buffer, at, width| {
                    let load = (buffer, at.clone(), width);
                    if width > 1 && at.step(counter) == Some(0) && !found.contains(&load) {
                        found.push(load);
                    }
                });
            }
        }
    }
    found.retain(|(buffer, ..)| !written.contains(buffer));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Scalar;

    const I: Counter = Counter {
        number: 0,
        count: 3,
    };

    /// Three vectors of `from` plus one of a place.
    fn nest(from: BufferId, place: Index, width: i64) -> Nest {
        let at = || Index::counter(I).times(4);
        let sum = Ex::Calc(
            crate::prim::Prim::Add,
            Box::new(Ex::Load(0, at(), width)),
            Box::new(Ex::Load(from, place, width)),
        );
        let buffer = |name: &str, role| Buffer {
            name: name.to_owned(),
            len: 12,
            role,
        };
        Nest {
            name: "p".to_owned(),
            scalar: Scalar::F32,
            buffers: vec![buffer("x", Role::Input), buffer("out", Role::Output)],
            inputs: 1,
            body: vec![Stmt::Loop(
                I,
                How::InOrder,
                vec![Stmt::Store(1, at(), width, sum)],
            )],
        }
    }

    #[test]
    fn what_stays_is_read_once_before_the_loop() {
        let given = nest(0, Index::number(4), 4);
        let made = hoisted(&given, 16).nest;
        assert_eq!(made.body.len(), 3);
        assert_eq!(made.body[0], Stmt::Declare(2));
        let inputs = [(0..12).map(f64::from).collect::<Vec<f64>>()];
        let run = |nest: &Nest| super::super::run(nest, &inputs).unwrap();
        assert_eq!(run(&made), run(&given));
        assert_eq!(hoisted(&given, 0).nest, given);
    }

    /// A loop that reads a vector so many numbers on in each run, around one that reads it again and again, and others that
    /// far from it.
    fn around(step: i64, others: &[i64]) -> Nest {
        let outer = Counter {
            number: 1,
            count: 3,
        };
        let place = |far: i64| Index::counter(outer).times(step).plus(&Index::number(far));
        let mut given = nest(0, place(0), 4);
        let Some(Stmt::Loop(_, _, body)) = given.body.first_mut() else {
            panic!("it is a loop");
        };
        let Some(Stmt::Store(_, _, _, value)) = body.first_mut() else {
            panic!("it writes");
        };
        for far in others {
            let other = Ex::Load(0, place(*far), 4);
            *value = Ex::Calc(
                crate::prim::Prim::Add,
                Box::new(value.clone()),
                Box::new(other),
            );
        }
        given.body = vec![Stmt::Loop(outer, How::InOrder, given.body)];
        given
    }

    #[test]
    fn vectors_are_read_ahead_where_a_loop_reads_more_of_them_than_it_writes() {
        assert_eq!(hoisted(&around(4, &[]), 16).ahead, []);
        assert_eq!(hoisted(&around(8, &[4]), 16).ahead, [(2, 4)]);
        // Two vectors are more than one.
        let given = around(8, &[4]);
        assert_eq!(hoisted(&given, 1).nest, given);
    }

    #[test]
    fn vectors_that_push_each_other_out_are_not_read_far_ahead() {
        let page = 4096 / Scalar::F32.bytes();
        assert_eq!(hoisted(&around(2 * page, &[page]), 16).ahead, [(2, 1)]);
        let pages: Vec<i64> = (1..5).map(|n| n * page).collect();
        assert_eq!(hoisted(&around(8, &pages), 16).ahead, []);
    }

    #[test]
    fn what_moves_is_one_number_or_is_written_meanwhile_stays() {
        for given in [
            nest(0, Index::counter(I).times(4), 4),
            nest(0, Index::number(4), 1),
            nest(1, Index::number(4), 4),
        ] {
            let made = hoisted(&given, 16);
            assert_eq!((made.nest, made.ahead), (given, Vec::new()));
        }
    }
}
