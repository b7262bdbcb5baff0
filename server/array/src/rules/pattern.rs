//! What a rule is once it is compiled.

use crate::node::Bits;
use crate::prim::Prim;
use crate::types::{NatId, TypeId};

/// The place of a part among the parts of a pattern.
pub(crate) type PatId = usize;

/// A part of a pattern. Types may have variables of the rule in them.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Pat {
    /// A letter of the left side: any term of this type.
    Letter(usize, TypeId),
    /// A letter of the right side, with its parameters where they stand there.
    Moved(usize, Move),
    /// A parameter of a function of the pattern.
    Var(u32, TypeId),
    /// A function of a parameter of this type.
    Lam(TypeId, PatId),
    /// A function applied to an argument.
    App(PatId, PatId),
    /// A primitive.
    Prim(Prim, [Option<NatId>; 2], TypeId),
    /// A number.
    Number(Bits, TypeId),
}

/// Where the parameters that a letter mentions stand on the other side of the rule.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Move {
    /// For each parameter of the left side around the letter, the nearest first: its index here, if it is here.
    pub(crate) to: Vec<Option<u32>>,
    /// How many parameters are around it here.
    pub(crate) depth: u32,
}

impl Move {
    /// Whether every parameter stays where it is.
    pub(crate) fn is_still(&self) -> bool {
        let stays = |(n, to): (usize, &Option<u32>)| *to == u32::try_from(n).ok();
        self.to.len() == self.depth as usize && self.to.iter().enumerate().all(stays)
    }

    /// The new index of an old one. What is no longer here is not asked for.
    pub(crate) fn index(&self, old: u32) -> u32 {
        match self.to.get(old as usize) {
            Some(to) => to.unwrap_or(u32::MAX / 2),
            #[expect(clippy::cast_possible_truncation, reason = "nesting is bounded")]
            None => old - self.to.len() as u32 + self.depth,
        }
    }
}

/// One side of a rule: parts before wholes, the root last.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Pattern {
    pub(crate) parts: Vec<Pat>,
}

impl Pattern {
    pub(crate) fn add(&mut self, part: Pat) -> PatId {
        self.parts.push(part);
        self.parts.len() - 1
    }

    pub(crate) fn root(&self) -> PatId {
        self.parts.len() - 1
    }
}
