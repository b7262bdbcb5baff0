//! Polyterms and their algebra: the rules R_EQ of SPORES (Figure 3), each applied towards the canonical form.
//! Must never know operators of linear algebra.

use std::collections::BTreeMap;

use super::atom::{AtomId, Context};
use super::coefficient::Coefficient;
use super::label;
use super::sizes::{Size, SizeId};
use super::term::{Factor, Ix, Term, apply_deltas};
use super::{Limits, Refused};

/// A sum of terms with constant factors; no two terms are isomorphic.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Poly {
    pub(super) terms: BTreeMap<Term, Coefficient>,
}

impl Poly {
    /// The number, if it is nothing else.
    pub(super) fn as_constant(&self) -> Option<Coefficient> {
        let mut terms = self.terms.iter();
        match (terms.next(), terms.next()) {
            (None, _) => Some(Coefficient::integer(0)),
            (Some((term, c)), None) if term.0.is_empty() => Some(*c),
            _ => None,
        }
    }

    /// Whether it is this whole number and nothing else.
    pub(super) fn is_number(&self, n: i128) -> bool {
        self.as_constant() == Some(Coefficient::integer(n))
    }

    /// Whether no constant outgrew what is exact.
    pub(super) fn is_exact(&self) -> bool {
        self.terms.values().all(|c| c.is_exact())
    }

    /// The only term, if there is just one.
    pub(super) fn as_term(&self) -> Option<(&Term, Coefficient)> {
        let mut terms = self.terms.iter();
        match (terms.next(), terms.next()) {
            (Some((term, c)), None) => Some((term, *c)),
            _ => None,
        }
    }

    pub(super) fn mentions(&self, ix: Ix) -> bool {
        self.terms.keys().any(|t| t.mentions(ix))
    }

    /// The terms that stand in only one of both, or with unequal coefficients.
    pub(super) fn difference<'a>(&'a self, other: &'a Poly) -> Vec<&'a Term> {
        let own = self
            .terms
            .iter()
            .filter(|(term, c)| other.terms.get(term) != Some(c));
        let theirs = other.terms.keys().filter(|t| !self.terms.contains_key(t));
        own.map(|(term, _)| term).chain(theirs).collect()
    }

    /// Whether both are the same sum of terms.
    pub(super) fn equals(&self, other: &Poly) -> bool {
        self.terms == other.terms && self.is_exact()
    }

    /// The number `s` for which this is `s` times `other`.
    pub(super) fn ratio(&self, other: &Poly) -> Option<Coefficient> {
        if self.terms.len() != other.terms.len() {
            return None;
        }
        let mut ratio = None;
        for ((term, a), (other_term, b)) in self.terms.iter().zip(&other.terms) {
            if term != other_term {
                return None;
            }
            let found = a.over(*b);
            let expected = *ratio.get_or_insert(found);
            if found != expected || !found.is_exact() {
                return None;
            }
        }
        Some(ratio.unwrap_or(Coefficient::integer(1)))
    }

    /// All constant factors multiplied by `factor`.
    pub(super) fn scaled(mut self, factor: Coefficient) -> Poly {
        for c in self.terms.values_mut() {
            *c = c.times(factor);
        }
        self.terms.retain(|_, c| !c.is_zero());
        self
    }

    /// -p.
    pub(super) fn negated(self) -> Poly {
        self.scaled(Coefficient::integer(-1))
    }
}

/// A size as polyterms compare it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Extent(pub(super) Size);

/// A matrix or scalar in canonical form: its shape and the sum of terms each of its cells is.
#[derive(Clone, PartialEq, Debug)]
pub struct Polyterm {
    pub(super) rows: Extent,
    pub(super) cols: Extent,
    pub(super) poly: Poly,
}

impl Polyterm {
    pub(super) fn new(ctx: &Context, (rows, cols): (SizeId, SizeId), poly: Poly) -> Self {
        Polyterm {
            rows: Extent(ctx.sizes.key(rows).clone()),
            cols: Extent(ctx.sizes.key(cols).clone()),
            poly,
        }
    }

    /// Number of terms.
    #[must_use]
    pub fn len(&self) -> usize {
        self.poly.terms.len()
    }

    /// Whether all cells are zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.poly.terms.is_empty()
    }
}

/// Whether two polyterms of one [`Context`] are isomorphic (Definition A.7). Coefficients are compared exactly.
#[must_use]
pub fn isomorphic(a: &Polyterm, b: &Polyterm) -> bool {
    a.rows == b.rows && a.cols == b.cols && a.poly.equals(&b.poly)
}

/// The operations on polyterms of one context, within limits.
pub(super) struct Algebra<'a> {
    pub(super) ctx: &'a mut Context,
    pub(super) limits: &'a Limits,
}

impl Algebra<'_> {
    /// A number as a script states it.
    pub(super) fn constant(&mut self, value: f64) -> Poly {
        if value.is_finite() {
            return self.number(Coefficient::stated(value));
        }
        let id = self.ctx.non_finite(value);
        let term = Term(vec![Factor::new(id, [])]);
        Poly {
            terms: BTreeMap::from([(term, Coefficient::integer(1))]),
        }
    }

    pub(super) fn number(&self, c: Coefficient) -> Poly {
        let mut poly = Poly::default();
        if !c.is_zero() {
            poly.terms.insert(Term::default(), c);
        }
        poly
    }

    /// A whole number.
    pub(super) fn integer(&self, n: i128) -> Poly {
        self.number(Coefficient::integer(n))
    }

    pub(super) fn product(&mut self, factors: Vec<Factor>) -> Result<Poly, Refused> {
        let mut poly = Poly::default();
        self.add_term(&mut poly, factors, Coefficient::integer(1))?;
        Ok(poly)
    }

    pub(super) fn atom(
        &mut self,
        id: AtomId,
        at: impl IntoIterator<Item = Ix>,
    ) -> Result<Poly, Refused> {
        self.product(vec![Factor::new(id, at)])
    }

    /// The value of a size.
    pub(super) fn size(&mut self, size: SizeId) -> Result<Poly, Refused> {
        match self.ctx.size_value(size) {
            Ok(n) => Ok(self.number(n)),
            Err(factor) => self.product(vec![factor]),
        }
    }

    fn add_term(
        &mut self,
        to: &mut Poly,
        factors: Vec<Factor>,
        c: Coefficient,
    ) -> Result<(), Refused> {
        let factors = self.lower_powers(apply_deltas(factors, AtomId::DELTA));
        if let Some(reduced) = self.reduced(&factors)? {
            for (term, d) in reduced.terms {
                self.insert(to, term, c.times(d))?;
            }
            return Ok(());
        }
        let is_symmetric = |id| self.ctx.is_symmetric(id);
        let term = label::canonical(factors, &is_symmetric, self.limits.max_labelings)?;
        if term.0.len() > self.limits.max_atoms_per_term {
            return Err(Refused::Atoms(self.limits.max_atoms_per_term));
        }
        self.insert(to, term, c)
    }

    fn insert(&self, to: &mut Poly, term: Term, c: Coefficient) -> Result<(), Refused> {
        use std::collections::btree_map::Entry;
        if !c.is_exact() {
            return Err(Refused::Overflow);
        }
        match to.terms.entry(term) {
            Entry::Vacant(place) => {
                if !c.is_zero() {
                    place.insert(c);
                }
            }
            Entry::Occupied(mut place) => {
                let sum = place.get().plus(c);
                if sum.is_zero() {
                    place.remove();
                } else {
                    place.insert(sum);
                }
            }
        }
        if to.terms.len() > self.limits.max_terms {
            return Err(Refused::Terms(self.limits.max_terms));
        }
        Ok(())
    }

    pub(super) fn add(&self, mut a: Poly, b: &Poly) -> Result<Poly, Refused> {
        for (term, c) in &b.terms {
            self.insert(&mut a, term.clone(), *c)?;
        }
        Ok(a)
    }

    /// A * (B + C) = A * B + A * C, and A * Σ B = Σ (A * B).
    pub(super) fn mul(&mut self, a: &Poly, b: &Poly) -> Result<Poly, Refused> {
        let mut product = Poly::default();
        if a.terms.len().saturating_mul(b.terms.len()) > self.limits.max_terms.saturating_mul(16) {
            return Err(Refused::Terms(self.limits.max_terms));
        }
        for (s, c) in &a.terms {
            let offset = s.bound_end();
            for (t, d) in &b.terms {
                let shifted = t.0.iter().map(|f| f.map(|ix| label::shift(ix, offset)));
                let factors: Vec<Factor> = s.0.iter().cloned().chain(shifted).collect();
                self.add_term(&mut product, factors, c.times(*d))?;
            }
        }
        Ok(product)
    }

    /// A non-negative power, multiplied out.
    pub(super) fn power(&mut self, base: &Poly, exponent: u32) -> Result<Poly, Refused> {
        let mut result = self.constant(1.0);
        for _ in 0..exponent {
            result = self.mul(&result, base)?;
        }
        Ok(result)
    }

    /// Renames free indices.
    pub(super) fn rename(&mut self, poly: &Poly, ix: impl Fn(Ix) -> Ix) -> Result<Poly, Refused> {
        let mut renamed = Poly::default();
        for (term, c) in &poly.terms {
            let factors = term.0.iter().map(|f| f.map(&ix)).collect();
            self.add_term(&mut renamed, factors, *c)?;
        }
        Ok(renamed)
    }

    /// Row and column exchanged.
    pub(super) fn swap(&mut self, poly: &Poly) -> Result<Poly, Refused> {
        self.rename(poly, |ix| match ix {
            Ix::ROW => Ix::COL,
            Ix::COL => Ix::ROW,
            other => other,
        })
    }

    /// The product of two matrices, whose inner axes have a size.
    pub(super) fn product_over(
        &mut self,
        left: &Poly,
        right: &Poly,
        size: SizeId,
    ) -> Result<Poly, Refused> {
        let left = self.rename(left, |ix| if ix == Ix::COL { Ix::MID } else { ix })?;
        let right = self.rename(right, |ix| if ix == Ix::ROW { Ix::MID } else { ix })?;
        let product = self.mul(&left, &right)?;
        self.sum(&product, Ix::MID, size)
    }

    /// Σ over a free index: Σ (A + B) = Σ A + Σ B, Σ Σ merged, and Σ A = A * dim where A does not mention the index.
    pub(super) fn sum(&mut self, poly: &Poly, over: Ix, size: SizeId) -> Result<Poly, Refused> {
        if self.ctx.sizes.is_one(size) {
            return Ok(poly.clone());
        }
        let dim = self.ctx.size_value(size);
        let mut sum = Poly::default();
        for (term, c) in &poly.terms {
            let mut c = *c;
            let mut factors = term.0.clone();
            if let Some(unmoved) = self.sum_of_moved(term, c, (over, size))? {
                sum = self.add(sum, &unmoved)?;
                continue;
            }
            if term.mentions(over) {
                let fresh = Ix::bound(term.bound_end());
                let bind = |ix: Ix| if ix == over { fresh } else { ix };
                factors = factors.iter().map(|f| f.map(bind)).collect();
            } else {
                match &dim {
                    Ok(n) => c = c.times(*n),
                    Err(factor) => factors.push(factor.clone()),
                }
            }
            self.add_term(&mut sum, factors, c)?;
        }
        Ok(sum)
    }
}
