//! Comparisons, logic, and the functions that are made of them, by one kind of comparison: whether something is greater
//! than zero, or is zero. What compares is then a polynomial over atoms whose values are 0 and 1, so that boolean
//! algebra is part of the canonical form. Must never use what fails for some finite argument.

use sumac_la::Op;

use super::Refused;
use super::atom::{Atom, AtomId, AtomKind, Function};
use super::coefficient::Coefficient;
use super::poly::{Algebra, Poly};
use super::term::{Factor, Ix, collect_powers};

/// Terms of a polyterm of which it is worth knowing that all its cells are 0 or 1.
const MAX_TERMS: usize = 8;

/// Whether the cells of a function are 0 or 1.
pub(super) fn is_truth(function: Function) -> bool {
    matches!(function, Function::Cellwise(Op::Gt | Op::Eq))
}

/// Whether no cell of a function is negative.
fn is_nonnegative(function: Function) -> bool {
    let plain = matches!(
        function,
        Function::Cellwise(Op::Abs | Op::Exp | Op::Sigmoid | Op::Sqrt)
    );
    plain || is_truth(function)
}

/// The function of an atom.
fn function(atom: &Atom) -> Option<Function> {
    match &atom.kind {
        AtomKind::Cell(function, _) => Some(*function),
        _ => None,
    }
}

impl Algebra<'_> {
    /// What is known of a cellwise function that compares, or whose value depends on a comparison. `None` for all others.
    pub(super) fn by_comparison(&mut self, op: Op, args: &[Poly]) -> Result<Option<Poly>, Refused> {
        let (name, poly) = match (op, args) {
            (Op::Gt, [a, b]) => (None, self.is_greater(a, b)?),
            (Op::Lt, [a, b]) => (None, self.is_greater(b, a)?),
            (Op::Le, [a, b]) => {
                let greater = self.is_greater(a, b)?;
                (Some("x <= y = 1 - (x > y)"), self.not(&greater)?)
            }
            (Op::Ge, [a, b]) => {
                let less = self.is_greater(b, a)?;
                (Some("x >= y = 1 - (y > x)"), self.not(&less)?)
            }
            (Op::Eq, [a, b]) => (None, self.is_equal(a, b)?),
            (Op::Ne, [a, b]) => {
                let equal = self.is_equal(a, b)?;
                (Some("x != y = 1 - (x == y)"), self.not(&equal)?)
            }
            (Op::Not, [a]) => {
                let truth = self.truth_of(a)?;
                (Some("!x = 1 - x for 0 and 1"), self.not(&truth)?)
            }
            (Op::And, [a, b]) => {
                let (a, b) = (self.truth_of(a)?, self.truth_of(b)?);
                (Some("x & y = x * y for 0 and 1"), self.mul(&a, &b)?)
            }
            (Op::Or, [a, b]) => {
                let (a, b) = (self.truth_of(a)?, self.truth_of(b)?);
                let both = self.mul(&a, &b)?;
                let either = self.add(a, &b)?;
                (
                    Some("x | y = x + y - x * y for 0 and 1"),
                    self.add(either, &both.negated())?,
                )
            }
            (Op::Round | Op::Floor | Op::Ceil | Op::Abs | Op::Sign, [a]) if self.is_truth(a)? => {
                (Some("0 and 1 are whole and not negative"), a.clone())
            }
            (Op::Sign, [a]) => {
                let zero = Poly::default();
                let (above, below) = (self.is_greater(a, &zero)?, self.is_greater(&zero, a)?);
                (
                    Some("sign(x) = (x > 0) - (x < 0)"),
                    self.add(above, &below.negated())?,
                )
            }
            (Op::Abs, [a]) => match self.abs_of_product(a)? {
                Some(product) => (Some("abs(x * y) = abs(x) * abs(y)"), product),
                None => return Ok(None),
            },
            (Op::Log, [a]) => match self.log_of_exp(a)? {
                Some(sum) => (Some("log(exp(x) * y) = x + log(y)"), sum),
                None => return Ok(None),
            },
            (Op::Min2 | Op::Max2, [_, _]) => return self.extremum(op, args).map(Some),
            _ => return Ok(None),
        };
        self.ctx.used.extend(name);
        Ok(Some(poly))
    }

    /// A comparison of which nothing is known but its sides, since rounding may decide it. As `>` and `==` are what other comparisons
    /// are made of, and something is known of them, it is one of the others.
    pub(super) fn compared_as_it_is(
        &mut self,
        op: Op,
        left: Poly,
        right: Poly,
    ) -> Result<Poly, Refused> {
        let (function, sides) = match op {
            Op::Gt => (Op::Lt, vec![right, left]),
            Op::Ge => (Op::Le, vec![right, left]),
            Op::Eq => (Op::Ne, vec![left, right]),
            other => (other, vec![left, right]),
        };
        let truth = self.intern(Function::Cellwise(function), sides)?;
        if op == Op::Eq {
            self.not(&truth)
        } else {
            Ok(truth)
        }
    }

    fn not(&mut self, truth: &Poly) -> Result<Poly, Refused> {
        let one = self.constant(1.0);
        self.add(one, &truth.clone().negated())
    }

    /// 1 where `x` is not zero, otherwise 0.
    fn truth_of(&mut self, x: &Poly) -> Result<Poly, Refused> {
        if self.is_truth(x)? {
            return Ok(x.clone());
        }
        let zero = self.is_equal(x, &Poly::default())?;
        self.not(&zero)
    }

    /// Whether all cells are 0 or 1 by what makes them: what consists of such atoms and is its own square.
    fn is_truth(&mut self, x: &Poly) -> Result<bool, Refused> {
        let is_boolean = |f: &Factor| {
            let function = function(self.ctx.atom(f.atom));
            function.is_some_and(is_truth) && f.at.iter().all(|ix| ix.bound_number().is_none())
        };
        if x.terms.len() > MAX_TERMS || !x.terms.keys().all(|t| t.0.iter().all(is_boolean)) {
            return Ok(false);
        }
        Ok(self.mul(x, x)?.equals(x))
    }

    /// `a > b`, as whether `a - b` is greater than zero.
    fn is_greater(&mut self, a: &Poly, b: &Poly) -> Result<Poly, Refused> {
        let rest = self.add(a.clone(), &b.clone().negated())?;
        match rest.as_constant() {
            Some(c) => Ok(self.integer(i128::from(c.sign() > 0))),
            None if self.is_truth(&rest)? => Ok(rest),
            None => self.intern(Function::Cellwise(Op::Gt), vec![rest, Poly::default()]),
        }
    }

    /// `a == b`, as whether `a - b` is zero.
    fn is_equal(&mut self, a: &Poly, b: &Poly) -> Result<Poly, Refused> {
        let rest = self.add(a.clone(), &b.clone().negated())?;
        if let Some(c) = rest.as_constant() {
            return Ok(self.integer(i128::from(c.is_zero())));
        }
        for (truth, number) in [(a, b), (b, a)] {
            if let Some(c) = number.as_constant()
                && self.is_truth(truth)?
            {
                return match c.whole() {
                    Some(1) => Ok(truth.clone()),
                    Some(0) => self.not(truth),
                    _ => Ok(Poly::default()),
                };
            }
        }
        self.intern(Function::Cellwise(Op::Eq), vec![rest, Poly::default()])
    }

    /// The factors of a product without Σ, with its coefficient.
    pub(super) fn factors(poly: &Poly) -> Option<(Vec<Factor>, Coefficient)> {
        let (term, c) = poly.as_term()?;
        (term.bound_end() == 0).then(|| (term.0.clone(), c))
    }

    /// `abs` of a product as the product of its factors' `abs`; `None` for a single factor that may be negative.
    fn abs_of_product(&mut self, x: &Poly) -> Result<Option<Poly>, Refused> {
        let Some((factors, c)) = Self::factors(x) else {
            return Ok(None);
        };
        let is_nonnegative = |this: &Self, f: &Factor| {
            let atom = this.ctx.atom(f.atom);
            this.ctx.is_size(f.atom) || function(atom).is_some_and(is_nonnegative)
        };
        if let [single] = &factors[..]
            && single.power == 1
            && !is_nonnegative(self, single)
        {
            return Ok(None);
        }
        let mut product = self.number(c.abs());
        for factor in factors {
            let power = factor.power;
            let abs = if is_nonnegative(self, &factor) || power % 2 == 0 {
                self.product(vec![factor])?
            } else {
                let single = self.product(vec![Factor { power: 1, ..factor }])?;
                let abs = self.intern(Function::Cellwise(Op::Abs), vec![single])?;
                self.power(&abs, power.unsigned_abs())?
            };
            product = self.mul(&product, &abs)?;
        }
        Ok(Some(product))
    }

    /// `log` of a product in which there is an `exp`, whose argument comes out.
    fn log_of_exp(&mut self, x: &Poly) -> Result<Option<Poly>, Refused> {
        let Some((factors, c)) = Self::factors(x) else {
            return Ok(None);
        };
        let (mut rest, mut sum) = (self.number(c), Poly::default());
        let mut found = false;
        for factor in factors {
            match &self.ctx.atom(factor.atom).kind {
                AtomKind::Cell(Function::Cellwise(Op::Exp), args) => {
                    let argument = self.place(&args[0].clone(), &factor)?;
                    let times = Coefficient::integer(factor.power.into());
                    sum = self.add(sum, &argument.scaled(times))?;
                    found = true;
                }
                _ => {
                    let factor = self.product(vec![factor])?;
                    rest = self.mul(&rest, &factor)?;
                }
            }
        }
        if !found {
            return Ok(None);
        }
        let log = self.cellwise(Op::Log, vec![rest])?;
        self.add(sum, &log).map(Some)
    }

    /// The least or greatest of any number of arguments. `max(x, 0)` is `x * (x > 0)`.
    fn extremum(&mut self, op: Op, args: &[Poly]) -> Result<Poly, Refused> {
        let mut all: Vec<Poly> = Vec::new();
        for arg in args {
            for part in self.arguments_of(op, arg)? {
                if !all.iter().any(|known| known.equals(&part)) {
                    all.push(part);
                }
            }
        }
        let is_zero = |p: &Poly| p.is_number(0);
        match &all[..] {
            [single] => Ok(single.clone()),
            [zero, x] | [x, zero] if is_zero(zero) => {
                self.ctx.used.insert(match op {
                    Op::Max2 => "max(x, 0) = x * (x > 0)",
                    _ => "min(x, 0) = x * (x < 0)",
                });
                let side = match op {
                    Op::Max2 => self.is_greater(x, zero)?,
                    _ => self.is_greater(zero, x)?,
                };
                self.mul(x, &side)
            }
            _ => self.intern(Function::Cellwise(op), all),
        }
    }

    /// The arguments of `poly`, if it is nothing but this function of arguments; otherwise itself.
    fn arguments_of(&mut self, op: Op, poly: &Poly) -> Result<Vec<Poly>, Refused> {
        if let Some((factor, args)) = self.as_atom(poly)
            && let AtomKind::Cell(Function::Cellwise(found), args) = args
            && *found == op
        {
            let (factor, args) = (factor.clone(), args.clone());
            return args.iter().map(|arg| self.place(arg, &factor)).collect();
        }
        Ok(vec![poly.clone()])
    }

    /// The factor and its atom, if the polyterm is nothing else.
    pub(super) fn as_atom<'a>(&'a self, poly: &'a Poly) -> Option<(&'a Factor, &'a AtomKind)> {
        let (term, c) = poly.as_term()?;
        let [factor] = &term.0[..] else { return None };
        let is_plain = factor.power == 1
            && c.is_one()
            && factor.at.iter().all(|ix| ix.bound_number().is_none());
        is_plain.then(|| (factor, &self.ctx.atom(factor.atom).kind))
    }

    /// Powers that are known to be lower ones: those of 0 and 1, and even ones of `abs`.
    pub(super) fn lower_powers(&self, factors: Vec<Factor>) -> Vec<Factor> {
        let of_interest = |f: &Factor| {
            let function = function(self.ctx.atom(f.atom));
            function.is_some_and(|f| is_truth(f) || f == Function::Cellwise(Op::Abs))
        };
        if !factors.iter().any(of_interest) {
            return factors;
        }
        let sorted = factors.into_iter().map(|mut factor| {
            if self.ctx.is_symmetric(factor.atom) {
                factor.at.sort_unstable();
            }
            factor
        });
        let mut lowered = Vec::new();
        for mut factor in collect_powers(sorted.collect()) {
            if factor.power > 1 && of_interest(&factor) {
                let atom = self.ctx.atom(factor.atom);
                if function(atom).is_some_and(is_truth) {
                    factor.power = 1;
                } else if let Some(inner) = self.single_argument(atom, &factor) {
                    lowered.push(Factor {
                        power: factor.power - factor.power % 2,
                        ..inner
                    });
                    factor.power %= 2;
                }
            }
            if factor.power != 0 {
                lowered.push(factor);
            }
        }
        lowered
    }

    /// The only factor of the only argument of a function, where the function stands.
    fn single_argument(&self, atom: &Atom, at: &Factor) -> Option<Factor> {
        let AtomKind::Cell(_, args) = &atom.kind else {
            return None;
        };
        let (inner, _) = self.as_atom(args.first()?)?;
        let place = |ix: Ix| match ix {
            Ix::ROW => at.at.first().copied().unwrap_or(ix),
            Ix::COL => at.at.get(1).copied().unwrap_or(ix),
            other => other,
        };
        (inner.atom != AtomId::DELTA).then(|| inner.map(place))
    }
}

/// Whether a function of these arguments is the same for all multiples of the first one, or all positive ones: whether
/// it is a comparison with zero.
pub(super) fn compares_with_zero(function: Function, args: &[Poly]) -> bool {
    is_truth(function) && matches!(args, [_, zero] if zero.terms.is_empty())
}

/// Whether a comparison with zero of `x` is that of `s` times `x`.
pub(super) fn keeps_comparison(function: Function, s: Coefficient) -> bool {
    s.sign() > 0 || (function == Function::Cellwise(Op::Eq) && !s.is_zero())
}
