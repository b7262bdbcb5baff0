//! Whether two expressions are equal (SPORES, Theorem 2.3). "Equal" must always be right; "different" must be said only
//! where isomorphism is complete.

use std::collections::BTreeSet;

use sumac_la::{Dag, Node, NodeId, Op, ShapeRule};

use super::atom::{AtomKind, Calls, Context, Function};
use super::coefficient::Coefficient;
use super::domain::{self, Condition};
use super::finite::{is_same_expression, not_finite};
use super::poly::{Algebra, Poly, Polyterm};
use super::proof::{Proof, Side, Step};
use super::shapes::Shape;
use super::sizes::{Size, SizeId};
use super::term::Term;
use super::translate::{Polys, canonicalize_all, writable};
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
    try_decide(left, right, &Calls::new(), limits)
        .unwrap_or_else(|refused| Verdict::Undecided(refused.to_string()))
}

/// Decides whether two nodes of a DAG are equal, where some of its inputs are values of functions.
#[must_use]
pub fn decide_calls(dag: &Dag, sides: [NodeId; 2], calls: &Calls) -> Verdict {
    let one_way = |left, right| {
        try_decide((dag, left), (dag, right), calls, &Limits::default())
            .unwrap_or_else(|refused| Verdict::Undecided(refused.to_string()))
    };
    let [left, right] = sides;
    match one_way(left, right) {
        // What a condition lets the search for a common form do depends on which side it comes to first.
        Verdict::Undecided(why) => match one_way(right, left) {
            Verdict::Equal(proof) => Verdict::Equal(proof.reversed()),
            Verdict::Different | Verdict::Undecided(_) => Verdict::Undecided(why),
        },
        verdict => verdict,
    }
}

/// What has a value only for some arguments: the operators of an expression that divide, and their like, with those.
fn partial(dag: &Dag, root: NodeId, ctx: &Context, polys: &Polys) -> Vec<(Op, Poly)> {
    let mut found: Vec<(Op, Poly)> = Vec::new();
    for id in ctx.order(dag, root) {
        let Node::Op(op, args) = dag.node(id) else {
            continue;
        };
        let (op, place) = match op {
            Op::Div | Op::Mod | Op::IntDiv => (Op::Div, 1),
            Op::Log | Op::Sqrt | Op::Asin | Op::Acos => (*op, 0),
            Op::Pow => match polys[&args[1]].as_constant().and_then(Coefficient::whole) {
                Some(k) if k >= 0 => continue,
                Some(_) => (Op::Div, 0),
                None => (*op, 0),
            },
            Op::LogBase => (*op, 0),
            _ => continue,
        };
        let own = (op, polys[&args[place]].clone());
        if own.1.as_constant().is_none_or(|c| c.sign() <= 0) && !found.contains(&own) {
            found.push(own);
        }
    }
    found
}

/// Whether there are functions in an expression, of which more may be known than the form tells, or which have no value
/// everywhere.
fn has_functions(dag: &Dag, root: NodeId, calls: &Calls) -> bool {
    !calls.is_empty()
        || dag
            .reachable(&[root])
            .into_iter()
            .any(|id| match dag.node(id) {
                Node::Op(op, _) => {
                    let is_plain = matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Neg);
                    let is_extreme = matches!(
                        op,
                        Op::Max | Op::Min | Op::RowMaxs | Op::RowMins | Op::ColMaxs | Op::ColMins
                    );
                    is_extreme || (op.info().shape == ShapeRule::Cellwise && !is_plain)
                }
                Node::Input(_) | Node::Num(_) => false,
            })
}

/// The forms of both sides in which functions are written by their definitions, and where each side has a value.
struct Deep {
    ctx: Context,
    sides: [Poly; 2],
    conditions: [Vec<Condition>; 2],
}

impl Deep {
    fn new(
        left: (&Dag, NodeId),
        right: (&Dag, NodeId),
        (calls, limits): (&Calls, &Limits),
    ) -> Result<Deep, Refused> {
        let (mut ctx, a, b) = sizes(left, right, calls);
        for (a, b) in [(a.0, b.0), (a.1, b.1)] {
            ctx.sizes.meet(a, b);
        }
        ctx.is_deep = true;
        let (left_polys, _) = canonicalize_all(left.0, left.1, &mut ctx, limits)?;
        let (right_polys, _) = canonicalize_all(right.0, right.1, &mut ctx, limits)?;
        let mut algebra = Algebra {
            ctx: &mut ctx,
            limits,
        };
        let mut writing = domain::Writing::default();
        let conditions = [
            domain::conditions(&mut algebra, left, &left_polys, &mut writing)?,
            domain::conditions(&mut algebra, right, &right_polys, &mut writing)?,
        ];
        Ok(Deep {
            sides: [left_polys[&left.1].clone(), right_polys[&right.1].clone()],
            ctx,
            conditions,
        })
    }

    /// The conditions under which the sides are equal; `None`: they are not known to be. `is_equal`: their forms are.
    fn equal(&mut self, is_equal: bool, limits: &Limits) -> Result<Option<Vec<String>>, Refused> {
        let mut algebra = Algebra {
            ctx: &mut self.ctx,
            limits,
        };
        let [p, q] = &self.sides;
        let [left, right] = &self.conditions;
        let all: Vec<Condition> = left.iter().chain(right).cloned().collect();
        let named = algebra.unshared(left, right)?;
        let is_one_form = is_equal || p.equals(q);
        // What holds nowhere proves nothing but that equal forms have no value together.
        if !(is_one_form && named.is_empty()) && algebra.all_of(&all)?.is_number(0) {
            return Err(Refused::Nowhere);
        }
        if !is_one_form {
            let difference = algebra.add(p.clone(), &q.clone().negated())?;
            if !algebra.is_zero_where(&difference, &all)? {
                return Ok(None);
            }
        }
        Ok(Some(named))
    }
}

fn try_decide(
    left: (&Dag, NodeId),
    right: (&Dag, NodeId),
    calls: &Calls,
    limits: &Limits,
) -> Result<Verdict, Refused> {
    for (dag, root) in [left, right] {
        writable(dag, root)?;
        if let Some(id) = not_finite(dag, root)
            && !is_same_expression(left, right)
        {
            return Err(Refused::NotFinite(dag.print(id)));
        }
    }
    let (mut ctx, a, b) = sizes(left, right, calls);
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
    let is_isomorphic = isomorphic(&sides.0, &sides.1);
    let mut conditions = Vec::new();
    let is_same = std::ptr::eq(left.0, right.0) && left.1 == right.1;
    let partial_sides = [
        partial(left.0, left.1, &ctx, &left_polys),
        partial(right.0, right.1, &ctx, &right_polys),
    ];
    let is_total = calls.is_empty() && partial_sides.iter().all(Vec::is_empty);
    let has_functions =
        has_functions(left.0, left.1, calls) || has_functions(right.0, right.1, calls);
    if !is_same && has_functions && !(is_isomorphic && is_total) {
        let found = Deep::new(left, right, (calls, limits))
            .and_then(|mut deep| Ok((deep.equal(is_isomorphic, limits)?, deep)));
        match found {
            Ok((Some(found), deep)) => {
                if !is_isomorphic {
                    return Ok(Verdict::Equal(by_definition(&deep, shape, found)));
                }
                conditions = found;
            }
            Ok((None, _)) => {}
            Err(Refused::Nowhere) => return Err(Refused::Nowhere),
            // Where the sides have values is not known, so nothing is claimed but of equal divisors.
            Err(refused) if is_isomorphic => {
                let [a, b] = &partial_sides;
                let is_same = a.iter().all(|x| b.contains(x)) && b.iter().all(|x| a.contains(x));
                if !is_same || !calls.is_empty() {
                    return Err(refused);
                }
            }
            Err(_) => {}
        }
    }
    if !is_isomorphic {
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
        conditions,
    }))
}

/// The proof that both sides have one form by the definitions of functions.
fn by_definition(deep: &Deep, shape: Shape, conditions: Vec<String>) -> Proof {
    let text = |poly: &Poly| super::print::poly_text(poly, shape, &deep.ctx);
    let polyterm = text(&deep.sides[0]);
    let steps = |poly: &Poly| {
        let mut steps = vec![Step {
            rule: "write functions by their definitions".into(),
            text: text(poly),
        }];
        if steps[0].text != polyterm {
            steps.push(Step {
                rule: "simplify where both sides have a value".into(),
                text: polyterm.clone(),
            });
        }
        steps
    };
    Proof {
        left_steps: steps(&deep.sides[0]),
        right_steps: steps(&deep.sides[1]),
        polyterm: polyterm.clone(),
        assumes: deep.ctx.assumptions(),
        conditions,
    }
}

/// The shapes of both sides. What one of them needs to be one, such as the `n` of `as.scalar(colSums(X))` for an n x n
/// matrix, is one for both: sizes that meet in an operator are equal.
fn sizes(left: (&Dag, NodeId), right: (&Dag, NodeId), calls: &Calls) -> (Context, Shape, Shape) {
    let mut singles: Vec<Size> = Vec::new();
    loop {
        let mut ctx = Context::default();
        ctx.calls.clone_from(calls);
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
            AtomKind::Call { text, .. } => {
                names.insert(format!("`{text}`"));
            }
            AtomKind::NonFinite(_) => {
                names.insert("a constant that is no finite number".to_owned());
            }
            AtomKind::Size(size) => match ctx.sizes.key(*size) {
                Size::Opaque(text) => {
                    names.insert(format!("the size {text}"));
                }
                Size::Value(name) => {
                    return Some(format!(
                        "{name} need not be a whole number, and the size that it gives is one"
                    ));
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
            "the canonical forms differ, but {} {} outside sum-product algebra, where this proves nothing",
            names.join(", "),
            if names.len() > 1 { "lie" } else { "lies" },
        ));
    }
    None
}

fn is_whole(exponent: &Poly) -> bool {
    exponent
        .as_constant()
        .is_some_and(|k| k.whole().is_some_and(|k| k > 0))
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
