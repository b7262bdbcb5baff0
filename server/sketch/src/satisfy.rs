//! Whether a term satisfies a sketch: the definition itself, as plainly as it goes.

use egg::{Id, Language, RecExpr};
use rustc_hash::FxHashMap;

use crate::sketch::{Condition, Shape, SketchId, Sketches};

/// Whether the term satisfies `sketch`. `data` gives the data of the class that each node of the term belongs to.
#[must_use]
pub fn satisfies<'d, L: Language, D: 'd, C: Condition<D>>(
    term: &RecExpr<L>,
    sketches: &Sketches<L, C>,
    sketch: SketchId,
    data: &dyn Fn(Id) -> &'d D,
) -> bool {
    let Some(last) = term.as_ref().len().checked_sub(1) else {
        return false;
    };
    let mut checker = Checker {
        term,
        sketches,
        data,
        known: FxHashMap::default(),
    };
    checker.check(Id::from(last), sketch)
}

struct Checker<'a, 'd, L, D, C> {
    term: &'a RecExpr<L>,
    sketches: &'a Sketches<L, C>,
    data: &'a dyn Fn(Id) -> &'d D,
    known: FxHashMap<(Id, SketchId), bool>,
}

impl<L: Language, D, C: Condition<D>> Checker<'_, '_, L, D, C> {
    fn check(&mut self, id: Id, sketch: SketchId) -> bool {
        if let Some(known) = self.known.get(&(id, sketch)) {
            return *known;
        }
        let (term, sketches) = (self.term, self.sketches);
        let node = &term[id];
        let fits = match sketches.shape(sketch) {
            Shape::Any => true,
            Shape::Node(head, parts, any_order) => {
                node.matches(head)
                    && Sketches::<L, C>::orders(parts, *any_order)
                        .iter()
                        .any(|order| {
                            let mut pairs = node.children().iter().zip(order);
                            pairs.all(|(child, part)| self.check(*child, *part))
                        })
            }
            Shape::Contains(part) => {
                self.check(id, *part) || node.children().iter().any(|c| self.check(*c, sketch))
            }
            Shape::Either(parts) => parts.iter().any(|part| self.check(id, *part)),
            Shape::Such(part, condition) => {
                condition.holds((self.data)(id)) && self.check(id, *part)
            }
        };
        self.known.insert((id, sketch), fits);
        fits
    }
}
