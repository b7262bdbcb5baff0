//! Aggregates over operators that only move cells to other places, such as `sum(rev(X))`: the aggregate does not see the
//! move. Must never touch a term in which something else says where the cells were.

use sumac_la::Op;

use super::Refused;
use super::atom::AtomKind;
use super::coefficient::Coefficient;
use super::poly::{Algebra, Poly, Polyterm};
use super::shapes::Shape;
use super::sizes::SizeId;
use super::term::{Factor, Ix, Term};

/// What Σ over an index may sum instead of a term.
struct Unmoved {
    /// What is summed; indices that were bound are free.
    poly: Poly,
    /// The indices to sum over, with their sizes.
    over: Vec<(Ix, SizeId)>,
}

impl Algebra<'_> {
    /// Σ over `index`, of length `size`, of a term, in which an operator moves the cells along that axis and nothing else
    /// has it. `None` where there is none such.
    pub(super) fn sum_of_moved(
        &mut self,
        term: &Term,
        c: Coefficient,
        (index, size): (Ix, SizeId),
    ) -> Result<Option<Poly>, Refused> {
        let Some(unmoved) = self.unmoved(term, (index, size))? else {
            return Ok(None);
        };
        let mut sum = unmoved.poly.scaled(c);
        for (ix, size) in unmoved.over {
            sum = self.sum(&sum, ix, size)?;
        }
        Ok(Some(sum))
    }

    fn unmoved(
        &mut self,
        term: &Term,
        (index, size): (Ix, SizeId),
    ) -> Result<Option<Unmoved>, Refused> {
        let mentions = |f: &&Factor, ix: Ix| f.at.contains(&ix);
        let uses = |ix: Ix| term.0.iter().filter(|f| mentions(f, ix)).count();
        let Some((op, at, inner)) = term
            .0
            .iter()
            .find_map(|f| match &self.ctx.atom(f.atom).kind {
                AtomKind::Whole { op, args, .. } if f.power == 1 && f.at.contains(&index) => {
                    Some((*op, f.clone(), args[0].clone()))
                }
                _ => None,
            })
        else {
            return Ok(None);
        };
        let is_alone = |ix: &Ix| uses(*ix) == 1 && (*ix == index || ix.bound_number().is_some());
        let fits = match op {
            Op::Rev => at.at[0] == index && uses(index) == 1 && at.at.get(1) != Some(&index),
            Op::Reshape => at.at.iter().all(is_alone) && at.at.first() != at.at.get(1),
            _ => false,
        };
        if !fits {
            return Ok(None);
        }
        // While the operator is taken away, what was bound is free.
        let mut bound: Vec<(Ix, SizeId)> = Vec::new();
        for factor in &term.0 {
            for (ix, size) in factor.at.iter().zip(&self.ctx.atom(factor.atom).axes) {
                if ix.bound_number().is_some() && bound.iter().all(|(known, _)| known != ix) {
                    bound.push((*ix, *size));
                }
            }
        }
        let free = |ix: Ix| match bound.iter().position(|(known, _)| *known == ix) {
            Some(n) => Ix::other(n),
            None => ix,
        };
        let rest = term.0.iter().filter(|f| **f != at).map(|f| f.map(free));
        let rest = self.product(rest.collect())?;
        let mut over: Vec<(Ix, SizeId)> =
            bound.iter().map(|(ix, size)| (free(*ix), *size)).collect();
        let at = at.map(free);
        let inner = if op == Op::Rev {
            over.push((index, size));
            self.place(&inner.poly, &at)?
        } else {
            over.retain(|(ix, _)| !at.at.contains(ix));
            let (rows, cols) = self.shape_of(&inner);
            let (row, col) = (Ix::other(bound.len()), Ix::other(bound.len() + 1));
            over.extend([(row, rows), (col, cols)]);
            self.rename(&inner.poly, |ix| match ix {
                Ix::ROW => row,
                Ix::COL => col,
                other => other,
            })?
        };
        let poly = self.mul(&inner, &rest)?;
        Ok(Some(Unmoved { poly, over }))
    }

    fn shape_of(&mut self, polyterm: &Polyterm) -> Shape {
        let rows = self.ctx.sizes.size(polyterm.rows.0.clone());
        (rows, self.ctx.sizes.size(polyterm.cols.0.clone()))
    }

    /// What an operator over whole matrices may be applied to instead of `arg`: without what only moves cells within those
    /// that it aggregates, without smaller aggregates of the same kind, and, for `rev`, without another `rev`.
    pub(super) fn without_moves(&mut self, op: Op, mut arg: Polyterm) -> Result<Polyterm, Refused> {
        loop {
            let inner = match self.as_atom(&arg.poly) {
                Some((
                    factor,
                    AtomKind::Whole {
                        op: inner, args, ..
                    },
                )) => {
                    let axis = factor.at.first().copied();
                    let by_row = axis == Some(Ix::ROW);
                    let fits = match (op, inner) {
                        (Op::Min, Op::RowMins) | (Op::Max, Op::RowMaxs) => true,
                        (Op::Min | Op::Max | Op::Prod, Op::Rev | Op::Reshape) => true,
                        (Op::ColMins | Op::ColMaxs, Op::Rev) => by_row,
                        (Op::RowMins | Op::RowMaxs, Op::Rev) => axis == Some(Ix::COL),
                        _ => false,
                    };
                    fits.then(|| (factor.clone(), args[0].clone()))
                }
                _ => None,
            };
            let Some((factor, inner)) = inner else {
                return Ok(arg);
            };
            arg = match op {
                Op::Min | Op::Max | Op::Prod => inner,
                _ => Polyterm {
                    poly: self.place(&inner.poly, &factor)?,
                    ..arg
                },
            };
        }
    }

    /// The matrix of which `poly` is `rev`.
    pub(super) fn reversed(&mut self, poly: &Poly) -> Result<Option<Poly>, Refused> {
        match self.as_atom(poly) {
            Some((
                factor,
                AtomKind::Whole {
                    op: Op::Rev, args, ..
                },
            )) if factor.at.first() == Some(&Ix::ROW) => {
                let (inner, factor) = (args[0].poly.clone(), factor.clone());
                self.place(&inner, &factor).map(Some)
            }
            _ => Ok(None),
        }
    }
}
