//! Comparisons and what is made of them, by definition: `max(x, y)` is `y + (x - y) * (x > y)`, and a function of something
//! that contains a comparison is taken apart into the cases. All of it is for the deep form, in which `x > 0` is the one
//! comparison. Must never use what fails for some finite argument.

use sumac_la::Op;

use super::Refused;
use super::atom::{AtomId, AtomKind, Function};
use super::coefficient::Coefficient;
use super::poly::{Algebra, Poly};
use super::term::{At, Factor};
use super::truth::is_truth;

/// Comparisons in one argument that are taken apart into cases.
const MAX_CASES: usize = 4;
/// Factors of a product whose sign is written as theirs.
const MAX_SIGNS: usize = 3;
/// Terms of a sum that is written out twice.
const MAX_TERMS: usize = 24;

/// The value of a function of arguments in one case.
type Case<'f, 'a> = dyn FnMut(&mut Algebra<'a>, &[Poly]) -> Result<Poly, Refused> + 'f;

/// What is known of the sign of an atom, whatever its arguments are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sign {
    Positive,
    NotNegative,
    Any,
}

impl Algebra<'_> {
    /// A cellwise operator by what it is made of.
    pub(super) fn by_cases(&mut self, op: Op, args: &[Poly]) -> Result<Option<Poly>, Refused> {
        let poly = match (op, args) {
            (Op::Gt, [a, b]) => self.exceeds(a, b)?,
            (Op::Lt, [a, b]) => self.exceeds(b, a)?,
            (Op::Le, [a, b]) => {
                let greater = self.exceeds(a, b)?;
                self.opposite(&greater)?
            }
            (Op::Ge, [a, b]) => {
                let less = self.exceeds(b, a)?;
                self.opposite(&less)?
            }
            (Op::Eq, [a, b]) => {
                let apart = self.differs(a, b)?;
                self.opposite(&apart)?
            }
            (Op::Ne, [a, b]) => self.differs(a, b)?,
            (Op::Not, [a]) => {
                let truth = self.differs(a, &Poly::default())?;
                self.opposite(&truth)?
            }
            (Op::And, [a, b]) => {
                let zero = Poly::default();
                let (a, b) = (self.differs(a, &zero)?, self.differs(b, &zero)?);
                self.mul(&a, &b)?
            }
            (Op::Or, [a, b]) => {
                let zero = Poly::default();
                let (a, b) = (self.differs(a, &zero)?, self.differs(b, &zero)?);
                let both = self.mul(&a, &b)?;
                let either = self.add(a, &b)?;
                self.add(either, &both.negated())?
            }
            (Op::Sign, [a]) => self.sign(a)?,
            (Op::Abs, [a]) => self.absolute(a)?,
            (Op::Max2, [a, b]) => self.larger(a, b)?,
            (Op::Min2, [a, b]) => {
                let larger = self.larger(&a.clone().negated(), &b.clone().negated())?;
                larger.negated()
            }
            (Op::IfElse, [test, yes, no]) => {
                let test = self.differs(test, &Poly::default())?;
                let rest = self.opposite(&test)?;
                let (yes, no) = (self.mul(&test, yes)?, self.mul(&rest, no)?);
                self.add(yes, &no)?
            }
            _ => return Ok(None),
        };
        Ok(Some(poly))
    }

    pub(super) fn opposite(&mut self, truth: &Poly) -> Result<Poly, Refused> {
        let one = self.integer(1);
        self.add(one, &truth.clone().negated())
    }

    fn exceeds(&mut self, a: &Poly, b: &Poly) -> Result<Poly, Refused> {
        let rest = self.add(a.clone(), &b.clone().negated())?;
        self.positive(&rest)
    }

    /// 1 where both differ, otherwise 0.
    fn differs(&mut self, a: &Poly, b: &Poly) -> Result<Poly, Refused> {
        let rest = self.add(a.clone(), &b.clone().negated())?;
        let (above, below) = (self.positive(&rest)?, self.positive(&rest.negated())?);
        self.add(above, &below)
    }

    fn sign(&mut self, x: &Poly) -> Result<Poly, Refused> {
        let (above, below) = (self.positive(x)?, self.positive(&x.clone().negated())?);
        self.add(above, &below.negated())
    }

    pub(super) fn absolute(&mut self, x: &Poly) -> Result<Poly, Refused> {
        if x.terms.len() > MAX_TERMS {
            return self.intern(Function::Cellwise(Op::Abs), vec![x.clone()]);
        }
        let sign = self.sign(x)?;
        self.mul(x, &sign)
    }

    fn larger(&mut self, a: &Poly, b: &Poly) -> Result<Poly, Refused> {
        if a.terms.len() + b.terms.len() > MAX_TERMS {
            return self.intern(Function::Cellwise(Op::Max2), vec![a.clone(), b.clone()]);
        }
        let rest = self.add(a.clone(), &b.clone().negated())?;
        let above = self.positive(&rest)?;
        let above = self.mul(&rest, &above)?;
        self.add(above, b)
    }

    /// 1 where `x` is greater than zero, otherwise 0.
    pub(super) fn positive(&mut self, x: &Poly) -> Result<Poly, Refused> {
        self.count_step()?;
        self.nested(|algebra| algebra.taken_apart(x))
    }

    /// The same, by the cases of what it contains, by its terms or by its factors.
    fn taken_apart(&mut self, x: &Poly) -> Result<Poly, Refused> {
        if let Some(c) = x.as_constant() {
            return Ok(self.integer(i128::from(c.sign() > 0)));
        }
        if let Some(sign) = self.sign_of_constant(x) {
            return Ok(self.integer(i128::from(sign > 0)));
        }
        if let Some(cases) = self.cases(std::slice::from_ref(x), &mut |algebra, args| {
            algebra.positive(&args[0])
        })? {
            return Ok(cases);
        }
        match self.sign_of_sum(x) {
            Some(Sign::Positive) => return Ok(self.integer(1)),
            _ if matches!(
                self.sign_of_sum(&x.clone().negated()),
                Some(Sign::Positive | Sign::NotNegative)
            ) =>
            {
                return Ok(Poly::default());
            }
            _ => {}
        }
        if let Some(signs) = self.positive_product(x)? {
            return Ok(signs);
        }
        let zero = Poly::default();
        self.intern(Function::Cellwise(Op::Gt), vec![x.clone(), zero])
    }

    /// Whether a product is positive, by the signs of its factors.
    fn positive_product(&mut self, x: &Poly) -> Result<Option<Poly>, Refused> {
        let Some((factors, c)) = Self::factors(x) else {
            return Ok(None);
        };
        let mut rest: Vec<Factor> = Vec::new();
        for factor in factors {
            if self.sign_of(&factor) != Sign::Positive {
                rest.push(factor);
            }
        }
        let is_single = matches!(&rest[..], [one] if one.power == 1 && self.inner(one).is_none());
        if rest.len() > MAX_SIGNS || is_single {
            let product = self
                .product(rest)?
                .scaled(Coefficient::integer(c.sign().into()));
            if product.equals(x) {
                return Ok(None);
            }
            let zero = Poly::default();
            return self
                .intern(Function::Cellwise(Op::Gt), vec![product, zero])
                .map(Some);
        }
        let mut sign = self.integer(c.sign().into());
        for factor in rest {
            let own = match self.inner(&factor) {
                Some(inner) => {
                    let argument = self.place(&inner, &factor)?;
                    let own = self.sign(&argument)?;
                    if self.sign_of(&factor) == Sign::NotNegative {
                        self.mul(&own, &own)?
                    } else {
                        own
                    }
                }
                None => {
                    let single = self.product(vec![Factor {
                        power: 1,
                        ..factor.clone()
                    }])?;
                    self.sign(&single)?
                }
            };
            sign = self.mul(&sign, &own)?;
            if factor.power % 2 == 0 {
                sign = self.mul(&sign, &own)?;
            }
        }
        let square = self.mul(&sign, &sign)?;
        let both = self.add(sign, &square)?;
        Ok(Some(both.scaled(Coefficient::fraction(1, 2))))
    }

    /// The argument that has the sign of the factor: of a reciprocal, or of a root but for its size.
    fn inner(&self, factor: &Factor) -> Option<Poly> {
        match &self.ctx.atom(factor.atom).kind {
            AtomKind::Cell(Function::Recip | Function::Cellwise(Op::Sqrt), args)
                if !args[0].terms.is_empty()
                    && args[0].terms.keys().all(|t| t.bound_end() == 0) =>
            {
                Some(args[0].clone())
            }
            _ => None,
        }
    }

    pub(super) fn sign_of(&self, factor: &Factor) -> Sign {
        match &self.ctx.atom(factor.atom).kind {
            AtomKind::Size(_) => Sign::Positive,
            AtomKind::Cell(Function::Cellwise(Op::Exp | Op::Sigmoid), _) => Sign::Positive,
            AtomKind::Cell(Function::Cellwise(Op::Sqrt), args)
                if args[0].as_constant().is_some_and(|c| c.sign() > 0) =>
            {
                Sign::Positive
            }
            AtomKind::Cell(Function::Cellwise(Op::Sqrt | Op::Abs | Op::Gt), _) => Sign::NotNegative,
            AtomKind::Delta => Sign::NotNegative,
            _ => Sign::Any,
        }
    }

    /// The sign of a sum of which no term can be negative.
    pub(super) fn sign_of_sum(&self, x: &Poly) -> Option<Sign> {
        let mut sign = Sign::NotNegative;
        for (term, c) in &x.terms {
            if c.sign() <= 0 {
                return None;
            }
            let mut own = Sign::Positive;
            for factor in &term.0 {
                match self.sign_of(factor) {
                    Sign::Positive => {}
                    Sign::NotNegative => own = Sign::NotNegative,
                    Sign::Any if factor.power % 2 == 0 => own = Sign::NotNegative,
                    Sign::Any => return None,
                }
            }
            // A sum over no cells is zero.
            if own == Sign::Positive && term.bound_end() == 0 {
                sign = Sign::Positive;
            }
        }
        Some(sign)
    }
}

impl<'a> Algebra<'a> {
    /// A function of arguments that contain comparisons: its value in each case. `None` where there are no cases, or too many.
    pub(super) fn cases(
        &mut self,
        args: &[Poly],
        of: &mut Case<'_, 'a>,
    ) -> Result<Option<Poly>, Refused> {
        let mut found: Vec<(AtomId, At)> = Vec::new();
        for factor in args
            .iter()
            .flat_map(|arg| arg.terms.keys())
            .flat_map(|t| &t.0)
        {
            let is_case = matches!(&self.ctx.atom(factor.atom).kind,
                AtomKind::Cell(function, _) if is_truth(*function))
                && factor.at.iter().all(|ix| ix.bound_number().is_none());
            let key = (factor.atom, factor.at.clone());
            if is_case && !found.contains(&key) {
                found.push(key);
            }
        }
        let Some((atom, at)) = found.first().cloned() else {
            return Ok(None);
        };
        if found.len() > MAX_CASES {
            return Ok(None);
        }
        let mut with = |holds: bool| -> Result<Vec<Poly>, Refused> {
            args.iter()
                .map(|arg| self.given(arg, (atom, &at), holds))
                .collect()
        };
        let (yes, no) = (with(true)?, with(false)?);
        let (yes, no) = (of(self, &yes)?, of(self, &no)?);
        let truth = self.product(vec![Factor::new(atom, at)])?;
        let rest = self.opposite(&truth)?;
        let (yes, no) = (self.mul(&truth, &yes)?, self.mul(&rest, &no)?);
        self.add(yes, &no).map(Some)
    }

    /// A sum in which a comparison is known to hold, or not to.
    fn given(
        &mut self,
        poly: &Poly,
        (atom, at): (AtomId, &At),
        holds: bool,
    ) -> Result<Poly, Refused> {
        let mut sum = Poly::default();
        for (term, c) in &poly.terms {
            let is_it = |f: &&Factor| f.atom == atom && f.at == *at;
            if term.0.iter().any(|f| is_it(&f)) {
                if !holds {
                    continue;
                }
                let rest = term.0.iter().filter(|f| !is_it(f)).cloned().collect();
                let rest = self.product(rest)?;
                sum = self.add(sum, &rest.scaled(*c))?;
            } else {
                let same = self.product(term.0.clone())?;
                sum = self.add(sum, &same.scaled(*c))?;
            }
        }
        Ok(sum)
    }
}
