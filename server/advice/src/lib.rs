//! From an expression of any language to suggestions: cheaper forms, proved equal, checked, priced, with the condition under which each
//! is cheaper.
//!
//! Must never know which language it serves, or an editor.

mod accuracy;
mod check;
mod proof;
mod regimes;
mod small;
mod suggest;
mod when;

pub use accuracy::{Accuracy, Say, measure};
pub use check::{Check, Rejection, check};
pub use proof::Proof;
pub use small::{at_scale, at_small_scale, draw};
pub use suggest::{NoSuggestion, Suggestion, suggest};
pub use when::{Least, When, when};
