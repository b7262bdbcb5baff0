//! Sketches as data: four constructors and annotations, hash-consed, over the heads of an egg language.

use egg::Language;

/// A sketch of one [`Sketches`]. Parts always have smaller ids.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SketchId(u32);

impl SketchId {
    /// Its place.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A condition on the data of e-classes.
pub trait Condition<D>: Clone + PartialEq {
    /// Whether a class with this data has it.
    fn holds(&self, data: &D) -> bool;
}

/// A language without annotations.
impl<D> Condition<D> for () {
    fn holds(&self, _: &D) -> bool {
        true
    }
}

/// What a sketch is. `L` is an e-node of which only the head counts, `C` a condition.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape<L, C> {
    /// `?`: all terms.
    Any,
    /// `F(S, …)`: terms with this head whose children satisfy these sketches. `true`: in any order.
    Node(L, Vec<SketchId>, bool),
    /// `contains(S)`: terms that satisfy `S`, or of which a part does.
    Contains(SketchId),
    /// `S | S`: terms that satisfy any of these.
    Either(Vec<SketchId>),
    /// `S : T`: terms that satisfy `S` and belong to a class with this condition.
    Such(SketchId, C),
}

/// Sketches that share their parts: equal ones are one.
#[derive(Clone, Debug)]
pub struct Sketches<L, C> {
    shapes: Vec<Shape<L, C>>,
}

impl<L, C> Default for Sketches<L, C> {
    fn default() -> Self {
        Sketches { shapes: Vec::new() }
    }
}

impl<L: Language, C: Clone + PartialEq> Sketches<L, C> {
    /// The sketch of this shape; adds it if it is new.
    ///
    /// # Panics
    /// A part is none of these sketches, a head has another number of children, or there is no alternative.
    pub fn add(&mut self, shape: Shape<L, C>) -> SketchId {
        let is_known = |id: &SketchId| id.index() < self.shapes.len();
        match &shape {
            Shape::Any => {}
            Shape::Node(head, parts, _) => {
                assert_eq!(head.len(), parts.len(), "a sketch for each child");
                assert!(parts.iter().all(is_known));
            }
            Shape::Contains(part) | Shape::Such(part, _) => assert!(is_known(part)),
            Shape::Either(parts) => assert!(!parts.is_empty() && parts.iter().all(is_known)),
        }
        let place = self.shapes.iter().position(|known| *known == shape);
        let place = place.unwrap_or_else(|| {
            self.shapes.push(shape);
            self.shapes.len() - 1
        });
        SketchId(u32::try_from(place).expect("a sketch never has 2^32 parts"))
    }

    /// What a sketch is.
    #[must_use]
    pub fn shape(&self, id: SketchId) -> &Shape<L, C> {
        &self.shapes[id.index()]
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shapes.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }

    /// `id` and all of its parts, parts first.
    #[must_use]
    pub fn parts(&self, id: SketchId) -> Vec<SketchId> {
        let mut needed = vec![false; self.shapes.len()];
        let mut open = vec![id];
        while let Some(one) = open.pop() {
            if !std::mem::replace(&mut needed[one.index()], true) {
                open.extend(self.children(one));
            }
        }
        #[expect(clippy::cast_possible_truncation, reason = "ids are of 32 bits")]
        let ids = (0..needed.len()).map(|place| SketchId(place as u32));
        ids.filter(|id| needed[id.index()]).collect()
    }

    /// The direct parts of a sketch.
    #[must_use]
    pub fn children(&self, id: SketchId) -> Vec<SketchId> {
        match self.shape(id) {
            Shape::Any => Vec::new(),
            Shape::Node(_, parts, _) | Shape::Either(parts) => parts.clone(),
            Shape::Contains(part) | Shape::Such(part, _) => vec![*part],
        }
    }

    /// The ways in which the parts of a node's sketch may be laid on its children: one, or with two parts in any order two.
    pub(crate) fn orders(parts: &[SketchId], any_order: bool) -> Vec<Vec<SketchId>> {
        let mut orders = vec![parts.to_vec()];
        if let ([a, b], true) = (parts, any_order)
            && a != b
        {
            orders.push(vec![*b, *a]);
        }
        orders
    }
}
