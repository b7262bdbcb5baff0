//! The canonical form of sum-product expressions, and with it the decision whether two expressions are equal.
//!
//! An expression becomes a *polyterm*: a sum of constants times Σ over bound indices of a bag of atoms (SPORES,
//! Definitions 2.1 and A.5). Two expressions are equal for all inputs of all sizes exactly if their polyterms are
//! isomorphic (Theorem 2.3). Whatever is not sum-product (`exp`, `>`, `cbind`, …) is an atom of its own, so equality
//! stays sound beyond the fragment where it is complete.
//!
//! This module must never look at costs or at how an expression was found, and must never call two expressions equal
//! on the evidence of numbers. It works over the real numbers: constants are exact (`exp(1)` is no fraction), and infinities
//! and NaN are no values: where a run computes one of constants alone, nothing is decided. Two forms that are equal say
//! that the expressions are equal where both have a value; where only one has, as `1/(1/X)` and `X` at zero,
//! [`Proof::conditions`] say. Where the forms differ, functions are written by their definitions in a second, deep form,
//! and compared again.
//!
//! An axis is never empty, and a size without a number has an index of its own unless an operator needs it to be one; two
//! sizes that meet in an operator count as equal. What was assumed in this way is listed in [`Proof::assumes`], as is an
//! input of sparsity zero, which counts as zero. A scalar and a 1 x 1 matrix of the same value count as equal.
//!
//! ```text
//! la::Dag -> translate -> poly (algebra over terms) -> label (isomorphic terms get one spelling) -> decide
//!                      -> deep (definitions, piecewise, reduce) and domain, where there are functions
//!                      -> proof (the same way in readable steps)
//! ```

mod atom;
mod coefficient;
mod constants;
mod decide;
mod definitions;
mod domain;
mod exact;
mod finite;
mod fold;
mod function;
mod ground;
mod label;
mod moved;
mod parts;
mod piecewise;
mod poly;
mod print;
mod proof;
mod reduce;
mod rewrite;
mod shapes;
mod sizes;
mod term;
#[cfg(test)]
mod tests;
mod translate;
mod tree;
mod truth;
mod writer;
mod zero_where;

pub use atom::{Call, Calls, Context};
pub use decide::{Verdict, decide, decide_calls, decide_within};
pub use poly::{Polyterm, isomorphic};
pub use proof::{Proof, REAL_ARITHMETIC, Step};
pub(crate) use translate::Values;
pub use translate::{canonicalize, writable};

/// How large a polyterm may grow before it is given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Terms of one polyterm.
    pub max_terms: usize,
    /// Distinct atoms of one term.
    pub max_atoms_per_term: usize,
    /// Labellings of bound indices that are compared to find one term's spelling.
    pub max_labelings: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_terms: 4096,
            max_atoms_per_term: 64,
            max_labelings: 5_000,
        }
    }
}

/// Why there is no polyterm.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    /// Multiplying out gives too many terms.
    #[error("multiplied out, the expression has more than {0} terms; prove its parts one by one")]
    Terms(usize),
    /// One product has too many atoms.
    #[error(
        "multiplied out, one product has more than {0} different factors; prove its parts one by one"
    )]
    Atoms(usize),
    /// One term is too symmetric.
    #[error(
        "one product is so symmetric that more than {0} orders of its indices would have to be compared"
    )]
    Labelings(usize),
    /// Too many rules of products were applied.
    #[error("more than {0} rules had to be applied; prove its parts one by one")]
    Steps(usize),
    /// Rules were applied inside one another too deep.
    #[error("more than {0} rules had to be applied inside one another; prove its parts one by one")]
    Nesting(usize),
    /// An expression is too long to be written.
    #[error(
        "written out, the expression has more than {0} parts, as it uses some of them again and again; prove its parts one by one"
    )]
    Text(usize),
    /// A constant has more digits than are kept.
    #[error("a constant factor has too many digits to be exact; state shorter numbers")]
    Overflow,
    /// No values of the inputs give both sides one.
    #[error("no inputs give both sides a value")]
    Nowhere,
    /// A constant of one side is infinite or NaN.
    #[error("`{0}` is no finite number, and algebra holds for finite numbers only")]
    NotFinite(String),
    /// The sizes contradict each other or the assumption that a size without a number is larger than one.
    #[error("{0}")]
    Sizes(String),
}
