//! Whether an e-graph holds a term that fits a sketch: from the bottom up, the set of classes for each part of it.

use egg::{Analysis, EGraph, Id, Language};
use rustc_hash::FxHashSet;

use crate::sketch::{Condition, Shape, SketchId, Sketches};

/// Whether some term of the class satisfies the sketch. The e-graph must be in order.
#[must_use]
pub fn found<L, N, C>(
    graph: &EGraph<L, N>,
    class: Id,
    sketches: &Sketches<L, C>,
    sketch: SketchId,
) -> bool
where
    L: Language,
    N: Analysis<L>,
    C: Condition<N::Data>,
{
    found_classes(graph, sketches, sketch).contains(&graph.find(class))
}

/// As [`found`]; `None` once nobody waits for the answer any more, which is asked between the parts of the sketch.
#[must_use]
pub fn found_unless<L, N, C>(
    graph: &EGraph<L, N>,
    class: Id,
    sketches: &Sketches<L, C>,
    sketch: SketchId,
    cancelled: &dyn Fn() -> bool,
) -> Option<bool>
where
    L: Language,
    N: Analysis<L>,
    C: Condition<N::Data>,
{
    let classes = classes_unless(graph, sketches, sketch, cancelled)?;
    Some(classes.contains(&graph.find(class)))
}

/// The classes that hold a term which satisfies the sketch. The e-graph must be in order.
#[must_use]
pub fn found_classes<L, N, C>(
    graph: &EGraph<L, N>,
    sketches: &Sketches<L, C>,
    sketch: SketchId,
) -> FxHashSet<Id>
where
    L: Language,
    N: Analysis<L>,
    C: Condition<N::Data>,
{
    classes_unless(graph, sketches, sketch, &|| false).unwrap_or_default()
}

fn classes_unless<L, N, C>(
    graph: &EGraph<L, N>,
    sketches: &Sketches<L, C>,
    sketch: SketchId,
    cancelled: &dyn Fn() -> bool,
) -> Option<FxHashSet<Id>>
where
    L: Language,
    N: Analysis<L>,
    C: Condition<N::Data>,
{
    let mut sets: Vec<FxHashSet<Id>> = vec![FxHashSet::default(); sketches.len()];
    for id in sketches.parts(sketch) {
        if cancelled() {
            return None;
        }
        let set = match sketches.shape(id) {
            Shape::Any => graph.classes().map(|class| class.id).collect(),
            Shape::Node(head, parts, any_order) => {
                let orders = Sketches::<L, C>::orders(parts, *any_order);
                let fits = |node: &L| {
                    node.matches(head)
                        && orders.iter().any(|order| {
                            let mut pairs = node.children().iter().zip(order);
                            pairs.all(|(c, s)| sets[s.index()].contains(&graph.find(*c)))
                        })
                };
                let classes = graph.classes();
                let classes = classes.filter(|class| class.nodes.iter().any(fits));
                classes.map(|class| class.id).collect()
            }
            Shape::Contains(part) => upward(graph, &sets[part.index()]),
            Shape::Either(parts) => {
                let all = parts.iter().flat_map(|part| &sets[part.index()]);
                all.copied().collect()
            }
            Shape::Such(part, condition) => {
                let classes = sets[part.index()].iter();
                let classes = classes.filter(|id| condition.holds(&graph[**id].data));
                classes.copied().collect()
            }
        };
        sets[id.index()] = set;
    }
    Some(std::mem::take(&mut sets[sketch.index()]))
}

/// The classes with a term of which a part belongs to one of `classes`.
fn upward<L: Language, N: Analysis<L>>(
    graph: &EGraph<L, N>,
    classes: &FxHashSet<Id>,
) -> FxHashSet<Id> {
    let mut found = classes.clone();
    let mut open: Vec<Id> = classes.iter().copied().collect();
    while let Some(id) = open.pop() {
        for parent in graph[id].parents() {
            let parent = graph.find(parent);
            if found.insert(parent) {
                open.push(parent);
            }
        }
    }
    found
}
