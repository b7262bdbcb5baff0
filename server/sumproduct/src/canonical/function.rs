//! Cellwise functions as atoms, and the few identities that are known of them. Must never assume an identity that fails
//! for some finite argument.

use std::sync::Arc;

use smallvec::SmallVec;
use sumac_la::Op;

use super::Refused;
use super::atom::{Atom, AtomId, AtomKind, Function};
use super::coefficient::Coefficient;
use super::fold::fold;
use super::poly::{Algebra, Poly};
use super::term::{Factor, Ix, Term};
use super::truth::{compares_with_zero, keeps_comparison};

/// Largest exponent of a sum that is multiplied out.
pub(super) const MAX_EXPONENT: u32 = 16;

/// The `c` with f(s x) = c f(x) for all x, where there is one.
fn scaled(function: Function, s: Coefficient) -> Option<Coefficient> {
    let Function::Cellwise(op) = function else {
        return (!s.is_zero()).then(|| s.inverse());
    };
    let is_opposite = s == Coefficient::integer(-1);
    match op {
        Op::Abs => Some(s.abs()),
        Op::Sqrt => fold(op, &[s]).filter(|root| !root.is_zero()),
        Op::Sin | Op::Tan | Op::Asin | Op::Atan | Op::Sinh | Op::Tanh if is_opposite => Some(s),
        Op::Cos | Op::Cosh if is_opposite => Some(s.abs()),
        _ => s.is_one().then_some(s),
    }
}

impl Algebra<'_> {
    /// `base ^ exponent`.
    pub(super) fn pow(&mut self, base: &Poly, exponent: &Poly) -> Result<Poly, Refused> {
        if self.ctx.is_deep {
            return self.deep_power(base, exponent);
        }
        let constant = exponent.as_constant();
        let whole = constant.and_then(Coefficient::whole);
        match whole.and_then(|k| i32::try_from(k).ok()) {
            Some(k) if k.unsigned_abs() <= MAX_EXPONENT => self.whole_power(base, k),
            _ if constant == Some(Coefficient::fraction(1, 2)) => {
                self.cellwise(Op::Sqrt, vec![base.clone()])
            }
            _ => self.cellwise(Op::Pow, vec![base.clone(), exponent.clone()]),
        }
    }

    /// A power with a whole exponent, multiplied out.
    pub(super) fn whole_power(&mut self, base: &Poly, k: i32) -> Result<Poly, Refused> {
        let times = k.unsigned_abs();
        if k < 0 {
            let base = self.recip(base)?;
            return self.power(&base, times);
        }
        match self.power(base, times) {
            // What is too long to multiply out is still equal to itself.
            Err(Refused::Terms(_) | Refused::Atoms(_)) => {
                let exponent = self.integer(k.into());
                self.intern(Function::Cellwise(Op::Pow), vec![base.clone(), exponent])
            }
            other => other,
        }
    }

    /// 1 / x. Of a product without Σ it is the product of its factors' reciprocals; sizes are never zero, so theirs cancel.
    pub(super) fn recip(&mut self, poly: &Poly) -> Result<Poly, Refused> {
        if self.ctx.is_deep
            && let Some(inverse) = self.deep_recip(poly)?
        {
            return Ok(inverse);
        }
        if let Some((term, c)) = poly.as_term()
            && term.bound_end() == 0
        {
            let mut product = self.number(c.inverse());
            for factor in term.0.clone() {
                let inverse = self.recip_of_factor(&factor)?;
                product = self.mul(&product, &inverse)?;
            }
            return Ok(product);
        }
        if let Some((c, argument)) = self.one_plus_exp(poly)? {
            let sigmoid = self.cellwise(Op::Sigmoid, vec![argument.negated()])?;
            return Ok(sigmoid.scaled(c.inverse()));
        }
        self.intern(Function::Recip, vec![poly.clone()])
    }

    pub(super) fn recip_of_factor(&mut self, factor: &Factor) -> Result<Poly, Refused> {
        if self.ctx.is_size(factor.atom) {
            let mut inverse = factor.clone();
            inverse.power = -inverse.power;
            return self.product(vec![inverse]);
        }
        let single = Factor::new(factor.atom, factor.at.iter().copied());
        let inverse = match &self.ctx.atom(factor.atom).kind {
            AtomKind::Cell(Function::Recip, args) => {
                let argument = args[0].clone();
                self.place(&argument, &single)?
            }
            AtomKind::Cell(Function::Cellwise(Op::Sqrt), args)
                if args[0].as_constant().is_some() =>
            {
                let c = args[0].as_constant().unwrap_or(Coefficient::integer(1));
                self.product(vec![single])?.scaled(c.inverse())
            }
            _ => {
                let argument = self.product(vec![single])?;
                self.intern(Function::Recip, vec![argument])?
            }
        };
        self.power(&inverse, factor.power.unsigned_abs())
    }

    /// The `c` and p of c + c exp(p).
    fn one_plus_exp(&mut self, poly: &Poly) -> Result<Option<(Coefficient, Poly)>, Refused> {
        let mut terms = poly.terms.iter();
        let (Some((one, c)), Some((term, d)), None) = (terms.next(), terms.next(), terms.next())
        else {
            return Ok(None);
        };
        let [factor] = &term.0[..] else {
            return Ok(None);
        };
        if !one.0.is_empty() || c != d || factor.power != 1 || term.bound_end() > 0 {
            return Ok(None);
        }
        let AtomKind::Cell(Function::Cellwise(Op::Exp), args) = &self.ctx.atom(factor.atom).kind
        else {
            return Ok(None);
        };
        let argument = args[0].clone();
        Ok(Some((*c, self.place(&argument, factor)?)))
    }

    /// An atom's argument as it is where the atom stands.
    pub(super) fn place(&mut self, argument: &Poly, factor: &Factor) -> Result<Poly, Refused> {
        let at = &factor.at;
        self.rename(argument, |ix| match ix {
            Ix::ROW => at.first().copied().unwrap_or(ix),
            Ix::COL => at.get(1).copied().unwrap_or(ix),
            other => other,
        })
    }

    /// A cellwise operator that sum-product algebra does not know, over arguments that mention row and column.
    pub(super) fn cellwise(&mut self, op: Op, args: Vec<Poly>) -> Result<Poly, Refused> {
        let constants: Option<Vec<Coefficient>> = args.iter().map(Poly::as_constant).collect();
        if let Some(value) = constants.as_ref().and_then(|c| fold(op, c)) {
            return Ok(self.number(value));
        }
        if let Some([c]) = constants.as_deref() {
            let by_primes = match op {
                Op::Sqrt => self.root_of(*c)?,
                Op::Log => self.log_of(*c)?,
                _ => None,
            };
            if let Some(poly) = by_primes {
                return Ok(poly);
            }
        }
        if self.ctx.is_deep {
            return self.deep(op, args);
        }
        match self.by_comparison(op, &args)? {
            Some(poly) => Ok(poly),
            None => self.intern(Function::Cellwise(op), args),
        }
    }

    /// The atom of a function: one for both orientations, all orders of commuting arguments, and all known scalings.
    pub(super) fn intern(
        &mut self,
        function: Function,
        mut args: Vec<Poly>,
    ) -> Result<Poly, Refused> {
        let mentions = |ix: Ix, args: &[Poly]| args.iter().any(|a| a.mentions(ix));
        let (rows, cols) = (mentions(Ix::ROW, &args), mentions(Ix::COL, &args));
        let swapped = args
            .iter()
            .map(|a| self.swap(a))
            .collect::<Result<Vec<_>, _>>()?;
        let at: SmallVec<[Ix; 2]> = match (rows, cols) {
            (false, false) => SmallVec::new(),
            (true, false) => SmallVec::from_slice(&[Ix::ROW]),
            (false, true) => {
                args.clone_from(&swapped);
                SmallVec::from_slice(&[Ix::COL])
            }
            (true, true) => SmallVec::from_slice(&[Ix::ROW, Ix::COL]),
        };
        let mut found: Option<(AtomId, SmallVec<[Ix; 2]>, Coefficient)> = None;
        for (id, atom) in self.ctx.atoms() {
            let AtomKind::Cell(known, known_args) = &atom.kind else {
                continue;
            };
            if *known != function || atom.axes.len() != at.len() {
                continue;
            }
            if let Some(c) = same(function, &args, known_args) {
                found = Some((id, at.clone(), c));
                break;
            }
            if at.len() == 2
                && let Some(c) = same(function, &swapped, known_args)
            {
                found = Some((id, SmallVec::from_slice(&[Ix::COL, Ix::ROW]), c));
                break;
            }
        }
        if let Some((id, at, c)) = found {
            return Ok(self.atom(id, at)?.scaled(c));
        }
        let is_symmetric =
            at.len() == 2 && same(function, &args, &swapped).is_some_and(Coefficient::is_one);
        let axes = at.iter().map(|_| self.ctx.sizes.known(0)).collect();
        let id = self.ctx.add(Atom {
            axes: self.axes_of(&args, axes),
            kind: AtomKind::Cell(function, args),
            is_symmetric,
        });
        self.atom(id, at)
    }

    /// The sizes of row and column as the atoms in `args` state them.
    fn axes_of(
        &self,
        args: &[Poly],
        mut axes: SmallVec<[super::sizes::SizeId; 2]>,
    ) -> SmallVec<[super::sizes::SizeId; 2]> {
        for factor in args
            .iter()
            .flat_map(|a| a.terms.keys())
            .flat_map(|t: &Term| &t.0)
        {
            for (ix, size) in factor.at.iter().zip(&self.ctx.atom(factor.atom).axes) {
                let place = match *ix {
                    Ix::ROW => 0,
                    Ix::COL => 1,
                    _ => continue,
                };
                if let Some(axis) = axes.get_mut(place) {
                    *axis = *size;
                }
            }
        }
        axes
    }

    /// The atom of a function of which nothing is known, with an index for each axis in `at`.
    pub(super) fn call(
        &mut self,
        function: &Arc<str>,
        args: Vec<super::Polyterm>,
        at: &[(Ix, super::sizes::SizeId)],
        text: String,
    ) -> Result<Poly, Refused> {
        let is_same = |kind: &AtomKind| match kind {
            AtomKind::Call {
                function: f,
                args: a,
                ..
            } => {
                f == function
                    && a.len() == args.len()
                    && a.iter().zip(&args).all(|(a, b)| super::isomorphic(a, b))
            }
            _ => false,
        };
        let known = self
            .ctx
            .atoms()
            .find(|(_, a)| is_same(&a.kind))
            .map(|(id, _)| id);
        let id = known.unwrap_or_else(|| {
            self.ctx.add(Atom {
                kind: AtomKind::Call {
                    function: Arc::clone(function),
                    args,
                    text,
                },
                axes: at.iter().map(|(_, size)| *size).collect(),
                is_symmetric: false,
            })
        });
        self.atom(id, at.iter().map(|(ix, _)| *ix))
    }

    /// The atom of an operator over whole matrices, with an index for each axis in `at`.
    pub(super) fn whole(
        &mut self,
        op: Op,
        args: Vec<super::Polyterm>,
        at: &[(Ix, super::sizes::SizeId)],
        text: String,
    ) -> Result<Poly, Refused> {
        let is_same = |kind: &AtomKind| match kind {
            AtomKind::Whole { op: o, args: a, .. } => {
                *o == op
                    && a.len() == args.len()
                    && a.iter().zip(&args).all(|(a, b)| super::isomorphic(a, b))
            }
            _ => false,
        };
        let known: Option<AtomId> = self
            .ctx
            .atoms()
            .find(|(_, a)| is_same(&a.kind))
            .map(|(id, _)| id);
        let id = known.unwrap_or_else(|| {
            self.ctx.add(Atom {
                kind: AtomKind::Whole { op, args, text },
                axes: at.iter().map(|(_, size)| *size).collect(),
                is_symmetric: false,
            })
        });
        self.atom(id, at.iter().map(|(ix, _)| *ix))
    }
}

/// The `c` with f(args) = c f(known), where that is sure.
fn same(function: Function, args: &[Poly], known: &[Poly]) -> Option<Coefficient> {
    if args.len() != known.len() {
        return None;
    }
    if let ([a], [b]) = (args, known) {
        return a.ratio(b).and_then(|s| scaled(function, s));
    }
    let one = || Coefficient::integer(1);
    if compares_with_zero(function, args) && compares_with_zero(function, known) {
        let ratio = args[0].ratio(&known[0]);
        return ratio
            .filter(|s| keeps_comparison(function, *s))
            .map(|_| one());
    }
    let commutes = matches!(function, Function::Cellwise(op) if op.info().commutative);
    let is_same = if commutes {
        // No argument occurs twice where the order says nothing and there are more than two.
        let occurs = |(a, b): (&[Poly], &[Poly])| a.iter().all(|x| b.iter().any(|y| x.equals(y)));
        occurs((args, known)) && occurs((known, args))
    } else {
        args.iter().zip(known).all(|(a, b)| a.equals(b))
    };
    is_same.then(one)
}
