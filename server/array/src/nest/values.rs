//! What is known of values while a program becomes a nest: numbers as expressions, arrays as ways to get at their elements.

use std::cell::RefCell;
use std::rc::Rc;

use egg::Id;

use super::{BufferId, Ex, How, Index};
use crate::prim::Prim;
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
    /// The first or the second of each pair.
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
}

impl Val {
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
