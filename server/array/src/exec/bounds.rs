//! Whether every place that a nest touches is in its buffer, for certain: the condition for running it without looking.

use crate::nest::{Atom, Counter, Ex, Index, Nest, Stmt};

/// Checks all places of a nest.
///
/// # Errors
/// A place may be outside of its buffer, or depends on a loop that is not around it: text for a person.
pub fn proven(nest: &Nest) -> Result<(), String> {
    block(nest, &nest.body, &mut Vec::new())
}

fn block(nest: &Nest, stmts: &[Stmt], around: &mut Vec<Counter>) -> Result<(), String> {
    for stmt in stmts {
        match stmt {
            Stmt::Declare(_) => {}
            Stmt::Loop(counter, _, body) => {
                around.push(*counter);
                let inner = block(nest, body, around);
                around.pop();
                inner?;
            }
            Stmt::Store(buffer, at, width, value) => {
                place(nest, *buffer, at, *width, around)?;
                expression(nest, value, *width, around)?;
            }
        }
    }
    Ok(())
}

fn expression(nest: &Nest, ex: &Ex, width: i64, around: &[Counter]) -> Result<(), String> {
    let is_whole = match ex {
        Ex::Number(_) => true,
        Ex::Load(_, _, own) | Ex::Splat(_, own) => *own == width,
        Ex::Gather(parts) => i64::try_from(parts.len()) == Ok(width),
        Ex::Calc(..) => true,
    };
    if !is_whole {
        return Err(format!("a vector of {width} is made of another width"));
    }
    match ex {
        Ex::Number(_) => Ok(()),
        Ex::Load(buffer, at, own) => place(nest, *buffer, at, *own, around),
        Ex::Splat(of, _) => expression(nest, of, 1, around),
        Ex::Gather(parts) => parts
            .iter()
            .try_for_each(|part| expression(nest, part, 1, around)),
        Ex::Calc(_, a, b) => {
            expression(nest, a, width, around)?;
            expression(nest, b, width, around)
        }
    }
}

fn place(
    nest: &Nest,
    buffer: usize,
    at: &Index,
    width: i64,
    around: &[Counter],
) -> Result<(), String> {
    let buffer = &nest.buffers[buffer];
    let outside = || format!("a place of `{}` may be outside of it", buffer.name);
    let (least, most) = range(at, around).ok_or_else(outside)?;
    let end = most.checked_add(width).ok_or_else(outside)?;
    if least < 0 || width < 1 || end > buffer.len {
        return Err(outside());
    }
    Ok(())
}

/// The least and the largest value of an index below these loops; `None` where it depends on another one.
pub(super) fn range(at: &Index, around: &[Counter]) -> Option<(i64, i64)> {
    let (mut least, mut most) = (at.offset(), at.offset());
    for (atom, factor) in at.terms() {
        let (low, high) = match atom {
            Atom::Counter(counter) if around.contains(counter) => (0, counter.count - 1),
            Atom::Counter(_) => return None,
            Atom::Div(of, by) => {
                let (low, high) = range(of, around)?;
                if low < 0 {
                    return None;
                }
                (low / by, high / by)
            }
            Atom::Mod(of, by) => {
                let (low, high) = range(of, around)?;
                if low < 0 {
                    return None;
                }
                (0, high.min(by - 1))
            }
        };
        let ends = [low.checked_mul(*factor)?, high.checked_mul(*factor)?];
        least = least.checked_add(ends[0].min(ends[1]))?;
        most = most.checked_add(ends[0].max(ends[1]))?;
    }
    Some((least, most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nest::{Buffer, How, Role};
    use crate::types::Scalar;

    const I: Counter = Counter {
        number: 0,
        count: 4,
    };

    /// A loop of four that writes `width` numbers at a place of twelve numbers.
    fn verdict(at: Index, width: i64, reads: Index) -> Result<(), String> {
        let buffer = |name: &str, role| Buffer {
            name: name.to_owned(),
            len: 12,
            role,
        };
        let store = Stmt::Store(1, at, width, Ex::Load(0, reads, width));
        proven(&Nest {
            name: "p".to_owned(),
            scalar: Scalar::F32,
            buffers: vec![buffer("x", Role::Input), buffer("out", Role::Output)],
            inputs: 1,
            body: vec![Stmt::Loop(I, How::InOrder, vec![store])],
        })
    }

    #[test]
    fn a_place_that_may_be_outside_is_refused_and_the_last_one_inside_is_not() {
        let i = Index::counter(I);
        assert!(verdict(i.times(3), 3, i.clone()).is_ok());
        assert!(verdict(i.times(3), 4, i.clone()).is_err());
        assert!(verdict(i.times(4), 1, i.clone()).is_err());
        assert!(verdict(i.clone(), 1, i.plus(&Index::number(-1))).is_err());
        assert!(verdict(i.clone(), 1, i.times(-1).plus(&Index::number(3))).is_ok());
        let other = Index::counter(Counter {
            number: 7,
            count: 2,
        });
        assert!(verdict(i, 1, other).is_err());
    }
}
