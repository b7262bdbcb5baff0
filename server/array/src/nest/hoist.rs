//! Vectors that every run of an innermost loop reads from the same place: read once, before the loop.
//!
//! Compilers read them again where they cannot tell that what the loop writes stands elsewhere.

use super::{Buffer, BufferId, Counter, Ex, How, Index, Nest, Role, Stmt};

/// A nest in which at most so many vectors are read before each innermost loop, into a buffer of their own. Also these buffers, as
/// far as they should be read ahead: where a loop writes as many vectors as it reads so, its runs are soon over, and compilers put
/// some of them together, which reading ahead keeps them from.
pub(super) fn hoisted(nest: &Nest, most: usize) -> (Nest, Vec<BufferId>) {
    let mut buffers = nest.buffers.clone();
    let mut ahead = Vec::new();
    let body = block(&nest.body, most, &mut buffers, &mut ahead);
    let made = Nest {
        body,
        buffers,
        ..nest.clone()
    };
    (made, ahead)
}

fn block(
    stmts: &[Stmt],
    most: usize,
    buffers: &mut Vec<Buffer>,
    ahead: &mut Vec<BufferId>,
) -> Vec<Stmt> {
    let mut made = Vec::new();
    for stmt in stmts {
        let Stmt::Loop(counter, how, body) = stmt else {
            made.push(stmt.clone());
            continue;
        };
        let mut body = block(body, most, buffers, ahead);
        let fixed = match how {
            How::InOrder => fixed(*counter, &body),
            How::Parallel => Vec::new(),
        };
        if let Some((_, _, width)) = fixed.first()
            && fixed.len() <= most
            && fixed.iter().all(|(_, _, other)| other == width)
        {
            let own = buffers.len();
            buffers.push(Buffer {
                name: format!("fixed{own}"),
                len: width * i64::try_from(fixed.len()).unwrap_or(1),
                role: Role::Local,
            });
            if fixed.len() > given_back(&body) {
                ahead.push(own);
            }
            made.push(Stmt::Declare(own));
            for (n, (buffer, at, width)) in (0..).zip(&fixed) {
                let value = Ex::Load(*buffer, at.clone(), *width);
                made.push(Stmt::Store(own, Index::number(n * width), *width, value));
            }
            for stmt in &mut body {
                if let Stmt::Store(_, _, _, value) = stmt {
                    value.loads_mut(&mut |buffer, at, width| {
                        let load = (*buffer, at.clone(), width);
                        if let Some((n, _)) = (0..).zip(&fixed).find(|(_, known)| **known == load) {
                            (*buffer, *at) = (own, Index::number(n * width));
                        }
                    });
                }
            }
        }
        made.push(Stmt::Loop(*counter, *how, body));
    }
    made
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
        let (made, _) = hoisted(&given, 16);
        assert_eq!(made.body.len(), 3);
        assert_eq!(made.body[0], Stmt::Declare(2));
        let inputs = [(0..12).map(f64::from).collect::<Vec<f64>>()];
        let run = |nest: &Nest| super::super::run(nest, &inputs).unwrap();
        assert_eq!(run(&made), run(&given));
        assert_eq!(hoisted(&given, 0), (given, Vec::new()));
    }

    #[test]
    fn vectors_are_read_ahead_where_a_loop_reads_more_of_them_than_it_writes() {
        let mut given = nest(0, Index::number(4), 4);
        assert_eq!(hoisted(&given, 16).1, []);
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
        assert_eq!(hoisted(&given, 16).1, [2]);
    }

    #[test]
    fn what_moves_is_one_number_or_is_written_meanwhile_stays() {
        for given in [
            nest(0, Index::counter(I).times(4), 4),
            nest(0, Index::number(4), 1),
            nest(1, Index::number(4), 4),
        ] {
            assert_eq!(hoisted(&given, 16), (given, Vec::new()));
        }
    }
}
