//! A way between two forms that share nothing: both are multiplied out, each by rules of the search, and the products that
//! they then consist of are exchanged one by one.

use std::collections::BTreeSet;

use sumac_la::{Dag, NodeId};

use super::justify;
use super::laws::Law;
use super::show::shown;
use super::walk::{TO_ONE_SUM, TO_SUM, Walk};
use crate::axes::Term;
use crate::canonical::{Limits, Values, isomorphic};
use crate::rules::Rule;
use crate::translate::Translation;

/// Turns of multiplying out.
const MOST_TURNS: usize = 12;
/// Summands of a form that is multiplied out.
const MOST_SUMMANDS: usize = 32;
/// Relative difference of constant factors that are one up to rounding.
const ROUNDING: f64 = 1e-9;

/// What laws make of a form. Without a form, it cannot be written with matrices.
pub(super) struct Move {
    pub(super) laws: BTreeSet<Law>,
    /// A DAG with one root.
    pub(super) form: Option<Dag>,
}

/// Terms on the way to a sum of products, each with the laws that made it of the one before.
type Turns = Vec<(BTreeSet<Law>, Term)>;

/// A constant times a product.
#[derive(Clone, Copy)]
struct Summand {
    factor: f64,
    term: Term,
}

/// The moves from the first of `sides` to the second, whose form is the last. `None` where the bounds end it.
pub(super) fn path(
    dag: &Dag,
    sides: [NodeId; 2],
    cancelled: &dyn Fn() -> bool,
) -> Option<Vec<Move>> {
    let mut way = Way {
        dag,
        translation: Translation::new(dag, &sides)?,
        root: sides[0],
        cancelled,
    };
    let terms = sides.map(|side| way.translation.term(side));
    let mut goal = Dag::default();
    let root = goal.import(dag, sides[1]);
    goal.push_root(root);
    let moves = if terms[0] == terms[1] {
        vec![(BTreeSet::from([Law::SAME]), terms[1])]
    } else {
        way.terms(terms)
            .or_else(|| Some(vec![(justify::least(dag, sides, cancelled)?, terms[1])]))?
    };
    let last = moves.len() - 1;
    let shown = moves.into_iter().enumerate().map(|(k, (laws, term))| Move {
        laws,
        form: if k == last {
            Some(goal.clone())
        } else {
            way.shown(term)
        },
    });
    Some(shown.collect())
}

struct Way<'a> {
    dag: &'a Dag,
    translation: Translation,
    /// For the kind of all forms.
    root: NodeId,
    cancelled: &'a dyn Fn() -> bool,
}

impl Way<'_> {
    fn shown(&self, term: Term) -> Option<Dag> {
        let ty = self.dag.ty(self.root);
        shown(self.dag, &self.translation, term, ty, self.cancelled)
    }

    /// As [`path`], in terms.
    fn terms(&mut self, sides: [Term; 2]) -> Option<Turns> {
        let mut walk = Walk::new(&mut self.translation.relations);
        let (mut out, back) = (turns(&mut walk, sides[0])?, turns(&mut walk, sides[1])?);
        let end = |turns: &Turns, start: Term| turns.last().map_or(start, |(_, term)| *term);
        let (here, there) = (end(&out, sides[0]), end(&back, sides[1]));
        let mut summands = |term| -> Option<Vec<Summand>> {
            let (found, _) = walk.summands(term)?;
            let found = found.into_iter();
            Some(
                found
                    .map(|(factor, term)| Summand { factor, term })
                    .collect(),
            )
        };
        let (own, wanted) = (summands(here)?, summands(there)?);
        if own.len().max(wanted.len()) > MOST_SUMMANDS || (self.cancelled)() {
            return None;
        }
        let (own, is_merged, places) = self.matched(&own, &wanted)?;
        if is_merged {
            let sum = self.summed(&own, here)?;
            out.push((BTreeSet::from([Law::rule(Rule::DOUBLE)]), sum));
        }
        let mut now = own.clone();
        let mut exchanged = 0;
        for (k, place) in places.iter().enumerate() {
            let (from, to) = (own[k].term, wanted[*place].term);
            if from != to {
                now[k].term = to;
                exchanged += 1;
                let laws = self.laws(from, to)?;
                let sum = self.summed(&now, here)?;
                out.push((laws, sum));
            }
        }
        // What is left to do is to put summands in another order.
        match out.last_mut() {
            Some((_, last)) => *last = there,
            None if exchanged == 0 && back.is_empty() => return None,
            None => {}
        }
        // The other side's turns, backwards.
        for k in (0..back.len()).rev() {
            let before = if k == 0 { sides[1] } else { back[k - 1].1 };
            let laws = back[k].0.iter().map(|law| law.backwards()).collect();
            out.push((laws, before));
        }
        Some(out)
    }

    fn summed(&mut self, summands: &[Summand], like: Term) -> Option<Term> {
        let summands: Vec<(f64, Term)> = summands.iter().map(|s| (s.factor, s.term)).collect();
        Walk::new(&mut self.translation.relations).summed(&summands, like)
    }

    /// The summands with equal ones once, whether some were, and for each its place among `wanted`.
    fn matched(
        &self,
        own: &[Summand],
        wanted: &[Summand],
    ) -> Option<(Vec<Summand>, bool, Vec<usize>)> {
        let mut all = Dag::default();
        let mut node = |summand: &Summand| -> Option<NodeId> {
            // A row stays a row: all forms have the shape of the root, unless they repeat.
            let form = shown(
                self.dag,
                &self.translation,
                summand.term,
                self.dag.ty(self.root),
                self.cancelled,
            )?;
            Some(all.import(&form, form.roots()[0]))
        };
        let nodes: Vec<NodeId> = own.iter().map(&mut node).collect::<Option<_>>()?;
        let goals: Vec<NodeId> = wanted.iter().map(&mut node).collect::<Option<_>>()?;
        let both: Vec<NodeId> = nodes.iter().chain(&goals).copied().collect();
        let values = Values::of(&all, &both, &Limits::default()).ok()?;
        let alike = |a: NodeId, b: NodeId| {
            values
                .get(a)
                .zip(values.get(b))
                .is_some_and(|(a, b)| isomorphic(a, b))
        };
        let mut kept: Vec<(Summand, NodeId)> = Vec::new();
        for (summand, node) in own.iter().zip(&nodes) {
            match kept.iter_mut().find(|(_, known)| alike(*known, *node)) {
                Some((known, _)) => known.factor += summand.factor,
                None => kept.push((*summand, *node)),
            }
        }
        let is_merged = kept.len() < own.len();
        kept.retain(|(summand, _)| summand.factor != 0.0);
        let mut free: Vec<usize> = (0..wanted.len()).collect();
        let mut places = Vec::new();
        for (summand, node) in &kept {
            let is_it = |place: &usize| {
                let factor = wanted[*place].factor;
                let is_near = (factor - summand.factor).abs() <= ROUNDING * factor.abs();
                is_near && alike(*node, goals[*place])
            };
            let at = free.iter().position(is_it)?;
            places.push(free.remove(at));
        }
        let kept = kept.into_iter().map(|(summand, _)| summand).collect();
        free.is_empty().then_some((kept, is_merged, places))
    }

    /// The laws that make one product of the other: both become one sum over all axes.
    fn laws(&mut self, from: Term, to: Term) -> Option<BTreeSet<Law>> {
        let mut walk = Walk::new(&mut self.translation.relations);
        let (one, there) = walk.pass(from, TO_ONE_SUM)?;
        let (other, back) = walk.pass(to, TO_ONE_SUM)?;
        let are_products = walk.is_product(one) && walk.is_product(other);
        let mut laws: BTreeSet<Law> = back.into_iter().map(Law::backwards).collect();
        laws.extend(there);
        if laws.is_empty() {
            laws.insert(if are_products {
                Law::rule(Rule::ASSOCIATE_MULTIPLY)
            } else {
                Law::CANONICAL
            });
        }
        Some(laws)
    }
}

/// Multiplies a term out.
fn turns(walk: &mut Walk<'_>, term: Term) -> Option<Turns> {
    let mut turns = Turns::new();
    let mut now = term;
    for _ in 0..MOST_TURNS {
        let before = now;
        for pass in TO_SUM {
            let (after, mut fired) = walk.pass(now, pass)?;
            if after != now {
                now = walk.collected(after, &mut fired)?;
                turns.push((fired, now));
            }
        }
        if now == before {
            return Some(turns);
        }
    }
    None
}
