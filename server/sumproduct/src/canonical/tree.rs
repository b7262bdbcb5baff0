//! Expressions in index notation. They only explain: must never decide anything.

use super::atom::{AtomId, Context};
use super::poly::Poly;
use super::sizes::SizeId;
use super::term::{At, Ix};

/// An expression for one cell of the result. Bound indices of factors of one product are distinct.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Tree {
    Num(f64),
    Atom(AtomId, At),
    Add(Vec<Tree>),
    Sub(Box<Tree>, Box<Tree>),
    Neg(Box<Tree>),
    Mul(Vec<Tree>),
    Pow(Box<Tree>, i32),
    Sum(Vec<Ix>, Box<Tree>),
}

/// What is known of the bound indices of trees: the name each would like to have, and its size.
#[derive(Clone, Debug, Default)]
pub(super) struct Indices(Vec<(char, SizeId)>);

impl Indices {
    pub(super) fn fresh(&mut self, hint: char, size: SizeId) -> Ix {
        self.0.push((hint, size));
        Ix::other(self.0.len() - 1)
    }

    pub(super) fn get(&self, ix: Ix) -> Option<(char, SizeId)> {
        self.0.get(ix.other_number()?).copied()
    }
}

impl Tree {
    /// Number of nodes.
    pub(super) fn size(&self) -> usize {
        1 + match self {
            Tree::Num(_) | Tree::Atom(..) => 0,
            Tree::Add(ts) | Tree::Mul(ts) => ts.iter().map(Tree::size).sum(),
            Tree::Sub(a, b) => a.size() + b.size(),
            Tree::Neg(t) | Tree::Pow(t, _) | Tree::Sum(_, t) => t.size(),
        }
    }

    /// Whether it is a number or an atom without indices: the same in all cells.
    pub(super) fn is_constant(&self) -> bool {
        match self {
            Tree::Num(_) => true,
            Tree::Atom(_, at) => at.is_empty(),
            Tree::Pow(base, _) => base.is_constant(),
            _ => false,
        }
    }

    pub(super) fn mentions(&self, ix: Ix) -> bool {
        match self {
            Tree::Num(_) => false,
            Tree::Atom(_, at) => at.contains(&ix),
            Tree::Add(ts) | Tree::Mul(ts) => ts.iter().any(|t| t.mentions(ix)),
            Tree::Sub(a, b) => a.mentions(ix) || b.mentions(ix),
            Tree::Neg(t) | Tree::Pow(t, _) | Tree::Sum(_, t) => t.mentions(ix),
        }
    }

    /// Applies `f` to each node, children first.
    pub(super) fn map(self, f: &mut dyn FnMut(Tree) -> Tree) -> Tree {
        let mapped = match self {
            Tree::Num(_) | Tree::Atom(..) => self,
            Tree::Add(ts) => Tree::Add(ts.into_iter().map(|t| t.map(f)).collect()),
            Tree::Mul(ts) => Tree::Mul(ts.into_iter().map(|t| t.map(f)).collect()),
            Tree::Sub(a, b) => Tree::Sub(Box::new(a.map(f)), Box::new(b.map(f))),
            Tree::Neg(t) => Tree::Neg(Box::new(t.map(f))),
            Tree::Pow(t, k) => Tree::Pow(Box::new(t.map(f)), k),
            Tree::Sum(ids, t) => Tree::Sum(ids, Box::new(t.map(f))),
        };
        f(mapped)
    }

    pub(super) fn rename(self, ix: &dyn Fn(Ix) -> Ix) -> Tree {
        self.map(&mut |t| match t {
            Tree::Atom(id, at) => Tree::Atom(id, at.iter().map(|i| ix(*i)).collect()),
            Tree::Sum(ids, t) => Tree::Sum(ids.into_iter().map(ix).collect(), t),
            other => other,
        })
    }
}

/// A polyterm for the cell at `row` and `col`.
pub(super) fn from_poly(
    poly: &Poly,
    (row, col): (Ix, Ix),
    ctx: &Context,
    indices: &mut Indices,
) -> Tree {
    let mut terms: Vec<_> = poly.terms.iter().collect();
    // Few indices come first and the constant last, as people write it.
    terms.sort_by_key(|(term, _)| (term.0.is_empty(), term.indices().len()));
    let terms = terms.into_iter().map(|(term, c)| {
        let mut bound: Vec<(Ix, Ix)> = Vec::new();
        for factor in &term.0 {
            let axes = &ctx.atom(factor.atom).axes;
            for (ix, size) in factor.at.iter().zip(axes) {
                if ix.bound_number().is_some() && bound.iter().all(|(known, _)| known != ix) {
                    bound.push((*ix, indices.fresh('i', *size)));
                }
            }
        }
        let place = |ix: Ix| match ix {
            Ix::ROW => row,
            Ix::COL => col,
            _ => bound
                .iter()
                .find(|(b, _)| *b == ix)
                .map_or(ix, |(_, fresh)| *fresh),
        };
        let factors = term.0.iter().map(|f| {
            let atom = Tree::Atom(f.atom, f.at.iter().map(|ix| place(*ix)).collect());
            power(atom, f.power)
        });
        let product = Tree::Mul(factors.collect());
        let ids = bound.iter().map(|(_, fresh)| *fresh).collect();
        Tree::Mul(vec![
            Tree::Num(c.value()),
            Tree::Sum(ids, Box::new(product)),
        ])
    });
    tidy(Tree::Add(terms.collect()))
}

pub(super) fn power(base: Tree, exponent: i32) -> Tree {
    if exponent == 1 {
        base
    } else {
        Tree::Pow(Box::new(base), exponent)
    }
}

/// The bookkeeping that no step mentions: nested sums and products made flat, numbers multiplied and put in front, what has no
/// index put before its Σ, equal factors written as powers, empty Σ left out.
pub(super) fn tidy(tree: Tree) -> Tree {
    tree.map(&mut |t| match t {
        Tree::Add(ts) => tidy_add(ts),
        Tree::Mul(ts) => tidy_mul(ts),
        Tree::Pow(base, k) => match *base {
            Tree::Num(x) => Tree::Num(x.powi(k)),
            _ if k == 1 => *base,
            Tree::Pow(base, inner) => Tree::Pow(base, inner * k),
            base => Tree::Pow(Box::new(base), k),
        },
        Tree::Atom(AtomId::DELTA, at) if at[0] == at[1] => Tree::Num(1.0),
        Tree::Sum(ids, body) if ids.is_empty() => *body,
        Tree::Sum(ids, body) => match *body {
            Tree::Num(0.0) => Tree::Num(0.0),
            Tree::Mul(factors) if !factors.iter().all(Tree::is_constant) => {
                let (mut outside, inside): (Vec<Tree>, Vec<Tree>) =
                    factors.into_iter().partition(Tree::is_constant);
                outside.push(Tree::Sum(ids, Box::new(tidy_mul(inside))));
                tidy_mul(outside)
            }
            body => Tree::Sum(ids, Box::new(body)),
        },
        other => other,
    })
}

fn tidy_add(ts: Vec<Tree>) -> Tree {
    let mut flat = Vec::with_capacity(ts.len());
    for t in ts {
        match t {
            Tree::Add(inner) => flat.extend(inner),
            Tree::Num(0.0) => {}
            other => flat.push(other),
        }
    }
    match flat.len() {
        0 => Tree::Num(0.0),
        1 => flat.remove(0),
        _ => Tree::Add(flat),
    }
}

fn tidy_mul(ts: Vec<Tree>) -> Tree {
    let mut number = 1.0;
    let mut flat: Vec<(Tree, i32)> = Vec::with_capacity(ts.len());
    let mut queue: std::collections::VecDeque<Tree> = ts.into();
    while let Some(t) = queue.pop_front() {
        let (base, k) = match t {
            Tree::Num(x) => {
                number *= x;
                continue;
            }
            Tree::Mul(inner) => {
                for t in inner.into_iter().rev() {
                    queue.push_front(t);
                }
                continue;
            }
            Tree::Pow(base, k) if matches!(*base, Tree::Atom(..)) => (*base, k),
            other => (other, 1),
        };
        let equal =
            |(known, _): &&mut (Tree, i32)| matches!(known, Tree::Atom(..)) && *known == base;
        if let Some((_, power)) = flat.iter_mut().find(equal) {
            *power += k;
        } else {
            flat.push((base, k));
        }
    }
    if number == 0.0 {
        return Tree::Num(0.0);
    }
    let mut factors: Vec<Tree> = Vec::with_capacity(flat.len() + 1);
    #[expect(clippy::float_cmp, reason = "a factor of exactly one is not written")]
    if number != 1.0 {
        factors.push(Tree::Num(number));
    }
    flat.retain(|(_, k)| *k != 0);
    flat.sort_by_key(|(t, _)| !t.is_constant());
    factors.extend(flat.into_iter().map(|(t, k)| power(t, k)));
    match factors.len() {
        0 => Tree::Num(1.0),
        1 => factors.remove(0),
        _ => Tree::Mul(factors),
    }
}
