//! The equality rules over relations (SPORES Figure 3) as one table.
//!
//! A match is an e-node and, for most rules, an e-node of one of its children. [`search`] lists matches and never
//! changes the graph; [`crate::apply`] builds the other side through [`Relations`] and states the equality.
//! Commutativity and renaming need no rule (see [`crate::ra`], [`crate::axes`]).

use egg::Id;
use smallvec::SmallVec;
use sumac_la::Op;

use crate::build::Relations;
use crate::identities::{self, IDENTITIES};
use crate::ra::Ra;

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
    /// `Σ_j δ(i, j) * x(j) = x(i)`.
    Sift,
    /// `x + y * c = x + c * y` and the like, where the constant c only repeats y over axes that x has anyway.
    Repeat,
    /// `min min x = min x`, and likewise for maxima and products.
    MergeFolds,
    /// An aggregate over all rows of `rev(x)`, or over all cells of a reshaped x, is that of x.
    Reorder,
    /// `rev(rev(x)) = x`.
    Reverse,
    /// `1 / (1 + exp(-x)) = sigmoid(x)`.
    Sigmoid,
    /// A row of [`identities::IDENTITIES`].
    Identity,
}

impl Rule {
    /// All rules, in the order in which they are applied.
    pub const ALL: [Rule; 18] = [
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
        Rule::Sift,
        Rule::Repeat,
        Rule::MergeFolds,
        Rule::Reorder,
        Rule::Reverse,
        Rule::Sigmoid,
        Rule::Identity,
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
            Rule::Sift => "sift",
            Rule::Repeat => "repeat",
            Rule::MergeFolds => "merge-folds",
            Rule::Reorder => "reorder",
            Rule::Reverse => "reverse",
            Rule::Sigmoid => "sigmoid",
            Rule::Identity => "identity",
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
    /// Which of several ways; for [`Rule::Identity`], which row.
    pub pick: u8,
}

impl Match {
    /// The name by which explanations call the rule, or the identity.
    pub fn name(&self) -> &'static str {
        match self.rule {
            Rule::Identity => IDENTITIES[usize::from(self.pick)].name,
            rule => rule.name(),
        }
    }
}

/// Every match in the class, in a fixed order.
pub fn search(relations: &Relations, class: Id, usable: &[usize], found: &mut Vec<Match>) {
    for node in relations.nodes(class) {
        search_node(relations, (class, node), usable, found);
    }
}

/// How many matches of two e-nodes of its children there are at an e-node: as many as the product of their numbers, which may be more
/// than fit into memory.
pub fn pairs_at(relations: &Relations, node: &Ra) -> usize {
    let Ra::Add(_, ids) = node else { return 0 };
    let count = |id: Id, is_it: fn(&Ra) -> bool| relations.nodes(id).filter(|n| is_it(n)).count();
    let kinds: [fn(&Ra) -> bool; 2] = [|n| matches!(n, Ra::Mul(..)), |n| matches!(n, Ra::Sum(..))];
    let pairs = kinds.map(|is_it| count(ids[0], is_it).saturating_mul(count(ids[1], is_it)));
    pairs[0].saturating_add(pairs[1])
}

/// The matches at one e-node of a class: of a class of many there may be more than fit into memory.
pub fn search_node(
    relations: &Relations,
    (class, node): (Id, &Ra),
    usable: &[usize],
    found: &mut Vec<Match>,
) {
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
                        Ra::Mul(..) => {
                            push(Rule::FactorOne, &[(side, inner)], 0);
                            if repeats(relations, inner) {
                                push(Rule::Repeat, &[(side, inner)], 0);
                            }
                        }
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
                    Ra::Mul(_, factors) => {
                        push(Rule::PushOut, &[(0, inner)], 0);
                        if factors.iter().any(|id| relations.data(*id).is_eye) {
                            push(Rule::Sift, &[(0, inner)], 0);
                            push(Rule::Sift, &[(0, inner)], 1);
                        }
                    }
                    Ra::Eye(_) => push(Rule::Sift, &[(0, inner)], 0),
                    Ra::Opaque(..) => push(Rule::Reorder, &[(0, inner)], 0),
                    _ => {}
                }
            }
        }
        Ra::Fold(op, _, ids) => {
            for inner in relations.nodes(ids[0]) {
                match inner {
                    Ra::Fold(other, ..) if other == op => {
                        push(Rule::MergeFolds, &[(0, inner)], 0);
                    }
                    Ra::Opaque(..) => push(Rule::Reorder, &[(0, inner)], 0),
                    _ => {}
                }
            }
        }
        Ra::Opaque(outer, ids) if outer.op == Op::Rev => {
            for inner in relations.nodes(ids[0]) {
                if matches!(inner, Ra::Opaque(b, _) if b.op == Op::Rev) {
                    push(Rule::Reverse, &[(0, inner)], 0);
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
        Ra::Const(..) | Ra::Leaf(_) | Ra::Eye(_) | Ra::Fun(..) | Ra::Opaque(..) => {}
    }
    if let Ra::Fun(_, _, ids) = node {
        for (side, id) in (0_u8..).zip(ids) {
            for inner in relations.nodes(*id).filter(|n| repeats(relations, n)) {
                push(Rule::Repeat, &[(side, inner)], 0);
            }
        }
    }
    if matches!(node, Ra::Mul(..) | Ra::Add(..) | Ra::Fun(..)) {
        for identity in usable {
            if identities::fits(relations, *identity, node, relations.axes(class)) {
                #[expect(clippy::cast_possible_truncation, reason = "a table of a few rows")]
                push(Rule::Identity, &[], *identity as u8);
            }
        }
    }
}

/// Whether an e-node is a join with a constant that has axes.
fn repeats(relations: &Relations, node: &Ra) -> bool {
    let Ra::Mul(_, ids) = node else { return false };
    ids.iter().any(|id| {
        let data = relations.data(*id);
        data.constant.is_some() && !data.schema.is_empty()
    })
}
