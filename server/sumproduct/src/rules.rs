//! The equality rules over relations (SPORES Figure 3) as one table.
//!
//! A match is an e-node and, for most rules, an e-node of one of its children. [`search`] lists matches and never
//! changes the graph; [`apply`] builds the other side through [`Relations`] and states the equality.
//! Commutativity and renaming need no rule (see [`crate::ra`], [`crate::axes`]).

use egg::Id;
use smallvec::SmallVec;
use sumac_la::Op;

use crate::axes::{BOUND, Label, Map, Term};
use crate::build::Relations;
use crate::ra::{DimId, Ra};

/// The rules; each one direction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Rule {
    /// `(x * y) * z = x * (y * z)` (rule 7).
    AssocMul,
    /// `(x + y) + z = x + (y + z)` (rule 6).
    AssocAdd,
    /// `(x + y) * z = x * z + y * z` (rule 1).
    Distribute,
    /// `x * s + y * s = (x + y) * s` (rule 1, backwards).
    Factor,
    /// `x + x * y = x * (1 + y)`.
    FactorOne,
    /// `x + x = 2 * x`.
    Double,
    /// `(Σ x) * z = Σ (x * z)` (rule 3, renamed apart).
    PullIn,
    /// `Σ (x * z) = (Σ x) * z` (rule 3, backwards).
    PushOut,
    /// `Σ Σ x = Σ x` (rule 4).
    MergeSums,
    /// `Σ (x + y) = Σ x + Σ y` (rule 2; rule 5 where one side lacks the axis).
    SumOfUnion,
    /// `Σ x + Σ y = Σ (x + y)` (rule 2, backwards).
    UnionOfSums,
    /// `1 / (1 + exp(-x)) = sigmoid(x)`.
    Sigmoid,
}

impl Rule {
    /// All rules, in the order in which they are applied.
    pub const ALL: [Rule; 12] = [
        Rule::MergeSums,
        Rule::PushOut,
        Rule::SumOfUnion,
        Rule::Distribute,
        Rule::FactorOne,
        Rule::Double,
        Rule::Factor,
        Rule::PullIn,
        Rule::UnionOfSums,
        Rule::AssocMul,
        Rule::AssocAdd,
        Rule::Sigmoid,
    ];

    /// The name by which explanations call it.
    pub fn name(self) -> &'static str {
        match self {
            Rule::AssocMul => "associate-multiply",
            Rule::AssocAdd => "associate-plus",
            Rule::Distribute => "distribute",
            Rule::Factor => "factor",
            Rule::FactorOne => "factor-one",
            Rule::Double => "double",
            Rule::PullIn => "pull-into-sum",
            Rule::PushOut => "push-out-of-sum",
            Rule::MergeSums => "merge-sums",
            Rule::SumOfUnion => "sum-of-plus",
            Rule::UnionOfSums => "plus-of-sums",
            Rule::Sigmoid => "sigmoid",
        }
    }
}

/// Where a rule fits.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Match {
    /// Which rule.
    pub rule: Rule,
    /// The class whose e-node it is.
    pub class: Id,
    /// The e-node.
    pub node: Ra,
    /// E-nodes of its children that take part, each with the child's place.
    pub inner: SmallVec<[(u8, Ra); 2]>,
    /// Which of several ways.
    pub pick: u8,
}

/// Every match in the class, in a fixed order.
pub fn search(relations: &Relations, class: Id, found: &mut Vec<Match>) {
    for node in relations.nodes(class) {
        let mut push = |rule, inner: &[(u8, &Ra)], pick| {
            let inner = inner
                .iter()
                .map(|(side, n)| (*side, (*n).clone()))
                .collect();
            found.push(Match {
                rule,
                class,
                node: node.clone(),
                inner,
                pick,
            });
        };
        match node {
            Ra::Mul(_, ids) => {
                for side in 0..2_u8 {
                    for inner in relations.nodes(ids[usize::from(side)]) {
                        match inner {
                            Ra::Mul(..) => {
                                push(Rule::AssocMul, &[(side, inner)], 0);
                                push(Rule::AssocMul, &[(side, inner)], 1);
                            }
                            Ra::Add(..) => push(Rule::Distribute, &[(side, inner)], 0),
                            Ra::Sum(..) => push(Rule::PullIn, &[(side, inner)], 0),
                            _ => {}
                        }
                    }
                }
            }
            Ra::Add(maps, ids) => {
                if ids[0] == ids[1] && maps[0] == maps[1] {
                    push(Rule::Double, &[], 0);
                }
                for side in 0..2_u8 {
                    for inner in relations.nodes(ids[usize::from(side)]) {
                        match inner {
                            Ra::Add(..) => {
                                push(Rule::AssocAdd, &[(side, inner)], 0);
                                push(Rule::AssocAdd, &[(side, inner)], 1);
                            }
                            Ra::Mul(..) => push(Rule::FactorOne, &[(side, inner)], 0),
                            _ => {}
                        }
                    }
                }
                for a in relations.nodes(ids[0]) {
                    for b in relations.nodes(ids[1]) {
                        match (a, b) {
                            (Ra::Mul(..), Ra::Mul(..)) => push(Rule::Factor, &[(0, a), (1, b)], 0),
                            (Ra::Sum(..), Ra::Sum(..)) => {
                                push(Rule::UnionOfSums, &[(0, a), (1, b)], 0);
                            }
                            _ => {}
                        }
                    }
                }
            }
            Ra::Sum(_, ids) => {
                for inner in relations.nodes(ids[0]) {
                    match inner {
                        Ra::Sum(..) => push(Rule::MergeSums, &[(0, inner)], 0),
                        Ra::Add(..) => push(Rule::SumOfUnion, &[(0, inner)], 0),
                        Ra::Mul(..) => push(Rule::PushOut, &[(0, inner)], 0),
                        _ => {}
                    }
                }
            }
            Ra::Fun(Op::Div, _, ids) => {
                for inner in relations.nodes(ids[1]) {
                    if let Ra::Add(..) = inner {
                        push(Rule::Sigmoid, &[(1, inner)], 0);
                        push(Rule::Sigmoid, &[(1, inner)], 1);
                    }
                }
            }
            Ra::Const(..) | Ra::Leaf(_) | Ra::Fun(..) | Ra::Barrier(..) => {}
        }
    }
}

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
    match other_side(relations, found) {
        Some(term) => relations.equate(found.class, term, found.rule.name()),
        None => false,
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
        (rule, Ra::Sum(map, ids)) => {
            let outer = fresh.open(r, map, ids[0], &own)?;
            match (rule, inner(0)) {
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
