//! Rules applied to one term at a time: the graph is a store of terms here, in which each relation stands as it was built.
//!
//! What fits and what it becomes is the search's own ([`rules::search`], [`other_sides`]); only the order is decided
//! here. Nothing is stated equal, so that the terms before and after a rule stay two. This module must never invent a term
//! that no rule, and no ordering of summands and factors, gives.

use std::collections::BTreeSet;

use egg::Id;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::laws::Law;
use crate::axes::{BOUND, Label, Map, Term};
use crate::build::Relations;
use crate::ra::{DimId, Ra};
use crate::rules::{self, Match, Rule, other_sides};

/// One kind of step: rules that are applied wherever they fit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    applies: fn(Rule) -> bool,
    /// Whether arguments of functions are looked at, too.
    is_deep: bool,
}

/// From an expression to a sum of products, each as nested as it was. They take turns.
pub(super) const TO_SUM: [Pass; 3] = [
    Pass {
        applies: |rule| rule.row().simplifies,
        is_deep: true,
    },
    Pass {
        applies: |rule| rule == Rule::DISTRIBUTE,
        is_deep: false,
    },
    Pass {
        applies: |rule| rule == Rule::SUM_OF_PLUS,
        is_deep: false,
    },
];

/// From a product of sums over axes to one sum over all of them.
pub(super) const TO_ONE_SUM: Pass = Pass {
    applies: |rule| {
        [
            Rule::SIFT,
            Rule::REPEAT,
            Rule::PULL_INTO_SUM,
            Rule::MERGE_SUMS,
        ]
        .contains(&rule)
    },
    is_deep: false,
};

/// Rules that one explanation applies at most.
const MOST_APPLIED: usize = 1_000;

/// Applies rules to terms.
pub(super) struct Walk<'a> {
    pub(super) relations: &'a mut Relations,
    left: usize,
    usable: Vec<Rule>,
}

/// Labels that are summed over, with their sizes.
type Bound = SmallVec<[(Label, DimId); 4]>;

/// What one class becomes in a pass, its axes as labels.
type Done = FxHashMap<Id, Term>;

impl<'a> Walk<'a> {
    pub(super) fn new(relations: &'a mut Relations) -> Self {
        Walk {
            usable: rules::usable(relations),
            relations,
            left: MOST_APPLIED,
        }
    }

    /// The term after a pass, and the laws that made it; `None` where it grows beyond the bounds.
    pub(super) fn pass(&mut self, term: Term, pass: Pass) -> Option<(Term, BTreeSet<Law>)> {
        let mut fired = BTreeSet::new();
        let term = self.relations.resolve(term);
        let after = self.class(term.id, pass, &mut Done::default(), &mut fired)?;
        Some((self.inside(after, &term.map), fired))
    }

    /// A term over a class's axes, where these are labelled by `outer`.
    fn inside(&self, term: Term, outer: &Map) -> Term {
        self.relations
            .resolve(Term::inside(term.id, &term.map, outer))
    }

    /// The e-node by which a class is read: of δ-relations and whole operators that are one, the relations.
    fn node(&self, id: Id) -> Option<Ra> {
        let rank = |node: &&Ra| match node {
            Ra::Const(..) => 0,
            Ra::Opaque(..) => 2,
            _ => 1,
        };
        self.relations.nodes(id).min_by_key(rank).cloned()
    }

    /// Whether a term is a product, or a sum of one over axes.
    pub(super) fn is_product(&self, term: Term) -> bool {
        let mut id = term.id;
        loop {
            match self.node(id) {
                Some(Ra::Sum(_, inner)) => id = inner[0],
                other => return matches!(other, Some(Ra::Mul(..))),
            }
        }
    }

    fn class(
        &mut self,
        id: Id,
        pass: Pass,
        done: &mut Done,
        fired: &mut BTreeSet<Law>,
    ) -> Option<Term> {
        if let Some(term) = done.get(&id) {
            return Some(*term);
        }
        let rebuilt = self.rebuilt(id, pass.is_deep, &mut |walk, child| {
            walk.class(child, pass, done, fired)
        })?;
        let after = match self.applied(rebuilt.id, pass.applies, fired) {
            None => rebuilt,
            Some(other) => {
                self.left = self.left.checked_sub(1)?;
                let other = self.inside(other, &rebuilt.map);
                let again = self.class(other.id, pass, done, fired)?;
                self.inside(again, &other.map)
            }
        };
        done.insert(id, after);
        Some(after)
    }

    /// The class built anew from what its children become; as it is where they stay.
    fn rebuilt(
        &mut self,
        id: Id,
        is_deep: bool,
        child: &mut dyn FnMut(&mut Self, Id) -> Option<Term>,
    ) -> Option<Term> {
        let axes = self.relations.axes(id);
        let plain = self.relations.resolve(Term::plain(id, axes));
        if self.relations.constant_of(plain).is_some() {
            return Some(plain);
        }
        let node = self.node(id)?;
        let is_inside = matches!(node, Ra::Mul(..) | Ra::Add(..) | Ra::Sum(..));
        if !is_inside && !is_deep {
            return Some(plain);
        }
        let mut is_new = false;
        let mut kid = |walk: &mut Self, id: Id, map: &Map| -> Option<Term> {
            let before = walk.relations.resolve(Term { id, map: *map });
            let after = child(walk, before.id)?;
            let after = walk.inside(after, &before.map);
            is_new |= after != before;
            Some(after)
        };
        let built = match &node {
            Ra::Const(..) | Ra::Leaf(_) | Ra::Eye(_) => return Some(plain),
            Ra::Mul(maps, ids) => {
                let (a, b) = (kid(self, ids[0], &maps[0])?, kid(self, ids[1], &maps[1])?);
                self.relations.mul(a, b)?
            }
            Ra::Add(maps, ids) => {
                let (a, b) = (kid(self, ids[0], &maps[0])?, kid(self, ids[1], &maps[1])?);
                self.relations.add(a, b)?
            }
            Ra::Sum(map, ids) | Ra::Fold(_, map, ids) => {
                let (opened, bound) = self.opened(map, ids[0], axes)?;
                let inner = kid(self, ids[0], &opened)?;
                match &node {
                    Ra::Fold(op, ..) => self.relations.fold(*op, &bound, inner)?,
                    _ => self.relations.sum(&bound, inner)?,
                }
            }
            Ra::Fun(op, maps, ids) => {
                let mut args = SmallVec::<[Term; 3]>::new();
                for (map, id) in maps.iter().zip(ids) {
                    args.push(kid(self, *id, map)?);
                }
                self.relations.fun(*op, &args)?
            }
            Ra::Opaque(opaque, ids) => {
                let mut args = SmallVec::<[Term; 3]>::new();
                for ((map, _), id) in opaque.children.iter().zip(ids) {
                    args.push(kid(self, *id, map)?);
                }
                // Its result is labelled by rows and columns; its axes count from 0.
                let whole = self.relations.opaque((**opaque).clone(), &args);
                Term::plain(whole.id, axes)
            }
        };
        let all = built.map.len() == axes && (0..).take(axes).all(|axis| built.map.has(axis));
        match (is_new, all) {
            (false, _) => Some(plain),
            (true, true) => Some(self.relations.resolve(built)),
            (true, false) => None,
        }
    }

    /// A sum's map with fresh labels for what it sums over, and these with their sizes.
    #[expect(clippy::cast_possible_truncation, reason = "at most MAX_AXES")]
    fn opened(&self, map: &Map, child: Id, axes: usize) -> Option<(Map, Bound)> {
        let schema = &self.relations.data(child).schema;
        let mut bound = Bound::new();
        let mut labels: SmallVec<[Label; 8]> = SmallVec::new();
        for (axis, dim) in map.iter().zip(schema) {
            if axis == BOUND {
                let label = (axes + bound.len()) as u8;
                if label >= BOUND {
                    return None;
                }
                bound.push((label, *dim));
                labels.push(label);
            } else {
                labels.push(axis);
            }
        }
        Some((Map::collect(labels)?, bound))
    }

    /// What the first of the rules that fits makes of the class, its axes as labels.
    fn applied(
        &mut self,
        id: Id,
        applies: fn(Rule) -> bool,
        fired: &mut BTreeSet<Law>,
    ) -> Option<Term> {
        let axes = self.relations.axes(id);
        let plain = self.relations.resolve(Term::plain(id, axes));
        if self.relations.constant_of(plain).is_some() {
            return None;
        }
        let mut matches: Vec<Match> = Vec::new();
        rules::search(self.relations, id, &self.usable, &mut matches);
        matches.retain(|found| applies(found.rule));
        for found in &matches {
            for term in other_sides(self.relations, found) {
                let term = self.relations.resolve(term);
                if term != plain && term.map.len() == axes {
                    fired.insert(Law::rule(found.rule));
                    return Some(term);
                }
            }
        }
        None
    }

    /// The term with each of its sums in one row: equal summands once, their constant factors first.
    pub(super) fn collected(&mut self, term: Term, fired: &mut BTreeSet<Law>) -> Option<Term> {
        let term = self.relations.resolve(term);
        let after = self.collected_class(term.id, &mut Done::default(), fired)?;
        Some(self.inside(after, &term.map))
    }

    fn collected_class(
        &mut self,
        id: Id,
        done: &mut Done,
        fired: &mut BTreeSet<Law>,
    ) -> Option<Term> {
        if let Some(term) = done.get(&id) {
            return Some(*term);
        }
        let rebuilt = self.rebuilt(id, false, &mut |walk, child| {
            walk.collected_class(child, done, fired)
        })?;
        let after = match self.node(rebuilt.id) {
            Some(Ra::Add(..)) => {
                let (summands, is_merged) = self.summands(rebuilt)?;
                if is_merged {
                    fired.insert(Law::rule(Rule::DOUBLE));
                }
                self.summed(&summands, rebuilt)?
            }
            _ => rebuilt,
        };
        done.insert(id, after);
        Some(after)
    }

    /// The summands of a term with their constant factors, equal ones once, and whether some were equal.
    pub(super) fn summands(&mut self, term: Term) -> Option<(Vec<(f64, Term)>, bool)> {
        let mut found: Vec<(f64, Term)> = Vec::new();
        let mut is_merged = false;
        let mut open = vec![(1.0, term)];
        while let Some((factor, term)) = open.pop() {
            let (own, rest) = self.factored(term)?;
            let factor = factor * own;
            if let Some(Ra::Add(maps, ids)) = self.node(rest.id)
                && self.relations.constant_of(rest).is_none()
            {
                for k in [1, 0] {
                    open.push((factor, Term::inside(ids[k], &maps[k], &rest.map)));
                }
                continue;
            }
            match found.iter_mut().find(|(_, known)| *known == rest) {
                Some((known, _)) => {
                    *known += factor;
                    is_merged = true;
                }
                None => found.push((factor, rest)),
            }
        }
        found.retain(|(factor, _)| *factor != 0.0);
        Some((found, is_merged))
    }

    /// The sum of such summands, over the axes of `like`.
    pub(super) fn summed(&mut self, summands: &[(f64, Term)], like: Term) -> Option<Term> {
        let axes = self.relations.axes_by_label(&[like]);
        let mut sum: Option<Term> = None;
        for (factor, term) in summands {
            let factor = self.relations.number(*factor);
            let term = self.relations.mul(factor, *term)?;
            sum = Some(match sum {
                None => term,
                Some(sum) => self.relations.add(sum, term)?,
            });
        }
        let sum = sum.unwrap_or_else(|| self.relations.number(0.0));
        self.relations.widened(sum, &axes)
    }

    /// A term as a constant times a rest that has no such factor.
    fn factored(&mut self, term: Term) -> Option<(f64, Term)> {
        let term = self.relations.resolve(term);
        if let Some(value) = self.relations.constant_of(term) {
            return Some(match term.map.len() {
                0 => (value, self.relations.number(1.0)),
                _ => (1.0, term),
            });
        }
        match self.node(term.id)? {
            Ra::Mul(maps, ids) => {
                let inner = [0, 1].map(|k| Term::inside(ids[k], &maps[k], &term.map));
                let (a, x) = self.factored(inner[0])?;
                let (b, y) = self.factored(inner[1])?;
                if (a, b) == (1.0, 1.0) {
                    return Some((1.0, term));
                }
                Some((a * b, self.relations.mul(x, y)?))
            }
            Ra::Sum(map, ids) => {
                let axes = self.relations.axes(term.id);
                let (opened, bound) = self.opened(&map, ids[0], axes)?;
                let inner = self.relations.resolve(Term {
                    id: ids[0],
                    map: opened,
                });
                let (factor, rest) = self.factored(inner)?;
                if rest == inner {
                    return Some((1.0, term));
                }
                let sum = self.relations.sum(&bound, rest)?;
                Some((factor, self.inside(sum, &term.map)))
            }
            _ => Some((1.0, term)),
        }
    }
}
