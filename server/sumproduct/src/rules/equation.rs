//! Cellwise expressions with holes: where one fits in the graph, and what another one is there.
//!
//! Functions stay uninterpreted otherwise. An equation whose functions do not occur in a graph is never looked at. This module must never
//! know axes beyond handing terms on, nor costs.

use smallvec::SmallVec;
use sumac_la::{Dag, NodeId, Op, Type};

use self::Pattern::{Add, F1, F2, Mul, N, Truth, X};
use crate::axes::{Map, Term};
use crate::build::Relations;
use crate::ra::Ra;

/// A cellwise expression with holes.
#[derive(Clone, Copy, Debug)]
pub enum Pattern {
    /// Anything; the same anything for the same number.
    X(usize),
    /// As [`Pattern::X`], where all cells are 0 or 1 by what makes them.
    Truth(usize),
    /// A number everywhere.
    N(f64),
    /// A product.
    Mul(&'static Pattern, &'static Pattern),
    /// A sum.
    Add(&'static Pattern, &'static Pattern),
    /// A function of one argument.
    F1(Op, &'static Pattern),
    /// A function of two arguments.
    F2(Op, &'static Pattern, &'static Pattern),
}

/// What the holes stand for.
type Holes = [Option<Term>; 3];

impl Pattern {
    /// The equation of both patterns as DML writes it.
    pub fn equals(&self, right: &Pattern) -> String {
        let mut dag = Dag::default();
        let [left, right] = [self, right].map(|side| {
            let node = side.write(&mut dag);
            dag.print(node)
        });
        let truth = if self.has_truth() {
            ", where all cells of A are 0 or 1"
        } else {
            ""
        };
        format!("{left} = {right}{truth}")
    }

    /// Whether the pattern is the e-node.
    pub fn is(&self, relations: &Relations, node: &Ra, axes: usize) -> bool {
        let outer = Map::identity(axes);
        !self
            .fit_node(relations, node, &outer, Holes::default())
            .is_empty()
    }

    /// What `right` is for all ways in which this pattern is the e-node, with the axes of the e-node.
    pub fn rewritten(
        &self,
        right: &Pattern,
        relations: &mut Relations,
        (node, class): (&Ra, egg::Id),
    ) -> Vec<Term> {
        let own = Term::plain(class, relations.axes(class));
        let axes = relations.axes_by_label(&[own]);
        self.fit_node(relations, node, &own.map, Holes::default())
            .iter()
            .filter_map(|holes| {
                let term = right.build(relations, holes)?;
                relations.widened(term, &axes)
            })
            .collect()
    }

    /// The pattern over scalars of one letter.
    fn write(&self, dag: &mut Dag) -> NodeId {
        let (op, args) = match self {
            X(n) | Truth(n) => return dag.input(["A", "B", "C"][*n], Type::scalar()),
            N(value) => return dag.num(*value),
            Mul(a, b) => (Op::Mul, vec![a.write(dag), b.write(dag)]),
            Add(a, b) => (Op::Add, vec![a.write(dag), b.write(dag)]),
            F1(op, a) => (*op, vec![a.write(dag)]),
            F2(op, a, b) => (*op, vec![a.write(dag), b.write(dag)]),
        };
        dag.op(op, args).expect("functions of scalars")
    }

    fn has_truth(&self) -> bool {
        match self {
            X(_) | N(_) => false,
            Truth(_) => true,
            F1(_, a) => a.has_truth(),
            Mul(a, b) | Add(a, b) | F2(_, a, b) => a.has_truth() || b.has_truth(),
        }
    }

    /// Whether all functions of the pattern occur in the graph.
    pub fn may_occur(&self, relations: &Relations) -> bool {
        match self {
            X(_) | N(_) => true,
            Truth(_) => relations.functions.iter().any(|op| op.info().truth_valued),
            Mul(a, b) | Add(a, b) => a.may_occur(relations) && b.may_occur(relations),
            F1(op, a) => relations.functions.contains(op) && a.may_occur(relations),
            F2(op, a, b) => {
                relations.functions.contains(op) && a.may_occur(relations) && b.may_occur(relations)
            }
        }
    }

    /// All ways to fill the holes so that the term is this.
    fn fit(&self, relations: &Relations, term: Term, holes: Holes) -> Vec<Holes> {
        let term = relations.resolve(term);
        match self {
            X(n) => match holes[*n] {
                Some(known) if known == term => vec![holes],
                Some(_) => vec![],
                None => {
                    let mut filled = holes;
                    filled[*n] = Some(term);
                    vec![filled]
                }
            },
            Truth(n) => {
                let is_truth = relations
                    .nodes(term.id)
                    .any(|node| matches!(node, Ra::Fun(op, ..) if op.info().truth_valued));
                if is_truth {
                    X(*n).fit(relations, term, holes)
                } else {
                    vec![]
                }
            }
            N(value) => match relations.constant_of(term) {
                Some(found) if found == *value => vec![holes],
                _ => vec![],
            },
            Mul(..) | Add(..) | F1(..) | F2(..) => relations
                .nodes(term.id)
                .flat_map(|node| self.fit_node(relations, node, &term.map, holes))
                .collect(),
        }
    }

    /// As [`Pattern::fit`] for one e-node, its own axes labelled by `outer`.
    fn fit_node(&self, relations: &Relations, node: &Ra, outer: &Map, holes: Holes) -> Vec<Holes> {
        let (parts, args): (SmallVec<[&Pattern; 2]>, SmallVec<[Term; 2]>) = match (self, node) {
            (Mul(a, b), Ra::Mul(maps, ids)) | (Add(a, b), Ra::Add(maps, ids)) => (
                [*a, *b].into_iter().collect(),
                children(maps, ids, outer).collect(),
            ),
            (F1(op, a), Ra::Fun(found, maps, ids)) if op == found => (
                [*a].into_iter().collect(),
                children(maps, ids, outer).collect(),
            ),
            (F2(op, a, b), Ra::Fun(found, maps, ids)) if op == found => (
                [*a, *b].into_iter().collect(),
                children(maps, ids, outer).collect(),
            ),
            _ => return vec![],
        };
        let commutes = match self {
            Mul(..) | Add(..) => true,
            F2(op, ..) => op.info().commutative,
            _ => false,
        };
        let mut found = each(relations, &parts, args.iter().copied(), holes);
        if commutes {
            found.extend(each(relations, &parts, args.iter().rev().copied(), holes));
        }
        found
    }

    /// The pattern with its holes filled.
    fn build(&self, relations: &mut Relations, holes: &Holes) -> Option<Term> {
        match self {
            X(n) | Truth(n) => holes[*n],
            N(value) => Some(relations.number(*value)),
            Mul(a, b) => {
                let (a, b) = (a.build(relations, holes)?, b.build(relations, holes)?);
                relations.mul(a, b)
            }
            Add(a, b) => {
                let (a, b) = (a.build(relations, holes)?, b.build(relations, holes)?);
                relations.add(a, b)
            }
            F1(op, a) => {
                let a = a.build(relations, holes)?;
                relations.fun(*op, &[a])
            }
            F2(op, a, b) => {
                let (a, b) = (a.build(relations, holes)?, b.build(relations, holes)?);
                relations.fun(*op, &[a, b])
            }
        }
    }
}

fn children<'a>(
    maps: &'a [Map],
    ids: &'a [egg::Id],
    outer: &'a Map,
) -> impl Iterator<Item = Term> + 'a {
    maps.iter()
        .zip(ids)
        .map(move |(map, id)| Term::inside(*id, map, outer))
}

/// All ways to fit each part to its argument.
fn each(
    relations: &Relations,
    parts: &[&Pattern],
    args: impl Iterator<Item = Term>,
    holes: Holes,
) -> Vec<Holes> {
    parts
        .iter()
        .zip(args)
        .fold(vec![holes], |ways, (part, arg)| {
            ways.into_iter()
                .flat_map(|holes| part.fit(relations, arg, holes))
                .collect()
        })
}
