//! Cellwise functions by their definitions and laws, for the deep form: powers and products of exponential functions and
//! logarithms, roots, trigonometric functions of sums, whole parts. `log` and `sqrt` stand for those of the absolute value
//! there, which are the same wherever both are defined: where that is, the [domain](super::domain) says, and must be asked.

use sumac_la::Op;

use super::Refused;
use super::atom::{AtomKind, Function};
use super::coefficient::Coefficient;
use super::fold::fold;
use super::function::MAX_EXPONENT;
use super::poly::{Algebra, Poly};
use super::term::{Factor, Term};

/// Multiples of an angle that are written out.
const MAX_MULTIPLE: i128 = 4;
/// Angles of a sum that are written out.
const MAX_ANGLES: usize = 3;

const EXP: Function = Function::Cellwise(Op::Exp);
const SIGMOID: Function = Function::Cellwise(Op::Sigmoid);
const SQRT: Function = Function::Cellwise(Op::Sqrt);
const LOG: Function = Function::Cellwise(Op::Log);

impl Algebra<'_> {
    /// A cellwise operator in the deep form.
    pub(super) fn deep(&mut self, op: Op, args: Vec<Poly>) -> Result<Poly, Refused> {
        if let Some(poly) = self.by_cases(op, &args)? {
            return Ok(poly);
        }
        let constants: Option<Vec<Coefficient>> = args.iter().map(Poly::as_constant).collect();
        if let Some(value) = constants.as_ref().and_then(|c| fold(op, c)) {
            return Ok(self.number(value));
        }
        if let Some(cases) = self.cases(&args, &mut |algebra, args| {
            algebra.cellwise(op, args.to_vec())
        })? {
            return Ok(cases);
        }
        let (half, one) = (Coefficient::fraction(1, 2), self.integer(1));
        match (op, &args[..]) {
            (Op::Exp, [x]) => self.exp(x),
            (Op::Log, [x]) => self.log(x),
            (Op::LogBase, [x, base]) => {
                let (log, base) = (self.log(x)?, self.log(base)?);
                let inverse = self.recip(&base)?;
                self.mul(&log, &inverse)
            }
            (Op::Sqrt, [x]) => self.sqrt(x),
            (Op::Sigmoid, [x]) => self.sigmoid(x),
            (Op::Tanh, [x]) => {
                let twice = x.clone().scaled(Coefficient::integer(2));
                let sigmoid = self.sigmoid(&twice)?.scaled(Coefficient::integer(2));
                self.add(sigmoid, &one.negated())
            }
            (Op::Cosh | Op::Sinh, [x]) => {
                let (up, down) = (self.exp(x)?, self.exp(&x.clone().negated())?);
                let down = if op == Op::Cosh { down } else { down.negated() };
                Ok(self.add(up, &down)?.scaled(half))
            }
            (Op::Sin | Op::Cos, [x]) => match self.angles(op, x)? {
                Some(sum) => Ok(sum),
                None => self.intern(Function::Cellwise(op), args),
            },
            (Op::Floor, [x]) => self.floor(x),
            (Op::Ceil, [x]) => Ok(self.floor(&x.clone().negated())?.negated()),
            _ => self.intern(Function::Cellwise(op), args),
        }
    }

    /// The rest of a division of matrices by the whole quotient, which is rounded toward zero and within 64 bits.
    pub(super) fn divided(&mut self, op: Op, x: &Poly, y: &Poly) -> Result<Poly, Refused> {
        let whole = self.cellwise(Op::IntDiv, vec![x.clone(), y.clone()])?;
        if op == Op::IntDiv {
            return Ok(whole);
        }
        let taken = self.mul(&whole, y)?;
        self.add(x.clone(), &taken.negated())
    }

    pub(super) fn deep_power(&mut self, base: &Poly, exponent: &Poly) -> Result<Poly, Refused> {
        let Some(constant) = exponent.as_constant() else {
            let both = [base.clone(), exponent.clone()];
            if let Some(cases) = self.cases(&both, &mut |algebra, args| {
                algebra.deep_power(&args[0], &args[1])
            })? {
                return Ok(cases);
            }
            if base.is_number(0) {
                return self.intern(Function::Cellwise(Op::Pow), both.to_vec());
            }
            let log = self.log(base)?;
            let times = self.mul(exponent, &log)?;
            return self.exp(&times);
        };
        if let Some(k) = constant.whole().and_then(|k| i32::try_from(k).ok())
            && k.unsigned_abs() <= MAX_EXPONENT
        {
            return self.whole_power(base, k);
        }
        let twice = constant.times(Coefficient::integer(2)).whole();
        match twice.and_then(|k| i32::try_from(k).ok()) {
            Some(k) if k.unsigned_abs() <= MAX_EXPONENT => {
                let root = self.cellwise(Op::Sqrt, vec![base.clone()])?;
                self.whole_power(&root, k)
            }
            _ => {
                let args = vec![base.clone(), exponent.clone()];
                self.intern(Function::Cellwise(Op::Pow), args)
            }
        }
    }

    /// The reciprocal of what has one by definition.
    pub(super) fn deep_recip(&mut self, x: &Poly) -> Result<Option<Poly>, Refused> {
        if x.is_number(0) {
            return self
                .intern(Function::Recip, vec![Poly::default()])
                .map(Some);
        }
        if let Some(argument) = self.as_sigmoid(x)? {
            let (one, exp) = (self.integer(1), self.exp(&argument.negated())?);
            return self.add(one, &exp).map(Some);
        }
        if let Some((c, argument)) = self.as_one_plus_exp(x)? {
            let sigmoid = self.sigmoid(&argument.negated())?;
            return Ok(Some(sigmoid.scaled(c.inverse())));
        }
        if let Some((factors, c)) = Self::factors(x)
            && !c.is_zero()
        {
            let mut product = self.number(c.inverse());
            let mut is_known = false;
            for factor in factors {
                let is_exp = matches!(&self.ctx.atom(factor.atom).kind,
                    AtomKind::Cell(function, _) if *function == EXP);
                let inverse = if is_exp {
                    is_known = true;
                    self.product(vec![Factor {
                        power: -factor.power,
                        ..factor
                    }])?
                } else {
                    self.recip_of_factor(&factor)?
                };
                product = self.mul(&product, &inverse)?;
            }
            return Ok(is_known.then_some(product));
        }
        Ok(None)
    }

    /// `exp` of a sum is the product of its terms' `exp`; that of a logarithm a power.
    pub(super) fn exp(&mut self, x: &Poly) -> Result<Poly, Refused> {
        let mut product = self.integer(1);
        for (term, c) in &x.terms {
            let part = self.exp_of_term(term, *c)?;
            product = self.mul(&product, &part)?;
        }
        Ok(product)
    }

    /// exp(c t), as a whole power of exp(t / q).
    pub(super) fn exp_of_term(&mut self, term: &Term, c: Coefficient) -> Result<Poly, Refused> {
        if let [factor] = &term.0[..]
            && factor.power == 1
            && let AtomKind::Cell(LOG, args) = &self.ctx.atom(factor.atom).kind
            && let Some(twice) = c.times(Coefficient::integer(2)).whole()
            && let Ok(twice) = i32::try_from(twice)
            && twice.unsigned_abs() <= 2 * MAX_EXPONENT
            && args[0].terms.keys().all(|t| t.bound_end() == 0)
        {
            let argument = args[0].clone();
            let argument = self.place(&argument, factor)?;
            let size = self.absolute(&argument)?;
            if twice % 2 == 0 {
                return self.whole_power(&size, twice / 2);
            }
            let root = self.cellwise(Op::Sqrt, vec![size])?;
            return self.whole_power(&root, twice);
        }
        let (over, under) = match c.parts() {
            Some((over, under)) => match i32::try_from(over) {
                Ok(over) if over.unsigned_abs() <= 64 => (over, under),
                _ => (0, 1),
            },
            None => (0, 1),
        };
        let single = self.product(term.0.clone())?;
        if over == 0 {
            return self.intern(EXP, vec![single.scaled(c)]);
        }
        let part = single.scaled(Coefficient::fraction(1, under));
        let atom = self.intern(EXP, vec![part])?;
        let Some((Term(factors), _)) = atom.as_term() else {
            return Ok(atom);
        };
        let powers = factors.iter().map(|f| Factor {
            power: over,
            ..f.clone()
        });
        self.product(powers.collect())
    }

    pub(super) fn sigmoid(&mut self, x: &Poly) -> Result<Poly, Refused> {
        if let Some(c) = x.as_constant()
            && let Some(value) = fold(Op::Sigmoid, &[c])
        {
            return Ok(self.number(value));
        }
        if self.is_led_by_minus(x) {
            let one = self.integer(1);
            let other = self.intern(SIGMOID, vec![x.clone().negated()])?;
            return self.add(one, &other.negated());
        }
        self.intern(SIGMOID, vec![x.clone()])
    }

    /// Whether the first term that is no constant is subtracted.
    pub(super) fn is_led_by_minus(&self, x: &Poly) -> bool {
        let leading = super::reduce::leading(x);
        leading.is_some_and(|(_, c)| c.sign() < 0)
    }

    /// The argument, if this is `sigmoid` of it.
    fn as_sigmoid(&mut self, x: &Poly) -> Result<Option<Poly>, Refused> {
        let one = self.integer(1);
        let rest = self.add(one, &x.clone().negated())?;
        for (poly, is_opposite) in [(x, false), (&rest, true)] {
            if let Some((factor, AtomKind::Cell(SIGMOID, args))) = self.as_atom(poly) {
                let (factor, argument) = (factor.clone(), args[0].clone());
                let argument = self.place(&argument, &factor)?;
                return Ok(Some(if is_opposite {
                    argument.negated()
                } else {
                    argument
                }));
            }
        }
        Ok(None)
    }

    /// The `c` and p of c + c exp(p).
    fn as_one_plus_exp(&mut self, x: &Poly) -> Result<Option<(Coefficient, Poly)>, Refused> {
        let mut terms = x.terms.iter();
        let (Some((one, c)), Some((term, d)), None) = (terms.next(), terms.next(), terms.next())
        else {
            return Ok(None);
        };
        if !one.0.is_empty() || c != d || term.bound_end() > 0 {
            return Ok(None);
        }
        let (c, term) = (*c, term.clone());
        let mut sum = Poly::default();
        for factor in &term.0 {
            let AtomKind::Cell(EXP, args) = &self.ctx.atom(factor.atom).kind else {
                return Ok(None);
            };
            let argument = args[0].clone();
            let argument = self.place(&argument, factor)?;
            let times = Coefficient::integer(factor.power.into());
            sum = self.add(sum, &argument.scaled(times))?;
        }
        Ok(Some((c, sum)))
    }

    /// The logarithm of the absolute value.
    pub(super) fn log(&mut self, x: &Poly) -> Result<Poly, Refused> {
        if let Some(c) = x.as_constant() {
            return match self.log_of(c)? {
                Some(sum) => Ok(sum),
                None => self.intern(LOG, vec![x.clone()]),
            };
        }
        if let Some(argument) = self.as_sigmoid(x)? {
            let (one, exp) = (self.integer(1), self.exp(&argument.negated())?);
            let sum = self.add(one, &exp)?;
            return Ok(self.log(&sum)?.negated());
        }
        let Some((factors, c)) = Self::factors(x) else {
            return self.log_of_sum(x);
        };
        let Some(mut sum) = self.log_of(c.abs())? else {
            return self.intern(LOG, vec![x.clone()]);
        };
        for factor in factors {
            let mut times = Coefficient::integer(factor.power.into());
            let single = Factor { power: 1, ..factor };
            let argument = match &self.ctx.atom(single.atom).kind {
                AtomKind::Cell(function, args) => Some((*function, args[0].clone())),
                _ => None,
            };
            let part = match argument {
                Some((EXP, argument)) => self.place(&argument, &single)?,
                Some((SQRT, argument)) => {
                    times = times.times(Coefficient::fraction(1, 2));
                    let argument = self.place(&argument, &single)?;
                    self.log(&argument)?
                }
                Some((Function::Recip, argument)) if !argument.is_number(0) => {
                    times = times.negative();
                    let argument = self.place(&argument, &single)?;
                    self.log(&argument)?
                }
                Some((SIGMOID, argument)) => {
                    let argument = self.place(&argument, &single)?;
                    let (one, exp) = (self.integer(1), self.exp(&argument.negated())?);
                    let whole = self.add(one, &exp)?;
                    self.log_of_sum(&whole)?.negated()
                }
                _ => {
                    let product = self.product(vec![single])?;
                    self.intern(LOG, vec![product])?
                }
            };
            sum = self.add(sum, &part.scaled(times))?;
        }
        Ok(sum)
    }

    fn log_of_sum(&mut self, x: &Poly) -> Result<Poly, Refused> {
        let (part, c) = self.monic(x);
        let log = self.intern(LOG, vec![part])?;
        match self.log_of(c.abs())? {
            Some(rest) => self.add(rest, &log),
            None => self.intern(LOG, vec![x.clone()]),
        }
    }

    /// A sum as a number times one whose first term has no factor.
    fn monic(&self, x: &Poly) -> (Poly, Coefficient) {
        match super::reduce::leading(x) {
            Some((_, c)) => (x.clone().scaled(c.inverse()), c),
            None => (x.clone(), Coefficient::integer(1)),
        }
    }

    /// The root of the absolute value.
    pub(super) fn sqrt(&mut self, x: &Poly) -> Result<Poly, Refused> {
        if let Some(c) = x.as_constant() {
            return match self.root_of(c)? {
                Some(root) => Ok(root),
                None => self.intern(SQRT, vec![x.clone()]),
            };
        }
        let Some((factors, c)) = Self::factors(x) else {
            let (part, c) = self.monic(x);
            let root = self.intern(SQRT, vec![part])?;
            return match self.root_of(c.abs())? {
                Some(outside) => self.mul(&outside, &root),
                None => self.intern(SQRT, vec![x.clone()]),
            };
        };
        let Some(mut product) = self.root_of(c.abs())? else {
            return self.intern(SQRT, vec![x.clone()]);
        };
        for factor in factors {
            let power = factor.power;
            let single = Factor { power: 1, ..factor };
            let argument = match &self.ctx.atom(single.atom).kind {
                AtomKind::Cell(EXP, args) => Some(args[0].clone()),
                _ => None,
            };
            let root = match argument {
                Some(argument) => {
                    let argument = self.place(&argument, &single)?;
                    let times = Coefficient::fraction(power.into(), 2);
                    self.exp(&argument.scaled(times))?
                }
                None if power % 2 == 0 => {
                    let single = self.product(vec![single])?;
                    let size = self.absolute(&single)?;
                    self.whole_power(&size, power / 2)?
                }
                None => {
                    let single = self.product(vec![single])?;
                    let root = self.intern(SQRT, vec![single])?;
                    self.whole_power(&root, power)?
                }
            };
            product = self.mul(&product, &root)?;
        }
        Ok(product)
    }

    /// `sin` or `cos` of a sum or a multiple of angles.
    fn angles(&mut self, op: Op, x: &Poly) -> Result<Option<Poly>, Refused> {
        let other = |op| if op == Op::Sin { Op::Cos } else { Op::Sin };
        let is_led_by_minus =
            self.is_led_by_minus(x) || x.as_constant().is_some_and(|c| c.sign() < 0);
        if x.terms.len() == 1 && is_led_by_minus {
            let value = self.cellwise(op, vec![x.clone().negated()])?;
            return Ok(Some(if op == Op::Sin {
                value.negated()
            } else {
                value
            }));
        }
        // x = a + b
        let (a, b) = if let Some((term, c)) = x.as_term() {
            match c.whole() {
                Some(k) if (2..=MAX_MULTIPLE).contains(&k) => {
                    let one = Poly {
                        terms: [(term.clone(), Coefficient::integer(1))].into(),
                    };
                    (one.clone(), one.scaled(Coefficient::integer(k - 1)))
                }
                _ => return Ok(None),
            }
        } else if x.terms.len() <= MAX_ANGLES {
            let mut terms = x.terms.clone();
            let Some((term, c)) = terms.pop_first() else {
                return Ok(None);
            };
            let first = Poly {
                terms: [(term, c)].into(),
            };
            (first, Poly { terms })
        } else {
            return Ok(None);
        };
        let of = |algebra: &mut Self, op, x: &Poly| algebra.cellwise(op, vec![x.clone()]);
        let (same_a, other_a) = (of(self, op, &a)?, of(self, other(op), &a)?);
        let (same_b, other_b) = (of(self, op, &b)?, of(self, other(op), &b)?);
        let sum = if op == Op::Sin {
            let first = self.mul(&same_a, &other_b)?;
            let second = self.mul(&other_a, &same_b)?;
            self.add(first, &second)?
        } else {
            let first = self.mul(&same_a, &same_b)?;
            let second = self.mul(&other_a, &other_b)?;
            self.add(first, &second.negated())?
        };
        Ok(Some(sum))
    }

    /// `floor`, with what is a whole number taken out.
    fn floor(&mut self, x: &Poly) -> Result<Poly, Refused> {
        let (mut outside, mut inside) = (Poly::default(), Poly::default());
        for (term, c) in &x.terms {
            let is_whole = term.0.iter().all(|f| f.power > 0 && self.is_whole(f));
            let part = |c: Coefficient| Poly {
                terms: if c.is_zero() {
                    std::collections::BTreeMap::new()
                } else {
                    [(term.clone(), c)].into()
                },
            };
            match c.floor() {
                Some(floor) if is_whole => {
                    outside = self.add(outside, &part(floor))?;
                    inside = self.add(inside, &part(c.plus(floor.negative())))?;
                }
                _ => inside = self.add(inside, &part(*c))?,
            }
        }
        let rest = match inside.as_constant() {
            Some(c) => match c.floor() {
                Some(floor) => self.number(floor),
                None => self.intern(Function::Cellwise(Op::Floor), vec![inside])?,
            },
            None => self.intern(Function::Cellwise(Op::Floor), vec![inside])?,
        };
        self.add(outside, &rest)
    }

    /// Whether the value is a whole number.
    fn is_whole(&self, factor: &Factor) -> bool {
        matches!(
            &self.ctx.atom(factor.atom).kind,
            AtomKind::Delta
                | AtomKind::Size(_)
                | AtomKind::Cell(Function::Cellwise(Op::Floor | Op::Gt), _)
        )
    }
}
