//! The other sides of rules over products, unions and functions, cell by cell (SPORES Figure 3).

use smallvec::SmallVec;
use sumac_la::Op;

use super::row::Nested;
use super::site::{Site, pair};
use crate::axes::{Label, Term};
use crate::build::Relations;
use crate::ra::Ra;

/// `(x ∘ y) • z`: x and y in the order that was picked, and z.
fn nested_pair(site: &Site<'_>) -> Option<([Term; 2], Term)> {
    let (Ra::Mul(maps, ids) | Ra::Add(maps, ids)) = &site.found.node else {
        return None;
    };
    let place = site.place();
    let z = Term::inside(ids[1 - place], &maps[1 - place], &site.own);
    let (Ra::Mul(m, i) | Ra::Add(m, i)) = site.inner(0) else {
        return None;
    };
    let mut xy = pair(m, i, &maps[place].then(&site.own));
    if site.found.pick == 1 {
        xy.swap(0, 1);
    }
    Some((xy, z))
}

pub fn associate_multiply(site: &mut Site<'_>) -> Option<Term> {
    let ([x, y], z) = nested_pair(site)?;
    let yz = site.r.mul(y, z)?;
    site.r.mul(x, yz)
}

pub fn associate_plus(site: &mut Site<'_>) -> Option<Term> {
    let ([x, y], z) = nested_pair(site)?;
    let yz = site.r.add(y, z)?;
    site.r.add(x, yz)
}

pub fn distribute(site: &mut Site<'_>) -> Option<Term> {
    let ([x, y], z) = nested_pair(site)?;
    let (xz, yz) = (site.r.mul(x, z)?, site.r.mul(y, z)?);
    site.r.add(xz, yz)
}

/// Whether both sides of a union are one term.
pub fn is_twice_the_same(node: &Ra) -> bool {
    matches!(node, Ra::Add(maps, ids) if ids[0] == ids[1] && maps[0] == maps[1])
}

pub fn double(site: &mut Site<'_>) -> Option<Term> {
    let Ra::Add(maps, ids) = &site.found.node else {
        return None;
    };
    let two = site.r.number(2.0);
    site.r.mul(two, Term::inside(ids[0], &maps[0], &site.own))
}

pub fn factor_one(site: &mut Site<'_>) -> Option<Term> {
    let (Ra::Add(maps, ids), Ra::Mul(m, i)) = (&site.found.node, site.inner(0)) else {
        return None;
    };
    let (place, own, r) = (site.place(), site.own, &mut *site.r);
    let x = r.resolve(Term::inside(ids[1 - place], &maps[1 - place], &own));
    let factors = pair(m, i, &maps[place].then(&own)).map(|t| r.resolve(t));
    let at = factors.iter().position(|t| *t == x)?;
    let one = r.number(1.0);
    let rest = r.add(one, factors[1 - at])?;
    r.mul(x, rest)
}

pub fn factor(site: &mut Site<'_>) -> Option<Term> {
    let Ra::Add(maps, _) = &site.found.node else {
        return None;
    };
    let (Ra::Mul(m, i), Ra::Mul(n, j)) = (site.inner(0), site.inner(1)) else {
        return None;
    };
    let (own, r) = (site.own, &mut *site.r);
    let left = pair(m, i, &maps[0].then(&own)).map(|t| r.resolve(t));
    let right = pair(n, j, &maps[1].then(&own)).map(|t| r.resolve(t));
    let (p, q) = [(0, 0), (0, 1), (1, 0), (1, 1)]
        .into_iter()
        .find(|(p, q)| left[*p] == right[*q])?;
    let rest = r.add(left[1 - p], right[1 - q])?;
    r.mul(left[p], rest)
}

/// Whether a product has a constant factor that has axes, which the other sides may have anyway.
pub fn has_repeating_factor(relations: &Relations, nested: &Nested<'_>) -> bool {
    let Ra::Mul(_, ids) = nested.inner else {
        return false;
    };
    ids.iter().any(|id| {
        let data = relations.data(*id);
        data.constant.is_some() && !data.schema.is_empty()
    })
}

pub fn repeat(site: &mut Site<'_>) -> Option<Term> {
    match &site.found.node {
        Ra::Add(maps, ids) => {
            let args = narrowed(site, maps, ids)?;
            site.r.add(args[0], args[1])
        }
        Ra::Fun(op, maps, ids) => {
            let args = narrowed(site, maps, ids)?;
            site.r.fun(*op, &args)
        }
        _ => None,
    }
}

/// The arguments of a node where one of them is a join with a constant, and the constant's axes are the others' anyway:
/// that one without those axes.
fn narrowed(
    site: &mut Site<'_>,
    maps: &[crate::axes::Map],
    ids: &[egg::Id],
) -> Option<SmallVec<[Term; 3]>> {
    let (place, own) = (site.place(), site.own);
    let mut args: SmallVec<[Term; 3]> = maps
        .iter()
        .zip(ids)
        .map(|(map, id)| Term::inside(*id, map, &own))
        .collect();
    let Ra::Mul(m, i) = site.inner(0) else {
        return None;
    };
    let factors = pair(m, i, &args[place].map);
    let elsewhere = |label: Label, args: &[Term]| {
        let others = args.iter().enumerate().filter(|(k, _)| *k != place);
        others.into_iter().any(|(_, arg)| arg.map.has(label))
    };
    let (value, rest) = [(0, 1), (1, 0)].into_iter().find_map(|(c, x)| {
        let value = site.r.constant_of(factors[c])?;
        let only_here = |label: Label| !factors[x].map.has(label) && !elsewhere(label, &args);
        let is_repeated = factors[c].map.len() > 0 && !factors[c].map.iter().any(only_here);
        is_repeated.then_some((value, factors[x]))
    })?;
    let value = site.r.number(value);
    args[place] = site.r.mul(value, rest)?;
    Some(args)
}

/// In how many ways `1 + exp(x)` may be read where a quotient has a union as its divisor.
pub fn divides_by_sum(_: &Relations, nested: &Nested<'_>) -> u8 {
    let is_divisor = matches!(nested.outer, Ra::Fun(Op::Div, ..)) && nested.place == 1;
    2 * u8::from(is_divisor)
}

pub fn sigmoid(site: &mut Site<'_>) -> Option<Term> {
    let (Ra::Fun(_, maps, ids), Ra::Add(m, i)) = (&site.found.node, site.inner(0)) else {
        return None;
    };
    let (own, r) = (site.own, &mut *site.r);
    let numerator = Term::inside(ids[0], &maps[0], &own);
    let mut sides = pair(m, i, &maps[1].then(&own));
    if site.found.pick == 1 {
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
