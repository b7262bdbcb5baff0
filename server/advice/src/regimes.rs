//! Numbers for sizes that have none: a search needs some, and which form is cheapest depends on which of them are large. A form is
//! looked for in each of a few regimes; what is said of it afterwards holds for all sizes ([`when`](crate::when)).
//!
//! Must never be what a claim rests on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sumac_cost::Order;
use sumac_la::{Dag, Dim};

/// A number for each name of a size.
pub type Sizes = BTreeMap<Arc<str>, u64>;

/// The names of the sizes in a form.
#[must_use]
pub fn names(dag: &Dag) -> BTreeSet<Arc<str>> {
    let mut found = BTreeSet::new();
    for id in dag.reachable(dag.roots()) {
        let ty = dag.ty(id);
        for dim in [&ty.rows, &ty.cols, &ty.size] {
            let terms = dim.terms().unwrap_or_default();
            found.extend(
                terms
                    .into_iter()
                    .flat_map(|(_, names)| names)
                    .map(Arc::from),
            );
        }
    }
    found
}

const ALIKE: u64 = 1000;
const LARGE: u64 = 20_000;
const MIDDLE: u64 = 700;
const SMALL: u64 = 30;
/// With more names, most of them are alike.
const MOST_NAMES: usize = 6;

/// Numbers for the names under which forms are looked for: all alike, and each name the large one. Those that contradict
/// `order` are left out. One without names, where there are none.
#[must_use]
pub fn regimes(names: &BTreeSet<Arc<str>>, order: &Order) -> Vec<Sizes> {
    let mut found = vec![all(names, &|_| ALIKE)];
    for one in names.iter().take(MOST_NAMES) {
        found.push(all(names, &|name| if name == one { LARGE } else { MIDDLE }));
    }
    in_order(found, order)
}

/// Numbers under which prices are compared: those of [`regimes`], and each pair of names the large and the small one.
#[must_use]
pub fn samples(names: &BTreeSet<Arc<str>>, order: &Order) -> Vec<Sizes> {
    let mut found = regimes(names, order);
    for one in names.iter().take(MOST_NAMES) {
        found.push(all(names, &|name| if name == one { SMALL } else { MIDDLE }));
    }
    for one in names.iter().take(MOST_NAMES) {
        for other in names.iter().take(MOST_NAMES).filter(|other| *other != one) {
            found.push(all(names, &|name| match name {
                _ if name == one => LARGE,
                _ if name == other => SMALL,
                _ => MIDDLE,
            }));
        }
    }
    in_order(found, order)
}

fn all(names: &BTreeSet<Arc<str>>, of: &dyn Fn(&Arc<str>) -> u64) -> Sizes {
    names
        .iter()
        .map(|name| (Arc::clone(name), of(name)))
        .collect()
}

/// Each of them once, but for those that contradict what is known.
fn in_order(mut sizes: Vec<Sizes>, order: &Order) -> Vec<Sizes> {
    let mut seen = BTreeSet::new();
    sizes.retain(|one| holds(one, order) && seen.insert(one.clone()));
    sizes
}

/// Whether numbers are in the order that is known of their names.
#[must_use]
pub fn holds(sizes: &Sizes, order: &Order) -> bool {
    let mut pairs = sizes.iter().flat_map(|a| sizes.iter().map(move |b| (a, b)));
    pairs.all(|((a, x), (b, y))| a == b || !order.holds(a, b) || x <= y)
}

/// The same form, where the numbers of a regime are assumed of its sizes. What they are called stays.
#[must_use]
pub fn assuming(dag: &Dag, sizes: &Sizes) -> Dag {
    let mut dag = dag.clone();
    dag.map_sizes(&|name| Some(Dim::symbol(name, sizes.get(name).copied())));
    dag
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_sizes_holds_in_each_regime() {
        let names: BTreeSet<Arc<str>> = ["n".into(), "d".into()].into();
        let free = regimes(&names, &Order::default());
        assert!(free.iter().any(|sizes| sizes["n"] < sizes["d"]));
        let mut order = Order::default();
        order.state("d", "n");
        let tall = regimes(&names, &order);
        assert!(!tall.is_empty() && tall.iter().all(|sizes| sizes["d"] <= sizes["n"]));
        assert_eq!(regimes(&BTreeSet::new(), &order).len(), 1);
    }
}
