//! Whether a difference is zero wherever conditions hold, each of their edges looked at by itself. Must never say so of a place
//! where a condition does not hold.

use sumac_la::Op;

use super::Refused;
use super::atom::{AtomId, AtomKind, Function};
use super::domain::Condition;
use super::poly::{Algebra, Poly};
use super::term::{Factor, Ix};

/// Edges of conditions on which a difference is looked at by itself.
const MAX_EDGES: usize = 3;

/// Something that is not negative: it is greater than zero, or it is zero.
struct Edge {
    /// The comparison.
    above: AtomId,
    /// What is compared with zero.
    of: AtomId,
}

/// The factor, if there is nothing else.
fn single(p: &Poly) -> Option<Factor> {
    match p.as_term() {
        Some((term, c)) if c.is_one() => match &term.0[..] {
            [factor] if factor.power == 1 => Some(factor.clone()),
            _ => None,
        },
        _ => None,
    }
}

impl Algebra<'_> {
    /// Whether a difference is zero wherever the conditions hold.
    pub(super) fn is_zero_where(
        &mut self,
        difference: &Poly,
        conditions: &[Condition],
    ) -> Result<bool, Refused> {
        let mut values: Vec<(AtomId, Poly)> = Vec::new();
        for condition in conditions {
            self.values_where(&condition.truth, &mut values)?;
        }
        let mut edges = Vec::new();
        for condition in conditions {
            edges.extend(self.edge(&condition.truth)?);
        }
        edges.truncate(MAX_EDGES);
        self.is_zero_with(difference, &mut values, &edges)
    }

    /// Whether a difference is zero for these values, inside of each edge and on it.
    fn is_zero_with(
        &mut self,
        difference: &Poly,
        values: &mut Vec<(AtomId, Poly)>,
        edges: &[Edge],
    ) -> Result<bool, Refused> {
        let Some((edge, rest)) = edges.split_first() else {
            self.ctx.cancels = true;
            let rest = self.replaced(difference, values);
            let rest = rest.and_then(|rest| self.without_fractions(rest));
            self.ctx.cancels = false;
            return Ok(rest?.terms.is_empty());
        };
        for is_inside in [true, false] {
            let known = values.len();
            let above = self.integer(i128::from(is_inside));
            values.insert(0, (edge.above, above));
            if !is_inside {
                values.insert(0, (edge.of, Poly::default()));
            }
            if !self.is_zero_with(difference, values, rest)? {
                return Ok(false);
            }
            let added = values.len() - known;
            values.drain(..added);
        }
        Ok(true)
    }

    /// The edge of a condition that something is not negative.
    fn edge(&mut self, truth: &Poly) -> Result<Option<Edge>, Refused> {
        let below = self.opposite(truth)?;
        let Some(factor) = single(&below) else {
            return Ok(None);
        };
        let AtomKind::Cell(Function::Cellwise(Op::Gt), args) = &self.ctx.atom(factor.atom).kind
        else {
            return Ok(None);
        };
        let plus = args[0].clone().negated();
        let above = self.positive(&plus)?;
        Ok(single(&plus).zip(single(&above)).map(|(of, above)| Edge {
            above: above.atom,
            of: of.atom,
        }))
    }

    /// What comparisons are where a condition holds.
    fn values_where(
        &mut self,
        truth: &Poly,
        values: &mut Vec<(AtomId, Poly)>,
    ) -> Result<(), Refused> {
        let opposite = self.opposite(truth)?;
        if let Some(factor) = single(truth) {
            // p > 0, so -p > 0 does not hold.
            if let AtomKind::Cell(Function::Cellwise(Op::Gt), args) =
                &self.ctx.atom(factor.atom).kind
            {
                let minus = args[0].clone().negated();
                values.push((factor.atom, self.integer(1)));
                let below = self.positive(&minus)?;
                if let Some(below) = single(&below) {
                    values.push((below.atom, Poly::default()));
                }
            }
        } else if let Some(factor) = single(&opposite) {
            values.push((factor.atom, Poly::default()));
        } else if truth.terms.len() == 2 {
            let parts: Vec<Poly> = truth
                .terms
                .iter()
                .map(|(t, c)| Poly {
                    terms: [(t.clone(), *c)].into(),
                })
                .collect();
            let [Some(a), Some(b)] = [single(&parts[0]), single(&parts[1])] else {
                return Ok(());
            };
            // One of p > 0 and -p > 0 holds.
            let argument = |factor: &Factor| match &self.ctx.atom(factor.atom).kind {
                AtomKind::Cell(Function::Cellwise(Op::Gt), args) => Some(args[0].clone()),
                _ => None,
            };
            if let (Some(p), Some(q)) = (argument(&a), argument(&b))
                && p.equals(&q.negated())
                && a.at == b.at
            {
                let (kept, lost) = if self.is_led_by_minus(&p) {
                    (b, a)
                } else {
                    (a, b)
                };
                let known = self.product(vec![kept])?;
                let value = self.opposite(&known)?;
                // The value stands where the other stood.
                if lost
                    .at
                    .iter()
                    .enumerate()
                    .all(|(n, ix)| *ix == if n == 0 { Ix::ROW } else { Ix::COL })
                {
                    values.push((lost.atom, value));
                }
            }
        }
        Ok(())
    }

    /// A sum times what it is divided by, where that is not summed over: zero where the sum is.
    fn without_fractions(&mut self, mut poly: Poly) -> Result<Poly, Refused> {
        for _ in 0..8 {
            let mut found = None;
            for factor in poly.terms.keys().flat_map(|t| &t.0) {
                if let AtomKind::Cell(Function::Recip, args) = &self.ctx.atom(factor.atom).kind
                    && factor.at.iter().all(|ix| ix.bound_number().is_none())
                    && !args[0].terms.is_empty()
                {
                    found = Some((factor.clone(), args[0].clone()));
                    break;
                }
            }
            let Some((factor, argument)) = found else {
                return Ok(poly);
            };
            let under = self.place(&argument, &factor)?;
            let is_it = |f: &&Factor| f.atom == factor.atom && f.at == factor.at;
            let power = |t: &super::term::Term| t.0.iter().find(is_it).map_or(0, |f| f.power);
            let most = poly.terms.keys().map(power).max().unwrap_or(0);
            let mut sum = Poly::default();
            for (term, c) in &poly.terms.clone() {
                let rest = term.0.iter().filter(|f| !is_it(f)).cloned().collect();
                let rest = self.product(rest)?.scaled(*c);
                let times = self.whole_power(&under, most - power(term))?;
                let part = self.mul(&rest, &times)?;
                sum = self.add(sum, &part)?;
            }
            poly = sum;
        }
        Ok(poly)
    }
}
