//! What a rule's match says: the other side of the equality, built and stated.
//!
//! Fresh labels stand for bound axes while one rule is applied. This module must never look for matches: they come from
//! [`crate::rules`].

use egg::Id;
use smallvec::SmallVec;
use sumac_la::Op;

use crate::axes::{BOUND, Label, Map, Term};
use crate::build::Relations;
use crate::identities;
use crate::ra::{DimId, Opaque, Ra};
use crate::rules::{Match, Rule};

/// A sum's parts: what is summed, and over which fresh labels.
struct Opened {
    term: Term,
    bound: SmallVec<[(Label, DimId); 4]>,
}

/// Labels that are in nobody's way: those from `next` on.
struct Fresh(Label);

impl Fresh {
    fn open(&mut self, relations: &Relations, map: &Map, id: Id, outer: &Map) -> Option<Opened> {
        let schema = &relations.data(id).schema;
        let mut bound = SmallVec::new();
        let mut labels = SmallVec::<[Label; 8]>::new();
        for (axis, dim) in map.iter().zip(schema) {
            if axis == BOUND {
                if self.0 >= BOUND {
                    return None;
                }
                bound.push((self.0, *dim));
                labels.push(self.0);
                self.0 += 1;
            } else {
                labels.push(outer.labels()[usize::from(axis)]);
            }
        }
        Some(Opened {
            term: Term {
                id,
                map: Map::collect(labels)?,
            },
            bound,
        })
    }
}

/// Adds the other side of a match and states that it is equal. Returns whether that was new.
pub fn apply(relations: &mut Relations, found: &Match) -> bool {
    let name = found.name();
    let mut is_new = false;
    for term in other_sides(relations, found) {
        is_new |= relations.equate(found.class, term, name);
    }
    is_new
}

/// The other side of a match, with the axes of its class as labels; several where an identity fits in several ways.
/// Nothing is stated.
pub fn other_sides(relations: &mut Relations, found: &Match) -> Vec<Term> {
    match found.rule {
        Rule::Identity => {
            let identity = usize::from(found.pick);
            identities::other_sides(relations, identity, &found.node, found.class)
        }
        _ => other_side(relations, found).into_iter().collect(),
    }
}

fn pair(maps: &[Map; 2], ids: &[Id; 2], outer: &Map) -> [Term; 2] {
    [
        Term::inside(ids[0], &maps[0], outer),
        Term::inside(ids[1], &maps[1], outer),
    ]
}

#[expect(clippy::cast_possible_truncation, reason = "at most MAX_AXES")]
fn other_side(r: &mut Relations, found: &Match) -> Option<Term> {
    let axes = r.axes(found.class);
    let own = Map::identity(axes);
    let mut fresh = Fresh(axes as u8);
    let inner = |k: usize| &found.inner[k].1;
    match (found.rule, &found.node) {
        (
            Rule::AssocMul | Rule::AssocAdd | Rule::Distribute,
            Ra::Mul(maps, ids) | Ra::Add(maps, ids),
        ) => {
            let side = usize::from(found.inner[0].0);
            let z = Term::inside(ids[1 - side], &maps[1 - side], &own);
            let (Ra::Mul(m, i) | Ra::Add(m, i)) = inner(0) else {
                return None;
            };
            let mut xy = pair(m, i, &maps[side].then(&own));
            if found.pick == 1 {
                xy.swap(0, 1);
            }
            let [x, y] = xy;
            match found.rule {
                Rule::AssocMul => {
                    let yz = r.mul(y, z)?;
                    r.mul(x, yz)
                }
                Rule::AssocAdd => {
                    let yz = r.add(y, z)?;
                    r.add(x, yz)
                }
                _ => {
                    let (xz, yz) = (r.mul(x, z)?, r.mul(y, z)?);
                    r.add(xz, yz)
                }
            }
        }
        (Rule::PullIn, Ra::Mul(maps, ids)) => {
            let side = usize::from(found.inner[0].0);
            let z = Term::inside(ids[1 - side], &maps[1 - side], &own);
            let Ra::Sum(m, i) = inner(0) else { return None };
            let sum = fresh.open(r, m, i[0], &maps[side].then(&own))?;
            let product = r.mul(sum.term, z)?;
            r.sum(&sum.bound, product)
        }
        (Rule::Double, Ra::Add(maps, ids)) => {
            let two = r.number(2.0);
            r.mul(two, Term::inside(ids[0], &maps[0], &own))
        }
        (Rule::FactorOne, Ra::Add(maps, ids)) => {
            let side = usize::from(found.inner[0].0);
            let x = r.resolve(Term::inside(ids[1 - side], &maps[1 - side], &own));
            let Ra::Mul(m, i) = inner(0) else { return None };
            let factors = pair(m, i, &maps[side].then(&own)).map(|t| r.resolve(t));
            let at = factors.iter().position(|t| *t == x)?;
            let one = r.number(1.0);
            let rest = r.add(one, factors[1 - at])?;
            r.mul(x, rest)
        }
        (Rule::Factor, Ra::Add(maps, _)) => {
            let (Ra::Mul(m, i), Ra::Mul(n, j)) = (inner(0), inner(1)) else {
                return None;
            };
            let left = pair(m, i, &maps[0].then(&own)).map(|t| r.resolve(t));
            let right = pair(n, j, &maps[1].then(&own)).map(|t| r.resolve(t));
            let (p, q) = [(0, 0), (0, 1), (1, 0), (1, 1)]
                .into_iter()
                .find(|(p, q)| left[*p] == right[*q])?;
            let rest = r.add(left[1 - p], right[1 - q])?;
            r.mul(left[p], rest)
        }
        (Rule::UnionOfSums, Ra::Add(maps, _)) => {
            let (Ra::Sum(m, i), Ra::Sum(n, j)) = (inner(0), inner(1)) else {
                return None;
            };
            let a = fresh.open(r, m, i[0], &maps[0].then(&own))?;
            let b = fresh.open(r, n, j[0], &maps[1].then(&own))?;
            if a.bound.len() != b.bound.len()
                || !a.bound.iter().zip(&b.bound).all(|(x, y)| x.1 == y.1)
            {
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
            let both = r.add(a.term, b)?;
            r.sum(&a.bound, both)
        }
        (Rule::Repeat, Ra::Add(maps, ids)) => {
            let args = narrowed(r, maps, ids, &own, &found.inner[0])?;
            r.add(args[0], args[1])
        }
        (Rule::Repeat, Ra::Fun(op, maps, ids)) => {
            let args = narrowed(r, maps, ids, &own, &found.inner[0])?;
            r.fun(*op, &args)
        }
        (Rule::Reverse, Ra::Opaque(outer, _)) => reversed(outer, inner(0), &own),
        (rule, Ra::Fold(op, map, ids)) => {
            let outer = fresh.open(r, map, ids[0], &own)?;
            match (rule, inner(0)) {
                (Rule::MergeFolds, Ra::Fold(_, m, i)) => {
                    let nested = fresh.open(r, m, i[0], &outer.term.map)?;
                    let all: SmallVec<[(Label, DimId); 8]> =
                        outer.bound.iter().chain(&nested.bound).copied().collect();
                    r.fold(*op, &all, nested.term)
                }
                (Rule::Reorder, opaque) => {
                    let moved = reordered(r, &outer, &mut fresh, opaque)?;
                    r.fold(*op, &moved.bound, moved.term)
                }
                _ => None,
            }
        }
        (rule, Ra::Sum(map, ids)) => {
            let outer = fresh.open(r, map, ids[0], &own)?;
            match (rule, inner(0)) {
                (Rule::Reorder, opaque) => {
                    let moved = reordered(r, &outer, &mut fresh, opaque)?;
                    r.sum(&moved.bound, moved.term)
                }
                (Rule::Sift, Ra::Mul(m, i)) => {
                    let [x, y] = pair(m, i, &outer.term.map);
                    let (eye, x) = if r.data(x.id).is_eye { (x, y) } else { (y, x) };
                    sifted(r, &outer, eye, x, usize::from(found.pick))
                }
                (Rule::Sift, Ra::Eye(_)) => {
                    let one = r.number(1.0);
                    let pick = usize::from(outer.bound[0].0 != outer.term.map.labels()[0]);
                    sifted(r, &outer, outer.term, one, pick)
                }
                (Rule::MergeSums, Ra::Sum(m, i)) => {
                    let nested = fresh.open(r, m, i[0], &outer.term.map)?;
                    let all: SmallVec<[(Label, DimId); 8]> =
                        outer.bound.iter().chain(&nested.bound).copied().collect();
                    r.sum(&all, nested.term)
                }
                (Rule::SumOfUnion, Ra::Add(m, i)) => {
                    let [x, y] = pair(m, i, &outer.term.map);
                    let (x, y) = (r.sum(&outer.bound, x)?, r.sum(&outer.bound, y)?);
                    r.add(x, y)
                }
                (Rule::PushOut, Ra::Mul(m, i)) => {
                    let [x, y] = pair(m, i, &outer.term.map);
                    let only = |a: Term, b: Term| -> SmallVec<[(Label, DimId); 4]> {
                        outer
                            .bound
                            .iter()
                            .copied()
                            .filter(|(l, _)| a.map.has(*l) && !b.map.has(*l))
                            .collect()
                    };
                    let (in_x, in_y) = (only(x, y), only(y, x));
                    if in_x.is_empty() && in_y.is_empty() {
                        return None;
                    }
                    let shared: SmallVec<[(Label, DimId); 4]> = outer
                        .bound
                        .iter()
                        .copied()
                        .filter(|(l, _)| x.map.has(*l) && y.map.has(*l))
                        .collect();
                    let (x, y) = (r.sum(&in_x, x)?, r.sum(&in_y, y)?);
                    let product = r.mul(x, y)?;
                    r.sum(&shared, product)
                }
                _ => None,
            }
        }
        (Rule::Sigmoid, Ra::Fun(_, maps, ids)) => {
            let numerator = Term::inside(ids[0], &maps[0], &own);
            let Ra::Add(m, i) = inner(0) else { return None };
            let mut sides = pair(m, i, &maps[1].then(&own));
            if found.pick == 1 {
                sides.swap(0, 1);
            }
            let [one, exp] = sides;
            if r.constant_of(numerator) != Some(1.0) || r.constant_of(one) != Some(1.0) {
                return None;
            }
            let exp = r.resolve(exp);
            let argument = r.nodes(exp.id).find_map(|n| match n {
                Ra::Fun(Op::Exp, maps, ids) => Some(Term::inside(ids[0], &maps[0], &exp.map)),
                _ => None,
            })?;
            let minus = r.number(-1.0);
            let negated = r.mul(minus, argument)?;
            r.fun(Op::Sigmoid, &[negated])
        }
        _ => None,
    }
}

/// The arguments of a node where one of them is a join with a constant, and the constant's axes are the others' anyway:
/// that one without those axes.
fn narrowed(
    r: &mut Relations,
    maps: &[Map],
    ids: &[Id],
    own: &Map,
    (side, inner): &(u8, Ra),
) -> Option<SmallVec<[Term; 3]>> {
    let side = usize::from(*side);
    let mut args: SmallVec<[Term; 3]> = maps
        .iter()
        .zip(ids)
        .map(|(map, id)| Term::inside(*id, map, own))
        .collect();
    let Ra::Mul(m, i) = inner else { return None };
    let factors = pair(m, i, &args[side].map);
    let elsewhere = |label: Label, args: &[Term]| {
        let others = args.iter().enumerate().filter(|(k, _)| *k != side);
        others.into_iter().any(|(_, arg)| arg.map.has(label))
    };
    let (value, rest) = [(0, 1), (1, 0)].into_iter().find_map(|(c, x)| {
        let value = r.constant_of(factors[c])?;
        let only_here = |label: Label| !factors[x].map.has(label) && !elsewhere(label, &args);
        let is_repeated = factors[c].map.len() > 0 && !factors[c].map.iter().any(only_here);
        is_repeated.then_some((value, factors[x]))
    })?;
    let value = r.number(value);
    args[side] = r.mul(value, rest)?;
    Some(args)
}

/// Σ over the labels of `outer` of `eye * x`, where the label of `eye` in place `gone` is summed away: the other label
/// takes its place in `x`.
fn sifted(r: &mut Relations, outer: &Opened, eye: Term, x: Term, gone: usize) -> Option<Term> {
    let labels = eye.map.labels();
    let (from, to) = (*labels.get(gone)?, *labels.get(1 - gone)?);
    let dim = r.dim_of(eye, from)?;
    let rest: SmallVec<[(Label, DimId); 4]> = outer
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

/// What an aggregate over `outer`'s labels may aggregate instead of an opaque operator that only moves cells within them.
fn reordered(r: &Relations, outer: &Opened, fresh: &mut Fresh, opaque: &Ra) -> Option<Opened> {
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
            let mut bound = SmallVec::new();
            let mut labels = SmallVec::<[Label; 4]>::new();
            for dim in &r.data(child).schema {
                if fresh.0 >= BOUND {
                    return None;
                }
                bound.push((fresh.0, *dim));
                labels.push(fresh.0);
                fresh.0 += 1;
            }
            let map = Map::collect(labels)?;
            Some(Opened {
                term: Term { id: child, map },
                bound,
            })
        }
        _ => None,
    }
}

/// The matrix of which the inner of two `rev` is taken, with the axes of the outer one.
fn reversed(outer: &Opaque, inner: &Ra, own: &Map) -> Option<Term> {
    let Ra::Opaque(opaque, ids) = inner else {
        return None;
    };
    // Not where the one reverses the other's transpose.
    if outer.children[0].0.labels().is_sorted() && opaque.shape == outer.shape {
        // Rows are always an axis here: of a single row, `rev` is nothing.
        return Some(Term {
            id: ids[0],
            map: opaque.children[0].0.then(own),
        });
    }
    None
}
