//! The other sides of rules over sums and other aggregates, and over what moves cells (SPORES Figure 3).

use sumac_la::Op;

use super::row::Nested;
use super::site::{Bound, Opened, Site, pair};
use crate::axes::{Label, Map, Term};
use crate::build::Relations;
use crate::ra::Ra;

pub fn pull_into_sum(site: &mut Site<'_>) -> Option<Term> {
    let (Ra::Mul(maps, ids), Ra::Sum(m, i)) = (&site.found.node, site.inner(0)) else {
        return None;
    };
    let (place, own) = (site.place(), site.own);
    let z = Term::inside(ids[1 - place], &maps[1 - place], &own);
    let sum = site.open(m, i[0], &maps[place].then(&own))?;
    let product = site.r.mul(sum.term, z)?;
    site.r.sum(&sum.bound, product)
}

pub fn push_out_of_sum(site: &mut Site<'_>) -> Option<Term> {
    let Ra::Mul(m, i) = site.inner(0) else {
        return None;
    };
    let outer = site.opened()?;
    let [x, y] = pair(m, i, &outer.term.map);
    let among = |is_wanted: &dyn Fn(Label) -> bool| -> Bound {
        let bound = outer.bound.iter().copied();
        bound.filter(|(label, _)| is_wanted(*label)).collect()
    };
    let in_x = among(&|label| x.map.has(label) && !y.map.has(label));
    let in_y = among(&|label| y.map.has(label) && !x.map.has(label));
    if in_x.is_empty() && in_y.is_empty() {
        return None;
    }
    let shared = among(&|label| x.map.has(label) && y.map.has(label));
    let (x, y) = (site.r.sum(&in_x, x)?, site.r.sum(&in_y, y)?);
    let product = site.r.mul(x, y)?;
    site.r.sum(&shared, product)
}

/// What two nested aggregates aggregate, over the axes of both.
fn opened_twice(site: &mut Site<'_>, map: &Map, id: egg::Id) -> Option<Opened> {
    let outer = site.opened()?;
    let mut nested = site.open(map, id, &outer.term.map)?;
    nested.bound = outer.bound.into_iter().chain(nested.bound).collect();
    Some(nested)
}

pub fn merge_sums(site: &mut Site<'_>) -> Option<Term> {
    let Ra::Sum(m, i) = site.inner(0) else {
        return None;
    };
    let both = opened_twice(site, m, i[0])?;
    site.r.sum(&both.bound, both.term)
}

/// Whether both aggregates are of one kind.
pub fn are_alike(_: &Relations, nested: &Nested<'_>) -> u8 {
    let are = matches!((nested.outer, nested.inner), (Ra::Fold(a, ..), Ra::Fold(b, ..)) if a == b);
    u8::from(are)
}

pub fn merge_folds(site: &mut Site<'_>) -> Option<Term> {
    let Ra::Fold(op, m, i) = site.inner(0) else {
        return None;
    };
    let both = opened_twice(site, m, i[0])?;
    site.r.fold(*op, &both.bound, both.term)
}

pub fn sum_of_plus(site: &mut Site<'_>) -> Option<Term> {
    let Ra::Add(m, i) = site.inner(0) else {
        return None;
    };
    let outer = site.opened()?;
    let [x, y] = pair(m, i, &outer.term.map);
    let (x, y) = (site.r.sum(&outer.bound, x)?, site.r.sum(&outer.bound, y)?);
    site.r.add(x, y)
}

pub fn plus_of_sums(site: &mut Site<'_>) -> Option<Term> {
    let Ra::Add(maps, _) = &site.found.node else {
        return None;
    };
    let (Ra::Sum(m, i), Ra::Sum(n, j)) = (site.inner(0), site.inner(1)) else {
        return None;
    };
    let own = site.own;
    let a = site.open(m, i[0], &maps[0].then(&own))?;
    let b = site.open(n, j[0], &maps[1].then(&own))?;
    if a.bound.len() != b.bound.len() || !a.bound.iter().zip(&b.bound).all(|(x, y)| x.1 == y.1) {
        return None;
    }
    let rename = |label| match b.bound.iter().position(|(l, _)| *l == label) {
        Some(k) => a.bound[k].0,
        None => label,
    };
    let b = Term {
        map: b.term.map.relabel(rename),
        ..b.term
    };
    let both = site.r.add(a.term, b)?;
    site.r.sum(&a.bound, both)
}

/// In how many ways δ may be sifted out of what a sum is over: by either of its axes.
pub fn ways_to_sift(relations: &Relations, nested: &Nested<'_>) -> u8 {
    match nested.inner {
        Ra::Eye(_) => 1,
        Ra::Mul(_, ids) if ids.iter().any(|id| relations.data(*id).is_eye) => 2,
        _ => 0,
    }
}

pub fn sift(site: &mut Site<'_>) -> Option<Term> {
    let outer = site.opened()?;
    match site.inner(0) {
        Ra::Mul(m, i) => {
            let [x, y] = pair(m, i, &outer.term.map);
            let (eye, x) = if site.r.data(x.id).is_eye {
                (x, y)
            } else {
                (y, x)
            };
            sifted(site.r, &outer, eye, x, usize::from(site.found.pick))
        }
        Ra::Eye(_) => {
            let one = site.r.number(1.0);
            let pick = usize::from(outer.bound[0].0 != outer.term.map.labels()[0]);
            sifted(site.r, &outer, outer.term, one, pick)
        }
        _ => None,
    }
}

/// Σ over the labels of `outer` of `eye * x`, where the label of `eye` in place `gone` is summed away: the other label
/// takes its place in `x`.
fn sifted(r: &mut Relations, outer: &Opened, eye: Term, x: Term, gone: usize) -> Option<Term> {
    let labels = eye.map.labels();
    let (from, to) = (*labels.get(gone)?, *labels.get(1 - gone)?);
    let dim = r.dim_of(eye, from)?;
    let rest: Bound = outer
        .bound
        .iter()
        .copied()
        .filter(|(l, _)| *l != from)
        .collect();
    if rest.len() == outer.bound.len() || (x.map.has(from) && x.map.has(to)) {
        return None;
    }
    let x = Term {
        map: x.map.relabel(|l| if l == from { to } else { l }),
        ..x
    };
    let x = r.widened(x, &[(to, dim)])?;
    r.sum(&rest, x)
}

pub fn reorder(site: &mut Site<'_>) -> Option<Term> {
    let outer = site.opened()?;
    let moved = reordered(site, &outer, site.inner(0))?;
    match &site.found.node {
        Ra::Fold(op, ..) => site.r.fold(*op, &moved.bound, moved.term),
        _ => site.r.sum(&moved.bound, moved.term),
    }
}

/// What an aggregate over `outer`'s labels may aggregate instead of an opaque operator that only moves cells within them.
fn reordered(site: &mut Site<'_>, outer: &Opened, opaque: &Ra) -> Option<Opened> {
    let Ra::Opaque(opaque, ids) = opaque else {
        return None;
    };
    let is_bound = |label: Label| outer.bound.iter().any(|(l, _)| *l == label);
    match opaque.op {
        Op::Rev => {
            // The operator's axes are its rows, then its columns, those of size one left out; so are its child's labels.
            let rows = *outer.term.map.labels().first()?;
            if opaque.shape[0].is_none() || !is_bound(rows) {
                return None;
            }
            let cols = outer.term.map.labels().get(1).copied();
            let map = opaque.children[0].0.relabel(|side| match side {
                0 => rows,
                _ => cols.expect("as many axes as the child"),
            });
            Some(Opened {
                term: Term { id: ids[0], map },
                bound: outer.bound.clone(),
            })
        }
        Op::Reshape if outer.term.map.iter().all(is_bound) => {
            let child = ids[0];
            let schema = site.r.data(child).schema.clone();
            let labels = schema.iter().map(|dim| Some((site.fresh()?, *dim)));
            let bound: Bound = labels.collect::<Option<_>>()?;
            let map = Map::collect(bound.iter().map(|(label, _)| *label))?;
            Some(Opened {
                term: Term { id: child, map },
                bound,
            })
        }
        _ => None,
    }
}

/// Whether rows are reversed twice.
pub fn is_reversed_twice(_: &Relations, nested: &Nested<'_>) -> u8 {
    let is_rev = |node: &Ra| matches!(node, Ra::Opaque(opaque, _) if opaque.op == Op::Rev);
    u8::from(is_rev(nested.outer) && is_rev(nested.inner))
}

/// The matrix of which the inner of two `rev` is taken, with the axes of the outer one.
pub fn reverse(site: &mut Site<'_>) -> Option<Term> {
    let (Ra::Opaque(outer, _), Ra::Opaque(inner, ids)) = (&site.found.node, site.inner(0)) else {
        return None;
    };
    // Not where the one reverses the other's transpose. Rows are always an axis here: of a single row, `rev` is nothing.
    let is_same_way = outer.children[0].0.labels().is_sorted() && inner.shape == outer.shape;
    is_same_way.then(|| Term {
        id: ids[0],
        map: inner.children[0].0.then(&site.own),
    })
}
