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
                let pieces = pieces(*width, lanes);
                if pieces.len() == 1 || !apart {
                    made.push(stmt.clone());
                    continue;
                }
                let mut from = 0;
                for piece in pieces {
                    let at = at.plus(&super::Index::number(from));
                    made.push(Stmt::Store(*buffer, at, piece, part(value, from, piece)));
                    from += piece;
                }
            }
        }
    }
    made
}

/// The widths of the vectors that so many numbers are: as wide as they may be, and then by halves.
fn pieces(width: i64, lanes: i64) -> Vec<i64> {
    let mut made = Vec::new();
    let (mut left, mut piece) = (width, lanes);
    while left > 0 {
        while piece > left {
            piece /= 2;
        }
        made.push(piece);
        left -= piece;
    }
    made
}

/// So many numbers of a vector, from one on.
pub(super) fn part(value: &Ex, from: i64, lanes: i64) -> Ex {
    match value {
        Ex::Number(_) => value.clone(),
        Ex::Load(buffer, at, _) => Ex::Load(*buffer, at.plus(&super::Index::number(from)), lanes),
        // A vector of one number is that number.
        Ex::Splat(of, _) if lanes == 1 => (**of).clone(),
        Ex::Splat(of, _) => Ex::Splat(of.clone(), lanes),
        Ex::Gather(parts) => {
            let chosen = (0..)
                .zip(parts)
                .filter(|(n, _)| (from..from + lanes).contains(n));
            let mut chosen: Vec<Ex> = chosen.map(|(_, part)| part.clone()).collect();
            match chosen.len() {
                1 => chosen.remove(0),
                _ => Ex::Gather(chosen),
            }
        }
        Ex::Calc(prim, a, b) => Ex::Calc(
            *prim,
            Box::new(part(a, from, lanes)),
            Box::new(part(b, from, lanes)),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_cut_into_those_that_there_are() {
        assert_eq!(pieces(32, 16), [16, 16]);
        assert_eq!(pieces(16, 16), [16]);
        assert_eq!(pieces(25, 16), [16, 8, 1]);
        assert_eq!(pieces(3, 8), [2, 1]);
    }
}
