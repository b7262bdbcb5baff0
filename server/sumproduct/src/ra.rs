//! Relational algebra over positional axes as an egg language (SPORES Table 1). What holds of its classes is known to
//! [`crate::invariants`] alone.

use egg::{Id, Language};
use smallvec::SmallVec;
use sumac_la::{Kind, Limits, Op};

use crate::axes::{BOUND, Map};

/// A size, by its place in [`Invariants::sizes`](crate::invariants::Invariants::sizes).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DimId(pub u16);

/// The sizes of a relation's axes.
pub type Schema = SmallVec<[DimId; 4]>;

/// An operator that relational algebra does not look into, over whole matrices.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Opaque {
    /// The operator.
    pub op: Op,
    /// Rows and columns of its result; `None` for a size of one.
    pub shape: [Option<DimId>; 2],
    /// Whether its result is a scalar or a matrix.
    pub kind: Kind,
    /// For each child, which of its axes are its rows (0) and columns (1), and its kind.
    pub children: Box<[(Map, Kind)]>,
    /// Sparsity of the result in millionths, as `la` estimates it.
    pub sparsity: u32,
    /// Most non-zero cells of a row and of a column of the result.
    pub limits: Limits,
}

/// An e-node: SPORES Table 1, with functions and opaque operators beside.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Ra {
    /// A relation with this number (by its bits) everywhere.
    Const(u64, Schema),
    /// An input, by its place in [`Invariants::leaves`](crate::invariants::Invariants::leaves).
    Leaf(u32),
    /// Natural join: values multiply.
    Mul([Map; 2], [Id; 2]),
    /// Union: values add; a missing axis repeats.
    Add([Map; 2], [Id; 2]),
    /// Aggregation over the axes that map to [`BOUND`].
    Sum(Map, [Id; 1]),
    /// Minimum, maximum or product over the axes that map to [`BOUND`]; the operator is the one over all cells.
    Fold(Op, Map, [Id; 1]),
    /// δ: 1 where both axes agree, otherwise 0.
    Eye(DimId),
    /// A cellwise function of relations, uninterpreted but transparent.
    Fun(Op, Box<[Map]>, Box<[Id]>),
    /// An operator over whole matrices.
    Opaque(Box<Opaque>, Box<[Id]>),
}

impl Ra {
    /// Joins and unions are commutative: their children stand in ascending order.
    fn sort(&mut self) {
        if let Ra::Mul(maps, ids) | Ra::Add(maps, ids) = self
            && (ids[0], maps[0]) > (ids[1], maps[1])
        {
            ids.swap(0, 1);
            maps.swap(0, 1);
        }
    }

    /// In canonical order.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        self.sort();
        self
    }

    /// For each child, which of its own axes that one's axes are; of an opaque operator, which sides of the child.
    pub fn maps(&self) -> impl Iterator<Item = &Map> {
        let (some, opaque): (&[Map], _) = match self {
            Ra::Const(..) | Ra::Leaf(_) | Ra::Eye(_) => (&[], None),
            Ra::Mul(maps, _) | Ra::Add(maps, _) => (maps, None),
            Ra::Sum(map, _) | Ra::Fold(_, map, _) => (std::slice::from_ref(map), None),
            Ra::Fun(_, maps, _) => (maps, None),
            Ra::Opaque(opaque, _) => (&[], Some(opaque)),
        };
        let sides = opaque.into_iter().flat_map(|b| b.children.iter());
        some.iter().chain(sides.map(|(map, _)| map))
    }

    /// Changes each child and its map.
    pub fn for_each_child(&mut self, mut change: impl FnMut(&mut Map, &mut Id)) {
        match self {
            Ra::Const(..) | Ra::Leaf(_) | Ra::Eye(_) => {}
            Ra::Mul(maps, ids) | Ra::Add(maps, ids) => {
                for (map, id) in maps.iter_mut().zip(ids) {
                    change(map, id);
                }
            }
            Ra::Sum(map, ids) | Ra::Fold(_, map, ids) => change(map, &mut ids[0]),
            Ra::Fun(_, maps, ids) => {
                for (map, id) in maps.iter_mut().zip(ids) {
                    change(map, id);
                }
            }
            Ra::Opaque(opaque, ids) => {
                for ((map, _), id) in opaque.children.iter_mut().zip(ids) {
                    change(map, id);
                }
            }
        }
    }

    /// Its own axes renumbered: axis k becomes `p[k]`. `None` for leaves and opaque operators, whose axes have a fixed order.
    pub fn permuted(&self, p: &[u8]) -> Option<Ra> {
        let turn = |map: &Map| {
            map.relabel(|axis| {
                if axis == BOUND {
                    BOUND
                } else {
                    p[usize::from(axis)]
                }
            })
        };
        Some(match self {
            Ra::Const(bits, schema) => {
                let mut permuted = schema.clone();
                for (k, dim) in schema.iter().enumerate() {
                    permuted[usize::from(p[k])] = *dim;
                }
                Ra::Const(*bits, permuted)
            }
            Ra::Leaf(_) | Ra::Opaque(..) => return None,
            Ra::Mul(maps, ids) => Ra::Mul(maps.each_ref().map(turn), *ids).sorted(),
            Ra::Add(maps, ids) => Ra::Add(maps.each_ref().map(turn), *ids).sorted(),
            Ra::Sum(map, ids) => Ra::Sum(turn(map), *ids),
            Ra::Fold(op, map, ids) => Ra::Fold(*op, turn(map), *ids),
            Ra::Eye(dim) => Ra::Eye(*dim),
            Ra::Fun(op, maps, ids) => Ra::Fun(*op, maps.iter().map(turn).collect(), ids.clone()),
        })
    }
}

impl Language for Ra {
    type Discriminant = std::mem::Discriminant<Ra>;

    fn discriminant(&self) -> Self::Discriminant {
        std::mem::discriminant(self)
    }

    fn matches(&self, other: &Self) -> bool {
        match (self, other) {
            (Ra::Const(a, s), Ra::Const(b, t)) => a == b && s == t,
            (Ra::Leaf(a), Ra::Leaf(b)) => a == b,
            (Ra::Mul(a, _), Ra::Mul(b, _)) | (Ra::Add(a, _), Ra::Add(b, _)) => a == b,
            (Ra::Sum(a, _), Ra::Sum(b, _)) => a == b,
            (Ra::Fold(o, a, _), Ra::Fold(p, b, _)) => o == p && a == b,
            (Ra::Eye(a), Ra::Eye(b)) => a == b,
            (Ra::Fun(o, a, _), Ra::Fun(p, b, _)) => o == p && a == b,
            (Ra::Opaque(a, _), Ra::Opaque(b, _)) => a == b,
            _ => false,
        }
    }

    fn children(&self) -> &[Id] {
        match self {
            Ra::Const(..) | Ra::Leaf(_) | Ra::Eye(_) => &[],
            Ra::Mul(_, ids) | Ra::Add(_, ids) => ids,
            Ra::Sum(_, ids) | Ra::Fold(_, _, ids) => ids,
            Ra::Fun(_, _, ids) | Ra::Opaque(_, ids) => ids,
        }
    }

    fn children_mut(&mut self) -> &mut [Id] {
        match self {
            Ra::Const(..) | Ra::Leaf(_) | Ra::Eye(_) => &mut [],
            Ra::Mul(_, ids) | Ra::Add(_, ids) => ids,
            Ra::Sum(_, ids) | Ra::Fold(_, _, ids) => ids,
            Ra::Fun(_, _, ids) | Ra::Opaque(_, ids) => ids,
        }
    }

    /// As egg's own, then back into canonical order: so commutativity costs no rule and no node.
    fn update_children<F: FnMut(Id) -> Id>(&mut self, mut f: F) {
        for id in self.children_mut() {
            *id = f(*id);
        }
        self.sort();
    }
}
