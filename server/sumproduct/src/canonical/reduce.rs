//! Products of functions that have a simpler form: powers of roots, products of exponential functions, comparisons on one
//! line. Each rule holds wherever both sides are defined. Must never look at what a product is part of.

use sumac_la::Op;

use super::Refused;
use super::atom::{AtomId, AtomKind, Function};
use super::coefficient::Coefficient;
use super::poly::{Algebra, Poly};
use super::sizes::SizeId;
use super::term::{Factor, Ix, Term, collect_powers};

/// Applications of rules in one form.
const MAX_STEPS: usize = 20_000;
/// Rules that are applied inside one another.
const MAX_NESTING: usize = 32;

/// The term that leads a sum, with its number: of most factors, and no constant.
pub(super) fn leading(poly: &Poly) -> Option<(&Term, Coefficient)> {
    let degree = |t: &Term| t.0.iter().map(|f| f.power.unsigned_abs()).sum::<u32>();
    poly.terms
        .iter()
        .filter(|(t, _)| !t.0.is_empty())
        .max_by_key(|(t, _)| (degree(t), (*t).clone()))
        .map(|(t, c)| (t, *c))
}

fn plain(function: Op) -> Function {
    Function::Cellwise(function)
}

impl Algebra<'_> {
    /// What a rule makes of something may have the rule applied again: so deep, and no deeper.
    pub(super) fn nested<T>(
        &mut self,
        rule: impl FnOnce(&mut Self) -> Result<T, Refused>,
    ) -> Result<T, Refused> {
        if self.ctx.nesting >= MAX_NESTING {
            return Err(Refused::Nesting(MAX_NESTING));
        }
        self.ctx.nesting += 1;
        let made = rule(self);
        self.ctx.nesting -= 1;
        made
    }

    /// Counts a rule that is applied.
    pub(super) fn count_step(&mut self) -> Result<(), Refused> {
        self.ctx.steps += 1;
        if self.ctx.steps > MAX_STEPS {
            return Err(Refused::Steps(MAX_STEPS));
        }
        Ok(())
    }

    /// A product as a sum of products, where a rule of its factors applies.
    pub(super) fn reduced(&mut self, factors: &[Factor]) -> Result<Option<Poly>, Refused> {
        if !self.ctx.has_roots && !self.ctx.is_deep {
            return Ok(None);
        }
        let is_function = |f: &Factor| matches!(self.ctx.atom(f.atom).kind, AtomKind::Cell(..));
        if !factors.iter().any(is_function) {
            return Ok(None);
        }
        let factors = self.collected(factors);
        if let Some(poly) = self.root_powers(&factors)? {
            return Ok(Some(poly));
        }
        if !self.ctx.is_deep {
            return Ok(None);
        }
        // While the rules look, what is bound is free.
        let mut bound: Vec<(Ix, SizeId)> = Vec::new();
        for factor in &factors {
            for (ix, size) in factor.at.iter().zip(&self.ctx.atom(factor.atom).axes) {
                if ix.bound_number().is_some() && bound.iter().all(|(known, _)| known != ix) {
                    bound.push((*ix, *size));
                }
            }
        }
        // Free indices beside row and column are in use already while an operator is taken away.
        let first = factors
            .iter()
            .flat_map(|f| f.at.iter())
            .filter_map(|ix| ix.other_number())
            .max()
            .map_or(0, |n| n + 1);
        let free = |ix: Ix| match bound.iter().position(|(known, _)| *known == ix) {
            Some(n) => Ix::other(first + n),
            None => ix,
        };
        let open: Vec<Factor> = factors.iter().map(|f| f.map(free)).collect();
        let open = self.collected(&open);
        let Some(mut poly) = self.nested(|algebra| algebra.by_rule(&open))? else {
            return Ok(None);
        };
        self.count_step()?;
        for (ix, size) in &bound {
            poly = self.sum(&poly, free(*ix), *size)?;
        }
        Ok(Some(poly))
    }

    fn collected(&self, factors: &[Factor]) -> Vec<Factor> {
        let sorted = factors.iter().map(|f| {
            let mut f = f.clone();
            if self.ctx.is_symmetric(f.atom) {
                f.at.sort_unstable();
            }
            f
        });
        collect_powers(sorted.collect())
    }

    /// Squares of roots of numbers.
    fn root_powers(&mut self, factors: &[Factor]) -> Result<Option<Poly>, Refused> {
        for (n, factor) in factors.iter().enumerate() {
            if factor.power.abs() < 2 {
                continue;
            }
            let AtomKind::Cell(function, args) = &self.ctx.atom(factor.atom).kind else {
                continue;
            };
            let constant = args[0].as_constant().filter(|c| c.sign() > 0);
            if let (true, Some(c)) = (*function == plain(Op::Sqrt), constant) {
                let mut rest = factors.to_vec();
                rest[n].power = factor.power % 2;
                rest.retain(|f| f.power != 0);
                let outside = c.power(factor.power / 2);
                return Ok(Some(self.product(rest)?.scaled(outside)));
            }
        }
        Ok(None)
    }

    /// Where the arguments of a function stand, with those.
    fn argument(&mut self, factor: &Factor, of: Function) -> Result<Option<Poly>, Refused> {
        match &self.ctx.atom(factor.atom).kind {
            AtomKind::Cell(function, args) if *function == of => {
                let argument = args[0].clone();
                self.place(&argument, factor).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn by_rule(&mut self, factors: &[Factor]) -> Result<Option<Poly>, Refused> {
        if let Some(poly) = self.exponentials(factors)? {
            return Ok(Some(poly));
        }
        if let Some(poly) = self.powers_of_functions(factors)? {
            return Ok(Some(poly));
        }
        if let Some(poly) = self.sigmoids(factors)? {
            return Ok(Some(poly));
        }
        if self.ctx.cancels
            && let Some(poly) = self.reciprocals(factors)?
        {
            return Ok(Some(poly));
        }
        self.comparisons(factors)
    }

    /// exp(t / 2)^3 * exp(t / 3) = exp(t / 6)^11.
    fn exponentials(&mut self, factors: &[Factor]) -> Result<Option<Poly>, Refused> {
        let mut found: Vec<(Term, Coefficient, Vec<usize>)> = Vec::new();
        // Of factors that stand alone, whether their powers are in lowest terms.
        let mut is_lowest = vec![true; factors.len()];
        for (n, factor) in factors.iter().enumerate() {
            let Some(argument) = self.argument(factor, plain(Op::Exp))? else {
                continue;
            };
            let (term, c) = match argument.as_term() {
                Some((term, c)) => (term.clone(), c),
                None => continue,
            };
            let times = c.times(Coefficient::integer(factor.power.into()));
            if let (Some((1, under)), Some(whole)) = (c.parts(), times.parts()) {
                is_lowest[n] = whole.1 == under;
            }
            match found.iter_mut().find(|(known, ..)| *known == term) {
                Some((_, sum, places)) => {
                    *sum = sum.plus(times);
                    places.push(n);
                }
                None => found.push((term, times, vec![n])),
            }
        }
        for (term, c, places) in found {
            if let [alone] = places[..]
                && is_lowest[alone]
            {
                continue;
            }
            let whole = self.exp_of_term(&term, c)?;
            let rest = (0..factors.len()).filter(|n| !places.contains(n));
            let rest = self.product(rest.map(|n| factors[n].clone()).collect())?;
            return self.mul(&rest, &whole).map(Some);
        }
        Ok(None)
    }

    /// sqrt(x)^2 = abs(x), cos(x)^2 = 1 - sin(x)^2.
    fn powers_of_functions(&mut self, factors: &[Factor]) -> Result<Option<Poly>, Refused> {
        for (n, factor) in factors.iter().enumerate() {
            if factor.power < 2 {
                continue;
            }
            let square = if let Some(argument) = self.argument(factor, plain(Op::Sqrt))? {
                self.absolute(&argument)?
            } else if let Some(argument) = self.argument(factor, plain(Op::Cos))? {
                let sin = self.intern(plain(Op::Sin), vec![argument])?;
                let (one, square) = (self.integer(1), self.mul(&sin, &sin)?);
                self.add(one, &square.negated())?
            } else {
                continue;
            };
            let mut rest = factors.to_vec();
            rest[n].power -= 2;
            rest.retain(|f| f.power != 0);
            let rest = self.product(rest)?;
            return self.mul(&rest, &square).map(Some);
        }
        Ok(None)
    }

    /// s(x) exp(x) = exp(x) - s(x) and s(x) exp(-x) = 1 - s(x) for the sigmoid.
    fn sigmoids(&mut self, factors: &[Factor]) -> Result<Option<Poly>, Refused> {
        for (n, factor) in factors.iter().enumerate() {
            let Some(argument) = self.argument(factor, plain(Op::Sigmoid))? else {
                continue;
            };
            let exp = self.exp(&argument)?;
            let Some((Term(parts), c)) = exp.as_term() else {
                continue;
            };
            if !c.is_one() || parts.is_empty() {
                continue;
            }
            let parts = parts.clone();
            for sign in [1, -1] {
                let has = |part: &Factor| {
                    factors.iter().any(|f| {
                        f.atom == part.atom
                            && f.at == part.at
                            && (f.power * part.power * sign) >= part.power * part.power
                    })
                };
                if !parts.iter().all(has) {
                    continue;
                }
                let mut rest: Vec<Factor> = factors.to_vec();
                rest[n].power -= 1;
                rest.extend(parts.iter().map(|f| Factor {
                    power: -f.power * sign,
                    ..f.clone()
                }));
                let rest = self.collected(&rest);
                let rest = self.product(rest)?;
                let sigmoid = self.product(vec![Factor {
                    power: 1,
                    ..factor.clone()
                }])?;
                let whole = if sign == 1 { exp } else { self.integer(1) };
                let whole = self.add(whole, &sigmoid.negated())?;
                return self.mul(&rest, &whole).map(Some);
            }
        }
        Ok(None)
    }

    /// x * (1 / x) = 1, where that is asked for.
    fn reciprocals(&mut self, factors: &[Factor]) -> Result<Option<Poly>, Refused> {
        for (n, factor) in factors.iter().enumerate() {
            let Some(argument) = self.argument(factor, Function::Recip)? else {
                continue;
            };
            let Some((Term(parts), c)) = argument.as_term() else {
                continue;
            };
            let [part] = &parts[..] else { continue };
            let Some(m) = factors
                .iter()
                .position(|f| f.atom == part.atom && f.at == part.at && f.power > 0)
            else {
                continue;
            };
            let c = c.inverse();
            let mut rest = factors.to_vec();
            rest[n].power -= 1;
            rest[m].power -= 1;
            rest.retain(|f| f.power != 0);
            return Ok(Some(self.product(rest)?.scaled(c)));
        }
        Ok(None)
    }

    /// Two comparisons of one thing with two numbers; a comparison times what it compares.
    fn comparisons(&mut self, factors: &[Factor]) -> Result<Option<Poly>, Refused> {
        let mut found: Vec<(usize, Poly)> = Vec::new();
        for (n, factor) in factors.iter().enumerate() {
            if let Some(argument) = self.argument(factor, plain(Op::Gt))? {
                if factor.power > 1 {
                    let mut rest = factors.to_vec();
                    rest[n].power = 1;
                    return self.product(rest).map(Some);
                }
                found.push((n, argument));
            }
        }
        for (k, (n, p)) in found.iter().enumerate() {
            for (m, q) in &found[k + 1..] {
                let Some(both) = self.on_one_line(factors, (*n, p), (*m, q))? else {
                    continue;
                };
                let rest = (0..factors.len()).filter(|i| i != n && i != m);
                let rest = self.product(rest.map(|i| factors[i].clone()).collect())?;
                return self.mul(&rest, &both).map(Some);
            }
        }
        for (n, p) in &found {
            if let Some(poly) = self.times_compared(factors, *n, p)? {
                return Ok(Some(poly));
            }
        }
        Ok(None)
    }

    /// The product of p > 0 and q > 0, where q is a multiple of p plus a number.
    fn on_one_line(
        &mut self,
        factors: &[Factor],
        (n, p): (usize, &Poly),
        (m, q): (usize, &Poly),
    ) -> Result<Option<Poly>, Refused> {
        let apart = |x: &Poly| {
            let mut line = x.clone();
            let c = line.terms.remove(&Term::default());
            (line, c.unwrap_or(Coefficient::integer(0)))
        };
        let ((line, c), (other, d)) = (apart(p), apart(q));
        let Some(ratio) = line.ratio(&other).filter(|r| r.is_exact() && !r.is_zero()) else {
            return Ok(None);
        };
        let single = |algebra: &mut Self, n: usize| algebra.product(vec![factors[n].clone()]);
        // p > 0 is ratio * line > -c.
        let (bound, low) = (c.over(ratio).negative(), d.negative());
        let Some(order) = bound.compare(low) else {
            return Ok(None);
        };
        if ratio.sign() > 0 {
            return single(self, if order.is_lt() { m } else { n }).map(Some);
        }
        if order.is_le() {
            return Ok(Some(Poly::default()));
        }
        let (p, q) = (single(self, n)?, single(self, m)?);
        let one = self.integer(1);
        let sum = self.add(p, &q)?;
        self.add(sum, &one.negated()).map(Some)
    }

    /// x * (-x > 0) = x - x * (x > 0): of the two comparisons the one is kept whose first term is added.
    fn times_compared(
        &mut self,
        factors: &[Factor],
        n: usize,
        p: &Poly,
    ) -> Result<Option<Poly>, Refused> {
        let Some((lead, c)) = leading(p).map(|(t, c)| (t.clone(), c)) else {
            return Ok(None);
        };
        if c.sign() > 0 || lead.bound_end() > 0 {
            return Ok(None);
        }
        let mut rest: Vec<Factor> = factors.to_vec();
        rest.remove(n);
        for part in &lead.0 {
            let at = rest
                .iter()
                .position(|f| f.atom == part.atom && f.at == part.at);
            let Some(at) = at else { return Ok(None) };
            if part.power < 0 || rest[at].power < part.power {
                return Ok(None);
            }
            rest[at].power -= part.power;
        }
        rest.retain(|f| f.power != 0);
        let rest = self.product(rest)?;
        let plus = p.clone().negated();
        let above = self.positive(&plus)?;
        let above = self.mul(&plus, &above)?;
        let mut smaller = plus.clone();
        smaller.terms.remove(&lead);
        let below = self.product(vec![factors[n].clone()])?;
        let below = self.mul(&smaller, &below)?;
        let sum = self.add(plus, &above.negated())?;
        let sum = self.add(sum, &below.negated())?;
        let whole = self.mul(&rest, &sum)?;
        Ok(Some(whole.scaled(c.negative().inverse())))
    }

    /// A form in which comparisons have the values that conditions give them.
    pub(super) fn replaced(
        &mut self,
        poly: &Poly,
        values: &[(AtomId, Poly)],
    ) -> Result<Poly, Refused> {
        let mut sum = Poly::default();
        for (term, c) in &poly.terms {
            let mut product = self.integer(1);
            let mut rest = Vec::new();
            for (n, factor) in term.0.iter().enumerate() {
                // What is summed over an index goes on to be.
                let stays = |ix: &Ix| {
                    let mut others = term.0[n + 1..].iter().chain(&rest);
                    ix.bound_number().is_none() || others.any(|f: &Factor| f.at.contains(ix))
                };
                let is_free = factor.at.iter().all(|ix| ix.bound_number().is_none());
                match values.iter().find(|(atom, _)| *atom == factor.atom) {
                    Some((_, value))
                        if is_free
                            || value.as_constant().is_some() && factor.at.iter().all(stays) =>
                    {
                        let value = self.place(&value.clone(), factor)?;
                        product = self.mul(&product, &value)?;
                    }
                    _ => rest.push(factor.clone()),
                }
            }
            let rest = self.product(rest)?;
            let part = self.mul(&product, &rest)?;
            sum = self.add(sum, &part.scaled(*c))?;
        }
        Ok(sum)
    }
}
