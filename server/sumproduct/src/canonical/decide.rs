//! Whether two expressions are equal (SPORES, Theorem 2.3). "Equal" must always be right; "different" must be said only
//! where isomorphism is complete.

use std::collections::BTreeSet;

use sumac_la::{Dag, NodeId};

use super::atom::{AtomKind, Context, Function};
use super::poly::{Algebra, Poly, Polyterm};
use super::proof::{Proof, Side, Step};
use super::shapes::Shape;
use super::sizes::{Size, SizeId};
use super::term::Term;
use super::translate::canonicalize_all;
use super::{Limits, Refused, ground, isomorphic};

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
    let (mut ctx, a, b) = sizes(left, right);
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
    let left_used = std::mem::take(&mut ctx.used);
    let (right_polys, right_shapes) = canonicalize_all(right.0, right.1, &mut ctx, limits)?;
    let right_used = std::mem::take(&mut ctx.used);
    let (p, q) = (&left_polys[&left.1], &right_polys[&right.1]);
    let sides = (
        Polyterm::new(&ctx, left_shapes[&left.1], p.clone()),
        Polyterm::new(&ctx, right_shapes[&right.1], q.clone()),
    );
    let shape = left_shapes[&left.1];
    let mut last = None;
    if !isomorphic(&sides.0, &sides.1) {
        let difference = p.difference(q);
        if let Some(reason) = doubt(&ctx, &difference) {
            return Ok(Verdict::Undecided(reason));
        }
        let short = short_axes(&ctx, &difference, shape);
        if short.is_empty() {
            return Ok(Verdict::Different);
        }
        let algebra = Algebra {
            ctx: &mut ctx,
            limits,
        };
        let rest = algebra.add(p.clone(), &q.clone().negated())?;
        match ground::is_zero(&ctx, &rest, shape, &short, limits)? {
            Some(true) => last = Some("write out short axes cell by cell"),
            Some(false) => return Ok(Verdict::Different),
            None => return Ok(Verdict::Undecided(too_short(&short))),
        }
    }
    let left = Side {
        dag: left.0,
        root: left.1,
        polys: &left_polys,
        shapes: &left_shapes,
        used: &left_used,
    };
    let right = Side {
        dag: right.0,
        root: right.1,
        polys: &right_polys,
        shapes: &right_shapes,
        used: &right_used,
    };
    let left_steps = left.steps(&mut ctx, limits, p)?;
    // Where short axes make the sides equal, each has a form of its own.
    let mut right_steps = right.steps(&mut ctx, limits, if last.is_some() { q } else { p })?;
    let polyterm = super::print::poly_text(p, shape, &ctx);
    right_steps.extend(last.map(|rule| Step {
        rule: rule.into(),
        text: polyterm.clone(),
    }));
    Ok(Verdict::Equal(Proof {
        polyterm,
        left_steps,
        right_steps,
        assumes: ctx.assumptions(),
    }))
}

/// The shapes of both sides. What one of them needs to be one, such as the `n` of `as.scalar(colSums(X))` for an n x n
/// matrix, is one for both: sizes that meet in an operator are equal.
fn sizes(left: (&Dag, NodeId), right: (&Dag, NodeId)) -> (Context, Shape, Shape) {
    let mut singles: Vec<Size> = Vec::new();
    loop {
        let mut ctx = Context::default();
        for size in &singles {
            ctx.sizes.assume_one(size.clone());
        }
        let a = super::shapes::infer(&mut ctx, left.0, left.1)[&left.1];
        let b = super::shapes::infer(&mut ctx, right.0, right.1)[&right.1];
        match ctx.sizes.single() {
            // What is met next depends on what repeats, so everything is inferred anew.
            Some(size) if !singles.contains(size) => singles.push(size.clone()),
            _ => return (ctx, a, b),
        }
    }
}

/// Why a difference of polyterms may still be zero for all inputs.
fn doubt(ctx: &Context, difference: &[&Term]) -> Option<String> {
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
            AtomKind::Cell(Function::Cellwise(sumac_la::Op::Pow), args) if is_whole(&args[1]) => {
                return Some("the canonical forms differ, but one of them has a power that is too long to multiply out; prove its parts one by one".to_owned());
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
    None
}

fn is_whole(exponent: &Poly) -> bool {
    exponent
        .as_constant()
        .is_some_and(|k| k.fract() == 0.0 && k > 0.0)
}

/// The lengths of axes that are too short to give each index of a term a place of its own.
fn short_axes(ctx: &Context, difference: &[&Term], shape: (SizeId, SizeId)) -> BTreeSet<u64> {
    let mut short = BTreeSet::new();
    for term in difference {
        let lengths: Vec<u64> = ground::lengths(ctx, term, shape).map(|(_, n)| n).collect();
        let is_short = |n: &&u64| lengths.iter().filter(|m| m == n).count() as u64 > **n;
        short.extend(lengths.iter().filter(is_short));
    }
    short
}

fn too_short(short: &BTreeSet<u64>) -> String {
    let sizes: Vec<String> = short.iter().map(u64::to_string).collect();
    format!(
        "the canonical forms differ, but they may be equal for axes as short as {}, and written out cell by cell they are too long; larger sizes would decide it",
        sizes.join(", ")
    )
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
