//! Costs over sizes that are names: sums of products of names, and when one is at most another for every size.
//!
//! A size is a whole number of at least one. What is answered holds for all of them: where that cannot be told, the answer is no.
//! Must never guess a number for a name.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use sumac_la::{Dim, number};

/// A product of names, each as often as it occurs; sorted. The empty product is one.
pub type Monomial = Vec<Arc<str>>;

/// A sum of products of names with coefficients of at least zero.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Polynomial {
    terms: BTreeMap<Monomial, f64>,
}

/// Names of which one is known to be at most the other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Order {
    at_most: BTreeSet<(Arc<str>, Arc<str>)>,
}

impl Order {
    /// Also states that `small` is at most `large`, and what follows.
    pub fn state(&mut self, small: &str, large: &str) {
        let names = |names: &BTreeSet<(Arc<str>, Arc<str>)>, is: &dyn Fn(&str, &str) -> bool| {
            let mut found: Vec<(Arc<str>, Arc<str>)> = Vec::new();
            found.extend(names.iter().filter(|(a, b)| is(a, b)).cloned());
            found
        };
        let mut below: Vec<Arc<str>> = vec![small.into()];
        below.extend(
            names(&self.at_most, &|_, b| b == small)
                .into_iter()
                .map(|(a, _)| a),
        );
        let mut above: Vec<Arc<str>> = vec![large.into()];
        above.extend(
            names(&self.at_most, &|a, _| a == large)
                .into_iter()
                .map(|(_, b)| b),
        );
        for low in &below {
            for high in above.iter().filter(|high| *high != low) {
                self.at_most.insert((Arc::clone(low), Arc::clone(high)));
            }
        }
    }

    /// Whether `small` is at most `large` wherever what was stated holds.
    #[must_use]
    pub fn holds(&self, small: &str, large: &str) -> bool {
        small == large || self.at_most.contains(&(small.into(), large.into()))
    }

    /// Whether one product is at most another: each of its names has one of its own there that is as large.
    fn covers(&self, small: &[Arc<str>], large: &[Arc<str>]) -> bool {
        let Some((first, others)) = small.split_first() else {
            return true;
        };
        (0..large.len()).any(|at| {
            let mut rest = large.to_vec();
            let taken = rest.remove(at);
            self.holds(first, &taken) && self.covers(others, &rest)
        })
    }
}

impl Polynomial {
    /// A number, of at least zero.
    #[must_use]
    pub fn constant(value: f64) -> Self {
        Polynomial::of(Monomial::new(), value)
    }

    fn of(names: Monomial, coefficient: f64) -> Self {
        let mut terms = BTreeMap::new();
        if coefficient > 0.0 {
            terms.insert(names, coefficient);
        }
        Polynomial { terms }
    }

    /// A size. Where something is taken away from it (`n - 1`) it counts as a name of its own; `None` where nothing is known of it.
    #[must_use]
    pub fn size(dim: &Dim) -> Option<Self> {
        let whole = || match dim {
            Dim::Named(symbol) => Some(Polynomial::of(vec![Arc::clone(&symbol.name)], 1.0)),
            Dim::Known(_) | Dim::Unknown => None,
        };
        let terms = dim.terms()?;
        if terms.iter().any(|(factor, _)| *factor < 0) {
            return whole();
        }
        let mut sum = Polynomial::default();
        for (factor, names) in terms {
            let mut names: Monomial = names.iter().map(|name| Arc::from(name.as_str())).collect();
            names.sort();
            #[expect(clippy::cast_precision_loss, reason = "a size in a script")]
            let factor = factor as f64;
            sum = sum.plus(&Polynomial::of(names, factor));
        }
        Some(sum)
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(&self, other: &Polynomial) -> Self {
        let mut sum = self.clone();
        for (names, coefficient) in &other.terms {
            *sum.terms.entry(names.clone()).or_default() += coefficient;
        }
        sum
    }

    /// The product of both.
    #[must_use]
    pub fn times(&self, other: &Polynomial) -> Self {
        let mut product = Polynomial::default();
        for (left, a) in &self.terms {
            for (right, b) in &other.terms {
                let mut names = [left.as_slice(), right.as_slice()].concat();
                names.sort();
                product = product.plus(&Polynomial::of(names, a * b));
            }
        }
        product
    }

    /// So many times this.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        self.times(&Polynomial::constant(factor))
    }

    /// In each product the larger coefficient of both.
    #[must_use]
    pub fn max(&self, other: &Polynomial) -> Self {
        let mut most = self.clone();
        for (names, coefficient) in &other.terms {
            let known = most.terms.entry(names.clone()).or_default();
            *known = known.max(*coefficient);
        }
        most
    }

    /// The names in it.
    #[must_use]
    pub fn names(&self) -> BTreeSet<Arc<str>> {
        self.terms.keys().flatten().cloned().collect()
    }

    /// The part without a name.
    #[must_use]
    pub fn constant_part(&self) -> f64 {
        self.terms.get(&Monomial::new()).copied().unwrap_or(0.0)
    }

    /// The products that no other of them is a multiple of, with their coefficients, the longest first: what counts for large sizes.
    #[must_use]
    pub fn leading(&self) -> Vec<(&Monomial, f64)> {
        let order = Order::default();
        let is_below = |names: &Monomial| {
            let mut others = self.terms.keys();
            others.any(|other| other != names && order.covers(names, other))
        };
        let mut found: Vec<(&Monomial, f64)> = self
            .terms
            .iter()
            .filter(|(names, _)| !is_below(names))
            .map(|(names, c)| (names, *c))
            .collect();
        found.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        found
    }

    /// Its value where each name is the number that `size` gives; `None` where a name has none.
    #[must_use]
    pub fn at(&self, size: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        let mut sum = 0.0;
        for (names, coefficient) in &self.terms {
            let mut product = *coefficient;
            for name in names {
                product *= size(name)?;
            }
            sum += product;
        }
        Some(sum)
    }

    /// The same over sizes that are counted in units, each name in its own: `n d` becomes `unit(n) unit(d) n d`.
    #[must_use]
    pub fn in_units(&self, unit: &dyn Fn(&str) -> f64) -> Self {
        let scale = |(names, coefficient): (&Monomial, &f64)| {
            let factor = names.iter().fold(1.0, |factor, name| factor * unit(name));
            (names.clone(), coefficient * factor)
        };
        Polynomial {
            terms: self.terms.iter().map(scale).collect(),
        }
    }

    /// Whether this is at most `other` for every size of at least one of which `order` holds: each of its terms is paid by terms of
    /// the other that are as large. No where that cannot be told.
    #[must_use]
    pub fn is_at_most(&self, other: &Polynomial, order: &Order) -> bool {
        /// What is left of a coefficient by rounding alone.
        const ROUNDING: f64 = 1e-12;
        let mut left = other.terms.clone();
        // The products that few others can pay come first.
        let mut owed: Vec<(&Monomial, f64)> =
            self.terms.iter().map(|(names, c)| (names, *c)).collect();
        owed.sort_by_key(|(names, _)| std::cmp::Reverse(names.len()));
        for (names, coefficient) in owed {
            let mut open = coefficient;
            // The smallest that is large enough pays first.
            let mut payers: Vec<Monomial> = left
                .keys()
                .filter(|payer| order.covers(names, payer))
                .cloned()
                .collect();
            payers.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
            for payer in payers {
                let purse = left.get_mut(&payer).expect("it is a key");
                let paid = open.min(*purse);
                *purse -= paid;
                open -= paid;
            }
            if open > coefficient * ROUNDING {
                return false;
            }
        }
        true
    }
}

/// A product of names with exponents: `n² d`; `1` for the empty one.
#[must_use]
pub fn product_text(names: &[Arc<str>]) -> String {
    if names.is_empty() {
        return "1".to_owned();
    }
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for name in names {
        match counts.last_mut() {
            Some((last, count)) if *last == &**name => *count += 1,
            _ => counts.push((name, 1)),
        }
    }
    let shown = counts.into_iter().map(|(name, count)| match count {
        1 => name.to_owned(),
        2 => format!("{name}²"),
        3 => format!("{name}³"),
        _ => format!("{name}^{count}"),
    });
    shown.collect::<Vec<_>>().join("·")
}

impl fmt::Display for Polynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return f.write_str("0");
        }
        let mut terms: Vec<(&Monomial, &f64)> = self.terms.iter().collect();
        terms.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        for (at, (names, coefficient)) in terms.into_iter().enumerate() {
            let sign = if at == 0 { "" } else { " + " };
            match (names.is_empty(), *coefficient == 1.0) {
                (true, _) => write!(f, "{sign}{}", number(*coefficient))?,
                (false, true) => write!(f, "{sign}{}", product_text(names))?,
                (false, false) => {
                    write!(f, "{sign}{} {}", number(*coefficient), product_text(names))?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(text: &str) -> Polynomial {
        Polynomial::size(&Dim::Named(text.into())).unwrap()
    }

    fn below(a: &Polynomial, b: &Polynomial) -> bool {
        a.is_at_most(b, &Order::default())
    }

    #[test]
    fn sizes_are_sums_of_products() {
        assert_eq!(size("n * d + 2 * d").to_string(), "d·n + 2 d");
        assert_eq!(size("n").times(&size("n + 1")).to_string(), "n² + n");
        assert_eq!(Polynomial::size(&Dim::Known(0)).unwrap().to_string(), "0");
        assert_eq!(Polynomial::size(&Dim::Unknown), None);
        assert_eq!(size("n - 1").names().len(), 1);
    }

    #[test]
    fn a_term_is_paid_by_larger_ones() {
        let (n, d) = (size("n"), size("d"));
        let nd = n.times(&d);
        assert!(below(&nd, &nd.times(&n)));
        assert!(!below(&nd.times(&n), &nd));
        assert!(below(&nd.plus(&n), &nd.scaled(2.0)));
        assert!(!below(&nd.plus(&n), &nd));
        assert!(!below(&n, &d));
        assert!(below(&Polynomial::constant(3.0), &n.scaled(3.0)));
        assert!(!below(&Polynomial::constant(3.1), &n.scaled(3.0)));
    }

    #[test]
    fn what_is_known_of_two_names_decides_between_them() {
        let (n, d) = (size("n"), size("d"));
        let mut order = Order::default();
        order.state("d", "n");
        assert!(d.times(&d).is_at_most(&n.times(&d), &order));
        assert!(!n.times(&d).is_at_most(&d.times(&d), &order));
        order.state("n", "m");
        assert!(order.holds("d", "m") && !order.holds("m", "d"));
    }

    /// Whatever is called at most is so at each size that is tried.
    #[test]
    fn at_most_holds_at_every_size() {
        let names = ["n", "d"].map(size);
        let mut seed = 7_u32;
        let mut random = |most: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % most
        };
        let mut said = 0;
        for _ in 0..2000 {
            let mut one = || {
                let mut sum = Polynomial::default();
                for _ in 0..=random(3) {
                    let mut product = Polynomial::constant(f64::from(1 + random(4)));
                    for _ in 0..random(4) {
                        product = product.times(&names[random(2) as usize]);
                    }
                    sum = sum.plus(&product);
                }
                sum
            };
            let (a, b) = (one(), one());
            if !below(&a, &b) {
                continue;
            }
            said += 1;
            for n in [1.0, 2.0, 30.0, 4000.0] {
                for d in [1.0, 3.0, 500.0] {
                    let at = |p: &Polynomial| {
                        p.at(&|name| Some(if name == "n" { n } else { d })).unwrap()
                    };
                    assert!(at(&a) <= at(&b), "{a} and {b} at {n}, {d}");
                }
            }
        }
        assert!(said > 100, "{said}");
    }

    #[test]
    fn the_products_that_count_for_large_sizes_lead() {
        let (n, d) = (size("n"), size("d"));
        let cost = n
            .times(&n)
            .times(&d)
            .plus(&n.times(&d))
            .plus(&Polynomial::constant(9.0));
        let shown: Vec<String> = cost
            .leading()
            .iter()
            .map(|(names, _)| product_text(names))
            .collect();
        assert_eq!(shown, ["d·n²"]);
    }
}
