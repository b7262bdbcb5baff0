//! Sizes: sums of products of size variables, divisions by such products included, in one normal form.
//!
//! Division is exact: `n / 32` stands for a whole number, and `n / 32 * 32` is `n`. Whether it is whole is only known when
//! the variables have values; [`Nat::value`] says so. Arithmetic never overflows silently: what is too large is `None`.

use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedMul, One, Zero};

/// A size variable: a number that its owner gives a meaning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NatVar(pub u32);

/// A product of powers of variables, in the order of the variables; no power is zero.
type Product = Vec<(NatVar, i32)>;

/// A size. Equal sizes are equal values.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Nat(Vec<(Product, Ratio<i64>)>);

impl Nat {
    /// A number.
    #[must_use]
    pub fn constant(value: i64) -> Self {
        Nat::of(vec![(Vec::new(), Ratio::from_integer(value))])
    }

    /// A variable.
    #[must_use]
    pub fn var(var: NatVar) -> Self {
        Nat(vec![(vec![(var, 1)], Ratio::one())])
    }

    fn of(mut terms: Vec<(Product, Ratio<i64>)>) -> Self {
        terms.retain(|(_, factor)| !factor.is_zero());
        terms.sort();
        Nat(terms)
    }

    /// The sum.
    #[must_use]
    pub fn plus(&self, other: &Nat) -> Option<Nat> {
        let mut terms = self.0.clone();
        for (product, factor) in &other.0 {
            match terms.iter_mut().find(|(known, _)| known == product) {
                Some((_, known)) => *known = known.checked_add(factor)?,
                None => terms.push((product.clone(), *factor)),
            }
        }
        Some(Nat::of(terms))
    }

    /// The difference, which may be no size.
    #[must_use]
    pub fn minus(&self, other: &Nat) -> Option<Nat> {
        self.plus(&other.times(&Nat::constant(-1))?)
    }

    /// The product.
    #[must_use]
    pub fn times(&self, other: &Nat) -> Option<Nat> {
        let mut sum = Nat::constant(0);
        for (a, x) in &self.0 {
            for (b, y) in &other.0 {
                let term = Nat::of(vec![(join(a, b)?, x.checked_mul(y)?)]);
                sum = sum.plus(&term)?;
            }
        }
        Some(sum)
    }

    /// The quotient; only products can be divided by.
    #[must_use]
    pub fn over(&self, other: &Nat) -> Option<Nat> {
        let [(product, factor)] = other.0.as_slice() else {
            return None;
        };
        let inverse = product.iter().map(|(var, power)| (*var, -power)).collect();
        self.times(&Nat::of(vec![(inverse, factor.recip())]))
    }

    /// The number that it is, without variables.
    #[must_use]
    pub fn as_ratio(&self) -> Option<Ratio<i64>> {
        match self.0.as_slice() {
            [] => Some(Ratio::zero()),
            [(product, factor)] if product.is_empty() => Some(*factor),
            _ => None,
        }
    }

    /// The whole number from one on that it is, without variables.
    #[must_use]
    pub fn as_size(&self) -> Option<usize> {
        let ratio = self.as_ratio()?;
        let whole = ratio.is_integer().then(|| *ratio.numer())?;
        usize::try_from(whole).ok().filter(|size| *size > 0)
    }

    /// Whether it cannot be a size whatever its variables are: a number that is not whole or below one.
    #[must_use]
    pub fn is_impossible(&self) -> bool {
        self.as_ratio().is_some() && self.as_size().is_none()
    }

    /// The variable that it is.
    #[must_use]
    pub fn as_var(&self) -> Option<NatVar> {
        match self.0.as_slice() {
            [(product, factor)] if factor.is_one() => match product.as_slice() {
                [(var, 1)] => Some(*var),
                _ => None,
            },
            _ => None,
        }
    }

    /// Its variables; some may come several times.
    pub fn vars(&self) -> impl Iterator<Item = NatVar> {
        let products = self.0.iter().flat_map(|(product, _)| product);
        products.map(|(var, _)| *var)
    }

    /// With other sizes for its variables; `None` where that is too large or divides by a sum.
    #[must_use]
    pub fn replaced(&self, by: &dyn Fn(NatVar) -> Option<Nat>) -> Option<Nat> {
        let mut sum = Nat::constant(0);
        for (product, factor) in &self.0 {
            let mut term = Nat::of(vec![(Vec::new(), *factor)]);
            for (var, power) in product {
                let size = by(*var).unwrap_or_else(|| Nat::var(*var));
                for _ in 0..power.unsigned_abs() {
                    term = if *power > 0 {
                        term.times(&size)?
                    } else {
                        term.over(&size)?
                    };
                }
            }
            sum = sum.plus(&term)?;
        }
        Some(sum)
    }

    /// The whole number that it is with these values of its variables.
    #[must_use]
    pub fn value(&self, of: &dyn Fn(NatVar) -> Option<i64>) -> Option<usize> {
        self.replaced(&|var| of(var).map(Nat::constant))?.as_size()
    }

    /// The value of `var` for which this is zero, if it stands in exactly one term, by itself or as a factor.
    #[must_use]
    pub fn solved_for(&self, var: NatVar) -> Option<Nat> {
        let has = |product: &Product| product.iter().any(|(v, _)| *v == var);
        let (with, without): (Vec<_>, Vec<_>) = self.0.iter().cloned().partition(|t| has(&t.0));
        let [(product, factor)] = with.as_slice() else {
            return None;
        };
        let power = product.iter().find(|(v, _)| *v == var)?.1;
        let rest: Product = product.iter().copied().filter(|(v, _)| *v != var).collect();
        let rest = Nat::of(vec![(rest, *factor)]);
        let others = Nat::of(without).times(&Nat::constant(-1))?;
        match power {
            1 => others.over(&rest),
            -1 => rest.over(&others),
            _ => None,
        }
    }

    /// As text; `name` says what variables are called.
    #[must_use]
    pub fn show(&self, name: &dyn Fn(NatVar) -> String) -> String {
        let mut text = String::new();
        // Sums are read from the largest product down.
        for (product, factor) in self.0.iter().rev() {
            let negative = *factor < Ratio::zero();
            match (text.is_empty(), negative) {
                (true, true) => text.push('-'),
                (true, false) => {}
                (false, true) => text.push_str(" - "),
                (false, false) => text.push_str(" + "),
            }
            let (above, below) = (factor.numer().unsigned_abs(), factor.denom());
            let mut factors: Vec<String> = Vec::new();
            let mut divisors: Vec<String> = Vec::new();
            if above != 1 || product.iter().all(|(_, power)| *power < 0) {
                factors.push(above.to_string());
            }
            for (var, power) in product {
                let of = if *power > 0 {
                    &mut factors
                } else {
                    &mut divisors
                };
                of.extend((0..power.unsigned_abs()).map(|_| name(*var)));
            }
            if *below != 1 {
                divisors.push(below.to_string());
            }
            text.push_str(&factors.join("*"));
            for divisor in divisors {
                text.push('/');
                text.push_str(&divisor);
            }
        }
        if text.is_empty() {
            text.push('0');
        }
        text
    }
}

fn join(a: &Product, b: &Product) -> Option<Product> {
    let mut joined = a.clone();
    for (var, power) in b {
        match joined.iter_mut().find(|(known, _)| known == var) {
            Some((_, known)) => *known = known.checked_add(*power)?,
            None => joined.push((*var, *power)),
        }
    }
    joined.retain(|(_, power)| *power != 0);
    joined.sort_unstable();
    Some(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: NatVar = NatVar(0);
    const M: NatVar = NatVar(1);

    fn name(var: NatVar) -> String {
        ["n", "m"][var.0 as usize].to_owned()
    }

    #[test]
    fn a_division_is_undone_by_its_product() {
        let (n, size) = (Nat::var(N), Nat::constant(32));
        let blocks = n.over(&size).unwrap();
        assert_eq!(blocks.times(&size), Some(n.clone()));
        assert_eq!(blocks.show(&name), "n/32");
        let both = n.times(&Nat::var(M)).unwrap();
        assert_eq!(both.over(&n), Some(Nat::var(M)));
    }

    #[test]
    fn windows_are_counted() {
        let windows = Nat::var(N)
            .minus(&Nat::constant(3))
            .and_then(|n| n.over(&Nat::constant(1)))
            .and_then(|n| n.plus(&Nat::constant(1)));
        assert_eq!(windows.unwrap().show(&name), "n - 2");
    }

    #[test]
    fn only_whole_numbers_from_one_are_sizes() {
        let half = Nat::constant(1).over(&Nat::constant(2)).unwrap();
        assert!(half.is_impossible() && Nat::constant(0).is_impossible());
        assert!(!Nat::var(N).is_impossible());
        let blocks = Nat::var(N).over(&Nat::constant(32)).unwrap();
        assert_eq!(blocks.value(&|_| Some(64)), Some(2));
        assert_eq!(blocks.value(&|_| Some(65)), None);
    }

    #[test]
    fn an_equation_is_solved_where_its_variable_stands_once() {
        // 32 * m - n = 0
        let difference = Nat::var(M).times(&Nat::constant(32)).unwrap();
        let difference = difference.minus(&Nat::var(N)).unwrap();
        let solved = difference.solved_for(M).unwrap();
        assert_eq!(solved.show(&name), "n/32");
        // n / m - 4 = 0
        let quotient = Nat::var(N).over(&Nat::var(M)).unwrap();
        let solved = quotient.minus(&Nat::constant(4)).unwrap().solved_for(M);
        assert_eq!(solved.unwrap().show(&name), "n/4");
        let twice = Nat::var(M).times(&Nat::var(M)).unwrap();
        assert_eq!(twice.solved_for(M), None);
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let large = Nat::constant(i64::MAX);
        assert_eq!(large.times(&large), None);
        assert_eq!(large.plus(&large), None);
        assert_eq!(Nat::var(N).over(&Nat::constant(0)), None);
    }
}
