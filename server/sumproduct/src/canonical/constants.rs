//! Functions of constants that are no fractions, such as `sqrt(8)` and `log(4)`: by prime numbers, so that equal ones get
//! one form. Their size in numbers decides comparisons only with a wide margin. Must never round into a form.

use sumac_la::Op;

use super::Refused;
use super::atom::{AtomKind, Context, Function};
use super::coefficient::Coefficient;
use super::fold::root;
use super::poly::{Algebra, Poly};

/// Divisors that are tried; what is left is taken as it is.
const MAX_DIVISOR: i128 = 100_000;
/// A sum of constants whose size is less than this share of its terms has no certain sign.
const MARGIN: f64 = 1e-9;

/// The prime factors of a number with their powers. The last may be a product of large primes.
fn primes(mut n: i128) -> Vec<(i128, i32)> {
    let mut found = Vec::new();
    let mut divisor = 2;
    while divisor <= MAX_DIVISOR && divisor * divisor <= n {
        let mut power = 0;
        while n % divisor == 0 {
            n /= divisor;
            power += 1;
        }
        if power > 0 {
            found.push((divisor, power));
        }
        divisor += if divisor == 2 { 1 } else { 2 };
    }
    if n > 1 {
        match root(n) {
            Some(root) if root > MAX_DIVISOR => found.push((root, 2)),
            _ => found.push((n, 1)),
        }
    }
    found
}

impl Algebra<'_> {
    /// The square root of a number that is not negative, as a fraction times roots of primes. `None` for all others.
    pub(super) fn root_of(&mut self, c: Coefficient) -> Result<Option<Poly>, Refused> {
        if c.sign() < 0 || !c.is_exact() {
            return Ok(None);
        }
        let Some((over, under)) = c.parts() else {
            return Ok(None);
        };
        let Some(product) = over.checked_mul(under) else {
            return Ok(None);
        };
        if product == 0 {
            return Ok(Some(Poly::default()));
        }
        let mut outside = Coefficient::fraction(1, under);
        let mut result = self.integer(1);
        for (prime, power) in primes(product) {
            outside = outside.times(Coefficient::integer(prime).power(power / 2));
            if power % 2 == 1 {
                let argument = self.integer(prime);
                self.ctx.has_roots = true;
                let root = self.intern(Function::Cellwise(Op::Sqrt), vec![argument])?;
                result = self.mul(&result, &root)?;
            }
        }
        Ok(Some(result.scaled(outside)))
    }

    /// The logarithm of a positive number, as a sum of logarithms of primes. `None` for all others.
    pub(super) fn log_of(&mut self, c: Coefficient) -> Result<Option<Poly>, Refused> {
        if c.sign() <= 0 {
            return Ok(None);
        }
        let Some((over, under)) = c.parts() else {
            return Ok(None);
        };
        let mut sum = Poly::default();
        for (n, sign) in [(over, 1), (under, -1)] {
            for (prime, power) in primes(n) {
                let argument = self.integer(prime);
                let log = self.intern(Function::Cellwise(Op::Log), vec![argument])?;
                let times = Coefficient::integer((sign * power).into());
                sum = self.add(sum, &log.scaled(times))?;
            }
        }
        Ok(Some(sum))
    }

    /// The sign of a sum of constants that are no fractions: -1 or 1, where it is certain.
    pub(super) fn sign_of_constant(&self, poly: &Poly) -> Option<i32> {
        let (mut sum, mut scale) = (0.0, 0.0);
        for (term, c) in &poly.terms {
            let mut value = c.value();
            for factor in &term.0 {
                let base = constant(self.ctx, factor.atom)?;
                value *= base.powi(factor.power);
            }
            sum += value;
            scale += value.abs();
        }
        let is_certain = scale.is_finite() && sum.abs() > MARGIN * scale;
        is_certain.then_some(if sum > 0.0 { 1 } else { -1 })
    }
}

/// The value of a function of constants.
fn constant(ctx: &Context, id: super::atom::AtomId) -> Option<f64> {
    let AtomKind::Cell(function, args) = &ctx.atom(id).kind else {
        return None;
    };
    let args: Vec<f64> = args
        .iter()
        .map(|arg| {
            let mut sum = 0.0;
            for (term, c) in &arg.terms {
                let mut value = c.value();
                for factor in &term.0 {
                    value *= constant(ctx, factor.atom)?.powi(factor.power);
                }
                sum += value;
            }
            Some(sum)
        })
        .collect::<Option<_>>()?;
    let value = match (function, &args[..]) {
        (Function::Recip, [x]) => 1.0 / x,
        (Function::Cellwise(Op::Exp), [x]) => x.exp(),
        (Function::Cellwise(Op::Log), [x]) => x.abs().ln(),
        (Function::Cellwise(Op::Sqrt), [x]) => x.abs().sqrt(),
        (Function::Cellwise(Op::Sin), [x]) => x.sin(),
        (Function::Cellwise(Op::Cos), [x]) => x.cos(),
        (Function::Cellwise(Op::Tan), [x]) => x.tan(),
        (Function::Cellwise(Op::Atan), [x]) => x.atan(),
        (Function::Cellwise(Op::Sinh), [x]) => x.sinh(),
        (Function::Cellwise(Op::Cosh), [x]) => x.cosh(),
        (Function::Cellwise(Op::Tanh), [x]) => x.tanh(),
        (Function::Cellwise(Op::Sigmoid), [x]) => 1.0 / (1.0 + (-x).exp()),
        _ => return None,
    };
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_products_of_primes() {
        assert_eq!(primes(1), []);
        assert_eq!(primes(360), [(2, 3), (3, 2), (5, 1)]);
        assert_eq!(primes(1_000_003), [(1_000_003, 1)]);
        assert_eq!(primes(1_000_003 * 1_000_003), [(1_000_003, 2)]);
    }
}
