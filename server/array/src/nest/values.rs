//! What is known of values while a program becomes a nest: numbers as expressions, arrays as ways to get at their elements.

use std::cell::RefCell;
use std::rc::Rc;

use egg::Id;

use super::{BufferId, Ex, How, Index};
use crate::prim::{BINOMIAL, Prim};
use crate::types::TypeId;

/// A value.
#[derive(Clone)]
pub(super) enum Val {
    Ex(Ex),
    Pair(Rc<(Val, Val)>),
    Array(Rc<Array>),
    Fun(Rc<Fun>),
}

/// A function.
pub(super) enum Fun {
    /// A lambda's body, and the parameters around it, the outermost first.
    Lam(Id, Vec<Val>),
    /// A primitive that waits for arguments.
    Prim(Prim, [i64; 2], TypeId, Vec<Val>),
}

/// An array of so many elements.
pub(super) struct Array {
    pub(super) len: i64,
    pub(super) kind: Kind,
}

/// Where an array's elements come from.
pub(super) enum Kind {
    /// A buffer, from a place on; elements are of this type.
    Memory(BufferId, Index, TypeId),
    /// How, the function, the elements and their type as an array.
    Map(Loop, Val, Val, TypeId),
    Zip(Val, Val),
    /// Pairs of the elements of two arrays, so many dimensions deep.
    Both(u32, Val, Val),
    /// The first or the second of each pair, however deep they are.
    Part(bool, Val),
    /// Pieces of so many elements.
    Split(i64, Val, TypeId),
    /// One array of pieces of so many elements.
    Join(i64, Val, TypeId),
    /// Rows, how many, and their type as an array.
    Transpose(Val, i64, TypeId),
    /// Windows of so many elements, so far apart.
    Slide(i64, i64, Val),
    /// Elements from a place on.
    Slice(Index, Val),
    /// The same element of each row.
    Column(Index, Val),
    Fill(Val),
    Listed(Vec<Val>),
    /// So many elements; what is beyond is there at larger sizes only.
    Limited(i64, Val),
    /// What is in memory, and a value that has elements wherever that has.
    Kept(Val, Val),
    /// The numbers of vectors of so many, only to know which there are.
    Lanes(i64, Val),
    Vectors(i64, Val),
    /// Computed when it is needed, and kept as long as the block it was computed in is open.
    Later(Later),
}

/// How a map or a reduction runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Loop {
    Plain(How),
    Unrolled,
}

/// An array that is computed into a buffer.
pub(super) struct Later {
    pub(super) work: Work,
    /// The type of the whole array.
    pub(super) ty: TypeId,
    /// The buffer, and the block that it stands in.
    pub(super) done: RefCell<Option<(BufferId, u32)>>,
}

/// What is computed later.
pub(super) enum Work {
    /// A reduction to an array: how, the function, the start, the elements.
    Reduce(Loop, Val, Val, Val),
    /// The numbers of vectors.
    Numbers(i64, Val),
    /// A value so often before and behind an array, and the array's type.
    Pad([i64; 2], Val, Val, TypeId),
}

impl Kind {
    /// Whether elements of it are values that are written in the program, which no counter finds.
    fn is_written(&self) -> bool {
        match self {
            Kind::Listed(_) => true,
            Kind::Memory(..) | Kind::Later(_) => false,
            Kind::Zip(a, b) | Kind::Both(_, a, b) => a.is_written() || b.is_written(),
            Kind::Map(_, _, xs, _)
            | Kind::Part(_, xs)
            | Kind::Split(_, xs, _)
            | Kind::Join(_, xs, _)
            | Kind::Transpose(xs, ..)
            | Kind::Slide(_, _, xs)
            | Kind::Slice(_, xs)
            | Kind::Column(_, xs)
            | Kind::Fill(xs)
            | Kind::Vectors(_, xs)
            | Kind::Limited(_, xs)
            | Kind::Kept(xs, _)
            | Kind::Lanes(_, xs) => xs.is_written(),
        }
    }
}

impl Val {
    /// Whether loops over it must be written out.
    pub(super) fn is_written(&self) -> bool {
        matches!(self, Val::Array(array) if array.kind.is_written())
    }

    /// How a loop over it runs.
    pub(super) fn over(&self, how: Loop) -> Loop {
        if self.is_written() {
            Loop::Unrolled
        } else {
            how
        }
    }

    pub(super) fn pair(first: Val, second: Val) -> Val {
        Val::Pair(Rc::new((first, second)))
    }

    pub(super) fn array(len: i64, kind: Kind) -> Val {
        Val::Array(Rc::new(Array { len, kind }))
    }

    /// An array; an error where the program is none that loops can be made of.
    pub(super) fn as_array(&self) -> Result<&Rc<Array>, String> {
        match self {
            Val::Array(array) => Ok(array),
            _ => Err("an array was expected".to_owned()),
        }
    }

    pub(super) fn as_ex(&self) -> Result<Ex, String> {
        match self {
            Val::Ex(ex) => Ok(ex.clone()),
            _ => Err("a number was expected".to_owned()),
        }
    }
}

/// The value of a primitive that takes nothing.
pub(super) fn constant(prim: Prim) -> Result<Val, String> {
    let row = |factor: f64| {
        let numbers = BINOMIAL.iter().map(|w| Val::Ex(Ex::Number(factor * w)));
        Val::array(3, Kind::Listed(numbers.collect()))
    };
    match prim {
        Prim::WeightsV | Prim::WeightsH => Ok(row(1.0)),
        Prim::Weights2d => {
            let rows = BINOMIAL.iter().map(|w| row(*w)).collect();
            Ok(Val::array(3, Kind::Listed(rows)))
        }
        _ => Err(format!("`{}` cannot be made a loop", prim.row().name)),
    }
}
