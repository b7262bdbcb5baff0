//! Whether two expressions are equal (SPORES, Theorem 2.3). "Equal" must always be right; "different" must be said only
//! where isomorphism is complete.

use std::collections::BTreeSet;

use sumac_la::{Dag, NodeId};

use super::atom::{AtomKind, Context, Function};
use super::poly::Polyterm;
use super::proof::{Proof, Side};
use super::sizes::{Size, SizeId};
use super::term::{Ix, Term};
use super::translate::canonicalize_all;
use super::{Limits, Refused, isomorphic};

/// What could be decided of two expressions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// They are equal for all inputs.
    Equal(Proof),
    /// They differ for some inputs of the stated sizes (of some sizes, where no numbers are stated).
    Different,
    /// Neither was shown; the text says why.
    Undecided(String),
}

/// Decides whether two expressions are equal for all inputs; inputs are matched by name.
#[must_use]
pub fn decide(left: (&Dag, NodeId), right: (&Dag, NodeId)) -> Verdict {
    decide_within(left, right, &Limits::default())
}

/// As [`decide`], within other limits.
#[must_use]
pub fn decide_within(left: (&Dag, NodeId), right: (&Dag, NodeId), limits: &Limits) -> Verdict {
    try_decide(left, right, limits)
        .unwrap_or_else(|refused| Verdict::Undecided(refused.to_string()))
}

fn try_decide(
    left: (&Dag, NodeId),
    right: (&Dag, NodeId),
    limits: &Limits,
) -> Result<Verdict, Refused> {
    let mut ctx = Context::default();
    let a = super::shapes::infer(&mut ctx, left.0, left.1)[&left.1];
    let b = super::shapes::infer(&mut ctx, right.0, right.1)[&right.1];
    if let Some(text) = ctx.sizes.contradiction() {
        return Err(Refused::Sizes(text.to_owned()));
    }
    for (a, b) in [(a.0, b.0), (a.1, b.1)] {
        let differ = match (ctx.sizes.number(a), ctx.sizes.number(b)) {
            (Some(a), Some(b)) => a != b,
            _ => ctx.sizes.is_one(a) != ctx.sizes.is_one(b),
        };
        if differ {
            return Ok(Verdict::Different);
        }
        ctx.sizes.meet(a, b);
    }
    let (left_polys, left_shapes) = canonicalize_all(left.0, left.1, &mut ctx, limits)?;
    let (right_polys, right_shapes) = canonicalize_all(right.0, right.1, &mut ctx, limits)?;
    let (p, q) = (&left_polys[&left.1], &right_polys[&right.1]);
    let sides = (
        Polyterm::new(&ctx, left_shapes[&left.1], p.clone()),
        Polyterm::new(&ctx, right_shapes[&right.1], q.clone()),
    );
    if isomorphic(&sides.0, &sides.1) {
        let left = Side {
            dag: left.0,
            root: left.1,
            polys: &left_polys,
            shapes: &left_shapes,
        };
        let right = Side {
            dag: right.0,
            root: right.1,
            polys: &right_polys,
            shapes: &right_shapes,
        };
        return Ok(Verdict::Equal(Proof {
            polyterm: super::print::poly_text(p, left.shapes[&left.root], &ctx),
            left_steps: left.steps(&mut ctx, limits, p)?,
            right_steps: right.steps(&mut ctx, limits, p)?,
            assumes: ctx.assumptions(),
        }));
    }
    let difference = p.difference(q);
    let shape = left_shapes[&left.1];
    Ok(match doubt(&ctx, &difference, shape) {
        Some(reason) => Verdict::Undecided(reason),
        None => Verdict::Different,
    })
}

/// Why a difference of polyterms may still be zero for all inputs.
fn doubt(ctx: &Context, difference: &[&Term], shape: (SizeId, SizeId)) -> Option<String> {
    if let Some(name) = ctx.sizes.fixed_value() {
        return Some(format!(
            "the canonical forms differ, but the value of {name} is tied to a size; state it as a number"
        ));
    }
    let atoms: BTreeSet<_> = difference
        .iter()
        .flat_map(|t| &t.0)
        .map(|f| f.atom)
        .collect();
    let mut names = BTreeSet::new();
    for id in &atoms {
        match &ctx.atom(*id).kind {
            AtomKind::Cell(Function::Recip, _) => {
                names.insert("`/`".to_owned());
            }
            AtomKind::Cell(Function::Cellwise(op), _) | AtomKind::Whole { op, .. } => {
                names.insert(format!("`{}`", op_name(*op)));
            }
            AtomKind::NonFinite(_) => {
                names.insert("a constant that is no finite number".to_owned());
            }
            AtomKind::Size(size) => match ctx.sizes.key(*size) {
                Size::Opaque(text) => {
                    names.insert(format!("the size {text}"));
                }
                Size::Named(name) if ctx.inputs.contains_key(name) => {
                    return Some(format!(
                        "{name} is both an input and the name of a size, and it is not known whether they are the same"
                    ));
                }
                _ => {}
            },
            AtomKind::Delta | AtomKind::Input(_) => {}
        }
    }
    if !names.is_empty() {
        let names: Vec<String> = names.into_iter().collect();
        return Some(format!(
            "the canonical forms differ, but {} lies outside sum-product algebra, where this proves nothing",
            names.join(", ")
        ));
    }
    let (size, needed) = difference.iter().find_map(|t| crowded(ctx, t, shape))?;
    Some(format!(
        "the canonical forms differ, but they may be equal for axes as short as {size}; {needed} or more would decide it"
    ))
}

/// An axis that is too short to give each index of the term a place of its own, and the length that would do.
fn crowded(ctx: &Context, term: &Term, shape: (SizeId, SizeId)) -> Option<(u64, usize)> {
    let size_of = |ix: Ix| {
        let stated = match ix {
            Ix::ROW => Some(shape.0),
            Ix::COL => Some(shape.1),
            _ => None,
        };
        stated.or_else(|| {
            term.0.iter().find_map(|f| {
                let axes = &ctx.atom(f.atom).axes;
                let place = f.at.iter().position(|i| *i == ix)?;
                axes.get(place).copied()
            })
        })
    };
    let sizes: Vec<u64> = term
        .indices()
        .into_iter()
        .filter_map(size_of)
        .filter_map(|size| ctx.sizes.number(size))
        .collect();
    sizes.iter().find_map(|size| {
        let uses = sizes.iter().filter(|s| *s == size).count();
        (uses as u64 > *size).then_some((*size, uses))
    })
}

/// How DML writes an operator.
fn op_name(op: sumac_la::Op) -> &'static str {
    match op.info().print {
        sumac_la::Print::Infix(sign, _) | sumac_la::Print::Prefix(sign, _) => sign,
        sumac_la::Print::Call(name) => name,
        sumac_la::Print::RightIndex | sumac_la::Print::LeftIndex => "[,]",
        sumac_la::Print::Fill => "matrix",
    }
}
