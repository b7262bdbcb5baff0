//! Vectors cut into those that a processor has: compilers keep wider ones in memory.

use super::{Ex, Stmt};

/// A block whose vectors hold at most so many numbers, where they can be cut.
pub(super) fn narrowed(block: &[Stmt], lanes: i64) -> Vec<Stmt> {
    let mut made = Vec::new();
    for stmt in block {
        match stmt {
            Stmt::Declare(_) => made.push(stmt.clone()),
            Stmt::Loop(counter, how, body) => {
                made.push(Stmt::Loop(*counter, *how, narrowed(body, lanes)));
            }
            Stmt::Store(buffer, at, width, value) => {
                // What the first piece writes must not be what the second one reads.
                let mut apart = true;
                value.loads(&mut |other, index, _| apart &= other != *buffer || index == at);
                if *width <= lanes || width % lanes != 0 || !apart {
                    made.push(stmt.clone());
                    continue;
                }
                for piece in 0..width / lanes {
                    let from = piece * lanes;
                    let at = at.plus(&super::Index::number(from));
                    made.push(Stmt::Store(*buffer, at, lanes, part(value, from, lanes)));
                }
            }
        }
    }
    made
}

/// So many numbers of a vector, from one on.
fn part(value: &Ex, from: i64, lanes: i64) -> Ex {
    match value {
        Ex::Number(_) => value.clone(),
        Ex::Load(buffer, at, _) => Ex::Load(*buffer, at.plus(&super::Index::number(from)), lanes),
        Ex::Splat(of, _) => Ex::Splat(of.clone(), lanes),
        Ex::Gather(parts) => {
            let chosen = (0..)
                .zip(parts)
                .filter(|(n, _)| (from..from + lanes).contains(n));
            Ex::Gather(chosen.map(|(_, part)| part.clone()).collect())
        }
        Ex::Calc(prim, a, b) => Ex::Calc(
            *prim,
            Box::new(part(a, from, lanes)),
            Box::new(part(b, from, lanes)),
        ),
    }
}
