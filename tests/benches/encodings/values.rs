//! What each class means on small fixed inputs, in exact arithmetic: the judge of every encoding.
//!
//! It never looks at how a term came about. All e-nodes of a class must mean the same.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash};

use egg::Id;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::ra::{Dim, Graph, Index, Ra, Scope, index};

/// Numbers are modulo this prime, so that equal means equal.
const PRIME: u64 = (1 << 61) - 1;

/// A number for each choice of the free indices, the last index fastest.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Value {
    axes: Vec<Index>,
    cells: Vec<u64>,
}

impl Value {
    /// Its cell where each axis has this position.
    fn at(&self, position: impl Fn(Index) -> usize) -> u64 {
        let place = |flat: usize, axis: &Index| flat * size(axis.dim) + position(*axis);
        self.cells[self.axes.iter().fold(0, place)]
    }

    /// The same for all values that differ in names and order of their axes alone.
    pub fn shape_blind(&self) -> u64 {
        let hash = |order: Vec<usize>| {
            let axes: Vec<Index> = order.iter().map(|k| self.axes[*k]).collect();
            let cells: Vec<u64> = positions(&axes).map(|p| self.at(|x| p[&x])).collect();
            let dims: Vec<Dim> = axes.iter().map(|axis| axis.dim).collect();
            FxBuildHasher.hash_one((dims, cells))
        };
        let all = orders(self.axes.len()).into_iter().map(hash).min();
        all.expect("one order at least")
    }
}

/// Small, and no two alike, so that a mistaken size shows.
fn size(dim: Dim) -> usize {
    match dim.0 {
        'i' => 3,
        'j' => 4,
        'k' => 2,
        'l' => 5,
        _ => 2,
    }
}

/// All choices of positions of some axes, the last fastest.
fn positions(axes: &[Index]) -> impl Iterator<Item = FxHashMap<Index, usize>> + '_ {
    let total: usize = axes.iter().map(|axis| size(axis.dim)).product();
    (0..total).map(|mut flat| {
        let mut place = |axis: &Index| {
            let position = flat % size(axis.dim);
            flat /= size(axis.dim);
            (*axis, position)
        };
        axes.iter().rev().map(&mut place).collect()
    })
}

/// All orders of so many things.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let Some(last) = count.checked_sub(1) else {
        return vec![Vec::new()];
    };
    let put = |order: Vec<usize>| {
        (0..count).map(move |place| {
            let mut order = order.clone();
            order.insert(place, last);
            order
        })
    };
    orders(last).into_iter().flat_map(put).collect()
}

/// The value of each class that stands for numbers; indices do not.
///
/// # Panics
/// Two e-nodes of a class differ: a rule is not sound.
pub fn values(graph: &Graph) -> BTreeMap<Id, Value> {
    let mut classes: Vec<Id> = graph.classes().map(|class| class.id).collect();
    classes.sort_unstable();
    let mut values = BTreeMap::new();
    loop {
        let before = values.len();
        for id in &classes {
            if !values.contains_key(id) {
                let mut nodes = graph[*id].nodes.iter();
                if let Some(value) = nodes.find_map(|node| value(graph, *id, node, &values)) {
                    values.insert(*id, value);
                }
            }
        }
        if values.len() == before {
            break;
        }
    }
    for (id, expected) in &values {
        for node in &graph[*id].nodes {
            let value = value(graph, *id, node, &values);
            assert!(
                value.as_ref() == Some(expected),
                "{node} is not equal to {}",
                graph[*id].data.best
            );
        }
    }
    values
}

/// How many classes are the same as another: under the same free indices, and after renaming and reordering them.
pub fn duplicates(values: &BTreeMap<Id, Value>) -> [usize; 2] {
    let alike: FxHashSet<&Value> = values.values().collect();
    let blind: FxHashSet<u64> = values.values().map(Value::shape_blind).collect();
    [values.len() - alike.len(), values.len() - blind.len()]
}

/// The value of a class by one of its e-nodes, once those of its children are known.
fn value(graph: &Graph, class: Id, node: &Ra, values: &BTreeMap<Id, Value>) -> Option<Value> {
    let axes: Vec<Index> = graph[class].data.free.iter().copied().collect();
    let child = |id: &Id| values.get(&graph.find(*id));
    let scope = Scope::of(graph, node);
    let cell = |position: &FxHashMap<Index, usize>| {
        let open = |value: &Value| value.at(|x| position[&x]);
        // The last child's value where what is bound has this position.
        let body = |value: &Value, bound: usize| {
            value.at(|x| scope.outer(x).map_or(bound, |outer| position[&outer]))
        };
        Some(match node {
            Ra::Number(number) => modulo(i128::from(*number)),
            Ra::Dim(dim) => size(*dim) as u64,
            Ra::Index(_) => return None,
            Ra::Tensor(name, indices) => {
                let at = |id: &Id| position[&index(graph, *id)];
                let place: Vec<usize> = indices.iter().map(at).collect();
                FxBuildHasher.hash_one((name.as_str(), place)) % PRIME
            }
            Ra::Add([a, b]) => modulo(i128::from(open(child(a)?)) + i128::from(open(child(b)?))),
            Ra::Mul([a, b]) => modulo(i128::from(open(child(a)?)) * i128::from(open(child(b)?))),
            Ra::Sum([over, inner]) => {
                let over = match graph[*over].data.best {
                    Ra::Dim(dim) => dim,
                    _ => index(graph, *over).dim,
                };
                let inner = child(inner)?;
                let terms = (0..size(over)).map(|bound| i128::from(body(inner, bound)));
                modulo(terms.sum())
            }
            Ra::Subst([.., inner])
            | Ra::Up([_, inner])
            | Ra::Down([_, inner])
            | Ra::Swap([_, inner]) => body(child(inner)?, 0),
        })
    };
    let cells = positions(&axes)
        .map(|position| cell(&position))
        .collect::<Option<_>>()?;
    Some(Value { axes, cells })
}

fn modulo(number: i128) -> u64 {
    u64::try_from(number.rem_euclid(i128::from(PRIME))).expect("below the prime")
}
