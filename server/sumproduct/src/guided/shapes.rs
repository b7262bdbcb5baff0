//! Which shapes the terms could have that fit a sketch. No rule makes a size: every value on the way has sizes of the
//! expression's parts, or one. So the shapes are few, and those of a pattern follow from its parts without any search.
//! Must never leave out a shape that a term could have.

use egg::Id;
use sumac_la::{Dim, Kind, Type, infer};
use sumac_sketch::{Condition, Shape, SketchId};

use super::language::{Fact, La};
use super::pattern::{LaSketches, Wanted};
use super::reach::{Made, Term, keeps_sizes};
use super::run::Plan;

/// Different sizes that are looked at; with more, nothing is said.
const MOST_SIZES: usize = 6;

/// Shapes by their numbers, the smallest first.
type Set = Vec<usize>;

/// The shapes that values on the way could have, and what of them fits each sketch.
pub(super) struct Shapes<'a> {
    all: Vec<Type>,
    every: Set,
    inputs: Vec<(u32, Type)>,
    sketches: &'a LaSketches,
    known: Vec<Option<Set>>,
}

impl<'a> Shapes<'a> {
    /// Whether a term of the expression's own shape could fit the pattern of a stage.
    pub(super) fn could_have(term: &Term, made: &Made, plan: &'a Plan) -> bool {
        let Some(mut shapes) = Shapes::of(term, made, &plan.sketches) else {
            return true;
        };
        let own = &term.fact().ty;
        let Some(own) = shapes.number(own) else {
            return true;
        };
        shapes.fitting(plan.sketch).contains(&own)
    }

    /// `None`: there is too much, or too little is known.
    fn of(term: &Term, made: &Made, sketches: &'a LaSketches) -> Option<Self> {
        if made.has_new_sizes {
            return None;
        }
        let mut sizes = vec![Dim::Known(1)];
        for Fact { ty, .. } in &term.facts {
            for dim in [&ty.rows, &ty.cols] {
                if *dim == Dim::Unknown {
                    return None;
                }
                if !sizes.contains(dim) {
                    sizes.push(dim.clone());
                }
            }
        }
        if sizes.len() > MOST_SIZES {
            return None;
        }
        let kinds = made.kinds;
        let mut all: Vec<Type> = Vec::new();
        if kinds.scalar {
            all.push(plain(Type::scalar()));
        }
        for rows in &sizes {
            for cols in &sizes {
                let has_column = kinds.column || !cols.is_one();
                let has_row = kinds.row || !rows.is_one();
                if kinds.matrix && has_column && has_row {
                    all.push(plain(Type::matrix(rows.clone(), cols.clone())));
                }
            }
        }
        Some(Shapes {
            every: (0..all.len()).collect(),
            all,
            inputs: term.inputs(),
            known: vec![None; sketches.len()],
            sketches,
        })
    }

    fn number(&self, ty: &Type) -> Option<usize> {
        let is_it =
            |known: &Type| (known.kind, &known.rows, &known.cols) == (ty.kind, &ty.rows, &ty.cols);
        self.all.iter().position(is_it)
    }

    /// The shapes of terms that could fit a sketch.
    fn fitting(&mut self, sketch: SketchId) -> Set {
        if let Some(known) = &self.known[sketch.index()] {
            return known.clone();
        }
        let sketches = self.sketches;
        let found = match sketches.shape(sketch) {
            Shape::Any => self.every.clone(),
            Shape::Contains(part) => {
                if self.fitting(*part).is_empty() {
                    Set::new()
                } else {
                    self.every.clone()
                }
            }
            Shape::Either(parts) => {
                let parts = parts.iter().flat_map(|part| self.fitting(*part));
                let mut found: Set = parts.collect();
                found.sort_unstable();
                found.dedup();
                found
            }
            Shape::Such(part, wanted) => {
                let mut found = self.fitting(*part);
                found.retain(|shape| could_hold(wanted, &self.all[*shape]));
                found
            }
            Shape::Node(head, parts, any_order) => self.of_node(head, parts, *any_order),
        };
        self.known[sketch.index()] = Some(found.clone());
        found
    }

    fn of_node(&mut self, head: &La, parts: &[SketchId], any_order: bool) -> Set {
        let op = match head {
            La::Num(_) => return self.number(&Type::scalar()).into_iter().collect(),
            La::Input(number) => {
                let own = self.inputs.iter().find(|(known, _)| known == number);
                let own = own.map(|(_, ty)| self.number(ty));
                // No rule brings in what the expression does not read.
                return match own {
                    None => Set::new(),
                    Some(Some(shape)) => vec![shape],
                    Some(None) => self.every.clone(),
                };
            }
            La::Op(op, _) => *op,
        };
        let parts: Vec<Set> = parts.iter().map(|part| self.fitting(*part)).collect();
        if parts.iter().any(Vec::is_empty) {
            return Set::new();
        }
        if !keeps_sizes(op) {
            return self.every.clone();
        }
        let pairs: Vec<Vec<usize>> = match &*parts {
            [one] => one.iter().map(|a| vec![*a]).collect(),
            [one, two] => {
                let pairs = one
                    .iter()
                    .flat_map(|a| two.iter().map(move |b| vec![*a, *b]));
                pairs.collect()
            }
            _ => return self.every.clone(),
        };
        let mut found = vec![false; self.all.len()];
        for pair in pairs {
            for is_exchanged in [false, true] {
                if is_exchanged && !(any_order && pair.len() == 2) {
                    break;
                }
                let mut args: Vec<&Type> = pair.iter().map(|shape| &self.all[*shape]).collect();
                if is_exchanged {
                    args.reverse();
                }
                let args: Vec<sumac_la::Arg<'_>> = args
                    .into_iter()
                    .map(|ty| sumac_la::Arg { ty, value: None })
                    .collect();
                let Ok(made) = infer(op, &args, false) else {
                    continue;
                };
                match self.number(&made) {
                    Some(shape) => found[shape] = true,
                    // A size that is not known could be each.
                    None if made.kind == Kind::Matrix && is_open(&made) => {
                        return self.every.clone();
                    }
                    None => {}
                }
            }
        }
        (0..found.len()).filter(|shape| found[*shape]).collect()
    }
}

fn is_open(ty: &Type) -> bool {
    ty.rows == Dim::Unknown || ty.cols == Dim::Unknown
}

/// A type of which only the shape counts.
fn plain(ty: Type) -> Type {
    Type {
        sparsity: None,
        ..ty
    }
}

/// Whether a value of this shape could have what an annotation asks for; of estimates nothing is said.
fn could_hold(wanted: &Wanted, ty: &Type) -> bool {
    match wanted {
        Wanted::Dense => true,
        Wanted::Sparse(..) => ty.kind == Kind::Matrix,
        _ => wanted.holds(&Fact {
            ty: ty.clone(),
            value: None,
            constant: None,
            size: 1,
        }),
    }
}

impl Term {
    /// The inputs among the parts, by number, with what they are.
    fn inputs(&self) -> Vec<(u32, Type)> {
        let parts = self.parts();
        let inputs = parts.filter_map(|(node, fact)| match node {
            La::Input(number) => Some((*number, fact.ty.clone())),
            _ => None,
        });
        inputs.collect()
    }

    /// The parts with what is known of them.
    fn parts(&self) -> impl Iterator<Item = (&La, &Fact)> {
        (0..self.facts.len()).map(|place| (self.node(Id::from(place)), &self.facts[place]))
    }
}
