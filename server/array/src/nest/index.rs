//! Places in buffers: sums of loop counters, with division and remainder where nothing simpler is known.

use std::sync::Arc;

/// A loop's counter, by number; it counts from zero to below its loop's count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Counter {
    /// Its number.
    pub number: u32,
    /// How often its loop runs.
    pub count: i64,
}

/// What an index is a sum of.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Atom {
    /// A loop's counter.
    Counter(Counter),
    /// A quotient, rounded down.
    Div(Arc<Index>, i64),
    /// A remainder.
    Mod(Arc<Index>, i64),
}

/// A sum of multiples of atoms, and a number. Never negative.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Index {
    terms: Vec<(Atom, i64)>,
    offset: i64,
}

impl Index {
    /// A number.
    #[must_use]
    pub fn number(value: i64) -> Self {
        Index {
            terms: Vec::new(),
            offset: value,
        }
    }

    /// A loop's counter.
    #[must_use]
    pub fn counter(counter: Counter) -> Self {
        if counter.count == 1 {
            return Index::number(0);
        }
        Index::atom(Atom::Counter(counter))
    }

    fn atom(atom: Atom) -> Self {
        Index {
            terms: vec![(atom, 1)],
            offset: 0,
        }
    }

    /// The terms of the sum.
    #[must_use]
    pub fn terms(&self) -> &[(Atom, i64)] {
        &self.terms
    }

    /// The number in the sum.
    #[must_use]
    pub fn offset(&self) -> i64 {
        self.offset
    }

    /// The sum.
    #[must_use]
    pub fn plus(&self, other: &Index) -> Index {
        let mut sum = self.clone();
        sum.offset += other.offset;
        for (atom, factor) in &other.terms {
            match sum.terms.iter_mut().find(|(known, _)| known == atom) {
                Some((_, known)) => *known += factor,
                None => sum.terms.push((atom.clone(), *factor)),
            }
        }
        sum.terms.retain(|(_, factor)| *factor != 0);
        sum.terms.sort();
        match sum.whole() {
            Some(whole) => whole,
            None => sum,
        }
    }

    /// With a quotient and the remainder that belongs to it as what was divided.
    fn whole(&self) -> Option<Index> {
        let mut terms = self.terms.iter().enumerate();
        let (place, other, inner, factor) = terms.find_map(|(n, (atom, factor))| {
            let Atom::Mod(inner, by) = atom else {
                return None;
            };
            let quotient = (Atom::Div(Arc::clone(inner), *by), factor * by);
            let other = self.terms.iter().position(|term| *term == quotient)?;
            Some((n, other, Arc::clone(inner), *factor))
        })?;
        let mut rest = self.clone();
        rest.terms.remove(place.max(other));
        rest.terms.remove(place.min(other));
        Some(rest.plus(&inner.times(factor)))
    }

    /// A multiple.
    #[must_use]
    pub fn times(&self, factor: i64) -> Index {
        let mut product = self.clone();
        product.offset *= factor;
        product
            .terms
            .iter_mut()
            .for_each(|(_, known)| *known *= factor);
        product.terms.retain(|(_, factor)| *factor != 0);
        product
    }

    /// The largest value.
    #[must_use]
    pub fn most(&self) -> i64 {
        let of = |(atom, factor): &(Atom, i64)| {
            factor
                * match atom {
                    Atom::Counter(counter) => counter.count - 1,
                    Atom::Div(of, by) => of.most() / by,
                    Atom::Mod(_, by) => by - 1,
                }
        };
        self.offset + self.terms.iter().map(of).sum::<i64>()
    }

    /// What `by` divides for certain, as a quotient, and the rest.
    fn cut(&self, by: i64) -> (Index, Index) {
        let (mut whole, mut rest) = (Index::default(), Index::default());
        for (atom, factor) in &self.terms {
            let quotient = factor.div_euclid(by);
            let remainder = factor.rem_euclid(by);
            if quotient != 0 {
                whole.terms.push((atom.clone(), quotient));
            }
            if remainder != 0 {
                rest.terms.push((atom.clone(), remainder));
            }
        }
        whole.offset = self.offset.div_euclid(by);
        rest.offset = self.offset.rem_euclid(by);
        (whole, rest)
    }

    /// The quotient by a number from one on, rounded down.
    #[must_use]
    pub fn div(&self, by: i64) -> Index {
        let (whole, rest) = self.cut(by);
        if rest.most() < by {
            return whole;
        }
        whole.plus(&Index::atom(Atom::Div(Arc::new(rest), by)))
    }

    /// The remainder by a number from one on.
    #[must_use]
    pub fn modulo(&self, by: i64) -> Index {
        let (_, rest) = self.cut(by);
        if rest.most() < by {
            return rest;
        }
        Index::atom(Atom::Mod(Arc::new(rest), by))
    }

    /// How much the value grows from one value of a counter to the next, if that is always the same.
    #[must_use]
    pub fn step(&self, counter: Counter) -> Option<i64> {
        let mut step = 0;
        for (atom, factor) in &self.terms {
            match atom {
                Atom::Counter(other) if *other == counter => step += factor,
                Atom::Counter(_) => {}
                Atom::Div(inner, _) | Atom::Mod(inner, _) => {
                    if inner.mentions(counter) {
                        return None;
                    }
                }
            }
        }
        Some(step)
    }

    fn mentions(&self, counter: Counter) -> bool {
        self.terms.iter().any(|(atom, _)| match atom {
            Atom::Counter(other) => *other == counter,
            Atom::Div(inner, _) | Atom::Mod(inner, _) => inner.mentions(counter),
        })
    }

    /// With a number for a counter.
    #[must_use]
    pub fn at(&self, counter: Counter, value: i64) -> Index {
        self.with(counter, &Index::number(value))
    }

    /// With an index for a counter.
    #[must_use]
    pub fn with(&self, counter: Counter, to: &Index) -> Index {
        let mut sum = Index::number(self.offset);
        for (atom, factor) in &self.terms {
            let part = match atom {
                Atom::Counter(other) if *other == counter => to.clone(),
                Atom::Counter(_) => Index::atom(atom.clone()),
                Atom::Div(inner, by) => inner.with(counter, to).div(*by),
                Atom::Mod(inner, by) => inner.with(counter, to).modulo(*by),
            };
            sum = sum.plus(&part.times(*factor));
        }
        sum
    }

    /// The value, given those of the counters.
    #[must_use]
    pub fn value(&self, of: &dyn Fn(Counter) -> i64) -> i64 {
        let part = |(atom, factor): &(Atom, i64)| {
            factor
                * match atom {
                    Atom::Counter(counter) => of(*counter),
                    Atom::Div(inner, by) => inner.value(of) / by,
                    Atom::Mod(inner, by) => inner.value(of) % by,
                }
        };
        self.offset + self.terms.iter().map(part).sum::<i64>()
    }

    /// As an expression of C; `name` says what counters are called.
    #[must_use]
    pub fn show(&self, name: &dyn Fn(Counter) -> String) -> String {
        let mut parts: Vec<String> = Vec::new();
        // The farthest steps first.
        let mut terms: Vec<&(Atom, i64)> = self.terms.iter().collect();
        terms.sort_by_key(|(_, factor)| -factor);
        for (atom, factor) in terms {
            let atom = match atom {
                Atom::Counter(counter) => name(*counter),
                Atom::Div(inner, by) => format!("({}) / {by}", inner.show(name)),
                Atom::Mod(inner, by) => format!("({}) % {by}", inner.show(name)),
            };
            parts.push(match factor {
                1 => atom,
                factor if atom.contains(' ') => format!("{factor} * ({atom})"),
                factor => format!("{factor} * {atom}"),
            });
        }
        if self.offset != 0 || parts.is_empty() {
            parts.push(self.offset.to_string());
        }
        parts.join(" + ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const I: Counter = Counter {
        number: 0,
        count: 4,
    };
    const J: Counter = Counter {
        number: 1,
        count: 32,
    };

    fn name(counter: Counter) -> String {
        ["i", "j"][counter.number as usize].to_owned()
    }

    #[test]
    fn what_was_put_together_comes_apart() {
        let flat = Index::counter(I).times(32).plus(&Index::counter(J));
        assert_eq!(flat.div(32), Index::counter(I));
        assert_eq!(flat.modulo(32), Index::counter(J));
        assert_eq!(flat.show(&name), "32 * i + j");
        assert_eq!(flat.most(), 127);
    }

    #[test]
    fn quotients_that_stay_have_the_values_that_they_should() {
        for by in [3, 8, 48] {
            let flat = Index::counter(I)
                .times(32)
                .plus(&Index::counter(J))
                .plus(&Index::number(5));
            let (div, modulo) = (flat.div(by), flat.modulo(by));
            for i in 0..I.count {
                for j in 0..J.count {
                    let of = |counter: Counter| if counter == I { i } else { j };
                    let value = i * 32 + j + 5;
                    assert_eq!(div.value(&of), value / by);
                    assert_eq!(modulo.value(&of), value % by);
                    assert_eq!(div.at(J, j).value(&of), value / by);
                }
            }
        }
    }

    #[test]
    fn steps_are_known_where_they_are_the_same() {
        let flat = Index::counter(I).times(32).plus(&Index::counter(J));
        assert_eq!(flat.step(J), Some(1));
        assert_eq!(flat.div(8).step(J), None);
        assert_eq!(flat.div(32).step(J), Some(0));
    }
}
