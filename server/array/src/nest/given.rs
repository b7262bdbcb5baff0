//! Where a local buffer is copied to when its block ends. Lines that are written whole have to come near first all the same, from
//! far away where rows lie on a page each; asked for when the work begins, they are there when it ends.

use super::lines::LINE;
use super::{BufferId, Counter, Ex, How, Index, Nest, Role, Stmt};

/// Bytes of a buffer at most: what it is copied to stays near as long as the work takes.
const MOST: i64 = 1 << 14;

/// The loop that copies a local buffer of a block to one that others see, and the places of its lines; `None` if there is none,
/// or if nothing worth waiting for happens before: loops in loops.
pub(super) fn given(
    nest: &Nest,
    own: BufferId,
    block: &[Stmt],
) -> Option<(Counter, Vec<(BufferId, Index)>)> {
    let bytes = nest.scalar.bytes();
    if nest.buffers[own].role != Role::Local || nest.buffers[own].len * bytes > MOST {
        return None;
    }
    let is_work = |stmt: &Stmt| match stmt {
        Stmt::Loop(_, How::InOrder, body) => body.iter().any(|stmt| matches!(stmt, Stmt::Loop(..))),
        _ => false,
    };
    let [.., before, Stmt::Loop(counter, How::InOrder, body)] = block else {
        return None;
    };
    if !is_work(before) {
        return None;
    }
    let mut places = Vec::with_capacity(body.len());
    for stmt in body {
        match stmt {
            Stmt::Store(to, at, width, Ex::Load(from, ..))
                if *from == own
                    && width * bytes >= LINE
                    && nest.buffers[*to].role != Role::Local =>
            {
                places.push((*to, at.clone()));
            }
            _ => return None,
        }
    }
    (!places.is_empty()).then_some((*counter, places))
}

#[cfg(test)]
mod tests {
    use super::super::Buffer;
    use super::*;
    use crate::types::Scalar;

    const I: Counter = Counter {
        number: 0,
        count: 2,
    };

    fn each(body: Stmt) -> Stmt {
        Stmt::Loop(I, How::InOrder, vec![body])
    }

    fn copy(to: BufferId, from: BufferId, width: i64) -> Stmt {
        let at = Index::counter(I).times(16);
        each(Stmt::Store(
            to,
            at.clone(),
            width,
            Ex::Load(from, at, width),
        ))
    }

    #[test]
    fn what_is_copied_behind_the_work_is_known_when_it_begins() {
        let buffer = |name: &str, len, role| Buffer {
            name: name.to_owned(),
            len,
            role,
        };
        let nest = |len| Nest {
            name: "p".to_owned(),
            scalar: Scalar::F32,
            buffers: vec![
                buffer("x", 32, Role::Input),
                buffer("out", 32, Role::Output),
                buffer("own", len, Role::Local),
                buffer("other", 32, Role::Local),
            ],
            inputs: 1,
            body: Vec::new(),
        };
        let work = || each(copy(2, 0, 16));
        let at = Index::counter(I).times(16);
        let block = [Stmt::Declare(2), work(), copy(1, 2, 16)];
        assert_eq!(given(&nest(32), 2, &block), Some((I, vec![(1, at)])));
        // It is large, comes from elsewhere, goes to a buffer that is near anyway, in parts of lines, or at once.
        assert_eq!(given(&nest(1 << 13), 2, &block), None);
        for block in [
            [Stmt::Declare(2), work(), copy(1, 3, 16)],
            [Stmt::Declare(2), work(), copy(3, 2, 16)],
            [Stmt::Declare(2), work(), copy(1, 2, 8)],
            [Stmt::Declare(2), copy(2, 0, 16), copy(1, 2, 16)],
        ] {
            assert_eq!(given(&nest(32), 2, &block), None);
        }
    }
}
