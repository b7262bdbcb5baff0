//! Loop nests: what a program does step by step, over buffers of numbers.
//!
//! A nest comes from a program whose sizes are numbers ([`lower`]), or from one with numbers for its sizes ([`lower_at`]). It is run as it stands ([`run`]) and is written as C
//! ([`c::text`]). Nothing here chooses loops: they are those that the program says.

mod beside;
pub mod c;
mod forward;
mod given;
mod hoist;
mod in_place;
mod index;
mod layout;
mod lines;
mod lower;
mod machine;
mod names;
mod narrow;
mod pairs;
mod ragged;
mod read;
mod rounded;
mod together;
mod unroll;
mod values;
mod write;

pub use index::{Atom, Counter, Index};
pub use lower::{lower, lower_at};
pub use machine::run;

use crate::prim::Prim;
use crate::types::Scalar;

/// A buffer of a nest, by number.
pub type BufferId = usize;

/// What a buffer is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// An input, which is only read.
    Input,
    /// The result.
    Output,
    /// A value that the program stores once.
    Stored,
    /// What a reduction has so far, within the loop that declares it.
    Local,
}

/// Numbers in a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// What it is called.
    pub name: String,
    /// How many numbers it holds.
    pub len: i64,
    /// What it is for.
    pub role: Role,
}

/// How a loop runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum How {
    /// From the first on.
    InOrder,
    /// Over all threads.
    Parallel,
}

/// A step.
#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    /// A loop.
    Loop(Counter, How, Vec<Stmt>),
    /// A local buffer begins here and ends with the loop around it.
    Declare(BufferId),
    /// So many numbers from a place on become a value.
    Store(BufferId, Index, i64, Ex),
}

/// A number, or a vector of numbers.
#[derive(Clone, PartialEq, Debug)]
pub enum Ex {
    /// A number.
    Number(f64),
    /// So many numbers from a place on.
    Load(BufferId, Index, i64),
    /// A vector of one number.
    Splat(Box<Ex>, i64),
    /// A vector of these numbers.
    Gather(Vec<Ex>),
    /// A calculation.
    Calc(Prim, Box<Ex>, Box<Ex>),
}

/// A loop nest.
#[derive(Clone, PartialEq, Debug)]
pub struct Nest {
    /// The program's name.
    pub name: String,
    /// What numbers are stored as.
    pub scalar: Scalar,
    /// Its buffers: the inputs first, then the result.
    pub buffers: Vec<Buffer>,
    /// How many of them are inputs.
    pub inputs: usize,
    /// What it does.
    pub body: Vec<Stmt>,
}

impl Ex {
    /// How many numbers it is.
    #[must_use]
    pub fn width(&self) -> i64 {
        match self {
            Ex::Number(_) => 1,
            Ex::Load(_, _, width) | Ex::Splat(_, width) => *width,
            Ex::Gather(parts) => i64::try_from(parts.len()).unwrap_or(i64::MAX),
            Ex::Calc(_, left, _) => left.width(),
        }
    }

    /// Calls `visit` with each place that is read.
    pub fn loads(&self, visit: &mut dyn FnMut(BufferId, &Index, i64)) {
        match self {
            Ex::Number(_) => {}
            Ex::Load(buffer, at, width) => visit(*buffer, at, *width),
            Ex::Splat(of, _) => of.loads(visit),
            Ex::Gather(parts) => parts.iter().for_each(|part| part.loads(visit)),
            Ex::Calc(_, left, right) => {
                left.loads(visit);
                right.loads(visit);
            }
        }
    }

    /// The same, and `visit` may change where it is read.
    pub fn loads_mut(&mut self, visit: &mut dyn FnMut(&mut BufferId, &mut Index, i64)) {
        match self {
            Ex::Number(_) => {}
            Ex::Load(buffer, at, width) => visit(buffer, at, *width),
            Ex::Splat(of, _) => of.loads_mut(visit),
            Ex::Gather(parts) => parts.iter_mut().for_each(|part| part.loads_mut(visit)),
            Ex::Calc(_, left, right) => {
                left.loads_mut(visit);
                right.loads_mut(visit);
            }
        }
    }
}
