//! The calls of the script's own functions that a walk made, and how many of them it looks into. Must know no function's body.

use std::collections::{HashMap, HashSet};

use crate::db::inputs::Function;
use crate::db::signature::Signature;

/// Signatures of one function that one walk looks at, by how deep the function leads; further ones give what it
/// declares. Taller functions get fewer, for each of theirs multiplies.
const MAX_SIGNATURES: [usize; 9] = [24, 24, 16, 8, 4, 2, 2, 2, 2];

/// The calls of one walk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls {
    made: Vec<Made>,
    /// The same, to find one.
    pub(crate) seen: HashSet<Made>,
    /// How many signatures of each function were looked at.
    pub(crate) signatures: HashMap<Function, usize>,
}

/// A call that was made.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Made {
    pub(crate) callee: Function,
    pub(crate) args: Signature,
    /// Whether the function was looked into.
    pub(crate) is_followed: bool,
}

impl Calls {
    /// Calls of a walk that goes on where another ended, which made these.
    pub(crate) fn after<'m>(made: impl Iterator<Item = &'m Made>) -> Self {
        let mut calls = Calls::default();
        for made in made {
            if calls.seen.insert(made.clone()) && made.is_followed {
                *calls.signatures.entry(made.callee).or_default() += 1;
            }
        }
        calls
    }

    pub(crate) fn into_made(self) -> Vec<Made> {
        self.made
    }

    /// Takes one more.
    pub(crate) fn add(&mut self, made: &Made) {
        if self.seen.insert(made.clone()) {
            self.made.push(made.clone());
        }
    }
}

/// Signatures of a function that leads so deep which one walk looks at.
pub(crate) fn most_signatures(height: Option<usize>) -> usize {
    let most = height.and_then(|height| MAX_SIGNATURES.get(height));
    most.copied().unwrap_or_default()
}
