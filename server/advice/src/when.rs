//! For which sizes one price is below another, told of the prices as polynomials: for all, for all above a size, where one size is at
//! most another. What is said holds for every size of at least one; must never be told by trying numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use sumac_cost::{Order, Polynomial};

/// Sizes that must be at least so large, by name; those that are not named, at least one.
pub type Least = BTreeMap<Arc<str>, u64>;

/// The sizes for which something is cheaper.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum When {
    /// The sizes are numbers, and for these it is.
    AtTheseSizes,
    /// For all sizes from these on: below, calls take as long as the work.
    Always(Least),
    /// Where one size is at most the other, from these on.
    Where {
        /// The smaller one.
        small: Arc<str>,
        /// The larger one.
        large: Arc<str>,
        /// As above.
        least: Least,
    },
}

impl When {
    /// The sizes that it needs to be in order, if any.
    #[must_use]
    pub fn condition(&self) -> Option<String> {
        match self {
            When::AtTheseSizes | When::Always(_) => None,
            When::Where { small, large, .. } => Some(format!("{small} <= {large}")),
        }
    }

    /// What is known of sizes where it holds.
    #[must_use]
    pub fn stated(&self, order: &Order) -> Order {
        let mut stated = order.clone();
        if let When::Where { small, large, .. } = self {
            stated.state(small, large);
        }
        stated
    }

    /// The sizes from which on it holds.
    #[must_use]
    pub fn least(&self) -> &Least {
        const NONE: &Least = &Least::new();
        match self {
            When::AtTheseSizes => NONE,
            When::Always(least) | When::Where { least, .. } => least,
        }
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from: Vec<String> = self
            .least()
            .iter()
            .map(|(name, least)| format!("{name} >= {least}"))
            .collect();
        let from = from.join(" and ");
        match self {
            When::AtTheseSizes => f.write_str("cheaper at these sizes"),
            When::Always(_) if from.is_empty() => f.write_str("cheaper for all sizes"),
            When::Always(_) => write!(f, "cheaper where {from}"),
            When::Where { small, large, .. } if from.is_empty() => {
                write!(f, "cheaper where {small} <= {large}")
            }
            When::Where { small, large, .. } => {
                write!(f, "cheaper where {small} <= {large} and {from}")
            }
        }
    }
}

/// Sizes from which on a claim is tried: where it holds from none of them, it is not made.
const LEAST: [u64; 4] = [4, 16, 64, 256];

/// The same price over sizes that are counted in units of the least ones: what holds of it for all sizes holds of the price for all that
/// are as large.
fn above(price: &Polynomial, least: &Least) -> Polynomial {
    #[expect(clippy::cast_precision_loss, reason = "one of a few small numbers")]
    price.in_units(&|name| least.get(name).map_or(1.0, |least| *least as f64))
}

/// From which sizes on `after` is at most `before`: from one on, else from a number for one of the names, else for all of them.
fn from(
    before: &Polynomial,
    after: &Polynomial,
    names: &BTreeSet<Arc<str>>,
    order: &Order,
) -> Option<Least> {
    let holds = |least: &Least| above(after, least).is_at_most(&above(before, least), order);
    if holds(&Least::new()) {
        return Some(Least::new());
    }
    // One number is told more easily than several.
    let one = LEAST.into_iter().flat_map(|least| {
        names
            .iter()
            .map(move |name| Least::from([(Arc::clone(name), least)]))
    });
    let all = LEAST
        .into_iter()
        .map(|least| names.iter().map(|name| (Arc::clone(name), least)).collect());
    one.chain(all).find(holds)
}

/// When `after` is at most `before`; `None` where no condition of one pair of sizes tells.
#[must_use]
pub fn when(before: &Polynomial, after: &Polynomial, order: &Order) -> Option<When> {
    let names: BTreeSet<Arc<str>> = before.names().union(&after.names()).cloned().collect();
    if names.is_empty() {
        return (after.constant_part() <= before.constant_part()).then_some(When::AtTheseSizes);
    }
    if let Some(least) = from(before, after, &names, order) {
        return Some(When::Always(least));
    }
    let mut found: Option<(u64, When)> = None;
    for small in &names {
        for large in names.iter().filter(|large| *large != small) {
            if order.holds(large, small) {
                continue;
            }
            let mut stated = order.clone();
            stated.state(small, large);
            let Some(least) = from(before, after, &names, &stated) else {
                continue;
            };
            let most = least.values().copied().max().unwrap_or(1);
            if found.as_ref().is_none_or(|(known, _)| most < *known) {
                let condition = When::Where {
                    small: Arc::clone(small),
                    large: Arc::clone(large),
                    least,
                };
                found = Some((most, condition));
            }
        }
    }
    found.map(|(_, when)| when)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sumac_la::Dim;

    fn size(name: &str) -> Polynomial {
        Polynomial::size(&Dim::Named(name.into())).unwrap()
    }

    fn told(before: &Polynomial, after: &Polynomial) -> String {
        let found = when(before, after, &Order::default());
        found.map_or("never".to_owned(), |when| when.to_string())
    }

    #[test]
    fn a_claim_says_from_which_sizes_on_it_holds() {
        let (n, d) = (size("n"), size("d"));
        let nd = n.times(&d);
        assert_eq!(told(&nd.times(&n), &nd), "cheaper for all sizes");
        let call = Polynomial::constant(1000.0);
        assert_eq!(
            told(&nd.times(&n), &nd.plus(&call)),
            "cheaper where n >= 64"
        );
        assert_eq!(told(&nd.times(&n), &nd.times(&d)), "cheaper where d <= n");
        assert_eq!(told(&nd, &nd.times(&d).plus(&n.times(&n))), "never");
        assert_eq!(
            told(&Polynomial::constant(2.0), &Polynomial::constant(1.0)),
            "cheaper at these sizes"
        );
    }
}
