//! Arithmetic over sizes by name: every sum has one printed form, so that equal sizes are equal text.
//!
//! A size is a sum of whole multiples of products of names: `nrow(X) + 1`, `m * n - 2 * m`. What would be longer than
//! people read, or is no size at all, is unknown. It must never call two sizes equal that can differ.

use std::collections::BTreeMap;

use crate::types::{Dim, Symbol};

/// Sums in a loop must not grow for ever.
const MOST_TERMS: usize = 4;

/// Multiples of products of names; the empty product is one.
type Terms = BTreeMap<Vec<String>, i64>;

impl Dim {
    /// The sum of both.
    #[must_use]
    pub fn plus(&self, other: &Dim) -> Dim {
        let number = self.estimate().zip(other.estimate());
        self.with(other, |a, b| add(a, b, 1))
            .assuming(number.and_then(|(a, b)| a.checked_add(b)))
    }

    /// The difference.
    #[must_use]
    pub fn minus(&self, other: &Dim) -> Dim {
        let number = self.estimate().zip(other.estimate());
        self.with(other, |a, b| add(a, b, -1))
            .assuming(number.and_then(|(a, b)| a.checked_sub(b)))
    }

    /// The product.
    #[must_use]
    pub fn times(&self, other: &Dim) -> Dim {
        let number = self.estimate().zip(other.estimate());
        self.with(other, multiply)
            .assuming(number.and_then(|(a, b)| a.checked_mul(b)))
    }

    /// The same size with other names: unknown where a name has none.
    #[must_use]
    pub fn rename(&self, name: &dyn Fn(&str) -> Option<Dim>) -> Dim {
        let Some(terms) = terms(self) else {
            return Dim::Unknown;
        };
        let mut whole = Dim::Known(0);
        for (names, factor) in &terms {
            let factor = *factor;
            let mut product = Dim::Known(factor.unsigned_abs());
            for old in names {
                product = product.times(&name(old).unwrap_or(Dim::Unknown));
            }
            whole = if factor < 0 {
                whole.minus(&product)
            } else {
                whole.plus(&product)
            };
        }
        whole.assuming(self.estimate())
    }

    /// The same size where nothing is assumed of it yet, assumed to be `number`.
    #[must_use]
    pub fn assuming(self, number: Option<u64>) -> Dim {
        match self {
            Dim::Named(Symbol {
                name,
                assumed: None,
            }) => Dim::symbol(name, number),
            other => other,
        }
    }

    /// The size as whole multiples of products of names, the empty product being one. `None` where nothing is known.
    #[must_use]
    pub fn terms(&self) -> Option<Vec<(i64, Vec<String>)>> {
        let terms = terms(self)?.into_iter();
        Some(terms.map(|(names, factor)| (factor, names)).collect())
    }

    /// The same size where `name` goes by another name, or is known to be a number.
    #[must_use]
    pub fn with_name(&self, name: &str, to: &Dim) -> Dim {
        match self {
            Dim::Named(text) if **text == *name => to.clone().assuming(text.assumed),
            Dim::Named(_) if self.mentions(name) => self.rename(&|other| {
                Some(if other == name {
                    to.clone()
                } else {
                    Dim::Named(other.into())
                })
            }),
            _ => self.clone(),
        }
    }

    /// The name, where the size is one name and no sum or product.
    #[must_use]
    pub fn lone_name(&self) -> Option<&str> {
        match self {
            Dim::Named(text) if words(text).nth(1).is_none() => Some(text),
            _ => None,
        }
    }

    /// Whether `name` has a part in it.
    #[must_use]
    pub fn mentions(&self, name: &str) -> bool {
        matches!(self, Dim::Named(text) if words(text).any(|word| word == name))
    }

    fn with(&self, other: &Dim, op: impl Fn(&Terms, &Terms) -> Option<Terms>) -> Dim {
        let result = || shown(&op(&terms(self)?, &terms(other)?)?);
        result().unwrap_or(Dim::Unknown)
    }
}

fn add(a: &Terms, b: &Terms, sign: i64) -> Option<Terms> {
    let mut sum = a.clone();
    for (names, factor) in b {
        let old = sum.entry(names.clone()).or_default();
        *old = old.checked_add(factor.checked_mul(sign)?)?;
    }
    sum.retain(|_, factor| *factor != 0);
    Some(sum)
}

fn multiply(a: &Terms, b: &Terms) -> Option<Terms> {
    let mut product = Terms::new();
    for (left, m) in a {
        for (right, n) in b {
            let mut names = [left.as_slice(), right.as_slice()].concat();
            names.sort();
            product = add(&product, &Terms::from([(names, m.checked_mul(*n)?)]), 1)?;
        }
    }
    Some(product)
}

/// Reads a size back from its printed form.
fn terms(dim: &Dim) -> Option<Terms> {
    let text = match dim {
        Dim::Unknown => return None,
        Dim::Known(n) => {
            let n = i64::try_from(*n).ok()?;
            return add(&Terms::new(), &Terms::from([(Vec::new(), n)]), 1);
        }
        Dim::Named(text) => text,
    };
    let mut sum = Terms::new();
    let mut sign = 1;
    let mut product = Vec::new();
    let mut factor: i64 = 1;
    // Names hold blanks only inside of parentheses, if at all.
    for word in words(text) {
        match word {
            "+" | "-" => {
                sum = add(
                    &sum,
                    &Terms::from([(std::mem::take(&mut product), factor)]),
                    sign,
                )?;
                (sign, factor) = (if word == "+" { 1 } else { -1 }, 1);
            }
            "*" => {}
            _ => match word.parse::<i64>() {
                Ok(n) => factor = factor.checked_mul(n)?,
                Err(_) => product.push(word.to_owned()),
            },
        }
    }
    product.sort();
    add(&sum, &Terms::from([(product, factor)]), sign)
}

/// The parts between blanks that stand outside of parentheses.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    text.split(move |c: char| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        c == ' ' && depth == 0
    })
    .filter(|word| !word.is_empty())
}

fn shown(terms: &Terms) -> Option<Dim> {
    let constant = terms.get(&Vec::new()).copied().unwrap_or(0);
    let named: Vec<(&Vec<String>, i64)> = terms
        .iter()
        .filter(|(names, _)| !names.is_empty())
        .map(|(names, factor)| (names, *factor))
        .collect();
    if named.is_empty() {
        return u64::try_from(constant).ok().map(Dim::Known);
    }
    if named.len() > MOST_TERMS || named.iter().any(|(names, _)| names.len() > MOST_TERMS) {
        return None;
    }
    let product = |names: &[String], factor: i64| match factor.unsigned_abs() {
        1 => names.join(" * "),
        n => format!("{n} * {}", names.join(" * ")),
    };
    let positive = named.iter().filter(|(_, factor)| *factor > 0);
    let mut text = positive
        .map(|(names, factor)| product(names, *factor))
        .collect::<Vec<_>>()
        .join(" + ");
    if text.is_empty() {
        text = constant.max(0).to_string();
    } else if constant > 0 {
        text.push_str(&format!(" + {constant}"));
    }
    for (names, factor) in named.iter().filter(|(_, factor)| *factor < 0) {
        text.push_str(&format!(" - {}", product(names, *factor)));
    }
    if constant < 0 {
        text.push_str(&format!(" - {}", constant.unsigned_abs()));
    }
    Some(Dim::Named(text.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Dim {
        Dim::Named(name.into())
    }

    #[test]
    fn equal_sums_are_equal_text() {
        let (n, m) = (named("nrow(X)"), named("m"));
        let one = Dim::Known(1);
        assert_eq!(n.plus(&one).to_string(), "nrow(X) + 1");
        assert_eq!(n.plus(&one).minus(&one), n);
        assert_eq!(n.plus(&m), m.plus(&n));
        assert_eq!(n.plus(&m).times(&m).to_string(), "m * m + m * nrow(X)");
        assert_eq!(n.times(&m), m.times(&n));
        assert_eq!(n.plus(&n).plus(&n).to_string(), "3 * nrow(X)");
        assert_eq!(n.plus(&Dim::Known(7)).minus(&n), Dim::Known(7));
        assert_eq!(Dim::Known(5).minus(&n).to_string(), "5 - nrow(X)");
        assert_eq!(
            n.minus(&m).minus(&Dim::Known(2)).to_string(),
            "nrow(X) - m - 2"
        );
        assert_eq!(n.times(&Dim::Known(0)), Dim::Known(0));
    }

    #[test]
    fn what_is_no_size_is_unknown() {
        assert_eq!(Dim::Known(1).minus(&Dim::Known(2)), Dim::Unknown);
        assert_eq!(named("n").plus(&Dim::Unknown), Dim::Unknown);
        assert_eq!(Dim::Known(u64::MAX).plus(&named("n")), Dim::Unknown);
        let long = ["a", "b", "c", "d", "e"].map(named);
        assert_eq!(
            long.iter().fold(Dim::Known(0), |sum, n| sum.plus(n)),
            Dim::Unknown
        );
    }

    #[test]
    fn names_are_replaced_everywhere() {
        let size = named("nrow(X)").times(&Dim::Known(2)).plus(&named("k"));
        let to = |name: &str| (name != "k").then(|| named("n"));
        assert_eq!(
            size.rename(&|name| to(name).or(Some(Dim::Known(3))))
                .to_string(),
            "2 * n + 3"
        );
        assert_eq!(size.rename(&to), Dim::Unknown);
    }
}
