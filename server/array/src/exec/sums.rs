//! Finds the innermost loops of a nest that are one block of sums of products.
//!
//! Loops over rows, over neighbours and over the sum are told apart by how the three places move with them. Their order does not
//! matter to what is computed: the products of one sum are added in the order of the loops over the sum, which stays.

use super::block::{Block, Steps};
use crate::nest::{BufferId, Counter, Ex, How, Index, Stmt};
use crate::prim::Prim;

/// Loops that are one block, with the places where it begins.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Sums {
    pub block: Block,
    pub c: (BufferId, Index),
    pub a: (BufferId, Index),
    pub b: (BufferId, Index),
}

/// `c += a * b` on some lanes; with more than one, `a` is one number for all of them.
#[derive(Clone)]
struct Term {
    c: (BufferId, Index),
    a: (BufferId, Index),
    b: (BufferId, Index),
    lanes: i64,
}

/// A loop, or statements that stand for one: how often, and the steps of the three places.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Dim {
    count: i64,
    c: i64,
    a: i64,
    b: i64,
}

/// The block that a list of statements is.
pub(super) fn block_of(stmts: &[Stmt]) -> Option<Sums> {
    let mut loops = Vec::new();
    let terms = collect(stmts, &mut loops)?;
    let first = terms.first()?.clone();
    let mut dims = Vec::new();
    for counter in &loops {
        dims.push(Dim {
            count: counter.count,
            c: first.c.1.step(*counter)?,
            a: first.a.1.step(*counter)?,
            b: first.b.1.step(*counter)?,
        });
    }
    dims.extend(written_out(&terms)?);
    dims.retain(|dim| dim.count != 1);
    if dims
        .iter()
        .any(|dim| dim.c < 0 || dim.a < 0 || dim.b < 0 || dim.count < 1)
    {
        return None;
    }
    let (mut a, mut b) = (first.a, first.b);
    let lanes = lanes(&mut dims, first.lanes, (&mut a, &mut b))?;
    let (rows, sums): (Vec<Dim>, Vec<Dim>) = dims.into_iter().partition(|dim| dim.c != 0);
    let row = match rows.as_slice() {
        [] => Dim {
            count: 1,
            c: 0,
            a: 0,
            b: 0,
        },
        // Rows that overlap would be added to more than once.
        [row] if row.b == 0 && row.c >= lanes => *row,
        _ => return None,
    };
    let sums = merged(&sums)?;
    let start = |(buffer, at): &(BufferId, Index)| {
        let at = loops
            .iter()
            .fold(at.clone(), |at, counter| at.at(*counter, 0));
        (*buffer, at)
    };
    let (c, a, b) = (start(&first.c), start(&a), start(&b));
    if c.0 == a.0 || c.0 == b.0 {
        return None;
    }
    let size = |n: i64| usize::try_from(n).ok();
    let steps = |dim: Dim| {
        Some(Steps {
            count: size(dim.count)?,
            a: size(dim.a)?,
            b: size(dim.b)?,
        })
    };
    let block = Block {
        rows: size(row.count)?,
        c_row: size(row.c)?,
        a_row: size(row.a)?,
        lanes: size(lanes)?,
        sums: [steps(sums[0])?, steps(sums[1])?],
    };
    Some(Sums { block, c, a, b })
}

/// The neighbours of a row. Loops over them leave `dims`; the factors change places where the first one has them.
fn lanes(
    dims: &mut Vec<Dim>,
    written: i64,
    (a, b): (&mut (BufferId, Index), &mut (BufferId, Index)),
) -> Option<i64> {
    let mut lanes = written;
    if lanes == 1 {
        let beside = |dim: &Dim| dim.c == 1 && (dim.a, dim.b) == (0, 1);
        let transposed = |dim: &Dim| dim.c == 1 && (dim.a, dim.b) == (1, 0);
        if !dims.iter().any(beside) && dims.iter().any(transposed) {
            std::mem::swap(a, b);
            dims.iter_mut()
                .for_each(|dim| std::mem::swap(&mut dim.a, &mut dim.b));
        }
        match dims.iter().position(beside) {
            Some(found) => lanes = dims.remove(found).count,
            // One sum alone.
            None if dims.iter().all(|dim| dim.c == 0) => return Some(1),
            None => return None,
        }
    }
    while let Some(found) = dims
        .iter()
        .position(|dim| (dim.c, dim.a, dim.b) == (lanes, 0, lanes))
    {
        lanes = lanes.checked_mul(dims.remove(found).count)?;
    }
    Some(lanes)
}

/// At most two loops over a sum, those put together that go on where the inner one ends.
fn merged(dims: &[Dim]) -> Option<[Dim; 2]> {
    let mut made: Vec<Dim> = Vec::new();
    for dim in dims {
        match made.last_mut() {
            Some(outer) if outer.a == dim.a * dim.count && outer.b == dim.b * dim.count => {
                outer.count *= dim.count;
                (outer.a, outer.b) = (dim.a, dim.b);
            }
            _ => made.push(*dim),
        }
    }
    let one = Dim {
        count: 1,
        c: 0,
        a: 0,
        b: 0,
    };
    match made.as_slice() {
        [] => Some([one, one]),
        [only] => Some([one, *only]),
        [outer, inner] => Some([*outer, *inner]),
        _ => None,
    }
}

/// The terms of statements below loops that have nothing else in them.
fn collect(stmts: &[Stmt], loops: &mut Vec<Counter>) -> Option<Vec<Term>> {
    match stmts {
        [Stmt::Loop(counter, How::InOrder, body)] => {
            loops.push(*counter);
            collect(body, loops)
        }
        [Stmt::Declare(buffer), rest @ ..] => kept(*buffer, rest, loops),
        _ => stmts.iter().map(term).collect(),
    }
}

fn term(stmt: &Stmt) -> Option<Term> {
    let Stmt::Store(buffer, at, lanes, Ex::Calc(Prim::Add, x, y)) = stmt else {
        return None;
    };
    let is_so_far =
        |ex: &Ex| matches!(ex, Ex::Load(b, i, w) if b == buffer && i == at && w == lanes);
    let product = match (is_so_far(x), is_so_far(y)) {
        (true, false) => y,
        (false, true) => x,
        _ => return None,
    };
    let Ex::Calc(Prim::Mul, x, y) = &**product else {
        return None;
    };
    let one = |ex: &Ex| match ex {
        Ex::Splat(of, _) => match &**of {
            Ex::Load(buffer, at, 1) => Some((*buffer, at.clone())),
            _ => None,
        },
        Ex::Load(buffer, at, 1) if *lanes == 1 => Some((*buffer, at.clone())),
        _ => None,
    };
    let many = |ex: &Ex| match ex {
        Ex::Load(buffer, at, width) if width == lanes => Some((*buffer, at.clone())),
        _ => None,
    };
    let (a, b) = match (one(x), many(y)) {
        (Some(a), Some(b)) => (a, b),
        _ => (one(y)?, many(x)?),
    };
    Some(Term {
        c: (*buffer, at.clone()),
        a,
        b,
        lanes: *lanes,
    })
}

/// A local buffer that takes sums over, adds to them, and gives them back: the sums themselves are added to.
fn kept(local: BufferId, rest: &[Stmt], loops: &mut Vec<Counter>) -> Option<Vec<Term>> {
    let [
        Stmt::Store(taken, inside, width, Ex::Load(buffer, start, _)),
        added @ ..,
        Stmt::Store(to, at, wide, Ex::Load(given, outside, _)),
    ] = rest
    else {
        return None;
    };
    // Vectors that end with a size are taken over whole.
    let is_same = (taken, to, given) == (&local, buffer, &local)
        && (inside, at) == (outside, start)
        && wide <= width
        && inside.terms().is_empty()
        && *buffer != local;
    if !is_same {
        return None;
    }
    let around = loops.len();
    let mut terms = collect(added, loops)?;
    let own = &loops[around..];
    for term in &mut terms {
        if term.c.0 != local || term.a.0 == local || term.b.0 == local {
            return None;
        }
        let way = term.c.1.plus(&inside.times(-1));
        let (least, most) = super::bounds::range(&way, own)?;
        if least < 0 || most + term.lanes > *wide {
            return None;
        }
        term.c = (*buffer, start.plus(&way));
    }
    Some(terms)
}

/// The loops that a list of terms stands for: at most two, the outer one first.
fn written_out(terms: &[Term]) -> Option<Vec<Dim>> {
    let first = terms.first()?;
    let mut steps: Vec<[i64; 3]> = Vec::with_capacity(terms.len());
    for term in terms {
        let same = term.lanes == first.lanes
            && (term.c.0, term.a.0, term.b.0) == (first.c.0, first.a.0, first.b.0);
        if !same {
            return None;
        }
        let apart = |own: &Index, start: &Index| {
            let way = own.plus(&start.times(-1));
            way.terms().is_empty().then(|| way.offset())
        };
        steps.push([
            apart(&term.c.1, &first.c.1)?,
            apart(&term.a.1, &first.a.1)?,
            apart(&term.b.1, &first.b.1)?,
        ]);
    }
    let dim = |count: usize, step: [i64; 3]| {
        Some(Dim {
            count: i64::try_from(count).ok()?,
            c: step[0],
            a: step[1],
            b: step[2],
        })
    };
    let len = steps.len();
    if len == 1 {
        return Some(Vec::new());
    }
    let inner = steps[1];
    let is_at = |n: usize, from: [i64; 3], by: [i64; 3], k: i64| {
        (0..3).all(|axis| steps[n][axis] == from[axis] + k * by[axis])
    };
    let run = (0..)
        .zip(0..len)
        .take_while(|(k, n)| is_at(*n, [0; 3], inner, *k))
        .count();
    if run == len {
        return Some(vec![dim(len, inner)?]);
    }
    if !len.is_multiple_of(run) {
        return None;
    }
    let outer = steps[run];
    for n in 0..len {
        let (block, within) = (i64::try_from(n / run).ok()?, i64::try_from(n % run).ok()?);
        let from = outer.map(|step| step * block);
        if !is_at(n, from, inner, within) {
            return None;
        }
    }
    Some(vec![dim(len / run, outer)?, dim(run, inner)?])
}
