//! Vectors that every run of an innermost loop reads from the same place: read once, before the loop.
//!
//! Compilers read them again where they cannot tell that what the loop writes stands elsewhere.

use super::lines::{LINE, fill_a_set};
use super::{Buffer, BufferId, Counter, Ex, How, Index, Nest, Role, Stmt};

/// What a nest is made into.
pub(super) struct Hoisted {
    pub nest: Nest,
    /// The buffers that vectors are read into and that should be read ahead.
    pub ahead: Vec<BufferId>,
    /// Rows of which the next line should be asked for: the buffer that is declared right before the loop over them, for loops in
    /// several places have one number, and where they are.
    pub rows: Vec<(BufferId, BufferId, Index)>,
}

/// A nest in which at most so many vectors are read before each innermost loop, into a buffer of their own; twice as many before
/// the loops of these numbers, whose runs are of two steps. Where a loop writes as many vectors as it reads so, its runs are soon
/// over, and compilers put some of them together, which reading ahead keeps them from.
pub(super) fn hoisted(nest: &Nest, most: usize, double: &[u32]) -> Hoisted {
    let mut hoist = Hoist {
        most,
        double,
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

struct Hoist<'a> {
    most: usize,
    double: &'a [u32],
    bytes: i64,
    buffers: Vec<Buffer>,
    ahead: Vec<BufferId>,
    rows: Vec<(BufferId, BufferId, Index)>,
}

impl Hoist<'_> {
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
            let is_double = self.double.contains(&counter.number);
            let most = self.most * if is_double { 2 } else { 1 };
            if let Some((_, _, width)) = fixed.first()
                && fixed.len() <= most
                && fixed.iter().all(|(_, _, other)| other == width)
            {
                let own = self.buffers.len();
                self.buffers.push(Buffer {
                    name: format!("fixed{own}"),
                    len: width * i64::try_from(fixed.len()).unwrap_or(1),
                    role: Role::Local,
                });
                if fixed.len() > given_back(&body) {
                    if !self.crowd(&fixed) {
                        self.ahead.push(own);
                    }
                    let row = around.and_then(|outer| self.row(*counter, outer, &body));
                    self.rows.extend(row.map(|(buffer, at)| (own, buffer, at)));
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

    /// Whether as many vectors as these, read ahead, would push them out of the cache.
    fn crowd(&self, fixed: &[(BufferId, Index, i64)]) -> bool {
        let Some((_, start, _)) = fixed.first() else {
            return false;
        };
        let ways = fixed.iter().map(|(_, at, _)| at.plus(&start.times(-1)));
        fill_a_set(ways.map(|way| way.offset() * self.bytes))
    }

    /// Numbers of which each run of a loop reads a few in a line of their own, and the run of the loop around it the next few.
    fn row(&self, counter: Counter, outer: Counter, body: &[Stmt]) -> Option<(BufferId, Index)> {
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
                    found = Some((buffer, at.clone()));
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
fn fixed(counter: Counter, body: &[Stmt]) -> Vec<(BufferId, Index, i64)> {
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
        let made = hoisted(&given, 16, &[]).nest;
        assert_eq!(made.body.len(), 3);
        assert_eq!(made.body[0], Stmt::Declare(2));
        let inputs = [(0..12).map(f64::from).collect::<Vec<f64>>()];
        let run = |nest: &Nest| super::super::run(nest, &inputs).unwrap();
        assert_eq!(run(&made), run(&given));
        assert_eq!(hoisted(&given, 0, &[]).nest, given);
        // Twice none is none, twice one is enough.
        assert_eq!(hoisted(&given, 0, &[I.number]).nest, given);
    }

    #[test]
    fn vectors_are_read_ahead_where_a_loop_reads_more_of_them_than_it_writes() {
        let mut given = nest(0, Index::number(4), 4);
        assert_eq!(hoisted(&given, 16, &[]).ahead, []);
        let Stmt::Loop(_, _, body) = &mut given.body[0] else {
            panic!("it is a loop");
        };
        let Stmt::Store(_, _, _, value) = &mut body[0] else {
            panic!("it writes");
        };
        *value = Ex::Calc(
            crate::prim::Prim::Add,
            Box::new(value.clone()),
            Box::new(Ex::Load(0, Index::number(8), 4)),
        );
        assert_eq!(hoisted(&given, 16, &[]).ahead, [2]);
        // Two vectors are more than one, and no more than twice one.
        assert_eq!(hoisted(&given, 1, &[]).nest, given);
        assert_ne!(hoisted(&given, 1, &[I.number]).nest, given);
    }

    #[test]
    fn what_moves_is_one_number_or_is_written_meanwhile_stays() {
        for given in [
            nest(0, Index::counter(I).times(4), 4),
            nest(0, Index::number(4), 1),
            nest(1, Index::number(4), 4),
        ] {
            let made = hoisted(&given, 16, &[]);
            assert_eq!((made.nest, made.ahead), (given, Vec::new()));
        }
    }
}
