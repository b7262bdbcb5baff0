//! Terms: nodes of a typed lambda calculus with De Bruijn indices, and what can be done with whole terms.
//!
//! A variable carries its type and a lambda that of its parameter, so the type of every term follows from its parts.
//! Nothing here knows e-graphs, rules or text.

use std::fmt;

use egg::{Id, Language, RecExpr};
use rustc_hash::FxHashMap;

use crate::prim::Prim;
use crate::types::{NatId, TypeId, Types};

/// A number of a program, as the bits of an f64.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Bits(u64);

impl Bits {
    /// Of a number.
    #[must_use]
    pub fn of(value: f64) -> Self {
        Bits(value.to_bits())
    }

    /// The number.
    #[must_use]
    pub fn value(self) -> f64 {
        f64::from_bits(self.0)
    }
}

/// A part of a term. Types and sizes are of one [`Types`].
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Node {
    /// The parameter of the n-th lambda around it, the nearest being 0.
    Var(u32, TypeId),
    /// A function of a parameter of this type.
    Lam(TypeId, Id),
    /// A function applied to an argument.
    App([Id; 2]),
    /// A primitive with the sizes in its brackets, at this type.
    Prim(Prim, [Option<NatId>; 2], TypeId),
    /// A number.
    Number(Bits, TypeId),
}

/// What two nodes have in common that may be equal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Head {
    /// A variable.
    Var(u32),
    /// A function.
    Lam,
    /// An application.
    App,
    /// A primitive.
    Prim(Prim),
    /// A number.
    Number,
}

/// A term: its last node is the root, and equal parts may be one.
pub type Term = RecExpr<Node>;

impl Language for Node {
    type Discriminant = Head;

    fn discriminant(&self) -> Head {
        match self {
            Node::Var(index, _) => Head::Var(*index),
            Node::Lam(..) => Head::Lam,
            Node::App(_) => Head::App,
            Node::Prim(prim, ..) => Head::Prim(*prim),
            Node::Number(..) => Head::Number,
        }
    }

    /// As sketches see it: types count for nothing, and a primitive without sizes stands for all sizes.
    fn matches(&self, other: &Self) -> bool {
        match (self, other) {
            (Node::Prim(a, m, _), Node::Prim(b, n, _)) => {
                a == b && (m == n || *m == [None; 2] || *n == [None; 2])
            }
            (Node::Number(a, _), Node::Number(b, _)) => a == b,
            _ => self.discriminant() == other.discriminant(),
        }
    }

    fn children(&self) -> &[Id] {
        match self {
            Node::Lam(_, body) => std::slice::from_ref(body),
            Node::App(parts) => parts,
            _ => &[],
        }
    }

    fn children_mut(&mut self) -> &mut [Id] {
        match self {
            Node::Lam(_, body) => std::slice::from_mut(body),
            Node::App(parts) => parts,
            _ => &mut [],
        }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Node::Var(index, _) => write!(f, "%{index}"),
            Node::Lam(..) => f.write_str("lam"),
            Node::App(_) => f.write_str("app"),
            Node::Prim(prim, ..) => f.write_str(prim.row().name),
            Node::Number(bits, _) => write!(f, "{}", bits.value()),
        }
    }
}

/// The parameters that a term mentions from outside: bit n stands for index n, the last bit for all from 63 on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Free(u64);

const LAST: u32 = 63;

impl Free {
    /// Of a variable.
    #[must_use]
    pub fn var(index: u32) -> Self {
        Free(1 << index.min(LAST))
    }

    /// Of either of two terms.
    #[must_use]
    pub fn or(self, other: Free) -> Self {
        Free(self.0 | other.0)
    }

    /// Below one lambda more: seen from outside of it.
    #[must_use]
    pub fn outside(self) -> Self {
        // What stood for many still does.
        Free((self.0 >> 1) | (self.0 & (1 << LAST)))
    }

    /// Whether the parameter may be mentioned.
    #[must_use]
    pub fn has(self, index: u32) -> bool {
        self.0 & (1 << index.min(LAST)) != 0
    }

    /// Whether a parameter from this one on may be mentioned.
    #[must_use]
    pub fn has_from(self, index: u32) -> bool {
        self.0 >> index.min(LAST) != 0
    }

    /// Whether nothing from outside is mentioned.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// The type of a node, given those of its children; `None` where its parts do not fit.
pub fn type_of(node: &Node, types: &mut Types, child: &dyn Fn(Id) -> TypeId) -> Option<TypeId> {
    match node {
        Node::Var(_, ty) | Node::Prim(_, _, ty) | Node::Number(_, ty) => Some(*ty),
        Node::Lam(from, body) => {
            let to = child(*body);
            Some(types.fun(*from, to))
        }
        Node::App([function, argument]) => {
            let (from, to) = types.as_fun(child(*function))?;
            (from == child(*argument)).then_some(to)
        }
    }
}

/// The types of all nodes of a term; `None` where parts do not fit.
pub fn types_of(term: &Term, types: &mut Types) -> Option<Vec<TypeId>> {
    let mut known: Vec<TypeId> = Vec::with_capacity(term.len());
    for node in term {
        let ty = type_of(node, types, &|id| known[usize::from(id)])?;
        known.push(ty);
    }
    Some(known)
}

/// What the nodes of a term mention from outside.
#[must_use]
pub fn free_of(node: &Node, child: &dyn Fn(Id) -> Free) -> Free {
    match node {
        Node::Var(index, _) => Free::var(*index),
        Node::Lam(_, body) => child(*body).outside(),
        Node::App([function, argument]) => child(*function).or(child(*argument)),
        Node::Prim(..) | Node::Number(..) => Free::default(),
    }
}

/// How many nodes a term has as a tree.
#[must_use]
pub fn size(term: &Term) -> usize {
    let mut sizes: Vec<usize> = Vec::with_capacity(term.len());
    for node in term {
        sizes.push(node.fold(1, |sum: usize, id| {
            sum.saturating_add(sizes[usize::from(id)])
        }));
    }
    sizes.last().copied().unwrap_or(0)
}

/// A part of a term as a term of its own, its equal parts one.
#[must_use]
pub fn part(term: &Term, root: Id) -> Term {
    let mut made = Term::default();
    let mut known: FxHashMap<Node, Id> = FxHashMap::default();
    let mut needed = vec![false; usize::from(root) + 1];
    needed[usize::from(root)] = true;
    for place in (0..needed.len()).rev() {
        if needed[place] {
            term[Id::from(place)].for_each(|child| needed[usize::from(child)] = true);
        }
    }
    let mut at: Vec<Id> = vec![Id::from(0); needed.len()];
    for place in 0..needed.len() {
        if needed[place] {
            let node = term[Id::from(place)].clone();
            let node = node.map_children(|child| at[usize::from(child)]);
            let next = || made.add(node.clone());
            at[place] = *known.entry(node.clone()).or_insert_with(next);
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_variables_share_the_last_bit() {
        let far = Free::var(100);
        assert!(far.has(63) && far.has_from(10) && !far.has(62));
        assert!(far.outside().has(99));
        assert!(!Free::var(0).outside().has_from(0));
    }
}
